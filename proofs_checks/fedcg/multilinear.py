"""Section 2: what the multilinear extension of a monotone submodular function obeys, for every size of the ground set.

Items are counted from 1 to n. A function that is linear in each coordinate is followed one coordinate after the other: its
value V(l) and its slopes G(e, l) after the first l coordinates have moved by d(1), ..., d(l), with no calculus at all.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Rational, Symbol

from fltheory.proof.language import Apply, Combine, Given, Induction, Instance, Step, Summed, Theorem, eq, le
from fltheory.proof.terms import Nonnegative, Scalar, Total, family

n, e, j, k, s, S = (Symbol(name, integer=True, positive=True) for name in ("n", "e", "j", "k", "s", "S"))
l = Symbol("l", integer=True, positive=True)
c = Symbol("c", integer=True, nonnegative=True)
m = Symbol("m", nonnegative=True)
V, G, H, slope = (family(Scalar, name) for name in ("V", "G", "H", "slope"))
d = family(Nonnegative, "d")
PLACE = "Section 2"

# Means over random sets (P2, P4) --------------------------------------------------------------------------------------

weight = family(Nonnegative, "weight")
alone, first, second = (Symbol(name, real=True) for name in ("alone", "first", "second"))
f0, f1, f2, f12 = (family(Scalar, f"f{name}") for name in ("", "_1", "_2", "_12"))
SETS = (s, 1, S)
LAW = Given("law", eq(Total(weight(s), s, 1, S), 1), "the probabilities of the random sets R, the S subsets without e")


def mean(term: Any) -> Expr:
    """The mean over the random sets."""
    return Total(weight(s) * term(s), s, 1, S)


def _marginal(place: Any) -> Expr:
    return f1(place) - f0(place)


_MONOTONE = Given("monotone", le(f0(s), f1(s), SETS), "f(R) <= f(R + e)")
_LESS = Given("less", le(_marginal(s), alone, SETS), "f(R + e) - f(R) <= f(e) - f(0) = f(e): f is submodular")
_GRADIENT_LOW, _GRADIENT_HIGH = le(0, mean(_marginal)), le(mean(_marginal), alone)
GRADIENT_LOW = Theorem(
    "fedcg/P2-low",
    _GRADIENT_LOW,
    (_MONOTONE,),
    (
        Step("1", le(0, _marginal(s), SETS), Combine(), ("monotone",)),
        Step("2", _GRADIENT_LOW, Summed((s,), weight(s)), ("1",)),
    ),
    claim="fedcg/P2-low@printed",
    place=PLACE,
    note="no partial derivative of the extension is negative",
)
GRADIENT_HIGH = Theorem(
    "fedcg/P2-high",
    _GRADIENT_HIGH,
    (LAW, _LESS),
    (
        Step("1", le(mean(_marginal), mean(lambda place: alone)), Summed((s,), weight(s)), ("less",)),
        Step("2", _GRADIENT_HIGH, Combine({"1": 1, "law": alone}), ("1", "law")),
    ),
    claim="fedcg/P2-high@printed",
    place=PLACE,
    note="a partial derivative is at most f(e)",
)


def _second(place: Any) -> Expr:
    return (f12(place) - f1(place)) - (f2(place) - f0(place))


_SUBMODULAR = Given("submodular", le(f12(s) - f1(s), f2(s) - f0(s), SETS), "adding i to R + j gives no more than to R")
_TOP = Given("monotone", le(f1(s), f12(s), SETS), "f(R + i) <= f(R + i + j)")
_ALONE = Given("less", le(f2(s) - f0(s), second, SETS), "f(R + j) - f(R) <= f(j)")
_HESSIAN_HIGH, _HESSIAN_LOW = le(mean(_second), 0), le(-second, mean(_second))
HESSIAN_HIGH = Theorem(
    "fedcg/P4-high",
    _HESSIAN_HIGH,
    (_SUBMODULAR,),
    (
        Step("1", le(_second(s), 0, SETS), Combine(), ("submodular",)),
        Step("2", _HESSIAN_HIGH, Summed((s,), weight(s)), ("1",)),
    ),
    claim="fedcg/P4-sign@printed",
    place=PLACE,
    note="no second derivative of the extension is positive",
)
HESSIAN_LOW = Theorem(
    "fedcg/P4-low",
    _HESSIAN_LOW,
    (LAW, _TOP, _ALONE),
    (
        Step("1", le(-second, _second(s), SETS), Combine(), ("monotone", "less")),
        Step("2", le(mean(lambda place: -second), mean(_second)), Summed((s,), weight(s)), ("1",)),
        Step("3", _HESSIAN_LOW, Combine({"2": 1, "law": second}), ("2", "law")),
    ),
    claim="fedcg/P4@sharpened",
    place=PLACE,
    note="a second derivative is at least -f(j), and by symmetry at least -f(i)",
)

# One coordinate after the other ------------------------------------------------------------------------------------------

ITEMS, BEFORE = (e, 1, n), (c, 0, n - 1)
MOVES = Given("moves", eq(V(l), V(l - 1) + d(l) * slope(l), (l, 1, n)), "linear in the coordinate that moves")
_MOVE = Step("move", eq(V(c + 1), V(c) + d(c + 1) * slope(c + 1), BEFORE), Instance({l: c + 1}), ("moves",))
_RISEN = le(V(0), V(n))
RISING = Theorem(
    "fedcg/P3-monotone",
    _RISEN,
    (MOVES, Given("slopes", le(0, slope(l), (l, 1, n)), "no partial derivative is negative")),
    (
        _MOVE,
        Step("slope", le(0, slope(c + 1), BEFORE), Instance({l: c + 1}), ("slopes",)),
        Step("0", le(V(0), V(0)), Combine()),
        Step(
            "1",
            le(V(0), V(c + 1), BEFORE),
            Combine({"assumed 1": 1, "move": -1, "slope": d(c + 1)}),
            ("move", "slope"),
            assuming=(le(V(0), V(c)),),
            note="one coordinate more",
        ),
        Step("2", le(V(0), V(c), (c, 0, n)), Induction(c), ("0", "1")),
        Step("3", _RISEN, Instance({c: n}), ("2",)),
    ),
    claim="fedcg/P3-monotone@printed",
    place=PLACE,
    note="a function linear in each coordinate, with slopes >= 0, does not fall along d >= 0",
)
_FALLEN = le(V(n), V(0))
FALLING = Theorem(
    "fedcg/P3-antitone",
    _FALLEN,
    (MOVES, Given("slopes", le(slope(l), 0, (l, 1, n)), "no second derivative is positive")),
    (
        Step("turned", eq(-V(l), -V(l - 1) + d(l) * -slope(l), (l, 1, n)), Combine({"moves": -1}), ("moves",)),
        Step("signs", le(0, -slope(l), (l, 1, n)), Combine(), ("slopes",)),
        Step("1", _FALLEN, Apply("fedcg/P3-monotone", {V(c): -V(c), slope(l): -slope(l)}), ("turned", "signs")),
    ),
    claim="fedcg/P3-antitone@printed",
    place=PLACE,
    note="so that each partial derivative of the extension, linear in each coordinate too, falls along d >= 0",
)
_DRIFTED = le(V(0) - m * Total(d(k), k, 1, n), V(n))
DRIFT = Theorem(
    "fedcg/Lip2-drift",
    _DRIFTED,
    (MOVES, Given("slopes", le(-m, slope(l), (l, 1, n)), "P4: second derivatives are at least -m")),
    (
        _MOVE,
        Step("slope", le(-m, slope(c + 1), BEFORE), Instance({l: c + 1}), ("slopes",)),
        Step("0", le(V(0), V(0)), Combine()),
        Step(
            "1",
            le(V(0) - m * Total(d(k), k, 1, c + 1), V(c + 1), BEFORE),
            Combine({"assumed 1": 1, "move": -1, "slope": d(c + 1)}),
            ("move", "slope"),
            assuming=(le(V(0) - m * Total(d(k), k, 1, c), V(c)),),
            note="one coordinate more",
        ),
        Step("2", le(V(0) - m * Total(d(k), k, 1, c), V(c), (c, 0, n)), Induction(c), ("0", "1")),
        Step("3", _DRIFTED, Instance({c: n}), ("2",)),
    ),
    claim="fedcg/Lip2-drift@corrected",
    place="Section 4",
    note="the drift in the right norm: a partial derivative falls by at most m times the 1-norm of the move",
)

# Along a direction d >= 0 --------------------------------------------------------------------------------------------------

EARLIER = (l, 1, e - 1)
PATH = Given("path", eq(V(l), V(l - 1) + d(l) * G(l, l - 1), (l, 1, n)), "the extension is linear in each coordinate")
SLOPES = Given(
    "slopes", eq(G(e, l), G(e, l - 1) + d(l) * H(e, l), ITEMS, EARLIER), "and so are its partial derivatives"
)
NEGATIVE = Given("curved", le(H(e, l), 0, ITEMS, EARLIER), "P4: no second derivative is positive")
BOUNDED = Given("curved", le(-m, H(e, l), ITEMS, EARLIER), "P4: second derivatives are at least -m inside the cube")
_UP_TO, _NEXT = (c, 0, e - 1), (c, 0, e - 2)
_PATH = Step("along", eq(V(c + 1), V(c) + d(c + 1) * G(c + 1, c), BEFORE), Instance({l: c + 1}), ("path",))
_SLOPE = Step(
    "slope", eq(G(e, c + 1), G(e, c) + d(c + 1) * H(e, c + 1), ITEMS, _NEXT), Instance({l: c + 1}), ("slopes",)
)


def inner(count: Any) -> Expr:
    """The inner product of the move with the gradient at the start, over the first coordinates."""
    return Total(d(k) * G(k, 0), k, 1, count)


_ABOVE = le(G(e, c), G(e, 0), ITEMS, _UP_TO)
_CONCAVE = le(V(n), V(0) + inner(n))
CONCAVE = Theorem(
    "fedcg/P4-concave",
    _CONCAVE,
    (PATH, SLOPES, NEGATIVE),
    (
        _PATH,
        _SLOPE,
        Step("curve", le(H(e, c + 1), 0, ITEMS, _NEXT), Instance({l: c + 1}), ("curved",)),
        Step("slope 0", le(G(e, 0), G(e, 0), ITEMS), Combine()),
        Step(
            "slope 1",
            le(G(e, c + 1), G(e, 0), ITEMS, _NEXT),
            Combine({"assumed 1": 1, "slope": 1, "curve": d(c + 1)}),
            ("slope", "curve"),
            assuming=(le(G(e, c), G(e, 0)),),
        ),
        Step("below", _ABOVE, Induction(c), ("slope 0", "slope 1"), note="slopes fall on the way"),
        Step("at", le(G(c + 1, c), G(c + 1, 0), BEFORE), Instance({e: c + 1, c: c}), ("below",)),
        Step("0", le(V(0), V(0)), Combine()),
        Step(
            "1",
            le(V(c + 1), V(0) + inner(c + 1), BEFORE),
            Combine({"assumed 1": 1, "along": 1, "at": d(c + 1)}),
            ("along", "at"),
            assuming=(le(V(c), V(0) + inner(c)),),
        ),
        Step("2", le(V(c), V(0) + inner(c), (c, 0, n)), Induction(c), ("0", "1")),
        Step("3", _CONCAVE, Instance({c: n}), ("2",)),
    ),
    claim="fedcg/P4-concave@printed",
    place=PLACE,
    note="concave along d >= 0: F(x + d) <= F(x) + <d, F'(x)>",
)


def spread(count: Any) -> Expr:
    """(sum d)^2 - sum d^2: twice the sum over the pairs, as the Hessian has zero diagonal."""
    return Total(d(k), k, 1, count) ** 2 - Total(d(k) ** 2, k, 1, count)


def _still(count: Any) -> Expr:
    return G(e, 0) - m * Total(d(k), k, 1, count)


def _lower(count: Any) -> Expr:
    return V(0) + inner(count) - Rational(1, 2) * m * spread(count)


_CURVED = le(_lower(n), V(n))
CURVED = Theorem(
    "fedcg/14-sharp",
    _CURVED,
    (PATH, SLOPES, BOUNDED),
    (
        _PATH,
        _SLOPE,
        Step("curve", le(-m, H(e, c + 1), ITEMS, _NEXT), Instance({l: c + 1}), ("curved",)),
        Step("slope 0", le(G(e, 0), G(e, 0), ITEMS), Combine()),
        Step(
            "slope 1",
            le(_still(c + 1), G(e, c + 1), ITEMS, _NEXT),
            Combine({"assumed 1": 1, "slope": -1, "curve": d(c + 1)}),
            ("slope", "curve"),
            assuming=(le(_still(c), G(e, c)),),
        ),
        Step(
            "above",
            le(_still(c), G(e, c), ITEMS, _UP_TO),
            Induction(c),
            ("slope 0", "slope 1"),
            note="slopes fall by little",
        ),
        Step("at", le(_still(c).xreplace({e: c + 1}), G(c + 1, c), BEFORE), Instance({e: c + 1, c: c}), ("above",)),
        Step("0", le(V(0), V(0)), Combine()),
        Step(
            "1",
            le(_lower(c + 1), V(c + 1), BEFORE),
            Combine({"assumed 1": 1, "along": -1, "at": d(c + 1)}),
            ("along", "at"),
            assuming=(le(_lower(c), V(c)),),
        ),
        Step("2", le(_lower(c), V(c), (c, 0, n)), Induction(c), ("0", "1")),
        Step("3", _CURVED, Instance({c: n}), ("2",)),
    ),
    place="(14)",
    note="one step with the sharp second-order term, for a move d >= 0 inside the cube",
)

THEOREMS = (GRADIENT_LOW, GRADIENT_HIGH, HESSIAN_HIGH, HESSIAN_LOW, RISING, FALLING, DRIFT, CONCAVE, CURVED)
