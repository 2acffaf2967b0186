"""Exact enumeration of sample paths: client orders, noise with finitely many values, and a step's random draws."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from fltheory.model.case import Case, Client, FederatedInstance
from fltheory.number import BALL, RATIONAL, Number, Ring
from fltheory.number.agreement import as_float_array
from fltheory.number.elements import NotExact, Undecided
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm, object_array, start_state, take_step
from fltheory.runs.constants import Constants, participants_per_round, run_constants
from fltheory.runs.distributions import randomness as chance
from fltheory.runs.distributions.randomness import ScriptedChance
from fltheory.runs.method import NotEnumerable, VariantError, not_exact
from fltheory.runs.oracle import Oracle, OwnOracle, to_float_points
from fltheory.runs.protocols import HasExchangeableClients, has_capability, noise_value_count, noise_values

FORECAST_ROUNDS = 3  # rounds after which the number of paths is extrapolated
MAX_DENOMINATOR_BITS = 20_000  # largest number of bits of a denominator
MAX_ENUMERATION_WORK = 100_000  # gradient coordinates (about 0.1 ms each) on all paths of a user's step
MAX_RATIONAL_WORK = 300_000  # largest product of rounds, clients and coordinates of a run in rationals


class TooManyPaths(NotEnumerable):
    """There are too many sample paths to enumerate, in any number type."""


@dataclass(frozen=True)
class Outcome:
    """One outcome of a round: an order and a noise index for every (client, k); ``weight`` is its probability."""

    order: tuple[int, ...]
    noise: tuple[int, ...]
    weight: Number


class EnumeratedOracle(Oracle):
    """An oracle that gives row i of ``x`` the outcome i; noise takes the values of ``instance.noise_support``.

    Noise that depends on the point or the client comes from ``instance.noise_value(x, client, index, ring)`` instead.
    Without a ring all results are floats.
    """

    def __init__(
        self, instance: FederatedInstance, orders: np.ndarray, noise: np.ndarray, n_gradients: int, ring: Ring | None
    ) -> None:
        self.instance, self._orders, self._noise, self._steps, self._ring = (instance, orders, noise, n_gradients, ring)
        self._values = noise_values(instance) if noise.shape[1] else None
        if noise.shape[1] and self._values is None:
            raise TooManyPaths("the noise has no finite support")

    def order(self, size: int | None = None) -> np.ndarray:
        return prefix(self._orders, self.instance.n_clients if size is None else size)

    def _numbers_of_run(self, x: np.ndarray) -> np.ndarray:
        return to_float_points(x) if self._ring is None else x

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        x = self._numbers_of_run(x)
        gradient = self._true_gradient(x, client, k)
        if self._values is None:
            return gradient
        if not 0 <= k < self._steps:
            raise NotEnumerable(
                "the algorithm takes more local steps than n_local_steps, or more mini-batches in one than it declares"
            )
        slot = np.broadcast_to(np.asarray(client) * self._steps + k, (len(x),))
        index = self._noise[np.arange(len(x)), slot]
        if (index < 0).any():
            raise NotEnumerable("the algorithm queries a client that doesn't take part")
        noise = self._values(x, client, index, self._ring)
        return gradient + (as_float_array(noise) if self._ring is None else noise)


class AskingOracle(Oracle):
    """An oracle that draws everything from ``chance`` when it is requested: orders, noise with few values, coins.

    Without a ring all results are floats.
    """

    def __init__(
        self, algorithm: Algorithm, case: Case[FederatedInstance], chance: ScriptedChance, ring: Ring | None
    ) -> None:
        self.instance, self.chance, self._script, self._ring = case.instance, chance, chance, ring
        self._size = participants_per_round(self.instance, run_constants(case, None))
        self._algorithm = algorithm
        self._values = noise_values(self.instance) if self.instance.draws else None
        self._noise: dict[tuple[int, int], np.ndarray] = {}
        self._limit = chance.limit

    @cached_property
    def _order(self) -> np.ndarray:
        """Return the order of all participating clients, (runs, size)."""
        ways = participation_patterns(self._algorithm, self.instance, self._size, self._limit)
        total = sum(weight for _, weight in ways)
        orders = np.array([order for order, _ in ways], dtype=np.int64).reshape(len(ways), -1)
        return self._script.among(orders, [Fraction(weight, total) for _, weight in ways])

    def order(self, size: int | None = None) -> np.ndarray:
        return prefix(self._order, self.instance.n_clients if size is None else size)

    def _numbers_of_run(self, x: np.ndarray) -> np.ndarray:
        return to_float_points(x) if self._ring is None else x

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        x = self._numbers_of_run(x)
        gradient = self._true_gradient(x, client, k)
        if not self.instance.draws:
            return gradient
        if self._values is None or not noise_value_count(self.instance):
            raise TooManyPaths("the noise has no finite support")
        index = self._index(np.broadcast_to(np.asarray(client), (len(x),)), int(k), noise_value_count(self.instance))
        noise = self._values(x, client, index, self._ring)
        return gradient + (as_float_array(noise) if self._ring is None else noise)

    def _index(self, clients: np.ndarray, k: int, n: int) -> np.ndarray:
        """Return the index of the noise in these clients' k-th gradients, (runs,); repeated calls return the same."""
        found = np.full(len(clients), -1)
        for client in np.unique(clients).tolist():
            here = clients == client
            found[here] = self._noise.get((client, k), found)[here]
        unknown = found < 0
        if unknown.any():
            uniform = object_array([(self._ring or RATIONAL).scalar(Fraction(1, n))] * n, (n,))
            chances = np.tile(uniform, (len(clients), 1))
            sure = np.nonzero(~unknown)[0]
            chances[sure] = (self._ring or RATIONAL).scalar(0)
            chances[sure, found[sure]] = (self._ring or RATIONAL).scalar(1)
            found = self.chance.choose(chances)
            for client in np.unique(clients).tolist():
                known = self._noise.setdefault((client, k), np.full(len(clients), -1))
                here = clients == client
                known[here] = found[here]
        return found


