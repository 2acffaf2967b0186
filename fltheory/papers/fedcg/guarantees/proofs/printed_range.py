"""Theorem 3.2 with its sum over t = 1..T as printed, at the step 1/T: the statement on the first round is not needed.

The recursion leaves the first round out: after it the gap is at most OPT. The cost, (1 - 1/T)^(T-1) OPT/T, is covered
by the second-order term at every rank from 2 on, as OPT <= r m_F.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from fltheory.papers.fedcg import notation
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.facts.algebra import a, b, c, q, t
from fltheory.papers.fedcg.guarantees.proofs import theorem32 as full
from fltheory.papers.fedcg.guarantees.proofs.theorem32 import FACTOR, V, in_round, largest, mean_gamma, missing
from fltheory.papers.fedcg.notation import OPT, N, T, eta, m_F, r
from fltheory.papers.fedcg.points.proofs import lemmas as one
from fltheory.papers.fedcg.points.proofs.lemmas import i, p
from fltheory.proof import Given, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import Total
from fltheory.verification import find

PLACE = "Theorem 3.2"
rounds = Symbol("H", integer=True, nonnegative=True)

# Recursions of any length, including 0 --------------------------------------------------------------------------------


def later(terms, count: Expr, factor: Expr = q) -> Expr:
    """Return the sum over so many rounds of terms, each weighted with the factor to the number of rounds left."""
    return algebra.weighted(terms, count, factor)


_RUN = (c, 0, rounds - 1)
_SHIFTED = eq(Total(q ** (c - t) * b(t), t, 0, c - 1), q * Total(q ** (c - 1 - t) * b(t), t, 0, c - 1), _RUN)
RECURSION = (
    proof("fedcg/recursion-any", "proof of Theorem 3.2",
        note="a(t + 1) <= q a(t) + b(t), unrolled: no round is one too few")
    .given("round", le(a(t + 1), q * a(t) + b(t), (t, 0, rounds - 1)), "what a round guarantees")
    .step("now", by.instance({t: c}, "round"), over=_RUN)
    .step("weight", eq(q ** (c - t) * b(t), q * q ** (c - 1 - t) * b(t), _RUN, (t, 0, c - 1)), by.linear())
    .step("shift", _SHIFTED, by.sum_over(t, "weight"))
    .step("0", le(a(0), a(0)), by.linear())
    .step("1", le(a(c + 1), q ** (c + 1) * a(0) + later(b, c + 1), _RUN), by.linear("now", "shift"),
        assuming=le(a(c), q**c * a(0) + later(b, c)))
    .step("2", le(a(c), q**c * a(0) + later(b, c), (c, 0, rounds)), by.induction(c, "0", "1"))
    .qed(le(a(rounds), q**rounds * a(0) + later(b, rounds)), by.instance({c: rounds}, "2"))
)


def _ones(count: Expr) -> Expr:
    return later(lambda now: Integer(1), count)


GEOMETRIC = (
    proof("fedcg/geometric-any", "proof of Theorem 3.2", note="the geometric sum, of no term too")
    .step("0", eq((1 - q) * _ones(Integer(0)), 0), by.linear())
    .step("weight", eq(q ** (c - t), q * q ** (c - 1 - t), _RUN, (t, 0, c - 1)), by.linear())
    .step("shift", eq(Total(q ** (c - t), t, 0, c - 1), q * Total(q ** (c - 1 - t), t, 0, c - 1), _RUN),
        by.sum_over(t, "weight"))
    .step("1", eq((1 - q) * _ones(c + 1), 1 - q ** (c + 1), _RUN), by.linear("shift"),
        assuming=eq((1 - q) * _ones(c), 1 - q**c))
    .step("2", eq((1 - q) * _ones(c), 1 - q**c, (c, 0, rounds)), by.induction(c, "0", "1"))
    .qed(eq((1 - q) * _ones(rounds), 1 - q**rounds), by.instance({c: rounds}, "2"))
)

# Without the first round ----------------------------------------------------------------------------------------------

PRINTED = Total(largest(t + 1), t, 0, T - 1)  # of t + 1 from 1 to T, the printed range
VALUES = (
    Given("value", le(0, V(1, 0)), "F is not negative"),
    Given("subadditive", le(OPT, r * m_F), "the optimum has r items, and F is subadditive"),
)
RUN = (one.LAW, *(h for h in full.RUN if h.id != "first"))
REST = T - 1
HESSIAN = eta * r**2 * m_F / 2
_LATER = (t, 0, T - 2)


def _added(now: Expr) -> Expr:
    return eta * r * mean_gamma(now) + eta * HESSIAN


LATER = (
    proof("fedcg/T3.2-later", PLACE, note="what is missing in the end, told of what is missing after the first round")
    .under(*RUN)
    .steps(*full._FEASIBLE)
    .step("round", by.apply(one.ONE_ROUND, in_round(t)))
    .step("along", by.apply(one.S1A, in_round(t)))
    .step("inner", by.sum_over(one.e, "direction", weight=full.G(t, one.e, 0)))
    .step("each", le(missing(t + 1), FACTOR * missing(t) + _added(t), full.ROUNDS),
        by.linear("round", "along", "next", "inner"))
    .step("each later", by.instance({t: t + 1}, "each"), over=_LATER)
    .steps(full.FACTOR_SIGN)
    .step("all",
        by.apply(RECURSION, {a(t): missing(t + 1), b(t): _added(t + 1), q: FACTOR, rounds: REST}, "each later",
            "factor"))
    .step("geometric", by.apply(GEOMETRIC, {q: FACTOR, rounds: REST}, "factor"))
    .qed(
        le(
            missing(T),
            FACTOR**REST * missing(1)
            + eta * r * later(lambda now: mean_gamma(now + 1), REST, FACTOR)
            + HESSIAN * (1 - FACTOR**REST),
        ),
        by.linear(all=1, geometric=HESSIAN),
    )
)
_RANGE = find("fedcg/T3.2-range@corrected").bound
_SIZE = Symbol("size", integer=True, positive=True)
_ONE_OVER = {eta: 1 / T}
Q = 1 - 1 / T


def at_one(*given: Given) -> tuple[Given, ...]:
    """Return the hypotheses at the step 1/T; the conditions on the step are proved."""
    return tuple(Given(h.id, h.relation.at(_ONE_OVER), h.why) for h in given if h.id != "c1")


AT = at_one(*RUN, *full.LARGEST)
SPARE = (
    line("sign", le(0, Q), by.linear()),
    line("low", le(Q, 1), by.linear()),
    line("weight sign", le(0, Q ** (T - 2 - t), _LATER), by.apply(algebra.POWER_SIGN, {q: Q, c: T - 2 - t}, "sign")),
    line("weight", le(Q ** (T - 2 - t), 1, _LATER), by.apply(algebra.AT_MOST_ONE, {q: Q, c: T - 2 - t}, "sign", "low")),
    line("clients", le(mean_gamma(t), Total(p(i) * largest(t), i, 1, N), full.ROUNDS),
        by.sum_over(i, "largest", weight=p(i))),
    line("mean gamma", le(mean_gamma(t), largest(t), full.ROUNDS), by.linear("clients", "law")),
    line("next gamma", le(mean_gamma(t + 1), largest(t + 1), _LATER), by.instance({t: t + 1}, "mean gamma")),
    line("weighted", le(Q ** (T - 2 - t) * mean_gamma(t + 1), largest(t + 1), _LATER),
        by.linear("next gamma", "weight", "weight sign")),
    line("gammas", le(later(lambda now: mean_gamma(now + 1), REST, Q), Total(largest(t + 1), t, 0, T - 2)),
        by.sum_over(t, "weighted")),
    line("last weight", le(0, Q**REST), by.apply(algebra.POWER_SIGN, {q: Q, c: REST}, "sign")),
)
RANGE = (
    proof("fedcg/T3.2-range", PLACE, of="fedcg/T3.2-range@corrected", bound=_RANGE,
        reading={**_ONE_OVER, notation.D: PRINTED, r: _SIZE + 1},
        note="the printed range of the sum, at the step 1/T and every rank from 2 on")
    .under(*(Given(h.id, h.relation.at({r: _SIZE + 1}), h.why) for h in (*AT, *VALUES)))
    .step("short", le(T * (1 / T), 1), by.linear())
    .step("later", by.apply(LATER, {**_ONE_OVER, r: _SIZE + 1}))
    .steps(*SPARE)
    .step("power", eq(Q**T, Q * Q**REST), by.linear())
    .step("spare", le(0, (_SIZE**2 - 1) * m_F / (2 * T)), by.linear())
    .step("end", le(0, (_SIZE + 1) * largest(T) / T), by.linear())
    .qed(
        statement_of(_RANGE, (1 - Q**T) * OPT - V(T, 0), {**_ONE_OVER, notation.D: PRINTED, r: _SIZE + 1})[0],
        by.linear(
            {
                "later": 1,
                "gammas": (_SIZE + 1) / T,
                "value": Q**REST,
                "subadditive": Q**REST / T,
                "power": -OPT,
                "spare": Q**REST,
                "end": 1,
            },
            "last weight",
        ),
    )
)
THEOREMS = (RECURSION, GEOMETRIC, LATER, RANGE)
