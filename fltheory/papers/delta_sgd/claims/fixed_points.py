"""Where Delta-SGD ends without a common minimiser: rounds with full gradients of all clients, on L_i/2 |x - c_i|^2."""

from __future__ import annotations

from typing import Any

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number.mixed import root
from fltheory.papers.delta_sgd.bounds import rule as of
from fltheory.papers.delta_sgd.claims.direct import drawn
from fltheory.papers.delta_sgd.claims.rule import PLAIN as UNPACED
from fltheory.papers.delta_sgd.claims.rule import ruled
from fltheory.papers.delta_sgd.data.convex_instances import line, run
from fltheory.papers.delta_sgd.exact import fixed_points as at
from fltheory.papers.delta_sgd.exact.rule_measures import given, require_ratio
from fltheory.papers.delta_sgd.letters import K, delta, eta_0, gamma, proximal_weight, theta_0
from fltheory.problems.convex import ConvexClients, Quadratic


def rounds(
    instance: ConvexClients, n_local_steps: int, initial_step_size: Any, amplifier: Any = 1, **more: Any
) -> Case:
    """A round of Algorithm 1: theta_0 = delta = 1 unless given."""
    settings = {"initial_ratio": 1, "growth_damping": 1, **more}
    return Case(
        instance, n_local_steps=n_local_steps, initial_step_size=initial_step_size, amplifier=amplifier, **settings
    )


def isotropic(curvatures: Any, centres: Any, start: Any) -> ConvexClients:
    """L_i/2 |x - c_i|^2."""
    n = len(start)
    return ConvexClients(
        tuple(
            Quadratic([[h if i == j else 0 for j in range(n)] for i in range(n)], c)
            for h, c in zip(curvatures, centres, strict=True)
        ),
        start,
    )


def _least(case: Case) -> Any:
    instance: Any = case.instance
    return min(at.curvature_and_centre(f)[0] for f in instance.objectives)


def first_entry_acts(case: Case) -> str | None:
    """Whether sqrt(1 + delta theta_0) eta_0 >= gamma/(2 L_i) for every client: then the first entry decides all steps."""
    require_ratio(case)
    cap = root(1 + given(case, delta) * given(case, theta_0)) * given(case, eta_0)
    if bool(cap >= given(case, gamma) / (2 * _least(case))):
        return None
    return "the growth entry decides a client's first computed step"


def _reached(case: Case) -> str | None:
    if given(case, gamma) != 2 or case.constants[K] < 2:
        return "a round needs two steps and the amplifier 2"
    return first_entry_acts(case)


def _several_steps(case: Case) -> str | None:
    return None if case.constants[K] == 1 else "several local steps"


def _no_term(case: Case) -> str | None:
    return "a proximal term" if at.proximal(case) != 0 else None


def _term(case: Case) -> str | None:
    return None if proximal_weight in case.constants else "no proximal term"


def _two(case: Case) -> str | None:
    instance: Any = case.instance
    found = {at.curvature_and_centre(f)[0] for f in instance.objectives}
    return None if len(instance.objectives) == 2 and len(found) == 2 else "not two clients of different curvatures"


FIRST_ACTS = Assumption("the first entry decides every computed step", first_entry_acts)
REACHED = Assumption("γ = 2, K >= 2, the first entry decides every computed step", _reached)
ONE_STEP = Assumption("K = 1", _several_steps)
PLAIN = Assumption("no proximal term", _no_term)
PROXIMAL = Assumption("a proximal term", _term)
TWO = Assumption("two clients of different curvatures", _two)

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
SHARED = (run(PAIR, 6, 1), run(THREE, 4, 2, 3, "1/2"), run(PLANE, 3, 3, 1, "4/3"))
TWO_CLIENTS = (
    rounds(PAIR, 4, "1/10"),
    rounds(PAIR, 5, "1/30", 2),
    rounds(isotropic((2, 5), ((0, 0), (3, 4)), (1, 1)), 3, "1/5"),
)
_ROUNDS = drawn("fixed_points", "rounds")
_TERMS = drawn("fixed_points", "rounds", proximal=True)
_TWO = drawn("fixed_points", "rounds", two=True)

