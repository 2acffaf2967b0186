"""The paper's learners: AAggFF-S (7), AAggFF-D (12) with full and partial participation, and corrected versions.

``c.learner_scale`` is L_s in the rate eta_t = L_s sqrt(t / log K): L_inf, Lemma A.2's constant or a half-span.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from fltheory.games.environment import OnlineGame
from fltheory.games.learners import (
    IN_BALLS,
    NewtonState,
    TwoKinds,
    balls,
    current_decision,
    entropic_ftrl,
    entropic_play,
    loss_gradient,
    newton_update,
    online_newton,
    quadratic_minimiser,
    two_kinds,
    two_kinds_entropic,
)
from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.games.player import Learner, uniform_start
from fltheory.model.case import Case
from fltheory.number import BALL, Element
from fltheory.papers.aaggff.estimators.closed_forms import doubly_robust, linearised_gradient, mean_seen
from fltheory.papers.aaggff.practice.closed_forms.released import weight as released_weight
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import Constants, run_constants


def share(p: np.ndarray, c: Constants) -> Any:
    """Return the participation rate C = m/K, as a number of the same kind as p."""
    return arb(c.n_participating) / c.n_clients if p.dtype == object else c.n_participating / c.n_clients


def doubly_robust_gradient(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    """Return (11) of the estimate (10); reference and imputation are the mean over the clients seen, as printed."""
    mean = mean_seen(response, seen)
    found: np.ndarray = linearised_gradient(doubly_robust(response, seen, share(p, c), mean), p, mean)
    return found


def fixed_reference_gradient(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    """Return (11) of the estimate (10) with ``c.imputed_response`` for both: the linearised gradient, unbiased (D1)."""
    estimate = doubly_robust(response, seen, share(p, c), c.imputed_response)
    found: np.ndarray = linearised_gradient(estimate, p, np.broadcast_to(_number(p, c.imputed_response), p.shape))
    return found


def linear_estimate(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    """Return minus the estimate (10) with ``c.imputed_response``: unbiased for the gradient of the linear loss."""
    found: np.ndarray = -doubly_robust(response, seen, share(p, c), c.imputed_response)
    return found


def _number(p: np.ndarray, value: float | Element) -> Any:
    return arb(value) if p.dtype == object else value


def games(reference: str, linear: bool = False) -> Callable[..., np.ndarray | None]:
    """Return the compiled games of a learner with this reference in its gradient; they are loaded on first use."""

    def kernel(case: Case, seed: int, repetitions: np.ndarray, loss: DecisionLoss) -> np.ndarray | None:
        from fltheory.papers.aaggff.kernels import total_losses

        return total_losses(reference, linear, case, seed, repetitions, loss)

    return kernel


class LastMeanState(NamedTuple):
    """The sum of the gradients (seeds, clients), the rounds so far (seeds,), the last mean response seen (seeds, 1)."""

    total: np.ndarray
    rounds: np.ndarray
    reference: np.ndarray


def last_mean_learner() -> Learner:
    """Return AAggFF-D with the last round's mean as reference and imputation, first ``low``: D1 without a constant."""

    def step(state: LastMeanState, seen: np.ndarray, response: np.ndarray, c: Constants) -> LastMeanState:
        p = entropic_play(state, c)
        estimate = doubly_robust(response, seen, share(p, c), state.reference)
        g = linearised_gradient(estimate, p, np.broadcast_to(state.reference, p.shape))
        return LastMeanState(state.total + g, state.rounds + 1, mean_seen(response, seen))

    def init(n: int, c: Constants) -> LastMeanState:
        first = np.full((n, 1), float(c.response_low))
        return LastMeanState(np.zeros((n, c.n_clients)), np.zeros(n, dtype=np.int64), first)

    def init_balls(n: int, c: Constants) -> LastMeanState:
        return LastMeanState(balls((n, c.n_clients)), np.zeros(n, dtype=np.int64), balls((n, 1), c.response_low))

    name = "AAggFF-D, last round's mean"
    exact = Learner(name, step, init_balls, entropic_play)
    return Learner(name, step, init, entropic_play, exact, games("last mean"))


