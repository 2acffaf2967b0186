"""One round of sequential federated learning with S of M clients, convex case: U4, U5, U6, U12.

``y(n, k)`` is the model after k steps of the client in place n + 1, ``g(n, k)`` the gradient taken there, ``xi(n, k)`` its
noise. All statements are in expectation, so that the round may start at a random ``x``.
"""

from __future__ import annotations

from sympy import Max, Rational, Symbol, sqrt

from fltheory.papers.sfl.notation import A, D, K, L, M, S, eta, mu, sigma, zeta_star
from fltheory.papers.sfl.recursion.proofs import draws
from fltheory.papers.sfl.recursion.proofs.facts import MARTINGALE, PART
from fltheory.proof import Axiom, Defines, Given, Member, by, eq, le, line, proof
from fltheory.proof.terms import Dot, Draw, E, Fun, Grad, RandomVector, Scalar, Total, Val, Vector, family, square

i, j, n, k, l = (Symbol(name, integer=True, nonnegative=True) for name in "ijnkl")
a = Symbol("a", integer=True, positive=True)
x, after = family(RandomVector, "x")(), family(RandomVector, "x+")()
best = family(Vector, "x*")()
y, g, xi = family(RandomVector, "y"), family(RandomVector, "g"), family(RandomVector, "xi")
F = family(Fun, "F")


def client(place):
    """Return the objective of the client in a place counted from 0."""
    return F(Draw(place + 1, M))


def drift_part(p, q):
    """Return the change of the gradient from the round's start to the local model."""
    return Grad(client(p), y(p, q)) - Grad(client(p), x)


def slope_part(p, q=0):
    """Return the change of the gradient from the minimiser to the round's start."""
    return Grad(client(p), x) - Grad(client(p), best)


def spread_part(p, q=0):
    """Return the client's gradient at the minimiser."""
    return Grad(client(p), best)


def so_far(of):
    """Return the sum over the steps before step k of the client in place n + 1."""
    return Total(Total(of(i, j), j, 0, K - 1), i, 0, n - 1) + Total(of(n, j), j, 0, k - 1)


def per_step(term):
    """Return the sum over all steps of a round."""
    return Total(Total(term, k, 0, K - 1), n, 0, S - 1)


GAP = E(Total(Val(F(a), x) - Val(F(a), best), a, 1, M) / M)
DISTANCE = E(square(x - best))
DRIFT = per_step(E(square(y(n, k) - x)))
B = K * n + k
AT = ((n, 0, S - 1), (k, 0, K))
STEP = ((n, 0, S - 1), (k, 0, K - 1))
READING = {D: sqrt(DISTANCE), A: GAP}

CLASS = Member("class", F(a), L, mu, "Assumption: every client is smooth and strongly convex (mu = 0: convex)")
OPTIMUM = Given("optimum", eq(Total(Grad(F(a), best), a, 1, M), 0), "x* minimises the global objective")
SPREAD = Given("spread", eq(Total(square(Grad(F(a), best)), a, 1, M), M * zeta_star**2),
    "what zeta_* is; Assumption 3 says that it is finite")
