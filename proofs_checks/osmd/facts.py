"""Facts behind the optimisation theorems: Lemmas 14, 15 and 16, uncorrelated sums, bounded feedback."""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, floor, oo

from fltheory.papers.osmd.letters import B, G, L, M, batch
from fltheory.proof import Axiom, Given, Member, by, eq, le, lt, proof
from fltheory.proof.terms import (
    Dot,
    E,
    Fun,
    Grad,
    Nonnegative,
    Positive,
    RandomNonnegative,
    RandomPositive,
    RandomVector,
    Scalar,
    Total,
    Val,
    Vector,
    family,
    square,
)

x, y, u, v = (family(Vector, name)() for name in "xyuv")
h = family(Fun, "h")()
a, b, c = (Symbol(name, integer=True, positive=True) for name in "abc")
n = Symbol("n", integer=True, nonnegative=True)
N, m = (Symbol(name, integer=True, positive=True) for name in "Nm")

# Lemma 14: first-order optimality -----------------------------------------------------------------------------------

_SLOPE = Dot(Grad(h, x), y - x)
ENOUGH = (
    proof(
        "osmd/L14-enough", "Lemma 14", note="where every slope into the set is not negative, there is the least value"
    )
    .under(Member("class", h, None, 0, "h is convex"))
    .given("ascent", le(0, _SLOPE), "from x towards y the slope is not negative")
    .qed(le(Val(h, x), Val(h, y)), by.combine("class", (1, Axiom("convex", h, y, x)), ascent=1))
)
least, size, level = family(Positive, "d")(), family(Nonnegative, "s")(), family(Scalar, "r")()
_LATE = floor(2 * size / least) + 1
_CLOSER = (
    Given("all", le(0, level + size / m, (m, 1, oo)), "the number plus something that goes to 0 is never negative"),
)
ALMOST = (
    proof("osmd/almost", "Lemma 14", note="then the number is above -d/2 for every d > 0")
    .under(*_CLOSER)
    .step("late", lt(2 * size / least, _LATE), by.known("floor", 2 * size / least))
    .step("small", le(2 * size / _LATE, least), by.combine(late=least / _LATE))
    .step("at", le(0, level + size / _LATE), by.instance({m: _LATE}, "all"))
    .qed(le(0, level + least / 2), by.combine(at=1, small=Rational(1, 2)), name="end")
)
_NEVER, _BELOW, _ABOVE = le(0, level), (lt(level, 0),), (le(0, level),)
LIMIT = (
    proof("osmd/limit", "Lemma 14", note="then the number is not negative itself")
    .under(*_CLOSER)
    .step("half", le(0, level - level / 2), by.apply("osmd/almost", {least: -level}, "all"), assuming=_BELOW)
    .step("below", _NEVER, by.combine(half=2), assuming=_BELOW, note="which can't be for r < 0")
    .step("above", _NEVER, by.combine({"assumed 1": 1}), assuming=_ABOVE)
    .qed(_NEVER, by.cases("below", "above"), name="end")
)
_WAY = x + (y - x) / m
_EACH = le(0, _SLOPE + L * square(y - x) / 2 / m, (m, 1, oo))
NEEDED = (
    proof(
        "osmd/L14-needed", "Lemma 14", of="osmd/L14@printed", note="at the least one no slope into the set is negative"
    )
    .under(Member("class", h, L, None, "h is smooth"))
    .given("least", le(Val(h, x), Val(h, _WAY), (m, 1, oo)), "x is the least one, also of the points on the way to y")
    .step("1", _EACH, by.combine("class", (m, Axiom("descent", h, _WAY, x)), least=m), note="smoothness")
    .step("size 1", le(0, square(y - x)), by.gram())
    .step("size", le(0, L * square(y - x) / 2), by.combine({"size 1": L / 2}))
    .qed(
        le(0, _SLOPE),
        by.apply("osmd/limit", {level: _SLOPE, size: L * square(y - x) / 2}, "1", "size"),
        note="going closer and closer",
    )
)

# Lemma 15: the descent lemma ----------------------------------------------------------------------------------------

_OFF = Val(h, y) - Val(h, x) - _SLOPE
CURVED = (
    proof(
        "osmd/L15",
        "Lemma 15",
        of="osmd/L15@printed",
        note="the inequality that stands for smoothness, from above and from below",
    )
    .under(Member("class", h, L, None, "h is smooth"))
    .step("1", le(_OFF, L / 2 * square(y - x)), by.combine((1, Axiom("descent", h, y, x)), "class"))
    .step("2", le(-_OFF, L / 2 * square(y - x)), by.combine((1, Axiom("ascent", h, y, x)), "class"))
    .qed(le(Abs(_OFF), L / 2 * square(y - x)), by.absolute("1", "2"))
)

# Lemma 16: squares of sums --------------------------------------------------------------------------------------------

