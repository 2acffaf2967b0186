"""Checks of user-defined set functions, matroids and clients, by enumeration of all sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from fltheory.model.case import HasDimension, Instance
from fltheory.number import RATIONAL, exact
from fltheory.problems.sets.cuts import Cut
from fltheory.problems.sets.independent_sets import IndependentCoverage
from fltheory.problems.sets.matroids import ByBases, Graphic, Matroid, Partition, Uniform
from fltheory.problems.sets.set_functions import (
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    SetFunction,
    Table,
    WeightedRank,
    falling_item,
    table_violation,
)

FUNCTIONS = (Modular, Coverage, FacilityLocation, Capped, IndependentCoverage)  # monotone submodular by construction
MATROIDS = (Uniform, Partition, Graphic, ByBases)  # matroids by construction
MAX_ENUMERATED_ITEMS = 10  # the largest number of items for an enumeration of all sets
CLOSE = 1e-9  # tolerance between floats
Answer = Callable[[Any, np.ndarray], Any]
FUNCTION_METHODS: Mapping[str, Answer] = {
    "extension": lambda f, x: f.extension(x),
    "gradient": lambda f, x: f.gradient(x),
}
CLIENT_METHODS: Mapping[str, Answer] = {
    "extension": lambda one, x: one.extension(x),
    "gradients": lambda one, x: one.gradients(x),
    "mean_gradient": lambda one, x: one.mean_gradient(x),
}


class SetClients(Instance, HasDimension, Protocol):
    """Clients with set functions, as in ``fltheory.problems.decomposable``."""


def submodularity_violation(function: SetFunction, monotone: bool = True) -> str | None:
    """Return why a function may fail to be submodular (and ``monotone``) or why its extension is wrong, or None."""
    kind = type(function)
    if kind in FUNCTIONS or (kind is Cut and not monotone):
        return None
    if kind is Mixture and isinstance(function, Mixture):
        reasons = (submodularity_violation(part, monotone) for part in function.functions)
        return next((reason for reason in reasons if reason), None)
    if kind is WeightedRank and isinstance(function, WeightedRank):
        return matroid_violation(function.matroid)
    if kind is Table and isinstance(function, Table):
        return table_violation(function, monotone)
    table = _table_of(function)
    if isinstance(table, str):
        return table
    return table_violation(table, monotone) or _first_difference(
        kind.__name__, function, table, FUNCTION_METHODS, function.n_items
    )


def negative_value(function: SetFunction) -> str | None:
    """Return why a function may have negative values, or None."""
    if known_nonnegative(function):
        return None
    table = _table_of(function)
    if isinstance(table, str):
        return table
    found = next((s for s, value in enumerate(table.values) if value < 0), None)
    return None if found is None else f"its value is negative on the set {found:b} (bits)"


def falling_value(function: SetFunction) -> str | None:
    """Return why a function may not be monotone, or None."""
    if known_monotone(function):
        return None
    table = _table_of(function)
    if isinstance(table, str):
        return table
    found = falling_item(table)
    return None if found is None else f"its value falls when item {found[1]} joins the set {found[0]:b} (bits)"


def known_nonnegative(function: SetFunction) -> bool:
    """Return whether no value is negative by construction."""
    if type(function) is Mixture:
        return all(map(known_nonnegative, function.functions))
    return type(function) in (*FUNCTIONS, Cut, WeightedRank)


def known_monotone(function: SetFunction) -> bool:
    """Return whether a function is monotone by construction, or a table that is."""
    if type(function) is Mixture:
        return all(map(known_monotone, function.functions))
    if type(function) is Table:
        return falling_item(function) is None
    return type(function) in (*FUNCTIONS, WeightedRank)


def _table_of(function: SetFunction) -> Table | str:
    """Return all values, or why there are too many."""
    n = function.n_items
    if n > MAX_ENUMERATED_ITEMS:
        kind = type(function).__name__
        return f"a {kind} of {n} items can't be checked set by set: at most {MAX_ENUMERATED_ITEMS} items"
    values = [exact(function.value(_items_of_mask(s, n))) for s in range(1 << n)]
    return "the value of the empty set is not 0" if values[0] != 0 else Table(values)


def matroid_violation(matroid: Matroid) -> str | None:
    """Return why an object is not known to be a matroid, or None."""
    kind, n = type(matroid), matroid.n_items
    if kind in MATROIDS:
        return None
    if n > MAX_ENUMERATED_ITEMS:
        return f"a {kind.__name__} of {n} items can't be checked set by set: at most {MAX_ENUMERATED_ITEMS} items"
    ranks: list[int] = []
    for s in range(1 << n):
        smaller = [ranks[s ^ 1 << e] for e in range(n) if s >> e & 1]
        independent = bool(matroid.independent(_items_of_mask(s, n)))
        if independent and any(r < len(smaller) - 1 for r in smaller):
            return f"{sorted(_items_of_mask(s, n))} is independent, but not all of its subsets are"
        ranks.append(len(smaller) if independent else max(smaller, default=0))
    if matroid.rank != ranks[-1]:
        return f"its rank is {ranks[-1]}, not {matroid.rank}"
    return "it is not a matroid: its rank is not submodular" if table_violation(Table(ranks)) else None


def client_mismatch(instance: SetClients, plain: SetClients) -> str | None:
    """Return how an instance of a user's type differs from the plain clients of the same data, or None."""
    name = type(instance).__name__
    if dict(instance.constants) != dict(plain.constants):
        wrong = [s.name for s, v in plain.constants.items() if instance.constants.get(s) != v]
        return f"{name}: {', '.join(wrong) or 'constants'} differ from the values of its functions"
    return _first_difference(name, instance, plain, CLIENT_METHODS, plain.dim)


def _items_of_mask(s: int, n: int) -> frozenset[int]:
    return frozenset(e for e in range(n) if s >> e & 1)


def _first_difference(name: str, one: object, two: object, methods: Mapping[str, Answer], n: int) -> str | None:
    """Return the first method whose values differ at a few points of the cube, in rationals and in floats."""
    shares = [[Fraction(1 + (3 * e + 5 * k) % 7, 8) for e in range(n)] for k in range(3)]
    shares += [[Fraction(int(e % 2 == k)) for e in range(n)] for k in range(2)]
    points = np.empty((len(shares), n), dtype=object)
    points[:] = [[RATIONAL.scalar(v) for v in row] for row in shares]
    for x in (points, np.array([[float(v) for v in row] for row in shares])):
        for method, answer in methods.items():
            found, wanted = np.asarray(answer(one, x.copy())), np.asarray(answer(two, x.copy()))
            if found.shape != wanted.shape:
                return f"{name}.{method} returned shape {found.shape}, expected {wanted.shape}"
            same = (found == wanted) if x.dtype == object else np.isclose(found, wanted, rtol=CLOSE, atol=CLOSE)
            if not np.all(same):
                return f"{name}.{method} disagrees with its values"
    return None
