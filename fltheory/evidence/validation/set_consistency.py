"""Consistency checks of the set functions, the matroid and the optimum of a user's clients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

import numpy as np

from fltheory.number import streams, to_float
from fltheory.number.agreement import RELATIVE_TOLERANCE, answers_agree
from fltheory.problems.sets.constraints import Knapsack


@runtime_checkable
class HasMatroid(Protocol):
    """Clients with set functions and a matroid; other members are read only if there is a matroid."""

    @property
    def matroid(self) -> object: ...


def set_function_inconsistency(instance: Any) -> str | None:
    """Check a user's set functions: values, extension, gradient, submodularity, and the optimum."""
    n = instance.matroid.n_items
    if n > 12:
        return f"user-defined set functions can have at most 12 items, not {n}"
    sets = [frozenset(e for e in range(n) if mask >> e & 1) for mask in range(2**n)]
    vertices = np.array([[float(e in s) for e in range(n)] for s in sets])
    for i, f in enumerate(instance.functions):
        values = np.array([to_float(f.value(s)) for s in sets])
        name, size = f"client {i}", max(1.0, float(np.abs(values).max()))
        if values[0] != 0:
            return f"{name}: the value of the empty set is {values[0]:g}, not 0"
        if not answers_agree(f.extension(vertices), values, size):
            return f"{name}: extension at a set differs from its value"
        x = np.stack([streams.uniform(5, np.arange(4), 0, 0, e) for e in range(n)], axis=-1)
        shares = np.where(vertices[None] > 0, x[:, None], 1 - x[:, None]).prod(axis=2)
        if not answers_agree(f.extension(x), shares @ values, size):
            return f"{name}: extension is not the mean over random sets"
        for e in range(n):
            one, zero = x.copy(), x.copy()
            one[:, e], zero[:, e] = 1, 0
            if not answers_agree(f.gradient(x)[:, e], f.extension(one) - f.extension(zero), size):
                return f"{name}: gradient is not that of the extension"
        table = {s: Fraction(f.value(s)) for s in sets}
        for s in sets:
            outside = [e for e in range(n) if e not in s]
            for e in outside:
                gain = table[s | {e}] - table[s]
                if any(table[s | {e, g}] - table[s | {g}] > gain for g in outside if g != e):
                    return f"{name} is not submodular"
    return _matroid_inconsistency(instance, sets, vertices) or _optimum_inconsistency(instance, sets)


def _matroid_inconsistency(instance: Any, sets: list[frozenset[int]], vertices: np.ndarray) -> str | None:
    able = np.array([bool(instance.matroid.independent(s)) for s in sets])
    if max(len(s) for s, good in zip(sets, able, strict=True) if good) != instance.matroid.rank:
        return f"the matroid's rank is not {instance.matroid.rank}, the size of its largest independent sets"
    if isinstance(instance.matroid, Knapsack):  # it has no bases
        return None
    weights = streams.uniform(6, np.arange(8)[:, None], 0, 0, np.arange(instance.dim))
    chosen = instance.base(weights)
    if not answers_agree((chosen * weights).sum(axis=1), (weights @ vertices[able].T).max(axis=1)):
        return "base is not the independent set of largest weight"
    return None


def _optimum_inconsistency(instance: Any, sets: list[frozenset[int]]) -> str | None:
    masses = [Fraction(w) for w in instance.weights]
    best = max(
        sum((w * Fraction(f.value(s)) for w, f in zip(masses, instance.functions, strict=True)), Fraction(0))
        for s in sets
        if instance.matroid.independent(s)
    )
    if not abs(to_float(instance.optimum) - float(best)) <= RELATIVE_TOLERANCE * (1 + float(best)):
        return f"optimum = {to_float(instance.optimum):g}, but the best independent set has {float(best):g}"
    return None
