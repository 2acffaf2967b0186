"""Corollary 20 as printed, strengthened, and at its tuned step: the rounds of ``coupled`` one after the other."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Min, Rational, Symbol, exp

from fltheory.papers.sfl.notation import D, K, L, M, R, eta, eta_eff, mu, zeta_star
from fltheory.papers.sfl.recursion.proofs.averages import LAST, W, b, c, d, f, q, r
from fltheory.papers.sfl.recursion.proofs.facts import SQUARE
from fltheory.papers.sfl.upper.proofs import coupled as one
from fltheory.papers.sfl.upper.proofs.coupled import CLASS, CURVED, ORDER, PLACE, best
from fltheory.papers.sfl.upper.proofs.tuned import is_least, least
from fltheory.proof import Given, Relation, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.algebra.replacing import substitute_term
from fltheory.proof.terms import PERMUTATION, E, RandomVector, Vector, family, free_symbols, rename_permutation, square
from fltheory.verification import find

x, y, w, u = (family(RandomVector, name) for name in "xywu")
ROUNDS, UNTIL = (r, 0, R), (r, 0, R - 1)
STEP = eta * M * K
_IN_ROUND = {
    PERMUTATION: r,
    one.X: x(r),
    one.AFTER: x(r + 1),
    one.X2: w(r),
    one.AFTER2: w(r + 1),
    one.Y(one.n, one.k): y(r, one.n, one.k),
    one.Y2(one.n, one.k): u(r, one.n, one.k),
}


def every_round(*hypotheses: Any) -> tuple[Given, ...]:
    """Return the hypotheses of one round, for every round: the order of the clients is that of the round."""
    pairs, found = list(_IN_ROUND.items()), []
    for entry in hypotheses:
        left, right = (substitute_term(rename_permutation(side, r), pairs) for side in (entry.relation.left, entry.relation.right))
        over = entry.relation.over
        over = (ROUNDS, *over) if r in free_symbols(left) | free_symbols(right) else over
        found.append(Given(entry.id, Relation(left, entry.relation.op, right, over), entry.why))
    return tuple(found)


def distance(point: Expr) -> Expr:
    """E|point - x*|^2."""
    return E(square(point - best))


def _sides(relation: Relation) -> tuple[Any, ...]:
    return relation.left, relation.op, relation.right


_SPREAD = every_round(*one.SPREAD)
_FIRST = every_round(*one.one_round(one.X, one.AFTER, one.Y))
_SECOND = tuple(
    Given(h.id, h.relation, "the same steps in the same orders from another start: what the second run is")
    for h in every_round(*one.one_round(one.X2, one.AFTER2, one.Y2, " too"))
)
START = Given("distance", eq(distance(x(0)), D**2), "the start")
CAP = Given("cap", le(STEP, 1 / (6 * L)), "the step is small")
_ALONG = (CLASS, ORDER, CURVED)
_IDS = ("class", "order", "curved")
SMALL = (
    line("steps", le(1, M * K), by.polynomial()),
    line("cap step", le(eta, 1 / (6 * L)), by.linear("cap", "steps")),
)

# From the start to the last round ------------------------------------------------------------------------------------

_U = mu * STEP
_E, _FAR = exp(-_U), eta**3 * L * M**2 * K**3 * zeta_star**2 / 2
_REST = Rational(7, 12) * L * STEP**2 * zeta_star**2 / (mu * M)
V, Y, X = Symbol("V", positive=True), Symbol("Y", positive=True), Symbol("X", nonnegative=True)
OVER = (
    proof("sfl/C20-over", PLACE, note="a smaller number below the line")
    .given("order", le(Y, Rational(7, 6) * V), "order of the denominators")
    .qed(le(X / V, Rational(7, 6) * X / Y), by.linear("order"))
)
FAR = (
    proof("sfl/C20-far", PLACE, note="how far the last round ends from x*")
    .under(*_ALONG, CAP, *_SPREAD, *_FIRST, START)
    .steps(*SMALL)
    .step("round", by.apply(one.ROUND, _IN_ROUND, *_IDS, "cap step", *(h.id for h in (*_SPREAD, *_FIRST))))
    .step("most", le(_U, Rational(1, 6)), by.linear("cap", "order"))
    .step("most once", le(eta * L, Rational(1, 6)), by.linear("cap step"))
    .step("below one", le(0, one.q1), by.linear("most once", "order"))
    .step("tangent", by.fact("exp", -eta * mu), note="1 + x <= e^x")
    .step("power", by.power(M * K, "below one", "tangent"))
    .step("square", by.apply(SQUARE, {family(Vector, "x")(): x(r) - best}), over=ROUNDS)
    .step("far", by.expectation("square"))
    .step("smaller", le(one.q1 ** (M * K) * distance(x(r)), _E * distance(x(r)), ROUNDS), by.linear("power", "far"))
    .step("recursion", le(distance(x(r + 1)), _E * distance(x(r)) + _FAR, ROUNDS), by.linear("round", "smaller"))
    .step("grows", by.fact("exp", _U))
    .step("gap", le(_U, (1 + _U) * (1 - _E)), by.linear("grows"))
    .step("contracts", lt(0, 1 - _E), by.linear({"gap": 1 / (1 + _U), "curved": STEP / (1 + _U)}))
    .step("share", le(_U, Rational(7, 6) * (1 - _E)), by.linear("gap", "most", "contracts"))
    .step("start", le(distance(x(0)), D**2), by.linear("distance"))
    .step("none", le(0, 0, ROUNDS), by.linear())
    .step("unrolled",
        by.apply(LAST, {q: _E, W: 1 - _E, b: 1, eta_eff: 1, c: _FAR, d(r): distance(x(r)), f(r): Integer(0)},
            "recursion", "none", "start", "contracts"), note="the recursion unrolled")
    .step("rate", lt(0, _U), by.linear(curved=STEP))
    .step("rest", by.apply(OVER, {V: 1 - _E, Y: _U, X: _FAR}, "share", "contracts", "rate"))
    .qed(le(distance(x(R)), D**2 * exp(-_U * R) + _REST), by.linear("unrolled", "rest", "curved"))
)
# Two runs --------------------------------------------------------------------------------------------------------------

_CLOSE = le(E(square(x(r) - w(r))), exp(-2 * _U * r) * D**2)
BEGINS = Given("begins", eq(w(0), best), "the second run starts at x*")
APART = (
    proof("sfl/C20-apart", PLACE, note="a run and one from x* with the same orders")
    .under(*_ALONG, CAP, *_FIRST, *_SECOND, START, BEGINS)
    .steps(*SMALL)
    .step("round", by.apply(one.TWIN, _IN_ROUND, *_IDS, "cap step", *(h.id for h in (*_FIRST, *_SECOND))))
    .step("start", _CLOSE.at({r: Integer(0)}), by.linear("distance"), inserting="begins")
    .step("one", Relation(*_sides(_CLOSE.at({r: r + 1})), (UNTIL,)), by.linear("round"), assuming=_CLOSE)
    .step("all", Relation(*_sides(_CLOSE), (ROUNDS,)), by.induction(r, "start", "one"))
    .qed(_CLOSE.at({r: R}), by.instance({r: R}, "all"), name="last")
)
_BOTH = (*_ALONG, CAP, *_SPREAD, *_FIRST, *_SECOND, START, BEGINS)
_TWICE = 2 * exp(-2 * _U * R) * D**2
NEAR = (
    proof("sfl/C20-near", PLACE, note="by way of the second run").under(*_BOTH)
    .step("apart", by.apply(APART, *(h.id for h in _BOTH)))
    .step("home", eq(square(w(0) - best), 0), by.linear({"begins": w(0) - best}))
    .step("from home", by.expectation("home"))
    .step("second", by.apply(FAR, {x(r): w(r), y(r, one.n, one.k): u(r, one.n, one.k), D: Integer(0)}),
        note="from x* there is nothing to forget")
    .step("sum", le(square(x(R) - best), 2 * square(x(R) - w(R)) + 2 * square(w(R) - best)),
        by.apply("sfl/C20-sum", {one.y: x(R) - w(R), one.z: w(R) - best}))
    .step("mean", le(distance(x(R)), 2 * E(square(x(R) - w(R))) + 2 * distance(w(R))), by.expectation("sum"))
    .qed(le(distance(x(R)), _TWICE + 2 * _REST), by.linear("mean", "apart", "second", "curved"), name="last")
)
SUM = proof("sfl/C20-sum", PLACE).qed(le(square(one.y + one.z), 2 * square(one.y) + 2 * square(one.z)), by.sos(),
    note="two terms")

m = Symbol("m", positive=True)
INVERSE = proof("sfl/C20-inverse", PLACE).qed(le(0, 1 / m), by.linear())
_GROWTH = exp(2 * m * STEP * R)
DECAYED = (
    proof("sfl/C20-decayed", PLACE, note="the first term where the logarithm is long enough")
    .given("long", le(m**3 * M * R**2 * D**2 - L * zeta_star**2 * _GROWTH, 0), "the step's logarithm")
    .qed(le(2 * D**2 / _GROWTH, 2 * L * zeta_star**2 / (m**3 * M * R**2)), by.linear("long"))
)

# As in the catalogue --------------------------------------------------------------------------------------------------


def last_iterate(claim: str, base: Theorem, by_drift: Expr) -> Theorem:
    """Prove the claim at any step up to 1/(6 L); ``by_drift`` is the unused part of its heterogeneity term."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, distance(x(R)))
    own = tuple(h for h in base.hypotheses if h.id not in ("cap", "curved"))
    return (
        proof(claim, of=claim, bound=bound).under(*own, *conditions)
        .step("base", base.statement, by.apply(base.id, *(h.id for h in own), "c1", "c2"))
        .step("inverse", by.apply(INVERSE, {m: mu}, "c2"))
        .step("drift", le(0, L * STEP**2 * zeta_star**2 / (mu * M)), by.linear("inverse"))
        .qed(statement, by.linear("base", "drift", "c2"), name="last")
    )


