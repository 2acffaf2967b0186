"""Comparison of two runs of rule (4): if they agree at first, they agree at every step."""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.papers.delta_sgd.notation import delta, gamma
from fltheory.papers.delta_sgd.rule.proofs.attained import SAME, a, b
from fltheory.papers.delta_sgd.rule.proofs.ends import gap, one, other
from fltheory.papers.delta_sgd.rule.proofs.one_step import ALWAYS, BEYOND, f, here, low, n, there, x, z
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import Grad, Indicator, Positive, Vector, family, square

# Two runs -----------------------------------------------------------------------------------------

a0, a1, a2, b2 = (Symbol(name, positive=True) for name in ("a_0", "a_1", "a_2", "b_2"))
M, U = (Symbol(name, nonnegative=True) for name in ("moved", "turned"))


def chosen(before, last, new, moved, turned, *over):
    """Return line 9 with squares: a client at rest keeps its step; else the smaller one of both entries."""
    cap = (1 + delta * last / before) * last**2
    room = 4 * cap * turned - gamma**2 * moved
    stays, second = Indicator(-moved), Indicator(-room)
    return (
        eq(stays * (new - last), 0, *over),
        eq((1 - stays) * second * (new**2 - cap), 0, *over),
        eq((1 - second) * (4 * new**2 * turned - gamma**2 * moved), 0, *over),
    )


_WHY = (
    "where the point stays the step does",
    "the second entry of (4), squared, where it is not the larger one: the first one is infinite where the gradient stays",
    "elsewhere the first entry, squared",
)


def rule_of(mark, relations):
    """Return the three lines as hypotheses."""
    names = ("stays", "second", "first")
    return tuple(Given(f"{name} {mark}", r, why) for name, r, why in zip(names, relations, _WHY, strict=True))


_CAP = (1 + delta * a1 / a0) * a1**2
_R = 4 * _CAP * U - gamma**2 * M
_STILL, _SECOND, _FIRST = (le(M, 0),), (lt(0, M), le(_R, 0)), (lt(0, M), lt(0, _R))
_EQUALS = eq(a2, b2)

NEXT = (
    proof("delta_sgd/same-choice", "Algorithm 1, line 9", note="what line 9 says is one step")
    .under(*rule_of("a", chosen(a0, a1, a2, M, U)), *rule_of("b", chosen(a0, a1, b2, M, U)))
    .step("1.0", le(0, -M), by.linear(), assuming=_STILL)
    .step("1.1", eq(Indicator(-M), 1), by.fact("indicator", -M, "1.0"), assuming=_STILL)
    .step("1", _EQUALS, by.linear({"stays a": 1, "stays b": -1, "1.1": -(a2 - b2)}), assuming=_STILL)
    .step("2.0", lt(-M, 0), by.linear({"assumed 1": 1}), assuming=_SECOND)
    .step("2.1", eq(Indicator(-M), 0), by.apply(BEYOND, {low: -M}), assuming=_SECOND)
    .step("2.2", le(0, -_R), by.linear(), assuming=_SECOND)
    .step("2.3", eq(Indicator(-_R), 1), by.fact("indicator", -_R, "2.2"), assuming=_SECOND)
    .step("2.4", eq(a2**2, b2**2),
        by.linear({"second a": 1, "second b": -1, "2.1": Indicator(-_R) * (a2**2 - b2**2), "2.3": -(a2**2 - b2**2)}),
        assuming=_SECOND)
    .step("2", _EQUALS, by.apply(SAME, {a: a2, b: b2}), assuming=_SECOND)
    .step("3.0", lt(-_R, 0), by.linear(), assuming=_FIRST)
    .step("3.1", by.apply(BEYOND, {low: -_R}), assuming=_FIRST)
    .step("3.2", lt(0, U), by.linear({"assumed 1": gamma**2 / (4 * _CAP), "assumed 2": 1 / (4 * _CAP)}),
        assuming=_FIRST)
    .step("3.3", eq(a2**2, b2**2),
        by.linear({"first a": 1 / (4 * U), "first b": -1 / (4 * U), "3.1": a2**2 - b2**2}, "3.2"), assuming=_FIRST)
    .step("3", by.apply(SAME, {a: a2, b: b2}), assuming=_FIRST)
    .qed(_EQUALS, by.cases("1", "2", "3"))
)
# The runs: g of one run is the gradient at its points, as for the other run

