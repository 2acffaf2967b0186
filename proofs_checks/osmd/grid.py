"""Theorem 8 with its second term corrected: the grid of rates (22), (23) covers the best one, and the meta rate is balanced.

``horizon`` is what the rates are made for; no more rounds than that are played, and in Theorem 8 just as many.
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, exp, floor, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import TV, M, T, beta, eta, gamma, n_experts
from fltheory.proof.language import Apply, Combine, Expected, Given, Instance, Known, Step, Theorem, eq, le, lt, stated
from fltheory.proof.terms import E
from proofs_checks.osmd.experts import ALL_EXPERTS, AT_ANY_RATES, e, i, logw, rate
from proofs_checks.osmd.lemmas import LAMBDA, P, Q, j, m, whole
from proofs_checks.osmd.lemmas import logq as q1
from proofs_checks.osmd.paths import from_uniform, t, total_move
from proofs_checks.osmd.regret import REGRET, logQ
from proofs_checks.osmd.theorem6 import LOG

PLACE = "proof of Theorem 8"
H = Symbol("horizon", integer=True, positive=True)
ratio, eta1, y, c = (Symbol(name, positive=True) for name in ("ratio", "eta1", "y", "c"))
b = Symbol("b", nonnegative=True)
LOG2 = log(Integer(2))

# The grid covers -----------------------------------------------------------------------------------------------------------

_g = log(ratio) / LOG2
_floor = floor(_g)
ABOVE_ONE = Given("one", le(1, ratio), "the best rate is at least the least one")
_LOG = (
    Step("tangent", le(1 - log(ratio), exp(-log(ratio))), Known("exp", -log(ratio))),
    Step("log", le(0, log(ratio)), Combine({"tangent": 1, "one": 1 / ratio}), ("tangent", "one")),
    Step("steps", le(0, _g), Combine({"log": 1 / LOG2}), ("log",)),
)
_FIRST = le(0, _floor)
FIRST = Theorem(
    "osmd/grid-first", _FIRST, (ABOVE_ONE,), (*_LOG, Step("1", _FIRST, Known("floor", _g), ("steps",))), place="(22)"
)
_UNDER = le(exp(_floor * LOG2), ratio)
UNDER = Theorem(
    "osmd/grid-under",
    _UNDER,
    (),
    (
        Step("floor", le(_floor, _g), Known("floor", _g)),
        Step("order", le(_floor * LOG2, log(ratio)), Combine({"floor": LOG2}), ("floor",)),
        Step("1", _UNDER, Apply("osmd/exp", {P: _floor * LOG2, Q: log(ratio)}), ("order",)),
    ),
    place="(22)",
    note="the rate chosen is at most the best one",
)
_OVER = le(ratio, 2 * exp(_floor * LOG2))
OVER = Theorem(
    "osmd/grid-over",
    _OVER,
    (),
    (
        Step("floor", lt(_g, _floor + 1), Known("floor", _g)),
        Step("order", le(log(ratio), (_floor + 1) * LOG2), Combine({"floor": LOG2}), ("floor",)),
        Step(
            "exp",
            le(ratio, exp((_floor + 1) * LOG2)),
            Apply("osmd/exp", {P: log(ratio), Q: (_floor + 1) * LOG2}),
            ("order",),
        ),
        Step("1", _OVER, Combine(), ("exp",)),
    ),
    place="(22)",
    note="and at least half of it",
)
_size = log(1 + b) / (2 * LOG2)
_LAST = le(1 + _floor, 1 - floor(-_size))
LAST = Theorem(
    "osmd/grid-last",
    _LAST,
    (Given("square", le(ratio**2, 1 + b), "how far the best rate can be"),),
    (
        Step("log", le(2 * log(ratio), log(1 + b)), Apply("osmd/log", {P: 2 * log(ratio), Q: log(1 + b)}), ("square",)),
        Step("floor", le(_floor, _g), Known("floor", _g)),
        Step("ceiling", le(floor(-_size), -_size), Known("floor", -_size)),
        Step("1", _LAST, Combine({"floor": 1, "ceiling": 1, "log": 1 / (2 * LOG2)}), ("floor", "ceiling", "log")),
    ),
    place="(23)",
    note="there are enough rates",
)

_CHOSEN = le(c / y + y * c / (4 * eta**2), Rational(17, 8) * c / eta)
CHOSEN = Theorem(
    "osmd/grid-rate",
    _CHOSEN,
    (Given("under", le(y, eta), "the rate chosen"), Given("over", le(eta, 2 * y), "and the best one")),
    (
        Step("more", le(0, 8 * eta - y), Combine(), ("under",)),
        Step("1", _CHOSEN, Combine({"over": (8 * eta - y) * c / (8 * y * eta**2)}), ("over", "more")),
    ),
    place=PLACE,
    note="17/8 where the paper has 3",
)
_first_weight = (1 + 1 / n_experts) / (e * (e + 1))
_WEIGHT = le(-2 * log(n_experts), P)
WEIGHT = Theorem(
    "osmd/first-weight",
    _WEIGHT,
    (
        Given("weight", eq(exp(P), _first_weight), "its first weight"),
        Given("expert", le(e, n_experts), "one of the experts"),
    ),
    (
        Step(
            "1",
            le(1 / n_experts**2, _first_weight),
            Combine({"expert": (n_experts + e + 1) / (n_experts**2 * e * (e + 1))}),
            ("expert",),
        ),
        Step("2", le(1 / n_experts**2, exp(P)), Combine({"1": 1, "weight": -1}), ("1", "weight")),
        Step("3", _WEIGHT, Apply("osmd/log", {P: -2 * log(n_experts), Q: P}), ("2",)),
    ),
    place=PLACE,
    note="no expert begins with less than 1/E^2",
)

# At the grid (22), with any meta rate -------------------------------------------------------------------------------------------

_b = beta * LAMBDA
_value = log(M) + 2 * _b
_ETA = bounds.ETA.xreplace({T: H})
_EXPERTS_H = bounds.EXPERTS.xreplace({T: H})
GRID = (
    Given("grid", eq(rate(i), eta1 * exp((i - 1) * LOG2), ALL_EXPERTS), "(22): each rate is twice the one before"),
    Given("least rate", eq(eta1, sqrt(2 * log(M) / H) / bounds.Q), "(22): the least rate"),
    Given("first weights", eq(exp(logw(i, 1)), (1 + 1 / n_experts) / (i * (i + 1)), ALL_EXPERTS), "Algorithm 5"),
    Given("experts", eq(n_experts, _EXPERTS_H), "(23)"),
    Given("star", eq(eta, _ETA), "the rate (20), which nobody need know"),
    Given("short", le(T, H), "no more rounds are played than the rates are made for"),
)
_STATED, CONDITIONS = stated(bounds.T8_CORRECTED, REGRET, {TV: E(total_move(logQ, T))})
BUDGET = Given("budget", le(beta, 2 * (H - 1)), "no sequence of H distributions moves more")
_C7 = bounds.C7_VALUE.xreplace({T: H})
_META = gamma * H * bounds.R**2 / 8 + 2 * log(n_experts) / gamma
_ANY = le(REGRET, Rational(17, 8) * _C7 + _META)
_rho = eta / eta1
_here = floor(log(_rho) / LOG2)
_own = tuple(h for h in AT_ANY_RATES.hypotheses if h.id not in ("expert", "alpha"))
_own_ids = tuple(h.id for h in _own)
_w = 1 / (bounds.Q**2 * H)
_start = from_uniform(logQ)
_chosen = rate(1 + _here)
_at = AT_ANY_RATES.statement.at({e: 1 + _here})
_first = (log(M) + _b) / _chosen + _chosen * bounds.Q**2 * T / 8
ANY = Theorem(
    "osmd/T8-any-meta-rate",
    _ANY,
    (*_own, *GRID, BUDGET, *CONDITIONS),
    (
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step(
            "best",
            eq(eta**2 * bounds.Q**2 * H, 2 * _value),
            Combine({"star": (eta + _ETA) * bounds.Q**2 * H}),
            ("star",),
        ),
        Step(
            "least",
            eq(eta1**2 * bounds.Q**2 * H, 2 * log(M)),
            Combine({"least rate": (eta1 + sqrt(2 * log(M) / H) / bounds.Q) * bounds.Q**2 * H}),
            ("least rate",),
        ),
        Step(
            "squares",
            le(eta1**2, eta**2),
            Combine({"best": -_w, "least": _w, "log sign": 4 * beta * _w}),
            ("best", "least", "log sign"),
        ),
        Step("order", le(eta1, eta), Combine({"squares": 1 / (eta + eta1)}), ("squares",)),
        Step("above one", le(1, _rho), Combine({"order": 1 / eta1}), ("order",)),
        Step(
            "far",
            le(eta**2 * log(M), eta1**2 * (log(M) + 4 * LAMBDA * (H - 1))),
            Combine(
                {
                    "best": log(M) * _w,
                    "least": -(log(M) + 4 * LAMBDA * (H - 1)) * _w,
                    "budget": 4 * log(M) * _w * LAMBDA,
                }
            ),
            ("best", "least", "budget", "log sign"),
        ),
        Step(
            "ratio",
            le(_rho**2, 1 + 4 * LAMBDA / log(M) * (H - 1)),
            Combine({"far": 1 / (eta1**2 * log(M))}),
            ("far", "clients"),
        ),
        Step("value sign", lt(0, _value), Combine({"clients": 1, "log sign": 2 * beta}), ("clients", "log sign")),
        Step("first expert", le(0, _here), Apply("osmd/grid-first", {ratio: _rho}), ("above one",)),
        Step(
            "spread",
            le(0, 4 * LAMBDA / log(M) * (H - 1)),
            Combine({"log sign": 4 / log(M) * (H - 1)}),
            ("log sign", "clients"),
        ),
        Step(
            "last expert",
            le(1 + _here, _EXPERTS_H),
            Apply("osmd/grid-last", {ratio: _rho, b: 4 * LAMBDA / log(M) * (H - 1)}),
            ("ratio", "spread"),
        ),
        Step(
            "expert", le(1 + _here, n_experts), Combine({"last expert": 1, "experts": -1}), ("last expert", "experts")
        ),
        Step("any", _at, Apply("osmd/T8-any-rates", {e: 1 + _here}), (*_own_ids, "c1", "expert", "first expert")),
        Step(
            "rate", eq(_chosen, eta1 * exp(_here * LOG2)), Instance({i: 1 + _here}), ("grid", "expert", "first expert")
        ),
        Step("grid under", le(exp(_here * LOG2), _rho), Apply("osmd/grid-under", {ratio: _rho})),
        Step("grid over", le(_rho, 2 * exp(_here * LOG2)), Apply("osmd/grid-over", {ratio: _rho})),
        Step("under", le(_chosen, eta), Combine({"grid under": eta1, "rate": 1}), ("grid under", "rate")),
        Step("over", le(eta, 2 * _chosen), Combine({"grid over": eta1, "rate": -2}), ("grid over", "rate")),
        Step("first sum", eq(whole(exp(logQ(1, j))), 1), Instance({t: 1}), ("sum q",)),
        Step("begin", le(_start, log(M)), Apply("osmd/L17", {q1(m): logQ(1, m)}), ("first sum",)),
        Step("mean begin", le(E(_start), log(M)), Expected(), ("begin",)),
        Step(
            "balance",
            le(_value / _chosen + _chosen * _value / (4 * eta**2), Rational(17, 8) * _value / eta),
            Apply("osmd/grid-rate", {y: _chosen, c: _value}),
            ("under", "over", "log sign", "clients", "value sign"),
        ),
        Step("root", le(_value / eta, _C7), Apply("osmd/C7-rate", {T: H}), ("star", "c1")),
        Step(
            "own weight",
            eq(exp(logw(1 + _here, 1)), _first_weight.xreplace({e: 1 + _here})),
            Instance({i: 1 + _here}),
            ("first weights", "expert", "first expert"),
        ),
        Step(
            "weight",
            le(-2 * log(n_experts), logw(1 + _here, 1)),
            Apply("osmd/first-weight", {P: logw(1 + _here, 1), e: 1 + _here}),
            ("own weight", "expert", "first expert"),
        ),
        Step("mean weight", le(-2 * log(n_experts), E(logw(1 + _here, 1))), Expected(), ("weight",)),
        Step(
            "last",
            _ANY,
            Combine(
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
                }
            ),
            ("any", "mean begin", "c3", "balance", "log sign", "short", "best", "root", "mean weight", "log"),
        ),
    ),
    place="Theorem 8",
    note="with any meta rate",
)

THEOREMS = (FIRST, UNDER, OVER, LAST, CHOSEN, WEIGHT, ANY)
