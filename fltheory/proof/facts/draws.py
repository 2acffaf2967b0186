"""Squares of sums: noise with mean zero given the past, and draws without replacement."""

from __future__ import annotations

from collections.abc import Callable

from sympy import Expr, Integer, Max, Symbol

from fltheory.proof import Given, by, eq, le, proof
from fltheory.proof.language import Theorem
from fltheory.proof.terms import Dot, Draw, E, Nonnegative, RandomVector, Total, family, square
from fltheory.symbols import n_clients as M
from fltheory.symbols import n_local_steps as K
from fltheory.symbols import n_participating as S
from fltheory.symbols import noise_std as sigma

i, j, n, k = (Symbol(name, integer=True, nonnegative=True) for name in "ijnk")
a, b = (Symbol(name, integer=True, positive=True) for name in "ab")
P = Symbol("P", integer=True, positive=True)
xi, past = family(RandomVector, "xi"), family(RandomVector, "past")

# Noise: E |sum of N martingale differences|^2 <= N sigma^2 ---------------------------------------------------------------



def _row(name: str, t: Symbol, low: int) -> Theorem:
    """Return the bound for the terms of one index t from ``low``."""
    steps = (t, low, P + low - 1)
    return (
        proof(name, note="squares of martingale differences add up")
        .where("sum", past(t), Total(xi(i), i, low, t - 1), "the noise of the steps before step t")
        .given("variance", le(E(square(xi(t))), sigma**2, steps), "what the mean square of each term is at most")
        .given("unbiased", eq(E(Dot(past(t), xi(t))), 0, steps), "noise has mean zero given the past")
        .step("0", le(E(square(past(low))), 0), by.linear(), inserting="sum", note="nothing has happened yet")
        .step("1", le(E(square(past(t + 1))), (t + 1 - low) * sigma**2, steps),
            by.linear({"assumed 1": 1, "unbiased": 2, "variance": 1}), inserting="sum",
            assuming=le(E(square(past(t))), (t - low) * sigma**2), note="one step more: the cross term vanishes")
        .qed(le(E(square(past(t))), (t - low) * sigma**2, (t, low, P + low)), by.induction(t, "0", "1"))
    )


t = Symbol("t", integer=True, positive=True)
ROW, ROW_FROM_1 = _row("facts/noise-row", n, 0), _row("facts/noise-row-from-1", t, 1)
_PAST = Total(Total(xi(i, j), j, 0, K - 1), i, 0, n - 1) + Total(xi(n, j), j, 0, k - 1)
_STEPS = ((n, 0, P - 1), (k, 0, K - 1))
_CLIENT = le(E(square(past(n, k))), E(square(past(n, 0))) + k * sigma**2, (n, 0, P - 1), (k, 0, K))
NOISE = (
    proof("facts/noise", note="squares of martingale differences add up, client by client")
    .where("sum", past(n, k), _PAST, "the noise of the steps before step k of the client in place n + 1")
    .given("variance", le(E(square(xi(n, k))), sigma**2, *_STEPS), "what the mean square of each term is at most")
    .given("unbiased", eq(E(Dot(past(n, k), xi(n, k))), 0, *_STEPS), "noise has mean zero given the past")
    .step("0", le(E(square(past(n, 0))), E(square(past(n, 0))), (n, 0, P - 1)), by.linear())
    .step("1", le(E(square(past(n, k + 1))), E(square(past(n, 0))) + (k + 1) * sigma**2, *_STEPS),
        by.linear({"assumed 1": 1, "unbiased": 2, "variance": 1}), inserting="sum",
        assuming=le(E(square(past(n, k))), E(square(past(n, 0))) + k * sigma**2),
        note="one step more: the cross term vanishes")
    .step("2", _CLIENT, by.induction(k, "0", "1"))
    .step("3", by.instance({k: K}, "2"))
    .step("4", le(E(square(past(0, 0))), 0), by.linear(), inserting="sum", note="nothing has happened yet")
    .step("5", le(E(square(past(n + 1, 0))), K * (n + 1) * sigma**2, (n, 0, P - 1)), by.linear("3"), inserting="sum",
        assuming=le(E(square(past(n, 0))), K * n * sigma**2), note="one client more")
    .step("6", le(E(square(past(n, 0))), K * n * sigma**2, (n, 0, P)), by.induction(n, "4", "5"))
    .qed(le(E(square(past(n, k))), (K * n + k) * sigma**2, (n, 0, P - 1), (k, 0, K)), by.linear({"2": 1, "6": 1}))
)

# Draws without replacement --------------------------------------------------------------------------------------------

V = family(Nonnegative, "V")()  # the mean square of the vectors
X = family(RandomVector, "X")


