"""Tight values of textbooks and papers, for first-order methods on whole classes of functions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory import Algorithm
from fltheory.runs.measures import AveragedGap, LastDistance, LastGap, LeastGradient, Measure
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.two_sided import worst_case
from tests.worst_case.brackets import contains, proved

State = dict[str, np.ndarray]


def descent(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, 0)


def stochastic(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, oracle.order(1)[:, 0])


def online(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - c.step_size * oracle.gradient(x, c.round)


def regularised_leader(s: State, oracle: Any, c: Any) -> State:
    """x_0 minus the step times the sum of all gradients: the minimiser of their sum and |x - x_0|^2 / (2 step)."""
    total = s["total"] + oracle.gradient(s["x"], c.round)
    return {"x": s["first"] - c.step_size * total, "first": s["first"], "total": total}


def optimistic(s: State, oracle: Any, c: Any) -> State:
    gradient = oracle.gradient(s["x"], c.round)
    return {"x": s["x"] - c.step_size * (2 * gradient - s["last"]), "last": gradient}


def fast(s: State, oracle: Any, c: Any) -> State:
    x = s["y"] - c.step_size * oracle.gradient(s["y"], 0)
    return {"x": x, "y": x + Fraction(c.round, c.round + 3) * (x - s["x"])}


GD, SGD, OGD = Algorithm("GD", descent), Algorithm("SGD", stochastic), Algorithm("OGD", online)
FTRL = Algorithm("FTRL", regularised_leader, init=lambda x, c: {"x": x, "first": x, "total": 0 * x})
OPTIMISTIC = Algorithm("optimistic OGD", optimistic, init=lambda x, c: {"x": x, "last": 0 * x})
FAST = Algorithm("FGM", fast, init=lambda x, c: {"x": x, "y": x})


# Gradient descent ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rounds", [1, 4, 10])
@pytest.mark.parametrize(
    ("measure", "scale", "part"),
    [
        (LastGap(), 2 * 3**2, lambda n: 1 / (4 * n + 2)),  # L D^2 / (4 N + 2)
        (LastGradient(), (2 * 3) ** 2, lambda n: 1 / (n + 1) ** 2),  # (L D / (N + 1))^2
        (LeastGradient(), (2 * 3) ** 2, lambda n: 1 / (n + 1) ** 2),
    ],
)
def test_gradient_descent_from_a_distance(measure: Measure, scale: float, part: Any, n_rounds: int) -> None:
    """At step 1/L on convex functions (Drori and Teboulle 2014; Taylor, Hendrickx and Glineur 2017)."""
    found = worst_case(GD, Smooth(2), measure, n_rounds=n_rounds, step_size="1/2", initial_distance=3)
    contains(found, scale * part(n_rounds), scale)


@pytest.mark.parametrize("measure", [LastGradient(), LeastGradient()])
@pytest.mark.parametrize("n_rounds", [1, 4, 10])
def test_gradient_descent_from_a_height(measure: Measure, n_rounds: int) -> None:
    """2 L (F(x_0) - F*) / (2 N + 1) at step 1/L, from however far."""
    found = worst_case(GD, Smooth(2), measure, n_rounds=n_rounds, step_size="1/2", initial_gap=3)
    contains(found, 2 * 2 * 3 / (2 * n_rounds + 1), 2 * 3)


@pytest.mark.parametrize(("step", "factor"), [("1/2", "19/20"), ("3/2", "17/20"), ("19/10", "9/10")])
def test_gradient_descent_on_strongly_convex_functions(step: str, factor: str) -> None:
    """max(|1 - eta mu|, |1 - eta L|)^(2 N) times what it was: the distance, and the height at steps up to 2 / (L + mu)."""
    curved, n_rounds = Smooth(1, "1/10"), 10
    far = worst_case(GD, curved, LastDistance(), n_rounds=n_rounds, step_size=step, initial_distance=1)
    contains(far, float(Fraction(factor)) ** 20)
    high = worst_case(GD, curved, LastGap(), n_rounds=3, step_size=step, initial_gap=1)
    contains(high, float(Fraction(factor)) ** 6)


@pytest.mark.parametrize(("step", "part"), [("1/2", "7/4"), ("1", "3"), ("3/2", "21/8")])
@pytest.mark.parametrize("n_rounds", [1, 2, 3, 4, 5])
def test_gradient_descent_on_functions_that_are_not_convex(n_rounds: int, step: str, part: str) -> None:
    """4 L gap / (2 + N min(4 h - h^3, 4 h - h^2)), h = L eta (Abbaszadehpeivasti, de Klerk and Zamani 2022): 4/(3N + 2) at 1/L."""
    value = 4 * 2 * 5 / (2 + n_rounds * float(Fraction(part)))
    step_size = Fraction(step) / 2
    found = worst_case(GD, NonConvex(2), LeastGradient(), n_rounds=n_rounds, step_size=step_size, initial_gap=5)
    contains(found, value, 2 * 5)


@pytest.mark.parametrize("n_rounds", [1, 3, 10])
def test_the_fast_gradient_method(n_rounds: int) -> None:
    """2 L D^2 / (N^2 + 5 N + 6) with momentum (k - 1) / (k + 2) (Taylor, Hendrickx and Glineur 2017)."""
    found = worst_case(FAST, Smooth(1), LastGap(), n_rounds=n_rounds, step_size=1, initial_distance=1)
    contains(found, 2 / (n_rounds**2 + 5 * n_rounds + 6))


# Finite sums --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clients", [2, 5])
def test_a_step_of_stochastic_gradient_descent_over_a_finite_sum(n_clients: int) -> None:
    """(r^2 + r sqrt(r^2 + 4 v^2)) / 2 + v^2 with r = (1 - mu/L) D, v = zeta* / L, at step 1/L, for any number of functions."""
    shrunk, spread = 0.9 * 2, 1.0
    value = (shrunk**2 + shrunk * math.sqrt(shrunk**2 + 4 * spread**2)) / 2 + spread**2
    known = {"initial_distance": 2, "heterogeneity_at_optimum": 1, "n_clients": n_clients}
    contains(worst_case(SGD, Smooth(1, "1/10"), LastDistance(), step_size=1, **known), value, 4)


def test_stochastic_gradient_descent_where_all_share_a_minimiser() -> None:
    """(1 - mu/L)^(2 N): as fast as gradient descent."""
    known = {"initial_distance": 2, "heterogeneity_at_optimum": 0, "n_clients": 2, "n_rounds": 2}
    contains(worst_case(SGD, Smooth(1, "1/10"), LastDistance(), step_size=1, **known), 4 * 0.9**4, 4)


# Lipschitz functions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", [LeastGap(), AveragedGap(sympy.Integer(1))])
@pytest.mark.parametrize("root", [2, 3])
def test_the_subgradient_method(measure: Measure, root: int) -> None:
    """D G / sqrt(N + 1) at step D / (G sqrt(N + 1)) (Drori and Teboulle 2016)."""
    n_rounds, step = root**2 - 1, Fraction(2, 3 * root)
    found = worst_case(GD, Lipschitz(3), measure, n_rounds=n_rounds, step_size=step, initial_distance=2)
    contains(found, 6 / root, 6)


@pytest.mark.parametrize("n_rounds", [1, 2, 3, 4, 5, 6, 7, 8])
def test_the_regret_of_online_gradient_descent(n_rounds: int) -> None:
    """D G sqrt(T) at step D / (G sqrt(T)), or next to it: D^2 / (2 eta) + eta T G^2 / 2."""
    step = Fraction(2 / (3 * math.sqrt(n_rounds))).limit_denominator(1000)
    sizes = {"n_clients": n_rounds, "n_rounds": n_rounds}
    found = worst_case(OGD, Lipschitz(3), Regret(), step_size=step, initial_distance=2, **sizes)
    contains(found, float(2 / step + step * n_rounds * 9 / 2), 6)
    contains(found, 6 * math.sqrt(n_rounds), 6)


def test_the_regret_of_other_online_methods() -> None:
    """The regularised leader is where gradient descent is, without a set to stay in; what is optimistic pays for it here."""
    known = {"step_size": "1/2", "initial_distance": 1, "n_clients": 4, "n_rounds": 4}
    contains(worst_case(FTRL, Lipschitz(1), Regret(), **known), 2)
    assert proved(worst_case(OPTIMISTIC, Lipschitz(1), Regret(), **known))[0] > 3
