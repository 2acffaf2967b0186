"""Section 2: gradient descent on convex smooth functions, (3) in its sharp form, and one step of any size.

With z the minimiser, 2 n L (f(x_n) - f(z)) + n (n + 1) |f'(x_n)|^2 + L^2 |x_n - z|^2 never grows along steps of 1/L.
"""

from __future__ import annotations

from sympy import Expr, Max, Min, Rational, Symbol

from fltheory.papers.delta_sgd.notation import L, R, T, step_size
from fltheory.proof import Axiom, Given, Member, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Fun, Grad, Scalar, Val, Vector, family, square
from fltheory.verification import find

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
    """Return the potential, which never grows."""
    return 2 * count * L * gap(point) + count * (count + 1) * square(Grad(f, point)) + L**2 * square(point - z)


SHORTER = (
    proof("delta_sgd/C3-slope", "(3)", note="a step of 1/L makes no gradient longer").under(CONVEX)
    .given("step", eq(v, u - Grad(f, u) / L), "a step of gradient descent, of size 1/L")
    .qed(le(square(Grad(f, v)), square(Grad(f, u))),
        by.sos("convex", (2 * L, Axiom("cocoercive", f, u, v)), (2 * L, Axiom("cocoercive", f, v, u))),
        inserting="step")
)
ONE = (
    proof("delta_sgd/C3-one", "(3)", note="the potential, one step on").under(CONVEX, LOWEST)
    .given("step", eq(v, u - Grad(f, u) / L), "a step of gradient descent, of size 1/L")
    .step("shorter", by.apply(SHORTER))
    .qed(le(potential(n + 1, v), potential(n, u)),
        by.linear("convex", (2 * L, Axiom("cocoercive", f, z, u)), (2 * (n + 1) * L, Axiom("cocoercive", f, u, v)),
            shorter=(n + 1) ** 2), inserting=("step", "lowest"))
)
STEPS = Given("steps", eq(x(n + 1), x(n) - Grad(f, x(n)) / L, (n, 0, T - 1)), "gradient descent with the step 1/L")
START, NOW, LATER = potential(0, x(0)), potential(n, x(n)), potential(n + 1, x(n + 1))
POTENTIAL = (
    proof("delta_sgd/C3-potential", "(3)", note="the potential after all steps").under(CONVEX, LOWEST, STEPS)
    .step("one", by.apply(ONE, {u: x(n), v: x(n + 1)}))
    .step("first", le(START, START), by.linear(), note="nothing has happened yet")
    .step("next", le(LATER, START, (n, 0, T - 1)), by.linear("one"), assuming=le(NOW, START))
    .step("all", le(NOW, START, (n, 0, T)), by.induction(n, "first", "next"))
    .qed(le(potential(T, x(T)), L**2 * square(x(0) - z)), by.instance({n: T}, "all"), name="last")
)


def bounded(name: str) -> tuple:
    """State the claim's bound on the last iterate."""
    bound = find(name).bound
    return bound, statement_of(bound, gap(x(T)))[0]


_SHARP, _SHARP_LINE = bounded("delta_sgd/C3@strengthened")
_PRINTED, _PRINTED_LINE = bounded("delta_sgd/C3@printed")
_END = (
    proof("delta_sgd/C3-sides", "(3)", note="(3) in its sharp form, times 4 t + 2: a square is left out")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step("potential", by.apply(POTENTIAL))
    .step("square", le(0, square((T + 1) * Grad(f, x(T)) - L * (x(T) - z))), by.sos())
    .qed(le((4 * T + 2) * gap(x(T)), L * R**2),
        by.linear("convex", (2 * (T + 1), Axiom("cocoercive", f, z, x(T))), potential=1 / L, square=1 / L, way=-L),
        inserting="lowest")
)
SHARP = (
    proof("delta_sgd/C3@strengthened", of="delta_sgd/C3@strengthened", bound=_SHARP, note="(3) in its sharp form")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step("sides", by.apply(_END))
    .qed(_SHARP_LINE, by.linear("sides"))
)
PRINTED = (
    proof("delta_sgd/C3@printed", of="delta_sgd/C3@printed", bound=_PRINTED, note="(3), one index loose")
    .under(CONVEX, LOWEST, STEPS, WAY)
    .step("sides", by.apply(_END))
    .step("room", le(L * R**2 / (4 * T + 2), L * R**2 / (2 * (2 * T - 1))), by.linear())
    .qed(_PRINTED_LINE, by.linear("sides", "room"))
)

