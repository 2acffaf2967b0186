"""SGD2: squared distances telescope, and Jensen's inequality averages."""

from sympy import Symbol

from basics.letters import L, R, eta, sigma
from basics.noise import SGD2
from basics.proofs.noise import EACH, RUN, START, ahead, noise, slope, taken, x
from basics.proofs.words import LOWEST, SMOOTH, F, away, best, gap, n
from fltheory.proof import Axiom, by, eq, le, proof, statement_of
from fltheory.proof.terms import Dot, E, Grad, RandomVector, Total, family, square

ALL = (n, 0, R)
mean, r = family(RandomVector, "mean")(), Symbol("r", integer=True, nonnegative=True)
last = x(R) - eta * Grad(F, x(R)) - best
paid = E(away(x(n))) + 2 * eta * Total(E(gap(x(r))), r, 0, n - 1)
AVERAGES = (
    proof("basics/SGD2", of=SGD2.id, bound=SGD2.bound, reading=START)
    .under(SMOOTH, LOWEST, *RUN)
    .given("mean", eq(mean, Total(x(r), r, 0, R) / (R + 1)), "the average of the iterates")
    .step("long", le(0, square(Grad(F, x(n))), ALL), by.sos())
    .step("short", le(eta**2, eta / L), by.linear(c1=eta / L))
    .step(
        "ahead",
        le(square(ahead) + 2 * eta * gap(x(n)), away(x(n)), ALL),
        by.linear({"short": square(slope)}, (2 * eta, Axiom("cocoercive", F, best, x(n))), "long", "class"),
        inserting="lowest",
        note="a step without noise pays for the gap",
    )
    .step(
        "one",
        le(away(x(n + 1)) + 2 * eta * gap(x(n)), away(x(n)) + noise, EACH),
        by.linear({"ahead": 1, "steps": taken}),
    )
    .step("in mean", le(E(away(x(n + 1)) + 2 * eta * gap(x(n))), E(away(x(n)) + noise), EACH), by.expectation("one"))
    .step("first", le(paid.subs(n, 0), E(away(x(0)))), by.linear())
    .step(
        "next",
        le(paid.subs(n, n + 1), E(away(x(0))) + (n + 1) * eta**2 * sigma**2, EACH),
        by.linear({"assumed 1": 1, "in mean": 1, "unbiased": -2 * eta, "variance": eta**2}),
        assuming=le(paid, E(away(x(0))) + n * eta**2 * sigma**2),
    )
    .step("all", le(paid, E(away(x(0))) + n * eta**2 * sigma**2, ALL), by.induction(n, "first", "next"))
    .step("end", le(paid.subs(n, R), E(away(x(0))) + R * eta**2 * sigma**2), by.instance({n: R}, "all"))
    .step("last", le(square(last) + 2 * eta * gap(x(R)), away(x(R))), by.instance({n: R}, "ahead"))
    .step("last long", le(0, square(last)), by.sos())
    .step("last square", le(2 * eta * gap(x(R)), away(x(R))), by.linear({"last": 1, "last long": 1}))
    .step("last mean", le(E(2 * eta * gap(x(R))), E(away(x(R)))), by.expectation("last square"))
    .step(
        "tangent",
        le(gap(mean) + Dot(Grad(F, mean), x(r) - mean), gap(x(r)), (r, 0, R)),
        by.linear((1, Axiom("convex", F, x(r), mean)), "class"),
    )
    .step(
        "tangents",
        le(Total(gap(mean) + Dot(Grad(F, mean), x(r) - mean), r, 0, R), Total(gap(x(r)), r, 0, R)),
        by.sum_over(r, "tangent"),
    )
    .step("jensen", le((R + 1) * gap(mean), Total(gap(x(r)), r, 0, R)), by.linear("tangents"), inserting="mean")
    .step("jensen mean", le(E((R + 1) * gap(mean)), E(Total(gap(x(r)), r, 0, R))), by.expectation("jensen"))
    .qed(
        statement_of(SGD2.bound, E(gap(mean)), START)[0],
        by.linear({"jensen mean": 1 / (R + 1), "last mean": 1 / (2 * eta * (R + 1)), "end": 1 / (2 * eta * (R + 1))}),
    )
)
THEOREMS = (AVERAGES,)
