"""Facts behind the optimisation theorems: Lemmas 14, 15 and 16, uncorrelated sums, bounded feedback."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol, oo

from fltheory.papers.osmd.notation import B, G, L, M, batch
from fltheory.proof import Axiom, Member, by, eq, le, proof
from fltheory.proof.facts import limits, squares, sums
from fltheory.proof.facts.limits import level, size
from fltheory.proof.facts.squares import N, a, b, c, m, u, v, x, y, z
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import (Dot, E, Fun, Grad, RandomNonnegative, RandomPositive, RandomVector, Total, Val,
    family, square)

h = family(Fun, "h")()
n = Symbol("n", integer=True, nonnegative=True)

# Lemma 14: first-order optimality -----------------------------------------------------------------------------------

_SLOPE = Dot(Grad(h, x), y - x)
ENOUGH = (
    proof("osmd/L14-enough", "Lemma 14",
        note="where every slope into the set is not negative, there is the least value")
    .under(Member("class", h, None, 0, "h is convex"))
    .given("ascent", le(0, _SLOPE), "from x towards y the slope is not negative")
    .qed(le(Val(h, x), Val(h, y)), by.linear("class", (1, Axiom("convex", h, y, x)), ascent=1))
)
ALMOST = adopt("osmd", limits.ALMOST, "Lemma 14")
LIMIT = adopt("osmd", limits.LIMIT, "Lemma 14")
_WAY = x + (y - x) / m
_EACH = le(0, _SLOPE + L * square(y - x) / 2 / m, (m, 1, oo))
NEEDED = (
    proof("osmd/L14-needed", "Lemma 14", of="osmd/L14@printed",
        note="at the least one no slope into the set is negative")
    .under(Member("class", h, L, None, "h is smooth"))
    .given("least", le(Val(h, x), Val(h, _WAY), (m, 1, oo)), "x is the least one, also of the points on the way to y")
    .step("1", _EACH, by.linear("class", (m, Axiom("descent", h, _WAY, x)), least=m), note="smoothness")
    .step("size 1", le(0, square(y - x)), by.sos())
    .step("size", le(0, L * square(y - x) / 2), by.linear("size 1"))
    .qed(le(0, _SLOPE), by.apply(LIMIT, {level: _SLOPE, size: L * square(y - x) / 2}, "1", "size"),
        note="going closer and closer")
)

# Lemma 15: the descent lemma ----------------------------------------------------------------------------------------

_OFF = Val(h, y) - Val(h, x) - _SLOPE
CURVED = (
    proof("osmd/L15", "Lemma 15", of="osmd/L15@printed",
        note="the inequality that stands for smoothness, from above and from below")
    .under(Member("class", h, L, None, "h is smooth"))
    .step("1", le(_OFF, L / 2 * square(y - x)), by.linear((1, Axiom("descent", h, y, x)), "class"))
    .step("2", le(-_OFF, L / 2 * square(y - x)), by.linear((1, Axiom("ascent", h, y, x)), "class"))
    .qed(le(Abs(_OFF), L / 2 * square(y - x)), by.absolute("1", "2"))
)

# Lemma 16: squares of sums --------------------------------------------------------------------------------------------

share = Symbol("share", positive=True)
YOUNG = proof("osmd/L16", "Lemma 16", of="osmd/L16-two@printed", note="Young's inequality for two vectors").qed(
    le(square(u + v), (1 + share) * square(u) + (1 + 1 / share) * square(v)), by.sos(), note="the rest is a square")
SIGN = adopt("osmd", squares.SIGN, "Lemma 16")
JENSEN = adopt("osmd", squares.JENSEN, "Lemma 16", of="osmd/L16-sum@printed", called={"jensen": "L16-sum"})

# Uncorrelated sums ----------------------------------------------------------------------------------------------------

Y, weight = family(RandomVector, "Y"), family(RandomNonnegative, "weight")()


def _sum(count):
    return Total(Y(b), b, 1, count)


def _squares(count):
    return Total(E(weight * square(Y(b))), b, 1, count)


UNCORRELATED = (
    proof("osmd/uncorrelated", "proof of Theorem 4", note="squares of uncorrelated vectors add up, also with a weight")
    .given("pairs", eq(E(weight * Dot(Y(b), Y(c))), 0, (b, 1, N), (c, 1, b - 1)),
        "no two of the vectors are correlated")
    .step("pair", by.instance({b: n + 1}, "pairs"), over=((n, 0, N - 1), (c, 1, n)))
    .step("cross", eq(E(weight * Dot(Y(n + 1), Total(Y(c), c, 1, n))), 0, (n, 0, N - 1)), by.sum_over(c, "pair"))
    .step("0", eq(E(weight * square(_sum(Integer(0)))), 0), by.linear())
    .step("1", eq(E(weight * square(_sum(n + 1))), _squares(n + 1), (n, 0, N - 1)), by.linear("cross"),
        assuming=eq(E(weight * square(_sum(n))), _squares(n)), note="one vector more")
    .step("2", eq(E(weight * square(_sum(n))), _squares(n), (n, 0, N)), by.induction(n, "0", "1"))
    .qed(eq(E(weight * square(_sum(N))), _squares(N)), by.instance({n: N}, "2"))
)

# Telescoping ------------------------------------------------------------------------------------------------------------

TELESCOPE = adopt("osmd", sums.TELESCOPE, "proof of Theorem 4")

# C-Amax: bounded feedback ---------------------------------------------------------------------------------------------

BOUNDED = (
    proof("osmd/Amax", "text before (13)", note="the squared sum of N bounded vectors")
    .given("bounded", le(square(z(a)), G**2, (a, 1, N)), "Assumption 3: no stochastic gradient is longer")
    .step("1", by.apply(JENSEN))
    .step("2", le(Total(square(z(a)), a, 1, N), N * G**2), by.sum_over(a, "bounded"))
    .qed(le(square(Total(z(a), a, 1, N)), N**2 * G**2), by.linear("1", "2"))
)
AMAX_SGD = (
    proof("osmd/Amax-sgd", "text before (13)", of="osmd/C-Amax-batch@printed", note="mini-batch SGD: A_max = G^2/M^2")
    .given("bounded", le(square(z(a)), G**2, (a, 1, batch)), "Assumption 3")
    .qed(le(square(Total(z(a), a, 1, batch) / batch) / M**2, G**2 / M**2), by.linear(by.apply(BOUNDED, {N: batch})))
)
AMAX_AVG = (
    proof("osmd/Amax-avg", "text before (16)", of="osmd/C-Amax-steps@printed", note="FedAvg: A_max = B G^2/M^2")
    .given("bounded", le(square(z(a)), G**2, (a, 1, B)), "Assumption 3")
    .qed(le(square(Total(z(a), a, 1, B)) / (M**2 * B), B * G**2 / M**2), by.linear(by.apply(BOUNDED, {N: B})))
)

# The same for local steps, which are counted from 0 -----------------------------------------------------------------------

j, k = (Symbol(name, integer=True, nonnegative=True) for name in "jk")
LOCAL_JENSEN = (
    proof("osmd/L16-steps", "Lemma 16", note="the squared sum of N vectors, counted from 0")
    .step("1", le(0, square(z(j) - z(k)), (j, 0, N - 1), (k, 0, N - 1)), by.sos(), note="differences have squares")
    .step("2", by.sum_over((j, k), "1"))
    .qed(le(square(Total(z(j), j, 0, N - 1)), N * Total(square(z(j)), j, 0, N - 1)), by.linear("2"))
)


def _early(count):
    return Total(Y(j), j, 0, count - 1)


def _early_squares(count):
    return Total(E(weight * square(Y(j))), j, 0, count - 1)


MARTINGALE = (
    proof("osmd/martingale", "proof of Theorem 5", note="squares of martingale differences add up, also with a weight")
    .given("pairs", eq(E(weight * Dot(Y(j), Y(k))), 0, (j, 0, N - 1), (k, 0, j - 1)),
        "earlier vectors are uncorrelated")
    .step("cross", eq(E(weight * Dot(Y(j), Total(Y(k), k, 0, j - 1))), 0, (j, 0, N - 1)), by.sum_over(k, "pairs"))
    .step("0", eq(E(weight * square(_early(Integer(0)))), 0), by.linear())
    .step("1", eq(E(weight * square(_early(j + 1))), _early_squares(j + 1), (j, 0, N - 1)), by.linear("cross"),
        assuming=eq(E(weight * square(_early(j))), _early_squares(j)), note="one step more")
    .step("2", eq(E(weight * square(_early(j))), _early_squares(j), (j, 0, N)), by.induction(j, "0", "1"))
    .qed(eq(E(weight * square(_early(N))), _early_squares(N)), by.instance({j: N}, "2"))
)

# The spread of draws is a square ------------------------------------------------------------------------------------------

U, V, q = family(RandomVector, "U"), family(RandomVector, "V"), family(RandomPositive, "q")


def spread(vectors):
    """Return the variance of one draw from q that estimates the mean of the vectors."""
    return Total(square(vectors(a)) / q(a), a, 1, M) / M**2 - square(Total(vectors(a), a, 1, M) / M)


def _difference(place):
    return U(place) - V(place)


def _together(place):
    return U(place) + V(place)


_OFF_MEAN = _difference(a) / (M * q(a)) - Total(_difference(b), b, 1, M) / M
SPREAD = (
    proof("osmd/spread", "proof of Theorem 5", note="the spread of a sum of two parts")
    .given("law", eq(Total(q(a), a, 1, M), 1), "q is a law on the clients")
    .step("1", by.apply(SIGN, {x: _OFF_MEAN}), over=(a, 1, M))
    .step("2", le(0, q(a) * square(_OFF_MEAN), (a, 1, M)), by.linear("1"))
    .step("4", le(0, spread(_difference)), by.linear(by.sum_over(a, "2"), "law"))
    .step("5", by.apply(SIGN, {x: Total(V(a), a, 1, M) / M}))
    .qed(le(spread(_together), 2 * spread(U) + 2 * Total(square(V(a)) / q(a), a, 1, M) / M**2), by.linear("4", "5"),
        note="the parallelogram law")
)

THEOREMS = (ENOUGH, ALMOST, LIMIT, NEEDED, CURVED, YOUNG, SIGN, JENSEN, UNCORRELATED, TELESCOPE, BOUNDED, AMAX_SGD,
    AMAX_AVG, LOCAL_JENSEN, MARTINGALE, SPREAD)
