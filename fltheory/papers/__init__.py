"""The papers and their catalogues: a plain tuple of claims each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.claim import Claim

KEYS = ("sfl", "osmd", "fedcg", "aaggff", "delta_sgd")


def catalogue(keys: tuple[str, ...] = KEYS) -> tuple[Claim, ...]:
    """Every claim of the given papers, in the papers' order."""
    from importlib import import_module

    return tuple(claim for key in keys for claim in import_module(f"fltheory.papers.{key}.claims").CLAIMS)


def of_paper(claim_id: str) -> tuple[Claim, ...]:
    """Every claim of the paper that an id or a selector names before its slash; none where that is no key.

    The others are not loaded: a paper takes a second or more.
    """
    key = claim_id.partition("/")[0]
    return catalogue((key,)) if key in KEYS else ()
