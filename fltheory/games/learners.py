"""Standard online learners on the simplex, for the gradient of a decision loss or an estimate of it.

A learner follows ``gradient(p, seen, response, c)``, (seeds, clients); ``loss_gradient`` makes one from a loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat

from fltheory.games.environment import SubsetParticipation, is_fixed_table
from fltheory.games.hindsight import best_decision
from fltheory.games.losses import LINEAR, LOG_GROWTH, DecisionLoss
from fltheory.games.player import ImpreciseState, Learner, uniform_start
from fltheory.model.case import Case
from fltheory.number import BALL, Number
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable
from fltheory.work import spend_on

Gradient = Callable[[np.ndarray, np.ndarray, np.ndarray, Any], np.ndarray]
DENSE = 64  # largest number of clients for which the online Newton step stores its matrix
IN_BALLS = 12  # largest number of clients for which it runs in balls
OF_ROUND = 2  # cost of a round with two kinds of clients, in exact numbers


def loss_gradient(loss: DecisionLoss) -> Gradient:
    """Return the gradient of the loss at the play, when all responses are known."""

    def gradient(p: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return loss.gradient(p, response)

    return gradient


def balls(shape: tuple[int, ...], value: Number = 0) -> np.ndarray:
    """Return an array of one ball."""
    return object_array([arb(value)] * math.prod(shape), shape)


# Online Newton step as FTRL, (7) --------------------------------------------------------------------------------


class NewtonState(NamedTuple):
    """p, B = alpha I + beta sum g g', and the linear part sum g - beta g <g, p>."""

    p: np.ndarray
    B: np.ndarray
    linear: np.ndarray


class LongNewtonState(NamedTuple):
    """The state for many clients: the gradients g so far (seeds, rounds, clients) represent B."""

    p: np.ndarray
    gradients: np.ndarray
    linear: np.ndarray


def online_newton(gradient: Gradient | None = None, name: str = "online Newton step") -> Learner:
    """Return online Newton step (7): argmin of sum <g, p> + alpha/2 |p|^2 + beta/2 sum <g, p - p_tau>^2 on the simplex.

    It starts with the uniform decision. ``c.learner_regularisation`` is alpha and ``c.learner_curvature`` beta.
    Quadratic programs are solved to a certified gap. The default gradient is that of the log growth loss.
    """
    g_of = gradient or loss_gradient(LOG_GROWTH)

    def init(n: int, c: Constants) -> NewtonState | LongNewtonState:
        p = uniform_start(n, c)
        if c.n_clients > DENSE:
            return LongNewtonState(p, np.empty((n, 0, c.n_clients)), np.zeros_like(p))
        return NewtonState(p, np.tile(c.learner_regularisation * np.eye(c.n_clients), (n, 1, 1)), np.zeros_like(p))

    def step(
        state: NewtonState | LongNewtonState, seen: np.ndarray, response: np.ndarray, c: Constants
    ) -> NewtonState | LongNewtonState:
        from fltheory.games.simplex_qp import solve_dense, solve_low_rank

        g, beta = g_of(state.p, seen, response, c), c.learner_curvature
        if isinstance(state, NewtonState):
            B, linear = newton_update(state, g, beta)
            return NewtonState(solve_dense(B, linear, state.p)[0], B, linear)
        gradients = np.concatenate([state.gradients, g[:, None]], axis=1)
        linear = state.linear + g - beta * g * (g * state.p).sum(axis=1)[:, None]
        alpha = c.learner_regularisation
        solved = [solve_low_rank(alpha, beta, G, b, p)[0] for G, b, p in zip(gradients, linear, state.p, strict=True)]
        return LongNewtonState(np.array(solved), gradients, linear)

    def init_balls(n: int, c: Constants) -> NewtonState:
        if c.n_clients > IN_BALLS:
            raise NotEnumerable(f"quadratic programs in balls for at most {IN_BALLS} clients")
        B = balls((n, c.n_clients, c.n_clients))
        for i in range(c.n_clients):
            B[:, i, i] = arb(c.learner_regularisation)
        return NewtonState(balls((n, c.n_clients), arb(1) / c.n_clients), B, balls((n, c.n_clients)))

    def step_balls(state: NewtonState, seen: np.ndarray, response: np.ndarray, c: Constants) -> NewtonState:
        g = g_of(state.p, seen, response, c)
        B, linear = newton_update(state, g, c.learner_curvature)
        solved = [quadratic_minimiser(*row) for row in zip(B, linear, state.p, strict=True)]
        return NewtonState(object_array([v for p in solved for v in p], state.p.shape), B, linear)

    kernel = two_kinds_newton if gradient is None else None
    twin = Learner(name, step_balls, init_balls, current_decision, kernel=kernel)
    return Learner(name, step, init, current_decision, exact=twin)


