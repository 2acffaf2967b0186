"""Changes of a claim tried one after the other: each is searched on its own, and what stands in front is searched longer."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import ratio_text
from fltheory.model.bound import PLAIN_SIGNS
from fltheory.model.case import Case
from fltheory.search.deadline import has_passed
from fltheory.search.falsifier import Falsification, case_length, falsify
from fltheory.search.history import CheckFailed
from fltheory.search.neighbours import Path, is_count, leaves, with_leaves
from fltheory.search.portfolio import Budget
from fltheory.search.repair.arrays import Sample, make_sample
from fltheory.search.repair.candidates import candidate_conditions
from fltheory.search.repair.changes import Change, consistent_changes
from fltheory.search.reshaping import rearranged_case
from fltheory.search.tightness.constraints import Fact
from fltheory.search.tightness.hardest_cases import FactSearch
from fltheory.search.tightness.targets import WeightTarget
from fltheory.seeds import MAX_SEED

CHANGE_SHARE, MIN_CHANGE_WORK = 0.02, 100  # of the work for each change's own search, and units at least
PRESS_SHARE = 0.35  # the part of the work that is kept for pressing
PRESS_FACTOR, N_PRESSED = 5, 5  # a change that would be told first is searched with so many times that, so many of them
MAX_REPAIRS, MAX_OF_KIND = 20, 8  # changes that are told, and of one kind
N_STARTS = 12  # facts that come nearest to a changed bound, from which its search begins
N_PUSHED = 4  # facts that go farthest, and as many cases of the claim, whose counts are made larger
MAX_FAR_CASES = 24  # cases that come of it, at most
PUSH_FACTORS = (16, 256)  # by which a count is made larger, and another setting smaller
NEARING_FACTOR = (
    1.5  # a change whose nearest case came nearer by more when it was pressed is told after those where it did not
)
MIN_GROWTH = 1.1  # a case whose ratio grows by less when it is made longer is made no longer
N_ADAPTED, N_ARRANGEMENTS = (
    2,
    6,
)  # of the last counterexamples, each arranged in so many ways to meet the conditions of another change
COUNT_VALUES = (1, 2, 4, 16)  # that a count of a counterexample is set to
STRETCH_SHARE = 0.5  # of the units of a change's search: for longer and longer runs before it


@dataclass(frozen=True)
class Repair:
    """A changed bound that no case refuted; ``cases`` were tested with ``work``, and ``facts`` of the claim agree with it."""

    change: Change
    claim: Claim
    cases: int
    facts: int
    work: int
    nearest: float | None
    pressed: bool = False  # searched longer, with long runs
    nearing: bool = False  # and that brought cases much nearer to the bound: still longer may refute it

    def __str__(self) -> str:
        near = "" if self.nearest is None else f", nearest ratio {ratio_text(self.nearest)}"
        return (
            f"{self.change.kind}: {self.change.said}\n    measured {PLAIN_SIGNS[self.change.side]} {self.change.expr}\n"
            f"    survived {self.cases} cases (work {self.work}{self._longer}), and {self.facts} found before{near}"
        )

    @property
    def _longer(self) -> str:
        return ", with longer runs" if self.pressed else ""

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """The order in which repairs are told: first what was searched longer, and came no nearer to being refuted by that."""
        return not self.pressed, self.nearest is not None and self.nearest > 1, self.nearing, self.change.size

    def row(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kind": self.change.kind,
            "change": self.change.said,
            "side": self.change.side,
            "bound": str(self.change.expr),
            "conditions": [str(c) for c in self.change.conditions],
            "cases": self.cases,
            "facts": self.facts,
            "work": self.work,
            "pressed": self.pressed,
        }


def _share(work: float) -> int:
    """Units of a change's own search."""
    return max(MIN_CHANGE_WORK, int(CHANGE_SHARE * work))


def max_first_work(work: float) -> int:
    """Units that a change may take at first, with longer and longer runs."""
    return math.ceil((1 + STRETCH_SHARE) * _share(work))


