"""Mini-batch SGD with sampled clients (Algorithm 3) on the line, with any sampler: simulated and enumerated.

Before a round the model is w (runs,). K draws from the sampler's p; client m, however often it is drawn, answers once, with
g_m = F_m'(w) + sigma times the mean of B signs; w falls by mu (1/K) sum_m N_m g_m / (M p_m); feedback g_m^2 / M^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb

from fltheory import streams
from fltheory.bound import Dimension
from fltheory.case import Case
from fltheory.evidence.measured import AtLeast
from fltheory.games.player import PLAIN, checked_play, checked_step, merged, require_among, taken
from fltheory.games.sampler import Sampler, branches, distinct_draws, draw_counts
from fltheory.number import BALL, NotRational, Number, Ring, to_ball, to_float
from fltheory.number.signals import of_library
from fltheory.papers.osmd import letters
from fltheory.papers.osmd.data.bounded_clients import SlopeClients
from fltheory.runs.algorithm import NotEnumerable, object_array, run_constants
from fltheory.runs.measures import GRADIENT_SQUARED, OfGame
from fltheory.scrutiny.consistency import is_plain

BRANCHES = 20_000  # branches of a run that are enumerated at most, in balls
FLOAT_BRANCHES = 60_000  # in floats
BUDGET = 1e-9  # relative error of floats
DRAWS_LISTED = 1_500_000  # clients drawn in all the ways of a round at most
SIMULATED = 5_000  # rounds of a run that is simulated at most
DRAWN = 100_000  # clients drawn in such a run at most
FOLLOWED = 500  # rounds of a run that leaves the slope, of which more is asked than its part on the slope


def batch_signs(n_clients: int, batch: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """The mean of ``batch`` signs of every client, (repetitions, clients): noise of a mini-batch over sigma."""
    clients = np.arange(n_clients)
    total = np.zeros((len(repetitions), n_clients))
    for b in range(batch):
        total += np.where(streams.uniform(seed, repetitions[:, None], round_, clients, b) < 0.5, 1.0, -1.0)
    return total / batch


def moved(w: np.ndarray, p: np.ndarray, counts: np.ndarray, answers: np.ndarray, c: Any) -> np.ndarray:
    """w - mu g with the estimator (12) for lambda = 1/M: (runs,); ``counts``, ``answers`` and ``p`` are (runs, clients)."""
    estimate = (counts * answers / p).sum(axis=1) / (c.n_sampled * c.n_clients)
    return np.asarray(w - c.step_size * estimate)


def path(sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> Iterator[np.ndarray]:
    """The models before rounds 0, .., T - 1 of simulated runs, (repetitions,) each."""
    instance: Any = case.instance
    c = run_constants(case, None)
    n, batch, sigma = len(repetitions), int(getattr(c, "batch_size", 1)), to_float(instance.noise_std)
    state, w = sampler.init(n, c), np.full(n, to_float(instance.start[0]))
    for t in range(c.n_rounds):
        yield w
        if t + 1 == c.n_rounds:
            return
        p = checked_play(sampler, state, c, n, t)
        counts = draw_counts(p, c.n_sampled, seed, repetitions, t)
        answers = instance.gradients(w)
        if sigma:
            answers = answers + sigma * batch_signs(c.n_clients, batch, seed, repetitions, t)
        w = moved(w, p, counts, answers, c)
        if t + 2 < c.n_rounds:  # the last round's play is not used
            state = checked_step(sampler, state, counts, (answers / c.n_clients) ** 2, c, t)


def enumerated(sampler: Sampler, case: Case, ring: Ring | None, limit: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Probabilities and models (n,) before every round, over all draws and noise; NotEnumerable beyond ``limit`` branches.

    In balls (a sampler that has a twin in balls, given here) or in floats (``ring`` None).
    """
    instance: Any = case.instance
    c = run_constants(case, ring)
    if c.n_rounds == 1:
        yield array_in([_number(1, ring)], ring), array_in([_number(instance.start[0], ring)], ring)
        return
    if math.comb(c.n_sampled + c.n_clients - 1, c.n_clients - 1) * c.n_sampled > DRAWS_LISTED:
        raise NotEnumerable(f"{c.n_sampled} clients are drawn in too many ways")
    draws = distinct_draws(c, limit)
    number = float if ring is None else ring.scalar
    weights, w = array_in([number(1)], ring), array_in([_number(instance.start[0], ring)], ring)
    plain = path(sampler, case, 0, np.arange(PLAIN)) if ring is None and not of_library(tuple(sampler)) else None
    state = sampler.init(1, c)
    levels, chances_of_levels = _noise(instance.noise_std, int(getattr(c, "batch_size", 1)), ring)
    each = sum(len(levels) ** int(n) for n in (draws > 0).sum(axis=1))  # branches of a model in a round
    if (c.n_rounds - 1) * math.log(each) > math.log(limit):
        raise NotEnumerable(f"more than {limit} courses of the run")
    for t in range(c.n_rounds):
        if plain is not None:
            require_among(sampler, w[:, None], next(plain)[:, None], t)
        yield weights, w
        if t + 1 == c.n_rounds:
            return
        p = checked_play(sampler, state, c, len(w), t, ring)
        rows, counts, weights = branches(p, p, weights, draws, ring)
        answers = instance.gradients(w)[rows]
        if len(levels) > 1:
            for m in range(c.n_clients):
                rows, counts, weights, answers = _split(m, levels, chances_of_levels, rows, counts, weights, answers)
        w = moved(w[rows], p[rows], counts, answers, c)
        if t + 2 < c.n_rounds:
            feedback = answers / c.n_clients
            after = checked_step(sampler, taken(state, rows), counts, feedback * feedback, c, t)
        else:
            after = np.zeros((len(w), 0))
        state, column, weights = merged(after, w[:, None], weights, ring)
        w = column[:, 0]


