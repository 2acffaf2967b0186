"""Equal numbers are told to be equal where they came about in the same way, however few digits of them are known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from sympy import Eq

from fltheory import Algorithm, Case, quantity, theorem
from fltheory.claims.check import check_claim
from fltheory.number.elements import Ball, Undecided
from fltheory.problems import QuadraticClients
from fltheory.runs.measures import LastDistance
from fltheory.symbols import initial_distance, n_rounds, noise_std, step_size, strong_convexity

RATE = 1000 * (1 - step_size * strong_convexity) ** n_rounds * initial_distance**2


def gradients(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return np.stack([oracle.gradient(x, m) for m in range(c.n_clients)])


def median(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return np.asarray(x - c.step_size * np.median(gradients(x, oracle, c), axis=0))


def median_of_steps(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return np.asarray(np.median(x - gradients(x, oracle, c) * c.step_size, axis=0))


def least(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    g = gradients(x, oracle, c)
    return np.asarray(x - c.step_size * np.minimum(g[0], g[2]))


@pytest.mark.parametrize("step", [median, median_of_steps, least], ids=lambda f: f.__name__)
@pytest.mark.parametrize("last", ["3/1000", "4/1000"], ids=["tied", "apart"])
def test_a_tie_of_equal_clients_leaves_a_violation_exact(step: Any, last: str) -> None:
    clients = QuadraticClients(("7/100",) * 3, ("3/1000", "-3/1000", last), 1)
    case = Case(clients, n_local_steps=1, n_rounds=1000, step_size="50/63")
    mine, given = Algorithm("mine", step), [Eq(noise_std, 0)]
    claim = theorem("t", quantity <= RATE, given=given, algorithm=mine, measure=LastDistance(), cases=[case], key="t")
    found = check_claim(claim, case)
    assert (found.status, found.evidence) == ("violated", "exact")


def test_numbers_are_equal_where_they_came_about_alike() -> None:
    x, y = Ball(arb(1, 0.5)), Ball(arb(1, 0.5))
    assert x == x
    assert x * 2 + 1 == x * 2 + 1
    assert -x / 3 == -x / 3
    assert not x * 2 < x * 2
    assert (x - y) ** 2 == (y - x) ** 2  # either way, and in another order
    assert abs(x - y) == abs(y - x)
    assert x + y == y + x
    assert x * y * -1 == -(y * x)
    assert x - x == 0
    assert (x - x) + y == y
    assert ((x - y) ** 2).exp() == ((y - x) * (y - x)).exp()
    for one, two in (
        (x, y),
        (x * 2, y * 2),
        (x + 1, x + Fraction(2**60 + 1, 2**60)),
        (x * Fraction(1, 3), x * (1 / 3)),
        (x * 2, x * 3 - 1),
        (x - y, y - x),
        ((x - y) ** 3, (y - x) ** 3),
        (x / y, y / x),
        (x**0, x - x + 1 + 0 * y + (y - x)),
    ):
        with pytest.raises(Undecided):
            assert one == two
