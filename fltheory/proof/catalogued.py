"""What proofs ask of the catalogue, looked up when it is asked: claims, stored violations, what cases say of a formula."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import sympy

from fltheory.proof import language as lang

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from fltheory.case import Case
    from fltheory.claim import Claim
    from fltheory.number import Number

FEW = 5  # cases of a claim that are asked
OPERATIONS = {"<=": sympy.Le, "<": sympy.Lt, "==": sympy.Eq}


def claim(name: str) -> Claim | None:
    """The claim of the catalogue with exactly this id."""
    from fltheory.known import find

    try:
        found = find(name)
    except KeyError:
        return None
    return found if found.id == name else None


def violated(rule: lang.Violated) -> str | None:
    """None if a stored case of the claim violates it by exact evidence, else the reason why that isn't so."""
    from fltheory.claim import check
    from fltheory.known import find

    try:
        claim = find(rule.claim)
    except KeyError as error:
        return str(error.args[0])
    found = []
    for case in claim.cases:
        verdict = check(claim, case)
        if verdict.status == "violated" and verdict.evidence == "exact":
            return None
        found.append(f"{verdict.status} ({verdict.evidence})")
    return f"{claim.id} is not violated by exact evidence: " + (", ".join(found) or "it has no cases")


def differs(claim: Claim, formula: Expr) -> str | None:
    """None if a formula in constants is what the claim measures on each of its cases, else where that isn't so."""
    from fltheory.evidence.exact import exact_ball
    from fltheory.number import evaluate_ball, precise
    from fltheory.runs.measures import DirectMeasure

    if not isinstance(claim.measure, DirectMeasure):
        return f"{claim.id} measures one"
    seen = False
    for case, constants in _known(claim, formula):
        if not _admitted(claim, case):
            continue
        seen = True
        ball = precise(partial(evaluate_ball, formula, constants), 60)
        if not exact_ball(claim.measure, claim.algorithm, case).value.overlaps(ball):
            return f"{claim.id} measures something else at {case.arguments()}"
    return None if seen else f"no case of {claim.id} gives its constants"


def fails(claim: Claim, line: lang.Relation) -> str | None:
    """The case of a claim, if there is one, that obeys all that the claim asks for and at which a relation is false."""
    from fltheory.number import decide

    condition = OPERATIONS[line.op](line.left, line.right, evaluate=False)
    for case, constants in _known(claim, condition):
        if decide(condition, constants) is False and _admitted(claim, case):
            return case.arguments()
    return None


def _known(claim: Claim, formula: sympy.Basic) -> Iterator[tuple[Case, Mapping[Symbol, Number]]]:
    """The cases of a claim that give the constants of a formula, with their constants."""
    for case, constants in _prepared(claim):
        if formula.free_symbols <= constants.keys():
            yield case, constants


@lru_cache(maxsize=64)
def _prepared(claim: Claim) -> tuple[tuple[Case, Mapping[Symbol, Number]], ...]:
    """The cases of a claim with what it tunes, and their constants with those that its bounds define."""
    found = []
    for case in claim.cases[:FEW]:
        try:
            full = claim.prepared(case)
            constants = dict(full.constants)
            for bound in claim.bounds:
                constants |= bound.complete(constants)
        except (ValueError, ArithmeticError):
            continue
        found.append((full, constants))
    return tuple(found)


def _admitted(claim: Claim, case: Case) -> bool:
    """Whether a case obeys all that the claim asks for."""
    try:
        allowed = not any(b.failed_condition(case.constants) for b in claim.bounds)
    except (ValueError, ArithmeticError):
        return False
    return allowed and not any(a.check(case) for a in claim.assumptions)
