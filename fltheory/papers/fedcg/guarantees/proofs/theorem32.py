"""Theorem 3.2: full participation, from any number of rounds of one step each, and its sharper form S1.

Rounds are counted from 0 to T - 1; each has the hypotheses of one round (``lemmas``), with the round as first index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Expr, Integer, Rational, exp

from fltheory.papers.fedcg import bounds, notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import OPT, N, T, curvature, eta, m_F, n, r, weighted
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import e, i, k, l, p
from fltheory.proof import Given, Relation, Step, by, eq, le, line, proof, statement_of
from fltheory.proof.algebra.normal import is_zero
from fltheory.proof.algebra.replacing import substitute_relation
from fltheory.proof.language import Range
from fltheory.proof.terms import Nonnegative, Scalar, Total, family

t, c = algebra.t, algebra.c
ROUNDS = (t, 0, T - 1)
V, G, H, U, A, B, W, slope, g = (family(Scalar, name) for name in "VGHUABWSg")
v, x, gamma, largest, direction = (family(Nonnegative, name) for name in ("v", "x", "gamma", "gamma_max", "Delta"))
FACTOR = 1 - eta


def mean_direction(now: Expr, item: Expr) -> Expr:
    """Return the server's direction: the mean of the clients' bases."""
    return Total(p(i) * v(now, i, item), i, 1, N)


def in_round(now: Expr) -> dict[Expr, Expr]:
    """Return the meaning of the symbols of one round in a given round."""
    return {
        one.V(l): V(now, l),
        one.G(k, l): G(now, k, l),
        one.H(k, l): H(now, k, l),
        one.U(l): U(now, l),
        one.A(k, l): A(now, k, l),
        one.B(k, l): B(now, k, l),
        one.W(l): W(now, l),
        one.slope(l): slope(now, l),
        one.x(e): x(now, e),
        one.g(i, e): g(now, i, e),
        one.v(i, e): v(now, i, e),
        one.gamma(i): gamma(now, i),
        one.gamma_max: largest(now),
        one.direction(e): direction(now, e),
    }


def each_round(
    *hypotheses: Given, reading: Mapping[Expr, Expr] | None = None, inner: tuple[Range, ...] = ()
) -> tuple[Given, ...]:
    """Return the hypotheses of one round for every round; with ``inner`` ranges for every value of these too."""
    mapping = list((in_round(t) if reading is None else reading).items())
    found = []
    for h in hypotheses:
        now = substitute_relation(h.relation, mapping)
        found.append(Given(h.id, Relation(now.left, now.op, now.right, (ROUNDS, *inner, *now.over)), h.why, h.supposed))
    return tuple(found)


def claim(relation: Relation, reading: Mapping[Expr, Expr] | None = None) -> Relation:
    """Return a theorem of one round as a statement on every round."""
    now = substitute_relation(relation, list((in_round(t) if reading is None else reading).items()))
    return Relation(now.left, now.op, now.right, (ROUNDS, *now.over))


BASES = tuple(h for h in one.ROUND if h.id != "feasible")
MEAN = Given("direction", eq(direction(t, e), mean_direction(t, e), ROUNDS, one.ITEMS),
    "full participation: the mean of the bases")
NEXT = Given("next", eq(V(t, n), V(t + 1, 0), ROUNDS), "the next iterate is the end of the step")
_, SHORT = statement_of(bounds.T32, Integer(0))
FIRST = Given("first", eq(V(0, 0), 0), "the first iterate is 0, and f(0) = 0")
RUN = (*each_round(*BASES, one.RANK, one.NEAR), MEAN, NEXT, FIRST, *SHORT)
IDS = tuple(h.id for h in RUN)


def missing(now: Expr | int) -> Expr:
    """Return the gap to the optimum before a round."""
    return OPT - V(now, 0)


def mean_gamma(now: Expr) -> Expr:
    """Return the mean of the clients' distances to the mean gradient."""
    return Total(p(i) * gamma(now, i), i, 1, N)


def left(term: Callable[..., Expr]) -> Expr:
    """Return the sum over the rounds, each weighted with 1 - eta to the number of rounds left."""
    return algebra.weighted(term, T, FACTOR)


