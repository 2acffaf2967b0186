"""Chance as an argument: the same step draws from the streams, or lives through every outcome with its probability.

A step may ask ``choose(chances)``: one of k outcomes for every row, by chances (rows, k). Simulated, the answer comes from
the counter-based streams of (seed, repetition, round). Enumerated, the step is run again for every answer: a script holds
the answers so far, and the first question beyond it stops the step and tells what may be answered.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np

from fltheory.number import Ring, as_number, streams
from fltheory.number.elements import in_ring_of
from fltheory.number.rational import distinguishing_key
from fltheory.number.signals import BaseSignal, call_with_signals

ROUNDING = 1e-9  # of chances given as floats
_EXACT = np.empty(0, dtype=object)
MAX_COINS = 200  # coins of one question that are followed one by one at most
CHOICE_STREAM = (1 << 62) + 2  # the stream of choices that belong to no client


class Chance(Protocol):
    """What answers a step's random questions."""

    @property
    def rows(self) -> int:
        """How many runs ask at once."""

    @property
    def exact(self) -> bool:
        """Whether chances are to be exact numbers."""

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        """An outcome 0..k-1 for every row of chances (rows, k), as integers (rows,); ``owner``: the client that asks."""

    def coins(self, chances: np.ndarray) -> np.ndarray:
        """Independent coins that come up True with these chances, (rows, k)."""

    def draw(self, shares: Sequence[Any], size: int, rows: int) -> np.ndarray:
        """``size`` independent outcomes by the same shares for each of ``rows`` rows, (rows, size)."""


class StreamChance:
    """Answers from the streams: the i-th question of an owner always gets the same number."""

    exact = False

    def __init__(self, seed: int, repetitions: np.ndarray, round_: int) -> None:
        self._number: Callable[[int, int], np.ndarray] = lambda stream, index: streams.uniform(
            seed, repetitions, round_, stream, index
        )
        self._numbers: Callable[[int, np.ndarray], np.ndarray] = lambda stream, index: streams.uniform(
            seed, repetitions[:, None], round_, stream, index
        )
        self._asked: dict[int, int] = {}
        self.rows = len(repetitions)

    def _uniform(self, owner: int | None) -> np.ndarray:
        stream = CHOICE_STREAM if owner is None else owner
        index = self._asked.get(stream, 0)
        self._asked[stream] = index + 1
        return self._number(stream, index)

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        require_chances(chances)
        below = np.cumsum(chances.astype(float), axis=1)
        picked = (self._uniform(owner)[:, None] * below[:, -1:] >= below[:, :-1]).sum(axis=1)
        return picked

    def coins(self, chances: np.ndarray) -> np.ndarray:
        require_coins(chances)
        index = self._asked.get(CHOICE_STREAM, 0)
        self._asked[CHOICE_STREAM] = index + chances.shape[1]
        asked = np.arange(index, index + chances.shape[1])
        return self._numbers(CHOICE_STREAM, asked[None]) < chances.astype(float)

    def draw(self, shares: Sequence[Any], size: int, rows: int) -> np.ndarray:
        chances = np.broadcast_to(np.array([float(s) for s in shares]), (rows, len(shares)))
        return np.stack([self.choose(chances) for _ in range(size)], axis=1)


def require_chances(chances: np.ndarray) -> None:
    """ValueError unless every row holds nonnegative numbers of sum 1."""
    if np.ndim(chances) != 2 or np.shape(chances)[1] == 0:
        raise ValueError(f"chances of shape {np.shape(chances)}: expected (rows, outcomes)")
    total = np.asarray(chances).sum(axis=1)
    if chances.dtype != object:
        wrong = (chances < -ROUNDING).any() or (np.abs(total - 1) > ROUNDING).any()
    else:  # a ball is wrong where it must be
        wrong = bool((chances < 0).any() or (total < 1).any() or (total > 1).any())
    if wrong or (chances.dtype != object and np.isnan(chances).any()):
        raise ValueError(f"chances {chances[0].tolist()}: expected nonnegative numbers of sum 1")


def require_coins(chances: np.ndarray) -> None:
    """ValueError unless every number is one from 0 to 1."""
    if np.ndim(chances) != 2:
        raise ValueError(f"chances of shape {np.shape(chances)}: expected (rows, coins)")
    if chances.dtype == object:  # many rows of the same objects
        wrong = any(c < 0 or c > 1 for c in {id(c): c for c in chances.flat}.values())
    else:  # not a number is wrong too
        wrong = not ((chances >= -ROUNDING) & (chances <= 1 + ROUNDING)).all()
    if wrong:
        raise ValueError("a coin's chance must lie in [0, 1]")


class TooManyAnswers(BaseSignal):
    """More answers than are followed; as little an Exception as a question is."""


class OpenQuestion(BaseSignal):
    """A question that the script doesn't answer: answers (k, ...), and chances (rows, k) of ring elements.

    No Exception, so that nothing takes it for a step that fails.
    """

    def __init__(self, answers: np.ndarray, chances: np.ndarray) -> None:
        super().__init__("a step asked something new")
        self.answers, self.chances = answers, chances


