"""What the paper prints of Lemma 4, (5) and Theorem 5 and is false, at exact numbers; and what the first entry would need.

The Huber function is written with absolute values, points in the plane by their coordinates.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol

from fltheory.proof.language import Given, Relation, Step, Theorem, Witness, eq, le
from fltheory.symbols import amplifier as gamma
from fltheory.symbols import initial_ratio as theta_0


def number(name: str, **kind: bool) -> Symbol:
    """A real number."""
    return Symbol(name, real=True, **kind)


def refuted(
    name: str, claim: Relation, supposed: tuple[Given, ...], at: dict[Symbol, Any], place: str, note: str
) -> Theorem:
    """A statement that is false at these numbers, at which all that it supposes holds."""
    step = Step("1", claim, Witness(at), tuple(g.id for g in supposed), expected="REFUTED", note=note)
    return Theorem(f"delta_sgd/{name}@printed", claim, supposed, (step,), "REFUTED", place=place, note=note)


# Amplifiers above 1: one client with the Huber function, which is x^2/2 in [-1, 1] and has slope 1 or -1 outside --------------


def huber(x: Expr) -> Expr:
    """The Huber function."""
    return (Abs(x + 1) * (x + 1) - Abs(x - 1) * (x - 1)) / 4 - Rational(1, 2)


def slope(x: Expr) -> Expr:
    """Its derivative."""
    return (Abs(x + 1) - Abs(x - 1)) / 2


POINTS = tuple(number(f"x_{n}") for n in range(4))
STEPS = tuple(Symbol(f"eta_{n}", positive=True) for n in range(3))
_MOVES = tuple(
    Given(f"move {n}", eq(POINTS[n + 1], POINTS[n] - STEPS[n] * slope(POINTS[n])), "a gradient step") for n in range(3)
)
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
_31 = le(
    _3**2 + (_3 - _2) ** 2 / 2 + 2 * (STEPS[2] + _WEIGHT) * huber(_2),
    _2**2 + (_2 - _1) ** 2 / 2 + 2 * _WEIGHT * huber(_1),
)


def run(amplifier: Expr) -> dict[Symbol, Expr]:
    """The run from 2003/20 with the steps 100 and then the first entries."""
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
        f"L4-amplifier-{amplifier.p}-{amplifier.q}", _31, (*_MOVES, *_ENTRIES, *_CAPS), run(amplifier), "Lemma 4",
        f"one client, the amplifier {amplifier}: the Huber function, in the second step",
    )
    for amplifier in (Rational(7, 5), Integer(2))
)  # fmt: skip
THEOREMS = AMPLIFIED
