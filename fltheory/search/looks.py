"""A stretch of a search: cases are looked at, and what was seen is kept; stretches of other processes are joined to it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

import numpy as np

from fltheory.case import Case
from fltheory.claim import ERROR_RATE, Claim, check, outside
from fltheory.evidence.looks import simulate, steps_of
from fltheory.evidence.measured import STAGES
from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.number import to_float
from fltheory.number.whose import of_library
from fltheory.runs.measures import OfGame, OfRun
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.rows import in_rows
from fltheory.scrutiny.replay import glance
from fltheory.search.clock import Late, passed, until
from fltheory.search.neighbours import leaves
from fltheory.search.structure import runs_longer, runs_shorter, shape
from fltheory.symbols import n_local_steps, n_rounds
from fltheory.work import OWN_STEP, Meter, Spent, spend, within

SAYING_NOTHING = 1e-3
KEPT, ALIKE = 8, 2  # cases to climb from, and those with equally many numbers
EARLY = 256  # runs, of which a sixteenth are looked at first
STEPS, FEWEST = 500_000, 2  # steps of the simulated runs of a first look at a long case, and runs at least
PROBE = 0.4  # the part of what a look may take that a longer run may
LONGER = 0.5  # the part of the work of a stretch that longer runs of known shapes may take
LONG, FAR = 20, 0.3  # steps of a run from which floats are asked first; a ratio, and part of the best one, that is far
DEARER_THAN_FLOATS = 3.0  # times the work of a run in floats that a look must take, for these to be asked first
DEARER = 30.0  # times the work of the shorter run that one may take
SURE, GROWS = 1, 1.2  # times that a run is made 10 times longer whatever comes of it; what counts as growing
LEAST, CHEAP = 10.0, 0.02  # units of a first look at a drawn case at most, and part of what a look may take
MOST_BROKEN = 10  # cases on which the check breaks, where none is tested, until the search ends
OUTSIDE = 0.7  # units of a look that are given back where the case is outside the hypotheses
LOOK, LEAF = 1.0, 0.02  # units of work of a look at a case, and of each of its numbers


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


@dataclass
class Seen:
    """What a stretch has seen: counts, the best cases, the first case that seems to violate the claim, what broke."""

    examined: int = 0
    applicable: int = 0
    tested: int = 0
    scouted: int = 0  # cases far from the bound in one run in floats, which were looked at no further
    cut: int = 0  # looks whose work was used up
    late: int = 0  # looks that the clock ended
    work: float = 0.0  # units
    undecided: Counter[str] = field(default_factory=Counter)  # why
    open: Verdict | None = None
    best: list[Verdict] = field(default_factory=list)  # to climb from
    shapes: set[tuple[int, ...]] = field(default_factory=set)  # whose longer runs were looked at
    nearest: Verdict | None = None  # of those that are decided
    witness: Verdict | None = None
    spent: float = 0.0  # of the error rate
    reason: str = ""
    broken: int = 0  # cases on which the check itself breaks
    broke: str = ""  # how, on the first of them
    error: ValueError | None = None  # kept out of Hypothesis, which would write about it

    def join(self, other: Seen) -> None:
        """What another stretch has seen, after this one."""
        self.examined += other.examined
        self.applicable += other.applicable
        self.tested += other.tested
        self.scouted += other.scouted
        self.cut += other.cut
        self.broken += other.broken
        self.broke = self.broke or other.broke
        self.shapes |= other.shapes
        self.late += other.late
        self.work += other.work
        self.undecided += other.undecided
        self.open = other.open if self.open is None else self.open
        self.witness = other.witness if self.witness is None else self.witness
        self.spent += other.spent
        self.reason = self.reason or other.reason
        self.error = other.error if self.error is None else self.error
        for verdict in other.best:
            self.keep(verdict)
        if other.nearest is not None:
            self.nearer(other.nearest)

    def keep(self, verdict: Verdict) -> None:
        """Among the best, each case once, and few of one shape: where an equality holds, all that is near it is as good."""
        others = [v for v in self.best if v.case != verdict.case]
        ranked = sorted([*others, verdict], key=lambda v: -promise(v))
        shapes = Counter[int]()
        self.best = []
        for one in ranked:
            shape = len(leaves(one.case))
            shapes[shape] += 1
            if shapes[shape] <= ALIKE and len(self.best) < KEPT:
                self.best.append(one)

    def nearer(self, verdict: Verdict) -> None:
        """A decided verdict, kept if it is the nearest."""
        decided = verdict.status not in ("inconclusive", "violated")
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict


class Looks:
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
        self.judged = claim.algorithm is None or of_library(claim.algorithm)
        self.seen = Seen()
        self.looks = 0
        self.took = LOOK  # units of the last look
        self.rate = 0.0 if self.judged else OWN_STEP  # units of each of its steps, at first a guess
        self.longer = 0.0  # units that longer runs took

    @property
    def over(self) -> bool:
        """Whether there is a witness, a check broke, the work is done, the time is up, or there are enough cases."""
        if self.seen.witness is not None or self.seen.error is not None or passed(self.deadline):
            return True
        if self.meter.spent >= self.work:
            return True
        return self.most is not None and self.seen.examined >= self.most

    def score(self, case: Case) -> float | None:
        """The promise of a case, None where it has no ratio; a long one is simulated a few times only."""
        verdict = self.look(case, few(case))
        return None if verdict is None or verdict.ratio is None else promise(verdict)

    def farther(self, verdict: Verdict) -> None:
        """A case of a shape that is new here, in runs of 10 and 100 times its rounds, and on while its ratio grows.

        What a bound that decays does not bound is hardly seen in short runs, where all ratios are alike.
        """
        kind, began = shape(verdict.case), self.meter.spent
        if kind in self.seen.shapes and self.longer > LONGER * began:
            return
        self.seen.shapes.add(kind)
        self._longer_and_longer(verdict)
        self.longer += self.meter.spent - began

    def _longer_and_longer(self, verdict: Verdict) -> None:
        at, took = verdict, self.took
        for step in count():
            found = self._longer(at.case, min(DEARER * took, PROBE * self.slice))
            if found is None or self.over or (step >= SURE and promise(found) < GROWS * promise(at)):
                return
            at, took = found, self.took

    def shorter(self, case: Case) -> Case:
        """The case, or one with fewer rounds where a look at it would take more work than a first one should."""
        most = max(LEAST, CHEAP * self.slice)
        expected = self.rate * lasting(case)
        by = math.ceil(expected / most) if self.rate and expected > most else 1
        found = runs_shorter(case, by) if by > 1 else None
        return case if found is None or outside(self.claim, found) is not None else found

    def _longer(self, case: Case, most: float) -> Verdict | None:
        """The first of its runs of 10 times the rounds that is within the hypotheses."""
        with suppress(Spent), within(most):
            for longer in runs_longer(case, 10):
                if self.over:
                    return None
                if outside(self.claim, longer) is None:
                    return self.look(longer, few(longer), most)
        return None

    def short(self, case: Case, stages: tuple[int, ...] = STAGES[:1]) -> Verdict:
        """The verdict of one look, the first of the looks at simulated runs unless ``stages`` says more."""
        self.looks += 1
        of_stretch = ERROR_RATE / 2 / ((self.number + 1) * (self.number + 2))
        verdict = checked(self.claim, case, of_stretch / (self.looks * (self.looks + 1)), self.seed, stages)
        self.seen.spent += of_stretch / (self.looks * (self.looks + 1)) if verdict.error_rate else 0.0
        return verdict

    def look(self, case: Case, stages: tuple[int, ...] = STAGES[:1], most: float = math.inf) -> Verdict | None:
        """The verdict on a case within the hypotheses, else None; also where it takes too much work or time."""
        seen, began = self.seen, self.meter.spent
        seen.examined += 1
        try:
            with until(self.deadline), within(min(self.slice, most)):
                spend(LOOK + LEAF * len(leaves(case)))
                if not self.judged and self._far_away(case):
                    seen.scouted += 1
                    return None
                with glance():
                    verdict = self.short(case, stages)
                if not self.judged and self._matters(verdict):
                    verdict = self.short(case, stages)
        except (Spent, MemoryError):
            seen.cut += 1
            return None
        except Late:
            seen.late += 1
            return None
        except CheckFailed as error:  # one case that is broken ends no search
            self.breaks(error)
            return None
        finally:
            self.took = self.meter.spent - began
        if lasting(case) > LONG:
            self.rate = max(0.0, self.took - LOOK) / lasting(case)
        return self._kept(verdict)

    def breaks(self, error: CheckFailed) -> None:
        """A case on which the check itself breaks: it is named, and the search goes on; not where it breaks on all of the first."""
        seen = self.seen
        seen.broken += 1
        seen.broke = seen.broke or str(error)
        if seen.broken >= MOST_BROKEN and not seen.tested:
            raise error

    def own(self, verdict: Verdict) -> Verdict | None:
        """The verdict on a case of the claim's own, which was found by what every command asks; None outside the hypotheses."""
        self.seen.examined += 1
        return self._kept(verdict)

    def _kept(self, verdict: Verdict) -> Verdict | None:
        seen = self.seen
        if verdict.status == "inapplicable":
            spend(-OUTSIDE)
            if verdict.broken:
                raise VariantError(verdict.reason)
            seen.reason = seen.reason or verdict.reason
            return None
        self._count(verdict)
        return verdict

    def _count(self, verdict: Verdict) -> None:
        seen = self.seen
        seen.applicable += 1
        if verdict.evidence is None:
            seen.reason = verdict.reason
        else:
            seen.tested += 1
            if verdict.status == "inconclusive":
                seen.undecided[verdict.reason or STRADDLES] += 1
                seen.open = verdict if seen.open is None else seen.open
        if verdict.status == "violated" and seen.witness is None:
            seen.witness = verdict
        if verdict.ratio is not None:
            seen.keep(verdict)
            seen.nearer(verdict)

    def look_longer(self, verdict: Verdict, stages: tuple[int, ...]) -> Verdict | None:
        """More looks at a case that one look left open; it is counted once."""
        seen = self.seen
        before = replace(seen)
        seen.examined, seen.applicable, seen.tested = seen.examined - 1, seen.applicable - 1, seen.tested - 1
        seen.undecided = seen.undecided - Counter([verdict.reason or STRADDLES])
        found = self.look(verdict.case, stages)
        if found is None:  # it stays as it was
            seen.applicable, seen.tested, seen.undecided = before.applicable, before.tested, before.undecided
        return found

    def _far_away(self, case: Case) -> bool:
        """Whether one run in floats stays far from the bound, and from the best case so far: it is no evidence, and not told."""
        best = promise(self.seen.best[0]) if self.seen.best else 0.0
        if (
            best == 0.0
            or lasting(case) < LONG
            or self.rate * lasting(case) < DEARER_THAN_FLOATS * OWN_STEP * _steps(case)
        ):
            return False
        found = estimate(self.claim, case, self.seed)
        return found is not None and found < FAR * min(1.0, best)

    def _matters(self, verdict: Verdict) -> bool:
        """Whether a verdict of a glance would be told."""
        nearest = self.seen.nearest
        nearer = nearest is None or (verdict.ratio or 0.0) > (nearest.ratio or 0.0)
        return verdict.status == "violated" or (verdict.ratio is not None and nearer)


