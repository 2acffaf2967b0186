"""(28) to (30): all terms of a round together, what is divided by D_t, and the sum over rounds."""

from __future__ import annotations

from typing import Any

from sympy import Integer

from fltheory.bound import Dimension
from fltheory.claim import Claim
from fltheory.number.mixed import greatest, mixed
from fltheory.papers.delta_sgd import letters
from fltheory.papers.delta_sgd.bounds import T1_28_X, T1_28_Y
from fltheory.papers.delta_sgd.bounds import displays as of
from fltheory.papers.delta_sgd.claims import display_cases as at
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.claims.display_cases import measured
from fltheory.papers.delta_sgd.exact import display_terms as terms
from fltheory.papers.delta_sgd.exact.display_terms import quotient, square
from fltheory.runs.measures import ENERGY

OVER_STEP: Dimension = (Integer(2), Integer(-2))  # an objective over a step


def decrease(one: Any) -> Any:
    """f(x_t) - E f(x_{t+1})."""
    return -terms.next_objective(one)


def expected_round(one: Any) -> Any:
    """What (28) keeps of the squared gradient, less f(x_t) - E f(x_{t+1}), over its errors."""
    return quotient(terms.kept(one) * square(one.slope) - decrease(one), terms.errors(one))


def drawn_round(one: Any) -> Any:
    """The same with f(x_{t+1}) as it is drawn, at worst."""
    worst = None
    for _, x in one.landings:
        found = terms.rise(one, x)
        worst = found if worst is None else greatest(worst, found)
    return quotient(terms.kept(one) * square(one.slope) + worst, terms.errors(one))


def dispersion(one: Any) -> Any:
    """2 K rho/(D_t^2 m) sum eta^2."""
    count, rho = (mixed(one.constants[s]) for s in (letters.K, letters.rho))
    return 2 * count * rho * terms.mean_squares(one) / square(terms.mean_steps(one))


def taken(one: Any) -> Any:
    """What (29) takes from the squared gradient."""
    return 1 - 2 * terms.kept(one) / terms.mean_steps(one)


def summed_decreases(one: Any) -> Any:
    """sum_t (f(x_t) - f(x_{t+1}))/D_t."""
    return terms.summed(v / total for v, total in zip(one.decreases, one.path[1], strict=True))


def beyond_telescoped(one: Any) -> Any:
    """The same less (f(x_0) - f(x_T)) over the least D_t."""
    return summed_decreases(one) - terms.summed(one.decreases) / min(one.path[1])


