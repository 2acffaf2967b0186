"""One round from a fixed point, exactly: the mean squares of its end, and the drift of the local models.

For quadratic clients, second moments of the local models follow from the clients before them. For others, all
orders and noise values are enumerated. Both give the same numbers, which a test compares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.model.case import Case, FederatedInstance
from fltheory.number import Element, Ring
from fltheory.papers.sfl import algorithms
from fltheory.runs.algorithm import start_state
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.sample_paths import EnumeratedOracle, Outcome, round_outcomes
from fltheory.runs.measures import LastDistance, LastGap

COURSES = 4096  # largest number of enumerated outcomes of a round


class Round(NamedTuple):
    """E|x_1 - x*|^2, E F(x_1) - F*, and the drift E sum_{m,k} |x_{m,k} - x|^2, as ring elements."""

    distance: Element
    gap: Element
    drift: Element


def one_round(case: Case, ring: Ring, parallel: bool = False) -> Round:
    """Return one round of SFL or PFL from the instance's start; NotEnumerable if there are too many outcomes."""
    instance = case.instance
    if not algorithms.has_laws(instance):
        return by_enumeration(case, ring, parallel)
    c = run_constants(case, ring)
    law = algorithms.parallel_law if parallel else algorithms.sequential_law
    blocks = law(instance, c, ring)
    assert blocks is not None
    once = case.with_settings(n_rounds=1)
    drift = ring.scalar(0)
    representatives, counts = algorithms.kinds_of_clients(instance)
    singles = [instance.client_laws(m, c.step_size, 1, ring) for m in representatives]
    wholes = [instance.client_laws(m, c.step_size, c.n_local_steps, ring) for m in representatives]
    for i, coordinates in enumerate(instance.blocks):
        start = [ring.scalar(instance.start[j]) for j in coordinates]
        arrivals = (
            _parallel_starts(counts, c.n_participating, start, ring)
            if parallel
            else _sequential_starts([law[i] for law in wholes], counts, c.n_participating, start, ring)
        )
        for weight, kind, state in arrivals:
            for _ in range(c.n_local_steps):
                drift = drift + weight * moments.quadratic_mean(state, _same, start, ring)
                state = singles[kind][i].second * state
    return Round(LastDistance().from_moments(blocks, once, ring), LastGap().from_moments(blocks, once, ring), drift)


def _same(i: int, j: int) -> int:
    return int(i == j)


def _parallel_starts(counts: list[int], size: int, start: list[Any], ring: Ring) -> Iterator[tuple[Any, int, Any]]:
    """Return the weight, kind and second moments of every client's first local model in PFL."""
    state = moments.outer_column(start, ring)
    for kind, count in enumerate(counts):
        yield ring.scalar(Fraction(size * count, sum(counts))), kind, state


def _sequential_starts(
    clients: list[moments.MapMoments], counts: list[int], size: int, start: list[Any], ring: Ring
) -> Iterator[tuple[Any, int, Any]]:
    """Return the same for SFL: a client of each kind after each set of clients that may precede it."""
    total = sum(counts)
    state = moments.outer_column(start, ring)
    for used, law in moments.prefix_moments(clients, counts, size - 1, ring).items():
        done = sum(used)
        ways = math.prod(math.comb(n, u) for n, u in zip(counts, used, strict=True))
        arrived = law.second * state
        for kind, (n, u) in enumerate(zip(counts, used, strict=True)):
            if u < n:
                odds = Fraction(ways, math.comb(total, done)) * Fraction(n - u, total - done)
                yield ring.scalar(odds), kind, arrived


def local_models(
    case: Case, ring: Ring, parallel: bool = False, noisy: bool = True
) -> tuple[list[Outcome], np.ndarray, np.ndarray, np.ndarray]:
    """Return all outcomes of a round: local models (outcomes, S, K, dim), clients (outcomes, S), next x."""
    instance: FederatedInstance = case.instance
    algorithm = algorithms.parallel if parallel else algorithms.sequential
    courses = round_outcomes(algorithm, case, COURSES, noisy)
    c = run_constants(case, ring)
    orders = np.array([o.order for o in courses], dtype=np.int64).reshape(len(courses), -1)
    noise = np.array([o.noise for o in courses], dtype=np.int64).reshape(len(courses), -1)
    oracle = EnumeratedOracle(instance, orders, noise, c.n_local_steps, ring)
    x = start_state(algorithm, case, len(courses), ring)
    models = np.empty((len(courses), c.n_participating, c.n_local_steps, instance.dim), dtype=object)
    y, total = x, x * 0
    for position, client in enumerate(orders.T):
        y = x if parallel else y
        for k in range(c.n_local_steps):
            models[:, position, k] = y
            gradient = oracle.gradient(y, client, k) if noisy else instance.gradient(y, client)
            y = y - c.step_size * gradient
        total = total + y
    new = total / c.n_participating if parallel else y
    return courses, models, orders, x + c.server_step_size * (new - x)


def by_enumeration(case: Case, ring: Ring, parallel: bool = False) -> Round:
    """Return one round by enumeration of its outcomes."""
    instance: FederatedInstance = case.instance
    courses, models, _, new = local_models(case, ring, parallel)
    start = np.array([ring.scalar(v) for v in instance.start] + [None], dtype=object)[:-1]
    best = np.array([ring.scalar(v) for v in instance.minimiser] + [None], dtype=object)[:-1]
    weights = np.array([ring.scalar(o.weight) for o in courses] + [None], dtype=object)[:-1]
    moved, away = models - start, new - best
    drift = (moved * moved).reshape(len(courses), -1).sum(axis=1)  # not ** 2, which is NaN for a ball around 0
    distance = (away * away).sum(axis=1)
    return Round((distance * weights).sum(), (instance.gap(new) * weights).sum(), (drift * weights).sum())
