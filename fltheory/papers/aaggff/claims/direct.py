"""How this paper's claims with an exact formula of their own are written down."""

from __future__ import annotations

from functools import partial
from typing import Any

from fltheory.direct import Family, direct_claim, drawn_from, of_case, of_instance

claim = partial(direct_claim, "aaggff")
always = partial(claim, mode="surely")  # where nothing is left to chance


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.aaggff.strategies_{part}", name, options)


__all__ = ["Family", "always", "claim", "drawn", "of_case", "of_instance"]