def spread(now: Expr) -> Expr:
    """(sum Delta)^2 - sum Delta^2 of a round's direction."""
    return Total(direction(now, e), e, 1, n) ** 2 - Total(direction(now, e) ** 2, e, 1, n)


# Corollary A.2 -------------------------------------------------------------------------------------------------------------

AHEAD = each_round(*one.UP, one.MEAN, one.BEST)
A2 = (
    proof("fedcg/A.2@printed", "Corollary A.2", of="fedcg/A.2@printed",
        note="in every round, for any polytope in the cube: w is its best point, v_i the best one for client i")
    .under(*AHEAD)
    .step("round", by.apply(one.A1, in_round(t)))
    .qed(le(OPT - V(t, 0) - Total(p(i) * Total(v(t, i, e) * g(t, i, e), e, 1, n), i, 1, N), 0, ROUNDS),
        by.linear("round"))
)

FACTOR_SIGN = line("factor", le(0, FACTOR), by.linear("c1"), note="eta <= 1/T <= 1")
SHORTFALL = (1 - FACTOR**T) * OPT - V(T, 0)
D = Total(largest(t), t, 0, T - 1)
_FEASIBLE = (
    line("client rank", le(Total(p(i) * Total(v(t, i, e), e, 1, n), i, 1, N), Total(p(i) * r, i, 1, N), ROUNDS),
        by.sum_over(i, "rank", weight=p(i))),
    line("swap", eq(Total(Total(p(i) * v(t, i, e), e, 1, n), i, 1, N), Total(mean_direction(t, e), e, 1, n), ROUNDS),
        by.apply(algebra.SWAP, {algebra.pair(i, e): p(i) * v(t, i, e), algebra.first: N, algebra.second: n})),
    line("sums", eq(Total(direction(t, e), e, 1, n), Total(mean_direction(t, e), e, 1, n), ROUNDS),
        by.sum_over(e, "direction")),
    line("feasible", le(Total(direction(t, e), e, 1, n), r, ROUNDS), by.linear("client rank", "swap", "law", "sums"),
        note="the mean of feasible directions is feasible"),
)


def _recursion(lost: Callable[..., Expr]) -> tuple[Step, ...]:
    """Prove one round, and all of them."""

    def added(now: Expr) -> Expr:
        return eta * r * mean_gamma(now) + Rational(1, 2) * eta**2 * m_F * lost(now)

    return (
        line("along", claim(one.S1A.statement), by.apply(one.S1A, in_round(t), "rank", "near")),
        line("inner",
            eq(Total(direction(t, e) * G(t, e, 0), e, 1, n), Total(mean_direction(t, e) * G(t, e, 0), e, 1, n), ROUNDS),
            by.sum_over(e, "direction", weight=G(t, e, 0))),
        line("each", le(missing(t + 1), FACTOR * missing(t) + added(t), ROUNDS),
            by.linear("round", "along", "next", "inner")),
        FACTOR_SIGN,
        line("all", le(missing(T), FACTOR**T * missing(0) + left(added)),
            by.apply(algebra.RECURSION, {algebra.a(t): missing(t), algebra.b(t): added(t), algebra.q: FACTOR}, "each",
                "factor")),
    )


READING = {weighted: left(mean_gamma), curvature: left(spread), notation.D: D}
_S1_SPREAD, _ = statement_of(bounds.S1_CURVATURE, SHORTFALL, READING)
S1_SPREAD = (
    proof("fedcg/S1-curvature", "Theorem 3.2", of="fedcg/S1-curvature@strengthened", bound=bounds.S1_CURVATURE,
        reading=READING,
        note="the recursion's weights, the mean distance and the sharp second-order term of every round")
    .under(*RUN)
    .step("round", by.apply(one.SHARP_ROUND, in_round(t)))
    .steps(*_recursion(spread))
    .qed(_S1_SPREAD, by.linear("all", "first"))
)
_S1, _ = statement_of(bounds.S1, SHORTFALL, READING)
S1 = (
    proof("fedcg/S1", "Theorem 3.2", of="fedcg/S1@strengthened", bound=bounds.S1, reading=READING,
        note="the recursion's weights are kept: later rounds count more")
    .under(one.LAW, *RUN)
    .steps(*_FEASIBLE)
    .step("round", by.apply(one.ONE_ROUND, in_round(t)))
    .steps(*_recursion(lambda now: r**2))
    .step("geometric", by.apply(algebra.GEOMETRIC_LEFT, {algebra.q: FACTOR}, "factor"))
    .qed(_S1, by.linear("all", "first", "geometric"))
)
LARGEST = each_round(one.LARGEST)
_WEIGHT_SIGN = line("sign", le(0, FACTOR ** (T - 1 - t), ROUNDS),
    by.apply(algebra.POWER_SIGN, {algebra.q: FACTOR, algebra.c: T - 1 - t}, "factor"))
