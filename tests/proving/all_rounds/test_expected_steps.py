"""Steps x(t + 1) = x(t) - s(t) g(t) within expectations and for strongly convex functions, each with a false neighbour."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Expr, Rational, log, sqrt

from fltheory.proof import Given, Member, by, eq, le
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Dot, E, Grad, RandomVector, Total, Val, family, square
from fltheory.proving import Proved, prove
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget
from fltheory.proving.source import source_of
from fltheory.proving.tactics.all_rounds.curved import of_curvature
from fltheory.proving.tactics.all_rounds.methods import methods
from tests.proving.all_rounds.test_telescoping import D, G, T, Whole, over, rounds, t, u
from tests.proving.all_rounds.test_telescoping import g as v
from tests.proving.all_rounds.test_telescoping import x as y
from tests.proving.cases import F, eta, mu

pytest.importorskip("clarabel")
x, g, xi = (family(RandomVector, name) for name in ("x", "g", "xi"))
gap = E(Val(F, x(t)) - Val(F, u))
regret, mean = over(gap), over(gap) / T
SIZE = Given("size", le(E(square(g(t))), G**2, rounds))
START = Given("start", le(E(square(x(0) - u)), D**2))
BALL = Given("ball", le(E(square(x(t) - u)), D**2, (t, 0, T)))
UNBIASED = Given("unbiased", le(E(Val(F, x(t))) - Val(F, u), E(Dot(g(t), x(t) - u)), rounds))
NOISY = Given("gradient", eq(g(t), Grad(F, x(t)) + xi(t), rounds))
ZERO = Given("zero", eq(E(Dot(xi(t), x(t) - u)), 0, rounds))
CONVEX = Member("class", F, None, 0)
CURVED = Given("curved", le(gap, E(Dot(g(t), x(t) - u)) - mu / 2 * E(square(x(t) - u)), rounds))
fixed = Val(F, y(t)) - Val(F, u)
FIXED = Given("curved", le(fixed, Dot(v(t), y(t) - u) - mu / 2 * square(y(t) - u), rounds))
SMALL = Given("size", le(square(v(t)), G**2, rounds))


def step(size: Expr, point: Any = x, direction: Any = g) -> Given:
    return Given("step", eq(point(t + 1), point(t) - size * direction(t), rounds))


TUNED = step(D / (G * sqrt(T)))
CASES = (
    Whole("a tuned size", le(mean, D * G / sqrt(T)), le(mean, D * G / (2 * sqrt(T))), (TUNED, UNBIASED, SIZE, START)),
    Whole(
        "a tuned size by an equation",
        le(regret, D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (step(eta), Given("tuned", eq(eta, D / (G * sqrt(T)))), UNBIASED, SIZE, START),
    ),
    Whole(
        "a convex function with noise",
        le(mean, D * G / sqrt(T)),
        le(mean, D * G / (2 * sqrt(T))),
        (TUNED, CONVEX, NOISY, ZERO, SIZE, START),
    ),
    Whole(
        "the average of the points",
        le(E(Val(F, over(x(t)) / T) - Val(F, u)), D * G / sqrt(T)),
        le(E(Val(F, over(x(t)) / T) - Val(F, u)), D * G / (2 * sqrt(T))),
        (TUNED, CONVEX, NOISY, ZERO, SIZE, START),
    ),
    Whole(
        "sizes that shrink",
        le(regret, Rational(3, 2) * D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (step(D / (G * sqrt(t + 1))), UNBIASED, SIZE, BALL),
    ),
    Whole(
        "a strongly convex function, a sum of sizes",
        le(over(fixed), G**2 / (2 * mu) * over(1 / (t + 1))),
        le(over(fixed), G**2 / (4 * mu) * over(1 / (t + 1))),
        (step(1 / (mu * (t + 1)), y, v), FIXED, SMALL),
    ),
    Whole(
        "a strongly convex function, a logarithm",
        le(regret, G**2 / (2 * mu) * (1 + log(T))),
        le(regret, G**2 / (4 * mu) * (1 + log(T))),
        (step(1 / (mu * (t + 1))), CURVED, SIZE),
    ),
    Whole(
        "a strongly convex function, later rounds count more",
        le(over((t + 1) * fixed), G**2 * T / mu),
        le(over((t + 1) * fixed), G**2 * T / (2 * mu)),
        (step(2 / (mu * (t + 2)), y, v), FIXED, SMALL),
    ),
)
PARAMETERS = [pytest.param(case, id=case.name) for case in CASES]
NEEDED = {
    "a tuned size": ("step", "unbiased", "size", "start"),
    "a convex function with noise": ("class", "zero"),
    "the average of the points": ("class",),
    "sizes that shrink": ("ball",),
    "a strongly convex function, a sum of sizes": ("curved", "size"),
    "a strongly convex function, later rounds count more": ("curved", "size"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_theorem_about_steps_is_proved(case: Whole) -> None:
    outcome = prove(Theorem("found/steps", case.true, case.given))
    assert isinstance(outcome, Proved), outcome
    assert outcome.region == ()
    assert source_of(*outcome.facts, outcome.theorem)


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_constant_too_good_is_not_proved(case: Whole) -> None:
    assert not isinstance(prove(Theorem("found/steps", case.false, case.given), work=150), Proved)


@pytest.mark.parametrize(("name", "left_out"), [(n, h) for n, hs in NEEDED.items() for h in hs])
def test_each_hypothesis_is_needed(name: str, left_out: str) -> None:
    case = next(case for case in CASES if case.name == name)
    assert left_out in {h.id for h in case.given}
    rest = tuple(h for h in case.given if h.id != left_out)
    assert not isinstance(prove(Theorem("found/less", case.true, rest), work=150), Proved)


@pytest.mark.parametrize("size", [2 / (mu * (t + 1)), 1 / (mu * (t + 1) ** 2)], ids=["too slow", "too fast"])
def test_sizes_that_the_curvature_does_not_pay_for(size: Expr) -> None:
    """c(t + 1) <= 1/(2 s(t)) fails for sizes that shrink faster than the curvature pays for; slower ones cost more."""
    hypotheses = (step(size, y, v), FIXED, SMALL)
    (method,) = methods(hypotheses, le(over(fixed), 0))
    board = Board(hypotheses, Budget(300))
    done = of_curvature(board, method, fixed, lambda b, goal: b.accept(goal, by.linear()))
    bound = G**2 / (2 * mu) * over(1 / (t + 1))
    assert done is None or done.lines[-1].claim.right != bound
    if size == 1 / (mu * (t + 1) ** 2):
        assert done is None


def test_the_sum_starts_at_the_first_round() -> None:
    assert CASES[0].true.left == Total(gap, t, 0, T - 1) / T
