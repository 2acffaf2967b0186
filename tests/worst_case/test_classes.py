"""Classes beside smooth convex functions, and clients that differ everywhere: both ends, tampering, what means nothing."""

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
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.problems.interpolated.tilted import TiltedClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.many_rounds import coefficients
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.one_round import recursion
from fltheory.worst_case.question import question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket
from tests.worst_case.brackets import proved
from tests.worst_case.test_textbook import GD, OGD

CURVED = Smooth(1, "1/10")
ROUND: dict[str, Any] = {"n_clients": 2, "n_local_steps": 2, "step_size": "1/10"}
NEAR: dict[str, Any] = {**ROUND, "initial_distance": 1}
HIGH: dict[str, Any] = {**ROUND, "initial_gap": 1}


def labels(found: Bracket) -> set[Any]:
    assert found.certificate is not None
    return {label[0] for label, _ in found.certificate.multipliers}


def is_refused_in_part(found: Bracket, kinds: set[str]) -> None:
    """Assert that without the multipliers of these limits, or with less of any of them, nothing is proved."""
    assert found.certificate is not None
    given = found.certificate.multipliers
    assert kinds <= labels(found)
    for k, (label, c) in enumerate(given):
        matters = label[0] in kinds and c > fmpq(1, 1000)  # what is less is but kept away from 0
        others = (fmpq(0), -c, c * fmpq(99, 100)) if matters else (-c,)
        for other in others:
            changed = replace(found.certificate, multipliers=(*given[:k], (label, other), *given[k + 1 :]))
            assert why_not_proved(replace(found, certificate=changed)) is not None, (label, other)


# Functions that need not be convex ----------------------------------------------------------------------------------------


def test_certificates_of_what_is_not_convex_are_checked() -> None:
    found = worst_case(GD, NonConvex(1), LeastGradient(), n_rounds=3, step_size=1, initial_gap=1)
    proved(found)
    is_refused_in_part(found, {"gap", "floor", "round"})
    assert found.certificate is not None
    for label in (("client", 0, 0, 1), ("floor", 9), ("alone", 0, 2), ("distance",)):
        changed = replace(found.certificate, multipliers=(*found.certificate.multipliers, (label, fmpq(1))))
        assert "no limit" in str(why_not_proved(replace(found, certificate=changed)))


def test_the_instance_is_not_convex_and_is_what_the_class_says() -> None:
    found = worst_case(GD, NonConvex(2), LastGradient(), n_rounds=2, step_size="1/2", initial_gap=5)
    low, high = proved(found, 2 * 5)
    assert found.case is not None
    assert isinstance(found.case.instance, TiltedClients)
    rebuilt = eval(repr(found.case), {"Case": Case, "TiltedClients": TiltedClients})
    assert rebuilt == found.case
    constants = {s.name: v for s, v in rebuilt.constants.items()}
    assert constants["smoothness"] == 2
    assert Fraction(49, 10) < constants["initial_gap"] <= 5
    for one in (assume.minimiser_exists, assume.smooth, assume.constants_described):
        assert one.failed(rebuilt) is None, one.name
    data = list(zip(rebuilt.instance.points, rebuilt.instance.gradients, strict=True))
    turns = [sum((g - h) * (a - b) for g, h, a, b in zip(p, q, x, y, strict=True)) for x, p in data for y, q in data]
    assert min(turns) < 0  # a gradient that falls along a line
    value = exact_rational(LastGradient(), GD, rebuilt)
    assert value is not None
    assert low == value.value <= high


@pytest.mark.parametrize("height", [0.1, 0.7, 1.3, 1.9])
@pytest.mark.parametrize("step", ["1/2", "1", "3/2"])
def test_a_wave_keeps_below(height: float, step: str) -> None:
    """1 - cos x, which is 1-smooth: from any height up to 2 its gradients stay below the worst case."""
    x, gradients = np.arccos(1 - height), []
    for _ in range(4):
        gradients.append(np.sin(x) ** 2)
        x -= float(Fraction(step)) * np.sin(x)
    for measure, value in ((LeastGradient(), min(gradients)), (LastGradient(), gradients[-1])):
        found = worst_case(GD, NonConvex(1), measure, n_rounds=3, step_size=step, initial_gap=str(height))
        assert found.upper is not None
        assert value <= float(found.upper) * (1 + 1e-9)


