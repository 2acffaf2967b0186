"""What is known of a user's step on exact numbers, compared with plain runs of that step in floats on the same case.

A step may tell exact numbers from floats, one row from many, or one caller from another. So the affine maps and the courses
of its run are held against ``rollout``: the same state, the same draws. A difference beyond rounding is no verdict, unless a
comparison of the step hangs on the last digits there (``hangs``): then the exact course is one that floats only just miss.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from flint import arb

from fltheory.evidence.validation.affine_maps import CHANCES, ENTRIES, SAME, SEEDS, compare_maps
from fltheory.evidence.validation.plain_runs import NEAR, Plain, hangs, shown
from fltheory.model.case import Case
from fltheory.number import RATIONAL, Ring
from fltheory.number.agreement import floats
from fltheory.number.elements import Undecided
from fltheory.number.ownership import of_library
from fltheory.number.work import apart
from fltheory.runs.algorithm import FAR, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.distributions.affine import Affine, Form, Refused, affine_rounds
from fltheory.runs.distributions.sample_paths import LONG, Round, enumerate_runs, every_course
from fltheory.runs.method import VariantError

FREQUENT = 2_000  # runs of one round whose frequencies are compared with the chances
GROWN = 1e-5  # of the errors that are let pass: what may have grown from round to round
NARROW = 1e-12  # radius of a ball, of the largest number of a run, up to which its middle is compared
DOUBT = 1e-9  # the chance that frequencies mislead
Cloud = tuple[np.ndarray, np.ndarray]  # where a round may end, (ends, dim), and how likely that is
_last: list[tuple[Any, Any, Any]] = []  # (step, case, what was found) of the last comparisons
_glances: list[None] = []  # one for each ``glance`` that is open


@contextmanager
def glance() -> Iterator[None]:
    """Nothing is compared in here: for a search, whose few cases that matter are looked at once more outside."""
    _glances.append(None)
    try:
        yield
    finally:
        _glances.pop()


def glancing() -> bool:
    """Whether one is in a ``glance``."""
    return bool(_glances)


def affine_law(algorithm: Algorithm, case: Case) -> tuple[Affine, ...] | Refused:
    """The rounds as affine maps, compared with plain runs where the step is a user's."""
    found = affine_rounds(algorithm, case)
    if isinstance(found, Refused) or _glances or of_library((algorithm.step, algorithm.init)):
        return found
    key = [_said(form) for one in found for form in one.forms.flat if one.ring is RATIONAL]
    if not _as_before(algorithm, case, key):
        with apart():  # it is not done again where it is remembered: work does not depend on that
            compare_maps(Plain(algorithm, case), found)
        _remember(algorithm, case, key)
    return found


def _said(form: Form) -> list[tuple[str, str]]:
    """A form in words, to be compared."""
    return sorted((str(k), str(v)) for k, v in form.terms.items())


def exact_runs(
    algorithm: Algorithm, case: Case, limit: int, ring: Ring = RATIONAL, bits: int = LONG
) -> tuple[np.ndarray, list[Any]]:
    """All courses of a run in rationals of so many bits, or balls, compared with plain runs where the step is a user's."""
    states, chances = enumerate_runs(algorithm, case, ring, limit, bits)
    if not _glances and not of_library((algorithm.step, algorithm.init)):
        _require_narrow(states)
        key = ([str(v) for v in states.flat if ring is RATIONAL], [str(v) for v in chances if ring is RATIONAL])
        if not _as_before(algorithm, case, key):
            with apart():
                after = every_course(algorithm, case, None, limit)
                _compare_runs(Plain(algorithm, case), floats(states), floats(chances), after)
            _remember(algorithm, case, key)
    return states, chances


def _require_narrow(states: np.ndarray) -> None:
    """Undecided where the middles of balls say nothing of a state: more digits must come before they are compared with floats."""
    size = max((abs(float(v.mid())) for v in states.flat if isinstance(v, arb)), default=0.0)
    if any(isinstance(v, arb) and not float(v.rad()) <= NARROW * size for v in states.flat):
        raise Undecided("leads to balls that are too wide to be compared with floats")