class RepairSearch:
    """The state of one repair: what survived so far, and what is left to try."""

    def __init__(self, hunt: FactSearch, budget: Budget, seed: int, most: int | None) -> None:
        self.hunt, self.budget, self.seed, self.most = hunt, budget, seed, most
        self.share = _share(budget.work)
        self.survived: list[Repair] = []
        self.refuted = self.untested = 0
        self.far = range(0)  # facts of long runs, from which no search begins
        self.counterexamples: list[Case] = []  # of all changes that were refuted: each is shown to all others
        self._tried: set[object] = set()
        self._ended = False  # whether a search came to its end

    @property
    def tried(self) -> bool:
        """Whether the search of any change came to its end."""
        return self._ended or self.refuted > 0

    def run(self) -> None:
        """Try changes, then search longer those that would be told first; again where these fall, until the work is done."""
        kept = PRESS_SHARE * self.budget.work
        while True:
            self._try(kept)
            if not self._press():
                return
            kept = 0.0

    def _over(self, kept: float) -> bool:
        """Whether a further search would see too few cases, so much work being kept for later."""
        return self.budget.left - kept < MIN_CHANGE_WORK or has_passed(self.budget.deadline)

    def _try(self, kept: float) -> None:
        """Try the smallest change that agrees with the facts, then the next, until there are enough or the work is done."""
        while self.hunt.facts and len(self.survived) < MAX_REPAIRS and not self._over(kept):
            sample = make_sample(self.hunt.terms, self.hunt.facts)
            left = [c for c in consistent_changes(sample, candidate_conditions(sample)) if self._new(c)]
            if not left:
                return
            try:
                for change in _round_robin(left):
                    if len(self.survived) >= MAX_REPAIRS or self._over(kept):
                        break
                    if self._new(change) and self._refuted(change, sample):
                        break  # there is a new fact: the others are made anew
            finally:
                self.untested = len([c for c in left if self._new(c)])

    def _press(self) -> bool:
        """Search the first of those that survived with more work and longer runs, until so many stand; whether any fell."""
        fell = False
        while not self._over(0):
            self.survived.sort(key=lambda repair: repair.change.size)
            loose = [repair.change for repair in self.survived if not repair.pressed]
            if not loose or len(self.survived) - len(loose) >= N_PRESSED:
                return False
            chosen = _round_robin(loose, [repair.change.kind for repair in self.survived if repair.pressed])[0]
            one = next(repair for repair in self.survived if repair.change is chosen)
            self.survived.remove(one)
            sample = make_sample(self.hunt.terms, self.hunt.facts)
            near = _starts(one.change, sample, range(0))
            if self._is_refuted_by_longer(one.change, near[:N_PUSHED], PRESS_FACTOR * STRETCH_SHARE * self.share):
                fell = True
                continue
            longer = (*_starts(one.change, sample, self.far), *_far(near))
            found = self._search_change(
                one.change, PRESS_FACTOR * self.share, (*self.counterexamples, *longer), self.seed + 1
            )
            if found is None:
                continue
            if found.verdict is not None:
                fell = True
                self._join(found.verdict.case)
            elif found.decided:
                best = max((r for r in (one.nearest, _nearest(found)) if r is not None), default=None)
                nearing = one.nearest is not None and best is not None and best > max(0.0, NEARING_FACTOR * one.nearest)
                cases, facts, work = one.cases + found.tested, len(self.hunt.facts), one.work + found.work
                self.survived.append(Repair(one.change, one.claim, cases, facts, work, best, True, nearing))
            if fell and not self.survived:
                return True
        return False

    def _key(self, change: Change) -> object:
        return change.expr, change.side, change.conditions

    def _new(self, change: Change) -> bool:
        alike = sum(r.change.kind == change.kind for r in self.survived)
        return self._key(change) not in self._tried and alike < MAX_OF_KIND

    def _weaker(self, change: Change, sample: Sample) -> bool:
        """Whether one that survived, at no more conditions, says at least as much wherever a fact is: this one adds nothing."""
        mine = sample.values(change.expr)
        for other in (r.change for r in self.survived):
            if mine is None or other.side != change.side or not set(other.conditions) <= set(change.conditions):
                continue
            theirs = sample.values(other.expr)
            if theirs is not None and sample.within(theirs, mine, change.side):
                return True
        return False

    def _search_change(self, change: Change, most: float, start: tuple[Case, ...], seed: int) -> Falsification | None:
        """What a search of a change says; None where its check breaks. KeyboardInterrupt where it was broken off."""
        claim = change.of(self.hunt.terms.claim)
        work, end = max(1, min(int(most), int(self.budget.left))), self.budget.deadline
        seconds = None if end == math.inf else max(0.1, end - time.perf_counter())
        try:
            found = falsify(
                claim, work=work, seconds=seconds, seed=seed % (MAX_SEED + 1), start=start, max_cases=self.most
            )
        except (CheckFailed, ValueError):
            return None
        if found.interrupted:
            raise KeyboardInterrupt
        self._ended = True
        return found

    def _is_refuted_by_longer(self, change: Change, cases: tuple[Case, ...], most: float) -> bool:
        """Whether runs that are made longer and longer, while that brings them nearer to the bound, refute a change."""
        end = self.budget.meter.spent + min(most, self.budget.left)
        turned = (
            [other for counterexample in self.counterexamples[-N_ADAPTED:] for other in _rearrangements(counterexample)]
            if change.conditions
            else []
        )
        for case in (*turned, *cases) if change.side != "equal" else ():
            start = self._distance_to_bound(change, case, end)
            if start is not None and start[1] is not None:
                self._joined(start[1])
                return True
            for by in _stretch_factors(case) if start is not None else ():
                here, ratio = case, start
                while (
                    ratio is not None and self.budget.meter.spent < end and (longer := _stretch(here, by)) is not None
                ):
                    now = self._distance_to_bound(change, longer, end)
                    if now is not None and now[1] is not None:
                        self._joined(now[1])
                        return True
                    grows = now is not None and now[0] > max(0.0, MIN_GROWTH * ratio[0])
                    here, ratio = longer, now if grows else None
        return False

    def _distance_to_bound(self, change: Change, case: Case, end: float) -> tuple[float, Fact | None] | None:
        """How far a case goes to a changed bound, with the fact if it breaks it; None where it says nothing of it."""
        fact = self.hunt.look(case, max(1.0, (end - self.budget.meter.spent) / 2), far=True)
        if fact is None:
            return None
        sample = make_sample(self.hunt.terms, [fact])
        limit = sample.values(change.expr)
        if not _meets_conditions(change, sample).all():
            return None
        gone = sample.limit if limit is None else limit
        broken = bool(sample.broken(gone, change.side).any())
        return float(sample.reached(gone, change.side)[0]), fact if broken else None

    def _refuted(self, change: Change, sample: Sample) -> bool:
        """Whether a search refutes a change, by a case that joins the facts; none is made of what adds nothing."""
        if self._weaker(change, sample):
            self._tried.add(self._key(change))
            return False
        near = _starts(change, sample, self.far)
        self._tried.add(self._key(change))
        if self._is_refuted_by_longer(change, near[:1], STRETCH_SHARE * self.share):
            return True
        found = self._search_change(change, self.share, (*self.counterexamples, *near), self.seed)
        if found is not None and found.verdict is not None:
            return self._join(found.verdict.case)
        if found is not None and found.decided:
            claim, facts = change.of(self.hunt.terms.claim), len(self.hunt.facts)
            self.survived.append(Repair(change, claim, found.tested, facts, found.work, _nearest(found)))
        return False

    def _join(self, case: Case) -> bool:
        """What refuted a change is a fact from now on, by which others that survived fall too; whether it says anything."""
        self.refuted += 1
        self.counterexamples.append(case)
        fact = self.hunt.judged(case)
        if fact is None:
            return False
        self._drop_refuted(fact)
        return True

    def _joined(self, fact: Fact) -> None:
        """The same of a fact that is one already."""
        self.refuted += 1
        self.counterexamples.append(fact.case)
        self._drop_refuted(fact)

    def _drop_refuted(self, fact: Fact) -> None:
        """Those that survived until now and fall to a fact are no repairs."""
        sample = make_sample(self.hunt.terms, [fact])
        stand = [repair for repair in self.survived if _agrees_with_facts(repair.change, sample)]
        self.refuted += len(self.survived) - len(stand)
        self.survived = stand


