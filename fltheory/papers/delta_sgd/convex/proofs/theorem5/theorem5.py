"""Theorem 5 for one client, and for clients with one common step: telescoping (31), Jensen, and the floor of the steps.

``x(n)`` is the iterate n and ``eta(n)`` the step from it; ``a`` is the weight of the earlier values, eta theta.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import (CONVEX, DAMPED, FALLS, R4, SMALL, f, gap, goal, later,
    new, old, x0, x1, x2)
from fltheory.papers.delta_sgd.notation import D, S, T, delta, gamma
from fltheory.papers.delta_sgd.smoothness.proofs.facts import SIGN, also
from fltheory.proof import Axiom, Given, by, eq, le, proof, statement_of
from fltheory.proof.facts import squares
from fltheory.proof.terms import Dot, Grad, Positive, Total, Val, Vector, family, square

HALF = Rational(1, 2)
point = squares.x  # of the theorem that no square is negative
x, eta = family(Vector, "x"), family(Positive, "eta")
n, k = (Symbol(name, integer=True, nonnegative=True) for name in "nk")
EARLY = (n, 0, T - 1)


def carried(place: Expr) -> Expr:
    """Return the step times its ratio, at the iterate ``place`` >= 1."""
    return eta(place) ** 2 / eta(place - 1)


def energy(place: Expr) -> Expr:
    """Return the squared distances of the Lyapunov function."""
    return square(x(place) - goal) + square(x(place) - x(place - 1)) / 2


STEPS = Given("steps", eq(x(n + 1), x(n) - eta(n) * Grad(f, x(n)), (n, 0, T)), "gradient steps")
ENTRIES = Given("entries",
    le(4 * eta(n + 1) ** 2 * square(Grad(f, x(n + 1)) - Grad(f, x(n))), gamma**2 * square(x(n + 1) - x(n)), EARLY),
    "the first entry of (4), squared: no more is asked of the steps")
GROWTH = Given("growth", le(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, (n, 0, T - 2)),
    "the second entry, squared")
RUN = (CONVEX, STEPS, ENTRIES, SMALL)
START = energy(Integer(1)) + 2 * carried(Integer(1)) * gap(x(0))


def weight(place: Expr) -> Expr:
    """Return alpha, the weight of an iterate before the last one."""
    return eta(place) + carried(place) - carried(place + 1)


def collected(place: Expr) -> Expr:
    """Return the sum of the weighted gaps of the iterates 1 to ``place``."""
    return (eta(place) + carried(place)) * gap(x(place)) + Total(weight(k + 1) * gap(x(k + 1)), k, 0, place - 2)


_SO_FAR = le(energy(n + 2) + 2 * collected(n + 1), START, EARLY)
TELESCOPED = (
    proof("delta_sgd/T5-telescope", "(40), (41)", note="the sum of (31) over the iterates").under(*RUN)
    .step("here", by.instance({n: n}, "steps"), over=EARLY)
    .step("there", by.instance({n: n + 1}, "steps"), over=EARLY)
    .step("31",
        le(energy(n + 2) + 2 * (eta(n + 1) + carried(n + 1)) * gap(x(n + 1)),
            energy(n + 1) + 2 * carried(n + 1) * gap(x(n)), EARLY),
        by.apply("delta_sgd/L4-m1", {x0: x(n), x1: x(n + 1), x2: x(n + 2), old: eta(n), new: eta(n + 1)}, "convex",
            "here", "there", "entries", "c1"))
    .step("first", le(energy(Integer(2)) + 2 * collected(Integer(1)), START), by.instance({n: 0}, "31"))
    .step("again", by.instance({n: n + 1}, "31"), over=(n, 0, T - 2))
    .step("next", le(energy(n + 3) + 2 * collected(n + 2), START, (n, 0, T - 2)), by.linear("again"),
        assuming=le(_SO_FAR.left, _SO_FAR.right), note="one iterate more")
    .qed(_SO_FAR, by.induction(n, "first", "next"), name="all")
)

# (42), Jensen, and the consequence of the sum of the steps ------------------------------------------------------------

centre = family(Vector, "x_tilde")()
_LAST = eta(T) + carried(T)


def weights(count: Expr) -> Expr:
    """Return the sum of the weights of the iterates 1 to ``count``."""
    return eta(count) + carried(count) + Total(weight(k + 1), k, 0, count - 2)


def taken(count: Expr) -> Expr:
    """Return the sum of the steps 1 to ``count`` plus the first one times its ratio."""
    return Total(eta(k + 1), k, 0, count - 1) + carried(Integer(1))


_WEIGHTS, _ = statement_of(formula.SUM, weights(n + 1), {S: taken(n + 1)})
WEIGHTS = (
    proof("delta_sgd/42", "(42)", of="delta_sgd/T5-weights@printed", bound=formula.SUM, reading={S: taken(n + 1)},
        note="the weights add up to the steps")
    .step("first", eq(weights(Integer(1)), taken(Integer(1))), by.linear())
    .step("next", eq(weights(n + 2), taken(n + 2), (n, 0, T - 2)), by.linear(),
        assuming=eq(weights(n + 1), taken(n + 1)))
    .qed(eq(_WEIGHTS.left, _WEIGHTS.right, (n, 0, T - 1)), by.induction(n, "first", "next"), name="all")
)

SUM = Given("sum S", eq(S, taken(T)), "(42): S is the sum of the steps and of the first one times its ratio")
AVERAGE = Given("average", eq(S * centre, _LAST * x(T) + Total(weight(k + 1) * x(k + 1), k, 0, T - 2)),
    "the weighted average of the iterates")
BEGIN = Given("start", eq(D, START), "(41) with the goal in place of the minimiser")
_SLOPE = Grad(f, centre)


def tangent(place: Expr) -> Expr:
    """Return the value at an iterate minus the tangent at the average."""
    return Val(f, x(place)) - Val(f, centre) - Dot(_SLOPE, x(place) - centre)


_CENTRAL = gap(centre) - Dot(_SLOPE, centre)
JENSEN = le(S * gap(centre), collected(T))
AVERAGED = (
    proof("delta_sgd/T5-Jensen", "Theorem 5",
        note="Jensen's inequality with the weights of (42), whatever moved the iterates")
    .under(CONVEX, GROWTH, DAMPED, SUM, AVERAGE)
    .step("R4", by.apply(R4, {old: eta(n), new: eta(n + 1), later: eta(n + 2)}))
    .step("above", le(0, tangent(n + 1), (n, 0, T - 2)), by.linear((1, Axiom("convex", f, x(n + 1), centre)), "convex"))
    .step("each", le(0, weight(n + 1) * tangent(n + 1), (n, 0, T - 2)), by.linear("above", "R4"),
        note="R4: the weights are not negative")
    .step("all", by.sum_over(n, "each"))
    .step("end", le(0, tangent(T)), by.linear((1, Axiom("convex", f, x(T), centre)), "convex"))
    .step("42 all", by.apply(WEIGHTS))
    .step("42", by.instance({n: T - 1}, "42 all"))
    .qed(JENSEN, by.linear({"all": 1, "end": _LAST, "average": _SLOPE, "42": -_CENTRAL, "sum S": _CENTRAL}),
        name="last", note="the gradient at the average against all iterates")
)
_SUMMED, _ = statement_of(formula.T5_SUM, gap(centre))
BY_SUM = (
    proof("delta_sgd/T5-m1-sum", "Theorem 5", of="delta_sgd/T5-one@strengthened", bound=formula.T5_SUM,
        note="one client: the gap at the average, by the sum of the steps, against any point")
    .under(*RUN, GROWTH, DAMPED, SUM, AVERAGE, BEGIN)
    .step("all", by.apply(TELESCOPED))
    .step("41", by.instance({n: T - 1}, "all"))
    .step("Jensen", by.apply(AVERAGED))
    .step("far 1", le(0, square(x(T + 1) - goal)), by.apply(SIGN, {point: x(T + 1) - goal}))
    .step("far 2", le(0, square(x(T + 1) - x(T))), by.apply(SIGN, {point: x(T + 1) - x(T)}))
    .step("43", le(S * gap(centre), D / 2), by.linear("41", "Jensen", "far 1", "far 2", "start"),
        note="(43), distances dropped")
    .qed(_SUMMED, by.linear("43"), name="last")
)

# The distance to a minimiser ---------------------------------------------------------------------------------------------

LOWEST = Given("lowest", le(Val(f, goal), Val(f, x(n)), (n, 0, T)), "the goal is a minimiser")
_V = le(energy(n + 1) + 2 * carried(n + 1) * gap(x(n)), START, EARLY)
_NEAR, _ = statement_of(formula.NEAR, square(x(T) - goal))
NEAR = (
    proof("delta_sgd/T5-near", "Theorem 5", of="delta_sgd/T5-near@explicit", bound=formula.NEAR,
        note="no iterate after the first step is further away than D says")
    .under(*RUN, GROWTH, DAMPED, LOWEST, BEGIN)
    .step("here", by.instance({n: n}, "steps"), over=EARLY)
    .step("there", by.instance({n: n + 1}, "steps"), over=EARLY)
    .step("low", by.instance({n: n + 1}, "lowest"), over=EARLY)
    .step("5", by.apply(FALLS, {x0: x(n), x1: x(n + 1), x2: x(n + 2), old: eta(n), new: eta(n + 1), later: eta(n + 2)}),
        over=(n, 0, T - 2))
    .step("first", le(START, START), by.linear())
    .step("next", le(energy(n + 2) + 2 * carried(n + 2) * gap(x(n + 1)), START, (n, 0, T - 2)), by.linear("5"),
        assuming=le(_V.left, _V.right))
    .step("all", _V, by.induction(n, "first", "next"), note="(5), iterate after iterate")
    .step("V", by.instance({n: T - 1}, "all"))
    .step("gap", le(0, gap(x(T - 1))), by.instance({n: T - 1}, "lowest"))
    .step("far", by.apply(SIGN, {point: x(T) - x(T - 1)}))
    .qed(_NEAR, by.linear("V", "gap", "far", "start"), name="last")
)

SMALLER = also("delta_sgd/T5-smaller", BY_SUM, "delta_sgd/T5-smaller@strengthened",
    "any smaller steps: no more is asked of them")

THEOREMS = (TELESCOPED, WEIGHTS, AVERAGED, BY_SUM, SMALLER, NEAR)
