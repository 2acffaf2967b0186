"""How this paper's claims with an exact formula of their own are written down."""

from __future__ import annotations

from functools import partial
from typing import Any

from fltheory.statement import Family, direct_claim, drawn_from, of_instance

claim = partial(direct_claim, "sfl")


def drawn(name: str, **options: Any) -> Family:
    """A strategy of ``lemma_strategies``."""
    return drawn_from("fltheory.papers.sfl.data.lemma_strategies", name, options)


__all__ = ["Family", "claim", "drawn", "of_instance"]
