"""Quadratic clients: known values, both ends, what tells them from convex ones; certificates that are wrong are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory import Algorithm
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.problems.interpolated.quadratics import MatrixClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.gram import basis, linear_combination, weights_of
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.one_round import descent, recursion
from fltheory.worst_case.problem import BENT
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.two_sided import bracket, why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket
from tests.worst_case.brackets import contains, proved
from tests.worst_case.test_textbook import FAST, GD

BENDING, CURVED = Quadratic(1, "1/10"), Smooth(1, "1/10")
ROUND: dict[str, Any] = {"initial_distance": 1, "heterogeneity_at_optimum": 1, "step_size": "1/10"}
SIZES: dict[str, Any] = {**ROUND, "n_clients": 2, "n_local_steps": 2}


# Known values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rounds", [1, 2, 4, 10])
@pytest.mark.parametrize(
    ("measure", "scale", "part"),
    [  # the largest of t (1 - t)^(2 N) / 2 and of t^2 (1 - t)^(2 N)
        (LastGap(), 2 * 3**2, lambda n: (2 * n / (2 * n + 1)) ** (2 * n) / (2 * n + 1) / 2),
        (LastGradient(), (2 * 3) ** 2, lambda n: (n / (n + 1)) ** (2 * n) / (n + 1) ** 2),
    ],
)
def test_gradient_descent(measure: Measure, scale: float, part: Any, n_rounds: int) -> None:
    """At step 1/L: less than on convex functions that are not quadratic."""
    known: dict[str, Any] = {"n_rounds": n_rounds, "step_size": "1/2", "initial_distance": 3}
    found = worst_case(GD, Quadratic(2), measure, **known)
    contains(found, scale * part(n_rounds), scale)
    wider = worst_case(GD, Smooth(2), measure, **known).lower
    assert wider is not None
    assert found.upper is not None
    assert found.upper < wider


@pytest.mark.parametrize(("step", "factor"), [("1/2", "19/20"), ("3/2", "17/20"), ("19/10", "9/10")])
def test_gradient_descent_on_strongly_convex_functions(step: str, factor: str) -> None:
    """max(|1 - eta mu|, |1 - eta L|)^(2 N), as without being quadratic: the distance, and at steps up to 2/(L + mu) the height."""
    known: dict[str, Any] = {"n_rounds": 5, "step_size": step}
    contains(worst_case(GD, BENDING, LastDistance(), **known, initial_distance=1), float(Fraction(factor)) ** 10)
    contains(worst_case(GD, BENDING, LastGap(), **known, initial_gap=1), float(Fraction(factor)) ** 10)


MIDDLE, RATIO = Fraction(11, 20), Fraction(11, 9)  # of the curvatures; (L + mu) / (L - mu)


def chebyshev(k: int) -> Fraction:
    """T_k(RATIO)."""
    return Fraction(1) if k == 0 else RATIO if k == 1 else 2 * RATIO * chebyshev(k - 1) - chebyshev(k - 2)


def semi_iterative(s: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
    """x_{k+1} = w (x_k - 2/(L + mu) grad F(x_k)) + (1 - w) x_{k-1} with w = 2 RATIO T_k / T_{k+1}; w = 1 at first."""
    k = int(c.round)
    weight = 2 * RATIO * chebyshev(k) / chebyshev(k + 1) if k else Fraction(1)
    new = weight * (s["x"] - 1 / MIDDLE * oracle.gradient(s["x"], 0)) + (1 - weight) * s["last"]
    return {"x": new, "last": s["x"]}


CHEBYSHEV = Algorithm("Chebyshev's method", semi_iterative, init=lambda x, c: {"x": x, "last": x})


@pytest.mark.parametrize("n_rounds", [1, 2, 3, 5])
def test_the_method_of_chebyshev(n_rounds: int) -> None:
    """1 / T_N((L + mu)/(L - mu))^2, which no method betters; where functions are not quadratic it comes less near."""
    known: dict[str, Any] = {"n_rounds": n_rounds, "initial_distance": 1}
    contains(worst_case(CHEBYSHEV, BENDING, LastDistance(), **known), float(chebyshev(n_rounds)) ** -2)
    wider = worst_case(CHEBYSHEV, CURVED, LastDistance(), **known).lower
    assert wider is not None
    assert n_rounds == 1 or wider > chebyshev(n_rounds) ** -2 * Fraction(101, 100)


def test_the_fast_gradient_method() -> None:
    """One step with its momentum leaves t (1 - t)^4 / 2 at most in every eigenspace, 2/27 after a step, 128/3125 after two."""
    known: dict[str, Any] = {"step_size": 1, "initial_distance": 1}
    contains(worst_case(FAST, Quadratic(1), LastGap(), n_rounds=1, **known), 2 / 27)
    contains(worst_case(FAST, Quadratic(1), LastGap(), n_rounds=2, **known), 128 / 3125)


# Rounds -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sequential, parallel, fixed_order])
@pytest.mark.parametrize(
    ("measure", "n_rounds"),
    [
        (LastDistance(), 1),
        (LastGap(), 1),
        (LastGradient(), 1),
        (LeastGradient(), 1),
        (LeastGap(), 2),
        (AveragedGap(sympy.Integer(1)), 2),
    ],
)
def test_a_round_of_two_clients(method: Algorithm, measure: Measure, n_rounds: int) -> None:
    """Never worse than for convex clients."""
    known = {**SIZES, "n_local_steps": 1 if n_rounds > 1 else 2, "n_rounds": n_rounds}
    found = worst_case(method, BENDING, measure, **known)
    proved(found)
    wider = worst_case(method, CURVED, measure, **known).upper
    assert wider is not None
    assert found.lower is not None
    assert found.lower < wider


@pytest.mark.parametrize(("n_clients", "n_local_steps"), [(2, 1), (2, 4), (3, 1)])
def test_rounds_of_other_sizes(n_clients: int, n_local_steps: int) -> None:
    sizes = {**ROUND, "n_clients": n_clients, "n_local_steps": n_local_steps}
    proved(worst_case(sequential, BENDING, LastDistance(), **sizes))


@pytest.mark.parametrize("functions", [BENDING, Quadratic(1)])
def test_what_else_is_known_of_the_start(functions: FunctionClass) -> None:
    known = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/10", "heterogeneity_at_optimum": 1, "initial_gap": 1}
    proved(worst_case(parallel, functions, LastGradient(), **known))
    both = worst_case(parallel, functions, LastGap(), **known, initial_distance=1)
    proved(both)


def test_two_clients_take_a_round_farther_where_they_are_not_quadratic() -> None:
    """And where quadratic ones do not share their axes farther than where they do."""
    found = worst_case(sequential, BENDING, LastDistance(), **SIZES)
    low, high = proved(found)
    convex = worst_case(sequential, CURVED, LastDistance(), **SIZES).lower
    assert convex is not None
    assert high < convex
    assert found.case is not None
    assert isinstance(found.case.instance, MatrixClients)
    first, second = found.case.instance.hessians
    assert first * second != second * first
    for one in ("1/10", "1/4", "1/2", 1):
        for other in ("1/10", "1/4", "1/2", 1):
            for side in (1, -1):
                clients = QuadraticClients([(one, 1), (other, 1)], [(1, 0), (-1, 0)], (side, 0))
                value = exact_rational(LastDistance(), sequential, Case(clients, **of_run(found)))
                assert value is not None
                assert value.value < low


def of_run(found: Bracket) -> dict[str, Any]:
    return found.question.of_run


def test_the_instance_is_of_the_class() -> None:
    found = worst_case(sequential, BENDING, LastGap(), **SIZES)
    assert found.case is not None
    assert isinstance(found.case.instance, MatrixClients)
    rebuilt = eval(repr(found.case), {"Case": Case, "MatrixClients": MatrixClients})
    assert rebuilt == found.case
    for one in (
        assume.minimiser_exists,
        assume.convex,
        assume.strongly_convex,
        assume.smooth,
        assume.constants_described,
    ):
        assert one.failed(rebuilt) is None, one.name
    constants = {s.name: v for s, v in rebuilt.constants.items()}
    for name in ("initial_distance", "heterogeneity_at_optimum"):
        assert Fraction(999_999, 1_000_000) < Fraction(str(float(constants[name]))) <= 1
    value = exact_rational(LastGap(), sequential, rebuilt)
    assert value is not None
    assert value.value == found.lower


# Clients that differ everywhere -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["heterogeneity", "max_heterogeneity"])
@pytest.mark.parametrize("spread", [1, 0])
def test_quadratic_clients_that_differ_little_everywhere_share_their_hessian(limit: str, spread: int) -> None:
    known = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/10", "initial_distance": 1, limit: spread}
    found = worst_case(sequential, BENDING, LastDistance(), **known)
    low, high = proved(found)
    optimum = worst_case(sequential, BENDING, LastDistance(), **{**SIZES, "heterogeneity_at_optimum": spread})
    assert optimum.lower is not None
    assert high < optimum.lower or spread == 0
    for curvature in ("1/10", "1/2", 1):
        for side in (1, -1):
            clients = QuadraticClients((curvature,) * 2, (spread, -spread), side)
            value = exact_rational(LastDistance(), sequential, Case(clients, **of_run(found)))
            assert value is not None
            assert value.value <= high
    wider = tuple(sorted({**dict(found.question.settings), limit: 2}.items()))
    assert why_not_proved(replace(found, question=replace(found.question, settings=wider))) is not None
    assert low > 0


def test_with_a_slope_they_need_not_share_it() -> None:
    known = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/10", "initial_distance": 1, "heterogeneity": 1}
    alike = worst_case(sequential, BENDING, LastDistance(), **known)
    sloped = worst_case(sequential, BENDING, LastDistance(), **known, heterogeneity_slope="1/10")
    assert alike.upper is not None
    assert sloped.upper is not None
    assert sloped.lower is not None
    assert why_not_proved(sloped) is None
    assert alike.upper < sloped.upper < sloped.lower + Fraction(1, 1000)


# Noise, and runs of any length --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sequential, parallel])
def test_noise_is_a_part_of_its_own(method: Algorithm) -> None:
    """A quadratic client moves noise as it moves a point: both ends meet."""
    found = worst_case(method, BENDING, LastDistance(), **SIZES, noise_std=1)
    proved(found)
    quiet = worst_case(method, BENDING, LastDistance(), **SIZES).upper
    assert quiet is not None
    assert found.lower is not None
    assert found.lower > quiet
    one = worst_case(GD, BENDING, LastDistance(), step_size="1/10", initial_distance=1, noise_std=1)
    contains(one, 0.99**2 + 0.01)


@pytest.mark.parametrize("measure", [LastDistance(), AveragedGap(sympy.Integer(1))])
def test_runs_of_any_length_are_chained(measure: Measure) -> None:
    found = worst_case(sequential, BENDING, measure, **SIZES, n_rounds=100)
    assert found.links
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= found.upper
    assert why_not_proved(found) is None
    assert why_not_proved(replace(found, upper=found.lower * Fraction(99, 100))) is not None


def test_recursions_and_descents() -> None:
    """With less to pay for differences than convex clients pay."""
    one = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/24", "heterogeneity_at_optimum": 1}
    bent, curved = (descent(sequential, f, "2/9", **one) for f in (Quadratic(1), Smooth(1)))
    assert bent.refused() is None
    assert bent.spread < curved.spread
    found = recursion(sequential, BENDING, **one, initial_distance=1)
    assert found.refused() is None
    assert replace(found, contraction=found.contraction - Fraction(1, 1000)).refused() is not None


# Certificates that are wrong ----------------------------------------------------------------------------------------------


def with_multiplier(found: Bracket, k: int, value: fmpq) -> Bracket:
    assert found.certificate is not None
    given = found.certificate.multipliers
    changed = (*given[:k], (given[k][0], value), *given[k + 1 :])
    return replace(found, certificate=replace(found.certificate, multipliers=changed))


def test_multipliers_that_are_no_nonnegative_matrix_are_refused() -> None:
    found = worst_case(sequential, BENDING, LastDistance(), **SIZES)
    assert found.certificate is not None
    tried = 0
    for k, (label, c) in enumerate(found.certificate.multipliers):
        if label[0] != BENT:
            continue
        tried += 1
        if label[2] == label[3]:
            for other in (-c, fmpq(0)):
                assert "no nonnegative matrix" in str(why_not_proved(with_multiplier(found, k, other))), label
        assert "no nonnegative matrix" in str(
            why_not_proved(with_multiplier(found, k, c + (100 if label[2] != label[3] else -100)))
        )
    assert tried > 10


@pytest.mark.parametrize(
    "label", [("bent", 0, 9, 3), ("bent", 0, 0, 0), ("turned", 0, 3, 3), ("client", 0, 3, 4), ("bent", 2, 3, 3)]
)
def test_what_is_no_limit_is_refused(label: tuple[Any, ...]) -> None:
    found = worst_case(sequential, BENDING, LastDistance(), **SIZES)
    assert found.certificate is not None
    changed = replace(found.certificate, multipliers=(*found.certificate.multipliers, (label, fmpq(1))))
    assert "no limit" in str(why_not_proved(replace(found, certificate=changed)))


def test_convex_clients_are_not_proved_by_quadratic_ones() -> None:
    asked = question(sequential, BENDING, LastDistance(), **SIZES)
    found = bracket(asked)
    proved(found)
    assert why_not_proved(replace(found, question=replace(asked, functions=CURVED))) is not None
    assert why_not_proved(replace(found, question=replace(asked, functions=Quadratic(1)))) is not None
    assert why_not_proved(replace(found, question=replace(asked, functions=Quadratic(2, "1/10")))) is not None


# How it is told -----------------------------------------------------------------------------------------------------------


def test_a_point_that_depends_on_others_says_nothing_new() -> None:
    def twice(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        there = oracle.gradient(x, 0)
        half = oracle.gradient(x - c.step_size * there, 0)
        return x - c.step_size * (there + half + oracle.gradient(x - c.step_size / 2 * there, 0))

    asked = question(Algorithm("twice", twice), BENDING, LastDistance(), step_size="1/4", initial_distance=1)
    assert [len(places) for places in problem_of(asked).places] == [2]
    assert [len(places) for places in problem_of(replace(asked, functions=CURVED)).places] == [4]  # one is x*
    found = bracket(asked)
    proved(found)
    contains(found, max((1 - t * (3 - Fraction(3, 8) * t) / 4) ** 2 for t in (Fraction(1, 10), 1)))


def test_weights_of_a_vector() -> None:
    a, b, c = (basis(i) for i in range(3))
    assert weights_of(
        linear_combination((fmpq(2), a), (fmpq(-1), b)), [linear_combination((fmpq(1), a), (fmpq(1), b)), b]
    ) == [2, -3]
    assert weights_of(c, [a, b]) is None
    assert weights_of((), [a, b]) == [0, 0]
    assert weights_of((), []) == []
    assert weights_of(a, []) is None


@pytest.mark.parametrize(("smooth", "curved"), [(0, 0), (1, 1), (1, 2), (1, -1), ("sqrt(2)", 0)])
def test_classes_without_functions_are_named(smooth: Any, curved: Any) -> None:
    with pytest.raises(ValueError, match="must"):
        Quadratic(smooth, curved)


def test_regret_of_quadratic_losses_has_no_limit() -> None:
    with pytest.raises(ValueError, match="no limit"):
        question(GD, BENDING, Regret(), initial_distance=1, step_size=1)
