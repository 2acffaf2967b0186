"""Statements about M clients: what is read as such, and what is left to other searches."""

from __future__ import annotations

import pytest
from sympy import Symbol

from fltheory.proof import Given, Member, eq, le
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Defines, Theorem
from fltheory.proof.terms import Dot, E, Fun, Grad, Positive, RandomVector, Total, Val, Vector, family, square
from fltheory.proving import Proved, prove
from fltheory.proving.multipliers import Found, Stuck, prove_by_multipliers
from fltheory.proving.multipliers.agents import read_alike
from fltheory.proving.source import source_of
from tests.proving.agent_cases import AGENTS, BALANCED, STEP, M, after, clients, each, f, first, m, mean, server, zeta
from tests.proving.cases import L, best, eta, short, x

pytest.importorskip("clarabel")
NAMES = {case.name: case for case in AGENTS}
n = Symbol("n", integer=True, positive=True)
p = family(Positive, "p")


def theorem(*hypotheses: Given, statement: object = None) -> Theorem:
    shrinks = le(square(after - best), square(x - best))
    return Theorem("found/clients", statement or shrinks, (clients(), short(1 / L), *hypotheses))


def test_the_theorem_applies_a_lemma_about_one_client() -> None:
    case = NAMES["one local step of M clients"]
    found = prove_by_multipliers(case.theorem(case.true))
    assert isinstance(found, Found)
    (lemma,) = found.lemmas
    assert lemma.theorem.id == f"{found.theorem.id}-client"
    assert not any(side.has(Total) for side in (lemma.theorem.statement.left, lemma.theorem.statement.right))
    alone = check_theorem(found.theorem, found.certificates)
    assert alone.verdict == "UNKNOWN"
    assert any("is not among the theorems before" in step.reason for step in alone.steps)


def test_the_lemma_is_false_without_what_it_moves_to_the_sum() -> None:
    """One client alone may move away from the common minimiser: the equations about all of them are needed."""
    case = NAMES["one local step of M clients"]
    unbalanced = tuple(h for h in case.hypotheses if h.id != "balanced")
    found = prove_by_multipliers(Theorem("found/unbalanced", case.statement(case.true), unbalanced), narrow=False)
    assert not isinstance(found, Found)


def test_every_number_of_clients_is_one_theorem() -> None:
    case = NAMES["two local steps of M clients"]
    found = prove_by_multipliers(case.theorem(case.true))
    assert isinstance(found, Found)
    assert M in found.theorem.statement.gap.free_symbols | {each[2]}
    assert found.region == ()


@pytest.mark.parametrize(
    ("hypotheses", "statement"),
    [
        pytest.param(
            (STEP, server(first)), le(square(after - best), p(1) * Dot(x, x)), id="alike though p(1) is a number"
        ),
        pytest.param((STEP, server(first), BALANCED), None, id="alike"),
    ],
)
def test_what_is_read(hypotheses: tuple[Given, ...], statement: object) -> None:
    assert read_alike(theorem(*hypotheses, statement=statement)) is not None


@pytest.mark.parametrize(
    ("hypotheses", "statement"),
    [
        pytest.param((), None, id="no sum and no range"),
        pytest.param((Given("tail", eq(after, Total(first(m), m, 2, M))),), None, id="not from 1"),
        pytest.param((STEP, Given("two", eq(M * after, Total(first(n), n, 1, n)))), None, id="another number of them"),
        pytest.param(
            (Given("pairs", eq(Dot(first(m), first(n)), 0, each, (n, 1, M))), server(first)),
            None,
            id="pairs of clients",
        ),
        pytest.param((STEP,), le(mean(square(x)) ** 2, zeta), id="a square of a sum"),
        pytest.param((STEP,), le(mean(m * square(x)), zeta), id="a weight that depends on the client"),
        pytest.param((STEP,), le(Total(Total(Dot(first(m), first(n)), n, 1, M), *each), zeta), id="a double sum"),
    ],
)
def test_what_is_not_read(hypotheses: tuple[Given, ...], statement: object) -> None:
    assert read_alike(theorem(*hypotheses, statement=statement)) is None


def test_a_sum_within_a_client_is_the_average() -> None:
    """|y(m) - mean y|^2, averaged, is at most |y(m) - x|^2, averaged: the sum within a term is one and the same vector."""
    far = mean(square(first(m) - mean(first(m))))
    found = prove_by_multipliers(theorem(STEP, statement=le(far, mean(square(first(m) - x)))))
    assert isinstance(found, Found), str(found)
    least = prove_by_multipliers(theorem(STEP, statement=le(far, mean(square(first(m) - x)) * 9 / 10)), narrow=False)
    assert not isinstance(least, Found)


