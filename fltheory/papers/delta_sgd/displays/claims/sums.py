"""(20) to (27): what A_1 to A_6 of (19) are bounded by, with sums over steps on the measured side."""

from __future__ import annotations

from sympy import Integer

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, quantity
from fltheory.model.bound import Dimension
from fltheory.number.mixed import Mixed, to_mixed
from fltheory.papers.delta_sgd.bounds import PSI_2
from fltheory.papers.delta_sgd.displays import cases as at
from fltheory.papers.delta_sgd.displays import closed_forms as terms
from fltheory.papers.delta_sgd.displays.bounds import A1_CHOSEN, A4_CHOSEN
from fltheory.papers.delta_sgd.displays.cases import CURVATURE, display
from fltheory.papers.delta_sgd.displays.closed_forms import quotient, square
from fltheory.papers.delta_sgd.notation import K, L, b, rho, sigma
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps

Round = GivenSteps | OwnSteps
DRIFT: Dimension = (Integer(4), Integer(-6))
NOISE: Dimension = (Integer(3), Integer(-4))
DRIFT_AGAIN: Dimension = (Integer(5), Integer(-8))


@display("20", "(20)", **at.ALL)
def a1_by_drift(one: Round, c: Constants) -> Mixed:
    """A₁ / (1/Dₜm)Σ Σ η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²"""
    return quotient(terms.a1(one), terms.per_step(one, terms.squared_drift))


@display("21", "(21)", DRIFT, **at.BY_TABLES)
def a1_by_steps(one: Round, c: Constants) -> Mixed:
    """A₁ / (1/Dₜm)Σ(Σₖη²)²"""
    return quotient(terms.a1(one), terms.per_step(one, lambda course: square(terms.squares(course))))


@display("21-sum", "(21)", **at.ALL)
def largest_nested(one: Round, c: Constants) -> Mixed:
    """max Σₖ kηₖ²·Σ_{l<k} η_l² / (Σ ηₖ²)²"""
    return terms.largest(terms.nested_ratio(course) for own in one.courses for course in own)


@display("22", "(22)", **at.ALL)
def a2_by_squares(one: Round, c: Constants) -> Mixed:
    """A₂ / |∇f|²·(1/Dₜm)ΣΣ η²"""
    return quotient(terms.a2(one), square(one.slope) * terms.per_step(one, terms.squares))


@display("22", "(22)", **at.ALL)
def a2_by_sum(one: Round, c: Constants) -> Mixed:
    """A₂ / E Dₜ·|∇f|²"""
    return quotient(terms.a2(one), square(one.slope) * terms.mean_steps(one))


@display("23", "(23)", NOISE, **at.UNCORRELATED)
def a3_by_squares(one: Round, c: Constants) -> Mixed:
    """A₃ / (1/m)ΣΣ E η²"""
    return to_mixed(c.smoothness) * quotient(terms.a3(one), terms.mean_squares(one))


@display("24", "(24)", CURVATURE, **at.ALL)
def a4_by_drift(one: Round, c: Constants) -> Mixed:
    """A₄ / (1/m)ΣΣ E η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²"""
    drift = terms.client_mean(one, lambda i, course: terms.squared_drift(course))
    return to_mixed(c.smoothness) * quotient(terms.a4(one), drift)


@display("25", "(25)", DRIFT_AGAIN, **at.BY_TABLES)
def a4_by_steps(one: Round, c: Constants) -> Mixed:
    """A₄ / (1/m)Σ(Σₖη²)²"""
    return to_mixed(c.smoothness) * quotient(terms.a4(one), terms.mean_fourth(one))


@display("26", "(26)", CURVATURE, **at.ALL)
def a5_by_gradient(one: Round, c: Constants) -> Mixed:
    """A₅ / |∇f|²·(1/m)ΣΣ E η²"""
    return to_mixed(c.smoothness) * quotient(terms.a5(one), square(one.slope) * terms.mean_squares(one))


@display("27", "(27)", CURVATURE, **at.ALL)
def a6_by_gradient(one: Round, c: Constants) -> Mixed:
    """A₆ / |∇f|²·(1/m)ΣΣ E η²"""
    return to_mixed(c.smoothness) * quotient(terms.a6(one), square(one.slope) * terms.mean_squares(one))


CLAIMS: tuple[Claim, ...] = (
    a1_by_drift.printed("(20): A₁ <= K/(D_t m)·Σ Σ η²E|∇f_i(x_t) - ∇f_i(x_k)|²", quantity <= K),
    a1_by_steps.printed("(21): A₁ <= 2K²L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given", quantity <= 2 * K**2 * L**2 * PSI_2),
    a1_by_steps.strengthened(
        "(21): A₁ <= K(K - 1)L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given", quantity <= K * (K - 1) * L**2 * PSI_2
    ),
    a1_by_steps.entry("21-chosen", when=(), **at.TO_HEAVY_NOISE).strict(
        "(21) for steps that depend on past noise, D_t in the expectation",
        A1_CHOSEN,
        refuted_by=at.HEAVY,
        remark="Printed are steps as numbers, outside of expectations. Delta-SGD takes such"
        " steps where f' bends no more after a large noise, in pair and fresh too: A1a says nothing "
        "of the product of a noise and a later step.",
    ),
    largest_nested.printed("(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= K(Σ η²)²", quantity <= K, note="its last step"),
    largest_nested.strengthened(
        "(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= (K - 1)/2·(Σ η²)²", quantity <= (K - 1) / 2, note="its last step"
    ),
    a2_by_squares.printed("(22): A₂ <= Kρ/(D_t m)·|∇f|²Σ Σ η²", quantity <= K * rho),
    a2_by_sum.strengthened(
        "A₂ <= D_t ρ|∇f|²: the weights η/(m D_t) add up to 1", quantity <= rho, note="weighted Jensen"
    ),
    a3_by_squares.printed("(23): A₃ <= 2KLσ²/(mb)·Σ Σ E η²", quantity <= 2 * K * L * sigma**2 / b),
    a3_by_squares.strengthened(
        "A₃ <= 2Lσ²/(mb)·Σ Σ E η²: noises of different steps are orthogonal",
        quantity <= 2 * L * sigma**2 / b,
        note="martingale differences",
    ),
    a4_by_drift.printed("(24): A₄ <= 2KL/m·Σ Σ E η²|∇f_i(x_t) - ∇f_i(x_k)|²", quantity <= 2 * K * L),
    a4_by_steps.printed("(25): A₄ <= 4K²L³Ψ₂/m·Σ(Σ η²)², steps given", quantity <= 4 * K**2 * L**3 * PSI_2),
    a4_by_steps.strengthened(
        "(25): A₄ <= 2K(K - 1)L³Ψ₂/m·Σ(Σ η²)², steps given", quantity <= 2 * K * (K - 1) * L**3 * PSI_2
    ),
    a4_by_steps.entry("25-chosen", when=(), **at.TO_HEAVY_NOISE).strict(
        "(25) for steps that depend on past noise", A4_CHOSEN, refuted_by=at.HEAVY
    ),
    a5_by_gradient.printed("(26): A₅ <= 2KLρ/m·|∇f|²Σ Σ E η²", quantity <= 2 * K * L * rho),
    a6_by_gradient.printed("(27): A₆ <= 2KL/m·|∇f|²Σ Σ E η²", quantity <= 2 * K * L),
)
