"""Points, quantities and conditions: how numbers are read, what is computed, and what is refused."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import sympy

from fltheory.performance import Convex, Problem, Smooth
from fltheory.performance.points import rational


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (1 / 3, Fraction(1, 3)),
        (0.1, Fraction(1, 10)),
        (1 - 1 / 6, Fraction(5, 6)),
        (1e-7, Fraction(1, 10**7)),
        (12345.678, Fraction(12345678, 1000)),
        (-2 / 7, Fraction(-2, 7)),
        ("1/9", Fraction(1, 9)),
        (Fraction(2, 3), Fraction(2, 3)),
        (3, Fraction(3)),
        (np.float64(0.25), Fraction(1, 4)),
        (sqrt(2), Fraction(1414213562373, 10**12)),
        (sqrt(2) * 1e-6, Fraction(1414213562373, 10**18)),
    ],
)
def test_numbers_are_read_as_what_they_stand_for(given, read):
    found = rational(given)
    assert Fraction(int(found.p), int(found.q)) == read


@pytest.mark.parametrize("a", [(sqrt(5) - 1) / 2, sqrt(2) / 2, 0.123456789012345, 1 / np.pi])
def test_a_weight_and_its_complement_add_up_to_one(a):
    """So that a combination of points with irrational weights stays affine."""
    assert rational(a) + rational(1 - a) == 1


@pytest.mark.parametrize(
    ("number", "reason"),
    [(sympy.sqrt(2), "is irrational: give a rational near it"), (float("inf"), "finite"), ("x", "x")],
)
def test_other_numbers_are_refused(number, reason):
    with pytest.raises(ValueError, match=reason):
        rational(number)


def start():
    p = Problem()
    f = p.function(Smooth(1))
    return p, f, f.minimiser(), p.start()


def test_points_are_added_and_scaled():
    *_, best, x = start()
    y = 2 * x - x / 2 + (-best) * 3 - 3 * (x - best) / 2
    assert y.vector == (x * 0 + best * Fraction(-3, 2)).vector
    assert sum([x, x]).vector == (2 * x).vector
    assert (np.float64(0.5) * x).vector == (x / 2).vector
    assert repr(x - 2 * best) == "Point(-2*v0 + 1*v1)"


def test_quantities_are_added_and_compared():
    _, f, best, x = start()
    gap, away = f(x) - f(best), x - best
    assert (away**2).expression == (away @ away).expression
    assert ((2 * x) @ best).expression == (x @ (2 * best)).expression
    assert (1 - gap).expression == (-(gap - 1)).expression
    assert (gap / 4 + gap * 3 / 4).expression == gap.expression
    assert sum([gap, gap]).expression == (2 * gap).expression
    assert (gap <= 1).expression == (gap - 1).expression
    assert (gap >= 1).expression == (1 - gap).expression
    assert (1 >= gap).expression == (gap - 1).expression
    assert (gap == 1).equation
    assert not (gap <= 1).equation


@pytest.mark.parametrize(
    ("wrong", "error", "reason"),
    [
        (lambda p, f, b, x: x * b, TypeError, "is written x @ y"),
        (lambda p, f, b, x: x**3, ValueError, "only x\\*\\*2, its squared norm"),
        (lambda p, f, b, x: x + 1, TypeError, "added to points alone, got 1"),
        (lambda p, f, b, x: x @ 2, TypeError, "expected a point of the problem, got 2"),
        (lambda p, f, b, x: f(x) + x, TypeError, "added to quantities and numbers"),
        (lambda p, f, b, x: f(x) < 1, TypeError, "write <= in the place of <"),
        (lambda p, f, b, x: f(x) > 1, TypeError, "write >= in the place of >"),
        (lambda p, f, b, x: bool(f(x) <= 1), TypeError, "state it with problem.require"),
        (lambda p, f, b, x: 0 <= f(x) <= 1, TypeError, "state it with problem.require"),
        (lambda p, f, b, x: x + Problem().start(), ValueError, "belong to different problems"),
        (lambda p, f, b, x: x * True, TypeError, "unsupported operand"),
        (lambda p, f, b, x: f(x) + (lambda s: s[1](s[3]))(start()), ValueError, "different problems"),
    ],
)
def test_what_has_no_meaning_is_refused(wrong, error, reason):
    with pytest.raises(error, match=reason):
        wrong(*start())


@pytest.mark.parametrize(
    ("wrong", "error", "reason"),
    [
        (lambda p, f, x: p.function(Smooth), ValueError, "expected a class of functions such as Smooth"),
        (lambda p, f, x: p.function(3), ValueError, "expected a class of functions such as Smooth"),
        (lambda p, f, x: p.require(True), TypeError, "expected a condition such as"),
        (lambda p, f, x: Problem().require(f(x) <= 1), ValueError, "about another problem"),
        (lambda p, f, x: p.start(x), ValueError, "a start has both, or neither"),
        (lambda p, f, x: p.start(distance=1), ValueError, "a start has both, or neither"),
        (lambda p, f, x: p.worst(), ValueError, "needs a quantity, such as"),
        (lambda p, f, x: p.worst(1), TypeError, "expected a quantity of this problem"),
        (lambda p, f, x: Problem().worst(f(x)), TypeError, "expected a quantity of this problem"),
        (lambda p, f, x: f.gradient(Problem().start()), ValueError, "belongs to another problem"),
        (lambda p, f, x: f.gradient(1), TypeError, "expected a point, got 1"),
        (lambda p, f, x: f(3), TypeError, "expected a point, got 3"),
        (lambda p, f, x: f + 1, TypeError, "added to functions of the same problem"),
        (lambda p, f, x: f + Problem().function(Convex()), TypeError, "added to functions of the same problem"),
        (lambda p, f, x: f.T, ValueError, "have no adjoint"),
        (lambda p, f, x: f.infimum, ValueError, "is the value at f.minimiser"),
        (lambda p, f, x: p.blocks(0), ValueError, "at least one block, got 0"),
        (lambda p, f, x: p.blocks(2)(x, 2), ValueError, "there are blocks 0 to 1, got 2"),
    ],
)
def test_problems_refuse_what_they_do_not_know(wrong, error, reason):
    p = Problem()
    f = p.function(Smooth(1))
    x = p.start()
    with pytest.raises(error, match=reason):
        wrong(p, f, x)
