"""One round of Theorem 1: what is supposed of it, and how far clients move from the server's iterate.

Client i begins at ``x`` and is at ``y(i, k)`` before its local step k, of size ``eta(i, k)``, along its gradient and
``xi(i, k)``, the noise of a mini-batch. Which steps it takes may depend on all of its past; no minimum rule is used.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Rational, Symbol

from fltheory.papers.delta_sgd.bounds import PSI_2
from fltheory.papers.delta_sgd.letters import G, K, L, a, b, m, sigma
from fltheory.proof.language import (
    Apply,
    Combine,
    Expected,
    Given,
    Gram,
    Induction,
    Instance,
    Member,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomPositive, RandomVector, Total, Vector, family, square
from proofs_checks.delta_sgd.facts import EACH as CLIENTS
from proofs_checks.delta_sgd.facts import i

PLACE = "proof of Theorem 1"
HALF = Rational(1, 2)
k, l, n = (Symbol(name, integer=True, nonnegative=True) for name in "kln")
LOCAL = (k, 0, K - 1)
x, y, xi = family(RandomVector, "x")(), family(RandomVector, "y"), family(RandomVector, "xi")
F, eta = family(Fun, "f"), family(RandomPositive, "eta")

# Facts ------------------------------------------------------------------------------------------------------------------

u, v, w, z = (family(Vector, name)() for name in "uvwz")
_TWO = le(square(u + v), 2 * square(u) + 2 * square(v))
TWO = Theorem("delta_sgd/two", _TWO, (), (Step("1", _TWO, Gram()),), place="(19)", note="two vectors")
_FOUR = le(square(u + v + w + z), 4 * (square(u) + square(v) + square(w) + square(z)))
FOUR = Theorem("delta_sgd/four", _FOUR, (), (Step("1", _FOUR, Gram()),), place="(19)", note="four vectors")
part, Y = family(Vector, "z"), family(RandomVector, "Y")
_APART, _BOTH = square(part(k) - part(l)), ((k, 0, n - 1), (l, 0, n - 1))
_LOCAL = le(square(Total(part(k), k, 0, n - 1)), n * Total(square(part(k)), k, 0, n - 1))
JENSEN = Theorem(
    "delta_sgd/8-steps",
    _LOCAL,
    (),
    (
        Step("1", le(0, _APART, *_BOTH), Gram(), note="differences have squares"),
        Step("2", le(0, Total(Total(_APART, k, 0, n - 1), l, 0, n - 1)), Summed((k, l)), ("1",)),
        Step("3", _LOCAL, Combine({"2": HALF}), ("2",)),
    ),
    place="(8)",
    note="of n vectors, perhaps none",
)
spread = Symbol("s", nonnegative=True)
N = Symbol("N", integer=True, nonnegative=True)
_SO_FAR = le(E(square(Total(Y(l), l, 0, n - 1))), n * spread, (n, 0, N))
_NOISE = le(E(square(Total(Y(l), l, 0, N - 1))), N * spread)
_TERMS = (n, 0, N - 1)
NOISE = Theorem(
    "delta_sgd/noise",
    _NOISE,
    (
        Given("pairs", eq(E(Dot(Y(n), Y(l))), 0, _TERMS, (l, 0, n - 1)), "no two of the vectors are correlated"),
        Given("size", le(E(square(Y(n))), spread, _TERMS), "their mean squares"),
    ),
    (
        Step("cross", eq(E(Dot(Y(n), Total(Y(l), l, 0, n - 1))), 0, _TERMS), Summed((l,)), ("pairs",)),
        Step("0", le(E(square(Total(Y(l), l, 0, Integer(-1)))), 0), Combine()),
        Step(
            "1",
            le(E(square(Total(Y(l), l, 0, n))), (n + 1) * spread, _TERMS),
            Combine({"assumed 1": 1, "cross": 2, "size": 1}),
            ("cross", "size"),
            (),
            (le(_SO_FAR.left, _SO_FAR.right),),
            note="one more",
        ),
        Step("2", _SO_FAR, Induction(n), ("0", "1")),
        Step("3", _NOISE, Instance({n: N}), ("2",)),
    ),
    place=PLACE,
    note="squares of uncorrelated vectors add up",
)
_COUNT = le(k, k**2, LOCAL)
COUNT = Theorem(
    "delta_sgd/count",
    le(k, k**2, (k, 0, K)),
    (),
    (
        Step("0", le(0, 0), Combine()),
        Step("1", le(k + 1, (k + 1) ** 2, LOCAL), Combine()),
        Step("2", le(k, k**2, (k, 0, K)), Induction(k), ("0", "1")),
    ),
    place=PLACE,
    note="whole numbers and their squares",
)

# What is supposed of a round ---------------------------------------------------------------------------------------------


def own(place: Any, local: Any) -> Expr:
    """The gradient of a client where it is."""
    return Grad(F(place), y(place, local))


SLOPE = Total(Grad(F(i), x), i, 1, m) / m
SMOOTH = Member("class", F(i), L, None, "A2: every client's objective is smooth where it is visited")
WAY = Total(eta(i, l) * (own(i, l) + xi(i, l)), l, 0, k - 1)
MOVES = Given("local", eq(y(i, k), x - WAY, CLIENTS, LOCAL), "line 8: the local steps so far")
CEILING = Given("ceiling", le(eta(i, k), a, CLIENTS, LOCAL), "no step is larger than a")
VARIANCE = Given("variance", le(E(square(xi(i, k))), sigma**2 / b, CLIENTS, LOCAL), "A1a, for a mini-batch")
PAIRS = Given(
    "pairs",
    eq(E(eta(i, k) * eta(i, l) * Dot(xi(i, k), xi(i, l))), 0, CLIENTS, LOCAL, (l, 0, k - 1)),
    "noise has mean 0 given the past and the step that it is multiplied with",
)
BOUNDED = Given("bounded", le(square(own(i, k)), G**2, CLIENTS, LOCAL), "A1b")
FAR = square(y(i, k) - x)
_PULL, _PUSH = Total(eta(i, l) * own(i, l), l, 0, k - 1), Total(eta(i, l) * xi(i, l), l, 0, k - 1)
_FAR = le(E(FAR), 2 * a**2 * k**2 * PSI_2, CLIENTS, LOCAL)
_NOISY = le(E(eta(i, k) ** 2 * square(xi(i, k))), a**2 * sigma**2 / b, CLIENTS, LOCAL)
SQUARED_STEP = Step("eta", le(eta(i, k) ** 2, a**2, CLIENTS, LOCAL), Combine({"ceiling": a + eta(i, k)}), ("ceiling",))
NOISY = Theorem(
    "delta_sgd/noisy",
    _NOISY,
    (CEILING, VARIANCE),
    (
        SQUARED_STEP,
        Step("1", le(0, square(xi(i, k)), CLIENTS, LOCAL), Gram()),
        Step(
            "2",
            le(eta(i, k) ** 2 * square(xi(i, k)), a**2 * square(xi(i, k)), CLIENTS, LOCAL),
            Combine({"eta": square(xi(i, k))}),
            ("eta", "1"),
        ),
        Step(
            "3",
            le(E(eta(i, k) ** 2 * square(xi(i, k))), a**2 * E(square(xi(i, k))), CLIENTS, LOCAL),
            Expected(),
            ("2",),
        ),
        Step("4", _NOISY, Combine({"3": 1, "variance": a**2}), ("3", "variance")),
    ),
    place=PLACE,
    note="noise times a step",
)
DRIFT = Theorem(
    "delta_sgd/drift",
    _FAR,
    (MOVES, CEILING, VARIANCE, PAIRS, BOUNDED),
    (
        Step("moved", eq(FAR, square(WAY), CLIENTS, LOCAL), Combine({"local": y(i, k) - x - WAY}), ("local",)),
        Step(
            "parts",
            le(square(WAY), 2 * square(_PULL) + 2 * square(_PUSH), CLIENTS, LOCAL),
            Apply("delta_sgd/two", {u: _PULL, v: _PUSH}),
            note="gradients and noise",
        ),
        SQUARED_STEP,
        Step(
            "g 1",
            le(square(_PULL), k * Total(eta(i, l) ** 2 * square(own(i, l)), l, 0, k - 1), CLIENTS, LOCAL),
            Apply("delta_sgd/8-steps", {part(l): eta(i, l) * own(i, l), n: k}),
        ),
        Step(
            "g 2",
            le(eta(i, k) ** 2 * square(own(i, k)), a**2 * G**2, CLIENTS, LOCAL),
            Combine({"bounded": eta(i, k) ** 2, "eta": G**2}),
            ("bounded", "eta"),
        ),
        Step(
            "g 3",
            le(eta(i, l) ** 2 * square(own(i, l)), a**2 * G**2, CLIENTS, (l, 0, K - 1)),
            Instance({k: l}),
            ("g 2",),
        ),
        Step(
            "g 4",
            le(eta(i, l) ** 2 * square(own(i, l)), a**2 * G**2, CLIENTS, LOCAL, (l, 0, k - 1)),
            Combine(),
            ("g 3",),
        ),
        Step(
            "g 5",
            le(Total(eta(i, l) ** 2 * square(own(i, l)), l, 0, k - 1), k * a**2 * G**2, CLIENTS, LOCAL),
            Summed((l,)),
            ("g 4",),
        ),
        Step(
            "g",
            le(square(_PULL), k**2 * a**2 * G**2, CLIENTS, LOCAL),
            Combine({"g 1": 1, "g 5": k}),
            ("g 1", "g 5"),
            note="A1b",
        ),
        Step("xi", _NOISY, Apply("delta_sgd/noisy"), ("ceiling", "variance")),
        Step(
            "pairs n",
            eq(PAIRS.relation.left.subs(k, n), 0, CLIENTS, (n, 0, K - 1), (l, 0, n - 1)),
            Instance({k: n}),
            ("pairs",),
        ),
        Step("xi n", le(_NOISY.left.subs(k, n), _NOISY.right, CLIENTS, (n, 0, K - 1)), Instance({k: n}), ("xi",)),
        Step(
            "noise",
            le(E(square(_PUSH)), k * a**2 * sigma**2 / b, CLIENTS, LOCAL),
            Apply("delta_sgd/noise", {Y(n): eta(i, n) * xi(i, n), spread: a**2 * sigma**2 / b, N: k}),
            ("pairs n", "xi n"),
        ),
        Step(
            "all 1",
            le(FAR, 2 * k**2 * a**2 * G**2 + 2 * square(_PUSH), CLIENTS, LOCAL),
            Combine({"moved": 1, "parts": 1, "g": 2}),
            ("moved", "parts", "g"),
        ),
        Step(
            "all 2", le(E(FAR), 2 * k**2 * a**2 * G**2 + 2 * E(square(_PUSH)), CLIENTS, LOCAL), Expected(), ("all 1",)
        ),
        Step("k", le(k, k**2, (k, 0, K)), Apply("delta_sgd/count")),
        Step("k K", _COUNT, Instance({k: k}), ("k",)),
        Step("all", _FAR, Combine({"all 2": 1, "noise": 2, "k K": 2 * a**2 * sigma**2 / b}), ("all 2", "noise", "k K")),
    ),
    place=PLACE,
    note="how far a client moves from the server's iterate",
)
THEOREMS = (TWO, FOUR, JENSEN, NOISE, COUNT, NOISY, DRIFT)
