"""Remark 3.1 and Table 1: what one entropic step from the clients' shares gives, and how long the methods' true steps are.

Weights are positive numbers; that gradients of the methods' objectives have these weights is the chain rule, and not proved here.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol, exp, log

from fltheory.papers.aaggff.letters import L, q
from fltheory.proof.language import Apply, Combine, Given, Step, Summed, Theorem, Witness, eq, le
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Vector, family
from proofs_checks.aaggff.entropy import G, c, e, logr, own
from proofs_checks.aaggff.facts import EACH, i, j, whole

PLACE = "Remark 3.1"

# U0: the decision that (2) and (3) stand for --------------------------------------------------------------------------

prior, r = family(Scalar, "log w"), family(Scalar, "r")
first, second, eta = (Symbol(name, positive=True) for name in ("w1", "w2", "eta"))
r1, r2 = (Symbol(name, real=True) for name in ("r1", "r2"))
_AGREE = eq(exp((r1 - r2) / eta), first / second * exp((r1 - r2) / eta))
U0 = Theorem(
    "aaggff/U0@printed",
    _AGREE,
    (),
    (
        Step(
            "1",
            _AGREE,
            Witness({first: Rational(1, 2), second: Rational(3, 10), r1: 1, r2: 1, eta: 1}),
            expected="REFUTED",
            note="1 against 5/3: (2) forgets the last decision",
        ),
    ),
    expected="REFUTED",
    claim="aaggff/U0@printed",
    place=PLACE,
    note="the ratio of two clients by (2) and by (3)",
)


def divergence_step(logs: Any) -> Expr:
    """-<p, r> + eta KL(p | prior)."""
    return whole(exp(logs(j)) * (-r(j) + e * (logs(j) - prior(j))))


_SUMS = (
    Given("sum", eq(whole(exp(own(j))), 1), "a distribution"),
    Given("sum r", eq(whole(exp(logr(j))), 1), "another one"),
)
_STEP = Given("decision", eq(own(i), prior(i) + r(i) / e - c, EACH), "(3): the prior times exp(r/eta), scaled")
_KL = eq(divergence_step(logr) - divergence_step(own), e * whole(exp(logr(j)) * (logr(j) - own(j))))
U0_CORRECTED = Theorem(
    "aaggff/U0@corrected",
    _KL,
    (_STEP, *_SUMS),
    (
        Step("decision 2", eq(own(i), -(-r(i) - e * prior(i)) / e - c, EACH), Combine({"decision": 1}), ("decision",)),
        Step("1", _KL, Apply("aaggff/4.5-gap", {G(i): -r(i) - e * prior(i)}), ("decision 2", "sum", "sum r")),
    ),
    claim="aaggff/U0@corrected",
    place=PLACE,
    note="with KL(p | prior) in (2): every other decision is worse, by eta KL between both, so that (3) is its solution",
)
_SOFTMAX = Given("decision", eq(own(i), r(i) / e - c, EACH), "softmax(r/eta)")


def entropy_step(logs: Any) -> Expr:
    """-<p, r> + eta sum p log p."""
    return whole(exp(logs(j)) * (-r(j) + e * logs(j)))


_PLAIN = le(entropy_step(own), entropy_step(logr))
U0_SOFTMAX = Theorem(
    "aaggff/U0-softmax@corrected",
    _PLAIN,
    (_SOFTMAX, *_SUMS),
    (Step("1", _PLAIN, Apply("aaggff/4.5", {G(i): -r(i)}), ("decision", "sum", "sum r")),),
    claim="aaggff/U0-softmax@corrected",
    place=PLACE,
    note="no decision is better in (2) with the entropy than softmax(r/eta)",
)

# U1, U4, U5: mixing weights -------------------------------------------------------------------------------------------

w, F, gap = family(Positive, "w"), family(Positive, "F"), family(Positive, "gap")
tilt = Symbol("lambda", positive=True)


def mixing(name: str, response: Any, scale: Any, weight: Any, note: str) -> Theorem:
    """The weight that (3) gives a client, before all are scaled to add up to 1."""
    claim = eq(w(i) * exp(response / scale), weight, EACH)
    theorem = f"aaggff/{name}@printed"
    return Theorem(theorem, claim, (), (Step("1", claim, Combine()),), claim=theorem, place="Table 1", note=note)


MIXING = (
    mixing("U1", Integer(0), Integer(1), w(i), "FedAvg: the shares themselves"),
    mixing("U4", F(i), 1 / tilt, w(i) * exp(tilt * F(i)), "TERM"),
    mixing("U5", -log(gap(i)), Integer(1), w(i) / gap(i), "PropFair; M - F is positive"),
)

# Their true steps -----------------------------------------------------------------------------------------------------

weight, slope, way = family(Positive, "a"), family(Nonnegative, "b"), family(Vector, "v")
total, factor = family(Positive, "A")(), family(Positive, "D")()
TOTAL = Given("total", eq(total, whole(weight(j))), "the sum of the weights")
_GRADIENT = eq(whole(weight(j) * way(j)), total * whole(weight(j) / total * way(j)))
GRADIENT = Theorem(
    "aaggff/U-gradient",
    _GRADIENT,
    (),
    (Step("1", _GRADIENT, Combine()),),
    place="Appendix A.1",
    note="a weighted sum of gradients is A times their mean with the weights over A",
)
FACTOR = Given(
    "factor",
    eq(factor, q * whole(slope(j)) + L * whole(weight(j))),
    "the denominator of (17): a = w F^q, b = w F^(q-1) |grad F|^2",
)
_LENGTH = L * total / factor
_SHORT = le(_LENGTH, 1)
SHORT = Theorem(
    "aaggff/U2-length@corrected",
    _SHORT,
    (TOTAL, FACTOR),
    (
        Step("zero", le(0, slope(i), EACH), Combine()),
        Step("sum", le(0, whole(slope(j))), Summed((i,)), ("zero",)),
        Step(
            "1",
            _SHORT,
            Combine({"sum": q / factor, "factor": -1 / factor, "total": L / factor}),
            ("sum", "factor", "total"),
        ),
    ),
    claim="aaggff/U2-length@corrected",
    place="Appendix A.1",
    note="s_q <= 1: q-FedAvg's step is shorter than that of its weights",
)
_LONG = le(1 / (1 + 2 * q), _LENGTH)
LONG = Theorem(
    "aaggff/U2-length@sharpened",
    _LONG,
    (
        TOTAL,
        FACTOR,
        Given("smooth", le(slope(i), 2 * L * weight(i), EACH), "|grad F|^2 <= 2 L F: F is smooth and not negative"),
    ),
    (
        Step("sum", le(whole(slope(j)), 2 * L * whole(weight(j))), Summed((i,)), ("smooth",)),
        Step(
            "1",
            _LONG,
            Combine({"sum": q / (factor * (1 + 2 * q)), "factor": 1 / (factor * (1 + 2 * q)), "total": -L / factor}),
            ("sum", "factor", "total"),
        ),
    ),
    claim="aaggff/U2-length@sharpened",
    place="Appendix A.1",
    note="s_q >= 1/(1 + 2 q)",
)
low, high = Symbol("low", positive=True), Symbol("high", positive=True)
_PROPFAIR = (le(1 / high, whole(w(j) / gap(j))), le(whole(w(j) / gap(j)), 1 / low))
SHARES = Given("shares", eq(whole(w(j)), 1), "the clients' shares")


def propfair(name: str, claim: Any, given: Given, each: Any, sign: int) -> Theorem:
    """An end of PropFair's step factor."""
    summed = le(whole(w(j)) / high, whole(w(j) / gap(j))) if sign > 0 else le(whole(w(j) / gap(j)), whole(w(j)) / low)
    end = high if sign > 0 else low
    return Theorem(
        name,
        claim,
        (SHARES, given),
        (
            Step("each", each, Combine({given.id: w(i) / (gap(i) * end)}), (given.id,)),
            Step("sum", summed, Summed((i,)), ("each",)),
            Step("1", claim, Combine({"sum": 1, "shares": -sign / end}), ("sum", "shares")),
        ),
        claim="aaggff/U5-length@corrected",
        place="Appendix A.1",
        note="one end of the factor of PropFair's step",
    )


PROPFAIR = (
    propfair(
        "aaggff/U5-length-low",
        _PROPFAIR[0],
        Given("most", le(gap(i), high, EACH), "M - F is at most M - min F"),
        le(w(i) / high, w(i) / gap(i), EACH),
        1,
    ),
    propfair(
        "aaggff/U5-length-high",
        _PROPFAIR[1],
        Given("least", le(low, gap(i), EACH), "and at least M - max F"),
        le(w(i) / gap(i), w(i) / low, EACH),
        -1,
    ),
)

THEOREMS = (U0, U0_CORRECTED, U0_SOFTMAX, *MIXING, GRADIENT, SHORT, LONG, *PROPFAIR)
