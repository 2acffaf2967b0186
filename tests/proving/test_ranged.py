"""Statements for every round: proved by a lemma about one of them; a range that a hypothesis lacks is noticed."""

from __future__ import annotations

import pytest
from sympy import Integer, Max, Symbol

from fltheory.proof import Given, Relation, eq, le
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Fun, Grad, Positive, Total, Val, Vector, family, square
from fltheory.proving import Proved, Refuted, prove
from fltheory.proving.multipliers import Found, Stuck, prove_by_multipliers
from fltheory.proving.multipliers.ranged import read_ranged
from tests.proving.cases import F, L, best, eta, least, mu, order, smooth

pytest.importorskip("clarabel")
t = Symbol("t", integer=True, nonnegative=True)
T, s = Symbol("T", integer=True, positive=True), Symbol("s", integer=True, nonnegative=True)
x, step = family(Vector, "x"), family(Positive, "step")
rounds = (t, 0, T - 1)
MOVES = Given("moves", eq(x(t + 1), x(t) - eta * Grad(F, x(t)), rounds))


def gains(constant: object, size: object = eta) -> Relation:
    """Return what one step of gradient descent gains, in every round."""
    gap = Val(F, x(t + 1)) - Val(F, best)
    return le(square(x(t + 1) - best), square(x(t) - best) - constant * size * gap, rounds)


def theorem(statement: Relation, *hypotheses: object) -> Theorem:
    return Theorem("found/rounds", statement, (smooth(), least, *hypotheses))


SHORT = Given("short", le(eta * L, 1))


def test_every_round_is_proved_by_a_lemma_about_one() -> None:
    found = prove_by_multipliers(theorem(gains(2), SHORT, MOVES))
    assert isinstance(found, Found)
    (lemma,) = found.lemmas
    assert lemma.theorem.statement.over == ()
    assert check_theorem(found.theorem, {}, {lemma.theorem.id: lemma}).verdict == "PROVED"
    assert check_theorem(found.theorem, {}).verdict == "UNKNOWN"


def test_a_constant_a_bit_too_good_is_not_proved() -> None:
    assert isinstance(prove_by_multipliers(theorem(gains(Integer(21) / 10), SHORT, MOVES)), Stuck)


def test_steps_of_each_round() -> None:
    moves = Given("moves", eq(x(t + 1), x(t) - step(t) * Grad(F, x(t)), rounds))
    short = Given("short", le(step(t) * L, 1, rounds))
    assert isinstance(prove(theorem(gains(2, step(t)), short, moves)), Proved)
    assert not isinstance(prove(theorem(gains(2, step(t)), moves), work=100), Proved)


@pytest.mark.parametrize("last", [T - 2, T - 3])
def test_a_hypothesis_for_fewer_rounds_is_not_enough(last: object) -> None:
    shorter = Given("moves", eq(x(t + 1), x(t) - eta * Grad(F, x(t)), (t, 0, last)))
    found = prove_by_multipliers(theorem(gains(2), SHORT, shorter))
    assert isinstance(found, Stuck)
    assert "does not accept the statement for all indices" in found.reason
    assert not isinstance(prove(theorem(gains(2), SHORT, shorter), work=100), Proved)


def test_the_next_round_is_another_vector() -> None:
    """With x(t) in the place of x(t + 1) on the left the statement is false."""
    same = le(square(x(t) - best), square(x(t) - best) - 2 * eta * (Val(F, x(t)) - Val(F, best)), rounds)
    assert isinstance(prove(theorem(same, SHORT, MOVES), work=100), Refuted)


def test_the_larger_of_two_rates_in_every_round() -> None:
    rate = Max((1 - eta * mu) ** 2, (1 - eta * L) ** 2)
    statement = le(square(x(t + 1) - best), rate * square(x(t) - best), rounds)
    hypotheses = (smooth(mu), order, least, MOVES)
    found = prove_by_multipliers(Theorem("found/rates", statement, hypotheses))
    assert isinstance(found, Found), str(found)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(le(square(x(0)), square(x(1))), id="no range"),
        pytest.param(le(Total(square(x(t)), t, 0, T), square(x(t)), rounds), id="a sum over the rounds"),
        pytest.param(le(Total(square(x(s)), s, 0, t), square(x(t)), rounds), id="a sum up to the round"),
    ],
)
def test_what_is_not_read(statement: Relation) -> None:
    assert read_ranged(theorem(statement)) is None


def test_the_index_may_be_a_number_too() -> None:
    gap = Val(F, x(t)) - Val(F, best)
    after = (t + 1) * (Val(F, x(t + 1)) - Val(F, best)) + square(x(t + 1) - best) / (2 * eta)
    found = prove_by_multipliers(theorem(le(after, t * gap + square(x(t) - best) / (2 * eta), rounds), SHORT, MOVES))
    assert isinstance(found, Found)
    worse = le(after + gap, t * gap + square(x(t) - best) / (2 * eta), rounds)
    assert isinstance(prove_by_multipliers(theorem(worse, SHORT, MOVES)), Stuck)


@pytest.mark.parametrize("low", [-2, 0])
def test_an_index_is_what_its_range_allows(low: int) -> None:
    """A lemma for nonnegative numbers says nothing of negative ones, and one for positive ones nothing of 0."""
    index = Symbol("t", integer=True, **({"nonnegative": True} if low else {"positive": True}))
    statement = le(0, index * square(x(index)), (index, low, T))
    found = prove_by_multipliers(Theorem("found/index", statement, ()))
    assert isinstance(found, Stuck)
    assert "not seen to begin" in found.reason
    assert isinstance(prove_by_multipliers(Theorem("found/index", le(0, t * square(x(t)), (t, 0, T)), ())), Found)


def test_functions_of_each_client() -> None:
    i = Symbol("i", integer=True, positive=True)
    f, y = family(Fun, "f"), family(Vector, "y")
    clients = smooth(0, f(i))
    moved = Given("moved", eq(y(i), x(0) - eta * Grad(f(i), x(0)), (i, 1, T)))
    statement = le(Val(f(i), y(i)), Val(f(i), x(0)) - eta / 2 * square(Grad(f(i), x(0))), (i, 1, T))
    assert isinstance(prove_by_multipliers(Theorem("found/clients", statement, (clients, SHORT, moved))), Found)
