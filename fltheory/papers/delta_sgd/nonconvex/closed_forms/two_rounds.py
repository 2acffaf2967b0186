"""The run of Delta-SGD with eta_0 = gamma/(2 L) on a parabola, in closed form: every step is gamma/(2 L)."""

from __future__ import annotations

from flint import arb

from fltheory.claims.statement import Constants, quantity_measure
from fltheory.number import to_ball
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.instances.clients import HuberClient
from fltheory.runs.measures import GRADIENT_SQUARED


def mean_squared_gradient(one: HuberClient, c: Constants) -> arb:
    """Return L^2 x_0^2 (1 - q^T) / (T (1 - q)), q = (1 - gamma/2)^(2K), as x_{t+1} = (1 - gamma/2)^K x_t; in a ball."""
    rounds, steps = int(c.n_rounds), int(c.n_local_steps)
    steepest, gamma = to_ball(c.client_gradient_bound), to_ball(c.amplifier)
    left = (1 - gamma / 2) ** (2 * steps)
    return steepest * steepest * (1 - left**rounds) / (rounds * (1 - left))


HUBER_GRADIENT = quantity_measure(
    mean_squared_gradient, GRADIENT_SQUARED, notation.G**2, name="(1/T) Σ |∇f(x_t)|² on a parabola"
)
