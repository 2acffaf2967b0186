"""Worst cases over classes of clients: known values, both sides exact, what is wrong is rejected."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory import Algorithm
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient
from fltheory.worst_case import symmetry_reduction
from fltheory.worst_case.certificate import Certificate, without_symmetry
from fltheory.worst_case.certificate import why_invalid as refused
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.symmetry_reduction import BlockFrame, WholeFrame
from fltheory.worst_case.symmetry_reduction.permutations import symmetry
from fltheory.worst_case.two_sided import bracket, why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket

CURVED = Smooth(1, "1/10")
ROUND: dict[str, Any] = {"initial_distance": 1, "heterogeneity_at_optimum": 1, "step_size": "1/10"}


def narrow(found: Bracket, width: float = 1e-6) -> tuple[float, float]:
    """Both ends, where the bracket is proved and narrow."""
    assert found.lower is not None
    assert found.upper is not None
    assert why_not_proved(found) is None
    assert 0 <= found.upper - found.lower < width
    return float(found.lower), float(found.upper)


# Known values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rounds", [1, 2, 5, 10])
def test_the_last_gap_of_gradient_descent(n_rounds: int) -> None:
    """L D^2 / (4 N + 2) at step 1/L (Drori and Teboulle 2014)."""
    low, high = narrow(
        worst_case(
            sequential, Smooth(2), LastGap(), n_rounds=n_rounds, n_local_steps=1, step_size="1/2", initial_distance=3
        )
    )
    assert low <= 18 / (4 * n_rounds + 2) <= high


@pytest.mark.parametrize(("step", "factor"), [("1/2", "19/20"), ("3/2", "17/20"), ("19/10", "9/10")])
def test_the_distance_of_gradient_descent(step: str, factor: str) -> None:
    """max(|1 - eta mu|, |1 - eta L|)^(2 N)."""
    found = worst_case(
        sequential, CURVED, LastDistance(), n_rounds=3, n_local_steps=1, step_size=step, initial_distance=1
    )
    low, high = narrow(found)
    assert low <= float(Fraction(factor)) ** 6 <= high


def test_the_least_gradient_of_gradient_descent() -> None:
    """(L D / (N + 1))^2 at step 1/L."""
    found = worst_case(
        sequential, Smooth(1), LeastGradient(), n_rounds=3, n_local_steps=1, step_size=1, initial_distance=1
    )
    low, high = narrow(found)
    assert low <= 1 / 16 <= high


def test_a_round_of_two_clients_in_random_order() -> None:
    found = worst_case(sequential, CURVED, LastDistance(), n_clients=2, n_local_steps=2, **ROUND)
    low, high = narrow(found)
    assert 0.925360810 <= low <= high <= 0.925370230


def test_lengths_and_curvatures_scale() -> None:
    """x -> 3 x and F -> 5 F: distances by 3, gradients by 5/3, steps by 9/5."""
    scaled = worst_case(
        sequential,
        Smooth("5/9", "1/18"),
        LastDistance(),
        n_clients=2,
        n_local_steps=1,
        initial_distance=3,
        heterogeneity_at_optimum="5/3",
        step_size="9/50",
    )
    plain = worst_case(sequential, CURVED, LastDistance(), n_clients=2, n_local_steps=1, **ROUND)
    ends = narrow(plain)
    low, high = narrow(scaled, 1e-5)
    assert low / 9 <= ends[1]
    assert ends[0] <= high / 9


def test_a_fixed_order_is_worse_than_a_random_one() -> None:
    fixed, random = (
        worst_case(method, CURVED, LastDistance(), n_clients=2, n_local_steps=2, **ROUND)
        for method in (fixed_order, sequential)
    )
    assert narrow(fixed)[0] > narrow(random)[1]


# Both sides ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Bracket:
    return worst_case(sequential, CURVED, LastDistance(), n_clients=2, n_local_steps=2, **ROUND)


def test_perturbed_certificates_are_rejected(found: Bracket) -> None:
    """A multiplier less, more by a thousandth, negative, or of another limit."""
    assert found.certificate is not None
    problem, given = problem_of(found.question), found.certificate
    frame = WholeFrame(problem)
    assert refused(problem, given, frame) is None
    tried = 0
    for i, (label, c) in enumerate(given.multipliers):
        others = (c * 0, -c, c * fmpq(999, 1000), c * fmpq(1001, 1000), c + fmpq(1, 1000))
        for other in others:
            changed = (*given.multipliers[:i], (label, other), *given.multipliers[i + 1 :])
            if label == ("distance",) and other > c:
                continue  # proves more than it says, and is not wrong
            if label == ("heterogeneity",) and other > c:
                continue
            assert refused(problem, Certificate(given.upper, changed), frame) is not None, (label, other)
            tried += 1
    assert tried > 80
    assert "no limit" in str(refused(problem, Certificate(given.upper, ((("client", 0, 0, 99), fmpq(1)),)), frame))


def test_no_certificate_proves_less_than_what_is_attained(found: Bracket) -> None:
    assert found.certificate is not None
    assert found.lower is not None
    below = found.lower - Fraction(1, 10_000)
    lowered = replace(found.certificate, upper=fmpq(below.numerator, below.denominator))
    assert refused(problem_of(found.question), lowered, WholeFrame(problem_of(found.question))) is not None
    assert why_not_proved(replace(found, certificate=lowered, upper=below)) is not None
    assert why_not_proved(replace(found, upper=below)) is not None


def test_a_step_that_does_something_else_on_real_clients_is_out_of_reach() -> None:
    """It looks at who asks."""

    def deceitful(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        step = c.step_size if hasattr(oracle.instance, "record") else 2 * c.step_size
        return x - step * oracle.gradient(x, 0)

    with pytest.raises(OutOfReach, match="symbolic run on unknown functions"):
        worst_case(Algorithm("deceitful", deceitful), CURVED, LastDistance(), step_size="1/10", initial_distance=1)


def decayed(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x / 2 - c.step_size / 2 * oracle.gradient(x, 0)


def forgotten(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return 0 * x


def elsewhere(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x / 2, 0)


def by_dimension(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * x.shape[1] / 2 * oracle.gradient(x, 0)


def part_of_it(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    new = x - c.step_size * oracle.gradient(x, 0)
    new[:, 2:] = x[:, 2:]
    return new


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (decayed, "scales a point"),
        (forgotten, "scales a point"),
        (elsewhere, "scales a point"),
        (by_dimension, "how many coordinates"),
        (part_of_it, "some coordinates of a point"),
    ],
)
@pytest.mark.parametrize("functions", [CURVED, Smooth(1), Lipschitz(1)], ids=str)
def test_a_step_with_an_origin_or_a_dimension_of_its_own_is_refused(functions: Any, step: Any, why: str) -> None:
    """What it does to x - x* depends on where x* is: no function of x - x* alone says it, see the next test."""
    with pytest.raises(OutOfReach, match=why):
        worst_case(Algorithm("mine", step), functions, LastDistance(), step_size="1/2", initial_distance=1)


def test_a_step_that_scales_points_gets_worse_the_farther_the_minimum_is() -> None:
    algorithm = Algorithm("decayed", decayed)
    for far in (10, 1000):
        case = Case(QuadraticClients(curvatures=(1,), slopes=(-far,), start=far + 1), n_rounds=1, step_size="1/2")
        found = exact_rational(LastDistance(), with_row_states(algorithm, case), case)
        assert found is not None
        assert found.value == (Fraction(far + 1, 2) - Fraction(1, 4) - far) ** 2


def test_an_init_that_scales_the_start_is_refused() -> None:
    def away(x: np.ndarray, c: Any) -> dict[str, np.ndarray]:
        return {"x": 2 * x, "m": x * 0}

    def stay(state: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
        return {"x": state["x"] + state["m"], "m": state["m"]}

    with pytest.raises(OutOfReach, match="scales a point"):
        worst_case(Algorithm("away", stay, init=away), Smooth(1), LastGap(), step_size=1, initial_distance=1)


def test_blocks_say_the_same_as_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """And their certificate, spread over all limits, proves it without any symmetry."""
    asked = question(sequential, CURVED, LastDistance(), n_clients=3, n_local_steps=1, **ROUND)
    whole = bracket(asked)
    monkeypatch.setattr(symmetry_reduction, "MIN_BLOCK_SIZE", 2)
    blocks = bracket(asked)
    ends, others = narrow(whole), narrow(blocks)
    assert max(ends[0], others[0]) <= min(ends[1], others[1])
    problem = problem_of(blocks.question)
    same = symmetry(problem)
    assert same is not None
    assert blocks.certificate is not None
    assert len(blocks.certificate.multipliers) < 20
    every = without_symmetry(blocks.certificate, same)
    assert refused(problem, every, WholeFrame(problem)) is None
    assert refused(problem, replace(every, upper=every.upper - fmpq(1, 1000)), WholeFrame(problem)) is not None
    lowered = replace(blocks.certificate, upper=blocks.certificate.upper - fmpq(1, 1000))
    assert refused(problem, lowered, BlockFrame(problem, same)) is not None


def test_clients_in_a_fixed_order_are_not_exchanged() -> None:
    asked = question(fixed_order, CURVED, LastDistance(), n_clients=3, n_local_steps=1, **ROUND)
    assert symmetry(problem_of(asked)) is None


# What is asked ------------------------------------------------------------------------------------------------------------


def clipped(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * np.clip(oracle.gradient(x, 0), -1, 1)


def reversed_(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0)[:, ::-1]


def shifted(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0) + 1


def summed(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0).sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (clipped, r"test_brackets.py:\d+ compares"),
        (reversed_, "takes some coordinates of a point"),
        (shifted, "adds numbers to a point"),
        (summed, "puts the coordinates of a point together"),
    ],
)
def test_a_step_that_is_not_linear_is_out_of_reach(step: Any, why: str) -> None:
    with pytest.raises(OutOfReach, match=why):
        worst_case(Algorithm(step.__name__, step), CURVED, LastDistance(), step_size="1/10", initial_distance=1)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"step_size": 1}, "initial_distance"),
        ({"step_size": 1, "initial_distance": 1, "n_clients": 2}, "heterogeneity_at_optimum"),
        ({"step_size": 1, "initial_distance": 1, "smoothness": 2}, "belongs to the class"),
        ({"stepsize": 1, "initial_distance": 1}, "stepsize is not a known constant"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        question(sequential, CURVED, LastDistance(), n_local_steps=1, **settings)


@pytest.mark.parametrize(("smooth", "curved"), [(0, 0), (1, 1), (1, 2), (1, -1), (-1, 0)])
def test_classes_without_functions_are_named(smooth: int, curved: int) -> None:
    with pytest.raises(ValueError, match="must"):
        Smooth(smooth, curved)


def test_the_average_of_clients_is_less_affected_than_a_chain() -> None:
    """Two rounds of parallel clients."""
    found = worst_case(parallel, CURVED, LastDistance(), n_clients=2, n_local_steps=2, n_rounds=2, **ROUND)
    assert narrow(found)[1] < 0.924
