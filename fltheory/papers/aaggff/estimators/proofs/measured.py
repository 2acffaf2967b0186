"""Definition 2.1, Table A1, Appendix B.2, Lemmas 4.3 and 4.4: gaps and spreads, ranges, errors of estimates."""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Max, Rational, Symbol, log, sqrt

from fltheory.papers.aaggff.estimators.proofs import remainder, sampling
from fltheory.papers.aaggff.estimators.proofs.remainder import INSIDE, INSIDE_IDS
from fltheory.papers.aaggff.estimators.proofs.spread import HIGH, LOW, MEAN, SHORTFALL, VARIANCE, best, mean, worst, x
from fltheory.papers.aaggff.losses.proofs.facts import CLIENTS, EACH, P, Q, i, j, n, whole
from fltheory.papers.aaggff.notation import C1, C2, C, K, T, c, m
from fltheory.papers.aaggff.unification.proofs import plain
from fltheory.papers.aaggff.unification.proofs.mixing import each, tied
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.by import By
from fltheory.proof.chain import Chain
from fltheory.proof.language import Relation
from fltheory.proof.terms import E, Nonnegative, Positive, RandomNonnegative, RandomScalar, Scalar, Total, family
from fltheory.verification import find

gap = family(Positive, "gap")()
GAP = Given("gap", eq(gap, best - worst), "some clients are served better than others")
ENDS = (
    Given("worst", eq(x(K - 1), worst), "numbers of clients mean nothing"),
    Given("best", eq(x(K), best), "nor does the order"),
)


def side(claim: str, which: str, quantity: Expr) -> tuple[Chain, Relation]:
    """Return a proof of one of a claim's two bounds."""
    bound = next(one for one in find(f"aaggff/{claim}").bounds if one.side == which)
    statement, conditions = statement_of(bound, quantity)
    name = "most" if which == "upper" else "least"
    chain = proof(f"aaggff/{claim}-{name}", of=f"aaggff/{claim}", bound=bound)
    return chain.under(*conditions), statement


term = family(Scalar, "f")
LAST_TWO = proof("aaggff/last-two", "Definition 2.1", note="the last two terms of a sum").qed(
    eq(Total(term(j), j, 1, n + 2), Total(term(j), j, 1, n) + term(n + 1) + term(n + 2)), by.linear())

# Definition 2.1 -----------------------------------------------------------------------------------------------------------

_SQUARES = whole((x(j) - mean) ** 2)
_CHAIN, _STATED = side("D2.1@explicit", "upper", _SQUARES / K / gap**2)
VARIANCE_HIGH = (
    _CHAIN.under(LOW, HIGH, MEAN, GAP).step("known", by.apply(VARIANCE)).qed(_STATED, by.linear("known", "gap"))
)
_FIRST, _LAST = (x(K - 1) - mean) ** 2, (x(K) - mean) ** 2
_CHAIN, _STATED = side("D2.1@explicit", "lower", _SQUARES / K / gap**2)
_AT_ENDS = (worst - mean) ** 2 + (best - mean) ** 2
VARIANCE_LOW = (
    _CHAIN.under(CLIENTS, GAP, *ENDS)
    .step("split", by.apply(LAST_TWO, {n: K - 2, term(j): (x(j) - mean) ** 2}, "clients"))
    .step(
        "square", le(4 * x(i) * mean, (x(i) + mean) ** 2, (i, 1, K - 2)), by.apply("aaggff/square", {P: x(i), Q: mean})
    )
    .step("inner", le(0, (x(i) - mean) ** 2, (i, 1, K - 2)), by.linear("square"))
    .step("inners", le(0, Total((x(j) - mean) ** 2, j, 1, K - 2)), by.sum_over(i, "inner"))
    .step("ends", eq(_FIRST + _LAST, _AT_ENDS), by.linear("worst", "best"))
    .step(
        "middle",
        le(4 * (best + worst) * 2 * mean, (best + worst + 2 * mean) ** 2),
        by.apply("aaggff/square", {P: best + worst, Q: 2 * mean}),
    )
    .step("halves", le(gap**2 / 2, _AT_ENDS), by.linear("middle", "gap"))
    .qed(_STATED, by.linear("halves", "ends", "inners", "split"))
)
_CHAIN, _STATED = tied("D2.1-good@corrected", (mean - worst) / gap)
GOOD = (
    _CHAIN.under(CLIENTS, HIGH, MEAN, GAP)
    .given("worst", eq(x(K), worst), "numbers of clients mean nothing")
    .step("known", by.apply(SHORTFALL))
    .qed(_STATED, by.linear("known", "gap"))
)

