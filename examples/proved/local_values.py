"""One round of federated averaging with two local steps, convex clients: what the objective gains, with the least constant.

A round keeps (4 - w) eta (F(x) - F*) of the gain, for any w from 2 to 4: w = 2 keeps 2 eta (F(x) - F*). Summed over R rounds
this is a rate for the mean of F(x_r) - F*.
"""

from sympy import Symbol

from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Fun, Grad, RandomScalar, Total, Val, Vector, family, square
from fltheory.proving.rounds import chained
from fltheory.symbols import n_clients as M

L, eta, zeta, w = (Symbol(name, positive=True) for name in ("L", "eta", "zeta", "w"))
m = Symbol("m", integer=True, positive=True)
F, f = family(Fun, "F")(), family(Fun, "f")
q, x, y, z, best, after = (family(Vector, name)() for name in ("q", "x", "y", "z", "x_star", "after"))
first, second = family(Vector, "y"), family(Vector, "z")

h = eta * L
below = w - h**2
LEAST = eta**3 * L * w / (2 * below)
lean = eta**2 * L * (w - 2 * h) / below


def bregman(function):
    """Return how far a function lies above its tangent at x*, at x."""
    return Val(function, x) - Val(function, best) - Dot(Grad(function, best), x - best)


def linear(gradient, centre):
    """Return what adds up to 0 over the clients."""
    return 4 * eta * Dot(centre, gradient) + lean * Dot(x - best - centre, gradient)


SIGN = by.linear({"short": (w + 2 * h) * L / 2, "high": w / 4})
CLIENT = (
    proof("proved/values-client", note="the two steps of one client, beside any point x* + q")
    .under(Member("client", F, L, 0, "the client is convex and L-smooth"))
    .given("low", le(2, w), "at most 2 eta (F(x) - F*) is kept")
    .given("high", le(w, 4), "none of it is paid")
    .given("short", lt(eta, w / (2 * L)), "the step size")
    .given("first", eq(y, x - eta * Grad(F, x)), "the first step of the client")
    .given("second", eq(z, y - eta * Grad(F, y)), "the second step of the client")
    .step("sign", lt(0, below), SIGN)
    .qed(
        le(
            2 * Dot(q, z - best) - square(q),
            square(x - best) - (4 - w) * eta * bregman(F) + LEAST * square(Grad(F, best)) - linear(Grad(F, best), q),
        ),
        by.sos(
            (2 * eta, Axiom("cocoercive", F, best, x)),
            ((w - 2) * eta, Axiom("cocoercive", F, x, best)),
            *((2 * eta, Axiom("cocoercive", F, *pair)) for pair in ((best, y), (y, best))),
            *("client", "low", "high", "short", "sign"),
        ),
        inserting=("second", "first"),
    )
)
each = (m, 1, M)


def gap(point):
    """Return F(point) - F*, with the mean F of the clients."""
    return Total(Val(f(m), point) - Val(f(m), best), *each) / M


ROUND = (
    proof("proved/values-round", note="M clients with two steps each")
    .under(Member("clients", f(m), L, 0, "each client is convex and L-smooth"))
    .given("low", le(2, w), "at most 2 eta (F(x) - F*) is kept")
    .given("high", le(w, 4), "none of it is paid")
    .given("short", lt(eta, w / (2 * L)), "the step size")
    .given("first", eq(first(m), x - eta * Grad(f(m), x), each), "the first steps")
    .given("second", eq(second(m), first(m) - eta * Grad(f(m), first(m)), each), "the second steps")
    .given("average", eq(M * after, Total(second(m), *each)), "the server's average")
    .given("balanced", eq(Total(Grad(f(m), best), *each), 0), "x* minimises the mean of the clients")
    .given("spread", eq(Total(square(Grad(f(m), best)), *each), M * zeta**2), "what zeta_* is")
    .step("sign", lt(0, below), SIGN)
    .step(
        "client",
        le(
            2 * Dot(after - best, second(m) - best) - square(after - best),
            square(x - best)
            - (4 - w) * eta * bregman(f(m))
            + LEAST * square(Grad(f(m), best))
            - linear(Grad(f(m), best), after - best),
            each,
        ),
        by.apply(
            CLIENT.id,
            {F: f(m), q: after - best, y: first(m), z: second(m)},
            *("clients", "low", "high", "short", "first", "second"),
        ),
    )
    .step("clients together", by.sum_over(m, "client"))
    .qed(
        le(square(after - best), square(x - best) - (4 - w) * eta * gap(x) + LEAST * zeta**2),
        by.linear(
            {
                "clients together": 1 / M,
                "average": 2 / M * (after - best),
                "spread": LEAST / M,
                "balanced": ((4 - w) * eta * (x - best) - lean * (x - after) - 4 * eta * (after - best)) / M,
            },
            "sign",
        ),
    )
)

# R rounds --------------------------------------------------------------------------------------------------------------------

