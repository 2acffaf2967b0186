"""Facts behind the regret bounds: sums and logarithms of probabilities, Lemma 17, Lemma 18 (Hoeffding).

Probabilities are written as exp(log p): on the floored simplex none is 0. Clients are counted from 1 to M.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Symbol, diff, exp, log

from fltheory.papers.osmd.letters import K, M, alpha
from fltheory.proof import Given, Relation, Theorem, by, eq, le, lt, proof
from fltheory.proof.terms import E, Nonnegative, RandomNonnegative, Scalar, Total, family

m, j = (Symbol(name, integer=True, positive=True) for name in "mj")
n = Symbol("n", integer=True, nonnegative=True)
EACH = (m, 1, M)
LAMBDA = log(M / alpha)
FLOOR = alpha / M
PLACE = "Appendix B"

s = family(Scalar, "s")
w = family(Nonnegative, "w")
u, y = family(Scalar, "u"), family(Scalar, "y")
logp, logq, logr, logz = (family(Scalar, f"log{name}") for name in "pqrz")
P, Q, R, S, Z, C, lo, theta = (Symbol(name, real=True) for name in ("P", "Q", "R", "S", "Z", "C", "lo", "theta"))
x = Symbol("x", nonnegative=True)
width = Symbol("width", positive=True)


def whole(term: Expr) -> Expr:
    """The sum over the clients of a term in the index j."""
    return Total(term, j, 1, M)


def simplex(name: str, logs: Callable[..., Expr]) -> Given:
    """Probabilities add up to 1."""
    return Given(name, eq(whole(exp(logs(j))), 1), "probabilities")


def floored(name: str, logs: Callable[..., Expr]) -> Given:
    """Every client keeps its share of 1/M."""
    return Given(name, le(FLOOR, exp(logs(m)), EACH), "on the floored simplex")


def divergence(a: Callable[..., Expr], b: Callable[..., Expr]) -> Expr:
    """D(a || b) of two probability vectors, by their logarithms."""
    return whole(exp(a(j)) * (a(j) - b(j)))


# A term of a sum; logarithms ----------------------------------------------------------------------------------------

_SO_FAR, _UP = Total(s(j), j, 1, m + n), ((m, 1, M), (n, 0, M - m))
ONE = (
    proof("osmd/one", PLACE, note="a term of a sum of numbers that are not negative")
    .given("terms", le(0, s(j), (j, 1, M)), "no term is negative")
    .step("before", le(0, s(j), EACH, (j, 1, m - 1)), by.combine(terms=1))
    .step("sum", le(0, Total(s(j), j, 1, m - 1), EACH), by.summed(j, "before"))
    .step("0", le(s(m), Total(s(j), j, 1, m), EACH), by.combine("sum"))
    .step("next", le(0, s(m + n + 1), EACH, (n, 0, M - m - 1)), by.instance({j: m + n + 1}, "terms"))
    .step(
        "1",
        le(s(m), Total(s(j), j, 1, m + n + 1), EACH, (n, 0, M - m - 1)),
        by.combine("next"),
        assuming=le(s(m), _SO_FAR),
    )
    .step("2", le(s(m), _SO_FAR, *_UP), by.induction(n, "0", "1"))
    .qed(le(s(m), whole(s(j)), EACH), by.instance({n: M - m}, "2"))
)

TANGENT = proof("osmd/tangent", PLACE).qed(le(1 + P, exp(P)), by.known("exp", P))
GROWS = (
    proof("osmd/exp", PLACE, note="exp grows")
    .given("order", le(P, Q), "two numbers")
    .step("1", le(1 + Q - P, exp(Q - P)), by.known("exp", Q - P))
    .qed(le(exp(P), exp(Q)), by.combine({"1": exp(P), "order": exp(P)}))
)
BACK = (
    proof("osmd/log", PLACE, note="log grows")
    .given("order", le(exp(P), exp(Q)), "two positive numbers")
    .step("1", le(1 + P - Q, exp(P - Q)), by.known("exp", P - Q))
    .qed(le(P, Q), by.combine({"1": 1, "order": exp(-Q)}))
)
SAME = (
    proof("osmd/log-equal", PLACE, note="log is a function")
    .given("equal", eq(exp(P), exp(Q)), "two positive numbers")
    .step("at most", le(exp(P), exp(Q)), by.combine(equal=1))
    .step("at least", le(exp(Q), exp(P)), by.combine(equal=-1))
    .step("below", le(P, Q), by.apply("osmd/log", "at most"))
    .step("above", le(Q, P), by.apply("osmd/log", {P: Q, Q: P}, "at least"))
    .qed(eq(P, Q), by.squeezed("below", "above"), name="equality")
)
LOW = (
    proof("osmd/log-low", "(50)", note="a probability of the floored simplex has a logarithm of at least -log(M/alpha)")
    .given("floor", le(FLOOR, exp(P)), "on the floored simplex")
    .step("1", le(1 - LAMBDA - P, exp(-LAMBDA - P)), by.known("exp", -LAMBDA - P))
    .qed(le(-LAMBDA, P), by.combine({"1": 1, "floor": exp(-P)}))
)
_HIGH = le(logp(m), 0, EACH)
HIGH = (
    proof("osmd/log-high", "(50)")
    .under(simplex("sum", logp))
    .step("0", le(0, exp(logp(j)), (j, 1, M)), by.combine())
    .step("1", le(exp(logp(m)), whole(exp(logp(j))), EACH), by.apply("osmd/one", {s(j): exp(logp(j))}, "0"))
    .step("2", le(exp(logp(m)), exp(0), EACH), by.combine("1", "sum"))
    .qed(_HIGH, by.apply("osmd/log", {P: logp(m), Q: 0}, "2"), note="no probability is above 1")
)

k = Symbol("k", integer=True, positive=True)
HIGH_AT = (
    proof("osmd/log-high-at", "(50)")
    .under(simplex("sum", logp))
    .given("one of them", le(k, M), "one of those")
    .step("1", _HIGH, by.apply("osmd/log-high", "sum"))
    .qed(le(logp(k), 0), by.instance({m: k}, "1", "one of them"))
)

# Lemma 17 -------------------------------------------------------------------------------------------------------------

_FROM_UNIFORM = whole(exp(logq(j)) * (logq(j) + log(M)))
L17 = (
    proof("osmd/L17", "Lemma 17", of="osmd/L17@printed", note="D(q || uniform) <= log M")
    .under(simplex("sum", logq))
    .step("high", le(logq(m), 0, EACH), by.apply("osmd/log-high", {logp(m): logq(m)}, "sum"))
    .step("1", le(exp(logq(m)) * (logq(m) + log(M)), exp(logq(m)) * log(M), EACH), by.combine(high=exp(logq(m))))
    .step("2", le(_FROM_UNIFORM, whole(exp(logq(j))) * log(M)), by.summed(m, "1"))
    .qed(le(_FROM_UNIFORM, log(M)), by.combine({"2": 1, "sum": log(M)}))
)

_q = exp(logq(m))
_SPARE = le(_q, 1 - alpha + FLOOR, EACH)
_SHARE = le(_q * (logq(m) + log(M)), (_q - FLOOR) * log(M), EACH)
START = (
    proof("osmd/start", "Corollary 7", note="D(q || uniform) <= (1 - alpha) log M on the floored simplex")
    .under(simplex("sum", logq), floored("floor", logq))
    .step("0", le(0, exp(logq(m)) - FLOOR, EACH), by.combine("floor"))
    .step(
        "one",
        le(exp(logq(m)) - FLOOR, whole(exp(logq(j)) - FLOOR), EACH),
        by.apply("osmd/one", {s(j): exp(logq(j)) - FLOOR}, "0"),
    )
    .step("room", _SPARE, by.combine(one=1, sum=1), note="the others keep their shares")
    .step("a", le(1 + logq(m), exp(logq(m)), EACH), by.apply("osmd/tangent", {P: logq(m)}))
    .step("b", le(log(M) + logq(m), M * exp(logq(m)) - 1, EACH), by.apply("osmd/tangent", {P: logq(m) + log(M)}))
    .step(
        "share",
        _SHARE,
        by.combine({"a": _q - FLOOR, "b": FLOOR, "room": _q}, "floor"),
        note="convexity of q log(M q) between q = 1/M and q = 1, where it is 0 and log M",
    )
    .step("total", le(_FROM_UNIFORM, whole((exp(logq(j)) - FLOOR) * log(M))), by.summed(m, "share"))
    .qed(le(_FROM_UNIFORM, (1 - alpha) * log(M)), by.combine(total=1, sum=log(M)), name="last")
)

# Lemma 18 (Hoeffding) -------------------------------------------------------------------------------------------------

SQUARE = proof("osmd/square", "Lemma 18").qed(le(4 * P * Q, (P + Q) ** 2), by.polynomial(), note="(P - Q)^2 >= 0")
_mean = 1 - theta + theta * exp(x)
_f = theta * x + x**2 / 8 - log(_mean)
_df, _d2f = diff(_f, x), diff(_f, x, 2)
TWO_POINTS = (
    proof("osmd/two-points", "Lemma 18", note="two values at a distance x, one of them with probability theta")
    .given("low", le(0, theta), "a probability")
    .step("exp", le(1 + x, exp(x)), by.known("exp", x))
    .step("one", le(1, exp(x)), by.combine("exp"))
    .step("mean", le(1, _mean), by.combine({"one": theta}, "low"), note="no less than 1, so that it has a logarithm")
    .step("mean 2", le(1, _mean**2), by.combine(mean=1 + _mean))
    .step(
        "square",
        le(4 * theta * (1 - theta) * exp(x), _mean**2),
        by.apply("osmd/square", {P: theta * exp(x), Q: 1 - theta}),
        note="their difference is the square of theta e^x - (1 - theta)",
    )
    .step(
        "second",
        le(0, _d2f),
        by.combine({"square": 1 / (4 * _mean**2)}, "mean", "mean 2"),
        note="a variance on an interval of length 1 is at most 1/4",
    )
    .step("slope at 0", le(0, _df.xreplace({x: 0 * x})), by.combine())
    .step("slope", le(0, _df), by.rising(x, "slope at 0", "second", "mean"))
    .step("at 0", le(0, _f.xreplace({x: 0 * x})), by.combine())
    .step("log", le(log(_mean), theta * x + x**2 / 8), by.rising(x, "at 0", "slope", "mean"))
    .step(
        "tangent",
        le(1 + theta * x + x**2 / 8 - log(_mean), exp(theta * x + x**2 / 8 - log(_mean))),
        by.known("exp", theta * x + x**2 / 8 - log(_mean)),
    )
    .qed(le(_mean, exp(theta * x + x**2 / 8)), by.combine({"log": _mean, "tangent": _mean}, "mean"), name="last")
)

CHORD = (
    proof("osmd/chord", "Lemma 18", note="exp lies below its chord")
    .under(*TWO_POINTS.hypotheses)
    .given("high", le(theta, 1), "a probability")
    .step("far", le(1 + (1 - theta) * width, exp((1 - theta) * width)), by.known("exp", (1 - theta) * width))
    .step("near", le(1 - theta * width, exp(-theta * width)), by.known("exp", -theta * width))
    .qed(
        le(exp(theta * width), 1 - theta + theta * exp(width)),
        by.combine({"far": theta * exp(theta * width), "near": (1 - theta) * exp(theta * width)}, "low", "high"),
    )
)

WEIGHTS = Given("sum", eq(whole(w(j)), 1), "probabilities")
_MGF = whole(w(j) * exp(u(j)))
_AVERAGE = whole(w(j) * u(j))


def between(size: Expr) -> tuple[Given, ...]:
    """Values on an interval of a length."""
    return (
        Given("below", le(lo, u(m), EACH), "values on an interval: u = s X has it of length |s| (b - a)"),
        Given("above", le(u(m), lo + size, EACH), "and its other end"),
    )


def hoeffding(size: Expr) -> Relation:
    """Hoeffding's lemma for values on an interval of a length."""
    return le(_MGF, exp(_AVERAGE + size**2 / 8))


