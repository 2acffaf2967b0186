"""Draws with replacement from a law p: the estimator (2), its variance (3), the best law, the heterogeneity V.

The vectors X_a = lambda_a g_a and the law may depend on chance; ``pick(k)`` is the client of draw k, counted from 0. That
the draws are independent and follow p, given all else, enters as the moments of one draw and of two.
"""

from __future__ import annotations

from sympy import Integer, Max, Symbol

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
    Step,
    Summed,
    Theorem,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import (
    Dot,
    E,
    Nonnegative,
    Positive,
    RandomInteger,
    RandomPositive,
    RandomVector,
    Total,
    Vector,
    family,
    square,
)

a, b = (Symbol(name, integer=True, positive=True) for name in "ab")
k, j, n = (Symbol(name, integer=True, nonnegative=True) for name in "kjn")
X, p, pick = family(RandomVector, "X"), family(RandomPositive, "p"), family(RandomInteger, "pick")
u = family(RandomVector, "u")()
CLIENTS, DRAWS, PAIRS = (a, 1, M), (k, 0, K - 1), ((k, 0, K - 1), (j, 0, k - 1))


def total(vectors):
    """The sum over all clients: J of the vectors lambda_a g_a."""
    return Total(vectors(a), a, 1, M)


def drawn(place, vectors=X, law=p, chosen=pick):
    """What one draw estimates J by."""
    return vectors(chosen(place)) / law(chosen(place))


def estimate(vectors=X, law=p, chosen=pick):
    """(2): the mean of the draws."""
    return Total(drawn(k, vectors, law, chosen), k, 0, K - 1) / K


def weighed(vectors=X, law=p):
    """The sum of |X_a|^2/p_a: K times the variance-reduction loss (4)."""
    return Total(square(vectors(a)) / law(a), a, 1, M)


# The moments of independent draws from p ---------------------------------------------------------------------------


def law_of(vectors=X, law=p, chosen=pick, over=()):
    """Independent draws from the law p, given the vectors: each moment is the sum over clients that p weighs."""
    one, two = (
        E(square(drawn(k, vectors, law, chosen))),
        E(Dot(drawn(k, vectors, law, chosen), drawn(j, vectors, law, chosen))),
    )
    J = total(vectors)
    return (
        Given(
            "one",
            eq(one, E(Total(law(a) * square(vectors(a) / law(a)), a, 1, M)), *over, DRAWS),
            "a draw is client a with probability p_a",
        ),
        Given(
            "mean",
            eq(
                E(Dot(drawn(k, vectors, law, chosen), J)),
                E(Total(law(a) * Dot(vectors(a) / law(a), J), a, 1, M)),
                *over,
                DRAWS,
            ),
            "the same, against the sum over all clients",
        ),
        Given(
            "two",
            eq(
                two,
                E(Total(Total(law(a) * law(b) * Dot(vectors(a) / law(a), vectors(b) / law(b)), a, 1, M), b, 1, M)),
                *over,
                *PAIRS,
            ),
            "two draws are clients a and b with probability p_a p_b: they are independent",
        ),
    )


_UNBIASED = eq(E(Dot(estimate(), u)), E(Dot(total(X), u)))
UNBIASED = Theorem(
    "osmd/C2",
    _UNBIASED,
    (
        Given(
            "mean",
            eq(E(Dot(drawn(k), u)), E(Total(p(a) * Dot(X(a) / p(a), u), a, 1, M)), DRAWS),
            "a draw is client a with probability p_a, whatever else has come of chance before the draws",
        ),
    ),
    (
        Step("1", eq(E(Dot(Total(drawn(k), k, 0, K - 1), u)), K * E(Dot(total(X), u))), Summed((k,)), ("mean",)),
        Step("2", _UNBIASED, Combine({"1": 1 / K}), ("1",)),
    ),
    claim="osmd/C-2@printed",
    place="Section 3, text after (2)",
    note="the estimator is unbiased: in mean its inner products are those of J",
)

_LAW = law_of()
_SPREAD = E(weighed()) - E(square(total(X)))


def centred(place):
    """What one draw is off J by."""
    return drawn(place) - total(X)


def _so_far(count):
    return Total(centred(j), j, 0, count - 1)


