"""Heterogeneity under sampling, (8)-(11): tables of gradients at finitely many points, and a game with a budget.

The dynamic heterogeneity is the value of a game: T times, nature picks a point and then the sampler a distribution,
with total variation at most beta. As a tree it is a convex program, whose value ``minimax`` encloses. For two clients
``value_on_grid`` encloses it by dynamic programming over (distribution, remaining budget), for many rounds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.schema import (
    AsTable,
    AsVector,
    Data,
    Record,
    constant,
    format_arguments,
    per,
    positive,
    printable_table,
    read_vector,
    real,
)
from fltheory.number import NotRational, Number, evaluate_to_precision, exact, to_ball
from fltheory.number.vectors import average, exact_sqrt
from fltheory.papers.osmd import notation, simplex
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Enclosure, Outcome, Points, least_largest, variance

COURSES = 300  # largest number of paths of a game
Gradient = tuple[Number, ...]


def norm_squared(vector_: Gradient) -> Fraction:
    """Return |g|^2."""
    return sum((Fraction(v) ** 2 for v in vector_), Fraction(0))


def mean_gradient(gradients: tuple[Gradient, ...]) -> tuple[Fraction, ...]:
    """Return the mean of the clients' gradients."""
    return tuple(average([Fraction(v) for v in column]) for column in zip(*gradients, strict=True))


