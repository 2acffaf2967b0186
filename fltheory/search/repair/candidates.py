"""Conditions that might repair a claim: its own with another constant, those of other claims, and the simplest ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy import Symbol
from sympy.core.relational import Relational

from fltheory.claims.catalogue import KEYS, claims_of_paper
from fltheory.claims.claim import Claim
from fltheory.claims.ids import without_reading
from fltheory.search.repair.arrays import Sample
from fltheory.symbols import meaning


def candidate_conditions(sample: Sample) -> tuple[Relational, ...]:
    """Return all candidates, each once, in constants that the cases have, without the claim's own conditions."""
    claim, known = sample.claim, sample.named
    own = set(claim.bound.conditions)
    found = [*_substituted_conditions(claim, known), *_paper_conditions(claim), *_simple(known)]
    kept = (c for c in found if isinstance(c, Relational) and c not in own and c.free_symbols <= set(known))
    return tuple(dict.fromkeys(kept))


def _substituted_conditions(claim: Claim, known: Sequence[Symbol]) -> Iterator[Relational]:
    """Yield the claim's own conditions with one constant replaced by another of the same units."""
    for condition in claim.bound.conditions:
        for s in sorted(condition.free_symbols, key=lambda s: s.name):
            for other in known:
                if other not in condition.free_symbols and _have_same_units(s, other):
                    yield condition.xreplace({s: other})


def _paper_conditions(claim: Claim) -> Iterator[Relational]:
    """Yield conditions of the paper's other claims; other readings of this one would hold the answer."""
    if claim.paper not in KEYS:
        return
    for other in claims_of_paper(claim.paper):
        if without_reading(other.id) != without_reading(claim.id):
            for bound in other.bounds:
                yield from bound.conditions


def _simple(known: Sequence[Symbol]) -> Iterator[Relational]:
    """Yield simple conditions: a number below or above 1, 2 or 0; a constant or count at most another."""
    for s in known:
        if tuple(meaning(s).dimension) == (0, 0):
            ends: tuple[int, ...] = (1, 2) if s.is_integer else (0, 1)
            for end in ends:
                yield from (r for r in (s <= end, s >= end) if isinstance(r, Relational))
                if not s.is_integer:
                    yield from (r for r in (s < end, s > end) if isinstance(r, Relational))
        for other in known:
            if other != s and _have_same_units(s, other) and s.is_integer == other.is_integer:
                yield sympy.Le(s, other, evaluate=False)


def _have_same_units(one: Symbol, other: Symbol) -> bool:
    return tuple(meaning(one).dimension) == tuple(meaning(other).dimension)
