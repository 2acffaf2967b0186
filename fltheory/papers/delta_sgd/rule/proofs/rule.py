"""The step-size rule (line 9 of Algorithm 1): growth R1, floor R2, ceiling R3.

``eta(n)`` is the step n of a client in a round, ``theta(n)`` its ratio, ``entry(n)`` the first entry of its minimum;
for one pair of points ``move`` is their distance and ``turn`` that of their gradients.
"""

from __future__ import annotations

from sympy import Max, Min, Rational, Symbol, oo, sqrt

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.notation import L, Pi, T, delta, eta_0, gamma, mu, theta_0
from fltheory.papers.delta_sgd.rule import bounds as rule_formula
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Nonnegative, Positive, family

n = Symbol("n", integer=True, nonnegative=True)
eta, g, grown, entry = (family(Positive, name) for name in ("eta", "g", "Pi", "entry"))
theta = family(Nonnegative, "theta")
move, turn, step, a, b = (Symbol(name, positive=True) for name in ("move", "turn", "eta", "a", "b"))
ALWAYS = (n, 0, oo)
PLACE = "Algorithm 1, line 9"
START = Given("start", eq(eta(0), eta_0), "every round begins with the step eta_0")

# Facts ----------------------------------------------------------------------------------------------------------------

ROOT = (
    proof("delta_sgd/root", PLACE, note="so are positive numbers themselves")
    .given("squares", le(a**2, b**2), "squares are in order")
    .qed(le(a, b), by.linear(squares=1 / (a + b)))
)
c = Symbol("c", positive=True)
_ABOVE = le(c, Min(a, b))
_ORDER = (le(a, b),), (le(b, a),)
ABOVE = (
    proof("delta_sgd/above", PLACE, note="what is below two numbers is below the smaller one")
    .given("one", le(c, a), "below the one")
    .given("other", le(c, b), "below the other")
    .step("1.1", eq(Min(a, b), a), by.fact("min", Min(a, b)), assuming=_ORDER[0])
    .step("1", _ABOVE, by.linear("one", "1.1"), assuming=_ORDER[0])
    .step("2.1", eq(Min(a, b), b), by.fact("min", Min(a, b)), assuming=_ORDER[1])
    .step("2", _ABOVE, by.linear("other", "2.1"), assuming=_ORDER[1])
    .qed(_ABOVE, by.cases("1", "2"))
)
_BELOW = le(Min(a, b), a)
BELOW = (
    proof("delta_sgd/below", PLACE, note="the smaller one is below each")
    .step("1.1", eq(Min(a, b), a), by.fact("min", Min(a, b)), assuming=_ORDER[0])
    .step("1", _BELOW, by.linear("1.1"), assuming=_ORDER[0])
    .step("2.1", eq(Min(a, b), b), by.fact("min", Min(a, b)), assuming=_ORDER[1])
    .step("2", _BELOW, by.linear("2.1"), assuming=_ORDER[1])
    .qed(_BELOW, by.cases("1", "2"))
)

# R1: growth -------------------------------------------------------------------------------------------------------------

