"""Steps x(t + 1) = x(t) - s(t) v(t): tuned, shrinking or fixed sizes, drifts, weighted averages and factors e^(-cT)."""

from __future__ import annotations

import pytest
from sympy import Expr, Integer, Rational, exp, sqrt

from fltheory.proof import Given, Member, by, eq, le
from fltheory.proof.language import Hypothesis, Theorem
from fltheory.proof.terms import Dot, Grad, Nonnegative, Total, Val, family, square
from fltheory.proving import Proved, prove
from fltheory.proving.board import Board, covers
from fltheory.proving.budget import Budget
from fltheory.proving.source import source_of
from fltheory.proving.tactics.all_rounds.regret import summed
from fltheory.proving.tactics.all_rounds.unrolling import unrolled
from tests.proving.agent_cases import M, each, m
from tests.proving.all_rounds.test_telescoping import (
    BOUNDED,
    CONVEX,
    PLAIN,
    SHORT,
    STEP,
    D,
    G,
    T,
    Whole,
    a,
    c,
    g,
    k,
    low,
    over,
    q,
    rounds,
    size,
    start,
    t,
    u,
    x,
    y,
)
from tests.proving.cases import F, L, best, eta, least, mu, order, smooth

pytest.importorskip("clarabel")
p = family(Nonnegative, "p")
regret = over(Dot(g(t), x(t) - u))
SMALL = Given("bounded", le(square(g(t)), G**2, rounds))
NEAR = Given("start", le(start, D**2))
BALL = Given("ball", le(square(x(t) - u), D**2, (t, 0, T)))
ONE = Given("one", eq(Total(p(m), *each), 1))


def sizes(s: Expr, v: Expr) -> Given:
    return Given("step", eq(x(t + 1), x(t) - s * v, rounds))


def local(by: Expr) -> Given:
    return Given("local", eq(y(t + 1), y(t) - by, rounds))


def projected(s: Expr) -> Given:
    """Return the step of a projection on a set that has u."""
    return Given("step", le(square(x(t + 1) - u), square(x(t) - s * g(t) - u), rounds))


def length(v: Expr) -> Expr:
    return sqrt(square(v))


SHORTER = Given("bounded", le(length(g(t)), G, rounds))
PATH = over(length(x(t + 1) - x(t)))
AVERAGED = Given("step", eq(x(t + 1), q * x(t) + (1 - q) * g(t), rounds))
WEIGHTED = Val(F, over(size(t) * x(t)) / over(size(t)))
AT_MOST = Given("at most", le(q, 1))
ZERO = Given("zero", eq(x(0), 0))

