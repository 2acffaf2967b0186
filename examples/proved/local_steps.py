"""One round of federated averaging with two local steps, with the least constant of the heterogeneity.

Client m steps from the common point x to y(m) and to z(m), and the server averages z(m) over the M clients. The proof compares
every client with the average q = z - x*: the terms that are linear in the gradients at x* add up to 0 over the clients.
"""

from dataclasses import replace

from sympy import Pow, Rational, Symbol

from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Fun, Grad, Total, Vector, family, square
from fltheory.proving.rounds import chained
from fltheory.symbols import n_clients as M

L, eta, zeta = (Symbol(name, positive=True) for name in ("L", "eta", "zeta"))
mu = Symbol("mu", nonnegative=True)  # 0: convex
m = Symbol("m", integer=True, positive=True)
F, f = family(Fun, "F")(), family(Fun, "f")
q, x, y, z, best, after = (family(Vector, name)() for name in ("q", "x", "y", "z", "x_star", "after"))
first, second = family(Vector, "y"), family(Vector, "z")

a = 1 - eta * mu
wide = 2 - 3 * eta * mu + eta * L  # 2 a + eta (L - mu)
LEAST = 2 * a**3 * eta**3 * (L - mu) / ((2 - eta * (L + mu)) * wide)
lean = 2 * a * eta**2 * (L - mu) / wide


def linear(gradient, centre):
    """Return what adds up to 0 over the clients."""
    return 2 * (1 + a) * eta * Dot(centre, gradient) + lean * Dot(a**2 * (x - best) - centre, gradient)


CLIENT = (
    proof("proved/local-client", note="the two steps of one client, beside any point x* + q")
    .under(Member("client", F, L, mu, "the client is mu-strongly convex and L-smooth"))
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("first", eq(y, x - eta * Grad(F, x)), "the first step of the client")
    .given("second", eq(z, y - eta * Grad(F, y)), "the second step of the client")
    .step("sign 1", lt(0, a), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - eta * (L + mu)), by.linear(short=L + mu))
    .step("sign 3", lt(0, wide), by.linear({"sign 1": 2, "order": eta}))
    .qed(
        le(
            2 * Dot(q, z - best) - square(q),
            a**4 * square(x - best) + LEAST * square(Grad(F, best)) - linear(Grad(F, best), q),
        ),
        by.sos(
            *((2 * a**3 * eta / (L - mu), Axiom("interpolated", F, *pair)) for pair in ((best, x), (x, best))),
            *((2 * a * eta / (L - mu), Axiom("interpolated", F, *pair)) for pair in ((best, y), (y, best))),
            *("client", "order", "short", "sign 1", "sign 2", "sign 3"),
        ),
        inserting=("second", "first"),
    )
)
each = (m, 1, M)
ROUND = (
    proof("proved/local-round", note="M clients with two steps each")
    .under(Member("clients", f(m), L, mu, "each client is mu-strongly convex and L-smooth"))
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("first", eq(first(m), x - eta * Grad(f(m), x), each), "the first steps")
    .given("second", eq(second(m), first(m) - eta * Grad(f(m), first(m)), each), "the second steps")
    .given("average", eq(M * after, Total(second(m), *each)), "the server's average")
    .given("balanced", eq(Total(Grad(f(m), best), *each), 0), "x* minimises the mean of the clients")
    .given("spread", eq(Total(square(Grad(f(m), best)), *each), M * zeta**2), "what zeta_* is")
    .step(
        "client",
        le(
            2 * Dot(after - best, second(m) - best) - square(after - best),
            a**4 * square(x - best) + LEAST * square(Grad(f(m), best)) - linear(Grad(f(m), best), after - best),
            each,
        ),
        by.apply(
            CLIENT.id,
            {F: f(m), q: after - best, y: first(m), z: second(m)},
            *("clients", "order", "short", "first", "second"),
        ),
    )
    .step("clients together", by.sum_over(m, "client"))
    .qed(
        le(square(after - best), a**4 * square(x - best) + LEAST * zeta**2),
        by.linear(
            {
                "clients together": 1 / M,
                "average": 2 / M * (after - best),
                "spread": LEAST / M,
                "balanced": (lean * (after - best - a**2 * (x - best)) - 2 * (1 + a) * eta * (after - best)) / M,
            }
        ),
    )
)

