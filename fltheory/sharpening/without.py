"""A claim without one of its conditions: is it refuted then, or is the condition not seen to be needed?"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.search.falsifier import falsify
from fltheory.search.looks import CheckFailed

CASES = 12  # that came nearest, from which each search begins


@dataclass(frozen=True)
class Dropped:
    """What a search for a counterexample says once a condition is taken out: ``witness`` is one, a line of Python."""

    condition: str
    witness: str | None
    cases: int
    seconds: float
    reason: str = ""

    def __str__(self) -> str:
        if self.witness is not None:
            return f"without the condition {self.condition}: refuted, it is needed; by {self.witness}"
        if not self.cases:
            return (
                f"without the condition {self.condition}: nothing was tested{': ' + self.reason if self.reason else ''}"
            )
        seen = f"{self.cases} cases in {self.seconds:.1f} s"
        return f"without the condition {self.condition}: no counterexample in {seen}, it may not be needed"

    def row(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "condition": self.condition,
            "needed": True if self.witness is not None else None,
            "witness": self.witness,
            "cases": self.cases,
            "seconds": round(self.seconds, 3),
        }


def without_each(claim: Claim, start: Sequence[Case], seconds: float, seed: int) -> tuple[Dropped, ...]:
    """Each condition in the constants taken out, and the rest searched for its share of the seconds."""
    conditions = list(dict.fromkeys(c for bound in claim.bounds for c in bound.conditions))
    if claim.family is None or not conditions:
        return ()
    share = seconds / len(conditions)
    return tuple(_without(claim, condition, start, share, seed) for condition in conditions)


def _without(claim: Claim, condition: Any, start: Sequence[Case], seconds: float, seed: int) -> Dropped:
    kept = tuple(replace(b, conditions=tuple(c for c in b.conditions if c != condition)) for b in claim.bounds)
    weaker = replace(claim, bounds=kept, expected="holds")
    began = time.perf_counter()
    try:
        found = falsify(weaker, seconds=seconds, seed=seed, start=tuple(start[:CASES]))
    except CheckFailed as error:
        return Dropped(str(condition), None, 0, time.perf_counter() - began, str(error))
    witness = None if found.verdict is None else found.verdict.witness
    return Dropped(str(condition), witness, found.tested, found.seconds, found.reason)
