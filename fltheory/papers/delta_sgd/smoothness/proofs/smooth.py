"""Lemma 2 and Lemma 3: smoothness along a segment from the mean value theorem, of a mean of functions, and (12b).

Lemma 2 supposes the mean value theorem on each of N pieces of the segment, and lets N grow.
"""

from __future__ import annotations

from sympy import Abs, Expr, Symbol, oo

from fltheory.papers.delta_sgd.notation import L, T, m
from fltheory.papers.delta_sgd.smoothness.proofs.facts import EACH, FALLEN, LIMIT, also, i, level, mean, rise, t
from fltheory.papers.delta_sgd.smoothness.proofs.facts import u as g
from fltheory.papers.delta_sgd.smoothness.proofs.facts import v as p
from fltheory.proof import Axiom, Given, Member, by, eq, le, proof
from fltheory.proof.facts import limits, squares
from fltheory.proof.terms import Dot, Fun, Grad, Nonnegative, Positive, Total, Val, Vector, family, square

x, y = (family(Vector, name)() for name in "xy")
h, F = family(Fun, "h")(), family(Fun, "f")
N = squares.m

# Lemma 2 ------------------------------------------------------------------------------------------------------------------------

share = family(Nonnegative, "s")  # the mean value point on a piece
PIECES = ((N, 1, oo), (t, 0, N - 1))
_WAY = y - x
_BETWEEN = x + (t + share(N, t)) / N * _WAY
_SLOPE = Dot(Grad(h, x), _WAY)
_RISE = Val(h, x + (t + 1) / N * _WAY) - Val(h, x + t / N * _WAY)
_TURN = Grad(h, _BETWEEN) - Grad(h, x)
_ADDED = _SLOPE / N + L * (t + 1) / N**2 * square(_WAY)
_OFF = Val(h, y) - Val(h, x) - _SLOPE - L / 2 * square(_WAY)
part = Symbol("e", positive=True)
SPLIT = proof("delta_sgd/weighed", "Lemma 2", note="Young's inequality, weighed").qed(
    le(Dot(g, p), square(g) / (2 * part) + part / 2 * square(p)), by.sos())
SMOOTH = Member("class", h, L, None, "A2: Lipschitz gradients where the client goes; only this is used of the class")
INNER = (
    proof("delta_sgd/L2-inner", "proof of Lemma 2", of="delta_sgd/L2-inner@printed",
        note="Cauchy and Schwarz along the segment, as a difference")
    .under(SMOOTH)
    .qed(le(Dot(Grad(h, x + part * _WAY) - Grad(h, x), _WAY), part * L * square(_WAY)),
        by.sos((1 / (2 * part * L), Axiom("lipschitz", h, x + part * _WAY, x)), "class"))
)
LEMMA2 = (
    proof("delta_sgd/L2", "Lemma 2", of="delta_sgd/L2@printed",
        note="from Lipschitz gradients and the mean value theorem: the integral of tau is 1/2; as a difference")
    .under(SMOOTH)
    .given("mean value", eq(_RISE, Dot(Grad(h, _BETWEEN), _WAY) / N, *PIECES), "the mean value theorem on every piece")
    .given("inside", le(share(N, t), 1, *PIECES), "its point lies on the piece")
    .step("0", le(0, square(_WAY)), by.sos())
    .step("1.1", le(square(_TURN), (L * (t + share(N, t)) / N) ** 2 * square(_WAY), *PIECES),
        by.linear((1, Axiom("lipschitz", h, _BETWEEN, x)), "class"))
    .step("1.2", le((t + share(N, t)) ** 2 * square(_WAY), (t + 1) ** 2 * square(_WAY), *PIECES),
        by.linear("inside", "0"))
    .step("1.3", by.apply(SPLIT, {g: _TURN, p: _WAY, part: L * (t + 1) / N}), over=(*PIECES,))
    .step("1.4", le(Dot(_TURN, _WAY), L * (t + 1) / N * square(_WAY), *PIECES),
        by.linear({"1.3": 1, "1.1": N / (2 * L * (t + 1)), "1.2": L / (2 * N * (t + 1))}),
        note="Cauchy and Schwarz on a piece")
    .step("1", le(_RISE, _ADDED, *PIECES), by.linear("1.4", "mean value"))
    .step("2.1", le(Val(h, x + (t + 1) / N * _WAY), Val(h, x + t / N * _WAY) + _ADDED, *PIECES), by.linear("1"))
    .step("2", by.apply(FALLEN, {level(t): Val(h, x + t / N * _WAY), rise(t): _ADDED, T: N}))
    .step("3", le(0, -_OFF + L / 2 * square(_WAY) / N, (N, 1, oo)), by.linear("2"), note="the sum of 1 to N")
    .step("4", le(0, L / 2 * square(_WAY)), by.linear("0"))
    .step("5", by.apply(LIMIT, {limits.level: -_OFF, limits.size: L / 2 * square(_WAY)}, "3", "4"),
        note="finer and finer pieces")
    .qed(le(Val(h, y), Val(h, x) + _SLOPE + L / 2 * square(_WAY)), by.linear("5"))
)

