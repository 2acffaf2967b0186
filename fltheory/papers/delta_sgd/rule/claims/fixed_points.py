"""Limits of Delta-SGD without a common minimiser: rounds with full gradients of all clients, on L_i/2 |x - c_i|^2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flint import fmpq
from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import imported_late, quantity, requires
from fltheory.model.bound import BoundError
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import AsVector, Vector
from fltheory.number import Number
from fltheory.number.mixed import Mixed, is_zero, largest, mixed_sqrt
from fltheory.papers.delta_sgd.convex.cases import case_of_run, line
from fltheory.papers.delta_sgd.notation import CONVEX, K, L, delta, distance, eta_0, gamma, mu, proximal_weight, theta_0
from fltheory.papers.delta_sgd.rule.bounds import AT_MINIMISER, FEDNOVA
from fltheory.papers.delta_sgd.rule.claims.rule import UNPACED, of_rule, of_run
from fltheory.papers.delta_sgd.rule.closed_forms import fixed_points as at
from fltheory.papers.delta_sgd.rule.closed_forms.measures import require_ratio
from fltheory.papers.delta_sgd.rule.closed_forms.runs import follow, mixed_constant
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.runs.step_rule import StepRule, squared_length

families = imported_late("fltheory.papers.delta_sgd.rule.families.fixed_points")


def rounds(
    instance: ConvexClients, n_local_steps: int, initial_step_size: Number, amplifier: Number = 1, **more: object
) -> Case:
    """Return a round of Algorithm 1: theta_0 = delta = 1 unless given."""
    settings = {"initial_ratio": 1, "growth_damping": 1, **more}
    return Case(instance, n_local_steps=n_local_steps, initial_step_size=initial_step_size, amplifier=amplifier,
        **settings)


def isotropic(curvatures: Sequence[Number], centres: Sequence[AsVector], start: Vector) -> ConvexClients:
    """L_i/2 |x - c_i|^2."""
    n = len(start)
    return ConvexClients(
        tuple(
            Quadratic([[h if i == j else 0 for j in range(n)] for i in range(n)], c)
            for h, c in zip(curvatures, centres, strict=True)
        ),
        start,
    )


def first_entry_acts(case: Case[ConvexClients]) -> str | None:
    """Return whether sqrt(1 + delta theta_0) eta_0 >= gamma/(2 L_i) for all clients: the first entry decides."""
    require_ratio(case)
    clients = case.instance
    least = min(at.curvature_and_centre(f)[0] for f in clients.objectives)
    cap = mixed_sqrt(1 + mixed_constant(case, delta) * mixed_constant(case, theta_0)) * mixed_constant(case, eta_0)
    if bool(cap >= mixed_constant(case, gamma) / (2 * least)):
        return None
    return "the growth entry decides a client's first computed step"


def _reached(case: Case) -> str | None:
    if mixed_constant(case, gamma) != 2 or case.constants[K] < 2:
        return "a round needs two steps and the amplifier 2"
    return first_entry_acts(case)


def _no_term(case: Case) -> str | None:
    return "a proximal term" if at.proximal(case) != 0 else None


def _term(case: Case) -> str | None:
    return None if proximal_weight in case.constants else "no proximal term"


def two_curvatures(one: ConvexClients) -> bool:
    """Return whether two clients have different curvatures."""
    return len(one.objectives) == 2 == len({at.curvature_and_centre(f)[0] for f in one.objectives})


FIRST_ACTS = Assumption("the first entry decides every computed step", first_entry_acts)
REACHED = Assumption("γ = 2, K >= 2, the first entry decides every computed step", _reached)
ONE_STEP = requires("K = 1", lambda one, c: None if c.n_local_steps == 1 else "several local steps")
PLAIN = Assumption("no proximal term", _no_term)
PROXIMAL = Assumption("a proximal term", _term)
TWO = requires("two clients of different curvatures",
    lambda one, c: not two_curvatures(one) and "not two clients of different curvatures")

PAIR = line((1, 10), (0, 1), "1/2")
THREE = line(("1/2", 3, 7), (2, -1, 0), 5)
PLANE = isotropic((1, 4, "1/3"), ((0, 1), (2, -1), (1, 1)), (3, 5))
APART = (
    rounds(PAIR, 2, "1/20"),
    rounds(PAIR, 5, "1/10", 2),
    rounds(THREE, 3, "1/8", "1/2", growth_damping="1/10"),
    rounds(PLANE, 4, "1/3", 3, initial_ratio=8),
)
ONCE = (rounds(PAIR, 1, "1/10"), rounds(THREE, 1, "1/50", 2), rounds(PLANE, 1, 2))
TERMS = (
    rounds(PAIR, 3, "1/20", proximal_weight="1/2"),
    rounds(PLANE, 4, "1/3", 2, proximal_weight=3),
    rounds(THREE, 1, "1/50", proximal_weight=1),
)
ENDS = (
    rounds(PAIR, 2, 1, 2),
    rounds(line((3, "1/2"), (2, 5), 7), 4, "3/2", 2),
    rounds(isotropic((2, 5), ((0, 0), (3, 4)), (1, 1)), 3, 1, 2),
)
SHARED = (case_of_run(PAIR, 6, 1), case_of_run(THREE, 4, 2, 3, "1/2"), case_of_run(PLANE, 3, 3, 1, "4/3"))
TWO_CLIENTS = (
    rounds(PAIR, 4, "1/10"),
    rounds(PAIR, 5, "1/30", 2),
    rounds(isotropic((2, 5), ((0, 0), (3, 4)), (1, 1)), 3, "1/5"),
)
_KAPPA = (L - mu) ** 2 * distance**2

WITHOUT_AND_WITH: tuple[at.Weights, ...] = ("equal", "fednova")


def contraction(rule: StepRule, case: Case) -> Mixed:
    found = at.clients(rule, case)
    return abs(1 - sum((c.pull for c in found), fmpq(0)) / len(found))


def off_shared_round(rule: StepRule, case: Case) -> Mixed:
    h = follow(rule, case, "B")
    centres = [at.curvature_and_centre(f)[1] for f in h.instance.objectives]
    mean = at.middle([fmpq(1)] * len(centres), centres)
    left = 1 - mixed_constant(case, gamma) / 2
    off = [
        squared_length(h.server[t + 1] - mean - left * (h.server[t] - mean))
        for t in range(1, h.n_rounds + 1)
        if not is_zero(squared_length(h.server[t] - h.server[t - 1]))
    ]
    scale = max([squared_length(c - centres[0]) for c in centres])
    return largest([fmpq(0), *off]) / (scale if scale > 0 else 1)


def left_bias(rule: StepRule, case: Case) -> Mixed:
    found = at.clients(rule, case)
    plain, mended = (squared_length(at.fixed_point(found, k) - at.minimiser(found)) for k in WITHOUT_AND_WITH)
    if is_zero(plain) or all(is_zero(squared_length(c.centre - found[0].centre)) for c in found):
        raise BoundError("there is no bias")
    return mended / plain


at_rounds = partial(of_rule, place="Algorithm 1", family=lambda: families().rounds())
with_terms = partial(of_rule, place="Algorithm 1", cases=(*APART, *TERMS),
    family=lambda: families().rounds(proximal=True), assumptions=(UNPACED,))
CLAIMS: tuple[Claim, ...] = (
    at_rounds("FP", measure=at.bias(), assumptions=(PLAIN, UNPACED)).strict("Delta-SGD ends at the minimiser of f",
        AT_MINIMISER, counterexamples=APART,
        remark="Problem (1) asks for it; no theorem of the paper promises it. (1c) fails, so Theorem 1 does not apply. Steps "
        "like 1/L_i change the weights."),
    at_rounds("FP", measure=at.round_map(), cases=(*APART, *ONCE), assumptions=(PLAIN, UNPACED)).corrected(
        "x_{t+1} - x_∞ = r̄(x_t - x_∞) with x_∞ = Σ(1 - r_i)c_i / Σ(1 - r_i), r_i = Π(1 - η_k L_i)", Eq(quantity, 0)),
    of_run("FP-contraction", "Algorithm 1", "|r̄|", contraction, cases=(*APART, *ONCE[:2]),
        family=lambda: families().rounds(), assumptions=(PLAIN, UNPACED)).corrected("|r̄| < 1 for η_0 < 2/L and γ < 4",
        quantity <= 1, given=[eta_0 * L < 2, gamma < 4], note="what a round leaves of the distance"),
    of_rule("FP-gap", "Algorithm 1", at.GapOfTwo(), cases=ENDS, family=lambda: families().ends(),
        assumptions=(PLAIN, REACHED, TWO, UNPACED)).corrected(
        "f(x_∞) - f* = (κ - 1)²/(16(1 + κ)) for the curvatures 1 and κ, one apart: γ = 2, K >= 2",
        Eq(quantity, _KAPPA / (16 * (L + mu))), note="two clients, every local minimum is reached",
        letters=(*CONVEX, (distance, "d")), remark="Every client ends at its own minimiser."),
    of_rule("FP-K1", "Algorithm 1", at.bias(), cases=ONCE, family=lambda: families().rounds(once=True),
        assumptions=(ONE_STEP, UNPACED)).corrected("With one local step Delta-SGD ends at the minimiser of f",
        Eq(quantity, 0)),
    of_run("FP-shared", "Algorithm 1", "|x_{t+1} - c̄ - (1 - γ/2)(x_t - c̄)|² / spread", off_shared_round, cases=SHARED,
        family=lambda: families().shared(), assumptions=(FIRST_ACTS, UNPACED)).corrected(
        "Rule (4) on a shared point ends at the mean c̄ of the c_i: x_{t+1} - c̄ = (1 - γ/2)(x_t - c̄) where it moves",
        Eq(quantity, 0)),
    with_terms("FP-prox", measure=at.round_map(), cases=TERMS, assumptions=(PROXIMAL, UNPACED)).corrected(
        "With FedProx's term x_∞ = Σq_i c_i / Σq_i, q_i = (1 - r_i)L_i/(L_i + μ), r_i for L_i + μ", Eq(quantity, 0)),
    with_terms("FP-debiased", measure=at.bias("debiased")).explicit(
        "With the weights L_i/(1 - r_i) (L_i/q_i with a proximal term) it ends at the minimiser of f", Eq(quantity, 0),
        note="weights L_i/(1 - r_i)"),
    with_terms("FP-debiased-round", measure=at.round_map("debiased")).explicit(
        "A round with the weights L_i/(1 - r_i) has x_{t+1} - x_∞ = r̄(x_t - x_∞)", Eq(quantity, 0), note="weights L_i/(1 - r_i)"),
    with_terms("FP-inverse", measure=at.bias("inverse", to_mean=True)).explicit(
        "With the weights 1/(1 - r_i) it ends at the mean of the c_i", Eq(quantity, 0), note="weights 1/(1 - r_i)"),
    at_rounds("FP-fednova", measure=at.bias("fednova"), assumptions=(PLAIN, UNPACED)).explicit(
        "With the weights 1/Ση_k (as FedNova's) it ends at the minimiser of f", FEDNOVA, counterexamples=APART,
        remark="These weights are right only in the limit of small steps."),
    of_run("FP-fednova", "Algorithm 1", "|x_∞ - x*|² with FedNova's weights, over that without", left_bias,
        cases=TWO_CLIENTS, family=lambda: families().rounds(two=True), assumptions=(PLAIN, TWO, UNPACED)).corrected(
        "With the weights 1/Ση_k two clients end no farther from the minimiser of f, for η_0 <= 1/L and γ <= 2",
        quantity <= 1, given=[eta_0 * L <= 1, gamma <= 2], note="weights 1/(sum of the steps), two clients"),
)
