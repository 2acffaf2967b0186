"""Regret bounds and parameter choices of the paper that stored cases of the catalogue violate, by exact evidence."""

from __future__ import annotations

from fltheory.model.bound import Bound
from fltheory.papers.aaggff import bounds
from fltheory.proof import Theorem, by, proof, statement_of
from fltheory.proof.terms import E, RandomScalar, Scalar, family
from fltheory.verification import find

regret, played = family(Scalar, "regret")(), family(RandomScalar, "regret")()
found = family(Scalar, "found")()


def printed(name: str, bound: Bound, quantity: object, note: str, reading: str = "printed") -> Theorem:
    """Refute a printed bound, of a theorem or of a strict reading of it, by a stored case of the catalogue."""
    claim = f"aaggff/{name}@{reading}"
    statement, conditions = statement_of(bound, quantity)
    return (
        proof(claim, of=claim, bound=bound, recorded="REFUTED", unused=tuple(g.id for g in conditions), note=note)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim), note=note)
    )


def step(claim: str, note: str) -> Theorem:
    """Refute a step of the proof of Theorem 5.1 by a stored case; the bound is the claim's own."""
    return printed(claim, find(f"aaggff/{claim}@printed").bound, found, note)


THEOREMS = (
    printed("T5.1", bounds.T51, regret,
        "beta = 1/(4 L_inf) is more than the curvature of the loss for small responses"),
    printed("T5.1-coin", bounds.T51, regret, "no learner at all has so little regret on a fair coin"),
    printed("T5.2-algorithm", bounds.T52, regret, "Algorithm 3 with all clients linearises the gradient as well"),
    printed("T5.2-step", bounds.T52_AT_D, regret, "and its rate is meant for estimates, not for gradients", "strict"),
    printed("C5.3", bounds.C53, E(played), "the estimate is biased, and linearised"),
    printed("C5.3-factor", bounds.C53_K, E(played), "with the factor K as well"),
    step("67-convex", "the modulus is 1, also where beta is above it"),
    step("70", "with that modulus the factor 1/(2 beta) is less than 1/2"),
    step("72", "where (70) is used"),
    step("76", "the cited lemma is about gradients times the root of beta"),
    step("79", "where (76) is used"),
    step("80", "for a beta that is more than the curvature of the loss"),
)
