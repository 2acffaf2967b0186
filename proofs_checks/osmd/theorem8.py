"""Theorem 8: the catalogue's formulas, and the printed use of Hoeffding's lemma refuted.

``budget`` is the variation budget as far as it can be used: no sequence of T distributions moves more than 2 (T - 1).
"""

from __future__ import annotations

from sympy import Abs, Integer, Min, Rational, Symbol, exp, log, sqrt

from fltheory.bound import Bound
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import TV, M, T, beta, eta, gamma, n_experts
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
from proofs_checks.osmd import projection as point
from proofs_checks.osmd.experts import AT_ANY_RATES
from proofs_checks.osmd.grid import CONDITIONS, GRID, H
from proofs_checks.osmd.lemmas import EACH, LAMBDA, j, m, whole
from proofs_checks.osmd.paths import ROUNDS, moved, t, total_move
from proofs_checks.osmd.regret import REGRET, logQ
from proofs_checks.osmd.theorem6 import LOG

PLACE = "Theorem 8"
budget = Symbol("budget", nonnegative=True)
LATER = (t, 1, T - 1)
_move = total_move(logQ, T)
READING = {TV: E(_move)}

# No sequence moves more than 2 (T - 1) -----------------------------------------------------------------------------------

_now, _then = exp(logQ(t, m)), exp(logQ(t + 1, m))
_MOST = le(_move, 2 * (T - 1))
MOST = Theorem(
    "osmd/variation",
    _MOST,
    (Given("sum q", eq(whole(exp(logQ(t, j))), 1, ROUNDS), "probabilities"),),
    (
        Step("up", le(_then - _now, _then + _now, LATER, EACH), Combine()),
        Step("down", le(_now - _then, _then + _now, LATER, EACH), Combine()),
        Step("each", le(Abs(_then - _now), _then + _now, LATER, EACH), Absolute(), ("up", "down")),
        Step("sum", le(moved(logQ, t), whole(exp(logQ(t + 1, j)) + exp(logQ(t, j))), LATER), Summed((m,)), ("each",)),
        Step("then", eq(whole(exp(logQ(t + 1, j))), 1, LATER), Instance({t: t + 1}), ("sum q",)),
        Step(
            "round", le(moved(logQ, t), 2, LATER), Combine({"sum": 1, "then": 1, "sum q": 1}), ("sum", "then", "sum q")
        ),
        Step("last", _MOST, Summed((t,)), ("round",)),
    ),
    place=PLACE,
    note="TV is at most 2 (T - 1)",
)

# The sampler of Theorem 8: rates and meta rate made for T rounds ----------------------------------------------------------------

_own = tuple(h for h in AT_ANY_RATES.hypotheses if h.id not in ("expert", "alpha"))
_own_ids = tuple(h.id for h in _own)
LONGEST = 2 * (H - 1)
CAP = Given("cap", eq(budget, Min(beta, LONGEST)), "a name for the budget that can be used,")
STAR = Given(
    "star",
    eq(eta, bounds.ETA.xreplace({beta: budget, T: H})),
    "and for the rate (20) that belongs to it; nobody need know them",
)
TUNED = Given("meta rate", eq(gamma, bounds.GAMMA.xreplace({T: H})), "the corrected meta rate")
MADE = tuple(h for h in GRID if h.id != "star")
GIVEN = (*_own, *MADE, CAP, STAR, *CONDITIONS)
IDS = tuple(h.id for h in GIVEN)
_ids = tuple(i for i in IDS if i not in ("cap", "c3"))


def at_end(h: Given) -> Given:
    """A hypothesis where as many rounds are played as the rates are made for."""
    plain = h.relation
    return Given(h.id, Relation(plain.left.xreplace({H: T}), plain.op, plain.right.xreplace({H: T}), plain.over), h.why)


