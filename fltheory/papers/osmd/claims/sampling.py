"""One round: the estimators (2), (6), (7), the best distribution, the mirror step of Algorithm 2 (Proposition 12)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Integer

from fltheory.bound import Side
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.osmd.bounds import bound
from fltheory.papers.osmd.claims.direct import claim, drawn, of_instance
from fltheory.papers.osmd.data.sampling_instances import Losses, Projected, Updates
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.papers.osmd.letters import J2, K, Lbar, Lq, alpha
from fltheory.runs.measures import GRADIENT_SQUARED

EQUAL: Side = "equal"
NONE, ONE = Integer(0), Integer(1)

# Draws with replacement: (2), (3), (6), (7) ---------------------------------------------------------------------------

PLAIN = Case(Updates((2, 1, -1), (3, 1, 2), 2))
ROUNDS = (
    PLAIN,
    Case(Updates(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 3, (1, 1, 2, 4), (4, 3, 2, 1))),
    Case(Updates((5,), (1,), 4)),
    Case(Updates((1, "1/1000"), (1, 999), 1, (), (999, 1))),
)
_DRAWS = drawn("sampling", "updates")


def relative(parts: Any, around: Any, size: Fraction) -> Fraction:
    """The squared distance of two vectors over ``size``."""
    return law.squared(tuple(v - w for v, w in zip(parts, around, strict=True))) / size


def mean_error(one: Updates) -> Fraction:
    """|E g - J|^2 over K l(p)."""
    found = law.mean(law.replaced(one.p, one.n_sampled), lambda n: law.estimator(one.x, one.p, n))
    return relative(found, law.total(one.x), law.loss(one.a, one.p))


def variance(one: Updates) -> Fraction:
    """E |g - J|^2."""
    outcomes = law.replaced(one.p, one.n_sampled)
    return law.variance(outcomes, lambda n: law.estimator(one.x, one.p, n), law.total(one.x))


def second_moment(one: Updates) -> Fraction:
    """E |g|^2."""
    outcomes = law.replaced(one.p, one.n_sampled)
    return law.variance(outcomes, lambda n: law.estimator(one.x, one.p, n), [0] * len(one.x[0]))


def estimated_loss(one: Updates) -> Fraction:
    """The expected estimate of l(q)."""
    outcomes = law.replaced(one.p, one.n_sampled)
    return sum((c * law.estimated_loss(one.a, one.q, one.p, n) for n, c in outcomes), Fraction(0))


def gradient_error(one: Updates) -> Fraction:
    """|E of the estimated gradient - gradient of l|^2 at q over |gradient|^2."""
    true = [-a / (one.n_sampled * q * q) for a, q in zip(one.a, one.q, strict=True)]
    found = law.mean(law.replaced(one.p, one.n_sampled), lambda n: law.estimated_gradient(one.a, one.q, one.p, n))
    return relative(found, true, law.squared(true))


def tangent_excess(one: Updates) -> Fraction:
    """The largest l^(q; p) - l^(p; p) - <grad l^(q; p), q - p> over all draws, over K l(p)."""
    away = [q - p for q, p in zip(one.q, one.p, strict=True)]

    def excess(n: Any) -> Fraction:
        slope = law.estimated_gradient(one.a, one.q, one.p, n)
        inner = sum((g * d for g, d in zip(slope, away, strict=True)), Fraction(0))
        there, here = (law.estimated_loss(one.a, w, one.p, n) for w in (one.q, one.p))
        return Fraction(there - here - inner)

    worst = max(excess(n) for n, _ in law.replaced(one.p, one.n_sampled))
    return worst / law.loss(one.a, one.p)


REPLACED = (
    claim(
        "C-2",
        "The estimator is unbiased: E g = J",
        bound(NONE, "(2)", conditions=(), side=EQUAL),
        of_instance("|E g - J|² / (K l(p))", mean_error),
        ROUNDS,
        _DRAWS,
    ),
    claim(
        "C-3",
        "E|g - J|² = l(p) - |J|²/K",
        bound(Lbar - J2 / K, "(3)", conditions=(), side=EQUAL),
        of_instance("E|g - J|²", variance, GRADIENT_SQUARED),
        ROUNDS,
        _DRAWS,
    ),
    claim(
        "C-3-second",
        "E|g|² = l(p) + (1 - 1/K)|J|²",
        bound(Lbar + (1 - 1 / K) * J2, "(3)", "explicit", (), side=EQUAL),
        of_instance("E|g|²", second_moment, GRADIENT_SQUARED),
        ROUNDS,
        _DRAWS,
    ),
    claim(
        "C-6",
        "The estimate of the loss is unbiased at every q: E l̂(q; p) = l(q)",
        bound(Lq, "(6)", conditions=(), side=EQUAL),
        of_instance("E l̂(q; p)", estimated_loss, GRADIENT_SQUARED),
        ROUNDS,
        _DRAWS,
    ),
    claim(
        "C-7",
        "The estimate of the gradient is unbiased at every q: E ∇l̂(q; p) = ∇l(q)",
        bound(NONE, "(7)", conditions=(), side=EQUAL),
        of_instance("|E ∇l̂(q; p) - ∇l(q)|² / |∇l(q)|²", gradient_error),
        ROUNDS,
        _DRAWS,
    ),
    claim(
        "C-7-convex",
        "Estimated losses are convex: l̂(q; p) - l̂(q'; p) <= <∇l̂(q; p), q - q'> for every draw, q' = p",
        bound(NONE, "(7)", "explicit", ()),
        of_instance("max over draws of (l̂(q; p) - l̂(p; p) - <∇l̂(q; p), q - p>) / (K l(p))", tangent_excess),
        ROUNDS,
        _DRAWS,
    ),
)

# The distribution of least loss -------------------------------------------------------------------------------------

LOSSES = (
    Case(Losses((3, 1, 2), (1, 2, 3), "1/2")),
    Case(Losses((9, 1, 1), (1, 1, 1), "1/2")),
    Case(Losses((3, 1, 0), (6, 2, 0), "1/10")),
    Case(Losses((5,), (1,), 1)),
    Case(Losses((100, 1, 1, 1), (1, 0, 0, 0), "9/10")),
)
_LOSSES = drawn("sampling", "losses")


def over_least(one: Losses) -> Fraction:
    """l(q) K / (sum of the roots)^2."""
    return Fraction(law.loss(one.a, one.q)) / sum(map(Fraction, one.roots)) ** 2


def least_over_value(one: Losses) -> Fraction:
    """The same at q proportional to the roots."""
    total = sum(map(Fraction, one.roots))
    return Fraction(law.loss(one.a, [v / total for v in one.roots])) / total**2


def over_floored(one: Losses) -> Fraction:
    """l(q) / l(q*) in the floored simplex."""
    return Fraction(law.loss(one.a, one.q)) / law.loss(one.a, one.best)


OPTIMAL = (
    claim(
        "C-opt",
        "No distribution has a loss below (Σ√a)²/K",
        bound(ONE, "(4)", conditions=(), side="lower"),
        of_instance("K l(q) / (Σ√a)²", over_least),
        LOSSES,
        _LOSSES,
    ),
    claim(
        "C-opt-attained",
        "The distribution proportional to √a has the loss (Σ√a)²/K",
        bound(ONE, "(4)", conditions=(), side=EQUAL),
        of_instance("K l(√a/Σ√a) / (Σ√a)²", least_over_value),
        LOSSES,
        _LOSSES,
    ),
    claim(
        "C-opt-floored",
        "In the floored simplex max(α/M, c √a) has the least loss",
        bound(ONE, "(4) on the floored simplex", "explicit", (), side="lower"),
        of_instance("l(q) / l(max(α/M, c √a))", over_floored),
        LOSSES,
        _LOSSES,
    ),
)

# Proposition 12: Algorithm 2 ----------------------------------------------------------------------------------------

POINTS = (
    Case(Projected((3, 1, 2), "1/2")),
    Case(Projected((1, 1000, 2, 30), "9/10")),
    Case(Projected((1, 2, 3, 4, 1000000), "1/100")),
    Case(Projected((5, 5, 1, 1), "4/5")),
    Case(Projected((1,), "1/2")),
)
_POINTS = drawn("sampling", "points")
_BELOW_ONE = (alpha < 1,)


def bisected(y: Any, floor: Fraction) -> tuple[Fraction, ...]:
    """The point max(floor, c y) with sum one, by bisection over the kinks of that sum, which are at c = floor / y_m."""
    kinks = sorted(floor / v for v in y)

    def mass(c: Fraction) -> Fraction:
        return sum((max(floor, c * v) for v in y), Fraction(0))

    low, high = 0, len(kinks)  # kinks before low have too little mass or just enough, kinks from high on too much
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if mass(kinks[middle]) <= 1 else (low, middle)
    free = [v for v in y if floor / v <= kinks[low - 1]]  # the clients that are above the floor from there on
    c = (1 - floor * (len(y) - len(free))) / sum(free, Fraction(0))
    return tuple(max(floor, c * v) for v in y)


def _distance(points: tuple[Fraction, ...], others: tuple[Fraction, ...]) -> Fraction:
    return sum((abs(v - w) for v, w in zip(points, others, strict=True)), Fraction(0))


def _away(by_index: bool) -> Any:
    def measured(one: Projected) -> Fraction:
        found = law.algorithm_2(one.points, one.floor, by_index)
        return _distance(found, bisected(one.points, Fraction(one.floor) / len(one.points)))

    return measured


def root_error(one: Projected) -> Fraction:
    """Of the closed form, the least root of the lines."""
    return _distance(law.projected(one.points, one.floor), bisected(one.points, Fraction(one.floor) / len(one.points)))


def ranks_that_pass(one: Projected) -> int:
    """How many ranks k have v_k > u_k, counted from m_star on: all of them pass."""
    return len(one.points) - law.rank_of_floor(one.points, one.floor)


_TO_PROJECTION = "|output of Algorithm 2 - projection|₁"
STEP = (
    claim(
        "C-P12",
        "Algorithm 2 gives the projection, clients tested by their ranks, for α < 1",
        bound(
            NONE,
            "Algorithm 2, Proposition 12",
            "printed",
            _BELOW_ONE,
            "π(m) < m* read as a test of the rank of m",
            EQUAL,
        ),
        of_instance(_TO_PROJECTION, _away(False)),
        POINTS,
        _POINTS,
    ),
    claim(
        "C-P12",
        "Algorithm 2 gives the projection, clients tested by π(m) < m* with the π that is printed",
        bound(NONE, "Algorithm 2, Proposition 12", "literal", _BELOW_ONE, side=EQUAL),
        of_instance(_TO_PROJECTION, _away(True)),
        POINTS[:2],
        _POINTS,
        expected="violated",
        remark="π leads from ranks to clients: to the letter the test needs its inverse, which is plainly meant.",
    ),
    claim(
        "C-P12-root",
        "The projection is max(α/M, c y), c the least of (1 - (k-1)α/M) / Σ_{j>=k} y_(j), α = 1 included",
        bound(NONE, "Proposition 12", "sharpened", (), "no index test", EQUAL),
        of_instance("|max(α/M, c y) - projection|₁", root_error),
        (*POINTS, Case(Projected((3, 1, 2), 1))),
        _POINTS,
    ),
    claim(
        "C-P12-rank",
        "Some rank k passes the test v_k > u_k of Algorithm 2",
        bound(ONE, "Algorithm 2", conditions=(alpha <= 1,), side="lower"),
        of_instance("ranks from m* on", ranks_that_pass),
        (Case(Projected((3, 1, 2), 1)),),
        drawn("sampling", "points", whole=True),
        expected="violated",
        remark="At α = 1 none does; the projection is the uniform distribution.",
    ),
    claim(
        "C-P12-rank",
        "Some rank k passes the test v_k > u_k of Algorithm 2, for α < 1",
        bound(ONE, "Algorithm 2", "corrected", _BELOW_ONE, side="lower"),
        of_instance("ranks from m* on", ranks_that_pass),
        POINTS,
        _POINTS,
    ),
)

CLAIMS: tuple[Claim, ...] = (*REPLACED, *OPTIMAL, *STEP)
