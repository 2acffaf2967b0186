"""Facts behind the regret bounds: sums, logarithms, Hoeffding's lemma, the roots of the rounds.

Facts of the library are restated under this paper's key, step by step: each is checked here again.
"""

from __future__ import annotations

from sympy import Expr, Rational, Symbol, exp, log, sqrt

from fltheory.papers.aaggff.notation import C1, C2, K, T
from fltheory.proof import Given, Step, by, eq, le, line, proof
from fltheory.proof.facts import divergences, exponentials, hoeffding, notation, squares, sums
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Scalar, Total, family

i, j, t, s = notation.m, notation.j, sums.t, Symbol("s", integer=True, positive=True)  # clients and rounds
n = Symbol("n", integer=True, nonnegative=True)
EACH, ROUNDS = (i, 1, K), (t, 1, T)
a, b = (Symbol(name, positive=True) for name in "ab")
P, Q = notation.P, notation.Q


def whole(term: Expr) -> Expr:
    """Return the sum over the clients of a term in the index j."""
    return Total(term, j, 1, K)


CALLED = {"hoeffding": "L18", "hoeffding-wide": "L18-wide", "gain": "51"}
TAKEN_OVER = tuple(
    adopt("aaggff", theorem, called=CALLED)
    for theorem in (
        sums.ONE,
        exponentials.TANGENT,
        exponentials.GROWS,
        exponentials.BACK,
        exponentials.SAME,
        exponentials.HIGH,
        exponentials.SQUARE,
        exponentials.TWO_POINTS,
        exponentials.CHORD,
        hoeffding.HOEFFDING_WIDE,
        hoeffding.HOEFFDING,
        divergences.GIBBS,
        divergences.GAIN,
        divergences.GAP,
        divergences.POSITIVE,
        squares.SIGN,
        sums.TELESCOPE,
    )
)

# Telescoping sums over the rounds -------------------------------------------------------------------------------------

d, rise = family(Scalar, "d"), family(Scalar, "s")
N = squares.N
TELESCOPED = (
    proof("aaggff/telescoped", "Lemma A.4", note="what all rounds add")
    .given("step", eq(d(t + 1), d(t) + rise(t), (t, 1, N)), "what one round adds")
    .step("0", eq(d(1), d(1)), by.linear())
    .step("next", by.instance({t: n + 1}, "step"), over=(n, 0, N - 1))
    .step("1", eq(d(n + 2), d(1) + Total(rise(t), t, 1, n + 1), (n, 0, N - 1)), by.linear("next"),
        assuming=eq(d(n + 1), d(1) + Total(rise(t), t, 1, n)), note="one round more")
    .step("2", eq(d(n + 1), d(1) + Total(rise(t), t, 1, n), (n, 0, N)), by.induction(n, "0", "1"))
    .qed(eq(d(N + 1), d(1) + Total(rise(t), t, 1, N)), by.instance({n: N}, "2"))
)

first, second = (Symbol(name, integer=True, positive=True) for name in ("n1", "n2"))
pair = family(Scalar, "pair")
SWAP = proof("aaggff/swap", "(5)", note="finite sums commute").qed(
    eq(Total(Total(pair(t, j), j, 1, second), t, 1, first), Total(Total(pair(t, j), t, 1, first), j, 1, second)),
    by.linear())


def swapped(name: str, term: Expr) -> Step:
    """Prove that sums over rounds and clients of a term in t and j commute."""
    claim = eq(Total(Total(term, j, 1, K), t, 1, T), Total(Total(term, t, 1, T), j, 1, K))
    return line(name, claim, by.apply(SWAP, {pair(t, j): term, first: T, second: K}))


# Averages -------------------------------------------------------------------------------------------------------------

w, u = notation.w, notation.u
WEIGHTS = Given("weights", eq(whole(w(j)), 1), "a distribution")
AVERAGE_LOW = (
    proof("aaggff/average-low", "Lemma 4.1", note="no average of responses is below their range").under(WEIGHTS)
    .given("low", le(C1, u(i), EACH), "numbers in a range")
    .step("1", le(C1 * whole(w(j)), whole(w(j) * u(j))), by.sum_over(i, "low", weight=w(i)))
    .qed(le(C1, whole(w(j) * u(j))), by.linear("1", "weights"))
)
AVERAGE_HIGH = (
    proof("aaggff/average-high", "Lemma 4.1", note="nor above it").under(WEIGHTS)
    .given("high", le(u(i), C2, EACH), "numbers in a range")
    .step("1", le(whole(w(j) * u(j)), C2 * whole(w(j))), by.sum_over(i, "high", weight=w(i)))
    .qed(le(whole(w(j) * u(j)), C2), by.linear("1", "weights"))
)

