"""What a theorem says of the claim that it names is compared: false ties are faults, and never PROVED."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq
from sympy import Expr, Integer, Rational, Symbol, exp, floor, log, oo, pi, sqrt, sympify

from fltheory.claims.claim import Claim
from fltheory.kernel.language.lines import Definition, Line
from fltheory.kernel.language.terms import make, number, symbol
from fltheory.proof import library
from fltheory.proof.check import check_theorem
from fltheory.proof.language import (
    Combine,
    Defines,
    Given,
    Member,
    Relation,
    Step,
    Theorem,
    Violated,
    Witness,
    eq,
    le,
    lt,
    statement_of,
    with_probability,
)
from fltheory.proof.matching import catalogue, matching
from fltheory.proof.matching.consequences import (
    _cancellable_columns,
    contradictory_lines,
    implying_lines,
    is_identity,
    multipliers,
)
from fltheory.proof.matching.restrictions import _value_restrictions, is_complete, restrictions
from fltheory.proof.terms import E, Fun, Grad, RandomNonnegative, Scalar, Vector, family, square
from fltheory.symbols import VOCABULARY
from fltheory.symbols import n_clients as M
from fltheory.symbols import smoothness as L
from fltheory.verification import find

U2, L12, T3 = find("sfl/U2@explicit"), find("sfl/L12@printed"), find("sfl/T3-SC@strict")
SIZES = find("aaggff/4.1@corrected")
divergence = next(s for s in U2.bound.symbols if s != L)
x, y, h = family(Vector, "x")(), family(Vector, "y")(), family(Fun, "h")()
QUANTITY, far = square(Grad(h, x) - Grad(h, y)), family(Scalar, "far")()
READING = {divergence: far}
STATED, CONDITIONS = statement_of(U2.bound, QUANTITY, READING)


spare, nobodys = family(Scalar, "spare")(), Symbol("K", integer=True, nonnegative=True)


def granted(line: Relation) -> tuple[Given, Given]:
    """A relation in two parts."""
    part = Relation(line.left, line.op, line.right - spare, line.over)
    return Given("rest", le(0, spare), "granted"), Given("it", part, "granted", supposed=True)


THEOREM = Theorem(
    "own/tied",
    STATED,
    (*CONDITIONS, *granted(STATED)),
    (Step("1", STATED, Combine({"it": 1, "rest": 1}), ("it", "rest")),),
    claim=U2.id,
    bound=U2.bound,
    reading=READING,
)


def faults(theorem: Theorem) -> list[str]:
    return list(matching.faults(theorem))


def says(theorem: Theorem, part: str) -> None:
    """Another theorem is at fault, so that it is never proved."""
    assert any(part in fault for fault in faults(theorem)), faults(theorem)
    assert check_theorem(theorem, {}).verdict == "UNKNOWN"


def stating(relation: Relation, given: Sequence[Given] = (), **more: Any) -> Theorem:
    """A theorem of a statement that it takes for granted."""
    return replace(
        THEOREM,
        statement=relation,
        hypotheses=(*given, *granted(relation)),
        unused=tuple(g.id for g in given),
        steps=(Step("1", relation, Combine({"it": 1, "rest": 1}), ("it", "rest")),),
        **more,
    )


def test_a_theorem_that_states_its_bound_is_tied() -> None:
    assert not faults(THEOREM)
    assert check_theorem(THEOREM, {}).verdict == "PROVED"
    assert THEOREM.quantity == QUANTITY
    assert matching.suppositions(THEOREM) == (THEOREM.hypotheses[-1],)


def test_nothing_is_proved_of_a_violated_claim() -> None:
    trivial = Theorem("own/nothing", le(0, 1), (), (Step("1", le(0, 1), Combine()),), claim=T3.id, bound=T3.bound)
    says(trivial, "is recorded as violated, the theorem as PROVED")
    says(trivial, "the statement differs from its bound")
    says(replace(trivial, bound=None), "is recorded as violated")
    says(replace(trivial, claim=U2.id), "its bound is not one of the bounds of sfl/U2@explicit")
    says(replace(trivial, claim="sfl/U0@explicit"), "there is no claim sfl/U0@explicit")
    says(replace(trivial, claim="nobody/U0"), "there is no claim nobody/U0")
    where = "install the package that lists it, or name its file in FLTHEORY_PAPERS"
    says(replace(trivial, id="mine/U0", claim="mine/U0@printed"), f"there is no claim mine/U0@printed; {where}")
    says(replace(trivial, claim=""), "names no claim")


def test_a_probability_is_compared() -> None:
    """A bound that holds with a probability: its own, of its own event, and only of a claim that says so."""
    chance = find("fedcg/S6-uniform@strengthened")
    own = next(t for t in library.load("fedcg").theorems if t.claim == chance.id)
    assert not faults(own)
    assert own.failure is not None
    assert isinstance(own.quantity, RandomNonnegative)
    doubled = with_probability(statement_of(chance.bound, own.quantity, dict(own.reading))[0], 2 * own.failure)
    says(replace(own, failure=2 * own.failure), "has a different probability of failure")
    says(replace(own, statement=doubled), "the statement differs from its bound")
    says(replace(own, failure=None), "the statement differs from its bound")
    sure = with_probability(le(0, 0), own.failure)  # no run is in it
    says(replace(own, statement=sure), "contains no term of a run")
    says(replace(THEOREM, failure=Rational(1, 2)), "does not state a bound that holds with a probability")


def test_the_statement_is_compared() -> None:
    says(stating(le(QUANTITY, STATED.right + 1)), "the statement differs from its bound")
    says(stating(lt(STATED.left, STATED.right)), "the statement differs from its bound")
    says(stating(le(STATED.right, STATED.left)), "the statement differs from its bound")
    says(stating(le(0, STATED.right - STATED.left)), "the statement differs from its bound")
    says(replace(THEOREM, reading={}), "the statement differs from its bound")
    says(replace(THEOREM, reading={divergence: 2 * far}), "the statement differs from its bound")
    says(replace(THEOREM, bound=None), "it has a reading, but no bound")


def test_ranges_are_no_way_out() -> None:
    k = Symbol("k", integer=True, positive=True)
    scalar = family(Scalar, "a")
    every = statement_of(U2.bound, scalar(k), READING)[0]
    assert not faults(stating(Relation(every.left, every.op, every.right, ((k, Integer(1), oo),))))
    says(
        stating(Relation(every.left, every.op, every.right, ((k, Integer(9), Integer(7)),))),
        "is seen to have integers in the ranges k from 9 to 7",
    )
    for low, high in (
        (Rational(1, 3), Rational(2, 3)),  # there is no integer
        (Integer(1), sqrt(2)),
        (Integer(1), nobodys),  # nobodys may be 0, whatever is granted: no case of the claim says what it is
        (nobodys, nobodys - 1),
        (oo, oo),
        (Integer(0), -exp(Z)),
    ):
        own = Relation(every.left, every.op, every.right, ((k, low, high),))
        says(
            stating(own, (Given("none", le(nobodys, 0), "nobodys is none"),)),
            f"is seen to have integers in the ranges k from {low} to {high}",
        )
    for high in (Integer(1), nobodys + 1, oo):
        assert not faults(stating(Relation(every.left, every.op, every.right, ((k, Integer(1), high),))))
    upper = L12.bounds[1]
    line, given = statement_of(upper, scalar(M))
    narrow = Relation(line.left, line.op, line.right, ((M, Integer(4), Integer(4)),))
    says(stating(narrow, given, claim=L12.id, bound=upper, reading=()), "is a constant of the bound, not an index")


def test_a_later_range_has_integers_where_the_earlier_index_is_at_an_end() -> None:
    """Pairs i < k of 1..M, of which there are none for M = 1; a range that ends before the earlier index ever comes is none."""
    i, k = (Symbol(name, integer=True, nonnegative=True) for name in "ik")
    of_cases = Symbol("n_clients", integer=True, positive=True)
    claim = find("sfl/U3-pair")
    pairs = (k, Integer(0), of_cases - 1), (i, Integer(0), k - 1)
    assert matching._have_integers(pairs, claim, {})
    assert not matching._have_integers((pairs[0], (i, Integer(1), -k)), claim, {})
    assert not matching._have_integers((pairs[0], (i, of_cases, k)), claim, {})
    assert not matching._have_integers(((k, Integer(0), nobodys - 1), (i, Integer(0), k - 1)), claim, {})
    assert not matching._have_integers(((k, Integer(10), of_cases), (i, k, of_cases - 9)), claim, {})


def test_readings_replace_symbols() -> None:
    relation = le(QUANTITY, 10**9)
    says(stating(relation, reading={2 * L * divergence: 10**9}), "a reading may replace symbols only")


def test_a_quantity_is_something() -> None:
    says(stating(le(0, STATED.right)), "is never positive")
    says(stating(le(1, STATED.right)), "contains no term of a run")
    own = statement_of(U2.bound, L)[0]
    says(stating(own, reading={}), "contains no term of a run")
    small = Symbol("small", negative=True)
    says(stating(le(small, STATED.right)), "is never positive")
    says(stating(le(0, STATED.right)), "0 is not a quantity")


def test_a_formula_is_what_the_claim_measures() -> None:
    claim = find("sfl/D3-T@strengthened")
    true = (1 - 1 / (202 * M)) ** M * (405 - 1 / M) - 403 + 1 / M
    assert catalogue.why_different(claim, true) is None
    assert catalogue.why_different(claim, true + Integer(1) / 10**6) is not None


def test_conditions_are_the_bounds() -> None:
    upper = L12.bounds[1]
    line, given = statement_of(upper, family(Scalar, "a")())
    l12 = {"claim": L12.id, "bound": upper, "reading": ()}
    assert not faults(stating(line, given, **l12))
    assert not faults(stating(line, given[1:], **l12))  # fewer conditions: more is proved
    stronger = replace(given[0], relation=le(100, M))
    says(stating(line, (stronger, *given[1:]), **l12), "c1 differs from that condition of the bound")
    says(stating(line, (*given, Given("c9", le(100, M), "more"))), "c9: the bound has ")


def test_what_is_to_be_proved_is_no_hypothesis() -> None:
    double = le(2 * QUANTITY, 2 * STATED.right)
    for line in (STATED, le(QUANTITY, STATED.right - 1), lt(QUANTITY, STATED.right), double):
        for supposed in (False, True):
            says(
                replace(THEOREM, hypotheses=(Given("it", line, "granted", supposed),)), "it alone implies the statement"
            )


Z = Symbol("z", real=True)  # a letter that nothing else has
W, N = Symbol("w", real=True), Symbol("n", integer=True)
IN_PLACES = {  # hypotheses that together say what is to be proved, and what the fault says of them
    "an equation": ((Given("it", eq(QUANTITY, STATED.right)),), "it"),
    "a letter between": ((Given("one", eq(QUANTITY, Z)), Given("two", le(Z, STATED.right))), "one and two"),
    "two steps": ((Given("one", le(QUANTITY, Z - 1)), Given("two", le(Z, STATED.right + 1))), "one and two"),
    "a half": ((Given("it", eq(QUANTITY / 2, STATED.right / 2)),), "it"),
    "turned": ((Given("it", eq(STATED.right, QUANTITY)),), "it"),
    "letters in turn": (
        (Given("w", eq(W, QUANTITY)), Given("z", eq(Z, W)), Given("two", le(Z + Z**2, STATED.right + QUANTITY**2))),
        "two",
    ),
    "a range": ((Given("it", eq(N * QUANTITY, N * STATED.right, (N, 1, 7))),), "it"),
    "a square between": (
        (Given("one", eq(Z, QUANTITY)), Given("two", le(Z + Z**2, STATED.right + QUANTITY**2))),
        "two",
    ),
}


@pytest.mark.parametrize(("given", "words"), IN_PLACES.values(), ids=IN_PLACES)
def test_what_gives_the_statement_by_arithmetic_is_called_supposed(given: tuple[Any, ...], words: str) -> None:
    says(replace(THEOREM, hypotheses=given), f"the statement follows from {words} alone")
    first, *others = given
    named = replace(THEOREM, hypotheses=(replace(first, supposed=True), *others))
    assert not any("the statement follows from" in fault for fault in faults(named))


@pytest.mark.parametrize("less", [0, 1])
def test_a_definition_that_gives_the_statement_is_called_supposed(less: int) -> None:
    own = family(Scalar, "q")()
    line = statement_of(U2.bound, own, READING)[0]
    for supposed in (False, True):
        given = (Defines("it", own, line.right - less, supposed=supposed),)
        told = faults(replace(THEOREM, statement=line, hypotheses=given))
        assert any("follows from it alone" in fault for fault in told) != supposed


def test_an_inequality_that_gives_it_at_some_place_is_no_hypothesis() -> None:
    for line in (le(QUANTITY + N * Z, STATED.right, (N, -oo, oo)), le(QUANTITY, STATED.right, (N, 1, 7))):
        for supposed in (False, True):
            own = replace(THEOREM, hypotheses=(Given("it", line, "granted", supposed),))
            says(own, "it alone implies the statement")


def test_hypotheses_that_contradict_each_other_are_a_fault() -> None:
    both = (Given("high", le(1, Z)), Given("low", le(Z, 0)))
    says(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, *both)), "high and low contradict each other")


NEVER = (le(exp(Z), 0), le(1 + Z**2, 0, (N, 1, 5)), le(sqrt(2) * Z**2 + sqrt(3), 0), lt(0, -(Z**2)))


@pytest.mark.parametrize("line", NEVER, ids=str)
def test_a_hypothesis_that_never_holds_is_a_fault(line: Relation) -> None:
    """By the sign of its gap, at the first integer of its range, in numbers that are not rational."""
    for supposed in (False, True):
        own = Given("odd", line, supposed=supposed)
        says(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, own)), "odd never holds: from it everything follows")


@pytest.mark.parametrize(("smooth", "convex"), [(-1, None), (1, 2), (L, 2 * L), (Z, 1 + Z)], ids=str)
def test_a_class_of_no_function_is_a_fault(smooth: Expr, convex: Expr | None) -> None:
    own = Member("class", h, sympify(smooth), convex if convex is None else sympify(convex))
    told = faults(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, own)))
    name = "the smoothness of class" if convex is None else "class"
    assert any(fault.startswith(f"{name} never holds: from it everything follows") for fault in told)


def test_a_class_of_some_functions_is_none() -> None:
    for smooth, convex in ((1, 1), (L, 0), (L, Z), (0, None)):
        own = Member("class", h, sympify(smooth), convex if convex is None else sympify(convex))
        told = faults(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, own)))
        assert not any("never holds" in fault or "contradict" in fault for fault in told)


def test_a_line_over_no_integer_says_nothing() -> None:
    for line in (le(1 + Z**2, 0, (N, 2, 1)), le(1, Z), le(1 - exp(Z), 0)):
        told = faults(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, Given("odd", line))))
        assert not any("never holds" in fault for fault in told)


@pytest.mark.parametrize("factor", [pi, exp(1), sqrt(2), Rational(2, 3) * pi * sqrt(3)], ids=str)
def test_a_positive_number_times_it_is_no_hypothesis(factor: Expr) -> None:
    line = le(factor * QUANTITY, factor * STATED.right)
    says(replace(THEOREM, hypotheses=(Given("it", line),)), "it alone implies the statement")


def test_a_reading_does_not_speak_of_the_quantity() -> None:
    reading = {divergence: QUANTITY / (2 * L)}
    line = statement_of(U2.bound, QUANTITY, reading)[0]
    says(stating(line, reading=reading), "a reading must not contain the quantity")


def test_what_does_not_give_the_statement_is_no_fault() -> None:
    for given in (le(STATED.right, QUANTITY), le(QUANTITY, Z), eq(QUANTITY, 2 * STATED.right), le(Z, STATED.right)):
        assert not any("to be proved" in f for f in faults(replace(THEOREM, hypotheses=(Given("it", given),))))


@pytest.mark.parametrize(
    ("rows", "goal", "found"),
    [
        ([[1, 0], [0, 1]], [2, 3], [2, 3]),
        ([[1, -1]], [-2], [0, 2]),
        ([[1, 1], [1, 1]], [1, 2], None),
        ([[1, 2]], [-1], None),  # only with a negative multiplier
        ([[0, 0]], [0], [0, 0]),
        ([[1, 1, 0], [0, 1, 1]], [1, 1], [1, 0, 1]),
    ],
)
def test_multipliers_are_exact_and_not_negative(rows: list[Any], goal: list[Any], found: list[Any] | None) -> None:
    forms = [{i: fmpq(row[j]) for i, row in enumerate(rows) if row[j]} for j in range(len(rows[0]))]
    told = multipliers(forms, {i: fmpq(c) for i, c in enumerate(goal)})
    assert (told is None) == (found is None)
    if told is not None:
        assert min(told) >= 0
        assert [sum(c * x for c, x in zip(row, told, strict=True)) for row in rows] == goal


@pytest.mark.parametrize("turned", [False, True])
def test_definitions_are_inserted_in_whatever_order_they_stand(turned: bool) -> None:
    """t is short for w, and w for x: a line about t is one about x."""
    letters = {name: symbol(name, "real") for name in "xywt"}
    x, y, w, t = letters.values()
    two = (Definition("d1", w, x), Definition("d2", t, w))
    definitions = two[::-1] if turned else two
    assert implying_lines(Line(x, "<=", y), {"h": Line(t, "<=", y)}, definitions) == ("h",)
    assert is_identity(Line(x, "<=", t), definitions)
    assert contradictory_lines(Line(x, "<=", y), {"h": Line(make("+", t, number(1)), "<=", x)}, definitions) == ("h",)
    assert not implying_lines(Line(x, "<=", y), {"h": Line(w, "<=", t)}, definitions)


def test_what_gives_a_statement_where_nothing_is_divided_by_0_does_not_give_it_surely() -> None:
    """x / x is 1 but for x = 0: enough to call a hypothesis given away, and not enough to grant it."""
    x, y = symbol("x", "real"), symbol("y", "real")
    ratio = make("*", x, make("^", x, number(-1)))
    one, line = Line(ratio, "==", number(1)), Line(y, "<=", ratio)
    assert is_identity(one, ())
    assert not is_identity(one, (), surely=True)
    assert is_identity(one, (Definition("d", x, number(2)),), surely=True)
    assert implying_lines(Line(y, "<=", number(1)), {"h": line}, ()) == ("h",)
    assert not implying_lines(Line(y, "<=", number(1)), {"h": line}, (), surely=True)
    assert implying_lines(Line(y, "<=", ratio), {"h": line}, (), surely=True) == ("h",)
    assert contradictory_lines(one, {"h": Line(ratio, "<=", number(0))}, ()) == ("h",)


def test_a_range_that_has_integers_where_nothing_is_divided_by_0_may_have_none() -> None:
    n, k = Symbol("n", integer=True, positive=True), Symbol("k", integer=True)
    assert matching._has_integer(Integer(0), floor(sqrt(n))) is True
    assert matching._has_integer(Integer(0), floor(sqrt((k * n - n) / (k - 1)))) is False


def test_a_condition_that_a_case_breaks_is_not_granted() -> None:
    huge = Given("huge", le(10**30, L), "L is huge")
    says(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, huge), unused=("huge",)), "it fails at ")
    said = replace(huge, supposed=True)
    assert not faults(replace(THEOREM, hypotheses=(*THEOREM.hypotheses, said), unused=("huge",)))
    ell = Symbol("ell", positive=True)
    line = statement_of(U2.bound, QUANTITY, {**READING, L: ell})[0]
    says(stating(line, (Given("huge", le(10**30, ell), "huge"),), reading={**READING, L: ell}), "it fails at ")


def test_violations_are_of_the_claim_that_is_named() -> None:
    claim = find("sfl/T7@strict")
    line, given = statement_of(claim.bound, family(Scalar, "gap")())
    step = Step("1", line, Violated(claim.id), recorded="REFUTED")
    own = Theorem(
        "own/no", line, given, (step,), "REFUTED", claim.id, unused=tuple(g.id for g in given), bound=claim.bound
    )
    assert not faults(own)
    other = replace(own, steps=(replace(step, rule=Violated(T3.id)),))
    says(other, "a violated claim is refuted by a theorem that names it")
    beside = replace(step, id="0", claim=le(0, 1))
    says(replace(own, steps=(beside, step)), "the relation that sfl/T7@strict violates must be the statement")


def test_a_witness_obeys_every_condition() -> None:
    own = refuting(find("aaggff/4.1@printed"), _SPREAD, RESPONSES)
    says(replace(own, hypotheses=()), "of the bound is not a hypothesis: the counterexample must satisfy it")
    assert not faults(own)


# What is refuted ---------------------------------------------------------------------------------------------------

_LOW, _HIGH = (VOCABULARY[f"response_{end}"].symbol for end in ("low", "high"))
_SPREAD = 2 * log((1 + _HIGH) / (1 + _LOW))  # of four clients, two at either end
RESPONSES = {_LOW: Rational(1, 10), _HIGH: 1}


def refuting(claim: Claim, quantity: Any, at: dict[Any, Any], **reading: Any) -> Theorem:
    """A theorem that a claim is false, by a witness."""
    values = {VOCABULARY[name].symbol: value for name, value in reading.items()}
    line, given = statement_of(claim.bound, quantity, values)
    step = Step("1", line, Witness(at), recorded="REFUTED")
    return Theorem("own/no", line, given, (step,), "REFUTED", claim.id, bound=claim.bound, reading=values)


def test_what_is_refuted_is_what_the_claim_measures() -> None:
    """A formula in the constants at the claim's own cases; anything that is large would break the bound as well."""
    claim = find("aaggff/4.1@printed")
    for quantity in (100 * _HIGH, 2 * _SPREAD, _SPREAD + Rational(1, 10**9)):
        says(refuting(claim, quantity, RESPONSES), "is not the refuted quantity: no case of aaggff/4.1@printed")


