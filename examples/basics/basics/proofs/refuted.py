"""The false claims: each is refuted by the case that it is recorded with, exactly."""

from basics.claims import CLAIMS
from basics.proofs.words import x
from fltheory.proof import by, proof, statement_of
from fltheory.proof.terms import E, square
from fltheory.symbols import n_rounds as R

MEASURED = E(square(x(R)))  # a name for what is measured: the case is what counts


def refuted(claim):
    """The theorem that a claim is false."""
    statement, conditions = statement_of(claim.bound, MEASURED)
    unused = tuple(condition.id for condition in conditions)
    return (
        proof(claim.id.split("@")[0], of=claim.id, bound=claim.bound, recorded="REFUTED", unused=unused)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim.id))
    )


THEOREMS = tuple(refuted(claim) for claim in CLAIMS if claim.entry.recorded == "violated")
