"""FedAvg with sampled clients (Algorithm 4) on the line, with any sampler: simulated, enumerated, compiled.

Before a round the model is w (runs,). K draws from the sampler's p; client m, however often it is drawn, takes B local
steps from w and answers once, with the sum G_m of its stochastic gradients: w falls by
mu mu_l (1/K) sum_m N_m G_m / (M p_m) (15), and the feedback is G_m^2 / (B M^2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory import streams
from fltheory.case import Case
from fltheory.games.player import PLAIN, checked_play, checked_step, merged, require_among, taken
from fltheory.games.sampler import Sampler, branches, distinct_draws, draw_counts
from fltheory.number import Ring, to_float
from fltheory.number.signals import of_library
from fltheory.papers.osmd import letters
from fltheory.papers.osmd.exact.sgd import MeanSquaredGradient, array_in
from fltheory.papers.osmd.kernels.fedavg_kernel import compiled
from fltheory.runs.algorithm import NotEnumerable, run_constants

SIMULATED = 20_000_000  # probabilities of all rounds and runs that are simulated round by round, at most
LONGEST = 20_000  # rounds of such a run at most


def local_sums(instance: Any, w: np.ndarray, noise: np.ndarray | None, step: Any, n_local_steps: int) -> np.ndarray:
    """The sums of every client's stochastic gradients along its local steps from w (n,): (n, clients).

    ``noise``: what each stochastic gradient is off by, (n, clients, local steps); None for none.
    """
    scales, tilts, _, _ = instance.tables(w)
    local, total = np.repeat(w[:, None], len(scales), axis=1), None
    for b in range(n_local_steps):
        gradient = instance.slope(local) * scales + tilts
        if noise is not None:
            gradient = gradient + noise[:, :, b]
        total = gradient if total is None else total + gradient
        if b + 1 < n_local_steps:
            local = local - step * gradient
    assert total is not None
    return np.asarray(total)


def moved(w: np.ndarray, p: np.ndarray, counts: np.ndarray, sums: np.ndarray, c: Any) -> np.ndarray:
    """(15) for lambda = 1/M: (runs,); ``counts``, ``sums`` and ``p`` are (runs, clients)."""
    estimate = (counts * sums / p).sum(axis=1) / (c.n_sampled * c.n_clients)
    return np.asarray(w - c.server_step_size * c.step_size * estimate)


def feedback(sums: np.ndarray, c: Any) -> np.ndarray:
    """a_m = |g_m|^2 / (M^2 mu_l^2 B): the squared sum of the gradients over M^2 B."""
    return sums * sums / (c.n_clients**2 * c.n_local_steps)


def path(sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> Iterator[np.ndarray]:
    """The models before rounds 0, .., T - 1 of simulated runs, (repetitions,) each."""
    instance: Any = case.instance
    c = run_constants(case, None)
    n, steps, sigma = len(repetitions), int(c.n_local_steps), to_float(instance.noise_std)
    state, w = sampler.init(n, c), np.full(n, to_float(instance.start[0]))
    clients, each = np.arange(c.n_clients)[:, None], np.arange(steps)
    for t in range(c.n_rounds):
        yield w
        if t + 1 == c.n_rounds:
            return
        p = checked_play(sampler, state, c, n, t)
        counts = draw_counts(p, c.n_sampled, seed, repetitions, t)
        noise = None
        if sigma:
            levels = streams.uniform(seed, repetitions[:, None, None], t, clients, each)
            noise = sigma * np.where(levels < 0.5, 1.0, -1.0)
        sums = local_sums(instance, w, noise, c.step_size, steps)
        w = moved(w, p, counts, sums, c)
        if t + 2 < c.n_rounds:  # the last round's play is not used
            state = checked_step(sampler, state, counts, feedback(sums, c), c, t)


def enumerated(sampler: Sampler, case: Case, ring: Ring | None, limit: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Probabilities and models (n,) before every round, over all draws and noise; NotEnumerable beyond ``limit`` branches.

    In balls (a sampler that has a twin in balls, given here) or in floats (``ring`` None).
    """
    instance: Any = case.instance
    c = run_constants(case, ring)
    steps, choices = int(c.n_local_steps), math.comb(c.n_sampled + c.n_clients - 1, c.n_sampled)
    if (c.n_rounds - 1) * math.log(choices) > math.log(limit):
        raise NotEnumerable(f"more than {limit} courses of the run")
    draws = distinct_draws(c, limit)
    number = to_float if ring is None else ring.scalar
    weights, w = array_in([number(1)], ring), array_in([number(instance.start[0])], ring)
    state, sigma = sampler.init(1, c), number(instance.noise_std)
    values = 2**steps if instance.noise_std else 1
    each = sum(values ** int(n) for n in (draws > 0).sum(axis=1))  # branches of a model in a round
    if (c.n_rounds - 1) * math.log(each) > math.log(limit):
        raise NotEnumerable(f"more than {limit} courses of the run")
    plain = path(sampler, case, 0, np.arange(PLAIN)) if ring is None and not of_library(tuple(sampler)) else None
    for t in range(c.n_rounds):
        if plain is not None:
            require_among(sampler, w[:, None], next(plain)[:, None], t)
        yield weights, w
        if t + 1 == c.n_rounds:
            return
        p = checked_play(sampler, state, c, len(w), t, ring)
        rows, counts, weights = branches(p, p, weights, draws, ring)
        noise = None
        if values > 1:
            rows, counts, weights, signs = _with_signs(rows, counts, weights, steps)
            noise = signs * sigma
        sums = local_sums(instance, w[rows], noise, c.step_size, steps)
        w = moved(w[rows], p[rows], counts, sums, c)
        after = np.zeros((len(w), 0))
        if t + 2 < c.n_rounds:
            after = checked_step(sampler, taken(state, rows), counts, feedback(sums, c), c, t)
        state, column, weights = merged(after, w[:, None], weights, ring)
        w = column[:, 0]


