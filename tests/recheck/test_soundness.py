"""Attempts to have something false confirmed by a file that the first program did not write: each is refused.

A comment, or the text of a test, says where the statement is false.
"""

from __future__ import annotations

import pytest

from tests.recheck.written import combine, confirmed, given, i, line, n, refused, step, theorem, x

# Numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high"), [("100", "200"), ("-1/2", "9"), ("1e3", "inf")])
def test_a_letter_that_is_called_100_is_no_number(low: str, high: str) -> None:
    """p <= x <= q does not say that 50 <= x, whatever p is called."""
    box = [[x, ["symbol", low, "real"], ["symbol", high, "real"]]]
    hypotheses = [given("a", box[0][1], "<=", x), given("b", x, "<=", box[0][2])]
    claim = line("-1", "<=", x)
    refused(
        theorem(
            "t",
            step("1", claim, {"rule": "Ball", "box": box, "certificate": "direct"}, "a", "b"),
            hypotheses=hypotheses,
        )
    )


def test_a_box_has_numbers_for_ends() -> None:
    hypotheses = [given("a", "100", "<=", x), given("b", x, "<=", "200")]
    rule = {"rule": "Ball", "box": [[x, "100", "200"]], "certificate": "direct"}
    confirmed(theorem("t", step("1", line("50", "<=", x), rule, "a", "b"), hypotheses=hypotheses))


@pytest.mark.parametrize("power", ["3", "1"])
def test_an_odd_power_has_the_sign_of_its_base(power: str) -> None:
    """(x^3)^(0 + ... + n) is -1 at x = -1, n = 1: what is no integer in the exponent's normal form is one all the same."""
    base = ["^", x, power] if power != "1" else x
    total = ["sum", i, i, "0", n]
    refused(theorem("t", step("1", line("0", "<=", ["^", base, total]), combine())))
    confirmed(theorem("t", step("1", line("0", "<=", ["^", ["^", x, "2"], total]), combine())))
