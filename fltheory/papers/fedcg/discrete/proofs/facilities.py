"""Theorems D.2 and D.5 for facility location and maximum coverage: k items, where an item of S may be picked again.

An item of S gains nothing, F(e|S) = 0. Picking it leaves the value unchanged, so the lines of Theorem 5.1
stay valid; the size of S is another matter.
"""

from __future__ import annotations

from sympy import Integer, Symbol

from fltheory.papers.fedcg.discrete.proofs import answers
from fltheory.papers.fedcg.notation import n, r
from fltheory.proof import Theorem, by, eq, le, proof, statement_of
from fltheory.proof.terms import RandomNonnegative, Total, family
from fltheory.verification import find

t, e = Symbol("t", integer=True, nonnegative=True), Symbol("e", integer=True, positive=True)
ROUNDS, ITEMS = (t, 0, r - 1), (e, 1, n)
inside, added = family(RandomNonnegative, "in"), family(RandomNonnegative, "added")
SIZE = Total(inside(t, e), e, 1, n)


def size(id: str, place: str) -> Theorem:
    """Prove that after k rounds S has k items, surely: each round adds an item outside S."""
    bound = find(f"fedcg/{id}@printed").bound
    return (
        proof(f"fedcg/{id}", place, of=f"fedcg/{id}@printed", bound=bound,
            note="the indicator of S, summed over the items")
        .given("empty", eq(inside(0, e), 0, ITEMS), "S is empty at first")
        .given("adds", eq(inside(t + 1, e), inside(t, e) + added(t, e), ROUNDS, ITEMS),
            "the item that is added is sought outside S")
        .given("one", eq((r - SIZE) * (1 - Total(added(t, e), e, 1, n)), 0, ROUNDS),
            "where S has not k <= n items yet, one item is added: any item outside it fits")
        .step("none", eq(Total(inside(0, e), e, 1, n), Total(Integer(0), e, 1, n)), by.sum_over(e, "empty"))
        .step("0", eq(Total(inside(0, e), e, 1, n), 0), by.linear("none"))
        .step("grows", by.sum_over(e, "adds"))
        .step("unit", le(0, 1), by.linear())
        .step("some", le(0, r - 1 - t, ROUNDS), by.linear("unit"), note="a round is left")
        .step("1 one", eq(Total(added(t, e), e, 1, n), 1, ROUNDS),
            by.linear({"one": -1 / (r - t), "assumed 1": -(1 - Total(added(t, e), e, 1, n)) / (r - t)}, "some"),
            assuming=eq(SIZE, t))
        .step("1", eq(Total(inside(t + 1, e), e, 1, n), t + 1, ROUNDS), by.linear("grows", "1 one"),
            assuming=eq(SIZE, t))
        .step("2", eq(SIZE, t, (t, 0, r)), by.induction(t, "0", "1"))
        .qed(statement_of(bound, Total(inside(r, e), e, 1, n))[0], by.linear(by.instance({t: r}, "2")))
    )


SIZES = (size("D.2-size", "Theorem D.2"), size("D.5-size", "Theorem D.5"))
REPEATED = "e sought in S as well, where it gains nothing"
LITERAL = tuple(
    answers.likely(
        "uniform", f"{id}@strict", f"Theorem {id}", answers.IMPORTANCE, f"{of}: {REPEATED}", True, f"fedcg/{id}@strict"
    )
    for id, of in (("D.2", "facility location"), ("D.5", "maximum coverage"))
)

THEOREMS = (*SIZES, *LITERAL)
