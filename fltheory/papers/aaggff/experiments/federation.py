"""The federated loop of Algorithms 1 to 3 with any learner on the server, for many runs at once.

Axes: R repetitions, K clients, m of whom take part, d parameters. In a round the clients report their losses at theta
*before* they train (94), the server decides on the basis of these losses, and theta moves with the new decision:
p^(t+1) if all take part (Algorithm 2), else p^(t+1) renormalised on those who do (95) (Algorithm 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fltheory.games.hindsight import least_loss_in_floats
from fltheory.games.losses import LOG_GROWTH, DecisionLoss
from fltheory.games.participation import participants
from fltheory.games.player import ImpreciseState, Learner, next_player_state, valid_play
from fltheory.number import Number, Ring
from fltheory.papers.aaggff.experiments.federation_data import Clients, Plan, members
from fltheory.papers.aaggff.transforms.closed_forms import Cdf, response, weibull
from fltheory.papers.aaggff.unification import closed_forms
from fltheory.papers.aaggff.unification.closed_forms import Method, normalise
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import Constants

SHARP = 10  # bits of accuracy of losses and decisions below which a run in balls stops


class Answers(NamedTuple):
    """The clients' messages in a round: who sent them (R, m), losses (R, m), updates theta - theta_i (R, m, d)."""

    who: np.ndarray
    losses: np.ndarray
    updates: np.ndarray
    round_: int


class Server(NamedTuple):
    """A server: ``step(state, answers, c) -> state``, then ``weights(state, answers, c)`` (R, m) multiply the updates.

    ``decision(state, c)`` (R, K) is the decision that it plays, if it has one. ``reads_losses``: whether clients
    report their losses at all.
    """

    name: str
    init: Callable[[int, Any], Any]
    step: Callable[[Any, Answers, Any], Any]
    weights: Callable[[Any, Answers, Any], np.ndarray]
    decision: Callable[[Any, Any], np.ndarray] | None = None
    reads_losses: bool = True


class Round(NamedTuple):
    """A record of a round.

    It has the model (R, d) and the decision p^(t) (R, K) before the round, the clients' messages, the multipliers of
    their updates (R, m), the next decision, and the numbers of sample losses and gradients per participant (R, m).
    """

    theta: np.ndarray
    decision: np.ndarray | None
    answers: Answers
    weights: np.ndarray
    after: np.ndarray
    next_decision: np.ndarray | None
    evaluated: np.ndarray
    gradients: np.ndarray

    @property
    def numbers_sent(self) -> int:
        """The number of numbers that the clients send to the server in the round, in each repetition."""
        told = self.answers.losses.shape[1] if self.evaluated.any() else 0
        return int(told + np.prod(self.answers.updates.shape[1:]))


def federate(
    server: Server,
    clients: Clients,
    plan: Plan,
    c: Constants,
    seed: int,
    repetitions: np.ndarray,
    ring: Ring | None = None,
) -> Iterator[Round]:
    """Yield the ``c.n_rounds`` rounds of one run for every repetition, in floats or in balls."""
    n = len(repetitions)
    theta, state = clients.start(n), server.init(n, c)
    played = _decision(server, state, c)
    for t in range(c.n_rounds):
        who = members(participants(c, seed, repetitions, t))
        losses = clients.losses(theta, who) if server.reads_losses else np.zeros(who.shape)
        if ring is not None:
            _require_sharp(losses)
        evaluated = clients.sizes[who] * int(server.reads_losses)
        updates, gradients = clients.train(theta, who, plan, (seed, repetitions, t))
        answers = Answers(who, losses, updates, t)
        state = server.step(state, answers, c)
        weights = server.weights(state, answers, c)
        after = theta - closed_forms.mix_updates(weights, updates)
        following = _decision(server, state, c)
        if ring is not None and following is not None:
            _require_sharp(1 + following)
        yield Round(theta, played, answers, weights, after, following, evaluated, gradients)
        theta, played = after, following


def _require_sharp(balls: np.ndarray) -> None:
    """Raise ImpreciseState unless all are provably nonnegative, with at least SHARP bits."""
    if not all(v >= 0 and v.rel_accuracy_bits() >= SHARP for v in balls.flat):
        raise ImpreciseState("the balls of the run are too wide")


def _decision(server: Server, state: Any, c: Constants) -> np.ndarray | None:
    return None if server.decision is None else server.decision(state, c)


# Servers --------------------------------------------------------------------------------------------------------


def scatter(values: np.ndarray, who: np.ndarray, n_clients: int) -> np.ndarray:
    """Return the values of those who take part (R, m) in a row for all clients (R, K), 0 for the others."""
    if values.dtype == object:
        shape = (len(values), n_clients)
        found = object_array([0 * values.flat[0]] * (shape[0] * shape[1]), shape)
    else:
        found = np.zeros((len(values), n_clients), dtype=values.dtype)
    np.put_along_axis(found, who, values, axis=1)
    return found


def seen_responses(answers: Answers, c: Constants, cdf: Cdf) -> tuple[np.ndarray, np.ndarray]:
    """Return who took part as 0 and 1, and the responses (8) to their losses, (R, K) each."""
    seen = scatter(np.ones(answers.who.shape, dtype=np.int64), answers.who, c.n_clients)
    losses = scatter(answers.losses, answers.who, c.n_clients)
    found = response(losses, seen, c.response_low, c.response_high, cdf)
    return seen, found


