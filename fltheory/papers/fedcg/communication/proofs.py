"""Communication in bits and the number of loops of Algorithm 2: counts from the definition of the runs, with bounds.

``choose(k)`` is the number of sets of k of the n items, C(n, k). To distinguish N things takes ceil(log2 N) bits.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, Min, Symbol, binomial, exp, floor, log

from fltheory.papers.fedcg.notation import K, N, T, n, r, tau
from fltheory.proof import Given, Relation, Step, Theorem, by, eq, le, line, lt, proof, statement_of
from fltheory.proof.terms import Positive, family
from fltheory.verification import find

BITS = "Theorem 3.2, bits"
LOCAL_BITS = "Theorem 4.3, bits"
TWO = log(2)


def bits(choices: Expr) -> Expr:
    """Return ceil(log2 choices), the bits that distinguish so many choices."""
    return -floor(-log(choices) / TWO)


def rounded(name: str, choices: Expr, *uses: str) -> Step:
    """Prove that it exceeds the logarithm by less than 1."""
    at = -log(choices) / TWO
    return line(name, lt(at, floor(at) + 1), by.fact("floor", at, *uses))


def _claimed(claim: str, quantity: Expr) -> tuple[Relation, dict[str, Any]]:
    bound = find(f"fedcg/{claim}").bound
    return statement_of(bound, quantity)[0], {"of": f"fedcg/{claim}", "bound": bound}


# Sums under masks: n numbers, each from 0 to the largest sum ------------------------------------------------------------


def masked(name: str, place: str, claim: str, largest: Expr, messages: Expr, note: str) -> Theorem:
    """Count the bits of so many messages, each of n numbers from 0 to ``largest``."""
    statement, tied = _claimed(claim, messages * n * bits(largest + 1))
    return (
        proof(f"fedcg/{name}", place, note=note, **tied)
        .steps(rounded("up", largest + 1))
        .qed(statement, by.linear("up"))
    )


MASKED = (
    masked("T3.2-bits-masked", BITS, "T3.2-bits-masked@corrected", K, 1,
        "every item's number of bases, from 0 to K, in ceil(log2(K + 1)) bits"),
    masked("T4.3-bits-masked", LOCAL_BITS, "T4.3-bits-masked@explicit", K * tau, 1,
        "every item's number of bases, from 0 to K tau, in ceil(log2(K tau + 1)) bits"),
    masked("D.4-bits", "Remark D.4", "D.4-bits@explicit", N, r * N,
        "N clients in k rounds: every group's number of members, from 0 to N, in ceil(log2(N + 1)) bits"),
)

# A base in the clear: its number among all sets of r items -----------------------------------------------------------------

c = Symbol("c", integer=True, nonnegative=True)
choose = family(Positive, "choose")
BASE = bits(binomial(n, r))
SETS = (
    Given("empty", eq(choose(0), 1), "C(n, 0) = 1"),
    Given("next", eq((c + 1) * choose(c + 1), (n - c) * choose(c), (c, 0, r - 1)),
        "C(n, c + 1): a set of c items with one of the n - c others, found c + 1 times"),
)
IDS = tuple(h.id for h in SETS)
NUMBER = Given("number", eq(binomial(n, r), choose(r)),
    "C(n, r), by this recurrence; positive, as a base has r <= n items")
POWER = (
    proof("fedcg/choose-power", BITS, note="C(n, r) <= n^r, and so its logarithm is at most r log n").under(*SETS)
    .step("0", le(choose(0), exp(0 * log(n))), by.linear("empty"))
    .step("1", le(choose(c + 1), exp((c + 1) * log(n)), (c, 0, r - 1)), by.linear("next"),
        assuming=le(choose(c), exp(c * log(n))))
    .step("2", le(choose(c), exp(c * log(n)), (c, 0, r)), by.induction(c, "0", "1"))
    .step("all", by.instance({c: r}, "2"))
    .step("tangent", by.fact("exp", log(choose(r)) - r * log(n)))
    .qed(le(log(choose(r)), r * log(n)), by.linear("tangent", "all"))
)
k = Symbol("k", integer=True, positive=True)


def _stronger(size: Expr) -> Expr:
    """(e n/k)^k."""
    return exp(size + size * log(n) - size * log(size))


_SPARE = 1 + k * log(k) - k * log(k + 1)
_LATER = (k, 1, r - 1)
E_POWER = (
    proof("fedcg/e-power", BITS, note="(1 + 1/k)^k <= e")
    .step("log", by.fact("exp", log(k + 1) - log(k)))
    .step("tangent", by.fact("exp", _SPARE))
    .qed(le(1, exp(_SPARE)), by.linear("tangent", "log"))
)
STRONGER = (
    proof("fedcg/choose-stronger", BITS, note="C(n, r) <= (e n/r)^r, in logarithms").under(*SETS)
    .step("first", by.instance({c: 0}, "next"))
    .step("e", by.fact("exp", 1))
    .step("0", le(choose(1), _stronger(Integer(1))), by.linear("first", "empty", "e"))
    .step("next k", by.instance({c: k}, "next"), over=_LATER)
    .step("spare", by.apply(E_POWER), over=_LATER)
    .step("1", le(choose(k + 1), _stronger(k + 1), _LATER), by.linear("next k", "spare"),
        assuming=le(choose(k), _stronger(k)))
    .step("2", le(choose(k), _stronger(k), (k, 1, r)), by.induction(k, "0", "1"))
    .step("all", by.instance({k: r}, "2"))
    .step("tangent r", by.fact("exp", log(choose(r)) - r - r * log(n) + r * log(r)))
    .qed(le(log(choose(r)), r * log(exp(1) * n / r)), by.linear("tangent r", "all"))
)


def in_the_clear(claim: str, times: Expr, lemma: str, note: str) -> Theorem:
    """Count the bits of so many bases, each of which takes ceil(log2 C(n, r)) bits."""
    statement, tied = _claimed(claim, times * BASE)
    most = POWER if lemma == "power" else STRONGER
    name = claim if claim.endswith("@strengthened") else claim.split("@")[0]
    return (
        proof(f"fedcg/{name}", BITS if "T3.2" in claim else "Theorem 3.5, bits", note=note, **tied).under(*SETS, NUMBER)
        .steps(line("some", lt(0, binomial(n, r)), by.linear(), inserting="number"))
        .step("choose", most.statement, by.apply(f"fedcg/choose-{lemma}", *IDS))
        .step("most", le(log(binomial(n, r)), most.statement.right), by.linear("choose", "some"), inserting="number")
        .steps(rounded("up", binomial(n, r), "some"))
        .qed(statement, by.linear("up", "most", "some"))
    )


ONE = "a base is told by its number among all sets of r items"
CLEAR = (
    in_the_clear("T3.2-bits@explicit", Integer(1), "power", ONE),
    in_the_clear("T3.2-bits@strengthened", Integer(1), "stronger", ONE),
    in_the_clear("T3.2-total@explicit", N * T, "power", "each of N clients sends a base in each of T rounds"),
    in_the_clear("T3.5-total@explicit", K * T, "power", "each of K drawn clients sends a base in each of T rounds"),
)

# Sums of bases in the clear ---------------------------------------------------------------------------------------------------

P, Q = (Symbol(name, real=True) for name in "PQ")
LESS = (
    proof("fedcg/min-first", LOCAL_BITS, note="the smaller of two numbers is at most the first")
    .step("a", eq(Min(P, Q), P), by.fact("min", Min(P, Q)), assuming=le(P, Q))
    .step("1", le(Min(P, Q), P), by.linear("a"), assuming=le(P, Q))
    .step("b", eq(Min(P, Q), Q), by.fact("min", Min(P, Q)), assuming=le(Q, P))
    .step("2", le(Min(P, Q), P), by.linear("b"), assuming=le(Q, P))
    .qed(le(Min(P, Q), P), by.cases("1", "2"))
)
_NUMBERS, _SETS_BITS = n * bits(tau + 1), bits(choose(r))


def local(claim: str, times: Expr, note: str) -> Theorem:
    """Count so many sums of tau bases: n numbers from 0 to tau, or the bases themselves if these take fewer bits."""
    statement, tied = _claimed(claim, times * Min(_NUMBERS, tau * _SETS_BITS))
    return (
        proof(f"fedcg/{claim.split('@')[0]}", LOCAL_BITS, unused=IDS, note=note, **tied).under(*SETS)
        .step("smaller", by.apply(LESS, {P: _NUMBERS, Q: tau * _SETS_BITS}))
        .steps(rounded("up", tau + 1))
        .qed(statement, by.linear("smaller", "up"))
    )


LOCAL = (
    local("T4.3-bits@explicit", Integer(1), "a number from 0 to tau for each item takes ceil(log2(tau + 1)) bits"),
    local("T4.3-total@explicit", K * T, "each of K drawn clients sends such a sum in each round"),
)

# The number of loops of Algorithm 2 -----------------------------------------------------------------------------------

LAST = T * tau - tau
TURNS = floor(LAST / tau) + 1


def loop(name: str, side: str) -> Theorem:
    """Count the local steps if t = 0, tau, 2 tau, ... ends at the last multiple of tau up to T tau - tau, tau each."""
    bound = next(b for b in find("fedcg/Alg2-loop@corrected").bounds if b.side == side)
    start = proof(f"fedcg/{name}", "Algorithm 2", of="fedcg/Alg2-loop@corrected", bound=bound,
        note=f"t ends at tau times the rounds less tau: {'no more' if side == 'upper' else 'no fewer'} than tau times the rounds")
    if side == "upper":
        chain = start.step("whole", le(floor(LAST / tau), LAST / tau), by.fact("floor", LAST / tau))
    else:
        chain = start.step("whole", le(T - 1, floor(LAST / tau)), by.fact("floor", LAST / tau))
    return chain.qed(statement_of(bound, TURNS * tau)[0], by.linear("whole"))


LOOP = (loop("Alg2-loop", "upper"), loop("Alg2-loop-least", "lower"))

THEOREMS = (*MASKED, POWER, E_POWER, STRONGER, *CLEAR, LESS, *LOCAL, *LOOP)
