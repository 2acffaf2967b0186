"""Proofs that are found from class, method and inequality alone, for all parameters; their false neighbours are not."""

from __future__ import annotations

import builtins

import pytest
from sympy import Rational

from fltheory.proof import Given, ProofError, eq, le, lt
from fltheory.proof.check import check_theorem
from fltheory.proof.find import find_certificates
from fltheory.proof.language import Theorem
from fltheory.proof.terms import square
from fltheory.proving import multipliers
from fltheory.proving.multipliers import Found, Stuck, prove_by_multipliers
from fltheory.proving.multipliers.lines import Complete
from tests.proving.agent_cases import AGENTS
from tests.proving.cases import CASES as FIRST
from tests.proving.cases import VALUES, Case, L, best, contraction, eta, least, mu, smooth, x, y
from tests.proving.cases import gradient_step as step_of
from tests.proving.further_cases import FURTHER, MAXIMA

pytest.importorskip("clarabel")
CASES = (*FIRST, *FURTHER, *AGENTS)
NAMES = {case.name: case for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_proof_is_found_for_all_parameters(case: Case) -> None:
    found = prove_by_multipliers(case.theorem(case.true))
    assert isinstance(found, Found), str(found)
    assert found.region == ()
    report = check_theorem(found.theorem, found.certificates, {r.theorem.id: r for r in found.lemmas})
    assert (report.verdict, report.scope, report.faults) == ("PROVED", "all parameters", ())
    assert found.theorem.statement == case.theorem(case.true).statement
    assert found.theorem.hypotheses == case.hypotheses


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_constant_a_bit_too_good_is_not_proved(case: Case) -> None:
    stuck = prove_by_multipliers(case.theorem(case.false), narrow=False)
    assert isinstance(stuck, Stuck)
    if case not in MAXIMA:  # there the region of a case depends on the constant, and a grid may miss where it is false
        assert stuck.reason == "no combination of the inequalities gives the statement"


def test_a_stuck_goal_names_the_point_without_multipliers() -> None:
    stuck = prove_by_multipliers(NAMES["contraction"].theorem((1 - 2 * eta * mu) ** 2))
    assert isinstance(stuck, Stuck)
    assert set(stuck.point) == {"eta", "mu", "L"}
    assert str(stuck).endswith("L = 1")


def test_only_an_inequality_without_ranges_is_tried() -> None:
    for statement in (eq(square(x), square(x)), lt(square(x), square(x) + 1)):
        with pytest.raises(ProofError, match="one inequality with <="):
            prove_by_multipliers(Theorem("found/other", statement))


def one_step(*conditions: Given) -> Theorem:
    """A step of gradient descent without a bound on its size."""
    case = NAMES["one step"]
    hypotheses = (*(h for h in case.hypotheses if h.id != "short"), *conditions)
    return Theorem("found/any step", case.statement(2), hypotheses)


def test_the_region_is_narrowed_to_where_the_statement_is_true() -> None:
    found = prove_by_multipliers(one_step())
    assert isinstance(found, Found)
    assert [g.relation for g in found.region] == [le(0, 3 - 2 * L * eta)]
    assert found.region[0].supposed
    assert found.region[0] in found.theorem.hypotheses
    assert check_theorem(found.theorem, found.certificates).verdict == "PROVED"


def test_a_narrower_region_may_be_refused() -> None:
    assert isinstance(prove_by_multipliers(one_step(), narrow=False), Stuck)


def test_equality_of_the_constants_is_left_out() -> None:
    """With mu <= L the multipliers have L - mu below the line, and mu < L is added."""
    case = contraction("weak", (1 - eta * mu) ** 2, Given("short", le(eta, 2 / (L + mu))))
    given = tuple(Given("order", le(mu, L)) if h.id == "order" else h for h in case.hypotheses)
    found = prove_by_multipliers(Theorem("found/weak", case.statement(case.true), given))
    assert isinstance(found, Found)
    assert [g.relation for g in found.region] == [lt(0, L - mu)]


def test_the_same_theorem_gives_the_same_proof() -> None:
    case = NAMES["gradient after two steps"]
    one, two = (prove_by_multipliers(case.theorem(case.true)) for _ in range(2))
    assert one == two


def test_the_squares_of_a_found_proof_are_found_again() -> None:
    case = NAMES["two steps"]
    found = prove_by_multipliers(case.theorem(case.true))
    assert isinstance(found, Found)
    again = find_certificates(found.theorem, {})
    assert check_theorem(found.theorem, again).verdict == "PROVED"


def test_a_budget_ends_the_search() -> None:
    case = NAMES["local GD, two steps, two points"]
    stuck = prove_by_multipliers(case.theorem(case.true), work=20)
    assert isinstance(stuck, Stuck)
    assert "work budget of 20 units" in str(stuck)


def test_contradictory_conditions_have_no_points() -> None:
    impossible = (Given("low", lt(eta, 1 / L)), Given("high", lt(2 / L, eta)))
    stuck = prove_by_multipliers(one_step(*impossible))
    assert str(stuck) == "no point was found at which the conditions hold with room"


def test_without_the_solver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *more: object, **named: object) -> object:
        if name == "clarabel":
            raise ImportError(name)
        return real(name, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match="extra 'find'"):
        prove_by_multipliers(VALUES[0].theorem(6))


def test_a_false_rate_is_not_proved_on_a_part_of_its_region() -> None:
    """Half of the step sizes have a contraction with this rate; the region found has those alone."""
    rate = (1 - eta * mu) ** 2 + Rational(1, 10) * (eta * L - 1)
    hypotheses = (smooth(mu), step_of(y, x), least, Given("order", lt(mu, L)), Given("short", le(eta, 2 / (L + mu))))
    found = prove_by_multipliers(Theorem("found/part", le(square(y - best), rate * square(x - best)), hypotheses))
    if isinstance(found, Found):
        assert found.region
        assert check_theorem(found.theorem, found.certificates).verdict == "PROVED"


def test_a_proof_whose_certificates_are_found_again_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has no certificates: those of its lines are found when it is checked."""
    case = CASES[0]
    theorem = case.theorem(case.true)
    plain = prove_by_multipliers(theorem)
    asked: list[Complete] = []

    def found_again(complete: Complete) -> bool:
        asked.append(complete)
        return len(asked) == 2

    monkeypatch.setattr(multipliers, "is_found_again", found_again)
    second = prove_by_multipliers(theorem)
    assert isinstance(plain, Found)
    assert isinstance(second, Found)
    assert len(asked) == 1 or second.theorem == asked[1].theorem
    asked.clear()
    monkeypatch.setattr(multipliers, "is_found_again", lambda complete: bool(asked.append(complete)))
    hidden = prove_by_multipliers(theorem)
    assert isinstance(hidden, Found)
    assert hidden.theorem == asked[0].theorem == plain.theorem
    assert len(asked) <= multipliers.MOST_HIDDEN
