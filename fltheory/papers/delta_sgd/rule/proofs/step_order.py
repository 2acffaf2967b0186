"""Rule (4) on two quadratics: the flatter client's steps are not shorter, and not longer in units of 1/curvature.

Both clients make the same steps until the steeper one reaches its ceiling gamma/(2 L), where it stays.
"""

from __future__ import annotations

from sympy import Integer, Min, Symbol, sqrt

from fltheory.papers.delta_sgd.notation import K, L, delta, eta_0, gamma, theta_0
from fltheory.papers.delta_sgd.rule.proofs import rule
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import Nonnegative, Positive, family

k, j = Symbol("k", integer=True, nonnegative=True), Symbol("j", integer=True)
STEPS, LATER, EITHER = (k, 0, K - 1), (k, 0, K - 2), (j, 0, 1)
low, u, v, u2, v2 = (Symbol(name, positive=True) for name in ("l", "u", "v", "u_2", "v_2"))
p, q, p2, q2 = (Symbol(name, nonnegative=True) for name in ("p", "q", "p_2", "q_2"))
t = Symbol("t", real=True)
CEILING, HIGHER = gamma / (2 * L), gamma / (2 * low)
ALSO, GROWN = sqrt(1 + delta * p) * u, sqrt(1 + delta * q) * v
PLACE = "Algorithm 1, line 9"

# One step ---------------------------------------------------------------------------------------------------------------

NEXT = (
    Given("flat", eq(u2, Min(HIGHER, ALSO)), "(4) for the flatter client, whose last step was u"),
    Given("steep", eq(v2, Min(CEILING, GROWN)), "and for the steeper one, whose last step was v"),
    Given("less", le(low, L), "the flatter client has the smaller curvature"),
    Given("same", eq((CEILING - v) * (u - v), 0), "the last steps agree, or the steeper client is at its ceiling"),
    Given("pace", eq((CEILING - v) * (p - q), 0), "and so do their ratios"),
)
AT, BELOW, ROOM, FULL = le(CEILING, v), lt(v, CEILING), le(GROWN, CEILING), le(CEILING, GROWN)
ROOT = (
    proof("delta_sgd/FN-root", PLACE, note="rule (4) allows the last step")
    .step("squares", le(Integer(1) ** 2, sqrt(1 + delta * q) ** 2), by.linear())
    .qed(le(1, sqrt(1 + delta * q)), by.apply(rule.ROOT, {rule.a: Integer(1), rule.b: sqrt(1 + delta * q)}))
)
_LEAST, _LEAST_ALSO = Min(CEILING, GROWN), Min(HIGHER, ALSO)
_ROOM = (BELOW, ROOM)


def one_step(name, note, *given):
    """Prove the order of one step, if the steeper client is at its ceiling and if both are below."""
    return (
        proof(f"delta_sgd/FN-{name}", PLACE, note=note).under(*NEXT, *given)
        .step("root", by.apply(ROOT))
        .step("at", FULL, by.linear("root"), assuming=AT)
        .step("full 1", eq(_LEAST, CEILING), by.fact("min", _LEAST), assuming=FULL)
        .step("full", eq(v2, CEILING), by.linear("steep", "full 1"), assuming=FULL)
        .step("full at 1", eq(_LEAST, CEILING), by.fact("min", _LEAST, "at"), assuming=AT)
        .step("full at", eq(v2, CEILING), by.linear("steep", "full at 1"), assuming=AT)
        .step("alike", eq(u, v), by.linear({"same": 1 / (CEILING - v)}), assuming=BELOW)
        .step("paces", eq(p, q), by.linear({"pace": 1 / (CEILING - v)}), assuming=BELOW)
        .step("both", eq(ALSO, GROWN), by.linear({"alike": 0}), inserting=("alike", "paces"), assuming=BELOW)
        .step("higher", le(CEILING, HIGHER), by.linear("less"))
        .step("room 1", eq(_LEAST, GROWN), by.fact("min", _LEAST), assuming=_ROOM)
        .step("room 2", le(ALSO, HIGHER), by.linear({"both": 1, "assumed 2": 1, "higher": 1}), assuming=_ROOM)
        .step("room 3", eq(_LEAST_ALSO, ALSO), by.fact("min", _LEAST_ALSO, "room 2"), assuming=_ROOM)
        .step("room", eq(u2, v2), by.linear({"flat": 1, "room 3": 1, "both": 1, "room 1": -1, "steep": -1}),
            assuming=_ROOM)
    )


