"""A claim without one of its conditions: is it refuted where the condition fails, or perhaps still true?

Only cases that break the condition are relevant. The family samples few or none, so they are made from cases within
the hypotheses: numbers are scaled until only the condition fails; the search goes on from these.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle, islice, zip_longest
from random import Random
from typing import Any

from sympy.core.relational import Relational

from fltheory.claims.check import inapplicable_reason
from fltheory.claims.claim import Claim, python_name_of
from fltheory.evidence.verdict import import_lines
from fltheory.model.case import Case
from fltheory.runs.method import VariantError
from fltheory.search.deadline import DeadlinePassed, stop_at_deadline
from fltheory.search.falsifier import case_length, falsify
from fltheory.search.history import CheckFailed
from fltheory.search.neighbours import is_count, leaves, random_neighbour, with_leaves
from fltheory.search.reshaping import rearranged_case
from fltheory.verification import find
from fltheory.work import BudgetExhausted, charge_each, work_limit

PUSH_FACTORS = (256, 16, 65536, 4, 2)  # factors that push a number out of a condition, up and down
CASES_PER_FACTOR = 8  # cases that break the condition, for each factor, at which the search starts
PUSH_SHARE = 0.08  # of the work, to find those of one factor, and as much for several numbers at once
MIN_SEARCH_WORK = 300  # least units of a search
PUSH_COST = 0.1  # units to make a case that breaks a condition
MAX_MOVES = 2000  # numbers changed at once
MOVE_STD = 3.0  # standard deviation of the logarithms when several numbers change
MIN_CASES = 300  # number of cases that break the condition, below which nothing is concluded


@dataclass(frozen=True)
class DroppedCondition:
    """The result of a search where a condition is broken; ``counterexample`` is a line of Python that reproduces it.

    ``cases`` break the condition, meet all others and were decided.
    """

    condition: str
    counterexample: str | None
    cases: int
    seconds: float
    reason: str = ""
    interrupted: bool = False  # by Ctrl-C

    @property
    def is_needed(self) -> bool | None:
        """Return True if refuted without it, False if not refuted on FEWEST cases, None for fewer cases."""
        if self.counterexample is not None:
            return True
        return False if self.cases >= MIN_CASES else None

    def __str__(self) -> str:
        head = f"without the condition {self.condition}:"
        if self.counterexample is not None:
            return f"{head} refuted, it is needed\n  by {self.counterexample}"
        if not self.cases:
            return f"{head} nothing was tested: {self.reason or 'no case found breaks it and meets all else'}"
        seen = f"{self.cases} case{'' if self.cases == 1 else 's'} that break{'s' * (self.cases == 1)} it"
        if self.is_needed is None:
            return f"{head} not decided, only {seen} could be tested in {self.seconds:.1f} s"
        return f"{head} no counterexample in {seen}, {self.seconds:.1f} s: it may not be needed"

    def row(self) -> dict[str, Any]:
        """Return the result as JSON; ``needed`` is true or null, as no search shows that a condition is not needed."""
        return {
            "condition": self.condition,
            "needed": self.is_needed or None,
            "decided": self.is_needed is not None,
            "counterexample": self.counterexample,
            "cases": self.cases,
            "seconds": round(self.seconds, 3),
        }


def drop_condition(claim: Claim | str, condition: Relational | str) -> Claim:
    """Return the claim, or that of an id, without one condition (its ``str``); ValueError if it has none such."""
    claim = find(claim) if isinstance(claim, str) else claim
    if str(condition) not in map(str, conditions_of(claim)):
        raise ValueError(f"{claim.id} has no condition {condition}; it has {', '.join(map(str, conditions_of(claim)))}")
    kept = tuple(
        replace(b, conditions=tuple(c for c in b.conditions if str(c) != str(condition))) for b in claim.bounds
    )
    return replace(claim, bounds=kept).recorded_as("holds")


def conditions_of(claim: Claim) -> tuple[Relational, ...]:
    """Return the conditions in the constants over all bounds of a claim, each once."""
    return tuple(dict.fromkeys(c for bound in claim.bounds for c in bound.conditions))


def drop_each_condition(
    claim: Claim, start: Sequence[Case], work: float, deadline: float, seed: int
) -> Iterator[DroppedCondition]:
    """Search with each condition broken in turn, with equal work; ``start``: cases within the hypotheses.

    After Ctrl-C no further search starts.
    """
    asked = conditions_of(claim) if claim.family is not None else ()
    for condition in asked:
        found = _without(claim, condition, start, work / len(asked), deadline, seed)
        yield found
        if found.interrupted:
            return


def _without(
    claim: Claim, condition: Relational, start: Sequence[Case], work: float, deadline: float, seed: int
) -> DroppedCondition:
    began = time.perf_counter()
    broken = with_broken_condition(claim, condition)
    pushed: dict[str, Case] = {}
    for candidates in (
        *(_single_scalings(start, factor) for factor in PUSH_FACTORS),
        _random_moves(start, Random(seed)),
    ):
        with suppress(DeadlinePassed, BudgetExhausted), stop_at_deadline(deadline), work_limit(PUSH_SHARE * work):
            those = (case for case in charge_each(candidates, PUSH_COST) if _is_within_hypotheses(broken, case))
            pushed.update((case.arguments(), case) for case in islice(those, CASES_PER_FACTOR))
    if not pushed:
        return DroppedCondition(str(condition), None, 0, time.perf_counter() - began)
    try:
        most, left = (
            max(MIN_SEARCH_WORK, int(work)),
            None if deadline == math.inf else max(0.1, deadline - time.perf_counter()),
        )
        starts = tuple(sorted(pushed.values(), key=case_length))
        found = falsify(broken, work=most, seconds=left, seed=seed, start=starts)
    except (CheckFailed, VariantError) as error:
        why = f"the check breaks on cases outside it ({error})"
        return DroppedCondition(str(condition), None, 0, time.perf_counter() - began, why)
    counterexample = None if found.verdict is None else _reproducer(claim, condition, found.verdict.case)
    decided = found.tested - found.undecided
    return DroppedCondition(
        str(condition), counterexample, decided, time.perf_counter() - began, found.reason, found.interrupted
    )


def _is_within_hypotheses(claim: Claim, case: Case) -> bool:
    """Return whether a generated case is within the hypotheses; the check may break on an invalid case."""
    try:
        return inapplicable_reason(claim, case) is None
    except (LookupError, TypeError, ArithmeticError, VariantError):
        return False


def with_broken_condition(claim: Claim, condition: Relational) -> Claim:
    """Return the claim with the negation of one condition in its place."""
    turned = tuple(
        replace(b, conditions=tuple(c.negated if c == condition else c for c in b.conditions))
        if condition in b.conditions
        else replace(b, conditions=(*b.conditions, condition.negated))
        for b in claim.bounds
    )
    return replace(claim, bounds=turned).recorded_as("holds")


def _single_scalings(start: Sequence[Case], factor: int) -> Iterator[Case]:
    """Yield cases with one number scaled, from each in turn."""
    made = zip_longest(*(_scalings(case, factor) for case in start))
    return (case for row in made for case in row if case is not None)


def _scalings(case: Case, factor: int) -> Iterator[Case]:
    """Yield the case with each number times the factor (counts stay whole and positive) or 0; settings first.

    A number equal to 0 becomes 1, or the factor.
    """
    numbers = leaves(case)
    for path in sorted(numbers, key=lambda p: p[0] != "settings"):
        value = numbers[path]
        less = max(1, int(value) // factor) if is_count(path) else Fraction(value) / factor
        others = (value * factor, less, 0) if value else (1, Fraction(1, factor))
        for new in dict.fromkeys(others):
            made = with_leaves(case, {path: new}) if new != value else None
            if made is not None:
                yield made


def _random_moves(start: Sequence[Case], random: Random) -> Iterator[Case]:
    """Yield cases with several numbers changed far at random, half of them with other clients or rows."""
    for case in islice(cycle(start), MAX_MOVES):
        made = rearranged_case(case, random) if random.random() < 0.5 else case
        for _ in range(random.choice((0, 0, 1, 2))):
            made = None if made is None else random_neighbour(made, MOVE_STD, random)
        if made is not None:
            yield made


def _reproducer(claim: Claim, condition: Relational, case: Case) -> str:
    """Return a line of Python that checks the claim without the condition on a case."""
    own = "from fltheory.search.tightness.drop_condition import drop_condition"
    imports = f"from fltheory import verify; {own}; {import_lines(case.instance)}"
    return f'{imports}; print(verify(drop_condition({python_name_of(claim)}, "{condition}"), {case.arguments()}))'
