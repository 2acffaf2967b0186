"""A search asks the class first: what no drawn family shows is refuted, and where the class keeps to the bound it is said."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from fltheory import falsify, find
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastGap
from fltheory.search import falsifier
from fltheory.search.whole_class import MAX_QUESTIONS, class_answers
from fltheory.symbols import (
    initial_distance,
    initial_gap,
    n_clients,
    n_local_steps,
    n_rounds,
    noise_std,
    smoothness,
    step_size,
)

ONE_STEP = (
    *(sympy.Eq(v, 1) for v in (step_size * smoothness, n_rounds, n_local_steps, n_clients)),
    sympy.Eq(noise_std, 0),
)


def gap_after_a_step(constant: str) -> Claim:
    """F(x_1) - F* <= constant L D^2 after one step of gradient descent with 1/L: true from 1/6 on (Drori, Teboulle 2014)."""
    stated = find("sfl/T3-GC@printed")
    expr = sympy.Rational(constant) * smoothness * initial_distance**2
    case = Case(QuadraticClients((1,), (0,), start=1), n_local_steps=1, n_rounds=1, step_size=1)
    return replace(
        stated,
        id="mine/gap@printed",
        measure=LastGap(),
        bounds=(Bound(expr, Source("mine", "one step"), conditions=ONE_STEP),),
        cases=(case,),
        full_cases=None,
        tuning=(),
    )


def test_the_class_refutes_what_no_quadratic_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """On quadratics the gap is at most 2/27 L D^2: a family of these never exceeds L D^2 / 7."""
    monkeypatch.setattr(falsifier, "simpler_cases", lambda case: ())
    claim = gap_after_a_step("1/7")
    found = falsify(claim)
    assert found.verdict is not None
    assert found.examined == 2  # after its own case
    assert isinstance(found.verdict.case.instance, InterpolatedClients)
    assert found.verdict.evidence == "exact"
    assert found.verdict.measured == pytest.approx(1 / 6, abs=1e-6)
    assert check_claim(claim, eval(repr(found.verdict.case))).status == "violated"
    quadratic = Case(QuadraticClients((("1/3", 1),), ((0, 0),), start=(1, 0)), n_local_steps=1, n_rounds=1, step_size=1)
    assert check_claim(claim, quadratic).status == "holds"
    assert check_claim(claim, quadratic).measured == pytest.approx(2 / 27)


def test_a_quadratic_witness_is_preferred() -> None:
    found = falsify(gap_after_a_step("1/15"))
    assert found.verdict is not None
    assert isinstance(found.verdict.case.instance, QuadraticClients)


def test_a_true_bound_is_said_to_hold_for_its_class() -> None:
    found = falsify(gap_after_a_step("16667/100000"), max_cases=10)
    assert found.verdict is None
    assert found.classes == (
        "all 1-smooth convex functions in every dimension at heterogeneity_at_optimum = 0, initial_distance = 1, "
        "n_clients = 1, n_local_steps = 1, n_rounds = 1, step_size = 1",
    )
    assert "proved for all 1-smooth convex functions" in str(found)


def test_few_classes_are_asked() -> None:
    said = list(class_answers(find("sfl/T3-GC@printed")))
    assert 0 < len(said) <= MAX_QUESTIONS
    assert all(answer.case is None for answer in said)
    bound = find("sfl/T3-GC@printed").bounds[0]
    smaller = replace(find("sfl/T3-GC@printed"), bounds=(replace(bound, expr=bound.expr * Fraction(1, 100)),))
    assert any(answer.case is not None for answer in class_answers(smaller))


def test_what_is_about_something_else_is_not_asked() -> None:
    assert list(class_answers(find("osmd/L14@printed"))) == []
    assert list(class_answers(find("sfl/T5@explicit"))) == []


def test_without_a_solver_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    found = falsify(gap_after_a_step("1/7"), max_cases=10)
    assert found.verdict is None
    assert found.classes == ()
    assert found.examined > 1


def recursion_with(share: str) -> Claim:
    """`sfl/U6` with so much of what it adds for noise and heterogeneity."""
    stated = find("sfl/U6@explicit")
    expr = sympy.expand(stated.bound.expr)
    kept = sum(expr.coeff(s, n) * s**n for s, n in ((initial_distance, 2), (initial_gap, 1)))
    bound = replace(stated.bound, expr=kept + sympy.Rational(share) * (expr - kept))
    case = Case(
        QuadraticClients((1, "1/10"), (1, -1), start=3, noise_std="1/2"), n_local_steps=3, n_rounds=1, step_size="1/36"
    )
    return replace(stated, bounds=(bound,), cases=(case,))


def test_a_recursion_of_one_round_is_asked_from_any_start() -> None:
    """Where it is true it is proved for the class; with a hundredth of what it adds a class refutes it."""
    proved = [found.case for found in class_answers(recursion_with("1"))]
    assert proved
    assert set(proved) == {None}
    small = recursion_with("1/100")
    refuting = [found.case for found in class_answers(small)]
    assert refuting
    for case in refuting:
        assert case is not None
        assert check_claim(small, case).status == "violated"
