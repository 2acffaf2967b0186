"""Laws of one round in fractions: beside lists of all draws, and projections beside their conditions."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.papers.osmd.fedavg.closed_forms.fedavg import _with_signs
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.runs.method import NotEnumerable

Q = Fraction
LAWS: list[Any] = [(Q(1, 2), Q(1, 3), Q(1, 6)), (Q(1, 4), Q(3, 4)), (Q(1),), (Q(1, 10), Q(2, 10), Q(3, 10), Q(4, 10))]
X: Any = ((Q(3), Q(-1)), (Q(0), Q(2)), (Q(1, 2), Q(5)), (Q(-2), Q(0)))


def lists(p: Any, n: int) -> dict[tuple[int, ...], Fraction]:
    """The law of the counts of n draws."""
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for draw in itertools.product(range(len(p)), repeat=n):
        found[tuple(draw.count(m) for m in range(len(p)))] += math.prod((p[m] for m in draw), start=Q(1))
    return dict(found)


@pytest.mark.parametrize("p", LAWS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_law_of_counts(p: Any, n: int) -> None:
    assert dict(law.draws_with_replacement(p, n)) == lists(p, n)


def test_as_many_draws_as_the_limit_are_listed_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    p = LAWS[0]
    for draws, many in ((law.draws_with_replacement, 6), (law.draws_without_replacement, 6)):
        monkeypatch.setattr(law, "LIMIT", many)
        assert len(list(draws(p, 2))) == many
        monkeypatch.setattr(law, "LIMIT", many - 1)
        with pytest.raises(NotEnumerable, match="more than 5 ways to draw the clients of a round"):
            list(draws(p, 2))


@pytest.mark.parametrize("p", LAWS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_estimates_of_losses_draw_by_draw(p: Any, n: int) -> None:
    a, q = (Q(2), Q(0), Q(5), Q(1))[: len(p)], (Q(1, 3), Q(1, 5), Q(2, 5), Q(1, 15))[: len(p)]
    for draw in itertools.product(range(len(p)), repeat=n):
        counts = [draw.count(m) for m in range(len(p))]
        assert law.estimated_loss(a, q, p, counts) == sum(a[m] / (q[m] * p[m]) for m in draw) / n**2
        wanted = [-sum(a[m] / (q[m] ** 2 * p[m]) for m in draw if m == k) / Q(n**2) for k in range(len(p))]
        assert list(law.estimated_gradient(a, q, p, counts)) == wanted
    means = law.mean(law.draws_with_replacement(p, n), lambda counts: law.estimator(X[: len(p)], p, counts))
    assert list(means) == [sum(row[axis] for row in X[: len(p)]) for axis in (0, 1)]


def test_losses_norms_and_sums() -> None:
    assert law.loss((Q(0), Q(3)), (Q(0), Q(1, 2))) == 6  # a client without feedback costs nothing, even at 0
    assert law.loss((Q(-4), Q(3)), (Q(1, 2), Q(1, 2))) == -2
    assert law.loss((), ()) == 0
    assert law.squared_norm((3, -4)) == 25
    assert isinstance(law.squared_norm((3, -4)), Fraction)
    assert isinstance(law.squared_norm((Q(1, 2),)), Fraction)
    assert law.squared_norm((0.5, 1.0)) == 1.25
    assert law.squared_norm((arb(3), arb("0.5"))) == arb("9.25")
    assert law.total([(1, 2), (3, 4), (5, 7)]) == (9, 13)
    assert law.total([(1, 2)]) == (1, 2)


def test_active_clients_share_the_mass() -> None:
    p = LAWS[3]
    assert law.rescale_active(p, (1, 0, 1, 0)) == (Q(1, 4), 0, Q(3, 4), 0)
    assert law.rescale_active(p, (1, 1, 1, 1)) == p
    shared = law.rescale_active(p, (0, 1, 1, 0))
    got = law.estimator_available(X, shared, (0, 1, 2, 0))
    assert list(got) == [(X[1][k] / shared[1] + 2 * X[2][k] / shared[2]) / 3 for k in (0, 1)]


@pytest.mark.parametrize("p", LAWS)
def test_draws_without_replacement_one_after_another(p: Any) -> None:
    for n in range(1, len(p) + 1):
        found = dict(law.draws_without_replacement(p, n))
        assert sum(found.values()) == 1
        assert set(found) == set(itertools.permutations(range(len(p)), n))
        for order, chance in found.items():
            wanted = Q(1)
            for k, m in enumerate(order):
                wanted *= p[m] / (1 - sum(p[i] for i in order[:k]))
            assert chance == wanted
    twice = dict(law.draws_without_replacement(tuple(2 * v for v in p), 1))
    assert twice == {(m,): v for m, v in enumerate(p)}
    assert list(law.draws_without_replacement((0.25, 0.75), 1)) == [((0,), 0.25), ((1,), 0.75)]
    whole = dict(law.draws_without_replacement((1, 2), 1))
    assert whole == {(0,): Q(1, 3), (1,): Q(2, 3)}
    assert all(isinstance(v, Fraction) for v in whole.values())
    balls = dict(law.draws_without_replacement((arb(1) / 4, arb(3) / 4), 2))
    assert balls[0, 1] == arb("0.25")


def test_the_last_client_is_certain() -> None:
    """Its conditional variance is 0, and no ball around it."""
    p = (arb(1) / 3, 1 - arb(1) / 3)
    last = [value for past, _, value in law.conditional_variances(((arb(3),), (arb(1),)), p, 2) if len(past) == 1]
    assert all(v.is_zero() for v in last)
    assert len(last) == 2


def part(x: Any, p: Any, past: Any, m: int, axis: int) -> Fraction:
    """x_m over its conditional probability, plus the earlier x."""
    return Q(x[m][axis] * (1 - sum(p[i] for i in past)) / p[m] + sum(x[i][axis] for i in past))


@pytest.mark.parametrize("p", [p for p in LAWS if len(p) > 1])
def test_the_estimator_without_replacement_and_its_variances(p: Any) -> None:
    x, clients = X[: len(p)], range(len(p))
    for n in range(1, len(p) + 1):
        for order in itertools.permutations(clients, n):
            parts = [[part(x, p, order[:k], order[k], axis) for k in range(n)] for axis in (0, 1)]
            assert list(law.estimator_unreplaced(x, p, order)) == [sum(v) / n for v in parts]
        seen = list(law.conditional_variances(x, p, n))
        assert [len(past) for past, _, _ in seen] == sorted(len(past) for past, _, _ in seen)
        assert {past for past, _, _ in seen} == {s for k in range(n) for s in itertools.permutations(clients, k)}
        for past, chance, value in seen:
            assert chance == (dict(law.draws_without_replacement(p, len(past)))[past] if past else 1)
            left = 1 - sum(p[i] for i in past)
            rest = [m for m in clients if m not in past]
            wanted = Q(0)
            for axis in (0, 1):
                each = [(p[m] / left, part(x, p, past, m, axis)) for m in rest]
                mean = sum(w * v for w, v in each)
                wanted += sum(w * (v - mean) ** 2 for w, v in each)
            assert value == wanted


def test_moments_of_a_few_outcomes() -> None:
    outcomes = [("a", Q(1, 2)), ("b", Q(1, 3)), ("c", Q(1, 6))]
    at: Any = {"a": (Q(1), Q(0)), "b": (Q(-2), Q(3)), "c": (Q(6), Q(1))}
    assert law.mean(iter(outcomes), at.__getitem__) == (Q(1, 2) - Q(2, 3) + 1, 1 + Q(1, 6))
    found = law.variance(iter(outcomes), at.__getitem__, (Q(1), Q(1)))
    assert found == Q(1, 2) * 1 + Q(1, 3) * (9 + 4) + Q(1, 6) * 25


# The floored simplex --------------------------------------------------------------------------------------------------


POINTS: list[Any] = [(1, 2, 6), (0, 0, 1), (3, 3, 3), (1, 1, 8), (Q(1, 7), 5, 5), (9, 1, 0), (4, 0, 4), (2, 1, 1)]


@pytest.mark.parametrize("y", POINTS)
@pytest.mark.parametrize("alpha", [0, Q(1, 10), Q(1, 3), Q(1, 2), Q(3, 4), Q(9, 10), 1])
def test_projections_by_their_conditions(y: Any, alpha: Any) -> None:
    """max(alpha/M, c y) with sum 1; Algorithm 2 finds it where some rank passes."""
    p, floor = law.project_exactly(y, alpha), Q(alpha) / 3
    assert sum(p) == 1
    assert min(p) >= floor
    above = [m for m in range(3) if p[m] > floor]
    if above:
        c = p[above[0]] / y[above[0]]
        assert all(v == max(floor, c * w) for v, w in zip(p, y, strict=True))
    ranks = sorted(y)
    sums = [sum(ranks[k:]) for k in range(3)]
    assert law.lines(y, alpha) == [(1 - k * floor, sums[k]) for k in range(3)]
    passed = [k for k in range(3) if ranks[k] * (1 - k * floor) > floor * sums[k]]
    assert law.rank_of_floor(y, alpha) == (passed[0] if passed else 3)
    if not passed:
        assert p == (Q(1, 3),) * 3
        with pytest.raises(ValueError, match="no rank passes the test"):
            law.algorithm_2(y, alpha)
        return
    assert law.algorithm_2(y, alpha) == p
    below, order = passed[0], sorted(range(3), key=lambda m: y[m])
    by_index = law.algorithm_2(y, alpha, by_index=True)
    scaled = [(1 - below * floor) * v / sums[below] for v in y]
    assert list(by_index) == [floor if order[m] < below else scaled[m] for m in range(3)]


@pytest.mark.parametrize("q", [p for p in LAWS if len(p) > 1])
@pytest.mark.parametrize("alpha", [0, Q(1, 5), Q(2, 5), Q(1, 2), Q(9, 10), 1])
def test_points_moved_to_the_floor(q: Any, alpha: Any) -> None:
    floor = Q(alpha) / len(q)
    missing, extra = sum(max(floor - v, 0) for v in q), sum(max(v - floor, 0) for v in q)
    assert law.below_floor(q, alpha) == missing
    omega = law.part_above_floor(q, alpha)
    assert omega == missing / extra
    assert law.loss_of_moving(q, alpha) == omega / (1 - omega * (1 - floor))
    moved = law.floored_point(q, alpha)
    assert sum(moved) == 1
    assert list(moved) == [max(v, floor) - omega * max(v - floor, 0) for v in q]


def test_a_point_without_mass_has_no_projection() -> None:
    with pytest.raises(ValueError, match="empty"):
        law.project_exactly((0, 0), Q(1, 2))


def test_the_uniform_point_at_a_floor_of_one_is_not_defined() -> None:
    with pytest.raises(ZeroDivisionError):
        law.part_above_floor((Q(1, 2), Q(1, 2)), 1)


# Signs of noise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_each_drawn_client_has_each_sequence_of_signs_once(steps: int) -> None:
    """Others have none; the branches of a row share its weight equally."""
    counts = np.array([[2, 0, 1], [0, 3, 0], [1, 1, 1]])
    weights = np.array([0.5, 0.2, 0.3])
    rows, more, shares, signs = _with_signs(np.array([4, 7, 9]), counts, weights, steps)
    each = list(itertools.product((1, -1), repeat=steps))
    for k, row in enumerate((4, 7, 9)):
        own = rows == row
        drawn = np.flatnonzero(counts[k])
        assert (more[own] == counts[k]).all()
        assert shares[own] == pytest.approx(weights[k] / len(each) ** len(drawn), rel=1e-14)
        met = sorted(tuple(tuple(int(v) for v in s[m]) for m in drawn) for s in signs[own])
        assert met == sorted(itertools.product(each, repeat=len(drawn)))
        assert not signs[own][:, [m for m in range(3) if m not in drawn]].any()
