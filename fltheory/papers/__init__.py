"""The papers and their catalogues: a plain tuple of claims each, and the items that the claims' places name."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fltheory.bound import Source
    from fltheory.claim import Claim
    from fltheory.place import Contents, Place

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


@cache
def contents(key: str) -> Contents:
    """A paper's items in its own order."""
    from importlib import import_module

    from fltheory.place import Contents

    items = import_module(f"fltheory.papers.{key}.items")
    return Contents(items.ITEMS, vars(items).get("MEANT", {}))


def place(source: Source) -> Place:
    """Where a statement stands among the items of its paper, so that places can be sorted; PlaceError where it fits none."""
    return contents(source.paper).place(source.place)
