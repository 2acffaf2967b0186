"""Normal forms are the terms that they came from: both evaluated on random vectors, sums and finite probability spaces."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Add, Expr, Integer, Mul, Pow, Rational, Symbol

from fltheory.proof.algebra.normal import equal, normal_form
from fltheory.proof.terms import (
    Dot,
    Draw,
    E,
    RandomScalar,
    RandomVector,
    Scalar,
    Term,
    Total,
    Vector,
    family,
    is_random,
    is_vector,
)

SIZE = 3  # of the permuted numbers: outcomes are the permutations of 1..SIZE
OUTCOMES = tuple(itertools.permutations(range(1, SIZE + 1)))
i, j, n = (Symbol(name, integer=True) for name in "ijn")
N = Symbol("N", integer=True, nonnegative=True)
M = Symbol("M", integer=True, positive=True)
a, X = family(Scalar, "a"), family(RandomScalar, "X")
u, V = family(Vector, "u"), family(RandomVector, "V")


class Model:
    """Numbers and vectors for every term, the same whenever it is asked; E is the mean over all permutations."""

    def __init__(self, seed: int, values: dict[Symbol, int], size: int = SIZE) -> None:
        self.seed, self.values, self.size = seed, values, size
        self.outcomes = tuple(itertools.permutations(range(1, size + 1)))

    def draw(self, *key: object) -> Fraction:
        chance = random.Random(repr((self.seed, *key)))
        return Fraction(chance.randint(-6, 6), chance.randint(1, 3))

    def value(self, expr: Expr, bound: dict[Symbol, int], outcome: tuple[int, ...]) -> Any:
        """The number or vector that a term is, for one outcome."""
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        if isinstance(expr, Symbol):
            return Fraction({**self.values, **bound}[expr])
        args = expr.args
        if isinstance(expr, Draw):
            return Fraction(outcome[int(self.value(args[0], bound, outcome)) - 1])
        if isinstance(expr, Scalar | Vector):
            indices = tuple(str(self.value(b, bound, outcome)) for b in args[1:])
            chance = outcome if expr.random else ()
            key = (type(expr).__name__, str(args[0]), indices, chance)
            return self.draw(*key) if isinstance(expr, Scalar) else [self.draw(*key, axis) for axis in range(2)]
        if isinstance(expr, E):
            return sum(self.value(args[0], bound, o) for o in self.outcomes) / len(self.outcomes)
        if isinstance(expr, Dot):
            return sum(p * q for p, q in zip(*(self.value(b, bound, outcome) for b in args), strict=True))
        if isinstance(expr, Total):
            body, index, low, high = args
            first, last = (int(self.value(e, bound, outcome)) for e in (low, high))
            parts = [self.value(body, {**bound, index: k}, outcome) for k in range(first, last + 1)]
            nothing = [Fraction(0), Fraction(0)] if is_vector(expr) else Fraction(0)
            return self.add(parts) if parts else nothing
        assert not isinstance(expr, Term)
        if isinstance(expr, Add):
            return self.add([self.value(b, bound, outcome) for b in args])
        if isinstance(expr, Mul):
            product: Any = Fraction(1)
            for part in (self.value(b, bound, outcome) for b in args):
                product = (
                    [product * p for p in part]
                    if isinstance(part, list)
                    else ([q * part for q in product] if isinstance(product, list) else product * part)
                )
            return product
        assert isinstance(expr, Pow)
        return self.value(expr.base, bound, outcome) ** int(self.value(expr.exp, bound, outcome))

    @staticmethod
    def add(parts: list[Any]) -> Any:
        vectors = [p for p in parts if isinstance(p, list)]
        if not vectors:
            return sum(parts, Fraction(0))
        assert all(p == 0 for p in parts if not isinstance(p, list))  # an empty sum of vectors is 0
        return [sum(column) for column in zip(*vectors, strict=True)]


indices = st.sampled_from([i, j, Integer(1), Integer(2), n, i + 1, n - j])
draws = st.sampled_from([Draw(Integer(1), Integer(SIZE)), Draw(Integer(2), Integer(SIZE))])
coefficients = st.builds(Rational, st.integers(-3, 3), st.integers(1, 3))
bounds = st.sampled_from(
    [(Integer(0), N), (Integer(1), N + 1), (Integer(1), Integer(3)), (Integer(1), n), (n, N), (i, N)]
)
vectors = st.recursive(
    st.one_of(st.builds(u, st.one_of(indices, draws)), st.builds(V, indices)),
    lambda inner: st.one_of(
        st.builds(lambda p, q: p + q, inner, inner),
        st.builds(lambda c, p: c * p, coefficients.filter(bool), inner),
        st.builds(lambda p, ends: Total(p, j, *ends), inner, bounds),
    ),
    max_leaves=3,
)
leaves = st.one_of(
    coefficients,
    st.sampled_from([n, N]),
    st.builds(a, st.one_of(indices, draws)),
    st.builds(X, indices),
    st.builds(Dot, vectors, vectors),
)
numbers = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda p, q: p + q, inner, inner),
        st.builds(lambda p, q: p * q, inner, inner),
        st.builds(lambda p: p**2, inner),
        st.builds(E, inner),
        st.builds(lambda p, ends: Total(p, j, *ends), inner, bounds),
        st.builds(lambda p, ends: Total(p, i, ends[0].subs(i, 0), ends[1]), inner, bounds),
    ),
    max_leaves=5,
)


@given(numbers, st.integers(0, 50), st.integers(-2, 3), st.integers(0, 3))
def test_normal_forms_keep_the_value(expr: Expr, seed: int, size: int, count: int) -> None:
    model = Model(seed, {i: 2, j: 1, n: size, N: count})
    expr = sympy.sympify(expr)
    after = normal_form(expr)
    for outcome in OUTCOMES if is_random(expr) else OUTCOMES[:1]:
        assert model.value(expr, {}, outcome) == model.value(after, {}, outcome)


@given(numbers, numbers)
def test_equal_terms_have_equal_values(first: Expr, second: Expr) -> None:
    """What is called equal is so in a model; different coefficients are told apart."""
    if equal(first, second):
        model = Model(3, {i: 2, j: 1, n: 2, N: 2})
        assert all(model.value(sympy.sympify(first - second), {}, o) == 0 for o in OUTCOMES)
    assert not equal(first, first + 1)


def test_the_model_tells_wrong_rules_apart() -> None:
    """Negative controls: false identities are false in the model."""
    model = Model(1, {n: 2, N: 2})
    for left, right in (
        (E(X(1) * X(2)), E(X(1)) * E(X(2))),
        (Total(a(i) ** 2, i, 1, N), Total(a(i), i, 1, N) ** 2),
        (Total(a(i), i, 0, N), Total(a(i), i, 1, N)),
        (Dot(u(1), u(2)), Dot(u(1), u(1))),
    ):
        assert model.value(left, {}, OUTCOMES[0]) != model.value(right, {}, OUTCOMES[0])
        assert not equal(left, right)


def test_permuted_sums_against_all_permutations() -> None:
    """Sums over what is drawn, for 1 to 4 numbers: the normal form has the value of the term for each permutation."""
    draw, other = Draw(i, M), Draw(j, M)
    whole = (
        Total(a(draw), i, 1, M),
        Total(a(Draw(i + 1, M)), i, 0, M - 1),
        Total(E(a(draw)), i, 1, M),
        Total(E(a(draw)) ** 2, i, 1, M),
        Total(a(draw) * E(a(draw)), i, 1, M),
        Total(a(draw) * a(i), i, 1, M),
        Total(Total(E(a(draw) * a(other)), i, 1, M), j, 1, M),
        Total(Total(a(draw) * X(other), i, 1, M), j, 1, M),
        Total(Total(a(draw), i, 1, j), j, 1, M),
        Total(Total(Dot(u(draw), u(other)), i, 1, M), j, 1, M),
        Total(Total(E(Dot(u(draw), u(other))), i, 1, j - 1), j, 1, M),
        E(Dot(Total(u(draw), i, 1, M), u(Draw(1, M)))),
        Dot(Total(E(a(draw)) * u(draw), i, 1, M), u(1)),
        Total(a(Draw(i, M)) * X(1), i, 1, M),
    )
    for size in range(1, 5):
        model = Model(size, {M: size}, size)
        for expr in whole:
            after = normal_form(expr)
            for outcome in model.outcomes:
                assert model.value(expr, {}, outcome) == model.value(after, {}, outcome), expr
    assert equal(whole[0], Total(a(i), i, 1, M))
    assert equal(whole[1], Total(a(i), i, 1, M))
    assert not equal(Total(Total(a(draw), i, 1, j), j, 1, M), Total(Total(a(i), i, 1, j), j, 1, M))


def test_a_last_term_is_taken_out_of_a_sum_with_whole_ends_alone() -> None:
    """The integers up to r + 1 are not those up to r and r + 1, unless r is one; of numbers and of vectors."""
    r = Symbol("r", nonnegative=True)
    for body in (a(i), u(i), i * u(i)):
        last = lambda end: body.subs(i, end)  # noqa: B023, E731
        assert equal(Total(body, i, 1, N + 1), Total(body, i, 1, N) + last(N + 1))
        assert not equal(Total(body, i, 1, r + 1), Total(body, i, 1, r) + last(r + 1))
        assert equal(Total(body, i, 1, M - 1), Total(body, i, 1, M) - last(M))
        positive = Symbol("r", positive=True)
        assert not equal(Total(body, i, 1, positive - 1), Total(body, i, 1, positive) - last(positive))
