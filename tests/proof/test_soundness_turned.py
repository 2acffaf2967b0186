"""False theorems by indices that change places, sums of nothing, ranges that overwrite each other and assumptions in their ends."""

from __future__ import annotations

import pytest
from sympy import Integer, Rational, Symbol

from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Member,
    Power,
    Rising,
    Squeezed,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
)
from fltheory.proof.report import Report
from fltheory.proof.terms import Total
from tests.proof.soundness import N, accepted, f, i, j, k, n, prove, refused, t

HALF = Rational(1, 2)
ONE = Step("one", le(0, 1), Combine())
BELOW, ABOVE = (i, -5, -1), (k, 1, 5)


def test_a_power_of_an_index_that_changed_places() -> None:
    steps = (Step("a", le(0, 1, BELOW, ABOVE), Combine()), Step("b", le(1, 2, BELOW, ABOVE), Combine()))
    turned = Step("p", le(1, Integer(2) ** k, (k, -5, -1), (i, 1, 5)), Power(i), ("a", "b"))
    refused(le(1, HALF), *steps, turned, Step("z", le(1, HALF), Instance({k: -1, i: 1}), ("p",)))
    kept = Step("p", le(1, Integer(2) ** k, BELOW, ABOVE), Power(k), ("a", "b"))
    accepted(le(1, 4), *steps, kept, Step("z", le(1, 4), Instance({k: 2, i: -1}), ("p",)))


def test_an_instance_at_an_index_that_changed_places() -> None:
    ranges = (k, 1, 5), (i, -5, -1), (j, 1, 5)
    refused(
        le(1, -1),
        ONE,
        Step("a", le(1, k, *ranges), Combine({"one": k - 1}), ("one",)),
        Step("b", le(1, j, (j, -5, -1), (i, 1, 5)), Instance({k: i}), ("a",)),
        Step("z", le(1, -1), Instance({j: -1, i: 1}), ("b",)),
    )


J, I = (j, 0, N), (i, 0, N)
LOW = le(i, 0)
NOTHING = (k, 0, 0)


def _carried(*turned: Step) -> Report:
    """From "if i <= 0 then j <= 0" for all i and j: every N is at most 0."""
    return prove(
        le(N, 0),
        ONE,
        Step("r", le(0, i, J, I), Combine({"one": i}), ("one",)),
        Step("q", le(j, N, J, I), Combine({"one": N - j}), ("one",)),
        *turned,
        Step("c1", le(j, N * i, J, I), Combine({"s2": 1, "r": N}), ("s2", "r"), assuming=(LOW,)),
        Step("c2", le(j, N * i, J, I), Combine({"q": 1, "assumed 1": N}), ("q",), assuming=(le(1, i),)),
        Step("c", le(j, N * i, J, I), Cases(), ("c1", "c2")),
        Step("z", le(N, 0), Instance({i: 0, j: N}), ("c",)),
    )


ASSUMED = Step("s1", le(i, 0, I, J), Combine({"assumed 1": 1}), assuming=(LOW,))
SIGN = Step("p0", le(0, i, I, J), Combine({"one": i}), ("one",), assuming=(LOW,))
TURNED = {
    "expected": (ASSUMED, Step("s2", le(j, 0, J, I), Expected(), ("s1",), assuming=(LOW,))),
    "power": (SIGN, ASSUMED, Step("s2", le(j, 0, J, I), Power(1), ("p0", "s1"), assuming=(LOW,))),
    "summed": (
        Step("s1", le(i, 0, I, J, NOTHING), Combine({"assumed 1": 1}), assuming=(LOW,)),
        Step("s2", le(Total(j, k, 0, 0), Total(Integer(0), k, 0, 0), J, I), Summed((k,)), ("s1",), assuming=(LOW,)),
    ),
    "squeezed": (SIGN, ASSUMED, Step("s2", eq(j, 0, J, I), Squeezed(), ("s1", "p0"), assuming=(LOW,))),
}


@pytest.mark.parametrize("rule", TURNED)
def test_an_assumption_is_not_carried_to_another_index(rule: str) -> None:
    report = _carried(*TURNED[rule])
    assert report.verdict == "UNKNOWN"
    assert any(
        ("needs a <= b" if rule == "squeezed" else "a different name in the claim, or two ranges") in s.reason
        for s in report.steps
    )


A, B, C = (Symbol(name, integer=True, nonnegative=True) for name in "ijk")


def test_an_induction_by_a_step_whose_indices_changed_places() -> None:
    refused(
        le(5, 0),
        ONE,
        Step("zj", le(B, 0, (B, 0, 0), (C, 0, 5)), Combine({"one": -B}), ("one",)),
        Step("zk", le(C, 0, (A, 0, 0), (C, 0, 0), (B, 0, 5)), Combine({"one": -C}), ("one",)),
        Step(
            "st",
            le(C + (A + 1) * B, 0, (A, 0, 0), (C, 0, 0), (B, 0, 5)),
            Combine({"zk": 1, "assumed 1": A + 1}),
            ("zk",),
            assuming=(le(B + A * C, 0),),
        ),
        Step("all", le(B + A * C, 0, (A, 0, 1), (B, 0, 0), (C, 0, 5)), Induction(A), ("zj", "st")),
        Step("z", le(5, 0), Instance({A: 1, B: 0, C: 5}), ("all",)),
    )


