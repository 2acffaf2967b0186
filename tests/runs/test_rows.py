"""Steps with a state: laid out in rows, followed exactly, and refused where the state has no form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim, Entry
from fltheory.evidence.exact import exact_value
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, as_number
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.flat_states import restore_dtype, with_row_states
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, RunMeasure
from fltheory.runs.method import VariantError
from fltheory.verification import find

CLIENTS = QuadraticClients((1, "1/2"), (1, -2), 3, "1/2")
CASE = Case(CLIENTS, n_rounds=3, n_local_steps=1, step_size="1/5")
MEASURES = (LastGap(), LastDistance(), AveragedGap(sympy.Rational(1, 2)), LeastGradient())


def start_at_rest(start: np.ndarray, c: Any) -> dict[str, np.ndarray]:
    return {"velocity": 0 * start, "x": start}


def momentum(state: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
    x = state["x"]
    for client in oracle.order().T:
        x = x - c.step_size * oracle.gradient(x, client)
    velocity = state["velocity"] / 2 + x - state["x"]
    return {"velocity": velocity, "x": state["x"] + velocity}


def fading(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        x = x - c.step_size / (c.round + 1) * oracle.gradient(x, client)
    return x


def dropout(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        x = x - c.step_size * oracle.coin(0.25)[:, None] * oracle.gradient(x, client)
    return x


def chosen(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    client = oracle.choice([1, 2])
    return x - c.step_size * oracle.gradient(x, client) * (3 / (client + 1) / 2)[:, None]


STEPS: dict[str, Algorithm] = {
    "momentum": Algorithm("momentum", momentum, init=start_at_rest),
    "fading": Algorithm("fading", fading),
    "dropout": Algorithm("dropout", dropout),
    "chosen": Algorithm("chosen", chosen),
}


def by_courses(measure: RunMeasure, algorithm: Algorithm, case: Case) -> Fraction:
    """The measured quantity from every course in rationals."""
    states, chances = enumerate_runs(algorithm, case, RATIONAL, 100_000)
    values = measure.values(states[..., : case.instance.dim], case)
    means = [sum((v * p for v, p in zip(column, chances, strict=True)), RATIONAL.scalar(0)) for column in values.T]
    return min(Fraction(as_number(m)) for m in means)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("name", STEPS)
def test_moments_are_those_of_every_course(name: str, measure: RunMeasure) -> None:
    algorithm = with_row_states(STEPS[name], CASE)
    expected = by_courses(measure, algorithm, CASE)
    assert as_number(exact_value(measure, algorithm, CASE, RATIONAL)) == expected
    ball = exact_value(measure, algorithm, CASE, BALL)
    assert abs(float(ball.mid()) - float(expected)) < 1e-12


@pytest.mark.parametrize("name", STEPS)
def test_simulated_runs_have_the_exact_mean(name: str) -> None:
    algorithm = with_row_states(STEPS[name], CASE)
    exact = float(by_courses(LastDistance(), algorithm, CASE))
    runs = rollout(algorithm, CASE, 20_000)[..., :1]
    assert LastDistance().values(runs, CASE).mean() == pytest.approx(exact, rel=0.05)


def test_a_mutant_of_a_state_has_another_mean() -> None:
    """What is remembered matters: without the velocity the moments differ."""
    forgetful = Algorithm("forgets", lambda s, o, c: {**momentum(s, o, c), "velocity": 0 * s["x"]}, init=start_at_rest)
    own, other = (by_courses(LastGap(), with_row_states(a, CASE), CASE) for a in (STEPS["momentum"], forgetful))
    assert own != other


# Coins and choices ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [Fraction(1, 3), "1/3", 0.1, 1, 0])
def test_a_coin_has_its_chance_exactly(p: float | Fraction | str) -> None:
    case = Case(QuadraticClients((1,), (0,), 5), n_rounds=1, n_local_steps=1, step_size=1)
    tossed = Algorithm("tossed", lambda x, oracle, c: x * oracle.coin(p)[:, None])
    states, chances = enumerate_runs(tossed, case, RATIONAL)
    mean = sum((s * w for s, w in zip(states[:, -1, 0], chances, strict=True)), RATIONAL.scalar(0))
    assert as_number(mean) == 5 * Fraction(str(p))


def test_a_choice_is_in_proportion_to_its_weights() -> None:
    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=1, n_local_steps=1, step_size=1)
    of_weights = Algorithm("chosen", lambda x, oracle, c: x * 0 + oracle.choice([1, 0, 3])[:, None])
    states, chances = enumerate_runs(of_weights, case, RATIONAL)
    found = {int(as_number(s)): Fraction(as_number(w)) for s, w in zip(states[:, -1, 0], chances, strict=True)}
    assert found == {0: Fraction(1, 4), 2: Fraction(3, 4)}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda oracle: oracle.coin(1.5), "a coin's chance must lie in"),
        (lambda oracle: oracle.coin(np.ones(3)), "the runs first"),
        (lambda oracle: oracle.coin("a third"), "a third"),
        (lambda oracle: oracle.choice([-1, 2]), "nonnegative"),
        (lambda oracle: oracle.choice([0, 0]), "not all 0"),
        (lambda oracle: oracle.value(np.ones((2, 1)), 7), "client 7"),
    ],
)
def test_what_can_t_be_asked_is_told(ask: Callable[[Any], object], words: str) -> None:
    with pytest.raises(VariantError, match=words):
        rollout(Algorithm("asks", lambda x, oracle, c: x * 0 + len(str(ask(oracle)))), CASE, 2)


def claim_about(algorithm: Algorithm) -> tuple[Claim, Case]:
    claim = find("sfl/T3-SC@corrected")
    return claim.__class__(**{**vars(claim), "algorithm": algorithm, "entry": Entry()}), claim.cases[1]


def test_a_step_that_throws_other_coins_on_exact_numbers_is_refused() -> None:
    """Its chance is another one in floats: what was followed exactly is not what a simulation runs."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        p = 0.5 if x.dtype == object else 0.9
        return x - c.step_size * oracle.coin(p)[:, None] * oracle.gradient(x, 0)

    verdict = check_claim(*claim_about(Algorithm("two-faced", step)))
    assert verdict.status == "inapplicable" or verdict.evidence != "exact", str(verdict)


