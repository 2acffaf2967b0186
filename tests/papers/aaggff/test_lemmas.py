"""Lemmas A.1, 4.1, A.5 to A.10 and the closed form: mutants, needed conditions, and constants by other means."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.statement import quantity_measure
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL
from fltheory.number.mixed import to_mixed
from fltheory.papers.aaggff.bounds import BETA_STAR
from fltheory.papers.aaggff.estimators import claims
from fltheory.papers.aaggff.instances.lemmas import (
    Blend,
    Exponentials,
    Form,
    QuadraticOnSimplex,
    Regularised,
    ResponseBox,
    TwoDecisions,
    Vector,
    distribution,
)
from fltheory.papers.aaggff.losses import bounds as bounds_lemmas
from fltheory.papers.aaggff.losses import families as strategies_lemmas
from fltheory.papers.aaggff.losses.claims import convexity, lemmas
from fltheory.papers.aaggff.losses.claims.lemmas import decision_case
from fltheory.papers.aaggff.notation import C1, C2
from tests.typed import instance_of

CLAIMS = (*lemmas.CLAIMS, *convexity.CLAIMS, *claims.CLAIMS)
BY_ID = {c.id.removeprefix("aaggff/"): c for c in CLAIMS}


# Mutants of what is compared with 0 -------------------------------------------------------------------------------------


def violated(claim: Claim, case: Case, **changes: Any) -> bool:
    """Whether the claim with some changes, and no conditions, fails on the case."""
    free = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    return check_claim(replace(free, **changes), case).status == "violated"


class Squared(Exponentials):
    """A wrong closed form: the gradient counted twice."""

    @cached_property
    def closed_form(self) -> Vector:
        return distribution("weights", tuple(w * w for w in self.weights))


class NormalCone(QuadraticOnSimplex):
    """The normal cone of the simplex with the wrong sign."""

    @cached_property
    def subgradient(self) -> Vector:
        right = super().subgradient
        return tuple(g + (0 if x else 2 * s) for g, s, x in zip(right, self.slack, self.point, strict=True))


def negated(measure: Callable[..., Any]) -> Any:
    return quantity_measure(lambda one, c: -measure(one), name="minus it")


UNEVEN = Case(Blend((1, 0, "1/2"), (1, 0, 0), (0, 1, 0), "1/3", 1))
ENTROPY = Case(Exponentials((1, 2, 5), (1, 1, 1)))


def test_jensens_gap_has_one_sign() -> None:
    assert violated(BY_ID["A.1@corrected"], UNEVEN, measure=negated(lemmas.jensen))
    assert violated(BY_ID["A.1-flat@corrected"], UNEVEN, assumptions=())


def test_the_powers_of_exp_concavity_end_at_1() -> None:
    beyond, below = (Case(replace(UNEVEN.instance, power=power)) for power in ("101/100", "99/100"))
    assert violated(BY_ID["A.9@printed"], beyond, assumptions=())
    assert violated(BY_ID["A.9@strengthened"], beyond, assumptions=())
    assert violated(BY_ID["A.9-only@strengthened"], below, assumptions=())


def test_the_closed_form_is_not_any_other() -> None:
    assert violated(BY_ID["4.5@printed"], Case(Squared((1, 2, 5), (1, 2, 5))))
    assert violated(BY_ID["4.5@strengthened"], Case(Squared((1, 2, 5), (1, 2, 5))))
    mutant = quantity_measure(
        lambda one, c: convexity.conjugate_error(one) / to_mixed(one.scale) - 1, name="without the factor"
    )
    assert violated(BY_ID["A.6-conjugate@corrected"], ENTROPY, measure=mutant)


def test_other_mutants_of_0_fail() -> None:
    pair = lemmas.PAIRS[0]
    smaller = quantity_measure(
        lambda one, c: abs(one.growths[0] - one.growths[1]) - min(one.growths) + 1, name="|a - b| - min(a, b)"
    )
    assert violated(BY_ID["4.1-29a@printed"], pair, measure=smaller)
    assert violated(
        BY_ID["A.12@printed"],
        pair,
        measure=quantity_measure(lambda o, c: -convexity.increment.measure.compute(Case(o), RATIONAL), name="minus it"),
    )
    too_little = quantity_measure(
        lambda one, c: convexity.growth_of_entropy(one, Fraction(9, 10) * 2), name="shifted by less"
    )
    assert violated(BY_ID["A.7-growing@corrected"], Case(Regularised((1, 1))), measure=too_little)


def test_the_normal_cone_has_a_sign() -> None:
    rows: tuple[Any, ...] = ((1, 1), (), (0, -5), (1, 0), -1, (0, 6))
    assert check_claim(BY_ID["A.5@printed"], Case(QuadraticOnSimplex(*rows))).status == "holds"
    assert (
        check_claim(BY_ID["A.5@printed"], Case(NormalCone(*rows))).status == "inapplicable"
    )  # the subgradient would be 0
    slanted = (*rows[:4], "-9/10", (0, 6))
    assert check_claim(BY_ID["A.5@printed"], Case(NormalCone(*slanted))).status == "violated"


# The conditions are needed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("4.1-K3@corrected", lemmas.GROUPS),
        ("4.1-threshold@corrected", lemmas.GROUPS),
        ("4.1-threshold@strengthened", Case(ResponseBox(3, 0, 1))),
        ("A.10@corrected", decision_case(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature=1)),
        ("A.10@strengthened", decision_case(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature="6138/10000")),
        ("A.10-only@strengthened", Case(ResponseBox(2, 0, 1), learner_curvature="6137/10000")),
        ("A.10-choice@corrected", Case(ResponseBox(4, 0, "29871/100000"))),
        ("A.10-choice@strengthened", Case(ResponseBox(4, 0, "29872/100000"))),
    ],
)
def test_each_condition_is_needed(name: str, case: Case) -> None:
    claim = BY_ID[name]
    assert check_claim(claim, case).status == "inapplicable"
    if name == "4.1-threshold@strengthened":  # there the two constants are the same
        assert check_claim(replace(claim, bounds=(replace(claim.bound, conditions=()),)), case).ratio == 1
    else:
        assert violated(claim, case)


def test_responses_outside_the_range_are_no_case() -> None:
    outside = decision_case(0, "1/2", (1, 0), (1, 0), (0, 1))
    assert "leaves" in check_claim(BY_ID["4.1-gradient@corrected"], outside).reason
    assert violated(BY_ID["4.1-gradient@corrected"], decision_case(0, "1/2", (1, 0), (0, 1), (1, 0)), assumptions=())


# Numbers, and constants by other means ----------------------------------------------------------------------------------


def test_the_printed_counterexamples() -> None:
    groups = check_claim(BY_ID["4.1@printed"], lemmas.GROUPS_AT_0)
    assert groups.measured == pytest.approx(2 * math.log(2))  # log 2 at a distance of 1/2
    assert groups.limit == 1
    found = check_claim(BY_ID["A.10@printed"], BY_ID["A.10@printed"].cases[1])
    assert found.limit is not None
    assert found.measured is not None
    gap = (found.limit - found.measured) / 2
    assert gap == pytest.approx(0.05685, abs=1e-5)  # the squared slope is 1
    for name in ("4.1@printed", "4.1-28@printed", "4.1-29b@printed", "A.10@printed"):
        assert BY_ID[name].cases[0].constants[C1] > 0  # the paper's range has 0 < C1


def test_the_root_of_the_window() -> None:
    def gap(x: Fraction) -> arb:
        return 7 * BALL.scalar(x) - 8 * (1 + BALL.scalar(x)).log()

    low, high = (Fraction(str(v)) for v in (bounds_lemmas.ROOT_LOW, bounds_lemmas.ROOT_HIGH))
    assert gap(low) < 0 < gap(high)
    assert high - low == Fraction(1, 100000)
    box = Case(ResponseBox(4, 0, low))
    assert check_claim(BY_ID["A.10-choice@strengthened"], box).measured == pytest.approx(1, abs=1e-4, rel=0)


@pytest.mark.parametrize("v", ["1/1000", "1/4", "1", "7"])
def test_the_largest_factor_is_the_least_curvature(v: str) -> None:
    grid = np.linspace(-float(Fraction(v)), float(Fraction(v)) / (1 + float(Fraction(v))), 401)
    grid = grid[np.abs(grid) > 1e-4]
    least = float((2 * (-np.log1p(-grid) - grid) / grid**2).min())
    exact = float(BETA_STAR.subs({C1: 0, C2: Fraction(v)}).evalf(40))
    assert least == pytest.approx(exact, rel=1e-7)
    assert 0 < exact < 1


@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.integers(-5, 5), min_size=n, max_size=n)))
def test_rises_are_those_of_a_linear_program(r: list[int]) -> None:
    n = len(r)
    vector = tuple(map(Fraction, r))
    sup = linprog([-v for v in r], A_eq=[[1] * n], b_eq=[0], bounds=(-1, 1))
    assert float(lemmas.rise_in_sup_norm(vector)) == pytest.approx(-sup.fun, abs=1e-7)
    costs = [*(-v for v in r), *r]  # h = plus - minus
    both = linprog(costs, A_eq=[[1] * n + [-1] * n], b_eq=[0], A_ub=[[1] * (2 * n)], b_ub=[1], bounds=(0, 1))
    assert float(lemmas.rise_in_sum_norm(vector)) == pytest.approx(-both.fun, abs=1e-7)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_slope_is_steeper_than_the_box(k: int) -> None:
    rng = np.random.default_rng(k)
    box = ResponseBox(k, "1/10", 2)
    steepest = float(box.steepest(lemmas.rise_in_sup_norm))
    response = rng.uniform(0.1, 2, (2000, k))
    p, q = rng.dirichlet(np.full(k, 0.3), (2, 2000))
    change = np.abs(np.log1p((p * response).sum(1)) - np.log1p((q * response).sum(1)))
    assert (change / np.abs(p - q).max(1)).max() < steepest
    assert set(box.at_vertices()) == {(Fraction(11, 10), Fraction(3)), (Fraction(3), Fraction(11, 10))}


@given(strategies_lemmas.quadratics())
def test_minima_on_the_simplex(case: Case) -> None:
    one = instance_of(case, QuadraticOnSimplex)
    n = one.dim
    corners = list(itertools.product(range(5), repeat=n))
    points = [distribution("x", c) for c in corners if any(c)]
    assert min(map(one.value, points)) >= one.least
    assert one.value(one.point) - one.least >= 0
    right = np.array([[float(one.matrix[i, j]) for j in range(n)] for i in range(n)])
    assert np.linalg.eigvalsh(right).min() >= float(min(one.diagonal)) - 1e-9


def test_a_minimum_inside_and_one_at_a_corner() -> None:
    assert QuadraticOnSimplex((1, 1), (), (0, 0), (1, 0)).least == Fraction(1, 4)
    assert QuadraticOnSimplex((1, 1), (), (0, -5), (1, 0)).least == Fraction(-9, 2)


# Instances --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: TwoDecisions((1,), (1,), (1,)), "two clients"),
        (lambda: TwoDecisions((1, -1), (1, 0), (1, 0)), "nonnegative"),
        (lambda: TwoDecisions((1, 0), (0, 0), (1, 0)), "not all 0"),
        (lambda: TwoDecisions((1, 0), (1, -1), (1, 0)), "p = "),
        (lambda: TwoDecisions((1, 0), (1, 1, 1), (1, 0)), "p has 3 entries"),
        (lambda: Blend((1, 0), (1, 0), (0, 1), 1), "between 0 and 1"),
        (lambda: Blend((1, 0), (1, 0), (0, 1), "1/2", 0), "positive"),
        (lambda: TwoDecisions(("sqrt(2)", 0), (1, 0), (1, 0)), "response = .*: expected rational"),
        (lambda: Form((1, 1), ((1, "sqrt(2)"),), (1, 1), (1, 1)), "vectors: expected rational"),
        (lambda: ResponseBox(2, 0, "sqrt(2)"), "high = .*: expected rational"),
        (lambda: ResponseBox(1, 0, 1), "at least 2"),
        (lambda: ResponseBox(2, 1, 1), "low < high"),
        (lambda: Form((1, 0), (), (1, 1), (1, 1)), "positive diagonal"),
        (lambda: Form((1, 1), ((1,),), (1, 1), (1, 1)), "of its length"),
        (lambda: QuadraticOnSimplex((1, 1), (), (0, 0), (1, 0), 0, (0, -1)), "slack"),
        (lambda: Exponentials((1, 0), (1, 1)), "positive"),
        (lambda: Regularised((1, 1), 0), "round"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()
