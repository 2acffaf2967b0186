"""The smoothness lemmas: (7), (8), Lemmas 2 and 3 with (9)-(12); and what (1c) says of the clients' directions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy

from fltheory.bound import Dimension
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.number.vectors import total
from fltheory.papers.delta_sgd.bounds import lemmas as of
from fltheory.papers.delta_sgd.claims.direct import always, drawn
from fltheory.papers.delta_sgd.data.lemma_instances import (
    Between,
    Gradients,
    LogCosh,
    OnInterval,
    Pieces,
    Quartic,
    Ridges,
    SharedPair,
    Vectors,
    dot,
    huber,
    quadratic,
    squared_distance,
)
from fltheory.runs.measures import NUMBER, DirectMeasure
from fltheory.statement import of_instance

CURVATURE: Dimension = (sympy.Integer(1), sympy.Integer(-2))
CURVATURE_SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(-4))

# (7) and (8) --------------------------------------------------------------------------------------------------------


def product(one: Vectors) -> Fraction:
    """2 <u, v> over |u|^2 + |v|^2, of the first two vectors."""
    u, v = one.vectors[:2]
    return 2 * dot(u, v) / (dot(u, u) + dot(v, v))


def square_of_sum(one: Vectors) -> Fraction:
    """|sum of the vectors|^2 over the sum of their squares."""
    added = [sum(column) for column in zip(*one.vectors, strict=True)]
    return dot(added, added) / total(dot(v, v) for v in one.vectors)


PAIRS = tuple(
    Case(Vectors(v)) for v in (((1, 2), (1, 2)), ((3, 0, "1/2"), (1, -1, 1)), ((1,), (-4,)), ((0, 0), (1, 1)))
)
SEVERAL = (
    Case(Vectors(((1, 2),) * 3)),
    Case(Vectors(((1, 0), (0, 1), (1, 1), ("1/2", 3)))),
    Case(Vectors(((2, -1),))),
    *PAIRS,
)
VECTORS = (
    always(
        "7",
        "<u, v> <= |u|^2/2 + |v|^2/2",
        of.PRODUCT,
        of_instance("2<u, v> / (|u|² + |v|²)", product),
        PAIRS,
        drawn("smoothness", "vectors", least=2, most=2),
    ),
    always(
        "8",
        "|v_1 + ... + v_m|^2 <= m(|v_1|^2 + ... + |v_m|^2)",
        of.SUM,
        of_instance("|Σ v_i|² / Σ |v_i|²", square_of_sum),
        SEVERAL,
        drawn("smoothness", "vectors"),
    ),
)

# Lemma 2, and what follows for the mean of the clients ----------------------------------------------------------------

Pair = Between | SharedPair


def _apart(one: Pair, ring: Ring) -> tuple[list[Any], list[Any], Any]:
    """y - x, the change of the gradient, and |y - x|^2."""
    (_, at_x), (_, at_y) = one.jet(one.x, ring), one.jet(one.y, ring)
    move = [ring.scalar(w - v) for v, w in zip(one.x, one.y, strict=True)]
    return move, [w - v for v, w in zip(at_x, at_y, strict=True)], ring.scalar(squared_distance(one.x, one.y))


def excess(one: Pair, ring: Ring) -> Any:
    """2(f(y) - f(x) - <gradient at x, y - x>) / |y - x|^2."""
    (value, gradient), (other, _) = one.jet(one.x, ring), one.jet(one.y, ring)
    move, _, square = _apart(one, ring)
    return 2 * (other - value - _sum_of_products(gradient, move, ring)) / square


def change(one: Pair, ring: Ring) -> Any:
    """|change of the gradient|^2 / |y - x|^2."""
    _, gradients, square = _apart(one, ring)
    return _sum_of_products(gradients, gradients, ring) / square


def monotonicity(one: Pair, ring: Ring) -> Any:
    """<change of the gradient, y - x> / |y - x|^2."""
    move, gradients, square = _apart(one, ring)
    return _sum_of_products(gradients, move, ring) / square


def change_by_mean(one: SharedPair, ring: Ring) -> Any:
    """The change over the squared mean of the clients' constants; 0 where that is 0."""
    return change(one, ring) / ring.scalar(one.mean_smoothness**2) if one.mean_smoothness else ring.scalar(0)


def _sum_of_products(u: list[Any], v: list[Any], ring: Ring) -> Any:
    return sum((a * b for a, b in zip(u, v, strict=True)), ring.scalar(0))


def _measure(name: str, value: Callable[[Any, Ring], Any], dimension: Dimension) -> DirectMeasure:
    return DirectMeasure(name, lambda case, ring: value(case.instance, ring), dimension)


