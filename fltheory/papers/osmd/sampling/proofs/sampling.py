"""Draws with replacement from a distribution p: the estimator (2), its variance (3), the best one, the heterogeneity V.

The vectors X_a = lambda_a g_a and the distribution may be random; ``pick(k)`` is the client of draw k, from 0 on. The
draws are independent and follow p, given all else; the proofs use the moments of one draw and of two.
"""

from __future__ import annotations

from sympy import Integer, Max, Symbol

from fltheory.papers.osmd.notation import K, M, alpha
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import (Dot, E, Nonnegative, Positive, RandomInteger, RandomPositive, RandomVector, Total,
    Vector, family, square)

a, b = (Symbol(name, integer=True, positive=True) for name in "ab")
k, j, n = (Symbol(name, integer=True, nonnegative=True) for name in "kjn")
X, p, pick = family(RandomVector, "X"), family(RandomPositive, "p"), family(RandomInteger, "pick")
u = family(RandomVector, "u")()
CLIENTS, DRAWS, PAIRS = (a, 1, M), (k, 0, K - 1), ((k, 0, K - 1), (j, 0, k - 1))


def total(vectors):
    """Return the sum over all clients: J of the vectors lambda_a g_a."""
    return Total(vectors(a), a, 1, M)


def drawn(place, vectors=X, law=p, chosen=pick):
    """Return the estimate of J by one draw."""
    return vectors(chosen(place)) / law(chosen(place))


def estimate(vectors=X, law=p, chosen=pick):
    """(2): the mean of the draws."""
    return Total(drawn(k, vectors, law, chosen), k, 0, K - 1) / K


def weighed(vectors=X, law=p):
    """Return the sum of |X_a|^2/p_a: K times the variance-reduction loss (4)."""
    return Total(square(vectors(a)) / law(a), a, 1, M)


# The moments of independent draws from p ---------------------------------------------------------------------------


def law_of(vectors=X, law=p, chosen=pick, over=()):
    """State independent draws from the distribution p, given the vectors: each moment is a sum weighted by p."""
    one, two = (
        E(square(drawn(k, vectors, law, chosen))),
        E(Dot(drawn(k, vectors, law, chosen), drawn(j, vectors, law, chosen))),
    )
    J = total(vectors)
    return (
        Given("one", eq(one, E(Total(law(a) * square(vectors(a) / law(a)), a, 1, M)), *over, DRAWS),
            "a draw is client a with probability p_a"),
        Given("mean",
            eq(E(Dot(drawn(k, vectors, law, chosen), J)), E(Total(law(a) * Dot(vectors(a) / law(a), J), a, 1, M)),
                *over, DRAWS), "the same, against the sum over all clients"),
        Given("two",
            eq(two, E(Total(Total(law(a) * law(b) * Dot(vectors(a) / law(a), vectors(b) / law(b)), a, 1, M), b, 1, M)),
                *over, *PAIRS), "two draws are clients a and b with probability p_a p_b: they are independent"),
    )


UNBIASED = (
    proof("osmd/C2", "Section 3, text after (2)", of="osmd/C-2@printed",
        note="the estimator is unbiased: in mean its inner products are those of J")
    .given("mean", eq(E(Dot(drawn(k), u)), E(Total(p(a) * Dot(X(a) / p(a), u), a, 1, M)), DRAWS),
        "a draw is client a with probability p_a, whatever else has come of chance before the draws")
    .step("1", eq(E(Dot(Total(drawn(k), k, 0, K - 1), u)), K * E(Dot(total(X), u))), by.sum_over(k, "mean"))
    .qed(eq(E(Dot(estimate(), u)), E(Dot(total(X), u))), by.linear("1"))
)

_LAW = law_of()
_SPREAD = E(weighed()) - E(square(total(X)))


def centred(place):
    """Return the estimate by one draw minus J."""
    return drawn(place) - total(X)


def _so_far(count):
    return Total(centred(j), j, 0, count - 1)


