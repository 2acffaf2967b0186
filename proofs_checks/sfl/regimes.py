"""Regimes h3 and h4: what the order of a round leaves behind, at steps beyond 1/(101 lam MK) (Appendix D.3)."""

from __future__ import annotations

from sympy import Rational, Symbol, exp, oo

from fltheory.papers.sfl.bounds import lower as formula
from fltheory.papers.sfl.letters import K, M, eta, lam, t, zeta
from fltheory.proof.language import (
    Apply,
    Ball,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Power,
    Step,
    Theorem,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import E, RandomScalar, family
from proofs_checks.sfl.kept import BELOW, PUSH, ROUND_GIVEN, ROUND_IDS, SMALL_POWER, TWO, B, V, d, n, q, tau
from proofs_checks.sfl.shuffled import T, s

before, after = (family(RandomScalar, name)() for name in ("before", "after"))
LAST = Given("last round", eq(after, q**M * before + B(M)), "M clients with K steps each, from the model before")
PAST = Given(
    "past",
    eq(E(before * tau(n + 1)), 0, (n, 0, M - 1)),
    "the order of a round is independent of the past, each sign fair",
)
_NO_LINK = eq(E(before * B(n)), 0, (n, 0, M))
_V = le(V, E(after**2))
ONE_ROUND = Theorem(
    "sfl/D3-round",
    _V,
    (LAST, PAST, *ROUND_GIVEN),
    (
        Step("moment", eq(E(B(M) ** 2), V), Apply("sfl/D3-moment"), ROUND_IDS),
        Step("none", eq(before * B(0), 0), Combine((("begin", before),)), ("begin",)),
        Step("base", eq(E(before * B(0)), 0), Expected(), ("none",)),
        Step(
            "times",
            eq(before * B(n + 1), q * before * B(n) - PUSH * before * tau(n + 1), (n, 0, M - 1)),
            Combine((("client", before),)),
            ("client",),
        ),
        Step(
            "mean",
            eq(E(before * B(n + 1)), E(q * before * B(n) - PUSH * before * tau(n + 1)), (n, 0, M - 1)),
            Expected(),
            ("times",),
        ),
        Step(
            "step",
            eq(E(before * B(n + 1)), 0, (n, 0, M - 1)),
            Combine((("mean", 1), ("past", -PUSH), ("assumed 1", q))),
            ("mean", "past"),
            assuming=(eq(E(before * B(n)), 0),),
        ),
        Step("no link", _NO_LINK, Induction(n), ("base", "step")),
        Step("no link M", eq(E(before * B(M)), 0), Instance(((n, M),)), ("no link",)),
        Step(
            "square",
            eq(after**2, q ** (2 * M) * before**2 + 2 * q**M * before * B(M) + B(M) ** 2),
            Combine((("last round", after + q**M * before + B(M)),)),
            ("last round",),
        ),
        Step(
            "end",
            eq(E(after**2), E(q ** (2 * M) * before**2 + 2 * q**M * before * B(M) + B(M) ** 2)),
            Expected(),
            ("square",),
        ),
        Step(
            "round",
            _V,
            Combine((("end", -1), ("no link M", -2 * q**M), ("moment", -1))),
            ("end", "no link M", "moment"),
            note="what was there before adds a square",
        ),
    ),
    place="Appendix D.3",
)

# From the factors of V to the constants of the regimes --------------------------------------------------------------------

_EPS = Symbol("epsilon", nonnegative=True)
HALF = Rational(1, 2)
_LOST = 1 - exp(-Rational(1, 101))
_LENGTH = Given("length", le(1 / (202 * M), 1 - q), "d >= 1/(101 MK)")
_FORGET = Given("forget", le(_EPS, 1 - q**M), "what a round forgets")
_T = Given("T", le(formula.T_MIN, T(1 - q)), "Lemma 11")
_TWO = Given("two", le(2, M), "M is even")
_F = T(1 - q)
_C3_TERM = _EPS / 808 * formula.T_MIN * zeta**2 / (lam * M)
MIDDLE = Theorem(
    "sfl/D3-middle",
    le(_C3_TERM, lam / 2 * V),
    (_LENGTH, _FORGET, _T, _TWO, BELOW),
    (
        Step("epsilon", le(0, _EPS), Combine()),
        Step("forgets", le(0, 1 - q**M), Combine(), ("epsilon", "forget")),
        Step(
            "product",
            le(_EPS * formula.T_MIN, (1 - q**M) * _F),
            Combine((("forget", formula.T_MIN), ("T", 1 - q**M))),
            ("forget", "T", "forgets"),
        ),
        Step("spread", le((1 + q) / (404 * M), 1 - q), Combine((("length", 1), ("q", 1 / (404 * M)))), ("length", "q")),
        Step("share", le(1 / (404 * M), (1 - q) / (1 + q)), Combine((("spread", 1 / (1 + q)),)), ("spread",)),
        Step(
            "positive",
            le(0, (1 - q**M) * _F),
            Combine((("product", 1), ("epsilon", formula.T_MIN))),
            ("product", "epsilon"),
        ),
        Step(
            "both",
            le(_EPS * formula.T_MIN / (404 * M), (1 - q) / (1 + q) * (1 - q**M) * _F),
            Combine((("product", 1 / (404 * M)), ("share", (1 - q**M) * _F))),
            ("product", "share", "positive"),
        ),
        Step(
            "more",
            le(_EPS * formula.T_MIN / (404 * M), M / (M - 1) * (1 - q) / (1 + q) * (1 - q**M) * _F),
            Combine((("both", M / (M - 1)), ("epsilon", formula.T_MIN / (404 * M * (M - 1))))),
            ("both", "epsilon", "two"),
            note="M/(M - 1) >= 1",
        ),
        Step("middle", le(_C3_TERM, lam / 2 * V), Combine((("more", zeta**2 / (2 * lam)),)), ("more",)),
    ),
    place="Appendix D.3",
)

_q = (1 - d) ** K
_POWERS = le(0, (1 - d) ** n, (n, 0, oo))
_AFTER_ROUND = lam / 2 * E(after**2)
_MODEL = tuple(h for h in (LAST, PAST, *ROUND_GIVEN) if h is not BELOW and h is not TWO)
_READ = tuple(Given(h.id, h.relation.at({q: _q}), h.why) for h in _MODEL)
_READ_IDS = tuple(h.id for h in _READ)

_H3, _H3_IF = stated(formula.H3, _AFTER_ROUND)
_BONFERRONI = le(n * d * (1 - (n - 1) * d / 2), 1 - (1 - d) ** n, (n, 0, oo))
_RISES = le(T(1 / (202 * M)), T(1 - _q))
_LEAST = le(formula.T_MIN, T(1 / (202 * M)))
H3 = Theorem(
    "sfl/h3",
    _H3,
    (*_H3_IF, *_READ),
    (
        Step("one", le(1, K), Polynomial()),
        Step("cap K", le(d * K, 1), Combine((("c2", lam * K),)), ("c2",)),
        Step("d", le(d, 1), Combine((("cap K", 1), ("one", d))), ("cap K", "one")),
        Step("cap", le(eta, 1 / lam), Combine((("d", 1 / lam),)), ("d",)),
        Step("powers", _POWERS, Apply("sfl/L11-power", ((t, d),)), ("d",)),
        Step("at K", le(0, _q), Instance(((n, K),)), ("powers",)),
        Step("Bonferroni", _BONFERRONI, Apply("sfl/L11-powers", ((t, d),)), ("d",)),
        Step("drop", le(K * d * (1 - (K - 1) * d / 2), 1 - _q), Instance(((n, K),)), ("Bonferroni",)),
        Step("half", le(K * d / 2, K * d * (1 - (K - 1) * d / 2)), Combine((("cap K", K * d / 2),)), ("cap K",)),
        Step("step", le(1 / (202 * M), K * d / 2), Combine((("c1", lam * K / 2),)), ("c1",)),
        Step("length", le(1 / (202 * M), 1 - _q), Combine(), ("step", "half", "drop")),
        Step("q", lt(_q, 1), Combine((("length", 1),)), ("length",)),
        Step("t", le(1 - _q, 1), Combine((("at K", 1),)), ("at K",)),
        Step("t positive", lt(0, 1 - _q), Combine((("q", 1),)), ("q",)),
        Step("rises", _RISES, Apply("sfl/L11-rises", ((s, 1 / (202 * M)), (t, 1 - _q))), ("t", "length", "t positive")),
        Step("least", _LEAST, Apply("sfl/D3-T"), ("c3",)),
        Step("T", le(formula.T_MIN, T(1 - _q)), Combine(), ("least", "rises")),
        Step("small", SMALL_POWER, Apply("sfl/D3-power"), ("c1", "cap")),
        Step("forget", le(_LOST, 1 - _q**M), Combine(), ("small",)),
        Step("epsilon", le(0, _LOST), Ball(())),
        Step(
            "middle",
            le(_C3_TERM.subs(_EPS, _LOST), lam / 2 * V.subs(q, _q)),
            Apply("sfl/D3-middle", ((q, _q), (_EPS, _LOST))),
            ("length", "forget", "T", "c3", "q", "at K", "epsilon"),
        ),
        Step(
            "round", le(V.subs(q, _q), E(after**2)), Apply("sfl/D3-round", ((q, _q),)), (*_READ_IDS, "c3", "q", "at K")
        ),
        Step("error", _H3, Combine((("middle", 1), ("round", lam / 2))), ("middle", "round")),
    ),
    claim="sfl/h3@explicit",
    bound=formula.H3,
    place="Appendix D.3",
    unused=("c4",),
)

_H4, _H4_IF = stated(formula.H4, _AFTER_ROUND)
_W = V.subs(q, _q)
_P, _Q = 1 - _q**M, (1 - _q) / (1 + _q)
H4 = Theorem(
    "sfl/h4",
    _H4,
    (*_H4_IF, *_READ),
    (
        Step("d", le(d, 1), Combine((("c2", lam),)), ("c2",)),
        Step("two", le(2, M), Combine((("c3", 1),)), ("c3",)),
        Step("powers", _POWERS, Apply("sfl/L11-power", ((t, d),)), ("d",)),
        Step("at K", le(0, _q), Instance(((n, K),)), ("powers",)),
        Step("long", le(1, d * K), Combine((("c1", lam * K),)), ("c1",)),
        Step("exp", le(1 - d, exp(-d)), Known("exp", -d)),
        Step("zero", le(0, 1 - d), Combine((("d", 1),)), ("d",)),
        Step("power", le(_q, exp(-d) ** K), Power(K), ("zero", "exp")),
        Step("grows", le(1 + (d * K - 1), exp(d * K - 1)), Known("exp", d * K - 1)),
        Step("at least 1", le(1, exp(d * K - 1)), Combine(), ("grows", "long")),
        Step("falls", le(exp(-d * K), exp(-1)), Combine((("at least 1", exp(-d * K)),)), ("at least 1",)),
        Step("e", le(exp(-1), HALF), Ball(())),
        Step("small", le(_q, HALF), Combine(), ("power", "falls", "e"), note="(1 - d)^K <= 1/e"),
        Step("q", lt(_q, 1), Combine(), ("small",)),
        Step("t", le(1 - _q, 1), Combine((("at K", 1),)), ("at K",)),
        Step("t positive", lt(0, 1 - _q), Combine((("q", 1),)), ("q",)),
        Step("t half", le(1, 2 * (1 - _q)), Combine((("small", 2),)), ("small",)),
        Step("far", le(1 - 3 / M, T(1 - _q)), Apply("sfl/D3-far", ((t, 1 - _q),)), ("t", "t half", "t positive")),
        Step("T", le(Rational(1, 4), T(1 - _q)), Combine((("far", 1), ("c3", 3 / (4 * M)))), ("far", "c3")),
        Step("q at most 1", le(_q, 1), Combine((("q", 1),)), ("q",)),
        Step("one less", le(_q ** (M - 1), 1), Power(M - 1), ("at K", "q at most 1", "two")),
        Step("forget", le(HALF, _P), Combine((("one less", _q), ("small", 1))), ("one less", "small", "at K")),
        Step("thirds", le((1 + _q) / 3, 1 - _q), Combine((("small", Rational(4, 3)),)), ("small",)),
        Step("share", le(Rational(1, 3), _Q), Combine((("thirds", 1 / (1 + _q)),)), ("thirds", "at K")),
        Step("forgets", le(0, _P), Combine(), ("forget",)),
        Step(
            "product",
            le(Rational(1, 8), _P * T(1 - _q)),
            Combine((("forget", Rational(1, 4)), ("T", _P))),
            ("forget", "T", "forgets"),
        ),
        Step("positive", le(0, _P * T(1 - _q)), Combine(), ("product",)),
        Step(
            "both",
            le(Rational(1, 24), _Q * _P * T(1 - _q)),
            Combine((("product", Rational(1, 3)), ("share", _P * T(1 - _q)))),
            ("product", "share", "positive"),
        ),
        Step("more times", le((M - 1) * Rational(1, 24), M * _Q * _P * T(1 - _q)), Combine((("both", M),)), ("both",)),
        Step(
            "more",
            le(Rational(1, 24), M / (M - 1) * _Q * _P * T(1 - _q)),
            Combine((("more times", 1 / (M - 1)),)),
            ("more times", "two"),
        ),
        Step("round", le(_W, E(after**2)), Apply("sfl/D3-round", ((q, _q),)), (*_READ_IDS, "two", "q", "at K")),
        Step(
            "error",
            _H4,
            Combine((("more", zeta**2 / (2 * lam)), ("round", lam / 2))),
            ("more", "round"),
            note="1/48 >= 1/64",
        ),
    ),
    claim="sfl/h4@explicit",
    bound=formula.H4,
    place="Appendix D.3",
    unused=("c4",),
)

THEOREMS = (ONE_ROUND, MIDDLE, H3, H4)
