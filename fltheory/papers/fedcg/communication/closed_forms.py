"""What a client sends in a round, to the bit: bases and sums of bases, in the clear or under additive masks.

In the clear a base is its number among all sets of r items. Under masks of secure aggregation every item's sum over the
clients must fit: n numbers from 0 to the number of clients, whatever the rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import comb, floor

from fltheory.model.schema import Record, count, scalar
from fltheory.papers.fedcg.notation import K, N, T, n, r, tau


def encode_base(base: Iterable[int]) -> int:
    """The number of a set among those of its size: sum of C(e_k, k) over its items e_1 < e_2 < ..."""
    return sum(comb(e, k) for k, e in enumerate(sorted(base), start=1))


def decode_base(number: int, rank: int) -> tuple[int, ...]:
    """The set of so many items with this number."""
    found: list[int] = []
    for k in range(rank, 0, -1):
        e = k - 1
        while comb(e + 1, k) <= number:
            e += 1
        found.append(e)
        number -= comb(e, k)
    return tuple(reversed(found))


def bits(choices: int) -> int:
    """ceil(log2 choices): what tells so many apart."""
    return (choices - 1).bit_length()


class Messages(Record):
    """How large a problem is: items, rank, clients, clients drawn in a round, rounds, local steps of a round."""

    n_items: int = scalar(count(1, 5000), n)
    rank: int = scalar(count(1, 60), r)
    n_clients: int = scalar(count(1, 10_000), N, default=1)
    n_sampled: int = scalar(count(1, 10_000), K, default=1)
    n_rounds: int = scalar(count(1, 10_000), T, default=1)
    n_local_steps: int = scalar(count(1, 10_000), tau, default=1)

    def require(self) -> None:
        """A base has no more items than there are."""
        if self.rank > self.n_items:
            raise ValueError(f"rank = {self.rank}: more than the {self.n_items} items")

    @property
    def base(self) -> int:
        """A base, in the clear: ceil(log2 C(n, r)) bits."""
        return bits(comb(self.n_items, self.rank))

    @property
    def masked_base(self) -> int:
        """A base under masks: n ceil(log2(K + 1)) bits, for sums of K bases."""
        return self.n_items * bits(self.n_sampled + 1)

    @property
    def local(self) -> int:
        """A sum of tau bases, in the clear: n numbers from 0 to tau, or the bases themselves."""
        return min(self.n_items * bits(self.n_local_steps + 1), self.n_local_steps * self.base)

    @property
    def masked_local(self) -> int:
        """The same under masks."""
        return self.n_items * bits(self.n_sampled * self.n_local_steps + 1)


class Loop(Record):
    """Algorithm 2 with ``n_rounds`` rounds of ``n_local_steps`` steps: T of the paper is their product."""

    n_rounds: int = scalar(count(1, 10_000), T)
    n_local_steps: int = scalar(count(1, 10_000), tau)

    def steps(self, last: Fraction) -> int:
        """The local steps that a client takes where t goes 0, tau, 2 tau, ... up to ``last``."""
        return len(range(0, floor(last) + 1, self.n_local_steps)) * self.n_local_steps

    @property
    def total(self) -> int:
        """T: the local steps that the analysis counts."""
        return self.n_rounds * self.n_local_steps


def longest(n_items: int, rank: int) -> int:
    """The bits of the longest code of a base, found by writing all of them down."""
    return max(encode_base(base).bit_length() for base in combinations(range(n_items), rank))