e = family(Vector, "e")
eta, h = family(Positive, "eta_x"), family(Positive, "eta_z")
UNIT = e()


def moved(points):
    """Return the squared length of the last step but one."""
    return square(points(n + 1) - points(n))


def turned(points):
    """Return the squared change of the gradient on it."""
    return square(Grad(f, points(n + 1)) - Grad(f, points(n)))


def run(mark, points, steps):
    """Return a client's local steps on f with the rule."""
    return (
        Given(f"run {mark}", eq(points(n + 1), points(n) - steps(n) * Grad(f, points(n)), ALWAYS), "line 8"),
        *rule_of(mark, chosen(steps(n), steps(n + 1), steps(n + 2), moved(points), turned(points), ALWAYS)),
    )


NAMES = tuple(g.id for g in (*run("x", x, eta), *run("z", z, h)))
k = Symbol("k", integer=True, nonnegative=True)
J = (k, 0, 2)


def state(point, steps):
    """Return the state of both runs: differences of a point and of two steps, coded in one polynomial in k."""
    (own, its), ((now, then), (after, later)) = point, steps
    return own - its + k * (now - then) * UNIT + k**2 * (after - later) * UNIT


NONE = 0 * UNIT
LETTERS = state((here, there), ((a0, a1), (a2, b2)))
SOME = Given("some", lt(0, square(UNIT)), "a vector that is not 0")
STATE = (
    proof("delta_sgd/same-state", "Algorithm 1", note="equal points and steps")
    .given("where", eq(here, there), "one point")
    .given("now", eq(a0, a1), "one step size")
    .given("later", eq(a2, b2), "and another one")
    .qed(eq(LETTERS, NONE), by.linear(), inserting=("where", "now", "later"))
)
_JOINT = Given("joint", eq(LETTERS, NONE, J), "their polynomial vanishes at 0, 1 and 2")


def split(name, note, last=2):
    """Prove equal points and steps from the polynomial."""
    chain = proof(name, "Algorithm 1", note=note).under(_JOINT)
    for value in range(last + 1):
        chain = chain.step(f"at {value}", by.instance({k: Integer(value)}, "joint"))
    return chain


POINT = split("delta_sgd/state-point", "the point", last=0).qed(eq(here, there), by.linear("at 0"))
NOW = (
    split("delta_sgd/state-now", "the step").under(SOME)
    .step("e", eq((a0 - a1) * UNIT, NONE), by.linear("at 1", "at 2", "at 0"))
    .step("dot", eq((a0 - a1) * square(UNIT), 0), by.linear({"e": UNIT}))
    .qed(eq(a0, a1), by.linear({"dot": 1 / square(UNIT)}, "some"))
)
LATER = (
    split("delta_sgd/state-later", "the next step").under(SOME)
    .step("e", eq((a2 - b2) * UNIT, NONE), by.linear("at 1", "at 2", "at 0"))
    .step("dot", eq((a2 - b2) * square(UNIT), 0), by.linear({"e": UNIT}))
    .qed(eq(a2, b2), by.linear({"dot": 1 / square(UNIT)}, "some"))
)
LENGTHS = (
    proof("delta_sgd/same-length", "Algorithm 1", note="equal vectors have one length")
    .given("same", eq(here, there), "equal vectors")
    .qed(eq(square(here), square(there)), by.linear({"same": here + there}))
)
b0, b1 = (Symbol(name, positive=True) for name in ("b_0", "b_1"))
M2, U2 = (Symbol(name, nonnegative=True) for name in ("moved_b", "turned_b"))
_EQUALITIES = (
    Given("b0", eq(b0, a0), "the last step but one is the same"),
    Given("b1", eq(b1, a1), "the last step too"),
    Given("M", eq(M2, M), "the move is as long"),
    Given("U", eq(U2, U), "the gradient turns as much"),
)
_B = chosen(a0, a1, b2, M, U)
CHOICE = (
    proof("delta_sgd/same-choice-too", "Algorithm 1, line 9", note="what line 9 says of equal runs is one step")
    .under(*rule_of("x", chosen(a0, a1, a2, M, U)), *rule_of("z", chosen(b0, b1, b2, M2, U2)), *_EQUALITIES)
    .step("stays b", _B[0], by.linear("stays z"), inserting=("b0", "b1", "M", "U"))
    .step("second b", _B[1], by.linear("second z"), inserting=("b0", "b1", "M", "U"))
    .step("first b", _B[2], by.linear("first z"), inserting=("b0", "b1", "M", "U"))
    .qed(eq(a2, b2), by.apply(NEXT))
)


