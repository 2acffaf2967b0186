"""Lemma 4, (31), and (5): the Lyapunov function of one client, and of clients that share their iterate (reading B).

Points go from ``x0`` via ``x1`` to ``x2``. One client made the steps ``old`` and ``new``, client i of m ``was(i)`` and
``eta(i)``; a step over the one before it is its ratio.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.notation import delta, gamma, m
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, also, i, mean
from fltheory.proof import Axiom, Defines, Given, Member, Relation, by, eq, le, proof
from fltheory.proof.terms import Dot, Fun, Grad, Positive, Val, Vector, family, square

x0, x1, x2, goal = (family(Vector, name)() for name in ("x_0", "x_1", "x_2", "x_star"))
f = family(Fun, "f")()
old, new, later, theta = (Symbol(name, positive=True) for name in ("eta_0", "eta_1", "eta_2", "theta"))
HALF = Rational(1, 2)


def decrease(weight: Expr, gain: Expr, value: Expr, last: Expr) -> Relation:
    """Return (31): ``gain`` times the present gap, ``weight`` times the gap before, and the squared distances."""
    left = square(x2 - goal) + square(x2 - x1) / 2 + 2 * gain * value
    return le(left, square(x1 - goal) + square(x1 - x0) / 2 + 2 * weight * last)


def gap(point: Expr) -> Expr:
    """Return the value at a point minus that at the comparator."""
    return Val(f, point) - Val(f, goal)


# R4 -----------------------------------------------------------------------------------------------------------------

CAP = Given("growth", le(later**2, (1 + delta * new / old) * new**2), "the second entry of (4), squared")
DAMPED = Given("c2", le(delta, 1), "the paper's damping is at most 1")
R4 = (
    proof("delta_sgd/R4", "after Lemma 4", of="delta_sgd/R4@printed",
        note="the next step times its ratio, where the claim has their quotient")
    .under(CAP, DAMPED)
    .qed(le(later**2 / new, (1 + new / old) * new), by.linear("growth", "c2"), note="divided by the step")
)

# One client -----------------------------------------------------------------------------------------------------------

CONVEX = Member("convex", f, None, 0, "A3: the objective is convex")
MOVES = (
    Given("last", eq(x1, x0 - old * Grad(f, x0)), "the step before"),
    Given("next", eq(x2, x1 - new * Grad(f, x1)), "this step"),
)
ENTRY = Given("entry", le(4 * new**2 * square(Grad(f, x1) - Grad(f, x0)), gamma**2 * square(x1 - x0)),
    "the first entry of (4), squared: no more is asked of the step")
SMALL = Given("c1", le(gamma, 1), "(4) has the amplifier 1")
SINGLE = (
    proof("delta_sgd/L4-m1", "Lemma 4", of="delta_sgd/L4-one@corrected",
        note="(31) for one client, any point in place of the minimiser, any step up to the first entry; its formula is the "
        "quotient")
    .under(CONVEX, *MOVES, ENTRY, SMALL)
    .step("slope", eq(Grad(f, x0), (x0 - x1) / old), by.linear("last"))
    .step("length 1", le(0, square(x1 - x0)), by.sos())
    .step("length", le(gamma**2 * square(x1 - x0), square(x1 - x0)), by.linear("c1", "length 1"))
    .step("short", le(4 * new**2 * square(Grad(f, x1) - Grad(f, x0)), square(x1 - x0)), by.linear("entry", "length"))
    .qed(decrease(new**2 / old, new * (1 + new / old), gap(x1), gap(x0)),
        by.sos("convex", (2 * new, Axiom("convex", f, goal, x1)), (2 * new**2 / old, Axiom("convex", f, x0, x1)),
            short=HALF), inserting=("next", "slope"), note="what is left is one square")
)

FALLS = (
    proof("delta_sgd/V-m1", "(5)", of="delta_sgd/V-one@corrected",
        note="the Lyapunov function of one client never grows, where the claim has the quotient of two values")
    .under(CONVEX, *MOVES, ENTRY, SMALL, CAP, DAMPED)
    .given("lowest", le(Val(f, goal), Val(f, x1)), "the goal is a minimiser")
    .step("31", by.apply(SINGLE))
    .step("R4", by.apply(R4))
    .qed(decrease(new**2 / old, later**2 / new, gap(x1), gap(x0)), by.linear("31", "R4", "lowest"), name="5",
        note="the growth rule is what is needed")
)

# m clients that share their iterate ------------------------------------------------------------------------------------

F, was, eta, ratio = family(Fun, "f"), family(Positive, "eta_0"), family(Positive, "eta_1"), family(Positive, "theta")
after = Symbol("theta_after", positive=True)  # the common ratio of the next steps


def gaps(weight: Expr, point: Expr) -> Expr:
    """Return the weighted mean of the clients' gaps at a point."""
    return mean(weight * (Val(F(i), point) - Val(F(i), goal)))


BOTH = tuple(Grad(F(i), x) for x in (x0, x1))
_CAME, _GOES = mean(was(i) * BOTH[0]), mean(eta(i) * BOTH[1])
ALL_CONVEX = Member("convex", F(i), None, Integer(0), "A3: every client's objective is convex")
SHARED = (
    Given("last", eq(x1, x0 - _CAME), "the server's step before"),
    Given("next", eq(x2, x1 - _GOES), "the server's step"),
)
RATIOS = Defines("ratios", eta(i), ratio(i) * was(i), "a client's ratio is its step over the one before")
COMMON = Defines("common", eta(i), theta * was(i), "all clients have one ratio")
ENTRIES = Given("entries", le(4 * eta(i) ** 2 * square(BOTH[1] - BOTH[0]), square(x1 - x0), EACH),
    "each client's first entry of (4), squared")