# R rounds ------------------------------------------------------------------------------------------------------------------

rate, more = Symbol("rate", nonnegative=True), Symbol("more", nonnegative=True)
one_round = le(square(after - best), rate * square(x - best) + more)
A_ROUND = proof("proved/shrinking").given("a round", one_round, "what it does").qed(one_round, by.linear("a round"))
SHRINKING = chained(A_ROUND, "x", "after")
R, r = Symbol("R", integer=True, positive=True), Symbol("r", integer=True, nonnegative=True)
x_, first_, second_, rounds = family(Vector, "x"), family(Vector, "y"), family(Vector, "z"), (r, 0, R - 1)
ROUNDS = (
    proof("proved/local-rounds", note="R rounds of M clients with two steps each")
    .under(*(h for h in ROUND.hypotheses if h.id not in ("first", "second", "average")))
    .given("curved", lt(0, mu), "the clients are strongly convex")
    .given("first", eq(first_(r, m), x_(r) - eta * Grad(f(m), x_(r)), rounds, each), "the first steps")
    .given("second", eq(second_(r, m), first_(r, m) - eta * Grad(f(m), first_(r, m)), rounds, each), "the second steps")
    .given("average", eq(M * x_(r + 1), Total(second_(r, m), *each), rounds), "the server's average")
    .step(
        "round",
        le(square(x_(r + 1) - best), a**4 * square(x_(r) - best) + LEAST * zeta**2, rounds),
        by.apply(
            ROUND.id,
            {x: x_(r), after: x_(r + 1), first(m): first_(r, m), second(m): second_(r, m)},
            *(h.id for h in ROUND.hypotheses),
        ),
    )
    .step("sign 1", lt(0, a), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - eta * (L + mu)), by.linear(short=L + mu))
    .step("sign 3", lt(0, wide), by.linear({"sign 1": 2, "order": eta}))
    .step("below 1", lt(0, eta * mu), by.linear(curved=eta))
    .step("square shrinks", le(a**2, a), by.linear({"sign 1": eta * mu}))
    .step("power shrinks", le(a**4, a**2), by.linear({"square shrinks": a * (1 + a)}, "sign 1"))
    .step("shrinks", lt(a**4, 1), by.linear("below 1", "square shrinks", "power shrinks"))
    .step(
        "level", le(0, LEAST * zeta**2), by.linear({"order": LEAST * zeta**2 / (L - mu)}, "sign 1", "sign 2", "sign 3")
    )
    .qed(
        le(square(x_(R) - best), Pow(a**4, R, evaluate=False) * square(x_(0) - best) + LEAST * zeta**2 / (1 - a**4)),
        by.apply(SHRINKING.id, {rate: a**4, more: LEAST * zeta**2}, "round", "shrinks", "level"),
    )
)

# No smaller constant will do, for any number of clients -----------------------------------------------------------------
#
# The plane, x* = 0, and two clients that are mirror images; the other M - 2 have f(u) = mu |u|^2/2. The first client is
#     f(u) = mu |u|^2/2 + t u2 + (L - mu)/2 dist(u, W)^2
# with the wedge W of all u such that sin_1 u1 + cos_1 u2 <= 0 and sin_2 u1 + cos_2 u2 >= 0. It is narrow and x = (far, 0).