_part = (u(m) - lo) / width
_mass = (_AVERAGE - lo) / width
HOEFFDING_WIDE = (
    proof("osmd/L18-wide", "Lemma 18")
    .under(WEIGHTS, *between(width))
    .step("part low", le(0, _part, EACH), by.combine(below=1 / width))
    .step("part high", le(_part, 1, EACH), by.combine(above=1 / width))
    .step(
        "chord",
        le(exp(u(m)) * exp(-lo), 1 - _part + _part * exp(width), EACH),
        by.apply("osmd/chord", {theta: _part}, "part low", "part high"),
    )
    .step(
        "chords",
        le(_MGF * exp(-lo), whole(w(j) * (1 + (exp(width) - 1) * (u(j) - lo) / width))),
        by.summed(m, "chord", weight=w(m)),
    )
    .step("mass low", le(0, whole(w(j) * (u(j) - lo) / width)), by.summed(m, "part low", weight=w(m)))
    .step("low", le(0, _mass), by.combine({"mass low": 1, "sum": -lo / width}))
    .step(
        "two",
        le(1 - _mass + _mass * exp(width), exp(_mass * width + width**2 / 8)),
        by.apply("osmd/two-points", {theta: _mass, x: width}, "low"),
    )
    .qed(
        hoeffding(width),
        by.combine(chords=exp(lo), two=exp(lo), sum=exp(lo) * (1 - lo / width * (exp(width) - 1))),
        name="last",
    )
)