def estimate(claim: Claim, case: Case, seed: int) -> float | None:
    """The promise of a case by one run in floats, where it is about a run and one upper bound; no evidence. None where it fails."""
    measure, bound = claim.measure, claim.bound
    if not isinstance(measure, OfRun | OfGame) or len(claim.bounds) > 1 or bound.side != "upper":
        return None
    try:
        if outside(claim, case) is not None:
            return None
        full = claim.prepared(case)
        with np.errstate(all="ignore"):
            value = float(simulate(measure, in_rows(claim.algorithm, full), full, 1, seed).min())
        limit = to_float(bound.ball(full.constants))
    except (ValueError, ArithmeticError, KeyError, NotEnumerable):
        return None
    if not (limit > 0 and math.isfinite(value)):
        return None
    trivial = measure.trivial(full)
    says_nothing = trivial is not None and limit > to_float(trivial)
    return value / limit * (SAYING_NOTHING if says_nothing else 1.0)


def promise(verdict: Verdict) -> float:
    """The ratio, far less where the bound says nothing: nothing exceeds it there, however near one comes."""
    return (verdict.ratio or 0.0) * (SAYING_NOTHING if verdict.status == "vacuous" else 1.0)


def few(case: Case) -> tuple[int, ...]:
    """The runs that a first look takes, where they are simulated: fewer of long ones."""
    return (max(FEWEST, int(min(STAGES[0], STEPS / _steps(case)))),)


