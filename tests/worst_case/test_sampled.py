"""Clients of whose functions one is drawn for a gradient, and clients whose largest pull at the optimum is known."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory import Algorithm
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.interpolated.sampled import ComponentSamplingClients
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, Measure
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.measures import LastGradient
from fltheory.worst_case.one_round import recursion
from fltheory.worst_case.problem.labels import SAMPLED, WORST
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from tests.worst_case.brackets import contains, proved
from tests.worst_case.test_textbook import GD, SGD

CURVED, BENDING = Smooth(1, "1/10"), Quadratic(1, "1/10")
NEAR: dict[str, Any] = {"step_size": "1/10", "initial_distance": 1}
SUMS: dict[str, Any] = {**NEAR, "n_components": 2, "noise_std_at_optimum": 1}
PAIR: dict[str, Any] = {**SUMS, "n_clients": 2, "heterogeneity_at_optimum": 1, "n_local_steps": 1}


def settings_of(found: Any, **changed: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted({**dict(found.question.settings), **changed}.items()))


# Known values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("functions", [CURVED, BENDING])
@pytest.mark.parametrize("n_components", [2, 3])
def test_a_step_on_one_of_a_client_s_functions(functions: FunctionClass, n_components: int) -> None:
    """(r^2 + r sqrt(r^2 + 4 v^2)) / 2 + v^2 with r = (1 - mu/L) D, v = sigma* / L, at step 1/L; as over so many clients."""
    shrunk, spread = 0.9 * 2, 1.0
    value = (shrunk**2 + shrunk * math.sqrt(shrunk**2 + 4 * spread**2)) / 2 + spread**2
    known: dict[str, Any] = {"step_size": 1, "initial_distance": 2}
    sums: dict[str, Any] = {"n_components": n_components, "noise_std_at_optimum": 1}
    contains(worst_case(GD, functions, LastDistance(), **known, **sums), value, 4)
    clients: dict[str, Any] = {"n_clients": n_components, "heterogeneity_at_optimum": 1}
    contains(worst_case(SGD, functions, LastDistance(), **known, **clients), value, 4)


@pytest.mark.parametrize("functions", [CURVED, BENDING])
def test_functions_that_share_a_minimiser(functions: FunctionClass) -> None:
    """(1 - eta mu)^2, as fast as gradient descent."""
    contains(worst_case(GD, functions, LastDistance(), **{**SUMS, "noise_std_at_optimum": 0}), 0.99**2)


# Rounds -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sequential, parallel])
@pytest.mark.parametrize("functions", [CURVED, BENDING])
def test_a_round_of_two_clients(method: Algorithm, functions: FunctionClass) -> None:
    found = worst_case(method, functions, LastDistance(), **PAIR)
    low, _ = proved(found)
    assert found.case is not None
    assert isinstance(found.case.instance, ComponentSamplingClients)
    constants = {s.name: v for s, v in found.case.instance.constants.items()}
    for name in ("initial_distance", "heterogeneity_at_optimum", "noise_std_at_optimum"):
        assert 9 / 10 < float(constants[name]) <= 1, name  # that of parallel clients need not be as large as it may
    quiet = worst_case(method, functions, LastDistance(), **{**PAIR, "noise_std_at_optimum": 0})
    assert quiet.upper is not None
    assert low > quiet.upper
    for name in ("noise_std_at_optimum", "heterogeneity_at_optimum", "initial_distance"):
        wider = replace(found.question, settings=settings_of(found, **{name: Fraction(2)}))
        assert why_not_proved(replace(found, question=wider)) is not None, name


def test_the_instance_is_a_line_of_python() -> None:
    found = worst_case(parallel, CURVED, LastDistance(), **PAIR)
    names = {
        "Case": Case,
        "ComponentSamplingClients": ComponentSamplingClients,
        "InterpolatedClients": InterpolatedClients,
    }
    rebuilt = eval(repr(found.case), names)
    assert rebuilt == found.case
    value = exact_rational(LastDistance(), parallel, rebuilt)
    assert value is not None
    assert value.value == found.lower


@pytest.mark.parametrize("limit", ["noise_std_at_optimum", "heterogeneity_at_optimum", "both"])
@pytest.mark.parametrize("functions", [CURVED, BENDING])
def test_limits_that_are_none(functions: FunctionClass, limit: str) -> None:
    """Functions of a client that pull alike at x*, or clients that don't; of both at once a step leaves (1 - eta mu)^(2 M)."""
    none = {name: 0 for name in ("noise_std_at_optimum", "heterogeneity_at_optimum") if limit in (name, "both")}
    found = worst_case(sequential, functions, LastDistance(), **{**PAIR, **none})
    low, high = proved(found)
    if limit == "both":
        contains(found, 0.99**4)
    else:
        assert low > Fraction(99, 100) ** 4
        assert high < Fraction(982, 1000)
    loose = replace(found.question, settings=settings_of(found, **dict.fromkeys(none, Fraction(1))))
    assert why_not_proved(replace(found, question=loose)) is not None


@pytest.mark.parametrize("measure", [LastDistance(), LastGap()])
@pytest.mark.parametrize("method", [sequential, parallel])
def test_finite_sums_keep_below(method: Algorithm, measure: Measure) -> None:
    """Whose functions have other curvatures, so that noise has no limit far away."""
    found = worst_case(method, CURVED, measure, **PAIR)
    assert found.upper is not None
    assert found.lower is not None
    assert found.lower <= found.upper < found.lower + Fraction(1, 100_000)
    values = []
    for curvatures in ((1, 1), (1, "1/10"), ("1/10", "1/10")):
        for side in (1, -1):
            sums = FiniteSumQuadraticClients((curvatures, curvatures), ((2, 0), (0, -2)), side)
            case = Case(sums, n_rounds=1, n_local_steps=1, step_size="1/10")
            constants = {s.name: v for s, v in sums.constants.items()}
            assert (constants["noise_std_at_optimum"], constants["heterogeneity_at_optimum"]) == (1, 1)
            value = exact_rational(measure, method, case)
            assert value is not None
            values.append(Fraction(value.value))
    assert max(values) <= found.upper