def test_an_induction_under_an_assumption_on_an_index_that_changed_places() -> None:
    own, over = le(B, 0), ((A, 0, 2), (C, 0, 5), (B, 0, 5))
    refused(
        le(5, 0),
        ONE,
        Step("base", le(B, 0, (B, 0, 5), (C, 0, 5)), Combine({"assumed 1": 1}), assuming=(own,)),
        Step("st", le(B, 0, (A, 0, 1), (B, 0, 5), (C, 0, 5)), Combine({"assumed 1": 1}), assuming=(own,)),
        Step("all", le(C, 0, *over), Induction(A), ("base", "st"), assuming=(own,)),
        Step("rb", le(0, B, *over), Combine({"one": B}), ("one",)),
        Step("q", le(C, 5, *over), Combine({"one": 5 - C}), ("one",)),
        Step("c1", le(C, 5 * B, *over), Combine({"all": 1, "rb": 5}), ("all", "rb"), assuming=(own,)),
        Step("c2", le(C, 5 * B, *over), Combine({"q": 1, "assumed 1": 5}), ("q",), assuming=(le(1, B),)),
        Step("c", le(C, 5 * B, *over), Cases(), ("c1", "c2")),
        Step("z", le(5, 0), Instance({A: 0, C: 5, B: 0}), ("c",)),
    )


# Sums of nothing -------------------------------------------------------------------------------------------------------

EMPTY = Total(Integer(1), i, HALF, HALF)


@pytest.mark.parametrize("low", [HALF, Rational(1, 3)])
def test_a_sum_over_no_integer_is_not_positive(low: Rational) -> None:
    empty = Total(Integer(1), i, low, Rational(2, 3))
    refused(
        eq(1, 0),
        Step("h", eq(1 / empty, 0), Combine({"g": 1 / empty**2}), ("g",)),
        Step("z", eq(1, 0), Combine({"h": empty}), ("h",)),
        given=(Given("g", eq(empty, 0)),),
    )


def test_a_sum_over_no_integer_is_seen_to_be_0() -> None:
    """The same without a hypothesis."""
    floor = Theorem(
        "test/floor",
        le(i, 0),
        (Given("g", le(i, HALF)),),
        (
            Step("low", le(i, 0), Combine({"assumed 1": 1}), assuming=(le(i, 0),)),
            Step("high", le(i, 0), Combine({"g": 2, "assumed 1": 1}), ("g",), assuming=(le(1, i),)),
            Step("1", le(i, 0), Cases(), ("low", "high")),
        ),
    )
    here = (i, HALF, HALF)
    refused(
        eq(1, 0),
        ONE,
        Step("a", le(i, HALF, here), Combine({"one": HALF - i}), ("one",)),
        Step("b", le(i, 0, here), Apply("test/floor"), ("a",)),
        Step("c", le(HALF, i, here), Combine({"one": i - HALF}), ("one",)),
        Step("d", le(1, 0, here), Combine({"b": 2, "c": 2}), ("b", "c")),
        Step("e", le(EMPTY, 0), Summed((i,)), ("d",)),
        Step("f0", le(0, 1, here), Combine()),
        Step("f", le(0, EMPTY), Summed((i,)), ("f0",)),
        Step("g", eq(EMPTY, 0), Squeezed(), ("e", "f")),
        Step("h", eq(1 / EMPTY, 0), Combine({"g": 1 / EMPTY**2}), ("g",)),
        Step("z", eq(1, 0), Combine({"h": EMPTY}), ("h",)),
        earlier=(floor,),
    )


# Two ranges of one name --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [100, 6])
def test_a_hypothesis_for_all_is_met_on_the_whole_of_its_range(most: int) -> None:
    given = (Given("h", le(i, t, (i, 0, n))), Given("n", le(0, n)))
    top = Theorem("test/top", le(n, t), given, (Step("1", le(n, t), Instance({i: n}), ("h", "n")),))
    refused(
        le(most, 5),
        ONE,
        Step("a", le(i, 5, (i, 0, 5)), Combine({"one": 5 - i}), ("one",)),
        Step("b", le(most, 5, (i, 0, 5)), Apply("test/top", {n: most, t: 5}), ("a",)),
        Step("z", le(most, 5), Instance({i: 0}), ("b",)),
        earlier=(top,),
    )


# Assumptions in the ends of ranges -----------------------------------------------------------------------------------------


