"""FedAvg with sampled clients: the drift of a client's local steps (45), the printed (41), one round, and all rounds (46).

A round goes from w to ``after``. Client a takes local steps y_{a,0} = w, y_{a,i+1} = y_{a,i} - mu_l h_{a,i} with stochastic
gradients h_{a,i} = grad F_a(y_{a,i}) + xi_{a,i}, i < B. Its update over mu_l M is the mean of these gradients.
"""

from __future__ import annotations

from sympy import Rational, Symbol, exp

from fltheory.papers.osmd.mirror.proofs.facts import share
from fltheory.papers.osmd.notation import B, L, M, mu, sigma, zeta_unif
from fltheory.papers.osmd.sampling.proofs.sampling import CLIENTS, a
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof
from fltheory.proof.facts.squares import u, v
from fltheory.proof.terms import Dot, E, Fun, Grad, Nonnegative, RandomVector, Scalar, Total, family, square

i = Symbol("i", integer=True, nonnegative=True)
w, y, xi = family(RandomVector, "w")(), family(RandomVector, "y"), family(RandomVector, "xi")
F = family(Fun, "F")
HALF = Rational(1, 2)
STEPS = (i, 0, B - 1)

# (45): the drift of one client ----------------------------------------------------------------------------------------------

_X, _Q, r = family(Scalar, "x"), family(Nonnegative, "Q")(), Symbol("r", integer=True, positive=True)
_MORE = 1 + 2 / r
_GROWN = r * _Q * (_MORE**i - 1) / 2
_UNTIL, _SIXTH = (i, 0, r), Rational(5, 6)
RECURSION = (
    proof("osmd/recursion", "(45)", note="the recursion's powers are at most e^2")
    .given("start", eq(_X(0), 0), "nothing has happened yet")
    .given("next", le(_X(i + 1), _MORE * _X(i) + _Q, (i, 0, r - 1)), "one step more")
    .step("0", le(_X(0), 0), by.linear("start"))
    .step("1", le(_X(i + 1), r * _Q * (_MORE ** (i + 1) - 1) / 2, (i, 0, r - 1)), by.linear("next"),
        assuming=le(_X(i), _GROWN))
    .step("2", le(_X(i), _GROWN, _UNTIL), by.induction(i, "0", "1"))
    .step("exp 0", le(0, _MORE), by.linear())
    .step("exp 1", by.fact("exp", 2 / r), note="1 + x <= e^x")
    .step("exp 2", by.power(i, "exp 0", "exp 1"))
    .step("exp 3", by.fact("exp", 2 - 2 * i / r))
    .step("late", le(i, r, _UNTIL), by.polynomial())
    .step("exp 4", le(0, 1 - i / r, _UNTIL), by.linear("late"))
    .step("exp 5", le(exp(2 * i / r), exp(2), _UNTIL), by.linear("exp 3", "exp 4"))
    .step("nine 1", by.fact("exp", -Rational(1, 6)))
    .step("nine 0", le(0, _SIXTH), by.linear())
    .step("nine 2", by.power(12, "nine 0", "nine 1"))
    .step("exp 6", le(exp(2), 9), by.linear("nine 2"))
    .step("3", le(_X(i), 4 * r * _Q, (i, 0, r)), by.linear("2", "exp 2", "exp 5", "exp 6"), note="(9 - 1)/2 = 4")
    .qed(le(Total(_X(i), i, 0, r), 4 * r * (r + 1) * _Q), by.sum_over(i, "3"))
)


# The clients' steps: B = r + 1 of them, then B = 1 too ------------------------------------------------------------------------


def own(place):
    """Return the gradient of a client at the round's start."""
    return Grad(F(place), w)


SLOPE = Total(own(a), a, 1, M) / M
G2, OWN2 = E(square(SLOPE)), E(square(own(a)))
SMOOTH = Member("class", F(a), L, None, "A1: every client's loss is smooth")
START = Given("first", eq(y(a, 0), w, CLIENTS), "clients start from the model of the round")


def steps_of(count):
    """Return the hypotheses on ``count`` local steps."""
    at = (CLIENTS, (i, 0, count - 1))
    taken = Grad(F(a), y(a, i))
    return (
        START,
        Given("local", eq(y(a, i + 1), y(a, i) - mu * (taken + xi(a, i)), *at),
            "local steps with stochastic gradients"),
        Given("noise", le(E(square(xi(a, i))), sigma**2, *at), "A3: the noise of one step"),
        Given("unbiased 1", eq(E(Dot(xi(a, i), y(a, i))), 0, *at),
            "A3: noise has mean 0 given the past, here the local model"),
        Given("unbiased 2", eq(E(Dot(xi(a, i), w)), 0, *at), "here the round's start"),
        Given("unbiased 3", eq(E(Dot(xi(a, i), taken)), 0, *at), "here the gradient"),
    )


