"""Numbers of many digits, which Python by itself does not print."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction

import pytest
import sympy

from fltheory.evidence.exact import exact_rational
from fltheory.model.case import Case
from fltheory.number import MAX_PRINTED_DIGITS
from fltheory.plotting.captions import finding_text
from fltheory.plotting.sweep import sweep
from fltheory.runs.measures import DirectMeasure
from fltheory.verification import find
from tests.typed import Run


def test_a_picture_of_numbers_with_many_digits_is_drawn() -> None:
    """SymPy sorts the terms of an exact difference by their texts, and some of them have 6,000 digits."""
    found = sweep(find("aaggff/U2-step@corrected"), work=3_000)
    assert finding_text(found) == "equal at every value shown"
    assert {point.told for point in found.points} == {("holds",)}


@pytest.mark.parametrize(("given", "wanted"), [(None, str(MAX_PRINTED_DIGITS)), ("5000", "5000"), ("0", "0")])
def test_more_digits_are_printed_unless_a_user_has_set_a_limit(given: str | None, wanted: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONINTMAXSTRDIGITS"}
    environment |= {} if given is None else {"PYTHONINTMAXSTRDIGITS": given}
    code = "import sys, fltheory.number; print(sys.get_int_max_str_digits())"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == wanted


def test_what_can_not_be_printed_is_too_long_for_a_rational() -> None:
    """None, so that balls are asked; what is wrong otherwise is still an error."""

    def compute(case: Case, ring: object) -> Fraction:
        return Fraction(len(str(sympy.Integer(10) ** (MAX_PRINTED_DIGITS + 1))))

    def broken(case: Case, ring: object) -> Fraction:
        raise ValueError("another mistake")

    case = find("aaggff/U2-step@corrected").cases[0]
    assert exact_rational(DirectMeasure("digits", compute, (0, 0)), None, case) is None
    with pytest.raises(ValueError, match="another mistake"):
        exact_rational(DirectMeasure("broken", broken, (0, 0)), None, case)


def test_a_picture_beyond_all_floats_says_so(run: Run, tmp_path: object) -> None:
    code, _, said = run("plot", "sfl/T3-GC@printed", "--set", f"eta=1/{'9' * 3900}", "-o", f"{tmp_path}/p.svg")
    assert code == 2
    assert "its numbers are beyond all floats" in said
