"""Deviation of the signs of a round: Lemma 12 at every place of a round, in the round's symbols.

W(c, k) is K A_{m,k} at m = c + 1; S(n) is the sum of the first n of M = 2 g + 4 signs, drawn without replacement from as
many +1 as -1: given them, the next one has the mean -S(n) / (M - n).
"""

from __future__ import annotations

from sympy import Abs, Expr, Integer, Symbol, oo, sqrt

from fltheory.papers.sfl.kinked.proofs.walk import STEPS, W, before, c, i, k
from fltheory.papers.sfl.notation import K, M
from fltheory.papers.sfl.signs.proofs import permuted
from fltheory.papers.sfl.signs.proofs.between import UPPER
from fltheory.proof import Defines, Given, by, eq, le, proof
from fltheory.proof.terms import E, RandomNonnegative, RandomScalar, Total, family

g = Symbol("g", integer=True, nonnegative=True)
m = 2 * g + 4  # the clients
n, x = permuted.n, permuted.x
tau, S, sgn = (family(RandomScalar, name) for name in ("tau", "S", "sgn"))
hit = family(RandomNonnegative, "hit")
CLIENTS, FRONT, ROUND, WHERE = (c, 0, m - 1), (c, 0, g + 2), (n, 0, m - 1), (x, -oo, oo)
NOISE = Defines("noise", W(c, k), before(lambda m, q: tau(m)),
    "K A_{m,k} with m = c + 1: a client's sign in each of its steps")
SUMS = Defines("sums", S(n), Total(tau(i), i, 1, n), "the sum of the first n signs")


def spread(c: Expr, k: Expr) -> Expr:
    """K sqrt(m - 1 + a_k^2) for c = m - 1."""
    return K * sqrt(c + (k / K) ** 2)


def _read(given: Given) -> Given:
    """Return a hypothesis of Lemma 12 for the m signs of a round, their sums' sizes |S(n)|."""
    sizes = {permuted.size(t): Abs(S(t)) for t in (n, n + 1, Integer(0))}
    return Given(given.id, given.relation.at({M: m, **sizes}), given.why)


UNIT = Given("unit", eq(tau(n + 1) ** 2, 1, ROUND), "a sign is 1 or -1")
FAIR = Given("fair", eq(E(tau(n + 1) * S(n)), -E(S(n) ** 2) / (m - n), ROUND), permuted.FAIR)
DRAWN = (SUMS, UNIT, FAIR)
PART = Given("part", eq(Abs(W(c, k)), K * Abs(S(c)) + k * sgn(c) * tau(c + 1) + k * hit(c, 0), CLIENTS, STEPS),
    permuted.PART.why)
LAW = (*(_read(h) for h in permuted.LAW_OF_SIZE if h.id not in ("size start", "two")), PART)

# Lemma 12 read with part(m, k) = |W(m - 1, k)| / K, M = 2 g + 4 -------------------------------------------------------

_PLACE = (
    (M, m),
    (permuted.m, c + 1),
    (permuted.k, k),
    (permuted.part(permuted.m, permuted.k), Abs(W(permuted.m - 1, permuted.k)) / K),
)

MOST = (
    proof("sfl/stray-most", "Lemma 12").under(NOISE, *DRAWN)
    .step("position", le(c + 1, m, CLIENTS), by.polynomial())
    .step("step", le(k, K - 1, STEPS), by.polynomial())
    .step("Lemma 12", by.apply(UPPER, _PLACE, "position", "step", "unit", "fair"), inserting=("noise", "sums"))
    .qed(le(E(Abs(W(c, k))), spread(c, k), CLIENTS, STEPS), by.linear("Lemma 12"), name="most")
)
LEAST = (
    proof("sfl/stray-least", "Lemma 12").under(SUMS, *LAW)
    .step("half", le(2 * (c + 1), m + 2, FRONT), by.polynomial())
    .step("step", le(k, K - 1, STEPS), by.polynomial())
    .step("scaled", eq(Abs(W(c, k)) / K, Abs(S(c)) + k / K * sgn(c) * tau(c + 1) + k / K * hit(c, 0), FRONT, STEPS),
        by.linear("part"))
    .step("Lemma 12",
        by.apply(permuted.L12, (*_PLACE, (permuted.size(n), Abs(S(n)))), "half", "step", "scaled",
            *(h.id for h in LAW if h.id != "part")), inserting="sums")
    .qed(le(spread(c, k) / 20, E(Abs(W(c, k))), FRONT, STEPS), by.linear("Lemma 12"), name="least")
)
THEOREMS = (MOST, LEAST)
