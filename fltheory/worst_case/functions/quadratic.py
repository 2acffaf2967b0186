"""Convex quadratic functions whose Hessians have eigenvalues in a range and need not commute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat
from sympy import Symbol

from fltheory import symbols
from fltheory.number import Number, exact, exact_text
from fltheory.problems.interpolated.evaluated import to_python_fraction
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.worst_case.functions import InterpolationData, Point, class_constant
from fltheory.worst_case.gram import ONE, Expression, Vector, as_float, combine_expressions, linear_combination, product

HESSIAN_DENOMINATOR = 10**12  # denominators of a Hessian's entries, relative to the smoothness
INTERIOR_MARGIN = 1e-11  # margin of eigenvalues to the ends of their range, for rounding
ZERO_TOLERANCE = 1e-9  # relative to the largest: directions without points


@dataclass(frozen=True)
class Quadratic:
    """Functions x^T A x / 2 + b^T x, eigenvalues of A from ``strong_convexity`` (0: just convex) to ``smoothness``.

    If a symmetric A maps points X to Y, X^T Y is symmetric and (Y - mu X)^T (L X - Y) nonnegative. That is sufficient
    too (Krein 1947; Bousselmi, Hendrickx and Glineur 2024). A point that depends on others adds no condition.
    """

    smoothness: Number = 1
    strong_convexity: Number = 0
    rooted = True
    smooth = True
    sufficient = True
    convex = True
    centred = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "smoothness", exact(self.smoothness))
        object.__setattr__(self, "strong_convexity", exact(self.strong_convexity))
        low, high = self.curvatures
        if not high > 0:
            raise ValueError(f"smoothness must be positive, got {self.smoothness}")
        if not 0 <= low < high:
            raise ValueError(f"strong_convexity must lie in [0, smoothness), got {self.strong_convexity}")

    @property
    def curvatures(self) -> tuple[fmpq, fmpq]:
        """Return the least and the largest curvature."""
        return class_constant(self.strong_convexity, "strong_convexity"), class_constant(self.smoothness, "smoothness")

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return L and mu."""
        return {symbols.smoothness: self.smoothness, symbols.strong_convexity: self.strong_convexity}

    def __str__(self) -> str:
        strongly = f", {exact_text(self.strong_convexity)}-strongly" if self.strong_convexity else ""
        return f"{exact_text(self.smoothness)}-smooth{strongly} convex quadratic functions"

    def entry(self, one: Point, other: Point) -> Expression:
        """Return -<y_i - mu x_i, L x_j - y_j>, plus the same with i and j exchanged if they differ."""
        return range_entry(one, other, *self.curvatures)

    def turned(self, one: Point, other: Point) -> Expression:
        """Return <x_i, y_j> - <y_i, x_j>."""
        return combine_expressions((ONE, product(one.at, other.gradient)), (-ONE, product(one.gradient, other.at)))

    def value(self, at: Vector, gradient: Vector) -> Expression:
        """Return <g, x>/2, the value above the least at a point x from the minimiser."""
        return product(gradient, at).times(fmpq(1, 2))

    def alone(self, one: Point) -> None:
        """Return None: the diagonal implies it."""

    def below(self, gradient: Vector) -> None:
        """Return None: x* is known."""

    def hessian(self, places: np.ndarray, images: np.ndarray) -> fmpq_mat:
        """Return the central one of Krein's extensions."""
        return self.inside(_between_limits(places, images, *self._limits))

    @property
    def _limits(self) -> tuple[float, float]:
        low, high = map(as_float, self.curvatures)
        return low, high

    def inside(self, near: np.ndarray) -> fmpq_mat:
        """Return a rational matrix whose eigenvalues are certainly in their range."""
        (low, high), n = self._limits, len(near)
        roots, directions = np.linalg.eigh((near + near.T) / 2)
        inside = INTERIOR_MARGIN * (high - low) / 2
        kept = (directions * np.clip(roots, low + inside, high - inside)) @ directions.T / high
        unit = self.curvatures[1] / HESSIAN_DENOMINATOR
        return fmpq_mat(
            n, n, [round(kept[max(i, j), min(i, j)] * HESSIAN_DENOMINATOR) * unit for i in range(n) for j in range(n)]
        )

    def clients(self, found: InterpolationData) -> MatrixClients:
        """Return clients with the Hessians that were found."""
        low, high = map(to_python_fraction, self.curvatures)
        hessians = [
            [[to_python_fraction(h[i, j]) for j in range(h.ncols())] for i in range(h.nrows())] for h in found.hessians
        ]
        return MatrixClients(hessians, found.tilts, found.start, high, low)


def range_entry(one: Point, other: Point, low: fmpq, high: fmpq) -> Expression:
    """Return minus an entry of the matrix for a range of eigenvalues, summed over both entries off the diagonal."""
    if one == other:
        return _range_entry(one, one, low, high)
    return combine_expressions((ONE, _range_entry(one, other, low, high)), (ONE, _range_entry(other, one, low, high)))


def _range_entry(one: Point, other: Point, low: fmpq, high: fmpq) -> Expression:
    left = linear_combination((ONE, one.gradient), (-low, one.at))
    return product(left, linear_combination((ONE, other.gradient), (-high, other.at)))


def _between_limits(places: np.ndarray, images: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return a symmetric matrix with eigenvalues near this range that maps places approximately to images."""
    middle, half = (low + high) / 2, (high - low) / 2
    found: np.ndarray = middle * np.eye(len(places)) + half * _krein_extension(
        places, (images - middle * places) / half
    )
    return found


def _krein_extension(places: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Return a symmetric contraction C with C places = images, approximately.

    In the known columns (c, K (1 - c^2)^(1/2)), K is a contraction; the rest is -K c K^T (Davis, Kahan and
    Weinberger 1982).
    """
    left, sizes, right = np.linalg.svd(places, full_matrices=False)
    use = sizes > ZERO_TOLERANCE * max(sizes, default=0)
    within = left[:, use]
    known = images @ right[use].T / sizes[use]
    among, across = within.T @ known, known - within @ (within.T @ known)
    roots, directions = np.linalg.eigh((among + among.T) / 2)
    rest = np.sqrt(np.clip(1 - roots**2, 0, None))
    outer = across @ directions / np.where(rest > ZERO_TOLERANCE, rest, np.inf)
    whole = within @ (directions * roots) @ (within @ directions).T
    return whole + across @ within.T + within @ across.T - (outer * roots) @ outer.T
