"""The step-size rule, line 9 of Algorithm 1: growth, floor, ceiling, units (R1-R6), and statements on its inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from sympy import Abs, Eq, Min

from fltheory.claims.claim import Claim
from fltheory.claims.statement import (
    Constants,
    Statement,
    case_measure,
    corrected,
    imported_late,
    quantity,
    requires,
    strict,
)
from fltheory.model.bound import BoundError, Dimension
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import count
from fltheory.number import Number
from fltheory.number.mixed import Mixed, is_zero, largest, mixed_array, mixed_sqrt, to_mixed
from fltheory.papers.delta_sgd.algorithms.optimisers import released_rule
from fltheory.papers.delta_sgd.bounds import FIRST_RATIO, FLOOR, FLOOR_LATER, FLOOR_PRINTED, GROWTH, LAST_RATIO
from fltheory.papers.delta_sgd.convex.cases import APART, CURVES, FOURTH, KINKS, case_of_run, federation, huber, line
from fltheory.papers.delta_sgd.notation import CONVEX, K, L, L_hat, Pi, T, delta, eta_0, gamma, m, theta_0
from fltheory.papers.delta_sgd.one_round import released_off_fedsgd, released_off_printed
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.papers.delta_sgd.rule.bounds import CEILING_OF_RUN, EXPONENTIAL, LINE, OF_ORDER, RATIO
from fltheory.papers.delta_sgd.rule.cases import InOtherUnits, RatioLimit
from fltheory.papers.delta_sgd.rule.closed_forms import measures as along
from fltheory.papers.delta_sgd.rule.closed_forms.batch_floor import BatchFloor
from fltheory.papers.delta_sgd.rule.closed_forms.fixed_points import curvature_and_centre
from fltheory.papers.delta_sgd.rule.closed_forms.measures import local_runs
from fltheory.papers.delta_sgd.rule.closed_forms.runs import mixed_constant, refine_until_narrow
from fltheory.problems.convex import ConvexClients, Huber, Quadratic
from fltheory.problems.finite_sum import FiniteSumQuadraticClients
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.assumptions import noiseless
from fltheory.runs.client_optimiser import Batches
from fltheory.runs.measures import LENGTH_SQUARED, NUMBER, Measure
from fltheory.runs.step_rule import StepRule, auto_tuned, squared_length

strategies = imported_late("fltheory.papers.delta_sgd.rule.families.rule")

families_of_rounds = imported_late("fltheory.papers.delta_sgd.convex.families")


def of_rule(id: str, place: str, measure: Measure, rule: StepRule = auto_tuned, **shared: Any) -> Statement:
    """Return a statement on every run of the step-size rule, which a user's rule may replace."""
    known = {"kind": "lemma", "mode": "surely", "letters": CONVEX, **shared}
    return PAPER.theorem(id, place, measure, rule, **known)


def of_run(
    id: str, place: str, what: str, value: Callable[[StepRule, Case], Any], dimension: Dimension = NUMBER, **shared: Any
) -> Statement:
    """Return a measure of a local run of a rule: ``value(rule, case)``, described in symbols by ``what``."""
    return of_rule(id, place, along.of_rule(what, value, dimension), **shared)


local = partial(of_rule, family=lambda: strategies().local_runs())


def _still(one: ConvexClients, c: Constants) -> str | None:
    x = mixed_array(one.start)
    still = any(is_zero(squared_length(f.gradient(x))) for f in one.objectives)
    return "a client starts where its gradient is 0" if still else None


def _of_the_run(case: Case) -> str | None:
    return None  # only the run of the rule under test decides


def _linear(rule: StepRule, case: Case) -> str | None:
    return (
        None
        if refine_until_narrow(lambda: along.has_constant_gradient(case, rule))
        else "a gradient changes along the run"
    )


