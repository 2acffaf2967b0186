"""Printed bounds that stored cases of the catalogue violate, by exact evidence; other witnesses stand beside the proofs."""

from __future__ import annotations

from typing import Any

from fltheory.bound import Bound
from fltheory.papers.delta_sgd import bounds
from fltheory.proof.language import Step, Theorem, Violated, stated
from fltheory.proof.terms import Scalar, family

gap, ratio = family(Scalar, "gap")(), family(Scalar, "ratio")()


def printed(name: str, bound: Bound, quantity: Any, note: str) -> Theorem:
    """A statement that a stored case of the catalogue violates."""
    claim = f"delta_sgd/{name}"
    statement, conditions = stated(bound, quantity)
    step = Step("1", statement, Violated(claim), expected="REFUTED", note=note)
    return Theorem(
        claim, statement, conditions, (step,), "REFUTED", claim, bound.source.place, note,
        tuple(g.id for g in conditions), bound,
    )  # fmt: skip


THEOREMS = (
    printed("L4-apart@printed", bounds.DECREASE, ratio, "the minimiser of f is none of the clients'"),
    printed("V-B@printed", bounds.LYAPUNOV, ratio, "clients that share their iterate"),
    printed("V-C@printed", bounds.LYAPUNOV, ratio, "clients that start each round from their mean"),
    printed("V-modest@explicit", bounds.LYAPUNOV_AMPLIFIED, ratio, "one client, the amplifier 13/10"),
    printed("T5-B@printed", bounds.T5_PRINTED, gap, "no common minimiser"),
    printed("T5-B-common@printed", bounds.T5_PRINTED, gap, "a common minimiser, a large first ratio"),
    printed("T5-C@printed", bounds.T5_PRINTED, gap, "clients that start each round from their mean"),
    printed("T5-A-meets@printed", bounds.T5_PRINTED, gap, "clients that never meet"),
    printed("T1-rho@printed", bounds.T1_PRINTED, gap, "clients that differ much: rho > 1"),
)