@dataclass(frozen=True, repr=False)
class GradientTable(Data):
    """Gradients of every client at finitely many points, the floor alpha, and the game's rounds and budget.

    ``gradients[point][client]`` is a number or a vector. Its constants are those of Section 4; values of games are
    balls unless they are known exactly. ValueError for games with more than ``COURSES`` paths.
    """

    gradients: Sequence[AsTable]
    floor: Number = "1/5"
    n_rounds: int = 1
    budget: Number = 0

    def __post_init__(self) -> None:
        table = tuple(tuple(read_vector(g) for g in point) for point in self.gradients)
        self._set(gradients=table, floor=exact(self.floor), budget=exact(self.budget), n_rounds=exact(self.n_rounds))
        if not table or len({len(point) for point in table}) != 1 or not table[0]:
            raise ValueError("every point needs the gradient of every client")
        if len({len(g) for point in table for g in point}) != 1:
            raise ValueError("gradients must have the same dimension")
        if any(not isinstance(v, int | Fraction) for point in table for g in point for v in g):
            raise ValueError("gradients must be rational")
        if not (isinstance(self.floor, int | Fraction) and 0 < self.floor <= 1):
            raise ValueError(f"floor = {self.floor}: expected a rational number in (0, 1]")
        if not (isinstance(self.budget, int | Fraction) and self.budget >= 0):
            raise ValueError(f"budget = {self.budget}: expected a nonnegative rational number")
        if not isinstance(self.n_rounds, int) or self.n_rounds < 1:
            raise ValueError(f"n_rounds = {self.n_rounds}: expected a positive integer")

    def __repr__(self) -> str:
        rest = {"floor": self.floor, "n_rounds": self.n_rounds, "budget": self.budget}
        return f"GradientTable(gradients={tuple(map(printable_table, self.gradients))!r}, {format_arguments(rest)})"

    @property
    def n_clients(self) -> int:
        """The number of clients."""
        return len(self.gradients[0])

    @cached_property
    def points(self) -> Points:
        """The data of the points that V depends on."""
        squares = tuple(tuple(norm_squared(g) for g in point) for point in self.gradients)
        return Points(squares, tuple(norm_squared(mean_gradient(point)) for point in self.gradients))

    @property
    def alpha(self) -> Fraction:
        """The floor times the number of clients, as a fraction."""
        return Fraction(self.floor)

    # -- heterogeneities, squared --------------------------------------------------------------------------------

    @cached_property
    def uniform(self) -> Fraction:
        """The largest V under uniform sampling, zeta_unif^2 (8)."""
        p = [Fraction(1, self.n_clients)] * self.n_clients
        return max(variance(self.points, p, w) for w in range(len(self.gradients)))

    @cached_property
    def fixed(self) -> Enclosure:
        """The least over p of the largest V, zeta_fix^2 (10)."""
        outcomes = [Outcome(((0, w),)) for w in range(len(self.gradients))]
        return least_largest(self.points, outcomes, self.alpha, Fraction(0))

    @cached_property
    def dynamic(self) -> Enclosure:
        """The value of the game divided by T, zeta_T^2."""
        return _over(self._game(), self.n_rounds)

    @cached_property
    def clairvoyant(self) -> Enclosure:
        """The same if the sampler knows all points in advance: the largest value over sequences of points."""
        chain = tuple(zip(range(self.n_rounds - 1), range(1, self.n_rounds), strict=True))
        found = [
            least_largest(self.points, [Outcome(tuple(enumerate(course)), chain)], self.alpha, Fraction(self.budget))
            for course in self._courses()
        ]
        return _over(_largest(found), self.n_rounds)

    @cached_property
    def without_budget(self) -> Enclosure:
        """The value without variation, (1/T) sup_w min_p [V(p, w) + (T - 1) sup V(p, .)]."""
        points = range(len(self.gradients))
        found = []
        for first in points:
            rows = [Outcome(((0, first), *((0, w),) * (self.n_rounds - 1))) for w in points]
            found.append(least_largest(self.points, rows, self.alpha, Fraction(0)))
        return _over(_largest(found), self.n_rounds)

    @cached_property
    def pointwise(self) -> Enclosure:
        """The pointwise value sup_w min_p V(p, w), with p in the floored simplex."""
        found = [
            least_largest(self.points, [Outcome(((0, w),))], self.alpha, Fraction(0))
            for w in range(len(self.gradients))
        ]
        return _largest(found)

    def least(self) -> arb:
        """Return zeta_min^2, the largest ((1/M) sum |grad F_m|)^2 - |grad F|^2, at the working precision."""
        values = [
            (sum((to_ball(a).sqrt() for a in row), arb(0)) / self.n_clients) ** 2 - to_ball(b)
            for row, b in zip(self.points.squares, self.points.means, strict=True)
        ]
        found = values[0]
        for value in values[1:]:
            found = found.max(value)
        return found

    def least_exact(self) -> Fraction:
        """Return zeta_min^2 if all norms are rational, else raise NotRational."""
        roots = [[_root(a) for a in row] for row in self.points.squares]
        return max(average(row) ** 2 - b for row, b in zip(roots, self.points.means, strict=True))

    def best_is_floored(self) -> bool:
        """Return whether p proportional to |grad F_m(w)| respects the floor at each point, decided in balls."""
        with ctx.workprec(256):
            for row in self.points.squares:
                roots = [to_ball(a).sqrt() for a in row]
                total, floor = sum(roots, arb(0)), to_ball(self.alpha / self.n_clients)
                if any(row) and not all(
                    r >= floor * total or _tight(a, row, self) for r, a in zip(roots, row, strict=True)
                ):
                    return False
        return True

    def _courses(self) -> list[tuple[int, ...]]:
        if len(self.gradients) ** self.n_rounds > COURSES:
            raise ValueError(f"a game of more than {COURSES} paths: use fewer points or rounds")
        return list(itertools.product(range(len(self.gradients)), repeat=self.n_rounds))

    def _game(self) -> Enclosure:
        """Return the game as a program with a node for each sequence of points so far."""
        nodes: dict[tuple[int, ...], int] = {}
        outcomes = []
        for course in self._courses():
            path = [nodes.setdefault(course[: t + 1], len(nodes)) for t in range(self.n_rounds)]
            outcomes.append(Outcome(tuple(zip(path, course, strict=True)), tuple(itertools.pairwise(path))))
        return least_largest(self.points, outcomes, self.alpha, Fraction(self.budget))

    # -- constants -----------------------------------------------------------------------------------------------

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            notation.M: self.n_clients,
            notation.alpha: self.floor,
            notation.T: self.n_rounds,
            notation.beta: self.budget,
            notation.zeta_unif: exact_sqrt(self.uniform),
            notation.zeta_fix: root_of(self.fixed),
            notation.zeta_T: root_of(self.dynamic),
            notation.zeta_min: self._least_root,
        }

    @cached_property
    def _least_root(self) -> Number:
        try:
            return exact_sqrt(max(self.least_exact(), Fraction(0)))
        except NotRational:
            return evaluate_to_precision(lambda: self.least().max(arb(0)).sqrt(), 200, 512)


