"""The function T of a shuffled round, Lemma 11, and the constants of Appendix D.3.

With x = 1 - t: M T = sum_{i=1}^{M-1} (1 - x^i)(1 - x^{M-i}), so that T is positive and increasing in t term by term, and
T >= (M^2 - 1) t^2 (1 - (M - 2) t / 2) / 6, which is 1/326432 at M = 2, t = 1/(202 M), and more at every other M.
"""

from __future__ import annotations

from typing import Any

import sympy
from sympy import Integer, Symbol, oo

from fltheory.known import find
from fltheory.papers.sfl.letters import M, t
from fltheory.proof.language import (
    Apply,
    Combine,
    Enumerate,
    Given,
    Induction,
    Instance,
    Polynomial,
    Power,
    Relation,
    Step,
    Summed,
    Theorem,
    Witness,
    eq,
    le,
    stated,
)
from fltheory.proof.terms import Total

n = Symbol("n", integer=True, nonnegative=True)
i = Symbol("i", integer=True, positive=True)
EVERY = (n, 0, oo)
x = 1 - t
BELOW_1 = Given("below 1", le(t, 1), "t lies in (0, 1]")
IDS = ("below 1",)


def bound(claim: str) -> Any:
    """The bound of a claim of the catalogue."""
    return find(f"sfl/{claim}").bound


def T(at: Any, clients: Any = M) -> Any:
    """Equation (13)."""
    slope = (2 - at) / (clients * at)
    return 1 - slope + (1 + slope) * (1 - at) ** clients


def _plain(relation: Relation, *over: Any) -> Relation:
    return Relation(relation.left, relation.op, relation.right, over)


def _after(relation: Relation) -> Relation:
    later = _plain(relation).at({n: n + 1})
    return _plain(later, *relation.over)


# The derivative ---------------------------------------------------------------------------------------------------

_SLOPE, _CONDITIONS = stated(bound("L11-derivative@printed"), sympy.diff(T(t), t))
DERIVATIVE = Theorem(
    "sfl/L11-derivative",
    _SLOPE,
    _CONDITIONS,
    (Step("identity", _SLOPE, Combine({"c2": 0}), ("c2",)),),
    claim="sfl/L11-derivative@printed",
    bound=bound("L11-derivative@printed"),
    place="Lemma 11, proof",
    unused=("c1",),
)
_POWER = le(0, x**n, EVERY)
POSITIVE_POWER = Theorem(
    "sfl/L11-power",
    _POWER,
    (BELOW_1,),
    (
        Step("base", le(0, 1), Combine()),
        Step("step", _after(_POWER), Combine((("assumed 1", x),)), IDS, assuming=(_plain(_POWER),)),
        Step("power", _POWER, Induction(n), ("base", "step")),
    ),
    place="Lemma 11, proof",
)


def _taylor(clients: Any) -> Any:
    return x ** (clients - 1) * (1 + (clients - 1) * t + clients * (clients - 1) * t**2 / 2)


_FALLING = le(_taylor(n + 1), 1, EVERY)
_AT_MOST_1, _CONDITIONS_1 = stated(bound("L11-positive@printed"), _taylor(M))
TAYLOR = Theorem(
    "sfl/L11-positive",
    _AT_MOST_1,
    _CONDITIONS_1,
    (
        Step("power", _POWER, Apply("sfl/L11-power"), ("c2",)),
        Step("base", _plain(_FALLING).at({n: Integer(0)}), Combine()),
        Step(
            "step",
            _after(_FALLING),
            Combine((("assumed 1", 1), ("power", (n + 1) * (n + 2) * t**3 / 2))),
            ("power",),
            assuming=(_plain(_FALLING),),
            note="from M to M + 1 the left side falls by (1-t)^{M-1} M (M+1) t^3 / 2",
        ),
        Step("falling", _FALLING, Induction(n), ("base", "step")),
        Step("positive", _AT_MOST_1, Instance(((n, M - 1),)), ("falling", "c1")),
    ),
    claim="sfl/L11-positive@printed",
    bound=bound("L11-positive@printed"),
    place="Lemma 11, proof",
    note="hence T' >= 0 for every M >= 2",
)

