"""Over which indices the clients of a theorem go, such as the clients, the places in a round and the local steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy
from sympy import Expr, Integer, Symbol, preorder_traversal

from fltheory.proof.language import Defines, Given, Range, Relation, Theorem
from fltheory.proof.terms import Draw, Total, free_symbols, fresh_symbol, substitute

MOST_RANGES = 3  # clients, places and steps


class NotAlike(Exception):
    """Signal that a theorem is not one about agents that are all alike."""


@dataclass(frozen=True)
class Place:
    """A sum over some of the agents' indices: its summand in these indices, and their ranges."""

    body: Expr
    over: tuple[Range, ...]

    @property
    def total(self) -> Expr:
        """The sum."""
        return total(self.body, self.over)

    @property
    def count(self) -> Expr:
        """The number of its terms."""
        return count_of(self.over)


def total(term: Expr, over: Sequence[Range]) -> Expr:
    """Return the sum of a term over ranges."""
    for entry in reversed(over):
        term = Total(term, *entry)
    return term


def count_of(over: Sequence[Range]) -> Expr:
    """Return the number of places in ranges."""
    return sympy.Mul(*(high - low + 1 for _, low, high in over))


def ranges_of(theorem: Theorem) -> tuple[Range, ...]:
    """Return the ranges of the sums in the statement, in equations and in definitions, each with an index of its own."""
    if theorem.statement.over:
        raise NotAlike
    definitions = [h for h in theorem.hypotheses if isinstance(h, Defines)]
    plain = [h.relation for h in theorem.hypotheses if isinstance(h, Given) and not h.relation.over]
    sides = [side for r in (theorem.statement, *plain) for side in (r.left, r.right)]
    slots = {slot for h in definitions for slot in h.left.args[1:]}
    taken = {s for side in sides for s in free_symbols(side)}
    taken |= {s for h in definitions for s in free_symbols(h.right)} - slots
    sides += [h.right for h in definitions]
    entries = [t.args[1:] for side in sides for t in preorder_traversal(side) if isinstance(t, Total)]
    entries += [e for h in theorem.hypotheses if isinstance(h, Given) and not entries for e in h.relation.over]
    bound = {index for index, _, _ in entries}
    found = dict[tuple[Expr, Expr], Symbol]()
    for index, low, high in entries:
        if (free_symbols(low) | free_symbols(high)) & bound:
            continue
        if low not in (0, 1) or not (high - low + 1).is_positive or high.is_number:
            raise NotAlike
        if (low, high) not in found:
            found[low, high] = fresh_symbol(index, frozenset(taken | set(found.values())))
    if not 1 <= len(found) <= MOST_RANGES:
        raise NotAlike
    return tuple((index, low, high) for (low, high), index in found.items())


def place_of(total: Expr, over: Sequence[Range]) -> Place:
    """Return a sum, or a sum of sums, in the agents' indices; NotAlike if it is over other ranges."""
    body, own = total, list[Range]()
    while isinstance(body, Total):
        inner, index, low, high = body.args
        entry = next((e for e in over if e[1:] == (low, high) and e not in own), None)
        if entry is None:
            raise NotAlike
        body = substitute(inner, {index: entry[0]})
        own.append(entry)
    return Place(body, tuple(e for e in over if e in own))


def placed(relation: Relation, over: Sequence[Range], conditions: Sequence[Relation]) -> Relation | None:
    """Return a relation for all places in the agents' indices, where it holds; None if it is over other ranges.

    It may be known for more places than there are agents: for all clients, of which the first S take part.
    """
    at, own = dict[Symbol, Symbol](), list[Range]()
    for index, low, high in relation.over:
        entry = next((e for e in over if e not in own and _within(e, low, high, conditions)), None)
        if entry is None:
            return None
        at[index] = entry[0]
        own.append(entry)
    left, right = (substitute(side, at) for side in (relation.left, relation.right))
    return Relation(left, relation.op, right, tuple(own))


def _within(entry: Range, low: Expr, high: Expr, conditions: Sequence[Relation]) -> bool:
    if entry[1] != low:
        return False
    more = sympy.expand(high - entry[2])
    return bool(more == 0 or any(sympy.expand(c.gap - more) == 0 for c in conditions if c.op in ("<=", "<")))


def has_sums_within(relation: Relation) -> bool:
    """Return whether a relation has sums, or ranges, that end at its own indices, such as all steps before step k."""
    own = {index for index, _, _ in relation.over}
    ends = [e for side in (relation.left, relation.right) for t in side.atoms(Total) for e in t.args[2:]]
    ends += [e for _, low, high in relation.over for e in (low, high)]
    return any(free_symbols(e) & own for e in ends)


def is_place(slot: Any, indices: frozenset[Symbol]) -> bool:
    """Return whether a slot of a family is an agent's index, or the client drawn in its place."""
    if isinstance(slot, Draw):
        (index,) = free_symbols(slot.args[0]) & indices or {Integer(0)}
        return len(slot.args) == 2 and bool((slot.args[0] - index).is_Integer)
    return slot in indices
