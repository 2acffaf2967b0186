"""Further theorems without steps: rates of several steps, maxima of two rates, operators, and variants of methods."""

from __future__ import annotations

from sympy import Expr, Integer, Max, Rational, Symbol

from fltheory.proof import Given, Member, eq, le, lt
from fltheory.proof.classes import Operator, prox
from fltheory.proof.terms import Dot, E, Fun, Grad, Val, Vector, family, square
from tests.proving.cases import (
    A,
    Case,
    F,
    G,
    L,
    balanced,
    best,
    clients,
    contraction,
    eta,
    f1,
    f2,
    g,
    gradient_step,
    h,
    half,
    least,
    local,
    mean,
    mu,
    noise,
    order,
    random,
    short,
    sigma,
    smooth,
    step,
    two,
    u,
    v,
    w,
    x,
    y,
    z,
    zero,
)

a, b, p, q = (family(Vector, name)() for name in ("a", "b", "p", "q"))
f3 = family(Fun, "f3")()
beta, root = (Symbol(name, positive=True) for name in ("beta", "q"))
slow = (1 - eta * mu) ** 2
three = (*two, gradient_step(a, z, "third"))
ahead = (1 - root) * z + root * x - Grad(F, x) / (L * root)

RATES = (
    Case(
        "contraction of values",
        lambda c: le(Val(F, y) - Val(F, best), c * (Val(F, x) - Val(F, best))),
        (smooth(mu), gradient_step(y, x), least, order, short(2 / (L + mu))),
        slow,
        slow - eta * mu / 50,
    ),
    Case(
        "contraction of gradients",
        lambda c: le(square(Grad(F, y)), c * square(Grad(F, x))),
        (smooth(mu), gradient_step(y, x), order, short(2 / (L + mu))),
        slow,
        slow - eta * mu / 50,
    ),
    Case(
        "contraction of values in two steps",
        lambda c: le(Val(F, z) - Val(F, best), c * (Val(F, x) - Val(F, best))),
        (smooth(mu), *two, least, order, short(1 / L)),
        slow**2,
        slow**2 - eta * mu / 50,
    ),
    Case(
        "three steps",
        lambda c: le(Val(F, a) - Val(F, best), L * square(x - best) / (2 * (c * h + 1))),
        (smooth(), *three, least, short(1 / L)),
        6,
        Rational(61, 10),
    ),
    Case(
        "gradient after three steps",
        lambda c: le(square(Grad(F, a)), L**2 * square(x - best) / (c * h + 1) ** 2),
        (smooth(), *three, least, short(1 / L)),
        3,
        Rational(31, 10),
    ),
    Case(
        "gradients of two steps, not convex",
        lambda c: le(c * eta * (1 - h / 2) * (square(Grad(F, x)) + square(Grad(F, y))), Val(F, x) - Val(F, z)),
        (Member("class", F, L), *two, short(2 / L)),
        1,
        Rational(11, 10),
    ),
    Case(
        "strongly convex acceleration",
        lambda c: le(
            Val(F, y) - Val(F, best) + L * root**2 / 2 * square(ahead - best),
            (1 - c * root) * (Val(F, v) - Val(F, best) + L * root**2 / 2 * square(z - best)),
        ),
        (
            smooth(L * root**2),
            least,
            Given("look", eq(x, (v + root * z) / (1 + root))),
            gradient_step(y, x, size=1 / L),
            Given("condition", lt(root, 1)),
        ),
        1,
        Rational(11, 10),
    ),
)

MAXIMA = (
    contraction("contraction for every step", Max(1 - eta * mu, h - 1) ** 2, short(2 / L)),
    contraction("contraction with the larger square", Max(slow, (1 - h) ** 2), short(2 / L)),
    Case(
        "value after one step of any size",
        lambda c: le(Val(F, y) - Val(F, best), Max(c / (2 * h + 1), (1 - h) ** 2 / 2) * L * square(x - best)),
        (smooth(), gradient_step(y, x), least, short(2 / L)),
        half,
        Rational(45, 100),
    ),
    Case(
        "gradient after two steps of any size",
        lambda c: le(square(Grad(F, z)), Max(c / (2 * h + 1), (1 - h) ** 2) ** 2 * L**2 * square(x - best)),
        (smooth(), *two, least, short(2 / L)),
        1,
        Rational(9, 10),
    ),
)