# T as a sum of products -------------------------------------------------------------------------------------------

PLACES = (i, 1, n)


def _products(base: Any) -> Any:
    """sum_{i=1}^{n} (1 - x^i)(1 - x^{n+1-i}), which is M T for n = M - 1."""
    return Total((1 - base**i) * (1 - base ** (n + 1 - i)), i, 1, n)


_UP, _DOWN = Total(x**i, i, 1, n), Total(x ** (n + 1 - i), i, 1, n)
_UPS, _DOWNS = eq(t * _UP, x - x ** (n + 1), EVERY), eq(t * _DOWN, x - x ** (n + 1), EVERY)
_LESS = x ** (n + 1 - i)
_EXPANDED = 1 - x**i - _LESS + x ** (n + 1)
_SUM = eq((n + 1) * T(t, n + 1), _products(x), EVERY)
SUM = Theorem(
    "sfl/L11-sum",
    _SUM,
    (),
    (
        Step("up 0", _plain(_UPS).at({n: Integer(0)}), Combine()),
        Step("up next", _after(_UPS), Combine((("assumed 1", 1),)), assuming=(_plain(_UPS),)),
        Step("up", _UPS, Induction(n), ("up 0", "up next"), note="geometric sum"),
        Step("down 0", _plain(_DOWNS).at({n: Integer(0)}), Combine()),
        Step("one more", eq(x ** (n + 2 - i), _LESS - t * _LESS, EVERY, PLACES), Combine()),
        Step("shift", eq(Total(x ** (n + 2 - i), i, 1, n), _DOWN - t * _DOWN, EVERY), Summed((i,)), ("one more",)),
        Step(
            "down next",
            _after(_DOWNS),
            Combine((("assumed 1", x), ("shift", t))),
            ("shift",),
            assuming=(_plain(_DOWNS),),
        ),
        Step("down", _DOWNS, Induction(n), ("down 0", "down next"), note="geometric sum"),
        Step("term", eq(_EXPANDED, (1 - x**i) * (1 - x ** (n + 1 - i)), EVERY, PLACES), Combine()),
        Step(
            "terms",
            eq(n + n * x ** (n + 1) - _UP - _DOWN, _products(x), EVERY),
            Summed((i,)),
            ("term",),
            note="multiplied out",
        ),
        Step("sum", _SUM, Combine((("up", 1 / t), ("down", 1 / t), ("terms", 1))), ("up", "down", "terms")),
    ),
    place="Lemma 11",
    note="not in the paper; it replaces its Taylor argument",
)

# T increases ------------------------------------------------------------------------------------------------------

s = Symbol("s", positive=True)
_y = 1 - s
ORDER = Given("order", le(s, t), "two points of (0, 1)")
_j = n + 1 - i
_TERM = le((1 - _y**i) * (1 - _y**_j), (1 - x**i) * (1 - x**_j), EVERY, PLACES)
_T_ORDER = le((n + 1) * T(s, n + 1), (n + 1) * T(t, n + 1), EVERY)
_RISES = le(T(s), T(t))
RISES = Theorem(
    "sfl/L11-rises",
    _RISES,
    (BELOW_1, ORDER),
    (
        Step("s below 1", le(s, 1), Combine(), ("below 1", "order")),
        Step("x", le(0, x, EVERY, PLACES), Combine(), IDS),
        Step("y", le(0, _y, EVERY, PLACES), Combine(), ("s below 1",)),
        Step("y below 1", le(_y, 1, EVERY, PLACES), Combine()),
        Step("x below y", le(x, _y, EVERY, PLACES), Combine(), ("order",)),
        Step("first", le(x**i, _y**i, EVERY, PLACES), Power(i), ("x", "x below y")),
        Step("second", le(x**_j, _y**_j, EVERY, PLACES), Power(_j), ("x", "x below y")),
        Step("first below 1", le(_y**i, 1, EVERY, PLACES), Power(i), ("y", "y below 1")),
        Step("second below 1", le(_y**_j, 1, EVERY, PLACES), Power(_j), ("y", "y below 1")),
        Step("x second below 1", le(x**_j, 1, EVERY, PLACES), Combine(), ("second", "second below 1")),
        Step(
            "term",
            _TERM,
            Combine((("first", 1 - x**_j), ("second", 1 - _y**i))),
            ("first", "second", "first below 1", "x second below 1"),
        ),
        Step("sum", le(_products(_y), _products(x), EVERY), Summed((i,)), ("term",)),
        Step("T(t)", _SUM, Apply("sfl/L11-sum")),
        Step("T(s)", _SUM.at({t: s}), Apply("sfl/L11-sum", ((t, s),))),
        Step("all", _T_ORDER, Combine((("sum", 1), ("T(s)", 1), ("T(t)", -1))), ("sum", "T(s)", "T(t)")),
        Step("M", le(M * T(s), M * T(t)), Instance(((n, M - 1),)), ("all",)),
        Step("rises", _RISES, Combine((("M", 1 / M),)), ("M",)),
    ),
    place="Lemma 11",
)

