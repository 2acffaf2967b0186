"""Section 2: properties of the multilinear extension of a monotone submodular function, for all ground sets.

Items are counted from 1 to n. A function that is linear in each coordinate is followed coordinate by coordinate: V(l)
is its value and G(e, l) are its slopes after the first l coordinates have moved by d(1), ..., d(l), without calculus.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Rational, Symbol

from fltheory.proof import Given, by, eq, le, line, proof
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


def mean(term: Callable[..., Expr]) -> Expr:
    """Return the mean over the random sets."""
    return Total(weight(s) * term(s), s, 1, S)


def _marginal(place: Expr) -> Expr:
    return f1(place) - f0(place)


GRADIENT_LOW = (
    proof("fedcg/P2-low", PLACE, of="fedcg/P2-low@printed", note="no partial derivative of the extension is negative")
    .given("monotone", le(f0(s), f1(s), SETS), "f(R) <= f(R + e)")
    .step("1", le(0, _marginal(s), SETS), by.linear("monotone"))
    .qed(le(0, mean(_marginal)), by.sum_over(s, "1", weight=weight(s)))
)
GRADIENT_HIGH = (
    proof("fedcg/P2-high", PLACE, of="fedcg/P2-high@printed", note="a partial derivative is at most f(e)").under(LAW)
    .given("less", le(_marginal(s), alone, SETS), "f(R + e) - f(R) <= f(e) - f(0) = f(e): f is submodular")
    .qed(le(mean(_marginal), alone), by.linear(by.sum_over(s, "less", weight=weight(s)), "law"))
)


def _second(place: Expr) -> Expr:
    return (f12(place) - f1(place)) - (f2(place) - f0(place))


HESSIAN_HIGH = (
    proof("fedcg/P4-high", PLACE, of="fedcg/P4-sign@printed", note="no second derivative of the extension is positive")
    .under(Given("submodular", le(f12(s) - f1(s), f2(s) - f0(s), SETS), "adding i to R + j gives no more than to R"))
    .step("1", le(_second(s), 0, SETS), by.linear("submodular"))
    .qed(le(mean(_second), 0), by.sum_over(s, "1", weight=weight(s)))
)
HESSIAN_LOW = (
    proof("fedcg/P4-low", PLACE, of="fedcg/P4@strengthened",
        note="a second derivative is at least -f(j), and by symmetry at least -f(i)")
    .under(LAW, Given("monotone", le(f1(s), f12(s), SETS), "f(R + i) <= f(R + i + j)"))
    .given("less", le(f2(s) - f0(s), second, SETS), "f(R + j) - f(R) <= f(j)")
    .step("1", le(-second, _second(s), SETS), by.linear("monotone", "less"))
    .qed(le(-second, mean(_second)), by.linear(by.sum_over(s, "1", weight=weight(s)), "law"))
)

# One coordinate after the other ------------------------------------------------------------------------------------------

ITEMS, BEFORE = (e, 1, n), (c, 0, n - 1)
MOVES = Given("moves", eq(V(l), V(l - 1) + d(l) * slope(l), (l, 1, n)), "linear in the coordinate that moves")
_MOVE = line("move", eq(V(c + 1), V(c) + d(c + 1) * slope(c + 1), BEFORE), by.instance({l: c + 1}, "moves"))
RISING = (
    proof("fedcg/P3-monotone", PLACE, of="fedcg/P3-monotone@printed",
        note="a function linear in each coordinate, with slopes >= 0, does not fall along d >= 0")
    .under(MOVES)
    .given("slopes", le(0, slope(l), (l, 1, n)), "no partial derivative is negative")
    .steps(_MOVE)
    .step("slope", by.instance({l: c + 1}, "slopes"), over=BEFORE)
    .step("0", le(V(0), V(0)), by.linear())
    .step("1", le(V(0), V(c + 1), BEFORE), by.linear("move", "slope"), assuming=le(V(0), V(c)),
        note="one coordinate more")
    .step("2", le(V(0), V(c), (c, 0, n)), by.induction(c, "0", "1"))
    .qed(le(V(0), V(n)), by.instance({c: n}, "2"))
)
FALLING = (
    proof("fedcg/P3-antitone", PLACE, of="fedcg/P3-antitone@printed",
        note="so that each partial derivative of the extension, linear in each coordinate too, falls along d >= 0")
    .under(MOVES)
    .given("slopes", le(slope(l), 0, (l, 1, n)), "no second derivative is positive")
    .step("turned", eq(-V(l), -V(l - 1) + d(l) * -slope(l), (l, 1, n)), by.linear("moves"))
    .step("signs", le(0, -slope(l), (l, 1, n)), by.linear("slopes"))
    .qed(le(V(n), V(0)), by.apply(RISING, {V(c): -V(c), slope(l): -slope(l)}))
)
DRIFT = (
    proof("fedcg/Lip2-drift", "Section 4", of="fedcg/Lip2-drift@corrected",
        note="the drift in the right norm: a partial derivative falls by at most m times the 1-norm of the move")
    .under(MOVES)
    .given("slopes", le(-m, slope(l), (l, 1, n)), "P4: second derivatives are at least -m")
    .steps(_MOVE)
    .step("slope", by.instance({l: c + 1}, "slopes"), over=BEFORE)
    .step("0", le(V(0), V(0)), by.linear())
    .step("1", le(V(0) - m * Total(d(k), k, 1, c + 1), V(c + 1), BEFORE), by.linear("move", "slope"),
        assuming=le(V(0) - m * Total(d(k), k, 1, c), V(c)), note="one coordinate more")
    .step("2", le(V(0) - m * Total(d(k), k, 1, c), V(c), (c, 0, n)), by.induction(c, "0", "1"))
    .qed(le(V(0) - m * Total(d(k), k, 1, n), V(n)), by.instance({c: n}, "2"))
)

# Along a direction d >= 0 --------------------------------------------------------------------------------------------------

EARLIER = (l, 1, e - 1)
PATH = Given("path", eq(V(l), V(l - 1) + d(l) * G(l, l - 1), (l, 1, n)), "the extension is linear in each coordinate")
SLOPES = Given("slopes", eq(G(e, l), G(e, l - 1) + d(l) * H(e, l), ITEMS, EARLIER),
    "and so are its partial derivatives")
NEGATIVE = Given("curved", le(H(e, l), 0, ITEMS, EARLIER), "P4: no second derivative is positive")
BOUNDED = Given("curved", le(-m, H(e, l), ITEMS, EARLIER), "P4: second derivatives are at least -m inside the cube")
_UP_TO, _NEXT = (c, 0, e - 1), (c, 0, e - 2)
_PATH = line("along", eq(V(c + 1), V(c) + d(c + 1) * G(c + 1, c), BEFORE), by.instance({l: c + 1}, "path"))
_SLOPE = line("slope", eq(G(e, c + 1), G(e, c) + d(c + 1) * H(e, c + 1), ITEMS, _NEXT),
    by.instance({l: c + 1}, "slopes"))


def inner(count: Expr) -> Expr:
    """Return the inner product of the move with the gradient at the start, over the first coordinates."""
    return Total(d(k) * G(k, 0), k, 1, count)


_ABOVE = le(G(e, c), G(e, 0), ITEMS, _UP_TO)
CONCAVE = (
    proof("fedcg/P4-concave", PLACE, of="fedcg/P4-concave@printed",
        note="concave along d >= 0: F(x + d) <= F(x) + <d, F'(x)>")
    .under(PATH, SLOPES, NEGATIVE)
    .steps(_PATH, _SLOPE)
    .step("curve", by.instance({l: c + 1}, "curved"), over=(ITEMS, _NEXT))
    .step("slope 0", le(G(e, 0), G(e, 0), ITEMS), by.linear())
    .step("slope 1", le(G(e, c + 1), G(e, 0), ITEMS, _NEXT), by.linear("slope", "curve"), assuming=le(G(e, c), G(e, 0)))
    .step("below", _ABOVE, by.induction(c, "slope 0", "slope 1"), note="slopes fall on the way")
    .step("at", by.instance({e: c + 1, c: c}, "below"), over=BEFORE)
    .step("0", le(V(0), V(0)), by.linear())
    .step("1", le(V(c + 1), V(0) + inner(c + 1), BEFORE), by.linear("along", "at"), assuming=le(V(c), V(0) + inner(c)))
    .step("2", le(V(c), V(0) + inner(c), (c, 0, n)), by.induction(c, "0", "1"))
    .qed(le(V(n), V(0) + inner(n)), by.instance({c: n}, "2"))
)


def spread(count: Expr) -> Expr:
    """(sum d)^2 - sum d^2: twice the sum over the pairs, as the Hessian has zero diagonal."""
    return Total(d(k), k, 1, count) ** 2 - Total(d(k) ** 2, k, 1, count)


def _still(count: Expr) -> Expr:
    return G(e, 0) - m * Total(d(k), k, 1, count)


def _lower(count: Expr) -> Expr:
    return V(0) + inner(count) - Rational(1, 2) * m * spread(count)


CURVED = (
    proof("fedcg/14-sharp", "(14)", note="one step with the sharp second-order term, for a move d >= 0 inside the cube")
    .under(PATH, SLOPES, BOUNDED)
    .steps(_PATH, _SLOPE)
    .step("curve", by.instance({l: c + 1}, "curved"), over=(ITEMS, _NEXT))
    .step("slope 0", le(G(e, 0), G(e, 0), ITEMS), by.linear())
    .step("slope 1", le(_still(c + 1), G(e, c + 1), ITEMS, _NEXT), by.linear("slope", "curve"),
        assuming=le(_still(c), G(e, c)))
    .step("above", le(_still(c), G(e, c), ITEMS, _UP_TO), by.induction(c, "slope 0", "slope 1"),
        note="slopes fall by little")
    .step("at", by.instance({e: c + 1, c: c}, "above"), over=BEFORE)
    .step("0", le(V(0), V(0)), by.linear())
    .step("1", le(_lower(c + 1), V(c + 1), BEFORE), by.linear("along", "at"), assuming=le(_lower(c), V(c)))
    .step("2", le(_lower(c), V(c), (c, 0, n)), by.induction(c, "0", "1"))
    .qed(le(_lower(n), V(n)), by.instance({c: n}, "2"))
)

THEOREMS = (GRADIENT_LOW, GRADIENT_HIGH, HESSIAN_HIGH, HESSIAN_LOW, RISING, FALLING, DRIFT, CONCAVE, CURVED)
