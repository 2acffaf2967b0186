"""Both sides of a worst value: checked exactly, refused where they are wrong, and found where certificates have no interior."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from flint import fmpq, fmpq_mat

from fltheory.performance import (
    BlockSmooth,
    Cocoercive,
    Convex,
    Indicator,
    LinearOperator,
    LipschitzMonotone,
    LipschitzOperator,
    Lojasiewicz,
    NonConvex,
    Problem,
    Quadratic,
    QuadraticGrowth,
    RestrictedSecant,
    SkewSymmetric,
    Smooth,
    SymmetricLinear,
    solving,
    why_not_proved,
)
from fltheory.performance.solving.facial import reductions
from fltheory.performance.solving.program import Program, common_directions
from fltheory.performance.solving.solutions import solution_at
from fltheory.worst_case.gram import Expression


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


def test_a_value_of_which_nothing_is_known_is_called_unknown():
    found = replace(descent(bound="1/10"), lower=None, upper=None)
    assert str(found).startswith("worst case: unknown: no value is attained, and none is proved")
    assert found.status == "open"
    assert "(attained); no upper value is proved" in str(replace(found, lower=Fraction(1, 10)))


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
    with pytest.raises(ValueError, match="the worst value has no limit: add what limits the start"):
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


def test_a_certificate_is_recognised_where_its_form_is_0_altogether():
    """1 - 2 step mu + step^2 L^2 is exact, although the eigenvalues of a solver's form are noise alone."""
    p = Problem()
    A = p.operator(LipschitzMonotone(1, "1/2"))
    best = A.zero()
    x = p.start(best, 1)
    found = p.worst((x - A(x) / 2 - best) ** 2, bound="3/4")
    assert found.upper == Fraction(3, 4)
    assert found.status == "holds"
    assert p.worst((x - A(x) / 2 - best) ** 2, bound="0.7499999").status == "open"


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


@pytest.mark.parametrize(("high", "far"), [("1/1000000000", 1), (10**9, 1), (1, 10**6), (1, "1/1000000"), ("1/3", 7)])
def test_units_do_not_matter(high, far):
    p = Problem()
    f = p.function(Smooth(high))
    best = f.minimiser()
    x = p.start(best, far)
    for _ in range(2):
        x = x - f.gradient(x) / Fraction(high)
    found = p.worst(f(x) - f(best))
    exact = Fraction(high) * Fraction(far) ** 2 / 10
    assert found.lower <= exact <= found.upper
    assert found.upper - found.lower <= exact / 10**5
    assert why_not_proved(found) is None


def test_ends_are_printed_on_their_own_side():
    found = replace(descent(), lower=Fraction(10**13 - 1, 3 * 10**13), upper=Fraction(10**13 + 1, 3 * 10**13))
    low, high = re.findall(r"[0-9.]+", str(found))[:2]
    assert Fraction(low) <= found.lower
    assert Fraction(high) >= found.upper
    assert (
        str(replace(found, lower=None, upper=None)) == "worst case: unknown: no value is attained, and none is proved"
    )
    assert "at least 0.3333333333 (attained); no upper value" in str(replace(found, upper=None))


def test_a_float_bound_is_read_as_its_fraction():
    assert descent(bound=1 / 10).status == "holds"
    assert descent(4, bound=1 / 18).status == "holds"


def test_what_nothing_limits_is_exact():
    """Where the form that a certificate leaves is 0 altogether."""
    p = Problem()
    c = p.function(Indicator(1))
    x, y = p.start(), p.start()
    c(x), c(y)
    assert p.worst((x - y) ** 2).value == 1


def test_quantities_are_those_of_the_problem_and_of_the_time():
    p = Problem()
    f = p.function(Smooth(1))
    best = f.minimiser()
    x = p.start(best, 1)
    found = p.worst(f(x) - f(best))
    other = Problem()
    with pytest.raises(ValueError, match="belongs to another problem"):
        found.of(other.start() ** 2)
    with pytest.raises(TypeError, match="expected a quantity such as"):
        found.of(x)
    y = x - f.gradient(x)
    with pytest.raises(ValueError, match="asked for after the worst case"):
        found.of(f(y))
    with pytest.raises(ValueError, match="asked for after the worst case"):
        found.of((y - p.start()) ** 2)


