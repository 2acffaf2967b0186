"""The axioms of function classes, on sampled functions of each class and on functions outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import Expr, Rational, Symbol

from fltheory.proof.algebra.axioms import Axiom, Kind, relation_of
from fltheory.proof.language import Member, ProofError
from fltheory.proof.terms import Dot, Fun, Grad, Val, Vector, family

L, mu = Symbol("L"), Symbol("mu")
f, u, v = family(Fun, "f")(), family(Vector, "u")(), family(Vector, "v")()
KINDS = ("convex", "descent", "ascent", "lipschitz", "cocoercive", "interpolated")
SAMPLES = 400  # a kind of function


Point = Sequence[Fraction] | np.ndarray


class Sample:
    """A function with its class at two points: values and gradients, exact for quadratics, else rounded."""

    def __init__(
        self,
        value: Callable[[Point], Fraction | float],
        grad: Callable[[Point], Point],
        smooth: Fraction | float,
        convex: Fraction | float | None,
        points: Sequence[Point],
    ) -> None:
        self.value, self.grad, self.smooth, self.convex = value, grad, smooth, convex
        self.u, self.v = points


def dot(a: Point, b: Point) -> Fraction:
    return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))


def quadratics(rng: np.random.Generator, convex: bool) -> Iterator[Sample]:
    """x^T A x / 2 with A = (diagonal, then integer reflections that keep its eigenvalues), exact."""
    for _ in range(SAMPLES):
        dim = int(rng.integers(1, 6))
        low = 0 if convex else -6
        values = [Fraction(int(rng.integers(low, 7)), int(rng.integers(1, 4))) for _ in range(dim)]
        normal_vector = [Fraction(int(n)) for n in rng.integers(-3, 4, dim)]
        norm = dot(normal_vector, normal_vector)

        def reflect(x: Point, w: Point = normal_vector, norm: Fraction = norm) -> Point:
            scale = 2 * dot(w, x) / norm if norm else Fraction(0)
            return [p - scale * q for p, q in zip(x, w, strict=True)]

        def grad(x: Point, values: Point = values, reflect: Callable[[Point], Point] = reflect) -> Point:
            return reflect([e * p for e, p in zip(values, reflect(x), strict=True)])

        points = [[Fraction(int(p)) for p in rng.integers(-9, 10, dim)] for _ in range(2)]
        if rng.random() < 0.5:  # along an eigenvector, where the constants are sharp
            k = int(np.argmax(np.abs([float(e) for e in values])))
            axis = reflect([Fraction(int(i == k)) for i in range(dim)])
            points[1] = [p + q for p, q in zip(points[0], axis, strict=True)]

        def value(x: Point, grad: Callable[[Point], Point] = grad) -> Fraction:
            return dot(x, grad(x)) / 2

        yield Sample(value, grad, max(map(abs, values)), min(values) if convex else None, points)


def hubers(rng: np.random.Generator) -> Iterator[Sample]:
    """Sums of Huber functions of the coordinates, exact: flat slopes outside a box, convex, not strongly."""
    for _ in range(SAMPLES):
        dim = int(rng.integers(1, 6))
        heights = [Fraction(int(rng.integers(1, 6))) for _ in range(dim)]
        edges = [Fraction(int(rng.integers(1, 5)), 2) for _ in range(dim)]

        def value(x: Point, h: Point = heights, e: Point = edges) -> Fraction:
            parts = zip(h, e, x, strict=True)
            return sum((a * (p * p / 2 if abs(p) <= b else b * abs(p) - b * b / 2) for a, b, p in parts), Fraction(0))

        def grad(x: Point, h: Point = heights, e: Point = edges) -> Point:
            return [a * max(-b, min(b, p)) for a, b, p in zip(h, e, x, strict=True)]

        points = [[Fraction(int(p), 2) for p in rng.integers(-9, 10, dim)] for _ in range(2)]
        yield Sample(value, grad, max(heights), Fraction(0), points)


def logistics(rng: np.random.Generator) -> Iterator[Sample]:
    """log(1 + exp(<w, x>)): |w|^2/4-smooth and convex, in floats."""
    for _ in range(SAMPLES):
        dim = int(rng.integers(1, 6))
        w = rng.normal(size=dim)

        def value(x: Point, w: np.ndarray = w) -> float:
            return float(np.logaddexp(0, w @ np.asarray(x)))

        def grad(x: Point, w: np.ndarray = w) -> Point:
            return w / (1 + np.exp(-(w @ np.asarray(x))))

        yield Sample(value, grad, float(w @ w) / 4, 0.0, (rng.normal(size=dim) * 3, rng.normal(size=dim) * 3))


def gap(kind: Kind, sample: Sample, smooth: Fraction | float, convex: Fraction | float | None) -> Any:
    """The axiom's right side less its left one on a sample, read off the proof term itself."""
    relation = relation_of(Axiom(kind, f, u, v), Member("m", f, L, mu), (mu,))
    names = {L: smooth, mu: convex}

    def number(expr: Expr) -> Any:
        if expr in names:
            return names[expr]
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        if isinstance(expr, Val):
            return sample.value(vector(expr.args[1]))
        if isinstance(expr, Dot):
            return dot(vector(expr.args[0]), vector(expr.args[1]))
        if expr.is_Pow:
            base = number(expr.base)
            return base ** int(expr.exp) if expr.exp > 0 else 1 / base ** int(-expr.exp)
        parts = [number(a) for a in expr.args]
        total = parts[0]
        for part in parts[1:]:
            total = total + part if expr.is_Add else total * (float(part) if isinstance(total, float) else part)
        return total

    def vector(expr: Expr) -> Point:
        if expr == u:
            return sample.u
        if expr == v:
            return sample.v
        if isinstance(expr, Grad):
            return sample.grad(vector(expr.args[1]))
        if expr.is_Mul:
            scale, rest = expr.as_coeff_Mul()
            return [Fraction(int(scale.p), int(scale.q)) * p for p in vector(rest)]
        parts = [vector(a) for a in expr.args]
        return [sum(column[1:], column[0]) for column in zip(*parts, strict=True)]

    return number(relation.right) - number(relation.left)


