"""Remark D.4: shared memberships give greedy, the cost of absent clients, uniform sampling against that by w_i."""

from __future__ import annotations

from sympy import Min, Symbol

from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.proofs import theorem51 as greedy
from fltheory.papers.fedcg.discrete.proofs.greedy import CLIENTS, i, importance
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import OPT, N, kappa, m_max, present, r
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Nonnegative, Total, family

PLACE = "Remark D.4"
t, ROUNDS = greedy.t, greedy.ROUNDS
P, Q = algebra.P, algebra.Q

# Full participation ---------------------------------------------------------------------------------------------------

best_row, picked_row = family(Nonnegative, "row*"), family(Nonnegative, "row")
NWF, _ = statement_of(bounds.NWF_UNIFORM, greedy.value(r))
SHARED = (
    proof("fedcg/D.4", PLACE, of="fedcg/D.4@printed", bound=bounds.SHARED,
        note="the sums of what the clients send are exact gains, so that the server does plain greedy")
    .under(*greedy.JOINED, greedy.START)
    .given("gain", eq(greedy.best(t), Total(best_row(t, i), i, 1, N), ROUNDS),
        "a client that is not covered yet adds its membership of the best group, a covered one adds 0")
    .given("added", eq(greedy.gained(t), Total(picked_row(t, i), i, 1, N), ROUNDS), "the same of the picked group")
    .given("picked", le(Total(best_row(t, i), i, 1, N), Total(picked_row(t, i), i, 1, N), ROUNDS),
        "the group of the largest sum is picked")
    .step("greedy", greedy.EXACT.relation, by.linear("gain", "picked", "added"))
    .qed(statement_of(bounds.SHARED, greedy.value(r))[0], by.apply(greedy.NWF_UNIFORM))
)

# Absent clients -------------------------------------------------------------------------------------------------------

kept = Symbol("OPT_kept", nonnegative=True)
value = family(Nonnegative, "F_kept")
reached = Symbol("F_S", nonnegative=True)
_PROMISED = NWF.at({OPT: kept})
_PROMISED = le(_PROMISED.left, value(r))
ABSENT, _ = statement_of(bounds.ABSENT, reached)
KEPT = tuple(
    Given(h.id, _relation, f"of the clients that take part: {h.why}")
    for h, _relation in (
        (greedy.EXACT, le(greedy.best(t), value(t + 1) - value(t), ROUNDS)),
        (greedy.JOINED[0], eq(greedy.joined(t, 0), value(t), ROUNDS)),
        (greedy.JOINED[1], greedy.JOINED[1].relation),
        (greedy.JOINED[2], le(kept, greedy.joined(t, r), ROUNDS)),
        (greedy.START, eq(value(0), 0)),
    )
)
AWAY = (
    proof("fedcg/D.4-absent", PLACE, of="fedcg/D.4-absent@strengthened", bound=bounds.ABSENT,
        note="greedy for the clients that take part; each of the others has at most its share of the optimum")
    .under(*KEPT)
    .given("optimum", le(OPT, kept + (1 - present / N) * m_max),
        "of the best set each of the N - N' others has at most its share of 1/N times what an item is worth to it")
    .given("value", le(value(r), reached), "F has no less than its part for those who take part")
    .step("promised", by.apply(greedy.NWF_UNIFORM, {OPT: kept, greedy.value(t): value(t)}))
    .step("factor", le(0, 1 - 1 / r), by.linear())
    .step("low", le(1 - 1 / r, 1), by.linear())
    .step("power", by.apply(algebra.AT_MOST_ONE, {algebra.q: 1 - 1 / r, algebra.c: r}, "factor", "low"))
    .qed(ABSENT, by.linear("promised", "value", "optimum", "power"))
)

# Fewer answers ------------------------------------------------------------------------------------------------------------

_LESS = le(Min(1, P), Min(1, Q))
_CASES = ((le(1, P),), (le(P, 1), le(1, Q)), (le(P, 1), le(Q, 1)))
GROWS = (
    proof("fedcg/min-grows", PLACE)
    .given("order", le(P, Q), "two numbers")
    .step("all", eq(Min(1, P), 1), by.fact("min", Min(1, P)), assuming=_CASES[0])
    .step("above", le(1, Q), by.linear("order"), assuming=_CASES[0])
    .step("all Q", eq(Min(1, Q), 1), by.fact("min", Min(1, Q), "above"), assuming=_CASES[0])
    .step("1", _LESS, by.linear("all", "all Q"), assuming=_CASES[0])
    .step("own", eq(Min(1, P), P), by.fact("min", Min(1, P)), assuming=_CASES[1])
    .step("one", eq(Min(1, Q), 1), by.fact("min", Min(1, Q)), assuming=_CASES[1])
    .step("2", _LESS, by.linear("own", "one"), assuming=_CASES[1])
    .step("own 3", eq(Min(1, P), P), by.fact("min", Min(1, P)), assuming=_CASES[2])
    .step("own Q", eq(Min(1, Q), Q), by.fact("min", Min(1, Q)), assuming=_CASES[2])
    .step("3", _LESS, by.linear("own 3", "own Q", "order"), assuming=_CASES[2])
    .qed(_LESS, by.cases("1", "2", "3"))
)
alike, dearest, there = family(Nonnegative, "v"), family(Nonnegative, "f_i"), family(Nonnegative, "F_i")
worth = Symbol("worth", positive=True)  # m_F: some item has positive value
FACTORS = (
    Given("alike", eq(alike(i) * worth, dearest(i), CLIENTS), "v_i = max f_i(e)/m_F"),
    Given("own", le(dearest(i), importance(i) * there(i), CLIENTS), "w_i is at least f_i(e)/F(e) at that item"),
    Given("worth", le(there(i), worth, CLIENTS), "no item has more than m_F"),
)
FEWER = (
    proof("fedcg/T5.1-fewer", "Theorem 5.1", of="fedcg/T5.1-fewer@strengthened",
        note="max f_i(e)/m_F is at most w_i for every client: no more answers in the mean")
    .under(*FACTORS)
    .step("factor", le(alike(i), importance(i), CLIENTS), by.linear("alike", "own", "worth"))
    .step("scaled", le(kappa * alike(i), kappa * importance(i), CLIENTS), by.linear("factor"))
    .step("each", by.apply(GROWS, {P: kappa * alike(i), Q: kappa * importance(i)}))
    .qed(le(Total(Min(1, kappa * alike(i)), i, 1, N), Total(Min(1, kappa * importance(i)), i, 1, N)),
        by.sum_over(i, "each"))
)
FEWER_SHARED = (
    proof("fedcg/D.4-fewer", PLACE, of="fedcg/D.4-fewer@strengthened", note="the same for maximum coverage, m_F = m/N")
    .under(*FACTORS)
    .qed(FEWER.statement, by.apply(FEWER))
)

THEOREMS = (SHARED, AWAY, GROWS, FEWER, FEWER_SHARED)