cocoercive = Operator("A", A, cocoercive=beta)
strongly = Operator("A", A, monotone=mu, lipschitz=L)
first, second = Operator("A", A, monotone=0), Operator("B", G, monotone=0)
look, move = Given("look", eq(w, z - step * Grad(A, z))), Given("step", eq(y, z - step * Grad(A, w)))
OPERATORS = (
    Case(
        "step of a cocoercive operator",
        lambda c: le(square(y - best), square(x - best) - eta * (2 * beta - c * eta) * square(Grad(A, x))),
        (*cocoercive.between(x, zero), Given("step", eq(y, x - eta * Grad(A, x)))),
        1,
        Rational(99, 100),
    ),
    Case(
        "descent-ascent step",
        lambda c: le(square(y - best), (1 - 2 * eta * mu + c * h**2) * square(x - best)),
        (*strongly.between(x, zero), Given("step", eq(y, x - eta * Grad(A, x)))),
        1,
        Rational(99, 100),
    ),
    Case(
        "extragradient step, strongly monotone",
        lambda c: le(square(y - best), (1 - c * step * mu) * square(z - best)),
        (*strongly.between(z, w, zero), look, move, Given("short", le(step, 1 / (4 * L))), Given("order", le(mu, L))),
        1,
        Rational(21, 10),
    ),
    Case(
        "Douglas-Rachford",
        lambda c: le(square(z + v - u - (w + q - p)), c * square(z - w)),
        (
            *first.between(prox(z, u, step), prox(w, p, step)),
            *second.between(prox(2 * u - z, v, step), prox(2 * p - w, q, step)),
        ),
        1,
        Rational(99, 100),
    ),
    Case(
        "forward-backward contraction",
        lambda c: le(square(y - v), c * square(x - w)),
        (
            smooth(mu),
            order,
            short(2 / (L + mu)),
            first.at("monotone", prox(x - eta * Grad(F, x), y, eta), prox(w - eta * Grad(F, w), v, eta)),
        ),
        slow,
        slow - eta * mu / 50,
    ),
)


def mean_value(point: Expr) -> Expr:
    """The mean of both clients' functions."""
    return half * (Val(f1, point) + Val(f2, point))


def corrected(f: Expr) -> Expr:
    """The step of SVRG with the function that is drawn."""
    return x - eta * (Grad(f, x) - Grad(f, w) + half * Grad(f1, w) + half * Grad(f2, w))


