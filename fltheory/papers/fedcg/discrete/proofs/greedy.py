"""Section 5: the discrete greedy algorithm, exact and with random answers (S6), for every rank and number of clients.

Values are those of the sum of the clients' functions. ``value(t)`` is F(S_t), ``gap(t)`` the largest allowed gain.
"""

from __future__ import annotations

from sympy import Min, Symbol, exp

from fltheory.papers.fedcg.discrete import bounds as bounds_discrete
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import N, kappa, n, r
from fltheory.proof import Given, by, eq, le, proof, statement_of
from fltheory.proof.terms import Nonnegative, Positive, Scalar, Total, family

i, e, k = (Symbol(name, integer=True, positive=True) for name in "iek")
t = algebra.t
CLIENTS, ITEMS, ROUNDS = (i, 1, N), (e, 1, n), (t, 0, r - 1)
PLACE = "Section 5"

# Importance and participants ----------------------------------------------------------------------------------------

single, importance = family(Nonnegative, "f"), family(Nonnegative, "w")
whole = family(Positive, "F")
SUM = Given("sum", eq(Total(single(i, e), i, 1, N), whole(e), ITEMS),
    "F is the sum of the clients' functions, positive on each item")
RATIO = Given("ratio", le(importance(i), Total(single(i, e) / whole(e), e, 1, n), CLIENTS),
    "w_i is one of these ratios")
P = algebra.P
_SMALLER = le(Min(1, P), P)
SMALLER = (
    proof("fedcg/min", PLACE)
    .step("a", eq(Min(1, P), 1), by.fact("min", Min(1, P)), assuming=le(1, P))
    .step("1", _SMALLER, by.linear("a"), assuming=le(1, P))
    .step("b", eq(Min(1, P), P), by.fact("min", Min(1, P)), assuming=le(P, 1))
    .step("2", _SMALLER, by.linear("b"), assuming=le(P, 1))
    .qed(_SMALLER, by.cases("1", "2"))
)
_RATIOS = Total(Total(single(i, e) / whole(e), e, 1, n), i, 1, N)
IMPORTANCE = (
    proof("fedcg/Imp", PLACE, of="fedcg/Imp@explicit", bound=bounds_discrete.IMP_SUM,
        note="the importance factors add up to at most the number of items")
    .under(SUM, RATIO)
    .step("1", by.sum_over(i, "ratio"))
    .step("swap", eq(_RATIOS, Total(Total(single(i, e) / whole(e), i, 1, N), e, 1, n)),
        by.apply(algebra.SWAP, {algebra.pair(i, e): single(i, e) / whole(e), algebra.first: N, algebra.second: n}))
    .step("items", eq(Total(Total(single(i, e) / whole(e), i, 1, N), e, 1, n), Total(1, e, 1, n)),
        by.sum_over(e, "sum", weight=1 / whole(e)))
    .qed(statement_of(bounds_discrete.IMP_SUM, Total(importance(i), i, 1, N))[0], by.linear("1", "swap", "items"))
)
_ANSWERS = statement_of(bounds_discrete.PARTICIPANTS, Total(Min(1, kappa * importance(i)), i, 1, N))[0]
PARTICIPANTS = (
    proof("fedcg/T5.1-participants", "Theorem 5.1", of="fedcg/T5.1-participants@corrected",
        bound=bounds_discrete.PARTICIPANTS,
        note="the expected number of answers in a round is at most kappa n, whatever the number of clients")
    .under(SUM, RATIO)
    .step("each", by.apply(SMALLER, {P: kappa * importance(i)}), over=CLIENTS)
    .step("all", le(_ANSWERS.left, kappa * Total(importance(i), i, 1, N)), by.sum_over(i, "each"))
    .step("sum of w", by.apply(IMPORTANCE))
    .qed(_ANSWERS, by.linear("all", "sum of w"))
)

# The value of a client ------------------------------------------------------------------------------------------------

