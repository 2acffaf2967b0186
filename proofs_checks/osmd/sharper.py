"""Sharper and partial statements: (21') and a larger rate for Corollary 7, both steps of Theorem 8 on their own."""

from __future__ import annotations

from sympy import Min, Piecewise, Rational, Symbol, exp, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import TV, K, M, T, alpha, beta, eta, n_experts
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Expected,
    Given,
    Instance,
    Known,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, Total
from proofs_checks.osmd import corollary7 as seven
from proofs_checks.osmd import experts, grid
from proofs_checks.osmd.corollary7 import AT_ANY_RATE, C7, C7_GIVEN, RATE, SQUARED, VARIANCE, X
from proofs_checks.osmd.lemmas import LAMBDA, P, j, m, whole
from proofs_checks.osmd.lemmas import logq as q1
from proofs_checks.osmd.paths import from_uniform, n, t, total_move
from proofs_checks.osmd.regret import REGRET, both, expected_loss, logQ, unbiased
from proofs_checks.osmd.theorem6 import LOG

_move, _begin = total_move(logQ, T), from_uniform(logQ)
_b = beta * LAMBDA
READING = {TV: E(_move)}
_SIGN = (*LOG, Step("log sign", le(0, LAMBDA), Combine(), ("log",)))
_any_ids = (*(h.id for h in C7_GIVEN),)

# A larger rate for Corollary 7 ------------------------------------------------------------------------------------------------

TUNED_STATEMENT, _ = stated(bounds.C7_TUNED, REGRET, READING)
_half = log(M) + _b
C7_TUNED = Theorem(
    "osmd/C7-tuned",
    TUNED_STATEMENT,
    (*C7_GIVEN, Given("rate", eq(eta, bounds.ETA_TUNED), "the rate that balances the sharper bound")),
    (
        Step("any rate", AT_ANY_RATE.statement, Apply("osmd/C7-any-rate"), _any_ids),
        Step(
            "square",
            eq(eta**2 * bounds.Q**2 * T, 8 * _half),
            Combine({"rate": (eta + bounds.ETA_TUNED) * bounds.Q**2 * T}),
            ("rate",),
        ),
        Step("zero", le(0, (T * eta * bounds.Q / 4) ** 2), Combine()),
        Step("under", le((T * eta * bounds.Q / 4) ** 2, T * _half / 2), Combine({"square": T / 16}), ("square",)),
        Step("root", le(T * eta * bounds.Q / 4, sqrt(T * _half / 2)), Power(Rational(1, 2)), ("zero", "under")),
        Step("spare", le(0, alpha * log(M)), Combine()),
        Step(
            "last",
            TUNED_STATEMENT,
            Combine({"any rate": 1, "root": bounds.Q, "square": -1 / (8 * eta), "spare": 1 / eta}),
            ("any rate", "root", "square", "spare"),
        ),
    ),
    claim="osmd/C-C7-tuned@sharpened",
    place="Corollary 7",
    bound=bounds.C7_TUNED,
    reading=READING,
)

# (21') ------------------------------------------------------------------------------------------------------------------------

