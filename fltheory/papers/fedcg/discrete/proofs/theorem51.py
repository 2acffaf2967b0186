"""Theorem 5.1: the greedy algorithm with exact marginals, and with random answers if no estimate fails (S6).

``value(t)`` is F(S_t), ``best(t)`` the largest gain F(e|S_t) of an allowed item, ``gained(t)`` that of the chosen one.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol, exp

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.discrete import bounds as bounds_discrete
from fltheory.papers.fedcg.discrete.proofs import greedy as scalars
from fltheory.papers.fedcg.discrete.proofs.greedy import one
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import OPT, eps, kappa, m_F, n, r
from fltheory.proof import Given, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Nonnegative, Scalar, Total, family

t, c = algebra.t, algebra.c
ROUNDS = (t, 0, r - 1)
value, best = (family(Nonnegative, name) for name in ("F", "G"))
chosen, rival = (family(Scalar, name) for name in ("X_chosen", "X_best"))  # estimates
level = Symbol("level", nonnegative=True)  # l: each of the 2 r n estimates fails with probability exp(-l)
MASS = m_F * level / kappa
PLACE = "Theorem 5.1"


def gained(now: Expr) -> Expr:
    """Return the gain of the chosen item."""
    return value(now + 1) - value(now)


START = Given("start", eq(value(0), 0), "f(0) = 0")
UNIFORM = Given("uniform", le(OPT - value(t), r * best(t), ROUNDS),
    "r items of the optimum would close the gap, each by at most G")
MATROID = Given("exchange", le(OPT, value(r) + Total(best(t), t, 0, r - 1)),
    "basis exchange: o_t would have fitted in round t")

# Greedy with exact marginals ---------------------------------------------------------------------------------------------

EXACT = Given("greedy", le(best(t), gained(t), ROUNDS), "the item of the largest gain is chosen")
_LEFT = 1 - 1 / r


def missing(now: Expr | int) -> Expr:
    """Return the gap to the optimum before a round."""
    return OPT - value(now)


k = Symbol("k", integer=True, nonnegative=True)
ITEMS, joined, ended = (k, 0, r - 1), family(Nonnegative, "U"), family(Nonnegative, "W")
JOINED = (
    Given("none yet", eq(joined(t, 0), value(t), ROUNDS),
        "U(t, k): the value of round t's set with k items of the optimum"),
    Given("item", le(joined(t, k + 1), joined(t, k) + best(t), ROUNDS, ITEMS),
        "F is submodular: an item adds no more to a larger set than to round t's, to which none adds more than G"),
    Given("reached", le(OPT, joined(t, r), ROUNDS), "F is monotone, and the optimum has r items"),
)
_SO_MANY = le(joined(t, k), joined(t, 0) + k * best(t))
GAP = (
    proof("fedcg/greedy-gap", "Section 2",
        note="r items of the optimum would close the gap, each by at most the largest gain")
    .under(*JOINED)
    .step("no item", le(joined(t, 0), joined(t, 0) + 0 * best(t), ROUNDS), by.linear())
    .step("one more", le(joined(t, k + 1), joined(t, 0) + (k + 1) * best(t), ROUNDS, ITEMS), by.linear("item"),
        assuming=_SO_MANY)
    .step("so many", le(_SO_MANY.left, _SO_MANY.right, ROUNDS, (k, 0, r)), by.induction(k, "no item", "one more"))
    .step("all items", by.instance({k: r}, "so many"))
    .qed(UNIFORM.relation, by.linear("all items", "none yet", "reached"))
)
GAP_STEP = line("uniform", UNIFORM.relation, by.apply(GAP, *(h.id for h in JOINED)))
NWF_UNIFORM = (
    proof("fedcg/NWF-uniform", "Section 2", of="fedcg/NWF-uniform@printed", bound=bounds_discrete.NWF_UNIFORM,
        note="greedy for a cardinality constraint")
    .under(EXACT, *JOINED, START)
    .steps(GAP_STEP)
    .step("each", le(missing(t + 1), _LEFT * missing(t) + 0, ROUNDS), by.linear("greedy", "uniform"))
    .step("factor", le(0, _LEFT), by.linear())
    .step("all", le(missing(r), _LEFT**r * missing(0)),
        by.apply(algebra.RECURSION,
            {algebra.a(t): missing(t), algebra.b(t): Integer(0), algebra.q: _LEFT, algebra.T: r}, "each", "factor"))
    .qed(statement_of(bounds_discrete.NWF_UNIFORM, value(r))[0], by.linear("all", "start"))
)
_GAINS = Total(gained(t), t, 0, r - 1)
SUMMED = (
    line("own", eq(value(t + 1), 1 * value(t) + gained(t), ROUNDS), by.linear()),
    line("own low", le(-value(t + 1), 1 * -value(t) - gained(t), ROUNDS), by.linear("own")),
    line("sum", le(-value(r), -value(0) - _GAINS),
        by.apply(algebra.RECURSION, {algebra.a(t): -value(t), algebra.b(t): -gained(t), algebra.q: 1, algebra.T: r},
            "own low")),
)
EXCHANGED = (
    Given("none yet", eq(ended(0), value(r)), "W(k): the value of the last set with k items of the optimum"),
    Given("item", le(ended(t + 1), ended(t) + best(t), ROUNDS),
        "basis exchange: in some order item t would have fitted in round t; F is submodular, and none added more than G"),
    Given("reached", le(OPT, ended(r)), "F is monotone, and a base has r items"),
)
EXCHANGE = (
    proof("fedcg/greedy-exchange", "Section 2",
        note="the optimum adds no more to the last set than the largest gains of all rounds")
    .under(*EXCHANGED)
    .step("rises", le(ended(t + 1), 1 * ended(t) + best(t), ROUNDS), by.linear("item"))
    .step("all items",
        by.apply(algebra.RECURSION, {algebra.a(t): ended(t), algebra.b(t): best(t), algebra.q: 1, algebra.T: r}))
    .qed(MATROID.relation, by.linear("all items", "none yet", "reached"))
)
EXCHANGE_STEP = line("exchange", MATROID.relation, by.apply(EXCHANGE, *(h.id for h in EXCHANGED)))
NWF_MATROID = (
    proof("fedcg/NWF-matroid", "Section 2", of="fedcg/NWF-matroid@printed", bound=bounds_discrete.NWF_MATROID,
        note="greedy for a matroid")
    .under(EXACT, *EXCHANGED, START)
    .steps(EXCHANGE_STEP)
    .step("gains", by.sum_over(t, "greedy"))
    .steps(*SUMMED)
    .qed(statement_of(bounds_discrete.NWF_MATROID, value(r))[0], by.linear("gains", "sum", "exchange", "start"))
)

# S6: a round -------------------------------------------------------------------------------------------------------------

OFF = one * best(t) / 2 + 4 * MASS / (3 * one)
BERNSTEIN = (
    Given("rival", le(best(t) - rival(t), OFF, ROUNDS),
        "Bernstein's inequality, once for all 2 r n tails: the best item's estimate"),
    Given("picked", le(chosen(t) - gained(t), OFF, ROUNDS), "and the chosen one's, with F(e|S) <= G and F(e) <= m_F"),
    Given("chosen", le(rival(t), chosen(t), ROUNDS), "the item of the largest estimate is chosen"),
    Given("level", le(one, 1), "eps_1 <= 1"),
)
LOST = 8 * MASS / (3 * one)
ROUND = (
    proof("fedcg/S6-round", PLACE, note="the chosen item is nearly the best, where no estimate of the round fails")
    .under(*BERNSTEIN[:3])
    .qed(le((1 - one) * best(t) - LOST, gained(t), ROUNDS), by.linear("rival", "picked", "chosen"))
)

# S6: all rounds, uniform matroid --------------------------------------------------------------------------------------------

_KEPT = 1 - (1 - one) / r
SIZE = Given("optimum", le(m_F, OPT), "a single item is feasible")
_UNROLLED = le(OPT - value(r), exp(-1) * (1 + (exp(1) - 1) * one) * OPT + r * LOST)
SIGN = line("one", le(0, one), by.linear())
UNIFORM_ROUNDS = (
    proof("fedcg/S6-uniform-rounds", PLACE, note="the recursion of greedy, with the loss of every round")
    .under(*BERNSTEIN, UNIFORM, START)
    .step("round", by.apply(ROUND))
    .step("each", le(missing(t + 1), _KEPT * missing(t) + LOST, ROUNDS), by.linear("round", "uniform", "level"))
    .step("spare", le(0, (1 - one) / r), by.linear("level"))
    .step("low", le(_KEPT, 1), by.linear("spare"))
    .step("factor", le(0, _KEPT), by.linear(), note="1 - 1/r + eps_1/r")
    .step("all",
        by.apply(algebra.RECURSION, {algebra.a(t): missing(t), algebra.b(t): LOST, algebra.q: _KEPT, algebra.T: r},
            "each", "factor"))
    .step("weight", by.apply(algebra.AT_MOST_ONE, {algebra.q: _KEPT, algebra.c: r - 1 - t}, "factor", "low"),
        over=ROUNDS)
    .step("weights", le(algebra.weighted(lambda now: Integer(1), r, _KEPT), r), by.sum_over(t, "weight"))
    .step("tangent", le(_KEPT, exp(-(1 - one) / r)), by.fact("exp", -(1 - one) / r))
    .step("power", by.power(r, "factor", "tangent"))
    .step("chord", by.apply(scalars.CHORD, {scalars.part: one}))
    .qed(_UNROLLED, by.linear("all", "start", "weights", "power", "chord"))
)
_S6_UNIFORM, (_BELOW, _SCALE) = statement_of(bounds_discrete.S6_UNIFORM, value(r))
LOG = bounds.LOG
_SHARE = 1 - exp(-1)
EPS_UNIFORM = eps / (2 * _SHARE)


def at_level(share: Expr) -> tuple[Given, ...]:
    """Assume that no estimate fails, at the level of the union and this eps_1."""
    return tuple(Given(h.id, h.relation.at({level: LOG, one: share}), h.why) for h in BERNSTEIN[:2])


CHOSEN = BERNSTEIN[2]
S6_UNIFORM = (
    proof("fedcg/S6-uniform-outcome", PLACE,
        note="1 - 1/e - eps with fresh coins, for every outcome where no estimate fails")
    .under(*at_level(EPS_UNIFORM), CHOSEN, *JOINED, START, SIZE, _BELOW, _SCALE)
    .steps(GAP_STEP)
    .step("two", by.fact("exp", 1))
    .step("half", le(Rational(1, 2), _SHARE), by.linear("two"))
    .step("share", lt(0, _SHARE), by.linear("half"))
    .step("level", le(EPS_UNIFORM, 1), by.linear("half", "c1", "two"))
    .step("log", le(0, LOG), by.apply("fedcg/log-size"))
    .step("rounds",
        by.apply(UNIFORM_ROUNDS, {one: EPS_UNIFORM, level: LOG}, "rival", "picked", "chosen", "level", "uniform",
            "start", "share", "log", "two"))
    .step("scale", le(20 * _SHARE * r * m_F * LOG / (3 * kappa * eps), eps * m_F / 2), by.linear("c2"))
    .step("logs", le(0, _SHARE * LOG), by.linear("log", "half"))
    .qed(_S6_UNIFORM, by.linear(rounds=1, scale=1, optimum=eps / 2, logs=4 * r * m_F / (3 * kappa * eps)))
)

# S6: all rounds, any matroid ---------------------------------------------------------------------------------------------------

_S6_MATROID, (_BELOW_M, _SCALE_M) = statement_of(bounds_discrete.S6_MATROID, value(r))
_LOST_EPS = LOST.subs({one: eps, level: LOG})
S6_MATROID = (
    proof("fedcg/S6-matroid-outcome", PLACE,
        note="1/2 - eps with fresh coins for a matroid, for every outcome where no estimate fails")
    .under(*at_level(eps), CHOSEN, *EXCHANGED, START, SIZE, _BELOW_M, _SCALE_M)
    .steps(EXCHANGE_STEP)
    .step("level", le(eps, 1), by.linear("c1"))
    .step("log", le(0, LOG), by.apply("fedcg/log-size"))
    .step("round", by.apply(ROUND, {one: eps, level: LOG}, "rival", "picked", "chosen", "log"))
    .step("gains", le((1 - eps) * Total(best(t), t, 0, r - 1) - r * _LOST_EPS, _GAINS), by.sum_over(t, "round"))
    .steps(*SUMMED)
    .step("both", le((1 - eps) * OPT - r * _LOST_EPS, (2 - eps) * value(r)),
        by.linear("gains", "sum", "start", "exchange", "level"))
    .step("scale", le(r * _LOST_EPS, eps * m_F / 2), by.linear("c2", "log"))
    .step("whole", le((Rational(1, 2) - eps) * (2 - eps) * OPT, (2 - eps) * value(r)),
        by.linear("both", "scale", "optimum", "level"))
    .qed(_S6_MATROID, by.linear({"whole": 1 / (2 - eps)}, "level"))
)
UNION = proof("fedcg/S6-union", PLACE, note="all 2 r n tails together").qed(eq(2 * r * n * exp(-LOG), 1 / n),
    by.linear())
LOG_SIZE = proof("fedcg/log-size", PLACE).step("tangent", by.fact("exp", -LOG)).qed(le(0, LOG), by.linear("tangent"))

THEOREMS = (GAP, NWF_UNIFORM, EXCHANGE, NWF_MATROID, ROUND, UNIFORM_ROUNDS, UNION, LOG_SIZE, S6_UNIFORM, S6_MATROID)
