"""Theorems without steps, from class, method and inequality alone, each with a false neighbour: a constant a bit too good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Rational, Symbol

from fltheory.proof import Given, Hypothesis, Member, eq, le, lt
from fltheory.proof.classes import ConvexFunction, Operator, prox
from fltheory.proof.language import Relation, Theorem
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Val, Vector, family, square

F, G, A = (family(Fun, name)() for name in ("F", "g", "A"))
x, y, z, u, v, w, best, noise = (family(Vector, name)() for name in ("x", "y", "z", "u", "v", "w", "x_star", "noise"))
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
        lambda c: le(E(square(y - best)), square(x - best) - c * eta * (Val(F, x) - Val(F, best)) + eta**2 * sigma**2),
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

rho, gamma, p, kappa, t, s, bound = (
    Symbol(name, positive=True) for name in ("rho", "gamma", "p", "kappa", "t", "s", "G")
)
half = Rational(1, 2)
phi = family(Fun, "phi")()
g = family(Vector, "g")()


def bregman(one: Expr, other: Expr) -> Expr:
    return Val(phi, one) - Val(phi, other) - Dot(Grad(phi, other), one - other)


ONLINE = (
    Case(
        "online gradient step",
        lambda c: le(Val(F, x) - Val(F, u), (square(x - u) - square(y - u)) / (2 * eta) + c * eta * bound**2),
        (Member("class", F, None, 0), gradient_step(y, x), Given("bounded", le(square(Grad(F, x)), bound**2))),
        half,
        Rational(49, 100),
    ),
    Case(
        "online gradient step with projection",
        lambda c: le(Dot(g, x - u), (square(x - u) - square(y - u)) / (2 * eta) + c * eta * square(g)),
        (Given("projection", le(Dot(x - eta * g - y, u - y), 0)),),
        half,
        Rational(49, 100),
    ),
    Case(
        "mirror descent step",
        lambda c: le(eta * Dot(g, x - u), bregman(u, x) - bregman(u, y) + c * eta**2 * square(g) / kappa),
        (
            Member("mirror", phi, None, kappa),
            Given("step", le(0, Dot(eta * g + Grad(phi, y) - Grad(phi, x), u - y)), "y minimises the model"),
        ),
        half,
        Rational(49, 100),
    ),
    Case(
        "Polyak's step",
        lambda c: le(square(y - best), square(x - best) - c * eta * (Val(F, x) - Val(F, best))),
        (
            Member("class", F, None, 0),
            gradient_step(y, x),
            Given("size", eq(eta * square(Grad(F, x)), Val(F, x) - Val(F, best)), "Polyak's step size"),
        ),
        1,
        Rational(101, 100),
    ),
)

zero = (best, 0 * best)
rest = ConvexFunction("g", G).subgradient(u, prox(z - step * Grad(F, z), y, step))
ACCELERATED = (
    Case(
        "Nesterov's potential",
        lambda c: le(
            2 / L * t**2 * (Val(F, y) - Val(F, best)) + square(z - c * t / L * Grad(F, x) - best),
            2 / L * (t**2 - t) * (Val(F, v) - Val(F, best)) + square(z - best),
        ),
        (
            smooth(),
            Given("look", eq(x, (1 - 1 / t) * v + z / t)),
            gradient_step(y, x, size=1 / L),
            Given("late", le(1, t)),
        ),
        1,
        Rational(101, 100),
    ),
    Case(
        "Nesterov's potential with a recursion",
        lambda c: le(
            2 / L * t**2 * (Val(F, y) - Val(F, best)) + square(z - c * t / L * Grad(F, x) - best),
            2 / L * s**2 * (Val(F, v) - Val(F, best)) + square(z - best),
        ),
        (
            smooth(),
            Given("recursion", eq(s**2, t**2 - t)),
            Given("look", eq(x, (1 - 1 / t) * v + z / t)),
            gradient_step(y, x, size=1 / L),
            Given("late", le(1, t)),
        ),
        1,
        Rational(101, 100),
    ),
    Case(
        "extragradient step",
        lambda c: le(square(y - best), square(z - best) - (1 - c * (step * L) ** 2) * square(z - w)),
        (
            *Operator("A", A, monotone=0, lipschitz=L).between(z, w, zero),
            Given("look", eq(w, z - step * Grad(A, z))),
            Given("step", eq(y, z - step * Grad(A, w))),
            Given("short", le(step, 1 / L)),
        ),
        1,
        Rational(99, 100),
    ),
    Case(
        "proximal gradient step",
        lambda c: le(Val(F, y) + Val(G, y) - Val(F, u) - Val(G, u), (square(z - u) - square(y - u)) / (c * step)),
        (smooth(), rest, Given("short", le(step, 1 / L))),
        2,
        Rational(201, 100),
    ),
)

h_, hat, one = (family(Vector, name)() for name in ("h", "x_hat", "x_one"))
f1, f2 = (family(Fun, name)() for name in ("f1", "f2"))
c1, c2 = (family(Vector, name)() for name in ("c1", "c2"))
inner = hat - gamma / p * h_
skipped = square(hat - best) + gamma**2 / p**2 * square(h_ - Grad(F, best))
made = square(one - best) + gamma**2 / p**2 * square(h_ + p / gamma * (one - hat) - Grad(F, best))
drawn = [(f, own, x - eta * (Grad(f, x) - own + (c1 + c2) / 2)) for f, own in ((f1, c1), (f2, c2))]


def controls(first: Expr, second: Expr) -> Expr:
    return 3 * eta**2 * (square(first - Grad(f1, best)) + square(second - Grad(f2, best)))


after_first = square(drawn[0][2] - best) + controls(Grad(f1, x), c2)
after_second = square(drawn[1][2] - best) + controls(c1, Grad(f2, x))
balanced = Given("balanced", eq(Grad(f2, best), -Grad(f1, best)), "best minimises the mean")
clients = (smooth(mu, f1), smooth(mu, f2))
COMMUNICATION = (
    Case(
        "ProxSkip round",
        lambda c: le(
            p * made + (1 - p) * skipped,
            (1 - c * rho) * (square(x - best) + gamma**2 / p**2 * square(h_ - Grad(F, best))),
        ),
        (
            smooth(mu),
            order,
            Operator("psi", A, monotone=0).at("monotone", prox(inner, one, gamma / p), (best, -Grad(F, best))),
            Given("local", eq(hat, x - gamma * (Grad(F, x) - h_))),
            Given("short", le(gamma, 1 / L)),
            Given("coin", le(p, 1)),
            Given("slow", le(rho, gamma * mu)),
            Given("rare", le(rho, p**2)),
        ),
        1,
        Rational(21, 10),
    ),
    Case(
        "SCAFFOLD round, one of two clients",
        lambda c: le(
            half * after_first + half * after_second, (1 - c * eta * mu) * (square(x - best) + controls(c1, c2))
        ),
        (*clients, balanced, order, short(1 / (6 * L))),
        1,
        Rational(21, 10),
    ),
)


def local(f: Expr, start: Expr, steps: int) -> Expr:
    return start if steps == 0 else local(f, start, steps - 1) - eta * Grad(f, local(f, start, steps - 1))


def mean(start: Expr, steps: int) -> Expr:
    return half * local(f1, start, steps) + half * local(f2, start, steps)


n1, n2 = (family(RandomVector, name)() for name in ("noise1", "noise2"))
LOCAL = (
    Case(
        "local GD, one step, two clients",
        lambda c: le(square(mean(x, 1) - best), c * square(x - best)),
        (*clients, balanced, order, short(2 / (L + mu))),
        (1 - eta * mu) ** 2,
        (1 - eta * mu) ** 2 - eta * mu / 50,
    ),
    Case(
        "local GD, two steps, common minimiser",
        lambda c: le(square(mean(x, 2) - best), c * square(x - best)),
        (
            *clients,
            Given("least 1", eq(Grad(f1, best), 0)),
            Given("least 2", eq(Grad(f2, best), 0)),
            order,
            short(2 / (L + mu)),
        ),
        (1 - eta * mu) ** 4,
        (1 - eta * mu) ** 4 - eta * mu / 50,
    ),
    Case(
        "local GD, two steps, two points",
        lambda c: le(square(mean(x, 2) - mean(y, 2)), c * square(x - y)),
        (*clients, order, short(2 / (L + mu))),
        (1 - eta * mu) ** 4,
        (1 - eta * mu) ** 4 - eta * mu / 50,
    ),
    Case(
        "local SGD, one step, two clients",
        lambda c: le(E(square(y - best)), (1 - c * eta * mu) * square(x - best) + eta**2 * sigma**2 / 2),
        (
            *clients,
            balanced,
            order,
            short(1 / L),
            Given("step", eq(y, mean(x, 1) - eta * (n1 + n2) / 2)),
            *(
                Given(f"unbiased {i}{j}", eq(E(Dot(n, d)), 0))
                for i, n in enumerate((n1, n2))
                for j, d in enumerate((x - best, Grad(f1, x), Grad(f2, x)))
            ),
            Given("independent", eq(E(Dot(n1, n2)), 0)),
            *(Given(f"variance {i}", le(E(square(n)), sigma**2)) for i, n in enumerate((n1, n2))),
        ),
        1,
        Rational(21, 10),
    ),
)
CASES = (*DESCENT, *PROXIMAL, *VALUES, *STOCHASTIC, *ONLINE, *ACCELERATED, *COMMUNICATION, *LOCAL)
