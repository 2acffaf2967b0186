"""Access to the fields of dataclasses by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")


def fields_of(value: object) -> dict[str, Field[Any]]:
    """Return the init fields of a dataclass or its type, in order; empty for other values."""
    return {f.name: f for f in fields(value) if f.init} if is_dataclass(value) else {}


def field_values(value: object) -> dict[str, Any]:
    """Return the values of these fields by name."""
    return declared_values(value, fields_of(value))


def declared_values(value: object, names: Iterable[str]) -> dict[str, Any]:
    """Return the attributes of a value whose names its type declares, fields or properties."""
    return {name: getattr(value, name) for name in names}


def replace_fields(value: T, **changes: object) -> T:
    """Return a dataclass with some fields changed: ``replace`` for mixins, which mypy cannot type."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"expected a dataclass, got {value!r}")
    return replace(value, **changes)
