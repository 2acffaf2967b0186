"""SGD1: the step contracts in expectation, and noise adds at most eta² sigma²."""

from sympy import sqrt

from basics.letters import D, L, R, eta, mu, sigma
from basics.noise import SGD1
from basics.proofs.words import LOWEST, F, N, a, away, b, best, n, nu, q
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof, statement_of
from fltheory.proof.terms import Dot, E, Grad, RandomVector, family, square

x, xi = family(RandomVector, "x"), family(RandomVector, "xi")
START = {D: sqrt(E(away(x(0))))}
READING = {mu: nu, **START}
slope = Grad(F, x(n))
ahead = x(n) - eta * slope - best  # where the step would lead without noise, seen from x*
EACH = (n, 0, R - 1)
taken = x(n + 1) + x(n) - eta * (slope + xi(n)) - 2 * best  # turns the equation of a step into one of squared lengths
RUN = (
    Given("steps", eq(x(n + 1), x(n) - eta * (slope + xi(n)), EACH), "R steps with noisy gradients"),
    Given("unbiased", eq(E(Dot(ahead, xi(n))), 0, EACH), "noise has mean zero given the past"),
    Given("variance", le(E(square(xi(n))), sigma**2, EACH), "what sigma is"),
    Given("c1", le(eta * L, 1), "condition of the bound"),
)
level = eta * sigma**2 / nu
noise = -2 * eta * Dot(ahead, xi(n)) + eta**2 * square(xi(n))

CONTRACTS = (
    proof("basics/SGD1", of=SGD1.id, bound=SGD1.bound, reading=READING)
    .under(Member("class", F, smooth=L, convex=nu, why="F is strongly convex and L-smooth"), LOWEST, *RUN)
    .given("order", le(nu, L), "strong convexity is below smoothness")
    .step("long", le(0, square(slope), EACH), by.sos())
    .step("short", le(eta**2, eta / L), by.linear(c1=eta / L))
    .step(
        "short slope",
        le(eta**2 * square(slope), eta / L * square(slope), EACH),
        by.linear({"short": square(slope)}, "long"),
    )
    .step(
        "one",
        le(away(x(n + 1)), (1 - eta * nu) * away(x(n)) + noise, EACH),
        by.linear(
            {"short slope": 1, "steps": taken},
            (2 * eta, Axiom("convex", F, best, x(n))),
            (2 * eta, Axiom("cocoercive", F, x(n), best)),
            "class",
        ),
        inserting="lowest",
    )
    .step("in mean", le(E(away(x(n + 1))), E((1 - eta * nu) * away(x(n)) + noise), EACH), by.expectation("one"))
    .step(
        "step",
        le(E(away(x(n + 1))), (1 - eta * nu) * E(away(x(n))) + eta * nu * level, EACH),
        by.linear({"in mean": 1, "unbiased": -2 * eta, "variance": eta**2}),
    )
    .step("rate", le(0, 1 - eta * nu), by.linear(c1=1, order=eta))
    .step("noise", le(0, level), by.linear())
    .qed(
        statement_of(SGD1.bound, E(away(x(R))), READING)[0],
        by.apply("basics/settles", {q: 1 - eta * nu, b: level, N: R, a(n): E(away(x(n)))}, "rate", "noise", "step"),
    )
)
THEOREMS = (CONTRACTS,)
