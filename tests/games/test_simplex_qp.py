"""The quadratic program over the simplex: its certificate in rationals, its decisions against all supports and other solvers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fltheory.games import kernels, simplex_qp
from fltheory.games.simplex_qp import solve_dense, solve_low_rank

WORDS = st.integers(0, 2**32 - 1)
Rational = list[Fraction]


def exact(a: Any) -> Any:
    """Floats as the rationals they are."""
    return [exact(x) for x in a] if np.ndim(a) else Fraction(float(a))


def dot(a: Rational, b: Rational) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def formed(alpha: float, beta: float, G: np.ndarray) -> list[Rational]:
    """alpha I + beta G'G in rationals."""
    columns = [[Fraction(float(x)) for x in column] for column in G.T]
    B = [[Fraction(float(beta)) * dot(u, v) for v in columns] for u in columns]
    for i in range(len(B)):
        B[i][i] += Fraction(float(alpha))
    return B


def exact_gap(B: list[Rational], c: np.ndarray, p: np.ndarray) -> Fraction:
    """<g, p> - min g in rationals, for p scaled to sum 1."""
    q = exact(p)
    q = [x / sum(q) for x in q]
    g = [dot(row, q) + x for row, x in zip(B, exact(c), strict=True)]
    return dot(g, q) - min(g)


def certified(B: list[Rational], c: np.ndarray, p: np.ndarray, gap: float) -> bool:
    """Whether p is on the simplex, and its gap is no more than it is said to be."""
    return bool((p >= 0).all() and abs(p.sum() - 1) < 1e-12 and exact_gap(B, c, p) <= Fraction(float(gap)))


def solved(equations: list[Rational], right: Rational) -> Rational:
    """Gauss-Jordan in rationals, for a regular matrix."""
    rows = [[*row, x] for row, x in zip(equations, right, strict=True)]
    for i in range(len(rows)):
        k = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[k] = rows[k], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def by_supports(B: list[Rational], c: Rational) -> Rational:
    """The minimiser: the one support whose stationary point is nonnegative and has no lower gradient outside."""
    for size in range(1, len(c) + 1):
        for support in combinations(range(len(c)), size):
            equations = [[*(B[i][k] for k in support), Fraction(-1)] for i in support]
            *values, level = solved(
                [*equations, [Fraction(1)] * size + [Fraction(0)]], [*(-c[i] for i in support), Fraction(1)]
            )
            p = [Fraction(0)] * len(c)
            for i, x in zip(support, values, strict=True):
                p[i] = x
            if min(p) >= 0 and all(dot(row, p) + x >= level for row, x in zip(B, c, strict=True)):
                return p
    raise AssertionError("a strictly convex function has a minimiser")


def whole(seed: int, most: int = 4) -> tuple[int, int, np.ndarray, np.ndarray]:
    """alpha, beta, G, c in small whole numbers, full of ties."""
    rng = np.random.default_rng(seed)
    n_clients, n_rounds = rng.integers(1, most + 1), rng.integers(0, 4)
    G = rng.integers(-2, 3, (n_rounds, n_clients)).astype(float)
    return int(rng.integers(1, 5)), int(rng.integers(0, 4)), G, rng.integers(-4, 5, n_clients).astype(float)


def awkward(seed: int, n_clients: int) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Scales far apart, a large part common to all clients, or fewer rounds than clients."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(rng.integers(0, 9), n_clients)) + rng.choice([0, 10, 1e4])
    c = rng.normal(size=n_clients) * rng.choice([0, 1e-3, 1, 1e3, 1e30])
    return float(rng.choice([1e-9, 1e-3, 1, 1e3])), float(rng.choice([0, 1e-3, 1, 1e6])), G, c


def float_B(alpha: float, beta: float, G: np.ndarray) -> np.ndarray:
    return alpha * np.eye(G.shape[1]) + beta * G.T @ G


