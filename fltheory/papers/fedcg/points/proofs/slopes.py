"""Section 2 as its claims state it: P1, largest first and second derivatives, tangents of a step, P9, gradient drift.

Random sets without the given item are numbered from 1 to S, as in ``multilinear``; all sets from 1 to M.
"""

from __future__ import annotations

from sympy import Abs, Expr, Min, Symbol

from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import N, m_max, r, step_length, tau
from fltheory.papers.fedcg.points.proofs import lemmas
from fltheory.papers.fedcg.points.proofs import multilinear as path
from fltheory.papers.fedcg.points.proofs.lemmas import CLIENTS, LAW, i, p
from fltheory.papers.fedcg.points.proofs.multilinear import (BEFORE, ITEMS, G, H, V, c, d, e, f0, f1, f2, f12, k, l,
    mean, n, s)
from fltheory.proof import Given, Relation, Theorem, by, eq, le, proof, statement_of
from fltheory.proof.terms import Nonnegative, Scalar, Total, family
from fltheory.verification import find

PLACE = "Section 2"


def over(relation: Relation, *ranges: tuple[Symbol, Expr, Expr]) -> Relation:
    """Return a relation for all of these integers."""
    return Relation(relation.left, relation.op, relation.right, ranges)


# P1 -------------------------------------------------------------------------------------------------------------------

x_e, move = Symbol("x_e", real=True), Symbol("h", positive=True)


def _along(coordinate: Expr) -> Expr:
    """Return the extension as a function of one coordinate: R has the item with this probability, independently."""
    return mean(lambda place: coordinate * f1(place) + (1 - coordinate) * f0(place))


def _added(place: Expr) -> Expr:
    """Return f(R + e) - f(R - e), averaged over whether e is drawn."""
    gain = f1(place) - f0(place)
    return x_e * gain + (1 - x_e) * gain


_P1 = find("fedcg/P1@printed").bound
P1 = proof(
    "fedcg/P1@printed",
    PLACE,
    of="fedcg/P1@printed",
    bound=_P1,
    note="every difference quotient along a coordinate, and so the derivative, is the mean of what its item adds",
).qed(statement_of(_P1, Abs((_along(x_e + move) - _along(x_e)) / move - mean(_added)))[0], by.linear())

# The largest first and second derivatives -----------------------------------------------------------------------------

_SECOND = Given("item", le(path.second, m_max), "m_f is the largest value of an item")
_P2 = find("fedcg/P2@printed").bound
SLOPE = mean(lambda place: f1(place) - f0(place))
P2 = (
    proof("fedcg/P2@printed", PLACE, of="fedcg/P2@printed", bound=_P2, note="no item has more alone than m_f")
    .under(*path.GRADIENT_HIGH.hypotheses, Given("item", le(path.alone, m_max), "m_f is the largest value of an item"))
    .step("high", le(SLOPE, path.alone), by.apply(path.GRADIENT_HIGH))
    .qed(statement_of(_P2, SLOPE)[0], by.linear("high", "item"))
)
BEND = mean(lambda place: (f12(place) - f1(place)) - (f2(place) - f0(place)))


def bend(name: str, place: str, note: str) -> Theorem:
    """Prove that a second derivative is at least -m_f."""
    bound = find(name).bound
    return (
        proof(name, place, of=name, bound=bound, note=note).under(*path.HESSIAN_LOW.hypotheses, _SECOND)
        .step("low", le(-path.second, BEND), by.apply(path.HESSIAN_LOW))
        .qed(statement_of(bound, -BEND)[0], by.linear("low", "item"))
    )


P4 = bend("fedcg/P4@printed", PLACE, "no item has more alone than m_f")
LIP3 = bend("fedcg/Lip3@printed", "Section 4", "P4 in the letters of Section 4")

# The tangent at the end of a step -----------------------------------------------------------------------------------------

_ALL, _LATER = (l, 1, n), (c, 0, n - e)
_FALLS = (
    Given("slopes", eq(G(e, l), G(e, l - 1) + d(l) * H(e, l), ITEMS, _ALL), "its partial derivatives are, too"),
    Given("curved", le(H(e, l), 0, ITEMS, _ALL),
        "P4: no second derivative is positive, that of an item with itself is 0"),
)
_BACK = find("fedcg/P4-backwards@printed").bound


def _rest(count: Expr) -> Expr:
    """Return the inner product of the move with the gradient at the end, over the first coordinates."""
    return Total(d(k) * G(k, n), k, 1, count)


