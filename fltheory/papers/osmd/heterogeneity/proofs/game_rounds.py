"""Section 4: games of one round, without a budget, and with an ample one, as their claims state them."""

from __future__ import annotations

from sympy import Abs, Expr, Symbol

from fltheory.papers.osmd.heterogeneity.proofs.game import (COURSES, NODES, PLACE, POINTS, Q_THERE, SAME, TREE, Y,
    always, at, best, client, course, courses, dear, dearest, far, law, low, mean, moves, no_cheaper, node, off, other,
    p, paid, passes, path, point, points, q, spread, variance, visits, way, where, y)
from fltheory.papers.osmd.heterogeneity.proofs.game_order import best_law, law_kept
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import FLOOR, ONE
from fltheory.papers.osmd.notation import M, T, beta, zeta_fix, zeta_T
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.papers.osmd.sampling.proofs.sampling import Y as vectors
from fltheory.papers.osmd.sampling.proofs.sampling import a as number
from fltheory.papers.osmd.sampling.proofs.sampling import q as chance
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.facts.notation import EACH, j, m, s, whole
from fltheory.proof.terms import Positive, Total, Vector, family, square

_VALUE = mean(p, dear)
_LATER, n = (t, 1, T - 1), Symbol("k", integer=True, positive=True)
GAME = (
    Given("floor p", le(FLOOR, p(node, m), NODES, EACH), "p is the best policy of the game: it keeps to the floor"),
    Given("sum p", eq(whole(p(node, j)), 1, NODES), "p is the best policy of the game: it plays distributions"),
    Given("dear", le(mean(p, course), _VALUE, COURSES), "top is the course that is its dearest"),
)

# No budget: the first distribution stays for good ---------------------------------------------------------------------

vector = family(Vector, "v")()
NORM = proof("osmd/norm-sign", PLACE).qed(le(0, square(vector)), by.sos(), note="the square of a vector")
SIGN = (
    proof("osmd/variance-sign", PLACE, note="V is a variance")
    .given("sum", eq(whole(law(j)), 1), "a distribution")
    .step("9", eq(whole(law(j) * square(y(j) / (M * law(j)) - whole(y(j)) / M)), spread(law)),
        by.apply("osmd/C9", {vectors(number): y(number), chance(number): law(number)}, "sum"))
    .step("each", by.apply(NORM, {vector: y(m) / (M * law(m)) - whole(y(j)) / M}), over=EACH)
    .step("all", le(0, whole(law(j) * square(y(j) / (M * law(j)) - whole(y(j)) / M))),
        by.sum_over(m, "each", weight=law(m)))
    .qed(le(0, spread(law)), by.linear({"all": 1, "9": 1}))
)
size = Symbol("size", real=True)
NIL = (
    proof("osmd/abs-nil", PLACE, note="a number is 0 whose absolute value is")
    .given("none", le(Abs(size), 0), "it is not positive")
    .step("over", by.fact("abs", size))
    .step("under", by.fact("abs", -size))
    .step("most", le(size, 0), by.linear("over", "none"))
    .step("least", le(0, size), by.linear({"under": 1, "none": 1}))
    .qed(eq(size, 0), by.antisymmetry("most", "least"))
)
place = Symbol("place", integer=True, positive=True)
_GAP = Abs(path(1, j) - law(j))
ALIKE = (
    proof("osmd/alike", PLACE, note="two laws are the same at each client where their distance is 0")
    .given("none", le(whole(_GAP), 0), "their distance")
    .given("client", le(place, M), "a client")
    .step("far", le(0, Abs(path(1, m) - law(m)), EACH), by.linear())
    .step("each", by.apply(ONE, {s(j): _GAP}, "far"))
    .step("its own", by.instance({m: place}, "each", "client"))
    .step("nil", le(Abs(path(1, place) - law(place)), 0), by.linear("its own", "none"))
    .qed(eq(path(1, place) - law(place), 0), by.apply(NIL, {size: path(1, place) - law(place)}))
)
_GOES = whole(Abs(path(t + 1, j) - path(t, j)))
STAYS = (
    proof("osmd/plays-on", PLACE, note="a policy that has no budget plays its first law for good")
    .given("rounds", le(2, T), "several rounds")
    .given("none", le(way(path), 0), "no variation")
    .step("far", le(0, Abs(path(t + 1, m) - path(t, m)), _LATER, EACH), by.linear())
    .step("sign", le(0, _GOES, _LATER), by.sum_over(m, "far"))
    .step("one", le(_GOES, way(path), _LATER), by.apply(ONE, {s(t): _GOES, M: T - 1}, "sign", "rounds"))
    .step("still", le(_GOES, 0, _LATER), by.linear("one", "none"))
    .step("within", le(m, M, EACH), by.polynomial())
    .step("same", by.apply(ALIKE, {path(n, m): path(t + 1, m), law(m): path(t, m), place: m}))
    .step("0", eq(path(1, m), path(1, m), EACH), by.linear())
    .step("1", eq(path(t + 1, m), path(1, m), _LATER, EACH), by.linear({"same": 1, "assumed 1": 1}),
        assuming=eq(path(t, m), path(1, m)))
    .qed(eq(path(t, m), path(1, m), ROUNDS, EACH), by.induction(t, "0", "1"))
)
here, goal = Symbol("here", integer=True), Symbol("goal", integer=True)
THERE = (
    proof("osmd/there", PLACE, note="V at a point that is another one")
    .given("same", eq(here, goal), "which is the same")
    .qed(eq(variance(law, here), variance(law, goal)), by.linear(), inserting="same")
)
turn = Symbol("turn", integer=True, positive=True)


