"""Theorem 8 with its second term corrected: the grid of rates (22), (23) covers the best one, and the meta rate is balanced.

``horizon`` is the number of rounds for which the rates are made; at most so many are played, in Theorem 8 all.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, exp, floor, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs.experts import ALL_EXPERTS, AT_ANY_RATES, e, i, logw, rate
from fltheory.papers.osmd.mirror.proofs.lemmas import BACK, GROWS, L17, LAMBDA
from fltheory.papers.osmd.notation import TV, M, T, beta, eta, gamma, n_experts
from fltheory.papers.osmd.regret.proofs.corollary7 import TUNED
from fltheory.papers.osmd.regret.proofs.paths import t, total_move
from fltheory.papers.osmd.regret.proofs.regret import REGRET, logQ
from fltheory.papers.osmd.regret.proofs.theorem6 import LOG
from fltheory.proof import Given, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.facts.notation import P, Q, m
from fltheory.proof.facts.notation import logq as q1
from fltheory.proof.terms import E

PLACE = "proof of Theorem 8"
H = Symbol("horizon", integer=True, positive=True)
ratio, eta1, y, c = (Symbol(name, positive=True) for name in ("ratio", "eta1", "y", "c"))
b = Symbol("b", nonnegative=True)
LOG2 = log(Integer(2))

# The grid covers -----------------------------------------------------------------------------------------------------------

_g = log(ratio) / LOG2
_floor = floor(_g)
_LOG = (
    line("tangent", le(1 - log(ratio), exp(-log(ratio))), by.fact("exp", -log(ratio))),
    line("log", le(0, log(ratio)), by.linear("tangent", "one")),
    line("steps", le(0, _g), by.linear("log")),
)
FIRST = (
    proof("osmd/grid-first", "(22)")
    .given("one", le(1, ratio), "the best rate is at least the least one")
    .steps(*_LOG)
    .qed(le(0, _floor), by.fact("floor", _g, "steps"))
)
UNDER = (
    proof("osmd/grid-under", "(22)", note="the rate chosen is at most the best one")
    .step("floor", le(_floor, _g), by.fact("floor", _g))
    .step("order", le(_floor * LOG2, log(ratio)), by.linear("floor"))
    .qed(le(exp(_floor * LOG2), ratio), by.apply(GROWS, {P: _floor * LOG2, Q: log(ratio)}))
)
OVER = (
    proof("osmd/grid-over", "(22)", note="and at least half of it")
    .step("floor", lt(_g, _floor + 1), by.fact("floor", _g))
    .step("order", le(log(ratio), (_floor + 1) * LOG2), by.linear("floor"))
    .step("exp", by.apply(GROWS, {P: log(ratio), Q: (_floor + 1) * LOG2}))
    .qed(le(ratio, 2 * exp(_floor * LOG2)), by.linear("exp"))
)
_size = log(1 + b) / (2 * LOG2)
LAST = (
    proof("osmd/grid-last", "(23)", note="there are enough rates")
    .given("square", le(ratio**2, 1 + b), "how far the best rate can be")
    .step("log", by.apply(BACK, {P: 2 * log(ratio), Q: log(1 + b)}))
    .step("floor", le(_floor, _g), by.fact("floor", _g))
    .step("ceiling", le(floor(-_size), -_size), by.fact("floor", -_size))
    .qed(le(1 + _floor, 1 - floor(-_size)), by.linear("floor", "ceiling", "log"))
)

CHOSEN = (
    proof("osmd/grid-rate", PLACE, note="17/8 where the paper has 3")
    .given("under", le(y, eta), "the rate chosen")
    .given("over", le(eta, 2 * y), "and the best one")
    .step("more", le(0, 8 * eta - y), by.linear("under"))
    .qed(le(c / y + y * c / (4 * eta**2), Rational(17, 8) * c / eta), by.linear("over", "more"))
)
_first_weight = (1 + 1 / n_experts) / (e * (e + 1))
WEIGHT = (
    proof("osmd/first-weight", PLACE, note="no expert begins with less than 1/E^2")
    .given("weight", eq(exp(P), _first_weight), "its first weight")
    .given("expert", le(e, n_experts), "one of the experts")
    .step("1", le(1 / n_experts**2, _first_weight), by.linear("expert"))
    .step("2", le(1 / n_experts**2, exp(P)), by.linear("1", "weight"))
    .qed(le(-2 * log(n_experts), P), by.apply(BACK, {P: -2 * log(n_experts), Q: P}))
)

# At the grid (22), with any meta rate -------------------------------------------------------------------------------------------

_value = log(M) + 2 * (beta * LAMBDA)
_ETA = bounds.ETA.xreplace({T: H})
GRID = (
    Given("grid", eq(rate(i), eta1 * exp((i - 1) * LOG2), ALL_EXPERTS), "(22): each rate is twice the one before"),
    Given("least rate", eq(eta1, sqrt(2 * log(M) / H) / bounds.Q), "(22): the least rate"),
    Given("first weights", eq(exp(logw(i, 1)), (1 + 1 / n_experts) / (i * (i + 1)), ALL_EXPERTS), "Algorithm 5"),
    Given("experts", eq(n_experts, bounds.EXPERTS.xreplace({T: H})), "(23)"),
    Given("star", eq(eta, _ETA), "the rate (20), which nobody need know"),
    Given("short", le(T, H), "no more rounds are played than the rates are made for"),
)
_STATED, CONDITIONS = statement_of(bounds.T8_CORRECTED, REGRET, {TV: E(total_move(logQ, T))})
BUDGET = Given("budget", le(beta, 2 * (H - 1)), "no sequence of H distributions moves more")
_META = gamma * H * bounds.R**2 / 8 + 2 * log(n_experts) / gamma
_rho = eta / eta1
_here = floor(log(_rho) / LOG2)
_own = tuple(h for h in AT_ANY_RATES.hypotheses if h.id not in ("expert", "alpha"))
_own_ids = tuple(h.id for h in _own)
_w = 1 / (bounds.Q**2 * H)
_chosen = rate(1 + _here)
ANY = (
    proof("osmd/T8-any-meta-rate", "Theorem 8", note="with any meta rate").under(*_own, *GRID, BUDGET, *CONDITIONS)
    .steps(*LOG)
    .step("log sign", le(0, LAMBDA), by.linear("log"))
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("best", eq(eta**2 * bounds.Q**2 * H, 2 * _value), by.linear(star=(eta + _ETA) * bounds.Q**2 * H))
    .step("least", eq(eta1**2 * bounds.Q**2 * H, 2 * log(M)),
        by.linear({"least rate": (eta1 + sqrt(2 * log(M) / H) / bounds.Q) * bounds.Q**2 * H}))
    .step("squares", le(eta1**2, eta**2), by.linear({"best": -_w, "least": _w, "log sign": 4 * beta * _w}))
    .step("order", le(eta1, eta), by.linear(squares=1 / (eta + eta1)))
    .step("above one", le(1, _rho), by.linear("order"))
    .step("far", le(eta**2 * log(M), eta1**2 * (log(M) + 4 * LAMBDA * (H - 1))),
        by.linear("best", "least", "budget", "log sign"))
    .step("ratio", le(_rho**2, 1 + 4 * LAMBDA / log(M) * (H - 1)), by.linear("far", "clients"))
    .step("value sign", lt(0, _value), by.linear({"clients": 1, "log sign": 2 * beta}))
    .step("first expert", by.apply(FIRST, {ratio: _rho}))
    .step("spread", le(0, 4 * LAMBDA / log(M) * (H - 1)), by.linear({"log sign": 4 / log(M) * (H - 1)}, "clients"))
    .step("last expert", by.apply(LAST, {ratio: _rho, b: 4 * LAMBDA / log(M) * (H - 1)}, "ratio", "spread"))
    .step("expert", le(1 + _here, n_experts), by.linear("last expert", "experts"))
    .step("any", by.apply(AT_ANY_RATES, {e: 1 + _here}, *_own_ids, "c1", "expert", "first expert"))
    .step("rate", by.instance({i: 1 + _here}, "grid", "expert", "first expert"))
    .step("grid under", by.apply(UNDER, {ratio: _rho}))
    .step("grid over", by.apply(OVER, {ratio: _rho}))
    .step("under", le(_chosen, eta), by.linear("grid under", "rate"))
    .step("over", le(eta, 2 * _chosen), by.linear("grid over", "rate"))
    .step("first sum", by.instance({t: 1}, "sum q"))
    .step("begin", by.apply(L17, {q1(m): logQ(1, m)}))
    .step("mean begin", by.expectation("begin"))
    .step("balance", le(_value / _chosen + _chosen * _value / (4 * eta**2), Rational(17, 8) * _value / eta),
        by.apply(CHOSEN, {y: _chosen, c: _value}, "under", "over", "log sign", "clients", "value sign"))
    .step("root", by.apply(TUNED, {T: H}))
    .step("own weight", by.instance({i: 1 + _here}, "first weights", "expert", "first expert"))
    .step("weight", by.apply(WEIGHT, {P: logw(1 + _here, 1), e: 1 + _here}, "own weight", "expert", "first expert"))
    .step("mean weight", by.expectation("weight"))
    .qed(
        le(REGRET, Rational(17, 8) * bounds.C7_VALUE.xreplace({T: H}) + _META),
        by.linear(
            {
                "any": 1,
                "mean begin": 1 / _chosen,
                "c3": LAMBDA / _chosen,
                "balance": 1,
                "log sign": beta / _chosen,
                "short": _chosen * bounds.Q**2 / 8 + gamma * bounds.R**2 / 8,
                "best": _chosen / (8 * eta**2),
                "root": Rational(17, 8),
                "mean weight": 1 / gamma,
            },
            "log",
        ),
        name="last",
    )
)

THEOREMS = (FIRST, UNDER, OVER, LAST, CHOSEN, WEIGHT, ANY)
