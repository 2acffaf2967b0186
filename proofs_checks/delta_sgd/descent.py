"""Section 2: gradient descent on convex smooth functions, (3) in its sharp form, and one step of any size.

With z the minimiser, 2 n L (f(x_n) - f(z)) + n (n + 1) |f'(x_n)|^2 + L^2 |x_n - z|^2 never grows along steps of 1/L.
"""

from __future__ import annotations

from sympy import Expr, Max, Rational, Symbol

from fltheory.known import find
from fltheory.papers.delta_sgd.letters import L, R, T, step_size
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof, stated
from fltheory.proof.terms import Fun, Grad, Val, Vector, family, square
from proofs_checks.delta_sgd.rule import a, b

n = Symbol("n", integer=True, nonnegative=True)
x, f = family(Vector, "x"), family(Fun, "f")()
u, v, z = (family(Vector, name)() for name in ("u", "v", "z"))
CONVEX = Member("convex", f, smooth=L, convex=0, why="f is convex and L-smooth")
LOWEST = Given("lowest", eq(Grad(f, z), 0 * z), "z minimises f")
WAY = Given("way", eq(R**2, square(x(0) - z)), "R is the distance from the start to the minimiser")


def gap(point: Expr) -> Expr:
    """f - f* at a point."""
    return Val(f, point) - Val(f, z)


def potential(count: Expr, point: Expr) -> Expr:
    """What never grows."""
    return 2 * count * L * gap(point) + count * (count + 1) * square(Grad(f, point)) + L**2 * square(point - z)


SHORTER = (
    proof("delta_sgd/C3-slope", "(3)", note="a step of 1/L makes no gradient longer")
    .under(CONVEX)
    .given("step", eq(v, u - Grad(f, u) / L), "a step of gradient descent, of size 1/L")
    .qed(
        le(square(Grad(f, v)), square(Grad(f, u))),
        by.gram("convex", (2 * L, Axiom("cocoercive", f, u, v)), (2 * L, Axiom("cocoercive", f, v, u))),
        inserting="step",
    )
)
ONE = (
    proof("delta_sgd/C3-one", "(3)", note="the potential, one step on")
    .under(CONVEX, LOWEST)
    .given("step", eq(v, u - Grad(f, u) / L), "a step of gradient descent, of size 1/L")
    .step("shorter", le(square(Grad(f, v)), square(Grad(f, u))), by.apply("delta_sgd/C3-slope", "convex", "step"))
    .qed(
        le(potential(n + 1, v), potential(n, u)),
        by.combine(
            "convex",
            (2 * L, Axiom("cocoercive", f, z, u)),
            (2 * (n + 1) * L, Axiom("cocoercive", f, u, v)),
            shorter=(n + 1) ** 2,
        ),
        inserting=("step", "lowest"),
    )
)
STEPS = Given("steps", eq(x(n + 1), x(n) - Grad(f, x(n)) / L, (n, 0, T - 1)), "gradient descent with the step 1/L")
START, NOW, LATER = potential(0, x(0)), potential(n, x(n)), potential(n + 1, x(n + 1))
POTENTIAL = (
    proof("delta_sgd/C3-potential", "(3)", note="the potential after all steps")
    .under(CONVEX, LOWEST, STEPS)
    .step(
        "one",
        le(LATER, NOW, (n, 0, T - 1)),
        by.apply("delta_sgd/C3-one", {u: x(n), v: x(n + 1)}, "convex", "lowest", "steps"),
    )
    .step("first", le(START, START), by.combine(), note="nothing has happened yet")
    .step("next", le(LATER, START, (n, 0, T - 1)), by.combine("one"), assuming=le(NOW, START))
    .step("all", le(NOW, START, (n, 0, T)), by.induction(n, "first", "next"))
    .qed(le(potential(T, x(T)), L**2 * square(x(0) - z)), by.instance({n: T}, "all"), name="last")
)


def bounded(name: str) -> tuple:
    """The claim's bound and what it says of the last iterate."""
    bound = find(name).bound
    return bound, stated(bound, gap(x(T)))[0]


