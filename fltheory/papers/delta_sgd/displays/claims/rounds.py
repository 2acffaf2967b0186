"""(28) to (30): all terms of a round together, the terms divided by D_t, and the sum over rounds."""

from __future__ import annotations

from sympy import Eq, Integer, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, explicit, printed, quantity, strengthened
from fltheory.model.bound import Dimension
from fltheory.number.mixed import Mixed, larger_of, to_mixed
from fltheory.papers.delta_sgd.bounds import T1_28_X, T1_28_Y
from fltheory.papers.delta_sgd.displays import cases as at
from fltheory.papers.delta_sgd.displays import closed_forms as terms
from fltheory.papers.delta_sgd.displays.bounds import ROUND, SMALL, SUMMED, SUMMED_OMEGA, TAKEN
from fltheory.papers.delta_sgd.displays.cases import display
from fltheory.papers.delta_sgd.displays.closed_forms import quotient, square
from fltheory.papers.delta_sgd.notation import K, R_t, a, gap, h, m, rho
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps, Rounds
from fltheory.runs.measures import ENERGY

Round = GivenSteps | OwnSteps
OVER_STEP: Dimension = (Integer(2), Integer(-2))  # an objective over a step

# One round ----------------------------------------------------------------------------------------------------------


def drawn_round(one: Round, c: Constants) -> Mixed:
    worst = None
    for _, x in one.landings:
        found = terms.rise(one, x)
        worst = found if worst is None else larger_of(worst, found)
    return quotient(terms.gradient_factor(one) * square(one.slope) + worst, terms.errors(one))


def gradient_share(one: Round) -> Mixed:
    """Return the part of the squared gradient that (29) subtracts."""
    return 1 - 2 * terms.gradient_factor(one) / terms.mean_steps(one)


ONE_ROUND = (
    display("28", "(28)", "(c|∇f|² - f(x) + max f(x')) / errors", drawn_round,
        family=at.rounds(kind="given", short=True), assumptions=(at.GIVEN,)).printed("(28) with f(x_{t+1}) itself",
        ROUND, counterexamples=at.SHORT_NOISY, remark="The expectation of the preceding lines is missing."),
    display("28", "(28)", "(c|∇f|² - f(x) + E f(x')) / errors",
        lambda one, c: quotient(terms.gradient_factor(one) * square(one.slope) + terms.next_objective(one), terms.errors(one)),
        **{**at.BY_TABLES, "cases": (*at.FIXED, at.AT_REST)}).corrected(
        "(28): [D_t/2 - Kρ/(D_t m)·ΣΣ η² - 2KL(1 + ρ)/m·ΣΣ η²]|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, steps given",
        quantity <= 1, note="E f(x_{t+1}), given steps"),
    *display("T1-28", "(28)", "f(x) - E f(x')", lambda one, c: -terms.next_objective(one), ENERGY,
        family=lambda: at.strategies().small_steps(), assumptions=(at.INDEPENDENT,)).readings(
        corrected(
            "E D_t·(1/2 - ρ - 2(1 + ρ)LaK)|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, for steps of at most a that depend on the "
            "past in any way", T1_28_X, cases=at.SHORT),
        strengthened("E D_t·((1 - √ρ)/2 - 2(1 + ρ)LaK)|∇f(x_t)|² <= f(x_t) - E f(x_{t+1}) + errors, for every ρ < 1",
            T1_28_Y, cases=at.SHORT_FAR)),
    *display("29-dispersion", "(29)", "2Kρ/(Dₜ²m)·ΣΣ η²",
        lambda one, c: (2 * c.n_local_steps * to_mixed(c.strong_growth) * terms.mean_squares(one) / square(terms.mean_steps(one))),
        **{**at.BY_TABLES, "cases": (*at.FIXED[:4], *at.UNEVEN)}).readings(
        explicit("(29): 2Kρ/(D_t²m)·ΣΣ η² = 2ρR_t", Eq(quantity, 2 * rho * R_t), cases=(*at.FIXED[:4], *at.UNEVEN[:2])),
        strengthened("2Kρ/(D_t²m)·ΣΣ η² >= 2ρ", 2 * rho <= quantity),
        strengthened("2Kρ/(D_t²m)·ΣΣ η² <= 2ρmK, where one step of one client is nearly all",
            quantity <= 2 * rho * m * K, id="29-most")),
    *display("29", "(29)", "2Kρ/(Dₜ²m)·ΣΣ η² + 4KL(1 + ρ)/(Dₜm)·ΣΣ η²", lambda one, c: gradient_share(one),
        family=lambda: at.strategies().uneven(), assumptions=(at.GIVEN,)).readings(
        printed(
            "(29): 2Kρ/(D_t²m)·ΣΣ η² = O(1): for ρ <= 1/4, T >= (5/ρ)² and steps up to 1/(LK√T) at most 3/4 of |∇f|² is subtracted",
            TAKEN, counterexamples=tuple(one.with_settings(n_rounds=400) for one in at.UNEVEN),
            remark="γ = O(1/(K√T)) and η = O(γ) are read with 1/L, which has the unit of a step. All of |∇f|² may be subtracted, "
            "and more: a positive remainder needs steps that are nearly the same, not few."),
        corrected("(29) subtracts at most 3/4 of |∇f|² where ρ <= 1/4, LaK <= 1/20 and all steps are the same",
            quantity <= Rational(3, 4), given=[*SMALL, h >= a], note="equal steps", cases=at.EVEN,
            family=lambda: at.strategies().even()),
        strengthened("(29) subtracts all of |∇f|² where R_t >= 1/(2ρ)", quantity >= 1, given=[2 * rho * R_t >= 1],
            cases=at.NEGATIVE, id="29-negative")),
)

