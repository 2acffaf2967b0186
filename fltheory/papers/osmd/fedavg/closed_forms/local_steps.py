"""Local steps of quadratic clients with noise, exactly: mean and variance of a client's displacement.

F_m has curvature kappa in [-L, L] and gradient g at the start of the round; each stochastic gradient has independent
noise of variance sigma^2. The displacement e_b obeys e_{b+1} = (1 - mu kappa) e_b - mu (g + noise).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from flint import fmpq
from sympy import Symbol

from fltheory.claims.statement import Constants, constants_of
from fltheory.model.case import Case
from fltheory.model.schema import AsVector, Data, read_vector
from fltheory.number import Number, as_number, exact
from fltheory.number.mixed import Mixed, shorten_to_ball, to_mixed
from fltheory.number.vectors import average, exact_sqrt
from fltheory.papers.osmd import notation


class Displacement(NamedTuple):
    """The displacement after b local steps: E e, Var e, and E[e N] with N the sum of the noise so far."""

    mean: Mixed
    variance: Mixed
    with_noise: Mixed

    @property
    def square(self) -> Mixed:
        """E e^2."""
        return self.mean * self.mean + self.variance


@dataclass(frozen=True, repr=False)
class QuadraticRound(Data):
    """The curvatures and gradients of the clients before a round, in one dimension, and the noise of their gradients.

    ``smoothness``: an L >= |curvature| of all clients, by default the largest.
    """

    curvatures: AsVector
    gradients: AsVector
    noise_std: Number = 0
    smoothness: Number = None

    def __post_init__(self) -> None:
        self._set(curvatures=read_vector(self.curvatures), gradients=read_vector(self.gradients))
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
            notation.M: len(g),
            notation.L: self.smoothness,
            notation.sigma: self.noise_std,
            notation.zeta_unif: exact_sqrt(average([(v - mean) ** 2 for v in g])),
            notation.g: exact(abs(mean)),
        }

    def moved(self, client: int, n: int, step: Mixed) -> list[Displacement]:
        """Return the displacements after 0, 1, .., n local steps of size ``step``."""
        curvature, gradient = to_mixed(self.curvatures[client]), to_mixed(self.gradients[client])
        square = to_mixed(Fraction(self.noise_std) ** 2)
        at = Displacement(fmpq(0), fmpq(0), fmpq(0))
        found, keep = [at], 1 - step * curvature
        for _ in range(n):
            at = Displacement(
                shorten_to_ball(keep * at.mean - step * gradient),
                shorten_to_ball(keep * keep * at.variance + step * step * square),
                shorten_to_ball(keep * at.with_noise - step * square),
            )
            found.append(at)
        return found


def _displacement(one: QuadraticRound, c: Constants) -> Displacement:
    """Return the displacement of the only client after the round."""
    return one.moved(0, int(c.n_local_steps), to_mixed(c.step_size))[-1]


def client_drift(one: QuadraticRound, c: Constants) -> Mixed:
    """E|w_{m,b} - w|²"""
    return one.moved(0, int(c.n_local_steps), to_mixed(c.step_size))[int(c.local_step)].square


def mean_drift(one: QuadraticRound, c: Constants) -> Mixed:
    """(1/M) Σ_m Σ_b E|w_{m,b} - w|²"""
    n, clients = int(c.n_local_steps), range(len(one.gradients))
    return sum(at.square for m in clients for at in one.moved(m, n, to_mixed(c.step_size))[:n]) / len(clients)


def answer(one: QuadraticRound, c: Constants) -> Mixed:
    """E|Σ_b ∇φ(w_b; ξ_b)|²"""
    return _displacement(one, c).square / to_mixed(c.step_size) ** 2  # E e_B^2 / mu^2


def feedback(one: QuadraticRound, c: Constants) -> Mixed:
    """E|g_m|² / (μ_l² B)"""
    return answer(one, c) / int(c.n_local_steps)


def path_energy(one: QuadraticRound, c: Constants) -> Mixed:
    """Return I_2 = E|sum_b grad F(w_b)|^2 = E(e_B/mu + N)^2: the sum of the local steps without the noise."""
    step, last = to_mixed(c.step_size), _displacement(one, c)
    noise = int(c.n_local_steps) * to_mixed(Fraction(one.noise_std) ** 2)
    return last.square / step**2 + 2 * last.with_noise / step + noise


@dataclass(frozen=True, repr=False)
class OneClientRound(QuadraticRound):
    """One client with the I_2 of (41) of its local steps as a constant: its step and step count are part of it."""

    step: Number = "1/16"
    n_local_steps: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "step", exact(self.step))
        object.__setattr__(self, "n_local_steps", exact(self.n_local_steps))
        if len(self.gradients) != 1 or not self.step > 0 or not isinstance(self.n_local_steps, int):
            raise ValueError("expected one client, a positive step and a number of local steps")

    def __repr__(self) -> str:
        return super().__repr__().replace("QuadraticRound", "OneClientRound")

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        bare = QuadraticRound(self.curvatures, self.gradients, self.noise_std, self.smoothness)
        case = Case(bare, step_size=self.step, n_local_steps=self.n_local_steps)
        return {**case.constants, notation.I_2: exact(as_number(path_energy(bare, constants_of(case))))}
