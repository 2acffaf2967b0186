"""Importance factors: their sum if only some items have a value, the participants, and Algorithms 4 and 5.

The items of positive value are numbered from 1 to ``worthy``; the others do not affect any factor. ``factor`` is w_i.
"""

from __future__ import annotations

from sympy import Abs, Integer, Max, Min, Symbol

from fltheory.papers.fedcg.discrete.proofs.greedy import SMALLER
from fltheory.papers.fedcg.facts import algebra
from fltheory.papers.fedcg.notation import N, kappa, n
from fltheory.proof import Given, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, Indicator, Nonnegative, Positive, RandomScalar, Total, family
from fltheory.verification import find

PLACE = "Section 5"
i, e = Symbol("i", integer=True, positive=True), Symbol("e", integer=True, positive=True)
worthy = Symbol("worthy", integer=True, positive=True)
CLIENTS, ITEMS = (i, 1, N), (e, 1, worthy)
own, whole = family(Nonnegative, "f"), family(Positive, "F")
factor, weight = family(Nonnegative, "w"), family(Nonnegative, "p")

# The sum of the factors --------------------------------------------------------------------------------------------------

SUM = Given("sum", eq(Total(own(i, e), i, 1, N), whole(e), ITEMS), "F is the sum of the clients' functions")
RATIO = Given("ratio", le(factor(i), Total(own(i, e) / whole(e), e, 1, worthy), CLIENTS),
    "w_i is one of these ratios, none of which is negative")
FEW = Given("few", le(worthy, n), "items of positive value are items")
_FACTORS = Total(factor(i), i, 1, N)
_SWAPPED = Total(Total(own(i, e) / whole(e), i, 1, N), e, 1, worthy)
WORTHY = (
    proof("fedcg/Imp-worthy", PLACE,
        note="the importance factors add up to at most the number of items of positive value")
    .under(SUM, RATIO)
    .step("1", by.sum_over(i, "ratio"))
    .step("swap", eq(Total(Total(own(i, e) / whole(e), e, 1, worthy), i, 1, N), _SWAPPED),
        by.apply(algebra.SWAP, {algebra.pair(i, e): own(i, e) / whole(e), algebra.first: N, algebra.second: worthy}))
    .step("items", eq(_SWAPPED, Total(1, e, 1, worthy)), by.sum_over(e, "sum", weight=1 / whole(e)))
    .qed(le(_FACTORS, worthy), by.linear("1", "swap", "items"))
)
_POSITIVE = find("fedcg/Imp-positive@strengthened").bound
PER_ITEM = (
    proof("fedcg/Imp-positive", PLACE, of="fedcg/Imp-positive@strengthened", bound=_POSITIVE,
        note="divided by the number of items of positive value")
    .under(SUM, RATIO)
    .step("all", by.apply(WORTHY))
    .qed(statement_of(_POSITIVE, _FACTORS / worthy)[0], by.linear("all"))
)
_MEAN = find("fedcg/Imp@corrected").bound
MEAN = (
    proof("fedcg/Imp@corrected", PLACE, of="fedcg/Imp@corrected", bound=_MEAN,
        note="where p_i is left out of f_i, the mean of the factors by p")
    .given("sum", eq(Total(weight(i) * own(i, e), i, 1, N), whole(e), ITEMS), "F is the sum of the p_i f_i")
    .under(RATIO, FEW)
    .step("scaled", le(weight(i) * factor(i), Total(weight(i) * own(i, e) / whole(e), e, 1, worthy), CLIENTS),
        by.linear("ratio"))
    .step("all", by.apply(WORTHY, {own(i, e): weight(i) * own(i, e), factor(i): weight(i) * factor(i)}))
    .qed(statement_of(_MEAN, Total(weight(i) * factor(i), i, 1, N))[0], by.linear("all", "few"))
)

# Participants ---------------------------------------------------------------------------------------------------------

_CHANCE = Min(1, kappa * factor(i))
_MOVIES = find("fedcg/D.1-movies@corrected").bound
_ANSWERS = statement_of(_MOVIES, Total(_CHANCE, i, 1, N))[0]
MOVIES = (
    proof("fedcg/D.1-movies", "Section D.1, MovieLens", of="fedcg/D.1-movies@corrected", bound=_MOVIES,
        note="the mean number of answers, where F is the sum of the ratings")
    .under(SUM, RATIO, FEW)
    .step("each", by.apply(SMALLER, {algebra.P: kappa * factor(i)}), over=CLIENTS)
    .step("all", le(_ANSWERS.left, kappa * _FACTORS), by.sum_over(i, "each"))
    .step("factors", by.apply(WORTHY))
    .qed(_ANSWERS, by.linear("all", "factors", "few"))
)
coin = family(RandomScalar, "coin")


def mean_answers(id: str, place: str) -> Theorem:
    """Prove that the mean number of answers is the sum of the probabilities."""
    bound = find(f"fedcg/{id}@printed").bound
    quantity = E(Total(coin(i), i, 1, N)) - Total(_CHANCE, i, 1, N)
    return (
        proof(f"fedcg/{id}", place, of=f"fedcg/{id}@printed", bound=bound,
            note="means add up, whether the coins depend on each other or not")
        .given("coin", eq(E(coin(i)), _CHANCE, CLIENTS),
            "1 where client i answers, which it does with probability min(1, kappa w_i), else 0")
        .step("all", by.sum_over(i, "coin"))
        .qed(statement_of(bound, quantity)[0], by.linear("all"))
    )


COUNTS = (mean_answers("D.2-sum", "proof of Theorem D.2"), mean_answers("D.5-sum", "proof of Theorem D.5"))

