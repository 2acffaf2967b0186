"""The figures of exact worst cases: what is drawn against brackets, runs of real clients, and the library's own descent."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

from figures.__main__ import FOLDER
from figures.worst.loss import FALL, PRINTED, SMALL, Chain, Proof, proof_losses
from figures.worst.steps import START_VECTOR, Inequality, Round, fraction, rational, sequential_round, without_optimum
from fltheory import Algorithm
from fltheory.papers.sfl.algorithms import fixed_order, parallel, sequential
from fltheory.plotting.picture import BarPanel, Bars, Picture, table
from fltheory.plotting.plot import draw
from fltheory.runs.measures import LastDistance
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.gram import ONE, Expression, combine_expressions, constant, square
from fltheory.worst_case.lower_bounds import attaining_instance, evaluate_expression
from fltheory.worst_case.one_round import descent
from fltheory.worst_case.solver import make_table, propose
from fltheory.worst_case.symmetry_reduction import WholeFrame
from fltheory.worst_case.two_sided import worst_case
from fltheory.worst_case.whole_run import Bracket
from tests.test_examples import example


def _curves(name: str) -> dict[tuple[int, str], dict[str, float]]:
    """The plotted values of a stored figure: of (number of the panel, curve), x to y."""
    found: dict[tuple[int, str], dict[str, float]] = {}
    with (FOLDER / f"worst_{name}.csv").open() as file:
        for panel, curve, x, y, *_ in list(csv.reader(file))[1:]:
            found.setdefault((int(panel.split(":")[0]), curve), {})[x] = float(y)
    return found


# Rounds against the step, and who wins ----------------------------------------------------------------------------------


def bracket_of(method: Algorithm, spread: object, step: object, n_clients: int = 3, n_rounds: int = 1) -> Bracket:
    return worst_case(
        method,
        Smooth(1, "1/10"),
        LastDistance(),
        n_clients=n_clients,
        n_local_steps=2,
        n_rounds=n_rounds,
        initial_distance=1,
        heterogeneity_at_optimum=spread,
        step_size=step,
    )


def test_rounds_as_drawn() -> None:
    """Against brackets of both sides."""
    curves = _curves("round")
    for panel, name, x, found in (
        (1, "SFL, fresh random order", "0.6", bracket_of(sequential, 1, "1/10")),
        (1, "SFL, clients in a fixed order", "0.6", bracket_of(fixed_order, 1, "1/10")),
        (1, "PFL", "0.6", bracket_of(parallel, 1, "3/10")),
        (2, "SFL, fresh random order", "0.4", bracket_of(sequential, 4, "1/10", 2, 2)),
        (2, "SFL, one random order kept", "0.4", bracket_of(example("shuffle_once").claim.algorithm, 4, "1/10", 2, 2)),
    ):
        assert found.lower is not None
        assert found.upper is not None
        assert float(found.lower) - 2e-6 <= curves[(panel, name)][x] <= float(found.upper) + 2e-6
    for panel, rounds in ((1, 1), (2, 2)):
        for x, y in curves[(panel, "gradient descent on $F$")].items():
            assert y == pytest.approx((1 - float(x) / 10) ** (2 * rounds), rel=1e-5)


def test_one_random_order_kept_lies_between_a_fresh_and_a_fixed_one() -> None:
    curves = _curves("round")
    fresh, once, fixed = (
        curves[(2, f"SFL, {name}")]
        for name in ("fresh random order", "one random order kept", "clients in a fixed order")
    )
    assert all(fresh[x] < once[x] < fixed[x] for x in fresh)


def test_what_a_round_adds_as_drawn() -> None:
    """The recursion above the exact number, this above the lower bound's instances, these above what it grants."""
    ordered = list(_curves("between").values())
    assert len(ordered) == 4
    for above, below in itertools.pairwise(ordered):
        assert all(above[x] > below[x] for x in below)
    at = f"{1 / 6:.6g}"
    assert ordered[0][at] == pytest.approx(3 / 6**3, rel=1e-5)
    ends = []
    for curvature in range(1, 9):  # both orders of the clients c x^2/2 +- x from 0, two steps of 1/24 each
        keep = (1 - Fraction(curvature, 8 * 24)) ** 2
        part = (1 - keep) / Fraction(curvature, 8)
        ends.append((part * (1 - keep)) ** 2)
    assert ordered[2][at] == pytest.approx(float(max(ends)), rel=1e-5)


