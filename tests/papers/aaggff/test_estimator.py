"""Lemmas 4.3, 4.4 and A.2: mutants, and expectations and largest remainders by other means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.check import check_claim
from fltheory.claims.statement import Constants, constants_of, quantity_measure
from fltheory.model.case import Case
from fltheory.papers.aaggff.estimators import claims
from fltheory.papers.aaggff.estimators import closed_forms as of
from fltheory.papers.aaggff.estimators import families as strategies_estimator
from fltheory.papers.aaggff.estimators.closed_forms import Linearised, SampledLosses, SampledRound
from fltheory.papers.aaggff.instances.lemmas import ResponseBox
from fltheory.papers.aaggff.losses import bounds as bounds_lemmas
from fltheory.papers.aaggff.losses.claims.lemmas import decision_case
from fltheory.papers.aaggff.notation import c
from fltheory.runs.method import NotEnumerable
from tests.typed import instance_of

BY_ID = {claim.id.removeprefix("aaggff/"): claim for claim in claims.CLAIMS}

# Mutants of what is compared with 0 -------------------------------------------------------------------------------------


def violated(name: str, value: Callable[..., Any], case: Case) -> bool:
    """Whether the claim fails on the case with another measured quantity."""
    claim = replace(BY_ID[name], measure=quantity_measure(value, name="a mutant"), assumptions=())
    return check_claim(claim, case).status == "violated"


def own_mean(one: SampledRound, c: Constants) -> np.ndarray:
    """(10) with the first response seen for the imputed one: it depends on the draw."""
    response, _, seen = one.rows
    first = np.array([[response[0][np.flatnonzero(members)[0]]] for members in seen], dtype=object)
    return of.doubly_robust(response, seen, claims.share(one), first)


def half_scaled(one: SampledRound, c: Constants) -> np.ndarray:
    """(D2) with half of kappa."""
    response, _, seen = one.rows
    kappa = of.shrinkage(one.dim, one.n_participating)
    return of.rescaled_estimate(response, seen, claims.share(one), kappa / 2)


def test_the_imputed_response_must_not_depend_on_the_draw() -> None:
    assert violated("4.3-D1@corrected", claims.off_by(own_mean), claims.IMPUTED[1])
    assert violated("4.3-D2@corrected", claims.off_by(half_scaled), claims.ROUNDS[1])
    wrong = Fraction(1, 3)

    def centre(one: SampledRound) -> Fraction:
        return one.rows[0].sum() / one.dim

    assert violated(
        "4.3@corrected",
        lambda one, c: claims.largest(
            claims.mean(claims.printed_estimate(one, c)) - centre(one) - wrong * (one.rows[0] - centre(one))
        ),
        claims.ROUNDS[1],
    )
    two = Case(SampledRound((1, 0, 0), 2))
    assert check_claim(replace(BY_ID["4.3-one@strengthened"], assumptions=()), two).status == "violated"


@pytest.mark.parametrize("estimate", [claims.imputed_estimate, claims.scaled_estimate], ids=["D1", "D2"])
def test_a_reference_that_moves_with_the_draw_leaves_a_bias(estimate: claims.Estimate) -> None:
    moving = claims.off_linearised(estimate, moving=True)
    for name in ("4.4@corrected", "4.4-D2@corrected"):
        assert violated(name, moving, claims.RANDOM)
        assert not violated(name, claims.off_linearised(estimate), claims.RANDOM)


def test_the_jacobian_needs_both_terms() -> None:
    def one_term(at: Linearised, c: Constants) -> Fraction:
        r, r0, p = at.rows
        shortened = -r / (1 + (p * r0).sum(-1, keepdims=True))
        return claims.largest(shortened - of.linearised_gradient(r, p, r0))

    assert violated("4.4-jacobian@printed", one_term, claims.POINTS[0])
    zeroth = quantity_measure(lambda at, c: claims.largest(claims.gradient(at.rows[1], at.rows[2])), name="h(r0) alone")
    assert (
        check_claim(replace(BY_ID["4.4-first-order@strengthened"], measure=zeroth), claims.POINTS[0]).status
        == "violated"
    )


def test_the_half_span_is_that_of_those_seen() -> None:
    def of_all(one: SampledRound, c: Constants) -> Fraction:
        response = one.rows[0][0]
        spread = (max(response) - min(response)) / (2 * claims.share(one))
        return claims.largest(of.half_span(claims.gradients(one, c)) - spread)

    assert violated("A.2-span@strengthened", of_all, claims.A2_CASES[0])


# Conditions, references, and what they are good for ---------------------------------------------------------------------


def free(name: str, case: Case) -> str:
    claim = BY_ID[name]
    return check_claim(replace(claim, bounds=(replace(claim.bound, conditions=()),)), case).status


def test_a_reference_outside_the_range_costs_more() -> None:
    outside = decision_case(0, 1, (0, 1), (1, 0), (0, 1), imputed_response=3)
    for name in ("4.4-remainder@corrected", "4.4-remainder@strengthened"):
        assert check_claim(BY_ID[name], outside).status == "inapplicable"
    assert free("4.4-remainder@corrected", outside) == "violated"


def test_the_harmonic_mean_beats_the_middle() -> None:
    best = BY_ID["4.4-remainder-best@strengthened"]
    case = decision_case(0, 1, (0, 1), (1, 0), (0, 1))
    assert check_claim(best, case).ratio == 1
    middle = replace(best, tuning=((c, bounds_lemmas.MIDDLE),))
    assert check_claim(middle, case).status == "violated"
    both = [check_claim(BY_ID[f"4.4-remainder-{name}@strengthened"], case).limit for name in ("best", "middle")]
    assert both == pytest.approx([1 / 4, 1 / 3])


@pytest.mark.parametrize("at", ["0", "1/5", "2/3", "9/10", "2"])
def test_no_remainder_is_larger_than_at_vertices(at: str) -> None:
    rng = np.random.default_rng(5)
    k = 3
    response = rng.choice([0.1, 0.1, 2.0, 2.0, 1.0], (4000, k))
    p, q = rng.dirichlet(np.full(k, 0.2), (2, 4000))
    reference = np.full((4000, 1), float(Fraction(at)))
    error = claims.gradient(response, p) - of.linearised_gradient(response, p, reference)
    found = np.abs((error * (p - q)).sum(1)).max()
    box = ResponseBox(k, "1/10", 2)
    largest = float(claims.largest_remainder(box, Fraction(at)))
    assert found <= largest + 1e-12
    assert found > 0.9 * largest


def test_the_count_drawn_matters_to_the_half_span() -> None:
    alone = claims.A2_CASES[3]
    assert check_claim(BY_ID["A.2-attained@strengthened"], alone).status == "inapplicable"
    assert check_claim(BY_ID["A.2@strengthened"], alone).measured == 0  # one client drawn says nothing


# Expectations by other means --------------------------------------------------------------------------------------------


@given(strategies_estimator.rounds())
def test_expectations_by_counting(case: Case) -> None:
    one = instance_of(case, SampledRound)
    response = [Fraction(r) for r in one.response]
    n, m = len(response), one.n_participating
    mean = sum(response) / n
    chance = Fraction(m, n)
    assert len(one.seen) == comb(n, m)
    assert (one.seen.sum(0) == comb(n - 1, m - 1)).all()
    for i, r in enumerate(response):
        others = (n * mean - r) / (n - 1)
        given_seen = (r + (m - 1) * others) / m  # the mean over those seen, where i is one of them
        expected = mean + (chance * r - chance * given_seen) / chance
        assert claims.mean(claims.printed_estimate(one, constants_of(case)))[i] == expected


@given(strategies_estimator.rounds(reference=True))
def test_floats_and_exact_numbers_agree(case: Case) -> None:
    one = instance_of(case, SampledRound)
    response, p, seen = one.rows
    share, constant = claims.share(one), Fraction(case.constants[c])
    as_floats = np.asarray(response, dtype=float)
    known = constants_of(case)
    for exact_one, float_one in (
        (
            claims.printed_estimate(one, constants_of(case)),
            of.doubly_robust(as_floats, seen, float(share), of.mean_seen(as_floats, seen)),
        ),
        (claims.imputed_estimate(one, known), of.doubly_robust(as_floats, seen, float(share), float(constant))),
    ):
        scale = 1e-12 * (1 + np.abs(as_floats).max()) / float(share)
        assert np.abs(exact_one.astype(float) - float_one).max() < scale
        exact_gradient = of.linearised_gradient(exact_one, p, of.mean_seen(response, seen))
        gradient = of.linearised_gradient(float_one, p.astype(float), of.mean_seen(as_floats, seen))
        assert np.abs(exact_gradient.astype(float) - gradient).max() < 10 * scale
        assert np.abs(of.half_span(exact_gradient).astype(float) - of.half_span(gradient)).max() < 10 * scale


def test_balls_contain_the_exact_estimate() -> None:
    one = SampledRound((1, "1/3", "1/7"), 2, (1, 2, 3))
    response, _, seen = one.rows
    balls = np.array([[arb(r.numerator) / r.denominator for r in response[0]]], dtype=object)
    found = of.doubly_robust(balls, seen, arb(2) / 3, of.mean_seen(balls, seen))
    for ball, value in zip(found.ravel(), claims.printed_estimate(one, Constants()).ravel(), strict=True):
        assert (ball * value.denominator).contains(value.numerator)


@given(st.integers(2, 7), st.integers(1, 7))
def test_what_is_left_of_deviations(n: int, m: int) -> None:
    m = min(n, m)
    kappa = of.shrinkage(n, m)
    assert 0 <= kappa <= 1
    assert (kappa == 0) == (m == 1)
    assert (kappa == 1) == (m == n)
    assert kappa == 1 - Fraction(n - m, m * (n - 1))


def test_the_printed_numbers() -> None:
    pair = SampledRound((1, 0), 1)
    assert list(claims.mean(claims.printed_estimate(pair, Constants()))) == [Fraction(1, 2), Fraction(1, 2)]
    assert [list(row) for row in claims.printed_estimate(pair, Constants())] == [[1, 1], [0, 0]]


def test_responses_of_drawn_losses_are_theirs() -> None:
    losses = SampledLosses((1, 3), 1)
    drawn, full, seen = losses.responses(0, 1)
    for row, members in zip(drawn, seen, strict=True):
        assert [float(v) for v in row[members]] == pytest.approx([1 - np.exp(-1)])  # alone, a loss is its own mean
    assert [float(v) for v in full[0]] == pytest.approx(list(1 - np.exp(-np.array([0.25, 2.25]))))


# Instances --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: SampledRound((1, 0), 3), "n_participating = 3 of 2"),
        (lambda: SampledRound((1, 0), 0), "n_participating"),
        (lambda: SampledRound((1, 0), 1, (1,)), "1 entries"),
        (lambda: SampledRound((1, -1), 1), "nonnegative"),
        (lambda: SampledLosses((1, 0), 1), "losses.*positive"),
        (lambda: SampledLosses((1, 2), 1, "cauchy"), "weibull"),
        (lambda: Linearised((1, 2), (1,), (1, 1)), "1 entries"),
    ],
)
def test_bad_data_is_named(build: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


def test_too_many_sets_are_no_verdict() -> None:
    many = Case(SampledRound(range(40), 20))
    with pytest.raises(NotEnumerable):
        _ = instance_of(many, SampledRound).seen
    assert check_claim(BY_ID["4.3@printed"], many).status == "inconclusive"


def test_irrational_constants_are_refused_by_name() -> None:
    root = claims.RANDOM.with_settings(imputed_response="sqrt(2)/3")
    verdict = check_claim(BY_ID["4.3-D1@corrected"], root)
    assert verdict.status == "inapplicable"
    assert "imputed_response" in verdict.reason
    for settings in ({}, {"response_low": 0, "response_high": "sqrt(2)"}):
        assert "rational" in check_claim(BY_ID["A.2@printed"], Case(SampledRound((1, 0), 1), **settings)).reason


# Lemma A.2 line by line, and (87) ---------------------------------------------------------------------------------------


def test_the_lines_of_lemma_a2_need_their_terms() -> None:
    """Without |r̆ - r̄| (39) fails, and so does (43) of all clients by the bound of those that are not drawn."""
    case = claims.A2_CASES[0]

    def one_part(one: SampledRound, c: Constants) -> Any:
        low = Fraction(c.response_low)
        parts = claims.lengths(claims.printed_estimate(one, c))
        return max((1 + low) * claims.lengths(claims.gradients(one, c)) - parts)

    narrow = Case(SampledRound((1, "9/10", "9/10"), 2, (0, 1, 0)), response_low="9/10", response_high=1)
    assert check_claim(BY_ID["A.2-39@printed"], narrow).status == "holds"
    assert violated("A.2-39@printed", one_part, narrow)
    claim = BY_ID["A.2-43-unseen@printed"]
    assert check_claim(claim, case).status == "holds"
    assert violated("A.2-43-unseen@printed", _estimate, case)


def _estimate(one: SampledRound, c: Constants) -> Fraction:
    return claims.largest(claims.printed_estimate(one, c))


def test_87_lacks_the_sign_of_its_first_term() -> None:
    case = Case(SampledRound((1, 0), 1))  # r̆ is the response seen in both entries: the second term is 0
    assert check_claim(BY_ID["87@printed"], case).measured == 2 * Fraction(1, 2)
    assert check_claim(BY_ID["87@corrected"], case).status == "holds"