size = Symbol("size", integer=True, positive=True)
client, alone, item = Symbol("f_S", real=True), family(Scalar, "f_e"), family(Scalar, "F_e")
weight, of_set = Symbol("w_i", nonnegative=True), Symbol("F_S", nonnegative=True)
MEMBERS = (k, 1, size)
_SHARE = statement_of(bounds_discrete.S7_SHARE, client)[0]
_SHARE = le(client, _SHARE.right * weight * of_set)
SHARE = (
    proof("fedcg/S7-share", PLACE, of="fedcg/S7-share@strengthened",
        note="of an independent set no client has more than r w_i of the value")
    .given("subadditive", le(client, Total(alone(k), k, 1, size)), "f_i(S) is at most the sum of its items' values")
    .given("factor", le(alone(k), weight * item(k), MEMBERS), "w_i is the largest of the ratios f_i(e)/F(e)")
    .given("monotone", le(item(k), of_set, MEMBERS), "F(e) <= F(S)")
    .given("rank", le(size, r), "an independent set")
    .step("each", le(alone(k), weight * of_set, MEMBERS), by.linear("factor", "monotone"))
    .step("all", le(Total(alone(k), k, 1, size), size * weight * of_set), by.sum_over(k, "each"))
    .qed(_SHARE, by.linear("subadditive", "all", "rank"))
)

# One random answer ------------------------------------------------------------------------------------------------------------

gain, answers = family(Nonnegative, "gain"), family(Positive, "kappa_i")
top = Symbol("F_e", nonnegative=True)
ANSWER = (
    Given("at most 1", le(answers(i), 1, CLIENTS), "kappa_i = min(1, kappa w_i)"),
    Given("one of both", eq((1 - answers(i)) * (kappa * importance(i) - answers(i)), 0, CLIENTS),
        "it is the one or the other"),
    Given("gain", le(gain(i), importance(i) * top, CLIENTS), "f_i(e|S) <= f_i(e) <= w_i F(e)"),
)
_RANGE = le((1 - answers(i)) * gain(i) / answers(i), (1 - answers(i)) * top / kappa, CLIENTS)
RANGE = (
    proof("fedcg/S6-range", "Theorem 5.1", note="a random answer (kappa_i < 1) is worth at most F(e)/kappa")
    .under(*ANSWER)
    .qed(_RANGE, by.linear("gain", "one of both", "at most 1"))
)
VARIANCE = (
    proof("fedcg/S6-variance", "Theorem 5.1", note="the variance of the summed answers is at most F(e|S) F(e)/kappa")
    .under(*ANSWER)
    .step("range", by.apply(RANGE))
    .step("each", le(gain(i) ** 2 * (1 / answers(i) - 1), gain(i) * top / kappa, CLIENTS), by.linear("range"))
    .qed(le(Total(gain(i) ** 2 * (1 / answers(i) - 1), i, 1, N), Total(gain(i), i, 1, N) * top / kappa),
        by.sum_over(i, "each"))
)

# Scalars ----------------------------------------------------------------------------------------------------------------------

part = Symbol("part", nonnegative=True)
one = Symbol("eps_1", positive=True)
CHORD = (
    proof("fedcg/S6-chord", "Theorem 5.1", note="exp lies below its chord on [0, 1]")
    .given("level", le(part, 1), "eps_1 <= 1")
    .step("far", by.fact("exp", 1 - part))
    .step("near", by.fact("exp", -part))
    .qed(le(exp(part), 1 + (exp(1) - 1) * part), by.linear("far", "near", "level"))
)
SHRINK = proof("fedcg/S7-factor", "Theorem 5.1").qed(le(1 - 2 * part, (1 - part) / (1 + part)), by.linear(),
    note="2 part^2/(1 + part) is left")

THEOREMS = (SMALLER, IMPORTANCE, PARTICIPANTS, SHARE, RANGE, VARIANCE, CHORD, SHRINK)
