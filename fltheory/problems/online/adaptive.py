"""Adversaries that choose a linear loss by the points played so far, and learners against them.

@dataclass(frozen=True)
class Sign:
    def answer(self, x, past, t): return np.where(x > 0, 1, -1)

instance = AdaptiveLosses(Sign(), Box(-1, 1), n_rounds=10, gradient_bound=1)
algorithm = against(Algorithm("OGD", step))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from flint import arb
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Client
from fltheory.model.schema import AsVector, Data, shortest_form
from fltheory.number import Number, as_number, exact, to_float
from fltheory.number.agreement import as_float_array
from fltheory.number.elements import as_elements, unwrap_exact, wrap_exact
from fltheory.problems.online.domains import Domain, require_point
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.method import NotEnumerable, VariantError

OUTSIDE = 1e-9  # by how much rounding may lengthen a slope, relative


class Adversary(Protocol):
    """A pure choice of the slope of a round's loss, whose ``repr`` rebuilds it. Arrays lead with the runs."""

    def answer(self, x: np.ndarray, past: np.ndarray, t: int) -> np.ndarray:
        """Return the slopes of the losses of round t, (runs, dim), where x is played and ``past`` is the sum of earlier slopes."""


@dataclass(frozen=True, repr=False)
class AdaptiveLosses(Data):
    """Losses <g_t, x>, where g_t is the ``adversary``'s answer to x_t and the past, at most ``gradient_bound`` long.

    Learners play ``against`` it. ``start``: a point of the domain. ValueError for another.
    """

    adversary: Adversary
    domain: Domain
    n_rounds: int
    start: AsVector
    gradient_bound: Number = 1

    def __post_init__(self) -> None:
        self._count("n_rounds")
        self._set(gradient_bound=exact(self.gradient_bound), start=require_point(self.domain, self.start, "start"))
        if not isinstance(self.gradient_bound, int | Fraction) or not self.gradient_bound > 0:
            raise ValueError(f"gradient_bound = {self.gradient_bound}: expected a positive rational number")

    def __repr__(self) -> str:
        given = f"{self.adversary!r}, {self.domain!r}, n_rounds={self.n_rounds}, start={shortest_form(self.start)!r}"
        return f"AdaptiveLosses({given}, gradient_bound={shortest_form((self.gradient_bound,))!r})"

    @property
    def n_clients(self) -> int:
        return self.n_rounds

    @property
    def dim(self) -> int:
        return self.domain.dim

    @property
    def draws(self) -> int:
        return 0

    def noise(self, x: np.ndarray, client: Client, uniforms: np.ndarray) -> np.ndarray:
        """Return 0: gradients have no noise."""
        return x * 0

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return 0: there is no loss before a learner plays ``against`` the adversary."""
        return x * 0

    def project(self, x: np.ndarray) -> np.ndarray:
        """Return the nearest point of the domain to every row of x, (runs, dim)."""
        return self.domain.project(x)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            symbols.n_rounds: self.n_rounds,
            symbols.n_participating: 1,
            symbols.dimension: self.dim,
            symbols.domain_diameter: self.domain.diameter,
            symbols.gradient_bound: self.gradient_bound,
        }

    def slopes(self, states: np.ndarray) -> np.ndarray:
        """Return the slopes as they came along runs (runs, R + 1, dim), (runs, R, dim): rational or floats.

        VariantError for slopes that are too long, or differ between two calls; NotEnumerable for irrational ones.
        """
        points, past, found = wrap_exact(states), wrap_exact(states[:, 0] * 0), []
        for t in range(states.shape[1] - 1):
            slope, again = (self.adversary.answer(points[:, t], past, t) + 0 * points[:, t] for _ in range(2))
            if np.shape(slope) != states[:, t].shape or not (slope == again).all():
                raise VariantError(
                    f"{self.adversary!r} is no function of the past: expected equal slopes (runs, dim) for equal arguments"
                )
            found.append(as_elements(unwrap_exact(slope)) if states.dtype == object else slope)
            past = past + slope
        told = np.stack(found, axis=1)
        lengths = (told * told).sum(axis=2)
        limit = to_float(self.gradient_bound) ** 2 * (1 + OUTSIDE)
        if not (as_float_array(lengths) <= limit).all():
            raise VariantError(
                f"{self.adversary!r} answers with a slope longer than gradient_bound = {self.gradient_bound}"
            )
        return told

    def regrets(self, states: np.ndarray) -> np.ndarray:
        """Return Σ <g_t, x_t> - min_u Σ <g_t, u> of every run, (runs,)."""
        slopes = self.slopes(states)
        least = [self.domain.least_linear([_rational(v) for v in row]) for row in slopes.sum(axis=1)]
        paid = (slopes * states[:, :-1]).sum(axis=(1, 2))
        if states.dtype != object:
            return np.asarray(paid - np.array([to_float(as_number(v)) for v in least]))
        return np.asarray(paid - np.array([*least, None], dtype=object)[:-1])


def _rational(value: Any) -> Fraction:
    if isinstance(value, arb):
        if not value.is_exact():
            raise NotEnumerable("the adversary's slopes are irrational: expected rational ones, such as signs")
        value = value.mid().fmpq()
    return Fraction(value) if isinstance(value, float) else Fraction(as_number(value))


class Facing:
    """An oracle in a round whose loss is linear."""

    def __init__(self, inner: Any, slope: np.ndarray) -> None:
        self._inner, self._slope = inner, slope

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """Return the slope."""
        return self._slope + 0 * x

    def value(self, x: np.ndarray, client: Client) -> np.ndarray:
        """Return the loss at x, (runs,)."""
        return np.asarray((self._slope * x).sum(axis=1))


def against(algorithm: Algorithm) -> Algorithm:
    """Return the learner against the adversary of its case (``AdaptiveLosses``); the past slopes go with the learner's state."""

    def point(own: Any) -> Any:
        if algorithm.point is not None:
            return algorithm.point(own)
        return own["x"] if isinstance(own, dict) else own

    def init(start: np.ndarray, c: Any) -> dict[str, Any]:
        own = algorithm.init(start, c)
        return {"x": point(own), "own": own, "past": 0 * start}

    def step(s: dict[str, Any], oracle: Any, c: Any) -> dict[str, Any]:
        if not isinstance(oracle.instance, AdaptiveLosses):
            raise VariantError(f"{algorithm.name} plays against an adversary: expected AdaptiveLosses")
        slope = oracle.instance.adversary.answer(s["x"], s["past"], c.round) + 0 * s["x"]
        own = algorithm.step(s["own"], Facing(oracle, slope), c)
        return {"x": point(own), "own": own, "past": s["past"] + slope}

    return Algorithm(algorithm.name, step, init=init, ordered=algorithm.ordered, within=algorithm.within)