def test_a_witness_is_compared_where_its_numbers_lead_a_case() -> None:
    """The step min η_t is no formula in the constants: the case is moved to the witness, where it is 1/5."""
    claim = find("delta_sgd/R2@printed")
    name, eta = VOCABULARY, Symbol("eta", positive=True)
    at = {
        name["smoothness"].symbol: 1,
        name["initial_ratio"].symbol: 3,
        name["initial_step_size"].symbol: Rational(1, 10),
    }
    assert not faults(refuting(claim, eta, {**at, eta: Rational(1, 5)}))
    says(refuting(claim, eta, {**at, eta: Rational(1, 6)}), "is not the refuted quantity")
    elsewhere = {**at, name["smoothness"].symbol: 2}  # no case has that constant
    says(refuting(claim, eta, {**elsewhere, eta: Rational(1, 5)}), "is not the refuted quantity")


def test_what_holds_at_its_case_is_not_refuted_there() -> None:
    claim = find("sfl/D3-T@strengthened")
    true = (1 - 1 / (202 * M)) ** M * (405 - 1 / M) - 403 + 1 / M
    assert catalogue.why_different(claim, true) is None
    assert catalogue.why_not_refuted(claim, true, {}) is not None


# For which constants -----------------------------------------------------------------------------------------------

