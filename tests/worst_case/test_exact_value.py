"""Worst cases that are rational: both limits are equal to them, the upper one proved and the lower one attained."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from fltheory.runs.measures import LastDistance, LastGap, Measure
from fltheory.worst_case import exact_value
from fltheory.worst_case.certificate import face as faces
from fltheory.worst_case.exact_value import with_exact_value
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.question import question
from fltheory.worst_case.two_sided import bracket, why_not_proved
from fltheory.worst_case.whole_run import Bracket
from tests.worst_case.test_textbook import FAST, GD, OGD


def asked(functions: FunctionClass, measure: Measure, method: Any = GD, **settings: Any) -> Bracket:
    return bracket(question(method, functions, measure, **settings))


@pytest.mark.parametrize(
    ("functions", "measure", "settings", "value"),
    [
        *((Smooth(1), LastGap(), {"n_rounds": n, "step_size": 1}, Fraction(1, 4 * n + 2)) for n in (1, 2, 4)),
        (
            Smooth(1),
            LastGap(),
            {"n_rounds": 3, "step_size": "17/10"},
            Fraction(7, 10) ** 6 / 2,
        ),  # over and over the minimum
        (Smooth(2), LastGradient(), {"n_rounds": 3, "step_size": "1/2"}, Fraction(2, 4) ** 2),  # (L D / (N + 1))²
        (Smooth(1, "1/7"), LastDistance(), {"n_rounds": 2, "step_size": "1/2"}, Fraction(13, 14) ** 4),
        (
            Smooth(1, "1/7"),
            LastDistance(),
            {"n_rounds": 1, "step_size": "17/10"},
            Fraction(53, 70) ** 2,
        ),  # (1 - eta mu)²
        (Smooth(1, "1/7"), LastDistance(), {"n_rounds": 1, "step_size": "19/10"}, Fraction(9, 10) ** 2),  # (eta L - 1)²
        (Lipschitz(1), LeastGap(), {"n_rounds": 3, "step_size": "1/2"}, Fraction(1, 2)),  # G D / root of N + 1
    ],
)
def test_a_rational_worst_case_is_found(
    functions: FunctionClass, measure: Measure, settings: dict[str, Any], value: Fraction
) -> None:
    near = asked(functions, measure, initial_distance=1, **settings)
    assert near.lower < value < near.upper
    found = with_exact_value(near)
    assert (found.lower, found.upper, found.is_reproduced) == (value, value, True)
    assert why_not_proved(found) is None


def test_heights_and_many_functions_have_one_too() -> None:
    tall = with_exact_value(asked(Smooth(1, "1/10"), LastGap(), n_rounds=2, step_size=1, initial_gap=1))
    assert tall.lower == tall.upper == Fraction(9, 10) ** 4  # (1 - mu/L)^(2N)
    steep = with_exact_value(asked(Smooth(2), LastGradient(), n_rounds=3, step_size="1/2", initial_gap=3))
    assert steep.lower < steep.upper == Fraction(12, 7)  # 2 L gap / (2N + 1), from however far
    bent = with_exact_value(asked(NonConvex(2), LastGradient(), n_rounds=2, step_size="1/2", initial_gap=3))
    assert bent.lower == bent.upper == Fraction(192, 31)
    fast = with_exact_value(asked(Smooth(2), LastGap(), FAST, n_rounds=3, step_size="1/2", initial_distance=3))
    assert fast.lower == fast.upper == Fraction(6, 5)
    losses = with_exact_value(
        asked(Linear(1), Regret(), OGD, n_clients=4, n_rounds=4, step_size="1/2", initial_distance=1)
    )
    assert losses.lower == losses.upper == 2  # G D root of T: a matrix of rank four
    assert all(why_not_proved(found) is None for found in (tall, steep, bent, fast, losses))


def test_an_irrational_one_keeps_its_limits() -> None:
    near = asked(Lipschitz(1), LeastGap(), n_rounds=1, step_size="7/10", initial_distance=1)
    found = with_exact_value(near)
    assert found.lower < found.upper
    assert found.upper <= near.upper
    assert found.lower >= near.lower
    assert why_not_proved(found) is None


def test_what_is_not_tried_keeps_its_limits() -> None:
    """Quadratic clients have matrices of multipliers, noise has variances, and a bracket that is closed stays."""
    bent = asked(Quadratic(1, "1/2"), LastDistance(), n_rounds=1, step_size="1/2", initial_distance=1)
    assert with_exact_value(bent) is bent
    noisy = asked(Smooth(1, "1/2"), LastDistance(), n_rounds=1, step_size="1/2", initial_distance=1, noise_std=1)
    assert with_exact_value(noisy) is noisy
    closed = Bracket(bent.question, Fraction(1), Fraction(1), bent.certificate, bent.case)
    assert with_exact_value(closed) is closed


@pytest.mark.parametrize("shift", [fmpq(1, 7), fmpq(-1, 7), fmpq(1, 10**5)])
def test_a_wrong_guess_proves_nothing(monkeypatch: pytest.MonkeyPatch, shift: fmpq) -> None:
    """Vectors and values come from floats: whatever they are, the limits stay on their sides of 1/6."""
    near = asked(Smooth(1), LastGap(), n_rounds=1, step_size=1, initial_distance=1)
    own = faces.recognised

    def wrong(number: float) -> fmpq | None:
        found = own(number)
        return None if found is None or found in (0, 1) else found + shift

    monkeypatch.setattr(faces, "recognised", wrong)
    found = with_exact_value(near)
    assert near.lower <= found.lower < Fraction(1, 6) < found.upper <= near.upper
    assert why_not_proved(found) is None


def test_an_instance_that_breaks_a_limit_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    near = asked(Smooth(1), LastGap(), n_rounds=1, step_size=1, initial_distance=1)
    own = exact_value.instance_of

    def longer(*of: Any) -> Any:
        rows, values = own(*of)
        return rows * fmpq(11, 10), values

    monkeypatch.setattr(exact_value, "instance_of", longer)
    found = with_exact_value(near)
    assert (found.lower, found.upper) == (near.lower, Fraction(1, 6))


def test_limits_that_do_not_suffice_give_an_upper_limit_only() -> None:
    """Data that meet the limits at points may be of no clients within the limit everywhere: no instance is taken from the face."""
    near = asked(Smooth(1), LastGap(), n_clients=2, n_rounds=1, step_size="1/2", initial_distance=1, heterogeneity=1)
    found = with_exact_value(near)
    assert near.lower < found.upper == Fraction(4, 7) < near.upper
    assert found.lower == near.lower
    assert found.case is near.case
    assert why_not_proved(found) is None


@pytest.mark.parametrize("more", [0, 1])
def test_a_certificate_of_no_less_changes_nothing(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    near = asked(Smooth(1), LastGap(), n_rounds=1, step_size=1, initial_distance=1)
    assert near.certificate is not None
    looser = replace(near.certificate, upper=near.certificate.upper + more)
    monkeypatch.setattr(exact_value, "_at_the_face", lambda _: (looser, None))
    assert with_exact_value(near) is near


@pytest.mark.parametrize("told", [True, False])
def test_the_method_itself_is_run_on_the_new_instance(monkeypatch: pytest.MonkeyPatch, told: bool) -> None:
    near = asked(Smooth(1), LastGap(), n_rounds=1, step_size=1, initial_distance=1)
    run: list[object] = []

    def reproduces(*of: object) -> bool:
        run.extend(of)
        return told

    monkeypatch.setattr(exact_value, "reproduces", reproduces)
    found = with_exact_value(near)
    assert found.is_reproduced == told
    assert run == [near.question, found.case, Fraction(1, 6)]
    assert found.case is not near.case


def test_rational_rows_have_any_rational_products() -> None:
    rng = random.Random(0)
    for _ in range(40):
        size = rng.randint(1, 4)
        rows = fmpq_mat(size, size, [fmpq(rng.randint(-5, 5), rng.randint(1, 7)) for _ in range(size**2)])
        scale = fmpq(rng.randint(1, 30), rng.randint(1, 30))
        wanted = rows * rows.transpose() * scale
        found = faces._with_products(wanted.table())
        assert found is not None
        assert found * found.transpose() == wanted
    assert faces._with_products([[fmpq(-1)]]) is None
    assert faces._with_products([[fmpq(0), fmpq(1)], [fmpq(1), fmpq(5)]]) is None
    assert faces._with_products([[fmpq(1), fmpq(2)], [fmpq(2), fmpq(3)]]) is None
    assert faces._with_products([[fmpq(0)]]) == fmpq_mat([[0]])


def test_floats_are_recognised_only_where_they_are_near() -> None:
    assert faces.recognised(1 / 3) == fmpq(1, 3)
    assert faces.recognised(-0.081 + 1e-13) == fmpq(-81, 1000)
    assert faces.recognised(1e6 + 1 / 7) == fmpq(7 * 10**6 + 1, 7)
    assert faces.recognised(0.0) == 0
    assert faces.recognised(2**0.5) is None
    assert faces.recognised(1 / 3 + 1e-9) is None


def test_theechelon_form_spans_the_same_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(-3, 4, (3, 6)).astype(float)
    rows[:, 0] = 0.0
    found, pivots = faces.echelon(rows)
    assert pivots[0] > 0
    assert np.allclose(found[:, list(pivots)], np.eye(len(pivots)))
    assert np.linalg.matrix_rank(np.concatenate([rows, found])) == len(pivots) == 3
    assert faces.echelon(np.zeros((0, 4)))[1] == ()
