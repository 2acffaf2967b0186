"""Comparison of a user's step on exact numbers with plain runs of the step in floats on the same case.

A step could distinguish exact numbers from floats, one row from many, or callers. So its affine maps and sample paths
are compared with ``rollout`` from the same state and draws. A difference beyond rounding prevents a verdict, unless a
comparison in the step depends on the last digits (``explaining_constants``), so that floats narrowly miss the path.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from flint import arb

from fltheory.evidence.validation.affine_maps import CHANCE_TOLERANCE, ENTRIES, RUN_TOLERANCE, SEEDS, compare_maps
from fltheory.evidence.validation.plain_runs import STEP_TOLERANCE, FloatRuns, explaining_constants, format_point
from fltheory.model.case import Case
from fltheory.number import RATIONAL, Ring
from fltheory.number.agreement import as_float_array
from fltheory.number.elements import Undecided
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import OVERFLOW_LIMIT, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import Affine, AffineFailure, Form, affine_rounds
from fltheory.runs.distributions.sample_paths import MAX_DENOMINATOR_BITS, Round, enumerate_runs, outcome_enumerator
from fltheory.runs.method import VariantError
from fltheory.work import separate_meter

N_FREQUENCY_RUNS = 2_000  # runs of one round whose frequencies are compared with the probabilities
GROWTH_TOLERANCE = 1e-5  # tolerance for errors that grow from round to round
MAX_RELATIVE_RADIUS = 1e-12  # largest radius, relative to the largest number of a run, for a comparison of midpoints
FREQUENCY_ERROR_RATE = 1e-9  # error rate of the comparison of frequencies
WeightedPoints = tuple[np.ndarray, np.ndarray]  # outcomes of a round, (ends, dim), and their probabilities
_recent_comparisons: list[tuple[Any, Any, Any]] = []  # (step, case, result) of the last comparisons
_skip_stack: list[None] = []  # one entry for each active ``skip_comparison``


@contextmanager
def skip_comparison() -> Iterator[None]:
    """Skip comparisons in this context, for a search that checks its few relevant cases again outside."""
    _skip_stack.append(None)
    try:
        yield
    finally:
        _skip_stack.pop()


def is_comparison_skipped() -> bool:
    """Return whether ``skip_comparison`` is active."""
    return bool(_skip_stack)


def affine_maps(algorithm: Algorithm, case: Case) -> tuple[Affine, ...] | AffineFailure:
    """Return the rounds as affine maps, after a comparison with plain runs if the step is a user's."""
    found = affine_rounds(algorithm, case)
    if isinstance(found, AffineFailure) or _skip_stack or is_library((algorithm.step, algorithm.init)):
        return found
    key = [_form_key(form) for one in found for form in one.forms.flat if one.ring is RATIONAL]
    if not _was_compared(algorithm, case, key):
        with separate_meter():  # not charged, because the result may be cached
            compare_maps(FloatRuns(algorithm, case), found)
        _remember(algorithm, case, key)
    return found


def _form_key(form: Form) -> list[tuple[str, str]]:
    """Return a key of a form for comparison."""
    return sorted((str(k), str(v)) for k, v in form.terms.items())


def exact_runs(
    algorithm: Algorithm, case: Case, limit: int, ring: Ring = RATIONAL, bits: int = MAX_DENOMINATOR_BITS
) -> tuple[np.ndarray, list[Any]]:
    """Enumerate a run in rationals of limited size or balls, and compare with plain runs if the step is a user's."""
    states, chances = enumerate_runs(algorithm, case, ring, limit, bits)
    if not _skip_stack and not is_library((algorithm.step, algorithm.init)):
        _require_narrow_balls(states)
        key = ([str(v) for v in states.flat if ring is RATIONAL], [str(v) for v in chances if ring is RATIONAL])
        if not _was_compared(algorithm, case, key):
            with separate_meter():
                after = outcome_enumerator(algorithm, case, None, limit)
                _compare_runs(FloatRuns(algorithm, case), as_float_array(states), as_float_array(chances), after)
            _remember(algorithm, case, key)
    return states, chances


def _require_narrow_balls(states: np.ndarray) -> None:
    """Raise Undecided if balls are too wide to compare their midpoints with floats, so more precision is needed."""
    size = max((abs(float(v.mid())) for v in states.flat if isinstance(v, arb)), default=0.0)
    if any(isinstance(v, arb) and not float(v.rad()) <= MAX_RELATIVE_RADIUS * size for v in states.flat):
        raise Undecided("leads to balls that are too wide to be compared with floats")


