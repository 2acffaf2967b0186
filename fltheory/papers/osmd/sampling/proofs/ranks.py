"""Lemma 19: the factor of the mirror step is the least root of M + 1 lines, one for each number of floored clients.

The clients are counted in ascending order of v, and line n floors the first n of them: n alpha/M + c (the sum of the others).
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Max, Symbol

from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR
from fltheory.papers.osmd.notation import M
from fltheory.proof import Given, Relation, by, eq, le, proof
from fltheory.proof.facts.notation import j, m
from fltheory.proof.language import Range
from fltheory.proof.terms import Nonnegative, Total, family

PLACE = "Lemma 19"
n, d, least = (Symbol(name, integer=True, nonnegative=True) for name in ("n", "d", "least"))
c, high, low = (Symbol(name, nonnegative=True) for name in ("c", "high", "low"))
v = family(Nonnegative, "v")
EACH = (m, 1, M)


def top(client: Expr) -> Expr:
    """Return the probability of a client after the step."""
    return Max(FLOOR, c * v(client))


def first(term: Callable[..., Expr], count: Expr | int) -> Expr:
    """Return the sum over the first clients."""
    return Total(term(j), j, 1, count)


def line(count: Expr) -> Expr:
    """Return the line that floors the first clients."""
    return count * FLOOR + c * (first(v, M) - first(v, count))


SMALL = (
    proof("osmd/max-low", PLACE)
    .given("order", le(high, low), "two numbers")
    .step("a", eq(Max(low, high), low), by.fact("max", Max(low, high), "order"))
    .qed(le(Max(low, high), low), by.linear("a"))
)
_BOTH = tuple(
    (
        proof(f"osmd/max-{name}", PLACE)
        .step("a", eq(Max(low, high), low), by.fact("max", Max(low, high)), assuming=le(high, low))
        .step("1", le(side, Max(low, high)), by.linear({"a": -1, **({"assumed 1": 1} if side == high else {})}),
            assuming=le(high, low))
        .step("b", eq(Max(low, high), high), by.fact("max", Max(low, high)), assuming=le(low, high))
        .step("2", le(side, Max(low, high)), by.linear({"b": -1, **({"assumed 1": 1} if side == low else {})}),
            assuming=le(low, high))
        .qed(le(side, Max(low, high)), by.cases("1", "2"))
    )
    for name, side in (("first", low), ("second", high))
)

LINES = Given("lines", le(line(n), 1, (n, 0, M)), "c is at most the root of every line,")
ATTAINED = (
    Given("attained", eq(line(least), 1), "and the root of one of them: the least root"),
    Given("one", le(least, M), "of these"),
)


def partly(count: Expr | int, *over: Range) -> Relation:
    """Return the probabilities of the first clients after the step plus those of the others without the floor."""
    return le(first(top, count) + c * (first(v, M) - first(v, count)), 1, *over)


_MORE = (n, 0, M - 1)
_free, _held = le(FLOOR, c * v(n + 1)), le(c * v(n + 1), FLOOR)
_spare = le(first(top, least) - c * first(v, least), first(top, least + d) - c * first(v, least + d), (d, 0, M - least))
RANKS = (
    proof("osmd/L19", "Lemma 19", of="osmd/C-P12-root@strengthened",
        note="with the least root of the lines the step adds up to 1; alpha = 1 included, no index test")
    .under(Given("sorted", le(v(j), v(m), EACH, (j, 1, m)), "in ascending order"), LINES, *ATTAINED)
    .step("none", partly(0), by.instance({n: 0}, "lines"))
    .step("free top", by.apply(SMALL, {low: c * v(n + 1), high: FLOOR}), over=_MORE, assuming=_free)
    .step("free", partly(n + 1, _MORE), by.linear("free top"), assuming=(partly(n), _free),
        note="above the floor: nothing changes")
    .step("next sorted", by.instance({m: n + 1}, "sorted"), over=(_MORE, (j, 1, n + 1)))
    .step("below", le(c * v(j), FLOOR, _MORE, (j, 1, n + 1)), by.linear("next sorted"), assuming=_held)
    .step("held top", by.apply(SMALL, {low: FLOOR, high: c * v(j)}), over=(_MORE, (j, 1, n + 1)), assuming=_held)
    .step("tops", by.sum_over(j, "held top"), assuming=_held)
    .step("line", by.instance({n: n + 1}, "lines"), over=_MORE)
    .step("held", partly(n + 1, _MORE), by.linear("tops", "line"), assuming=(partly(n), _held),
        note="below it: so are those before, and the sum is on a line")
    .step("either", by.cases("free", "held"), assuming=partly(n))
    .step("all", partly(n, (n, 0, M)), by.induction(n, "none", "either"))
    .step("every", by.instance({n: M}, "all"))
    .step("at most", le(first(top, M), 1), by.linear("every"))
    .step("floor", le(FLOOR, top(j), (j, 1, M)), by.apply("osmd/max-first", {low: FLOOR, high: c * v(j)}))
    .step("floor first", le(FLOOR, top(j), (j, 1, least)), by.linear("floor", "one"))
    .step("floors", by.sum_over(j, "floor first"))
    .step("scaled", le(c * v(j), top(j), (j, 1, M)), by.apply("osmd/max-second", {low: FLOOR, high: c * v(j)}))
    .step("scaled next", by.instance({j: least + d + 1}, "scaled"), over=(d, 0, M - least - 1))
    .step("begin", le(first(top, least) - c * first(v, least), first(top, least) - c * first(v, least)), by.linear())
    .step("go on",
        le(first(top, least) - c * first(v, least), first(top, least + d + 1) - c * first(v, least + d + 1),
            (d, 0, M - least - 1)), by.linear("scaled next"),
        assuming=le(first(top, least) - c * first(v, least), first(top, least + d) - c * first(v, least + d)))
    .step("spare", _spare, by.induction(d, "begin", "go on"))
    .step("whole", by.instance({d: M - least}, "spare", "one"))
    .step("at least", le(1, first(top, M)), by.linear("whole", "floors", "attained"))
    .qed(eq(first(top, M), 1), by.antisymmetry("at most", "at least"), name="last")
)

THEOREMS = (SMALL, *_BOTH, RANKS)
