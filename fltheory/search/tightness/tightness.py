"""The least constants that still survive: a cutting-plane loop between a linear program and a search for cases."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np

from fltheory.claims.check import ERROR_RATE
from fltheory.claims.claim import Claim
from fltheory.evidence.measured import STAGES
from fltheory.model.case import Case
from fltheory.number import to_ball, upper_float
from fltheory.search.deadline import (
    DeadlinePassed,
    deadline_of,
    deliver_interrupts,
    has_passed,
    require_seconds,
    stop_at_deadline,
)
from fltheory.search.portfolio import Budget
from fltheory.search.tightness.answer import Corner, Limit, TightnessResult
from fltheory.search.tightness.constraints import CASE_ERRORS, Fact, fact_of
from fltheory.search.tightness.drop_condition import DroppedCondition, drop_each_condition
from fltheory.search.tightness.growth import growth_exponents
from fltheory.search.tightness.hardest_cases import FactSearch
from fltheory.search.tightness.targets import FactTable, WeightTarget, confirm_weights, vertex, weight_targets
from fltheory.search.tightness.terms import Terms, terms_of
from fltheory.seeds import require_seed
from fltheory.symbols import VOCABULARY
from fltheory.verification import find
from fltheory.work import DEFAULT_WORK, BudgetExhausted, require_work, separate_meter, work_limit
from fltheory.worst_case.claims import class_constants, question_of_claim, require_reach
from fltheory.worst_case.solver import NoSolver, Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import bracket

SEARCH_SHARE, CONDITIONS_SHARE = 0.6, 0.2  # parts of the work
CONFIRM_SHARE, PROVE_SHARE = (
    0.1,
    0.1,
)  # for repeated evaluation of the cases that matter, and a proof for the whole class
ACTIVE_TOLERANCE = 1e-6  # relative distance to the edge within which a fact counts as active
HURRY_SECONDS = 2.0  # seconds to repeat evaluations after Ctrl-C
FULL_CHECK_FACTOR = 3  # factor on the limit of an evaluation, for a full one
MIN_CONFIRM_WORK = 200.0  # least units for confirmation
N_NEAREST = 12  # nearest cases, and own ones, at which the search without a condition starts


def tightness(
    claim: Claim | str,
    *,
    work: int = DEFAULT_WORK,
    seconds: float | None = None,
    seed: int = 0,
    settings: dict[str, object] | None = None,
    max_cases: int | None = None,
    start: Iterable[Case] = (),
    conditions: bool = True,
) -> TightnessResult:
    """Return the least weights of the terms of a claim's first bound that survive all cases found with ``work`` units.

    ``settings``: constants of every case, by canonical name. The result is the same on any machine, unless a clock ends
    the search after ``seconds``; ``max_cases`` ends it too. ``conditions``: whether to search also without each of the
    claim's conditions, if nothing refutes the claim itself.
    Ctrl-C ends it: the result so far is returned, marked ``interrupted``, without further proofs or searches.
    ValueError if the claim has no terms that can get weights (``NoTerms``), or for a bad argument.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    terms = terms_of(claim)
    _require(work, seconds, seed, settings or {}, max_cases)
    began, deadline = time.perf_counter(), deadline_of(seconds)
    upper, scope = None, ""
    dropped: list[DroppedCondition] = []
    with deliver_interrupts(), separate_meter() as meter:
        part = SEARCH_SHARE if conditions else SEARCH_SHARE + CONDITIONS_SHARE
        hunt = FactSearch(terms, Budget(part * work, meter, deadline), seed, dict(settings or {}), max_cases)
        limits, interrupted = _search_limits(terms, hunt, start, max(MIN_CONFIRM_WORK, CONFIRM_SHARE * work))
        corners = _corners(hunt.facts)
        try:
            if limits and not interrupted:
                upper, scope = _proved_factor(claim, limits[0].fact, deadline, PROVE_SHARE * work)
            if limits and not interrupted and conditions and max_cases is None and _stands(terms, hunt):
                near = [*claim.cases[:N_NEAREST], *(fact.case for fact in hunt.rank_facts(WeightTarget())[:N_NEAREST])]
                dropped.extend(drop_each_condition(claim, near, CONDITIONS_SHARE * work, deadline, seed))
                interrupted = any(one.interrupted for one in dropped)
        except KeyboardInterrupt:
            interrupted = True
    spent = math.fsum(fact.error_rate for fact in hunt.facts)
    return TightnessResult(
        terms,
        limits,
        corners,
        growth_exponents(hunt.facts),
        tuple(dropped),
        upper,
        scope,
        hunt.examined,
        len(hunt.facts),
        hunt.cut,
        spent,
        time.perf_counter() - began,
        hunt.reason,
        interrupted,
        hunt.late,
        math.ceil(meter.spent),
    )


