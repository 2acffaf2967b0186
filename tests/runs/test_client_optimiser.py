"""Client optimisers: what they may ask, what they must return, and the limits that a case gives their steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

from fltheory.model.case import Case
from fltheory.papers.delta_sgd.algorithms.optimisers import sgd
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import (
    BATCHES_PER_STEP,
    Batches,
    ClientOptimiser,
    ClientOracle,
    adaptive_optimiser,
    federated_averaging,
)
from fltheory.runs.constants import Constants
from fltheory.runs.method import AssumptionFailed, VariantError
from fltheory.runs.oracle import RandomOracle
from fltheory.runs.step_rule import StepRule, auto_tuned

NOISY = QuadraticClients((1, 2), (0, 1), 1, noise_std=1)
SETTINGS: dict[str, Any] = {"initial_step_size": "1/10", "initial_ratio": 1, "growth_damping": 1, "amplifier": 1}
CASE = Case(NOISY, n_rounds=3, n_local_steps=3, **SETTINGS)


def mine(step: Callable[..., Any], batches: Any = 1) -> ClientOptimiser:
    return ClientOptimiser("mine", step, lambda x, c: None, batches)


def asking(batch: object) -> Callable[..., tuple[np.ndarray, object]]:
    return lambda x, state, ask, c: (x - 0.1 * ask.gradient(x, batch), state)


# Mini-batches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batches", [0, -1, 1.5, True, None])
def test_a_local_step_has_at_least_one_mini_batch(batches: object) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        federated_averaging(mine(asking(0), batches))


@pytest.mark.parametrize("batch", [1, 9, -1, True, 0.0, None])
def test_a_step_asks_for_its_own_mini_batches_only(batch: object) -> None:
    with pytest.raises(VariantError, match="mini-batch"):
        rollout(federated_averaging(mine(asking(batch))), CASE, 2)


def test_all_mini_batches_of_a_step_may_be_asked_for() -> None:
    first, second = (rollout(federated_averaging(mine(asking(batch), 2)), CASE, 2) for batch in (0, np.int64(1)))
    assert (first[:, 1:] != second[:, 1:]).all()
    assert rollout(federated_averaging(mine(asking(0))), CASE, 2)[:, 0] == pytest.approx(first[:, 0])


def test_an_ask_of_unknown_size_counts_on() -> None:
    x, oracle = np.ones((5, 1)), RandomOracle(NOISY, 0, np.arange(5), 0)
    plain = ClientOracle(oracle, 0, 4)
    assert (plain.gradient(x, 3) == oracle.gradient(x, 0, 7)).all()
    with pytest.raises(VariantError, match="batches = 3: expected one from 0 to 2"):
        ClientOracle(oracle, 0, 4, 3).gradient(x, 3)


def test_the_reading_of_the_mini_batches_is_one_of_four() -> None:
    for batches, drawn in BATCHES_PER_STEP.items():
        assert adaptive_optimiser(batches=batches).batches == drawn
    with pytest.raises(ValueError, match="'foo': expected one of fresh, pair, same, reuse"):
        adaptive_optimiser(batches=cast(Batches, "foo"))


# What a step returns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (x[:1], None), r"\(1, 1\), expected points of shape \(4, 1\)"),
        (lambda x: (x[:, 0], None), r"expected points of shape \(4, 1\)"),
        (lambda x: (None, None), "NoneType, expected points"),
        (lambda x: x, r"ndarray, expected a pair \(x, state\)"),
        (lambda x: (x, None, None), "tuple, expected a pair"),
        (lambda x: [x, None], "list, expected a pair"),
        (lambda x: np.stack([x, x]), "ndarray, expected a pair"),
        (lambda x: None, "NoneType, expected a pair"),
    ],
)
def test_a_step_returns_points_and_a_state(answer: Callable[..., object], words: str) -> None:
    with pytest.raises(VariantError, match=words):
        rollout(federated_averaging(mine(lambda x, state, ask, c: answer(x))), CASE, 4)
    assert (rollout(federated_averaging(mine(lambda x, state, ask, c: (x, None))), CASE, 4) == 1).all()


# Limits of the steps ---------------------------------------------------------------------------------------------------


def followed(factor: float, own: bool = False, **limits: object) -> np.ndarray:
    def step(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        return lr * factor

    rule = StepRule("scaled", step, auto_tuned.exact if own else None)
    return rollout(federated_averaging(adaptive_optimiser(rule)), CASE.with_settings(**limits), 2)


@pytest.mark.parametrize(
    ("factor", "limits", "words"),
    [
        (
            2.0,
            {"largest_step": "3/10"},
            r"round 0, client 1, local step 2: the step 0.4 of scaled, pair leaves \[least_step, largest_step\] = \[0, 0.3\]",
        ),
        (0.5, {"least_step": "1/30"}, "the step 0.025 of scaled, pair leaves"),
        (1e-9, {"least_step": "1/30", "largest_step": 1}, "the claim is about steps within"),
        (1.0, {"least_step": "1/9"}, "the step 0.1 of scaled, pair leaves"),
        (1 + 1e-8, {"largest_step": "1/10"}, "leaves"),
    ],
)
def test_a_rule_of_ones_own_keeps_to_the_limits(factor: float, limits: dict[str, Any], words: str) -> None:
    with pytest.raises(AssumptionFailed, match=words):
        followed(factor, **limits)
    assert np.isfinite(followed(factor)).all()  # without limits
    with pytest.raises(AssumptionFailed, match=words):
        followed(factor, own=True, **limits)  # whoever made it


@pytest.mark.parametrize("factor", [1.0, 1 + 1e-10, 1 - 1e-10])
def test_steps_at_a_limit_are_within(factor: float) -> None:
    assert np.isfinite(followed(factor, least_step="1/10", largest_step="1/10")).all()


def test_an_optimiser_with_a_new_step_is_not_taken_for_the_librarys() -> None:
    assert sgd.own
    assert sgd._replace(name="mine").own
    assert not sgd._replace(step=lambda x, state, ask, c: (x, state)).own
    assert not federated_averaging(sgd._replace(init=lambda x, c: 0)).anonymous
