"""Facts behind the optimisation theorems: Lemmas 14, 15 and 16, uncorrelated sums, bounded feedback."""

from __future__ import annotations

from sympy import Abs, Integer, Rational, Symbol, floor, oo

from fltheory.papers.osmd.letters import B, G, L, M, batch
from fltheory.proof.language import (
    Absolute,
    Apply,
    Cases,
    Combine,
    Given,
    Gram,
    Induction,
    Instance,
    Known,
    Member,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.rules.axioms import Axiom
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
_ENOUGH = le(Val(h, x), Val(h, y))
ENOUGH = Theorem(
    "osmd/L14-enough",
    _ENOUGH,
    (
        Member("class", h, None, 0, "h is convex"),
        Given("ascent", le(0, _SLOPE), "from x towards y the slope is not negative"),
    ),
    (Step("1", _ENOUGH, Combine({"ascent": 1}, ((1, Axiom("convex", h, y, x)),)), ("class", "ascent")),),
    place="Lemma 14",
    note="where every slope into the set is not negative, there is the least value",
)
least, size, level = family(Positive, "d")(), family(Nonnegative, "s")(), family(Scalar, "r")()
_LATE = floor(2 * size / least) + 1
_CLOSER = (
    Given("all", le(0, level + size / m, (m, 1, oo)), "the number plus something that goes to 0 is never negative"),
)
_ALMOST = le(0, level + least / 2)
ALMOST = Theorem(
    "osmd/almost",
    _ALMOST,
    _CLOSER,
    (
        Step("late", lt(2 * size / least, _LATE), Known("floor", 2 * size / least)),
        Step("small", le(2 * size / _LATE, least), Combine({"late": least / _LATE}), ("late",)),
        Step("at", le(0, level + size / _LATE), Instance({m: _LATE}), ("all",)),
        Step("end", _ALMOST, Combine({"at": 1, "small": Rational(1, 2)}), ("at", "small")),
    ),
    place="Lemma 14",
    note="then the number is above -d/2 for every d > 0",
)
_NEVER, _BELOW, _ABOVE = le(0, level), (lt(level, 0),), (le(0, level),)
LIMIT = Theorem(
    "osmd/limit",
    _NEVER,
    _CLOSER,
    (
        Step("half", le(0, level - level / 2), Apply("osmd/almost", {least: -level}), ("all",), assuming=_BELOW),
        Step("below", _NEVER, Combine({"half": 2}), ("half",), assuming=_BELOW, note="which can't be for r < 0"),
        Step("above", _NEVER, Combine({"assumed 1": 1}), assuming=_ABOVE),
        Step("end", _NEVER, Cases(), ("below", "above")),
    ),
    place="Lemma 14",
    note="then the number is not negative itself",
)
_NEEDED = le(0, _SLOPE)
_WAY = x + (y - x) / m
_EACH = le(0, _SLOPE + L * square(y - x) / 2 / m, (m, 1, oo))
NEEDED = Theorem(
    "osmd/L14-needed",
    _NEEDED,
    (
        Member("class", h, L, None, "h is smooth"),
        Given(
            "least", le(Val(h, x), Val(h, _WAY), (m, 1, oo)), "x is the least one, also of the points on the way to y"
        ),
    ),
    (
        Step(
            "1",
            _EACH,
            Combine({"least": m}, ((m, Axiom("descent", h, _WAY, x)),)),
            ("class", "least"),
            note="smoothness",
        ),
        Step("size 1", le(0, square(y - x)), Gram()),
        Step("size", le(0, L * square(y - x) / 2), Combine({"size 1": L / 2}), ("size 1",)),
        Step(
            "2",
            _NEEDED,
            Apply("osmd/limit", {level: _SLOPE, size: L * square(y - x) / 2}),
            ("1", "size"),
            note="going closer and closer",
        ),
    ),
    claim="osmd/L14@printed",
    place="Lemma 14",
    note="at the least one no slope into the set is negative",
)

# Lemma 15: the descent lemma ----------------------------------------------------------------------------------------

_OFF = Val(h, y) - Val(h, x) - _SLOPE
_CURVED = le(Abs(_OFF), L / 2 * square(y - x))
CURVED = Theorem(
    "osmd/L15",
    _CURVED,
    (Member("class", h, L, None, "h is smooth"),),
    (
        Step("1", le(_OFF, L / 2 * square(y - x)), Combine(axioms=((1, Axiom("descent", h, y, x)),)), ("class",)),
        Step("2", le(-_OFF, L / 2 * square(y - x)), Combine(axioms=((1, Axiom("ascent", h, y, x)),)), ("class",)),
        Step("3", _CURVED, Absolute(), ("1", "2")),
    ),
    claim="osmd/L15@printed",
    place="Lemma 15",
    note="the inequality that stands for smoothness, from above and from below",
)

# Lemma 16: squares of sums --------------------------------------------------------------------------------------------

share = Symbol("share", positive=True)
_YOUNG = le(square(u + v), (1 + share) * square(u) + (1 + 1 / share) * square(v))
YOUNG = Theorem(
    "osmd/L16",
    _YOUNG,
    (),
    (Step("1", _YOUNG, Gram(), note="the rest is a square"),),
    claim="osmd/L16-two@printed",
    place="Lemma 16",
    note="Young's inequality for two vectors",
)
_SIGN = le(0, square(x))
SIGN = Theorem(
    "osmd/nonnegative", _SIGN, (), (Step("1", _SIGN, Gram()),), place="Lemma 16", note="no square is negative"
)
z = family(Vector, "z")
_TIMES = le(square(Total(z(a), a, 1, N)), N * Total(square(z(a)), a, 1, N))
JENSEN = Theorem(
    "osmd/L16-sum",
    _TIMES,
    (),
    (
        Step("1", le(0, square(z(a) - z(b)), (a, 1, N), (b, 1, N)), Gram(), note="differences have squares"),
        Step("2", le(0, Total(Total(square(z(a) - z(b)), a, 1, N), b, 1, N)), Summed((a, b)), ("1",)),
        Step("3", _TIMES, Combine({"2": Integer(1) / 2}), ("2",)),
    ),
    claim="osmd/L16-sum@printed",
    place="Lemma 16",
    note="the squared sum of N vectors",
)

# Uncorrelated sums ----------------------------------------------------------------------------------------------------

Y, weight = family(RandomVector, "Y"), family(RandomNonnegative, "weight")()


def _sum(count):
    return Total(Y(b), b, 1, count)


def _squares(count):
    return Total(E(weight * square(Y(b))), b, 1, count)


_SUMS = eq(E(weight * square(_sum(n))), _squares(n), (n, 0, N))
_UNCORRELATED = eq(E(weight * square(_sum(N))), _squares(N))
UNCORRELATED = Theorem(
    "osmd/uncorrelated",
    _UNCORRELATED,
    (
        Given(
            "pairs",
            eq(E(weight * Dot(Y(b), Y(c))), 0, (b, 1, N), (c, 1, b - 1)),
            "no two of the vectors are correlated",
        ),
    ),
    (
        Step(
            "pair", eq(E(weight * Dot(Y(n + 1), Y(c))), 0, (n, 0, N - 1), (c, 1, n)), Instance({b: n + 1}), ("pairs",)
        ),
        Step("cross", eq(E(weight * Dot(Y(n + 1), Total(Y(c), c, 1, n))), 0, (n, 0, N - 1)), Summed((c,)), ("pair",)),
        Step("0", eq(E(weight * square(_sum(Integer(0)))), 0), Combine()),
        Step(
            "1",
            eq(E(weight * square(_sum(n + 1))), _squares(n + 1), (n, 0, N - 1)),
            Combine({"assumed 1": 1, "cross": 2}),
            ("cross",),
            (),
            (eq(E(weight * square(_sum(n))), _squares(n)),),
            note="one vector more",
        ),
        Step("2", _SUMS, Induction(n), ("0", "1")),
        Step("3", _UNCORRELATED, Instance({n: N}), ("2",)),
    ),
    place="proof of Theorem 4",
    note="squares of uncorrelated vectors add up, also with a weight",
)

# Telescoping ------------------------------------------------------------------------------------------------------------

d, s = family(Scalar, "d"), family(Scalar, "s")
t = Symbol("t", integer=True, positive=True)
_FALL = le(d(n + 1), d(1) + Total(s(t), t, 1, n), (n, 0, N))
_TELESCOPED = le(d(N + 1), d(1) + Total(s(t), t, 1, N))
TELESCOPE = Theorem(
    "osmd/telescope",
    _TELESCOPED,
    (Given("step", le(d(t + 1), d(t) + s(t), (t, 1, N)), "what one round adds at most"),),
    (
        Step("0", le(d(1), d(1)), Combine()),
        Step("next", le(d(n + 2), d(n + 1) + s(n + 1), (n, 0, N - 1)), Instance({t: n + 1}), ("step",)),
        Step(
            "1",
            le(d(n + 2), d(1) + Total(s(t), t, 1, n + 1), (n, 0, N - 1)),
            Combine(),
            ("next",),
            (),
            (le(d(n + 1), d(1) + Total(s(t), t, 1, n)),),
            note="one round more",
        ),
        Step("2", _FALL, Induction(n), ("0", "1")),
        Step("3", _TELESCOPED, Instance({n: N}), ("2",)),
    ),
    place="proof of Theorem 4",
    note="what all rounds add at most",
)

# C-Amax: bounded feedback ---------------------------------------------------------------------------------------------

_BOUNDED = le(square(Total(z(a), a, 1, N)), N**2 * G**2)
BOUNDED = Theorem(
    "osmd/Amax",
    _BOUNDED,
    (Given("bounded", le(square(z(a)), G**2, (a, 1, N)), "Assumption 3: no stochastic gradient is longer"),),
    (
        Step("1", _TIMES, Apply("osmd/L16-sum")),
        Step("2", le(Total(square(z(a)), a, 1, N), N * G**2), Summed((a,)), ("bounded",)),
        Step("3", _BOUNDED, Combine({"1": 1, "2": N}), ("1", "2")),
    ),
    place="text before (13)",
    note="the squared sum of N bounded vectors",
)
_SGD = le(square(Total(z(a), a, 1, batch) / batch) / M**2, G**2 / M**2)
AMAX_SGD = Theorem(
    "osmd/Amax-sgd",
    _SGD,
    (Given("bounded", le(square(z(a)), G**2, (a, 1, batch)), "Assumption 3"),),
    (
        Step("1", le(square(Total(z(a), a, 1, batch)), batch**2 * G**2), Apply("osmd/Amax", {N: batch}), ("bounded",)),
        Step("2", _SGD, Combine({"1": 1 / (batch * M) ** 2}), ("1",)),
    ),
    claim="osmd/C-Amax-batch@printed",
    place="text before (13)",
    note="mini-batch SGD: A_max = G^2/M^2",
)
_AVG = le(square(Total(z(a), a, 1, B)) / (M**2 * B), B * G**2 / M**2)
AMAX_AVG = Theorem(
    "osmd/Amax-avg",
    _AVG,
    (Given("bounded", le(square(z(a)), G**2, (a, 1, B)), "Assumption 3"),),
    (
        Step("1", le(square(Total(z(a), a, 1, B)), B**2 * G**2), Apply("osmd/Amax", {N: B}), ("bounded",)),
        Step("2", _AVG, Combine({"1": 1 / (B * M**2)}), ("1",)),
    ),
    claim="osmd/C-Amax-steps@printed",
    place="text before (16)",
    note="FedAvg: A_max = B G^2/M^2",
)

# The same for local steps, which are counted from 0 -----------------------------------------------------------------------

j, k = (Symbol(name, integer=True, nonnegative=True) for name in "jk")
_LOCAL = le(square(Total(z(j), j, 0, N - 1)), N * Total(square(z(j)), j, 0, N - 1))
LOCAL_JENSEN = Theorem(
    "osmd/L16-steps",
    _LOCAL,
    (),
    (
        Step("1", le(0, square(z(j) - z(k)), (j, 0, N - 1), (k, 0, N - 1)), Gram(), note="differences have squares"),
        Step("2", le(0, Total(Total(square(z(j) - z(k)), j, 0, N - 1), k, 0, N - 1)), Summed((j, k)), ("1",)),
        Step("3", _LOCAL, Combine({"2": Integer(1) / 2}), ("2",)),
    ),
    place="Lemma 16",
    note="the squared sum of N vectors, counted from 0",
)


def _early(count):
    return Total(Y(j), j, 0, count - 1)


def _early_squares(count):
    return Total(E(weight * square(Y(j))), j, 0, count - 1)


_EARLY = eq(E(weight * square(_early(j))), _early_squares(j), (j, 0, N))
_MARTINGALE = eq(E(weight * square(_early(N))), _early_squares(N))
MARTINGALE = Theorem(
    "osmd/martingale",
    _MARTINGALE,
    (
        Given(
            "pairs",
            eq(E(weight * Dot(Y(j), Y(k))), 0, (j, 0, N - 1), (k, 0, j - 1)),
            "earlier vectors are uncorrelated",
        ),
    ),
    (
        Step("cross", eq(E(weight * Dot(Y(j), Total(Y(k), k, 0, j - 1))), 0, (j, 0, N - 1)), Summed((k,)), ("pairs",)),
        Step("0", eq(E(weight * square(_early(Integer(0)))), 0), Combine()),
        Step(
            "1",
            eq(E(weight * square(_early(j + 1))), _early_squares(j + 1), (j, 0, N - 1)),
            Combine({"assumed 1": 1, "cross": 2}),
            ("cross",),
            (),
            (eq(E(weight * square(_early(j))), _early_squares(j)),),
            note="one step more",
        ),
        Step("2", _EARLY, Induction(j), ("0", "1")),
        Step("3", _MARTINGALE, Instance({j: N}), ("2",)),
    ),
    place="proof of Theorem 5",
    note="squares of martingale differences add up, also with a weight",
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
_SPREAD = le(spread(_together), 2 * spread(U) + 2 * Total(square(V(a)) / q(a), a, 1, M) / M**2)
SPREAD = Theorem(
    "osmd/spread",
    _SPREAD,
    (Given("law", eq(Total(q(a), a, 1, M), 1), "q is a law on the clients"),),
    (
        Step("1", le(0, square(_OFF_MEAN), (a, 1, M)), Apply("osmd/nonnegative", {x: _OFF_MEAN})),
        Step("2", le(0, q(a) * square(_OFF_MEAN), (a, 1, M)), Combine({"1": q(a)}), ("1",)),
        Step("3", le(0, Total(q(a) * square(_OFF_MEAN), a, 1, M)), Summed((a,)), ("2",)),
        Step(
            "4",
            le(0, spread(_difference)),
            Combine({"3": 1, "law": square(Total(_difference(b), b, 1, M) / M)}),
            ("3", "law"),
        ),
        Step("5", le(0, square(Total(V(a), a, 1, M) / M)), Apply("osmd/nonnegative", {x: Total(V(a), a, 1, M) / M})),
        Step("6", _SPREAD, Combine({"4": 1, "5": 2}), ("4", "5"), note="the parallelogram law"),
    ),
    place="proof of Theorem 5",
    note="the spread of a sum of two parts",
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
