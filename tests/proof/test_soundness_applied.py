"""More attempts to prove something false, each refused: theorems applied, cases, inductions, numbers, normal forms."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Expr, Integer, Rational, Symbol, oo, sqrt

from fltheory.proof import Hypothesis
from fltheory.proof import language as lang
from fltheory.proof.algebra.axioms import Axiom
from fltheory.proof.algebra.normal import NotATerm, equal, normal_form
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Defines,
    Enumerate,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Member,
    Power,
    Relation,
    Squeezed,
    Step,
    Theorem,
    Witness,
    eq,
    le,
    lt,
)
from fltheory.proof.report import Report
from fltheory.proof.terms import (
    Dot,
    Draw,
    E,
    Grad,
    Nonnegative,
    Positive,
    RandomInteger,
    RandomPositive,
    RandomScalar,
    RandomVector,
    Scalar,
    Total,
    Val,
    Vector,
    family,
    square,
)
from tests.proof.soundness import SIGN, L, N, P, X, a, accepted, b, c, f, i, j, k, n, prove, refused, u, v, x, y

# Combine --------------------------------------------------------------------------------------------------------


def lemma(claim: Relation, *given: Hypothesis, steps: tuple[Step, ...] | None = None, **more: Any) -> Theorem:
    uses = tuple(h.id for h in given if not isinstance(h, Defines))
    by = tuple(h.id for h in given if isinstance(h, Defines))
    return Theorem("test/lemma", claim, given, steps or (Step("1", claim, Combine(), uses, by),), **more)


def test_a_value_is_not_caught_by_an_index() -> None:
    """b = a(0) = a(1) for a number b; with i for b this would be 0 = 1."""
    constant = lemma(
        eq(a(1), a(0)),
        Given("h", eq(a(i), x, (i, 0, 1))),
        steps=(
            Step("0", eq(a(0), x), Instance({i: 0}), ("h",)),
            Step("1", eq(a(1), x), Instance({i: 1}), ("h",)),
            Step("2", eq(a(1), a(0)), Combine({"1": 1, "0": -1}), ("0", "1")),
        ),
    )
    refused(
        eq(1, 0),
        Step("0", eq(i, i, (i, 0, 1)), Combine()),
        Step("1", eq(1, 0), Apply("test/lemma", ((a(k), k), (x, i))), ("0",)),
        earlier=(constant,),
    )


def test_a_hypothesis_for_all_is_not_met_by_one() -> None:
    three = lemma(
        le(a(3), 0), Given("h", le(a(i), 0, (i, 0, 5))), steps=(Step("1", le(a(3), 0), Instance({i: 3}), ("h",)),)
    )
    refused(
        le(a(3), 0),
        Step("1", le(a(3), 0), Apply("test/lemma"), ("h",)),
        given=(Given("h", le(a(i), 0)),),
        earlier=(three,),
    )
    short = Given("h", le(a(i), 0, (i, 0, 2)))
    refused(le(a(3), 0), Step("1", le(a(3), 0), Apply("test/lemma"), ("h",)), given=(short,), earlier=(three,))
    refused(le(a(3), 0), Step("1", le(a(3), 0), Apply("test/lemma")), earlier=(three,))
    full = Given("h", le(a(j), 0, (j, 0, 5)))
    accepted(le(a(3), 0), Step("1", le(a(3), 0), Apply("test/lemma"), ("h",)), given=(full,), earlier=(three,))


def test_a_definition_is_met_at_every_index() -> None:
    squares_ = lemma(eq(a(5), 25), Defines("d", a(k), k**2))
    refused(eq(0, 25), Step("1", eq(0, 25), Apply("test/lemma", ((a(j), 0), (k, 0)))), earlier=(squares_,))
    accepted(eq(25, 25), Step("1", eq(25, 25), Apply("test/lemma", ((a(j), j**2),))), earlier=(squares_,))


def test_a_class_is_met_by_every_function_of_the_family() -> None:
    smooth = family(Scalar, "l")
    claim = le(Val(f(2), u()), Val(f(2), v()) + Dot(Grad(f(2), v()), u() - v()) + smooth(2) / 2 * square(u() - v()))
    descent = lemma(
        claim,
        Member("m", f(k), smooth(k)),
        steps=(Step("1", claim, Combine(axioms=((1, Axiom("descent", f(2), u(), v())),)), ("m",)),),
    )
    flat = le(Val(f(2), u()), Val(f(2), v()) + Dot(Grad(f(2), v()), u() - v()))
    given = (Member("m", f(k), 1),)
    refused(flat, Step("1", flat, Apply("test/lemma", ((smooth(k), 0),)), ("m",)), given=given, earlier=(descent,))
    pinned = (Member("m", f(1), 1, 1),)
    refused(le(x, x), Step("1", le(x, x), Combine(), ("m",)), given=pinned)


def test_what_is_fixed_is_not_replaced_by_chance() -> None:
    pull = lemma(eq(E(a() * X()), a() * E(X())))
    claim = eq(E(X() * X()), X() * E(X()))
    refused(claim, Step("1", claim, Apply("test/lemma", ((a(), X()),))), earlier=(pull,))
    hidden = lemma(eq(b(), a() * c()), Defines("d", b(), E(a() * X())), Defines("e", c(), E(X())))
    claim = eq(E(X() * X()), X() * E(X()))
    refused(
        claim,
        Step("1", claim, Apply("test/lemma", ((a(), X()), (b(), E(X() * X())), (c(), E(X()))))),
        earlier=(hidden,),
    )
    accepted(
        eq(E(2 * X()), 2 * E(X())),
        Step("1", eq(E(2 * X()), 2 * E(X())), Apply("test/lemma", ((a(), 2),))),
        earlier=(pull,),
    )


def test_values_are_real_and_obey_the_signs() -> None:
    p = family(Nonnegative, "p")
    sign = lemma(le(0, p(-1)))
    refused(le(0, -1), Step("1", le(0, -1), Apply("test/lemma", ((p(k), k),))), earlier=(sign,))
    refused(le(0, -1, (k, 0, 5)), Step("1", le(0, -1, (k, 0, 5)), Apply("test/lemma", ((p(k), k),))), earlier=(sign,))
    root = lemma(le(0, a() ** 2))
    refused(le(0, x), Step("1", le(0, x), Apply("test/lemma", ((a(), sqrt(x)),))), earlier=(root,))


def test_what_a_theorem_divides_by_stays_positive() -> None:
    """p/p = 1 needs p > 0: neither 0 nor a number that is only known not to be negative may stand for it."""
    p, q, r = family(Positive, "p"), family(Nonnegative, "q"), family(RandomPositive, "r")
    whole = lemma(eq(a() * p(i) * (1 / p(i)), a()))
    for value in (0, -1, i, i**2, x, q(i), q(i) - 1):
        claim = eq(a() * value, a())
        refused(claim, Step("1", claim, Apply("test/lemma", ((p(i), value),))), earlier=(whole,))
    inverse = lemma(le(0, a() ** 2 / p(i)))
    for value in (L, 1 / L, 1 + q(i), p(2 * i), r(i)):
        claim = le(0, a() ** 2 / value)
        accepted(claim, Step("1", claim, Apply("test/lemma", ((p(i), value),))), earlier=(inverse,))
    refused(le(0, 1 / x), Step("1", le(0, 1 / x), Apply("test/lemma", ((p(i), x), (a(), 1)))), earlier=(inverse,))
    accepted(
        le(0, 1 / x),
        Step("1", le(0, 1 / x), Apply("test/lemma", ((p(i), x), (a(), 1))), ("h",)),
        earlier=(inverse,),
        given=(Given("h", lt(0, x)),),
    )
    claim = le(0, 1 / q(k))
    refused(
        claim,
        Step("1", claim, Apply("test/lemma", ((p(i), q(i)), (i, k), (a(), 1))), ("h",)),
        earlier=(inverse,),
        given=(Given("h", lt(0, q(3))),),
    )
    mean = lemma(eq(E(p(i) * X()), p(i) * E(X())))
    claim = eq(E(r(i) * X()), r(i) * E(X()))
    refused(claim, Step("1", claim, Apply("test/lemma", ((p(i), r(i)),))), earlier=(mean,))


def test_an_integer_stays_one() -> None:
    """Families are indexed by integers: what is said of a(n) for a drawn n says nothing of a(1/2)."""
    n = family(RandomInteger, "n")
    count = lemma(eq(Total(a(n()), i, 1, 3), 3 * a(n())))
    for value in (Rational(1, 2), x, X(), k / 2):
        claim = eq(Total(a(value), i, 1, 3), 3 * a(value))
        refused(claim, Step("1", claim, Apply("test/lemma", ((n(), value),))), earlier=(count,))
    for value in (Integer(3), k, 2 * k - 1):
        claim = eq(Total(a(value), i, 1, 3), 3 * a(value))
        accepted(claim, Step("1", claim, Apply("test/lemma", ((n(), value),))), earlier=(count,))


# Cases, induction, powers ----------------------------------------------------------------------------------------


def test_cases_leave_nothing_out() -> None:
    def by_cases(*conditions: Relation, claim: Relation = SIGN) -> Report:
        given = tuple(Given(f"h{m}", claim) for m, _ in enumerate(conditions))
        steps = [
            Step(f"s{m}", claim, Combine({f"h{m}": 1}), (f"h{m}",), assuming=(r,)) for m, r in enumerate(conditions)
        ]
        return prove(claim, *steps, Step("c", claim, Cases(), tuple(s.id for s in steps)), given=given)

    assert by_cases(le(x, 0), lt(0, x)).verdict == "PROVED"
    assert by_cases(le(x, 1), le(0, x)).verdict == "PROVED"
    for gap in ((lt(x, 0), lt(0, x)), (le(x, 0), le(1, x)), (le(x, 0),), (eq(x, 0), lt(0, x))):
        assert by_cases(*gap).verdict == "UNKNOWN"
    everywhere = (le(a(i), 0, (i, 0, 5)), lt(0, a(i), (i, 0, 5)))  # some a(i) may be above 0 and others not
    assert by_cases(*everywhere).verdict == "UNKNOWN"
    over = le(0, y, (i, 0, 5))
    other = le(0, y, (j, 0, 5))
    assert by_cases(le(b(i), 0), lt(0, b(i)), claim=over).verdict == "PROVED"
    steps = (
        Step("1", over, Combine({"h": 1}), ("h",), assuming=(le(b(i), 0),)),
        Step("2", other, Combine({"h": 1}), ("h",), assuming=(lt(0, b(i)),)),
        Step("3", over, Cases(), ("1", "2")),
    )
    refused(over, *steps, given=(Given("h", le(0, y)),))


def induction(claim: Relation, base: Relation, step: Relation, assuming: tuple[Relation, ...], *given: Given) -> Report:
    names = tuple(g.id for g in given)
    return prove(
        claim,
        Step("b", base, Combine(), names[:1]),
        Step("s", step, Combine(), names[1:], assuming=assuming),
        Step("i", claim, Induction(i), ("b", "s")),
        given=given,
    )


def test_induction_begins_and_goes_on() -> None:
    claim = le(a(i), a(0), (i, 0, N))
    base = Given("base", le(a(0), a(0)))
    fall = Given("fall", le(a(i + 1), a(i), (i, 0, N - 1)))
    step = le(a(i + 1), a(0), (i, 0, N - 1))
    at = (le(a(i), a(0)),)
    assert induction(claim, base.relation, step, at, base, fall).verdict == "PROVED"
    later = le(a(i + 1), a(0), (i, 1, N - 1))
    assert induction(claim, base.relation, later, at, base, fall).verdict == "UNKNOWN"
    longer = le(a(i), a(0), (i, 0, N + 1))
    assert induction(longer, base.relation, step, at, base, fall).verdict == "UNKNOWN"
    earlier = le(a(i), a(0), (i, -1, N))
    assert induction(earlier, base.relation, step, at, base, fall).verdict == "UNKNOWN"
    more = (le(a(i), a(0)), le(a(i + 1), a(i)))
    assert induction(claim, base.relation, step, more, base, fall).verdict == "UNKNOWN"
    whole = (le(a(i), a(0), (i, 0, N)),)  # the claim itself
    assert induction(claim, base.relation, step, whole, base, fall).verdict == "UNKNOWN"


def test_powers() -> None:
    z = Symbol("z", nonnegative=True)
    zero, order = Given("zero", le(0, z)), Given("order", le(z, y))
    for exponent, fine in ((2, True), (Rational(1, 2), True), (0, True), (-1, False), (x, False)):
        claim = le(z**exponent, y**exponent)
        (accepted if fine else refused)(
            claim, Step("1", claim, Power(exponent), ("zero", "order")), given=(zero, order)
        )
    claim = lt(z**2, y**2)
    refused(claim, Step("1", claim, Power(2), ("zero", "order")), given=(zero, order))
    claim = le(x**2, y**2)
    refused(claim, Step("1", claim, Power(2), ("order",)), given=(Given("order", le(x, y)),))


# Numbers --------------------------------------------------------------------------------------------------------


def test_enumeration_covers_its_ranges() -> None:
    for claim, fine in (
        (le(i**2, 25, (i, -5, 5)), True),
        (le(i**2, 24, (i, -5, 5)), False),
        (le(1, 0, (i, 1, 0)), False),
        (le(i, x, (i, 1, 2)), False),
        (le(0, i, (i, 0, oo)), False),
    ):
        (accepted if fine else refused)(claim, Step("1", claim, Enumerate()))
    half = eq(Total(1, i, Rational(1, 2), Rational(5, 2)), 3, (j, 0, 1))  # 1 and 2
    refused(half, Step("1", half, Enumerate()))


def test_witnesses() -> None:
    def outcome(claim: Relation, at: dict[Expr, Expr], *given: Given) -> str:
        step = Step("1", claim, Witness(at), tuple(g.id for g in given), recorded="REFUTED")
        other = Step("2", le(y, y), Combine(), tuple(g.id for g in given))
        return prove(le(y, y), step, other, given=given).steps[0].outcome

    assert outcome(le(L, 1), {L: 2}) == "REFUTED"
    assert outcome(le(L, 1), {L: 1}) == "UNKNOWN"
    assert outcome(le(0, L), {L: -1}) == "UNKNOWN"
    assert outcome(le(P, P - 1), {P: Rational(1, 2)}) == "UNKNOWN"
    assert outcome(le(L, 1), {L: 2}, Given("h", le(L, Rational(3, 2)))) == "UNKNOWN"
    over = le(i, 3, (i, 0, 5))
    assert outcome(over, {i: 4}) == "REFUTED"
    assert outcome(over, {i: 6}) == "UNKNOWN"
    assert outcome(over, {i: Rational(9, 2)}) == "UNKNOWN"
    every = Given("h", le(i, x, (i, 0, 5)))
    assert outcome(le(3, x), {x: 2, i: 0}, every) == "UNKNOWN"
    nested = eq(sqrt(2) + sqrt(3), sqrt(5 + 2 * sqrt(6)) * L)
    assert outcome(nested, {L: 1}) == "UNKNOWN"
    assert outcome(nested, {L: 2}) == "REFUTED"


def test_textbook_facts() -> None:
    from sympy import Max, Min, exp, log

    for claim, rule, fine in (
        (le(1 + x, exp(x)), Known("exp", x), True),
        (lt(1 + x, exp(x)), Known("exp", x), False),
        (le(log(L), L - 1), Known("log", L), True),
        (le(log(x), x - 1), Known("log", x), False),
        (eq(Min(x, L), x), Known("min", Min(x, L)), False),
        (eq(Min(x, L), L), Known("min", Min(x, L)), False),
        (eq(Max(x, L), x), Known("min", Max(x, L)), False),
        (eq(Min(x, L), x), Known("max", Min(x, L)), False),
    ):
        (accepted if fine else refused)(claim, Step("1", claim, rule))


def test_cases_in_a_circle() -> None:
    u, v, w = (Symbol(name, real=True) for name in "uvw")
    least = [[le(u, v), le(u, w)], [le(v, u), le(v, w)], [le(w, u), le(w, v)]]
    strict = [[lt(u, v), lt(u, w)], [lt(v, u), lt(v, w)], [lt(w, u), lt(w, v)]]
    for cases, fine in (
        (least, True),
        (least[:2], False),
        (strict, False),
    ):  # v < u, w < v and u < w can't be; u = v = w can
        claim = le(y, y)
        steps = [Step(f"s{n}", claim, Combine({"assumed 1": 0}), assuming=tuple(own)) for n, own in enumerate(cases)]
        end = Step("c", claim, Cases(), tuple(s.id for s in steps))
        if fine:
            accepted(claim, *steps, end)
        else:
            refused(claim, *steps, end, why="the cases are not seen to be exhaustive")


# Normal forms ---------------------------------------------------------------------------------------------------


def test_sums() -> None:
    g = family(Vector, "g")
    assert not equal(Total(a(i), i, 0, n), Total(a(i), i, 0, n - 1) + a(n))  # n may be below 0
    assert equal(Total(a(i), i, 0, N), Total(a(i), i, 0, N - 1) + a(N))
    assert not equal(Total(1, i, 1, n), n)
    assert equal(Total(1, i, 1, N), N)
    assert equal(Total(a(i), i, 3, 1), Integer(0))
    z = Symbol("z", nonnegative=True)  # a sum over 0 <= i <= 1/2 has one term
    assert not equal(Total(a(i), i, 0, z), Total(a(i), i, 0, z - 1) + a(z))
    assert not equal(Total(1, i, 0, z), z + 1)
    assert not equal(Total(a(i), i, Rational(1, 2), Rational(3, 2)), a(Rational(1, 2)) + a(Rational(3, 2)))
    assert not equal(Total(g(i), i, Rational(1, 2), Rational(3, 2)), g(Rational(1, 2)) + g(Rational(3, 2)))
    assert not equal(Total(Total(a(i, j), j, 0, i), i, 0, N), Total(Total(a(i, j), i, 0, j), j, 0, N))
    assert equal(Total(Total(a(i, j), j, 0, n), i, 0, N), Total(Total(a(i, j), i, 0, N), j, 0, n))
    assert not equal(Total(a(i) * a(j), i, 0, N), Total(a(i) * a(i), i, 0, N))
    with pytest.raises(NotATerm):
        normal_form(Total(a(i) + b(i), i, 1, oo))


def test_bound_names_catch_nothing() -> None:
    mark = Symbol("_1", integer=True)
    other = Symbol("_2", integer=True)
    for name in (mark, other):
        assert not equal(Total(a(i) * b(name), i, 0, N), Total(a(i) * b(i), i, 0, N))
        assert not equal(
            Total(Total(a(i, name), j, 0, N) * b(i), i, 0, N), Total(Total(a(i, i), j, 0, N) * b(i), i, 0, N)
        )
        assert not equal(Total(Total(b(i, j, name), i, 0, n), j, 0, n), Total(Total(b(i, j, j), i, 0, n), j, 0, n))
        assert not equal(Total(Total(b(i, j, name), i, 0, n), j, 0, n), Total(Total(b(i, j, i), i, 0, n), j, 0, n))


def test_draws_are_reordered_only_as_a_whole() -> None:
    draw = Draw(i, P)
    assert equal(Total(a(draw), i, 1, P), Total(a(i), i, 1, P))
    assert equal(Total(E(a(draw)), i, 1, P), Total(a(i), i, 1, P))
    assert not equal(Total(E(a(draw)) ** 2, i, 1, P), Total(a(i) ** 2, i, 1, P))
    assert not equal(Total(E(a(draw)) * E(b(draw)), i, 1, P), Total(a(i) * b(i), i, 1, P))
    assert not equal(Total(E(a(draw)) * a(draw), i, 1, P), Total(a(i) ** 2, i, 1, P))
    assert not equal(Total(E(a(draw)) * u(draw), i, 1, P), Total(a(i) * u(i), i, 1, P))
    assert not equal(Total(a(draw), i, 1, P - 1), Total(a(i), i, 1, P - 1))
    assert not equal(Total(a(draw) * b(i), i, 1, P), Total(a(i) * b(i), i, 1, P))
    assert not equal(Total(a(Draw(i, P)) * a(Draw(i + 1, P)), i, 1, P), Total(a(i) * a(i + 1), i, 1, P))
    assert not equal(Total(a(Draw(i, P + 1)), i, 1, P), Total(a(i), i, 1, P))


def test_roots_and_names() -> None:
    assert not equal(sqrt(x**2), x)
    assert not equal(sqrt(x * y), sqrt(x) * sqrt(y))
    assert not equal((x**2) ** Rational(3, 2), x**3)
    assert equal(L ** Rational(3, 2), L * sqrt(L))
    assert not equal(Symbol("q", real=True), Symbol("q", positive=True))
    assert not equal(Vector(Symbol("z"), i), RandomVector(Symbol("z"), i))
    assert not equal(Scalar(Symbol("z"), i), Scalar(Symbol("z"), i, i))
    assert lang.le(x, x).gap == 0


def test_no_equation_under_a_condition_on_chance_inside_an_expectation() -> None:
    chance = family(RandomScalar, "X")()
    claim = lt(0, chance)
    zero = Step("alike", eq(chance, 0), Squeezed(), ("pos",), assuming=(le(chance, 0),))
    less = Step("a", claim, Combine({"half": -2}), ("half",), ("alike",), (le(chance, 0),))
    more = Step("b", claim, Combine({"assumed 1": 1}), assuming=(claim,))
    given = (Given("pos", le(0, chance)), Given("half", eq(E(chance), Rational(1, 2))))
    refused(claim, zero, less, more, Step("c", claim, Cases(), ("a", "b")), given=given)


def test_no_range_depends_on_chance() -> None:
    place, many = Symbol("i", integer=True, nonnegative=True), Symbol("M", integer=True, positive=True)
    values, end = family(RandomScalar, "Y"), Draw(1, many) - 2
    claim = le(0, E(values(place)), (place, 0, end))
    refused(claim, Step("1", claim, Expected(), ("p",)), given=(Given("p", le(0, values(place), (place, 0, end))),))
