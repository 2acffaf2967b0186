"""Remark D.4: greedy maximum coverage where clients share their memberships in each round, summed under masks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import combinations

from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.set_functions import Coverage

Rows = Sequence[Sequence[int]]
Message = Callable[[Sequence[int], Collection[int]], tuple[int, ...]]


def memberships(clients: SubmodularClients) -> tuple[tuple[int, ...], ...]:
    """Return the groups (1) of each client, client by client; ValueError unless each client is one point."""
    found = []
    for f in clients.functions:
        if not isinstance(f, Coverage) or len(f.points) != 1:
            raise ValueError(f"{f!r}: expected maximum coverage with one point for each client")
        found.append(tuple(int(e in f.points[0]) for e in range(clients.dim)))
    return tuple(found)


def membership_message(row: Sequence[int], chosen: Collection[int]) -> tuple[int, ...]:
    """Return the message of a client: its memberships until it is covered, then zeros."""
    return tuple(0 for _ in row) if any(row[a] for a in chosen) else tuple(row)


def full_message(row: Sequence[int], chosen: Collection[int]) -> tuple[int, ...]:
    """Return the message as printed: the memberships in each round."""
    return tuple(row)


def greedy_groups(
    rows: Rows, n_rounds: int, order: Sequence[int], absent: Collection[int] = (), message: Message = membership_message
) -> tuple[int, ...]:
    """Return the groups that the server picks: in each round one with the largest sum, ties by ``order``.

    ``absent`` clients send nothing; ``message(row, chosen)`` is sent by the others.
    """
    chosen: list[int] = []
    for _ in range(n_rounds):
        sums = [0] * len(order)
        for i, row in enumerate(rows):
            if i not in absent:
                sums = [s + v for s, v in zip(sums, message(row, chosen), strict=True)]
        chosen.append(max((a for a in order if a not in chosen), key=lambda a: sums[a]))
    return tuple(chosen)


def value(clients: SubmodularClients, absent: Collection[int] = (), message: Message = membership_message) -> Fraction:
    """Return F of the server's choice if all but the absent clients share their memberships."""
    picked = greedy_groups(memberships(clients), clients.matroid.rank, clients.order(), absent, message)
    return clients.value(frozenset(picked))


def value_without(clients: SubmodularClients, many: int) -> Fraction:
    """Return the least F of the server's choice over all sets of ``many`` absent clients."""
    return min(value(clients, gone) for gone in combinations(range(clients.n_clients), many))