def simplified_gradient(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
    """Return the printed gradient up to multiples of 1: it is 0 for clients not seen, and independent of p."""
    mean = mean_seen(response, seen)
    found: np.ndarray = -seen * (response - mean) / (share(p, c) * (1 + mean))
    return found


def two_kinds_of_clients(case: Case[OnlineGame]) -> arb | None:
    """Return Algorithm 3's total loss in a game of two kinds of clients who all take part."""
    if case.instance.n_participating < case.instance.n_clients:
        return None

    def move(first: arb, second: arb, kinds: TwoKinds) -> arb:
        mean = (kinds.first * first + kinds.second * second) / (kinds.first + kinds.second)
        return (second - first) / (1 + mean)

    return two_kinds_entropic(case, move)


def newton_as_released() -> Learner:
    """Return AAggFF-S with the objective of the authors' code, from the uniform decision, see ``released.py``.

    It is argmin <Σ g, p> + α(1 + β)/2·|p|² + β/2·Σ <g, p>²: (7) has <g, p - p_τ>² instead, and α/2·|p|².
    """

    def start(n: int, c: Constants) -> NewtonState:
        first = released_weight(c.learner_regularisation, c.learner_curvature) * np.eye(c.n_clients)
        p = uniform_start(n, c)
        return NewtonState(p, np.tile(first, (n, 1, 1)), np.zeros_like(p))

    def step(state: NewtonState, seen: np.ndarray, response: np.ndarray, c: Constants) -> NewtonState:
        from fltheory.games.simplex_qp import solve_dense

        g = LOG_GROWTH.gradient(state.p, response)
        B, linear = newton_update(state, g, c.learner_curvature)[0], state.linear + g
        return NewtonState(solve_dense(B, linear, state.p)[0], B, linear)

    def start_balls(n: int, c: Constants) -> NewtonState:
        B = balls((n, c.n_clients, c.n_clients))
        for i in range(c.n_clients):
            B[:, i, i] = released_weight(arb(c.learner_regularisation), arb(c.learner_curvature))
        return NewtonState(balls((n, c.n_clients), arb(1) / c.n_clients), B, balls((n, c.n_clients)))

    def step_balls(state: NewtonState, seen: np.ndarray, response: np.ndarray, c: Constants) -> NewtonState:
        g = LOG_GROWTH.gradient(state.p, response)
        B, linear = newton_update(state, g, c.learner_curvature)[0], state.linear + g
        solved = [quadratic_minimiser(*row) for row in zip(B, linear, state.p, strict=True)]
        return NewtonState(object_array([v for p in solved for v in p], state.p.shape), B, linear)

    name = "AAggFF-S, as released"
    twin = Learner(name, step_balls, start_balls, current_decision, kernel=two_kinds_as_released)
    return Learner(name, step, start, current_decision, exact=twin)


def two_kinds_as_released(case: Case) -> arb | None:
    """Return its total loss in a game of two kinds of clients, in balls; None for other games.

    As in ``two_kinds_newton`` x = -b/a in [0, 1], with b = -ridge/n + sum e + beta e g for g the second kind's gradient.
    """
    game = case.instance
    kinds = two_kinds(case) if game.n_clients <= IN_BALLS else None
    if kinds is None:
        return None
    c = run_constants(case, BALL)
    alpha, beta = arb(c.learner_regularisation), arb(c.learner_curvature)
    rows = [(1 + r[1], r[0] - r[1], -r[1]) for r in kinds.rows]
    zero, one = arb(0), arb(1)
    ridge = released_weight(alpha, beta)
    a, b = ridge / kinds.first + ridge / kinds.second, -ridge / kinds.second
    x, product = arb(kinds.first) / game.n_clients, one
    for j in game.order.tolist():
        floor, slope, low = rows[j]
        growth = floor + x * slope
        product *= growth
        e, g = -slope / growth, low / growth
        be = beta * e
        a += be * e
        b += e + be * g
        x = -b / a
        if not (x >= zero and x <= one):
            x = x.max(zero).min(one)
    return -product.log()


aaggff_s = online_newton(name="AAggFF-S")
aaggff_s_released = newton_as_released()
aaggff_d_exact = entropic_ftrl(name="AAggFF-D, exact gradients", kernel=games("earned"))
aaggff_d = entropic_ftrl(
    doubly_robust_gradient, "AAggFF-D", simplified_gradient, two_kinds_of_clients, games("mean seen")
)
aaggff_d_fixed = entropic_ftrl(fixed_reference_gradient, "AAggFF-D, fixed reference", kernel=games("imputed"))
aaggff_d_linear = entropic_ftrl(linear_estimate, "AAggFF-D, linear loss", kernel=games("imputed", linear=True))
aaggff_d_linear_exact = entropic_ftrl(
    loss_gradient(LINEAR), "AAggFF-D, linear loss, all responses", kernel=games("earned", linear=True)
)
aaggff_d_remembering = last_mean_learner()
