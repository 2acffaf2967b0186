"""Quadratic clients that are tried for long runs are of the class that is asked about; classes without functions are named."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory import symbols
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.runs.measures import LastDistance, LastGap, LeastGradient
from fltheory.worst_case import many_rounds, solver, two_sided
from fltheory.worst_case.functions import FunctionClass, Smooth
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.functions.nonconvex import NonConvex
from fltheory.worst_case.functions.quadratic import Quadratic
from fltheory.worst_case.many_rounds import client_limits, root_rounded_up
from fltheory.worst_case.measures import RoundGrowth
from fltheory.worst_case.question import Question, question
from fltheory.worst_case.symbolic_run import OutOfReach
from fltheory.worst_case.whole_run import Bracket

RUN: dict[str, Any] = {"n_rounds": 2, "n_local_steps": 1, "step_size": "1/2"}


def asked(functions: FunctionClass, measure: Any = None, **more: Any) -> Question:
    return question(sequential, functions, measure or LastDistance(), **{**RUN, **more})


TWO: dict[str, Any] = {"n_clients": 2, "initial_distance": 3, "heterogeneity_at_optimum": 2}
CLASSES: dict[str, tuple[FunctionClass, dict[str, Any]]] = {
    "one client": (Smooth(2, "1/2"), {"initial_distance": 3}),
    "convex": (Smooth(2), TWO),
    "strongly convex, noise": (Smooth(2, "3/2"), {**TWO, "n_clients": 3, "noise_std": 1}),
    "quadratic": (Quadratic(3, 1), {**TWO, "n_clients": 5}),
    "each client limited": (Smooth(2, 1), {"n_clients": 3, "initial_distance": 3, "max_heterogeneity_at_optimum": 2}),
    "both limits": (Smooth(2, 1), {**TWO, "n_clients": 5, "max_heterogeneity_at_optimum": 3}),
    "the other of both": (Smooth(2, 1), {**TWO, "n_clients": 5, "max_heterogeneity_at_optimum": 1}),
    "alike": (Smooth(2, 1), {**TWO, "heterogeneity_at_optimum": 0}),
}


@pytest.mark.parametrize("name", CLASSES)
def test_clients_that_are_tried_are_of_the_class(name: str) -> None:
    """Their own constants do not exceed those asked about, and reach them: L, D, the heterogeneity, the noise."""
    functions, settings = CLASSES[name]
    one = asked(functions, **settings)
    tried = list(two_sided._cases(one))
    assert tried
    spread, largest = (settings.get(f"{of}heterogeneity_at_optimum") for of in ("", "max_"))
    for case in tried:
        known, slopes = dict(case.constants), [abs(row[0]) for row in case.instance.slopes]
        assert known[symbols.smoothness] == functions.constants[symbols.smoothness]
        assert known[symbols.strong_convexity] >= functions.constants[symbols.strong_convexity]
        assert known[symbols.initial_distance] == settings["initial_distance"]
        assert known[symbols.noise_std] == settings.get("noise_std", 0)
        of_all = Fraction(sum(slope**2 for slope in slopes), len(slopes))
        assert sum(row[0] for row in case.instance.slopes) == 0
        assert spread is None or of_all <= spread**2
        assert largest is None or max(slopes) <= largest
        near = spread is not None and of_all >= spread**2 * (1 - Fraction(1, 10**9))
        assert near or max(slopes) == largest or name == "one client"


def test_all_pairs_of_curvatures_that_have_a_minimiser_are_tried() -> None:
    """The least, the largest, and one and two thirds of the way or half of it; one may be flat where the mean is not."""
    for n, low in ((2, Fraction(0)), (2, Fraction(1)), (3, Fraction(0))):
        high = Fraction(4)
        some = (low, low + (high - low) / 3, low + (high - low) / 2, high)
        found = {
            (case.instance.left[0][0], case.instance.left[1][0])
            for case in two_sided._cases(asked(Smooth(4, low), **{**TWO, "n_clients": n}))
        }
        assert found == {(a, b) for a, b in product(some, repeat=2) if a + (n - 1) * b > 0}
        sides = {case.instance.start[0] for case in two_sided._cases(asked(Smooth(4, low), **{**TWO, "n_clients": n}))}
        assert sides == {3, -3}
    alone = {case.instance.start[0] for case in two_sided._cases(asked(Smooth(4), initial_distance=3))}
    assert alone == {3}


def test_clients_without_a_known_distance_start_at_a_known_height() -> None:
    one = asked(NonConvex(2), LeastGradient(), n_clients=2, initial_gap=5, heterogeneity=1)
    tried = list(two_sided._cases(one))
    assert tried
    for case in tried:
        known = dict(case.constants)
        assert known[symbols.initial_gap] <= 5
        assert known[symbols.initial_gap] >= 5 * (1 - Fraction(1, 10**9))
        assert len({row[0] for row in case.instance.left}) == 1  # a limit everywhere: the curvatures agree
    assert list(two_sided._cases(asked(Lipschitz(1), LastGap(), initial_distance=1))) == []


def test_components_are_noisy_only_in_pairs() -> None:
    settings = {**TWO, "noise_std_at_optimum": 1}
    for components, noisy in ((2, True), (3, False), (4, True)):
        one = asked(Smooth(2, 1), **settings, n_components=components)
        assert client_limits(one)[2] == 1
        found = {case.instance.noise_std[0] for case in two_sided._cases(one)}
        assert found == {1 if noisy else 0}


def test_the_worst_of_the_clients_that_are_tried_is_attained() -> None:
    """By a run of the method itself on each, in rationals; contraction by the worst of both ends for one client."""
    case, lower = two_sided.worst_quadratic(asked(Smooth(1, "1/10"), initial_distance=1))
    assert lower is not None
    assert 0 <= Fraction(19, 20) ** 4 - lower < Fraction(1, 10**12)
    assert case is not None
    assert two_sided.worst_quadratic(asked(Lipschitz(1), LastGap(), initial_distance=1)) == (None, None)
    found = two_sided.bracket(asked(Smooth(1, "1/10"), initial_distance=1, n_rounds=100))
    assert found.lower is not None
    assert 0 <= Fraction(19, 20) ** 200 - found.lower < Fraction(1, 10**12)
    assert found.is_reproduced
    assert two_sided.bracket(found.question, attain=False).lower is None


def test_a_slope_is_what_limits_leave() -> None:
    """n - 1 clients have it and the last the opposite: neither the root mean square nor the largest is exceeded."""
    assert two_sided._slope(asked(Smooth(1), initial_distance=1), 1) == 0
    for n, limits in ((2, {"heterogeneity_at_optimum": 3}), (5, {"heterogeneity_at_optimum": 3})):
        one = asked(Smooth(1), n_clients=n, initial_distance=1, **limits)
        assert two_sided._slope(one, n) == Fraction(3) / root_rounded_up(n - 1)
    for largest in (1, 12):
        one = asked(Smooth(1), **{**TWO, "n_clients": 5}, max_heterogeneity_at_optimum=largest)
        assert two_sided._slope(one, 5) == min(Fraction(1), Fraction(largest, 4))
    only = asked(Smooth(1), n_clients=5, initial_distance=1, max_heterogeneity_at_optimum=12)
    assert two_sided._slope(only, 5) == 3


@pytest.mark.parametrize(
    ("kind", "given", "why"),
    [
        (Smooth, (0,), "smoothness must be positive, got 0"),
        (Smooth, (-1, -2), "smoothness must be positive, got -1"),
        (Smooth, (1, -1), r"strong_convexity must lie in \[0, smoothness\), got -1$"),
        (Smooth, (1, 2), r"strong_convexity must lie in \[0, smoothness\), got 2$"),
        (Smooth, (1, 1), "got 1; if both are equal, a slightly larger smoothness"),
        (Quadratic, (0,), "smoothness must be positive, got 0"),
        (Quadratic, (-1, -2), "smoothness must be positive, got -1"),
        (Quadratic, (1, -1), r"strong_convexity must lie in \[0, smoothness\), got -1$"),
        (Quadratic, (1, 1), r"strong_convexity must lie in \[0, smoothness\), got 1$"),
        (NonConvex, (0,), "smoothness must be positive, got 0"),
        (Lipschitz, (0,), "bound must be positive, got 0"),
        (Linear, (0,), "bound must be positive, got 0"),
        (Linear, (-1,), "bound must be positive, got -1"),
        (Smooth, ("sqrt(2)",), "smoothness = .* must be rational"),
        (Smooth, (2, "sqrt(2)"), "strong_convexity = .* must be rational"),
    ],
)
def test_classes_without_functions(kind: Any, given: tuple[Any, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        kind(*given)


@pytest.mark.parametrize(
    ("functions", "text"),
    [
        (Smooth(2), "2-smooth convex functions"),
        (Smooth(2, "1/3"), "2-smooth, 1/3-strongly convex functions"),
        (Quadratic(2), "2-smooth convex quadratic functions"),
        (Quadratic(2, "1/3"), "2-smooth, 1/3-strongly convex quadratic functions"),
        (NonConvex(3), "3-smooth functions, convex or not,"),
        (Lipschitz(3), "3-Lipschitz convex functions"),
    ],
)
def test_classes_say_what_they_are(functions: FunctionClass, text: str) -> None:
    assert str(functions) == text
    assert text in str(
        asked(
            functions,
            LeastGradient() if text.startswith("3-smooth") else LastGap(),
            **({"initial_gap": 1} if text.startswith("3-smooth") else {"initial_distance": 1}),
        )
    )


def test_the_measure_of_a_round_from_any_start_has_no_lower_end() -> None:
    """Farther starts come nearer to it: none attains it, for quadratic clients either."""
    for functions in (Smooth(1), Quadratic(1)):
        one = question(sequential, functions, RoundGrowth(sympy.Rational(1, 2)), n_local_steps=1, step_size="1/4")
        found = two_sided.bracket(one)
        assert found.upper is not None
        assert found.lower is None or found.lower <= found.upper
        assert two_sided.why_not_proved(found) is None
        assert two_sided.why_not_proved(replace(found, upper=found.upper + 1)) is not None


@pytest.mark.parametrize(
    ("functions", "more", "why"),
    [
        (Smooth(1), {"initial_distance": 10**76}, "initial_distance is too large for a solver"),
        (Smooth(1), {"initial_distance": Fraction(1, 10**76)}, "initial_distance is too small for a solver"),
        (Smooth(1), {"initial_distance": -(10**76)}, "initial_distance is too large for a solver"),
        (Smooth(10**76), {"initial_distance": 1}, "smoothness is too large"),
        (Smooth(1), {"initial_distance": "sqrt(2)"}, r"initial_distance = .* is irrational"),
        (Smooth(1), {"initial_distance": 1, "nothing": 1}, "nothing is not a known constant"),
        (Smooth(1), {"initial_distance": 1, "n_clients": 2}, "heterogeneity_at_optimum: without it"),
        (Smooth(1), {"initial_distance": 1, "hessian_heterogeneity": 1}, "only for several quadratic clients"),
        (Quadratic(1), {"initial_distance": 1, "hessian_heterogeneity": 1}, "only for several quadratic clients"),
        (Smooth(1), {**TWO, "hessian_heterogeneity": 1}, "only for several quadratic clients"),
        (Smooth(1), {"initial_distance": 1, "noise_std_at_optimum": 1}, "n_components: noise at the optimum"),
        (Smooth(1), {"initial_distance": 1, "n_components": 2}, "noise_std_at_optimum: without it"),
        (
            Smooth(1),
            {"initial_distance": 1, "n_components": 2, "noise_std_at_optimum": 1, "noise_std": 1},
            "noise_std: ",
        ),
        (Lipschitz(1), {"initial_distance": 1, "n_components": 2, "noise_std_at_optimum": 1}, "of whole clients alone"),
        (Linear(1), {"initial_distance": 1}, "have no minimiser; use Regret"),
    ],
)
def test_questions_without_an_answer(functions: FunctionClass, more: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        asked(functions, LastGap(), **more)


def test_questions_at_the_boundary_of_a_size_have_an_answer() -> None:
    for size in (Fraction(10**75), Fraction(1, 10**75), Fraction(0)):
        assert dict(asked(Smooth(1), initial_distance=size).settings)["initial_distance"] == size
    dict(asked(Quadratic(1), **TWO, hessian_heterogeneity=1).settings)


def test_the_growth_of_a_round_is_measured_from_the_minimiser() -> None:
    """In exact moments, and on the run itself: |x_1 - x*|^2 - kept |x_0 - x*|^2 + weight (F(x_0) - F*)."""
    measure = RoundGrowth(sympy.Rational(2, 3), sympy.Rational(1, 4))
    clients = QuadraticClients([(1, 2), (3, 2)], [(-2, 1), (-6, 3)], (5, 1))  # minimised at (2, -1)
    case = Case(clients, n_rounds=1, n_local_steps=1, step_size="1/4")
    found = exact_rational(measure, parallel, case)
    assert found is not None
    mean, start, best = (Fraction(2), Fraction(2)), (Fraction(5), Fraction(1)), (Fraction(2), Fraction(-1))
    after = [b + (x - b) * (1 - Fraction(1, 4) * c) for x, b, c in zip(start, best, mean, strict=True)]
    away = [sum((x - b) ** 2 for x, b in zip(point, best, strict=True)) for point in (start, after)]
    height = sum(c * (x - b) ** 2 for x, b, c in zip(start, best, mean, strict=True)) / 2
    assert found.value == away[1] - away[0] / 4 + height * Fraction(2, 3)
    states, _ = enumerate_runs(parallel, case, RATIONAL)
    assert {as_number(v) for v in measure.values(states, case)[:, 0]} == {found.value}


def test_matrices_that_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The square of the entries of each triangle, eight bytes each: at the limit they fit."""
    needed = 8 * (6**2 + 3**2)  # triangles of 3 and of 2 rows
    monkeypatch.setattr(solver, "MAX_BYTES", needed)
    solver.require_memory((3, 2))
    monkeypatch.setattr(solver, "MAX_BYTES", needed - 1)
    with pytest.raises(solver.Unsolved, match="matrices of 3 rows are too large"):
        solver.require_memory((3, 2))