_SHARP, _SHARP_LINE = bounded("delta_sgd/C3@sharpened")
_PRINTED, _PRINTED_LINE = bounded("delta_sgd/C3@printed")
_SIDES = le((4 * T + 2) * gap(x(T)), L * R**2)
_END = (
    proof("delta_sgd/C3-sides", "(3)", note="(3) in its sharp form, times 4 t + 2: a square is left out")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step(
        "potential",
        le(potential(T, x(T)), L**2 * square(x(0) - z)),
        by.apply("delta_sgd/C3-potential", "convex", "lowest", "steps"),
    )
    .step("square", le(0, square((T + 1) * Grad(f, x(T)) - L * (x(T) - z))), by.gram())
    .qed(
        _SIDES,
        by.combine(
            "convex",
            (2 * (T + 1), Axiom("cocoercive", f, z, x(T))),
            potential=1 / L,
            square=1 / L,
            way=-L,
        ),
        inserting="lowest",
    )
)
_SAME = ("convex", "lowest", "steps", "way")
SHARP = (
    proof("delta_sgd/C3@sharpened", of="delta_sgd/C3@sharpened", bound=_SHARP, note="(3) in its sharp form")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step("sides", _SIDES, by.apply("delta_sgd/C3-sides", *_SAME))
    .qed(_SHARP_LINE, by.combine(sides=1 / (4 * T + 2)))
)
PRINTED = (
    proof("delta_sgd/C3@printed", of="delta_sgd/C3@printed", bound=_PRINTED, note="(3), one index loose")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step("sides", _SIDES, by.apply("delta_sgd/C3-sides", *_SAME))
    .step("room", le(L * R**2 / (4 * T + 2), L * R**2 / (2 * (2 * T - 1))), by.combine())
    .qed(_PRINTED_LINE, by.combine({"sides": 1 / (4 * T + 2), "room": 1}))
)

# One step of any size ------------------------------------------------------------------------------------------------

_H = L * step_size
SHORT, LONG = 1 / (2 * _H + 1), (1 - _H) ** 2
_STEP = find("delta_sgd/C3-step@corrected").bound
_ANY, _CONDITIONS = stated(_STEP, gap(v))
_WAY = Given("way", eq(R**2, square(u - z)), "R is the distance from the start to the minimiser")
_MOVE = Given("step", eq(v, u - step_size * Grad(f, u)), "a step of gradient descent")


def left(factor: Expr) -> Expr:
    """L R^2 times half a factor."""
    return L * R**2 / 2 * factor


_SMALL, _LARGE = (le(2 * _H, 3),), (le(3, 2 * _H),)
_GIVEN = Given("c1", le(_H, 2), "the step is at most 2/L")


def one_step(name: str, weight: Expr, side: Given, factor: Expr):
    """One step, the weight of the start's inequality against the minimiser."""
    return (
        proof(name, "Section 2", note="what is left is a sum of squares")
        .under(CONVEX, LOWEST, _WAY, _MOVE, *side)
        .step("least", le(0, weight), by.combine({side[0].id: Rational(1, 2)} if weight.free_symbols else {}))
        .step("most", le(weight, 1), by.combine({"c1": 1} if weight.free_symbols else {}))
        .qed(
            le(gap(v), left(factor)),
            by.gram(
                "convex",
                *(h.id for h in side),
                "least",
                "most",
                (weight, Axiom("cocoercive", f, z, u)),
                (weight, Axiom("cocoercive", f, u, v)),
                (1 - weight, Axiom("cocoercive", f, z, v)),
                way=-L / 2 * factor,
            ),
            inserting=("step", "lowest"),
        )
    )


SMALLER = one_step("delta_sgd/C3-small-step", Rational(1, 2), (Given("small", _SMALL[0], "a step of at most 3/(2L)"),), SHORT)
LARGER = one_step(
    "delta_sgd/C3-large-step", _H - 1, (Given("large", _LARGE[0], "a step of at least 3/(2L)"), _GIVEN), LONG
)
_BASE = ("convex", "lowest", "way", "step")
_SIDE = Max(SHORT, LONG, evaluate=False)
_TOP = left(_SIDE)
STEP = (
    proof("delta_sgd/C3-step@corrected", of="delta_sgd/C3-step@corrected", bound=_STEP, note="one step of any size")
    .under(CONVEX, LOWEST, _WAY, _MOVE, *_CONDITIONS)
    .step("1.1", le(gap(v), left(SHORT)), by.apply("delta_sgd/C3-small-step", *_BASE, "assumed 1"), assuming=_SMALL)
    .step("1.2", le(SHORT, _SIDE), by.apply("delta_sgd/larger", {a: SHORT, b: LONG}))
    .step("1", le(gap(v), _TOP), by.combine({"1.1": 1, "1.2": L * R**2 / 2}), assuming=_SMALL)
    .step("2.1", le(gap(v), left(LONG)), by.apply("delta_sgd/C3-large-step", *_BASE, "assumed 1", "c1"), assuming=_LARGE)
    .step("2.2", le(LONG, _SIDE), by.apply("delta_sgd/larger", {a: LONG, b: SHORT}))
    .step("2", le(gap(v), _TOP), by.combine({"2.1": 1, "2.2": L * R**2 / 2}), assuming=_LARGE)
    .qed(_ANY, by.cases("1", "2"))
)
THEOREMS = (SHORTER, ONE, POTENTIAL, _END, SHARP, PRINTED, SMALLER, LARGER, STEP)
