"""The proximal map of a client: u with u + step F_m'(u) = x, exact where x is, and refused where it is not known."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from fltheory import Algorithm, Case, quantity, theorem, verify
from fltheory.number import RATIONAL
from fltheory.problems import CosineClients, DenseQuadraticClients, PiecewiseQuadraticClients, QuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.runs.method import VariantError
from fltheory.runs.oracle import random_oracle
from fltheory.symbols import initial_distance as D
from fltheory.symbols import n_rounds as R
from fltheory.symbols import smoothness as L
from fltheory.symbols import step_size as eta
from fltheory.symbols import strong_convexity as mu

PLAIN = QuadraticClients(((1, "1/3"), (2, 0)), ((0, 1), (1, 0)), (3, 4))
KINKED = PiecewiseQuadraticClients(((1, "1/3"), (2, 0)), ((3, 1), ("1/2", 5)), ((0, 1), (1, -2)), (3, 4))
DENSE = DenseQuadraticClients(
    ((1, "1/3", 2), (2, 1, 0)), ((0, 1, 2), (1, 2, -1)), (3, 4, 5), reflections=(((1, 2, 0), (0, 1, 1)), ((1, -1, 3),))
)


def points(rng: random.Random, rows: int, dim: int) -> np.ndarray:
    found = np.empty((rows, dim), dtype=object)
    for place in np.ndindex(rows, dim):
        found[place] = RATIONAL.scalar(Fraction(rng.randint(-20, 20), rng.randint(1, 9)))
    return found


@pytest.mark.parametrize("clients", [PLAIN, KINKED, DENSE], ids=lambda c: type(c).__name__)
def test_it_solves_its_equation(clients: Any) -> None:
    rng = random.Random(0)
    for step in (0, "1/7", 1, 30):
        for client in (0, 1, np.array([0, 1, 1, 0])):
            x, size = points(rng, 4, clients.dim), RATIONAL.scalar(Fraction(step))
            u = clients.prox(x, client, size)
            assert ((u + size * clients.gradient(u, client) - x) == 0).all()
            floats = clients.prox(x.astype(float), client, float(Fraction(step)))
            np.testing.assert_allclose(floats, u.astype(float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("clients", [PLAIN, KINKED, DENSE], ids=lambda c: type(c).__name__)
def test_balls_contain_it(clients: Any) -> None:
    x = points(random.Random(1), 3, clients.dim)
    exact = clients.prox(x, 1, RATIONAL.scalar(Fraction(2, 3)))
    balls = np.empty_like(x)
    balls[...] = [[arb(fmpq(v.numerator, v.denominator)) for v in row] for row in x]
    found = clients.prox(balls, 1, arb(2) / 3)
    for ball, value in zip(found.flat, exact.flat, strict=True):
        assert ball.contains(fmpq(value.numerator, value.denominator))
        assert ball.rad() < 1e-12


def oracle(clients: Any) -> Any:
    return random_oracle(clients, 0, np.arange(2), 0)


def test_an_oracle_gives_it_and_refuses_what_is_none() -> None:
    x = np.array([[1.0, 2.0], [-1.0, 0.5]])
    np.testing.assert_array_equal(oracle(PLAIN).prox(x, 1, 0.5), PLAIN.prox(x, 1, 0.5))
    fractions = np.array([[Fraction(1), Fraction(2)], [Fraction(-1), Fraction(1, 2)]], dtype=object)
    np.testing.assert_array_equal(oracle(PLAIN).prox(fractions, 1, 0.5), PLAIN.prox(x, 1, 0.5))
    for client, step, words in (
        (2, 0.5, "a proximal map was asked of client 2"),
        (0, -0.5, "for the step -0.5, expected one number, 0 or more"),
        (0, np.array([0.5, 1.0]), "expected one number"),
    ):
        with pytest.raises(VariantError, match=words):
            oracle(PLAIN).prox(x, client, step)
    with pytest.raises(VariantError, match="CosineClients has no proximal maps"):
        oracle(CosineClients((1,), (0,), 2)).prox(np.ones((2, 1)), 0, 0.5)


# Whole theorems ---------------------------------------------------------------------------------------------------------


def proximal_point(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.prox(x, 0, c.step_size)


def forward_backward(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return oracle.prox(x - c.step_size * oracle.gradient(x, 0), 1, c.step_size)


def claim(step: Any, rate: Any, clients: Any) -> Any:
    case = Case(clients, n_rounds=3, step_size="1/2")
    return theorem(
        "P: a rate",
        quantity <= rate**R * D**2,
        algorithm=Algorithm("a", step),
        measure=LastDistance(),
        cases=[case],
        key="k",
    )


@pytest.mark.parametrize(
    "clients",
    [
        QuadraticClients(((1, "1/3"),), ((2, 1),), (3, 4)),
        PiecewiseQuadraticClients(((1, "1/3"),), ((3, 1),), ((2, -2),), (3, 4)),
        DenseQuadraticClients(((1, "1/3"),), ((2, 1),), (3, 4), reflections=(((1, 2),),)),
    ],
    ids=lambda c: type(c).__name__,
)
def test_the_proximal_point_method_contracts_exactly(clients: Any) -> None:
    """By 1/(1 + eta mu) a round, and not by more: with noise in the gradients too, of which it asks none."""
    assert verify(claim(proximal_point, (1 + eta * mu) ** -2, clients)).evidence == "exact"
    assert verify(claim(proximal_point, (1 + eta * mu) ** -2, clients)).status == "holds"
    assert verify(claim(proximal_point, (1 + eta * L) ** -2 / 2, clients)).status == "violated"


def test_noise_of_the_gradient_goes_through_the_map() -> None:
    """Moments of an affine step and all sample paths, found apart, agree: E|x_1 - x*|² by hand."""
    clients = QuadraticClients((1, 3), (0, 0), 2, noise_std=1)
    # x - (x ± 1)/2, then divided by 1 + 3/2: (2/5)² ((2 - 1)² + 1/4)
    exact = Fraction(4, 25) * (1 + Fraction(1, 4))
    for bound, status in ((exact, "holds"), (exact - Fraction(1, 10**9), "violated")):
        one = theorem(
            "N: noise",
            quantity <= bound,
            algorithm=Algorithm("forward-backward", forward_backward),
            measure=LastDistance(),
            cases=[Case(clients, n_rounds=1, step_size="1/2")],
            key="k",
        )
        found = verify(one)
        assert (found.status, found.evidence) == (status, "exact")
