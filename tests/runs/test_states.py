"""States may be trees: arrays in tuples, dicts and dataclasses, however deep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from fltheory.games.play import enumerate_rounds, simulate_rounds
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.runs.states import copy_state, leaves, map_leaves, select_rows


class Named(NamedTuple):
    p: np.ndarray
    sums: np.ndarray


@dataclass(frozen=True)
class Held:
    p: np.ndarray
    sums: np.ndarray


def parts(n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(2.0 * n).reshape(n, 2), np.arange(n) + 10.0


SHAPES: dict[str, Any] = {
    "array": lambda p, sums: np.column_stack([p, sums]),
    "tuple": lambda p, sums: (p, sums),
    "named": Named,
    "dict": lambda p, sums: {"p": p, "sums": sums},
    "dataclass": Held,
    "nested": lambda p, sums: {"a": (p, Held(p, sums)), "b": Named(p, sums)},
}


@pytest.mark.parametrize("make", SHAPES.values(), ids=SHAPES)
def test_rows_and_copies_keep_the_shape_of_a_tree(make: Any) -> None:
    state = make(*parts(4))
    some = select_rows(state, np.array([2, 0]))
    assert type(some) is type(state)
    for before, after in zip(leaves(state), leaves(some), strict=True):
        np.testing.assert_array_equal(after, before[[2, 0]])
    for leaf in leaves(again := copy_state(state)):
        leaf[...] = -1
    assert all((leaf >= 0).all() for leaf in leaves(state))
    assert all((leaf == -1).all() for leaf in leaves(again))
    np.testing.assert_equal(
        list(leaves(map_leaves(lambda leaf: leaf + 1, state))), [leaf + 1 for leaf in leaves(state)]
    )


GAME = Case(FeedbackTable(((9, 0, 1), (0, 4, 1), (4, 4, 0)), n_sampled=2, floor="1/4"))


def sampler(make: Any) -> Sampler:
    """Plays what has been seen so far, which it keeps in a tree."""

    def init(n: int, c: Any) -> Any:
        return make(np.full((n, c.n_clients), 1.0 / c.n_clients), np.zeros((n, c.n_clients)))

    def step(state: Any, counts: np.ndarray, feedback: np.ndarray, c: Any) -> Any:
        sums = list(leaves(state))[-1] + feedback * (counts > 0)
        share = sums / np.where(sums.sum(axis=1) > 0, sums.sum(axis=1), 1)[:, None]
        return make((share + 1) / (share + 1).sum(axis=1, keepdims=True), sums)

    return Sampler("remembers", step, init, lambda state, c: next(leaves(state)))


@pytest.mark.parametrize("shape", ["named", "dict", "dataclass", "nested"])
def test_a_player_may_keep_any_tree(shape: str) -> None:
    known = sampler(SHAPES["tuple"])
    mine = sampler(SHAPES[shape])
    for one, two in zip(
        simulate_rounds(known, GAME, 1, np.arange(5)), simulate_rounds(mine, GAME, 1, np.arange(5)), strict=True
    ):
        np.testing.assert_array_equal(one.p, two.p)
    for (weights, one), (again, two) in zip(
        enumerate_rounds(known, GAME, None, 1000), enumerate_rounds(mine, GAME, None, 1000), strict=True
    ):
        np.testing.assert_array_equal(weights, again)
        np.testing.assert_array_equal(one.p, two.p)
        assert weights.sum() == pytest.approx(1)
