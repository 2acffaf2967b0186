"""Worst factors of one step beside AutoLyap's rates for the same Lyapunov functions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from benchmarks.autolyap import CASES, EXAMPLES, row
from fltheory.performance import why_not_proved

OFF = {"malitsky_tam"}  # AutoLyap's solver fails near its rate: said on the page


def test_every_example_is_compared() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(CASES)


@pytest.mark.parametrize("name", [name for name in CASES if name not in OFF])
def test_worst_factors_agree_with_rates_of_autolyap(name: str, say: Callable[[str], None]) -> None:
    """Within two millionths for the same V; a float is on the wrong side where an instance attains more than it allows."""
    pytest.importorskip(
        "autolyap", reason="agreement with AutoLyap needs the extra `bench` (pip install 'fltheory[bench]')"
    )
    one = row(name)
    say(f"{name}: {one.found}; AutoLyap {one.same:.9g}, {one.side}")
    assert one.agrees
    assert why_not_proved(one.found) is None
