"""Regimes h3 and h4: the effect of the order of a round, at steps beyond 1/(101 lam MK) (Appendix D.3)."""

from __future__ import annotations

from sympy import Rational, Symbol, exp, oo

from fltheory.papers.sfl.lower import bounds as formula
from fltheory.papers.sfl.notation import K, M, eta, lam, t, zeta
from fltheory.papers.sfl.signs.proofs.kept import BELOW, PUSH, ROUND_GIVEN, SMALL, SPREAD, TWO, B, V, d, n, q, tau
from fltheory.papers.sfl.signs.proofs.shuffled import BERNOULLI, BEYOND, LEAST, POSITIVE_POWER, RISES, T, s
from fltheory.proof import Given, by, eq, le, lt, proof, statement_of
from fltheory.proof.terms import E, RandomScalar, family

before, after = (family(RandomScalar, name)() for name in ("before", "after"))
LAST = Given("last round", eq(after, q**M * before + B(M)), "M clients with K steps each, from the model before")
PAST = Given("past", eq(E(before * tau(n + 1)), 0, (n, 0, M - 1)),
    "the order of a round is independent of the past, each sign fair")
ONE_ROUND = (
    proof("sfl/D3-round", "Appendix D.3").under(LAST, PAST, *ROUND_GIVEN)
    .step("moment", by.apply(SPREAD))
    .step("none", eq(before * B(0), 0), by.linear("begin"))
    .step("base", by.expectation("none"))
    .step("times", eq(before * B(n + 1), q * before * B(n) - PUSH * before * tau(n + 1), (n, 0, M - 1)),
        by.linear("client"))
    .step("mean", by.expectation("times"))
    .step("step", eq(E(before * B(n + 1)), 0, (n, 0, M - 1)), by.linear("mean", "past"),
        assuming=eq(E(before * B(n)), 0))
    .step("no link", eq(E(before * B(n)), 0, (n, 0, M)), by.induction(n, "base", "step"))
    .step("no link M", by.instance({n: M}, "no link"))
    .step("square", eq(after**2, q ** (2 * M) * before**2 + 2 * q**M * before * B(M) + B(M) ** 2),
        by.linear("last round"))
    .step("end", by.expectation("square"))
    .qed(le(V, E(after**2)), by.linear({"end": -1, "no link M": -2 * q**M, "moment": -1}), name="round",
        note="what was there before adds a square")
)

# From the factors of V to the constants of the regimes --------------------------------------------------------------------

_EPS = Symbol("epsilon", nonnegative=True)
HALF = Rational(1, 2)
_LOST = 1 - exp(-Rational(1, 101))
_LENGTH = Given("length", le(1 / (202 * M), 1 - q), "d >= 1/(101 MK)")
_FORGET = Given("forget", le(_EPS, 1 - q**M), "what a round forgets")
_F = T(1 - q)
_C3_TERM = _EPS / 808 * formula.T_MIN * zeta**2 / (lam * M)
MIDDLE = (
    proof("sfl/D3-middle", "Appendix D.3").under(_LENGTH, _FORGET, Given("T", le(formula.T_MIN, T(1 - q)), "Lemma 11"))
    .given("two", le(2, M), "M is even")
    .under(BELOW)
    .step("epsilon", le(0, _EPS), by.linear())
    .step("forgets", le(0, 1 - q**M), by.linear("epsilon", "forget"))
    .step("product", le(_EPS * formula.T_MIN, (1 - q**M) * _F), by.linear("forget", "T", "forgets"))
    .step("spread", le((1 + q) / (404 * M), 1 - q), by.linear("length", "q"))
    .step("share", le(1 / (404 * M), (1 - q) / (1 + q)), by.linear("spread"))
    .step("positive", le(0, (1 - q**M) * _F), by.linear("product", "epsilon"))
    .step("both", le(_EPS * formula.T_MIN / (404 * M), (1 - q) / (1 + q) * (1 - q**M) * _F),
        by.linear({"product": 1 / (404 * M), "share": (1 - q**M) * _F}, "positive"))
    .step("more", le(_EPS * formula.T_MIN / (404 * M), M / (M - 1) * (1 - q) / (1 + q) * (1 - q**M) * _F),
        by.linear({"both": M / (M - 1), "epsilon": formula.T_MIN / (404 * M * (M - 1))}, "two"), note="M/(M - 1) >= 1")
    .qed(le(_C3_TERM, lam / 2 * V), by.linear(more=zeta**2 / (2 * lam)), name="middle")
)

_q = (1 - d) ** K
_AFTER_ROUND = lam / 2 * E(after**2)
_MODEL = tuple(h for h in (LAST, PAST, *ROUND_GIVEN) if h is not BELOW and h is not TWO)
_READ = tuple(Given(h.id, h.relation.at({q: _q}), h.why) for h in _MODEL)
_READ_IDS = tuple(h.id for h in _READ)