def _first_acts(rule: StepRule, case: Case) -> str | None:
    along.require_ratio(case)
    ratio = mixed_constant(case, theta_0)
    acts = refine_until_narrow(lambda: along.first_entry_acts(case, rule, min(ratio, 1)))
    return None if acts else "the growth entry decides the first computed step"


UNPACED = requires("clients begin with the initial step size",
    lambda one, c: isinstance(one, ConvexClients) and one.pace and "clients begin with different step sizes")
MOVES = requires("every client moves at first", _still)
LINEAR = Assumption("clients move, and their gradients stay the same", _of_the_run, _linear)
UNAMPLIFIED = requires("rule (4)", lambda one, c: None if c.amplifier == 1 else "rule (4) has the amplifier 1")
ISOTROPIC = requires("isotropic quadratics of one curvature",
    lambda one, c: len({curvature_and_centre(f)[0] for f in one.objectives}) > 1 and "the curvatures differ")
FIRST_ACTS = Assumption("the first entry decides the first computed step, with the ratio 1 too", _of_the_run,
    _first_acts)

# R1: growth -----------------------------------------------------------------------------------------------------------

SLOPES = ConvexClients((Huber((1, 3), (1, "1/2"), (0, 0)),), (50, -60))
FAR = ConvexClients(SLOPES.objectives, (10**5, -(10**5)))
FLAT = (
    case_of_run(huber(100), 8, "1/10"),
    case_of_run(huber(3000), 30, "1/5", 3, growth_damping="1/10"),
    case_of_run(SLOPES, 4, "1/100", 80, 2),
    case_of_run(huber(-50, 2, "1/3"), 5, 1, "1/2", growth_damping=0),
)
RUNS = (
    case_of_run(KINKS, 6, "1/10", 4),
    case_of_run(FOURTH, 6, "1/20", 3),
    case_of_run(CURVES, 5, "1/50", 1, 2),
    case_of_run(APART, 5, "1/40", 1, growth_damping="1/10"),
)

LIMITS = tuple(
    Case(RatioLimit(r, d), n_rounds=t)
    for r, d, t in ((1, 1, 5), ("1/10", "1/10", 2), (1000, 1, 12), ("1/2", "3/2", 20), (2, "3/2", 1))
)


def near_last(one: RatioLimit, c: Constants) -> Mixed:
    damping, ratio = to_mixed(c.growth_damping), to_mixed(c.initial_ratio)
    for _ in range(int(c.n_rounds)):
        ratio = mixed_sqrt(1 + damping * ratio)
    return abs(ratio - (damping + mixed_sqrt(damping * damping + 4)) / 2)


FLAT_RUNS: dict[str, Any] = {"cases": FLAT, "family": lambda: strategies().flat_runs(), "assumptions": (UNPACED, LINEAR)}
GROWTH_CLAIMS = (
    local("R1", LINE, along.Growth(), cases=(*FLAT, *RUNS), assumptions=(UNPACED,)).explicit(
        "η_t <= η_0 g_1 ... g_t with g_1 = sqrt(1 + δθ_0), g_{j+1} = sqrt(1 + δg_j)", GROWTH),
    of_rule("R1-attained", LINE, along.Growth("least"), **FLAT_RUNS).explicit(
        "Equality holds as long as the gradient stays the same", eta_0 * Pi <= quantity,
        note="growth: the product of the caps"),
    of_run("R1-ratio", LINE, "max θ_t, t >= 1",
        lambda rule, case: largest([v for own in local_runs(rule, case).ratio[1:] for v in own]), cases=(*FLAT, *RUNS),
        family=lambda: strategies().local_runs()).explicit(
        "θ_t <= max{sqrt(1 + δθ_0), (δ + sqrt(δ^2 + 4))/2}: 1.618 for δ = 1", RATIO),
    PAPER.lemma("R1-limit", LINE, "|g_t - θ_∞|", near_last, cases=LIMITS,
        family=RatioLimit.drawn(settings={"n_rounds": count(most=30)}), mode="surely", letters=CONVEX).explicit(
        "|g_t - θ_∞| <= (δ/(1 + θ_∞))^t |θ_0 - θ_∞|: the caps converge to θ_∞ = (δ + sqrt(δ^2 + 4))/2",
        quantity <= (delta / (1 + LAST_RATIO)) ** T * Abs(theta_0 - LAST_RATIO)),
)

