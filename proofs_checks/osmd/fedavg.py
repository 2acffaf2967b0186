"""FedAvg with sampled clients: the drift of a client's local steps (45), the printed (41), one round, and all rounds (46).

A round goes from w to ``after``. Client a takes local steps y_{a,0} = w, y_{a,i+1} = y_{a,i} - mu_l h_{a,i} with stochastic
gradients h_{a,i} = grad F_a(y_{a,i}) + xi_{a,i}, i < B. Its update over mu_l M is the mean of what it took.
"""

from __future__ import annotations

from sympy import Rational, Symbol, exp

from fltheory.papers.osmd.letters import B, L, M, mu, sigma, zeta_unif
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Expected,
    Given,
    Gram,
    Induction,
    Known,
    Member,
    Polynomial,
    Power,
    Squeezed,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, E, Fun, Grad, Nonnegative, RandomVector, Scalar, Total, family, square
from proofs_checks.osmd.facts import share, u, v
from proofs_checks.osmd.sampling import CLIENTS, a

i = Symbol("i", integer=True, nonnegative=True)
w, y, xi = family(RandomVector, "w")(), family(RandomVector, "y"), family(RandomVector, "xi")
F = family(Fun, "F")
HALF = Rational(1, 2)
STEPS = (i, 0, B - 1)

# (45): the drift of one client ----------------------------------------------------------------------------------------------

_X, _Q, r = family(Scalar, "x"), family(Nonnegative, "Q")(), Symbol("r", integer=True, positive=True)
_MORE = 1 + 2 / r
_GROWN = r * _Q * (_MORE**i - 1) / 2
_BELOW = le(_X(i), 4 * r * _Q, (i, 0, r))
_UNTIL, _SIXTH = (i, 0, r), Rational(5, 6)
_TOGETHER = le(Total(_X(i), i, 0, r), 4 * r * (r + 1) * _Q)
RECURSION = Theorem(
    "osmd/recursion",
    _TOGETHER,
    (
        Given("start", eq(_X(0), 0), "nothing has happened yet"),
        Given("next", le(_X(i + 1), _MORE * _X(i) + _Q, (i, 0, r - 1)), "one step more"),
    ),
    (
        Step("0", le(_X(0), 0), Combine({"start": 1}), ("start",)),
        Step(
            "1",
            le(_X(i + 1), r * _Q * (_MORE ** (i + 1) - 1) / 2, (i, 0, r - 1)),
            Combine({"next": 1, "assumed 1": _MORE}),
            ("next",),
            (),
            (le(_X(i), _GROWN),),
        ),
        Step("2", le(_X(i), _GROWN, _UNTIL), Induction(i), ("0", "1")),
        Step("exp 0", le(0, _MORE), Combine()),
        Step("exp 1", le(_MORE, exp(2 / r)), Known("exp", 2 / r), note="1 + x <= e^x"),
        Step("exp 2", le(_MORE**i, exp(2 * i / r)), Power(i), ("exp 0", "exp 1")),
        Step("exp 3", le(3 - 2 * i / r, exp(2 - 2 * i / r)), Known("exp", 2 - 2 * i / r)),
        Step("late", le(i, r, _UNTIL), Polynomial()),
        Step("exp 4", le(0, 1 - i / r, _UNTIL), Combine({"late": 1 / r}), ("late",)),
        Step(
            "exp 5",
            le(exp(2 * i / r), exp(2), _UNTIL),
            Combine({"exp 3": exp(2 * i / r), "exp 4": 2 * exp(2 * i / r)}),
            ("exp 3", "exp 4"),
        ),
        Step("nine 1", le(_SIXTH, exp(-Rational(1, 6))), Known("exp", -Rational(1, 6))),
        Step("nine 0", le(0, _SIXTH), Combine()),
        Step("nine 2", le(_SIXTH**12, exp(-2)), Power(12), ("nine 0", "nine 1")),
        Step("exp 6", le(exp(2), 9), Combine({"nine 2": exp(2) / _SIXTH**12}), ("nine 2",)),
        Step(
            "3",
            _BELOW,
            Combine({"2": 1, "exp 2": r * _Q / 2, "exp 5": r * _Q / 2, "exp 6": r * _Q / 2}),
            ("2", "exp 2", "exp 5", "exp 6"),
            note="(9 - 1)/2 = 4",
        ),
        Step("4", _TOGETHER, Summed((i,)), ("3",)),
    ),
    place="(45)",
    note="the recursion's powers are at most e^2",
)


# The clients' steps: B = r + 1 of them, then B = 1 too ------------------------------------------------------------------------


def own(place):
    """The gradient of a client at the round's start."""
    return Grad(F(place), w)


SLOPE = Total(own(a), a, 1, M) / M
G2, OWN2 = E(square(SLOPE)), E(square(own(a)))
SMOOTH = Member("class", F(a), L, None, "A1: every client's loss is smooth")
START = Given("first", eq(y(a, 0), w, CLIENTS), "clients start from the model of the round")


def steps_of(count):
    """What is supposed of ``count`` local steps."""
    at = (CLIENTS, (i, 0, count - 1))
    taken = Grad(F(a), y(a, i))
    return (
        START,
        Given(
            "local", eq(y(a, i + 1), y(a, i) - mu * (taken + xi(a, i)), *at), "local steps with stochastic gradients"
        ),
        Given("noise", le(E(square(xi(a, i))), sigma**2, *at), "A3: the noise of one step"),
        Given(
            "unbiased 1",
            eq(E(Dot(xi(a, i), y(a, i))), 0, *at),
            "A3: noise has mean 0 given the past, here the local model",
        ),
        Given("unbiased 2", eq(E(Dot(xi(a, i), w)), 0, *at), "here the round's start"),
        Given("unbiased 3", eq(E(Dot(xi(a, i), taken)), 0, *at), "here the gradient"),
    )