_H3, _H3_IF = statement_of(formula.H3, _AFTER_ROUND)
H3 = (
    proof("sfl/h3", "Appendix D.3", of="sfl/h3@explicit", bound=formula.H3, unused=("c4",)).under(*_H3_IF, *_READ)
    .step("one", le(1, K), by.polynomial())
    .step("cap K", le(d * K, 1), by.linear("c2"))
    .step("d", le(d, 1), by.linear("cap K", "one"))
    .step("cap", le(eta, 1 / lam), by.linear("d"))
    .step("powers", by.apply(POSITIVE_POWER, {t: d}))
    .step("at K", by.instance({n: K}, "powers"))
    .step("Bonferroni", by.apply(BERNOULLI, {t: d}))
    .step("drop", by.instance({n: K}, "Bonferroni"))
    .step("half", le(K * d / 2, K * d * (1 - (K - 1) * d / 2)), by.linear("cap K"))
    .step("step", le(1 / (202 * M), K * d / 2), by.linear("c1"))
    .step("length", le(1 / (202 * M), 1 - _q), by.linear("step", "half", "drop"))
    .step("q", lt(_q, 1), by.linear("length"))
    .step("t", le(1 - _q, 1), by.linear("at K"))
    .step("t positive", lt(0, 1 - _q), by.linear("q"))
    .step("rises", by.apply(RISES, {s: 1 / (202 * M), t: 1 - _q}, "t", "length", "t positive"))
    .step("least", by.apply(LEAST))
    .step("T", le(formula.T_MIN, T(1 - _q)), by.linear("least", "rises"))
    .step("small", by.apply(SMALL))
    .step("forget", le(_LOST, 1 - _q**M), by.linear("small"))
    .step("epsilon", le(0, _LOST), by.ball(()))
    .step("middle", by.apply(MIDDLE, {q: _q, _EPS: _LOST}, "length", "forget", "T", "c3", "q", "at K", "epsilon"))
    .step("round", by.apply(ONE_ROUND, {q: _q}, *_READ_IDS, "c3", "q", "at K"))
    .qed(_H3, by.linear(middle=1, round=lam / 2), name="error")
)

_H4, _H4_IF = statement_of(formula.H4, _AFTER_ROUND)
_P, _Q = 1 - _q**M, (1 - _q) / (1 + _q)
H4 = (
    proof("sfl/h4", "Appendix D.3", of="sfl/h4@explicit", bound=formula.H4, unused=("c4",)).under(*_H4_IF, *_READ)
    .step("d", le(d, 1), by.linear("c2"))
    .step("two", le(2, M), by.linear("c3"))
    .step("powers", le(0, (1 - d) ** n, (n, 0, oo)), by.apply(POSITIVE_POWER, {t: d}))
    .step("at K", by.instance({n: K}, "powers"))
    .step("long", le(1, d * K), by.linear("c1"))
    .step("exp", by.fact("exp", -d))
    .step("zero", le(0, 1 - d), by.linear("d"))
    .step("power", by.power(K, "zero", "exp"))
    .step("grows", by.fact("exp", d * K - 1))
    .step("at least 1", le(1, exp(d * K - 1)), by.linear("grows", "long"))
    .step("falls", le(exp(-d * K), exp(-1)), by.linear("at least 1"))
    .step("e", le(exp(-1), HALF), by.ball(()))
    .step("small", le(_q, HALF), by.linear("power", "falls", "e"), note="(1 - d)^K <= 1/e")
    .step("q", lt(_q, 1), by.linear("small"))
    .step("t", le(1 - _q, 1), by.linear("at K"))
    .step("t positive", lt(0, 1 - _q), by.linear("q"))
    .step("t half", le(1, 2 * (1 - _q)), by.linear("small"))
    .step("far", by.apply(BEYOND, {t: 1 - _q}, "t", "t half", "t positive"))
    .step("T", le(Rational(1, 4), T(1 - _q)), by.linear("far", "c3"))
    .step("q at most 1", le(_q, 1), by.linear("q"))
    .step("one less", by.power(M - 1, "at K", "q at most 1", "two"))
    .step("forget", le(HALF, _P), by.linear({"one less": _q, "small": 1}, "at K"))
    .step("thirds", le((1 + _q) / 3, 1 - _q), by.linear("small"))
    .step("share", le(Rational(1, 3), _Q), by.linear("thirds", "at K"))
    .step("forgets", le(0, _P), by.linear("forget"))
    .step("product", le(Rational(1, 8), _P * T(1 - _q)), by.linear("forget", "T", "forgets"))
    .step("positive", le(0, _P * T(1 - _q)), by.linear("product"))
    .step("both", le(Rational(1, 24), _Q * _P * T(1 - _q)),
        by.linear({"product": Rational(1, 3), "share": _P * T(1 - _q)}, "positive"))
    .step("more times", le((M - 1) * Rational(1, 24), M * _Q * _P * T(1 - _q)), by.linear("both"))
    .step("more", le(Rational(1, 24), M / (M - 1) * _Q * _P * T(1 - _q)), by.linear({"more times": 1 / (M - 1)}, "two"))
    .step("round", by.apply(ONE_ROUND, {q: _q}, *_READ_IDS, "two", "q", "at K"))
    .qed(_H4, by.linear(more=zeta**2 / (2 * lam), round=lam / 2), name="error", note="1/48 >= 1/64")
)

THEOREMS = (ONE_ROUND, MIDDLE, H3, H4)
