"""Facts behind the regret bounds: sums and logarithms of probabilities, Lemma 17, Lemma 18 (Hoeffding).

Probabilities are written as exp(log p): on the floored simplex none is 0. Clients are counted from 1 to M.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Symbol, diff, exp, log

from fltheory.papers.osmd.letters import K, M, alpha
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Rising,
    Squeezed,
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
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


def whole(term: Any) -> Expr:
    """The sum over the clients of a term in the index j."""
    return Total(term, j, 1, M)


def simplex(name: str, logs: Any) -> Given:
    """Probabilities add up to 1."""
    return Given(name, eq(whole(exp(logs(j))), 1), "probabilities")


def floored(name: str, logs: Any) -> Given:
    """Every client keeps its share of 1/M."""
    return Given(name, le(FLOOR, exp(logs(m)), EACH), "on the floored simplex")


def divergence(a: Any, b: Any) -> Expr:
    """D(a || b) of two probability vectors, by their logarithms."""
    return whole(exp(a(j)) * (a(j) - b(j)))


# A term of a sum; logarithms ----------------------------------------------------------------------------------------

_SO_FAR, _UP = Total(s(j), j, 1, m + n), ((m, 1, M), (n, 0, M - m))
ONE = Theorem(
    "osmd/one",
    le(s(m), whole(s(j)), EACH),
    (Given("terms", le(0, s(j), (j, 1, M)), "no term is negative"),),
    (
        Step("before", le(0, s(j), EACH, (j, 1, m - 1)), Combine({"terms": 1}), ("terms",)),
        Step("sum", le(0, Total(s(j), j, 1, m - 1), EACH), Summed((j,)), ("before",)),
        Step("0", le(s(m), Total(s(j), j, 1, m), EACH), Combine(), ("sum",)),
        Step("next", le(0, s(m + n + 1), EACH, (n, 0, M - m - 1)), Instance({j: m + n + 1}), ("terms",)),
        Step(
            "1",
            le(s(m), Total(s(j), j, 1, m + n + 1), EACH, (n, 0, M - m - 1)),
            Combine(),
            ("next",),
            assuming=(le(s(m), _SO_FAR),),
        ),
        Step("2", le(s(m), _SO_FAR, *_UP), Induction(n), ("0", "1")),
        Step("3", le(s(m), whole(s(j)), EACH), Instance({n: M - m}), ("2",)),
    ),
    place=PLACE,
    note="a term of a sum of numbers that are not negative",
)

_TANGENT = le(1 + P, exp(P))
TANGENT = Theorem("osmd/tangent", _TANGENT, (), (Step("1", _TANGENT, Known("exp", P)),), place=PLACE)
_GROWS = le(exp(P), exp(Q))
GROWS = Theorem(
    "osmd/exp",
    _GROWS,
    (Given("order", le(P, Q), "two numbers"),),
    (
        Step("1", le(1 + Q - P, exp(Q - P)), Known("exp", Q - P)),
        Step("2", _GROWS, Combine({"1": exp(P), "order": exp(P)}), ("1", "order")),
    ),
    place=PLACE,
    note="exp grows",
)
_BACK = le(P, Q)
BACK = Theorem(
    "osmd/log",
    _BACK,
    (Given("order", le(exp(P), exp(Q)), "two positive numbers"),),
    (
        Step("1", le(1 + P - Q, exp(P - Q)), Known("exp", P - Q)),
        Step("2", _BACK, Combine({"1": 1, "order": exp(-Q)}), ("1", "order")),
    ),
    place=PLACE,
    note="log grows",
)
_SAME = eq(P, Q)
SAME = Theorem(
    "osmd/log-equal",
    _SAME,
    (Given("equal", eq(exp(P), exp(Q)), "two positive numbers"),),
    (
        Step("at most", le(exp(P), exp(Q)), Combine({"equal": 1}), ("equal",)),
        Step("at least", le(exp(Q), exp(P)), Combine({"equal": -1}), ("equal",)),
        Step("below", le(P, Q), Apply("osmd/log"), ("at most",)),
        Step("above", le(Q, P), Apply("osmd/log", {P: Q, Q: P}), ("at least",)),
        Step("equality", _SAME, Squeezed(), ("below", "above")),
    ),
    place=PLACE,
    note="log is a function",
)
_LOW = le(-LAMBDA, P)
LOW = Theorem(
    "osmd/log-low",
    _LOW,
    (Given("floor", le(FLOOR, exp(P)), "on the floored simplex"),),
    (
        Step("1", le(1 - LAMBDA - P, exp(-LAMBDA - P)), Known("exp", -LAMBDA - P)),
        Step("2", _LOW, Combine({"1": 1, "floor": exp(-P)}), ("1", "floor")),
    ),
    place="(50)",
    note="a probability of the floored simplex has a logarithm of at least -log(M/alpha)",
)
_HIGH = le(logp(m), 0, EACH)
HIGH = Theorem(
    "osmd/log-high",
    _HIGH,
    (simplex("sum", logp),),
    (
        Step("0", le(0, exp(logp(j)), (j, 1, M)), Combine()),
        Step("1", le(exp(logp(m)), whole(exp(logp(j))), EACH), Apply("osmd/one", {s(j): exp(logp(j))}), ("0",)),
        Step("2", le(exp(logp(m)), exp(0), EACH), Combine(), ("1", "sum")),
        Step("3", _HIGH, Apply("osmd/log", {P: logp(m), Q: 0}), ("2",), note="no probability is above 1"),
    ),
    place="(50)",
)

k = Symbol("k", integer=True, positive=True)
_HIGH_AT = le(logp(k), 0)
HIGH_AT = Theorem(
    "osmd/log-high-at",
    _HIGH_AT,
    (simplex("sum", logp), Given("one of them", le(k, M), "one of those")),
    (Step("1", _HIGH, Apply("osmd/log-high"), ("sum",)), Step("2", _HIGH_AT, Instance({m: k}), ("1", "one of them"))),
    place="(50)",
)

# Lemma 17 -------------------------------------------------------------------------------------------------------------

_FROM_UNIFORM = whole(exp(logq(j)) * (logq(j) + log(M)))
_L17 = le(_FROM_UNIFORM, log(M))
L17 = Theorem(
    "osmd/L17",
    _L17,
    (simplex("sum", logq),),
    (
        Step("high", le(logq(m), 0, EACH), Apply("osmd/log-high", {logp(m): logq(m)}), ("sum",)),
        Step(
            "1",
            le(exp(logq(m)) * (logq(m) + log(M)), exp(logq(m)) * log(M), EACH),
            Combine({"high": exp(logq(m))}),
            ("high",),
        ),
        Step("2", le(_FROM_UNIFORM, whole(exp(logq(j))) * log(M)), Summed((m,)), ("1",)),
        Step("3", _L17, Combine({"2": 1, "sum": log(M)}), ("2", "sum")),
    ),
    claim="osmd/L17@printed",
    place="Lemma 17",
    note="D(q || uniform) <= log M",
)

_q = exp(logq(m))
_SPARE = le(_q, 1 - alpha + FLOOR, EACH)
_SHARE = le(_q * (logq(m) + log(M)), (_q - FLOOR) * log(M), EACH)
_STARTS = le(_FROM_UNIFORM, (1 - alpha) * log(M))
START = Theorem(
    "osmd/start",
    _STARTS,
    (simplex("sum", logq), floored("floor", logq)),
    (
        Step("0", le(0, exp(logq(m)) - FLOOR, EACH), Combine(), ("floor",)),
        Step(
            "one",
            le(exp(logq(m)) - FLOOR, whole(exp(logq(j)) - FLOOR), EACH),
            Apply("osmd/one", {s(j): exp(logq(j)) - FLOOR}),
            ("0",),
        ),
        Step("room", _SPARE, Combine({"one": 1, "sum": 1}), ("one", "sum"), note="the others keep their shares"),
        Step("a", le(1 + logq(m), exp(logq(m)), EACH), Apply("osmd/tangent", {P: logq(m)})),
        Step("b", le(log(M) + logq(m), M * exp(logq(m)) - 1, EACH), Apply("osmd/tangent", {P: logq(m) + log(M)})),
        Step(
            "share",
            _SHARE,
            Combine({"a": _q - FLOOR, "b": FLOOR, "room": _q}),
            ("a", "b", "room", "floor"),
            note="convexity of q log(M q) between q = 1/M and q = 1, where it is 0 and log M",
        ),
        Step("total", le(_FROM_UNIFORM, whole((exp(logq(j)) - FLOOR) * log(M))), Summed((m,)), ("share",)),
        Step("last", _STARTS, Combine({"total": 1, "sum": log(M)}), ("total", "sum")),
    ),
    place="Corollary 7",
    note="D(q || uniform) <= (1 - alpha) log M on the floored simplex",
)

# Lemma 18 (Hoeffding) -------------------------------------------------------------------------------------------------

_SQUARE = le(4 * P * Q, (P + Q) ** 2)
SQUARE = Theorem(
    "osmd/square", _SQUARE, (), (Step("1", _SQUARE, Polynomial(), note="(P - Q)^2 >= 0"),), place="Lemma 18"
)
_mean = 1 - theta + theta * exp(x)
_f = theta * x + x**2 / 8 - log(_mean)
_df, _d2f = diff(_f, x), diff(_f, x, 2)
_TWO_POINTS = le(_mean, exp(theta * x + x**2 / 8))
TWO_POINTS = Theorem(
    "osmd/two-points",
    _TWO_POINTS,
    (Given("low", le(0, theta), "a probability"),),
    (
        Step("exp", le(1 + x, exp(x)), Known("exp", x)),
        Step("one", le(1, exp(x)), Combine(), ("exp",)),
        Step(
            "mean",
            le(1, _mean),
            Combine({"one": theta}),
            ("one", "low"),
            note="no less than 1, so that it has a logarithm",
        ),
        Step("mean 2", le(1, _mean**2), Combine({"mean": 1 + _mean}), ("mean",)),
        Step(
            "square",
            le(4 * theta * (1 - theta) * exp(x), _mean**2),
            Apply("osmd/square", {P: theta * exp(x), Q: 1 - theta}),
            note="their difference is the square of theta e^x - (1 - theta)",
        ),
        Step(
            "second",
            le(0, _d2f),
            Combine({"square": 1 / (4 * _mean**2)}),
            ("square", "mean", "mean 2"),
            note="a variance on an interval of length 1 is at most 1/4",
        ),
        Step("slope at 0", le(0, _df.xreplace({x: 0 * x})), Combine()),
        Step("slope", le(0, _df), Rising(x), ("slope at 0", "second", "mean")),
        Step("at 0", le(0, _f.xreplace({x: 0 * x})), Combine()),
        Step("log", le(log(_mean), theta * x + x**2 / 8), Rising(x), ("at 0", "slope", "mean")),
        Step(
            "tangent",
            le(1 + theta * x + x**2 / 8 - log(_mean), exp(theta * x + x**2 / 8 - log(_mean))),
            Known("exp", theta * x + x**2 / 8 - log(_mean)),
        ),
        Step("last", _TWO_POINTS, Combine({"log": _mean, "tangent": _mean}), ("log", "tangent", "mean")),
    ),
    place="Lemma 18",
    note="two values at a distance x, one of them with probability theta",
)

_CHORD = le(exp(theta * width), 1 - theta + theta * exp(width))
CHORD = Theorem(
    "osmd/chord",
    _CHORD,
    (*TWO_POINTS.hypotheses, Given("high", le(theta, 1), "a probability")),
    (
        Step("far", le(1 + (1 - theta) * width, exp((1 - theta) * width)), Known("exp", (1 - theta) * width)),
        Step("near", le(1 - theta * width, exp(-theta * width)), Known("exp", -theta * width)),
        Step(
            "1",
            _CHORD,
            Combine({"far": theta * exp(theta * width), "near": (1 - theta) * exp(theta * width)}),
            ("far", "near", "low", "high"),
        ),
    ),
    place="Lemma 18",
    note="exp lies below its chord",
)

WEIGHTS = Given("sum", eq(whole(w(j)), 1), "probabilities")
_MGF = whole(w(j) * exp(u(j)))
_AVERAGE = whole(w(j) * u(j))


def between(size: Any) -> tuple[Given, ...]:
    """Values on an interval of a length."""
    return (
        Given("below", le(lo, u(m), EACH), "values on an interval: u = s X has it of length |s| (b - a)"),
        Given("above", le(u(m), lo + size, EACH), "and its other end"),
    )


def hoeffding(size: Any) -> Any:
    """Hoeffding's lemma for values on an interval of a length."""
    return le(_MGF, exp(_AVERAGE + size**2 / 8))


