"""Importance factors w_i = max_e f_i({e}) / F({e}), their two-round protocols (Algorithms 4 and 5), and the answers.

Section 5 takes F = sum_i f_i. With weights, f_i is p_i f_i here; without ``weighted``, p_i is part of F only,
as in the paper if F = sum_i p_i f_i or if F is the mean of the clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from fltheory.problems.decomposable import SubmodularClients
from fltheory.work import charge_each

Row = Sequence[Fraction]


def histogram(rows: Sequence[Row]) -> tuple[Fraction, ...]:
    """Return the sum over the clients for each item, which the secure aggregator sends and the server broadcasts."""
    return tuple(sum(column, Fraction(0)) for column in zip(*rows, strict=True))


def importance(row: Row, sums: Row) -> Fraction:
    """Return w_i of the client with these values, ignoring items that have value 0 for all clients."""
    return max((v / total for v, total in zip(row, sums, strict=True) if total), default=Fraction(0))


def factors(clients: SubmodularClients, weighted: bool = True) -> tuple[Fraction, ...]:
    """Return w_i of every client, by definition."""
    shares = clients.weights if weighted else (Fraction(1),) * clients.n_clients
    sums = clients.singletons()  # F({e}) in both readings
    return tuple(p * importance(clients.singletons(i), sums) for i, p in enumerate(shares))


def factors_of_largest(clients: SubmodularClients) -> tuple[Fraction, ...]:
    """Return max_e p_i f_i({e}) / max_e F({e}) <= w_i; for coverage it is equal for all clients in a group."""
    most = max(clients.singletons())
    largest = (p * max(clients.singletons(i)) for i, p in enumerate(clients.weights))
    return tuple(v / most if most else Fraction(0) for v in largest)


def facility_protocol(scores: Sequence[Row]) -> tuple[Fraction, ...]:
    """Run Algorithm 4: each client sends its scores, receives their sums and computes its own factor."""
    sums = histogram(scores)
    return tuple(importance(row, sums) for row in scores)


def coverage_protocol(members: Sequence[Sequence[int]]) -> tuple[Fraction, ...]:
    """Run Algorithm 5: each client sends its memberships, receives the group sizes and computes its own factor."""
    sizes = histogram([[Fraction(v) for v in row] for row in members])
    own = ([1 / size for v, size in zip(row, sizes, strict=True) if v] for row in members)
    return tuple(max(found, default=Fraction(0)) for found in own)


def facility_protocol_printed(scores: Sequence[Row]) -> tuple[Fraction | None, ...]:
    """Run Algorithm 4 as printed; None if line 10 divides 0 by 0, for an item without a score."""
    sums = histogram(scores)
    return (None,) * len(scores) if 0 in sums else facility_protocol(scores)


def by_definition(clients: SubmodularClients) -> tuple[Fraction, ...]:
    """Return max_e p_i f_i({e}) / F({e}) over the items of positive value, by the values of sets."""
    items = [frozenset({e}) for e in range(clients.dim)]
    worth = [s for s in items if clients.value(s)]
    pairs = zip(clients.functions, clients.weights, strict=True)
    return tuple(max((p * f.value(s) / clients.value(s) for s in worth), default=Fraction(0)) for f, p in pairs)


def count_determined(members: Sequence[Sequence[int]]) -> int:
    """Return the number of memberships that the group sizes determine: all tables with these column sums agree on them.

    Columns are independent of each other, so each is examined separately.
    """
    n, found = len(members), 0
    for column in zip(*members, strict=True):
        choices = list(charge_each(combinations(range(n), sum(column))))
        found += sum(1 for i in range(n) if len({i in chosen for chosen in choices}) == 1)
    return found


def count_determined_by_clients(members: Sequence[Sequence[int]]) -> int:
    """Return the number of others' memberships that clients can infer from their own row and the group sizes."""
    return sum(count_determined([*members[:i], *members[i + 1 :]]) for i in range(len(members)))


def answer_chances(clients: SubmodularClients, scale: Fraction, weighted: bool = True) -> tuple[Fraction, ...]:
    """Return kappa_i = min(1, kappa w_i)."""
    return tuple(min(Fraction(1), scale * w) for w in factors(clients, weighted))


def expected_answers(chances: Sequence[Fraction]) -> Fraction:
    """Return the expected number of clients that answer."""
    random = [k for k in chances if k < 1]
    total = Fraction(len(chances) - len(random))
    for coins in charge_each(product((0, 1), repeat=len(random))):
        weight = Fraction(sum(coins))
        for coin, k in zip(coins, random, strict=True):
            weight *= k if coin else 1 - k
        total += weight
    return total
