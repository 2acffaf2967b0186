"""Exact first and second moments of runs whose rounds are random affine maps (quadratic clients).

With x~ = (1, x) a round is x~ -> A~ x~ with a random matrix A~ = [[1, 0], [B, A]] that is independent of the past, so
E[x~] and E[x~ x~^T] follow linear recursions with the two matrices of a Law: E[A~] and E[A~ (x) A~] (Kronecker).
Averages of iterates, partial participation and orders drawn without replacement are algebra on laws.
The ring is that of the rationals or of balls (fltheory.number), so every result is exact or has an error bound.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb

from fltheory.number import Element, Ring
from fltheory.runs.method import NotEnumerable
from fltheory.work import EXACT_NUMBERS_PER_UNIT, charge_each

Matrix = Any
MAX_PREFIXES = 2**17  # largest number of parts of an order of clients whose laws are computed: seconds, and some 100 MB
MAX_RANGES = 4000  # largest number of ranges of r to examine
FLATNESS = arb(2) ** -60  # a range that cannot lower the minimum by more than this share is not split


class MapMoments(NamedTuple):
    """A random affine map of n - 1 coordinates: ``first`` = E[A~] (n x n), ``second`` = E[A~ (x) A~] (n^2 x n^2)."""

    first: Matrix
    second: Matrix


@dataclass(frozen=True)
class MapsByRound:
    """Laws of rounds that differ: for each round its random affine maps, (probability, A~, covariance of the noise)."""

    maps: tuple[tuple[tuple[Any, Matrix, Matrix], ...], ...]
    ring: Ring

    def moved(self, r: int, moments: Matrix) -> Matrix:
        """Return E[x~ x~^T] after round r from the one before it, n x n."""
        parts = [(a * moments * a.transpose() + noise) * weight for weight, a, noise in self.maps[r]]
        return _sum(parts)

    def mean(self, r: int) -> Matrix:
        """E[A~] of round r."""
        return _sum([a * weight for weight, a, _ in self.maps[r]])


def _sum(parts: Sequence[Matrix]) -> Matrix:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


class Block(NamedTuple):
    """A block of dependent coordinates, and the law of one round on it, or of each round."""

    coordinates: tuple[int, ...]
    law: MapMoments | MapsByRound


def kron(a: Matrix, b: Matrix, ring: Ring) -> Matrix:
    """The Kronecker product."""
    rows, columns, inner, across = a.nrows(), a.ncols(), b.nrows(), b.ncols()
    entries = [
        a[i, j] * b[k, m] for i in range(rows) for k in range(inner) for j in range(columns) for m in range(across)
    ]
    return ring.matrix(rows * inner, columns * across, entries)


def affine_moments(
    matrix: Sequence[Sequence[Any]], offset: Sequence[Any], covariance: Sequence[Sequence[Any]], ring: Ring
) -> MapMoments:
    """Return the law of x -> A x + B + noise, where the noise has mean 0 and the given covariance."""
    d = len(offset)
    n = d + 1
    first = ring.zeros(n, n)
    first[0, 0] = 1
    for i in range(d):
        first[i + 1, 0] = offset[i]
        for j in range(d):
            first[i + 1, j + 1] = matrix[i][j]
    second = kron(first, first, ring)
    for i in range(d):
        for j in range(d):
            row = (i + 1) * n + j + 1
            second[row, 0] = second[row, 0] + covariance[i][j]
    return MapMoments(first, second)


def compose_moments(law: MapMoments, after: MapMoments) -> MapMoments:
    """Return the law of ``law`` followed by an independent ``after``."""
    return MapMoments(after.first * law.first, after.second * law.second)


def identity_moments(n: int, ring: Ring) -> MapMoments:
    """Return the law of the identity map on n - 1 coordinates."""
    return MapMoments(ring.identity(n), ring.identity(n * n))


def repeat_moments(law: MapMoments, times: int, ring: Ring) -> MapMoments:
    """Return the law of ``times`` independent copies in succession."""
    return MapMoments(matrix_power(law.first, times, ring), matrix_power(law.second, times, ring))


def matrix_power(matrix: Matrix, exponent: int, ring: Ring) -> Matrix:
    """Compute a power by repeated squaring."""
    result, base = None, matrix
    while exponent:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        if exponent:
            base = base * base
    return ring.identity(matrix.nrows()) if result is None else result


def mixture_moments(laws: Iterable[tuple[Any, MapMoments]]) -> MapMoments:
    """Return the law of a map drawn with the given probabilities (ring elements)."""
    total: MapMoments | None = None
    for weight, law in laws:
        scaled = MapMoments(law.first * weight, law.second * weight)
        total = scaled if total is None else MapMoments(total.first + scaled.first, total.second + scaled.second)
    assert total is not None
    return total


def relaxed_moments(law: MapMoments, gamma: Element, ring: Ring) -> MapMoments:
    """Return the law of x + gamma (A(x) - x), a round followed by a server step."""
    rest = ring.scalar(1) - gamma
    eye = ring.identity(law.first.nrows())
    first = eye * rest + law.first * gamma
    cross = kron(eye, law.first, ring) + kron(law.first, eye, ring)
    second = kron(eye, eye, ring) * (rest * rest) + cross * (gamma * rest) + law.second * (gamma * gamma)
    return MapMoments(first, second)


def random_order_moments(clients: Sequence[MapMoments], counts: Sequence[int], size: int, ring: Ring) -> MapMoments:
    """Return the law of ``size`` clients, drawn without replacement, that train one after the other in this order.

    ``clients[t]`` is the law of a client of type t, and ``counts[t]`` their number. Dynamic program over the numbers of
    clients used of each type: given these, all orders are equally likely, so the last has type t with odds used[t].
    """
    laws = prefix_moments(clients, counts, size, ring)
    total = math.comb(sum(counts), size)
    weighted = []
    for used, law in laws.items():
        if sum(used) == size:
            ways = math.prod(math.comb(n, u) for n, u in zip(counts, used, strict=True))
            weighted.append((ring.scalar(Fraction(ways, total)), law))
    return mixture_moments(weighted)


def prefix_moments(
    clients: Sequence[MapMoments], counts: Sequence[int], size: int, ring: Ring
) -> dict[tuple[int, ...], MapMoments]:
    """Return the law of a random order of ``used[t]`` clients of type t each, for all ``used`` of at most ``size``.

    NotEnumerable if there are more than ``MAX_PREFIXES`` of them: with M clients that all differ there are 2^M.
    """
    n_prefixes = math.prod(n + 1 for n in counts)
    if n_prefixes > MAX_PREFIXES:
        told = f"{sum(counts)} clients of {len(counts)} kinds come in {n_prefixes} parts of an order"
        raise NotEnumerable(f"{told}, expected at most {MAX_PREFIXES}: let more clients be equal, or simulate")
    start = tuple(0 for _ in counts)
    laws = {start: identity_moments(clients[0].first.nrows(), ring)}
    cost = clients[0].second.nrows() ** 2 / EXACT_NUMBERS_PER_UNIT
    for used in charge_each(sorted(itertools.product(*(range(n + 1) for n in counts)), key=sum), cost):
        done = sum(used)
        if done == 0 or done > size:
            continue
        parts = []
        for t, u in enumerate(used):
            if u:
                before = laws[(*used[:t], u - 1, *used[t + 1 :])]
                parts.append((ring.scalar(Fraction(u, done)), compose_moments(before, clients[t])))
        laws[used] = mixture_moments(parts)
    return laws


def average_moments(clients: Sequence[MapMoments], counts: Sequence[int], size: int, ring: Ring) -> MapMoments:
    """Return the law of the mean over ``size`` clients drawn without replacement, each with its own noise."""
    n = sum(counts)
    mean = mixture_moments((ring.scalar(Fraction(c, n)), law) for c, law in zip(counts, clients, strict=True))
    if size == 1:
        return MapMoments(mean.first, mean.second)
    own = weighted_kron_sum([(Fraction(c), law.first) for c, law in zip(counts, clients, strict=True)], ring)
    pairs = (kron(mean.first, mean.first, ring) * ring.scalar(n * n) - own) * ring.scalar(Fraction(1, n * (n - 1)))
    second = mean.second * ring.scalar(Fraction(1, size)) + pairs * ring.scalar(Fraction(size - 1, size))
    return MapMoments(mean.first, second)


def weighted_kron_sum(weighted: Sequence[tuple[Fraction, Matrix]], ring: Ring) -> Matrix:
    """The weighted sum of A (x) A."""
    total = None
    for weight, matrix in weighted:
        part = kron(matrix, matrix, ring) * ring.scalar(weight)
        total = part if total is None else total + part
    return total


def outer_column(start: Sequence[Any], ring: Ring) -> Matrix:
    """vec((1, x)(1, x)^T) as a column, for a known point x."""
    extended = [ring.scalar(1), *start]
    return ring.matrix(len(extended) ** 2, 1, [a * b for a in extended for b in extended])


def unvec(column: Matrix, ring: Ring) -> Matrix:
    """Return the n x n matrix of a vector; the inverse of stacking its columns."""
    n = math.isqrt(column.nrows())
    return ring.matrix(n, n, [column[k, 0] for k in range(n * n)])


def vec(square: Matrix, ring: Ring) -> Matrix:
    """The vector of a matrix, row by row."""
    n = square.nrows()
    return ring.matrix(n * n, 1, [square[i, j] for i in range(n) for j in range(n)])


def second_moments(law: MapMoments | MapsByRound, start: Matrix, rounds: int, ring: Ring) -> Matrix:
    """Return vec(E[x~ x~^T]) after ``rounds`` rounds, in O(log rounds) products if all rounds have the same law."""
    if isinstance(law, MapsByRound):
        return trajectory(law, start, rounds)[-1]
    return matrix_power(law.second, rounds, ring) * start


def trajectory(law: MapMoments | MapsByRound, start: Matrix, rounds: int) -> list[Matrix]:
    """vec(E[x~ x~^T]) at the start of rounds 0..R."""
    states = [start]
    if isinstance(law, MapsByRound):
        square = unvec(start, law.ring)
        for r in range(rounds):
            square = law.moved(r, square)
            states.append(vec(square, law.ring))
        return states
    for _ in charge_each(range(rounds), law.second.nrows() ** 2 / EXACT_NUMBERS_PER_UNIT):
        states.append(law.second * states[-1])
    return states


def average_iterate_moments(
    law: MapMoments | MapsByRound, start: Matrix, rounds: int, decay: Element, ring: Ring
) -> Matrix:
    """vec(E[xbar~ xbar~^T]) of the average of x_0..x_R with weights w_r proportional to decay^-r.

    With S_r = sum_{i<=r} w_i x~_i / w_r the triple (E[x~ x~^T], E[S x~^T], E[S S^T]) follows one linear recursion.
    """
    if isinstance(law, MapsByRound):
        return _average_iterate_by_round(law, unvec(start, ring), rounds, decay, ring)
    n = law.first.nrows()
    size = n * n
    eye = ring.identity(n)
    carry = kron(eye, law.first, ring) * decay
    swap = ring.matrix(size, size, [int(row == (col % n) * n + col // n) for row in range(size) for col in range(size)])
    blocks = [
        [law.second, None, None],
        [law.second, carry, None],
        [law.second, carry + swap * carry, ring.identity(size) * (decay * decay)],
    ]
    joint = ring.zeros(3 * size, 3 * size)
    for i, row in enumerate(blocks):
        for j, part in enumerate(row):
            if part is not None:
                for a in range(size):
                    for b in range(size):
                        joint[i * size + a, j * size + b] = part[a, b]
    column = ring.matrix(3 * size, 1, [start[k, 0] for _ in range(3) for k in range(size)])
    final = matrix_power(joint, rounds, ring) * column
    weight = final[2 * size, 0]  # the squared sum of the weights: the constant coordinate of S
    return ring.matrix(size, 1, [final[2 * size + k, 0] / weight for k in range(size)])


def _average_iterate_by_round(law: MapsByRound, start: Matrix, rounds: int, decay: Element, ring: Ring) -> Matrix:
    """Compute it for rounds with different laws: S_(r+1) = decay S_r + x_(r+1)."""
    state, cross, total = start, start, start
    for r in range(rounds):
        mean = law.mean(r)
        carried = cross * mean.transpose() * decay
        state = law.moved(r, state)
        total = total * (decay * decay) + carried + carried.transpose() + state
        cross = carried + state
    weight = total[0, 0]
    n = state.nrows()
    return ring.matrix(n * n, 1, [total[i, j] / weight for i in range(n) for j in range(n)])


def quadratic_mean(moments: Matrix, hessian: Callable[[int, int], Any], centre: Sequence[Any], ring: Ring) -> Any:
    """E[(x - c)^T H (x - c)] from vec(E[x~ x~^T])."""
    d = len(centre)
    n = d + 1
    total = ring.scalar(0)
    for i in range(d):
        for j in range(d):
            h = hessian(i, j)
            if h == 0:
                continue
            mixed = moments[(i + 1) * n + j + 1, 0] - centre[i] * moments[j + 1, 0] - centre[j] * moments[i + 1, 0]
            total = total + h * (mixed + centre[i] * centre[j])
    return total


# Long runs of one coordinate: sums of exponentials in the round -------------------------------------------------------


class ExponentialTerm(NamedTuple):
    """coefficient * ratio^r with 0 < ratio < 1."""

    coefficient: arb
    ratio: arb


def minimum_over_rounds(constant: arb, terms: Sequence[ExponentialTerm], last: int) -> arb:
    """Enclose the minimum over r = 0..last in a ball, which is wider if the search stops at ``MAX_RANGES``.

    A range of r is split until its derivative has a fixed sign (then an end is the minimum), or bounds on its monotone
    terms show that the minimum is elsewhere.
    """
    logs = [t.ratio.log() for t in terms]

    def value(r: int) -> arb:
        return sum((t.coefficient * (log * r).exp() for t, log in zip(terms, logs, strict=True)), constant)

    def ends(low: int, high: int, weights: Sequence[arb]) -> tuple[arb, arb]:
        """Bound sum_i weight_i rho_i^r from below and above on the range (a single ball would be too coarse)."""
        pairs = [(w * (log * low).exp(), w * (log * high).exp()) for w, log in zip(weights, logs, strict=True)]
        return sum((a.min(b) for a, b in pairs), arb(0)), sum((a.max(b) for a, b in pairs), arb(0))

    coefficients = [t.coefficient for t in terms]
    slopes = [c * log for c, log in zip(coefficients, logs, strict=True)]
    best = value(0).min(value(last))
    open_ranges, examined = [(0, last)], 0
    while open_ranges:
        low, high = open_ranges.pop()
        examined += 1
        slowest, fastest = ends(low, high, slopes)
        whole = constant + ends(low, high, coefficients)[0]
        if slowest >= 0 or fastest <= 0 or high - low <= 1 or whole >= best:
            continue  # its ends are already included
        if examined > MAX_RANGES or best - whole <= best * FLATNESS:
            best = best.min(whole)
            continue
        middle = (low + high) // 2
        best = best.min(value(middle))
        open_ranges += [(low, middle), (middle, high)]
    return best


def squared_distance_terms(
    law: MapMoments, start: Matrix, centre: arb, factor: arb
) -> tuple[arb, list[ExponentialTerm]] | None:
    """Return factor * E(x_r - centre)^2 of a one-dimensional random affine map as a constant plus exponentials in r.

    (E x_r, E x_r^2) follows a triangular recursion with ratios a = E A and b = E A^2. None unless a, b and 1 are surely
    distinct with 0 < b, a < 1: otherwise there is no such form, or not at this precision.
    """
    a, b = law.first[1, 1], law.second[3, 3]
    if not (a > 0 and b > 0 and a < 1 and b < 1 and (a > b or a < b)):
        return None
    mean_limit = law.first[1, 0] / (1 - a)
    mean_term = start[1, 0] - mean_limit  # E x_r = mean_limit + mean_term a^r
    cross = law.second[3, 1] + law.second[3, 2]
    square_limit = (cross * mean_limit + law.second[3, 0]) / (1 - b)
    square_term = cross * mean_term / (a - b)  # E x_r^2 = square_limit + square_term a^r + rest b^r
    rest = start[3, 0] - square_limit - square_term
    constant = square_limit - 2 * centre * mean_limit + centre * centre
    slow = square_term - 2 * centre * mean_term
    return factor * constant, [ExponentialTerm(factor * slow, a), ExponentialTerm(factor * rest, b)]
