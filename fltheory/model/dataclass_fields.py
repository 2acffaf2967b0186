"""What frozen data is made of: its fields by name, asked for in this one place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any, TypeVar

T = TypeVar("T")


def fields_of(value: object) -> dict[str, Field[Any]]:
    """The fields that a dataclass, or one of this type, is built from, in order; none where it is no dataclass."""
    return {f.name: f for f in fields(value) if f.init} if is_dataclass(value) else {}


def field_values(value: object) -> dict[str, Any]:
    """What stands in these fields, by name."""
    return declared_values(value, fields_of(value))


def declared_values(value: object, names: Iterable[str]) -> dict[str, Any]:
    """What a value has under names that its type declares, fields or properties."""
    return {name: getattr(value, name) for name in names}


def replace_fields(value: T, **changes: object) -> T:
    """A dataclass with other values of some fields: ``replace`` for mixins, of which mypy can't know that they are one."""
    if not is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"expected a dataclass, got {value!r}")
    return replace(value, **changes)