def current_decision(state: NewtonState | LongNewtonState | DescentState | LeaderState, c: Constants) -> np.ndarray:
    """Return the p of the state."""
    found: np.ndarray = state.p
    return found


def newton_update(state: NewtonState, g: np.ndarray, beta: float | arb) -> tuple[np.ndarray, np.ndarray]:
    """Add beta g g' to B and g - beta g <g, p> to the linear part."""
    B = state.B + beta * (g[:, :, None] * g[:, None, :])
    return B, state.linear + g - beta * g * (g * state.p).sum(axis=1)[:, None]


def quadratic_minimiser(B: np.ndarray, linear: np.ndarray, near: np.ndarray) -> list[arb]:
    """Enclose argmin p'Bp/2 + <linear, p> over the simplex in balls.

    The support is guessed in floats and then proved; ImpreciseState if that fails.
    """
    n = len(linear)
    if n == 1:
        return [arb(1)]
    if n == 2:
        a, b = B[0, 0] - 2 * B[0, 1] + B[1, 1], B[0, 1] - B[1, 1] + linear[0] - linear[1]
        x = (-b / a).max(arb(0)).min(arb(1))
        return [x, 1 - x]
    from fltheory.games.simplex_qp import solve_dense

    floats = [np.array([[float(v.mid()) for v in row] for row in part]) for part in (B, [linear, near])]
    guess, _ = solve_dense(floats[0][None], floats[1][:1], floats[1][1:])
    support = [int(i) for i in np.flatnonzero(guess[0] > 1e-12)]
    m = len(support)
    rows = [[*(B[i, j] for j in support), arb(-1)] for i in support] + [[arb(1)] * m + [arb(0)]]
    try:
        solved = arb_mat(rows).solve(arb_mat([[-linear[i]] for i in support] + [[arb(1)]]))
    except ZeroDivisionError:
        raise ImpreciseState("the balls of the quadratic program are too wide") from None
    p = [arb(0)] * n
    for k, i in enumerate(support):
        p[i] = solved[k, 0]
    slack = [sum((B[i, j] * p[j] for j in support), linear[i]) - solved[m, 0] for i in range(n) if i not in support]
    if not all(p[i] >= 0 for i in support) or not all(v >= 0 for v in slack):
        raise ImpreciseState("at this precision it is undecided which clients have weight")
    return p


# Entropic learners ----------------------------------------------------------------------------------------------


class EntropicState(NamedTuple):
    """The sum of the gradients (seeds, clients) and the number of rounds (seeds,)."""

    total: np.ndarray
    rounds: np.ndarray


def entropic_ftrl(
    gradient: Gradient | None = None,
    name: str = "entropic FTRL",
    twin: Gradient | None = None,
    of_two_kinds: Callable[[Any], arb | None] | None = None,
    kernel: Callable[..., Any] | None = None,
) -> Learner:
    """Return entropic FTRL (12): p proportional to exp(-sum g / eta_(t+1)), eta_t = L_s sqrt(t / log K).

    L_s is ``c.learner_scale``. The default gradient is that of the log growth loss. ``twin`` is a gradient that differs
    only by multiples of 1, which gives the same decisions and works in balls. ``of_two_kinds`` is its total loss
    against clients of two kinds, in balls. ``kernel`` is a compiled version of its games.
    """
    g_of = gradient or loss_gradient(LOG_GROWTH)
    g_in_balls = twin or g_of

    def init(n: int, c: Constants) -> EntropicState:
        return EntropicState(np.zeros((n, c.n_clients)), np.zeros(n, dtype=np.int64))

    def init_balls(n: int, c: Constants) -> EntropicState:
        return EntropicState(balls((n, c.n_clients)), np.zeros(n, dtype=np.int64))

    def step(state: EntropicState, seen: np.ndarray, response: np.ndarray, c: Constants) -> EntropicState:
        return EntropicState(state.total + g_of(entropic_play(state, c), seen, response, c), state.rounds + 1)

    def step_balls(state: EntropicState, seen: np.ndarray, response: np.ndarray, c: Constants) -> EntropicState:
        return EntropicState(state.total + g_in_balls(entropic_play(state, c), seen, response, c), state.rounds + 1)

    own = two_kinds_entropic if gradient is None else of_two_kinds
    exact = Learner(name, step_balls, init_balls, entropic_play, kernel=own)
    return Learner(name, step, init, entropic_play, exact=exact, kernel=kernel)


