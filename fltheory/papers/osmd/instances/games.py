"""Sampling games: feedback for each round and a comparator, with the exact constants of the regret bounds.

The comparators of the paper: ``uniform``; ``fixed``, the best fixed distribution of the floored simplex; ``floored``,
the best of each round there; ``best``, the best of each round in the whole simplex; or a table of distributions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from flint import arb, ctx
from sympy import Symbol

from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.model.schema import AsTable, Data, read_table
from fltheory.number import Number, Ring, exact, to_ball, to_float, upper_float
from fltheory.papers.osmd import notation, simplex
from fltheory.runs.algorithm import object_array

COMPARATORS = ("uniform", "fixed", "floored", "best")
PRECISION = 256  # bits of the balls that hold comparators and their constants

Row = tuple[Number, ...]


class Schedule(Data):
    """A game with fixed feedback and a comparator, and its constants. Subclasses define ``rows_of_feedback``.

    Subclasses are frozen and have ``n_sampled``, ``floor`` and ``comparator``; ``repr`` rebuilds a game.
    """

    n_sampled: int
    floor: Number
    comparator: str | AsTable

    def _read(self) -> None:
        """Parse the shared fields; ValueError names what is wrong."""
        self._set(floor=exact(self.floor))
        if not 0 < self.floor <= 1:
            raise ValueError(f"floor = {self.floor}: expected a number in (0, 1]")
        self._positive("n_sampled")
        if isinstance(self.comparator, str) and self.comparator not in COMPARATORS:
            raise ValueError(f"comparator = {self.comparator!r}: expected {', '.join(COMPARATORS)} or a table")

    def _positive(self, *names: str) -> None:
        given = field_values(self)
        for name in names:
            value = exact(given[name])
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} = {value}: expected a positive integer")
            self._set(**{name: value})

    @property
    def rows_of_feedback(self) -> tuple[Row, ...]:
        """The feedback of the rounds, one row each; equal rounds are the same row object."""
        raise NotImplementedError

    field_of: ClassVar[Mapping[str, str]] = {"probability_floor": "floor", "n_sampled": "n_sampled"}

    @property
    def adjustable(self) -> tuple[str, ...]:
        """Return the constants that can be changed, by canonical name."""
        return tuple(self.field_of)

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the game with another value of a constant."""
        return replace_fields(self, **{self.field_of[name]: value})

    @property
    def n_clients(self) -> int:
        return len(self.rows_of_feedback[0])

    @property
    def n_rounds(self) -> int:
        return len(self.rows_of_feedback)

    # -- the game ------------------------------------------------------------------------------------------------

    def memory(self, n: int) -> np.ndarray:
        return np.zeros((n, 0))

    def reveal(self, round_: int, p: np.ndarray, memory: np.ndarray, ring: Ring | None) -> tuple[Any, np.ndarray]:
        if ring is None:
            return self.table[round_][None], memory
        row = [ring.scalar(a) for a in self.rows_of_feedback[round_]]
        return object_array(row, (1, self.n_clients)), memory

    def comparator_row(self, round_: int, ring: Ring | None) -> np.ndarray:
        """Return the comparator's distribution in a round, (clients,)."""
        row = self._plays[round_]
        if ring is None:
            return np.array([to_float(v) for v in row])
        return object_array([ring.scalar(v) for v in row], (self.n_clients,))

    def regret_range(self) -> tuple[float, float]:
        a = self.table
        least = np.sqrt(a).sum(axis=1) ** 2
        unit, alpha = self.n_clients, to_float(self.floor)
        # the largest loss on the floored simplex is at a vertex: all free mass on one client
        top = 1 - alpha + alpha / unit
        most = unit / alpha * a.sum(axis=1) - ((unit / alpha - 1 / top) * a).min(axis=1)
        own = to_float(self._sums[notation.Lq])
        drawn = int(self.n_sampled)
        return float(least.sum() / drawn - own) - 1e-9 * own, float(most.sum() / drawn - own) + 1e-9 * float(most.sum())

    # -- comparators and constants -------------------------------------------------------------------------------

    @cached_property
    def table(self) -> np.ndarray:
        """The feedback as floats, (rounds, clients)."""
        found = {row: [to_float(a) for a in row] for row in set(self.rows_of_feedback)}
        return np.array([found[row] for row in self.rows_of_feedback])

    @cached_property
    def _plays(self) -> tuple[Any, ...]:
        """The comparator, one row a round; equal rows are the same object."""
        n = self.n_clients
        if not isinstance(self.comparator, str):
            return tuple(self.comparator)
        uniform = (Fraction(1, n),) * n
        if self.comparator == "uniform":
            return (uniform,) * self.n_rounds
        with ctx.workprec(PRECISION):
            alpha = to_ball(self.floor)
            if self.comparator == "fixed":
                totals = [sum(map(Fraction, column)) for column in zip(*self.rows_of_feedback, strict=True)]
                play = tuple(simplex.floored_best([to_ball(a) for a in totals], alpha)) if any(totals) else uniform
                return (play,) * self.n_rounds
            found: dict[Row, tuple[arb, ...]] = {}
            plays: list[Any] = []
            for row in self.rows_of_feedback:
                if not any(row):  # any distribution is best: the previous one, to save variation
                    plays.append(plays[-1] if plays else uniform)
                    continue
                largest = Fraction(max(row))
                shares = tuple(Fraction(a) / largest for a in row)  # proportional rows have the same best distribution
                if shares not in found:
                    a = [to_ball(v) for v in shares]
                    found[shares] = tuple(
                        simplex.best(a) if self.comparator == "best" else simplex.floored_best(a, alpha)
                    )
                plays.append(found[shares])
        return tuple(plays)

    @cached_property
    def _sums(self) -> dict[Symbol, Number]:
        """Variation, projection and loss of the comparator, as balls, or 0 if they vanish."""
        with ctx.workprec(PRECISION):
            alpha, drawn = to_ball(self.floor), int(self.n_sampled)
            within = isinstance(self.comparator, str) and self.comparator != "best"
            totals = dict.fromkeys(("variation", "psi", "phi", "smaller", "loss"), arb(0))
            known: dict[tuple[int, int], tuple[arb, ...]] = {}
            last: tuple[Number, ...] | None = None
            for row, play in zip(self.rows_of_feedback, self._plays, strict=True):
                if last is not None and play is not last and play != last:
                    moves = (to_ball(p) - to_ball(q) for p, q in zip(play, last, strict=True))
                    totals["variation"] += sum(map(abs, moves), arb(0))
                last, key = play, (id(row), id(play))
                if key not in known:
                    known[key] = _projection_terms(row, [to_ball(v) for v in play], alpha, drawn, within)
                for name, value in zip(("psi", "phi", "smaller", "loss"), known[key], strict=True):
                    totals[name] += value
            first = [to_ball(v) for v in self._plays[0]]
            start = simplex.divergence(first if within else simplex.projection(first, alpha).point)
        return {
            notation.TV: _rational_of_point(totals["variation"]),
            notation.beta: _rational_above(totals["variation"]),
            notation.psi: _rational_of_point(totals["psi"]),
            notation.phi: _rational_of_point(totals["phi"]),
            notation.smaller: _rational_of_point(totals["smaller"]),
            notation.Lq: _rational_of_point(totals["loss"]),
            notation.D1: 0 if self._plays[0] == (Fraction(1, self.n_clients),) * self.n_clients else start,
        }

    @cached_property
    def _constants(self) -> dict[Symbol, Number]:
        largest = [max(row) for row in self.rows_of_feedback]
        if not any(largest):
            raise ValueError("all feedback is 0")
        return {
            notation.M: self.n_clients,
            notation.K: self.n_sampled,
            notation.T: self.n_rounds,
            notation.alpha: self.floor,
            notation.A: max(largest),
            notation.a2: exact(sum((Fraction(a) ** 2 for a in largest), Fraction(0))),
            **self._sums,
        }

    @property
    def constants(self) -> Mapping[Symbol, Number]:
        return self._constants


