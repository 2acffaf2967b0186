"""Multipliers with slack: simple functions of the parameters that stay within what is feasible at every point."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from flint import fmpq
from scipy.optimize import linprog

from fltheory.proving.multipliers.search.dual import Numbers, as_float, recognised, solve
from fltheory.proving.multipliers.search.faces import Face
from fltheory.proving.multipliers.search.interpolation import interpolated, power_at
from fltheory.proving.multipliers.search.sampling import Point
from fltheory.proving.multipliers.system import System, rest_of
from fltheory.proving.multipliers.system.ratios import Family, Ratio
from fltheory.work import spend

CONSTANTS = (fmpq(1), fmpq(2), fmpq(1, 2), fmpq(4), fmpq(1, 4), fmpq(3), fmpq(3, 2), fmpq(1, 3), fmpq(2, 3))
POWERS, SUM_OF_POWERS = (0, 1, -1, 2, -2), 3
TRIED, KEPT = 3, 2  # functions for one multiplier, and choices of the others for each
MOST_ENDS, NEAR_END = 26, 1e-6  # points at which ends are sought, and how near a rational is
MOST_DEGREE, ROUNDED = 3, (1, 2, 4, 8, 16, 32, 64)  # of fitted polynomials, and of their coefficients
CENTRAL = 0.1  # relative distance from both ends that leaves room for other multipliers

Interval = tuple[float, float]


def choices(system: System, face: Face, points: Sequence[Point], grid: Sequence[Point]) -> Iterator[tuple[Ratio, ...]]:
    """Yield multipliers of a face whose free ones are simple functions within what is feasible; few at most.

    If those do not do, the ends of what is feasible are tried, as rational functions through their values on the ``grid``.
    """
    family = face.family
    if not family.free:
        yield family.start
        return
    intervals = [_interval(system, face, p) for p in points]
    known = [(p, i) for p, i in zip(points, intervals, strict=True) if i is not None]
    if len(known) < len(points) / 2:
        return
    fitting = [m for f in _signed_functions(system, face) if (m := _margin(f, known)) is not None]
    central = [f for f, margin in fitting if margin > CENTRAL]
    simple = [f for f, _ in fitting]
    ends = (f for f in _ends(system, face, grid) if _margin(f, known) is not None)
    fitted = () if len(simple) >= TRIED else _fitted(system, known)
    known_ones = dict.fromkeys((*simple[:1], *central[: TRIED - 1], *simple[1:TRIED]))
    for function in itertools.chain(known_ones, fitted, ends):
        direction = family.directions[0]
        start = tuple(v + function * d if d else v for v, d in zip(family.start, direction, strict=True))
        rest = replace(face, family=Family(start, family.free[1:], family.directions[1:]))
        yield from itertools.islice(choices(system, rest, points, grid), KEPT)


def _fitted(system: System, known: Sequence[tuple[Point, Interval]]) -> Iterator[Ratio]:
    """Yield polynomials of low degree that are far from both ends of all intervals, with rounded coefficients."""
    letters = len(system.field.names)
    middle = np.array([(low + high) / 2 for _, (low, high) in known])
    width = np.array([(high - low) / 2 for _, (low, high) in known])
    for degree in range(1, MOST_DEGREE + 1):
        powers = [p for p in itertools.product(range(degree + 1), repeat=letters) if sum(p) <= degree]
        if len(powers) > len(known) / 2:
            return
        spend(1 + len(known) * len(powers) / 100)
        values = np.array([[as_float(power_at(point, p)) for p in powers] for point, _ in known])
        table = np.vstack([np.column_stack([s * values, width]) for s in (1, -1)])
        sides = np.concatenate([s * middle + width for s in (1, -1)])
        bounds = [(None, None)] * len(powers) + [(None, 1)]
        found = linprog(np.eye(len(powers) + 1)[-1] * -1, A_ub=table, b_ub=sides, bounds=bounds, method="highs-ds")
        if found.status != 0 or found.x[-1] <= 0:
            continue
        for below in ROUNDED:
            terms = {p: fmpq(round(float(c) * below), below) for p, c in zip(powers, found.x[:-1], strict=True)}
            ring = system.field.ring
            function = Ratio(ring.from_dict({p: c for p, c in terms.items() if c != 0}), ring.constant(1))
            if _margin(function, known) is not None:
                yield function
                break


def _ends(system: System, face: Face, grid: Sequence[Point]) -> Iterator[Ratio]:
    """Yield the lower and the upper end of the first free multiplier, where they are rational functions."""
    intervals = [(p, i) for p in grid[:MOST_ENDS] if (i := _interval(system, face, p)) is not None]
    for side in (0, 1):
        values = [(p, v) for p, i in intervals if (v := recognised(i[side], NEAR_END)) is not None]
        found = interpolated(system.field, lambda count, known=values: known[:count])  # type: ignore[misc]
        if found is not None:
            yield found


def _signed_functions(system: System, face: Face) -> Iterator[Ratio]:
    """Yield simple functions for the first free multiplier, of both signs if it is that of an equation."""
    equation = system.candidates[face.support[face.family.free[0]]].free
    for function in _simple_functions(system):
        yield function
        if equation and function:
            yield -function


def _simple_functions(system: System) -> Iterator[Ratio]:
    """Yield functions of the parameters, simple ones first: monomials, then with one factor from the conditions.

    Those of the goal come before all others, then these with one parameter more.
    """
    field = system.field
    yield field.number(0)
    own_monomials = _monomials([*system.goal.linear.values(), *system.goal.matrix.values()])
    further = (monomial * field.letter(name) for monomial in own_monomials for name in field.names)
    yield from (field.number(c) * monomial for monomial in dict.fromkeys((*own_monomials, *further)) for c in CONSTANTS)
    letters = [field.letter(n) for n in field.names]
    powers = [p for p in itertools.product(POWERS, repeat=len(letters)) if sum(map(abs, p)) <= SUM_OF_POWERS]
    for factor in (field.number(1), *_factors(system)):
        for shape in sorted(powers, key=lambda p: (sum(map(abs, p)), p)):
            own = factor
            for letter, power in zip(letters, shape, strict=True):
                for _ in range(abs(power)):
                    own = own * letter if power > 0 else own / letter
            yield from (field.number(c) * own for c in CONSTANTS)


def _monomials(coefficients: Sequence[Ratio]) -> list[Ratio]:
    """Return the products of parameters in some coefficients, without numbers and then with theirs, the short ones first."""
    plain, whole = dict[Ratio, int](), dict[Ratio, int]()
    for own in coefficients:
        ring = own.top.context()
        for powers, c in own.top.to_dict().items():
            one = Ratio(ring.from_dict({powers: fmpq(1)}), ring.constant(1)) / Ratio(own.bottom, ring.constant(1))
            plain[one] = sum(map(int, powers))
            number = Ratio(ring.constant(abs(c)), ring.constant(1))
            whole[number * one] = plain[one]
    return [f for found in (plain, whole) for f in sorted(found, key=lambda f: (f.size, found[f], str(f.top)))]


def _factors(system: System) -> Iterator[Ratio]:
    """Yield the conditions, one plus each parameter, and the inverses of these."""
    one = system.field.number(1)
    letters = [system.field.letter(n) for n in system.field.names]
    found = [*(one + x for x in letters), *(one - x for x in letters), *system.positive]
    found = [f for f in dict.fromkeys(found) if f.size > 2]
    yield from found
    yield from (one / f for f in found)


def _margin(function: Ratio, known: Sequence[tuple[Point, Interval]]) -> tuple[Ratio, float] | None:
    """Return the function with its least distance to the ends relative to the intervals; None if it leaves one."""
    least = 1.0
    for point, (low, high) in known:
        try:
            value = as_float(function.at(point))
        except ZeroDivisionError:
            return None
        if not low - 1e-6 * (1 + abs(low)) <= value <= high + 1e-6 * (1 + abs(high)):
            return None
        width = high - low
        if width > 1e-5 * (1 + abs(high)):
            least = min(least, (value - low) / width, (high - value) / width)
    return function, least


def _interval(system: System, face: Face, point: Point) -> Interval | None:
    """Return the ends of the first free multiplier at a point; None if the solver does not find them."""
    try:
        numbers, null = _in_free(system, face, point)
    except ZeroDivisionError:
        return None
    ends = list[float]()
    for sign in (1.0, -1.0):
        cost = np.zeros(len(face.family.free))
        cost[0] = sign
        found = solve(numbers, range(len(cost)), cost, null)
        if found is None:
            return None
        ends.append(float(found.weights[0]))
    return ends[0], ends[1]


def _in_free(system: System, face: Face, point: Point) -> tuple[Numbers, np.ndarray | None]:
    """Return the system in the free multipliers alone: one block is the rest, the multipliers stand on the diagonal."""
    signed = [i for i, k in enumerate(face.support) if not system.candidates[k].free]
    size = len(system.vectors)

    def block(values: Sequence[Ratio], whole: bool) -> np.ndarray:
        matrix = np.zeros((size + len(signed), size + len(signed)))
        weights = dict(zip(face.support, values, strict=True))
        rest = rest_of(system, weights, whole)
        matrix[:size, :size] = [[as_float(v.at(point)) for v in row] for row in rest]
        for place, i in enumerate(signed):
            matrix[size + place, size + place] = as_float(values[i].at(point))
        return matrix

    goal = block(face.family.start, True)
    parts = -np.array([block(d, False) for d in face.family.directions])
    null = np.zeros((len(goal), len(face.null)))
    for column, vector in enumerate(face.null):
        null[:size, column] = [as_float(v.at(point)) for v in vector]
    count = len(parts)
    numbers = Numbers(point, (goal, np.zeros(0)), (parts, np.zeros((count, 0))), np.ones(count, bool))
    return numbers, null if face.null else None
