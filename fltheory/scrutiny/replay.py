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

from fltheory import streams
from fltheory.case import Case
from fltheory.number import RATIONAL, as_number, to_float
from fltheory.number.agreement import floats
from fltheory.number.signals import of_library
from fltheory.runs.algorithm import FAR, Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.laws.affine import CONSTANT, Affine, Refused, affine_round
from fltheory.runs.laws.courses import Round, enumerate_runs, every_course
from fltheory.runs.method import VariantError
from fltheory.runs.offers import noise_factors
from fltheory.scrutiny.plain_runs import GRADIENTS, NEAR, ULPS, Plain, hangs, shown

SEEDS = 8
BETWEEN = 256  # later rounds of a longer run that are looked at
ENTRIES = 4_000_000  # of matrices at once
ROWS = (1, 2, 62, 1_000)  # numbers of rows that simulations and statistics use
SAME = 1e-7  # relative error of a run in floats
FREQUENT = 2_000  # runs of one round whose frequencies are compared with the chances
GROWN = 1e-5  # of the errors that are let pass: what may have grown from round to round
DOUBT = 1e-9  # the chance that frequencies mislead
CHANCES = 1e-6  # by which chances that a step computes in floats may be off
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


def affine_law(algorithm: Algorithm, case: Case) -> Affine | Refused:
    """One round as affine maps, compared with plain runs where the step is a user's."""
    found = affine_round(algorithm, case)
    if isinstance(found, Refused) or _glances or of_library((algorithm.step, algorithm.init)):
        return found
    key = [sorted((str(k), str(v)) for k, v in form.terms.items()) for form in found.forms.flat]
    if not _as_before(algorithm, case, key):
        _compare_maps(Plain(algorithm, case), found)
        _remember(algorithm, case, key)
    return found


def exact_runs(algorithm: Algorithm, case: Case, limit: int) -> tuple[np.ndarray, list[Any]]:
    """All courses of a run in rationals, compared with plain runs where the step is a user's."""
    states, chances = enumerate_runs(algorithm, case, RATIONAL, limit)
    if not _glances and not of_library((algorithm.step, algorithm.init)):
        key = ([str(v) for v in states.flat], [str(v) for v in chances])
        if not _as_before(algorithm, case, key):
            after = every_course(algorithm, case, None, limit)
            _compare_runs(Plain(algorithm, case), floats(states), floats(chances), after)
            _remember(algorithm, case, key)
    return states, chances


def _as_before(algorithm: Algorithm, case: Case, found: object) -> bool:
    """Whether just this was compared already; VariantError where the step now answers something else."""
    for step, other, before in _last:
        if step is algorithm.step and other is case and type(before) is type(found):
            if before != found:
                raise VariantError(
                    f"{algorithm.name} answers differently when it is run on the same exact numbers again"
                )
            return True
    return False


def _remember(algorithm: Algorithm, case: Case, found: object) -> None:
    _last.append((algorithm.step, case, found))
    del _last[:-4]


# Affine maps -----------------------------------------------------------------------------------------------------------


