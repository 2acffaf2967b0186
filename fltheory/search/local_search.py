"""Moves from a good case: hill climbing, CMA-ES on logarithms, longer runs, rearranged clients.

A ``Ground`` gives the objective: the ratio of a bound that may be false, or a constant that cases force up.
"""

from __future__ import annotations

import math
from random import Random
from typing import NamedTuple, Protocol

import numpy as np

from fltheory.model.case import Case
from fltheory.search.neighbours import Path, leaves, random_neighbour, round_digits, with_leaves
from fltheory.search.reshaping import (
    MAX_COUNT,
    Continuation,
    continued_case,
    first_continuation,
    log_size,
    longer_case,
    rearranged_case,
)

MAX_STEP, STEP_GROWTH, STEP_DECAY, MIN_STEP = 4.0, 1.5, 0.94, 0.003  # limits and changes of the size of a move
LONGER_SHARE, REARRANGED_SHARE = (0.25, 0.1)  # shares of the moves that lengthen a run or rearrange its clients
MAX_DIMENSION = 20  # largest count of numbers moved together
INITIAL_STD = 0.5  # initial standard deviation of a logarithm
MAX_LOG_SCALE, SCAN_POINTS, SCAN_LEVELS = (
    8.0,
    6,
    5,
)  # a scale is sought in e^-8 to e^8, at 13 points, then on finer grids
MAX_FAILURES = 3  # longer runs that don't help, until it ends
NEARBY_MOVES = 6  # moves around a case with rearranged clients
MAX_LOG = 600.0  # largest logarithm


class Ground(Protocol):
    """The search space: ``score`` says how good a case is, larger is better; None without information."""

    random: Random

    @property
    def over(self) -> bool: ...

    def score(self, case: Case) -> float | None: ...


class ScoredCase(NamedTuple):
    """A case and its score."""

    case: Case
    score: float


def hill_climb(ground: Ground, at: ScoredCase, moves: int, mixed: bool = False) -> ScoredCase:
    """Run a random local search on the logarithms of a case's numbers; the step size adapts to its success.

    ``mixed``: some of the moves lengthen the run or rearrange its clients.
    """
    size = 1.0
    for _ in range(moves):
        if ground.over:
            break
        case = _neighbour(at.case, size, ground.random) if mixed else random_neighbour(at.case, size, ground.random)
        found = None if case is None else ground.score(case)
        if case is not None and found is not None and found > at.score:
            at, size = ScoredCase(case, found), min(MAX_STEP, size * STEP_GROWTH)
        else:
            size = max(MIN_STEP, size * STEP_DECAY)
    return at


def _neighbour(case: Case, size: float, random: Random) -> Case | None:
    kind = random.random()
    if kind < LONGER_SHARE:
        return longer_case(case, random)
    if kind < LONGER_SHARE + REARRANGED_SHARE:
        return rearranged_case(case, random)
    return random_neighbour(case, size, random)