_part = (u(m) - lo) / width
_mass = (_AVERAGE - lo) / width
HOEFFDING_WIDE = Theorem(
    "osmd/L18-wide",
    hoeffding(width),
    (WEIGHTS, *between(width)),
    (
        Step("part low", le(0, _part, EACH), Combine({"below": 1 / width}), ("below",)),
        Step("part high", le(_part, 1, EACH), Combine({"above": 1 / width}), ("above",)),
        Step(
            "chord",
            le(exp(u(m)) * exp(-lo), 1 - _part + _part * exp(width), EACH),
            Apply("osmd/chord", {theta: _part}),
            ("part low", "part high"),
        ),
        Step(
            "chords",
            le(_MGF * exp(-lo), whole(w(j) * (1 + (exp(width) - 1) * (u(j) - lo) / width))),
            Summed((m,), w(m)),
            ("chord",),
        ),
        Step("mass low", le(0, whole(w(j) * (u(j) - lo) / width)), Summed((m,), w(m)), ("part low",)),
        Step("low", le(0, _mass), Combine({"mass low": 1, "sum": -lo / width}), ("mass low", "sum")),
        Step(
            "two",
            le(1 - _mass + _mass * exp(width), exp(_mass * width + width**2 / 8)),
            Apply("osmd/two-points", {theta: _mass, x: width}),
            ("low",),
        ),
        Step(
            "last",
            hoeffding(width),
            Combine({"chords": exp(lo), "two": exp(lo), "sum": exp(lo) * (1 - lo / width * (exp(width) - 1))}),
            ("chords", "two", "sum"),
        ),
    ),
    place="Lemma 18",
)