def enough(case: Case, stages: tuple[int, ...]) -> tuple[int, ...]:
    """The looks that are to decide: of long runs one also looks early, as the first hundred would take too long."""
    return stages if few(case) == STAGES[:1] else (EARLY, *stages)


def lasting(case: Case) -> float:
    """Rounds times clients times local steps of a run; 1 where that can't be told."""
    try:
        return steps_of(case)
    except (ValueError, ArithmeticError):
        return 1.0


def _steps(case: Case) -> float:
    try:
        return max(1.0, math.prod(to_float(case.constants.get(s, 1)) for s in (n_rounds, n_local_steps)))
    except (ValueError, ArithmeticError):
        return 1.0


def checked(claim: Claim, case: Case, rate: float, seed: int, stages: tuple[int, ...]) -> Verdict:
    """The verdict on a case; CheckFailed if the check breaks."""
    with broken_check(claim, case):
        return check(claim, case, rate, seed, stages=stages)


@contextmanager
def broken_check(claim: Claim, case: Case) -> Iterator[None]:
    """What breaks in the block is a CheckFailed, which names the case."""
    try:
        yield
    except MemoryError:  # a case that is too large is none to be checked
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise CheckFailed(f"{claim.id}: the check broke: {why} (on {case.arguments()})") from error