_DECREASE = measured("f(x) - E f(x')", decrease, ENERGY)
_SMALL = drawn("displays", "small_steps")
_TAKEN = measured("2Kρ/(Dₜ²m)·ΣΣ η² + 4KL(1 + ρ)/(Dₜm)·ΣΣ η²", taken)
_DISPERSION = measured("2Kρ/(Dₜ²m)·ΣΣ η²", dispersion)
_SUMMED = measured("Σₜ (f(xₜ) - f(xₜ₊₁))/Dₜ", summed_decreases, OVER_STEP)
CLAIMS: tuple[Claim, ...] = (
    always(
        "28",
        "(28) with f(x_{t+1}) itself",
        of.ROUND,
        measured("(c|∇f|² - f(x) + max f(x')) / errors", drawn_round),
        at.SHORT_NOISY,
        drawn("displays", "rounds", kind="given", short=True),
        at.GIVEN,
        expected="violated",
        remark="The expectation of the lines before is lost.",
    ),
    always(
        "28",
        "(28): [D_t/2 - Kρ/(D_t m)·ΣΣ η² - 2KL(1 + ρ)/m·ΣΣ η²]|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, steps given",
        of.ROUND_FIXED,
        measured("(c|∇f|² - f(x) + E f(x')) / errors", expected_round),
        (*at.FIXED, at.AT_REST),
        at.GIVEN_ROUNDS,
        at.GIVEN,
    ),
    always(
        "T1-28",
        "E D_t·(1/2 - ρ - 2(1 + ρ)LaK)|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, for steps of at most a that "
        "depend on the past in any way",
        T1_28_X,
        _DECREASE,
        at.SHORT,
        _SMALL,
        at.INDEPENDENT,
    ),
    always(
        "T1-28",
        "E D_t·((1 - √ρ)/2 - 2(1 + ρ)LaK)|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, for every ρ < 1",
        T1_28_Y,
        _DECREASE,
        at.SHORT_FAR,
        _SMALL,
        at.INDEPENDENT,
    ),
    always(
        "29-dispersion",
        "(29): 2Kρ/(D_t²m)·ΣΣ η² = 2ρR_t",
        of.DISPERSION,
        _DISPERSION,
        (*at.FIXED[:4], *at.UNEVEN[:2]),
        at.GIVEN_ROUNDS,
        at.GIVEN,
    ),
    always(
        "29-dispersion",
        "2Kρ/(D_t²m)·ΣΣ η² >= 2ρ",
        of.DISPERSION_LEAST,
        _DISPERSION,
        (*at.FIXED[:4], *at.UNEVEN),
        at.GIVEN_ROUNDS,
        at.GIVEN,
    ),
    always(
        "29-most",
        "2Kρ/(D_t²m)·ΣΣ η² <= 2ρmK, where one step of one client is nearly all",
        of.DISPERSION_MOST,
        _DISPERSION,
        (*at.FIXED[:4], *at.UNEVEN),
        at.GIVEN_ROUNDS,
        at.GIVEN,
    ),
    always(
        "29",
        "(29): 2Kρ/(D_t²m)·ΣΣ η² = O(1): at most 3/4 of |∇f|² is taken off where ρ <= 1/4 and steps are small",
        of.TAKEN,
        _TAKEN,
        at.UNEVEN,
        drawn("displays", "uneven"),
        at.GIVEN,
        expected="violated",
        remark="ρ <= 1/4 and T >= 400 are to see to it: that needs steps that are nearly the same.",
    ),
    always(
        "29",
        "(29) takes at most 3/4 off |∇f|² where ρ <= 1/4, LaK <= 1/20 and all steps are the same",
        of.TAKEN_EQUAL,
        _TAKEN,
        at.EVEN,
        drawn("displays", "even"),
        at.GIVEN,
    ),
    always(
        "29-negative",
        "(29) takes all of |∇f|² where R_t >= 1/(2ρ)",
        of.TAKEN_ALL,
        _TAKEN,
        at.NEGATIVE,
        drawn("displays", "uneven"),
        at.GIVEN,
    ),
    always(
        "30-telescope",
        "(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f(x_T))/min D_t",
        of.TELESCOPED,
        measured("Σₜ (f(xₜ) - f(xₜ₊₁))/Dₜ - (f(x₀) - f(x_T))/min Dₜ", beyond_telescoped),
        at.TWO_ROUNDS,
        drawn("displays", "several_rounds"),
        expected="violated",
        remark="Where D_t changes from round to round, a rise can weigh less than the falls around it.",
    ),
    always(
        "30",
        "(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK), h the least step",
        of.SUMMED,
        _SUMMED,
        at.UP_AND_DOWN,
        drawn("displays", "several_rounds", swinging=True),
        expected="violated",
    ),
    always(
        "30-O",
        "(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(aK), a the largest step",
        of.SUMMED_OMEGA,
        _SUMMED,
        at.LATER,
        drawn("displays", "several_rounds", falling=True),
        at.FALLING,
        expected="violated",
        remark="D_t = O(γK) bounds it from above; what is divided by it needs a bound from below.",
    ),
    always(
        "30",
        "Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK) where f never rises",
        of.SUMMED_FIXED,
        _SUMMED,
        at.MONOTONE,
        drawn("displays", "several_rounds", falling=True),
        at.FALLING,
    ),
    always(
        "30-equal",
        "Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK) where all steps are the same",
        of.SUMMED_EQUAL,
        _SUMMED,
        at.CONSTANT,
        drawn("displays", "several_rounds", equal=True),
    ),
)