# R2: floor ------------------------------------------------------------------------------------------------------------

FLOORS = (
    case_of_run(line((1, 4), (0, 1), 3), 4, 2),
    case_of_run(line((1, 4), (0, 1), 3), 4, "1/100", 1, 2),
    case_of_run(huber(5, 3), 6, "1/4"),
    case_of_run(KINKS, 6, "1/10", 4),
    case_of_run(CURVES, 5, 2, 1, "1/2"),
)


def one_client(noise: Number, steps: int = 2, curvature: Number = 1, **settings: object) -> Case:
    """Return a local run on h x^2/2 from 1 whose mini-batches have noise of this size with either sign."""
    chosen = {"initial_step_size": 1, "initial_ratio": 1, "amplifier": 1, "growth_damping": 1, **settings}
    instance = QuadraticClients((curvature,), (0,), 1, noise_std=noise)
    return Case(instance, n_rounds=1, n_local_steps=steps, **chosen)


_TWO_PARTS = FiniteSumQuadraticClients(((1, 3),), ((0, 1),), 1)
NOISY = (
    one_client(1),
    one_client("1/3", 3, 2, amplifier=2, initial_step_size="1/5"),
    Case(_TWO_PARTS, n_rounds=1, n_local_steps=3, initial_step_size="1/4", initial_ratio=1, amplifier=1,
        growth_damping="1/10"),
)
COLLAPSING = (one_client(10), one_client(3, 2, "1/5", amplifier=2))
COLLAPSE = "The noise of two mini-batches, divided by a short distance, does not measure curvature: the steps collapse."
LEAST_OF_BATCH = Min(eta_0, gamma / (2 * L_hat))


def batch_floor(batches: Batches) -> Statement:
    """Return R2 for a way to draw the mini-batches."""
    return of_rule(f"R2-{batches}", LINE, BatchFloor(batches), cases=NOISY, family=lambda: strategies().noisy_runs())


FLOOR_CLAIMS = (
    of_rule("R2", "after (43)", along.steps("least"),
        family=lambda: strategies().local_runs(smooth=True, amplified=False), assumptions=(MOVES, UNAMPLIFIED)).printed(
        "η_t >= 1/(2L) for t >= 1, by definition", FLOOR_PRINTED,
        counterexamples=(case_of_run(line((1,)), 1, "1/100"), case_of_run(huber(2), 3, "1/50")),
        remark="The proof of Theorem 5 takes the first entry for the minimum and ignores the growth entry."),
    of_rule("R2", LINE, along.steps("least", 0), cases=FLOORS, family=lambda: strategies().local_runs(smooth=True),
        assumptions=(UNPACED,)).corrected("η_t >= min{η_0, γ/(2L)} for clients with L-Lipschitz gradients", FLOOR),
    of_rule("R2-later", LINE, along.steps("least"), cases=FLOORS, family=lambda: strategies().local_runs(smooth=True),
        assumptions=(UNPACED, MOVES)).corrected("η_t >= min{sqrt(1 + δθ_0) η_0, γ/(2L)} for t >= 1", FLOOR_LATER,
        remark="A client that does not move keeps its step size."),
    batch_floor("pair").corrected(
        "η_k >= min{η_0, γ/(2L)} with two gradients on one mini-batch, L for every mini-batch's gradient",
        LEAST_OF_BATCH <= quantity),
    batch_floor("same").corrected(
        "η_k >= min{η_0, γ/(2L)} with both gradients on the mini-batch that moves the client next, L for every mini-batch's "
        "gradient", LEAST_OF_BATCH <= quantity),
    batch_floor("reuse").explicit(
        "η_k >= min{η_0, γ/(2L)} with the gradients that moved and will move the client, L for every mini-batch's gradient",
        LEAST_OF_BATCH <= quantity, note="R2 for any mini-batches", counterexamples=COLLAPSING, remark=COLLAPSE),
    batch_floor("fresh").explicit(
        "η_k >= min{η_0, γ/(2L)} with a mini-batch for every gradient, L for every mini-batch's gradient",
        LEAST_OF_BATCH <= quantity, note="R2 for any mini-batches", counterexamples=COLLAPSING, remark=COLLAPSE),
)

