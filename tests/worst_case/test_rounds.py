"""One round that is proved of a class, chained: longer runs keep to it, published constants are looser, what remembers is out."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

from fltheory import Algorithm, Case
from fltheory.number import RATIONAL
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.one_round import Descent, Recursion, best_recursion, descent, recursion
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.two_sided import worst_case

CURVED = Smooth(1, "1/10")
SIZES: dict[str, Any] = {"n_clients": 2, "n_local_steps": 2}


@pytest.fixture(scope="module")
def chain() -> Recursion:
    found = recursion(sequential, CURVED, **SIZES, step_size="1/24", initial_distance=1, heterogeneity_at_optimum=1)
    assert found.refused() is None
    return found


@pytest.fixture(scope="module")
def telescope() -> Descent:
    """At eta_eff = 1/(6 L), a gain of 4/3 eta_eff."""
    found = descent(sequential, Smooth(1), "2/9", **SIZES, step_size="1/24", heterogeneity_at_optimum=1)
    assert found.refused() is None
    return found


def test_two_rounds_keep_to_the_chain(chain: Recursion) -> None:
    """Their exact worst case is no larger, and no chain with a smaller coefficient holds of one round."""
    settings = {**SIZES, "n_local_steps": 1, "step_size": "1/12", "initial_distance": 1, "heterogeneity_at_optimum": 1}
    one = recursion(sequential, CURVED, **settings)
    two = worst_case(sequential, CURVED, LastDistance(), n_rounds=2, **settings)
    assert two.upper is not None
    assert two.upper <= one.after(2, Fraction(1), Fraction(1))
    first = worst_case(sequential, CURVED, LastDistance(), n_rounds=1, **settings)
    assert first.lower is not None
    tight = one.after(1, Fraction(1), Fraction(1))
    assert first.lower <= tight < first.lower + Fraction(1, 1_000_000)


def test_runs_on_quadratic_clients_keep_to_the_chain(chain: Recursion) -> None:
    clients = QuadraticClients((1, "1/10"), (1, -1), 2)
    case = Case(clients, n_rounds=3, n_local_steps=2, step_size="1/24")
    states, chances = enumerate_runs(sequential, case, RATIONAL)
    away = Fraction(2) - Fraction(clients.minimiser[0])
    for r in range(4):
        part = states[:, : r + 1]
        mean = sum(p * v for p, v in zip(chances, LastDistance().values(part, case)[:, 0], strict=True))
        differ = Fraction(max(c for s, c in clients.constants.items() if s.name == "heterogeneity_at_optimum"))
        assert Fraction(int(mean.p), int(mean.q)) <= chain.after(r, away, differ)


def test_the_constants_of_the_general_convex_rate(telescope: Descent) -> None:
    """D^2 / (eta_eff R) and L eta_eff^2 zeta*^2 / M: 0.75 and 0.0663 where Theorem 3 states 3 and 18 (for two clients, K = 2)."""
    step, n_clients = Fraction(1, 6), 2
    of_distance = step / telescope.gain
    of_heterogeneity = telescope.spread / telescope.gain * n_clients / step**2
    assert of_distance == Fraction(3, 4)
    assert Fraction(66, 1000) < of_heterogeneity < Fraction(67, 1000)
    far = worst_case(
        sequential,
        Smooth(1),
        telescope.proof.question.measure,
        **SIZES,
        step_size="1/24",
        heterogeneity_at_optimum=1,
        initial_distance=3,
    )
    assert far.lower is not None
    assert telescope.spread * Fraction(999, 1000) < far.lower <= telescope.spread


def test_a_gain_that_is_too_large_has_no_spread() -> None:
    """Beyond 2 eta_eff a start that is far enough refutes every spread."""
    with pytest.raises((OutOfReach, ValueError)):
        descent(sequential, Smooth(1), "5/6", **SIZES, step_size="1/24", heterogeneity_at_optimum=1)


def test_coefficients_that_are_changed_are_refused(chain: Recursion, telescope: Descent) -> None:
    assert replace(chain, contraction=chain.contraction * Fraction(99, 100)).refused() is not None
    assert replace(chain, spread=chain.spread / 2).refused() is not None
    assert replace(telescope, spread=telescope.spread / 2).refused() is not None


def test_after_many_rounds_another_recursion_is_best() -> None:
    step: dict[str, Any] = {"n_clients": 2, "n_local_steps": 1, "step_size": "1/12"}
    long = best_recursion(parallel, CURVED, 1000, Fraction(1), Fraction(1), **step)
    every = recursion(parallel, CURVED, **step, initial_distance=1, heterogeneity_at_optimum=1)
    assert long.after(1000, Fraction(1), Fraction(1)) <= every.after(1000, Fraction(1), Fraction(1))


def decaying(x: Any, oracle: Any, c: Any) -> Any:
    return x - c.step_size / (c.round + 1) * oracle.gradient(x, 0)


def test_what_looks_at_its_round_or_remembers_has_no_recursion() -> None:
    with pytest.raises(OutOfReach, match="number of its round"):
        recursion(Algorithm("decaying", decaying), CURVED, step_size="1/2", initial_distance=1)
    state = Algorithm("heavy", lambda s, oracle, c: s, init=lambda x, c: {"x": x, "m": x * 0})
    with pytest.raises(OutOfReach, match="remembers"):
        recursion(state, CURVED, step_size="1/2", initial_distance=1)


def test_the_measure_of_growth_is_what_it_says() -> None:
    """From 2 to 1 on x^2 / 2."""
    case = Case(QuadraticClients((1, 1), (0, 0), 2), n_rounds=1)
    states = np.empty((1, 2, 1), dtype=object)
    states[0, :, 0] = [fmpq(2), fmpq(1)]
    assert RoundGrowth(sympy.Rational(1, 2)).values(states, case)[0, 0] == 1 - 4 + fmpq(1, 2) * 2
