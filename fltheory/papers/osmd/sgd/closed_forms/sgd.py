"""Mini-batch SGD with sampled clients (Algorithm 3) in one dimension, with any sampler: simulated and enumerated.

Before a round the model is w (runs,). K clients are drawn from the sampler's p; client m, however often drawn, answers
once, g_m = F_m'(w) + sigma (mean of B signs). w gains -mu (1/K) sum_m N_m g_m / (M p_m); feedback g_m^2 / M^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import sympy
from flint import arb

from fltheory.evidence.measured import AtLeast
from fltheory.evidence.validation.consistency import is_plain
from fltheory.games.environment import Branch, BranchListing, Environment, Observation
from fltheory.games.losses import safe_divisor
from fltheory.games.participation import distinct_draws, draw_branches, draw_counts
from fltheory.games.play import enumerate_rounds, simulate_rounds
from fltheory.games.player import Sampler
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring, streams, to_ball, to_float
from fltheory.papers.osmd import notation
from fltheory.papers.osmd.instances.bounded_clients import SlopeClients
from fltheory.papers.osmd.instances.bounded_gradients import BoundedClients
from fltheory.runs.algorithm import object_array
from fltheory.runs.constants import Constants
from fltheory.runs.measures import GRADIENT_SQUARED, GameMeasure
from fltheory.runs.method import NotEnumerable

BRANCHES = 20_000  # largest number of enumerated branches of a run in balls
FLOAT_BRANCHES = 60_000  # the same in floats
BUDGET = 1e-9  # relative error of floats
DRAWS_LISTED = 1_500_000  # largest number of clients drawn, summed over all possible draws of a round
SIMULATED = 5_000  # largest number of rounds of a simulated run
DRAWN = 100_000  # largest number of clients drawn in such a run
ROUNDS_AT_ONCE = 32  # rounds whose noise is drawn together
SIGNS_AT_ONCE = 100_000
FOLLOWED = 500  # rounds of a run that leaves the slope, if the measure extends beyond the slope


def signs(n_clients: int, each: int, seed: int, repetitions: np.ndarray, round_: int) -> np.ndarray:
    """Return ``each`` signs of each client in a round, (repetitions, clients, each): the noise over sigma."""
    runs = np.asarray(repetitions, dtype=np.int64)
    n = max(1, min(ROUNDS_AT_ONCE, SIGNS_AT_ONCE // max(1, len(runs) * n_clients * each)))
    return _signs_of_rounds(n_clients, each, seed, runs.tobytes(), round_ - round_ % n, n)[round_ % n]


@lru_cache(maxsize=2)
def _signs_of_rounds(n_clients: int, each: int, seed: int, repetitions: bytes, first: int, n: int) -> np.ndarray:
    """Return those of n rounds, (n, repetitions, clients, each); for few rounds this is hardly slower than one."""
    rounds, runs = np.arange(first, first + n), np.frombuffer(repetitions, dtype=np.int64)
    chains = streams.round_chain(seed, runs, rounds[:, None])[..., None, None]
    found = np.where(
        streams.uniform_from_chain(chains, np.arange(n_clients)[:, None], np.arange(each)) < 0.5, 1.0, -1.0
    )
    found.flags.writeable = False
    return found


def server_step(w: np.ndarray, p: np.ndarray, counts: np.ndarray, answers: np.ndarray, c: Constants) -> np.ndarray:
    """Return w - mu g with the estimator (12) for lambda = 1/M, (runs,); arguments are (runs, clients)."""
    estimate = (counts * answers / safe_divisor(p, counts)).sum(axis=1) / (c.n_sampled * c.n_clients)
    return np.asarray(w - c.step_size * estimate)


class MiniBatches(Environment):
    """The rounds of Algorithm 3: the state is the model, (rows, 1); a client answers with its stochastic gradient."""

    moves = True

    @property
    def n_rounds(self) -> int:
        """Return the number of updates: the model of the last round is not updated."""
        return int(self.c.n_rounds) - 1

    @property
    def _batch(self) -> int:
        return int(self.c.get("batch_size", 1))

    def memory(self, n: int, ring: Ring | None) -> np.ndarray:
        return array_in([_number(self.game.start[0], ring)] * n, ring)[:, None]

    def reveal(self, t: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients of all clients, (rows, clients)."""
        return self.game.gradients(memory[:, 0]), memory

    def drawn(
        self, t: int, p: np.ndarray, answer: np.ndarray, memory: np.ndarray, seed: int, repetitions: np.ndarray
    ) -> Observation:
        counts, sigma = draw_counts(p, self.c.n_sampled, seed, repetitions, t), to_float(self.game.noise_std)
        if sigma:
            answer = (
                answer + sigma * signs(self.c.n_clients, self._batch, seed, repetitions, t).sum(axis=2) / self._batch
            )
        return self._told(p, counts, answer, memory)

    def _told(self, p: np.ndarray, counts: np.ndarray, answers: np.ndarray, memory: np.ndarray) -> Observation:
        feedback = answers / self.c.n_clients
        return Observation(counts, feedback * feedback, server_step(memory[:, 0], p, counts, answers, self.c)[:, None])

    def listing(self, ring: Ring | None, limit: int) -> BranchListing:
        c = self.c
        if math.comb(c.n_sampled + c.n_clients - 1, c.n_clients - 1) * c.n_sampled > DRAWS_LISTED:
            raise NotEnumerable(f"{c.n_sampled} clients have too many possible draws")
        draws = distinct_draws(c, limit)
        levels, chances = _noise(self.game.noise_std, self._batch, ring)
        size = sum(len(levels) ** int(n) for n in (draws > 0).sum(axis=1))
        require_few_courses(self.n_rounds, size, limit)

        def branch(weights: np.ndarray, p: np.ndarray, answer: np.ndarray, memory: np.ndarray) -> Branch:
            rows, counts, weights = draw_branches(p, weights, draws, ring)
            answers = answer[rows]
            if len(levels) > 1:
                for m in range(c.n_clients):
                    rows, counts, weights, answers = _split_branches(m, levels, chances, rows, counts, weights, answers)
            return Branch(rows, self._told(p[rows], counts, answers, memory[rows]), weights)

        return BranchListing(size, math.inf, branch)


