"""Theorem 8: the catalogue's formulas, and the printed use of Hoeffding's lemma refuted.

``budget`` is the variation budget as far as it can be used: no sequence of T distributions moves more than 2 (T - 1).
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Integer, Min, Rational, Symbol, exp, log, sqrt

from fltheory.bound import Bound
from fltheory.papers.osmd import bounds
from fltheory.proof.language import (
    Absolute,
    Apply,
    Combine,
    Expected,
    Given,
    Instance,
    Power,
    Relation,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E
from fltheory.symbols import meta_rate as gamma
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_experts as EXPERTS
from fltheory.symbols import n_rounds as T
from fltheory.symbols import sampler_rate as eta
from fltheory.symbols import total_variation
from fltheory.symbols import variation_budget as beta
from proofs_checks import osmd_projection as point
from proofs_checks.osmd_experts import AT_ANY_RATES
from proofs_checks.osmd_grid import CONDITIONS, GRID, H
from proofs_checks.osmd_lemmas import EACH, LAMBDA, j, m, whole
from proofs_checks.osmd_paths import ROUNDS, moved, t, total_move
from proofs_checks.osmd_regret import REGRET, logQ
from proofs_checks.osmd_theorem6 import LOG

PLACE = "Theorem 8"
budget = Symbol("budget", nonnegative=True)
LATER = (t, 1, T - 1)
_move = total_move(logQ, T)
READING = {total_variation: E(_move)}

# No sequence moves more than 2 (T - 1) -----------------------------------------------------------------------------------

_now, _then = exp(logQ(t, m)), exp(logQ(t + 1, m))
_MOST = le(_move, 2 * (T - 1))
MOST = Theorem(
    "osmd/variation", _MOST, (Given("sum q", eq(whole(exp(logQ(t, j))), 1, ROUNDS), "probabilities"),),
    (
        Step("up", le(_then - _now, _then + _now, LATER, EACH), Combine()),
        Step("down", le(_now - _then, _then + _now, LATER, EACH), Combine()),
        Step("each", le(Abs(_then - _now), _then + _now, LATER, EACH), Absolute(), ("up", "down")),
        Step("sum", le(moved(logQ, t), whole(exp(logQ(t + 1, j)) + exp(logQ(t, j))), LATER), Summed((m,)), ("each",)),
        Step("then", eq(whole(exp(logQ(t + 1, j))), 1, LATER), Instance({t: t + 1}), ("sum q",)),
        Step("round", le(moved(logQ, t), 2, LATER), Combine({"sum": 1, "then": 1, "sum q": 1}), ("sum", "then", "sum q")),
        Step("last", _MOST, Summed((t,)), ("round",)),
    ),
    place=PLACE, note="TV is at most 2 (T - 1)",
)  # fmt: skip

# The sampler of Theorem 8: rates and meta rate made for T rounds ----------------------------------------------------------------

_own = tuple(h for h in AT_ANY_RATES.hypotheses if h.id not in ("expert", "alpha"))
_own_ids = tuple(h.id for h in _own)
_made = tuple(
    Given(h.id, Relation(*(s.xreplace({H: T}) for s in (h.relation.left,)), h.relation.op, h.relation.right.xreplace({H: T}),
                         h.relation.over), h.why)
    for h in GRID if h.id not in ("star", "short")
)  # fmt: skip
CAP = Given("cap", eq(budget, Min(beta, 2 * (T - 1))), "a name for the budget that can be used,")
STAR = Given(
    "star",
    eq(eta, bounds.ETA.xreplace({beta: budget})),
    "and for the rate (20) that belongs to it; nobody need know them",
)
TUNED = Given("meta rate", eq(gamma, bounds.GAMMA), "the corrected meta rate")
_given = (*_own, *_made, CAP, STAR, *CONDITIONS)
_ids = (*_own_ids, *(h.id for h in _made), "star")
_C7_CAPPED = bounds.C7_VALUE.xreplace({beta: budget})
_META = gamma * T * bounds.R**2 / 8 + 2 * log(EXPERTS) / gamma
_CAPPED = le(REGRET, Rational(17, 8) * _C7_CAPPED + _META)
_ANY = le(REGRET, Rational(17, 8) * bounds.C7_VALUE + _META)
BASE = Theorem(
    "osmd/T8-base", _ANY, _given,
    (
        Step("most", _MOST, Apply("osmd/variation"), ("sum q",)),
        Step("mean most", le(E(_move), 2 * (T - 1)), Expected(), ("most",)),
        Step("least", le(E(_move), Min(beta, 2 * (T - 1))),
             Apply("osmd/min", {point.low: E(_move), point.c: beta, point.d: 2 * (T - 1)}), ("c3", "mean most")),
        Step("within", le(E(_move), budget), Combine({"least": 1, "cap": -1}), ("least", "cap")),
        Step("under 1", le(Min(beta, 2 * (T - 1)), 2 * (T - 1)), Apply("osmd/min-second", {point.c: beta, point.d: 2 * (T - 1)})),
        Step("enough", le(budget, 2 * (T - 1)), Combine({"under 1": 1, "cap": 1}), ("under 1", "cap")),
        Step("under 2", le(Min(beta, 2 * (T - 1)), beta), Apply("osmd/min-first", {point.c: beta, point.d: 2 * (T - 1)})),
        Step("less", le(budget, beta), Combine({"under 2": 1, "cap": 1}), ("under 2", "cap")),
        Step(
            "capped", _CAPPED, Apply("osmd/T8-any-meta-rate", {H: T, beta: budget}),
            (*_ids, "enough", "within", "c1", "c2"),
        ),
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("zero", le(0, T * (log(M) / 2 + budget * LAMBDA)), Combine({"log sign": T * budget}), ("log sign",)),
        Step("order", le(T * (log(M) / 2 + budget * LAMBDA), T * bounds.Q_BETA), Combine({"less": T * LAMBDA}), ("less", "log sign")),
        Step("roots", le(sqrt(T * (log(M) / 2 + budget * LAMBDA)), sqrt(T * bounds.Q_BETA)), Power(Rational(1, 2)), ("zero", "order")),
        Step("last", _ANY, Combine({"capped": 1, "roots": Rational(17, 8) * bounds.Q}), ("capped", "roots")),
    ),
    place=PLACE, note="with 17/8 where the paper has 3, at any meta rate",
)  # fmt: skip


def root_sign() -> tuple[Step, ...]:
    """The first term is not negative."""
    return (
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("nil", le(0, Integer(0)), Combine()),
        Step("sum", le(0, T * bounds.Q_BETA), Combine({"log sign": T * beta}), ("log sign",)),
        Step("root", le(0, sqrt(T * bounds.Q_BETA)), Power(Rational(1, 2)), ("nil", "sum")),
    )


def theorem8(name: str, bound: Bound, tuned: bool, wide: bool, note: str) -> Theorem:
    """A statement of the catalogue, from the one above."""
    statement, conditions = stated(bound, REGRET, READING)
    extra = (TUNED,) if tuned else ()
    weights: dict[str, Any] = {"base": 1}
    if wide:
        weights["root"] = Rational(7, 8) * bounds.Q
    if tuned:
        weights["meta rate"] = T * bounds.R**2 / 8 - 2 * log(EXPERTS) * bounds.R * sqrt(T / 8) / gamma
    return Theorem(
        name, statement, (*_given, *extra, *(c for c in conditions if c.id not in {h.id for h in _given})),
        (
            Step("base", _ANY, Apply("osmd/T8-base"), (*_ids, "cap", "c1", "c2", "c3")),
            *(root_sign() if wide else ()),
            Step("last", statement, Combine(weights), tuple(weights), ("experts",)),
        ),
        place=PLACE, note=note, bound=bound,
    )  # fmt: skip


T8_ANY_RATE = theorem8("osmd/T8-any-rate", bounds.T8_ANY_RATE, False, True, "any meta rate, the printed one too")
T8_SHARP = theorem8("osmd/T8@sharpened", bounds.T8_SHARP, True, False, "17/8 where the paper has 3")
T8 = theorem8("osmd/T8@corrected", bounds.T8_CORRECTED, True, True, "the range of the losses squared")

# The printed step ---------------------------------------------------------------------------------------------------------------

_range = Symbol("R", positive=True)
_PRINTED = le(log((1 + exp(-gamma * _range)) / 2), -gamma * _range / 2 + gamma**2 * _range / 8)
PRINTED = Theorem(
    "osmd/60-printed", _PRINTED, (),
    (Step("1", _PRINTED, Witness({gamma: 1, _range: 10}), expected="REFUTED", note="-0.69 against -3.75"),),
    expected="REFUTED", place="(60), Hoeffding's lemma",
    note="two experts of weight 1/2 with the losses 0 and R: the printed term is gamma^2 R/8, Hoeffding's is gamma^2 R^2/8",
)  # fmt: skip

THEOREMS = (MOST, BASE, T8_ANY_RATE, T8_SHARP, T8, PRINTED)
