"""Counter-based random streams: a draw is a hash of (seed, repetition, round, client, index).

There is no state: results are bit-identical for any number of threads, processes or blocks, and draws are repeatable.
The hash chains SplitMix64's finaliser (Steele, Lea, Flood 2014) over the key; ``kernels`` is the compiled version.
"""

from __future__ import annotations

import numpy as np

from fltheory.number.streams.constants import GOLDEN, MIX_1, MIX_2, ORDER_STREAM

__all__ = ["GOLDEN", "MIX_1", "MIX_2", "ORDER_STREAM", "absorb_word", "round_chain", "uniform", "uniform_from_chain"]


def round_chain(seed: int, repetition: object, round_: object) -> np.ndarray:
    """Return the hash chain up to the round, which ``uniform_from_chain`` continues: uint64 per key, at least 1-d.

    Words are integers from 0 to 2**63 - 1.
    """
    from fltheory.number.streams.kernels import chain_of_round  # a list of claims needs no compiled code

    return chain_of_round(seed, _words(repetition), _words(round_))


def uniform(seed: int, repetition: object, round_: object, client: object, index: object) -> np.ndarray:
    """Return uniform floats in [0, 1) with 53 random bits, one for every key; the arguments broadcast."""
    return uniform_from_chain(round_chain(seed, repetition, round_), client, index)


def uniform_from_chain(chain: np.ndarray, client: object, index: object) -> np.ndarray:
    """Return uniform floats for given chains of rounds."""
    from fltheory.number.streams.kernels import link, uniform_after

    return uniform_after(link(chain, _words(client)), _words(index))


def _words(word: object) -> np.ndarray:
    found = np.asarray(word, dtype=np.int64)
    return found if found.ndim else found.reshape(1)


def absorb_word(state: np.ndarray, word: object) -> np.ndarray:
    """Add a key word to the chain and apply SplitMix64's finaliser; the reference of ``kernels.absorb``."""
    with np.errstate(over="ignore"):
        z = (state ^ ((_words(word).astype(np.uint64) + np.uint64(1)) * GOLDEN)) + GOLDEN
        z = (z ^ (z >> np.uint64(30))) * MIX_1
        z = (z ^ (z >> np.uint64(27))) * MIX_2
        return z ^ (z >> np.uint64(31))


def ordered_samples(seed: int, repetition: np.ndarray, round_: object, n_clients: int, size: int) -> np.ndarray:
    """Draw uniform ordered samples of ``size`` clients without replacement, (repetitions, size), by Fisher-Yates."""
    rows, places = np.arange(len(repetition)), np.arange(size)
    draws = uniform_from_chain(round_chain(seed, repetition, round_)[:, None], ORDER_STREAM, places)
    order = np.tile(np.arange(n_clients), (len(repetition), 1))
    for i, j in enumerate((places + (draws * (n_clients - places)).astype(np.int64)).T):
        order[rows, i], order[rows, j] = order[rows, j], order[rows, i]
    return order[:, :size]
