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
from fltheory.known import find
from fltheory.search.clock import heard
from fltheory.search.falsifier import falsify, length
from fltheory.search.looks import CheckFailed
from fltheory.search.neighbours import Path, leaves, with_leaves
from fltheory.search.structure import is_count
from fltheory.sharpening.aims import Aim
from fltheory.sharpening.hunt import Hunt
from fltheory.sharpening.mending.changes import Change, changes
from fltheory.sharpening.mending.pool import conditions
from fltheory.sharpening.mending.sample import Sample, sampled
from fltheory.sharpening.terms import NothingToWeigh, as_it_stands

FIRST = 0.3  # the part of the time in which facts are gathered
SHARE, LEAST = 0.04, 0.5  # of the time for each change's own search, and seconds at least
MOST, OF_KIND = 20, 8  # changes that are told, and of one kind
STARTS = 12  # facts that come nearest to a changed bound, from which its search begins
PUSHED = 4  # facts that go farthest, and as many cases of the claim, whose counts are made larger
FAR = 24  # cases that come of it, at most
PUSHES = (16, 256)  # by which a count is made larger, and another setting smaller
PUSHING = 0.08  # part of the time for it


@dataclass(frozen=True)
class Repair:
    """A changed bound that no case refuted; ``cases`` were tested in ``seconds``, and ``facts`` of the claim agree with it."""

    change: Change
    claim: Claim
    cases: int
    facts: int
    seconds: float
    nearest: float | None

    def __str__(self) -> str:
        near = "" if self.nearest is None else f", nearest ratio {ratio_text(self.nearest)}"
        return (
            f"{self.change.kind}: {self.change.said}\n    measured {PLAIN_SIGNS[self.change.side]} {self.change.expr}\n"
            f"    survived {self.cases} cases in {self.seconds:.1f} s, and {self.facts} found before{near}"
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
            "seconds": round(self.seconds, 3),
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
    untried: str = ""  # why no change was tried, where time was lacking

    def __repr__(self) -> str:
        return f"<Mended {self.claim.id}: {len(self.repairs)} repairs>"

    def __str__(self) -> str:
        if not self.false:
            seen = f"{self.facts} cases tell of it, {self.seconds:.1f} s"
            return f"{self.claim.id}: no case found refutes it ({seen}): there is nothing to repair"
        head = f"{self.claim.id}: {len(self.repairs)} changes survive, {self.refuted} were refuted"
        seen = f"{self.facts} facts, {self.seconds:.1f} s{', interrupted' if self.interrupted else ''}"
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
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
        }


def repair(claim: Claim | str, *, seconds: float = 60.0, seed: int = 0, max_cases: int | None = None) -> Mended:
    """The smallest changes of a claim's first bound that survive: a factor, a power, a condition, a term, an inequality.

    Facts are gathered first; what agrees with all of them is searched on its own, and what refutes it joins the facts.
    ``NothingToWeigh`` (a ValueError) where nothing is measured, or only with some probability.
    """
    claim = find(claim) if isinstance(claim, str) else claim
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise ValueError(f"seconds must be a positive number, got {seconds!r}")
    terms = as_it_stands(claim)
    if claim.family is None:
        raise NothingToWeigh(f"{claim.id} has no family of instances to search")
    began = time.perf_counter()
    hunt = Hunt(terms, FIRST * seconds, seed, {}, max_cases)
    work = _Work(hunt, began + seconds, max(LEAST, SHARE * seconds), seed, max_cases)
    false = interrupted = True
    with heard(), suppress(KeyboardInterrupt):
        hunt.run(claim.all_cases("full"))
        hunt.deadline, hunt.most = began + seconds, None
        if hunt.facts:
            work.far = _push(hunt, PUSHING * seconds)
        false = _refuted(hunt)
        if false:
            work.run()
        interrupted = False
    took = time.perf_counter() - began
    found = tuple(sorted(work.survived, key=lambda r: r.change.size))
    cases = tuple(f.case for f in hunt.facts)
    why = "interrupted" if interrupted else "out of time" if took > seconds else ""
    untried = "" if work.tried or not false else why
    return Mended(claim, found, work.refuted, work.untested, len(hunt.facts), took, cases, false, interrupted, untried)


def _refuted(hunt: Hunt) -> bool:
    """Whether any fact breaks the bound as it stands."""
    if not hunt.facts:
        return False
    sample = sampled(hunt.terms, hunt.facts)
    return bool(sample.broken(sample.limit).any())


class _Work:
    """The state of one repair: what survived so far, and what is left to try."""

    def __init__(self, hunt: Hunt, end: float, share: float, seed: int, most: int | None) -> None:
        self.hunt, self.end, self.share, self.seed, self.most = hunt, end, share, seed, most
        self.survived: list[Repair] = []
        self.refuted = self.untested = 0
        self.far = range(0)  # facts of long runs, from which no search begins
        self._tried: set[object] = set()

    @property
    def tried(self) -> bool:
        """Whether the search of any change came to its end."""
        return bool(self._tried)

    def run(self) -> None:
        """Try the smallest change that agrees with the facts, then the next, until there are enough or the time is up."""
        last = self.end - LEAST  # after it a search would see too few cases
        while self.hunt.facts and len(self.survived) < MOST and time.perf_counter() < last:
            sample = sampled(self.hunt.terms, self.hunt.facts)
            left = [c for c in changes(sample, conditions(sample)) if self._new(c)]
            if not left:
                return
            try:
                for change in left:
                    if len(self.survived) >= MOST or time.perf_counter() >= last:
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
        seconds = min(self.share, max(0.1, self.end - time.perf_counter()))
        try:
            found = falsify(
                claim, seconds=seconds, seed=self.seed, start=_starts(change, sample, self.far), max_cases=self.most
            )
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
            self.survived.append(Repair(change, claim, found.tested, facts, found.seconds, near))
        return False


def _starts(change: Change, sample: Sample, far: range) -> tuple[Case, ...]:
    """The cases that come nearest to the changed bound, but for those of long runs."""
    limit = sample.values(change.expr)
    gone = sample.limit if limit is None else limit
    order = np.argsort(-sample.reached(gone, change.side), kind="stable")
    return tuple(sample.facts[i].case for i in order if i not in far)[:STARTS]


def _push(hunt: Hunt, seconds: float) -> range:
    """Facts of runs that are far longer: they tell powers of a count apart, which short ones don't. Where they stand."""
    before = len(hunt.facts)
    last = time.perf_counter() + seconds
    start = [*(fact.case for fact in hunt.ranked(Aim())[:PUSHED]), *hunt.terms.claim.cases[:PUSHED]]
    made = {c.arguments(): c for case in start for c in _longer(case)}
    for case in sorted(made.values(), key=length)[:FAR]:
        if (now := time.perf_counter()) < last:
            hunt.look(case, min(last, now + LEAST))
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
