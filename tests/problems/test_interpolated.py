"""Clients between data: they take the data, belong to their class, and balls contain what they are at rational points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import symbols
from fltheory.model.case import Case
from fltheory.number.linear import solve_lcp
from fltheory.problems.interpolated import InterpolatedClients
from fltheory.runs import assumptions as assume
from fltheory.work import work_limit

# |x|^2 / 2 up to 1 and |x| - 1/2 beyond, by its data at 0 and 2.
HUBER = InterpolatedClients(points=((0, 2),), gradients=((0, 1),), values=((0, "3/2"),), start=2)
TWO = InterpolatedClients(
    points=(((0, 0), (1, 0)), ((0, 0), (1, 1))),
    gradients=(((1, 0), ("17/10", "1/10")), ((-1, 0), ("-3/5", "7/10"))),
    values=((0, "27/20"), (0, "-9/20")),
    start=(1, 1),
    strong_convexity="1/10",
)


def rationals(*values: object) -> np.ndarray:
    found = np.empty((1, len(values)), dtype=object)
    found[0] = [fmpq(Fraction(str(v)).numerator, Fraction(str(v)).denominator) for v in values]
    return found


def test_the_data_are_taken() -> None:
    for m in range(2):
        for point, gradient, value in zip(TWO.points[m], TWO.gradients[m], TWO.values[m], strict=True):
            x = rationals(*point)
            assert TWO.gradient(x, m).tolist() == rationals(*gradient).tolist()
            assert TWO.client_value(x, m).tolist() == rationals(value)[0].tolist()


def test_between_the_data_it_is_the_largest_function() -> None:
    """The hull of two parabolas: a line between where they touch it."""
    x = np.array([[-1.0], [0.5], [1.0], [1.5], [3.0]])
    assert HUBER.gradient(x, 0)[:, 0].tolist() == [-1.0, 0.5, 1.0, 1.0, 2.0]
    assert HUBER.gap(x).tolist() == [0.5, 0.125, 0.5, 1.0, 3.0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.fractions(-4, 4, max_denominator=16), min_size=4, max_size=4))
def test_any_two_points_satisfy_the_inequality_of_the_class(numbers: list[Fraction]) -> None:
    x, y = rationals(*numbers[:2]), rationals(*numbers[2:])
    low, high = fmpq(1, 10), fmpq(1)
    for m in range(2):
        d, e = (x - y)[0], (TWO.gradient(x, m) - TWO.gradient(y, m))[0]
        gap = TWO.client_value(x, m)[0] - TWO.client_value(y, m)[0] - (TWO.gradient(y, m)[0] * d).sum()
        rest = (e * e).sum() / high + low * (d * d).sum() - 2 * low / high * (e * d).sum()
        assert gap >= rest / (2 * (1 - low / high))


def test_balls_contain_the_rational_values() -> None:
    for numbers in (("1/3", "2/7"), (1, 1), ("-5/3", "1/9")):
        x = rationals(*numbers)
        balls = np.array([[arb(v) + arb(0, 1e-12) for v in x[0]]], dtype=object)
        for m in range(2):
            for ball, v in zip(TWO.gradient(balls, m)[0], TWO.gradient(x, m)[0], strict=True):
                assert ball.contains(v)
                assert ball.rad() < 1e-10
        assert TWO.gap(balls)[0].contains(TWO.gap(x)[0])
        assert np.isclose(TWO.gap(x.astype(float))[0], float(arb(TWO.gap(x)[0])))


def test_its_constants_are_those_of_the_data() -> None:
    constants = TWO.constants
    assert constants[symbols.heterogeneity_at_optimum] == 1
    assert constants[symbols.smoothness] == 1
    case = Case(TWO, n_rounds=1, n_local_steps=1, step_size="1/10")
    for one in (
        assume.minimiser_exists,
        assume.smooth,
        assume.strongly_convex,
        assume.heterogeneity_at_optimum,
        assume.constants_described,
    ):
        assert one.failed(case) is None, one.name
    flat = Case(TWO, n_rounds=1, strong_convexity="1/2")
    assert assume.strongly_convex.failed(flat) is not None


def test_it_prints_as_what_rebuilds_it() -> None:
    for instance in (HUBER, TWO):
        assert eval(repr(instance), {"InterpolatedClients": InterpolatedClients}) == instance


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"values": ((0, 2),)}, "see its point"),
        ({"values": ((0, "1/4"),)}, "see its point"),
        ({"gradients": ((1, 1),)}, "sum to 0"),
        ({"points": ((0,),)}, "needs a gradient"),
        ({"points": ()}, "every client"),
        ({"strong_convexity": 1}, "strong_convexity"),
        ({"start": (2, 0)}, "every coordinate"),
    ],
)
def test_data_of_no_function_are_refused(changed: dict[str, Any], why: str) -> None:
    given = {"points": ((0, 2),), "gradients": ((0, 1),), "values": ((0, "3/2"),), "start": 2}
    with pytest.raises(ValueError, match=why):
        InterpolatedClients(**{**given, **changed})


# Complementarity ----------------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 4), st.data())
def test_complementary_solutions(n: int, data: st.DataObject) -> None:
    """Of a semidefinite matrix A^T A plus a skew one: w = M z + q, w and z at least 0, one of each pair 0."""
    entries = st.integers(-3, 3)
    a, s = ([[data.draw(entries) for _ in range(n)] for _ in range(n)] for _ in range(2))
    q = [fmpq(data.draw(entries)) for _ in range(n)]
    matrix = [[fmpq(sum(a[k][i] * a[k][j] for k in range(n)) + s[i][j] - s[j][i]) for j in range(n)] for i in range(n)]
    z = solve_lcp(matrix, q)
    if z is None:
        assert not any(_feasible(matrix, q, support, n) for support in range(2**n))
        return
    w = [sum((matrix[i][j] * z[j] for j in range(n)), q[i]) for i in range(n)]
    assert all(v >= 0 for v in (*w, *z))
    assert all(u * v == 0 for u, v in zip(w, z, strict=True))


def _feasible(matrix: list[list[fmpq]], q: list[fmpq], support: int, n: int) -> bool:
    """Whether a regular system of these columns gives a solution."""
    from flint import fmpq_mat

    on = [i for i in range(n) if support >> i & 1]
    if not on:
        return all(v >= 0 for v in q)
    part = fmpq_mat([[matrix[i][j] for j in on] for i in on])
    if part.det() == 0:
        return False
    z = part.solve(fmpq_mat([[-q[i]] for i in on]))
    w = [sum((matrix[i][j] * z[k, 0] for k, j in enumerate(on)), q[i]) for i in range(n)]
    return all(z[k, 0] >= 0 for k in range(len(on))) and all(v >= 0 for v in w)


def test_a_point_costs_work_by_the_length_of_the_data() -> None:
    """Long rationals are dear: whoever builds many such instances in a search pays for it."""

    def cost(shift: Fraction, copies: int) -> float:
        places = [(Fraction(0),), *((Fraction(i) + shift,) for i in range(1, copies + 1))]
        data = [place[0] * place[0] / 2 for place in places]
        with work_limit() as meter:
            InterpolatedClients([places], [places], [data], 3, smoothness=2)
        return meter.spent

    short, long, many = cost(Fraction(0), 3), cost(Fraction(1, 3**400), 3), cost(Fraction(0), 6)
    assert 0 < short < 0.5
    assert long > 3 * short
    assert many > 6 * short
