"""How this paper's claims are written down, and where their families of cases are drawn from."""

from __future__ import annotations

from functools import partial
from typing import Any

from fltheory.statement import Family, direct_claim, drawn_from

claim = partial(direct_claim, "delta_sgd")
always = partial(claim, mode="surely")  # where nothing is left to chance


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.delta_sgd.data.strategies_{part}", name, options)
