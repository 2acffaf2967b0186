"""A gradient step on S of M clients, drawn without replacement, with the least constant of the heterogeneity.

S = 1 is a step of stochastic gradient descent on a sum of M functions. The proof compares every client with the mean gradient g:
the terms that are linear in the gradients at x* add up to 0 over the clients.
"""

from dataclasses import replace

from sympy import Integer, Symbol

from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.proof import Axiom, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Draw, E, Fun, Grad, Nonnegative, RandomVector, Total, Vector, family, square
from fltheory.symbols import n_clients as M

L, eta, zeta = (Symbol(name, positive=True) for name in ("L", "eta", "zeta"))
mu = Symbol("mu", nonnegative=True)  # 0: convex
rho = Symbol("rho", nonnegative=True)
S = Symbol("S", integer=True, positive=True)
m, k = (Symbol(name, integer=True, positive=True) for name in "mk")
n, i = (Symbol(name, integer=True, nonnegative=True) for name in "ni")
F, f, V = family(Fun, "F")(), family(Fun, "f"), family(Nonnegative, "V")()
g, x, best, after = *(family(Vector, name)() for name in ("g", "x", "x_star")), family(RandomVector, "after")()

a = 1 - eta * mu
room = 2 * a - rho * eta * (L - mu)
LEAST = 2 * a * rho * eta**2 / room


def linear(gradient, mean):
    """Return what adds up to 0 over the clients."""
    return 2 * eta * a * Dot(x - best, gradient) - 4 * a * (1 - rho) * eta**2 / room * Dot(
        mean - mu * (x - best), gradient
    )


CLIENT = (
    proof("proved/sampled-client", note="what one client adds to the mean and to the variance of the step")
    .under(Member("client", F, L, mu, "the client is mu-strongly convex and L-smooth"))
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("factor", le(rho, 1), "the factor of the variance")
    .step("sign 1", lt(0, a), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - eta * (L + mu)), by.linear(short=L + mu))
    .step("sign 3", le(0, L - mu), by.linear("order"))
    .step("sign 4", lt(0, room), by.linear({"sign 2": 1, "factor": eta * (L - mu)}, "sign 3"))
    .qed(
        le(
            square(x - best)
            - 2 * eta * Dot(x - best, Grad(F, x))
            + eta**2 * (1 - rho) * (2 * Dot(g, Grad(F, x)) - square(g))
            + eta**2 * rho * square(Grad(F, x)),
            a**2 * square(x - best) + LEAST * square(Grad(F, best)) - linear(Grad(F, best), g),
        ),
        by.sos(
            *((2 * a * eta / (L - mu), Axiom("interpolated", F, *pair)) for pair in ((best, x), (x, best))),
            *("client", "order", "short", "factor", "sign 1", "sign 2", "sign 3", "sign 4"),
        ),
    )
)
each = (m, 1, M)
MEAN = (
    proof("proved/sampled-mean", note="the mean and the variance of the step, for every factor of the variance")
    .under(Member("clients", f(m), L, mu, "each client is mu-strongly convex and L-smooth"))
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("factor", le(rho, 1), "the factor of the variance")
    .given("mean", eq(M * g, Total(Grad(f(m), x), *each)), "the mean gradient")
    .given("balanced", eq(Total(Grad(f(m), best), *each), 0), "x* minimises the mean of the clients")
    .given("spread", eq(Total(square(Grad(f(m), best)), *each), M * zeta**2), "what zeta_* is")
    .step(
        "client",
        le(
            square(x - best)
            - 2 * eta * Dot(x - best, Grad(f(m), x))
            + eta**2 * (1 - rho) * (2 * Dot(g, Grad(f(m), x)) - square(g))
            + eta**2 * rho * square(Grad(f(m), x)),
            a**2 * square(x - best) + LEAST * square(Grad(f(m), best)) - linear(Grad(f(m), best), g),
            each,
        ),
        by.apply(CLIENT.id, {F: f(m)}, "clients", "order", "short", "factor"),
    )
    .step("clients together", by.sum_over(m, "client"))
    .qed(
        le(
            square(x - best - eta * g) + eta**2 * rho * Total(square(Grad(f(m), x) - g), *each) / M,
            a**2 * square(x - best) + LEAST * zeta**2,
        ),
        by.linear(
            {
                "clients together": 1 / M,
                "spread": LEAST / M,
                "balanced": (4 * a * (1 - rho) * eta**2 / room * (g - mu * (x - best)) - 2 * eta * a * (x - best)) / M,
                "mean": (2 * eta**2 * g - 2 * eta * (x - best)) / M,
            }
        ),
    )
)

# Draws without replacement -------------------------------------------------------------------------------------------------


def placed(place):
    """Return the gradient of the client in a place of the sample, counted from 0, less the mean gradient."""
    return Grad(f(Draw(place + 1, M)), x) - g


def drawn(count):
    """Return the sum over the first clients of the sample."""
    return Total(placed(i), i, 0, count - 1)


def whole(index):
    """Return the sum over all clients."""
    return Total(Grad(f(index), x) - g, index, 1, M)


