"""A statement with a maximum of two numbers: each case is proved under its condition, and both give the statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sympy import Max

from fltheory.proof import by, certificates
from fltheory.proof.chain import line
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Combine, Given, ProofError, Relation, Step, Theorem, eq, le
from fltheory.proof.report import Report
from fltheory.proof.terms import substitute
from fltheory.proving.multipliers.lines import only_needed

CASE = "case"  # the name of the condition of a case, which becomes the assumption of its lines


def maximum_of(theorem: Theorem) -> Max | None:
    """Return the maximum of two numbers in the statement that no hypothesis has, or None; ProofError for more than that."""
    known = [h.relation for h in theorem.hypotheses if isinstance(h, Given)]
    found = theorem.statement.gap.atoms(Max) - {m for r in known for side in (r.left, r.right) for m in side.atoms(Max)}
    if not found:
        return None
    if len(found) > 1 or len(next(iter(found)).args) != 2:
        raise ProofError(f"{theorem.id}: a statement may have one maximum, of two numbers")
    return next(iter(found))


def condition_of(largest: Max, place: int) -> Relation:
    """Return the condition under which a number is the larger one."""
    return le(largest.args[1 - place], largest.args[place])


def cases_of(theorem: Theorem, largest: Max) -> Iterator[Theorem]:
    """Yield the theorem with each of the two numbers in place of the maximum, under the condition that it is the larger."""
    for place, number in enumerate(largest.args):
        left, right = (
            substitute(side, {largest: number}) for side in (theorem.statement.left, theorem.statement.right)
        )
        given = Given(CASE, condition_of(largest, place), "this number is the larger one")
        yield replace(theorem, statement=le(left, right), hypotheses=(given, *theorem.hypotheses))


def joined_cases(
    theorem: Theorem, largest: Max, proofs: Sequence[tuple[Theorem, Mapping[str, Any]]], known: Mapping[str, Report]
) -> tuple[Theorem, dict[str, Any]] | str:
    """Return the theorem with the lines of both cases and its certificates, or why the kernel does not accept it."""
    steps, found = list[Step](), dict[str, Any]()
    for place, (case, given) in enumerate(proofs):
        word, under = f"{CASE} {place + 1}", condition_of(largest, place)
        names = {s.id: f"{word}, {s.id}" for s in case.steps}
        for step in case.steps:
            steps.append(_assumed(step, names, under))
            if step.id in given:
                whole = replace(theorem, steps=tuple(steps))
                mark = certificates.fingerprint(whole, steps[-1])
                found[steps[-1].id] = {**given[step.id], "hash": mark}
        value = line(f"{word}, maximum", eq(largest, largest.args[place]), by.fact("max", largest), assuming=under)
        last = by.linear({steps[-1].id: 1})
        steps += [value, line(word, theorem.statement, last, inserting=value.id, assuming=under)]
    ends = [f"{CASE} {place + 1}" for place in range(len(proofs))]
    complete = only_needed(replace(theorem, steps=(*steps, line("cases", theorem.statement, by.cases(*ends)))))
    report = check_theorem(complete, found, known)
    return (complete, found) if report.verdict == "PROVED" else "the cases do not prove it"


def _assumed(step: Step, names: Mapping[str, str], under: Relation) -> Step:
    """Return a line of a case under its condition as an assumption, which the line names first."""
    rule = step.rule
    if isinstance(rule, Combine):
        rule = replace(rule, weights=tuple(("assumed 1" if n == CASE else names.get(n, n), w) for n, w in rule.weights))
    uses = tuple(names.get(n, n) for n in step.uses if n != CASE)
    return replace(step, id=names[step.id], rule=rule, uses=uses, assuming=(under,))
