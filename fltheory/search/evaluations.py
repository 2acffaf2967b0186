"""A segment of a search: it evaluates cases and records the results, which are merged with those of other processes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import numpy as np

from fltheory.claims.check import ERROR_RATE, check_claim, inapplicable_reason
from fltheory.claims.claim import Claim
from fltheory.evidence.measured import STAGES
from fltheory.evidence.sequential import simulate, steps_per_run
from fltheory.evidence.validation.replay import skip_comparison
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.number.ownership import is_library
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import GameMeasure, RunMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.search.deadline import DeadlinePassed, has_passed, stop_at_deadline
from fltheory.search.history import VACUOUS_DISCOUNT, CheckFailed, SearchState, search_score
from fltheory.search.neighbours import leaves
from fltheory.search.reshaping import shortened_case
from fltheory.work import USER_STEP_COST, BudgetExhausted, Meter, spend, work_limit

EARLY_RUNS = 256  # simulated runs, of which a sixteenth come first
FIRST_STEPS, MIN_RUNS = 500_000, 2  # steps of the first simulated runs of a long case, and the least number of runs
LONG_RUN_STEPS, FAR_RATIO = (
    20,
    0.3,
)  # steps of a run from which floats come first; a ratio, and a part of the best one, that count as far
SCOUT_COST_FACTOR = 3.0  # work of an evaluation, relative to that of a run in floats, from which floats come first
MIN_FIRST_WORK, CHEAP_SHARE = (
    10.0,
    0.02,
)  # largest first evaluation of a sampled case in units, and its part of the limit
OUTSIDE_REFUND = 0.7  # units refunded if the case is outside the hypotheses
MAX_REPEAT_WORK = (
    30.0  # units of a quick evaluation of a new nearest case, beyond which only the last one is evaluated in full
)
EVALUATION_COST, LEAF_COST = 1.0, 0.02  # units of work of evaluating a case, and of each of its numbers


class Evaluator:
    """The ``number``-th segment of a search, with its work, randomness, share of the error rate and results.

    It ends after ``work`` units on the ``meter``, ``most`` cases or at the ``deadline``; ``slice`` limits one evaluation.
    """

    def __init__(
        self,
        claim: Claim,
        seed: int,
        number: int,
        meter: Meter,
        work: float,
        slice: float,
        deadline: float = math.inf,
        most: int | None = None,
    ) -> None:
        self.claim, self.seed, self.number, self.most = claim, seed, number, most
        self.meter, self.work, self.deadline, self.slice = meter, work, deadline, slice
        self.random = Random(f"{seed}/{number}")
        self.judged = claim.algorithm is None or is_library(claim.algorithm)
        self.seen = SearchState()
        self.looks = 0
        self.took = EVALUATION_COST  # units of the last evaluation
        self.rate = 0.0 if self.judged else USER_STEP_COST  # units per step, initially a guess
        self.lengthening = 0.0  # units of longer runs

    @property
    def over(self) -> bool:
        """Return whether the segment must end: counterexample, broken check, or work, time or cases used up."""
        if self.seen.counterexample is not None or self.seen.error is not None or has_passed(self.deadline):
            return True
        if self.meter.spent >= self.work:
            return True
        return self.most is not None and self.seen.examined >= self.most

    def score(self, case: Case) -> float | None:
        """Return the score of a case, None if it has no ratio; a long one is simulated only a few times."""
        verdict = self.look(case, first_runs(case))
        return None if verdict is None or verdict.ratio is None else search_score(verdict)

    def shorter(self, case: Case) -> Case:
        """Return the case, with fewer rounds if its first evaluation would take too much work."""
        most = max(MIN_FIRST_WORK, CHEAP_SHARE * self.slice)
        expected = self.rate * steps_per_run(case)
        by = math.ceil(expected / most) if self.rate and expected > most else 1
        found = shortened_case(case, by) if by > 1 else None
        return case if found is None or inapplicable_reason(self.claim, found) is not None else found

    def cost(self, case: Case) -> float:
        """Return the expected units of evaluating a case, from earlier evaluations."""
        return EVALUATION_COST + self.rate * steps_per_run(case)

    def short(self, case: Case, stages: tuple[int, ...] = STAGES[:1]) -> Verdict:
        """Return the verdict of one evaluation, by default on the first batch of simulated runs."""
        self.looks += 1
        of_stretch = ERROR_RATE / 2 / ((self.number + 1) * (self.number + 2))
        verdict = checked_verdict(self.claim, case, of_stretch / (self.looks * (self.looks + 1)), self.seed, stages)
        self.seen.spent += of_stretch / (self.looks * (self.looks + 1)) if verdict.error_rate else 0.0
        return verdict

    def look(
        self, case: Case, stages: tuple[int, ...] = STAGES[:1], most: float = math.inf, scout: bool = True
    ) -> Verdict | None:
        """Return the verdict on a case within the hypotheses; None for others, or without enough work or time.

        With ``scout``, an expensive case is skipped if one run in floats is far from the bound.
        The first evaluation skips validation; a verdict to report on a user's step is repeated with it, separately.
        """
        self.seen.examined, scouted = self.seen.examined + 1, self.seen.scouted
        verdict = self._ended(lambda: self._glance(case, stages, scout), min(self.slice, most))
        if self.seen.scouted == scouted:  # else only one run in floats was made
            self._learn(case, self.took)
        if verdict is None or self.judged or not self.seen.would_report(verdict):
            return None if verdict is None else self._kept(verdict)
        dear = verdict.status != "violated" and self.took > MAX_REPEAT_WORK
        told = None if dear else self._ended(lambda: self.short(case, stages), self.slice)
        if told is None:
            self.seen.count_glanced(verdict)
            return verdict
        return self._kept(told)

    def _glance(self, case: Case, stages: tuple[int, ...], scout: bool) -> Verdict | None:
        spend(EVALUATION_COST + LEAF_COST * len(leaves(case)))
        if scout and not self.judged and self._is_far(case):
            self.seen.scouted += 1
            return None
        with skip_comparison():
            return self.short(case, stages)

    def _ended(self, looked: Callable[[], Verdict | None], most: float) -> Verdict | None:
        """Return the verdict within this work; None, which is counted, if the work, the time or the check ends it."""
        meter = Meter(0.0)
        try:
            with stop_at_deadline(self.deadline), work_limit(most) as meter:
                return looked()
        except (BudgetExhausted, MemoryError):
            self.seen.cut += 1
        except DeadlinePassed:
            self.seen.late += 1
        except CheckFailed as error:  # one broken case does not end the search
            self.seen.breaks(error)
        finally:
            self.took = meter.spent
        return None

    def _learn(self, case: Case, took: float) -> None:
        """Update the units per step from an evaluation of a long case, finished or cut off."""
        if steps_per_run(case) > LONG_RUN_STEPS:
            self.rate = max(0.0, took - EVALUATION_COST) / steps_per_run(case)

    def own(self, verdict: Verdict, took: float) -> Verdict | None:
        """Record the verdict on an own case of the claim, found as in every command; None outside the hypotheses."""
        self.seen.examined += 1
        self._learn(verdict.case, took)
        return self._kept(verdict)

    def _kept(self, verdict: Verdict) -> Verdict | None:
        seen = self.seen
        if verdict.status == "inapplicable":
            spend(-OUTSIDE_REFUND)
            if verdict.broken:  # as a tie that floats decide otherwise: one such case does not end the search
                seen.breaks(VariantError(verdict.reason))
            else:
                seen.reason = seen.reason or verdict.reason
            return None
        seen.count(verdict)
        return verdict

    def reevaluate(self, verdict: Verdict, stages: tuple[int, ...], most: float) -> Verdict | None:
        """Evaluate an undecided case on more runs, within this work; it is counted once."""
        before, slice = self.seen.without(verdict), self.slice
        self.slice = max(slice, most)
        found = self.look(verdict.case, stages, scout=False)  # a few runs alone say little
        self.slice = slice
        if found is None:  # unchanged
            self.seen.restore_counts(before)
        return found

    def _is_far(self, case: Case) -> bool:
        """Return whether one run in floats stays far from the bound and the best case so far; no evidence."""
        best = search_score(self.seen.best[0]) if self.seen.best else 0.0
        if (
            best == 0.0
            or steps_per_run(case) < LONG_RUN_STEPS
            or self.rate * steps_per_run(case) < SCOUT_COST_FACTOR * USER_STEP_COST * steps_per_run(case, clients=False)
        ):
            return False
        found = estimate(self.claim, case, self.seed)
        return found is not None and found < FAR_RATIO * min(1.0, best)


def estimate(claim: Claim, case: Case, seed: int) -> float | None:
    """Return the score of a case by one float run, for a run with one upper bound; no evidence. None if it fails."""
    measure, bound = claim.measure, claim.bound
    if not isinstance(measure, RunMeasure | GameMeasure) or len(claim.bounds) > 1 or bound.side != "upper":
        return None
    try:
        if inapplicable_reason(claim, case) is not None:
            return None
        full = claim.prepared(case)
        with np.errstate(all="ignore"):
            value = float(simulate(measure, adapt_to_rows(claim.algorithm, full), full, 1, seed).min())
        limit = to_float(bound.ball(full.constants))
    except (ValueError, ArithmeticError, KeyError, NotEnumerable):
        return None
    if not (limit > 0 and math.isfinite(value)):
        return None
    trivial = measure.trivial(full)
    says_nothing = trivial is not None and limit > to_float(trivial) >= value
    return value / limit * (VACUOUS_DISCOUNT if says_nothing else 1.0)


def first_runs(case: Case) -> tuple[int, ...]:
    """Return the batch sizes of the first evaluation by simulation: fewer runs of long cases."""
    return (max(MIN_RUNS, int(min(STAGES[0], FIRST_STEPS / steps_per_run(case, clients=False)))),)


def deciding_stages(case: Case, stages: tuple[int, ...]) -> tuple[int, ...]:
    """Return batch sizes for a decision: long runs are also tested early, as a first hundred would take too long."""
    return stages if first_runs(case) == STAGES[:1] else (EARLY_RUNS, *stages)


def checked_verdict(claim: Claim, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    """Return the verdict on a case; CheckFailed if the check breaks."""
    with name_broken_check(claim, case):
        return check_claim(claim, case, rate, seed, stages=stages)


@contextmanager
def name_broken_check(claim: Claim, case: Case) -> Iterator[None]:
    """Turn an exception in the block into a CheckFailed that names the case."""
    try:
        yield
    except MemoryError:  # a case that is too large is not checked
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise CheckFailed(f"{claim.id}: the check broke: {why} (on {case.arguments()})") from error