def _was_compared(algorithm: Algorithm, case: Case, found: object) -> bool:
    """Return whether this comparison is cached; VariantError if the step now returns something else."""
    for judged, other, before in _recent_comparisons:
        if judged == _comparison_key(algorithm) and other is case and type(before) is type(found):
            if before != found:
                raise VariantError(f"{algorithm.name} returns different results for the same exact numbers")
            return True
    return False


def _comparison_key(algorithm: Algorithm) -> tuple[Any, ...]:
    """Return the data on which the paths of a run depend."""
    return algorithm.step, algorithm.init, algorithm.ordered, algorithm.batches


def _remember(algorithm: Algorithm, case: Case, found: object) -> None:
    _recent_comparisons.append((_comparison_key(algorithm), case, found))
    del _recent_comparisons[:-4]


# Sample paths ---------------------------------------------------------------------------------------------------------


def _compare_runs(plain: FloatRuns, states: np.ndarray, chances: np.ndarray, after: Round) -> None:
    """Check that float paths and simulated runs are paths in rationals, with equal probabilities and frequencies."""
    rounds = states.shape[1] - 1
    for r in range(rounds):
        for x, ends, likely in _branches(states, chances, r):
            _compare_branches(plain, after, r, x, (ends, likely))
    for n, first in ((SEEDS, 0), (1, SEEDS)):
        runs = plain.runs(n, rounds, first)
        for row, run in enumerate(runs):
            _follow_path(plain, states, run, first + row)
    if rounds and len(chances) > 1 and plain.wide:
        _compare_frequencies(plain, *_step_outcomes(after, states[0, 0], plain.c, 0))


