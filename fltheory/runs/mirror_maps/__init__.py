"""Mirror maps of mirror descent and their Bregman divergences: quadratic, p-norm, entropy on the simplex, or one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.model.bound import Dimension
from fltheory.model.case import Case, FederatedInstance, ring_of
from fltheory.number import Number, exact, to_float
from fltheory.runs.measures import LENGTH_SQUARED, RunMeasure
from fltheory.runs.method import VariantError

Rows = np.ndarray  # points or gradients, (runs, dim)


@dataclass(frozen=True)
class MirrorMap:
    """A strictly convex function h by its gradient and the inverse of the gradient; all take and give (runs, dim).

    ``divergence(u, x)`` is D_h(u, x) = h(u) - h(x) - <grad h(x), u - x>, (runs,). On a set, ``inverse`` gives the
    point of the set whose gradient differs from its argument by a normal of the set, argmax <z, x> - h(x).
    """

    name: str
    gradient: Callable[[Rows], Rows]
    inverse: Callable[[Rows], Rows]
    divergence: Callable[[Rows, Rows], Rows]

    def step(self, x: Rows, slope: Rows) -> Rows:
        """Return argmin_u <slope, u> + D_h(u, x), a step of mirror descent; ``slope`` is step size times gradient."""
        return self.inverse(self.gradient(x) - slope)

    def __repr__(self) -> str:
        return self.name


def quadratic_map(*weights: Number) -> MirrorMap:
    """h(x) = sum_i w_i x_i^2 / 2 with positive weights, one for every coordinate; with one weight, in all of them.

    ValueError for weights that are not positive.
    """
    weights = tuple(exact(w) for w in weights)
    if not weights or any(not w > 0 for w in weights):
        raise ValueError(f"a quadratic mirror map needs positive weights, got {weights}")

    def own(x: Rows) -> Any:
        ring = ring_of(x)
        return np.array([to_float(w) if ring is None else ring.scalar(w) for w in weights], dtype=x.dtype)

    def divergence(u: Rows, x: Rows) -> Rows:
        return ((u - x) * (u - x) * own(x)).sum(axis=1) / 2

    return MirrorMap("quadratic", lambda x: x * own(x), lambda z: z / own(z), divergence)


def entropy_map() -> MirrorMap:
    """h(x) = sum_i x_i log x_i on the simplex; steps are those of exponentiated gradient, the divergence is Kullback-Leibler's.

    Points have positive coordinates; u may have zeros.
    """

    def inverse(z: Rows) -> Rows:
        weights = np.exp(z - z.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def divergence(u: Rows, x: Rows) -> Rows:
        ratio = np.where(u > 0, u, 1) / np.where(u > 0, x, 1)
        return (u * np.log(ratio) - u + x).sum(axis=1)

    return MirrorMap("negative entropy", lambda x: 1 + np.log(x), inverse, divergence)


def p_norm_map(p: float) -> MirrorMap:
    """h(x) = |x|_p^2 / 2 for 1 < p <= 2, (p - 1)-strongly convex in the p-norm; floats. ValueError for another p."""
    if not 1 < p <= 2:
        raise ValueError(f"a p-norm mirror map needs 1 < p <= 2, got {p}")

    def dual(power: float) -> Callable[[Rows], Rows]:
        def link(x: Rows) -> Rows:
            norm = (np.abs(x) ** power).sum(axis=1, keepdims=True) ** (1 / power)
            return np.sign(x) * np.abs(x) ** (power - 1) / np.where(norm > 0, norm, 1) ** (power - 2)

        return link

    gradient = dual(p)

    def half_square(x: Rows) -> Rows:
        return (np.abs(x) ** p).sum(axis=1) ** (2 / p) / 2

    def divergence(u: Rows, x: Rows) -> Rows:
        return half_square(u) - half_square(x) - (gradient(x) * (u - x)).sum(axis=1)

    return MirrorMap(f"{p}-norm", gradient, dual(p / (p - 1)), divergence)


@dataclass(frozen=True)
class LastDivergence(RunMeasure):
    """E D_h(x*, x^(R)): the Bregman divergence of a mirror map from the last point to the minimiser."""

    mirror: MirrorMap
    name: str = "E D_h(x*, x_R)"
    dimension: Dimension = LENGTH_SQUARED

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        points = states[:, -1]
        ring = ring_of(points)
        best = np.empty(points.shape, dtype=points.dtype)
        best[:] = [to_float(v) if ring is None else ring.scalar(v) for v in case.instance.minimiser]
        found = np.asarray(self.mirror.divergence(best, points))
        if found.shape != points.shape[:1]:
            raise VariantError(f"{self.mirror}: divergence has shape {found.shape}, expected {points.shape[:1]}")
        return found[:, None]
