"""The true steps of the proof of Lemma 4: (36) for clients with points of their own, (37) for a common point."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.convex.proofs.lyapunov import (CONVEX, MOVES, ORDER, F, eta, f, g0, g1, new, old, theta,
    was, x0, x1, x2)
from fltheory.papers.delta_sgd.notation import L, m
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, i, mean
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof
from fltheory.proof.terms import Dot, Fun, Grad, Positive, Val, Vector, family, square

now, objective = family(Positive, "eta"), family(Fun, "f")
x, goal = family(Vector, "x")(), family(Vector, "x_star")()
SHORT = Given("short", le(4 * new**2 * square(Grad(f, x1) - Grad(f, x0)), square(x1 - x0)),
    "the first entry of (4) with the amplifier 1, squared")
ALONE = (
    proof("delta_sgd/36-one", "(36)", of="delta_sgd/36@printed", note="one client: no mean, and no quotient")
    .under(CONVEX, *MOVES, SHORT)
    .step("slope", eq(Grad(f, x0), (x0 - x1) / old), by.linear("last"))
    .qed(le(square(x1 - x2), square(x1 - x0) / 2 - square(x2 - x1) / 2 + 2 * new**2 / old * (Val(f, x0) - Val(f, x1))),
        by.sos("convex", (2 * new**2 / old, Axiom("convex", f, x0, x1)), short=Rational(1, 2)),
        inserting=("next", "slope"), note="what is left is one square")
)

CLIENTS = Member("convex", objective(i), None, 0, "the clients' objectives are convex")
_TOWARDS = le(-2 * now(i) * Dot(x - goal, Grad(objective(i), x)),
    2 * now(i) * (Val(objective(i), goal) - Val(objective(i), x)), EACH)
TOWARDS = (
    proof("delta_sgd/37", "(37)", of="delta_sgd/37@printed", note="both sides, where the claim has their quotient")
    .under(CLIENTS)
    .step("each", _TOWARDS, by.sos("convex", (2 * now(i), Axiom("convex", objective(i), goal, x))))
    .step("sum", le(mean(_TOWARDS.left), mean(_TOWARDS.right)), by.sum_over(i, "each", weight=1 / m))
    .qed(
        le(-2 * Dot(x - goal, mean(now(i) * Grad(objective(i), x))),
            2 * mean(now(i) * (Val(objective(i), goal) - Val(objective(i), x)))), by.linear("sum"))
)
# (33) and (34), for any points of the clients: the server's step is the mean of the clients' steps

after, own, later = family(Vector, "x_next")(), family(Vector, "y"), family(Vector, "y_next")
PUSH = mean(now(i) * Grad(objective(i), own(i)))
SERVER = Given("server", eq(after, x - PUSH), "the server takes the mean of the clients' steps: readings A and B")
EXPANDED = (
    proof("delta_sgd/33", "(33)", of="delta_sgd/33@printed", note="both sides, where the claim has their quotient")
    .under(SERVER)
    .step("away", eq(after - goal, x - goal - PUSH), by.linear("server"))
    .qed(eq(square(after - goal), square(x - goal) + square(PUSH) - 2 * Dot(x - goal, PUSH)),
        by.linear(away=after + x - 2 * goal - PUSH))
)
OWN = Given("own", eq(later(i), own(i) - now(i) * Grad(objective(i), own(i)), EACH),
    "each client moves by its own step")
MOVED = mean(own(i) - later(i))
OWN_MOVES = (
    proof("delta_sgd/34", "(34)", of="delta_sgd/34@printed", note="both sides, where the claim has their quotient")
    .under(OWN)
    .step("each", eq(now(i) * Grad(objective(i), own(i)), own(i) - later(i), EACH), by.linear("own"))
    .step("mean", eq(PUSH, MOVED), by.sum_over(i, "each", weight=1 / m))
    .step("order", by.apply(ORDER, {g0: PUSH, g1: MOVED}))
    .step("once", eq(square(PUSH), Dot(PUSH, MOVED)), by.linear(mean=PUSH))
    .step("twice", eq(Dot(MOVED, PUSH), square(MOVED)), by.linear(mean=MOVED))
    .qed(eq(square(PUSH), square(MOVED)), by.linear("once", "order", "twice"))
)
j = Symbol("j", integer=True, positive=True)


def _move(k: Expr) -> Expr:
    return own(k) - later(k)


MEAN_MOVE = (
    proof("delta_sgd/34-mean", "(34)", of="delta_sgd/34-mean@printed", note="both sides; for any points, so for C too")
    .step("apart", le(0, square(_move(i) - _move(j)), EACH, (j, 1, m)), by.sos())
    .step("all", by.sum_over((i, j), "apart"))
    .qed(le(square(mean(_move(i))), mean(square(_move(i)))), by.linear("all"))
)

# Algorithm 1 as stated, with one local step: every step is eta_0, and its ratio 1 -------------------------------------

STEP = Symbol("s", positive=True)
SMOOTH = Member("convex", F(i), L, Integer(0), "the clients' objectives are convex and L-smooth")


def _values(point: Vector) -> Expr:
    """Return the mean excess of the clients' values at a point over those at the comparator, times the step."""
    return mean(STEP * (Val(F(i), point) - Val(F(i), goal)))


_31 = le(square(x2 - goal) + square(x2 - x1) / 2 + 4 * _values(x1),
    square(x1 - goal) + square(x1 - x0) / 2 + 2 * _values(x0))
_SAME = {eta(i): STEP, was(i): STEP, theta: Integer(1)}
LETTER = (
    proof("delta_sgd/L4-letter", "Lemma 4", of="delta_sgd/L4-letter@corrected",
        note="(31) of FedSGD, any number of clients, any point; as a difference, where the claim has a quotient")
    .under(SMOOTH)
    .given("last", eq(x1, x0 - mean(STEP * Grad(F(i), x0))), "the server's step before")
    .given("next", eq(x2, x1 - mean(STEP * Grad(F(i), x1))), "the server's step")
    .given("c1", le(2 * L * STEP, 1), "condition of the bound")
    .step("room", le(4 * L**2 * STEP**2, 1), by.linear("c1"))
    .step("way", le(0, square(x1 - x0)), by.sos())
    .step("entries", le(4 * STEP**2 * square(Grad(F(i), x1) - Grad(F(i), x0)), square(x1 - x0), EACH),
        by.linear((4 * STEP**2, Axiom("lipschitz", F(i), x1, x0)), "convex", {"room": square(x1 - x0)}, "way"))
    .qed(_31, by.apply("delta_sgd/L4-sync", _SAME, "convex", "last", "next", "entries"), name="31")
)
THEOREMS = (ALONE, TOWARDS, EXPANDED, OWN_MOVES, MEAN_MOVE, LETTER)
