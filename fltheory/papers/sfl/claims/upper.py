"""Claims of the upper bounds: Theorem 3, Corollary 4, Theorem 7, partial participation, Theorems 15, 16 and 20."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy

from fltheory import assumptions as assume
from fltheory.bound import Bound
from fltheory.claim import Claim
from fltheory.instance import Case
from fltheory.measure import AveragedGap, LastDistance, LeastGradient, RunMeasure
from fltheory.papers.sfl import algorithms, bounds
from fltheory.papers.sfl.bounds import K, M, R, S, eta, gamma, mu
from fltheory.papers.sfl.instances import CONVEX, STRONGLY_CONVEX, at_effective_step

CONVEX_CASE = (
    assume.minimised,
    assume.smooth,
    assume.bounded_noise,
    assume.heterogeneity_at_optimum,
    assume.plain_server,
)
SC = (*CONVEX_CASE, assume.strongly_convex, assume.full_participation)
GC = (*CONVEX_CASE, assume.convex, assume.full_participation)
SC_PART = (*CONVEX_CASE, assume.strongly_convex, assume.participation)
GC_PART = (*CONVEX_CASE, assume.convex, assume.participation)
NC = (assume.smooth, assume.bounded_noise, assume.uniform_heterogeneity, assume.full_participation)

UNIFORM = AveragedGap(sympy.Integer(1))
SFL_WEIGHTED = AveragedGap(1 - mu * eta * M * K / 2)
SFL_PART_WEIGHTED = AveragedGap(1 - mu * eta * S * K / 2)
PFL_WEIGHTED = AveragedGap(1 - mu * eta * K / 2)


def family(curved: bool, **options: Any) -> Callable[[], Any]:
    """Random quadratic clients with rounds, local steps and step size."""

    def build() -> Any:
        from fltheory.strategies import quadratic_clients, runs

        return runs(quadratic_clients(curved=curved), **options)

    return build


def decayed(measure: AveragedGap, step: sympy.Expr) -> AveragedGap:
    """The weights of a tuned claim: the effective step is the tuned one."""
    return replace(measure, decay=1 - mu * step / 2)


def _cases(instances: Any, relatives: tuple[object, ...], steps: str, **settings: object) -> tuple[Case, ...]:
    return tuple(at_effective_step(i, r, steps, **settings) for i in instances for r in relatives)


def _claim(
    name: str, statement: str, bound: Bound, measure: RunMeasure, algorithm: Any, assumptions: tuple[Any, ...],
    cases: tuple[Case, ...], draw: Callable[[], Any], **more: Any,
) -> Claim:  # fmt: skip
    return Claim(
        f"sfl/{name}@{bound.source.reading}", statement, (bound,), measure, algorithm, assumptions,
        cases=cases, family=draw, **more,
    )  # fmt: skip


_LONG = {"n_rounds": 1200, "n_local_steps": 3}
_SC_SFL = _cases(STRONGLY_CONVEX, ("1/6", "1/60"), "MK", **_LONG)
_GC_SFL = _cases(CONVEX + STRONGLY_CONVEX[:3], ("1/6", "1/60"), "MK", **_LONG)

upper_strongly_convex = _claim(
    "T3-SC", "SFL, strongly convex: error of the weighted average", bounds.T3_SC, SFL_WEIGHTED, algorithms.sequential, SC,
    _SC_SFL, family(True),
)  # fmt: skip

CLAIMS: tuple[Claim, ...] = (upper_strongly_convex,)
_ = (
    GC,
    SC_PART,
    GC_PART,
    NC,
    UNIFORM,
    SFL_PART_WEIGHTED,
    PFL_WEIGHTED,
    LastDistance,
    LeastGradient,
    gamma,
    R,
    _GC_SFL,
)