# T from below -----------------------------------------------------------------------------------------------------

_BERNOULLI = le(1 - n * t, x**n, EVERY)
_BONFERRONI = le(n * t * (1 - (n - 1) * t / 2), 1 - x**n, EVERY)
BERNOULLI = Theorem(
    "sfl/L11-powers",
    _BONFERRONI,
    (BELOW_1,),
    (
        Step("base", le(1, 1), Combine()),
        Step("step", _after(_BERNOULLI), Combine((("assumed 1", x),)), IDS, assuming=(_plain(_BERNOULLI),)),
        Step("Bernoulli", _BERNOULLI, Induction(n), ("base", "step")),
        Step("base 2", _plain(_BONFERRONI).at({n: Integer(0)}), Combine()),
        Step(
            "step 2",
            _after(_BONFERRONI),
            Combine((("assumed 1", 1), ("Bernoulli", t))),
            ("Bernoulli",),
            assuming=(_plain(_BONFERRONI),),
        ),
        Step("powers", _BONFERRONI, Induction(n), ("base 2", "step 2")),
    ),
    place="Appendix D.3",
)

_Mt = le(M * t, 1)
_LOW_SUM = le(t**2 * n * (n + 1) * (n + 2) / 6 * (1 - (n - 1) * t / 2), _products(x), EVERY)
SHORT = Given("short", _Mt, "the round is short: the steps of all clients together")
_WITHIN = (i, 1, M - 1)
_a, _b = i * t * (1 - (i - 1) * t / 2), (M - i) * t * (1 - (M - i - 1) * t / 2)
_A, _B = 1 - x**i, 1 - x ** (M - i)
_PRODUCT = le(i * (M - i) * t**2 * (1 - (M - 2) * t / 2), _A * _B, _WITHIN)
_LOWER = le((M**2 - 1) * t**2 / 6 * (1 - (M - 2) * t / 2), T(t))
LOWER = Theorem(
    "sfl/L11-lower",
    _LOWER,
    (BELOW_1, SHORT),
    (
        Step("powers", _BONFERRONI, Apply("sfl/L11-powers"), IDS),
        Step("first", le(_a, _A, _WITHIN), Instance(((n, i),)), ("powers",)),
        Step("second", le(_b, _B, _WITHIN), Instance(((n, M - i),)), ("powers",)),
        Step("i small", le(0, 2 - (i - 1) * t, _WITHIN), Polynomial(), ("short",)),
        Step("M - i small", le(0, 2 - (M - i - 1) * t, _WITHIN), Polynomial(), ("short",)),
        Step("a", le(0, _a, _WITHIN), Combine((("i small", i * t / 2),)), ("i small",)),
        Step("b", le(0, _b, _WITHIN), Polynomial(), ("M - i small",)),
        Step("factor", le(0, _B, _WITHIN), Combine((("b", 1), ("second", 1))), ("b", "second")),
        Step("drop", le(i * (M - i) * t**2 * (1 - (M - 2) * t / 2), _a * _b, _WITHIN), Polynomial()),
        Step(
            "product",
            _PRODUCT,
            Combine((("drop", 1), ("first", _B), ("second", _a))),
            ("drop", "first", "second", "factor", "a"),
        ),
        Step("sum", le(_LOWER.left * M, Total(_A * _B, i, 1, M - 1)), Summed((i,)), ("product",)),
        Step("products", _SUM, Apply("sfl/L11-sum")),
        Step("T", eq(M * T(t), Total(_A * _B, i, 1, M - 1)), Instance(((n, M - 1),)), ("products",)),
        Step("lower", _LOWER, Combine((("sum", 1 / M), ("T", -1 / M))), ("sum", "T")),
    ),
    place="Appendix D.3",
    note="an equation at M = 2",
)
_STEP = 1 / (202 * M)
_LEAST, _ENOUGH = stated(bound("D3-T@sharpened"), T(_STEP))
LEAST = Theorem(
    "sfl/D3-T",
    _LEAST,
    _ENOUGH,
    (
        Step("below 1", le(_STEP, 1), Combine((("c1", 1 / (2 * M)),)), ("c1",)),
        Step("T", _LOWER.at({t: _STEP}), Apply("sfl/L11-lower", ((t, _STEP),)), ("below 1",)),
        Step("enough", le(_LEAST.left, _LOWER.left.subs(t, _STEP)), Polynomial(), ("c1",)),
        Step("least", _LEAST, Combine((("T", 1), ("enough", 1))), ("T", "enough")),
    ),
    claim="sfl/D3-T@sharpened",
    bound=bound("D3-T@sharpened"),
    place="Appendix D.3",
    note="the paper says some constant, from T > 0 at M <= 1211 and a limit",
)
_FAR, _HALF_UP = stated(bound("D3-h4@printed"), T(t))
_BEYOND = le(1 - 3 / M, T(t))
LATE = Given("half", le(1, 2 * t), "t is at least 1/2")
BEYOND = Theorem(
    "sfl/D3-far",
    _BEYOND,
    (BELOW_1, LATE),
    (
        Step("power", _POWER, Apply("sfl/L11-power"), IDS),
        Step("at M", le(0, x**M), Instance(((n, M),)), ("power",)),
        Step("factor", le(0, 1 + (2 - t) / (M * t)), Combine((("below 1", 1 / (M * t)),)), IDS),
        Step(
            "far",
            _BEYOND,
            Combine((("at M", 1 + (2 - t) / (M * t)), ("half", 2 / (M * t)))),
            ("at M", "factor", "half"),
            note="(2 - t)/t <= 3 for t >= 1/2",
        ),
    ),
    place="Appendix D.3",
)
FAR = Theorem(
    "sfl/D3-h4",
    _FAR,
    _HALF_UP,
    (Step("far", _FAR, Apply("sfl/D3-far"), ("c2", "c3")),),
    claim="sfl/D3-h4@printed",
    bound=bound("D3-h4@printed"),
    place="Appendix D.3",
    unused=("c1", "c4"),
)

