"""Both sides of a worst value: checked exactly, refused where they are wrong, and found where certificates have no interior."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from flint import fmpq, fmpq_mat

from fltheory.performance import (
    Convex,
    Indicator,
    LipschitzMonotone,
    LipschitzOperator,
    Problem,
    Quadratic,
    Smooth,
    solving,
    why_not_proved,
)
from fltheory.performance.solving.facial import reductions
from fltheory.performance.solving.program import common_directions
from fltheory.performance.solving.solutions import solution_at


def descent(steps=2, step=1, distance=1, bound=None):
    p = Problem()
    f = p.function(Smooth(1))
    best = f.minimiser()
    x = p.start(best, distance)
    for _ in range(steps):
        x = x - step * f.gradient(x)
    return p.worst(f(x) - f(best), bound=bound)


def frank_wolfe():
    p = Problem()
    f, c = p.function(Smooth(1)), p.function(Indicator(1))
    best, x = (f + c).minimiser(), p.start()
    c(x)
    for k in range(3):
        x = x + 2 / (k + 2) * (c.point_with_gradient(-f.gradient(x)) - x)
    return p, f(x) - f(best)


def test_the_worst_value_of_gradient_descent_is_that_of_the_theorem():
    """L D^2 / (4 N + 2): Drori and Teboulle (2014)."""
    for n in range(1, 5):
        assert descent(n, distance=3).value == Fraction(9, 4 * n + 2)


@pytest.mark.parametrize(
    ("bound", "status", "told"),
    [
        ("1/10", "holds", "holds for every instance, in every dimension (exact), and is attained"),
        (0.11, "holds", "holds for every instance, in every dimension (exact)"),
        ("999/10000", "violated", "the instance that attains the worst case refutes it (exact)"),
        (sympy.sqrt(2) / 14, "holds", "in every dimension (exact)"),
        (sympy.sqrt(2) / 15, "violated", "refutes it (exact)"),
    ],
)
def test_a_bound_is_compared_exactly(bound, status, told):
    found = descent(bound=bound)
    assert found.status == status
    assert told in str(found)
    assert ("is attained" in str(found)) == (bound == "1/10")


def test_without_a_bound_there_is_no_status():
    assert descent().status is None
    assert str(descent()) == "worst case: exactly 1/10, attained and proved"


def test_a_bound_between_both_ends_is_open():
    found = descent(step=0.7123456789, bound=1)
    assert found.value is None
    middle = (found.lower + found.upper) / 2
    assert replace(found, bound=middle).status == "open"
    assert "open: the bound lies between both" in str(replace(found, bound=middle))
    assert replace(found, upper=None, bound=1).status == "open"


def test_every_multiplier_is_needed():
    found = descent()
    assert why_not_proved(found) is None
    for k in range(len(found.multipliers)):
        rest = found.multipliers[:k] + found.multipliers[k + 1 :]
        assert why_not_proved(replace(found, multipliers=rest)) is not None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda label, c: (label, -c), "is negative"),
        (lambda label, c: (label, c * 2), "left"),
        (lambda label, c: (("pair", 7, 7, 7, 7), c), "there is no limit"),
    ],
)
def test_other_multipliers_prove_nothing(change, reason):
    found = descent()
    changed = (change(*found.multipliers[1]), found.multipliers[0], *found.multipliers[2:])
    assert reason in why_not_proved(replace(found, multipliers=changed))


def test_a_lower_upper_value_is_not_proved():
    found = descent()
    assert "short" in why_not_proved(replace(found, upper=found.upper - Fraction(1, 10**9)))
    assert why_not_proved(replace(found, upper=None)) == "there is no upper value"


def test_the_instance_meets_every_condition_and_attains_the_value():
    p = Problem()
    f = p.function(Smooth(1, "1/10"))
    best = f.minimiser()
    x = p.start(best, 2)
    y = x - f.gradient(x)
    found = p.worst((y - best) ** 2)
    assert found.value == 4 * Fraction(9, 10) ** 2
    assert found.of((y - best) ** 2) == found.lower
    assert found.of((x - best) ** 2) <= 4
    assert found.of(f(x) - f(best)) >= found.of((x - best) ** 2) / 20
    assert replace(found, solution=None).of((y - best) ** 2) is None


def test_a_changed_instance_is_refused():
    found = descent()
    program, solution = found.program, found.solution
    assert solution_at(program, solution.gram, solution.values).objective == fmpq(1, 10)
    longer = solution.gram * fmpq(101, 100)
    assert solution_at(program, longer, solution.values) is None  # |x_0 - x*| > 1
    indefinite = fmpq_mat(solution.gram)
    for i in range(program.size):
        indefinite[i, i] = fmpq(-1)
    assert solution_at(program, indefinite, solution.values) is None
    for name in solution.values:
        higher = {**solution.values, name: solution.values[name] + 1}
        assert solution_at(program, solution.gram, higher) is None


def test_the_least_of_several_measures_counts():
    p = Problem()
    f = p.function(Smooth(1))
    best = f.minimiser()
    x = p.start(best, 1)
    y = x - f.gradient(x)
    both, last = p.worst(f(x) - f(best), f(y) - f(best)), p.worst(f(y) - f(best))
    assert both.value == last.value == Fraction(1, 6)
    assert p.worst(f(x) - f(best)).value == Fraction(1, 2)


def test_without_a_limit_on_the_start_there_is_no_worst_value():
    p = Problem()
    f = p.function(Smooth(1))
    best, x = f.minimiser(), p.start()
    with pytest.raises(ValueError, match="has no limit, or no instance meets the conditions"):
        p.worst(f(x) - f(best))


def test_contradicting_conditions_have_no_instance():
    p = Problem()
    f = p.function(Smooth(1))
    best = f.minimiser()
    x = p.start(best, 1)
    p.require((x - best) ** 2 >= 2)
    with pytest.raises(ValueError, match="contradict each other"):
        p.worst(f(x) - f(best))


def test_a_step_that_is_no_combination_of_points_depends_on_the_origin():
    """With weights that add up to 1 the origin is free, and one vector less is needed."""
    for last, free in ((1, True), (2, False)):
        p = Problem()
        f = p.function(Smooth(1))
        best = f.minimiser()
        x = p.start(best, 1)
        y = last * x - f.gradient(x)
        program = p.program(f(y) - f(best))
        assert bool(program.needless) == free


def test_a_linear_function_may_be_moved_from_one_function_to_another():
    """Proximal gradient: the gradient at x* and the origin are free."""
    p = Problem()
    f, h = p.function(Smooth(1)), p.function(Convex())
    best = (f + h).minimiser()
    x = p.start(best, 1)
    x = h.prox(x - f.gradient(x))
    assert len(p.program((x - best) ** 2).needless) == 2
    fixed = p.program((x - best) ** 2 + f.gradient(best) ** 2)
    assert len(fixed.needless) == 1


def test_certificates_without_an_interior_are_found_by_facial_reduction(monkeypatch):
    p, gap = frank_wolfe()
    found = p.worst(gap)
    assert why_not_proved(found) is None
    assert found.upper - found.lower < Fraction(1, 10**6)
    program = p.program(gap)
    directions = common_directions(program)
    assert directions
    first = next(reductions(program))
    assert first.unlimited
    monkeypatch.setattr(solving, "reductions", lambda program: iter([program]))
    assert p.worst(gap).upper is None


def test_directions_are_those_that_no_square_involves():
    p, gap = frank_wolfe()
    program = p.program(gap)
    for row in common_directions(program):
        for form in (program.goal, *program.stated.values()):
            assert sum((c * row[i] * row[j] for (i, j), c in form.products.items()), fmpq(0)) == 0


@pytest.mark.parametrize(
    ("kind", "reason"), [(LipschitzMonotone(1), "are necessary alone"), (LipschitzOperator(1), None)]
)
def test_necessary_conditions_give_an_upper_value_alone(kind, reason):
    p = Problem()
    A = p.operator(kind)
    best = A.zero()
    x = p.start(best, 1)
    y = x - A(x) / 2
    found = p.worst((y - best) ** 2)
    assert (found.lower is None) == (reason is not None)
    assert (reason or "None") in str(found.only_upper)
    assert found.upper is not None


def test_a_line_search_is_known_by_what_is_orthogonal():
    """((L - mu) / (L + mu))^2 a step: de Klerk, Glineur and Taylor (2017)."""
    p = Problem()
    f = p.function(Smooth(1, "1/3"))
    best, x = f.minimiser(), p.start()
    p.require(f(x) - f(best) <= 1)
    x = f.line_search(x, f.gradient(x))
    found = p.worst(f(x) - f(best))
    assert "orthogonal" in found.only_upper
    assert found.lower is None
    assert abs(float(found.upper) - 1 / 4) < 1e-7


def test_quadratic_functions_have_matrices_of_multipliers():
    p = Problem()
    f = p.function(Quadratic(1, "1/10"))
    best = f.minimiser()
    x = p.start(best, 1)
    x = x - f.gradient(x)
    found = p.worst((x - best) ** 2)
    assert why_not_proved(found) is None
    assert found.lower <= Fraction(81, 100) <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**6)


def test_a_row_has_what_a_file_needs():
    row = descent(bound="1/10").row()
    assert (row["lower"], row["upper"], row["bound"], row["status"]) == ("1/10", "1/10", "1/10", "holds")
    assert (row["evidence"], row["scope"]) == ("exact", "class")
    assert row["multipliers"][0] == [["given", 0], "1/10"]
