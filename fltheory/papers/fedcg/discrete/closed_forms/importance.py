"""Importance factors w_i = max_e f_i({e}) / F({e}), their two-round protocols (Algorithms 4 and 5), and who answers.

Section 5 takes F = sum_i f_i. With weights, f_i is p_i f_i here; ``weighted`` off leaves p_i out of f_i but not out of F,
as the paper does when F = sum_i p_i f_i, or when F is the mean of the clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from fltheory.problems.decomposable import SubmodularClients
from fltheory.work import charge_each

Row = Sequence[Fraction]


def histogram(rows: Sequence[Row]) -> tuple[Fraction, ...]:
    """What the secure aggregator tells the server, which broadcasts it: the sum over clients for every item."""
    return tuple(sum(column, Fraction(0)) for column in zip(*rows, strict=True))


def importance(row: Row, sums: Row) -> Fraction:
    """w_i of the client with these values, items of value 0 to everybody left out."""
    return max((v / total for v, total in zip(row, sums, strict=True) if total), default=Fraction(0))


def factors(clients: SubmodularClients, weighted: bool = True) -> tuple[Fraction, ...]:
    """w_i of every client, by definition."""
    shares = clients.weights if weighted else (Fraction(1),) * clients.n_clients
    sums = clients.singletons()  # F({e}) in both readings
    return tuple(p * importance(clients.singletons(i), sums) for i, p in enumerate(shares))


def factors_of_largest(clients: SubmodularClients) -> tuple[Fraction, ...]:
    """max_e p_i f_i({e}) / max_e F({e}): no larger than w_i, and for maximum coverage alike for all that are in a group."""
    most = max(clients.singletons())
    largest = (p * max(clients.singletons(i)) for i, p in enumerate(clients.weights))
    return tuple(v / most if most else Fraction(0) for v in largest)


def facility_protocol(scores: Sequence[Row]) -> tuple[Fraction, ...]:
    """Algorithm 4: every client sends its scores, receives their sums and finds its own factor."""
    sums = histogram(scores)
    return tuple(importance(row, sums) for row in scores)


def coverage_protocol(members: Sequence[Sequence[int]]) -> tuple[Fraction, ...]:
    """Algorithm 5: every client sends its memberships (0 or 1), receives the group sizes and finds its own factor."""
    sizes = histogram([[Fraction(v) for v in row] for row in members])
    own = ([1 / size for v, size in zip(row, sizes, strict=True) if v] for row in members)
    return tuple(max(found, default=Fraction(0)) for found in own)


def facility_protocol_printed(scores: Sequence[Row]) -> tuple[Fraction | None, ...]:
    """Algorithm 4 to the letter: None where line 10 divides 0 by 0, for an item that nobody scores."""
    sums = histogram(scores)
    return (None,) * len(scores) if 0 in sums else facility_protocol(scores)


def by_definition(clients: SubmodularClients) -> tuple[Fraction, ...]:
    """max_e p_i f_i({e}) / F({e}) over the items of positive value, by the values of sets."""
    items = [frozenset({e}) for e in range(clients.dim)]
    worth = [s for s in items if clients.value(s)]
    pairs = zip(clients.functions, clients.weights, strict=True)
    return tuple(max((p * f.value(s) / clients.value(s) for s in worth), default=Fraction(0)) for f, p in pairs)


def count_determined(members: Sequence[Sequence[int]]) -> int:
    """How many memberships the group sizes alone determine: all tables with these column sums agree on them.

    Columns don't constrain each other, so that each is looked at alone.
    """
    n, found = len(members), 0
    for column in zip(*members, strict=True):
        choices = list(charge_each(combinations(range(n), sum(column))))
        found += sum(1 for i in range(n) if len({i in chosen for chosen in choices}) == 1)
    return found


def count_determined_by_clients(members: Sequence[Sequence[int]]) -> int:
    """How many memberships of others each client can tell, from its own row and the group sizes, summed over the clients."""
    return sum(count_determined([*members[:i], *members[i + 1 :]]) for i in range(len(members)))


def answer_chances(clients: SubmodularClients, scale: Fraction, weighted: bool = True) -> tuple[Fraction, ...]:
    """kappa_i = min(1, kappa w_i)."""
    return tuple(min(Fraction(1), scale * w) for w in factors(clients, weighted))


def expected_answers(chances: Sequence[Fraction]) -> Fraction:
    """The mean number of clients that answer, over every outcome of the coins."""
    random = [k for k in chances if k < 1]
    total = Fraction(len(chances) - len(random))
    for coins in charge_each(product((0, 1), repeat=len(random))):
        weight = Fraction(sum(coins))
        for coin, k in zip(coins, random, strict=True):
            weight *= k if coin else 1 - k
        total += weight
    return total
