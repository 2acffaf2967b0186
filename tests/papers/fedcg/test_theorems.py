"""Theorems 3.2, 3.5 and 4.3 along runs: mutants, algorithms against their definitions, units."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq
from sympy import Expr, Symbol

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.verdict import Verdict
from fltheory.model.bound import Bound, Source
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.papers.fedcg import algorithms
from fltheory.papers.fedcg.algorithms.local_steps import vertex
from fltheory.papers.fedcg.guarantees.claims import theorems
from fltheory.papers.fedcg.guarantees.claims.theorems import case_of_run, sampled_run
from fltheory.papers.fedcg.guarantees.closed_forms.measures import dissimilarities
from fltheory.papers.fedcg.instances.clients import common_and_own_points, fresh_groups, private_items
from fltheory.papers.fedcg.notation import D, ceilings, delta, r, weighted
from fltheory.papers.fedcg.plus import claims
from fltheory.problems.decomposable import SetOracle, SubmodularClients
from fltheory.problems.sets.matroids import Partition, Uniform
from fltheory.problems.sets.set_functions import Capped, Coverage, FacilityLocation, Modular
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.distributions.randomness import step_outcomes
from fltheory.runs.distributions.sample_paths import enumerate_runs

CLAIMS = (*theorems.CLAIMS, *claims.CLAIMS)
BY_ID = {c.id.removeprefix("fedcg/"): c for c in CLAIMS}
CLIENTS = SubmodularClients(
    (Coverage(((0, 1), (2, 3), 1), 4, (1, 2, 1)), FacilityLocation(((3, 1, 2, 0),)), Modular((1, 1, 2, 1))),
    Partition(((0, 1), (2, 3)), (1, 1)),
    (1, 2, 3),
)


@cache
def verdicts(claim_id: str) -> tuple[Verdict, ...]:
    """The verdicts on a claim's cases."""
    claim = BY_ID[claim_id.removeprefix("fedcg/")]
    return tuple(check_claim(claim, case) for case in claim.cases)


def mutant(claim_id: str, expr: Expr) -> Claim:
    """A claim with another formula."""
    claim = BY_ID[claim_id]
    return replace(claim, bounds=(replace(claim.bound, expr=sympy.sympify(expr), source=Source("fedcg", "mutant")),))


@pytest.mark.parametrize(
    ("claim_id", "lost", "case"),
    [
        ("T3.2@corrected", D, theorems.TIGHT),  # no heterogeneity
        ("S1@strengthened", weighted, theorems.TIGHT),
        ("T3.5@corrected", D, theorems.SMALL_TIGHT),
        ("S4-hoeffding@strengthened", ceilings, sampled_run(theorems.RARE, 1)),  # no sampling error
        ("S4-chebyshev@strengthened", ceilings, sampled_run(theorems.RARE, 1)),
        ("T3.2@corrected", r, case_of_run(fresh_groups(2, 8), 8)),  # no curvature
    ],
)
def test_every_term_is_needed(claim_id: str, lost: Symbol, case: Case) -> None:
    bound: Bound = BY_ID[claim_id].bound
    assert check_claim(BY_ID[claim_id], case).status in ("holds", "vacuous")
    assert check_claim(mutant(claim_id, bound.expr.subs(lost, 0)), case).status == "violated"


def test_the_curvature_grows_with_the_square_of_the_rank() -> None:
    """On I3 with r = 8 the term with r in place of r^2 is too small."""
    case = case_of_run(fresh_groups(8, 12), 12)
    claim = BY_ID["P6@corrected"]
    assert check_claim(claim, case).status == "holds"
    assert check_claim(mutant("P6@corrected", claim.bound.expr / r), case).status == "violated"


# Algorithms ------------------------------------------------------------------------------------------------------------


def exactly(algorithm: Algorithm, case: Case) -> tuple[np.ndarray, list[Any]]:
    return enumerate_runs(algorithm, case, RATIONAL)


