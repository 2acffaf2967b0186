"""Worst cases beside those of PEPit, on its own examples."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.pepit import ARGUMENTS, of_pepit, row
from fltheory.performance import why_not_proved

# What PEPit's solver gets wrong, or what has no proof here: said on the page, and not hidden.
OFF = {
    "composite_convex_minimization/improved_interior_algorithm",
    "composite_convex_minimization/three_operator_splitting",
    "fixed_point_problems/inconsistent_halpern_iteration",
    "low_dimensional_worst_cases_scenarios/inexact_gradient",
    "monotone_inclusions_variational_inequalities/past_extragradient",
    "online_learning/online_frank_wolfe",
    "unconstrained_convex_minimization/gradient_descent_lc",
    "unconstrained_convex_minimization/robust_momentum",
}


@pytest.mark.parametrize("name", [name for name in ARGUMENTS if name not in OFF])
def test_worst_cases_agree_with_those_of_pepit(name: str, say: Callable[[str], None]) -> None:
    """Within a millionth with the same solver; a float is on the wrong side where an instance attains more than it allows."""
    pytest.importorskip("PEPit", reason="agreement with PEPit needs the extra `bench` (pip install 'fltheory[bench]')")
    one = row(name)
    say(f"{name}: {one.found}; PEPit {of_pepit(name, None):.9g}, {one.side(one.own_solver)}")
    assert one.agrees
    assert why_not_proved(one.found) is None
