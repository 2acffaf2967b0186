"""The observed clients of a round: drawn with replacement from the play, or a uniform set."""

from __future__ import annotations

import itertools
import math

import numpy as np

from fltheory.number import Ring, streams
from fltheory.runs.constants import Constants
from fltheory.runs.method import NotEnumerable

DRAW_STREAM = (1 << 62) + 1  # the stream of a round's draws


def draw_counts(p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Count how often each client is drawn in ``n`` draws with replacement, (seeds, clients)."""
    from fltheory.games.kernels import count_draws

    counts, whole = np.zeros(p.shape, dtype=np.int64), np.ascontiguousarray(p, dtype=np.float64)
    count_draws(whole, n, seed, np.asarray(repetitions, dtype=np.int64), round_, DRAW_STREAM, counts)
    return counts


def reference_draw_counts(p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Count draws in NumPy with all draws in memory; the reference of the compiled version."""
    sums = p.cumsum(axis=1)
    level = streams.uniform(seed, repetitions[:, None], round_, DRAW_STREAM, np.arange(n)) * sums[:, -1:]
    drawn = np.minimum((sums[:, None] <= level[:, :, None]).sum(axis=2), p.shape[1] - 1)
    return np.stack([np.bincount(row, minlength=p.shape[1]) for row in drawn])


def count_vectors(n_clients: int, n: int) -> np.ndarray:
    """Return all outcomes of ``n`` draws with replacement as counts, (outcomes, clients)."""
    rows = [np.bincount(d, minlength=n_clients) for d in itertools.combinations_with_replacement(range(n_clients), n)]
    return np.array(rows, dtype=np.int64).reshape(len(rows), n_clients)


def distinct_draws(c: Constants, limit: int) -> np.ndarray:
    """Return the count vectors of a round; NotEnumerable if there are more than ``limit``."""
    if math.comb(c.n_sampled + c.n_clients - 1, c.n_clients - 1) > limit:
        raise NotEnumerable(f"more than {limit} ways to draw the clients of a round")
    return count_vectors(c.n_clients, c.n_sampled)


def count_draw_sequences(counts: np.ndarray) -> int:
    """Return the number of sequences of draws with these counts."""
    found = math.factorial(int(counts.sum()))
    for n in counts:
        found //= math.factorial(int(n))
    return found


def draw_branches(
    p: np.ndarray, weights: np.ndarray, draws: np.ndarray, ring: Ring | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the row, counts and probability of every outcome of a round."""
    rows = np.repeat(np.arange(len(weights)), len(draws))
    counts = np.tile(draws, (len(weights), 1))
    chances = weights[rows]
    number = float if ring is None else ring.scalar
    chances = chances * np.tile(
        np.array([number(count_draw_sequences(d)) for d in draws], dtype=chances.dtype), len(weights)
    )
    for m in range(p.shape[1]):
        powers = np.empty((len(weights), int(draws.max()) + 1), dtype=chances.dtype)
        powers[:, 0] = number(1)
        for k in range(1, powers.shape[1]):
            powers[:, k] = powers[:, k - 1] * p[:, m]
        chances = chances * powers[rows, counts[:, m]]
    return rows, counts, chances


# Sets of clients ------------------------------------------------------------------------------------------------------


def participants(c: Constants, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Draw the participants of a round, (repetitions, clients) of 0 and 1."""
    if c.n_participating == c.n_clients:
        return np.ones((len(repetitions), c.n_clients), dtype=np.int64)
    seen = np.zeros((len(repetitions), c.n_clients), dtype=np.int64)
    order = streams.ordered_samples(seed, repetitions, round_, c.n_clients, c.n_participating)
    np.put_along_axis(seen, order, 1, axis=1)
    return seen


def participant_sets(n_clients: int, size: int, limit: int) -> np.ndarray:
    """Return all sets of ``size`` clients as rows of 0 and 1; NotEnumerable if there are more than ``limit``."""
    if math.comb(n_clients, size) > limit:
        raise NotEnumerable(f"more than {limit} sets of clients that may take part")
    found = np.zeros((math.comb(n_clients, size), n_clients), dtype=np.int64)
    for row, chosen in zip(found, itertools.combinations(range(n_clients), size), strict=True):
        row[list(chosen)] = 1
    return found
