"""The regret of online methods against linear and convex losses: exact values, methods beside one another."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from fltheory import Algorithm
from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.problems.interpolated.piecewise import PiecewiseLinearClients
from fltheory.runs.flat_states import with_row_states
from fltheory.runs.measures import LastGap
from fltheory.worst_case.functions import FunctionClass
from fltheory.worst_case.functions.linear import Linear
from fltheory.worst_case.functions.lipschitz import Lipschitz
from fltheory.worst_case.measures import Regret
from fltheory.worst_case.question import problem_of, question
from fltheory.worst_case.two_sided import why_not_proved, worst_case
from tests.worst_case.brackets import contains, proved
from tests.worst_case.test_textbook import FTRL, OGD, OPTIMISTIC

LOSSES, UNIT = (Linear(3), Lipschitz(3)), (Linear(1), Lipschitz(1))


def mirrored(s: dict[str, np.ndarray], oracle: Any, c: Any) -> dict[str, np.ndarray]:
    """Mirror descent with |x|^2 / 2: a step from the dual point, which is the point itself, back by the identity."""
    dual = s["dual"] - c.step_size * oracle.gradient(s["x"], c.round)
    return {"x": dual, "dual": dual}


def peeking(x: np.ndarray, oracle: Any, c: Any) -> np.ndarray:
    """What no online method may do: the gradient of the loss that comes, beside that of the first."""
    first = oracle.gradient(x, 0) * int(c.round == 0)
    return x - c.step_size * (first + oracle.gradient(x, min(c.round + 1, c.n_rounds - 1)))


MIRROR = Algorithm("mirror descent", mirrored, init=lambda x, c: {"x": x, "dual": x})
PEEKING = Algorithm("peeking", peeking)


def known(n_rounds: int, step: Fraction | str, distance: object = 2) -> dict[str, Any]:
    return {"n_clients": n_rounds, "n_rounds": n_rounds, "step_size": step, "initial_distance": distance}


@pytest.mark.parametrize("losses", LOSSES)
@pytest.mark.parametrize("method", [OGD, FTRL, MIRROR])
@pytest.mark.parametrize("n_rounds", [1, 2, 4])
def test_without_a_set_to_stay_in_three_methods_are_one(
    method: Algorithm, losses: FunctionClass, n_rounds: int
) -> None:
    """D^2 / (2 eta) + eta T G^2 / 2, which is D G sqrt(T) at the best step; convex losses are no worse than linear ones."""
    step = Fraction(2 / (3 * math.sqrt(n_rounds))).limit_denominator(100)
    found = worst_case(method, losses, Regret(), **known(n_rounds, step))
    contains(found, float(2 / step + step * n_rounds * 9 / 2), 6)
    assert abs(float(found.upper or 0) - 6 * math.sqrt(n_rounds)) < 1e-3


def test_two_rounds_of_the_optimistic_method() -> None:
    """D^2 / (4 eta) + 2 eta G^2 against linear losses: -2 eta c + D sqrt(2 G^2 + 2 c) is largest so over <g_1, g_2> = c."""
    for step in ("1/4", "1/3", "1/2"):
        eta = Fraction(step)
        found = worst_case(OPTIMISTIC, Linear(1), Regret(), **known(2, step, 1))
        contains(found, float(1 / (4 * eta) + 2 * eta))
        convex = worst_case(OPTIMISTIC, Lipschitz(1), Regret(), **known(2, step, 1))
        assert found.lower is not None
        assert convex.upper is not None
        assert found.lower <= convex.upper


@pytest.mark.parametrize("method", [OGD, OPTIMISTIC])
def test_linear_losses_of_signs_keep_below(method: Algorithm) -> None:
    """In one dimension, all of them, against the best point at either end."""
    step, rounds = "1/2", 4
    upper = proved(worst_case(method, Linear(1), Regret(), **known(rounds, step, 1)))[1]
    values = []
    for signs in itertools.product((1, -1), repeat=rounds):
        for best in (1, -1):
            losses = PiecewiseLinearClients([[best]] * rounds, [[s] for s in signs], [[0]] * rounds, 0, compared=True)
            case = Case(losses, n_rounds=rounds, step_size=step)
            value = exact_rational(Regret(), with_row_states(method, case), case)
            assert value is not None
            values.append(Fraction(value.value))
    assert max(values) <= upper
    assert max(values) > upper * Fraction(1, 2)


def test_who_knows_the_next_loss_has_less_to_regret_where_it_is_linear() -> None:
    """Elsewhere the gradient that is known is not the one where the next point will be."""
    linear, convex = (proved(worst_case(PEEKING, losses, Regret(), **known(3, "1/2", 1))) for losses in UNIT)
    blind = [proved(worst_case(OGD, losses, Regret(), **known(3, "1/2", 1))) for losses in UNIT]
    assert linear[1] < blind[0][0]
    assert convex[0] > blind[1][1]


def test_the_instance_is_linear_and_the_certificate_counts() -> None:
    found = worst_case(OGD, Linear(1), Regret(), **known(3, "1/2", 1))
    low, _ = proved(found)
    assert problem_of(found.question).size == 1 + 3  # the start and a gradient for each loss
    assert found.case is not None
    rebuilt = eval(repr(found.case), {"Case": Case, "PiecewiseLinearClients": PiecewiseLinearClients})
    assert rebuilt == found.case
    x = np.array([[fmpq(5)] * rebuilt.instance.dim], dtype=object)
    for m in range(3):
        assert rebuilt.instance.gradient(x, m).tolist() == rebuilt.instance.gradient(-x, m).tolist()
    value = exact_rational(Regret(), OGD, rebuilt)
    assert value is not None
    assert value.value == low
    assert found.certificate is not None
    assert {label[0] for label, _ in found.certificate.multipliers} == {"alone", "distance"}
    for k, (label, c) in enumerate(found.certificate.multipliers):
        for other in (fmpq(0), -c, c * fmpq(99, 100)):
            changed = [*found.certificate.multipliers]
            changed[k] = (label, other)
            assert (
                why_not_proved(replace(found, certificate=replace(found.certificate, multipliers=tuple(changed))))
                is not None
            )
    steeper = replace(found.question, functions=Linear(2))
    assert why_not_proved(replace(found, question=steeper)) is not None


def test_what_means_nothing_of_linear_losses() -> None:
    with pytest.raises(ValueError, match="no minimiser; use Regret"):
        question(OGD, Linear(1), LastGap(), initial_distance=1, step_size=1)
    with pytest.raises(ValueError, match="as many clients as rounds"):
        question(OGD, Linear(1), Regret(), initial_distance=1, step_size=1, n_rounds=2)
    for bound in (0, "sqrt(2)"):
        with pytest.raises(ValueError, match=r"must be (positive|rational)"):
            Linear(bound)