def _root(square: Fraction) -> Fraction:
    top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
    if top * top != square.numerator or bottom * bottom != square.denominator:
        raise NotRational
    return Fraction(top, bottom)


def _tight(a: Fraction, row: tuple[Fraction, ...], table: GradientTable) -> bool:
    """Return whether the root of ``a`` is at least the floor's share of the sum, exactly for rational roots."""
    try:
        return _root(a) * table.n_clients >= table.alpha * sum((_root(v) for v in row), Fraction(0))
    except NotRational:
        return False


def _over(found: Enclosure, rounds: int) -> Enclosure:
    return Enclosure(found.low / rounds, found.high / rounds, found.plan)


def _largest(found: list[Enclosure]) -> Enclosure:
    top = max(found, key=lambda e: e.high)
    return Enclosure(max(e.low for e in found), top.high, top.plan)


def value_of(found: Enclosure) -> Any:
    """Return the enclosed value: a rational if it is known exactly, else a ball."""
    return found.low if found.low == found.high else to_ball(found.low).union(to_ball(found.high))


def root_of(found: Enclosure) -> Number:
    """Return the root of an enclosed square: exact if the square is, else a ball."""
    low, high = max(found.low, Fraction(0)), max(found.high, Fraction(0))  # an enclosure of 0 may extend below it
    if low == high:
        return exact_sqrt(low)
    with ctx.workprec(256):
        return to_ball(low).union(to_ball(high)).sqrt()


class OneDraw(Record):
    """One client drawn from ``p``; its gradient times 1/(M p_m) is an unbiased estimate of the mean gradient."""

    gradients: AsTable = per(notation.M, "coordinate", of=real)
    p: AsVector = per(notation.M, of=positive)

    def require(self) -> None:
        if sum(map(Fraction, self.p)) != 1:
            raise ValueError(f"p = {self.p}: expected a positive distribution over the clients")

    def spread(self) -> Fraction:
        """Return E |grad F_m / (M p_m) - grad F|^2, over the clients."""
        n, mean = len(self.gradients), mean_gradient(self.gradients)
        away = (
            tuple(Fraction(v) / (n * Fraction(q)) - b for v, b in zip(g, mean, strict=True))
            for g, q in zip(self.gradients, self.p, strict=True)
        )
        return sum((Fraction(q) * norm_squared(a) for q, a in zip(self.p, away, strict=True)), Fraction(0))

    @constant(notation.Lbar)
    def loss(self) -> Fraction:
        """Return E |grad F_m / (M p_m)|^2."""
        parts = (norm_squared(g) / Fraction(q) for g, q in zip(self.gradients, self.p, strict=True))
        return sum(parts, Fraction(0)) / len(self.p) ** 2

    @constant(notation.g)
    def size(self) -> Number:
        """Return the norm of the mean gradient."""
        return exact_sqrt(norm_squared(mean_gradient(self.gradients)))


# Log-cosh clients (closed forms) --------------------------------------------------------------------------------------


def proportional_variance(shares: list[Fraction], largest: Fraction, alpha: Fraction) -> arb:
    """Return zeta_fix^2 = zeta_T^2 for F_m = c_m f, |f'| <= ``largest`` = U: U^2 [sum c_m^2/p_m / M^2 - mean^2]."""
    balls = [to_ball(c**2) for c in shares]
    best = simplex.floored_best(balls, to_ball(alpha))
    return to_ball(largest**2) * (simplex.loss(balls, best) / len(shares) ** 2 - to_ball(average(shares) ** 2))


