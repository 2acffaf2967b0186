"""The text after (11): with an ample budget the best distribution of each point is played, as the claim states it."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol

from fltheory.papers.osmd.heterogeneity.proofs.game import (EACH, POINTS, Q_THERE, TREE, Y, at, best, course, courses,
    dearest, far, law, mean, moves, no_cheaper, node, p, paid, path, point, q, spread, visits, way, where, y)
from fltheory.papers.osmd.heterogeneity.proofs.game_rounds import GAME, LAWS, PAYS, PLAYED, WITHIN, g
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.mirror.proofs.lemmas import SQUARE
from fltheory.papers.osmd.notation import M, T, beta, zeta_min
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.facts.notation import P, Q, j, m, whole
from fltheory.proof.terms import Nonnegative, family, square

PLACE = "text after (11)"
norm, norms = family(Nonnegative, "norm"), family(Nonnegative, "norms")
_ALL = whole(norm(j))
_LEAST = (_ALL / M) ** 2 - square(whole(y(j)) / M)
_NORM = Given("norm", eq(square(y(m)), norm(m) ** 2, EACH), "how long each gradient is")
LEAST = (
    proof("osmd/least-spread", PLACE, note="no law has a smaller V: Cauchy's inequality").under(_NORM)
    .given("sum", eq(whole(law(j)), 1), "a distribution")
    .step("square", by.apply(SQUARE, {P: norm(m) - _ALL * law(m), Q: 0}), over=EACH)
    .step("each", le(2 * _ALL * norm(m) - _ALL**2 * law(m), square(y(m)) / law(m), EACH),
        by.linear({"square": 1 / law(m), "norm": -1 / law(m)}))
    .step("all", le(whole(2 * _ALL * norm(j) - _ALL**2 * law(j)), whole(square(y(j)) / law(j))), by.sum_over(m, "each"))
    .qed(le(_LEAST, spread(law)), by.linear({"all": 1 / M**2, "sum": _ALL**2 / M**2}))
)
ATTAINED = (
    proof("osmd/least-attained", PLACE, note="V under the law that is proportional to the norms").under(_NORM)
    .given("law", eq(law(m) * _ALL, norm(m), EACH), "proportional to them")
    .step("each", eq(square(y(m)) / law(m), _ALL * norm(m), EACH),
        by.linear({"norm": 1 / law(m), "law": -norm(m) / law(m)}))
    .step("all", eq(whole(square(y(j)) / law(j)), whole(_ALL * norm(j))), by.sum_over(m, "each"))
    .qed(eq(spread(law), _LEAST), by.linear({"all": 1 / M**2}))
)
_LATER = (t, 1, T - 1)
AMPLE = (
    proof("osmd/ample", PLACE, note="two distributions are at most 2 apart")
    .given("sums", eq(whole(path(t, j)), 1, ROUNDS), "a distribution in every round")
    .step("sum then", by.instance({t: t + 1}, "sums"), over=_LATER)
    .step("up", le(path(t + 1, m) - path(t, m), path(t + 1, m) + path(t, m), _LATER, EACH), by.linear())
    .step("down", le(path(t, m) - path(t + 1, m), path(t + 1, m) + path(t, m), _LATER, EACH), by.linear())
    .step("each", by.absolute("up", "down"))
    .step("step", le(whole(Abs(path(t + 1, j) - path(t, j))), whole(path(t + 1, j) + path(t, j)), _LATER),
        by.sum_over(m, "each"))
    .step("two", le(whole(Abs(path(t + 1, j) - path(t, j))), Integer(2), _LATER),
        by.linear({"step": 1, "sums": 1, "sum then": 1}))
    .qed(le(way(path), 2 * (T - 1)), by.sum_over(t, "two"))
)

# The claim ------------------------------------------------------------------------------------------------------------------

first = Symbol("first", integer=True, positive=True)


def least(point):
    """((1/M) sum |grad F_m|)^2 - |grad F|^2 at a point."""
    return (whole(norms(point, j)) / M) ** 2 - square(whole(Y(point, j)) / M)


here, goal = Symbol("here", integer=True), Symbol("goal", integer=True)
THERE = (
    proof("osmd/least-there", PLACE, note="the same at a point that is another one")
    .given("same", eq(here, goal), "which is the same")
    .qed(eq(least(here), least(goal)), by.linear(), inserting="same")
)
_BEGIN, _FAR, _HERE, _DEAR = where(at(first, 1)), at(far, t), at(first, t), at(dearest, t)
_VALUE = GAME[2].relation.right
_start, _line, _c = of("osmd/C-min@explicit", _VALUE)
_OWN = {law(m): g(where(_DEAR), m), y(m): Y(where(_DEAR), m), norm(m): norms(where(_DEAR), m)}
MIN = (
    _start.under(*TREE, *Q_THERE, *GAME[1:], *LAWS, PLAYED, best(_VALUE), *_c)
    .given("norms", eq(square(Y(point, m)), norms(point, m) ** 2, POINTS, EACH), "how long the gradients are")
    .given(
        "proportional",
        eq(g(point, m) * whole(norms(point, j)), norms(point, m), POINTS, EACH),
        "the best laws are proportional to that; the claim is about those that keep to the floor",
    )
    .given("zeta", eq(least(_BEGIN), zeta_min**2), "zeta_min^2 is attained at a point,")
    .given("most", le(least(point), zeta_min**2, POINTS), "and no point has more")
    .given("course", le(first, courses), "a course begins there")
    .given("stay", eq(where(_HERE), _BEGIN, ROUNDS), "and stays")
    .steps(*visits("far", far, "far"))
    .step("far point low", by.instance({node: _FAR}, "point low", "far low", "far high"))
    .step("far point high", by.instance({node: _FAR}, "point high", "far low", "far high"))
    .step("far law", by.instance({node: _FAR}, "played", "far low", "far high"), over=(ROUNDS, EACH))
    .step("far laws", eq(whole(q(_FAR, j)), whole(g(where(_FAR), j)), ROUNDS), by.sum_over(m, "far law"))
    .step("far sum", by.instance({point: where(_FAR)}, "sum g", "far point low", "far point high"))
    .step("far sums", eq(whole(q(_FAR, j)), 1, ROUNDS), by.linear("far laws", "far sum"))
    .step("moved", by.apply(AMPLE, {path(t, m): q(_FAR, m)}))
    .step("kept moves", le(moves(q, far), beta), by.linear({"moved": 1, "c1": 1}))
    .steps(*WITHIN, *no_cheaper(_VALUE), *PAYS)
    .step(
        "dear norm",
        by.instance({point: where(_DEAR)}, "norms", "dear point low", "dear point high"),
        over=(ROUNDS, EACH),
    )
    .step(
        "dear share",
        by.instance({point: where(_DEAR)}, "proportional", "dear point low", "dear point high"),
        over=(ROUNDS, EACH),
    )
    .step("dear least", by.apply(ATTAINED, _OWN))
    .step("dear most", by.instance({point: where(_DEAR)}, "most", "dear point low", "dear point high"))
    .step(
        "round", le(paid(q, _DEAR), zeta_min**2, ROUNDS), by.linear({"dear paid": 1, "dear least": 1, "dear most": 1})
    )
    .step("rounds", le(T * mean(q, dearest), T * zeta_min**2), by.sum_over(t, "round"))
    .step("at most", le(_VALUE, zeta_min**2), by.linear({"no cheaper": 1, "rounds": 1 / T}))
    .steps(*visits("first", first, "course"))
    .step("first point low", by.instance({node: _HERE}, "point low", "first low", "first high"))
    .step("first point high", by.instance({node: _HERE}, "point high", "first low", "first high"))
    .step("first sum", by.instance({node: _HERE}, "sum p", "first low", "first high"))
    .step(
        "first norm",
        by.instance({point: where(_HERE)}, "norms", "first point low", "first point high"),
        over=(ROUNDS, EACH),
    )
    .step("no less", by.apply(LEAST, {law(m): p(_HERE, m), y(m): Y(where(_HERE), m), norm(m): norms(where(_HERE), m)}))
    .step("there", by.apply(THERE, {here: where(_HERE), goal: _BEGIN}))
    .step("each", le(zeta_min**2, paid(p, _HERE), ROUNDS), by.linear({"no less": 1, "there": -1, "zeta": -1}))
    .step("all", le(T * zeta_min**2, T * mean(p, first)), by.sum_over(t, "each"))
    .step("that course", by.instance({course: first}, "dear", "course"))
    .step("at least", le(zeta_min**2, _VALUE), by.linear({"all": 1 / T, "that course": 1}))
    .qed(_line, by.antisymmetry("at most", "at least"))
)

THEOREMS = (LEAST, ATTAINED, AMPLE, THERE, MIN)
