"""Verdicts: five words, the numbers behind them, and the line that replays a violation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, Literal

from flint import arb, ctx

from fltheory.evidence import Interval
from fltheory.instance import Case
from fltheory.number import MAX_PRECISION, to_ball, to_float

Status = Literal["holds", "violated", "inconclusive", "vacuous", "inapplicable"]
STATUSES: tuple[Status, ...] = ("violated", "inconclusive", "inapplicable", "vacuous", "holds")


@dataclass(frozen=True)
class Verdict:
    """What ``verify`` found. ``ratio``: measured/limit (upper bounds), limit/measured (lower), at most 1 if it holds.

    Of a confidence interval it is taken at the end that decides; ``middle`` is taken halfway, for a search to climb.
    """

    id: str
    status: Status
    expected: Status
    case: Case
    measured: float | None = None
    limit: float | None = None
    ratio: float | None = None
    middle: float | None = None
    evidence: str | None = None
    error_rate: float = 0.0
    n_seeds: int = 0
    seconds: float = 0.0
    reason: str = ""
    cases: int = 1
    subject: str = ""  # what names the claim in Python: its id, or "claim" where it isn't the catalogue's own
    broken: bool = False  # the algorithm itself failed: no verdict on the claim
    side: str = "upper"  # of the bound that decided
    line: str = ""  # what replays a violation, where ``subject`` does not stand for itself

    def __bool__(self) -> bool:
        raise TypeError("a verdict has five states: compare verdict.status with 'holds', 'violated', ...")

    @property
    def witness(self) -> str | None:
        """For a violation: a line of Python that replays it."""
        return (self.line or replay(self.subject, self.case)) if self.status == "violated" else None

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the recorded one."""
        return self.status == self.expected

    def __str__(self) -> str:
        parts: list[str] = [self.status]
        if self.ratio is not None:
            evidence = self.evidence or ""
            if self.error_rate:
                evidence += f", error rate {self.error_rate:.1g}, {self.n_seeds} seeds"
            over = f", worst of {self.cases} cases" if self.cases > 1 else ""
            parts.append(f"(ratio {ratio_text(self.ratio)}, {evidence}{over})")
        if self.measured is not None and self.limit is not None:
            broken = {"upper": ">", "lower": "<", "equal": "!="}[self.side]
            sign = broken if self.status == "violated" else "against"
            parts.append(f"measured {self.measured:.6g} {sign} limit {self.limit:.6g}")
        if self.reason:
            parts.append(self.reason)
        line = f"{self.id}: " + ", ".join(parts).replace(", (", " (")
        if self.witness is None:
            return line
        whose = " (claim: the one you checked)" if self.subject == "claim" and not self.line else ""
        return f"{line}\n  witness{whose}: {self.witness}"


def ratio_text(ratio: float) -> str:
    """A ratio to three digits, or to as many as keep it on its side of 1."""
    for digits in range(3, 17):
        shown = f"{ratio:.{digits}g}"
        if (float(shown) > 1) == (ratio > 1) and (float(shown) < 1) == (ratio < 1):
            return shown
    return repr(ratio)


def replay(subject: str, case: Case) -> str:
    """A line of Python that checks the claim on the case again; self-contained for a claim of the catalogue."""
    return f"from fltheory import verify; {families(case.instance)}; print(verify({subject}, {case.arguments()}))"


def families(instance: Any) -> str:
    """The imports that an instance's ``repr`` needs: its family and those of the data inside it."""
    found: dict[str, set[str]] = {}

    def walk(value: Any) -> None:
        if isinstance(value, tuple):
            for item in value:
                walk(item)
        elif is_dataclass(value):
            found.setdefault(type(value).__module__, set()).add(type(value).__name__)
            for f in fields(value):
                if f.init:
                    walk(getattr(value, f.name))

    walk(instance)
    found.setdefault(type(instance).__module__, set()).add(type(instance).__name__)
    return "; ".join(f"from {module} import {', '.join(sorted(names))}" for module, names in found.items())


def decisive(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that decides: the gravest status, and among those the largest ratio."""
    found = list(verdicts)
    return max(found, key=lambda v: (-STATUSES.index(v.status), v.ratio if v.ratio is not None else -math.inf))


def compare(measured: Any, limit: Any, side: str) -> Status | None:
    """holds, violated, or None where the balls can't tell."""
    if isinstance(measured, int | Fraction) and isinstance(limit, int | Fraction):
        good = {"upper": measured <= limit, "lower": measured >= limit, "equal": measured == limit}[side]
        return "holds" if good else "violated"
    with ctx.workprec(MAX_PRECISION):  # the balls may be far finer than the ambient precision
        low, high = (arb(v) for v in measured) if isinstance(measured, Interval) else (to_ball(measured),) * 2
        above, below = to_ball(limit) - low, to_ball(limit) - high  # of the two ends, how far the limit is above them
    if side == "equal":
        return "violated" if below > 0 or above < 0 else None
    if side == "lower":
        above, below = -below, -above
    if below >= 0:
        return "holds"
    return "violated" if above < 0 else None


def compared_end(value: Any, status: Status, lower: bool) -> Any:
    """The value itself, or of an interval or a coarse ball the end that was compared."""
    if isinstance(value, Interval):
        down = lower != (status == "violated") or math.isinf(value.high)
        return arb(value.low if down else value.high)
    if isinstance(value, arb) and value.rel_accuracy_bits() <= 40:
        return value.lower() if lower != (status == "violated") else value.upper()
    return value


def middle_of(value: Any, end: Any) -> Any:
    """Halfway through an interval, or what is known of it: ``end``."""
    if not isinstance(value, Interval) or math.isinf(value.high):
        return end
    return arb(value.low + (value.high - value.low) / 2)


def ratio_of(end: Any, limit: Any, lower: bool) -> float | None:
    top, bottom = (to_ball(limit), to_ball(end)) if lower else (to_ball(end), to_ball(limit))
    if bottom.is_zero():
        return None
    ratio = to_float(top / bottom)
    return ratio if math.isfinite(ratio) else None
