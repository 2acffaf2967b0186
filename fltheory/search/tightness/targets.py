"""What a search climbs to: the factor of all terms, the weight of one, a vertex of all weights that agree with the facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from fltheory.search.tightness.constraints import Fact

MAX_WEIGHT = 1e9  # a weight of a term that no case keeps down
WEIGHT_MARGIN = Fraction(
    1, 10**9
)  # by which weights are made safer than the float vertex, before they are confirmed in balls
EMPHASIS = 10.0  # of a term whose weight is to be small, against the others


@dataclass(frozen=True)
class WeightTarget:
    """``index``: the term whose weight is looked for, the others at 1; None: the bound's factor. Or the ``prices`` of weights."""

    index: int | None = None
    prices: tuple[float, ...] = ()


@dataclass(frozen=True)
class FactTable:
    """Facts in floats: what the weighted terms have to cover (facts,), the terms (facts, terms), and what no weight changes."""

    rooms: np.ndarray
    rows: np.ndarray
    upper: bool
    kept: np.ndarray

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> FactTable:
        rooms, rows = np.array([f.room for f in facts]), np.array([f.row for f in facts])
        return cls(rooms, rows, facts[0].side == "upper", np.array([f.kept for f in facts]))

    def scores(self, aim: WeightTarget) -> np.ndarray:
        """How far each fact takes the aim, larger is farther: (facts,); -inf where it says nothing."""
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
    """The weights >= 0 of least price (largest, of a lower bound) that are consistent with the facts; None where there are none."""
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
    """Rationals next to float weights, on the safe side, that no fact refutes in ball arithmetic; None where there are none.

    A weight of 0 stays so if no fact needs more. ``whole``: all are one factor, which is that of what no weight changes too.
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
    """A float with twelve digits, which are those that matter."""
    return Fraction(f"{value:.12g}")


def weight_targets(n_terms: int) -> tuple[WeightTarget, ...]:
    """The factor of all; of several terms each weight alone, and vertices of all weights that are consistent."""
    if n_terms == 1:
        return (WeightTarget(),)
    alone = tuple(WeightTarget(i) for i in range(n_terms))
    even = (1.0,) * n_terms
    dear = tuple(
        WeightTarget(prices=tuple(EMPHASIS if j == i else 1.0 for j in range(n_terms))) for i in range(n_terms)
    )
    return (WeightTarget(), *alone, WeightTarget(prices=even), *dear)