_GROWN, _ = statement_of(formula.GROWTH, eta(n), {Pi: grown(n)})
_RATIO = le(eta(n + 1), g(n + 1) * eta(n), ALWAYS)
_SQUARED = le(eta(n + 2) ** 2, (1 + delta * g(n + 1)) * eta(n + 1) ** 2, ALWAYS)
GROWTH = (
    proof("delta_sgd/R1", PLACE, of="delta_sgd/R1@explicit", bound=formula.GROWTH, reading={Pi: grown(n)},
        note="R1: how much steps can grow, for any number of steps")
    .under(START)
    .given("first", le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
        "the second entry, squared, with the first ratio")
    .given("growth", le(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, ALWAYS),
        "the second entry, squared")
    .given("g 1", eq(g(1) ** 2, 1 + delta * theta_0), "g_1 is the root of 1 + delta theta_0")
    .given("g", eq(g(n + 2) ** 2, 1 + delta * g(n + 1), ALWAYS), "each g is the root of 1 + delta times the one before")
    .given("none", eq(grown(0), 1), "the empty product")
    .given("product", eq(grown(n + 1), g(n + 1) * grown(n), ALWAYS), "the product of the g")
    .step("1.1", le(eta(1) ** 2, (g(1) * eta(0)) ** 2), by.linear("first", "g 1"))
    .step("1", by.apply(ROOT, {a: eta(1), b: g(1) * eta(0)}))
    .step("2.1", _SQUARED, by.linear("growth"), assuming=le(_RATIO.left, _RATIO.right),
        note="a larger ratio allows more")
    .step("2.2", le(eta(n + 2) ** 2, (g(n + 2) * eta(n + 1)) ** 2, ALWAYS), by.linear("2.1", "g"),
        assuming=le(_RATIO.left, _RATIO.right))
    .step("2", by.apply(ROOT, {a: eta(n + 2), b: g(n + 2) * eta(n + 1)}), assuming=le(_RATIO.left, _RATIO.right))
    .step("3", _RATIO, by.induction(n, "1", "2"), note="no ratio is above its g")
    .step("4", le(eta(0), eta_0 * grown(0)), by.linear("start", "none"))
    .step("5", le(eta(n + 1), eta_0 * grown(n + 1), ALWAYS), by.linear("3", "product"), assuming=_GROWN)
    .qed(le(_GROWN.left, _GROWN.right, ALWAYS), by.induction(n, "4", "5"))
)
_FIXED = (delta + sqrt(delta**2 + 4)) / 2
FIXED_POINT = proof(
    "delta_sgd/R1-limit", PLACE, note="R1: the ratio that reproduces itself, the golden one for delta = 1"
).qed(eq(_FIXED**2, 1 + delta * _FIXED), by.linear())

# The ratios themselves, from line 9 ---------------------------------------------------------------------------------------

