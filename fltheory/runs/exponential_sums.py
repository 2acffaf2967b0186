"""The least value of c_0 + sum_i c_i rho_i^r over r = 0..R, rigorously, in O(log R) steps: for very long runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import arb

from fltheory.runs.moments import Law, Matrix

BOXES = 4000  # ranges of r examined at most
FLAT = arb(2) ** -60  # a range that can't improve the minimum by more than this part isn't split


class Term(NamedTuple):
    """coefficient * ratio^r with 0 < ratio < 1."""

    coefficient: arb
    ratio: arb


def least(constant: arb, terms: Sequence[Term], last: int) -> arb:
    """A ball that contains the minimum over r = 0..last: tight where the search ends, a wider ball beyond ``BOXES``.

    A range of r is split until the derivative has a sign there (then an end is the least) or its terms, each monotone,
    exclude that it holds the minimum.
    """
    logs = [t.ratio.log() for t in terms]

    def value(r: int) -> arb:
        return sum((t.coefficient * (log * r).exp() for t, log in zip(terms, logs, strict=True)), constant)

    def ends(low: int, high: int, weights: Sequence[arb]) -> tuple[arb, arb]:
        """Balls below and above sum_i weight_i rho_i^r for all r in the range (one ball would be too coarse)."""
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
            continue  # its ends have been counted
        if examined > BOXES or best - whole <= best * FLAT:
            best = best.min(whole)
            continue
        middle = (low + high) // 2
        best = best.min(value(middle))
        open_ranges += [(low, middle), (middle, high)]
    return best


def squared_distance(law: Law, start: Matrix, centre: arb, factor: arb) -> tuple[arb, list[Term]] | None:
    """factor * E(x_r - centre)^2 of a one-dimensional random affine map as a constant and exponentials in r.

    (E x_r, E x_r^2) follows a triangular recursion with the ratios a = E A and b = E A^2. None where a, b, 1 can't be
    told apart or are not in order 0 < b, a < 1: then there is no such form, or not at this precision.
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
    return factor * constant, [Term(factor * slow, a), Term(factor * rest, b)]
