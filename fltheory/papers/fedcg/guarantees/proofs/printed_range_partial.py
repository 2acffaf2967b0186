"""Theorem 3.5 with its sums over t = 1..T as printed, at the step 1/T and every rank from 2 on.

``late(t)`` is 0 in the first round and 1 after it: that round is omitted as in ``printed_range``, also from the noise.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol, sqrt

from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.facts import algebra, tails
from fltheory.papers.fedcg.guarantees.proofs import partial
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.drawn import LARGEST, NEW, OF_UNIT, RATIO, SMALL
from fltheory.papers.fedcg.guarantees.proofs.partial import V, largest, mean_gamma, noise, share
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, ROUNDS, left, t
from fltheory.papers.fedcg.notation import OPT, K, N, T, delta, eta, m_F, r
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import LAW, i, p
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.language import with_probability
from fltheory.proof.terms import E, Indicator, Nonnegative, Scalar, Total, family
from fltheory.verification import find

late = family(Nonnegative, "late")

# Without the first round ----------------------------------------------------------------------------------------------

c = algebra.c
x, y = family(Nonnegative, "x"), family(Scalar, "y")
LATE = (
    Given("late first", eq(late(0), 0), "a name for 0 in the first round"),
    Given("later", eq(late(t), 1, (t, 1, T - 1)), "and 1 after it"),
)
LATE_IDS = tuple(h.id for h in LATE)
_NEXT, _ALL = (c, 0, T - 2), (c, 0, T - 1)
_AFTER = line("after", eq(late(c + 1), 1, _NEXT), by.instance({t: c + 1}, "later"))
_SO_FAR = le(Total(late(t) * x(t), t, 0, c), Total(x(t + 1), t, 0, c - 1))
LATE_SUM = (
    proof("fedcg/late-sum", "Theorem 3.5", note="a sum without its first term is no more than that over t = 1..T")
    .under(*LATE)
    .steps(_AFTER)
    .step("0", le(late(0) * x(0), 0), by.linear("late first"))
    .step("1", le(Total(late(t) * x(t), t, 0, c + 1), Total(x(t + 1), t, 0, c), _NEXT), by.linear("after"),
        assuming=_SO_FAR)
    .step("2", le(_SO_FAR.left, _SO_FAR.right, _ALL), by.induction(c, "0", "1"))
    .qed(le(Total(late(t) * x(t), t, 0, T - 1), Total(x(t + 1), t, 0, T - 1)), by.linear(by.instance({c: T - 1}, "2")))
)
_FIRST = eq(Total((1 - late(t)) * y(t), t, 0, c), y(0))
LATE_FIRST = (
    proof("fedcg/late-first", "Theorem 3.5", note="what is left out is the first term").under(*LATE)
    .steps(_AFTER)
    .step("0", eq((1 - late(0)) * y(0), y(0)), by.linear("late first"))
    .step("1", eq(Total((1 - late(t)) * y(t), t, 0, c + 1), y(0), _NEXT), by.linear("after"), assuming=_FIRST)
    .step("2", eq(_FIRST.left, _FIRST.right, _ALL), by.induction(c, "0", "1"))
    .qed(eq(Total((1 - late(t)) * y(t), t, 0, T - 1), y(0)), by.instance({c: T - 1}, "2"))
)
_MOST_ONE, _NO_VALUE = le(late(c), 1), eq((1 - late(c)) * V(c, 0), 0)
HALF = eta * r**2 * m_F / 2


def _added(now: Expr) -> Expr:
    own = eta * r * mean_gamma(now) - eta * noise(now) + eta * HALF
    return late(now) * own + (1 - late(now)) * eta * OPT


VALUE = Given("value", le(0, V(t + 1, 0), ROUNDS), "F is not negative")
PATH = (
    proof("fedcg/run-late", "Theorem 3.5", note="for every outcome of the draws: the first round is let go")
    .under(*partial.RUN, *LATE, VALUE)
    .steps(_AFTER)
    .step("most 0", le(late(0), 1), by.linear("late first"))
    .step("most 1", le(late(c + 1), 1, _NEXT), by.linear("after"), assuming=_MOST_ONE)
    .step("most", le(late(c), 1, _ALL), by.induction(c, "most 0", "most 1"))
    .step("none 0", eq((1 - late(0)) * V(0, 0), 0), by.linear("first"))
    .step("none 1", eq((1 - late(c + 1)) * V(c + 1, 0), 0, _NEXT), by.linear("after"), assuming=_NO_VALUE)
    .step("none", eq((1 - late(c)) * V(c, 0), 0, _ALL), by.induction(c, "none 0", "none 1"))
    .step("most t", by.instance({c: t}, "most"), over=ROUNDS)
    .step("none t", by.instance({c: t}, "none"), over=ROUNDS)
    .step("round", by.apply(one.ONE_ROUND, partial.LETTERS))
    .step("along", by.apply(one.S1A, partial.LETTERS))
    .step("own",
        le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + eta * r * mean_gamma(t) - eta * noise(t) + eta * HALF, ROUNDS),
        by.linear("round", "along", "noise", "next"))
    .steps(full.FACTOR_SIGN)
    .step("each", le(OPT - V(t + 1, 0), FACTOR * (OPT - V(t, 0)) + _added(t), ROUNDS),
        by.linear("own", "value", "none t", "most t"))
    .step("all",
        by.apply(algebra.RECURSION, {algebra.a(t): OPT - V(t, 0), algebra.b(t): _added(t), algebra.q: FACTOR}, "each",
            "factor"))
    .qed(le(OPT - V(T, 0), FACTOR**T * OPT + left(_added)), by.linear("all", "first"))
)

# In probability -------------------------------------------------------------------------------------------------------------

_RANGE = find("fedcg/T3.5-range@corrected").bound
SIZE_OF = Symbol("size", integer=True, positive=True)
_AT = {eta: 1 / T, r: SIZE_OF + 1}
Q = 1 - 1 / T
PRINTED = Total(largest(t + 1), t, 0, T - 1)  # of t + 1 from 1 to T, the printed range
READING = {**_AT, notation.D: PRINTED}


def at(*given: Given) -> tuple[Given, ...]:
    """Return the hypotheses at the step 1/T and a rank of at least 2; the conditions on the step are proved."""
    return tuple(Given(h.id, h.relation.at(_AT), h.why) for h in given if h.id != "c1")


def here(expr: Expr) -> Expr:
    """Return a term there."""
    return expr.xreplace(_AT)


_CLAIM = statement_of(_RANGE, (1 - Q**T) * OPT - V(T, 0), READING)[0]
HOLDS = _CLAIM.gap
GIVEN = (LAW, *at(*partial.RUN, *LARGEST), *at(*NEW), *LATE, VALUE, *at(partial.SHARE))
RANK = SIZE_OF + 1
_W = 6 * RANK / sqrt(K * delta / T)
_RATIOS = Total(OF_UNIT**2, t, 0, T - 1)
_PAID = Total(share(t) * late(t) * largest(t) * (_W + OF_UNIT) / T, t, 0, T - 1)
_COSTS = RANK**2 * m_F / (2 * T)  # the second-order term of a round, over its step
_NOISES = Total(share(t) * late(t) * noise(t), t, 0, T - 1)
_REST_WEIGHT = Total((1 - late(t)) * share(t), t, 0, T - 1)
_LARGEST = Total(late(t) * largest(t), t, 0, T - 1)
BOUNDS = (
    line("sign", le(0, Q), by.linear()),
    line("low", le(Q, 1), by.linear()),
    line("weight", le(Q ** (T - 1 - t), 1, ROUNDS),
        by.apply(algebra.AT_MOST_ONE, {algebra.q: Q, algebra.c: T - 1 - t}, "sign", "low")),
    line("heavy", le(share(t), 1, ROUNDS), by.linear("share", "weight")),
    line("clients", le(mean_gamma(t), Total(p(i) * largest(t), i, 1, N), ROUNDS),
        by.sum_over(i, "largest", weight=p(i))),
    line("mean gamma", le(share(t) * late(t) * mean_gamma(t), late(t) * largest(t), ROUNDS),
        by.linear("clients", "law", "heavy")),
    line("gammas", le(Total(share(t) * late(t) * mean_gamma(t), t, 0, T - 1), _LARGEST), by.sum_over(t, "mean gamma")),
    line("printed", le(_LARGEST, PRINTED), by.apply(LATE_SUM, {x(t): largest(t)}, *LATE_IDS)),
    line("unit", le(share(t) * late(t) * largest(t), late(t) * largest(t), ROUNDS), by.linear("heavy")),
    line("units", le(Total(share(t) * late(t) * largest(t), t, 0, T - 1), _LARGEST), by.sum_over(t, "unit")),
    line("first weight", eq(_REST_WEIGHT, share(0)), by.apply(LATE_FIRST, {y(t): share(t)}, *LATE_IDS)),
    line("share 0", eq(share(0), Q ** (T - 1)), by.instance({t: 0}, "share")),
    line("power", eq(Q**T, Q * Q ** (T - 1)), by.linear()),
    line("last weight", le(0, Q ** (T - 1)), by.apply(algebra.POWER_SIGN, {algebra.q: Q, algebra.c: T - 1}, "sign")),
    line("geometric", eq(left(lambda now: Integer(1)).xreplace(_AT) / T, 1 - Q**T),
        by.apply(algebra.GEOMETRIC_LEFT, {algebra.q: Q}, "sign")),
    line("shares", eq(Total(share(t), t, 0, T - 1), left(lambda now: Integer(1)).xreplace(_AT)),
        by.sum_over(t, "share")),
)

_RUN_IDS = tuple(h.id for h in (*partial.RUN, *LATE, VALUE) if h.id != "c1")
RANGE = (
    proof("fedcg/T3.5-range", "Theorem 3.5", of="fedcg/T3.5-range@corrected", bound=_RANGE, reading=READING,
        failure=delta, note="the printed range of the sums, at the step 1/T and every rank from 2 on")
    .under(*GIVEN)
    .given("subadditive", le(OPT, RANK * m_F), "the optimum has r items, and F is subadditive")
    .step("short", le(T * (1 / T), 1), by.linear())
    .step("run", by.apply(PATH, _AT, *_RUN_IDS, "short"))
    .steps(*BOUNDS)
    .step("named", by.sum_over(t, "share", weight=here(_added(t))))
    .step("ratio", by.apply(RATIO, _AT))
    .step("noises", eq(Total(share(t) * late(t) * largest(t) * OF_UNIT, t, 0, T - 1), _NOISES),
        by.sum_over(t, "ratio", weight=-share(t) * late(t)))
    .step("spare", le(0, (SIZE_OF**2 - 1) * m_F / (2 * T)), by.linear())
    .step(
        "inside",
        le(_PAID, HOLDS),
        by.linear(
            {
                "run": 1,
                "named": -1,
                "gammas": RANK / T,
                "printed": (RANK + _W) / T,
                "units": _W / T,
                "noises": 1 / T,
                "first weight": (OPT - _COSTS) / T,
                "share 0": (OPT - _COSTS) / T,
                "subadditive": Q ** (T - 1) / T,
                "spare": Q ** (T - 1),
                "geometric": _COSTS,
                "shares": _COSTS / T,
                "power": -_COSTS,
            },
            "last weight",
        ),
    )
    .step("event", by.monotone("inside"))
    .step("tail", le(1 - _RATIOS / _W**2, Indicator(_PAID)),
        by.apply(tails.UNION, {tails.y(t): OF_UNIT, tails.w(t): share(t) * late(t) * largest(t) / T, tails.c: _W}))
    .step("outcome", le(1 - _RATIOS / _W**2, Indicator(HOLDS)), by.linear("tail", "event"))
    .step("in the mean", by.expectation("outcome"))
    .step("moment", by.apply(SMALL, _AT))
    .step("sum", le(Total(E(OF_UNIT**2), t, 0, T - 1), 36 * RANK**2 * T / K), by.sum_over(t, "moment"))
    .qed(with_probability(_CLAIM, delta), by.linear("in the mean", "sum"))
)

THEOREMS = (LATE_SUM, LATE_FIRST, PATH, RANGE)
