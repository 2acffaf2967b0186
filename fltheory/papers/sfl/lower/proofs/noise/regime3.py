"""J at three steps a round: for so few, the decrease of each step is written out, and little of 1 is lost.

From a >= 0 the first step takes lam a, the others lam0 eta sigma / 2 less, as E|x_1| >= eta sigma, and E|x_2| is nearly so.
"""

from __future__ import annotations

from sympy import Abs, Rational, sqrt

from fltheory.papers.sfl.lower.proofs.noise.one_round import LAW, PULL, STEP, SUMS, UNIT, N, P, tau, y
from fltheory.papers.sfl.lower.proofs.noise.with_constants import FAIR, FROM_A, READING, a, catalogued
from fltheory.papers.sfl.notation import eta, lam, lam0, n, sigma
from fltheory.proof import Step, by, eq, le, line, proof
from fltheory.proof.terms import E

HALF = Rational(1, 2)
_THREE, _IF, _BOUND = catalogued("sfl/J-three@strengthened", E(y(N)))
_STEEP, _FLAT, _SIGNS = (lam + lam0) / 2, (lam0 - lam) / 2, tau(1) + tau(2)
_HALVES = _SIGNS / 2
_PLUS, _MINUS = (1 + _HALVES) / 2, (1 - _HALVES) / 2
_KEPT = (1 - eta * lam) * a
_REACH = a + eta * sigma


def step(at: int) -> tuple[Step, ...]:
    """Return a step, and that its sign is fair."""
    move = eq(y(at + 1), y(at) - eta * (P(at) + sigma * tau(at + 1)))
    return (
        line(f"step {at + 1}", move, by.instance({n: at}, "step")),
        line(f"fair {at + 1}", eq(E(tau(at + 1)), 0), by.instance({n: at}, "fair")),
    )


def mean(at: int) -> tuple[Step, ...]:
    """Return the effect of a step on the mean."""
    return (
        line(f"whole {at + 1}", eq(E(y(at + 1)), E(y(at) - eta * (P(at) + sigma * tau(at + 1)))),
            by.expectation(f"step {at + 1}")),
        line(f"mean {at + 1}", eq(E(y(at + 1)), E(y(at)) - eta * E(P(at))),
            by.linear(f"whole {at + 1}", f"fair {at + 1}"), inserting="pull"),
    )


def unit(at: int) -> tuple[Step, ...]:
    """Return a sign is at most 1 and at least -1."""
    t = tau(at)
    return (
        line(f"unit {at}", eq(t**2, 1), by.instance({n: at - 1}, "unit")),
        line(f"below {at}", le(0, (1 - t) ** 2), by.polynomial()),
        line(f"above {at}", le(0, (1 + t) ** 2), by.polynomial()),
        line(f"most {at}", le(t, 1), by.linear(f"below {at}", f"unit {at}")),
        line(f"least {at}", le(-t, 1), by.linear(f"above {at}", f"unit {at}")),
    )


