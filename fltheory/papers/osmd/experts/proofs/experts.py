"""Experts with different rates, weighted by their estimated losses: both steps of the proof of Theorem 8, at any rates.

Expert i plays exp(logpe(i, t, m)) and has the weight exp(logw(i, t)); the sampler plays their mixture exp(logp(t, m)).
"""

from __future__ import annotations

from sympy import Expr, Max, Symbol, exp

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.mirror.proofs.lemmas import BACK, FLOOR, HIGH_AT, SAME, k
from fltheory.papers.osmd.notation import A, K, M, T, alpha, eta, gamma, n_experts
from fltheory.papers.osmd.regret.proofs import paths
from fltheory.papers.osmd.regret.proofs.paths import (ROUNDS, SO_FAR, excess, floors, from_uniform, n, path_bound, sums,
    t)
from fltheory.papers.osmd.regret.proofs.regret import BANDIT, REGRET, both, count, feedback, logP, logQ, unbiased
from fltheory.proof import Given, Relation, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, P, Q, j, lo, m, u, w, whole, x
from fltheory.proof.facts.notation import logp as p1
from fltheory.proof.language import Range
from fltheory.proof.terms import E, Positive, RandomScalar, Scalar, Total, family

PLACE = "proof of Theorem 8"
i, e = (Symbol(name, integer=True, positive=True) for name in "ie")
ALL_EXPERTS = (i, 1, n_experts)
logpe, logw, z, shift = (family(RandomScalar, name) for name in ("logpe", "logw", "z", "c"))
rate = family(Positive, "rate")
R = bounds.R
SLOPE = bounds.Q


def experts(term: Expr) -> Expr:
    """Return the sum over the experts of a term in the index i."""
    return Total(term, i, 1, n_experts)


def weight(now: Expr | int, client: Expr) -> Expr:
    """Return the weight of a client in the estimated losses (6)."""
    return feedback(now, client) * count(now, client) * exp(-logP(now, client)) / K**2


def loss_of(expert: Expr, now: Expr | int) -> Expr:
    """Return the estimated loss of an expert in a round."""
    return whole(weight(now, j) * exp(-logpe(expert, now, j)))


def played(now: Expr | int) -> Expr:
    """Return the estimated loss of the played distribution."""
    return whole(weight(now, j) * exp(-logP(now, j)))


_gain = rate(i) * weight(t, m) * exp(-2 * logpe(i, t, m))
_after = Max(FLOOR, exp(shift(i, t) + logpe(i, t, m) + _gain))
START = Given("start", eq(exp(logpe(i, 1, m)), 1 / M, ALL_EXPERTS, EACH),
    "every expert begins with the uniform distribution")
NEXT = Given("next", eq(exp(logpe(i, t + 1, m)), _after, ROUNDS, ALL_EXPERTS, EACH), "Algorithm 2 at the expert's rate")
SUM_E = Given("sum e", eq(whole(exp(logpe(i, t, j))), 1, (t, 1, T + 1), ALL_EXPERTS), "probabilities")
MIXTURE = Given("mixture", eq(exp(logP(t, m)), experts(exp(logw(i, t)) * exp(logpe(i, t, m))), ROUNDS, EACH),
    "the mixture is played")
WEIGHTS = Given("weights", eq(experts(exp(logw(i, t))), 1, (t, 1, T + 1)), "the weights add up to 1")
REWEIGHTED = Given("reweighted",
    eq(exp(logw(i, t + 1)), exp(logw(i, t) - gamma * loss_of(i, t) - z(t)), ROUNDS, ALL_EXPERTS),
    "exponential weights, and e^z(t) the sum that they are divided by")
DRAWS = Given("draws", eq(whole(count(t, j)), K, ROUNDS), "K clients are drawn, with replacement")
FED = Given("fed", le(feedback(t, m), A, ROUNDS, EACH), "A5: no feedback is above A")
COUNTS = next(h for h in BANDIT if h.id == "counts")
ONE = Given("expert", le(e, n_experts), "one of the experts")
_FLOORED = le(FLOOR, exp(logpe(i, t, m)), (t, 1, T + 1), ALL_EXPERTS, EACH)
FLOORED = Given("floor e", _FLOORED, "experts stay on the floored simplex")

