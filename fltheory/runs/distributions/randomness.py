"""Random draws for a step, from streams for simulation or from a script that enumerates all outcomes.

``choose(chances)`` draws one of k outcomes for every row, with probabilities (rows, k). A simulation draws from the
counter-based streams of (seed, repetition, round). An enumeration runs the step again for every outcome: a script holds
the answers so far, and the first draw beyond it stops the step and lists the possible answers.
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

ROUNDING = 1e-9  # tolerance for probabilities given as floats
_EXACT = np.empty(0, dtype=object)
MAX_COINS = 200  # largest number of coins of one draw that are enumerated separately
CHOICE_STREAM = (1 << 62) + 2  # the stream of draws that belong to no client


class Chance(Protocol):
    """The source of a step's random draws."""

    @property
    def rows(self) -> int:
        """The number of runs in the batch."""

    @property
    def exact(self) -> bool:
        """Whether probabilities must be exact numbers."""

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        """Draw an outcome 0..k-1 for each row of probabilities (rows, k), shape (rows,); ``owner`` is the client."""

    def coins(self, chances: np.ndarray) -> np.ndarray:
        """Draw independent coins that are True with these probabilities, (rows, k)."""

    def draw(self, shares: Sequence[Any], size: int, rows: int) -> np.ndarray:
        """Draw ``size`` independent outcomes with the same probabilities in each of ``rows`` rows, (rows, size)."""


class StreamChance:
    """Draws from the streams: the i-th draw of an owner always uses the same number."""

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
    """Raise ValueError unless every row holds nonnegative numbers with sum 1."""
    if np.ndim(chances) != 2 or np.shape(chances)[1] == 0:
        raise ValueError(f"chances of shape {np.shape(chances)}: expected (rows, outcomes)")
    total = np.asarray(chances).sum(axis=1)
    if chances.dtype != object:
        wrong = (chances < -ROUNDING).any() or (np.abs(total - 1) > ROUNDING).any()
    else:  # a ball is wrong only if it certainly is
        wrong = bool((chances < 0).any() or (total < 1).any() or (total > 1).any())
    if wrong or (chances.dtype != object and np.isnan(chances).any()):
        raise ValueError(f"chances {chances[0].tolist()}: expected nonnegative numbers of sum 1")


def require_coins(chances: np.ndarray) -> None:
    """Raise ValueError unless every number lies in [0, 1]."""
    if np.ndim(chances) != 2:
        raise ValueError(f"chances of shape {np.shape(chances)}: expected (rows, coins)")
    if chances.dtype == object:  # many rows share the same objects
        wrong = any(c < 0 or c > 1 for c in {id(c): c for c in chances.flat}.values())
    else:  # NaN is wrong too
        wrong = not ((chances >= -ROUNDING) & (chances <= 1 + ROUNDING)).all()
    if wrong:
        raise ValueError("a coin's chance must lie in [0, 1]")


class TooManyAnswers(BaseSignal):
    """There are more outcomes than the limit; like ``OpenQuestion``, it is not an Exception."""


class OpenQuestion(BaseSignal):
    """A draw beyond the script, with its possible answers (k, ...) and their probabilities (rows, k) in the ring.

    It is not an Exception, so no handler mistakes it for a failing step.
    """

    def __init__(self, answers: np.ndarray, chances: np.ndarray) -> None:
        super().__init__("a step draws beyond the script")
        self.answers, self.chances = answers, chances


class ScriptedChance:
    """Draws from a script of arrays with an entry for every row; a draw beyond it raises ``OpenQuestion``.

    ``exchangeable``: the order of independent draws from one distribution does not matter, so only their counts are
    distinguished.
    """

    exact = True

    def __init__(self, script: list[np.ndarray], rows: int, ring: Ring, exchangeable: bool, limit: int) -> None:
        self._script, self._ring, self._exchangeable, self.limit = script, ring, exchangeable, limit
        self._next, self.rows = 0, rows
        self.heard = list[np.ndarray]()  # all answers so far, (rows, ...) each, including certain ones
        self.used_chance = False  # whether any method except ``among`` was called

    def _answered(self) -> np.ndarray | None:
        if self._next == len(self._script):
            return None
        self._next += 1
        return self._script[self._next - 1]

    def choose(self, chances: np.ndarray, owner: int | None = None) -> np.ndarray:
        self.used_chance = True
        require_chances(chances)
        if chances.dtype != object:  # floats are read as printed decimals, whose sum may miss 1 by rounding
            chances = in_ring_of(chances, _EXACT)
            chances = chances / chances.sum(axis=1, keepdims=True)
        able = ~_surely_zero(chances)
        sure = (able.sum(axis=1) == 1).all()  # every outcome is certain
        known = able.argmax(axis=1) if sure else self._answered()
        if known is None:
            raise OpenQuestion(np.arange(chances.shape[1]), chances)
        self.heard.append(known)
        return known

    def among(self, answers: np.ndarray, chances: Sequence[Fraction]) -> np.ndarray:
        """Draw one of the answers (k, ...) for every row, with the same probabilities in all rows, (rows, ...)."""
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
        open_ones = sum(bool(0 < c < 1) for c in chances[0])
        if chances.shape[1] > MAX_COINS or 2**open_ones > self.limit:  # each of them doubles the number of paths
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
    """Return which probabilities are certainly 0, which a ball around 0 is not."""
    return np.array([bool(c == 0) for c in chances.flat]).reshape(chances.shape)


def count_orderings(draws: Sequence[int]) -> int:
    """Count the orders of these draws."""
    return math.factorial(len(draws)) // math.prod(math.factorial(draws.count(i)) for i in set(draws))


Found = TypeVar("Found")


def enumerate_outcomes(
    run: Callable[[np.ndarray, ScriptedChance], Found], rows: int, ring: Ring, limit: int, exchangeable: bool = False
) -> tuple[np.ndarray, Found, np.ndarray] | None:
    """Enumerate the outcomes of ``run(rows, chance)``: rows, results, probabilities; None if more than ``limit``."""
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
    """Enumerate the outcomes of ``step(x, chance)``: rows of x, results, probabilities; None if more than ``limit``.

    Equal results of a row are merged into one outcome.
    """
    found = enumerate_outcomes(lambda rows, chance: step(x[rows].copy(), chance), len(x), ring, limit, exchangeable)
    return None if found is None else merge_equal_results(*found)


def merge_equal_results(
    rows: np.ndarray, results: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge equal results of a row."""
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
