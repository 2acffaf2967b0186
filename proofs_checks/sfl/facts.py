"""Facts behind the upper bounds: U1, U2, Jensen, sums of squares, four terms, parts of sums, martingale noise."""

from __future__ import annotations

from sympy import Rational, Symbol, sqrt

from fltheory.papers.sfl.bounds import lemmas as formula
from fltheory.papers.sfl.letters import K, L, distance, divergence, mu
from fltheory.papers.sfl.letters import sigma as noise_std
from fltheory.proof.language import (
    Combine,
    Defines,
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
    stated,
)
from fltheory.proof.rules.axioms import Axiom
from fltheory.proof.terms import Dot, E, Fun, Grad, RandomVector, Scalar, Total, Val, Vector, family, square

x, y, z, a, b, c, d = (family(Vector, name)() for name in "xyzabcd")
h = family(Fun, "h")()
n, k, i, j, e, l = (Symbol(name, integer=True, nonnegative=True) for name in "nkijel")
p, q, r = (Symbol(name, integer=True, nonnegative=True) for name in "pqr")

HALF = Rational(1, 2)

# U1, U2: one function -------------------------------------------------------------------------------------------

_CURVED = Val(h, z) - Val(h, y) - Dot(Grad(h, x), z - y) + mu / 4 * square(y - z)
_U1, _ = stated(formula.U1, _CURVED, {distance: sqrt(square(z - x))})
U1 = Theorem(
    "sfl/U1",
    _U1,
    (Member("class", h, L, mu), Given("order", le(mu, L), "strong convexity is below smoothness")),
    (
        Step(
            "1",
            _U1,
            Gram((1, Axiom("convex", h, y, x)), (1, Axiom("descent", h, z, x))),
            ("class", "order"),
            note="strong convexity between x and y, smoothness between x and z; what is left are squares",
        ),
    ),
    claim="sfl/U1@explicit",
    place="proof of Theorem 3",
    bound=formula.U1,
    reading={distance: sqrt(square(z - x))},
)

_BREGMAN = Val(h, x) - Val(h, y) - Dot(Grad(h, y), x - y)
_U2, _ = stated(formula.U2, square(Grad(h, x) - Grad(h, y)), {divergence: _BREGMAN})
_LOWER = x - (Grad(h, x) - Grad(h, y)) / L
U2 = Theorem(
    "sfl/U2",
    _U2,
    (Member("class", h, L, 0),),
    (
        Step(
            "1",
            _U2,
            Gram((2 * L, Axiom("convex", h, _LOWER, y)), (2 * L, Axiom("descent", h, _LOWER, x))),
            ("class",),
            note="both at the point x - (F'(x) - F'(y))/L: the tangent at y below, the parabola at x above",
        ),
    ),
    claim="sfl/U2@explicit",
    place="proof of Theorem 3",
    bound=formula.U2,
    reading={divergence: _BREGMAN},
)

# Sums of vectors --------------------------------------------------------------------------------------------------

_FOUR = le(square(a + b + c + d), 4 * (square(a) + square(b) + square(c) + square(d)))
FOUR = Theorem("sfl/four", _FOUR, (), (Step("1", _FOUR, Gram(), note="four terms"),), place="proof of Theorem 3")

v, w = family(Vector, "v"), family(Vector, "w")
_ROWS, _ROW = ((n, 0, p - 1), (k, 0, q - 1)), (l, 0, r - 1)
_OTHER = ((i, 0, p - 1), (j, 0, q - 1))
_PARTS = Total(Total(v(n, k), k, 0, q - 1), n, 0, p - 1) + Total(w(l), l, 0, r - 1)
_SQUARES = Total(Total(square(v(n, k)), k, 0, q - 1), n, 0, p - 1) + Total(square(w(l)), l, 0, r - 1)
_JENSEN = le(square(_PARTS), (p * q + r) * _SQUARES)


def _zero_below(term, *over):
    for index, lo, hi in over:
        term = Total(term, index, lo, hi)
    return le(0, term)


JENSEN = Theorem(
    "sfl/jensen",
    _JENSEN,
    (),
    (
        Step("1", le(0, square(v(n, k) - v(i, j)), *_ROWS, *_OTHER), Gram(), note="differences have squares"),
        Step("2", _zero_below(square(v(n, k) - v(i, j)), *_ROWS, *_OTHER), Summed((n, k, i, j)), ("1",)),
        Step("3", le(0, square(v(n, k) - w(l)), *_ROWS, _ROW), Gram()),
        Step("4", _zero_below(square(v(n, k) - w(l)), *_ROWS, _ROW), Summed((n, k, l)), ("3",)),
        Step("5", le(0, square(w(l) - w(e)), _ROW, (e, 0, r - 1)), Gram()),
        Step("6", _zero_below(square(w(l) - w(e)), _ROW, (e, 0, r - 1)), Summed((l, e)), ("5",)),
        Step(
            "7",
            _JENSEN,
            Combine({"2": HALF, "4": 1, "6": HALF}),
            ("2", "4", "6"),
            note="the number of terms times the sum of squares, less the squared sum, is half of all squared differences",
        ),
    ),
    place="proof of Theorem 3",
    note="Jensen's inequality for a sum of p q + r vectors",
)

