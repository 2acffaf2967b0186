"""Draws without replacement (Algorithm 7, Proposition 11), and two samplers for two parts of an update (Appendix D.1).

``left(k, a)`` is 1 as long as client a has not been drawn before draw k, else 0, and ``rest(k)`` is the probability of
those clients: draw k is client a with probability left(k, a) p_a / rest(k).
"""

from __future__ import annotations

from itertools import permutations

from sympy import Abs, Integer, Rational, Symbol

from fltheory.papers.osmd.notation import K, M
from fltheory.papers.osmd.sampling.proofs.sampling import CLIENTS, DRAWS, PAIRS, X, a, j, k, p, pick, total, u
from fltheory.proof import Defines, Given, by, eq, le, lt, proof
from fltheory.proof.terms import (Dot, E, Nonnegative, Positive, RandomNonnegative, RandomPositive, RandomVector,
    Scalar, Total, family, square)

left, rest = family(RandomNonnegative, "left"), family(RandomPositive, "rest")
J = total(X)


def drawn(place):
    """Return the estimate by one draw of the sum over the clients that are left."""
    return X(pick(place)) * rest(place) / p(pick(place))


def remaining(place):
    """Return the sum over the clients that are left."""
    return Total(left(place, a) * X(a), a, 1, M)


def updated(place):
    """Return g_(k): the estimate by the draw, plus the earlier draws themselves."""
    return drawn(place) + Total(X(pick(j)), j, 0, place - 1)


def centred(place):
    """Return g_(k) - J."""
    return drawn(place) - remaining(place)


ESTIMATE = Total(updated(k), k, 0, K - 1) / K
PAST = Given("past", eq(Total(X(pick(j)), j, 0, k - 1), Total((1 - left(k, a)) * X(a), a, 1, M), DRAWS),
    "the clients drawn so far are those that are not left: each is drawn once")


def moment(name, place, vector, over, why):
    """Prove the mean inner product of a draw with an earlier vector."""
    weighed = Total(left(k, a) * p(a) / rest(k) * Dot(X(a) * rest(k) / p(a), vector), a, 1, M)
    return Given(name, eq(E(Dot(drawn(place), vector)), E(weighed), *over), why)


# (i): unbiased -----------------------------------------------------------------------------------------------------

_MEAN = moment("mean", k, u, (DRAWS,),
    "draw k is one of the clients left, with probability p_a/rest, whatever came before")
UNBIASED = (
    proof("osmd/P11-mean", "Proposition 11", of="osmd/C-P11-mean@printed",
        note="the first half: the estimator without replacement is unbiased")
    .under(PAST, _MEAN)
    .step("1", eq(Dot(Total(X(pick(j)), j, 0, k - 1), u), Dot(Total((1 - left(k, a)) * X(a), a, 1, M), u), DRAWS),
        by.linear(past=u))
    .step("2", by.expectation("1"))
    .step("3", eq(E(Dot(updated(k), u)), E(Dot(J, u)), DRAWS), by.linear("mean", "2"), note="every draw is unbiased")
    .step("4", eq(E(Dot(Total(updated(k), k, 0, K - 1), u)), K * E(Dot(J, u))), by.sum_over(k, "3"))
    .qed(eq(E(Dot(ESTIMATE, u)), E(Dot(J, u))), by.linear("4"))
)

# The exact variance --------------------------------------------------------------------------------------------------

off, others = family(RandomVector, "off"), family(RandomVector, "others")
OFF = Defines("off", off(k), updated(k) - J, "what g_(k) is off by")
OTHERS = Defines("others", others(k), remaining(k), "the sum over the clients that are left")
_ONE = Given("one",
    eq(E(square(drawn(k))), E(Total(left(k, a) * p(a) / rest(k) * square(X(a) * rest(k) / p(a)), a, 1, M)), DRAWS),
    "draw k is one of the clients left, with probability p_a/rest")
_OWN = moment("own", k, others(k), (DRAWS,), "the same, against the sum over the clients left")


def spread(place):
    """Return the variance of one draw, given those before it."""
    return rest(place) * Total(left(place, a) * square(X(a)) / p(a), a, 1, M) - square(others(place))


def _so_far(count):
    return Total(off(j), j, 0, count - 1)