_WIDE, _NARROW = (lt(0, x),), (le(x, 0),)
_up = _AVERAGE + x**2 / 8 - lo
L18 = Theorem(
    "osmd/L18",
    hoeffding(x),
    (WEIGHTS, *between(x)),
    (
        Step("wide", hoeffding(x), Apply("osmd/L18-wide", {width: x}), ("sum", "below", "above"), assuming=_WIDE),
        Step("at most", le(u(m), lo, EACH), Combine({"above": 1, "assumed 1": 1}), ("above",), assuming=_NARROW),
        Step("each", le(exp(u(m)), exp(lo), EACH), Apply("osmd/exp", {P: u(m), Q: lo}), ("at most",), assuming=_NARROW),
        Step("all", le(_MGF, exp(lo) * whole(w(j))), Summed((m,), w(m)), ("each",), assuming=_NARROW),
        Step("mean", le(lo * whole(w(j)), _AVERAGE), Summed((m,), w(m)), ("below",)),
        Step("exp", le(1 + _up, exp(_up)), Known("exp", _up)),
        Step(
            "narrow",
            hoeffding(x),
            Combine({"all": 1, "sum": exp(lo) - lo * exp(lo), "mean": exp(lo), "exp": exp(lo)}),
            ("all", "sum", "mean", "exp"),
            assuming=_NARROW,
            note="an interval of length 0",
        ),
        Step("both", hoeffding(x), Cases(), ("wide", "narrow")),
    ),
    claim="osmd/L18@printed",
    place="Lemma 18",
    note="sum w e^u <= exp(sum w u + x^2/8) for values u on an interval of length x: u = s X",
)

# (6) and (7): the estimates are unbiased --------------------------------------------------------------------------------

fed, counts = family(Nonnegative, "a"), family(RandomNonnegative, "N")
DRAWN = Given("mean", eq(E(counts(m)), K * exp(logp(m)), EACH), "K draws with replacement from p")


def _unbiased(name: str, power: int, claim: str, note: str) -> Theorem:
    """The mean of the sum of a N/(K^2 q^power p)."""
    left = E(whole(fed(j) * exp(-power * logq(j)) * exp(-logp(j)) * counts(j))) / K**2
    right = whole(fed(j) * exp(-power * logq(j))) / K
    statement = eq(left, right)
    step = eq(
        whole(E(counts(j)) * fed(j) * exp(-power * logq(j)) * exp(-logp(j))), whole(fed(j) * exp(-power * logq(j)) * K)
    )
    return Theorem(
        name,
        statement,
        (DRAWN,),
        (
            Step("1", step, Summed((m,), fed(m) * exp(-power * logq(m)) * exp(-logp(m))), ("mean",)),
            Step("2", statement, Combine({"1": 1 / K**2}), ("1",)),
        ),
        claim=claim,
        place="(6)" if power == 1 else "(7)",
        note=note,
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
