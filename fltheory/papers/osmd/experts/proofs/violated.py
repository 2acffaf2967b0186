"""Printed rates that stored cases of the catalogue violate, by exact evidence."""

from __future__ import annotations

from sympy import Expr

from fltheory.proof import Theorem, by, proof, statement_of
from fltheory.proof.terms import Scalar, family
from fltheory.verification import find

gradient, regret = family(Scalar, "gradient")(), family(Scalar, "regret")()


def printed(name: str, quantity: Expr, note: str) -> Theorem:
    """Refute a printed bound by a stored case of the catalogue."""
    claim = f"osmd/{name}@printed"
    bound = find(claim).bound
    statement, conditions = statement_of(bound, quantity)
    return (
        proof(claim, of=claim, bound=bound, recorded="REFUTED", unused=tuple(g.id for g in conditions), note=note)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim), note=note)
    )


THEOREMS = (
    printed("C-T5", gradient, "the regret of the sampler has lost its factor M G^2/(K alpha^3)"),
    printed("C-T9b", gradient, "the same with experts"),
    printed("C-T8", regret, "at the printed rate of the weights they follow the leader, whom the adversary leaves"),
    printed("C-T10", regret, "the same in every block"),
)
