"""The game of two states with a binding budget: a policy that moves twice, and the path to states of low probability.

In each state one of two clients has a gradient, always of the same norm. ``x`` is the first client's probability minus
1/2, ``side`` is 1 if the first client has the gradient and -1 if the second has, so that this client is
drawn with probability 1/2 + side x. This module treats the rounds of one path; ``game_binding`` has the game.
"""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol

from fltheory.papers.osmd.mirror.proofs.lemmas import SQUARE
from fltheory.papers.osmd.regret.proofs.paths import t
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.terms import Positive, Scalar, Total, family

PLACE = "the game of two states"
HALF = Rational(1, 2)
k, n = Symbol("k", integer=True, nonnegative=True), Symbol("n", integer=True, positive=True)
_RUN = k + 1
size, high = Symbol("size", nonnegative=True), Symbol("high", positive=True)
x, chance, side = family(Scalar, "x"), family(Positive, "chance"), family(Scalar, "side")


def _gone(count):
    """Return the total variation of a path up to a round."""
    return Total(Abs(x(t + 1) - x(t)), t, 1, count - 1)


# Variation of the policy: from its start to 1/2, and from there in the last round -------------------------------------

first, second = Symbol("first", real=True), Symbol("second", real=True)
APART = (
    proof("osmd/apart", PLACE, note="two numbers are no further apart than they are from 0")
    .step("1", by.fact("abs", first))
    .step("2", by.fact("abs", -first))
    .step("3", by.fact("abs", second))
    .step("4", by.fact("abs", -second))
    .step("up", le(first - second, Abs(first) + Abs(second)), by.linear({"1": 1, "4": 1}))
    .step("down", le(second - first, Abs(first) + Abs(second)), by.linear({"2": 1, "3": 1}))
    .qed(le(Abs(first - second), Abs(first) + Abs(second)), by.absolute("up", "down"))
)
moved = Symbol("moved", integer=True, positive=True)  # the number of possible moves: one less than the rounds
_ALL_OF = moved + 1
_TWICE = le(_gone(_ALL_OF), 2 * size)
_EARLY, _LATE, _ALL = (le(_RUN, _ALL_OF - 2),), (le(_ALL_OF - 1, _RUN), le(_RUN, _ALL_OF - 1)), (le(_ALL_OF, _RUN),)
PATH = (
    proof("osmd/I9-path", PLACE, note="a path that keeps still, goes to 0, and moves once more in the last round")
    .given("rounds", le(_RUN, _ALL_OF), "the round before the first move")
    .given("still", eq(x(t), x(1), (t, 1, _RUN)), "until then it keeps still,")
    .given("even", eq(x(t), 0, (t, _RUN + 1, _ALL_OF - 1)), "then it is 0 until the last round")
    .given("size", le(Abs(x(t)), size, (t, 1, _ALL_OF)), "it is never further from 0 than that")
    .step("still then", by.instance({t: t + 1}, "still"), over=(t, 1, _RUN - 1))
    .step("rest up", le(x(t + 1) - x(t), 0, (t, 1, _RUN - 1)), by.linear({"still then": 1, "still": -1}))
    .step("rest down", le(x(t) - x(t + 1), 0, (t, 1, _RUN - 1)), by.linear({"still then": -1, "still": 1}))
    .step("rest", by.absolute("rest up", "rest down"))
    .step("before", by.sum_over(t, "rest"))
    .step("none up", le(x(t), 0, (t, _RUN + 1, _ALL_OF - 1)), by.linear({"even": 1}))
    .step("none down", le(-x(t), 0, (t, _RUN + 1, _ALL_OF - 1)), by.linear({"even": -1}))
    .step("none", by.absolute("none up", "none down"))
    # a first move, rounds at 0, and a last one
    .step("last", by.instance({t: _ALL_OF}, "size"))
    .step("first none", by.instance({t: _RUN + 1}, "none"), assuming=_EARLY)
    .step("first size", by.instance({t: _RUN}, "size", "rounds"))
    .step("first move", by.apply(APART, {first: x(_RUN + 1), second: x(_RUN)}))
    .step("0", le(_gone(_RUN + 1), size), by.linear({"before": 1, "first move": 1, "first none": 1, "first size": 1}),
        assuming=_EARLY)
    .step("here", by.instance({t: n}, "none"), over=(n, _RUN + 1, _ALL_OF - 2))
    .step("then", by.instance({t: n + 1}, "none"), over=(n, _RUN + 1, _ALL_OF - 2))
    .step("no move", by.apply(APART, {first: x(n + 1), second: x(n)}))
    .step("1", le(_gone(n + 1), size, (n, _RUN + 1, _ALL_OF - 2)),
        by.linear({"assumed 1": 1, "no move": 1, "here": 1, "then": 1}), assuming=(le(_gone(n), size), *_EARLY))
    .step("middle", le(_gone(n), size, (n, _RUN + 1, _ALL_OF - 1)), by.induction(n, "0", "1"), assuming=_EARLY)
    .step("all but one", by.instance({n: _ALL_OF - 1}, "middle"), assuming=_EARLY)
    .step("end none", by.instance({t: _ALL_OF - 1}, "none"), assuming=_EARLY)
    .step("end", by.apply(APART, {first: x(_ALL_OF), second: x(_ALL_OF - 1)}))
    .step("early", _TWICE, by.linear({"all but one": 1, "end": 1, "end none": 1, "last": 1}), assuming=_EARLY)
    # the only move is in the last round
    .step("run", eq(k, _ALL_OF - 2), by.antisymmetry(), assuming=_LATE)
    .step("end size", by.instance({t: _ALL_OF - 1}, "size"), assuming=_LATE)
    .step("still there", le(_gone(_ALL_OF - 1), 0), by.linear("before"), inserting="run", assuming=_LATE)
    .step("late", _TWICE, by.linear({"still there": 1, "end": 1, "end size": 1, "last": 1}), assuming=_LATE)
    # no move
    .step("ever", eq(k, _ALL_OF - 1), by.antisymmetry("rounds"), assuming=_ALL)
    .step("stays", le(_gone(_ALL_OF), 0), by.linear("before"), inserting="ever", assuming=_ALL)
    .step("never", _TWICE, by.linear({"stays": 1}), assuming=_ALL)
    .qed(_TWICE, by.cases("early", "late", "never"))
)

