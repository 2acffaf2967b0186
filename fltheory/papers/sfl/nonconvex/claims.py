"""Claims for non-convex objectives: Theorem 3, Corollary 4, and the two-step-size Theorems 15 and 16."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy

from fltheory.claims.claim import Claim
from fltheory.model.case import Assumption, Case, Instance
from fltheory.number import Number, exact, symbolic
from fltheory.papers.sfl import algorithms, bounds
from fltheory.papers.sfl.notation import A, K, L, M, beta, eta, gamma, sigma, zeta
from fltheory.papers.sfl.paper import PAPER
from fltheory.problems.cosine import CosineClients
from fltheory.problems.dense import DenseQuadraticClients
from fltheory.problems.separable import PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs import assumptions as assume
from fltheory.runs.measures import LeastGradient

NONCONVEX = (assume.smooth, assume.bounded_noise, assume.uniform_heterogeneity, assume.full_participation)
PLAIN = (*NONCONVEX, assume.plain_server)


def _moves(case: Case) -> str | None:
    """Return why a tuned step does not move, or None: A = 0 makes the step and the bound 0."""
    spread = case.constants[sigma] > 0 or case.constants[zeta] > 0
    return "initial_gap is 0, so the tuned step is 0 too" if spread and not case.constants[A] else None


moving = Assumption("a positive step", _moves)
MEASURE = LeastGradient()
LARGEST = sympy.Rational(1, 6)  # the largest effective step, in units of 1 / (L (1 + beta^2 / M))

QUADRATIC = (
    QuadraticClients((1, 1), (1, -1), 6, noise_std="1/10"),
    QuadraticClients((1, "1/2"), (1, -1), 10, noise_std="1/2"),
    QuadraticClients(((1, "1/100"), (1, "1/50")), ((1, 0), (-1, 0)), (3, 4), noise_std=("1/10", "1/10")),
    QuadraticClients(((1, "1/100"),), ((0, 0),), (0, 1)),  # curvature about 1 / (effective step * rounds): the tightest
)
DENSE = DenseQuadraticClients(((1, "1/4"), (1, "1/8")), ((1, 0), (-1, "1/2")), (20, -10),
    reflections=(((1, 2),), ((3, -1), (1, 1))), noise_std=("1/10", "1/5"))
PIECEWISE = PiecewiseQuadraticClients((1, 1), ("1/2", "1/2"), ("1/10", "-1/10"), 1, noise_std="1/10")
WAVE = CosineClients((1, 1), (0, 0), "3/2")  # equal clients without noise: one path, so exact
COSINE = (
    CosineClients.balanced(4, "1/4", "1/4", "3/2", noise_std="1/10"),
    CosineClients.balanced(2, 0, "1/2", "3/2", noise_std="1/4", noise_law="uniform"),
)


def at_step(
    instance: Instance, fraction: object, parallel: bool = False, server_step: object = 1, **settings: Number
) -> Case:
    """Return a case whose effective step is ``fraction`` of the largest allowed one, 1 / (6 L (1 + beta^2 / M))."""
    constants = instance.constants
    beta_square = symbolic(constants[beta]) ** 2
    clients = constants[M]
    cap = LARGEST / (symbolic(constants[L]) * (1 + (beta_square if parallel else beta_square / clients)))
    factor = settings["n_local_steps"] * (1 if parallel else clients) * symbolic(exact(server_step))
    step = exact(symbolic(exact(fraction)) * cap / factor)
    return Case(instance, step_size=step, server_step_size=server_step, **settings)


def _steps(instances: Iterable[Instance], fractions: tuple[object, ...], **settings: Number) -> tuple[Case, ...]:
    return tuple(at_step(i, f, **settings) for i in instances for f in fractions)


def _runs(instances: Iterable[Instance], rounds: tuple[int, ...], **settings: Number) -> tuple[Case, ...]:
    return tuple(Case(i, n_rounds=r, n_local_steps=2, **settings) for i in instances for r in rounds)


def _family(**options: Any) -> Callable[[], Any]:
    """Return a family of random clients of every kind with known exact moments."""

    def build() -> Any:
        from hypothesis import strategies as st

        from fltheory.problems.strategies import dense_clients, federated_runs, finite_sum_clients, quadratic_clients

        if options.get("max_rounds", 0) > 10_000:  # long runs: closed forms only, with room for rates in R
            return federated_runs(quadratic_clients(curved=False, centred=True, max_slope=1e6), **options)
        plain = federated_runs(quadratic_clients(curved=False), **options)
        other = federated_runs(st.one_of(dense_clients(), finite_sum_clients()), **{**options, "max_rounds": 1000})
        return st.one_of(plain, plain, other)

    return build


def long_runs(parallel: bool) -> Callable[[], Any]:
    """Draw runs with a server step at any step size and up to 10^15 rounds: there a large constant is non-trivial."""
    return _family(server=True, max_rounds=10**15, steps_in_round="parallel" if parallel else "sequential")


_TUNED: dict[str, Any] = {"step": False, "max_rounds": 10**15}
_SHORT: dict[str, Any] = {"n_rounds": 150, "n_local_steps": 2}
_LONG: dict[str, Any] = {"n_rounds": 400, "n_local_steps": 3}
_EXACT = (*QUADRATIC, DENSE, WAVE)


def _more(parallel: bool, server_steps: tuple[object, ...] = (1,)) -> Callable[[], tuple[Case, ...]]:
    """Return cases of the full profile: longer runs, more step sizes, statistical ones too.

    With a server step no bound is known for a single run on piecewise quadratics, so statistics cannot decide there.
    """
    plain = (PIECEWISE,) if server_steps == (1,) else ()

    def build() -> tuple[Case, ...]:
        return tuple(
            case
            for server_step in server_steps
            for case in _steps(
                (*_EXACT, *COSINE, *plain), (1, "1/3"), parallel=parallel, server_step=server_step, **_LONG
            )
        )

    return build


# Theorem 3 ------------------------------------------------------------------------------------------------------

theorem_3 = PAPER.theorem("T3-NC", "Theorem 3, non-convex", MEASURE, algorithms.sequential, assumptions=PLAIN,
    family=_family())
least_gradient = theorem_3.printed("SFL, non-convex: min over r of E|∇F(x_r)|²", bounds.T3_NC,
    cases=_steps(_EXACT, (1, "1/4"), **_LONG) + _steps((PIECEWISE, *COSINE), (1,), **_SHORT), full_cases=_more(False),
    remark="Constants of the proof; about a hundred times the value on the tightest instances known.")

# Corollary 4 ----------------------------------------------------------------------------------------------------

COUNTEREXAMPLE = Case(QuadraticClients(((1, "1/1000"), (1, "1/1000")), ((0, 1), (0, -1)), (0, 1)), n_rounds=10**12,
    n_local_steps=1)
corollary_4 = theorem_3.restated("C4-NC", "Corollary 4, non-convex", assumptions=(*PLAIN, moving), family=_family(**_TUNED))
tuned_least_gradient_printed = corollary_4.printed(
    "SFL, non-convex, at the printed step (third candidate with R^(2/3))", bounds.C4_NC_PRINTED,
    counterexamples=(COUNTEREXAMPLE,), tuning=((eta, bounds.C4_NC_PRINTED_STEP / (M * K)),),
    remark="Where the slope falls with R, the least gradient at the printed step is of order R^(-1/3), not R^(-2/3): it "
        "fails with any constant.")
tuned_least_gradient = corollary_4.corrected("SFL, non-convex, at the tuned step", bounds.C4_NC,
    cases=_runs((*QUADRATIC, WAVE), (300,)) + _runs(QUADRATIC[:3], (10**6, 10**9)) + _runs((DENSE,), (300,)),
    tuning=((eta, bounds.C4_NC_STEP / (M * K)),), full_cases=lambda: _runs((*COSINE, PIECEWISE), (2000,)))

# Theorems 15 and 16 ---------------------------------------------------------------------------------------------

SERVER_STEPS = ("3/2", 4)
_OTHERS = (*QUADRATIC, DENSE)


def _server_cases(parallel: bool) -> tuple[Case, ...]:
    exact_cases = tuple(
        case for g in (1, *SERVER_STEPS) for case in _steps(_OTHERS, (1,), parallel=parallel, server_step=g, **_LONG)
    )
    return exact_cases + _steps(COSINE[:1], (1,), parallel=parallel, server_step=2, **_SHORT)


def _server_runs() -> tuple[Case, ...]:
    return tuple(
        case
        for g in SERVER_STEPS
        for case in _runs(QUADRATIC, (300,), server_step_size=g) + _runs(QUADRATIC[:3], (10**7,), server_step_size=g)
    )


TUNED_SERVER: dict[str, Any] = {"assumptions": (*NONCONVEX, moving), "cases": _server_runs(),
    "family": _family(server=True, **_TUNED)}
theorem_15 = PAPER.theorem("T15", "Theorem 15 (its proof names the constants)", MEASURE, algorithms.sequential)
tuned_theorem_15 = theorem_15.restated("T15-tuned", "Theorem 15, tuned",
    tuning=((eta, bounds.T15_TUNED_STEP / (gamma * M * K)),), **TUNED_SERVER)
theorem_16 = PAPER.theorem("T16", "Theorem 16", MEASURE, algorithms.parallel)
tuned_theorem_16 = theorem_16.restated("T16-tuned", "Theorem 16, tuned",
    tuning=((eta, bounds.T16_TUNED_STEP / (gamma * K)),), **TUNED_SERVER)
sequential_server = theorem_15.explicit("SFL with a server step, non-convex", bounds.T15, assumptions=NONCONVEX,
    cases=_server_cases(False), family=_family(server=True), full_cases=_more(False, SERVER_STEPS))
parallel_server = theorem_16.explicit("PFL with a server step, non-convex", bounds.T16, assumptions=NONCONVEX,
    cases=_server_cases(True), family=_family(server=True, steps_in_round="parallel"), full_cases=_more(True, SERVER_STEPS))

CLAIMS: tuple[Claim, ...] = (
    least_gradient,
    tuned_least_gradient_printed,
    tuned_least_gradient,
    sequential_server,
    tuned_theorem_15.explicit("SFL with a server step, non-convex, at the tuned step", bounds.T15_TUNED),
    parallel_server,
    tuned_theorem_16.explicit("PFL with a server step, non-convex, at the tuned step", bounds.T16_TUNED),
)
