"""PEPit's examples asked here, one file each in ``examples/performance``, beside PEPit: ``python -m benchmarks.pepit``.

The files have PEPit's names. For each, what is attained and what is proved here, exactly; what PEPit says with the same solver and
with the one that it chooses by itself, and whether its float lies below what is attained; and time beside time, the best of two.
The rows become ``docs/explanation/pepit.md``.
"""

from __future__ import annotations

import contextlib
import io
import math
import runpy
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

from fltheory.performance import WorstValue, why_not_proved

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "performance"
PAGE = ROOT / "docs" / "explanation" / "pepit.md"
AGREE = 1e-6  # relative to the value, or absolute below 1
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "adaptive_methods/polyak_steps_in_distance_to_optimum": {"L": 1, "mu": 0.1, "gamma": 2 / 1.1},
    "adaptive_methods/polyak_steps_in_function_value": {"L": 1, "mu": 0.1, "gamma": 2 / 1.1},
    "composite_convex_minimization/accelerated_douglas_rachford_splitting": {"mu": 0.1, "L": 1, "alpha": 0.9, "n": 2},
    "composite_convex_minimization/accelerated_proximal_gradient": {"L": 1, "mu": 0, "n": 4},
    "composite_convex_minimization/accelerated_proximal_gradient_simplified": {"L": 1, "mu": 0, "n": 4},
    "composite_convex_minimization/bregman_proximal_point": {"gamma": 3, "n": 5},
    "composite_convex_minimization/douglas_rachford_splitting": {"L": 1, "alpha": 1, "theta": 1, "n": 4},
    "composite_convex_minimization/douglas_rachford_splitting_contraction": {
        "mu": 0.1,
        "L": 1,
        "alpha": 3,
        "theta": 1,
        "n": 2,
    },
    "composite_convex_minimization/frank_wolfe": {"L": 1, "D": 1, "R": float("inf"), "center": None, "n": 5},
    "composite_convex_minimization/improved_interior_algorithm": {"L": 1, "mu": 1, "c": 1, "lam": 1, "n": 3},
    "composite_convex_minimization/no_lips_in_function_value": {"L": 1, "gamma": 1, "n": 3},
    "composite_convex_minimization/proximal_gradient": {"L": 1, "mu": 0.1, "gamma": 1, "n": 2},
    "composite_convex_minimization/proximal_gradient_quadratics": {"L": 1, "mu": 0.1, "gamma": 1, "n": 2},
    "composite_convex_minimization/three_operator_splitting": {
        "mu1": 0.1,
        "L1": 10,
        "L3": 1,
        "alpha": 1,
        "theta": 1,
        "n": 2,
    },
    "continuous_time_models/accelerated_gradient_flow_convex": {"t": 3.4},
    "continuous_time_models/accelerated_gradient_flow_strongly_convex": {"mu": 0.09, "psd": True},
    "continuous_time_models/gradient_flow_convex": {"t": 2.5},
    "continuous_time_models/gradient_flow_strongly_convex": {"mu": 0.1},
    "fixed_point_problems/halpern_iteration": {"n": 9},
    "fixed_point_problems/inconsistent_halpern_iteration": {"n": 5},
    "fixed_point_problems/krasnoselskii_mann_constant_step_sizes": {"n": 3, "gamma": 3 / 4},
    "fixed_point_problems/krasnoselskii_mann_increasing_step_sizes": {"n": 3},
    "fixed_point_problems/optimal_contractive_halpern_iteration": {"n": 5, "gamma": 1.1},
    "inexact_proximal_methods/accelerated_inexact_forward_backward": {"L": 1, "zeta": 0.45, "n": 3},
    "inexact_proximal_methods/partially_inexact_douglas_rachford_splitting": {
        "mu": 0.1,
        "L": 5,
        "n": 2,
        "gamma": 1.4,
        "sigma": 0.2,
    },
    "inexact_proximal_methods/relatively_inexact_proximal_point_algorithm": {"n": 4, "gamma": 10, "sigma": 0.65},
    "low_dimensional_worst_cases_scenarios/alternate_projections": {"n": 4},
    "low_dimensional_worst_cases_scenarios/averaged_projections": {"n": 4},
    "low_dimensional_worst_cases_scenarios/dykstra": {"n": 4},
    "low_dimensional_worst_cases_scenarios/frank_wolfe": {"L": 1, "D": 1, "n": 5},
    "low_dimensional_worst_cases_scenarios/gradient_descent": {"L": 1, "gamma": 1, "n": 5},
    "low_dimensional_worst_cases_scenarios/halpern_iteration": {"n": 9},
    "low_dimensional_worst_cases_scenarios/inexact_gradient": {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 4},
    "low_dimensional_worst_cases_scenarios/optimized_gradient": {"L": 3, "n": 4},
    "low_dimensional_worst_cases_scenarios/proximal_point": {"alpha": 2.2, "n": 6},
    "monotone_inclusions_variational_inequalities/accelerated_proximal_point": {"alpha": 2, "n": 5},
    "monotone_inclusions_variational_inequalities/douglas_rachford_splitting": {
        "L": 1,
        "mu": 0.1,
        "alpha": 1.3,
        "theta": 0.9,
    },
    "monotone_inclusions_variational_inequalities/douglas_rachford_splitting_2": {
        "beta": 1.2,
        "mu": 0.1,
        "alpha": 0.3,
        "theta": 1.5,
    },
    "monotone_inclusions_variational_inequalities/optimal_strongly_monotone_proximal_point": {"n": 5, "mu": 0.05},
    "monotone_inclusions_variational_inequalities/optimistic_gradient": {"n": 3, "gamma": 1 / 4, "L": 1},
    "monotone_inclusions_variational_inequalities/past_extragradient": {"n": 3, "gamma": 1 / 4, "L": 1},
    "monotone_inclusions_variational_inequalities/proximal_point": {"alpha": 2, "n": 5},
    "monotone_inclusions_variational_inequalities/three_operator_splitting": {
        "L": 1,
        "mu": 0.1,
        "beta": 1,
        "alpha": 0.9,
        "theta": 1.3,
    },
    "nonconvex_optimization/difference_of_convex_algorithm": {"mu1": 0.2, "mu2": 0.1, "L1": 3, "L2": 2, "n": 3},
    "nonconvex_optimization/gradient_descent": {"L": 1, "gamma": 1, "n": 5},
    "nonconvex_optimization/gradient_descent_quadratic_lojasiewicz_naive": {"L": 1, "mu": 0.2, "gamma": 1, "n": 1},
    "nonconvex_optimization/no_lips_1": {"L": 1, "gamma": 1 / 2, "n": 3},
    "nonconvex_optimization/no_lips_2": {"L": 1, "gamma": 1, "n": 3},
    "online_learning/online_follow_leader": {"M": 1, "D": 1, "n": 3},
    "online_learning/online_follow_regularized_leader": {"M": 1, "D": 1, "n": 3},
    "online_learning/online_frank_wolfe": {"M": 1, "D": 1, "n": 4},
    "online_learning/online_gradient_descent": {"M": 1, "D": 1, "n": 3},
    "potential_functions/accelerated_gradient_method": {"L": 1, "gamma": 1, "lam": 2 / 3},
    "potential_functions/gradient_descent_lyapunov_1": {"L": 1, "gamma": 1, "n": 10},
    "potential_functions/gradient_descent_lyapunov_2": {"L": 1, "gamma": 1, "n": 10},
    "stochastic_and_randomized_convex_minimization/point_saga": {"L": 1, "mu": 0.01, "n": 3},
    "stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_convex": {
        "L": 1,
        "gamma": 1,
        "d": 2,
        "t": 4,
    },
    "stochastic_and_randomized_convex_minimization/randomized_coordinate_descent_smooth_strongly_convex": {
        "L": 1,
        "mu": 0.1,
        "gamma": 2 / 1.1,
        "d": 2,
    },
    "stochastic_and_randomized_convex_minimization/saga": {"L": 1, "mu": 0.1, "n": 3},
    "stochastic_and_randomized_convex_minimization/sgd": {"L": 1, "mu": 0.1, "gamma": 1, "v": 1, "R": 2, "n": 5},
    "stochastic_and_randomized_convex_minimization/sgd_overparametrized": {"L": 1, "mu": 0.1, "gamma": 1, "n": 5},
    "tutorials/gradient_descent_contraction": {"L": 1, "mu": 0.1, "gamma": 1.5, "n": 3},
    "unconstrained_convex_minimization/accelerated_gradient_convex": {"mu": 0, "L": 1, "n": 4},
    "unconstrained_convex_minimization/accelerated_gradient_convex_simplified": {"mu": 0, "L": 1, "n": 5},
    "unconstrained_convex_minimization/accelerated_gradient_strongly_convex": {"mu": 0.1, "L": 1, "n": 2},
    "unconstrained_convex_minimization/accelerated_proximal_point": {
        "A0": 5,
        "gammas": [(i + 1) / 1.1 for i in range(3)],
        "n": 3,
    },
    "unconstrained_convex_minimization/conjugate_gradient": {"L": 1, "n": 2},
    "unconstrained_convex_minimization/conjugate_gradient_qg_convex": {"L": 1, "n": 4},
    "unconstrained_convex_minimization/cyclic_coordinate_descent": {"L": [1, 2], "n": 4},
    "unconstrained_convex_minimization/epsilon_subgradient_method": {
        "M": 2,
        "n": 3,
        "gamma": 1 / (2 * 2),
        "eps": 0.1,
        "R": 1,
    },
    "unconstrained_convex_minimization/gradient_descent": {"L": 1, "gamma": 1, "n": 4},
    "unconstrained_convex_minimization/gradient_descent_lc": {
        "mug": 0.1,
        "Lg": 1,
        "typeM": "gen",
        "muM": 0,
        "LM": 1,
        "gamma": 1,
        "n": 3,
    },
    "unconstrained_convex_minimization/gradient_descent_qg_convex": {"L": 1, "gamma": 0.2, "n": 4},
    "unconstrained_convex_minimization/gradient_descent_qg_convex_decreasing": {"L": 1, "n": 6},
    "unconstrained_convex_minimization/gradient_descent_quadratics": {"mu": 0.3, "L": 3, "gamma": 1 / 3, "n": 4},
    "unconstrained_convex_minimization/gradient_descent_silver_stepsize_convex": {"L": 1, "n": 7},
    "unconstrained_convex_minimization/gradient_descent_silver_stepsize_strongly_convex": {"L": 1, "mu": 0.1, "n": 4},
    "unconstrained_convex_minimization/gradient_exact_line_search": {"L": 1, "mu": 0.1, "n": 2},
    "unconstrained_convex_minimization/heavy_ball_momentum": {"mu": 0.1, "L": 1, "alpha": 0.5, "beta": 0.5, "n": 2},
    "unconstrained_convex_minimization/heavy_ball_momentum_qg_convex": {"L": 1, "n": 5},
    "unconstrained_convex_minimization/inexact_accelerated_gradient": {"L": 1, "epsilon": 0.1, "n": 5},
    "unconstrained_convex_minimization/inexact_gradient_descent": {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 2},
    "unconstrained_convex_minimization/inexact_gradient_exact_line_search": {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 2},
    "unconstrained_convex_minimization/information_theoretic_exact_method": {"mu": 0.1, "L": 1, "n": 3},
    "unconstrained_convex_minimization/optimized_gradient": {"L": 3, "n": 4},
    "unconstrained_convex_minimization/optimized_gradient_for_gradient": {"L": 3, "n": 4},
    "unconstrained_convex_minimization/proximal_point": {"gamma": 3, "n": 4},
    "unconstrained_convex_minimization/robust_momentum": {"mu": 0.25, "L": 1, "lam": 0.2},
    "unconstrained_convex_minimization/subgradient_method": {"M": 2, "n": 6, "gamma": 1 / (2 * 7**0.5)},
    "unconstrained_convex_minimization/subgradient_method_rsi_eb": {"mu": 0.1, "L": 1, "gamma": 0.1, "n": 4},
    "unconstrained_convex_minimization/triple_momentum": {"mu": 1 / 9, "L": 1, "n": 4},
}


