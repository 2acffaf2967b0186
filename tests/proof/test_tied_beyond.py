"""Hypotheses that go beyond a claim in a roundabout way, and readings that tie its constants: nothing is PROVED of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sympy import Expr, Integer, Rational, Symbol, exp, floor, log, oo

from fltheory.model.bound import Bound
from fltheory.proof import Axiom, library
from fltheory.proof.check import check_theorem
from fltheory.proof.language import (
    Combine,
    Defines,
    Given,
    Hypothesis,
    Instance,
    Member,
    Relation,
    Step,
    Theorem,
    eq,
    le,
    statement_of,
)
from fltheory.proof.matching import matching
from fltheory.proof.matching.restrictions import restrictions
from fltheory.proof.terms import Fun, Grad, Nonnegative, Positive, Scalar, Total, Vector, family, square
from fltheory.symbols import VOCABULARY
from fltheory.symbols import n_clients as M
from fltheory.symbols import smoothness as L
from fltheory.verification import find

U2, SIZES = find("sfl/U2@explicit"), find("aaggff/4.1@corrected")
DIVERGENCE = next(s for s in U2.bound.symbols if s != L)
Q, far, ell, b = (
    family(Nonnegative, "measured")(),
    family(Nonnegative, "far")(),
    family(Positive, "ell")(),
    family(Scalar, "b")(),
)
k, n = Symbol("k", integer=True, positive=True), Symbol("n", integer=True, nonnegative=True)
z, between = Symbol("z", positive=True), Symbol("between", real=True)
LEAST = Rational(1, 10**30)
SMALL = 2 * far * 10**30 * L  # what a bound on L gives with the line of the run below
RUN = Given("run", le(Q, 2 * far * 10**30 * L**2), "true of no run but those with a tiny L")


def theorem(
    hypotheses: Sequence[Hypothesis], *steps: Step, reading: Mapping[Symbol, Any] | None = None, **more: Any
) -> Theorem:
    reading = {DIVERGENCE: far} if reading is None else reading
    statement = more.pop("statement", None) or statement_of(U2.bound, Q, reading)[0]
    own = {"claim": U2.id, "bound": U2.bound} | more
    steps = (*steps[:-1], replace(steps[-1], claim=statement))
    return Theorem("own/beyond", statement, tuple(hypotheses), steps, reading=reading, **own)


def last(weights: Mapping[str, Expr | float], *uses: str, by: Sequence[str] = ()) -> Step:
    return Step("last", le(0, 1), Combine(weights), uses or tuple(weights), by=tuple(by))


def refused(own: Theorem, part: str) -> None:
    """It would be proved but for the fault."""
    report = check_theorem(own, {})
    assert any(part in fault for fault in report.faults), report.faults
    assert all(s.outcome == "PROVED" for s in report.steps), [s.reason for s in report.steps]
    assert report.verdict == "UNKNOWN"


SUPPOSED: dict[str, tuple[list[Hypothesis], list[Step]]] = {
    "an index of one value": (
        [Given("s", le(k * L, k * LEAST, (k, 1, 1)))],
        [Step("t", le(L, LEAST), Instance({k: 1}), ("s",)), last({"run": 1, "t": SMALL})],
    ),
    "a letter that is defined": (
        [Given("s", le(L, b)), Defines("d", b, LEAST)],
        [last({"run": 1, "s": SMALL}, by=("d",))],
    ),
    "a letter between": (
        [Given("s", le(L, between)), Given("t", le(between, LEAST))],
        [last({"run": 1, "s": SMALL, "t": SMALL})],
    ),
    "an integer between": (
        [Given("s", le(10**30 * L, n)), Given("t", le(n, 1))],
        [last({"run": 1, "s": SMALL / 10**30, "t": SMALL / 10**30})],
    ),
}


@pytest.mark.parametrize("way", SUPPOSED)
def test_lines_that_leave_out_a_case_are_told(way: str) -> None:
    more, steps = SUPPOSED[way]
    refused(theorem([RUN, *more], *steps), "which the claim allows: mark a hypothesis as supposed")


def test_a_multiple_of_a_letter_is_as_small_as_the_letter() -> None:
    run = Given("run", le(Q, 2 * far * 10**30 * (3 * z) ** 2))
    own = theorem(
        [run, Given("s", le(3 * z, LEAST))],
        last({"run": 1, "s": 6 * far * 10**30 * z}),
        reading={L: 3 * z, DIVERGENCE: far},
    )
    refused(own, "s exclude")
    sizes = le(Q * (1 + VOCABULARY["response_low"].symbol), _SPREAD * floor((n + 1) / 2))
    statement = statement_of(SIZES.bound, Q, {M: n + 1})[0]
    few = theorem(
        [Given("run", sizes), Given("few", le(n, 1))],
        last({"run": 1 / (1 + VOCABULARY["response_low"].symbol), "few": 0}),
        reading={M: n + 1},
        statement=statement,
        claim=SIZES.id,
        bound=SIZES.bound,
    )
    refused(few, "few exclude")


_SPREAD = VOCABULARY["response_high"].symbol - VOCABULARY["response_low"].symbol
_SIZES = Given("run", le(Q * (1 + VOCABULARY["response_low"].symbol), _SPREAD * floor(k / 2), (k, 4, 4)))


def _of_sizes(statement: Relation, run: Relation, reading: Mapping[Symbol, Any]) -> Theorem:
    weight = 1 / (1 + VOCABULARY["response_low"].symbol)
    return theorem(
        [Given("run", run)],
        last({"run": weight}),
        reading=reading,
        statement=statement,
        claim=SIZES.id,
        bound=SIZES.bound,
    )


def test_an_index_is_no_constant_and_stands_in_the_statement() -> None:
    low = VOCABULARY["response_low"].symbol
    said = statement_of(SIZES.bound, Q, {M: k})[0]
    one = Relation(said.left, said.op, said.right, ((k, Integer(4), Integer(4)),))
    refused(
        _of_sizes(one, le(Q * (1 + low), _SPREAD * floor(k / 2), (k, 4, 4)), {M: k}), "k is a constant of the bound"
    )
    said = statement_of(SIZES.bound, Q, {})[0]
    empty = Relation(said.left, said.op, said.right, ((k, Integer(3), M),))
    refused(
        _of_sizes(empty, le(Q * (1 + low), _SPREAD * floor(M / 2), (k, 3, M)), {}),
        "the index k does not occur in the statement",
    )


def test_a_bound_is_the_claims_own_object() -> None:
    class Alike(Bound):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = Bound.__hash__

    other = Alike(10**9 * DIVERGENCE * L, U2.bound.source)
    own = theorem(
        [Given("run", le(Q, 10**9 * far * L / 2 + b)), Given("b", le(b, 0))],
        last({"run": 1, "b": 1}),
        statement=statement_of(other, Q, {DIVERGENCE: far})[0],
        bound=other,
    )
    refused(own, "its bound is not one of the bounds of sfl/U2@explicit")


def test_letters_of_a_reading_are_free() -> None:
    """A number that the theorem names stands for a constant only as long as nothing else is known of it."""
    tied_ones = {L: ell, DIVERGENCE: 5 * ell}
    statement = statement_of(U2.bound, Q, tied_ones)[0]
    own = theorem([Given("run", le(Q, statement.right * exp(b)))], last({"run": 1}), reading=tied_ones)
    assert restrictions(own) == (eq(DIVERGENCE, 5 * Symbol(str(ell), positive=True)),)
    free = {L: ell, DIVERGENCE: family(Nonnegative, "gap")()}
    assert restrictions(theorem([RUN], last({"run": 1}), reading=free)) == ()
    seven = {L: Total(7 * k, k, 1, 1), DIVERGENCE: far}
    assert restrictions(theorem([RUN], last({"run": 1}), reading=seven)) == (eq(L, Total(7 * k, k, 1, 1)),)
    fixed = theorem(
        [Given("run", le(Q * (1 + ell**2), 700 * far)), Defines("d", ell, 7)],
        last({"run": Rational(1, 50)}, by=("d",)),
        reading={L: ell, DIVERGENCE: far},
    )
    refused(fixed, "the hypothesis d defines a constant of the bound")


def test_a_class_of_functions_has_a_letter_for_its_smoothness() -> None:
    f, u, v = family(Fun, "f")(), family(Vector, "u")(), family(Vector, "v")()
    apart = square(Grad(f, u) - Grad(f, v))
    hypotheses = [Member("cl", f, 0, 0), Given("apart", le(1, apart * exp(b)))]
    own = theorem(
        hypotheses,
        Step("none", le(apart, 0), Combine((), ((1, Axiom("lipschitz", f, u, v)),)), ("cl",)),
        last({"none": Q * exp(b), "apart": Q}),
    )
    refused(own, "the hypothesis cl fixes the smoothness of its functions")


NEVER = {"without end": (n, 1, oo), "to a letter": (n, 0, Symbol("N", integer=True, nonnegative=True))}


@pytest.mark.parametrize("way", NEVER)
def test_what_never_holds_at_the_start_of_a_range_is_told(way: str) -> None:
    never = Given("never", le(1 + between**2, 0, NEVER[way]))
    own = theorem(
        [never],
        Step("one", le(1 + between**2, 0), Instance({n: 1 if way == "without end" else 0}), ("never",)),
        last({"one": Q}),
    )
    refused(own, "never never holds: from it everything follows")


def test_a_multiple_of_the_statement_is_the_statement() -> None:
    right = statement_of(U2.bound, Q, {DIVERGENCE: far})[0].right
    own = theorem([Given("run", le(Q * z, right * z))], last({"run": 1 / z}))
    refused(own, "the hypothesis run alone implies the statement")


def test_what_takes_too_long_to_compare_is_no_proof() -> None:
    right = statement_of(U2.bound, Q, {DIVERGENCE: far})[0].right
    many = sum(family(Scalar, "p")(i) for i in range(4_000))
    heavy = Given("heavy", le(Total(many**3 * k, k, 1, n), many**2 + log(z)))
    own = theorem([Given("run", le(Q, right + b)), Given("b", le(b, 0)), heavy], last({"run": 1, "b": 1}))
    assert "it takes too long to check" in " ".join(matching.faults(own))


def test_none_that_is_recorded_is_at_fault() -> None:
    """The mends refuse no theorem that stands; those that are given away by arithmetic say so."""
    for key in library.entry_points_by_key():
        for own in library.load(key).theorems:
            assert not list(matching.faults(own)), own.id