# Cost of the policy: little in the first and in the last round, and that of 1/2 in between ----------------------------

_TIMES, _WAYS = (t, 1, _ALL_OF), (t, 1, moved)


def _spent(count):
    """Return the sum of 1/chance over the first rounds."""
    return Total(1 / chance(t), t, 1, count)


_SPENT = 2 / high + 2 * (moved - 1)
COSTS = (
    proof("osmd/I9-costs", PLACE, note="two rounds at a high chance, no other below 1/2")
    .given("first", eq(chance(1), high), "the first round")
    .given("last", eq(chance(_ALL_OF), high), "the last one")
    .given("others", le(HALF, chance(t), _TIMES), "and all of them")
    .step("each", le(1 / chance(t), 2, _TIMES), by.linear({"others": 2 / chance(t)}))
    .step("next", by.instance({t: n + 1}, "each"), over=(n, 1, moved - 1))
    .step("begin", eq(1 / chance(1), 1 / high), by.linear({"first": -1 / (high * chance(1))}))
    .step("end", eq(1 / chance(_ALL_OF), 1 / high), by.linear({"last": -1 / (high * chance(_ALL_OF))}))
    .step("0", le(_spent(1), 1 / high), by.linear({"begin": 1}))
    .step("1", le(_spent(n + 1), 1 / high + 2 * n, (n, 1, moved - 1)), by.linear({"assumed 1": 1, "next": 1}),
        assuming=le(_spent(n), 1 / high + 2 * (n - 1)))
    .step("so far", le(_spent(n), 1 / high + 2 * (n - 1), (n, 1, moved)), by.induction(n, "0", "1"))
    .step("all but one", by.instance({n: moved}, "so far"))
    .qed(le(_spent(_ALL_OF), _SPENT), by.linear({"all but one": 1, "end": 1}))
)

# The path to states of low probability --------------------------------------------------------------------------------

sign, number = Symbol("sign", real=True), Symbol("number", real=True)
_ONE = Given("one", eq(sign**2, 1), "it is 1 or -1")
_UP, _DOWN = (le(0, sign),), (le(sign, 0),)
_PLUS = (
    line("plus", eq(sign, 1), by.linear({"one": 1 / (1 + sign)}), assuming=_UP),
    line("minus", eq(sign, -1), by.linear({"one": 1 / (sign - 1)}), assuming=_DOWN),
)
_ALIGNED, _AGAINST = le(sign * number, Abs(number)), le(Abs(number), -sign * number)
ALIGNED = (
    proof("osmd/aligned", PLACE, note="a number times 1 or -1").under(_ONE)
    .steps(*_PLUS)
    .step("over", by.fact("abs", number))
    .step("under", by.fact("abs", -number))
    .step("1", _ALIGNED, by.linear({"over": 1, "plus": number}), assuming=_UP)
    .step("2", _ALIGNED, by.linear({"under": 1, "minus": number}), assuming=_DOWN)
    .qed(_ALIGNED, by.cases("1", "2"))
)
AGAINST = (
    proof("osmd/against", PLACE, note="the size of a number that is on the other side").under(_ONE)
    .given("other", le(sign * number, 0), "on the other side")
    .steps(*_PLUS)
    .step("low", le(number, 0), by.linear({"other": 1, "plus": -number}), assuming=_UP)
    .step("up", le(number, -number), by.linear({"low": 2}), assuming=_UP)
    .step("itself", le(-number, -number), by.linear())
    .step("below", by.absolute("up", "itself"), assuming=_UP)
    .step("1", _AGAINST, by.linear({"below": 1, "plus": number}), assuming=_UP)
    .step("high", le(-number, 0), by.linear({"other": 1, "minus": -number}), assuming=_DOWN)
    .step("down", le(-number, number), by.linear({"high": 2}), assuming=_DOWN)
    .step("same", le(number, number), by.linear())
    .step("above", by.absolute("same", "down"), assuming=_DOWN)
    .step("2", _AGAINST, by.linear({"above": 1, "minus": number}), assuming=_DOWN)
    .qed(_AGAINST, by.cases("1", "2"))
)
_TOWARDS = side(t) * x(t)
_MOVE = Abs(x(t + 1) - x(t))
_BEFORE = Total(_MOVE, t, 1, n - 1)


