"""Draws without replacement (Algorithm 7, Proposition 11), and two samplers for two parts of an update (Appendix D.1).

``left(k, a)`` is 1 as long as client a has not been drawn before draw k, else 0, and ``rest(k)`` is what the law leaves to
those clients: draw k is client a with probability left(k, a) p_a / rest(k).
"""

from __future__ import annotations

from itertools import permutations

from sympy import Abs, Integer, Rational, Symbol

from fltheory.papers.osmd.letters import K, M
from fltheory.proof.language import (
    Combine,
    Defines,
    Expected,
    Given,
    Induction,
    Instance,
    Polynomial,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    lt,
)
from fltheory.proof.terms import (
    Dot,
    E,
    Nonnegative,
    Positive,
    RandomNonnegative,
    RandomPositive,
    RandomVector,
    Scalar,
    Total,
    family,
    square,
)
from proofs_checks.osmd.sampling import CLIENTS, DRAWS, PAIRS, X, a, j, k, p, pick, total, u

left, rest = family(RandomNonnegative, "left"), family(RandomPositive, "rest")
J = total(X)


def drawn(place):
    """What one draw estimates the sum over the clients that are left by."""
    return X(pick(place)) * rest(place) / p(pick(place))


def remaining(place):
    """The sum over the clients that are left."""
    return Total(left(place, a) * X(a), a, 1, M)


def updated(place):
    """g_(k): the draw, and those before it as they are."""
    return drawn(place) + Total(X(pick(j)), j, 0, place - 1)


def centred(place):
    """What g_(k) is off J by."""
    return drawn(place) - remaining(place)


ESTIMATE = Total(updated(k), k, 0, K - 1) / K
PAST = Given(
    "past",
    eq(Total(X(pick(j)), j, 0, k - 1), Total((1 - left(k, a)) * X(a), a, 1, M), DRAWS),
    "the clients drawn so far are those that are not left: each is drawn once",
)


def moment(name, place, vector, over, why):
    """The mean inner product of a draw with what was there before it."""
    weighed = Total(left(k, a) * p(a) / rest(k) * Dot(X(a) * rest(k) / p(a), vector), a, 1, M)
    return Given(name, eq(E(Dot(drawn(place), vector)), E(weighed), *over), why)


# (i): unbiased -----------------------------------------------------------------------------------------------------

_MEAN = moment(
    "mean", k, u, (DRAWS,), "draw k is one of the clients left, with probability p_a/rest, whatever came before"
)
_UNBIASED = eq(E(Dot(ESTIMATE, u)), E(Dot(J, u)))
UNBIASED = Theorem(
    "osmd/P11-mean",
    _UNBIASED,
    (PAST, _MEAN),
    (
        Step(
            "1",
            eq(Dot(Total(X(pick(j)), j, 0, k - 1), u), Dot(Total((1 - left(k, a)) * X(a), a, 1, M), u), DRAWS),
            Combine({"past": u}),
            ("past",),
        ),
        Step(
            "2",
            eq(E(Dot(Total(X(pick(j)), j, 0, k - 1), u)), E(Dot(Total((1 - left(k, a)) * X(a), a, 1, M), u)), DRAWS),
            Expected(),
            ("1",),
        ),
        Step(
            "3",
            eq(E(Dot(updated(k), u)), E(Dot(J, u)), DRAWS),
            Combine({"mean": 1, "2": 1}),
            ("mean", "2"),
            note="every draw is unbiased",
        ),
        Step("4", eq(E(Dot(Total(updated(k), k, 0, K - 1), u)), K * E(Dot(J, u))), Summed((k,)), ("3",)),
        Step("5", _UNBIASED, Combine({"4": 1 / K}), ("4",)),
    ),
    claim="osmd/C-P11-mean@printed",
    place="Proposition 11",
    note="the first half: the estimator without replacement is unbiased",
)

# The exact variance --------------------------------------------------------------------------------------------------

off, others = family(RandomVector, "off"), family(RandomVector, "others")
OFF = Defines("off", off(k), updated(k) - J, "what g_(k) is off by")
OTHERS = Defines("others", others(k), remaining(k), "the sum over the clients that are left")
_ONE = Given(
    "one",
    eq(E(square(drawn(k))), E(Total(left(k, a) * p(a) / rest(k) * square(X(a) * rest(k) / p(a)), a, 1, M)), DRAWS),
    "draw k is one of the clients left, with probability p_a/rest",
)
_OWN = moment("own", k, others(k), (DRAWS,), "the same, against the sum over the clients left")
_EARLIER = moment("earlier", k, off(j), PAIRS, "the same, against an earlier draw")


def spread(place):
    """The variance of one draw, given those before it."""
    return rest(place) * Total(left(place, a) * square(X(a)) / p(a), a, 1, M) - square(others(place))


