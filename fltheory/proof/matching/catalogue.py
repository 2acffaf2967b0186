"""Queries of proofs to the catalogue, answered on demand: claims, stored violations, values of formulas on cases."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import sympy

from fltheory.proof import language as lang

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from fltheory.claims.claim import Claim
    from fltheory.model.case import Case
    from fltheory.number import Number

MAX_CASES = 5  # cases of a claim that are evaluated
TOLERANCE = 1e-12  # relative difference of floats and exact numbers that count as equal
OPERATIONS = {"<=": sympy.Le, "<": sympy.Lt, "==": sympy.Eq}


def find_claim(name: str) -> Claim | None:
    """Return the claim of the catalogue with exactly this id."""
    from fltheory.verification import find

    try:
        found = find(name)
    except KeyError:
        return None
    return found if found.id == name else None


def why_not_violated(rule: lang.Violated) -> str | None:
    """Return None if a stored case violates the claim by exact evidence, else the reason why none does."""
    from fltheory.claims.check import check_claim
    from fltheory.verification import find

    try:
        claim = find(rule.claim)
    except KeyError as error:
        return str(error.args[0])
    found = []
    for case in claim.cases:
        verdict = check_claim(claim, case)
        if verdict.status == "violated" and verdict.evidence == "exact":
            return None
        found.append(f"{verdict.status} ({verdict.evidence})")
    return f"{claim.id} is not violated by exact evidence: " + (", ".join(found) or "it has no cases")


def why_different(claim: Claim, formula: Expr) -> str | None:
    """Return None if a formula in constants equals the measure of the claim on all its cases, else the reason."""
    from fltheory.evidence.exact import exact_ball
    from fltheory.number import evaluate_ball, evaluate_to_precision
    from fltheory.runs.measures import DirectMeasure

    if not isinstance(claim.measure, DirectMeasure):
        return f"{claim.id} measures a quantity of a run"
    seen = False
    for case, constants in _cases_with_constants(claim, formula):
        if not _is_admissible(claim, case):
            continue
        seen = True
        ball = evaluate_to_precision(partial(evaluate_ball, formula, constants), 60)
        if not exact_ball(claim.measure, claim.algorithm, case).value.overlaps(ball):
            return f"{claim.id} measures a different value at {case.arguments()}"
    return None if seen else f"no case of {claim.id} gives values of its constants"


def why_not_refuted(claim: Claim, quantity: Expr, at: Mapping[Symbol, Expr]) -> str | None:
    """Return None if a case violates the claim by exact evidence and its measure equals a formula there, else why not.

    The case is a stored one if the formula is one of its constants, else it gets the settings ``at`` of a witness.
    """
    from fltheory.claims.check import check_claim

    for case in claim.cases[:MAX_CASES]:
        for tried, value in _cases_with_value(claim, case, quantity, at):
            verdict = check_claim(claim, tried, stages=())
            decided = verdict.status == "violated" and verdict.evidence == "exact"
            if decided and verdict.measured is not None and math.isclose(value, verdict.measured, rel_tol=TOLERANCE):
                return None
    return f"no case of {claim.id} that violates it has this value of the measured quantity"


def _cases_with_value(
    claim: Claim, case: Case, quantity: Expr, at: Mapping[Symbol, Expr]
) -> Iterator[tuple[Case, float]]:
    """Yield the case, and the case with the settings of a witness, each with the value of a quantity, if it has one."""
    from fltheory.number import evaluate_ball, evaluate_to_precision, exact, to_ball, to_float
    from fltheory.runs.measures import run_notation

    letters = run_notation(claim.measure)
    stored = _constants(claim, case, letters)
    if stored is not None and quantity.free_symbols <= stored.keys():
        yield case, to_float(evaluate_to_precision(partial(evaluate_ball, quantity, stored), 60))
    own = dict(case.settings)
    moved = case.with_settings(**{s.name: exact(v) for s, v in at.items() if s.name in own})
    there, value = _constants(claim, moved, letters), quantity.xreplace(dict(at))
    if there is None or value.free_symbols:
        return
    if all(to_ball(there[s]).overlaps(to_ball(exact(v))) for s, v in at.items() if s in there):
        yield moved, to_float(evaluate_to_precision(partial(evaluate_ball, value, {}), 60))


def hold_jointly(claim: Claim, lines: Sequence[lang.Relation]) -> bool:
    """Return whether all relations hold at some case that satisfies all requirements of the claim."""
    return _find_case(claim, lines, True) is not None


def failing_case(claim: Claim, line: lang.Relation) -> str | None:
    """Return a case of a claim that satisfies all its requirements and violates a relation, if there is one."""
    found = _find_case(claim, (line,), False)
    return None if found is None else found.arguments()


def _find_case(claim: Claim, lines: Sequence[lang.Relation], wanted: bool) -> Case | None:
    from fltheory.number import decide

    conditions = [OPERATIONS[line.op](line.left, line.right, evaluate=False) for line in lines]
    for case, constants in _cases_with_constants(claim, sympy.Tuple(*conditions)):
        if all(decide(c, constants) is wanted for c in conditions) and _is_admissible(claim, case):
            return case
    return None


def admissible_cases(claim: Claim) -> Iterator[tuple[str, dict[Symbol, Expr]]]:
    """Yield the cases that satisfy all requirements of a claim, in words, with their rational constants."""
    for case, constants in _prepared_cases(claim):
        if _is_admissible(claim, case):
            exact = {s: sympy.sympify(v) for s, v in constants.items() if isinstance(v, int | Fraction)}
            yield case.arguments(), exact


def _cases_with_constants(claim: Claim, formula: sympy.Basic) -> Iterator[tuple[Case, Mapping[Symbol, Number]]]:
    """Yield the cases of a claim that have the constants of a formula, with their constants."""
    for case, constants in _prepared_cases(claim):
        if formula.free_symbols <= constants.keys():
            yield case, constants


@lru_cache(maxsize=64)
def _prepared_cases(claim: Claim) -> tuple[tuple[Case, Mapping[Symbol, Number]], ...]:
    """Return the cases of a claim with its tuned constants, and with the constants that its bounds define."""
    found = [(case, _constants(claim, case)) for case in claim.cases[:MAX_CASES]]
    return tuple((claim.prepared(case), constants) for case, constants in found if constants is not None)


def _constants(claim: Claim, case: Case, of_run: tuple[Symbol, ...] = ()) -> Mapping[Symbol, Number] | None:
    """Return the constants of a case, also tuned and defined ones, without ``of_run``; None if one is missing."""
    try:
        constants = dict(claim.prepared(case).constants)
        for bound in claim.bounds:
            constants |= bound.complete(constants, of_run)
    except (ValueError, ArithmeticError):
        return None
    return constants


def _is_admissible(claim: Claim, case: Case) -> bool:
    """Return whether a case satisfies all requirements of the claim."""
    try:
        allowed = not any(b.failed_condition(case.constants) for b in claim.bounds)
    except (ValueError, ArithmeticError):
        return False
    return allowed and not any(a.check(case) for a in claim.assumptions)
