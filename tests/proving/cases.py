"""Theorems without steps, from class, method and inequality alone, each with a false neighbour: a constant a bit too good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from fltheory.proof import Given, Hypothesis, Member, eq, le, lt
from fltheory.proof.classes import ConvexFunction, Operator, prox
from fltheory.proof.language import Relation, Theorem
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Val, Vector, family, square

F, G, A = (family(Fun, name)() for name in ("F", "g", "A"))
x, y, z, u, v, w, best, noise = (
    family(Vector, name)() for name in ("x", "y", "z", "u", "v", "w", "x_star", "noise")
)
L, mu, eta, step, sigma = (Symbol(name, positive=True) for name in ("L", "mu", "eta", "step", "sigma"))
h = eta * L


@dataclass(frozen=True)
class Case:
    """A statement as a function of a constant, at its true value and at one that is a bit too good."""

    name: str
    statement: Callable[[Any], Relation]
    hypotheses: tuple[Hypothesis, ...]
    true: Any
    false: Any

    def theorem(self, constant: Any) -> Theorem:
        """The theorem with a constant."""
        return Theorem(f"found/{self.name}", self.statement(constant), self.hypotheses)


def smooth(convex: Any = 0, function: Expr = F) -> Member:
    return Member(f"class {function.args[0]}", function, L, convex, "")


def gradient_step(after: Expr, before: Expr, name: str = "step", size: Expr = eta) -> Given:
    return Given(name, eq(after, before - size * Grad(F, before)))


least = Given("least", eq(Grad(F, best), 0))
order = Given("order", lt(mu, L))


def short(longest: Expr) -> Given:
    return Given("short", le(eta, longest))


def contraction(name: str, rate: Expr, *conditions: Given) -> Case:
    return Case(
        name,
        lambda c: le(square(y - best), c * square(x - best)),
        (smooth(mu), gradient_step(y, x), least, order, *conditions),
        rate,
        rate - eta * mu / 50,
    )


def two_points(name: str, rate: Expr, *conditions: Given) -> Case:
    return Case(
        name,
        lambda c: le(square(v - w), c * square(x - y)),
        (smooth(mu), gradient_step(v, x), gradient_step(w, y, "other"), order, *conditions),
        rate,
        rate - eta * mu / 50,
    )


DESCENT = (
    Case(
        "descent lemma",
        lambda c: le(Val(F, y), Val(F, x) - c * square(Grad(F, x))),
        (Member("class", F, L), gradient_step(y, x), short(2 / L)),
        eta * (1 - h / 2),
        eta * (1 - h * Rational(49, 100)),
    ),
    contraction("contraction", (1 - eta * mu) ** 2, short(2 / (L + mu))),
    contraction("contraction, long step", (1 - h) ** 2, short(2 / L), Given("long", le(2 / (L + mu), eta))),
    two_points("contraction of two points", (1 - eta * mu) ** 2, short(2 / (L + mu))),
    two_points("two points, long step", (1 - h) ** 2, short(2 / L), Given("long", le(2 / (L + mu), eta))),
)

back = Given("step", eq(x, y + step * Grad(F, y)), "y is the proximal point of x")
PROXIMAL = (
    Case(
        "proximal contraction",
        lambda c: le(square(y - best), square(x - best) / (1 + c * step * mu) ** 2),
        (Member("class", F, None, mu), back, least),
        1,
        Rational(21, 20),
    ),
    Case(
        "proximal value",
        lambda c: le(Val(F, y) - Val(F, best), square(x - best) / (c * step)),
        (Member("class", F, None, 0), back, least),
        4,
        Rational(41, 10),
    ),
    Case(
        "proximal contraction with a subgradient",
        lambda c: le(square(y - v), square(x - u) / (1 + c * step * mu) ** 2),
        Operator("A", A, monotone=mu).between(prox(x, y, step), prox(u, v, step)),
        1,
        Rational(21, 20),
    ),
)

two = (gradient_step(y, x), gradient_step(z, y, "second"))
VALUES = (
    Case(
        "one step of size 1/L",
        lambda c: le(Val(F, y) - Val(F, best), L * square(x - best) / c),
        (smooth(), gradient_step(y, x, size=1 / L), least),
        6,
        Rational(61, 10),
    ),
    Case(
        "one step",
        lambda c: le(Val(F, y) - Val(F, best), L * square(x - best) / (2 * (c * h + 1))),
        (smooth(), gradient_step(y, x), least, short(1 / L)),
        2,
        Rational(21, 10),
    ),
    Case(
        "one step up to 3/2",
        lambda c: le(Val(F, y) - Val(F, best), L * square(x - best) / (2 * (c * h + 1))),
        (smooth(), gradient_step(y, x), least, short(3 / (2 * L))),
        2,
        Rational(21, 10),
    ),
    Case(
        "two steps of size 1/L",
        lambda c: le(Val(F, z) - Val(F, best), L * square(x - best) / c),
        (smooth(), gradient_step(y, x, size=1 / L), gradient_step(z, y, "second", 1 / L), least),
        10,
        Rational(101, 10),
    ),
    Case(
        "two steps",
        lambda c: le(Val(F, z) - Val(F, best), L * square(x - best) / (2 * (c * h + 1))),
        (smooth(), *two, least, short(1 / L)),
        4,
        Rational(41, 10),
    ),
    Case(
        "gradient after one step of size 1/L",
        lambda c: le(square(Grad(F, y)), L**2 * square(x - best) / c),
        (smooth(), gradient_step(y, x, size=1 / L), least),
        4,
        Rational(41, 10),
    ),
    Case(
        "gradient after one step",
        lambda c: le(square(Grad(F, y)), L**2 * square(x - best) / (c * h + 1) ** 2),
        (smooth(), gradient_step(y, x), least, short(1 / L)),
        1,
        Rational(21, 20),
    ),
    Case(
        "gradient after two steps",
        lambda c: le(square(Grad(F, z)), L**2 * square(x - best) / (c * h + 1) ** 2),
        (smooth(), *two, least, short(1 / L)),
        2,
        Rational(21, 10),
    ),
)

random = family(RandomVector, "noise")()
STOCHASTIC = (
    Case(
        "SGD step",
        lambda c: le(
            E(square(y - best)), square(x - best) - c * eta * (Val(F, x) - Val(F, best)) + eta**2 * sigma**2
        ),
        (
            smooth(),
            Given("step", eq(y, x - eta * (Grad(F, x) + random))),
            least,
            short(1 / L),
            Given("unbiased", eq(E(Dot(random, x - best)), 0)),
            Given("unbiased too", eq(E(Dot(random, Grad(F, x))), 0)),
            Given("variance", le(E(square(random)), sigma**2)),
        ),
        1,
        Rational(21, 10),
    ),
    Case(
        "SGD contraction",
        lambda c: le(E(square(y - best)), (1 - c * eta * mu) * square(x - best) + eta**2 * sigma**2),
        (
            smooth(mu),
            order,
            Given("step", eq(y, x - eta * (Grad(F, x) + random))),
            least,
            short(1 / L),
            Given("unbiased", eq(E(Dot(random, x - best)), 0)),
            Given("unbiased too", eq(E(Dot(random, Grad(F, x))), 0)),
            Given("variance", le(E(square(random)), sigma**2)),
        ),
        1,
        Rational(21, 10),
    ),
)
