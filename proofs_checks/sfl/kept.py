"""Equal curvatures: the second moments of the regimes s3, h3 and h4 (Appendices C.3 and D.3) and their constants."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol, exp, oo

from fltheory.papers.sfl.bounds import lower as formula
from fltheory.papers.sfl.letters import K, M, R, eta, lam, sigma, t, zeta
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
    Relation,
    Step,
    Theorem,
    eq,
    le,
    lt,
    stated,
)
from fltheory.proof.terms import E, RandomScalar, family
from proofs_checks.sfl.shuffled import T

n = Symbol("n", integer=True, nonnegative=True)
j = Symbol("j", integer=True, positive=True)
X, tau, B = (family(RandomScalar, name) for name in ("x", "tau", "B"))
EVERY = (n, 0, oo)
N, d = M * K, lam * eta


def _plain(relation: Relation, *over: Any) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation, *over: Any) -> Relation:
    return _plain(_plain(relation).at({n: n + 1}), *(over or relation.over))


# Constants --------------------------------------------------------------------------------------------------------

_C3 = le(Rational(9, 1000), (1 - exp(-Rational(2, 101))) / 2)
C3 = Theorem("sfl/C3-constant", _C3, (), (Step("ball", _C3, Ball(())),), place="Appendix C.3")

# Regime s3: x_{n+1} = (1 - d) x_n - eta sigma tau_{n+1}, from 0 -----------------------------------------------------------

_q = 1 - d
START = Given("start", eq(X(0), 0), "the start")
MOVE = Given("move", eq(X(n + 1), _q * X(n) - eta * sigma * tau(n + 1), EVERY), "a step on lam x^2/2 + sigma tau x")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, EVERY), "a sign is 1 or -1")
FAIR = Given("fair", eq(E(tau(n + 1) * X(n)), 0, EVERY), "the next sign is fair and independent of the past")
_SECOND = eq(d * (2 - d) * E(X(n) ** 2), eta**2 * sigma**2 * (1 - _q ** (2 * n)), EVERY)
MOMENT = Theorem(
    "sfl/C3-moment",
    _SECOND,
    (START, MOVE, UNIT, FAIR),
    (
        Step("square 0", eq(X(0) ** 2, 0), Combine((("start", X(0)),)), ("start",)),
        Step("mean 0", eq(E(X(0) ** 2), 0), Expected(), ("square 0",)),
        Step("base", _plain(_SECOND).at({n: Integer(0)}), Combine((("mean 0", d * (2 - d)),)), ("mean 0",)),
        Step(
            "square",
            eq(X(n + 1) ** 2, _q**2 * X(n) ** 2 - 2 * _q * eta * sigma * tau(n + 1) * X(n) + eta**2 * sigma**2, EVERY),
            Combine((("move", X(n + 1) + MOVE.relation.right), ("unit", eta**2 * sigma**2))),
            ("move", "unit"),
        ),
        Step(
            "mean",
            eq(
                E(X(n + 1) ** 2),
                E(_q**2 * X(n) ** 2 - 2 * _q * eta * sigma * tau(n + 1) * X(n) + eta**2 * sigma**2),
                EVERY,
            ),
            Expected(),
            ("square",),
        ),
        Step(
            "step",
            _after(_SECOND),
            Combine((("mean", d * (2 - d)), ("fair", -2 * _q * eta * sigma * d * (2 - d)), ("assumed 1", _q**2))),
            ("mean", "fair"),
            assuming=(_plain(_SECOND),),
        ),
        Step("moment", _SECOND, Induction(n), ("base", "step")),
    ),
    place="Appendix C.3",
    note="E x_n^2 = eta^2 sigma^2 (1 - (1 - d)^{2n})/(1 - (1 - d)^2), d = lam eta",
)

# The power (1 - d)^{cN}, where the step is at least 1/(101 lam N) ---------------------------------------------------------

S_FLOOR = Given("floor", le(1 / (101 * lam * N), eta), "the regime's least step")
S_CAP = Given("cap", le(eta, 1 / lam), "the regime's largest step")
_POWERS = le(0, _q**n, EVERY)
SMALL_POWER = le(_q**N, exp(-Rational(1, 101)))
SMALL = Theorem(
    "sfl/D3-power",
    SMALL_POWER,
    (S_FLOOR, S_CAP),
    (
        Step("exp", le(1 - d, exp(-d)), Known("exp", -d)),
        Step("zero", le(0, 1 - d), Combine((("cap", lam),)), ("cap",)),
        Step("power", le(_q**N, exp(-d) ** N), Power(N), ("zero", "exp")),
        Step("more", le(Rational(1, 101), d * N), Combine((("floor", lam * N),)), ("floor",)),
        Step(
            "rest",
            le(1 + (d * N - Rational(1, 101)), exp(d * N - Rational(1, 101))),
            Known("exp", d * N - Rational(1, 101)),
        ),
        Step("at least 1", le(1, exp(d * N - Rational(1, 101))), Combine(), ("rest", "more")),
        Step(
            "falls", le(exp(-d * N), exp(-Rational(1, 101))), Combine((("at least 1", exp(-d * N)),)), ("at least 1",)
        ),
        Step("small", SMALL_POWER, Combine((("power", 1), ("falls", 1))), ("power", "falls")),
    ),
    place="Appendices C.3 and D.3",
    note="(1 - d)^N <= e^{-dN} <= e^{-1/101}",
)

_ERROR = lam / 2 * E(X(N * R) ** 2)
_S3, _S3_IF = stated(formula.S3, _ERROR)
_LATE, _SECOND_R = exp(-2 * R / 101), E(X(N * R) ** 2)
S3 = Theorem(
    "sfl/s3",
    _S3,
    (*_S3_IF, START, MOVE, UNIT, FAIR),
    (
        Step("moment", _SECOND, Apply("sfl/C3-moment"), ("start", "move", "unit", "fair")),
        Step("end", _plain(_SECOND).at({n: N * R}), Instance(((n, N * R),)), ("moment",)),
        Step("small", SMALL_POWER, Apply("sfl/D3-power"), ("c1", "c2")),
        Step("d", le(d, 1), Combine((("c2", lam),)), ("c2",)),
        Step("powers", _POWERS, Apply("sfl/L11-power", ((t, d),)), ("d",)),
        Step("nothing", le(0, _q**N), Instance(((n, N),)), ("powers",)),
        Step("rounds", le(_q ** (2 * N * R), _LATE), Power(2 * R), ("nothing", "small")),
        Step("grows", le(1 + 2 * (R - 1) / 101, exp(2 * (R - 1) / 101)), Known("exp", 2 * (R - 1) / 101)),
        Step("at least 1", le(1, exp(2 * (R - 1) / 101)), Polynomial(), ("grows",)),
        Step("falls", le(_LATE, exp(-Rational(2, 101))), Combine((("at least 1", _LATE),)), ("at least 1",)),
        Step("constant", _C3, Apply("sfl/C3-constant")),
        Step(
            "power",
            le(Rational(18, 1000), 1 - _q ** (2 * N * R)),
            Combine((("constant", 2), ("rounds", 1), ("falls", 1))),
            ("constant", "rounds", "falls"),
        ),
        Step(
            "second",
            le(Rational(18, 1000) * eta**2 * sigma**2, 2 * d * _SECOND_R),
            Combine((("power", eta**2 * sigma**2), ("end", -1))),
            ("power", "end"),
            note="1 - (1 - d)^2 <= 2 d",
        ),
        Step(
            "error", _S3, Combine((("second", 1 / (4 * eta)), ("c1", Rational(9, 2000) * sigma**2))), ("second", "c1")
        ),
    ),
    claim="sfl/s3@corrected",
    bound=formula.S3,
    place="Appendix C.3",
)

# A shuffled round: B(m) after m clients, from 0 --------------------------------------------------------------------------

q = Symbol("q", nonnegative=True)
PUSH = (1 - q) * zeta / lam
BEGIN = Given("begin", eq(B(0), 0), "the part of the round that the order makes")
CLIENT = Given("client", eq(B(n + 1), q * B(n) - PUSH * tau(n + 1), (n, 0, M - 1)), "K steps on lam x^2/2 + zeta tau x")
SIGN = Given("sign", eq(tau(n + 1) ** 2, 1, (n, 0, M - 1)), "a sign is 1 or -1")
_LATER = (j, n + 2, M)
PAIRS = Given(
    "pairs",
    eq(E(tau(n + 1) * tau(j)), -1 / (M - 1), (n, 0, M - 1), _LATER),
    "as many pluses as minuses, in random order",
)
TWO = Given("two", le(2, M), "M is even")
BELOW = Given("q", lt(q, 1), "q = (1 - d)^K")
_CROSS = eq((1 - q) * (M - 1) * E(B(n) * tau(j)), PUSH * (1 - q**n), (n, 0, M), (j, n + 1, M))
_SPREAD = eq(
    (M - 1) * (1 - q) ** 2 * (1 + q) * E(B(n) ** 2),
    PUSH**2 * (M * (1 - q) * (1 - q ** (2 * n)) - (1 + q) * (1 - q**n) ** 2),
    (n, 0, M),
)
V = zeta**2 / lam**2 * M / (M - 1) * (1 - q) / (1 + q) * (1 - q**M) * T(1 - q)
_MOVED = q**2 * B(n) ** 2 - 2 * q * PUSH * B(n) * tau(n + 1) + PUSH**2
ROUND = (n, 0, M - 1)
ROUND_GIVEN = (BEGIN, CLIENT, SIGN, PAIRS, TWO, BELOW)
ROUND_IDS = tuple(h.id for h in ROUND_GIVEN)
SPREAD = Theorem(
    "sfl/D3-moment",
    eq(E(B(M) ** 2), V),
    ROUND_GIVEN,
    (
        Step("none", eq(B(0) * tau(j), 0, (j, 1, M)), Combine((("begin", tau(j)),)), ("begin",)),
        Step("none mean", eq(E(B(0) * tau(j)), 0, (j, 1, M)), Expected(), ("none",)),
        Step(
            "cross 0",
            eq((1 - q) * (M - 1) * E(B(0) * tau(j)), 0, (j, 1, M)),
            Combine((("none mean", (1 - q) * (M - 1)),)),
            ("none mean",),
        ),
        Step(
            "times",
            eq(B(n + 1) * tau(j), q * B(n) * tau(j) - PUSH * tau(n + 1) * tau(j), ROUND, _LATER),
            Combine((("client", tau(j)),)),
            ("client",),
        ),
        Step(
            "times mean",
            eq(E(B(n + 1) * tau(j)), E(q * B(n) * tau(j) - PUSH * tau(n + 1) * tau(j)), ROUND, _LATER),
            Expected(),
            ("times",),
        ),
        Step(
            "cross next",
            _after(_CROSS, ROUND, _LATER),
            Combine((("times mean", (1 - q) * (M - 1)), ("pairs", -PUSH * (1 - q) * (M - 1)), ("assumed 1", q))),
            ("times mean", "pairs", "two"),
            assuming=(_plain(_CROSS, (j, n + 1, M)),),
        ),
        Step("cross", _CROSS, Induction(n), ("cross 0", "cross next")),
        Step("cross n", _plain(_CROSS, ROUND).at({j: n + 1}), Instance(((n, n), (j, n + 1))), ("cross",)),
        Step("square 0", eq(B(0) ** 2, 0), Combine((("begin", B(0)),)), ("begin",)),
        Step("mean 0", eq(E(B(0) ** 2), 0), Expected(), ("square 0",)),
        Step(
            "spread 0",
            _plain(_SPREAD).at({n: Integer(0)}),
            Combine((("mean 0", (M - 1) * (1 - q) ** 2 * (1 + q)),)),
            ("mean 0",),
        ),
        Step(
            "square",
            eq(B(n + 1) ** 2, _MOVED, ROUND),
            Combine((("client", B(n + 1) + CLIENT.relation.right), ("sign", PUSH**2))),
            ("client", "sign"),
        ),
        Step("mean", eq(E(B(n + 1) ** 2), E(_MOVED), ROUND), Expected(), ("square",)),
        Step(
            "spread next",
            _after(_SPREAD, ROUND),
            Combine(
                (
                    ("mean", (M - 1) * (1 - q) ** 2 * (1 + q)),
                    ("cross n", -2 * q * PUSH * (1 - q) * (1 + q)),
                    ("assumed 1", q**2),
                )
            ),
            ("mean", "cross n"),
            assuming=(_plain(_SPREAD),),
        ),
        Step("spread", _SPREAD, Induction(n), ("spread 0", "spread next")),
        Step("at M", _plain(_SPREAD).at({n: M}), Instance(((n, M),)), ("spread",)),
        Step(
            "moment",
            eq(E(B(M) ** 2), V),
            Combine((("at M", 1 / ((M - 1) * (1 - q) ** 2 * (1 + q))),)),
            ("at M", "two", "q"),
        ),
    ),
    place="Appendix D.3, (12)",
)

THEOREMS = (C3, MOMENT, SMALL, S3, SPREAD)
