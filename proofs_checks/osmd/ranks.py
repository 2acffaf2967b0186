"""Lemma 19: the factor of the mirror step is the least root of M + 1 lines, one for each number of floored clients.

The clients are counted in ascending order of v, and line n floors the first n of them: n alpha/M + c (the sum of the others).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Max, Symbol

from fltheory.papers.osmd.letters import M
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Squeezed,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Nonnegative, Total, family
from proofs_checks.osmd.lemmas import FLOOR, j, m

PLACE = "Lemma 19"
n, d, least = (Symbol(name, integer=True, nonnegative=True) for name in ("n", "d", "least"))
c, high, low = (Symbol(name, nonnegative=True) for name in ("c", "high", "low"))
v = family(Nonnegative, "v")
EACH = (m, 1, M)


def top(client: Any) -> Expr:
    """What the step gives a client."""
    return Max(FLOOR, c * v(client))


def first(term: Any, count: Any) -> Expr:
    """The sum over the first clients."""
    return Total(term(j), j, 1, count)


def line(count: Any) -> Expr:
    """The line that floors the first clients."""
    return count * FLOOR + c * (first(v, M) - first(v, count))


_SMALL = le(Max(low, high), low)
SMALL = Theorem(
    "osmd/max-low",
    _SMALL,
    (Given("order", le(high, low), "two numbers"),),
    (
        Step("a", eq(Max(low, high), low), Known("max", Max(low, high)), ("order",)),
        Step("1", _SMALL, Combine({"a": 1}), ("a",)),
    ),
    place=PLACE,
)
_BOTH = tuple(
    Theorem(
        f"osmd/max-{name}",
        le(side, Max(low, high)),
        (),
        (
            Step("a", eq(Max(low, high), low), Known("max", Max(low, high)), assuming=(le(high, low),)),
            Step(
                "1",
                le(side, Max(low, high)),
                Combine({"a": -1, **({"assumed 1": 1} if side == high else {})}),
                ("a",),
                assuming=(le(high, low),),
            ),
            Step("b", eq(Max(low, high), high), Known("max", Max(low, high)), assuming=(le(low, high),)),
            Step(
                "2",
                le(side, Max(low, high)),
                Combine({"b": -1, **({"assumed 1": 1} if side == low else {})}),
                ("b",),
                assuming=(le(low, high),),
            ),
            Step("3", le(side, Max(low, high)), Cases(), ("1", "2")),
        ),
        place=PLACE,
    )
    for name, side in (("first", low), ("second", high))
)

SORTED = Given("sorted", le(v(j), v(m), EACH, (j, 1, m)), "in ascending order")
LINES = Given("lines", le(line(n), 1, (n, 0, M)), "c is at most the root of every line,")
ATTAINED = (
    Given("attained", eq(line(least), 1), "and the root of one of them: the least root"),
    Given("one", le(least, M), "of these"),
)


def partly(count: Any, *over: Any) -> Any:
    """The first clients by what the step gives them, the others without the floor."""
    return le(first(top, count) + c * (first(v, M) - first(v, count)), 1, *over)


_MORE = (n, 0, M - 1)
_free, _held = le(FLOOR, c * v(n + 1)), le(c * v(n + 1), FLOOR)
_TOTAL = eq(first(top, M), 1)
_LEAST = (d, 0, M - least)
_spare = le(first(top, least) - c * first(v, least), first(top, least + d) - c * first(v, least + d), _LEAST)
RANKS = Theorem(
    "osmd/L19",
    _TOTAL,
    (SORTED, LINES, *ATTAINED),
    (
        Step("none", partly(0), Instance({n: 0}), ("lines",)),
        Step(
            "free top",
            le(Max(c * v(n + 1), FLOOR), c * v(n + 1), _MORE),
            Apply("osmd/max-low", {low: c * v(n + 1), high: FLOOR}),
            assuming=(_free,),
        ),
        Step(
            "free",
            partly(n + 1, _MORE),
            Combine({"assumed 1": 1, "free top": 1}),
            ("free top",),
            assuming=(partly(n), _free),
            note="above the floor: nothing changes",
        ),
        Step("next sorted", le(v(j), v(n + 1), _MORE, (j, 1, n + 1)), Instance({m: n + 1}), ("sorted",)),
        Step(
            "below",
            le(c * v(j), FLOOR, _MORE, (j, 1, n + 1)),
            Combine({"next sorted": c, "assumed 1": 1}),
            ("next sorted",),
            assuming=(_held,),
        ),
        Step(
            "held top",
            le(top(j), FLOOR, _MORE, (j, 1, n + 1)),
            Apply("osmd/max-low", {low: FLOOR, high: c * v(j)}),
            ("below",),
            assuming=(_held,),
        ),
        Step(
            "tops",
            le(first(top, n + 1), Total(FLOOR, j, 1, n + 1), _MORE),
            Summed((j,)),
            ("held top",),
            assuming=(_held,),
        ),
        Step("line", le(line(n + 1), 1, _MORE), Instance({n: n + 1}), ("lines",)),
        Step(
            "held",
            partly(n + 1, _MORE),
            Combine({"tops": 1, "line": 1}),
            ("tops", "line"),
            assuming=(partly(n), _held),
            note="below it: so are those before, and the sum is on a line",
        ),
        Step("either", partly(n + 1, _MORE), Cases(), ("free", "held"), assuming=(partly(n),)),
        Step("all", partly(n, (n, 0, M)), Induction(n), ("none", "either")),
        Step("every", partly(M), Instance({n: M}), ("all",)),
        Step("at most", le(first(top, M), 1), Combine(), ("every",)),
        Step("floor", le(FLOOR, top(j), (j, 1, M)), Apply("osmd/max-first", {low: FLOOR, high: c * v(j)})),
        Step("floor first", le(FLOOR, top(j), (j, 1, least)), Combine({"floor": 1}), ("floor", "one")),
        Step("floors", le(Total(FLOOR, j, 1, least), first(top, least)), Summed((j,)), ("floor first",)),
        Step("scaled", le(c * v(j), top(j), (j, 1, M)), Apply("osmd/max-second", {low: FLOOR, high: c * v(j)})),
        Step(
            "scaled next",
            le(c * v(least + d + 1), top(least + d + 1), (d, 0, M - least - 1)),
            Instance({j: least + d + 1}),
            ("scaled",),
        ),
        Step("begin", le(first(top, least) - c * first(v, least), first(top, least) - c * first(v, least)), Combine()),
        Step(
            "go on",
            le(
                first(top, least) - c * first(v, least),
                first(top, least + d + 1) - c * first(v, least + d + 1),
                (d, 0, M - least - 1),
            ),
            Combine(),
            ("scaled next",),
            assuming=(le(first(top, least) - c * first(v, least), first(top, least + d) - c * first(v, least + d)),),
        ),
        Step("spare", _spare, Induction(d), ("begin", "go on")),
        Step(
            "whole",
            le(first(top, least) - c * first(v, least), first(top, M) - c * first(v, M)),
            Instance({d: M - least}),
            ("spare", "one"),
        ),
        Step(
            "at least",
            le(1, first(top, M)),
            Combine({"whole": 1, "floors": 1, "attained": -1}),
            ("whole", "floors", "attained"),
        ),
        Step("last", _TOTAL, Squeezed(), ("at most", "at least")),
    ),
    claim="osmd/C-P12-root@sharpened",
    place="Lemma 19",
    note="with the least root of the lines the step adds up to 1; alpha = 1 included, no index test",
)

THEOREMS = (SMALL, *_BOTH, RANKS)
