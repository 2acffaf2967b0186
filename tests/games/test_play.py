"""Every course of a game: rows that may be the same are followed once, and what is measured stays enclosed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.games import dynamic_regret, play
from fltheory.games.dynamic_regret import DynamicRegret
from fltheory.games.play import merge_states
from fltheory.games.player import Sampler
from fltheory.model.case import Case
from fltheory.number import BALL, Ring
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.runs.algorithm import object_array
from fltheory.runs.method import VariantError
from fltheory.runs.states import Tree

REGRET = DynamicRegret()


class Kept(NamedTuple):
    """A state of two parts."""

    p: np.ndarray
    rounds: np.ndarray


def balls(*rows: tuple[arb, ...]) -> np.ndarray:
    return object_array([v for row in rows for v in row], (len(rows), len(rows[0])))


def by_themselves(
    state: Tree, memory: np.ndarray, chances: np.ndarray, ring: Ring | None
) -> tuple[Tree, np.ndarray, np.ndarray]:
    """Every course by itself: the readable twin of ``merge_states``."""
    return state, memory, chances


@pytest.mark.parametrize(
    "case",
    [
        Case(FeedbackTable(((2, 0),), 2, "9/10", "uniform", repeat=4), sampler_rate="1/25"),
        Case(FeedbackTable(((1, 0), (0, 1)), 1, "9/10", "fixed", repeat=3), sampler_rate="3/50"),
        Case(FeedbackTable(((1, "1/2", 0),), 1, "1/2", "fixed", repeat=4), sampler_rate="1/5"),
    ],
    ids=["in pairs", "in turn", "three clients"],
)
@pytest.mark.parametrize("bits", [64, 128, 512])
def test_the_regret_of_merged_courses_is_that_of_all(case: Case, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with ctx.workprec(bits):
        found = REGRET.exact(osmd, case, BALL)
        sizes = [len(weights) for weights, _ in play.enumerate_rounds(twin_of(osmd), case, BALL, 10_000)]
        monkeypatch.setattr(play, "merge_states", by_themselves)
        every = REGRET.exact(osmd, case, BALL)
        listed = [len(weights) for weights, _ in play.enumerate_rounds(twin_of(osmd), case, BALL, 10_000)]
    assert dynamic_regret.enumerate_rounds is play.enumerate_rounds
    assert found.overlaps(every)
    assert found.rad() < 2**10 * every.rad()
    assert sum(sizes) < sum(listed)


def twin_of(sampler: Sampler) -> Sampler:
    assert sampler.exact is not None
    return sampler.exact


def test_balls_that_overlap_are_one_row_that_holds_them() -> None:
    third = arb(1) / 3
    near, far = third + arb(0, 1e-30), third + arb(1e-12, 1e-30)
    shifted = third + arb(2e-16, 1e-30)  # the same float, but not the same number
    state = Kept(
        balls((third, 1 - third), (near, 1 - near), (far, 1 - far), (shifted, 1 - third)), np.array([1, 1, 1, 1])
    )
    chances = object_array([arb(k) / 10 for k in (1, 2, 3, 4)], (4,))
    found, memory, weights = merge_states(state, np.zeros((4, 0)), chances, BALL)
    assert memory.shape == (3, 0)
    assert [round(float(w), 12) for w in weights] == [0.3, 0.3, 0.4]
    assert all(found.p[0, 0].contains(v) for v in (third, near))
    assert found.p[1, 0].contains(far)
    assert not found.p[0, 0].overlaps(far)
    assert found.p[0, 0].rad() < 1e-15


def test_identical_balls_stay_as_they_are() -> None:
    third = arb(1) / 3
    state = balls((third,), (arb(1) / 3,), (third,))
    found, _, weights = merge_states(state, np.zeros((3, 0)), object_array([arb(1)] * 3, (3,)), BALL)
    assert found.shape == (1, 1)
    assert found[0, 0].mid() == third.mid()
    assert found[0, 0].rad() == third.rad()
    assert weights[0] == 3


def test_counts_and_memories_keep_rows_apart() -> None:
    third = arb(1) / 3
    one = Kept(balls((third,), (third,), (third,)), np.array([1, 2, 1]))
    chances = object_array([arb(1)] * 3, (3,))
    assert len(merge_states(one, np.zeros((3, 1)), chances, BALL)[2]) == 2
    assert len(merge_states(one, np.array([[0], [0], [5]]), chances, BALL)[2]) == 3
    assert len(merge_states(one, balls((arb(0),), (arb(0),), (arb(5),)), chances, BALL)[2]) == 3


def rows_of_floats() -> Iterator[tuple[float, ...]]:
    yield from ((0.5, 0.5), (0.25, 0.75), (0.5, 0.5), (0.5, np.nextafter(0.5, 1)), (0.25, 0.75))


def test_floats_are_the_same_where_their_bits_are() -> None:
    state, chances = np.array(list(rows_of_floats())), np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    found, _, weights = merge_states(state, np.zeros((5, 0)), chances, None)
    assert found.tolist() == [[0.5, 0.5], [0.25, 0.75], [0.5, np.nextafter(0.5, 1)]]
    assert weights.tolist() == [0.1 + 0.3, 0.2 + 0.25, 0.15]
    with pytest.raises(VariantError, match="objects"):
        merge_states(balls((arb(1),)), np.zeros((1, 0)), np.ones(1), None)