VARIANCE = (
    proof("osmd/C3", "Section 3, (3)", of="osmd/C-3@printed",
        note="the variance of the estimator is l_t(p) - |J|^2/K, K l_t(p) = sum_a |X_a|^2/p_a")
    .under(*_LAW)
    .step("draw", eq(E(square(centred(k))), _SPREAD, DRAWS), by.linear("one", "mean"),
        note="|y - J|^2 = |y|^2 - 2 <y, J> + |J|^2")
    .step("earlier", eq(E(Dot(drawn(j), total(X))), E(square(total(X))), (j, 0, K - 1)), by.instance({k: j}, "mean"))
    .step("pair", eq(E(Dot(centred(j), centred(k))), 0, *PAIRS), by.linear("two", "mean", "earlier"),
        note="two draws are uncorrelated")
    .step("cross", eq(E(Dot(_so_far(k), centred(k))), 0, DRAWS), by.sum_over(j, "pair"))
    .step("0", eq(E(square(_so_far(Integer(0)))), 0), by.linear())
    .step("1", eq(E(square(_so_far(k + 1))), (k + 1) * _SPREAD, DRAWS), by.linear("cross", "draw"),
        assuming=eq(E(square(_so_far(k))), k * _SPREAD), note="one draw more")
    .step("2", eq(E(square(_so_far(k))), k * _SPREAD, (k, 0, K)), by.induction(k, "0", "1"))
    .qed(eq(E(square(estimate() - total(X))), _SPREAD / K), by.linear(by.instance({k: K}, "2")), note="their mean")
)
SECOND = (
    proof("osmd/C3-second", "Section 3, (3)", of="osmd/C-3-second@explicit", note="the estimator's second moment")
    .under(*_LAW)
    .step("1", by.apply(VARIANCE))
    .step("2", eq(E(Dot(Total(drawn(k), k, 0, K - 1), total(X))), K * E(square(total(X)))), by.sum_over(k, "mean"))
    .qed(eq(E(square(estimate())), E(weighed()) / K + (1 - 1 / K) * E(square(total(X)))), by.linear("1", "2"),
        note="|g|^2 = |g - J|^2 + 2 <g, J> - |J|^2")
)

# The best distribution ---------------------------------------------------------------------------------------------

s, q, r = family(Nonnegative, "s"), family(Positive, "q"), family(Positive, "r")
SUM_S = Total(s(a), a, 1, M)
ONE = Given("law", eq(Total(q(a), a, 1, M), 1), "q is a law on the clients")
OPT = (
    proof("osmd/opt", "Section 3, after (4)", of="osmd/C-opt@printed",
        note="no law has a smaller loss than (sum of the roots of a)^2/K; s_a is the root of a_a")
    .under(ONE)
    .step("1", le(0, (s(a) - q(a) * SUM_S) ** 2 / q(a), CLIENTS), by.polynomial(), note="a square")
    .step("2", by.sum_over(a, "1"))
    .qed(le(SUM_S**2, Total(s(a) ** 2 / q(a), a, 1, M)), by.linear("2", "law"), note="Cauchy and Schwarz")
)
OPT_AT = (
    proof("osmd/opt-attained", "Section 3, after (4)", of="osmd/C-opt-attained@printed",
        note="the law proportional to the roots attains it")
    .given("best", eq(q(a), s(a) / SUM_S, CLIENTS), "the law proportional to the roots")
    .given("some", lt(0, SUM_S), "not all of the feedback is 0")
    .step("1", eq(s(a) ** 2 / q(a), s(a) * SUM_S, CLIENTS), by.linear("best", "some"))
    .qed(eq(Total(s(a) ** 2 / q(a), a, 1, M), SUM_S**2), by.sum_over(a, "1"))
)
# The best distribution above the floor --------------------------------------------------------------------------------