# Constants --------------------------------------------------------------------------------------------------------

_FIRST = 405 * (1 - _STEP) ** M - 403
_NOISE, _AT = stated(bound("D3-first@printed"), _FIRST)
_ROUNDED, _AT_ROUNDED = stated(bound("D3-first@corrected"), _FIRST)
_AT_1212 = le(_ROUNDED.left, 405 * (1 - 1 / (202 * n)) ** n - 403, (n, 1212, 1212))
FIRST = Theorem(
    "sfl/D3-first",
    _AT_1212,
    (),
    (Step("at 1212", _AT_1212, Enumerate("M = 1212"), note="it is 3.88e-12"),),
    claim="sfl/D3-first@corrected",
    place="Appendix D.3",
    note="the number of Appendix D.3, for 1212 clients",
)
PRINTED = Theorem(
    "sfl/D3-first-printed",
    _NOISE,
    _AT,
    (
        Step(
            "1",
            _NOISE,
            Witness({M: 1212}),
            tuple(c.id for c in _AT),
            expected="REFUTED",
            note="1.3e-11 is rounding noise of double precision",
        ),
    ),
    "REFUTED",
    "sfl/D3-first@printed",
    "Appendix D.3",
    bound=bound("D3-first@printed"),
)

THEOREMS = (DERIVATIVE, POSITIVE_POWER, TAYLOR, SUM, RISES, BERNOULLI, LOWER, LEAST, BEYOND, FAR, FIRST, PRINTED)