_SQUARE_SUM = _zero_below(square(v(n, k)), (k, 0, q - 1), (n, 0, p - 1))
SQUARE_SUM = Theorem(
    "sfl/squares",
    _SQUARE_SUM,
    (),
    (Step("1", le(0, square(v(n, k)), *_ROWS), Gram()), Step("2", _SQUARE_SUM, Summed((k, n)), ("1",))),
    place="proof of Theorem 3",
    note="a sum of squares is not negative",
)

s = family(Scalar, "s")


def _first(count):
    return Total(s(i), i, 0, count - 1)


_PART = le(_first(p), _first(p + q))
PART = Theorem(
    "sfl/part",
    _PART,
    (Given("terms", le(0, s(i), (i, 0, p + q - 1)), "no term is negative"),),
    (
        Step("0", le(_first(p), _first(p)), Combine(), note="nothing more"),
        Step("t", le(0, s(p + e), (e, 0, q - 1)), Instance({i: p + e}), ("terms",)),
        Step(
            "1",
            le(_first(p), _first(p + e + 1), (e, 0, q - 1)),
            Combine(),
            ("t",),
            assuming=(le(_first(p), _first(p + e)),),
            note="one term more",
        ),
        Step("2", le(_first(p), _first(p + e), (e, 0, q)), Induction(e), ("0", "1")),
        Step("3", _PART, Instance({e: q}), ("2",)),
    ),
    place="proof of Theorem 3",
    note="a part of a sum of numbers that are not negative",
)

# Noise: E |sum of N martingale differences|^2 <= N sigma^2 ---------------------------------------------------------

xi = family(RandomVector, "xi")
past = family(RandomVector, "past")
P, sigma = Symbol("P", integer=True, positive=True), noise_std
_PAST = Total(Total(xi(i, j), j, 0, K - 1), i, 0, n - 1) + Total(xi(n, j), j, 0, k - 1)
_STEPS = ((n, 0, P - 1), (k, 0, K - 1))
_NOISE = le(E(square(past(n, k))), (K * n + k) * sigma**2, (n, 0, P - 1), (k, 0, K))
_CLIENT = le(E(square(past(n, k))), E(square(past(n, 0))) + k * sigma**2, (n, 0, P - 1), (k, 0, K))
_WHOLE = le(E(square(past(n, 0))), K * n * sigma**2, (n, 0, P))
MARTINGALE = Theorem(
    "sfl/noise",
    _NOISE,
    (
        Defines("sum", past(n, k), _PAST, "the noise of the steps before step k of the client in place n + 1"),
        Given("variance", le(E(square(xi(n, k))), sigma**2, *_STEPS), "Assumption 2"),
        Given("unbiased", eq(E(Dot(past(n, k), xi(n, k))), 0, *_STEPS), "noise has mean zero given the past"),
    ),
    (
        Step("0", le(E(square(past(n, 0))), E(square(past(n, 0))), (n, 0, P - 1)), Combine()),
        Step(
            "1",
            le(E(square(past(n, k + 1))), E(square(past(n, 0))) + (k + 1) * sigma**2, *_STEPS),
            Combine({"assumed 1": 1, "unbiased": 2, "variance": 1}),
            ("unbiased", "variance"),
            ("sum",),
            (le(E(square(past(n, k))), E(square(past(n, 0))) + k * sigma**2),),
            note="one step more: the cross term vanishes",
        ),
        Step("2", _CLIENT, Induction(k), ("0", "1")),
        Step(
            "3",
            le(E(square(past(n, K))), E(square(past(n, 0))) + K * sigma**2, (n, 0, P - 1)),
            Instance({k: K}),
            ("2",),
        ),
        Step("4", le(E(square(past(0, 0))), 0), Combine(), (), ("sum",), note="nothing has happened yet"),
        Step(
            "5",
            le(E(square(past(n + 1, 0))), K * (n + 1) * sigma**2, (n, 0, P - 1)),
            Combine(),
            ("3",),
            ("sum",),
            (le(E(square(past(n, 0))), K * n * sigma**2),),
            note="one client more",
        ),
        Step("6", _WHOLE, Induction(n), ("4", "5")),
        Step("7", _NOISE, Combine({"2": 1, "6": 1}), ("2", "6")),
    ),
    place="proof of Theorem 3",
    note="squares of martingale differences add up",
)

THEOREMS = (U1, U2, FOUR, JENSEN, SQUARE_SUM, PART, MARTINGALE)
