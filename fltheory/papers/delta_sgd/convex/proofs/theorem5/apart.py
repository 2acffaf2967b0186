"""Theorem 5 for clients that never meet (reading A) and have a common minimiser: three times the printed rate."""

from __future__ import annotations

from sympy import Integer

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd import notation
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import F, f, goal
from fltheory.papers.delta_sgd.convex.proofs.theorem5.floor import PRINTED, L_hat, entry, theta
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import D, S, centre, eta, n, x
from fltheory.papers.delta_sgd.nonconvex.proofs.theorem1 import read
from fltheory.papers.delta_sgd.notation import T, m
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, i, mean
from fltheory.proof import Member, by, eq, le, proof, statement_of
from fltheory.proof.terms import Nonnegative, Positive, Val, Vector, family, square

X, step, constant = family(Vector, "x"), family(Positive, "eta"), family(Nonnegative, "D")
average, total = family(Vector, "x_tilde"), family(Positive, "S")
OF_CLIENT = {
    f: F(i),
    x(n): X(i, n),
    eta(n): step(i, n),
    entry(n): family(Positive, "entry")(i, n),
    theta(n): family(Nonnegative, "theta")(i, n),
    D: constant(i),
    S: total(i),
    centre: average(i),
}
_OWN = PRINTED.hypotheses[1:-3]  # all hypotheses but convexity and the conditions on the inputs
CLIENTS = (
    Member("convex", F(i), None, Integer(0), "A3: every client's objective is convex"),
    *read(_OWN, OF_CLIENT, (EACH,)),
)
start, first = family(Vector, "x_0")(), family(Vector, "x_1")()
_GAP = Val(F(i), average(i)) - Val(F(i), goal)
_BEFORE = step(i, 1) ** 2 / step(i, 0) * (Val(F(i), X(i, 0)) - Val(F(i), goal))
_FACTOR = 2 * L_hat**2 / (2 * L_hat * T + 1)
_APART, _CONDITIONS = statement_of(formula.T5_APART, mean(_GAP), {notation.L_hat: L_hat})
_MOVED = mean(square(X(i, 1) - X(i, 0)))
_NEAR = square(first - goal)
_D = square(X(i, 1) - goal) + square(X(i, 1) - X(i, 0)) / 2 + 2 * _BEFORE
APART = (
    proof("delta_sgd/T5-A", "Theorem 5", of="delta_sgd/T5-A@corrected", bound=formula.T5_APART,
        reading={notation.L_hat: L_hat}, note="the clients' first iterates lie apart")
    .under(*CLIENTS, *_CONDITIONS)
    .given("together", eq(X(i, 0), start, EACH), "all clients begin at x_0")
    .given("mean", eq(first, mean(X(i, 1))), "x_1 is the mean of the clients' iterates")
    .given("constant", eq(D, _NEAR + _MOVED / 2 + 2 * mean(_BEFORE)), "(41)")
    .given("common", le(Val(F(i), goal), Val(F(i), X(i, 0)), EACH), "A6: the goal minimises every client's objective")
    .step("one", by.apply(PRINTED, OF_CLIENT), note="Theorem 5 for each client")
    .step("all", le(mean(_GAP), mean(constant(i)) * _FACTOR), by.sum_over(i, "one", weight=1 / m))
    .step("constants", eq(mean(constant(i)), mean(_D)), by.sum_over(i, "start", weight=1 / m))
    .step("begun 1", eq(square(X(i, 1) - start), square(X(i, 1) - X(i, 0)), EACH),
        by.linear(together=2 * X(i, 1) - X(i, 0) - start))
    .step("begun", eq(mean(square(X(i, 1) - start)), _MOVED), by.sum_over(i, "begun 1", weight=1 / m))
    .step("far", le(0, square(first - start)), by.sos())
    .step("spread 1", le(mean(square(X(i, 1) - goal)), _NEAR + mean(square(X(i, 1) - start))), by.linear("far"),
        inserting="mean", note="the variance of the first iterates is at most their distance to x_0")
    .step("spread", le(mean(square(X(i, 1) - goal)), _NEAR + _MOVED), by.linear("spread 1", "begun"))
    .step("gaps 1", le(0, _BEFORE, EACH), by.linear("common"))
    .step("gaps", le(0, mean(_BEFORE)), by.sum_over(i, "gaps 1", weight=1 / m))
    .step("near", le(0, _NEAR), by.sos())
    .step("three", le(mean(constant(i)), 3 * D), by.linear("constants", "spread", "constant", "gaps", "near"))
    .qed(_APART, by.linear("all", "three"), name="last")
)

THEOREMS = (APART,)