def holds(kind: Kind, sample: Sample, scale: Fraction = Fraction(1)) -> bool:
    """Whether the axiom holds with its constant times ``scale`` (the strong convexity divided by it); floats: safely."""
    exact = isinstance(sample.smooth, Fraction | int)
    factor = scale if exact else float(scale)
    convex = sample.convex / factor if sample.convex else sample.convex
    rounding = 0 if exact else 1e-9
    return bool(gap(kind, sample, sample.smooth * factor, convex) >= -rounding)


def samples() -> list[Sample]:
    rng = np.random.default_rng(7)
    return [*quadratics(rng, True), *quadratics(rng, False), *hubers(rng), *logistics(rng)]


ALL = samples()


def fit(kind: Kind, sample: Sample) -> bool:
    return (sample.convex is not None or kind not in ("convex", "cocoercive", "interpolated")) and (
        kind != "cocoercive" or sample.smooth > 0
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_axiom_holds_on_its_class(kind: Kind) -> None:
    fitting = [s for s in ALL if fit(kind, s)]
    assert len(fitting) >= 1000
    assert all(holds(kind, s) for s in fitting)


@pytest.mark.parametrize("kind", KINDS)
def test_the_axiom_fails_with_half_the_constant(kind: Kind) -> None:
    """With half the smoothness, or twice the strong convexity, some sample violates it."""
    fitting = [s for s in ALL if fit(kind, s) and s.smooth > 0]
    assert not all(holds(kind, s, Fraction(1, 2)) for s in fitting)


@pytest.mark.parametrize("kind", ["convex", "cocoercive", "interpolated"])
def test_functions_that_are_not_convex_violate_it(kind: Kind) -> None:
    outside = [s for s in ALL if s.convex is None and s.smooth > 0]
    for sample in outside:
        sample.convex = Fraction(0)
    try:
        assert not all(holds(kind, s) for s in outside)
    finally:
        for sample in outside:
            sample.convex = None


@pytest.mark.parametrize("kind", ["descent", "ascent", "lipschitz", "cocoercive"])
def test_kinks_violate_smoothness(kind: Kind) -> None:
    """|x| is not smooth, whatever the constant; -|x| for the inequality from below."""
    sign = -1 if kind == "ascent" else 1
    kink = Sample(
        lambda x: sign * abs(x[0]),
        lambda x: [sign * Fraction(1 if x[0] >= 0 else -1)],
        Fraction(100),
        Fraction(0),
        ([Fraction(-1, 1000)], [Fraction(1, 1000)]),
    )
    assert not holds(kind, kink)


def test_an_axiom_needs_its_class() -> None:
    cases: tuple[tuple[Any, Member], ...] = (
        ("convex", Member("m", f, L)),
        ("descent", Member("m", f, None, 0)),
        ("ascent", Member("m", f, None, mu)),
        ("lipschitz", Member("m", f, None, 0)),
        ("cocoercive", Member("m", f, L)),
        ("cocoercive", Member("m", f, None, 0)),
        ("interpolated", Member("m", f, L)),
        ("interpolated", Member("m", f, None, mu)),
        ("other", Member("m", f, L, mu)),
    )
    for kind, member in cases:
        with pytest.raises(ProofError):
            relation_of(Axiom(kind, f, u, v), member)
    assert relation_of(Axiom("convex", f, u, v), Member("m", f, L, Rational(0))).op == "<="
