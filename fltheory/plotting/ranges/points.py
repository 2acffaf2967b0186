"""A claim at values of one constant: the points, where they say something, and fitted exponents."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from sympy import Symbol
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values
from fltheory.number import Number, to_float
from fltheory.plotting.point import Point

MAX_FITTED_EXPONENT = 12.0  # largest exponent of a power law: a steeper curve falls exponentially, or is noise
FEWEST_FITTED = 5  # points of a fitted exponent
BENT = 0.1  # difference between the exponents of both halves of a power law, relative to 1 + its exponent
VANISHED = 1e-6  # share of its bound below which a measured value has all but vanished


@dataclass(frozen=True)
class Sweep:
    """A claim along ``symbol``."""

    claim: Claim
    symbol: Symbol
    points: tuple[Point, ...]
    broken: tuple[Relational, ...] = ()  # conditions of the bounds that fail at some value
    case: Case | None = None  # case of the sweep
    cases: tuple[tuple[Number, Case], ...] = ()  # of the points
    planned: int = 0  # planned points, if work or time ran out before
    ended: str = ""  # what ran out: work or seconds
    verdict: Verdict | None = None  # on the claim's own cases, as in every command, if the case is one of them

    def column(self, name: str) -> np.ndarray:
        """Return one field of all points, as floats."""
        return np.array([field_values(p)[name] for p in self.points], dtype=float)

    def limit(self, index: int = 0) -> np.ndarray:
        """Return the bound at all points, NaN where the claim does not apply."""
        return np.array([p.limits[index] if p.applies else math.nan for p in self.points])

    def evidence(self) -> str:
        """Return the kinds of evidence, joined."""
        return " / ".join(sorted({p.evidence for p in self.points if p.evidence}))

    @property
    def own(self) -> float:
        """Return the case's own value of the constant, NaN without one."""
        if self.case is None:
            return math.nan
        return to_float(self.claim.prepared(self.case).constants.get(self.symbol, math.nan))

    def violated(self, surely: bool = True) -> np.ndarray:
        """Return where some bound is violated: exactly, or (not ``surely``) by sampled runs beyond their band."""
        return np.array([p.violated and (not surely or p.evidence_is_exact) for p in self.points], dtype=bool)

    def first_violated(self, surely: bool = True) -> int | None:
        """Return the first bound that some point violates; None if there is none."""
        at = [p for p in self.points if p.violated and (not surely or p.evidence_is_exact)]
        return next((i for p in at for i, status in enumerate(p.told) if status == "violated"), None)

    @property
    def titled(self) -> int:
        """Return the bound that the title of a plot is about: the first violated one, else the first."""
        exactly, at_all = self.first_violated(), self.first_violated(surely=False)
        return at_all or 0 if exactly is None else exactly

    def vacuous(self, index: int = 0) -> np.ndarray:
        """Return where an upper bound exceeds the trivial one, or a lower bound is at most zero."""
        limit = self.limit(index)
        with np.errstate(invalid="ignore"):
            side = self.claim.bounds[index].side
            if side == "equal":
                return np.zeros(len(limit), dtype=bool)
            return limit > self.column("trivial") if side == "upper" else limit <= 0

    def ratio(self, index: int = 0) -> np.ndarray:
        """Return the looseness: bound / measure for an upper bound, measure / bound for a lower one."""
        with np.errstate(all="ignore"):
            ratio = self.limit(index) / self.column("measured")
            return 1 / ratio if self.claim.bounds[index].side == "lower" else ratio

    def informative(self) -> np.ndarray:
        """Return where the claim says something: it applies, is measured, not vacuous, and the value has not vanished."""
        applies = np.array([p.applies for p in self.points], dtype=bool)
        if self.claim.measure is None:
            return applies & np.isfinite(self.limit())
        measured = self.column("measured")
        telling = np.zeros(len(self.points), dtype=bool)
        for i, bound in enumerate(self.claim.bounds):
            limit = self.limit(i)
            with np.errstate(invalid="ignore"):
                vanished = (bound.side == "upper") & (limit > 0) & (measured < VANISHED * limit)
            telling |= np.isfinite(limit) & ~self.vacuous(i) & ~vanished
        return (applies & np.isfinite(measured) & telling) | self.violated(surely=False)


def exponent(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return the exponent of a power law: the slope of log y against log x over the last third of the range of log x.

    The fit has at least 5 points. None with fewer, or if the curve bends there: then it is no power law.
    """
    with np.errstate(all="ignore"):
        good = (x > 0) & (y > 0) & np.isfinite(y) & np.isfinite(x)
        if good.sum() < FEWEST_FITTED:
            return None
        log_x, log_y = np.log(x[good]), np.log(y[good])
    last = log_x >= log_x.max() - (log_x.max() - log_x.min()) / 3 - 1e-12
    if last.sum() < FEWEST_FITTED:
        last[-FEWEST_FITTED:] = True
    log_x, log_y = log_x[last], log_y[last]
    slope, middle = float(np.polyfit(log_x, log_y, 1)[0]), len(log_x) // 2
    first, second = (
        float(np.polyfit(log_x[half], log_y[half], 1)[0]) for half in (slice(middle + 1), slice(middle, None))
    )
    if abs(slope) > MAX_FITTED_EXPONENT or abs(first - second) > BENT * (1 + abs(slope)):
        return None
    return slope if abs(slope) > 5e-3 else 0.0
