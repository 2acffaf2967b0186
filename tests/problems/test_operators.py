"""Monotone affine operators: zeros, constants, resolvents by definition, and what is true and false of games."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from sympy import Rational

from fltheory import Algorithm, Case, falsify, quantity, theorem, verify
from fltheory.number import RATIONAL, to_float
from fltheory.problems import AffineOperators, QuadraticClients, quadratic_game
from fltheory.problems.operators import operators
from fltheory.problems.strategies import log_uniform_counts, log_uniform_positive
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.symbols import (
    heterogeneity_at_optimum,
    initial_distance,
    n_rounds,
    smoothness,
    step_size,
    strong_convexity,
)


def drawn(rng: random.Random, n: int, d: int) -> AffineOperators:
    """Operators B'B + S with S skew, and one entry of 1 on the diagonal so that the mean has a single zero."""

    def matrix() -> Any:
        b = [[Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(d)] for _ in range(d)]
        s = [[Fraction(rng.randint(-4, 4)) for _ in range(d)] for _ in range(d)]
        return [
            [sum(b[k][i] * b[k][j] for k in range(d)) + s[i][j] - s[j][i] + (i == j) for j in range(d)]
            for i in range(d)
        ]

    offsets = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(n)]
    return AffineOperators([matrix() for _ in range(n)], offsets, [rng.randint(-3, 3) for _ in range(d)])


@pytest.mark.parametrize("seed", range(4))
def test_the_zero_and_the_constants_are_those_of_the_matrices(seed: int) -> None:
    rng = random.Random(seed)
    one = drawn(rng, 1 + seed % 3, 1 + seed)
    matrices = np.array([[[float(v) for v in row] for row in m] for m in one.matrices])
    zero = np.array([[RATIONAL.scalar(v) for v in one.minimiser]], dtype=object)
    assert (one.mean_gradient(zero) == 0).all()
    assert (sum(one.gradient(zero, m) for m in range(one.n_clients)) == 0).all()
    found = {s: to_float(v) for s, v in one.constants.items()}
    sizes = np.linalg.norm(matrices, 2, axis=(1, 2))
    assert sizes.max() <= found[smoothness] * (1 + 1e-15) <= sizes.max() * (1 + 1e-6)
    least = min(np.linalg.eigvalsh((m + m.T) / 2)[0] for m in matrices)
    assert least * (1 - 1e-6) - 1e-9 <= found[strong_convexity] <= least + 1e-12
    start, at = (np.array([float(v) for v in of]) for of in (one.start, one.minimiser))
    assert found[initial_distance] == pytest.approx(np.linalg.norm(start - at))
    pulls = [m @ at + np.array([float(v) for v in b]) for m, b in zip(matrices, one.offsets, strict=True)]
    assert found[heterogeneity_at_optimum] == pytest.approx(np.mean([p @ p for p in pulls]) ** 0.5, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_resolvent_solves_its_equation(seed: int) -> None:
    one = drawn(random.Random(seed), 2, 3)
    x = np.array([[RATIONAL.scalar(Fraction(i - 2 * j, 3)) for j in range(3)] for i in range(4)], dtype=object)
    for step in (0, "1/5", 7):
        size = RATIONAL.scalar(Fraction(step))
        u = one.prox(x, np.array([0, 1, 1, 0]), size)
        assert ((u + size * one.gradient(u, np.array([0, 1, 1, 0])) - x) == 0).all()


def test_a_game_is_the_operator_of_its_payoff() -> None:
    """f = 2 x_1 y_1 - 3 x_2 y_2 + (x² - y²)/2 + x_1 - 5 y_2, by differences of f."""
    game = quadratic_game((2, -3), (1, 2, 3, 4), curvature=1, offsets=(1, 0, 0, 5))

    def payoff(z: np.ndarray) -> float:
        x, y = z[:2], z[2:]
        return float(2 * x[0] * y[0] - 3 * x[1] * y[1] + (x @ x - y @ y) / 2 + x[0] - 5 * y[1])

    z, h = np.array([0.3, -1.2, 0.7, 2.0]), 1e-6
    slope = np.array([(payoff(z + h * e) - payoff(z - h * e)) / (2 * h) for e in np.eye(4)])
    np.testing.assert_allclose(game.gradient(z[None], 0)[0], slope * [1, 1, -1, -1], rtol=1e-7)
    assert (game.constants[smoothness], game.constants[strong_convexity]) == (10 ** Rational(1, 2), 1)
    assert quadratic_game((2, -3), (1, 2, 3, 4)).constants[strong_convexity] == 0
    assert (
        repr(quadratic_game(2, (1, 0)))
        == "AffineOperators(matrices=(((0, 2), (-2, 0)),), offsets=((0, 0),), start=(1, 0))"
    )
    assert eval(repr(game)) == game


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([[[1, 0], [0, -1]]], [[0, 0]], [0, 0]), "monotone"),
        (([[[0, 1], [0, 0]]], [[0, 0]], [0, 0]), "monotone"),
        (([[[0, 0], [0, 1]]], [[0, 0]], [0, 0]), "no single zero"),
        (([[[1]]], [[0, 0]], [0, 0]), "matrices of 2 rows and columns"),
        (([[[1, 0], [0, 1]]], [[0, 0], [0, 0]], [0, 0]), "one entry for every matrix"),
        (([[[1, 0], [0, 1]]], [[0]], [0, 0]), "one entry for every matrix"),
        (([], [], [0]), "one entry for every matrix"),
        (([[["sqrt(2)"]]], [[0]], [0]), "rational"),
    ],
)
def test_what_is_no_operator_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AffineOperators(*arguments)


