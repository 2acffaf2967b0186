"""Whether 1/(4 L_inf), the paper's beta, is a curvature that the responses' range allows; response ranges of Appendix B.2.

For C1 = 0 it is from the root of 7 C2 = 8 log(1 + C2) on, which lies between the two numbers of the catalogue.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, diff, log

from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.letters import C1, C2, C, K, T
from fltheory.proof.language import (
    Apply,
    Ball,
    Cases,
    Combine,
    Given,
    Rising,
    Squeezed,
    Step,
    Theorem,
    Witness,
    eq,
    le,
    lt,
    stated,
)
from proofs_checks.aaggff.curvature import W, beta, star, w, x
from proofs_checks.aaggff.facts import a, b, c
from proofs_checks.aaggff.lemmas import share

PLACE = bounds.T51.source.place
L, V = bounds.L, bounds.V
RATIO = bounds.BETA_STAR / bounds.BETA

# From the larger number on --------------------------------------------------------------------------------------------

_FROM = 7 * (of.ROOT_HIGH + x) - 8 * log(1 + of.ROOT_HIGH + x)
LARGE_L = Theorem(
    "aaggff/window-numbers",
    le(0, _FROM),
    (),
    (
        Step("start", le(0, _FROM.xreplace({x: Integer(0)})), Ball(())),
        Step("slope", le(0, diff(_FROM, x)), Combine()),
        Step("last", le(0, _FROM), Rising(x), ("start", "slope")),
    ),
    place=PLACE,
    note="8 log(1 + L) <= 7 L from 0.29872 on",
)
_sum = W + x
_ALLOWED = le(1, 4 * _sum * star(W))
ALLOWED = Theorem(
    "aaggff/window",
    _ALLOWED,
    (Given("numbers", le(0, 7 * _sum - 8 * log(1 + _sum)), "the sup-norm is large enough"),),
    (
        Step(
            "order",
            le(0, (W - log(1 + W)) * _sum**2 - (_sum - log(1 + _sum)) * W**2),
            Apply("aaggff/curvature-falls", {w: W}),
            note="the curvature allowed falls with the spread",
        ),
        Step("1", _ALLOWED, Combine({"order": 8 / (_sum * W**2), "numbers": 1 / _sum}), ("order", "numbers")),
    ),
    place=PLACE,
    note="L = V + x: 1/(4 L) is at most beta*(V)",
)
_LARGE, _CONDITIONS = stated(of.A10_CHOICE_LARGE, RATIO)
LARGE = Theorem(
    "aaggff/A.10-choice@corrected",
    _LARGE,
    _CONDITIONS,
    (
        Step("room", le(0, L - of.ROOT_HIGH), Combine({"c3": 1}), ("c3",)),
        Step(
            "numbers", le(0, 7 * L - 8 * log(1 + L)), Apply("aaggff/window-numbers", {x: L - of.ROOT_HIGH}), ("room",)
        ),
        Step("range", lt(0, V), Combine({"c1": 1 / (1 + C1)}), ("c1",)),
        Step(
            "1",
            _LARGE,
            Apply("aaggff/window", {W: V, x: C1 / (1 + C1)}),
            ("numbers", "range"),
            note="L = V + C1/(1 + C1)",
        ),
    ),
    claim="aaggff/A.10-choice@corrected",
    place=PLACE,
    unused=("c2",),
    bound=of.A10_CHOICE_LARGE,
)

# Up to the smaller number, for C1 = 0 ---------------------------------------------------------------------------------

_root, _part = of.ROOT_LOW, C2 / of.ROOT_LOW
_AT_ROOT = le(7 * _root, 8 * log(1 + _root))
_CHORD = le(-log(1 + C2), -_part * log(1 + _root) - (1 - _part) * log(Integer(1)))
_SMALL, _CONDITIONS = stated(of.A10_CHOICE_SMALL, RATIO)
SMALL = Theorem(
    "aaggff/A.10-choice@sharpened",
    _SMALL,
    _CONDITIONS,
    (
        Step("positive", le(0, C1), Combine()),
        Step("zero", eq(C1, 0), Squeezed(), ("c3", "positive")),
        Step("mixed", eq(1 + C2, _part * (1 + _root) + (1 - _part)), Combine()),
        Step("part", le(_part, 1), Combine({"c4": 1 / _root}), ("c4",)),
        Step(
            "chord",
            _CHORD,
            Apply("aaggff/A.1-convex", {share: _part, a: 1 + _root, b: Integer(1), c: 1 + C2}),
            ("mixed", "part"),
            note="the logarithm is concave",
        ),
        Step("root", _AT_ROOT, Ball(())),
        Step("below", le(7 * C2, 8 * log(1 + C2)), Combine({"chord": 8, "root": _part}), ("chord", "root")),
        Step("1", _SMALL, Combine({"below": 1 / C2}), ("below",), ("zero",)),
    ),
    claim="aaggff/A.10-choice@sharpened",
    place=PLACE,
    unused=("c1", "c2"),
    bound=of.A10_CHOICE_SMALL,
)
_PRINTED, _CONDITIONS = stated(of.A10_CHOICE, RATIO)
PRINTED = Theorem(
    "aaggff/A.10-choice@printed",
    _PRINTED,
    _CONDITIONS,
    (
        Step(
            "1",
            _PRINTED,
            Witness({C1: Rational(1, 100), C2: Rational(1, 4), K: 4}),
            ("c1", "c2"),
            expected="REFUTED",
            note="about the paper's own range for four clients, 1 is more than the curvature allowed",
        ),
    ),
    expected="REFUTED",
    claim="aaggff/A.10-choice@printed",
    place=PLACE,
    bound=of.A10_CHOICE,
)

# The paper's own window: beta <= 1/2 and beta <= 1/(2 V) --------------------------------------------------------------

_SMALL_V, _LARGE_V = (le(W, 1),), (le(1, W),)
_BEYOND = 3 * (1 + x) - 4 * log(2 + x)
BEYOND = Theorem(
    "aaggff/window-beyond",
    le(0, _BEYOND),
    (),
    (
        Step("start", le(0, _BEYOND.xreplace({x: Integer(0)})), Ball(())),
        Step("slope", le(0, diff(_BEYOND, x)), Combine()),
        Step("last", le(0, _BEYOND), Rising(x), ("start", "slope")),
    ),
    place=PLACE,
    note="4 log(1 + V) <= 3 V from 1 on",
)
_INSIDE = le(beta, star(W))
INSIDE = Theorem(
    "aaggff/window-A.10",
    _INSIDE,
    (
        Given("half", le(beta, Rational(1, 2)), "delta <= gamma/2 in Lemma A.10, the loss being 1-exp-concave"),
        Given("inner", le(beta * W, Rational(1, 2)), "its other condition: inner products with g are at most V"),
    ),
    (
        Step("room", le(0, 1 - W), Combine({"assumed 1": 1}), assuming=_SMALL_V),
        Step(
            "order",
            le(0, (W - log(1 + W)) * 1**2 - (1 - log(Integer(2))) * W**2),
            Apply("aaggff/curvature-falls", {w: W, x: 1 - W}),
            ("room",),
            assuming=_SMALL_V,
        ),
        Step("two", le(log(Integer(2)), Rational(3, 4)), Ball(())),
        Step(
            "small",
            _INSIDE,
            Combine({"order": 2 / W**2, "two": 2, "half": 1}),
            ("order", "two", "half"),
            assuming=_SMALL_V,
        ),
        Step("beyond", le(0, W - 1), Combine({"assumed 1": 1}), assuming=_LARGE_V),
        Step(
            "slow",
            le(0, 3 * W - 4 * log(1 + W)),
            Apply("aaggff/window-beyond", {x: W - 1}),
            ("beyond",),
            assuming=_LARGE_V,
        ),
        Step("large", _INSIDE, Combine({"slow": 1 / (2 * W**2), "inner": 1 / W}), ("slow", "inner"), assuming=_LARGE_V),
        Step("1", _INSIDE, Cases(), ("small", "large")),
    ),
    place="Lemma A.10",
    note="such a beta is a curvature that the range allows",
)

# The ranges of Appendix B.2 -------------------------------------------------------------------------------------------

_SILO, _DEVICE = {C1: Integer(0), C2: 1 / K}, {C1: Integer(0), C2: C}


def arithmetic(name: str, value: Expr, expected: Any, at: dict[Any, Any], note: str) -> Theorem:
    """What a size is at a range."""
    claim, theorem = eq(value.xreplace(at), expected), f"aaggff/{name}"
    return Theorem(theorem, claim, (), (Step("1", claim, Combine()),), claim=theorem, place="B.2", note=note)


RANGES = (
    arithmetic("R1@printed", L, 1 / K, _SILO, "L_inf with C1 = 0, C2 = 1/K"),
    arithmetic("R1-steps@explicit", bounds.ALPHA, Integer(4), _SILO, "alpha"),
    arithmetic("R1-curvature@explicit", bounds.BETA, K / 4, _SILO, "beta"),
    arithmetic("R1-bound@explicit", bounds.T51.expr, 2 * (1 + log(1 + T / (16 * K))), _SILO, "the printed bound"),
    arithmetic("R2@printed", bounds.L_DR, C + 2, _DEVICE, "the size of the estimates with C1 = 0, C2 = C"),
    arithmetic(
        "R2-inflation@corrected",
        bounds.L_DR / L,
        1 + 2 / C,
        _DEVICE,
        "over the size of the gradients 1/C is still there",
    ),
)

THEOREMS = (LARGE_L, ALLOWED, LARGE, SMALL, PRINTED, BEYOND, INSIDE, *RANGES)
