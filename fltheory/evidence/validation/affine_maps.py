"""Comparison of a user's affine maps with plain runs of the step in floats, from the same states and draws."""

from __future__ import annotations

import numpy as np

from fltheory.evidence.validation.plain_runs import GRADIENTS, STEP_TOLERANCE, ULPS, FloatRuns, explaining_constants
from fltheory.model.case import FederatedInstance
from fltheory.number import as_number, streams, to_float
from fltheory.runs.distributions.affine import CONSTANT, Affine
from fltheory.runs.distributions.comparisons import signs_hold_at
from fltheory.runs.method import VariantError
from fltheory.runs.protocols import client_noise_factors

SEEDS = 8
MAX_LATER_ROUNDS = 256  # later rounds of a longer run to check
ENTRIES = 4_000_000  # matrix entries in memory at once
ROWS = (1, 2, 62, 1_000)  # batch sizes of simulations and statistics
RUN_TOLERANCE = 1e-7  # relative error of a run in floats
CHANCE_TOLERANCE = 1e-6  # tolerance for probabilities that a step computes in floats


# Affine maps -----------------------------------------------------------------------------------------------------------


class _RoundMaps:
    """Return the affine maps of one round in floats."""

    def __init__(self, found: Affine, plain: FloatRuns) -> None:
        instance, width = plain.instance, found.forms.shape[1]
        self.rows = {course.answers: i for i, course in enumerate(found.courses)}
        self.matrix = np.zeros((len(found.courses), width, width))
        self.offset = np.zeros((len(found.courses), width))
        self.noise: list[dict[tuple[int, int], np.ndarray]] = []
        for row, forms in enumerate(found.forms):
            parts: dict[tuple[int, int], np.ndarray] = {}
            for i, form in enumerate(forms):
                for key, v in form.terms.items():
                    value = to_float(as_number(v))
                    if isinstance(key, tuple):
                        client, k, j = key
                        factors = _factors(instance, client)
                        parts.setdefault((client, k), np.zeros((width, factors.shape[1])))[i, j] = value
                    elif key == CONSTANT:
                        self.offset[row, i] = value
                    else:
                        self.matrix[row, i, key - 1] = value
            self.noise.append({(m, k): v @ np.linalg.pinv(_factors(instance, m)) for (m, k), v in parts.items()})
        self.weights = np.array([to_float(as_number(course.weight)) for course in found.courses])


def _factors(instance: FederatedInstance, client: int) -> np.ndarray:
    """Return vectors that span the noise of a client's gradient, (dim, factors)."""
    columns = client_noise_factors(instance, client)
    assert columns is not None  # otherwise there are no forms
    return np.array([[to_float(v) for v in column] for column in columns]).T


