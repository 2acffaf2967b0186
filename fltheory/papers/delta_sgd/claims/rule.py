"""The step-size rule itself, line 9 of Algorithm 1: growth, floor, ceiling, units (R1-R6), and what is said of its inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.number.mixed import in_ring, is_zero, root, row
from fltheory.papers.delta_sgd.bounds import FLOOR, FLOOR_LATER, FLOOR_PRINTED, GROWTH
from fltheory.papers.delta_sgd.bounds import rule as of
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.data.convex_instances import APART, CURVES, FOURTH, KINKS, huber, line, run
from fltheory.papers.delta_sgd.data.rule_instances import InOtherUnits, RatioLimit
from fltheory.papers.delta_sgd.exact import rule_measures as along
from fltheory.papers.delta_sgd.exact.batch_floor import BatchFloor
from fltheory.papers.delta_sgd.exact.fixed_points import curvature_and_centre
from fltheory.papers.delta_sgd.exact.rule_measures import given
from fltheory.papers.delta_sgd.exact.rule_runs import finely
from fltheory.papers.delta_sgd.letters import T, gamma, theta_0
from fltheory.papers.delta_sgd.letters import delta as growth_damping
from fltheory.problems.convex import ConvexClients, Huber, Quadratic
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.client_optimiser import Batches
from fltheory.runs.measures import DirectMeasure
from fltheory.runs.step_rule import StepRule, auto_tuned, squared
from fltheory.statement import Family


def ruled(
    name: str, statement: str, bound: Bound, measure: Any, cases: tuple[Case, ...], family: Family, **more: Any
) -> Claim:
    """A statement about every run of the step-size rule, which a rule of one's own may replace."""
    return replace(always(name, statement, bound, measure, cases, family, **more), algorithm=auto_tuned)


def _plain(case: Case) -> str | None:
    return "clients begin with different step sizes" if getattr(case.instance, "pace", None) else None


def _moves(case: Case) -> str | None:
    instance: Any = case.instance
    x = row(instance.start)
    still = any(is_zero(squared(f.gradient(x))) for f in instance.objectives)
    return "a client starts where its gradient is 0" if still else None


def _of_the_run(case: Case) -> str | None:
    return None  # only the run of the rule that is judged tells


def _linear(rule: StepRule, case: Case) -> str | None:
    return None if finely(lambda: along.unchanging(case, rule)) else "a gradient changes along the run"


def _unamplified(case: Case) -> str | None:
    return None if case.constants[gamma] == 1 else "rule (4) has the amplifier 1"


def _isotropic(case: Case) -> str | None:
    instance: Any = case.instance
    if len({curvature_and_centre(f)[0] for f in instance.objectives}) > 1:
        return "the curvatures differ"
    return None


def _first_acts(rule: StepRule, case: Case) -> str | None:
    along.require_ratio(case)
    ratio = given(case, theta_0)
    acts = finely(lambda: along.first_entry_acts(case, rule, min(ratio, 1)))
    return None if acts else "the growth entry decides the first computed step"


PLAIN = Assumption("clients begin with the initial step size", _plain)
MOVES = Assumption("every client moves at first", _moves)
LINEAR = Assumption("clients move, and their gradients stay the same", _of_the_run, _linear)
UNAMPLIFIED = Assumption("rule (4)", _unamplified)
ISOTROPIC = Assumption("isotropic quadratics of one curvature", _isotropic)
FIRST_ACTS = Assumption(
    "the first entry decides the first computed step, with the ratio 1 too", _of_the_run, _first_acts
)

# R1: growth -----------------------------------------------------------------------------------------------------------

SLOPES = ConvexClients((Huber((1, 3), (1, "1/2"), (0, 0)),), (50, -60))
FAR = ConvexClients(SLOPES.objectives, (10**5, -(10**5)))
FLAT = (
    run(huber(100), 8, "1/10"),
    run(huber(3000), 30, "1/5", 3, growth_damping="1/10"),
    run(SLOPES, 4, "1/100", 80, 2),
    run(huber(-50, 2, "1/3"), 5, 1, "1/2", growth_damping=0),
)
RUNS = (
    run(KINKS, 6, "1/10", 4),
    run(FOURTH, 6, "1/20", 3),
    run(CURVES, 5, "1/50", 1, 2),
    run(APART, 5, "1/40", 1, growth_damping="1/10"),
)


