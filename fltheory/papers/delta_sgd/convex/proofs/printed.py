"""False printed forms of Lemma 4, (5) and Theorem 5, refuted at exact numbers; and what the first entry would need.

The Huber function is written with absolute values, points in the plane by their coordinates.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, sqrt

from fltheory.papers.delta_sgd.notation import gamma, theta_0
from fltheory.proof import Given, Relation, Theorem, by, eq, le, proof

Point = tuple[Expr, Expr]


def number(name: str, **kind: bool) -> Symbol:
    """Return a real number."""
    return Symbol(name, real=True, **kind)


def refuted(
    name: str, claim: Relation, supposed: tuple[Given, ...], at: dict[Symbol, Any], place: str, note: str, of: str = ""
) -> Theorem:
    """Refute a statement of the claim ``of`` at these numbers, which satisfy all its hypotheses."""
    return (
        proof(f"delta_sgd/{name}", place, of=f"delta_sgd/{of or name}", recorded="REFUTED", note=note).under(*supposed)
        .qed(claim, by.counterexample(at, *(g.id for g in supposed)), note=note)
    )


# Amplifiers above 1: one client with the Huber function, which is x^2/2 in [-1, 1] and has slope 1 or -1 outside --------------


def huber(x: Expr) -> Expr:
    """Return the Huber function."""
    return (Abs(x + 1) * (x + 1) - Abs(x - 1) * (x - 1)) / 4 - Rational(1, 2)


def slope(x: Expr) -> Expr:
    """Return its derivative."""
    return (Abs(x + 1) - Abs(x - 1)) / 2


POINTS = tuple(number(f"x_{n}") for n in range(4))
STEPS = tuple(Symbol(f"eta_{n}", positive=True) for n in range(3))
_MOVES = tuple(Given(f"move {n}", eq(POINTS[n + 1], POINTS[n] - STEPS[n] * slope(POINTS[n])), "a gradient step") for n in range(3))
_ENTRIES = tuple(
    Given(
        f"entry {n}",
        eq(2 * STEPS[n] * Abs(slope(POINTS[n]) - slope(POINTS[n - 1])), gamma * Abs(POINTS[n] - POINTS[n - 1])),
        "the first entry of (4) with an amplifier",
    )
    for n in (1, 2)
)
_CAPS = (
    Given("growth 1", le(STEPS[1] ** 2, (1 + theta_0) * STEPS[0] ** 2), "the second entry of (4), squared"),
    Given("growth 2", le(STEPS[2] ** 2, (1 + STEPS[1] / STEPS[0]) * STEPS[1] ** 2), "the second entry of (4), squared"),
)
_1, _2, _3 = POINTS[1:]
_WEIGHT = STEPS[2] ** 2 / STEPS[1]
_31 = le(_3**2 + (_3 - _2) ** 2 / 2 + 2 * (STEPS[2] + _WEIGHT) * huber(_2),
    _2**2 + (_2 - _1) ** 2 / 2 + 2 * _WEIGHT * huber(_1))


def run(amplifier: Expr) -> dict[Symbol, Expr]:
    """Return the run from 2003/20 with the steps 100 and then the first entries."""
    points, steps = [Rational(2003, 20)], [Integer(100)]
    for n in range(3):
        points.append(points[n] - steps[n] * slope(points[n]))
        turn = Abs(slope(points[n + 1]) - slope(points[n]))
        steps.append(amplifier * Abs(points[n + 1] - points[n]) / (2 * turn) if turn else steps[n])
    return {
        gamma: amplifier,
        theta_0: Integer(1),
        **dict(zip(POINTS, points, strict=True)),
        **dict(zip(STEPS, steps, strict=False)),
    }


AMPLIFIED = tuple(
    refuted(
        f"L4-amplified-{amplifier.p}-{amplifier.q}@explicit",
        _31,
        (*_MOVES, *_ENTRIES, *_CAPS),
        run(amplifier),
        "Lemma 4",
        f"one client, the amplifier {amplifier}: the Huber function, in the second step",
        "L4-amplified@explicit",
    )
    for amplifier in (Rational(7, 5), Integer(2))
)

_LAST = Symbol("eta_3", positive=True)
_CAPPED = (
    Given("growth 3", eq(_LAST**2, (1 + STEPS[2] / STEPS[1]) * STEPS[2] ** 2), "the second entry of (4), squared"),
    Given("entry 3", le(2 * _LAST * Abs(slope(_3) - slope(_2)), gamma * Abs(_3 - _2)), "which is the smaller one"),
)
_5 = le(_3**2 + (_3 - _2) ** 2 / 2 + 2 * _LAST**2 / STEPS[2] * huber(_2), _31.right)
_AT_5 = run(Rational(7, 5))
RISES = refuted("V-amplified@explicit", _5, (*_MOVES, *_ENTRIES, *_CAPS, *_CAPPED),
    {**_AT_5, _LAST: sqrt(1 + _AT_5[STEPS[2]] / _AT_5[STEPS[1]]) * _AT_5[STEPS[2]]}, "(5)",
    "one client, the amplifier 7/5: the Lyapunov function grows by 7.5 % in the second step")

# Two clients: the effect of unequal ratios in each reading of the iterates; every client's minimiser is 0 -------------


def length(u: Point, v: Point) -> Expr:
    """Return the squared distance of two points of the plane."""
    return (u[0] - v[0]) ** 2 + (u[1] - v[1]) ** 2


def moved(name: str, after: Point, point: Point, *pushes: tuple[Expr, Point]) -> tuple[Given, ...]:
    """Return the hypothesis that a point moves by the mean of some moves, each with its step."""
    return tuple(
        Given(
            f"{name} {side}",
            eq(after[c], point[c] - sum(step * push[c] for step, push in pushes) / len(pushes)),
            "a step",
        )
        for c, side in enumerate("xy")
    )


def rule(name: str, step: Expr, last: Expr, ratio: Expr, move: Expr, turn: Expr) -> tuple[Given, ...]:
    """Return the hypotheses that a step is at most both entries of (4), squared; so are ``move`` and ``turn``."""
    return (
        Given(f"entry {name}", le(4 * step**2 * turn, move), "the first entry of (4), squared"),
        Given(f"growth {name}", le(step**2, (1 + ratio) * last**2), "the second entry of (4), squared"),
    )


def value(at: Point, tie: Expr) -> Expr:
    """x^2/2 + y^2/2 - 2 tie x y."""
    return (at[0] ** 2 + at[1] ** 2) / 2 - 2 * tie * at[0] * at[1]


def gradient(at: Point, tie: Expr) -> Point:
    """Return its gradient."""
    return at[0] - 2 * tie * at[1], at[1] - 2 * tie * at[0]


stiff, tie = Symbol("Lambda", positive=True), Symbol("a", nonnegative=True)
first, was, s1, s2 = (Symbol(name, positive=True) for name in ("eta_0", "eta", "eta_1", "eta_2"))
A, B, C = ((number(f"x_{n}"), number(f"y_{n}")) for n in range(3))


def one(at: Point) -> Point:
    """Return the gradient of client 1, which is flat along y."""
    return stiff * at[0], Integer(0)


def two(at: Point) -> Point:
    """Return the gradient of client 2."""
    return stiff * gradient(at, tie)[0], stiff * gradient(at, tie)[1]


_ORIGIN = (Integer(0), Integer(0))
_B_SUPPOSED = (
    Given("tie", le(tie, Rational(1, 2)), "client 2 is convex"),
    *moved("1", B, A, (first, one(A)), (first, two(A))),
    *moved("2", C, B, (s1, one(B)), (s2, two(B))),
    *rule("1", s1, first, theta_0, length(B, A), length(one(B), one(A))),
    *rule("2", s2, first, theta_0, length(B, A), length(two(B), two(A))),
)
_B_GAPS = tuple((stiff * at[0] ** 2 / 2, stiff * value(at, tie)) for at in (A, B))
_B_31 = le(
    length(C, _ORIGIN) + length(C, B) / 2 + sum(s * (1 + s / first) * v for s, v in zip((s1, s2), _B_GAPS[1], strict=True)),
    length(B, _ORIGIN) + length(B, A) / 2 + sum(s**2 / first * v for s, v in zip((s1, s2), _B_GAPS[0], strict=True)))


def _b_run() -> dict[Symbol, Any]:
    """Return a run: client 1 is flat along its move and takes the largest allowed step, client 2 its first entry."""
    at: dict[Symbol, Any] = {stiff: 4, tie: Rational(3, 8), theta_0: 3, first: 1, s1: 2, s2: Rational(1, 10)}
    at |= {A[0]: Rational(3, 8), A[1]: Integer(1)}
    for given in _B_SUPPOSED[1:5]:
        at[given.relation.left] = given.relation.right.subs(at)
    return at


READING_B = refuted("L4-B@printed", _B_31, _B_SUPPOSED, _b_run(), "Lemma 4",
    "clients that share their iterate, with one common minimiser")

# Reading A: clients never meet. One is at (u_t, 1), the other at (1, u_t); their mean is (1 + u_t)/2 in each entry.

U = tuple(number(f"u_{n}") for n in range(5))
_A_MOVES = tuple(
    Given(f"move {n}", eq(U[n + 1], U[n] - (was if n else first) * U[n]), "a gradient step on x^2/2") for n in range(4)
)
_A_RULES = tuple(
    g
    for n, (last, ratio) in enumerate(((first, theta_0), (was, was / first), (was, Integer(1))), 1)
    for g in rule(str(n), was, last, ratio, (U[n] - U[n - 1]) ** 2, (U[n] - U[n - 1]) ** 2)
)
_A_SUPPOSED = (*_A_MOVES, *_A_RULES)


def apart(n: int, weight: Expr) -> Expr:
    """Return (5) in round n under reading A, with the weight of the earlier values."""
    return (1 + U[n]) ** 2 / 2 + (U[n] - U[n - 1]) ** 2 / 2 + weight * U[n - 1] ** 2


_A_AT = {first: Rational(3, 2), was: Rational(1, 2), theta_0: 1, U[0]: 1}
_A_RUN = {**_A_AT, **{U[n + 1]: -(Rational(1, 2) ** (n + 1)) for n in range(4)}}
READING_A = refuted("L4-A@printed", le(apart(3, 2 * was), apart(2, was)), _A_SUPPOSED, _A_RUN, "Lemma 4",
    "clients that never meet, in round 2")
READING_A_5 = refuted("V-A@printed", le(apart(4, was), apart(3, was)), _A_SUPPOSED, _A_RUN, "(5)",
    "clients that never meet: 27/64 before 115/256")

# Reading C: a client's next point is its step from the shared iterate, on h_i x^2 / 2 ------------------------------------------

h1, h2 = (Symbol(name, positive=True) for name in ("h_1", "h_2"))
X0, X1, X2, Y1, Y2, Z1, Z2 = (number(name) for name in ("x_0", "x_1", "x_2", "y_11", "y_21", "y_12", "y_22"))
_C_SUPPOSED = (
    Given("own 1", eq(Y1, X0 - first * h1 * X0), "client 1's first point"),
    Given("own 2", eq(Y2, X0 - first * h2 * X0), "client 2's first point"),
    Given("mean", eq(X1, (Y1 + Y2) / 2), "the server's mean"),
    Given("next 1", eq(Z1, X1 - s1 * h1 * X1), "client 1's second point"),
    Given("next 2", eq(Z2, X1 - s2 * h2 * X1), "client 2's second point"),
    Given("next mean", eq(X2, (Z1 + Z2) / 2), "the server's mean"),
    *rule("1", s1, first, theta_0, (Y1 - X0) ** 2, h1**2 * (Y1 - X0) ** 2),
    *rule("2", s2, first, theta_0, (Y2 - X0) ** 2, h2**2 * (Y2 - X0) ** 2),
)
_C_31 = le(
    X2**2 + ((Z1 - Y1) ** 2 + (Z2 - Y2) ** 2) / 4 + s1 * (1 + s1 / first) * h1 * Y1**2 / 2 + s2 * (1 + s2 / first) * h2 * Y2**2 / 2,
    X1**2 + ((Y1 - X0) ** 2 + (Y2 - X0) ** 2) / 4 + s1**2 / first * h1 * X0**2 / 2 + s2**2 / first * h2 * X0**2 / 2)


def _c_run() -> dict[Symbol, Any]:
    """Return a run: client 1 is stiff and takes its first entry, client 2 is flat and takes the largest step."""
    at: dict[Symbol, Any] = {h1: 16, h2: Rational(1, 100), first: 1, theta_0: 3, s1: Rational(1, 32), s2: 2, X0: Integer(1)}
    for given in _C_SUPPOSED[:6]:
        at[given.relation.left] = given.relation.right.subs(at)
    return at


READING_C = refuted("L4-C@printed", _C_31, _C_SUPPOSED, _c_run(), "Lemma 4",
    "clients that start each round from their mean")

THEOREMS = (*AMPLIFIED, RISES, READING_B, READING_A, READING_A_5, READING_C)
