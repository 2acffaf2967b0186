"""Theorems about all rounds from class, step and statement alone: sums, last values, averages and contractions."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sympy import Expr, Integer, Rational, Symbol

from fltheory.proof import Given, Hypothesis, Member, Relation, eq, le
from fltheory.proof.language import Theorem
from fltheory.proof.terms import (
    Dot,
    E,
    Grad,
    Nonnegative,
    Positive,
    RandomVector,
    Scalar,
    Total,
    Val,
    Vector,
    family,
    square,
)
from fltheory.proving import Proved, prove
from fltheory.proving.board import Board
from fltheory.proving.budget import Budget
from fltheory.proving.source import source_of
from fltheory.proving.tactics.all_rounds.telescoping import Invariant, by_induction
from tests.proving.agent_cases import M, clients, each, f, m, mean
from tests.proving.cases import F, L, best, eta, least, mu, order, smooth

pytest.importorskip("clarabel")
t = Symbol("t", integer=True, nonnegative=True)
T = Symbol("T", integer=True, positive=True)
x, g, y = (family(Vector, name) for name in "xgy")
a, b = family(Scalar, "a"), family(Scalar, "b")
d, size = family(Nonnegative, "d"), family(Positive, "step")
z = family(RandomVector, "z")
u = family(Vector, "u")()
c, q, D, G, sigma = (Symbol(n, positive=True) for n in ("c", "q", "D", "G", "sigma"))
k = Symbol("k", integer=True, positive=True)
low = Symbol("low", real=True)
rounds = (t, 0, T - 1)
start = square(x(0) - u)
STEP = Given("step", eq(x(t + 1), x(t) - eta * Grad(F, x(t)), rounds))
PLAIN = Given("step", eq(x(t + 1), x(t) - eta * g(t), rounds))
IMPLICIT = Given("step", eq(x(t + 1), x(t) - eta * Grad(F, x(t + 1)), rounds))
SHORT = Given("short", le(eta * L, 1))
BOUNDED = Given("bounded", le(square(Grad(F, x(t))), G**2, rounds))
CONVEX = Member("class", F, None, 0)


def over(term: Expr) -> Expr:
    return Total(term, *rounds)


@dataclass(frozen=True)
class Whole:
    """A theorem about all rounds, and a false neighbour of it."""

    name: str
    true: Relation
    false: Relation
    given: tuple[Hypothesis, ...]


CASES = (
    Whole(
        "regret of online gradient descent",
        le(over(Dot(g(t), x(t) - u)), start / (2 * eta) + eta / 2 * over(square(g(t)))),
        le(over(Dot(g(t), x(t) - u)), start / (2 * eta) + eta / 3 * over(square(g(t)))),
        (PLAIN,),
    ),
    Whole(
        "regret with a step size for each round",
        le(over(size(t) * Dot(g(t), x(t) - u)), start / 2 + over(size(t) ** 2 * square(g(t))) / 2),
        le(over(size(t) * Dot(g(t), x(t) - u)), start / 3 + over(size(t) ** 2 * square(g(t))) / 2),
        (Given("step", eq(x(t + 1), x(t) - size(t) * g(t), rounds)),),
    ),
    Whole(
        "subgradient method",
        le(over(Val(F, x(t)) - Val(F, u)), start / (2 * eta) + T * eta * G**2 / 2),
        le(over(Val(F, x(t)) - Val(F, u)), start / (2 * eta) + T * eta * G**2 / 3),
        (STEP, BOUNDED, CONVEX),
    ),
    Whole(
        "the average of the iterates",
        le(Val(F, over(x(t)) / T) - Val(F, u), start / (2 * eta * T) + eta * G**2 / 2),
        le(Val(F, over(x(t)) / T) - Val(F, u), start / (3 * eta * T) + eta * G**2 / 2),
        (STEP, BOUNDED, CONVEX),
    ),
    Whole(
        "gradients without convexity",
        le(over(square(Grad(F, x(t)))) / T, 2 * (Val(F, x(0)) - low) / (eta * T)),
        le(over(square(Grad(F, x(t)))) / T, (Val(F, x(0)) - low) / (eta * T)),
        (STEP, Member("class", F, L), SHORT, Given("bounded below", le(low, Val(F, x(T))))),
    ),
    Whole(
        "the last iterate",
        le(Val(F, x(T)) - Val(F, u), start / (2 * eta * T)),
        le(Val(F, x(T)) - Val(F, u), start / (5 * eta * T)),
        (STEP, smooth(), SHORT),
    ),
    Whole(
        "the last proximal point",
        le(Val(F, x(T)) - Val(F, u), start / (2 * eta * T)),
        le(Val(F, x(T)) - Val(F, u), start / (5 * eta * T)),
        (IMPLICIT, CONVEX),
    ),
    Whole(
        "contraction over all rounds",
        le(square(x(T) - best), (1 - eta * mu) ** T * square(x(0) - best)),
        le(square(x(T) - best), (1 - 3 * eta * mu) ** T * square(x(0) - best)),
        (STEP, smooth(mu), Given("short", le(eta * (L + mu), 2)), order, least),
    ),
    Whole(
        "a gap that shrinks",
        le(Val(F, x(T)) - low, (1 - eta * mu) ** T * (Val(F, x(0)) - low)),
        le(Val(F, x(T)) - low, (1 - 2 * eta * mu) ** T * (Val(F, x(0)) - low)),
        (
            STEP,
            Member("class", F, L),
            SHORT,
            order,
            Given("slope", le(2 * mu * (Val(F, x(t)) - low), square(Grad(F, x(t))), rounds)),
        ),
    ),
    Whole(
        "a recursion with an error",
        le(a(T), (1 - q) ** T * a(0) + c / q),
        le(a(T), (1 - q) ** T * a(0) + c / (2 * q)),
        (Given("step", le(a(t + 1), (1 - q) * a(t) + c, rounds)), Given("small", le(q, 1))),
    ),
    Whole(
        "sum of a recursion",
        le(over(b(t)) / T, a(0) / (eta * T) + c),
        le(over(b(t)) / T, a(0) / (eta * T) + c / 2),
        (Given("step", le(a(t + 1), a(t) - eta * b(t) + eta * c, rounds)), Given("end", le(0, a(T)))),
    ),
    Whole(
        "expectations",
        le(over(E(Val(F, z(t))) - low), E(square(z(0) - u)) / eta + T * eta * sigma**2),
        le(over(E(Val(F, z(t))) - low), E(square(z(0) - u)) / (2 * eta) + T * eta * sigma**2),
        (
            Given(
                "step",
                le(
                    E(square(z(t + 1) - u)),
                    E(square(z(t) - u)) - eta * (E(Val(F, z(t))) - low) + eta**2 * sigma**2,
                    rounds,
                ),
            ),
        ),
    ),
)
START = Given("start", le(start, D**2))
LAST = (t, 0, T)
BOOK = Given("step", eq(x(k), x(k - 1) - eta * Grad(F, x(k - 1)), (k, 1, T)))
FROM_ONE = Given("step", eq(x(k + 1), x(k) - eta * Grad(F, x(k)), (k, 1, T)))
SPELLINGS = (
    Whole(
        "values do not grow",
        le(Val(F, x(T)), Val(F, x(0))),
        le(Val(F, x(T)), Val(F, x(0)) - eta),
        (STEP, Member("class", F, L), SHORT),
    ),
    Whole(
        "a bound on the start",
        le(over(Dot(g(t), x(t) - u)), D**2 / (2 * eta) + eta / 2 * over(square(g(t)))),
        le(over(Dot(g(t), x(t) - u)), D**2 / (3 * eta) + eta / 2 * over(square(g(t)))),
        (PLAIN, START),
    ),
    Whole(
        "rounds from 0 to T",
        le(Val(F, Total(x(t), *LAST) / (T + 1)) - Val(F, u), start / (2 * eta * (T + 1)) + eta * G**2 / 2),
        le(Val(F, Total(x(t), *LAST) / (T + 1)) - Val(F, u), start / (3 * eta * (T + 1)) + eta * G**2 / 2),
        (
            Given("step", eq(x(t + 1), x(t) - eta * Grad(F, x(t)), LAST)),
            Given("bounded", le(square(Grad(F, x(t))), G**2, LAST)),
            CONVEX,
        ),
    ),
    Whole(
        "twice the exponent",
        le(square(x(T) - best), (1 - eta * mu) ** (2 * T) * square(x(0) - best)),
        le(square(x(T) - best), (1 - eta * mu) ** (3 * T) * square(x(0) - best)),
        (STEP, smooth(mu), Given("short", le(eta * (L + mu), 2)), order, least),
    ),
    Whole(
        "a denominator",
        le(square(x(T) - best), square(x(0) - best) / (1 + eta * mu) ** (2 * T)),
        le(square(x(T) - best), square(x(0) - best) / (1 + 2 * eta * mu) ** (2 * T)),
        (IMPLICIT, Member("class", F, None, mu), least),
    ),
    Whole(
        "the round before",
        le(Val(F, x(T)) - Val(F, u), start / (2 * eta * T)),
        le(Val(F, x(T)) - Val(F, u), start / (5 * eta * T)),
        (BOOK, smooth(), SHORT),
    ),
    Whole(
        "rounds from 1",
        le(square(x(T + 1) - best), (1 - eta * mu) ** T * square(x(1) - best)),
        le(square(x(T + 1) - best), (1 - eta * mu) ** (3 * T) * square(x(1) - best)),
        (FROM_ONE, smooth(mu), Given("short", le(eta * (L + mu), 2)), order, least),
    ),
    Whole(
        "the least gradient",
        le(low, 2 * (Val(F, x(0)) - Val(F, u)) / (eta * T)),
        le(low, (Val(F, x(0)) - Val(F, u)) / (eta * T)),
        (
            STEP,
            Member("class", F, L),
            SHORT,
            Given("below", le(Val(F, u), Val(F, x(t)), (t, 0, T))),
            Given("least gradient", le(low, square(Grad(F, x(t))), rounds)),
        ),
    ),
)
w = family(RandomVector, "w")
NOISE = (
    Given("step", eq(z(t + 1), z(t) - eta * (Grad(F, z(t)) + w(t)), rounds)),
    Given("no drift", eq(E(Dot(w(t), z(t) - u)), 0, rounds)),
    Given("no bias", eq(E(Dot(w(t), Grad(F, z(t)))), 0, rounds)),
    Given("variance", le(E(square(w(t))), sigma**2, rounds)),
)
NOISY = (
    Whole(
        "stochastic gradients",
        le(over(E(Val(F, z(t)) - Val(F, u))), E(square(z(0) - u)) / eta + T * eta * sigma**2),
        le(over(E(Val(F, z(t)) - Val(F, u))), E(square(z(0) - u)) / eta + T * eta * sigma**2 / 3),
        (*NOISE, smooth(), Given("short", le(2 * eta * L, 1)), Given("least", eq(Grad(F, u), 0))),
    ),
    Whole(
        "stochastic gradients, strongly convex",
        le(E(square(z(T) - u)), (1 - eta * mu) ** T * E(square(z(0) - u)) + eta * sigma**2 / mu),
        le(E(square(z(T) - u)), (1 - eta * mu) ** T * E(square(z(0) - u)) + eta * sigma**2 / (3 * mu)),
        (*NOISE, smooth(mu), order, SHORT, Given("least", eq(Grad(F, u), 0))),
    ),
    Whole(
        "stochastic gradients without convexity",
        le(over(E(square(Grad(F, z(t))))) / T, 2 * (E(Val(F, z(0))) - low) / (eta * T) + eta * L * sigma**2),
        le(over(E(square(Grad(F, z(t))))) / T, 2 * (E(Val(F, z(0))) - low) / (eta * T) + eta * L * sigma**2 / 2),
        (NOISE[0], *NOISE[2:], Member("class", F, L), SHORT, Given("bounded below", le(low, E(Val(F, z(T)))))),
    ),
)
local, second = (family(Vector, name) for name in ("y", "v"))
AT = Given("balanced", eq(Total(Grad(f(m), u), *each), 0))
LOCAL = Given("local", eq(local(m, t), x(t) - eta * Grad(f(m), x(t)), each, rounds))
sent, xi = family(RandomVector, "w"), family(RandomVector, "xi")
SENT = (
    Given("local", eq(sent(m, t), z(t) - eta * (Grad(f(m), z(t)) + xi(m, t)), each, rounds)),
    Given("server", eq(M * z(t + 1), Total(sent(m, t), *each), rounds)),
)
DRAWN = (
    Given("centred", eq(E(Dot(xi(m, t), z(t) - u)), 0, each, rounds)),
    Given("unbiased", eq(E(Dot(mean(xi(m, t)), mean(Grad(f(m), z(t))))), 0, rounds)),
    Given("variance", le(E(square(mean(xi(m, t)))), sigma**2 / M, rounds)),
)
FEDERATED = (
    Whole(
        "rounds of M clients",
        le(over(mean(Val(f(m), x(t)) - Val(f(m), u))), start / eta),
        le(over(mean(Val(f(m), x(t)) - Val(f(m), u))), start / (3 * eta)),
        (LOCAL, Given("server", eq(M * x(t + 1), Total(local(m, t), *each), rounds)), AT, clients(), SHORT),
    ),
    Whole(
        "rounds of two local steps of M clients",
        le(square(x(T) - u), start + 2 * T * eta**3 * L * sigma**2),
        le(square(x(T) - u), start + T * eta**3 * L * sigma**2 / 2),
        (
            LOCAL,
            Given("second", eq(second(m, t), local(m, t) - eta * Grad(f(m), local(m, t)), each, rounds)),
            Given("server", eq(M * x(t + 1), Total(second(m, t), *each), rounds)),
            AT,
            Given("spread", eq(Total(square(Grad(f(m), u)), *each), M * sigma**2)),
            clients(),
            Given("short", le(2 * eta * L, 1)),
        ),
    ),
    Whole(
        "contraction of M clients",
        le(square(x(T) - u), (1 - eta * mu) ** T * start),
        le(square(x(T) - u), (1 - 3 * eta * mu) ** T * start),
        (
            LOCAL,
            Given("server", eq(M * x(t + 1), Total(local(m, t), *each), rounds)),
            AT,
            clients(mu),
            order,
            Given("short", le(eta * (L + mu), 2)),
        ),
    ),
    Whole(
        "rounds of M clients with noise",
        le(over(E(mean(Val(f(m), z(t)) - Val(f(m), u)))) / T, E(square(z(0) - u)) / (eta * T) + eta * sigma**2 / M),
        le(
            over(E(mean(Val(f(m), z(t)) - Val(f(m), u)))) / T,
            E(square(z(0) - u)) / (eta * T) + eta * sigma**2 / (3 * M),
        ),
        (*SENT, AT, *DRAWN, clients(), SHORT),
    ),
    Whole(
        "rounds of M clients with noise, without convexity",
        le(
            over(E(square(mean(Grad(f(m), z(t)))))) / T,
            2 * (E(mean(Val(f(m), z(0)))) - low) / (eta * T) + L * eta * sigma**2 / M,
        ),
        le(
            over(E(square(mean(Grad(f(m), z(t)))))) / T,
            2 * (E(mean(Val(f(m), z(0)))) - low) / (eta * T) + L * eta * sigma**2 / (2 * M),
        ),
        (*SENT, *DRAWN[1:], clients(None), SHORT, Given("bounded below", le(low, E(mean(Val(f(m), z(T))))))),
    ),
    Whole(
        "contraction of M clients with noise",
        le(E(square(z(T) - u)), (1 - eta * mu) ** T * E(square(z(0) - u)) + eta * sigma**2 / (mu * M)),
        le(E(square(z(T) - u)), (1 - eta * mu) ** T * E(square(z(0) - u)) + eta * sigma**2 / (3 * mu * M)),
        (*SENT, AT, *DRAWN, clients(mu), order, SHORT),
    ),
)
NO_INSTANCE = ("the last proximal point", "a denominator")  # an implicit equation determines no point
PARAMETERS = [pytest.param(case, id=case.name) for case in (*CASES, *SPELLINGS, *NOISY, *FEDERATED)]


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_theorem_about_all_rounds_is_proved(case: Whole) -> None:
    outcome = prove(Theorem("found/whole", case.true, case.given))
    assert isinstance(outcome, Proved), outcome
    assert outcome.report.verdict == "PROVED"
    assert outcome.region == ()
    assert outcome.consistent or case.name in NO_INSTANCE
    assert source_of(*outcome.facts, outcome.theorem)


@pytest.mark.parametrize("case", PARAMETERS)
def test_a_constant_a_bit_too_good_is_not_proved(case: Whole) -> None:
    assert not isinstance(prove(Theorem("found/whole", case.false, case.given), work=120), Proved)


@pytest.mark.parametrize("last", [T - 2, T - 3])
def test_a_round_that_no_hypothesis_covers(last: Expr) -> None:
    shorter = Given("step", eq(x(t + 1), x(t) - eta * g(t), (t, 0, last)))
    assert not isinstance(prove(Theorem("found/whole", CASES[0].true, (shorter,)), work=120), Proved)


def test_an_average_of_fewer_points_is_none() -> None:
    statement = le(Val(F, Total(x(t), t, 0, T) / T) - Val(F, u), start / (2 * eta * T) + eta * G**2 / 2)
    assert not isinstance(prove(Theorem("found/whole", statement, CASES[3].given), work=120), Proved)


def test_a_contraction_by_a_negative_factor_is_none() -> None:
    """Without eta mu <= 1 the factor may be negative, and a recursion with it says nothing after two rounds."""
    statement = le(a(T), (1 - q) ** T * a(0))
    step = Given("step", le(a(t + 1), (1 - q) * a(t), rounds))
    assert not isinstance(prove(Theorem("found/whole", statement, (step,)), work=120), Proved)


def test_an_inequality_of_one_round_that_does_not_keep_the_invariant_gives_no_line() -> None:
    each = le(a(t + 1), a(t) + 1, rounds)
    own = Invariant(t, Integer(0), T, lambda k: (a(k), a(0) + k / Rational(2)), each, le(0, 0))
    board = Board((Given("step", each),), Budget(1000))
    assert by_induction(board, own) is None
    right = Invariant(t, Integer(0), T, lambda k: (a(k), a(0) + k), each, le(0, 0))
    assert by_induction(board, right) is not None
