"""A claim along one of its constants: bound, measured quantity and applicability at every value."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from sympy import Symbol
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.evidence.exact import round_blocks
from fltheory.evidence.verdict import Verdict, decisive_verdict
from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values
from fltheory.number import BALL, Number, exact, to_float
from fltheory.plotting.axis_range import cases_along, chosen_constant, trim_cases, values_along
from fltheory.plotting.point import Point, evaluate
from fltheory.runs.distributions.affine import AffineFailure
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import DirectMeasure, RunMeasure
from fltheory.search.deadline import DeadlinePassed, items_before, stop_at_deadline
from fltheory.verification import own_verdicts
from fltheory.work import CALL_COST, DEFAULT_WORK, BudgetExhausted, charge, separate_meter, spend

MAX_FITTED_EXPONENT = 12.0  # largest exponent of a power law: a steeper curve falls exponentially, or is noise
BUDGET_TEXT = {"work": "work given: give more (--work)", "seconds": "time given: give more seconds"}
Watch = Callable[[int, int], None]  # (points done, total)


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


def exponent(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return the slope of log y against log x over the last third of the range of log x; None below 3 points."""
    with np.errstate(all="ignore"):
        good = (x > 0) & (y > 0) & np.isfinite(y) & np.isfinite(x)
        if good.sum() < 3:
            return None
        log_x, log_y = np.log(x[good]), np.log(y[good])
    last = log_x >= log_x.max() - (log_x.max() - log_x.min()) / 3 - 1e-12
    if last.sum() < 3:
        last[-3:] = True
    slope = float(np.polyfit(log_x[last], log_y[last], 1)[0])
    if abs(slope) > MAX_FITTED_EXPONENT:
        return None
    return slope if abs(slope) > 5e-3 else 0.0


# Evaluation -----------------------------------------------------------------------------------------------------


def is_fast(claim: Claim, case: Case) -> bool:
    """Return whether the measured quantity has a fast exact value here."""
    if claim.measure is None or isinstance(claim.measure, DirectMeasure):
        return True
    if claim.mode == "surely" or claim.algorithm is None or not isinstance(claim.measure, RunMeasure):
        return False
    if claim.measure.of_its_own:
        return True
    full = claim.prepared(case)
    return not isinstance(round_blocks(adapt_to_rows(claim.algorithm, full), full, BALL), AffineFailure)


@dataclass(frozen=True)
class SweepPlan:
    """The plan of a sweep, before any measurement. ``cases``: one for every value of ``symbol``."""

    claim: Claim
    case: Case
    symbol: Symbol
    cases: tuple[tuple[Number, Case], ...]


def plan_sweep(claim: Claim, case: Case, along: str | None = None, values: Sequence[object] | None = None) -> SweepPlan:
    """Return values of a free constant around the case's own; ValueError names the free constants."""
    symbol = chosen_constant(claim, case, along)
    if values is not None:
        return SweepPlan(claim, case, symbol, tuple(cases_along(claim, case, symbol, [exact(v) for v in values])))
    found = cases_along(claim, case, symbol, values_along(claim, case, symbol, is_fast(claim, case)))
    return SweepPlan(claim, case, symbol, tuple(trim_cases(claim, found, case.constants.get(symbol))))


def sweep(
    claim: Claim,
    case: Case | None = None,
    along: str | None = None,
    values: Sequence[object] | None = None,
    seed: int = 0,
    deadline: float = math.inf,
    watch: Watch | None = None,
    work: float = DEFAULT_WORK,
) -> Sweep:
    """Evaluate the claim along a free constant of the case (default: its first case, along the rounds if they matter).

    ``work`` units (``fltheory.work``) are for the values; ``deadline`` is in ``time.perf_counter``. The case's own
    value comes first, and points not measured in time are dropped. The claim's own cases have the verdicts of
    ``verify``. ValueError if the claim has no case or no such free constant, with their names.
    """
    verdict = None
    if case is None:
        if not claim.cases:
            raise ValueError(f"{claim.id} has no case of its own: give one (on the command line by --set NAME=VALUE)")
        now = time.perf_counter()
        verdict, case = verdict_and_case(claim, along, seed, now + (deadline - now) / 2)
    way = plan_sweep(claim, case, along, values)
    found = sweep_cases(claim, way.symbol, way.cases, seed, deadline, watch, case, work)
    return replace(found, case=case, verdict=verdict)


def verdict_and_case(
    claim: Claim, along: str | None = None, seed: int = 0, deadline: float = math.inf
) -> tuple[Verdict | None, Case]:
    """Return the verdict on the claim's own cases, and the tightest of these that can be varied.

    At the deadline return what is known; the first case if nothing is.
    """
    found: list[Verdict] = []
    if claim.measure is not None:
        with suppress(DeadlinePassed), stop_at_deadline(deadline):
            found.extend(own_verdicts(claim, seed))
    known, left = (found if len(found) == len(claim.cases) else []), list(found)
    while left:
        best = decisive_verdict(left)
        if _is_sweepable(claim, best.case, along):
            return (decisive_verdict(known) if known else None), best.case
        left.remove(best)
    return (decisive_verdict(known) if known else None), claim.cases[0]


def tightest_case(claim: Claim) -> Case:
    """Return the claim's own case with the largest ratio."""
    return verdict_and_case(claim)[1]


def _is_sweepable(claim: Claim, case: Case, along: str | None) -> bool:
    try:
        chosen_constant(claim, case, along)
    except ValueError:
        return False
    return True


def sweep_cases(
    claim: Claim,
    symbol: Symbol,
    cases: Iterable[tuple[Number, Case]],
    seed: int = 0,
    deadline: float = math.inf,
    watch: Watch | None = None,
    first: Case | None = None,
    work: float = DEFAULT_WORK,
) -> Sweep:
    """Evaluate the claim on given cases, one for every value of ``symbol``, beginning with ``first``."""
    given = list(cases)
    order = _order_from([case for _, case in given], first)

    def looked_at() -> Iterator[tuple[int, tuple[Point, Relational | None]]]:
        for i in order:
            spend(CALL_COST)
            yield i, evaluate(claim, *given[i], seed)

    found: dict[int, tuple[Point, Relational | None]] = {}
    spent = False
    with separate_meter(work) as meter:
        try:
            for i, point in items_before(deadline, looked_at()) if deadline < math.inf else looked_at():
                found[i] = point
                if watch is not None:
                    watch(len(found), len(given))
        except BudgetExhausted:
            spent = True
    charge(min(meter.spent, meter.most))
    ended = "" if len(found) == len(given) else "work" if spent else "seconds"
    if given and not found:
        raise ValueError(f"not one value was measured in the {BUDGET_TEXT[ended]}")
    points = [found[i] for i in sorted(found)]
    broken = tuple(dict.fromkeys(c for _, c in points if c is not None))
    looked = tuple(given[i] for i in sorted(found))
    return Sweep(claim, symbol, tuple(p for p, _ in points), broken, cases=looked, planned=len(given), ended=ended)


def _order_from(cases: Sequence[Case], first: Case | None) -> list[int]:
    """Return positions by distance from the first, so that points near the case itself come first."""
    own = next((i for i, case in enumerate(cases) if case is first), 0)
    return sorted(range(len(cases)), key=lambda i: abs(i - own))
