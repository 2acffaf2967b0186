"""The value of the game of two states with a binding budget, as its claim states it.

In each state one of two clients has a gradient, always of the same norm. V is |grad|^2 (1/chance - 1)/4, where chance
is the probability of drawing this client. ``v`` is the first client's probability minus 1/2 at a node, ``side`` is 1 if
the first client has the gradient and -1 if the second has, so that chance = 1/2 + side v; both clients move alike.
"""

from __future__ import annotations

from sympy import Abs, Expr, Rational, Symbol, floor

from fltheory.papers.osmd.heterogeneity.proofs import game_two as two
from fltheory.papers.osmd.heterogeneity.proofs.game import (COURSES, NODES, TREE, at, course, courses, dear, dearest,
    far, low, node, nodes, visits)
from fltheory.papers.osmd.heterogeneity.proofs.game import a as slack_a
from fltheory.papers.osmd.heterogeneity.proofs.game import b as slack_b
from fltheory.papers.osmd.heterogeneity.proofs.game import d as worse
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.notation import T, alpha, beta, zeta_unif
from fltheory.papers.osmd.regret.proofs.paths import ROUNDS, t
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.language import Step
from fltheory.proof.terms import Indicator, Nonnegative, Positive, Scalar, Total, family

PLACE = "the game of two states"
HALF, QUARTER = Rational(1, 2), beta / 4
HIGH = HALF + QUARTER
norm = Symbol("norm", nonnegative=True)  # |grad|^2
side = family(Scalar, "side")
v, chance = family(Scalar, "v"), family(Positive, "chance")
u, odds = family(Scalar, "u"), family(Positive, "odds")
_run = family(Nonnegative, "run")
turn = Symbol("turn", integer=True, positive=True)


def run(course: Expr) -> Expr:
    """Return the number of rounds after the first one up to which the state has never changed."""
    return floor(_run(course))


def mean(chance, course: Expr) -> Expr:
    """Return the cost of a policy on a path, over T."""
    return Total(norm * (1 / chance(at(course, t)) - 1) / 4, t, 1, T) / T


def moves(policy, course: Expr) -> Expr:
    """Return the total variation of both clients' probabilities on a path."""
    return 2 * Total(Abs(policy(at(course, t + 1)) - policy(at(course, t))), t, 1, T - 1)


def no_cheaper_than_u(value: Expr, room: Expr) -> Step:
    """Prove that the best policy costs no more than u: u keeps to the budget ("slack") and to the floor ("room")."""
    more = value - mean(odds, dearest)
    kept = {slack_a: beta - moves(u, far), slack_b: room, worse: more}
    return line("no cheaper", le(more, 0), by.apply("osmd/kept-law", kept, "slack", "room", "best"))