_WIDE, _NARROW = (lt(0, x),), (le(x, 0),)
_up = _AVERAGE + x**2 / 8 - lo
L18 = (
    proof(
        "osmd/L18",
        "Lemma 18",
        of="osmd/L18@printed",
        note="sum w e^u <= exp(sum w u + x^2/8) for values u on an interval of length x: u = s X",
    )
    .under(WEIGHTS, *between(x))
    .step("wide", hoeffding(x), by.apply("osmd/L18-wide", {width: x}, "sum", "below", "above"), assuming=_WIDE)
    .step("at most", le(u(m), lo, EACH), by.combine({"above": 1, "assumed 1": 1}), assuming=_NARROW)
    .step("each", le(exp(u(m)), exp(lo), EACH), by.apply("osmd/exp", {P: u(m), Q: lo}, "at most"), assuming=_NARROW)
    .step("all", le(_MGF, exp(lo) * whole(w(j))), by.summed(m, "each", weight=w(m)), assuming=_NARROW)
    .step("mean", le(lo * whole(w(j)), _AVERAGE), by.summed(m, "below", weight=w(m)))
    .step("exp", le(1 + _up, exp(_up)), by.known("exp", _up))
    .step(
        "narrow",
        hoeffding(x),
        by.combine(all=1, sum=exp(lo) - lo * exp(lo), mean=exp(lo), exp=exp(lo)),
        assuming=_NARROW,
        note="an interval of length 0",
    )
    .qed(hoeffding(x), by.cases("wide", "narrow"), name="both")
)

