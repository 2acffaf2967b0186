"""Lemma 12 from above and Lemma 13: sums of permuted signs that end within a client's local steps."""

from __future__ import annotations

from fltheory.papers.sfl.letters import M, n
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Induction,
    Instance,
    Polynomial,
    Power,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, RandomNonnegative, family
from proofs_checks.sfl.permuted import HALF, INSIDE, LEFT, REST, ROUND, WITHIN, S, a, bound, k, m, part, tau

above, below, tie = (family(RandomNonnegative, name) for name in ("above", "below", "tie"))
SUM = Given("sum", eq(S(n + 1), S(n) + tau(n + 1), ROUND), "one more sign")
START = Given("start", eq(S(0), 0), "no signs yet")
UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, ROUND), "a sign is 1 or -1")
NEXT = Given(
    "next",
    eq(E(tau(n + 1) * S(n)), -E(S(n) ** 2) / LEFT, ROUND),
    "the signs that are left sum to -S(n), and each of them is as likely to be next",
)
SIZE = Given("size", eq(part(m, k) ** 2, (S(m - 1) + a * tau(m)) ** 2), "part(m, k) = |S(m-1) + a tau(m)|, a = k/K")
_X, _F = E(part(m, k)), E(S(m - 1) ** 2)
_MOST, _IF = stated(bound("L12-upper@printed", "upper"), _X)
_SPREAD = le(E(S(n) ** 2), n, WITHIN)
_SQUARED = S(n) ** 2 + 2 * tau(n + 1) * S(n) + 1
_PART = S(m - 1) ** 2 + 2 * a * tau(m) * S(m - 1) + a**2
UPPER = Theorem(
    "sfl/L12-upper",
    _MOST,
    (*_IF, INSIDE, SUM, START, UNIT, NEXT, SIZE),
    (
        Step("square 0", eq(S(0) ** 2, 0), Combine((("start", S(0)),)), ("start",)),
        Step("mean 0", eq(E(S(0) ** 2), 0), Expected(), ("square 0",)),
        Step("base", le(E(S(0) ** 2), 0), Combine((("mean 0", 1),)), ("mean 0",)),
        Step(
            "square",
            eq(S(n + 1) ** 2, _SQUARED, ROUND),
            Combine((("sum", S(n + 1) + S(n) + tau(n + 1)), ("unit", 1))),
            ("sum", "unit"),
        ),
        Step("mean", eq(E(S(n + 1) ** 2), E(_SQUARED), ROUND), Expected(), ("square",)),
        Step("some", le(0, E(S(n) ** 2), ROUND), Combine()),
        Step("drift", le(0, E(S(n) ** 2) / LEFT, ROUND), Combine((("some", 1 / LEFT),)), ("some",)),
        Step(
            "step",
            le(E(S(n + 1) ** 2), n + 1, ROUND),
            Combine((("mean", 1), ("next", 2), ("drift", 2), ("assumed 1", 1))),
            ("mean", "next", "drift"),
            assuming=(le(E(S(n) ** 2), n),),
            note="E tau_i tau_j = -1/(M - 1) < 0",
        ),
        Step("spread", _SPREAD, Induction(n), ("base", "step")),
        Step("place", le(1, m), Polynomial()),
        Step("spread m", le(_F, m - 1), Instance(((n, m - 1),)), ("spread", "place", "inside")),
        Step("unit m", eq(tau(m) ** 2, 1), Instance(((n, m - 1),)), ("unit", "place", "inside")),
        Step("next m", eq(E(tau(m) * S(m - 1)), -_F / REST), Instance(((n, m - 1),)), ("next", "place", "inside")),
        Step("drift m", le(0, _F / REST), Instance(((n, m - 1),)), ("drift", "place", "inside")),
        Step("part", eq(part(m, k) ** 2, _PART), Combine((("size", 1), ("unit m", a**2))), ("size", "unit m")),
        Step("part mean", eq(E(part(m, k) ** 2), E(_PART)), Expected(), ("part",)),
        Step("centred", le(0, (part(m, k) - _X) ** 2), Polynomial()),
        Step("variance", le(0, E((part(m, k) - _X) ** 2)), Expected(), ("centred",)),
        Step(
            "Jensen",
            le(_X**2, m - 1 + a**2),
            Combine((("variance", 1), ("part mean", 1), ("next m", 2 * a), ("drift m", 2 * a), ("spread m", 1))),
            ("variance", "part mean", "next m", "drift m", "spread m"),
        ),
        Step("zero", le(0, _X**2), Combine()),
        Step("upper", _MOST, Power(HALF), ("zero", "Jensen")),
    ),
    claim="sfl/L12-upper@printed",
    bound=bound("L12-upper@printed", "upper"),
    place="Lemma 12",
    unused=("c1",),
)

_WITHIN, _IF_WITHIN = stated(bound("L12@printed", "upper"), _X)
WITHIN_HALF = Theorem(
    "sfl/L12-most",
    _WITHIN,
    (*_IF_WITHIN, SUM, START, UNIT, NEXT, SIZE),
    (
        Step("inside", le(m, M), Combine((("c1", HALF), ("c2", HALF))), ("c1", "c2")),
        Step("1", _WITHIN, Apply("sfl/L12-upper"), ("c3", "inside", "sum", "start", "unit", "next", "size")),
    ),
    claim="sfl/L12@printed",
    bound=bound("L12@printed", "upper"),
    place="Lemma 12",
)

# Lemma 13 ---------------------------------------------------------------------------------------------------------

_P, _Q = E(above(m, k)), E(below(m, k))
MIRROR = Given("mirror", eq(_P, _Q), "to change all signs changes no chance: there are as many pluses as minuses")
ONE_OF = Given("one of three", eq(above(m, k) + below(m, k) + tie(m, k), 1), "A > 0, A < 0 or A = 0")
NO_TIE = Given("no tie", eq(tie(m, k), 0), "S(m - 1) is an integer, and 0 < a < 1 as 1 <= k < K")
_HALF, _LATER = stated(bound("L13-half@explicit", "equal"), _P)
_UP, _UP_IF = stated(bound("L13@printed", "upper"), _P)
_ONE = Step("one", eq(E(above(m, k) + below(m, k) + tie(m, k)), 1), Expected(), ("one of three",))
EXACT = Theorem(
    "sfl/L13-half",
    _HALF,
    (*_LATER, MIRROR, ONE_OF, NO_TIE),
    (
        _ONE,
        Step("tie mean", eq(E(tie(m, k)), 0), Expected(), ("no tie",)),
        Step(
            "half",
            _HALF,
            Combine((("one", HALF), ("mirror", HALF), ("tie mean", -HALF))),
            ("one", "mirror", "tie mean"),
        ),
    ),
    claim="sfl/L13-half@explicit",
    bound=bound("L13-half@explicit", "equal"),
    place="Lemma 13",
    unused=("c1", "c2"),
)
AT_MOST = Theorem(
    "sfl/L13-most",
    _UP,
    (*_UP_IF, MIRROR, ONE_OF),
    (_ONE, Step("half", _UP, Combine((("one", HALF), ("mirror", HALF))), ("one", "mirror"))),
    claim="sfl/L13@printed",
    bound=bound("L13@printed", "upper"),
    place="Lemma 13",
    unused=("c1",),
)

THEOREMS = (UPPER, WITHIN_HALF, EXACT, AT_MOST)