def _as_before(algorithm: Algorithm, case: Case, found: object) -> bool:
    """Whether just this was compared already; VariantError where the step now answers something else."""
    for judged, other, before in _last:
        if judged == _judged_by(algorithm) and other is case and type(before) is type(found):
            if before != found:
                raise VariantError(
                    f"{algorithm.name} answers differently when it is run on the same exact numbers again"
                )
            return True
    return False


def _judged_by(algorithm: Algorithm) -> tuple[Any, ...]:
    """What the courses of a run depend on."""
    return algorithm.step, algorithm.init, algorithm.ordered, algorithm.batches


def _remember(algorithm: Algorithm, case: Case, found: object) -> None:
    _last.append((_judged_by(algorithm), case, found))
    del _last[:-4]


# Courses ---------------------------------------------------------------------------------------------------------------


def _compare_runs(plain: Plain, states: np.ndarray, chances: np.ndarray, after: Round) -> None:
    """Every course in floats must be one in rationals, as likely; simulated runs too, and first rounds as frequent."""
    rounds = states.shape[1] - 1
    for r in range(rounds):
        for x, ends, likely in _branches(states, chances, r):
            _compare_branches(plain, after, r, x, (ends, likely))
    for n, first in ((SEEDS, 0), (1, SEEDS)):
        runs = plain.runs(n, rounds, first)
        for row, run in enumerate(runs):
            _follow(plain, states, run, first + row)
    if rounds and len(chances) > 1 and plain.wide:
        _compare_frequencies(plain, *_cloud(after, states[0, 0], plain.c, 0))


