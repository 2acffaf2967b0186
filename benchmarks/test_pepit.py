"""Worst cases beside those of PEPit, on its own examples: agreement in floats, and where its float is below what is attained.

Steps are written here from the formulas; coefficients that are irrational are rationals next to them.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from fltheory import Algorithm
from fltheory.runs.measures import LastDistance, LastGap, Measure
from fltheory.worst_case.exact_value import with_exact_value
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.measures import LastGradient, LeastGap, Regret
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from fltheory.worst_case.whole_run import Bracket

State = dict[str, np.ndarray]
AGREE = Fraction(1, 10**6)


def rational(number: float) -> Fraction:
    return Fraction(number).limit_denominator(10**12)


def descent(steps: Sequence[Fraction]) -> Algorithm:
    """Gradient steps of these sizes."""
    return Algorithm("GD", lambda x, oracle, c: x - steps[c.round] * oracle.gradient(x, 0))


def growing(n: int, last: int = 4) -> list[float]:
    """(1 + sqrt(1 + 4 t^2)) / 2 from 1 on; the last one with another number in the place of 4."""
    found = [1.0]
    for k in range(n):
        found.append((1 + math.sqrt(1 + (last if k == n - 1 else 4) * found[-1] ** 2)) / 2)
    return found


def momentum(step: Fraction, weights: Sequence[float], pulls: Sequence[float] = ()) -> Algorithm:
    """y_{t+1} = x_{t+1} + a_t (x_{t+1} - x_t) + b_t (x_{t+1} - y_t), where x_{t+1} is a gradient step from y_t.

    Measured at x, or at y where there are ``pulls``.
    """

    def one(s: State, oracle: Any, c: Any) -> State:
        new = s["y"] - step * oracle.gradient(s["y"], 0)
        y = new + rational(weights[c.round]) * (new - s["near"])
        y = y + rational(pulls[c.round]) * (new - s["y"]) if pulls else y
        return {"x": y if pulls else new, "near": new, "y": y}

    return Algorithm("momentum", one, init=lambda x, c: {"x": x, "near": x, "y": x})


def fast(n: int) -> Algorithm:
    t = growing(n)
    return momentum(Fraction(1), [(a - 1) / b for a, b in itertools.pairwise(t)])


def optimized(n: int) -> Algorithm:
    t = growing(n, last=8)
    pairs = list(itertools.pairwise(t))
    return momentum(Fraction(1), [(a - 1) / b for a, b in pairs], [a / b for a, b in pairs])


def optimized_for_gradients(n: int) -> Algorithm:
    pairs = list(itertools.pairwise(reversed(growing(n, last=8))))
    weights = [(a - 1) * (2 * b - 1) / (a * (2 * a - 1)) for a, b in pairs]
    return momentum(Fraction(1), weights, [(2 * b - 1) / (2 * a - 1) for a, b in pairs])


def heavy_ball(step: Fraction, weight: Fraction) -> Algorithm:
    def one(s: State, oracle: Any, c: Any) -> State:
        new = s["x"] - step * oracle.gradient(s["x"], 0) + weight * (s["x"] - s["before"])
        return {"x": new, "before": s["x"]}

    return Algorithm("heavy ball", one, init=lambda x, c: {"x": x, "before": x})


def triple(root: int) -> Algorithm:
    """Triple momentum at L = 1 and mu = 1 / root^2; after the last step x is what is measured."""
    rho = 1 - Fraction(1, root)
    step, beta = 1 + rho, rho**2 / (2 - rho)
    gamma, delta = rho**2 / ((1 + rho) * (2 - rho)), rho**2 / (1 - rho**2)

    def one(s: State, oracle: Any, c: Any) -> State:
        y = (1 + gamma) * s["now"] - gamma * s["before"]
        new = (1 + beta) * s["now"] - beta * s["before"] - step * oracle.gradient(y, 0)
        return {"x": (1 + delta) * new - delta * s["now"], "now": new, "before": s["now"]}

    return Algorithm("triple momentum", one, init=lambda x, c: {"x": x, "now": x, "before": x})


def exact_method(mu: Fraction, n: int) -> Algorithm:
    """The information-theoretic exact method at L = 1: z is what is measured."""
    q, sizes = float(mu), [0.0]
    for _ in range(n):
        a = sizes[-1]
        sizes.append(((1 + q) * a + 2 * (1 + math.sqrt((1 + a) * (1 + q * a)))) / (1 - q) ** 2)
    mixed = [rational(a / ((1 - q) * b)) for a, b in itertools.pairwise(sizes)]
    moved = [rational(((1 - q) ** 2 * b - (1 + q) * a) / (2 * (1 + q + q * a))) for a, b in itertools.pairwise(sizes)]

    def one(s: State, oracle: Any, c: Any) -> State:
        y = (1 - mixed[c.round]) * s["z"] + mixed[c.round] * s["near"]
        gradient, part = oracle.gradient(y, 0), moved[c.round]
        z = (1 - mu * part) * s["z"] + mu * part * y - part * gradient
        return {"x": z, "z": z, "near": y - gradient}

    return Algorithm("exact method", one, init=lambda x, c: {"x": x, "z": x, "near": x})


def online(step: Fraction) -> Algorithm:
    return Algorithm("OGD", lambda x, oracle, c: x - step * oracle.gradient(x, c.round))


def stochastic(step: Fraction) -> Algorithm:
    return Algorithm("SGD", lambda x, oracle, c: x - step * oracle.gradient(x, oracle.order(1)[:, 0]))


def silver(n: int) -> list[Fraction]:
    """1 + (1 + sqrt 2)^(v - 1) with the power v of 2 in t = 1, ..., n, for L = 1."""
    powers = [(t & -t).bit_length() - 1 for t in range(1, n + 1)]
    return [rational(1 + (1 + math.sqrt(2)) ** (v - 1)) for v in powers]


def silver_curved(n: int, condition: float) -> list[Fraction]:
    """The schedule of Altschuler and Parrilo (2023) for L = 1, mu = 1 / condition, and n a power of 2."""
    low = high = 1 / condition
    found: list[float] = [(1 + condition * high) / (1 + high)]
    while len(found) < n:
        bend = 1 - high
        grown = bend + math.sqrt(1 + bend**2)
        low, high = high / grown, high * grown
        before = found[:-1]
        middle, last = ((1 + condition * t) / (1 + t) for t in (low, high))
        found = [*before, middle, *before, last]
    return [rational(step) for step in found]


@dataclass(frozen=True)
class Example:
    """An example of PEPit with its arguments, and the same question here."""

    module: str
    arguments: dict[str, Any]
    method: Algorithm
    functions: FunctionClass
    measure: Measure
    settings: dict[str, Any]

    def of_pepit(self, solver: str | None) -> float:
        """What it says that no function exceeds; its solver None: the one that it takes by itself."""
        module = import_module(f"PEPit.examples.{self.module}")
        function: Callable[..., tuple[float, float]] = next(
            value for name, value in vars(module).items() if name.startswith("wc_")
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it goes on with what a solver calls inaccurate
            return function(**self.arguments, solver=solver, verbose=-1)[
                0
            ]  # that of quadratics takes its own all the same


FREE = "unconstrained_convex_minimization"
RANDOM = "stochastic_and_randomized_convex_minimization"
NEAR, HIGH = {"initial_distance": 1}, {"initial_gap": 1}
ONE, HALF, THIRD = Fraction(1), Fraction(1, 2), Fraction(1, 3)
PLAIN, TENTH, WIDE = Smooth(1), Smooth(1, "1/10"), Smooth(1, "1/9")


def gap(name: str, n: int, method: Algorithm, functions: FunctionClass = PLAIN, **arguments: float) -> Example:
    """The last gap from a distance."""
    known = {"L": 1, "n": n, **arguments}
    return Example(f"{FREE}.{name}", known, method, functions, LastGap(), {"n_rounds": n, **NEAR})


def high(
    name: str, n: int, method: Algorithm, functions: FunctionClass, measure: Measure, **arguments: float
) -> Example:
    """From a height."""
    known = {"L": 1, "n": n, **arguments}
    return Example(f"{FREE}.{name}", known, method, functions, measure, {"n_rounds": n, **HIGH})


def least(n: int, step: Fraction) -> Example:
    known = {"M": 1, "n": n, "gamma": float(step)}
    settings = {"n_rounds": n, **NEAR}
    return Example(f"{FREE}.subgradient_method", known, descent([step] * n), Lipschitz(1), LeastGap(), settings)


def of_sums(name: str, n: int, step: Fraction, differ: int, **arguments: float) -> Example:
    known = {"L": 1, "mu": 0.1, "gamma": float(step), "n": n, **arguments}
    settings = {"n_clients": n, "heterogeneity_at_optimum": differ, **NEAR}
    return Example(f"{RANDOM}.{name}", known, stochastic(step), TENTH, LastDistance(), settings)


def regret(n: int, step: Fraction) -> Example:
    """There the points are projected on a set with this diameter, which the worst losses don't need."""
    known, settings = {"M": 1, "D": 1, "n": n}, {"n_clients": n, "n_rounds": n, **NEAR}
    return Example("online_learning.online_gradient_descent", known, online(step), Lipschitz(1), Regret(), settings)


