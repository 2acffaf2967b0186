"""Theorems about many rounds: what is chained is proved, and what does not follow is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Symbol, sqrt

from fltheory.proof import Member, ProofError, eq, le, lt, proof
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Given, Theorem
from fltheory.proof.report import Report
from fltheory.proof.terms import Dot, Fun, Grad, Total, Val, Vector, family, square
from fltheory.proving import Proved, prove
from fltheory.proving.rounds import chained, tuned
from fltheory.proving.source import source_of
from tests.proving.agent_cases import AGENTS, after

pytest.importorskip("clarabel")
F = family(Fun, "F")()
x, y, g, best = (family(Vector, name)() for name in ("x", "x_plus", "g", "x_star"))
L, mu, eta, G, D = (Symbol(name, positive=True) for name in ("L", "mu", "eta", "G", "D"))
GAP = Val(F, x) - Val(F, best)
DESCENT = (
    proof("mine/round")
    .under(Member("class", F, L, mu, "F is L-smooth and mu-strongly convex"))
    .given("order", lt(mu, L), "not one curvature")
    .given("step", eq(y, x - eta * Grad(F, x)), "gradient descent")
    .given("least", eq(Grad(F, best), 0 * best), "the minimiser")
    .given("short", le(eta, 1 / L), "a short step")
)
CONTRACTION = DESCENT.conjecture(le(square(y - best), (1 - eta * mu) * square(x - best)))
ONLINE = (
    proof("mine/online")
    .given("step", eq(y, x - eta * g), "a subgradient step")
    .given("bounded", le(square(g), G**2), "bounded subgradients")
    .conjecture(le(square(y - best), square(x - best) - 2 * eta * Dot(g, x - best) + eta**2 * G**2))
)


def proved(theorem: Theorem) -> Proved:
    found = prove(theorem)
    assert isinstance(found, Proved)
    return found


def checked(theorem: Theorem, *earlier: Report) -> Report:
    known = {report.theorem.id: report for report in earlier}
    return check_theorem(theorem, find_certificates(theorem, known), known)


def test_a_contraction_is_chained() -> None:
    one = proved(CONTRACTION)
    many = checked(chained(one.theorem, "x", "x_plus"), one.report)
    assert (many.verdict, many.scope, many.faults) == ("PROVED", "all parameters", ())
    assert {h.id for h in many.theorem.hypotheses} == {h.id for h in one.theorem.hypotheses}


def test_an_average_is_chained_and_tuned() -> None:
    one = proved(ONLINE)
    many = checked(chained(one.theorem, "x", "x_plus"), one.report)
    assert many.verdict == "PROVED"
    best_step = checked(tuned(many.theorem, eta, D), many)
    assert best_step.verdict == "PROVED"
    assert best_step.theorem.statement.right == D * G / sqrt(Symbol("R", integer=True, positive=True))


def test_what_differs_from_round_to_round_has_an_index() -> None:
    many = chained(proved(ONLINE).theorem, "x", "x_plus")
    (bounded,) = (h for h in many.hypotheses if h.id == "bounded")
    assert isinstance(bounded, Given)
    assert [len(v.args) for v in bounded.relation.left.atoms(Vector)] == [2]
    assert all(len(v.args) == 1 for v in many.statement.right.atoms(Vector) if v.args[0].name == "x_star")


@pytest.mark.parametrize(
    ("statement", "points", "why"),
    [
        (le(square(y - best), square(x - best)), ("x", "z"), "no point 'z'"),
        (le(square(y - best), square(x - best)), ("x", "x_plus,g"), "as many points"),
        (le(square(y - best), square(x - best)), ("x", "x_plus"), "nothing follows"),
        (le(square(x - best), square(y - best)), ("x", "x_plus"), "does not contain x_plus"),
        (le(square(y - best), square(x - best) - square(y - x)), ("x", "x_plus"), "contains x_plus too"),
        (le(square(y - best) + square(y), 2 * square(x - best) + square(x)), ("x", "x_plus"), "no multiple"),
        (lt(square(y - best), square(x - best)), ("x", "x_plus"), "inequality with <="),
    ],
)
def test_what_cannot_be_chained_is_refused(statement: Any, points: tuple[str, str], why: str) -> None:
    one = proof("mine/one").given("step", eq(y, x - eta * g), "").conjecture(statement)
    with pytest.raises(ProofError, match=why):
        chained(one, *points)


def test_a_name_that_rounds_need_is_refused() -> None:
    taken = Symbol("R", positive=True)
    one = (
        proof("mine/taken")
        .given("step", eq(y, x - taken * g), "")
        .conjecture(le(square(y - best), square(x - best) - 2 * taken * Dot(g, x - best) + taken**2 * square(g)))
    )
    with pytest.raises(ProofError, match="rename the symbol R"):
        chained(one, "x", "x_plus")


def test_only_a_bound_with_one_best_step_is_tuned() -> None:
    many = chained(proved(CONTRACTION).theorem, "x", "x_plus")
    with pytest.raises(ProofError, match="expected a bound"):
        tuned(many, eta, D)


def test_a_gain_that_may_be_negative_is_supposed() -> None:
    """<g, x - x*> of a contraction with a gain is no number of known sign: the theorem supposes that it is not negative."""
    one = (
        proof("mine/gain")
        .given("round", le(square(y - best), square(x - best) / 2 - Dot(g, x - best)), "as supposed")
        .conjecture(le(square(y - best), square(x - best) / 2 - Dot(g, x - best)))
    )
    found = prove(one)
    assert isinstance(found, Proved)
    many = checked(chained(found.theorem, "x", "x_plus"), found.report)
    assert many.verdict == "PROVED"
    assert {h.id for h in many.theorem.hypotheses} - {h.id for h in one.hypotheses} == {"gain"}


def test_the_file_has_all_of_them() -> None:
    one = proved(CONTRACTION)
    many = chained(one.theorem, "x", "x_plus")
    built: dict[str, Any] = {}
    exec(source_of(one.theorem, many), built)
    assert (built["theorem_1"], built["theorem_2"]) == (one.theorem, many)


def test_vectors_of_the_clients_are_others_in_every_round() -> None:
    """y(m) becomes y(m, r): with the same ones in all rounds the hypotheses would hardly ever hold."""
    case = next(case for case in AGENTS if case.name == "one local step of M clients")
    outcome = prove(case.theorem(case.true))
    assert isinstance(outcome, Proved)
    theorem = chained(outcome.theorem, "x", "after")
    (moves,) = (h.relation for h in theorem.hypotheses if h.id == "first")
    assert all(len(v.args) == 3 for v in moves.left.atoms(Vector))
    assert [i.name for i, _, _ in moves.over] == ["m", "r"]
    known = {outcome.theorem.id: outcome.report}
    assert check_theorem(theorem, find_certificates(theorem, known), known).verdict == "PROVED"


def test_a_definition_of_what_moves_is_asked_for_as_a_hypothesis() -> None:
    case = next(case for case in AGENTS if case.name == "descent of the mean objective")
    distance = le(square(after - best), square(x - best))
    theorem = Theorem("mine/defined", distance, case.hypotheses)
    with pytest.raises(
        ProofError, match=r"server defines what differs from round to round; expected it as a hypothesis"
    ):
        chained(theorem, "x", "after")


def test_a_family_of_the_potential_may_not_be_named_like_a_point() -> None:
    """x becomes x(r), and x(m) is fixed: the two would be one family."""
    m = Symbol("m", integer=True, positive=True)
    potential = [Total(square(point - family(Vector, "x")(m)), m, 1, 3) for point in (after, x)]
    theorem = Theorem("mine/named", le(*potential), ())
    with pytest.raises(ProofError, match="rename one of the two x"):
        chained(theorem, "x", "after")
