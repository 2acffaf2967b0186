"""Lemmas A.5 and A.10, exp-concavity, the closed form (12), and the regret proofs' assumptions on the regularisers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb
from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, formula_measure, printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.number import Number
from fltheory.number.mixed import Mixed, mixed_log, mixed_power, smallest, to_mixed
from fltheory.number.vectors import total
from fltheory.papers.aaggff.bounds import BETA, BETA_STAR, RANGE, V
from fltheory.papers.aaggff.instances.lemmas import (
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
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.losses.claims.lemmas import APART, RANGED, decision_case, families
from fltheory.papers.aaggff.notation import beta
from fltheory.papers.aaggff.paper import lemma, measured

# Lemma A.5, Remarks A.11 and A.12: strong convexity, proximal increments ----------------------------------------------

SLOPED = requires("the subgradient is not 0",
    lambda one, c: not any(one.subgradient) and "the subgradient is 0: both sides are 0")
TWO_POINTS = requires("two points that differ, neither 0",
    lambda one, c: not (any(one.x) and any(one.y) and one.x != one.y) and "a point is 0, or they are the same")
QUADRATICS = (
    Case(QuadraticOnSimplex((1, 1), (), (0, 0), (3, 1), "-1/2")),  # the best multiple of 1: the bound is attained
    Case(QuadraticOnSimplex((2, 1), ((1, 0),), (0, 0), (1, 1), "-1/4")),
    Case(QuadraticOnSimplex((1, 2, 3), ((1, -1, 2), (0, 1, 1)), (3, 0, -1), (1, 0, 0), "1/2", (0, 2, 1))),
    Case(QuadraticOnSimplex((1, 1, 1), (), (0, -5, 0), (0, 1, 2))),
)
FORMS = (
    Case(Form((1, 2), ((1, 1),), (1, 0), (0, 1))),
    Case(Form(("1/2", 3, 1), (), (1, 2, 3), (2, "2/3", 3))),  # y = B^{-1} x
    Case(Form((1, 1, 1), ((1, 2, 0), (0, 1, -1)), (1, -1, 0), (3, 1, 2))),
)
STEPS = (
    decision_case(0, 1, (1, 0), (0, 1), (1, 0)),
    decision_case("1/10", 2, ("1/10", 2, 1), (1, 1, 0), (0, 1, 1)),
    decision_case(0, 1, (1, 1, 0), (1, 0, 1), (0, 1, 1)),
)
OF_QUADRATICS: dict[str, Any] = {"cases": QUADRATICS, "assumptions": [SLOPED], "family": lambda: families().quadratics()}
OF_FORMS: dict[str, Any] = {"cases": FORMS, "assumptions": [TWO_POINTS], "family": lambda: families().forms()}
OF_DECISIONS: dict[str, Any] = {"family": lambda: families().decisions()}


def oracle_gap(one: QuadraticOnSimplex, c: Constants) -> Fraction:
    g = one.subgradient
    return 2 * (one.value(one.point) - one.least) / dot(g, one.solved(g))


def oracle_gap_euclidean(one: QuadraticOnSimplex, c: Constants) -> Fraction:
    g = one.subgradient
    return 2 * min(one.diagonal) * (one.value(one.point) - one.least) / dot(g, g)


def bend(one: Form, c: Constants) -> Fraction:
    step = [w - v for v, w in zip(one.x, one.y, strict=True)]
    change = (dot(one.times(one.y), one.y) - dot(one.times(one.x), one.x)) / 2
    return 2 * (change - dot(one.times(one.x), step)) / dot(one.times(step), step)


def _increment(one: TwoDecisions, c: Constants) -> Fraction:
    p, q = one.decisions
    g = one.gradients[0]
    at_p, at_q = ([v - w for v, w in zip(x, p, strict=True)] for x in (p, q))
    return dot(g, at_p) ** 2 - dot(g, at_q) ** 2


increment = lemma("A.12", "Remark A.12", "their value at p less that at q, over β/2", _increment, **OF_DECISIONS)


def uncentred(one: TwoDecisions, c: Constants) -> Fraction:
    p, q = one.decisions
    g = one.gradients[0]
    return dot(g, p) ** 2 - dot(g, q) ** 2


STRONG = (
    lemma("A.5", "Lemma A.5", "2(f(x) - f(x*)) / |g|²_{B⁻¹}", oracle_gap, **OF_QUADRATICS).printed(
        "f(x) - f(x*) <= |g|²_{B⁻¹}/2 for f(x) = xᵀBx/2 + <c, x> on the simplex, any g in ∂f(x)", quantity <= 1,
        remark="With the indicator of the simplex: g is any element of ∇f(x) plus the normal cone."),
    lemma("A.5-euclidean", "Lemma A.5", "2μ(f(x) - f(x*)) / |g|₂²", oracle_gap_euclidean, **OF_QUADRATICS).printed(
        "f(x) - f(x*) <= |g|₂²/(2μ), μ the least entry of the diagonal", quantity <= 1),
    lemma("A.11", "Remark A.11", "2(f(y) - f(x) - <∇f(x), y - x>) / |y - x|²_B", bend, **OF_FORMS).printed(
        "pᵀBp/2 is 1-strongly convex in |·|_B", Eq(quantity, 1)),
    lemma("A.11-dual", "Remark A.11", "<x, y>² / |x|²_{B⁻¹}|y|²_B",
        lambda one, c: dot(one.x, one.y) ** 2 / (dot(one.solved(one.x), one.x) * dot(one.times(one.y), one.y)),
        **OF_FORMS).printed("The dual norm of |·|_B is |·|_{B⁻¹}: <x, y> <= |x|_{B⁻¹}|y|_B", quantity <= 1),
    increment.printed("The increments β/2·<∇ℓ(p), · - p>² of the regulariser are least at p", quantity <= 0, cases=STEPS),
    lemma("A.12-reason", "Remark A.12", "its value at p less that at q, over β/2", uncentred, **OF_DECISIONS).strict(
        "β/2·<∇ℓ(p), ·>² is least at p, because it is a quadratic form", quantity <= 0,
        counterexamples=(decision_case(0, 1, (1, 0), (1, 0), (0, 1)),),
        remark="Not every quadratic form is, but those of (7) are centred at p, and of them the remark is true (A.12)."),
)

# Definition A.8 to Lemma A.10: exp-concavity ------------------------------------------------------------------------


def above_tangent(one: TwoDecisions) -> Mixed:
    """2 (loss(q) - loss(p) - <gradient at p, q - p>)."""
    a, b = one.growths
    return 2 * (mixed_log(a / b) - to_mixed(one.slopes[0]))


AT_ONE = requires("the power of e^{-ℓ} is 1", lambda one, c: one.power != 1 and f"it is {one.power}")
UP_TO_ONE = requires("the power of e^{-ℓ} is at most 1", lambda one, c: one.power > 1 and f"it is {one.power}")
BEYOND_ONE = requires("the power of e^{-ℓ} is above 1", lambda one, c: one.power <= 1 and f"it is {one.power}")


def _powers(*powers: Number) -> tuple[Case, ...]:
    return tuple(Case(Blend((1, 0, "1/2"), (1, 0, 0), (0, 1, 0), "1/3", power)) for power in powers)


BASE = (
    decision_case(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature="1/2"),
    decision_case("1/2", 3, ("1/2", 3, 1), (1, 0, 0), (0, 1, 0), learner_curvature="3/10"),
    decision_case(0, "1/10", (0, "1/10"), (1, 1), (0, 1), learner_curvature="1/2"),
)
SHARP = (
    decision_case(0, 1, (1, 0), (0, 1), (1, 0), learner_curvature="6137/10000"),  # below 0.61370...
    decision_case(0, "1/10", (0, "1/10"), (1, 0), (0, 1), learner_curvature="93/100"),
    decision_case("1/2", 3, ("1/2", 3, 1), (1, 0, 0), (0, 1, 1), learner_curvature="1/10"),
)
AT_THE_END = (
    decision_case("1/100", 1, ("1/100", 1), (0, 1), (1, 0), learner_curvature="1/2"),
    decision_case(0, 1, (1, 0), (1, 0), (0, 1), learner_curvature="1/2"),
)
BEYOND = tuple(
    Case(ResponseBox(*box), learner_curvature=factor)
    for box, factor in (((2, 0, 1), "6138/10000"), ((3, 0, "1/10"), 1), ((4, "1/2", 3), 2))
)
PRECONDITION = (*RANGE, beta <= of.HALF, beta * V <= of.HALF)
IN_RANGE: dict[str, Any] = {"assumptions": [RANGED, APART], "family": lambda: families().decisions(curvature="half")}
choice = measured("A.10-choice", "", formula_measure("4L β*(V)", BETA_STAR / BETA))


def of_powers(one: Blend, c: Constants) -> Mixed | int:
    a, b = one.growths
    if a == b:
        return 0
    mean = to_mixed(one.part) * mixed_power(a, one.power) + to_mixed(1 - one.part) * mixed_power(b, one.power)
    return mean - mixed_power(one.mean(one.growths), one.power)


def _at_vertices(one: ResponseBox, c: Constants) -> Mixed:
    slopes = {1 - b / a for a, b in one.at_vertices()}
    return smallest(-2 * (mixed_log(1 - u) + to_mixed(u)) / to_mixed(u * u) for u in slopes)


at_vertices = lemma("A.10-only", "Lemma A.10", "min 2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(p), q - p>²", _at_vertices)

CONCAVE = (
    *lemma("A.9", "Remark A.9", "mean of e^{-ηℓ} - e^{-ηℓ} at the mean", of_powers).readings(
        printed("ℓ is 1-exp-concave: e^{-ℓ} is concave", quantity <= 0, assumptions=[AT_ONE],
            cases=(*_powers(1), Case(Blend((1, 0), (1, 0), (0, 1)))), family=lambda: families().blends()),
        strengthened("ℓ is η-exp-concave for every η <= 1", quantity <= 0, assumptions=[UP_TO_ONE],
            cases=_powers("1/2", "99/100", 1), family=lambda: families().blends(most=1)),
        strengthened("ℓ is η-exp-concave for no larger η: e^{-ηℓ} is convex for η > 1", quantity >= 0, assumptions=[BEYOND_ONE],
            cases=_powers(2, "101/100", "7/2"), family=lambda: families().blends(least=1), id="A.9-only")),
    lemma("A.10", "Lemma A.10", "2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(q), q - p>²",
        lambda one, c: above_tangent(one) / to_mixed(one.slopes[1] ** 2), **IN_RANGE).printed(
        "ℓ(q) >= ℓ(p) + <∇ℓ(p), q - p> + β/2·<∇ℓ(q), q - p>² for β <= 1/2 with β|<∇ℓ, q - p>| <= 1/2", beta <= quantity,
        given=PRECONDITION, note="the gradient at the end point", counterexamples=AT_THE_END,
        remark="The tangent is taken at p: so is the gradient that is squared."),
    *lemma("A.10", "Lemma A.10", "2(ℓ(q) - ℓ(p) - <∇ℓ(p), q - p>) / <∇ℓ(p), q - p>²",
        lambda one, c: above_tangent(one) / to_mixed(one.slopes[0] ** 2), **IN_RANGE).readings(
        corrected("ℓ(q) >= ℓ(p) + <∇ℓ(p), q - p> + β/2·<∇ℓ(p), q - p>² for β <= 1/2 with β|<∇ℓ, q - p>| <= 1/2",
            beta <= quantity, given=PRECONDITION, note="the gradient at the base point", cases=BASE),
        strengthened("The same for β <= β*(V) = 2(V - log(1 + V))/V²", beta <= quantity,
            given=[*RANGE, beta <= BETA_STAR], note="the log-growth loss itself", cases=SHARP,
            family=lambda: families().decisions(curvature="window"))),
    at_vertices.strengthened("It holds for no larger β: at vertices with the returns C₁ and C₂ it fails",
        quantity <= beta, given=[*RANGE, beta > BETA_STAR], note="and no larger factor", cases=BEYOND,
        family=lambda: families().boxes(curvature=True)),
    choice.printed("β = 1/(4L_∞) is in the window of Lemma A.10: β <= β*(V)", of.A10_CHOICE,
        counterexamples=tuple(Case(ResponseBox(4, *b)) for b in (("1/100", "1/4"), (0, "1/4"))),
        family=lambda: families().boxes(), remark="The lemma asks for β <= γ/2 as well, here 1/2."),
    choice.corrected("β = 1/(4L_∞) is in the window where L_∞ >= 0.29872", of.A10_CHOICE_LARGE,
        cases=tuple(Case(ResponseBox(4, *b)) for b in ((0, "29872/100000"), ("1/2", 1), (0, 5))),
        family=lambda: families().boxes(choice="large")),
    choice.strengthened("It is outside where C₁ = 0 and C₂ <= 0.29871, the root of 7C₂ = 8 log(1 + C₂) being between",
        of.A10_CHOICE_SMALL, cases=tuple(Case(ResponseBox(4, 0, b)) for b in ("29871/100000", "1/4", "1/100")),
        family=lambda: families().boxes(choice="small")),
)

# Remark 4.5, Appendix A.6, Assumption on the regulariser ------------------------------------------------------------


def objective(one: Exponentials, x: Vector) -> Mixed:
    """(9) at x: <cumulative gradient, x> + eta sum x log x, the gradient being -eta log weights."""
    return to_mixed(one.scale) * sum(to_mixed(v) * mixed_log(v / w) for v, w in zip(x, one.weights, strict=True) if v)


def excess(one: Exponentials) -> Mixed:
    """Return the objective (9) at the other decision minus its value at the closed form."""
    return objective(one, one.other) - objective(one, one.closed_form)


def conjugate_error(one: Exponentials) -> Mixed:
    """max <u, p> - eta sum p log p, attained at the closed form, less eta log sum exp(u / eta), u = eta log weights."""
    whole = sum(one.weights)
    parts = (to_mixed(v) * mixed_log(v * whole / w) for v, w in zip(one.closed_form, one.weights, strict=True))
    return -to_mixed(one.scale) * sum(parts)


def growth_of_entropy(one: Regularised, shift: int = 1) -> Mixed:
    """(eta' - eta) (sum p log p + log K) / L_s, eta = L_s sqrt(t / log K) in a round and the next."""
    n, t = len(one.masses), one.round
    steps = (arb(t + 1).sqrt() - arb(t).sqrt()) / arb(n).log().sqrt()
    return steps * sum(to_mixed(v) * mixed_log(v * shift) for v in one.decision if v)


ANOTHER = requires("another decision",
    lambda one, c: one.other == one.closed_form and "the decision is the closed form")
SCALED = requires("the regulariser has a factor eta other than 1", lambda one, c: one.scale == 1 and "the factor is 1")
ENTROPIES = (
    Case(Exponentials((1, 2, 5), (1, 1, 1))),
    Case(Exponentials((1, 1), (51, 49), 3)),
    Case(Exponentials(("1/10", 3, 2, 1), (0, 1, 0, 2), "1/2")),
)
ROUNDS = (Case(Regularised((1, 1))), Case(Regularised((3, 1, 0), 10)), Case(Regularised((1, 0, 0, 0), 100)))
OF_ENTROPIES: dict[str, Any] = {"cases": ENTROPIES, "family": Exponentials.drawn(2, 5)}
A6, USED = "Appendix A.6 (92)", "Lemma A.7, as used"


def beyond_least_by_distance(one: Exponentials, c: Constants) -> Mixed:
    distance = total(abs(v - w) for v, w in zip(one.other, one.closed_form, strict=True))
    return 2 * excess(one) / to_mixed(one.scale * distance * distance)


ENTROPY = (
    lemma("4.5", "Remark 4.5", "(9) at p less (9) at (93)", lambda one, c: excess(one), assumptions=[ANOTHER],
        **OF_ENTROPIES).printed(
        "(93), p ∝ exp(-G/η), is the minimiser of (9): <G, p> + η Σ p log p is larger elsewhere", quantity >= 0),
    lemma("4.5", "Remark 4.5", "2((9) at p - (9) at (93)) / η|p - p⁽ᵗ⁺¹⁾|₁²", beyond_least_by_distance,
        assumptions=[ANOTHER], **OF_ENTROPIES).strengthened("(9) at p less (9) at (93) is at least η/2·|p - p⁽ᵗ⁺¹⁾|₁²",
        quantity >= 1, remark="Pinsker's inequality: the strong convexity that Theorem 5.2 uses."),
    lemma("A.6-conjugate", A6, "max <u, p> - R(p) less log Σ exp(uᵢ)",
        lambda one, c: (-objective(one, one.closed_form) - mixed_log(sum(mixed_power(w, one.scale) for w in one.weights)))).printed(
        "R(p) = η Σ p log p has the conjugate R_*(u) = log Σ exp(uᵢ)", Eq(quantity, 0), assumptions=[SCALED],
        counterexamples=ENTROPIES[1:], family=Exponentials.drawn(2, 5, scale=one_of(Fraction(1, 2), 2, Fraction(1, 10), 3)),
        remark="The factor η is left out."),
    lemma("A.6-conjugate", A6, "max <u, p> - R(p) less η log Σ exp(uᵢ/η)", lambda one, c: conjugate_error(one),
        **OF_ENTROPIES).corrected("R(p) = η Σ p log p has the conjugate R_*(u) = η log Σ exp(uᵢ/η)", Eq(quantity, 0)),
    lemma("A.7-growing", USED, "(R⁽ᵗ⁺¹⁾(p) - R⁽ᵗ⁾(p)) / L_s", lambda one, c: growth_of_entropy(one),
        family=Regularised.drawn(2, 6)).printed("η⁽ᵗ⁾ Σ p log p does not decrease with t", quantity >= 0,
        counterexamples=ROUNDS[:2], remark="The sum is negative: a larger factor makes it smaller."),
    lemma("A.7-growing", USED, "(R⁽ᵗ⁺¹⁾(p) - R⁽ᵗ⁾(p)) / L_s", lambda one, c: growth_of_entropy(one, len(one.masses)),
        family=Regularised.drawn(2, 6)).corrected("η⁽ᵗ⁾(Σ p log p + log K) does not decrease with t", quantity >= 0,
        cases=ROUNDS),
)

CLAIMS: tuple[Claim, ...] = (*STRONG, *CONCAVE, *ENTROPY)
