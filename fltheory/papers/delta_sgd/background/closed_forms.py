"""Gradient descent on convex functions with known minimum, and its worst cases."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from fltheory.model.schema import AsTable, AsVector, Record, constant, count, per, scalar
from fltheory.number import Number
from fltheory.number.vectors import exact_sqrt
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.lemmas import (
    ABOVE_0,
    FRACTION,
    Pieces,
    Ridges,
    Vector,
    dot,
    huber,
    quadratic,
    rational_of,
    squared_distance,
    steepness,
)

LINE = ((1,),)  # the direction for a function of one variable


class Descent(Record):
    """A convex, piecewise quadratic objective with minimum 0 at the origin, and a start."""

    objective: Ridges
    start: AsVector = per("coordinates", of=FRACTION)

    def require(self) -> None:
        """Require a start of the objective's dimension, and the objective's minimum 0 at 0."""
        if len(self.start) != self.objective.dim:
            raise ValueError(f"expected a start of dimension {self.objective.dim}")
        for curve in self.objective.curves:
            if not isinstance(curve, Pieces) or curve.centre != 0 or min(curve.curvatures) < 0:
                raise ValueError("expected convex piecewise quadratic curves with their minimum at 0")
        if not self.smoothness:
            raise ValueError("expected an objective that is not 0")

    @constant(notation.L)
    def smoothness(self) -> Fraction:
        """Return a Lipschitz constant of the gradient everywhere, the least one for orthogonal directions."""
        curves: Any = self.objective.curves
        return steepness(self.objective.directions, [max(c.curvatures) for c in curves])

    @constant(notation.R)
    def distance(self) -> Number:
        """Return the distance from the start to the minimiser."""
        return exact_sqrt(dot(self.start, self.start))

    def gap(self, step: Fraction, n_steps: int) -> Fraction:
        """Return f after some steps of gradient descent."""
        directions, x = self.objective.directions, self.start
        for _ in range(n_steps):
            slopes = [c.jet(dot(a, x))[1] for a, c in zip(directions, self.objective.curves, strict=True)]
            x = tuple(
                v - step * dot(column, slopes) for v, column in zip(x, zip(*directions, strict=True), strict=True)
            )
        return rational_of(self.objective.jet(x)[0])


def in_one_variable(curve: Pieces, start: Number) -> Descent:
    """Return descent on a function of one variable."""
    return Descent(Ridges(LINE, (curve,)), (start,))


def huber_descent(smoothness: Number, distance: Number, spread: Fraction) -> Descent:
    """Return descent on the Huber function that is linear beyond distance / ``spread``."""
    return in_one_variable(huber(Fraction(distance) / spread, smoothness), distance)


class WorstHuber(Record):
    """The Huber function that is worst for a number of steps of size 1/L."""

    n_steps: int = scalar(count(most=50), notation.T)
    smoothness: Number = scalar(ABOVE_0, notation.L, default=1)
    distance: Number = scalar(ABOVE_0, notation.R, default=1)

    @cached_property
    def gap(self) -> Fraction:
        """Return f after the steps."""
        worst = huber_descent(self.smoothness, self.distance, Fraction(2 * self.n_steps + 1))
        return worst.gap(1 / Fraction(self.smoothness), self.n_steps)


class OneStep(Record):
    """One step of gradient descent on all convex functions with a given smoothness."""

    smoothness: Number = scalar(ABOVE_0, notation.L, default=1)
    distance: Number = scalar(ABOVE_0, notation.R, default=1)

    def worst(self, step: Fraction) -> Fraction:
        """Return the larger gap of two functions, which is the worst case for steps up to 2/L.

        With x* = 0, f* = 0, h = L step, g_0 and g_1 the gradients at x_0 and x_1, and the weights w = max(1/2, h - 1)
        of f* >= f_0 + <g_0, x* - x_0> + |g_0|^2/2L and of f_0 >= f_1 + <g_1, x_0 - x_1> + |g_0 - g_1|^2/2L, 1 - w of
        f* >= f_1 + <g_1, x* - x_1> + |g_1|^2/2L: the remainder in L|x_0|^2 max(1/(2h + 1), (1 - h)^2)/2 is two squares.
        """
        spread = 2 * step * self.smoothness + 1
        steepest = in_one_variable(quadratic(self.smoothness), self.distance)
        flattest = huber_descent(self.smoothness, self.distance, spread)
        return max(flattest.gap(step, 1), steepest.gap(step, 1))


class CommonStep(Record):
    """Clients f_i = L_i/2 |x - c_i|^2 that take a gradient step of size 1/max L_i from one point."""

    curvatures: AsVector = per("clients", of=ABOVE_0)
    centres: AsTable = per("clients", "coordinates", of=FRACTION)
    start: AsVector = per("coordinates", of=FRACTION)

    def require(self) -> None:
        """Require that the flattest client does not start at its minimiser."""
        if self.start == self.slowest[1]:
            raise ValueError("expected a start other than the flattest client's centre")

    @constant(notation.L)
    def largest(self) -> Number:
        """Return the largest curvature."""
        return max(self.curvatures)

    @constant(notation.mu)
    def least(self) -> Number:
        """Return the smallest curvature."""
        return self.slowest[0]

    @property
    def slowest(self) -> tuple[Fraction, Vector]:
        """Return curvature and centre of the flattest client."""
        return min(zip(self.curvatures, self.centres, strict=True), key=lambda pair: pair[0])

    def left(self, n_steps: int) -> Fraction:
        """Return the flattest client's squared distance to its minimiser after some steps, relative to the start."""
        curvature, centre = self.slowest
        step, x = 1 / Fraction(self.largest), self.start
        for _ in range(n_steps):
            x = tuple(v - step * curvature * (v - c) for v, c in zip(x, centre, strict=True))
        return squared_distance(x, centre) / squared_distance(self.start, centre)