def short(count):
    """Return the condition of (45)."""
    return Given("short", le(2 * (count * mu * L) ** 2, 1), "mu_l is at most 1/(sqrt(2) B L)")


def far(place, step):
    """Return the distance of a client from the round's start."""
    return E(square(y(place, step) - w))


def far_at_most(count):
    """(45) for one client, summed over its steps."""
    return le(Total(far(a, i), i, 0, count - 1), 8 * count**3 * mu**2 * OWN2 + 4 * count**2 * mu**2 * sigma**2, CLIENTS)


_N, _STRAY, _GRAD = r + 1, y(a, i) - w, Grad(F(a), y(a, i))
_AT = (CLIENTS, (i, 0, r))
_CURVED = 2 * L**2 * square(_STRAY) + 2 * square(own(a))
_ADDED = 2 * _N * mu**2 * OWN2 + mu**2 * sigma**2
_STEP, _FREE = y(a, i) - mu * (_GRAD + xi(a, i)) - w, _STRAY - mu * _GRAD
_YOUNG = (1 + 1 / r) * square(_STRAY) + _N * mu**2 * square(_GRAD)
CLIENT = (
    proof("osmd/C45-client", "(45)", note="how far one client goes, of B = r + 1 steps")
    .under(SMOOTH, *steps_of(_N), short(_N))
    .step("g 1", le(square(_GRAD), _CURVED, *_AT), by.sos((2, Axiom("lipschitz", F(a), y(a, i), w)), "class"))
    .step("g", by.expectation("g 1"))
    .step("sign 1", le(0, square(_STRAY), *_AT), by.sos())
    .step("sign", by.expectation("sign 1"))
    .step("own 1", le(0, square(own(a)), CLIENTS), by.sos())
    .step("own", by.expectation("own 1"))
    .step("move 1", eq(square(y(a, i + 1) - w), square(_STEP), *_AT), by.linear(local=y(a, i + 1) - w + _STEP))
    .step("move 2", by.expectation("move 1"))
    .step("move", le(far(a, i + 1), E(square(_FREE)) + mu**2 * sigma**2, *_AT),
        by.linear("move 2", "noise", "unbiased 1", "unbiased 2", "unbiased 3"),
        note="the noise is against nothing that was there")
    .step("young 1", le(square(_FREE), _YOUNG, *_AT), by.apply("osmd/L16", {u: _STRAY, v: -mu * _GRAD, share: 1 / r}))
    .step("young", by.expectation("young 1"))
    .step("small", le(2 * _N * mu**2 * L**2, 1 / r), by.linear("short"))
    .step("next", le(far(a, i + 1), _MORE * far(a, i) + _ADDED, *_AT), by.linear("move", "young", "g", "small", "sign"))
    .step("start 1", eq(square(y(a, 0) - w), 0, CLIENTS), by.linear(first=y(a, 0) - w))
    .step("start", by.expectation("start 1"))
    .step("added", le(0, _ADDED, CLIENTS), by.linear("own"))
    .step("sum", by.apply(RECURSION, {_X(i): far(a, i), _Q: _ADDED}, "added", "start", "next"), note="step after step")
    .qed(far_at_most(_N), by.linear("sum", "own"), name="end")
)

DRIFT = Total(Total(far(a, i), i, 0, B - 1), a, 1, M)
UNIFORM = Given("uniform", le(Total(OWN2, a, 1, M) / M, G2 + zeta_unif**2),
    "the heterogeneity at w is at most zeta_unif^2 (osmd/C8)")
_ONCE, _MORE_STEPS = le(B, 1), le(2, B)
_ALL = far_at_most(B)
_GIVEN = (SMOOTH, *steps_of(B), short(B))
C45 = (
    proof("osmd/C45", "(45)", of="osmd/C-45@printed", note="how far the clients go in a round").under(*_GIVEN, UNIFORM)
    .step("many", by.apply(CLIENT, {r: B - 1}), assuming=_MORE_STEPS)
    .step("least one", le(1, B), by.linear())
    .step("alike", eq(B, 1), by.antisymmetry("least one"), assuming=_ONCE)
    .steps(*(s for s in CLIENT.steps if s.id in ("start 1", "start", "own 1", "own")))
    .step("one", _ALL, by.linear(start=1, own=8 * B**3 * mu**2), inserting="alike", assuming=_ONCE,
        note="one step: nobody has gone anywhere")
    .step("each", by.cases("many", "one"))
    .step("sum", le(DRIFT, 8 * B**3 * mu**2 * Total(OWN2, a, 1, M) + 4 * M * B**2 * mu**2 * sigma**2),
        by.sum_over(a, "each"))
    .qed(le(DRIFT / M, 8 * B**3 * mu**2 * (zeta_unif**2 + G2) + 4 * B**2 * mu**2 * sigma**2),
        by.linear(sum=1 / M, uniform=8 * B**3 * mu**2), name="end")
)
THEOREMS = (RECURSION, CLIENT, C45)