def _branches(states: np.ndarray, chances: np.ndarray, r: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return for every state at the start of round r its outcomes, (ends, dim), and their probabilities."""
    places, which = np.unique(states[:, r], axis=0, return_inverse=True)
    rows = np.argsort(which.ravel(), kind="stable")
    for x, own in zip(places, np.split(rows, np.cumsum(np.bincount(which.ravel()))[:-1]), strict=True):
        ends, end = np.unique(states[own, r + 1], axis=0, return_inverse=True)
        likely = np.bincount(end.ravel(), weights=chances[own])
        yield x, ends, likely / likely.sum()


def _compare_branches(plain: FloatRuns, after: Round, r: int, x: np.ndarray, exactly: WeightedPoints) -> None:
    if not (np.abs(exactly[0]) < OVERFLOW_LIMIT).all():
        return
    found = _step_outcomes(after, x, plain.c, r)
    if _clouds_agree(found, exactly, plain.slack(RUN_TOLERANCE, x, found[0], exactly[0])):
        return

    def where(points: np.ndarray, c: Constants) -> np.ndarray:
        clouds = [_step_outcomes(after, point, c, r) for point in points]
        slack = plain.slack(100 * STEP_TOLERANCE, x, found[0], exactly[0])
        return np.array([[_clouds_agree(cloud, end, slack) for end in (exactly, found)] for cloud in clouds])

    unsure = plain.rounding_shift(x[None], np.zeros(1, dtype=np.int64), r)[0]
    if unsure.any() and _clouds_agree(found, exactly, plain.slack(RUN_TOLERANCE, x, found[0], exactly[0]) + unsure):
        return
    if explaining_constants(plain, x, where) is None:
        away = np.abs(found[0][:, None, :] - exactly[0][None]).max(axis=2).min(axis=1)
        worst = int(np.nan_to_num(away, nan=np.inf).argmax())
        one = exactly[0][0] if len(exactly[0]) == 1 else None
        raise plain.mismatch_error(r, x, found[0][worst], one)


def _step_outcomes(after: Round, x: np.ndarray, c: Constants, r: int) -> WeightedPoints:
    with np.errstate(all="ignore"):
        _, ends, chances = after(x[None], c, r)
    likely = as_float_array(chances)
    seen = likely > FREQUENCY_ERROR_RATE  # floats of a probability 0
    return ends[seen].astype(float), likely[seen]


def _clouds_agree(found: WeightedPoints, exactly: WeightedPoints, slack: np.ndarray) -> bool:
    """Return whether two weighted point sets agree up to ``slack`` in each coordinate."""
    (ends, likely), (goals, wanted) = found, exactly
    if not np.isfinite(ends).all():
        return False
    order, other = np.lexsort(ends.T[::-1]), np.lexsort(goals.T[::-1])
    if len(ends) == len(goals):
        apart = np.abs(ends[order] - goals[other])
        if (apart <= slack).all() and (np.abs(likely[order] - wanted[other]) <= CHANCE_TOLERANCE).all():
            return True
    within, at_all = np.zeros(len(goals)), np.zeros(len(goals))  # probabilities near an end
    for rows in np.array_split(np.arange(len(ends)), 1 + ends.size * len(goals) // ENTRIES):
        near = (np.abs(ends[rows, None, :] - goals[None]) <= slack).all(axis=2)
        if not near.any(axis=1).all():
            return False
        within += (likely[rows, None] * near).sum(axis=0)
    for rows in np.array_split(np.arange(len(goals)), 1 + goals.size * len(goals) // ENTRIES):
        near = (np.abs(goals[rows, None, :] - goals[None]) <= slack).all(axis=2)
        at_all += (wanted[rows, None] * near).sum(axis=0)
    return bool((np.abs(within - at_all) <= CHANCE_TOLERANCE).all())


def _follow_path(plain: FloatRuns, states: np.ndarray, run: np.ndarray, draw: int) -> None:
    alive, away = np.ones(len(states), dtype=bool), 0.0
    for r in range(len(run) - 1):
        x, new = run[r], run[r + 1]
        with np.errstate(all="ignore"):
            slack = plain.slack(RUN_TOLERANCE, x, new, states[alive, : r + 2])
            distance = (np.abs(states[:, r + 1] - new) / slack).max(axis=1)
        if not np.isfinite(slack).all():
            return
        matched = alive & (distance <= 1)
        if not matched.any():
            if distance[alive].min() <= away / GROWTH_TOLERANCE:
                return  # errors of earlier rounds have grown
            unsure = plain.rounding_shift(x[None], np.array([draw]), r)[0]
            if (np.abs(states[alive, r + 1] - new) <= slack + unsure).all(axis=1).any():
                return  # rounding decides the step there, as its formula implies
            targets = np.unique(states[alive, r + 1], axis=0)[:32]
            ways = (plain.end_classifier(np.int64(draw), r, (target, new)) for target in targets)
            if all(explaining_constants(plain, x, way) is None for way in ways) and not _is_near_miss(
                plain, states[alive], r, draw
            ):
                raise plain.mismatch_error(r, x, new, targets[0] if len(targets) == 1 else None)
            return  # it continues on another path
        alive, away = matched, float(distance[matched].min())


def _is_near_miss(plain: FloatRuns, states: np.ndarray, r: int, draw: int) -> bool:
    """Return whether the step in floats agrees with exact numbers at the exact state, which the run narrowly missed.

    An example is sign(x) at 0 if the float run is at 1e-16: an isolated point, which no rounding of a constant reaches.
    """
    starts = np.unique(states[:, r], axis=0)
    ends = plain.one_round(starts, np.full(len(starts), np.int64(draw)), r)
    for start, end in zip(starts, ends, strict=True):
        wanted = states[(states[:, r] == start).all(axis=1), r + 1]
        if (np.abs(wanted - end) <= plain.slack(RUN_TOLERANCE, start, end, wanted)).all(axis=1).any():
            return True
    return False


def _compare_frequencies(plain: FloatRuns, ends: np.ndarray, likely: np.ndarray) -> None:
    runs = plain.runs(N_FREQUENCY_RUNS, 1)[:, 1]
    apart = 10 * plain.slack(RUN_TOLERANCE, ends[0], ends)
    if not np.isfinite(apart).all():
        return
    places, which = np.unique(np.round(ends / apart), axis=0, return_inverse=True)
    known = np.bincount(which.ravel(), weights=likely)
    counts = np.zeros(len(places))
    for rows in np.array_split(runs / apart, max(1, len(runs) * len(places) // 1_000_000)):
        nearest = np.abs(rows[:, None] - places[None]).max(axis=2).argmin(axis=1)
        counts += np.bincount(nearest, minlength=len(places))
    centres = places * apart
    doubt = math.sqrt(math.log(2 * len(places) / FREQUENCY_ERROR_RATE) / (2 * len(runs)))
    worst = int(np.abs(counts / len(runs) - known).argmax())
    if abs(counts[worst] / len(runs) - known[worst]) > doubt:
        raise VariantError(
            f"{plain.algorithm.name} is not the same step in floats as on exact numbers: its first round ends at "
            f"{format_point(centres[worst])} in {counts[worst] / len(runs):.3g} of the runs, and with probability "
            f"{known[worst]:.3g} exactly"
        )