STAYS = (
    proof("osmd/experts-stay", PLACE).under(START, NEXT)
    .given("alpha", le(alpha, 1), "a share")
    .step("0", le(FLOOR, exp(logpe(i, 1, m)), ALL_EXPERTS, EACH), by.linear("start", "alpha"))
    .step("top", by.apply(paths.TOP, {P: shift(i, t) + logpe(i, t, m) + _gain}), over=(ROUNDS, ALL_EXPERTS, EACH))
    .step("1", le(FLOOR, exp(logpe(i, t + 1, m)), ROUNDS, ALL_EXPERTS, EACH), by.linear("top", "next"))
    .qed(_FLOORED, by.induction(t, "0", "1"))
)

pair = family(Scalar, "s")
SWAP = proof("osmd/swap", PLACE, note="finite sums commute").qed(
    eq(experts(whole(pair(i, j))), whole(experts(pair(i, j)))), by.linear())

# The played distribution keeps the floor too, and bounds the slopes and the range of the losses -----------------------

BOUNDS = (
    line("mass", le(experts(exp(logw(i, t)) * FLOOR), experts(exp(logw(i, t)) * exp(logpe(i, t, m))), ROUNDS, EACH),
        by.sum_over(i, "floor e now", weight=exp(logw(i, t)))),
    line("floor p", le(FLOOR, exp(logP(t, m)), ROUNDS, EACH), by.linear("mass", "weights", "mixture")),
    line("inverse p", le(exp(-logP(t, m)), M / alpha, ROUNDS, EACH), by.linear("floor p")),
    line("inverse e", le(exp(-logpe(i, t, m)), M / alpha, ROUNDS, ALL_EXPERTS, EACH), by.linear("floor e now")),
)
_NOW = line("floor e now", le(FLOOR, exp(logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), by.linear("floor e"))

# The second step: exponential weights ------------------------------------------------------------------------------------

_average = experts(exp(logw(i, t)) * loss_of(i, t))
_term = weight(t, j) * exp(-logpe(i, t, j))
_swapped = whole(weight(t, j) * experts(exp(logw(i, t)) * exp(-logpe(i, t, j))))
_EXPONENT = -gamma * _average + (gamma * R) ** 2 / 8
_mgf = experts(exp(logw(i, t)) * exp(-gamma * loss_of(i, t)))
_range = (
    line("piece",
        le(weight(t, m) * exp(-logpe(i, t, m)), A * (M / alpha) ** 2 * count(t, m) / K**2, ROUNDS, ALL_EXPERTS, EACH),
        by.linear("fed", "inverse p", "inverse e")),
    line("pieces", le(loss_of(i, t), A * (M / alpha) ** 2 * whole(count(t, j)) / K**2, ROUNDS, ALL_EXPERTS),
        by.sum_over(m, "piece")),
    line("high", le(loss_of(i, t), R, ROUNDS, ALL_EXPERTS), by.linear("pieces", "draws"),
        note="the range of the estimated losses"),
    line("sign", le(0, weight(t, m) * exp(-logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), by.linear()),
    line("low", le(0, loss_of(i, t), ROUNDS, ALL_EXPERTS), by.sum_over(m, "sign")),
    line("below", le(-gamma * R, -gamma * loss_of(m, t), ROUNDS, (m, 1, n_experts)), by.linear("high m")),
    line("above", le(-gamma * loss_of(m, t), 0, ROUNDS, (m, 1, n_experts)), by.linear("low m")),
)
_RANGE = (
    *_range[:5],
    line("high m", le(loss_of(m, t), R, ROUNDS, (m, 1, n_experts)), by.instance({i: m}, "high")),
    line("low m", le(0, loss_of(m, t), ROUNDS, (m, 1, n_experts)), by.instance({i: m}, "low")),
    *_range[5:],
)


def so_far(last: Expr | int, *over: Range) -> Relation:
    """State the regret to expert e up to a round, by the weights."""
    left = gamma * Total(played(t), t, 1, last)
    right = gamma * Total(loss_of(e, t), t, 1, last) + logw(e, last + 1) - logw(e, 1) + last * (gamma * R) ** 2 / 8
    return le(left, right, *over)


def one_round(expert: Expr, now: Expr | int, *over: Range) -> Relation:
    """State the regret to an expert in a round."""
    right = gamma * loss_of(expert, now) + logw(expert, now + 1) - logw(expert, now) + (gamma * R) ** 2 / 8
    return le(gamma * played(now), right, *over)


_META = le(Total(played(t), t, 1, n) - Total(loss_of(e, t), t, 1, n), n * gamma * R**2 / 8 - logw(e, 1) / gamma, SO_FAR)
META = (
    proof("osmd/60", "(60)",
        note="on every path and after any number of rounds, with gamma R^2/8 where the paper has gamma R/8")
    .under(MIXTURE, WEIGHTS, REWEIGHTED, DRAWS, FED, FLOORED, ONE)
    .steps(_NOW, *BOUNDS, *_RANGE)
    .step("mixed", eq(Total(exp(logw(j, t)), j, 1, n_experts), 1, ROUNDS), by.linear("weights"))
    .step("hoeffding", le(_mgf, exp(_EXPONENT), ROUNDS),
        by.apply(paths.L18,
            {M: n_experts, w(m): exp(logw(m, t)), u(m): -gamma * loss_of(m, t), lo: -gamma * R, x: gamma * R}),
        note="Hoeffding's lemma with the range R: gamma^2 R^2/8")
    .step("product",
        eq(exp(logw(i, t + 1)), exp(logw(i, t)) * exp(-gamma * loss_of(i, t)) * exp(-z(t)), ROUNDS, ALL_EXPERTS),
        by.linear("reweighted"))
    .step("sum", eq(experts(exp(logw(i, t + 1))), _mgf * exp(-z(t)), ROUNDS), by.sum_over(i, "product"))
    .step("then", by.instance({t: t + 1}, "weights"), over=ROUNDS)
    .step("normaliser", le(exp(z(t)), exp(_EXPONENT), ROUNDS), by.linear("hoeffding", "sum", "then"))
    .step("z", by.apply(BACK, {P: z(t), Q: _EXPONENT}))
    .step("logs", by.apply(SAME, {P: logw(i, t + 1), Q: logw(i, t) - gamma * loss_of(i, t) - z(t)}))
    .step("convex", by.apply(paths.CONVEX, {paths.a: exp(-logP(t, m)), paths.b: exp(-logpe(i, t, m))}),
        over=(ROUNDS, ALL_EXPERTS, EACH))
    .step("convexity", by.sum_over(i, "convex", weight=exp(logw(i, t))))
    .step("jensen", le(exp(-logP(t, m)), experts(exp(logw(i, t)) * exp(-logpe(i, t, m))), ROUNDS, EACH),
        by.linear("convexity", "mixture", "weights"), note="Jensen's inequality")
    .step("clients", le(played(t), _swapped, ROUNDS), by.sum_over(m, "jensen", weight=weight(t, m)))
    .step("swap", eq(_average, _swapped, ROUNDS), by.apply(SWAP, {pair(i, j): exp(logw(i, t)) * _term}))
    .step("played", le(played(t), _average, ROUNDS), by.linear("clients", "swap"))
    .step("round", one_round(i, t, ROUNDS, ALL_EXPERTS), by.linear("played", "z", "logs"))
    .step("round e", by.instance({i: e}, "round", "expert"))
    .step("first", by.instance({t: 1}, "round e"))
    .step("base", so_far(1), by.linear("first"))
    .step("next round", one_round(e, n + 1, (n, 1, T - 1)), by.instance({t: n + 1}, "round e"))
    .step("more", so_far(n + 1, (n, 1, T - 1)), by.linear("next round"), assuming=so_far(n))
    .step("potential", so_far(n, SO_FAR), by.induction(n, "base", "more"))
    .step("last weights", eq(Total(exp(logw(j, n + 1)), j, 1, n_experts), 1, SO_FAR),
        by.instance({t: n + 1}, "weights"))
    .step("weight", by.apply(HIGH_AT, {M: n_experts, k: e, p1(m): logw(m, n + 1)}))
    .qed(_META, by.linear("potential", "weight"), name="last")
)

# The first step: one expert against the comparator ------------------------------------------------------------------------------

_START = from_uniform(logQ)
_LIMIT = path_bound(logQ, lambda now: SLOPE, n, _START).xreplace({eta: rate(e)})
_slope = weight(t, m) * exp(-2 * logpe(i, t, m))
OTHERS = (sums("sum q", logQ, T), floors(logQ))
EXPERT = (
    proof("osmd/61", "(61)").under(START, NEXT, SUM_E, MIXTURE, WEIGHTS, COUNTS, FED, FLOORED, ONE, *OTHERS)
    .steps(_NOW, *BOUNDS)
    .step("zero", le(0, exp(-logpe(i, t, m)), ROUNDS, ALL_EXPERTS, EACH), by.linear())
    .step("squared", by.power(2, "zero", "inverse e"))
    .step("slope", le(_slope, SLOPE, ROUNDS, ALL_EXPERTS, EACH), by.linear("fed", "counts", "inverse p", "squared"),
        note="p_e^2 p >= (alpha/M)^3")
    .step("start now", by.instance({i: e}, "start", "expert"))
    .step("sum now", by.instance({i: e}, "sum e", "expert"))
    .step("next now", by.instance({i: e}, "next", "expert"))
    .step("slope now", by.instance({i: e}, "slope", "expert"))
    .qed(
        le(excess(weight, lambda now, client: logpe(e, now, client), logQ, n), _LIMIT, SO_FAR),
        by.apply(
            paths.PATH,
            {
                paths.v(t, m): weight(t, m),
                paths.logp(t, m): logpe(e, t, m),
                paths.logq(t, m): logQ(t, m),
                paths.shift(t): shift(e, t),
                paths.top(t): SLOPE,
                eta: rate(e),
            },
            "start now",
            "sum now",
            "next now",
            "slope now",
            "sum q",
            "floor",
        ),
        name="last",
        note="Proposition 13 on a path",
    )
)

# Both, in expectation --------------------------------------------------------------------------------------------------------

PATH_LIMIT = path_bound(logQ, lambda now: SLOPE, T, _START).xreplace({eta: rate(e)})
_meta = T * gamma * R**2 / 8 - logw(e, 1) / gamma
MEAN_P = BANDIT[-1]
AT_ANY_RATES = (
    proof("osmd/T8-any-rates", PLACE, note="for any expert, any rates and any meta rate")
    .under(START, NEXT, SUM_E, MIXTURE, WEIGHTS, REWEIGHTED, DRAWS, COUNTS, FED, ONE, *OTHERS, MEAN_P, unbiased(logQ))
    .given("alpha", le(alpha, 1), "a share")
    .step("floor e", by.apply(STAYS))
    .step("61", by.apply(EXPERT))
    .step("60", by.apply(META))
    .step("first", by.instance({n: T}, "61"))
    .step("second", by.instance({n: T}, "60"))
    .step("mean first", by.expectation("first"))
    .step("mean second", by.expectation("second"))
    .step("own", eq(*both(logP)), by.sum_over((m, t), "mean p"))
    .step("other", eq(*both(logQ)), by.sum_over((m, t), "mean q"))
    .qed(le(REGRET, E(PATH_LIMIT) + E(_meta)), by.linear("mean first", "mean second", "own", "other"), name="last")
)

THEOREMS = (STAYS, SWAP, META, EXPERT, AT_ANY_RATES)