def _projection_terms(row: Row, play: list[arb], alpha: arb, drawn: int, within: bool) -> tuple[arb, ...]:
    """Return psi, phi l(q), min{phi l(q), (M/alpha)^2 a_max psi / K} and l(q) of a round."""
    cost = simplex.loss([to_ball(a) for a in row], play) / drawn
    if within:
        return arb(0), arb(0), arb(0), cost
    found = simplex.projection(play, alpha)
    other = to_ball(max(row)) * (len(row) / alpha) ** 2 * found.psi / drawn
    return found.psi, found.phi * cost, (found.phi * cost).min(other), cost


def _rational_above(value: arb) -> Number:
    """Return a larger rational for comparisons, or the value itself if the ball is a point."""
    tidy = _rational_of_point(value)
    return exact(Fraction(math.nextafter(upper_float(value), math.inf))) if isinstance(tidy, arb) else tidy


def _rational_of_point(value: arb) -> Number:
    """Return the rational that the ball equals, for a ball of radius 0."""
    if not value.is_exact():
        return value
    mantissa, exponent = value.man_exp()
    return exact(int(mantissa) * Fraction(2) ** int(exponent))


@dataclass(frozen=True, repr=False)
class FeedbackTable(Schedule):
    """Fixed feedback a^t_m, one row a round, K draws a round, floor alpha/M, and a comparator.

    ``repeat`` plays each row so many times in a row. ``comparator``: a word of COMPARATORS or one distribution per row.
    """

    feedback: AsTable
    n_sampled: int = 1
    floor: Number = "1/2"
    comparator: str | AsTable = "fixed"
    repeat: int = 1

    def __post_init__(self) -> None:
        self._set(feedback=read_table(self.feedback))
        self._read()
        self._positive("repeat")
        if len({len(row) for row in self.feedback}) != 1 or not self.feedback[0]:
            raise ValueError("every round needs the feedback of every client: rows of the same length")
        if any(not v >= 0 for row in self.feedback for v in row):
            raise ValueError("feedback is a squared norm: it must be nonnegative")
        if isinstance(self.comparator, str):
            return
        table = read_table(self.comparator)
        if len(table) != len(self.feedback) or any(len(row) != self.n_clients for row in table):
            raise ValueError("the comparator needs one distribution for every row of feedback")
        if any(sum(map(Fraction, row)) != 1 or any(v < 0 for v in row) for row in table):
            raise ValueError("every row of the comparator must be a distribution: nonnegative, with sum 1")
        if any(q == 0 and a > 0 for r, s in zip(table, self.feedback, strict=True) for q, a in zip(r, s, strict=True)):
            raise ValueError("the comparator gives probability 0 to a client with feedback: its loss is infinite")
        self._set(comparator=table)

    field_of: ClassVar[Mapping[str, str]] = {"n_rounds": "repeat", **Schedule.field_of}

    def adjusted(self, name: str, value: Number) -> Self:
        """Return the table with another value of a constant; rounds become the nearest multiple of its rows."""
        if name == "n_rounds":
            value = max(1, round(int(value) / len(self.feedback)))
        return super().adjusted(name, value)

    @cached_property
    def rows_of_feedback(self) -> tuple[Row, ...]:
        return tuple(row for row in self.feedback for _ in range(self.repeat))

    @cached_property
    def _plays(self) -> tuple[Any, ...]:
        if isinstance(self.comparator, str):
            return super()._plays
        return tuple(row for row in self.comparator for _ in range(self.repeat))