_AGREE = t * (u2 - v2) + (1 - t) * (p2 - q2)
AGREE = (
    one_step("agree", "steps and ratios agree until the steeper client is at its ceiling",
        Given("ratios a", eq(p2, u2 / u), "a step over the one before"),
        Given("ratios b", eq(q2, v2 / v), "a step over the one before"))
    .step("ratios", eq(p2, q2), by.linear({"ratios a": 1, "ratios b": -1, "room": 1 / v}), inserting="alike",
        assuming=_ROOM)
    .step("1", eq((CEILING - v2) * _AGREE, 0), by.linear("full"), assuming=FULL)
    .step("2", eq((CEILING - v2) * _AGREE, 0), by.linear("full at"), assuming=AT)
    .step("3", eq((CEILING - v2) * _AGREE, 0),
        by.linear({"room": (CEILING - v2) * t, "ratios": (CEILING - v2) * (1 - t)}), assuming=_ROOM)
    .qed(eq((CEILING - v2) * _AGREE, 0), by.cases("1", "2", "3"), name="end")
)
_FIRST = {rule.a: HIGHER, rule.b: ALSO}
_IN_UNITS = le(low * u2, L * v2)
UNITS_ONE = (
    one_step("unit", "the flatter client's next step is not longer in units of 1/curvature")
    .step("top 1", by.apply(rule.BELOW, _FIRST))
    .step("top", le(u2, HIGHER), by.linear("flat", "top 1"))
    .step("1", _IN_UNITS, by.linear("top", "full"), assuming=FULL)
    .step("2", _IN_UNITS, by.linear("top", "full at"), assuming=AT)
    .step("3", _IN_UNITS, by.linear({"room": low, "less": v2}), assuming=_ROOM)
    .qed(_IN_UNITS, by.cases("1", "2", "3"), name="end")
)
_BEYOND, _LONGER = le(CEILING, ALSO), le(v2, u2)
_ABOVE = {rule.c: CEILING, **_FIRST}
LONGER_ONE = (
    one_step("long", "the flatter client's next step is not shorter", Given("order", le(v, u), "nor was its last one"))
    .step("also root", by.apply(ROOT, {q: p}))
    .step("beyond 1", _BEYOND, by.linear("order", "also root"), assuming=AT)
    .step("above 1", by.apply(rule.ABOVE, _ABOVE), assuming=AT)
    .step("1", _LONGER, by.linear("full at", "above 1", "flat"), assuming=AT)
    .step("beyond 2", _BEYOND, by.linear({"assumed 2": 1, "both": -1}), assuming=(BELOW, FULL))
    .step("above 2", by.apply(rule.ABOVE, _ABOVE), assuming=(BELOW, FULL))
    .step("2", _LONGER, by.linear({"full": 1, "above 2": 1, "flat": -1}), assuming=(BELOW, FULL))
    .step("3", _LONGER, by.linear({"room": -1}), assuming=_ROOM)
    .qed(_LONGER, by.cases("1", "2", "3"), name="end")
)

# A round ----------------------------------------------------------------------------------------------------------------