_CENTRED = drawn(k) - others(k)
VARIANCE = (
    proof("osmd/P11-variance", "Proposition 11, proof", of="osmd/C-P11-formula@explicit",
        note="the exact variance without replacement")
    .under(PAST, OFF, OTHERS, _ONE, _OWN, moment("earlier", k, off(j), PAIRS, "the same, against an earlier draw"))
    .step("left", eq(Total(X(pick(j)), j, 0, k - 1), J - others(k), DRAWS), by.linear("past"), inserting="others")
    .step("centred", eq(off(k), _CENTRED, DRAWS), by.linear("left"), inserting="off")
    .step("square", eq(square(off(k)), square(_CENTRED), DRAWS), by.linear(centred=off(k) + _CENTRED))
    .step("mean square", by.expectation("square"))
    .step("own sum", eq(E(Dot(drawn(k), others(k))), E(square(others(k))), DRAWS), by.linear("own"), inserting="others")
    .step("draw", eq(E(square(off(k))), E(spread(k)), DRAWS), by.linear("mean square", "one", "own sum"))
    .step("pair 1", eq(Dot(off(k), off(j)), Dot(_CENTRED, off(j)), *PAIRS), by.linear(centred=off(j)))
    .step("pair 2", by.expectation("pair 1"))
    .step("pair 3", eq(E(Dot(drawn(k), off(j))), E(Dot(remaining(k), off(j))), *PAIRS), by.linear("earlier"))
    .step("pair 4", eq(E(Dot(drawn(k), off(j))), E(Dot(others(k), off(j))), *PAIRS), by.linear("pair 3"),
        inserting="others")
    .step("pair", eq(E(Dot(off(k), off(j))), 0, *PAIRS), by.linear("pair 2", "pair 4"),
        note="martingale differences are uncorrelated")
    .step("cross", eq(E(Dot(_so_far(k), off(k))), 0, DRAWS), by.sum_over(j, "pair"))
    .step("0", eq(E(square(_so_far(Integer(0)))), 0), by.linear())
    .step("1", eq(E(square(_so_far(k + 1))), Total(E(spread(j)), j, 0, k), DRAWS), by.linear("cross", "draw"),
        assuming=eq(E(square(_so_far(k))), Total(E(spread(j)), j, 0, k - 1)), note="one draw more")
    .step("2", eq(E(square(_so_far(k))), Total(E(spread(j)), j, 0, k - 1), (k, 0, K)), by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .step("mean", eq(E(square(ESTIMATE - J)), E(square(_so_far(K))) / K**2), by.linear(), inserting="off")
    .qed(eq(E(square(ESTIMATE - J)), Total(E(spread(j)), j, 0, K - 1) / K**2), by.linear("mean", "3"), name="end")
)

# (ii): the statement of the proof, and the printed one --------------------------------------------------------------

s, q, there = family(Nonnegative, "s"), family(Positive, "q"), family(Nonnegative, "there")
_SUM, _REST = Total(there(a) * s(a), a, 1, M), Total(there(a) * q(a), a, 1, M)
_SHARE = Symbol("share", positive=True)
CONDITIONAL = (
    proof("osmd/P11-conditional", "Proposition 11, proof",
        note="given the earlier draws each summand is least where the law is proportional to the norms: Cauchy and Schwarz")
    .given("share", eq(_REST, _SHARE), "somebody is left, with this probability")
    .step("1", le(0, there(a) * (s(a) - q(a) * _SUM / _SHARE) ** 2 / q(a), CLIENTS), by.polynomial(), note="a square")
    .qed(le(_SUM**2, _SHARE * Total(there(a) * s(a) ** 2 / q(a), a, 1, M)), by.linear(by.sum_over(a, "1"), "share"))
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
PRINTED = (
    proof("osmd/P11-printed", "Proposition 11", of="osmd/C-P11-variance@printed", recorded="REFUTED",
        note="the second half, for K = 2 and the vectors 2, 1 and -1: the law proportional to the norms is printed as the best one")
    .given("law", eq(sum(_LAW), 1), "p is a law on the three clients")
    .qed(le(variance_of_two(_NORMS, tuple(Rational(Abs(x), 4) for x in _NORMS)), variance_of_two(_NORMS, _LAW)),
        by.counterexample(dict(zip(_LAW, (Rational(47, 100), Rational(23, 100), Rational(3, 10)), strict=True)), "law"),
        note="4 at the printed law, 8633417/2162000 < 4 at this one")
)

# Appendix D.1: one sampler for each part ----------------------------------------------------------------------------

off_1, off_2 = family(RandomVector, "off_1")(), family(RandomVector, "off_2")()
low_1, low_2 = family(Scalar, "low_1")(), family(Scalar, "low_2")()
PARTS = (
    proof("osmd/D1", "Appendix D.1", of="osmd/C-D1@corrected",
        note="a law for each part is no worse than one for both, if the parts are drawn independently")
    .given("least 1", le(low_1, E(square(off_1))), "the least variance of the first part, over all laws")
    .given("least 2", le(low_2, E(square(off_2))), "and of the second")
    .given("independent", eq(E(Dot(off_1, off_2)), 0), "the two parts are drawn independently, and both are unbiased")
    .qed(le(low_1 + low_2, E(square(off_1 + off_2))), by.linear("least 1", "least 2", "independent"))
)
_P = Symbol("p_1", positive=True)
_FIRST, _SECOND = tuple(tuple(Rational(v, 2) for v in row) for row in ((1, -1), (0, 2)))


def least_variance(x):
    """Return the least of sum |x_a|^2/p_a - J^2 over the distributions: ``osmd/opt``."""
    return sum(map(Abs, x)) ** 2 - sum(x) ** 2


_SHARED = sum((x + y) ** 2 / w for x, y, w in zip(_FIRST, _SECOND, (_P, 1 - _P), strict=True))
TOGETHER = (
    proof("osmd/D1-shared", "Appendix D.1", of="osmd/C-D1@printed", recorded="REFUTED",
        note="the same where one draw serves both parts: two clients of weight 1/2 with g_1 = (1, -1), g_2 = (0, 2)")
    .given("law", lt(_P, 1), "p_1 and 1 - p_1 are a law on two clients")
    .qed(le(least_variance(_FIRST) + least_variance(_SECOND), _SHARED - (sum(_FIRST) + sum(_SECOND)) ** 2),
        by.counterexample({_P: Rational(1, 2)}, "law"),
        note="one draw serves both parts and they cancel: the variance is 0")
)

THEOREMS = (UNBIASED, VARIANCE, CONDITIONAL, PRINTED, PARTS, TOGETHER)