CLAIMS: tuple[Claim, ...] = (
    ruled(
        "FP",
        "Delta-SGD ends at the minimiser of f",
        of.AT_MINIMISER,
        at.Bias(),
        APART,
        _ROUNDS,
        assumptions=(PLAIN, UNPACED),
        expected="violated",
        remark="Problem (1) asks for it; no theorem of the paper promises it. (1c) fails, so Theorem 1 says nothing. "
        "Steps like 1/L_i change the weights.",
    ),
    ruled(
        "FP",
        "x_{t+1} - x_∞ = r̄(x_t - x_∞) with x_∞ = Σ(1 - r_i)c_i / Σ(1 - r_i), r_i = Π(1 - η_k L_i)",
        of.FIXED_POINT,
        at.RoundMap(),
        (*APART, *ONCE),
        _ROUNDS,
        assumptions=(PLAIN, UNPACED),
    ),
    ruled(
        "FP-contraction",
        "|r̄| < 1 for η_0 < 2/L and γ < 4",
        of.CONTRACTION,
        at.Contraction(),
        (*APART, *ONCE[:2]),
        _ROUNDS,
        assumptions=(PLAIN, UNPACED),
    ),
    ruled(
        "FP-gap",
        "f(x_∞) - f* = (κ - 1)²/(16(1 + κ)) for the curvatures 1 and κ, one apart: γ = 2, K >= 2",
        of.GAP,
        at.GapOfTwo(),
        ENDS,
        drawn("fixed_points", "ends"),
        assumptions=(PLAIN, REACHED, TWO, UNPACED),
        remark="Every client ends at its own minimiser.",
    ),
    ruled(
        "FP-K1",
        "With one local step Delta-SGD ends at the minimiser of f",
        of.FIXED_POINT,
        at.Bias(),
        ONCE,
        drawn("fixed_points", "rounds", once=True),
        assumptions=(ONE_STEP, UNPACED),
    ),
    ruled(
        "FP-shared",
        "Rule (4) on a shared point ends at the mean c̄ of the c_i: x_{t+1} - c̄ = (1 - γ/2)(x_t - c̄) where it moves",
        of.FIXED_POINT,
        at.SharedRound(),
        SHARED,
        drawn("fixed_points", "shared"),
        assumptions=(FIRST_ACTS, UNPACED),
    ),
    ruled(
        "FP-prox",
        "With FedProx's term x_∞ = Σq_i c_i / Σq_i, q_i = (1 - r_i)L_i/(L_i + μ), r_i for L_i + μ",
        of.FIXED_POINT,
        at.RoundMap(),
        TERMS,
        _TERMS,
        assumptions=(PROXIMAL, UNPACED),
    ),
    ruled(
        "FP-debiased",
        "With the weights L_i/(1 - r_i) (L_i/q_i with a proximal term) it ends at the minimiser of f",
        of.DEBIASED,
        at.Bias("debiased"),
        (*APART, *TERMS),
        _TERMS,
        assumptions=(UNPACED,),
    ),
    ruled(
        "FP-debiased-round",
        "and a round with these weights goes there",
        of.DEBIASED,
        at.RoundMap("debiased"),
        (*APART, *TERMS),
        _TERMS,
        assumptions=(UNPACED,),
    ),
    ruled(
        "FP-inverse",
        "With the weights 1/(1 - r_i) it ends at the mean of the c_i",
        of.TO_MEAN,
        at.Bias("inverse", to_mean=True),
        (*APART, *TERMS),
        _TERMS,
        assumptions=(UNPACED,),
    ),
    ruled(
        "FP-fednova",
        "With the weights 1/Ση_k (as FedNova's) it ends at the minimiser of f",
        of.FEDNOVA,
        at.Bias("fednova"),
        APART,
        _ROUNDS,
        assumptions=(PLAIN, UNPACED),
        expected="violated",
        remark="They are the right ones only as the steps go to 0.",
    ),
    ruled(
        "FP-fednova",
        "With the weights 1/Ση_k two clients end no farther from the minimiser of f, for η_0 <= 1/L and γ <= 2",
        of.FEDNOVA_FIXED,
        at.LeftBias(),
        TWO_CLIENTS,
        _TWO,
        assumptions=(PLAIN, TWO, UNPACED),
    ),
)
