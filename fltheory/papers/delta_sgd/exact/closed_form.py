"""The run of Delta-SGD with eta_0 = gamma/(2 L) on a parabola, in closed form: every step is gamma/(2 L)."""

from __future__ import annotations

from typing import Any

from fltheory.case import Case
from fltheory.number import BALL, NotRational, Ring
from fltheory.papers.delta_sgd import letters
from fltheory.runs.measures import GRADIENT_SQUARED, DirectMeasure, value_of


def mean_squared_gradient(case: Case, ring: Ring) -> Any:
    """x_{t+1} = (1 - gamma/2)^K x_t: L^2 x_0^2 (1 - q^T) / (T (1 - q)), q = (1 - gamma/2)^(2K)."""
    if ring is not BALL:
        raise NotRational
    c = case.constants
    rounds, steps = (int(c[s]) for s in (letters.T, letters.K))
    steepest, gamma = (ring.scalar(c[s]) for s in (letters.G, letters.gamma))
    left = (1 - gamma / 2) ** (2 * steps)
    return steepest * steepest * (1 - left**rounds) / (rounds * (1 - left))


HUBER_GRADIENT = DirectMeasure(
    "(1/T) Σ |∇f(x_t)|² on a parabola",
    mean_squared_gradient,
    GRADIENT_SQUARED,
    lambda case: value_of(letters.G**2, case),
)
