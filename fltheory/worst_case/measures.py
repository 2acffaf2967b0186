"""Measures that only worst cases use, in addition to those of theorems."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy

from fltheory.model.bound import Dimension
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import RATIONAL, Element, Ring
from fltheory.problems.online.regret import Regret as Regret
from fltheory.runs.distributions.moments import Block
from fltheory.runs.measures import (
    ENERGY,
    GRADIENT_SQUARED,
    LENGTH_SQUARED,
    LastDistance,
    LastGap,
    LeastGradient,
    RunMeasure,
    evaluate_in_ring,
)
from fltheory.runs.protocols import QuadraticInstance


@dataclass(frozen=True)
class RoundGrowth(RunMeasure):
    """E|x_R - x*|^2 - kept |x_0 - x*|^2 + weight (F(x_0) - F*): the remainder of a round in a telescoping sum.

    ``weight`` and ``kept`` are expressions in the constants of the case. The measure may be negative.
    """

    weight: sympy.Expr
    kept: sympy.Expr = sympy.S.One
    dimension: Dimension = LENGTH_SQUARED

    @property
    def name(self) -> str:
        """Return the measure in symbols."""
        kept = "" if self.kept == 1 else f"({self.kept}) "
        return f"E|x_R - x*|² - {kept}|x_0 - x*|² + ({self.weight}) (F(x_0) - F*)"

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        first, last = (LastDistance().values(states[:, [at]], case) for at in (0, -1))
        weight, kept = (evaluate_in_ring(expr, case, RATIONAL) for expr in (self.weight, self.kept))
        return last - first * kept + case.instance.gap(states[:, 0])[:, None] * weight

    def from_moments(self, blocks: list[Block], case: Case[QuadraticInstance], ring: Ring) -> Element:
        instance = case.instance
        weight, kept = (evaluate_in_ring(expr, case, ring) for expr in (self.weight, self.kept))
        away = [ring.scalar(instance.start[i]) - ring.scalar(instance.minimiser[i]) for i in range(instance.dim)]
        pairs = ((i, j) for i in range(instance.dim) for j in range(instance.dim))
        height = sum((ring.scalar(instance.hessian(i, j)) * away[i] * away[j] for i, j in pairs), ring.scalar(0)) / 2
        first = sum((a * a for a in away), ring.scalar(0))
        return LastDistance().from_moments(blocks, case, ring) - first * kept + height * weight


@dataclass(frozen=True)
class ConstrainedQuantity(RunMeasure):
    """The ``quantity`` at x_0 (gap or squared gradient) if |x_0 - x*|^2 - E|x_1 - x*|^2 <= ``fall``.

    The multiplier of the constraint is the coefficient that telescopes over rounds. With ``of_height`` it is on
    F - F* instead of the squared distance.
    """

    quantity: LastGap | LeastGradient
    contraction: sympy.Expr
    fall: Fraction
    of_height: bool = False
    dimension: Dimension = ENERGY

    @property
    def name(self) -> str:
        """Return the measure in symbols."""
        whole = "F(x_0)" if self.of_height else "|x_0 - x*|²"
        return f"{self.quantity.name} of x_0 where a round takes at most {self.fall} off {whole}"


@dataclass(frozen=True)
class LastGradient(RunMeasure):
    """E|grad F(x_R)|^2."""

    name: str = "E|∇F(x_R)|²"
    dimension: Dimension = GRADIENT_SQUARED

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        gradients = case.instance.mean_gradient(states[:, -1])
        return (gradients * gradients).sum(axis=-1)[:, None]


@dataclass(frozen=True)
class LeastGap(RunMeasure):
    """The minimum over r = 0..R of the expectation E[F(x_r) - F*]."""

    name: str = "min E[F(x_r) - F*]"
    dimension: Dimension = ENERGY

    def values(self, states: np.ndarray, case: Case[FederatedInstance]) -> np.ndarray:
        runs, rounds, dim = states.shape
        return case.instance.gap(states.reshape(runs * rounds, dim)).reshape(runs, rounds)