def short(count):
    """The condition of (45)."""
    return Given("short", le(2 * (count * mu * L) ** 2, 1), "mu_l is at most 1/(sqrt(2) B L)")


def far(place, step):
    """How far a client has gone."""
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
_NEXT = le(far(a, i + 1), _MORE * far(a, i) + _ADDED, *_AT)
CLIENT = Theorem(
    "osmd/C45-client",
    far_at_most(_N),
    (SMOOTH, *steps_of(_N), short(_N)),
    (
        Step("g 1", le(square(_GRAD), _CURVED, *_AT), Gram((2, Axiom("lipschitz", F(a), y(a, i), w))), ("class",)),
        Step("g", le(E(square(_GRAD)), E(_CURVED), *_AT), Expected(), ("g 1",)),
        Step("sign 1", le(0, square(_STRAY), *_AT), Gram()),
        Step("sign", le(0, far(a, i), *_AT), Expected(), ("sign 1",)),
        Step("own 1", le(0, square(own(a)), CLIENTS), Gram()),
        Step("own", le(0, OWN2, CLIENTS), Expected(), ("own 1",)),
        Step(
            "move 1",
            eq(square(y(a, i + 1) - w), square(_STEP), *_AT),
            Combine({"local": y(a, i + 1) - w + _STEP}),
            ("local",),
        ),
        Step("move 2", eq(far(a, i + 1), E(square(_STEP)), *_AT), Expected(), ("move 1",)),
        Step(
            "move",
            le(far(a, i + 1), E(square(_FREE)) + mu**2 * sigma**2, *_AT),
            Combine(
                {"move 2": 1, "noise": mu**2, "unbiased 1": -2 * mu, "unbiased 2": 2 * mu, "unbiased 3": 2 * mu**2}
            ),
            ("move 2", "noise", "unbiased 1", "unbiased 2", "unbiased 3"),
            note="the noise is against nothing that was there",
        ),
        Step("young 1", le(square(_FREE), _YOUNG, *_AT), Apply("osmd/L16", {u: _STRAY, v: -mu * _GRAD, share: 1 / r})),
        Step("young", le(E(square(_FREE)), E(_YOUNG), *_AT), Expected(), ("young 1",)),
        Step("small", le(2 * _N * mu**2 * L**2, 1 / r), Combine({"short": 1 / _N}), ("short",)),
        Step(
            "next",
            _NEXT,
            Combine({"move": 1, "young": 1, "g": _N * mu**2, "small": far(a, i)}),
            ("move", "young", "g", "small", "sign"),
        ),
        Step("start 1", eq(square(y(a, 0) - w), 0, CLIENTS), Combine({"first": y(a, 0) - w}), ("first",)),
        Step("start", eq(far(a, 0), 0, CLIENTS), Expected(), ("start 1",)),
        Step("added", le(0, _ADDED, CLIENTS), Combine({"own": 2 * _N * mu**2}), ("own",)),
        Step(
            "sum",
            le(Total(far(a, i), i, 0, r), 4 * r * _N * _ADDED, CLIENTS),
            Apply("osmd/recursion", {_X(i): far(a, i), _Q: _ADDED}),
            ("added", "start", "next"),
            note="step after step",
        ),
        Step("end", far_at_most(_N), Combine({"sum": 1, "own": 8 * _N**2 * mu**2}), ("sum", "own")),
    ),
    place="(45)",
    note="how far one client goes, of B = r + 1 steps",
)

DRIFT = Total(Total(far(a, i), i, 0, B - 1), a, 1, M)
UNIFORM = Given(
    "uniform",
    le(Total(OWN2, a, 1, M) / M, G2 + zeta_unif**2),
    "the heterogeneity at w is at most zeta_unif^2 (osmd/C8)",
)
_ONCE, _MORE_STEPS = le(B, 1), le(2, B)
_ALL = far_at_most(B)
_C45 = le(DRIFT / M, 8 * B**3 * mu**2 * (zeta_unif**2 + G2) + 4 * B**2 * mu**2 * sigma**2)
_GIVEN = (SMOOTH, *steps_of(B), short(B))
C45 = Theorem(
    "osmd/C45",
    _C45,
    (*_GIVEN, UNIFORM),
    (
        Step("many", _ALL, Apply("osmd/C45-client", {r: B - 1}), tuple(h.id for h in _GIVEN), assuming=(_MORE_STEPS,)),
        Step("least one", le(1, B), Combine()),
        Step("alike", eq(B, 1), Squeezed(), ("least one",), (), (_ONCE,)),
        *(s for s in CLIENT.steps if s.id in ("start 1", "start", "own 1", "own")),
        Step(
            "one",
            _ALL,
            Combine({"start": 1, "own": 8 * B**3 * mu**2}),
            ("start", "own"),
            ("alike",),
            (_ONCE,),
            note="one step: nobody has gone anywhere",
        ),
        Step("each", _ALL, Cases(), ("many", "one")),
        Step(
            "sum",
            le(DRIFT, 8 * B**3 * mu**2 * Total(OWN2, a, 1, M) + 4 * M * B**2 * mu**2 * sigma**2),
            Summed((a,)),
            ("each",),
        ),
        Step("end", _C45, Combine({"sum": 1 / M, "uniform": 8 * B**3 * mu**2}), ("sum", "uniform")),
    ),
    claim="osmd/C-45@printed",
    place="(45)",
    note="how far the clients go in a round",
)
THEOREMS = (RECURSION, CLIENT, C45)
