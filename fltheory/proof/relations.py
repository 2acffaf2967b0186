"""Relations between terms, for one value or for all values of indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sympy import Expr, Symbol, sympify
from sympy.core.relational import Equality, GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from fltheory.proof.terms import substitute

Op = Literal["<=", "<", "=="]
Range = tuple[Symbol, Expr, Expr]


class ProofError(ValueError):
    """Raised for a proof that is not well formed; the message names the theorem, the step and the fault."""


@dataclass(frozen=True)
class Relation:
    """The relation ``left op right`` for all integers lo <= i <= hi of each (i, lo, hi) in ``over``."""

    left: Expr
    op: Op
    right: Expr
    over: tuple[Range, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", sympify(self.left))
        object.__setattr__(self, "right", sympify(self.right))
        object.__setattr__(self, "over", tuple((i, sympify(lo), sympify(hi)) for i, lo, hi in self.over))

    @property
    def gap(self) -> Expr:
        """The difference right - left: nonnegative (zero for an equation)."""
        return self.right - self.left

    def at(self, mapping: Mapping[Any, Any]) -> Relation:
        """Return the relation with free symbols replaced, except those of ``over``."""
        inner = {k: v for k, v in mapping.items() if k not in {i for i, _, _ in self.over}}
        over = tuple((i, substitute(lo, inner), substitute(hi, inner)) for i, lo, hi in self.over)
        return Relation(substitute(self.left, inner), self.op, substitute(self.right, inner), over)


def le(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """Return left <= right, for all integers of the ranges (i, lo, hi)."""
    return Relation(left, "<=", right, over)


def lt(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """Return left < right."""
    return Relation(left, "<", right, over)


def eq(left: Expr | float, right: Expr | float, *over: Range) -> Relation:
    """Return left == right."""
    return Relation(left, "==", right, over)


def relation(condition: Relational) -> Relation:
    """Return a SymPy relation as one of the proof language."""
    if isinstance(condition, LessThan):
        return le(condition.lhs, condition.rhs)
    if isinstance(condition, GreaterThan):
        return le(condition.rhs, condition.lhs)
    if isinstance(condition, StrictLessThan):
        return lt(condition.lhs, condition.rhs)
    if isinstance(condition, StrictGreaterThan):
        return lt(condition.rhs, condition.lhs)
    if isinstance(condition, Equality):
        return eq(condition.lhs, condition.rhs)
    raise ProofError(f"{condition} is no <=, < or ==")
