"""States as trees: an array whose first axis is the runs, or a tuple, dict or dataclass of such trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from fltheory.model.dataclass_fields import field_values

Tree = Any  # see above


@runtime_checkable
class NamedTupleLike(Protocol):
    """A named tuple."""

    def _asdict(self) -> dict[str, Any]: ...


def leaves(state: Tree) -> Iterator[Any]:
    """Return the leaves of a state in a fixed order."""
    if not is_node(state):
        yield state
        return
    for part in parts_of(state).values():
        yield from leaves(part)


def map_leaves(function: Callable[[Any], Any], state: Tree) -> Tree:
    """Apply a function to every leaf of a state."""
    if not is_node(state):
        return function(state)
    return rebuild_node(state, {name: map_leaves(function, part) for name, part in parts_of(state).items()})


def select_rows(state: Tree, rows: np.ndarray) -> Tree:
    """Select runs of a state."""
    return map_leaves(lambda leaf: leaf[rows], state)


def copy_state(state: Tree) -> Tree:
    """Return a state whose arrays are writable."""
    return map_leaves(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, state)


def rebuild_node(node: Tree, parts: dict[Any, Tree]) -> Tree:
    """Return a node of the same kind with other parts, named as by ``parts_of``."""
    if isinstance(node, dict):
        return parts
    if isinstance(node, tuple):
        return type(node)(**parts) if _is_named_tuple(node) else tuple(parts.values())
    return replace(node, **parts)


def is_node(state: Tree) -> bool:
    """Return whether a value consists of other trees."""
    return isinstance(state, tuple | dict) or (is_dataclass(state) and not isinstance(state, type))


def parts_of(state: Tree) -> dict[Any, Tree]:
    """Return the parts of a node by name, or by position in a plain tuple."""
    if isinstance(state, dict):
        return dict(state)
    if isinstance(state, tuple):
        return state._asdict() if _is_named_tuple(state) else dict(enumerate(state))
    return field_values(state)


def _is_named_tuple(node: tuple[Any, ...]) -> TypeGuard[NamedTupleLike]:
    """Return whether a value is a named tuple, without calling attributes of other tuples."""
    return type(node) is not tuple and hasattr(type(node), "_asdict")