# One step of any size ------------------------------------------------------------------------------------------------

_H = L * step_size
SHORT, LONG = 1 / (2 * _H + 1), (1 - _H) ** 2
_STEP = find("delta_sgd/C3-step@corrected").bound
_ANY, _CONDITIONS = statement_of(_STEP, gap(v))
_WAY = Given("way", eq(R**2, square(u - z)), "R is the distance from the start to the minimiser")
_MOVE = Given("step", eq(v, u - step_size * Grad(f, u)), "a step of gradient descent")


def left(factor: Expr) -> Expr:
    """Return L R^2 times half a factor."""
    return L * R**2 / 2 * factor


_SMALL, _LARGE = (le(2 * _H, 3),), (le(3, 2 * _H),)
_GIVEN = Given("c1", le(_H, 2), "the step is at most 2/L")


def one_step(name: str, weight: Expr, side: Given, factor: Expr):
    """Prove the bound for one step; ``weight`` multiplies the start's inequality against the minimiser."""
    return (
        proof(name, "Section 2", note="what is left is a sum of squares").under(CONVEX, LOWEST, _WAY, _MOVE, *side)
        .step("least", le(0, weight), by.linear({side[0].id: Rational(1, 2)} if weight.free_symbols else {}))
        .step("most", le(weight, 1), by.linear({"c1": 1} if weight.free_symbols else {}))
        .qed(le(gap(v), left(factor)),
            by.sos("convex", *(h.id for h in side), "least", "most", (weight, Axiom("cocoercive", f, z, u)),
                (weight, Axiom("cocoercive", f, u, v)), (1 - weight, Axiom("cocoercive", f, z, v)),
                way=-L / 2 * factor), inserting=("step", "lowest"))
    )


SMALLER = one_step("delta_sgd/C3-small-step", Rational(1, 2), (Given("small", _SMALL[0], "a step of at most 3/(2L)"),),
    SHORT)
LARGER = one_step("delta_sgd/C3-large-step", _H - 1, (Given("large", _LARGE[0], "a step of at least 3/(2L)"), _GIVEN),
    LONG)
p, q = (Symbol(name, real=True) for name in "pq")
_LESS, _MORE = (le(p, q),), (le(q, p),)
_ABOVE = le(p, Max(p, q))
GREATER = (
    proof("delta_sgd/greater", "Section 2", note="the larger one of any two numbers is above each")
    .step("1.1", eq(Max(p, q), p), by.fact("max", Max(p, q)), assuming=_MORE)
    .step("1", _ABOVE, by.linear("1.1"), assuming=_MORE)
    .step("2.1", eq(Max(p, q), q), by.fact("max", Max(p, q)), assuming=_LESS)
    .step("2", _ABOVE, by.linear("2.1"), assuming=_LESS)
    .qed(_ABOVE, by.cases("1", "2"))
)
_SIDE = Max(SHORT, LONG, evaluate=False)
_TOP = left(_SIDE)
STEP = (
    proof("delta_sgd/C3-step@corrected", of="delta_sgd/C3-step@corrected", bound=_STEP, note="one step of any size")
    .under(CONVEX, LOWEST, _WAY, _MOVE, *_CONDITIONS)
    .step("1.0", _SMALL[0], by.linear(), assuming=_SMALL)
    .step("1.1", by.apply(SMALLER), assuming=_SMALL)
    .step("1.2", by.apply(GREATER, {p: SHORT, q: LONG}))
    .step("1", le(gap(v), _TOP), by.linear("1.1", "1.2"), assuming=_SMALL)
    .step("2.0", _LARGE[0], by.linear(), assuming=_LARGE)
    .step("2.1", by.apply(LARGER), assuming=_LARGE)
    .step("2.2", by.apply(GREATER, {p: LONG, q: SHORT}))
    .step("2", le(gap(v), _TOP), by.linear("2.1", "2.2"), assuming=_LARGE)
    .qed(_ANY, by.cases("1", "2"))
)

# attained by a Huber function with its kink at R/(2 L eta + 1), or by a quadratic -------------------------------------

near, far = (family(Scalar, name)() for name in ("x", "y"))
_KINK = R / (2 * _H + 1)


def huber(point: Expr) -> Expr:
    """Return the Huber function at a nonnegative point."""
    slope = Min(point, _KINK, evaluate=False)
    return L * (point * slope - slope**2 / 2)


