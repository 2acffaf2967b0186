"""How the server uses a distribution: estimators of the aggregate, with and without replacement, and extensions.

Weights are the factors of lambda_m g_m in an estimator of J = sum_m lambda_m g_m, shape (..., clients). All functions
but the draws also accept object arrays of rationals.
"""

from __future__ import annotations

import numpy as np

from fltheory.games.losses import safe_divisor
from fltheory.games.participation import DRAW_STREAM, draw_counts
from fltheory.number import streams

PART = 1 << 20  # first draw index of the second part of an update, above any number of draws


def estimator_weights(p: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return N_m / (K p_m), the weights of the estimator (2) with replacement, sum_m weight_m lambda_m g_m."""
    return counts / (counts.sum(axis=-1, keepdims=True) * safe_divisor(p, counts))


# Without replacement (Algorithm 7) ------------------------------------------------------------------------------------


def draw_without_replacement(p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Return ordered draws of ``n`` <= M different clients, each proportional to p among those left: (seeds, n)."""
    if n > p.shape[1]:
        raise ValueError(f"{n} clients can't be drawn without replacement from {p.shape[1]}")
    left, rows = np.array(p), np.arange(len(p))
    order = np.empty((len(p), n), dtype=np.int64)
    for k in range(n):
        sums = left.cumsum(axis=1)
        level = streams.uniform(seed, repetitions, round_, DRAW_STREAM, k) * sums[:, -1]
        last = (sums < sums[:, -1:]).sum(axis=1)  # if rounding lifts the level to the total
        order[:, k] = np.minimum((sums <= level[:, None]).sum(axis=1), last)
        left[rows, order[:, k]] = 0
    return order


def without_replacement_weights(p: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return the weights of the unbiased estimator g~ = (1/K) sum_k g_(k) of Algorithm 7, for ordered draws (seeds, K).

    g_(k) divides lambda g of the k-th client by its probability among those left, and adds the earlier clients
    unweighted: the weight of the k-th client is (1/p_(k) + K - k) / K.
    """
    n = order.shape[1]
    rows = np.arange(len(p))
    left, weights = p + 0 * p, 0 * p
    for k in range(n):
        chance = left[rows, order[:, k]] / left.sum(axis=1)
        weights[rows, order[:, k]] = (1 / chance + (n - 1 - k)) / n
        left[rows, order[:, k]] = 0 * chance
    return weights


def members(order: np.ndarray, n_clients: int) -> np.ndarray:
    """Return N_m = 1 for the drawn clients, the input of the sampler in Algorithm 7, (seeds, clients).

    Its mean is the probability of being drawn, not K p_m, so the sampler's estimate (6) of the loss is biased.
    """
    return (order[:, :, None] == np.arange(n_clients)).sum(axis=1)


# Unavailable clients (Appendix D.2) -----------------------------------------------------------------------------------


def restrict_to(p: np.ndarray, active: np.ndarray) -> np.ndarray:
    """Return p restricted to the active clients and normalised, 0 for the others."""
    kept = p * active
    return kept / kept.sum(axis=-1, keepdims=True)


def draw_active(
    p: np.ndarray, active: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return counts and estimator weights, (seeds, clients): all active clients if at most ``n``, else ``n`` draws.

    ``active`` (seeds, clients) is 1 for the clients that can answer, at least one. The estimator is unbiased for the
    sum over the *active* clients only.
    """
    restricted = restrict_to(p, active)
    counts = draw_counts(restricted, n, seed, repetitions, round_)
    few = active.sum(axis=1, keepdims=True) <= n
    counts = np.where(few, active, counts)
    return counts, active_weights(restricted, counts, few)


def active_weights(restricted: np.ndarray, counts: np.ndarray, all_used: np.ndarray) -> np.ndarray:
    """Return N_m / (K p~_m) for draws from ``restricted``, and 1 for each active client if all are used."""
    drawn = counts > 0
    chance = np.where(drawn, restricted, 1)
    return np.where(all_used, 1 * drawn, counts / (counts.sum(axis=-1, keepdims=True) * chance))


# Personalised objectives (Appendix D.1) -------------------------------------------------------------------------------


def draw_two_parts(
    p: tuple[np.ndarray, np.ndarray], n: tuple[int, int], seed: int, repetitions: np.ndarray, round_: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return independent counts for both parts of the gradient, which have one sampler each."""
    second = _shifted_counts(p[1], n[1], seed, repetitions, round_)
    return draw_counts(p[0], n[0], seed, repetitions, round_), second


def _shifted_counts(p: np.ndarray, n: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    sums = p.cumsum(axis=1)
    levels = streams.uniform(seed, repetitions[:, None], round_, DRAW_STREAM, PART + np.arange(n)) * sums[:, -1:]
    drawn = np.minimum((sums[:, None, :] <= levels[:, :, None]).sum(axis=2), p.shape[1] - 1)
    return members(drawn, p.shape[1])


def two_part_estimate(
    weights: np.ndarray,
    parts: tuple[np.ndarray, np.ndarray],
    p: tuple[np.ndarray, np.ndarray],
    counts: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Return g_1 + g_2, g_i = (1/K_i) sum_{m in S_i} lambda_m g_{i,m} / p_{i,m}; parts (clients, dim): (..., dim)."""
    first, second = ((weights * estimator_weights(q, n)) @ part for q, n, part in zip(p, counts, parts, strict=True))
    return np.asarray(first + second)
