"""The function T of a shuffled round, Lemma 11, and the constants of Appendix D.3.

With x = 1 - t: M T = sum_{i=1}^{M-1} (1 - x^i)(1 - x^{M-i}), so that T is positive and increasing in t term by term, and
T >= (M^2 - 1) t^2 (1 - (M - 2) t / 2) / 6, which is 1/326432 at M = 2, t = 1/(202 M), and more at every other M.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Integer, Symbol, oo

from fltheory.model.bound import Bound
from fltheory.papers.sfl.notation import M, t
from fltheory.proof import Given, Relation, by, eq, le, proof, statement_of
from fltheory.proof.language import Range
from fltheory.proof.terms import Total
from fltheory.verification import find

n = Symbol("n", integer=True, nonnegative=True)
i = Symbol("i", integer=True, positive=True)
EVERY = (n, 0, oo)
x = 1 - t
BELOW_1 = Given("below 1", le(t, 1), "t lies in (0, 1]")
IDS = ("below 1",)


def bound(claim: str) -> Bound:
    """Return the bound of a claim of the catalogue."""
    return find(f"sfl/{claim}").bound


def T(at: Expr, clients: Expr = M) -> Expr:
    """Return (13)."""
    slope = (2 - at) / (clients * at)
    return 1 - slope + (1 + slope) * (1 - at) ** clients


def _plain(relation: Relation, *over: Range) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation) -> Relation:
    later = _plain(relation).at({n: n + 1})
    return _plain(later, *relation.over)


# The derivative ---------------------------------------------------------------------------------------------------

_SLOPE, _CONDITIONS = statement_of(bound("L11-derivative@printed"), sympy.diff(T(t), t))
DERIVATIVE = (
    proof("sfl/L11-derivative", "Lemma 11, proof", of="sfl/L11-derivative@printed",
        bound=bound("L11-derivative@printed"), unused=("c1",))
    .under(*_CONDITIONS)
    .qed(_SLOPE, by.linear(c2=0), name="identity")
)
_POWER = le(0, x**n, EVERY)
POSITIVE_POWER = (
    proof("sfl/L11-power", "Lemma 11, proof").under(BELOW_1)
    .step("base", le(0, 1), by.linear())
    .step("step", _after(_POWER), by.linear({"assumed 1": x}, *IDS), assuming=_plain(_POWER))
    .qed(_POWER, by.induction(n, "base", "step"), name="power")
)


def _taylor(clients: Expr) -> Expr:
    return x ** (clients - 1) * (1 + (clients - 1) * t + clients * (clients - 1) * t**2 / 2)


_FALLING = le(_taylor(n + 1), 1, EVERY)
_AT_MOST_1, _CONDITIONS_1 = statement_of(bound("L11-positive@printed"), _taylor(M))
TAYLOR = (
    proof("sfl/L11-positive", "Lemma 11, proof", of="sfl/L11-positive@printed", bound=bound("L11-positive@printed"),
        note="hence T' >= 0 for every M >= 2")
    .under(*_CONDITIONS_1)
    .step("power", by.apply(POSITIVE_POWER, "c2"))
    .step("base", _plain(_FALLING).at({n: Integer(0)}), by.linear())
    .step("step", _after(_FALLING), by.linear("power"), assuming=_plain(_FALLING),
        note="from M to M + 1 the left side falls by (1-t)^{M-1} M (M+1) t^3 / 2")
    .step("falling", _FALLING, by.induction(n, "base", "step"))
    .qed(_AT_MOST_1, by.instance({n: M - 1}, "falling", "c1"), name="positive")
)

# T as a sum of products -------------------------------------------------------------------------------------------

PLACES = (i, 1, n)


def _products(base: Expr) -> Expr:
    """sum_{i=1}^{n} (1 - x^i)(1 - x^{n+1-i}), which is M T for n = M - 1."""
    return Total((1 - base**i) * (1 - base ** (n + 1 - i)), i, 1, n)


_UP, _DOWN = Total(x**i, i, 1, n), Total(x ** (n + 1 - i), i, 1, n)
_UPS, _DOWNS = eq(t * _UP, x - x ** (n + 1), EVERY), eq(t * _DOWN, x - x ** (n + 1), EVERY)
_LESS = x ** (n + 1 - i)
SUM = (
    proof("sfl/L11-sum", "Lemma 11", note="not in the paper; it replaces its Taylor argument")
    .step("up 0", _plain(_UPS).at({n: Integer(0)}), by.linear())
    .step("up next", _after(_UPS), by.linear(), assuming=_plain(_UPS))
    .step("up", _UPS, by.induction(n, "up 0", "up next"), note="geometric sum")
    .step("down 0", _plain(_DOWNS).at({n: Integer(0)}), by.linear())
    .step("one more", eq(x ** (n + 2 - i), _LESS - t * _LESS, EVERY, PLACES), by.linear())
    .step("shift", eq(Total(x ** (n + 2 - i), i, 1, n), _DOWN - t * _DOWN, EVERY), by.sum_over(i, "one more"))
    .step("down next", _after(_DOWNS), by.linear("shift"), assuming=_plain(_DOWNS))
    .step("down", _DOWNS, by.induction(n, "down 0", "down next"), note="geometric sum")
    .step("term", eq(1 - x**i - _LESS + x ** (n + 1), (1 - x**i) * (1 - x ** (n + 1 - i)), EVERY, PLACES), by.linear())
    .step("terms", eq(n + n * x ** (n + 1) - _UP - _DOWN, _products(x), EVERY), by.sum_over(i, "term"),
        note="multiplied out")
    .qed(eq((n + 1) * T(t, n + 1), _products(x), EVERY), by.linear("up", "down", "terms"), name="sum")
)

# T increases ------------------------------------------------------------------------------------------------------

s = Symbol("s", positive=True)
_y = 1 - s
ORDER = Given("order", le(s, t), "two points of (0, 1)")
_j = n + 1 - i
_TERM = le((1 - _y**i) * (1 - _y**_j), (1 - x**i) * (1 - x**_j), EVERY, PLACES)
RISES = (
    proof("sfl/L11-rises", "Lemma 11").under(BELOW_1, ORDER)
    .step("s below 1", le(s, 1), by.linear("below 1", "order"))
    .step("x", le(0, x, EVERY, PLACES), by.linear(*IDS))
    .step("y", le(0, _y, EVERY, PLACES), by.linear("s below 1"))
    .step("y below 1", le(_y, 1, EVERY, PLACES), by.linear())
    .step("x below y", le(x, _y, EVERY, PLACES), by.linear("order"))
    .step("first", by.power(i, "x", "x below y"))
    .step("second", by.power(_j, "x", "x below y"))
    .step("first below 1", by.power(i, "y", "y below 1"))
    .step("second below 1", by.power(_j, "y", "y below 1"))
    .step("x second below 1", le(x**_j, 1, EVERY, PLACES), by.linear("second", "second below 1"))
    .step("term", _TERM, by.linear("first", "second", "first below 1", "x second below 1"))
    .step("sum", by.sum_over(i, "term"))
    .step("T(t)", by.apply(SUM))
    .step("T(s)", by.apply(SUM, {t: s}))
    .step("all", le((n + 1) * T(s, n + 1), (n + 1) * T(t, n + 1), EVERY), by.linear("sum", "T(s)", "T(t)"))
    .step("M", by.instance({n: M - 1}, "all"))
    .qed(le(T(s), T(t)), by.linear("M"), name="rises")
)

# T from below -----------------------------------------------------------------------------------------------------

_BERNOULLI = le(1 - n * t, x**n, EVERY)
_BONFERRONI = le(n * t * (1 - (n - 1) * t / 2), 1 - x**n, EVERY)
BERNOULLI = (
    proof("sfl/L11-powers", "Appendix D.3").under(BELOW_1)
    .step("base", le(1, 1), by.linear())
    .step("step", _after(_BERNOULLI), by.linear({"assumed 1": x}, *IDS), assuming=_plain(_BERNOULLI))
    .step("Bernoulli", _BERNOULLI, by.induction(n, "base", "step"))
    .step("base 2", _plain(_BONFERRONI).at({n: Integer(0)}), by.linear())
    .step("step 2", _after(_BONFERRONI), by.linear("Bernoulli"), assuming=_plain(_BONFERRONI))
    .qed(_BONFERRONI, by.induction(n, "base 2", "step 2"), name="powers")
)

SHORT = Given("short", le(M * t, 1), "the round is short: the steps of all clients together")
_WITHIN = (i, 1, M - 1)
_a, _b = i * t * (1 - (i - 1) * t / 2), (M - i) * t * (1 - (M - i - 1) * t / 2)
_A, _B = 1 - x**i, 1 - x ** (M - i)
_PRODUCT = le(i * (M - i) * t**2 * (1 - (M - 2) * t / 2), _A * _B, _WITHIN)
_LOWER = le((M**2 - 1) * t**2 / 6 * (1 - (M - 2) * t / 2), T(t))
LOWER = (
    proof("sfl/L11-lower", "Appendix D.3", note="an equation at M = 2").under(BELOW_1, SHORT)
    .step("powers", by.apply(BERNOULLI))
    .step("first", by.instance({n: i}, "powers"), over=_WITHIN)
    .step("second", by.instance({n: M - i}, "powers"), over=_WITHIN)
    .step("i small", le(0, 2 - (i - 1) * t, _WITHIN), by.polynomial("short"))
    .step("M - i small", le(0, 2 - (M - i - 1) * t, _WITHIN), by.polynomial("short"))
    .step("a", le(0, _a, _WITHIN), by.linear("i small"))
    .step("b", le(0, _b, _WITHIN), by.polynomial("M - i small"))
    .step("factor", le(0, _B, _WITHIN), by.linear("b", "second"))
    .step("drop", le(i * (M - i) * t**2 * (1 - (M - 2) * t / 2), _a * _b, _WITHIN), by.polynomial())
    .step("product", _PRODUCT, by.linear("drop", "first", "second", "factor", "a"))
    .step("sum", le(_LOWER.left * M, Total(_A * _B, i, 1, M - 1)), by.sum_over(i, "product"))
    .step("products", by.apply(SUM))
    .step("T", by.instance({n: M - 1}, "products"))
    .qed(_LOWER, by.linear("sum", "T"), name="lower")
)
_STEP = 1 / (202 * M)
_LEAST, _ENOUGH = statement_of(bound("D3-T@strengthened"), T(_STEP))
LEAST = (
    proof("sfl/D3-T", "Appendix D.3", of="sfl/D3-T@strengthened", bound=bound("D3-T@strengthened"),
        note="the paper says some constant, from T > 0 at M <= 1211 and a limit")
    .under(*_ENOUGH)
    .step("below 1", le(_STEP, 1), by.linear("c1"))
    .step("T", by.apply(LOWER, {t: _STEP}))
    .step("enough", le(_LEAST.left, _LOWER.left.subs(t, _STEP)), by.polynomial("c1"))
    .qed(_LEAST, by.linear("T", "enough"), name="least")
)
_FAR, _HALF_UP = statement_of(bound("D3-h4@printed"), T(t))
BEYOND = (
    proof("sfl/D3-far", "Appendix D.3").under(BELOW_1)
    .given("half", le(1, 2 * t), "t is at least 1/2")
    .step("power", by.apply(POSITIVE_POWER))
    .step("at M", by.instance({n: M}, "power"))
    .step("factor", le(0, 1 + (2 - t) / (M * t)), by.linear({"below 1": 1 / (M * t)}))
    .qed(le(1 - 3 / M, T(t)), by.linear("at M", "factor", "half"), name="far", note="(2 - t)/t <= 3 for t >= 1/2")
)
FAR = (
    proof("sfl/D3-h4", "Appendix D.3", of="sfl/D3-h4@printed", bound=bound("D3-h4@printed"), unused=("c1", "c4"))
    .under(*_HALF_UP)
    .qed(_FAR, by.apply(BEYOND, "c2", "c3"), name="far")
)

# Constants --------------------------------------------------------------------------------------------------------

_FIRST = 405 * (1 - _STEP) ** M - 403
_NOISE, _AT = statement_of(bound("D3-first@printed"), _FIRST)
PRINTED = (
    proof("sfl/D3-first-printed", "Appendix D.3", of="sfl/D3-first@printed", bound=bound("D3-first@printed"),
        recorded="REFUTED")
    .under(*_AT)
    .qed(_NOISE, by.counterexample({M: 1212}, *(c.id for c in _AT)),
        note="1.3e-11 is rounding noise of double precision")
)

THEOREMS = (DERIVATIVE, POSITIVE_POWER, TAYLOR, SUM, RISES, BERNOULLI, LOWER, LEAST, BEYOND, FAR, PRINTED)
