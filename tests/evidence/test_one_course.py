"""A run that draws nothing is one run: in floats it is known up to what its shadows are off, and never said more precisely."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_ball
from fltheory.evidence.single_path import evaluate_single_path
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient
from fltheory.runs.method import NotEnumerable
from fltheory.verification import find

CLAIM = find("sfl/T7@explicit")
CASE = Case(QuadraticClients((1, 1, "1/2"), (1, -1, 0), 1), n_rounds=1200, n_local_steps=1, step_size="1/18")
SHORT = Case(QuadraticClients((1, 1, "1/2"), (1, -2, "1/3"), 1), n_rounds=9, n_local_steps=1, step_size="1/5")
NOISY = Case(QuadraticClients((1, 1), (1, -1), 1, "1/10"), n_rounds=9, n_local_steps=1, step_size="1/5")


def mean(x: Any, oracle: Any, c: Any) -> Any:
    return sum(oracle.gradient(x, m, 0) for m in range(c.n_clients)) / c.n_clients


def plain(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size * mean(x, oracle, c)


def solved(x: Any, oracle: Any, c: Any) -> Any:
    """The same by a solver of floats alone."""
    return x - np.linalg.solve(np.eye(x.shape[1]) / c.step_size, mean(x, oracle, c).T).T


def shuffled(x: Any, oracle: Any, c: Any) -> Any:
    return solved(x, oracle, c) + 0 * oracle.order()[:, :1]


def tossed(x: Any, oracle: Any, c: Any) -> Any:
    return solved(x, oracle, c) * np.where(oracle.coin(0.5), 1, 1)[:, None]


def jumping(x: Any, oracle: Any, c: Any) -> Any:
    """Which way it goes in the third round hangs on the last digit."""
    moved = solved(x, oracle, c)
    if c.round == 0:
        return 0 * moved + 0.1 + 0.2
    return np.where(moved * 0 + x > 0.3, 100.0, -1.0) if c.round == 1 else moved


def of(step: Any, claim: Claim = CLAIM) -> Claim:
    return replace(claim, algorithm=Algorithm("mine", step))


def test_it_is_judged_pathwise_and_its_mutant_violated() -> None:
    verdict = check_claim(of(solved), CASE)
    assert (verdict.status, verdict.evidence) == ("holds", "sampled")
    small = replace(CLAIM, bounds=tuple(b.scaled(Fraction(1, 10**9)) for b in CLAIM.bounds))
    slow = Case(CASE.instance, n_rounds=40, n_local_steps=1, step_size="1/18")
    assert check_claim(of(plain, small), slow).status == check_claim(of(solved, small), slow).status == "violated"
    assert check_claim(of(solved, small), slow).evidence == "sampled"


@pytest.mark.parametrize("measure", [LastGap(), LastDistance(), AveragedGap(sympy.Rational(1, 2)), LeastGradient()])
def test_what_is_known_holds_the_exact_value(measure: Any) -> None:
    exactly = to_float(exact_ball(measure, Algorithm("plain", plain), SHORT).value)
    found = evaluate_single_path(measure, Algorithm("solved", solved), SHORT).value
    assert found.low <= exactly <= found.high
    assert found.high - found.low <= 1e-6 * exactly


def test_what_floats_can_no_longer_tell_is_no_violation() -> None:
    """The exact value is far below what floats come to: a bound between the two is left open."""
    exactly = to_float(exact_ball(LastGap(), Algorithm("plain", plain), CASE).value)
    found = evaluate_single_path(LastGap(), Algorithm("solved", solved), CASE).value
    assert exactly < 1e-40
    assert found.low <= exactly <= found.high


def test_a_jump_is_left_open() -> None:
    found = evaluate_single_path(LastGap(), Algorithm("jumping", jumping), SHORT).value
    assert found.low == 0
    assert found.high > 1


@pytest.mark.parametrize(
    ("step", "case"), [(shuffled, SHORT), (tossed, SHORT), (solved, NOISY)], ids=["order", "coin", "noise"]
)
def test_what_draws_has_more_than_one_course(step: Any, case: Case) -> None:
    with pytest.raises(NotEnumerable):
        evaluate_single_path(LastGap(), Algorithm("mine", step), case)


def signed(x: Any, oracle: Any, c: Any) -> Any:
    """In exact numbers it rests at 0 after three rounds; floats miss 0 by 1e-17 and go on for ever."""
    return x - c.step_size * np.copysign(np.sign(oracle.gradient(x, 0)), oracle.gradient(x, 0))


def rounded(x: Any, oracle: Any, c: Any) -> Any:
    """To multiples of the step: 3.5 of them, which floats take for less."""
    return c.step_size * np.rint(x / c.step_size)


@pytest.mark.parametrize(("step", "start", "rounds"), [(signed, "3/10", 9), (rounded, "7/20", 1)])
def test_a_tie_that_floats_miss_is_left_open(step: Any, start: str, rounds: int) -> None:
    case = Case(QuadraticClients((1,), (0,), start), n_rounds=rounds, n_local_steps=1, step_size="1/10")
    found = evaluate_single_path(LastGap(), Algorithm("mine", step), case).value
    assert (found.low, found.high) == (0, np.inf)
