"""The claim of a forward step is what its rule gives; where the rule does not determine it, that is said."""

from __future__ import annotations

import pytest
from sympy import Abs, Expr, Integer, Symbol, exp, log

from fltheory.proof import Given, ProofError, Relation, Theorem, by, eq, le, lt, proof
from fltheory.proof.by import By
from fltheory.proof.check import check_theorem
from fltheory.proof.terms import E, Indicator, RandomScalar, Scalar, Total, family

x, y, z = (Symbol(name, real=True) for name in "xyz")
i, j, n, N = (Symbol(name, integer=True, positive=True) for name in "ijnN")
s, X = family(Scalar, "s"), family(RandomScalar, "X")
EACH = (i, 1, N)
GROWS = proof("test/grows").given("order", le(x, y)).qed(le(exp(x), exp(y)), by.cite("monotone"))
ABOUT_EACH = proof("test/each").given("order", le(0, s(i), EACH)).qed(le(0, 2 * s(i), EACH), by.linear(order=2))
START = (
    proof("test/forward")
    .given("order", le(x, y))
    .given("back", le(-x, y))
    .given("strict", lt(x, z))
    .given("same", le(y, x))
    .given("terms", le(0, s(i), EACH))
    .given("draws", le(0, X(i), EACH))
    .given("equal", eq(x, z))
)
CLAIMS: dict[str, tuple[By, Relation]] = {
    "a theorem": (by.apply(GROWS, "order"), le(exp(x), exp(y))),
    "a theorem at terms": (by.apply(GROWS, {x: z, y: 2 * z}, "order"), le(exp(z), exp(2 * z))),
    "a theorem of a range": (by.apply(ABOUT_EACH, "terms"), le(0, 2 * s(i), EACH)),
    "a theorem at terms of a range": (by.apply(GROWS, {x: 0, y: s(i)}, "terms"), le(1, exp(s(i)), EACH)),
    "an instance": (by.instance({i: 3}, "terms"), le(0, s(3))),
    "an instance at an index of its own": (by.instance({i: 2 * i}, "terms"), le(0, s(2 * i), EACH)),
    "a sum": (by.sum_over(i, "terms"), le(0, Total(s(i), i, 1, N))),
    "a weighted sum": (by.sum_over(i, "terms", weight=i), le(0, Total(i * s(i), i, 1, N))),
    "a mean": (by.expectation("draws"), le(0, E(X(i)), EACH)),
    "a mean of what is strict": (by.expectation("strict"), le(x, z)),
    "a power": (by.power(Integer(2), "terms", "order"), le(x**2, y**2, EACH)),
    "both ways": (by.antisymmetry("order", "same"), eq(x, y)),
    "an absolute value": (by.absolute("order", "back"), le(Abs(x), y)),
    "an indicator": (by.monotone("order"), le(Indicator(x), Indicator(y))),
    "cases": (by.cases("order", "order"), le(x, y)),
    "the exponential's tangent": (by.fact("exp", x), le(1 + x, exp(x))),
    "the logarithm's tangent": (by.fact("log", n), le(log(n), n - 1)),
    "a number below its absolute value": (by.fact("abs", x), le(x, Abs(x))),
    "a fact about each": (by.fact("abs", s(i), "terms"), le(s(i), Abs(s(i)), EACH)),
}
OPEN: dict[str, tuple[By, str]] = {
    "a combination": (by.linear("order", "back"), "Combine does not determine its claim: write it"),
    "an induction": (by.induction(n, "order", "back"), "Induction does not determine its claim: write it"),
    "a theorem by its id": (by.apply("test/grows", "order"), "give by.apply the theorem itself"),
    "a sum over no range": (by.sum_over(j, "terms"), "Summed does not determine its claim"),
    "an absolute value of equal numbers": (by.absolute("equal", "back"), "Absolute does not determine its claim"),
    "a fact with several forms": (by.fact("floor", x), "Known does not determine its claim"),
    "nothing used": (by.expectation(), "Expected does not determine its claim"),
    "one of two": (by.antisymmetry("order"), "Squeezed does not determine its claim"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_the_rule_gives_the_claim(name: str) -> None:
    reason, claim = CLAIMS[name]
    assert START.step("made", reason).lines == START.step("made", claim, reason).lines


@pytest.mark.parametrize("name", OPEN)
def test_what_the_rule_leaves_open_is_asked_for(name: str) -> None:
    reason, complaint = OPEN[name]
    with pytest.raises(ProofError, match=f"test/forward, made: .*{complaint}"):
        START.step("made", reason)


def test_ranges_may_be_said() -> None:
    one = START.step("made", by.fact("abs", s(i)), over=EACH).lines[-1]
    two = START.step("made", by.fact("abs", s(i) + s(j)), over=(EACH, (j, 1, i))).lines[-1]
    assert (one.claim.over, two.claim.over) == ((EACH,), (EACH, (j, 1, i)))
    with pytest.raises(ProofError, match="a reason with the ranges of its claim"):
        START.step("made", le(x, y), by.linear("order"), over=EACH)
    with pytest.raises(ProofError, match="expected a claim and a reason"):
        START.step("made", le(x, y))


def test_an_assumption_of_the_line_is_there_too() -> None:
    line = START.step("made", by.instance({i: 2}, "assumed 1"), assuming=le(0, s(i) - x, EACH)).lines[-1]
    assert line.claim == le(0, s(2) - x)


def _theorem(bad: bool) -> Theorem:
    """0 <= sum (2 s(i) - 1) from 1 <= s(i); with ``bad`` from 0 <= s(i), of which it does not follow."""
    low: Expr = Integer(0 if bad else 1)
    chain = (
        proof("test/sum")
        .under(Given("terms", le(low, s(i), EACH)))
        .step("each", le(1, 2 * s(i) - low, EACH), by.linear(terms=2))
    )
    return chain.step("all", by.sum_over(i, "each")).qed(le(N, Total(2 * s(i) - low, i, 1, N)), by.linear("all"))


def test_the_kernel_decides_on_a_claim_that_is_not_written() -> None:
    """A derived claim is no more trusted than a written one: its step is checked, and a false line before it is refused."""
    assert check_theorem(_theorem(False), {}).verdict == "PROVED"
    assert check_theorem(_theorem(True), {}).verdict == "UNKNOWN"
