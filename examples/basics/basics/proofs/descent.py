"""GD1: n (F(x_n) - F*) + L/2 |x_n - x*|² never grows."""

from basics.descent import GD1
from basics.letters import L, R
from basics.proofs.words import FROM_START, SMOOTH, F, away, best, gap, n, u, v, x
from fltheory.proof import Axiom, by, eq, le, proof, statement_of
from fltheory.proof.terms import Grad

STEP, STEPS = eq(v, u - Grad(F, u) / L), eq(x(n + 1), x(n) - Grad(F, x(n)) / L, (n, 0, R - 1))


def potential(k, point):
    return k * gap(point) + L / 2 * away(point)


ONE = (
    proof("basics/GD1-step", note="in one step the potential does not grow")
    .under(SMOOTH)
    .given("step", STEP, "a step of size 1/L")
    .qed(
        le(potential(n + 1, v), potential(n, u)),
        by.sos((1, Axiom("convex", F, best, u)), (n + 1, Axiom("descent", F, v, u)), "class"),
        inserting="step",
    )
)
start, now, later = potential(0, x(0)), potential(n, x(n)), potential(n + 1, x(n + 1))
statement, _ = statement_of(GD1.bound, gap(x(R)), FROM_START)
RATE = (
    proof("basics/GD1", of=GD1.id, bound=GD1.bound, reading=FROM_START)
    .under(SMOOTH)
    .given("steps", STEPS, "R steps of gradient descent")
    .step("one", le(later, now, (n, 0, R - 1)), by.apply("basics/GD1-step", {u: x(n), v: x(n + 1)}, "class", "steps"))
    .step("first", le(start, start), by.linear(), note="nothing has happened yet")
    .step("next", le(later, start, (n, 0, R - 1)), by.linear("one"), assuming=le(now, start))
    .step("all", le(now, start, (n, 0, R)), by.induction(n, "first", "next"))
    .step("last", le(potential(R, x(R)), start), by.instance({n: R}, "all"))
    .qed(statement, by.sos(last=1 / R), note="divided by R; what is left is a square")
)
THEOREMS = (ONE, RATE)
