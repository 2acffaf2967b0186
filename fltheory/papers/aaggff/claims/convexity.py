"""Lemmas A.5 and A.10, exp-concavity, the closed form (12), and what the regret proofs assume of the regularisers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import BALL, NotRational, Ring, to_ball
from fltheory.number.vectors import total
from fltheory.papers.aaggff.bounds import BETA, BETA_STAR
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.bounds.lemmas import EQUAL, LEAST, NONE, ONE, bound
from fltheory.papers.aaggff.claims.direct import always, drawn, log_of, of_instance, power_of, with_logs
from fltheory.papers.aaggff.claims.lemmas import APART, RANGED, sized
from fltheory.papers.aaggff.data.lemma_instances import (
    Blend,
    Exponentials,
    Form,
    QuadraticOnSimplex,
    Regularised,
    ResponseBox,
    TwoDecisions,
    Vector,
    dot,
)
from fltheory.runs.measures import NUMBER, DirectMeasure, in_ring

# Lemma A.5, Remarks A.11 and A.12: strong convexity, proximal increments ----------------------------------------------


def oracle_gap(one: QuadraticOnSimplex) -> Fraction:
    """f(x) - min f over |g|^2 / 2 in the dual norm."""
    g = one.subgradient
    return 2 * (one.value(one.point) - one.least) / dot(g, one.solved(g))


def oracle_gap_euclidean(one: QuadraticOnSimplex) -> Fraction:
    """The same in the Euclidean norm, in which f is strongly convex with the least diagonal entry."""
    g = one.subgradient
    return 2 * min(one.diagonal) * (one.value(one.point) - one.least) / dot(g, g)


def bend(one: Form) -> Fraction:
    """2 (f(y) - f(x) - <Bx, y - x>) / |y - x|_B^2 for f(x) = x^T B x / 2."""
    step = [w - v for v, w in zip(one.x, one.y, strict=True)]
    change = (dot(one.times(one.y), one.y) - dot(one.times(one.x), one.x)) / 2
    return 2 * (change - dot(one.times(one.x), step)) / dot(one.times(step), step)


def duality(one: Form) -> Fraction:
    """<x, y>^2 / (|x|^2 y^T B y), |x| the norm of the inverse."""
    return dot(one.x, one.y) ** 2 / (dot(one.solved(one.x), one.x) * dot(one.times(one.y), one.y))


def increment(one: TwoDecisions) -> Fraction:
    """The increment <g, . - p>^2 at p less its value at q, g the gradient at p."""
    p, q = one.decisions
    g = one.gradients[0]
    at_p, at_q = ([v - w for v, w in zip(x, p, strict=True)] for x in (p, q))
    return dot(g, at_p) ** 2 - dot(g, at_q) ** 2


def uncentred(one: TwoDecisions) -> Fraction:
    """The same of <g, .>^2, a quadratic form too."""
    p, q = one.decisions
    g = one.gradients[0]
    return dot(g, p) ** 2 - dot(g, q) ** 2


def _some_slope(case: Case) -> str | None:
    one: Any = case.instance
    return None if any(one.subgradient) else "the subgradient is 0: both sides are 0"


def _two_points(case: Case) -> str | None:
    one: Any = case.instance
    return None if any(one.x) and any(one.y) and one.x != one.y else "a point is 0, or they are the same"


SLOPED = (Assumption("the subgradient is not 0", _some_slope),)
TWO_POINTS = (Assumption("two points that differ, neither 0", _two_points),)
QUADRATICS = (
    Case(QuadraticOnSimplex((1, 1), (), (0, 0), (3, 1), "-1/2")),  # the best multiple of 1: the bound is attained
    Case(QuadraticOnSimplex((2, 1), ((1, 0),), (0, 0), (1, 1), "-1/4")),
    Case(QuadraticOnSimplex((1, 2, 3), ((1, -1, 2), (0, 1, 1)), (3, 0, -1), (1, 0, 0), "1/2", (0, 2, 1))),
    Case(QuadraticOnSimplex((1, 1, 1), (), (0, -5, 0), (0, 1, 2))),
)
_QUADRATICS = drawn("lemmas", "quadratics")
FORMS = (
    Case(Form((1, 2), ((1, 1),), (1, 0), (0, 1))),
    Case(Form(("1/2", 3, 1), (), (1, 2, 3), (2, "2/3", 3))),  # y = B^{-1} x
    Case(Form((1, 1, 1), ((1, 2, 0), (0, 1, -1)), (1, -1, 0), (3, 1, 2))),
)
_FORMS = drawn("lemmas", "forms")
_DECISIONS = drawn("lemmas", "decisions")
STEPS = (
    sized(0, 1, (1, 0), (0, 1), (1, 0)),
    sized("1/10", 2, ("1/10", 2, 1), (1, 1, 0), (0, 1, 1)),
    sized(0, 1, (1, 1, 0), (1, 0, 1), (0, 1, 1)),
)
STRONG = (
    always(
        "A.5",
        "f(x) - f(x*) <= |g|²_{B⁻¹}/2 for f(x) = xᵀBx/2 + <c, x> on the simplex, any g in ∂f(x)",
        bound(ONE, "Lemma A.5"),
        of_instance("2(f(x) - f(x*)) / |g|²_{B⁻¹}", oracle_gap),
        QUADRATICS,
        _QUADRATICS,
        SLOPED,
        remark="With the indicator of the simplex: g is any element of ∇f(x) plus the normal cone.",
    ),
    always(
        "A.5-euclidean",
        "f(x) - f(x*) <= |g|₂²/(2μ), μ the least entry of the diagonal",
        bound(ONE, "Lemma A.5"),
        of_instance("2μ(f(x) - f(x*)) / |g|₂²", oracle_gap_euclidean),
        QUADRATICS,
        _QUADRATICS,
        SLOPED,
    ),
    always(
        "A.11",
        "pᵀBp/2 is 1-strongly convex in |·|_B",
        bound(ONE, "Remark A.11", side=EQUAL),
        of_instance("2(f(y) - f(x) - <∇f(x), y - x>) / |y - x|²_B", bend),
        FORMS,
        _FORMS,
        TWO_POINTS,
    ),
    always(
        "A.11-dual",
        "The dual norm of |·|_B is |·|_{B⁻¹}: <x, y> <= |x|_{B⁻¹}|y|_B",
        bound(ONE, "Remark A.11"),
        of_instance("<x, y>² / |x|²_{B⁻¹}|y|²_B", duality),
        FORMS,
        _FORMS,
        TWO_POINTS,
    ),
    always(
        "A.12",
        "The increments β/2·<∇ℓ(p), · - p>² of the regulariser are least at p",
        bound(NONE, "Remark A.12"),
        of_instance("their value at p less that at q, over β/2", increment),
        STEPS,
        _DECISIONS,
    ),
    always(
        "A.12-reason",
        "β/2·<∇ℓ(p), ·>² is least at p, because it is a quadratic form",
        bound(NONE, "Remark A.12"),
        of_instance("its value at p less that at q, over β/2", uncentred),
        (sized(0, 1, (1, 0), (1, 0), (0, 1)),),
        _DECISIONS,
        expected="violated",
        remark="The printed reason is not one: that it is centred at p is.",
    ),
)

# Definition A.8 to Lemma A.10: exp-concavity ------------------------------------------------------------------------


def concavity(one: Blend, ring: Ring) -> Any:
    """The mean of exp(-power loss) less its value at the mean decision."""
    a, b = one.growths
    if a == b:
        return ring.scalar(0)
    first = ring.scalar(one.part) * power_of(a, one.power, ring)
    mean = first + ring.scalar(1 - one.part) * power_of(b, one.power, ring)
    return mean - power_of(one.mean(one.growths), one.power, ring)


def curvature(one: TwoDecisions, ring: Ring, end: int = 0) -> Any:
    """2 (loss(q) - loss(p) - <gradient at p, q - p>) / slope^2, of the gradient at p, or at the ``end`` q."""
    a, b = one.growths
    slope = one.slopes[end]
    return 2 * (log_of(a / b, ring) - ring.scalar(one.slopes[0])) / ring.scalar(slope * slope)


def least_curvature(box: ResponseBox, ring: Ring) -> Any:
    """The least of these over extreme responses and vertices."""
    if ring is not BALL:
        raise NotRational
    slopes = {1 - b / a for a, b in box.at_vertices()}
    found = [2 * (-to_ball(1 - u).log() - to_ball(u)) / to_ball(u * u) for u in slopes]
    least: arb = found[0]
    for other in found[1:]:
        least = least.min(other)
    return least


def at_choice(case: Case, ring: Ring) -> Any:
    """The largest admissible factor over 1/(4L)."""
    return in_ring(BETA_STAR / BETA, case, ring)


def _power(name: str, beyond: bool) -> Assumption:
    def check(case: Case) -> str | None:
        one: Any = case.instance
        return None if (one.power > 1) == beyond else f"it is {one.power}"

    return Assumption(name, check)


def _one(case: Case) -> str | None:
    one: Any = case.instance
    return None if one.power == 1 else f"it is {one.power}"


AT_ONE = Assumption("the power of e^{-ℓ} is 1", _one)
UP_TO_ONE, BEYOND_ONE = (
    _power("the power of e^{-ℓ} is at most 1", False),
    _power("the power of e^{-ℓ} is above 1", True),
)


def _powers(*powers: Any) -> tuple[Case, ...]:
    return tuple(Case(Blend((1, 0, "1/2"), (1, 0, 0), (0, 1, 0), "1/3", power)) for power in powers)


_CONCAVITY = with_logs("mean of e^{-ηℓ} - e^{-ηℓ} at the mean", concavity)
_CURVATURE = with_logs("2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(p), q - p>²", curvature)
_PRINTED = with_logs("2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(q), q - p>²", lambda one, ring: curvature(one, ring, 1))
_HALF = drawn("lemmas", "decisions", curvature="half")
BASE = (
    sized(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature="1/2"),
    sized("1/2", 3, ("1/2", 3, 1), (1, 0, 0), (0, 1, 0), learner_curvature="3/10"),
    sized(0, "1/10", (0, "1/10"), (1, 1), (0, 1), learner_curvature="1/2"),
)
SHARP = (
    sized(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature="6137/10000"),  # below 0.61370...
    sized(0, "1/10", (0, "1/10"), (1, 0), (0, 1), learner_curvature="93/100"),
    sized("1/2", 3, ("1/2", 3, 1), (1, 0, 0), (0, 1, 1), learner_curvature="1/10"),
)
BEYOND = tuple(
    Case(ResponseBox(*box), learner_curvature=factor)
    for box, factor in (((2, 0, 1), "6138/10000"), ((3, 0, "1/10"), 1), ((4, "1/2", 3), 2))
)
_CHOICE = DirectMeasure("4L β*(V)", at_choice, NUMBER)
_BLENDS = drawn("lemmas", "blends")
CONCAVE = (
    always(
        "A.9",
        "ℓ is 1-exp-concave: e^{-ℓ} is concave",
        bound(NONE, "Remark A.9"),
        _CONCAVITY,
        (*_powers(1), Case(Blend((1, 0), (1, 0), (0, 1)))),
        _BLENDS,
        (AT_ONE,),
    ),
    always(
        "A.9",
        "ℓ is η-exp-concave for every η <= 1",
        bound(NONE, "Remark A.9", "sharpened"),
        _CONCAVITY,
        _powers("1/2", "99/100", 1),
        drawn("lemmas", "blends", most=1),
        (UP_TO_ONE,),
    ),
    always(
        "A.9-only",
        "and for no larger η: e^{-ηℓ} is convex for η > 1",
        bound(NONE, "Remark A.9", "sharpened", side=LEAST),
        _CONCAVITY,
        _powers(2, "101/100", "7/2"),
        drawn("lemmas", "blends", least=1),
        (BEYOND_ONE,),
    ),
    always(
        "A.10",
        "ℓ(q) >= ℓ(p) + <∇ℓ(p), q - p> + β/2·<∇ℓ(q), q - p>² for β <= 1/2 with β|<∇ℓ, q - p>| <= 1/2",
        of.A10,
        _PRINTED,
        (
            sized("1/100", 1, ("1/100", 1), (0, 1), (1, 0), learner_curvature="1/2"),
            sized(0, 1, (1, 0), (1, 0), (0, 1), learner_curvature="1/2"),
        ),
        _HALF,
        (RANGED, APART),
        expected="violated",
        remark="The tangent is taken at p: so is the gradient that is squared.",
    ),
    always(
        "A.10",
        "ℓ(q) >= ℓ(p) + <∇ℓ(p), q - p> + β/2·<∇ℓ(p), q - p>² for β <= 1/2 with β|<∇ℓ, q - p>| <= 1/2",
        of.A10_BASE,
        _CURVATURE,
        BASE,
        _HALF,
        (RANGED, APART),
    ),
    always(
        "A.10",
        "The same for β <= β*(V) = 2(V - log(1 + V))/V²",
        of.A10_SHARP,
        _CURVATURE,
        SHARP,
        drawn("lemmas", "decisions", curvature="window"),
        (RANGED, APART),
    ),
    always(
        "A.10-only",
        "and for no larger β: at vertices with the returns C₁ and C₂ it fails",
        of.A10_NECESSARY,
        with_logs("min 2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(p), q - p>²", least_curvature),
        BEYOND,
        drawn("lemmas", "boxes", curvature=True),
    ),
    always(
        "A.10-choice",
        "β = 1/(4L_∞) is in the window of Lemma A.10: β <= β*(V)",
        of.A10_CHOICE,
        _CHOICE,
        tuple(Case(ResponseBox(4, *b)) for b in (("1/100", "1/4"), (0, "1/4"))),
        drawn("lemmas", "boxes"),
        expected="violated",
        remark="The lemma asks for β <= γ/2 as well, here 1/2.",
    ),
    always(
        "A.10-choice",
        "β = 1/(4L_∞) is in the window where L_∞ >= 0.29872",
        of.A10_CHOICE_LARGE,
        _CHOICE,
        tuple(Case(ResponseBox(4, *b)) for b in ((0, "29872/100000"), ("1/2", 1), (0, 5))),
        drawn("lemmas", "boxes", choice="large"),
    ),
    always(
        "A.10-choice",
        "and outside where C₁ = 0 and C₂ <= 0.29871, the root of 7C₂ = 8 log(1 + C₂) being between",
        of.A10_CHOICE_SMALL,
        _CHOICE,
        tuple(Case(ResponseBox(4, 0, b)) for b in ("29871/100000", "1/4", "1/100")),
        drawn("lemmas", "boxes", choice="small"),
    ),
)

# Remark 4.5, Appendix A.6, Assumption on the regulariser ------------------------------------------------------------


def objective(one: Exponentials, x: Vector, ring: Ring) -> Any:
    """(9) at x: <cumulative gradient, x> + eta sum x log x, the gradient being -eta log weights."""
    parts = (ring.scalar(v) * log_of(v / w, ring) for v, w in zip(x, one.weights, strict=True) if v)
    return ring.scalar(one.scale) * sum(parts, ring.scalar(0))


def excess(one: Exponentials, ring: Ring) -> Any:
    """What (9) at the other decision exceeds its value at the closed form by."""
    return objective(one, one.other, ring) - objective(one, one.closed_form, ring)


def excess_by_distance(one: Exponentials, ring: Ring) -> Any:
    """2 of these over eta and the squared distance in the sum norm."""
    distance = total(abs(v - w) for v, w in zip(one.other, one.closed_form, strict=True))
    return 2 * excess(one, ring) / ring.scalar(one.scale * distance * distance)


def conjugate_error(one: Exponentials, ring: Ring) -> Any:
    """max <u, p> - eta sum p log p, attained at the closed form, less eta log sum exp(u / eta), u = eta log weights."""
    whole = sum(one.weights)
    parts = (ring.scalar(v) * log_of(v * whole / w, ring) for v, w in zip(one.closed_form, one.weights, strict=True))
    return -ring.scalar(one.scale) * sum(parts, ring.scalar(0))


def printed_conjugate_error(one: Exponentials, ring: Ring) -> Any:
    """The same less (92), log sum exp(u)."""
    powers = sum((power_of(Fraction(w), one.scale, BALL) for w in one.weights), arb(0))
    if ring is not BALL:
        raise NotRational
    return -objective(one, one.closed_form, ring) - powers.log()


def growth_of_entropy(one: Regularised, ring: Ring, shift: Any = 1) -> Any:
    """(eta' - eta) (sum p log p + log K) / L_s, eta = L_s sqrt(t / log K) in a round and the next."""
    if ring is not BALL:
        raise NotRational
    n, t = len(one.masses), one.round
    steps = (arb(t + 1).sqrt() - arb(t).sqrt()) / arb(n).log().sqrt()
    return steps * sum((to_ball(v) * log_of(v * shift, ring) for v in one.decision if v), arb(0))


def _another(case: Case) -> str | None:
    one: Any = case.instance
    return None if one.other != one.closed_form else "the decision is the closed form"


def _factor(case: Case) -> str | None:
    one: Any = case.instance
    return None if one.scale != 1 else "the factor is 1"


ANOTHER = (Assumption("another decision", _another),)
SCALED = (Assumption("the regulariser has a factor eta other than 1", _factor),)
ENTROPIES = (
    Case(Exponentials((1, 2, 5), (1, 1, 1))),
    Case(Exponentials((1, 1), (51, 49), 3)),
    Case(Exponentials(("1/10", 3, 2, 1), (0, 1, 0, 2), "1/2")),
)
_EXPONENTIALS = drawn("lemmas", "exponentials")
ROUNDS = (Case(Regularised((1, 1))), Case(Regularised((3, 1, 0), 10)), Case(Regularised((1, 0, 0, 0), 100)))
_A6 = "Appendix A.6 (92)"
ENTROPY = (
    always(
        "4.5",
        "(93), p ∝ exp(-G/η), is the minimiser of (9): <G, p> + η Σ p log p is larger elsewhere",
        bound(NONE, "Remark 4.5", side=LEAST),
        with_logs("(9) at p less (9) at (93)", excess),
        ENTROPIES,
        _EXPONENTIALS,
        ANOTHER,
    ),
    always(
        "4.5",
        "(9) at p less (9) at (93) is at least η/2·|p - p⁽ᵗ⁺¹⁾|₁²",
        bound(ONE, "Remark 4.5", "sharpened", side=LEAST),
        with_logs("2((9) at p - (9) at (93)) / η|p - p⁽ᵗ⁺¹⁾|₁²", excess_by_distance),
        ENTROPIES,
        _EXPONENTIALS,
        ANOTHER,
        remark="Pinsker's inequality: the strong convexity that Theorem 5.2 uses.",
    ),
    always(
        "A.6-conjugate",
        "R(p) = η Σ p log p has the conjugate R_*(u) = log Σ exp(uᵢ)",
        bound(NONE, _A6, side=EQUAL),
        with_logs("max <u, p> - R(p) less log Σ exp(uᵢ)", printed_conjugate_error),
        ENTROPIES[1:],
        drawn("lemmas", "exponentials", scaled=True),
        SCALED,
        expected="violated",
        remark="The factor η is left out.",
    ),
    always(
        "A.6-conjugate",
        "R(p) = η Σ p log p has the conjugate R_*(u) = η log Σ exp(uᵢ/η)",
        bound(NONE, _A6, "corrected", side=EQUAL),
        with_logs("max <u, p> - R(p) less η log Σ exp(uᵢ/η)", conjugate_error),
        ENTROPIES,
        _EXPONENTIALS,
    ),
    always(
        "A.7-growing",
        "η⁽ᵗ⁾ Σ p log p does not decrease with t",
        bound(NONE, "Lemma A.7, as used", side=LEAST),
        with_logs("(R⁽ᵗ⁺¹⁾(p) - R⁽ᵗ⁾(p)) / L_s", growth_of_entropy),
        ROUNDS[:2],
        drawn("lemmas", "regularised"),
        expected="violated",
        remark="The entropy is negative: multiplied by more it is less.",
    ),
    always(
        "A.7-growing",
        "η⁽ᵗ⁾(Σ p log p + log K) does not decrease with t",
        bound(NONE, "Lemma A.7, as used", "corrected", side=LEAST),
        with_logs("(R⁽ᵗ⁺¹⁾(p) - R⁽ᵗ⁾(p)) / L_s", lambda one, ring: growth_of_entropy(one, ring, len(one.masses))),
        ROUNDS,
        drawn("lemmas", "regularised"),
    ),
)

CLAIMS: tuple[Claim, ...] = (*STRONG, *CONCAVE, *ENTROPY)
