"""Runs that are made longer and longer while their ratio grows, and at once as long as it takes where its rate tells that.

What a bound that decays does not bound is hardly seen in short runs, where all ratios are alike.
"""

from __future__ import annotations

import math
from contextlib import suppress

from fltheory.claims.claim import inapplicable_reason
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
)  # how much longer the next run is; and at most, where the rate of the ratio asks for it
FORCED_STEPS, MIN_GROWTH = (
    1,
    1.2,
)  # times that a run is made longer whatever comes of it; what counts as growing for 10 times the rounds
TARGET_RATIO = 1.2  # the ratio that a rate is followed to
PROBE_SHARE = 0.4  # the part of what a look may take that a longer run may, where no rate asks for more
COST_MARGIN = 1.25  # times what a longer run is expected to take
MAX_COST_FACTOR = 30.0  # times the work of the shorter run that one may take
REPEATED_SHARE = 0.5  # the part of the work of a stretch that longer runs of cases that are not ahead may take


def try_longer(looks: Evaluator, verdict: Verdict, slice: float | None = None, any_case: bool = True) -> None:
    """A case in runs of 10 and 100 times its rounds, and on while its ratio grows, where it is ahead of those of its shape.

    Where it is not, and ``any_case``, too, as long as such runs take no more than their part of the work.
    A look may take ``slice`` units (None: what any look of the stretch may).
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
    """Longer and longer runs of a case, each 10 times as long as the last or as long as the work allows; the last that helps.

    Where the ratio grows so that it would pass the bound in a run that is affordable, the next is that long.
    """
    by, most = LENGTH_FACTOR, min(MAX_COST_FACTOR * looks.cost(at.case), PROBE_SHARE * slice)
    sure = FORCED_STEPS  # runs whatever comes of the last
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
    """How many times as long a run must be to pass the bound, if its ratio goes on growing with a power of its rounds.

    None where it does not grow, or so slowly that no run of FARTHEST times its rounds would.
    """
    before, now = search_score(one), search_score(longer)
    steps = steps_per_run(longer.case) / steps_per_run(one.case)
    if not 0 < before < now < 1 or steps <= 1:
        return None
    rate = math.log(now / before) / math.log(steps)
    needed = math.log(TARGET_RATIO / now) / rate
    return math.ceil(math.exp(needed)) if needed < math.log(MAX_LENGTH_FACTOR) else None


def _longer(looks: Evaluator, case: Case, by: int, most: float) -> Verdict | None:
    """The best of its runs of so many times the rounds, of each way to have them the first that is within the hypotheses."""
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
