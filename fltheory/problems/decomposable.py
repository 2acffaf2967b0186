"""Clients with submodular functions under a matroid or a knapsack constraint, F = sum_i p_i f_i, and their oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from sympy import Symbol

from fltheory import symbols
from fltheory.model.case import Assumption, Case, Client
from fltheory.model.schema import AsTable, AsVector, Data, indices, read_table, read_vector
from fltheory.number import Number
from fltheory.problems.sets.constraints import Knapsack
from fltheory.problems.sets.matroids import Items, Matroid, best_bases
from fltheory.problems.sets.set_checks import (
    client_mismatch,
    falling_value,
    matroid_violation,
    negative_value,
    submodularity_violation,
)
from fltheory.problems.sets.set_functions import Mixture, SetFunction, as_kind_of
from fltheory.problems.sets.set_optimum import optimum
from fltheory.runs.distributions.randomness import Chance, StreamChance
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import Oracle, to_float_points
from fltheory.work import spend

GRADIENT_COST = 0.02  # units of work for the gradient of a multilinear extension at a point

ItemOrder = tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SubmodularClients(Data):
    """Clients i with functions f_i and weights p_i (default: equal ones; read as shares of their sum), and a matroid.

    ``matroid`` may be another constraint, a ``Knapsack``: then there are no bases. Functions need not be monotone.
    ``ties``: the order of preference among equally good items, for all or for every client; by default the lowest index
    first.
    """

    functions: tuple[SetFunction, ...]
    matroid: Matroid
    masses: AsVector = ()
    ties: AsTable = ()

    def __post_init__(self) -> None:
        functions = self.functions if isinstance(self.functions, tuple) else (self.functions,)
        self._set(functions=functions, masses=read_vector(self.masses) or (1,) * len(functions))
        self._require_same_length("functions", "masses")
        if any(not m >= 0 for m in self.masses) or not any(self.masses):
            raise ValueError("masses must be nonnegative, not all 0")
        n = self.matroid.n_items
        for f in functions:
            if f.n_items != n:
                raise ValueError(f"a function of {f.n_items} items on a matroid of {n}")
        if n == 1 or not self.ties:
            self._set(ties=())
        else:
            given = read_table(self.ties) if not isinstance(self.ties[0], int) else (read_vector(self.ties),)
            if len(given) not in (1, len(functions)) or any(indices(t, n) != tuple(range(n)) for t in given):
                raise ValueError(f"ties: expected the items 0 to {n - 1} in some order, once or for every client")
            self._set(ties=given if len(given) > 1 else given[0])

    @property
    def n_clients(self) -> int:
        """How many clients there are."""
        return len(self.functions)

    @property
    def dim(self) -> int:
        """The number of items."""
        return self.matroid.n_items

    @property
    def start(self) -> tuple[Number, ...]:
        """The start of runs, the empty set."""
        return (0,) * self.dim

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """The weights p_i of the clients."""
        total = sum(map(Fraction, self.masses), Fraction(0))
        return tuple(m / total for m in self.masses)

    @cached_property
    def objective(self) -> Mixture:
        """F = sum_i p_i f_i."""
        return Mixture(self.functions, self.weights)

    def order(self, client: int | None = None) -> ItemOrder:
        """Return the order of preference among equally good items, of a client or the server."""
        if not self.ties:
            return tuple(range(self.dim))
        if isinstance(self.ties[0], int):
            return self.ties
        return self.ties[0 if client is None else client]

    def singletons(self, client: int | None = None) -> tuple[Fraction, ...]:
        """f_i({e}), or F({e}), for every item."""
        return self._alone_to_all if client is None else self._alone[client]

    @cached_property
    def _alone(self) -> tuple[tuple[Fraction, ...], ...]:
        """The values of single items to every client."""
        return tuple(map(self._values_alone, self.functions))

    @cached_property
    def _alone_to_all(self) -> tuple[Fraction, ...]:
        return self._values_alone(self.objective)

    def _values_alone(self, f: SetFunction) -> tuple[Fraction, ...]:
        return tuple(Fraction(f.value(frozenset({e}))) for e in range(self.dim))

    @cached_property
    def optimum(self) -> Number:
        """The largest value of F on the independent sets: exact if they can be listed, else a ball."""
        return optimum(self.functions, self.weights, self.matroid)

    @cached_property
    def constants(self) -> Mapping[Symbol, Number]:
        return {
            symbols.n_clients: self.n_clients,
            symbols.n_items: self.dim,
            symbols.rank: self.matroid.rank,
            symbols.optimum: self.optimum,
            symbols.max_singleton: max(self.singletons()),
            symbols.max_client_singleton: max(max(self.singletons(i)) for i in range(self.n_clients)),
            symbols.least_weight: min(self.weights),
        }

    def smaller(self) -> Iterator[SubmodularClients]:
        """Return versions without one of the clients."""
        for i in range(self.n_clients if self.n_clients > 1 else 0):
            ties = self.ties if not self.ties or isinstance(self.ties[0], int) else self.ties[:i] + self.ties[i + 1 :]
            masses = self.masses[:i] + self.masses[i + 1 :]
            if any(masses):
                yield replace(self, functions=self.functions[:i] + self.functions[i + 1 :], masses=masses, ties=ties)

    def gradient(self, x: np.ndarray, client: Client) -> np.ndarray:
        """The gradient of the extension of f_i at points (rows, n); ``client`` an int or one for every row."""
        spend(GRADIENT_COST * len(x))
        if np.ndim(client) == 0:
            return np.array(self.functions[int(client)].gradient(x))
        found = np.empty(x.shape, dtype=x.dtype)
        clients = np.asarray(client).astype(np.int64, casting="same_kind")  # TypeError for non-integers
        for i in np.flatnonzero(np.bincount(clients)):
            own = clients == i
            found[own] = self.functions[i].gradient(x[own])
        return found

    def gradients(self, x: np.ndarray) -> np.ndarray:
        """Return the gradients of all clients, (clients, rows, n)."""
        return np.stack([np.array(f.gradient(x)) for f in self.functions])

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient of the extension of F."""
        return self.objective.gradient(x)

    def extension(self, x: np.ndarray) -> np.ndarray:
        """The extension of F at points (..., n)."""
        return self.objective.extension(x)

    def value(self, items: Items) -> Fraction:
        """F(items)."""
        return Fraction(self.objective.value(items))

    def base(self, weights: np.ndarray, client: Client | None = None) -> np.ndarray:
        """Return a base of largest weight for every row (rows, n), in the type of weights, with the client's ties.

        VariantError under a knapsack, which has no bases.
        """
        if isinstance(self.matroid, Knapsack):
            raise VariantError("a knapsack has no bases: ask oracle.instance.matroid.independent(items) which sets fit")
        if client is None or not self.ties or isinstance(self.ties[0], int):
            found = best_bases(self.matroid, weights, self.order())
        else:
            owner = np.broadcast_to(client, len(weights))
            found = np.zeros(weights.shape, dtype=np.int64)
            for i in np.unique(owner):
                found[owner == i] = best_bases(self.matroid, weights[owner == i], self.order(int(i)))
        if weights.dtype != object:
            return found.astype(float)
        return as_kind_of((0, 1), weights)[found]

    def oracle(self, chance: Chance) -> SetOracle:
        """Return the oracle of one round."""
        return SetOracle(self, chance)


