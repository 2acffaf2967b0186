"""Section 2 and footnote 1: mutants, the worst cases of gradient descent, rule (4) by another way."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.statement import case_measure, quantity_measure
from fltheory.model.case import Case
from fltheory.papers.delta_sgd.background import claims
from fltheory.papers.delta_sgd.background import families as strategies_background
from fltheory.papers.delta_sgd.background.closed_forms import (
    CommonStep,
    Descent,
    OneStep,
    WorstHuber,
    huber_descent,
    in_one_variable,
)
from fltheory.papers.delta_sgd.instances.lemmas import LogCosh, Pieces, Ridges, RuleStep, huber, quadratic
from fltheory.runs.measures import ENERGY
from tests.typed import instance_of

CLAIMS = claims.CLAIMS
BY_ID = {c.id.removeprefix("delta_sgd/"): c for c in CLAIMS}


def violated(claim: Claim, case: Case, **changes: Any) -> bool:
    """Whether the claim with some changes, and no conditions, fails on the case."""
    free = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    return check_claim(replace(free, **changes), case).status == "violated"


# Gradient descent -------------------------------------------------------------------------------------------------------


def test_the_huber_descent_function_attains_the_bound_for_every_number_of_steps() -> None:
    claim = BY_ID["C3-attained@strengthened"]
    cases = {instance_of(c, WorstHuber).n_steps: c for c in claim.all_cases("full")}
    assert set(cases) == set(range(1, 51))
    for n, case in cases.items():
        assert check_claim(claim, case).status == "holds"
        one = instance_of(case, WorstHuber)
        assert one.gap == Fraction(one.smoothness) * one.distance**2 / (4 * n + 2)


def test_another_huber_function_is_less_bad() -> None:
    worst = WorstHuber(4).gap
    for spread in (8, Fraction(17, 2), Fraction(19, 2), 10):
        assert huber_descent(1, 1, Fraction(spread)).gap(Fraction(1), 4) < worst


def too_few(case: Case) -> Fraction:
    one = instance_of(case, Descent)
    return one.gap(1 / one.smoothness, 0)


def too_long(case: Case) -> Fraction:
    one = instance_of(case, Descent)
    return one.gap(Fraction(5, 2) / one.smoothness, 3)


def test_gradient_descent_has_to_be_run_and_with_its_step() -> None:
    steep = Case(in_one_variable(quadratic(), 1), n_rounds=3)
    for name in ("C3@printed", "C3@strengthened"):
        assert check_claim(BY_ID[name], steep).status == "holds"
        assert violated(BY_ID[name], steep, measure=case_measure("f(x_0) - f*", too_few, ENERGY))
        assert violated(BY_ID[name], steep, measure=case_measure("with the step 5/(2L)", too_long, ENERGY))


def test_the_weights_of_the_worst_case_of_one_step() -> None:
    """An identity of quadratic forms; products of numbers stand for inner products. L = 1, x* = f* = 0."""
    x, a, b, h = sympy.symbols("x a b h")  # the start, the gradients before and after the step
    for w, rate, rest in (
        (sympy.Rational(1, 2), 1 / (2 * h + 1) / 2, (3 - 2 * h) / 8 * (a - b) ** 2),
        (h - 1, (1 - h) ** 2 / 2, (2 * h - 3) / 2 * (a + b / (h - 1)) ** 2),
    ):
        # w(f* >= f_0 + ...), w(f_0 >= f_1 + ...), (1 - w)(f* >= f_1 + ...): in sum f_1 <= -lower
        lower = w * (-a * x + a**2 / 2) + w * (b * h * a + (a - b) ** 2 / 2) + (1 - w) * (-b * (x - h * a) + b**2 / 2)
        square = rate * (x - (w * a + (1 - w) * b) / (2 * rate)) ** 2
        assert sympy.cancel(rate * x**2 + lower - square - rest) == 0
        assert sympy.cancel(rate * x**2 + lower - square - 2 * rest) != 0
    # both squares have factors of at least 0: h <= 3/2 in the first, 3/2 <= h <= 2 (w <= 1) in the second


def test_the_best_step() -> None:
    one = OneStep()
    assert one.worst(Fraction(3, 2)) == Fraction(1, 8)
    assert one.worst(Fraction(1)) == Fraction(1, 6)
    assert all(one.worst(Fraction(3, 2) + e) > Fraction(1, 8) for e in (Fraction(1, 100), Fraction(-1, 100)))
    printed = BY_ID["C3-optimal@strict"]
    assert check_claim(printed, Case(one, step_size=1)).ratio == 1
    assert check_claim(printed, Case(one, step_size="9/10")).status == "holds"


def test_beyond_twice_the_inverse_smoothness_the_formula_is_not_claimed() -> None:
    claim = BY_ID["C3-step@corrected"]
    far = Case(in_one_variable(huber(1), 10), n_rounds=1, step_size=3)
    assert check_claim(claim, far).status == "inapplicable"


# A step for the least smooth client ---------------------------------------------------------------------------------------


def test_a_quadratic_contracts_by_its_share_of_the_largest_curvature() -> None:
    one = CommonStep((1, 4), ((0,), (3,)), (2,))
    assert one.left(1) == Fraction(9, 16)
    assert one.left(3) == Fraction(9, 16) ** 3
    assert CommonStep((4, 4), ((0,), (3,)), (2,)).left(1) == 0
    assert violated(
        BY_ID["C-Lmax@explicit"], Case(one), measure=quantity_measure(lambda one, c: one.left(2), name="two steps")
    )


@pytest.mark.parametrize("kept", [Fraction(1, 2), Fraction(99, 100), 1 - Fraction(1, 10**9)])
def test_arbitrarily_slow(kept: Fraction) -> None:
    steps = 20
    largest = math.ceil(2 * steps / (1 - kept))
    assert CommonStep((1, largest), ((0,), (1,)), (1,)).left(steps) >= kept


# Rule (4) -----------------------------------------------------------------------------------------------------------------


def test_a_step_twice_as_long_breaks_footnote_1() -> None:
    active = next(c for c in claims.RULE_STEPS if c.instance.first_is_active)  # type: ignore[attr-defined]
    doubled = quantity_measure(lambda one, c: 16 * one.squared_step * one.change, name="with the amplifier 2")
    assert violated(BY_ID["C-fn1@printed"], active, measure=doubled)


def test_equality_tells_which_entry_is_active() -> None:
    seen = {instance_of(c, RuleStep).first_is_active for c in claims.RULE_STEPS}
    assert seen == {True, False}
    other = quantity_measure(lambda one, c: 1 - claims.wrong_about_equality(one), name="the other way round")
    for case in claims.RULE_STEPS:
        assert violated(BY_ID["C-fn1-equal@strengthened"], case, measure=other)


@settings(max_examples=30, deadline=None)
@given(strategies_background.rule_steps())
def test_the_rule_in_floats(case: Case) -> None:
    one = instance_of(case, RuleStep)
    gradients = [
        [
            float(
                sum(
                    a[i] * c.jet(sum(u * v for u, v in zip(a, p, strict=True)))[1]
                    for a, c in zip(one.objective.directions, one.objective.curves, strict=True)
                )
            )
            for i in range(len(p))
        ]
        for p in (one.x, one.y)
    ]
    change, move = math.dist(*gradients), math.dist(*([float(v) for v in p] for p in (one.x, one.y)))
    cap = math.sqrt(1 + one.last_ratio) * float(one.last_step)
    expected = min(move / (2 * change), cap) if change else cap
    assert math.sqrt(one.squared_step) == pytest.approx(expected)


@given(st.fractions(-3, 3), st.fractions(0, 3))
def test_a_tie_counts_as_active(x: Fraction, ratio: Fraction) -> None:
    pair = Ridges(((1,),), (quadratic(),)), (x,), (x + 1,)
    assert RuleStep(*pair, Fraction(1, 2), 0).first_is_active
    assert RuleStep(*pair, Fraction(1, 2), ratio).squared_step == Fraction(1, 4)


# Instances ----------------------------------------------------------------------------------------------------------------


LINE = ((1,),)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: in_one_variable(Pieces((0,), (1, -1)), 1), "convex"),
        (lambda: in_one_variable(quadratic(1, 1), 1), "minimum at 0"),
        (lambda: Descent(Ridges(LINE, (LogCosh(),)), (1,)), "convex piecewise"),
        (lambda: in_one_variable(quadratic(0), 1), "not 0"),
        (lambda: Descent(Ridges(LINE, (quadratic(),)), (1, 2)), "dimension 1"),
        (lambda: in_one_variable(quadratic(), "sqrt(2)"), "start = .*expected rational"),
        (lambda: WorstHuber(0), "at least 1"),
        (lambda: WorstHuber(1, -1), "positive"),
        (lambda: OneStep(1, 0), "positive"),
        (lambda: CommonStep((0, 1), ((0,), (1,)), (2,)), "curvatures = .*positive"),
        (lambda: CommonStep((1, 2), ((0,), (1,)), (0,)), "other than"),
        (lambda: CommonStep((1, 2), ((0,),), (0,)), "centres has 1 entries"),
        (lambda: RuleStep(Ridges(LINE, (quadratic(),)), (0,), (1,), 0), "last_step = 0: expected positive"),
        (lambda: RuleStep(Ridges(LINE, (quadratic(),)), (0,), (0,), 1), "different points"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