# Lemma 3 ------------------------------------------------------------------------------------------------------------------------

j = Symbol("j", integer=True, positive=True)
one, other = (Symbol(name, positive=True) for name in ("L_1", "L_2"))
own = family(Positive, "L")
PAIR = (
    proof("delta_sgd/turns", "Lemma 3")
    .given("one", le(square(g), one**2 * square(x - y)), "Lipschitz")
    .given("other", le(square(p), other**2 * square(x - y)), "Lipschitz")
    .qed(le(Dot(g, p), one * other * square(x - y)), by.sos(one=other / (2 * one), other=one / (2 * other)))
)


def turned(place: Expr) -> Expr:
    """Return the change of a client's gradient."""
    return Grad(F(place), x) - Grad(F(place), y)


LOCAL = Given("local", le(square(turned(i)), own(i) ** 2 * square(x - y), EACH),
    "A2: client i has the Lipschitz constant L_i")
TOGETHER = (
    proof("delta_sgd/L3-11", "(11)", of="delta_sgd/L3-11@printed",
        note="the gradient of f: the mean of the Lipschitz constants, as a difference")
    .under(LOCAL)
    .step("j", by.instance({i: j}, "local"), over=(j, 1, m))
    .step("1", by.apply(PAIR, {g: turned(i), p: turned(j), one: own(i), other: own(j)}))
    .step("2",
        le(Total(Total(Dot(turned(i), turned(j)), j, 1, m), i, 1, m),
            Total(Total(own(i) * own(j), j, 1, m), i, 1, m) * square(x - y)), by.sum_over((j, i), "1"))
    .qed(le(square(mean(turned(i))), mean(own(i)) ** 2 * square(x - y)), by.linear("2"))
)
LARGEST = (
    proof("delta_sgd/L3-12", "(12)", of="delta_sgd/L3-12@printed",
        note="the largest Lipschitz constant, as a difference")
    .under(LOCAL)
    .given("largest", le(own(i), L, EACH), "L is the largest of them")
    .step("11", by.apply(TOGETHER))
    .step("1.1", le(mean(own(i)), L), by.sum_over(i, "largest", weight=1 / m))
    .step("1.2", le(0, own(i), EACH), by.linear())
    .step("1.3", le(0, mean(own(i))), by.sum_over(i, "1.2", weight=1 / m))
    .step("1", by.power(2, "1.3", "1.1"))
    .step("0", le(0, square(x - y)), by.sos())
    .qed(le(square(mean(turned(i))), L**2 * square(x - y)), by.linear("11", "1", "0"), name="2")
)
DESCENT = (
    proof("delta_sgd/L3-12b", "after (12)", of="delta_sgd/L3-12b@printed",
        note="the descent lemma for f, as a difference")
    .under(Member("class", F(i), L, None, "A2: every client is L-smooth on the segment"))
    .step("1", le(Val(F(i), y), Val(F(i), x) + Dot(Grad(F(i), x), y - x) + L / 2 * square(y - x), EACH),
        by.linear((1, Axiom("descent", F(i), y, x)), "class"), note="Lemma 2")
    .qed(le(mean(Val(F(i), y)), mean(Val(F(i), x)) + Dot(mean(Grad(F(i), x)), y - x) + L / 2 * square(y - x)),
        by.sum_over(i, "1", weight=1 / m))
)
a, b, c, d = (Symbol(name, real=True) for name in ("x", "y", "g_x", "g_y"))
_OPPOSITE = tuple(
    Given(str(slope), eq(slope, (point - point) / 2), "the mean of the gradients of x^2/2 and -x^2/2")
    for point, slope in ((a, c), (b, d))
)
PRINTED = (
    proof("delta_sgd/L3@strict", "Lemma 3", of="delta_sgd/L3@strict", recorded="REFUTED",
        note='"at least" must be "at most"')
    .given("one", eq(L, 1), "both clients have the Lipschitz constant 1")
    .under(*_OPPOSITE)
    .qed(le(L * Abs(a - b), Abs(c - d)), by.counterexample({a: 1, b: 0, c: 0, d: 0, L: 1}, "one", "g_x", "g_y"),
        note="clients that cancel")
)

UPPER = also("delta_sgd/L3", LARGEST, "delta_sgd/L3@printed", "Lemma 3 as an upper bound, as a difference")

THEOREMS = (SPLIT, INNER, LEMMA2, PAIR, TOGETHER, LARGEST, UPPER, DESCENT, PRINTED)
