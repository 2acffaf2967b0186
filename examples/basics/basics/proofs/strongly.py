"""GD3: where F is strongly convex each step shrinks the gap."""

from basics.descent import GD3
from basics.letters import L, R, mu
from basics.proofs.descent import STEP, STEPS
from basics.proofs.words import CURVED, ORDER, F, N, a, b, best, gap, n, q, u, v, x
from fltheory.proof import Axiom, by, le, proof, statement_of
from fltheory.symbols import initial_gap

GAPS = (
    proof("basics/GD3-step", note="Polyak: the gradient is at least as long as the gap asks for")
    .under(CURVED, ORDER)
    .given("step", STEP, "a step of size 1/L")
    .qed(
        le(gap(v), (1 - mu / L) * gap(u)),
        by.sos((mu / L, Axiom("convex", F, best, u)), (1, Axiom("descent", F, v, u)), "class", "order"),
        inserting="step",
    )
)
SHRINKS = (
    proof("basics/GD3", of=GD3.id, bound=GD3.bound, reading={initial_gap: gap(x(0))})
    .under(CURVED, ORDER)
    .given("steps", STEPS, "R steps of gradient descent")
    .step(
        "one",
        le(gap(x(n + 1)), (1 - mu / L) * gap(x(n)), (n, 0, R - 1)),
        by.apply("basics/GD3-step", {u: x(n), v: x(n + 1)}, "class", "steps", "order"),
    )
    .step("rate", le(0, 1 - mu / L), by.linear(order=1 / L))
    .qed(
        statement_of(GD3.bound, gap(x(R)), {initial_gap: gap(x(0))})[0],
        by.apply("basics/recursion", {q: 1 - mu / L, b: 0, N: R, a(n): gap(x(n))}, "rate", "one"),
    )
)
THEOREMS = (GAPS, SHRINKS)
