"""Compiled runs of Algorithm 4 with K = B = 1 on log-cosh clients; ``FedAvgGradient.path`` is the reference.

A mirror step whose exponent is below ``NEGLIGIBLE`` changes no float and is skipped. If this holds for a whole run, the
distribution stays uniform, also for the experts of Algorithm 5.
"""

from __future__ import annotations

import math

import numpy as np

from fltheory.evidence.validation.consistency import is_plain
from fltheory.games.participation import DRAW_STREAM
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.number.streams.compiled import njit
from fltheory.number.streams.kernels import U64, absorb, as_uniform, map_threads, max_threads
from fltheory.papers.osmd import algorithms
from fltheory.papers.osmd.algorithms.grid import expert_grid
from fltheory.papers.osmd.instances.bounded_clients import ProportionalClients, TiltedClients
from fltheory.papers.osmd.kernels import add_compensated, dense_step, exponent
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import NotEnumerable

NEGLIGIBLE = 1e-17
WORK = 2e8  # largest number of rounds of all runs
DENSE = 1e8  # largest number of probabilities that mirror steps change in all runs
QUICK = 32  # least number of clients for which the tree is faster
THREADS = 2


@njit(nogil=True)
def _find_client(tree: np.ndarray, level: float, n: int) -> int:
    """Return the client whose running sum first exceeds ``level``, by a descent of the Fenwick tree."""
    at, width = 0, len(tree) // 2
    while width > 0:
        if at + width < len(tree) and tree[at + width] <= level:
            at += width
            level -= tree[at]
        width //= 2
    return min(at, n - 1)


@njit(nogil=True)
def _add_mass(tree: np.ndarray, m: int, mass: float) -> None:
    i = m + 1
    while i < len(tree):
        tree[i] += mass
        i += i & -i


@njit(nogil=True)
def rollout(
    scales: np.ndarray,
    tilts: np.ndarray,
    mean: float,
    steep: float,
    bend: float,
    sigma: float,
    start: float,
    mu: float,
    eta: float,
    alpha: float,
    n_rounds: int,
    seed: int,
    repetition: int,
    quick: bool,
    most: float,
) -> float:
    """Return the mean of F'(w)^2 over one run; NaN if its dense steps take more than ``most`` operations.

    ``quick``: while no client can be at the floor, p = q / total with growing weights q, stored in a Fenwick tree.
    """
    n, size = len(scales), 1
    while size <= n:
        size *= 2
    tree, total, free = np.zeros(size), 1.0, quick
    p = np.full(n, 1.0 / n)
    for m in range(n):
        _add_mass(tree, m, p[m])
    sums = p.cumsum()
    drawn, gains, value = np.zeros(1, dtype=np.int64), np.zeros(1), np.zeros(2)
    root, w = absorb(absorb(U64(0), seed), repetition), start
    for t in range(n_rounds):
        slope = steep * np.tanh(w / bend)
        add_compensated(value, 0, (mean * slope) * (mean * slope))
        state = absorb(root, t)
        level = as_uniform(absorb(absorb(state, DRAW_STREAM), 0))
        dense = min(np.searchsorted(sums, level * sums[-1], side="right"), n - 1) if not free else 0
        m = _find_client(tree, level * total, n) if free else dense
        answer = scales[m] * slope + tilts[m]
        if sigma > 0.0:
            answer += sigma if as_uniform(absorb(absorb(state, m), 0)) < 0.5 else -sigma
        chance = p[m] / total if free else p[m]
        w -= mu * answer / (chance * n)
        gain = exponent(1, answer * answer / (n * n), eta, 1, chance)
        if gain <= NEGLIGIBLE:
            continue
        if free and gain < 1.0 and alpha * (total + 3.0 * p[m]) < 1.0:  # min p stays above the floor
            more = p[m] * np.expm1(gain)
            p[m] += more
            total += more
            _add_mass(tree, m, more)
            continue
        if free:
            free = False
            p /= p.sum()
        most -= n
        if most < 0:
            return np.nan
        drawn[0], gains[0] = m, gain
        dense_step(p, drawn, gains, 1, alpha)
        sums = p.cumsum()
    return (value[0] + value[1]) / n_rounds


def largest_rate(sampler: Sampler, c: Constants) -> float | None:
    """Return the largest learning rate of OSMD or of the experts of Algorithm 5; None for another sampler."""
    if sampler.step is algorithms.step:
        return float(c.sampler_rate)
    if sampler.own and sampler.name == "adaptive osmd":
        return float(np.max(expert_grid(c, c.n_rounds)))
    return None


def mean_squared_gradients(sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return the mean of F'(w^t)^2 over the rounds, (repetitions,); None without a faster compiled run.

    NotEnumerable if the runs would take too long.
    """
    instance: TiltedClients | ProportionalClients = case.instance
    c = run_constants(case, None)
    if not is_plain(instance, TiltedClients, ProportionalClients) or (c.n_sampled, c.n_local_steps) != (1, 1):
        return None
    rate, sigma = largest_rate(sampler, c), to_float(instance.noise_std)
    if rate is None:
        return None
    scales, tilts, mean, _ = instance.tables(np.zeros(1))
    bend = to_float(instance.bend)
    steep = to_float(instance.curvature) * bend
    feedback = float((scales * steep + np.abs(tilts)).max() + sigma) ** 2 / c.n_clients**2
    still = rate * feedback * c.n_clients**3 <= NEGLIGIBLE  # then p stays uniform
    if sampler.step is not algorithms.step and not still:
        return None
    n_runs = len(repetitions)
    if float(c.n_rounds) * n_runs > WORK:
        raise NotEnumerable(f"{n_runs} runs of {c.n_rounds} rounds take too long")
    step, floor, start = c.server_step_size * c.step_size, float(c.probability_floor), to_float(instance.start[0])
    quick = not still and c.n_clients > QUICK

    def one(repetition: int) -> float:
        return rollout(
            scales,
            tilts,
            float(mean),
            steep,
            bend,
            sigma,
            start,
            float(step),
            0.0 if still else rate,
            floor,
            c.n_rounds,
            seed,
            repetition,
            quick,
            DENSE / n_runs,
        )

    found = np.array(map_threads(one, repetitions, min(THREADS, max_threads())))
    if np.isnan(found).any() and math.isfinite(start):
        raise NotEnumerable(f"{n_runs} runs of {c.n_rounds} rounds with {c.n_clients} clients take too long")
    return found
