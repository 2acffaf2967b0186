"""Heterogeneities of tables of gradients and of log-cosh clients, by grids of distributions and by their definitions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.papers.osmd.heterogeneity.closed_forms import heterogeneity
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable, OneDraw
from fltheory.papers.osmd.sgd.closed_forms import sgd

TWO = (((3,), (1,)), ((-1,), (2,)))  # [point][client][coordinate]
GRID = [Fraction(k, 40) for k in range(4, 37)]  # of p_1, above a floor of 1/10


def variance(point: Any, p: Any) -> Fraction:
    """E |grad F_m / (M p_m) - grad F|^2."""
    n, dim = len(point), len(point[0])
    mean = [sum(Fraction(g[d]) for g in point) / n for d in range(dim)]
    away = [sum((Fraction(g[d]) / (n * q) - mean[d]) ** 2 for d in range(dim)) for g, q in zip(point, p, strict=True)]
    return sum(q * a for q, a in zip(p, away, strict=True))


def pair(x: Fraction) -> tuple[Fraction, Fraction]:
    return x, 1 - x


def near(found: Any, value: Fraction, slack: float = 4e-2) -> None:
    """Enclosed, up to the coarseness of the grid, from which the value is taken."""
    assert float(found.low) <= float(found.high)
    assert float(found.low) - 1e-9 <= float(value)
    assert float(value) - float(found.high) <= slack * max(1.0, float(value))


def test_the_heterogeneities_of_a_table() -> None:
    """Uniform, fixed, pointwise, and over two rounds without any variation or with some, by trying distributions."""
    for rounds, budget in ((1, 0), (2, 0), (2, "1/2"), (2, 5)):
        table = GradientTable(TWO, "1/5", rounds, budget)
        spare = Fraction(budget)
        v = [{x: variance(point, pair(x)) for x in GRID} for point in TWO]
        assert table.uniform == max(row[Fraction(1, 2)] for row in v)
        near(table.fixed, min(max(row[x] for row in v) for x in GRID))
        near(table.pointwise, max(min(row.values()) for row in v))
        moves = [(x, y) for x in GRID for y in GRID if 2 * abs(x - y) <= spare] if rounds == 2 else []
        if rounds == 1:
            near(table.dynamic, min(max(row[x] for row in v) for x in GRID))
            near(table.clairvoyant, max(min(row.values()) for row in v))
            near(table.without_budget, max(min(row.values()) for row in v))
            continue
        near(table.clairvoyant, max(min(a[x] + b[y] for x, y in moves) for a, b in itertools.product(v, repeat=2)) / 2)
        still = max(min(row[x] + max(other[x] for other in v) for x in GRID) for row in v) / 2
        near(table.without_budget, still)
        assert float(table.clairvoyant.low) <= float(table.dynamic.high) + 1e-9
        assert float(table.dynamic.low) <= float(table.fixed.high) + 1e-9


def test_the_least_heterogeneity() -> None:
    """((1/M) sum |grad F_m|)^2 - |grad F|^2 at the best p; the floor is respected up to a tie."""
    table = GradientTable(TWO, "1/5")
    wanted = max(Fraction(4, 2) ** 2 - 2**2, Fraction(3, 2) ** 2 - Fraction(1, 2) ** 2)
    assert table.least_exact() == wanted
    assert float(table.least()) == pytest.approx(float(wanted))
    for floor, fits in (("1/2", True), ("51/100", False), ("1/10", True)):  # shares 3/4 and 1/4: floors up to 1/2
        assert GradientTable((((3,), (1,)),), floor).best_is_floored() == fits
    assert GradientTable((((0,), (0,)),), "1/2").best_is_floored()
    assert not GradientTable((((1,), (0,)),), "1/2").best_is_floored()
    assert not GradientTable((((1, 1), (0, 0)),), "1/2").best_is_floored()
    assert GradientTable((((1, 1), (1, -1)),), "1/2").best_is_floored()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (((),), "every point needs the gradient of every client"),
        ((), "every point needs the gradient of every client"),
        ((((1,), (2,)), ((1,),)), "every point needs the gradient of every client"),
        ((((1,), (2, 3)),), "the same dimension"),
        (((("sqrt(2)",), (2,)),), "gradients must be rational"),
    ],
)
def test_tables_without_a_meaning(given: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        GradientTable(given)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"floor": 0}, "floor = 0"),
        ({"floor": "3/2"}, "floor = 3/2"),
        ({"budget": -1}, "budget = -1"),
        ({"n_rounds": 0}, "n_rounds = 0"),
    ],
)
def test_settings_without_a_meaning(more: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        GradientTable(TWO, **more)
    GradientTable(TWO, floor=1, budget=0, n_rounds=1)


def test_one_draw() -> None:
    one = OneDraw(((1, -2), (3, 0), (0, 2)), ("1/2", "1/3", "1/6"))
    p = [Fraction(v) for v in ("1/2", "1/3", "1/6")]
    assert one.spread() == variance(((1, -2), (3, 0), (0, 2)), p)
    assert one.loss == sum(Fraction(s) / q for s, q in zip((5, 9, 4), p, strict=True)) / 9
    assert float(one.size) == pytest.approx(4 / 3)
    with pytest.raises(ValueError, match="expected a positive distribution"):
        OneDraw(((1,), (2,)), ("1/2", "1/3"))


def test_log_cosh_clients() -> None:
    """Proportional and tilted ones, by a grid of p; the least tilted variance by a grid of u on both sides."""
    shares, top = [Fraction(1), Fraction(3)], Fraction(2)
    by_grid = min(4 * (sum(c * c / q for c, q in zip(shares, pair(x), strict=True)) / 4 - 4) for x in GRID)
    found = float(heterogeneity.proportional_variance(shares, top, Fraction(1, 5)))
    assert found <= float(by_grid) + 1e-12
    assert float(by_grid) - found < 1e-2
    tilts = [Fraction(1), Fraction(-1, 2)]
    by_grid = min(sum((top**2 + h * h) / q for h, q in zip(tilts, pair(x), strict=True)) / 4 - top**2 for x in GRID)
    found = float(heterogeneity.tilted_variance(tilts, top, Fraction(1, 5)))
    assert found <= float(by_grid) + 1e-12
    assert float(by_grid) - found < 1e-2
    for own, largest in (
        ([1, -1], 2),
        ([3, -3], 2),
        ([1, -1, "1/2", "-1/2"], 3),
        ([0, 0], 1),
        (["1/3", "-1/3", 2, -2], 1),
    ):
        h, u = [Fraction(v) for v in own], Fraction(largest)
        points = [u * Fraction(k, 300) for k in range(-300, 301)]
        wanted = max((sum(abs(x + v) for v in h) / len(h)) ** 2 - x * x for x in points)
        exact = heterogeneity.least_tilted_variance(h, u)
        assert wanted <= exact
        assert exact - wanted < Fraction(1, 1000)


@pytest.mark.parametrize(("rounds", "budget"), [(1, 0.0), (2, 0.0), (2, 0.3), (3, 0.5)])
def test_the_value_on_a_grid(rounds: int, budget: float) -> None:
    """Both ends contain the exact enclosure, and come near each other on finer cells."""
    table = GradientTable(TWO, "1/5", rounds, str(budget))
    exact = table.dynamic
    widths = []
    for cells in (20, 200):
        low, high = heterogeneity.value_on_grid(table.points, 0.2, budget, rounds, cells)
        assert low <= rounds * float(exact.high) + 1e-9
        assert high >= rounds * float(exact.low) - 1e-9
        widths.append(high - low)
    assert widths[1] < widths[0] / 3
    three = GradientTable((((1,), (2,), (3,)),), "1/5")
    with pytest.raises(ValueError, match="two clients only"):
        heterogeneity.value_on_grid(three.points, 0.2, 0, 1, 10)
    for alpha, cells in ((1.0, 10), (0.2, 0)):
        with pytest.raises(ValueError, match="at least one cell and a floor below 1"):
            heterogeneity.value_on_grid(table.points, alpha, 0, 1, cells)


# The noise of mini-batches ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_the_law_of_a_mean_of_signs(batch: int) -> None:
    levels, chances = sgd._noise(Fraction(3, 2), batch, None)
    law: dict[float, float] = {}
    for row in itertools.product((1, -1), repeat=batch):
        value = 1.5 * sum(row) / batch
        law[value] = law.get(value, 0.0) + 0.5**batch
    assert dict(zip(levels, chances, strict=True)) == pytest.approx(law)
    assert sgd._noise(0, batch, None) == ([0.0], [1.0])


def test_signs_are_fair_independent_and_their_own() -> None:
    """The same in whatever block of rounds they are drawn; others for another round, client, sign or run."""
    runs = np.arange(4000)
    found = np.stack([sgd.signs(2, 2, 5, runs, t) for t in (0, 1, 31, 32)])
    assert set(np.unique(found)) == {-1.0, 1.0}
    flat = found.transpose(0, 2, 3, 1).reshape(-1, len(runs))
    correlations = flat @ flat.T / len(runs)
    assert abs(correlations - np.eye(len(flat))).max() < 6 / math.sqrt(len(runs))
    assert abs(flat.mean(axis=1)).max() < 6 / math.sqrt(len(runs))
    few = sgd.signs(2, 2, 5, runs[7:9], 31)
    assert (few == found[2, 7:9]).all()
    with pytest.raises(sgd.NotEnumerable, match="more than 8 paths"):
        sgd.require_few_courses(4, 2, 8)
    sgd.require_few_courses(3, 2, 8)


def test_branches_are_split_by_the_noise_of_clients_that_are_drawn() -> None:
    rows, counts = np.array([0, 1]), np.array([[1, 0], [2, 1]])
    weights, answers = np.array([0.25, 0.75]), np.array([[1.0, 2.0], [3.0, 4.0]])
    found = sgd._split_branches(1, [-0.5, 0.5], [0.25, 0.75], rows, counts, weights, answers)
    assert found[0].tolist() == [0, 1, 1]
    assert found[1].tolist() == [[1, 0], [2, 1], [2, 1]]
    assert found[2].tolist() == [0.25, 0.75 * 0.25, 0.75 * 0.75]
    assert found[3].tolist() == [[1.0, 2.0], [3.0, 3.5], [3.0, 4.5]]
