"""Online learners: they play a decision on the simplex, then see the responses of the clients that take part.

Every round a learner plays p, a set of n_participating clients takes part, drawn uniformly, and of the responses r only
theirs are seen. What a decision costs is a loss of p and all responses (``fltheory.games.losses``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from fltheory import streams
from fltheory.case import Case, Instance
from fltheory.games.player import (
    PLAIN,
    Player,
    checked_answers,
    checked_play,
    checked_step,
    merged,
    require_among,
    taken,
)
from fltheory.number import Ring
from fltheory.number.signals import of_library
from fltheory.runs.algorithm import NotEnumerable, object_array, run_constants


class Learner(Player):
    """``step(state, seen, response, c) -> state``: the next decision, from what was seen in this round.

    ``seen`` (seeds, clients): 1 for a client that took part, else 0; ``response`` (seeds, clients): r_i of those that did,
    0 elsewhere. In the simplest case the state is the decision itself.
    """

    kind = "learner"
    may_leave_out = True


@runtime_checkable
class OnlineGame(Instance, Protocol):
    """Responses for every round. Rounds count from 0; ``ring`` None asks for floats.

    An adversary may look at the decision that is played and keep a memory, an array that leads with the seeds.
    ``oblivious``: it does not; then ``distinct`` lists its different rows and ``order`` the row of every round.
    """

    @property
    def n_clients(self) -> int:
        """How many clients there are."""

    @property
    def n_rounds(self) -> int:
        """How many rounds are played."""

    @property
    def n_participating(self) -> int:
        """How many clients take part in a round."""

    @property
    def oblivious(self) -> bool:
        """Whether the responses are fixed before the game."""

    def memory(self, n: int) -> np.ndarray:
        """What the adversary remembers before the first round, (seeds, anything)."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        """The round's responses, (seeds or 1, clients), and the adversary's new memory."""


class Turn(NamedTuple):
    """One round of a game: (seeds, clients) each, and the learner's state before its step."""

    p: np.ndarray
    response: np.ndarray
    seen: np.ndarray
    state: Any


def participants(c: Any, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Who takes part in a round, (repetitions, clients) of 0 and 1."""
    if c.n_participating == c.n_clients:
        return np.ones((len(repetitions), c.n_clients), dtype=np.int64)
    seen = np.zeros((len(repetitions), c.n_clients), dtype=np.int64)
    order = streams.orders(seed, repetitions, round_, c.n_clients, c.n_participating)
    np.put_along_axis(seen, order, 1, axis=1)
    return seen


def played(
    learner: Learner, case: Case, seed: int, repetitions: np.ndarray, ring: Ring | None = None
) -> Iterator[Turn]:
    """The rounds of simulated games, one for every repetition, in floats or in balls."""
    game: Any = case.instance
    c = run_constants(case, ring)
    n = len(repetitions)
    state, memory = learner.init(n, c), game.memory(n)
    for t in range(game.n_rounds):
        p = checked_play(learner, state, c, n, t, ring)
        response, memory = game.reveal(t, p, memory, ring)
        checked_answers("response", response, *_range(c), t)
        response = np.broadcast_to(response, p.shape)
        seen = participants(c, seed, repetitions, t)
        yield Turn(p, response, seen, state)
        if t + 1 < game.n_rounds:
            state = checked_step(learner, state, seen, response, c, t)


def _range(c: Any) -> tuple[Any, Any]:
    """C1 and C2, where the case gives them."""
    return vars(c).get("response_low"), vars(c).get("response_high")


def enumerated(learner: Learner, case: Case, ring: Ring | None, limit: int) -> Iterator[tuple[np.ndarray, Turn]]:
    """The rounds of every game with its probability, equal states merged; NotEnumerable beyond ``limit`` rows."""
    game: Any = case.instance
    c = run_constants(case, ring)
    sets = subsets(c.n_clients, c.n_participating, limit)
    number = float if ring is None else ring.scalar
    share = number(Fraction(1, len(sets)))
    plain = played(learner, case, 0, np.arange(PLAIN)) if ring is None and not of_library(tuple(learner)) else None
    state, memory = learner.init(1, c), game.memory(1)
    weights = np.array([1.0]) if ring is None else object_array([number(1)], (1,))
    done = 0
    for t in range(game.n_rounds):
        n = len(weights)
        p = checked_play(learner, state, c, n, t, ring)
        if plain is not None:
            require_among(learner, p, next(plain).p, t)
        response, memory = game.reveal(t, p, memory, ring)
        checked_answers("response", response, *_range(c), t)
        response = np.broadcast_to(response, p.shape)
        yield weights, Turn(p, response, np.zeros(p.shape, dtype=np.int64), state)
        if t + 1 == game.n_rounds:
            return
        done += n * len(sets)
        if done + (game.n_rounds - 2 - t) * n * len(sets) > limit:  # the states seldom become fewer
            raise NotEnumerable(f"more than {limit} courses of the game")
        rows = np.repeat(np.arange(n), len(sets))
        after = checked_step(learner, taken(state, rows), np.tile(sets, (n, 1)), response[rows], c, t)
        state, memory, weights = merged(after, memory[rows], weights[rows] * share, ring)


def subsets(n_clients: int, size: int, limit: int) -> np.ndarray:
    """Every set of ``size`` clients as a row of 0 and 1; NotEnumerable where they are more than ``limit``."""
    if math.comb(n_clients, size) > limit:
        raise NotEnumerable(f"more than {limit} sets of clients that may take part")
    found = np.zeros((math.comb(n_clients, size), n_clients), dtype=np.int64)
    for row, chosen in zip(found, itertools.combinations(range(n_clients), size), strict=True):
        row[list(chosen)] = 1
    return found
