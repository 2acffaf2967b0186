"""FedAvg with sampled clients (Algorithm 4) in one dimension, with any sampler: simulated, enumerated or compiled.

Before a round the model is w (runs,). K clients are drawn from the sampler's p; client m, however often drawn, takes B
local steps from w and answers once, with the sum G_m of its stochastic gradients. The server subtracts from w
mu mu_l (1/K) sum_m N_m G_m / (M p_m) (15), and the feedback is G_m^2 / (B M^2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.games.environment import Branch, BranchListing, Observation
from fltheory.games.participation import distinct_draws, draw_branches, draw_counts
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL, Element, Ring, to_float
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.instances.bounded_clients import ApartClients
from fltheory.papers.osmd.instances.bounded_gradients import BoundedClients
from fltheory.papers.osmd.sgd.closed_forms.sgd import MeanSquaredGradient, MiniBatches, require_few_courses, signs
from fltheory.runs.constants import Constants
from fltheory.runs.method import NotEnumerable

SIMULATED = 20_000_000  # largest number of probabilities in all rounds and runs of a simulation
LONGEST = 20_000  # largest number of rounds of such a run


def local_sums(
    instance: BoundedClients, w: np.ndarray, noise: np.ndarray | None, step: float | Element, n_local_steps: int
) -> np.ndarray:
    """Return the sum of each client's stochastic gradients along its local steps from w (n,): (n, clients).

    ``noise``: the error of each stochastic gradient, (n, clients, local steps), or None.
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


def server_step(w: np.ndarray, p: np.ndarray, counts: np.ndarray, sums: np.ndarray, c: Constants) -> np.ndarray:
    """Return the step (15) for lambda = 1/M, (runs,); ``counts``, ``sums`` and ``p`` are (runs, clients)."""
    estimate = (counts * sums / p).sum(axis=1) / (c.n_sampled * c.n_clients)
    return np.asarray(w - c.server_step_size * c.step_size * estimate)


def feedback(sums: np.ndarray, c: Constants) -> np.ndarray:
    """Return a_m = |g_m|^2 / (M^2 mu_l^2 B): the squared sum of the gradients over M^2 B."""
    return sums * sums / (c.n_clients**2 * c.n_local_steps)


class LocalSteps(MiniBatches):
    """The rounds of Algorithm 4: a client answers with the sum of its stochastic gradients along its local steps."""

    def reveal(self, t: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[np.ndarray, np.ndarray]:
        """Return nothing: the answer of a client depends on the noise of its own steps."""
        return p, memory

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        counts, sigma = draw_counts(p, self.c.n_sampled, seed, repetitions, t), to_float(self.game.noise_std)
        noise = None
        if sigma:
            noise = sigma * signs(self.c.n_clients, int(self.c.n_local_steps), seed, repetitions, t)
        return self._after(p, counts, noise, memory)

    def _after(self, p: np.ndarray, counts: np.ndarray, noise: np.ndarray | None, memory: np.ndarray) -> Observation:
        c, w = self.c, memory[:, 0]
        sums = local_sums(self.game, w, noise, c.step_size, int(c.n_local_steps))
        return Observation(counts, feedback(sums, c), server_step(w, p, counts, sums, c)[:, None])

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        c, steps = self.c, int(self.c.n_local_steps)
        require_few_courses(self.n_rounds, math.comb(c.n_sampled + c.n_clients - 1, c.n_sampled), limit)
        draws, values = distinct_draws(c, limit), 2**steps if self.game.noise_std else 1
        size = sum(values ** int(n) for n in (draws > 0).sum(axis=1))
        require_few_courses(self.n_rounds, size, limit)
        sigma = to_float(self.game.noise_std) if ring is None else ring.scalar(self.game.noise_std)

        def branch(weights: np.ndarray, p: np.ndarray, answer: np.ndarray, memory: np.ndarray) -> Branch:
            rows, counts, weights = draw_branches(p, weights, draws, ring)
            noise = None
            if values > 1:
                rows, counts, weights, signs = _with_signs(rows, counts, weights, steps)
                noise = signs * sigma
            return Branch(rows, self._after(p[rows], counts, noise, memory[rows]), weights)

        return BranchListing(size, math.inf, branch)


def _with_signs(
    rows: np.ndarray, counts: np.ndarray, weights: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Yield each branch once for each sequence of signs of its drawn clients: signs (n, clients, steps)."""
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

    Exact by enumeration for short runs, else simulated; long runs of OSMD with K = B = 1 on log-cosh clients: compiled.
    """

    world = LocalSteps

    def rounds_known(self, sampler: Sampler, case: Case) -> int | None:
        return None

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """Return the value by enumeration, or a lower limit if tilted clients meet a sampler that hardly learns."""
        if ring is BALL and isinstance(case.instance, ApartClients):
            from fltheory.papers.osmd.fedavg.closed_forms.lower_limits import least_gradient

            least = least_gradient(sampler, case)
            if least is not None:
                return least
        return super().exact(sampler, case, ring)

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the mean over the rounds of |F'(w^t)|^2 in simulated runs, (repetitions,)."""
        from fltheory.papers.osmd.fedavg.kernels import mean_squared_gradients

        found = mean_squared_gradients(sampler, case, seed, repetitions)
        if found is not None:
            return found
        rounds, clients = (int(case.constants[v]) for v in (notation.T, notation.M))
        if rounds * clients * len(repetitions) > SIMULATED or rounds > LONGEST:
            raise NotEnumerable(f"{len(repetitions)} runs of {rounds} rounds with {clients} clients take too long")
        game: BoundedClients = case.instance
        total = np.zeros(len(repetitions))
        for w in self.path(sampler, case, seed, repetitions):
            total += game.mean_slope(w) ** 2
        return total / rounds
