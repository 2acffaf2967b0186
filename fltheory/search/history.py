"""What a search has seen: counts, the best cases, the first that seems to violate the claim; stretches are joined."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.search.neighbours import leaves

VACUOUS_DISCOUNT = 1e-3
MAX_BEST, MAX_SAME_SHAPE = 8, 2  # cases to climb from, and those with equally many numbers
AHEAD_FACTOR = 1.5  # times the promise of those from which longer runs were begun
MAX_BROKEN = 10  # cases on which the check breaks, where none is tested, until the search ends


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


class LengthenedCase(NamedTuple):
    """A case of which longer runs were looked at: its shape, its steps and its promise."""

    shape: tuple[int, ...]
    steps: float
    promise: float


@dataclass
class SearchState:
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
    lengthened: set[LengthenedCase] = field(default_factory=set)  # of which longer runs were looked at
    dear: set[str] = field(default_factory=set)  # cases that were looked at no more than at a glance
    nearest: Verdict | None = None  # of those that are decided
    counterexample: Verdict | None = None
    glanced: bool = False  # the counterexample was looked at no more than at a glance
    by: str = ""  # which member of the portfolio saw it
    spent: float = 0.0  # of the error rate
    reason: str = ""
    broken: int = 0  # cases on which the check itself breaks
    broke: str = ""  # how, on the first of them
    interrupted: bool = False  # by Ctrl-C
    error: ValueError | None = None  # kept out of Hypothesis, which would write about it

    def join(self, other: SearchState) -> None:
        """What another stretch has seen, after this one."""
        self.examined += other.examined
        self.applicable += other.applicable
        self.tested += other.tested
        self.scouted += other.scouted
        self.cut += other.cut
        self.broken += other.broken
        self.broke = self.broke or other.broke
        self.lengthened |= other.lengthened
        self.dear |= other.dear
        self.late += other.late
        self.work += other.work
        self.undecided += other.undecided
        self.open = other.open if self.open is None else self.open
        if self.counterexample is None:
            self.counterexample, self.glanced = other.counterexample, other.glanced
        self.interrupted = self.interrupted or other.interrupted
        self.spent += other.spent
        self.reason = self.reason or other.reason
        self.error = other.error if self.error is None else self.error
        for verdict in other.best:
            self.keep(verdict)
        if other.nearest is not None:
            self.keep_nearer(other.nearest)

    def count(self, verdict: Verdict) -> None:
        """The verdict on a case within the hypotheses."""
        self.applicable += 1
        if verdict.evidence is None:
            self.reason = verdict.reason
        else:
            self.tested += 1
            if verdict.status == "inconclusive":
                self.undecided[verdict.reason or STRADDLES] += 1
                self.open = verdict if self.open is None else self.open
        if verdict.status == "violated" and self.counterexample is None:
            self.counterexample = verdict
        if verdict.ratio is not None:
            self.keep(verdict)
            self.keep_nearer(verdict)

    def count_glanced(self, verdict: Verdict) -> None:
        """A verdict that was too dear to look at once more: one climbs from it, or a full check confirms it, or it falls."""
        self.dear.add(verdict.case.arguments())
        if verdict.ratio is not None:
            self.keep(verdict)
        if verdict.status == "violated" and self.counterexample is None:
            self.counterexample, self.glanced = verdict, True

    def without(self, verdict: Verdict) -> SearchState:
        """Takes a verdict that was left open out of the counts; returns what they were."""
        before = replace(self)
        self.examined, self.applicable, self.tested = self.examined - 1, self.applicable - 1, self.tested - 1
        self.undecided = self.undecided - Counter([verdict.reason or STRADDLES])
        return before

    def restore_counts(self, before: SearchState) -> None:
        """The counts of what was seen, as they were before, but of what was examined."""
        self.applicable, self.tested, self.undecided = before.applicable, before.tested, before.undecided

    def breaks(self, error: CheckFailed) -> None:
        """A case on which the check itself breaks: it is named, and the search goes on; not where it breaks on all of the first."""
        self.broken += 1
        self.broke = self.broke or str(error)
        if self.broken >= MAX_BROKEN and not self.tested:
            raise error

    def keep(self, verdict: Verdict) -> None:
        """Among the best, each case once, and few of one shape: where an equality holds, all that is near it is as good."""
        others = [v for v in self.best if v.case != verdict.case]
        ranked = sorted([*others, verdict], key=lambda v: -search_score(v))
        shapes = Counter[int]()
        self.best = []
        for one in ranked:
            shape = len(leaves(one.case))
            shapes[shape] += 1
            if shapes[shape] <= MAX_SAME_SHAPE and len(self.best) < MAX_BEST:
                self.best.append(one)

    def keep_nearer(self, verdict: Verdict) -> None:
        """A decided verdict, kept if it is the nearest."""
        decided = verdict.status not in ("inconclusive", "violated")
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict

    def ahead(self, one: LengthenedCase) -> bool:
        """Whether a case promises more than all of its shape that were made longer from as few steps or fewer."""
        return all(
            one.promise > AHEAD_FACTOR * other.promise
            for other in self.lengthened
            if other.shape == one.shape and other.steps <= one.steps
        )

    def would_report(self, verdict: Verdict) -> bool:
        """Whether a verdict would be told: it violates the claim, or is nearer than all so far."""
        nearer = self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)
        return verdict.status == "violated" or (verdict.ratio is not None and nearer)


def search_score(verdict: Verdict) -> float:
    """The ratio, far less where the bound says nothing and the run did not get worse than it began: it hardly will."""
    grown = verdict.trivial is not None and verdict.measured is not None and verdict.measured > verdict.trivial
    return (verdict.ratio or 0.0) * (VACUOUS_DISCOUNT if verdict.status == "vacuous" and not grown else 1.0)