def test_an_assumption_on_an_index_in_the_end_of_a_range() -> None:
    m, own = Symbol("m", integer=True, nonnegative=True), le(N, 0)
    hidden = le(B + m, 0, (B, 0, N))
    refused(
        le(1, N),
        ONE,
        Step("q", le(B, N, (B, 0, N)), Combine({"one": N - B}), ("one",)),
        Step("s0", le(N + m, 0, (N, 0, 5)), Instance({B: N}), assuming=(hidden,)),
        Step("s1", le(5 + m, 0), Instance({N: 5}), ("s0",), assuming=(hidden,)),
        Step("bad", le(B + m + 1, 0, (m, 0, 0), (B, 0, N)), Combine({"s1": B + 1}), ("s1",), assuming=(hidden,)),
        Step("base", le(B, 0, (B, 0, N)), Combine({"q": 1, "assumed 1": 1}), ("q",), assuming=(own,)),
        Step("all", le(B + m, 0, (m, 0, 1), (B, 0, N)), Induction(m), ("base", "bad"), assuming=(own,)),
        Step("i", le(1, 0), Instance({m: 1, B: 0}), ("all",), assuming=(own,)),
        Step("c1", le(1, N), Combine({"i": 1}), ("i",), assuming=(own,)),
        Step("c2", le(1, N), Combine({"assumed 1": 1}), assuming=(le(1, N),)),
        Step("z", le(1, N), Cases(), ("c1", "c2")),
    )


def test_a_slope_under_an_assumption_on_what_rises_in_the_end_of_a_range() -> None:
    """That j <= 15 - 5 i for all j up to 30 - 10 x says x > 14/10 at i = 1, and an induction takes it away again."""
    x = Symbol("x", nonnegative=True)
    high = 30 - 10 * x
    hidden, own = le(B - 15 + 5 * A, 0, (B, 0, high)), le(15, 10 * x)
    gap, ranges = (10 * x - 15) * (10 * x - 19), ((A, 0, 0), (B, 0, high))
    under, late = (hidden,), (own, le(10 * x, 19))
    report = prove(
        le(0, gap),
        ONE,
        Step("inst", le(1 + 5 * A, 0), Instance({B: 16}), assuming=(hidden, le(10 * x, 14))),
        Step("s1", le(0, x - 1), Combine({"inst": 1}), ("inst",), assuming=(hidden, le(10 * x, 14))),
        Step("s2", le(0, x - 1), Combine({"assumed 2": Rational(1, 10)}), assuming=(hidden, lt(14, 10 * x))),
        Step("slope", le(0, x - 1), Cases(), ("s1", "s2"), assuming=under),
        Step("start", le(0, 0), Combine()),
        Step("rise", le(0, x**2 / 2 - x), Rising(x), ("start", "slope"), assuming=under),
        Step("x2", le(2, x), Combine({"rise": 2 / x}), ("rise", "slope"), assuming=under),
        Step("p1", le(0, high - B, *ranges), Combine({"one": high - B}), ("one",)),
        Step("p2", le(0, -5 * A, *ranges), Combine({"one": -5 * A}), ("one",)),
        Step(
            "st",
            le(B - 10 + 5 * A, 0, *ranges),
            Combine({"p1": 1, "p2": 1, "x2": 10}),
            ("p1", "p2", "x2"),
            assuming=under,
        ),
        Step("p3", le(0, high - B, (B, 0, high)), Combine({"one": high - B}), ("one",)),
        Step("base", le(B - 15, 0, (B, 0, high)), Combine({"p3": 1, "assumed 1": 1}), ("p3",), assuming=(own,)),
        Step("all", le(B - 15 + 5 * A, 0, (A, 0, 1), (B, 0, high)), Induction(A), ("base", "st"), assuming=(own,)),
        Step("end", le(1, 0), Instance({A: 1, B: 11}), ("all",), assuming=late),
        Step("c3", le(0, gap), Combine({"end": 340 * x}), ("end",), assuming=late),
        Step("c1", le(0, gap), Combine({"assumed 1": 19 - 10 * x}), assuming=(le(10 * x, 15),)),
        Step("c2", le(0, gap), Combine({"assumed 1": 10 * x - 15}), assuming=(le(19, 10 * x),)),
        Step("z", le(0, gap), Cases(), ("c1", "c2", "c3")),
    )
    assert report.verdict == "UNKNOWN"
    assert "a hypothesis contains x" in {s.step.id: s.reason for s in report.steps}["rise"]


def test_no_function_is_steeper_than_it_is_smooth() -> None:
    x = Symbol("x", real=True)
    witness = Step("1", le(x, 1), Witness({x: 5}), ("m", "n"), recorded="REFUTED")
    apart = Member("m", f(), convex=Integer(2)), Member("n", f(), smooth=Integer(1))
    refused(le(x, 1), witness, given=apart, recorded="REFUTED", why="the function class m may be empty")
    together = Member("m", f(), convex=Integer(1)), Member("n", f(), smooth=Integer(1))
    assert prove(le(x, 1), witness, given=together, recorded="REFUTED").verdict == "REFUTED"