_WORST = Max(huber(near), L * far**2 / 2, evaluate=False)
_STEPS = (
    Given("huber", eq(near, R - step_size * L * Min(R, _KINK, evaluate=False)), "a step from R on the Huber function"),
    Given("quadratic", eq(far, R - step_size * L * R), "and on the quadratic L x^2/2"),
)
_SHORT, _LONG = left(SHORT), left(LONG)
VALUES = (
    line("kink", le(_KINK, R), by.linear()),
    line("slope", eq(Min(R, _KINK, evaluate=False), _KINK), by.fact("min", Min(R, _KINK, evaluate=False), "kink")),
    line("end", eq(near, (1 + _H) * _KINK), by.linear("huber", "slope")),
    line("beyond", le(_KINK, near), by.linear("end")),
    line("level", eq(Min(near, _KINK, evaluate=False), _KINK),
        by.fact("min", Min(near, _KINK, evaluate=False), "beyond")),
    line("short", eq(huber(near), _SHORT), by.linear(), inserting=("level", "end")),
    line("long", eq(L * far**2 / 2, _LONG), by.linear(), inserting="quadratic"),
)
_ATTAINED = find("delta_sgd/C3-step-attained@strengthened").bound
_REACHED, _ = statement_of(_ATTAINED, _WORST)
_OPTIMAL = find("delta_sgd/C3-optimal@strengthened").bound
_LEAST, _ = statement_of(_OPTIMAL, _WORST)
REACHED = (
    proof("delta_sgd/C3-step-attained", of="delta_sgd/C3-step-attained@strengthened", bound=_ATTAINED,
        note="the larger value of the two functions after one step")
    .under(*_STEPS)
    .steps(*VALUES)
    .step("1.0", le(LONG, SHORT), by.linear(), assuming=le(LONG, SHORT))
    .step("1.1", eq(_SIDE, SHORT), by.fact("max", _SIDE, "1.0"), assuming=le(LONG, SHORT))
    .step("1.2", le(L * far**2 / 2, huber(near)), by.linear({"long": 1, "short": -1, "1.0": L * R**2 / 2}),
        assuming=le(LONG, SHORT))
    .step("1.3", eq(_WORST, huber(near)), by.fact("max", _WORST, "1.2"), assuming=le(LONG, SHORT))
    .step("1", _REACHED, by.linear({"1.3": 1, "short": 1, "1.1": -L * R**2 / 2}), assuming=le(LONG, SHORT))
    .step("2.0", le(SHORT, LONG), by.linear(), assuming=le(SHORT, LONG))
    .step("2.1", eq(_SIDE, LONG), by.fact("max", _SIDE, "2.0"), assuming=le(SHORT, LONG))
    .step("2.2", le(huber(near), L * far**2 / 2), by.linear({"long": -1, "short": 1, "2.0": L * R**2 / 2}),
        assuming=le(SHORT, LONG))
    .step("2.3", eq(_WORST, L * far**2 / 2), by.fact("max", _WORST, "2.2"), assuming=le(SHORT, LONG))
    .step("2", _REACHED, by.linear({"2.3": 1, "long": 1, "2.1": -L * R**2 / 2}), assuming=le(SHORT, LONG))
    .qed(_REACHED, by.cases("1", "2"))
)
OPTIMAL = (
    proof("delta_sgd/C3-optimal@strengthened", of="delta_sgd/C3-optimal@strengthened", bound=_OPTIMAL,
        note="for every step one of the two functions keeps an eighth")
    .under(*_STEPS)
    .steps(*VALUES)
    .step("1.1", le(_LEAST.left, _SHORT), by.linear(), assuming=_SMALL)
    .step("1.2", by.apply(GREATER, {p: huber(near), q: L * far**2 / 2}))
    .step("1", _LEAST, by.linear({"1.1": 1, "short": -1, "1.2": 1}), assuming=_SMALL)
    .step("2.0", le(0, 2 * _H - 1), by.linear(), assuming=_LARGE)
    .step("2.1", le(_LEAST.left, _LONG), by.linear("2.0"), assuming=_LARGE)
    .step("2.2", by.apply(GREATER, {q: huber(near), p: L * far**2 / 2}))
    .step("2", _LEAST, by.linear("2.1", "long", "2.2"), assuming=_LARGE)
    .qed(_LEAST, by.cases("1", "2"))
)
THEOREMS = (SHORTER, ONE, POTENTIAL, _END, SHARP, PRINTED, SMALLER, LARGER, GREATER, STEP, REACHED, OPTIMAL)
