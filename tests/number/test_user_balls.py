"""Balls as a user's step sees them: what is certain is told, what isn't asks for more digits."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Entry
from fltheory.evidence.exact import exact_ball
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.number.elements import (
    Ball,
    ExactInt,
    ExactRational,
    NotExact,
    RoundNumber,
    RoundNumberInBalls,
    Undecided,
    unwrap_exact,
)
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import LastGap
from fltheory.runs.method import NotEnumerable
from fltheory.verification import find

THIRD = Ball(arb(fmpq(1, 3)))  # a ball around 1/3
EXACTLY = Ball(arb(2))


def test_arithmetic_reads_the_other_side_as_printed() -> None:
    for found, value in (
        (THIRD + 0.1, Fraction(13, 30)),
        (1 - THIRD, Fraction(2, 3)),
        (THIRD * ExactRational(fmpq(3, 4)), Fraction(1, 4)),
        (ExactRational(fmpq(3, 4)) / THIRD, Fraction(9, 4)),
        (EXACTLY**3, Fraction(8)),
        (np.float64(0.5) * EXACTLY, Fraction(1)),
    ):
        assert isinstance(found, Ball)
        assert found.value.contains(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("function", [np.sqrt, np.exp, np.log, np.sin, np.cos, np.tanh])
def test_functions_of_numpy_enclose_their_values(function: Callable[[Any], Any]) -> None:
    (found,) = function(np.array([EXACTLY], dtype=object))
    assert found.value.overlaps(arb(float(function(2.0)), 1e-15))
    assert np.linalg.norm(np.array([[EXACTLY, EXACTLY]], dtype=object), axis=1)[0].value.overlaps(arb(8).sqrt())


def test_comparisons_are_certain_or_undecided() -> None:
    assert THIRD < 0.5
    assert not THIRD >= 1
    assert EXACTLY == 2
    assert EXACTLY != 3
    assert THIRD < math.inf
    for open_ in (lambda: THIRD == Fraction(1, 3), lambda: THIRD * 3 > 1, lambda: bool(THIRD * 3 - 1)):
        with pytest.raises(Undecided):
            open_()
    with pytest.raises(NotExact):
        float(THIRD)
    with pytest.raises(Undecided):
        (THIRD * 3 - 1).sqrt()  # perhaps of a negative number
    assert (math.floor(EXACTLY), math.ceil(THIRD), int(-THIRD)) == (2, 1, 0)
    with pytest.raises(Undecided):
        math.floor(THIRD * 3)


def normalised(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    slope = oracle.gradient(x, 0)
    return x - c.step_size * slope / np.linalg.norm(slope, axis=1, keepdims=True)


def test_a_root_is_followed_in_balls_to_the_exact_value() -> None:
    """From (3, 4) along the unit vector (3, 4)/5, twice by 1/2 and rationally: 4/5 of the way is left."""
    case = Case(QuadraticClients(((1, 1),), ((0, 0),), (3, 4)), n_rounds=2, n_local_steps=1, step_size="1/2")
    measured = exact_ball(LastGap(), Algorithm("normalised", normalised), case)
    assert measured.value.contains(fmpq(8))
    assert float(measured.value.rad()) < 1e-12


def test_more_digits_decide_what_the_first_leave_open() -> None:
    """A comparison with a number a little beside 1/3: told at the digits that it needs."""

    def step(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        near = np.sqrt(x * x) > Fraction(1, 3) + Fraction(1, 10**60)
        return np.where(near, x * 0 + 1, x / 2)

    case = Case(QuadraticClients((1,), (0,), "1/3"), n_rounds=1, n_local_steps=1, step_size=1)
    measured = exact_ball(LastGap(), Algorithm("beside", step), case)
    assert measured.value.overlaps(arb(fmpq(1, 72)))
    assert ctx.prec == 53


# Numbers that are no decimals ------------------------------------------------------------------------------------------


def averaged(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """Parallel averaging with the weight 1/M written as such."""
    new = 0 * x
    for client in range(c.n_clients):
        new = new + 1 / c.n_clients * (x - c.step_size * oracle.gradient(x, client))
    return new


def of_a_third(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    return x - (1 / 3) * oracle.gradient(x, 0)


def judged(step: Any, case: Case) -> Verdict:
    claim = find("sfl/T7@explicit")
    return check_claim(claim.__class__(**{**vars(claim), "algorithm": Algorithm("mine", step), "entry": Entry()}), case)


def test_quotients_of_counts_are_exact() -> None:
    """The method of the theorem itself is not violated by what 1/3 was rounded to."""
    clients = QuadraticClients((1, 1, 1), (-1, -1, -1), 2)
    verdict = judged(averaged, Case(clients, n_rounds=1200, n_local_steps=1, step_size="1/7"))
    assert (verdict.status, verdict.evidence) == ("holds", "exact"), str(verdict)
    count = ExactInt(3)
    for found, value in (
        (1 / count, Fraction(1, 3)),
        (count / (count + 1), Fraction(3, 4)),
        (count**-2, Fraction(1, 9)),
    ):
        assert found == value
    assert (count + 1, count - 5, 2 * count, -count, list(range(count))) == (4, -2, 6, -3, [0, 1, 2])


def test_a_rounded_number_is_a_ball_around_it() -> None:
    with pytest.raises(NotExact, match="a rounded number"):
        ExactRational(fmpq(1)) * (1 / 3)
    assert (Ball(arb(1)) * (1 / 3)).value.contains(fmpq(1, 3))
    case = Case(QuadraticClients((1,), (0,), 3), n_rounds=2, n_local_steps=1, step_size="1/3")
    measured = exact_ball(LastGap(), Algorithm("third", of_a_third), case)
    assert float(measured.value.rad()) < 1e-12
    assert float(measured.value.mid()) == pytest.approx(4.5 * (2 / 3) ** 4)


def test_a_tie_that_floats_miss_refutes_nothing() -> None:
    """Sign descent lands on 0 exactly; in floats it goes to and fro around it for ever."""

    def sign_descent(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        return x - c.step_size * np.sign(oracle.gradient(x, 0))

    clients = QuadraticClients((1,), (0,), 3)
    verdict = judged(sign_descent, Case(clients, n_rounds=401, n_local_steps=1, step_size="1/10"))
    assert verdict.status != "violated", str(verdict)

    def rooted(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        one = np.sqrt(c.n_rounds * 0 + c.step_size) / np.sqrt(c.step_size)
        return x - one * c.step_size * np.sign(oracle.gradient(x, 0))

    verdict = judged(rooted, Case(clients, n_rounds=401, n_local_steps=1, step_size="1/10"))
    assert verdict.status != "violated", str(verdict)


def test_rationals_that_grow_too_long_are_left_to_balls() -> None:
    def soft(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
        for client in range(c.n_clients):
            slope = oracle.gradient(x, client)
            x = x - c.step_size * slope / (1 + slope * slope)
        return x

    case = Case(QuadraticClients((1, 1), (1, "-1/3"), 0), n_rounds=12, n_local_steps=1, step_size="1/2")
    measured = exact_ball(LastGap(), Algorithm("soft", soft), case)
    assert 0 < float(measured.value.mid()) < 1
    assert float(measured.value.rad()) < 1e-12


def normed_in_turn(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    for client in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * np.sign(oracle.gradient(x, client, k) ** 3)  # a power: no form is compared
    return x


def test_courses_that_end_alike_are_followed_while_that_is_quick() -> None:
    """Far from the optimum noise turns no sign: the courses are one, however many ways lead there; each takes its time."""
    clients = QuadraticClients((1, "1/10"), (1, -1), 3, noise_std="1/2")
    sign = Algorithm("signs", normed_in_turn)
    short = Case(clients, n_rounds=40, n_local_steps=1, step_size="1/360")
    long = Case(clients, n_rounds=1200, n_local_steps=3, step_size="1/360")
    assert float(exact_ball(LastGap(), sign, short).value.rad()) < 1e-12
    one = Algorithm("one", lambda x, oracle, c: x - np.sign(oracle.gradient(x, 0)) / 8)  # asks for no local steps
    assert exact_ball(LastGap(), one, Case(clients, n_rounds=6)).value.is_finite()
    with pytest.raises(NotEnumerable, match="more than 100000 gradients on all paths of a run"):
        exact_ball(LastGap(), sign, long)


def fedadam(x: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
    """With the corrections of its first rounds written in floats, as everybody writes them."""
    change = averaged(x["x"], oracle, c) - x["x"]
    m, v, t = x["m"] * 0.9 + change * 0.1, x["v"] * 0.99 + change**2 * 0.01, c.round + 1
    step = 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.99**t)) + 1e-3)
    return {"x": x["x"] + step, "m": m, "v": v}


def test_powers_of_a_round_are_no_rounded_numbers() -> None:
    """In floats 1 - 0.9**t is off by 1e-17, which no digits mend and a long run makes large: 1,200 rounds stayed open."""
    adam = Algorithm("FedAdam", fedadam, init=lambda x, c: {"x": x, "m": 0 * x, "v": 0 * x})
    clients = QuadraticClients((2, 0), (1, -1), 10)
    claim = find("sfl/T7-GC@explicit")
    case = Case(clients, n_rounds=1200, n_local_steps=3, step_size="1/36")
    verdict = check_claim(claim.__class__(**{**vars(claim), "algorithm": adam, "entry": Entry()}), case)
    assert (verdict.status, verdict.evidence) == ("violated", "exact"), str(verdict)
    assert verdict.measured == pytest.approx(11.151164067858678, rel=1e-9)  # of a loop in plain floats


@pytest.mark.parametrize("kind", [RoundNumber, RoundNumberInBalls])
def test_the_number_of_a_round_is_a_rational_that_counts(kind: type[RoundNumber]) -> None:
    turn: Any = kind(fmpq(3))
    values = (0.9**turn, np.float64(0.9) ** turn, 0.1 * turn, 1 / (turn + 1), turn**-2, turn % 2, 2**turn, turn / 2)
    wanted = (Fraction(729, 1000),) * 2 + (Fraction(3, 10), Fraction(1, 4), Fraction(1, 9), 1, 8, Fraction(3, 2))
    assert values == wanted
    assert all(isinstance(v, ExactRational) for v in values)
    assert ([1, 2, 3, 4][turn], [1, 2, 3][turn % 2], list(range(turn)), np.arange(9)[turn]) == (4, 2, [0, 1, 2], 3)
    assert (f"{turn:d}", {3: "x"}[turn], turn in (1, 3), Fraction(turn), divmod(turn, 2)) == (
        "3",
        "x",
        True,
        Fraction(3),
        (1, 1),
    )
    assert (math.sqrt(turn + 1), np.sqrt(turn + 1), turn & 1, turn >> 1, isinstance(turn, numbers.Integral)) == (
        2,
        2,
        1,
        1,
        True,
    )
    assert Ball(arb(2)) ** turn == 8
    assert (unwrap_exact(turn % 2), type(unwrap_exact(turn % 2)), unwrap_exact(np.full(2, turn)).dtype) == (
        1,
        int,
        np.int64,
    )  # as clients are named
    if kind is RoundNumber:
        with pytest.raises(NotExact):
            np.exp(turn)
    else:
        assert 20.08 < np.exp(turn) < 20.09
        assert 1.73 < turn**0.5 < 1.74
        assert turn ** Fraction(1, 2) != 0
