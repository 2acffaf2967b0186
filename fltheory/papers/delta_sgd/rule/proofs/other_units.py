"""R5: rule (4) in other units and axes, for the objective ``worth`` f(Q'(y - shift)/size) with Q orthogonal.

``u`` are the images size Q x_n + shift of a client's points, ``q`` the turned gradients Q grad f(x_n), ``f2`` the new objective.
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Max, Symbol

from fltheory.papers.delta_sgd.notation import eta_0, gamma, theta_0
from fltheory.papers.delta_sgd.rule.proofs.attained import of_claim
from fltheory.papers.delta_sgd.rule.proofs.ends import TIMES
from fltheory.papers.delta_sgd.rule.proofs.one_step import BEYOND, POINTS, over
from fltheory.papers.delta_sgd.rule.proofs.same_runs import low
from fltheory.papers.delta_sgd.rule.proofs.two_runs import (ALWAYS, CHOICE, LENGTHS, M2, POINT, SOME, TWO, U2, M, U, a0,
    a1, a2, b0, b1, b2, chosen, eta, f, gap, h, here, moved, n, one, other, rule_of, run, there, turned, x, z)
from fltheory.proof import Given, by, eq, le, lt, proof
from fltheory.proof.terms import Dot, Fun, Grad, Indicator, Vector, family, square

size, worth, scale = (Symbol(name, positive=True) for name in ("length", "objective", "c"))
FACTOR = size**2 / worth
u, q = family(Vector, "u"), family(Vector, "q")
f2 = family(Fun, "f_new")()
KINDS = ("stays", "second", "first")

# One choice of a step -----------------------------------------------------------------------------------------

_BACK, _ON = (lt(low, 0),), (le(0, low),)
_SIGN = eq(Indicator(scale * low), Indicator(low))
SIGN = (
    proof("delta_sgd/same-sign", "Algorithm 1, line 9", note="the indicator of a number times a positive one")
    .step("1.0", le(0, low), by.linear(), assuming=_ON)
    .step("1.1", eq(Indicator(low), 1), by.fact("indicator", low, "1.0"), assuming=_ON)
    .step("1.2", le(0, scale * low), by.linear(), assuming=_ON)
    .step("1.3", eq(Indicator(scale * low), 1), by.fact("indicator", scale * low, "1.2"), assuming=_ON)
    .step("1", _SIGN, by.linear("1.3", "1.1"), assuming=_ON)
    .step("2.0", lt(low, 0), by.linear(), assuming=_BACK)
    .step("2.1", eq(Indicator(low), 0), by.apply(BEYOND), assuming=_BACK)
    .step("2.2", lt(scale * low, 0), by.linear(), assuming=_BACK)
    .step("2.3", by.apply(BEYOND, {low: scale * low}), assuming=_BACK)
    .step("2", _SIGN, by.linear("2.3", "2.1"), assuming=_BACK)
    .qed(_SIGN, by.cases("1", "2"))
)
_HERE = chosen(a0, a1, a2, M, U)
_THERE = chosen(FACTOR * a0, FACTOR * a1, FACTOR * a2, M2, U2)
_LONG = Given("M", eq(M2, size**2 * M), "a move is so many times as long")


def _parts() -> tuple[Expr, Expr, Expr]:
    """Return the room, the second entry's square and the first entry's bound on the step, before the units change."""
    from fltheory.papers.delta_sgd.notation import delta

    cap = (1 + delta * a1 / a0) * a1**2
    return 4 * cap * U - gamma**2 * M, a2**2 - cap, 4 * a2**2 * U - gamma**2 * M


_ROOM, _OFF, _FIRST = _parts()
_I1, _I2 = Indicator(-M), Indicator(-_ROOM)
_J2 = Indicator(-(size**2) * _ROOM)
_WEIGHTS = (
    {"stays": FACTOR, "still": FACTOR * (a2 - a1)},
    {"second": FACTOR**2, "still": -_J2 * FACTOR**2 * _OFF, "room": (1 - _I1) * FACTOR**2 * _OFF},
    {"first": size**2, "room": -(size**2) * _FIRST},
)


def scaled(kind: int):
    """Prove one of the three lines in other units."""
    lines = [Given(KINDS[kind], _HERE[kind], "in the old units"), _LONG]
    if kind:
        lines.append(Given("U", eq(U2, (worth / size) ** 2 * U), "and so many times the gradient turns"))
    chain = proof(f"delta_sgd/R5-{KINDS[kind]}", "Algorithm 1, line 9", note="what line 9 says, in other units").under(
        *lines)
    if kind < 2:
        chain = chain.step("still", by.apply(SIGN, {low: -M, scale: size**2}))
    if kind:
        chain = chain.step("room", eq(_J2, _I2), by.apply(SIGN, {low: -_ROOM, scale: size**2}))
    return chain.qed(_THERE[kind], by.linear(_WEIGHTS[kind]), inserting=tuple(g.id for g in lines[1:]))


SCALED = tuple(map(scaled, range(3)))

# The first steps of two runs -----------------------------------------------------------------------------------------


def at_first(term):
    """Return a term at the start of the run."""
    return term.subs(n, 0)


BEGIN = Given("begin", eq(x(0), z(0)), "both start at the same point")
NOW = Given("now", eq(eta(0), h(0)), "with one step size")
_LINES = tuple(g for mark, points, steps in (("x", x, eta), ("z", z, h)) for g in run(mark, points, steps)[:1])
_X0, _Z0, _X1, _Z1 = (Grad(f, point) for point in (x(0), z(0), x(1), z(1)))
FIRST_POINT = (
    proof("delta_sgd/first-point", "Algorithm 1", note="the first steps lead to one point").under(*_LINES, BEGIN, NOW)
    .step("slope", eq(_X0, _Z0), by.apply(POINTS, {here: x(0), there: z(0)}))
    .step("run x 0", by.instance({n: Integer(0)}, "run x"))
    .step("run z 0", by.instance({n: Integer(0)}, "run z"))
    .step("sized", by.apply(TIMES, {one: eta(0), other: h(0), gap: _Z0}))
    .qed(eq(x(1), z(1)), by.linear("run x 0", "run z 0", "begin", "slope", "sized"))
)
_NEXT = Given("next", eq(x(1), z(1)), "and so is the next point")
FIRST_MOVE = (
    proof("delta_sgd/first-move", "Algorithm 1", note="the first moves are as long").under(BEGIN, _NEXT)
    .step("move", eq(z(1) - z(0), x(1) - x(0)), by.linear("next", "begin"))
    .qed(eq(at_first(moved(z)), at_first(moved(x))), by.apply(LENGTHS, {here: z(1) - z(0), there: x(1) - x(0)}))
)
FIRST_TURN = (
    proof("delta_sgd/first-turn", "Algorithm 1", note="the gradients turn as much").under(BEGIN, _NEXT)
    .step("slope", eq(_X0, _Z0), by.apply(POINTS, {here: x(0), there: z(0)}))
    .step("after", by.apply(POINTS, {here: x(1), there: z(1)}))
    .step("turn", eq(_Z1 - _Z0, _X1 - _X0), by.linear("after", "slope"))
    .qed(eq(at_first(turned(z)), at_first(turned(x))), by.apply(LENGTHS, {here: _Z1 - _Z0, there: _X1 - _X0}))
)

# R5 -----------------------------------------------------------------------------------------

number = Symbol("number", real=True)
NOTHING = (
    proof("delta_sgd/largest-of-none", "Algorithm 1", note="the larger one of two that are 0")
    .given("zero", eq(low, 0), "a number that is 0")
    .given("zero too", eq(number, 0), "and another one")
    .qed(eq(Max(Abs(low), Abs(number)), 0), by.linear(), inserting=("zero", "zero too"))
)

IN_NEW = {f: f2, x(n): u(n), eta(n): FACTOR * eta(n)}
_MU, _UU = square(u(n + 1) - u(n)), square(Grad(f2, u(n + 1)) - Grad(f2, u(n)))
_MZ, _UZ = moved(z), square(Grad(f2, z(n + 1)) - Grad(f2, z(n)))
axis = family(Vector, "axis")()
_RATIO, _PLACE = h(n) / (FACTOR * eta(n)) - 1, Dot(axis, z(n) - u(n)) / size
_R5, _R5_SAYS, _ = of_claim("R5@explicit", Max(Abs(_RATIO), Abs(_PLACE)), "for each client, along each axis")
_HYPOTHESES = (
    *run("x", x, eta)[1:],
    *rule_of("x 1", chosen(eta(0) / theta_0, eta(0), eta(1), at_first(moved(x)), at_first(turned(x)))),
    Given("start x", eq(eta(0), eta_0), "the first step size"),
    Given("run z", eq(z(n + 1), z(n) - h(n) * Grad(f2, z(n)), ALWAYS), "line 8 in the new units"),
    *rule_of("z", chosen(h(n), h(n + 1), h(n + 2), _MZ, _UZ, ALWAYS)),
    *rule_of("z 1", chosen(h(0) / theta_0, h(0), h(1), at_first(_MZ), at_first(_UZ))),
    Given("start z", eq(h(0), FACTOR * eta_0), "the first step size in the new units"),
    Given("place", eq(u(0), z(0)), "it starts at the image of the start"),
    Given("image", eq(u(n + 1), u(n) - size * eta(n) * q(n), ALWAYS),
        "u_n = length Q x_n + shift, and line 8 moves x_n by -eta_n grad f(x_n): so u_n moves by -length eta_n Q grad f(x_n)"),
    Given("lengths", eq(_MU, size**2 * moved(x), ALWAYS), "Q keeps lengths"),
    Given("angles", eq(square(q(n + 1) - q(n)), turned(x), ALWAYS), "those of differences of gradients too"),
    Given("chain", eq(Grad(f2, u(n)), worth / size * q(n), ALWAYS),
        "the gradient of objective f(Q'(y - shift)/length) at y = u_n: the chain rule"),
    Given("some", SOME.relation, "any vector that is not 0, which there is in every space but {0}"),
)
_SIGNS = {"sign M x": moved(x), "sign U x": turned(x), "sign M u": _MU, "sign U u": _UU, "sign M z": _MZ, "sign U z": _UZ}


def rules(chain):
    """Return the images are a run on the new objective."""
    for name, length in _SIGNS.items():
        chain = chain.step(name, le(0, length, ALWAYS), by.sos())
    turn, its = Grad(f2, u(n + 1)) - Grad(f2, u(n)), worth / size * (q(n + 1) - q(n))
    chain = (
        chain.step("run u", eq(u(n + 1), u(n) - FACTOR * eta(n) * Grad(f2, u(n)), ALWAYS), by.linear("image", "chain"))
        .step("chain next", by.instance({n: n + 1}, "chain"))
        .step("turn", eq(turn, its, ALWAYS), by.linear("chain next", "chain"))
        .step("turns", by.apply(LENGTHS, {here: turn, there: its}))
        .step("U", eq(_UU, (worth / size) ** 2 * turned(x), ALWAYS), by.linear("turns", "angles"))
    )
    sizes = {M: moved(x), U: turned(x), M2: _MU, U2: _UU}
    steps = {a0: eta(n), a1: eta(n + 1), a2: eta(n + 2)}
    new = chosen(*(FACTOR * v for v in steps.values()), _MU, _UU, ALWAYS)
    uses = (("lengths",), ("lengths", "U"), ("lengths", "U"))
    for kind, claim, used in zip(KINDS, new, uses, strict=True):
        chain = chain.step(
            f"{kind} u", claim, by.apply(f"delta_sgd/R5-{kind}", steps | sizes, f"{kind} x", *used, *_SIGNS)
        )
    for name in ("lengths", "U", *_SIGNS):
        chain = chain.step(f"{name} 0", by.instance({n: Integer(0)}, name))
    first = {a0: eta(0) / theta_0, a1: eta(0), a2: eta(1)}
    new = chosen(*(FACTOR * v for v in first.values()), at_first(_MU), at_first(_UU))
    sizes = {letter: at_first(term) for letter, term in sizes.items()}
    signs = tuple(f"{name} 0" for name in _SIGNS)
    for kind, claim, used in zip(KINDS, new, uses, strict=True):
        chain = chain.step(
            f"{kind} u 1",
            claim,
            by.apply(f"delta_sgd/R5-{kind}", first | sizes, f"{kind} x 1", *(f"{v} 0" for v in used), *signs),
        )
    return chain


def first_steps(chain):
    """Return the first computed step is the same."""
    begun = IN_NEW
    values = {a0: FACTOR * eta(0) / theta_0, a1: FACTOR * eta(0), a2: FACTOR * eta(1)}
    values |= {b0: h(0) / theta_0, b1: h(0), b2: h(1)}
    values |= {M: at_first(_MU), U: at_first(_UU), M2: at_first(_MZ), U2: at_first(_UZ)}
    signs = tuple(f"{name} 0" for name in _SIGNS)
    return (
        chain.step("now", eq(FACTOR * eta(0), h(0)), by.linear("start x", "start z"))
        .step("next", by.apply(FIRST_POINT, begun))
        .step("M 0", by.apply(FIRST_MOVE, begun))
        .step("UU 0", by.apply(FIRST_TURN, begun))
        .step("b1", eq(h(0), FACTOR * eta(0)), by.linear("now"))
        .step("b0", eq(h(0) / theta_0, FACTOR * eta(0) / theta_0), by.linear("b1"))
        .step(
            "later",
            by.apply(
                CHOICE,
                values,
                *(f"{kind} {mark}" for mark in ("u 1", "z 1") for kind in KINDS),
                "b0",
                "b1",
                "M 0",
                "UU 0",
                *signs,
            ),
        )
    )


_AS = {here: u(n), there: z(n), a0: FACTOR * eta(n), a1: h(n), a2: FACTOR * eta(n + 1), b2: h(n + 1)}
UNITS = (
    first_steps(rules(_R5.under(*_HYPOTHESES)))
    .step("joint", by.apply(TWO, IN_NEW))
    .step("points", by.apply(POINT, _AS))
    .step("steps", eq(FACTOR * eta(n), h(n), ALWAYS), by.apply("delta_sgd/state-now", _AS, "joint", "some"))
    .step("ratio", eq(_RATIO, 0, ALWAYS), by.linear("steps"))
    .step("off", eq(_PLACE, 0, ALWAYS), by.linear({"points": -axis / size}))
    .qed(over(_R5_SAYS), by.apply(NOTHING, {low: _RATIO, number: _PLACE}))
)
THEOREMS = (SIGN, *SCALED, FIRST_POINT, FIRST_MOVE, FIRST_TURN, NOTHING, UNITS)