THREE = (
    proof("sfl/J-three", "App. C.2", of="sfl/J-three@strengthened", bound=_BOUND, reading=READING, unused=("c3",))
    .under(*_IF, FROM_A, STEP, SUMS, PULL, UNIT, LAW[1], FAIR)
    .step("3", by.antisymmetry("c5", "c4"))
    .step("short", le(lam0 * eta * N, Rational(1, 101)), by.linear("c1"))
    .step("q", le(lam0 * eta, Rational(1, 303)), by.linear("short", "c4"))
    .step("flat", le(lam * eta, lam0 * eta), by.linear("c2"))
    .step("kept", le(0, 1 - eta * lam), by.linear("flat", "q"))
    .steps(*step(0), *step(1), *step(2), *mean(1), *mean(2), *unit(1), *unit(2))
    # the first step
    .step("size 0", eq(Abs(y(0)), a), by.linear(), inserting="first")
    .step("pull 0", eq(P(0), lam * a), by.linear("first", "size 0"), inserting="pull")
    .step("x_1", eq(y(1), _KEPT - eta * sigma * tau(1)), by.linear("step 1", "first", "pull 0"))
    .step("E x_1 whole", by.expectation("x_1"))
    .step("E x_1", eq(E(y(1)), _KEPT), by.linear("E x_1 whole", "fair 1"))
    # E|x_1| >= eta sigma
    .step("up", by.fact("abs", y(1)))
    .step("down", by.fact("abs", -y(1)))
    .step("against", le(-tau(1) * y(1), Abs(y(1))), by.linear("down", "up", "most 1", "least 1"))
    .step("product", eq(-tau(1) * y(1), eta * sigma - _KEPT * tau(1)), by.linear("x_1", "unit 1"))
    .step("far 1 pathwise", le(eta * sigma - _KEPT * tau(1), Abs(y(1))), by.linear("against", "product"))
    .step("far 1 mean", by.expectation("far 1 pathwise"))
    .step("far 1", le(eta * sigma, E(Abs(y(1)))), by.linear("far 1 mean", "fair 1"))
    # |x_1| <= a + eta sigma
    .step("near up", le(y(1), _REACH), by.linear("x_1", "least 1"))
    .step("near down", le(-y(1), _REACH), by.linear("x_1", "most 1", "kept"))
    .step("near", by.absolute("near up", "near down"))
    .step("near mean", le(E(Abs(y(1))), E(_REACH)), by.expectation("near"))
    .step("pull 1 up", le(P(1), lam0 * Abs(y(1))), by.linear("up", "c2"), inserting="pull")
    .step("pull 1 down", le(-P(1), lam0 * Abs(y(1))), by.linear("down"), inserting="pull")
    # E|x_2|
    .step("up 2", by.fact("abs", y(2)))
    .step("down 2", by.fact("abs", -y(2)))
    .step("two up", le(_HALVES, 1), by.linear("most 1", "most 2"))
    .step("two down", le(-_HALVES, 1), by.linear("least 1", "least 2"))
    .step("against 2", le(-_HALVES * y(2), Abs(y(2))), by.linear("down 2", "up 2", "two up", "two down"))
    .step("pulled", le(-_HALVES * P(1), lam0 * Abs(y(1))), by.linear("pull 1 down", "pull 1 up", "two up", "two down"))
    .step("far 2 pathwise",
        le(eta * sigma * (1 + tau(1) * tau(2)) - _HALVES * _KEPT - eta * lam0 * Abs(y(1)), Abs(y(2))),
        by.linear("against 2", "step 2", "x_1", "pulled", "unit 1", "unit 2"))
    .step("far 2 mean", by.expectation("far 2 pathwise"))
    .step("apart", eq(E(tau(2) * tau(1)), 0), by.instance({n: 1}, "fair sum"), inserting="sums")
    .step("far 2", le(eta * sigma - eta * lam0 * _REACH, E(Abs(y(2)))),
        by.linear("far 2 mean", "apart", "fair 1", "fair 2", "near mean"))
    # the decrease of the steps
    .step("pull 1", eq(E(P(1)), _STEEP * E(y(1)) - _FLAT * E(Abs(y(1)))), by.linear(), inserting="pull")
    .step("pull 2", eq(E(P(2)), _STEEP * E(y(2)) - _FLAT * E(Abs(y(2)))), by.linear(), inserting="pull")
    .step("no more", by.expectation("pull 1 down"))
    .step("E x_2", le(E(y(2)), a + eta * lam0 * _REACH), by.linear("mean 2", "E x_1", "no more", "near mean"))
    .step("flatter", le(0, _FLAT), by.linear("c2"))
    .step(
        "end",
        le(
            a
            - eta * lam * a
            - eta * (_STEEP * a - _FLAT * eta * sigma)
            - eta * (_STEEP * (a + eta * lam0 * _REACH) - _FLAT * (eta * sigma - eta * lam0 * _REACH)),
            E(y(3)),
        ),
        by.linear(
            {
                "mean 3": -1,
                "mean 2": -1,
                "E x_1": -1 + eta * _STEEP,
                "pull 1": eta,
                "pull 2": eta,
                "E x_2": eta * _STEEP,
                "far 1": eta * _FLAT,
                "far 2": eta * _FLAT,
            },
            "flatter",
        ),
    )
    .step("steps", le(0, N), by.linear())
    .step("root", by.power(HALF, "steps", "c5"))
    .step("size of it", le(N ** Rational(3, 2), 3 * sqrt(3)), by.linear("root", "c5"))
    .step("number", le(Rational(57, 100) * sqrt(3), Rational(99, 100)), by.ball(()))
    .step("end there", le(a - 2 * eta * lam0 * a + Rational(99, 100) * lam0 * eta**2 * sigma, E(y(3))),
        by.linear("end", "c2", "q"))
    .step("whole round", eq(E(y(N)), E(y(3))), by.linear(), inserting="3")
    .qed(
        _THREE,
        by.linear(
            {
                "end there": 1,
                "whole round": -1,
                "3": -Rational(2, 3) * lam0 * eta * a,
                "size of it": Rational(19, 100) * lam0 * eta**2 * sigma,
                "number": lam0 * eta**2 * sigma,
            }
        ),
        name="round",
    )
)
THEOREMS = (THREE,)
