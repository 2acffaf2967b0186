"""Lemmas 4.3, 4.4 and A.2: m of K clients drawn without replacement, the estimate (10) of their responses, its gradient (11).

``seen`` is 1 for a client that is drawn, else 0. A statement about client K is one about any client: their numbers mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Symbol, symbols

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.letters import C1, C2, C, K, c, m
from fltheory.proof.language import (
    Absolute,
    Apply,
    Combine,
    Expected,
    Given,
    Instance,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import E, RandomNonnegative, Scalar, Total, family
from proofs_checks.aaggff.facts import CLIENTS, EACH, P, i, j, w, whole

seen, r, p = family(RandomNonnegative, "seen"), family(Scalar, "r"), family(Scalar, "p")
MU = whole(r(j)) / K
KAPPA = K * (m - 1) / (m * (K - 1))
MEAN_SEEN = whole(seen(j) * r(j)) / m
ONE = Given("one", eq(E(seen(i)), m / K, EACH), "each client is drawn with probability m/K")
PAIRS = Given(
    "two", eq(E(seen(K) * seen(i)), m * (m - 1) / (K * (K - 1)), (i, 1, K - 1)), "and two of them with this one"
)
ITSELF = Given("itself", eq(seen(K) ** 2, seen(K)), "0 or 1")
DRAWS = (CLIENTS, ONE, PAIRS, ITSELF)

# Lemma 4.3 ------------------------------------------------------------------------------------------------------------


def robust(client: Any, imputed: Any) -> Expr:
    """(10) with a number that stands for who isn't seen."""
    return (1 - seen(client) * K / m) * imputed + seen(client) * K / m * r(client)


_mean_of_mean = eq(E(MEAN_SEEN), MU)
_with_own = eq(E(seen(K) * MEAN_SEEN), (r(K) + (m - 1) * (K * MU - r(K)) / (K - 1)) / K)
MOMENTS = (
    Step("all", eq(Total(E(seen(j)) * r(j), j, 1, K), m / K * whole(r(j))), Summed((i,), r(i)), ("one",)),
    Step("mean", _mean_of_mean, Combine({"all": 1 / m}), ("all",)),
    Step("last", eq(E(seen(K)), m / K), Instance({i: K}), ("one", "clients")),
    Step("square", eq(E(seen(K) ** 2), E(seen(K))), Expected(), ("itself",)),
    Step(
        "pairs",
        eq(Total(E(seen(K) * seen(j)) * r(j), j, 1, K - 1), m * (m - 1) / (K * (K - 1)) * Total(r(j), j, 1, K - 1)),
        Summed((i,), r(i)),
        ("two",),
    ),
    Step(
        "own",
        _with_own,
        Combine({"pairs": 1 / m, "square": r(K) / m, "last": r(K) / m}),
        ("pairs", "square", "last"),
        note="where a client is drawn, the others are a uniform draw from the rest",
    ),
)
_BIASED = eq(E(robust(K, MEAN_SEEN)), MU + KAPPA * (r(K) - MU))
BIASED = Theorem(
    "aaggff/4.3@corrected",
    _BIASED,
    DRAWS,
    (*MOMENTS, Step("1", _BIASED, Combine({"mean": 1, "own": -K / m, "last": K / m * r(K)}), ("mean", "own", "last"))),
    claim="aaggff/4.3@corrected",
    place="Lemma 4.3",
    note="deviations from the mean response shrink by kappa = K (m - 1)/(m (K - 1))",
)
_BIAS = eq(E(robust(K, MEAN_SEEN)) - r(K), of.BIAS.expr * (MU - r(K)))
BIAS = Theorem(
    "aaggff/4.3-bias@corrected",
    _BIAS,
    DRAWS,
    (
        Step("biased", _BIASED, Apply("aaggff/4.3@corrected"), tuple(h.id for h in DRAWS)),
        Step("1", _BIAS, Combine({"biased": 1}), ("biased", "clients")),
    ),
    claim="aaggff/4.3-bias@corrected",
    place="Lemma 4.3",
    note="the bias of any client, with its sign, by the catalogue's factor",
)
_D1 = eq(E(robust(i, c)), r(i), EACH)
D1 = Theorem(
    "aaggff/4.3-D1@corrected",
    _D1,
    (ONE,),
    (Step("1", _D1, Combine({"one": K / m * (r(i) - c)}), ("one",)),),
    claim="aaggff/4.3-D1@corrected",
    place="Lemma 4.3",
    note="unbiased where what is imputed does not depend on the draw",
)
_RESCALED = MEAN_SEEN + seen(K) * K / m / KAPPA * (r(K) - MEAN_SEEN)
_D2 = eq(E(_RESCALED), r(K))
TWO_DRAWN = Given("two drawn", le(2, m), "two clients or more are drawn")
D2 = Theorem(
    "aaggff/4.3-D2@corrected",
    _D2,
    (*DRAWS, TWO_DRAWN),
    (
        *MOMENTS,
        Step(
            "1",
            _D2,
            Combine({"mean": 1, "last": K / m / KAPPA * r(K), "own": -K / m / KAPPA, "two drawn": 0, "clients": 0}),
            ("mean", "own", "last", "two drawn", "clients"),
        ),
    ),
    claim="aaggff/4.3-D2@corrected",
    place="Lemma 4.3",
    note="unbiased with the deviations divided by kappa",
)
_ALONE = eq(robust(i, MEAN_SEEN).xreplace({m: Integer(1)}), MEAN_SEEN.xreplace({m: Integer(1)}), EACH)
ALONE = Theorem(
    "aaggff/4.3-one@sharpened",
    _ALONE,
    (
        Given(
            "alone",
            eq(seen(i) * (r(i) - whole(seen(j) * r(j))), 0, EACH),
            "the one that is drawn has the mean response seen",
        ),
    ),
    (Step("1", _ALONE, Combine({"alone": K}), ("alone",)),),
    claim="aaggff/4.3-one@sharpened",
    place="Lemma 4.3",
    note="with one client drawn every entry is the response seen",
)