class ScriptedChance:
    """Answers from a script, one array with an entry for every row; a new question is raised.

    ``exchangeable``: independent draws from one distribution may come in any order, so that only their counts are told
    apart.
    """

    exact = True

    def __init__(self, script: list[np.ndarray], rows: int, ring: Ring, exchangeable: bool, limit: int) -> None:
        self._script, self._ring, self._exchangeable, self.limit = script, ring, exchangeable, limit
        self._next, self.rows = 0, rows
        self.heard = list[np.ndarray]()  # every answer so far, (rows, ...) each, the sure ones too
        self.used_chance = False  # whether anything but ``among`` was asked

    def _answered(self) -> np.ndarray | None:
        if self._next == len(self._script):
            return None
        self._next += 1
        return self._script[self._next - 1]

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        self.used_chance = True
        require_chances(chances)
        if chances.dtype != object:  # floats, read as printed, that may miss 1 by rounding
            chances = in_ring_of(chances, _EXACT)
            chances = chances / chances.sum(axis=1, keepdims=True)
        able = ~_surely_zero(chances)
        sure = (able.sum(axis=1) == 1).all()  # nothing is left to chance
        known = able.argmax(axis=1) if sure else self._answered()
        if known is None:
            raise OpenQuestion(np.arange(chances.shape[1]), chances)
        self.heard.append(known)
        return known

    def among(self, answers: np.ndarray, chances: Sequence[Fraction]) -> np.ndarray:
        """One of these answers (k, ...) for every row, with the same chances in each, (rows, ...)."""
        if len(answers) > self.limit:
            raise TooManyAnswers
        known = np.repeat(answers, self.rows, axis=0) if len(answers) == 1 else self._answered()
        if known is None:
            raise self._question(answers, chances)
        self.heard.append(known)
        return known

    def _question(self, answers: np.ndarray, chances: Sequence[Fraction]) -> OpenQuestion:
        row = np.empty(len(answers), dtype=object)
        row[:] = [self._ring.scalar(c) for c in chances]
        return OpenQuestion(answers, np.tile(row, (self.rows, 1)))

    def coins(self, chances: np.ndarray) -> np.ndarray:
        require_coins(chances)
        open_ones = sum(bool(0 < c < 1) for c in chances[0]) if len(chances) else 0
        if chances.shape[1] > MAX_COINS or 2**open_ones > self.limit:  # each of them doubles the courses
            raise TooManyAnswers
        chances = chances if chances.dtype == object else in_ring_of(np.clip(chances, 0, 1), _EXACT)
        return np.stack([self.choose(np.stack([1 - c, c], axis=1)) for c in chances.T], axis=1) == 1

    def draw(self, shares: Sequence[Any], size: int, rows: int) -> np.ndarray:
        self.used_chance = True
        known = self._answered()
        if known is not None:
            self.heard.append(known)
            return known
        exact = [Fraction(as_number(s)) for s in shares]
        able = [i for i, s in enumerate(exact) if s > 0]
        n = len(able)
        if (math.comb(n + size - 1, size) if self._exchangeable else n**size) > self.limit:
            raise TooManyAnswers
        many: Callable[..., Any] = itertools.combinations_with_replacement
        ways = many(able, size) if self._exchangeable else itertools.product(able, repeat=size)
        answers = list(ways)
        chances = [
            math.prod(exact[i] for i in way) * (count_orderings(way) if self._exchangeable else 1) for way in answers
        ]
        raise self._question(np.array(answers, dtype=np.int64).reshape(len(answers), size), chances)


def _surely_zero(chances: np.ndarray) -> np.ndarray:
    """Which chances are 0 for sure: not a ball around 0."""
    return np.array([bool(c == 0) for c in chances.flat]).reshape(chances.shape)


def count_orderings(draws: Sequence[int]) -> int:
    """In how many orders these draws can come."""
    return math.factorial(len(draws)) // math.prod(math.factorial(draws.count(i)) for i in set(draws))


Found = TypeVar("Found")


def enumerate_outcomes(
    run: Callable[[np.ndarray, ScriptedChance], Found], rows: int, ring: Ring, limit: int, exchangeable: bool = False
) -> tuple[np.ndarray, Found, np.ndarray] | None:
    """Every outcome of ``run(rows, chance)``: rows, what was found of them, chances; None where they are more than ``limit``."""
    which, script = np.arange(rows), list[np.ndarray]()
    weights = np.empty(rows, dtype=object)
    weights[:] = [ring.scalar(1)] * rows
    while True:
        chance = ScriptedChance(script, len(which), ring, exchangeable, limit)
        try:
            return which, call_with_signals(lambda: run(which, chance)), weights  # noqa: B023 (called at once)
        except TooManyAnswers:
            return None
        except OpenQuestion as question:
            k = len(question.answers)
            if len(which) * k > 4 * limit:
                return None
            able = ~_surely_zero(question.chances)
            row, answer = np.nonzero(able)
            weights = weights[row] * question.chances[row, answer]
            which, script = which[row], [*(s[row] for s in script), question.answers[answer]]
            if len(which) > limit:
                return None


def step_outcomes(
    step: Callable[[np.ndarray, Chance], np.ndarray], x: np.ndarray, ring: Ring, limit: int, exchangeable: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Every outcome of ``step(x, chance)``: rows of x, results, chances; None where they are more than ``limit``.

    Equal results of the same row are one outcome.
    """
    found = enumerate_outcomes(lambda rows, chance: step(x[rows].copy(), chance), len(x), ring, limit, exchangeable)
    return None if found is None else merge_equal_results(*found)


def merge_equal_results(
    rows: np.ndarray, results: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same with equal results of a row together."""
    first: dict[Any, int] = {}
    keep: list[int] = []
    totals: list[Any] = []
    for i, (row, weight) in enumerate(zip(rows.tolist(), weights, strict=True)):
        place = first.setdefault((row, distinguishing_key(results[i].flat)), len(keep))
        if place == len(keep):
            keep.append(i)
            totals.append(weight)
        else:
            totals[place] = totals[place] + weight
    chances = np.empty(len(totals), dtype=object)
    chances[:] = totals
    return rows[keep], results[keep], chances
