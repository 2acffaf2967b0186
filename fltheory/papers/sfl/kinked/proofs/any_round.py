"""Lemma 14 and (9) for every number of clients, (8) and (10) for every even number from 4 on: M itself, not 2 g + 4."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sympy import Abs, Expr, Rational

from fltheory.papers.sfl import notation
from fltheory.papers.sfl.kinked.proofs import ahead, kinked, stray
from fltheory.papers.sfl.kinked.proofs.kinked import GROW, HERE, READING, USES, a, b, q
from fltheory.papers.sfl.kinked.proofs.stray import DRAWN, NOISE, g, m
from fltheory.papers.sfl.kinked.proofs.walk import PULL, STEPS, c, k, p, x
from fltheory.papers.sfl.notation import M, eta, lam0, zeta
from fltheory.papers.sfl.signs.proofs.between import UPPER
from fltheory.proof import Defines, Given, Relation, Theorem, by, eq, le, line, proof, statement_of
from fltheory.proof.terms import E, substitute
from fltheory.verification import find

_ANY = {g: M / 2 - 2}
CLIENTS = (c, 0, M - 1)
READ = {symbol: value for symbol, value in READING.items() if symbol != M}


def widened(relation: Relation) -> Relation:
    """Return the relation with M for 2 g + 4, in its ranges too."""
    over = tuple((index, substitute(low, _ANY), substitute(high, _ANY)) for index, low, high in relation.over)
    return Relation(substitute(relation.left, _ANY), relation.op, substitute(relation.right, _ANY), over)


def given(*hypotheses: Any) -> tuple[Any, ...]:
    """Return the hypotheses on a round of any number of clients."""
    return tuple(replace(h, relation=widened(h.relation)) if isinstance(h, Given) else h for h in hypotheses)


# Lemma 14 and (9) --------------------------------------------------------------------------------------------------------

MOST = (
    proof("sfl/stray-most-any", "Lemma 12", note="for every number of clients").under(*given(*stray.MOST.hypotheses))
    .step("position", le(c + 1, M, CLIENTS), by.polynomial())
    .step("step", le(k, notation.K - 1, STEPS), by.polynomial())
    .step("Lemma 12", by.apply(UPPER, stray._PLACE[1:], "position", "step", "unit", "fair"),
        inserting=("noise", "sums"))
    .qed(widened(stray.MOST.statement), by.linear("Lemma 12"), name="most")
)
_GROW = tuple(
    replace(t, claim=widened(t.claim), **({"rule": by.apply(MOST, "unit", "fair")[0]} if t.id == "strays" else {}))
    for t in GROW
)
_ROUND = given(*kinked.WALK, NOISE, PULL, *DRAWN, kinked.SHORT)
AT = {key: value for key, value in kinked.AT.items() if key != M}


def placed(name: str, claim: str, quantity: Expr, each: Relation, base: str, share: Expr) -> Theorem:
    """Prove a bound at every place of a round, at the place of the claim; ``share`` is the factor of s."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity, READ)
    every = widened(each)
    return (
        proof(name, of=claim, bound=bound, reading=READ, unused=("c3",)).under(*conditions, *_ROUND)
        .steps(*_GROW)
        .step("every place", every, by.apply(base, AT, *USES), inserting=("noise", "pull"))
        .step("there", by.instance({c: b, k: q}, "every place", "c4", "c5"))
        .steps(HERE)
        .qed(statement, by.linear("there", "s here"), name="here")
    )


L14 = placed("sfl/L14-any", "sfl/L14@corrected", E(Abs(x(b + 1, q) - a)), kinked._EACH14, "sfl/kink-drift",
    Rational(101, 100) * eta * zeta)
I9 = placed("sfl/I9-any", "sfl/I9@printed", E(p(b + 1, q)), kinked._EACH9, "sfl/kink-pull", lam0 * eta * zeta / 1000)

# (8) and (10) ------------------------------------------------------------------------------------------------------------

EVEN = Given("even number", eq(M, m), "half of the clients lean to either side")


def even(base: Theorem, claim: str, quantity: Expr) -> Theorem:
    """Prove a theorem on 2 g + 4 clients for M of them."""
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity, READ)
    shown = tuple(c.id for c in conditions)
    own = tuple(h for h in base.hypotheses if h.id not in shown)
    ranged = tuple(h for h in own if isinstance(h, Given) and h.relation.over and widened(h.relation).over != h.relation.over)
    here = tuple(
        line(f"{h.id} here",
            Relation(substitute(h.relation.left, _ANY), h.relation.op, substitute(h.relation.right, _ANY),
                h.relation.over), by.linear(h.id, "even number"))
        for h in ranged
    )
    uses = (*shown, *(f"{h.id} here" if h in ranged else h.id for h in own if isinstance(h, Given)))
    return (
        proof(f"{base.id}-even", of=claim, bound=bound, reading=READ).under(*conditions, *given(*own), EVEN)
        .steps(*here)
        .qed(statement, by.apply(base.id, *uses), name="last",
            inserting=("even number", *(h.id for h in own if isinstance(h, Defines))))
    )


I8 = even(kinked.I8, "sfl/I8@strengthened", Rational(501, 1000) * lam0 * a - E(p(b + 1, q)))
I10 = even(ahead.I10, "sfl/I10@printed", E(x(M + 1, 0)))
THEOREMS = (MOST, L14, I9, I8, I10)
