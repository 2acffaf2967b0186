"""Equal curvatures: the second moments of the regimes s3, h3 and h4 (Appendices C.3 and D.3) and their constants."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, exp, oo

from fltheory.papers.sfl.lower import bounds as formula
from fltheory.papers.sfl.notation import K, M, R, eta, lam, sigma, t, zeta
from fltheory.papers.sfl.signs.proofs.shuffled import POSITIVE_POWER, T
from fltheory.proof import Given, Relation, by, eq, le, lt, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import E, RandomScalar, family

n = Symbol("n", integer=True, nonnegative=True)
j = Symbol("j", integer=True, positive=True)
X, tau, B = (family(RandomScalar, name) for name in ("x", "tau", "B"))
EVERY = (n, 0, oo)
N, d = M * K, lam * eta


def _plain(relation: Relation, *over: Range) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation, *over: Range) -> Relation:
    return _plain(_plain(relation).at({n: n + 1}), *(over or relation.over))


# Constants --------------------------------------------------------------------------------------------------------

_C3 = le(Rational(9, 1000), (1 - exp(-Rational(2, 101))) / 2)
C3 = proof("sfl/C3-constant", "Appendix C.3").qed(_C3, by.ball(()), name="ball")

# Regime s3: x_{n+1} = (1 - d) x_n - eta sigma tau_{n+1}, from 0 -----------------------------------------------------------

_q = 1 - d
START = Given("start", eq(X(0), 0), "the start")
MOVE = Given("move", eq(X(n + 1), _q * X(n) - eta * sigma * tau(n + 1), EVERY), "a step on lam x^2/2 + sigma tau x")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, EVERY), "a sign is 1 or -1")
FAIR = Given("fair", eq(E(tau(n + 1) * X(n)), 0, EVERY), "the next sign is fair and independent of the past")
_SECOND = eq(d * (2 - d) * E(X(n) ** 2), eta**2 * sigma**2 * (1 - _q ** (2 * n)), EVERY)
MOMENT = (
    proof("sfl/C3-moment", "Appendix C.3",
        note="E x_n^2 = eta^2 sigma^2 (1 - (1 - d)^{2n})/(1 - (1 - d)^2), d = lam eta")
    .under(START, MOVE, UNIT, FAIR)
    .step("square 0", eq(X(0) ** 2, 0), by.linear("start"))
    .step("mean 0", by.expectation("square 0"))
    .step("base", _plain(_SECOND).at({n: Integer(0)}), by.linear("mean 0"))
    .step("square",
        eq(X(n + 1) ** 2, _q**2 * X(n) ** 2 - 2 * _q * eta * sigma * tau(n + 1) * X(n) + eta**2 * sigma**2, EVERY),
        by.linear("move", "unit"))
    .step("mean", by.expectation("square"))
    .step("step", _after(_SECOND), by.linear("mean", "fair"), assuming=_plain(_SECOND))
    .qed(_SECOND, by.induction(n, "base", "step"), name="moment")
)

# The power (1 - d)^{cN}, for steps of at least 1/(101 lam N) ----------------------------------------------------------

S_FLOOR = Given("floor", le(1 / (101 * lam * N), eta), "the regime's least step")
SMALL = (
    proof("sfl/D3-power", "Appendices C.3 and D.3", note="(1 - d)^N <= e^{-dN} <= e^{-1/101}").under(S_FLOOR)
    .given("cap", le(eta, 1 / lam), "the regime's largest step")
    .step("exp", by.fact("exp", -d))
    .step("zero", le(0, 1 - d), by.linear("cap"))
    .step("power", by.power(N, "zero", "exp"))
    .step("more", le(Rational(1, 101), d * N), by.linear("floor"))
    .step("rest", by.fact("exp", d * N - Rational(1, 101)))
    .step("at least 1", le(1, exp(d * N - Rational(1, 101))), by.linear("rest", "more"))
    .step("falls", le(exp(-d * N), exp(-Rational(1, 101))), by.linear("at least 1"))
    .qed(le(_q**N, exp(-Rational(1, 101))), by.linear("power", "falls"), name="small")
)

_S3, _S3_IF = statement_of(formula.S3, lam / 2 * E(X(N * R) ** 2))
_LATE, _SECOND_R = exp(-2 * R / 101), E(X(N * R) ** 2)
S3 = (
    proof("sfl/s3", "Appendix C.3", of="sfl/s3@corrected", bound=formula.S3).under(*_S3_IF, START, MOVE, UNIT, FAIR)
    .step("moment", by.apply(MOMENT))
    .step("end", by.instance({n: N * R}, "moment"))
    .step("small", by.apply(SMALL))
    .step("d", le(d, 1), by.linear("c2"))
    .step("powers", by.apply(POSITIVE_POWER, {t: d}))
    .step("nothing", by.instance({n: N}, "powers"))
    .step("rounds", by.power(2 * R, "nothing", "small"))
    .step("grows", by.fact("exp", 2 * (R - 1) / 101))
    .step("at least 1", le(1, exp(2 * (R - 1) / 101)), by.polynomial("grows"))
    .step("falls", le(_LATE, exp(-Rational(2, 101))), by.linear("at least 1"))
    .step("constant", by.apply(C3))
    .step("power", le(Rational(18, 1000), 1 - _q ** (2 * N * R)), by.linear("constant", "rounds", "falls"))
    .step("second", le(Rational(18, 1000) * eta**2 * sigma**2, 2 * d * _SECOND_R), by.linear("power", "end"),
        note="1 - (1 - d)^2 <= 2 d")
    .qed(_S3, by.linear("second", "c1"), name="error")
)

# A shuffled round: B(m) after m clients, from 0 --------------------------------------------------------------------------

q = Symbol("q", nonnegative=True)
PUSH = (1 - q) * zeta / lam
BEGIN = Given("begin", eq(B(0), 0), "the part of the round that the order makes")
CLIENT = Given("client", eq(B(n + 1), q * B(n) - PUSH * tau(n + 1), (n, 0, M - 1)), "K steps on lam x^2/2 + zeta tau x")
SIGN = Given("sign", eq(tau(n + 1) ** 2, 1, (n, 0, M - 1)), "a sign is 1 or -1")
_LATER = (j, n + 2, M)
PAIRS = Given("pairs", eq(E(tau(n + 1) * tau(j)), -1 / (M - 1), (n, 0, M - 1), _LATER),
    "as many pluses as minuses, in random order")
TWO = Given("two", le(2, M), "M is even")
BELOW = Given("q", lt(q, 1), "q = (1 - d)^K")
_CROSS = eq((1 - q) * (M - 1) * E(B(n) * tau(j)), PUSH * (1 - q**n), (n, 0, M), (j, n + 1, M))
_SPREAD = eq((M - 1) * (1 - q) ** 2 * (1 + q) * E(B(n) ** 2),
    PUSH**2 * (M * (1 - q) * (1 - q ** (2 * n)) - (1 + q) * (1 - q**n) ** 2), (n, 0, M))
V = zeta**2 / lam**2 * M / (M - 1) * (1 - q) / (1 + q) * (1 - q**M) * T(1 - q)
_MOVED = q**2 * B(n) ** 2 - 2 * q * PUSH * B(n) * tau(n + 1) + PUSH**2
ROUND = (n, 0, M - 1)
ROUND_GIVEN = (BEGIN, CLIENT, SIGN, PAIRS, TWO, BELOW)
SPREAD = (
    proof("sfl/D3-moment", "Appendix D.3, (12)").under(*ROUND_GIVEN)
    .step("none", eq(B(0) * tau(j), 0, (j, 1, M)), by.linear("begin"))
    .step("none mean", by.expectation("none"))
    .step("cross 0", eq((1 - q) * (M - 1) * E(B(0) * tau(j)), 0, (j, 1, M)), by.linear("none mean"))
    .step("times", eq(B(n + 1) * tau(j), q * B(n) * tau(j) - PUSH * tau(n + 1) * tau(j), ROUND, _LATER),
        by.linear("client"))
    .step("times mean", by.expectation("times"))
    .step("cross next", _after(_CROSS, ROUND, _LATER), by.linear("times mean", "pairs", "two"),
        assuming=_plain(_CROSS, (j, n + 1, M)))
    .step("cross", _CROSS, by.induction(n, "cross 0", "cross next"))
    .step("cross n", _plain(_CROSS, ROUND).at({j: n + 1}), by.instance({n: n, j: n + 1}, "cross"))
    .step("square 0", eq(B(0) ** 2, 0), by.linear("begin"))
    .step("mean 0", by.expectation("square 0"))
    .step("spread 0", _plain(_SPREAD).at({n: Integer(0)}), by.linear("mean 0"))
    .step("square", eq(B(n + 1) ** 2, _MOVED, ROUND), by.linear("client", "sign"))
    .step("mean", by.expectation("square"))
    .step("spread next", _after(_SPREAD, ROUND), by.linear("mean", "cross n"), assuming=_plain(_SPREAD))
    .step("spread", _SPREAD, by.induction(n, "spread 0", "spread next"))
    .step("at M", by.instance({n: M}, "spread"))
    .qed(eq(E(B(M) ** 2), V), by.linear({"at M": 1 / ((M - 1) * (1 - q) ** 2 * (1 + q))}, "two", "q"), name="moment")
)

THEOREMS = (C3, MOMENT, SMALL, S3, SPREAD)
