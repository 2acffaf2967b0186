"""Clients of Theorem 1: non-convex ones with common stationary points, one with random curvature, one in closed form.

All use phi(u) = sqrt(1 + u^2) - 1, which is a parabola near 0 and has slope at most 1 far away; ``height`` and
``width`` set the units: F(x) = height phi(x / width). Every constant of Assumption 1 is exact, or a stated upper bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.case import Client, ring_of
from fltheory.model.schema import AsVector, Data, Record, printable_table, read_vector, scalar
from fltheory.number import BALL, NotRational, Number, evaluate_to_precision, exact, symbolic, to_ball
from fltheory.number.vectors import average, exact_sqrt, total
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.lemmas import ABOVE_0
from fltheory.papers.delta_sgd.instances.one_of_samples import OneOfSamples
from fltheory.problems.additive_noise import AdditiveNoise, ring_array, type_ids

OFF_CENTRE = Fraction(4871, 10_000)  # where a bisection splits: not at a root of symmetric data


def _each(x: np.ndarray, function: Callable[[arb], arb]) -> np.ndarray:
    """Apply a function without rational values entrywise, to balls."""
    found = np.empty(x.shape, dtype=object)
    for i, v in enumerate(x.flat):
        if not isinstance(v, arb):
            raise NotRational
        found.flat[i] = function(v)
    return found


def slope(u: np.ndarray) -> np.ndarray:
    """Return phi'(u) = u / sqrt(1 + u^2), for floats or balls."""
    if u.dtype != object:
        return np.asarray(u / np.hypot(1, u))
    return _each(u, lambda v: v / (1 + v * v).sqrt())


def level(u: np.ndarray) -> np.ndarray:
    """Return phi(u) = u^2 / (1 + sqrt(1 + u^2)), without cancellation."""
    if u.dtype != object:
        return np.asarray(u * (u / (1 + np.hypot(1, u))))
    return _each(u, lambda v: v * v / (1 + (1 + v * v).sqrt()))


def wave(u: np.ndarray) -> np.ndarray:
    """Return cos u."""
    return np.cos(u) if u.dtype != object else _each(u, arb.cos)


def rational(value: Number, name: str) -> Fraction:
    """Return a number of the data; ValueError if it is irrational."""
    if not isinstance(value, int | Fraction):
        raise ValueError(f"{name} = {value}: expected a rational number")
    return Fraction(value)


def rationals(values: AsVector, name: str) -> tuple[Number, ...]:
    """Return rational numbers."""
    found = read_vector(values)
    for v in found:
        rational(v, name)
    return found


class _Units(Data):
    """A mixin: ``height`` and ``width`` are positive and rational, ``start`` is rational."""

    height: Number
    width: Number
    start: AsVector

    def _read_units(self) -> None:
        read = {"height": exact(self.height), "width": exact(self.width)}
        for name, value in read.items():
            if not rational(value, name) > 0:
                raise ValueError(f"{name} = {value}: expected a positive number")
        self._set(start=rationals(self.start, "start"), **read)

    @property
    def dim(self) -> int:
        return len(self.start)

    @property
    def steepest(self) -> Fraction:
        """Return height / width, the supremum of the slopes of F in a coordinate."""
        return Fraction(self.height) / Fraction(self.width)

    @property
    def curvature(self) -> Fraction:
        """Return height / width^2, the largest second derivative of F."""
        return self.steepest / Fraction(self.width)

    @property
    def _data(self) -> tuple[tuple[Number, ...], ...]:
        """Return the data of the gradients."""
        raise NotImplementedError

    def _arrays(self, x: np.ndarray) -> list[np.ndarray]:
        """Return the data as arrays of the kind of x."""
        ring = ring_of(x)
        key = ctx.prec if ring is BALL else str(ring)
        if key not in self._kept:
            self._kept[key] = [ring_array(values, (len(values),), ring) for values in self._data]
        return self._kept[key]

    @cached_property
    def _kept(self) -> dict[Any, list[np.ndarray]]:
        return {}


