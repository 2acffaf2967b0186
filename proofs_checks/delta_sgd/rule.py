"""The step-size rule (line 9 of Algorithm 1): growth R1, floor R2, ceiling R3.

``eta(n)`` is the step n of a client in a round, ``theta(n)`` its ratio, ``entry(n)`` the first entry of the minimum that makes it;
for one pair of points ``move`` is their distance and ``turn`` that of their gradients.
"""

from __future__ import annotations

from sympy import Max, Min, Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.bounds import rule as rule_formula
from fltheory.papers.delta_sgd.letters import L, Pi, T, delta, eta_0, gamma, mu, theta_0
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Power,
    Step,
    Theorem,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import Nonnegative, Positive, family

n = Symbol("n", integer=True, nonnegative=True)
eta, g, grown, entry = (family(Positive, name) for name in ("eta", "g", "Pi", "entry"))
theta = family(Nonnegative, "theta")
move, turn, step, a, b = (Symbol(name, positive=True) for name in ("move", "turn", "eta", "a", "b"))
ALWAYS = (n, 0, oo)
PLACE = "Algorithm 1, line 9"
START = Given("start", eq(eta(0), eta_0), "every round begins with the step eta_0")

# Facts ----------------------------------------------------------------------------------------------------------------

_ROOT = le(a, b)
ROOT = Theorem(
    "delta_sgd/root",
    _ROOT,
    (Given("squares", le(a**2, b**2), "squares are in order"),),
    (Step("1", _ROOT, Combine({"squares": 1 / (a + b)}), ("squares",)),),
    place=PLACE,
    note="so are positive numbers themselves",
)
c = Symbol("c", positive=True)
_ABOVE = le(c, Min(a, b))
_ORDER = (le(a, b),), (le(b, a),)
ABOVE = Theorem(
    "delta_sgd/above",
    _ABOVE,
    (Given("one", le(c, a), "below the one"), Given("other", le(c, b), "below the other")),
    (
        Step("1.1", eq(Min(a, b), a), Known("min", Min(a, b)), assuming=_ORDER[0]),
        Step("1", _ABOVE, Combine({"one": 1, "1.1": -1}), ("one", "1.1"), assuming=_ORDER[0]),
        Step("2.1", eq(Min(a, b), b), Known("min", Min(a, b)), assuming=_ORDER[1]),
        Step("2", _ABOVE, Combine({"other": 1, "2.1": -1}), ("other", "2.1"), assuming=_ORDER[1]),
        Step("3", _ABOVE, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="what is below two numbers is below the smaller one",
)
_BELOW = le(Min(a, b), a)
BELOW = Theorem(
    "delta_sgd/below",
    _BELOW,
    (),
    (
        Step("1.1", eq(Min(a, b), a), Known("min", Min(a, b)), assuming=_ORDER[0]),
        Step("1", _BELOW, Combine({"1.1": 1}), ("1.1",), assuming=_ORDER[0]),
        Step("2.1", eq(Min(a, b), b), Known("min", Min(a, b)), assuming=_ORDER[1]),
        Step("2", _BELOW, Combine({"2.1": 1, "assumed 1": 1}), ("2.1",), assuming=_ORDER[1]),
        Step("3", _BELOW, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="the smaller one is below each",
)

# R1: growth -------------------------------------------------------------------------------------------------------------

_GROWN, _ = stated(formula.GROWTH, eta(n), {Pi: grown(n)})
_GROWS = le(_GROWN.left, _GROWN.right, ALWAYS)
_RATIO = le(eta(n + 1), g(n + 1) * eta(n), ALWAYS)
_SQUARED = le(eta(n + 2) ** 2, (1 + delta * g(n + 1)) * eta(n + 1) ** 2, ALWAYS)
GROWTH = Theorem(
    "delta_sgd/R1",
    _GROWS,
    (
        START,
        Given(
            "first",
            le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
            "the second entry, squared, with the first ratio",
        ),
        Given(
            "growth",
            le(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, ALWAYS),
            "the second entry, squared",
        ),
        Given("g 1", eq(g(1) ** 2, 1 + delta * theta_0), "g_1 is the root of 1 + delta theta_0"),
        Given(
            "g", eq(g(n + 2) ** 2, 1 + delta * g(n + 1), ALWAYS), "each g is the root of 1 + delta times the one before"
        ),
        Given("none", eq(grown(0), 1), "the empty product"),
        Given("product", eq(grown(n + 1), g(n + 1) * grown(n), ALWAYS), "the product of the g"),
    ),
    (
        Step(
            "1.1", le(eta(1) ** 2, (g(1) * eta(0)) ** 2), Combine({"first": 1, "g 1": -(eta(0) ** 2)}), ("first", "g 1")
        ),
        Step("1", le(eta(1), g(1) * eta(0)), Apply("delta_sgd/root", {a: eta(1), b: g(1) * eta(0)}), ("1.1",)),
        Step(
            "2.1",
            _SQUARED,
            Combine({"growth": 1, "assumed 1": delta * eta(n + 1) ** 2 / eta(n)}),
            ("growth",),
            assuming=(le(_RATIO.left, _RATIO.right),),
            note="a larger ratio allows more",
        ),
        Step(
            "2.2",
            le(eta(n + 2) ** 2, (g(n + 2) * eta(n + 1)) ** 2, ALWAYS),
            Combine({"2.1": 1, "g": -(eta(n + 1) ** 2)}),
            ("2.1", "g"),
            assuming=(le(_RATIO.left, _RATIO.right),),
        ),
        Step(
            "2",
            le(eta(n + 2), g(n + 2) * eta(n + 1), ALWAYS),
            Apply("delta_sgd/root", {a: eta(n + 2), b: g(n + 2) * eta(n + 1)}),
            ("2.2",),
            assuming=(le(_RATIO.left, _RATIO.right),),
        ),
        Step("3", _RATIO, Induction(n), ("1", "2"), note="no ratio is above its g"),
        Step("4", le(eta(0), eta_0 * grown(0)), Combine({"start": 1, "none": -eta_0}), ("start", "none")),
        Step(
            "5",
            le(eta(n + 1), eta_0 * grown(n + 1), ALWAYS),
            Combine({"3": 1, "assumed 1": g(n + 1), "product": -eta_0}),
            ("3", "product"),
            assuming=(_GROWN,),
        ),
        Step("6", _GROWS, Induction(n), ("4", "5")),
    ),
    place=PLACE,
    note="R1: how much steps can grow, for any number of steps",
    claim="delta_sgd/R1@explicit",
    bound=formula.GROWTH,
    reading={Pi: grown(n)},
)
_FIXED = (delta + sqrt(delta**2 + 4)) / 2
_FIXED_POINT = eq(_FIXED**2, 1 + delta * _FIXED)
FIXED_POINT = Theorem(
    "delta_sgd/R1-limit",
    _FIXED_POINT,
    (),
    (Step("1", _FIXED_POINT, Combine()),),
    place=PLACE,
    note="R1: the ratio that reproduces itself, the golden one for delta = 1",
)


# The ratios themselves, from line 9 ---------------------------------------------------------------------------------------

most, own = (Symbol(name, positive=True) for name in ("Theta", "phi"))
_LARGER_ONE = le(a, Max(a, b))
LARGER = Theorem(
    "delta_sgd/larger",
    _LARGER_ONE,
    (),
    (
        Step("1.1", eq(Max(a, b), a), Known("max", Max(a, b)), assuming=_ORDER[1]),
        Step("1", _LARGER_ONE, Combine({"1.1": -1}), ("1.1",), assuming=_ORDER[1]),
        Step("2.1", eq(Max(a, b), b), Known("max", Max(a, b)), assuming=_ORDER[0]),
        Step("2", _LARGER_ONE, Combine({"2.1": -1, "assumed 1": 1}), ("2.1",), assuming=_ORDER[0]),
        Step("3", _LARGER_ONE, Cases(), ("1", "2")),
    ),
    place=PLACE,
    note="the larger one is above each",
)
_GROWN_SQUARE = le(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, ALWAYS)
_BOUNDED = le(eta(n + 1), most * eta(n), ALWAYS)
_BOUNDED_SQUARE = le(eta(n + 2) ** 2, (1 + delta * most) * eta(n + 1) ** 2, ALWAYS)
_WITHIN = le(eta(n + 2) ** 2, (most * eta(n + 1)) ** 2, ALWAYS)
_BEFORE = (le(_BOUNDED.left, _BOUNDED.right),)
BOUNDED = Theorem(
    "delta_sgd/ratio-ceiling",
    _BOUNDED,
    (
        Given(
            "first",
            le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
            "the second entry, squared, with the first ratio",
        ),
        Given("growth", _GROWN_SQUARE, "the second entry, squared"),
        Given("wide", le(1 + delta * theta_0, most**2), "the ceiling is above the first ratio"),
        Given("own", eq(own**2, 1 + delta * own), "the ratio that reproduces itself"),
        Given("high", le(own, most), "the ceiling is not below it"),
    ),
    (
        Step(
            "1.1", le(eta(1) ** 2, (most * eta(0)) ** 2), Combine({"first": 1, "wide": eta(0) ** 2}), ("first", "wide")
        ),
        Step("1", le(eta(1), most * eta(0)), Apply("delta_sgd/root", {a: eta(1), b: most * eta(0)}), ("1.1",)),
        Step(
            "2.1",
            le(1 + delta * most, most**2),
            Combine({"high": most + 1 / own, "own": -most / own}),
            ("high", "own"),
            note="at the ceiling the cap is no larger than the ceiling",
        ),
        Step(
            "2.2",
            _BOUNDED_SQUARE,
            Combine({"growth": 1, "assumed 1": delta * eta(n + 1) ** 2 / eta(n)}),
            ("growth",),
            assuming=_BEFORE,
            note="a larger ratio allows more",
        ),
        Step("2.3", _WITHIN, Combine({"2.2": 1, "2.1": eta(n + 1) ** 2}), ("2.2", "2.1"), assuming=_BEFORE),
        Step(
            "2",
            le(eta(n + 2), most * eta(n + 1), ALWAYS),
            Apply("delta_sgd/root", {a: eta(n + 2), b: most * eta(n + 1)}),
            ("2.3",),
            assuming=_BEFORE,
        ),
        Step("3", _BOUNDED, Induction(n), ("1", "2")),
    ),
    place=PLACE,
    note="no ratio is above the first one's cap and the ratio that reproduces itself",
)
RULE = (
    Given("first", eq(eta(0), eta_0), "the first step is made with eta_0"),
    Given("begin", eq(eta(1), Min(entry(1), formula.FIRST_CAP)), "line 9 with the first ratio"),
    Given(
        "rule",
        eq(eta(n + 2), Min(entry(n + 2), sqrt(1 + delta * theta(n + 1)) * eta(n + 1)), ALWAYS),
        "line 9 of Algorithm 1",
    ),
    Given("ratio", eq(theta(n + 1), eta(n + 1) / eta(n), ALWAYS), "line 10"),
)
_CAP = sqrt(1 + delta * theta(n + 1)) * eta(n + 1)
_GROWING = le(eta(n + 1), formula.MOST * eta(n), ALWAYS)
GROWING = Theorem(
    "delta_sgd/R1-growing",
    _GROWING,
    RULE,
    (
        Step(
            "1.1",
            le(Min(entry(1), formula.FIRST_CAP), formula.FIRST_CAP),
            Apply("delta_sgd/below", {a: formula.FIRST_CAP, b: entry(1)}),
        ),
        Step("1.2", le(eta(1), formula.FIRST_CAP), Combine({"1.1": 1, "begin": 1}), ("1.1", "begin")),
        Step(
            "1",
            le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
            Combine({"1.2": eta(1) + formula.FIRST_CAP, "first": -(1 + delta * theta_0) * (eta(0) + eta_0)}),
            ("1.2", "first"),
        ),
        Step("2.1", le(Min(entry(n + 2), _CAP), _CAP, ALWAYS), Apply("delta_sgd/below", {a: _CAP, b: entry(n + 2)})),
        Step("2.2", le(eta(n + 2), _CAP, ALWAYS), Combine({"2.1": 1, "rule": 1}), ("2.1", "rule")),
        Step(
            "2", _GROWN_SQUARE, Combine({"2.2": eta(n + 2) + _CAP, "ratio": delta * eta(n + 1) ** 2}), ("2.2", "ratio")
        ),
        Step(
            "3.1",
            le(formula.FIRST_RATIO, formula.MOST),
            Apply("delta_sgd/larger", {a: formula.FIRST_RATIO, b: formula.LAST_RATIO}),
        ),
        Step(
            "3",
            le(1 + delta * theta_0, formula.MOST**2),
            Combine({"3.1": formula.FIRST_RATIO + formula.MOST}),
            ("3.1",),
        ),
        Step(
            "4",
            le(formula.LAST_RATIO, formula.MOST),
            Apply("delta_sgd/larger", {a: formula.LAST_RATIO, b: formula.FIRST_RATIO}),
        ),
        Step("5", _FIXED_POINT, Apply("delta_sgd/R1-limit")),
        Step(
            "6",
            _GROWING,
            Apply("delta_sgd/ratio-ceiling", {most: formula.MOST, own: formula.LAST_RATIO}),
            ("1", "2", "3", "4", "5"),
        ),
    ),
    place=PLACE,
    note="a step over the one before it, for any number of steps",
)
_AT_MOST, _ = stated(rule_formula.RATIO, theta(n + 1))
RATIO = Theorem(
    "delta_sgd/R1-ratio",
    le(_AT_MOST.left, _AT_MOST.right, ALWAYS),
    RULE,
    (
        Step("1", _GROWING, Apply("delta_sgd/R1-growing"), ("first", "begin", "rule", "ratio")),
        Step("2", le(_AT_MOST.left, _AT_MOST.right, ALWAYS), Combine({"1": 1 / eta(n), "ratio": 1}), ("1", "ratio")),
    ),
    place=PLACE,
    note="R1: the ratios, for any number of steps",
    claim="delta_sgd/R1-ratio@explicit",
    bound=rule_formula.RATIO,
)
_POWER, _ = stated(rule_formula.EXPONENTIAL, eta(n), {T: n})
_POWERS = le(_POWER.left, _POWER.right, ALWAYS)
EXPONENTIAL = Theorem(
    "delta_sgd/R3-gamma",
    _POWERS,
    RULE,
    (
        Step("grows", _GROWING, Apply("delta_sgd/R1-growing"), ("first", "begin", "rule", "ratio")),
        Step("1", le(eta(0), eta_0 * formula.MOST**0), Combine({"first": 1}), ("first",)),
        Step(
            "2",
            le(eta(n + 1), eta_0 * formula.MOST ** (n + 1), ALWAYS),
            Combine({"grows": 1, "assumed 1": formula.MOST}),
            ("grows",),
            assuming=(_POWER,),
        ),
        Step("3", _POWERS, Induction(n), ("1", "2")),
    ),
    place="after (28)",
    note="steps are of the order of gamma by a factor that is exponential in their number",
    claim="delta_sgd/R3-gamma@corrected",
    reading={T: n},
    bound=rule_formula.EXPONENTIAL,
)

# R2, R3: floor and ceiling ------------------------------------------------------------------------------------------------

ENTRY = gamma * move / (2 * turn)
_BENT = Given("smooth", le(turn, L * move), "no pair of gradients turns by more than L times its distance")
_HIGH = le(gamma / (2 * L), ENTRY)
HIGH = Theorem(
    "delta_sgd/entry",
    _HIGH,
    (_BENT,),
    (Step("1", _HIGH, Combine({"smooth": gamma / (2 * L * turn)}), ("smooth",)),),
    place=PLACE,
    note="the first entry, where the gradients differ",
)
curved = Symbol("mu", positive=True)
_CEILING, _CURVED = stated(rule_formula.CEILING_OF_RUN, step, {mu: curved})
CEILING = Theorem(
    "delta_sgd/R3",
    _CEILING,
    (
        Given("curved", le(curved * move, turn), "this pair turns at least by mu times its distance"),
        Given("rule", le(step, ENTRY), "the first entry of line 9"),
    ),
    (Step("1", _CEILING, Combine({"rule": 1, "curved": gamma / (2 * curved * turn)}), ("rule", "curved")),),
    place=PLACE,
    note="R3: the ceiling",
    claim="delta_sgd/R3@explicit",
    bound=rule_formula.CEILING_OF_RUN,
    reading={mu: curved},
)


def floored(name, bound, first, low, note, claim):
    """A floor of all steps from the one numbered ``low`` on, which is at least ``first``."""
    relation, _ = stated(bound, eta(n + low))
    floor = relation.left
    hypotheses = (
        *((START,) if low == 0 else ()),
        *(
            (Given("begin", eq(eta(1), Min(entry(1), formula.FIRST_CAP)), "line 9 with the first ratio"),)
            if low
            else ()
        ),
        Given(
            "rule",
            eq(eta(n + low + 1), Min(entry(n + low + 1), sqrt(1 + delta * theta(n + low)) * eta(n + low)), ALWAYS),
            "line 9 of Algorithm 1",
        ),
        Given("entries", le(gamma / (2 * L), entry(n + 1), ALWAYS), "the first entry of every step, by smoothness"),
    )
    assumed = (relation,)
    cap = sqrt(1 + delta * theta(n + low))
    base = (
        (Step("1", le(floor, eta(0)), Combine({"below": 1, "start": -1}), ("below", "start")),)
        if low == 0
        else (
            Step("1.1", le(gamma / (2 * L), entry(1)), Instance({n: 0}), ("entries",)),
            Step("1.2", le(floor, entry(1)), Combine(), ("below too", "1.1")),
            Step(
                "1.3",
                le(floor, Min(entry(1), formula.FIRST_CAP)),
                Apply("delta_sgd/above", {c: floor, a: entry(1), b: formula.FIRST_CAP}),
                ("1.2", "below"),
            ),
            Step("1", le(floor, eta(1)), Combine({"1.3": 1, "begin": -1}), ("1.3", "begin")),
        )
    )
    return Theorem(
        name,
        le(floor, eta(n + low), ALWAYS),
        hypotheses,
        (
            Step("below", le(floor, first), Apply("delta_sgd/below", {a: first, b: gamma / (2 * L)})),
            Step("below too", le(floor, gamma / (2 * L)), Apply("delta_sgd/below", {a: gamma / (2 * L), b: first})),
            *base,
            Step("2.1", le(gamma / (2 * L), entry(n + low + 1), ALWAYS), Instance({n: n + low}), ("entries",)),
            Step("2.2", le(floor, entry(n + low + 1), ALWAYS), Combine(), ("below too", "2.1")),
            Step("2.3", le(0, 1), Combine()),
            Step("2.4", le(1, 1 + delta * theta(n + low), ALWAYS), Combine()),
            Step("2.5", le(1, cap, ALWAYS), Power(Rational(1, 2)), ("2.3", "2.4")),
            Step(
                "2.6",
                le(floor, cap * eta(n + low), ALWAYS),
                Combine({"2.5": eta(n + low), "assumed 1": 1}),
                ("2.5",),
                assuming=assumed,
                note="the second entry never makes a step smaller",
            ),
            Step(
                "2.7",
                le(floor, Min(entry(n + low + 1), cap * eta(n + low)), ALWAYS),
                Apply("delta_sgd/above", {c: floor, a: entry(n + low + 1), b: cap * eta(n + low)}),
                ("2.2", "2.6"),
                assuming=assumed,
            ),
            Step(
                "2",
                le(floor, eta(n + low + 1), ALWAYS),
                Combine({"2.7": 1, "rule": -1}),
                ("2.7", "rule"),
                assuming=assumed,
            ),
            Step("3", le(floor, eta(n + low), ALWAYS), Induction(n), ("1", "2")),
        ),
        place=PLACE,
        note=note,
        claim=claim,
        bound=bound,
    )


FLOOR = floored("delta_sgd/R2", formula.FLOOR, eta_0, 0, "R2: the floor of all steps", "delta_sgd/R2@corrected")
LATER = floored(
    "delta_sgd/R2-later",
    formula.FLOOR_LATER,
    formula.FIRST_CAP,
    1,
    "R2: the floor of all steps after the first one",
    "delta_sgd/R2-later@corrected",
)

THEOREMS = (
    ROOT,
    ABOVE,
    BELOW,
    GROWTH,
    FIXED_POINT,
    LARGER,
    BOUNDED,
    GROWING,
    RATIO,
    EXPONENTIAL,
    HIGH,
    CEILING,
    FLOOR,
    LATER,
)