P4_BACKWARDS = (
    proof("fedcg/P4-backwards@printed", PLACE, of="fedcg/P4-backwards@printed", bound=_BACK,
        note="the extension lies below its tangent at the end of a step too: slopes fall on the way")
    .under(path.PATH, *_FALLS)
    .step("slope", by.instance({l: e + c}, "slopes"), over=(ITEMS, _LATER))
    .step("curve", by.instance({l: e + c}, "curved"), over=(ITEMS, _LATER))
    .step("slope 0", le(G(e, e - 1), G(e, e - 1), ITEMS), by.linear())
    .step("slope 1", le(G(e, e + c), G(e, e - 1), ITEMS, _LATER), by.linear("slope", "curve"),
        assuming=le(G(e, e + c - 1), G(e, e - 1)))
    .step("below", le(G(e, e + c - 1), G(e, e - 1), ITEMS, (c, 0, n - e + 1)), by.induction(c, "slope 0", "slope 1"),
        note="slopes fall on the way")
    .step("last", by.instance({c: n - e + 1}, "below"))
    .step("at", by.instance({e: c + 1}, "last"), over=BEFORE)
    .step("along", by.instance({l: c + 1}, "path"), over=BEFORE)
    .step("0", le(V(0), V(0)), by.linear())
    .step("1", le(V(0) + _rest(c + 1), V(c + 1), BEFORE), by.linear("along", "at"), assuming=le(V(0) + _rest(c), V(c)))
    .step("2", le(V(0) + _rest(c), V(c), (c, 0, n)), by.induction(c, "0", "1"))
    .qed(statement_of(_BACK, _rest(n) - (V(n) - V(0)))[0], by.linear(by.instance({c: n}, "2")))
)

# Drift of the gradient ------------------------------------------------------------------------------------------------

X, LEAST, MOST = Symbol("X", real=True), Symbol("A", real=True), Symbol("B", real=True)
_BOTH = le(X, Min(LEAST, MOST))
SMALLER = (
    proof("fedcg/min-of-two", PLACE)
    .given("first", le(X, LEAST), "at most both")
    .given("second", le(X, MOST), "at most both")
    .step("a", eq(Min(LEAST, MOST), LEAST), by.fact("min", Min(LEAST, MOST)), assuming=le(LEAST, MOST))
    .step("1", _BOTH, by.linear("a", "first"), assuming=le(LEAST, MOST))
    .step("b", eq(Min(LEAST, MOST), MOST), by.fact("min", Min(LEAST, MOST)), assuming=le(MOST, LEAST))
    .step("2", _BOTH, by.linear("b", "second"), assuming=le(MOST, LEAST))
    .qed(_BOTH, by.cases("1", "2"))
)
slope = path.slope
DRIFTS = (
    path.MOVES,
    Given("slopes", le(-m_max, slope(l), (l, 1, n)), "P4: second derivatives are at least -m_f inside the cube"),
    Given("falls", le(slope(l), 0, (l, 1, n)), "P4: none is positive"),
)
_LENGTH = Total(d(k), k, 1, n)
_CHANGE = Abs(V(n) - V(0))
_DRIFT = find("fedcg/Lip2-drift@corrected").bound
_READ = {step_length: _LENGTH}
CHANGE = (
    proof("fedcg/Lip2-change", "Section 4", note="what a move makes of a partial derivative V, which falls")
    .under(*DRIFTS)
    .step("drift", by.apply(path.DRIFT, {path.m: m_max}))
    .step("order", le(V(n), V(0)), by.apply(path.FALLING))
    .step("length", le(0, d(l), (l, 1, n)), by.linear())
    .step("lengths", le(0, _LENGTH), by.sum_over(l, "length"))
    .step("up", le(V(n) - V(0), m_max * _LENGTH), by.linear("order", "lengths"))
    .step("down", le(V(0) - V(n), m_max * _LENGTH), by.linear("drift"))
    .qed(le(_CHANGE, m_max * _LENGTH), by.absolute("up", "down"))
)
LIP2 = (
    proof("fedcg/Lip2-drift@corrected", "Section 4", of="fedcg/Lip2-drift@corrected", bound=_DRIFT, reading=_READ,
        note="in each coordinate: V is a partial derivative along the way from x to x + d")
    .under(*DRIFTS)
    .given("most", le(V(0), m_max), "P2: no partial derivative is above m_f in the cube")
    .given("least", le(0, V(n)), "P2: none is negative")
    .step("far", by.apply(CHANGE))
    .step("order", le(V(n), V(0)), by.apply(path.FALLING))
    .step("up", le(V(n) - V(0), m_max), by.linear("order"))
    .step("down", le(V(0) - V(n), m_max), by.linear("most", "least"))
    .step("whole", by.absolute("up", "down"))
    .qed(statement_of(_DRIFT, _CHANGE, _READ)[0], by.apply(SMALLER, {X: _CHANGE, LEAST: m_max, MOST: m_max * _LENGTH}))
)
_STEP = find("fedcg/Lip1@corrected").bound
LIP1 = (
    proof("fedcg/Lip1-change", "Section 4", of="fedcg/Lip1@corrected", bound=_STEP,
        note="no partial derivative V changes by more than m r/tau in a local step inside the cube")
    .under(*DRIFTS)
    .given("length", le(_LENGTH, r / tau), "a local step has r coordinates of 1/tau")
    .step("far", by.apply(CHANGE))
    .qed(statement_of(_STEP, _CHANGE)[0], by.linear("far", "length"))
)

# P9 and (5) -----------------------------------------------------------------------------------------------------------------

