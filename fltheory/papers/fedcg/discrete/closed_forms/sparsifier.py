"""Algorithm 3 with draws made once: F' = sum_i B_i f_i / kappa_i against F = sum_i f_i on all independent sets.

Equal clients are exchangeable: only the number of answers of each kind matters, which is binomial.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

from flint import fmpq

from fltheory.number import RATIONAL
from fltheory.papers.fedcg.discrete.closed_forms.importance import answer_chances, factors
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import independent_sets
from fltheory.runs.method import NotEnumerable

COUNTS = 20_000  # largest number of outcomes of the counts


def largest_share(clients: SubmodularClients) -> Fraction:
    """Return max f_i(S) / (w_i F(S)) over clients and independent sets of positive value; p_i is part of f_i."""
    found = Fraction(0)
    values = list(zip(clients.functions, clients.weights, factors(clients), strict=True))
    for items in independent_sets(clients.matroid):
        whole = clients.value(items)
        if whole:
            found = max(found, *(p * Fraction(f.value(items)) / (w * whole) for f, p, w in values if w))
    return found


def _kinds(clients: SubmodularClients, scale: Fraction) -> list[tuple[Any, Fraction, Fraction, int]]:
    """Return function, weight, kappa_i and number of clients of each kind that answers randomly."""
    chances = answer_chances(clients, scale)
    every = Counter(zip(clients.functions, clients.weights, chances, strict=True))
    return [(f, p, k, count) for (f, p, k), count in every.items() if 0 < k < 1]


def deviation_chance(clients: SubmodularClients, scale: Fraction, accuracy: Fraction) -> Fraction:
    """Return P(|F'(S) - F(S)| > accuracy F(S) for some independent S); NotEnumerable for too many counts."""
    kinds = _kinds(clients, scale)
    if prod(count + 1 for *_, count in kinds) > COUNTS:
        raise NotEnumerable(f"more than {COUNTS} outcomes of the Bernoulli draws")
    sets = list(independent_sets(clients.matroid))
    values = [[RATIONAL.scalar(p * Fraction(f.value(s))) for f, p, _, _ in kinds] for s in sets]
    most = [RATIONAL.scalar(accuracy * clients.value(s)) for s in sets]
    excess = [
        [(RATIONAL.scalar(a / k - count), _binomial(a, k, count)) for a in range(count + 1)] for _, _, k, count in kinds
    ]
    total = fmpq(0)
    for outcome in product(*excess):
        if any(
            abs(sum((e * v for (e, _), v in zip(outcome, own, strict=True)), fmpq(0))) > m
            for own, m in zip(values, most, strict=True)
        ):
            total += prod((chance for _, chance in outcome), start=fmpq(1))
    return Fraction(int(total.p), int(total.q))


def _binomial(successes: int, chance: Fraction, n: int) -> fmpq:
    return RATIONAL.scalar(comb(n, successes) * chance**successes * (1 - chance) ** (n - successes))
