"""The papers and their catalogues: a plain tuple of claims each, and the items that the claims' places name."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from fltheory.claims import plugins

if TYPE_CHECKING:
    from fltheory.claims.claim import Claim
    from fltheory.model.bound import Source
    from fltheory.model.place import Contents, Place

KEYS = plugins.BUILTIN_KEYS


def catalogue(keys: tuple[str, ...] | None = None) -> tuple[Claim, ...]:
    """Return the claims of some papers, or all claims.

    Parameters
    ----------
    keys : tuple of str, optional
        Keys of papers, such as ``("sfl", "osmd")``; an unknown key gives no claims. By default all papers, those of
        plugins last.

    Returns
    -------
    tuple of Claim
        In the order of the papers.

    Warns
    -----
    UserWarning
        If a plugin cannot be loaded; its claims are left out.

    Examples
    --------
    >>> from fltheory import catalogue
    >>> {claim.paper for claim in catalogue(("sfl",))}
    {'sfl'}
    """
    from importlib import import_module

    known = KEYS if keys is None else tuple(key for key in keys if key in KEYS)
    with _pause_garbage_collection():
        own = tuple(claim for key in known for claim in import_module(f"fltheory.papers.{key}.claims").CLAIMS)
    if keys is not None and set(keys) <= set(KEYS):
        return own
    return own + tuple(claim for claim in plugins.external_claims() if keys is None or claim.paper in keys)


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Load something that stays: to look for garbage among it would take a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def title(key: str) -> str:
    """A paper's title and authors; of one from outside its key."""
    from importlib import import_module

    return (import_module(f"fltheory.papers.{key}").__doc__ or key) if key in KEYS else key


def claims_of_paper(claim_id: str) -> tuple[Claim, ...]:
    """Every claim of the paper that an id or a selector names before its slash; none where that is no key.

    The others are not loaded: a paper takes a second or more.
    """
    key = claim_id.partition("/")[0]
    if key in KEYS:
        return catalogue((key,))
    return catalogue((key,)) if plugins.plugin_specs() else ()


@cache
def contents(key: str) -> Contents:
    """A paper's items in its own order."""
    from importlib import import_module

    from fltheory.model.place import Contents

    items = import_module(f"fltheory.papers.{key}.contents")
    return Contents(items.ITEMS, vars(items).get("MEANT", {}))


def place_of_source(source: Source) -> Place:
    """Where a statement stands among the items of its paper, so that places can be sorted; PlaceError where it fits none."""
    return contents(source.paper).place(source.place)