def require_few_courses(n_rounds: int, each: int, limit: int) -> None:
    """Raise NotEnumerable for a run with more than ``limit`` paths, where each round multiplies them by ``each``."""
    if n_rounds * math.log(each) > math.log(limit):
        raise NotEnumerable(f"more than {limit} paths of the run")


def _number(value: Number, ring: Ring | None) -> Any:
    return to_float(value) if ring is None else ring.scalar(value)


def array_in(values: list[Any], ring: Ring | None) -> np.ndarray:
    """Return an array of floats, or of the ring's elements."""
    return np.array(values) if ring is None else object_array(values, (len(values),))


def _noise(sigma: Number, batch: int, ring: Ring | None) -> tuple[list[Any], list[Any]]:
    """Return the values of sigma times the mean of ``batch`` signs, and their probabilities."""
    if sigma == 0:
        return [_number(0, ring)], [_number(1, ring)]
    unit, half = _number(sigma, ring) / batch, _number(1, ring) / 2
    ups = range(batch + 1)
    return [(2 * k - batch) * unit for k in ups], [math.comb(batch, k) * half**batch for k in ups]


def _split_branches(
    client: int,
    levels: list[Any],
    chances: list[Any],
    rows: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    answers: np.ndarray,
) -> tuple[np.ndarray, ...]:
    """Yield each branch with this client drawn, once for each value of its noise."""
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
    """Return the number of rounds that a run surely stays on the slope of noiseless ``SlopeClients``, or None.

    There the estimate s (1/K) sum_m N_m / (M p_m) is at most s / alpha, so w^t >= w^1 - (t - 1) mu s / alpha.
    """
    instance = case.instance
    if (
        not isinstance(instance, SlopeClients)
        or not is_plain(instance)
        or instance.noise_std
        or not sampler.own
        or instance.start[0] < 0
    ):
        return None
    most = to_ball(case.constants[notation.mu]) * to_ball(instance.steep)
    reach = (to_ball(instance.start[0]) * to_ball(instance.floor) / most).lower().floor().unique_fmpz()
    return None if reach is None else 1 + int(reach)


