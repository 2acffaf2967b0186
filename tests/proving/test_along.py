"""Dual variables along a parameter: those of the textbook, and none where nothing is proved."""

from __future__ import annotations

import math

import pytest
from sympy import Max, Rational, Symbol

from fltheory.plotting.kinds.multipliers import multipliers_picture
from fltheory.proof import Member, eq, le, lt, proof
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Fun, Grad, Vector, family, square
from fltheory.proving.multipliers.along import multipliers_along

pytest.importorskip("clarabel")
F = family(Fun, "F")()
x, y, best = (family(Vector, name)() for name in ("x", "x_plus", "x_star"))
L, mu, eta = (Symbol(name, positive=True) for name in ("L", "mu", "eta"))
VALUES = tuple(Rational(k, 4) for k in range(1, 8))


def contraction(factor: object) -> Theorem:
    return (
        proof("mine/contraction")
        .under(Member("class", F, L, mu, "F is L-smooth and mu-strongly convex"))
        .given("order", lt(mu, L), "not one curvature")
        .given("step", eq(y, x - eta * Grad(F, x)), "gradient descent")
        .given("least", eq(Grad(F, best), 0 * best), "the minimiser")
        .conjecture(le(square(y - best), factor * square(x - best)))
    )


def test_the_dual_variables_are_those_of_the_textbook() -> None:
    found = multipliers_along(
        contraction(Max((1 - eta * mu) ** 2, (1 - eta * L) ** 2)), "eta", VALUES, {"L": 1, "mu": "1/5"}
    )
    assert all(found.proved)
    assert len(found.multipliers) == 2
    for row in found.multipliers.values():
        for value, got in zip(VALUES, row, strict=True):
            short = 2 * value * (1 - value / 5) / Rational(4, 5)
            wanted = short if value <= Rational(5, 3) else 2 * value * (value - 1) / Rational(4, 5)
            assert got == pytest.approx(float(wanted), abs=1e-4)


def test_there_are_none_where_the_statement_is_false() -> None:
    found = multipliers_along(contraction((1 - eta * mu) ** 2), "eta", VALUES, {"L": 1, "mu": "1/5"})
    assert found.proved == tuple(value <= Rational(5, 3) for value in VALUES)
    (panel,) = multipliers_picture(found).panels
    assert [(zone.low, zone.high) for zone in panel.zones] == [(1.625, 1.75)]
    assert all(math.isnan(row[-1]) for row in found.multipliers.values())


def test_an_unknown_parameter_or_one_without_a_value_is_named() -> None:
    with pytest.raises(ValueError, match="no parameter 'step'"):
        multipliers_along(contraction(1), "step", VALUES, {"L": 1, "mu": 1})
    with pytest.raises(ValueError, match="no value for mu"):
        multipliers_along(contraction(1), "eta", VALUES, {"L": 1})