class _RunMaps:
    """The affine maps of a run's rounds in floats; a single round if all are the same."""

    def __init__(self, found: tuple[Affine, ...], plain: FloatRuns) -> None:
        self.plain, self.instance = plain, plain.instance
        self.of = [_RoundMaps(one, plain) for one in found]
        self.used_chance = any(one.used_chance for one in found)

    def predicted(self, x: np.ndarray, repetitions: np.ndarray, rounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the images of states for a simulation's draws, and the size of the terms, (rows, width) each."""
        new, size = np.zeros(x.shape), np.zeros(x.shape)
        apart = len(self.of) > 1 or self.used_chance
        for r in np.unique(rounds).tolist() if apart else [0]:
            here = np.nonzero(rounds == r)[0] if apart else np.arange(len(x))
            maps = self.of[min(r, len(self.of) - 1)]
            which = self._outcome_indices(maps, x[here], repetitions[here], r if self.used_chance else rounds[here])
            new[here], size[here] = self._moved(maps, which, x[here], repetitions[here], rounds[here])
        return new, size

    def _outcome_indices(
        self, maps: _RoundMaps, x: np.ndarray, repetitions: np.ndarray, rounds: int | np.ndarray
    ) -> np.ndarray:
        """Return the outcome of each row, from its order of clients or from all its simulated draws."""
        plain = self.plain
        if isinstance(rounds, int):
            answers, likely = plain.heard(x, repetitions, rounds)
            which = np.array([maps.rows.get(own, -1) for own in answers])
            if (which < 0).any() or (np.abs(maps.weights[which] - likely) > CHANCE_TOLERANCE).any():
                raise VariantError(
                    f"{plain.algorithm.name} is not the same step in floats as on exact numbers: in round {rounds} it asks for "
                    "other coins or choices there, or with other chances"
                )
            return which
        if len(maps.rows) == 1:
            return np.zeros(len(x), dtype=np.int64)
        orders = streams.ordered_samples(plain.seed, repetitions, rounds, self.instance.n_clients, plain.size)
        keys = orders if plain.algorithm.ordered else np.sort(orders, axis=1)
        return np.array([maps.rows[tuple(key)] for key in keys.tolist()])

    def _moved(
        self, maps: _RoundMaps, which: np.ndarray, x: np.ndarray, repetitions: np.ndarray, rounds: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        terms = maps.matrix[which] * x[:, None, :]
        new = terms.sum(axis=2) + maps.offset[which]
        size = np.abs(terms).sum(axis=2) + np.abs(maps.offset[which])
        points = x[:, : self.instance.dim]
        for client, k in {key for row in set(which.tolist()) for key in maps.noise[row]}:
            draws = self.instance.draws
            uniforms = [
                streams.uniform(self.plain.seed, repetitions, rounds, client, k * draws + i) for i in range(draws)
            ]
            noise = self.instance.noise(points, client, np.stack(uniforms, axis=-1))
            for row in set(which.tolist()):
                if (client, k) in maps.noise[row]:
                    here = which == row
                    part = np.asarray(noise)[here] @ maps.noise[row][client, k].T
                    new[here] += part
                    size[here] += np.abs(part)
        return new, size


def compare_maps(plain: FloatRuns, found: tuple[Affine, ...]) -> None:
    """Raise VariantError if a run in floats differs from the maps by more than rounding."""
    maps = _RunMaps(found, plain)
    c = plain.c

    def hold(x: np.ndarray, repetitions: np.ndarray, rounds: np.ndarray, new: np.ndarray) -> None:
        nonlocal c
        with np.errstate(all="ignore"):
            target, size = maps.predicted(x, repetitions, rounds)
            all_of_it = size.max(axis=1) + plain.work(x)
            slack = STEP_TOLERANCE * size + ULPS * all_of_it[:, None] + 1e-300
            good = (np.abs(new - target) <= slack).all(axis=1)
        good |= ~(np.isfinite(new).all(axis=1) & np.isfinite(target).all(axis=1))
        for row in np.nonzero(~good)[0]:
            here, draw, round_ = x[row], repetitions[row], int(rounds[row])
            if c is not plain.c:
                there = plain.one_round(here[None], draw[None], round_, c)[0]
                if (np.abs(there - target[row]) <= RUN_TOLERANCE / STEP_TOLERANCE * slack[row]).all():
                    continue
            if (
                np.abs(new[row] - target[row]) <= slack[row] + plain.rounding_shift(here[None], draw[None], round_)[0]
            ).all():
                continue  # rounding decides the step there, as its formula implies
            hanging = explaining_constants(plain, here, plain.end_classifier(draw, round_, (target[row], new[row])))
            if hanging is None:
                raise plain.mismatch_error(round_, here, new[row], target[row])
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
    for round_, x in _late_states(maps, plain):
        x = x[
            [signs_hold_at(found[min(round_, len(found) - 1)].sides, state, found[0].draw) for state in x]
        ]  # points on which the maps must agree
        rows = np.arange(len(x))
        hold(x, rows, np.full(len(x), round_), plain.one_round(x, rows, round_))


def _late_states(maps: _RunMaps, plain: FloatRuns) -> list[tuple[int, np.ndarray]]:
    """Choose points of later rounds of a long run, by the maps' mean and spread, and points far from the start."""
    start = plain.start
    d = len(start)
    signs = np.where(streams.uniform(2, np.arange(16)[:, None], 0, 0, np.arange(d)) < 0.5, -1.0, 1.0)
    spread = np.repeat([0.1, 1.0, 30.0, 1000.0], 4)[:, None]
    found = [(0, start + signs * spread * (1 + np.abs(start)))]
    if d > 8 or plain.rounds == int(plain.c.n_rounds) or len(maps.of) > 1:
        return found
    n, one = d + 1, maps.of[0]
    maps_up = np.zeros((len(one.weights), n, n))
    maps_up[:, 0, 0], maps_up[:, 1:, 0], maps_up[:, 1:, 1:] = 1, one.offset, one.matrix
    extended = np.array([1.0, *start])
    last = int(plain.c.n_rounds)
    with np.errstate(all="ignore"):
        law = sum(w * np.kron(a, a) for w, a in zip(one.weights, maps_up, strict=True))
        powers = [law]  # laws of 2^i rounds
        while len(powers) < last.bit_length():
            powers.append(powers[-1] @ powers[-1])
        looked = np.geomspace(plain.rounds, last - 1, max(16, min(MAX_LATER_ROUNDS, GRADIENTS // plain.asked))).astype(
            int
        )
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
