"""The record of a search: counts, the best cases, and the first apparent violation; records of segments are merged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.runs.method import VariantError
from fltheory.search.neighbours import leaves

VACUOUS_DISCOUNT = 1e-3
MAX_BEST, MAX_SAME_SHAPE = 8, 2  # best cases kept, and those of one shape
AHEAD_FACTOR = 1.5  # ratio to the score of cases already lengthened
MAX_BROKEN = 10  # broken checks, with no case tested, that end the search


class CheckFailed(ValueError):
    """A check that broke on a case: no verdict on the claim."""


class LengthenedCase(NamedTuple):
    """A case that was lengthened: its shape, its steps and its score."""

    shape: tuple[int, ...]
    steps: float
    promise: float


@dataclass
class SearchState:
    """The results of a segment: counts, the best cases, the first apparent violation, and broken checks."""

    examined: int = 0
    applicable: int = 0
    tested: int = 0
    scouted: int = 0  # cases far from the bound in one run in floats, not evaluated further
    cut: int = 0  # evaluations without work left
    late: int = 0  # evaluations ended by the clock
    work: float = 0.0  # units
    undecided: Counter[str] = field(default_factory=Counter)  # reasons
    open: Verdict | None = None
    best: list[Verdict] = field(default_factory=list)  # starts of local searches
    lengthened: set[LengthenedCase] = field(default_factory=set)  # lengthened cases
    dear: set[str] = field(default_factory=set)  # cases with a quick evaluation only
    nearest: Verdict | None = None  # nearest decided case
    counterexample: Verdict | None = None
    glanced: bool = False  # the counterexample had only a quick evaluation
    by: str = ""  # member of the portfolio that found it
    spent: float = 0.0  # share of the error rate
    reason: str = ""
    broken: int = 0  # cases on which the check breaks
    broke: str = ""  # message of the first of them
    interrupted: bool = False  # Ctrl-C
    error: ValueError | None = None  # hidden from Hypothesis, which would print it

    def join(self, other: SearchState) -> None:
        """Merge the results of another, later segment."""
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
        """Count the verdict on a case within the hypotheses."""
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
        """Count a verdict too expensive to repeat: it may start a local search, and a full check must confirm it."""
        self.dear.add(verdict.case.arguments())
        if verdict.ratio is not None:
            self.keep(verdict)
        if verdict.status == "violated" and self.counterexample is None:
            self.counterexample, self.glanced = verdict, True

    def without(self, verdict: Verdict) -> SearchState:
        """Remove an undecided verdict from the counts; return the previous counts."""
        before = replace(self)
        self.examined, self.applicable, self.tested = self.examined - 1, self.applicable - 1, self.tested - 1
        self.undecided = self.undecided - Counter([verdict.reason or STRADDLES])
        return before

    def restore_counts(self, before: SearchState) -> None:
        """Restore the counts except that of examined cases."""
        self.applicable, self.tested, self.undecided = before.applicable, before.tested, before.undecided

    def breaks(self, error: CheckFailed | VariantError) -> None:
        """Record a case on which the check or the step breaks; the search goes on unless it does on all of the first cases."""
        self.broken += 1
        self.broke = self.broke or str(error)
        if self.broken >= MAX_BROKEN and not self.tested:
            raise error

    def keep(self, verdict: Verdict) -> None:
        """Keep a case among the best, each once, and few of one shape: near an equality all are equally good."""
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
        """Keep a decided verdict if it is the nearest."""
        decided = verdict.status not in ("inconclusive", "violated")
        if decided and (self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)):
            self.nearest = verdict

    def ahead(self, one: LengthenedCase) -> bool:
        """Return whether a case scores higher than all of its shape lengthened from at most as many steps."""
        return all(
            one.promise > AHEAD_FACTOR * other.promise
            for other in self.lengthened
            if other.shape == one.shape and other.steps <= one.steps
        )

    def would_report(self, verdict: Verdict) -> bool:
        """Return whether to report a verdict: it violates the claim, or is the nearest so far."""
        nearer = self.nearest is None or (verdict.ratio or 0.0) > (self.nearest.ratio or 0.0)
        return verdict.status == "violated" or (verdict.ratio is not None and nearer)


def search_score(verdict: Verdict) -> float:
    """Return the ratio, reduced if the bound is vacuous and the run did not end worse than its start."""
    grown = verdict.trivial is not None and verdict.measured is not None and verdict.measured > verdict.trivial
    return (verdict.ratio or 0.0) * (VACUOUS_DISCOUNT if verdict.status == "vacuous" and not grown else 1.0)
