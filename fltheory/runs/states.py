"""States as trees: an array that leads with the runs, or a tuple, dict or dataclass of such trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

Tree = Any  # see above


def leaves(state: Tree) -> Iterator[Any]:
    """What a state is made of, in a fixed order."""
    if not _is_node(state):
        yield state
        return
    for part in _parts(state).values():
        yield from leaves(part)


def mapped(function: Callable[[Any], Any], state: Tree) -> Tree:
    """The state with every leaf changed."""
    if not _is_node(state):
        return function(state)
    parts = {name: mapped(function, part) for name, part in _parts(state).items()}
    if isinstance(state, dict):
        return parts
    if isinstance(state, tuple):
        return tuple(parts.values()) if type(state) is tuple else type(state)(*parts.values())  # a named tuple
    return replace(state, **parts)


def rows_of(state: Tree, rows: np.ndarray) -> Tree:
    """These runs of a state."""
    return mapped(lambda leaf: leaf[rows], state)


def copied(state: Tree) -> Tree:
    """A state whose arrays may be written to."""
    return mapped(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, state)


def _is_node(state: Tree) -> bool:
    return isinstance(state, tuple | dict) or (is_dataclass(state) and not isinstance(state, type))


def _parts(state: Tree) -> dict[Any, Tree]:
    """The parts of a node by their names."""
    if isinstance(state, dict):
        return dict(state)
    if isinstance(state, tuple):
        return dict(enumerate(state))
    return {f.name: vars(state)[f.name] for f in fields(state)}
