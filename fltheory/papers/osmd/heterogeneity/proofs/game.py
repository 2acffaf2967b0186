"""Section 4: values of games, min over policies of max over sample paths; their order, (11), as its claims state it.

The history up to a round is a node. A path of points visits one node in each round, and a policy depends on the node
only. Optimality is stated against one other policy at a time: on the worst path the other is no cheaper, unless it
breaks the budget on its longest path or the floor where it is lowest, or is not a distribution at some node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Abs, Expr, Symbol, floor

from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.notation import M, T, beta, zeta_fix
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, j, m, whole
from fltheory.proof.language import Step
from fltheory.proof.terms import Indicator, Positive, Scalar, Total, Vector, family, square

PLACE = "Section 4"
Law = Callable[[Expr], Expr]
courses, nodes, points = (Symbol(name, integer=True, positive=True) for name in ("courses", "nodes", "points"))
course, node, point, dear = (Symbol(name, integer=True, positive=True) for name in ("c", "n", "w", "top"))
far, low, off, dearest = (Symbol(f"{name}_Q", integer=True, positive=True) for name in ("far", "low", "off", "dear"))
client = Symbol("m_Q", integer=True, positive=True)
law, path, _LATER = family(Positive, "law"), family(Positive, "path"), (t, 1, T - 1)
Y, p, q = family(Vector, "Y"), family(Positive, "p"), family(Positive, "q")
_at, _point = family(Scalar, "node"), family(Scalar, "point")


def at(course: Expr, round: Expr) -> Expr:
    """Return the number of the node that a path visits in a round, as an integer."""
    return floor(_at(course, round))


def where(node: Expr) -> Expr:
    """Return the number of the last point in the history of a node."""
    return floor(_point(node))


def variance(law: Law, point: Expr) -> Expr:
    """V(p, w) of (9)."""
    return whole(square(Y(point, j)) / law(j)) / M**2 - square(whole(Y(point, j)) / M)


def paid(policy: Callable[[Expr, Expr], Expr], node: Expr) -> Expr:
    """Return V at a node."""
    return variance(lambda i: policy(node, i), where(node))


def mean(policy: Callable[[Expr, Expr], Expr], course: Expr) -> Expr:
    """Return the cost of a policy on a path, over T."""
    return Total(paid(policy, at(course, t)), t, 1, T) / T


def moves(policy: Callable[[Expr, Expr], Expr], course: Expr) -> Expr:
    """Return the total variation of a policy on a path."""
    step = whole(Abs(policy(at(course, t + 1), j) - policy(at(course, t), j)))
    return Total(step, t, 1, T - 1)


def way(path: Callable[[Expr, Expr], Expr]) -> Expr:
    """Return the total variation of a sequence of distributions."""
    return Total(whole(Abs(path(t + 1, j) - path(t, j))), t, 1, T - 1)


COURSES, NODES, POINTS = (course, 1, courses), (node, 1, nodes), (point, 1, points)
TREE = (
    Given("node low", le(1, at(course, t), COURSES, ROUNDS), "every course visits a node in every round,"),
    Given("node high", le(at(course, t), nodes, COURSES, ROUNDS), "one of finitely many:"),
    Given("point low", le(1, where(node), NODES), "what has happened so far; its last point"),
    Given("point high", le(where(node), points, NODES), "is one of finitely many"),
)
Q_THERE = (
    Given("far", le(far, courses), "the course in which q moves most"),
    Given("low", le(low, nodes), "the node at which q is the lowest"),
    Given("client", le(client, M), "for this client"),
    Given("off", le(off, nodes), "the node at which q adds up to 1 the least"),
    Given("dearest", le(dearest, courses), "the course that is the dearest with q"),
)


def best(value: Expr, budget: Expr = beta, floor: Expr = FLOOR) -> Given:
    """State that q costs at least the value, or is not a policy."""
    kept = Indicator(budget - moves(q, far)) * Indicator(q(low, client) - floor)
    sums = Indicator(-((whole(q(off, j)) - 1) ** 2))
    return Given("best", le(kept * sums * (value - mean(q, dearest)), 0),
        "the value is that of the best policy: in its dearest course q is no cheaper, unless it moves too far or is too low")


a, b, c, d = (Symbol(name, real=True) for name in "abcd")
KEPT = (
    proof("osmd/kept", PLACE, note="what holds unless one of three numbers is negative")
    .given("first", le(0, a), "the first is not")
    .given("second", le(0, b), "nor the second")
    .given("third", le(0, c), "nor the third")
    .given("unless", le(Indicator(a) * Indicator(b) * Indicator(c) * d, 0), "unless one is negative, d is not positive")
    .step("in a", eq(Indicator(a), 1), by.fact("indicator", a, "first"))
    .step("in b", eq(Indicator(b), 1), by.fact("indicator", b, "second"))
    .step("in c", eq(Indicator(c), 1), by.fact("indicator", c, "third"))
    .qed(le(d, 0),
        by.linear({"unless": 1, "in a": -Indicator(b) * Indicator(c) * d, "in b": -Indicator(c) * d, "in c": -d}))
)


def no_cheaper(value: Expr, budget: Expr = beta, floor: Expr = FLOOR):
    """Return lines: q is a policy within the budget, so that the value is at most its cost."""
    total = whole(q(off, j))
    return (
        line("slack", le(0, budget - moves(q, far)), by.linear("kept moves")),
        line("height", le(0, q(low, client) - floor), by.linear("kept floor")),
        line("whole", le(0, -((total - 1) ** 2)), by.linear({"kept sum": total - 1})),
        line("no cheaper", le(value - mean(q, dearest), 0),
            by.apply(KEPT,
                {a: budget - moves(q, far), b: q(low, client) - floor, c: -((total - 1) ** 2), d: value - mean(q, dearest)},
                "slack", "height", "whole", "best")),
    )


other, y = family(Positive, "other"), family(Vector, "y")


def spread(law: Law) -> Expr:
    """Return V of a distribution at a point where the gradients are y."""
    return whole(square(y(j)) / law(j)) / M**2 - square(whole(y(j)) / M)


SAME = (
    proof("osmd/same-law", PLACE, note="V under two laws that are the same")
    .given("law", eq(law(m), other(m), EACH), "for every client")
    .step("each", eq(square(y(m)) / law(m), square(y(m)) / other(m), EACH),
        by.linear({"law": -square(y(m)) / (law(m) * other(m))}))
    .step("all", eq(whole(square(y(j)) / law(j)), whole(square(y(j)) / other(j))), by.sum_over(m, "each"))
    .qed(eq(spread(law), spread(other)), by.linear({"all": 1 / M**2}))
)
STILL = (
    proof("osmd/still", PLACE, note="a policy that never changes its law does not move")
    .given("same", eq(path(t, m), law(m), ROUNDS, EACH), "the same law in every round")
    .step("then", by.instance({t: t + 1}, "same"), over=(_LATER, EACH))
    .step("up", le(path(t + 1, m) - path(t, m), 0, _LATER, EACH), by.linear({"then": 1, "same": -1}))
    .step("down", le(path(t, m) - path(t + 1, m), 0, _LATER, EACH), by.linear({"then": -1, "same": 1}))
    .step("none", by.absolute("up", "down"))
    .qed(le(way(path), 0), by.sum_over((m, t), "none"))
)
_VALUE = mean(p, dear)


def visits(tag: str, number: Expr, bound: str) -> tuple[Step, ...]:
    """Return lines: a path visits existing nodes."""
    here = at(number, t)
    return (
        line(f"{tag} low", le(1, here, ROUNDS), by.instance({course: number}, "node low", bound)),
        line(f"{tag} high", le(here, nodes, ROUNDS), by.instance({course: number}, "node high", bound)),
    )


def passes(tag: str, number: Expr) -> tuple[Step, ...]:
    """Return lines: the path also visits existing points."""
    here, own = at(number, t), (f"{tag} low", f"{tag} high")
    return (
        line(f"{tag} point low", le(1, where(here), ROUNDS), by.instance({node: here}, "point low", *own)),
        line(f"{tag} point high", le(where(here), points, ROUNDS), by.instance({node: here}, "point high", *own)),
    )


# (11): a constant distribution ----------------------------------------------------------------------------------------

f = family(Positive, "f")
_FIXED = (
    Given("sum f", eq(whole(f(j)), 1), "f is the best law that is fixed: a distribution"),
    Given("floor f", le(FLOOR, f(m), EACH), "that keeps to the floor,"),
    Given("zeta f", le(variance(f, point), zeta_fix**2, POINTS), "which pays zeta_fix^2 at most, whatever the point"),
)
_ALWAYS = Given("always", eq(q(node, m), f(m), NODES, EACH), "q is the policy that always plays f")
_NEVER = (
    *visits("far", far, "far"),
    line("far law", eq(q(at(far, t), m), f(m), ROUNDS, EACH),
        by.instance({node: at(far, t)}, "always", "far low", "far high")),
    line("moved", le(moves(q, far), 0), by.apply(STILL, {path(t, m): q(at(far, t), m), law(m): f(m)}, "far law")),
    line("kept moves", le(moves(q, far), beta), by.linear({"moved": 1})),
    line("low law", eq(q(low, client), f(client)), by.instance({node: low, m: client}, "always", "low", "client")),
    line("low floor", le(FLOOR, f(client)), by.instance({m: client}, "floor f", "client")),
    line("kept floor", le(FLOOR, q(low, client)), by.linear({"low floor": 1, "low law": -1})),
    line("off law", eq(q(off, m), f(m), EACH), by.instance({node: off}, "always", "off")),
    line("off sum", eq(whole(q(off, j)), whole(f(j))), by.sum_over(m, "off law")),
    line("kept sum", eq(whole(q(off, j)), 1), by.linear({"off sum": 1, "sum f": 1})),
    *no_cheaper(_VALUE),
    *visits("dear", dearest, "dearest"),
    *passes("dear", dearest),
    line("dear law", eq(q(at(dearest, t), m), f(m), ROUNDS, EACH),
        by.instance({node: at(dearest, t)}, "always", "dear low", "dear high")),
    line("dear paid", eq(paid(q, at(dearest, t)), variance(f, where(at(dearest, t))), ROUNDS),
        by.apply(SAME, {law(m): q(at(dearest, t), m), other(m): f(m), y(m): Y(where(at(dearest, t)), m)}, "dear law")),
    line("dear most", le(variance(f, where(at(dearest, t))), zeta_fix**2, ROUNDS),
        by.instance({point: where(at(dearest, t))}, "zeta f", "dear point low", "dear point high")),
    line("round", le(paid(q, at(dearest, t)), zeta_fix**2, ROUNDS), by.linear({"dear paid": 1, "dear most": 1})),
    line("rounds", le(T * mean(q, dearest), T * zeta_fix**2), by.sum_over(t, "round")),
)


def always(claim, conditions=()):
    start, statement, _ = of(claim, _VALUE, "upper")
    return (
        replace(start, unused=conditions).under(*TREE, *Q_THERE, *_FIXED, _ALWAYS, best(_VALUE))
        .steps(*_NEVER)
        .qed(statement, by.linear({"no cheaper": 1, "rounds": 1 / T}))
    )



THEOREMS = (KEPT, SAME, STILL, always("osmd/C-11@printed"))