c = Symbol("c", positive=True)
FLOOR = alpha / M
_ENTRY = Max(FLOOR, c * s(a))
_HIGH, _LOW = le(FLOOR, c * s(a)), le(c * s(a), FLOOR)
_SLOPE = le(0, (1 / c**2 - s(a) ** 2 / q(a) ** 2) * (r(a) - q(a)), CLIENTS)
_TANGENT = s(a) ** 2 / r(a) - s(a) ** 2 / q(a) + s(a) ** 2 / q(a) ** 2 * (r(a) - q(a))
OPT_FLOORED = (
    proof("osmd/opt-floored", "Section 3, after (4)", of="osmd/C-opt-floored@explicit",
        note="max(alpha/M, c s_a) is the best law on the floored simplex")
    .given("best", eq(q(a), _ENTRY, CLIENTS), "the roots times a constant, or the floor where that is more")
    .under(ONE)
    .given("other", eq(Total(r(a), a, 1, M), 1), "r is another law on the clients")
    .given("floor", le(FLOOR, r(a), CLIENTS), "above the floor as well")
    .step("high 1", eq(_ENTRY, c * s(a)), by.fact("max", _ENTRY), assuming=_HIGH)
    .step("high 2", eq(q(a), c * s(a), CLIENTS), by.linear("best", "high 1"), assuming=_HIGH)
    .step("high", _SLOPE, by.linear("high 2"), assuming=_HIGH,
        note="above the floor the slope of the loss is the same for all")
    .step("low 1", eq(_ENTRY, FLOOR), by.fact("max", _ENTRY), assuming=_LOW)
    .step("low 2", eq(q(a), FLOOR, CLIENTS), by.linear("best", "low 1"), assuming=_LOW)
    .step("low 3", le(0, q(a) - c * s(a), CLIENTS), by.linear("low 2"), assuming=_LOW)
    .step("low 4", le(0, r(a) - q(a), CLIENTS), by.linear("low 2", "floor"), assuming=_LOW)
    .step("low", _SLOPE, by.linear("low 4", "low 3"), assuming=_LOW,
        note="on the floor it is smaller, and no law goes lower")
    .step("slope", by.cases("high", "low"))
    .step("tangent", le(0, _TANGENT, CLIENTS), by.polynomial(), note="1/q is convex")
    .step("both", le(0, s(a) ** 2 / r(a) - s(a) ** 2 / q(a) + (r(a) - q(a)) / c**2, CLIENTS),
        by.linear("slope", "tangent"))
    .step("sum", by.sum_over(a, "both"))
    .qed(le(Total(s(a) ** 2 / q(a), a, 1, M), Total(s(a) ** 2 / r(a), a, 1, M)), by.linear("sum", "law", "other"),
        name="end")
)

# Heterogeneity: (8) and (9) ------------------------------------------------------------------------------------------

Y = family(Vector, "Y")
MEAN = total(Y) / M


def variance_of_one(vectors=Y, law=q):
    """(9): V(p, w), where the vectors are the clients' gradients at w."""
    return Total(square(vectors(a)) / law(a), a, 1, M) / M**2 - square(total(vectors) / M)


NINE = (
    proof("osmd/C9", "Section 4, (9)", of="osmd/C-9@printed", note="V(p, w) is the variance of one draw from p")
    .under(ONE)
    .qed(eq(Total(q(a) * square(Y(a) / (M * q(a)) - MEAN), a, 1, M), variance_of_one()), by.linear("law"),
        note="the square expanded")
)
EIGHT = proof(
    "osmd/C8",
    "Section 4, (8)",
    of="osmd/C-8@printed",
    note="the classical heterogeneity at w is V(p, w) at the uniform law",
).qed(eq(Total(square(Y(a) - MEAN), a, 1, M) / M, Total(square(Y(a)), a, 1, M) / M - square(MEAN)), by.linear(),
    note="the square expanded")

THEOREMS = (UNBIASED, VARIANCE, SECOND, OPT, OPT_AT, OPT_FLOORED, EIGHT, NINE)