def _near_last(case: Case, ring: Ring) -> Any:
    """|g_t - theta_infinity|."""
    delta, ratio = given(case, growth_damping), given(case, theta_0)
    for _ in range(int(case.constants[T])):
        ratio = root(1 + delta * ratio)
    return in_ring(abs(ratio - (delta + root(delta * delta + 4)) / 2), ring)


_LOCAL = drawn("rule", "local_runs")
_FLAT = drawn("rule", "flat_runs")
LIMITS = tuple(
    Case(RatioLimit(r, d), n_rounds=t)
    for r, d, t in ((1, 1, 5), ("1/10", "1/10", 2), (1000, 1, 12), ("1/2", "3/2", 20), (2, "3/2", 1))
)
GROWTH_CLAIMS = (
    ruled(
        "R1",
        "η_t <= η_0 g_1 ... g_t with g_1 = sqrt(1 + δθ_0), g_{j+1} = sqrt(1 + δg_j)",
        GROWTH,
        along.Growth(),
        (*FLAT, *RUNS),
        _LOCAL,
        assumptions=(PLAIN,),
    ),
    ruled(
        "R1-attained",
        "with equality as long as the gradient stays the same",
        of.GROWTH_ATTAINED,
        along.Growth("least"),
        FLAT,
        _FLAT,
        assumptions=(PLAIN, LINEAR),
    ),
    ruled(
        "R1-ratio",
        "θ_t <= max{sqrt(1 + δθ_0), (δ + sqrt(δ^2 + 4))/2}: 1.618 for δ = 1",
        of.RATIO,
        along.Ratios(),
        (*FLAT, *RUNS),
        _LOCAL,
    ),
    always(
        "R1-limit",
        "|g_t - θ_∞| <= (δ/(1 + θ_∞))^t |θ_0 - θ_∞|: the caps converge to θ_∞ = (δ + sqrt(δ^2 + 4))/2",
        of.NEAR_LAST_RATIO,
        DirectMeasure("|g_t - θ_∞|", _near_last),
        LIMITS,
        drawn("rule", "limits"),
    ),
)

# R2: floor ------------------------------------------------------------------------------------------------------------

FLOORS = (
    run(line((1, 4), (0, 1), 3), 4, 2),
    run(line((1, 4), (0, 1), 3), 4, "1/100", 1, 2),
    run(huber(5, 3), 6, "1/4"),
    run(KINKS, 6, "1/10", 4),
    run(CURVES, 5, 2, 1, "1/2"),
)


def one_client(noise: Any, steps: int = 2, curvature: Any = 1, **settings: Any) -> Case:
    """A local run on h x^2/2 from 1 with noise of this size, one of two signs for every mini-batch."""
    chosen = {"initial_step_size": 1, "initial_ratio": 1, "amplifier": 1, "growth_damping": 1, **settings}
    instance = QuadraticClients((curvature,), (0,), 1, noise_std=noise)
    return Case(instance, n_rounds=1, n_local_steps=steps, **chosen)


_TWO_PARTS = FiniteSumQuadraticClients(((1, 3),), ((0, 1),), 1)
NOISY = (
    one_client(1),
    one_client("1/3", 3, 2, amplifier=2, initial_step_size="1/5"),
    Case(
        _TWO_PARTS,
        n_rounds=1,
        n_local_steps=3,
        initial_step_size="1/4",
        initial_ratio=1,
        amplifier=1,
        growth_damping="1/10",
    ),
)
COLLAPSING = (one_client(10), one_client(3, 2, "1/5", amplifier=2))
_NOISY = drawn("rule", "noisy_runs")