class _Maps:
    """The affine maps of a round in floats."""

    def __init__(self, found: Affine, plain: Plain) -> None:
        self.plain, self.instance = plain, plain.instance
        d = self.instance.dim
        ordered = plain.algorithm.ordered
        self.rows = {o.order if ordered else tuple(sorted(o.order)): i for i, o in enumerate(found.courses)}
        self.matrix, self.offset = np.zeros((len(found.courses), d, d)), np.zeros((len(found.courses), d))
        self.noise: list[dict[tuple[int, int], np.ndarray]] = []
        for row, forms in enumerate(found.forms):
            parts: dict[tuple[int, int], np.ndarray] = {}
            for i, form in enumerate(forms):
                for key, v in form.terms.items():
                    value = to_float(as_number(v))
                    if isinstance(key, tuple):
                        client, k, j = key
                        there = parts.setdefault((client, k), np.zeros((d, self._factors(client).shape[1])))
                        there[i, j] = value
                    elif key == CONSTANT:
                        self.offset[row, i] = value
                    else:
                        self.matrix[row, i, key - 1] = value
            self.noise.append({(m, k): v @ np.linalg.pinv(self._factors(m)) for (m, k), v in parts.items()})
        self.weights = np.array([to_float(o.weight) for o in found.courses])

    def _factors(self, client: int) -> np.ndarray:
        """What the noise of a client's gradient is spanned by, (dim, factors)."""
        columns = noise_factors(self.instance, client)
        assert columns is not None  # else there are no forms
        return np.array([[to_float(v) for v in column] for column in columns]).T

    def predicted(self, x: np.ndarray, repetitions: np.ndarray, rounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the maps take states with the draws of a simulation, and the size of what is added up, (rows, dim) each."""
        seed = self.plain.seed
        orders = streams.orders(seed, repetitions, rounds, self.instance.n_clients, self.plain.size)
        keys = orders if self.plain.algorithm.ordered else np.sort(orders, axis=1)
        which = np.array([self.rows[tuple(key)] for key in keys.tolist()])
        terms = self.matrix[which] * x[:, None, :]
        new = terms.sum(axis=2) + self.offset[which]
        size = np.abs(terms).sum(axis=2) + np.abs(self.offset[which])
        for client, k in {key for row in set(which.tolist()) for key in self.noise[row]}:
            draws = self.instance.draws
            uniforms = [streams.uniform(seed, repetitions, rounds, client, k * draws + i) for i in range(draws)]
            noise = self.instance.noise(x, client, np.stack(uniforms, axis=-1))
            for row in set(which.tolist()):
                if (client, k) in self.noise[row]:
                    here = which == row
                    part = np.asarray(noise)[here] @ self.noise[row][client, k].T
                    new[here] += part
                    size[here] += np.abs(part)
        return new, size


def _compare_maps(plain: Plain, found: Affine) -> None:
    maps = _Maps(found, plain)
    c = plain.c

    def hold(x: np.ndarray, repetitions: np.ndarray, rounds: np.ndarray, new: np.ndarray) -> None:
        nonlocal c
        with np.errstate(all="ignore"):
            target, size = maps.predicted(x, repetitions, rounds)
            all_of_it = size.max(axis=1) + plain.work(x)
            slack = NEAR * size + ULPS * all_of_it[:, None] + 1e-300
            good = (np.abs(new - target) <= slack).all(axis=1)
        good |= ~(np.isfinite(new).all(axis=1) & np.isfinite(target).all(axis=1))
        for row in np.nonzero(~good)[0]:
            here, draw, round_ = x[row], repetitions[row], int(rounds[row])
            if c is not plain.c:
                there = plain.ask(here[None], draw[None], round_, c)[0]
                if (np.abs(there - target[row]) <= SAME / NEAR * slack[row]).all():
                    continue
            hanging = hangs(plain, here, plain.goes(draw, round_, (target[row], new[row])))
            if hanging is None:
                raise plain.refuse(round_, here, new[row], target[row])
            c = hanging

    def hold_all(*parts: np.ndarray) -> None:
        for rows in np.array_split(np.arange(len(parts[0])), 1 + parts[0].size * parts[0].shape[1] // ENTRIES):
            hold(*(part[rows] for part in parts))

    for n in (SEEDS, *(n for n in ROWS if plain.wide or n <= SEEDS)):
        rounds = plain.rounds if n == SEEDS else min(plain.rounds, 16 if n == 1 else 2)
        first = n if n <= 2 else 0
        states = plain.runs(n, rounds, first)
        done, d = states.shape[1] - 1, states.shape[2]
        draws = np.repeat(np.arange(first, first + n), done)
        hold_all(states[:, :-1].reshape(-1, d), draws, np.tile(np.arange(done), n), states[:, 1:].reshape(-1, d))
    for round_, x in _reached(maps, plain):
        rows = np.arange(len(x))
        hold(x, rows, np.full(len(x), round_), plain.ask(x, rows, round_))


def _reached(maps: _Maps, plain: Plain) -> list[tuple[int, np.ndarray]]:
    """Where later rounds of a long run are, by the mean and spread of the maps; and points far around the start."""
    start = np.array([to_float(v) for v in plain.instance.start])
    d = len(start)
    signs = np.where(streams.uniform(2, np.arange(16)[:, None], 0, 0, np.arange(d)) < 0.5, -1.0, 1.0)
    spread = np.repeat([0.1, 1.0, 30.0, 1000.0], 4)[:, None]
    found = [(0, start + signs * spread * (1 + np.abs(start)))]
    if d > 8 or plain.rounds == int(plain.c.n_rounds):
        return found
    n = d + 1
    maps_up = np.zeros((len(maps.weights), n, n))
    maps_up[:, 0, 0], maps_up[:, 1:, 0], maps_up[:, 1:, 1:] = 1, maps.offset, maps.matrix
    extended = np.array([1.0, *start])
    last = int(plain.c.n_rounds)
    with np.errstate(all="ignore"):
        law = sum(w * np.kron(a, a) for w, a in zip(maps.weights, maps_up, strict=True))
        powers = [law]  # of 2^i rounds
        while len(powers) < last.bit_length():
            powers.append(powers[-1] @ powers[-1])
        looked = np.geomspace(plain.rounds, last - 1, max(16, min(BETWEEN, GRADIENTS // plain.asked))).astype(int)
        for round_ in sorted({int(r) for r in looked} | {2**i for i in range(1, len(powers))}):
            vector = np.outer(extended, extended).ravel()
            for i, power in enumerate(powers):
                vector = power @ vector if round_ >> i & 1 else vector
            second = vector.reshape(n, n)
            mean = second[1:, 0]
            std = np.sqrt(np.maximum(np.diag(second)[1:] - mean**2, 0))
            x = np.stack([mean, mean + std * signs[0], mean - 2 * std * signs[1]])
            if np.isfinite(x).all() and np.abs(x).max() < 1e100:
                found.append((round_, x))
    return found


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
            targets = np.unique(states[alive, r + 1], axis=0)[:32]
            ways = (plain.goes(np.int64(draw), r, (target, new)) for target in targets)
            if all(hangs(plain, x, way) is None for way in ways):
                raise plain.refuse(r, x, new, targets[0] if len(targets) == 1 else None)
            return  # from here on another course
        alive, away = matched, float(distance[matched].min())


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