third = (local(f1, x, 1) + local(f2, x, 1) + local(f3, x, 1)) / Integer(3)
excess = mean_value(x) - mean_value(best) + mean_value(mean(x, 1)) - mean_value(best)
spread = half * (square(Grad(f1, best)) + square(Grad(f2, best)))
VARIANTS = (
    Case(
        "local GD, two steps, convex",
        lambda c: le(eta * excess, square(x - best) - square(mean(x, 2) - best) + c * L * eta**3 * spread),
        (smooth(0, f1), smooth(0, f2), balanced, short(1 / (8 * L))),
        4,
        Rational(1, 100),
    ),
    Case(
        "local GD, one step, three clients",
        lambda c: le(square(third - best), c * square(x - best)),
        (
            *clients,
            smooth(mu, f3),
            Given("balanced", eq(Grad(f3, best), -Grad(f1, best) - Grad(f2, best))),
            order,
            short(2 / (L + mu)),
        ),
        slow,
        slow - eta * mu / 50,
    ),
    Case(
        "SVRG step",
        lambda c: le(
            half * square(corrected(f1) - best) + half * square(corrected(f2) - best),
            square(x - best)
            - c * eta * (1 - 2 * h) * (mean_value(x) - mean_value(best))
            + 4 * L * eta**2 * (mean_value(w) - mean_value(best)),
        ),
        (smooth(0, f1), smooth(0, f2), balanced, short(1 / (4 * L))),
        2,
        5,
    ),
    Case(
        "linear rate by the Polyak-Lojasiewicz inequality",
        lambda c: le(Val(F, y) - Val(F, best), (1 - c * eta * mu) * (Val(F, x) - Val(F, best))),
        (
            Member("class", F, L),
            gradient_step(y, x),
            Given("PL", le(2 * mu * (Val(F, x) - Val(F, best)), square(Grad(F, x)))),
            short(1 / L),
        ),
        1,
        Rational(21, 10),
    ),
    Case(
        "heavy ball, a potential that falls",
        lambda c: le(
            Val(F, y) - Val(F, best) + c * square(y - x) / eta, Val(F, x) - Val(F, best) + c * square(x - w) / eta
        ),
        (
            smooth(),
            Given("step", eq(y, x - eta * Grad(F, x) + beta * (x - w))),
            Given("inertia", le(beta, half)),
            short(1 / L),
        ),
        Rational(1, 4),
        Rational(1, 400),
    ),
    Case(
        "step with an inexact gradient",
        lambda c: le(square(y - best), (1 - c * eta * mu) * square(x - best) + eta * (eta + 2 / mu) * square(noise)),
        (smooth(mu), least, order, Given("step", eq(y, x - eta * (Grad(F, x) + noise))), short(1 / (2 * L))),
        half,
        Rational(3, 2),
    ),
)
noisy = Given("step", eq(y, x - eta * (Grad(F, x) + random)))
BASICS = (
    Case(
        "SGD step in values",
        lambda c: le(E(Val(F, y)), Val(F, x) - eta * (1 - h / 2) * square(Grad(F, x)) + c * eta**2 * L * sigma**2),
        (
            Member("class", F, L),
            noisy,
            Given("unbiased", eq(E(Dot(random, Grad(F, x))), 0)),
            Given("variance", le(E(square(random)), sigma**2)),
        ),
        half,
        Rational(49, 100),
    ),
    Case(
        "SGD step with noise that grows with the gradient",
        lambda c: le(E(square(y - best)), (1 - c * eta * mu) * square(x - best)),
        (
            smooth(mu),
            order,
            least,
            noisy,
            Given("unbiased", eq(E(Dot(random, x - best)), 0)),
            Given("unbiased too", eq(E(Dot(random, Grad(F, x))), 0)),
            Given("variance", le(E(square(random)), beta * square(Grad(F, x)))),
            Given("short", le(eta * (1 + beta), 1 / L)),
        ),
        1,
        Rational(21, 10),
    ),
    Case(
        "optimistic step",
        lambda c: le(Dot(g, w - u), (square(z - u) - square(y - u)) / (2 * eta) + c * eta * square(g - v)),
        (Given("look", le(Dot(z - eta * v - w, y - w), 0)), Given("step", le(Dot(z - eta * g - y, u - y), 0))),
        half,
        Rational(49, 100),
    ),
    Case(
        "projections do not move points apart",
        lambda c: le(square(v - u), c * square(x - y)),
        (Given("first", le(Dot(x - v, u - v), 0)), Given("second", le(Dot(y - u, v - u), 0))),
        1,
        Rational(99, 100),
    ),
    Case(
        "Young's inequality",
        lambda c: le(square(x + y), (1 + beta) * square(x) + (c + 1 / beta) * square(y)),
        (),
        1,
        Rational(99, 100),
    ),
    Case("an identity", lambda c: le(square(x + y), square(x) + 2 * Dot(x, y) + c * square(y)), (), 1, Rational(1, 2)),
    Case("a number to spare", lambda c: le(square(x), square(x) + c * sigma), (), 1, -1),
)
FURTHER = (*BASICS, *RATES, *MAXIMA, *OPERATORS, *VARIANTS)