def batch_floor(batches: Batches, how: str, holds: bool) -> Claim:
    """R2 for a way to draw the mini-batches."""
    return ruled(
        f"R2-{batches}",
        f"η_k >= min{{η_0, γ/(2L)}} with {how}, L for every mini-batch's gradient",
        of.FLOOR_BATCH if holds else of.FLOOR_ANY_BATCH,
        BatchFloor(batches),
        NOISY if holds else COLLAPSING,
        _NOISY,
        expected="holds" if holds else "violated",
        remark=""
        if holds
        else "The noise of two mini-batches, divided by a short way, is no curvature: the steps collapse.",
    )


FLOOR_CLAIMS = (
    ruled(
        "R2",
        "η_t >= 1/(2L) for t >= 1, by definition",
        FLOOR_PRINTED,
        along.Steps("least"),
        (run(line((1,)), 1, "1/100"), run(huber(2), 3, "1/50")),
        drawn("rule", "local_runs", smooth=True, amplified=False),
        assumptions=(MOVES, UNAMPLIFIED),
        expected="violated",
        remark="The proof of Theorem 5 takes the first entry for the minimum: the growth entry is forgotten.",
    ),
    ruled(
        "R2",
        "η_t >= min{η_0, γ/(2L)} for clients with L-Lipschitz gradients",
        FLOOR,
        along.Steps("least", 0),
        FLOORS,
        drawn("rule", "local_runs", smooth=True),
        assumptions=(PLAIN,),
    ),
    ruled(
        "R2-later",
        "η_t >= min{sqrt(1 + δθ_0) η_0, γ/(2L)} for t >= 1",
        FLOOR_LATER,
        along.Steps("least"),
        FLOORS,
        drawn("rule", "local_runs", smooth=True),
        assumptions=(PLAIN, MOVES),
        remark="A client that does not move keeps its step size.",
    ),
    batch_floor("pair", "two gradients on one mini-batch", True),
    batch_floor("same", "both gradients on the mini-batch that moves the client next", True),
    batch_floor("reuse", "the gradients that moved and will move the client", False),
    batch_floor("fresh", "a mini-batch for every gradient", False),
)

# R3: ceiling ----------------------------------------------------------------------------------------------------------

CEILINGS = (
    run(line((2,), (1,), 3), 3, 5, 2, 2),
    run(FOURTH, 6, "1/20", 3),
    run(CURVES, 5, 1, 1, 2),
    run(APART, 5, "1/40"),
)
CEILING_CLAIMS = (
    ruled(
        "R3",
        "η_t <= γ/(2μ) for t >= 1 where |∇f_i(x_t) - ∇f_i(x_{t-1})| >= μ|x_t - x_{t-1}| all along",
        of.CEILING_OF_RUN,
        along.Ceiling(),
        CEILINGS,
        drawn("rule", "local_runs", curved=True),
    ),
    ruled(
        "R3-gamma",
        "By definition η_t = O(γ): with η_0 no step exceeds 1000 times the larger of η_0 and γ/(2L)",
        of.OF_ORDER,
        along.Steps(),
        (run(huber(10**5), 20, "1/10"), run(FAR, 12, "1/100", 3 * 10**6)),
        drawn("rule", "far_runs"),
        assumptions=(PLAIN,),
        expected="violated",
        remark="No other number of times would do for all K: where the gradient stays the same, steps grow exponentially.",
    ),
    ruled(
        "R3-gamma",
        "η_t <= η_0 max{sqrt(1 + δθ_0), θ_∞}^t",
        of.EXPONENTIAL,
        along.Steps(),
        (*FLAT, *RUNS),
        _LOCAL,
        assumptions=(PLAIN,),
        remark="With η_0 = O(γ) every step is O(γ), but by a factor that is exponential in K.",
    ),
    ruled(
        "R3-gamma-attained",
        "η_t >= η_0 min{sqrt(1 + δθ_0), θ_∞}^t as long as the gradient stays the same",
        of.EXPONENTIAL_ATTAINED,
        along.Steps("least", -1),
        FLAT,
        _FLAT,
        assumptions=(PLAIN, LINEAR),
    ),
)

# R4-R6: ratios, units, the first entry --------------------------------------------------------------------------------

