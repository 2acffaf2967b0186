"""One round of sequential federated learning, a gradient step a client, with the least constant of the heterogeneity.

Client n + 1 steps from x(n) to x(n + 1); s(n) is the sum of the gradients at x* of the first n clients, so that s(M) = 0. The
proof follows x(n) - x* + eta s(n), the point seen from a minimiser that moves as a client without curvature would move it.
"""

from sympy import Integer, Pow, Symbol

from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Draw, E, Fun, Grad, RandomVector, Total, Vector, family, square
from fltheory.proving.rounds import chained
from fltheory.symbols import n_clients as M

L, eta, zeta, c = (Symbol(name, positive=True) for name in ("L", "eta", "zeta", "c"))
mu = Symbol("mu", nonnegative=True)  # 0: convex
n, i = (Symbol(name, integer=True, nonnegative=True) for name in "ni")
F, f1, f2 = (family(Fun, name)() for name in ("F", "f1", "f2"))
s, x, y, z, best = (family(Vector, name)() for name in ("s", "x", "y", "z", "x_star"))
f, client, point = family(Fun, "f"), family(Fun, "client"), family(RandomVector, "x")
a, b = (Symbol(name, integer=True, positive=True) for name in "ab")

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
    .qed(
        le(square(point(M) - best), square(point(0) - best) + level(M) - seen(Integer(0))),
        by.linear("last"),
        inserting=("balanced",),
    )
)

# Every number of clients in a random order -----------------------------------------------------------------------------


def placed(place):
    """Return the client in a place of the order, counted from 0."""
    return f(Draw(place + 1, M))


def drawn(count):
    """Return the sum of the gradients at x* of the first clients of the order."""
    return Total(Grad(placed(i), best), i, 0, count - 1)


def whole(index):
    """Return the sum of the gradients at x* of all clients."""
    return Total(Grad(f(index), best), index, 1, M)


