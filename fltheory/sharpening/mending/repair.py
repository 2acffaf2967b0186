"""What would repair a false claim: the smallest changes that agree with all that was found and survive a search of their own."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory import notebook
from fltheory.bound import PLAIN_SIGNS
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.evidence.verdict import ratio_text
from fltheory.known import find, verdict_on
from fltheory.search.clock import Late, deadline_of, heard, passed, require_seconds, until
from fltheory.search.falsifier import falsify, length
from fltheory.search.looks import broken_check
from fltheory.search.neighbours import Path, is_count, leaves, with_leaves
from fltheory.search.portfolio import Budget
from fltheory.search.seen import CheckFailed
from fltheory.sharpening.aims import Aim
from fltheory.sharpening.hunt import Hunt
from fltheory.sharpening.mending.changes import Change, changes
from fltheory.sharpening.mending.pool import conditions
from fltheory.sharpening.mending.sample import Sample, sampled
from fltheory.sharpening.terms import NothingToWeigh, as_it_stands
from fltheory.work import DEFAULT_WORK, Spent, apart, required_work

FIRST = 0.3  # the part of the work for which facts are gathered
SHARE, LEAST = 0.04, 100  # of the work for each change's own search, and units at least
MOST, OF_KIND = 20, 8  # changes that are told, and of one kind
STARTS = 12  # facts that come nearest to a changed bound, from which its search begins
PUSHED = 4  # facts that go farthest, and as many cases of the claim, whose counts are made larger
FAR = 24  # cases that come of it, at most
PUSHES = (16, 256)  # by which a count is made larger, and another setting smaller
PUSHING = 0.08  # part of the work for it


@dataclass(frozen=True)
class Repair:
    """A changed bound that no case refuted; ``cases`` were tested with ``work``, and ``facts`` of the claim agree with it."""

    change: Change
    claim: Claim
    cases: int
    facts: int
    work: int
    nearest: float | None

    def __str__(self) -> str:
        near = "" if self.nearest is None else f", nearest ratio {ratio_text(self.nearest)}"
        return (
            f"{self.change.kind}: {self.change.said}\n    measured {PLAIN_SIGNS[self.change.side]} {self.change.expr}\n"
            f"    survived {self.cases} cases (work {self.work}), and {self.facts} found before{near}"
        )

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
        }


@dataclass(frozen=True, repr=False)
class Mended:
    """The repairs that survived, the smallest change first; ``refuted`` of those tried did not."""

    claim: Claim
    repairs: tuple[Repair, ...]
    refuted: int
    untested: int
    facts: int
    seconds: float
    cases: tuple[Case, ...] = ()  # of the facts
    false: bool = True  # whether one of them breaks the bound
    interrupted: bool = False  # by Ctrl-C, which ends the search early
    untried: str = ""  # why no change was tried: what ran out
    work: int = 0  # units

    def __repr__(self) -> str:
        return f"<Mended {self.claim.id}: {len(self.repairs)} repairs>"

    def __str__(self) -> str:
        if not self.false:
            seen = f"{self.facts} cases tell of it, work {self.work}, {self.seconds:.1f} s"
            return f"{self.claim.id}: no case found refutes it ({seen}): there is nothing to repair"
        head = f"{self.claim.id}: {len(self.repairs)} changes survive, {self.refuted} were refuted"
        seen = (
            f"{self.facts} facts, work {self.work}, {self.seconds:.1f} s{', interrupted' if self.interrupted else ''}"
        )
        lines = [f"{head}, {self.untested} left untested ({seen})"]
        if self.untried:
            lines.append(f"nothing was tried yet: {self.untried}")
        else:
            lines.append(
                "none of them is proved: each survived a search, no more" if self.repairs else "nothing survived"
            )
        return "\n".join([*lines, *(f"{i + 1}. {repair}" for i, repair in enumerate(self.repairs))])

    def _repr_html_(self) -> str:
        first, *rest = str(self).splitlines()
        return notebook.card(first, [("", notebook.lines(map(notebook.words, rest)))])

    def row(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "id": self.claim.id,
            "repairs": [r.row() for r in self.repairs],
            "refuted": self.refuted,
            "untested": self.untested,
            "facts": self.facts,
            "work": self.work,
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
        }


def repair(
    claim: Claim | str,
    *,
    work: int = DEFAULT_WORK,
    seconds: float | None = None,
    seed: int = 0,
    max_cases: int | None = None,
) -> Mended:
    """The smallest changes of a claim's first bound that survive: a factor, a power, a condition, a term, an inequality.

    The claim's own cases say whether it is false, as in every command. Facts are gathered first; what agrees with all of
    them is searched on its own, and what refutes it joins the facts.
    ``NothingToWeigh`` (a ValueError) where nothing is measured, or only with some probability.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    required_work(work)
    require_seconds(seconds)
    terms = as_it_stands(claim)
    if claim.family is None:
        raise NothingToWeigh(f"{claim.id} has no family of instances to search")
    began, deadline = time.perf_counter(), deadline_of(seconds)
    false = interrupted = True
    with heard(), apart() as meter:
        hunt = Hunt(terms, Budget(FIRST * work, meter, deadline), seed, {}, max_cases)
        tries = _Work(hunt, Budget(work, meter, deadline), max(LEAST, int(SHARE * work)), seed, max_cases)
        with suppress(KeyboardInterrupt, Spent):
            false = _refuted_by_its_own(claim, seed, deadline)
            hunt.run(claim.all_cases("full"))
            hunt.budget, hunt.most = tries.budget, None
            if hunt.facts:
                tries.far = _push(hunt, PUSHING * work)
            false = false or _refuted(hunt)
            if false:
                tries.run()
            interrupted = False
    found = tuple(sorted(tries.survived, key=_rank))
    cases = tuple(f.case for f in hunt.facts)
    why = "interrupted" if interrupted else "out of time" if passed(deadline) else "out of work"
    untried = "" if tries.tried or not false else why
    took, done = time.perf_counter() - began, math.ceil(meter.spent)
    return Mended(
        claim, found, tries.refuted, tries.untested, len(hunt.facts), took, cases, false, interrupted, untried, done
    )


