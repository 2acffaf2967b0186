"""Algorithm 1 to the letter with one local step, the code as released, (33) and (34): rounds by hand, and mutants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given, settings
from sympy import Rational

from fltheory import find
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.model.bound import HIDDEN_CONSTANT
from fltheory.model.case import Case
from fltheory.number import as_number
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.algorithms.optimisers import released_delta_sgd
from fltheory.papers.delta_sgd.convex import families as strategies_convex
from fltheory.papers.delta_sgd.convex.cases import case_of_run, federation, huber, line
from fltheory.papers.delta_sgd.convex.claims import convex
from fltheory.papers.delta_sgd.experiments.tables import Row
from fltheory.papers.delta_sgd.instances.lemmas import Vectors
from fltheory.papers.delta_sgd.one_round import off_fedsgd, released_off_fedsgd, released_off_printed, rounds_of
from fltheory.papers.delta_sgd.rule.claims import rule
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.client_optimiser import adaptive_optimiser
from fltheory.runs.step_rule import StepRule, auto_tuned

PAIR = ((1, 10), (1, -2), "1/2")


def free(claim: Claim) -> Claim:
    """The claim without its conditions."""
    return replace(claim, bounds=tuple(replace(b, conditions=()) for b in claim.bounds))


# One local step ---------------------------------------------------------------------------------------------------


def test_one_local_step_is_fedsgd_by_hand() -> None:
    states = rounds_of(adaptive_optimiser(batches="fresh"), federation(*PAIR, n_local_steps=1))[0]
    x = Fraction(1, 2)
    for t in range(4):
        assert as_number(states[t][0]) == x
        x -= Fraction(1, 10) * (x * 11 - 1) / 2  # eta_0 = 1/10, whatever theta_0 = 3 lets line 9 say


@pytest.mark.parametrize("n", [2, 3])
def test_further_local_steps_are_not_fedsgd(n: int) -> None:
    claim = find("delta_sgd/A1-once@strict")
    steps = federation((4, 5), (1, -2), "1/2", n_local_steps=n, initial_step_size=1, initial_ratio=3)
    assert check_claim(claim, steps).status == "inapplicable"
    assert check_claim(free(claim), steps).status == "violated"


def test_the_rule_decides_nothing_with_one_local_step() -> None:
    """Line 9 comes after the only step: any rule gives the same rounds."""
    wild = StepRule("a thousand", lambda lr, *_: 0 * lr + 1000.0, lambda *_: fmpq(1000))
    for case in convex.ONCE:
        assert off_fedsgd(wild, case) == off_fedsgd(auto_tuned, case) == 0


@given(strategies_convex.federations(most=2))
@settings(max_examples=10, deadline=None)
def test_the_released_code_takes_a_larger_first_step(case: Case) -> None:
    one = case.with_settings(n_local_steps=1)
    assert released_off_fedsgd(one) == 0
    still = all(
        x == 0
        for row in rounds_of(adaptive_optimiser(), one)[:, 1:] - rounds_of(adaptive_optimiser(), one)[:, :-1]
        for x in row.flat
    )
    assert still or released_off_printed(one) > 0


def test_as_released_by_hand() -> None:
    """theta_0 = 3 and delta = 1 double the first step."""
    states = rounds_of(released_delta_sgd(), federation(*PAIR, n_local_steps=1))[0]
    x = Fraction(1, 2)
    for t in range(4):
        assert as_number(states[t][0]) == x
        x -= Fraction(2, 10) * (x * 11 - 1) / 2
    claim = find("delta_sgd/A1-released-once@explicit")
    two = federation(*PAIR, n_local_steps=1, growth_damping=0)
    assert check_claim(claim, two).status == "holds"
    assert check_claim(find("delta_sgd/A1-released@strict"), two).status == "holds"  # nothing grows where delta is 0


# Lemma 4 and Theorem 5 of a constant step size ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["L4-letter", "T5-letter"])
def test_a_constant_step_needs_to_be_small(name: str) -> None:
    claim = find(f"delta_sgd/{name}@corrected")
    large = case_of_run(line((3,)), 6, 1)
    assert check_claim(claim, large).status == "inapplicable"
    assert check_claim(free(claim), large).status == "violated"


def test_the_sum_of_the_steps_is_not_larger() -> None:
    claim = find("delta_sgd/T5-letter@corrected")
    mutant = replace(claim, bounds=(claim.bound.scaled(Rational(1, 4)),))
    assert "violated" in {check_claim(mutant, case).status for case in claim.cases}
    first = replace(claim, bounds=(claim.bound.scaled(Rational(89, 100)),))
    assert "violated" in {check_claim(first, case).status for case in claim.cases}


def test_31_of_a_constant_step_is_nearly_attained() -> None:
    claim = find("delta_sgd/L4-letter@corrected")
    assert "violated" in {
        check_claim(replace(claim, bounds=(claim.bound.scaled(Rational(99, 100)),)), case).status
        for case in claim.cases
    }


# The floor of the released code -------------------------------------------------------------------------------------


def test_the_floor_needs_a_scale() -> None:
    claim = find("delta_sgd/L4-released@corrected")
    steep = case_of_run(line((10**9,)), 3, "1/10000000000")
    assert check_claim(claim, steep).status == "inapplicable"
    anywhere = tuple(a for a in claim.assumptions if not a.name.startswith("L <="))
    assert check_claim(free(replace(claim, assumptions=anywhere)), steep).status == "violated"
    assert check_claim(find("delta_sgd/L4-one@corrected"), steep).status == "holds"  # without the floor


def test_units_tell_the_floor_only() -> None:
    for case in find("delta_sgd/R5-released@explicit").cases:
        assert check_claim(find("delta_sgd/R5@explicit"), case).status == "holds"


# (33) and (34) ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["33", "33-B", "34", "34-B"])
def test_the_identities_bear_no_factor(name: str) -> None:
    claim = find(f"delta_sgd/{name}@printed")
    for factor in (Rational(1001, 1000), Rational(999, 1000)):
        mutant = replace(claim, bounds=(claim.bound.scaled(factor),))
        assert {check_claim(mutant, case).status for case in claim.cases} == {"violated"}


def test_the_mean_of_moves_is_shorter_than_moves() -> None:
    claim = find("delta_sgd/34-mean@printed")
    mutant = replace(claim, bounds=(claim.bound.scaled(Rational(9, 10)),))
    assert "violated" in {check_claim(mutant, case).status for case in claim.cases}
    one = case_of_run(huber(3), 4, "1/2")
    assert check_claim(claim, one).ratio == 1  # one client: both are its move


@pytest.mark.parametrize("name", ["33-C", "34-C"])
def test_one_client_has_no_other_points(name: str) -> None:
    """Of one client the three readings are the same, so the identities hold in C as well."""
    claim = find(f"delta_sgd/{name}@strict")
    assert check_claim(claim, case_of_run(huber(3), 4, "1/2")).status == "holds"


def test_the_claims_stand_where_they_are_read() -> None:
    places = {c.id.removeprefix("delta_sgd/"): c.bound.source.place for c in (*convex.CLAIMS, *rule.CLAIMS)}
    assert places["33@printed"] == "(33)"
    assert places["34-mean@printed"] == "(34)"
    assert places["A1-once@strict"] == "Appendix A.2"
    assert places["A1-released@strict"] == "Algorithm 1"


@pytest.mark.parametrize("name", ["33-C", "34-C", "37-A", "T5-A-meets", "21-chosen", "25-chosen", "T1-eps"])
def test_what_the_paper_does_not_say_is_no_printed_statement(name: str) -> None:
    """Each is false of a reading that the words allow and do not state; the printed readings of (33), (34), (37) hold."""
    own = [
        c for c in catalogue(("delta_sgd",)) if c.id.startswith(f"delta_sgd/{name}@") and c.entry.recorded == "violated"
    ]
    assert [c.reading for c in own] == ["strict"]
    for natural in ("33", "34", "37"):
        assert find(f"delta_sgd/{natural}@printed").entry.recorded == "holds"


def test_29_is_stated_of_rounds_as_it_is_printed() -> None:
    """T >= (5/rho)^2, which is 400 for the largest rho; with one round less the claim says nothing."""
    claim = find("delta_sgd/29@printed")
    for case in claim.cases:
        assert check_claim(claim, case).status == "violated"
        assert check_claim(claim, case.with_settings(n_rounds=399)).status == "inapplicable"


def test_the_number_of_rounds_is_that_of_the_bound() -> None:
    claim = find("delta_sgd/T1-eps@strict")
    assert claim.bound.expr == HIDDEN_CONSTANT * notation.G**2 / notation.T
    assert f"T = {HIDDEN_CONSTANT}(G/ε)²" in claim.statement


def test_claims_say_what_their_families_suppose() -> None:
    """Each case was drawn without the family: noise, an amplifier beyond 1, one vector, a line of another table."""
    once = find("delta_sgd/A1-once@strict")
    noisy = QuadraticClients(("1/5", "1/2"), ("-1/2", -2), -1, noise_std="1/10")
    assert check_claim(once, Case(noisy, **dict(once.cases[0].settings))).status == "inapplicable"
    wide = find("delta_sgd/36@printed")
    three = ConvexClients((Quadratic((54,), "1/2"), Quadratic(("3/50",), -2), Quadratic(("7/50",), 0)), "-7/4")
    settings_of = {"growth_damping": 1, "initial_ratio": 1, "initial_step_size": 1, "n_rounds": 7}
    assert check_claim(wide, Case(three, amplifier="707/500", **settings_of)).status == "inapplicable"
    assert check_claim(free(wide), Case(three, amplifier="707/500", **settings_of)).status == "violated"
    assert check_claim(wide, Case(three, amplifier=1, **settings_of)).status == "holds"
    assert check_claim(find("delta_sgd/7@printed"), Case(Vectors(((2, -1),)))).status == "inapplicable"
    assert check_claim(find("delta_sgd/T4-margin@corrected"), Case(Row("Table 1", "1 MNIST"))).status == "inapplicable"