def _search_limits(
    terms: Terms, hunt: FactSearch, start: Iterable[Case], most: float
) -> tuple[tuple[Limit, ...], bool]:
    """Return the limits of a search, and whether Ctrl-C ended it; then each case is only quickly confirmed.

    These confirmations together may take ``most`` units, which count like all other work.
    """
    with suppress(KeyboardInterrupt):
        hunt.run(start)
        return _limits(terms, hunt, math.inf, most), False
    with suppress(KeyboardInterrupt):
        return _limits(terms, hunt, time.perf_counter() + HURRY_SECONDS, most), True
    return _limits(terms, hunt, time.perf_counter(), most), True


def _stands(terms: Terms, hunt: FactSearch) -> bool:
    """Return whether nothing refutes the claim itself: else no condition can be shown to be needed."""
    ones = (Fraction(1),) * len(terms.exprs)
    return terms.claim.entry.recorded != "violated" and not any(fact.refutes(ones) for fact in hunt.facts)


def _require(work: int, seconds: object, seed: int, settings: dict[str, object], most: int | None) -> None:
    require_work(work)
    require_seconds(seconds)
    require_seed(seed)
    if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
        raise ValueError(f"max_cases must be a positive integer, got {most!r}")
    for name in settings:
        if name not in VOCABULARY:
            raise ValueError(f"{name} is not a known constant (see fltheory.symbols)")


def _limits(terms: Terms, hunt: FactSearch, last: float, most: float) -> tuple[Limit, ...]:
    """Return the factor of all terms, then each weight, with the forcing case, evaluated again in full."""
    found, end = [], hunt.budget.meter.spent + most
    for aim in weight_targets(len(terms.exprs)):
        if not aim.prices and (fact := _forcing_fact(terms, hunt, aim, last, end)) is not None:
            value = fact.weight(aim.index)
            assert value is not None
            value = max(value, Fraction(0))
            weights = [value if aim.index in (None, i) else Fraction(1) for i in range(len(terms.exprs))]
            around = confirm_weights(hunt.facts, [float(w) for w in weights], aim.index is None)
            found.append(Limit(aim, value, fact, around))
    return tuple(found)


def _forcing_fact(terms: Terms, hunt: FactSearch, aim: WeightTarget, last: float, end: float) -> Fact | None:
    """Return the best fact for an aim that a full evaluation confirms; others are removed.

    None if the meter reaches ``end`` first.
    """
    while hunt.facts:
        fact = hunt.rank_facts(aim)[0]
        if fact.weight(aim.index) is None:
            return None
        if _passes_validation(terms, hunt, fact, last, end):
            return fact
        if time.perf_counter() > last or hunt.budget.meter.spent >= end:
            return None
        hunt.facts.remove(fact)
    return None


def _passes_validation(terms: Terms, hunt: FactSearch, fact: Fact, last: float, end: float) -> bool:
    """Return whether a forcing case passes the validation that a search skips; sampled values are kept.

    Exact facts are kept if Ctrl-C leaves no time for this.
    """
    if fact.evidence == "statistical":
        return True
    if time.perf_counter() < last:
        try:
            most = min(hunt.slice * FULL_CHECK_FACTOR, max(0.0, end - hunt.budget.meter.spent))
            with stop_at_deadline(min(last, hunt.budget.deadline)), work_limit(most):
                return fact_of(terms, fact.case, ERROR_RATE, hunt.seed, STAGES[:1]).measured == fact.measured
        except CASE_ERRORS:
            return False
        except BudgetExhausted:
            return False
        except DeadlinePassed:
            pass
    return fact.evidence == "exact" and (time.perf_counter() >= last or has_passed(hunt.budget.deadline))


def _corners(facts: Sequence[Fact]) -> tuple[Corner, ...]:
    """Return vertices of the weights consistent with all facts, each confirmed in ball arithmetic."""
    if not facts:
        return ()
    table, found = FactTable.of(facts), dict[tuple[str, ...], Corner]()
    for aim in weight_targets(len(facts[0].terms)):
        weights = vertex(table, aim.prices) if aim.prices else None
        exact = None if weights is None else confirm_weights(facts, [float(w) for w in weights])
        if exact is not None and weights is not None:
            near = np.abs(table.rows @ weights - table.rooms) <= ACTIVE_TOLERANCE * table.rows.sum(axis=1)
            pressing = tuple(facts[i] for i in np.flatnonzero(near)[: 2 * len(exact)])
            found.setdefault(tuple(f"{float(w):.6g}" for w in exact), Corner(exact, pressing))
    return tuple(found.values())


def _proved_factor(claim: Claim, fact: Fact, last: float, most: float) -> tuple[Fraction | None, str]:
    """Return the proved limit on the factor for the whole class at a case's constants, if there is one."""
    if claim.bound.side != "upper":
        return None, ""
    try:
        require_reach(claim)
        asked = question_of_claim(claim, class_constants(claim, claim.prepared(fact.case)))
        with stop_at_deadline(last), work_limit(most):
            upper = bracket(asked, attain=False).upper
    except (OutOfReach, Unsolved, NoSolver, ValueError, KeyError, DeadlinePassed, BudgetExhausted):
        return None, ""
    total = sum(fact.terms, fact.fixed)
    if upper is None or not total > 0:
        return None, ""
    return Fraction(upper_float(to_ball(upper) / total)), f"all {asked.functions} in every dimension"
