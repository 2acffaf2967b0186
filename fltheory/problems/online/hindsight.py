"""The least total loss of a fixed point of a decision set: exact, or refused with what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from flint import arb, fmpq

from fltheory.number import NotRational
from fltheory.number.mixed import Mixed, mixed_array, to_mixed
from fltheory.number.vectors import total
from fltheory.problems.online.domains import Box, Domain
from fltheory.problems.online.losses import Linear, Loss, PiecewiseLinear, Quadratic


class Weighted(NamedTuple):
    """A loss and the number of rounds that have it."""

    loss: Loss
    times: int


def total_loss(losses: Iterable[Weighted], x: Iterable[Mixed]) -> Mixed:
    """Return the total loss of a point of mixed numbers."""
    row = mixed_array(x)[None]
    return sum((one.loss.value(row)[0] * one.times for one in losses), to_mixed(0))


def least_loss(losses: Sequence[Weighted], domain: Domain) -> Mixed:
    """Return min over u in the domain of the total loss: a rational, or a ball that encloses it.

    It is known of linear losses on every domain, of quadratics with equal curvatures in all coordinates and linear losses on
    every domain, and of losses that are sums over coordinates on a box. ValueError for others.
    """
    kinds = {type(one.loss) for one in losses}
    if kinds <= {Linear}:
        return to_mixed(domain.least_linear(_total_slope(losses, domain.dim)))
    if kinds <= {Linear, Quadratic} and all(_is_isotropic(one.loss) for one in losses):
        return _least_isotropic(losses, domain)
    if isinstance(domain, Box) and kinds <= {Linear, Quadratic, PiecewiseLinear}:
        parts = [_split(one, domain.dim) for one in losses]
        if all(part is not None for part in parts):
            columns = [[part[i] for part in parts if part is not None] for i in range(domain.dim)]
            return to_mixed(
                total(
                    _least_on_interval([f for fs in column for f in fs], Fraction(low), Fraction(high))
                    for column, low, high in zip(columns, domain.low, domain.high, strict=True)
                )
            )
    raise ValueError(
        f"the best point in hindsight of {', '.join(sorted(kind.__name__ for kind in kinds))} losses on {domain!r} is not "
        "known exactly: linear losses and quadratics with one curvature have one on every set, and losses that are sums over "
        "coordinates on a box; or name the points to compare with, Regret(comparators=...)"
    )


def _total_slope(losses: Iterable[Weighted], dim: int) -> list[Fraction]:
    rows = [[Fraction(v) * one.times for v in one.loss.slope] for one in losses if isinstance(one.loss, Linear)]
    return [total(column) for column in zip([Fraction(0)] * dim, *rows, strict=True)]


def _is_isotropic(loss: Loss) -> bool:
    return not isinstance(loss, Quadratic) or len(set(loss.curvatures)) == 1


def _least_isotropic(losses: Sequence[Weighted], domain: Domain) -> Mixed:
    """Project the free minimiser, the point nearest to which is best, as the sum is h |u - y|^2/2 and a constant."""
    curvature, pull = Fraction(0), [-v for v in _total_slope(losses, domain.dim)]
    for loss, count in losses:
        if isinstance(loss, Quadratic):
            h = Fraction(loss.curvatures[0]) * count
            curvature, pull = curvature + h, [p + h * c for p, c in zip(pull, loss.centre, strict=True)]
    if curvature == 0:
        return to_mixed(domain.least_linear([-p for p in pull]))
    free = mixed_array(p / curvature for p in pull)[None]
    try:
        best = domain.project(free)
    except NotRational:
        best = domain.project(mixed_array(arb(v) for v in free[0])[None])
    if not all(isinstance(v, fmpq | arb) for v in best[0]):
        raise ValueError(
            f"{domain!r} projects exact numbers on floats: expected exact ones, for the best point in hindsight"
        )
    return total_loss(losses, list(best[0]))


class Function(NamedTuple):
    """A function of one coordinate: h (u - c)^2/2, and the maximum of lines (slope, offset)."""

    curvature: Fraction
    centre: Fraction
    lines: tuple[tuple[Fraction, Fraction], ...]

    def __call__(self, u: Fraction) -> Fraction:
        return self.curvature * (u - self.centre) ** 2 / 2 + max(a * u + b for a, b in self.lines)


def _split(one: Weighted, dim: int) -> list[list[Function]] | None:
    """Return the functions of each coordinate of which the loss is the sum; None if it is no such sum."""
    loss, count = one
    none, flat = Fraction(0), ((Fraction(0), Fraction(0)),)
    if isinstance(loss, Linear):
        return [[Function(none, none, ((count * Fraction(a), none),))] for a in loss.slope]
    if isinstance(loss, Quadratic):
        sides = zip(loss.curvatures, loss.centre, strict=True)
        return [[Function(count * Fraction(h), Fraction(c), flat)] for h, c in sides]
    if isinstance(loss, PiecewiseLinear):
        moving = [i for i in range(dim) if len({row[i] for row in loss.table}) > 1]
        if len(moving) > 1:
            return None
        own = moving[0] if moving else 0
        pieces = zip(loss.table, loss.offsets, strict=True)
        lines = tuple((count * Fraction(row[own]), count * Fraction(b)) for row, b in pieces)
        shared = [Function(none, none, ((count * Fraction(a), none),)) for a in loss.table[0]]
        return [[Function(none, none, lines) if i == own else shared[i]] for i in range(dim)]
    return None


def _least_on_interval(functions: Sequence[Function], low: Fraction, high: Fraction) -> Fraction:
    """Return the least sum on [low, high]: at an end, at a kink, or where the slope between two of these is 0."""

    def value(u: Fraction) -> Fraction:
        return total(f(u) for f in functions)

    curvature = total(f.curvature for f in functions)
    kinks = {(d - b) / (a - c) for f in functions for a, b in f.lines for c, d in f.lines if a != c}
    places = sorted({low, high, *(k for k in kinks if low < k < high)})
    if curvature:
        for left, right in pairwise(tuple(places)):
            middle = (left + right) / 2
            lines = [max(f.lines, key=lambda line: line[0] * middle + line[1])[0] for f in functions]
            free = (total(f.curvature * f.centre for f in functions) - total(lines)) / curvature
            if left < free < right:
                places.append(free)
    return min(map(value, places))
