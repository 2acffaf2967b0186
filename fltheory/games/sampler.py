"""Samplers of clients under bandit feedback, the games they play, and the only loop of such a game.

Every round a sampler plays a distribution p over the clients, K of them are drawn with replacement, and of the feedback
a only the drawn clients' is seen. The loss of a round is l(p) = (1/K) sum_m a_m / p_m.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
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
from fltheory.number import BALL, Ring
from fltheory.number.signals import of_library
from fltheory.runs.algorithm import NotEnumerable, object_array, run_constants

DRAW = (1 << 62) + 1  # the stream of a round's draws
DRAWN_AT_ONCE = 1 << 17  # entries of (seeds, draws, clients) held at once


class Sampler(Player):
    """``step(state, counts, feedback, c) -> state``: what to play next, from what was seen in this round.

    ``counts`` (seeds, clients): how often each client was drawn; ``feedback`` (seeds, clients): a_m of those drawn, 0
    elsewhere.
    """

    kind = "sampler"


@runtime_checkable
class SamplingGame(Instance, Protocol):
    """Feedback for every round and a comparator. Rounds count from 0; ``ring`` None asks for floats.

    An adversary may look at the distribution that is played and keep a memory, an array that leads with the seeds.
    """

    @property
    def n_clients(self) -> int:
        """How many clients there are."""

    @property
    def n_rounds(self) -> int:
        """How many rounds are played."""

    def memory(self, n: int) -> np.ndarray:
        """What the adversary remembers before the first round, (seeds, anything)."""

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        """The round's feedback, (seeds, clients), and the adversary's new memory."""

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        """The comparator's distribution in the round, (clients,)."""

    def regret_range(self) -> tuple[float, float]:
        """What the regret of a sampler on the floored simplex lies between on every path."""


class Round(NamedTuple):
    """One round of a game: (seeds, clients) each, the comparator (clients,), the sampler's state before its step."""

    p: np.ndarray
    feedback: np.ndarray
    counts: np.ndarray
    comparator: np.ndarray
    state: Any = None