_VALUE = mean(chance, dear)
_SAME, _THEN = (t, 1, run(course) + 1), (t, run(course) + 2, T - 1)
_ROOM = HALF - alpha / 2 - Abs(u(low))
STATES = (
    *TREE[:2],
    Given("sides", eq(side(node) ** 2, 1, NODES), "the state is 1 or -1"),
    Given("zeta", eq(norm, 4 * zeta_unif**2), "both gradients are half of this one away from their mean"),
)
POLICY = (
    Given("chance", eq(chance(node), HALF + side(node) * v(node), NODES), "v is the best policy: what it draws with"),
    Given("moves v", le(moves(v, course), beta, COURSES), "keeps to the budget in every course;"),
    Given("dear", le(mean(chance, course), _VALUE, COURSES), "top is the course that is its dearest"),
)
COURSE = (
    Given("turn", le(turn, courses), "a course that next goes to the state"),
    Given("against", le(side(at(turn, t + 1)) * v(at(turn, t)), 0, (t, 1, T - 1)),
        "whose client has the smaller probability: every sequence of states is a course"),
)
OTHER = (
    Given("odds", eq(odds(node), HALF + side(node) * u(node), NODES), "u is another policy: what it draws with"),
    Given("run", le(run(course) + 1, T, COURSES), "until the state changes"),
    Given("constant", eq(side(at(course, t)), side(at(course, 1)), COURSES, _SAME), "for the first time"),
    Given("favours", eq(u(at(course, t)), side(at(course, t)) * QUARTER, COURSES, _SAME),
        "it favours the state's client,"),
    Given("even", eq(u(at(course, t)), 0, COURSES, _THEN), "then it draws both alike,"),
    Given("last", eq(u(at(course, T)), side(at(course, T)) * QUARTER, COURSES),
        "and in the last round it does so again"),
    Given("size", le(Abs(u(node)), QUARTER, NODES), "so that it is never further from 1/2"),
    Given("far", le(far, courses), "the course in which u moves most"),
    Given("low", le(low, nodes), "the node at which u is the furthest from 1/2"),
    Given("dearest", le(dearest, courses), "the course that is the dearest with u"),
    Given("best", le(Indicator(beta - moves(u, far)) * Indicator(_ROOM) * (_VALUE - mean(odds, dearest)), 0),
        "v is the best policy: in its dearest course u is no cheaper, unless it moves too far or goes below the floor"),
)
_FAR, _DEAR, _TURN = at(far, t), at(dearest, t), at(turn, t)
_LONG = {two.moved: T - 1}
_NEVER, _MIDDLE, _LAST = (le(t, run(dearest) + 1),), (le(run(dearest) + 2, t), le(t, T - 1)), (le(T, t),)
_FACTOR = Rational(1, 4) - beta / (T * (2 + beta))
_COST = le(HALF, odds(_DEAR), ROUNDS)
now, end = Symbol("now", integer=True, positive=True), Symbol("end", integer=True, positive=True)
AT_END = (
    proof("osmd/at-end", PLACE, note="what holds in a round that is the last one")
    .given("after", le(end, now), "not before it")
    .given("before", le(now, end), "nor after it")
    .given("there", le(HALF, two.chance(end)), "it holds there")
    .step("same", by.antisymmetry("before", "after"))
    .qed(le(HALF, two.chance(now)), by.linear("there"), inserting="same")
)
_start, _line, _c = of("osmd/I9@explicit", _VALUE)
BINDING = (
    _start.under(*STATES, *POLICY, *COURSE, *OTHER, *_c)
    # u keeps to the budget and to the floor
    .steps(*visits("far", far, "far"))
    .step("far run", by.instance({course: far}, "run", "far"))
    .step("far constant", by.instance({course: far}, "constant", "far"))
    .step("far favours", by.instance({course: far}, "favours", "far"))
    .step("far first", by.instance({t: 1}, "far favours"))
    .step(
        "far still",
        eq(u(_FAR), u(at(far, 1)), (t, 1, run(far) + 1)),
        by.linear({"far favours": 1, "far first": -1, "far constant": QUARTER}),
    )
    .step("far even", by.instance({course: far}, "even", "far"))
    .step("far size", by.instance({node: _FAR}, "size", "far low", "far high"))
    .step(
        "moved",
        by.apply(
            two.PATH,
            {two.x(t): u(_FAR), two.k: run(far), two.size: QUARTER, **_LONG},
            "far run",
            "far still",
            "far even",
            "far size",
            "c3",
        ),
    )
    .step("slack", le(0, beta - moves(u, far)), by.linear({"moved": 2}))
    .step("low size", by.instance({node: low}, "size", "low"))
    .step("room", le(0, _ROOM), by.linear({"low size": 1, "c1": HALF, "c2": QUARTER / beta}))
    .steps(no_cheaper_than_u(_VALUE, _ROOM))
    # the cost of u
    .steps(*visits("dear", dearest, "dearest"))
    .step("dear sides", by.instance({node: _DEAR}, "sides", "dear low", "dear high"))
    .step("dear odds", by.instance({node: _DEAR}, "odds", "dear low", "dear high"))
    .step("dear favours", by.instance({course: dearest}, "favours", "dearest"))
    .step("dear even", by.instance({course: dearest}, "even", "dearest"))
    .step("at first", by.instance({t: t}, "dear favours"), over=ROUNDS, assuming=_NEVER)
    .step(
        "case 1", _COST, by.linear({"at first": -side(_DEAR), "dear odds": -1, "dear sides": -QUARTER}), assuming=_NEVER
    )
    .step("then", by.instance({t: t}, "dear even"), over=ROUNDS, assuming=_MIDDLE)
    .step("case 2", _COST, by.linear({"then": -side(_DEAR), "dear odds": -1}), assuming=_MIDDLE)
    .step("first favours", by.instance({t: 1}, "dear favours"))
    .step("first odds", by.instance({t: 1}, "dear odds"))
    .step("first side", by.instance({t: 1}, "dear sides"))
    .step(
        "first",
        eq(odds(at(dearest, 1)), HIGH),
        by.linear({"first odds": 1, "first favours": side(at(dearest, 1)), "first side": QUARTER}),
    )
    .step("last favours", by.instance({course: dearest}, "last", "dearest"))
    .step("last odds", by.instance({t: T}, "dear odds"))
    .step("last side", by.instance({t: T}, "dear sides"))
    .step(
        "last one",
        eq(odds(at(dearest, T)), HIGH),
        by.linear({"last odds": 1, "last favours": side(at(dearest, T)), "last side": QUARTER}),
    )
    .step("until", le(t, T, ROUNDS), by.polynomial())
    .step("enough", le(HALF, odds(at(dearest, T))), by.linear({"last one": -1}))
    .step("case 3", by.apply(AT_END, {now: t, end: T, two.chance(t): odds(_DEAR)}), assuming=_LAST)
    .step("others", by.cases("case 1", "case 2", "case 3"))
    .step(
        "costs",
        by.apply(two.COSTS, {two.chance(t): odds(_DEAR), two.high: HIGH, **_LONG}, "first", "last one", "others", "c3"),
    )
    .step(
        "at most",
        le(_VALUE, _line.right),
        by.linear({"no cheaper": 1, "costs": norm / (4 * T), "zeta": _FACTOR}, "c2", "c3"),
    )
    # the choice of nature
    .steps(*visits("turn", turn, "turn"))
    .step("turn sides", by.instance({node: _TURN}, "sides", "turn low", "turn high"))
    .step("turn chance", by.instance({node: _TURN}, "chance", "turn low", "turn high"))
    .step("turn moves", by.instance({course: turn}, "moves v", "turn"))
    .step("half", le(moves(v, turn) / 2, 2 * QUARTER), by.linear({"turn moves": HALF}))
    .step("high", eq(HIGH, HALF + QUARTER), by.linear())
    .step("short", le(HIGH, Rational(7, 10)), by.linear({"c2": Rational(1, 4)}))
    .step("sign", le(0, HIGH), by.linear())
    .step("square", by.power(2, "sign", "short"))
    .step("small", le(2 * HIGH**2, 1), by.linear({"square": 2}))
    .step(
        "hard",
        by.apply(
            two.HARD,
            {
                two.x(t): v(_TURN),
                two.side(t): side(_TURN),
                two.chance(t): chance(_TURN),
                two.size: QUARTER,
                two.high: HIGH,
                **_LONG,
            },
            "turn sides",
            "turn chance",
            "against",
            "half",
            "high",
            "small",
            "c3",
        ),
    )
    .step("dearer", by.instance({course: turn}, "dear", "turn"))
    .step(
        "at least",
        le(_line.right, _VALUE),
        by.linear({"dearer": 1, "hard": norm / (4 * T), "zeta": -_FACTOR}, "c2", "c3"),
    )
    .qed(_line, by.antisymmetry("at most", "at least"))
)

THEOREMS = (AT_END, BINDING)
