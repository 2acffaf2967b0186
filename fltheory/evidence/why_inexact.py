"""Messages that explain why a value is not exact, with the line of the user's file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fltheory.number.ownership import definition_location
from fltheory.number.signals import place_of
from fltheory.runs.method import NotEnumerable


class OutOfReach(NotEnumerable):
    """A run without an exact value: why it has no moments, and why its paths are not enumerated."""

    def __init__(self, why: str, rest: str) -> None:
        super().__init__(f"{why} ({rest})" if why and rest not in why else rest)
        self.why, self.rest = why, rest


class UndecidableTie(NotEnumerable):
    """A comparison that no precision decides, so floats, which may fall on either side, refute nothing."""


def reason_not_exact(missing: Exception, step: Callable[..., Any], done: str) -> str:
    """Explain why a run of a user's ``step`` has no exact value, and what was ``done`` instead."""
    if isinstance(missing, OutOfReach) and missing.why:
        rest = "" if missing.why in missing.rest else f" ({missing.rest})"
        return f"{missing.why}: {done}{rest}"
    said = " ".join(str(missing).split())
    own = "" if place_of(missing) in said and place_of(missing) else f"{definition_location(step)}: "
    return f"{own}{said or 'its run is not known exactly'}: {done}"