@dataclass(frozen=True)
class Row:
    """An example: our result, PEPit's two floats (nan where its solver fails), and the seconds of both."""

    name: str
    lines: int
    found: WorstValue
    same_solver: float
    own_solver: float
    seconds: tuple[float, float]

    @property
    def agrees(self) -> bool:
        """Whether PEPit's float with the same solver lies between both ends, within its own accuracy."""
        ends = [end for end in (self.found.lower, self.found.upper) if end is not None]
        off = AGREE * max(1.0, *(abs(float(end)) for end in ends))
        above = self.found.lower is None or self.same_solver >= float(self.found.lower) - off
        return self.found.upper is not None and above and self.same_solver <= float(self.found.upper) + off

    def side(self, other: float) -> str:
        """On which side of what is known exactly a float lies."""
        return side_of(self.found, other)


def side_of(found: WorstValue, other: float) -> str:
    """On which side of what is known exactly a float lies."""
    if math.isnan(other):
        return "its solver fails"
    low, high, exact = found.lower, found.upper, Fraction(other)
    if low is not None and exact < low:
        return f"**below** by {float(low - exact):.0e}"
    return f"above by {float(exact - high):.0e}" if high is not None and exact > high else "between"


def lines_of(path: Path) -> int:
    """The lines of an example that ask for the worst case: without docstring, imports and blank lines."""
    text = path.read_text(encoding="utf-8").split("\n\np = Problem()")[1]
    return 1 + sum(1 for line in text.splitlines() if line.strip())


