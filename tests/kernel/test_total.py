"""Laws that fail at a point when every term has a value: x/0 = 0, roots of what is negative are 0, log x = 0 for x <= 0.

Beside each false line stands the true one from which it differs by what is known.
"""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.kernel.theorem import Verdict, recheck
from tests.kernel.exported.written import combine, given, line, n, p, step, theorem, x, y, z


def told(*theorems: Any) -> Verdict:
    """What the kernel says of the last one."""
    return list(recheck({"format": "fltheory proofs 1", "papers": {"p": list(theorems)}}))[-1]


k, one = ["symbol", "k", "integer"], "1"
i0, i1 = ["symbol", "i", "from 0"], ["symbol", "i", "from 1"]
chance = ["family", "RandomScalar", "X"]
SUM, OTHER = ["+", x, y], ["+", one, x]


def power(base: Any, exponent: Any) -> Any:
    return ["^", base, exponent]


def inverse(a: Any) -> Any:
    return power(a, "-1")


def equation(left: Any, right: Any, *hypotheses: Any) -> Any:
    claim = line(left, "==", right)
    return theorem("t", step("1", claim, combine({}), *(h["id"] for h in hypotheses)), hypotheses=list(hypotheses))


# (left, right, where it is false, what the refusal names)
FALSE = [
    (["*", x, inverse(x)], one, "x = 0", "x is not seen to be nonzero"),
    (["*", z, inverse(z)], one, "z = 0", "z is not seen to be nonzero"),
    (["*", SUM, inverse(SUM)], one, "x = y = 0", "nonzero"),
    (["*", power(x, "3"), power(x, "-3")], one, "x = 0", "nonzero"),
    (["+", inverse(x), one], ["*", inverse(x), OTHER], "x = 0", "differ|nonzero"),
    (power(x, ["+", k, one]), ["*", x, power(x, k)], "x = 0, k = -1", "nonzero|nonnegative"),
    (power("0", ["+", k, one]), ["*", "0", power("0", k)], "k = -1", "nonzero|differ"),
    (power("0", ["+", k, one]), "0", "k = -1", "differ|nonzero"),
    (["*", power(x, k), power(x, ["*", "-1", k])], one, "x = 0, k = 1", "nonzero|nonnegative"),
    (["*", power(x, "1/2"), power(x, "1/2")], x, "x = -1", "nonnegative"),
    (["*", power(z, "1/2"), power(z, "-1/2")], one, "z = 0", "positive|nonzero"),
    (power(power(x, "2"), "1/2"), x, "x = -1", "differ"),
    (power(power(x, "1/2"), "2"), x, "x = -1", "nonnegative"),
    (power(["*", x, y], "1/2"), ["*", power(x, "1/2"), power(y, "1/2")], "x = y = -1", "differ"),
    (power(["*", x, inverse(y)], "1/2"), ["*", power(x, "1/2"), power(y, "-1/2")], "x = y = -1", "differ"),
    (power(power(x, "3"), "1/3"), x, "x = -1", "differ|nonnegative"),
    (power(x, ["+", y, "1/2"]), ["*", power(x, y), power(x, "1/2")], "x = 0, y = -1/2", "positive"),
    (power(z, ["+", y, "1/2"]), ["*", power(z, y), power(z, "1/2")], "z = 0, y = -1/2", "positive"),
    (["exp", ["log", x]], x, "x = 0", "positive"),
    (["exp", ["log", z]], z, "z = 0", "positive"),
    (["log", ["*", x, p]], ["+", ["log", x], ["log", p]], "x = 0, p = 2", "positive"),
    (["log", ["*", x, y]], ["+", ["log", x], ["log", y]], "x = y = -2", "differ"),
    (["log", inverse(x)], ["*", "-1", ["log", x]], "no point, but no law that is known", "differ|positive"),
    (["log", power(x, "2")], ["*", "2", ["log", x]], "x = -2", "differ|positive"),
    (["sum", ["*", i0, inverse(i0)], i0, "0", n], ["+", n, one], "i = 0", "nonzero"),
    (["sum", power(x, i0), i0, "-1", "-1"], ["*", x, power(x, "-2")], "x = 0, where x^-1 = 0: true", ""),
    (["mean", ["*", chance, inverse(chance)]], one, "X = 0", "nonzero"),
    (["binomial", n, k], ["binomial", n, ["+", n, ["*", "-1", k]]], "", "differ"),
]


@pytest.mark.parametrize(("left", "right", "where", "reason"), [f for f in FALSE if f[3]])
def test_a_law_that_fails_at_a_point_is_refused(left: Any, right: Any, where: str, reason: str) -> None:
    verdict = told(equation(left, right))
    assert verdict.outcome == "refused", where
    assert any(part in verdict.reason for part in reason.split("|")), verdict.reason