# Sum over the rounds ------------------------------------------------------------------------------------------------


def summed_decreases(one: Rounds) -> Mixed:
    """sum_t (f(x_t) - f(x_{t+1}))/D_t."""
    return terms.mixed_sum(v / total for v, total in zip(one.decreases, one.path[1], strict=True))


summed = display("30", "(30)", "Σₜ (f(xₜ) - f(xₜ₊₁))/Dₜ", lambda one, c: summed_decreases(one), OVER_STEP)

SUMMED_UP = (
    display("30-telescope", "(30)", "Σₜ (f(xₜ) - f(xₜ₊₁))/Dₜ - (f(x₀) - f(x_T))/min Dₜ",
        lambda one, c: summed_decreases(one) - terms.mixed_sum(one.decreases) / min(one.path[1]),
        family=at.several_rounds()).printed("(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f(x_T))/min D_t",
        quantity <= 0, note="as if it telescoped", counterexamples=at.TWO_ROUNDS,
        remark="Where D_t changes from round to round, a rise can weigh less than the falls around it."),
    summed.printed("(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK), h the least step", SUMMED,
        counterexamples=at.UP_AND_DOWN, family=at.several_rounds(swinging=True)),
    summed.restated("30-O", family=at.several_rounds(falling=True), assumptions=(at.FALLING,)).printed(
        "(30): Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(aK), a the largest step", SUMMED_OMEGA,
        counterexamples=at.LATER, remark="D_t = O(γK) is an upper bound; dividing by D_t needs a lower one."),
    summed.corrected("Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK) where f never rises", quantity <= gap / (h * K),
        note="f never rises", cases=at.MONOTONE, family=at.several_rounds(falling=True), assumptions=(at.FALLING,)),
    summed.restated("30-equal").corrected(
        "Σ (f(x_t) - f(x_{t+1}))/D_t <= (f(x_0) - f*)/(hK) where all steps are the same", quantity <= gap / (h * K),
        given=[h >= a], note="equal steps", cases=at.CONSTANT, family=at.several_rounds(equal=True)),
)

CLAIMS: tuple[Claim, ...] = (*ONE_ROUND, *SUMMED_UP)
