"""Theorem 5 for clients with one common step: f, the mean of their objectives, behaves as one client.

f is convex, and its gradient is the mean of the clients' gradients at the server's iterates; no more is supposed of it.
"""

from __future__ import annotations

from sympy import Expr

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import CONVEX, DAMPED, SMALL, F, f, gap, goal
from fltheory.papers.delta_sgd.convex.proofs.theorem5.floor import ALWAYS, FIRST, RULE, L_hat, entry
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import (AVERAGE, BEGIN, ENTRIES, GROWTH, LOWEST, STEPS,
    SUM, centre, eta, n, x)
from fltheory.papers.delta_sgd.notation import T, gamma, m
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, i, mean
from fltheory.proof import Given, Relation, by, eq, le, line, proof, statement_of
from fltheory.proof.facts import squares
from fltheory.proof.language import Range
from fltheory.proof.terms import Grad, Positive, Total, family, square

u, v = squares.u, squares.v
step = family(Positive, "s")()


def entered(own: Expr, size: Expr, start: Expr, end: Expr, *over: Range) -> Relation:
    """State every client's first entry, squared, for a step of this size after the move from ``start`` to ``end``."""
    return le(4 * size**2 * square(Grad(own, end) - Grad(own, start)), gamma**2 * square(end - start), *over)


_OWN = Grad(F(i), v) - Grad(F(i), u)
MEAN = (
    proof("delta_sgd/sync-entry", "Theorem 5",
        note="the gradient of the mean obeys the first entry that all clients obey")
    .given("here", eq(Grad(f, u), mean(Grad(F(i), u))), "f is the mean of the clients' objectives")
    .given("there", eq(Grad(f, v), mean(Grad(F(i), v))), "f is the mean of the clients' objectives")
    .given("everyone", entered(F(i), step, u, v, EACH), "the step is no larger than any client's first entry")
    .step("8", le(square(Total(_OWN, i, 1, m)), m * Total(square(_OWN), i, 1, m)),
        by.apply("delta_sgd/8", {squares.z(squares.a): _OWN.subs(i, squares.a), squares.N: m}))
    .step("all", le(4 * step**2 * Total(square(_OWN), i, 1, m), m * gamma**2 * square(v - u)),
        by.sum_over(i, "everyone"))
    .qed(entered(f, step, u, v), by.linear("8", "all"), name="last", inserting=("here", "there"))
)

ROUNDS = (n, 0, T)
SERVER = Given("server", eq(x(n + 1), x(n) - mean(eta(n) * Grad(F(i), x(n))), ROUNDS),
    "the mean of the clients' steps, all of one size")
GLOBAL = Given("global", eq(Grad(f, x(n)), mean(Grad(F(i), x(n))), ALWAYS), "f is the mean of the clients' objectives")
EVERYONE = Given("everyone", entered(F(i), eta(n + 1), x(n), x(n + 1), EACH, ENTRIES.relation.over[0]),
    "every client's first entry, squared")
_BEFORE = (
    line("here", eq(Grad(f, x(n)), mean(Grad(F(i), x(n))), ALWAYS), by.instance({n: n}, "global")),
    line("there", eq(Grad(f, x(n + 1)), mean(Grad(F(i), x(n + 1))), ALWAYS), by.instance({n: n + 1}, "global")),
    line("steps", STEPS.relation, by.linear("server", "global")),
)
_RUN = (CONVEX, SERVER, GLOBAL, EVERYONE, SMALL, GROWTH, DAMPED)
_ENTRIES = line("entries", ENTRIES.relation,
    by.apply(MEAN, {u: x(n), v: x(n + 1), step: eta(n + 1)}, "here", "there", "everyone"))


def like_one(name, claim, theorem, bound, quantity, hypotheses, own, names, note):
    """Apply a theorem on one client to f: its steps and first entries are ``own``."""
    statement, _ = statement_of(bound, quantity, {notation.L_hat: L_hat})
    return (
        proof(name, "Theorem 5", of=claim, bound=bound, reading={notation.L_hat: L_hat}, note=note).under(*hypotheses)
        .steps(*_BEFORE, own)
        .qed(statement, by.apply(theorem, *names), name="last")
    )


BY_SUM = like_one("delta_sgd/T5-sync-sum", "delta_sgd/T5-sync@strengthened", "delta_sgd/T5-m1-sum", formula.T5_SUM,
    gap(centre), (*_RUN, SUM, AVERAGE, BEGIN), _ENTRIES,
    ("convex", "steps", "entries", "c1", "growth", "c2", "sum S", "average", "start"),
    "clients with a common step, against any point")
NEAR = like_one("delta_sgd/T5-sync-near", "delta_sgd/T5-near-sync@explicit", "delta_sgd/T5-near", formula.NEAR,
    square(x(T) - goal), (*_RUN, LOWEST, BEGIN), _ENTRIES,
    ("convex", "steps", "entries", "c1", "growth", "c2", "lowest", "start"),
    "clients with a common step stay as near to a minimiser of f")
_FIRST = Given("everyone", entered(F(i), entry(n + 1), x(n), x(n + 1), EACH, ALWAYS),
    "the smallest of the clients' first entries, squared")
FIXED = like_one("delta_sgd/T5-sync", "delta_sgd/T5-sync@corrected", "delta_sgd/T5-m1", formula.T5_FIXED, gap(centre),
    (CONVEX, SERVER, GLOBAL, *RULE[:4], _FIRST, SMALL, DAMPED, FIRST, SUM, AVERAGE, BEGIN),
    line("first entry", RULE[4].relation,
        by.apply(MEAN, {u: x(n), v: x(n + 1), step: entry(n + 1)}, "here", "there", "everyone")),
    ("convex", "steps", *(h.id for h in RULE[:4]), "first entry", "c1", "c2", "first", "sum S", "average", "start"),
    "clients with a common step, from the rule itself: no common minimiser is needed")

THEOREMS = (MEAN, BY_SUM, NEAR, FIXED)
