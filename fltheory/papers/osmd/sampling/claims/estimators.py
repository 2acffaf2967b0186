"""One round: the estimators (2), (6), (7), the best distribution, the mirror step of Algorithm 2 (Proposition 12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity, strict
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.papers.osmd.notation import J2, K, Lbar, Lq, alpha
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.papers.osmd.sampling.cases.estimators import Losses, Projected, Updates
from fltheory.runs.measures import GRADIENT_SQUARED

Vector = tuple[Fraction, ...]


def relative(parts: Iterable[Fraction], around: Iterable[Fraction], size: Fraction) -> Fraction:
    """Return the squared distance of two vectors over ``size``."""
    return law.squared_norm(tuple(v - w for v, w in zip(parts, around, strict=True))) / size


# Draws with replacement: (2), (3), (6), (7) ---------------------------------------------------------------------------

PLAIN = Case(Updates((2, 1, -1), (3, 1, 2), 2))
ROUNDS = (
    PLAIN,
    Case(Updates(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 3, (1, 1, 2, 4), (4, 3, 2, 1))),
    Case(Updates((5,), (1,), 4)),
    Case(Updates((1, "1/1000"), (1, 999), 1, (), (999, 1))),
)


def mean_error(one: Updates, c: Constants) -> Fraction:
    found = law.mean(law.draws_with_replacement(one.p, one.n_sampled), lambda n: law.estimator(one.x, one.p, n))
    return relative(found, law.total(one.x), law.loss(one.a, one.p))


def _variance(one: Updates, c: Constants) -> Fraction:
    outcomes = law.draws_with_replacement(one.p, one.n_sampled)
    return law.variance(outcomes, lambda n: law.estimator(one.x, one.p, n), law.total(one.x))


variance = PAPER.lemma("C-3", "(3)", "E|g - J|²", _variance, GRADIENT_SQUARED, cases=ROUNDS)


def second_moment(one: Updates, c: Constants) -> Fraction:
    outcomes = law.draws_with_replacement(one.p, one.n_sampled)
    return law.variance(outcomes, lambda n: law.estimator(one.x, one.p, n), [0] * len(one.x[0]))


def estimated_loss(one: Updates, c: Constants) -> Fraction:
    outcomes = law.draws_with_replacement(one.p, one.n_sampled)
    return sum((chance * law.estimated_loss(one.a, one.q, one.p, n) for n, chance in outcomes), Fraction(0))


def gradient_error(one: Updates, c: Constants) -> Fraction:
    true = [-a / (one.n_sampled * q * q) for a, q in zip(one.a, one.q, strict=True)]
    found = law.mean(law.draws_with_replacement(one.p, one.n_sampled),
        lambda n: law.estimated_gradient(one.a, one.q, one.p, n))
    return relative(found, true, law.squared_norm(true))


def tangent_excess(one: Updates, c: Constants) -> Fraction:
    away = [q - p for q, p in zip(one.q, one.p, strict=True)]

    def excess(n: Sequence[int]) -> Fraction:
        slope = law.estimated_gradient(one.a, one.q, one.p, n)
        inner = sum((g * d for g, d in zip(slope, away, strict=True)), Fraction(0))
        there, here = (law.estimated_loss(one.a, w, one.p, n) for w in (one.q, one.p))
        return Fraction(there - here - inner)

    worst = max(excess(n) for n, _ in law.draws_with_replacement(one.p, one.n_sampled))
    return worst / law.loss(one.a, one.p)


def once_error(one: Updates, c: Constants) -> Fraction:
    found = law.mean(law.draws_with_replacement(one.p, one.n_sampled), lambda n: law.estimator_once(one.x, one.p, n))
    return relative(found, law.total(one.x), law.loss(one.a, one.p))


def once_mean_error(one: Updates, c: Constants) -> Fraction:
    found = law.mean(law.draws_with_replacement(one.p, one.n_sampled), lambda n: law.estimator_once(one.x, one.p, n))
    return relative(found, law.mean_counting_once(one.x, one.p, one.n_sampled), law.loss(one.a, one.p))


REPLACED = (
    PAPER.lemma("C-2", "(2)", "|E g - J|² / (K l(p))", mean_error, cases=ROUNDS).printed(
        "The estimator is unbiased: E g = J", Eq(quantity, 0)),
    *PAPER.lemma("C-2-script", "(2)", "|E g - J|² / (K l(p)), where a client that is drawn several times counts once",
        once_error, cases=ROUNDS).readings(
        strict(
            "The estimator is unbiased as in the authors' script, where a client that is drawn several times counts once",
            Eq(quantity, 0), counterexamples=(PLAIN, ROUNDS[2]), note="the authors' script, not the text",
            remark="The text counts each draw, and is right. A client with a large probability is drawn often and counts less "
            "than in (2)."),
        corrected("The estimator of the authors' script is unbiased for one draw", Eq(quantity, 0), given=[K <= 1],
            note="K = 1", cases=(ROUNDS[3],), family=Updates.drawn(n_sampled=one_of(1)))),
    PAPER.lemma("C-2-script-mean", "(2)",
        "|E g - Σ (1 - (1 - p_m)^K) λ_m g_m / (K p_m)|² / (K l(p)), where a client that is drawn several times counts once",
        once_mean_error, cases=ROUNDS).explicit(
        "The mean of the script's estimator has λ_m g_m times (1 - (1 - p_m)^K)/(K p_m)", Eq(quantity, 0)),
    variance.printed("E|g - J|² = l(p) - |J|²/K", Eq(quantity, Lbar - J2 / K)),
    PAPER.lemma("C-3-second", "(3)", "E|g|²", second_moment, GRADIENT_SQUARED, cases=ROUNDS).explicit(
        "E|g|² = l(p) + (1 - 1/K)|J|²", Eq(quantity, Lbar + (1 - 1 / K) * J2)),
    PAPER.lemma("C-6", "(6)", "E l̂(q; p)", estimated_loss, GRADIENT_SQUARED, cases=ROUNDS).printed(
        "The estimate of the loss is unbiased at every q: E l̂(q; p) = l(q)", Eq(quantity, Lq)),
    PAPER.lemma("C-7", "(7)", "|E ∇l̂(q; p) - ∇l(q)|² / |∇l(q)|²", gradient_error, cases=ROUNDS).printed(
        "The estimate of the gradient is unbiased at every q: E ∇l̂(q; p) = ∇l(q)", Eq(quantity, 0)),
    PAPER.lemma("C-7-convex", "(7)", "max over draws of (l̂(q; p) - l̂(p; p) - <∇l̂(q; p), q - p>) / (K l(p))",
        tangent_excess, cases=ROUNDS).explicit(
        "Estimated losses are convex: l̂(q; p) - l̂(q'; p) <= <∇l̂(q; p), q - q'> for every draw, q' = p",
        quantity <= 0),
)

# The distribution of least loss -------------------------------------------------------------------------------------

LOSSES = (
    Case(Losses((3, 1, 2), (1, 2, 3), "1/2")),
    Case(Losses((9, 1, 1), (1, 1, 1), "1/2")),
    Case(Losses((3, 1, 0), (6, 2, 0), "1/10")),
    Case(Losses((5,), (1,), 1)),
    Case(Losses((100, 1, 1, 1), (1, 0, 0, 0), "9/10")),
)


def least_over_value(one: Losses, c: Constants) -> Fraction:
    total = sum(map(Fraction, one.roots))
    return Fraction(law.loss(one.a, [v / total for v in one.roots])) / total**2


OPTIMAL = (
    PAPER.lemma("C-opt", "(4)", "K l(q) / (Σ√a)²",
        lambda one, c: Fraction(law.loss(one.a, one.q)) / sum(map(Fraction, one.roots)) ** 2, cases=LOSSES).printed(
        "No distribution has a loss below (Σ√a)²/K", 1 <= quantity),
    PAPER.lemma("C-opt-attained", "(4)", "K l(√a/Σ√a) / (Σ√a)²", least_over_value, cases=LOSSES).printed(
        "The distribution proportional to √a has the loss (Σ√a)²/K", Eq(quantity, 1)),
    PAPER.lemma("C-opt-floored", "(4) on the floored simplex", "l(q) / l(max(α/M, c √a))",
        lambda one, c: Fraction(law.loss(one.a, one.q)) / law.loss(one.a, one.best), cases=LOSSES).explicit(
        "In the floored simplex max(α/M, c √a) has the least loss", 1 <= quantity),
)

# Proposition 12: Algorithm 2 ----------------------------------------------------------------------------------------

POINTS = (
    Case(Projected((3, 1, 2), "1/2")),
    Case(Projected((1, 1000, 2, 30), "9/10")),
    Case(Projected((1, 2, 3, 4, 1000000), "1/100")),
    Case(Projected((5, 5, 1, 1), "4/5")),
    Case(Projected((1,), "1/2")),
)
ALL_FLOOR = (Case(Projected((3, 1, 2), 1)),)


def bisect_projection(y: Vector, floor: Fraction) -> Vector:
    """Return the point max(floor, c y) with sum one, by bisection over the kinks of that sum at c = floor / y_m."""
    kinks = sorted(floor / v for v in y)

    def mass(c: Fraction) -> Fraction:
        return sum((max(floor, c * v) for v in y), Fraction(0))

    low, high = 0, len(kinks)  # kinks before low have at most the required mass, kinks from high on too much
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if mass(kinks[middle]) <= 1 else (low, middle)
    free = [v for v in y if floor / v <= kinks[low - 1]]  # the clients above the floor from there on
    c = (1 - floor * (len(y) - len(free))) / sum(free, Fraction(0))
    return tuple(max(floor, c * v) for v in y)


def distance(points: Vector, others: Vector) -> Fraction:
    """|points - others|_1."""
    return sum((abs(v - w) for v, w in zip(points, others, strict=True)), Fraction(0))


def projection(one: Projected) -> Vector:
    """Return the projection of the points onto the floored simplex."""
    return bisect_projection(one.points, Fraction(one.floor) / len(one.points))


STEP = (
    PAPER.lemma("C-P12", "Algorithm 2, Proposition 12", "|output of Algorithm 2 - projection|₁",
        lambda one, c: distance(law.algorithm_2(one.points, one.floor), projection(one))).printed(
        "Algorithm 2 gives the projection, clients tested by their ranks, for α < 1", Eq(quantity, 0),
        given=[alpha < 1], note="π(m) < m* read as a test of the rank of m", cases=POINTS),
    PAPER.lemma("C-P12", "Algorithm 2, Proposition 12", "|output of Algorithm 2 - projection|₁",
        lambda one, c: distance(law.algorithm_2(one.points, one.floor, True), projection(one))).strict(
        "Algorithm 2 gives the projection, clients tested by π(m) < m* with the π that is printed", Eq(quantity, 0),
        given=[alpha < 1], counterexamples=POINTS[:2],
        remark="π maps ranks to clients: taken literally, the test needs its inverse, which is clearly meant."),
    PAPER.lemma("C-P12-root", "Proposition 12", "|max(α/M, c y) - projection|₁",
        lambda one, c: distance(law.project_exactly(one.points, one.floor), projection(one)),
        cases=POINTS + ALL_FLOOR).strengthened(
        "The projection is max(α/M, c y), c the least of (1 - (k-1)α/M) / Σ_{j>=k} y_(j), α = 1 included",
        Eq(quantity, 0), note="no index test"),
    *PAPER.lemma("C-P12-rank", "Algorithm 2", "ranks from m* on",
        lambda one, c: len(one.points) - law.rank_of_floor(one.points, one.floor)).readings(
        printed("Some rank k passes the test v_k > u_k of Algorithm 2", 1 <= quantity, given=[alpha <= 1],
            counterexamples=ALL_FLOOR, family=Projected.drawn(floor=one_of(1, "1/2")),
            remark="At α = 1 none does; the projection is the uniform distribution."),
        corrected("Some rank k passes the test v_k > u_k of Algorithm 2, for α < 1", 1 <= quantity, given=[alpha < 1],
            cases=POINTS)),
)

CLAIMS: tuple[Claim, ...] = (*REPLACED, *OPTIMAL, *STEP)
