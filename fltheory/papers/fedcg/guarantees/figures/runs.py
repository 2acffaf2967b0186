"""Shared parts of the figures of federated continuous greedy: bounds along runs, curves with bands, vacuous zones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from sympy import Symbol

from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.fedcg.notation import OPT
from fltheory.plotting.picture import Curve, Zone
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.algorithm import Algorithm, rollout

RUNS = 20
BAND = f"mean of {RUNS} runs, band from the least to the largest"
VACUOUS = "vacuous: the guarantee as printed is not positive"


def case_of_run(instance: SubmodularClients, rounds: int, **more: object) -> Case:
    """Return a case of so many rounds of step 1/T."""
    return Case(instance, n_rounds=rounds, server_step_size=Fraction(1, rounds), **more)


def optimum(case: Case) -> float:
    """Return OPT."""
    return to_float(case.constants[OPT])


def bound_values(bound: Bound, case: Case, read: Mapping[Symbol, np.ndarray]) -> np.ndarray:
    """Return the bound of each run in floats; ``read``: the sums that it takes from the runs."""
    constants = bound.complete(case.constants, tuple(read))
    names = tuple(sorted(bound.expr.free_symbols, key=lambda s: s.name))
    columns = [read[s] if s in read else to_float(constants[s]) for s in names]
    return np.asarray(sympy.lambdify(names, bound.expr, "numpy")(*columns), dtype=float)


def simulate(algorithm: Algorithm, case: Case, runs: int = RUNS) -> tuple[np.ndarray, np.ndarray]:
    """Return the states of some runs, and the extension of F at their ends."""
    states = rollout(algorithm, case, runs)
    instance = case.instance
    assert isinstance(instance, SubmodularClients)
    return states, instance.extension(states[:, -1])


def band(label: str, x: Sequence[Any], values: Sequence[np.ndarray], style: str, note: str = BAND) -> Curve:
    """Return the mean of the runs with a band from the least to the largest; ``values`` has a row for each x."""
    table = np.array(values)
    low, high = (table.min(axis=1), table.max(axis=1)) if table.shape[1] > 1 else (None, None)
    return Curve(label, x, table.mean(axis=1), style, low, high, note)


def vacuous_zones(x: Sequence[float], mask: Sequence[bool], label: str = VACUOUS) -> tuple[Zone, ...]:
    """Return ranges of a logarithmic axis where the mask is True, each extended halfway to the next point."""
    at = np.asarray(x, float)
    edges = np.concatenate([at[:1] / 1.08, np.sqrt(at[1:] * at[:-1]), at[-1:] * 1.08])
    inside = np.flatnonzero(np.diff([0, *np.asarray(mask, int), 0]))
    return tuple(
        Zone(float(edges[a]), float(edges[b]), "vacuous", label) for a, b in zip(inside[::2], inside[1::2], strict=True)
    )