def draw_counts(p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """How often each client is drawn in ``n`` draws with replacement, (seeds, clients)."""
    sums, size = p.cumsum(axis=1), p.shape[1]
    counts, rows = np.zeros(p.size, dtype=np.int64), size * np.arange(len(p))[:, None]
    at_once = max(1, DRAWN_AT_ONCE // p.size)
    for first in range(0, n, at_once):
        draws = np.arange(first, min(n, first + at_once))
        level = streams.uniform(seed, repetitions[:, None], round_, DRAW, draws) * sums[:, -1:]
        drawn = np.minimum((sums[:, None] <= level[:, :, None]).sum(axis=2), size - 1)
        counts += np.bincount((rows + drawn).ravel(), minlength=p.size)
    return counts.reshape(p.shape)


def played(sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> Iterator[Round]:
    """The rounds of simulated games, one for every repetition, in floats."""
    game: Any = case.instance
    c = run_constants(case, None)
    n = len(repetitions)
    state, memory = sampler.init(n, c), game.memory(n)
    for t in range(game.n_rounds):
        p = checked_play(sampler, state, c, n, t)
        feedback, memory = game.reveal(t, p, memory, None)
        checked_answers("feedback", feedback, 0, vars(c).get("max_feedback"), t)
        feedback = np.broadcast_to(feedback, p.shape)
        counts = draw_counts(p, c.n_sampled, seed, repetitions, t)
        yield Round(p, feedback, counts, game.comparator_row(t, None), state)
        if t + 1 < game.n_rounds:
            state = checked_step(sampler, state, counts, feedback, c, t)


def count_vectors(n_clients: int, n: int) -> np.ndarray:
    """Every way to draw ``n`` clients with replacement, as counts, (ways, clients)."""
    rows = [np.bincount(d, minlength=n_clients) for d in itertools.combinations_with_replacement(range(n_clients), n)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), n_clients)


def ways(counts: np.ndarray) -> int:
    """The number of sequences of draws with these counts."""
    found = math.factorial(int(counts.sum()))
    for n in counts:
        found //= math.factorial(int(n))
    return found


def enumerated(sampler: Sampler, case: Case, ring: Ring | None, limit: int) -> Iterator[tuple[np.ndarray, Round]]:
    """The rounds of every game with its probability: (weights, Round), equal states merged; NotEnumerable beyond ``limit`` rows.

    In balls (``ring`` BALL, a sampler with exact functions) or in floats (``ring`` None).
    """
    game: Any = case.instance
    c = run_constants(case, ring)
    ways_to_draw = distinct_draws(c, limit)
    if ring not in (None, BALL):
        raise NotEnumerable("a sampler runs on balls or on floats")
    one = 1.0 if ring is None else ring.scalar(1)
    plain = played(sampler, case, 0, np.arange(PLAIN)) if ring is None and not of_library(tuple(sampler)) else None
    state, memory = sampler.init(1, c), game.memory(1)
    weights = np.array([one]) if ring is None else object_array([one], (1,))
    done = 0
    for t in range(game.n_rounds):
        n = len(weights)
        p = checked_play(sampler, state, c, n, t, ring)
        if plain is not None:
            require_among(sampler, p, next(plain).p, t)
        feedback, memory = game.reveal(t, p, memory, ring)
        checked_answers("feedback", feedback, 0, vars(c).get("max_feedback"), t)
        feedback = np.broadcast_to(feedback, p.shape)
        no_counts = np.zeros(p.shape, dtype=np.int64)
        yield weights, Round(p, feedback, no_counts, game.comparator_row(t, ring), state)
        if t + 1 == game.n_rounds:
            return
        done += n * len(ways_to_draw)
        if done + (game.n_rounds - 2 - t) * n * len(ways_to_draw) > limit:  # the states seldom become fewer
            raise NotEnumerable(f"more than {limit} courses of the game")
        rows, draws, chances = branches(p, feedback, weights, ways_to_draw, ring)
        after = checked_step(sampler, taken(state, rows), draws, feedback[rows], c, t)
        state, memory, weights = merged(after, memory[rows], chances, ring)


def distinct_draws(c: Any, limit: int) -> np.ndarray:
    """The count vectors of a round; NotEnumerable where they are more than ``limit``."""
    if math.comb(c.n_sampled + c.n_clients - 1, c.n_clients - 1) > limit:
        raise NotEnumerable(f"more than {limit} ways to draw the clients of a round")
    return count_vectors(c.n_clients, c.n_sampled)


def branches(
    p: np.ndarray, feedback: np.ndarray, weights: np.ndarray, draws: np.ndarray, ring: Ring | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, counts and probability of every branch of a round."""
    rows = np.repeat(np.arange(len(weights)), len(draws))
    counts = np.tile(draws, (len(weights), 1))
    chances = weights[rows]
    number = float if ring is None else ring.scalar
    chances = chances * np.tile(np.array([number(ways(d)) for d in draws], dtype=chances.dtype), len(weights))
    for m in range(p.shape[1]):
        powers = np.empty((len(weights), int(draws.max()) + 1), dtype=chances.dtype)
        powers[:, 0] = number(1)
        for k in range(1, powers.shape[1]):
            powers[:, k] = powers[:, k - 1] * p[:, m]
        chances = chances * powers[rows, counts[:, m]]
    return rows, counts, chances


def loss(a: np.ndarray, p: np.ndarray, n_sampled: Any) -> np.ndarray:
    """l(p) = (1/K) sum_m a_m / p_m (4), one value a row; a client without feedback costs nothing."""
    seen = np.broadcast_to(a, np.broadcast_shapes(a.shape, p.shape)) != 0
    ratio = np.where(seen, a, 0) / np.where(seen, p, 1)
    return ratio.sum(axis=-1) / n_sampled


def estimated_loss(a: np.ndarray, q: np.ndarray, p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The unbiased estimate (6) of l(q) from draws of p: (1/K^2) sum_m a_m N_m / (q_m p_m)."""
    n = counts.sum(axis=-1)
    return (np.where(counts > 0, a, 0) * counts / (q * p)).sum(axis=-1) / (n * n)
