"""(20) to (27): what A_1 to A_6 of (19) are bounded by, with sums over steps on the measured side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer

from fltheory.bound import Dimension
from fltheory.claim import Claim
from fltheory.number.mixed import mixed
from fltheory.papers.delta_sgd import letters
from fltheory.papers.delta_sgd.bounds import displays as of
from fltheory.papers.delta_sgd.claims import display_cases as at
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.claims.display_cases import measured
from fltheory.papers.delta_sgd.exact import display_terms as terms
from fltheory.papers.delta_sgd.exact.display_terms import quotient, square

DRIFT: Dimension = (Integer(4), Integer(-6))
NOISE: Dimension = (Integer(3), Integer(-4))
DRIFT_AGAIN: Dimension = (Integer(5), Integer(-8))


def curved(value: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Times the smoothness, as A_3 to A_6 are."""
    return lambda one: mixed(one.constants[letters.L]) * value(one)


def a1_by_drift(one: Any) -> Any:
    """A_1 over E 1/(D_t m) sum eta^2 |drift|^2."""
    return quotient(terms.a1(one), terms.per_step(one, terms.squared_drift))


def a1_by_steps(one: Any) -> Any:
    """A_1 over E 1/(D_t m) sum_i (sum_k eta^2)^2."""
    return quotient(terms.a1(one), terms.per_step(one, lambda c: square(terms.squares(c))))


def largest_nested(one: Any) -> Any:
    """The largest sum_k k eta_k^2 sum_{l<k} eta_l^2 over (sum_k eta_k^2)^2."""
    return terms.largest(terms.nested(c) for own in one.courses for c in own)


def a2_by_squares(one: Any) -> Any:
    """A_2 over |f'|^2 E 1/(D_t m) sum eta^2."""
    return quotient(terms.a2(one), square(one.slope) * terms.per_step(one, terms.squares))


def a2_by_sum(one: Any) -> Any:
    """A_2 over |f'|^2 E D_t."""
    return quotient(terms.a2(one), square(one.slope) * terms.mean_steps(one))


def a3_by_squares(one: Any) -> Any:
    """A_3/L over (1/m) sum E eta^2."""
    return quotient(terms.a3(one), terms.mean_squares(one))


def a4_by_drift(one: Any) -> Any:
    """A_4/L over (1/m) sum E eta^2 |drift|^2."""
    return quotient(terms.a4(one), terms.client_mean(one, lambda i, c: terms.squared_drift(c)))


def a4_by_steps(one: Any) -> Any:
    """A_4/L over (1/m) sum_i E (sum_k eta^2)^2."""
    return quotient(terms.a4(one), terms.mean_fourth(one))