mean_square = (n - n * (n - 1) / (M - 1)) * zeta**2  # of the sum of n draws
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
    .step("1", eq(Dot(whole(a), whole(b)), 0), by.linear(centred=whole(a)), note="the squared sum vanishes")
    .step("2", by.expectation("1"))
    .step(
        "pair",
        eq(E(Dot(Grad(placed(i), best), Grad(placed(n), best))), -(zeta**2) / (M - 1), (n, 0, M - 1), (i, 0, n - 1)),
        by.linear("two", "2", "spread"),
        note="different draws are negatively correlated",
    )
    .step("cross", by.sum_over(i, "pair"))
    .step("0", eq(E(square(drawn(Integer(0)))), 0), by.linear())
    .step(
        "one more",
        eq(E(square(drawn(n + 1))), (n + 1 - (n + 1) * n / (M - 1)) * zeta**2, (n, 0, M - 1)),
        by.linear("cross", "one", "spread", "several"),
        assuming=eq(E(square(drawn(n))), mean_square),
    )
    .step("draws", eq(E(square(drawn(n))), mean_square, (n, 0, M)), by.induction(n, "0", "one more"))
    .step("before", eq(E(square(drawn(n))), mean_square, (n, 0, M - 1)), by.instance({n: n}, "draws"))
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
    .given("spread", eq(square(Grad(f1, best)), zeta**2), "what zeta_* is")
    .given("first", eq(y, x - eta * Grad(f1, x)), "the step of the first client")
    .given("second", eq(z, y - eta * Grad(f2, y)), "the step of the second client")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", le(eta, 2 / (L + mu)), "the step size")
    .given("below 2", lt(eta, 2 / L), "the step size, if mu = 0")
    .step("sign 1", le(0, 1 - eta * mu), by.polynomial("order", "short"))
    .step("sign 2", lt(0, 2 - L * eta), by.linear({"below 2": L}))
    .qed(
        le(square(z - best), q * square(x - best) + LEAST * zeta**2),
        by.sos(
            {"spread": LEAST},
            (2 * eta * (1 - eta * mu) / (L - mu), Axiom("interpolated", f1, best, x)),
            (2 * eta * (1 - eta * mu) / (L - mu), Axiom("interpolated", f1, x, best)),
            (2 * eta, Axiom("cocoercive", f2, best, y)),
            (2 * eta, Axiom("cocoercive", f2, y, best)),
            *("order", "short", "below 2", "client 1", "client 2", "sign 1", "sign 2"),
        ),
        inserting=("balanced", "second", "first"),
    )
)
rate, more = Symbol("rate", nonnegative=True), Symbol("more", nonnegative=True)
one_round = le(square(z - best), rate * square(x - best) + more)
A_ROUND = proof("proved/shrinking").given("a round", one_round, "what it does").qed(one_round, by.linear("a round"))
SHRINKING = chained(A_ROUND, "x", "z")
R, r = Symbol("R", integer=True, positive=True), Symbol("r", integer=True, nonnegative=True)
x_, y_, each = family(Vector, "x"), family(Vector, "y"), (r, 0, R - 1)
ROUNDS = (
    proof("proved/sequential-two-rounds", note="R rounds of two clients")
    .under(*(h for h in TWO.hypotheses if h.id not in ("first", "second")))
    .given("curved", lt(0, mu), "the first client is strongly convex")
    .given("first", eq(y_(r), x_(r) - eta * Grad(f1, x_(r)), each), "the step of the first client")
    .given("second", eq(x_(r + 1), y_(r) - eta * Grad(f2, y_(r)), each), "the step of the second client")
    .step(
        "round",
        le(square(x_(r + 1) - best), q * square(x_(r) - best) + LEAST * zeta**2, each),
        by.apply(TWO.id, {x: x_(r), y: y_(r), z: x_(r + 1)}, *(h.id for h in TWO.hypotheses)),
    )
    .step("sign", lt(0, 2 - L * eta), by.linear({"below 2": L}))
    .step("sign 1", lt(0, 1 - eta * mu), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("below 1", lt(0, eta * mu), by.linear(curved=eta))
    .step("square shrinks", le(q, 1 - eta * mu), by.linear({"sign 1": eta * mu}))
    .step("shrinks", lt(q, 1), by.linear("below 1", "square shrinks"))
    .step("level", le(0, LEAST * zeta**2), by.linear({"sign": LEAST * zeta**2 / (2 - L * eta)}))
    .qed(
        le(square(x_(R) - best), Pow(q, R, evaluate=False) * square(x_(0) - best) + LEAST * zeta**2 / (1 - q)),
        by.apply(SHRINKING.id, {rate: q, more: LEAST * zeta**2}, "round", "shrinks", "level"),
    )
)

# No smaller constant will do: f1(u) = mu u^2/2 + zeta u and f2(u) = L u^2/2 - zeta u on the line, with x* = 0 --------------

start = eta * zeta * (1 - L * eta) / ((1 - eta * mu) * (2 - L * eta))
after_one = start - eta * (mu * start + zeta)
after_two = after_one - eta * (L * after_one - zeta)
TIGHT = (
    proof("proved/sequential-least", note="on two quadratics the bound is attained")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", le(eta, 2 / (L + mu)), "the step size")
    .given("below 2", lt(eta, 2 / L), "the step size, if mu = 0")
    .given("bound", le(after_two**2, q * start**2 + c * zeta**2), "the bound with a constant c, on the instance")
    .step("sign 1", lt(0, 1 - eta * mu), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - L * eta), by.linear({"below 2": L}))
    .qed(le(LEAST, c), by.linear({"bound": 1 / zeta**2}, "sign 1", "sign 2"))
)

# ... nor in a random order: f1(u) = zeta u2 + L/2 max(0, t_cos u2 - t_sin u1)^2 in the plane, and f2 is its mirror image --------

sine, cosine, less = (Symbol(name, positive=True) for name in ("t_sin", "t_cos", "less"))
bent = (
    cosine * eta * zeta / (2 - L * eta)
)  # how far the point lies in the half-plane in which the second client is curved
away = (cosine * eta * zeta - bent) / sine  # x = (away, 0)
ahead, aside = away + eta * L * bent * sine, eta * L * bent * cosine  # the point after the round, or its mirror image
TIGHT_RANDOM = (
    proof("proved/sequential-random-least", note="for two clients no constant that is less will do: choose t_sin small")
    .given("short", le(eta, 1 / L), "the step size: then x has a first coordinate that is not negative")
    .step("sign", le(0, 1 - L * eta), by.linear(short=L))
    .given("circle", eq(cosine**2, 1 - sine**2), "a direction of length 1")
    .given("small", lt(LEAST * sine**2, less), "the direction is almost that of the gradients at x*")
    .qed(
        lt(away**2 + (LEAST - less) * zeta**2, ahead**2 + aside**2),
        by.linear({"small": zeta**2, "circle": -LEAST * zeta**2 - (eta * L * bent) ** 2}, "sign"),
    )
)
THEOREMS = (CLIENT, ROUND, RANDOM, TWO, A_ROUND, SHRINKING, ROUNDS, TIGHT, TIGHT_RANDOM)