def _round_robin(changes: list[Change], before: Sequence[str] = ()) -> list[Change]:
    """The first of every kind, then the second, and so on: no kind crowds out another. ``before``: kinds that had turns."""
    had, turns = Counter(before), list[tuple[int, float, int]]()
    for place, change in enumerate(changes):
        turns.append((had[change.kind], change.size, place))
        had[change.kind] += 1
    return [changes[place] for *_, place in sorted(turns)]


def _nearest(found: Falsification) -> float | None:
    return None if found.nearest is None else found.nearest.ratio


def _agrees_with_facts(change: Change, sample: Sample) -> bool:
    """Whether all facts within a change's conditions keep to its bound."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    return sample.keeps(gone, _meets_conditions(change, sample), change.side)


def _rearrangements(case: Case) -> Iterator[Case]:
    """A case with one of its counts changed, or its clients arranged otherwise: it may meet the conditions of another change."""
    small = {p: n for p, n in leaves(case).items() if is_count(p) and p[0] == "settings" and n <= max(COUNT_VALUES)}
    for path, number in small.items():
        for value in (v for v in COUNT_VALUES if v != number):
            if (other := with_leaves(case, {path: value})) is not None:
                yield other
    for seed in range(N_ARRANGEMENTS):
        if (other := rearranged_case(case, Random(seed))) is not None:
            yield other


def _meets_conditions(change: Change, sample: Sample) -> np.ndarray:
    """Which facts meet the conditions of a change; a condition on what no case has is met by none."""
    within = np.ones(len(sample.facts), dtype=bool)
    for condition in change.conditions:
        meets = sample.meets(condition)
        within &= False if meets is None else meets
    return within


def _starts(change: Change, sample: Sample, far: range) -> tuple[Case, ...]:
    """The cases that come nearest to the changed bound, first those that its conditions allow; none of long runs."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    reached = np.where(_meets_conditions(change, sample), sample.reached(gone, change.side), -np.inf)
    order = np.argsort(-reached, kind="stable")
    return tuple(sample.facts[i].case for i in order if i not in far)[:N_STARTS]