_SUMS = eq(E(square(_so_far(k))), k * _SPREAD, (k, 0, K))
_VARIANCE = eq(E(square(estimate() - total(X))), _SPREAD / K)
VARIANCE = Theorem(
    "osmd/C3",
    _VARIANCE,
    _LAW,
    (
        Step(
            "draw",
            eq(E(square(centred(k))), _SPREAD, DRAWS),
            Combine({"one": 1, "mean": -2}),
            ("one", "mean"),
            note="|y - J|^2 = |y|^2 - 2 <y, J> + |J|^2",
        ),
        Step(
            "earlier", eq(E(Dot(drawn(j), total(X))), E(square(total(X))), (j, 0, K - 1)), Instance({k: j}), ("mean",)
        ),
        Step(
            "pair",
            eq(E(Dot(centred(j), centred(k))), 0, *PAIRS),
            Combine({"two": 1, "mean": -1, "earlier": -1}),
            ("two", "mean", "earlier"),
            note="two draws are uncorrelated",
        ),
        Step("cross", eq(E(Dot(_so_far(k), centred(k))), 0, DRAWS), Summed((j,)), ("pair",)),
        Step("0", eq(E(square(_so_far(Integer(0)))), 0), Combine()),
        Step(
            "1",
            eq(E(square(_so_far(k + 1))), (k + 1) * _SPREAD, DRAWS),
            Combine({"assumed 1": 1, "cross": 2, "draw": 1}),
            ("cross", "draw"),
            (),
            (eq(E(square(_so_far(k))), k * _SPREAD),),
            note="one draw more",
        ),
        Step("2", _SUMS, Induction(k), ("0", "1")),
        Step("3", eq(E(square(_so_far(K))), K * _SPREAD), Instance({k: K}), ("2",)),
        Step("4", _VARIANCE, Combine({"3": 1 / K**2}), ("3",), note="their mean"),
    ),
    claim="osmd/C-3@printed",
    place="Section 3, (3)",
    note="the variance of the estimator is l_t(p) - |J|^2/K, K l_t(p) = sum_a |X_a|^2/p_a",
)
_SECOND = eq(E(square(estimate())), E(weighed()) / K + (1 - 1 / K) * E(square(total(X))))
SECOND = Theorem(
    "osmd/C3-second",
    _SECOND,
    _LAW,
    (
        Step("1", _VARIANCE, Apply("osmd/C3"), ("one", "mean", "two")),
        Step("2", eq(E(Dot(Total(drawn(k), k, 0, K - 1), total(X))), K * E(square(total(X)))), Summed((k,)), ("mean",)),
        Step("3", _SECOND, Combine({"1": 1, "2": 2 / K}), ("1", "2"), note="|g|^2 = |g - J|^2 + 2 <g, J> - |J|^2"),
    ),
    claim="osmd/C-3-second@explicit",
    place="Section 3, (3)",
    note="the estimator's second moment",
)

# The best law ------------------------------------------------------------------------------------------------------

s, q, r = family(Nonnegative, "s"), family(Positive, "q"), family(Positive, "r")
SUM_S = Total(s(a), a, 1, M)
ONE = Given("law", eq(Total(q(a), a, 1, M), 1), "q is a law on the clients")
_OPT = le(SUM_S**2, Total(s(a) ** 2 / q(a), a, 1, M))
OPT = Theorem(
    "osmd/opt",
    _OPT,
    (ONE,),
    (
        Step("1", le(0, (s(a) - q(a) * SUM_S) ** 2 / q(a), CLIENTS), Polynomial(), note="a square"),
        Step("2", le(0, Total((s(a) - q(a) * SUM_S) ** 2 / q(a), a, 1, M)), Summed((a,)), ("1",)),
        Step("3", _OPT, Combine({"2": 1, "law": SUM_S**2}), ("2", "law"), note="Cauchy and Schwarz"),
    ),
    claim="osmd/C-opt@printed",
    place="Section 3, after (4)",
    note="no law has a smaller loss than (sum of the roots of a)^2/K; s_a is the root of a_a",
)
_ATTAINED = eq(Total(s(a) ** 2 / q(a), a, 1, M), SUM_S**2)
OPT_AT = Theorem(
    "osmd/opt-attained",
    _ATTAINED,
    (
        Given("best", eq(q(a), s(a) / SUM_S, CLIENTS), "the law proportional to the roots"),
        Given("some", lt(0, SUM_S), "not all of the feedback is 0"),
    ),
    (
        Step(
            "1", eq(s(a) ** 2 / q(a), s(a) * SUM_S, CLIENTS), Combine({"best": -s(a) * SUM_S / q(a)}), ("best", "some")
        ),
        Step("2", _ATTAINED, Summed((a,)), ("1",)),
    ),
    claim="osmd/C-opt-attained@printed",
    place="Section 3, after (4)",
    note="the law proportional to the roots attains it",
)
# The best law above the floor ------------------------------------------------------------------------------------------

