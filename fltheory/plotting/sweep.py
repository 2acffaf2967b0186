"""A claim along one of its constants: bound, measured quantity and applicability at every value."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from sympy import Symbol
from sympy.core.relational import Relational

from fltheory.claims.claim import Claim
from fltheory.evidence.exact import round_blocks
from fltheory.evidence.verdict import Verdict, decisive_verdict
from fltheory.model.case import Case
from fltheory.number import BALL, Number, exact, to_float
from fltheory.plotting.axis_range import FEW_POINTS, POINTS, cases_along, chosen_constant, trim_cases, values_along
from fltheory.plotting.point import Point, evaluate
from fltheory.plotting.ranges.choice import (
    ENOUGH,
    best_axis,
    probe_positions,
    room,
    telling,
    telling_part,
    telling_range,
    values_between,
    values_inside,
)
from fltheory.plotting.ranges.points import Sweep as Sweep
from fltheory.plotting.ranges.points import exponent as exponent
from fltheory.runs.distributions.affine import AffineFailure
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import DirectMeasure, RunMeasure
from fltheory.search.deadline import DeadlinePassed, items_before, stop_at_deadline
from fltheory.verification import own_verdicts
from fltheory.verification.settings import free_constants
from fltheory.work import CALL_COST, DEFAULT_WORK, BudgetExhausted, Meter, charge, separate_meter, spend, work_limit

MAX_CASES, MAX_AXES = 3, 8  # own cases, and constants of one of them, at which a plot looks before it chooses
CHOICE_WORK = 1_000.0  # most units of work for that
BUDGET_TEXT = {"work": "work given: give more (--work)", "seconds": "time given: give more seconds"}
Watch = Callable[[int, int], None]  # (points done, total)


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
    """Evaluate the claim along a free constant of the case.

    By default the case is the claim's own with the worst violation, else the tightest, and the constant that along which
    measured / bound varies most at a few coarse values. The range is that where the claim says something. ``work`` units
    (``fltheory.work``) are for the values, a quarter of them for the coarse ones; ``deadline`` is in
    ``time.perf_counter``. The case's own value comes first, and points not measured in time are dropped. The claim's own
    cases have the verdicts of ``verify``. ValueError if the claim has no case or no such free constant, with their names.
    """
    verdict: Verdict | None = None
    cases: tuple[Case, ...] = () if case is None else (case,)
    if case is None:
        if not claim.cases:
            raise ValueError(f"{claim.id} has no case of its own: give one (on the command line by --set NAME=VALUE)")
        now = time.perf_counter()
        verdict, cases = verdict_and_cases(claim, along, seed, now + (deadline - now) / 2)
    if values is not None:
        way = plan_sweep(claim, cases[0], along, values)
        found = sweep_cases(claim, way.symbol, way.cases, seed, deadline, watch, way.case, work)
        return replace(found, case=way.case, verdict=verdict)
    way, known = _choose(claim, cases, along, seed, deadline, work)
    found = sweep_cases(claim, way.symbol, way.cases, seed, deadline, watch, way.case, work, known)
    if 0 < telling(found).sum() < ENOUGH and not found.ended:
        between = values_inside(replace(found, case=way.case))
        fresh = cases_along(
            claim, way.case, way.symbol, [int(v) if way.symbol.is_integer else exact(v) for v in between]
        )
        denser = sorted([*found.cases, *fresh], key=lambda pair: to_float(pair[0]))
        found = sweep_cases(claim, way.symbol, denser, seed, deadline, watch, way.case, work / 2, found)
    return _trimmed(replace(found, case=way.case, verdict=verdict))


def verdict_and_cases(
    claim: Claim, along: str | None = None, seed: int = 0, deadline: float = math.inf
) -> tuple[Verdict | None, tuple[Case, ...]]:
    """Return the verdict on the claim's own cases, and those that can be varied, the worst or tightest first.

    At the deadline return what is known; the first case if nothing is.
    """
    found: list[Verdict] = []
    if claim.measure is not None:
        with suppress(DeadlinePassed), stop_at_deadline(deadline):
            found.extend(own_verdicts(claim, seed))
    verdict = decisive_verdict(found) if found and len(found) == len(claim.cases) else None
    left, cases = list(found), list[Case]()
    while left:
        best = decisive_verdict(left)
        left = [v for v in left if v is not best]
        if _is_sweepable(claim, best.case, along):
            cases.append(best.case)
    return verdict, tuple(cases) or (claim.cases[0],)


def tightest_case(claim: Claim) -> Case:
    """Return the claim's own case with the largest ratio."""
    return verdict_and_cases(claim)[1][0]


def _is_sweepable(claim: Claim, case: Case, along: str | None) -> bool:
    try:
        chosen_constant(claim, case, along)
    except ValueError:
        return False
    return True


# Choice ---------------------------------------------------------------------------------------------------------


def _choose(
    claim: Claim, cases: Sequence[Case], along: str | None, seed: int, deadline: float, work: float
) -> tuple[SweepPlan, Sweep | None]:
    """Return the best axis of the first case that has one with enough points, over its telling range; and its probes."""
    probes: list[tuple[SweepPlan, Sweep]] = []
    now = time.perf_counter()
    soon = now + (deadline - now) / 4
    for case in cases[:MAX_CASES]:
        names = free_constants(claim, case)[:MAX_AXES] if along is None else (along,)
        known: Sweep | None = None
        for name in names or (None,):  # a case without free constants is refused by name
            way = _coarse_plan(claim, case, name)
            known = _probe(way, seed, soon, min(work / 4, CHOICE_WORK) / max(len(names), 1), known)
            if known is not None:
                probes.append((way, known))
        if any(way.case is case and room(found) >= ENOUGH for way, found in probes):
            break
    if not probes:
        return plan_sweep(claim, cases[0], along), None
    best = best_axis([found for _, found in probes])
    return _refined(next(way for way, found in probes if found is best), best), best