share, more, gained = Symbol("share", positive=True), Symbol("more", nonnegative=True), family(RandomScalar, "gained")
one_round = le(square(after - best), square(x - best) - share * gained() + more)
A_ROUND = proof("proved/gaining").given("a round", one_round, "what it does").qed(one_round, by.linear("a round"))
GAINING = chained(A_ROUND, "x", "after")
R = Symbol("R", integer=True, positive=True)
r, i = (Symbol(name, integer=True, nonnegative=True) for name in "ri")
x_, rounds = family(Vector, "x"), (r, 0, R - 1)
ROUNDS = (
    proof("proved/values-rounds", note="R rounds of M clients with two steps each")
    .under(*(h for h in ROUND.hypotheses if h.id not in ("high", "first", "second", "average")))
    .given("high", lt(w, 4), "something is kept")
    .given("first", eq(first(r, m), x_(r) - eta * Grad(f(m), x_(r)), rounds, each), "the first steps")
    .given("second", eq(second(r, m), first(r, m) - eta * Grad(f(m), first(r, m)), rounds, each), "the second steps")
    .given("average", eq(M * x_(r + 1), Total(second(r, m), *each), rounds), "the server's average")
    .step("at most", le(w, 4), by.linear("high"))
    .step("sign", lt(0, below), SIGN)
    .step(
        "round",
        le(square(x_(r + 1) - best), square(x_(r) - best) - (4 - w) * eta * gap(x_(r)) + LEAST * zeta**2, rounds),
        by.apply(
            ROUND.id,
            {x: x_(r), after: x_(r + 1), first(m): first(r, m), second(m): second(r, m)},
            *("clients", "low", "at most", "short", "first", "second", "average", "balanced", "spread"),
        ),
    )
    .step("level", le(0, LEAST * zeta**2), by.linear({"sign": LEAST * zeta**2 / below}))
    .step("kept", lt(0, (4 - w) * eta), by.linear(high=eta))
    .qed(
        le(
            Total(gap(x_(i)), i, 0, R - 1) / R,
            square(x_(0) - best) / ((4 - w) * eta * R) + LEAST * zeta**2 / ((4 - w) * eta),
        ),
        by.apply(
            GAINING.id,
            {share: (4 - w) * eta, more: LEAST * zeta**2, gained(r): gap(x_(r))},
            *("round", "level", "kept"),
        ),
    )
)

# No smaller constant will do: the wedge of local_steps.py, at other angles -----------------------------------------------------

t, theta, less, sin_1, cos_1, cos_2 = (
    Symbol(n, positive=True) for n in ("t", "theta", "less", "sin_1", "cos_1", "cos_2")
)
sin_2 = w / (2 * h) * sin_1
over_first = eta * h * t / below  # how far x lies outside the wedge
far = over_first / sin_1
along, aside = far - h * over_first * sin_1, -h * over_first * cos_1 - eta * t  # the first client's y
over_second = -sin_2 * along - cos_2 * aside  # how far y lies outside, on the other side
moved = along + h * over_second * sin_2 - far  # z - x, in the direction in which the clients agree
end = far + 2 * moved / M  # the average is (end, 0)
height = L * over_first**2 / M  # F(x) - F*: both clients have L over_first^2/2
number = Symbol("number", real=True)
SQUARE = proof("proved/square").qed(le(0, number**2), by.polynomial())
TIGHT = (
    proof("proved/values-least", unused=("several", "low", "circle 1", "circle 2"))
    .given("several", le(2, M), "two clients or more")
    .given("low", le(2, w), "at most 2 eta (F(x) - F*) is kept")
    .given("high", le(w, 4), "none of it is paid")
    .given("short", lt(eta, w / (2 * L)), "the step size")
    .given("circle 1", eq(sin_1**2 + cos_1**2, 1), "a direction")
    .given("circle 2", eq(sin_2**2 + cos_2**2, 1), "a direction")
    .given("close", le(1 - theta, cos_1 * cos_2), "both directions are almost that of the gradients at x*")
    .given("close too", le(1 - theta, cos_2), "the second is")
    .given("small", lt(2 * w / below * LEAST * theta, less), "the wedge is narrow enough")
    .step("sign", lt(0, below), SIGN)
    .step("square", le(0, moved**2), by.apply(SQUARE.id, {number: moved}, "sign"))
    .step("rest", le(0, (w * over_first * sin_1) ** 2), by.apply(SQUARE.id, {number: w * over_first * sin_1}, "sign"))
    .qed(
        lt(far**2 + (LEAST - less) * (2 * t**2 / M), end**2 + (4 - w) * eta * height),
        by.linear(
            {
                "square": 4 / M**2,
                "rest": 1 / M,
                "close": 2 * w * over_first * h * over_first / M,
                "close too": 2 * w * over_first * eta * t / M,
                "small": 2 * t**2 / M,
            },
            "sign",
        ),
    )
)
THEOREMS = (CLIENT, ROUND, A_ROUND, GAINING, ROUNDS, SQUARE, TIGHT)
