"""Errors of sampled values and gradients of an extension: exact distributions of the mean of m random sets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from math import comb, lcm
from operator import add

from fltheory.model.schema import Domain, Record, count, one_of, positive, scalar
from fltheory.number import Number, to_ball
from fltheory.number.mixed import Mixed, to_mixed
from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.points.cases.points import OnePoint, draws_of_sets, in_cube, rationals
from fltheory.runs.method import NotEnumerable

Errors = tuple[Fraction, ...]  # errors, gradients or single values
Law = dict[Errors, Fraction]
OUTCOMES = 50_000  # largest number of distinct sums of samples
DIGITS = 100_000  # largest number of binary digits of a probability


def sum_distribution(law: Law, size: int) -> Law:
    """Return the distribution of the sum of ``size`` independent vectors; NotEnumerable for too many sums.

    Vectors are counted in multiples of 1/unit, probabilities in multiples of 1/parts for each vector of the sum.
    """
    unit = lcm(*(v.denominator for errors in law for v in errors))
    parts = lcm(*(p.denominator for p in law.values()))
    once = [(tuple(int(v * unit) for v in errors), int(p * parts)) for errors, p in law.items()]
    total = {(0,) * len(next(iter(law))): 1}
    for _ in range(size):
        if len(total) * len(once) > OUTCOMES:
            raise NotEnumerable(f"more than {OUTCOMES} sums of samples")
        grown: dict[tuple[int, ...], int] = {}
        for have, ways in total.items():
            for more, further in once:
                key = tuple(map(add, have, more))
                grown[key] = grown.get(key, 0) + ways * further
        total = grown
    return {tuple(Fraction(v, unit) for v in key): Fraction(ways, parts**size) for key, ways in total.items()}


class Sampled(OnePoint):
    """A function whose value or gradient at x is estimated by the mean over random sets drawn from x."""

    def require(self) -> None:
        """Check that the point has a coordinate for each item, and that the function is not 0."""
        in_cube("x", self.x, self.function.n_items)
        if not self.top:
            raise ValueError("the function is 0")

    @cached_property
    def top(self) -> Fraction:
        """The largest value."""
        return Fraction(self.function.value(frozenset(range(self.function.n_items))))

    @cached_property
    def value_law(self) -> Law:
        """The distribution of one sampled value f(R)."""
        return self._law(lambda items: (Fraction(self.function.value(items)),))

    @cached_property
    def gradient_law(self) -> Law:
        """The distribution of one sampled gradient, f(R + e) - f(R - e) for each item e."""
        return self._law(
            lambda items: tuple(
                Fraction(self.function.value(items | {e})) - Fraction(self.function.value(items - {e}))
                for e in range(self.function.n_items)
            )
        )

    def _law(self, value: Callable[[frozenset[int]], Errors]) -> Law:
        found: Law = {}
        for chance, items in draws_of_sets(self.x):
            key = value(items)
            found[key] = found.get(key, Fraction(0)) + chance
        return found

    @cached_property
    def gradient(self) -> Errors:
        """The gradient of the extension at x, by its formula."""
        slopes = self.function.gradient(rationals(self.x)[None])[0]
        return tuple(Fraction(int(v.p), int(v.q)) for v in slopes)


def value_fails(one: Sampled, size: int, ratio: Fraction) -> Fraction:
    """Return the probability that the mean of ``size`` values is off by more than ``ratio`` times the largest value."""
    found = sum_distribution(one.value_law, size)
    mean = sum((p * v[0] for v, p in one.value_law.items()), Fraction(0))
    return sum((p for v, p in found.items() if abs(v[0] / size - mean) > ratio * one.top), Fraction(0))


def gradient_fails(one: Sampled, size: int, fails: Callable[[Errors], bool]) -> Fraction:
    """Return the probability that ``fails`` is true for the error of the mean of ``size`` gradients."""
    true = one.gradient
    found = sum_distribution(one.gradient_law, size)
    return sum(
        (p for v, p in found.items() if fails(tuple(a / size - b for a, b in zip(v, true, strict=True)))), Fraction(0)
    )


def relative_fails(one: Sampled, size: int, ratio: Fraction) -> Fraction:
    """Return the probability that an entry of the mean of ``size`` gradients has relative error above ``ratio``."""
    true = one.gradient
    return gradient_fails(one, size, lambda e: any(abs(v) > ratio * g for v, g in zip(e, true, strict=True)))


def chance_of_any(chance: Fraction, times: int) -> Fraction:
    """Return the probability that one of ``times`` independent events happens."""
    return 1 - (1 - chance) ** times


even = Domain("even integers of at least 2", lambda v: count(2).holds(v) and v % 2 == 0, one_of(2, 4, 10, 1000).draw)


class Pairs(Record):
    """Coverage by ``n_items``/2 disjoint pairs, each of which covers a point of weight ``scale``, at x = (1/2, .., 1/2).

    A sampled gradient has independent entries: ``scale`` if the partner isn't drawn, else 0.
    """

    n_items: int = scalar(even, notation.n)
    scale: Number = scalar(positive, notation.m_max, default=1)

    def entry_fails(self, size: int, error: Number) -> Fraction:
        """Return the probability that one entry of the mean of ``size`` gradients is off by more than ``error``."""
        most = Fraction(error) / self.scale
        ways = sum(comb(size, k) for k in range(size + 1) if abs(Fraction(k, size) - Fraction(1, 2)) > most)
        return Fraction(ways, 2**size)

    def succeeds(self, size: int, error: Number) -> Mixed:
        """Return the probability that no entry is off by more than ``error``, at least that for the Euclidean error."""
        right = 1 - self.entry_fails(size, error)
        return (to_mixed(right) if size * self.n_items <= DIGITS else to_ball(right)) ** self.n_items
