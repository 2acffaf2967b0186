"""Trial of changes of a claim: each gets a search of its own, and the leading ones a longer search."""

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

CHANGE_SHARE, MIN_CHANGE_WORK = 0.02, 100  # of the work for each change's own search, and least units
PRESS_SHARE = 0.35  # part of the work reserved for longer searches
PRESS_FACTOR, N_PRESSED = 5, 5  # factor on the work for leading changes, and number of these
MAX_REPAIRS, MAX_OF_KIND = 20, 8  # changes reported, and of one kind
N_STARTS = 12  # nearest facts to a changed bound, at which its search begins
N_PUSHED = 4  # best facts, and cases of the claim, whose counts are increased
MAX_FAR_CASES = 24  # largest number of resulting cases
PUSH_FACTORS = (16, 256)  # factors by which a count increases while another setting decreases
NEARING_FACTOR = 1.5  # a change whose nearest case came nearer by more in the longer search is ranked after others
MIN_GROWTH = 1.1  # a case whose ratio grows by less is not lengthened further
N_ADAPTED, N_ARRANGEMENTS = (
    2,
    6,
)  # number of last counterexamples, and of arrangements of each for the conditions of another change
COUNT_VALUES = (1, 2, 4, 16)  # values for a count of a counterexample
STRETCH_SHARE = 0.5  # of the units of a change's search: for longer and longer runs before it


@dataclass(frozen=True)
class Repair:
    """A changed bound that no case refuted; ``cases`` were tested with ``work``, and ``facts`` agree with it."""

    change: Change
    claim: Claim
    cases: int
    facts: int
    work: int
    nearest: float | None
    pressed: bool = False  # searched longer, with long runs
    nearing: bool = False  # and cases came much nearer to the bound: a still longer search may refute it

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
        """Return the rank in reports: first those searched longer without coming nearer to a refutation."""
        return not self.pressed, self.nearest is not None and self.nearest > 1, self.nearing, self.change.size

    def row(self) -> dict[str, Any]:
        """Return the repair as JSON."""
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
    """Return the units of a change's own search."""
    return max(MIN_CHANGE_WORK, int(CHANGE_SHARE * work))


def max_first_work(work: float) -> int:
    """Return the units of a change's first trial, by longer and longer runs."""
    return math.ceil((1 + STRETCH_SHARE) * _share(work))


class RepairSearch:
    """The state of one repair: survivors so far, and the changes left to try."""

    def __init__(self, hunt: FactSearch, budget: Budget, seed: int, most: int | None) -> None:
        self.hunt, self.budget, self.seed, self.most = hunt, budget, seed, most
        self.share = _share(budget.work)
        self.survived: list[Repair] = []
        self.refuted = self.untested = 0
        self.far = range(0)  # facts of long runs, at which no search begins
        self.counterexamples: list[Case] = []  # refuting cases of all changes: each is tried on all others
        self._tried: set[object] = set()
        self._ended = False  # whether a search completed

    @property
    def tried(self) -> bool:
        """Return whether the search of any change completed."""
        return self._ended or self.refuted > 0

    def run(self) -> None:
        """Try changes, then search the leading ones longer; repeat if these fall, until the work is done."""
        kept = PRESS_SHARE * self.budget.work
        while True:
            self._try(kept)
            if not self._press():
                return
            kept = 0.0

    def _over(self, kept: float) -> bool:
        """Return whether too little work is left for another search, with this much reserved."""
        return self.budget.left - kept < MIN_CHANGE_WORK or has_passed(self.budget.deadline)

    def _try(self, kept: float) -> None:
        """Try changes consistent with the facts, the smallest first, until enough survive or the work is done."""
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
                        break  # a new fact: recompute the other changes
            finally:
                self.untested = len([c for c in left if self._new(c)])

    def _press(self) -> bool:
        """Search the leading survivors with more work and longer runs; return whether any was refuted."""
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
        """Return whether a survivor with no more conditions implies the change at every fact."""
        mine = sample.values(change.expr)
        for other in (r.change for r in self.survived):
            if mine is None or other.side != change.side or not set(other.conditions) <= set(change.conditions):
                continue
            theirs = sample.values(other.expr)
            if theirs is not None and sample.within(theirs, mine, change.side):
                return True
        return False

    def _search_change(self, change: Change, most: float, start: tuple[Case, ...], seed: int) -> Falsification | None:
        """Return the result of a change's search; None if its check breaks, KeyboardInterrupt after Ctrl-C."""
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
        """Return whether longer and longer runs that come nearer to the bound finally refute a change."""
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
        """Return how near a case comes to a changed bound, with the fact if it breaks it; None without information."""
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
        """Return whether a search refutes a change, by a case that joins the facts; a redundant one is not searched."""
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
        """Add a refuting case to the facts, and drop the survivors that it refutes; return whether it is usable."""
        self.refuted += 1
        self.counterexamples.append(case)
        fact = self.hunt.judged(case)
        if fact is None:
            return False
        self._drop_refuted(fact)
        return True

    def _joined(self, fact: Fact) -> None:
        """Do the same for an existing fact."""
        self.refuted += 1
        self.counterexamples.append(fact.case)
        self._drop_refuted(fact)

    def _drop_refuted(self, fact: Fact) -> None:
        """Drop survivors that a fact refutes."""
        sample = make_sample(self.hunt.terms, [fact])
        stand = [repair for repair in self.survived if _agrees_with_facts(repair.change, sample)]
        self.refuted += len(self.survived) - len(stand)
        self.survived = stand


