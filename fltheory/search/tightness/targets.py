"""Aims of a search: the factor of all terms, the weight of one, or a vertex of all consistent weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from fltheory.search.tightness.constraints import Fact

MAX_WEIGHT = 1e9  # weight of a term that no case limits
WEIGHT_MARGIN = Fraction(1, 10**9)  # relative margins added to the float vertex before it is confirmed in balls
EMPHASIS = 10.0  # price of a term whose weight should be small, relative to the others


@dataclass(frozen=True)
class WeightTarget:
    """An aim: the weight of term ``index``, the others at 1; with None the factor, or a vertex at ``prices``."""

    index: int | None = None
    prices: tuple[float, ...] = ()


@dataclass(frozen=True)
class FactTable:
    """Facts in floats: the value to cover (facts,), the terms (facts, terms), and the part without a weight."""

    rooms: np.ndarray
    rows: np.ndarray
    upper: bool
    kept: np.ndarray

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> FactTable:
        rooms, rows = np.array([f.room for f in facts]), np.array([f.row for f in facts])
        return cls(rooms, rows, facts[0].side == "upper", np.array([f.kept for f in facts]))

    def scores(self, aim: WeightTarget) -> np.ndarray:
        """Return the score of each fact for the aim, larger is better: (facts,); -inf if it gives no limit."""
        left, own = self.rooms + self.kept, self.rows.sum(axis=1) + self.kept
        if aim.prices:
            weights = vertex(self, aim.prices)
            if weights is None:
                return np.full(len(self.rooms), -np.inf)
            left, own = self.rooms, self.rows @ weights
        elif aim.index is not None:
            own = self.rows[:, aim.index]
            left = self.rooms - (self.rows.sum(axis=1) - own)
        with np.errstate(all="ignore"):
            values = np.where(own > 0, left / own, np.nan)
        values = values if self.upper else -values
        return np.where(np.isfinite(values), values, -np.inf)


def vertex(table: FactTable, prices: Sequence[float]) -> np.ndarray | None:
    """Return the cheapest weights >= 0 (dearest, for a lower bound) consistent with the facts, or None."""
    scale = table.rows.sum(axis=1)
    use = (scale > 0) & np.isfinite(table.rooms / np.where(scale > 0, scale, 1))
    rows, rooms = table.rows[use] / scale[use, None], table.rooms[use] / scale[use]
    sign = 1.0 if table.upper else -1.0
    found = linprog(
        sign * np.asarray(prices), A_ub=-sign * rows, b_ub=-sign * rooms, bounds=(0, MAX_WEIGHT), method="highs"
    )
    return found.x if found.status == 0 else None


def confirm_weights(
    facts: Sequence[Fact], weights: Sequence[float], whole: bool = False
) -> tuple[Fraction, ...] | None:
    """Return safe rationals near float weights that no fact refutes in ball arithmetic; None if there are none.

    A weight of 0 stays so if no fact needs more. ``whole``: all are one factor, also of the part without a weight.
    """
    upper = facts[0].side == "upper"
    for tries in range(4):
        margin = WEIGHT_MARGIN * 100**tries
        factor = 1 + margin if upper else 1 - margin
        exact = tuple(
            twelve_digit_rational(float(w)) * factor + (margin if upper and (tries or w) else 0) for w in weights
        )
        if all(fact.refutes(exact, exact[0] if whole else Fraction(1)) is False for fact in facts):
            return exact
    return None


def twelve_digit_rational(value: float) -> Fraction:
    """Return a float rounded to its twelve leading digits."""
    return Fraction(f"{value:.12g}")


def weight_targets(n_terms: int) -> tuple[WeightTarget, ...]:
    """Return the aims: the factor; with several terms, each weight alone, and vertices of all consistent weights."""
    if n_terms == 1:
        return (WeightTarget(),)
    alone = tuple(WeightTarget(i) for i in range(n_terms))
    even = (1.0,) * n_terms
    dear = tuple(
        WeightTarget(prices=tuple(EMPHASIS if j == i else 1.0 for j in range(n_terms))) for i in range(n_terms)
    )
    return (WeightTarget(), *alone, WeightTarget(prices=even), *dear)
