"""The smoothness lemmas: (7), (8), Lemmas 2 and 3 with (9)-(12); and (1c) on the clients' directions."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import sympy
from sympy import sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, explicit, imported_late, printed, quantity, requires, strict
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.model.schema import AsVector
from fltheory.number.mixed import to_mixed
from fltheory.number.vectors import total
from fltheory.papers.delta_sgd.instances.lemmas import (
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
from fltheory.papers.delta_sgd.notation import LEMMAS, L_hat, m, rho
from fltheory.papers.delta_sgd.paper import PAPER

CURVATURE: Dimension = (sympy.Integer(1), sympy.Integer(-2))
CURVATURE_SQUARED: Dimension = (sympy.Integer(2), sympy.Integer(-4))
lemma = partial(PAPER.lemma, mode="surely", letters=LEMMAS)

families = imported_late("fltheory.papers.delta_sgd.smoothness.families")

# (7) and (8) --------------------------------------------------------------------------------------------------------

PAIRS = tuple(Case(Vectors(v)) for v in (((1, 2), (1, 2)), ((3, 0, "1/2"), (1, -1, 1)), ((1,), (-4,)), ((0, 0), (1, 1))))
SEVERAL = (
    Case(Vectors(((1, 2),) * 3)),
    Case(Vectors(((1, 0), (0, 1), (1, 1), ("1/2", 3)))),
    Case(Vectors(((2, -1),))),
    *PAIRS,
)

two = requires("two vectors", lambda one, c: f"{len(one.vectors)} of them" if len(one.vectors) != 2 else None)


def product(one: Vectors, c: Constants) -> Fraction:
    u, v = one.vectors[:2]
    return 2 * dot(u, v) / (dot(u, u) + dot(v, v))


def square_of_sum(one: Vectors, c: Constants) -> Fraction:
    added = [sum(column) for column in zip(*one.vectors, strict=True)]
    return dot(added, added) / total(dot(v, v) for v in one.vectors)


VECTORS = (
    lemma("7", "(7)", "2<u, v> / (|u|² + |v|²)", product, cases=PAIRS, family=Vectors.drawn(2, 2), assumptions=[two]).printed(
        "<u, v> <= |u|^2/2 + |v|^2/2", quantity <= 1),
    lemma("8", "(8)", "|Σ v_i|² / Σ |v_i|²", square_of_sum, cases=SEVERAL).printed(
        "|v_1 + ... + v_m|^2 <= m(|v_1|^2 + ... + |v_m|^2)", quantity <= m),
)

# Lemma 2, and its consequence for the mean of the clients -------------------------------------------------------------

Pair = Between | SharedPair


def square(one: Pair) -> Any:
    """|y - x|^2."""
    return to_mixed(squared_distance(one.x, one.y))


def move(one: Pair) -> list[Any]:
    """y - x."""
    return [to_mixed(w - v) for v, w in zip(one.x, one.y, strict=True)]


def turn(one: Pair) -> list[Any]:
    """Return the change of the gradient."""
    return [w - v for v, w in zip(one.jet(one.x)[1], one.jet(one.y)[1], strict=True)]


def product_of(u: list[Any], v: list[Any]) -> Any:
    """<u, v> of mixed numbers."""
    return sum(a * b for a, b in zip(u, v, strict=True))


def change(one: Pair) -> Any:
    """|change of the gradient|^2 / |y - x|^2."""
    return product_of(turn(one), turn(one)) / square(one)


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


def pair(x: AsVector, y: AsVector, *clients: tuple[Ridges, Any]) -> Case:
    """Return clients with two points in common, each with further points of its own."""
    return Case(SharedPair(tuple(Between(objective, x, y, others) for objective, others in clients)))


SHARED = (
    pair((0,), (2,), (Ridges(((1,),), (quadratic(3),)), ()), (Ridges(((1,),), (quadratic(3),)), ((5,),))),
    pair((0,), (1,), (Ridges(((1,),), (quadratic(1),)), ()), (Ridges(((1,),), (quadratic(-1),)), ())),
    pair((1, 1), (2, 0), (QUARTICS, ((0, 0),)), (HYPERBOLIC, ()), (WAVY, ((5, 5),))),
    pair((0, 1), (1, 1), (Ridges(AXES, (quadratic(1), quadratic(9))), ()), (Ridges(AXES, (huber(3, 2), huber(1))), ())),
)
BETWEEN_POINTS: dict[str, Any] = {"cases": BETWEEN, "family": lambda: families().between()}
ON_SHARED: dict[str, Any] = {"cases": SHARED, "family": lambda: families().shared_pairs()}


def _above_tangent(one: Pair, c: Constants) -> Any:
    (value, gradient), (other, _) = one.jet(one.x), one.jet(one.y)
    return 2 * (other - value - product_of(gradient, move(one))) / square(one)


above_tangent = lemma("L2", "Lemma 2, (9)", "2(f(y) - f(x) - <∇f(x), y - x>) / |y - x|²", _above_tangent, CURVATURE,
    **BETWEEN_POINTS)

changes = lemma("L2-10", "Lemma 2, (10)", "|∇f(y) - ∇f(x)|² / |y - x|²", lambda one, c: change(one), CURVATURE_SQUARED,
    **BETWEEN_POINTS)

LEMMA_2 = (
    above_tangent.printed("f_i(y) <= f_i(x) + <∇f_i(x), y - x> + L̃_i,t/2 |y - x|^2 on the hull of the round's points",
        quantity <= L_hat,
        remark="The hull of finitely many points is bounded: (1a) and (1b), with which the proof says that stochastic gradients "
        "are bounded, don't bound them and aren't needed."),
    changes.printed("|∇f_i(x) - ∇f_i(y)| <= L̃_i,t |y - x| on the hull of the round's points", quantity <= L_hat**2),
    lemma("L2-inner", "proof of Lemma 2", "<∇f(y) - ∇f(x), y - x> / |y - x|²",
        lambda one, c: product_of(turn(one), move(one)) / square(one), CURVATURE, **BETWEEN_POINTS).printed(
        "<∇f_i(y) - ∇f_i(x), y - x> <= L̃_i,t |y - x|^2 on the hull of the round's points", quantity <= L_hat),
)

# Lemma 3 ------------------------------------------------------------------------------------------------------------

OPPOSITE = Case(OnInterval((quadratic(1), quadratic(-1)), -1, 1))  # x^2/2 and -x^2/2: the mean is 0
APART = Case(OnInterval((huber(1), huber(1, 1, 5)), -2, 8))  # convex clients, curved in different places
ALIKE = (
    Case(OnInterval((quadratic(2), quadratic("1/3")), 0, 1)),
    Case(OnInterval((huber(1), Pieces((0, 2), (-1, 3, 0))), -3, 3)),
)

LEMMA_3 = (
    *lemma("L3", "Lemma 3", "the Lipschitz constant of ∇f over the mean of the clients'",
        lambda one, c: one.smoothness_of_mean / one.mean_smoothness, cases=(*ALIKE, OPPOSITE, APART),
        family=lambda: families().on_interval()).readings(
        printed("The mean of L̃_i-smooth f_i is at least (1/m Σ L̃_i)-smooth: its constant is no larger", quantity <= 1,
            note='"at least" refers to the smoothness, as in its proof'),
        strict("The mean of L̃_i-smooth f_i is at least (1/m Σ L̃_i)-smooth: its constant is no smaller", quantity >= 1,
            note='"at least" refers to the constant', counterexamples=(OPPOSITE, APART),
            remark='The other way to read "at least"; its proof shows the opposite.')),
    lemma("L3-11", "proof of Lemma 3, (11)", "(|∇f(x) - ∇f(y)| / (|x - y| 1/m Σ L̃_i))²",
        lambda one, c: change(one) / to_mixed(one.mean_smoothness**2) if one.mean_smoothness else 0,
        **ON_SHARED).printed("|∇f(x) - ∇f(y)| <= 1/m Σ L̃_i |x - y| on the points that all hulls contain",
        quantity <= 1),
    changes.restated("L3-12", "proof of Lemma 3, (12)", **ON_SHARED).printed(
        "|∇f(x) - ∇f(y)| <= L̃ |x - y| on the points that all hulls contain", quantity <= L_hat**2),
    above_tangent.restated("L3-12b", "proof of Lemma 3, after (12)", **ON_SHARED).printed(
        "f(x_t+1) <= f(x_t) + <∇f(x_t), x_t+1 - x_t> + L̃/2 |x_t+1 - x_t|^2", quantity <= L_hat),
)

# (1c): the clients' directions ----------------------------------------------------------------------------------------


def weighted_share(one: Gradients) -> Fraction:
    """<a positive combination of the clients' gradients, gradient of f>, relative to the weights and |gradient of f|^2."""
    return dot(one.weights, one.shares) / total(map(Fraction, one.weights))


