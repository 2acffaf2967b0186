"""(31) and Theorem 5 for one client with a smaller weight of the last move, and for more amplifiers, by monotonicity.

The paper bounds <grad f(x_1) - grad f(x_0), x_2 - x_1> by Young's inequality. Monotone gradients along the last
move, a second use of convexity between x_0 and x_1, leaves the weight (1 + b) gamma²/4 of that move if b is the weight
of the next one.
"""

from __future__ import annotations

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd import bounds as formula
from fltheory.papers.delta_sgd.convex.proofs import lyapunov
from fltheory.papers.delta_sgd.convex.proofs.lyapunov import (CONVEX, DAMPED, ENTRY, MOVES, f, gap, goal, new, old, x0,
    x1, x2)
from fltheory.papers.delta_sgd.convex.proofs.theorem5.theorem5 import (AVERAGE, AVERAGED, BEGIN, EARLY, ENTRIES, GROWTH,
    STEPS, SUM, carried, centre, collected, eta, n, point, x)
from fltheory.papers.delta_sgd.notation import D, S, T, distance, gamma
from fltheory.papers.delta_sgd.smoothness.proofs.facts import SIGN
from fltheory.proof import Axiom, Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.chain import line
from fltheory.proof.terms import Grad, Val, square

HALF = Rational(1, 2)
later = Symbol("b", nonnegative=True)  # the weight of the present move


def before(weight: Expr) -> Expr:
    """Return the weight of the last move that a weight of the next one requires."""
    return (1 + weight) * gamma**2 / 4


def decrease(weight: Expr, last: Expr) -> Relation:
    """Return (31) with ``weight`` for the present move and ``last`` for the previous one."""
    after = square(x2 - goal) + weight * square(x2 - x1) + 2 * new * (1 + new / old) * gap(x1)
    return le(after, square(x1 - goal) + last * square(x1 - x0) + 2 * new**2 / old * gap(x0))


WIDE = Given("c1", le(3 * gamma**2, 4), "the amplifier is at most 2/sqrt(3)")
AMPLE = Given("c1", le(gamma**2, 2), "the amplifier is at most sqrt(2)")
MOST = Given("most", le(later, 1), "a weight of at most 1")
_TURNS = 2 * later * new**2 / old
STEP = (
    proof("delta_sgd/L4-weights", "Lemma 4",
        note="(31) for one client with any weights that fit, any amplifier, any point")
    .under(CONVEX, *MOVES, ENTRY, MOST)
    .step("slope", eq(Grad(f, x0), (x0 - x1) / old), by.linear("last"))
    .step("far", by.apply(SIGN, {point: x1 - x0}))
    .step("spare", le(later * square(x1 - x0), square(x1 - x0)), by.linear("most", "far"))
    .qed(decrease(later, before(later)),
        by.linear("convex", (2 * new, Axiom("convex", f, goal, x1)),
            (2 * new**2 / old + _TURNS, Axiom("convex", f, x0, x1)), (_TURNS, Axiom("convex", f, x1, x0)),
            entry=(1 + later) / 4, spare=new**2 / old**2), inserting=("next", "slope"),
        note="the gradient's change has no part along the last move at worst")
)
WIDER = (
    proof("delta_sgd/L4-wider", "Lemma 4", of="delta_sgd/L4-one@strengthened",
        note="(31) for one client as it is printed, any point, amplifiers up to 2/sqrt(3); its formula is the quotient")
    .under(CONVEX, *MOVES, ENTRY, WIDE)
    .step("most", le(HALF, 1), by.linear())
    .step("31", by.apply(STEP, {later: HALF}))
    .step("far", le(0, square(x1 - x0)), by.apply(SIGN, {point: x1 - x0}))
    .step("room", le(before(HALF) * square(x1 - x0), square(x1 - x0) / 2), by.linear("c1", "far"))
    .qed(decrease(HALF, HALF), by.linear("31", "room"))
)

FALLS = (
    proof("delta_sgd/V-wider", "(5)", of="delta_sgd/V-one@strengthened",
        note="the Lyapunov function as it is printed never grows, where the claim has the quotient of two values")
    .under(CONVEX, *MOVES, ENTRY, WIDE, lyapunov.CAP, DAMPED)
    .given("lowest", le(Val(f, goal), Val(f, x1)), "the goal is a minimiser")
    .step("31", by.apply(WIDER))
    .step("R4", by.apply(lyapunov.R4))
    .qed(lyapunov.decrease(new**2 / old, lyapunov.later**2 / new, gap(x1), gap(x0)), by.linear("31", "R4", "lowest"),
        name="5", note="the growth rule is what is needed")
)

# One weight for every round ---------------------------------------------------------------------------------------------