def _number(value: Number, ring: Ring | None) -> Any:
    return to_float(value) if ring is None else ring.scalar(value)


def array_in(values: list[Any], ring: Ring | None) -> np.ndarray:
    """An array of floats, or of the ring's elements."""
    return np.array(values) if ring is None else object_array(values, (len(values),))


def _noise(sigma: Number, batch: int, ring: Ring | None) -> tuple[list[Any], list[Any]]:
    """Values of sigma times the mean of ``batch`` signs, and their probabilities."""
    if sigma == 0:
        return [_number(0, ring)], [_number(1, ring)]
    unit, half = _number(sigma, ring) / batch, _number(1, ring) / 2
    ups = range(batch + 1)
    return [(2 * k - batch) * unit for k in ups], [math.comb(batch, k) * half**batch for k in ups]


def _split(
    client: int,
    levels: list[Any],
    chances: list[Any],
    rows: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    answers: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Every branch where the client is drawn, once for each value of its noise."""
    drawn = counts[:, client] > 0
    times = np.where(drawn, len(levels), 1)
    which = np.repeat(np.arange(len(rows)), times)
    level = np.arange(len(which)) - np.repeat(times.cumsum() - times, times)
    rows, counts, weights, answers = rows[which], counts[which], weights[which], answers[which].copy()
    hit = counts[:, client] > 0
    add, chance = np.array(levels), np.array(chances)
    answers[hit, client] = answers[hit, client] + add[level[hit]]
    weights = weights.copy()
    weights[hit] = weights[hit] * chance[level[hit]]
    return rows, counts, weights, answers


def rounds_on_slope(sampler: Sampler, case: Case) -> int | None:
    """For how many rounds a run surely stays on the slope of noiseless ``SlopeClients``, or None.

    There the estimate is s (1/K) sum_m N_m / (M p_m) <= s / alpha, as p_m >= alpha/M: so w^t >= w^1 - (t - 1) mu s / alpha.
    """
    instance: Any = case.instance
    if not is_plain(instance, SlopeClients) or instance.noise_std or not sampler.own or instance.start[0] < 0:
        return None
    most = to_ball(case.constants[letters.mu]) * to_ball(instance.steep)
    reach = (to_ball(instance.start[0]) * to_ball(instance.floor) / most).lower().floor().unique_fmpz()
    return None if reach is None else 1 + int(reach)


@dataclass(frozen=True)
class MeanSquaredGradient(OfGame):
    """E|F'(w^R)|^2 for a uniformly random round R: (1/T) sum_t E|F'(w^t)|^2, the quantity of Theorems 4 and 9.

    Exact by enumeration of short runs, and on a slope that no run leaves; else simulated.
    """

    name: str = "E|∇F(w_R)|²"
    dimension: Dimension = GRADIENT_SQUARED
    of_any_algorithm = True  # gradients are bounded everywhere

    def courses(
        self, sampler: Sampler, case: Case, ring: Ring | None, limit: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The models of every course of a run, round by round, with their probabilities."""
        return enumerated(sampler, case, ring, limit)

    def rounds_known(self, sampler: Sampler, case: Case) -> int | None:
        """For how many rounds the gradient is surely that of the slope, or None."""
        return rounds_on_slope(sampler, case)

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """The value as a ball; NotEnumerable without a twin in balls or with too many courses."""
        if ring is not BALL:
            raise NotRational
        game: Any = case.instance
        rounds, stays = int(case.constants[letters.T]), self.rounds_known(sampler, case)
        if stays is not None and (stays >= rounds or rounds > FOLLOWED):
            square = to_ball(game.steep) ** 2
            return square if stays >= rounds else AtLeast(square * stays / rounds)
        if sampler.exact is None:
            raise NotEnumerable(f"{sampler.name} has no twin in balls")
        total = arb(0)
        for weights, w in self.courses(sampler.exact, case, BALL, BRANCHES):
            slope = game.mean_slope(w)
            total += (weights * slope * slope).sum()
        return total / rounds

    def in_floats(self, sampler: Sampler, case: Case) -> tuple[float, float]:
        """The value between two floats, by enumeration in floats; NotEnumerable with too many courses."""
        game: Any = case.instance
        total, rounds = 0.0, int(case.constants[letters.T])
        for weights, w in self.courses(sampler, case, None, FLOAT_BRANCHES):
            total += float((weights * game.mean_slope(w) ** 2).sum())
        budget = BUDGET * self.span(case)[1]
        return total / rounds - budget, total / rounds + budget

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """The mean over the rounds of |F'(w^t)|^2 in simulated runs, (repetitions,)."""
        rounds, drawn = int(case.constants[letters.T]), int(case.constants[letters.K])
        if rounds > SIMULATED or rounds * drawn > DRAWN:
            raise NotEnumerable(f"{rounds} rounds of {drawn} draws are too many to simulate")
        game: Any = case.instance
        total = np.zeros(len(repetitions))
        for w in path(sampler, case, seed, repetitions):
            total += game.mean_slope(w) ** 2
        return total / rounds

    def span(self, case: Case) -> tuple[float, float]:
        """What |F'|^2 lies between everywhere."""
        game: Any = case.instance
        return 0.0, to_float(game.largest_mean_gradient) ** 2 * (1 + BUDGET)

    def trivial(self, case: Case) -> Number | None:
        """G^2: no gradient is larger."""
        bound = case.constants[letters.G]
        return bound * bound
