"""Linear rates of AutoLyap's methods, one file each in ``examples/performance/linear_rates``: ``python -m benchmarks.autolyap``.

For each, the exact worst factor of one step in the measure V of the file; what AutoLyap says of the same V, and whether its float
lies below what is attained; its rate where it searches for V by itself; and time beside time, the best of two. Both have the
solver Clarabel. The rows become ``docs/explanation/autolyap.md``.
"""

from __future__ import annotations

import contextlib
import math
import runpy
import statistics
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.pepit import lines_of, side_of, timed
from fltheory.performance import WorstValue, why_not_proved

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "performance" / "linear_rates"
PAGE = ROOT / "docs" / "explanation" / "autolyap.md"
AGREE = 2e-6  # of rates: an interior point solver decides whether there is a certificate at a rate
TOLERANCE = 1e-9  # of AutoLyap's bisection
LONGEST = 24


@dataclass(frozen=True)
class Case:
    """A method of AutoLyap, its classes, and V: a form in rows over its basis, and the weight of f(y) - f*.

    The basis has the states, the images u of all evaluations, those at the solution but the last, and the solution.
    """

    algorithm: tuple[Any, ...]
    classes: tuple[tuple[tuple[Any, ...], ...], ...]
    rows: tuple[tuple[float, ...], ...]
    form: tuple[tuple[float, ...], ...] = ((1.0,),)
    value: float = 0.0


def smooth(mu: float) -> tuple[tuple[Any, ...], ...]:
    """Return AutoLyap's name of functions with L = 1."""
    return (("SmoothStronglyConvex", mu, 1.0),)


MONOTONE = (("MaximallyMonotone",), ("LipschitzOperator", 1.0))
STRONG = (("StronglyMonotone", 0.5),)
MOMENTUM = ((1, 0, 0, -1), (0, 1, 0, -1), (0, 0, 1, 0))  # x - x*, that before, and the gradient
POINT = ((1, 0, -1),)
DUAL = ((1, 0, 0, 0, 0, -1), (0, 1, 0, 0, 1, 0), (0, 0, 0, 1, 1, 0))  # x - x*, y - y*, and y - y* after the step
CASES: Mapping[str, Case] = {
    "gradient": Case(("GradientMethod", 1.5), (smooth(0.1),), POINT),
    "heavy_ball": Case(
        ("HeavyBallMethod", 1.0, 0.25),
        (smooth(0.25),),
        MOMENTUM,
        ((1, -491 / 1000, -235 / 582), (-491 / 1000, 110 / 559, 133 / 362), (-235 / 582, 133 / 362, 191 / 464)),
        1217 / 924,
    ),
    "nesterov_constant": Case(
        ("NesterovConstant", 1 / 9, 1.0),
        (smooth(1 / 9),),
        MOMENTUM,
        ((0.618577, -0.4189835, -9 / 32), (-0.4189835, 0.266137, 9 / 32), (-9 / 32, 9 / 32, 9 / 16)),
        1.0,
    ),
    "triple_momentum": Case(
        ("TripleMomentum", 1 / 9, 1.0),
        (smooth(1 / 9),),
        ((0, 0, 1, 0), (6 / 5, -1 / 5, -1, -1), (8 / 5, -3 / 5, -3, -1)),
        ((-1 / 2, 0, 0), (0, -1 / 16, 0), (0, 0, 1 / 8)),
        1.0,
    ),
    "proximal_point": Case(("ProximalPoint", 2.0), ((("StronglyConvex", 0.5),),), POINT),
    "forward": Case(("ForwardMethod", 0.5), ((*STRONG, MONOTONE[1]),), POINT),
    "douglas_rachford": Case(
        ("DouglasRachford", 2.0, 1.0, "function"), (smooth(0.25), (("Convex",),)), ((1, 0, 0, -2, -1),)
    ),
    "davis_yin": Case(
        ("DavisYin", 1.0, 1.0), (smooth(0.25), (("SmoothConvex", 1.0),), (("Convex",),)), ((1, 0, 0, 0, -1, 0, -1),)
    ),
    "chambolle_pock": Case(
        ("ChambollePock", 0.5, 0.5, 1.0),
        ((("StronglyConvex", 0.5),), (("SmoothConvex", 2.0),)),
        DUAL,
        ((1, -1 / 2, 0), (-1 / 2, 1, 0), (0, 0, 0)),
    ),
    "chambolle_pock_lyapunov": Case(
        ("ChambollePock", 0.5, 0.5, 1.0),
        ((("StronglyConvex", 0.5),), (("SmoothConvex", 2.0),)),
        DUAL,
        ((1, -1 / 2, -1 / 10), (-1 / 2, 43 / 37, 0), (-1 / 10, 0, 25 / 32)),
    ),
    "extragradient": Case(
        ("Extragradient", 0.5, 0.5),
        ((("StronglyMonotone", 0.25), MONOTONE[1]),),
        ((1, 0, 0, -1), (0, 1, 0, 0)),
        ((1, 3 / 32), (3 / 32, 5 / 4)),
    ),
    "tseng": Case(
        ("TsengFBF", 0.5, 1.0),
        (MONOTONE, STRONG),
        ((1, 0, 0, 0, 0, -1), (0, 1, 0, 0, -1, 0)),
        ((1, 1 / 30), (1 / 30, 0)),
    ),
    "malitsky_tam": Case(
        ("MalitskyTamFRB", 0.25),
        (MONOTONE, STRONG),
        ((1, 0, 0, 0, 0, 0, -1), (0, 1, 0, 0, 0, 0, -1), (0, 0, 1, 0, 0, -1, 0), (0, 0, 0, 1, 0, -1, 0)),
        (
            (1, -0.249, -0.074, 0.178),
            (-0.249, 0.231, 0.015, 0.003),
            (-0.074, 0.015, 0.032, -0.035),
            (0.178, 0.003, -0.035, 0.031),
        ),
    ),
}


