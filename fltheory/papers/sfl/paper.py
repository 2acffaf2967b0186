"""The paper: its key, its letters, and the strategies from which ``falsify`` draws beyond the recorded cases."""

from __future__ import annotations

from types import ModuleType

from fltheory.claims.statement import Paper
from fltheory.papers.sfl.notation import LETTERS

PAPER = Paper("sfl", LETTERS)


def strategies() -> ModuleType:
    """Return the strategies of the upper bounds and their lemmas, which are imported at the first draw."""
    from fltheory.papers.sfl.instances import families

    return families


def constructions() -> ModuleType:
    """Return the strategies of the lower bounds."""
    from fltheory.papers.sfl.lower import families as lower

    return lower
