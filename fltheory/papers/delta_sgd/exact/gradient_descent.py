"""Gradient descent on convex functions of which the minimum is known, and its worst cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from sympy import Symbol

from fltheory.number import RATIONAL, Number, as_number, exact
from fltheory.number.vectors import tidy_root
from fltheory.papers.delta_sgd import letters
from fltheory.papers.delta_sgd.data.lemma_instances import (
    Pieces,
    Ridges,
    Vector,
    dot,
    huber,
    quadratic,
    rational,
    rational_rows,
    squared_distance,
    steepness,
)
from fltheory.record import Data, vector

LINE = ((1,),)  # the direction of a function of one variable


@dataclass(frozen=True, repr=False)
class Descent(Data):
    """A convex, piecewise quadratic objective with its minimum, 0, at the origin, and a start."""

    objective: Ridges
    start: Any

    def __post_init__(self) -> None:
        self._set(start=rational("start", vector(self.start)))
        if len(self.start) != self.objective.dim:
            raise ValueError(f"expected a start of dimension {self.objective.dim}")
        for curve in self.objective.curves:
            if not isinstance(curve, Pieces) or curve.centre != 0 or min(curve.curvatures) < 0:
                raise ValueError("expected convex piecewise quadratic curves with their minimum at 0")
        if not self.smoothness:
            raise ValueError("expected an objective that is not 0")

    @cached_property
    def smoothness(self) -> Fraction:
        """A Lipschitz constant of the gradient everywhere; the least one for orthogonal directions."""
        curves: Any = self.objective.curves
        return steepness(self.objective.directions, [max(c.curvatures) for c in curves])

    def gap(self, step: Fraction, n_steps: int) -> Fraction:
        """f after some steps of gradient descent."""
        directions, x = self.objective.directions, self.start
        for _ in range(n_steps):
            slopes = [c.jet(dot(a, x))[1] for a, c in zip(directions, self.objective.curves, strict=True)]
            x = tuple(
                v - step * dot(column, slopes) for v, column in zip(x, zip(*directions, strict=True), strict=True)
            )
        return Fraction(as_number(self.objective.jet(x, RATIONAL)[0]))

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Smoothness and the distance from the start to the minimiser."""
        return {letters.L: self.smoothness, letters.R: tidy_root(dot(self.start, self.start))}


def in_one_variable(curve: Pieces, start: Any) -> Descent:
    """Descent on a function of one variable."""
    return Descent(Ridges(LINE, (curve,)), (start,))


class _Class(Data):
    """All convex functions of some smoothness, with a minimiser at a distance from the start."""

    smoothness: Any
    distance: Any

    def _read(self) -> None:
        smoothness, distance = rational("smoothness and distance", (exact(self.smoothness), exact(self.distance)))
        self._set(smoothness=smoothness, distance=distance)
        if not smoothness > 0 or not distance > 0:
            raise ValueError("smoothness and distance must be positive")

    def huber(self, spread: Fraction) -> Descent:
        """The Huber function that is linear beyond distance / ``spread``."""
        return in_one_variable(huber(Fraction(self.distance) / spread, self.smoothness), self.distance)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Smoothness and distance."""
        return {letters.L: self.smoothness, letters.R: self.distance}


@dataclass(frozen=True, repr=False)
class WorstHuber(_Class):
    """The Huber function that is worst for some steps of size 1/L."""

    n_steps: int
    smoothness: Any = 1
    distance: Any = 1

    def __post_init__(self) -> None:
        self._count("n_steps")
        self._read()

    @cached_property
    def gap(self) -> Fraction:
        """f after the steps."""
        return self.huber(Fraction(2 * self.n_steps + 1)).gap(1 / Fraction(self.smoothness), self.n_steps)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Smoothness, distance and the number of steps."""
        return {**super().constants, letters.T: self.n_steps}


@dataclass(frozen=True, repr=False)
class OneStep(_Class):
    """One step of gradient descent on all convex functions of some smoothness."""

    smoothness: Any = 1
    distance: Any = 1

    def __post_init__(self) -> None:
        self._read()

    def worst(self, step: Fraction) -> Fraction:
        """The larger gap of two functions, which no other exceeds for steps up to 2/L.

        With x* = 0, f* = 0, h = L step, g_0 and g_1 the gradients at x_0 and x_1, and the weights w = max(1/2, h - 1)
        of f* >= f_0 + <g_0, x* - x_0> + |g_0|^2/2L and of f_0 >= f_1 + <g_1, x_0 - x_1> + |g_0 - g_1|^2/2L, 1 - w of
        f* >= f_1 + <g_1, x* - x_1> + |g_1|^2/2L: what is left of L|x_0|^2 max(1/(2h + 1), (1 - h)^2)/2 is two squares.
        """
        spread = 2 * step * self.smoothness + 1
        steepest = in_one_variable(quadratic(self.smoothness), self.distance)
        return max(self.huber(spread).gap(step, 1), steepest.gap(step, 1))


@dataclass(frozen=True, repr=False)
class CommonStep(Data):
    """Clients f_i = L_i/2 |x - c_i|^2 that take a gradient step of size 1/max L_i from one point."""

    curvatures: Any
    centres: Any
    start: Any

    def __post_init__(self) -> None:
        self._set(
            curvatures=rational("curvatures", vector(self.curvatures)), start=rational("start", vector(self.start))
        )
        self._set(centres=rational_rows("centres", self.centres))
        self._alike("curvatures", "centres")
        if min(self.curvatures) <= 0 or len(self.centres[0]) != len(self.start) or self.start == self.slowest[1]:
            raise ValueError(
                "expected positive curvatures, centres like the start, the flattest client's apart from it"
            )

    @property
    def slowest(self) -> tuple[Fraction, Vector]:
        """Curvature and centre of the flattest client."""
        return min(zip(self.curvatures, self.centres, strict=True), key=lambda pair: pair[0])

    def left(self, n_steps: int) -> Fraction:
        """Of the flattest client's squared distance to its minimiser, what some steps leave."""
        curvature, centre = self.slowest
        step, x = 1 / Fraction(max(self.curvatures)), self.start
        for _ in range(n_steps):
            x = tuple(v - step * curvature * (v - c) for v, c in zip(x, centre, strict=True))
        return squared_distance(x, centre) / squared_distance(self.start, centre)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """The largest and the least curvature."""
        return {letters.L: max(self.curvatures), letters.mu: self.slowest[0]}
