"""The proof language, the search for certificates, and the check: statements are data, each step is checked exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

_HOME = {
    "Axiom": "algebra.axioms",
    "Chain": "chain",
    "Defines": "language",
    "Given": "language",
    "Hypothesis": "language",
    "Member": "language",
    "ProofError": "language",
    "Proofs": "language",
    "Relation": "language",
    "Step": "language",
    "Theorem": "language",
    "eq": "language",
    "le": "language",
    "with_probability": "language",
    "line": "chain",
    "lt": "language",
    "proof": "chain",
    "relation": "language",
    "statement_of": "language",
}

if TYPE_CHECKING:
    from fltheory.proof import by
    from fltheory.proof.algebra.axioms import Axiom
    from fltheory.proof.chain import Chain, line, proof
    from fltheory.proof.language import (
        Defines,
        Given,
        Hypothesis,
        Member,
        ProofError,
        Proofs,
        Relation,
        Step,
        Theorem,
        eq,
        le,
        lt,
        relation,
        statement_of,
        with_probability,
    )

__all__ = [
    "Axiom",
    "Chain",
    "Defines",
    "Given",
    "Hypothesis",
    "Member",
    "ProofError",
    "Proofs",
    "Relation",
    "Step",
    "Theorem",
    "by",
    "eq",
    "le",
    "line",
    "lt",
    "proof",
    "relation",
    "statement_of",
    "with_probability",
]


def __getattr__(name: str) -> Any:
    """Import a name of the proof language on first use, so that ``import fltheory.proof`` loads nothing more."""
    if name not in _HOME:
        raise AttributeError(f"module 'fltheory.proof' has no attribute {name!r}")
    import importlib

    return vars(importlib.import_module(f"fltheory.proof.{_HOME[name]}"))[name]
