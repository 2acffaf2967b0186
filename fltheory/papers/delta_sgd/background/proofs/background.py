"""A step for the least smooth client, footnote 1, (1c) on sizes and slopes, the first local step: as the claims measure them."""

from __future__ import annotations

from sympy import Min, Symbol, sqrt

from fltheory.papers.delta_sgd.background.proofs.examples import after, centre, point
from fltheory.papers.delta_sgd.notation import L, T, eta_0, mu, rho
from fltheory.papers.delta_sgd.rule.proofs.rule import BELOW, a, b
from fltheory.papers.delta_sgd.smoothness.proofs.direction import ANY, angle, q, s
from fltheory.proof import Axiom, Given, Member, by, eq, le, lt, proof, statement_of
from fltheory.proof.papers.quotients import ONE, below, factor, top
from fltheory.proof.terms import Dot, Fun, Grad, Val, Vector, family, square
from fltheory.verification import find

n = Symbol("n", integer=True, nonnegative=True)


def start(name: str, quantity, note: str, place=None):
    """Return a theorem of a claim, with its statement and the claim's conditions."""
    claim = f"delta_sgd/{name}"
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity, place or {})
    return proof(claim, of=claim, bound=bound, reading=place or {}, note=note), statement, conditions


# The step 1/L_max, for many steps -----------------------------------------------------------------------------------------

x, c = family(Vector, "x"), family(Vector, "c")()
_RATE = mu / L
_AHEAD = (n, 0, T - 1)
_FAR = square(x(0) - c)
_NEAR = le(square(x(n) - c), _FAR, (n, 0, T))
_LEFT = le((1 - 2 * n * _RATE) * _FAR, square(x(n) - c), (n, 0, T))
_SLOW, _SLOWLY, _ = start("C-Lmax-slow@explicit", square(x(T) - c) / _FAR,
    "each step takes at most 2 L_j/L of the first distance")
SLOW = (
    _SLOW.given("steps", eq(x(n + 1), x(n) - mu * (x(n) - c) / L, _AHEAD), "the step 1/L_max on L_j/2 |x - c|^2")
    .given("flat", le(mu, L), "no curvature is above the largest")
    .given("apart", lt(0, _FAR), "the start is not the minimiser")
    .step(
        "square",
        eq(square(x(n + 1) - c), (1 - _RATE) ** 2 * square(x(n) - c), _AHEAD),
        by.apply("delta_sgd/C-Lmax", {point: x(n), after: x(n + 1), centre: c}, "steps"),
    )
    .step("positive", le(0, square(x(n) - c), _AHEAD), by.sos())
    .step("first", le(_FAR, _FAR), by.linear())
    .step("part", le(0, _RATE), by.linear())
    .step("spare", le((1 - _RATE) ** 2, 1), by.linear("flat", "part"))
    .step(
        "next",
        le(square(x(n + 1) - c), _FAR, _AHEAD),
        by.linear("square", "spare", "positive"),
        assuming=le(_NEAR.left, _NEAR.right),
    )
    .step("near", _NEAR, by.induction(n, "first", "next"))
    .step("near here", le(square(x(n) - c), _FAR, _AHEAD), by.linear("near"))
    .step("low first", le(_FAR, _FAR), by.linear())
    .step(
        "low next",
        le((1 - 2 * (n + 1) * _RATE) * _FAR, square(x(n + 1) - c), _AHEAD),
        by.linear("square", "near here", "positive"),
        assuming=le(_LEFT.left, _LEFT.right),
    )
    .step("low", _LEFT, by.induction(n, "low first", "low next"))
    .step("end", by.instance({n: T}, "low"))
    .qed(
        _SLOWLY,
        by.apply(
            "delta_sgd/quotient-least", {top: square(x(T) - c), below: _FAR, factor: 1 - 2 * T * _RATE}, "end", "apart"
        ),
    )
)

# Footnote 1 -----------------------------------------------------------------------------------------------------------------

