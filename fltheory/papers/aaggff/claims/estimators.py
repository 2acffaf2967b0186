"""Lemmas 4.3, 4.4 and A.2: what the estimates of response and gradient are in expectation, and how large they are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.bounds.lemmas import EQUAL, NONE, bound
from fltheory.papers.aaggff.claims.direct import always, claim, drawn, of_case, of_instance, rational
from fltheory.papers.aaggff.claims.lemmas import RANGED, sized
from fltheory.papers.aaggff.data.lemma_instances import ResponseBox, dot
from fltheory.papers.aaggff.exact.estimator import (
    Linearised,
    SampledLosses,
    SampledRound,
    doubly_robust,
    half_span,
    linearised_gradient,
    mean_seen,
    rescaled,
    row,
    shrinkage,
)
from fltheory.papers.aaggff.letters import C1, C2, C, c
from fltheory.runs.measures import NUMBER, DirectMeasure

Estimate = Callable[[Case], np.ndarray]  # of the response, for every draw

# Estimates of the response ------------------------------------------------------------------------------------------


def share(one: Any) -> Fraction:
    """C = m/K."""
    return one.constants[C]


def printed(case: Case) -> np.ndarray:
    """(10): the mean over those seen is imputed."""
    one: Any = case.instance
    response, _, seen = one.rows
    return doubly_robust(response, seen, share(one), mean_seen(response, seen))


def imputed(case: Case) -> np.ndarray:
    """(D1): (10) with a number that does not depend on the draw."""
    one: Any = case.instance
    response, _, seen = one.rows
    return doubly_robust(response, seen, share(one), rational(case, c))


def scaled_up(case: Case) -> np.ndarray:
    """(D2): (10) with the deviations divided by kappa."""
    one: Any = case.instance
    response, _, seen = one.rows
    return rescaled(response, seen, share(one), shrinkage(len(one.response), one.n_participating))


def mean(draws: np.ndarray) -> np.ndarray:
    """The mean over all draws, which are equally likely."""
    return draws.sum(0) / len(draws)


def largest(values: Any) -> Fraction:
    """The largest entry in size."""
    return max(abs(v) for v in np.ravel(values))


def off_by(estimate: Estimate) -> Callable[[Case], Fraction]:
    """|E estimate - r|_inf."""

    def value(case: Case) -> Fraction:
        one: Any = case.instance
        return largest(mean(estimate(case)) - one.rows[0])

    return value


def off_formula(case: Case) -> Fraction:
    """max |E estimate_i - mu - kappa (r_i - mu)|, of (10)."""
    one: Any = case.instance
    response = one.rows[0]
    centre = response.sum() / len(one.response)
    kappa = shrinkage(len(one.response), one.n_participating)
    return largest(mean(printed(case)) - centre - kappa * (response - centre))


def bias(case: Case) -> Fraction:
    """|E estimate - r|_inf / |r - mu|_inf, of (10)."""
    one: Any = case.instance
    response = one.rows[0]
    return largest(mean(printed(case)) - response) / largest(response - response.sum() / len(one.response))


def pulled_out(one: SampledRound) -> Fraction:
    """max |E (1 - 1[i in S]/C) mean|, which (31) takes to be 0."""
    response, _, seen = one.rows
    return largest(mean((1 - seen.astype(object) / share(one)) * mean_seen(response, seen)))


def swing(case: Case, ring: Ring) -> Any:
    """max |E estimate_i - r_i| of (D1) with responses by (8), r that of everyone."""
    if ring is not BALL:
        raise NotRational
    one: Any = case.instance
    low, high, constant = (case.constants[s] for s in (C1, C2, c))
    response, full, seen = one.responses(low, high)
    error = mean(doubly_robust(response, seen, to_ball(share(one)), to_ball(constant))) - full[0]
    size: arb = abs(error[0])
    for other in error[1:]:
        size = size.max(abs(other))
    return size


def _not_constant(case: Case) -> str | None:
    one: Any = case.instance
    return None if len(set(one.response)) > 1 else "all responses are the same"


def _two_drawn(case: Case) -> str | None:
    one: Any = case.instance
    return None if one.n_participating >= 2 else "one client is drawn"


def _one_drawn(case: Case) -> str | None:
    one: Any = case.instance
    return None if one.n_participating == 1 else f"{one.n_participating} clients are drawn"


def _some_left(case: Case) -> str | None:
    one: Any = case.instance
    return None if len(set(one.response)) > 1 and one.n_participating < one.dim else "(10) has no bias here"


BIASED = (Assumption("(10) is biased", _some_left),)
VARYING = (Assumption("responses differ", _not_constant),)
TWO_DRAWN = (Assumption("two clients or more are drawn", _two_drawn),)
ONE_DRAWN = (Assumption("one client is drawn", _one_drawn),)
FALSE = (Case(SampledRound((1, 0), 1)), Case(SampledRound((1, "1/2", "1/10", "3/4"), 3)))
ROUNDS = (*FALSE, Case(SampledRound((2, "1/3", "1/3"), 2)), Case(SampledRound((1, 2, 3, 4, 5), 5)))
IMPUTED = tuple(
    case.with_settings(imputed_response=value) for case, value in zip(ROUNDS, (0, "1/2", 7, 1), strict=True)
)
LOSSES = tuple(
    Case(SampledLosses(*data), response_low=low, response_high=high, imputed_response="1/5")
    for data, low, high in (
        (((1, 2), 1), "1/100", 1),
        (((1, "1/10", "1/2", 3), 2, "normal"), 0, 1),
        (((5, 1, 1), 2, "frechet"), 0, "2/3"),
        (((1, 1000, 1000, 1000), 1, "gumbel"), 0, 3),
    )
)
_ROUNDS = drawn("estimator", "rounds")
_IMPUTED = drawn("estimator", "rounds", reference=True)
_L43 = "Lemma 4.3"
_ERROR = "max |E[r̆ᵢ] - rᵢ|"
_SWING = DirectMeasure(_ERROR, swing, NUMBER)
LEMMA_43 = (
    claim(
        "4.3",
        "E[r̆] = r for (10), a uniform draw of m of K clients",
        bound(NONE, _L43, side=EQUAL),
        of_case(_ERROR, off_by(printed)),
        FALSE,
        _ROUNDS,
        expected="violated",
        remark="The mean over the drawn is not independent of who is drawn: deviations shrink by κ = K(m - 1)/(m(K - 1)).",
    ),
    claim(
        "4.3",
        "E[r̆ᵢ] = μ + κ(rᵢ - μ), μ the mean response, κ = K(m - 1)/(m(K - 1))",
        bound(NONE, _L43, "corrected", side=EQUAL),
        of_case("max |E[r̆ᵢ] - μ - κ(rᵢ - μ)|", off_formula),
        ROUNDS,
        _ROUNDS,
    ),
    claim(
        "4.3-bias",
        "max |E[r̆ᵢ] - rᵢ| = (K - m)/(m(K - 1))·max |rᵢ - μ|",
        of.BIAS,
        of_case("max |E[r̆ᵢ] - rᵢ| / max |rᵢ - μ|", bias),
        ROUNDS[:3],
        _ROUNDS,
        VARYING,
    ),
    claim(
        "4.3-31",
        "(31): E[(1 - 1(i ∈ S)/C) r̄] = 0",
        bound(NONE, "proof of Lemma 4.3 (31)", side=EQUAL),
        of_instance("max |E[(1 - 1(i ∈ S)/C) r̄]|", pulled_out),
        FALSE,
        _ROUNDS,
        expected="violated",
        remark="r̄ is taken out of the expectation.",
    ),
    claim(
        "4.3-one",
        "With m = 1, r̆ is the response seen, in every entry",
        bound(NONE, _L43, "sharpened", side=EQUAL),
        of_case("the largest half-span of r̆", lambda case: largest(half_span(printed(case)))),
        (FALSE[0], Case(SampledRound((1, "1/2", 3), 1))),
        drawn("estimator", "rounds", alone=True),
        ONE_DRAWN,
    ),
    claim(
        "4.3-D1",
        "E[r̆] = r where the imputed c does not depend on the draw",
        bound(NONE, _L43, "corrected", side=EQUAL),
        of_case(_ERROR, off_by(imputed)),
        IMPUTED,
        _IMPUTED,
    ),
    claim(
        "4.3-D2",
        "E[r̆] = r for r̄ + 1(i ∈ S)(rᵢ - r̄)/(Cκ), m >= 2",
        bound(NONE, _L43, "corrected", side=EQUAL),
        of_case(_ERROR, off_by(scaled_up)),
        ROUNDS[1:],
        _ROUNDS,
        TWO_DRAWN,
    ),
    claim(
        "4.3-response",
        "E[r̆] = r with responses by (8) and c independent of the draw",
        bound(NONE, _L43, side=EQUAL),
        _SWING,
        LOSSES,
        drawn("estimator", "losses"),
        expected="violated",
        remark="F̄ is a mean over the drawn: the response of a client depends on who else is drawn.",
    ),
    claim(
        "4.3-response",
        "max |E[r̆ᵢ] - rᵢ| <= C₂ - C₁ with responses by (8) and c independent of the draw",
        of.SWING,
        _SWING,
        LOSSES,
        drawn("estimator", "losses"),
    ),
)

# Lemma 4.4: the linearised gradient ---------------------------------------------------------------------------------


def off_linearised(estimate: Estimate, moving: bool = False) -> Callable[[Case], Fraction]:
    """|E h~(estimate) - E h~(r)|_inf, h~ taken at c in every entry or, ``moving``, at the mean over those seen."""

    def value(case: Case) -> Fraction:
        one: Any = case.instance
        response, p, seen = one.rows
        reference = mean_seen(response, seen) if moving else row([rational(case, c)])
        found = linearised_gradient(estimate(case), p, reference)
        return largest(mean(found) - mean(linearised_gradient(response, p, reference)))

    return value


def gradient_bias(case: Case) -> Fraction:
    """|E h~(estimate) - h~(r)|_inf / |E estimate - r|_inf of (10), h~ taken at c in every entry."""
    return off_linearised(printed)(case) / off_by(printed)(case)


def _gradient(response: np.ndarray, p: np.ndarray) -> np.ndarray:
    """h(r) = -r/(1 + <p, r>)."""
    return -response / (1 + (p * response).sum(-1, keepdims=True))


def off_remainder(one: Linearised) -> Fraction:
    """max |h(r) - h~(r) - (s - s0)/s0 (r/s - r0/s0)|."""
    r, r0, p = one.rows
    s, s0 = (1 + (p * x).sum(-1, keepdims=True) for x in (r, r0))
    return largest(_gradient(r, p) - linearised_gradient(r, p, r0) - (s - s0) / s0 * (r / s - r0 / s0))


def off_jacobian(one: Linearised) -> Fraction:
    """max |h(r0) + J (r - r0) - h~(r)| with the matrix (33)."""
    r, r0, p = one.rows
    s0 = 1 + dot(p[0], r0[0])
    jacobian = [[w * v / s0**2 - (i == j) / s0 for j, w in enumerate(p[0])] for i, v in enumerate(r0[0])]
    step = np.array([dot(row, (r - r0)[0]) for row in jacobian], dtype=object)
    return largest(_gradient(r0, p) + step - linearised_gradient(r, p, r0))


def remainder(case: Case) -> Fraction:
    """|<g - g~, p - q>|, with the reference c in every entry."""
    one: Any = case.instance
    response, p = row([Fraction(r) for r in one.response]), row(one.decisions[0])
    error = _gradient(response, p) - linearised_gradient(response, p, row([rational(case, c)]))
    return abs(dot(error[0], one.move))


def largest_remainder(case: Case) -> Fraction:
    """The largest over extreme responses and vertices: but for multiples of 1, g = -r/a and g~ = -r/(1 + c)."""
    box: Any = case.instance
    at = 1 + rational(case, c)
    return max(abs((b - a) * (1 / at - 1 / a)) for a, b in box.at_vertices())


RANDOM = Case(SampledRound((1, 0, 0), 2, (1, 2, 3)), imputed_response="1/2")
MOVING = (RANDOM, Case(SampledRound(("1/100", 1), 1, (1, 1)), imputed_response="1/2"))
FIXED = (
    RANDOM,
    Case(SampledRound((1, "1/2", "1/4", 3), 3, (1, 0, 2, 0)), imputed_response=0),
    Case(SampledRound(("1/100", 1), 1, (1, 3)), imputed_response="1/3"),
)
ODD = Case(SampledRound((1, 0, 0, 0, 0), 2, (1, 0, 0, 0, 0)), imputed_response="1/2")
POINTS = (
    Case(Linearised((1, 0, "1/2"), ("1/2", "1/2", "1/2"), (1, 2, 1))),
    Case(Linearised((3, "1/3"), (1, 2), (1, 0))),
    Case(Linearised(("1/10", 2, 1, 0), (0, 5, "1/7", 1), (1, 1, 1, 1))),
)
VERTICES = (
    (0, 1, (0, 1), (1, 0), (0, 1)),
    ("1/2", 2, (2, "1/2"), (0, 1), (1, 0)),
    ("1/10", 1, ("1/10", 1, "1/2"), (1, 1, 0), (0, 1, 2)),
)
BACKWARDS = (1, 3, (1, 3), (0, 1), (1, 0))
AT_C = (
    *(sized(*case, imputed_response=case[1]) for case in VERTICES),
    sized(*BACKWARDS, imputed_response=1),
    sized(*VERTICES[0], imputed_response="1/4"),
)
TUNED = tuple(sized(*case) for case in (*VERTICES, BACKWARDS))
BOXES = tuple(
    Case(ResponseBox(*box), imputed_response=value)
    for box, value in (((2, 0, 1), "1/3"), ((3, "1/2", 2), 1), ((4, 0, "1/4"), 0), ((3, 0, 3), 3))
)
_POINTS = drawn("estimator", "points")
_DECISIONS = drawn("lemmas", "decisions")
_REFERRED = drawn("lemmas", "decisions", reference=True)
_L44 = "Lemma 4.4"
_GAP = "max |E[ğ] - E[g̃]|"
_REMAINDER = of_case("|<g - g̃, p - q>|", remainder)
_WORST = of_case("the largest |<g - g̃, p - q>|", largest_remainder)
LEMMA_44 = (
    always(
        "4.4-jacobian",
        "(11) is h(r₀) + J(r₀)(r - r₀) with the Jacobian (33)",
        bound(NONE, _L44, side=EQUAL),
        of_instance("max |h(r₀) + J(r₀)(r - r₀) - h̃(r)|", off_jacobian),
        POINTS,
        _POINTS,
    ),
    always(
        "4.4-first-order",
        "h(r) - h̃(r) = (s - s₀)/s₀·(r/s - r₀/s₀), s = 1 + <p, r>: of second order in r - r₀",
        bound(NONE, _L44, "sharpened", side=EQUAL),
        of_instance("the largest entry of the difference", off_remainder),
        POINTS,
        _POINTS,
    ),
    claim(
        "4.4",
        "E[ğ] = g̃ for (10) with the reference r̄·1",
        bound(NONE, _L44, side=EQUAL),
        of_case(_GAP, off_linearised(printed, moving=True)),
        MOVING,
        _IMPUTED,
        expected="violated",
        remark="Neither is (10) unbiased, nor is the reference independent of the draw.",
    ),
    claim(
        "4.4-fixed",
        "E[ğ] = g̃ for (10) with a fixed reference c·1",
        bound(NONE, _L44, side=EQUAL),
        of_case(_GAP, off_linearised(printed)),
        MOVING,
        _IMPUTED,
        expected="violated",
    ),
    claim(
        "4.4",
        "E[ğ] = g̃ where reference and imputed response are a c that does not depend on the draw",
        bound(NONE, _L44, "corrected", side=EQUAL),
        of_case(_GAP, off_linearised(imputed)),
        FIXED,
        _IMPUTED,
    ),
    claim(
        "4.4-D2",
        "E[ğ] = g̃ for the rescaled estimate with a fixed reference c·1, m >= 2",
        bound(NONE, _L44, "corrected", side=EQUAL),
        of_case(_GAP, off_linearised(scaled_up)),
        FIXED[:2],
        _IMPUTED,
        TWO_DRAWN,
    ),
    claim(
        "4.4-only",
        "and only with an unbiased estimate: with a fixed reference c·1, |E[ğ] - g̃|_∞ >= |E[r̆] - r|_∞/(1 + c)²",
        of.KEPT_BIAS,
        of_case("|E[ğ] - g̃|_∞ / |E[r̆] - r|_∞ of (10)", gradient_bias),
        (ODD, *MOVING),
        _IMPUTED,
        BIASED,
    ),
    always(
        "4.4-remainder",
        "|<g - g̃, p - q>| <= V²/(1 + V) for any reference c·1 in [C₁, C₂]",
        of.REMAINDER,
        _REMAINDER,
        AT_C,
        _REFERRED,
        (RANGED,),
    ),
    always(
        "4.4-remainder",
        "|<g - g̃, p - q>| <= (C₂ - C₁)/(1 + c)·max{(c - C₁)/(1 + C₁), (C₂ - c)/(1 + C₂)}",
        of.REMAINDER_AT,
        _REMAINDER,
        AT_C,
        _REFERRED,
        (RANGED,),
    ),
    always(
        "4.4-remainder-exact",
        "and no less will do: it is the largest",
        of.REMAINDER_AT_EXACT,
        _WORST,
        BOXES,
        drawn("lemmas", "boxes", reference=True),
    ),
    always(
        "4.4-remainder-middle",
        "|<g - g̃, p - q>| <= V²/(2 + V) for the reference in the middle",
        of.REMAINDER_MIDDLE,
        _REMAINDER,
        TUNED,
        _DECISIONS,
        (RANGED,),
        tuning=((c, of.MIDDLE),),
    ),
    always(
        "4.4-remainder-best",
        "|<g - g̃, p - q>| <= V²/(2(1 + V)) for 1 + c the harmonic mean of 1 + C₁ and 1 + C₂",
        of.REMAINDER_BEST,
        _REMAINDER,
        TUNED,
        _DECISIONS,
        (RANGED,),
        tuning=((c, of.HARMONIC),),
    ),
    always(
        "4.4-reference",
        "No reference c·1 has a smaller largest remainder than V²/(2(1 + V))",
        of.REMAINDER_LEAST,
        _WORST,
        BOXES,
        drawn("lemmas", "boxes", reference=True),
    ),
)

# Lemma A.2: sizes ---------------------------------------------------------------------------------------------------


def gradients(case: Case) -> np.ndarray:
    """(11) of (10) at the mean over those seen, for every draw."""
    one: Any = case.instance
    response, p, seen = one.rows
    return linearised_gradient(printed(case), p, mean_seen(response, seen))


def off_span(case: Case) -> Fraction:
    """How far half-spans are from (max r - min r)/(2C(1 + mean)), all taken over those seen, at most."""
    one: Any = case.instance
    response, _, seen = one.rows
    groups = [[r for r, there in zip(response[0], drawn_ones, strict=True) if there] for drawn_ones in seen]
    expected = [(max(rs) - min(rs)) / (2 * share(one) * (1 + sum(rs) / len(rs))) for rs in groups]
    return largest(half_span(gradients(case)) - np.array(expected, dtype=object))


A2_CASES = (
    Case(SampledRound((1, 0, 0, 0), 2, (1, 0, 0, 0)), response_low=0, response_high=1),
    Case(SampledRound((1, "99/100", "99/100"), 3), response_low="99/100", response_high=1),
    Case(SampledRound((3, "1/2", "1/2", 1, 2), 3, (1, 2, 3, 4, 5)), response_low="1/2", response_high=3),
    Case(SampledRound((1, 0), 1), response_low=0, response_high=1),
)
MANY = Case(SampledRound((1, *[0] * 49), 50), response_low=0, response_high=1)
_SIZED = drawn("estimator", "rounds", ranged=True)
_HALF_SPAN = of_case("max_S half-span of ğ", lambda case: largest(half_span(gradients(case))))
LEMMA_A2 = (
    always(
        "A.2",
        "|ğ|_∞ <= C₂/(1 + C₁) + 2(C₂ - C₁)/(C(1 + C₁)) for every draw",
        of.A2,
        of_case("max_S |ğ|_∞", lambda case: largest(gradients(case))),
        A2_CASES,
        _SIZED,
        (RANGED,),
    ),
    always(
        "A.2-span",
        "The half-span of ğ is (max_S r - min_S r)/(2C(1 + r̄))",
        bound(NONE, "Lemma A.2", "sharpened", side=EQUAL),
        of_case("max_S |half-span of ğ - its formula|", off_span),
        A2_CASES,
        _SIZED,
        (RANGED,),
    ),
    always(
        "A.2",
        "The half-span of ğ is at most (C₂ - C₁)/(2C(1 + C₁)) for every draw",
        of.A2_HALF,
        _HALF_SPAN,
        (*A2_CASES, MANY),
        _SIZED,
        (RANGED,),
        remark="All of ğ that counts on the simplex.",
    ),
    always(
        "A.2-attained",
        "and at most K(C₂ - C₁)/(2(m(1 + C₁) + C₂ - C₁)) for m >= 2, which is attained",
        of.A2_ATTAINED,
        _HALF_SPAN,
        (*A2_CASES[:3], MANY),
        _SIZED,
        (RANGED,),
    ),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_43, *LEMMA_44, *LEMMA_A2)
