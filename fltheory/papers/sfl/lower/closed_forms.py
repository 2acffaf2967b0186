"""Gaps of direct sums: SFL and PFL move each coordinate separately, so the errors of the coordinates add up.

Quadratic coordinates have exact moments for any number of rounds; a kinked one is enumerated while that is cheap.
Beyond that it counts as 0: the sum is then a lower limit of the error, which still proves a lower bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sympy import Expr

from fltheory.evidence.exact import exact_value
from fltheory.evidence.measured import AtLeast
from fltheory.evidence.validation.consistency import is_plain
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.number import BALL, NotRational, Number, Ring
from fltheory.papers.sfl.lower.cases import coordinate
from fltheory.problems.separable import SeparableClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.moments import Block
from fltheory.runs.measures import ENERGY, AveragedGap, LastGap, RunMeasure, RunSummary
from fltheory.runs.method import NotEnumerable


@dataclass(frozen=True)
class CoordinatewiseGap(RunMeasure):
    """The last or the averaged gap of separable clients as a sum over the coordinates."""

    base: LastGap | AveragedGap
    dimension: Dimension = ENERGY
    of_its_own = True

    @property
    def name(self) -> str:
        return self.base.name

    def exact(self, algorithm: Algorithm, case: Case, ring: Ring) -> Any:
        """Return the sum in the ring, or ``AtLeast`` the sum of the computable coordinates if some are out of reach.

        A step that the library does not know may couple the coordinates, so such a run is evaluated as a whole.
        """
        instance: SeparableClients = case.instance
        if algorithm.law is None or not is_plain(instance, SeparableClients) or instance.dim == 1:
            return exact_value(self.base, algorithm, case, ring)
        settings = {symbol.name: value for symbol, value in case.constants.items()}
        total, whole = ring.scalar(0), True
        for i in range(instance.dim):
            part = coordinate(instance, i)
            if part.start == (0,) and not any(row[0] for row in part.slopes) and not part.draws:
                continue  # stays at the minimiser 0
            try:
                total = total + exact_value(self.base, algorithm, Case(part, **settings), ring)
            except NotEnumerable:
                whole = False  # the missing gap is nonnegative
        if not whole and ring is not BALL:
            raise NotRational
        return total if whole else AtLeast(total)

    def values(self, states: np.ndarray, case: Case) -> np.ndarray:
        return self.base.values(states, case)

    def reading(self, case: Case) -> RunSummary | None:
        return self.base.reading(case)

    def of_points(self, points: np.ndarray, case: Case) -> np.ndarray:
        return self.base.of_points(points, case)

    def from_moments(self, blocks: list[Block], case: Case, ring: Ring) -> Any:
        return self.base.from_moments(blocks, case, ring)

    def ceiling(self, case: Case, within: float | None = None) -> float | None:
        return self.base.ceiling(case, within)

    def trivial(self, case: Case) -> Number | None:
        return self.base.trivial(case)

    def trivial_formula(self) -> Expr | None:
        return self.base.trivial_formula()
