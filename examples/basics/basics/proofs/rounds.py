"""What a run of local SGD supposes, and its K local steps: the mean over the clients of E|y - x*|² contracts."""

from sympy import Symbol

from basics.letters import K, L, R, eta, sigma, zeta
from basics.proofs.client import H, ahead, s, t
from basics.proofs.words import N, a, b, best, n, nu, q, u
from fltheory.proof import Given, Member, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Total, family, square
from fltheory.symbols import n_clients as M

r, m = Symbol("r", integer=True, nonnegative=True), Symbol("m", integer=True, positive=True)  # a round, a client
F, x, y, xi = family(Fun, "F"), *(family(RandomVector, name) for name in ("x", "y", "xi"))


def mean(term):
    """The mean over the clients m."""
    return Total(term, m, 1, M) / M


def away(point):
    """E|point - x*|²."""
    return E(square(point - best))


CLIENTS, EACH = (m, 1, M), (r, 0, R - 1)
STEP = (CLIENTS, (n, 0, K - 1), EACH)
here, there, noise = y(r, m, n), y(r, m, n + 1), xi(r, m, n)
step = here - eta * (Grad(F(m), here) + noise)
RUN = (
    Member("class", F(m), L, nu, "every client is strongly convex and L-smooth"),
    Given("order", le(nu, L), "strong convexity is below smoothness"),
    Given("c1", lt(eta * L, 1), "condition of the bound"),
    Given("start", eq(y(r, m, 0), x(r), CLIENTS, EACH), "clients start from the server's model"),
    Given("steps", eq(there, step, *STEP), "local steps with noisy gradients"),
    Given("average", eq(x(r + 1), mean(y(r, m, K)), EACH), "the server averages"),
    Given("unbiased", eq(E(Dot(ahead(F(m), here), noise)), 0, *STEP), "noise has mean zero given the past"),
    Given("variance", le(E(square(noise)), sigma**2, *STEP), "what sigma is"),
    Given("spread", eq(mean(square(Grad(F(m), best))), zeta**2), "what zeta is"),
)
rate, level = 1 - eta * nu, eta * sigma**2 / nu + zeta**2 / nu**2
one = rate * square(here - best) + eta / nu * square(Grad(F(m), best))
noisy = one - 2 * eta * Dot(ahead(F(m), here), noise) + eta**2 * square(noise)
known = E(one) + eta**2 * sigma**2
at_client = {s: rate, t: eta * nu, H: F(m), u: here}
STEPS = (
    proof("basics/local-steps", note="the K local steps of a round, in the mean over the clients")
    .under(*(h for h in RUN if h.id not in ("start", "average")))
    .step("room", lt(0, rate), by.linear(c1=1, order=eta))
    .step("small", le(eta * L, 1), by.linear("c1"))
    .step(
        "client",
        le(square(ahead(F(m), here)), one, *STEP),
        by.apply("basics/client-step", at_client, "class", "small", "room"),
    )
    .step("noisy", le(square(there - best), noisy, *STEP), by.linear({"client": 1, "steps": there + step - 2 * best}))
    .step("expected", le(away(there), E(noisy), *STEP), by.expectation("noisy"))
    .step("known", le(away(there), known, *STEP), by.linear({"expected": 1, "unbiased": -2 * eta, "variance": eta**2}))
    .step("summed", le(Total(away(there), *CLIENTS), Total(known, *CLIENTS), *STEP[1:]), by.sum_over(m, "known"))
    .step(
        "step",
        le(mean(away(there)), rate * mean(away(here)) + (1 - rate) * level, *STEP[1:]),
        by.linear({"summed": 1 / M, "spread": eta / nu}),
    )
    .step("rate", le(0, rate), by.linear("room"))
    .qed(
        le(mean(away(y(r, m, K))), rate**K * mean(away(y(r, m, 0))) + (1 - rate**K) * level, EACH),
        by.apply("basics/recursion", {q: rate, b: level, N: K, a(n): mean(away(here))}, "rate", "step"),
    )
)
THEOREMS = (STEPS,)
