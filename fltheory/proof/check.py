"""The check of theorems: the kernel decides on the exported text, and its answer is reported step by step.

Two facts are not in that text and are checked here: that the theorem is about its claim, and stored violations.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import sympy

from fltheory.kernel import theorem as kernel
from fltheory.kernel.deep import deeply
from fltheory.kernel.language.effort import TooLong, begin, counted
from fltheory.proof import certificates, export
from fltheory.proof import language as lang
from fltheory.proof.algebra.infix import readable
from fltheory.proof.algebra.residual import residual, step_context
from fltheory.proof.language import ALL_PARAMETERS, ProofError, Proofs, Theorem
from fltheory.proof.matching import catalogue, matching
from fltheory.proof.report import Report, StepReport, report_of, stale_certificates, supporting_steps, why_unusable

REFUSES, READ_AS_TOTAL = "the kernel refuses it: ", "read with x/0 = 0: "


def check_all(proofs: Proofs) -> tuple[Report, ...]:
    """Check the theorems of a paper in their order; a theorem may apply those before it."""
    return tuple(check_each(proofs, proofs.theorems))


def check_each(proofs: Proofs, theorems: Iterable[Theorem]) -> Iterator[Report]:
    """Yield the reports of some of a paper's theorems one by one; each may apply those before it."""
    reports: dict[str, Report] = {}
    for theorem in theorems:
        if theorem.id in reports:
            raise ProofError(f"{theorem.id} occurs twice")
        reports[theorem.id] = check_stored(proofs, theorem, reports)
        yield reports[theorem.id]


def check_stored(proofs: Proofs, theorem: Theorem, earlier: Mapping[str, Report]) -> Report:
    """Check one theorem of a paper with its stored certificates."""
    missing = f"{certificates.path_of(proofs.certificates, theorem.id).name} has no certificate for this step"
    try:
        found = certificates.load(proofs.certificates, theorem.id)
    except ProofError as error:
        found, missing = {}, str(error)
    return check_theorem(theorem, found, earlier, missing, proofs.certificates)


def check_theorem(
    theorem: Theorem,
    found: Mapping[str, Any],
    earlier: Mapping[str, Report] | None = None,
    missing: str = "",
    folder: Path | None = None,
) -> Report:
    """Check one theorem with its certificates ``found``, given the reports of the theorems that it may apply.

    ``missing`` is the message for a step without certificate, by default what the certificate would show. ``folder`` has the
    certificates of earlier theorems that another process checked.
    """
    earlier = earlier or {}
    began = time.perf_counter()
    nothing = [StepReport(s, "UNKNOWN", reason="not checked") for s in theorem.steps]
    if odd := _foreign_class_text(theorem):
        return report_of(theorem, nothing, [odd], began)
    faults = [*form_faults(theorem), *stale_certificates(theorem, found)]
    unusable = {s.id: why for s in theorem.steps if (why := why_unusable(theorem, s, found, missing))}
    try:
        own = _with_gaps_assumed(theorem, unusable, found)
    except Exception:  # a step that cannot be exported is not proved; the others are checked without it
        unusable |= _unserializable_steps(theorem, found, unusable)
        try:
            own = _with_gaps_assumed(theorem, unusable, found)
        except Exception as error:
            faults.append(f"the theorem cannot be exported: {type(error).__name__}: {error}"[:500])
            return report_of(theorem, nothing, faults, began)
    known = dict[str, kernel.Theorem]()
    for step in theorem.steps:
        if isinstance(step.rule, lang.Apply) and step.rule.theorem in earlier:
            applied = earlier[step.rule.theorem]
            if applied.verdict in ("PROVED", "ASSUMED"):
                known[applied.theorem.id] = _kernel_lemma(applied, folder)
    told, wrong, read = deeply(lambda: _kernel_verdicts(own, known))
    faults += [REFUSES + wrong] if wrong else []
    faults += [READ_AS_TOTAL + read] if read and theorem.bound is not None else []  # claims need defined terms
    steps = dict[str, StepReport]()
    for step in theorem.steps:
        lost = next((n for n in (*step.uses, *step.by) if n in steps and steps[n].outcome == "UNKNOWN"), None)
        why = unusable.get(step.id) or (f"{lost} is not proved" if lost else "")
        steps[step.id] = (
            StepReport(step, "UNKNOWN", reason=why) if why else _step_report(theorem, step, told.get(step.id), earlier)
        )
    return replace(report_of(theorem, list(steps.values()), faults, began, read), kernel_theorem=own)


