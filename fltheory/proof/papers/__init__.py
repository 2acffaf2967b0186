"""Shared tools for the proofs of the papers: their order, theorems that name claims, quotients, adopted lemmas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module

from fltheory.proof import Proofs, Relation, Theorem, statement_of
from fltheory.proof.certificates import recorded_files
from fltheory.verification import find


def collect_proofs(
    key: str,
    *parts: str,
    differences: tuple[str, ...] = (),
    bounds: tuple[str, ...] = (),
    lemmas: tuple[str, ...] = (),
    unproved: Mapping[str, str] | None = None,
) -> Proofs:
    """Return the proofs of a paper, its parts in the paper's order.

    ``differences``: theorems whose claims say that the difference of the sides is 0, at most 0 or at least 0;
    ``bounds``: theorems that state the only bound of their claim in its own symbols; ``lemmas``: theorems that suppose
    a part of a claim, whereas another theorem uses them to prove it; ``unproved``: the open claims, with the obstacle.
    """
    theorems = (t for part in parts for t in import_module(f"fltheory.papers.{key}.{part}").THEOREMS)
    tied = (_as_difference(t) if t.id in differences else _with_bound(t) if t.id in bounds else t for t in theorems)
    apart = (replace(t, claim="", bound=None, reading=()) if t.id in lemmas else t for t in tied)
    return Proofs(key, tuple(apart), recorded_files() / "certificates", unproved or {})


def _with_bound(theorem: Theorem) -> Theorem:
    return replace(theorem, bound=find(theorem.claim).bound)


def _as_difference(theorem: Theorem) -> Theorem:
    """Return the theorem in the form of its claim: the same statement with both sides on one."""
    own, bound = theorem.statement, find(theorem.claim).bound
    difference = own.right - own.left if bound.side == "lower" else own.left - own.right
    said, _ = statement_of(bound, difference)
    statement = Relation(said.left, said.op, said.right, own.over)
    last = replace(theorem.steps[-1], claim=statement)
    return replace(theorem, statement=statement, steps=(*theorem.steps[:-1], last), bound=bound)