# Logarithms -----------------------------------------------------------------------------------------------------------

QUOTIENT = proof("aaggff/log-quotient", "(4)", note="the logarithm of a quotient: both have the same exponential").qed(
    eq(log(a / b), log(a) - log(b)), by.apply("aaggff/log-equal", {P: log(a / b), Q: log(a) - log(b)}))
c = Symbol("c", positive=True)
LOG_OF = (
    proof("aaggff/log-of-quotient", "(4)", note="the same for what is equal to a quotient")
    .given("quotient", eq(c, a / b), "a number that is a quotient")
    .step("1", eq(exp(log(c)), exp(log(a) - log(b))), by.linear("quotient"))
    .qed(eq(log(c), log(a) - log(b)), by.apply("aaggff/log-equal", {P: log(c), Q: log(a) - log(b)}, "1"))
)
SLOPE = (
    proof("aaggff/log-slope", "Corollary A.3", note="the tangent of the logarithm at b")
    .qed(le(log(a) - log(b), (a - b) / b), by.linear(by.fact("exp", log(a) - log(b))))
)
CLIENTS = Given("clients", le(2, K), "at least two clients")
HALF = (
    proof("aaggff/log-clients", "(12)", note="one may divide by log K").under(CLIENTS)
    .qed(le(Rational(1, 2), log(K)), by.linear(by.fact("exp", -log(K)), "clients"))
)
RISES = (
    proof("aaggff/log-rises", "Lemma 4.1", note="the logarithm grows")
    .given("order", le(a, b), "two positive numbers")
    .qed(le(log(a), log(b)), by.linear(by.fact("exp", log(a) - log(b)), "order"))
)

PART = (
    proof("aaggff/indicator", "(10)", note="an indicator is at most 1")
    .given("indicator", eq(P**2, P), "0 or 1")
    .step("square", le(0, (1 - P) ** 2), by.polynomial())
    .qed(le(0, 1 - P), by.linear("square", "indicator"))
)

SPARE = (
    proof("aaggff/larger-scale", "Theorem 5.2", note="at a scale a for gradients of half-span b")
    .given("order", le(b, a), "the scale is no smaller than the half-span")
    .qed(le(a + b**2 / a, 2 * a), by.linear("order"))
)

# Roots of rounds ------------------------------------------------------------------------------------------------------

LATER = (
    proof("aaggff/root-step", "Theorem 5.2", note="1/b <= 2 (b - a) where b^2 - a^2 = 1")
    .given("squares", eq(b**2, a**2 + 1), "roots of one round and the next")
    .step("1", le(0, a**2 / b - 2 * a + b), by.polynomial(), note="(b - a)^2/b")
    .qed(le(1 / b, 2 * (b - a)), by.linear("1", "squares"))
)
ROOTS = (
    proof("aaggff/roots", "Theorem 5.2", note="the sum of 1/sqrt(t) is at most 2 sqrt(T)")
    .step("0", le(1, 2), by.linear())
    .step("next", by.apply(LATER, {a: sqrt(s), b: sqrt(s + 1)}), over=(s, 1, T - 1))
    .step("1", le(Total(1 / sqrt(t), t, 1, s + 1), 2 * sqrt(s + 1), (s, 1, T - 1)), by.linear("next"),
        assuming=le(Total(1 / sqrt(t), t, 1, s), 2 * sqrt(s)))
    .step("2", le(Total(1 / sqrt(t), t, 1, s), 2 * sqrt(s), (s, 1, T)), by.induction(s, "0", "1"))
    .qed(le(Total(1 / sqrt(t), t, 1, T), 2 * sqrt(T)), by.instance({s: T}, "2"))
)

THEOREMS = (*TAKEN_OVER, TELESCOPED, SWAP, AVERAGE_LOW, AVERAGE_HIGH, QUOTIENT, LOG_OF, SLOPE, HALF, RISES, PART, SPARE,
    LATER, ROOTS)