def statement_alone(theorem: Theorem) -> Report:
    """Return a report that takes a theorem as proved, so that a search may apply it; nothing of its proof is checked."""
    own = _kernel_theorem(replace(theorem, steps=(), recorded="PROVED"), {})
    return Report(theorem, "PROVED", ALL_PARAMETERS, (), (), 0.0, kernel_theorem=own)


def form_faults(theorem: Theorem) -> Iterable[str]:
    """Yield faults of form: in ids, order and use of lines, and in how a theorem relates to the claim it names."""
    yield from matching.faults(theorem)
    ids: set[str] = set()
    for hypothesis in theorem.hypotheses:
        if hypothesis.id in ids:
            yield f"the id {hypothesis.id} occurs twice"
        ids.add(hypothesis.id)
    refuted: set[str] = set()
    for step in theorem.steps:
        if step.id in ids:
            yield f"the id {step.id} occurs twice"
        for name in (*step.uses, *step.by):
            if name not in ids:
                yield f"step {step.id} uses {name}, which is not an earlier line"
            if name in refuted:
                yield f"step {step.id} uses {name}, which is recorded as refuted"
        ids.add(step.id)
        if step.recorded == "REFUTED":
            refuted.add(step.id)
    path = supporting_steps(theorem)
    if not path:
        yield "there is no step that proves the statement"
        return
    last = next(s for s in theorem.steps if s.id == path[-1])
    if last.assuming:
        yield f"the last step, {last.id}, is under an assumption"
    if isinstance(last.rule, lang.Witness) and theorem.unused:
        yield "a counterexample to the statement must satisfy every hypothesis"
    useful = set(path)
    idle = [s.id for s in theorem.steps if s.id not in useful and s.recorded != "REFUTED"]
    if idle:
        yield f"steps on which the statement does not depend: {', '.join(idle)}"
    steps = {s.id: s for s in theorem.steps}
    used = {n for i in path for n in (*steps[i].uses, *steps[i].by)}
    own = {h.id for h in theorem.hypotheses}
    for name in sorted(own - used - set(theorem.unused)):
        yield f"the hypothesis {name} is neither used nor listed as unused"
    for name in sorted(set(theorem.unused) & used):
        yield f"the hypothesis {name} is used, though listed as unused"
    for name in sorted(set(theorem.unused) - own):
        yield f"{name}, listed as unused, is not a hypothesis"


def _foreign_class_text(theorem: Theorem) -> str:
    """Return a fault if an object of the theorem has a foreign class: its value could differ at each read."""
    lists: list[Any] = [theorem.hypotheses, theorem.steps, theorem.unused]
    lists += [part for s in theorem.steps for part in (s.uses, s.by, s.assuming)]
    if any(type(part) is not tuple for part in lists):
        return "its parts must be plain tuples"
    relations = [theorem.statement, *(s.claim for s in theorem.steps), *(h for s in theorem.steps for h in s.assuming)]
    relations += [h.relation for h in theorem.hypotheses if isinstance(h, lang.Given)]
    wrong = [
        *(h for h in theorem.hypotheses if type(h) not in (lang.Given, lang.Defines, lang.Member)),
        *(s for s in theorem.steps if type(s) is not lang.Step),
        *(r for r in relations if type(r) is not lang.Relation),
    ]
    return f"a {type(wrong[0]).__name__} is not a part of a proof" if wrong else ""