def prefix(orders: np.ndarray, size: int) -> np.ndarray:
    """Return the first ``size`` clients of enumerated orders; NotEnumerable if the orders are shorter."""
    if size < 0 or size > orders.shape[1]:
        raise NotEnumerable("the algorithm requests more clients than take part")
    return orders[:, :size]


def round_outcomes(
    algorithm: Algorithm, case: Case[FederatedInstance], limit: int, noisy: bool = True, rounds: int = 1
) -> list[Outcome]:
    """Return the outcomes of one round (only its orders if ``noisy`` is off) with their probabilities.

    NotEnumerable if a round, or a run of ``rounds`` rounds, has more than ``limit``.
    """
    instance = case.instance
    c = run_constants(case, None)
    size, n = participants_per_round(instance, c), instance.n_clients
    values = 1
    if noisy and instance.draws:
        values = noise_value_count(instance)
        if not values:
            raise TooManyPaths("the noise has no finite support")
    orders = participation_patterns(algorithm, instance, size, limit)
    asked = int(c.n_local_steps) * algorithm.batches if values > 1 else 0  # stochastic gradients per client
    slots, used = n * asked, size * asked
    if len(orders) * values**used > limit:
        raise TooManyPaths(f"more than {limit} outcomes of a round")
    _require_few(len(orders) * values**used, rounds, limit)
    result = []
    total = sum(w for _, w in orders)
    for order, weight in orders:
        taken = [m * asked + k for m in order for k in range(asked)] if slots else []
        probability = Fraction(weight, total * values**used)
        for noise in itertools.product(range(values), repeat=used):
            full = [-1] * slots  # clients that don't take part have no noise
            for slot, index in zip(taken, noise, strict=False):
                full[slot] = index
            result.append(Outcome(order, tuple(full), probability))
    return result


def participation_patterns(
    algorithm: Algorithm, instance: FederatedInstance, size: int, limit: int
) -> list[tuple[tuple[int, ...], int]]:
    """Return orders of ``size`` clients, or sets if the order does not matter, with their multiplicities."""
    types = instance.client_types if algorithm.anonymous and has_capability(instance, HasExchangeableClients) else None
    ways = _weighted_orders if algorithm.ordered else _weighted_sets
    return ways(instance.n_clients, size, types, limit)