g = Symbol("g", integer=True, nonnegative=True)
n = Symbol("n", integer=True, positive=True)
K = VOCABULARY["n_clients"].symbol


def reads(claim: Claim, **reading: Any) -> Theorem:
    values = {VOCABULARY[name].symbol: value for name, value in reading.items()}
    line, given = statement_of(claim.bound, family(Scalar, "a")(), values)
    return Theorem("own/read", line, given, (), claim=claim.id, bound=claim.bound, reading=values)


@pytest.mark.parametrize(
    ("claim", "reading", "found"),
    [
        (SIZES, {}, 0),
        (SIZES, {"n_clients": n}, 0),
        (SIZES, {"n_clients": g + 1}, 0),
        (SIZES, {"n_clients": g + 2}, 1),
        (SIZES, {"n_clients": 2 * n}, 1),
        (SIZES, {"n_clients": Integer(4)}, 1),
        (U2, {"smoothness": Integer(10**9)}, 1),
        (U2, {"smoothness": Symbol("ell", positive=True)}, 0),
        (U2, {"smoothness": 3 * Symbol("ell", positive=True)}, 0),
        (U2, {"smoothness": 1 + Symbol("ell", positive=True)}, 1),
        (U2, {"smoothness": Symbol("ell", positive=True, integer=True)}, 1),
        (U2, {"smoothness": Symbol("ell", zero=True)}, 1),
        (U2, {"smoothness": Symbol("a", positive=True), "divergence": Symbol("a", positive=True)}, 2),
        (U2, {"divergence": Symbol("d", positive=True)}, 1),
        (U2, {"divergence": L}, 1),
    ],
)
def test_what_a_reading_leaves_out(claim: Claim, reading: dict[str, Any], found: int) -> None:
    assert len(restrictions(reads(claim, **reading))) == found