a, b = family(Positive, "a"), family(Positive, "b")
a_ratio, b_ratio = family(Nonnegative, "theta_a"), family(Nonnegative, "theta_b")
RUN = (
    Given("first a", eq(a(0), eta_0), "both clients begin with the initial step size"),
    Given("first b", eq(b(0), eta_0), "both clients begin with the initial step size"),
    Given("ratio a", eq(a_ratio(0), theta_0), "and with the initial ratio"),
    Given("ratio b", eq(b_ratio(0), theta_0), "and with the initial ratio"),
    Given("flat", eq(a(k + 1), Min(HIGHER, sqrt(1 + delta * a_ratio(k)) * a(k)), LATER),
        "rule (4), whose first entry is gamma/(2 l) on l/2 |x - c|^2 (R6)"),
    Given("steep", eq(b(k + 1), Min(CEILING, sqrt(1 + delta * b_ratio(k)) * b(k)), LATER),
        "and gamma/(2 L) of the steeper client"),
    Given("ratios a", eq(a_ratio(k + 1), a(k + 1) / a(k), LATER), "a step over the one before"),
    Given("ratios b", eq(b_ratio(k + 1), b(k + 1) / b(k), LATER), "a step over the one before"),
    Given("less", le(low, L), "the flatter client has the smaller curvature"),
)
ALL = tuple(h.id for h in RUN)
READ = {u: a(k), v: b(k), u2: a(k + 1), v2: b(k + 1), p: a_ratio(k), q: b_ratio(k), p2: a_ratio(k + 1), q2: b_ratio(k + 1), t: j}


def apart(n):
    """Return a zero term: the difference of the steps (j = 1) or ratios (j = 0), times the room up to the ceiling."""
    return (CEILING - b(n)) * (j * (a(n) - b(n)) + (1 - j) * (a_ratio(n) - b_ratio(n)))


_NOW = eq(apart(k), 0, EITHER)
TOGETHER = (
    proof("delta_sgd/FN-together", PLACE, note="steps and ratios agree until the steeper client is at its ceiling")
    .under(*RUN)
    .step("base", eq(apart(Integer(0)), 0, EITHER), by.linear(), inserting=("first a", "first b", "ratio a", "ratio b"))
    .step("now", _NOW, by.linear(), assuming=_NOW)
    .step("same", by.instance({j: 1}, "now"), assuming=_NOW)
    .step("pace", by.instance({j: 0}, "now"), assuming=_NOW)
    .step("next", by.apply(AGREE, READ), over=(EITHER, LATER), assuming=_NOW)
    .qed(eq(apart(k), 0, EITHER, STEPS), by.induction(k, "base", "next"), name="end")
)


def round_of(name, note):
    """Prove a statement on a whole round from the statement on each step."""
    return (
        proof(f"delta_sgd/FN-{name}", PLACE, note=note).under(*RUN)
        .step("together", by.apply(TOGETHER))
        .step("same", by.instance({j: 1}, "together"))
        .step("pace", by.instance({j: 0}, "together"))
    )


LONGER = (
    round_of("longer", "the flatter client's steps are not shorter")
    .step("base", le(b(0), a(0)), by.linear("first b", "first a"))
    .step("next", by.apply(LONGER_ONE, READ), assuming=le(b(k), a(k)))
    .qed(le(b(k), a(k), STEPS), by.induction(k, "base", "next"), name="end")
)
UNITS = (
    round_of("units", "nor are they longer in units of 1/curvature")
    .step("base", le(low * a(0), L * b(0)), by.linear("first a", "first b", "less"))
    .step("next", by.apply(UNITS_ONE, READ))
    .step("again", le(low * a(k + 1), L * b(k + 1), LATER), by.linear("next"), assuming=le(low * a(k), L * b(k)))
    .qed(le(low * a(k), L * b(k), STEPS), by.induction(k, "base", "again"), name="end")
)
CAPPED = (
    proof("delta_sgd/FN-later", PLACE, note="no computed step is above its first entry").under(RUN[5])
    .step("least", by.apply(rule.BELOW, {rule.a: CEILING, rule.b: sqrt(1 + delta * b_ratio(k)) * b(k)}), over=LATER)
    .qed(le(b(k + 1), CEILING, LATER), by.linear("steep", "least"), name="end")
)
THEOREMS = (ROOT, AGREE, UNITS_ONE, LONGER_ONE, TOGETHER, LONGER, UNITS, CAPPED)
