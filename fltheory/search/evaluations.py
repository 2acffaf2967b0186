"""A stretch of a search: cases are looked at, and what was seen is kept; stretches of other processes are joined to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

import numpy as np

from fltheory.claims.claim import ERROR_RATE, Claim, check_claim, inapplicable_reason
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

EARLY_RUNS = 256  # runs, of which a sixteenth are looked at first
FIRST_STEPS, MIN_RUNS = 500_000, 2  # steps of the simulated runs of a first look at a long case, and runs at least
LONG_RUN_STEPS, FAR_RATIO = (
    20,
    0.3,
)  # steps of a run from which floats are asked first; a ratio, and part of the best one, that is far
SCOUT_COST_FACTOR = 3.0  # times the work of a run in floats that a look must take, for these to be asked first
MIN_FIRST_WORK, CHEAP_SHARE = (
    10.0,
    0.02,
)  # units of a first look at a drawn case at most, and part of what a look may take
OUTSIDE_REFUND = 0.7  # units of a look that are given back where the case is outside the hypotheses
MAX_REPEAT_WORK = (
    30.0  # units of a glance at a case that is nearer than all before, beyond which only the last of these is told
)
EVALUATION_COST, LEAF_COST = 1.0, 0.02  # units of work of a look at a case, and of each of its numbers


class Evaluator:
    """A stretch, the ``number``-th of a search: its work, its randomness, its part of the error rate, what it has seen.

    It ends after ``work`` units on the ``meter``, after ``most`` cases or at the ``deadline``; each look may take ``slice`` units.
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
        self.took = EVALUATION_COST  # units of the last look
        self.rate = 0.0 if self.judged else USER_STEP_COST  # units of each of its steps, at first a guess
        self.lengthening = 0.0  # units that longer runs took

    @property
    def over(self) -> bool:
        """Whether there is a counterexample, a check broke, the work is done, the time is up, or there are enough cases."""
        if self.seen.counterexample is not None or self.seen.error is not None or has_passed(self.deadline):
            return True
        if self.meter.spent >= self.work:
            return True
        return self.most is not None and self.seen.examined >= self.most

    def score(self, case: Case) -> float | None:
        """The promise of a case, None where it has no ratio; a long one is simulated a few times only."""
        verdict = self.look(case, first_runs(case))
        return None if verdict is None or verdict.ratio is None else search_score(verdict)

    def shorter(self, case: Case) -> Case:
        """The case, or one with fewer rounds where a look at it would take more work than a first one should."""
        most = max(MIN_FIRST_WORK, CHEAP_SHARE * self.slice)
        expected = self.rate * steps_per_run(case)
        by = math.ceil(expected / most) if self.rate and expected > most else 1
        found = shortened_case(case, by) if by > 1 else None
        return case if found is None or inapplicable_reason(self.claim, found) is not None else found

    def cost(self, case: Case) -> float:
        """Units that a look at a case is expected to take, by what such looks took so far."""
        return EVALUATION_COST + self.rate * steps_per_run(case)

    def short(self, case: Case, stages: tuple[int, ...] = STAGES[:1]) -> Verdict:
        """The verdict of one look, the first of the looks at simulated runs unless ``stages`` says more."""
        self.looks += 1
        of_stretch = ERROR_RATE / 2 / ((self.number + 1) * (self.number + 2))
        verdict = checked_verdict(self.claim, case, of_stretch / (self.looks * (self.looks + 1)), self.seed, stages)
        self.seen.spent += of_stretch / (self.looks * (self.looks + 1)) if verdict.error_rate else 0.0
        return verdict

    def look(
        self, case: Case, stages: tuple[int, ...] = STAGES[:1], most: float = math.inf, scout: bool = True
    ) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None; also where it takes too much work or time.

        With ``scout``, a dear one that one run in floats finds far from the bound is looked at no further.
        At a glance first; what would be told of a user's step is looked at once more outside, with work of its own.
        """
        self.seen.examined, scouted = self.seen.examined + 1, self.seen.scouted
        verdict = self._ended(lambda: self._glance(case, stages, scout), min(self.slice, most))
        if self.seen.scouted == scouted:  # else it took less than a look does
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
        """What is looked at with so much work; None, which is counted, where that, the time or the check itself ends it."""
        meter = Meter(0.0)
        try:
            with stop_at_deadline(self.deadline), work_limit(most) as meter:
                return looked()
        except (BudgetExhausted, MemoryError):
            self.seen.cut += 1
        except DeadlinePassed:
            self.seen.late += 1
        except CheckFailed as error:  # one case that is broken ends no search
            self.seen.breaks(error)
        finally:
            self.took = meter.spent
        return None

    def _learn(self, case: Case, took: float) -> None:
        """What a step of such a run takes, by what a look at a long one took, or at least took until it was cut."""
        if steps_per_run(case) > LONG_RUN_STEPS:
            self.rate = max(0.0, took - EVALUATION_COST) / steps_per_run(case)

    def own(self, verdict: Verdict, took: float) -> Verdict | None:
        """The verdict on a case of the claim's own, which was found by what every command asks; None outside the hypotheses."""
        self.seen.examined += 1
        self._learn(verdict.case, took)
        return self._kept(verdict)

    def _kept(self, verdict: Verdict) -> Verdict | None:
        seen = self.seen
        if verdict.status == "inapplicable":
            spend(-OUTSIDE_REFUND)
            if verdict.broken:
                raise VariantError(verdict.reason)
            seen.reason = seen.reason or verdict.reason
            return None
        seen.count(verdict)
        return verdict

    def reevaluate(self, verdict: Verdict, stages: tuple[int, ...], most: float) -> Verdict | None:
        """More looks at a case that one look left open, with so much work; it is counted once."""
        before, slice = self.seen.without(verdict), self.slice
        self.slice = max(slice, most)
        found = self.look(verdict.case, stages, scout=False)  # of few runs, one alone says little
        self.slice = slice
        if found is None:  # it stays as it was
            self.seen.restore_counts(before)
        return found

    def _is_far(self, case: Case) -> bool:
        """Whether one run in floats stays far from the bound, and from the best case so far: it is no evidence, and not told."""
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
    """The promise of a case by one run in floats, where it is about a run and one upper bound; no evidence. None where it fails."""
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
    """The runs that a first look takes, where they are simulated: fewer of long ones."""
    return (max(MIN_RUNS, int(min(STAGES[0], FIRST_STEPS / steps_per_run(case, clients=False)))),)


def deciding_stages(case: Case, stages: tuple[int, ...]) -> tuple[int, ...]:
    """The looks that are to decide: of long runs one also looks early, as the first hundred would take too long."""
    return stages if first_runs(case) == STAGES[:1] else (EARLY_RUNS, *stages)


def checked_verdict(claim: Claim, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    """The verdict on a case; CheckFailed if the check breaks."""
    with name_broken_check(claim, case):
        return check_claim(claim, case, rate, seed, stages=stages)


@contextmanager
def name_broken_check(claim: Claim, case: Case) -> Iterator[None]:
    """What breaks in the block is a CheckFailed, which names the case."""
    try:
        yield
    except MemoryError:  # a case that is too large is none to be checked
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise CheckFailed(f"{claim.id}: the check broke: {why} (on {case.arguments()})") from error
