"""Algorithm 5 against a patient adversary: one of two clients is active, and it changes once the play follows it.

Before each round the active client c changes if the play has p_c > threshold; then a = A e_c. Follow-the-leader loses a
constant part of A/K in each round against the uniform comparator, whose loss is 2 A / K.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.games.participation import DRAW_STREAM
from fltheory.number.streams import uniform
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads
from fltheory.papers.osmd.algorithms.mirror import mirror_step
from fltheory.papers.osmd.kernels import LARGEST

NOBODY = np.empty(0, dtype=np.int64)


def trap_regret(
    n_rounds: int,
    n_sampled: int,
    a: float,
    alpha: float,
    threshold: float,
    rates: np.ndarray,
    weights: np.ndarray,
    meta_rate: float,
    seed: int,
    repetitions: np.ndarray,
    replay: np.ndarray = NOBODY,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Return regrets sum (A/K) (1/p_c - 2), (repetitions,), and the active clients, (repetitions, rounds).

    ``rates`` and initial ``weights`` of the experts are (experts,). ``replay`` (rounds,) prescribes the active clients.
    """
    regrets = np.zeros(len(repetitions))
    active = np.zeros((len(repetitions), n_rounds), dtype=np.int8)
    log_weights = np.log(np.asarray(weights, dtype=float))

    def one(i: int) -> None:
        regrets[i] = _play_trap(
            n_rounds,
            n_sampled,
            float(a),
            alpha,
            threshold,
            rates,
            log_weights,
            meta_rate,
            seed,
            DRAW_STREAM,
            repetitions[i],
            replay,
            active[i],
        )

    map_threads(one, range(len(repetitions)), threads)
    return regrets, active


def trap_regret_plain(
    n_rounds: int,
    n_sampled: int,
    a: float,
    alpha: float,
    threshold: float,
    rates: np.ndarray,
    weights: np.ndarray,
    meta_rate: float,
    seed: int,
    repetition: int,
) -> float:
    """Return the same for one repetition, in plain Python next to the equations."""
    experts, log_weights = np.full((len(rates), 2), 0.5), np.log(weights)
    regret, c = 0.0, 0
    for t in range(n_rounds):
        theta = np.exp(log_weights - log_weights.max())
        p = theta @ experts / theta.sum()
        c = 1 - c if p[c] > threshold else c
        regret += a / n_sampled * (1 / p[c] - 2)
        n = binomial(float(uniform(seed, repetition, t, DRAW_STREAM, 0)[0]), n_sampled, p[c])
        seen = experts[:, c].copy()
        gain = np.zeros((len(rates), 2))
        gain[:, c] = np.minimum(n * a * rates / (n_sampled**2 * seen**2 * p[c]), LARGEST)
        experts = mirror_step(experts, gain, alpha)
        log_weights = log_weights - meta_rate * n * a / (n_sampled**2 * seen * p[c])
        log_weights = log_weights - log_weights.max()
    return regret


@njit(nogil=True)
def binomial(u: float, n: Any, p: float) -> int:
    """Return a Binomial(n, p) number by inverse transform of one uniform u, in the order mode, mode + 1, mode - 1..."""
    if p >= 1.0:
        return n
    mode = min(n, np.int64((n + 1) * p))
    choose = math.lgamma(n + 1.0) - math.lgamma(mode + 1.0) - math.lgamma(n - mode + 1.0)
    above = math.exp(choose + mode * math.log(p) + (n - mode) * math.log1p(-p))
    below, odds, left = above, p / (1.0 - p), u - above
    high, low = mode, mode
    while left >= 0.0:
        above *= (n - high) / (high + 1.0) * odds
        high += 1
        if left < above:
            return high
        left -= above
        below *= low / ((n - low + 1.0) * odds)
        low -= 1
        if left < below:
            return low
        left -= below
        if above + below < 1e-300:  # u is one up to rounding
            break
    return mode


@njit(nogil=True)
def _play_trap(
    n_rounds: int,
    n_sampled: int,
    a: float,
    alpha: float,
    threshold: float,
    rates: np.ndarray,
    weights: np.ndarray,
    meta_rate: float,
    seed: int,
    stream: int,
    repetition: int,
    replay: np.ndarray,
    active: np.ndarray,
) -> float:
    n = len(rates)
    odds, seen, logs = np.zeros(n), np.empty(n), weights.copy()  # log odds of client 0 in the experts
    most = math.log((1.0 - alpha / 2) / (alpha / 2))
    regret, lost, c = 0.0, 0.0, 0
    root = absorb(absorb(U64(0), seed), repetition)
    for t in range(n_rounds):
        total, p = 0.0, 0.0
        for e in range(n):
            weight = math.exp(logs[e])
            total += weight
            p += weight / (1.0 + math.exp(-odds[e]))
        p /= total
        if len(replay) > 0:
            c = replay[t]
        elif (p if c == 0 else 1.0 - p) > threshold:
            c = 1 - c
        active[t] = c
        sign = 1.0 if c == 0 else -1.0
        p = p if c == 0 else 1.0 - p
        term = a / n_sampled * (1.0 / p - 2.0) - lost  # Kahan
        new = regret + term
        regret, lost = new, (new - regret) - term
        drawn = binomial(as_uniform(absorb(absorb(absorb(root, t), stream), 0)), n_sampled, p)
        force = drawn * a / (np.float64(n_sampled) * n_sampled * p)
        best = -np.inf
        for e in range(n):
            seen[e] = 1.0 / (1.0 + math.exp(-sign * odds[e]))
            gain = min(force * rates[e] / (seen[e] * seen[e]), LARGEST)
            odds[e] = min(max(odds[e] + sign * gain, -most), most)
            logs[e] -= meta_rate * force / seen[e]
            best = max(best, logs[e])
        for e in range(n):
            logs[e] -= best
    return regret
