"""Remark 3.1 and Table 1: one entropic step from the clients' shares, and the lengths of the methods' true steps.

Weights are positive numbers. That the methods' gradients have these weights is the chain rule, and not proved here.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Rational, Symbol, exp, log

from fltheory.papers.aaggff.losses.proofs.entropy import G, c, e, logr, own
from fltheory.papers.aaggff.losses.proofs.facts import EACH, i, j, whole
from fltheory.papers.aaggff.notation import L, q
from fltheory.proof import Given, Theorem, by, eq, le, proof
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Vector, family

PLACE = "Remark 3.1"

# U0: the decision defined by (2) and (3) ------------------------------------------------------------------------------

prior, r = family(Scalar, "log w"), family(Scalar, "r")
first, second, eta = (Symbol(name, positive=True) for name in ("w1", "w2", "eta"))
r1, r2 = (Symbol(name, real=True) for name in ("r1", "r2"))
U0 = proof(
    "aaggff/U0@printed",
    PLACE,
    of="aaggff/U0@printed",
    recorded="REFUTED",
    note="the ratio of two clients by (2) and by (3)",
).qed(eq(exp((r1 - r2) / eta), first / second * exp((r1 - r2) / eta)),
    by.counterexample({first: Rational(1, 2), second: Rational(3, 10), r1: 1, r2: 1, eta: 1}),
    note="1 against 5/3: (2) forgets the last decision")


def divergence_step(logs: Callable[..., Expr]) -> Expr:
    """-<p, r> + eta KL(p | prior)."""
    return whole(exp(logs(j)) * (-r(j) + e * (logs(j) - prior(j))))


_SUMS = (
    Given("sum", eq(whole(exp(own(j))), 1), "a distribution"),
    Given("sum r", eq(whole(exp(logr(j))), 1), "another one"),
)
U0_CORRECTED = (
    proof("aaggff/U0-gap", PLACE, of="aaggff/U0@corrected",
        note="with KL(p | prior) in (2): every other decision is worse, by eta KL between both, so that (3) is its solution")
    .given("decision", eq(own(i), prior(i) + r(i) / e - c, EACH), "(3): the prior times exp(r/eta), scaled")
    .under(*_SUMS)
    .step("decision 2", eq(own(i), -(-r(i) - e * prior(i)) / e - c, EACH), by.linear("decision"))
    .qed(eq(divergence_step(logr) - divergence_step(own), e * whole(exp(logr(j)) * (logr(j) - own(j)))),
        by.apply("aaggff/4.5-gap", {G(i): -r(i) - e * prior(i)}, "decision 2", "sum", "sum r"))
)


def entropy_step(logs: Callable[..., Expr]) -> Expr:
    """-<p, r> + eta sum p log p."""
    return whole(exp(logs(j)) * (-r(j) + e * logs(j)))


U0_SOFTMAX = (
    proof("aaggff/U0-softmax-least", PLACE, of="aaggff/U0-softmax@corrected",
        note="no decision is better in (2) with the entropy than softmax(r/eta)")
    .given("decision", eq(own(i), r(i) / e - c, EACH), "softmax(r/eta)")
    .under(*_SUMS)
    .qed(le(entropy_step(own), entropy_step(logr)), by.apply("aaggff/4.5", {G(i): -r(i)}, "decision", "sum", "sum r"))
)

# U1, U4, U5: mixing weights -------------------------------------------------------------------------------------------

w, F, gap = family(Positive, "w"), family(Positive, "F"), family(Positive, "gap")
tilt = Symbol("lambda", positive=True)


def mixing(name: str, response: Expr, scale: Expr, weight: Expr, note: str) -> Theorem:
    """Return the weight that (3) gives a client, before normalisation."""
    theorem = f"aaggff/{name}@printed"
    return proof(f"aaggff/{name}-weight", "Table 1", of=theorem, note=note).qed(
        eq(w(i) * exp(response / scale), weight, EACH), by.linear())


MIXING = (
    mixing("U1", Integer(0), Integer(1), w(i), "FedAvg: the shares themselves"),
    mixing("U4", F(i), 1 / tilt, w(i) * exp(tilt * F(i)), "TERM"),
    mixing("U5", -log(gap(i)), Integer(1), w(i) / gap(i), "PropFair; M - F is positive"),
)

# Their true steps -----------------------------------------------------------------------------------------------------

weight, slope, way = family(Positive, "a"), family(Nonnegative, "b"), family(Vector, "v")
total, factor = family(Positive, "A")(), family(Positive, "D")()
TOTAL = Given("total", eq(total, whole(weight(j))), "the sum of the weights")
GRADIENT = proof(
    "aaggff/U-gradient",
    "Appendix A.1",
    note="a weighted sum of gradients is A times their mean with the weights over A",
).qed(eq(whole(weight(j) * way(j)), total * whole(weight(j) / total * way(j))), by.linear())
FACTOR = Given("factor", eq(factor, q * whole(slope(j)) + L * whole(weight(j))),
    "the denominator of (17): a = w F^q, b = w F^(q-1) |grad F|^2")
_LENGTH = L * total / factor
SHORT = (
    proof("aaggff/U2-length@corrected", "Appendix A.1", of="aaggff/U2-length@corrected",
        note="s_q <= 1: q-FedAvg's step is shorter than that of its weights")
    .under(TOTAL, FACTOR)
    .step("zero", le(0, slope(i), EACH), by.linear())
    .step("sum", le(0, whole(slope(j))), by.sum_over(i, "zero"))
    .qed(le(_LENGTH, 1), by.linear("sum", "factor", "total"))
)
LONG = (
    proof("aaggff/U2-length@strengthened", "Appendix A.1", of="aaggff/U2-length@strengthened",
        note="s_q >= 1/(1 + 2 q)")
    .under(TOTAL, FACTOR)
    .given("smooth", le(slope(i), 2 * L * weight(i), EACH), "|grad F|^2 <= 2 L F: F is smooth and not negative")
    .step("sum", le(whole(slope(j)), 2 * L * whole(weight(j))), by.sum_over(i, "smooth"))
    .qed(le(1 / (1 + 2 * q), _LENGTH), by.linear("sum", "factor", "total"))
)
THEOREMS = (U0, U0_CORRECTED, U0_SOFTMAX, *MIXING, GRADIENT, SHORT, LONG)