def test_packed_triangles() -> None:
    """Column by column, off the diagonal times the root of 2: a unit matrix has ones on its diagonal alone."""
    for size in (1, 2, 3, 5):
        unit = solver.identity(size)
        assert (solver.unpack_symmetric(unit, size) == np.eye(size)).all()
        assert solver._triangle_size(len(unit)) == size
        matrix = np.arange(size * size, dtype=float).reshape(size, size)
        matrix = matrix + matrix.T
        packed = [matrix[i, j] * (1 if i == j else 2**0.5) for j in range(size) for i in range(j + 1)]
        np.testing.assert_allclose(solver.unpack_symmetric(np.array(packed), size), matrix)


def test_a_round_without_a_certificate_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = replace(asked(Smooth(1), initial_distance=1), alone=True)
    monkeypatch.setattr(many_rounds, "bracket_run", lambda question, attain: Bracket(question, None, None, None, None))
    with pytest.raises(OutOfReach, match="no certificate of one round was found"):
        many_rounds._prove_round(one)
    with pytest.raises(OutOfReach, match="no certificate of one round was found"):
        two_sided.bracket(asked(Smooth(1, "1/10"), initial_distance=1, n_rounds=100))


def test_a_worst_case_without_limit_is_named() -> None:
    """A step that is too long, from a limit on the height alone: the distance may be as large as one likes."""
    with pytest.raises(solver.Unsolved, match="the worst case may have no limit"):
        two_sided.bracket(asked(Smooth(1), LastDistance(), initial_gap=1, n_rounds=1))