def _first(client: Expr) -> Expr:
    """Return the distribution that p plays in the first round of that path."""
    return p(at(turn, 1), client)


_THEN = where(at(turn, 2))
_LEAST = variance(_first, _THEN)
_AFTER = (t, 2, T)
_start, _line, _c = of("osmd/C-11-still@printed", _VALUE, "lower")
_SUM_OF = Total(paid(p, at(turn, t)), t, 1, n)
STILL_LOW = (
    _start.under(*TREE[:2], *GAME, *_c)
    .given("moves p", le(moves(p, course), beta, COURSES), "and keeps to the budget in every course")
    .given(
        "course", le(turn, courses), "the course that goes from some point to the dearest one for the first law played"
    )
    .given("stay", eq(where(at(turn, t)), _THEN, _AFTER), "and stays there: every sequence of points is a course")
    .given("client", le(client, M), "the client for whom this law is the lowest")
    .under(best_law(_first, zeta_fix**2 - _LEAST))
    .steps(*visits("turn", turn, "course"))
    .step("budget", by.instance({course: turn}, "moves p", "course"))
    .step("none", le(moves(p, turn), 0), by.linear("budget", "c1"))
    .step("law", by.apply(STAYS, {path(t, m): p(at(turn, t), m)}))
    .step("one low", by.instance({t: 1}, "turn low"))
    .step("one high", by.instance({t: 1}, "turn high"))
    .step("kept floor", by.instance({node: at(turn, 1), m: client}, "floor p", "one low", "one high", "client"))
    .step("kept sum", by.instance({node: at(turn, 1)}, "sum p", "one low", "one high"))
    .steps(*law_kept(_first, zeta_fix**2 - _LEAST))
    .step("paid", by.apply(SAME, {law(m): p(at(turn, t), m), other(m): _first(m), y(m): Y(where(at(turn, t)), m)}))
    .step("there", by.apply(THERE, {here: where(at(turn, t)), goal: _THEN, law(m): _first(m)}))
    .step("late", le(zeta_fix**2, paid(p, at(turn, t)), _AFTER), by.linear({"paid": -1, "there": -1, "no better": 1}))
    .step("next late", by.instance({t: n + 1}, "late"), over=(n, 1, T - 1))
    .step("sign", by.apply(SIGN, {law(m): _first(m), y(m): Y(where(at(turn, 1)), m)}))
    .step("0", le(0, Total(paid(p, at(turn, t)), t, 1, 1)), by.linear("sign"))
    .step(
        "1",
        le(n * zeta_fix**2, Total(paid(p, at(turn, t)), t, 1, n + 1), (n, 1, T - 1)),
        by.linear({"next late": 1, "assumed 1": 1}),
        assuming=le((n - 1) * zeta_fix**2, _SUM_OF),
    )
    .step("sums", le((n - 1) * zeta_fix**2, _SUM_OF, (n, 1, T)), by.induction(n, "0", "1"))
    .step("sum", by.instance({n: T}, "sums"))
    .step("turn", by.instance({course: turn}, "dear", "course"))
    .qed(_line, by.linear({"sum": 1 / T, "turn": 1}))
)

# The best distribution of each point ----------------------------------------------------------------------------------

g, first = family(Positive, "g"), Symbol("first", integer=True, positive=True)
BEGIN = where(at(first, 1))
LAWS = (
    Given("floor g", le(FLOOR, g(point, m), POINTS, EACH), "g is the best law of each point: it keeps to the floor"),
    Given("sum g", eq(whole(g(point, j)), 1, POINTS), "and is a distribution"),
)
PLAYED = Given("played", eq(q(node, m), g(where(node), m), NODES, EACH),
    "q is the policy that plays the last point's best law")


