"""Functions of a class constructed from any data: hulls of parabolas, maxima of affine functions, splines by a minimiser."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fltheory.model.schema import AsTable, AsVector, read_table, read_vector
from fltheory.number import RATIONAL, Number, exact
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.evaluated import read_point, to_python_fraction
from fltheory.problems.interpolated.interpolant import ZERO, Interpolant, Point, PointData, square
from fltheory.problems.interpolated.piecewise import MaxOfAffine, PiecewiseLinearClients
from fltheory.problems.interpolated.splines import QuadraticSpline, SplineClients


def hull_clients(
    centres: AsTable,
    heights: AsVector,
    points: AsTable,
    start: AsVector,
    smoothness: Number = 1,
    strong_convexity: Number = 0,
) -> InterpolatedClients:
    """Return a client with the data at 0 and ``points`` of a hull of parabolas, plus a linear function: its minimiser is 0.

    The function is mu |x|^2 / 2 plus the convex hull of (L - mu) (|x - centre|^2 + height) / 2, which lies in the class.
    """
    low, width = RATIONAL.scalar(strong_convexity), RATIONAL.scalar(smoothness) - RATIONAL.scalar(strong_convexity)
    places = [read_point(z) for z in read_table(centres)]
    tops = [
        PointData(width * RATIONAL.scalar(h) / 2 + low * square(z) / 2, tuple(low * v for v in z))
        for h, z in zip(read_vector(heights), places, strict=True)
    ]
    function = Interpolant(places, tops, low, low + width)
    zero = (ZERO,) * len(places[0])
    at = list(dict.fromkeys([zero, *map(read_point, read_table(points))]))
    first, *others = (function.hull(x) for x in at)
    gradients = [
        tuple(a - b for a, b in zip(known.gradient, first.gradient, strict=True)) for known in (first, *others)
    ]
    tilts = [sum((a * b for a, b in zip(first.gradient, x, strict=True)), ZERO) for x in at]
    values = [known.value - first.value - tilt for known, tilt in zip((first, *others), tilts, strict=True)]
    return InterpolatedClients(
        (_table(at),), (_table(gradients),), (_row(values),), start, smoothness, strong_convexity
    )


def maximum_clients(slopes: AsTable, drops: AsVector, points: AsTable, start: AsVector) -> PiecewiseLinearClients:
    """Return a client with the data at 0 and ``points`` of the largest of 0 and <slope, x> - drop, for drops >= 0."""
    rows, levels = [read_point(g) for g in read_table(slopes)], [RATIONAL.scalar(d) for d in read_vector(drops)]
    if any(not d >= 0 for d in levels):
        raise ValueError("drops must be nonnegative, so that the minimum is at 0")
    zero = (ZERO,) * len(rows[0])
    pieces = [PointData(ZERO, zero), *(PointData(-d, g) for d, g in zip(levels, rows, strict=True))]
    at = list(dict.fromkeys([zero, *map(read_point, read_table(points))]))
    function = MaxOfAffine([zero] * len(pieces), pieces)
    known = [function.largest(x) for x in at]
    return PiecewiseLinearClients(
        (_table(at),), (_table([k.gradient for k in known]),), (_row([k.value for k in known]),), start
    )


def spline_with_minimiser(
    curvatures: AsTable, knots: AsTable, best: Number, start: AsVector, pulls: AsVector = 0
) -> SplineClients:
    """Return splines whose gradients at ``best`` are ``pulls``, which sum to 0: a minimiser of their mean."""
    rows, at = read_table(curvatures), RATIONAL.scalar(best)
    own = read_vector(pulls) if read_vector(pulls) != (0,) else (0,) * len(rows)
    if sum(map(Fraction, own)) != 0 or len(own) != len(rows):
        raise ValueError("pulls need one entry for every client and must sum to 0")
    moved = [
        QuadraticSpline(read_point(c), read_point(k), ZERO).at((at,)).gradient[0]
        for c, k in zip(rows, read_table(knots), strict=True)
    ]
    slopes = [exact(Fraction(pull) - to_python_fraction(g)) for pull, g in zip(own, moved, strict=True)]
    return SplineClients(rows, knots, slopes, start)


def _row(values: Sequence[object]) -> tuple[Fraction, ...]:
    return tuple(map(to_python_fraction, values))


def _table(rows: Sequence[Point]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(map(_row, rows))
