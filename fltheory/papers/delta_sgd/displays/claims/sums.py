"""(20) to (27): bounds on A_1 to A_6 of (19), with sums over steps on the measured side."""

from __future__ import annotations

from sympy import Integer

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, printed, quantity, strengthened, strict
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


def a4_by_drift(one: Round, c: Constants) -> Mixed:
    drift = terms.client_mean(one, lambda i, course: terms.squared_drift(course))
    return to_mixed(c.smoothness) * quotient(terms.a4(one), drift)


CLAIMS: tuple[Claim, ...] = (
    display("20", "(20)", "A₁ / (1/Dₜm)Σ Σ η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²",
        lambda one, c: quotient(terms.a1(one), terms.per_step(one, terms.squared_drift)), **at.ALL).printed(
        "(20): A₁ <= K/(D_t m)·Σ Σ η²E|∇f_i(x_t) - ∇f_i(x_k)|²", quantity <= K),
    *display("21", "(21)", "A₁ / (1/Dₜm)Σ(Σₖη²)²",
        lambda one, c: quotient(terms.a1(one), terms.per_step(one, lambda course: square(terms.squares(course)))),
        DRIFT, **at.BY_TABLES).readings(
        printed("(21): A₁ <= 2K²L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given", quantity <= 2 * K**2 * L**2 * PSI_2),
        strengthened("(21): A₁ <= K(K - 1)L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given", quantity <= K * (K - 1) * L**2 * PSI_2),
        strict("(21) for steps that depend on past noise, D_t in the expectation", A1_CHOSEN, counterexamples=at.HEAVY,
            remark="The paper has the steps as numbers, outside of expectations. Delta-SGD takes such steps where f' is straight "
            "after a large noise, with the batches pair and fresh too: A1a does not bound a noise times a later step.",
            id="21-chosen", assumptions=(), **at.TO_HEAVY_NOISE)),
    *display("21-sum", "(21)", "max Σₖ kηₖ²·Σ_{l<k} η_l² / (Σ ηₖ²)²",
        lambda one, c: terms.largest(terms.nested_ratio(course) for own in one.courses for course in own),
        **at.ALL).readings(
        printed("(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= K(Σ η²)²", quantity <= K, note="its last step"),
        strengthened("(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= (K - 1)/2·(Σ η²)²", quantity <= (K - 1) / 2,
            note="its last step")),
    display("22", "(22)", "A₂ / |∇f|²·(1/Dₜm)ΣΣ η²",
        lambda one, c: quotient(terms.a2(one), square(one.slope) * terms.per_step(one, terms.squares)),
        **at.ALL).printed("(22): A₂ <= Kρ/(D_t m)·|∇f|²Σ Σ η²", quantity <= K * rho),
    display("22", "(22)", "A₂ / E Dₜ·|∇f|²",
        lambda one, c: quotient(terms.a2(one), square(one.slope) * terms.mean_steps(one)), **at.ALL).strengthened(
        "A₂ <= D_t ρ|∇f|²: the weights η/(m D_t) add up to 1", quantity <= rho, note="weighted Jensen"),
    *display("23", "(23)", "A₃ / (1/m)ΣΣ E η²",
        lambda one, c: to_mixed(c.smoothness) * quotient(terms.a3(one), terms.mean_squares(one)), NOISE,
        **at.UNCORRELATED).readings(
        printed("(23): A₃ <= 2KLσ²/(mb)·Σ Σ E η²", quantity <= 2 * K * L * sigma**2 / b),
        strengthened("A₃ <= 2Lσ²/(mb)·Σ Σ E η²: noises of different steps are orthogonal",
            quantity <= 2 * L * sigma**2 / b, note="martingale differences")),
    display("24", "(24)", "A₄ / (1/m)ΣΣ E η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²", a4_by_drift, CURVATURE, **at.ALL).printed(
        "(24): A₄ <= 2KL/m·Σ Σ E η²|∇f_i(x_t) - ∇f_i(x_k)|²", quantity <= 2 * K * L),
    *display("25", "(25)", "A₄ / (1/m)Σ(Σₖη²)²",
        lambda one, c: to_mixed(c.smoothness) * quotient(terms.a4(one), terms.mean_fourth(one)), DRIFT_AGAIN,
        **at.BY_TABLES).readings(
        printed("(25): A₄ <= 4K²L³Ψ₂/m·Σ(Σ η²)², steps given", quantity <= 4 * K**2 * L**3 * PSI_2),
        strengthened("(25): A₄ <= 2K(K - 1)L³Ψ₂/m·Σ(Σ η²)², steps given", quantity <= 2 * K * (K - 1) * L**3 * PSI_2),
        strict("(25) for steps that depend on past noise", A4_CHOSEN, counterexamples=at.HEAVY, id="25-chosen",
            assumptions=(), **at.TO_HEAVY_NOISE)),
    display("26", "(26)", "A₅ / |∇f|²·(1/m)ΣΣ E η²",
        lambda one, c: to_mixed(c.smoothness) * quotient(terms.a5(one), square(one.slope) * terms.mean_squares(one)),
        CURVATURE, **at.ALL).printed("(26): A₅ <= 2KLρ/m·|∇f|²Σ Σ E η²", quantity <= 2 * K * L * rho),
    display("27", "(27)", "A₆ / |∇f|²·(1/m)ΣΣ E η²",
        lambda one, c: to_mixed(c.smoothness) * quotient(terms.a6(one), square(one.slope) * terms.mean_squares(one)),
        CURVATURE, **at.ALL).printed("(27): A₆ <= 2KL/m·|∇f|²Σ Σ E η²", quantity <= 2 * K * L),
)