def test_drawing_is_unbiased() -> None:
    """Lemma 3.3: the mean over all draws of one round is full participation's step; a uniform mean is not."""
    case = sampled_run(case_of_run(CLIENTS, 1, "1/2"), 2)
    states, weights = exactly(algorithms.partial, case)
    mean = sum((s[-1] * w for s, w in zip(states, weights, strict=True)), states[0, -1] * 0)
    assert (mean == exactly(algorithms.full, case)[0][0, -1]).all()
    assert not (mean == exactly(algorithms.uniform_average, case)[0][0, -1]).all()
    assert sum(weights) == 1


def test_estimates_are_unbiased() -> None:
    """The mean over all samples of an estimate is the gradient, and that of a fixed set is not."""
    x = np.array([[fmpq(1, 3), fmpq(1, 2), fmpq(0), fmpq(1, 5)]], dtype=object)
    found = step_outcomes(lambda y, chance: CLIENTS.oracle(chance).estimate(y, 0, 2), x, RATIONAL, 4096)
    assert found is not None
    _, estimates, chances = found
    mean = sum((e * p for e, p in zip(estimates, chances, strict=True)), estimates[0] * 0)
    assert (mean == CLIENTS.gradient(x, 0)[0]).all()
    assert not (CLIENTS.gradient(x * 0, 0)[0] == mean).all()


@pytest.mark.parametrize(
    "algorithm", [algorithms.gradient_sharing, algorithms.full, algorithms.uniform_average], ids=lambda a: a.name
)
def test_floats_follow_the_rationals(algorithm: Algorithm) -> None:
    case = case_of_run(CLIENTS, 5)
    exact = exactly(algorithm, case)[0][0]
    floats = rollout(algorithm, case, 2)
    assert np.allclose(floats[0], [[float(as_number(v)) for v in row] for row in exact], atol=1e-12)
    assert (floats[0] == floats[1]).all()


def test_simulated_draws_have_the_enumerated_frequencies() -> None:
    case = sampled_run(case_of_run(CLIENTS, 2, "1/2"), 2)
    states, weights = exactly(algorithms.partial, case)
    simulated = rollout(algorithms.partial, case, 4000)[:, -1]
    for state, weight in zip(states[:, -1], weights, strict=True):
        same = [w for s, w in zip(states[:, -1], weights, strict=True) if (s == state).all()]
        chance = float(as_number(sum(same, weight * 0)))
        seen = np.isclose(simulated, [float(as_number(v)) for v in state]).all(axis=1).mean()
        assert abs(seen - chance) < 5 * np.sqrt(chance * (1 - chance) / 4000) + 1e-3


def test_drawing_without_replacement_takes_each_client_once() -> None:
    case = sampled_run(case_of_run(private_items(3), 1), 3)
    states, _ = exactly(algorithms.without_replacement, case)
    assert len(states) == 1
    assert (states[0, -1] == exactly(algorithms.full, case)[0][0, -1]).all()
    assert len(exactly(algorithms.partial, case)[0]) > 1


@pytest.mark.parametrize(
    "algorithm", [algorithms.full, algorithms.gradient_sharing, algorithms.scaled, algorithms.clipped]
)
@pytest.mark.parametrize("factor", [Fraction(1, 1000), Fraction(7), Fraction(1000)])
def test_units_of_the_functions_do_not_matter(algorithm: Algorithm, factor: Fraction) -> None:
    """f -> s f: the same points, values and heterogeneities times s."""
    other = SubmodularClients(
        (
            Coverage(((0, 1), (2, 3), 1), 4, (factor, 2 * factor, factor)),
            FacilityLocation((tuple(factor * v for v in (3, 1, 2, 0)),)),
            Modular(tuple(factor * v for v in (1, 1, 2, 1))),
        ),
        CLIENTS.matroid,
        CLIENTS.masses,
    )
    more = {"n_sampled": 1, "n_local_steps": 2, "estimate_error": 0, "failure_probability": "1/2"}
    one, two = (exactly(algorithm, case_of_run(c, 3, **more))[0] for c in (CLIENTS, other))
    assert (one == two).all()
    assert (
        other.extension(two[:, -1]) == CLIENTS.extension(one[:, -1]) * fmpq(factor.numerator, factor.denominator)
    ).all()
    gammas = [dissimilarities(c, one[0])[0] for c in (CLIENTS, other)]
    assert (gammas[1] == gammas[0] * fmpq(factor.numerator, factor.denominator)).all()


