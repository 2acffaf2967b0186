"""Facts behind the regret bounds: sums and logarithms of probabilities, Lemma 17, Lemma 18 (Hoeffding).

Probabilities are written as exp(log p): on the floored simplex none is 0. Clients are counted from 1 to M.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Symbol, exp, log

from fltheory.papers.osmd.notation import K, M, alpha
from fltheory.proof import Given, Theorem, by, eq, le, proof
from fltheory.proof.facts import exponentials, hoeffding, sums
from fltheory.proof.facts.notation import EACH, P, j, logp, logq, m, s, simplex, whole
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import E, Nonnegative, RandomNonnegative, family

LAMBDA = log(M / alpha)
FLOOR = alpha / M
PLACE = "Appendix B"


def floored(name: str, logs: Callable[..., Expr]) -> Given:
    """Return the hypothesis that every client keeps its share of 1/M."""
    return Given(name, le(FLOOR, exp(logs(m)), EACH), "on the floored simplex")


# A term of a sum; logarithms ----------------------------------------------------------------------------------------

ONE = adopt("osmd", sums.ONE, PLACE)

TANGENT = adopt("osmd", exponentials.TANGENT, PLACE)
GROWS = adopt("osmd", exponentials.GROWS, PLACE)
BACK = adopt("osmd", exponentials.BACK, PLACE)
SAME = adopt("osmd", exponentials.SAME, PLACE)
LOW = (
    proof("osmd/log-low", "(50)", note="a probability of the floored simplex has a logarithm of at least -log(M/alpha)")
    .given("floor", le(FLOOR, exp(P)), "on the floored simplex")
    .qed(le(-LAMBDA, P), by.linear(by.fact("exp", -LAMBDA - P), "floor"))
)
HIGH = adopt("osmd", exponentials.HIGH, "(50)")

k = Symbol("k", integer=True, positive=True)
HIGH_AT = (
    proof("osmd/log-high-at", "(50)").under(simplex("sum", logp))
    .given("one of them", le(k, M), "one of those")
    .qed(le(logp(k), 0), by.instance({m: k}, by.apply(HIGH), "one of them"))
)

# Lemma 17 -------------------------------------------------------------------------------------------------------------

_FROM_UNIFORM = whole(exp(logq(j)) * (logq(j) + log(M)))
L17 = (
    proof("osmd/L17", "Lemma 17", of="osmd/L17@printed", note="D(q || uniform) <= log M").under(simplex("sum", logq))
    .step("high", by.apply(HIGH, {logp(m): logq(m)}))
    .step("1", le(exp(logq(m)) * (logq(m) + log(M)), exp(logq(m)) * log(M), EACH), by.linear("high"))
    .step("2", le(_FROM_UNIFORM, whole(exp(logq(j))) * log(M)), by.sum_over(m, "1"))
    .qed(le(_FROM_UNIFORM, log(M)), by.linear("2", "sum"))
)

_q = exp(logq(m))
_SHARE = le(_q * (logq(m) + log(M)), (_q - FLOOR) * log(M), EACH)
START = (
    proof("osmd/start", "Corollary 7", note="D(q || uniform) <= (1 - alpha) log M on the floored simplex")
    .under(simplex("sum", logq), floored("floor", logq))
    .step("0", le(0, exp(logq(m)) - FLOOR, EACH), by.linear("floor"))
    .step("one", by.apply(ONE, {s(j): exp(logq(j)) - FLOOR}, "0"))
    .step("room", le(_q, 1 - alpha + FLOOR, EACH), by.linear("one", "sum"), note="the others keep their shares")
    .step("a", by.apply(TANGENT, {P: logq(m)}), over=EACH)
    .step("b", le(log(M) + logq(m), M * exp(logq(m)) - 1, EACH), by.apply(TANGENT, {P: logq(m) + log(M)}))
    .step("share", _SHARE, by.linear({"a": _q - FLOOR, "b": FLOOR, "room": _q}, "floor"),
        note="convexity of q log(M q) between q = 1/M and q = 1, where it is 0 and log M")
    .step("total", le(_FROM_UNIFORM, whole((exp(logq(j)) - FLOOR) * log(M))), by.sum_over(m, "share"))
    .qed(le(_FROM_UNIFORM, (1 - alpha) * log(M)), by.linear("total", "sum"), name="last")
)

# Lemma 18 (Hoeffding) -------------------------------------------------------------------------------------------------

SQUARE = adopt("osmd", exponentials.SQUARE, "Lemma 18")
TWO_POINTS = adopt("osmd", exponentials.TWO_POINTS, "Lemma 18")

CHORD = adopt("osmd", exponentials.CHORD, "Lemma 18")

CALLED = {"hoeffding": "L18", "hoeffding-wide": "L18-wide"}  # the paper's names for facts of the library
HOEFFDING_WIDE = adopt("osmd", hoeffding.HOEFFDING_WIDE, "Lemma 18", called=CALLED)

L18 = adopt("osmd", hoeffding.HOEFFDING, "Lemma 18", of="osmd/L18@printed", called=CALLED)

# (6) and (7): the estimates are unbiased --------------------------------------------------------------------------------

fed, counts = family(Nonnegative, "a"), family(RandomNonnegative, "N")
DRAWN = Given("mean", eq(E(counts(m)), K * exp(logp(m)), EACH), "K draws with replacement from p")


def _unbiased(name: str, power: int, claim: str, note: str) -> Theorem:
    """Return the mean of the sum of a N/(K^2 q^power p)."""
    left = E(whole(fed(j) * exp(-power * logq(j)) * exp(-logp(j)) * counts(j))) / K**2
    right = whole(fed(j) * exp(-power * logq(j))) / K
    step = eq(whole(E(counts(j)) * fed(j) * exp(-power * logq(j)) * exp(-logp(j))),
        whole(fed(j) * exp(-power * logq(j)) * K))
    return (
        proof(name, "(6)" if power == 1 else "(7)", of=claim, note=note).under(DRAWN)
        .step("1", step, by.sum_over(m, "mean", weight=fed(m) * exp(-power * logq(m)) * exp(-logp(m))))
        .qed(eq(left, right), by.linear("1"))
    )


ESTIMATE = _unbiased("osmd/6", 1, "osmd/C-6@printed", "the estimated loss of any q has the loss as its mean")
GRADIENT = _unbiased("osmd/7", 2, "osmd/C-7@printed",
    "and its gradient the gradient: the sum for any a, so each entry of it")

THEOREMS = (ONE, TANGENT, GROWS, BACK, SAME, LOW, HIGH, HIGH_AT, L17, START, SQUARE, TWO_POINTS, CHORD, HOEFFDING_WIDE,
    L18, ESTIMATE, GRADIENT)
