"""The catalogue: the claims of each paper as a tuple, and the items of the papers that these claims cite."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from fltheory.claims import plugins
from fltheory.claims.ids import paper_of

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
    """Suspend garbage collection while permanent objects are loaded, which saves a tenth of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def title(key: str) -> str:
    """Return the title and the authors of a paper; for a paper of a plugin, its key."""
    from importlib import import_module

    return (import_module(f"fltheory.papers.{key}").__doc__ or key) if key in KEYS else key


def claims_of_paper(claim_id: str) -> tuple[Claim, ...]:
    """Return all claims of the paper whose key precedes the slash of an id or a selector; none if there is no such key.

    Other papers are not loaded, since each takes a second or more.
    """
    key = paper_of(claim_id)
    if key in KEYS:
        return catalogue((key,))
    return catalogue((key,)) if plugins.plugin_specs() else ()


@cache
def contents(key: str) -> Contents:
    """Return the items of a paper in its order."""
    from importlib import import_module

    from fltheory.model.place import Contents

    items = import_module(f"fltheory.papers.{key}.contents")
    return Contents(items.ITEMS, vars(items).get("MEANT", {}))


def place_of_source(source: Source) -> Place:
    """Return the position of a source among the items of its paper, as a sort key; PlaceError if there is none."""
    return contents(source.paper).place(source.place)
