"""Theorem 5.1: the greedy algorithm with exact marginals, with fresh random answers (S6), with answers thrown once (S7).

``value(t)`` is F(S_t), ``best(t)`` the largest gain F(e|S_t) of an item that fits, ``gained(t)`` the gain of the chosen one.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol, exp, log, sqrt

from fltheory.papers.fedcg import bounds
from fltheory.papers.fedcg.bounds import discrete as bounds_discrete
from fltheory.papers.fedcg.letters import OPT, eps, independent, kappa, m_F, n, r
from fltheory.proof.language import (
    Apply,
    Assumed,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import Nonnegative, Total, family
from proofs_checks.fedcg import facts
from proofs_checks.fedcg import greedy as scalars
from proofs_checks.fedcg.greedy import one

t, c = facts.t, facts.c
ROUNDS = (t, 0, r - 1)
value, best, chosen, rival = (family(Nonnegative, name) for name in ("F", "G", "X_chosen", "X_best"))
level = Symbol("level", nonnegative=True)  # l: each of the 2 r n estimates fails with probability exp(-l)
MASS = m_F * level / kappa
PLACE = "Theorem 5.1"


def gained(now: Any) -> Expr:
    """What the chosen item adds."""
    return value(now + 1) - value(now)


START = Given("start", eq(value(0), 0), "f(0) = 0")
UNIFORM = Given(
    "uniform", le(OPT - value(t), r * best(t), ROUNDS), "r items of the optimum would close the gap, each by at most G"
)
MATROID = Given(
    "exchange", le(OPT, value(r) + Total(best(t), t, 0, r - 1)), "basis exchange: o_t would have fitted in round t"
)

# Greedy with exact marginals ---------------------------------------------------------------------------------------------

EXACT = Given("greedy", le(best(t), gained(t), ROUNDS), "the item of the largest gain is chosen")
_LEFT = 1 - 1 / r
_NWF = stated(bounds_discrete.NWF_UNIFORM, value(r))[0]


def missing(now: Any) -> Expr:
    """What is missing to the optimum before a round."""
    return OPT - value(now)


_NONE = facts.weighted(lambda now: Integer(0), r, _LEFT)
k = Symbol("k", integer=True, nonnegative=True)
ITEMS, joined, ended = (k, 0, r - 1), family(Nonnegative, "U"), family(Nonnegative, "W")
JOINED = (
    Given(
        "none yet",
        eq(joined(t, 0), value(t), ROUNDS),
        "U(t, k): the value of round t's set with k items of the optimum",
    ),
    Given(
        "item",
        le(joined(t, k + 1), joined(t, k) + best(t), ROUNDS, ITEMS),
        "F is submodular: an item adds no more to a larger set than to round t's, to which none adds more than G",
    ),
    Given("reached", le(OPT, joined(t, r), ROUNDS), "F is monotone, and the optimum has r items"),
)
_SO_MANY = le(joined(t, k), joined(t, 0) + k * best(t))
GAP = Theorem(
    "fedcg/greedy-gap",
    UNIFORM.relation,
    JOINED,
    (
        Step("no item", le(joined(t, 0), joined(t, 0) + 0 * best(t), ROUNDS), Combine()),
        Step(
            "one more",
            le(joined(t, k + 1), joined(t, 0) + (k + 1) * best(t), ROUNDS, ITEMS),
            Combine({"item": 1, "assumed 1": 1}),
            ("item",),
            assuming=(_SO_MANY,),
        ),
        Step("so many", le(_SO_MANY.left, _SO_MANY.right, ROUNDS, (k, 0, r)), Induction(k), ("no item", "one more")),
        Step("all items", le(joined(t, r), joined(t, 0) + r * best(t), ROUNDS), Instance({k: r}), ("so many",)),
        Step(
            "1",
            UNIFORM.relation,
            Combine({"all items": 1, "none yet": 1, "reached": 1}),
            ("all items", "none yet", "reached"),
        ),
    ),
    place="Section 2",
    note="r items of the optimum would close the gap, each by at most the largest gain",
)
GAP_STEP = Step("uniform", UNIFORM.relation, Apply("fedcg/greedy-gap"), tuple(h.id for h in JOINED))
NWF_UNIFORM = Theorem(
    "fedcg/NWF-uniform",
    _NWF,
    (EXACT, *JOINED, START),
    (
        GAP_STEP,
        Step(
            "each",
            le(missing(t + 1), _LEFT * missing(t) + 0, ROUNDS),
            Combine({"greedy": 1, "uniform": 1 / r}),
            ("greedy", "uniform"),
        ),
        Step("factor", le(0, _LEFT), Combine()),
        Step(
            "all",
            le(missing(r), _LEFT**r * missing(0)),
            Apply("fedcg/recursion", {facts.a(t): missing(t), facts.b(t): Integer(0), facts.q: _LEFT, facts.T: r}),
            ("each", "factor"),
        ),
        Step("1", _NWF, Combine({"all": 1, "start": -(_LEFT**r)}), ("all", "start")),
    ),
    claim="fedcg/NWF-uniform@printed",
    bound=bounds_discrete.NWF_UNIFORM,
    place="Section 2",
    note="greedy for a cardinality constraint",
)
_HALF = stated(bounds_discrete.NWF_MATROID, value(r))[0]
_GAINS = Total(gained(t), t, 0, r - 1)
_telescoped = facts.weighted(gained, r, Integer(1))
SUMMED = (
    Step("own", eq(value(t + 1), 1 * value(t) + gained(t), ROUNDS), Combine()),
    Step("own low", le(-value(t + 1), 1 * -value(t) - gained(t), ROUNDS), Combine({"own": 1}), ("own",)),
    Step(
        "sum",
        le(-value(r), -value(0) - _GAINS),
        Apply("fedcg/recursion", {facts.a(t): -value(t), facts.b(t): -gained(t), facts.q: 1, facts.T: r}),
        ("own low",),
    ),
)
EXCHANGED = (
    Given("none yet", eq(ended(0), value(r)), "W(k): the value of the last set with k items of the optimum"),
    Given(
        "item",
        le(ended(t + 1), ended(t) + best(t), ROUNDS),
        "basis exchange: in some order item t would have fitted in round t; F is submodular, and none added more than G",
    ),
    Given("reached", le(OPT, ended(r)), "F is monotone, and a base has r items"),
)
EXCHANGE = Theorem(
    "fedcg/greedy-exchange",
    MATROID.relation,
    EXCHANGED,
    (
        Step("rises", le(ended(t + 1), 1 * ended(t) + best(t), ROUNDS), Combine({"item": 1}), ("item",)),
        Step(
            "all items",
            le(ended(r), ended(0) + Total(best(t), t, 0, r - 1)),
            Apply("fedcg/recursion", {facts.a(t): ended(t), facts.b(t): best(t), facts.q: 1, facts.T: r}),
            ("rises",),
        ),
        Step(
            "1",
            MATROID.relation,
            Combine({"all items": 1, "none yet": 1, "reached": 1}),
            ("all items", "none yet", "reached"),
        ),
    ),
    place="Section 2",
    note="the optimum adds no more to the last set than the largest gains of all rounds",
)
EXCHANGE_STEP = Step("exchange", MATROID.relation, Apply("fedcg/greedy-exchange"), tuple(h.id for h in EXCHANGED))
NWF_MATROID = Theorem(
    "fedcg/NWF-matroid",
    _HALF,
    (EXACT, *EXCHANGED, START),
    (
        EXCHANGE_STEP,
        Step("gains", le(Total(best(t), t, 0, r - 1), _GAINS), Summed((t,)), ("greedy",)),
        *SUMMED,
        Step(
            "1",
            _HALF,
            Combine(
                {"gains": Rational(1, 2), "sum": Rational(1, 2), "exchange": Rational(1, 2), "start": Rational(1, 2)}
            ),
            ("gains", "sum", "exchange", "start"),
        ),
    ),
    claim="fedcg/NWF-matroid@printed",
    bound=bounds_discrete.NWF_MATROID,
    place="Section 2",
    note="greedy for a matroid",
)

# S6: a round -------------------------------------------------------------------------------------------------------------

_OFF = sqrt(2 * best(t) * MASS) + 2 * MASS / 3
BERNSTEIN = (
    Given(
        "rival",
        le(best(t) - rival(t), _OFF, ROUNDS),
        "Bernstein's inequality, once for all 2 r n tails: the best item's estimate",
    ),
    Given("picked", le(chosen(t) - gained(t), _OFF, ROUNDS), "and the chosen one's, with F(e|S) <= G and F(e) <= m_F"),
    Given("chosen", le(rival(t), chosen(t), ROUNDS), "the item of the largest estimate is chosen"),
    Given("level", le(one, 1), "eps_1 <= 1"),
)
BERNSTEIN_IDS = tuple(h.id for h in BERNSTEIN)
LOST = 10 * MASS / (3 * one)
_ROUND = le((1 - one) * best(t) - LOST, gained(t), ROUNDS)
ROUND = Theorem(
    "fedcg/S6-round",
    _ROUND,
    BERNSTEIN,
    (
        Step(
            "means",
            le(2 * sqrt(2 * best(t) * MASS), one * best(t) + 2 * MASS / one, ROUNDS),
            Apply("fedcg/S6-means", {scalars.G: best(t), scalars.M: MASS, scalars.one: one}),
        ),
        Step(
            "1",
            _ROUND,
            Combine({"rival": 1, "picked": 1, "chosen": 1, "means": 1, "level": 4 * MASS / (3 * one)}),
            ("rival", "picked", "chosen", "means", "level"),
        ),
    ),
    place=PLACE,
    note="the chosen item is nearly the best, where no estimate of the round fails",
)

# S6: all rounds, uniform matroid --------------------------------------------------------------------------------------------

_KEPT = 1 - (1 - one) / r
_SIZE = Given("optimum", le(m_F, OPT), "a single item is feasible")
_UNROLLED = le(OPT - value(r), exp(-1) * (1 + (exp(1) - 1) * one) * OPT + r * LOST)
SIGN = Step("one", le(0, one), Combine())
UNIFORM_ROUNDS = Theorem(
    "fedcg/S6-uniform-rounds",
    _UNROLLED,
    (*BERNSTEIN, UNIFORM, START),
    (
        Step("round", _ROUND, Apply("fedcg/S6-round"), BERNSTEIN_IDS),
        Step(
            "each",
            le(missing(t + 1), _KEPT * missing(t) + LOST, ROUNDS),
            Combine({"round": 1, "uniform": (1 - one) / r}),
            ("round", "uniform", "level"),
        ),
        Step("spare", le(0, (1 - one) / r), Combine({"level": 1 / r}), ("level",)),
        Step("low", le(_KEPT, 1), Combine({"spare": 1}), ("spare",)),
        Step("factor", le(0, _KEPT), Combine(), note="1 - 1/r + eps_1/r"),
        Step(
            "all",
            le(missing(r), _KEPT**r * missing(0) + facts.weighted(lambda now: LOST, r, _KEPT)),
            Apply("fedcg/recursion", {facts.a(t): missing(t), facts.b(t): LOST, facts.q: _KEPT, facts.T: r}),
            ("each", "factor"),
        ),
        Step(
            "weight",
            le(_KEPT ** (r - 1 - t), 1, ROUNDS),
            Apply("fedcg/power", {facts.q: _KEPT, facts.c: r - 1 - t}),
            ("factor", "low"),
        ),
        Step("weights", le(facts.weighted(lambda now: Integer(1), r, _KEPT), r), Summed((t,)), ("weight",)),
        Step("tangent", le(_KEPT, exp(-(1 - one) / r)), Known("exp", -(1 - one) / r)),
        Step("power", le(_KEPT**r, exp(-(1 - one))), Power(r), ("factor", "tangent")),
        Step("chord", le(exp(one), 1 + (exp(1) - 1) * one), Apply("fedcg/S6-chord", {scalars.part: one}), ("level",)),
        Step(
            "1",
            _UNROLLED,
            Combine({"all": 1, "start": -(_KEPT**r), "weights": LOST, "power": OPT, "chord": exp(-1) * OPT}),
            ("all", "start", "weights", "power", "chord"),
        ),
    ),
    place=PLACE,
    note="the recursion of greedy, with the loss of every round",
)
_S6_UNIFORM, (_BELOW, _SCALE) = stated(bounds_discrete.S6_UNIFORM, value(r))
_LOG = bounds.LOG
_SHARE = 1 - exp(-1)
_EPS_UNIFORM = eps / (2 * _SHARE)
_TAILS = tuple(
    Step(h.id, h.relation.at({level: _LOG}), Assumed("Bernstein's inequality", h.why), expected="ASSUMED")
    for h in BERNSTEIN[:2]
)
_CHOSEN = BERNSTEIN[2]
S6_UNIFORM = Theorem(
    "fedcg/S6-uniform",
    _S6_UNIFORM,
    (_CHOSEN, *JOINED, START, _SIZE, _BELOW, _SCALE),
    (
        *_TAILS,
        GAP_STEP,
        Step("two", le(2, exp(1)), Known("exp", 1)),
        Step("half", le(Rational(1, 2), _SHARE), Combine({"two": exp(-1) / 2}), ("two",)),
        Step("share", lt(0, _SHARE), Combine({"half": 1}), ("half",)),
        Step(
            "level", le(_EPS_UNIFORM, 1), Combine({"half": 1 / _SHARE, "c1": 1 / (2 * _SHARE)}), ("half", "c1", "two")
        ),
        Step("log", le(0, _LOG), Apply("fedcg/log-size")),
        Step(
            "rounds",
            _UNROLLED.at({one: _EPS_UNIFORM, level: _LOG}),
            Apply("fedcg/S6-uniform-rounds", {one: _EPS_UNIFORM, level: _LOG}),
            ("rival", "picked", "chosen", "level", "uniform", "start", "share", "log", "two"),
        ),
        Step(
            "scale",
            le(20 * _SHARE * r * m_F * _LOG / (3 * kappa * eps), eps * m_F / 2),
            Combine({"c2": m_F * eps / (2 * kappa)}),
            ("c2",),
        ),
        Step("1", _S6_UNIFORM, Combine({"rounds": 1, "scale": 1, "optimum": eps / 2}), ("rounds", "scale", "optimum")),
    ),
    expected="ASSUMED",
    claim="fedcg/S6-uniform@sharpened",
    place=PLACE,
    note="1 - 1/e - eps with fresh coins, where no estimate fails: with probability 1 - 2 r n exp(-l) = 1 - 1/n",
)

# S6: all rounds, any matroid ---------------------------------------------------------------------------------------------------

_S6_MATROID, (_BELOW_M, _SCALE_M) = stated(bounds_discrete.S6_MATROID, value(r))
_ROUND_EPS = _ROUND.at({one: eps, level: _LOG})
_LOST_EPS = LOST.subs({one: eps, level: _LOG})
S6_MATROID = Theorem(
    "fedcg/S6-matroid",
    _S6_MATROID,
    (_CHOSEN, *EXCHANGED, START, _SIZE, _BELOW_M, _SCALE_M),
    (
        *_TAILS,
        EXCHANGE_STEP,
        Step("level", le(eps, 1), Combine({"c1": 1}), ("c1",)),
        Step("log", le(0, _LOG), Apply("fedcg/log-size")),
        Step(
            "round",
            _ROUND_EPS,
            Apply("fedcg/S6-round", {one: eps, level: _LOG}),
            ("rival", "picked", "chosen", "level", "log"),
        ),
        Step("gains", le((1 - eps) * Total(best(t), t, 0, r - 1) - r * _LOST_EPS, _GAINS), Summed((t,)), ("round",)),
        *SUMMED,
        Step(
            "both",
            le((1 - eps) * OPT - r * _LOST_EPS, (2 - eps) * value(r)),
            Combine({"gains": 1, "sum": 1, "start": 1, "exchange": 1 - eps}),
            ("gains", "sum", "start", "exchange", "level"),
        ),
        Step("scale", le(r * _LOST_EPS, eps * m_F / 2), Combine({"c2": m_F * eps / (2 * kappa)}), ("c2",)),
        Step(
            "whole",
            le((Rational(1, 2) - eps) * (2 - eps) * OPT, (2 - eps) * value(r)),
            Combine({"both": 1, "scale": 1, "optimum": eps / 2, "level": eps * OPT}),
            ("both", "scale", "optimum", "level"),
        ),
        Step("1", _S6_MATROID, Combine({"whole": 1 / (2 - eps)}), ("whole", "level")),
    ),
    expected="ASSUMED",
    claim="fedcg/S6-matroid@sharpened",
    place=PLACE,
    note="1/2 - eps with fresh coins for a matroid, where no estimate fails",
)
_UNION = eq(2 * r * n * exp(-_LOG), 1 / n)
UNION = Theorem(
    "fedcg/S6-union", _UNION, (), (Step("1", _UNION, Combine()),), place=PLACE, note="all 2 r n tails together"
)
_LOG_SIZE = le(0, _LOG)
LOG_SIZE = Theorem(
    "fedcg/log-size",
    _LOG_SIZE,
    (),
    (
        Step("tangent", le(1 - _LOG, 1 / (2 * r * n**2)), Known("exp", -_LOG)),
        Step("1", _LOG_SIZE, Combine({"tangent": 1}), ("tangent",)),
    ),
    place=PLACE,
)

# S7: coins thrown once -----------------------------------------------------------------------------------------------------

_DEVIATION, _FEW = stated(bounds_discrete.S7_DEVIATION, 2 * independent * exp(-(eps**2) * kappa / (3 * r)))
_LOGS = log(2 * n * independent)
DEVIATION = Theorem(
    "fedcg/S7-deviation",
    _DEVIATION,
    _FEW,
    (
        Step("order", le(-(eps**2) * kappa / (3 * r), -_LOGS), Combine({"c2": eps**2 / (3 * r)}), ("c2",)),
        Step(
            "exp",
            le(exp(-(eps**2) * kappa / (3 * r)), 1 / (2 * n * independent)),
            Apply("fedcg/exp", {facts.X: -(eps**2) * kappa / (3 * r), facts.X2: -_LOGS}),
            ("order",),
        ),
        Step("1", _DEVIATION, Combine({"exp": 2 * independent}), ("exp",)),
    ),
    claim="fedcg/S7-deviation@sharpened",
    place=PLACE,
    note="Chernoff's tails of all independent sets, see fedcg/S7-share, add up to at most 1/n",
    unused=("c1",),
)
found, sampled_found, sampled_optimum, ratio = (
    Symbol(name, nonnegative=True) for name in ("F_S", "F'_S", "F'_O", "ratio")
)
_half = eps / 2
ONCE = (
    Given("of S", le(sampled_found, (1 + _half) * found), "no sampled value is further off than eps/2 of it", True),
    Given("of O", le((1 - _half) * OPT, sampled_optimum), "also that of an optimal set", True),
    Given(
        "greedy",
        le(ratio * sampled_optimum, sampled_found),
        "greedy on the sampled function, e.g. fedcg/NWF-uniform",
        supposed=True,
    ),
    Given("ratio", le(ratio, 1), "its guarantee"),
)


def once(bound: Any, guarantee: Expr, sign: tuple[Step, ...], name: str, note: str) -> Theorem:
    """What greedy on the sampled function has of the true one; the last step of ``sign`` says that its guarantee is >= 0."""
    statement, conditions = stated(bound, found)
    given = tuple(Given(h.id, h.relation.at({ratio: guarantee}), h.why, h.supposed) for h in ONCE)
    steps = (
        *sign,
        Step(
            "sampled",
            le(guarantee * (1 - _half) * OPT, (1 + _half) * found),
            Combine({"of S": 1, "greedy": 1, "of O": guarantee}),
            ("of S", "greedy", "of O", "sign"),
        ),
        Step(
            "part",
            le((1 - eps) * guarantee * OPT, found),
            Combine({"sampled": 1 / (1 + _half), "sign": OPT * eps**2 / (2 * (1 + _half))}),
            ("sampled", "sign"),
        ),
        Step("1", statement, Combine({"part": 1, "ratio": eps * OPT}), ("part", "ratio")),
    )
    return Theorem(
        name,
        statement,
        (*given, *conditions),
        steps,
        claim=f"{name}@sharpened",
        place=PLACE,
        note=note,
        unused=("c1", "c2"),
    )


_SIGN = (
    Step("two", le(2, exp(1)), Known("exp", 1)),
    Step("sign", le(0, 1 - exp(-1)), Combine({"two": exp(-1)}), ("two",)),
)
_PLAIN = (Step("sign", le(0, Rational(1, 2)), Combine()),)
S7_UNIFORM = once(
    bounds_discrete.S7_UNIFORM,
    1 - exp(-1),
    _SIGN,
    "fedcg/S7-uniform",
    "1 - 1/e - eps with coins thrown once, where no sampled value is far off",
)
S7_MATROID = once(
    bounds_discrete.S7_MATROID,
    Rational(1, 2),
    _PLAIN,
    "fedcg/S7-matroid",
    "1/2 - eps with coins thrown once, where no sampled value is far off",
)

THEOREMS = (
    GAP,
    NWF_UNIFORM,
    EXCHANGE,
    NWF_MATROID,
    ROUND,
    UNIFORM_ROUNDS,
    UNION,
    LOG_SIZE,
    S6_UNIFORM,
    S6_MATROID,
    DEVIATION,
    S7_UNIFORM,
    S7_MATROID,
)