EXAMPLES = (
    gap("gradient_descent", 4, descent([ONE] * 4), gamma=1),
    gap("gradient_descent", 3, descent([3 * HALF] * 3), gamma=1.5),
    gap("accelerated_gradient_convex", 4, fast(4), mu=0),
    gap("accelerated_gradient_convex", 3, fast(3), TENTH, mu=0.1),
    gap("accelerated_gradient_convex_simplified", 5, momentum(ONE, [k / (k + 3) for k in range(5)]), mu=0),
    gap("accelerated_gradient_convex_simplified", 3, momentum(ONE, [k / (k + 3) for k in range(3)]), TENTH, mu=0.1),
    gap("optimized_gradient", 2, optimized(2)),
    gap("optimized_gradient", 4, optimized(4)),
    gap("triple_momentum", 2, triple(3), WIDE, mu=1 / 9),
    gap("triple_momentum", 4, triple(3), WIDE, mu=1 / 9),
    gap("gradient_descent_silver_stepsize_convex", 3, descent(silver(3))),
    gap("gradient_descent_silver_stepsize_convex", 7, descent(silver(7))),
    high("optimized_gradient_for_gradient", 2, optimized_for_gradients(2), PLAIN, LastGradient()),
    high("optimized_gradient_for_gradient", 4, optimized_for_gradients(4), PLAIN, LastGradient()),
    high("heavy_ball_momentum", 2, heavy_ball(HALF, HALF), TENTH, LastGap(), mu=0.1, alpha=0.5, beta=0.5),
    high("heavy_ball_momentum", 4, heavy_ball(HALF, THIRD), TENTH, LastGap(), mu=0.1, alpha=0.5, beta=1 / 3),
    Example(
        f"{FREE}.information_theoretic_exact_method",
        {"mu": 0.1, "L": 1, "n": 3},
        exact_method(Fraction(1, 10), 3),
        TENTH,
        LastDistance(),
        {"n_rounds": 3, **NEAR},
    ),
    Example(
        "tutorials.gradient_descent_contraction",
        {"mu": 0.1, "L": 1, "gamma": 1.5, "n": 3},
        descent([3 * HALF] * 3),
        TENTH,
        LastDistance(),
        {"n_rounds": 3, **NEAR},
    ),
    Example(
        f"{FREE}.gradient_descent_silver_stepsize_strongly_convex",
        {"mu": 0.1, "L": 1, "n": 4},
        descent(silver_curved(4, 10.0)),
        TENTH,
        LastDistance(),
        {"n_rounds": 4, **NEAR},
    ),
    Example(
        "low_dimensional_worst_cases_scenarios.optimized_gradient",
        {"L": 1, "n": 3},
        optimized(3),
        PLAIN,
        LastGap(),
        {"n_rounds": 3, **NEAR},
    ),
    gap("gradient_descent_quadratics", 3, descent([ONE] * 3), Quadratic(1, "1/10"), mu=0.1, gamma=1),
    least(3, HALF),
    least(6, THIRD),
    of_sums("sgd", 5, ONE, 1, v=1, R=1),
    of_sums("sgd", 3, HALF, 1, v=1, R=1),
    of_sums("sgd_overparametrized", 5, ONE, 0),
    regret(4, HALF),
    regret(2, rational(1 / math.sqrt(2))),
)