def error(rate: Expr) -> Expr:
    """Return the error of unequal ratios: 2 (<mean(theta u), mean(v)> - <mean(u), mean(theta v)>), moves u, then v."""
    return 2 * (Dot(mean(rate * was(i) * BOTH[0]), _GOES) - Dot(mean(rate * eta(i) * BOTH[1]), _CAME))


def shared(rest: Expr, rate: Expr) -> Relation:
    """Return (31) under reading B, with ``rest`` on the right; ``rate`` is the ratio of client i."""
    plain = decrease(Rational(0), Rational(0), Rational(0), Rational(0))
    return le(plain.left + 2 * gaps(eta(i) * (1 + rate), x1), plain.right + 2 * gaps(eta(i) * rate, x0) + rest)


_TANGENT = le(eta(i) * Dot(BOTH[1], goal - x1), eta(i) * (Val(F(i), goal) - Val(F(i), x1)), EACH)
_BACK = le(ratio(i) * eta(i) * Dot(BOTH[1], x0 - x1), ratio(i) * eta(i) * (Val(F(i), x0) - Val(F(i), x1)), EACH)
_TURN = le(2 * eta(i) * Dot(BOTH[1] - BOTH[0], _GOES), square(x1 - x0) / 2 + square(_GOES) / 2, EACH)
g0, g1, push = (family(Vector, name)() for name in ("g_0", "g_1", "p"))
TURN = (
    proof("delta_sgd/turn", "proof of Lemma 4",
        note="how much a gradient turns, by Young's inequality and the first entry")
    .given("entry", le(4 * new**2 * square(g1 - g0), square(x1 - x0)), "the first entry of (4), squared")
    .qed(le(2 * new * Dot(g1 - g0, push), square(x1 - x0) / 2 + square(push) / 2), by.sos(entry=HALF))
)
UNEQUAL = (
    proof("delta_sgd/L4-error", "proof of Lemma 4",
        note="(31) with what unequal ratios cost: the step of the proof that breaks")
    .under(ALL_CONVEX, *SHARED, RATIOS, ENTRIES)
    .step("37", _TANGENT, by.linear((eta(i), Axiom("convex", F(i), goal, x1)), "convex"), note="(37)")
    .step("37 all", le(mean(_TANGENT.left), mean(_TANGENT.right)), by.sum_over(i, "37", weight=1 / m))
    .step("36", _BACK, by.linear((ratio(i) * eta(i), Axiom("convex", F(i), x0, x1)), "convex"))
    .step("36 all", le(mean(_BACK.left), mean(_BACK.right)), by.sum_over(i, "36", weight=1 / m))
    .step("35", by.apply(TURN, {new: eta(i), g0: BOTH[0], g1: BOTH[1], push: _GOES}))
    .step("35 all", le(mean(_TURN.left), mean(_TURN.right)), by.sum_over(i, "35", weight=1 / m))
    .qed(shared(error(ratio(i)), ratio(i)),
        by.linear({"37 all": 2, "36 all": 2, "35 all": 1, "last": 2 * mean(ratio(i) * eta(i) * BOTH[1])}), name="31",
        inserting=("next", "ratios"), note="|p|^2 = 2 <p, p> - |p|^2 for the server's step p")
)
ORDER = proof("delta_sgd/order", "proof of Lemma 4", note="of two vectors").qed(eq(Dot(g0, g1), Dot(g1, g0)),
    by.linear())
_SYNC = shared(Integer(0), theta)
SYNC = (
    proof("delta_sgd/L4-sync", "Lemma 4", of="delta_sgd/L4-ratio@strengthened",
        note="(31) for any number of clients with a common ratio, also with different steps; any point; as a difference")
    .under(ALL_CONVEX, *SHARED, COMMON, ENTRIES)
    .step("error", by.apply(UNEQUAL, {ratio(i): theta}), inserting="common")
    .step("order", by.apply(ORDER, {g0: _GOES, g1: _CAME}))
    .qed(_SYNC, by.linear("error", "order"), name="31", inserting="common", note="the error vanishes")
)

SYNC_FALLS = (
    proof("delta_sgd/V-sync", "(5)", of="delta_sgd/V-sync@corrected",
        note="the Lyapunov function of clients with a common ratio never grows, where the claim has a quotient")
    .under(ALL_CONVEX, *SHARED, COMMON, ENTRIES)
    .given("growth", le(after**2, 1 + delta * theta), "the second entry of (4), divided by the step and squared")
    .under(DAMPED)
    .given("lowest", le(0, gaps(eta(i), x1)),
        "the goal minimises the mean weighted by the steps: f, where they are equal")
    .step("31", by.apply(SYNC), inserting="common")
    .step("R4", le(after**2, 1 + theta), by.linear("growth", "c2"))
    .qed(
        le(square(x2 - goal) + square(x2 - x1) / 2 + 2 * gaps(after**2 * eta(i), x1),
            square(x1 - goal) + square(x1 - x0) / 2 + 2 * gaps(theta * eta(i), x0)), by.linear("31", "R4", "lowest"),
        name="5")
)

SMALLER = also("delta_sgd/L4-smaller", SINGLE, "delta_sgd/L4-smaller@strengthened",
    "any smaller step: no more is asked of it")
EQUAL = also("delta_sgd/L4-equal", SYNC, "delta_sgd/L4-sync@corrected", "equal steps have equal ratios")

THEOREMS = (R4, SINGLE, SMALLER, FALLS, TURN, UNEQUAL, ORDER, SYNC, EQUAL, SYNC_FALLS)