@dataclass(frozen=True)
class MeanSquaredGradient(GameMeasure):
    """E|F'(w^R)|^2 for a uniformly random round R: (1/T) sum_t E|F'(w^t)|^2, the quantity of Theorems 4 and 9.

    Exact by enumeration for short runs, and on a slope that no run leaves; else simulated.
    """

    name: str = "E|∇F(w_R)|²"
    dimension: Dimension = GRADIENT_SQUARED
    of_any_algorithm = True  # gradients are bounded everywhere

    world: ClassVar[type[Environment]] = MiniBatches

    def courses(
        self, sampler: Sampler, case: Case, ring: Ring | None, limit: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Return the models of all paths of a run, round by round, with their probabilities."""
        return ((weights, at.memory[:, 0]) for weights, at in enumerate_rounds(sampler, case, ring, limit, self.world))

    def path(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> Iterator[np.ndarray]:
        """Return the models before rounds 0, .., T - 1 of simulated runs, (repetitions,) each."""
        return (at.memory[:, 0] for at in simulate_rounds(sampler, case, seed, repetitions, world=self.world))

    def rounds_known(self, sampler: Sampler, case: Case) -> int | None:
        """Return the number of rounds in which the gradient is surely that of the slope, or None."""
        return rounds_on_slope(sampler, case)

    def exact(self, sampler: Sampler, case: Case, ring: Ring) -> Any:
        """Return the value as a ball; NotEnumerable without a ball version of the sampler or with too many paths."""
        if ring is not BALL:
            raise NotRational
        game: Any = case.instance
        rounds, stays = int(case.constants[notation.T]), self.rounds_known(sampler, case)
        if stays is not None and (stays >= rounds or rounds > FOLLOWED):
            square = to_ball(game.steep) ** 2
            return square if stays >= rounds else AtLeast(square * stays / rounds)
        if sampler.exact is None:
            raise NotEnumerable(f"{sampler.name} has no version in ball arithmetic")
        total = arb(0)
        for weights, w in self.courses(sampler.exact, case, BALL, BRANCHES):
            slope = game.mean_slope(w)
            total += (weights * slope * slope).sum()
        return total / rounds

    def in_floats(self, sampler: Sampler, case: Case) -> tuple[float, float]:
        """Return two floats around the value, by enumeration in floats; NotEnumerable with too many paths."""
        game: BoundedClients = case.instance
        total, rounds = 0.0, int(case.constants[notation.T])
        for weights, w in self.courses(sampler, case, None, FLOAT_BRANCHES):
            total += float((weights * game.mean_slope(w) ** 2).sum())
        budget = BUDGET * self.span(case)[1]
        return total / rounds - budget, total / rounds + budget

    def simulate(self, sampler: Sampler, case: Case, seed: int, repetitions: np.ndarray) -> np.ndarray:
        """Return the mean over the rounds of |F'(w^t)|^2 in simulated runs, (repetitions,)."""
        rounds, drawn = int(case.constants[notation.T]), int(case.constants[notation.K])
        if rounds > SIMULATED or rounds * drawn > DRAWN:
            raise NotEnumerable(f"{rounds} rounds of {drawn} draws are too many to simulate")
        game: BoundedClients = case.instance
        total = np.zeros(len(repetitions))
        for w in self.path(sampler, case, seed, repetitions):
            total += game.mean_slope(w) ** 2
        return total / rounds

    def span(self, case: Case) -> tuple[float, float]:
        """Return the range of |F'|^2."""
        game: BoundedClients = case.instance
        return 0.0, to_float(game.largest_mean_gradient) ** 2 * (1 + BUDGET)

    def trivial(self, case: Case) -> Number | None:
        """Return G^2, as no gradient is larger."""
        bound = case.constants[notation.G]
        return bound * bound

    def trivial_formula(self) -> sympy.Expr | None:
        return notation.G**2
