"""Protection of an instance from changes by a user's step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from fltheory.model.case import Instance
from fltheory.runs.method import VariantError


@contextmanager
def forbid_mutation(algorithm: Any, instance: Instance) -> Iterator[None]:
    """Raise VariantError if an attribute of the instance is replaced, removed or added, and restore it.

    New values of cached properties do not count. Built-in algorithms are trusted.
    """
    if algorithm is None or algorithm.of_library:
        yield
        return
    before = dict(instance.__dict__)
    try:
        yield
    except Exception as error:  # perhaps caused by the change
        _require_unchanged(instance, before, error)
        raise
    except BaseException:
        _restore_attributes(instance, before)
        raise
    _require_unchanged(instance, before, None)


def _require_unchanged(instance: Instance, before: dict[str, Any], error: Exception | None) -> None:
    changed = _restore_attributes(instance, before)
    if changed:
        raise VariantError(f"the step changed the instance: {', '.join(map(str, changed))}") from error


def _restore_attributes(instance: Instance, before: dict[str, Any]) -> list[str]:
    """Restore the instance and return the names of the changed attributes."""
    there = instance.__dict__
    changed = [name for name, value in before.items() if name not in there or there[name] is not value]
    changed += [name for name in there if name not in before and not _is_cached_property(instance, name)]
    for name in changed:
        there.pop(name, None)
    there.update({name: before[name] for name in changed if name in before})
    return changed


def _is_cached_property(instance: Instance, name: str) -> bool:
    """Return whether the class has a cached property of this name."""
    return any(isinstance(vars(kind).get(name), cached_property) for kind in type(instance).__mro__)
