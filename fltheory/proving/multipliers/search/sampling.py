"""Points of the region: small rational values of the parameters at which every condition holds with room."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from flint import fmpq
from sympy import Expr

from fltheory.proving.multipliers.system.ratios import Ratio
from fltheory.work import spend

TRIES, SCALES = 4_000, (Fraction(3), Fraction(1), Fraction(1, 4), Fraction(12), Fraction(1, 24))
HALVINGS = 14
DENOMINATORS = (7, 11, 5, 13, 9, 17, 8)
Point = tuple[fmpq, ...]


def points_in(names: Sequence[Expr], positive: Sequence[Ratio], count: int) -> list[Point]:
    """Return up to ``count`` different points at which each of these functions is positive.

    Those at which a count such as that of the steps is 1 come last: there a sum is its only term.
    """
    found = dict[Point, None]()
    if not names:
        return [(fmpq(0),)]
    for scale in SCALES:
        for place, point in enumerate(_points(names, scale)):
            if place % 100 == 0:
                spend(0.2)
            if point not in found and _inside(positive, point):
                found[point] = None
            if len(found) == count:
                return _general_first(names, found)
    return _general_first(names, found)


def _general_first(names: Sequence[Expr], points: Iterable[Point]) -> list[Point]:
    counts = [i for i, name in enumerate(names) if name.is_integer]
    return sorted(points, key=lambda point: sum(point[i] == 1 for i in counts))


def far_points(names: Sequence[Expr], positive: Sequence[Ratio], count: int) -> list[Point]:
    """Return up to ``count`` points of which some parameters are small, others large."""
    found = dict[Point, None]()
    if not names:
        return [(fmpq(0),)]
    for place, point in enumerate(_points(names, Fraction(3))):
        shrunk = tuple(
            x if n.is_integer else x / 6 ** ((place // 3**i) % 3)
            for i, (n, x) in enumerate(zip(names, point, strict=True))
        )
        if place % 100 == 0:
            spend(0.2)
        if _inside(positive, shrunk):
            found[shrunk] = None
        if len(found) == count:
            break
    return list(found)


def edge_points(bounds: Sequence[tuple[Ratio, bool]], points: Sequence[Point], count: int) -> list[Point]:
    """Return up to ``count`` points at which a condition that is not strict holds with equality: one parameter is moved.

    ``bounds`` has what the conditions say is nonnegative, and whether it is even positive.
    """
    found = dict[Point, None]()
    for place, point in enumerate(points):
        edges = [(f, letter) for f, strict in bounds if not strict for letter in range(len(point))]
        for bound, letter in edges[place % max(1, len(edges)) :][:1]:
            moved = _moved_to_zero(bound, point, letter)
            if moved is not None and moved[letter] > 0 and _allowed(bounds, moved):
                found[moved] = None
        if len(found) == count:
            break
    return list(found)


def _moved_to_zero(bound: Ratio, point: Point, letter: int) -> Point | None:
    """Return the point with one coordinate changed so that a function vanishes, or nearly so if it is not linear in it."""

    def moved(value: fmpq) -> Point:
        return tuple(value if i == letter else x for i, x in enumerate(point))

    zero, one, two = (bound.top(*moved(fmpq(v))) for v in (0, 1, 2))
    if zero == one == two:
        return None
    if two - one == one - zero:
        return moved(zero / (zero - one))
    inside = point[letter]
    for step in (fmpq(1, 8), fmpq(-1, 8)):
        ends = [inside * (1 + k * step) for k in range(1, 8)]
        outside = next((e for e in ends if bound.top(*moved(e)) * bound.top(*point) < 0), None)
        if outside is not None:
            return moved(_halved(lambda v: bound.top(*moved(v)), inside, outside))
    return None


def _halved(function: Callable[[fmpq], fmpq], inside: fmpq, outside: fmpq) -> fmpq:
    """Return a number near a change of sign, on the side of ``inside``."""
    sign = function(inside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        if function(middle) * sign > 0:
            inside = middle
        else:
            outside = middle
    return inside


def _allowed(bounds: Sequence[tuple[Ratio, bool]], point: Point) -> bool:
    try:
        values = [(f.at(point), strict) for f, strict in bounds]
    except ZeroDivisionError:
        return False
    return all(v > 0 or (v == 0 and not strict) for v, strict in values)


def _inside(positive: Sequence[Ratio], point: Point) -> bool:
    try:
        return all(f.at(point) > 0 for f in positive)
    except ZeroDivisionError:
        return False


def _points(names: Sequence[Expr], scale: Fraction) -> Iterator[Point]:
    """Yield points of a fixed sequence that fills a box, with small denominators."""
    state = 12345
    for _ in range(TRIES):
        values = []
        for name in names:
            state = (1103515245 * state + 12345) % 2**31
            below = DENOMINATORS[(state >> 8) % len(DENOMINATORS)]
            state = (1103515245 * state + 12345) % 2**31
            if name.is_integer:
                values.append(fmpq((state >> 8) % 9 + (0 if not name.is_positive else 1)))
                continue
            top = (state >> 8) % max(1, int(scale * below)) + 1
            size = fmpq(top, below) if scale >= 1 else fmpq(top, int(below / scale))
            flip = not name.is_nonnegative and (state >> 20) % 2
            values.append(-size if flip else size)
        yield tuple(values)