def test_what_the_claim_chooses_may_be_read_so() -> None:
    """fedcg/T3.2-tuned is about the step 1/T."""
    claim = find("fedcg/T3.2-tuned@corrected")
    T = VOCABULARY["n_rounds"].symbol
    assert not restrictions(reads(claim, server_step_size=1 / T))
    assert restrictions(reads(claim, server_step_size=2 / T))


def test_what_a_bound_defines_may_be_read_as_what_the_claim_chooses() -> None:
    """The tuned step is M K times the clients' step, as the claim chooses that; nothing else, not even where a case has it so."""
    claim = find("sfl/C4-SC@explicit")
    steps, eta = VOCABULARY["n_local_steps"].symbol, VOCABULARY["step_size"].symbol

    def found(**reading: Any) -> list[str]:
        return [fault for fault in matching.faults(reads(claim, **reading)) if "is read as" in fault]

    assert not found(effective_step_size=M * steps * eta)
    assert not found(smoothness=L)
    for other in (2 * M * steps * eta, M * eta, 1 / (6 * L), Symbol("z", positive=True), Integer(0)):
        assert found(effective_step_size=other), other
    assert found(log_factor=Integer(1))


def test_cases_that_leave_nothing_out() -> None:
    even, odd = reads(SIZES, n_clients=2 * n), reads(SIZES, n_clients=2 * n + 1)
    assert is_complete((even, odd))
    assert not is_complete((even,))
    assert not is_complete((even, reads(SIZES, n_clients=2 * n + 3)))  # not 3
    assert not is_complete((odd, reads(SIZES, n_clients=4 * n)))
    assert is_complete(
        (reads(SIZES, n_clients=3 * n), reads(SIZES, n_clients=3 * n + 1), reads(SIZES, n_clients=3 * g + 2))
    )
    assert is_complete((even, reads(SIZES)))
    three = find("aaggff/4.1-K3@corrected")
    assert is_complete((reads(three, n_clients=Integer(2)), reads(three, n_clients=Integer(3))))
    assert not is_complete((reads(three, n_clients=Integer(3)),))
    assert eq(K, 2 * n) in restrictions(even)


