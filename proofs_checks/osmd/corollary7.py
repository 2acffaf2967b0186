"""Corollary 7 as printed, by second moments of the counts: the one-line proof of the paper gives twice as much.

``x`` is eta Q, with Q = M^3 A/(K alpha^3); at the rate (20) its square times T is 2 log M + 4 beta log(M/alpha).
"""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, diff, exp, log, sqrt

from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.letters import TV, A, K, M, T, a2, alpha, beta, eta
from fltheory.proof.language import (
    Apply,
    Ball,
    Cases,
    Combine,
    Expected,
    Given,
    Instance,
    Known,
    Power,
    Rising,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, Total
from proofs_checks.osmd import paths
from proofs_checks.osmd.lemmas import EACH, FLOOR, LAMBDA, P, Q, j, m, theta, whole, x
from proofs_checks.osmd.lemmas import logq as q1
from proofs_checks.osmd.paths import ROUNDS, SO_FAR, any_bound, excess, from_uniform, gain, n, t, total_move
from proofs_checks.osmd.regret import (
    BANDIT,
    COMPARATOR,
    CONDITIONS,
    P13_SHARP,
    P13_SHARP_STATEMENT,
    REGRET,
    both,
    count,
    feedback,
    largest,
    logP,
    logQ,
    seen,
    shifts,
)
from proofs_checks.osmd.theorem6 import LOG

PLACE = "Corollary 7"
X = Symbol("x", positive=True)

# Scalars ----------------------------------------------------------------------------------------------------------------

_f = theta**2 * (exp(x) - 1 - x) - (exp(theta * x) - 1 - theta * x)
_CURVE = le(exp(theta * x) - 1 - theta * x, theta**2 * (exp(x) - 1 - x))
CURVE = Theorem(
    "osmd/curve",
    _CURVE,
    (Given("high", le(theta, 1), "a share"),),
    (
        Step("order", le(theta * x, x), Combine({"high": x}), ("high",)),
        Step("exp", le(exp(theta * x), exp(x)), Apply("osmd/exp", {P: theta * x, Q: x}), ("order",)),
        Step("second", le(0, diff(_f, x, 2)), Combine({"exp": theta**2}), ("exp",)),
        Step("slope at 0", le(0, diff(_f, x).xreplace({x: Integer(0)})), Combine()),
        Step("slope", le(0, diff(_f, x)), Rising(x), ("slope at 0", "second")),
        Step("at 0", le(0, _f.xreplace({x: Integer(0)})), Combine()),
        Step("1", _CURVE, Rising(x), ("at 0", "slope")),
    ),
    place=PLACE,
    note="(e^y - 1 - y)/y^2 grows with y",
)

_g = x**2 * exp(x) / 2 - (exp(x) - 1 - x)
_HALF = le(exp(x) - 1 - x, x**2 * exp(x) / 2)
HALF = Theorem(
    "osmd/half-square",
    _HALF,
    (),
    (
        Step("slope at 0", le(0, diff(_g, x).xreplace({x: Integer(0)})), Combine()),
        Step("second", le(0, diff(_g, x, 2)), Combine()),
        Step("slope", le(0, diff(_g, x)), Rising(x), ("slope at 0", "second")),
        Step("at 0", le(0, _g.xreplace({x: Integer(0)})), Combine()),
        Step("1", _HALF, Rising(x), ("at 0", "slope")),
    ),
    place=PLACE,
)

ell, b, v = Symbol("ell", positive=True), Symbol("b", nonnegative=True), Symbol("v", nonnegative=True)
_SMALL = le(b, (Rational(1, 2) - 2 * alpha) * ell)
_REST = le(T * (exp(x) - 1 - x) * v, alpha * ell + b)
REST = Theorem(
    "osmd/C7-rest",
    _REST,
    (
        Given("tuned", eq(T * x**2, 2 * ell + 4 * b), "the rate (20)"),
        Given("small", _SMALL, "the comparator hardly moves"),
        Given("v", le(v, alpha**2 / M), "second moments of the counts"),
        Given("log", eq(exp(ell), M), "ell = log M"),
    ),
    (
        Step("share", le(alpha, Rational(1, 4)), Combine({"small": 1 / (2 * ell)}), ("small",)),
        Step("rounds", le(x**2, T * x**2), Combine()),
        Step("square", le(x**2, 4 * ell), Combine({"rounds": 1, "tuned": 1, "small": 4}), ("rounds", "tuned", "small")),
        Step("mean", le(4 * x / 2, (x / 2 + 1) ** 2), Apply("osmd/square", {P: x / 2, Q: 1})),
        Step("x", le(x, 1 + ell), Combine({"mean": 1, "square": Rational(1, 4)}), ("mean", "square")),
        Step("exp", le(exp(x), exp(1 + ell)), Apply("osmd/exp", {P: x, Q: 1 + ell}), ("x",)),
        Step("e", le(exp(Integer(1)), 4), Ball(())),
        Step("grown", le(exp(x), 4 * M), Combine({"exp": 1, "e": exp(ell), "log": 4}), ("exp", "e", "log")),
        Step("half", _HALF, Apply("osmd/half-square")),
        Step(
            "halves",
            le(T * (exp(x) - 1 - x) * v, (ell + 2 * b) * exp(x) * v),
            Combine({"half": T * v, "tuned": exp(x) * v / 2}),
            ("half", "tuned"),
        ),
        Step(
            "last",
            _REST,
            Combine(
                {
                    "halves": 1,
                    "grown": (ell + 2 * b) * v,
                    "v": 4 * M * (ell + 2 * b),
                    "share": 4 * alpha * (ell + 2 * b) + 2 * b,
                }
            ),
            ("halves", "grown", "v", "share"),
        ),
    ),
    place=PLACE,
    note="where 1/8 does not suffice, second moments do",
)

# Second moments ------------------------------------------------------------------------------------------------------------

SIZE = Given("size", eq(X, eta * bounds.Q), "x = eta Q")
BOUNDED = Given("bounded", le(largest(t), A, ROUNDS), "A5: no feedback is above A")
_second = feedback(t, m) ** 2 * exp(-4 * logP(t, m))
_pairs = feedback(t, m) ** 2 * exp(-3 * logP(t, m))
SQUARED = Given(
    "squared",
    eq(
        E(feedback(t, m) ** 2 * count(t, m) ** 2 * exp(-5 * logP(t, m))),
        K * E(_second) + K * (K - 1) * E(_pairs),
        ROUNDS,
        EACH,
    ),
    "given the past and a^t, the squared count has mean K p (1 + (K - 1) p)",
)
VARIANCE = alpha**2 / (M * K) + (K - 1) * alpha**3 / (K * M**2)
_curve = (exp(X) - 1 - X) / X**2
_gain = gain(seen, logP, t, m)
_two = whole(exp(logP(t, j)) * gain(seen, logP, t, j) ** 2)
_all_two = Total(_two, t, 1, T)
_begin, _moved = from_uniform(logQ), total_move(logQ, T)
MOMENTS_LIMIT = (E(_begin) + LAMBDA * E(_moved) + T * (exp(X) - 1 - X) * VARIANCE) / eta
_MOMENTS = le(REGRET, MOMENTS_LIMIT)
_estimated = excess(seen, logP, logQ, T)
_paths = {
    paths.v(t, m): seen(t, m),
    paths.logp(t, m): logP(t, m),
    paths.logq(t, m): logQ(t, m),
    paths.shift(t): shifts(t),
}
_SLOPES = P13_SHARP.steps[:5]  # the gains' slopes, as there
_path_limit = any_bound(logQ, lambda now: _curve * _two.xreplace({t: now}), n, _begin)
_limit = any_bound(logQ, lambda now: _curve * _two.xreplace({t: now}), T, _begin)


def _high(power: int, name: str) -> tuple[Step, ...]:
    """Squared feedback over a power of the probability."""
    term = feedback(t, m) ** 2 * exp(-power * logP(t, m))
    limit = A**2 * (M / alpha) ** power
    return (
        Step(
            f"{name} power",
            le(exp(-logP(t, m)) ** power, (M / alpha) ** power, ROUNDS, EACH),
            Power(power),
            ("zero", "inverse"),
        ),
        Step(
            f"{name} each",
            le(term, limit, ROUNDS, EACH),
            Combine({"feedback": (feedback(t, m) + A) * exp(-power * logP(t, m)), f"{name} power": A**2}),
            ("feedback", f"{name} power"),
        ),
        Step(f"{name} mean", le(E(term), limit, ROUNDS, EACH), Expected(), (f"{name} each",)),
    )


MOMENTS = Theorem(
    "osmd/C7-moments",
    _MOMENTS,
    (*BANDIT, *COMPARATOR, BOUNDED, SQUARED, SIZE, *CONDITIONS),
    (
        *_SLOPES,
        Step(
            "gain high",
            le(_gain / X, 1, ROUNDS, EACH),
            Combine({"slope": eta / X, "bounded": eta * M**3 / (K * alpha**3 * X), "size": -1 / X}),
            ("slope", "bounded", "size"),
        ),
        Step(
            "curve",
            le(exp(_gain) - 1 - _gain, _curve * _gain**2, ROUNDS, EACH),
            Apply("osmd/curve", {theta: _gain / X, x: X}),
            ("gain high",),
        ),
        Step("tangent", le(1 + X, exp(X)), Known("exp", X)),
        Step("sign", le(0, _curve), Combine({"tangent": 1 / X**2}), ("tangent",)),
        Step(
            "paths",
            le(excess(seen, logP, logQ, n), _path_limit, SO_FAR),
            Apply("osmd/52-moments", {**_paths, paths.curve: _curve}),
            ("start", "sum p", "next", "sum q", "floor", "curve", "sign"),
        ),
        Step("path", le(_estimated, _limit), Instance({n: T}), ("paths",)),
        Step("mean", le(E(_estimated), E(_limit)), Expected(), ("path",)),
        Step("own", eq(*both(logP)), Summed((m, t)), ("mean p",)),
        Step("other", eq(*both(logQ)), Summed((m, t)), ("mean q",)),
        Step("feedback", le(feedback(t, m), A, ROUNDS, EACH), Combine(), ("largest", "bounded")),
        *_high(4, "second"),
        *_high(3, "pair"),
        Step(
            "moment",
            le(
                E(feedback(t, m) ** 2 * count(t, m) ** 2 * exp(-5 * logP(t, m))),
                K * A**2 * (M / alpha) ** 4 + K * (K - 1) * A**2 * (M / alpha) ** 3,
                ROUNDS,
                EACH,
            ),
            Combine({"squared": 1, "second mean": K, "pair mean": K * (K - 1)}),
            ("squared", "second mean", "pair mean"),
        ),
        Step(
            "moments",
            le(
                Total(whole(E(feedback(t, j) ** 2 * count(t, j) ** 2 * exp(-5 * logP(t, j)))), t, 1, T),
                T * M * (K * A**2 * (M / alpha) ** 4 + K * (K - 1) * A**2 * (M / alpha) ** 3),
            ),
            Summed((m, t)),
            ("moment",),
        ),
        Step(
            "spread",
            le(E(_all_two), T * X**2 * VARIANCE),
            Combine({"moments": eta**2 / K**4, "size": -T * VARIANCE * (X + eta * bounds.Q)}),
            ("moments", "size"),
        ),
        Step(
            "last",
            _MOMENTS,
            Combine({"mean": 1, "own": -1 / K**2, "other": 1 / K**2, "spread": _curve / eta}),
            ("mean", "own", "other", "spread", "sign"),
        ),
    ),
    place=PLACE,
    unused=("c2",),
    note="E N^2 = K p (1 + (K - 1) p) in place of Hoeffding's lemma",
)

# Corollary 7 ----------------------------------------------------------------------------------------------------------------

RATE = Given("rate", eq(eta, bounds.ETA), "the rate (20)")
C7_STATEMENT, C7_CONDITIONS = stated(bounds.C7, REGRET, {TV: E(_moved)})
_b = beta * LAMBDA
_b_value = log(M) + 2 * _b  # (eta Q)^2 T/2
_ROOT = le(_b_value / eta, bounds.C7_VALUE)
TUNED = Theorem(
    "osmd/C7-rate",
    _ROOT,
    (RATE, C7_CONDITIONS[0]),
    (
        Step(
            "square",
            eq(eta**2 * bounds.Q**2 * T, 2 * log(M) + 4 * _b),
            Combine({"rate": (eta + bounds.ETA) * bounds.Q**2 * T}),
            ("rate", "c1"),
            note="log(M/alpha) is not negative",
        ),
        Step("zero", le(0, (T * eta * bounds.Q / 2) ** 2), Combine()),
        Step("under", le((T * eta * bounds.Q / 2) ** 2, T * bounds.Q_BETA), Combine({"square": T / 4}), ("square",)),
        Step("root", le(T * eta * bounds.Q / 2, sqrt(T * bounds.Q_BETA)), Power(Rational(1, 2)), ("zero", "under")),
        Step("last", _ROOT, Combine({"root": bounds.Q, "square": -1 / (2 * eta)}), ("root", "square")),
    ),
    place="Corollary 7",
    note="at the rate (20) the value of (21) is (log M + 2 beta log(M/alpha))/eta",
)

_first_limit = ((1 - alpha) * log(M) + _b) / eta + eta * bounds.Q**2 * T / 8
_squares = Total(largest(t) ** 2, t, 1, T)
COMMON = tuple(h for h in (*BANDIT, *COMPARATOR))
COMMON_IDS = tuple(h.id for h in COMMON)
C7_GIVEN = (*COMMON, BOUNDED, *C7_CONDITIONS)
_BEGIN = (
    Step("first sum", eq(whole(exp(logQ(1, j))), 1), Instance({t: 1}), ("sum q",)),
    Step("first floor", le(FLOOR, exp(logQ(1, m)), EACH), Instance({t: 1}), ("floor",)),
    Step(
        "begin",
        le(_begin, (1 - alpha) * log(M)),
        Apply("osmd/start", {q1(m): logQ(1, m)}),
        ("first sum", "first floor"),
    ),
    Step("mean begin", le(E(_begin), (1 - alpha) * log(M)), Expected(), ("begin",)),
    *LOG,
    Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
)
AT_ANY_RATE = Theorem(
    "osmd/C7-any-rate",
    le(REGRET, _first_limit),
    C7_GIVEN,
    (
        Step("sharp", P13_SHARP_STATEMENT, Apply("osmd/P13@sharpened"), (*COMMON_IDS, "c1", "c2")),
        *_BEGIN[:-1],
        Step("square", le(largest(t) ** 2, A**2, ROUNDS), Combine({"bounded": largest(t) + A}), ("bounded",)),
        Step("squares", le(_squares, T * A**2), Summed((t,)), ("square",)),
        Step("mean squares", le(E(_squares), T * A**2), Expected(), ("squares",)),
        Step(
            "last",
            le(REGRET, _first_limit),
            Combine(
                {
                    "sharp": 1,
                    "mean begin": 1 / eta,
                    "c3": LAMBDA / eta,
                    "mean squares": eta * M**6 / (8 * K**2 * alpha**6),
                }
            ),
            ("sharp", "mean begin", "c3", "mean squares", "log"),
        ),
    ),
    place=PLACE,
    note="Proposition 13 with its sharp constants, at any rate",
)

_x = eta * bounds.Q
_SQUARE = eq(eta**2 * bounds.Q**2 * T, 2 * log(M) + 4 * _b)
_C7_AT = le(REGRET, _b_value / eta)
_few, _many = (le((Rational(1, 2) - 2 * alpha) * log(M), _b),), (le(_b, (Rational(1, 2) - 2 * alpha) * log(M)),)
_AT_RATE = le(REGRET, MOMENTS_LIMIT.xreplace({X: _x}))
_SECOND = (
    Step(
        "moments",
        _AT_RATE,
        Apply("osmd/C7-moments", {X: _x}),
        (*COMMON_IDS, "bounded", "squared", "c1", "c2"),
        note="second moments of the counts",
    ),
)
C7 = Theorem(
    "osmd/C7",
    C7_STATEMENT,
    (*C7_GIVEN, SQUARED, RATE),
    (
        Step(
            "any rate", le(REGRET, _first_limit), Apply("osmd/C7-any-rate"), (*COMMON_IDS, "bounded", "c1", "c2", "c3")
        ),
        *_BEGIN,
        Step("square", _SQUARE, Combine({"rate": (eta + bounds.ETA) * bounds.Q**2 * T}), ("rate",)),
        Step(
            "moving",
            _C7_AT,
            Combine({"any rate": 1, "square": 1 / (8 * eta), "assumed 1": 1 / (2 * eta)}),
            ("any rate", "square"),
            assuming=_few,
            note="a comparator that moves enough, or alpha >= 1/4",
        ),
        *_SECOND,
        Step("log M", le(1 - log(M), exp(-log(M))), Known("exp", -log(M))),
        Step("clients", le(Rational(1, 2), log(M)), Combine({"log M": 1, "c2": 1 / (2 * M)}), ("log M", "c2")),
        Step("room", le(FLOOR, 1), Combine({"c1": 1 / M}), ("c1",)),
        Step("variance", le(VARIANCE, alpha**2 / M), Combine({"room": (K - 1) * alpha**2 / (K * M)}), ("room",)),
        Step(
            "rest",
            le(T * (exp(_x) - 1 - _x) * VARIANCE, alpha * log(M) + _b),
            Apply("osmd/C7-rest", {x: _x, ell: log(M), b: _b, v: VARIANCE}),
            ("square", "variance", "clients", "log sign"),
            assuming=_many,
        ),
        Step(
            "still",
            _C7_AT,
            Combine({"moments": 1, "mean begin": 1 / eta, "c3": LAMBDA / eta, "rest": 1 / eta}),
            ("moments", "mean begin", "c3", "rest", "log"),
            assuming=_many,
        ),
        Step("both", _C7_AT, Cases(), ("moving", "still")),
        Step("value", _ROOT, Apply("osmd/C7-rate"), ("rate", "c1")),
        Step("last", C7_STATEMENT, Combine(), ("both", "value")),
    ),
    claim="osmd/C-C7@printed",
    bound=bounds.C7,
    reading={TV: E(_moved)},
    place=PLACE,
    note="as printed, though Theorem 6 gives twice as much at this rate",
)
C7_EXPLICIT_STATEMENT, _ = stated(bounds.C7_EXPLICIT, REGRET, {TV: E(_moved)})
C7_EXPLICIT = Theorem(
    "osmd/C7@explicit",
    C7_EXPLICIT_STATEMENT,
    C7.hypotheses,
    (
        Step("1", C7_STATEMENT, Apply("osmd/C7"), (*COMMON_IDS, "bounded", "squared", "rate", "c1", "c2", "c3")),
        *LOG,
        Step("log sign", le(0, LAMBDA), Combine(), ("log",)),
        Step("root", _ROOT, Apply("osmd/C7-rate"), ("rate", "c1")),
        Step("sign", le(0, bounds.C7_VALUE), Combine({"root": 1, "log sign": 2 * beta / eta}), ("root", "log sign")),
        Step("2", C7_EXPLICIT_STATEMENT, Combine({"1": 1, "sign": 1}), ("1", "sign")),
    ),
    claim="osmd/C-C7@explicit",
    bound=bounds.C7_EXPLICIT,
    reading={TV: E(_moved)},
    place=PLACE,
)
_direct = bounds.P13.expr.xreplace({TV: beta, a2: T * A**2, eta: bounds.ETA})
_DIRECTLY = le(_direct, bounds.C7_VALUE)
DIRECTLY = Theorem(
    "osmd/C7-directly",
    _DIRECTLY,
    (),
    (
        Step(
            "1",
            _DIRECTLY,
            Witness({M: 2, K: 1, T: 1, A: 1, alpha: 1, beta: 0}),
            expected="REFUTED",
            note="it is twice as much",
        ),
    ),
    expected="REFUTED",
    place="Corollary 7",
    note="'follows directly': what Theorem 6 says at the rate (20) is at most (21)",
)

THEOREMS = (CURVE, HALF, REST, MOMENTS, TUNED, AT_ANY_RATE, C7, C7_EXPLICIT, DIRECTLY)