mean_square = (n - n * (n - 1) / (M - 1)) * V  # of the sum of n draws
share = (M - S) / (S * (M - 1))
DRAWS = draws.given(lambda place: Grad(f(place), x) - g, V)[1:]
STEP = (
    proof("proved/sampled-step", note="a step on S of M clients")
    .under(
        *(h for h in MEAN.hypotheses if h.id not in ("factor", "spread")),
        *(replace(h, id=f"draw {h.id}") for h in DRAWS),
    )
    .given("spread", MEAN.hypotheses[-1].relation, "what zeta_* is")
    .given("several", le(2, M), "two clients or more")
    .given("few", le(S, M), "no more clients are drawn than there are")
    .given(
        "draw mean",
        eq(E(Dot(x - best - eta * g, placed(n))), 0, (n, 0, S - 1)),
        "each client is as likely in each place",
    )
    .given(
        "step", eq(after, x - eta * g - eta / S * drawn(S)), "the step, by the mean gradient and what the sample adds"
    )
    .step("centred", eq(whole(m), 0), by.linear(mean=-1))
    .step("1", eq(Dot(whole(m), whole(k)), 0), by.linear(centred=whole(m)), note="the squared sum vanishes")
    .step(
        "pair",
        eq(E(Dot(placed(i), placed(n))), -V / (M - 1), (n, 0, M - 1), (i, 0, n - 1)),
        by.linear("draw two", "1", "draw spread"),
        note="different draws are negatively correlated",
    )
    .step("cross", by.sum_over(i, "pair"))
    .step("0", eq(E(square(drawn(Integer(0)))), 0), by.linear())
    .step(
        "one more",
        eq(E(square(drawn(n + 1))), (n + 1 - (n + 1) * n / (M - 1)) * V, (n, 0, M - 1)),
        by.linear("cross", "draw one", "draw spread", "several"),
        assuming=eq(E(square(drawn(n))), mean_square),
    )
    .step("draws", eq(E(square(drawn(n))), mean_square, (n, 0, M)), by.induction(n, "0", "one more"))
    .step("sample", eq(E(square(drawn(S))), mean_square.subs(n, S)), by.instance({n: S}, "draws", "few"))
    .step("no drift", by.sum_over(n, "draw mean"))
    .step(
        "square",
        eq(
            square(after - best),
            square(x - best - eta * g)
            - 2 * eta / S * Dot(x - best - eta * g, drawn(S))
            + eta**2 / S**2 * square(drawn(S)),
        ),
        by.linear(step=after + x - 2 * best - eta * g - eta / S * drawn(S)),
    )
    .step("mean square", by.expectation("square"))
    .step("low", le(0, share), by.linear({"few": 1 / (S * (M - 1))}, "several"))
    .step("one or more", le(1, S), by.linear())
    .step("high", le(share, 1), by.linear({"one or more": M / (S * (M - 1))}, "several"))
    .step(
        "bound",
        MEAN.statement.at({rho: share}),
        by.apply(MEAN.id, {rho: share}, *("clients", "order", "short", "high", "mean", "balanced", "spread", "low")),
    )
    .qed(
        le(E(square(after - best)), a**2 * square(x - best) + LEAST.subs(rho, share) * zeta**2),
        by.linear(
            {
                "bound": 1,
                "mean square": 1,
                "no drift": -2 * eta / S,
                "sample": eta**2 / S**2,
                "draw spread": -(eta**2) * share / M,
            },
            "several",
        ),
    )
)

# No smaller constant will do, for any numbers of clients --------------------------------------------------------------------
#
# The plane, x* = 0, x = (far, 0), and two clients with f(u) = mu |u|^2/2 + t u2 + (L - mu)/2 (t_sin u1 + t_cos u2)^2 and its
# mirror image; the other M - 2 have f(u) = mu |u|^2/2. All of them are quadratic.

t, theta, less, sine, cosine = (Symbol(name, positive=True) for name in ("t", "theta", "less", "t_sin", "t_cos"))
slope = rho * eta * (L - mu) * t / room  # of the last term at x
far = slope / ((L - mu) * sine)
along, aside = slope * sine, slope * cosine + t  # what the gradient of the first client adds to mu x
average = far - eta * (mu * far + 2 * along / M)  # the step by the mean gradient is (average, 0)
variance = 2 / M * (along**2 + aside**2) - (2 * along / M) ** 2
number = Symbol("number", real=True)
SQUARE = proof("proved/square").qed(le(0, number**2), by.polynomial())
TIGHT = (
    proof(
        "proved/sampled-least",
        unused=("several",),
        note="the bound with a constant that is less fails: choose theta small",
    )
    .given("several", le(2, M), "two clients or more")
    .given("order", lt(mu, L), "strong convexity is below smoothness")
    .given("short", lt(eta, 2 / (L + mu)), "the step size")
    .given("factor", le(rho, 1), "the factor of the variance")
    .given("circle", eq(cosine**2, 1 - sine**2), "a direction")
    .given("close", le(1 - theta, cosine), "it is almost that of the gradients at x*")
    .given("small", lt(2 * rho**2 * eta**3 * (L - mu) / room * theta, less), "it is close enough")
    .step("sign 1", lt(0, a), by.linear(short=(L + mu) / 2, order=eta / 2))
    .step("sign 2", lt(0, 2 - eta * (L + mu)), by.linear(short=L + mu))
    .step("sign 3", le(0, L - mu), by.linear("order"))
    .step("sign 4", lt(0, room), by.linear({"sign 2": 1, "factor": eta * (L - mu)}, "sign 3"))
    .step("square", le(0, (slope * sine) ** 2), by.apply(SQUARE.id, {number: slope * sine}, "sign 4"))
    .qed(
        lt(a**2 * far**2 + (LEAST - less) * (2 * t**2 / M), average**2 + eta**2 * rho * variance),
        by.linear(
            {
                "small": 2 * t**2 / M,
                "close": 4 * eta**2 * rho * slope * t / M,
                "square": 4 * eta**2 / M**2 * (1 - rho),
                "circle": -2 * eta**2 * rho * slope**2 / M,
            },
            *("factor", "order", "sign 1", "sign 2", "sign 3", "sign 4"),
        ),
    )
)
THEOREMS = (CLIENT, MEAN, STEP, SQUARE, TIGHT)