@dataclass(frozen=True)
class Row:
    """An example: our result, AutoLyap's rates for the same V and for one that it finds (nan: none), and seconds of both."""

    name: str
    lines: int
    found: WorstValue
    same: float
    searched: float
    seconds: tuple[float, float]

    @property
    def agrees(self) -> bool:
        """Whether AutoLyap's rate for the same V is ours, within its accuracy."""
        return self.found.upper is not None and abs(self.same - float(self.found.upper)) <= AGREE

    @property
    def side(self) -> str:
        """On which side of what is known exactly AutoLyap's rate for the same V lies."""
        return side_of(self.found, self.same)


def ours(name: str) -> WorstValue:
    """The result of an example."""
    found = runpy.run_path(str(EXAMPLES / f"{name}.py"))["worst"]
    assert isinstance(found, WorstValue)
    return found


@contextlib.contextmanager
def panics_as_errors() -> Iterator[None]:
    """Let a panic of Clarabel, which no caller expects, count as a solver's error: AutoLyap takes the rate for infeasible."""
    from cvxpy import SolverError
    from cvxpy.reductions.solvers.conic_solvers.clarabel_conif import CLARABEL

    solve = CLARABEL.solve_via_data

    def solved(self: Any, *args: Any, **options: Any) -> Any:
        try:
            return solve(self, *args, **options)
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            raise SolverError("Clarabel panics") from error

    with mock.patch.object(CLARABEL, "solve_via_data", solved):
        yield


class AutoLyap:
    """A method, its classes and V in AutoLyap; ``own_measure``: V of the example rather than a distance as a lower limit."""

    def __init__(self, name: str, own_measure: bool) -> None:
        from autolyap import IterationIndependent, SolverOptions, algorithms, problemclass

        case = CASES[name]
        kinds = [[getattr(problemclass, kind)(*numbers) for kind, *numbers in part] for part in case.classes]
        method, *numbers = case.algorithm
        algorithm = getattr(algorithms, method)(*numbers)
        given = list(IterationIndependent.LinearConvergence.get_parameters_distance_to_solution(algorithm))
        if own_measure:
            rows = np.array(case.rows, dtype=float)
            given[0] = rows.T @ np.array(case.form) @ rows
        if own_measure and case.value:
            given[1] = np.array([case.value, -case.value])
        names = ("P", "T") if len(given) == 2 else ("P", "p", "T", "t")
        self.lyapunov = IterationIndependent
        self.about = (problemclass.InclusionProblem(kinds), algorithm)
        self.options: dict[str, Any] = {
            **dict(zip(names, given, strict=True)),
            **dict.fromkeys(("Q_equals_P", "q_equals_p", "remove_C2"), own_measure),
            **dict.fromkeys(("S_equals_T", "s_equals_t", "remove_C3"), True),
            "solver_options": SolverOptions(backend="cvxpy", cvxpy_solver="CLARABEL"),
            "verbosity": 0,
        }

    def searched(self) -> float:
        """The rate that its bisection ends with; nan if it ends with a solver's failure."""
        with warnings.catch_warnings(), panics_as_errors():
            warnings.simplefilter("ignore")  # it goes on with what a solver calls inaccurate
            search = self.lyapunov.LinearConvergence.bisection_search_rho
            found = search(*self.about, **self.options, tol=TOLERANCE)["rho"]
        return math.nan if found is None else float(found)

    def feasible(self, rate: float) -> bool:
        """Whether it finds a certificate at a rate."""
        with warnings.catch_warnings(), panics_as_errors():
            warnings.simplefilter("ignore")
            found = self.lyapunov.search_lyapunov(*self.about, **self.options, rho=rate)
        return bool(found["status"] == "feasible")