move = Symbol("move", positive=True)
turn = Symbol("turn", nonnegative=True)
step, entry, cap = (Symbol(name, positive=True) for name in ("eta", "entry", "cap"))
_SEEN, _SEES, _ = start("C-fn1@printed", (2 * step * turn / move) ** 2, "the first entry says it")
SEEN = (
    _SEEN.given("rule", eq(step, Min(entry, cap)), "rule (4)")
    .given("entry", le(2 * entry * turn, move), "its first entry, |x - x'|/(2|g - g'|); any number where g = g'")
    .step("1", by.apply(BELOW, {a: entry, b: cap}))
    .step("2", le(step, entry), by.linear("1", "rule"))
    .step("3", le(2 * step * turn / move, 1), by.linear("2", "entry"))
    .step("4", le(0, 2 * step * turn / move), by.linear())
    .qed(_SEES, by.power(2, "4", "3"))
)

# (1c) on sizes and slopes, relative to the gradient of f --------------------------------------------------------------

ALIKE = Given("alike", le(square(q - s), rho * square(s)), "A1c: q is the gradient of a client, s that of f")
APART = Given("apart", lt(0, square(s)), "the point is not stationary for f")
_SIZE, _SIZES, _ = start("A1c-size@explicit", square(q) / square(s), "a client's gradient is not much longer")
_SLOPE, _SLOPES, _ = start("A1c-slope@explicit", Dot(s - q, s) / square(s), "nor much against that of f")
SIZE = (
    _SIZE.under(ALIKE, APART)
    .step("back", le(square(s - q), sqrt(rho) ** 2 * square(s)), by.linear("alike"))
    .step("1", by.apply(ANY, {angle: sqrt(rho), q: s - q}))
    .step("2", le(square(q), (1 + sqrt(rho)) ** 2 * square(s)), by.linear("alike", "1"))
    .qed(
        _SIZES,
        by.apply(
            "delta_sgd/quotient-most", {top: square(q), below: square(s), factor: (1 + sqrt(rho)) ** 2}, "2", "apart"
        ),
    )
)
SLOPE = (
    _SLOPE.under(ALIKE, APART)
    .step("1", le(-Dot(s, q - s), sqrt(rho) * square(s)), by.apply(ANY, {angle: sqrt(rho), q: q - s}))
    .step("1.1", le(Dot(s - q, s), sqrt(rho) * square(s)), by.linear("1"))
    .qed(
        _SLOPES,
        by.apply("delta_sgd/quotient-most", {top: Dot(s - q, s), below: square(s), factor: sqrt(rho)}, "1.1", "apart"),
    )
)

# The first local step -----------------------------------------------------------------------------------------------------------

f = family(Fun, "f")()
u, v, z = (family(Vector, name)() for name in ("u", "v", "z"))
_FIRST, _KEEPS, _MODEST = start("S3-first@explicit", square(v - z) / square(u - z), "the gradient is cocoercive")
FIRST = (
    _FIRST.under(Member("convex", f, smooth=L, convex=0, why="f is convex and L-smooth"), *_MODEST)
    .given("flat", eq(Grad(f, z), 0 * z), "z minimises f")
    .given("lowest", le(Val(f, z), Val(f, u - Grad(f, u) / L)), "no value is below: not that one step on either")
    .given("step", eq(v, u - eta_0 * Grad(f, u)), "the first local step")
    .given("apart", lt(0, square(u - z)), "the run does not start at the minimiser")
    .step("slope", le(0, square(Grad(f, u))), by.sos())
    .step(
        "nearer",
        le(square(v - z), square(u - z)),
        by.linear(
            "convex",
            (2 * eta_0, Axiom("descent", f, u - Grad(f, u) / L, u)),
            (2 * eta_0, Axiom("cocoercive", f, z, u)),
            {"lowest": 2 * eta_0, "c1": eta_0 / L * square(Grad(f, u))},
            "slope",
        ),
        inserting=("step", "flat"),
    )
    .qed(
        _KEEPS,
        by.apply("delta_sgd/quotient-most", {top: square(v - z), below: square(u - z), factor: ONE}, "nearer", "apart"),
    )
)
THEOREMS = (SLOW, SEEN, SIZE, SLOPE, FIRST)