# The loss in each step of a proof ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proof() -> Proof:
    return Proof(sequential_round(2, 2, SMALL))


def test_losses_as_drawn() -> None:
    curves, found = _curves("loss"), proof_losses(2, 2)
    for number, of in ((1, "of_spread"), (2, "of_distance")):
        drawn = curves[(number, FALL)]
        assert drawn == pytest.approx({one.name: float(one._asdict()[of]) for one in found}, rel=1e-4)


def test_a_step_of_the_waterfall_starts_where_the_last_one_ended() -> None:
    with (FOLDER / "worst_loss.csv").open() as file:
        found = [(panel, float(y), float(low)) for panel, _, _, y, low, *_ in list(csv.reader(file))[1:]]
    for before, after in itertools.pairwise(found):
        assert before[0] != after[0] or after[2] == before[1] >= after[1]


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
        found = proof_losses(2, n_local_steps)
        assert all(one.alone >= 1 for one in found)
        for before, after in itertools.pairwise(found):
            assert after.of_spread <= before.of_spread * Fraction(100_001, 100_000)
            assert after.of_distance <= before.of_distance * Fraction(100_001, 100_000)


def test_the_last_step_is_the_descent_of_the_library() -> None:
    """At the same gain, by the library's own following of the round."""
    last = proof_losses(2, 2)[-1]
    gain = SMALL / last.of_distance
    found = descent(
        sequential, Smooth(1), gain, n_clients=2, n_local_steps=2, step_size="1/24", heterogeneity_at_optimum=1
    )
    assert found.refused() is None
    assert float(found.spread / gain * 2 / SMALL**2) == pytest.approx(float(last.of_spread), rel=1e-4)


def test_bars_are_drawn_and_tabled() -> None:
    bars = (Bars("one", (1.0, 4.0), "measured"), Bars("other", (2.0, 8.0), "bound"))
    panel = BarPanel("title", "factor", ("first", "second"), bars)
    picture = Picture("", (panel, replace(panel, named=False)), columns=2)
    assert [(row[1], row[2], row[3]) for row in table(picture)[1:5]] == [
        ("one", "first", "1"),
        ("one", "second", "4"),
        ("other", "first", "2"),
        ("other", "second", "8"),
    ]
    left, right = draw(picture).axes
    assert [text.get_text() for text in left.get_yticklabels()] == ["first", "second"]
    assert [text.get_text() for text in right.get_yticklabels()] == ["", ""]
    ends = [patch.get_x() + patch.get_width() for patch in left.patches]
    assert ends == [1, 4, 2, 8]
    assert left.get_xlim()[0] == 1
    assert left.yaxis.get_inverted()


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
    return evaluate_expression(expression, column * column.transpose(), values)


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
    for name, step in _statements(proof).items():
        assert _measured(one, step.left) <= rational(step.enough()) * _measured(one, step.right), name


def _statements(proof: Proof) -> dict[str, Inequality]:
    chain = Chain()
    steps = (proof.pull, proof.jensen, proof.jensen_before, proof.squared, proof.round, proof.moves, proof.drift)
    return {**{step.__name__: step(chain) for step in steps}, "recursion": proof.recursion(*PRINTED)}


def test_what_knows_of_the_optimum_is_not_proved_apart_from_it(proof: Proof) -> None:
    one = proof.one
    right = combine_expressions((ONE, one.drift), (ONE, one.heterogeneity))
    with pytest.raises(ValueError, match="gradients at x"):
        Inequality(one, one.whole(one.drift_part), right, without_optimum).enough()


def test_what_is_proved_is_attained(proof: Proof) -> None:
    """Up to a thousandth, by clients that start within a distance of 100."""
    near = ("distance",), combine_expressions((ONE, square(START_VECTOR)), (fmpq(-10_000), constant(ONE)))
    for name, step in _statements(proof).items():
        asked = step.problem()
        limited = replace(asked, known=(*asked.known, near), objective=step.left, free=False)
        told = WholeFrame(limited)
        table = make_table(limited, told)
        found = (attaining_instance(limited, told, propose(table, room)) for room in (1e-8, 1e-7, 1e-6, 1e-5))
        lower = max(float(fraction(one.lower)) for one in found if one is not None)
        enough = float(step.enough())
        assert 0.999 * enough <= lower <= enough, name
