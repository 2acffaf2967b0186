"""Exact distributions of one round: all possible draws, the projection onto the floored simplex, the losses.

Scalars have any exact type (fractions, rationals, balls); vectors are tuples with one entry per client.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from fltheory.games.participation import count_draw_sequences, count_vectors
from fltheory.number import Number
from fltheory.runs.method import NotEnumerable
from fltheory.work import charge_each

LIMIT = 3000  # largest number of enumerated draws

Vector = Sequence[Any]


def squared_norm(row: Vector) -> Any:
    """Return the squared norm."""
    return sum((v * v for v in row), Fraction(0) if isinstance(row[0], int | Fraction) else 0)


def total(rows: Sequence[Vector]) -> tuple[Any, ...]:
    """Return the sum of vectors."""
    return tuple(sum(column[1:], column[0]) for column in zip(*rows, strict=True))


def loss(a: Vector, q: Vector) -> Any:
    """Return sum_m a_m / q_m, K times the loss (4); a client without feedback costs nothing."""
    return sum((v / w for v, w in zip(a, q, strict=True) if v != 0), 0)


# Draws with replacement ------------------------------------------------------------------------------------------


def draws_with_replacement(p: Vector, n: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Return counts and probability of each possible draw of ``n`` clients with replacement."""
    if math.comb(n + len(p) - 1, n) > LIMIT:
        raise NotEnumerable(f"more than {LIMIT} ways to draw the clients of a round")
    for counts in count_vectors(len(p), n):
        chance = math.prod((q**k for q, k in zip(p, counts.tolist(), strict=True)), start=count_draw_sequences(counts))
        yield tuple(counts.tolist()), chance


def estimator(x: Sequence[Vector], p: Vector, counts: Sequence[int]) -> tuple[Any, ...]:
    """Return the estimator (2), (1/K) sum over the draws of x_m / p_m, where x_m = lambda_m g_m."""
    n = sum(counts)
    return total([tuple(v * k / (n * q) for v in row) for row, q, k in zip(x, p, counts, strict=True)])


def estimator_once(x: Sequence[Vector], p: Vector, counts: Sequence[int]) -> tuple[Any, ...]:
    """Return the estimator (2) of the authors' script: a client that is drawn several times counts once."""
    n = sum(counts)
    return total([tuple(v * min(k, 1) / (n * q) for v in row) for row, q, k in zip(x, p, counts, strict=True)])


def mean_counting_once(x: Sequence[Vector], p: Vector, n: int) -> tuple[Any, ...]:
    """Return its mean: x_m times the probability of being drawn, 1 - (1 - p_m)^K, over K p_m."""
    return total([tuple(v * (1 - (1 - q) ** n) / (n * q) for v in row) for row, q in zip(x, p, strict=True)])


def estimated_loss(a: Vector, q: Vector, p: Vector, counts: Sequence[int]) -> Any:
    """Return the estimated loss (6), (1/K^2) sum_m a_m N_m / (q_m p_m)."""
    n = sum(counts)
    return sum((v * k / (n * n * w * u) for v, k, w, u in zip(a, counts, q, p, strict=True)), 0)


def estimated_gradient(a: Vector, q: Vector, p: Vector, counts: Sequence[int]) -> tuple[Any, ...]:
    """Return the estimated gradient (7), -(1/K^2) a_m N_m / (q_m^2 p_m)."""
    n = sum(counts)
    return tuple(-v * k / (n * n * w * w * u) for v, k, w, u in zip(a, counts, q, p, strict=True))


# Unavailable clients (Appendix D.2) -------------------------------------------------------------------------------


def rescale_active(p: Vector, active: Sequence[Any]) -> tuple[Any, ...]:
    """Return p~ of Appendix D.2: p over its mass on the active clients, 0 elsewhere."""
    mass = sum((q for q, on in zip(p, active, strict=True) if on), 0)
    return tuple(q / mass if on else 0 * q for q, on in zip(p, active, strict=True))


def estimator_available(x: Sequence[Vector], p: Vector, counts: Sequence[int]) -> tuple[Any, ...]:
    """Return the estimator (2) with p~, which may be 0 for clients that are not drawn."""
    return estimator(x, tuple(q if k else 1 for q, k in zip(p, counts, strict=True)), counts)


# Draws without replacement (Algorithm 7) --------------------------------------------------------------------------


