"""The steps of the proof of Lemma 4 that are true: (36) of clients with points of their own, (37) of clients that share one."""

from __future__ import annotations

from sympy import Rational

from fltheory.papers.delta_sgd.letters import m
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof
from fltheory.proof.terms import Dot, Fun, Grad, Positive, Val, Vector, family, square
from proofs_checks.delta_sgd.facts import EACH, i, mean
from proofs_checks.delta_sgd.lyapunov import CONVEX, MOVES, f, new, old, x0, x1, x2

now, objective = family(Positive, "eta"), family(Fun, "f")
x, goal = family(Vector, "x")(), family(Vector, "x_star")()
SHORT = Given(
    "short",
    le(4 * new**2 * square(Grad(f, x1) - Grad(f, x0)), square(x1 - x0)),
    "the first entry of (4) with the amplifier 1, squared",
)
ALONE = (
    proof("delta_sgd/36-one", "(36)", of="delta_sgd/36@printed", note="one client: no mean, and no quotient")
    .under(CONVEX, *MOVES, SHORT)
    .step("slope", eq(Grad(f, x0), (x0 - x1) / old), by.combine(last=1 / old))
    .qed(
        le(square(x1 - x2), square(x1 - x0) / 2 - square(x2 - x1) / 2 + 2 * new**2 / old * (Val(f, x0) - Val(f, x1))),
        by.gram("convex", (2 * new**2 / old, Axiom("convex", f, x0, x1)), short=Rational(1, 2)),
        inserting=("next", "slope"),
        note="what is left is one square",
    )
)

CLIENTS = Member("convex", objective(i), None, 0, "the clients' objectives are convex")
_TOWARDS = le(
    -2 * now(i) * Dot(x - goal, Grad(objective(i), x)),
    2 * now(i) * (Val(objective(i), goal) - Val(objective(i), x)),
    EACH,
)
TOWARDS = (
    proof("delta_sgd/37", "(37)", of="delta_sgd/37@printed", note="both sides, where the claim has their quotient")
    .under(CLIENTS)
    .step("each", _TOWARDS, by.gram("convex", (2 * now(i), Axiom("convex", objective(i), goal, x))))
    .step("sum", le(mean(_TOWARDS.left), mean(_TOWARDS.right)), by.summed(i, "each", weight=1 / m))
    .qed(
        le(
            -2 * Dot(x - goal, mean(now(i) * Grad(objective(i), x))),
            2 * mean(now(i) * (Val(objective(i), goal) - Val(objective(i), x))),
        ),
        by.combine("sum"),
    )
)
THEOREMS = (ALONE, TOWARDS)
