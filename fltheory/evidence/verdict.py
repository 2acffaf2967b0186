"""Verdicts: one of five statuses with numbers, evidence and a line that reproduces a violation."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

from flint import arb, ctx

from fltheory.evidence.measured import Interval, Measured
from fltheory.model import html_cards
from fltheory.model.bound import PLAIN_SIGNS
from fltheory.model.case import Case, Instance
from fltheory.model.dataclass_fields import field_values
from fltheory.number import MAX_PRECISION, Number, lower_float, to_ball, to_float, upper_float

Status = Literal["holds", "violated", "inconclusive", "vacuous", "inapplicable"]
STRADDLES = "the interval of the measured value contains the bound"  # inconclusive without another reason
STATUSES: tuple[Status, ...] = ("violated", "inconclusive", "inapplicable", "vacuous", "holds")
OVERFLOW_TEXT = "beyond all floats"  # shown for finite numbers instead of inf
COARSE_BITS = 20  # a ball with fewer accurate bits is shown as an interval


@dataclass(frozen=True)
class Verdict:
    """The result of ``verify`` for a claim on a case.

    A verdict has five states, so it has no truth value: compare ``verdict.status``. Where only an interval
    [``low``, ``high``] is known, the interval decides; ``measured`` is then its midpoint, or the mean of sampled runs.

    Parameters
    ----------
    id : str
        The claim's id.
    status : {"holds", "vacuous", "violated", "inconclusive", "inapplicable"}
        The answer.
    recorded : str or None
        The recorded answer; None for a variant.
    case : Case
        The case; of several cases the one that decides.
    measured, limit, ratio : float or None
        The measured quantity, the bound, and their ratio: measured/limit of an upper bound, limit/measured of a lower one.
        The ratio is at most 1 if the bound holds.
    low, high : float or None
        The interval that contains the measured quantity.
    known : str
        "at least" or "at most" if only one end of the interval is known.
    evidence : {"exact", "numerical", "sampled", "statistical"} or None
        What the verdict rests on.
    error_rate, n_seeds, seconds
        The probability that a statistical verdict is wrong, the number of sampled runs, and the time taken.
    reason : str
        Why there is no decision, or a note on it.
    cases : int
        The number of cases behind the verdict.
    subject : str
        The claim as Python names it.
    broken : bool
        Whether the algorithm itself failed, so that nothing is known of the claim.
    side : {"upper", "lower", "equal"}
        The side of the bound that decided.
    line, variant
        The line that reproduces a violation, and the name of the variant.
    scope, worst
        The class of functions for which the bound is proved at these constants, and the worst case over it.
    trivial : float or None
        The trivial bound that a vacuous bound exceeds.

    Raises
    ------
    TypeError
        If a verdict is used as a truth value.

    Examples
    --------
    >>> from fltheory import verify
    >>> verify("sfl/T3-SC@corrected").status
    'holds'
    """

    id: str
    status: Status
    recorded: Status | None
    case: Case
    measured: float | None = None
    limit: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    known: str = ""
    evidence: str | None = None
    error_rate: float = 0.0
    n_seeds: int = 0
    seconds: float = 0.0
    reason: str = ""
    cases: int = 1
    subject: str = ""  # the claim in Python: its id, or "claim" if it is not in the catalogue
    broken: bool = False  # the algorithm itself failed: no verdict on the claim
    side: str = "upper"  # of the bound that decided
    line: str = ""  # reproduces a violation if ``subject`` alone cannot
    variant: str | None = None  # the name of the replacement of the claim's own algorithm
    scope: str = ""  # the class of functions for which the bound is proved at these constants, in every dimension
    worst: float | None = None  # an upper bound on the measured quantity over that class
    trivial: float | None = None  # the trivial bound that a vacuous upper bound exceeds

    def __bool__(self) -> bool:
        raise TypeError("a verdict has five states: compare verdict.status with 'holds', 'violated', ...")

    @property
    def counterexample(self) -> str | None:
        """A line of Python that reproduces a violation."""
        return (self.line or reproducer_line(self.subject, self.case)) if self.status == "violated" else None

    @property
    def matches_recorded(self) -> bool:
        """Whether the verdict equals the recorded one; a variant has none and matches unless it is violated."""
        return self.status != "violated" if self.recorded is None else self.status == self.recorded

    def __str__(self) -> str:
        parts: list[str] = [self.status]
        if self.evidence is not None:
            parts.append(f"({self._ratio()})")
        if self.measured is not None and self.limit is not None:
            broken = {"upper": ">", "lower": "<", "equal": "!="}[self.side]
            sign = broken if self.status == "violated" else "against"
            parts.append(f"measured {self.shown()} {sign} limit {_format_value(self.limit)}")
        if self.reason:
            parts.append(self.reason)
        line = f"{verdict_title(self.id, self.variant)}: " + ", ".join(parts).replace(", (", " (")
        if self.counterexample is None:
            return line
        whose = " (claim: the one you checked)" if self.subject == "claim" and not self.line else ""
        return f"{line}\n  counterexample{whose}: {self.counterexample}"

    def _repr_html_(self) -> str:
        return html_cards.card(verdict_title(self.id, self.variant), card_rows(self))

    def _ratio(self) -> str:
        evidence = self.evidence or ""
        if self.error_rate:
            evidence += f", error rate {self.error_rate:.1g}, {self.n_seeds} seeds"
        over = f", worst of {self.cases} cases" if self.cases > 1 else ""
        of_all = (
            "" if self.worst is None else f"; at most {self.worst:.3g} for all {self.scope} in every dimension, exact"
        )
        known = ratio_qualifier(self.known, self.side) if self.ratio is not None else ""
        ratio = self._without_ratio() if self.ratio is None else ratio_text(self.ratio)
        return f"ratio {known}{ratio}, {evidence}{over}{of_all}"

    def _without_ratio(self) -> str:
        """Describe why no float is the ratio."""
        if self.side == "equal" or self.limit == 0 or self.measured == 0:
            return "none, to a bound of 0" if self.limit == 0 else "none, of a value of 0"
        return OVERFLOW_TEXT

    def shown(self) -> str:
        """Format the measured quantity as a number, a bound on it, or a mean in its interval."""
        number = _format_value(self.measured)
        if self.known:
            return f"{self.known} {number}"
        ends = [_format_end(end) for end in (self.low, self.high)]
        return number if self.low is None or ends == [number, number] else f"{number} in [{ends[0]}, {ends[1]}]"


def _format_end(end: float | None) -> str:
    """Format an end of an interval."""
    return f"{end:.6g}" if end is not None and math.isfinite(end) else "-∞" if end == -math.inf else "∞"


def _format_value(value: float | None) -> str:
    """Format a number to six digits, or in words if no float represents it."""
    return OVERFLOW_TEXT if value is not None and math.isinf(value) else f"{value:.6g}"


EVIDENCE_TEXTS = {
    "exact": "exact: a proof for this instance",
    "numerical": "numerical: floats with an error bound, or a tie within 2^-64",
    "sampled": "sampled: every simulated path, no proof",
    "statistical": "statistical: a confidence interval of sampled runs, no proof",
}


def card_rows(verdict: Verdict) -> list[tuple[str, str]]:
    """Return the notebook card of a verdict: status, numbers, evidence and the line that reproduces a violation."""
    words, status = html_cards.escape_text, verdict.status
    sampled = f"; error rate {verdict.error_rate:.1g}, {verdict.n_seeds} seeds" if verdict.error_rate else ""
    evidence = EVIDENCE_TEXTS.get(verdict.evidence, verdict.evidence) + sampled if verdict.evidence else "none"
    how = ", by statistics" if verdict.evidence == "statistical" else ""
    surprise = "" if verdict.matches_recorded or verdict.recorded is None else f", recorded as {verdict.recorded}"
    ratio = "limit / measured" if verdict.side == "lower" else "measured / limit"
    sign = PLAIN_SIGNS[verdict.side]
    worst = f"the worst of {verdict.cases}: " if verdict.cases > 1 else ""
    return [
        ("verdict", (words if status == "holds" else html_cards.strong)(status) + words(how + surprise)),
        ("reason", words(verdict.reason)),
        ("measured", "" if verdict.measured is None else words(verdict.shown())),
        ("limit", "" if verdict.limit is None else words(f"{sign} {verdict.limit:.6g}")),
        (
            ratio,
            ""
            if verdict.ratio is None
            else words(ratio_qualifier(verdict.known, verdict.side) + ratio_text(verdict.ratio)),
        ),
        ("evidence", words(evidence)),
        ("scope", words(_scope(verdict))),
        ("case", words(worst) + html_cards.code(repr(verdict.case))),
        ("counterexample", html_cards.code(verdict.counterexample or "") if verdict.counterexample else ""),
    ]


def _scope(verdict: Verdict) -> str:
    if verdict.worst is None:
        return ""
    return (
        f"class: at most {verdict.worst:.6g} for all {verdict.scope} in every dimension, proved by rational multipliers"
    )


def ratio_qualifier(known: str, side: str) -> str:
    """Convert a bound on the measured quantity to one on the ratio."""
    if side == "lower":
        known = {"at least": "at most", "at most": "at least"}.get(known, "")
    return f"{known} " if known else ""


def ratio_text(ratio: float) -> str:
    """Format a ratio to three digits, or to as many as keep it on its side of 1."""
    for digits in range(3, 17):
        shown = f"{ratio:.{digits}g}"
        if (float(shown) > 1) == (ratio > 1) and (float(shown) < 1) == (ratio < 1):
            return shown
    return repr(ratio)


def reproducer_line(subject: str, case: Case) -> str:
    """Return a line of Python that checks the claim on the case again; self-contained for a claim of the catalogue."""
    return f"from fltheory import verify; {import_lines(case.instance)}; print(verify({subject}, {case.arguments()}))"


def import_lines(instance: Instance) -> str:
    """Return the imports that an instance's ``repr`` needs: its class and those of the data inside it."""
    found: dict[str, set[str]] = {}

    def walk(value: object) -> None:
        if isinstance(value, tuple):
            for item in value:
                walk(item)
        elif is_dataclass(value):
            found.setdefault(type(value).__module__, set()).add(type(value).__name__)
            for part in field_values(value).values():
                walk(part)

    kind, maker = type(instance), repr(instance).partition("(")[0]
    if maker != kind.__name__ and maker in vars(sys.modules[kind.__module__]):  # its repr calls a factory
        return f"from {kind.__module__} import {maker}"
    walk(instance)
    found.setdefault(kind.__module__, set()).add(kind.__name__)
    return "; ".join(f"from {module} import {', '.join(sorted(names))}" for module, names in found.items())


