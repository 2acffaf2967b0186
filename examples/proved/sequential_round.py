"""One round of sequential federated learning, a gradient step a client, with the least constant of the heterogeneity.

Client n + 1 steps from x(n) to x(n + 1); s(n) is the sum of the gradients at x* of the first n clients, so that s(M) = 0. The
proof follows x(n) - x* + eta s(n), the point seen from a minimiser that moves as a client without curvature would move it.
"""

from sympy import Integer, Rational, Symbol

from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Draw, E, Fun, Grad, RandomVector, Total, Vector, family, square
from fltheory.proving.rounds import chained
from fltheory.symbols import n_clients as M

L, eta, mu, zeta, c = (Symbol(name, positive=True) for name in ("L", "eta", "mu", "zeta", "c"))
n, i = (Symbol(name, integer=True, nonnegative=True) for name in "ni")
F, f1, f2 = (family(Fun, name)() for name in ("F", "f1", "f2"))
s, x, y, z, best = (family(Vector, name)() for name in ("s", "x", "y", "z", "x_star"))
f, client, point = family(Fun, "f"), family(Fun, "client"), family(RandomVector, "x")
a = Symbol("a", integer=True, positive=True)

LEAST = L * eta**3 / (2 - L * eta)  # the constant
CLIENT = (
    proof("proved/sequential-client", note="the step of one client, seen from the minimiser that moves")
    .under(Member("client", F, L, 0, "the client is convex and L-smooth"))
    .given("short", lt(eta, 2 / L), "the step size")
    .given("step", eq(y, x - eta * Grad(F, x)), "the client's step")
    .qed(
        le(square(y - best + eta * (s + Grad(F, best))), square(x - best + eta * s) + LEAST * square(s)),
        by.sos(
            (2 * eta, Axiom("cocoercive", F, best, x)), (2 * eta, Axiom("cocoercive", F, x, best)), "client", "short"
        ),
        inserting=("step",),
    )
)

# Every number of clients in a given order ------------------------------------------------------------------------------


def so_far(count):
    """Return the sum of the gradients at x* of the first clients."""
    return Total(Grad(client(i), best), i, 0, count - 1)


def seen(count):
    """Return the squared distance after some clients, from the minimiser that moves."""
    return square(point(count) - best + eta * so_far(count))


def level(count):
    """Return the bound after some clients."""
    return seen(Integer(0)) + LEAST * Total(square(so_far(n)), n, 0, count - 1)


ROUND = (
    proof("proved/sequential-round", note="M clients in a given order")
    .under(Member("clients", client(n), L, 0, "each client is convex and L-smooth"))
    .given("short", lt(eta, 2 / L), "the step size")
    .given("step", eq(point(n + 1), point(n) - eta * Grad(client(n), point(n)), (n, 0, M - 1)), "a step of each client")
    .given("balanced", eq(so_far(M), 0), "x* minimises the mean of the clients")
    .step(
        "client",
        le(
            square(point(n + 1) - best + eta * (so_far(n) + Grad(client(n), best))),
            seen(n) + LEAST * square(so_far(n)),
            (n, 0, M - 1),
        ),
        by.apply(CLIENT.id, {F: client(n), x: point(n), y: point(n + 1), s: so_far(n)}, "clients", "short", "step"),
    )
    .step("first", le(seen(Integer(0)), level(Integer(0))), by.linear())
    .step("next", le(seen(n + 1), level(n + 1), (n, 0, M - 1)), by.linear("client"), assuming=le(seen(n), level(n)))
    .step("all", le(seen(n), level(n), (n, 0, M)), by.induction(n, "first", "next"))
    .step("last", le(seen(M), level(M)), by.instance({n: M}, "all"))
    .qed(le(square(point(M) - best), square(point(0) - best) + level(M) - seen(Integer(0))), by.linear("last"), inserting=("balanced",))
)

# Every number of clients in a random order -----------------------------------------------------------------------------


def placed(place):
    """Return the client in a place of the order, counted from 0."""
    return f(Draw(place + 1, M))


def drawn(count):
    """Return the sum of the gradients at x* of the first clients of the order."""
    return Total(Grad(placed(i), best), i, 0, count - 1)