def test_noise_leaves_the_lower_end_open() -> None:
    found = worst_case(GD, NonConvex(1), LeastGradient(), n_rounds=2, step_size="1/2", initial_gap=1, noise_std=1)
    assert found.lower is None
    assert why_not_proved(found) is None
    quiet = worst_case(GD, NonConvex(1), LeastGradient(), n_rounds=2, step_size="1/2", initial_gap=1)
    assert found.upper is not None
    assert quiet.upper is not None
    assert quiet.upper < found.upper


# Clients that differ everywhere -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sequential, parallel])
@pytest.mark.parametrize("limit", ["heterogeneity", "max_heterogeneity"])
@pytest.mark.parametrize(
    ("functions", "measure", "start"),
    [(NonConvex(1), LastGradient(), HIGH), (CURVED, LastDistance(), NEAR), (Smooth(1), LastGap(), NEAR)],
)
def test_clients_that_differ_everywhere(
    method: Algorithm, limit: str, functions: FunctionClass, measure: Any, start: dict[str, Any]
) -> None:
    """Clients that differ by linear functions attain nearly what is proved of all; the limit matters to the proof."""
    found = worst_case(method, functions, measure, **start, **{limit: 1})
    assert found.lower is not None
    assert found.upper is not None
    assert found.case is not None
    assert found.is_reproduced
    assert why_not_proved(found) is None
    assert found.lower <= found.upper < found.lower * Fraction(1001, 1000)
    assert {s.name: v for s, v in found.case.instance.constants.items()}[limit] <= 1
    if functions is CURVED:
        assert assume.uniform_heterogeneity.failed(found.case) is None
    wider = worst_case(method, functions, measure, **start, **{limit: 2})
    assert wider.lower is not None
    assert wider.lower > found.upper
    narrow = replace(found, question=replace(found.question, settings=wider.question.settings))
    assert why_not_proved(narrow) is not None


def test_what_holds_at_the_optimum_alone_is_less_to_know() -> None:
    everywhere = worst_case(parallel, CURVED, LastDistance(), **NEAR, heterogeneity=1)
    optimum = worst_case(parallel, CURVED, LastDistance(), **NEAR, heterogeneity_at_optimum=1)
    assert everywhere.upper is not None
    assert optimum.lower is not None
    assert everywhere.upper < optimum.lower
    sloped = worst_case(parallel, CURVED, LastDistance(), **NEAR, heterogeneity=1, heterogeneity_slope="1/10")
    assert sloped.upper is not None
    assert everywhere.upper < sloped.upper


@pytest.mark.parametrize("limit", ["heterogeneity", "max_heterogeneity"])
def test_clients_that_do_not_differ_are_one(limit: str) -> None:
    """Two of them, one local step each in a fresh order, are one with two steps."""
    apart = worst_case(sequential, NonConvex(1), LastGradient(), **{**HIGH, "n_local_steps": 1, limit: 0})
    alone = worst_case(sequential, NonConvex(1), LastGradient(), **{**HIGH, "n_clients": 1})
    ends, others = proved(apart), proved(alone)
    assert max(ends[0], others[0]) <= min(ends[1], others[1])
    loose = replace(
        apart,
        question=replace(apart.question, settings=tuple(sorted({**dict(apart.question.settings), limit: 1}.items()))),
    )
    assert why_not_proved(loose) is not None


def test_quadratic_clients_that_differ_everywhere_keep_below() -> None:
    """Equal curvatures: their gradients differ by the slopes, at each point."""
    upper = worst_case(parallel, CURVED, LastDistance(), **NEAR, heterogeneity=1).upper
    assert upper is not None
    for curvature in ("1/10", "1/2", 1):
        for side in (1, -1):
            case = Case(
                QuadraticClients((curvature,) * 2, (1, -1), side), **{k: ROUND[k] for k in ROUND if k[2:] != "clients"}
            )
            found = exact_rational(LastDistance(), parallel, case.with_settings(n_rounds=1))
            assert found is not None
            assert found.value <= upper


# Lipschitz functions ------------------------------------------------------------------------------------------------------


def test_certificates_of_lipschitz_functions_are_checked() -> None:
    found = worst_case(GD, Lipschitz(1), LeastGap(), n_rounds=3, step_size="1/2", initial_distance=1)
    proved(found)
    is_refused_in_part(found, {"alone", "distance", "round"})
    regret = worst_case(OGD, Lipschitz(1), Regret(), n_clients=3, n_rounds=3, step_size="1/2", initial_distance=1)
    proved(regret)
    is_refused_in_part(regret, {"alone", "distance"})


