"""The exact law of a user's step: equal to the library's where the step is affine, refused where it isn't."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import quantity, theorem, verify
from fltheory.evidence.exact import exact_ball, exact_rational
from fltheory.model.case import Case
from fltheory.number import BALL, RATIONAL, to_ball
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import run_constants
from fltheory.runs.distributions.affine import Form, NotAffine, affine_blocks
from fltheory.runs.measures import LastDistance, LastGap
from fltheory.runs.method import NotEnumerable

RUN = {"n_rounds": 3, "n_local_steps": 2, "step_size": "1/10"}
NOISY = QuadraticClients(((1, "1/10"), ("1/3", 2)), ((1, 0), (-2, 3)), (1, -1), ("1/7", 2))


def joint(block_list, ring):
    """E[x~] of the library's blocks as the first-moment matrix of all coordinates at once."""
    d = sum(len(b.coordinates) for b in block_list)
    first = ring.identity(d + 1)
    for block in block_list:
        for a, i in enumerate(block.coordinates):
            first[i + 1, 0] = block.law.first[a + 1, 0]
            for b, j in enumerate(block.coordinates):
                first[i + 1, j + 1] = block.law.first[a + 1, b + 1]
    return first


@given(
    st.sampled_from(
        [
            (algorithms.sequential, None),
            (algorithms.parallel, None),
            (algorithms.sequential, 1),
            (algorithms.parallel, 1),
        ]
    ),
    st.sampled_from([1, Fraction(3, 2)]),
)
def test_the_law_found_from_the_step_is_the_librarys(choice, server):
    algorithm, size = choice
    case = Case(NOISY, **RUN, server_step_size=server, n_participating=size or 2)
    (block,) = affine_blocks(algorithm, case, RATIONAL)
    own = algorithm.law(NOISY, run_constants(case, RATIONAL), RATIONAL)
    assert block.law.first == joint(own, RATIONAL)
    for i, part in enumerate(own):  # second moments of each coordinate: entries of (1, x_i) (x) (1, x_i)
        n, pick = 3, (0, i + 1)
        rows = [a * n + b for a in pick for b in pick]
        for r, row in enumerate(rows):
            for c, column in enumerate(rows):
                assert block.law.second[row, column] == part.law.second[r, c]


@given(
    st.sampled_from(
        [
            algorithms.sequential,
            algorithms.parallel,
            algorithms.random_reshuffling,
            algorithms.fixed_order,
            algorithms.sgd,
        ]
    )
)
def test_values_of_steps_and_of_laws_agree(algorithm):
    case = Case(NOISY, **RUN)
    mine = Algorithm("mine", algorithm.step)
    value = exact_rational(LastGap(), mine, case).value
    assert exact_ball(LastGap(), mine, case).value.overlaps(to_ball(value))
    assert value == exact_rational(LastGap(), algorithm, case).value


def test_ball_and_rational_laws_exist_for_curvatures_that_floats_cannot_hold():
    """1/10 and 1/3 are no exact balls: the step must still be seen as linear."""
    for ring in (RATIONAL, BALL):
        assert affine_blocks(Algorithm("mine", algorithms.sequential_step), Case(NOISY, **RUN), ring) is not None


def test_a_step_whose_coordinates_mix():
    """A rotation of the gradient: checked against powers of its matrix."""
    instance = QuadraticClients(((1, 1), (1, 1)), ((0, 0), (0, 0)), (1, 0))
    turn = np.array([[0, -1], [1, 0]])

    def step(x, oracle, c):
        return x - c.step_size * (oracle.gradient(x, 0) @ turn)

    case = Case(instance, **RUN)
    mine = Algorithm("turning", step)
    eta = Fraction(1, 10)
    matrix = [[1, 0], [0, 1]]
    for _ in range(3):
        (a, b), (p, q) = matrix
        matrix = [[a - eta * b, b + eta * a], [p - eta * q, q + eta * p]]
    x = [matrix[0][0], matrix[0][1]]
    assert exact_rational(LastGap(), mine, case).value == sum(v * v for v in x) / 2


def test_floats_in_a_step_are_read_as_printed():
    instance = QuadraticClients((1, 1), (0, 0), 1)
    half = Algorithm("half", lambda x, oracle, c: 0.1 * x + np.float64(0.4) * x - x * 2 / 5)
    assert exact_rational(LastGap(), half, Case(instance, **{**RUN, "n_rounds": 1})).value == Fraction(1, 200)


NONLINEAR = {
    "clip": lambda x, oracle, c: np.clip(x - c.step_size * oracle.gradient(x, 0), -1, 1),
    "sign": lambda x, oracle, c: x - c.step_size * np.sign(oracle.gradient(x, 0)),
    "square": lambda x, oracle, c: x - c.step_size * x * x,
    "power": lambda x, oracle, c: x - c.step_size * x**2,
    "abs": lambda x, oracle, c: x - c.step_size * np.abs(x),
    "maximum": lambda x, oracle, c: np.maximum(x, 0 * x),
    "where": lambda x, oracle, c: np.where(x > 0, x / 2, x),
    "equal": lambda x, oracle, c: np.where(x == 0, x + 1, x),
    "divide": lambda x, oracle, c: 1 / (2 + x),
    "tanh": lambda x, oracle, c: np.tanh(x),
    "norm": lambda x, oracle, c: x / (1 + np.linalg.norm(x, axis=-1, keepdims=True)),
    "float": lambda x, oracle, c: x.astype(float) / 2,
    "sort": lambda x, oracle, c: np.sort(x, axis=-1),
    "any": lambda x, oracle, c: x / 2 if x.any() else x,
}