def decisive_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict that decides: the worst status, and among those the largest ratio."""
    found = list(verdicts)
    return max(found, key=lambda v: (-STATUSES.index(v.status), _verdict_ratio(v)))


def _verdict_ratio(verdict: Verdict) -> float:
    """Return the ratio of a verdict, inf if the measured quantity exceeds all floats, or -inf if there is none."""
    if verdict.ratio is not None:
        return verdict.ratio
    beyond = verdict.side == "upper" and verdict.measured is not None and math.isinf(verdict.measured)
    return math.inf if beyond else -math.inf


def compare(measured: Number, limit: Number, side: str) -> Status | None:
    """Compare balls: holds, violated, or None if undecided."""
    if isinstance(measured, int | Fraction) and isinstance(limit, int | Fraction):
        good = {"upper": measured <= limit, "lower": measured >= limit, "equal": measured == limit}[side]
        return "holds" if good else "violated"
    with ctx.workprec(MAX_PRECISION):  # the balls may be far finer than the ambient precision
        low, high = (arb(v) for v in measured) if isinstance(measured, Interval) else (to_ball(measured),) * 2
        above, below = to_ball(limit) - low, to_ball(limit) - high  # differences of the limit to both ends
    if side == "equal":
        return "violated" if below > 0 or above < 0 else None
    if side == "lower":
        above, below = -below, -above
    if below >= 0:
        return "holds"
    return "violated" if above < 0 else None


class Comparison(NamedTuple):
    """A status (None: undecided), the measured quantity, and the limit that it was compared with."""

    status: Status | None
    measured: Measured
    limit: Number


class DisplayValue(NamedTuple):
    """The display of a measured quantity: a number, its interval if wider, and whether it is only a bound."""

    value: Number
    low: float | None = None
    high: float | None = None
    known: str = ""


def display_value(measured: Measured, status: Status, lower: bool) -> DisplayValue:
    """Return the number to display: an estimate within the interval, not the end that decided.

    If only one end is known, it is that end, marked as a bound.
    """
    value, known = measured.value, "at least" if measured.at_least else "at most" if measured.at_most else ""
    if isinstance(value, Interval):
        low, high = value
        if measured.estimate is not None:
            return DisplayValue(arb(min(max(measured.estimate, low), high)), low, high)
        if math.isinf(high):
            return DisplayValue(arb(low), low, high, "at least")
        return DisplayValue(arb(low + (high - low) / 2), low, high)
    if known:
        end = to_ball(value)
        return (
            DisplayValue(value, lower_float(end), math.inf, known)
            if measured.at_least
            else DisplayValue(value, -math.inf, upper_float(end), known)
        )
    if not isinstance(value, arb) or value.rel_accuracy_bits() > COARSE_BITS or value.is_exact():
        return DisplayValue(value)
    below, above = lower_float(value), upper_float(value)
    if lower != (status == "violated"):
        return DisplayValue(value.lower(), below, above, "at least")
    return DisplayValue(value.upper(), below, above, "at most")


def ratio_of(end: Number, limit: Number, lower: bool) -> float | None:
    top, bottom = (to_ball(limit), to_ball(end)) if lower else (to_ball(end), to_ball(limit))
    if bottom.is_zero():
        return None
    ratio = to_float(top / bottom)
    return ratio if math.isfinite(ratio) else None


def short_name(variant: str) -> str:
    """Return FILE.py:NAME without the folders of the file, for titles and tables."""
    return re.split(r"[/\\]", variant)[-1]


def variant_text(variant: str) -> str:
    """Describe a variant; a step that was put into an algorithm by ``_replace`` has no name of its own."""
    return "variant" if variant == "variant" else f"variant {variant}"


def verdict_title(claim_id: str, variant: str | None) -> str:
    """Describe the subject of a verdict: the claim, and the replacement of its algorithm."""
    return claim_id if variant is None else f"{claim_id}, {variant_text(variant)}"
