"""Strengthened and partial statements: (21') and a larger rate for Corollary 7, both steps of Theorem 8 alone."""

from __future__ import annotations

from sympy import Min, Piecewise, Rational, Symbol, exp, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.experts.proofs import experts, grid
from fltheory.papers.osmd.mirror.proofs.lemmas import L17, LAMBDA
from fltheory.papers.osmd.notation import TV, K, M, T, alpha, beta, eta, n_experts
from fltheory.papers.osmd.regret.proofs.corollary7 import AT_ANY_RATE, C7, C7_GIVEN, RATE, SQUARED, TUNED, VARIANCE
from fltheory.papers.osmd.regret.proofs.paths import from_uniform, n, t, total_move
from fltheory.papers.osmd.regret.proofs.regret import REGRET, both, expected_loss, logQ, unbiased
from fltheory.papers.osmd.regret.proofs.theorem6 import LOG
from fltheory.proof import by, eq, le, line, proof, statement_of
from fltheory.proof.facts.notation import P, m
from fltheory.proof.facts.notation import logq as q1
from fltheory.proof.terms import E, Total
from fltheory.verification import find

_move, _begin = total_move(logQ, T), from_uniform(logQ)
_b = beta * LAMBDA
READING = {TV: E(_move)}
_SIGN = (*LOG, line("log sign", le(0, LAMBDA), by.linear("log")))

# A larger rate for Corollary 7 ------------------------------------------------------------------------------------------------

TUNED_STATEMENT, _ = statement_of(bounds.C7_TUNED, REGRET, READING)
_half = log(M) + _b
C7_TUNED = (
    proof("osmd/C7-tuned", "Corollary 7", of="osmd/C-C7-tuned@strengthened", bound=bounds.C7_TUNED, reading=READING)
    .under(*C7_GIVEN)
    .given("rate", eq(eta, bounds.ETA_TUNED), "the rate that balances the sharper bound")
    .step("any rate", by.apply(AT_ANY_RATE))
    .step("square", eq(eta**2 * bounds.Q**2 * T, 8 * _half), by.linear(rate=(eta + bounds.ETA_TUNED) * bounds.Q**2 * T))
    .step("zero", le(0, (T * eta * bounds.Q / 4) ** 2), by.linear())
    .step("under", le((T * eta * bounds.Q / 4) ** 2, T * _half / 2), by.linear("square"))
    .step("root", by.power(Rational(1, 2), "zero", "under"))
    .step("spare", le(0, alpha * log(M)), by.linear())
    .qed(TUNED_STATEMENT, by.linear("any rate", "root", "square", "spare"), name="last")
)

_START_BOUND = find("osmd/C-C7-tuned-start@strengthened").bound
_share = (1 - alpha) * log(M) + _b
C7_SHARE = (
    proof("osmd/C7-share", "Corollary 7", note="what the rate is the root of is not negative")
    .given("c1", le(alpha, 1), "a share")
    .given("c2", le(2, M), "more clients than one")
    .steps(*_SIGN)
    .step("many", le(0, log(M)), by.linear())
    .qed(le(0, _share), by.linear("c1", "log sign", "many"), name="last")
)
C7_START = (
    proof("osmd/C7-tuned-start", "Corollary 7", of="osmd/C-C7-tuned-start@strengthened", bound=_START_BOUND,
        reading=READING, note="nothing spared: D(q^1 || uniform) is at most (1 - alpha) log M")
    .under(*C7_GIVEN)
    .given("rate", eq(eta, sqrt(8 * _share / T) / bounds.Q), "the rate that balances the sharper bound")
    .step("any rate", by.apply(AT_ANY_RATE))
    .step("logs", by.apply(C7_SHARE))
    .step("double", le(0, 8 * _share / T), by.linear("logs"))
    .step("square", eq(eta**2 * bounds.Q**2 * T, 8 * _share),
        by.linear({"rate": (eta + sqrt(8 * _share / T) / bounds.Q) * bounds.Q**2 * T}, "double"))
    .step("zero", le(0, (T * eta * bounds.Q / 4) ** 2), by.linear())
    .step("under", le((T * eta * bounds.Q / 4) ** 2, T * _share / 2), by.linear("square"))
    .step("root", by.power(Rational(1, 2), "zero", "under"))
    .qed(statement_of(_START_BOUND, REGRET, READING)[0], by.linear("any rate", "root", "square"), name="last")
)

