"""Facts behind the regret bounds: sums, logarithms, Hoeffding's lemma, the roots of the rounds.

What another paper's proofs have already is taken over under this paper's key, step by step: it is checked here again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Expr, Rational, Symbol, exp, log, sqrt

from fltheory.papers.aaggff.letters import C1, C2, K, T
from fltheory.proof.language import (
    Apply,
    Combine,
    Given,
    Induction,
    Instance,
    Known,
    Polynomial,
    Step,
    Summed,
    Theorem,
    eq,
    le,
)
from fltheory.proof.terms import Scalar, Total, family
from proofs_checks.osmd import facts as osmd_facts
from proofs_checks.osmd import lemmas as osmd_lemmas
from proofs_checks.osmd import mirror as osmd_mirror
from proofs_checks.osmd import paths as osmd_paths

i, j, t, s = osmd_lemmas.m, osmd_lemmas.j, osmd_facts.t, Symbol("s", integer=True, positive=True)  # clients and rounds
n = Symbol("n", integer=True, nonnegative=True)
EACH, ROUNDS = (i, 1, K), (t, 1, T)
a, b = (Symbol(name, positive=True) for name in "ab")
P, Q = osmd_lemmas.P, osmd_lemmas.Q


def ours(theorem: Theorem) -> Theorem:
    """The theorem under this paper's key, and so the ones that it applies; what it claims is the other paper's."""
    steps = tuple(
        replace(step, rule=replace(step.rule, theorem=named(step.rule.theorem)))
        if isinstance(step.rule, Apply)
        else step
        for step in theorem.steps
    )
    return replace(theorem, id=named(theorem.id), steps=steps, claim="")


def named(name: str) -> str:
    """The id under this paper's key."""
    return f"aaggff/{name.split('/')[1]}"


def whole(term: Any) -> Expr:
    """The sum over the clients of a term in the index j."""
    return Total(term, j, 1, K)


TAKEN_OVER = tuple(
    ours(theorem)
    for theorem in (
        osmd_lemmas.ONE,
        osmd_lemmas.TANGENT,
        osmd_lemmas.GROWS,
        osmd_lemmas.BACK,
        osmd_lemmas.SAME,
        osmd_lemmas.HIGH,
        osmd_lemmas.SQUARE,
        osmd_lemmas.TWO_POINTS,
        osmd_lemmas.CHORD,
        osmd_lemmas.HOEFFDING_WIDE,
        osmd_lemmas.L18,
        osmd_mirror.GIBBS,
        osmd_mirror.LOSS,
        osmd_paths.GAP,
        osmd_paths.POSITIVE,
        osmd_facts.SIGN,
        osmd_facts.TELESCOPE,
    )
)

# What rounds add, exactly ---------------------------------------------------------------------------------------------

d, rise = family(Scalar, "d"), family(Scalar, "s")
N = osmd_facts.N
_SO_FAR = eq(d(n + 1), d(1) + Total(rise(t), t, 1, n), (n, 0, N))
_SUM = eq(d(N + 1), d(1) + Total(rise(t), t, 1, N))
TELESCOPED = Theorem(
    "aaggff/telescoped",
    _SUM,
    (Given("step", eq(d(t + 1), d(t) + rise(t), (t, 1, N)), "what one round adds"),),
    (
        Step("0", eq(d(1), d(1)), Combine()),
        Step("next", eq(d(n + 2), d(n + 1) + rise(n + 1), (n, 0, N - 1)), Instance({t: n + 1}), ("step",)),
        Step(
            "1",
            eq(d(n + 2), d(1) + Total(rise(t), t, 1, n + 1), (n, 0, N - 1)),
            Combine(),
            ("next",),
            (),
            (eq(d(n + 1), d(1) + Total(rise(t), t, 1, n)),),
            note="one round more",
        ),
        Step("2", _SO_FAR, Induction(n), ("0", "1")),
        Step("3", _SUM, Instance({n: N}), ("2",)),
    ),
    place="Lemma A.4",
    note="what all rounds add",
)