# States ---------------------------------------------------------------------------------------------------------------


def test_chances_that_are_balls_or_a_hair_below_0_are_chances() -> None:
    irrational = Case(CLIENTS, n_rounds=2, n_local_steps=1, step_size=sympy.sqrt(2) / 10)
    by_step = Algorithm("by step", lambda x, o, c: x - o.coin(c.step_size)[:, None] * o.gradient(x, 0))
    states, chances = enumerate_runs(by_step, irrational, BALL)
    assert float(sum(chances, 0).mid()) == pytest.approx(1)
    assert len(states) == 4 * 4

    def falling(state: Any, oracle: Any, c: Any) -> Any:
        there = oracle.coin(state["p"])[:, None]
        return {"x": state["x"] / 2 * there, "p": state["p"] - 0.1}

    falls = with_row_states(
        Algorithm("falls", falling, init=lambda start, c: {"x": start, "p": 0 * start[:, 0] + 0.3}), CASE
    )
    assert rollout(falls, Case(CLIENTS, n_rounds=4, n_local_steps=1, step_size=1), 4).shape == (4, 5, 2)


def test_two_algorithms_of_one_step_are_judged_apart() -> None:
    def clipped(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        for client in oracle.order().T:
            x = np.maximum(x - c.step_size * oracle.gradient(x, client), -5)
        return x

    own, halved = Algorithm("own", clipped), Algorithm("halved", clipped, init=lambda start, c: start / 2)
    found = [
        check_claim(claim_about(algorithm)[0], CASE)
        for algorithm in (own, halved, Algorithm("sets", clipped, ordered=False))
    ]
    assert not any(verdict.broken for verdict in found)


class Pair(NamedTuple):
    x: np.ndarray
    memory: dict[str, np.ndarray]


@dataclass(frozen=True)
class Record:
    x: np.ndarray
    table: np.ndarray


def halves(state: Any, oracle: Any, c: Any) -> Any:
    """Half the way to 0, in states of any form."""
    if isinstance(state, Pair):
        return Pair(state.x / 2, {"before": state.x})
    if isinstance(state, Record):
        return Record(state.x / 2, state.table + state.x[:, :, None])
    return (state[0] + 1, state[1] / 2)


@pytest.mark.parametrize(
    ("init", "point", "width"),
    [
        (lambda start, c: Pair(start, {"before": start}), None, 2),
        (lambda start, c: Record(start, np.zeros((len(start), 1, 3)) + 0 * start[:, :, None]), None, 4),
        (lambda start, c: (0 * start, start), lambda state: state[1], 3),
    ],
    ids=["named tuple", "dataclass", "tuple with a point"],
)
def test_states_of_every_form(init: Any, point: Any, width: int) -> None:
    algorithm = with_row_states(Algorithm("halves", halves, init=init, point=point), CASE)
    states, _ = enumerate_runs(algorithm, CASE, RATIONAL)
    assert states.shape == (1, 4, width)
    assert [as_number(v) for v in states[0, :, 0]] == [3, Fraction(3, 2), Fraction(3, 4), Fraction(3, 8)]
    assert rollout(algorithm, CASE, 2)[1, :, 0].tolist() == [3, 1.5, 0.75, 0.375]


@pytest.mark.parametrize(
    ("init", "step", "words"),
    [
        (lambda start, c: {"point": start}, None, "none is called x"),
        (lambda start, c: {"x": start[:, 0]}, None, "expected .runs, 1."),
        (lambda start, c: {"x": start, "n": 0}, None, "with the runs first"),
        (None, lambda s, o, c: {"x": s["x"]}, "expected what init made"),
        (None, lambda s, o, c: {**s, "velocity": s["x"][:, 0]}, "the part velocity"),
        (None, lambda s, o, c: s["x"], "expected what init made"),
        (lambda start: {"x": start}, None, "positional argument"),
        (lambda start, c: {"x": start, "g": start * 1j}, None, "expected real numbers"),
        (lambda start, c: {"x": start, "g": np.array([["a"]] * len(start))}, None, "expected real numbers"),
    ],
)
def test_a_state_without_form_is_told(init: Any, step: Any, words: str) -> None:
    algorithm = Algorithm("mine", step or momentum, init=init or start_at_rest)
    verdict = check_claim(*claim_about(algorithm))
    assert verdict.status == "inapplicable"
    with pytest.raises(VariantError, match=words):
        rollout(with_row_states(algorithm, CASE), CASE, 2)


def test_clients_tell_the_values_of_their_objectives() -> None:
    """Their differences are the gradient's, and their mean grows like the gap."""
    x, h = np.array([[1.3], [-0.7]]), 1e-6
    for m in range(2):
        slope = (CLIENTS.client_value(x + h, m) - CLIENTS.client_value(x - h, m)) / (2 * h)
        assert slope == pytest.approx(CLIENTS.gradient(x, m)[:, 0], rel=1e-6)
    mean = np.mean([CLIENTS.client_value(x, m) for m in range(2)], axis=0)
    assert np.diff(mean) == pytest.approx(np.diff(CLIENTS.gap(x)))


# Counts and truths ------------------------------------------------------------------------------------------------------


def counting(state: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
    """Counts index a table and truths choose: each has to come back as what init made it."""
    x, steps = state["x"], np.array([3, 2, 1])[state["seen"]]
    x = x - c.step_size / 6 * np.where(state["even"], steps, 0) * oracle.gradient(x, oracle.order()[:, 0])
    return {"x": x, "seen": state["seen"] + 1, "even": ~state["even"]}


def uncounted(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """The same without a memory."""
    factor = {0: 3, 1: 0, 2: 1}[c.round]
    return x - c.step_size / 6 * factor * oracle.gradient(x, oracle.order()[:, 0])


def from_zero(start: np.ndarray, c: Any) -> dict[str, np.ndarray]:
    return {"x": start, "seen": np.zeros((len(start), 1), dtype=int), "even": np.full((len(start), 1), True)}


@pytest.mark.parametrize("measure", MEASURES[:2])
def test_counts_and_truths_stay_what_they_are(measure: RunMeasure) -> None:
    rows = with_row_states(Algorithm("counting", counting, init=from_zero), CASE)
    assert exact_value(measure, rows, CASE, RATIONAL) == exact_value(
        measure, Algorithm("uncounted", uncounted), CASE, RATIONAL
    )
    run = rollout(rows, CASE, 3)
    assert run[:, :, :1].tolist() == rollout(Algorithm("uncounted", uncounted), CASE, 3).tolist()


@pytest.mark.parametrize(
    ("init", "words"),
    [
        (lambda start, c: np.concatenate([start, start], axis=1), "expected points of shape .*as its part x"),
        (lambda start, c: {"x": start + c.round}, "c.round is available only in a step"),
    ],
)
def test_a_first_state_of_another_form_is_named(init: Callable[..., Any], words: str) -> None:
    with pytest.raises(VariantError, match=words):
        with_row_states(Algorithm("broken", momentum, init=init), CASE)


def test_integers_that_floats_round_are_refused() -> None:
    def tripled(state: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
        return {**counting(state, oracle, c), "seen": state["seen"]}

    def far(start: np.ndarray, c: Any) -> dict[str, np.ndarray]:
        return {**from_zero(start, c), "seen": np.full((len(start), 1), 2**53 + 1)}

    with pytest.raises(VariantError, match=r"the part seen .*integers of 2\^53 and more"):
        with_row_states(Algorithm("far", tripled, init=far), CASE)


def test_integers_too_large_for_floats_stay_exact_numbers_on_exact_rows() -> None:
    large = np.array([[fmpq(2**60 + 1)]], dtype=object)
    assert restore_dtype(large, np.dtype(int)) is large
    assert restore_dtype(np.array([[fmpq(7)]], dtype=object), np.dtype(int)).tolist() == [[7]]