def _so_far(count):
    return Total(off(j), j, 0, count - 1)


_CENTRED = drawn(k) - others(k)
_SUMS = eq(E(square(_so_far(k))), Total(E(spread(j)), j, 0, k - 1), (k, 0, K))
_VARIANCE = eq(E(square(ESTIMATE - J)), Total(E(spread(j)), j, 0, K - 1) / K**2)
VARIANCE = Theorem(
    "osmd/P11-variance",
    _VARIANCE,
    (PAST, OFF, OTHERS, _ONE, _OWN, _EARLIER),
    (
        Step(
            "left",
            eq(Total(X(pick(j)), j, 0, k - 1), J - others(k), DRAWS),
            Combine({"past": 1}),
            ("past",),
            ("others",),
        ),
        Step("centred", eq(off(k), _CENTRED, DRAWS), Combine({"left": 1}), ("left",), ("off",)),
        Step(
            "square", eq(square(off(k)), square(_CENTRED), DRAWS), Combine({"centred": off(k) + _CENTRED}), ("centred",)
        ),
        Step("mean square", eq(E(square(off(k))), E(square(_CENTRED)), DRAWS), Expected(), ("square",)),
        Step(
            "own sum",
            eq(E(Dot(drawn(k), others(k))), E(square(others(k))), DRAWS),
            Combine({"own": 1}),
            ("own",),
            ("others",),
        ),
        Step(
            "draw",
            eq(E(square(off(k))), E(spread(k)), DRAWS),
            Combine({"mean square": 1, "one": 1, "own sum": -2}),
            ("mean square", "one", "own sum"),
        ),
        Step(
            "pair 1", eq(Dot(off(k), off(j)), Dot(_CENTRED, off(j)), *PAIRS), Combine({"centred": off(j)}), ("centred",)
        ),
        Step("pair 2", eq(E(Dot(off(k), off(j))), E(Dot(_CENTRED, off(j))), *PAIRS), Expected(), ("pair 1",)),
        Step(
            "pair 3",
            eq(E(Dot(drawn(k), off(j))), E(Dot(remaining(k), off(j))), *PAIRS),
            Combine({"earlier": 1}),
            ("earlier",),
        ),
        Step(
            "pair 4",
            eq(E(Dot(drawn(k), off(j))), E(Dot(others(k), off(j))), *PAIRS),
            Combine({"pair 3": 1}),
            ("pair 3",),
            ("others",),
        ),
        Step(
            "pair",
            eq(E(Dot(off(k), off(j))), 0, *PAIRS),
            Combine({"pair 2": 1, "pair 4": 1}),
            ("pair 2", "pair 4"),
            note="martingale differences are uncorrelated",
        ),
        Step("cross", eq(E(Dot(_so_far(k), off(k))), 0, DRAWS), Summed((j,)), ("pair",)),
        Step("0", eq(E(square(_so_far(Integer(0)))), 0), Combine()),
        Step(
            "1",
            eq(E(square(_so_far(k + 1))), Total(E(spread(j)), j, 0, k), DRAWS),
            Combine({"assumed 1": 1, "cross": 2, "draw": 1}),
            ("cross", "draw"),
            (),
            (eq(E(square(_so_far(k))), Total(E(spread(j)), j, 0, k - 1)),),
            note="one draw more",
        ),
        Step("2", _SUMS, Induction(k), ("0", "1")),
        Step("3", eq(E(square(_so_far(K))), Total(E(spread(j)), j, 0, K - 1)), Instance({k: K}), ("2",)),
        Step("mean", eq(E(square(ESTIMATE - J)), E(square(_so_far(K))) / K**2), Combine(), (), ("off",)),
        Step("end", _VARIANCE, Combine({"mean": 1, "3": 1 / K**2}), ("mean", "3")),
    ),
    claim="osmd/C-P11-formula@explicit",
    place="Proposition 11, proof",
    note="the exact variance without replacement",
)

# (ii): what the proof shows, and what is printed --------------------------------------------------------------------

s, q, there = family(Nonnegative, "s"), family(Positive, "q"), family(Nonnegative, "there")
_SUM, _REST = Total(there(a) * s(a), a, 1, M), Total(there(a) * q(a), a, 1, M)
_WEIGHED = Total(there(a) * s(a) ** 2 / q(a), a, 1, M)
_SHARE = Symbol("share", positive=True)
_CONDITIONAL = le(_SUM**2, _SHARE * _WEIGHED)
CONDITIONAL = Theorem(
    "osmd/P11-conditional",
    _CONDITIONAL,
    (Given("share", eq(_REST, _SHARE), "somebody is left, with this probability"),),
    (
        Step("1", le(0, there(a) * (s(a) - q(a) * _SUM / _SHARE) ** 2 / q(a), CLIENTS), Polynomial(), note="a square"),
        Step("2", le(0, Total(there(a) * (s(a) - q(a) * _SUM / _SHARE) ** 2 / q(a), a, 1, M)), Summed((a,)), ("1",)),
        Step("3", _CONDITIONAL, Combine({"2": _SHARE, "share": _SUM**2 / _SHARE}), ("2", "share")),
    ),
    place="Proposition 11, proof",
    note="given the earlier draws each summand is least where the law is proportional to the norms: Cauchy and Schwarz",
)


