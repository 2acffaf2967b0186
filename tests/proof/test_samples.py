"""Points in place of letters refuse only what looking at the terms would refuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
import sympy
from sympy import Expr, Symbol, exp, log, sqrt

from fltheory.proof import library
from fltheory.proof.algebra import context, polynomial
from fltheory.proof.algebra.samples import negative_somewhere
from fltheory.proof.terms import is_vector

x, y = Symbol("x", positive=True), Symbol("y", nonnegative=True)
z, n = Symbol("z", real=True), Symbol("n", integer=True, positive=True)
HELD = (
    x,
    y,
    z**2,
    x * y,
    x / (1 + y),
    1 / x - 1 / (x + y),
    exp(z),
    exp(z + y) - exp(z) * exp(y),
    x ** (n + 1) - x * x**n,
    n - 1,
    n**2 - n,
    x**n,
    sqrt(x + y),
    (n - 1) * x**z,
    10**40 * (x + y) - 10**40 * x,
    x * (n - 1) / n,
    1 + 1 / (exp(1) - 1) - 2 / (2 - 2 * exp(-1)),
    log(x / y**2 + 1) - log(1 + x / y**2),
    x ** (n + z) - x**n * x**z,
)
NOT_HELD = (-x, x - y, z, z**3, 1 - x, n - 2, log(x), y - x * y**2, 2 - exp(y))


@pytest.mark.parametrize("expr", HELD, ids=str)
def test_what_holds_at_a_glance_is_not_refused(expr: Expr) -> None:
    assert not negative_somewhere(expr)


@pytest.mark.parametrize("expr", NOT_HELD, ids=str)
def test_what_does_not_is_not_accepted(expr: Expr) -> None:
    assert not polynomial.is_visibly_nonnegative(expr)
    assert not context.is_nonnegative(expr, ())


def _gaps() -> Iterator[Expr]:
    """Of every sixtieth recorded theorem: its lines, and differences of two of them."""
    for key in ("sfl", "osmd", "fedcg", "aaggff", "delta_sgd"):
        for theorem in library.load(key).theorems[::60]:
            lines = [s.claim.gap for s in theorem.steps if not is_vector(s.claim.gap)][:4]
            yield from lines
            yield from (sympy.expand(a - b) for a, b in pairwise(lines))


def test_recorded_lines_are_judged_as_without_points(monkeypatch: pytest.MonkeyPatch) -> None:
    gaps = list(_gaps())

    def judged() -> list[tuple[bool, bool, bool]]:
        return [
            (polynomial.is_visibly_nonnegative(g), polynomial.is_visibly_positive(g), context.is_nonnegative(g, ()))
            for g in gaps
        ]

    with_points = judged()
    for module in (polynomial, context):
        monkeypatch.setattr(module, "negative_somewhere", lambda *_: False)
    assert with_points == judged()
    assert 2 < sum(found[0] for found in with_points) < len(gaps) - 20