def cma_es(ground: Ground, at: ScoredCase, moves: int) -> ScoredCase:
    """Maximise over the logarithms of a case's numbers by CMA-ES (Hansen 2016)."""
    logs = {p: log_size(v) for p, v in leaves(at.case).items() if v}
    places = [p for p, x in logs.items() if abs(x) < MAX_LOG]
    places = sorted(ground.random.sample(places, min(len(places), MAX_DIMENSION)), key=repr)
    n = len(places)
    if n < 2:
        return hill_climb(ground, at, moves)
    size = 4 + int(3 * math.log(n))
    drawn = np.random.default_rng(ground.random.getrandbits(32))
    law = _SearchDistribution(np.array([logs[p] for p in places]), size // 2)
    for _ in range(max(1, moves // size)):
        steps = law.steps(drawn.standard_normal((size, n)))
        told: list[float] = []
        for step in steps:
            if ground.over:
                return at
            case = _at_logs(at.case, places, law.mean + law.width * step)
            found = None if case is None else ground.score(case)
            told.append(-math.inf if found is None else found)
            if case is not None and found is not None and found > at.score:
                at = ScoredCase(case, found)
        order = np.argsort(-np.array(told), kind="stable")
        law.update(steps[order])
    return at


def _at_logs(case: Case, places: list[Path], logs: np.ndarray) -> Case | None:
    """Return the case with numbers of these logarithms, each with its sign; counts stay whole."""
    now = leaves(case)
    if any(p not in now for p in places) or not np.abs(logs).max() < MAX_LOG:
        return None
    new = {p: math.copysign(math.exp(x), now[p]) for p, x in zip(places, logs.tolist(), strict=True)}
    whole = {
        p: round(v) or (1 if v > 0 else -1) for p, v in new.items() if isinstance(now[p], int) and abs(v) < MAX_COUNT
    }
    return with_leaves(case, {p: whole.get(p, round_digits(v, 4)) for p, v in new.items()})


class _SearchDistribution:
    """A normal distribution: mean, covariance up to ``width`` squared, and the paths by which both adapt."""

    def __init__(self, mean: np.ndarray, parents: int) -> None:
        n = len(mean)
        self.mean, self.width, self.shape = mean, INITIAL_STD, np.eye(n)
        weights = math.log(parents + 0.5) - np.log(np.arange(1, parents + 1))
        self.weights = weights / weights.sum()
        self.mass = 1 / float((self.weights**2).sum())
        self.c_width = (self.mass + 2) / (n + self.mass + 5)
        self.damping = 1 + self.c_width + 2 * max(0.0, math.sqrt((self.mass - 1) / (n + 1)) - 1)
        self.c_path = (4 + self.mass / n) / (n + 4 + 2 * self.mass / n)
        self.c_one = 2 / ((n + 1.3) ** 2 + self.mass)
        self.c_many = min(1 - self.c_one, 2 * (self.mass - 2 + 1 / self.mass) / ((n + 2) ** 2 + self.mass))
        self.length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # of a standard normal vector
        self.path, self.walk = np.zeros(n), np.zeros(n)
        self.root = self.inverse = np.eye(n)

    def steps(self, normal: np.ndarray) -> np.ndarray:
        """Return samples with the covariance, (size, n), from standard normal ones."""
        values, axes = np.linalg.eigh(self.shape)
        scales = np.sqrt(np.maximum(values, 1e-20))
        self.root, self.inverse = (axes * scales) @ axes.T, (axes / scales) @ axes.T
        found: np.ndarray = normal @ self.root
        return found

    def update(self, steps: np.ndarray) -> None:
        """Update the distribution from the steps of a generation, the best first."""
        chosen = steps[: len(self.weights)]
        shift = self.weights @ chosen
        self.mean = self.mean + self.width * shift
        c = self.c_width
        self.walk = (1 - c) * self.walk + math.sqrt(c * (2 - c) * self.mass) * (self.inverse @ shift)
        c = self.c_path
        self.path = (1 - c) * self.path + math.sqrt(c * (2 - c) * self.mass) * shift
        many = (chosen.T * self.weights) @ chosen
        one = np.outer(self.path, self.path)
        self.shape = (1 - self.c_one - self.c_many) * self.shape + self.c_one * one + self.c_many * many
        grown = self.c_width / self.damping * (float(np.linalg.norm(self.walk)) / self.length - 1)
        self.width *= math.exp(min(1.0, grown))


def continue_to_longer(ground: Ground, at: ScoredCase, moves: int) -> ScoredCase:
    """Try longer and longer runs, each with one number rescaled: a continuation in R, K or M.

    After a success the next stride doubles, and the scale is sought around its extrapolation.
    """
    asked = idle = 0
    while asked < moves and idle < MAX_FAILURES and not ground.over:
        stretch, left = first_continuation(at.case, ground.random), MAX_FAILURES
        idle += 1
        while stretch is not None and left and asked < moves and not ground.over:
            found, told, shift = _scan_scale(ground, at, stretch)
            asked += told
            if found is None:
                left, stretch = left - 1, stretch.after_failure()
            else:
                at, stretch, idle = found, stretch.followed(shift), 0
    return at


def _scan_scale(ground: Ground, at: ScoredCase, stretch: Continuation) -> tuple[ScoredCase | None, int, float]:
    """Return a longer run with a better score, the number of evaluations, and the log change of its number; or None."""
    best, middle, width, asked = -math.inf, stretch.log_gain, MAX_LOG_SCALE, 0
    farther: ScoredCase | None = None
    shift = middle
    for _ in range(SCAN_LEVELS):
        centre = shift
        for k in range(-SCAN_POINTS, SCAN_POINTS + 1):
            by = centre + width * k / SCAN_POINTS
            case = None if ground.over else continued_case(at.case, stretch, by)
            told = None if case is None else ground.score(case)
            asked += case is not None
            if case is not None and told is not None and told > best:
                best, shift = told, by
                farther = ScoredCase(case, told) if told > at.score else farther
        if best == -math.inf:
            return None, asked + 1, middle
        width /= SCAN_POINTS
    return farther, asked + 1, shift


def climb_rearranged(ground: Ground, at: ScoredCase, moves: int) -> ScoredCase:
    """Rearrange clients (split, merge, copy, drop, flip signs, change time scales), with a short climb after each."""
    for _ in range(max(1, moves // (NEARBY_MOVES + 1))):
        if ground.over:
            break
        case = rearranged_case(at.case, ground.random)
        found = None if case is None else ground.score(case)
        if case is not None and found is not None:
            near = hill_climb(ground, ScoredCase(case, found), NEARBY_MOVES)
            at = near if near.score > at.score else at
    return at