# R3: ceiling ----------------------------------------------------------------------------------------------------------

CEILINGS = (
    case_of_run(line((2,), (1,), 3), 3, 5, 2, 2),
    case_of_run(FOURTH, 6, "1/20", 3),
    case_of_run(CURVES, 5, 1, 1, 2),
    case_of_run(APART, 5, "1/40"),
)
CEILING_CLAIMS = (
    of_rule("R3", LINE, along.Ceiling(), cases=CEILINGS, family=lambda: strategies().local_runs(curved=True)).explicit(
        "η_t <= γ/(2μ) for t >= 1 where |∇f_i(x_t) - ∇f_i(x_{t-1})| >= μ|x_t - x_{t-1}| along the run", CEILING_OF_RUN),
    of_rule("R3-gamma", "after (28)", along.steps(), family=lambda: strategies().far_runs(), assumptions=(UNPACED,)).explicit(
        "By definition η_t = O(γ): allowing for η_0, no step exceeds 1000 times the larger of η_0 and γ/(2L)", OF_ORDER,
        counterexamples=(case_of_run(huber(10**5), 20, "1/10"), case_of_run(FAR, 12, "1/100", 3 * 10**6)),
        remark="No other factor works for all K: where the gradient stays the same, steps grow exponentially."),
    local("R3-gamma", "after (28)", along.steps(), cases=(*FLAT, *RUNS), assumptions=(UNPACED,)).corrected(
        "η_t <= η_0 max{sqrt(1 + δθ_0), θ_∞}^t", EXPONENTIAL,
        remark="With η_0 = O(γ) every step is O(γ), but with a factor that is exponential in K."),
    of_rule("R3-gamma-attained", "after (28)", along.steps("least", -1), **FLAT_RUNS).corrected(
        "η_t >= η_0 min{sqrt(1 + δθ_0), θ_∞}^t as long as the gradient stays the same",
        eta_0 * Min(FIRST_RATIO, LAST_RATIO, evaluate=False) ** T <= quantity),
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


def gained(rule: StepRule, case: Case) -> Mixed:
    h = local_runs(rule, case)
    along.require_ratio(case)
    every = [
        h.lr[t + 1][i] * h.ratio[t + 1][i] / ((1 + h.ratio[t][i]) * h.lr[t][i])
        for t in range(h.n_rounds)
        for i in range(h.n_clients)
    ]
    return largest(every)


def _off_in_other_units(rule: StepRule, case: Case) -> Mixed:
    one, known = cast(InOtherUnits, case.instance), dict(case.settings)
    factor = one.of_steps
    here = local_runs(rule, Case(one.clients, **known))
    there = local_runs(rule, Case(one.moved, **{**known, "initial_step_size": known["initial_step_size"] * factor}))
    off = [
        new / (to_mixed(factor) * old) - 1
        for olds, news in zip(here.lr, there.lr, strict=True)
        for old, new in zip(olds, news, strict=True)
    ]
    for olds, news in zip(here.points, there.points, strict=True):
        for old, new in zip(olds, news, strict=True):
            off += list((new - one.image(old)) / to_mixed(one.length))
    return largest([abs(v) for v in off])


off_in_other_units = of_run("R5", LINE, "deviation in other units", _off_in_other_units, cases=UNITS,
    family=lambda: strategies().other_units())


def first_entry(rule: StepRule, case: Case) -> Mixed:
    amplifier = mixed_constant(case, gamma)
    wanted = amplifier / (2 * mixed_constant(case, L))
    found = [amplifier * mixed_sqrt(moved / turned) / 2 for _, _, moved, turned in along.pairs(local_runs(rule, case))]
    if not found:
        raise BoundError("no client moves")
    farthest = max(found, key=lambda v: abs(along.size(v / wanted) - 1))
    off = largest([abs(v - wanted) for v in found])
    return wanted - off if along.size(farthest) < along.size(wanted) else wanted + off


RATIO_CLAIMS = (
    of_run("R4", "after Lemma 4", "η_{t+1} θ_{t+1} / ((1 + θ_t) η_t)", gained, cases=(*FLAT, *RUNS),
        family=lambda: strategies().local_runs(damped=True)).printed("η_{t+1} θ_{t+1} <= (1 + θ_t) η_t, for δ <= 1",
        quantity <= 1, given=[delta <= 1]),
    off_in_other_units.explicit(
        "In other units and axes, with η_0 in the new units, points and step sizes are the same", Eq(quantity, 0),
        note="in any units and axes"),
    of_run("R6", LINE, "γ|x - x'| / (2|g - g'|)", first_entry, along.STEP,
        cases=(case_of_run(line((3,), (1,), 4), 4, "1/10", 1, 2), case_of_run(ISOTROPIC_PLANE, 5, "1/7", 8)),
        family=lambda: strategies().isotropic_runs(), assumptions=(ISOTROPIC,)).explicit(
        "On L|x - c|²/2 the first entry is γ/(2L) at every step that moves", Eq(quantity, gamma / (2 * L)),
        note="on an isotropic quadratic"),
)

# As released: a larger first step, and 1e-8 added to the step of line 9 -----------------------------------------------

REMOTE = Case(InOtherUnits(line((1, 4), (0, 1), 3), 7, 10**6), **dict(FLOORS[1].settings))
ONE_STEP = (
    federation((1, 10, 3), (1, -2, 5), "1/2", n_local_steps=1),
    federation((1, 10, 3), (1, -2, 5), "1/2", n_local_steps=1, n_participating=2, initial_ratio="5/4"),
    federation(((1, 5), ("1/3", 0)), ((1, 0), (-2, 7)), (3, -1), n_local_steps=1, initial_ratio=21,
        growth_damping="1/7"),
)
_AS_ONE: dict[str, Any] = {"kind": "lemma", "assumptions": (noiseless,), "family": lambda: families_of_rounds().federations()}
released_rounds = PAPER.theorem("A1-released", "Algorithm 1",
    case_measure("|as released - Algorithm 1|²", released_off_printed, LENGTH_SQUARED), **_AS_ONE)
released_once = PAPER.theorem("A1-released-once", "Algorithm 1",
    case_measure("|as released - FedSGD|²", released_off_fedsgd, LENGTH_SQUARED), **_AS_ONE)
RELEASED_CLAIMS = (
    released_rounds.strict("The released code performs the rounds of Algorithm 1.", Eq(quantity, 0),
        counterexamples=(ONE_STEP[0], ONE_STEP[2]),
        remark="Its first step of a round has grown already, to sqrt(1 + δθ_0) η_0, and 1e-8 is added to each one that line 9 "
        "gives. In the experiments, δ = 1/10 and θ_0 = 1, the first step is 1.0488 times η_0."),
    released_once.explicit(
        "As released, with one local step, Delta-SGD is FedSGD with the constant step size sqrt(1 + δθ_0) η_0.",
        Eq(quantity, 0), given=[K <= 1], cases=ONE_STEP, note="as released"),
    replace(off_in_other_units.restated("R5-released"), method=released_rule).explicit(
        "As released, in other units and axes, with η_0 in the new units, points and step sizes are the same",
        Eq(quantity, 0), counterexamples=(UNITS[0], REMOTE),
        remark="The constant added to the step size, 1e-8, has no unit: in units of length 1e6 times as long it is negligible, "
        "in others it dominates."),
)

# Statements on the inputs ---------------------------------------------------------------------------------------------

_RATIO_ACTS = (
    case_of_run(line((1, 4), (0, 1), 3), 4, 2, 50),
    case_of_run(APART, 3, 2, 7, "1/2"),
    case_of_run(ISOTROPIC_PLANE, 4, "1/2", "1/3"),
)


def left_by_first_step(rule: StepRule, case: Case) -> Mixed:
    h = local_runs(rule, case)
    if h.n_clients > 1:
        raise BoundError("expected one client")
    before, after = (squared_length(h.points[t][0] - h.instance.best) for t in (0, 1))
    if is_zero(before):
        raise BoundError("the run starts at the minimiser")
    return after / before


def off_other_ratio(rule: StepRule, case: Case) -> Mixed:
    along.require_ratio(case)
    here, there = local_runs(rule, case), local_runs(rule, case.with_settings(initial_ratio=1))
    off = [new / old - 1 for olds, news in zip(here.lr[1:], there.lr[1:], strict=True) for old, new in zip(olds, news, strict=True)]
    return largest([abs(v) for v in off])


INPUT_CLAIMS = (
    of_run("S3-first", "Section 3", "|x_1 - x*|² / |x_0 - x*|²", left_by_first_step,
        cases=(case_of_run(line((2,)), 1, 1), case_of_run(huber(5, 3), 1, "1/4"), case_of_run(CURVES, 1, "1/20")),
        family=lambda: strategies().local_runs(smooth=True, alone=True), assumptions=(UNPACED,)).explicit(
        "A small η_0 prevents divergence in the first local step: η_0 <= 2/L is small enough", quantity <= 1,
        given=[eta_0 * L <= 2], remark="Beyond 2/L a quadratic moves away from its minimiser."),
    *of_run("S3-ratio", "Section 3", "deviation from the steps with θ_0 = 1", off_other_ratio).readings(
        strict("θ_0 can be arbitrary, as the first local iteration corrects it: later steps are those of θ_0 = 1",
            Eq(quantity, 0), note="corrected once and for all, where the paper says that it can be",
            counterexamples=(case_of_run(line((1,)), 2, "1/100", 99), case_of_run(huber(20), 3, "1/10", 24)),
            family=lambda: strategies().local_runs(),
            remark="The paper: θ_0 can be quite arbitrary, as it can be corrected there. The first computed step may be sqrt(1 + "
            "δθ_0) times η_0, and later ones build on it."),
        corrected(
            "The steps are those of θ_0 = 1 where the first entry decides the first computed one, with θ_0 and with 1",
            Eq(quantity, 0), cases=_RATIO_ACTS, family=lambda: strategies().local_runs(smooth=True, large=True),
            assumptions=(FIRST_ACTS,))),
    of_run("B7-both", "Appendix B, Figure 7", "the smaller share of steps decided by an entry",
        lambda rule, case: along.shares(local_runs(rule, case), case)[1], family=lambda: strategies().local_runs(),
        assumptions=(MOVES,)).explicit("Both entries are needed: in a run each of them decides a step",
        1 / (m * T) <= quantity, note="needed: each decides a step",
        counterexamples=(case_of_run(line((1,)), 5, 2), FLAT[0]),
        remark="Figure 7 has a run in which they do; on an isotropic quadratic the second no longer does after a few steps."),
)

CLAIMS: tuple[Claim, ...] = (*GROWTH_CLAIMS, *FLOOR_CLAIMS, *CEILING_CLAIMS, *RATIO_CLAIMS, *RELEASED_CLAIMS,
    *INPUT_CLAIMS)
