"""One local step is FedSGD; equality in rule (4): ``change`` is |change of the gradient|^2 over |move|^2."""

from __future__ import annotations

from sympy import Abs, Integer, Symbol, oo, sqrt

from fltheory.papers.delta_sgd.background.proofs.examples import i
from fltheory.papers.delta_sgd.notation import delta, eta_0, m, theta_0
from fltheory.papers.delta_sgd.rule.proofs.attained import a, b, of_claim
from fltheory.papers.delta_sgd.rule.proofs.ends import TIMES, gap, one, other
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import Fun, Grad, Indicator, Nonnegative, Positive, Total, Vector, family, square

n = Symbol("n", integer=True, nonnegative=True)
ALWAYS, CLIENTS = (n, 0, oo), (i, 1, m)
x, z, v = (family(Vector, name) for name in ("x", "z", "v"))
F, share, first = family(Fun, "F"), family(Nonnegative, "w"), family(Positive, "eta")

# One local step -----------------------------------------------------------------------------------------

BEGIN = Given("begin", eq(x(0), z(0)), "both start at the same point")
OWN = Given("own", eq(v(n, i), x(n) - first(n, i) * Grad(F(n, i), x(n)), ALWAYS, CLIENTS),
    "a client's only step, from the server's point, on what it draws in this round (all of its data, or a mini-batch)")
SERVER = Given("server", eq(x(n + 1), Total(share(n, i) * v(n, i), i, 1, m), ALWAYS),
    "the server's mean: a client has one share of those that take part, or 0")
WHOLE = Given("whole", eq(Total(share(n, i), i, 1, m), 1, ALWAYS), "the shares add up to 1")


def fedsgd(size):
    """Return FedSGD with this step size, on the same clients and draws."""
    return Given("fedsgd", eq(z(n + 1), z(n) - size * Total(share(n, i) * Grad(F(n, i), z(n)), i, 1, m), ALWAYS),
        "FedSGD from its own point, with the same clients and draws")


def over(statement):
    """Return the same for all rounds."""
    return type(statement)(statement.left, statement.op, statement.right, (ALWAYS,))


SIZE = Symbol("size", positive=True)
here, there, f = family(Vector, "a")(), family(Vector, "b")(), family(Fun, "f")()
POINTS = (
    proof("delta_sgd/same-gradient", "Algorithm 1", note="equal points have equal gradients")
    .given("same", eq(here, there), "one point")
    .qed(eq(Grad(f, here), Grad(f, there)), by.linear(), inserting="same")
)
AT_X, AT_Z = Grad(F(n, i), x(n)), Grad(F(n, i), z(n))
_SAME = eq(x(n), z(n))


def everyone(term):
    """Return the weighted sum over the clients of a round."""
    return Total(share(n, i) * term, i, 1, m)


SAME = (
    proof("delta_sgd/A1-one-step", "Algorithm 1", note="one local step of one size makes FedSGD")
    .under(BEGIN, OWN, SERVER, WHOLE, fedsgd(SIZE))
    .given("size", eq(first(n, i), SIZE, ALWAYS, CLIENTS), "all steps have one size")
    .step("weighed", eq(share(n, i) * v(n, i), share(n, i) * (x(n) - first(n, i) * AT_X), ALWAYS, CLIENTS),
        by.linear("own"))
    .step("sized", eq(first(n, i) * share(n, i) * AT_X, SIZE * share(n, i) * AT_X, ALWAYS, CLIENTS),
        by.apply(TIMES, {one: first(n, i), other: SIZE, gap: share(n, i) * AT_X}))
    .step("step", eq(share(n, i) * v(n, i), share(n, i) * (x(n) - SIZE * AT_X), ALWAYS, CLIENTS),
        by.linear("weighed", "sized"))
    .step("once", by.apply(TIMES, {one: Total(share(n, i), i, 1, m), other: Integer(1), gap: x(n)}))
    .step("all", by.sum_over(i, "step"))
    .step("round", eq(x(n + 1), x(n) - SIZE * everyone(AT_X), ALWAYS), by.linear("server", "all", "once"))
    .step("here", eq(x(n), z(n), ALWAYS), by.linear(), assuming=_SAME)
    .step("slopes", by.apply(POINTS, {here: x(n), there: z(n), f: F(n, i)}), over=(ALWAYS, CLIENTS), assuming=_SAME)
    .step("sum", by.sum_over(i, "slopes", weight=share(n, i)), assuming=_SAME)
    .step("next", eq(x(n + 1), z(n + 1), ALWAYS), by.linear("round", "fedsgd", "here", "sum"), assuming=_SAME)
    .qed(eq(x(n), z(n), ALWAYS), by.induction(n, "begin", "next"))
)
_OFF = square(x(n) - z(n))
_ONCE, _ONCE_SAYS, _ = of_claim("A1-once@strict", _OFF, "one local step")
ONCE = (
    _ONCE.under(BEGIN, OWN, SERVER, WHOLE, fedsgd(eta_0))
    .given("first", eq(first(n, i), eta_0, ALWAYS, CLIENTS), "line 6: every round begins with the step eta_0")
    .step("same", by.apply(SAME, {SIZE: eta_0}))
    .qed(over(_ONCE_SAYS), by.linear({"same": x(n) - z(n)}))
)
_GROWN = sqrt(1 + delta * theta_0) * eta_0
_RELEASED, _RELEASED_SAYS, _ = of_claim("A1-released-once@explicit", _OFF, "one local step")
RELEASED = (
    _RELEASED.under(BEGIN, OWN, SERVER, WHOLE, fedsgd(_GROWN))
    .given(
        "first",
        eq(first(n, i) ** 2, (1 + delta * theta_0) * eta_0**2, ALWAYS, CLIENTS),
        "as released: the first step has grown already, as the second entry of (4) says; the first one is infinite",
    )
    .step("squares", eq(first(n, i) ** 2, _GROWN**2, ALWAYS, CLIENTS), by.linear("first"))
    .step(
        "size",
        eq(first(n, i), _GROWN, ALWAYS, CLIENTS),
        by.apply("delta_sgd/same-root", {a: first(n, i), b: _GROWN}, "squares"),
    )
    .step("same", by.apply(SAME, {SIZE: _GROWN}))
    .qed(over(_RELEASED_SAYS), by.linear({"same": x(n) - z(n)}))
)