@dataclass(frozen=True, repr=False)
class MultipleClients(AdditiveNoise, _Units):
    """Clients with grad f_i = (w_i + r_i cos(omega_i x / width)) grad F, F(x) = height sum_j phi(x_j / width).

    ``weights`` are scaled to the mean 1 of w; the ``ripples`` r_i of equal ``frequencies`` omega_i cancel,
    so f = F: rho = max (|w_i - 1| + |r_i|)^2. Clients with w_i < 0 are non-convex. Noise as in ``AdditiveNoise``.
    """

    weights: AsVector
    start: AsVector
    height: Number = 1
    width: Number = 1
    ripples: AsVector = 0
    frequencies: AsVector = 0
    noise_std: AsVector = 0
    noise_law: str = "two_point"

    axis_aligned = True  # the gradient of each coordinate depends only on this coordinate

    def __post_init__(self) -> None:
        self._set(weights=rationals(self.weights, "weights"))
        self._read_units()
        for name, given in (("ripples", self.ripples), ("frequencies", self.frequencies)):
            values = rationals(given, name)
            self._set(**{name: values * self.n_clients if len(values) == 1 else values})
        self._require_same_length("weights", "ripples", "frequencies")
        if not total(self.weights) > 0:
            raise ValueError("the weights of the clients must have a positive sum")
        if any(w < 0 for w in self.frequencies) or any(r and not w for r, w in self._waves):
            raise ValueError("frequencies must be positive where there is a ripple")
        if any(total(r for r, w in self._waves if w == one) for one in set(self.frequencies)):
            raise ValueError("the ripples of equal frequency must sum to zero")
        rationals(self.noise_std, "noise_std")
        self._read_noise()

    @classmethod
    def spread(cls, n_clients: int, radius: object, start: object, **more: Any) -> MultipleClients:
        """Return w_i = 1 + r, 1 - r, 1 + r, ...: rho = r^2, for an even number of clients."""
        r = exact(radius)
        return cls(tuple(1 + (r if i % 2 == 0 else -r) for i in range(n_clients)), start, **more)

    def __repr__(self) -> str:
        parts: dict[str, Any] = {"weights": self.weights, "start": self.start}
        parts |= {n: v for n, v in (("height", self.height), ("width", self.width)) if v != 1}
        if any(self.ripples):
            parts |= {"ripples": self.ripples, "frequencies": self.frequencies}
        parts |= self._noise_arguments()
        return f"MultipleClients({', '.join(f'{k}={printable_table(v)!r}' for k, v in parts.items())})"

    @property
    def _waves(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple(zip(self.ripples, self.frequencies, strict=True))

    @property
    def n_clients(self) -> int:
        return len(self.weights)

    @cached_property
    def multiples(self) -> tuple[Fraction, ...]:
        """Return w_i, of mean 1."""
        mean = average(self.weights)
        return tuple(Fraction(w) / mean for w in self.weights)

    @cached_property
    def client_types(self) -> tuple[int, ...]:
        """Return equal numbers for clients with equal objectives."""
        return type_ids(zip(self.weights, self.ripples, self.frequencies, strict=True))

    @property
    def minimiser(self) -> tuple[Number, ...]:
        """Return 0."""
        return (0,) * self.dim

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        multiples, ripples, turns, _ = self._arrays(x)
        factor = multiples[:, None][client]
        if self._rippled:
            factor = factor + ripples[:, None][client] * wave(turns[:, None][client] * x)
        return factor * self.mean_gradient(x)

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        steepest, inverse, _ = self._arrays(x)[3]
        return np.asarray(steepest * slope(inverse * x))

    def gap(self, x: np.ndarray) -> np.ndarray:
        _, inverse, height = self._arrays(x)[3]
        return np.asarray((height * level(inverse * x)).sum(axis=-1))

    @cached_property
    def _rippled(self) -> bool:
        return any(self.ripples)

    @property
    def _data(self) -> tuple[tuple[Number, ...], ...]:
        inverse = 1 / Fraction(self.width)
        turns = tuple(w * inverse for w in self.frequencies)
        return self.multiples, self.ripples, turns, (self.steepest, inverse, self.height)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the constants; smoothness is an upper bound if there are ripples."""
        reach = max(abs(w) + abs(r) for w, r in zip(self.multiples, self.ripples, strict=True))
        bend = max(abs(w) + abs(r) * (1 + o) for w, (r, o) in zip(self.multiples, self._waves, strict=True))
        apart = max(abs(w - 1) + abs(r) for w, r in zip(self.multiples, self.ripples, strict=True))
        gap = sum(sympy.sqrt(1 + symbolic(v / Fraction(self.width)) ** 2) - 1 for v in self.start)
        return {
            notation.m: self.n_clients,
            notation.dimension: self.dim,
            notation.b: 1,
            notation.L: exact(self.curvature * bend),
            notation.G: exact(symbolic(reach * self.steepest) * sympy.sqrt(self.dim)),
            notation.rho: exact(apart**2),
            notation.sigma: exact_sqrt(self.noise_square),
            notation.gap: exact(symbolic(self.height) * gap),
        }


@dataclass(frozen=True, repr=False)
class RandomCurvature(OneOfSamples, _Units):
    """One client on the line with random curvature: F(x, z) = height a_z phi((x - b_z) / width), z uniform.

    The noise of a gradient depends on the point: gradients on the same mini-batch are of the same z.
    """

    scales: AsVector
    centres: AsVector
    start: AsVector = 0
    height: Number = 1
    width: Number = 1

    def __post_init__(self) -> None:
        self._set(scales=rationals(self.scales, "scales"), centres=rationals(self.centres, "centres"))
        self._read_units()
        self._require_same_length("scales", "centres")
        if len(self.scales) < 2 or any(not a > 0 for a in self.scales) or self.dim != 1:
            raise ValueError("expected at least two samples, positive scales and one coordinate")

    def samples(self, x: np.ndarray) -> np.ndarray:
        """Return the gradients of all samples at x, (seeds, samples)."""
        return np.asarray(self._arrays(x)[0] * slope(self._places(x)))

    def _places(self, x: np.ndarray) -> np.ndarray:
        _, _, centres, (inverse,) = self._arrays(x)
        return np.asarray((x - centres) * inverse)

    @property
    def _data(self) -> tuple[tuple[Number, ...], ...]:
        slopes, heights = (tuple(a * s for a in self.scales) for s in (self.steepest, Fraction(self.height)))
        return slopes, heights, self.centres, (1 / Fraction(self.width),)

    @cached_property
    def minimiser(self) -> tuple[Number, ...]:
        """Return where the increasing f' changes its sign, as a ball."""
        if self._starts_at_minimiser:
            return self.start
        if len(set(self.centres)) == 1:
            return (exact(self.centres[0]),)
        with ctx.workprec(256):
            low, high = to_ball(min(self.centres)), to_ball(max(self.centres))
            for _ in range(200):
                between = low + (high - low) * to_ball(OFF_CENTRE)
                at = self.mean_gradient(np.array([[between]], dtype=object))[0, 0]
                if at.contains(0):
                    break
                low, high = (between, high) if at < 0 else (low, between)
            return (low.union(high),)

    def gap(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self._value(x) - self._value(ring_array(self.minimiser, (1, 1), ring_of(x))))

    def _value(self, x: np.ndarray) -> np.ndarray:
        return np.asarray((self._arrays(x)[1] * level(self._places(x))).sum(axis=-1) / len(self.scales))

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        """Return the constants: every sample has the smoothness; the variance is half the mean squared gap of pairs.

        It is also at most the mean square of the samples' slopes.
        """
        n, samples = len(self.scales), list(zip(self.scales, self.centres, strict=True))
        pairs = total(_largest_slope_gap(*one, *two) for i, one in enumerate(samples) for two in samples[:i])
        variance = min(Fraction(pairs) / n**2, Fraction(average([a * a for a in self.scales])))
        return {
            notation.m: 1,
            notation.dimension: 1,
            notation.b: 1,
            notation.L: exact(max(self.scales) * self.curvature),
            notation.G: exact(average(self.scales) * self.steepest),
            notation.rho: 0,
            notation.sigma: exact_sqrt(variance * self.steepest**2),  # an upper bound
            notation.gap: self._initial_gap(),
        }

    @property
    def _starts_at_minimiser(self) -> bool:
        """Return whether the slopes at the start cancel by symmetry."""
        places = [symbolic((self.start[0] - b) / Fraction(self.width)) for b in self.centres]
        slopes = [symbolic(a) * u / sympy.sqrt(1 + u**2) for a, u in zip(self.scales, places, strict=True)]
        return bool(sympy.Add(*slopes) == 0)

    def _initial_gap(self) -> Number:
        if self._starts_at_minimiser:
            return 0
        return evaluate_to_precision(lambda: self.gap(ring_array(self.start, (1, 1), BALL))[0], 60, 256, 512)


def _largest_slope_gap(a: Number, b: Number, other: Number, centre: Number) -> Fraction:
    """Return the largest squared difference of two samples' slopes; signs differ only between the centres."""
    return Fraction(a - other if b == centre else a + other) ** 2


class HuberClient(Record):
    """One client on the line: f(x) = L x^2 / 2 for |x| <= x_0, linear beyond; |f'| <= L x_0, f' = L x along the run."""

    smoothness: Number = scalar(ABOVE_0, notation.L)
    start: Number = scalar(ABOVE_0, default=1)

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        steepest = exact(Fraction(self.smoothness) * Fraction(self.start))
        return {
            **super().constants,
            notation.m: 1,
            notation.dimension: 1,
            notation.b: 1,
            notation.G: steepest,
            notation.rho: 0,
            notation.sigma: 0,
            notation.gap: exact(Fraction(steepest) * Fraction(self.start) / 2),
        }
