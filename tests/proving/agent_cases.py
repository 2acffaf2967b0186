"""Rounds of M clients without steps, from class, method and inequality alone, each with a false neighbour."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from fltheory.proof import Given, Member, eq, le
from fltheory.proof.language import Defines
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Total, Val, Vector, family, square
from tests.proving.cases import Case, L, best, eta, mu, order, short, x

M, m = (Symbol(name, integer=True, positive=True) for name in "Mm")
f, first, second, control = family(Fun, "f"), family(Vector, "y"), family(Vector, "z"), family(Vector, "c")
after = family(Vector, "after")()
zeta = Symbol("zeta", positive=True)
each = (m, 1, M)


def mean(term: Expr) -> Expr:
    """Return the average over the clients."""
    return Total(term, *each) / M


def clients(convex: Any = 0) -> Member:
    return Member("clients", f(m), L, convex, "every client")


BALANCED = Given("balanced", eq(Total(Grad(f(m), best), *each), 0))
STEP = Given("first", eq(first(m), x - eta * Grad(f(m), x), each))
NEXT = Given("second", eq(second(m), first(m) - eta * Grad(f(m), first(m)), each))
SPREAD = Given("spread", eq(Total(square(Grad(f(m), best)), *each), M * zeta**2))


noise, noisy, new = family(RandomVector, "xi"), family(RandomVector, "w"), family(RandomVector, "new")()
sigma = Symbol("sigma", positive=True)
NOISY = Given("noisy", eq(noisy(m), x - eta * (Grad(f(m), x) + noise(m)), each))
NEW = Given("server", eq(M * new, Total(noisy(m), *each)))
NOISE = (
    Given("unbiased", eq(E(Dot(noise(m), x - best)), 0, each)),
    Given("unbiased too", eq(E(Dot(mean(noise(m)), mean(Grad(f(m), x)))), 0)),
    Given("variance", le(E(square(mean(noise(m)))), sigma**2 / M)),
)

other = Symbol("other", integer=True, positive=True)
PAIRS = Given("unbiased too", eq(E(Dot(noise(m), Grad(f(other), x))), 0, each, (other, 1, M)))


def server(of: Any) -> Given:
    return Given("server", eq(M * after, Total(of(m), *each)))


AGENTS = (
    Case(
        "one local step of M clients",
        lambda c: le(square(after - best), c * square(x - best)),
        (clients(mu), order, short(2 / (L + mu)), STEP, server(first), BALANCED),
        (1 - eta * mu) ** 2,
        (1 - eta * mu) ** 2 - eta * mu / 50,
    ),
    Case(
        "two local steps of M clients",
        lambda c: le(square(after - best), square(x - best) + c * eta**3 * L * zeta**2),
        (clients(), short(1 / (2 * L)), STEP, NEXT, server(second), BALANCED, SPREAD),
        Integer(2),
        Rational(1, 2),
    ),
    Case(
        "two local steps, the mean itself",
        lambda c: le(
            square(mean(second(m)) - best), square(x - best) + c * eta**3 * L * mean(square(Grad(f(m), best)))
        ),
        (clients(), short(1 / (2 * L)), STEP, NEXT, BALANCED),
        Integer(2),
        Rational(1, 2),
    ),
    Case(
        "descent of the mean objective",
        lambda c: le(mean(Val(f(m), after)), mean(Val(f(m), x)) - c * eta * square(mean(Grad(f(m), x)))),
        (clients(None), short(1 / L), Defines("server", after, x - eta * mean(Grad(f(m), x)), "the server's step")),
        Rational(1, 2),
        Rational(3, 5),
    ),
    Case(
        "two local steps without convexity",
        lambda c: le(
            mean(Val(f(m), after)),
            mean(Val(f(m), x)) - c * eta * square(mean(Grad(f(m), x))) + eta**3 * L**2 * mean(square(Grad(f(m), x))),
        ),
        (
            clients(None),
            short(1 / (8 * L)),
            STEP,
            Given("server", eq(after, x - eta * mean(Grad(f(m), x) + Grad(f(m), first(m))))),
        ),
        Rational(1, 2),
        Rational(21, 10),
    ),
    Case(
        "control variates of M clients",
        lambda c: le(square(after - best), c * square(x - best)),
        (
            clients(mu),
            order,
            short(1 / L),
            Given("first", eq(first(m), x - eta * (Grad(f(m), x) - control(m)), each)),
            Given("controls", eq(Total(control(m), *each), 0)),
            server(first),
            BALANCED,
        ),
        (1 - eta * mu) ** 2,
        (1 - eta * mu) ** 2 - eta * mu / 50,
    ),
    Case(
        "what the mean objective gains",
        lambda c: le(square(after - best), square(x - best) - c * eta * mean(Val(f(m), x) - Val(f(m), best))),
        (clients(), short(1 / L), STEP, server(first), BALANCED),
        Integer(1),
        Rational(21, 10),
    ),
    Case(
        "bounded by the clients' bound",
        lambda c: le(square(after - x), c * eta**2 * zeta**2),
        (STEP, server(first), Given("bounded", le(square(Grad(f(m), x)), zeta**2, each)), clients()),
        Integer(1),
        Rational(9, 10),
    ),
    Case(
        "contraction with noise",
        lambda c: le(E(square(new - best)), (1 - eta * mu) * square(x - best) + c * eta**2 * sigma**2 / M),
        (clients(mu), order, short(1 / L), NOISY, NEW, BALANCED, *NOISE),
        Integer(1),
        Rational(9, 10),
    ),
    Case(
        "gain with noise",
        lambda c: le(
            E(square(new - best)),
            square(x - best) - c * eta * mean(Val(f(m), x) - Val(f(m), best)) + eta**2 * sigma**2 / M,
        ),
        (clients(), short(1 / L), NOISY, NEW, BALANCED, *NOISE),
        Integer(1),
        Rational(21, 10),
    ),
    Case(
        "descent of the mean objective with noise",
        lambda c: le(
            E(mean(Val(f(m), new))),
            mean(Val(f(m), x)) - c * eta * square(mean(Grad(f(m), x))) + L * eta**2 * sigma**2 / (2 * M),
        ),
        (clients(None), short(1 / L), NOISY, NEW, *NOISE[1:]),
        Rational(1, 2),
        Rational(3, 2),
    ),
    Case(
        "drift with noise",
        lambda c: le(mean(E(square(noisy(m) - x))), c * eta**2 * mean(square(Grad(f(m), x))) + eta**2 * sigma**2),
        (
            clients(None),
            NOISY,
            Given("unbiased", eq(E(Dot(noise(m), Grad(f(m), x))), 0, each)),
            Given("variance", le(E(square(noise(m))), sigma**2, each)),
        ),
        Integer(1),
        Rational(9, 10),
    ),
    Case(
        "noise that is unbiased for each pair of clients",
        lambda c: le(E(square(new - best)), (1 - eta * mu) * square(x - best) + c * eta**2 * sigma**2 / M),
        (clients(mu), order, short(1 / L), NOISY, NEW, BALANCED, NOISE[0], PAIRS, NOISE[2]),
        Integer(1),
        Rational(9, 10),
    ),
)
