"""Conversion of steps on trees of arrays to steps on rows of numbers.

Every engine works on rows, (runs, width), as if the whole state were one longer point. The first columns are the points
of the theorem, which alone enter the measure; the rest of the state follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from fltheory.model.case import Case, FederatedInstance
from fltheory.number.elements import read_rational
from fltheory.number.ownership import is_library
from fltheory.runs.algorithm import Algorithm, start_points
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.method import VariantError, shape_of
from fltheory.runs.oracle import Oracle
from fltheory.runs.states import Tree, is_node, map_leaves, parts_of, rebuild_node

MAX_EXACT_FLOAT_INT = 2**53  # smaller integers are exact as floats
POINT = "x"  # the default name of the part of a state that a theorem is about


class LeafSlot:
    """The position of a leaf in a row: its first column, its shape, and its initial kind of numbers."""

    def __init__(self, first: int, shape: tuple[int, ...], kind: np.dtype[Any] | None = None) -> None:
        self.first, self.shape, self.kind = first, shape, kind
        self.last = first + prod(shape)


@dataclass(frozen=True, eq=False)
class Layout:
    """The layout of a state in a row: ``places`` is the state's tree with a Place for every leaf."""

    name: str
    places: Tree
    width: int
    look: Callable[[Any], Any] | None  # returns the first columns, if they are not a part of the tree
    dim: int

    def tree(self, rows: np.ndarray) -> Tree:
        """Convert rows (runs, width) to a state."""

        def leaf(place: LeafSlot) -> np.ndarray:
            found = rows[:, place.first : place.last].reshape(len(rows), *place.shape)
            return found if place.kind is None else restore_dtype(found, place.kind)

        return map_leaves(leaf, self.places)

    def rows(self, state: Tree, n: int) -> np.ndarray:
        """Convert a state of n runs to rows; VariantError if its layout differs from that of the first state."""
        found = [
            (place, self._leaf(leaf, place, path, n)) for place, leaf, path in _zip_leaves(self, self.places, state, "")
        ]
        if self.look is not None:
            found.append((LeafSlot(0, (self.dim,)), observed_points(self.name, self.look, state, n, self.dim)))
        kind = object if any(leaf.dtype == object for _, leaf in found) else float
        rows = np.empty((n, self.width), dtype=kind)
        for place, leaf in found:
            rows[:, place.first : place.last] = leaf.reshape(n, -1)
        return rows

    def _leaf(self, leaf: object, place: LeafSlot, path: str, n: int) -> np.ndarray:
        if type(leaf) is not np.ndarray or leaf.shape != (n, *place.shape):
            raise VariantError(
                f"the part {path} of the state of {self.name} has become {shape_of(leaf)}, expected an array of shape "
                f"{(n, *place.shape)}: the first axis of every part is the runs, and its shape stays the same"
            )
        if leaf.dtype.kind not in "biufO":
            raise VariantError(f"the part {path} of the state of {self.name} holds {leaf.dtype}, expected real numbers")
        if leaf.dtype.kind in "iu" and ((leaf >= MAX_EXACT_FLOAT_INT) | (leaf <= -MAX_EXACT_FLOAT_INT)).any():
            raise VariantError(
                f"the part {path} of the state of {self.name} holds integers of 2^53 and more, which a run in floats would round"
            )
        return leaf


def _zip_leaves(layout: Layout, places: Tree, state: Tree, path: str) -> Iterator[tuple[LeafSlot, Any, str]]:
    """Yield the leaves of a state with place and path; VariantError if its parts differ from the first state's."""
    if not is_node(places):
        yield places, state, path or POINT
        return
    known = parts_of(places)
    if type(state) is not type(places) or parts_of(state).keys() != known.keys():
        parts = f" with {', '.join(map(str, parts_of(state)))}" if is_node(state) else ""
        raise VariantError(
            f"{layout.name} returned {type(state).__name__}{parts}, expected what init made: a "
            f"{type(places).__name__} with {', '.join(map(str, known))}"
        )
    for name, part in parts_of(state).items():
        yield from _zip_leaves(layout, known[name], part, f"{path}.{name}" if path else str(name))


