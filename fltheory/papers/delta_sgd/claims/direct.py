"""How this paper's claims are written down, and where their families of cases are drawn from."""

from __future__ import annotations

from functools import partial
from typing import Any

from fltheory.direct import Family, direct_claim, drawn_from
from fltheory.instance import Assumption, Case

claim = partial(direct_claim, "delta_sgd")
always = partial(claim, mode="surely")  # where nothing is left to chance


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.delta_sgd.strategies_{part}", name, options)


def _paced(case: Case) -> str | None:
    return "clients begin with different step sizes" if getattr(case.instance, "pace", None) else None


UNPACED = Assumption("clients begin with the initial step size", _paced)