_C7 = bounds.C7_VALUE.xreplace({T: H})
_C7_CAPPED = _C7.xreplace({beta: budget})
_META = gamma * H * bounds.R**2 / 8 + 2 * log(n_experts) / gamma
_sum, _capped_sum = (H * (log(M) / 2 + b * LAMBDA) for b in (beta, budget))
_CAPPED = le(REGRET, Rational(17, 8) * _C7_CAPPED + _META)
_ANY = le(REGRET, Rational(17, 8) * _C7 + _META)
BASE = Theorem(
    "osmd/T8-base",
    _ANY,
    GIVEN,
    (
        Step("most", _MOST, Apply("osmd/variation"), ("sum q",)),
        Step("mean most", le(E(_move), 2 * (T - 1)), Expected(), ("most",)),
        Step("longest", le(E(_move), LONGEST), Combine({"mean most": 1, "short": 2}), ("mean most", "short")),
        Step(
            "least",
            le(E(_move), Min(beta, LONGEST)),
            Apply("osmd/min", {point.low: E(_move), point.c: beta, point.d: LONGEST}),
            ("c3", "longest"),
        ),
        Step("within", le(E(_move), budget), Combine({"least": 1, "cap": -1}), ("least", "cap")),
        Step("under 1", le(Min(beta, LONGEST), LONGEST), Apply("osmd/min-second", {point.c: beta, point.d: LONGEST})),
        Step("enough", le(budget, LONGEST), Combine({"under 1": 1, "cap": 1}), ("under 1", "cap")),
        Step("under 2", le(Min(beta, LONGEST), beta), Apply("osmd/min-first", {point.c: beta, point.d: LONGEST})),
        Step("less", le(budget, beta), Combine({"under 2": 1, "cap": 1}), ("under 2", "cap")),
        Step("capped", _CAPPED, Apply("osmd/T8-any-meta-rate", {beta: budget}), (*_ids, "enough", "within")),
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("zero", le(0, _capped_sum), Combine({"log sign": H * budget}), ("log sign",)),
        Step("order", le(_capped_sum, _sum), Combine({"less": H * LAMBDA}), ("less", "log sign")),
        Step("roots", le(sqrt(_capped_sum), sqrt(_sum)), Power(Rational(1, 2)), ("zero", "order")),
        Step("last", _ANY, Combine({"capped": 1, "roots": Rational(17, 8) * bounds.Q}), ("capped", "roots")),
    ),
    place=PLACE,
    note="with 17/8 where the paper has 3, at any meta rate",
)


def root_sign() -> tuple[Step, ...]:
    """The first term is not negative."""
    return (
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("nil", le(0, Integer(0)), Combine()),
        Step("sum", le(0, T * bounds.Q_BETA), Combine({"log sign": T * beta}), ("log sign",)),
        Step("root", le(0, sqrt(T * bounds.Q_BETA)), Power(Rational(1, 2)), ("nil", "sum")),
    )


_BALANCE = H * bounds.R**2 / 8 - 2 * log(n_experts) * bounds.R * sqrt(H / 8) / gamma
BLOCK_STATEMENT = le(REGRET, Rational(17, 8) * _C7 + bounds.R * sqrt(H / 8) * (1 + 2 * log(n_experts)))
BLOCK = Theorem(
    "osmd/T8-horizon",
    BLOCK_STATEMENT,
    (*GIVEN, TUNED),
    (
        Step("base", _ANY, Apply("osmd/T8-base"), IDS),
        Step("last", BLOCK_STATEMENT, Combine({"base": 1, "meta rate": _BALANCE}), ("base", "meta rate")),
    ),
    place=PLACE,
    note="the meta rate balanced; no more rounds are played than the rates are made for",
)


def theorem8(name: str, bound: Bound, tuned: bool, wide: bool, note: str, claim: str) -> Theorem:
    """A statement of the catalogue, from those above."""
    statement, conditions = stated(bound, REGRET, READING)
    base = BLOCK if tuned else BASE
    given = tuple(at_end(h) for h in base.hypotheses if h.id != "short")
    weights = {"base": Rational(1), **({"root": Rational(7, 8) * bounds.Q} if wide else {})}
    return Theorem(
        name,
        statement,
        (*given, *(c for c in conditions if c.id not in {h.id for h in given})),
        (
            Step(
                "base",
                Relation(base.statement.left, "<=", base.statement.right.xreplace({H: T})),
                Apply(base.id, {H: T}),
                tuple(h.id for h in given),
            ),
            *(root_sign() if wide else ()),
            Step("last", statement, Combine(weights), tuple(weights), ("experts",)),
        ),
        claim=claim,
        place=PLACE,
        note=note,
        bound=bound,
        reading=READING,
    )


T8_ANY_RATE = theorem8(
    "osmd/T8-any-rate",
    bounds.T8_ANY_RATE,
    False,
    True,
    "any meta rate, the printed one too",
    "osmd/C-T8-gamma@corrected",
)
T8_SHARP = theorem8(
    "osmd/T8@sharpened", bounds.T8_SHARP, True, False, "17/8 where the paper has 3", "osmd/C-T8@sharpened"
)
T8 = theorem8(
    "osmd/T8@corrected", bounds.T8_CORRECTED, True, True, "the range of the losses squared", "osmd/C-T8@corrected"
)

# The printed step ---------------------------------------------------------------------------------------------------------------

_range = Symbol("R", positive=True)
_PRINTED = le(log((1 + exp(-gamma * _range)) / 2), -gamma * _range / 2 + gamma**2 * _range / 8)
PRINTED = Theorem(
    "osmd/60-printed",
    _PRINTED,
    (),
    (Step("1", _PRINTED, Witness({gamma: 1, _range: 10}), expected="REFUTED", note="-0.69 against -3.75"),),
    expected="REFUTED",
    place="(60), Hoeffding's lemma",
    note="two experts of weight 1/2 with the losses 0 and R: the printed term is gamma^2 R/8, Hoeffding's is gamma^2 R^2/8",
)

THEOREMS = (MOST, BASE, BLOCK, T8_ANY_RATE, T8_SHARP, T8, PRINTED)
