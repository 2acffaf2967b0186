"""Facts of one line or two behind the theorems: recursions, powers, terms of sums, the tails of random numbers."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Max, Symbol, exp

from fltheory.papers.fedcg.letters import T
from fltheory.proof.language import (
    Apply,
    Cases,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Power,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Scalar, Total, family

i, j = (Symbol(name, integer=True, positive=True) for name in "ij")
t, c = (Symbol(name, integer=True, nonnegative=True) for name in "tc")
count = Symbol("count", integer=True, positive=True)
q, P, Q = (Symbol(name, nonnegative=True) for name in ("q", "P", "Q"))
a, b, term = (family(Scalar, name) for name in ("a", "b", "term"))
PLACE = "Appendix A"

# A term of a sum ------------------------------------------------------------------------------------------------------

EACH = (i, 1, count)
_SO_FAR, _UP = Total(term(j), j, 1, i + c), ((i, 1, count), (c, 0, count - i))
_ONE = le(term(i), Total(term(j), j, 1, count), EACH)
ONE = Theorem(
    "fedcg/one",
    _ONE,
    (Given("terms", le(0, term(j), (j, 1, count)), "no term is negative"),),
    (
        Step("before", le(0, term(j), EACH, (j, 1, i - 1)), Combine({"terms": 1}), ("terms",)),
        Step("sum", le(0, Total(term(j), j, 1, i - 1), EACH), Summed((j,)), ("before",)),
        Step("0", le(term(i), Total(term(j), j, 1, i), EACH), Combine(), ("sum",)),
        Step("next", le(0, term(i + c + 1), EACH, (c, 0, count - i - 1)), Instance({j: i + c + 1}), ("terms",)),
        Step(
            "1",
            le(term(i), Total(term(j), j, 1, i + c + 1), EACH, (c, 0, count - i - 1)),
            Combine(),
            ("next",),
            assuming=(le(term(i), _SO_FAR),),
        ),
        Step("2", le(term(i), _SO_FAR, *_UP), Induction(c), ("0", "1")),
        Step("3", _ONE, Instance({c: count - i}), ("2",)),
    ),
    place=PLACE,
    note="a term of a sum of numbers that are not negative",
)

first, second = (Symbol(name, integer=True, positive=True) for name in ("n1", "n2"))
pair = family(Scalar, "pair")
_SWAP = eq(Total(Total(pair(i, j), j, 1, second), i, 1, first), Total(Total(pair(i, j), i, 1, first), j, 1, second))
SWAP = Theorem("fedcg/swap", _SWAP, (), (Step("1", _SWAP, Combine()),), place=PLACE, note="finite sums commute")

_SWAP_STEPS = eq(
    Total(Total(pair(t, j), j, 1, second), t, 0, first - 1), Total(Total(pair(t, j), t, 0, first - 1), j, 1, second)
)
SWAP_STEPS = Theorem(
    "fedcg/swap-steps",
    _SWAP_STEPS,
    (),
    (Step("1", _SWAP_STEPS, Combine()),),
    place=PLACE,
    note="with one of them counted from 0",
)

# The recursion of Theorem 3.2 and its powers ------------------------------------------------------------------------------


def weighted(terms: Any, rounds: Any, factor: Any = q) -> Expr:
    """The sum over the rounds of terms, each weighted with the factor to the number of rounds left."""
    return Total(factor ** (rounds - 1 - t) * terms(t), t, 0, rounds - 1)


def _unrolled(rounds: Any) -> Expr:
    return q**rounds * a(0) + weighted(b, rounds)


_RECURSION = le(a(T), _unrolled(T))
_RUN = (c, 0, T - 1)
_SHIFTED = eq(Total(q ** (c - t) * b(t), t, 0, c - 1), q * Total(q ** (c - 1 - t) * b(t), t, 0, c - 1), _RUN)
RECURSION = Theorem(
    "fedcg/recursion",
    _RECURSION,
    (Given("round", le(a(t + 1), q * a(t) + b(t), (t, 0, T - 1)), "what a round guarantees"),),
    (
        Step("now", le(a(c + 1), q * a(c) + b(c), _RUN), Instance({t: c}), ("round",)),
        Step("weight", eq(q ** (c - t) * b(t), q * q ** (c - 1 - t) * b(t), _RUN, (t, 0, c - 1)), Combine()),
        Step("shift", _SHIFTED, Summed((t,)), ("weight",), note="one round more is left"),
        Step("0", le(a(0), a(0)), Combine()),
        Step(
            "1",
            le(a(c + 1), _unrolled(c + 1), _RUN),
            Combine({"assumed 1": q, "now": 1, "shift": -1}),
            ("now", "shift"),
            assuming=(le(a(c), _unrolled(c)),),
            note="one round more",
        ),
        Step("2", le(a(c), _unrolled(c), (c, 0, T)), Induction(c), ("0", "1")),
        Step("3", _RECURSION, Instance({c: T}), ("2",)),
    ),
    place="proof of Theorem 3.2",
    note="a(t + 1) <= q a(t) + b(t), unrolled",
)


def powers(rounds: Any) -> Expr:
    """1 + q + ... over the rounds."""
    return Total(q**t, t, 0, rounds - 1)


_GEOMETRIC = eq((1 - q) * powers(T), 1 - q**T)
GEOMETRIC = Theorem(
    "fedcg/geometric",
    _GEOMETRIC,
    (),
    (
        Step("0", eq((1 - q) * powers(Integer(0)), 0), Combine()),
        Step(
            "1",
            eq((1 - q) * powers(c + 1), 1 - q ** (c + 1), (c, 0, T - 1)),
            Combine({"assumed 1": 1}),
            assuming=(eq((1 - q) * powers(c), 1 - q**c),),
        ),
        Step("2", eq((1 - q) * powers(c), 1 - q**c, (c, 0, T)), Induction(c), ("0", "1")),
        Step("3", _GEOMETRIC, Instance({c: T}), ("2",)),
    ),
    place="proof of Theorem 3.2",
    note="the geometric sum",
)
_LEFT = eq((1 - q) * weighted(lambda now: Integer(1), T), 1 - q**T)
GEOMETRIC_LEFT = Theorem(
    "fedcg/geometric-left",
    _LEFT,
    (),
    (
        Step("0", eq((1 - q) * weighted(lambda now: Integer(1), Integer(0)), 0), Combine()),
        Step("weight", eq(q ** (c - t), q * q ** (c - 1 - t), _RUN, (t, 0, c - 1)), Combine()),
        Step(
            "shift",
            eq(Total(q ** (c - t), t, 0, c - 1), q * Total(q ** (c - 1 - t), t, 0, c - 1), _RUN),
            Summed((t,)),
            ("weight",),
        ),
        Step(
            "1",
            eq((1 - q) * weighted(lambda now: Integer(1), c + 1), 1 - q ** (c + 1), _RUN),
            Combine({"assumed 1": q, "shift": 1 - q}),
            ("shift",),
            assuming=(eq((1 - q) * weighted(lambda now: Integer(1), c), 1 - q**c),),
        ),
        Step("2", eq((1 - q) * weighted(lambda now: Integer(1), c), 1 - q**c, (c, 0, T)), Induction(c), ("0", "1")),
        Step("3", _LEFT, Instance({c: T}), ("2",)),
    ),
    place="proof of Theorem 3.2",
    note="the same sum, the last round first",
)
_AT_MOST_ONE = le(q**c, 1)
AT_MOST_ONE = Theorem(
    "fedcg/power",
    _AT_MOST_ONE,
    (Given("low", le(q, 1), "as the step is not negative"),),
    (Step("sign", le(0, q), Combine()), Step("1", le(q**c, Integer(1) ** c), Power(c), ("sign", "low"))),
    place="proof of Theorem 3.2",
    note="no weight is above 1",
)
_POWER_SIGN = le(0, q**c)
POWER_SIGN = Theorem(
    "fedcg/power-low",
    _POWER_SIGN,
    (),
    (Step("1", _POWER_SIGN, Combine()),),
    place="proof of Theorem 3.2",
    note="nor below 0",
)
_BERNOULLI = le(1 - c * (1 - q), q**c)
BERNOULLI = Theorem(
    "fedcg/bernoulli",
    le(1 - T * (1 - q), q**T),
    (Given("low", le(q, 1), "as the step is not negative"),),
    (
        Step("0", le(1, 1), Combine()),
        Step("small", le(q**c, 1, _RUN), Apply("fedcg/power"), ("low",)),
        Step(
            "1",
            le(1 - (c + 1) * (1 - q), q ** (c + 1), _RUN),
            Combine({"assumed 1": 1, "small": 1 - q}),
            ("small", "low"),
            assuming=(_BERNOULLI,),
        ),
        Step("2", le(1 - c * (1 - q), q**c, (c, 0, T)), Induction(c), ("0", "1")),
        Step("3", le(1 - T * (1 - q), q**T), Instance({c: T}), ("2",)),
    ),
    place="proof of Theorem 3.2",
    note="Bernoulli's inequality: a geometric sum is at most its number of terms",
)
_P8 = le(1 - exp(-1), 1 - (1 - 1 / T) ** T)
P8 = Theorem(
    "fedcg/P8",
    _P8,
    (),
    (
        Step("sign", le(0, 1 - 1 / T), Combine()),
        Step("tangent", le(1 - 1 / T, exp(-1 / T)), Known("exp", -1 / T)),
        Step("power", le((1 - 1 / T) ** T, exp(-1)), Power(T), ("sign", "tangent")),
        Step("1", _P8, Combine({"power": 1}), ("power",)),
    ),
    claim="fedcg/P8@printed",
    place="Section 2",
    note="at the step 1/T the factor of the optimum is at least 1 - 1/e, for every T",
)

X = Symbol("X", real=True)
_SQUARE = le(0, X**2)
SQUARE = Theorem(
    "fedcg/square", _SQUARE, (), (Step("1", _SQUARE, Combine()),), place=PLACE, note="no square is negative"
)

X2 = Symbol("X2", real=True)
_GROWS = le(exp(X), exp(X2))
GROWS = Theorem(
    "fedcg/exp",
    _GROWS,
    (Given("order", le(X, X2), "two numbers"),),
    (
        Step("1", le(1 + X2 - X, exp(X2 - X)), Known("exp", X2 - X)),
        Step("2", _GROWS, Combine({"1": exp(X), "order": exp(X)}), ("1", "order")),
    ),
    place=PLACE,
    note="exp grows",
)

# Coordinates ---------------------------------------------------------------------------------------------------------------

_PART = le(Max(0, P - Q), P)
PART = Theorem(
    "fedcg/part",
    _PART,
    (),
    (
        Step("a", eq(Max(0, P - Q), P - Q), Known("max", Max(0, P - Q)), assuming=(le(Q, P),)),
        Step("1", _PART, Combine({"a": 1}), ("a",), assuming=(le(Q, P),)),
        Step("b", eq(Max(0, P - Q), 0), Known("max", Max(0, P - Q)), assuming=(le(P, Q),)),
        Step("2", _PART, Combine({"b": 1}), ("b",), assuming=(le(P, Q),)),
        Step("3", _PART, Cases(), ("1", "2")),
    ),
    place="Lemma A.1",
    note="d = (w - x) v 0 <= w in each coordinate, as x >= 0",
)

THEOREMS = (
    ONE,
    SWAP,
    SWAP_STEPS,
    RECURSION,
    GEOMETRIC,
    GEOMETRIC_LEFT,
    AT_MOST_ONE,
    POWER_SIGN,
    BERNOULLI,
    P8,
    SQUARE,
    GROWS,
    PART,
)
