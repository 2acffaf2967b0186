"""Families of clients with bounded gradients: the instances of Theorems 4, 5 and 9."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from flint import arb

from fltheory.model.case import ring_of
from fltheory.model.schema import AsVector, Record, count, nonnegative, per, positive, probability, real, scalar
from fltheory.number import BALL, NotRational, Number, exact, to_ball, to_float
from fltheory.papers.osmd.instances.bounded_gradients import UNITS, BoundedClients


def _clip(w: np.ndarray, low: Number, high: Number) -> np.ndarray:
    """Return w clipped to [low, high], for floats, balls or rationals."""
    ring = ring_of(w)
    if ring is None:
        return np.clip(w, to_float(low), to_float(high))
    a, b = ring.scalar(low), ring.scalar(high)
    result = np.empty(w.shape, dtype=object)
    result[...] = w
    for i, v in np.ndenumerate(w):
        result[i] = v.max(a).min(b) if isinstance(v, arb) else min(max(v, a), b)
    return result


def _like(value: Number, w: np.ndarray) -> Any:
    """Return the number in the type of ``w``."""
    ring = ring_of(w)
    return to_float(value) if ring is None else ring.scalar(value)


class _LogCosh(BoundedClients):
    """f(w) = a U^2 log cosh(w/U): curvature a, bend U, f' = a U tanh(w/U)."""

    curvature: Number
    bend: Number

    @property
    def ends(self) -> tuple[Number, Number]:
        steep = Fraction(self.curvature) * Fraction(self.bend)
        return -steep, steep

    @property
    def steepest(self) -> Number:
        return self.curvature

    def _each(self, w: np.ndarray, name: str) -> np.ndarray:
        """Return tanh or log cosh of w/U in balls."""
        if ring_of(w) is not BALL:
            raise NotRational
        bend, result = to_ball(self.bend), np.empty(w.shape, dtype=object)
        for i, v in np.ndenumerate(w):
            x = v / bend
            result[i] = x.tanh() if name == "tanh" else _log_cosh(x)
        return result

    def slope(self, w: np.ndarray) -> np.ndarray:
        if w.dtype == object:
            return self._each(w, "tanh") * to_ball(Fraction(self.curvature) * Fraction(self.bend))
        bend, steep = self._bend_and_end
        return np.asarray(steep * np.tanh(w / bend))

    @cached_property
    def _bend_and_end(self) -> tuple[float, float]:
        bend = to_float(self.bend)
        return bend, to_float(self.curvature) * bend

    def rise(self, w: np.ndarray) -> np.ndarray:
        if w.dtype == object:
            return self._each(w, "log cosh") * to_ball(Fraction(self.curvature) * Fraction(self.bend) ** 2)
        x = np.abs(w / to_float(self.bend))
        small = np.log1p(2 * np.sinh(np.minimum(x, 1) / 2) ** 2)  # without cancellation
        value = np.where(x < 1, small, x + np.log1p(np.exp(-2 * x)) - np.log(2))
        return np.asarray(to_float(self.curvature) * to_float(self.bend) ** 2 * value)


def _log_cosh(x: arb) -> arb:
    x = abs(x)
    return x + (-2 * x).exp().log1p() - arb(2).log()


class ProportionalClients(_LogCosh, Record):
    """F_m = c_m a U^2 log cosh(w/U), c = ``shares``: p proportional to c has zero variance, if the floor allows it."""

    shares: AsVector = per("client", of=nonnegative, nonzero=True)
    start: AsVector = per("axis", of=real, default=1)
    bend: Number = scalar(positive, default=1)
    curvature: Number = scalar(positive, default=1)
    floor: Number = scalar(probability, default="1/2")
    noise_std: Number = scalar(nonnegative, default=0)
    units: ClassVar = {**UNITS, "bend": (0, 1), "curvature": (1, -2)}

    @property
    def scales(self) -> tuple[Number, ...]:
        return tuple(self.shares)


class _Tilted(BoundedClients):
    """Equal clients up to a tilt h w: one client each with h and -h for each h of ``pairs``, ``level`` with none."""

    pairs: AsVector
    level: int

    @property
    def scales(self) -> tuple[Number, ...]:
        return (1,) * (2 * len(self.pairs) + self.level)

    @property
    def tilts(self) -> tuple[Number, ...]:
        return (*self.pairs, *(-h for h in self.pairs), *(0,) * self.level)