# Every draw, one by one -----------------------------------------------------------------------------------------------

Draw = tuple[tuple[Any, ...], tuple[int, ...], Any]  # responses, who is seen, their mean response


def average(clients: int, drawn: int, value: Callable[[Draw], Any]) -> Expr:
    """The mean of a value over all draws of so many of the clients."""
    responses = symbols(f"r1:{clients + 1}", nonnegative=True)
    total = Integer(0)
    for group in combinations(range(clients), drawn):
        mean = sum((responses[client] for client in group), Integer(0)) / drawn
        total += value((responses, tuple(int(client in group) for client in range(clients)), mean))
    return total / comb(clients, drawn)


def first(draw: Draw) -> Any:
    """(10) of the first client."""
    responses, group, mean = draw
    share = Rational(sum(group), len(group))
    return (1 - group[0] / share) * mean + group[0] / share * responses[0]


def enumerated(clients: int, drawn: int) -> Theorem:
    """The bias from all draws of so many of the clients."""
    responses = symbols(f"r1:{clients + 1}", nonnegative=True)
    centre = sum(responses) / clients
    kappa = KAPPA.subs({K: clients, m: drawn})
    statement = eq(average(clients, drawn, first), centre + kappa * (responses[0] - centre))
    note = f"all draws of {drawn} of {clients}, one by one"
    name = f"aaggff/4.3-{drawn}-of-{clients}"
    return Theorem(name, statement, (), (Step("1", statement, Combine()),), place="Lemma 4.3", note=note)


ENUMERATED = tuple(enumerated(*sizes) for sizes in ((2, 1), (4, 2), (5, 3)))
_r1, _r2 = symbols("r1:3", nonnegative=True)
_AT = {_r1: Integer(1), _r2: Integer(0)}


def refuted(name: str, left: Expr, right: Expr, at: dict[Any, Any], place: str, note: str) -> Theorem:
    """A printed equation that is false for one of two clients drawn."""
    claim = eq(left, right)
    step = Step("1", claim, Witness(at), expected="REFUTED", note=note)
    return Theorem(name, claim, (), (step,), "REFUTED", name, place, "one of two clients drawn")


PRINTED = refuted("aaggff/4.3@printed", average(2, 1, first), _r1, _AT, "Lemma 4.3", "1/2, not 1")
PULLED = refuted(
    "aaggff/4.3-31@printed",
    average(2, 1, lambda draw: (1 - 2 * draw[1][0]) * draw[2]),
    Integer(0),
    _AT,
    "(31)",
    "the mean response seen depends on who is seen",
)

# Lemma 4.4: the estimate of the gradient ------------------------------------------------------------------------------


def gradient(response: Any, along: Any, reference: Any) -> Any:
    """(11) in one entry, with the reference in every entry and <p, response - reference>."""
    return -response / (1 + reference) + reference * along / (1 + reference) ** 2


