"""The tree and the heap of compiled runs, after each change against sums and lists; limits of sums over random durations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from fltheory.number.streams.kernels import U64, absorb, as_uniform
from fltheory.papers.osmd import kernels
from fltheory.papers.osmd.experts.closed_forms import lower_limits
from fltheory.papers.osmd.experts.kernels.leaving import Ends
from fltheory.papers.osmd.kernels import fenwick

CLIENTS = pytest.mark.parametrize("n", [1, 2, 3, 5, 8])


class Tree:
    """The arrays of one run, built from a distribution and a feedback."""

    def __init__(self, p: np.ndarray, a: np.ndarray, alpha: float) -> None:
        n, width = len(p), 1
        while width < n:
            width *= 2
        self.n, self.alpha, self.floor, self.a = n, alpha, alpha / n, a.copy()
        self.w, self.tree, self.heap = np.empty(n), np.full((width + 1, 2), 7.0), np.full(n, -1, dtype=np.int64)
        self.keys, self.sums, self.sizes = np.empty(n), np.full(7, 3.0), np.full(2, 5, dtype=np.int64)
        self.scratch, self.logs = np.empty(n), np.empty(n)
        fenwick._build(p, self.a, self.floor, self.w, self.tree, self.heap, self.keys, self.sums, self.sizes)

    @property
    def p(self) -> np.ndarray:
        found = np.empty(self.n)
        fenwick._values(self.w, self.sums[fenwick.SCALE], self.floor, found)
        return found

    def step(self, drawn: np.ndarray, gains: np.ndarray, anew: bool = False) -> None:
        fenwick.tree_step(
            drawn,
            gains.copy(),
            len(drawn),
            self.alpha,
            anew,
            self.a,
            self.w,
            self.tree,
            self.heap,
            self.keys,
            self.sums,
            self.sizes,
            self.scratch,
            self.logs,
        )

    def prefix(self, many: int) -> np.ndarray:
        """The sums of a Fenwick tree over the first entries."""
        total = np.zeros(2)
        while many:
            total += self.tree[many]
            many -= many & -many
        return total

    def check(self) -> None:
        """Each sum is that of its entries, and the heap holds the free clients, with lower limits of w in order."""
        free = self.w > 0
        near = {"rel": 1e-9, "abs": 1e-12}
        for many in range(self.n + 1):
            assert self.prefix(many) == pytest.approx([self.w[:many].sum(), (~free[:many]).sum()], **near)
        pairs = [self.sums[k : k + 2].sum() for k in (fenwick.FREE, fenwick.FREE_LOSS, fenwick.FLOOR_LOSS)]
        losses = (self.a[free] / self.w[free]).sum(), self.a[~free].sum()
        assert pairs == pytest.approx([self.w.sum(), *losses], **near)
        size = self.sizes[fenwick.HEAP]
        assert self.sizes.tolist() == [self.n - size, size]
        assert sorted(self.heap[:size].tolist()) == np.flatnonzero(free).tolist()
        assert (self.keys[:size] <= self.w[self.heap[:size]]).all()
        assert all(self.keys[(i - 1) // 2] <= self.keys[i] for i in range(1, size))
        assert self.p.sum() == pytest.approx(1)
        assert (self.p >= self.floor * (1 - 1e-12)).all()

    def find(self) -> None:
        """Each client from the middle of its range of the running sums."""
        p, before = self.p, 0.0
        for m in range(self.n):
            u = (before + p[m] / 2) / p.sum()
            assert fenwick.find_client(u, self.tree, self.sums[fenwick.SCALE], self.floor, self.n) == m
            before += p[m]
        assert fenwick.find_client(1.0, self.tree, self.sums[fenwick.SCALE], self.floor, self.n) == self.n - 1


def start(n: int, alpha: float, seed: int) -> tuple[Tree, np.random.Generator]:
    """Some clients at the floor, some above it, of feedback that may be 0."""
    rng = np.random.default_rng(seed)
    extra = rng.random(n) * (rng.random(n) < 0.6)
    share = extra / extra.sum() if extra.sum() else np.full(n, 1 / n)
    return Tree(alpha / n + (1 - alpha) * share, rng.integers(0, 3, n) / 2, alpha), rng


@CLIENTS
@pytest.mark.parametrize("alpha", [0.25, 0.9, 1.0])
def test_steps_of_the_tree_are_mirror_steps(n: int, alpha: float) -> None:
    for seed in range(4):
        own, rng = start(n, alpha, seed)
        own.check()
        own.find()
        for t in range(6):
            drawn = rng.permutation(n)[: rng.integers(1, n + 1)].astype(np.int64)
            gains = rng.choice([0.0, 0.1, 1.0, 30.0 if t == 4 else 2.0], len(drawn))
            wanted = own.p
            kernels.dense_step(wanted, drawn, gains.copy(), len(drawn), alpha)
            own.step(drawn, gains, t == 2)
            assert own.p == pytest.approx(wanted, rel=1e-9)
            own.check()
            own.find()
            if t % 2:
                m, value = int(rng.integers(n)), float(rng.integers(0, 4)) / 2
                fenwick.change_feedback(m, value, own.a, own.w, own.sums)
                assert own.a[m] == value
                own.check()


@CLIENTS
def test_clients_at_the_floor_are_floored(n: int) -> None:
    """A floor of all the mass: nobody is above it; of half of it, everybody is."""
    uniform = np.full(n, 1 / n)
    assert Tree(uniform, np.zeros(n), 1.0).sizes.tolist() == [n, 0]
    assert Tree(uniform, np.zeros(n), 0.5).sizes.tolist() == [0, n]


@CLIENTS
def test_draws_of_the_tree(n: int) -> None:
    """The k-th client is that of the k-th uniform number; each drawn one is listed once, with how often it was."""
    own, _ = start(n, 0.5, 3)
    state, many = absorb(U64(0), 12), 6
    counts, drawn = np.zeros(n, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    scale = own.sums[fenwick.SCALE]
    found = fenwick._draws(state, own.tree, scale, own.floor, n, many, counts, drawn)
    edges = np.cumsum(own.p) / own.p.sum()
    each = [min(int(np.searchsorted(edges, as_uniform(absorb(state, k)), side="right")), n - 1) for k in range(many)]
    assert drawn[:found].tolist() == list(dict.fromkeys(each))
    assert counts.tolist() == [each.count(m) for m in range(n)]


@pytest.mark.parametrize("seed", range(6))
def test_a_heap_keeps_its_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    heap, keys, size = np.empty(9, dtype=np.int64), np.empty(9), 0
    for client in range(9):
        fenwick._push(heap, keys, size, client, float(rng.integers(0, 5)))
        size += 1
        assert all(keys[(i - 1) // 2] <= keys[i] for i in range(1, size))
        assert sorted(heap[:size]) == list(range(size))
    pairs = dict(zip(heap.tolist(), keys.tolist(), strict=True))
    keys[0] = pairs[int(heap[0])] = float(rng.integers(0, 7))
    fenwick._sift_down(heap, keys, 0, size)
    assert all(keys[(i - 1) // 2] <= keys[i] for i in range(1, size))
    assert dict(zip(heap.tolist(), keys.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("n", [1, 3, 4, 5])
@pytest.mark.parametrize("many", [1, 2])
def test_runs_in_the_tree_are_dense_ones(n: int, many: int) -> None:
    """With feedback that changes, sums at some rounds and the first distributions; rebuilt often, or never."""
    rows = np.random.default_rng(n).integers(0, 3, (7, n)) / 2
    rows[:, 0] += 0.5
    losses, marks = kernels.by_rows(rows), np.array([1, 4, 7])
    for eta, alpha in ((0.05, 0.5), (0.4, 0.2)):
        totals, history = [np.zeros(3), np.zeros(3)], [np.zeros((3, n)), np.zeros((3, n))]
        ends = [
            run(losses, many, eta, alpha, 7, 5, 2, 9, marks, total, of)
            for run, total, of in zip((fenwick.tree_run, kernels.dense_run), totals, history, strict=True)
        ]
        assert ends[0] == pytest.approx(ends[1], rel=1e-9)
        assert totals[0] == pytest.approx(totals[1], rel=1e-9)
        assert history[0] == pytest.approx(history[1], rel=1e-9)
        assert totals[0][0] == pytest.approx((rows[0] * n).sum() / many)
    many_runs = fenwick.losses_of_runs(losses, many, 0.05, 0.5, 7, 5, np.array([9, 2]), [4, 7])
    each = [
        fenwick.losses_of_runs(losses, many, 0.05, 0.5, 7, 5, np.array([r]), [4, 7], run)
        for r, run in ((9, fenwick.tree_run), (2, kernels.dense_run))
    ]
    assert many_runs == pytest.approx(np.concatenate(each), rel=1e-9)


# Sums over random durations ------------------------------------------------------------------------------------------------


def sums_of(chances: np.ndarray) -> Any:
    """S(k), m(k) and v(k): sums of (1/p - 2)/p, 1/p and (1 - p)/p^2 over the first k."""
    terms = (1 / chances - 2) / chances, 1 / chances, (1 - chances) / chances**2
    return [np.concatenate([[0], np.cumsum(v)]) for v in terms]


@pytest.mark.parametrize("seed", range(3))
def test_a_path_encloses_the_sums_of_its_chances(seed: int) -> None:
    low = 0.1 + 0.8 * np.random.default_rng(seed).random(30)
    path = lower_limits._path(Ends(low, low))
    assert len(path) == 31
    for k, exact in enumerate(zip(*sums_of(low), strict=True)):
        for told, value in zip(path.at(k), exact, strict=True):
            assert float(told.lower()) <= value + 1e-9
            assert float(told.upper()) >= value - 1e-9
            assert float(told.rad()) < 1e-9 * (1 + abs(value))
    wide = lower_limits._path(Ends(low, low + 0.01))
    regret, mean, _ = sums_of(low + 0.01)
    assert [float(wide.at(k).mean.lower()) for k in (5, 30)] == pytest.approx([mean[5], mean[30]])
    assert float(wide.least(3, 7)) == pytest.approx(regret[3:8].min())
    assert float(wide.least(4, 4)) == pytest.approx(regret[4])


def limit_of(chances: np.ndarray, rounds: int, deviations: int, most: float) -> float:
    """The lower limit from the numbers of updates within so many standard deviations, by its definition."""
    regret, mean, variance = sums_of(chances)
    ks = range(1, len(mean))
    sure = [k for k in ks if mean[k] < rounds and (rounds - mean[k]) ** 2 >= deviations**2 * variance[k]]
    low = max(sure, default=0)
    late = [k for k in ks if mean[k] > rounds and (mean[k] - rounds) ** 2 >= deviations**2 * variance[k]]
    high = min(late, default=len(mean) - 1)
    few = variance[low] / (variance[low] + (rounds - mean[low]) ** 2) if low else 0.0
    gap = mean[high] - rounds
    many = (variance[high] / (variance[high] + gap**2) if gap > 0 else 1.0) if high < rounds else 0.0
    usual, before = regret[low : high + 1].min(), regret[: low + 1].min()
    beyond = min(regret[high], 0.0) - most
    return min(usual, usual * (1 - few - many)) + few * min(before, 0.0) + many * beyond


@pytest.mark.parametrize("deviations", [2, 3, 6])
@pytest.mark.parametrize("kind", ["even", "rare", "sure", "short"])
def test_limits_by_the_number_of_updates(kind: str, deviations: int) -> None:
    rng = np.random.default_rng(1)
    chances = {
        "even": 0.3 + 0.4 * rng.random(400),
        "rare": 0.05 + 0.1 * rng.random(60),
        "sure": np.full(300, 0.96),
        "short": 0.3 + 0.4 * rng.random(40),
    }[kind]
    path = lower_limits._path(Ends(chances, chances))
    for rounds in (5, 150, 290, 900):
        found = lower_limits._limit_within(path, rounds, deviations, arb(3))
        assert float(found) == pytest.approx(limit_of(chances, rounds, deviations, 3.0), rel=1e-6, abs=1e-6)
    gap = 2 - 1 / 0.75
    for rounds in (5, 150):
        most = gap / 0.75 * rounds
        best = max(limit_of(chances, rounds, d, most) for d in lower_limits.DEVIATIONS)
        found = lower_limits._limit(path, Fraction(3, 4), rounds)
        assert float(found) == pytest.approx(max(best, -gap * rounds), rel=1e-6, abs=1e-6)


def test_the_tail_of_a_time() -> None:
    assert float(lower_limits._tail(arb(3), arb(2))) == pytest.approx(2 / 11)
    assert lower_limits._tail(arb(0), arb(2)) == 1
    assert lower_limits._tail(arb(0), arb(0)) == 1
    assert lower_limits._tail(arb(-3), arb(2)) == 1
    assert [list(lower_limits._blocks(n)) for n in (0, 1, 2, 6, 7)] == [
        [],
        [(1, 1)],
        [(1, 1), (2, 1)],
        [(1, 1), (2, 2), (4, 3)],
        [(1, 1), (2, 2), (4, 4)],
    ]