most, own = (Symbol(name, positive=True) for name in ("Theta", "phi"))
_LARGER_ONE = le(a, Max(a, b))
LARGER = (
    proof("delta_sgd/larger", PLACE, note="the larger one is above each")
    .step("1.1", eq(Max(a, b), a), by.fact("max", Max(a, b)), assuming=_ORDER[1])
    .step("1", _LARGER_ONE, by.linear("1.1"), assuming=_ORDER[1])
    .step("2.1", eq(Max(a, b), b), by.fact("max", Max(a, b)), assuming=_ORDER[0])
    .step("2", _LARGER_ONE, by.linear("2.1"), assuming=_ORDER[0])
    .qed(_LARGER_ONE, by.cases("1", "2"))
)
_GROWN_SQUARE = le(eta(n + 2) ** 2, (1 + delta * eta(n + 1) / eta(n)) * eta(n + 1) ** 2, ALWAYS)
_BOUNDED = le(eta(n + 1), most * eta(n), ALWAYS)
_BOUNDED_SQUARE = le(eta(n + 2) ** 2, (1 + delta * most) * eta(n + 1) ** 2, ALWAYS)
_BEFORE = (le(_BOUNDED.left, _BOUNDED.right),)
BOUNDED = (
    proof("delta_sgd/ratio-ceiling", PLACE,
        note="no ratio is above the first one's cap and the ratio that reproduces itself")
    .given("first", le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
        "the second entry, squared, with the first ratio")
    .given("growth", _GROWN_SQUARE, "the second entry, squared")
    .given("wide", le(1 + delta * theta_0, most**2), "the ceiling is above the first ratio")
    .given("own", eq(own**2, 1 + delta * own), "the ratio that reproduces itself")
    .given("high", le(own, most), "the ceiling is not below it")
    .step("1.1", le(eta(1) ** 2, (most * eta(0)) ** 2), by.linear("first", "wide"))
    .step("1", by.apply(ROOT, {a: eta(1), b: most * eta(0)}))
    .step("2.1", le(1 + delta * most, most**2), by.linear("high", "own"),
        note="at the ceiling the cap is no larger than the ceiling")
    .step("2.2", _BOUNDED_SQUARE, by.linear("growth"), assuming=_BEFORE, note="a larger ratio allows more")
    .step("2.3", le(eta(n + 2) ** 2, (most * eta(n + 1)) ** 2, ALWAYS), by.linear("2.2", "2.1"), assuming=_BEFORE)
    .step("2", by.apply(ROOT, {a: eta(n + 2), b: most * eta(n + 1)}), assuming=_BEFORE)
    .qed(_BOUNDED, by.induction(n, "1", "2"))
)
RULE = (
    Given("first", eq(eta(0), eta_0), "the first step is made with eta_0"),
    Given("begin", eq(eta(1), Min(entry(1), formula.FIRST_CAP)), "line 9 with the first ratio"),
    Given("rule", eq(eta(n + 2), Min(entry(n + 2), sqrt(1 + delta * theta(n + 1)) * eta(n + 1)), ALWAYS),
        "line 9 of Algorithm 1"),
    Given("ratio", eq(theta(n + 1), eta(n + 1) / eta(n), ALWAYS), "line 10"),
)
_CAP = sqrt(1 + delta * theta(n + 1)) * eta(n + 1)
_GROWING = le(eta(n + 1), formula.MOST * eta(n), ALWAYS)
GROWING = (
    proof("delta_sgd/R1-growing", PLACE, note="a step over the one before it, for any number of steps").under(*RULE)
    .step("1.1", by.apply(BELOW, {a: formula.FIRST_CAP, b: entry(1)}))
    .step("1.2", le(eta(1), formula.FIRST_CAP), by.linear("1.1", "begin"))
    .step("1", le(eta(1) ** 2, (1 + delta * theta_0) * eta(0) ** 2),
        by.linear({"1.2": eta(1) + formula.FIRST_CAP, "first": -(1 + delta * theta_0) * (eta(0) + eta_0)}))
    .step("2.1", by.apply(BELOW, {a: _CAP, b: entry(n + 2)}), over=ALWAYS)
    .step("2.2", le(eta(n + 2), _CAP, ALWAYS), by.linear("2.1", "rule"))
    .step("2", _GROWN_SQUARE, by.linear({"2.2": eta(n + 2) + _CAP, "ratio": delta * eta(n + 1) ** 2}))
    .step("3.1", by.apply(LARGER, {a: formula.FIRST_RATIO, b: formula.LAST_RATIO}))
    .step("3", le(1 + delta * theta_0, formula.MOST**2), by.linear({"3.1": formula.FIRST_RATIO + formula.MOST}))
    .step("4", by.apply(LARGER, {a: formula.LAST_RATIO, b: formula.FIRST_RATIO}))
    .step("5", by.apply(FIXED_POINT))
    .qed(_GROWING, by.apply(BOUNDED, {most: formula.MOST, own: formula.LAST_RATIO}, "1", "2", "3", "4", "5"))
)
_AT_MOST, _ = statement_of(rule_formula.RATIO, theta(n + 1))
RATIO = (
    proof("delta_sgd/R1-ratio", PLACE, of="delta_sgd/R1-ratio@explicit", bound=rule_formula.RATIO,
        note="R1: the ratios, for any number of steps")
    .under(*RULE)
    .qed(le(_AT_MOST.left, _AT_MOST.right, ALWAYS), by.linear(by.apply(GROWING), "ratio"))
)
_POWER, _ = statement_of(rule_formula.EXPONENTIAL, eta(n), {T: n})
EXPONENTIAL = (
    proof("delta_sgd/R3-gamma", "after (28)", of="delta_sgd/R3-gamma@corrected", bound=rule_formula.EXPONENTIAL,
        reading={T: n}, note="steps are of the order of gamma by a factor that is exponential in their number")
    .under(*RULE)
    .step("grows", by.apply(GROWING))
    .step("1", le(eta(0), eta_0 * formula.MOST**0), by.linear("first"))
    .step("2", le(eta(n + 1), eta_0 * formula.MOST ** (n + 1), ALWAYS), by.linear("grows"), assuming=_POWER)
    .qed(le(_POWER.left, _POWER.right, ALWAYS), by.induction(n, "1", "2"))
)

