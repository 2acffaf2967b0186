"""Deterministic runs in floats, with perturbed copies whose spread estimates the effect of rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.evidence.measured import Interval, Measured
from fltheory.evidence.pathwise import FLOAT_ERROR, simulated_sides
from fltheory.evidence.sequential import simulate
from fltheory.evidence.user_values import run_values
from fltheory.evidence.validation.plain_runs import FloatRuns, RecordingOracle
from fltheory.evidence.validation.rounding import SAFETY_FACTOR, rounding_modes, with_rounding_mode
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import NotRational, streams, to_float
from fltheory.runs.algorithm import MAX_SIMULATED_ROUNDS, Algorithm, start_state, take_step
from fltheory.runs.constants import Constants
from fltheory.runs.measures import GameMeasure, Measure, PathMeasure, RunMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.runs.oracle import OwnOracle

N_PERTURBED = 16
PERTURBATION = 1e-13  # relative to a coordinate, and a tenth of it relative to the terms of a round: more than rounding
SNAP_TOLERANCE = 1e-11  # relative to the terms of a round: one more copy is rounded to decimals that are so close
DIVERGENCE_TOLERANCE = 1e-6  # relative distance at which a perturbed copy has diverged
ROUNDING_RUNS = 8  # runs with other rounding modes
ERROR_MARGIN = 100  # times the largest deviation of a perturbed copy


def evaluate_single_path(measure: RunMeasure, algorithm: Algorithm, case: Case) -> Measured:
    """Measure a deterministic run with an error budget; NotEnumerable if the step draws random numbers.

    Perturbed copies start near the run and are perturbed after every round with different signs, under perturbed
    constants. One copy is rounded to short decimals, where exact runs often have ties that floats miss. If a copy
    diverges, the run gives no evidence.
    """
    if algorithm.of_library or isinstance(case.instance, OwnOracle) or case.instance.draws:
        raise NotEnumerable("there is more than one sample path")
    plain = FloatRuns(algorithm, case)
    if plain.c.n_rounds > MAX_SIMULATED_ROUNDS:
        raise NotEnumerable(f"{plain.c.n_rounds} rounds are too many to simulate")
    states = np.concatenate(
        [_perturbed_states(plain, c, first) for first, c in enumerate(_perturbed_constants(plain.c))]
    )
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(states[0]).max(axis=1) + plain.work(states[0])
        apart = not (np.abs(states - states[0]).max(axis=(0, 2)) <= DIVERGENCE_TOLERANCE * size).all()
        values = run_values(measure, states[..., : case.instance.dim], case).min(axis=1)
        off = ERROR_MARGIN * float(np.abs(values - values[0]).max()) + FLOAT_ERROR * float(np.abs(values).max())
    if math.isnan(values[0]):
        raise VariantError(f"{algorithm.name}: the measure of a run is NaN")
    off = math.inf if apart or math.isnan(off) else off + measure.float_error(case)
    value = float(values[0])
    note = "in floats rounding decides between different paths" if apart else ""
    floor = 0.0 if measure.nonnegative else -math.inf
    return Measured(Interval(max(value - off, floor), value + off), "sampled", estimate=value, note=note)


def _perturbed_constants(c: Constants) -> list[Constants]:
    """Return the constants and two perturbed copies, in which only floats are moved up or down."""
    floats = [name for name, value in vars(c).items() if isinstance(value, float)]
    found = [c]
    for group in range(2):
        signs = np.where(streams.uniform(1, np.arange(len(floats)), group, 0, 0) < 0.5, -1, 1)
        for way in (1, -1):
            moved = {n: vars(c)[n] * (1 + way * PERTURBATION * s) for n, s in zip(floats, signs.tolist(), strict=True)}
            found.append(type(c)(**{**vars(c), **moved}))
    return found


def _perturbed_states(plain: FloatRuns, c: Constants, group: int) -> np.ndarray:
    """Return the states of the run and its copies at the start of every round, (1 + SHADOWS + 1, R + 1, width)."""
    algorithm, case, rows = plain.algorithm, plain.case, np.arange(2 + N_PERTURBED)
    x = start_state(algorithm, case, len(rows), None)
    x[1:-1] += _perturbations(x, plain.work(x[:1])[0], case.instance.dim, 0, group)
    states = np.empty((len(rows), c.n_rounds + 1, x.shape[1]))
    states[:, 0] = x
    for r in range(c.n_rounds):
        oracle = RecordingOracle(algorithm, case, 0, rows, r)
        x = take_step(algorithm, x, oracle, c, r).copy()
        if (oracle.heard.likely != 1).any():
            raise NotEnumerable("the step draws")
        work = plain.work(x[:1])[0]
        with np.errstate(over="ignore", invalid="ignore"):
            x[1:-1] += _perturbations(x, work, case.instance.dim, r + 1, group)
            x[-1] = _snap_to_decimals(x[-1], work)
        states[:, r + 1] = x
    return states


def _perturbations(x: np.ndarray, work: float, dim: int, round_: int, group: int) -> np.ndarray:
    """Return perturbations of the copies, for the points and for the memory except counts."""
    size = np.abs(x[0]) + work / 10  # terms may cancel
    moved = (np.arange(x.shape[1]) < dim) | (x[0] != np.round(x[0]))
    draws = streams.uniform(group, np.arange(1, len(x) - 1)[:, None], round_, 0, np.arange(x.shape[1]))
    return np.where(draws < 0.5, -1, 1) * (PERTURBATION * size * moved)


def _snap_to_decimals(x: np.ndarray, work: float) -> np.ndarray:
    """Round the coordinates to short decimals if these are close."""
    if not 0 < work < math.inf:
        return x
    unit = 10.0 ** math.floor(math.log10(SNAP_TOLERANCE * work))
    found: np.ndarray = np.round(x / unit) * unit
    return np.where(np.abs(x) < 1e15 * unit, found, x)


# Rounding in a step's own arithmetic --------------------------------------------------------------------------------------


def rounding_sensitivity(measure: Measure, method: Any, case: Case, bound: Bound, limit: float, seed: int) -> float:
    """Estimate the relative effect of rounding in a user's own arithmetic on a value or the limit.

    It compares runs in other rounding modes. VariantError if a repeated run differs. The result is infinite if the
    processor has no other rounding modes, since an untested float is no evidence.
    """
    if not rounding_modes():
        return math.inf
    plain = _float_values(measure, method, case, bound, seed)
    if plain is None:
        return 0.0
    others = [_float_values(measure, with_rounding_mode(method, way), case, bound, seed) for way in rounding_modes()]
    if any(other is None or other.shape != plain.shape for other in others):
        return math.inf
    again = _float_values(measure, method, case, bound, seed)
    if again is None or not np.array_equal(again, plain, equal_nan=True):
        raise VariantError(
            f"{method.name} returns different results for the same arguments: it keeps a memory or draws"
        )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        found = [np.where(other == plain, 0, np.abs(other - plain)) for other in others if other is not None]
        apart = np.max(found, axis=0)
        apart = np.where(apart == 0, 0, apart / (np.abs(plain) + abs(limit)))
    return math.inf if np.isnan(apart).any() else SAFETY_FACTOR * float(apart.mean())


def _float_values(measure: Measure, method: Any, case: Case, bound: Bound, seed: int) -> np.ndarray | None:
    """Measure a few runs in floats; None if there is no value."""
    if isinstance(measure, PathMeasure):
        return simulated_sides(measure, method, bound, case, seed, ROUNDING_RUNS)
    if isinstance(measure, GameMeasure):
        try:
            return np.array(measure.in_floats(method, case))
        except (NotEnumerable, NotRational):
            return np.asarray(simulate(measure, method, case, ROUNDING_RUNS, seed))
    return simulate(measure, method, case, ROUNDING_RUNS, seed).min(axis=1) if isinstance(measure, RunMeasure) else None


def middle_of(value: Any) -> float:
    """Return the midpoint of a quantity's interval, or its lower end if the upper end is infinite."""
    if not isinstance(value, Interval):
        return to_float(value)
    return value.low if math.isinf(value.high) else value.low + (value.high - value.low) / 2