def pair(at):
    """Return the state of both runs at a step."""
    return state((x(at), z(at)), ((eta(at), h(at)), (eta(at + 1), h(at + 1))))


def as_letters(at):
    """Return the meaning of the symbols there."""
    return {here: x(at), there: z(at), a0: eta(at), a1: h(at), a2: eta(at + 1), b2: h(at + 1)}


BOTH = (
    Given("where", eq(x(0), z(0)), "both start at the same point"),
    Given("now", eq(eta(0), h(0)), "with one step size"),
    Given("later", eq(eta(1), h(1)), "and the first one that is computed is the same"),
)
_ALL = eq(pair(n), NONE, J)


def carried(chain):
    """Prove the state at the next step from that at a step."""

    def add(name, claim, how, **more):
        nonlocal chain
        chain = chain.step(name, claim, how, assuming=_ALL, **more)

    add("all", eq(pair(n), NONE, ALWAYS, J), by.linear())
    add("x", eq(x(n), z(n), ALWAYS), by.apply(POINT, as_letters(n)))
    add("eta", eq(eta(n), h(n), ALWAYS), by.apply(NOW, as_letters(n)))
    add("next eta", eq(eta(n + 1), h(n + 1), ALWAYS), by.apply(LATER, as_letters(n)))
    slope_x, slope_z = Grad(f, x(n)), Grad(f, z(n))
    add("slope", eq(slope_x, slope_z, ALWAYS), by.apply("delta_sgd/same-gradient", {here: x(n), there: z(n)}, "x"))
    add("sized", eq(eta(n) * slope_z, h(n) * slope_z, ALWAYS),
        by.apply("delta_sgd/FP-times", {one: eta(n), other: h(n), gap: slope_z}, "eta"))
    add("next x", eq(x(n + 1), z(n + 1), ALWAYS), by.linear("run x", "run z", "x", "slope", "sized"))
    add("next slope", eq(Grad(f, x(n + 1)), Grad(f, z(n + 1)), ALWAYS),
        by.apply("delta_sgd/same-gradient", {here: x(n + 1), there: z(n + 1)}, "next x"))
    move = {here: z(n + 1) - z(n), there: x(n + 1) - x(n)}
    turn = {here: Grad(f, z(n + 1)) - Grad(f, z(n)), there: Grad(f, x(n + 1)) - Grad(f, x(n))}
    add("move", eq(move[here], move[there], ALWAYS), by.linear("next x", "x"))
    add("turn", eq(turn[here], turn[there], ALWAYS), by.linear("next slope", "slope"))
    add("M", eq(moved(z), moved(x), ALWAYS), by.apply(LENGTHS, move))
    add("U", eq(turned(z), turned(x), ALWAYS), by.apply(LENGTHS, turn))
    add("b0", eq(h(n), eta(n), ALWAYS), by.linear("eta"))
    add("b1", eq(h(n + 1), eta(n + 1), ALWAYS), by.linear("next eta"))
    signs = ("M sign x", "U sign x", "M sign z", "U sign z")
    for name, length in zip(signs, (moved(x), turned(x), moved(z), turned(z)), strict=True):
        chain = chain.step(name, le(0, length, ALWAYS), by.sos())
    values = {a0: eta(n), a1: eta(n + 1), a2: eta(n + 2), b0: h(n), b1: h(n + 1), b2: h(n + 2)}
    values |= {M: moved(x), U: turned(x), M2: moved(z), U2: turned(z)}
    rules = tuple(name for name in NAMES if not name.startswith("run"))
    add("chosen", eq(eta(n + 2), h(n + 2), ALWAYS), by.apply(CHOICE, values, *rules, "b0", "b1", "M", "U", *signs))
    add("go on", eq(pair(n + 1), NONE, ALWAYS, J), by.apply(STATE, as_letters(n + 1)))
    return chain


TWO = carried(
    proof("delta_sgd/two-runs", "Algorithm 1", note="two runs that agree at first agree at every step")
    .under(*run("x", x, eta), *run("z", z, h), *BOTH, SOME)
    .step("base", by.apply(STATE, as_letters(Integer(0))), over=J)
).qed(eq(pair(n), NONE, ALWAYS, J), by.induction(n, "base", "go on"))
THEOREMS = (NEXT, STATE, POINT, NOW, LATER, LENGTHS, CHOICE, TWO)