GRADIENT = Defines("gradient", g(n, k), Grad(client(n), y(n, k)) + xi(n, k), "the stochastic gradient")
VARIANCE = Given("variance", le(E(square(xi(n, k))), sigma**2, *STEP), "Assumption 2")
PAST = Given("unbiased", eq(E(Dot(so_far(xi), xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased: noise has mean zero given the past, here against the noise before it")
START = Given("start", eq(E(Dot(x - best, xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased, here against the round's start")
DRAW_SLOPE = Given("draw slope",
    eq(E(square(slope_part(n))), Total(E(square(Grad(F(a), x) - Grad(F(a), best))), a, 1, M) / M, (n, 0, M - 1)),
    "the order of the clients is uniform and independent of the round's start")
DRAW_GAP = Given("draw gap", eq(E(Val(client(n), x) - Val(client(n), best)), GAP, (n, 0, M - 1)),
    "the order of the clients is uniform and independent of the round's start")
_DRAWS = {h.id: h for h in draws.given(lambda p: Grad(F(p), best), zeta_star**2)}
ONE, TWO = _DRAWS["one"], _DRAWS["two"]
LOCAL = Given("local", eq(y(n, k), x - eta * so_far(g), *STEP), "the local steps")
AFTER = Defines("after", after, x - eta * per_step(g(n, k)), "the model handed to the next round")
FEW = Given("few", le(S, M), "no more clients take part than there are")
ORDER = Given("order", le(mu, L), "strong convexity is below smoothness")

_FOUR_VECTORS = tuple(family(Vector, name)() for name in "abcd")
P, Q = (Symbol(name, integer=True, nonnegative=True) for name in "pq")
_H, _X, _Y, _Z = family(Fun, "h")(), *(family(Vector, name)() for name in "xyz")
TERM = family(Scalar, "s")(i)

# Squared sums of stochastic gradients -------------------------------------------------------------------------------

_SPLIT = le(square(so_far(g)),
    4 * (square(so_far(xi)) + square(so_far(drift_part)) + square(so_far(slope_part)) + square(so_far(spread_part))),
    *AT)
_MOVED = square(y(i, j) - x)
_PART_DRIFT = Total(Total(square(drift_part(i, j)), j, 0, K - 1), i, 0, n - 1) + Total(square(drift_part(n, j)), j, 0, k - 1)
_PART_SLOPE = Total(K * square(slope_part(i)), i, 0, n - 1) + k * square(slope_part(n))
_SLOPES = Total(square(Grad(F(a), x) - Grad(F(a), best)), a, 1, M)
_RISES = Total(Val(F(a), x) - Val(F(a), best), a, 1, M)
BLOCK = E(square(so_far(spread_part)))
SQUARED_SUM = le(E(square(so_far(g))), 4 * (B * sigma**2 + L**2 * B * DRIFT + 2 * L * B**2 * GAP + BLOCK), *AT)
_BREGMAN = Val(F(a), x) - Val(F(a), best) - Dot(Grad(F(a), best), x - best)

SLOPE = (
    line("slope 1", le(square(Grad(F(a), x) - Grad(F(a), best)), 2 * L * _BREGMAN, (a, 1, M)),
        by.apply("sfl/U2", {_H: F(a), _X: x, _Y: best}, "class")),
    line("slope 2", le(_SLOPES, Total(2 * L * _BREGMAN, a, 1, M)), by.sum_over(a, "slope 1")),
    line("slope 3", le(_SLOPES, 2 * L * _RISES), by.linear({"slope 2": 1, "optimum": -2 * L * (x - best)}),
        note="the gradients at x* add up to 0"),
    line("slope 4", le(E(_SLOPES), 2 * L * M * GAP), by.expectation("slope 3")),
    line("slope 5", le(E(square(slope_part(n))), 2 * L * GAP, (n, 0, S - 1)),
        by.linear("draw slope", "slope 4", "few")),
)

STEPS = (
    proof("sfl/steps", "proof of Theorem 3", note="the squared sum of the stochastic gradients before a step")
    .under(CLASS, OPTIMUM, GRADIENT, VARIANCE, PAST, DRAW_SLOPE, FEW)
    .step("split", _SPLIT,
        by.apply("sfl/four",
            dict(zip(_FOUR_VECTORS, map(so_far, (xi, drift_part, slope_part, spread_part)), strict=True))),
        inserting="gradient", note="noise, drift, slope and spread")
    .step("split in mean", by.expectation("split"))
    .step("noise",
        by.apply(MARTINGALE,
            {Symbol("P", integer=True, positive=True): S, family(RandomVector, "past")(n, k): so_far(xi)}))
    .step(
        "drift 1",
        le(square(so_far(drift_part)), B * _PART_DRIFT, *AT),
        by.apply(
            "sfl/jensen",
            {
                family(Vector, "v")(n, k): drift_part(n, k),
                family(Vector, "w")(l): drift_part(n, l),
                **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", n), ("q", K), ("r", k))},
            },
        ),
    )
    .step("drift 2", le(square(drift_part(i, j)), L**2 * _MOVED, (i, 0, S - 1), (j, 0, K - 1)),
        by.linear((1, Axiom("lipschitz", client(i), y(i, j), x)), "class"), note="smoothness")
    .step("drift 3", le(square(drift_part(i, j)), L**2 * _MOVED, *AT, (i, 0, n - 1), (j, 0, K - 1)),
        by.linear("drift 2"))
    .step("drift 4",
        le(Total(Total(square(drift_part(i, j)), j, 0, K - 1), i, 0, n - 1),
            L**2 * Total(Total(_MOVED, j, 0, K - 1), i, 0, n - 1), *AT), by.sum_over((j, i), "drift 3"))
    .step("drift 5", by.instance({i: n}, "drift 2"), over=(*AT, (j, 0, k - 1)))
    .step("drift 6",
        le(Total(square(drift_part(n, j)), j, 0, k - 1), L**2 * Total(square(y(n, j) - x), j, 0, k - 1), *AT),
        by.sum_over(j, "drift 5"))
    .step("moved", le(0, _MOVED, (i, 0, S - 1), (j, 0, K - 1)), by.sos())
    .step("moved here", le(0, square(y(n, i) - x), *AT, (i, 0, K - 1)), by.sos())
    .step("whole client", le(Total(square(y(n, i) - x), i, 0, k - 1), Total(square(y(n, i) - x), i, 0, K - 1), *AT),
        by.apply(PART, {TERM: square(y(n, i) - x), P: k, Q: K - k}), note="a part of the steps of a client")
    .step("moved clients", by.sum_over(j, "moved"))
    .step("whole round", by.apply(PART, {TERM: Total(_MOVED, j, 0, K - 1), P: n + 1, Q: S - 1 - n}), over=(n, 0, S - 1),
        note="a part of the clients of a round")
    .step("drift 7", le(square(so_far(drift_part)), L**2 * B * Total(Total(_MOVED, j, 0, K - 1), i, 0, S - 1), *AT),
        by.linear({"drift 1": 1, "drift 4": B, "drift 6": B, "whole client": L**2 * B, "whole round": L**2 * B}))
    .step("drift", le(E(square(so_far(drift_part))), L**2 * B * DRIFT, *AT), by.expectation("drift 7"))
    .steps(*SLOPE)
    .step(
        "slope 6",
        le(square(so_far(slope_part)), B * _PART_SLOPE, *AT),
        by.apply(
            "sfl/jensen",
            {
                family(Vector, "v")(n, k): slope_part(n),
                family(Vector, "w")(l): slope_part(n),
                **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", n), ("q", K), ("r", k))},
            },
        ),
    )
    .step("slope 7", by.expectation("slope 6"))
    .step("slope 8", by.instance({n: i}, "slope 5"), over=(i, 0, S - 1))
    .step("slope 9", le(E(square(slope_part(i))), 2 * L * GAP, *AT, (i, 0, n - 1)), by.linear("slope 8"))
    .step("slope 10", le(Total(E(square(slope_part(i))), i, 0, n - 1), 2 * L * n * GAP, *AT), by.sum_over(i, "slope 9"))
    .step("slope", le(E(square(so_far(slope_part))), 2 * L * B**2 * GAP, *AT),
        by.linear("slope 7", "slope 10", "slope 5"))
    .qed(SQUARED_SUM, by.linear("split in mean", "noise", "drift", "slope"), name="sum")
)

# U4: one round ----------------------------------------------------------------------------------------------------

_WHOLE = per_step(g(n, k))
_SAMPLED = E(square(Total(spread_part(i), i, 0, S - 1)))
_PERTURBED = Val(client(n), x) - Val(client(n), best) + mu / 4 * square(x - best) - L * square(y(n, k) - x)
SHRUNK = (1 - mu * eta * S * K / 2) * DISTANCE
ONE_ROUND = le(
    E(square(after - best)) - Rational(8, 3) * L * eta * DRIFT,
    SHRUNK
    + 4 * S * K * eta**2 * sigma**2
    - Rational(2, 3) * eta * S * K * GAP
    + 4 * eta**2 * K**2 * S * (M - S) / Max(M - 1, 1) * zeta_star**2,
)
CAP = Given("c1", le(eta * S * K, 1 / (6 * L)), "condition of the bound")
SETTING = (CLASS, ORDER, OPTIMUM, SPREAD, GRADIENT, LOCAL, AFTER, VARIANCE, PAST, START, DRAW_SLOPE, DRAW_GAP, ONE, TWO)
SPREADS = {draws.X(a): Grad(F(a), best), draws.V: zeta_star**2}
DRAWN = ("optimum", "spread", "one", "two")
RISE = (
    line("rise 1", le(0, _BREGMAN, (a, 1, M)), by.sos((1, Axiom("convex", F(a), x, best)), "class"), note="convexity"),
    line("rise 2", le(0, Total(_BREGMAN, a, 1, M)), by.sum_over(a, "rise 1")),
    line("rise 3", le(0, _RISES / M), by.linear({"rise 2": 1 / M, "optimum": -(x - best) / M})),
    line("rise", le(0, GAP), by.expectation("rise 3"), note="the gap is not negative"),
    line("far 1", le(0, square(y(n, k) - x), *STEP), by.sos()),
    line("far 2", le(0, E(square(y(n, k) - x)), *STEP), by.expectation("far 1")),
    line("far", le(0, DRIFT), by.sum_over((k, n), "far 2"), note="nor is the drift"),
)

ROUND = (
    proof("sfl/round", "proof of Theorem 3", note="one round of S clients")
    .under(*(h for h in SETTING if h.id != "local"), FEW, CAP)
    .step("1",
        eq(E(square(after - best)),
            DISTANCE - 2 * eta * per_step(E(Dot(g(n, k), x - best))) + eta**2 * E(square(_WHOLE))), by.linear(),
        inserting="after", note="the square of the new distance expanded")
    .step("2.1", le(_PERTURBED, Dot(Grad(client(n), y(n, k)), x - best), *STEP),
        by.apply("sfl/U1", {_H: client(n), _X: y(n, k), _Y: best, _Z: x}, "class", "order"),
        note="perturbed strong convexity at the local model")
    .step("2.2", by.expectation("2.1"))
    .step("2.3", le(GAP + mu / 4 * DISTANCE - L * E(square(y(n, k) - x)), E(Dot(g(n, k), x - best)), *STEP),
        by.linear("2.2", "draw gap", "start", "few"), inserting="gradient",
        note="the noise drops out, the client drawn is the average one")
    .step("2", le(S * K * GAP + S * K * mu / 4 * DISTANCE - L * DRIFT, per_step(E(Dot(g(n, k), x - best)))),
        by.sum_over((k, n), "2.3"))
    .step("3", by.apply(STEPS), inserting="gradient", note="the squared sum of gradients")
    .step("4",
        le(E(square(_WHOLE)),
            4 * (S * K * sigma**2 + L**2 * S * K * DRIFT + 2 * L * (S * K) ** 2 * GAP + K**2 * _SAMPLED)),
        by.instance({n: S - 1, k: K}, "3"), note="the whole round")
    .step("one client", by.apply(draws.SAMPLED, SPREADS, "optimum", "spread", "one", "two", "few"))
    .steps(*RISE)
    .step("cap 1", le(8 * L * eta**2 * (S * K) ** 2 * GAP, Rational(4, 3) * eta * S * K * GAP), by.linear("c1", "rise"),
        note="the step is small")
    .step("cap 2", le(4 * L**2 * eta**2 * S * K * DRIFT, Rational(2, 3) * L * eta * DRIFT), by.linear("c1", "far"),
        note="the step is small")
    .qed(ONE_ROUND, by.linear("1", "2", "4", "one client", "cap 1", "cap 2"), note="2 + 4/6 = 8/3 and -2 + 8/6 = -2/3")
)

THEOREMS = (STEPS, ROUND)