@pytest.mark.parametrize("name", sorted(NONLINEAR))
@pytest.mark.parametrize("ring", [RATIONAL, BALL], ids=str)
def test_a_step_that_is_not_affine_is_refused(name, ring):
    on_edge = name in ("any", "equal", "sign", "where")  # elsewhere what they compare always comes out alike
    instance = QuadraticClients(((1, 1), (2, 1)), ((1, 0), (-1, 0)), (0, 0) if on_edge else (2, -1))
    assert affine_blocks(Algorithm(name, NONLINEAR[name]), Case(instance, **RUN), ring) is None


def test_forms_refuse_what_is_not_linear():
    one = RATIONAL.scalar(1)
    x, constant = Form({1: one}, RATIONAL), Form({0: one * 3}, RATIONAL)
    assert ((x + 1) * 2 - x / 2 - 2).terms[1] == RATIONAL.scalar(Fraction(3, 2))
    assert (constant * x).terms == {1: 3}
    assert (1 - x).terms == {1: -1, 0: 1}
    for operation in (lambda: x * x, lambda: x < 1, lambda: x**2, lambda: bool(x), lambda: float(x), lambda: x == x):
        with pytest.raises(NotAffine):
            operation()


@pytest.mark.parametrize("name", ["clip", "sign", "where", "square", "equal", "maximum"])
def test_a_refused_step_falls_back_to_courses_and_is_still_exact(name):
    """Deterministic and short: the run in rationals is the truth, also where a comparison is a tie."""
    instance = QuadraticClients(((1, 1), (2, 1)), ((1, 0), (-1, 0)), (2, -1))
    case = Case(instance, **{**RUN, "step_size": "1/10"})
    mine = Algorithm(name, NONLINEAR[name])
    rational = exact_rational(LastGap(), mine, case)
    floats = np.array([[2.0, -1.0]])

    class Plain:
        def gradient(self, x, client, k=0):
            return instance.gradient(x, client)

    for _ in range(3):
        floats = NONLINEAR[name](floats, Plain(), run_constants(case, None))
    assert float(rational.value) == pytest.approx(float(instance.gap(floats)[0]), rel=1e-12)
    assert exact_ball(LastGap(), mine, case).value.overlaps(to_ball(rational.value))


def test_a_tie_is_not_decided_by_rounding():
    """1 - 10 * (1/10) is 0: a step that asks for x >= 0 must see it, which no ball of 1/10 can."""

    def step(x, oracle, c):
        x = x - 10 * c.step_size * oracle.gradient(x, 0)
        return np.where(x >= 0, x + 1, x - 1)

    case = Case(QuadraticClients((1,), (0,), 1), n_rounds=1, n_local_steps=1, step_size="1/10")
    value = exact_ball(LastGap(), Algorithm("tie", step), case).value
    assert value == to_ball(Fraction(1, 2))
    left = Case(QuadraticClients((1,), ("1/3",), 1), n_rounds=1, n_local_steps=1, step_size="1/10")
    assert exact_ball(LastGap(), Algorithm("tie", step), left).value.overlaps(to_ball(Fraction(1, 2)))


def test_a_step_that_no_exact_number_allows_is_left_to_statistics():
    with pytest.raises(NotEnumerable):
        exact_ball(LastGap(), Algorithm("float", NONLINEAR["float"]), Case(NOISY, **RUN))


def test_a_step_that_forgets_its_state_is_affine():
    (block,) = (
        affine_blocks(Algorithm("ones", lambda x, oracle, c: np.ones_like(x)), Case(NOISY, **RUN), RATIONAL) or ()
    )
    assert block.law.first.table()[1] == [1, 0, 0]


def test_asking_for_absent_clients_is_refused():
    everyone = Algorithm("all", algorithms.random_reshuffling_step)
    assert affine_blocks(everyone, Case(NOISY, **RUN, n_participating=1), RATIONAL) is None
    assert affine_blocks(everyone, Case(NOISY, **RUN), RATIONAL) is not None


@pytest.mark.parametrize("draw", ["coin", "choice"])
def test_a_probability_that_depends_on_the_point_is_enumerated(draw: str) -> None:
    """Such a step has no affine moments: all its paths are followed, with E|x_2|² by hand."""

    def step(x: Any, oracle: Any, c: Any) -> Any:
        chance = x[:, 0] / 4
        down = oracle.coin(chance) if draw == "coin" else oracle.choice(np.stack([1 - chance, chance], axis=1)) == 1
        return x - np.where(down, 1, 0)[:, None] / 8 * (0 * x + 1)

    def mean_square(x: Fraction, rounds: int) -> Fraction:
        if not rounds:
            return x * x
        return x / 4 * mean_square(x - Fraction(1, 8), rounds - 1) + (1 - x / 4) * mean_square(x, rounds - 1)

    value = mean_square(Fraction(1), 2)
    for bound, status in ((value, "holds"), (value - Fraction(1, 10**9), "violated")):
        claim = theorem(
            "X: a coin of the point",
            quantity <= bound,
            algorithm=Algorithm("a", step),
            measure=LastDistance(),
            cases=[Case(QuadraticClients((1,), (0,), 1), n_rounds=2)],
            key="x",
        )
        found = verify(claim)
        assert (found.status, found.evidence) == (status, "exact")