share = Symbol("share", positive=True)
YOUNG = proof("osmd/L16", "Lemma 16", of="osmd/L16-two@printed", note="Young's inequality for two vectors").qed(
    le(square(u + v), (1 + share) * square(u) + (1 + 1 / share) * square(v)), by.gram(), note="the rest is a square"
)
SIGN = proof("osmd/nonnegative", "Lemma 16", note="no square is negative").qed(le(0, square(x)), by.gram())
z = family(Vector, "z")
_TIMES = le(square(Total(z(a), a, 1, N)), N * Total(square(z(a)), a, 1, N))
JENSEN = (
    proof("osmd/L16-sum", "Lemma 16", of="osmd/L16-sum@printed", note="the squared sum of N vectors")
    .step("1", le(0, square(z(a) - z(b)), (a, 1, N), (b, 1, N)), by.gram(), note="differences have squares")
    .step("2", le(0, Total(Total(square(z(a) - z(b)), a, 1, N), b, 1, N)), by.summed((a, b), "1"))
    .qed(_TIMES, by.combine({"2": Integer(1) / 2}))
)

# Uncorrelated sums ----------------------------------------------------------------------------------------------------

Y, weight = family(RandomVector, "Y"), family(RandomNonnegative, "weight")()


def _sum(count):
    return Total(Y(b), b, 1, count)


def _squares(count):
    return Total(E(weight * square(Y(b))), b, 1, count)


_SUMS = eq(E(weight * square(_sum(n))), _squares(n), (n, 0, N))
UNCORRELATED = (
    proof("osmd/uncorrelated", "proof of Theorem 4", note="squares of uncorrelated vectors add up, also with a weight")
    .given(
        "pairs", eq(E(weight * Dot(Y(b), Y(c))), 0, (b, 1, N), (c, 1, b - 1)), "no two of the vectors are correlated"
    )
    .step("pair", eq(E(weight * Dot(Y(n + 1), Y(c))), 0, (n, 0, N - 1), (c, 1, n)), by.instance({b: n + 1}, "pairs"))
    .step("cross", eq(E(weight * Dot(Y(n + 1), Total(Y(c), c, 1, n))), 0, (n, 0, N - 1)), by.summed(c, "pair"))
    .step("0", eq(E(weight * square(_sum(Integer(0)))), 0), by.combine())
    .step(
        "1",
        eq(E(weight * square(_sum(n + 1))), _squares(n + 1), (n, 0, N - 1)),
        by.combine({"assumed 1": 1, "cross": 2}),
        assuming=eq(E(weight * square(_sum(n))), _squares(n)),
        note="one vector more",
    )
    .step("2", _SUMS, by.induction(n, "0", "1"))
    .qed(eq(E(weight * square(_sum(N))), _squares(N)), by.instance({n: N}, "2"))
)

# Telescoping ------------------------------------------------------------------------------------------------------------

d, s = family(Scalar, "d"), family(Scalar, "s")
t = Symbol("t", integer=True, positive=True)
_FALL = le(d(n + 1), d(1) + Total(s(t), t, 1, n), (n, 0, N))
TELESCOPE = (
    proof("osmd/telescope", "proof of Theorem 4", note="what all rounds add at most")
    .given("step", le(d(t + 1), d(t) + s(t), (t, 1, N)), "what one round adds at most")
    .step("0", le(d(1), d(1)), by.combine())
    .step("next", le(d(n + 2), d(n + 1) + s(n + 1), (n, 0, N - 1)), by.instance({t: n + 1}, "step"))
    .step(
        "1",
        le(d(n + 2), d(1) + Total(s(t), t, 1, n + 1), (n, 0, N - 1)),
        by.combine("next"),
        assuming=le(d(n + 1), d(1) + Total(s(t), t, 1, n)),
        note="one round more",
    )
    .step("2", _FALL, by.induction(n, "0", "1"))
    .qed(le(d(N + 1), d(1) + Total(s(t), t, 1, N)), by.instance({n: N}, "2"))
)

# C-Amax: bounded feedback ---------------------------------------------------------------------------------------------

BOUNDED = (
    proof("osmd/Amax", "text before (13)", note="the squared sum of N bounded vectors")
    .given("bounded", le(square(z(a)), G**2, (a, 1, N)), "Assumption 3: no stochastic gradient is longer")
    .step("1", _TIMES, by.apply("osmd/L16-sum"))
    .step("2", le(Total(square(z(a)), a, 1, N), N * G**2), by.summed(a, "bounded"))
    .qed(le(square(Total(z(a), a, 1, N)), N**2 * G**2), by.combine({"1": 1, "2": N}))
)
AMAX_SGD = (
    proof("osmd/Amax-sgd", "text before (13)", of="osmd/C-Amax-batch@printed", note="mini-batch SGD: A_max = G^2/M^2")
    .given("bounded", le(square(z(a)), G**2, (a, 1, batch)), "Assumption 3")
    .step("1", le(square(Total(z(a), a, 1, batch)), batch**2 * G**2), by.apply("osmd/Amax", {N: batch}, "bounded"))
    .qed(le(square(Total(z(a), a, 1, batch) / batch) / M**2, G**2 / M**2), by.combine({"1": 1 / (batch * M) ** 2}))
)
AMAX_AVG = (
    proof("osmd/Amax-avg", "text before (16)", of="osmd/C-Amax-steps@printed", note="FedAvg: A_max = B G^2/M^2")
    .given("bounded", le(square(z(a)), G**2, (a, 1, B)), "Assumption 3")
    .step("1", le(square(Total(z(a), a, 1, B)), B**2 * G**2), by.apply("osmd/Amax", {N: B}, "bounded"))
    .qed(le(square(Total(z(a), a, 1, B)) / (M**2 * B), B * G**2 / M**2), by.combine({"1": 1 / (B * M**2)}))
)