# Theorems on games ------------------------------------------------------------------------------------------------------


def simultaneous(z: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return z - c.step_size * oracle.gradient(z, 0)


def extragradient(z: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return z - c.step_size * oracle.gradient(z - c.step_size * oracle.gradient(z, 0), 0)


def implicit(z: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.prox(z, 0, c.step_size)


def games() -> Any:
    return st.builds(
        lambda h, x, y, rounds, part: Case(quadratic_game(h, (x, y)), n_rounds=rounds, step_size=part / h),
        log_uniform_positive(1e-2, 10),
        st.integers(-3, 3),
        st.integers(-3, 3),
        log_uniform_counts(100),
        log_uniform_positive(1e-3, 1),
    )


hl = (step_size * smoothness) ** 2
GAME = {"measure": LastDistance(), "family": games, "assumptions": [operators], "key": "game"}


@pytest.mark.parametrize(
    ("step", "rate", "status"),
    [
        (simultaneous, 1, "violated"),  # it spirals out, by 1 + (eta h)² a round
        (simultaneous, 1 + hl, "holds"),
        (extragradient, 1 - hl + hl**2, "holds"),
        (extragradient, 1 - hl, "violated"),
        (implicit, 1 / (1 + hl), "holds"),
        (implicit, 1 / (1 + hl) ** 2, "violated"),
    ],
)
def test_bilinear_games(step: Any, rate: Any, status: str) -> None:
    claim = theorem(
        "G: a rate", quantity <= rate**n_rounds * initial_distance**2, algorithm=Algorithm("a", step), **GAME
    )
    if status == "holds":
        found = [verify(claim, case) for case in claim.cases]
        assert {v.status for v in found} <= {"holds", "vacuous"}
        assert {v.evidence for v in found} == {"exact"}
    else:
        found = falsify(claim, work=500).verdict
        assert found is not None
        assert (found.status, found.evidence) == ("violated", "exact")


def test_clients_with_objectives_are_no_operators_and_operators_have_no_gap() -> None:
    claim = theorem("G: a rate", quantity <= initial_distance**2, algorithm=Algorithm("a", implicit), **GAME)
    found = verify(claim, Case(QuadraticClients(((1, 1),), ((0, 0),), (1, 1)), n_rounds=1, step_size=1))
    assert (found.status, "expected operators" in found.reason) == ("inapplicable", True)
    gap = theorem(
        "F: a gap",
        quantity <= initial_distance**2 * smoothness,
        algorithm=Algorithm("a", implicit),
        measure=LastGap(),
        cases=[Case(quadratic_game(1, (1, 1)), n_rounds=1, step_size=1)],
        key="game",
    )
    found = verify(gap)
    assert (found.status, "AffineOperators has no objective, so no gap" in found.reason) == ("inapplicable", True)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_client_must_be_monotone_and_not_only_their_mean(place: int) -> None:
    matrices = [((3, 1), (-1, 3))] * 3
    matrices[place] = ((0, 1), (0, 0))  # symmetric part of eigenvalues 1/2 and -1/2
    with pytest.raises(ValueError, match="must be monotone"):
        AffineOperators(matrices, [(0, 0)] * 3, (1, 1))