c = Symbol("c", positive=True)
FLOOR = alpha / M
_ENTRY = Max(FLOOR, c * s(a))
_HIGH, _LOW = le(FLOOR, c * s(a)), le(c * s(a), FLOOR)
_SLOPE = le(0, (1 / c**2 - s(a) ** 2 / q(a) ** 2) * (r(a) - q(a)), CLIENTS)
_TANGENT = s(a) ** 2 / r(a) - s(a) ** 2 / q(a) + s(a) ** 2 / q(a) ** 2 * (r(a) - q(a))
_FLOORED = le(Total(s(a) ** 2 / q(a), a, 1, M), Total(s(a) ** 2 / r(a), a, 1, M))
OPT_FLOORED = Theorem(
    "osmd/opt-floored",
    _FLOORED,
    (
        Given("best", eq(q(a), _ENTRY, CLIENTS), "the roots times a constant, or the floor where that is more"),
        ONE,
        Given("other", eq(Total(r(a), a, 1, M), 1), "r is another law on the clients"),
        Given("floor", le(FLOOR, r(a), CLIENTS), "above the floor as well"),
    ),
    (
        Step("high 1", eq(_ENTRY, c * s(a)), Known("max", _ENTRY), assuming=(_HIGH,)),
        Step(
            "high 2",
            eq(q(a), c * s(a), CLIENTS),
            Combine({"best": 1, "high 1": 1}),
            ("best", "high 1"),
            assuming=(_HIGH,),
        ),
        Step(
            "high",
            _SLOPE,
            Combine({"high 2": -(q(a) + c * s(a)) * (r(a) - q(a)) / (c**2 * q(a) ** 2)}),
            ("high 2",),
            assuming=(_HIGH,),
            note="above the floor the slope of the loss is the same for all",
        ),
        Step("low 1", eq(_ENTRY, FLOOR), Known("max", _ENTRY), assuming=(_LOW,)),
        Step("low 2", eq(q(a), FLOOR, CLIENTS), Combine({"best": 1, "low 1": 1}), ("best", "low 1"), assuming=(_LOW,)),
        Step(
            "low 3",
            le(0, q(a) - c * s(a), CLIENTS),
            Combine({"low 2": -1, "assumed 1": 1}),
            ("low 2",),
            assuming=(_LOW,),
        ),
        Step(
            "low 4",
            le(0, r(a) - q(a), CLIENTS),
            Combine({"low 2": 1, "floor": 1}),
            ("low 2", "floor"),
            assuming=(_LOW,),
        ),
        Step(
            "low",
            _SLOPE,
            Combine({"low 4": (q(a) - c * s(a)) * (q(a) + c * s(a)) / (c**2 * q(a) ** 2)}),
            ("low 4", "low 3"),
            assuming=(_LOW,),
            note="on the floor it is smaller, and no law goes lower",
        ),
        Step("slope", _SLOPE, Cases(), ("high", "low")),
        Step("tangent", le(0, _TANGENT, CLIENTS), Polynomial(), note="1/q is convex"),
        Step(
            "both",
            le(0, s(a) ** 2 / r(a) - s(a) ** 2 / q(a) + (r(a) - q(a)) / c**2, CLIENTS),
            Combine(),
            ("slope", "tangent"),
        ),
        Step(
            "sum",
            le(0, Total(s(a) ** 2 / r(a) - s(a) ** 2 / q(a) + (r(a) - q(a)) / c**2, a, 1, M)),
            Summed((a,)),
            ("both",),
        ),
        Step("end", _FLOORED, Combine({"sum": 1, "law": -1 / c**2, "other": 1 / c**2}), ("sum", "law", "other")),
    ),
    claim="osmd/C-opt-floored@explicit",
    place="Section 3, after (4)",
    note="max(alpha/M, c s_a) is the best law on the floored simplex",
)

# Heterogeneity: (8) and (9) ------------------------------------------------------------------------------------------

Y = family(Vector, "Y")
MEAN = total(Y) / M


def variance_of_one(vectors=Y, law=q):
    """(9): V(p, w), where the vectors are the clients' gradients at w."""
    return Total(square(vectors(a)) / law(a), a, 1, M) / M**2 - square(total(vectors) / M)


_NINE = eq(Total(q(a) * square(Y(a) / (M * q(a)) - MEAN), a, 1, M), variance_of_one())
NINE = Theorem(
    "osmd/C9",
    _NINE,
    (ONE,),
    (Step("1", _NINE, Combine({"law": square(MEAN)}), ("law",), note="the square expanded"),),
    claim="osmd/C-9@printed",
    place="Section 4, (9)",
    note="V(p, w) is the variance of one draw from p",
)
_EIGHT = eq(Total(square(Y(a) - MEAN), a, 1, M) / M, Total(square(Y(a)), a, 1, M) / M - square(MEAN))
EIGHT = Theorem(
    "osmd/C8",
    _EIGHT,
    (),
    (Step("1", _EIGHT, Combine(), note="the square expanded"),),
    claim="osmd/C-8@printed",
    place="Section 4, (8)",
    note="the classical heterogeneity at w is V(p, w) at the uniform law",
)

THEOREMS = (UNBIASED, VARIANCE, SECOND, OPT, OPT_AT, OPT_FLOORED, EIGHT, NINE)
