"""Attempts to prove something false: each must be refused, and its honest neighbour accepted."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Expr, Float, Integer, Rational, Symbol, oo, sqrt

from fltheory.proof import certificates
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.algebra.normal import equal
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Instance,
    Member,
    Relation,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import Dot, Draw, E, Grad, Nonnegative, Positive, RandomInteger, Total, Val, family, square
from tests.proof.soundness import (
    FALSE,
    L,
    M,
    N,
    X,
    Y,
    a,
    accepted,
    b,
    c,
    f,
    i,
    j,
    n,
    prove,
    refused,
    refused_or_true,
    t,
    u,
    v,
    x,
    y,
)

# Combine --------------------------------------------------------------------------------------------------------


def test_an_inequality_proves_no_equation() -> None:
    h = Given("h", le(x, y))
    refused(eq(x, y), Step("1", eq(x, y), Combine(), ("h",)), given=(h,))
    refused(eq(x, y), Step("1", eq(x, y), Combine({"h": 1}), ("h",)), given=(h,))
    accepted(eq(x, y), Step("1", eq(x, y), Combine(), ("h",)), given=(Given("h", eq(x, y)),))
    relation = eq(L / 2 * square(u() - v()), Val(f(), u()) - Val(f(), v()) - Dot(Grad(f(), v()), u() - v()))
    refused(
        relation,
        Step("1", relation, Combine(axioms=((1, Axiom("descent", f(), u(), v())),)), ("m",)),
        given=(Member("m", f(), L, 0),),
    )


@pytest.mark.parametrize("weight", [-1, x, 1 / x, -L, L - 1, sqrt(x)])
def test_weights_of_inequalities_are_nonnegative(weight: Expr | int) -> None:
    claim = le(weight * a(), weight * b())
    refused_or_true(claim, Step("1", claim, Combine({"h": weight}), ("h",)), given=(Given("h", le(a(), b())),))
    good = le(L * a(), L * b())
    accepted(good, Step("1", good, Combine({"h": L}), ("h",)), given=(Given("h", le(a(), b())),))


def test_a_weight_does_not_divide_by_zero() -> None:
    """x w = 0 gives w = 0 only where x is not 0."""
    w = a()
    refused(eq(w, 0), Step("1", eq(w, 0), Combine({"h": 1 / x}), ("h",)), given=(Given("h", eq(x * w, 0)),))
    accepted(eq(w, 0), Step("1", eq(w, 0), Combine({"h": 1 / L}), ("h",)), given=(Given("h", eq(L * w, 0)),))


def test_a_strict_claim_needs_a_strict_reason() -> None:
    refused(lt(x, y), Step("1", lt(x, y), Combine(), ("h",)), given=(Given("h", le(x, y)),))
    z = Symbol("z", nonnegative=True)
    refused(lt(z * x, z * y), Step("1", lt(z * x, z * y), Combine({"h": z}), ("h",)), given=(Given("h", lt(x, y)),))
    accepted(lt(L * x, L * y), Step("1", lt(L * x, L * y), Combine({"h": L}), ("h",)), given=(Given("h", lt(x, y)),))


def test_what_holds_of_one_index_does_not_hold_of_all() -> None:
    one = (Given("h", le(a(i), 0)),)
    refused(le(a(i), 0, (i, 0, 5)), Step("1", le(a(i), 0, (i, 0, 5)), Combine(), ("h",)), given=one)
    wide = le(a(i), 0, (i, 0, 6))
    refused(wide, Step("1", wide, Combine(), ("h",)), given=(Given("h", le(a(i), 0, (i, 0, 5))),))
    narrow = le(a(i), 0, (i, 1, 5))
    accepted(narrow, Step("1", narrow, Combine(), ("h",)), given=(Given("h", le(a(i), 0, (i, 0, 5))),))


def test_an_index_is_what_its_range_makes_it() -> None:
    """A positive symbol that runs from 0 would be above 0 at 0."""
    positive = Symbol("p", integer=True, positive=True)
    even = Symbol("e", integer=True, even=True)
    refused(le(1, positive, (positive, 0, 0)), Step("1", le(1, positive, (positive, 0, 0)), Combine()))
    refused(
        le(1, positive),
        Step("1", le(1, positive, (positive, 0, 0)), Combine()),
        Step("2", le(1, 0), Summed((positive,)), ("1",)),
    )
    claim = eq((-1) ** even, 1, (even, 0, 3))
    refused(claim, Step("1", claim, Combine()))
    total = Total(sqrt(positive**2), positive, -1, 1)
    assert not equal(total, Total(sqrt(i**2), i, -1, 1)) or total.args[0] != positive


@pytest.mark.parametrize("bad", [Float("1e20") + 1 - x, oo, sqrt(Integer(-1)) * x])
def test_only_exact_real_numbers(bad: Expr) -> None:
    refused(le(bad, bad), Step("1", le(bad, bad), Combine()))


# Certificates ---------------------------------------------------------------------------------------------------


def squares(*entries: tuple[Any, tuple[tuple[Any, Any], ...]], sign: Any = None) -> dict[str, Any]:
    spell = certificates.serialize
    return {
        "squares": [
            {"weight": spell(w), "vector": [[spell(c), spell(e)] for c, e in vector]} | ({"sign": sign} if sign else {})
            for w, vector in entries
        ]
    }


def test_squares_have_real_coefficients() -> None:
    """Of I v the "square" is -|v|^2; so it is for the root of a negative number."""
    claim, imaginary = le(0, -square(u())), "Pow(Integer(-1), Rational(1, 2))"
    entry = {"weight": "Integer(1)", "vector": [["Integer(1)", f"Mul({imaginary}, {certificates.serialize(u())})"]]}
    refused(claim, Step("1", claim, Gram()), found={"1": {"squares": [entry]}})
    for root in (sqrt(x), sqrt(-x)):
        claim = le(0, root**2 * square(u()))
        refused(claim, Step("1", claim, Gram()), found={"1": squares((1, ((root, u()),)))})
        refused(claim, Step("1", claim, Gram()), found={"1": squares((1, ((1, root * u()),)))})
    claim = le(0, x**2 * square(u()) + square(v()))
    assert prove(claim, Step("1", claim, Gram())).verdict == "UNKNOWN"
    accepted(claim, Step("1", claim, Gram()), found={"1": squares((1, ((1, v()),)), (x**2, ((1, u()),)))})


def test_squares_do_not_divide_by_what_may_vanish() -> None:
    """Where t = 0, t |u + v/t|^2 - t |u|^2 - |v|^2 / t is not 2 <u, v>."""
    claim = le(0, 2 * Dot(u(), v()))
    zero = Given("zero", eq(t, 0))
    plus, minus = ({"terms": [{"coefficient": "1", "powers": powers}]} for powers in (["1", "0"], ["0", "1"]))
    spell = certificates.serialize
    entry = [
        {"weight": spell(t), "vector": [["Integer(1)", spell(u())], [spell(1 / t), spell(v())]], "sign": minus},
        {"weight": spell(-t), "vector": [["Integer(1)", spell(u())]], "sign": plus},
        {"weight": spell(-t), "vector": [[spell(1 / t), spell(v())]], "sign": plus},
    ]
    for signs in ((plus, minus), (minus, plus)):
        for square_, sign in zip(entry, (signs[0], signs[1], signs[1]), strict=True):
            square_["sign"] = sign
        refused(claim, Step("1", claim, Gram(), ("zero",)), given=(zero,), found={"1": {"squares": entry}})


# Sums, expectations, instances -----------------------------------------------------------------------------------


def test_a_range_that_depends_on_a_summed_index_does_not_stay() -> None:
    used = Given("h", le(a(i), b(j), (i, 1, 3), (j, 1, i)))
    left = le(Total(a(i), i, 1, 3), Total(b(j), i, 1, 3), (j, 1, i))
    refused(left, Step("1", left, Summed((i,)), ("h",)), given=(used,))
    wrong = le(Total(Total(a(i), i, 1, 3), j, 1, i), Total(Total(b(j), i, 1, 3), j, 1, i))
    refused(wrong, Step("1", wrong, Summed((i, j)), ("h",)), given=(used,))
    right = le(Total(Total(a(i), j, 1, i), i, 1, 3), Total(Total(b(j), j, 1, i), i, 1, 3))
    accepted(right, Step("1", right, Summed((j, i)), ("h",)), given=(used,))


def test_a_summed_weight_is_nonnegative_on_the_whole_range() -> None:
    used = Given("h", le(a(i), b(i), (i, 0, 3)))
    for weight, fine in ((i - 1, False), (i, True), (3 - i, True), (2 - i, False)):
        claim = le(Total(weight * a(i), i, 0, 3), Total(weight * b(i), i, 0, 3))
        (accepted if fine else refused)(claim, Step("1", claim, Summed((i,), weight), ("h",)), given=(used,))
    strict = lt(Total(a(i), i, 1, N), Total(b(i), i, 1, N))
    refused(strict, Step("1", strict, Summed((i,)), ("h",)), given=(Given("h", lt(a(i), b(i), (i, 1, N))),))


def test_expectations_stand_under_no_condition_on_chance() -> None:
    claim = le(E(X()), 0)
    refused(
        claim,
        Step("1", le(X(), 0), Combine(), assuming=(le(X(), 0),)),
        Step("2", claim, Expected(), ("1",), assuming=(le(X(), 0),)),
        Step("3", claim, Cases(), ("2",)),
    )
    mean = Theorem("test/mean", claim, (Given("h", le(X(), 0)),), (Step("1", claim, Expected(), ("h",)),))
    refused(
        claim,
        Step("1", claim, Apply("test/mean"), assuming=(le(X(), 0),)),
        Step("2", claim, Combine(), ("1",), assuming=(le(X(), 0),)),
        earlier=(mean,),
    )


def test_expectations_of_products() -> None:
    assert not equal(E(X() * Y()), E(X()) * E(Y()))
    assert not equal(E(X() ** 2), E(X()) ** 2)
    assert equal(E(a() * X() + E(Y())), a() * E(X()) + E(Y()))
    number = Draw(1, M)
    assert not equal(E(Total(a(i), i, 1, number)), Total(a(i), i, 1, number))


def test_instances_lie_in_their_ranges() -> None:
    used = Given("h", le(a(i), 0, (i, 0, 5)))
    for value, fine in ((0, True), (5, True), (6, False), (-1, False), (Rational(1, 2), False)):
        claim = le(a(value), 0)
        (accepted if fine else refused)(claim, Step("1", claim, Instance({i: value}), ("h",)), given=(used,))
    refused(le(a(n), 0), Step("1", le(a(n), 0), Instance({i: n}), ("h",)), given=(used,))


def test_an_assumption_on_an_index_says_nothing_of_another() -> None:
    """From the sign of b(i) alone nothing follows for b(3)."""
    steps = []
    for name, condition in (("low", le(b(i), 0)), ("high", lt(0, b(i)))):
        steps += [
            Step(
                name,
                Relation(condition.left, condition.op, condition.right, ((i, 0, 5),)),
                Combine({"assumed 1": 1}),
                assuming=(condition,),
            ),
            Step(name + "3", condition.at({i: Integer(3)}), Instance({i: 3}), (name,), assuming=(condition,)),
        ]
    report = prove(FALSE, *steps, Step("end", FALSE, Combine({"low3": 1, "high3": 1}), ("low3", "high3")))
    assert [s.outcome for s in report.steps] == ["PROVED", "UNKNOWN", "PROVED", "UNKNOWN", "UNKNOWN"]
    assert all("a line used has an assumption on i" in report.steps[n].reason for n in (1, 3))


# Definitions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "definitions",
    [
        (Defines("d", a(), 1), Defines("e", a(), 2)),
        (Defines("d", a(), a() + 1),),
        (Defines("d", a(), b() + 1), Defines("e", b(), a() + 1)),
        (Defines("d", a(), X()),),
        (Defines("d", L, -1),),
        (Defines("d", Symbol("m", integer=True), Rational(1, 2)),),
        (Defines("d", family(Nonnegative, "p")(i), i),),
        (Defines("d", family(Positive, "p")(i), i**2),),
        (Defines("d", family(RandomInteger, "p")(i), i / 2),),
        (Defines("d", family(Positive, "p")(i), family(Nonnegative, "q")(i)),),
        (Defines("d", a(), b() / x),),
        (Defines("d", a(), sqrt(x)),),
        (Defines("d", a(1), 2),),
        (Defines("d", a(), u()),),
    ],
)
def test_definitions_define(definitions: tuple[Defines, ...]) -> None:
    names = tuple(d.id for d in definitions)
    refused_or_true(le(y, y), Step("1", le(y, y), Combine(), by=names), given=definitions)


def test_a_definition_does_not_take_an_index_for_its_own() -> None:
    """c := i for one i; summed over all i that is another i."""
    d = Defines("d", c(), i)
    claim = le(Total(c(), i, 1, 2), 3)
    refused(
        claim,
        Step("1", eq(c(), i, (i, 1, 2)), Combine(), by=("d",)),
        Step("2", eq(Total(c(), i, 1, 2), 3), Summed((i,)), ("1",)),
        Step("3", claim, Combine(), ("2",)),
        given=(d,),
    )
    claim = le(i, 3, (i, 0, 5))
    refused(claim, Step("1", claim, Combine(), by=("d",)), given=(Defines("d", i, 3),))


def test_an_equation_at_one_index_is_no_definition_of_the_family() -> None:
    one = Given("one", eq(a(i), 5))
    refused(eq(a(j), 5), Step("1", eq(a(j), 5), Combine(), by=("one",)), given=(one,))
    accepted(eq(a(i) + 1, 6), Step("1", eq(a(i) + 1, 6), Combine(), by=("one",)), given=(one,))


# Apply ----------------------------------------------------------------------------------------------------------
