"""The largest value of F = sum_i p_i f_i on the independent sets, by enumeration or by a mixed-integer program.

Of a monotone F under a matroid only the bases are listed, of any other all independent sets.

HiGHS solves the program. The value of the set that it finds is exact; its upper bound gets a margin for the solver's
tolerances. Both together give a ball.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice

import numpy as np

from fltheory.number import RATIONAL, Number, exact, to_ball, to_float
from fltheory.problems.sets.matroids import Items, Matroid, Partition, Uniform, bases, independent_sets
from fltheory.problems.sets.set_checks import MATROIDS, known_monotone
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Mixture, Modular, SetFunction

MAX_LISTED_VALUES = 60_000  # the largest number of client values that are computed to enumerate the bases
BATCH = 4096  # bases that are evaluated at once
TOLERANCE = 1e-6  # the solver's absolute tolerance for values, constraints and integrality


def optimum(functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid) -> Number:
    """Return OPT: exact if there are few bases, else a ball that contains it.

    ValueError for too many sets to list, where only a list decides.
    """
    if not (all(map(known_monotone, functions)) and type(matroid) in MATROIDS):
        listed = independent_sets(matroid)
        return exact(max(weighted_value(functions, weights, items) for items in listed))
    if math.comb(matroid.n_items, matroid.rank) * len(functions) <= MAX_LISTED_VALUES:
        return optimum_by_enumeration(functions, weights, matroid)[0]
    chosen = greedy_set(functions, weights, matroid)
    if (reached := weighted_value(functions, weights, chosen)) == weighted_value(
        functions, weights, frozenset(range(matroid.n_items))
    ):
        return exact(reached)  # F is monotone: no set has a larger value than the set of all items
    return optimum_by_milp(functions, weights, matroid)[0]


def weighted_value(functions: Sequence[SetFunction], weights: Sequence[Fraction], items: Items) -> Fraction:
    """Return F(items)."""
    return sum((w * Fraction(f.value(items)) for f, w in zip(functions, weights, strict=True) if w), Fraction(0))


def greedy_set(functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid) -> Items:
    """Return the greedy set, ties to the lowest index; marginal gains are the extension's gradient at a vertex."""
    chosen: Items = frozenset()
    for _ in range(matroid.rank):
        at = np.array([RATIONAL.scalar(int(e in chosen)) for e in range(matroid.n_items)] + [None], dtype=object)[:-1]
        gains = sum(f.gradient(at[None])[0] * RATIONAL.scalar(w) for f, w in zip(functions, weights, strict=True))
        able = [e for e in range(matroid.n_items) if e not in chosen and matroid.independent(chosen | {e})]
        chosen |= {max(able, key=lambda e: (gains[e], -e))}
    return chosen


def optimum_by_enumeration(
    functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid
) -> tuple[Number, Items]:
    """Return the exact optimum and the first base that attains it (F is monotone)."""
    pairs = _enumerate_batches if all(map(_is_score_function, functions)) else _enumerate_values
    found = max(pairs(functions, weights, matroid), key=lambda pair: pair[0])
    return exact(found[0]), found[1]


def _enumerate_values(
    functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid
) -> Iterator[tuple[Fraction, Items]]:
    """Yield every base with its value."""
    return ((weighted_value(functions, weights, base), base) for base in bases(matroid))


def _enumerate_batches(
    functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid
) -> Iterator[tuple[Fraction, Items]]:
    """Yield the first best base of each batch of ``BATCH`` with its value, for functions given by scores."""
    unit, scores = integer_scores(functions, weights, matroid.n_items)
    left = bases(matroid)
    while batch := tuple(islice(left, BATCH)):
        worths = score_sets(scores, batch)
        best = int(worths.argmax())
        yield Fraction(int(worths[best]), unit), batch[best]