# Appendix B.2, Table A1 -----------------------------------------------------------------------------------------------------

_CHAIN, _STATED = tied("R2-trivial@corrected", 2 * (C + 2) * sqrt(T * log(K)) / (T * log(1 + C)))
TRIVIAL = (
    _CHAIN.step("log", by.fact("log", 1 + C))
    .step("short", le(1, C / log(1 + C)), by.linear("log"))
    .qed(_STATED, by.linear("short"))
)
_INPUTS = Max(*(abs(Rational(top, 13) - Rational(d, 100)) for top, d in ((3, 23), (30, 231), (6, 46))))
_CHAIN, _STATED = tied("TA1-inputs@printed", _INPUTS)
INPUTS = _CHAIN.qed(_STATED, by.linear())
input_, shaped = family(Positive, "x"), family(Positive, "x^1")
_CHAIN, _STATED = tied("B3@printed", shaped(i) - input_(i),
    note="-log(1 - CDF) of Weibull's is x^k, of the exponential x")
HAZARDS = _CHAIN.given(
    "shape", eq(shaped(i), input_(i) ** Integer(1), EACH), "Weibull's with the shape 1", supposed=True
).qed(each(_STATED), by.linear("shape"))

# Lemma 4.4: the smallest linearisation error --------------------------------------------------------------------------

_A, _B = 1 + C1, 1 + C2
_NEAR, _FAR = (c - C1) / _A, (C2 - c) / _B
_TOP = Max(_FAR, _NEAR)
_MOST = _TOP / (1 + c)
_ENDS = Max(1 / _A - 1 / (1 + c), 1 / (1 + c) - 1 / _B)
ABOVE = (
    ("near", le(_NEAR, _TOP), by.apply(plain.LARGER, {plain.x: _NEAR, plain.y: _FAR})),
    ("far", le(_FAR, _TOP), by.apply(plain.LARGER, {plain.x: _FAR, plain.y: _NEAR})),
    ("first", le(1 / _A - 1 / (1 + c), _MOST), by.linear("near")),
    ("second", le(1 / (1 + c) - 1 / _B, _MOST), by.linear("far")),
)
BELOW = (
    ("end low", le(1 / _A - 1 / (1 + c), _ENDS),
        by.apply(plain.LARGER, {plain.x: 1 / _A - 1 / (1 + c), plain.y: 1 / (1 + c) - 1 / _B})),
    ("end high", le(1 / (1 + c) - 1 / _B, _ENDS),
        by.apply(plain.LARGER, {plain.x: 1 / (1 + c) - 1 / _B, plain.y: 1 / _A - 1 / (1 + c)})),
)


def with_lines(chain: Chain, lines: tuple[tuple[str, Relation, By], ...]) -> Chain:
    """Return the proof with further lines."""
    for name, claim, reason in lines:
        chain = chain.step(name, claim, reason)
    return chain


_CHAIN, _STATED = tied("4.4-remainder@strengthened", remainder.LOSS, used=("c1",))
REMAINDER = (
    with_lines(_CHAIN.under(*INSIDE), ABOVE)
    .step("size",
        by.apply(remainder.SIZE, {remainder.low: _A, remainder.high: _B, remainder.k: 1 + c, remainder.most: _MOST},
            *INSIDE_IDS, "c1", "first", "second"))
    .qed(_STATED, by.linear("size"))
)
_CHAIN, _STATED = tied("4.4-reference@strengthened", (C2 - C1) * _ENDS, used=("c1",), note="the larger of both ends")
REFERENCE = with_lines(_CHAIN, BELOW).qed(_STATED,
    by.linear({"end low": (C2 - C1) / 2, "end high": (C2 - C1) / 2}, "c1"))
_SCALED = _ENDS * (1 + c)
_CHAIN, _STATED = tied("4.4-remainder-exact@strengthened", (C2 - C1) * _ENDS, note="at the ends of the range")
EXACT = (
    with_lines(_CHAIN, (*ABOVE, *BELOW))
    .step("up near", le(_NEAR, _SCALED), by.linear("end low"))
    .step("up far", le(_FAR, _SCALED), by.linear("end high"))
    .step("up", by.apply(plain.BOTH, {plain.x: _FAR, plain.y: _NEAR, plain.top: _SCALED}))
    .step("down",
        by.apply(plain.BOTH, {plain.x: 1 / _A - 1 / (1 + c), plain.y: 1 / (1 + c) - 1 / _B, plain.top: _MOST}))
    .step("up too", le(_MOST, _ENDS), by.linear("up"))
    .step("same", by.antisymmetry("down", "up too"))
    .qed(_STATED, by.linear("same"))
)

