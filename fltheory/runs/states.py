"""States as trees: an array that leads with the runs, or a tuple, dict or dataclass of such trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from fltheory.model.dataclass_fields import field_values

Tree = Any  # see above


@runtime_checkable
class NamedTupleLike(Protocol):
    """A tuple with names."""

    def _asdict(self) -> dict[str, Any]: ...


def leaves(state: Tree) -> Iterator[Any]:
    """What a state is made of, in a fixed order."""
    if not is_node(state):
        yield state
        return
    for part in parts_of(state).values():
        yield from leaves(part)


def map_leaves(function: Callable[[Any], Any], state: Tree) -> Tree:
    """The state with every leaf changed."""
    if not is_node(state):
        return function(state)
    return rebuild_node(state, {name: map_leaves(function, part) for name, part in parts_of(state).items()})


def select_rows(state: Tree, rows: np.ndarray) -> Tree:
    """These runs of a state."""
    return map_leaves(lambda leaf: leaf[rows], state)


def copy_state(state: Tree) -> Tree:
    """A state whose arrays may be written to."""
    return map_leaves(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, state)


def rebuild_node(node: Tree, parts: dict[Any, Tree]) -> Tree:
    """A node of the same kind with other parts, as ``parts_of`` names them."""
    if isinstance(node, dict):
        return parts
    if isinstance(node, tuple):
        return type(node)(**parts) if _is_named_tuple(node) else tuple(parts.values())
    return replace(node, **parts)


def is_node(state: Tree) -> bool:
    """Whether it is made of other trees."""
    return isinstance(state, tuple | dict) or (is_dataclass(state) and not isinstance(state, type))


def parts_of(state: Tree) -> dict[Any, Tree]:
    """The parts of a node by their names, of a plain tuple by their places."""
    if isinstance(state, dict):
        return dict(state)
    if isinstance(state, tuple):
        return state._asdict() if _is_named_tuple(state) else dict(enumerate(state))
    return field_values(state)


def _is_named_tuple(node: tuple[Any, ...]) -> TypeGuard[NamedTupleLike]:
    """Whether a tuple has names; a plain one is not asked for them."""
    return type(node) is not tuple and isinstance(node, NamedTupleLike)