def variance_of_two(x, law):
    """E |g~ - J|^2 for two draws without replacement: Algorithm 7, every order of draws."""
    goal, terms = sum(x), []
    for first, second in permutations(range(len(x)), 2):
        ratio = law[second] / (1 - law[first])
        update = (x[first] / law[first] + x[second] / ratio + x[first]) / 2
        terms.append(law[first] * ratio * (update - goal) ** 2)
    return sum(terms)


_LAW = tuple(Symbol(name, positive=True) for name in ("p_1", "p_2", "p_3"))
_NORMS = (2, 1, -1)
_BEST = tuple(Rational(Abs(x), 4) for x in _NORMS)
_PRINTED = le(variance_of_two(_NORMS, _BEST), variance_of_two(_NORMS, _LAW))
PRINTED = Theorem(
    "osmd/P11-printed",
    _PRINTED,
    (Given("law", eq(sum(_LAW), 1), "p is a law on the three clients"),),
    (
        Step(
            "1",
            _PRINTED,
            Witness(dict(zip(_LAW, (Rational(47, 100), Rational(23, 100), Rational(3, 10)), strict=True))),
            ("law",),
            expected="REFUTED",
            note="4 at the printed law, 8633417/2162000 < 4 at this one",
        ),
    ),
    expected="REFUTED",
    claim="osmd/C-P11-variance@printed",
    place="Proposition 11",
    note="the second half, for K = 2 and the vectors 2, 1 and -1: the law proportional to the norms is printed as the best one",
)

# Appendix D.1: one sampler for each part ----------------------------------------------------------------------------

off_1, off_2 = family(RandomVector, "off_1")(), family(RandomVector, "off_2")()
low_1, low_2 = family(Scalar, "low_1")(), family(Scalar, "low_2")()
_PARTS = le(low_1 + low_2, E(square(off_1 + off_2)))
PARTS = Theorem(
    "osmd/D1",
    _PARTS,
    (
        Given("least 1", le(low_1, E(square(off_1))), "the least variance of the first part, over all laws"),
        Given("least 2", le(low_2, E(square(off_2))), "and of the second"),
        Given(
            "independent", eq(E(Dot(off_1, off_2)), 0), "the two parts are drawn independently, and both are unbiased"
        ),
    ),
    (
        Step(
            "1", _PARTS, Combine({"least 1": 1, "least 2": 1, "independent": -2}), ("least 1", "least 2", "independent")
        ),
    ),
    claim="osmd/C-D1@corrected",
    place="Appendix D.1",
    note="a law for each part is no worse than one for both, if the parts are drawn independently",
)
_P = Symbol("p_1", positive=True)
_FIRST, _SECOND = tuple(tuple(Rational(v, 2) for v in row) for row in ((1, -1), (0, 2)))


def least_variance(x):
    """The least of sum |x_a|^2/p_a - J^2 over the laws: ``osmd/opt``."""
    return sum(map(Abs, x)) ** 2 - sum(x) ** 2


_SHARED = sum((x + y) ** 2 / w for x, y, w in zip(_FIRST, _SECOND, (_P, 1 - _P), strict=True))
_TOGETHER = le(least_variance(_FIRST) + least_variance(_SECOND), _SHARED - (sum(_FIRST) + sum(_SECOND)) ** 2)
TOGETHER = Theorem(
    "osmd/D1-shared",
    _TOGETHER,
    (Given("law", lt(_P, 1), "p_1 and 1 - p_1 are a law on two clients"),),
    (
        Step(
            "1",
            _TOGETHER,
            Witness({_P: Rational(1, 2)}),
            ("law",),
            expected="REFUTED",
            note="one draw serves both parts and they cancel: the variance is 0",
        ),
    ),
    expected="REFUTED",
    claim="osmd/C-D1@printed",
    place="Appendix D.1",
    note="the same where one draw serves both parts: two clients of weight 1/2 with g_1 = (1, -1), g_2 = (0, 2)",
)

THEOREMS = (UNBIASED, VARIANCE, CONDITIONAL, PRINTED, PARTS, TOGETHER)