def _own(tag, number):
    """Return lines: q at a node is the best distribution of its last point."""
    return (
        line(f"{tag} point", le(1, where(number)), by.instance({node: number}, "point low", tag)),
        line(f"{tag} point high", le(where(number), points), by.instance({node: number}, "point high", tag)),
    )


WITHIN = (
    *_own("low", low),
    line("low law", eq(q(low, client), g(where(low), client)),
        by.instance({node: low, m: client}, "played", "low", "client")),
    line("low floor", le(FLOOR, g(where(low), client)),
        by.instance({point: where(low), m: client}, "floor g", "low point", "low point high", "client")),
    line("kept floor", le(FLOOR, q(low, client)), by.linear({"low floor": 1, "low law": -1})),
    *_own("off", off),
    line("off law", eq(q(off, m), g(where(off), m), EACH), by.instance({node: off}, "played", "off")),
    line("off sum", eq(whole(q(off, j)), whole(g(where(off), j))), by.sum_over(m, "off law")),
    line("law sum", eq(whole(g(where(off), j)), 1),
        by.instance({point: where(off)}, "sum g", "off point", "off point high")),
    line("kept sum", eq(whole(q(off, j)), 1), by.linear("off sum", "law sum")),
)
_DEAR = at(dearest, t)
PAYS = (
    *visits("dear", dearest, "dearest"),
    *passes("dear", dearest),
    line("dear law", eq(q(_DEAR, m), g(where(_DEAR), m), ROUNDS, EACH),
        by.instance({node: _DEAR}, "played", "dear low", "dear high")),
    line("dear paid", eq(paid(q, _DEAR), variance(lambda i: g(where(_DEAR), i), where(_DEAR)), ROUNDS),
        by.apply(SAME, {law(m): q(_DEAR, m), other(m): g(where(_DEAR), m), y(m): Y(where(_DEAR), m)}, "dear law")),
)


def _at_best(number):
    """Return V at a point under its best distribution."""
    return variance(lambda i: g(number, i), number)


_TOP = _at_best(BEGIN)


def _played(client):
    """Return the distribution that p plays in the first round of the path that begins at the most expensive point."""
    return p(at(first, 1), client)


lowest = Symbol("low_p", integer=True, positive=True)
_WORSE = _TOP - variance(_played, BEGIN)
_start, _line, _c = of("osmd/C-11-round@printed", _TOP)
ROUND = (
    _start.under(*TREE, *Q_THERE[1:], *GAME, *LAWS, PLAYED, best(_VALUE), *_c)
    .given("zeta", eq(_VALUE, zeta_T**2), "zeta_T^2 is the value of the game")
    .given("dear point", le(_at_best(point), _TOP, POINTS), "a point that is the dearest with its own best law")
    .given("course", le(first, courses), "and a course that begins there")
    .given("lowest", le(lowest, M), "the client for whom what p plays there is the lowest")
    .under(best_law(_played, _WORSE, FLOOR, lowest))
    .step("some", le(1, T), by.linear())
    .step("one", by.antisymmetry("c1", "some"))
    .step("moved", eq(moves(q, far), 0), by.linear(), inserting="one")
    .step("kept moves", le(moves(q, far), beta), by.linear({"moved": 1}))
    .steps(*WITHIN, *no_cheaper(_VALUE), *PAYS)
    .step("dear most", by.instance({point: where(_DEAR)}, "dear point", "dear point low", "dear point high"))
    .step("round", le(paid(q, _DEAR), _TOP, ROUNDS), by.linear({"dear paid": 1, "dear most": 1}))
    .step("rounds", le(T * mean(q, dearest), T * _TOP), by.sum_over(t, "round"))
    .step("at most", le(_VALUE, _TOP), by.linear({"no cheaper": 1, "rounds": 1 / T}))
    .steps(*visits("first", first, "course"))
    .step("begin low", by.instance({t: 1}, "first low"))
    .step("begin high", by.instance({t: 1}, "first high"))
    .step("p floor", by.instance({node: at(first, 1), m: lowest}, "floor p", "begin low", "begin high", "lowest"))
    .step("p sum", by.instance({node: at(first, 1)}, "sum p", "begin low", "begin high"))
    .steps(*law_kept(_played, _WORSE, FLOOR, lowest, ("p floor", "p sum"), "p "))
    .step("once", eq(mean(p, first), paid(p, at(first, 1))), by.linear(), inserting="one")
    .step("that course", by.instance({course: first}, "dear", "course"))
    .step("at least", le(_TOP, _VALUE), by.linear({"p no better": 1, "once": -1, "that course": 1}))
    .step("same", by.antisymmetry("at least", "at most"))
    .qed(_line, by.linear("same", "zeta"))
)

THEOREMS = (NORM, SIGN, NIL, ALIKE, THERE, STAYS, STILL_LOW, always("osmd/C-11-still@printed"), ROUND)