AXES = ((1, 0), (0, 1))
QUARTICS = Ridges(AXES, (Quartic(), Quartic()))  # a quarter of the sum of x_j^4
HYPERBOLIC = Ridges(((1, 2), (-1, 1), (0, 3)), (LogCosh(), LogCosh("1/2"), LogCosh(2, 1)))
WAVY = Ridges(((3, 4), (-4, 3)), (Pieces((-1, 1), (2, -1, "1/2")), huber(1, -3)))
QUARTIC, OUTWARDS = Between(Ridges(((1,),), (Quartic(),)), (0,), (2,)), Between(QUARTICS, (2, 1), ("201/100", 1))
BETWEEN = (
    Case(Between(Ridges(AXES, (quadratic(2), quadratic(-1))), (0, 1), (3, 1))),
    Case(Between(Ridges(((1,),), (huber(1, 2),)), (-1,), (1,), ((5,),))),
    Case(QUARTIC),
    Case(OUTWARDS),
    Case(Between(QUARTICS, (1, -2), ("1/2", 1), ((0, 2), (-1, -1)))),
    Case(Between(HYPERBOLIC, (0, "1/3"), ("1/10", "1/3"), ((1, 1),))),
    Case(Between(WAVY, ("1/5", 0), ("-1/5", "1/10"), ((2, 1),))),
)


def pair(x: Any, y: Any, *clients: tuple[Ridges, Any]) -> Case:
    """Clients with two points in common, each with further points of its own."""
    return Case(SharedPair(tuple(Between(objective, x, y, others) for objective, others in clients)))


SHARED = (
    pair((0,), (2,), (Ridges(((1,),), (quadratic(3),)), ()), (Ridges(((1,),), (quadratic(3),)), ((5,),))),
    pair((0,), (1,), (Ridges(((1,),), (quadratic(1),)), ()), (Ridges(((1,),), (quadratic(-1),)), ())),
    pair((1, 1), (2, 0), (QUARTICS, ((0, 0),)), (HYPERBOLIC, ()), (WAVY, ((5, 5),))),
    pair((0, 1), (1, 1), (Ridges(AXES, (quadratic(1), quadratic(9))), ()), (Ridges(AXES, (huber(3, 2), huber(1))), ())),
)
_BETWEEN, _SHARED = drawn("smoothness", "between"), drawn("smoothness", "shared_pairs")
_EXCESS = _measure("2(f(y) - f(x) - <∇f(x), y - x>) / |y - x|²", excess, CURVATURE)
_CHANGE = _measure("|∇f(y) - ∇f(x)|² / |y - x|²", change, CURVATURE_SQUARED)
LEMMA_2 = (
    always(
        "L2",
        "f_i(y) <= f_i(x) + <∇f_i(x), y - x> + L̃_i,t/2 |y - x|^2 on the hull of the round's points",
        of.DESCENT,
        _EXCESS,
        BETWEEN,
        _BETWEEN,
        remark="The hull of finitely many points is bounded: (1a) and (1b), with which the proof says that stochastic "
        "gradients are bounded, don't bound them and aren't needed.",
    ),
    always(
        "L2-10",
        "|∇f_i(x) - ∇f_i(y)| <= L̃_i,t |y - x| on the hull of the round's points",
        of.LIPSCHITZ,
        _CHANGE,
        BETWEEN,
        _BETWEEN,
    ),
    always(
        "L2-inner",
        "<∇f_i(y) - ∇f_i(x), y - x> <= L̃_i,t |y - x|^2 on the hull of the round's points",
        of.INNER,
        _measure("<∇f(y) - ∇f(x), y - x> / |y - x|²", monotonicity, CURVATURE),
        BETWEEN,
        _BETWEEN,
    ),
)

# Lemma 3 ------------------------------------------------------------------------------------------------------------


def relative_smoothness(one: OnInterval) -> Fraction:
    """The Lipschitz constant of the mean's slope over the mean of the clients'."""
    return one.smoothness_of_mean / one.mean_smoothness