# (21') ------------------------------------------------------------------------------------------------------------------------

low, c, d = (Symbol(name, real=True) for name in ("low", "c", "d"))
size = Symbol("size", nonnegative=True)
_SCALED = le(low, size * Min(c, d))
SCALED = (
    proof("osmd/min-scaled", "Corollary 7")
    .given("first", le(low, size * c), "below one")
    .given("second", le(low, size * d), "and the other")
    .step("1a", eq(Min(c, d), c), by.fact("min", Min(c, d)), assuming=le(c, d))
    .step("1", _SCALED, by.linear("1a", "first"), assuming=le(c, d))
    .step("2a", eq(Min(c, d), d), by.fact("min", Min(c, d)), assuming=le(d, c))
    .step("2", _SCALED, by.linear("2a", "second"), assuming=le(d, c))
    .qed(_SCALED, by.cases("1", "2"))
)
_x = eta * bounds.Q
_moment = 2 * (exp(_x) - 1 - _x) / _x**2 * VARIANCE
_value = log(M) + 2 * _b
_base = (1 - alpha) * log(M) + _b
_bracket = _base / _value + Min(Rational(1, 4), _moment)
_plain = bounds.C7_SHARP.expr.replace(lambda e: isinstance(e, Piecewise), lambda e: e.args[1][0])
C7_SHARP = (
    proof("osmd/C7@strengthened", "Corollary 7", of="osmd/C-C7@strengthened",
        note="the catalogue's formula where M >= 2, as its conditions say")
    .under(*C7_GIVEN, SQUARED, RATE)
    .step("any rate", by.apply(AT_ANY_RATE))
    .steps(*(s for s in C7.steps if s.id in ("first sum", "first floor", "begin", "mean begin", "square", "moments")),
        *_SIGN)
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("value low", le(Rational(1, 2), _value), by.linear("clients", "log sign"))
    .step("first", le(eta * REGRET - _base, _value * Rational(1, 4)), by.linear("any rate", "square"))
    .step("second", le(eta * REGRET - _base, _value * _moment),
        by.linear({"moments": eta, "mean begin": 1, "c3": LAMBDA, "square": _moment / 2}, "log"))
    .step("either",
        by.apply(SCALED, {low: eta * REGRET - _base, size: _value, c: Rational(1, 4), d: _moment}, "first", "second",
            "value low"))
    .step("tangent x", by.fact("exp", _x))
    .step("moment sign", le(0, _moment), by.linear({"tangent x": 2 * VARIANCE / _x**2}))
    .step("nil", le(0, Rational(1, 4)), by.linear())
    .step("least sign", by.apply(SCALED, {low: 0, size: 1, c: Rational(1, 4), d: _moment}))
    .step("base sign", le(0, _base), by.linear("c1", "log sign"))
    .step("part sign", le(0, _base / _value), by.linear("base sign", "value low"))
    .step("bracket", le(0, _bracket), by.linear("part sign", "least sign"))
    .step("root", le(_value / eta, bounds.C7_VALUE), by.apply(TUNED))
    .step("at this rate", le(REGRET, bounds.C7_VALUE * _bracket),
        by.linear({"either": 1 / eta, "root": _bracket}, "bracket", "value low"))
    .qed(le(REGRET, _plain), by.linear("at this rate"), name="last", inserting="rate")
)

# The two steps of Theorem 8 ---------------------------------------------------------------------------------------------------

