"""Exact distributions of sums of random signs: independent fair signs, and a permutation of as many of each sign."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

Law = dict[Fraction, Fraction]  # value: probability


@lru_cache(maxsize=512)
def independent_sum(n: int) -> Law:
    """Return the distribution of E_n, the sum of n independent fair signs."""
    return {Fraction(2 * j - n): Fraction(math.comb(n, j), 2**n) for j in range(n + 1)}


@lru_cache(maxsize=4096)
def balanced_sum(n_clients: int, n: int) -> Law:
    """Return the distribution of E_n, the sum of the first n signs of a permutation of M/2 pluses and M/2 minuses."""
    half = n_clients // 2
    return {
        Fraction(2 * u - n): Fraction(math.comb(half, u) * math.comb(half, n - u), math.comb(n_clients, n))
        for u in range(max(0, n - half), min(half, n) + 1)
    }


@lru_cache(maxsize=4096)
def fractional_sum(n_clients: int, position: int, part: Fraction) -> Law:
    """Return the distribution of A_{m,k} = E_{m-1} + a_k tau_m, a_k = ``part``; the next sign depends on the others."""
    law: Law = {}
    left = n_clients - position + 1
    for value, probability in balanced_sum(n_clients, position - 1).items():
        for sign in (1, -1):
            remaining = (left - sign * value) / 2  # undrawn signs of this kind
            if remaining:
                key = value + sign * part
                law[key] = law.get(key, Fraction(0)) + probability * remaining / left
    return law


def mean_absolute(law: Law) -> Fraction:
    """Return E|X|."""
    return sum((abs(v) * p for v, p in law.items()), Fraction(0))


def chance(law: Law, sign: int) -> Fraction:
    """Return P(X > 0), P(X = 0) or P(X < 0) for sign 1, 0, -1."""
    return sum((p for v, p in law.items() if (v > 0) - (v < 0) == sign), Fraction(0))


def table_7(n_clients: int, position: int, part: Fraction) -> Law:
    """Return the distribution of A_{m,k} as in the paper's Table 7, by p = |E_{m-1}|."""
    half, before = n_clients // 2, position - 1
    left = n_clients - before
    law: Law = {}

    def add(value: Fraction, probability: Fraction) -> None:
        law[value] = law.get(value, Fraction(0)) + probability

    for p in range(before % 2, min(before, n_clients - before) + 1, 2):
        ways = math.comb(half, (before - p) // 2) * math.comb(half, (before + p) // 2)
        h = Fraction(ways, math.comb(n_clients, before))
        for side in (1, -1):
            if p == 0:
                add(side * part, h / 2)
                continue
            add(side * (p + part), h * Fraction(left - p, 2 * left))
            add(side * (p - part), h * Fraction(left + p, 2 * left))
    return {v: q for v, q in law.items() if q}


def t_function(n_clients: int, t: Fraction) -> Fraction:
    """Return T(t) of equation (13) for t = 1 - (1 - d)^K."""
    slope = (2 - t) / (n_clients * t)
    return 1 - slope + (1 + slope) * (1 - t) ** n_clients


def t_of_step(n_clients: int, n_local_steps: int, d: Fraction) -> Fraction:
    """Return T(d) = 1 + (1-d)^{MK} - (1/M) (1 + (1-d)^K)/(1 - (1-d)^K) (1 - (1-d)^{MK})."""
    q = (1 - d) ** n_local_steps
    return 1 + q**n_clients - (1 + q) / (1 - q) * (1 - q**n_clients) / n_clients


def t_derivative(n_clients: int, t: Fraction) -> Fraction:
    """Return T'(t) by the product rule, term by term of equation (13)."""
    slope, falling = (2 - t) / (n_clients * t), Fraction(-2) / (n_clients * t * t)
    power = (1 - t) ** (n_clients - 1)
    return -falling + falling * power * (1 - t) - (1 + slope) * n_clients * power