OPPOSITE = Case(OnInterval((quadratic(1), quadratic(-1)), -1, 1))  # x^2/2 and -x^2/2: the mean is 0
APART = Case(OnInterval((huber(1), huber(1, 1, 5)), -2, 8))  # convex clients, curved in different places
ALIKE = (
    Case(OnInterval((quadratic(2), quadratic("1/3")), 0, 1)),
    Case(OnInterval((huber(1), Pieces((0, 2), (-1, 3, 0))), -3, 3)),
)
_RELATIVE = of_instance("the Lipschitz constant of ∇f over the mean of the clients'", relative_smoothness)
_INTERVALS = drawn("smoothness", "on_interval")
LEMMA_3 = (
    always(
        "L3",
        "The mean of L̃_i-smooth f_i is at least (1/m Σ L̃_i)-smooth: its constant is no larger",
        of.AT_MOST,
        _RELATIVE,
        (*ALIKE, OPPOSITE, APART),
        _INTERVALS,
    ),
    always(
        "L3",
        "The mean of L̃_i-smooth f_i is at least (1/m Σ L̃_i)-smooth: its constant is no smaller",
        of.AT_LEAST,
        _RELATIVE,
        (OPPOSITE, APART),
        _INTERVALS,
        expected="violated",
        remark='The other way to read "at least"; its proof shows the opposite.',
    ),
    always(
        "L3-11",
        "|∇f(x) - ∇f(y)| <= 1/m Σ L̃_i |x - y| on the points that all hulls contain",
        of.MEAN_LIPSCHITZ,
        _measure("(|∇f(x) - ∇f(y)| / (|x - y| 1/m Σ L̃_i))²", change_by_mean, NUMBER),
        SHARED,
        _SHARED,
    ),
    always(
        "L3-12",
        "|∇f(x) - ∇f(y)| <= L̃ |x - y| on the points that all hulls contain",
        of.LARGEST_LIPSCHITZ,
        _CHANGE,
        SHARED,
        _SHARED,
    ),
    always(
        "L3-12b",
        "f(x_t+1) <= f(x_t) + <∇f(x_t), x_t+1 - x_t> + L̃/2 |x_t+1 - x_t|^2",
        of.MEAN_DESCENT,
        _EXCESS,
        SHARED,
        _SHARED,
    ),
)

# (1c): the clients' directions ----------------------------------------------------------------------------------------


def largest(one: Gradients) -> Fraction:
    """The largest |gradient of a client|^2 over |gradient of f|^2."""
    return max(dot(g, g) for g in one.vectors) / dot(one.mean, one.mean)


def weighted_share(one: Gradients) -> Fraction:
    """<a positive combination of the clients' gradients, gradient of f>, relative to the weights and |gradient of f|^2."""
    return dot(one.weights, one.shares) / total(map(Fraction, one.weights))


SIGNED = Case(Gradients(((-1,), (-1,), (8,)), (1, 1, 0)))  # f_i = w_i F with w = (-1/2, -1/2, 4): rho = 9
SHARP = Case(Gradients(((1,), (3,)), (1, 0)))  # w = (1/2, 3/2): rho = 1/4
MILD = Case(Gradients(((2, 1), (3, -1), (4, "3/2")), (1, 2, 3)))
SAME = Case(Gradients(((1, 2), (1, 2))))
GRADIENTS = (SHARP, MILD, SAME)
_GRADIENTS = drawn("smoothness", "gradients")
_CONE = of_instance("<Σ w_i ∇f_i, ∇f> / (Σ w_i |∇f|²)", weighted_share)
DIRECTIONS = (
    always(
        "A1c-size",
        "(1c) makes |∇f_i| <= (1 + √ρ)|∇f|: a stationary point of f is one of every f_i",
        of.CLIENT_SIZE,
        of_instance("max |∇f_i|² / |∇f|²", largest),
        (*GRADIENTS, SIGNED),
        _GRADIENTS,
    ),
    always(
        "A1c-slope",
        "(1c) makes <∇f - ∇f_i, ∇f> <= √ρ|∇f|^2 for every client",
        of.CLIENT_SLOPE,
        of_instance("max <∇f - ∇f_i, ∇f> / |∇f|²", lambda one: 1 - min(one.shares)),
        (*GRADIENTS, SIGNED),
        _GRADIENTS,
    ),
    always(
        "A1c-cone",
        "(1c) makes every positive combination of the clients' gradients a direction of ascent of f, whatever ρ",
        of.CONE_ANY,
        _CONE,
        (SIGNED,),
        _GRADIENTS,
        expected="violated",
        remark="What steps of the clients' own choice need: the theorem asks for ρ = O(1) only. For ρ > 1 it fails.",
    ),
    always(
        "A1c-cone",
        "(1c) with ρ < 1 makes <Σ w_i ∇f_i, ∇f> >= (1 - √ρ) Σ w_i |∇f|^2 for all weights w_i >= 0",
        of.CONE,
        _CONE,
        GRADIENTS,
        _GRADIENTS,
    ),
)

CLAIMS: tuple[Claim, ...] = (*VECTORS, *LEMMA_2, *LEMMA_3, *DIRECTIONS)
