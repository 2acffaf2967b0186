"""Algorithm 1, the OSMD sampler, as a pure function of what a round reveals, in floats and in ball arithmetic."""

from __future__ import annotations

import numpy as np

from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL
from fltheory.papers.osmd.algorithms.mirror import mirror_step, mirror_step_balls
from fltheory.runs.constants import Constants


def gain(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
    """Return the exponents N eta a / (K^2 p^3): -eta times the estimated gradient (7) at p, for draws from p."""
    return counts * feedback * c.sampler_rate / (c.n_sampled**2 * p * p * p)


def step(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
    """Return step (iii) of Algorithm 1: mirror descent with the negative entropy on the floored simplex."""
    return mirror_step(p, gain(p, counts, feedback, c), c.probability_floor)


def step_in_balls(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
    """Return the same step on object arrays of balls."""
    return mirror_step_balls(p, gain(p, counts, feedback, c), c.probability_floor)


def uniform_balls(n: int, c: Constants) -> np.ndarray:
    """Return the uniform distribution as balls, (seeds, clients)."""
    start = np.empty((n, c.n_clients), dtype=object)
    start[:] = BALL.scalar(1) / c.n_clients
    return start


def compiled_games(case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray | None:
    """Return regrets of compiled games; the code is loaded at the first game."""
    from fltheory.papers.osmd.kernels.fenwick import osmd_regret

    return osmd_regret(case, seed, repetitions)


osmd = Sampler("osmd", step, exact=Sampler("osmd in balls", step_in_balls, uniform_balls), kernel=compiled_games)
