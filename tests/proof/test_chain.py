"""A proof as a chain: the theorem that is written out, in other words."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from sympy import Integer, Symbol

import fltheory.proof
from fltheory.papers.sfl import bounds
from fltheory.proof import Axiom, Defines, Given, Member, ProofError, Step, Theorem, by, eq, le, line, proof
from fltheory.proof import language as lang
from fltheory.proof.check import check_theorem
from fltheory.proof.terms import Fun, Scalar, Vector, family

x, y, z = (Symbol(name, real=True) for name in "xyz")
i = Symbol("i", integer=True, positive=True)
s, F = family(Scalar, "s"), family(Fun, "F")()
u, v = family(Vector, "u")(), family(Vector, "v")()
BEGUN = (
    proof("test/chain", "Lemma 1", note="from one to the next")
    .given("first", le(x, y), "in order")
    .given("second", le(y, z), supposed=True)
)


def test_a_chain_is_the_theorem_written_out() -> None:
    convex = Member("class", F, convex=Integer(0))
    found = (
        proof("test/all", "Section 2", of="test/C@printed", reading={x: y}, unused=("class",), note="all of it")
        .given("first", le(x, y), "in order")
        .where("short", s(i), s(i) ** 2, "a square")
        .under(convex, Given("second", le(y, z)))
        .step("one", le(x, z), by.linear("first", "second"), inserting="short", assuming=le(0, x), note="a sum")
        .steps(line("wrong", le(z, x), by.counterexample({x: 0, z: 1}), recorded="REFUTED"))
        .qed(le(2 * x, 2 * z), by.linear(one=2), name="last", note="doubled")
    )
    assert found == Theorem(
        "test/all",
        le(2 * x, 2 * z),
        (
            Given("first", le(x, y), "in order"),
            Defines("short", s(i), s(i) ** 2, "a square"),
            convex,
            Given("second", le(y, z)),
        ),
        (
            Step("one", le(x, z), lang.Combine(), ("first", "second"), ("short",), (le(0, x),), "a sum"),
            Step("wrong", le(z, x), lang.Witness(((x, 0), (z, 1))), recorded="REFUTED"),
            Step("last", le(2 * x, 2 * z), lang.Combine((("one", 2),)), ("one",), note="doubled"),
        ),
        claim="test/C@printed",
        place="Section 2",
        note="all of it",
        unused=("class",),
        reading=((x, y),),
    )
    assert found.reading == ((x, y),)


def test_a_chain_stays_as_it_was() -> None:
    longer = BEGUN.step("1", le(x, z), by.linear("first", "second"))
    assert BEGUN.lines == ()
    assert [line.id for line in longer.lines] == ["1"]
    assert BEGUN.under(Given("third", le(z, x))).hypotheses[:2] == BEGUN.hypotheses
    changed: Any = BEGUN
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.lines = longer.lines
    assert hash(BEGUN) == hash(dataclasses.replace(BEGUN))


def test_a_chain_ends_once() -> None:
    """It can be ended in two ways, as nothing of it changes; what is ended goes on no further."""
    short = BEGUN.qed(le(x, z), by.linear("first", "second"))
    double = BEGUN.step("1", le(x, z), by.linear("first", "second")).qed(le(2 * x, 2 * z), by.linear({"1": 2}))
    assert check_theorem(short, {}).as_recorded
    assert check_theorem(double, {}).as_recorded
    assert short == BEGUN.qed(le(x, z), by.linear("first", "second"))
    ended: Any = short
    with pytest.raises(AttributeError):
        ended.qed(le(x, z), by.linear())


def test_the_last_line_is_the_next_number() -> None:
    reason = by.linear("first", "second")
    assert BEGUN.qed(le(x, z), reason).steps[-1].id == "1"
    named = BEGUN.step("a", le(x, z), reason).step("3", le(x, z), reason).step("2", le(x, z), reason)
    assert named.qed(le(x, z), reason).steps[-1].id == "4"
    assert named.qed(le(x, z), reason, name="end").steps[-1].id == "end"


def test_what_is_refuted_ends_with_what_refutes_it() -> None:
    false = proof("test/no", recorded="REFUTED").qed(le(1, x), by.counterexample({x: 0}))
    assert false.recorded == false.steps[-1].recorded == "REFUTED"
    assert check_theorem(false, {}).as_recorded
    cited = proof("test/cited", recorded="ASSUMED").step("1", le(x, x), by.cite("a book", "long"), recorded="ASSUMED")
    assert check_theorem(cited.qed(le(x, x), by.linear("1")), {}).as_recorded


def test_the_place_is_the_bounds_where_none_is_said() -> None:
    bound = bounds.T3_SC
    assert proof("test/T", bound=bound).place == bound.source.place
    assert proof("test/T", "Section 5", bound=bound).place == "Section 5"
    assert proof("test/T").place == ""


def test_what_is_used_is_for_the_checker_to_see() -> None:
    strange = BEGUN.qed(le(x, z), by.linear("first", "third"))
    report = check_theorem(strange, {})
    assert report.verdict == "UNKNOWN"
    assert any("third" in said for said in (*report.faults, *(s.reason for s in report.steps)))


def test_what_has_a_weight_is_used_in_the_order_in_which_it_stands() -> None:
    assert by.linear({"b": 1}, "c", a=2)[:2] == (lang.Combine((("b", 1), ("a", 2))), ("b", "c", "a"))
    assert by.linear("a", {"b": 1, "a": 2})[:2] == (lang.Combine((("b", 1), ("a", 2))), ("a", "b"))
    own = by.linear({"assumed 1": 3, "a": 1})
    assert own[:2] == (lang.Combine((("assumed 1", 3), ("a", 1))), ("a",))
    with pytest.raises(ProofError, match="a has two weights"):
        by.linear({"a": 1}, a=2)


def test_axioms_and_squares() -> None:
    axiom = (2, Axiom("convex", F, u, v))
    assert by.linear(axiom, "class")[:2] == (lang.Combine((), (axiom,)), ("class",))
    assert by.sos(axiom, "class", last=1 / x)[:2] == (lang.Gram(axiom, last=1 / x), ("class", "last"))


WORDS = {  # of the rules whose class has another name: the export and the certificates name rules by their classes
    "linear": "Combine",
    "sos": "Combine",
    "sum_over": "Summed",
    "expectation": "Expected",
    "fact": "Known",
    "antisymmetry": "Squeezed",
    "derivative": "Rising",
    "cite": "Assumed",
    "counterexample": "Witness",
    "stored_counterexample": "Violated",
}


def test_every_rule_has_its_word() -> None:
    functions = {n for n, f in vars(by).items() if callable(f) and f.__module__ == by.__name__ and n[0] not in "_B"}
    assert {WORDS.get(name, name.capitalize()) for name in functions} == {rule.__name__ for rule in get_args(lang.Rule)}


def test_the_words_give_their_rules() -> None:
    a = ("a", "b")
    assert by.apply("test/T", *a)[:2] == (lang.Apply("test/T"), a)
    assert by.apply("test/T", {x: y}, "a")[:2] == (lang.Apply("test/T", ((x, y),)), ("a",))
    assert by.instance({i: 3}, "a")[:2] == (lang.Instance(((i, 3),)), ("a",))
    assert by.sum_over(i, "a", weight=2)[:2] == (lang.Summed((i,), 2), ("a",))
    assert by.sum_over((i, x), "a")[:2] == (lang.Summed((i, x)), ("a",))
    assert by.expectation("a")[:2] == (lang.Expected(), ("a",))
    assert by.power(2, *a)[:2] == (lang.Power(2), a)
    assert by.induction(i, *a)[:2] == (lang.Induction(i), a)
    assert by.cases(*a)[:2] == (lang.Cases(), a)
    assert by.antisymmetry(*a)[:2] == (lang.Squeezed(), a)
    assert by.polynomial("a")[:2] == (lang.Polynomial(), ("a",))
    assert by.ball(((x, 0, 1),), *a, zeros=(0,))[:2] == (lang.Ball(((x, 0, 1),), (0,)), a)
    assert by.enumerate("n <= 9")[:2] == (lang.Enumerate("n <= 9"), ())
    assert by.fact("max", x, "a")[:2] == (lang.Known("max", x), ("a",))
    assert by.absolute(*a)[:2] == (lang.Absolute(), a)
    assert by.monotone("a")[:2] == (lang.Monotone(), ("a",))
    assert by.derivative(x, *a)[:2] == (lang.Rising(x), a)
    assert by.cite("a book", "long")[:2] == (lang.Assumed("a book", "long"), ())
    assert by.stored_counterexample("test/C@printed")[:2] == (lang.Violated("test/C@printed"), ())


def test_the_names_of_the_package_load_when_they_are_asked_for() -> None:
    assert all(getattr(fltheory.proof, name) is not None for name in fltheory.proof.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = fltheory.proof.nothing
    code = "import sys, fltheory.proof; print('sympy' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root)
    assert done.stdout.split() == ["False"]


def test_equations_are_lines_too() -> None:
    twice = proof("test/two").step("1", eq(x + x, 2 * x), by.linear()).qed(eq(2 * x, x + x), by.linear({"1": -1}))
    assert check_theorem(twice, {}).as_recorded


# What is left out is filled in

LEMMA = (
    proof("test/lemma", unused=("class",))
    .given("low", le(0, x))
    .given("high", le(x, y), "at most")
    .under(Member("class", F, convex=Integer(0)))
    .qed(le(0, y), by.linear("low", "high"))
)
AT = {x: x + 1, y: z}


def applied(*uses: str, at: Any = AT) -> Any:
    return by.apply(LEMMA, at, *uses)


def test_an_applied_theorem_uses_the_lines_that_say_its_hypotheses_word_for_word() -> None:
    begun = (
        proof("test/filled")
        .under(Member("kind", F))
        .given("top", le(x + 1, z))
        .given("other", le(1 + z, x))
        .step("bottom", le(0, x + 1), by.linear())
    )
    one = begun.step("1", applied())
    assert one.lines[-1] == begun.step("1", applied("bottom", "top", "kind")).lines[-1]
    assert begun.qed(le(0, z), applied()).steps[-1].uses == ("bottom", "top", "kind")


def test_names_that_are_written_are_kept_and_none_are_found_for_an_id() -> None:
    begun = proof("test/filled").given("top", le(x + 1, z))
    assert begun.step("1", applied("other")).lines[-1].uses == ("other",)
    assert begun.step("1", le(0, z), by.apply("test/lemma", AT)).lines[-1].uses == ()


def test_what_nothing_says_in_the_same_words_is_left_to_the_kernel() -> None:
    begun = proof("test/filled").given("top", le(x + 2, z + 1)).given("bottom", le(0, x + 1))
    assert begun.step("1", applied()).lines[-1].uses == ("bottom",)
    whole = begun.qed(le(0, z), applied())
    told = check_theorem(whole, {}, {LEMMA.id: check_theorem(LEMMA, {})}).steps[-1]
    assert told.outcome == "UNKNOWN"
    assert told.reason == "a hypothesis of test/lemma: 1 + x <= z is not among the lines that the step uses"


def test_the_last_line_that_says_it_is_taken_and_none_under_an_assumption_of_its_own() -> None:
    begun = (
        proof("test/filled")
        .given("top", le(x + 1, z))
        .given("bottom", le(0, x + 1))
        .step("again", le(0, x + 1), by.linear("bottom"))
        .step("supposed", le(0, x + 1), by.linear("bottom"), assuming=le(0, x))
    )
    assert begun.step("1", applied()).lines[-1].uses == ("again", "top")
    assert begun.step("1", applied(), assuming=le(0, x)).lines[-1].uses == ("supposed", "top")


def test_ranges_that_differ_are_compared_by_the_kernel_where_no_others_agree() -> None:
    each = proof("test/each").given("p", le(0, s(i)), "").qed(le(0, 2 * s(i)), by.linear(p=2))
    ranged = le(0, s(i), (i, 1, 5))
    assert proof("test/one").given("q", ranged).step("1", by.apply(each)).lines[-1].uses == ("q",)
    both = proof("test/one").given("p", le(0, s(i))).given("q", ranged)
    assert both.step("1", by.apply(each)).lines[-1].uses == ("p",)


def test_a_reason_may_stand_inside_a_reason() -> None:
    begun = BEGUN.step("1", le(x, z), by.linear("first", "second"))
    inside = begun.qed(le(x + 1, z + 1), by.linear(by.instance({y: x}, "1"), "first"))
    named = begun.step("2", by.instance({y: x}, "1")).qed(le(x + 1, z + 1), by.linear("2", "first"))
    assert inside == named
    assert [step.id for step in inside.steps] == ["1", "2", "3"]


def test_reasons_inside_each_other_have_the_next_numbers_from_within() -> None:
    own = proof("test/sum").given("each", le(0, s(i), (i, 1, 5)))
    inside = own.step("mean", by.expectation(by.sum_over(i, by.instance({}, "each"))))
    assert [(step.id, step.uses) for step in inside.lines] == [("1", ("each",)), ("2", ("1",)), ("mean", ("2",))]
    named = own.step("1", by.instance({}, "each")).step("2", by.sum_over(i, "1")).step("mean", by.expectation("2"))
    assert inside == named


def test_a_reason_inside_stands_under_the_assumption_of_its_line() -> None:
    under = BEGUN.step("a", le(x, z), by.linear("first", "second"), assuming=le(0, x))
    lines = under.step("b", le(x, z), by.linear(by.instance({}, "a")), assuming=le(0, x)).lines
    assert [(step.id, step.assuming) for step in lines[1:]] == [("1", (le(0, x),)), ("b", (le(0, x),))]


def test_a_line_outside_of_a_proof_has_no_reason_inside() -> None:
    with pytest.raises(ProofError, match=r"b: a nested reason needs a proof: use \.step or \.qed"):
        line("b", le(x, z), by.linear(by.instance({}, "a")))


def test_a_reason_inside_needs_a_rule_that_gives_its_claim() -> None:
    with pytest.raises(ProofError, match="test/chain, 1: Combine does not determine its claim"):
        BEGUN.step("b", le(x, z), by.expectation(by.linear("first")))


def test_numbers_of_lines_inside_are_none_of_hypotheses_nor_of_the_line_itself() -> None:
    own = proof("test/sum").given("1", le(0, s(i), (i, 1, 5)))
    assert [step.id for step in own.step("mean", by.expectation(by.sum_over(i, "1"))).lines] == ["2", "mean"]
    assert [step.id for step in own.step("2", by.expectation(by.sum_over(i, "1"))).lines] == ["3", "2"]
    theorem = own.qed(le(0, Integer(1)), by.linear(by.sum_over(i, "1")), name="2")
    assert [step.id for step in theorem.steps] == ["3", "2"]


def test_the_class_of_the_function_that_is_put_in_is_used() -> None:
    G, H = (family(Fun, name)() for name in "GH")
    lemma = (
        proof("test/smooth")
        .under(Member("class", F, smooth=Integer(1)))
        .qed(le(0, 1), by.linear((0, Axiom("descent", F, u, v)), "class"))
    )
    begun = proof("test/two").under(Member("of G", G, smooth=Integer(1)), Member("of H", H, smooth=Integer(1)))
    assert begun.step("1", by.apply(lemma, {F: G})).lines[-1].uses == ("of G",)
    assert begun.step("1", by.apply(lemma, {F: H})).lines[-1].uses == ("of H",)


def test_a_hypothesis_is_used_rather_than_a_cited_line() -> None:
    begun = proof("test/filled").given("top", le(x + 1, z)).given("bottom", le(0, x + 1))
    cited = begun.step("said", le(0, x + 1), by.cite("a book"))
    assert cited.step("1", applied()).lines[-1].uses == ("bottom", "top")
    alone = proof("test/filled").given("top", le(x + 1, z)).step("said", le(0, x + 1), by.cite("a book"))
    assert alone.step("1", applied()).lines[-1].uses == ("said", "top")