def entropic_play(state: Any, c: Constants) -> np.ndarray:
    """Return the decision of an entropic learner."""
    if c.n_clients == 1:
        return softmax(state.total * 0)
    if state.total.dtype == object:
        log_k, size = arb(c.n_clients).log(), arb(c.learner_scale)
        rates = object_array([size * arb(int(t) + 1).sqrt() / log_k.sqrt() for t in state.rounds], (len(state.rounds),))
        return softmax(-state.total / rates[:, None])
    rate = c.learner_scale * np.sqrt((state.rounds + 1) / math.log(c.n_clients))
    return softmax(-state.total / rate[:, None])


def softmax(x: np.ndarray) -> np.ndarray:
    """Return the softmax of x along the last axis, in floats or balls."""
    exact = x.dtype == object
    weights = object_array([v.exp() for v in x.flat], x.shape) if exact else np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1)[..., None])


def exponentiated_gradient(gradient: Gradient | None = None, name: str = "exponentiated gradient") -> Learner:
    """Return entropic mirror descent (3) with the fixed rate of T rounds: p_i proportional to p_i exp(-g_i / eta_T)."""
    g_of = gradient or loss_gradient(LOG_GROWTH)

    def step(state: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        if c.n_clients == 1:
            return state
        rate = c.learner_scale * math.sqrt(c.n_rounds / math.log(c.n_clients))
        return softmax(np.log(np.maximum(state, 1e-300)) - g_of(state, seen, response, c) / rate)

    return Learner(name, step)


# Others ---------------------------------------------------------------------------------------------------------


class DescentState(NamedTuple):
    """The decision and the number of rounds."""

    p: np.ndarray
    rounds: np.ndarray


def online_gradient_descent(gradient: Gradient | None = None, name: str = "online gradient descent") -> Learner:
    """Return projected gradient descent (Zinkevich 2003): p - g sqrt(2 / (K t)) / L_s; ``c.learner_scale`` is L_s."""
    g_of = gradient or loss_gradient(LOG_GROWTH)

    def init(n: int, c: Constants) -> DescentState:
        return DescentState(uniform_start(n, c), np.zeros(n, dtype=np.int64))

    def step(state: DescentState, seen: np.ndarray, response: np.ndarray, c: Constants) -> DescentState:
        from fltheory.games.kernels import project

        rate = np.sqrt(2 / (c.n_clients * (state.rounds + 1))) / c.learner_scale
        moved = state.p - rate[:, None] * g_of(state.p, seen, response, c)
        return DescentState(np.array([project(row) for row in moved]), state.rounds + 1)

    return Learner(name, step, init, current_decision)


class LeaderState(NamedTuple):
    """The best decision so far and all responses (seeds, rounds, clients)."""

    p: np.ndarray
    responses: np.ndarray


def follow_the_leader(loss: DecisionLoss = LOG_GROWTH) -> Learner:
    """Return the learner that plays the best fixed decision on the rounds so far."""

    def init(n: int, c: Constants) -> LeaderState:
        return LeaderState(uniform_start(n, c), np.empty((n, 0, c.n_clients)))

    def step(state: LeaderState, seen: np.ndarray, response: np.ndarray, c: Constants) -> LeaderState:
        responses = np.concatenate([state.responses, response[:, None]], axis=1)
        ones = np.ones(responses.shape[1])
        return LeaderState(np.array([best_decision(rows, ones, loss)[0] for rows in responses]), responses)

    return Learner("follow the leader", step, init, current_decision)


def constant_learner(decision: Sequence[Number] | None = None) -> Learner:
    """Return the learner with the same decision in every round; default: uniform."""

    def init(n: int, c: Constants) -> np.ndarray:
        if decision is None:
            return uniform_start(n, c)
        return np.tile(np.array([float(v) for v in decision]), (n, 1))

    def init_balls(n: int, c: Constants) -> np.ndarray:
        if decision is None:
            return balls((n, c.n_clients), arb(1) / c.n_clients)
        row = [arb(v) if isinstance(v, int) else arb(v.numerator) / v.denominator for v in decision]
        return object_array(row * n, (n, len(row)))

    def step(state: np.ndarray, seen: np.ndarray, response: np.ndarray, c: Constants) -> np.ndarray:
        return state

    name = "uniform" if decision is None else "a fixed decision"
    return Learner(name, step, init, exact=Learner(name, step, init_balls))


LINEAR_GRADIENT = loss_gradient(LINEAR)


# Clients of two kinds in balls, by the scalar closed forms --------------------------------------------------------


class TwoKinds(NamedTuple):
    """The number of clients of two kinds, and the response of each kind in every distinct row, in balls."""

    first: int
    second: int
    rows: list[tuple[arb, arb]]


def two_kinds(case: Case) -> TwoKinds | None:
    """Find the two kinds of clients in a game where all clients of a kind respond alike; None for other games.

    A learner that ignores the indices of clients gives equal weights within a kind, so x, the total weight of the first
    kind, determines its decision. If all clients are alike, the first is its own kind. A ball equals no other ball.
    """
    game = case.instance
    if not is_fixed_table(game) or game.n_clients < 2:
        return None
    columns = list(zip(*game.distinct, strict=True))
    if game.n_clients > 2 and any(isinstance(value, arb) for row in game.distinct for value in row):
        return None
    of_first = [column == columns[0] for column in columns]
    if all(of_first):
        of_first = [True] + [False] * (game.n_clients - 1)
    other = of_first.index(False)
    if any(column != columns[other] for column, first in zip(columns, of_first, strict=True) if not first):
        return None
    rows = game.rows_in(BALL)
    rounds = np.unique(game.order, return_index=True)
    for j, t in sorted(zip(*rounds, strict=True), key=lambda row_and_round: row_and_round[1]):
        SubsetParticipation(game, run_constants(case, BALL)).require_in_range(rows[[j]], int(t))
    return TwoKinds(sum(of_first), len(of_first) - sum(of_first), [(r[0], r[other]) for r in rows])


def two_kinds_newton(case: Case) -> arb | None:
    """Return the total log growth loss of the online Newton step against m + n clients of two kinds, or None.

    Let e be the first kind's gradient minus the second's. The program has a = alpha (1/m + 1/n) + beta sum e^2 and
    b = -alpha/n + sum e - beta x e^2, with the solution x = -b/a clipped to [0, 1].
    """
    game = case.instance
    kinds = two_kinds(case) if game.n_clients <= IN_BALLS else None
    if kinds is None:
        return None
    c = run_constants(case, BALL)
    alpha, beta = arb(c.learner_regularisation), arb(c.learner_curvature)
    rows = [(r[1] + 1, r[0] - r[1]) for r in kinds.rows]
    zero, one = arb(0), arb(1)
    a, b = alpha / kinds.first + alpha / kinds.second, -alpha / kinds.second
    x, product = arb(kinds.first) / game.n_clients, one
    spend_on(OF_ROUND * len(game.order), exact=True)
    for j in game.order.tolist():
        floor, slope = rows[j]
        growth = floor + x * slope
        product *= growth
        e = -slope / growth
        be = beta * e
        a += be * e
        b += e - x * be * e
        x = -b / a
        if not (x >= zero and x <= one):
            x = x.max(zero).min(one)
    return -product.log()


def two_kinds_entropic(case: Case, move: Callable[[arb, arb, TwoKinds], arb] | None = None) -> arb | None:
    """Return that loss of entropic FTRL: x = 1 / (1 + (n/m) exp(D / eta)) with D the sum of e.

    ``move`` computes e if it depends only on the two responses in the round.
    """
    game = case.instance
    kinds = two_kinds(case)
    if kinds is None:
        return None
    c = run_constants(case, BALL)
    size = arb(c.learner_scale) / arb(game.n_clients).log().sqrt()
    rows = [(r[1] + 1, r[0] - r[1], None if move is None else move(*r, kinds)) for r in kinds.rows]
    one, share = arb(1), arb(kinds.second) / kinds.first
    total, product = arb(0), one
    spend_on(OF_ROUND * len(game.order), exact=True)
    for t, j in enumerate(game.order.tolist()):
        floor, slope, moved = rows[j]
        x = one / (one + share * (total / (size * arb(t + 1).sqrt())).exp())
        growth = floor + x * slope
        product *= growth
        total += -slope / growth if moved is None else moved
    return -product.log()
