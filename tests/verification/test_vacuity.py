"""Where a bound says nothing is said by every command, and from which value of a constant on it says more."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from sympy import sqrt

from fltheory import symbols
from fltheory.api.vacuity import nontrivial_range, trivial_bound_lines
from fltheory.claims.catalogue import catalogue
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.number import to_ball
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import evaluate_in_case
from fltheory.verification import find
from tests.typed import Run

CLAIM = "sfl/T7-GC@explicit"
AT = ("M=2", "K=1", "D=1", "L=1", "zeta_star=1", "eta=1/12", "sigma=0")
SAID = "vacuous: above the trivial bound D^2·L/2 = 0.5"
R, D, L = symbols.n_rounds, symbols.initial_distance, symbols.smoothness


def fixed(*words: str) -> list[str]:
    return [part for word in words for part in ("--set", word)]


def test_bound_worst_and_show_say_so(run: Run) -> None:
    assert SAID in run("bound", CLAIM, *fixed(*AT, "R=1"))[1]
    out = run("worst", CLAIM, *fixed(*AT, "R=1"))[1]
    assert f"78.2 times the worst case; {SAID}" in out
    assert "trivial bound: ≤ D^2·L/2; the bound exceeds it in none of its cases" in run("show", "sfl/T3-GC@printed")[1]
    above = replace(
        find(CLAIM), cases=(Case(QuadraticClients((1, 1), (1, -1), 1), n_rounds=1, n_local_steps=1, step_size="1/12"),)
    )
    (line,) = trivial_bound_lines(above)
    assert "the bound exceeds it in 1 of its 1 cases, such as QuadraticClients(" in line
    assert SAID in line


def test_nothing_is_said_where_the_bound_tells(run: Run) -> None:
    """The negative control."""
    assert "vacuous" not in run("bound", CLAIM, *fixed(*AT, "R=87"))[1]
    assert SAID in run("bound", CLAIM, *fixed(*AT, "R=86"))[1]


def test_from_which_round_on(run: Run) -> None:
    status, out, _ = run("bound", CLAIM, *fixed(*AT), "--nontrivial", "R")
    assert status == 0
    assert out == "nontrivial from R (n_rounds) = 87 on (every value up to 10^12 is decided; just below: vacuous)\n"
    known = [word for word in AT if word[0] not in "De"]
    out = run("bound", CLAIM, *fixed(*known, "D=1", "R=1000"), "--nontrivial", "eta")[1]
    assert "just below: vacuous; just above: the claim does not apply" in out
    out = run("bound", CLAIM, *fixed(*known, "D=1/100", "eta=1/12"), "--nontrivial", "R")[1]
    assert out.startswith("nontrivial at no value of R (n_rounds)")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*AT, "R=1"), "--nontrivial R: it is looked for, and must not be set"),
        (AT[1:], "missing M (n_clients)"),
        ((*AT, "mu=1"), ""),
    ],
)
def test_what_can_not_be_asked_is_said(run: Run, words: tuple[str, ...], told: str) -> None:
    status, _, err = run("bound", CLAIM, *fixed(*words), "--nontrivial", "R")
    assert (status, told in err) == (2 if told else 0, True), err


def bound_of(expr: object) -> Bound:
    return Bound(expr, Source("own", "Theorem 1"), (), "upper", (), ())  # type: ignore[arg-type]


@pytest.mark.parametrize("first", [1, 2, 3, 7, 1000, 123_456, 10**11 + 7])
def test_the_first_round_is_found_exactly(first: int) -> None:
    found = nontrivial_range(bound_of(D * sqrt(Fraction(first)) / sqrt(R)), D, R, {D: Fraction(1)})
    assert (found.low, found.high) == (first, 10**12)


def test_a_bound_that_grows_again_has_two_ends() -> None:
    """Nothing is supposed about how it grows: R + 100/R <= 25 from 5 to 20."""
    found = nontrivial_range(bound_of(R + 100 / R), D, R, {D: Fraction(25)})
    assert (found.low, found.high, found.below, found.above) == (5, 20, "nothing", "nothing")
    assert "to 20 (every value between is decided" in str(found)


def test_every_formula_of_a_trivial_bound_is_the_one_that_verdicts_use() -> None:
    looked = 0
    for claim in catalogue():
        formula = None if claim.measure is None else claim.measure.trivial_formula()
        if formula is None or claim.measure is None:
            continue
        for case in claim.cases[:1]:
            if not formula.free_symbols <= case.constants.keys():
                continue
            value = claim.measure.trivial(case)
            assert value is not None
            assert to_ball(value).overlaps(to_ball(evaluate_in_case(formula, case))), claim.id
            looked += 1
    assert looked > 100