def _coarse_plan(claim: Claim, case: Case, along: str | None) -> SweepPlan:
    """Return a plan with a few of the values of the whole one."""
    symbol, fast = chosen_constant(claim, case, along), is_fast(claim, case)
    values, own = values_along(claim, case, symbol, fast), case.constants.get(symbol)
    at = next((i for i, value in enumerate(values) if value is own or value == own), 0)
    coarse = [values[i] for i in probe_positions(len(values), at, fast)]
    return SweepPlan(claim, case, symbol, tuple(cases_along(claim, case, symbol, coarse)))


def _probe(way: SweepPlan, seed: int, deadline: float, work: float, known: Sweep | None) -> Sweep | None:
    """Return the sweep of a coarse plan; None if the budget allows not one of its values."""
    try:
        found = sweep_cases(way.claim, way.symbol, way.cases, seed, deadline, None, way.case, work, known)
    except ValueError:
        return None
    return replace(found, case=way.case) if found.points else None


def _refined(way: SweepPlan, probes: Sweep) -> SweepPlan:
    """Return the plan with all its values between the coarse ones, within the range where these say something."""
    ends, fast, whole = telling_range(probes), is_fast(way.claim, way.case), bool(way.symbol.is_integer)
    given: Sequence[Number] = values_along(way.claim, way.case, way.symbol, fast)
    inside = list(way.cases)
    if ends is not None:
        inside = [(v, c) for v, c in inside if ends[0] <= to_float(v) <= ends[1]]
        count = (POINTS if fast else FEW_POINTS) - len(inside) + 2
        given = [int(v) if whole else exact(v) for v in values_between(*ends, max(count, 2), whole)]
    seen = {to_float(v) for v, _ in inside}
    fresh = [v for v in given if to_float(v) not in seen]
    inside += [(v, c) for v, c in cases_along(way.claim, way.case, way.symbol, fresh) if to_float(v) not in seen]
    inside.sort(key=lambda pair: to_float(pair[0]))
    return replace(way, cases=tuple(trim_cases(way.claim, inside, way.case.constants.get(way.symbol))))


def _trimmed(found: Sweep) -> Sweep:
    """Return the sweep without the ends at which the claim says nothing, but for one value each."""
    kept = telling_part(found)
    left = found.planned - len(found.points)
    points = found.points[kept]
    return replace(found, points=points, cases=found.cases[kept], planned=len(points) + left)


# Evaluation of the cases ----------------------------------------------------------------------------------------


def sweep_cases(
    claim: Claim,
    symbol: Symbol,
    cases: Iterable[tuple[Number, Case]],
    seed: int = 0,
    deadline: float = math.inf,
    watch: Watch | None = None,
    first: Case | None = None,
    work: float = DEFAULT_WORK,
    known: Sweep | None = None,
) -> Sweep:
    """Evaluate the claim on given cases, one for every value of ``symbol``: ``first``, then coarse to fine.

    A value that would take more than half of the work that is left is left out. Points of ``known`` are not evaluated again.
    """
    given = list(cases)
    before = {} if known is None else {id(c): p for (_, c), p in zip(known.cases, known.points, strict=True)}
    found: dict[int, tuple[Point, Relational | None]] = {}
    spent = False
    with separate_meter(work) as meter:
        items = _evaluations(claim, given, coarse_to_fine([case for _, case in given], first), before, meter, seed)
        try:
            for i, point in items_before(deadline, items) if deadline < math.inf else items:
                if point is None:
                    spent = True
                    continue
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
    broken = [*(known.broken if known is not None and known.symbol == symbol else ())]
    broken += [condition for _, condition in points if condition is not None]
    looked = tuple(given[i] for i in sorted(found))
    told = Sweep(claim, symbol, tuple(p for p, _ in points), tuple(dict.fromkeys(broken)), cases=looked)
    return replace(told, planned=len(given), ended=ended)


def _evaluations(
    claim: Claim,
    given: Sequence[tuple[Number, Case]],
    order: Iterable[int],
    before: Mapping[int, Point],
    meter: Meter,
    seed: int,
) -> Iterator[tuple[int, tuple[Point, Relational | None] | None]]:
    """Yield positions with their points; None for one that would take more than half of the work that is left."""
    first = True
    for i in order:
        value, case = given[i]
        if id(case) in before:
            yield i, (replace(before[id(case)], value=to_float(value)), None)
            first = False
            continue
        spend(CALL_COST)
        try:
            with work_limit(meter.left if first else meter.left / 2):
                point = evaluate(claim, value, case, seed)
        except BudgetExhausted:
            if first or meter.left < CALL_COST:
                raise
            yield i, None
            continue
        first = False
        yield i, point


def coarse_to_fine(cases: Sequence[Case], first: Case | None) -> list[int]:
    """Return positions: the first case's, then those at distances divisible by the largest powers of two, the near ones first."""
    own = next((i for i, case in enumerate(cases) if case is first), 0)

    def level(i: int) -> tuple[int, int]:
        far = abs(i - own)
        return -(far & -far) if far else -len(cases), far

    return sorted(range(len(cases)), key=level)
