"""What a recursion costs is counted by its rounds, before it is walked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.papers.sfl.instances.lemmas import A_ROUND, Recursion
from fltheory.work import BudgetExhausted, separate_meter

ONE = Recursion(contraction="1/2", descent="1/3", noise_coefficient=4, drift_coefficient=6, initial_distance=1)


def test_rounds_are_work() -> None:
    with separate_meter() as meter:
        ONE.weighted_average(Fraction(1, 6), 999)
    assert meter.spent == pytest.approx(1000 * A_ROUND)


def test_a_recursion_that_there_is_no_work_for_is_not_begun() -> None:
    with separate_meter(1.0), pytest.raises(BudgetExhausted):
        ONE.weighted_average(Fraction(1, 6), 10**12)