def linear(kind):
    p = Problem()
    A = p.operator(kind)
    x = p.start()
    p.require(x**2 <= 1)
    return p, A, x


@pytest.mark.parametrize(
    ("kind", "zero"),
    [
        (LinearOperator(1), lambda A, x: A(x) - A.T.T(x)),
        (SkewSymmetric(1), lambda A, x: A(x) + A.T(x)),
        (SymmetricLinear(1, "-1"), lambda A, x: A(x) - A.T(x)),
    ],
)
def test_adjoints_are_those_of_their_operators(kind, zero):
    p, A, x = linear(kind)
    assert p.worst(zero(A, x) ** 2).upper <= Fraction(1, 10**9)


def test_the_adjoint_of_a_linear_operator_is_another_one():
    p, A, x = linear(LinearOperator(1))
    assert p.worst((A(x) - A.T(x)) ** 2).lower > 3
    q, B, y = linear(LinearOperator(1))
    z = q.start()
    q.require(z**2 <= 1)
    assert q.worst(B(y) @ z - B.T(z) @ y).upper <= Fraction(1, 10**9)


def test_a_fixed_point_of_a_linear_operator_keeps_its_row():
    p = Problem()
    A = p.operator(LinearOperator(1))
    best = A.fixed_point()
    x = p.start(best, 1)
    assert abs(float(p.worst((A(x) - best) ** 2).upper) - 1) < 1e-6


def test_one_point_has_one_subgradient_where_it_is_said():
    for single in (True, False):
        p = Problem()
        f = p.function(Convex(single_valued=single))
        x, y = p.start(), p.start()
        g, h = f.gradient(x), f.gradient(y)
        p.require((x - y) ** 2 == 0, g**2 <= 1, h**2 <= 1)
        found = p.worst((g - h) ** 2)
        assert found.upper >= 4
        assert (found.lower is None) == single


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda p: p.function(NonConvex(1)).prox(p.start(), 10), "NonConvex with weight 1: without convexity"),
        (lambda p: p.function(NonConvex(1)).minimiser(), "a stationary point need not be a minimiser"),
        (lambda p: (-p.function(Smooth(1))).minimiser(), "Smooth with weight -1: a stationary point"),
        (lambda p: (p.function(Smooth(1)) - p.function(Convex())).prox(p.start()), "Convex with weight -1: without"),
        (lambda p: (0 * p.function(Smooth(1))).minimiser(), "the sum is the zero function"),
        (lambda p: p.function(Smooth(1)).prox(p.start(), -1), "must be positive, got -1"),
        (lambda p: p.function(Smooth(1)).prox(p.start(), 0), "must be positive, got 0"),
        (lambda p: p.start(p.start(), -1), "must not be negative, got -1"),
        (lambda p: (p.function(Smooth(1)) + p.function(Convex())).infimum, "a sum has no infimum of its own"),
        (lambda p: (p.operator(LinearOperator(1)) * 2).T, "a sum has no adjoint"),
        (lambda p: Cocoercive(1, 2), "at most 1/cocoercivity, got 2"),
        (lambda p: p.function(BlockSmooth((1, 1), Problem().blocks(2))), "the blocks belong to another problem"),
        (lambda p: p.function(Smooth(1))(Problem().start()), "the point belongs to another problem"),
        (
            lambda p: p.function(Smooth(1)).point_with_gradient(p.vector(), at=Problem().start()),
            "the point belongs to another problem",
        ),
        (lambda p: p.function(NonConvex(1)).epsilon_subgradient(p.start()), "without convexity a subgradient"),
    ],
)
def test_what_is_not_defined_is_refused(wrong, reason):
    with pytest.raises(ValueError, match=reason):
        wrong(Problem())


