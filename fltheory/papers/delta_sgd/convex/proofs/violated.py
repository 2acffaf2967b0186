"""Printed bounds and strict readings that stored cases of the catalogue violate, by exact evidence.

Other counterexamples are beside the proofs.
"""

from __future__ import annotations

from sympy import Expr

from fltheory.model.bound import Bound
from fltheory.papers.delta_sgd import bounds
from fltheory.papers.delta_sgd.background import bounds as bounds_lemmas
from fltheory.papers.delta_sgd.displays import bounds as bounds_displays
from fltheory.papers.delta_sgd.nonconvex import bounds as bounds_nonconvex
from fltheory.papers.delta_sgd.rule import bounds as bounds_rule
from fltheory.proof import Theorem, by, proof, statement_of
from fltheory.proof.terms import Scalar, family
from fltheory.verification import find

gap, ratio = family(Scalar, "gap")(), family(Scalar, "ratio")()


def printed(name: str, bound: Bound, quantity: Expr, note: str) -> Theorem:
    """Refute a statement by a stored case of the catalogue."""
    claim = f"delta_sgd/{name}"
    statement, conditions = statement_of(bound, quantity)
    return (
        proof(claim, of=claim, bound=bound, recorded="REFUTED", unused=tuple(g.id for g in conditions), note=note)
        .under(*conditions)
        .qed(statement, by.stored_counterexample(claim), note=note)
    )


def of_catalogue(name: str, quantity: Expr, note: str) -> Theorem:
    """Refute the bound that the claim itself states by a stored case."""
    return printed(name, find(f"delta_sgd/{name}").bound, quantity, note)


THEOREMS = (
    printed("C3-optimal@strict", bounds_lemmas.OPTIMAL_STEP, gap, "other steps guarantee more after one step"),
    printed("R3-gamma@explicit", bounds_rule.OF_ORDER, ratio, "steps grow beyond the order of gamma"),
    printed("L4-apart@printed", bounds.DECREASE, ratio, "the minimiser of f is none of the clients'"),
    printed("V-B@printed", bounds.LYAPUNOV, ratio, "clients that share their iterate"),
    printed("V-C@printed", bounds.LYAPUNOV, ratio, "clients that start each round from their mean"),
    printed("V-modest@explicit", bounds.LYAPUNOV_AMPLIFIED, ratio, "one client, the amplifier 13/10"),
    printed("T5-B@printed", bounds.T5_PRINTED, gap, "no common minimiser"),
    printed("T5-B-common@printed", bounds.T5_PRINTED, gap, "a common minimiser, a large first ratio"),
    printed("T5-C@printed", bounds.T5_PRINTED, gap, "clients that start each round from their mean"),
    printed("T5-A@explicit", bounds.T5_RANGE, gap, "clients that overshoot in opposite directions"),
    printed("T5-A-meets@strict", bounds.T5_MET, gap, "clients that never meet"),
    printed("T1-rho@printed", bounds.T1_PRINTED, gap, "clients that differ much: rho > 1"),
    printed("T1-same@printed", bounds_nonconvex.T1_NEAR, gap, "step and noise are dependent: the released code"),
    printed("T1-reuse@printed", bounds_nonconvex.T1_NEAR, gap, "steps from the gradients that move the client"),
    of_catalogue("T1-steps@strict", gap, "steps grow like 1.618^K in a round where most samples are straight"),
    printed("T1-tiny@strict", bounds_nonconvex.T1_ANY_STEPS, gap, "O(.) of a step lets it be as small as one likes"),
    printed("T1-units@printed", bounds_nonconvex.T1_NEAR, gap, "the first term has lost a Lipschitz constant"),
    printed("T1-eps@strict", bounds_nonconvex.T1_NORM, gap, "of the norm itself, not squared"),
    printed("14-tower@printed", bounds_displays.TOWER, gap, "a step that knows the noise that it multiplies"),
    printed("14@printed", bounds_displays.EXPECTED, gap, "a step that knows the noise that it multiplies"),
    printed("15@printed", bounds_displays.ADDED, gap, "D_t depends on chance"),
    printed("21-chosen@strict", bounds_displays.A1_CHOSEN, gap, "steps that depend on past noise"),
    printed("25-chosen@strict", bounds_displays.A4_CHOSEN, gap, "steps that depend on past noise"),
    printed("28@printed", bounds_displays.ROUND, ratio, "the value itself instead of its mean"),
    printed("29@printed", bounds_displays.TAKEN, ratio, "steps that differ much take more of the gradient"),
    printed("30@printed", bounds_displays.SUMMED, gap, "values do not telescope once each is divided"),
    printed("30-O@printed", bounds_displays.SUMMED_OMEGA, gap, "an upper bound of D_t taken for a lower one"),
    printed("FP@strict", bounds_rule.AT_MINIMISER, gap, "clients with unequal curvatures"),
    printed("FP-fednova@explicit", bounds_rule.FEDNOVA, gap, "large steps"),
    of_catalogue("33-C@strict", ratio, "clients that start each round from their mean step along another gradient"),
    of_catalogue("34-C@strict", ratio, "and their moves are not their steps"),
    of_catalogue("L4-letter@strict", ratio, "FedSGD with a step size beyond 2/L"),
    of_catalogue("T5-letter@strict", gap, "FedSGD with the step size 1, as the proof assumes"),
    of_catalogue("L4-released@explicit", ratio, "steps of 1e-8 are long where the curvature is 1e9"),
    of_catalogue("A1-released@strict", gap, "the first step of a round has grown already"),
    of_catalogue("R5-released@explicit", ratio, "1e-8 has no unit"),
)