M = Symbol("M", integer=True, positive=True)
ALL_SETS = (s, 1, M)
chance, end = family(Nonnegative, "chance"), family(Scalar, "end")
own, of_clients = family(Scalar, "f_i"), family(Scalar, "F_R")
high, low, high_all, low_all = (family(Scalar, name) for name in ("f_i+", "f_i-", "F+", "F-"))


def of_sets(value: Expr) -> Expr:
    """Return the mean over the random sets."""
    return Total(chance(s) * value, s, 1, M)


def slope_at(item: Expr, with_it: Expr, without: Expr) -> Expr:
    """Return the mean marginal value of an item for the random sets."""
    return Total(end(item, s) * (with_it - without), s, 1, M)


def clients(term: Expr) -> Expr:
    """Return the mean over the clients."""
    return Total(p(i) * term, i, 1, N)


_SPLIT = find("fedcg/P9@printed").bound
_VALUES = of_sets(of_clients(s)) - clients(of_sets(own(i, s)))
_SLOPES = slope_at(e, high_all(e, s), low_all(e, s)) - clients(slope_at(e, high(i, e, s), low(i, e, s)))
_ADDED = end(e, s) * (high(i, e, s) - low(i, e, s))
SPLIT = Abs(_VALUES) + Total(Abs(_SLOPES), e, 1, n)


def _swapped(term: Expr) -> Relation:
    """State that the mean over the clients and the mean over the sets commute."""
    return eq(Total(Total(p(i) * term, i, 1, N), s, 1, M), Total(Total(p(i) * term, s, 1, M), i, 1, N))


P9 = (
    proof("fedcg/P9@printed", PLACE, of="fedcg/P9@printed", bound=_SPLIT,
        note="the extension and its gradient are linear in the function")
    .given("sets", eq(of_clients(s), clients(own(i, s)), ALL_SETS), "F(R) = sum_i p_i f_i(R)")
    .given("with", eq(high_all(e, s), clients(high(i, e, s)), ITEMS, ALL_SETS), "the same of R + e")
    .given("without", eq(low_all(e, s), clients(low(i, e, s)), ITEMS, ALL_SETS), "and of R - e")
    .step("mean", by.sum_over(s, "sets", weight=chance(s)))
    .step("swap", _swapped(chance(s) * own(i, s)),
        by.apply(algebra.SWAP, {algebra.pair(s, i): p(i) * chance(s) * own(i, s), algebra.first: M, algebra.second: N}))
    .step("values up", le(_VALUES, 0), by.linear("mean", "swap"))
    .step("values down", le(-_VALUES, 0), by.linear("mean", "swap"))
    .step("values", by.absolute("values up", "values down"))
    .step("added", eq(high_all(e, s) - low_all(e, s), clients(high(i, e, s)) - clients(low(i, e, s)), ITEMS, ALL_SETS),
        by.linear("with", "without"))
    .step("slope", by.sum_over(s, "added", weight=end(e, s)))
    .step("swap slopes", over(_swapped(_ADDED), ITEMS),
        by.apply(algebra.SWAP, {algebra.pair(s, i): p(i) * _ADDED, algebra.first: M, algebra.second: N}))
    .step("slopes up", le(_SLOPES, 0, ITEMS), by.linear("slope", "swap slopes"))
    .step("slopes down", le(-_SLOPES, 0, ITEMS), by.linear("slope", "swap slopes"))
    .step("slopes", by.absolute("slopes up", "slopes down"))
    .step("all slopes", by.sum_over(e, "slopes"))
    .step("sign", le(0, Abs(_SLOPES), ITEMS), by.linear())
    .step("signs", by.sum_over(e, "sign"))
    .step("most", le(SPLIT, 0), by.linear("values", "all slopes"))
    .step("least", le(0, SPLIT), by.linear("signs"))
    .qed(statement_of(_SPLIT, SPLIT)[0], by.antisymmetry("most", "least"))
)
_COVERED = find("fedcg/C-3.1-coverage@printed").bound
_OFF = Abs(lemmas.g(i, e) - Total(p(lemmas.j) * lemmas.g(lemmas.j, e), lemmas.j, 1, N))
COVERAGE = (
    proof("fedcg/C-3.1-coverage@printed", "text after (5)", of="fedcg/C-3.1-coverage@printed", bound=_COVERED,
        note="a client that is a point of weight 1 has partial derivatives from 0 to 1")
    .under(LAW)
    .given("low", le(0, lemmas.g(i, e), CLIENTS), "P2: no partial derivative is negative, in any item e")
    .given("high", le(lemmas.g(i, e), 1, CLIENTS), "P2: none is above the value of a single item, at most 1")
    .step("sharp", by.apply(lemmas.S0, {m_max: 1}))
    .qed(over(statement_of(_COVERED, _OFF)[0], CLIENTS), by.linear("sharp"))
)

THEOREMS = (P1, P2, P4, LIP3, P4_BACKWARDS, SMALLER, CHANGE, LIP2, LIP1, P9, COVERAGE)