low, c, d = (Symbol(name, real=True) for name in ("low", "c", "d"))
size = Symbol("size", nonnegative=True)
_SCALED = le(low, size * Min(c, d))
SCALED = Theorem(
    "osmd/min-scaled",
    _SCALED,
    (Given("first", le(low, size * c), "below one"), Given("second", le(low, size * d), "and the other")),
    (
        Step("1a", eq(Min(c, d), c), Known("min", Min(c, d)), assuming=(le(c, d),)),
        Step("1", _SCALED, Combine({"1a": -size, "first": 1}), ("1a", "first"), assuming=(le(c, d),)),
        Step("2a", eq(Min(c, d), d), Known("min", Min(c, d)), assuming=(le(d, c),)),
        Step("2", _SCALED, Combine({"2a": -size, "second": 1}), ("2a", "second"), assuming=(le(d, c),)),
        Step("3", _SCALED, Cases(), ("1", "2")),
    ),
    place="Corollary 7",
)
_x = eta * bounds.Q
_moment = 2 * (exp(_x) - 1 - _x) / _x**2 * VARIANCE
_value = log(M) + 2 * _b
_base = (1 - alpha) * log(M) + _b
_least = Min(Rational(1, 4), _moment)
_bracket = _base / _value + _least
_plain = bounds.C7_SHARP.expr.replace(lambda e: isinstance(e, Piecewise), lambda e: e.args[1][0])
SHARP_STATEMENT = le(REGRET, _plain)
_moments = le(REGRET, seven.MOMENTS_LIMIT.xreplace({X: _x}))
C7_SHARP = Theorem(
    "osmd/C7@sharpened",
    SHARP_STATEMENT,
    (*C7_GIVEN, SQUARED, RATE),
    (
        Step("any rate", AT_ANY_RATE.statement, Apply("osmd/C7-any-rate"), _any_ids),
        *(s for s in C7.steps if s.id in ("first sum", "first floor", "begin", "mean begin", "square", "moments")),
        *_SIGN,
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step(
            "value low",
            le(Rational(1, 2), _value),
            Combine({"clients": 1, "log sign": 2 * beta}),
            ("clients", "log sign"),
        ),
        Step(
            "first",
            le(eta * REGRET - _base, _value * Rational(1, 4)),
            Combine({"any rate": eta, "square": Rational(1, 8)}),
            ("any rate", "square"),
        ),
        Step(
            "second",
            le(eta * REGRET - _base, _value * _moment),
            Combine({"moments": eta, "mean begin": 1, "c3": LAMBDA, "square": _moment / 2}),
            ("moments", "mean begin", "c3", "square", "log"),
        ),
        Step(
            "either",
            le(eta * REGRET - _base, _value * _least),
            Apply("osmd/min-scaled", {low: eta * REGRET - _base, size: _value, c: Rational(1, 4), d: _moment}),
            ("first", "second", "value low"),
        ),
        Step("tangent x", le(1 + _x, exp(_x)), Known("exp", _x)),
        Step("moment sign", le(0, _moment), Combine({"tangent x": 2 * VARIANCE / _x**2}), ("tangent x",)),
        Step("nil", le(0, Rational(1, 4)), Combine()),
        Step(
            "least sign",
            le(0, _least),
            Apply("osmd/min-scaled", {low: 0, size: 1, c: Rational(1, 4), d: _moment}),
            ("nil", "moment sign"),
        ),
        Step("base sign", le(0, _base), Combine({"c1": log(M), "log sign": beta}), ("c1", "log sign")),
        Step("part sign", le(0, _base / _value), Combine({"base sign": 1 / _value}), ("base sign", "value low")),
        Step("bracket", le(0, _bracket), Combine(), ("part sign", "least sign")),
        Step("root", le(_value / eta, bounds.C7_VALUE), Apply("osmd/C7-rate"), ("rate", "c1")),
        Step(
            "at this rate",
            le(REGRET, bounds.C7_VALUE * _bracket),
            Combine({"either": 1 / eta, "root": _bracket}),
            ("either", "root", "bracket", "value low"),
        ),
        Step("last", SHARP_STATEMENT, Combine({"at this rate": 1}), ("at this rate",), ("rate",)),
    ),
    claim="osmd/C-C7@sharpened",
    place="Corollary 7",
    note="the catalogue's formula where M >= 2, as its conditions say",
)

# The two steps of Theorem 8 ---------------------------------------------------------------------------------------------------

_e = experts.e
_second = Total(experts.played(t), t, 1, T) - Total(experts.loss_of(_e, t), t, 1, T)
META_STATEMENT, META_CONDITIONS = stated(bounds.META_PATHWISE, _second)
_weight = Given("weight", eq(exp(experts.logw(_e, 1)), (1 + 1 / n_experts) / (_e * (_e + 1))), "Algorithm 5")
META = Theorem(
    "osmd/60@corrected",
    META_STATEMENT,
    (*experts.META.hypotheses, _weight, Given("experts", eq(n_experts, bounds.EXPERTS), "(23)"), *META_CONDITIONS),
    (
        Step("paths", experts.META.statement, Apply("osmd/60"), tuple(h.id for h in experts.META.hypotheses)),
        Step(
            "path",
            le(_second, T * experts.gamma * bounds.R**2 / 8 - experts.logw(_e, 1) / experts.gamma),
            Instance({n: T}),
            ("paths",),
        ),
        Step(
            "first",
            le(-2 * log(n_experts), experts.logw(_e, 1)),
            Apply("osmd/first-weight", {P: experts.logw(_e, 1)}),
            ("weight", "expert"),
        ),
        Step(
            "last",
            META_STATEMENT,
            Combine({"path": 1, "first": 1 / experts.gamma}),
            ("path", "first", "c1", "c2"),
            ("experts",),
        ),
    ),
    claim="osmd/C-60@corrected",
    place="(60)",
    bound=bounds.META_PATHWISE,
)

