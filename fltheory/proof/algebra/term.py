"""The base of all terms of the proof language that SymPy does not have."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

import sympy
from sympy import Basic, Expr, Function


@lru_cache(maxsize=50_000, typed=True)
def _make_cached(kind: type[Expr], *args: Basic) -> Any:
    return Expr.__new__(kind, *args)


class Term(Function):
    """A node of a proof term: a real scalar, a vector or an index, never simplified by SymPy."""

    is_commutative = True
    is_number = False  # SymPy would try to evaluate E(1)
    random = False  # whether the term itself is random

    def __new__(cls, *args: Any) -> Self:
        """Return the term without simplification; equal terms are the same object."""
        kind: Any = cls
        made: Self = _make_cached(kind, *map(sympy.sympify, args))
        return made
