"""Compiled games of Algorithms 5 and 6 against the switching adversary."""

from __future__ import annotations

import math

import numpy as np

from fltheory.games.participation import DRAW_STREAM
from fltheory.model.case import Case
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads, max_threads
from fltheory.papers.osmd.algorithms.grid import Meta, expert_grid, first_weights, meta_rate
from fltheory.papers.osmd.experts.cases import SwitchingAdversary
from fltheory.papers.osmd.experts.kernels.trap import binomial
from fltheory.runs.constants import run_constants

ONE_BY_ONE = 64  # draws up to which they are made one by one, as by any sampler; more are one binomial number
NEGLIGIBLE = -746.0  # its exp is 0
THREADS = 2


def switching_regrets(
    case: Case[SwitchingAdversary], seed: int, repetitions: np.ndarray, gamma: Meta, doubling: bool
) -> np.ndarray:
    """Return regrets of the games with these numbers, (repetitions,)."""
    game = case.instance
    c = run_constants(case, None)
    ends = _block_ends(c.n_rounds) if doubling else np.array([c.n_rounds])
    horizons = [2**b for b in range(len(ends))] if doubling else [c.n_rounds]
    grids = [expert_grid(c, h) for h in horizons]
    logs = [np.log(np.array([float(w) for w in first_weights(len(g))])) for g in grids]
    rates = np.array([meta_rate(c, gamma, h) for h in horizons])
    sizes = np.array([len(g) for g in grids])
    given = (c.n_sampled, float(game.size), float(game.floor), float(game.threshold), int(game.start))

    def one(repetition: int) -> float:
        return float(
            _play_game(
                *given, ends, sizes, np.concatenate(grids), np.concatenate(logs), rates, seed, DRAW_STREAM, repetition
            )
        )

    return np.array(map_threads(one, map(int, repetitions), min(THREADS, max_threads())))


def _block_ends(n_rounds: int) -> np.ndarray:
    """Return the first round after each block of Algorithm 6: 1, 3, 7, ..., at most the last round."""
    return np.array([min(2 ** (b + 1) - 1, n_rounds) for b in range(n_rounds.bit_length())])


@njit(nogil=True)
def _play_game(
    n_sampled: int,
    a: float,
    alpha: float,
    threshold: float,
    start: int,
    ends: np.ndarray,
    sizes: np.ndarray,
    grids: np.ndarray,
    first_logs: np.ndarray,
    meta_rates: np.ndarray,
    seed: int,
    stream: int,
    repetition: int,
) -> float:
    """Return the regret of one game; a round in which the active client isn't drawn changes nothing."""
    least, most = alpha / (2.0 - alpha), (2.0 - alpha) / alpha
    regret, lost, c, t, offset = 0.0, 0.0, start, 0, 0
    root = absorb(absorb(U64(0), seed), repetition)
    for block in range(len(ends)):
        n = sizes[block]
        rates, logs = grids[offset : offset + n], first_logs[offset : offset + n].copy()
        odds = np.ones(n)  # of client 0, in every expert
        offset += n
        changed, play = True, 0.5
        while t < ends[block]:
            if changed:
                total, play = 0.0, 0.0
                for e in range(n):
                    if logs[e] > NEGLIGIBLE:
                        weight = math.exp(logs[e])
                        total += weight
                        play += weight * odds[e] / (1.0 + odds[e])
                play /= total
            p = play if c == 0 else 1.0 - play
            if p > threshold:
                c, p = 1 - c, 1.0 - p
            term = 1.0 / p - 2.0 - lost  # Kahan's sum
            new = regret + term
            regret, lost = new, (new - regret) - term
            key = absorb(absorb(root, t), stream)
            drawn = 0
            if n_sampled <= ONE_BY_ONE:
                for k in range(n_sampled):
                    first = as_uniform(absorb(key, k)) < play
                    drawn += 1 if first == (c == 0) else 0
            else:
                drawn = binomial(as_uniform(absorb(key, 0)), n_sampled, p)
            changed = drawn > 0
            if changed:
                force = drawn * a / (np.float64(n_sampled) * n_sampled * p)
                best = -np.inf
                for e in range(n):
                    inverse = 1.0 + (1.0 / odds[e] if c == 0 else odds[e])  # 1 / p_e of the active client
                    gain = force * rates[e] * inverse * inverse
                    if c == 0 and odds[e] < most:
                        odds[e] = min(odds[e] * math.exp(gain), most)
                    elif c == 1 and odds[e] > least:
                        odds[e] = max(odds[e] * math.exp(-gain), least)
                    logs[e] -= meta_rates[block] * force * inverse
                    best = max(best, logs[e])
                for e in range(n):
                    logs[e] -= best
            t += 1
    return regret * a / n_sampled
