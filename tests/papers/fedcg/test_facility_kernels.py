"""Facility location's extension, its gradient and the steepest items against sums over all sets, at dyadic points: exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest

from fltheory.papers.fedcg.instances.facility_kernels import (
    facility_client_gradients,
    facility_extension,
    facility_sampled_gradient,
    facility_top_items,
    items_by_score,
    reference_client_extensions,
    reference_extension,
    reference_top_items,
)

SHAPES = [(1, 1), (1, 3), (2, 2), (3, 4)]
WRONG_SHAPE, WRONG_ORDER = "scores must be", "order must be integers"


def small(shape: tuple[int, int], seed: int, kind: type = np.float64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores with ties and zeros, weights, and a point with coordinates 0 and 1 too; sums and products are exact floats."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, shape).astype(kind)
    return scores, rng.integers(0, 5, shape[0]) / 4, rng.integers(0, 5, shape[1]) / 4


def value(row: np.ndarray, x: np.ndarray) -> Fraction:
    """E max_{j in R} c_j over the sets R, item j in it with probability x_j."""
    total = Fraction(0)
    for chosen in itertools.product((0, 1), repeat=len(x)):
        chance = prod(
            (Fraction(v) if on else 1 - Fraction(v) for v, on in zip(x, chosen, strict=True)), start=Fraction(1)
        )
        total += chance * max(
            (Fraction(float(c)) for c, on in zip(row, chosen, strict=True) if on), default=Fraction(0)
        )
    return total


def slopes(row: np.ndarray, x: np.ndarray) -> list[Fraction]:
    """F(x | x_j = 1) - F(x | x_j = 0)."""
    ends = [[np.where(np.arange(len(x)) == j, end, x) for end in (1.0, 0.0)] for j in range(len(x))]
    return [value(row, one) - value(row, none) for one, none in ends]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_extensions_are_sums_over_all_sets(shape: tuple[int, int], seed: int, kind: type) -> None:
    scores, weights, x = small(shape, seed, kind)
    order = items_by_score(scores)
    values = [value(row, x) for row in scores]
    gradients = [slopes(row, x) for row in scores]
    shares = [Fraction(w) for w in weights]
    found, gradient = facility_extension(scores, order, weights, x)
    assert found == sum(w * v for w, v in zip(shares, values, strict=True))
    mean = [sum(w * g[j] for w, g in zip(shares, gradients, strict=True)) for j in range(shape[1])]
    assert gradient.tolist() == mean
    assert facility_client_gradients(scores, order, x).tolist() == gradients
    twin, own = reference_client_extensions(scores, order, x)
    assert twin.tolist() == values
    assert own.tolist() == gradients
    assert reference_extension(scores, order, weights, x)[0] == found
    assert reference_extension(scores, order, weights, x)[1].tolist() == mean
    for rank in range(shape[1] + 1):
        steepest = [sorted(range(shape[1]), key=lambda j: (-g[j], j))[:rank] for g in gradients]
        assert facility_top_items(scores, order, x, rank).tolist() == steepest
        assert reference_top_items(np.array(own), rank).tolist() == steepest


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("samples", [1, 3])
def test_sampled_gradients_are_differences_of_values(shape: tuple[int, int], samples: int) -> None:
    """The mean over drawn sets of F(R + e) - F(R - e); an item is drawn where its uniform number is below x."""
    for seed in range(6):
        scores, weights, x = small(shape, seed)
        uniforms = np.random.default_rng(seed + 90).integers(0, 4, (samples, shape[1])) / 4
        wanted = [Fraction(0)] * shape[1]
        for row in uniforms:
            drawn = {j for j in range(shape[1]) if row[j] < x[j]}
            for j in range(shape[1]):
                for c, w in zip(scores, weights, strict=True):
                    ends = (max((c[i] for i in own), default=0.0) for own in (drawn | {j}, drawn - {j}))
                    with_it, without = map(Fraction, ends)
                    wanted[j] += Fraction(w) * (with_it - without)
        found = facility_sampled_gradient(scores, weights, x, uniforms)
        assert np.allclose(found, [float(v / samples) for v in wanted], rtol=1e-15, atol=0)


@pytest.mark.parametrize("shape", [*SHAPES, (2, 0), (3, 40)])
def test_items_by_falling_score(shape: tuple[int, int]) -> None:
    """Of equal ones the lowest comes first; the smallest words that hold the items."""
    for seed in range(4):
        scores = small(shape, seed)[0] if shape[1] else np.zeros(shape)
        order = items_by_score(scores)
        assert order.dtype == np.uint16
        assert order.tolist() == [sorted(range(shape[1]), key=lambda j: (-row[j], j)) for row in scores]
    many = np.zeros((1, 1 << 16))
    assert items_by_score(many).dtype == np.uint16
    assert items_by_score(np.zeros((1, (1 << 16) + 1))).dtype == np.uint32
    assert (items_by_score(many)[0] == np.arange(1 << 16)).all()


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_scores_below_zero_are_refused(bad: float) -> None:
    scores = np.array([[0.0, 1.0], [2.0, bad]])
    with pytest.raises(ValueError, match=r"scores must be at least 0, not .* of client 1"):
        items_by_score(scores)


def test_arrays_that_do_not_fit_are_refused() -> None:
    scores, weights, x = small((2, 3), 0)
    order, ones = items_by_score(scores), np.ones((1, 3))
    wrong: list[tuple[Any, Any, Any, str]] = [
        (scores[0], order[0], x, WRONG_SHAPE),
        (scores.astype(int), order, x, WRONG_SHAPE),
        (scores.astype(np.float16), order, x, WRONG_SHAPE),
        (scores, order[:1], x, WRONG_ORDER),
        (scores, order.astype(float), x, WRONG_ORDER),
        (scores, order, x[:2], r"x must be \(3,\), not \(2,\)"),
    ]
    for c, places, at, why in wrong:
        for call in (
            lambda c, places, at: facility_extension(c, places, weights, at),
            facility_client_gradients,
            lambda c, places, at: facility_top_items(c, places, at, 1),
        ):
            with pytest.raises(ValueError, match=why):
                call(c, places, at)
    with pytest.raises(ValueError, match=r"weights must be \(2,\), not \(3,\)"):
        facility_extension(scores, order, x, x)
    for rank in (-1, 4):
        with pytest.raises(ValueError, match=f"rank must be from 0 to 3, not {rank}"):
            facility_top_items(scores, order, x, rank)
    assert facility_extension(scores, order.astype(np.int64), weights, x)[0] >= 0
    for point, uniforms in ((x[:2], ones), (x, ones[0]), (x, ones[:0]), (x, ones[:, :2])):
        with pytest.raises(ValueError, match=r"x must be \(3,\) and uniforms \(samples, 3\) with a sample at least"):
            facility_sampled_gradient(scores, weights, point, uniforms)
    with pytest.raises(ValueError, match=r"weights must be \(2,\)"):
        facility_sampled_gradient(scores, x, x, ones)
