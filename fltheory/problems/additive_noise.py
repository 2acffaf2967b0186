"""Gradient noise that does not depend on the point: sigma * tau, with one sign or uniform tau a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.number import Number, Ring, to_float
from fltheory.problems.separable import NOISE_LAWS
from fltheory.record import vector

ROUNDING = 1 + 1e-9  # outward factor for floats that serve as ceilings


class AdditiveNoise:
    """Mixin: ``noise_std`` in each coordinate, ``noise_law`` "two_point" (signs) or "uniform"."""

    start: tuple[Number, ...]
    noise_std: tuple[Number, ...]
    noise_law: str

    def _read_noise(self) -> None:
        noise = vector(self.noise_std)
        if len(noise) == 1:
            noise = noise * len(self.start)
        if len(noise) != len(self.start) or any(not v >= 0 for v in noise):
            raise ValueError("noise_std must be nonnegative: one number, or one for every coordinate")
        if self.noise_law not in NOISE_LAWS:
            raise ValueError(f"noise_law must be one of {', '.join(NOISE_LAWS)}, got {self.noise_law!r}")
        object.__setattr__(self, "noise_std", noise)

    def _noise_arguments(self) -> dict[str, Any]:
        """The noise arguments that a repr has to name."""
        found: dict[str, Any] = {"noise_std": self.noise_std} if any(self.noise_std) else {}
        return found | ({"noise_law": self.noise_law} if self.noise_law != "two_point" else {})

    @property
    def draws(self) -> int:
        return 1 if any(self.noise_std) else 0

    @property
    def n_noise_values(self) -> int | None:
        """How many values the noise takes; None where they are infinitely many."""
        return 2 if self.noise_law == "two_point" else None

    def noise_support(self, ring: Ring) -> np.ndarray:
        """The equally likely noise vectors, shape (values, dim)."""
        scale = [ring.scalar(s) for s in self.noise_std]
        support = np.empty((2, len(scale)), dtype=object)
        support[0], support[1] = scale, [-s for s in scale]
        return support

    def noise(self, x: np.ndarray, client: Any, uniforms: np.ndarray) -> np.ndarray:
        """sigma * tau with one tau a gradient for all coordinates: signs, or uniform on [-sqrt 3, sqrt 3]."""
        std = np.array([to_float(s) for s in self.noise_std])
        signs = self.noise_law == "two_point"
        tau = np.where(uniforms < 0.5, 1.0, -1.0) if signs else (2 * uniforms - 1) * 3**0.5
        return tau * std

    @property
    def max_noise(self) -> float:
        """The largest norm of the noise."""
        factor = 1.0 if self.noise_law == "two_point" else 3**0.5
        return factor * sum(to_float(s) ** 2 for s in self.noise_std) ** 0.5 * ROUNDING

    @property
    def noise_square(self) -> Fraction:
        """sigma^2, the mean square of the noise."""
        return squared_norm(Fraction(s) for s in self.noise_std)


def squared_norm(values: Any) -> Fraction:
    """The sum of squares of rationals."""
    return sum((v * v for v in values), Fraction(0))


def mean(values: Sequence[Fraction]) -> Fraction:
    """The average of rationals."""
    return sum(values, Fraction(0)) / len(values)


def ring_array(flat: Sequence[Number], shape: tuple[int, ...], ring: Ring | None) -> np.ndarray:
    """Exact numbers as an array of floats (``ring`` None) or ring elements."""
    array = np.empty(len(flat), dtype=float if ring is None else object)
    array[:] = [to_float(v) if ring is None else ring.scalar(v) for v in flat]
    return array.reshape(shape)