SIGNED = Case(Gradients(((-1,), (-1,), (8,)), (1, 1, 0)))  # f_i = w_i F with w = (-1/2, -1/2, 4): rho = 9
SHARP = Case(Gradients(((1,), (3,)), (1, 0)))  # w = (1/2, 3/2): rho = 1/4
SAME = Case(Gradients(((1, 2), (1, 2))))
GRADIENTS = (SHARP, Case(Gradients(((2, 1), (3, -1), (4, "3/2")), (1, 2, 3))), SAME)
directed = partial(lemma, place="Assumption 1, (1c)", family=lambda: families().gradients())

DIRECTIONS = (
    directed("A1c-size", what="max |∇f_i|² / |∇f|²",
        value=lambda one, c: max(dot(g, g) for g in one.vectors) / dot(one.mean, one.mean),
        cases=(*GRADIENTS, SIGNED)).explicit(
        "(1c) implies |∇f_i| <= (1 + √ρ)|∇f|: a stationary point of f is one of every f_i",
        quantity <= (1 + sqrt(rho)) ** 2),
    directed("A1c-slope", what="max <∇f - ∇f_i, ∇f> / |∇f|²", value=lambda one, c: 1 - min(one.shares),
        cases=(*GRADIENTS, SIGNED)).explicit("(1c) implies <∇f - ∇f_i, ∇f> <= √ρ|∇f|^2 for every client",
        quantity <= sqrt(rho)),
    *directed("A1c-cone", what="<Σ w_i ∇f_i, ∇f> / (Σ w_i |∇f|²)", value=lambda one, c: weighted_share(one),
        cases=GRADIENTS).readings(
        explicit(
            "(1c) makes every positive combination of the clients' gradients a direction of ascent of f, whatever ρ",
            quantity >= 0, note="for every rho", counterexamples=(SIGNED,),
            remark="Steps that clients choose themselves need this; the theorem assumes ρ = O(1) only. For ρ > 1 it fails."),
        corrected("(1c) with ρ < 1 implies <Σ w_i ∇f_i, ∇f> >= (1 - √ρ) Σ w_i |∇f|^2 for all weights w_i >= 0",
            1 - sqrt(rho) <= quantity, given=[rho < 1])),
)

CLAIMS: tuple[Claim, ...] = (*VECTORS, *LEMMA_2, *LEMMA_3, *DIRECTIONS)
