"""Theorem 5: the averaged iterate of rule (4) in the readings that the text allows, and mended; S_t of (42)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.statement import quantity
from fltheory.model.case import Assumption, Case
from fltheory.number import as_number, evaluate_ball, to_ball
from fltheory.papers.delta_sgd.bounds import (
    FIRST_CAP,
    MODEST,
    NEAR,
    SUM,
    SUM_LEAST,
    SUM_PRINTED,
    T5_APART,
    T5_FIXED,
    T5_MET,
    T5_PRINTED,
    T5_RANGE,
    T5_SHARED,
    T5_SUM,
    T5_UNCAPPED,
    T5_WEIGHT,
)
from fltheory.papers.delta_sgd.convex.cases import (
    APART,
    COUPLED,
    CURVES,
    case_of_run,
    disjoint,
    huber,
    line,
    null_direction,
)
from fltheory.papers.delta_sgd.convex.claims.convex import (
    ALONE,
    AT_MINIMISER,
    COMMON,
    LONG_STEPS,
    MANY,
    MANY_CLIENTS,
    MOVES,
    ONE_CLIENT,
    SHORT_STEPS,
    SINGLE,
    WIDER,
    families,
    half,
    kept,
    runs,
)
from fltheory.papers.delta_sgd.convex.closed_forms.conditions import a_step_overshoots, steps_differ
from fltheory.papers.delta_sgd.convex.closed_forms.measures import AverageGap, Near, StepSum, jensen
from fltheory.papers.delta_sgd.notation import D, L, T, eta_0, theta_0
from fltheory.papers.delta_sgd.rule.claims.rule import UNPACED, of_rule
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow, refine_until_narrow
from fltheory.problems.convex import ConvexClients, LogCosh, Quadratic
from fltheory.runs.step_rule import StepRule


def _of_the_run(case: Case) -> str | None:
    """Return None: only the run of the rule under test decides."""
    return None


def _why_not_capped_above(rule: StepRule, case: Case) -> str | None:
    """Return why sqrt(1 + theta_0) eta_0 >= 1/(2 L) may fail, with L the local smoothness of the run, or None."""
    smoothness = to_ball(as_number(refine_until_narrow(lambda: follow(rule, case, "B").local_smoothness)))
    cap = evaluate_ball(FIRST_CAP, case.constants)
    return None if 2 * smoothness * cap >= 1 else "sqrt(1 + θ_0) η_0 may be below 1/(2 L)"


def _why_not_capped_apart(rule: StepRule, case: Case) -> str | None:
    """Return why this may fail for some client, with the least of their constants on the hull of the run, or None."""
    h = refine_until_narrow(lambda: follow(rule, case, "A"))
    every = [x for xs in h.points for x in xs]
    cap = evaluate_ball(FIRST_CAP, case.constants)
    least = [to_ball(as_number(f.smoothness_between(every))) for f in h.instance.objectives]
    return None if all(2 * v * cap >= 1 for v in least) else "sqrt(1 + θ_0) η_0 may be below 1/(2 L_i)"


def _why_not_capped(case: Case) -> str | None:
    return None if theta_0 in case.constants else "nothing caps the first step: see the reading without θ_0"


def _why_not_uncapped(case: Case) -> str | None:
    return "θ_0 is given" if theta_0 in case.constants else None


CAP_ABOVE = Assumption("the first growth cap is at least 1/(2 L)", _of_the_run, _why_not_capped_above)
CAP_ABOVE_APART = Assumption("the first growth cap is at least 1/(2 L_i) for every client", _of_the_run, _why_not_capped_apart)
CAPPED, UNCAPPED = Assumption("θ_0 is finite", _why_not_capped), Assumption("θ_0 is infinite", _why_not_uncapped)
APART_LIMITS = (COMMON, AT_MINIMISER, CAPPED, CAP_ABOVE_APART, UNPACED)

# Cases ------------------------------------------------------------------------------------------------------------------

STEEP = case_of_run(null_direction(10**6, "0.49888"), 2, 1, 99)  # 13.9 times the printed bound
LEANING = case_of_run(null_direction(100, "2/5"), 2, 1, 99)
# Equal clients, whose steps the growth rule limits.
FLAT = case_of_run(ConvexClients((Quadratic((("1/100",),), (0,)),) * 2, 1), 5, 1)
# With theta_0 = 2 still 1.03 times the printed bound.
STEEP_PAIR = case_of_run(
    ConvexClients((Quadratic(((3000,), (0, 0)), (0, 0)), Quadratic(((3000,), (-420, 59)), (0, 0))), ("7/100", 1)), 3, 1,
    3)
CROSSED = case_of_run(ConvexClients((Quadratic((5, (-10, 20)), (0, 0)), Quadratic((45, (-15, 5)), (0, 0))), (-4, -2)),
    3, 1)  # both flat in a direction
SMALL = tuple(case for case in SINGLE if theta_0 in case.constants)
UNIT = (
    case_of_run(line(("1/2",)), 10, 1),
    case_of_run(huber(3), 10, "1/2", 3),
    case_of_run(CURVES, 10, "1/2", 1),
    case_of_run(huber(50, 1, "1/2"), 20, 1),
)
FREE = (
    case_of_run(line((3,)), 10, "1/10000", None),
    case_of_run(CURVES, 10, "1/1000", None),
    case_of_run(line((1,)), 50, "1/5", None),
)
_STEEP, _LEAN = 10**4, Fraction(1, 100)  # two steep clients that overshoot in nearly opposite directions
OPPOSITE = ConvexClients(
    tuple(Quadratic(((_STEEP,), (s * _STEEP * _LEAN, _STEEP * _LEAN**2)), (0, 0)) for s in (1, -1)), (0, 1))
# A ridge each: both overshoot far in opposite directions, cross a long slope in two steps and then move by 1/(2 L).
# 1.08 times the printed bound, and more for longer runs
RIDGES = case_of_run(ConvexClients(tuple(LogCosh(((1000, s),)) for s in ("1/2", "-1/2")), (0, "1/10000")), 300, 1)
TWO = (
    case_of_run(OPPOSITE, 1, 1),
    case_of_run(line((1, 10)), 6, 1),
    case_of_run(disjoint(), 8, 1),
    case_of_run(ConvexClients((Quadratic((("13/10",),), (0,)), Quadratic((("27/10",),), (0,))), 1), 1, 1),
)
_ROUND = ConvexClients((Quadratic(((2, 0), (0, 2)), (0, 0)), Quadratic(((7, 1), (1, 5)), (0, 0))), (3, -1))
SHORT = (
    FLAT,
    TWO[1],
    case_of_run(line((1, 10), None, 3), 6, "1/50", 3),
    case_of_run(line((1, 10), None, 3), 6, "1/50", 40, 2),  # with the amplifier of the experiments
    case_of_run(_ROUND, 8, "1/10"),
    case_of_run(_ROUND, 5, 1, 3, "1/2", growth_damping="1/10"),
    case_of_run(line(("1/100", 100)), 4, "1/10", 10),
)
ALIKE = (
    FLAT,
    case_of_run(ConvexClients((COUPLED.objectives[1],) * 3, (2, -1)), 8, "1/10"),
    case_of_run(ConvexClients((Quadratic(((3,),), (0,)), Quadratic(((3,),), (2,))), 5), 6, "1/100", 8),  # no common minimiser
    case_of_run(ConvexClients((huber(100).objectives[0],) * 2, 100), 6, "1/10", 1, "1/2"),
)
WIDE = (*WIDER, case_of_run(huber("2003/20"), 30, 100, 1, "7/5"), case_of_run(line(("1/2",)), 10, 1, 1, "1.414"))
SHARED = case_of_run(line((1, 10), (0, 1)), 100, "1/2")
_GAP = "the mean over the clients of f_i(x~^i_t) - f_i(x*), x~^i_t their averages weighted by (42),"
_RATE = f"{_GAP} is at most 2 D L²/(2 L t + 1)"
_SHARING = "clients share the server's iterate"
_MINIMUM = "min{γ/(2 L), sqrt(1 + δ θ_0) η_0}"

SINGLE_RUNS = runs(**ONE_CLIENT)
SYNCHRONOUS: dict[str, Any] = {"cases": (*MANY, case_of_run(APART, 40, "1/10")), "family": runs(**MANY_CLIENTS)}
ALIKE_STEPS: dict[str, Any] = {"cases": ALIKE, "family": lambda: families().alike_runs()}
theorem = partial(of_rule, place="Theorem 5", kind="theorem")
apart = theorem("T5-A", measure=AverageGap("A"), cases=TWO, family=runs(first="small"), assumptions=APART_LIMITS,
    inconsistent_units=True)

SEVERAL = (
    theorem("T5-B", measure=AverageGap("B"), family=lambda: families().long_runs(), assumptions=(AT_MINIMISER, UNPACED),
        inconsistent_units=True).printed(f"With local steps of rule (4) {_RATE} ({_SHARING}).", T5_PRINTED,
        counterexamples=(SHARED,),
        remark="without a common minimiser the run ends where the clients' normalised gradients balance, not at x*"),
    theorem("T5-B-common", measure=AverageGap("B"), family=lambda: families().leaning(),
        assumptions=(COMMON, AT_MINIMISER, UNPACED), inconsistent_units=True).printed(
        f"Where the clients have a common minimiser, {_RATE} ({_SHARING}).", T5_PRINTED,
        counterexamples=(STEEP, LEANING, case_of_run(null_direction(10**6, "0.49"), 2, 1, 24), FLAT, STEEP_PAIR)),
    theorem("T5-B-common", measure=AverageGap("B", unless=a_step_overshoots), cases=SHORT,
        family=lambda: families().short_runs(), assumptions=(COMMON, AT_MINIMISER, CAPPED, UNPACED)).corrected(
        "Where the clients have a common minimiser and no client's step overshoots (none does up to 1/L_i), "
        f"{_GAP} is at most (1 + Θ) D/(2 (t h + h²/η_0)), h = {_MINIMUM}, "
        f"Θ = max{{sqrt(1 + δ θ_0), (δ + sqrt(δ² + 4))/2}} ({_SHARING}).", T5_SHARED,
        remark="a step eta overshoots where eta |g|² > 2 (<g, x_t - x*> - (f_i(x_t) - f_i(x*))); any amplifier; whether the "
        "factor 1 + Θ is needed is open"),
    theorem("T5-B-equal", measure=AverageGap("B", unless=steps_differ), assumptions=(AT_MINIMISER, CAPPED, UNPACED),
        **ALIKE_STEPS).corrected(
        "Where all clients' steps agree in every round, as those of equal clients do, "
        f"f(x~_t) - f* <= D/(2 (t h + h²/η_0)), h = {_MINIMUM} ({_SHARING}).", T5_FIXED),
    theorem("T5-B-equal", measure=AverageGap("B", unless=steps_differ), assumptions=(AT_MINIMISER, UNPACED),
        **ALIKE_STEPS).strengthened(
        f"Where all clients' steps agree in every round f(x~_t) - f* <= D/(2 S_t) ({_SHARING}).", T5_SUM),
    theorem("T5-C", measure=AverageGap("C"), family=lambda: families().leaning(),
        assumptions=(COMMON, AT_MINIMISER, UNPACED), inconsistent_units=True).printed(
        f"Where the clients have a common minimiser, {_RATE} (clients step once from the server's iterate).",
        T5_PRINTED, counterexamples=(CROSSED,)),
    theorem("T5-A-meets", measure=AverageGap("A", met=True), family=lambda: families().apart_runs(),
        assumptions=(COMMON, AT_MINIMISER, UNPACED), inconsistent_units=True).strict(
        "For clients that never communicate f at the mean of their averages is at most 2 D L²/(2 L t + 1).", T5_MET,
        counterexamples=(case_of_run(disjoint(), 40, 1),),
        remark='(39) bounds the mean of f_i at the clients\' own averages; that this "implies convergence for problem (1)" needs '
        "averages that meet, and they never do."),
    apart.explicit(
        f"For clients that never communicate and share a minimiser {_RATE}, if η_0 <= 1 and no first cap is below 1/(2 L_i).",
        T5_RANGE, family=lambda: families().ridges(), counterexamples=(RIDGES,),
        remark="the mean of the clients' first iterates is near x*, the iterates are not: D counts half of their squared "
        "distance. It is proved with a factor 3. The ratio grows with steepness and rounds: 1.26 in 1,000 rounds at 1e5."),
    apart.corrected(f"The same with a factor 3: {_GAP} is at most 6 D L²/(2 L t + 1).", T5_APART),
)

one_client = partial(theorem, measure=AverageGap("B"), family=SINGLE_RUNS)
ONE = (
    theorem("T5-one", measure=AverageGap("B"), family=runs(most=1), assumptions=(ALONE, AT_MINIMISER, CAPPED, UNPACED),
        inconsistent_units=True).printed(f"For one client {_RATE}.", T5_PRINTED,
        counterexamples=(case_of_run(line(("1/100",)), 1, 50), case_of_run(line((1,)), 3, "1/100")),
        remark="the proof sets η_0 = 1 and ignores that the growth rule may limit the step size"),
    theorem("T5-one", measure=AverageGap("B"), cases=UNIT, family=runs(most=1, first="small"),
        assumptions=(ALONE, AT_MINIMISER, CAPPED, CAP_ABOVE, UNPACED), inconsistent_units=True).explicit(
        f"For one client {_RATE} if η_0 <= 1 and sqrt(1 + θ_0) η_0 >= 1/(2 L).", T5_RANGE),
    one_client("T5-one", cases=(*SMALL, case_of_run(line((1,)), 300, "1/5"), case_of_run(huber(20), 100, "1/5")),
        assumptions=(ALONE, AT_MINIMISER, CAPPED, UNPACED)).corrected(
        f"For one client f(x~_t) - f* <= D/(2 (t h + h²/η_0)), h = {_MINIMUM}.", T5_FIXED),
    one_client("T5-one", cases=(*SINGLE, *FREE), assumptions=(ALONE, AT_MINIMISER, UNPACED)).strengthened(
        "For one client f(x~_t) - f* <= D/(2 S_t), S_t the sum of the steps and of η_1 θ_1.", T5_SUM, tightest=FREE[0]),
    theorem("T5-weight", measure=AverageGap("B", moved=True), cases=(*SINGLE, *FREE, *WIDE),
        family=runs(most=1, amplifiers=("1/4", 1, "1.3", "1.414"), dampings=(0, "1/10", 1)),
        assumptions=(ALONE, AT_MINIMISER, UNPACED)).strengthened(
        "For one client f(x~_t) - f* <= D'/(2 S_t), D' being D with γ²/(4 - γ²) in place of 1/2 before the first move, for all γ "
        "<= sqrt(2).", T5_WEIGHT, tightest=FREE[0]),
    one_client("T5-smaller", rule=half, cases=SMALL, assumptions=(ALONE, AT_MINIMISER, UNPACED)).strengthened(
        "The same with any smaller steps: here half of rule (4)'s.", T5_SUM),
    theorem("T5-free", measure=AverageGap("B"), cases=FREE, family=lambda: families().uncapped(),
        assumptions=(ALONE, AT_MINIMISER, UNCAPPED, UNPACED)).corrected(
        "For one client whose first step has no growth cap the same with h = γ/(2 L).", T5_UNCAPPED),
)

SYNC = (
    theorem("T5-sync", measure=AverageGap("step"), assumptions=(AT_MINIMISER, CAPPED, UNPACED), **SYNCHRONOUS).corrected(
        "With the smallest of the clients' proposals as everybody's step f(x~_t) - f* <= D/(2 (t h + h²/η_0)), h = min{γ/(2 max "
        "L_i), sqrt(1 + δ θ_0) η_0}; no common minimiser is needed.", T5_FIXED),
    theorem("T5-sync", measure=AverageGap("step"), assumptions=(AT_MINIMISER, UNPACED), **SYNCHRONOUS).strengthened(
        "With the smallest of the clients' proposals as everybody's step f(x~_t) - f* <= D/(2 S_t).", T5_SUM),
)

# Algorithm 1 as stated, with one local step: a constant step size
LETTER = (
    theorem("T5-letter", measure=AverageGap("B"), rule=kept, assumptions=(AT_MINIMISER, UNPACED),
        family=runs(first="unit"), inconsistent_units=True).strict(
        "Algorithm 1 to the letter with one local step, (39): at most 2 D L²/(2 L t + 1).", quantity <= T5_PRINTED.expr,
        given=T5_PRINTED.conditions, counterexamples=(LONG_STEPS[0], case_of_run(line((3, 4), (0, 0)), 6, 1)),
        remark="η_0 = 1, as the proof assumes, and L > 2: the iterates diverge."),
    theorem("T5-letter", measure=AverageGap("B"), rule=kept, assumptions=(AT_MINIMISER, UNPACED),
        family=runs(centres="apart")).corrected(
        "Algorithm 1 to the letter with one local step: f(x~_t) - f* <= D/(2 η_0 (t + 1)), if η_0 <= 1/(2 L); no common minimiser "
        "is needed.", quantity <= D / (2 * eta_0 * (T + 1)), given=[2 * L * eta_0 <= 1],
        note="FedSGD with a step size that the first entry of (4) allows; S_t = (t + 1) η_0",
        cases=tuple(c for c in SHORT_STEPS if L in c.constants)),
)

DISTANCES = (
    of_rule("T5-near", "Theorem 5", Near("B"), cases=SINGLE, family=SINGLE_RUNS,
        assumptions=(ALONE, AT_MINIMISER, UNPACED)).explicit("For one client ||x_t - x*||² <= D for all t >= 1.", NEAR),
    of_rule("T5-near-sync", "Theorem 5", Near("step"), cases=MANY, family=SYNCHRONOUS["family"],
        assumptions=(AT_MINIMISER, UNPACED)).explicit(
        "With the smallest of the clients' proposals as everybody's step ||x_t - x*||² <= D for all t >= 1.", NEAR),
)

_TWICE_D = "|x_1 - x*|² + mean |x^i_1 - x^i_0|²/2 + 2 S^i_t (f_i(x~^i_t) - f_i(x*)) is at most D"
EQUATION_43 = (
    of_rule("43", "(43)", jensen("B", False), family=SINGLE_RUNS, assumptions=(ALONE, AT_MINIMISER, UNPACED)).printed(
        f"(43): {_TWICE_D}, for one client.", quantity <= 1,
        counterexamples=(case_of_run(line((1,)), 1, 2, 1), case_of_run(line((2,)), 3, 1, 1)),
        remark="D contains these two squares already, and telescoping leaves those at the end of the run, |x_{t+1} - x*|² and "
        "|x_{t+1} - x_t|²/2. The conclusion, 2 S_t (f(x~_t) - f*) <= D, is true for one client. For several it compares one "
        "client's sum with the mean D."),
    of_rule("43", "(43)", jensen("B", True), cases=(*SMALL, *FREE[:2]), family=SINGLE_RUNS,
        assumptions=(ALONE, AT_MINIMISER, UNPACED)).corrected(
        "|x_{t+1} - x*|² + |x_{t+1} - x_t|²/2 + 2 S_t (f(x~_t) - f*) is at most D, for one client.", quantity <= 1,
        given=MODEST, note="the squares at the end of the run"),
)

SUMS = (
    of_rule("T5-weights", "(42)", StepSum("B"),
        cases=(SMALL[2], case_of_run(line((7,)), 3, 2), case_of_run(huber(3, 1, 2), 2, "1/2", 3)), family=runs(most=1),
        assumptions=(ALONE, UNPACED)).printed("(42): the weights sum to the steps and η_1 θ_1.", SUM),
    of_rule("T5-sum", "after (43)", StepSum("B", direct=True), cases=SMALL, family=SINGLE_RUNS,
        assumptions=(ALONE, CAPPED, MOVES, UNPACED)).corrected(f"S_t >= t h + h²/η_0, h = {_MINIMUM}.", SUM_LEAST),
    of_rule("T5-sum", "after (43)", StepSum("B", direct=True), family=runs(most=1, first="small"),
        assumptions=(ALONE, CAPPED, MOVES, UNPACED), inconsistent_units=True).printed(
        "S_t >= t/(2 L) + 1/(4 L²), as after (43).", SUM_PRINTED,
        counterexamples=(case_of_run(line((1,)), 3, "1/100"),), remark="the floor 1/(2 L) ignores the growth rule"),
)

CLAIMS: tuple[Claim, ...] = (*SEVERAL, *ONE, *SYNC, *LETTER, *DISTANCES, *EQUATION_43, *SUMS)