class SetOracle(Oracle):
    """An oracle with gradients of extensions, bases of largest weight and random draws; the first axis is the runs."""

    instance: Any  # SubmodularClients, or a user's type with the same interface

    def __init__(self, instance: SubmodularClients, chance: Chance) -> None:
        self.instance, self.chance = instance, chance

    def order(self, size: int | None = None) -> np.ndarray:
        """Raise VariantError: clients are drawn with replacement and have no order."""
        raise VariantError("clients under a matroid have no order: draw them with oracle.draw(x, size)")

    def draw(self, x: np.ndarray, size: int) -> np.ndarray:
        """Draw ``size`` clients for every row, with replacement by their weights, (rows, size)."""
        _require_positive_int("draw: size", size)
        return self.chance.draw(self.instance.weights, size, len(x))

    def coins(self, chances: np.ndarray) -> np.ndarray:
        """Draw independent coins that are True with these probabilities, (rows, k)."""
        return self.chance.coins(chances)

    def gradient(self, x: np.ndarray, client: Client, k: int = 0) -> np.ndarray:
        """The gradient of a client's extension, (rows, n)."""
        return self._true_gradient(self._numbers(x), client, k)

    def _numbers(self, x: np.ndarray) -> np.ndarray:
        """Convert points to floats if a simulated step's fractions made an object array."""
        return to_float_points(x) if isinstance(self.chance, StreamChance) else x

    def mean_gradient(self, x: np.ndarray) -> np.ndarray:
        """The gradient of the extension of F, (rows, n)."""
        return self.instance.mean_gradient(self._numbers(x))

    def base(self, weights: np.ndarray, client: Client | None = None) -> np.ndarray:
        """A base of largest weight for every row, as its 0/1 vector."""
        if np.ndim(weights) != 2 or np.shape(weights)[1] != self.instance.dim:
            raise VariantError(f"base: weights of shape {np.shape(weights)}, expected (rows, {self.instance.dim})")
        if weights.dtype != object and np.isnan(weights).any():
            raise VariantError("base: a weight is NaN")
        if client is not None:
            self._require_client(client)
        return self.instance.base(self._numbers(weights), client)

    def estimate(self, x: np.ndarray, client: Client, n_samples: int) -> np.ndarray:
        """The mean over random sets R ~ x of f_i(R + e) - f_i(R - e) for every item e, (rows, n): unbiased."""
        _require_positive_int("estimate: n_samples", n_samples)
        self._require_client(client, "estimate")
        rows, n = x.shape
        drawn = self.coins(np.tile(x, (1, n_samples))).reshape(rows * n_samples, n)
        vertices = np.repeat(x * 0, n_samples, axis=0) + drawn
        owners = client if np.ndim(client) == 0 else np.repeat(client, n_samples)
        gains = self.instance.gradient(vertices, owners).reshape(rows, n_samples, n)
        return gains.sum(axis=1) / n_samples

    def weights(self, x: np.ndarray) -> np.ndarray:
        """The clients' weights p_i, in the kind of x."""
        return as_kind_of(self.instance.weights, x)


