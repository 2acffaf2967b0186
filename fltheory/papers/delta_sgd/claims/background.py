"""Section 2: gradient descent (3), the optimal step 1/L, a step for the least smooth client; footnote 1 on rule (4)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Symbol

from fltheory.bound import BoundError
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.delta_sgd.bounds import GD_PRINTED, GD_SHARP
from fltheory.papers.delta_sgd.bounds import lemmas as of
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.data.lemma_instances import Pieces, Quartic, Ridges, RuleStep, huber, quadratic
from fltheory.papers.delta_sgd.exact.gradient_descent import CommonStep, Descent, OneStep, WorstHuber, in_one_variable
from fltheory.papers.delta_sgd.letters import T, step_size
from fltheory.runs.measures import ENERGY
from fltheory.statement import of_case, of_instance


def _given(case: Case, symbol: Symbol) -> Any:
    """A rational setting of the case; BoundError where it has none."""
    value = case.constants.get(symbol)
    if not isinstance(value, int | Fraction):
        raise BoundError(f"expected a rational {symbol.name}")
    return value


# Gradient descent, (3) ----------------------------------------------------------------------------------------------


def gap(case: Case) -> Fraction:
    """f(x_T) - f* after T steps of size 1/L."""
    one: Any = case.instance
    return one.gap(1 / one.smoothness, _given(case, T))


def gap_after_one(case: Case) -> Fraction:
    """f(x_1) - f* after a step of the given size."""
    one: Any = case.instance
    return one.gap(_given(case, step_size), _given(case, T))


def worst_after_one(case: Case) -> Fraction:
    """The largest f(x_1) - f* of any convex function of the class; for steps above 2/L no less than that."""
    one: Any = case.instance
    return one.worst(_given(case, step_size))


SLANTED = Ridges(((3, 4), (-4, 3)), (quadratic("1/25"), huber("1/2", "1/50")))
DESCENTS = (
    Case(in_one_variable(huber("1/3"), 1), n_rounds=1),
    Case(in_one_variable(huber("1/7", 2), 1), n_rounds=3),
    Case(in_one_variable(Pieces((-1, "-1/10", "1/5"), (0, 2, 1, "1/3")), 5), n_rounds=4),
    Case(Descent(SLANTED, (5, 1)), n_rounds=7),
    Case(
        Descent(Ridges(((1, 0), (1, 1), (2, -1)), (huber(1, 2), quadratic("1/3"), huber("1/2"))), (3, -4)), n_rounds=5
    ),
)
HUBERS = (*(Case(WorstHuber(n)) for n in (1, 2, 3, 10)), Case(WorstHuber(50, "3/7", 20)))
STEPS = tuple(Case(OneStep("2/3", 3), step_size=s) for s in ("9/4", "3/2", "3/20", "14/5", 3))
OF_ONE = tuple(
    Case(c.instance, n_rounds=1, step_size=s) for c, s in zip(DESCENTS, ("3/2", "1/2", "7/10", 1, "1/9"), strict=True)
)
_GAP = of_case("f(x_t) - f*", gap, ENERGY)
_WORST = of_case("the largest f(x_1) - f*", worst_after_one, ENERGY)
GRADIENT_DESCENT = (
    always(
        "C3",
        "Gradient descent with the step 1/L on a convex L-smooth f: f(x_t) - f* <= L|x_0 - x*|^2/(2(2t - 1))",
        GD_PRINTED,
        _GAP,
        DESCENTS,
        drawn("background", "descents"),
        kind="upper bound",
        remark="(3) writes t + 1 for our t: it is the sharp bound of one step fewer.",
    ),
    always(
        "C3",
        "Gradient descent with the step 1/L on a convex L-smooth f: f(x_t) - f* <= L|x_0 - x*|^2/(4t + 2)",
        GD_SHARP,
        _GAP,
        DESCENTS,
        drawn("background", "descents"),
        kind="upper bound",
    ),
    always(
        "C3-attained",
        "and no less for any t: a Huber function has f(x_t) - f* = L|x_0 - x*|^2/(4t + 2)",
        of.GD_ATTAINED,
        of_instance("f(x_t) - f*", lambda one: one.gap, ENERGY),
        HUBERS,
        drawn("background", "worst_hubers"),
        kind="lower bound",
        more=lambda: tuple(Case(WorstHuber(n)) for n in range(4, 51) if n != 10),
    ),
    always(
        "C3-optimal",
        "1/L is the optimal step: no step guarantees less than L|x_0 - x*|^2/6 after one step",
        of.OPTIMAL_STEP,
        _WORST,
        STEPS[:1],
        drawn("background", "one_steps"),
        expected="violated",
        remark='In the minimax sense 3/(2L) guarantees L|x_0 - x*|^2/8. The paper puts "optimal" in quotes and gives the '
        "rate of 1/L, which is true (C3).",
    ),
    always(
        "C3-step",
        "f(x_1) - f* <= L|x_0 - x*|^2/2 max{1/(2Lη + 1), (1 - Lη)^2} for every step η <= 2/L",
        of.ONE_STEP,
        of_case("f(x_1) - f*", gap_after_one, ENERGY),
        OF_ONE,
        drawn("background", "descents", one_step=True),
    ),
    always(
        "C3-step-attained",
        "and no less: a Huber function or a quadratic attains it",
        of.ONE_STEP_ATTAINED,
        _WORST,
        STEPS,
        drawn("background", "one_steps"),
    ),
    always(
        "C3-optimal",
        "3/(2L) is the optimal step: no step guarantees less than L|x_0 - x*|^2/8 after one step",
        of.BEST_STEP,
        _WORST,
        (*STEPS, Case(OneStep(), step_size=5)),
        drawn("background", "one_steps"),
    ),
)

# A step for the least smooth client ---------------------------------------------------------------------------------


def left_after(case: Case) -> Fraction:
    """What n_rounds steps leave of the squared distance."""
    one: Any = case.instance
    return one.left(_given(case, T))


TWO = CommonStep((1, 100), ((0, 0), (1, 2)), (3, "1/2"))
THREE = CommonStep(("1/50", 3, 7), ((1,), (2,), (5,)), (0,))
SLOW = (Case(TWO, n_rounds=10), Case(THREE, n_rounds=9), Case(CommonStep((1, 10**6), ((0,), (1,)), (1,)), n_rounds=50))
_LEFT = "|x_t - x_j*|^2 / |x_0 - x_j*|^2"
COMMON_STEP = (
    always(
        "C-Lmax",
        "With the step 1/L_max a step leaves 1 - L_j/L_max of the distance to the minimiser of f_j",
        of.SLOWEST,
        of_instance(_LEFT, lambda one: one.left(1)),
        (Case(TWO), Case(THREE)),
        drawn("background", "common_steps"),
        remark="On f_j = L_j/2 |x - c_j|^2.",
    ),
    always(
        "C-Lmax-slow",
        "With the step 1/L_max the convergence of f_j can be arbitrarily slow: t steps leave at least 1 - 2tL_j/L_max",
        of.ARBITRARILY_SLOW,
        of_case(_LEFT, left_after),
        SLOW,
        drawn("background", "common_steps", n_rounds=True),
        remark="As close to 1 as one likes, for L_max large enough.",
    ),
)

# Footnote 1: rule (4) and the smoothness between two points -----------------------------------------------------------


def smoothness_by_step(one: RuleStep) -> Fraction:
    """(2 step |change of the gradient| / |change of the point|)^2."""
    return 4 * one.squared_step * one.change


def wrong_about_equality(one: RuleStep) -> int:
    """1 where there is equality without the first entry being active, or the other way round."""
    return int((smoothness_by_step(one) == 1) != one.first_is_active)


RULE_STEPS = (
    Case(RuleStep(SLANTED, (5, 1), (4, 2), 1)),
    Case(RuleStep(SLANTED, (5, 1), (4, 2), "1/10", 3)),
    Case(RuleStep(SLANTED, (5, 1), ("1/2", "1/3"), 10)),
    Case(RuleStep(Ridges(((1,),), (Quartic(),)), (2,), (1,), "1/14", "24/25")),
    Case(RuleStep(Ridges(((1,),), (huber(1),)), (3,), (2,), 1)),
)
_RULE_STEPS = drawn("background", "rule_steps")
STEP_RULE = (
    always(
        "C-fn1",
        "|∇f_i(x_t) - ∇f_i(x_{t-1})| <= |x_t - x_{t-1}|/(2η_t) for the step η_t of rule (4)",
        of.STEP_RULE,
        of_instance("(2η_t |∇f_i(x_t) - ∇f_i(x_{t-1})| / |x_t - x_{t-1}|)²", smoothness_by_step),
        RULE_STEPS,
        _RULE_STEPS,
    ),
    always(
        "C-fn1-equal",
        "with equality where the first entry of rule (4) is active, and nowhere else",
        of.STEP_RULE_EQUAL,
        of_instance("[equality] ≠ [first entry active]", wrong_about_equality),
        RULE_STEPS,
        _RULE_STEPS,
    ),
)

CLAIMS: tuple[Claim, ...] = (*GRADIENT_DESCENT, *COMMON_STEP, *STEP_RULE)