TRUE = [
    (["*", p, inverse(p)], one),
    (["*", power(x, "2"), inverse(x)], x),  # 0 = 0
    (["*", x, power(x, "-2")], inverse(x)),
    (inverse(inverse(x)), x),
    (inverse(["*", x, y]), ["*", inverse(x), inverse(y)]),
    (inverse(inverse(SUM)), SUM),
    (inverse("0"), "0"),
    (["log", "0"], "0"),
    (power("0", "0"), one),
    (power(x, ["+", n, one]), ["*", x, power(x, n)]),
    (power(p, ["+", k, one]), ["*", p, power(p, k)]),
    (power(power(x, "2"), "1/2"), ["abs", x]),
    (["*", power(z, "1/2"), power(z, "1/2")], z),
    (["*", power(z, "1/2"), power(z, "3/2")], power(z, "2")),
    (power(x, "3/2"), ["*", x, power(x, "1/2")]),  # both 0 for x <= 0
    (power(x, "-1/2"), ["*", inverse(x), power(x, "1/2")]),
    (["exp", ["log", p]], p),
    (["log", ["*", p, n]], ["+", ["log", p], ["log", n]]),
    (["sum", ["*", i1, inverse(i1)], i1, "1", n], n),
    (power(["*", x, y], k), ["*", power(x, k), power(y, k)]),
    (power(power(x, k), n), power(x, ["*", k, n])),
]


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_a_law_that_holds_everywhere_is_confirmed(left: Any, right: Any) -> None:
    assert told(equation(left, right)).reason == ""


APART = [("0", "<", x), (one, "<=", x), (x, "<", "0"), ("0", "<", ["*", x, y]), ("0", "<", inverse(x))]


@pytest.mark.parametrize(("left", "op", "right"), APART)
def test_what_is_divided_by_may_be_granted_by_a_line(left: Any, op: str, right: Any) -> None:
    claim = line(["*", x, inverse(x)], "==", one)
    known = given("h", left, op, right)
    weak = given("h", left, "<=", right)
    proof = step("1", claim, combine({"h": "0"}), "h")
    assert told(theorem("t", proof, hypotheses=[known])).reason == ""
    if op == "<":  # at x = 0 the weak line holds and the claim does not
        verdict = told(theorem("t", proof, hypotheses=[weak]))
        assert verdict.outcome == "refused"
        assert "x is not seen to be nonzero" in verdict.reason


def test_two_lines_do_not_grant_each_other_what_they_suppose() -> None:
    """0 < x y y^-1 says x > 0 where y is not 0, and 0 < y x x^-1 the other way round: each is read with the other's help only."""
    first = given("a", "0", "<", ["*", x, y, inverse(y)])
    second = given("b", "0", "<", ["*", y, x, inverse(x)])
    claim = step("1", line(["*", x, inverse(x)], "==", one), combine({"a": "0", "b": "0"}), "a", "b")
    assert "nonzero" in told(theorem("t", claim, hypotheses=[first, second])).reason


def test_what_is_so_for_an_outcome_is_not_so_under_the_expectation() -> None:
    """Where X > 0, E[X / X] is the probability of X != 0, and not 1."""
    claim = line(["mean", ["*", chance, inverse(chance)]], "==", one)
    under = step("1", claim, combine({"assumed 1": "0"}))
    under["assuming"] = [line("0", "<", chance)]
    both = step("2", claim, {"rule": "Cases"}, "1")
    verdict = told(theorem("t", under, both))
    assert "step 1 (Combine)" in verdict.reason
    assert "nonzero" in verdict.reason
    sure = given("h", "0", "<", chance)
    assert told(theorem("t", step("1", claim, combine({"h": "0"}), "h"), hypotheses=[sure])).reason == ""


# Limits ---------------------------------------------------------------------------------------------------------------

count = ["symbol", "m", "from 0"]
rounds = ["symbol", "t", "from 0"]


def test_an_equality_of_polynomials_holds_at_0_too() -> None:
    """q^(m - t) = q q^(m - 1 - t) for t < m, at q = 0 as elsewhere; for t = m it fails there."""
    sides = (power(z, ["+", count, ["*", "-1", rounds]]), ["*", z, power(z, ["+", count, "-1", ["*", "-1", rounds]])])
    last = ["+", count, "-1"]
    assert told(theorem("t", step("1", line(sides[0], "==", sides[1], [rounds, "0", last]), combine()))).reason == ""
    verdict = told(theorem("t", step("1", line(sides[0], "==", sides[1], [rounds, "0", count]), combine())))
    assert "nonnegative" in verdict.reason or "nonzero" in verdict.reason


def test_a_strict_inequality_says_nothing_of_the_limit() -> None:
    """0 < q^(m+1) q^-(m+1) holds for q != 0 alone."""
    up = ["+", count, one]
    own = ["*", power(z, up), power(z, ["*", "-1", up])]
    assert told(theorem("t", step("1", line("0", "<", own), combine()))).outcome == "refused"
    assert told(theorem("t", step("1", line(one, "<=", own), combine()))).outcome == "refused"


@pytest.mark.parametrize("exponent", ["-1", ["+", one, ["*", "-1", count]]])
def test_a_pole_is_no_limit(exponent: Any) -> None:
    """q q^(1-m) = q^(2-m) fails at q = 0, m = 2."""
    sides = (["*", z, power(z, exponent)], power(z, ["+", one, exponent]))
    assert told(equation(*sides)).outcome == "refused"


def test_an_integer_has_no_points_near_it() -> None:
    """(1 - 1/n)^(n-1) (1 - 1/n) = (1 - 1/n)^n for every base; n^(k+1) n^-(k+1) = 1 is no case of that."""
    base = ["+", one, ["*", "-1", inverse(n)]]
    true = equation(["*", power(base, ["+", n, "-1"]), base], power(base, n))
    assert told(true).reason == ""
    index = ["symbol", "c", "from 0"]
    own = equation(["*", power(index, ["+", n, one]), power(index, ["+", "-1", ["*", "-1", n]])], one)
    assert "nonzero" in told(own).reason
