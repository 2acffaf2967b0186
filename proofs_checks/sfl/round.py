"""One round of sequential federated learning with S of M clients, convex case: U4, U5, U6, U12.

``y(n, k)`` is the model after k steps of the client in place n + 1, ``g(n, k)`` the gradient taken there, ``xi(n, k)`` its
noise. Everything is under the expectation, so that the round may start at a random ``x``.
"""

from __future__ import annotations

from sympy import Max, Rational, Symbol, sqrt

from fltheory.papers.sfl.letters import A, D, K, L, M, S, eta, mu, sigma, zeta_star
from fltheory.proof.language import (
    Apply,
    Combine,
    Defines,
    Expected,
    Given,
    Gram,
    Instance,
    Member,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, Draw, E, Fun, Grad, RandomVector, Scalar, Total, Val, Vector, family, square
from proofs_checks.sfl import draws as sfl_draws

i, j, n, k, l = (Symbol(name, integer=True, nonnegative=True) for name in "ijnkl")
a = Symbol("a", integer=True, positive=True)
x, after = family(RandomVector, "x")(), family(RandomVector, "x+")()
best = family(Vector, "x*")()
y, g, xi = family(RandomVector, "y"), family(RandomVector, "g"), family(RandomVector, "xi")
F = family(Fun, "F")


def client(place):
    """The objective of the client in a place counted from 0."""
    return F(Draw(place + 1, M))


def drift_part(p, q):
    """How the gradient changes from the round's start to the local model."""
    return Grad(client(p), y(p, q)) - Grad(client(p), x)


def slope_part(p, q=0):
    """How the gradient changes from the minimiser to the round's start."""
    return Grad(client(p), x) - Grad(client(p), best)


def spread_part(p, q=0):
    """The client's gradient at the minimiser."""
    return Grad(client(p), best)


def so_far(of):
    """The sum over the steps before step k of the client in place n + 1."""
    return Total(Total(of(i, j), j, 0, K - 1), i, 0, n - 1) + Total(of(n, j), j, 0, k - 1)


def per_step(term):
    """The sum over all steps of a round."""
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
SPREAD = Given(
    "spread",
    eq(Total(square(Grad(F(a), best)), a, 1, M), M * zeta_star**2),
    "what zeta_* is; Assumption 3 says that it is finite",
)
GRADIENT = Defines("gradient", g(n, k), Grad(client(n), y(n, k)) + xi(n, k), "the stochastic gradient")
VARIANCE = Given("variance", le(E(square(xi(n, k))), sigma**2, *STEP), "Assumption 2")
PAST = Given(
    "unbiased",
    eq(E(Dot(so_far(xi), xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased: noise has mean zero given the past, here against the noise before it",
)
START = Given(
    "start",
    eq(E(Dot(x - best, xi(n, k))), 0, *STEP),
    "stochastic gradients are unbiased, here against the round's start",
)
DRAW_SLOPE = Given(
    "draw slope",
    eq(E(square(slope_part(n))), Total(E(square(Grad(F(a), x) - Grad(F(a), best))), a, 1, M) / M, (n, 0, M - 1)),
    "the order of the clients is uniform and independent of the round's start",
)
DRAW_GAP = Given(
    "draw gap",
    eq(E(Val(client(n), x) - Val(client(n), best)), GAP, (n, 0, M - 1)),
    "the order of the clients is uniform and independent of the round's start",
)
_DRAWS = {h.id: h for h in sfl_draws.given(lambda p: Grad(F(p), best), zeta_star**2)}
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

_SPLIT = le(
    square(so_far(g)),
    4 * (square(so_far(xi)) + square(so_far(drift_part)) + square(so_far(slope_part)) + square(so_far(spread_part))),
    *AT,
)
_MOVED = square(y(i, j) - x)
_TOTAL_MOVED = Total(Total(_MOVED, j, 0, K - 1), i, 0, S - 1)
_PART_MOVED = Total(Total(_MOVED, j, 0, K - 1), i, 0, n - 1) + Total(square(y(n, j) - x), j, 0, k - 1)
_PART_DRIFT = Total(Total(square(drift_part(i, j)), j, 0, K - 1), i, 0, n - 1) + Total(
    square(drift_part(n, j)), j, 0, k - 1
)
_PART_SLOPE = Total(K * square(slope_part(i)), i, 0, n - 1) + k * square(slope_part(n))
_SLOPES = Total(square(Grad(F(a), x) - Grad(F(a), best)), a, 1, M)
_RISES = Total(Val(F(a), x) - Val(F(a), best), a, 1, M)
BLOCK = E(square(so_far(spread_part)))
SQUARED_SUM = le(E(square(so_far(g))), 4 * (B * sigma**2 + L**2 * B * DRIFT + 2 * L * B**2 * GAP + BLOCK), *AT)
_BREGMAN = Val(F(a), x) - Val(F(a), best) - Dot(Grad(F(a), best), x - best)

SLOPE = (
    Step(
        "slope 1",
        le(square(Grad(F(a), x) - Grad(F(a), best)), 2 * L * _BREGMAN, (a, 1, M)),
        Apply("sfl/U2", {_H: F(a), _X: x, _Y: best}),
        ("class",),
    ),
    Step("slope 2", le(_SLOPES, Total(2 * L * _BREGMAN, a, 1, M)), Summed((a,)), ("slope 1",)),
    Step(
        "slope 3",
        le(_SLOPES, 2 * L * _RISES),
        Combine({"slope 2": 1, "optimum": -2 * L * (x - best)}),
        ("slope 2", "optimum"),
        note="the gradients at x* add up to 0",
    ),
    Step("slope 4", le(E(_SLOPES), 2 * L * M * GAP), Expected(), ("slope 3",)),
    Step(
        "slope 5",
        le(E(square(slope_part(n))), 2 * L * GAP, (n, 0, S - 1)),
        Combine({"draw slope": 1, "slope 4": 1 / M}),
        ("draw slope", "slope 4", "few"),
    ),
)

STEPS = Theorem(
    "sfl/steps",
    SQUARED_SUM,
    (CLASS, OPTIMUM, GRADIENT, VARIANCE, PAST, DRAW_SLOPE, FEW),
    (
        Step(
            "split",
            _SPLIT,
            Apply(
                "sfl/four",
                dict(zip(_FOUR_VECTORS, map(so_far, (xi, drift_part, slope_part, spread_part)), strict=True)),
            ),
            (),
            ("gradient",),
            note="noise, drift, slope and spread",
        ),
        Step("split in mean", le(E(_SPLIT.left), E(_SPLIT.right), *AT), Expected(), ("split",)),
        Step(
            "noise",
            le(E(square(so_far(xi))), B * sigma**2, *AT),
            Apply(
                "sfl/noise",
                {Symbol("P", integer=True, positive=True): S, family(RandomVector, "past")(n, k): so_far(xi)},
            ),
            ("variance", "unbiased"),
        ),
        Step(
            "drift 1",
            le(square(so_far(drift_part)), B * _PART_DRIFT, *AT),
            Apply(
                "sfl/jensen",
                {
                    family(Vector, "v")(n, k): drift_part(n, k),
                    family(Vector, "w")(l): drift_part(n, l),
                    **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", n), ("q", K), ("r", k))},
                },
            ),
        ),
        Step(
            "drift 2",
            le(square(drift_part(i, j)), L**2 * _MOVED, (i, 0, S - 1), (j, 0, K - 1)),
            Combine(axioms=((1, Axiom("lipschitz", client(i), y(i, j), x)),)),
            ("class",),
            note="smoothness",
        ),
        Step(
            "drift 3",
            le(square(drift_part(i, j)), L**2 * _MOVED, *AT, (i, 0, n - 1), (j, 0, K - 1)),
            Combine({"drift 2": 1}),
            ("drift 2",),
        ),
        Step(
            "drift 4",
            le(
                Total(Total(square(drift_part(i, j)), j, 0, K - 1), i, 0, n - 1),
                L**2 * Total(Total(_MOVED, j, 0, K - 1), i, 0, n - 1),
                *AT,
            ),
            Summed((j, i)),
            ("drift 3",),
        ),
        Step(
            "drift 5",
            le(square(drift_part(n, j)), L**2 * square(y(n, j) - x), *AT, (j, 0, k - 1)),
            Instance({i: n}),
            ("drift 2",),
        ),
        Step(
            "drift 6",
            le(Total(square(drift_part(n, j)), j, 0, k - 1), L**2 * Total(square(y(n, j) - x), j, 0, k - 1), *AT),
            Summed((j,)),
            ("drift 5",),
        ),
        Step("moved", le(0, _MOVED, (i, 0, S - 1), (j, 0, K - 1)), Gram()),
        Step("moved here", le(0, square(y(n, i) - x), *AT, (i, 0, K - 1)), Gram()),
        Step(
            "whole client",
            le(Total(square(y(n, i) - x), i, 0, k - 1), Total(square(y(n, i) - x), i, 0, K - 1), *AT),
            Apply("sfl/part", {TERM: square(y(n, i) - x), P: k, Q: K - k}),
            ("moved here",),
            note="a part of the steps of a client",
        ),
        Step("moved clients", le(0, Total(_MOVED, j, 0, K - 1), (i, 0, S - 1)), Summed((j,)), ("moved",)),
        Step(
            "whole round",
            le(Total(Total(_MOVED, j, 0, K - 1), i, 0, n), _TOTAL_MOVED, (n, 0, S - 1)),
            Apply("sfl/part", {TERM: Total(_MOVED, j, 0, K - 1), P: n + 1, Q: S - 1 - n}),
            ("moved clients",),
            note="a part of the clients of a round",
        ),
        Step(
            "drift 7",
            le(square(so_far(drift_part)), L**2 * B * _TOTAL_MOVED, *AT),
            Combine({"drift 1": 1, "drift 4": B, "drift 6": B, "whole client": L**2 * B, "whole round": L**2 * B}),
            ("drift 1", "drift 4", "drift 6", "whole client", "whole round"),
        ),
        Step("drift", le(E(square(so_far(drift_part))), L**2 * B * DRIFT, *AT), Expected(), ("drift 7",)),
        *SLOPE,
        Step(
            "slope 6",
            le(square(so_far(slope_part)), B * _PART_SLOPE, *AT),
            Apply(
                "sfl/jensen",
                {
                    family(Vector, "v")(n, k): slope_part(n),
                    family(Vector, "w")(l): slope_part(n),
                    **{Symbol(s, integer=True, nonnegative=True): v for s, v in (("p", n), ("q", K), ("r", k))},
                },
            ),
        ),
        Step("slope 7", le(E(square(so_far(slope_part))), E(B * _PART_SLOPE), *AT), Expected(), ("slope 6",)),
        Step("slope 8", le(E(square(slope_part(i))), 2 * L * GAP, (i, 0, S - 1)), Instance({n: i}), ("slope 5",)),
        Step(
            "slope 9",
            le(E(square(slope_part(i))), 2 * L * GAP, *AT, (i, 0, n - 1)),
            Combine({"slope 8": 1}),
            ("slope 8",),
        ),
        Step(
            "slope 10",
            le(Total(E(square(slope_part(i))), i, 0, n - 1), 2 * L * n * GAP, *AT),
            Summed((i,)),
            ("slope 9",),
        ),
        Step(
            "slope",
            le(E(square(so_far(slope_part))), 2 * L * B**2 * GAP, *AT),
            Combine({"slope 7": 1, "slope 10": B * K, "slope 5": B * k}),
            ("slope 7", "slope 10", "slope 5"),
        ),
        Step(
            "sum",
            SQUARED_SUM,
            Combine({"split in mean": 1, "noise": 4, "drift": 4, "slope": 4}),
            ("split in mean", "noise", "drift", "slope"),
        ),
    ),
    place="proof of Theorem 3",
    note="the squared sum of the stochastic gradients before a step",
)

# U4: one round ----------------------------------------------------------------------------------------------------

_WHOLE = per_step(g(n, k))
_SAMPLED = E(square(Total(spread_part(i), i, 0, S - 1)))
_VARIANCE_OF_DRAWS = (S - S * (S - 1) / (M - 1)) * zeta_star**2
_RATE = S * (M - S) / Max(M - 1, 1) * zeta_star**2
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
LEMMA = ("class", "optimum", "variance", "unbiased", "draw slope", "few")
SPREADS = Apply("sfl/draws", {sfl_draws.X(a): Grad(F(a), best), sfl_draws.V: zeta_star**2})
DRAWN = ("optimum", "spread", "one", "two")
RISE = (
    Step("rise 1", le(0, _BREGMAN, (a, 1, M)), Gram((1, Axiom("convex", F(a), x, best))), ("class",), note="convexity"),
    Step("rise 2", le(0, Total(_BREGMAN, a, 1, M)), Summed((a,)), ("rise 1",)),
    Step("rise 3", le(0, _RISES / M), Combine({"rise 2": 1 / M, "optimum": -(x - best) / M}), ("rise 2", "optimum")),
    Step("rise", le(0, GAP), Expected(), ("rise 3",), note="the gap is not negative"),
    Step("far 1", le(0, square(y(n, k) - x), *STEP), Gram()),
    Step("far 2", le(0, E(square(y(n, k) - x)), *STEP), Expected(), ("far 1",)),
    Step("far", le(0, DRIFT), Summed((k, n)), ("far 2",), note="nor is the drift"),
)

ROUND = Theorem(
    "sfl/round",
    ONE_ROUND,
    (*(h for h in SETTING if h.id != "local"), FEW, CAP),
    (
        Step(
            "1",
            eq(
                E(square(after - best)),
                DISTANCE - 2 * eta * per_step(E(Dot(g(n, k), x - best))) + eta**2 * E(square(_WHOLE)),
            ),
            Combine(),
            (),
            ("after",),
            note="the square of the new distance expanded",
        ),
        Step(
            "2.1",
            le(_PERTURBED, Dot(Grad(client(n), y(n, k)), x - best), *STEP),
            Apply("sfl/U1", {_H: client(n), _X: y(n, k), _Y: best, _Z: x}),
            ("class", "order"),
            note="perturbed strong convexity at the local model",
        ),
        Step("2.2", le(E(_PERTURBED), E(Dot(Grad(client(n), y(n, k)), x - best)), *STEP), Expected(), ("2.1",)),
        Step(
            "2.3",
            le(GAP + mu / 4 * DISTANCE - L * E(square(y(n, k) - x)), E(Dot(g(n, k), x - best)), *STEP),
            Combine({"2.2": 1, "draw gap": -1, "start": -1}),
            ("2.2", "draw gap", "start", "few"),
            ("gradient",),
            note="the noise drops out, the client drawn is the average one",
        ),
        Step(
            "2",
            le(S * K * GAP + S * K * mu / 4 * DISTANCE - L * DRIFT, per_step(E(Dot(g(n, k), x - best)))),
            Summed((k, n)),
            ("2.3",),
        ),
        Step("3", SQUARED_SUM, Apply("sfl/steps"), LEMMA, ("gradient",), note="the squared sum of gradients"),
        Step(
            "4",
            le(
                E(square(_WHOLE)),
                4 * (S * K * sigma**2 + L**2 * S * K * DRIFT + 2 * L * (S * K) ** 2 * GAP + K**2 * _SAMPLED),
            ),
            Instance({n: S - 1, k: K}),
            ("3",),
            note="the whole round",
        ),
        Step(
            "one client",
            le(_SAMPLED, _RATE),
            Apply("sfl/sampled", SPREADS.at),
            ("optimum", "spread", "one", "two", "few"),
        ),
        *RISE,
        Step(
            "cap 1",
            le(8 * L * eta**2 * (S * K) ** 2 * GAP, Rational(4, 3) * eta * S * K * GAP),
            Combine({"c1": 8 * L * eta * S * K * GAP}),
            ("c1", "rise"),
            note="the step is small",
        ),
        Step(
            "cap 2",
            le(4 * L**2 * eta**2 * S * K * DRIFT, Rational(2, 3) * L * eta * DRIFT),
            Combine({"c1": 4 * L**2 * eta * DRIFT}),
            ("c1", "far"),
            note="the step is small",
        ),
        Step(
            "5",
            ONE_ROUND,
            Combine({"1": 1, "2": 2 * eta, "4": eta**2, "one client": 4 * eta**2 * K**2, "cap 1": 1, "cap 2": 1}),
            ("1", "2", "4", "one client", "cap 1", "cap 2"),
            note="2 + 4/6 = 8/3 and -2 + 8/6 = -2/3",
        ),
    ),
    place="proof of Theorem 3",
    note="one round of S clients",
)

THEOREMS = (STEPS, ROUND)