def _with_signs(
    rows: np.ndarray, counts: np.ndarray, weights: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Every branch once for each sequence of signs of the clients that are drawn in it: signs (n, clients, steps)."""
    signs = np.zeros((*counts.shape, steps), dtype=np.int64)
    sequences = 1 - 2 * ((np.arange(2**steps)[:, None] >> np.arange(steps)) & 1)
    for m in range(counts.shape[1]):
        times = np.where(counts[:, m] > 0, len(sequences), 1)
        which = np.repeat(np.arange(len(rows)), times)
        place = np.arange(len(which)) - np.repeat(times.cumsum() - times, times)
        rows, counts, signs = rows[which], counts[which], signs[which].copy()
        weights = weights[which] / times[which]
        hit = counts[:, m] > 0
        signs[hit, m] = sequences[place[hit]]
    return rows, counts, weights, signs


@dataclass(frozen=True)
class FedAvgGradient(MeanSquaredGradient):
    """E|F'(w^R)|^2 for a uniformly random round R of Algorithm 4, the quantity of Theorems 5 and 9.

    Exact by enumeration of short runs, else simulated; long runs of OSMD with K = B = 1 on log-cosh clients are compiled.
    """

    def courses(
        self, sampler: Sampler, case: Case, ring: Ring | None, limit: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        return enumerated(sampler, case, ring, limit)

    def rounds_known(self, sampler: Sampler, case: Case) -> int | None:
        return None

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """The mean over the rounds of |F'(w^t)|^2 in simulated runs, (repetitions,)."""
        found = compiled(sampler, case, seed, repetitions)
        if found is not None:
            return found
        rounds, clients = (int(case.constants[v]) for v in (letters.T, letters.M))
        if rounds * clients * len(repetitions) > SIMULATED or rounds > LONGEST:
            raise NotEnumerable(f"{len(repetitions)} runs of {rounds} rounds with {clients} clients take too long")
        game: Any = case.instance
        total = np.zeros(len(repetitions))
        for w in path(sampler, case, seed, repetitions):
            total += game.mean_slope(w) ** 2
        return total / rounds
