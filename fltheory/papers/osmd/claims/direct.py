"""How this paper's claims with an exact formula of their own are written down, and what they assume."""

from __future__ import annotations

from functools import partial
from typing import Any

from fltheory.case import Assumption, Case
from fltheory.papers.osmd.data.bounded_gradients import BoundedClients
from fltheory.statement import Family, direct_claim, drawn_from, of_instance

LATE = "At M = 100, α = 0.4 the bound says something only from T = {} rounds on."  # see vacuity.sentence
BELOW_G = "At M = 100, K = 1, α = 0.4, D^F L = G², no noise, no heterogeneity the bound says something only from T = {} rounds on."

claim = partial(direct_claim, "osmd")


def drawn(part: str, name: str, /, **options: Any) -> Family:
    """The strategy ``name`` of ``strategies_<part>``."""
    return drawn_from(f"fltheory.papers.osmd.data.strategies_{part}", name, options)


def _bounded(case: Case) -> str | None:
    return None if isinstance(case.instance, BoundedClients) else "no clients with known bounds of their gradients"


SMOOTH_BOUNDED = (Assumption("smooth clients with bounded stochastic gradients", _bounded),)


def _own(case: Case) -> str | None:
    return f"settings {dict(case.settings)} beside an instance that has them all" if case.settings else None


OWN_CONSTANTS = (Assumption("the constants are the instance's own", _own),)

__all__ = ["BELOW_G", "LATE", "OWN_CONSTANTS", "SMOOTH_BOUNDED", "Family", "claim", "drawn", "of_instance"]