def restore_dtype(leaf: np.ndarray, kind: np.dtype[Any]) -> np.ndarray:
    """Convert numbers back to integers or booleans if the leaf had these: a row holds one kind of number."""
    numbers = leaf
    if leaf.dtype == object:
        known = [read_rational(value) for value in leaf.flat]
        if any(value is None or value.q != 1 or abs(value.p) >= MAX_EXACT_FLOAT_INT for value in known):
            return leaf
        numbers = np.array([float(value.p) for value in known if value is not None]).reshape(leaf.shape)
    whole = numbers == np.round(numbers) if kind.kind != "b" else (numbers == 0) | (numbers == 1)
    return numbers.astype(kind) if (whole & (np.abs(numbers) < MAX_EXACT_FLOAT_INT)).all() else leaf


def observed_points(name: str, look: Callable[[Any], Any], state: Tree, n: int, dim: int) -> np.ndarray:
    """Return the points of a state that the theorem is about; VariantError unless their shape is (n, dim)."""
    found = look(state)
    if type(found) is not np.ndarray or found.shape != (n, dim):
        raise VariantError(f"the points of {name} are {shape_of(found)}, expected an array of shape {(n, dim)}")
    return found


@dataclass(frozen=True, eq=False)
class RowStep:
    """A step on rows that runs a step on trees."""

    step: Callable[..., Any]
    layout: Layout

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The step on trees, see ``ownership.unwrap_function``."""
        return self.step

    def __call__(self, rows: np.ndarray, oracle: Oracle, c: Constants) -> np.ndarray:
        """One round."""
        return self.layout.rows(self.step(self.layout.tree(rows), oracle, c), len(rows))


@dataclass(frozen=True, eq=False)
class RowInit:
    """The first state, converted to rows."""

    init: Callable[..., Any]
    layout: Layout

    def __call__(self, start: np.ndarray, c: Constants) -> np.ndarray:
        """Return the rows (runs, width) of points (runs, dim)."""
        return self.layout.rows(self.init(start, c), len(start))


def adapt_to_rows(algorithm: Any, case: Case) -> Any:
    """Return the method to evaluate in a case: an Algorithm whose states are trees becomes one on rows."""
    return with_row_states(algorithm, case) if isinstance(algorithm, Algorithm) else algorithm


def with_row_states(algorithm: Algorithm, case: Case[FederatedInstance]) -> Algorithm:
    """Return the algorithm with rows as states; an algorithm whose states are points is unchanged."""
    if algorithm.point is None and is_library((algorithm.step, algorithm.init)):
        return algorithm
    c, dim = run_constants(case, None), len(case.instance.start)
    state = algorithm.call(algorithm.init, start_points(case, 1, None), c)
    if not is_node(state) and algorithm.point is None:
        if shape_of(state) != str((1, dim)):
            raise VariantError(
                f"init of {algorithm.name} returned {shape_of(state)}, expected points of shape (runs, {dim}), or a dict, a "
                f"tuple or a dataclass of arrays with the points as its part {POINT}"
            )
        return algorithm
    layout: Layout = algorithm.call(_layout, algorithm, state, dim)
    algorithm.call(layout.rows, state, 1)
    return replace(algorithm, init=RowInit(algorithm.init, layout), step=RowStep(algorithm.step, layout), point=None)


def _layout(algorithm: Algorithm, state: Tree, dim: int) -> Layout:
    """Return the places of the parts of a first state: first the points, then the others in order."""
    name, look = algorithm.name, algorithm.point
    parts = parts_of(state) if is_node(state) else {POINT: state}
    if look is None and POINT not in parts:
        raise VariantError(
            f"the state of {name} has the parts {', '.join(map(str, parts))} and none is called {POINT}: use this name "
            f"for the points that the theorem is about, or pass point=, a function that returns them"
        )
    if look is None and shape_of(parts[POINT]) != str((1, dim)):
        raise VariantError(
            f"the part {POINT} of the state of {name} is {shape_of(parts[POINT])}, expected (runs, {dim})"
        )
    width = dim

    def placed(leaf: Any) -> LeafSlot:
        nonlocal width
        if type(leaf) is not np.ndarray or leaf.ndim == 0 or len(leaf) != 1:
            raise VariantError(
                f"a part of the state of {name} is {shape_of(leaf)}: expected arrays with the runs first, such as "
                "0 * start"
            )
        place = LeafSlot(width, leaf.shape[1:], leaf.dtype if leaf.dtype.kind in "biu" else None)
        width = place.last
        return place

    places = {
        part: LeafSlot(0, (dim,)) if look is None and part == POINT else map_leaves(placed, inner)
        for part, inner in parts.items()
    }
    tree = rebuild_node(state, places) if is_node(state) else places[POINT]
    return Layout(name, tree, width, look, dim)