def test_the_instance_is_piecewise_linear() -> None:
    found = worst_case(sequential, Lipschitz(1), LastGap(), **{**NEAR, "n_local_steps": 1})
    proved(found)
    assert found.case is not None
    assert isinstance(found.case.instance, PiecewiseLinearClients)
    rebuilt = eval(repr(found.case), {"Case": Case, "PiecewiseLinearClients": PiecewiseLinearClients})
    assert rebuilt == found.case
    assert {s.name: v for s, v in rebuilt.constants.items()}["client_gradient_bound"] <= 1
    for one in (assume.convex, assume.constants_described):
        assert one.failed(rebuilt) is None, one.name
    assert assume.smooth.failed(rebuilt) is not None


def test_an_absolute_value_keeps_below() -> None:
    """|x| from 1, by the subgradient method with steps of all sizes."""
    for step in ("1/3", "3/4", "2"):
        size, x, gaps = float(Fraction(step)), 1.0, [1.0]
        for _ in range(3):
            x -= size * np.sign(x)
            gaps.append(abs(x))
        found = worst_case(GD, Lipschitz(1), LeastGap(), n_rounds=3, step_size=step, initial_distance=1)
        assert found.upper is not None
        assert min(gaps) <= float(found.upper) * (1 + 1e-9)


# What means nothing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("functions", "measure", "settings", "why"),
    [
        (NonConvex(1), LeastGradient(), {}, "initial_gap"),
        (NonConvex(1), LeastGradient(), {"initial_gap": 1, "initial_distance": 1}, "no minimiser"),
        (NonConvex(1), LastGap(), {"initial_gap": 1}, "only gradients"),
        (NonConvex(1), LeastGradient(), {"initial_gap": 1, "n_clients": 2}, "heterogeneity"),
        (NonConvex(1), LeastGradient(), {"initial_gap": 1, "smoothness": 1}, "belongs to the class"),
        (Lipschitz(1), LastGap(), {"initial_gap": 1}, "initial_distance"),
        (Lipschitz(1), LeastGradient(), {"initial_distance": 1}, "many subgradients"),
        (Lipschitz(1), LastGap(), {"initial_distance": 1, "n_clients": 2, "heterogeneity": 1}, "many subgradients"),
        (Lipschitz(1), Regret(), {"initial_distance": 1, "n_clients": 2, "n_rounds": 3}, "as many clients as rounds"),
        (Smooth(1), Regret(), {"initial_distance": 1}, "no limit"),
    ],
)
def test_what_means_nothing_is_named(
    functions: FunctionClass, measure: Any, settings: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        question(GD, functions, measure, **settings)


@pytest.mark.parametrize(("kind", "value"), [(NonConvex, 0), (NonConvex, -1), (Lipschitz, 0), (Lipschitz, "sqrt(2)")])
def test_classes_without_functions_are_named(kind: Any, value: object) -> None:
    with pytest.raises(ValueError, match=r"must be (positive|rational)"):
        kind(value)


def test_a_step_that_scales_points_needs_a_minimiser() -> None:
    def shrinking(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x / 2 - c.step_size * oracle.gradient(x, 0)

    with pytest.raises(OutOfReach, match="scales a point"):
        worst_case(Algorithm("shrinking", shrinking), NonConvex(1), LeastGradient(), step_size=1, initial_gap=1)


def test_recursions_have_no_terms_that_they_do_not_state() -> None:
    """What else is known of clients would be left out of the coefficients, or what is proved of those without differences."""
    one = {**ROUND, "n_local_steps": 1, "initial_distance": 1}
    with pytest.raises(OutOfReach, match="rests on"):
        recursion(sequential, CURVED, **one, heterogeneity=1)
    for name in ("heterogeneity", "max_heterogeneity"):
        same = worst_case(sequential, CURVED, LastDistance(), **one, **{name: 0})
        proved(same)
        with pytest.raises(OutOfReach, match="rests on"):
            coefficients(same)
    alike = worst_case(sequential, CURVED, LastDistance(), **one, heterogeneity_at_optimum=0)
    proved(alike)
    with pytest.raises(OutOfReach, match="clients that don't differ"):
        coefficients(alike)
    with pytest.raises(OutOfReach, match="chain"):
        worst_case(GD, NonConvex(1), LastGradient(), n_rounds=100, step_size=1, initial_gap=1)
