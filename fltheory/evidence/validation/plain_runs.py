"""Runs of a user's step in floats, and tests whether a difference from exact numbers is due to rounding."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from fltheory.evidence.validation.rounding import SAFETY_FACTOR, WithRoundingMode, rounding_modes
from fltheory.model.case import Case, FederatedInstance
from fltheory.runs.algorithm import Algorithm, rollout, start_state, take_step
from fltheory.runs.constants import Constants, participants_per_round, run_constants
from fltheory.runs.distributions.affine import answers_by_run
from fltheory.runs.distributions.randomness import Chance
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import OwnOracle, RandomOracle, random_oracle
from fltheory.runs.protocols import HasExchangeableClients, has_capability

GRADIENTS = 8_000  # largest number of gradients for a comparison round by round
NUMBERS = 1_000_000  # largest product of rounds and coordinates for a comparison one by one
STEP_TOLERANCE = 1e-9  # relative error of one step in floats
ULPS = 1e-13  # relative to all terms of a step in any coordinate, including those that cancel
NUDGES = 10.0 ** -np.linspace(9, 13, 8)  # relative changes of a state or a constant that count as rounding
EndClassifier = Callable[
    [np.ndarray, Any], np.ndarray
]  # points (n, dim) and constants to (n, 2): whether the step agrees with each of two results


class FloatRuns:
    """A user's step in floats, as a simulation runs it."""

    def __init__(self, algorithm: Algorithm, case: Case[FederatedInstance]) -> None:
        self.algorithm, self.case = algorithm, case
        self.instance: FederatedInstance = case.instance
        self.c = run_constants(case, None)
        self.size = participants_per_round(self.instance, self.c)
        self.start = start_state(algorithm, case, 1, None)[0]
        self.steps = int(self.c.get("n_local_steps", 1))
        asked = self.size * self.steps * algorithm.batches
        self.asked = max(1, asked)
        most = min(GRADIENTS // self.asked, NUMBERS // len(self.start))
        self.rounds = max(1, min(int(self.c.n_rounds), max(8, most)))
        self.seed = int.from_bytes(sha256(case.arguments().encode()).digest()[:4])  # a seed that a step cannot know
        self.wide = asked * len(self.start) <= 20_000

    def one_round(self, x: np.ndarray, repetitions: np.ndarray, round_: int, c: Constants | None = None) -> np.ndarray:
        """Run one round from states (rows, dim)."""
        oracle = random_oracle(self.instance, self.seed, repetitions, round_)
        return take_step(self.algorithm, x.copy(), oracle, self.c if c is None else c, round_)

    def heard(self, x: np.ndarray, repetitions: np.ndarray, round_: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
        """Return the draws of a simulated round from these states for every run, and their probabilities, (runs,)."""
        oracle = RecordingOracle(self.algorithm, self.case, self.seed, repetitions, round_)
        take_step(self.algorithm, x.copy(), oracle, self.c, round_)
        return answers_by_run(oracle.heard.answers, len(x)), oracle.heard.likely

    def runs(self, n: int, rounds: int, first: int = 0) -> np.ndarray:
        """Return the states of simulated runs, (n, rounds + 1, dim), or fewer rounds if they diverge."""
        return rollout(self.algorithm, self.case, n, self.seed, first, kernel=False, rounds=rounds)

    def work(self, x: np.ndarray) -> np.ndarray:
        """Return the size of the terms of a round from states (rows, dim), including those that cancel, (rows,)."""
        size = np.abs(x).max(axis=1)
        x = x[:, : self.instance.dim]
        if isinstance(self.instance, OwnOracle):
            return size
        eta = max((abs(v) for name, v in vars(self.c).items() if name.endswith("step_size")), default=1.0)
        with np.errstate(all="ignore"):
            pulls = {t: np.abs(self.instance.gradient(x, m)).max(axis=1) for t, m in self._one_of_each.items()}
            return size + eta * self.steps * sum((pulls[t] for t in self._types), np.zeros(len(x)))

    @cached_property
    def _types(self) -> tuple[int, ...]:
        """Equal numbers for clients that are known to be equal."""
        clients: Any = self.instance
        if has_capability(clients, HasExchangeableClients):
            return tuple(clients.client_types)
        return tuple(range(self.instance.n_clients))

    @cached_property
    def _one_of_each(self) -> dict[int, int]:
        return {t: m for m, t in enumerate(self._types)}

    def slack(self, close: float, x: np.ndarray, *ends: np.ndarray) -> np.ndarray:
        """Return the rounding tolerance of a round from a state x (dim,) to these ends (n, dim), (dim,)."""
        sizes = [np.abs(x), *(np.abs(end).reshape(-1, len(x)).max(axis=0, initial=0.0) for end in ends)]
        size = np.max(sizes, axis=0)
        return close * size + close / STEP_TOLERANCE * ULPS * (size.max() + self.work(x[None])[0]) + 1e-300

    def rounding_shift(self, x: np.ndarray, repetitions: np.ndarray, round_: int) -> np.ndarray:
        """Estimate the effect of rounding on a round from states (rows, dim) with other rounding modes, (rows, dim)."""
        plain = self.one_round(x, repetitions, round_)
        found = np.zeros(plain.shape)
        for way in rounding_modes():
            with np.errstate(over="ignore", invalid="ignore"):
                other = replace(self.algorithm, step=WithRoundingMode(self.algorithm.step, way))
                oracle = random_oracle(self.instance, self.seed, repetitions, round_)
                found = np.maximum(found, np.abs(take_step(other, x.copy(), oracle, self.c, round_) - plain))
        return np.nan_to_num(SAFETY_FACTOR * found)

    def end_classifier(self, draw: int | np.integer, round_: int, ends: tuple[np.ndarray, np.ndarray]) -> EndClassifier:
        """Return a test whether a round with this draw leads from points to one end and to the other."""

        def where(points: np.ndarray, c: Constants) -> np.ndarray:
            new = self.one_round(points, np.full(len(points), draw), round_, c)
            slack = self.slack(100 * STEP_TOLERANCE, points[0], *ends)
            return np.stack([(np.abs(new - end) <= slack).all(axis=1) for end in ends], axis=1)

        return where

    def mismatch_error(self, round_: int, x: np.ndarray, there: np.ndarray, exactly: np.ndarray | None) -> VariantError:
        """Return the error with its round and point."""
        goal = "elsewhere" if exactly is None else f"to {format_point(exactly)}"
        if exactly is not None and format_point(there) == format_point(exactly):
            goal += f", {np.abs(there - exactly).max():.2g} away,"
        return VariantError(
            f"{self.algorithm.name} is not the same step in floats as on exact numbers: in round {round_}, from "
            f"{format_point(x)}, it goes to {format_point(there)} in floats and {goal} exactly. It must not depend on the type of "
            "its numbers, the number of rows, the number of calls or the caller"
        )


class AnswerLog:
    """The draws of a round so far and their probabilities, for every run."""

    def __init__(self, runs: int) -> None:
        self.answers, self.likely = list[np.ndarray](), np.ones(runs)

    def add(self, answer: np.ndarray, likely: np.ndarray | float) -> np.ndarray:
        """Record and return an answer."""
        self.answers.append(answer)
        self.likely = self.likely * likely
        return answer


class RecordingOracle(RandomOracle):
    """A simulation oracle that records its orders, coins and choices like ``ScriptedChance``."""

    def __init__(
        self, algorithm: Algorithm, case: Case[FederatedInstance], seed: int, repetitions: np.ndarray, round_: int
    ) -> None:
        super().__init__(case.instance, seed, repetitions, round_)
        self.heard = AnswerLog(len(repetitions))
        self.chance: Chance = RecordingChance(self.chance, self.heard)
        self._size, self._ordered = participants_per_round(case.instance, run_constants(case, None)), algorithm.ordered
        self._asked = False

    def order(self, size: int | None = None) -> np.ndarray:
        if not self._asked:
            found, ways = super().order(self._size), math.perm if self._ordered else math.comb
            likely = 1 / ways(self.instance.n_clients, self._size)
            self.heard.add(found if self._ordered else np.sort(found, axis=1), likely)
            self._asked = True
        return super().order(size)


class RecordingChance:
    """A source of random draws that records them."""

    exact = False

    def __init__(self, inner: Chance, heard: AnswerLog) -> None:
        self._inner, self._heard, self.rows = inner, heard, inner.rows

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        found = self._inner.choose(chances, owner)
        return self._heard.add(found, chances.astype(float)[np.arange(len(found)), found])

    def coins(self, chances: np.ndarray) -> np.ndarray:
        found, p = self._inner.coins(chances), chances.astype(float)
        return self._heard.add(found, np.where(found, p, 1 - p).prod(axis=1))

    def draw(self, shares: Sequence[Any], size: int, rows: int) -> np.ndarray:
        found = self._inner.draw(shares, size, rows)
        return self._heard.add(found, np.array([float(s) for s in shares])[found].prod(axis=1))


def format_point(x: np.ndarray) -> str:
    """Format a point briefly."""
    inner = ", ".join(f"{v:.6g}" for v in x[:4])
    return f"({inner}{', ...' if len(x) > 4 else ''})" if len(x) > 1 else inner


def explaining_constants(plain: FloatRuns, x: np.ndarray, where: EndClassifier) -> Constants | None:
    """Return constants for which the step in floats agrees with exact numbers, or None if rounding cannot explain it.

    ``where`` returns for points whether the step agrees with the exact one at x, and with the one in floats at x. Along
    a line through the state (or a constant) it must agree with one on one side and with the other on the other side.
    Then x lies on the boundary of two pieces of the step and is not an isolated point.
    """
    lines = np.concatenate([x[None], np.eye(len(x))[:16] * (np.abs(x) + np.abs(x).max() + 1e-3)])
    for line in lines:
        if _splits_once(where(x + np.concatenate([NUDGES, -NUDGES])[:, None] * line, plain.c)):
            return plain.c
    for name, value in vars(plain.c).items():
        if not isinstance(value, float):
            continue
        moved = [_perturb_constant(plain.c, name, value * (1 + s)) for s in (*NUDGES, *-NUDGES)]
        found = np.concatenate([where(x[None], c) for c in moved])
        if _splits_once(found):
            return moved[(0 if found[0, 0] else len(NUDGES)) + len(NUDGES) // 2]
    return None


def _splits_once(found: np.ndarray) -> bool:
    """Return whether one half of the points of a line agrees with one result and the other half with the other."""
    one, two = np.split(found, 2)
    return bool((one[:, 0].all() and two[:, 1].all()) or (two[:, 0].all() and one[:, 1].all()))


def _perturb_constant(c: Constants, name: str, value: float) -> Any:
    return type(c)(**{**vars(c), name: value})