t, theta, less, sin_1, cos_1, cos_2 = (
    Symbol(n, positive=True) for n in ("t", "theta", "less", "sin_1", "cos_1", "cos_2")
)
bend = eta * (L - mu)
below = (2 - eta * (L + mu)) * wide  # 4 a^2 - bend^2
sin_2 = 2 * a / bend * sin_1
over_first = eta * bend * t / below  # how far x lies outside the wedge
far = over_first / sin_1
along, aside = a * far - bend * over_first * sin_1, -bend * over_first * cos_1 - eta * t  # the first client's y
over_second = -sin_2 * along - cos_2 * aside  # how far y lies outside, on the other side
moved = a * along + bend * over_second * sin_2 - a**2 * far  # z - a^2 x, in the direction in which the clients agree
end = a**2 * far + 2 * moved / M  # the average is (end, 0)
number = Symbol("number", real=True)
SQUARE = proof("proved/square").qed(le(0, number**2), by.polynomial())
INSTANCE = (
    proof("", unused=("several", "circle 1", "circle 2"))
    .given("several", le(2, M), "two clients or more")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("circle 1", eq(sin_1**2 + cos_1**2, 1), "a direction")
    .given("circle 2", eq(sin_2**2 + cos_2**2, 1), "a direction")
    .given("close", le(1 - theta, cos_1 * cos_2), "both directions are almost that of the gradients at x*")
    .given("close too", le(1 - theta, cos_2), "the second is")
    .step("sign 1", lt(0, a), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - eta * (L + mu)), by.linear(short=L + mu))
    .step("sign 3", lt(0, wide), by.linear({"sign 1": 2, "order": eta}))
)
signs = ("order", "sign 1", "sign 2", "sign 3")
gain = 4 * a**2 * over_first * 2 * a / M  # of over_second
TIGHT = (
    replace(INSTANCE, id="proved/local-least", note="the bound with a constant that is less fails: choose theta small")
    .given("small", lt(8 * a**2 * LEAST / below * theta, less), "the wedge is narrow enough")
    .step("square", le(0, moved**2), by.apply(SQUARE.id, {number: moved}, *signs))
    .step(
        "rest",
        le(0, gain * 2 * a * over_first * sin_1**2),
        by.linear({"sign 1": 16 * a**3 * over_first**2 * sin_1**2 / M}, *signs),
    )
    .qed(
        lt(a**4 * far**2 + (LEAST - less) * (2 * t**2 / M), end**2),
        by.linear(
            {
                "square": 4 / M**2,
                "rest": 1,
                "close": gain * bend * over_first,
                "close too": gain * eta * t,
                "small": 2 * t**2 / M,
            },
            *signs,
        ),
    )
)

# The instance is as drawn: y lies outside the wedge on the other side than x, and in front of the tip. In letters that are
# positive: room = 2 - eta (L + mu) and bow = eta (L - mu).

room, bow = Symbol("room", positive=True), Symbol("bow", positive=True)
half = (room + bow) / 2  # a
outside = eta * bow * t / (room * (room + 2 * bow))
before = half * outside / sin_1 - bow * outside * sin_1
LETTERS = {room: 2 - eta * (L + mu), bow: bend}
OUTSIDE = (
    proof("proved/local-outside", note="y lies outside the wedge, on the other side than x")
    .given("close", le(1 - theta, cos_1 * cos_2), "both directions are almost that of the gradients at x*")
    .given("close too", le(1 - theta, cos_2), "the second is")
    .given("half", lt(theta, Rational(1, 2)), "the wedge is narrow enough")
    .qed(
        lt(0, -2 * half / bow * sin_1 * before + cos_2 * (bow * outside * cos_1 + eta * t)),
        by.linear({"close": bow * outside, "close too": eta * t, "half": bow * outside + eta * t}),
    )
)
AHEAD = (
    proof("proved/local-ahead", note="y lies in front of the tip")
    .given("narrow", lt(bow * sin_1**2, half), "the wedge is narrow enough")
    .qed(lt(0, before), by.linear({"narrow": outside / sin_1}))
)
THEOREMS = (CLIENT, ROUND, A_ROUND, SHRINKING, ROUNDS, SQUARE, TIGHT, OUTSIDE, AHEAD)