def test_another_name_of_an_index_is_the_same_client() -> None:
    own = Given("server", eq(M * after, Total(first(n), n, 1, M)))
    found = prove_by_multipliers(theorem(STEP, own, BALANCED))
    assert isinstance(found, Found), str(found)


def test_names_of_lines_do_not_clash() -> None:
    own = Given("each client", eq(M * after, Total(first(m), *each)))
    found = prove_by_multipliers(theorem(STEP, own, BALANCED))
    assert isinstance(found, Found), str(found)


def test_the_written_proof_has_the_lemma_before_the_theorem() -> None:
    outcome = prove(theorem(STEP, server(first), BALANCED))
    assert isinstance(outcome, Proved)
    text = source_of(*outcome.facts, outcome.theorem)
    assert text.index("found/clients-client") < text.index('proof("found/clients"')


def test_clients_of_different_weight_are_not_read_as_alike() -> None:
    weighed = Given("server", eq(after, x - eta * Total(p(m) * Grad(f(m), x), *each)))
    law = Given("law", eq(Total(p(m), *each), 1))
    outcome = prove(theorem(weighed, law, BALANCED), work=60)
    assert not isinstance(outcome, Proved)


def test_a_sum_within_a_gradient_within_a_sum() -> None:
    """Each mean is one vector, also that of the points at which gradients are averaged."""
    inside = mean(Grad(f(m), Total(first(n), n, 1, M) / M))
    found = read_alike(theorem(STEP, statement=le(square(mean(Grad(f(m), first(m)))), square(inside))))
    assert found is not None
    assert len({one for one, _ in found.back if str(one).startswith("Vector(mean")}) == 3


def test_definitions_of_what_each_client_does() -> None:
    case = NAMES["one local step of M clients"]
    defined = (
        Defines("first", first(m), x - eta * Grad(f(m), x), "a local step"),
        Defines("server", after, mean(first(m)), "the server's average"),
    )
    own = tuple(h for h in case.hypotheses if h.id not in ("first", "server"))
    found = prove_by_multipliers(Theorem("found/defined", case.statement(case.true), (*own, *defined)))
    assert isinstance(found, Found), str(found)
    false = prove_by_multipliers(Theorem("found/defined", case.statement(case.false), (*own, *defined)), narrow=False)
    assert not isinstance(false, Found)


def test_constants_of_each_client() -> None:
    own = family(Positive, "L")
    smooth = Member("clients", f(m), own(m), None, "each client has its own constant")
    most = le(
        mean(Val(f(m), after) - Val(f(m), x) - Dot(Grad(f(m), x), after - x)), mean(own(m) / 2 * square(after - x))
    )
    assert isinstance(prove_by_multipliers(Theorem("found/constants", most, (smooth,))), Found)


def test_the_mean_of_points_in_one_function() -> None:
    shared = family(Fun, "F")()
    jensen = le(Val(shared, mean(first(m))), mean(Val(shared, first(m))))
    convex = Member("class", shared, None, 0, "convex")
    assert isinstance(prove_by_multipliers(Theorem("found/jensen", jensen, (convex,))), Found)
    other = Theorem("found/jensen", le(mean(Val(shared, first(m))), Val(shared, mean(first(m)))), (convex,))
    assert not isinstance(prove_by_multipliers(other, narrow=False), Found)


@pytest.mark.parametrize("name", ["y_each", "mean_1", "y"])
def test_vectors_of_the_user_may_have_any_name(name: str) -> None:
    own = family(Vector, name)()
    statement = le(mean(square(first(m) + own)), 2 * mean(square(first(m))) + 2 * square(own))
    found = prove_by_multipliers(Theorem("found/names", statement, ()))
    assert isinstance(found, Found), str(found)


def test_the_mean_of_noise_is_at_most_that_of_one_client() -> None:
    noise = family(RandomVector, "xi")
    bounded = Given("variance", le(E(square(noise(m))), zeta**2, each))
    statement = le(E(square(mean(noise(m)))), zeta**2)
    found = prove_by_multipliers(Theorem("found/noise", statement, (bounded,)))
    assert isinstance(found, Found), str(found)
    below = prove_by_multipliers(Theorem("found/noise", le(E(square(mean(noise(m)))), zeta**2 / 2), (bounded,)))
    assert isinstance(below, Stuck)