# (6) and (7): the estimates are unbiased --------------------------------------------------------------------------------

fed, counts = family(Nonnegative, "a"), family(RandomNonnegative, "N")
DRAWN = Given("mean", eq(E(counts(m)), K * exp(logp(m)), EACH), "K draws with replacement from p")


def _unbiased(name: str, power: int, claim: str, note: str) -> Theorem:
    """The mean of the sum of a N/(K^2 q^power p)."""
    left = E(whole(fed(j) * exp(-power * logq(j)) * exp(-logp(j)) * counts(j))) / K**2
    right = whole(fed(j) * exp(-power * logq(j))) / K
    step = eq(
        whole(E(counts(j)) * fed(j) * exp(-power * logq(j)) * exp(-logp(j))), whole(fed(j) * exp(-power * logq(j)) * K)
    )
    return (
        proof(name, "(6)" if power == 1 else "(7)", of=claim, note=note)
        .under(DRAWN)
        .step("1", step, by.summed(m, "mean", weight=fed(m) * exp(-power * logq(m)) * exp(-logp(m))))
        .qed(eq(left, right), by.combine({"1": 1 / K**2}))
    )


ESTIMATE = _unbiased("osmd/6", 1, "osmd/C-6@printed", "the estimated loss of any q has the loss as its mean")
GRADIENT = _unbiased(
    "osmd/7", 2, "osmd/C-7@printed", "and its gradient the gradient: the sum for any a, so each entry of it"
)

THEOREMS = (
    ONE,
    TANGENT,
    GROWS,
    BACK,
    SAME,
    LOW,
    HIGH,
    HIGH_AT,
    L17,
    START,
    SQUARE,
    TWO_POINTS,
    CHORD,
    HOEFFDING_WIDE,
    L18,
    ESTIMATE,
    GRADIENT,
)
