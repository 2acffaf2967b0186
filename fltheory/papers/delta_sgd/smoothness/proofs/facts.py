"""Facts behind the proofs: squares, (7), (8), limits, telescoping.

Facts of the library are restated under this paper's key, step by step: each is checked here again.
"""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Symbol

from fltheory.papers.delta_sgd.notation import T, m
from fltheory.proof import Defines, Theorem, by, le, line, proof
from fltheory.proof.facts import limits, squares
from fltheory.proof.papers.taken_over import adopt
from fltheory.proof.terms import Dot, Scalar, Total, family, square

u, v = squares.u, squares.v


def also(name: str, theorem: Theorem, claim: str, note: str) -> Theorem:
    """Return a proved theorem as that of another claim of the catalogue, with the same formula."""
    uses = tuple(h.id for h in theorem.hypotheses if not isinstance(h, Defines))
    inserted = tuple(h.id for h in reversed(theorem.hypotheses) if isinstance(h, Defines))
    step = line("1", theorem.statement, by.apply(theorem.id, *uses), inserting=inserted)
    return replace(theorem, id=name, steps=(step,), claim=claim, note=note, unused=())


SIGN, ALMOST, LIMIT, _JENSEN = (
    adopt("delta_sgd", theorem) for theorem in (squares.SIGN, limits.ALMOST, limits.LIMIT, squares.JENSEN)
)
JENSEN = replace(_JENSEN, id="delta_sgd/8", place="(8)", claim="delta_sgd/8@printed")

YOUNG = proof(
    "delta_sgd/7",
    "(7)",
    of="delta_sgd/7@printed",
    note="half a square; the claim's formula is the quotient of the two sides",
).qed(le(Dot(u, v), square(u) / 2 + square(v) / 2), by.sos(), note="half a square")

# Clients -----------------------------------------------------------------------------------------------------------

i = Symbol("i", integer=True, positive=True)
EACH = (i, 1, m)


def mean(term: Expr) -> Expr:
    """Return the mean over the clients of a term in the index i."""
    return Total(term, i, 1, m) / m


# Telescoping --------------------------------------------------------------------------------------------------------------------

n, t = (Symbol(name, integer=True, nonnegative=True) for name in "nt")
ROUNDS = (t, 0, T - 1)
level, rise = family(Scalar, "d"), family(Scalar, "r")
_FALL = le(level(n), level(0) + Total(rise(t), t, 0, n - 1), (n, 0, T))
FALLEN = (
    proof("delta_sgd/telescope", "Theorem 1", note="what all rounds add at most")
    .given("step", le(level(t + 1), level(t) + rise(t), ROUNDS), "what one round adds at most")
    .step("0", le(level(0), level(0)), by.linear())
    .step("next", by.instance({t: n}, "step"), over=(n, 0, T - 1))
    .step("1", le(level(n + 1), level(0) + Total(rise(t), t, 0, n), (n, 0, T - 1)), by.linear("next"),
        assuming=le(_FALL.left, _FALL.right), note="one round more")
    .step("2", _FALL, by.induction(n, "0", "1"))
    .qed(le(level(T), level(0) + Total(rise(t), t, 0, T - 1)), by.instance({n: T}, "2"))
)
THEOREMS = (SIGN, YOUNG, JENSEN, ALMOST, LIMIT, FALLEN)
