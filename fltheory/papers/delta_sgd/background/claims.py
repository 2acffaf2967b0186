"""Section 2: gradient descent (3), the optimal step 1/L, a step for the least smooth client; footnote 1 on rule (4)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Eq, Max

from fltheory.claims.claim import Claim
from fltheory.claims.statement import imported_late, quantity
from fltheory.model.bound import BoundError
from fltheory.model.case import Case
from fltheory.model.schema import count
from fltheory.number import Number
from fltheory.papers.delta_sgd.background.bounds import GD_ATTAINED, OPTIMAL_STEP
from fltheory.papers.delta_sgd.background.closed_forms import CommonStep, Descent, OneStep, WorstHuber, in_one_variable
from fltheory.papers.delta_sgd.instances.lemmas import Pieces, Quartic, Ridges, RuleStep, huber, quadratic
from fltheory.papers.delta_sgd.notation import CONVEX, LEMMAS, L, R, T, mu, step_size
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.runs.measures import ENERGY

lemma = partial(PAPER.lemma, mode="surely", letters=LEMMAS)

families = imported_late("fltheory.papers.delta_sgd.background.families")


def rational(value: Number) -> Any:
    """Return the setting of a case; BoundError where it is irrational."""
    if not isinstance(value, int | Fraction):
        raise BoundError(f"expected a rational number, got {value}")
    return value


# Gradient descent, (3) ----------------------------------------------------------------------------------------------

SLANTED = Ridges(((3, 4), (-4, 3)), (quadratic("1/25"), huber("1/2", "1/50")))
DESCENTS = (
    Case(in_one_variable(huber("1/3"), 1), n_rounds=1),
    Case(in_one_variable(huber("1/7", 2), 1), n_rounds=3),
    Case(in_one_variable(Pieces((-1, "-1/10", "1/5"), (0, 2, 1, "1/3")), 5), n_rounds=4),
    Case(Descent(SLANTED, (5, 1)), n_rounds=7),
    Case(Descent(Ridges(((1, 0), (1, 1), (2, -1)), (huber(1, 2), quadratic("1/3"), huber("1/2"))), (3, -4)),
        n_rounds=5),
)
HUBERS = (*(Case(WorstHuber(n)) for n in (1, 2, 3, 10)), Case(WorstHuber(50, "3/7", 20)))
STEPS = tuple(Case(OneStep("2/3", 3), step_size=s) for s in ("9/4", "3/2", "3/20", "14/5", 3))
OF_ONE = tuple(Case(c.instance, n_rounds=1, step_size=s) for c, s in zip(DESCENTS, ("3/2", "1/2", "7/10", 1, "1/9"), strict=True))
DESCENDING: dict[str, Any] = {"dimension": ENERGY, "family": lambda: families().descents()}
CLASSES: dict[str, Any] = {"dimension": ENERGY, "family": lambda: families().one_steps()}

gap = lemma("C3", "(3)", "f(x_t) - f*", lambda one, c: one.gap(1 / one.smoothness, rational(c.n_rounds)), cases=DESCENTS,
    **{**DESCENDING, "letters": CONVEX, "kind": "upper bound"})

worst_after_one = lemma("C3-optimal", "Section 2", "the largest f(x_1) - f*",
    lambda one, c: one.worst(rational(c.step_size)), cases=(*STEPS, Case(OneStep(), step_size=5)), **CLASSES)

STEP = L * step_size
WORST = L * R**2 / 2 * Max(1 / (2 * STEP + 1), (1 - STEP) ** 2, evaluate=False)
GRADIENT_DESCENT = (
    gap.printed("Gradient descent with the step 1/L on a convex L-smooth f: f(x_t) - f* <= L|x_0 - x*|^2/(2(2t - 1))",
        quantity <= L * R**2 / (2 * (2 * T - 1)), note="printed for the iterate t + 1 = T",
        remark="(3) writes t + 1 for our t: it is the sharp bound for one step fewer."),
    gap.strengthened("Gradient descent with the step 1/L on a convex L-smooth f: f(x_t) - f* <= L|x_0 - x*|^2/(4t + 2)",
        quantity <= L * R**2 / (4 * T + 2), note="Drori and Teboulle"),
    lemma("C3-attained", "(3)", "f(x_t) - f*", lambda one, c: one.gap, ENERGY, cases=HUBERS, kind="lower bound").strengthened(
        "No smaller bound holds, for any t: a Huber function has f(x_t) - f* = L|x_0 - x*|^2/(4t + 2)", GD_ATTAINED,
        full_cases=lambda: tuple(Case(WorstHuber(n)) for n in range(4, 51) if n != 10)),
    worst_after_one.strict("1/L is the optimal step: no step guarantees less than L|x_0 - x*|^2/6 after one step",
        OPTIMAL_STEP, counterexamples=STEPS[:1],
        remark='In the minimax sense 3/(2L) guarantees L|x_0 - x*|^2/8. The paper puts "optimal" in quotes and gives the '
        "rate of 1/L, which is true (C3)."),
    lemma("C3-step", "Section 2", "f(x_1) - f*", lambda one, c: one.gap(rational(c.step_size), rational(c.n_rounds)),
        ENERGY, cases=OF_ONE, family=lambda: families().descents(one_step=True)).corrected(
        "f(x_1) - f* <= L|x_0 - x*|^2/2 max{1/(2Lη + 1), (1 - Lη)^2} for every step η <= 2/L", quantity <= WORST,
        given=[STEP <= 2]),
    worst_after_one.restated("C3-step-attained", cases=STEPS).strengthened(
        "The same bound is attained, by a Huber function or a quadratic", Eq(quantity, WORST), given=[STEP <= 2],
        note="attained"),
    worst_after_one.strengthened(
        "3/(2L) is the optimal step: no step guarantees less than L|x_0 - x*|^2/8 after one step",
        L * R**2 / 8 <= quantity, note="what the step 3/(2L) guarantees"),
)

# A step for the least smooth client ---------------------------------------------------------------------------------

TWO = CommonStep((1, 100), ((0, 0), (1, 2)), (3, "1/2"))
THREE = CommonStep(("1/50", 3, 7), ((1,), (2,), (5,)), (0,))
SLOW = (Case(TWO, n_rounds=10), Case(THREE, n_rounds=9), Case(CommonStep((1, 10**6), ((0,), (1,)), (1,)), n_rounds=50))

COMMON_STEP = (
    lemma("C-Lmax", "Section 2", "|x_t - x_j*|^2 / |x_0 - x_j*|^2", lambda one, c: one.left(1),
        cases=(Case(TWO), Case(THREE))).explicit(
        "With the step 1/L_max a step leaves 1 - L_j/L_max of the distance to the minimiser of f_j",
        Eq(quantity, (1 - mu / L) ** 2), note="1/L_max on a quadratic", remark="On f_j = L_j/2 |x - c_j|^2."),
    lemma("C-Lmax-slow", "Section 2", "|x_t - x_j*|^2 / |x_0 - x_j*|^2", lambda one, c: one.left(rational(c.n_rounds)),
        cases=SLOW, family=CommonStep.drawn(settings={"n_rounds": count(most=20)})).explicit(
        "With the step 1/L_max the convergence of f_j can be arbitrarily slow: t steps leave at least 1 - 2tL_j/L_max",
        1 - 2 * T * mu / L <= quantity, note="as L_max grows",
        remark="Arbitrarily close to 1, for L_max large enough."),
)

# Footnote 1: rule (4) and the smoothness between two points -----------------------------------------------------------

RULE_STEPS = (
    Case(RuleStep(SLANTED, (5, 1), (4, 2), 1)),
    Case(RuleStep(SLANTED, (5, 1), (4, 2), "1/10", 3)),
    Case(RuleStep(SLANTED, (5, 1), ("1/2", "1/3"), 10)),
    Case(RuleStep(Ridges(((1,),), (Quartic(),)), (2,), (1,), "1/14", "24/25")),
    Case(RuleStep(Ridges(((1,),), (huber(1),)), (3,), (2,), 1)),
)
RULE: dict[str, Any] = {"cases": RULE_STEPS, "family": lambda: families().rule_steps()}


def smoothness_by_step(one: RuleStep) -> Fraction:
    """(2 step |change of the gradient| / |change of the point|)^2."""
    return 4 * one.squared_step * one.change


def wrong_about_equality(one: RuleStep) -> int:
    """Return 1 if equality holds without the first entry being active, or the other way round."""
    return int((smoothness_by_step(one) == 1) != one.first_is_active)


STEP_RULE = (
    lemma("C-fn1", "Section 3, footnote 1", "(2η_t |∇f_i(x_t) - ∇f_i(x_{t-1})| / |x_t - x_{t-1}|)²",
        lambda one, c: smoothness_by_step(one), **RULE).printed(
        "|∇f_i(x_t) - ∇f_i(x_{t-1})| <= |x_t - x_{t-1}|/(2η_t) for the step η_t of rule (4)", quantity <= 1),
    lemma("C-fn1-equal", "Section 3, footnote 1", "[equality] ≠ [first entry active]",
        lambda one, c: wrong_about_equality(one), **RULE).strengthened(
        "Equality holds where the first entry of rule (4) is active, and nowhere else", Eq(quantity, 0)),
)

CLAIMS: tuple[Claim, ...] = (*GRADIENT_DESCENT, *COMMON_STEP, *STEP_RULE)
