"""The paper as its statements name it, and where ``falsify`` looks beyond what a record says."""

from __future__ import annotations

from types import ModuleType

from fltheory.claims.statement import Paper
from fltheory.papers.sfl.notation import LETTERS

PAPER = Paper("sfl", LETTERS)


def strategies() -> ModuleType:
    """The strategies of the upper bounds and their lemmas, imported when they are first drawn from."""
    from fltheory.papers.sfl.instances import families

    return families


def constructions() -> ModuleType:
    """Those of the lower bounds."""
    from fltheory.papers.sfl.lower import families as lower

    return lower