def one(B: np.ndarray, c: np.ndarray, start: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """A batch of one."""
    p, gap = solve_dense(B[None], c[None], None if start is None else start[None])
    return p[0], float(gap[0])


@given(WORDS)
def test_both_forms_find_the_minimiser_among_all_supports(seed: int) -> None:
    alpha, beta, G, c = whole(seed)
    B = formed(alpha, beta, G)
    best = by_supports(B, exact(c))
    assert exact_gap(B, c, np.array(best)) < Fraction(1, 10**12)
    for p, gap in (one(float_B(alpha, beta, G), c), solve_low_rank(alpha, beta, G, c)):
        assert abs(p - np.array(best, dtype=float)).max() < 1e-13
        assert gap < 1e-12
        assert certified(B, c, p, gap)


@given(WORDS, st.integers(2, 9))
def test_the_certificate_holds_in_rationals(seed: int, n_clients: int) -> None:
    alpha, beta, G, c = awkward(seed, n_clients)
    B = float_B(alpha, beta, G)
    p, gap = one(B, c)
    assert certified(exact(B), c, p, gap)
    assert gap <= 1e-13 * (abs(B).max() + np.ptp(c))
    p, gap = solve_low_rank(alpha, beta, G, c)
    assert certified(formed(alpha, beta, G), c, p, gap)


@given(WORDS)
def test_a_moved_decision_and_a_flipped_gap_are_not_certified(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, c = rng.normal(size=(5, 6)), rng.normal(size=6)
    B = formed(1, 1, G)
    p, gap = solve_low_rank(1, 1, G, c)
    high, low = p.argmax(), p.argmin()
    moved = p.copy()
    moved[high], moved[low] = p[high] - 1e-3, p[low] + 1e-3
    assert certified(B, c, p, gap)
    assert not certified(B, c, moved, gap)
    g = float_B(1, 1, G) @ moved + c
    assert certified(B, c, moved, (g @ moved - g.min()) * (1 + 1e-9))
    assert not certified(B, c, moved, g.min() - g @ moved)
    assert not certified(B, c, p + 1e-3, 1.0)  # not on the simplex


@given(WORDS)
def test_the_gap_bounds_what_is_left_and_the_distance(seed: int) -> None:
    """f(p) - f* <= gap and alpha/2 |p - p*|^2 <= gap at points that are not yet minimisers."""
    alpha, beta, G, c = whole(seed)
    B = formed(alpha, beta, G)
    best = by_supports(B, exact(c))
    p = exact(np.random.default_rng(seed).dirichlet(np.ones(len(c))))
    p = [x / sum(p) for x in p]

    def value(q: Rational) -> Fraction:
        return sum(x * dot(row, q) for x, row in zip(q, B, strict=True)) / 2 + dot(q, exact(c))

    left, gap = value(p) - value(best), exact_gap(B, c, np.array(p))
    assert left <= gap
    distance = [x - y for x, y in zip(p, best, strict=True)]
    assert Fraction(alpha, 2) * dot(distance, distance) <= left
    assert len(c) == 1 or left > gap / 10**6  # the gap is no idle bound


@given(WORDS, st.integers(1, 20))
def test_the_active_set_kernel_is_its_twin(seed: int, n_clients: int) -> None:
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(4, rng.integers(1, 9), n_clients))
    B = 0.1 * np.eye(n_clients) + np.einsum("nti,ntk->nik", G, G)
    c, start = rng.normal(size=(4, n_clients)), rng.dirichlet(np.ones(n_clients), 4)
    p, _ = solve_dense(B, c, start)
    for k in range(4):
        assert abs(p[k] - kernels.reference_active_set(B[k], c[k], start[k])).max() < 1e-10


@given(WORDS, st.integers(1, 300))
def test_the_projection_is_its_twin(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) * rng.choice([1e-6, 1e-2, 1, 1e6]) + rng.choice([0, 1e3])
    if seed % 3 == 0:
        x = np.round(x)  # ties
    p = kernels.project(x)
    assert p.min() >= 0
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert abs(p - kernels.reference_project(x)).max() <= 1e-12 * (1 + abs(x).max())
    nearer = p + 1e-3 * (np.eye(n)[x.argmin()] - p)  # no feasible point is nearer, so this one isn't
    assert ((x - nearer) ** 2).sum() >= ((x - p) ** 2).sum() * (1 - 1e-12)


@given(WORDS, st.integers(0, 9), st.integers(1, 100))
def test_the_product_is_its_twin(seed: int, n_rounds: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    G, p = rng.normal(size=(n_rounds, n)), rng.dirichlet(np.ones(n))
    twin = kernels.reference_product(2.0, 3.0, G, p)
    assert abs(kernels.regularised_gram_product(2.0, 3.0, G, p) - twin).max() < 1e-12
    assert abs(kernels.regularised_gram_product(2.0, 3.5, G, p) - twin).max() > 1e-12 or n_rounds == 0


def test_two_clients_have_a_closed_form() -> None:
    rng = np.random.default_rng(0)
    G, c = rng.normal(size=(200, 3, 2)), rng.normal(size=(200, 2)) * 3
    B = 0.5 * np.eye(2) + np.einsum("nti,ntk->nik", G, G)
    a = B[:, 0, 0] - 2 * B[:, 0, 1] + B[:, 1, 1]
    b = B[:, 0, 1] - B[:, 1, 1] + c[:, 0] - c[:, 1]
    x = np.clip(-b / a, 0, 1)
    p, gap = solve_dense(B, c)
    assert abs(p[:, 0] - x).max() < 1e-13
    assert gap.max() < 1e-13
    assert 0 < (x == 0).sum() < 200
    assert 0 < (x == 1).sum() < 200
    for k in range(20):  # the general method
        assert abs(kernels.reference_active_set(B[k], c[k], np.full(2, 0.5)) - p[k]).max() < 1e-13


@pytest.mark.parametrize("n_clients", [3, 10, 70])
def test_slsqp_finds_nothing_lower(n_clients: int) -> None:
    rng = np.random.default_rng(n_clients)
    G, c = rng.normal(size=(8, n_clients)), rng.normal(size=n_clients)
    B = float_B(0.5, 1, G)
    p, gap = solve_low_rank(0.5, 1, G, c)

    def value(q: np.ndarray) -> float:
        return q @ B @ q / 2 + c @ q

    other = minimize(
        value,
        np.full(n_clients, 1 / n_clients),
        jac=lambda q: B @ q + c,
        bounds=[(0, 1)] * n_clients,
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert other.fun >= value(p) - gap - 1e-12
    assert abs(other.x - p).max() < 1e-5
    assert value(np.eye(n_clients)[0]) > value(p) + gap


@given(WORDS, st.integers(2, 9))
def test_a_common_factor_and_multiples_of_one_change_nothing(seed: int, n_clients: int) -> None:
    rng = np.random.default_rng(seed)
    G, c = rng.integers(-2, 3, (3, n_clients)).astype(float), rng.integers(-9, 10, n_clients).astype(float)
    B = float_B(2, 1, G)
    p, gap = one(B, c)
    scaled, larger = one(2.0**40 * B, 2.0**40 * c)
    assert np.array_equal(scaled, p)
    assert larger == 2.0**40 * gap
    assert np.array_equal(one(B, c + 2.0**20)[0], p)
    assert abs(solve_low_rank(2 * 7, 7, G, 7 * c)[0] - p).max() < 1e-13
    # On the simplex <g + 1, p> = <g, p> + 1, whose square has 2 <g, p> more.
    assert abs(solve_low_rank(2, 1, G + 1, c - G.sum(axis=0))[0] - p).max() < 1e-12


def test_a_factor_of_c_alone_changes_the_decision() -> None:
    c = np.array([0.0, 0.5, 1.0])
    assert abs(one(np.eye(3), c)[0] - one(np.eye(3), 3 * c)[0]).max() > 0.1
    G = np.diag([1.0, 2.0, 3.0])
    assert abs(solve_low_rank(1, 1, G, c)[0] - solve_low_rank(1, 1, G + 1, c)[0]).max() > 0.01


def test_symmetry_and_ties() -> None:
    for n in (1, 2, 3, 40, 100):
        assert solve_low_rank(1, 1, np.ones((2, n)), np.zeros(n))[0] == pytest.approx(1 / n, abs=1e-15)
        assert one(np.eye(n), np.ones(n))[0] == pytest.approx(1 / n, abs=1e-15)
    p, gap = solve_low_rank(1, 1, np.zeros((1, 90)), np.array([*[0.0] * 45, *[9.0] * 45]), start=np.eye(90)[89])
    assert p == pytest.approx([*[1 / 45] * 45, *[0] * 45], abs=1e-13)
    assert gap < 1e-11


@pytest.mark.parametrize("n_clients", [5, 64, 65, 200])
def test_without_rounds_it_is_a_projection(n_clients: int) -> None:
    c = np.random.default_rng(1).normal(size=n_clients)
    p, gap = solve_low_rank(3.0, 1.0, np.empty((0, n_clients)), c)
    assert abs(p - kernels.reference_project(-c / 3)).max() < 1e-13
    assert gap < 1e-12


@pytest.mark.parametrize("n_clients", [2, 3, 64, 65, 200])
def test_huge_c_leaves_the_lowest(n_clients: int) -> None:
    rng = np.random.default_rng(2)
    G = rng.normal(size=(3, n_clients))
    for scale in (1e9, 1e30, 1e300):
        c = scale * np.arange(1.0, n_clients + 1)[::-1] / n_clients
        for p, gap in (solve_low_rank(1e-9, 1, G, c), one(float_B(1e-9, 1, G), c)):
            assert np.array_equal(p, np.eye(n_clients)[-1])
            assert gap < 1e-9
    c[:2] = 0.0  # two are left
    assert (solve_low_rank(1e-9, 1, G, c)[0] > 0).sum() <= 2


HARD = [(1e-9, 1.0, 1.0), (1e-9, 1e6, 1.0), (1.0, 1e6, 1.0), (1e3, 1e6, 1.0), (1e-3, 1.0, 0.0), (1e-9, 1.0, 100.0)]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("alpha", "beta", "size"), HARD)
def test_nearly_singular_forms_are_solved_to_rounding(alpha: float, beta: float, size: float) -> None:
    rng = np.random.default_rng(3)
    for n_clients in (65, 300):
        G, c = rng.normal(size=(20, n_clients)), size * rng.normal(size=n_clients)
        p, gap = solve_low_rank(alpha, beta, G, c)
        reach = beta * (abs(G).max(axis=1) ** 2).sum()
        assert gap <= 2e-12 * (alpha + reach + size)
        assert p.min() >= 0
        assert p.sum() == pytest.approx(1, abs=1e-12)
        if n_clients == 65:
            assert certified(formed(alpha, beta, G), c, p, gap)


@pytest.mark.parametrize("own", ["_accelerated_descent", "_minimise_on_faces", "_column_generation"])
def test_each_way_out_leads_there_alone(monkeypatch: pytest.MonkeyPatch, own: str) -> None:
    rng = np.random.default_rng(4)
    G, c = rng.normal(size=(20, 150)), rng.normal(size=150)
    best, _ = one(float_B(1.0, 1.0, G), c)
    start = np.full(150, 1 / 150)
    monkeypatch.setattr(simplex_qp, "STEPS", 1000)
    for other in {"_accelerated_descent", "_minimise_on_faces", "_column_generation"} - {own}:
        monkeypatch.setattr(simplex_qp, other, lambda *_: (start, np.inf))
    assert abs(solve_low_rank(1.0, 1.0, G, c)[0] - best).max() < 1e-9
    monkeypatch.setattr(simplex_qp, own, lambda *_: (start, np.inf))
    p, gap = solve_low_rank(1.0, 1.0, G, c)  # without any nothing is found, nor claimed
    assert np.array_equal(p, start)
    assert gap == np.inf


def test_a_guard_against_endless_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    G, c = rng.normal(size=(6, 10, 12)), rng.normal(size=(6, 12))
    B = 0.1 * np.eye(12) + np.einsum("nti,ntk->nik", G, G)
    p, _ = solve_dense(B, c)
    monkeypatch.setattr(kernels, "max_faces", lambda n: 2)
    q, gap = solve_dense(B, c)
    assert abs(p - q).max() < 1e-9
    assert all(certified(exact(B[k]), c[k], q[k], gap[k]) for k in range(6))
    monkeypatch.setattr(simplex_qp, "_accelerated_descent", lambda form, start, *_: (start, np.inf))
    q, gap = solve_dense(B, c)
    assert abs(p - q).max() > 1e-3  # two faces alone are too few, and the gap says so
    assert gap.max() > 1e-3
    assert all(certified(exact(B[k]), c[k], q[k], gap[k]) for k in range(6))


def test_a_start_changes_nothing_but_the_work() -> None:
    rng = np.random.default_rng(6)
    G, c = rng.normal(size=(10, 100)), rng.normal(size=100)
    for alpha in (1.0, 100.0):
        cold, _ = solve_low_rank(alpha, 1.0, G, c)
        warm, _ = solve_low_rank(alpha, 1.0, G, c, start=rng.dirichlet(np.ones(100)))
        assert abs(cold - warm).max() < 1e-6
    loose, gap = solve_low_rank(100.0, 1.0, G, c, gap=1e-2)
    assert 1e-9 < gap <= 1e-2
    assert abs(loose - cold).max() > 1e-9


def test_many_clients() -> None:
    rng = np.random.default_rng(7)
    n = 100_000
    G, c = -rng.random((3, n)), -rng.random(n)
    p, gap = solve_low_rank(4.0 * n, 0.25, G, c)
    assert gap <= 5e-13 * 4 * n
    g = 4.0 * n * p + 0.25 * (G @ p) @ G + c
    assert p @ g - g.min() <= gap


@settings(max_examples=10)
@given(WORDS)
def test_a_batch_is_its_problems(seed: int) -> None:
    rng = np.random.default_rng(seed)
    G, c = rng.normal(size=(5, 4, 6)), rng.normal(size=(5, 6))
    B = np.eye(6) + np.einsum("nti,ntk->nik", G, G)
    p, gap = solve_dense(B, c)
    assert p.shape == (5, 6)
    assert gap.shape == (5,)
    for k in range(5):
        assert np.array_equal(one(B[k], c[k])[0], p[k])
    assert solve_dense(np.empty((0, 6, 6)), np.empty((0, 6)))[0].shape == (0, 6)


I3 = np.eye(3)[None]
WRONG: dict[str, tuple[Any, str]] = {
    "c with nan": (lambda: solve_dense(I3, np.array([[0, np.nan, 1]])), "c must be finite, not nan"),
    "B with inf": (lambda: solve_dense(np.full((1, 3, 3), np.inf), np.zeros((1, 3))), "B must be finite"),
    "B not symmetric": (lambda: solve_dense(I3 + np.triu(np.ones((3, 3)), 1), np.zeros((1, 3))), "symmetric"),
    "B indefinite": (lambda: solve_dense(I3 - 2 * np.ones((3, 3)) + 2.5 * I3, np.zeros((1, 3))), "positive definite"),
    "B zero": (lambda: solve_dense(0 * I3, np.zeros((1, 3))), "diagonal"),
    "shapes": (lambda: solve_dense(I3, np.zeros((1, 4))), r"B must be \(1, 4, 4\)"),
    "no batch": (lambda: solve_dense(I3[0], np.zeros(3)), "B must have 3 axes"),
    "negative start": (lambda: solve_dense(I3, np.zeros((1, 3)), np.array([[1, 1, -1]])), "nonnegative"),
    "low-rank c with nan": (
        lambda: solve_low_rank(1, 1, np.ones((2, 3)), np.array([0, 1, np.nan])),
        "c must be finite",
    ),
    "G with nan": (lambda: solve_low_rank(1, 1, np.full((2, 3), np.nan), np.zeros(3)), "G must be finite"),
    "G too large": (lambda: solve_low_rank(1, 1, np.full((2, 3), 1e200), np.zeros(3)), "must lie in"),
    "G of others": (lambda: solve_low_rank(1, 1, np.ones((2, 4)), np.zeros(3)), "G must be"),
    "alpha 0": (lambda: solve_low_rank(0, 1, np.ones((2, 3)), np.zeros(3)), "alpha must be positive and finite, not 0"),
    "beta nan": (lambda: solve_low_rank(1, np.nan, np.ones((2, 3)), np.zeros(3)), "beta must be nonnegative"),
    "gap nan": (lambda: solve_low_rank(1, 1, np.ones((2, 3)), np.zeros(3), gap=np.nan), "gap must be nonnegative"),
    "no client": (lambda: solve_low_rank(1, 1, np.ones((2, 0)), np.zeros(0)), "there must be at least one client"),
    "c too far apart": (lambda: solve_low_rank(1, 1, np.ones((1, 2)), np.array([-1.7e308, 1.7e308])), "too far apart"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_named(case: str) -> None:
    call, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        call()