def draws_without_replacement(p: Vector, n: int) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Return each ordered draw of ``n`` different clients, proportional to p among those left, with its probability."""
    if math.perm(len(p), n) > LIMIT:
        raise NotEnumerable(f"more than {LIMIT} ways to draw the clients of a round")
    for order in charge_each(itertools.permutations(range(len(p)), n)):
        chance, left = Fraction(1) if isinstance(p[0], int | Fraction) else 1, sum(p[1:], p[0])
        for m in order:
            chance, left = chance * p[m] / left, left - p[m]
        yield order, chance


def estimator_unreplaced(x: Sequence[Vector], p: Vector, order: Sequence[int]) -> tuple[Any, ...]:
    """Return g~ of Algorithm 7, the mean of K parts: the k-th x over its conditional probability, plus earlier x."""
    parts, left = [], 1
    for k, m in enumerate(order):
        parts.append(total([tuple(v * left / p[m] for v in x[m]), *(x[i] for i in order[:k])]))
        left = left - p[m]
    return tuple(v / len(order) for v in total(parts))


def conditional_variances(x: Sequence[Vector], p: Vector, n: int) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """Yield each past draw S_k, k = 1..n, its probability, and the conditional variance of the next part of g~.

    It is (1 - P_k) sum over m not in S_k of a_m / p_m minus the squared norm of the sum of their x_m; 0 for the last
    client, which is certain.
    """
    clients = range(len(p))
    for k in range(n):
        for past, chance in draws_without_replacement(p, k):
            rest = [m for m in clients if m not in past]
            free = sum((p[m] for m in rest[1:]), p[rest[0]])
            spread = sum((squared_norm(x[m]) / p[m] for m in rest[1:]), squared_norm(x[rest[0]]) / p[rest[0]])
            value = free * spread - squared_norm(total([x[m] for m in rest])) if len(rest) > 1 else 0 * free
            yield past, chance, value


def variance(outcomes: Iterator[tuple[Any, Any]], estimate: Callable[[Any], Vector], around: Vector) -> Any:
    """Return E |estimate - around|^2 over outcomes with their probabilities."""
    parts = [
        chance * squared_norm(tuple(v - w for v, w in zip(estimate(drawn), around, strict=True)))
        for drawn, chance in outcomes
    ]
    return sum(parts[1:], parts[0])


def mean(outcomes: Iterator[tuple[Any, Any]], estimate: Callable[[Any], Vector]) -> tuple[Any, ...]:
    """Return the expected estimate."""
    return total([tuple(chance * v for v in estimate(drawn)) for drawn, chance in outcomes])


# The floored simplex ----------------------------------------------------------------------------------------------


def lines(y: Vector, alpha: Number) -> list[tuple[Any, Any]]:
    """Return 1 - (k-1) alpha/M and the sum of the y from rank k on, for ascending ranks k = 1..M; ``y`` is rational."""
    n = len(y)
    ascending = sorted(Fraction(v) for v in y)
    return [(1 - Fraction(k) * alpha / n, sum(ascending[k:], Fraction(0))) for k in range(n)]


def project_exactly(y: Vector, alpha: Number) -> tuple[Fraction, ...]:
    """Return the KL projection of y >= 0 onto the floored simplex: max(alpha/M, c y), c the least root of the lines."""
    c = min(budget / suffix for budget, suffix in lines(y, alpha) if suffix)
    return tuple(max(Fraction(alpha) / len(y), c * v) for v in y)


def rank_of_floor(y: Vector, alpha: Number) -> int:
    """Return the number of ranks below m_star, the first with v_k > u_k; M if there is none (alpha = 1)."""
    n = len(y)
    above = [
        v * budget > Fraction(alpha) / n * suffix
        for v, (budget, suffix) in zip(sorted(map(Fraction, y)), lines(y, alpha), strict=True)
    ]
    return above.index(True) if any(above) else n


def algorithm_2(y: Vector, alpha: Number, by_index: bool = False) -> tuple[Fraction, ...]:
    """Return step 4 of Algorithm 2: ranks below m_star are floored (as printed: clients with pi(m) below it)."""
    n, below = len(y), rank_of_floor(y, alpha)
    if below == n:
        raise ValueError("no rank passes the test")
    budget, suffix = lines(y, alpha)[below]
    client = sorted(range(n), key=lambda m: y[m])  # pi
    tested = client if by_index else [client.index(m) for m in range(n)]
    return tuple(
        Fraction(alpha) / n if t < below else budget * Fraction(v) / suffix for t, v in zip(tested, y, strict=True)
    )


def below_floor(q: Vector, alpha: Number) -> Fraction:
    """Return psi of (19): the mass missing to the floor."""
    floor = Fraction(alpha) / len(q)
    return sum((floor - v for v in q if v < floor), Fraction(0))


def part_above_floor(q: Vector, alpha: Number) -> Fraction:
    """Return omega of (19): psi over the mass above the floor; ZeroDivisionError for 0/0 (alpha = 1, uniform q)."""
    floor = Fraction(alpha) / len(q)
    return below_floor(q, alpha) / sum((v - floor for v in q if v >= floor), Fraction(0))


def loss_of_moving(q: Vector, alpha: Number) -> Fraction:
    """Return phi of (19) as a function of omega."""
    omega = part_above_floor(q, alpha)
    return omega / (1 - omega * (1 - Fraction(alpha) / len(q)))


def floored_point(q: Vector, alpha: Number) -> tuple[Fraction, ...]:
    """Return the point (53) of the floored simplex."""
    floor, omega = Fraction(alpha) / len(q), part_above_floor(q, alpha)
    return tuple(floor if v < floor else v - omega * (v - floor) for v in q)
