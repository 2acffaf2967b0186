"""The text after (11): with an ample budget the best law of each point is played, in the words of the claim."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol

from fltheory.papers.osmd.heterogeneity.proofs.game import (
    EACH,
    POINTS,
    Q_THERE,
    TREE,
    Y,
    at,
    best,
    course,
    courses,
    dearest,
    far,
    law,
    mean,
    moves,
    no_cheaper,
    node,
    p,
    paid,
    path,
    point,
    q,
    spread,
    visits,
    way,
    where,
    y,
)
from fltheory.papers.osmd.heterogeneity.proofs.game_rounds import GAME, LAWS, PAYS, PLAYED, WITHIN, g
from fltheory.papers.osmd.mirror.proofs.floor import of
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
    proof("osmd/least-spread", PLACE, note="no law has a smaller V: Cauchy's inequality")
    .under(_NORM)
    .given("sum", eq(whole(law(j)), 1), "a distribution")
    .step(
        "square",
        le(0, (norm(m) - _ALL * law(m)) ** 2, EACH),
        by.apply("osmd/square", {P: norm(m) - _ALL * law(m), Q: 0}),
    )
    .step(
        "each",
        le(2 * _ALL * norm(m) - _ALL**2 * law(m), square(y(m)) / law(m), EACH),
        by.linear({"square": 1 / law(m), "norm": -1 / law(m)}),
    )
    .step("all", le(whole(2 * _ALL * norm(j) - _ALL**2 * law(j)), whole(square(y(j)) / law(j))), by.sum_over(m, "each"))
    .qed(le(_LEAST, spread(law)), by.linear({"all": 1 / M**2, "sum": _ALL**2 / M**2}))
)
ATTAINED = (
    proof("osmd/least-attained", PLACE, note="V under the law that is proportional to the norms")
    .under(_NORM)
    .given("law", eq(law(m) * _ALL, norm(m), EACH), "proportional to them")
    .step(
        "each",
        eq(square(y(m)) / law(m), _ALL * norm(m), EACH),
        by.linear({"norm": 1 / law(m), "law": -norm(m) / law(m)}),
    )
    .step("all", eq(whole(square(y(j)) / law(j)), whole(_ALL * norm(j))), by.sum_over(m, "each"))
    .qed(eq(spread(law), _LEAST), by.linear({"all": 1 / M**2}))
)
_LATER = (t, 1, T - 1)
_STEP = Abs(path(t + 1, m) - path(t, m))
AMPLE = (
    proof("osmd/ample", PLACE, note="two distributions are at most 2 apart")
    .given("sums", eq(whole(path(t, j)), 1, ROUNDS), "a distribution in every round")
    .step("sum then", eq(whole(path(t + 1, j)), 1, _LATER), by.instance({t: t + 1}, "sums"))
    .step("up", le(path(t + 1, m) - path(t, m), path(t + 1, m) + path(t, m), _LATER, EACH), by.linear())
    .step("down", le(path(t, m) - path(t + 1, m), path(t + 1, m) + path(t, m), _LATER, EACH), by.linear())
    .step("each", le(_STEP, path(t + 1, m) + path(t, m), _LATER, EACH), by.absolute("up", "down"))
    .step(
        "step",
        le(whole(Abs(path(t + 1, j) - path(t, j))), whole(path(t + 1, j) + path(t, j)), _LATER),
        by.sum_over(m, "each"),
    )
    .step(
        "two",
        le(whole(Abs(path(t + 1, j) - path(t, j))), Integer(2), _LATER),
        by.linear({"step": 1, "sums": 1, "sum then": 1}),
    )
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
_PAID = {law(m): p(_HERE, m), y(m): Y(where(_HERE), m), norm(m): norms(where(_HERE), m)}
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
    .step("far point low", le(1, where(_FAR), ROUNDS), by.instance({node: _FAR}, "point low", "far low", "far high"))
    .step(
        "far point high",
        le(where(_FAR), TREE[3].relation.right, ROUNDS),
        by.instance({node: _FAR}, "point high", "far low", "far high"),
    )
    .step(
        "far law",
        eq(q(_FAR, m), g(where(_FAR), m), ROUNDS, EACH),
        by.instance({node: _FAR}, "played", "far low", "far high"),
    )
    .step("far laws", eq(whole(q(_FAR, j)), whole(g(where(_FAR), j)), ROUNDS), by.sum_over(m, "far law"))
    .step(
        "far sum",
        eq(whole(g(where(_FAR), j)), 1, ROUNDS),
        by.instance({point: where(_FAR)}, "sum g", "far point low", "far point high"),
    )
    .step("far sums", eq(whole(q(_FAR, j)), 1, ROUNDS), by.linear("far laws", "far sum"))
    .step("moved", le(moves(q, far), 2 * (T - 1)), by.apply("osmd/ample", {path(t, m): q(_FAR, m)}, "far sums"))
    .step("kept moves", le(moves(q, far), beta), by.linear({"moved": 1, "c1": 1}))
    .steps(*WITHIN, *no_cheaper(_VALUE), *PAYS)
    .step(
        "dear norm",
        eq(square(Y(where(_DEAR), m)), norms(where(_DEAR), m) ** 2, ROUNDS, EACH),
        by.instance({point: where(_DEAR)}, "norms", "dear point low", "dear point high"),
    )
    .step(
        "dear share",
        eq(g(where(_DEAR), m) * whole(norms(where(_DEAR), j)), norms(where(_DEAR), m), ROUNDS, EACH),
        by.instance({point: where(_DEAR)}, "proportional", "dear point low", "dear point high"),
    )
    .step(
        "dear least",
        eq(PAYS[-1].claim.right, least(where(_DEAR)), ROUNDS),
        by.apply("osmd/least-attained", _OWN, "dear norm", "dear share"),
    )
    .step(
        "dear most",
        le(least(where(_DEAR)), zeta_min**2, ROUNDS),
        by.instance({point: where(_DEAR)}, "most", "dear point low", "dear point high"),
    )
    .step(
        "round", le(paid(q, _DEAR), zeta_min**2, ROUNDS), by.linear({"dear paid": 1, "dear least": 1, "dear most": 1})
    )
    .step("rounds", le(T * mean(q, dearest), T * zeta_min**2), by.sum_over(t, "round"))
    .step("at most", le(_VALUE, zeta_min**2), by.linear({"no cheaper": 1, "rounds": 1 / T}))
    .steps(*visits("first", first, "course"))
    .step(
        "first point low",
        le(1, where(_HERE), ROUNDS),
        by.instance({node: _HERE}, "point low", "first low", "first high"),
    )
    .step(
        "first point high",
        le(where(_HERE), TREE[3].relation.right, ROUNDS),
        by.instance({node: _HERE}, "point high", "first low", "first high"),
    )
    .step(
        "first sum", eq(whole(p(_HERE, j)), 1, ROUNDS), by.instance({node: _HERE}, "sum p", "first low", "first high")
    )
    .step(
        "first norm",
        eq(square(Y(where(_HERE), m)), norms(where(_HERE), m) ** 2, ROUNDS, EACH),
        by.instance({point: where(_HERE)}, "norms", "first point low", "first point high"),
    )
    .step(
        "no less",
        le(least(where(_HERE)), paid(p, _HERE), ROUNDS),
        by.apply("osmd/least-spread", _PAID, "first norm", "first sum"),
    )
    .step(
        "there",
        eq(least(where(_HERE)), least(_BEGIN), ROUNDS),
        by.apply("osmd/least-there", {here: where(_HERE), goal: _BEGIN}, "stay"),
    )
    .step("each", le(zeta_min**2, paid(p, _HERE), ROUNDS), by.linear({"no less": 1, "there": -1, "zeta": -1}))
    .step("all", le(T * zeta_min**2, T * mean(p, first)), by.sum_over(t, "each"))
    .step("that course", le(mean(p, first), _VALUE), by.instance({course: first}, "dear", "course"))
    .step("at least", le(zeta_min**2, _VALUE), by.linear({"all": 1 / T, "that course": 1}))
    .qed(_line, by.antisymmetry("at most", "at least"))
)

THEOREMS = (LEAST, ATTAINED, AMPLE, THERE, MIN)