_WEIGHTS = line("weight", le(FACTOR ** (T - 1 - t), 1, ROUNDS),
    by.apply(algebra.AT_MOST_ONE, {algebra.q: FACTOR, algebra.c: T - 1 - t}, "factor", "low"))
WEAKENED = (
    FACTOR_SIGN,
    line("low", le(FACTOR, 1), by.linear()),
    _WEIGHT_SIGN,
    _WEIGHTS,
    line("clients", le(mean_gamma(t), Total(p(i) * largest(t), i, 1, N), ROUNDS),
        by.sum_over(i, "largest", weight=p(i))),
    line("mean gamma", le(FACTOR ** (T - 1 - t) * mean_gamma(t), largest(t), ROUNDS),
        by.linear("clients", "law", "weight", "sign")),
    line("gammas", le(left(mean_gamma), D), by.sum_over(t, "mean gamma")),
    line("bernoulli", le(1 - T * eta, FACTOR**T), by.apply(algebra.BERNOULLI, {algebra.q: FACTOR}, "low", "factor")),
)
_T32, _ = statement_of(bounds.T32, SHORTFALL, READING)
T32 = (
    proof("fedcg/T3.2@corrected", "Theorem 3.2", of="fedcg/T3.2@corrected", bound=bounds.T32, reading=READING,
        note="for steps of at most 1/T, with gamma in the rounds 0 to T - 1")
    .under(one.LAW, *RUN, *LARGEST)
    .step("sharp", by.apply(S1))
    .steps(*WEAKENED)
    .qed(_T32, by.linear("sharp", "gammas", "bernoulli"), note="no weight is above 1")
)
_ONE_OVER = {eta: 1 / T}
_T32_TUNED, _ = statement_of(bounds.T32_TUNED, (1 - exp(-1)) * OPT - V(T, 0), {**READING, **_ONE_OVER})
AT = tuple(Given(h.id, h.relation.at(_ONE_OVER), h.why, h.supposed) for h in (one.LAW, *RUN, *LARGEST))
T32_TUNED = (
    proof("fedcg/T3.2-tuned", "Theorem 3.2", of="fedcg/T3.2-tuned@corrected", bound=bounds.T32_TUNED,
        reading={**READING, **_ONE_OVER}, note="at the step 1/T")
    .under(*AT)
    .step("general", by.apply(T32, _ONE_OVER))
    .step("P8", by.apply(algebra.P8))
    .qed(_T32_TUNED, by.linear("general", "P8"))
)

# Continuous greedy: one client, whose gradient is that of F -----------------------------------------------------------------

_ALONE = {
    N: Integer(1),
    p(i): Integer(1),
    g(t, i, e): G(t, e, 0),
    v(t, i, e): direction(t, e),
    gamma(t, i): Integer(0),
    largest(t): Integer(0),
}


def _alone(relation: Relation) -> Relation:
    return substitute_relation(relation, list(_ALONE.items()))


_GREEDY = tuple(Given(h.id, _alone(h.relation), h.why, h.supposed) for h in T32.hypotheses)
_GREEDY = tuple(h for h in _GREEDY if not is_zero(h.relation.gap))
P6 = (
    proof("fedcg/P6@corrected", "Section 2", of="fedcg/P6@corrected", bound=bounds.P6,
        note="continuous greedy: the factor T belongs into the error")
    .under(*_GREEDY)
    .step("theorem", by.apply(T32, _ALONE))
    .qed(statement_of(bounds.P6, SHORTFALL)[0], by.linear("theorem"))
)

THEOREMS = (A2, S1_SPREAD, S1, T32, T32_TUNED, P6)