def test_one_local_step_is_fedcg() -> None:
    """tau = 1 without errors: the three modes are Algorithm 1; with tau = 2 on coverage they part."""
    alike = sampled_run(case_of_run(CLIENTS, 2), 2).with_settings(n_local_steps=1, estimate_error=0)
    plain = exactly(algorithms.partial, alike)[0]
    for algorithm in (algorithms.literal, algorithms.clipped, algorithms.scaled):
        assert (exactly(algorithm, alike)[0] == plain).all()
    apart = sampled_run(case_of_run(common_and_own_points(2), 1), 1).with_settings(n_local_steps=2, estimate_error=0)
    once = exactly(algorithms.partial, apart)[0]
    for algorithm in (algorithms.literal, algorithms.clipped, algorithms.scaled):
        assert (exactly(algorithm, apart)[0] != once).any()


def test_heterogeneity_by_its_definition() -> None:
    x = np.array([[fmpq(1, 4), fmpq(0), fmpq(1, 2), fmpq(1)]], dtype=object)
    gamma, mean = dissimilarities(CLIENTS, x)
    gradients = [f.gradient(x)[0] for f in CLIENTS.functions]
    total = sum((g * fmpq(m, 6) for g, m in zip(gradients, (1, 2, 3), strict=True)), gradients[0] * 0)
    own = [max(abs(v) for v in g - total) for g in gradients]
    assert gamma[0] == max(own)
    assert mean[0] == sum(o * fmpq(m, 6) for o, m in zip(own, (1, 2, 3), strict=True))


def test_a_user_s_variant_is_judged() -> None:
    """Sending every base twice as far leaves the polytope; sending only the first client's direction breaks the theorem."""

    def first_client(x: np.ndarray, oracle: SetOracle, c: Constants) -> np.ndarray:
        return x + c.server_step_size * oracle.base(oracle.gradient(x, 0), 0)

    claim = BY_ID["S1@strengthened"]
    mine = replace(claim, algorithm=algorithms.full._replace(step=first_client))
    unlucky = SubmodularClients((Modular((1, 0)), Modular((0, 1))), Uniform(2, 1), (1, 99))
    assert check_claim(mine, case_of_run(unlucky, 40)).status == "violated"
    assert check_claim(claim, case_of_run(unlucky, 40)).status != "violated"
    kept = replace(claim, algorithm=algorithms.full._replace(step=algorithms.gradient_sharing_step))
    assert check_claim(kept, case_of_run(unlucky, 40)).status in ("holds", "vacuous")


def test_ceilings_cover_every_path() -> None:
    """S4's ceilings: over the whole tree, and S0's where runs are simulated."""
    case = sampled_run(case_of_run(CLIENTS, 2), 1)
    measure = BY_ID["S4-hoeffding@strengthened"].measure
    assert measure is not None
    states, _ = exactly(algorithms.partial, case)
    tree = float(as_number(measure.read(states, case)[ceilings][0]))
    simulated = rollout(algorithms.partial, case, 50)
    known = float(measure.read(simulated, case)[ceilings][0])
    seen = max(sum(float(as_number(dissimilarities(CLIENTS, s[None, t])[0][0])) ** 2 for t in range(2)) for s in states)
    assert seen <= tree + 1e-12 <= known + 1e-9
    c = run_constants(case, None)
    assert known == pytest.approx(2 * (c.max_client_singleton * (1 - c.least_weight)) ** 2)