first, second = (Symbol(name, integer=True, positive=True) for name in ("n1", "n2"))
pair = family(Scalar, "pair")
_SWAP = eq(Total(Total(pair(t, j), j, 1, second), t, 1, first), Total(Total(pair(t, j), t, 1, first), j, 1, second))
SWAP = Theorem("aaggff/swap", _SWAP, (), (Step("1", _SWAP, Combine()),), place="(5)", note="finite sums commute")


def swapped(name: str, term: Any) -> Step:
    """Sums over rounds and clients commute, of a term in t and j."""
    claim = eq(Total(Total(term, j, 1, K), t, 1, T), Total(Total(term, t, 1, T), j, 1, K))
    return Step(name, claim, Apply("aaggff/swap", {pair(t, j): term, first: T, second: K}))


# Averages -------------------------------------------------------------------------------------------------------------

w, u = osmd_lemmas.w, osmd_lemmas.u
WEIGHTS = Given("weights", eq(whole(w(j)), 1), "a distribution")
LOWER = Given("low", le(C1, u(i), EACH), "numbers in a range")
UPPER = Given("high", le(u(i), C2, EACH), "numbers in a range")
_LEAST, _MOST = le(C1, whole(w(j) * u(j))), le(whole(w(j) * u(j)), C2)
AVERAGE_LOW = Theorem(
    "aaggff/average-low",
    _LEAST,
    (WEIGHTS, LOWER),
    (
        Step("1", le(C1 * whole(w(j)), whole(w(j) * u(j))), Summed((i,), w(i)), ("low",)),
        Step("2", _LEAST, Combine({"1": 1, "weights": -C1}), ("1", "weights")),
    ),
    place="Lemma 4.1",
    note="no average of responses is below their range",
)
AVERAGE_HIGH = Theorem(
    "aaggff/average-high",
    _MOST,
    (WEIGHTS, UPPER),
    (
        Step("1", le(whole(w(j) * u(j)), C2 * whole(w(j))), Summed((i,), w(i)), ("high",)),
        Step("2", _MOST, Combine({"1": 1, "weights": C2}), ("1", "weights")),
    ),
    place="Lemma 4.1",
    note="nor above it",
)

# Logarithms -----------------------------------------------------------------------------------------------------------

_QUOTIENT = eq(log(a / b), log(a) - log(b))
QUOTIENT = Theorem(
    "aaggff/log-quotient",
    _QUOTIENT,
    (),
    (Step("1", _QUOTIENT, Apply("aaggff/log-equal", {P: log(a / b), Q: log(a) - log(b)})),),
    place="(4)",
    note="the logarithm of a quotient: both have the same exponential",
)
c = Symbol("c", positive=True)
_OF = eq(log(c), log(a) - log(b))
LOG_OF = Theorem(
    "aaggff/log-of-quotient",
    _OF,
    (Given("quotient", eq(c, a / b), "a number that is a quotient"),),
    (
        Step("1", eq(exp(log(c)), exp(log(a) - log(b))), Combine({"quotient": 1}), ("quotient",)),
        Step("2", _OF, Apply("aaggff/log-equal", {P: log(c), Q: log(a) - log(b)}), ("1",)),
    ),
    place="(4)",
    note="the same for what is equal to a quotient",
)
_SLOPE = le(log(a) - log(b), (a - b) / b)
SLOPE = Theorem(
    "aaggff/log-slope",
    _SLOPE,
    (),
    (
        Step("1", le(1 + log(a) - log(b), a / b), Known("exp", log(a) - log(b))),
        Step("2", _SLOPE, Combine({"1": 1}), ("1",)),
    ),
    place="Corollary A.3",
    note="the tangent of the logarithm at b",
)
_HALF = le(Rational(1, 2), log(K))
CLIENTS = Given("clients", le(2, K), "at least two clients")
HALF = Theorem(
    "aaggff/log-clients",
    _HALF,
    (CLIENTS,),
    (
        Step("1", le(1 - log(K), 1 / K), Known("exp", -log(K))),
        Step("2", _HALF, Combine({"1": 1, "clients": 1 / (2 * K)}), ("1", "clients")),
    ),
    place="(12)",
    note="one may divide by log K",
)
_RISES = le(log(a), log(b))
RISES = Theorem(
    "aaggff/log-rises",
    _RISES,
    (Given("order", le(a, b), "two positive numbers"),),
    (
        Step("1", le(1 + log(a) - log(b), a / b), Known("exp", log(a) - log(b))),
        Step("2", _RISES, Combine({"1": 1, "order": 1 / b}), ("1", "order")),
    ),
    place="Lemma 4.1",
    note="the logarithm grows",
)

