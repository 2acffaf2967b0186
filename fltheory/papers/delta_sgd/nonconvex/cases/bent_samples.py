"""One client on the line with samples that are parabolas up to a bend and linear beyond; some long runs are known."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.case import ring_of
from fltheory.model.schema import AsVector, Record, nonnegative, per, real
from fltheory.number import BALL, Number, Ring, exact
from fltheory.number.vectors import average, exact_sqrt
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.lemmas import ABOVE_0
from fltheory.papers.delta_sgd.instances.one_of_samples import OneOfSamples
from fltheory.problems.additive_noise import ring_array


def _clip(u: np.ndarray, bends: np.ndarray) -> np.ndarray:
    """Return u clipped to [-bend, bend], column by column, for floats, balls or rationals."""
    if u.dtype != object:
        return np.clip(u, -bends, bends)
    found = np.empty(u.shape, dtype=object)
    for at, v in np.ndenumerate(u):
        low, high = -bends[at[-1]], bends[at[-1]]
        found[at] = v.max(low).min(high) if isinstance(v, arb) else min(max(v, low), high)
    return found


class BentSamples(OneOfSamples, Record):
    """Samples F(x, z) = a_z H(x - c_z) + h_z x: H(u) = u^2/2 up to |u| = U_z, linear beyond, so H' = clip(u, U_z).

    Scales a, centres c, bends U, tilts h. Gradients on the same mini-batch are of the same z. f has a minimiser only if
    the slopes far to the left and far to the right have opposite signs.
    """

    scales: AsVector = per("sample", of=nonnegative, nonzero=True)
    centres: AsVector = per("sample", of=real)
    bends: AsVector = per("sample", of=ABOVE_0)
    tilts: AsVector = per("sample", of=real)
    start: AsVector = per("axis", of=real, default=0)

    dim = 1

    def require(self) -> None:
        rational = all(isinstance(v, int | Fraction) for row in (*self.table, self.start) for v in row)
        if len(self.start) != 1 or not rational:
            raise ValueError("expected rational numbers and one coordinate")
        left, right = self.mean_slopes
        if not left < 0 < right:
            raise ValueError("f has no minimiser, or many: its slopes far away must have opposite signs")

    @property
    def table(self) -> tuple[tuple[Number, ...], ...]:
        """Return scales, centres, bends and tilts."""
        return tuple(self.scales), tuple(self.centres), tuple(self.bends), tuple(self.tilts)

    # -- gradients -----------------------------------------------------------------------------------------------

    @lru_cache(maxsize=8)  # noqa: B019 (instances are small and frozen)
    def _tables(self, ring: Ring | None, precision: int) -> list[np.ndarray]:
        return [ring_array(row, (len(row),), ring) for row in self.table]

    def samples(self, x: np.ndarray) -> np.ndarray:
        """Return the gradients of all samples at x, (seeds, samples)."""
        ring = ring_of(x)
        scales, centres, bends, tilts = self._tables(ring, ctx.prec if ring is BALL else 0)
        return np.asarray(scales * _clip(x - centres, bends) + tilts)

    def gap(self, x: np.ndarray) -> np.ndarray:
        lowest = ring_array(self.minimiser, (1, 1), ring_of(x))
        return np.asarray(self._value(x) - self._value(lowest))

    def _value(self, x: np.ndarray) -> np.ndarray:
        ring = ring_of(x)
        scales, centres, bends, tilts = self._tables(ring, ctx.prec if ring is BALL else 0)
        bent = _clip(x - centres, bends)
        return np.asarray((scales * bent * (x - centres - bent / 2) + tilts * x).sum(axis=-1) / len(self.scales))

    # -- constants -----------------------------------------------------------------------------------------------

    def slopes(self, x: Fraction) -> list[Fraction]:
        """Return the gradients of the samples at a rational point."""
        rows = zip(*(map(Fraction, row) for row in self.table), strict=True)
        return [a * min(max(x - c, -u), u) + h for a, c, u, h in rows]

    @cached_property
    def corners(self) -> list[Fraction]:
        """Return the bends of the samples in increasing order: around them every gradient is linear in x."""
        pairs = [(Fraction(c), Fraction(u)) for c, u in zip(self.centres, self.bends, strict=True)]
        return sorted({c + side * u for c, u in pairs for side in (-1, 1)})

    @cached_property
    def mean_slopes(self) -> tuple[Fraction, Fraction]:
        """Return f' far to the left and far to the right; f' increases, so that they bound |f'|."""
        return average(self.slopes(self.corners[0])), average(self.slopes(self.corners[-1]))

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """Return the root of the increasing f'."""
        at = [(x, Fraction(average(self.slopes(x)))) for x in self.corners]
        for (low, below), (high, above) in pairwise(at):
            if below <= 0 <= above and below < above:
                return (exact(low - below * (high - low) / (above - below)),)
        raise ValueError("f' does not vanish")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the constants: every sample has the smoothness; the convex variance is largest at a corner."""
        here, least = Fraction(self.start[0]), Fraction(self.minimiser[0])
        means = [(self.slopes(x), Fraction(average(self.slopes(x)))) for x in self.corners]
        variance = max(Fraction(average([(g - mean) ** 2 for g in found])) for found, mean in means)
        return {
            notation.m: 1,
            notation.dimension: 1,
            notation.b: 1,
            notation.L: max(self.scales),
            notation.G: exact(max(map(abs, self.mean_slopes))),
            notation.rho: 0,
            notation.sigma: exact_sqrt(variance),
            notation.gap: exact(self._at(here) - self._at(least)),
        }

    def _at(self, x: Fraction) -> Fraction:
        """Return f at a rational point, up to a constant."""
        rows = zip(*(map(Fraction, row) for row in self.table), strict=True)
        bent = [(a, min(max(x - c, -u), u), x - c, h * x) for a, c, u, h in rows]
        return Fraction(average([a * b * (off - b / 2) + tilt for a, b, off, tilt in bent]))