def _require_positive_int(what: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise VariantError(f"{what} {value!r}, expected a positive integer")


@runtime_checkable
class HasSetFunctions(Protocol):
    """An instance with a set function for every client."""

    @property
    def functions(self) -> tuple[SetFunction, ...]:
        """The functions f_i."""


def _of_every_function(case: Case, violation: Callable[[SetFunction], str | None]) -> str | None:
    """Return the first client's function that violates a property, with the reason, or what is wrong with its type."""
    instance = case.instance
    if not isinstance(instance, HasSetFunctions):
        return "it has no set functions"
    for i, f in enumerate(instance.functions):
        reason = violation(f)
        if reason:
            return f"client {i}: {reason}"
    return _type_mismatch(instance) if isinstance(instance, SubmodularClients) else None


def _monotone_submodular(case: Case) -> str | None:
    reason = _of_every_function(case, submodularity_violation)
    if reason or not isinstance(case.instance, SubmodularClients):
        return reason
    return matroid_violation(case.instance.matroid)


def _submodular(case: Case) -> str | None:
    return _of_every_function(case, partial(submodularity_violation, monotone=False))


def _nonnegative(case: Case) -> str | None:
    return _of_every_function(case, negative_value)


def _monotone(case: Case) -> str | None:
    return _of_every_function(case, falling_value)


def _unconstrained(case: Case) -> str | None:
    instance = case.instance
    if not isinstance(instance, SubmodularClients):
        return "it has no constraint on sets"
    every = frozenset(range(instance.dim))
    return None if instance.matroid.independent(every) else "some sets are not allowed"


def _type_mismatch(instance: SubmodularClients) -> str | None:
    """Return how clients of a user's type differ from their data."""
    if type(instance).__module__.split(".")[0] == "fltheory":
        return None
    plain = SubmodularClients(instance.functions, instance.matroid, instance.masses, instance.ties)
    return client_mismatch(instance, plain)


monotone_submodular = Assumption("every client's function is monotone and submodular", _monotone_submodular)
submodular = Assumption("every client's function is submodular", _submodular)
monotone = Assumption("every client's function is monotone", _monotone)
nonnegative = Assumption("every client's function is nonnegative", _nonnegative)
unconstrained = Assumption("every set is allowed", _unconstrained)