def integer_scores(functions: Sequence[SetFunction], weights: Sequence[Fraction], n: int) -> tuple[int, np.ndarray]:
    """Write functions given by scores as one sum of best scores, in integers of 1/unit: (unit, (customers, items)).

    A point is a customer with equal scores for the items that cover it; the weight of a single item is a customer too.
    """
    alone = [Fraction(0)] * n
    rows: list[list[Fraction]] = []
    for f, w in zip(functions, weights, strict=True):
        for kind, weight, data in _parts(f, w):
            if kind == "modular":
                alone = [have + weight * own for have, own in zip(alone, data, strict=True)]
            elif kind == "point":
                covers = set(data)
                rows.append([weight if e in covers else Fraction(0) for e in range(n)])
            else:
                rows.append([weight * score for score in data])
    rows += [[own if e == k else Fraction(0) for e in range(n)] for k, own in enumerate(alone) if own]
    unit = math.lcm(*(v.denominator for row in rows for v in row))
    whole = [[v.numerator * (unit // v.denominator) for v in row] for row in rows]
    kind_of_all = np.int64 if sum(map(max, whole)) <= np.iinfo(np.int64).max else object
    return unit, np.array(whole, dtype=kind_of_all).reshape(len(whole), n)


def score_sets(scores: np.ndarray, listed: Sequence[Items]) -> np.ndarray:
    """Return for each set the sum over customers of their best score in it, (sets,); all sets have the same size."""
    places = np.fromiter(chain.from_iterable(listed), dtype=np.int64).reshape(len(listed), -1)
    total = np.zeros(len(listed), dtype=scores.dtype)
    for row in scores:
        total += row[places].max(axis=1, initial=0)
    return total


def _is_score_function(f: SetFunction) -> bool:
    """Return whether a function is of a class of the library that is given by scores of items."""
    if type(f) is Mixture:
        return all(map(_is_score_function, f.functions))
    return type(f) in (Coverage, FacilityLocation, Modular)


def optimum_by_milp(
    functions: Sequence[SetFunction], weights: Sequence[Fraction], matroid: Matroid
) -> tuple[Number, Items]:
    """Return a ball around the optimum and the set found, by scipy.optimize.milp; ValueError if there is no program.

    The unit of the gains is the largest value of a single item, so that the solver's optimum is at least 1. Tolerances
    may shift every variable and constraint by their size: the margin is the sum of all gains times the tolerance.
    Coverage: z_p <= sum of y over the items that cover p; facility location: u_ij <= y_j, sum_j u_ij <= 1.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    n = matroid.n_items
    unit = max(weighted_value(functions, weights, frozenset({e})) for e in range(n))
    if unit == 0:
        return 0, frozenset()
    gains, entries, limits = [0.0] * n, list[tuple[int, int, float]](), list[float]()

    def row(terms: list[tuple[int, float]], limit: float) -> None:
        entries.extend((len(limits), column, factor) for column, factor in terms)
        limits.append(limit)

    for f, w in zip(functions, weights, strict=True):
        for kind, weight, data in _parts(f, Fraction(w) / unit):
            if kind == "modular":
                for e, own in enumerate(data):
                    gains[e] += to_float(weight * own)
            elif kind == "point":
                gains.append(to_float(weight))
                row([(len(gains) - 1, 1.0), *((e, -1.0) for e in data)], 0.0)
            else:
                first = len(gains)
                for j, score in enumerate(data):
                    gains.append(to_float(weight * score))
                    row([(first + j, 1.0), (j, -1.0)], 0.0)
                row([(first + j, 1.0) for j in range(n)], 1.0)
    for part, capacity in _capacities(matroid):
        row([(e, 1.0) for e in part], capacity)
    rows, columns, factors = (np.array(part) for part in zip(*entries, strict=True))
    at = rows.astype(np.int32), columns.astype(np.int32)  # the index type that SciPy's solver needs before 1.15
    table = coo_array((factors, at), shape=(len(limits), len(gains))).tocsr()
    whole = np.zeros(len(gains))
    whole[:n] = 1
    solved = milp(
        -np.array(gains),
        integrality=whole,
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
        constraints=LinearConstraint(table, -np.inf, np.array(limits)),
    )
    if solved.x is None:
        raise ValueError(f"the mixed-integer program was not solved: {solved.message}")
    items = frozenset(np.nonzero(solved.x[:n] > 0.5)[0].tolist())
    attained = weighted_value(functions, weights, items)
    above = to_ball(Fraction(-solved.mip_dual_bound + TOLERANCE * (2 + 2 * sum(gains))) * unit)
    return to_ball(attained).union(above.max(to_ball(attained))), items


def _parts(f: SetFunction, weight: Fraction) -> Iterator[tuple[str, Fraction, Sequence[Number]]]:
    """Split a function into weighted covered points, customers and a modular rest."""
    if isinstance(f, Mixture):
        for part, share in zip(f.functions, f.weights, strict=True):
            yield from _parts(part, weight * share)
    elif isinstance(f, Coverage):
        for point, own in zip(f.points, f.weights, strict=True):
            yield "point", weight * own, point
    elif isinstance(f, FacilityLocation):
        for scores, own in zip(f.scores, f.weights, strict=True):
            yield "customer", weight * own, scores
    elif isinstance(f, Modular):
        yield "modular", weight, f.weights
    else:
        raise ValueError(f"{type(f).__name__} has no linear program, and the bases are too many to list")


def _capacities(matroid: Matroid) -> Iterator[tuple[Sequence[int], float]]:
    if isinstance(matroid, Uniform):
        yield range(matroid.n_items), float(matroid.rank)
    elif isinstance(matroid, Partition):
        for part, capacity in zip(matroid.parts, matroid.capacities, strict=True):
            yield part, float(capacity)
    else:
        raise ValueError(f"{type(matroid).__name__} has no linear program, and the bases are too many to list")