class TiltedClients(_Tilted, _LogCosh, Record):
    """F_m = a U^2 log cosh(w/U) + h_m w: one client each with h and -h for each h of ``pairs``, ``level`` with none."""

    pairs: AsVector = per("pair", of=real)
    level: int = scalar(count(0), default=0)
    start: AsVector = per("axis", of=real, default=1)
    bend: Number = scalar(positive, default=1)
    curvature: Number = scalar(positive, default=1)
    floor: Number = scalar(probability, default="1/2")
    noise_std: Number = scalar(nonnegative, default=0)
    units: ClassVar = {**UNITS, "bend": (0, 1), "curvature": (1, -2), "pairs": (1, -1)}


class _Huber(BoundedClients):
    """f(w) = a w^2/2 up to |w| = U, linear beyond: curvature a, bend U, f' = a clip(w, U)."""

    curvature: Number
    bend: Number

    @property
    def ends(self) -> tuple[Number, Number]:
        steep = Fraction(self.curvature) * Fraction(self.bend)
        return -steep, steep

    @property
    def steepest(self) -> Number:
        return self.curvature

    def slope(self, w: np.ndarray) -> np.ndarray:
        return np.asarray(_clip(w, -self.bend, self.bend) * _like(self.curvature, w))

    def rise(self, w: np.ndarray) -> np.ndarray:
        bent = _clip(w, -self.bend, self.bend)
        return np.asarray(bent * (w - bent / 2) * _like(self.curvature, w))


class HuberClients(_Huber, Record):
    """``copies`` equal clients F_m = a w^2/2 up to |w| = ``bend``, linear beyond: they differ in their noise only."""

    copies: int = scalar(count())
    start: AsVector = per("axis", of=real, default=1)
    bend: Number = scalar(positive, default=10)
    curvature: Number = scalar(positive, default=1)
    floor: Number = scalar(probability, default="1/2")
    noise_std: Number = scalar(nonnegative, default=1)
    units: ClassVar = {**UNITS, "bend": (0, 1), "curvature": (1, -2)}

    @property
    def scales(self) -> tuple[Number, ...]:
        return (1,) * self.copies


class ApartClients(_Tilted, _Huber, Record):
    """F_m = f(w) + h_m w, with f linear beyond |w| = ``bend`` and the tilts of ``TiltedClients``."""

    pairs: AsVector = per("pair", of=real)
    level: int = scalar(count(0), default=0)
    start: AsVector = per("axis", of=real, default=1)
    bend: Number = scalar(positive, default=1)
    curvature: Number = scalar(positive, default=1)
    floor: Number = scalar(probability, default="1/2")
    noise_std: Number = scalar(nonnegative, default=0)
    units: ClassVar = {**UNITS, "bend": (0, 1), "curvature": (1, -2), "pairs": (1, -1)}


class SlopeClients(BoundedClients, Record):
    """``copies`` equal clients with slope s = ``steep`` for w >= 0, which decreases to 0 over [-s/a, 0]."""

    copies: int = scalar(count())
    steep: Number = scalar(positive)
    start: AsVector = per("axis", of=real)
    curvature: Number = scalar(positive, default=1)
    floor: Number = scalar(probability, default="2/5")
    noise_std: Number = scalar(nonnegative, default=0)
    units: ClassVar = {**UNITS, "steep": (1, -1), "curvature": (1, -2)}

    @property
    def scales(self) -> tuple[Number, ...]:
        return (1,) * self.copies

    @property
    def ends(self) -> tuple[Number, Number]:
        return 0, self.steep

    @property
    def steepest(self) -> Number:
        return self.curvature

    @property
    def foot(self) -> Fraction:
        """Return the minimiser of the objective that is nearest to a start on the slope."""
        return -Fraction(self.steep) / Fraction(self.curvature)

    @property
    def minimiser(self) -> tuple[Number, ...]:
        return (min(exact(self.foot), self.start[0]),)

    def slope(self, w: np.ndarray) -> np.ndarray:
        return np.asarray(_clip(w - _like(self.foot, w), 0, -self.foot) * _like(self.curvature, w))

    def rise(self, w: np.ndarray) -> np.ndarray:
        above = w - _like(self.foot, w)
        bent = _clip(above, 0, -self.foot)
        return np.asarray(bent * (above - bent / 2) * _like(self.curvature, w))
