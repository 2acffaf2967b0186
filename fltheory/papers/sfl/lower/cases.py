"""The instances of the lower bounds: one coordinate for each regime of the step size, and direct sums of these.

A ``Construction`` turns constants into clients; called with constants it returns a ``Case``. As an assumption it checks
that a case is built that way. Irrational roots are rounded to the safe side, so all numbers are rational.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import sympy

from fltheory.model.case import Assumption, Case
from fltheory.model.schema import AsVector, Record, constant, nonnegative, per, positive, scalar
from fltheory.number import Number, exact
from fltheory.papers.sfl import notation
from fltheory.papers.sfl.lower.bounds import KAPPA, RATIO, START_DRIFT, START_NOISE
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients, SeparableClients

Clients = QuadraticClients | PiecewiseQuadraticClients
DIGITS = 12  # digits of a rounded root


def root(value: Fraction | int, degree: int, up: bool = False) -> Fraction:
    """Return the root of a nonnegative rational: exact if it is rational, else rounded down (or up) to 12 digits."""
    value = Fraction(value)
    top, top_exact = sympy.integer_nthroot(value.numerator, degree)
    bottom, bottom_exact = sympy.integer_nthroot(value.denominator, degree)
    if top_exact and bottom_exact:
        return Fraction(int(top), int(bottom))
    size = (value.numerator.bit_length() - value.denominator.bit_length()) * math.log10(2) / degree
    scale = Fraction(10) ** (DIGITS - math.floor(size))
    digits, _ = sympy.integer_nthroot(math.floor(value * scale**degree), degree)
    return (int(digits) + int(up)) / scale


@dataclass(frozen=True)
class Construction:
    """A wrapper of ``clients(c)``, which builds the instance from constants by canonical name (``c.small_curvature``).

    It does not receive the step size: it builds one instance for all step sizes, as lower bounds are stated.
    """

    name: str
    clients: Callable[[Any], Clients]

    def __call__(self, **settings: object) -> Case:
        """Return the case with these constants; the number of clients goes into the instance."""
        values = {name: exact(value) for name, value in settings.items()}
        instance = self.clients(_construction_constants(values))
        return Case(instance, **{n: v for n, v in values.items() if n != "n_clients"})

    @cached_property
    def assumption(self) -> Assumption:
        """Return the assumption that a case is what this construction builds from the constants of the case."""
        return Assumption(f"the instance of {self.name}", self._differs)

    def _differs(self, case: Case) -> str | None:
        try:
            expected = self.clients(_construction_constants({s.name: v for s, v in case.constants.items()}))
        except AttributeError as error:
            return f"the case does not give {error.name}"
        except (TypeError, ValueError, ZeroDivisionError) as error:
            return str(error)
        return None if expected == case.instance else f"these constants make {expected!r}"


def _construction_constants(constants: dict[str, Number]) -> SimpleNamespace:
    """Return the constants of a case that a construction receives."""
    return SimpleNamespace(**{name: value for name, value in constants.items() if name != notation.eta.name})


def signs(n_clients: int) -> list[int]:
    """Return +1 for the first half of the clients, -1 for the others; ValueError for an odd number."""
    if n_clients % 2:
        raise ValueError("n_clients must be even")
    return [1] * (n_clients // 2) + [-1] * (n_clients // 2)


def parabola(curvature: Number, start: Number, n_clients: int, noise_std: Number = 0) -> QuadraticClients:
    """Return equal clients curvature x^2 / 2 with two-point noise."""
    return QuadraticClients((curvature,) * n_clients, (0,) * n_clients, start, noise_std)


def split_parabola(curvature: Number, slope: Number, n_clients: int, start: Number = 0) -> QuadraticClients:
    """Return clients curvature x^2 / 2 +- slope x."""
    return QuadraticClients((curvature,) * n_clients, [slope * s for s in signs(n_clients)], start)


def kinked_clients(
    left: Number, right: Number, slope: Number, start: Number, n_clients: int, noise_std: Number = 0
) -> PiecewiseQuadraticClients:
    """Return clients c(x) x^2 / 2 +- slope x with c = left for x < 0 and right for x >= 0."""
    slopes = [slope * s for s in signs(n_clients)] if slope else [0] * n_clients
    return PiecewiseQuadraticClients((left,) * n_clients, (right,) * n_clients, slopes, start, noise_std)


def noisy_start(c: SimpleNamespace, auxiliary: Number) -> Fraction:
    """Return X_sigma, rounded up."""
    steps = c.n_clients * c.n_local_steps
    return Fraction(c.noise_std) / (START_NOISE * auxiliary * c.n_rounds) * root(Fraction(1, steps), 2, up=True)


def drifting_start(c: SimpleNamespace, auxiliary: Number) -> Fraction:
    """Return X_zeta, rounded up."""
    scale = START_DRIFT * auxiliary * c.n_rounds
    return Fraction(c.heterogeneity) / scale * root(Fraction(1, c.n_clients), 2, up=True)


def _s1(c: SimpleNamespace) -> Clients:
    return parabola(2 * c.small_curvature, Fraction(c.noise_std) / c.small_curvature, c.n_clients)


def _s2(c: SimpleNamespace) -> Clients:
    small = Fraction(c.large_curvature) / RATIO
    start = noisy_start(c, c.auxiliary_curvature)
    return kinked_clients(c.large_curvature, small, 0, start, c.n_clients, c.noise_std)


def _h1(c: SimpleNamespace) -> Clients:
    return parabola(2 * c.small_curvature, Fraction(c.heterogeneity) / c.small_curvature, c.n_clients)


def _h2(c: SimpleNamespace) -> Clients:
    small = Fraction(c.large_curvature) / RATIO
    start = drifting_start(c, c.auxiliary_curvature)
    return kinked_clients(c.large_curvature, small, c.heterogeneity, start, c.n_clients)


s1 = Construction("regime s1", _s1)
s2 = Construction("regime s2", _s2)
s3 = Construction("regime s3", lambda c: parabola(c.small_curvature, 0, c.n_clients, c.noise_std))
s4 = Construction("regime s4", _s1)
h1 = Construction("regime h1", _h1)
h2 = Construction("regime h2", _h2)
h3 = Construction("regime h3", lambda c: split_parabola(c.small_curvature, c.heterogeneity, c.n_clients))
h4 = Construction("regime h4", lambda c: split_parabola(c.small_curvature, c.heterogeneity, c.n_clients))
h5 = Construction("regime h5", _h1)

# Direct sums -----------------------------------------------------------------------------------------------------


def direct_sum(parts: Sequence[SeparableClients]) -> PiecewiseQuadraticClients:
    """Return clients on orthogonal coordinates: client m is the sum of client m of all parts; ValueError if empty."""
    if not parts:
        raise ValueError("without noise and heterogeneity the direct sum has no parts")
    clients = range(parts[0].n_clients)
    return PiecewiseQuadraticClients(
        [[v for p in parts for v in p.left[m]] for m in clients],
        [[v for p in parts for v in p.right[m]] for m in clients],
        [[v for p in parts for v in p.slopes[m]] for m in clients],
        [v for p in parts for v in p.start],
        [v for p in parts for v in p.noise_std],
    )


def coordinate(instance: SeparableClients, i: int) -> Clients:
    """Return one coordinate as an instance of its own, quadratic if it has no kink."""
    left, right, slopes = ([row[i] for row in t] for t in (instance.left, instance.right, instance.slopes))
    start, noise = instance.start[i], instance.noise_std[i]
    if left == right:
        return QuadraticClients(left, slopes, start, noise, instance.noise_law)
    return PiecewiseQuadraticClients(left, right, slopes, start, noise, instance.noise_law)


def noise_coordinate(c: SimpleNamespace) -> QuadraticClients:
    """Return mu x^2 / 2 with noise +-sigma from sigma / mu: any steps leave an error of sigma^2 / (2 mu (MKR + 1))."""
    return parabola(c.strong_convexity, Fraction(c.noise_std) / c.strong_convexity, c.n_clients, c.noise_std)


def _theorem_5(c: SimpleNamespace) -> Clients:
    mu, zeta, n = c.strong_convexity, Fraction(c.heterogeneity), c.n_clients
    return direct_sum(
        [
            parabola(2 * mu, zeta / mu, n),
            kinked_clients(RATIO * mu, mu, zeta, drifting_start(c, mu), n),
            split_parabola(RATIO * mu, zeta, n),
            split_parabola(RATIO * mu, zeta, n),
            parabola(KAPPA * mu, zeta / mu, n),
            noise_coordinate(c),
        ]
    )


def _theorem_5_noise(c: SimpleNamespace) -> Clients:
    mu, sigma, n = c.strong_convexity, Fraction(c.noise_std), c.n_clients
    return direct_sum(
        [
            parabola(2 * mu, sigma / mu, n),
            kinked_clients(RATIO * mu, mu, 0, noisy_start(c, mu), n, sigma),
            parabola(RATIO * mu, 0, n, sigma),
            parabola(KAPPA * mu, sigma / mu, n),
        ]
    )


def _theorem_6_sc(c: SimpleNamespace) -> Clients:
    mu, large, n = c.strong_convexity, c.smoothness, c.n_clients
    small, sigma, zeta = Fraction(large) / RATIO, Fraction(c.noise_std), Fraction(c.heterogeneity)
    return direct_sum(
        [
            parabola(2 * mu, sigma / mu, n),
            kinked_clients(large, small, 0, noisy_start(c, mu), n, sigma),
            parabola(2 * mu, zeta / mu, n),
            kinked_clients(large, small, zeta, drifting_start(c, mu), n),
            noise_coordinate(c),
        ]
    )


def slow_curvature(c: SimpleNamespace, square: Fraction, size: int) -> Fraction:
    """Return (L square / (size R^2 D^2))^(1/3), rounded down: the curvature of Theorem 6, general convex."""
    return root(
        Fraction(c.smoothness) * square / (size * Fraction(c.n_rounds) ** 2 * Fraction(c.initial_distance) ** 2), 3
    )


def _theorem_6_gc(c: SimpleNamespace) -> Clients:
    distance, large, n = Fraction(c.initial_distance), c.smoothness, c.n_clients
    small, sigma, zeta = Fraction(large) / RATIO, Fraction(c.noise_std), Fraction(c.heterogeneity)
    steps = n * c.n_local_steps
    noisy, drifting = slow_curvature(c, sigma**2, steps), slow_curvature(c, zeta**2, n)
    second = noisy_start(c, noisy) if sigma else Fraction(0)
    fourth = drifting_start(c, drifting) if zeta else Fraction(0)
    pairs = max((sigma > 0) + (zeta > 0), 1)
    # The noise coordinate starts at D, the others within D/1000 of 0; their constants allow this, so the distance is D.
    square = distance**2 / (10**6 if sigma else 1)
    first = root(max((square - second**2 - fourth**2) / pairs, Fraction(0)), 2)
    parts: list[Clients] = []
    if sigma:
        flat = sigma / distance * root(Fraction(1, steps * c.n_rounds), 2)
        parts += [parabola(2 * noisy, first, n), kinked_clients(large, small, 0, second, n, sigma)]
        parts += [parabola(flat, distance, n, sigma)]
    if zeta:
        parts += [parabola(2 * drifting, first, n), kinked_clients(large, small, zeta, fourth, n)]
    return direct_sum(parts)


theorem_5 = Construction("Theorem 5", _theorem_5)
theorem_5_noise = Construction("Theorem 5, noise as in Appendix C", _theorem_5_noise)
theorem_6_sc = Construction("Theorem 6, strongly convex", _theorem_6_sc)
theorem_6_gc = Construction("Theorem 6, general convex", _theorem_6_gc)

# One round of regime 2, from any start -----------------------------------------------------------------------------

one_round_h = Construction(
    "a round of regime h2",
    lambda c: kinked_clients(c.large_curvature, c.small_curvature, c.heterogeneity, c.start, c.n_clients),
)
one_round_s = Construction(
    "a round of regime s2",
    lambda c: kinked_clients(c.large_curvature, c.small_curvature, 0, c.start, c.n_clients, c.noise_std),
)

one_round_even = Construction(
    "a round on lam x^2 / 2 +- zeta x",
    lambda c: split_parabola(c.small_curvature, c.heterogeneity, c.n_clients, c.start),
)


class ScheduledDescent(Record):
    """SGD on curvature x^2 / 2 from x = noise_std / curvature, with noise of this standard deviation and any steps.

    ``weights`` are the weights of the iterates 0..T in the average: nonnegative and not all zero.
    """

    curvature: Number = scalar(positive, notation.mu)
    noise_std: Number = scalar(nonnegative, notation.sigma)
    steps: AsVector = per(notation.R, of=nonnegative)
    weights: AsVector = per("iterates", of=nonnegative, nonzero=True)

    def require(self) -> None:
        if len(self.weights) != len(self.steps) + 1:
            raise ValueError("weights must have one entry more than steps: the iterates 0..T")

    @constant(notation.M)
    def n_clients(self) -> int:
        """Return one client."""
        return 1

    @constant(notation.K)
    def n_local_steps(self) -> int:
        """Return one step a round."""
        return 1

    def error(self) -> Fraction:
        """Return E F(xbar) - F*: xbar = alpha x_0 - sum_t beta_t n_t, and the noises n_t are uncorrelated."""
        total = sum(self.weights, Fraction(0))
        factor, alpha = Fraction(1), Fraction(self.weights[0]) / total
        passed: list[Fraction] = []  # d x_t / d n_s
        betas = [Fraction(0)] * len(self.steps)
        for step, weight in zip(self.steps, self.weights[1:], strict=True):
            shrink = 1 - Fraction(step) * self.curvature
            factor *= shrink
            passed = [p * shrink for p in passed] + [Fraction(step)]
            alpha += factor * weight / total
            betas[: len(passed)] = [b + p * weight / total for b, p in zip(betas, passed, strict=False)]
        start = Fraction(self.noise_std) / self.curvature
        square = alpha**2 * start**2 + Fraction(self.noise_std) ** 2 * sum(b**2 for b in betas)
        return Fraction(self.curvature) * square / 2


class Scalar(Record):
    """A placeholder without a problem, for inequalities between numbers."""
