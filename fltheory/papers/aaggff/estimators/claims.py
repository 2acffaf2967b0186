"""Lemmas 4.3, 4.4 and A.2: expectations and sizes of the estimates of response and gradient."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import (
    Constants,
    QuantityFunction,
    corrected,
    imported_late,
    quantity,
    quantity_measure,
    requires,
    strengthened,
    strict,
)
from fltheory.model.case import Case
from fltheory.model.schema import Record
from fltheory.number import mixed, to_ball
from fltheory.papers.aaggff import notation
from fltheory.papers.aaggff.bounds import RANGE, SAMPLED
from fltheory.papers.aaggff.estimators.closed_forms import (
    Linearised,
    SampledLosses,
    SampledRound,
    doubly_robust,
    half_span,
    linearised_gradient,
    mean_seen,
    rescaled_estimate,
    row,
    shrinkage,
)
from fltheory.papers.aaggff.instances.lemmas import ResponseBox, TwoDecisions, dot
from fltheory.papers.aaggff.logarithms import as_rational
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.claims.lemmas import RANGED, decision_case
from fltheory.papers.aaggff.losses.claims.lemmas import families as draws
from fltheory.papers.aaggff.notation import C1, C2, C, K, m
from fltheory.papers.aaggff.paper import PAPER, lemma, measured

Estimate = Callable[[SampledRound, Constants], np.ndarray]  # the estimate of the response, for every draw

families = imported_late("fltheory.papers.aaggff.estimators.families")


# Estimates of the response ------------------------------------------------------------------------------------------


def share(one: Record) -> Fraction:
    """C = m/K."""
    return Fraction(one.constants[C])


def reference_of(c: Constants) -> Fraction:
    """Return c; BoundError if it is irrational."""
    return as_rational(c.imputed_response, notation.c)


def printed_estimate(one: SampledRound, c: Constants) -> np.ndarray:
    """Return (10): the mean over the participants is imputed."""
    response, _, seen = one.rows
    return doubly_robust(response, seen, share(one), mean_seen(response, seen))


def imputed_estimate(one: SampledRound, c: Constants) -> np.ndarray:
    """Return (D1): (10) with a number that does not depend on the draw."""
    response, _, seen = one.rows
    return doubly_robust(response, seen, share(one), reference_of(c))


def scaled_estimate(one: SampledRound, c: Constants) -> np.ndarray:
    """Return (D2): (10) with the deviations divided by kappa."""
    response, _, seen = one.rows
    kappa = shrinkage(response.shape[1], int(seen[0].sum()))
    return rescaled_estimate(response, seen, share(one), kappa)


def mean(draws: np.ndarray) -> np.ndarray:
    """Return the mean over all draws, which are equally likely."""
    return draws.sum(0) / len(draws)


def largest(values: np.ndarray) -> Fraction:
    """Return the largest absolute value of an entry."""
    return max(abs(v) for v in np.ravel(values))


def off_by(estimate: Estimate) -> QuantityFunction:
    """|E estimate - r|_inf."""
    return lambda one, c: largest(mean(estimate(one, c)) - one.rows[0])


def bias(one: SampledRound, c: Constants) -> Fraction:
    """|E estimate - r|_inf / |r - mu|_inf, of (10)."""
    response = one.rows[0]
    return off_by(printed_estimate)(one, c) / largest(response - response.sum() / response.size)


def _alike(one: SampledRound) -> bool:
    return len(set(one.response)) == 1


BIASED = requires("(10) is biased",
    lambda one, c: (_alike(one) or one.n_participating == one.dim) and "(10) has no bias here")
VARYING = requires("responses differ", lambda one, c: _alike(one) and "all responses are the same")
TWO_DRAWN = requires("two clients or more are drawn", lambda one, c: one.n_participating < 2 and "one client is drawn")
ONE_DRAWN = requires("one client is drawn",
    lambda one, c: one.n_participating != 1 and f"{one.n_participating} clients are drawn")
FALSE = (Case(SampledRound((1, 0), 1)), Case(SampledRound((1, "1/2", "1/10", "3/4"), 3)))
ROUNDS = (*FALSE, Case(SampledRound((2, "1/3", "1/3"), 2)), Case(SampledRound((1, 2, 3, 4, 5), 5)))
IMPUTED = tuple(case.with_settings(imputed_response=value) for case, value in zip(ROUNDS, (0, "1/2", 7, 1), strict=True))
LOSSES = tuple(
    Case(SampledLosses(*data), response_low=low, response_high=high, imputed_response="1/5")
    for data, low, high in (
        (((1, 2), 1), "1/100", 1),
        (((1, "1/10", "1/2", 3), 2, "normal"), 0, 1),
        (((5, 1, 1), 2, "frechet"), 0, "2/3"),
        (((1, 1000, 1000, 1000), 1, "gumbel"), 0, 3),
    )
)
ERROR = "max |E[r̆ᵢ] - rᵢ|"
DRAWN: dict[str, Any] = {"mode": "in expectation", "family": lambda: families().rounds()}
REFERRED: dict[str, Any] = {"mode": "in expectation", "family": lambda: families().rounds(reference=True)}
error = measured("4.3", "Lemma 4.3", quantity_measure(off_by(printed_estimate), name=ERROR), **DRAWN)
error_of_mu = measured("4.3-bias", "Lemma 4.3", quantity_measure(bias, name="max |E[r̆ᵢ] - rᵢ| / max |rᵢ - μ|"), **DRAWN)
error_of_imputed = measured("4.3-D1", "Lemma 4.3", quantity_measure(off_by(imputed_estimate), name=ERROR), **REFERRED)
error_of_scaled = measured("4.3-D2", "Lemma 4.3", quantity_measure(off_by(scaled_estimate), name=ERROR), **DRAWN)


def error_by_8(one: SampledLosses, c: Constants) -> Any:
    # (D1) with responses by (8); r contains the responses of all clients
    response, full, seen = one.responses(c.response_low, c.response_high)
    error = mean(doubly_robust(response, seen, to_ball(share(one)), to_ball(c.imputed_response))) - full[0]
    return mixed.largest(map(abs, error))


def off_formula(one: SampledRound, c: Constants) -> Fraction:
    response = one.rows[0]
    centre = response.sum() / len(one.response)
    kappa = shrinkage(len(one.response), one.n_participating)
    return largest(mean(printed_estimate(one, c)) - centre - kappa * (response - centre))


def pulled_out(one: SampledRound, c: Constants) -> Fraction:
    response, _, seen = one.rows
    return largest(mean((1 - seen.astype(object) / share(one)) * mean_seen(response, seen)))


LEMMA_43 = (
    error.printed("E[r̆] = r for (10), a uniform draw of m of K clients", Eq(quantity, 0), counterexamples=FALSE,
        remark="The mean over the drawn is not independent of who is drawn: deviations shrink by κ = K(m - 1)/(m(K - 1))."),
    lemma("4.3", "Lemma 4.3", "max |E[r̆ᵢ] - μ - κ(rᵢ - μ)|", off_formula, **DRAWN).corrected(
        "E[r̆ᵢ] = μ + κ(rᵢ - μ), μ the mean response, κ = K(m - 1)/(m(K - 1))", Eq(quantity, 0), cases=ROUNDS),
    error_of_mu.corrected("max |E[r̆ᵢ] - rᵢ| = (K - m)/(m(K - 1))·max |rᵢ - μ|", of.BIAS, assumptions=[VARYING], cases=ROUNDS[:3]),
    lemma("4.3-31", "proof of Lemma 4.3 (31)", "max |E[(1 - 1(i ∈ S)/C) r̄]|", pulled_out, **DRAWN).printed(
        "(31): E[(1 - 1(i ∈ S)/C) r̄] = 0", Eq(quantity, 0), counterexamples=FALSE,
        remark="r̄ is taken out of the expectation."),
    lemma("4.3-one", "Lemma 4.3", "the largest half-span of r̆",
        lambda one, c: largest(half_span(printed_estimate(one, c))), mode="in expectation",
        family=lambda: families().rounds(alone=True)).strengthened("With m = 1, r̆ is the response seen, in every entry",
        Eq(quantity, 0), assumptions=[ONE_DRAWN], cases=(FALSE[0], Case(SampledRound((1, "1/2", 3), 1)))),
    error_of_imputed.corrected("E[r̆] = r where the imputed c does not depend on the draw", Eq(quantity, 0), cases=IMPUTED),
    error_of_scaled.corrected("E[r̆] = r for r̄ + 1(i ∈ S)(rᵢ - r̄)/(Cκ), m >= 2", Eq(quantity, 0),
        assumptions=[TWO_DRAWN], cases=ROUNDS[1:]),
    *PAPER.lemma("4.3-response", "Lemma 4.3", "max |E[r̆ᵢ] - rᵢ|", error_by_8, family=lambda: families().losses()).readings(
        strict("E[r̆] = r with responses by (8) and c independent of the draw", Eq(quantity, 0), counterexamples=LOSSES,
            remark="The lemma assumes a given response. F̄ in (8) is a mean over the drawn clients and depends on who else is "
            "drawn."),
        corrected("max |E[r̆ᵢ] - rᵢ| <= C₂ - C₁ with responses by (8) and c independent of the draw",
            quantity <= C2 - C1, given=SAMPLED, note="responses by (8) that depend on the draw", cases=LOSSES)),
)

# Lemma 4.4: the linearised gradient ---------------------------------------------------------------------------------


def off_linearised(estimate: Estimate, moving: bool = False) -> QuantityFunction:
    """|E h~(estimate) - E h~(r)|_inf, h~ taken at c in every entry or, ``moving``, at the mean over those seen."""

    def value(one: SampledRound, c: Constants) -> Fraction:
        response, p, seen = one.rows
        reference = mean_seen(response, seen) if moving else row([reference_of(c)])
        found = linearised_gradient(estimate(one, c), p, reference)
        return largest(mean(found) - mean(linearised_gradient(response, p, reference)))

    return value


def gradient(response: np.ndarray, p: np.ndarray) -> np.ndarray:
    """h(r) = -r/(1 + <p, r>)."""
    return -response / (1 + (p * response).sum(-1, keepdims=True))


def largest_remainder(box: ResponseBox, reference: Fraction) -> Fraction:
    """Return the largest over extreme responses and vertices: but for multiples of 1, g = -r/a and g~ = -r/(1 + c)."""
    at = 1 + reference
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
    *(decision_case(*case, imputed_response=case[1]) for case in VERTICES),
    decision_case(*BACKWARDS, imputed_response=1),
    decision_case(*VERTICES[0], imputed_response="1/4"),
)
TUNED = tuple(decision_case(*case) for case in (*VERTICES, BACKWARDS))
BOXES = tuple(
    Case(ResponseBox(*box), imputed_response=value)
    for box, value in (((2, 0, 1), "1/3"), ((3, "1/2", 2), 1), ((4, 0, "1/4"), 0), ((3, 0, 3), 3))
)
GAP = "max |E[ğ] - E[g̃]|"
INSIDE = (*RANGE, notation.c >= C1, notation.c <= C2)
gap_moving = measured("4.4", "Lemma 4.4", quantity_measure(off_linearised(printed_estimate, moving=True), name=GAP),
    **REFERRED)
gap_fixed = measured("4.4-fixed", "Lemma 4.4", quantity_measure(off_linearised(printed_estimate), name=GAP), **REFERRED)
gap_imputed = measured("4.4", "Lemma 4.4", quantity_measure(off_linearised(imputed_estimate), name=GAP), **REFERRED)
gap_scaled = measured("4.4-D2", "Lemma 4.4", quantity_measure(off_linearised(scaled_estimate), name=GAP), **REFERRED)

worst = lemma("4.4-remainder-exact", "Lemma 4.4", "the largest |<g - g̃, p - q>|",
    lambda box, c: largest_remainder(box, reference_of(c)), cases=BOXES, family=lambda: draws().boxes(reference=True))


def off_jacobian(one: Linearised, c: Constants) -> Fraction:
    r, r0, p = one.rows
    s0 = 1 + dot(p[0], r0[0])
    jacobian = [[w * v / s0**2 - (i == j) / s0 for j, w in enumerate(p[0])] for i, v in enumerate(r0[0])]
    step = np.array([dot(row, (r - r0)[0]) for row in jacobian], dtype=object)
    return largest(gradient(r0, p) + step - linearised_gradient(r, p, r0))


def off_remainder(one: Linearised, c: Constants) -> Fraction:
    r, r0, p = one.rows
    s, s0 = (1 + (p * x).sum(-1, keepdims=True) for x in (r, r0))
    return largest(gradient(r, p) - linearised_gradient(r, p, r0) - (s - s0) / s0 * (r / s - r0 / s0))


def _remainder(one: TwoDecisions, c: Constants) -> Fraction:
    response, p = row([Fraction(r) for r in one.response]), row(one.decisions[0])
    found = gradient(response, p) - linearised_gradient(response, p, row([reference_of(c)]))
    return abs(dot(found[0], one.move))


remainder = lemma("4.4-remainder", "Lemma 4.4", "|<g - g̃, p - q>|", _remainder, assumptions=[RANGED],
    family=lambda: draws().decisions(reference=True))

LEMMA_44 = (
    lemma("4.4-jacobian", "Lemma 4.4", "max |h(r₀) + J(r₀)(r - r₀) - h̃(r)|", off_jacobian, cases=POINTS,
        family=Linearised.drawn(2, 5)).printed("(11) is h(r₀) + J(r₀)(r - r₀) with the Jacobian (33)", Eq(quantity, 0)),
    lemma("4.4-first-order", "Lemma 4.4", "the largest entry of the difference", off_remainder, cases=POINTS,
        family=Linearised.drawn(2, 5)).strengthened(
        "h(r) - h̃(r) = (s - s₀)/s₀·(r/s - r₀/s₀), s = 1 + <p, r>: of second order in r - r₀", Eq(quantity, 0)),
    gap_moving.printed("E[ğ] = g̃ for (10) with the reference r̄·1", Eq(quantity, 0), counterexamples=MOVING,
        remark="Neither is (10) unbiased, nor is the reference independent of the draw."),
    gap_fixed.printed("E[ğ] = g̃ for (10) with a fixed reference c·1", Eq(quantity, 0), counterexamples=MOVING),
    gap_imputed.corrected("E[ğ] = g̃ where reference and imputed response are a c that does not depend on the draw",
        Eq(quantity, 0), cases=FIXED),
    gap_scaled.corrected("E[ğ] = g̃ for the rescaled estimate with a fixed reference c·1, m >= 2", Eq(quantity, 0),
        assumptions=[TWO_DRAWN], cases=FIXED[:2]),
    lemma("4.4-only", "Lemma 4.4", "|E[ğ] - g̃|_∞ / |E[r̆] - r|_∞ of (10)",
        lambda one, c: off_linearised(printed_estimate)(one, c) / off_by(printed_estimate)(one, c),
        **REFERRED).strengthened(
        "E[ğ] = g̃ only with an unbiased estimate: with a fixed reference c·1, |E[ğ] - g̃|_∞ >= |E[r̆] - r|_∞/(1 + c)²",
        1 / (1 + notation.c) ** 2 <= quantity, note="a bias of the response is one of the gradient",
        assumptions=[BIASED], cases=(ODD, *MOVING)),
    remainder.corrected("|<g - g̃, p - q>| <= V²/(1 + V) for any reference c·1 in [C₁, C₂]", of.REMAINDER, cases=AT_C),
    remainder.strengthened("|<g - g̃, p - q>| <= (C₂ - C₁)/(1 + c)·max{(c - C₁)/(1 + C₁), (C₂ - c)/(1 + C₂)}",
        quantity <= of.REACH, given=INSIDE, note="by the reference", cases=AT_C),
    worst.strengthened("This is the largest value: no smaller bound holds", Eq(quantity, of.REACH), given=INSIDE,
        note="attained"),
    remainder.restated("4.4-remainder-middle").strengthened(
        "|<g - g̃, p - q>| <= V²/(2 + V) for the reference in the middle", of.REMAINDER_MIDDLE, cases=TUNED,
        family=lambda: draws().decisions(), tuning=((notation.c, of.MIDDLE),)),
    remainder.restated("4.4-remainder-best").strengthened(
        "|<g - g̃, p - q>| <= V²/(2(1 + V)) for 1 + c the harmonic mean of 1 + C₁ and 1 + C₂", of.REMAINDER_BEST,
        cases=TUNED, family=lambda: draws().decisions(), tuning=((notation.c, of.HARMONIC),)),
    worst.restated("4.4-reference").strengthened("No reference c·1 has a smaller largest remainder than V²/(2(1 + V))",
        of.SQUARE / 2 <= quantity, given=INSIDE, note="no reference does better"),
)

# Lemma A.2: sizes ---------------------------------------------------------------------------------------------------


def gradients(one: SampledRound, c: Constants) -> np.ndarray:
    """Return (11) of (10) at the mean over the participants, for every draw."""
    response, p, seen = one.rows
    return linearised_gradient(printed_estimate(one, c), p, mean_seen(response, seen))


A2_PROOF = "proof of Lemma A.2"
SIGNED = (Case(SampledRound((1, 0), 1)), Case(SampledRound((3, "1/2", 1), 2, (1, 2, 3))))
A2_CASES = (
    Case(SampledRound((1, 0, 0, 0), 2, (1, 0, 0, 0)), response_low=0, response_high=1),
    Case(SampledRound((1, "99/100", "99/100"), 3), response_low="99/100", response_high=1),
    Case(SampledRound((3, "1/2", "1/2", 1, 2), 3, (1, 2, 3, 4, 5)), response_low="1/2", response_high=3),
    Case(SampledRound((1, 0), 1), response_low=0, response_high=1),
)
MANY = Case(SampledRound((1, *[0] * 49), 50), response_low=0, response_high=1)
SIZED: dict[str, Any] = {"assumptions": [RANGED], "family": lambda: families().rounds(ranged=True)}


def off_span(one: SampledRound, c: Constants) -> Fraction:
    response, _, seen = one.rows
    groups = [[r for r, there in zip(response[0], members, strict=True) if there] for members in seen]
    expected = [(max(rs) - min(rs)) / (2 * share(one) * (1 + sum(rs) / len(rs))) for rs in groups]
    return largest(half_span(gradients(one, c)) - np.array(expected, dtype=object))


def lengths(rows: np.ndarray) -> np.ndarray:
    """|row|_inf of every row."""
    return np.array([largest(v) for v in rows], dtype=object)


def beyond_parts(one: SampledRound, c: Constants) -> Fraction:
    response, _, seen = one.rows
    estimate, low = printed_estimate(one, c), Fraction(c.response_low)
    parts = lengths(estimate) + lengths(estimate - mean_seen(response, seen))
    return max((1 + low) * lengths(gradients(one, c)) - parts)


def off_by_sign(one: SampledRound, c: Constants) -> Fraction:
    at, moved = _parts(one, c)
    return largest(gradients(one, c) - (printed_estimate(one, c) / at + moved))


def off_with_sign(one: SampledRound, c: Constants) -> Fraction:
    at, moved = _parts(one, c)
    return largest(gradients(one, c) - (moved - printed_estimate(one, c) / at))


def _parts(one: SampledRound, c: Constants) -> tuple[np.ndarray, np.ndarray]:
    """1 + r̄ and r̄<p, r̆ - r̄>/(1 + r̄)² for every draw: <p, r̄·1> is r̄."""
    response, p, seen = one.rows
    centre = mean_seen(response, seen)
    return 1 + centre, centre * (p * (printed_estimate(one, c) - centre)).sum(-1, keepdims=True) / (1 + centre) ** 2


SIGN = (
    lemma("87", "proof of Corollary 5.3 (87)", "max_S |ğ - (87)|_∞", off_by_sign, cases=SIGNED,
        family=lambda: families().rounds()).printed("(87): ğ = r̆/(1 + r̄) + r̄<p, r̆ - r̄>/(1 + r̄)²", Eq(quantity, 0),
        counterexamples=SIGNED, remark="(11) has -r̆ for r̆: a sign is lost."),
    lemma("87", "proof of Corollary 5.3 (87)", "max_S |ğ - (87) with the sign|_∞", off_with_sign, cases=SIGNED,
        family=lambda: families().rounds()).corrected("(87) with its sign: ğ = -r̆/(1 + r̄) + r̄<p, r̆ - r̄>/(1 + r̄)²",
        Eq(quantity, 0)),
)
LEMMA_A2 = (
    lemma("A.2", "Lemma A.2", "max_S |ğ|_∞", lambda one, c: largest(gradients(one, c)), cases=A2_CASES, **SIZED).printed(
        "|ğ|_∞ <= C₂/(1 + C₁) + 2(C₂ - C₁)/(C(1 + C₁)) for every draw", of.A2),
    lemma("A.2-39", f"{A2_PROOF} (39)", "max_S (1 + C₁)|ğ|_∞ - |r̆|_∞ - |r̆ - r̄|_∞", beyond_parts, cases=A2_CASES,
        **SIZED).printed("(39): (1 + C₁)|ğ|_∞ <= |r̆|_∞ + |r̆ - r̄|_∞ for every draw", quantity <= 0, given=SAMPLED),
    lemma("A.2-43", f"{A2_PROOF} (43)", "max_S |r̆|_∞", lambda one, c: largest(printed_estimate(one, c)),
        cases=A2_CASES, **SIZED).printed("(43): |r̆|_∞ <= C₂ + (C₂ - C₁)/C for every draw",
        quantity <= C2 + (C2 - C1) / C, given=SAMPLED),
    lemma("A.2-43-unseen", f"{A2_PROOF} (43)", "max_S |r̆ᵢ| over the clients that aren't drawn",
        lambda one, c: largest(printed_estimate(one, c) * ~one.rows[2]), cases=(*A2_CASES[:1], *A2_CASES[2:]),
        **SIZED).printed("(43): |r̆ᵢ| <= C₂ for clients that aren't drawn", quantity <= C2, given=SAMPLED),
    lemma("A.2-span", "Lemma A.2", "max_S |half-span of ğ - its formula|", off_span, cases=A2_CASES, **SIZED).strengthened(
        "The half-span of ğ is (max_S r - min_S r)/(2C(1 + r̄))", Eq(quantity, 0)),
    *lemma("A.2", "Lemma A.2", "max_S half-span of ğ", lambda one, c: largest(half_span(gradients(one, c))), **SIZED).readings(
        strengthened("The half-span of ğ is at most (C₂ - C₁)/(2C(1 + C₁)) for every draw", of.A2_HALF,
            cases=(*A2_CASES, MANY), remark="Only the half-span of ğ matters on the simplex."),
        strengthened("The half-span of ğ is at most K(C₂ - C₁)/(2(m(1 + C₁) + C₂ - C₁)) for m >= 2, which is attained",
            quantity <= K * (C2 - C1) / (2 * (m * (1 + C1) + C2 - C1)), given=[*SAMPLED, m >= 2], note="in terms of m",
            cases=(*A2_CASES[:3], MANY), id="A.2-attained")),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_43, *LEMMA_44, *LEMMA_A2, *SIGN)