def ours(name: str) -> WorstValue:
    """The result of an example."""
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["worst"]
    assert isinstance(found, WorstValue)
    return found


def of_pepit(name: str, solver: str | None) -> float:
    """What PEPit says of its example; nan where its solver fails. One of them takes a solver of its own."""
    module = import_module(f"PEPit.examples.{name.replace('/', '.')}")
    function: Callable[..., tuple[float, float]] = next(v for n, v in vars(module).items() if n.startswith("wc_"))
    chosen: dict[str, Any] = {} if name.endswith("gradient_descent_lc") else {"solver": solver}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # it goes on with what a solver calls inaccurate
        try:
            return float(function(**ARGUMENTS[name], verbose=-1, **chosen)[0])
        except Exception as error:
            if type(error).__name__ != "SolverError":
                raise
            return math.nan


def timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """The result of a function, and its seconds, the better of two runs."""
    found, seconds = None, math.inf
    for _ in range(2):
        began = time.perf_counter()
        found = function()
        seconds = min(seconds, time.perf_counter() - began)
    return found, seconds


def row(name: str) -> Row:
    """One example."""
    found, own = timed(lambda: ours(name))
    same, other = timed(lambda: of_pepit(name, "CLARABEL"))
    return Row(name, lines_of(EXAMPLES / f"{name}.py"), found, same, of_pepit(name, None), (own, other))