_along = whole(p(j) * (robust(j, c) - c))
_fixed = eq(E(gradient(robust(i, c), _along, c)), gradient(r(i), whole(p(j) * (r(j) - c)), c), EACH)
FIXED = Theorem(
    "aaggff/4.4@corrected",
    _fixed,
    (ONE,),
    (
        Step(
            "all",
            eq(Total(E(seen(j)) * p(j) * (r(j) - c), j, 1, K), m / K * whole(p(j) * (r(j) - c))),
            Summed((i,), p(i) * (r(i) - c)),
            ("one",),
        ),
        Step(
            "1",
            _fixed,
            Combine({"one": -K / m * (r(i) - c) / (1 + c), "all": K / m * c / (1 + c) ** 2}),
            ("one", "all"),
        ),
    ),
    claim="aaggff/4.4@corrected",
    place="Lemma 4.4",
    note="unbiased with a reference and imputed response that do not depend on the draw",
)
_p1 = Symbol("p1", nonnegative=True)


def _second(draw: Draw) -> Any:
    responses, group, mean = draw
    return (1 - 2 * group[1]) * mean + 2 * group[1] * responses[1]


def _estimated(draw: Draw, reference: Any) -> Any:
    one, two = first(draw), _second(draw)
    return gradient(one, _p1 * (one - reference) + (1 - _p1) * (two - reference), reference)


def _wanted(draw: Draw, reference: Any) -> Any:
    one, two = draw[0]
    return gradient(one, _p1 * (one - reference) + (1 - _p1) * (two - reference), reference)


_WHERE = {**_AT, _p1: Rational(1, 2)}
MOVING = refuted(
    "aaggff/4.4@printed",
    average(2, 1, lambda d: _estimated(d, d[2])),
    average(2, 1, lambda d: _wanted(d, d[2])),
    _WHERE,
    "Lemma 4.4",
    "the reference depends on the draw, and (10) is biased",
)
BIASED_FIXED = refuted(
    "aaggff/4.4-fixed@printed",
    average(2, 1, lambda d: _estimated(d, c)),
    average(2, 1, lambda d: _wanted(d, c)),
    {**_WHERE, c: Rational(1, 2)},
    "Lemma 4.4",
    "(10) is biased whatever the reference",
)

# Lemma A.2: how large the estimates are -------------------------------------------------------------------------------

