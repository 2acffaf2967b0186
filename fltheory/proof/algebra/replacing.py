"""Substitution in a relation when a theorem is applied: symbols, vectors, functions and sequences, simultaneously."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sympy
from sympy import Expr, Symbol

from fltheory.proof.algebra.context import insert
from fltheory.proof.language import ProofError, Relation
from fltheory.proof.terms import PERMUTATION, Term, free_symbols, rename_permutation, substitute


def substitute_relation(relation: Relation, at: list[tuple[Any, Any]], taken: Collection[Symbol] = ()) -> Relation:
    """Substitute simultaneously, through names that occur nowhere else; no index gets one of the names ``taken``."""
    left, right, over = relation.left, relation.right, relation.over
    symbols = {k: v for k, v in at if isinstance(k, Symbol)}
    bound = {i for i, _, _ in over}
    if bound & set(taken).union(
        *(_new_symbols(k, v) for k, v in at)
    ):  # the values refer to other things by these names
        names = {i: sympy.Dummy(i.name, **i.assumptions0) for i in bound}
        left, right = substitute(left, names), substitute(right, names)
        over = tuple((names[i], substitute(lo, names), substitute(hi, names)) for i, lo, hi in over)
    if bound & set(symbols):
        raise ProofError(f"indices of the statement cannot be substituted: {sorted(map(str, bound & set(symbols)))}")
    return Relation(
        substitute_term(left, at),
        relation.op,
        substitute_term(right, at),
        tuple((i, substitute_term(lo, at), substitute_term(hi, at)) for i, lo, hi in over),
    )


def _new_symbols(key: Expr, value: Expr) -> frozenset[Symbol]:
    return free_symbols(value) - set(key.args[1:] if isinstance(key, Term) else ())


def substitute_term(expr: Expr, at: list[tuple[Any, Any]]) -> Expr:
    """Substitute in a term, simultaneously."""
    families = [(k, v) for k, v in at if isinstance(k, Term)]
    away = [(k, k.func(sympy.Dummy(), *k.args[1:])) for k, _ in families]
    for (key, _), (_, mark) in zip(families, away, strict=True):
        expr = insert(expr, key, mark)
    symbols = {k: v for k, v in at if isinstance(k, Symbol)}
    if PERMUTATION in symbols:
        mark = sympy.Dummy("round", integer=True)
        expr, symbols = rename_permutation(expr, mark), {**symbols, mark: symbols[PERMUTATION]}
    expr = substitute(expr, symbols)
    for (_, value), (_, mark) in zip(families, away, strict=True):
        expr = insert(expr, mark, value)
    return expr