def _round_robin(changes: list[Change], before: Sequence[str] = ()) -> list[Change]:
    """Order changes by kind in turn: the first of every kind, then the second. ``before``: kinds that had turns."""
    had, turns = Counter(before), list[tuple[int, float, int]]()
    for place, change in enumerate(changes):
        turns.append((had[change.kind], change.size, place))
        had[change.kind] += 1
    return [changes[place] for *_, place in sorted(turns)]


def _nearest(found: Falsification) -> float | None:
    return None if found.nearest is None else found.nearest.ratio


def _agrees_with_facts(change: Change, sample: Sample) -> bool:
    """Return whether all facts within a change's conditions satisfy its bound."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    return sample.keeps(gone, _meets_conditions(change, sample), change.side)


def _rearrangements(case: Case) -> Iterator[Case]:
    """Yield a case with a count changed or clients rearranged: it may meet the conditions of another change."""
    small = {p: n for p, n in leaves(case).items() if is_count(p) and p[0] == "settings" and n <= max(COUNT_VALUES)}
    for path, number in small.items():
        for value in (v for v in COUNT_VALUES if v != number):
            if (other := with_leaves(case, {path: value})) is not None:
                yield other
    for seed in range(N_ARRANGEMENTS):
        if (other := rearranged_case(case, Random(seed))) is not None:
            yield other


def _meets_conditions(change: Change, sample: Sample) -> np.ndarray:
    """Return which facts meet the conditions of a change; none if the cases lack a constant."""
    within = np.ones(len(sample.facts), dtype=bool)
    for condition in change.conditions:
        meets = sample.meets(condition)
        within &= False if meets is None else meets
    return within


def _starts(change: Change, sample: Sample, far: range) -> tuple[Case, ...]:
    """Return the cases nearest to the changed bound, those within its conditions first, without long runs."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    reached = np.where(_meets_conditions(change, sample), sample.reached(gone, change.side), -np.inf)
    order = np.argsort(-reached, kind="stable")
    return tuple(sample.facts[i].case for i in order if i not in far)[:N_STARTS]


def _far(cases: tuple[Case, ...]) -> list[Case]:
    """Yield far longer runs of the first cases, the shortest first."""
    made = {c.arguments(): c for case in cases[:N_PUSHED] for c in _longer(case)}
    return sorted(made.values(), key=case_length)[:MAX_FAR_CASES]


def add_far_facts(hunt: FactSearch, most: float) -> range:
    """Add facts of far longer runs, which distinguish powers of a count; return their positions."""
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
    """Yield factors of settings: a count grows alone, or another setting decreases by this factor or its root."""
    settings = {path: v for path, v in leaves(case).items() if path[0] == "settings"}
    for count in filter(is_count, settings):
        yield ((count, Fraction(by)),)
        for path, number in settings.items():
            if not is_count(path) and number:
                yield (count, Fraction(by)), (path, Fraction(1, by))
                yield (count, Fraction(by)), (path, Fraction(1, math.isqrt(by)))


def _stretch(case: Case, by: Factors) -> Case | None:
    """Return the case with settings multiplied by these factors."""
    numbers = leaves(case)
    changed = {
        path: numbers[path] * int(times) if is_count(path) else Fraction(numbers[path]) * times for path, times in by
    }
    return with_leaves(case, changed)


def _longer(case: Case) -> Iterator[Case]:
    """Yield the case with a count multiplied, in all these ways."""
    for by in PUSH_FACTORS:
        for way in _stretch_factors(case, by):
            if (longer := _stretch(case, way)) is not None:
                yield longer