# Lemmas 4.3 and 4.4: biases ------------------------------------------------------------------------------------------------

sign, top = Symbol("sign", real=True), family(Positive, "top")()
_CHAIN, _STATED = tied("4.3-bias@corrected", sign * (E(sampling.robust(K, sampling.MEAN_SEEN)) - sampling.r(K)) / top,
    note="client K being the farthest from the mean response; every client's bias has the same factor")
BIAS = (
    _CHAIN.under(*sampling.DRAWS)
    .given("top", eq(top, sign * (sampling.MU - sampling.r(K))), "the distance from the mean: sign is 1 or -1")
    .step("known", by.apply(sampling.BIAS))
    .qed(_STATED, by.linear("known", "top", "clients"))
)
drawn, answer, r = family(RandomNonnegative, "seen"), family(RandomScalar, "answer"), family(Scalar, "r")
_ESTIMATE = (1 - drawn(i) * K / m) * c + drawn(i) * K / m * answer(i)
_CHAIN, _STATED = tied("4.3-response@corrected", Abs(E(_ESTIMATE) - r(i)), used=())
RESPONSE = (
    _CHAIN.given("one", eq(E(drawn(i)), m / K, EACH), "each client is drawn with probability m/K")
    .given("answer low", le(C1, answer(i), EACH), "(8) is in the range, whoever else is drawn")
    .given("answer high", le(answer(i), C2, EACH), "and not above")
    .given("low", le(C1, r(i), EACH), "so is the response with all clients")
    .given("high", le(r(i), C2, EACH), "and not above")
    .step("each low", le(C1 * drawn(i), drawn(i) * answer(i), EACH), by.linear("answer low"))
    .step("each high", le(drawn(i) * answer(i), C2 * drawn(i), EACH), by.linear("answer high"))
    .step("mean low", by.expectation("each low"))
    .step("mean high", by.expectation("each high"))
    .step("up", le(E(_ESTIMATE) - r(i), C2 - C1, EACH), by.linear("mean high", "one", "low"))
    .step("down", le(r(i) - E(_ESTIMATE), C2 - C1, EACH), by.linear("mean low", "one", "high"))
    .qed(each(_STATED), by.absolute("up", "down"))
)
estimate, weight = family(RandomScalar, "estimate"), family(Nonnegative, "p")
_MEAN = E(sampling.gradient(estimate(K), whole(weight(j) * (estimate(j) - c)), c))
_BIAS = _MEAN - sampling.gradient(r(K), whole(weight(j) * (r(j) - c)), c)
_CHAIN, _STATED = tied("4.4-only@strengthened", Abs(_BIAS) / top, note="client K's response having the largest bias")
_FELT = whole(weight(j) * (E(estimate(j)) - r(j)))
ONLY = (
    _CHAIN.given("weights", eq(whole(weight(j)), 1), "a decision")
    .given("top", eq(top, sign * (E(estimate(K)) - r(K))), "the largest bias of a response, not 0: sign is 1 or -1")
    .given("most", le(sign * (E(estimate(i)) - r(i)), top, EACH), "no other is larger")
    .given("sign low", le(-1, sign), "1 or -1")
    .given("sign high", le(sign, 1), "1 or -1")
    .step("felt", le(sign * _FELT, top * whole(weight(j))), by.sum_over(i, "most", weight=weight(i)))
    .step("up", by.fact("abs", _BIAS))
    .step("down", le(-_BIAS, Abs(_BIAS)), by.fact("abs", -_BIAS))
    .step("turned", le(-sign * _BIAS, Abs(_BIAS)), by.linear("up", "down", "sign low", "sign high"))
    .step("value", eq(_BIAS, -(E(estimate(K)) - r(K)) / (1 + c) + c * _FELT / (1 + c) ** 2), by.linear())
    .qed(_STATED, by.linear("turned", "value", "felt", "weights", "top"))
)
THEOREMS = (LAST_TWO, VARIANCE_HIGH, VARIANCE_LOW, GOOD, TRIVIAL, INPUTS, HAZARDS, REMAINDER, REFERENCE, EXACT, BIAS,
    RESPONSE, ONLY)