def tilted_variance(tilts: list[Fraction], largest: Fraction, alpha: Fraction) -> arb:
    """Return zeta_fix^2 for F_m = f + h_m w with symmetric tilts: sum (U^2 + h_m^2)/p_m / M^2 - U^2 with the best p."""
    balls = [to_ball(h**2 + largest**2) for h in tilts]
    best = simplex.floored_best(balls, to_ball(alpha))
    return simplex.loss(balls, best) / len(tilts) ** 2 - to_ball(largest**2)


def least_tilted_variance(tilts: list[Fraction], largest: Fraction) -> Fraction:
    """Return zeta_min^2 of these clients: max over |u| <= U of (mean |u + h_m|)^2 - u^2, piecewise quadratic."""
    corners = sorted({Fraction(0), largest} | {abs(h) for h in tilts if abs(h) < largest})
    candidates = list(corners)
    for left, right in itertools.pairwise(corners):
        low, high = (average([abs(u + h) for h in tilts]) for u in (left, right))
        slope = (high - low) / (right - left)
        if slope < 1:  # (low + slope (u - left))^2 - u^2 is concave
            candidates.append(min(max(slope * (low - slope * left) / (1 - slope**2), left), right))
    return max(average([abs(u + h) for h in tilts]) ** 2 - u**2 for u in candidates)


# Dynamic programming --------------------------------------------------------------------------------------------------


def value_on_grid(points: Points, alpha: float, budget: float, rounds: int, cells: int) -> tuple[float, float]:
    """Return T zeta_T^2 for two clients between two floats, by dynamic programming on ``cells`` equal cells of p_1.

    From above: the sampler stays on the grid, with its budget rounded down. From below: it pays the least V of a
    cell, moves for free to the next cell, and its budget is rounded up. Rounding errors are far below the cell size.
    """
    if points.n_clients != 2:
        raise ValueError("the grid supports two clients only")
    low, high = alpha / 2, 1 - alpha / 2
    if cells < 1 or not high > low:
        raise ValueError("the grid needs at least one cell and a floor below 1")
    x = np.linspace(low, high, cells + 1)
    step = 2 * (high - low) / cells  # of the variation
    above = _values(_variances(points, x), math.floor(budget / step * (1 + 1e-12)), rounds, 0)
    below = _values(_cells(points, x), math.ceil(budget / step * (1 - 1e-12)), rounds, 1)
    return below * (1 - 1e-12), above * (1 + 1e-12)


def _variances(points: Points, x: np.ndarray) -> np.ndarray:
    """Return V at p = (x, 1 - x), (points, x)."""
    rows = zip(points.squares, points.means, strict=True)
    return np.stack([(float(a) / x + float(b) / (1 - x)) / 4 - float(mean) for (a, b), mean in rows])


def _cells(points: Points, x: np.ndarray) -> np.ndarray:
    """Return the least V on each cell, (points, cells): V is convex, with minimum at p proportional to the norms."""
    found = []
    for w, (a, b) in enumerate(points.squares):
        first, second = math.sqrt(a), math.sqrt(b)
        best = first / (first + second) if a or b else 0.5
        at = np.clip(best, x[:-1], x[1:])
        found.append(_variances(points, at)[w])
    return np.stack(found)


def _values(paid: np.ndarray, budget: int, rounds: int, free: int) -> float:
    """Return the value on a grid: ``paid`` (points, cells); a move by d cells costs max(d - ``free``, 0)."""
    places = paid.shape[1]
    budget = min(budget, (places - 1) * (rounds - 1))
    cost = np.maximum(np.abs(np.arange(places)[:, None] - np.arange(places)) - free, 0)
    left = np.arange(budget + 1)[:, None, None] - cost  # (budget, from, to): the remaining budget
    ahead = np.zeros((budget + 1, places))
    for _ in range(rounds - 1):
        to = np.where(left >= 0, ahead[np.maximum(left, 0), np.arange(places)], np.inf)
        ahead = np.max([(to + row).min(axis=2) for row in paid], axis=0)
    return float(max((row + ahead[budget]).min() for row in paid))
