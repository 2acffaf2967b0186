"""GD2: a step of size 2/(L + mu) contracts towards the minimiser."""

from sympy import Symbol

from basics.descent import GD2
from basics.letters import L, R, mu
from basics.proofs.words import CURVED, FROM_START, LOWEST, F, N, a, away, b, best, n, q, u, v, x
from fltheory.proof import Axiom, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import Dot, Grad, square

slope = Grad(F, u) - mu * (u - best)
left, right = u - slope / (L - mu), best + slope / (L - mu)
CONTRACTS = (
    proof("basics/GD2-step", note="strong convexity and smoothness at two points between which F is squeezed")
    .under(CURVED, LOWEST)
    .given("c2", lt(mu, L), "condition of the bound")
    .given("step", eq(v, u - 2 / (L + mu) * Grad(F, u)), "a step of size 2/(L + mu)")
    .step(
        "squeezed",
        le(square(slope) / (L - mu), Dot(slope, u - best)),
        by.linear(
            (1, Axiom("descent", F, left, u)),
            (1, Axiom("convex", F, left, best)),
            (1, Axiom("descent", F, right, best)),
            (1, Axiom("convex", F, right, u)),
            "class",
            "c2",
        ),
        inserting="lowest",
    )
    .qed(
        le(away(v), ((L - mu) / (L + mu)) ** 2 * away(u)),
        by.linear({"squeezed": 4 * (L - mu) / (L + mu) ** 2}, "c2"),
        inserting="step",
    )
)
rho = Symbol("rho", real=True)
ARRIVES = (
    proof("basics/GD2", of=GD2.id, bound=GD2.bound, reading=FROM_START)
    .under(CURVED, LOWEST)
    .given("c2", lt(mu, L), "condition of the bound")
    .given("steps", eq(x(n + 1), x(n) - 2 / (L + mu) * Grad(F, x(n)), (n, 0, R - 1)), "R steps of size 2/(L + mu)")
    .where("rho", rho, (L - mu) / (L + mu), "the rate")
    .step(
        "one",
        le(away(x(n + 1)), rho**2 * away(x(n)), (n, 0, R - 1)),
        by.apply("basics/GD2-step", {u: x(n), v: x(n + 1)}, "class", "lowest", "c2", "steps"),
        inserting="rho",
    )
    .step("rate", le(0, rho**2), by.linear())
    .step(
        "all",
        le(away(x(R)), rho ** (2 * R) * away(x(0))),
        by.apply("basics/recursion", {q: rho**2, b: 0, N: R, a(n): away(x(n))}, "rate", "one"),
    )
    .qed(statement_of(GD2.bound, away(x(R)), FROM_START)[0], by.linear("all"), inserting="rho")
)
THEOREMS = (CONTRACTS, ARRIVES)