def drawn(place: Expr, vectors: Callable[[Expr], Expr] = X) -> Expr:
    """Return the vector of the client in a place counted from 0."""
    return vectors(Draw(place + 1, M))


def given(vectors: Callable[[Expr], Expr] = X, mean_square: Expr = V) -> tuple[Given, ...]:
    """Return the hypotheses of uniform draws without replacement from M vectors of mean 0 and a mean square."""
    pairs = Total(Total(E(Dot(vectors(a), vectors(b))), a, 1, M), b, 1, M) - Total(E(square(vectors(a))), a, 1, M)
    return (
        Given("centred", eq(Total(vectors(a), a, 1, M), 0), "the vectors add up to 0"),
        Given("spread", eq(Total(E(square(vectors(a))), a, 1, M), M * mean_square), "what their mean square is"),
        Given("one", eq(E(square(drawn(n, vectors))), Total(E(square(vectors(a))), a, 1, M) / M, (n, 0, M - 1)),
            "a uniform draw, independent of the vectors: each client is as likely"),
        Given("two",
            eq(E(Dot(drawn(i, vectors), drawn(n, vectors))), pairs / (M * (M - 1)), (n, 0, M - 1), (i, 0, n - 1)),
            "uniform draws without replacement: each pair of different clients is as likely"),
    )


def so_far(count: Expr) -> Expr:
    """Return the sum of the first vectors drawn."""
    return Total(drawn(i), i, 0, count - 1)


PAIR = (
    proof("facts/pair", unused=("one",), note="different draws are negatively correlated")
    .under(*given())
    .step("1", eq(Dot(Total(X(a), a, 1, M), Total(X(b), b, 1, M)), 0), by.linear(centred=Total(X(a), a, 1, M)),
        note="the squared sum vanishes")
    .step("2", eq(Total(Total(E(Dot(X(a), X(b))), a, 1, M), b, 1, M), 0), by.expectation("1"))
    .qed(eq(E(Dot(drawn(i), drawn(n))), -V / (M - 1), (n, 0, M - 1), (i, 0, n - 1)),
        by.linear({"two": 1, "2": 1 / (M * (M - 1)), "spread": -1 / (M * (M - 1))}))
)

SUM = (
    proof("facts/draws", note="the squared sum of n draws").under(*given())
    .given("several", le(2, M), "for one client there is no pair")
    .step("pair", by.apply(PAIR))
    .step("cross", eq(E(Dot(so_far(n), drawn(n))), -n * V / (M - 1), (n, 0, M - 1)), by.sum_over(i, "pair"))
    .step("0", eq(E(square(so_far(Integer(0)))), 0), by.linear())
    .step("1", eq(E(square(so_far(n + 1))), (n + 1 - (n + 1) * n / (M - 1)) * V, (n, 0, M - 1)),
        by.linear({"assumed 1": 1, "cross": 2, "one": 1, "spread": 1 / M}, "several"),
        assuming=eq(E(square(so_far(n))), (n - n * (n - 1) / (M - 1)) * V), note="one draw more")
    .qed(eq(E(square(so_far(n))), (n - n * (n - 1) / (M - 1)) * V, (n, 0, M)), by.induction(n, "0", "1"))
)

_SAMPLED = le(E(square(so_far(S))), S * (M - S) / Max(M - 1, 1) * V)
_ALL, _MORE = le(M, S), le(S, M - 1)
SAMPLED = (
    proof("facts/sampled", note="the squared sum of a sample without replacement")
    .under(*given())
    .given("few", le(S, M), "no more are drawn than there are")
    .step("two or more", le(2, M), by.linear(), assuming=_MORE)
    .step("more 1", by.apply(SUM), assuming=_MORE)
    .step("more 2", by.instance({n: S}, "more 1", "few"), assuming=_MORE)
    .step("max", eq(Max(M - 1, 1), M - 1), by.fact("max", Max(M - 1, 1)), assuming=_MORE)
    .step("more", _SAMPLED, by.linear({"more 2": 1}), inserting="max", assuming=_MORE, note="not all of them")
    .step("alike", eq(S, M), by.antisymmetry("few"), assuming=_ALL)
    .step("all 1", eq(Total(drawn(i), i, 0, M - 1), 0), by.linear({"centred": 1}), note="reordered")
    .step("all 2", eq(square(Total(drawn(i), i, 0, M - 1)), 0), by.linear({"all 1": Total(drawn(i), i, 0, M - 1)}))
    .step("all 3", by.expectation("all 2"))
    .step("all", _SAMPLED, by.linear({"all 3": 1}), inserting="alike", assuming=_ALL, note="all of them")
    .qed(_SAMPLED, by.cases("more", "all"), name="both")
)