_rate = experts.rate(_e)
_own = tuple(h for h in experts.EXPERT.hypotheses if h.id != "floor e")
_loss = E(Total(experts.loss_of(_e, t), t, 1, T)) - expected_loss(logQ, T)
EXPERT_SHARP_STATEMENT, EXPERT_CONDITIONS = stated(bounds.EXPERT_SHARP, _loss, READING)
_path = experts.EXPERT.statement
_limit = experts.PATH_LIMIT
EXPERT_SHARP = Theorem(
    "osmd/59@sharpened",
    EXPERT_SHARP_STATEMENT,
    (
        *_own,
        unbiased(logQ),
        RATE,
        Given("under", le(_rate, eta), "the expert's rate is at most the best one,"),
        Given("over", le(eta, 2 * _rate), "and at least half of it: see osmd/grid-under and osmd/grid-over"),
        *EXPERT_CONDITIONS,
    ),
    (
        Step("floor e", experts.STAYS.statement, Apply("osmd/experts-stay"), ("start", "next", "c1")),
        Step("61", _path, Apply("osmd/61"), (*(h.id for h in _own), "floor e")),
        Step("path", le(experts.PATH_EXCESS, _limit), Instance({n: T}), ("61",)),
        Step("mean", le(E(experts.PATH_EXCESS), E(_limit)), Expected(), ("path",)),
        Step("other", eq(*both(logQ)), Summed((m, t)), ("mean q",)),
        *_SIGN,
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step(
            "value low",
            le(Rational(1, 2), _value),
            Combine({"clients": 1, "log sign": 2 * beta}),
            ("clients", "log sign"),
        ),
        Step(
            "best",
            eq(eta**2 * bounds.Q**2 * T, 2 * _value),
            Combine({"rate": (eta + bounds.ETA) * bounds.Q**2 * T}),
            ("rate",),
        ),
        Step("first sum", eq(whole(exp(logQ(1, j))), 1), Instance({t: 1}), ("sum q",)),
        Step("begin", le(_begin, log(M)), Apply("osmd/L17", {q1(m): logQ(1, m)}), ("first sum",)),
        Step("mean begin", le(E(_begin), log(M)), Expected(), ("begin",)),
        Step(
            "balance",
            le(_value / _rate + _rate * _value / (4 * eta**2), Rational(17, 8) * _value / eta),
            Apply("osmd/grid-rate", {grid.y: _rate, grid.c: _value}),
            ("under", "over", "value low"),
        ),
        Step("root", le(_value / eta, bounds.C7_VALUE), Apply("osmd/C7-rate"), ("rate", "c1")),
        Step(
            "last",
            EXPERT_SHARP_STATEMENT,
            Combine(
                {
                    "mean": 1,
                    "other": 1 / K**2,
                    "mean begin": 1 / _rate,
                    "c3": LAMBDA / _rate,
                    "log sign": beta / _rate,
                    "balance": 1,
                    "best": _rate / (8 * eta**2),
                    "root": Rational(17, 8),
                }
            ),
            ("mean", "other", "mean begin", "c3", "log sign", "balance", "best", "root", "log"),
        ),
    ),
    claim="osmd/C-59@sharpened",
    place="(59)",
    bound=bounds.EXPERT_SHARP,
    reading=READING,
    unused=("c4",),
)

EXPERT_STATEMENT, _ = stated(bounds.EXPERT, _loss, READING)
EXPERT = Theorem(
    "osmd/59",
    EXPERT_STATEMENT,
    EXPERT_SHARP.hypotheses,
    (
        Step("sharp", EXPERT_SHARP_STATEMENT, Apply("osmd/59@sharpened"), tuple(h.id for h in EXPERT_SHARP.hypotheses)),
        *_SIGN,
        Step("root", le(_value / eta, bounds.C7_VALUE), Apply("osmd/C7-rate"), ("rate", "c1")),
        Step("sign", le(0, bounds.C7_VALUE), Combine({"root": 1, "log sign": 2 * beta / eta}), ("root", "log sign")),
        Step("last", EXPERT_STATEMENT, Combine({"sharp": 1, "sign": Rational(7, 8)}), ("sharp", "sign")),
    ),
    claim="osmd/C-59@printed",
    place="(59)",
    bound=bounds.EXPERT,
    reading=READING,
)

THEOREMS = (C7_TUNED, SCALED, C7_SHARP, META, EXPERT_SHARP, EXPERT)