def by_learner(learner: Learner, cdf: Cdf = weibull, ring: Ring | None = None) -> Server:
    """Return AAggFF with any learner: responses (8), its step, and, with partial participation, (95)."""

    def step(state: Any, answers: Answers, c: Constants) -> Any:
        seen, responses = seen_responses(answers, c, cdf)
        return next_player_state(learner, state, seen, responses, c, answers.round_)

    def weights(state: Any, answers: Answers, c: Constants) -> np.ndarray:
        p = valid_play(learner, state, c, len(answers.who), answers.round_ + 1, ring)
        if answers.who.shape[1] == c.n_clients:
            return p
        return normalise(np.take_along_axis(p, answers.who, axis=1))

    return Server(learner.name, learner.init, step, weights, lambda state, c: learner.play(state, c))


def _no_state(n: int, c: Constants) -> None:
    return None


def _keep(state: Any, answers: Answers, c: Constants) -> Any:
    return state


def _shares(sizes: np.ndarray, answers: Answers) -> np.ndarray:
    """Return n_i over the total samples of those who take part, (R, m)."""
    return normalise(np.asarray(sizes, dtype=float)[answers.who])


def by_method(method: Method, sizes: np.ndarray, constant: Number = 0, smoothness: Number = 1) -> Server:
    """Return a method of Table 1 with its true global step and shares n_i / n among those who take part."""

    def weights(state: Any, answers: Answers, c: Constants) -> np.ndarray:
        shares = _shares(sizes, answers)
        if method is closed_forms.fedavg:  # FedAvg ignores the losses
            return shares
        mixing = closed_forms.step_weights(method, shares, answers.losses, constant)
        length = closed_forms.step_length(method, shares, answers.losses, answers.updates, constant, smoothness)
        return np.asarray(np.broadcast_to(length, mixing.shape[:1])[:, None] * mixing)

    return Server(method.name, _no_state, _keep, weights, reads_losses=method is not closed_forms.fedavg)


def afl(rate: float) -> Server:
    """Return agnostic federated learning from the uniform v: v <- projection of v + rate F, theta - sum v_i d_i."""

    def init(n: int, c: Constants) -> np.ndarray:
        if c.n_participating < c.n_clients:
            raise ValueError("AFL needs the losses of all clients in every round")
        return np.full((n, c.n_clients), 1 / c.n_clients)

    def step(state: np.ndarray, answers: Answers, c: Constants) -> np.ndarray:
        return closed_forms.ascent_step(state, answers.losses, rate)

    return Server("AFL", init, step, lambda state, answers, c: state, lambda state, c: state)


# Runs -----------------------------------------------------------------------------------------------------------


class RunPath(NamedTuple):
    """Runs of T rounds: who took part and responses (T, R, K), 0 for those not seen, decisions (T + 1, R, K)."""

    seen: np.ndarray
    responses: np.ndarray
    decisions: np.ndarray


def run_path(rounds: Iterator[Round], c: Constants, cdf: Cdf = weibull) -> RunPath:
    """Return the decisions of a run and the responses to them."""
    seen, responses = [], []
    decisions: list[np.ndarray] = []
    for turn in rounds:
        assert turn.decision is not None
        assert turn.next_decision is not None
        mask, found = seen_responses(turn.answers, c, cdf)
        seen.append(mask)
        responses.append(found)
        decisions += [turn.decision, turn.next_decision] if not decisions else [turn.next_decision]
    return RunPath(np.stack(seen), np.stack(responses), np.stack(decisions))


def played_loss(run: RunPath, loss: DecisionLoss = LOG_GROWTH) -> np.ndarray:
    """Return sum_t l_t(p^(t)), (R,), as in the theorems. Responses of those not seen count as 0."""
    return np.asarray(loss.value(run.decisions[:-1], run.responses).sum(axis=0))


def used_loss(run: RunPath, loss: DecisionLoss = LOG_GROWTH) -> np.ndarray:
    """Return sum_t l_t for the weights that move theta, (R,): p^(t+1) in round t, renormalised on those seen."""
    return np.asarray(loss.value(renormalise_on(run.decisions[1:], run.seen), run.responses).sum(axis=0))


def renormalise_on(p: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return (95): p renormalised on those who take part, 0 for the others."""
    return normalise(p * seen)


def hindsight_loss(run: RunPath, loss: DecisionLoss = LOG_GROWTH) -> np.ndarray:
    """Return the least loss of a fixed decision if all take part, (R,); else ValueError, as it is not convex in p."""
    if not run.seen.all():
        raise ValueError("the best decision in hindsight is known only if all clients take part in every round")
    ones = np.ones(len(run.responses))
    rows = np.moveaxis(run.responses, 1, 0)
    return np.array([least_loss_in_floats(r, ones, loss) for r in rows])


def played_regret(run: RunPath, loss: DecisionLoss = LOG_GROWTH) -> np.ndarray:
    """Return the static regret (5) of p^(1..T) on the responses that the run produced, (R,)."""
    return played_loss(run, loss) - hindsight_loss(run, loss)


def distance_from_uniform(run: RunPath) -> np.ndarray:
    """Return the mean total variation between the weights that move theta and uniform weights on those seen, (R,)."""
    own = renormalise_on(run.decisions[1:], run.seen)
    uniform = normalise(run.seen.astype(float))
    return np.asarray(np.abs(own - uniform).sum(axis=2).mean(axis=0) / 2)