def test_worst_cases_agree_with_those_of_pepit(say: Callable[[str], None]) -> None:
    """Within a millionth with the same solver; a float is on the wrong side where an instance attains more than it allows."""
    pytest.importorskip("PEPit", reason="agreement with PEPit needs the extra `bench` (pip install 'fltheory[bench]')")
    wrong: dict[str | None, list[str]] = {"CLARABEL": [], None: []}
    off = []
    for one in EXAMPLES:
        found = with_exact_value(worst_case(one.method, one.functions, one.measure, **one.settings))
        assert why_not_proved(found) is None
        assert found.is_reproduced
        assert found.lower is not None
        assert found.upper is not None
        name = f"{one.module.split('.')[-1]} {one.arguments}"
        exact = f", exactly {found.lower}" if found.lower == found.upper else ""
        say(f"{name}: attained {float(found.lower):.10f}, proved {float(found.upper):.10f}{exact}")
        for solver, below in wrong.items():
            other = Fraction(one.of_pepit(solver))
            say(f"    PEPit, {solver or 'its own choice of solver'}: {float(other):.10f}, {_side(other, found)}")
            below += [name] if other < found.lower else []
            if solver and not found.lower - AGREE <= other <= found.upper + AGREE:
                off.append(name)
    for solver, below in wrong.items():
        said = f"below what is attained in {len(below)} of {len(EXAMPLES)}: {'; '.join(below) or 'none'}"
        say(f"PEPit, {solver or 'its own choice of solver'}: {said}")
    assert off == []


def _side(other: Fraction, found: Bracket) -> str:
    assert found.lower is not None
    assert found.upper is not None
    if other < found.lower:
        return f"below what is attained by {float(found.lower - other):.1e}"
    return f"above what is proved by {float(other - found.upper):.1e}" if other > found.upper else "between"
