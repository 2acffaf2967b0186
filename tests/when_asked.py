"""Modules that take seconds to import, run when a test asks for something of them: collecting the tests imports none."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any


class WhenAsked:
    """A module that is imported at the first look at a name of it; pytest looks at those with an underscore alone."""

    def __init__(self, load: Callable[[], ModuleType]) -> None:
        self._load = cache(load)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._load(), name)


def module_when_asked(name: str) -> Any:
    """The module of that name."""
    return WhenAsked(lambda: import_module(name))