def _owed(count, before):
    """Return a lower bound on the cost in the first rounds, in terms of the variation."""
    return (2 / high - 1 / (2 * high**2)) + 2 * (count - 1) - (before + Abs(x(count))) / high**2


HARD = (
    proof("osmd/I9-hard", PLACE, note="the next state is the one whose client has the smaller probability")
    .given("sides", eq(side(t) ** 2, 1, _TIMES), "1 for the first client's state, -1 for the second's")
    .given("chance", eq(chance(t), HALF + _TOWARDS, _TIMES), "the probability of the client that has the gradient")
    .given("against", le(side(t + 1) * x(t), 0, _WAYS), "the state goes where the probability is at most 1/2")
    .given("budget", le(Total(_MOVE, t, 1, moved), 2 * size), "the policy's budget")
    .given("high", eq(high, HALF + size), "1/2 and half of it")
    .given("small", le(2 * high**2, 1), "which is small")
    .step("sides then", by.instance({t: t + 1}, "sides"), over=_WAYS)
    .step("far", by.apply(AGAINST, {sign: side(t + 1), number: x(t)}))
    .step("moves", by.apply(ALIGNED, {sign: side(t + 1), number: x(t + 1) - x(t)}))
    .step("above", by.apply(ALIGNED, {sign: side(t), number: x(t)}))
    .step("below", by.apply(ALIGNED, {sign: side(t), number: -x(t)}))
    .step("square", le(0, (chance(t) - high) ** 2, _TIMES), by.apply(SQUARE, {P: chance(t) - high, Q: 0}))
    .step("edge", le(2 / high - (HALF + _TOWARDS) / high**2, 1 / chance(t), _TIMES),
        by.linear({"square": 1 / (high**2 * chance(t)), "chance": 1 / high**2}))
    .step("square 2", by.apply(SQUARE, {P: chance(t) - HALF, Q: 0}), over=_TIMES)
    .step("tangent", le(2 - 4 * _TOWARDS, 1 / chance(t), _TIMES), by.linear({"square 2": 4 / chance(t), "chance": 4}))
    .step("middle", le(2 - (_TOWARDS + Abs(x(t))) / high**2, 1 / chance(t), _TIMES),
        by.linear({"tangent": 1, "small": (_TOWARDS + Abs(x(t))) / high**2, "above": 2}, "below"))
    .step("edge one", by.instance({t: 1}, "edge"))
    .step("above one", by.instance({t: 1}, "above"))
    .step("0", le(_owed(Integer(1), 0), _spent(1)), by.linear({"edge one": 1, "above one": 1 / high**2}))
    .step("next", by.instance({t: n + 1}, "middle"), over=(n, 1, moved - 1))
    .step("next far", by.instance({t: n}, "far"), over=(n, 1, moved - 1))
    .step("next moves", by.instance({t: n}, "moves"), over=(n, 1, moved - 1))
    .step("1", le(_owed(n + 1, Total(_MOVE, t, 1, n)), _spent(n + 1), (n, 1, moved - 1)),
        by.linear({"assumed 1": 1, "next": 1, "next far": 1 / high**2, "next moves": 1 / high**2}),
        assuming=le(_owed(n, _BEFORE), _spent(n)))
    .step("so far", le(_owed(n, _BEFORE), _spent(n), (n, 1, moved)), by.induction(n, "0", "1"))
    .step("all but one", by.instance({n: moved}, "so far"))
    .step("end", by.instance({t: _ALL_OF}, "edge"))
    .step("end far", by.instance({t: moved}, "far"))
    .step("end moves", by.instance({t: moved}, "moves"))
    .qed(
        le(_SPENT, _spent(_ALL_OF)),
        by.linear(
            {
                "all but one": 1,
                "end": 1,
                "end far": 1 / high**2,
                "end moves": 1 / high**2,
                "budget": 1 / high**2,
                "high": -2 / high**2,
            }
        ),
    )
)

THEOREMS = (APART, PATH, COSTS, ALIGNED, AGAINST, HARD)