def _weighted_orders(n: int, size: int, types: tuple[int, ...] | None, limit: int) -> list[tuple[tuple[int, ...], int]]:
    """Return ordered samples with their multiplicities; exchangeable clients are replaced by their types."""
    if types is None or len(set(types)) == n:
        if math.perm(n, size) > limit:
            raise TooManyPaths(f"more than {limit} orders")
        return [(order, 1) for order in itertools.permutations(range(n), size)]
    members = {t: [m for m in range(n) if types[m] == t] for t in set(types)}
    found = []
    for pattern in _patterns({t: len(ms) for t, ms in members.items()}, size):
        used: dict[int, int] = dict.fromkeys(members, 0)
        order, weight = [], 1
        for t in pattern:
            weight *= len(members[t]) - used[t]
            order.append(members[t][used[t]])
            used[t] += 1
        found.append((tuple(order), weight))
        if len(found) > limit:
            raise TooManyPaths(f"more than {limit} orders")
    return found


def _weighted_sets(n: int, size: int, types: tuple[int, ...] | None, limit: int) -> list[tuple[tuple[int, ...], int]]:
    """Return sets of clients with their multiplicities; exchangeable clients are only counted by type."""
    if types is None or len(set(types)) == n:
        if math.comb(n, size) > limit:
            raise TooManyPaths(f"more than {limit} sets of clients")
        return [(chosen, 1) for chosen in itertools.combinations(range(n), size)]
    members = [[m for m in range(n) if types[m] == t] for t in sorted(set(types))]
    found = []
    for counts in itertools.product(*(range(min(len(own), size) + 1) for own in members)):
        if sum(counts) == size:
            chosen = tuple(m for own, k in zip(members, counts, strict=True) for m in own[:k])
            found.append((chosen, math.prod(math.comb(len(own), k) for own, k in zip(members, counts, strict=True))))
        if len(found) > limit:
            raise TooManyPaths(f"more than {limit} sets of clients")
    return found


def _patterns(counts: dict[int, int], size: int) -> Iterator[tuple[int, ...]]:
    if size == 0:
        yield ()
        return
    for t, left in counts.items():
        if left:
            for rest in _patterns({**counts, t: left - 1}, size - 1):
                yield (t, *rest)


