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
from fltheory.evidence import single_path
from fltheory.evidence.exact import exact_ball
from fltheory.evidence.single_path import evaluate_single_path
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import run_constants
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient
from fltheory.runs.method import NotEnumerable, VariantError
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


# Perturbed copies --------------------------------------------------------------------------------------------------------


def test_the_interval_is_a_hundred_deviations_and_a_billionth_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the largest deviation of a copy; not below 0, and with the measure's own error."""

    class Erring(LastGap):
        def float_error(self, case: Case) -> float:
            return 0.25

    def values(measure: Any, states: np.ndarray, case: Case) -> np.ndarray:
        found = np.full((len(states), 1), 4.0)
        found[3], found[7] = 4.01, 3.98
        return found

    monkeypatch.setattr(single_path, "run_values", values)
    for measure, more in ((LastGap(), 0.0), (Erring(), 0.25)):
        found = evaluate_single_path(measure, Algorithm("solved", solved), SHORT)
        off = 100 * 0.02 + 1e-9 * 4.01 + more
        assert found.value == (pytest.approx(4 - off, rel=1e-12), pytest.approx(4 + off, rel=1e-12))
        assert (found.estimate, found.evidence, found.note) == (4.0, "sampled", "")
    monkeypatch.setattr(single_path, "run_values", lambda m, states, c: np.linspace(1, 1.5, len(states))[:, None])
    assert evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT).value.low == 0.0
    two = np.array([4.0, 3.0])
    monkeypatch.setattr(single_path, "run_values", lambda m, states, c: np.tile(two, (len(states), 1)))
    assert evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT).estimate == 3.0  # the least column


def test_nan_of_the_run_is_a_broken_variant_and_of_a_copy_no_knowledge(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_nan(at: int) -> Any:
        def values(measure: Any, states: np.ndarray, case: Case) -> np.ndarray:
            found = np.ones((len(states), 1))
            found[at] = np.nan
            return found

        return values

    monkeypatch.setattr(single_path, "run_values", with_nan(0))
    with pytest.raises(VariantError, match="solved: the measure of a run is NaN"):
        evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT)
    monkeypatch.setattr(single_path, "run_values", with_nan(4))
    assert evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT).value == (0.0, np.inf)


def test_what_has_no_single_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotEnumerable, match="more than one sample path"):
        evaluate_single_path(LastGap(), find("sfl/T7@explicit").algorithm, SHORT)
    with pytest.raises(NotEnumerable, match="more than one sample path"):
        evaluate_single_path(LastGap(), Algorithm("solved", solved), NOISY)
    monkeypatch.setattr(single_path, "MAX_SIMULATED_ROUNDS", 8)
    with pytest.raises(NotEnumerable, match="9 rounds are too many to simulate"):
        evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT)
    monkeypatch.setattr(single_path, "MAX_SIMULATED_ROUNDS", 9)
    assert evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT).value.high > 0


def test_constants_are_perturbed_both_ways_in_two_groups() -> None:
    c = run_constants(SHORT, None)
    first, *others = single_path._perturbed_constants(c)
    assert first is c
    assert len(others) == 4
    floats = [n for n, v in vars(c).items() if isinstance(v, float)]
    assert floats
    for up, down in (others[:2], others[2:]):
        for name in floats:
            ways = [vars(o)[name] / vars(c)[name] - 1 for o in (up, down)]
            assert sorted(ways) == pytest.approx([-1e-13, 1e-13], abs=2e-16)
        assert all(vars(up)[n] == vars(c)[n] for n in vars(c) if n not in floats)


def test_copies_are_perturbed_by_their_size_and_counts_are_not() -> None:
    x = np.tile(np.array([2.0, -3.0, 5.0, 0.5]), (18, 1))
    moves = single_path._perturbations(x, 40.0, 2, 0, 0)
    assert moves.shape == (16, 4)
    assert np.abs(moves) == pytest.approx(
        np.tile([6e-13, 7e-13, 0, 4.5e-13], (16, 1))
    )  # the third is a count of the memory
    assert {*np.sign(moves[:, 0])} == {-1, 1}
    assert (np.sign(moves[:, 0]) != np.sign(moves[:, 1])).any()
    assert (moves != single_path._perturbations(x, 40.0, 2, 1, 0)).any()
    assert (moves != single_path._perturbations(x, 40.0, 2, 0, 1)).any()


def test_a_copy_is_rounded_to_decimals_that_are_close() -> None:
    snap = single_path._snap_to_decimals
    assert snap(np.array([0.1 + 0.2, 0.5 + 3e-12]), 1.0).tolist() == pytest.approx([0.3, 0.5], abs=1e-16)
    assert snap(np.array([0.5 + 3e-11]), 1.0)[0] != 0.5
    far = np.array([1e15, 1e3 + 1e-13])
    assert snap(far, 1.0)[0] == 1e15
    large = np.array([12345.678901234567e3])
    assert snap(large, 1e-9).tolist() == large.tolist()  # there are no such decimals of it
    for work in (0.0, np.inf, np.nan):
        assert snap(large, work) is large


def test_copies_diverge_by_a_millionth(monkeypatch: pytest.MonkeyPatch) -> None:
    plain_states = single_path._perturbed_states

    def pushed(by: float) -> Any:
        def states(plain: Any, c: Any, group: int) -> np.ndarray:
            found = plain_states(plain, c, group)
            found[5, 4] += by * (np.abs(found[0, 4]).max() + plain.work(found[0, 4:5])[0])
            return found

        return states

    for by, apart in ((0.9e-6, False), (1.1e-6, True), (np.nan, True)):
        monkeypatch.setattr(single_path, "_perturbed_states", pushed(by))
        found = evaluate_single_path(LastGap(), Algorithm("solved", solved), SHORT)
        assert (found.value.high == np.inf) == apart
        assert found.note == ("in floats rounding decides between different paths" if apart else "")
