"""Attempts to have something false confirmed by a file that the first program did not write: each is refused.

A comment, or the text of a test, says where the statement is false.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernel.exported.written import (
    combine,
    confirmed,
    given,
    i,
    line,
    n,
    p,
    polynomial,
    refused,
    step,
    theorem,
    x,
    y,
    z,
)

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


UNIT_BOX = [given("a", "0", "<=", x), given("b", x, "<=", "1")]


def on_unit_box(gap: Any, leaf: Any) -> Any:
    """0 <= gap for 0 <= x <= 1."""
    rule = {"rule": "Ball", "box": [[x, "0", "1"]], "certificate": leaf}
    return theorem("t", step("1", line("0", "<=", gap), rule, "a", "b"), hypotheses=UNIT_BOX)


LEAVES = ["direct", "mean", *({"symbol": x, "centre": c, "order": k} for c in ("0", "1/2", "1") for k in (1, 2, 3))]


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize(
    "gap",
    [
        ["*", x, ["+", x, "-1/1000"]],
        ["+", ["abs", ["+", x, "-1/2"]], "-1/1000"],
        ["*", ["+", "1", ["*", "-1", x]], ["+", ["exp", x], "-1001/1000"]],
        ["+", ["^", ["+", x, "-1/3"], "2"], "-1/1000"],
        ["+", "1/2", ["*", "-1", ["max", x, ["+", "1", ["*", "-1", x]]]]],
    ],
)
def test_what_is_negative_somewhere_on_a_box(gap: Any, leaf: Any) -> None:
    """Near 0, near 1/2, near 0, near 1/3, at 0."""
    refused(on_unit_box(gap, leaf))


def test_what_vanishes_at_an_end_of_a_box_or_inside() -> None:
    rises = ["+", ["exp", x], "-1", ["*", "-1", x]]
    confirmed(on_unit_box(rises, {"symbol": x, "centre": "0", "order": 2}))
    around = ["+", ["exp", ["+", x, "-1/2"]], "-1/2", ["*", "-1", x]]
    confirmed(on_unit_box(around, {"symbol": x, "centre": "1/2", "order": 2}))
    confirmed(on_unit_box(["*", x, ["+", "2", ["*", "-1", x]]], "mean"))


def test_an_index_keeps_its_name() -> None:
    """By that name assumptions and values know it."""
    j = ["symbol", "j", "integer"]
    root = ["family", "Nonnegative", "a"]
    zero = given("zero", "0", "<=", [*root, i])
    zero["relation"]["over"] = [[i, "1", "9"]]
    order = given("order", [*root, i], "<=", ["*", "2", [*root, i]])
    order["relation"]["over"] = [[i, "1", "9"]]
    for index, verdict in ((i, confirmed), (j, refused)):
        sides = (["^", [*root, index], "2"], "<=", ["^", ["*", "2", [*root, index]], "2"])
        rule = {"rule": "Power", "exponent": "2"}
        claim = line(*sides, [index, "1", "9"])
        verdict(theorem("t", step("1", claim, rule, "zero", "order"), hypotheses=[zero, order]))


ABOVE_B = ["symbol", "b", "real"]
MAY_VANISH = [
    z,
    ["^", z, "2"],
    ["^", x, "2"],
    ["abs", x],
    ["dot", ["family", "Vector", "v"], ["family", "Vector", "v"]],
]


@pytest.mark.parametrize("op", ["<=", "=="])
@pytest.mark.parametrize("factor", MAY_VANISH)
def test_a_product_says_nothing_of_a_factor_where_the_other_one_vanishes(factor: Any, op: str) -> None:
    """0 <= f y with f >= 0 does not say 0 <= y: at f = 0 it says nothing. With a positive p it does."""
    a = ["symbol", "a", "real"]
    lemma = theorem(
        "lemma", step("1", line("0", "<=", a), combine({"h": "1"}), "h"), hypotheses=[given("h", "0", "<=", a)]
    )
    apply = {"rule": "Apply", "theorem": "lemma", "at": [[a, y]]}
    weigh = combine({"h": y})
    other = given("h", "0", "<=", ABOVE_B)
    for own, verdict in ((factor, refused), (p, confirmed)):
        known = given("k", "0", op, ["*", own, y])
        verdict(lemma, theorem("t", step("1", line("0", "<=", y), apply, "k"), hypotheses=[known]))
        weighed = step("1", line("0", "<=", ["*", y, ABOVE_B]), weigh, "h", "k")
        verdict(theorem("t", weighed, hypotheses=[other, known]))


def test_what_a_certificate_brings_in_has_a_value() -> None:
    """y = z y times 1/z, and x^2 y times (1/x)^2, where z and x are not 0 alone."""
    for own, divisor, more in (
        (["*", z, y], [["^", z, "-1"]], {}),
        (["*", ["^", x, "2"], y], [], {"square": ["^", x, "-1"]}),
    ):
        known = given("k", "0", "<=", own)
        refused(theorem("t", step("1", line("0", "<=", y), polynomial(own, *divisor, **more), "k"), hypotheses=[known]))
    known, own = given("k", "0", "<=", ["*", p, y]), ["*", p, y]
    rule = polynomial(own, ["^", p, "-1"])
    confirmed(theorem("t", step("1", line("0", "<=", y), rule, "k"), hypotheses=[known]))
    square = ["dot", ["family", "Vector", "v"], ["family", "Vector", "v"]]
    sign = polynomial(["*", z, y], ["^", z, "-1"])["certificate"]
    one = {"weight": y, "vector": [["1", ["family", "Vector", "v"]]], "sign": sign}
    weighed = {"rule": "Combine", "weights": {}, "axioms": [], "squares": [one]}
    claim = line("0", "<=", ["*", y, square])
    refused(theorem("t", step("1", claim, weighed, "k"), hypotheses=[given("k", "0", "<=", ["*", z, y])]))