ISOTROPIC_PLANE = ConvexClients((Quadratic(((2, 0), (0, 2)), (1, -1)),), (3, "1/2"))
_TURN = (("3/5", "4/5"), ("-4/5", "3/5"))
UNITS = (
    Case(InOtherUnits(line((1, 4), (0, 1), 3), 7, 3, shift=(5,)), **dict(FLOORS[1].settings)),
    Case(InOtherUnits(huber(9, 2), "1/5", 100), **dict(FLAT[0].settings)),
    Case(InOtherUnits(APART, 3, "1/2", _TURN, (1, -2)), **dict(RUNS[3].settings)),
    Case(InOtherUnits(FOURTH, 11, 2, shift=(0, 4)), **dict(RUNS[1].settings)),
    Case(InOtherUnits(CURVES, 1, "1/3", _TURN), **dict(RUNS[2].settings)),
)
RATIO_CLAIMS = (
    ruled(
        "R4",
        "η_{t+1} θ_{t+1} <= (1 + θ_t) η_t, for δ <= 1",
        of.NO_FASTER,
        along.RatioSquares(),
        (*FLAT, *RUNS),
        drawn("rule", "local_runs", damped=True),
    ),
    ruled(
        "R5",
        "In other units and axes, with η_0 in the new units, points and step sizes are the same",
        of.SAME,
        along.Deviation(),
        UNITS,
        drawn("rule", "other_units"),
    ),
    ruled(
        "R6",
        "On L|x - c|²/2 the first entry is γ/(2L) at every step that moves",
        of.FIRST_ENTRY,
        along.FirstEntry(),
        (run(line((3,), (1,), 4), 4, "1/10", 1, 2), run(ISOTROPIC_PLANE, 5, "1/7", 8)),
        drawn("rule", "isotropic_runs"),
        assumptions=(ISOTROPIC,),
    ),
)

# What is said of the inputs -------------------------------------------------------------------------------------------

_RATIO_ACTS = (
    run(line((1, 4), (0, 1), 3), 4, 2, 50),
    run(APART, 3, 2, 7, "1/2"),
    run(ISOTROPIC_PLANE, 4, "1/2", "1/3"),
)
INPUT_CLAIMS = (
    ruled(
        "S3-first",
        "A small η_0 prevents divergence in the first local step: η_0 <= 2/L is small enough",
        of.NO_DIVERGENCE,
        along.FirstStep(),
        (run(line((2,)), 1, 1), run(huber(5, 3), 1, "1/4"), run(CURVES, 1, "1/20")),
        drawn("rule", "local_runs", smooth=True, alone=True),
        assumptions=(PLAIN,),
        remark="Beyond 2/L a quadratic moves away from its minimiser.",
    ),
    ruled(
        "S3-ratio",
        "θ_0 can be arbitrary, as the first local iteration corrects it: later steps are those of θ_0 = 1",
        of.ARBITRARY,
        along.OtherRatio(),
        (run(line((1,)), 2, "1/100", 99), run(huber(20), 3, "1/10", 24)),
        _LOCAL,
        expected="violated",
        remark="The paper: θ_0 can be quite arbitrary, as it can be corrected there. "
        "The first computed step may be sqrt(1 + δθ_0) times η_0, and later ones build on it.",
    ),
    ruled(
        "S3-ratio",
        "The steps are those of θ_0 = 1 where the first entry decides the first computed one, with θ_0 and with 1",
        of.ARBITRARY_FIXED,
        along.OtherRatio(),
        _RATIO_ACTS,
        drawn("rule", "local_runs", smooth=True, large=True),
        assumptions=(FIRST_ACTS,),
    ),
    ruled(
        "B7-both",
        "Both entries are needed: in a run each of them decides a step",
        of.BOTH_ACT,
        along.BothAct(),
        (run(line((1,)), 5, 2), FLAT[0]),
        _LOCAL,
        assumptions=(MOVES,),
        expected="violated",
        remark="Figure 7 has a run in which they do; on an isotropic quadratic the second soon never does.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*GROWTH_CLAIMS, *FLOOR_CLAIMS, *CEILING_CLAIMS, *RATIO_CLAIMS, *INPUT_CLAIMS)
