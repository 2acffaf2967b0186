"""Worst cases over a claim's whole class of clients, before single cases: at its own constants, and for one round.

If the worst case exceeds the bound, its instance is the first case; if it satisfies the bound, no case at these
constants refutes the claim. Only questions that a solver answers quickly are posed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fltheory.claims.check import check_claim, inapplicable_reason
from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.symbols import VOCABULARY, n_clients, n_local_steps
from fltheory.worst_case.claims import (
    class_constants,
    question_of_claim,
    require_question,
    satisfies_bounds,
    without_start,
)
from fltheory.worst_case.question import Question
from fltheory.worst_case.solver import NoSolver, Unsolved
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import bracket, worst_quadratic
from fltheory.worst_case.whole_run import Bracket

MAX_ROUND_STEPS = 6  # steps of such a round
MAX_QUESTIONS = 4  # largest number of classes


class ClassAnswer(NamedTuple):
    """An instance that exceeds the bound, or None if it holds for the whole class, which ``said`` describes."""

    case: Case | None
    said: str


def class_answers(claim: Claim) -> Iterator[ClassAnswer]:
    """Yield the worst cases of a claim's classes, one after another."""
    try:
        require_question(claim)
    except OutOfReach:
        return
    for case, asked in _questions(claim):
        try:
            found = bracket(asked)
        except (OutOfReach, Unsolved):
            continue
        except NoSolver:
            return
        values = without_start(claim, case.constants)
        if found.upper is not None and satisfies_bounds(claim, found.upper, values):
            yield ClassAnswer(None, _question_text(asked))
        elif found.case is not None and found.lower is not None and not satisfies_bounds(claim, found.lower, values):
            yield from (ClassAnswer(case, _question_text(asked)) for case in _refuting_case(claim, asked, found))


def attaining_cases(claim: Claim) -> Iterator[Case]:
    """Yield instances that nearly attain the worst case of the claim's classes; none without a solver."""
    try:
        require_question(claim)
    except OutOfReach:
        return
    for _, asked in _questions(claim):
        try:
            found = bracket(asked)
        except (OutOfReach, Unsolved):
            continue
        except NoSolver:
            return
        yield from (case for case in (worst_quadratic(asked)[0], found.case) if case is not None)


def _refuting_case(claim: Claim, asked: Question, found: Bracket) -> Iterator[Case]:
    """Return a short quadratic instance if one exceeds the bound, else the one that attains the lower bound."""
    for case in (worst_quadratic(asked)[0], found.case):
        if case is not None and check_claim(claim, case).status == "violated":
            yield case
            return


def _questions(claim: Claim) -> Iterator[tuple[Case, Question]]:
    """Yield the classes of the claim's own short cases, each for one round and for all."""
    seen = set[Question]()
    for own in claim.cases:
        if _steps(own) > MAX_ROUND_STEPS:
            continue
        for case in (own.with_settings(n_rounds=1), own):
            if len(seen) == MAX_QUESTIONS:
                return
            if inapplicable_reason(claim, case) is not None:
                continue
            prepared = claim.prepared(case)
            try:
                asked = question_of_claim(claim, class_constants(claim, prepared))
            except (OutOfReach, ValueError):
                continue
            if asked not in seen:
                seen.add(asked)
                yield prepared, asked


def _steps(case: Case) -> float:
    return to_float(case.constants.get(n_clients, 1)) * to_float(case.constants.get(n_local_steps, 1))


def _question_text(asked: Question) -> str:
    given = ", ".join(f"{VOCABULARY[name].symbol} = {value}" for name, value in asked.settings)
    return f"all {asked.functions} in every dimension at {given}"
