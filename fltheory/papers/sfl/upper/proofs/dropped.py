"""Theorem 3 as printed, at its largest step, and Section 4.3: when the term of the start may be omitted."""

from __future__ import annotations

from sympy import Symbol, exp

from fltheory.papers.sfl import bounds
from fltheory.papers.sfl.notation import D, K, L, M, R, a, c1, c2, eta, eta_eff, eta_max, mu
from fltheory.papers.sfl.upper.proofs import rates, tuned
from fltheory.papers.sfl.upper.proofs.rates import gap, x_bar
from fltheory.papers.sfl.upper.proofs.tuned import alpha
from fltheory.proof import Defines, Given, Relation, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import substitute
from fltheory.verification import find

DROPPED = "Section 4.3"
STEP = eta * M * K
_BASE = next(t for t in rates.THEOREMS if t.id == "sfl/T3-SC")
_OWN = tuple(h for h in _BASE.hypotheses if h.id not in ("c1", "c2"))
_GIVEN = tuple(h.id for h in _OWN if not isinstance(h, Defines))
_INSERTED = tuple(h.id for h in _OWN if isinstance(h, Defines))

# Theorem 3 at the step 1/(6 L) -------------------------------------------------------------------------------------------

_PRINTED = find("sfl/T3-SC@printed").bound
_STATED, _IF = statement_of(_PRINTED, gap(x_bar))
LARGEST = (
    proof("sfl/T3-SC-printed", of="sfl/T3-SC@printed", bound=_PRINTED).under(*_OWN, *_IF)
    .given("step", eq(eta, 1 / (6 * L * M * K)), "the step of which the theorem says that it exists: the largest")
    .given("curved", lt(0, mu), "every client is strongly convex")
    .step("small", le(STEP, 1 / (6 * L)), by.linear("step"))
    .step("contracts", lt(mu / 2 * STEP, 1), by.linear("small", "order"))
    .step("long", le(1, mu * STEP * R), by.linear("c1", "step", "curved"))
    .step("base", by.apply(_BASE, *_GIVEN, "small", "long", "contracts"), inserting=_INSERTED)
    .qed(_STATED, by.linear("base"), name="last", inserting="step")
)
# At the tuned step where it is not the largest ---------------------------------------------------------------------------

V, X = Symbol("V", positive=True), Symbol("X", real=True)
_ENTRIES = tuned.entries(alpha)
_START = 3 * alpha * D**2 * exp(-alpha * eta_eff * R)
_GONE = le(_START, 3 * c1 / (alpha * R) + 3 * c2 / (alpha * R) ** 2)
_CASES = tuple(tuned.is_least(_ENTRIES, i) for i in range(3))
PART = (
    proof("sfl/positive-part", DROPPED, note="times a positive number")
    .given("product", le(X * V, 0), "a product that is not positive")
    .qed(le(X, 0), by.linear("product"))
)
GONE = (
    proof("sfl/U7t-gone", DROPPED, note="the first term where the step is not the largest allowed one")
    .under(tuned.logarithmic(alpha), Given("short", lt(eta_eff, eta_max), "the step is below the largest allowed one"))
    .steps(*tuned.least("1", _ENTRIES, 0, "long", "the step is the largest allowed one: it is not"))
    .step("never", le(_START * (eta_max - eta_eff), 0), by.linear("1gap"), assuming=_CASES[0])
    .step("none", by.apply(PART, {V: eta_max - eta_eff, X: _START}, "never", "short"), assuming=_CASES[0])
    .step("1", _GONE, by.linear("none"), assuming=_CASES[0])
    .steps(*tuned.least("2", _ENTRIES, 1, "long", "e^(a eta R) is at least a^2 R D^2/c1"))
    .step("2", _GONE, by.linear("2gap"), assuming=_CASES[1])
    .steps(*tuned.least("3", _ENTRIES, 2, "long", "or at least a^3 R^2 D^2/c2"))
    .step("3", _GONE, by.linear("3gap"), assuming=_CASES[2])
    .qed(_GONE, by.cases("1", "2", "3"))
)
_VALUES = {alpha: mu / 2, eta_eff: STEP, eta_max: 1 / (6 * L), c1: bounds.C1_SFL, c2: bounds.C2_SFL}
_TUNING = tuple(
    Given(h.id, Relation(substitute(h.relation.left, at), h.relation.op, substitute(h.relation.right, at)), h.why)
    for at in ({**_VALUES, a: mu / 2},)
    for h in tuned.SETTING[1:]
)
_EXPLICIT = find("sfl/S4.3-SC@explicit").bound
_READ = {eta_eff: STEP}
_LEFT, _WHERE = statement_of(_EXPLICIT, gap(x_bar), _READ)
WITHOUT = (
    proof("sfl/S4.3-SC", of="sfl/S4.3-SC@explicit", bound=_EXPLICIT, reading=_READ).under(*_OWN, *_TUNING, _WHERE[1])
    .step("small", le(STEP, 1 / (6 * L)), by.linear("c2"))
    .step("below", lt(STEP, 1 / (6 * L)), by.linear("c2"))
    .step("contracts", lt(mu / 2 * STEP, 1), by.linear("small", "order"))
    .step("rate", lt(0, mu / 2), by.linear(half=1 / (STEP * R)))
    .step("long run", le(1, mu * STEP * R), by.linear("half"))
    .step("base", by.apply(_BASE, *_GIVEN, "small", "long run", "contracts"), inserting=_INSERTED)
    .step("gone", by.apply(GONE, _VALUES, "long", "below", "rate"))
    .qed(_LEFT, by.linear({"base": 1, "gone": 3}), name="last")
)
_SOFT = find("sfl/S4.3-SC@printed").bound
_SOFTLY, _ONLY = statement_of(_SOFT, gap(x_bar), _READ)
LARGER = tuned.larger(WITHOUT, _SOFTLY, "sfl/S4.3-SC", bounds.C1_SFL)
SOFT = (
    proof("sfl/S4.3-SC-printed", of="sfl/S4.3-SC@printed", bound=_SOFT, reading=_READ).under(*_OWN, *_TUNING, *_ONLY)
    .step("below", lt(STEP, 1 / (6 * L)), by.linear("c1"))
    .step("contracts", lt(mu / 2 * STEP, 1), by.linear("below", "order"))
    .step("curved", lt(0, mu), by.linear(half=2 / (STEP * R)))
    .step("explicit", by.apply(WITHOUT, *_GIVEN, *(h.id for h in _TUNING), "c1", "contracts", "curved"),
        inserting=_INSERTED)
    .step("larger", Relation(_LEFT.right, "<=", _SOFTLY.right), by.apply(LARGER.id, {tuned.m: mu}, "curved"))
    .qed(_SOFTLY, by.linear({"explicit": 1, "larger": 1}, "curved"), name="last")
)
THEOREMS = (LARGEST, PART, GONE, WITHOUT, LARGER, SOFT)