# The same for local steps, which are counted from 0 -----------------------------------------------------------------------

j, k = (Symbol(name, integer=True, nonnegative=True) for name in "jk")
LOCAL_JENSEN = (
    proof("osmd/L16-steps", "Lemma 16", note="the squared sum of N vectors, counted from 0")
    .step("1", le(0, square(z(j) - z(k)), (j, 0, N - 1), (k, 0, N - 1)), by.gram(), note="differences have squares")
    .step("2", le(0, Total(Total(square(z(j) - z(k)), j, 0, N - 1), k, 0, N - 1)), by.summed((j, k), "1"))
    .qed(le(square(Total(z(j), j, 0, N - 1)), N * Total(square(z(j)), j, 0, N - 1)), by.combine({"2": Integer(1) / 2}))
)


def _early(count):
    return Total(Y(j), j, 0, count - 1)


def _early_squares(count):
    return Total(E(weight * square(Y(j))), j, 0, count - 1)


_EARLY = eq(E(weight * square(_early(j))), _early_squares(j), (j, 0, N))
MARTINGALE = (
    proof("osmd/martingale", "proof of Theorem 5", note="squares of martingale differences add up, also with a weight")
    .given(
        "pairs", eq(E(weight * Dot(Y(j), Y(k))), 0, (j, 0, N - 1), (k, 0, j - 1)), "earlier vectors are uncorrelated"
    )
    .step("cross", eq(E(weight * Dot(Y(j), Total(Y(k), k, 0, j - 1))), 0, (j, 0, N - 1)), by.summed(k, "pairs"))
    .step("0", eq(E(weight * square(_early(Integer(0)))), 0), by.combine())
    .step(
        "1",
        eq(E(weight * square(_early(j + 1))), _early_squares(j + 1), (j, 0, N - 1)),
        by.combine({"assumed 1": 1, "cross": 2}),
        assuming=eq(E(weight * square(_early(j))), _early_squares(j)),
        note="one step more",
    )
    .step("2", _EARLY, by.induction(j, "0", "1"))
    .qed(eq(E(weight * square(_early(N))), _early_squares(N)), by.instance({j: N}, "2"))
)

# The spread of draws is a square ------------------------------------------------------------------------------------------

U, V, q = family(RandomVector, "U"), family(RandomVector, "V"), family(RandomPositive, "q")


def spread(vectors):
    """The variance of one draw from q that estimates the mean of the vectors."""
    return Total(square(vectors(a)) / q(a), a, 1, M) / M**2 - square(Total(vectors(a), a, 1, M) / M)


def _difference(place):
    return U(place) - V(place)


def _together(place):
    return U(place) + V(place)


_OFF_MEAN = _difference(a) / (M * q(a)) - Total(_difference(b), b, 1, M) / M
SPREAD = (
    proof("osmd/spread", "proof of Theorem 5", note="the spread of a sum of two parts")
    .given("law", eq(Total(q(a), a, 1, M), 1), "q is a law on the clients")
    .step("1", le(0, square(_OFF_MEAN), (a, 1, M)), by.apply("osmd/nonnegative", {x: _OFF_MEAN}))
    .step("2", le(0, q(a) * square(_OFF_MEAN), (a, 1, M)), by.combine({"1": q(a)}))
    .step("3", le(0, Total(q(a) * square(_OFF_MEAN), a, 1, M)), by.summed(a, "2"))
    .step("4", le(0, spread(_difference)), by.combine({"3": 1, "law": square(Total(_difference(b), b, 1, M) / M)}))
    .step("5", le(0, square(Total(V(a), a, 1, M) / M)), by.apply("osmd/nonnegative", {x: Total(V(a), a, 1, M) / M}))
    .qed(
        le(spread(_together), 2 * spread(U) + 2 * Total(square(V(a)) / q(a), a, 1, M) / M**2),
        by.combine({"4": 1, "5": 2}),
        note="the parallelogram law",
    )
)

THEOREMS = (
    ENOUGH,
    ALMOST,
    LIMIT,
    NEEDED,
    CURVED,
    YOUNG,
    SIGN,
    JENSEN,
    UNCORRELATED,
    TELESCOPE,
    BOUNDED,
    AMAX_SGD,
    AMAX_AVG,
    LOCAL_JENSEN,
    MARTINGALE,
    SPREAD,
)
