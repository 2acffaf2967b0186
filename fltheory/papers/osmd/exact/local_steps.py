"""Local steps of quadratic clients with noise, exactly: mean and variance of how far a client has moved.

F_m has curvature kappa in [-L, L] and gradient g at the start of the round; every stochastic gradient is off by independent
noise of variance sigma^2. The displacement e_b obeys e_{b+1} = (1 - mu kappa) e_b - mu (g + noise).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from sympy import Symbol

from fltheory.case import Case
from fltheory.number import RATIONAL, Number, Ring, as_number, exact
from fltheory.number.vectors import average, tidy_root
from fltheory.papers.osmd import letters
from fltheory.record import Data, vector
from fltheory.runs.measures import GRADIENT_SQUARED, LENGTH_SQUARED, DirectMeasure


class Moved(NamedTuple):
    """After b local steps: E e and Var e of the displacement, and E[e N] with N the sum of the noise so far."""

    mean: Any
    variance: Any
    with_noise: Any

    @property
    def square(self) -> Any:
        """E e^2."""
        return self.mean * self.mean + self.variance


@dataclass(frozen=True, repr=False)
class QuadraticRound(Data):
    """Curvatures and gradients of the clients where a round begins, on the line, and the noise of a stochastic gradient.

    ``smoothness`` is an L >= |curvature| of all, the largest unless given.
    """

    curvatures: Any
    gradients: Any
    noise_std: Any = 0
    smoothness: Any = None

    def __post_init__(self) -> None:
        self._set(curvatures=vector(self.curvatures), gradients=vector(self.gradients))
        steepest = max(abs(k) for k in self.curvatures)
        given = self.smoothness if self.smoothness is not None else steepest or 1
        self._set(noise_std=exact(self.noise_std), smoothness=exact(given))
        numbers = (*self.curvatures, *self.gradients, self.noise_std, self.smoothness)
        if any(not isinstance(v, int | Fraction) for v in numbers):
            raise ValueError("curvatures, gradients, noise_std and smoothness must be rational")
        if len(self.curvatures) != len(self.gradients):
            raise ValueError("every client needs a curvature and a gradient")
        if not (self.noise_std >= 0 and self.smoothness > 0 and self.smoothness >= steepest):
            raise ValueError("noise_std must be nonnegative, smoothness positive and at least every |curvature|")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        g = [Fraction(v) for v in self.gradients]
        mean = average(g)
        return {
            letters.M: len(g),
            letters.L: self.smoothness,
            letters.sigma: self.noise_std,
            letters.zeta_unif: tidy_root(average([(v - mean) ** 2 for v in g])),
            letters.g: exact(abs(mean)),
        }

    def moved(self, client: int, n: int, step: Any, ring: Ring) -> list[Moved]:
        """After 0, 1, .., n local steps."""
        curvature, gradient = ring.scalar(self.curvatures[client]), ring.scalar(self.gradients[client])
        square = ring.scalar(Fraction(self.noise_std) ** 2)
        at = Moved(ring.scalar(0), ring.scalar(0), ring.scalar(0))
        found, keep = [at], 1 - step * curvature
        for _ in range(n):
            at = Moved(
                keep * at.mean - step * gradient,
                keep * keep * at.variance + step * step * square,
                keep * at.with_noise - step * square,
            )
            found.append(at)
        return found


def _settings(case: Case, ring: Ring) -> tuple[Any, int, Any]:
    instance: Any = case.instance
    return instance, int(case.constants[letters.B]), ring.scalar(case.constants[letters.mu])


def _client_drift(case: Case, ring: Ring) -> Any:
    instance, n, step = _settings(case, ring)
    return instance.moved(0, n, step, ring)[int(case.constants[letters.b])].square


def _mean_drift(case: Case, ring: Ring) -> Any:
    instance, n, step = _settings(case, ring)
    clients = range(len(instance.gradients))
    total = ring.scalar(0)
    for m in clients:
        for at in instance.moved(m, n, step, ring)[:n]:
            total = total + at.square
    return total / len(clients)


def _answer(case: Case, ring: Ring) -> Any:
    """E|sum of the stochastic gradients|^2 = E e_B^2 / mu^2."""
    instance, n, step = _settings(case, ring)
    return instance.moved(0, n, step, ring)[n].square / (step * step)


def _feedback(case: Case, ring: Ring) -> Any:
    return _answer(case, ring) / int(case.constants[letters.B])


def path_energy(case: Case, ring: Ring) -> Any:
    """I_2 = E|sum_b grad F(w_b)|^2 = E(e_B/mu + N)^2: what the local steps sum to, less the noise."""
    instance, n, step = _settings(case, ring)
    last = instance.moved(0, n, step, ring)[n]
    noise = n * ring.scalar(Fraction(instance.noise_std) ** 2)
    return last.square / (step * step) + 2 * last.with_noise / step + noise


CLIENT_DRIFT = DirectMeasure("E|w_{m,b} - w|²", _client_drift, LENGTH_SQUARED)
MEAN_DRIFT = DirectMeasure("(1/M) Σ_m Σ_b E|w_{m,b} - w|²", _mean_drift, LENGTH_SQUARED)
ANSWER = DirectMeasure("E|Σ_b ∇φ(w_b; ξ_b)|²", _answer, GRADIENT_SQUARED)
FEEDBACK = DirectMeasure("E|g_m|² / (μ_l² B)", _feedback, GRADIENT_SQUARED)


@dataclass(frozen=True, repr=False)
class OneClientRound(QuadraticRound):
    """One client, whose constants include I_2 of (41) for its local steps: the settings belong to the instance."""

    step: Any = "1/16"
    n_local_steps: Any = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "step", exact(self.step))
        object.__setattr__(self, "n_local_steps", exact(self.n_local_steps))
        if len(self.gradients) != 1 or not self.step > 0 or not isinstance(self.n_local_steps, int):
            raise ValueError("one client, a positive step and a number of local steps")

    def __repr__(self) -> str:
        return super().__repr__().replace("QuadraticRound", "OneClientRound")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        bare = QuadraticRound(self.curvatures, self.gradients, self.noise_std, self.smoothness)
        case = Case(bare, step_size=self.step, n_local_steps=self.n_local_steps)
        return {**case.constants, letters.I_2: exact(as_number(path_energy(case, RATIONAL)))}
