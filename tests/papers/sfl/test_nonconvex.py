"""The non-convex claims: the printed step, servers' steps, and least gradients of very long runs."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_ball
from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms, bounds
from fltheory.papers.sfl.nonconvex import claims
from fltheory.problems import DenseQuadraticClients, QuadraticClients
from fltheory.problems.strategies import federated_runs, quadratic_clients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.moments import ExponentialTerm, minimum_over_rounds
from fltheory.runs.measures import LeastGradient


@pytest.mark.parametrize("claim", [claims.least_gradient, claims.sequential_server, claims.parallel_server])
def test_more_cases_can_be_built(claim: Claim) -> None:
    assert claim.full_cases is not None
    cases = claim.all_cases("full")
    assert len(cases) > len(claim.cases)
    quadratic = [c for c in cases if isinstance(c.instance, QuadraticClients | DenseQuadraticClients)]
    assert {check_claim(claim, case).status for case in quadratic} == {"holds"}


def test_the_printed_step_breaks_the_rate_in_the_number_of_rounds() -> None:
    printed = claims.tuned_least_gradient_printed
    gained = []
    for k in range(3):  # the slow curvature is about 1 / (2 * effective step * rounds), the initial gap stays 1/2
        instance = QuadraticClients(((1, Fraction(1, 1600 * 100**k)),) * 2, ((0, 1), (0, -1)), (0, 40 * 10**k))
        verdict = check_claim(printed, Case(instance, n_rounds=10 ** (9 + 6 * k), n_local_steps=1))
        assert verdict.ratio is not None
        gained.append(verdict.ratio)
    # measured ~ R^(-1/3), claimed R^(-2/3): the ratio grows a hundredfold when R grows a millionfold
    assert [b / a for a, b in itertools.pairwise(gained)] == pytest.approx([100, 100], rel=0.01)


def test_the_corrected_bound_needs_the_corrected_step() -> None:
    claim = claims.tuned_least_gradient
    assert check_claim(claim, claims.COUNTEREXAMPLE).status == "holds"
    mutant = replace(claim, tuning=claims.tuned_least_gradient_printed.tuning)
    assert check_claim(mutant, claims.COUNTEREXAMPLE).status == "violated"


def test_cases_outside_the_hypotheses_are_named() -> None:
    case = claims.at_step(QuadraticClients((1, 1), (1, -1), 1), 1, n_rounds=100, n_local_steps=1)
    claim = claims.least_gradient
    assert check_claim(claim, case).status == "holds"
    assert "take part" in check_claim(claim, case.with_settings(n_participating=1)).reason
    assert "server_step_size" in check_claim(claim, case.with_settings(server_step_size=2)).reason
    larger = claims.at_step(QuadraticClients((1, 1), (1, -1), 1), "11/10", n_rounds=100, n_local_steps=1)
    assert "condition" in check_claim(claim, larger).reason
    short = claims.at_step(QuadraticClients((1, 1), (1, -1), 1), 1, n_rounds=10, n_local_steps=1)
    assert check_claim(claim, short).status == "vacuous"
    no_constants = DenseQuadraticClients(((1, 0), (0, 0)), ((0, 0), (0, 0)), (1, 1))
    assert (
        "heterogeneity" in check_claim(claim, Case(no_constants, n_rounds=9, n_local_steps=1, step_size="1/99")).reason
    )


def test_a_server_step_changes_what_is_measured() -> None:
    instance = claims.QUADRATIC[1]
    for claim, parallel in ((claims.sequential_server, False), (claims.parallel_server, True)):
        found = {
            check_claim(claim, claims.at_step(instance, 1, parallel, g, n_rounds=400, n_local_steps=3)).measured
            for g in (1, 2, 8)
        }
        assert len(found) == 3


# Least gradients of very long runs ------------------------------------------------------------------------------


@given(
    federated_runs(quadratic_clients(), max_rounds=2000), st.sampled_from([algorithms.sequential, algorithms.parallel])
)
@settings(max_examples=25)
def test_closed_forms_equal_the_runs_round_by_round(case: Case, algorithm: Algorithm) -> None:
    import fltheory.runs.measures as measures

    case = case.with_settings(n_rounds=max(300, dict(case.settings)["n_rounds"]))
    quick = exact_ball(LeastGradient(), algorithm, case).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "MAX_EXPLICIT_ROUNDS", 10**9)
        slow = exact_ball(LeastGradient(), algorithm, case).value
    assert quick.overlaps(slow)


def test_an_interior_minimum_is_found() -> None:
    # 1 - 2 a^r + 3 b^r with b = a^2 is least where a^r = 1/3
    a = arb(1) - arb(10) ** -6
    value = minimum_over_rounds(arb(1), [ExponentialTerm(arb(-2), a), ExponentialTerm(arb(3), a * a)], 10**9)
    assert value.overlaps(arb(2) / 3)
    assert value.rel_accuracy_bits() > 25  # a billion rounds cost 30 of the 53 bits
    assert minimum_over_rounds(arb(1), [ExponentialTerm(arb(-2), a), ExponentialTerm(arb(3), a * a)], 10) > 1.9


def test_the_least_value_is_one_of_the_values() -> None:
    terms = [
        ExponentialTerm(arb(2), arb("0.9")),
        ExponentialTerm(arb(-3), arb("0.95")),
        ExponentialTerm(arb("1.5"), arb("0.99")),
    ]
    values = [sum((t.coefficient * t.ratio**r for t in terms), arb(0)) for r in range(400)]
    smallest = min(values, key=lambda v: float(v.mid()))
    found = minimum_over_rounds(arb(0), terms, 399)
    assert found.overlaps(smallest)
    assert found.rel_accuracy_bits() > 40


def test_long_runs_of_coupled_coordinates_are_bounded_from_above() -> None:
    instance = DenseQuadraticClients(
        ((1, "1/4"),) * 2, ((1, 0), (-1, 0)), (2, 1), reflections=(((1, 2),),) * 2, noise_std=("1/10", 0)
    )
    case = Case(instance, n_rounds=10**6, n_local_steps=1)
    verdict = check_claim(claims.tuned_least_gradient, case)
    assert verdict.status == "holds"


def test_ids_and_readings() -> None:
    assert [c.id for c in claims.CLAIMS] == [
        "sfl/T3-NC@printed",
        "sfl/C4-NC@printed",
        "sfl/C4-NC@corrected",
        "sfl/T15@explicit",
        "sfl/T15-tuned@explicit",
        "sfl/T16@explicit",
        "sfl/T16-tuned@explicit",
    ]
    assert claims.tuned_least_gradient_printed.bound == bounds.C4_NC_PRINTED
