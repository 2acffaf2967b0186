"""The messages of a client in a round, in bits: bases and sums of bases, in plain text or under additive masks.

In plain text a base is its index among all sets of r items. Under the masks of secure aggregation each item needs room
for its sum over the clients: n numbers from 0 to the number of clients, whatever the rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import comb, floor

from fltheory.model.schema import Record, count, scalar
from fltheory.papers.fedcg.notation import K, N, T, n, r, tau


def encode_base(base: Iterable[int]) -> int:
    """Return the index of a set among those of its size: sum of C(e_k, k) over its items e_1 < e_2 < ..."""
    return sum(comb(e, k) for k, e in enumerate(sorted(base), start=1))


def decode_base(number: int, rank: int) -> tuple[int, ...]:
    """Return the set of ``rank`` items with this index."""
    found: list[int] = []
    for k in range(rank, 0, -1):
        e = k - 1
        while comb(e + 1, k) <= number:
            e += 1
        found.append(e)
        number -= comb(e, k)
    return tuple(reversed(found))


def bits(choices: int) -> int:
    """Return ceil(log2 choices), the bits that distinguish so many choices."""
    return (choices - 1).bit_length()


class Messages(Record):
    """The size of a problem: items, rank, clients, clients drawn in a round, rounds, local steps of a round."""

    n_items: int = scalar(count(1, 5000), n)
    rank: int = scalar(count(1, 60), r)
    n_clients: int = scalar(count(1, 10_000), N, default=1)
    n_sampled: int = scalar(count(1, 10_000), K, default=1)
    n_rounds: int = scalar(count(1, 10_000), T, default=1)
    n_local_steps: int = scalar(count(1, 10_000), tau, default=1)

    def require(self) -> None:
        """Check that the rank is at most the number of items."""
        if self.rank > self.n_items:
            raise ValueError(f"rank = {self.rank}: more than the {self.n_items} items")

    @property
    def base(self) -> int:
        """Return the bits of a base in plain text, ceil(log2 C(n, r))."""
        return bits(comb(self.n_items, self.rank))

    @property
    def masked_base(self) -> int:
        """Return the bits of a base under masks, n ceil(log2(K + 1)), for sums of K bases."""
        return self.n_items * bits(self.n_sampled + 1)

    @property
    def local(self) -> int:
        """Return the bits of a sum of tau bases in plain text: n numbers from 0 to tau, or the bases themselves."""
        return min(self.n_items * bits(self.n_local_steps + 1), self.n_local_steps * self.base)

    @property
    def masked_local(self) -> int:
        """Return the bits of such a sum under masks."""
        return self.n_items * bits(self.n_sampled * self.n_local_steps + 1)


class Loop(Record):
    """Algorithm 2 with ``n_rounds`` rounds of ``n_local_steps`` steps; the paper's T is their product."""

    n_rounds: int = scalar(count(1, 10_000), T)
    n_local_steps: int = scalar(count(1, 10_000), tau)

    def steps(self, last: Fraction) -> int:
        """Return the number of local steps of a client if t takes the values 0, tau, 2 tau, ... up to ``last``."""
        return len(range(0, floor(last) + 1, self.n_local_steps)) * self.n_local_steps

    @property
    def total(self) -> int:
        """Return T, the number of local steps in the analysis."""
        return self.n_rounds * self.n_local_steps


def longest(n_items: int, rank: int) -> int:
    """Return the bits of the longest code of a base, found by listing all of them."""
    return max(encode_base(base).bit_length() for base in combinations(range(n_items), rank))