def rate_of_the_same(name: str) -> float:
    """AutoLyap's rate for the V of the example, by bisection here: its own solves the last rate again, and may then fail."""
    case, low, high = AutoLyap(name, own_measure=True), 0.0, 1.0
    if not case.feasible(high):
        return math.nan
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        low, high = (low, middle) if case.feasible(middle) else (middle, high)
    return high


def row(name: str) -> Row:
    """One example."""
    found, own = timed(lambda: ours(name))
    searched, other = timed(lambda: AutoLyap(name, own_measure=False).searched())
    return Row(name, lines_of(EXAMPLES / f"{name}.py"), found, rate_of_the_same(name), searched, (own, other))


def page(rows: list[Row]) -> str:
    """The rows as a page."""
    known = [one for one in rows if one.found.lower is not None]
    lines = [
        TITLE.format(
            n=len(rows),
            most=max(one.lines for one in rows),
            agree=sum(one.agrees and why_not_proved(one.found) is None for one in rows),
            exact=sum(one.found.value is not None for one in rows),
            known=len(known),
            below=sum(one.side.startswith("**") for one in known),
            ratio=statistics.median(one.seconds[0] / one.seconds[1] for one in rows),
        ),
        "| example | lines | attained | proved | AutoLyap, the same V | its side | where it searches V | time |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in rows:
        low, high = one.found.ends()
        if one.found.value is not None:
            low = high = f"{one.found.value} exactly"
        low = "no claim" if one.found.only_upper else low
        lines.append(
            f"| `{one.name}` | {one.lines} | {low} | {high} | {one.same:.9g} | {one.side} | {one.searched:.9g} "
            f"| {one.seconds[0] / one.seconds[1]:.2g} |"
        )
    return "\n".join(lines) + "\n"


TITLE = """# AutoLyap's linear rates, exactly

[AutoLyap](https://autolyap.github.io) searches for a Lyapunov function V of a method, and for the least rate with
V(next) <= rate V, by bisection over semidefinite programs in floats. The worst factor of one step in a given V is a performance
estimation problem: the files in [`examples/performance/linear_rates`](../../examples/performance/linear_rates/) ask for it, in
at most {most} lines each, for {n} measures of AutoLyap's methods. V is a squared distance where none is better, the norm of
Chambolle and Pock, a function with the known rate of triple momentum, or one of the form that AutoLyap searches, rounded.
Each V bounds a squared distance, so that its rate is one of convergence.

Of these {agree} agree with AutoLyap's rate for the same V to two millionths and are proved by multipliers that are checked in
rationals; {exact} are known exactly. AutoLyap's rate is a float that its solver takes for feasible: in {below} of the {known}
examples with an attained value it lies below that value, where no certificate exists. "no claim": the conditions are necessary
alone, so that only the proved value says something. Each bound in a file holds for every instance, in every dimension. Both use
the solver Clarabel; AutoLyap's own choice, MOSEK, needs a licence. The time is that here, for a given V, over that of AutoLyap's
search, which also finds V; the median is {ratio:.2g}.

Where AutoLyap searches V its rate differs from ours for three reasons:

- by two millionths or less: V is rounded here, or the solver takes a rate for feasible that is a little too low;
- `chambolle_pock`: the method's own norm is not the best measure. `chambolle_pock_lyapunov` has a better one;
- `triple_momentum` and `malitsky_tam`: the solver fails at rates for which there is a certificate, so that the bisection ends
  too high. The V in both files has the form that AutoLyap searches, and falls by more.

Made by `python -m benchmarks.autolyap`.
"""


def main() -> None:
    """Write the page."""
    rows = []
    for name in CASES:
        rows.append(row(name))
        one = rows[-1]
        print(f"{name}: {one.found}; AutoLyap {one.same:.9g}, {one.side}; searched {one.searched:.9g}", flush=True)
    PAGE.write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
