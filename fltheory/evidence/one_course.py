"""The one course of a run that draws nothing, in floats: shadows beside it show how far rounding may lead it astray."""

from __future__ import annotations

import math

import numpy as np

from fltheory import streams
from fltheory.case import Case
from fltheory.evidence.measured import Interval, Measured
from fltheory.runs.algorithm import SIMULATED, Algorithm, checked_step, start_state
from fltheory.runs.measures import OfRun
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.offers import OwnOracle
from fltheory.scrutiny.plain_runs import Listening, Plain

SHADOWS = 16
NUDGE = 1e-13  # of a coordinate, and a tenth of it of all that a round adds up: more than its rounding
MARGIN = 100  # times what the farthest shadow is off
BUDGET = 1e-9  # relative, besides


def one_course(measure: OfRun, algorithm: Algorithm, case: Case) -> Measured:
    """The measured quantity where nothing is left to chance, with an error budget; NotEnumerable where the step draws.

    The shadows are nudged after every round, each by other signs. Where they part, as at a jump, the interval is wide.
    """
    if algorithm.of_library or isinstance(case.instance, OwnOracle) or case.instance.draws:
        raise NotEnumerable("there is more than one course")
    states = _states(algorithm, case)
    with np.errstate(over="ignore", invalid="ignore"):
        values = measure.values(states[..., : case.instance.dim], case).min(axis=1)
        off = MARGIN * float(np.abs(values - values[0]).max()) + BUDGET * float(np.abs(values).max())
    if math.isnan(values[0]):
        raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
    off = math.inf if math.isnan(off) else off + measure.float_error(case)
    value = float(values[0])
    return Measured(Interval(max(value - off, 0.0), value + off), "pathwise", estimate=value)


def _states(algorithm: Algorithm, case: Case) -> np.ndarray:
    """Of the run and its shadows the states at the start of every round, (1 + SHADOWS, R + 1, width)."""
    plain, rows = Plain(algorithm, case), np.arange(1 + SHADOWS)
    c, x = plain.c, start_state(algorithm, case, len(rows), None)
    if c.n_rounds > SIMULATED:
        raise NotEnumerable(f"{c.n_rounds} rounds are too many to follow")
    states = np.empty((len(rows), c.n_rounds + 1, x.shape[1]))
    states[:, 0] = x
    for r in range(c.n_rounds):
        oracle = Listening(algorithm, case, 0, rows, r)
        x = checked_step(algorithm, x, oracle, c, r).copy()
        if (oracle.heard.likely != 1).any():
            raise NotEnumerable("the step draws")
        x[1:] += _nudges(x, plain.work(x[:1])[0], case.instance.dim, r)
        states[:, r + 1] = x
    return states


def _nudges(x: np.ndarray, work: float, dim: int, round_: int) -> np.ndarray:
    """Changes of the shadows: of all points, and of what a step remembers where it is no count."""
    size = np.abs(x[0]) + work / 10  # what is added up may cancel
    moved = (np.arange(x.shape[1]) < dim) | (x[0] != np.round(x[0]))
    draws = streams.uniform(0, np.arange(1, len(x))[:, None], round_, 0, np.arange(x.shape[1]))
    return np.where(draws < 0.5, -1, 1) * (NUDGE * size * moved)