def test_the_printed_remarks_fail_at_any_length() -> None:
    """On I1 the value is the same for every T, so that no rule for T helps."""
    clients = private_items(4)
    ends = [exactly(algorithms.full, case_of_run(clients, t))[0][:, -1] for t in (1, 3, 7)]
    values = {float(as_number(clients.extension(end)[0])) for end in ends}
    assert max(values) - min(values) < 1e-15
    assert values.pop() == pytest.approx(1.01 / 4)


def test_outside_its_hypotheses_a_theorem_is_not_applied() -> None:
    long_steps = case_of_run(CLIENTS, 4, "1/2")
    verdict = check_claim(BY_ID["T3.2@corrected"], long_steps)
    assert (verdict.status, "n_rounds*server_step_size <= 1" in verdict.reason) == ("inapplicable", True)
    alike = Case(private_items(5), n_rounds=30, additive_error="1/10")
    assert "differ" in check_claim(BY_ID["T3.2-rule@corrected"], alike).reason


# Theorem 4.3 for every step -------------------------------------------------------------------------------------------

FLAT = SubmodularClients((Capped((1, 1), 1),), Uniform(2, 2))  # f = 1 unless S is empty


def with_step(eta: object, rounds: int = 3) -> Case:
    return claims.local(Case(FLAT, n_rounds=rounds, server_step_size=eta), 1, 1)


def test_theorem_43_as_printed_is_false_for_a_large_step() -> None:
    """730 on the left; F = -80 and error terms of 600 on the right."""
    case = with_step(10)
    end = exactly(algorithms.literal, case)[0][0, -1]
    assert list(end) == [10, 10]
    assert FLAT.extension(end[None])[0] == -80
    found = check_claim(BY_ID["T4.3@printed"], case)
    assert (found.status, found.measured, found.limit) == ("violated", 730 + 80, 600)
    assert BY_ID["T4.3@printed"].bound.conditions == (delta < 1,)  # "for every η, δ > 0": no condition on the step


@pytest.mark.parametrize("name", ["T4.3@corrected", "T4.3-clip@corrected", "T4.3-scaled@corrected"])
def test_theorem_43_with_short_steps_says_nothing_of_large_ones(name: str) -> None:
    claim = BY_ID[name]
    assert check_claim(claim, with_step(10)).status == "inapplicable"
    assert check_claim(claim, with_step("1/3")).status == "holds"
    free = replace(claim, bounds=(replace(claim.bound, conditions=()),))
    assert check_claim(free, with_step(10)).status == "violated"


def test_no_claim_is_printed_with_a_step_that_theorem_43_does_not_ask_for() -> None:
    printed = [c for c in claims.CLAIMS if c.reading == "printed" and c.bound.source.place == "Theorem 4.3"]
    assert [c.id for c in printed] == ["fedcg/T4.3@printed", "fedcg/T4.3-tuned@printed"]  # the second display is at 1/R


def test_a_client_takes_no_item_that_loses_and_a_whole_base_where_none_does() -> None:
    """The direction is the best vertex of the polytope, not of the bases: outside the cube gradients may be below 0."""
    x, gradient, base = np.array([[2, 0], [0, 0]]), np.array([[-1, 3], [-1, 3]]), np.ones((2, 2), dtype=int)
    assert vertex(x, gradient, base).tolist() == [[0, 1], [1, 1]]


def test_a_round_shrinks_the_gap_once_whatever_its_local_steps() -> None:
    """(102) of one item: 1 - 2/10 is missing after two rounds of five steps, which 9/10 to the 6th is below."""
    one, case = BY_ID["C-102@printed"], claims.MANY_STEPS[0]
    found = check_claim(one, case)
    assert found.status == "violated"
    assert found.measured == pytest.approx(0.8)
    assert found.limit == pytest.approx(0.9**6 + 10 * 0.01 / 2)
    assert check_claim(one, case.with_settings(n_local_steps=1)).status == "holds"  # there both exponents agree
    assert check_claim(BY_ID["C-102@corrected"], case).status == "holds"