# R2, R3: floor and ceiling ------------------------------------------------------------------------------------------------

ENTRY = gamma * move / (2 * turn)
HIGH = (
    proof("delta_sgd/entry", PLACE, note="the first entry, where the gradients differ")
    .given("smooth", le(turn, L * move), "no pair of gradients turns by more than L times its distance")
    .qed(le(gamma / (2 * L), ENTRY), by.linear("smooth"))
)
curved = Symbol("mu", positive=True)
_CEILING, _CURVED = statement_of(rule_formula.CEILING_OF_RUN, step, {mu: curved})
CEILING = (
    proof("delta_sgd/R3", PLACE, of="delta_sgd/R3@explicit", bound=rule_formula.CEILING_OF_RUN, reading={mu: curved},
        note="R3: the ceiling")
    .given("curved", le(curved * move, turn), "this pair turns at least by mu times its distance")
    .given("rule", le(step, ENTRY), "the first entry of line 9")
    .qed(_CEILING, by.linear("rule", "curved"))
)


def floored(name, bound, first, low, note, claim, reading=()):
    """Prove a floor of all steps from number ``low`` on, given that this step is at least ``first``."""
    relation, _ = statement_of(bound, eta(n + low), dict(reading))
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
        (line("1", le(floor, eta(0)), by.linear("below", "start")),)
        if low == 0
        else (
            line("1.1", le(gamma / (2 * L), entry(1)), by.instance({n: 0}, "entries")),
            line("1.2", le(floor, entry(1)), by.linear("below too", "1.1")),
            line("1.3", le(floor, Min(entry(1), formula.FIRST_CAP)),
                by.apply(ABOVE, {c: floor, a: entry(1), b: formula.FIRST_CAP}, "1.2", "below")),
            line("1", le(floor, eta(1)), by.linear("1.3", "begin")),
        )
    )
    return (
        proof(name, PLACE, of=claim, bound=bound, reading=dict(reading), note=note).under(*hypotheses)
        .step("below", by.apply(BELOW, {a: first, b: gamma / (2 * L)}))
        .step("below too", by.apply(BELOW, {a: gamma / (2 * L), b: first}))
        .steps(*base)
        .step("2.1", by.instance({n: n + low}, "entries"))
        .step("2.2", le(floor, entry(n + low + 1), ALWAYS), by.linear("below too", "2.1"))
        .step("2.3", le(0, 1), by.linear())
        .step("2.4", le(1, 1 + delta * theta(n + low), ALWAYS), by.linear())
        .step("2.5", by.power(Rational(1, 2), "2.3", "2.4"))
        .step("2.6", le(floor, cap * eta(n + low), ALWAYS), by.linear("2.5"), assuming=assumed,
            note="the second entry never makes a step smaller")
        .step("2.7", by.apply(ABOVE, {c: floor, a: entry(n + low + 1), b: cap * eta(n + low)}), assuming=assumed)
        .step("2", le(floor, eta(n + low + 1), ALWAYS), by.linear("2.7", "rule"), assuming=assumed)
        .qed(le(floor, eta(n + low), ALWAYS), by.induction(n, "1", "2"))
    )


FLOOR = floored("delta_sgd/R2", formula.FLOOR, eta_0, 0, "R2: the floor of all steps", "delta_sgd/R2@corrected")
LATER = floored("delta_sgd/R2-later", formula.FLOOR_LATER, formula.FIRST_CAP, 1,
    "R2: the floor of all steps after the first one", "delta_sgd/R2-later@corrected")

THEOREMS = (ROOT, ABOVE, BELOW, GROWTH, FIXED_POINT, LARGER, BOUNDED, GROWING, RATIO, EXPONENTIAL, HIGH, CEILING, FLOOR,
    LATER)