FITS = Given("fits", le(before(later), later), "the weight leaves the next round what it asks for")
BALANCED = (
    proof("delta_sgd/L4-balanced", "Lemma 4", note="(31) for one client with one weight on both sides that fits")
    .under(CONVEX, *MOVES, ENTRY, MOST, FITS)
    .step("31", by.apply(STEP))
    .step("far", le(0, square(x1 - x0)), by.apply(SIGN, {point: x1 - x0}))
    .step("room", le(before(later) * square(x1 - x0), later * square(x1 - x0)), by.linear("fits", "far"))
    .qed(decrease(later, later), by.linear("31", "room"))
)
_WEIGHT = formula.MOVE_WEIGHT
_SUITS = (line("most", le(_WEIGHT, 1), by.linear("c1")), line("fits", le(before(_WEIGHT), _WEIGHT), by.linear()))
LEAST = (
    proof("delta_sgd/L4-least", "Lemma 4", of="delta_sgd/L4-weight@strengthened",
        note="(31) for one client with the least weight that fits, any point, amplifiers up to sqrt(2)")
    .under(CONVEX, *MOVES, ENTRY, AMPLE)
    .steps(*_SUITS)
    .qed(decrease(_WEIGHT, _WEIGHT),
        by.apply(BALANCED, {later: _WEIGHT}, "convex", "last", "next", "entry", "most", "fits", "c1"))
)

# All rounds -------------------------------------------------------------------------------------------------------------


def energy(place: Expr, weight: Expr = later) -> Expr:
    """Return the squared distances of the Lyapunov function."""
    return square(x(place) - goal) + weight * square(x(place) - x(place - 1))


def so_far(count: Expr, weight: Expr = later) -> Relation:
    """Return the sum of (31) over the iterates 1 to ``count``."""
    start = energy(Integer(1), weight) + 2 * carried(Integer(1)) * gap(x(0))
    return le(energy(count + 1, weight) + 2 * collected(count), start, EARLY)


_SO_FAR = so_far(n + 1)
_FIRST, _NEXT = so_far(Integer(1)), so_far(n + 2)
TELESCOPED = (
    proof("delta_sgd/T5-weight-telescope", "(40), (41)", note="the sum of (31) with its weight over the iterates")
    .under(CONVEX, STEPS, ENTRIES, MOST, FITS)
    .step("here", by.instance({n: n}, "steps"), over=EARLY)
    .step("there", by.instance({n: n + 1}, "steps"), over=EARLY)
    .step("31",
        le(energy(n + 2) + 2 * (eta(n + 1) + carried(n + 1)) * gap(x(n + 1)),
            energy(n + 1) + 2 * carried(n + 1) * gap(x(n)), EARLY),
        by.apply(BALANCED, {x0: x(n), x1: x(n + 1), x2: x(n + 2), old: eta(n), new: eta(n + 1)}))
    .step("first", le(_FIRST.left, _FIRST.right), by.instance({n: 0}, "31"))
    .step("again", by.instance({n: n + 1}, "31"), over=(n, 0, T - 2))
    .step("next", le(_NEXT.left, _NEXT.right, (n, 0, T - 2)), by.linear("again"),
        assuming=le(_SO_FAR.left, _SO_FAR.right), note="one iterate more")
    .qed(_SO_FAR, by.induction(n, "first", "next"), name="all")
)

MOVED = Given("move", eq(distance**2, square(x(1) - x(0))), "the length of the first step")
_SUMMED, _ = statement_of(formula.T5_WEIGHT, gap(centre))
BY_SUM = (
    proof("delta_sgd/T5-weight", "Theorem 5", of="delta_sgd/T5-weight@strengthened", bound=formula.T5_WEIGHT,
        note="one client: the gap at the average against any point, amplifiers up to sqrt(2)")
    .under(CONVEX, STEPS, ENTRIES, AMPLE, GROWTH, DAMPED, SUM, AVERAGE, BEGIN, MOVED)
    .steps(*_SUITS)
    .step("all", by.apply(TELESCOPED, {later: _WEIGHT}, "convex", "steps", "entries", "most", "fits", "c1"))
    .step("41", by.instance({n: T - 1}, "all"))
    .step("Jensen", by.apply(AVERAGED))
    .step("far 1", le(0, square(x(T + 1) - goal)), by.apply(SIGN, {point: x(T + 1) - goal}))
    .step("far 2", le(0, square(x(T + 1) - x(T))), by.apply(SIGN, {point: x(T + 1) - x(T)}))
    .step("far 3", le(0, _WEIGHT * square(x(T + 1) - x(T))), by.linear("far 2", "c1"))
    .step("43", le(S * gap(centre), (D - (HALF - _WEIGHT) * distance**2) / 2),
        by.linear(
            {"41": HALF, "Jensen": 1, "far 1": HALF, "far 3": HALF, "start": -HALF, "move": (HALF - _WEIGHT) / 2}),
        note="(43), distances dropped")
    .qed(_SUMMED, by.linear({"43": 1 / S}), name="last")
)
THEOREMS = (STEP, WIDER, FALLS, BALANCED, LEAST, TELESCOPED, BY_SUM)