def _branches(states: np.ndarray, chances: np.ndarray, r: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Of every state at the start of round r: where it may go, (ends, dim), and how likely that is."""
    places, which = np.unique(states[:, r], axis=0, return_inverse=True)
    rows = np.argsort(which.ravel(), kind="stable")
    for x, own in zip(places, np.split(rows, np.cumsum(np.bincount(which.ravel()))[:-1]), strict=True):
        ends, end = np.unique(states[own, r + 1], axis=0, return_inverse=True)
        likely = np.bincount(end.ravel(), weights=chances[own])
        yield x, ends, likely / likely.sum()


def _compare_branches(plain: Plain, after: Round, r: int, x: np.ndarray, exactly: Cloud) -> None:
    if not (np.abs(exactly[0]) < FAR).all():
        return
    found = _cloud(after, x, plain.c, r)
    if _alike(found, exactly, plain.slack(SAME, x, found[0], exactly[0])):
        return

    def where(points: np.ndarray, c: Constants) -> np.ndarray:
        clouds = [_cloud(after, point, c, r) for point in points]
        slack = plain.slack(100 * NEAR, x, found[0], exactly[0])
        return np.array([[_alike(cloud, end, slack) for end in (exactly, found)] for cloud in clouds])

    unsure = plain.swayed(x[None], np.zeros(1, dtype=np.int64), r)[0]
    if unsure.any() and _alike(found, exactly, plain.slack(SAME, x, found[0], exactly[0]) + unsure):
        return
    if hangs(plain, x, where) is None:
        away = np.abs(found[0][:, None, :] - exactly[0][None]).max(axis=2).min(axis=1)
        worst = int(np.nan_to_num(away, nan=np.inf).argmax())
        one = exactly[0][0] if len(exactly[0]) == 1 else None
        raise plain.refuse(r, x, found[0][worst], one)


def _cloud(after: Round, x: np.ndarray, c: Constants, r: int) -> Cloud:
    with np.errstate(all="ignore"):
        _, ends, chances = after(x[None], c, r)
    likely = floats(chances)
    seen = likely > DOUBT  # what floats make of a chance of 0
    return ends[seen].astype(float), likely[seen]


def _alike(found: Cloud, exactly: Cloud, slack: np.ndarray) -> bool:
    """Whether two clouds of points with chances are one up to rounding, ``slack`` in each coordinate."""
    (ends, likely), (goals, wanted) = found, exactly
    if not np.isfinite(ends).all():
        return False
    order, other = np.lexsort(ends.T[::-1]), np.lexsort(goals.T[::-1])
    if len(ends) == len(goals):
        apart = np.abs(ends[order] - goals[other])
        if (apart <= slack).all() and (np.abs(likely[order] - wanted[other]) <= CHANCES).all():
            return True
    within, at_all = np.zeros(len(goals)), np.zeros(len(goals))  # chances of what comes near an end
    for rows in np.array_split(np.arange(len(ends)), 1 + ends.size * len(goals) // ENTRIES):
        near = (np.abs(ends[rows, None, :] - goals[None]) <= slack).all(axis=2)
        if not near.any(axis=1).all():
            return False
        within += (likely[rows, None] * near).sum(axis=0)
    for rows in np.array_split(np.arange(len(goals)), 1 + goals.size * len(goals) // ENTRIES):
        near = (np.abs(goals[rows, None, :] - goals[None]) <= slack).all(axis=2)
        at_all += (wanted[rows, None] * near).sum(axis=0)
    return bool((np.abs(within - at_all) <= CHANCES).all())


def _follow(plain: Plain, states: np.ndarray, run: np.ndarray, draw: int) -> None:
    alive, away = np.ones(len(states), dtype=bool), 0.0
    for r in range(len(run) - 1):
        x, new = run[r], run[r + 1]
        with np.errstate(all="ignore"):
            slack = plain.slack(SAME, x, new, states[alive, : r + 2])
            distance = (np.abs(states[:, r + 1] - new) / slack).max(axis=1)
        if not np.isfinite(slack).all():
            return
        matched = alive & (distance <= 1)
        if not matched.any():
            if away > GROWN and distance[alive].min() <= away / GROWN:
                return  # errors of the earlier rounds have grown
            unsure = plain.swayed(x[None], np.array([draw]), r)[0]
            if (np.abs(states[alive, r + 1] - new) <= slack + unsure).all(axis=1).any():
                return  # floats can't follow the step there: it is its formula
            targets = np.unique(states[alive, r + 1], axis=0)[:32]
            ways = (plain.goes(np.int64(draw), r, (target, new)) for target in targets)
            if all(hangs(plain, x, way) is None for way in ways) and not _missed(plain, states[alive], r, draw):
                raise plain.refuse(r, x, new, targets[0] if len(targets) == 1 else None)
            return  # from here on another course
        alive, away = matched, float(distance[matched].min())


def _missed(plain: Plain, states: np.ndarray, r: int, draw: int) -> bool:
    """Whether in floats too the step does as on exact numbers, from just the exact state: one that the run only just missed.

    So does sign(x) at 0, where the run in floats stands at 1e-16: a point on its own, which no rounding of a constant hits.
    """
    starts = np.unique(states[:, r], axis=0)
    ends = plain.ask(starts, np.full(len(starts), np.int64(draw)), r)
    for start, end in zip(starts, ends, strict=True):
        wanted = states[(states[:, r] == start).all(axis=1), r + 1]
        if (np.abs(wanted - end) <= plain.slack(SAME, start, end, wanted)).all(axis=1).any():
            return True
    return False


def _compare_frequencies(plain: Plain, ends: np.ndarray, likely: np.ndarray) -> None:
    runs = plain.runs(FREQUENT, 1)[:, 1]
    apart = 10 * plain.slack(SAME, ends[0], ends)
    if not np.isfinite(apart).all():
        return
    places, which = np.unique(np.round(ends / apart), axis=0, return_inverse=True)
    known = np.bincount(which.ravel(), weights=likely)
    counts = np.zeros(len(places))
    for rows in np.array_split(runs / apart, max(1, len(runs) * len(places) // 1_000_000)):
        nearest = np.abs(rows[:, None] - places[None]).max(axis=2).argmin(axis=1)
        counts += np.bincount(nearest, minlength=len(places))
    centres = places * apart
    doubt = math.sqrt(math.log(2 * len(places) / DOUBT) / (2 * len(runs)))
    worst = int(np.abs(counts / len(runs) - known).argmax())
    if abs(counts[worst] / len(runs) - known[worst]) > doubt:
        raise VariantError(
            f"{plain.algorithm.name} is not the same step in floats as on exact numbers: its first round ends at "
            f"{shown(centres[worst])} in {counts[worst] / len(runs):.3g} of the runs, and with chance "
            f"{known[worst]:.3g} exactly"
        )
