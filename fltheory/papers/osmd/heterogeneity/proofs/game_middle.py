"""The game of two states with three rounds and a budget of 8/5, between two numbers, as its claim states it.

The symbols are those of ``game_binding``. A good policy draws the state's client with 41/50, but with 29/50 in the
second round after a change; nature chooses the state of low probability.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Rational, Symbol

from fltheory.papers.osmd.heterogeneity.proofs import game_two as two
from fltheory.papers.osmd.heterogeneity.proofs.game import (COURSES, NODES, at, course, courses, dear, dearest, far,
    low, node, nodes, visits)
from fltheory.papers.osmd.heterogeneity.proofs.game_binding import (COURSE, HALF, POLICY, STATES, chance, mean, moves,
    no_cheaper_than_u, norm, odds, side, turn, u, v)
from fltheory.papers.osmd.mirror.proofs.floor import of
from fltheory.papers.osmd.notation import alpha, beta
from fltheory.papers.osmd.regret.proofs.paths import t
from fltheory.proof import Given, by, eq, le, line, proof
from fltheory.proof.facts.notation import P, Q
from fltheory.proof.language import Step
from fltheory.proof.terms import Indicator, substitute

PLACE = "the game of two states"
_ROUNDS = (1, 2, 3)
_VALUE = mean(chance, dear)
_OFTEN, _RARELY = Rational(41, 50), Rational(29, 50)  # 1/2 + 8/25, 1/2 + 2/25
_MOST, _LESS, _MORE = Rational(8, 25), Rational(1, 5), Rational(3, 25)

# Signs and three rounds ------------------------------------------------------------------------------------------------------

r, s, w = (Symbol(name, real=True) for name in ("r", "s", "w"))
_SIGNS = tuple(Given(name, eq(x**2, 1), "1 or -1") for name, x in (("r", r), ("s", s), ("w", w)))


def _below(name: str, x: Expr) -> tuple[Step, ...]:
    """Return lines: it is between 1 and -1."""
    return (
        line(f"{name} square", le(0, (1 - x) ** 2), by.apply(two.SQUARE, {P: 1 - x, Q: 0})),
        line(f"{name} other", le(0, (1 + x) ** 2), by.apply(two.SQUARE, {P: 1 + x, Q: 0})),
        line(f"{name} high", le(0, 1 - x), by.linear({f"{name} square": HALF, name: HALF})),
        line(f"{name} low", le(0, 1 + x), by.linear({f"{name} other": HALF, name: HALF})),
    )


_SECOND, _APART = _MOST * w - _LESS * s - _MORE * r, _LESS * (1 - w * s) + _MORE * (1 - w * r)
_STEPS = Abs(_LESS * s + _MORE * r - _MOST * r) + Abs(_SECOND)
_TOGETHER = {"rs": (r, s), "sw": (s, w), "rw": (r, -w)}


def _with(name: str, x: Expr, y: Expr) -> tuple[Step, ...]:
    """Return lines: a product of two signs is at least -1."""
    return (
        line(f"{name} square", le(0, (x + y) ** 2), by.apply(two.SQUARE, {P: x + y, Q: 0})),
        line(name, le(0, 1 + x * y), by.linear({f"{name} square": HALF, name[0]: HALF, name[1]: HALF})),
    )


FAR = (
    proof("osmd/I9-three", PLACE, note="how far the policy moves in three rounds: 4/5 at most").under(*_SIGNS)
    .steps(*_below("r", r), *_below("s", s), *_below("w", w))
    .step("1 up", le(_LESS * (s - r), _LESS * (1 - r * s)), by.linear({"s high": _LESS * (1 + r)}, "r low"))
    .step("1 down", le(_LESS * (r - s), _LESS * (1 - r * s)), by.linear({"r high": _LESS * (1 + s)}, "s low"))
    .step("1", by.absolute("1 up", "1 down"))
    .step("w s", le(w - s, 1 - w * s), by.linear({"w high": 1 + s}, "s low"))
    .step("w r", le(w - r, 1 - w * r), by.linear({"w high": 1 + r}, "r low"))
    .step("s w", le(s - w, 1 - w * s), by.linear({"s high": 1 + w}, "w low"))
    .step("r w", le(r - w, 1 - w * r), by.linear({"r high": 1 + w}, "w low"))
    .step("2 up", le(_SECOND, _APART), by.linear({"w s": _LESS, "w r": _MORE}))
    .step("2 down", le(-_SECOND, _APART), by.linear({"s w": _LESS, "r w": _MORE}))
    .step("2", by.absolute("2 up", "2 down"))
    .steps(*(one for name, pair in _TOGETHER.items() for one in _with(name, *pair)))
    .step("turns", le(0, 1 + r * s + s * w + r * w), by.linear({"rs": 1 + s * w, "s": r * w}, "sw"))
    .qed(le(_STEPS, Rational(4, 5)), by.linear({"1": 1, "2": 1, "turns": _LESS, "rw": _LESS - _MORE}))
)

PAIR = (
    proof("osmd/sign-product", PLACE, note="a product of two signs is at least -1").under(*_SIGNS[:2])
    .steps(*_with("rs", r, s)[:1])
    .qed(le(0, 1 + r * s), by.linear({"rs square": HALF, "r": HALF, "s": HALF}))
)

# A policy --------------------------------------------------------------------------------------------------------------------


def _three(chances, course: Expr) -> Expr:
    """Return the sum of 1/chance over the three rounds of a path."""
    return sum((1 / chances(at(course, Integer(i))) for i in _ROUNDS), Integer(0))


_ROOM = HALF - alpha / 2 - Abs(u(low))
_AT = {i: at(course, Integer(i)) for i in _ROUNDS}
OTHER = (
    Given("odds", eq(odds(node), HALF + side(node) * u(node), NODES), "u is another policy: what it draws with"),
    Given("first", eq(u(_AT[1]), side(_AT[1]) * _MOST, COURSES), "in the first round"),
    Given("second", eq(u(_AT[2]), side(_AT[2]) * _LESS + side(_AT[1]) * _MORE, COURSES),
        "in the second one, after the same state and after the other one"),
    Given("third", eq(u(_AT[3]), side(_AT[3]) * _MOST, COURSES), "and in the third one"),
    Given("size", le(Abs(u(node)), _MOST, NODES), "so that it is never further from 1/2"),
    Given("far", le(far, courses), "the course in which u moves most"),
    Given("low", le(low, nodes), "the node at which u is the furthest from 1/2"),
    Given("dearest", le(dearest, courses), "the course that is the dearest with u"),
    Given("best", le(Indicator(beta - moves(u, far)) * Indicator(_ROOM) * (_VALUE - mean(odds, dearest)), 0),
        "v is the best policy: in its dearest course u is no cheaper, unless it moves too far or goes below the floor"),
)


def _rounds(tag: str, number: Expr, *over: int) -> tuple[Step, ...]:
    """Return lines: the node of each round is an existing one, and the statements on nodes and paths hold there."""
    return tuple(
        one
        for i in over
        for one in (
            line(f"{tag} low {i}", le(1, at(number, Integer(i))), by.instance({t: i}, f"{tag} low", "c3")),
            line(f"{tag} high {i}", le(at(number, Integer(i)), nodes), by.instance({t: i}, f"{tag} high", "c3")),
            line(f"{tag} side {i}", eq(side(at(number, Integer(i))) ** 2, 1),
                by.instance({node: at(number, Integer(i))}, "sides", f"{tag} low {i}", f"{tag} high {i}")),
        )
    )


def _plays(tag: str, number: Expr, bound: str) -> tuple[Step, ...]:
    """Return lines: the choices of u on a path."""
    names = zip(_ROUNDS, ("first", "second", "third"), strict=True)
    lines = {h.id: h.relation for h in OTHER}
    return tuple(
        line(f"{tag} plays {i}",
            eq(*(substitute(part, {course: number}) for part in (lines[name].left, lines[name].right))),
            by.instance({course: number}, name, bound))
        for i, name in names
    )


_start, _line, _c = of("osmd/I9-middle@explicit", _VALUE, "upper")
_DEAR = {i: at(dearest, Integer(i)) for i in _ROUNDS}
_FAR = {i: at(far, Integer(i)) for i in _ROUNDS}


def _odds(i: int) -> tuple[Step, ...]:
    """Return lines: the probabilities of u in a round of its worst path."""
    here = _DEAR[i]
    return (
        line(f"odds {i}", eq(odds(here), HALF + side(here) * u(here)),
            by.instance({node: here}, "odds", f"dear low {i}", f"dear high {i}")),
    )


MOST = (
    _start.under(*STATES, *OTHER, *_c)
    .steps(*visits("far", far, "far"), *_rounds("far", far, 1, 2, 3), *_plays("far", far, "far"))
    .step("path", by.apply(FAR, {r: side(_FAR[1]), s: side(_FAR[2]), w: side(_FAR[3])}))
    .step(
        "same",
        eq(
            Abs(u(_FAR[2]) - u(_FAR[1])) + Abs(u(_FAR[3]) - u(_FAR[2])),
            substitute(_STEPS, {r: side(_FAR[1]), s: side(_FAR[2]), w: side(_FAR[3])}),
        ),
        by.linear(),
        inserting=("far plays 1", "far plays 2", "far plays 3"),
    )
    .step(
        "two",
        eq(moves(u, far), 2 * (Abs(u(_FAR[2]) - u(_FAR[1])) + Abs(u(_FAR[3]) - u(_FAR[2])))),
        by.linear(),
        inserting="c3",
    )
    .step("slack", le(0, beta - moves(u, far)), by.linear({"two": 1, "same": 2, "path": 2, "c2": -1}))
    .step("low size", by.instance({node: low}, "size", "low"))
    .step("room", le(0, _ROOM), by.linear({"low size": 1, "c1": HALF}))
    .steps(no_cheaper_than_u(_VALUE, _ROOM))
    .steps(*visits("dear", dearest, "dearest"), *_rounds("dear", dearest, 1, 2, 3), *_plays("dear", dearest, "dearest"))
    .steps(*_odds(1), *_odds(2), *_odds(3))
    .step(
        "often 1",
        eq(odds(_DEAR[1]), _OFTEN),
        by.linear({"odds 1": 1, "dear plays 1": side(_DEAR[1]), "dear side 1": _MOST}),
    )
    .step(
        "often 3",
        eq(odds(_DEAR[3]), _OFTEN),
        by.linear({"odds 3": 1, "dear plays 3": side(_DEAR[3]), "dear side 3": _MOST}),
    )
    .step("turn", by.apply(PAIR, {r: side(_DEAR[1]), s: side(_DEAR[2])}))
    .step(
        "rarely",
        le(_RARELY, odds(_DEAR[2])),
        by.linear({"odds 2": -1, "dear plays 2": -side(_DEAR[2]), "dear side 2": -_LESS, "turn": _MORE}),
    )
    .step("pays 1", eq(1 / odds(_DEAR[1]), 1 / _OFTEN), by.linear({"often 1": -1 / (_OFTEN * odds(_DEAR[1]))}))
    .step("pays 2", le(1 / odds(_DEAR[2]), 1 / _RARELY), by.linear({"rarely": 1 / (_RARELY * odds(_DEAR[2]))}))
    .step("pays 3", eq(1 / odds(_DEAR[3]), 1 / _OFTEN), by.linear({"often 3": -1 / (_OFTEN * odds(_DEAR[3]))}))
    .step("three", eq(mean(odds, dearest), norm * (_three(odds, dearest) - 3) / 12), by.linear(), inserting="c3")
    .step(
        "paid",
        le(_VALUE, norm * (2 / _OFTEN + 1 / _RARELY - 3) / 12),
        by.linear({"no cheaper": 1, "three": 1, "pays 1": norm / 12, "pays 2": norm / 12, "pays 3": norm / 12}),
    )
    .qed(_line, by.linear({"paid": 1, "zeta": (2 / _OFTEN + 1 / _RARELY - 3) / 12}))
)

# Nature ----------------------------------------------------------------------------------------------------------------------

_MU = Rational(17246505, 10**7)  # nearly sqrt(2) times 50/41
_TURN = {i: at(turn, Integer(i)) for i in _ROUNDS}
_start, _line, _c = of("osmd/I9-middle@explicit", _VALUE, "lower")


def _draws(i: int) -> tuple[Step, ...]:
    """Return lines: the probabilities of v in a round of that path, and a tangent of 1/chance."""
    here, own = _TURN[i], chance(_TURN[i])
    slope = _MU if i == 2 else 1 / _OFTEN
    return (
        line(f"chance {i}", eq(own, HALF + side(here) * v(here)),
            by.instance({node: here}, "chance", f"turn low {i}", f"turn high {i}")),
        line(f"square {i}", le(0, (slope * own - 1) ** 2), by.apply(two.SQUARE, {P: slope * own - 1, Q: 0})),
        line(f"tangent {i}", le(2 * slope - slope**2 * own, 1 / own), by.linear({f"square {i}": 1 / own})),
    )


def _moved(i: int) -> tuple[Step, ...]:
    """Return lines: before each round nature chooses the state of low probability."""
    here, then = v(_TURN[i]), v(_TURN[i + 1])
    sign = side(_TURN[i + 1])
    return (
        line(f"against {i}", le(sign * here, 0), by.instance({t: i}, "against", "c3")),
        line(f"far {i}", le(Abs(here), -sign * here),
            by.apply(two.AGAINST, {two.sign: sign, two.number: here}, f"turn side {i + 1}", f"against {i}")),
        line(f"moves {i}", le(sign * (then - here), Abs(then - here)),
            by.apply(two.ALIGNED, {two.sign: sign, two.number: then - here}, f"turn side {i + 1}")),
        line(f"above {i}", le(side(_TURN[i]) * here, Abs(here)),
            by.apply(two.ALIGNED, {two.sign: side(_TURN[i]), two.number: here}, f"turn side {i}")),
    )


_GONE = Abs(v(_TURN[2]) - v(_TURN[1])) + Abs(v(_TURN[3]) - v(_TURN[2]))
_SLOPE = 1 / _OFTEN**2
LEAST = (
    _start.under(*STATES, *POLICY, *COURSE, *_c[1:])
    .steps(*visits("turn", turn, "turn"), *_rounds("turn", turn, 1, 2, 3))
    .steps(*_draws(1), *_draws(2), *_draws(3), *_moved(1), *_moved(2))
    .step("turn moves", by.instance({course: turn}, "moves v", "turn"))
    .step("two", eq(moves(v, turn), 2 * _GONE), by.linear(), inserting="c3")
    .step("gone", le(_GONE, Rational(4, 5)), by.linear({"turn moves": HALF, "two": -HALF, "c2": HALF}))
    .step(
        "sum",
        le(chance(_TURN[1]) + 2 * chance(_TURN[2]) + chance(_TURN[3]), Rational(14, 5)),
        by.linear(
            {
                "chance 1": 1,
                "chance 2": 2,
                "chance 3": 1,
                "gone": 1,
                "far 1": 1,
                "far 2": 1,
                "moves 1": 1,
                "moves 2": 1,
                "above 1": 1,
                "above 2": 1,
            }
        ),
    )
    .step(
        "three",
        le(4 / _OFTEN + 2 * _MU - _SLOPE * Rational(14, 5), _three(chance, turn)),
        by.linear({"tangent 1": 1, "tangent 2": 1, "tangent 3": 1, "sum": _SLOPE}),
    )
    .step("mean", eq(mean(chance, turn), norm * (_three(chance, turn) - 3) / 12), by.linear(), inserting="c3")
    .step("dearer", by.instance({course: turn}, "dear", "turn"))
    .step("paid", le(norm * Rational(969301, 10**7), _VALUE), by.linear({"dearer": 1, "mean": -1, "three": norm / 12}))
    .qed(_line, by.linear({"paid": 1, "zeta": -Rational(969301, 10**7)}))
)

THEOREMS = (FAR, PAIR, MOST, LEAST)
