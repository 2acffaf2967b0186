"""Reports on checked theorems: an outcome for each step, the verdict, and faults of form."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fltheory.model import html_cards
from fltheory.proof import certificates, notation
from fltheory.proof import language as lang
from fltheory.proof.algebra.residual import residual, step_context
from fltheory.proof.language import ALL_PARAMETERS, Outcome, Step, Theorem

OUTCOME_ORDER: tuple[Outcome, ...] = ("REFUTED", "UNKNOWN", "ASSUMED", "PROVED")
CERTIFICATE_RULES = (lang.Polynomial, lang.Ball)


@dataclass(frozen=True)
class StepReport:
    """The result of a step: the outcome, its scope, and the reason if it is not PROVED."""

    step: Step
    outcome: Outcome
    scope: str = ALL_PARAMETERS
    reason: str = ""


@dataclass(frozen=True)
class Report:
    """The result for a theorem: its verdict and scope, those of its steps, and faults of its form."""

    theorem: Theorem
    verdict: Outcome
    scope: str
    steps: tuple[StepReport, ...]
    faults: tuple[str, ...]
    seconds: float
    read: str = ""  # terms of a proved theorem that are not provably in their natural domain
    kernel_theorem: Any = field(default=None, repr=False, compare=False)  # the checked text, in the kernel's form

    def __repr__(self) -> str:
        return f"<Report on {self.theorem.id}: {self.verdict}, {self._of_steps()}>"

    def __str__(self) -> str:
        """Return the verdict in words, then each fault and each step that is not proved, with its reason."""
        lines = [f"{self.theorem.id}: {self.verdict} for {self.scope}; {self._of_steps()}"]
        lines += [f"  {fault}" for fault in self.faults]
        lines += [f"  step {s.step.id}: {s.outcome}, {s.reason}" for s in self.steps if s.outcome != s.step.recorded]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        words = html_cards.escape_text
        said = [(name, cell) for name, cell in lang.card_rows(self.theorem) if name not in ("steps", "verdict")]
        verdict = (words if self.verdict == "PROVED" else html_cards.strong)(self.verdict)
        recorded = "" if self.as_recorded else html_cards.strong("; differs from the record")
        found = [
            ("steps", words(self._of_steps())),
            ("verdict", f"{verdict}, {words(self.scope)}: checked in {self.seconds:.1f} s{recorded}"),
            ("faults", html_cards.lines(map(words, self.faults))),
        ]
        return html_cards.card(f"theorem {self.theorem.id}", [*said, *found])

    def _of_steps(self) -> str:
        kinds = ", ".join(f"{n} {kind}" for kind in reversed(OUTCOME_ORDER) if (n := self.count(kind)))
        return f"{len(self.steps)} steps" + (f": {kinds}" if kinds else "")

    def count(self, outcome: Outcome) -> int:
        """Return how many steps have this outcome."""
        return sum(s.outcome == outcome for s in self.steps)

    @property
    def as_recorded(self) -> bool:
        """Whether the theorem and each of its steps have their recorded outcomes, without a fault of form."""
        steps = all(s.outcome == s.step.recorded for s in self.steps)
        return not self.faults and steps and self.verdict == self.theorem.recorded


def scope_of(theorem: Theorem, steps: Mapping[str, StepReport]) -> str:
    """Return the scope of a theorem, from the scopes of the steps that it needs."""
    scopes = dict.fromkeys(steps[i].scope for i in supporting_steps(theorem) if steps[i].scope != ALL_PARAMETERS)
    return "; ".join(scopes) or ALL_PARAMETERS


def stale_certificates(theorem: Theorem, found: Mapping[str, Any]) -> list[str]:
    """Return the certificates that no step needs, as a fault."""
    names = sorted(set(found) - {s.id for s in theorem.steps if needs_certificate(s)})
    return [f"certificates that no step needs: {', '.join(names)}"] if names else []


def _verdict(theorem: Theorem, done: Mapping[str, StepReport]) -> Outcome:
    return min([done[i].outcome for i in supporting_steps(theorem)] or ["UNKNOWN"], key=OUTCOME_ORDER.index)


def report_of(
    theorem: Theorem, steps: Iterable[StepReport], faults: Sequence[str], began: float, read: str = ""
) -> Report:
    """Return the report: a theorem is as strong as its weakest step, and UNKNOWN if it has a fault."""
    done = {s.step.id: s for s in steps}
    verdict: Outcome = "UNKNOWN" if faults else _verdict(theorem, done)
    seconds = time.perf_counter() - began
    return Report(theorem, verdict, scope_of(theorem, done), tuple(done.values()), tuple(faults), seconds, read)


def needs_certificate(step: Step) -> bool:
    """Return whether a step's rule needs a certificate."""
    return isinstance(step.rule, CERTIFICATE_RULES) or (isinstance(step.rule, lang.Combine) and step.rule.squares)


def supporting_steps(theorem: Theorem) -> list[str]:
    """Return the steps that the statement depends on, in order."""
    steps = {s.id: s for s in theorem.steps}
    last = next((s.id for s in reversed(theorem.steps) if s.recorded != "REFUTED"), None)
    if theorem.recorded == "REFUTED" and theorem.steps:
        last = theorem.steps[-1].id
    wanted, stack = set(), [last] if last else []
    while stack:
        name = stack.pop()
        if name in wanted or name not in steps:
            continue
        wanted.add(name)
        stack += [*steps[name].uses, *steps[name].by]
    return [s.id for s in theorem.steps if s.id in wanted]


def _missing_certificate_text(theorem: Theorem, step: Step) -> str:
    """Return what a missing certificate would show, as a hint at missing lines."""
    rule, given = step.rule, ", ".join((*step.uses, *step.by)) or "no line"
    letters = notation.notation_in([theorem.bound] if theorem.bound else [])
    claim = notation.relation_text(step.claim, letters)[:300]
    if isinstance(rule, lang.Ball):
        return (
            f"not shown: there are no boxes on which ball arithmetic shows the sign of {claim} (find searches for them)"
        )
    if isinstance(rule, lang.Combine):
        weighted = f" and {len(rule.axioms)} axioms" if rule.axioms else ""
        try:
            left = notation.term_text(residual(rule, step_context(theorem, step)), letters)[:300]
        except Exception as error:  # the fault of an unreadable rule or line is reported elsewhere
            left = f"unknown ({type(error).__name__})"
        return (
            f"not shown: {claim}. The difference {left} remains after {given}{weighted}, and is not known to be a sum of squares: "
            "a line, an axiom of the class or another weight is missing"
        )
    return (
        f"not shown: {claim} is not known to be a combination of products of {given} and squares (find searches for one): a "
        "line or a sign that it needs is missing"
    )


def why_unusable(theorem: Theorem, step: Step, found: Mapping[str, Any], missing: str) -> str | None:
    """Return why a step has no valid certificate; None if it has one or needs none."""
    if not needs_certificate(step):
        return None
    entry = found.get(step.id)
    if entry is None:
        return f"{missing}; {text}" if (text := _missing_certificate_text(theorem, step)) and missing else text
    if not isinstance(entry, dict) or set(entry) != {"hash", "certificate"}:
        return "its certificate must be an object with hash and certificate"
    if entry["hash"] != certificates.fingerprint(theorem, step):
        return "its certificate was found for another statement"
    return None