rho, W = Symbol("rho", nonnegative=True), (C2 - C1) / C
_one = seen(i) / C * (r(i) - rho)
_all = whole(w(j) * seen(j) / C * (r(j) - rho))
_entry = -(rho + _one) / (1 + rho) + rho * _all / (1 + rho) ** 2
SIZES = (
    Given("seen", eq(seen(i) ** 2, seen(i), EACH), "0 or 1"),
    Given("low", le(C1, r(i), EACH), "responses are in [C1, C2]"),
    Given("high", le(r(i), C2, EACH), "and not above"),
    Given("ref low", le(C1, rho), "so is the reference, their mean over those seen"),
    Given("ref high", le(rho, C2), "and not above"),
    Given("weights", eq(whole(w(j)), 1), "the decision is a distribution"),
)
_LDR = bounds.L_DR
_SIZE = le(Abs(_entry), _LDR, EACH)
A2 = Theorem(
    "aaggff/A.2",
    _SIZE,
    (*SIZES, Given("order", le(C1, C2), "a range")),
    (
        Step("part", le(0, 1 - seen(i), EACH), Apply("aaggff/indicator", {P: seen(i)}), ("seen",)),
        Step(
            "up",
            le(_one, W, EACH),
            Combine({"high": seen(i) / C, "ref low": seen(i) / C, "order": (1 - seen(i)) / C}),
            ("high", "ref low", "order", "part"),
        ),
        Step(
            "down",
            le(-W, _one, EACH),
            Combine({"low": seen(i) / C, "ref high": seen(i) / C, "order": (1 - seen(i)) / C}),
            ("low", "ref high", "order", "part"),
        ),
        Step("ups", le(_all, W * whole(w(j))), Summed((i,), w(i)), ("up",)),
        Step("downs", le(-W * whole(w(j)), _all), Summed((i,), w(i)), ("down",)),
        Step("all up", le(_all, W), Combine({"ups": 1, "weights": W}), ("ups", "weights")),
        Step("all down", le(-W, _all), Combine({"downs": 1, "weights": W}), ("downs", "weights")),
        Step("first", le(1 / (1 + rho), 1 / (1 + C1)), Combine({"ref low": 1 / ((1 + rho) * (1 + C1))}), ("ref low",)),
        Step(
            "wide",
            le(W / (1 + rho) + W * rho / (1 + rho) ** 2, 2 * W / (1 + C1)),
            Combine({"first": 2 * W, "order": 1 / (C * (1 + rho) ** 2)}),
            ("first", "order"),
        ),
        Step(
            "centre",
            le(rho / (1 + rho), C2 / (1 + C1)),
            Combine({"ref high": 1 / (1 + rho), "first": C2}),
            ("ref high", "first"),
        ),
        Step(
            "entry up",
            le(_entry, _LDR, EACH),
            Combine({"down": 1 / (1 + rho), "all up": rho / (1 + rho) ** 2, "wide": 1}),
            ("down", "all up", "wide"),
        ),
        Step(
            "entry down",
            le(-_entry, _LDR, EACH),
            Combine({"up": 1 / (1 + rho), "all down": rho / (1 + rho) ** 2, "wide": 1, "centre": 1}),
            ("up", "all down", "wide", "centre"),
        ),
        Step("1", _SIZE, Absolute(), ("entry up", "entry down")),
    ),
    place="Lemma A.2",
    note="each entry of the estimated gradient",
)
_AT_SHARE = {C: m / K}
_STATED, _CONDITIONS = stated(of.A2, Abs(_entry).xreplace(_AT_SHARE))
_STATED = le(_STATED.left, _STATED.right, EACH)
A2_STATED = Theorem(
    "aaggff/A.2@printed",
    _STATED,
    (*SIZES, *_CONDITIONS),
    (Step("1", _STATED, Apply("aaggff/A.2", _AT_SHARE), (*(h.id for h in SIZES), "c1")),),
    claim="aaggff/A.2@printed",
    bound=of.A2,
    place="Lemma A.2",
    unused=("c2", "c3"),
)
_index = Symbol("l", integer=True, positive=True)
_PAIR = (EACH, (_index, 1, K))
_low, _high = -(rho - C1) / C, (C2 - rho) / C
_span = (_entry.xreplace({i: _index}) - _entry) / 2
_HALF, _ = stated(of.A2_HALF, _span.xreplace(_AT_SHARE))
_HALF = le(_HALF.left, _HALF.right, *_PAIR)
_EVERY = le(_span, bounds.H_DR, *_PAIR)
_SPAN_GIVEN = SIZES[:-1]
A2_SPAN = Theorem(
    "aaggff/A.2-half",
    _EVERY,
    (*_SPAN_GIVEN, Given("order", le(C1, C2), "a range")),
    (
        Step("part", le(0, 1 - seen(i), EACH), Apply("aaggff/indicator", {P: seen(i)}), ("seen",)),
        Step(
            "up",
            le(_one, _high, EACH),
            Combine({"high": seen(i) / C, "ref high": (1 - seen(i)) / C}),
            ("high", "ref high", "part"),
        ),
        Step(
            "down",
            le(_low, _one, EACH),
            Combine({"low": seen(i) / C, "ref low": (1 - seen(i)) / C}),
            ("low", "ref low", "part"),
        ),
        Step("down l", le(_low, _one.xreplace({i: _index}), (_index, 1, K)), Instance({i: _index}), ("down",)),
        Step("first", le(1 / (1 + rho), 1 / (1 + C1)), Combine({"ref low": 1 / ((1 + rho) * (1 + C1))}), ("ref low",)),
        Step(
            "1",
            _EVERY,
            Combine({"up": 1 / (2 * (1 + rho)), "down l": 1 / (2 * (1 + rho)), "first": (C2 - C1) / (2 * C)}),
            ("up", "down l", "first", "order"),
        ),
    ),
    place="Lemma A.2",
    note="half the difference of any two entries: only this counts on the simplex",
)
A2_HALF = Theorem(
    "aaggff/A.2@sharpened",
    _HALF,
    (*_SPAN_GIVEN, *_CONDITIONS),
    (Step("1", _HALF, Apply("aaggff/A.2-half", _AT_SHARE), (*(h.id for h in _SPAN_GIVEN), "c1")),),
    claim="aaggff/A.2@sharpened",
    place="Lemma A.2",
    unused=("c2", "c3"),
    bound=of.A2_HALF,
)

THEOREMS = (
    BIASED,
    BIAS,
    D1,
    D2,
    ALONE,
    *ENUMERATED,
    PRINTED,
    PULLED,
    FIXED,
    MOVING,
    BIASED_FIXED,
    A2,
    A2_STATED,
    A2_SPAN,
    A2_HALF,
)