def by_gradient(term: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A_5/L or A_6/L over |f'|^2 (1/m) sum E eta^2."""
    return lambda one: quotient(term(one), square(one.slope) * terms.mean_squares(one))


_ALL = (*at.ROUNDS, *at.DEPENDENT)
_A1 = measured("A₁ / (1/Dₜm)Σ(Σₖη²)²", a1_by_steps, DRIFT)
_NESTED = measured("max Σₖ kηₖ²·Σ_{l<k} η_l² / (Σ ηₖ²)²", largest_nested)
_A3 = measured("A₃ / (1/m)ΣΣ E η²", curved(a3_by_squares), NOISE)
_A4 = measured("A₄ / (1/m)Σ(Σₖη²)²", curved(a4_by_steps), DRIFT_AGAIN)
_SUM = "|∇f|²·(1/m)ΣΣ E η²"
CLAIMS: tuple[Claim, ...] = (
    always(
        "20",
        "(20): A₁ <= K/(D_t m)·Σ Σ η²E|∇f_i(x_t) - ∇f_i(x_k)|²",
        of.A1_JENSEN,
        measured("A₁ / (1/Dₜm)Σ Σ η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²", a1_by_drift),
        _ALL,
        at.ANY,
    ),
    always("21", "(21): A₁ <= 2K²L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given", of.A1, _A1, at.FIXED, at.GIVEN_ROUNDS, at.GIVEN),
    always(
        "21",
        "(21): A₁ <= K(K - 1)L²Ψ₂/(D_t m)·Σ(Σ η²)², steps given",
        of.A1_SHARP,
        _A1,
        at.FIXED,
        at.GIVEN_ROUNDS,
        at.GIVEN,
    ),
    always(
        "21-chosen",
        "(21) for steps that depend on past noise, D_t in the expectation",
        of.A1_CHOSEN,
        _A1,
        at.HEAVY,
        drawn("displays", "heavy"),
        expected="violated",
        remark="Delta-SGD takes such steps where f' bends no more after a large noise, in pair and fresh too: A1a says nothing "
        "of the product of a noise and a later step.",
    ),
    always("21-sum", "(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= K(Σ η²)²", of.NESTED, _NESTED, _ALL, at.ANY),
    always(
        "21-sum",
        "(21), its last step: Σ kη_k²Σ_{l<k} η_l² <= (K - 1)/2·(Σ η²)²",
        of.NESTED_SHARP,
        _NESTED,
        _ALL,
        at.ANY,
    ),
    always(
        "22",
        "(22): A₂ <= Kρ/(D_t m)·|∇f|²Σ Σ η²",
        of.A2,
        measured("A₂ / |∇f|²·(1/Dₜm)ΣΣ η²", a2_by_squares),
        _ALL,
        at.ANY,
    ),
    always(
        "22",
        "A₂ <= D_t ρ|∇f|²: the weights η/(m D_t) add up to 1",
        of.A2_SHARP,
        measured("A₂ / E Dₜ·|∇f|²", a2_by_sum),
        _ALL,
        at.ANY,
    ),
    always("23", "(23): A₃ <= 2KLσ²/(mb)·Σ Σ E η²", of.A3, _A3, at.RATIONAL, at.INDEPENDENT_ROUNDS, at.INDEPENDENT),
    always(
        "23",
        "A₃ <= 2Lσ²/(mb)·Σ Σ E η²: noises of different steps are orthogonal",
        of.A3_SHARP,
        _A3,
        at.RATIONAL,
        at.INDEPENDENT_ROUNDS,
        at.INDEPENDENT,
    ),
    always(
        "24",
        "(24): A₄ <= 2KL/m·Σ Σ E η²|∇f_i(x_t) - ∇f_i(x_k)|²",
        of.A4_JENSEN,
        measured("A₄ / (1/m)ΣΣ E η²|∇fᵢ(xₜ) - ∇fᵢ(xₖ)|²", curved(a4_by_drift), at.CURVATURE),
        _ALL,
        at.ANY,
    ),
    always("25", "(25): A₄ <= 4K²L³Ψ₂/m·Σ(Σ η²)², steps given", of.A4, _A4, at.FIXED, at.GIVEN_ROUNDS, at.GIVEN),
    always(
        "25", "(25): A₄ <= 2K(K - 1)L³Ψ₂/m·Σ(Σ η²)², steps given", of.A4_SHARP, _A4, at.FIXED, at.GIVEN_ROUNDS, at.GIVEN
    ),
    always(
        "25-chosen",
        "(25) for steps that depend on past noise",
        of.A4_CHOSEN,
        _A4,
        at.HEAVY,
        drawn("displays", "heavy"),
        expected="violated",
    ),
    always(
        "26",
        "(26): A₅ <= 2KLρ/m·|∇f|²Σ Σ E η²",
        of.A5,
        measured(f"A₅ / {_SUM}", curved(by_gradient(terms.a5)), at.CURVATURE),
        _ALL,
        at.ANY,
    ),
    always(
        "27",
        "(27): A₆ <= 2KL/m·|∇f|²Σ Σ E η²",
        of.A6,
        measured(f"A₆ / {_SUM}", curved(by_gradient(terms.a6)), at.CURVATURE),
        _ALL,
        at.ANY,
    ),
)