def test_a_quantity_that_is_never_positive_says_nothing() -> None:
    for quantity in (-square(x - y), -2 * E(square(x)), -square(x) - square(y)):
        statement, conditions = statement_of(U2.bound, quantity, READING)
        says(replace(THEOREM, statement=statement, hypotheses=(*conditions, *granted(statement))), "is never positive")


@pytest.mark.parametrize(
    "quantity",
    [-E(-square(x)), -2 * E(-square(x) - square(y)), 3 * E(square(x)), square(x - y), -(-square(x) - square(y))],
)
def test_a_quantity_of_which_minus_is_taken_twice_is_never_negative(quantity: Expr) -> None:
    """So its bound from above says something, and that of minus it does not."""
    assert matching._is_nonnegative(quantity)
    assert not matching._is_nonnegative(-quantity)
    assert not matching._is_nonnegative(quantity - far)


def test_a_definition_of_what_the_bound_does_not_have_is_no_fault() -> None:
    """Of a constant of the bound, or of what it is read as, it is one: the claim is about all its values."""
    words = "defines a constant of the bound"
    plain = replace(THEOREM, hypotheses=(*THEOREM.hypotheses, Defines("named", Z, QUANTITY / 2)))
    assert not any(words in fault for fault in faults(plain))
    for constant in (L, far):
        own = replace(THEOREM, hypotheses=(*THEOREM.hypotheses, Defines("named", constant, 1 + QUANTITY)))
        assert any(words in fault for fault in faults(own)), constant


