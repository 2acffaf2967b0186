"""Counter-based random streams: a draw is a hash of (seed, repetition, round, client, index).

No state: results are bit-identical for any number of threads, processes or blocks, and every draw can be replayed.
The hash chains SplitMix64's finaliser (Steele, Lea, Flood 2014) over the key. ``kernels`` has compiled twins.
"""

from __future__ import annotations

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
MASK = (1 << 64) - 1
ORDER = 1 << 62  # the stream of a round's order: beyond every client, whose streams are 0, 1, 2, ...


def _absorb(state: np.ndarray, word: object) -> np.ndarray:
    """One link of the chain: add a key word, then SplitMix64's finaliser. Arrays of uint64, wrapping."""
    z = state ^ _spread(word)
    z += GOLDEN
    z ^= z >> np.uint64(30)
    z *= MIX_1
    z ^= z >> np.uint64(27)
    z *= MIX_2
    z ^= z >> np.uint64(31)
    return z


def _spread(word: object) -> np.ndarray | np.uint64:
    """(word + 1) * GOLDEN modulo 2^64: of an int without an array, as most words are."""
    if isinstance(word, int):
        return np.uint64((word + 1) * int(GOLDEN) & MASK)
    words: np.ndarray = np.atleast_1d(np.asarray(word, dtype=np.int64)).astype(np.uint64)
    words += np.uint64(1)
    words *= GOLDEN
    return words


def bits(seed: int, repetition: object, round_: object, client: object, index: object) -> np.ndarray:
    """64 random bits for every key; the arguments broadcast (integers below 2**63). At least 1-d."""
    return _chained(of_round(seed, repetition, round_), client, index)


def of_round(seed: int, repetition: object, round_: object) -> np.ndarray:
    """The chain up to the round, from which ``uniform_in`` goes on."""
    return _chained(np.zeros(1, dtype=np.uint64), seed, repetition, round_)


def _chained(state: np.ndarray, *words: object) -> np.ndarray:
    with np.errstate(over="ignore"):
        for word in words:
            state = _absorb(state, word)
        return state


def uniform(seed: int, repetition: object, round_: object, client: object, index: object) -> np.ndarray:
    """Uniform floats in [0, 1) with 53 random bits, one for every key; the arguments broadcast."""
    return uniform_in(of_round(seed, repetition, round_), client, index)


def uniform_in(chain: np.ndarray, client: object, index: object) -> np.ndarray:
    """The same of rounds whose chains are known."""
    return (_chained(chain, client, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def orders(seed: int, repetition: np.ndarray, round_: object, n_clients: int, size: int) -> np.ndarray:
    """Uniform ordered samples of ``size`` clients without replacement, shape (repetitions, size): Fisher-Yates."""
    rows, places = np.arange(len(repetition)), np.arange(size)
    draws = uniform_in(of_round(seed, repetition, round_)[:, None], ORDER, places)
    order = np.tile(np.arange(n_clients), (len(repetition), 1))
    for i, j in enumerate((places + (draws * (n_clients - places)).astype(np.int64)).T):
        order[rows, i], order[rows, j] = order[rows, j], order[rows, i]
    return order[:, :size]
