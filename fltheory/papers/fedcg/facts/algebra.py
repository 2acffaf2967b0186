"""Short facts behind the theorems: recursions, powers, terms of sums, tails of random numbers."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Max, Symbol, exp

from fltheory.papers.fedcg.notation import T
from fltheory.proof import by, eq, le, proof
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
ONE = (
    proof("fedcg/one", PLACE, note="a term of a sum of numbers that are not negative")
    .given("terms", le(0, term(j), (j, 1, count)), "no term is negative")
    .step("before", le(0, term(j), EACH, (j, 1, i - 1)), by.linear("terms"))
    .step("sum", by.sum_over(j, "before"))
    .step("0", le(term(i), Total(term(j), j, 1, i), EACH), by.linear("sum"))
    .step("next", by.instance({j: i + c + 1}, "terms"), over=(EACH, (c, 0, count - i - 1)))
    .step(
        "1",
        le(term(i), Total(term(j), j, 1, i + c + 1), EACH, (c, 0, count - i - 1)),
        by.linear("next"),
        assuming=le(term(i), _SO_FAR),
    )
    .step("2", le(term(i), _SO_FAR, *_UP), by.induction(c, "0", "1"))
    .qed(le(term(i), Total(term(j), j, 1, count), EACH), by.instance({c: count - i}, "2"))
)

first, second = (Symbol(name, integer=True, positive=True) for name in ("n1", "n2"))
pair = family(Scalar, "pair")
SWAP = proof("fedcg/swap", PLACE, note="finite sums commute").qed(
    eq(Total(Total(pair(i, j), j, 1, second), i, 1, first), Total(Total(pair(i, j), i, 1, first), j, 1, second)),
    by.linear(),
)

SWAP_STEPS = proof("fedcg/swap-steps", PLACE, note="with one of them counted from 0").qed(
    eq(
        Total(Total(pair(t, j), j, 1, second), t, 0, first - 1), Total(Total(pair(t, j), t, 0, first - 1), j, 1, second)
    ),
    by.linear(),
)

# The recursion of Theorem 3.2 and its powers ------------------------------------------------------------------------------


def weighted(terms: Callable[..., Expr], rounds: Expr, factor: Expr = q) -> Expr:
    """Return the sum of the terms over the rounds, each times the factor to the power of the remaining rounds."""
    return Total(factor ** (rounds - 1 - t) * terms(t), t, 0, rounds - 1)


def _unrolled(rounds: Expr) -> Expr:
    return q**rounds * a(0) + weighted(b, rounds)


_RUN = (c, 0, T - 1)
_SHIFTED = eq(Total(q ** (c - t) * b(t), t, 0, c - 1), q * Total(q ** (c - 1 - t) * b(t), t, 0, c - 1), _RUN)
RECURSION = (
    proof("fedcg/recursion", "proof of Theorem 3.2", note="a(t + 1) <= q a(t) + b(t), unrolled")
    .given("round", le(a(t + 1), q * a(t) + b(t), (t, 0, T - 1)), "what a round guarantees")
    .step("now", by.instance({t: c}, "round"), over=_RUN)
    .step("weight", eq(q ** (c - t) * b(t), q * q ** (c - 1 - t) * b(t), _RUN, (t, 0, c - 1)), by.linear())
    .step("shift", _SHIFTED, by.sum_over(t, "weight"), note="one round more is left")
    .step("0", le(a(0), a(0)), by.linear())
    .step(
        "1",
        le(a(c + 1), _unrolled(c + 1), _RUN),
        by.linear("now", "shift"),
        assuming=le(a(c), _unrolled(c)),
        note="one round more",
    )
    .step("2", le(a(c), _unrolled(c), (c, 0, T)), by.induction(c, "0", "1"))
    .qed(le(a(T), _unrolled(T)), by.instance({c: T}, "2"))
)


def powers(rounds: Expr) -> Expr:
    """Return 1 + q + ... over the rounds."""
    return Total(q**t, t, 0, rounds - 1)


GEOMETRIC = (
    proof("fedcg/geometric", "proof of Theorem 3.2", note="the geometric sum")
    .step("0", eq((1 - q) * powers(Integer(0)), 0), by.linear())
    .step(
        "1",
        eq((1 - q) * powers(c + 1), 1 - q ** (c + 1), (c, 0, T - 1)),
        by.linear(),
        assuming=eq((1 - q) * powers(c), 1 - q**c),
    )
    .step("2", eq((1 - q) * powers(c), 1 - q**c, (c, 0, T)), by.induction(c, "0", "1"))
    .qed(eq((1 - q) * powers(T), 1 - q**T), by.instance({c: T}, "2"))
)
GEOMETRIC_LEFT = (
    proof("fedcg/geometric-left", "proof of Theorem 3.2", note="the same sum, the last round first")
    .step("0", eq((1 - q) * weighted(lambda now: Integer(1), Integer(0)), 0), by.linear())
    .step("weight", eq(q ** (c - t), q * q ** (c - 1 - t), _RUN, (t, 0, c - 1)), by.linear())
    .step(
        "shift",
        eq(Total(q ** (c - t), t, 0, c - 1), q * Total(q ** (c - 1 - t), t, 0, c - 1), _RUN),
        by.sum_over(t, "weight"),
    )
    .step(
        "1",
        eq((1 - q) * weighted(lambda now: Integer(1), c + 1), 1 - q ** (c + 1), _RUN),
        by.linear("shift"),
        assuming=eq((1 - q) * weighted(lambda now: Integer(1), c), 1 - q**c),
    )
    .step("2", eq((1 - q) * weighted(lambda now: Integer(1), c), 1 - q**c, (c, 0, T)), by.induction(c, "0", "1"))
    .qed(eq((1 - q) * weighted(lambda now: Integer(1), T), 1 - q**T), by.instance({c: T}, "2"))
)
AT_MOST_ONE = (
    proof("fedcg/power", "proof of Theorem 3.2", note="no weight is above 1")
    .given("low", le(q, 1), "as the step is not negative")
    .step("sign", le(0, q), by.linear())
    .qed(le(q**c, 1), by.power(c, "sign", "low"))
)
POWER_SIGN = proof("fedcg/power-low", "proof of Theorem 3.2", note="nor below 0").qed(le(0, q**c), by.linear())
_BERNOULLI = le(1 - c * (1 - q), q**c)
BERNOULLI = (
    proof(
        "fedcg/bernoulli",
        "proof of Theorem 3.2",
        note="Bernoulli's inequality: a geometric sum is at most its number of terms",
    )
    .given("low", le(q, 1), "as the step is not negative")
    .step("0", le(1, 1), by.linear())
    .step("small", by.apply(AT_MOST_ONE), over=_RUN)
    .step("1", le(1 - (c + 1) * (1 - q), q ** (c + 1), _RUN), by.linear("small", "low"), assuming=_BERNOULLI)
    .step("2", le(1 - c * (1 - q), q**c, (c, 0, T)), by.induction(c, "0", "1"))
    .qed(le(1 - T * (1 - q), q**T), by.instance({c: T}, "2"))
)
P8 = (
    proof(
        "fedcg/P8",
        "Section 2",
        of="fedcg/P8@printed",
        note="at the step 1/T the factor of the optimum is at least 1 - 1/e, for every T",
    )
    .step("sign", le(0, 1 - 1 / T), by.linear())
    .step("tangent", by.fact("exp", -1 / T))
    .step("power", by.power(T, "sign", "tangent"))
    .qed(le(1 - exp(-1), 1 - (1 - 1 / T) ** T), by.linear("power"))
)

X = Symbol("X", real=True)
SQUARE = proof("fedcg/square", PLACE, note="no square is negative").qed(le(0, X**2), by.linear())

X2 = Symbol("X2", real=True)
GROWS = (
    proof("fedcg/exp", PLACE, note="exp grows")
    .given("order", le(X, X2), "two numbers")
    .step("1", by.fact("exp", X2 - X))
    .qed(le(exp(X), exp(X2)), by.linear("1", "order"))
)

# Coordinates ---------------------------------------------------------------------------------------------------------------

_PART = le(Max(0, P - Q), P)
PART = (
    proof("fedcg/part", "Lemma A.1", note="d = (w - x) v 0 <= w in each coordinate, as x >= 0")
    .step("a", eq(Max(0, P - Q), P - Q), by.fact("max", Max(0, P - Q)), assuming=le(Q, P))
    .step("1", _PART, by.linear("a"), assuming=le(Q, P))
    .step("b", eq(Max(0, P - Q), 0), by.fact("max", Max(0, P - Q)), assuming=le(P, Q))
    .step("2", _PART, by.linear("b"), assuming=le(P, Q))
    .qed(_PART, by.cases("1", "2"))
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