def _unserializable_steps(theorem: Theorem, found: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    """Return the steps that cannot be exported, with the reason: mostly a malformed certificate."""
    told = dict[str, str]()
    for step in theorem.steps:
        if step.id not in known:
            try:
                export.step_json(theorem, step, found)
            except Exception as error:
                told[step.id] = f"{type(error).__name__}: {error}"[:500]
    return told


def _with_gaps_assumed(theorem: Theorem, unusable: Collection[str], found: Mapping[str, Any]) -> kernel.Theorem:
    """Return the theorem as the kernel reads it, where steps without a certificate are assumed, hence not proved."""
    steps = (replace(s, rule=lang.Assumed("no certificate")) if s.id in unusable else s for s in theorem.steps)
    return _kernel_theorem(replace(theorem, steps=tuple(steps)), found)


def _kernel_theorem(theorem: Theorem, found: Mapping[str, Any]) -> kernel.Theorem:
    begin()
    return kernel.theorem(json.loads(json.dumps(export.theorem_json(theorem, found))))


def _kernel_lemma(report: Report, folder: Path | None) -> kernel.Theorem:
    """Return a theorem that others apply, as the kernel confirmed it, or as stored if another process did that."""
    known = (
        report.kernel_theorem if report.kernel_theorem is not None else _stored_kernel_theorem(report.theorem, folder)
    )
    return replace(known, outside="assumed steps" if report.verdict == "ASSUMED" else "")


@lru_cache(maxsize=4096)
def _stored_kernel_theorem(theorem: Theorem, folder: Path | None) -> kernel.Theorem:
    try:
        found = {} if folder is None else certificates.load(folder, theorem.id)
    except ProofError:  # there are no valid certificates
        found = {}
    return _kernel_theorem(theorem, found)


def _kernel_verdicts(
    own: kernel.Theorem, known: Mapping[str, kernel.Theorem]
) -> tuple[dict[str, kernel.Told], str, str]:
    """Return the kernel's answers on each step, on the theorem's form, and on terms outside their natural domain."""
    try:
        told = counted(lambda: _step_verdicts(own, known))
    except Exception as error:
        return {}, f"{type(error).__name__}: {error}"[:500], ""
    try:
        whole = not own.refuted and all(t.outcome == "confirmed" for t in told.values())
        read = counted(lambda: kernel.artificial(own, known)) if whole else ""
    except TooLong:
        read = "it takes too long to check whether all terms lie in their natural domain"
    return told, "", read


def _step_verdicts(own: kernel.Theorem, known: Mapping[str, kernel.Theorem]) -> dict[str, kernel.Told]:
    kernel.require_form(own)
    return {t.step.name: t for t in kernel.each(own, known)}


def _refusal(theorem: Theorem, step: lang.Step, reason: str) -> str:
    """Return why the kernel refuses a step, with readable formulas; for an equation, also the difference of its sides."""
    words = readable(reason.removeprefix("Wrong: "))[:500]
    if words == "the sides differ" and isinstance(step.rule, lang.Combine):
        with suppress(Exception):  # an equation of vectors, or a malformed line
            context = step_context(theorem, step)
            once = lang.Combine(tuple((name, sympy.Integer(1)) for name in context.used))
            words += f" by {sympy.sstr(residual(step.rule if step.rule.weights else once, context))}"[:300]
    return words


def _step_report(
    theorem: Theorem, step: lang.Step, told: kernel.Told | None, earlier: Mapping[str, Report]
) -> StepReport:
    """Return the report of a step."""
    rule = step.rule
    if isinstance(rule, lang.Apply) and rule.theorem not in earlier:
        return StepReport(step, "UNKNOWN", reason=f"{rule.theorem} is not among the theorems before this one")
    if isinstance(rule, lang.Apply) and earlier[rule.theorem].verdict not in ("PROVED", "ASSUMED"):
        return StepReport(step, "UNKNOWN", reason=f"{rule.theorem} is not proved")
    if told is None:
        return StepReport(step, "UNKNOWN", reason="not checked")
    if told.outcome in ("refused", "not checked"):
        return StepReport(step, "UNKNOWN", reason=_refusal(theorem, step, told.reason))
    if isinstance(rule, lang.Assumed):
        return StepReport(step, "ASSUMED", reason=rule.citation)
    if isinstance(rule, lang.Violated):
        reason = catalogue.why_not_violated(rule)
        return StepReport(step, "UNKNOWN" if reason else "REFUTED", reason=reason or f"violated: {rule.claim}")
    if isinstance(rule, lang.Witness):
        return StepReport(step, "REFUTED", reason="false at " + _point_text(rule))
    if isinstance(rule, lang.Enumerate):
        if rule.scope == ALL_PARAMETERS:
            return StepReport(step, "UNKNOWN", reason=f"an enumeration cannot have the scope of {ALL_PARAMETERS}")
        return StepReport(step, "PROVED", rule.scope or "finite")
    if isinstance(rule, lang.Apply) and told.outcome == "outside":
        return StepReport(step, "ASSUMED", earlier[rule.theorem].scope, f"{rule.theorem} rests on assumed steps")
    if told.outcome != "confirmed":
        return StepReport(step, "UNKNOWN", reason=f"it rests on an invalid rule: {told.reason}"[:500])
    return StepReport(step, "PROVED", earlier[rule.theorem].scope if isinstance(rule, lang.Apply) else ALL_PARAMETERS)


def _point_text(rule: lang.Witness) -> str:
    return ", ".join(f"{k} = {v}" for k, v in rule.at)