def test_integers_that_a_reading_reaches() -> None:
    """K read as z + k: all of its integers are reached from a variable without a least one, or where that is low enough."""

    def left_out(lowest: dict[str, bool], least: dict[str, bool], shift: int) -> bool:
        symbol_ = Symbol("K", integer=True, **lowest)
        variable = Symbol("k", integer=True, **least)
        return bool(_value_restrictions(symbol_, variable + shift, U2.bound))

    some, positive, nonnegative = {}, {"positive": True}, {"nonnegative": True}
    kinds: list[dict[str, bool]] = [some, nonnegative, positive]
    for (a, lowest), (b, least) in itertools.product(enumerate(kinds), repeat=2):
        for shift in (-1, 0, 1, 5):
            reaches = b == 0 or (a > 0 and shift + (b - 1) <= a - 1)
            assert left_out(lowest, least, shift) != reaches, (lowest, least, shift)


def test_a_quantity_with_a_term_of_a_run_need_not_be_a_formula() -> None:
    """It may have the letters of the bound alone besides: the claim measures it, so no formula is compared."""
    for quantity in (QUANTITY, L * QUANTITY, QUANTITY + L):
        statement, conditions = statement_of(U2.bound, quantity, READING)
        own = replace(THEOREM, statement=statement, hypotheses=(*conditions, *granted(statement)))
        assert not any("contains no term of a run" in fault for fault in faults(own))
    other, _ = statement_of(U2.bound, Symbol("other", positive=True))
    assert not any("contains no term of a run" in fault for fault in faults(stating(other)))


def _dropped_one_by_one(wanted: dict[Any, fmpq], columns: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The columns that are left if each that none of the others, nor the goal, can cancel is dropped, as often as there is one."""
    for k, (_, form) in enumerate(columns):
        others = [f for i, (_, f) in enumerate(columns) if i != k]
        for product, c in form.items():
            if c * wanted.get(product, 0) <= 0 and not any(c * f.get(product, 0) < 0 for f in others):
                return _dropped_one_by_one(wanted, columns[:k] + columns[k + 1 :])
    return columns


def test_columns_that_cannot_cancel_are_dropped() -> None:
    """What a positive multiple of a column adds must be taken away by another one, or be wanted."""
    rng = random.Random(0)

    def form() -> Any:
        return {((letter, 1),): fmpq(rng.choice((-2, -1, 1, 2))) for letter in rng.sample("abcde", rng.randint(0, 3))}

    sizes = set()
    for _ in range(400):
        wanted, columns = form(), [(str(i), form()) for i in range(rng.randint(0, 7))]
        kept = _cancellable_columns(wanted, columns)
        assert kept == _dropped_one_by_one(wanted, columns)
        sizes.add((len(kept) > 0, len(kept) < len(columns)))
    assert len(sizes) == 4