# Footnote 1 -----------------------------------------------------------------------------------------

low = Symbol("low", real=True)
BEYOND = (
    proof("delta_sgd/beyond", "Section 3, footnote 1", note="the indicator of a negative number")
    .given("negative", lt(low, 0), "a negative number")
    .step("1.1", le(low, -low), by.linear("negative"))
    .step("1.2", le(-low, -low), by.linear())
    .step("3", by.antisymmetry(by.absolute("1.1", "1.2"), by.fact("abs", -low)))
    .step("4", eq(low * Indicator(low), (low + Abs(low)) / 2), by.fact("indicator", low))
    .qed(eq(Indicator(low), 0), by.linear({"4": 1 / low, "3": 1 / (2 * low)}, "negative"))
)
squared, cap = (Symbol(name, positive=True) for name in ("eta_sq", "cap"))
change = Symbol("change", nonnegative=True)
_SEEN = 4 * squared * change
_ROOM = 4 * cap * change - 1
_ACTIVE = Indicator(_ROOM)
_QUANTITY = Abs(Indicator(_SEEN - 1) * Indicator(1 - _SEEN) - _ACTIVE)
_EQUAL, _EQUAL_SAYS, _ = of_claim("C-fn1-equal@strengthened", _QUANTITY, "equality is both inequalities")
_IN, _OUT = le(1, 4 * cap * change), lt(4 * cap * change, 1)
EQUAL = (
    _EQUAL.given(
        "first",
        eq(_ACTIVE * (4 * squared * change - 1), 0),
        "where the first entry of (4) is not the larger one, the step is this entry, 1/(2 root(change))",
    )
    .given("second", eq((1 - _ACTIVE) * (squared - cap), 0), "elsewhere it is the second entry, whose square is cap")
    .step("1.1", le(0, _ROOM), by.linear(), assuming=_IN)
    .step("1.2", eq(_ACTIVE, 1), by.fact("indicator", _ROOM, "1.1"), assuming=_IN)
    .step("1.3", eq(_SEEN, 1), by.linear({"first": 1, "1.2": 1 - _SEEN}), assuming=_IN)
    .step("1.4", le(0, _SEEN - 1), by.linear("1.3"), assuming=_IN)
    .step("1.5", le(0, 1 - _SEEN), by.linear("1.3"), assuming=_IN)
    .step("1.6", eq(Indicator(_SEEN - 1), 1), by.fact("indicator", _SEEN - 1, "1.4"), assuming=_IN)
    .step("1.7", eq(Indicator(1 - _SEEN), 1), by.fact("indicator", 1 - _SEEN, "1.5"), assuming=_IN)
    .step("1", _EQUAL_SAYS, by.linear({"1.3": 0}), assuming=_IN, inserting=("1.2", "1.6", "1.7"))
    .step("2.1", lt(_ROOM, 0), by.linear(), assuming=_OUT)
    .step("2.2", by.apply(BEYOND, {low: _ROOM}), assuming=_OUT)
    .step("2.3", eq(squared, cap), by.linear("second", "2.2"), assuming=_OUT)
    .step("2.4", eq(_SEEN, 4 * cap * change), by.linear("2.3"), assuming=_OUT)
    .step("2.5", lt(_SEEN - 1, 0), by.linear("2.4"), assuming=_OUT)
    .step("2.6", by.apply(BEYOND, {low: _SEEN - 1}), assuming=_OUT)
    .step("2", _EQUAL_SAYS, by.linear({"2.6": 0}), assuming=_OUT, inserting=("2.6", "2.2"))
    .qed(_EQUAL_SAYS, by.cases("1", "2"))
)

THEOREMS = (POINTS, SAME, ONCE, RELEASED, BEYOND, EQUAL)
