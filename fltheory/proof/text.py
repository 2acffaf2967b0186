"""Proofs as text: hypotheses, then each step with its reason, its scope and its outcome."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import sympy

from fltheory.proof import language as lang
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.language import Defines, Given, Hypothesis, Proofs, Theorem
from fltheory.proof.library import external_checker
from fltheory.proof.matching import matching
from fltheory.proof.matching.restrictions import restrictions
from fltheory.proof.notation import Notation, join_words, notation_in, relation_text, term_text
from fltheory.proof.report import Report, StepReport

MAX_SUPPOSITION = 60  # characters of a relation that fit on a line

_AXIOMS = {
    "convex": "convexity",
    "descent": "smoothness",
    "ascent": "smoothness from below",
    "lipschitz": "the gradient's Lipschitz bound",
    "cocoercive": "co-coercivity",
    "interpolated": "strong convexity and smoothness together",
}
_RULE_TEXT = {
    "Absolute": "bound on an absolute value",
    "Monotone": "monotonicity of the indicator",
    "Squeezed": "antisymmetry of ≤",
    "Rising": "nonnegative value at 0 and nonnegative derivative",
}
_FACT_TEXT = {
    "exp": "1 + u ≤ exp(u)",
    "log": "log(u) ≤ u - 1",
    "max": "the largest of some numbers",
    "min": "the smallest of some numbers",
    "abs": "u ≤ |u|",
    "indicator": "the indicator 1{u ≥ 0}",
    "floor": "floor(u) ≤ u < floor(u) + 1",
}


def hypothesis_text(entry: Hypothesis, letters: Notation) -> str:
    """Return a hypothesis in words."""
    if isinstance(entry, Given):
        return relation_text(entry.relation, letters)
    if isinstance(entry, Defines):
        return f"{term_text(entry.left, letters)} is defined as {term_text(entry.right, letters)}"
    kinds = []
    if entry.smooth is not None:
        kinds.append(f"{term_text(entry.smooth, letters)}-smooth")
    if entry.convex is not None:
        kinds.append("convex" if entry.convex == 0 else f"{term_text(entry.convex, letters)}-strongly convex")
    return f"{term_text(entry.function, letters)} is {join_words(kinds) or 'differentiable'}"


# Rules in words -------------------------------------------------------------------------------------------------


def rule_in_words(step: lang.Step, letters: Notation, found: object = None) -> str:
    """Return the reason of a step in words; ``found`` is its certificate, which gives its size."""
    rule, uses = step.rule, list(step.uses)
    if isinstance(rule, lang.Combine):
        uses += [f"assumed {i}" for i, _ in enumerate(step.assuming, 1)]
    text = _rule(rule, uses, letters, found)
    if len(step.assuming) == 1:
        text = text.replace("assumed 1", "the assumption")
    if step.by:
        text += f"; {join_words(step.by)} inserted"
    return text


def _rule(rule: lang.Rule, uses: list[str], letters: Notation, found: object) -> str:
    source = f" from {join_words(uses)}" if uses else ""
    if isinstance(rule, lang.Combine):
        return _combination(rule, uses, letters, found)
    if isinstance(rule, lang.Summed):
        weight = "" if rule.weight == 1 else f", times {term_text(rule.weight, letters)}"
        return f"{join_words(uses)} summed over {join_words(term_text(i, letters) for i in rule.indices)}{weight}"
    if isinstance(rule, lang.Expected):
        return f"expectation of both sides of {join_words(uses)}"
    if isinstance(rule, lang.Instance):
        return f"{uses[0] if uses else '?'} at {_values(rule.at, letters)}{_signs_text(uses[1:])}"
    if isinstance(rule, lang.Apply):
        at = f" with {_values(rule.at, letters)}" if rule.at else ""
        return f"{rule.theorem}{at}{'; its hypotheses' + source if uses else ''}"
    if isinstance(rule, lang.Cases):
        return f"the cases {join_words(uses)} are exhaustive"
    if isinstance(rule, lang.Induction):
        return (
            f"induction over {term_text(rule.index, letters)}: base {join_words(uses[:1])}, step {join_words(uses[1:])}"
        )
    if isinstance(rule, lang.Power):
        power = term_text(rule.exponent, letters)
        return f"both sides of {join_words(uses[1:2])} to the power {power}{_signs_text([*uses[:1], *uses[2:]])}"
    if isinstance(rule, lang.Polynomial):
        return f"a polynomial inequality{source}{_certificate(found)}"
    if isinstance(rule, lang.Ball):
        box = join_words(f"{lo} ≤ {term_text(s, letters)} ≤ {hi}" for s, lo, hi in rule.box)
        return f"ball arithmetic on {box}{source}{_certificate(found)}"
    if isinstance(rule, lang.Enumerate):
        return f"every case evaluated exactly{source}"
    if isinstance(rule, lang.Known):
        known = _FACT_TEXT.get(rule.name, rule.name)
        return f"{known} at u = {term_text(rule.at, letters)}{_signs_text(uses)}"
    if isinstance(rule, lang.Assumed):
        return f"assumed: {rule.citation}{'; ' + rule.reason if rule.reason else ''}"
    if isinstance(rule, lang.Witness):
        return f"at {_values(rule.at, letters)}{', where ' + join_words(uses) + ' hold' if uses else ''}"
    if isinstance(rule, lang.Violated):
        return f"the stored case of {rule.claim} violates it"
    return f"{_RULE_TEXT.get(type(rule).__name__, type(rule).__name__)}{source}"


def _combination(rule: lang.Combine, uses: list[str], letters: Notation, found: object) -> str:
    weights = dict(rule.weights)
    plain = not (rule.weights or rule.axioms or rule.squares)
    parts = []
    for name in uses:
        weight = weights.get(name, sympy.Integer(1 if plain else 0))
        if weight != 0:
            parts.append(name if weight == 1 else f"{name} times {term_text(weight, letters)}")
    for weight, axiom in rule.axioms:
        times = "" if weight == 1 else f" times {term_text(weight, letters)}"
        parts.append(f"{_axiom(axiom, letters)}{times}")
    if rule.squares and not (isinstance(found, dict) and found.get("squares") == []):
        parts.append("squares" + _certificate(found))
    signs = [] if plain else [name for name in uses if weights.get(name, 0) == 0]
    if not parts:
        return "an identity" + _signs_text(signs)
    return ("by " if len(parts) == 1 else "sum of ") + join_words(parts) + _signs_text(signs)


def _axiom(axiom: Axiom, letters: Notation) -> str:
    where = f"at {term_text(axiom.u, letters)} from {term_text(axiom.v, letters)}"
    return f"{_AXIOMS.get(axiom.kind, axiom.kind)} of {term_text(axiom.function, letters)} {where}"


def _signs_text(names: Sequence[str]) -> str:
    return f", given {join_words(names)}" if names else ""


def _values(at: lang.Pairs, letters: Notation) -> str:
    return ", ".join(f"{term_text(k, letters)} = {term_text(v, letters)}" for k, v in at)


def _certificate(found: object) -> str:
    """Return the size of a certificate in words."""
    if isinstance(found, dict):
        for key, value in found.items():
            if isinstance(value, list):
                one = {"squares": "square", "boxes": "box"}.get(key, key.rstrip("s"))
                return f" (certificate: {len(value)} {one if len(value) == 1 else key})"
    return " (certificate)"


# A whole proof --------------------------------------------------------------------------------------------------


def proof_text_lines(
    report: Report, letters: Notation, found: Mapping[str, Any], width: int = 100, model: str = ""
) -> list[str]:
    """Return the proof as lines of at most ``width`` characters if its formulas can be broken.

    ``model`` is the status of a model of the hypotheses.
    """
    theorem = report.theorem
    names = ", ".join(n for n in (theorem.claim and f"proves {theorem.claim}", theorem.place) if n)
    lines = [f"{theorem.id}: {verdict_text(report, letters)}", *_wrap_lines(names, width, "  ")]
    lines += _wrap_lines(theorem.note, width, "  ")
    lines += ["", "theorem", *_wrap_lines(relation_text(theorem.statement, letters), width, "  ")]
    if theorem.hypotheses:
        lines += ["", "suppose"]
        space = max(len(h.id) for h in theorem.hypotheses) + 2
        for entry in theorem.hypotheses:
            lines += _wrap_lines(hypothesis_text(entry, letters), width, f"  {entry.id:<{space}}", space + 2)
            idle = "not needed here" if entry.id in theorem.unused else ""
            beyond = "supposed beyond the claim" if entry in matching.suppositions(theorem) else ""
            lines += _wrap_lines("; ".join(w for w in (beyond, entry.why, idle) if w), width, " " * (space + 4))
        lines += _wrap_lines(model, width, "  ")
    lines += ["", "proof"]
    space = min(8, max((len(s.step.id) for s in report.steps), default=0) + 2)
    for step in report.steps:
        lines += _step_lines(step, letters, found.get(step.step.id), width, space)
    lines += [f"fault: {fault}" for fault in report.faults]
    return lines


def verdict_text(report: Report, letters: Notation) -> str:
    """Return the verdict with its scope and the counts of steps, as one line."""
    theorem = report.theorem
    recorded = "" if report.verdict == theorem.recorded else f", recorded as {theorem.recorded}"
    said = verdict_word(theorem, report.verdict, letters)
    read = f"; read with x/0 = 0: {report.read}" if report.read else ""
    return f"{said}{recorded}, {scope_text(theorem, report.scope, letters)}; {count_text(report)}{read}"


def verdict_word(theorem: Theorem, verdict: str, letters: Notation) -> str:
    """Return the verdict, the external checker if any, and what the theorem supposes beyond its claim."""
    more = [supposition_text(h, letters) for h in matching.suppositions(theorem)]
    other = external_checker(theorem) if verdict == "PROVED" else ""
    said = f"{verdict} (kernel, {other})" if other else verdict
    return f"{said} supposing {join_words(more)}" if more and verdict in ("PROVED", "ASSUMED") else said


def scope_text(theorem: Theorem, found: str, letters: Notation) -> str:
    """Return the scope of a theorem in its claim; ``found`` is the scope of its steps."""
    lines = [relation_text(r, letters) for r in restrictions(theorem)]
    return "; ".join([*((found,) if found != lang.ALL_PARAMETERS or not lines else ()), *lines])


def supposition_text(entry: Given | Defines, letters: Notation) -> str:
    """Return a hypothesis beyond the claim: its relation if short, else its name."""
    said = hypothesis_text(entry, letters)
    return said if len(said) <= MAX_SUPPOSITION else f"({entry.id})"


def count_text(report: Report) -> str:
    """Return the counts of steps by outcome."""
    kinds = [f"{report.count(o)} {o.lower()}" for o in ("PROVED", "ASSUMED", "UNKNOWN", "REFUTED") if report.count(o)]
    return f"{count_noun(len(report.steps), 'step')}: {', '.join(kinds) or 'nothing'}"


def count_noun(count: int, noun: str) -> str:
    """Return ``1 step``, ``2 steps``."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def _step_lines(report: StepReport, letters: Notation, found: object, width: int, space: int) -> list[str]:
    step, deep = report.step, " " * (space + 4)
    lines = _wrap_lines(relation_text(step.claim, letters), width, f"  {step.id + '.':<{space}}", space + 2)
    if step.note:
        lines += _wrap_lines(step.note, width, deep)
    if step.assuming:
        lines += _wrap_lines("if " + join_words(relation_text(h, letters) for h in step.assuming), width, deep)
    why = rule_in_words(step, letters, (found or {}).get("certificate") if isinstance(found, dict) else None)
    return lines + _wrap_lines(f"{why} [{outcome_text(report)}]", width, deep)


def outcome_text(report: StepReport) -> str:
    """Return the outcome of a step in words."""
    if report.outcome == "PROVED":
        return "PROVED" if report.scope == lang.ALL_PARAMETERS else f"PROVED for {report.scope}"
    surprise = "" if report.outcome == report.step.recorded else f", recorded as {report.step.recorded}"
    if report.outcome == "REFUTED":
        return f"REFUTED{surprise}, the line is false as written: {report.reason}"
    if report.outcome == "ASSUMED":
        return f"ASSUMED{surprise}"
    return f"UNKNOWN{surprise}: {report.reason}"


def _wrap_lines(text: str, width: int, first: str, hang: int | None = None) -> list[str]:
    if not text:
        return []
    rest = " " * (len(first) + 2 if hang is None else hang + 2)
    return textwrap.wrap(
        " ".join(text.split()),
        max(width, len(rest) + 20),
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def notation_of(proofs: Proofs, theorem: Theorem) -> dict[sympy.Symbol, str]:
    """Return the paper's notation in Unicode: that of the theorem's bound, then that of the paper's other bounds."""
    return notation_in(t.bound for t in (*proofs.theorems, theorem) if t.bound is not None)
