"""The lower bounds: mutants, blocks against brute force, exact tiny numbers."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms, notation
from fltheory.papers.sfl.lower import bounds as lb
from fltheory.papers.sfl.lower import cases as blocks
from fltheory.papers.sfl.lower import claims
from fltheory.papers.sfl.lower.cases import ScheduledDescent, root
from fltheory.papers.sfl.lower.closed_forms import CoordinatewiseGap
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.measures import AveragedGap, LastGap

BY_ID = {claim.id: claim for claim in claims.CLAIMS}
TIGHT = {
    "sfl/h1@explicit": "1.0001",
    "sfl/h5@explicit": "1.0001",
    "sfl/s4@explicit": "1.0001",
    "sfl/s3@corrected": "1.1",
}


def ids(claim: Claim) -> str:
    return claim.id


@pytest.mark.parametrize(("claim_id", "factor"), TIGHT.items())
def test_tight_regimes_bear_no_larger_constant(claim_id: str, factor: str) -> None:
    claim = BY_ID[claim_id]
    mutant = replace(claim, bounds=(claim.bound.scaled(Fraction(factor)),))
    assert "violated" in {check_claim(mutant, case).status for case in claim.cases}


def test_a_flipped_power_of_the_clients_is_refuted() -> None:
    claim = BY_ID["sfl/h3@explicit"]
    wrong = replace(claim.bound, expr=claim.bound.expr * notation.M**2)
    assert "violated" in {check_claim(replace(claim, bounds=(wrong,)), case).status for case in claim.cases}


# Blocks against brute force ---------------------------------------------------------------------------------------


def brute_force(instance: PiecewiseQuadraticClients | QuadraticClients, K: int, R: int, eta: Fraction) -> Fraction:
    """E F(x^(R)) over every permutation and every noise, with loops and Fractions only (one coordinate)."""
    sigma = Fraction(instance.noise_std[0])
    M = instance.n_clients
    signs = (1, -1) if sigma else (0,)
    states: dict[Fraction, Fraction] = {Fraction(instance.start[0]): Fraction(1)}
    rounds = list(itertools.permutations(range(M)))
    for _ in range(R):
        after: dict[Fraction, Fraction] = {}
        for x0, weight in states.items():
            for order in rounds:
                points = {x0: weight / len(rounds)}
                for m in order:
                    for _ in range(K):
                        moved: dict[Fraction, Fraction] = {}
                        for x, w in points.items():
                            curvature = Fraction(instance.left[m][0] if x < 0 else instance.right[m][0])
                            for tau in signs:
                                y = x - eta * (curvature * x + Fraction(instance.slopes[m][0]) + tau * sigma)
                                moved[y] = moved.get(y, Fraction(0)) + w / len(signs)
                        points = moved
                for x, w in points.items():
                    after[x] = after.get(x, Fraction(0)) + w
        states = after
    curves = [[Fraction(row[0]) for row in table] for table in (instance.left, instance.right)]
    left, right = (sum(c) / M for c in curves)
    return sum((w * (left if x < 0 else right) * x * x / 2 for x, w in states.items()), Fraction(0))


rationals = st.fractions(Fraction(1, 20), Fraction(3), max_denominator=20)


@settings(max_examples=6, deadline=None)
@given(
    name=st.sampled_from(["h1", "h2", "h3", "h5"]), size=rationals, curvature=rationals, eta=rationals, counts=st.data()
)
def test_heterogeneity_blocks_equal_brute_force(
    name: str, size: Fraction, curvature: Fraction, eta: Fraction, counts: st.DataObject
) -> None:
    M, K, R = counts.draw(st.sampled_from([(2, 1, 1), (2, 2, 2), (4, 1, 1), (4, 2, 1), (2, 3, 1)]))
    settings = {"heterogeneity": size, "n_clients": M, "n_local_steps": K, "n_rounds": R, "step_size": eta}
    if name == "h2":
        case = blocks.h2(large_curvature=curvature, auxiliary_curvature=curvature, **settings)
    else:
        case = getattr(blocks, name)(small_curvature=curvature, **settings)
    found = exact_rational(LastGap(), algorithms.sequential, case)
    assert found is not None
    assert found.value == brute_force(case.instance, K, R, eta)


@settings(max_examples=6, deadline=None)
@given(name=st.sampled_from(["s1", "s2", "s3", "s4"]), size=rationals, curvature=rationals, eta=rationals)
def test_noise_blocks_equal_brute_force(name: str, size: Fraction, curvature: Fraction, eta: Fraction) -> None:
    settings = {"noise_std": size, "n_clients": 2, "n_local_steps": 2, "n_rounds": 1, "step_size": eta}
    if name == "s2":
        case = blocks.s2(large_curvature=curvature, auxiliary_curvature=curvature, **settings)
    else:
        case = getattr(blocks, name)(small_curvature=curvature, **settings)
    found = exact_rational(LastGap(), algorithms.sequential, case)
    assert found is not None
    assert found.value == brute_force(case.instance, 2, 1, eta)


def test_the_gap_of_a_direct_sum_is_the_sum_of_the_gaps() -> None:
    case = blocks.theorem_5(
        strong_convexity=1, heterogeneity=1, noise_std=0, n_clients=4, n_local_steps=1, n_rounds=2, step_size="1/5000"
    )
    split = exact_rational(CoordinatewiseGap(LastGap()), algorithms.sequential, case)
    whole = exact_rational(LastGap(), algorithms.sequential, case)
    assert split is not None
    assert whole is not None
    assert split.value == whole.value


def test_a_partly_known_error_never_refutes() -> None:
    claim = BY_ID["sfl/T5@explicit"]
    case = blocks.theorem_5(
        strong_convexity=1,
        heterogeneity=1,
        noise_std=0,
        n_clients=4,
        n_local_steps=2,
        n_rounds=1000,
        step_size="1/200000",
    )
    assert check_claim(claim, case).status == "holds"
    mutant = replace(claim, bounds=(claim.bound.scaled(10**40),))
    assert check_claim(mutant, case).status == "inconclusive"


def test_a_case_built_differently_is_inapplicable() -> None:
    claim = BY_ID["sfl/h5@explicit"]
    other = Case(
        QuadraticClients((2, 2), (0, 0), 0),
        heterogeneity=1,
        small_curvature=1,
        n_local_steps=1,
        n_rounds=1,
        step_size=1,
    )
    verdict = check_claim(claim, other)
    assert verdict.status == "inapplicable"
    assert "regime h5" in verdict.reason
    with pytest.raises(ValueError, match="even"):
        blocks.h3(small_curvature=1, heterogeneity=1, n_clients=3, n_local_steps=1, n_rounds=1, step_size=1)


# Theorem 5 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["T5@printed", "T5@explicit", "T5-noise@explicit", "T6-SC@printed"])
def test_one_instance_serves_all_step_sizes(name: str) -> None:
    """The order of the quantifiers: there are an instance and a start such that for every step size ..."""
    claim = BY_ID[f"sfl/{name}"]
    of = {}
    for case in claim.cases:
        rest = tuple(setting for setting in case.settings if setting[0] != notation.eta.name)
        of.setdefault((case.instance.n_clients, rest), set()).add(case.instance)
    assert all(len(instances) == 1 for instances in of.values())
    assert len(claim.cases) > len(of)
    assert "the same for all step sizes" in claim.statement


def test_a_construction_is_not_told_the_step_size() -> None:
    """Control: what chooses its start by the step builds nothing, and no case is its own."""
    cheat = blocks.Construction("a start by the step", lambda c: blocks.parabola(1, 1 / c.step_size, 2))
    with pytest.raises(AttributeError, match="step_size"):
        cheat(n_clients=2, n_local_steps=1, n_rounds=1, step_size=1)
    case = Case(blocks.parabola(1, 1, 2), n_local_steps=1, n_rounds=1, step_size=1)
    assert cheat.assumption.failed(case) == "the case does not give step_size"


def test_the_steps_checked_for_theorem_5_lie_in_every_regime() -> None:
    claim = BY_ID["sfl/T5@explicit"]
    for R in (1, 1000):
        cases = [c for c in claim.cases if c.constants[notation.R] == R]
        mu, K = cases[0].constants[notation.mu], int(cases[0].constants[notation.K])
        at = claims.regime_edges(str(mu), cases[0].instance.n_clients, K, R)
        steps = [sympy.Rational(str(c.constants[notation.eta])) for c in cases]
        assert min(steps) < at[0]
        assert max(steps) >= at[3]
        for low, high in itertools.pairwise(at[:4]):
            assert low == high or any(low <= s <= high for s in steps)


def test_the_instance_of_theorem_5_has_the_stated_constants() -> None:
    constants = blocks.theorem_5(
        strong_convexity=2, heterogeneity=3, noise_std=5, n_clients=4, n_local_steps=1, n_rounds=7, step_size=1
    ).instance.constants
    assert constants[notation.L] == 2020 * 2
    assert constants[notation.mu] == 2
    assert constants[notation.sigma] == 5
    assert constants[notation.zeta] == 3 * sympy.sqrt(3)
    assert constants[notation.beta] == 0


def test_tiny_constants_come_out_right() -> None:
    assert float(lb.T5_DRIFT) == pytest.approx(7.5077e-17, rel=1e-4)
    assert float(lb.T6_DRIFT) == pytest.approx(7.433e-20, rel=1e-4)
    assert float(lb.C3) == pytest.approx(3.735e-11, rel=1e-3)
    values = {
        notation.zeta: 1,
        notation.sigma: 0,
        notation.mu: 1,
        notation.L: 2020,
        notation.M: 4,
        notation.K: 1,
        notation.R: 10**9,
    }
    assert lb.T5.exact(values) == Fraction(1, 2 * 81_608_000**2) / (4 * 10**18)
    assert lb.T5(values) == pytest.approx(1.8769e-35, rel=1e-4)


def test_condition_number_one_beats_every_constant() -> None:
    """error / (zeta^2 / (mu M R^2)) falls without limit: no Omega(.) is true."""
    ratios = []
    for R in (10, 10**3, 10**6, 10**12, 10**24):
        step = Fraction(math.ceil(2 * math.log(R)), R * 4)
        case = Case(QuadraticClients((1,) * 4, (1, 1, -1, -1), 2), n_local_steps=1, n_rounds=R, step_size=step)
        verdict = check_claim(BY_ID["sfl/T5@strict"], case)
        assert verdict.measured is not None
        ratios.append(verdict.measured * 4 * R**2)
    assert ratios == sorted(ratios, reverse=True)
    assert ratios[-1] < 7.5e-17


# Roots and schedules -----------------------------------------------------------------------------------------------


@given(value=st.fractions(Fraction(1, 10**9), Fraction(10**9)), degree=st.integers(2, 3), up=st.booleans())
def test_roots_are_rounded_to_the_stated_side(value: Fraction, degree: int, up: bool) -> None:
    found = root(value, degree, up)
    assert (found**degree >= value) if up else (found**degree <= value)
    assert abs(found**degree / value - 1) < Fraction(1, 10**9)
    assert root(value**degree, degree, up) == value


steps = st.lists(st.fractions(Fraction(0), Fraction(3), max_denominator=30), min_size=1, max_size=7)


@settings(max_examples=60, deadline=None)
@given(steps=steps, data=st.data(), mu=rationals, sigma=rationals)
def test_no_schedule_and_no_average_beats_the_noise_term(
    steps: list[Fraction], data: st.DataObject, mu: Fraction, sigma: Fraction
) -> None:
    size = len(steps) + 1
    weights = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
    schedule = ScheduledDescent(mu, sigma, steps, weights)
    assert schedule.error() >= sigma**2 / (2 * mu * (len(steps) + 1))
    best = ScheduledDescent(mu, sigma, [1 / (mu * (t + 2)) for t in range(len(steps))], [0] * len(steps) + [1])
    assert best.error() == sigma**2 / (2 * mu * (len(steps) + 1))


def test_the_error_of_a_constant_schedule_is_that_of_the_moments() -> None:
    schedule = ScheduledDescent(2, 3, ["1/7"] * 6, [0] * 6 + [1])
    case = Case(QuadraticClients((2,), (0,), "3/2", noise_std=3), n_local_steps=1, n_rounds=6, step_size="1/7")
    found = exact_rational(LastGap(), algorithms.sequential, case)
    assert found is not None
    assert found.value == schedule.error()


@pytest.mark.parametrize("decay", [sympy.Rational(1, 2), sympy.Integer(3)], ids=["late", "early"])
@pytest.mark.parametrize("claim", claims.AVERAGES, ids=ids)
def test_regimes_bound_every_weighted_average(claim: Claim, decay: sympy.Expr) -> None:
    weighted = replace(claim, measure=AveragedGap(decay))
    assert {check_claim(weighted, case).status for case in claim.cases} == {"holds"}


def test_theorem_5_is_checked_in_its_last_regimes_over_many_rounds() -> None:
    """Steps from 1/(1010 mu K) to beyond 1/(1010 mu), where blocks h4 and h5 answer for the error, with R > 10."""
    claim = BY_ID["sfl/T5@explicit"]
    found = {"h4": 0, "h5": 0}
    for case in claim.cases:
        c = {s.name: v for s, v in case.constants.items()}
        relative = Fraction(str(c["step_size"])) * 1010 * Fraction(c["strong_convexity"])
        if c["n_rounds"] > 10 and c["heterogeneity"]:
            found["h4"] += Fraction(1, c["n_local_steps"]) < relative < 1
            found["h5"] += relative > 1
    assert found["h4"] >= 2
    assert found["h5"] >= 6


def test_claims_of_whole_runs_say_that_all_clients_take_part() -> None:
    """Found outside the family: with one of four clients a round the mean does not stay above X_sigma."""
    claim = BY_ID["sfl/J-inv-start@printed"]
    instance = blocks.s2(
        large_curvature="1/5",
        auxiliary_curvature=3,
        noise_std="7/1000",
        n_clients=4,
        n_local_steps=1,
        n_rounds=2,
        step_size="5/404",
    )
    assert check_claim(claim, instance.with_settings(n_participating=1)).status == "inapplicable"


def test_a_count_of_signs_is_no_place_of_an_ordered_round() -> None:
    claim = BY_ID["sfl/I3@printed"]
    for case in claim.cases[:3]:
        assert check_claim(claim, case.with_settings(n_signs=6)).status == "holds"
