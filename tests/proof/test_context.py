"""What is seen to be nonnegative from facts: quotients whose denominator has a sign as a whole."""

from __future__ import annotations

import pytest
from sympy import Expr, Symbol

from fltheory.proof.algebra.context import is_nonnegative

g = Symbol("g", positive=True)
SMALL = 2 - g**2  # not negative


@pytest.mark.parametrize("expr", [g**2 / (4 - g**2), 2 / (4 - g**2), (2 - g**2) / (3 - g**2), -g / (g**2 - 4)])
def test_a_denominator_may_have_its_sign_as_a_whole(expr: Expr) -> None:
    assert is_nonnegative(expr, (SMALL,))
    assert not is_nonnegative(expr, ())


@pytest.mark.parametrize(
    "expr", [g**2 / (1 - g**2), -1 / (4 - g**2), g / (g**2 - 4), 1 / (2 - g**2), (1 - g) / (4 - g**2)]
)
def test_no_other_quotient_passes(expr: Expr) -> None:
    assert not is_nonnegative(expr, (SMALL,))