# The protocols -------------------------------------------------------------------------------------------------------------

c = Symbol("c", integer=True, nonnegative=True)
A, B, P, Q = (Symbol(name, real=True) for name in ("A", "B", "P", "Q"))
SAME = (
    proof("fedcg/max-same", PLACE, note="of equal numbers the largest are equal")
    .given("first", eq(A, B), "two numbers")
    .given("second", eq(P, Q), "two others")
    .qed(eq(Max(A, P), Max(B, Q)), by.linear(), inserting=("first", "second"))
)
NONE = (
    proof("fedcg/indicator-same", PLACE, note="of two equal numbers none is counted as different")
    .given("same", eq(A, B), "two numbers")
    .step("above", le(A - B, 0), by.linear("same"))
    .step("below", le(-(A - B), 0), by.linear("same"))
    .step("off", by.absolute("above", "below"))
    .step("spare", le(0, -Abs(A - B)), by.linear("off"))
    .step("one", eq(Indicator(-Abs(A - B)), 1), by.fact("indicator", -Abs(A - B), "spare"))
    .qed(eq(1 - Indicator(-Abs(A - B)), 0), by.linear("one"))
)
row, found, largest = family(Nonnegative, "row"), family(Nonnegative, "found"), family(Nonnegative, "w")
sums, mean = family(Positive, "sum"), family(Positive, "F")
scored = Symbol("scored", integer=True, nonnegative=True)  # the number of items of positive value
SCORED, _UP, _ALL = (e, 1, scored), (c, 0, scored - 1), (c, 0, scored)
_FINDS = eq(found(i, c), largest(i, c))


def messages(sent: str, value: str) -> tuple[Given, ...]:
    """Return the messages of the clients, their results, and the definition of their factors."""
    return (
        Given("sent", eq(sums(e), Total(row(i, e), i, 1, N), SCORED),
            f"the aggregator's sums of {sent}, which are sent back"),
        Given("begins", eq(found(i, 0), 0, CLIENTS), "nothing is found yet"),
        Given("finds", eq(found(i, c + 1), Max(found(i, c), row(i, c + 1) / sums(c + 1)), CLIENTS, _UP),
            "a client divides what it sent by the sum, and keeps the largest"),
        Given("value", eq(mean(e), Total(row(i, e) / N, i, 1, N), SCORED),
            f"F is the mean of the f_i, of equal weights; {value}"),
        Given("none", eq(largest(i, 0), 0, CLIENTS), "the largest of no ratios"),
        Given("factor", eq(largest(i, c + 1), Max(largest(i, c), row(i, c + 1) / N / mean(c + 1)), CLIENTS, _UP),
            "w_i by definition: the largest of the ratios p_i f_i(e)/F(e)"),
    )


FINDS = (
    line("times", eq(mean(e), sums(e) / N, SCORED), by.linear("value", "sent")),
    line("at", eq(mean(c + 1), sums(c + 1) / N, _UP), by.instance({e: c + 1}, "times")),
    line("ratio", eq(row(i, c + 1) / sums(c + 1), row(i, c + 1) / N / mean(c + 1), CLIENTS, _UP), by.linear("at")),
    line("0", eq(found(i, 0), largest(i, 0), CLIENTS), by.linear("begins", "none")),
    line("now", eq(found(i, c), largest(i, c), CLIENTS, _UP), by.linear(), assuming=_FINDS),
    line("larger",
        eq(Max(found(i, c), row(i, c + 1) / sums(c + 1)), Max(largest(i, c), row(i, c + 1) / N / mean(c + 1)), CLIENTS,
            _UP),
        by.apply(SAME,
            {A: found(i, c), B: largest(i, c), P: row(i, c + 1) / sums(c + 1), Q: row(i, c + 1) / N / mean(c + 1)},
            "now", "ratio"), assuming=_FINDS),
    line("1", eq(found(i, c + 1), largest(i, c + 1), CLIENTS, _UP), by.linear("finds", "larger", "factor"),
        assuming=_FINDS),
    line("2", eq(found(i, c), largest(i, c), CLIENTS, _ALL), by.induction(c, "0", "1")),
    line("end", eq(found(i, scored), largest(i, scored), CLIENTS), by.instance({c: scored}, "2")),
)


def protocol(id: str, place: str, sent: str, value: str) -> Theorem:
    """Prove that every client finds its factor: the number of the others is 0."""
    bound = find(f"fedcg/{id}@printed").bound
    wrong = 1 - Indicator(-Abs(found(i, scored) - largest(i, scored)))
    return (
        proof(f"fedcg/{id}", place, of=f"fedcg/{id}@printed", bound=bound,
            note="the clients whose number found(i, scored) is not their factor w(i, scored), counted")
        .under(*messages(sent, value))
        .steps(*FINDS)
        .step("right", by.apply(NONE, {A: found(i, scored), B: largest(i, scored)}))
        .step("all", eq(Total(wrong, i, 1, N), Total(Integer(0), i, 1, N)), by.sum_over(i, "right"))
        .qed(statement_of(bound, Total(wrong, i, 1, N))[0], by.linear("all"))
    )


PROTOCOLS = (
    protocol("D.1", "Theorem D.1", "the scores", "of one facility f_i is its score"),
    protocol("D.3", "Theorem D.3", "the memberships", "of one group f_i is the membership, 1 or 0"),
)

THEOREMS = (WORTHY, PER_ITEM, MEAN, MOVIES, *COUNTS, SAME, NONE, *PROTOCOLS)