def page(rows: list[Row]) -> str:
    """The rows as a page."""
    ratio = statistics.median(one.seconds[0] / one.seconds[1] for one in rows)
    exact = sum(one.found.value is not None for one in rows)
    agree = sum(one.agrees and why_not_proved(one.found) is None for one in rows)
    below = [sum(one.side(v).startswith("**") for one in rows for v in [getattr(one, s)]) for s in SOLVERS]
    lines = [
        TITLE.format(
            n=len(rows),
            agree=agree,
            exact=exact,
            ratio=ratio,
            same=below[0],
            own=below[1],
            most=max(r.lines for r in rows),
        ),
        "| example | lines | attained | proved | PEPit, same solver | its side | with its own choice | time |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in rows:
        low, high = one.found.ends()
        if one.found.value is not None:
            text = str(one.found.value)
            low = high = f"{text} exactly" if len(text) < LONGEST else f"{high} exactly"
        low = "no claim" if one.found.only_upper else low
        lines.append(
            f"| `{one.name.split('/')[1]}` | {one.lines} | {low} | {high} | {one.same_solver:.9g} | {one.side(one.same_solver)} "
            f"| {one.side(one.own_solver)} | {one.seconds[0] / one.seconds[1]:.2g} |"
        )
    return "\n".join(lines) + "\n"


LONGEST = 24
SOLVERS = ("same_solver", "own_solver")
TITLE = """# PEPit's examples, exactly

[PEPit](https://pepit.readthedocs.io) computes worst cases of first-order methods as floats. Its examples are asked here in
files of the same names, in [`examples/performance`](../../examples/performance/): {n} of them, in at most {most} lines each.
Of these {agree} agree with PEPit's float within its accuracy (a millionth) and are proved by multipliers that are checked in
rationals; {exact} are known exactly. A float lies below what an instance attains in {same} examples with the same solver,
Clarabel, and in {own} with the solver that PEPit takes by itself: there it is no upper bound. "no claim": the conditions are
necessary alone, so that only the proved value says something; "?": none was found. The last column is the time here over
PEPit's; the median is {ratio:.2g}.

Made by `python -m benchmarks.pepit`.
"""


def main() -> None:
    """Write the page."""
    rows = []
    for name in ARGUMENTS:
        rows.append(row(name))
        print(
            f"{name}: {rows[-1].found}; PEPit {rows[-1].same_solver:.9g}, {rows[-1].side(rows[-1].same_solver)}",
            flush=True,
        )
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