def _far(cases: tuple[Case, ...]) -> list[Case]:
    """Far longer runs of the first of some cases, the shortest first."""
    made = {c.arguments(): c for case in cases[:N_PUSHED] for c in _longer(case)}
    return sorted(made.values(), key=case_length)[:MAX_FAR_CASES]


def add_far_facts(hunt: FactSearch, most: float) -> range:
    """Facts of runs that are far longer: they tell powers of a count apart, which short ones don't. Where they stand."""
    before = len(hunt.facts)
    last = hunt.budget.meter.spent + most
    start = [*(fact.case for fact in hunt.rank_facts(WeightTarget())[:N_PUSHED]), *hunt.terms.claim.cases[:N_PUSHED]]
    made = {c.arguments(): c for case in start for c in _longer(case)}
    for case in sorted(made.values(), key=case_length)[:MAX_FAR_CASES]:
        if hunt.budget.meter.spent < last:
            hunt.look(case, MIN_CHANGE_WORK)
    return range(before, len(hunt.facts))


Factors = tuple[tuple[Path, Fraction], ...]


def _stretch_factors(case: Case, by: int = PUSH_FACTORS[0]) -> Iterator[Factors]:
    """Factors of settings: a count some times as large, alone or with another setting as much smaller, or by the root of that."""
    settings = {path: v for path, v in leaves(case).items() if path[0] == "settings"}
    for count in filter(is_count, settings):
        yield ((count, Fraction(by)),)
        for path, number in settings.items():
            if not is_count(path) and number:
                yield (count, Fraction(by)), (path, Fraction(1, by))
                yield (count, Fraction(by)), (path, Fraction(1, math.isqrt(by)))


def _stretch(case: Case, by: Factors) -> Case | None:
    """The case with settings so many times as large."""
    numbers = leaves(case)
    changed = {
        path: numbers[path] * int(times) if is_count(path) else Fraction(numbers[path]) * times for path, times in by
    }
    return with_leaves(case, changed)


def _longer(case: Case) -> Iterator[Case]:
    """The case with a count some times as large, in all these ways."""
    for by in PUSH_FACTORS:
        for way in _stretch_factors(case, by):
            if (longer := _stretch(case, way)) is not None:
                yield longer
