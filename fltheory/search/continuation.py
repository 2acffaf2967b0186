"""Longer and longer runs while the ratio grows; if its rate is clear, a run of the length needed to pass the bound.

A violation at a slow rate is hardly visible in short runs, where all ratios are alike.
"""

from __future__ import annotations

import math
from contextlib import suppress

from fltheory.claims.check import inapplicable_reason
from fltheory.evidence.sequential import steps_per_run
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.search.evaluations import Evaluator, first_runs
from fltheory.search.history import LengthenedCase, search_score
from fltheory.search.reshaping import case_shape, lengthenings
from fltheory.work import BudgetExhausted, work_limit

LENGTH_FACTOR, MAX_LENGTH_FACTOR = (
    10,
    1_000,
)  # factors of the next run's length: the usual one, and the largest if the rate of the ratio asks for it
FORCED_STEPS, MIN_GROWTH = (
    1,
    1.2,
)  # lengthenings regardless of the result; least growth of the ratio for 10 times the rounds
TARGET_RATIO = 1.2  # ratio up to which a rate is extrapolated
PROBE_SHARE = 0.4  # part of an evaluation's limit for a longer run without a rate
COST_MARGIN = 1.25  # allowance on the expected work of a longer run
MAX_COST_FACTOR = 30.0  # work that it may take, relative to the shorter run
REPEATED_SHARE = 0.5  # part of a segment's work for lengthening cases that are not ahead


def try_longer(looks: Evaluator, verdict: Verdict, slice: float | None = None, any_case: bool = True) -> None:
    """Lengthen a case 10 and 100 times, and further while its ratio grows, if it is ahead of those of its shape.

    With ``any_case`` others too, within their part of the work.
    An evaluation may take ``slice`` units (None: as any in the segment).
    """
    began = looks.meter.spent
    if _lengthened_key(verdict) in looks.seen.lengthened:
        return
    if not looks.seen.ahead(_lengthened_key(verdict)) and not (
        any_case and looks.lengthening <= REPEATED_SHARE * began
    ):
        return
    looks.seen.lengthened.add(_lengthened_key(verdict))
    looks.seen.lengthened.add(
        _lengthened_key(lengthen_repeatedly(looks, verdict, looks.slice if slice is None else slice))
    )
    looks.lengthening += looks.meter.spent - began


def _lengthened_key(verdict: Verdict) -> LengthenedCase:
    return LengthenedCase(case_shape(verdict.case), steps_per_run(verdict.case), search_score(verdict))


def lengthen_repeatedly(looks: Evaluator, at: Verdict, slice: float) -> Verdict:
    """Lengthen a case repeatedly, by 10 or as far as the work allows; return the last run that helps.

    If the ratio grows fast enough to pass the bound in an affordable run, the next has that length.
    """
    by, most = LENGTH_FACTOR, min(MAX_COST_FACTOR * looks.cost(at.case), PROBE_SHARE * slice)
    sure = FORCED_STEPS  # runs regardless of the result of the last
    while True:
        affordable = int(most / (COST_MARGIN * looks.cost(at.case)))
        found = _longer(looks, at.case, min(by, affordable), most) if affordable > 1 else None
        if found is None or looks.over or (sure <= 0 and search_score(found) < MIN_GROWTH * search_score(at)):
            return at
        needed = length_factor_to_pass(at, found)
        by = LENGTH_FACTOR if needed is None else needed
        most = slice if needed is not None else min(MAX_COST_FACTOR * looks.cost(found.case), PROBE_SHARE * slice)
        at, sure = found, sure - 1


def length_factor_to_pass(one: Verdict, longer: Verdict) -> int | None:
    """Return the factor in length at which the ratio passes the bound if it keeps growing as a power of the rounds.

    None if it does not grow, or too slowly for any run of FARTHEST times its rounds.
    """
    before, now = search_score(one), search_score(longer)
    steps = steps_per_run(longer.case) / steps_per_run(one.case)
    if not 0 < before < now < 1 or steps <= 1:
        return None
    rate = math.log(now / before) / math.log(steps)
    needed = math.log(TARGET_RATIO / now) / rate
    return math.ceil(math.exp(needed)) if needed < math.log(MAX_LENGTH_FACTOR) else None


def _longer(looks: Evaluator, case: Case, by: int, most: float) -> Verdict | None:
    """Return the best run with this many times the rounds, over all ways to lengthen it."""
    best: Verdict | None = None
    for way in lengthenings(case, by):
        longer: Case | None = None
        with suppress(BudgetExhausted), work_limit(most):
            longer = next((one for one in way if inapplicable_reason(looks.claim, one) is None), None)
        if longer is None or looks.over:
            continue
        found = looks.look(longer, first_runs(longer), most)
        best = found if best is None or (found is not None and search_score(found) > search_score(best)) else best
    return best