DRAWS = draws.given(lambda p: Grad(f(p), best), zeta**2)
squares = Total(square(drawn(n)), n, 0, M - 1)
RANDOM = (
    proof("proved/sequential-random", note="M clients in a uniformly random order")
    .under(Member("class", f(a), L, 0, "each client is convex and L-smooth"), *DRAWS)
    .given("several", le(2, M), "two clients or more")
    .given("short", lt(eta, 2 / L), "the step size")
    .given("step", eq(point(n + 1), point(n) - eta * Grad(placed(n), point(n)), (n, 0, M - 1)), "a step of each client")
    .step("balanced", eq(drawn(M), 0), by.linear("centred"), note="reordered")
    .step(
        "round",
        le(square(point(M) - best), square(point(0) - best) + LEAST * squares),
        by.apply(ROUND.id, {client(n): placed(n)}, "class", "short", "step", "balanced"),
    )
    .step("mean", by.expectation("round"))
    .step(
        "draws",
        eq(E(square(drawn(n))), (n - n * (n - 1) / (M - 1)) * zeta**2, (n, 0, M)),
        by.apply(
            draws.SUM.id,
            {draws.X(a): Grad(f(a), best), draws.V: zeta**2},
            *(h.id for h in DRAWS),
            "several",
        ),
    )
    .step("before", eq(E(square(drawn(n))), (n - n * (n - 1) / (M - 1)) * zeta**2, (n, 0, M - 1)), by.instance({n: n}, "draws"))
    .step("squares", by.sum_over(n, "before"))
    .qed(
        le(E(square(point(M) - best)), E(square(point(0) - best)) + LEAST * M * (M + 1) / 6 * zeta**2),
        by.linear({"mean": 1, "squares": LEAST}, "several"),
    )
)

# Two clients, the first strongly convex ----------------------------------------------------------------------------------

q = (1 - eta * mu) ** 2
TWO = (
    proof("proved/sequential-two", note="two clients in a given order")
    .under(Member("client 1", f1, L, mu, "the first client is mu-strongly convex and L-smooth"))
    .under(Member("client 2", f2, L, 0, "the second client is convex and L-smooth"))
    .given("balanced", eq(Grad(f2, best), -Grad(f1, best)), "x* minimises the mean of the clients")
    .given("first", eq(y, x - eta * Grad(f1, x)), "the step of the first client")
    .given("second", eq(z, y - eta * Grad(f2, y)), "the step of the second client")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", le(eta, 2 / (L + mu)), "the step size")
    .step("sign 1", le(0, 1 - eta * mu), by.polynomial("order", "short"))
    .step("sign 2", lt(0, 2 - L * eta), by.linear(short=L + mu))
    .qed(
        le(square(z - best), q * square(x - best) + LEAST * square(Grad(f1, best))),
        by.sos(
            (2 * eta * (1 - eta * mu) / (L - mu), Axiom("interpolated", f1, best, x)),
            (2 * eta * (1 - eta * mu) / (L - mu), Axiom("interpolated", f1, x, best)),
            (2 * eta, Axiom("cocoercive", f2, best, y)),
            (2 * eta, Axiom("cocoercive", f2, y, best)),
            *("order", "short", "client 1", "client 2", "sign 1", "sign 2"),
        ),
        inserting=("balanced", "second", "first"),
    )
)
ROUNDS = chained(TWO, "x", "z")

# No smaller constant will do: f1(u) = mu u^2/2 + zeta u and f2(u) = L u^2/2 - zeta u on the line, with x* = 0 --------------

start = eta * zeta * (1 - L * eta) / ((1 - eta * mu) * (2 - L * eta))
after_one = start - eta * (mu * start + zeta)
after_two = after_one - eta * (L * after_one - zeta)
TIGHT = (
    proof("proved/sequential-least", note="on two quadratics the bound is attained")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", le(eta, 2 / (L + mu)), "the step size")
    .given("bound", le(after_two**2, q * start**2 + c * zeta**2), "the bound with a constant c, on the instance")
    .step("sign 1", lt(0, 1 - eta * mu), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - L * eta), by.linear(short=L + mu))
    .step("equal", eq(after_two**2, q * start**2 + LEAST * zeta**2), by.linear("sign 1", "sign 2"))
    .qed(le(LEAST, c), by.linear({"bound": 1 / zeta**2, "equal": -1 / zeta**2}))
)
THEOREMS = (CLIENT, ROUND, draws.PAIR, draws.SUM, RANDOM, TWO, ROUNDS, TIGHT)