def test_the_same_sample_at_two_points_is_one_function() -> None:
    """A gradient at x and one at the point that it leads to, of one draw or of two."""

    def twice(second: int) -> Algorithm:
        def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
            there = x - c.step_size * oracle.gradient(x, 0)
            return x - c.step_size * oracle.gradient(there, 0, second)

        return Algorithm(f"twice, {second}", step)

    sizes = [problem_of(question(twice(k), CURVED, LastDistance(), **SUMS)).size for k in (0, 1)]
    assert sizes == [1 + 2 + 4, 1 + 2 + 6]
    same, other = (worst_case(twice(k), CURVED, LastDistance(), **SUMS) for k in (0, 1))
    assert proved(same) != proved(other)


# The largest pull ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("functions", [CURVED, BENDING])
def test_the_largest_of_clients_is_more_to_know_than_their_mean(functions: FunctionClass) -> None:
    """Of two clients it is the same; of three less is possible where each is limited, more where only the largest is."""
    two: dict[str, Any] = {**NEAR, "n_clients": 2, "n_local_steps": 1}
    ends = proved(worst_case(sequential, functions, LastDistance(), **two, max_heterogeneity_at_optimum=1))
    others = proved(worst_case(sequential, functions, LastDistance(), **two, heterogeneity_at_optimum=1))
    assert max(ends[0], others[0]) <= min(ends[1], others[1])
    three: dict[str, Any] = {**NEAR, "n_clients": 3, "n_local_steps": 1, "step_size": "1/2"}

    def fixed(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x - c.step_size * oracle.gradient(x, 0)

    first = Algorithm("the first client alone", fixed)
    largest = proved(worst_case(first, functions, LastDistance(), **three, max_heterogeneity_at_optimum=1), 10)
    mean = proved(worst_case(first, functions, LastDistance(), **three, heterogeneity_at_optimum=1), 10)
    assert largest[1] < mean[0]


def test_its_limits_matter_to_the_proof() -> None:
    known: dict[str, Any] = {**NEAR, "n_clients": 3, "n_local_steps": 1, "max_heterogeneity_at_optimum": 1}
    found = worst_case(sequential, CURVED, LastDistance(), **known)
    proved(found)
    assert found.certificate is not None
    labels = [label for label, _ in found.certificate.multipliers]
    assert sum(label[0] == WORST for label in labels) == 3
    wider = replace(found.question, settings=settings_of(found, max_heterogeneity_at_optimum=Fraction(2)))
    assert why_not_proved(replace(found, question=wider)) is not None
    constants = {s.name: v for s, v in found.case.instance.constants.items()} if found.case else {}
    assert 1 - 1e-4 < float(constants["max_heterogeneity_at_optimum"]) <= 1
    none = {**known, "n_clients": 2, "max_heterogeneity_at_optimum": 0}
    contains(worst_case(sequential, CURVED, LastDistance(), **none), 0.99**4)


# Runs of any length -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("functions", [CURVED, BENDING])
@pytest.mark.parametrize("measure", [LastDistance(), AveragedGap(sympy.Integer(1))])
@pytest.mark.parametrize(
    "known", [PAIR, {**NEAR, "n_clients": 3, "n_local_steps": 1, "max_heterogeneity_at_optimum": 1}]
)
def test_runs_of_any_length_are_chained(functions: FunctionClass, measure: Measure, known: dict[str, Any]) -> None:
    found = worst_case(sequential, functions, measure, **known, n_rounds=50)
    assert found.links
    assert found.lower is not None
    assert found.upper is not None
    assert 0 < found.lower <= found.upper < 4 * found.lower
    assert why_not_proved(found) is None
    assert why_not_proved(replace(found, upper=found.lower * Fraction(99, 100))) is not None


def test_a_recursion_has_a_term_for_samples() -> None:
    found = recursion(sequential, CURVED, **PAIR)
    assert found.refused() is None
    assert found.noise is not None
    assert found.noise > 0
    assert found.proof.certificate is not None
    assert SAMPLED in {label[0] for label, _ in found.proof.certificate.multipliers}
    assert replace(found, noise=found.noise / 2).refused() is not None


# What means nothing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("functions", "measure", "settings", "why"),
    [
        (CURVED, LastDistance(), {"n_components": 2, "initial_distance": 1}, "noise_std_at_optimum: without it"),
        (
            CURVED,
            LastDistance(),
            {"noise_std_at_optimum": 1, "initial_distance": 1},
            "n_components: noise at the optimum",
        ),
        (CURVED, LastDistance(), {**SUMS, "noise_std": 1}, "noise_std: sampled functions"),
        (CURVED, LastDistance(), {**SUMS, "n_clients": 2, "heterogeneity": 1}, "heterogeneity: sampled functions"),
        (Lipschitz(1), LastGap(), SUMS, "n_components"),
        (
            NonConvex(1),
            LastGradient(),
            {"initial_gap": 1, "n_components": 2, "noise_std_at_optimum": 1},
            "n_components",
        ),
        (NonConvex(1), LastGradient(), {"initial_gap": 1, "max_heterogeneity_at_optimum": 1}, "no minimiser"),
    ],
)
def test_what_means_nothing_is_named(
    functions: FunctionClass, measure: Measure, settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        question(GD, functions, measure, **settings)