@pytest.mark.parametrize("kind", [QuadraticGrowth(1), RestrictedSecant(1, "1/2"), Lojasiewicz(1, "1/2"), Quadratic(1)])
def test_classes_that_are_told_by_a_minimiser_need_one(kind):
    p = Problem()
    f = p.function(kind)
    x = p.start()
    with pytest.raises(ValueError, match="declare the minimiser first"):
        p.worst(x @ f.gradient(x))


def test_a_class_without_conditions_on_values_has_none():
    p = Problem()
    f = p.function(RestrictedSecant(1, "1/2"))
    best = f.minimiser()
    with pytest.raises(ValueError, match="has no conditions on values"):
        f(p.start(best, 1))


def test_functions_that_are_not_convex_have_an_infimum():
    """|grad f(x)|^2 <= 2 L (f(x) - inf f), attained."""
    p = Problem()
    f = p.function(NonConvex(2))
    x = p.start()
    p.require(f(x) - f.infimum <= 1)
    assert p.worst(f.gradient(x) ** 2).value == 4


def test_an_equation_that_is_missed_on_either_side_is_no_solution():
    p = Problem()
    f = p.function(Smooth(1))
    best = f.minimiser()
    x = p.start()
    p.require((x - best) ** 2 == 1)
    found = p.worst(f(x) - f(best))
    assert found.value == Fraction(1, 2)
    for factor in (fmpq(1, 2), fmpq(2)):
        assert solution_at(found.program, found.solution.gram * factor, found.solution.values) is None


def test_unlimited_vectors_are_made_long_enough():
    """A subgradient whose length nothing limits: with others that have prescribed products."""
    p = Problem()
    f = p.function(Convex())
    best = f.minimiser()
    x, y = p.start(best, 1), p.start(best, 1)
    g, h = f.gradient(x), f.gradient(y)
    p.require(g @ (x - best) <= 1, h @ (y - best) <= 1)
    found = p.worst(f(x) + f(y) - 2 * f(best))
    assert abs(float(found.upper) - 2) < 1e-6
    assert found.lower is not None
    assert found.lower > Fraction(199, 100)
    for one in (g @ (x - best), h @ (y - best)):
        assert found.of(one) <= 1


def test_a_primal_dual_step_is_nonexpansive_in_its_own_norm():
    """Chambolle and Pock (2011) with steps 1/2 and |K| <= 1; the saddle point is at the origin."""
    p = Problem()
    K, f, g = p.operator(LinearOperator(1)), p.function(Convex()), p.function(Convex())
    x, y, best = p.start(), p.start(), p.origin()
    f.point_with_gradient(best, at=best)
    g.point_with_gradient(best, at=best)
    p.require(x**2 + y**2 - x @ K.T(y) <= 1)
    new = f.prox(x - K.T(y) / 2, 0.5)
    after = g.prox(y + K(2 * new - x) / 2, 0.5)
    found = p.worst(new**2 + after**2 - K(new) @ after)
    assert found.lower <= 1 <= found.upper
    assert found.upper - found.lower < Fraction(1, 10**6)
    assert why_not_proved(found) is None


@pytest.mark.parametrize(("off", "fine"), [(Fraction(1, 2), True), (1, True), (2, False), (-2, False)])
def test_a_solution_has_nonnegative_matrices(off, fine):
    """The matrix with 1 on its diagonal and this number off it."""

    def number(c):
        return Expression({}, {}, -fmpq(Fraction(c).numerator, Fraction(c).denominator))

    stated = {("bent", 0, 0, 0): number(1), ("bent", 0, 0, 1): number(2 * Fraction(off)), ("bent", 0, 1, 1): number(1)}
    program = Program(Expression({(0, 0): fmpq(1)}), stated, 1)
    assert (solution_at(program, fmpq_mat([[1]]), {}) is not None) == fine