_PART = le(0, 1 - P)
PART = Theorem(
    "aaggff/indicator",
    _PART,
    (Given("indicator", eq(P**2, P), "0 or 1"),),
    (
        Step("square", le(0, (1 - P) ** 2), Polynomial()),
        Step("1", _PART, Combine({"square": 1, "indicator": 1}), ("square", "indicator")),
    ),
    place="(10)",
    note="an indicator is at most 1",
)

_SPARE = le(a + b**2 / a, 2 * a)
SPARE = Theorem(
    "aaggff/larger-scale",
    _SPARE,
    (Given("order", le(b, a), "the scale is no smaller than the half-span"),),
    (Step("1", _SPARE, Combine({"order": (a + b) / a}), ("order",)),),
    place="Theorem 5.2",
    note="at a scale a for gradients of half-span b",
)

# Roots of rounds ------------------------------------------------------------------------------------------------------

_LATER = le(1 / b, 2 * (b - a))
LATER = Theorem(
    "aaggff/root-step",
    _LATER,
    (Given("squares", eq(b**2, a**2 + 1), "roots of one round and the next"),),
    (
        Step("1", le(0, a**2 / b - 2 * a + b), Polynomial(), note="(b - a)^2/b"),
        Step("2", _LATER, Combine({"1": 1, "squares": -1 / b}), ("1", "squares")),
    ),
    place="Theorem 5.2",
    note="1/b <= 2 (b - a) where b^2 - a^2 = 1",
)
_ROOTS = le(Total(1 / sqrt(t), t, 1, T), 2 * sqrt(T))
_ROOTS_TO = le(Total(1 / sqrt(t), t, 1, s), 2 * sqrt(s), (s, 1, T))
ROOTS = Theorem(
    "aaggff/roots",
    _ROOTS,
    (),
    (
        Step("0", le(1, 2), Combine()),
        Step(
            "next",
            le(1 / sqrt(s + 1), 2 * (sqrt(s + 1) - sqrt(s)), (s, 1, T - 1)),
            Apply("aaggff/root-step", {a: sqrt(s), b: sqrt(s + 1)}),
        ),
        Step(
            "1",
            le(Total(1 / sqrt(t), t, 1, s + 1), 2 * sqrt(s + 1), (s, 1, T - 1)),
            Combine({"next": 1, "assumed 1": 1}),
            ("next",),
            assuming=(le(Total(1 / sqrt(t), t, 1, s), 2 * sqrt(s)),),
        ),
        Step("2", _ROOTS_TO, Induction(s), ("0", "1")),
        Step("3", _ROOTS, Instance({s: T}), ("2",)),
    ),
    place="Theorem 5.2",
    note="the sum of 1/sqrt(t) is at most 2 sqrt(T)",
)

THEOREMS = (
    *TAKEN_OVER,
    TELESCOPED,
    SWAP,
    AVERAGE_LOW,
    AVERAGE_HIGH,
    QUOTIENT,
    LOG_OF,
    SLOPE,
    HALF,
    RISES,
    PART,
    SPARE,
    LATER,
    ROOTS,
)
