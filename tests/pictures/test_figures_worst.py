"""The figures of exact worst cases: what is drawn against brackets, runs of real clients, and the library's own descent."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterator
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from figures.__main__ import FOLDER
from figures.worst.loss import PRINTED, SMALL, Chain, Proof, losses
from figures.worst.steps import Round, X, problem, rational, sequential_round
from fltheory.papers.sfl.algorithms import sequential
from fltheory.worst_case.attained import at, attained
from fltheory.worst_case.frames import Whole
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.gram import ONE, Expression, constant, square, total
from fltheory.worst_case.problem import Problem
from fltheory.worst_case.rounds import descent
from fltheory.worst_case.solver import proposed, tabled


def _curves(name: str) -> dict[tuple[int, str], dict[str, float]]:
    """The plotted values of a stored figure: of (number of the panel, curve), x to y."""
    found: dict[tuple[int, str], dict[str, float]] = {}
    with (FOLDER / f"worst_{name}.csv").open() as file:
        for panel, curve, x, y, *_ in list(csv.reader(file))[1:]:
            found.setdefault((int(panel.split(":")[0]), curve), {})[x] = float(y)
    return found


# The loss in each step of a proof ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proof() -> Proof:
    return Proof(sequential_round(2, 2, SMALL))


def test_losses_as_drawn() -> None:
    curves, found = _curves("loss"), losses(2, 2)
    for number, of in ((1, "alone"), (2, "of_spread"), (3, "of_distance")):
        drawn = curves[(number, "$M=2$, $K=2$")]
        assert drawn == pytest.approx({one.name: float(one._asdict()[of]) for one in found}, rel=1e-4)


def test_the_numbers_of_the_proof() -> None:
    """8/3 and 2/3 of U4, 9/4 and 3 of U5, 6 and 1/3 of U6, from its steps at t = 1/6."""
    chain = Chain()
    assert (chain.gain_before, chain.weight) == (Fraction(2, 3), Fraction(8, 3))
    of_gap, of_spread = chain.drifted
    assert (of_gap, of_spread) == (Fraction(48, 17), Fraction(36, 17))
    gain, spread = chain.recursion
    assert gain > PRINTED[0]
    assert spread < PRINTED[1]
    assert PRINTED[1] / PRINTED[0] == 18


def test_what_is_exact_only_makes_the_theorem_sharper() -> None:
    for n_local_steps in (1, 2):
        found = losses(2, n_local_steps)
        assert all(one.alone >= 1 for one in found)
        for before, after in itertools.pairwise(found):
            assert after.of_spread <= before.of_spread * Fraction(100_001, 100_000)
            assert after.of_distance <= before.of_distance * Fraction(100_001, 100_000)


def test_the_last_step_is_the_descent_of_the_library() -> None:
    """At the same gain, by the library's own following of the round."""
    last = losses(2, 2)[-1]
    gain = SMALL / last.of_distance
    found = descent(
        sequential, Smooth(1), gain, n_clients=2, n_local_steps=2, step_size="1/24", heterogeneity_at_optimum=1
    )
    assert found.refused() is None
    assert float(found.spread / gain * 2 / SMALL**2) == pytest.approx(float(last.of_spread), rel=1e-4)


CURVED, TILTED, AWAY = (fmpq(1), fmpq(1, 3)), (fmpq(2), fmpq(-2)), fmpq(3, 2)  # c x^2/2 + b x from x


def _measured(one: Round, expression: Expression) -> fmpq:
    """An expression on two quadratic clients in one dimension, with their minimum at 0."""
    vectors = [AWAY, *TILTED, *[fmpq(0)] * len(one.record.made)]
    values = {}
    for (client, point), index in one.record.asked:
        y = sum((c * vectors[i] for i, c in point), fmpq(0))
        vectors[index] = CURVED[client] * y + TILTED[client]
        values[index] = CURVED[client] * y**2 / 2 + TILTED[client] * y
    column = fmpq_mat(len(vectors), 1, vectors)
    return at(expression, column * column.transpose(), values)


def test_expressions_are_what_they_say(proof: Proof) -> None:
    """On quadratic clients, whose round is run here for both orders."""
    one, eta, moves, squares, ends, slopes = proof.one, rational(proof.one.eta), fmpq(0), fmpq(0), fmpq(0), fmpq(0)
    for order in ((0, 1), (1, 0)):
        x, gradients, slope = AWAY, fmpq(0), fmpq(0)
        for client in order:
            for _ in range(2):
                moves += (x - AWAY) ** 2 / 2
                slopes += slope**2 / 2
                slope += CURVED[client] * AWAY
                gradient = CURVED[client] * x + TILTED[client]
                gradients, x = gradients + gradient, x - eta * gradient
        squares += gradients**2 / 2
        ends += x**2 / 2
    assert _measured(one, one.drift) == moves
    assert _measured(one, one.whole(one.gradient)) == squares
    assert _measured(one, one.growth) == ends - AWAY**2
    assert _measured(one, one.so_far(one.slope_part)) == slopes
    assert _measured(one, one.gap) == sum(CURVED) * AWAY**2 / 4
    assert _measured(one, one.heterogeneity) == 4
    for name, left, right, enough in _sides(proof):
        assert _measured(one, left) <= rational(enough) * _measured(one, right), name


def _sides(proof: Proof) -> Iterator[tuple[str, Expression, Expression, Fraction]]:
    """Inequalities of the proof as the figure has them, with the factor that is enough."""
    one, eta = proof.one, rational(proof.one.eta)
    chain = Chain()
    yield "sum", one.whole(one.gradient), total((4 * fmpq(4), one.drift), (8 * fmpq(16), one.gap)), proof.squared(chain)
    pull = total((-2 * eta, one.pull), (rational(2 * SMALL), one.gap))
    yield "pull", pull, one.drift.times(2 * eta), proof.pull(chain)
    u6 = total((ONE, one.growth), (rational(SMALL / 3), one.gap))
    yield "U6", u6, one.heterogeneity.times(rational(3 * SMALL**3)), proof.recursion(*PRINTED)


def test_what_is_proved_is_attained(proof: Proof) -> None:
    """Up to a hundredth, by clients that start within a distance of 100."""
    for name, left, right, enough in _sides(proof):
        asked = problem(proof.one, left, right)
        near = ("distance",), total((ONE, square(X)), (fmpq(-10_000), constant(ONE)))
        limited = Problem(asked.record, asked.functions, (*asked.known, near), left)
        told = Whole(limited)
        table = tabled(limited, told)
        lower = max(
            (
                found.lower
                for room in (1e-8, 1e-7, 1e-6, 1e-5)
                if (found := attained(limited, told, proposed(table, room)))
            )
        )
        assert 0.99 * float(enough) <= int(lower.p) / int(lower.q) <= float(enough), name
