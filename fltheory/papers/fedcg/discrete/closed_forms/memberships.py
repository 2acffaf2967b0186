"""Remark D.4: greedy for maximum coverage where clients share their memberships in every round, summed under masks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from itertools import combinations

from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.set_functions import Coverage

Rows = Sequence[Sequence[int]]
Message = Callable[[Sequence[int], Collection[int]], tuple[int, ...]]


def memberships(clients: SubmodularClients) -> tuple[tuple[int, ...], ...]:
    """Which groups (1) each client is in, client by client; ValueError unless every client is one point."""
    found = []
    for f in clients.functions:
        if not isinstance(f, Coverage) or len(f.points) != 1:
            raise ValueError(f"{f!r}: expected maximum coverage, a point for every client")
        found.append(tuple(int(e in f.points[0]) for e in range(clients.dim)))
    return tuple(found)


def membership_message(row: Sequence[int], chosen: Collection[int]) -> tuple[int, ...]:
    """What a client sends: its memberships until it is covered, then zeros."""
    return tuple(0 for _ in row) if any(row[a] for a in chosen) else tuple(row)


def full_message(row: Sequence[int], chosen: Collection[int]) -> tuple[int, ...]:
    """The remark to the letter: its memberships in every round."""
    return tuple(row)


def greedy_groups(
    rows: Rows, n_rounds: int, order: Sequence[int], absent: Collection[int] = (), message: Message = membership_message
) -> tuple[int, ...]:
    """The groups that the server picks: in every round the one of the largest sum, equal ones by ``order``.

    ``absent`` clients send nothing in any round; ``message(row, chosen)`` is what the others send.
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
    """F of what the server picks where everybody but the absent clients shares its memberships."""
    picked = greedy_groups(memberships(clients), clients.matroid.rank, clients.order(), absent, message)
    return clients.value(frozenset(picked))


def value_without(clients: SubmodularClients, many: int) -> Fraction:
    """The least F of what the server picks where ``many`` clients are absent, whoever they are."""
    return min(value(clients, gone) for gone in combinations(range(clients.n_clients), many))