Round = Callable[[np.ndarray, Any, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


def enumerate_runs(
    algorithm: Algorithm, case: Case, ring: Ring, limit: int = 4096, bits: int = MAX_DENOMINATOR_BITS
) -> tuple[np.ndarray, list[Any]]:
    """Return all sample paths of a run: exact states (paths, R + 1, dim), and the probability of every path."""
    c = run_constants(case, ring)
    after = outcome_enumerator(algorithm, case, ring, limit)
    states = start_state(algorithm, case, 1, ring)[:, None, :]
    weights = object_array([ring.scalar(1)], (1,))
    for r in range(c.n_rounds):
        rows, x, chances = after(states[:, -1], c, r)
        states = np.concatenate([states[rows], x[:, None, :]], axis=1)
        weights = weights[rows] * chances
        if ring is RATIONAL and any(v.q.bit_length() > bits for v in x.flat):
            raise NotEnumerable("the rationals become too long")
    if any(isinstance(v, arb) and not v.is_finite() for v in states[:, -1].flat):
        if not is_library(algorithm.step):
            raise Undecided("leads to balls that are too wide")
        raise VariantError(f"{algorithm.name} reaches numbers that are not finite")
    return states, list(weights)


def outcome_enumerator(
    algorithm: Algorithm, case: Case[FederatedInstance], ring: Ring | None, limit: int = 4096
) -> Round:
    """Return the map from (states, constants, round) to (rows, next states, probabilities) of all outcomes.

    ``ring`` is the ring of the states, None for floats. NotEnumerable if a run has more than ``limit`` paths. Draws of
    built-in steps are known from their claims and listed beforehand; draws of a user's step are enumerated on demand.
    """
    if has_capability(case.instance, OwnOracle):
        _require_short(case, ring)
        return _enumerate_answers(algorithm, case, ring, limit)
    if is_library(algorithm.step):
        return _enumerate_listed(algorithm, case, ring, limit)
    return _enumerate_answers(algorithm, case, ring, limit)


def _enumerate_listed(algorithm: Algorithm, case: Case[FederatedInstance], ring: Ring | None, limit: int) -> Round:
    c = run_constants(case, None)
    choices = round_outcomes(algorithm, case, limit, rounds=c.n_rounds)
    n = len(choices)
    instance = case.instance
    orders = np.array([o.order for o in choices], dtype=np.int64).reshape(n, -1)
    noise = np.array([o.noise for o in choices], dtype=np.int64).reshape(n, -1)
    weights = object_array([(ring or RATIONAL).scalar(o.weight) for o in choices], (n,))
    steps = c.n_local_steps * algorithm.batches

    def after(x: np.ndarray, c: Constants, round_: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows = np.repeat(np.arange(len(x)), n)
        oracle = EnumeratedOracle(instance, np.tile(orders, (len(x), 1)), np.tile(noise, (len(x), 1)), steps, ring)
        return rows, take_step(algorithm, x[rows], oracle, c, round_), np.tile(weights, len(x))

    return after


def _require_few(n: int, rounds: int, limit: int) -> None:
    """Raise NotEnumerable if n outcomes per round give too many paths."""
    if n > 1 and (rounds > limit.bit_length() or n**rounds > limit):
        raise TooManyPaths(f"more than {limit} sample paths")


def _require_short(case: Case[FederatedInstance], ring: Ring | None) -> None:
    """Raise NotEnumerable if comparisons need rationals and the run is too long for them."""
    if ring is not None and ring.name != "RATIONAL":
        raise NotEnumerable("comparisons need rationals")
    work = run_constants(case, None).n_rounds * case.instance.dim * case.instance.n_clients
    if work > MAX_RATIONAL_WORK:
        raise NotEnumerable(f"a run with {work} numbers is too long for rationals")


def _enumerate_answers(algorithm: Algorithm, case: Case[FederatedInstance], ring: Ring | None, limit: int) -> Round:
    """Return this map for a step whose oracle calls are enumerated on demand."""
    instance, c = case.instance, run_constants(case, None)
    rounds = c.n_rounds
    steps = participants_per_round(instance, c) * int(c.get("n_local_steps", 1))
    of_row = 0 if has_capability(instance, OwnOracle) else rounds * steps * instance.dim

    def oracle_of(answers: ScriptedChance) -> Oracle:
        if has_capability(instance, OwnOracle):
            return instance.oracle(answers)
        return AskingOracle(algorithm, case, answers, ring)

    def after(x: np.ndarray, c: Constants, round_: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        def step(rows: np.ndarray, answers: ScriptedChance) -> np.ndarray:
            return take_step(algorithm, x[rows].copy(), oracle_of(answers), c, round_)

        try:
            found = chance.enumerate_outcomes(step, len(x), ring or RATIONAL, limit, algorithm.anonymous)
        except Undecided:
            raise
        except NotExact as error:
            raise not_exact(error, algorithm.name) from error
        if found is None:
            raise TooManyPaths(f"more than {limit} sample paths")
        if len(found[0]) == len(x):
            return found
        if round_ >= FORECAST_ROUNDS and len(found[0]) * of_row > MAX_ENUMERATION_WORK:  # even if most paths merge
            raise TooManyPaths(f"more than {MAX_ENUMERATION_WORK} gradients on all paths of a run")
        if ring is BALL:  # equal balls can't be merged
            return found
        together = chance.merge_equal_results(*found)
        grown = math.log(len(together[0])) * rounds / (round_ + 1)  # extrapolated growth
        if round_ >= FORECAST_ROUNDS and grown > math.log(limit) and not has_capability(instance, OwnOracle):
            raise TooManyPaths(f"more than {limit} sample paths")
        return together

    return after