PRINTED = last_iterate("sfl/C20@printed", FAR, 24 - Rational(7, 12))
SHARPENED = last_iterate("sfl/C20@strengthened", NEAR, 24 - Rational(7, 6))
# At the tuned step --------------------------------------------------------------------------------------------------------

_CASES = (1 / (6 * L) - STEP, mu**3 * M * R**2 * D**2 - L * zeta_star**2 * exp(2 * _U * R))
_LONG = Given("long", le(Min(*_CASES), 0),
    "the step is the largest allowed one, or e^(2 mu eta R) is at least mu^3 M R^2 D^2/(L zeta_*^2), infinite where zeta_* = 0")
_FIRST_TERM, _LARGEST = 2 * D**2 * exp(-2 * _U * R), 2 * D**2 * exp(-mu * R / (3 * L))
_SHARE = L * zeta_star**2 / (mu**3 * M * R**2)
_FORGOTTEN = le(_FIRST_TERM, _LARGEST + 2 * _SHARE)
_TUNED = find("sfl/C20-tuned@explicit").bound
_READ = {eta_eff: STEP}
_STATED, _MORE = statement_of(_TUNED, distance(x(R)), _READ)
_NEAR_OWN = tuple(h for h in _BOTH if h.id != "curved")
TUNED = (
    proof("sfl/C20-tuned", of="sfl/C20-tuned@explicit", bound=_TUNED, reading=_READ).under(*_NEAR_OWN, _LONG, *_MORE)
    .step("near", by.apply(NEAR, *(h.id for h in _NEAR_OWN), "c1"))
    .step("inverse", by.apply(INVERSE, {m: mu}, "c1"))
    .step("zero", le(0, 0), by.linear())
    .step("inverse, cubed", by.power(3, "zero", "inverse"))
    .step("share", le(0, _SHARE), by.linear("inverse, cubed"))
    .steps(*least("1", _CASES, 0, "long", "the step is the largest allowed one"))
    .step("1a", by.fact("exp", 2 * mu * R * (STEP - 1 / (6 * L))), note="1 + x <= e^x")
    .step("1", _FORGOTTEN, by.linear("1a", "1gap", "share"), assuming=is_least(_CASES, 0))
    .steps(*least("2", _CASES, 1, "long", "the logarithm is long enough"))
    .step("2 largest", le(0, _LARGEST), by.linear())
    .step("2a", by.apply(DECAYED, {m: mu}, "2gap", "c1"), assuming=is_least(_CASES, 1))
    .step("2", _FORGOTTEN, by.linear("2a", "2 largest"), assuming=is_least(_CASES, 1))
    .step("first", by.cases("1", "2"))
    .step("drift", le(0, L * STEP**2 * zeta_star**2 / (mu * M)), by.linear("inverse"))
    .qed(_STATED, by.linear("near", "first", "drift", "c1"), name="last")
)
_SOFT = find("sfl/C20-tuned@printed").bound
_SOFTLY, _SAME = statement_of(_SOFT, distance(x(R)), _READ)
TUNED_PRINTED = (
    proof("sfl/C20-tuned-printed", of="sfl/C20-tuned@printed", bound=_SOFT, reading=_READ)
    .under(*_NEAR_OWN, _LONG, *_SAME)
    .step("explicit", by.apply(TUNED))
    .step("inverse", by.apply(INVERSE, {m: mu}, "c1"))
    .step("zero", le(0, 0), by.linear())
    .step("inverse, cubed", by.power(3, "zero", "inverse"))
    .step("share", le(0, _SHARE), by.linear("inverse, cubed"))
    .qed(_SOFTLY, by.linear("explicit", "share"), name="last", note="no constant exceeds 1000")
)
THEOREMS = (OVER, FAR, APART, SUM, NEAR, INVERSE, DECAYED, PRINTED, SHARPENED, TUNED, TUNED_PRINTED)