def _rank(repair: Repair) -> tuple[bool, float]:
    """The order in which repairs are told: the smallest change first, after these what came within rounding of refuted."""
    return repair.nearest is not None and repair.nearest > 1, repair.change.size


def _refuted_by_its_own(claim: Claim, seed: int, deadline: float) -> bool:
    """Whether one of the claim's own cases violates it, as every command says: asked in full, whatever else may be spent."""
    for case in sorted(claim.cases, key=length):
        with suppress(Late, CheckFailed), broken_check(claim, case), until(deadline), apart():
            if verdict_on(claim, case, seed).status == "violated":
                return True
    return False


def _refuted(hunt: Hunt) -> bool:
    """Whether any fact breaks the bound as it stands."""
    if not hunt.facts:
        return False
    sample = sampled(hunt.terms, hunt.facts)
    return bool(sample.broken(sample.limit).any())


class _Work:
    """The state of one repair: what survived so far, and what is left to try."""

    def __init__(self, hunt: Hunt, budget: Budget, share: int, seed: int, most: int | None) -> None:
        self.hunt, self.budget, self.share, self.seed, self.most = hunt, budget, share, seed, most
        self.survived: list[Repair] = []
        self.refuted = self.untested = 0
        self.far = range(0)  # facts of long runs, from which no search begins
        self._tried: set[object] = set()

    @property
    def tried(self) -> bool:
        """Whether the search of any change came to its end."""
        return bool(self._tried)

    @property
    def over(self) -> bool:
        """Whether a further search would see too few cases."""
        return self.budget.left < LEAST or passed(self.budget.deadline)

    def run(self) -> None:
        """Try the smallest change that agrees with the facts, then the next, until there are enough or the work is done."""
        while self.hunt.facts and len(self.survived) < MOST and not self.over:
            sample = sampled(self.hunt.terms, self.hunt.facts)
            left = [c for c in changes(sample, conditions(sample)) if self._new(c)]
            if not left:
                return
            try:
                for change in left:
                    if len(self.survived) >= MOST or self.over:
                        break
                    if self._new(change) and self._refuted(change, sample):
                        break  # there is a new fact: the others are made anew
            finally:
                self.untested = len([c for c in left if self._new(c)])

    def _key(self, change: Change) -> object:
        return change.expr, change.side, change.conditions

    def _new(self, change: Change) -> bool:
        alike = sum(r.change.kind == change.kind for r in self.survived)
        return self._key(change) not in self._tried and alike < OF_KIND

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

    def _refuted(self, change: Change, sample: Sample) -> bool:
        """Whether a search refutes a change, by a case that joins the facts; none is made of what adds nothing."""
        if self._weaker(change, sample):
            self._tried.add(self._key(change))
            return False
        claim = change.of(self.hunt.terms.claim)
        work, end = max(1, min(self.share, int(self.budget.left))), self.budget.deadline
        seconds = None if end == math.inf else max(0.1, end - time.perf_counter())
        start = _starts(change, sample, self.far)
        try:
            found = falsify(claim, work=work, seconds=seconds, seed=self.seed, start=start, max_cases=self.most)
        except (CheckFailed, ValueError):
            self._tried.add(self._key(change))
            return False
        if found.interrupted:  # a search that was broken off says nothing of a change
            raise KeyboardInterrupt
        self._tried.add(self._key(change))
        if found.verdict is not None:
            self.refuted += 1
            before = len(self.hunt.facts)
            self.hunt.look(found.verdict.case)
            return len(self.hunt.facts) > before
        if found.decided:
            near = None if found.nearest is None else found.nearest.ratio
            facts = len(self.hunt.facts)
            self.survived.append(Repair(change, claim, found.tested, facts, found.work, near))
        return False


def _starts(change: Change, sample: Sample, far: range) -> tuple[Case, ...]:
    """The cases that come nearest to the changed bound, but for those of long runs."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    order = np.argsort(-sample.reached(gone, change.side), kind="stable")
    return tuple(sample.facts[i].case for i in order if i not in far)[:STARTS]


def _push(hunt: Hunt, most: float) -> range:
    """Facts of runs that are far longer: they tell powers of a count apart, which short ones don't. Where they stand."""
    before = len(hunt.facts)
    last = hunt.budget.meter.spent + most
    start = [*(fact.case for fact in hunt.ranked(Aim())[:PUSHED]), *hunt.terms.claim.cases[:PUSHED]]
    made = {c.arguments(): c for case in start for c in _longer(case)}
    for case in sorted(made.values(), key=length)[:FAR]:
        if hunt.budget.meter.spent < last:
            hunt.look(case, LEAST)
    return range(before, len(hunt.facts))


def _longer(case: Case) -> Iterator[Case]:
    """The case with a count some times as large, alone or with another setting as much smaller, or by the root of that."""
    settings = {path: v for path, v in leaves(case).items() if path[0] == "settings"}
    for count, value in settings.items():
        for by in PUSHES if is_count(count) else ():
            others: list[dict[Path, Any]] = [{}]
            for path, number in settings.items():
                if not is_count(path) and number:
                    others += [{path: Fraction(number) / by}, {path: Fraction(number) / math.isqrt(by)}]
            made = (with_leaves(case, {count: value * by, **other}) for other in others)
            yield from (longer for longer in made if longer is not None)