_e = experts.e
_second = Total(experts.played(t), t, 1, T) - Total(experts.loss_of(_e, t), t, 1, T)
META_STATEMENT, META_CONDITIONS = statement_of(bounds.META_PATHWISE, _second)
META = (
    proof("osmd/60@corrected", "(60)", of="osmd/C-60@corrected", bound=bounds.META_PATHWISE)
    .under(*experts.META.hypotheses)
    .given("weight", eq(exp(experts.logw(_e, 1)), (1 + 1 / n_experts) / (_e * (_e + 1))), "Algorithm 5")
    .given("experts", eq(n_experts, bounds.EXPERTS), "(23)")
    .under(*META_CONDITIONS)
    .step("paths", by.apply(experts.META))
    .step("path", by.instance({n: T}, "paths"))
    .step("first", by.apply(grid.WEIGHT, {P: experts.logw(_e, 1)}))
    .qed(META_STATEMENT, by.linear("path", "first", "c1", "c2"), name="last", inserting="experts")
)

_rate = experts.rate(_e)
_own = tuple(h for h in experts.EXPERT.hypotheses if h.id != "floor e")
_loss = E(Total(experts.loss_of(_e, t), t, 1, T)) - expected_loss(logQ, T)
EXPERT_SHARP_STATEMENT, EXPERT_CONDITIONS = statement_of(bounds.EXPERT_SHARP, _loss, READING)
EXPERT_SHARP = (
    proof("osmd/59@strengthened", "(59)", of="osmd/C-59@strengthened", bound=bounds.EXPERT_SHARP, reading=READING,
        unused=("c4",))
    .under(*_own, unbiased(logQ), RATE)
    .given("under", le(_rate, eta), "the expert's rate is at most the best one,")
    .given("over", le(eta, 2 * _rate), "and at least half of it: see osmd/grid-under and osmd/grid-over")
    .under(*EXPERT_CONDITIONS)
    .step("floor e", by.apply(experts.STAYS))
    .step("61", by.apply(experts.EXPERT, *(h.id for h in _own), "floor e"))
    .step("path", by.instance({n: T}, "61"))
    .step("mean", by.expectation("path"))
    .step("other", eq(*both(logQ)), by.sum_over((m, t), "mean q"))
    .steps(*_SIGN)
    .step("log M", by.fact("exp", -log(M)))
    .step("clients", le(Rational(1, 2), log(M)), by.linear("log M", "c2"))
    .step("value low", le(Rational(1, 2), _value), by.linear("clients", "log sign"))
    .step("best", eq(eta**2 * bounds.Q**2 * T, 2 * _value), by.linear(rate=(eta + bounds.ETA) * bounds.Q**2 * T))
    .step("first sum", by.instance({t: 1}, "sum q"))
    .step("begin", by.apply(L17, {q1(m): logQ(1, m)}))
    .step("mean begin", by.expectation("begin"))
    .step("balance", le(_value / _rate + _rate * _value / (4 * eta**2), Rational(17, 8) * _value / eta),
        by.apply(grid.CHOSEN, {grid.y: _rate, grid.c: _value}, "under", "over", "value low"))
    .step("root", by.apply(TUNED))
    .qed(
        EXPERT_SHARP_STATEMENT,
        by.linear(
            {
                "mean": 1,
                "other": 1 / K**2,
                "mean begin": 1 / _rate,
                "c3": LAMBDA / _rate,
                "log sign": beta / _rate,
                "balance": 1,
                "best": _rate / (8 * eta**2),
                "root": Rational(17, 8),
            },
            "log",
        ),
        name="last",
    )
)

EXPERT_STATEMENT, _ = statement_of(bounds.EXPERT, _loss, READING)
EXPERT = (
    proof("osmd/59", "(59)", of="osmd/C-59@printed", bound=bounds.EXPERT, reading=READING)
    .under(*EXPERT_SHARP.hypotheses)
    .step("sharp", by.apply(EXPERT_SHARP))
    .steps(*_SIGN)
    .step("root", le(_value / eta, bounds.C7_VALUE), by.apply(TUNED))
    .step("sign", le(0, bounds.C7_VALUE), by.linear("root", "log sign"))
    .qed(EXPERT_STATEMENT, by.linear("sharp", "sign"), name="last")
)

THEOREMS = (C7_SHARE, C7_START, C7_TUNED, SCALED, C7_SHARP, META, EXPERT_SHARP, EXPERT)
