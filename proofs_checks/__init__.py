"""The proofs of the papers: steps in the papers' order, with their certificates as JSON beside them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from fltheory.proof import Proofs


def in_order(key: str, *parts: str) -> Proofs:
    """The proofs of a paper, its parts in the paper's order."""
    theorems = (t for part in parts for t in import_module(f"{__name__}.{key}.{part}").THEOREMS)
    return Proofs(key, tuple(theorems), Path(__file__).parent / "certificates")