CASES = (
    Whole(
        "a tuned size",
        le(regret, D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (sizes(D / (G * sqrt(T)), g(t)), SMALL, NEAR),
    ),
    Whole(
        "a size that an equation tunes",
        le(regret, D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (PLAIN, SMALL, NEAR, Given("tuned", eq(eta, D / (G * sqrt(T))))),
    ),
    Whole(
        "the average with a tuned size",
        le(Val(F, over(x(t)) / T) - Val(F, u), D * G / sqrt(T)),
        le(Val(F, over(x(t)) / T) - Val(F, u), D * G / (2 * sqrt(T))),
        (sizes(D / (G * sqrt(T)), Grad(F, x(t))), BOUNDED, NEAR, CONVEX),
    ),
    Whole(
        "iterates in a ball",
        le(regret, D**2 / (2 * eta) + eta / 2 * over(square(g(t)))),
        le(regret, D**2 / (3 * eta) + eta / 2 * over(square(g(t)))),
        (PLAIN, BALL),
    ),
    Whole(
        "sizes that do not grow",
        le(regret, D**2 / (2 * size(T - 1)) + over(size(t) * square(g(t))) / 2),
        le(regret, D**2 / (2 * size(0)) + over(size(t) * square(g(t))) / 2),
        (sizes(size(t), g(t)), BALL, Given("shrink", le(size(t + 1), size(t), (t, 0, T - 2)))),
    ),
    Whole(
        "sizes that shrink as 1/sqrt t",
        le(regret, Rational(3, 2) * D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (sizes(D / (G * sqrt(t + 1)), g(t)), SMALL, BALL),
    ),
    Whole(
        "a factor e^(-cT)",
        le(square(x(T) - best), exp(-eta * mu * T) * square(x(0) - best)),
        le(square(x(T) - best), exp(-3 * eta * mu * T) * square(x(0) - best)),
        (STEP, smooth(mu), Given("short", le(eta * (L + mu), 2)), order, least),
    ),
    Whole(
        "a gap with a factor e^(-cT)",
        le(Val(F, x(T)) - low, exp(-eta * mu * T) * (Val(F, x(0)) - low)),
        le(Val(F, x(T)) - low, exp(-3 * eta * mu * T) * (Val(F, x(0)) - low)),
        (
            STEP,
            Member("class", F, L),
            SHORT,
            order,
            Given("below", le(low, Val(F, x(0)))),
            Given("slope", le(2 * mu * (Val(F, x(t)) - low), square(Grad(F, x(t))), rounds)),
        ),
    ),
    Whole(
        "drift of local steps",
        le(square(y(T) - y(0)), eta**2 * T * over(square(g(t)))),
        le(square(y(T) - y(0)), eta**2 * over(square(g(t)))),
        (local(eta * g(t)),),
    ),
    Whole(
        "drift with a bound on the gradients",
        le(square(y(T) - y(0)), eta**2 * T**2 * G**2),
        le(square(y(T) - y(0)), eta**2 * T * G**2),
        (local(eta * g(t)), SMALL),
    ),
    Whole(
        "a recursion that says nothing of the start",
        le(a(T), 2 * c / (T + 1)),
        le(a(T), c / (3 * T)),
        (Given("round", le(a(t + 1), (1 - 2 / (t + 2)) * a(t) + 2 * c / (t + 2) ** 2, rounds)),),
    ),
    Whole(
        "a weighted average",
        le(Val(F, Total((t + 1) * x(t + 1), *rounds) * 2 / (T * (T + 1))) - Val(F, u), c),
        le(Val(F, Total((t + 1) * x(t + 1), *rounds) * 2 / (T * (T + 1))) - Val(F, u), c / 2),
        (CONVEX, Given("sum", le(2 * over((t + 1) * (Val(F, x(t + 1)) - Val(F, u))) / (T * (T + 1)), c))),
    ),
    Whole(
        "the average weighted by the sizes",
        le(WEIGHTED - Val(F, u), (start + over(size(t) ** 2 * square(Grad(F, x(t))))) / (2 * over(size(t)))),
        le(WEIGHTED - Val(F, u), (start + over(size(t) ** 2 * square(Grad(F, x(t))))) / (3 * over(size(t)))),
        (sizes(size(t), Grad(F, x(t))), CONVEX),
    ),
    Whole(
        "Jensen's inequality with weights",
        le(Val(F, Total(p(m) * x(m), *each)), Total(p(m) * Val(F, x(m)), *each)),
        le(Total(p(m) * Val(F, x(m)), *each), Val(F, Total(p(m) * x(m), *each))),
        (ONE, CONVEX),
    ),
    Whole(
        "a projected step",
        le(regret, D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (projected(D / (G * sqrt(T))), SMALL, NEAR),
    ),
    Whole(
        "projected steps that shrink",
        le(regret, Rational(3, 2) * D * G * sqrt(T)),
        le(regret, D * G * sqrt(T) / 2),
        (projected(D / (G * sqrt(t + 1))), SMALL, BALL),
    ),
    Whole(
        "a factor e^(-2cT)",
        le(square(x(T) - best), exp(-2 * eta * mu * T) * square(x(0) - best)),
        le(square(x(T) - best), exp(-5 * eta * mu * T) * square(x(0) - best)),
        (STEP, smooth(mu), Given("short", le(eta * (L + mu), 2)), order, least),
    ),
    Whole(
        "gradients bounded in length",
        le(regret, start / (2 * eta) + eta * T * G**2 / 2),
        le(regret, start / (2 * eta) + eta * T * G**2 / 3),
        (PLAIN, SHORTER),
    ),
    Whole("length of a path", le(length(x(T) - x(0)), PATH), le(length(x(T) - x(0)), PATH / 2), ()),
    Whole(
        "length of a drift",
        le(length(y(T) - y(0)), eta * G * T),
        le(length(y(T) - y(0)), eta * G * T / 2),
        (local(eta * g(t)), SHORTER),
    ),
    Whole("momentum", le(square(x(T)), G**2), le(square(x(T)), G**2 / 2), (AVERAGED, SMALL, AT_MOST, ZERO)),
    Whole("length of momentum", le(length(x(T)), G), le(length(x(T)), G / 2), (AVERAGED, SHORTER, AT_MOST, ZERO)),
    Whole(
        "no step leads away",
        le(square(x(T) - best), square(x(0) - best)),
        le(square(x(T) - best), square(x(0) - best) / 2),
        (STEP, smooth(), Given("short", le(eta * L, 2)), least),
    ),
)
PARAMETERS = [pytest.param(case, id=case.name) for case in CASES]


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_theorem_about_steps_is_proved(case: Whole) -> None:
    outcome = prove(Theorem("found/steps", case.true, case.given))
    assert isinstance(outcome, Proved), outcome
    assert outcome.report.verdict == "PROVED"
    assert outcome.region == ()
    assert source_of(*outcome.facts, outcome.theorem)


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_constant_a_bit_too_good_is_not_proved(case: Whole) -> None:
    assert not isinstance(prove(Theorem("found/steps", case.false, case.given), work=150), Proved)


def without(case: Whole, *names: str) -> Theorem:
    return Theorem("found/less", case.true, tuple(h for h in case.given if h.id not in names))


NEEDED = {
    "a tuned size": ("bounded", "start"),
    "iterates in a ball": ("ball",),
    "sizes that do not grow": ("ball", "shrink"),
    "a factor e^(-cT)": ("short", "order", "least"),
    "a weighted average": ("class",),
    "momentum": ("step", "bounded", "at most", "zero"),
    "a projected step": ("step", "bounded", "start"),
    "no step leads away": ("class F", "short", "least"),
    "Jensen's inequality with weights": ("one", "class"),
}


@pytest.mark.parametrize(("name", "left_out"), [(n, h) for n, hs in NEEDED.items() for h in hs])
def test_each_hypothesis_is_needed(name: str, left_out: str) -> None:
    case = next(case for case in CASES if case.name == name)
    assert left_out in {h.id for h in case.given}
    assert not isinstance(prove(without(case, left_out), work=150), Proved)


def test_weights_of_either_sign_give_no_mean() -> None:
    weights = family(type(a(0)), "w")
    hypotheses: tuple[Hypothesis, ...] = (Given("one", eq(Total(weights(m), *each), 1)), CONVEX)
    statement = le(Val(F, Total(weights(m) * x(m), *each)), Total(weights(m) * Val(F, x(m)), *each))
    assert not isinstance(prove(Theorem("found/weights", statement, hypotheses), work=150), Proved)


def test_a_ball_that_does_not_hold_the_last_point_is_not_used() -> None:
    shorter = Given("ball", le(square(x(t) - u), D**2, (t, 1, T)))
    case = next(case for case in CASES if case.name == "iterates in a ball")
    other = tuple(shorter if h.id == "ball" else h for h in case.given)
    assert not isinstance(prove(Theorem("found/ball", case.true, other), work=150), Proved)


def test_a_relation_covers_a_claim_within_its_ranges() -> None:
    known = le(0, a(t), (t, 0, T))
    assert covers(known, le(0, 1, (t, 0, T - 1)))
    assert covers(known, le(0, 1, (t, 1, T), (k, 1, M)))
    assert not covers(known, le(0, 1, (t, 0, T + 1)))
    assert not covers(known, le(0, 1, (t, -1, T)))
    assert not covers(known, le(0, 1))


def test_a_point_before_the_start_has_no_sum_of_steps() -> None:
    board = Board((local(eta * g(t)),), Budget(300))
    claim = le(0, square(y(T + 1) - y(0)))
    assert unrolled(board, claim, lambda b, g: None) is None
    seen = []
    unrolled(board, le(0, square(y(T) - y(0))), lambda b, goal: seen.append(goal))
    assert len(seen) == 1
    assert not seen[0].right.has(y(T))


def test_a_start_that_is_not_a_ball_gives_no_line_for_shrinking_sizes() -> None:
    case = next(case for case in CASES if case.name == "sizes that do not grow")
    later = Given("ball", le(square(x(t) - u), D**2, (t, 0, T - 2)))
    hypotheses = tuple(later if h.id == "ball" else h for h in case.given)
    assert summed(Board(hypotheses, Budget(300)), case.true, lambda b, g: None) is None


def test_one_size_for_all_rounds_needs_no_sign_of_the_last_distance() -> None:
    board = Board((PLAIN,), Budget(300))
    statement = le(regret, start / (2 * eta) + eta / 2 * over(square(g(t))))
    done = summed(board, statement, lambda b, goal: b.accept(goal, by.linear()))
    assert done is not None
    assert Integer(0) in {line.claim.left for line in done.lines}
