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
        self.__dict__["_load"] = cache(load)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._load(), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._load(), name, value)


def module_when_asked(name: str) -> Any:
    """The module of that name."""
    return WhenAsked(lambda: import_module(name))
