"""Facts as arrays, to compare thousands of changed bounds with all found cases at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from fltheory.api.lookup import implied_constants
from fltheory.claims.claim import Claim, bounds_with_tuning
from fltheory.model.bound import Side
from fltheory.number import to_float
from fltheory.search.tightness.constraints import Fact
from fltheory.search.tightness.terms import Terms

MAX_COMPARED = 1e300
FLOAT_TOLERANCE = 1e-9  # relative resolution of floats


@dataclass(frozen=True, eq=False)
class Sample:
    """Measured values, terms and constants of all facts, (facts,) each."""

    terms: Terms
    facts: tuple[Fact, ...]

    @property
    def claim(self) -> Claim:
        """Return the claim of the facts."""
        return self.terms.claim

    @cached_property
    def measured(self) -> np.ndarray:
        """Return the measured values; one too large for a float counts as the largest."""
        return np.clip([to_float(f.measured) for f in self.facts], -MAX_COMPARED, MAX_COMPARED)

    @cached_property
    def rows(self) -> np.ndarray:
        """Return the terms, (facts, terms)."""
        return np.array([f.row for f in self.facts])

    @cached_property
    def limit(self) -> np.ndarray:
        """Return the original bound."""
        return self.rows.sum(axis=1) + np.array([to_float(f.fixed) for f in self.facts])

    @cached_property
    def symbols(self) -> dict[Symbol, np.ndarray]:
        """Return every constant that all cases have, including definitions of the bound."""
        completed = [_floats(self.claim, f) for f in self.facts]
        shared = set.intersection(*(set(c) for c in completed)) if completed else set()
        return {s: np.array([c[s] for c in completed]) for s in sorted(shared, key=lambda s: s.name)}

    @cached_property
    def named(self) -> tuple[Symbol, ...]:
        """Return the constants that a change may use, by name, without those that an equality of the claim fixes."""
        told = implied_constants([self.claim.bound])
        return tuple(s for s in self.symbols if s not in told)

    def keeps(self, limit: np.ndarray, where: np.ndarray | None = None, side: str = "") -> bool:
        """Return whether all facts (or those in ``where``) satisfy a bound with these values."""
        return not bool((self.broken(limit, side) & (True if where is None else where)).any())

    def broken(self, limit: np.ndarray, side: str = "") -> np.ndarray:
        """Return which facts break a bound with these values, beyond the resolution of floats."""
        side = side or self.claim.bound.side
        room = FLOAT_TOLERANCE * np.maximum(np.abs(limit), np.abs(self.measured))
        with np.errstate(invalid="ignore"):  # a value too large for a float is no limit: ``bad``
            over, under = self.measured > limit + room, self.measured < limit - room
        bad = ~np.isfinite(limit)
        return bad | (over if side == "upper" else under if side == "lower" else over | under)

    def within(self, one: np.ndarray, other: np.ndarray, side: Side) -> bool:
        """Return whether a bound with these values implies another at all facts."""
        room = FLOAT_TOLERANCE * np.maximum(np.abs(one), np.abs(other))
        if side == "equal":
            return bool((np.abs(one - other) <= room).all())
        return bool((one <= other + room).all() if side == "upper" else (one >= other - room).all())

    def reached(self, limit: np.ndarray, side: Side) -> np.ndarray:
        """Return how near each fact comes to a bound with these values, larger is nearer; for an equality its size."""
        with np.errstate(all="ignore"):
            ratios = self.measured / limit if side != "lower" else limit / self.measured
        return np.nan_to_num(ratios, nan=-np.inf, posinf=MAX_COMPARED, neginf=-MAX_COMPARED)

    def values(self, expr: Expr) -> np.ndarray | None:
        """Return an expression in the constants at all facts; None if a case lacks one."""
        free = sorted(expr.free_symbols, key=lambda s: s.name)
        if any(s not in self.symbols for s in free):
            return None
        with np.errstate(all="ignore"):
            found = sympy.lambdify(free, expr, "numpy")(*(self.symbols[s] for s in free))
        return np.broadcast_to(np.asarray(found, dtype=float), self.measured.shape)

    def meets(self, condition: Relational) -> np.ndarray | None:
        """Return which facts meet a condition; None if a case lacks a constant."""
        left, right = self.values(condition.lhs), self.values(condition.rhs)
        if left is None or right is None:
            return None
        gap, size = left - right, FLOAT_TOLERANCE * np.maximum(1e-300, np.abs(right))
        by = {
            "<=": gap <= size,
            "<": gap < 0,
            ">=": gap >= -size,
            ">": gap > 0,
            "==": np.abs(gap) <= size,
            "!=": gap != 0,
        }
        return np.asarray(by[condition.rel_op])


def _floats(claim: Claim, fact: Fact) -> dict[Symbol, float]:
    try:
        completed = bounds_with_tuning(claim)[0].complete(fact.constants)
        found = {s: to_float(v) for s, v in completed.items()}
    except (ValueError, ArithmeticError):
        found = {s: to_float(v) for s, v in fact.constants.items()}
    return {s: v for s, v in found.items() if math.isfinite(v)}


def make_sample(terms: Terms, facts: Sequence[Fact]) -> Sample:
    """Return the facts as arrays."""
    return Sample(terms, tuple(facts))
