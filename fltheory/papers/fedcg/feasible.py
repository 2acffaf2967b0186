"""The feasibility of the states of a run: points of the polytope, or independent sets."""

from __future__ import annotations

import numpy as np

from fltheory.model.case import Case
from fltheory.number import RATIONAL
from fltheory.papers.fedcg.instances.polytopes import independence_violation, polytope_violation
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.constants import run_constants
from fltheory.runs.method import VariantError


def require_points(states: np.ndarray, case: Case[SubmodularClients]) -> None:
    """Raise VariantError unless all states (paths, rounds, n) are points of the polytope.

    For a step eta with eta t > 1 the polytope is scaled by eta t, as t steps along bases reach that far.
    """
    instance = case.instance
    eta = run_constants(case, RATIONAL if states.dtype == object else None).server_step_size
    for t in range(states.shape[1]):
        reason = polytope_violation(instance.matroid, states[:, t], max(eta * t, eta * 0 + 1))
        if reason:
            raise VariantError(f"{_when(t)}: the point leaves the matroid's polytope: {reason}")


def require_sets(states: np.ndarray, case: Case[SubmodularClients]) -> None:
    """Raise VariantError unless all states (paths, rounds, n) after the start are indicators of independent sets."""
    instance = case.instance
    for t in range(1, states.shape[1]):
        reason = independence_violation(instance.matroid, states[:, t])
        if reason:
            raise VariantError(f"{_when(t)}: the state is not an independent set: {reason}")


def _when(t: int) -> str:
    return f"round {t - 1}" if t else "the start"
