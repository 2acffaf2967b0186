"""Lemmas as their claims state them: one side divided by the other, where that side is positive."""

from __future__ import annotations

from sympy import Pow, sqrt

from fltheory.papers.delta_sgd.background.proofs import examples
from fltheory.papers.delta_sgd.convex.proofs import lemma4, lyapunov, strengthened
from fltheory.papers.delta_sgd.displays.proofs import displays
from fltheory.papers.delta_sgd.nonconvex.proofs import drift
from fltheory.papers.delta_sgd.notation import K, L, L_hat, eta_0, m, mu, rho
from fltheory.papers.delta_sgd.rule.proofs import rule
from fltheory.papers.delta_sgd.smoothness.proofs import direction, facts, smooth
from fltheory.proof.facts import squares
from fltheory.proof.papers.quotients import quotient_rules, quotient_theorem
from fltheory.proof.terms import square

RULES = quotient_rules("delta_sgd", "Section 2")
_ALL = {
    theorem.id.removeprefix("delta_sgd/"): theorem
    for module in (direction, displays, drift, examples, facts, lemma4, lyapunov, rule, strengthened, smooth)
    for theorem in module.THEOREMS
}
_WHOLE = (  # claims whose right side bounds the left without division
    ("R4", "R4@printed"),
    ("7", "7@printed"),
    ("19", "19-drift@printed"),
    ("L4-m1", "L4-one@corrected"),
    ("L4-smaller", "L4-smaller@strengthened"),
    ("L4-wider", "L4-one@strengthened"),
    ("L4-equal", "L4-sync@corrected"),
    ("L4-sync", "L4-ratio@strengthened"),
    ("V-m1", "V-one@corrected"),
    ("V-wider", "V-one@strengthened"),
    ("V-sync", "V-sync@corrected"),
    ("33", "33@printed"),
    ("34", "34@printed"),
    ("34-mean", "34-mean@printed"),
    ("36-one", "36@printed"),
)
THEOREMS = (
    *RULES,
    *(quotient_theorem(RULES, _ALL[base], f"delta_sgd/{claim}") for base, claim in _WHOLE),
    quotient_theorem(RULES, _ALL["8"], "delta_sgd/8@printed", m, {squares.N: m}),
    quotient_theorem(RULES, _ALL["20"], "delta_sgd/20@printed", K),
    quotient_theorem(RULES, _ALL["21"], "delta_sgd/21-sum@strengthened", (K - 1) / 2,
        apart=next(iter(_ALL["21"].statement.right.atoms(Pow))).base),
    quotient_theorem(RULES, _ALL["L3-11"], "delta_sgd/L3-11@printed", apart=square(smooth.x - smooth.y)),
    quotient_theorem(RULES, _ALL["L3-12"], "delta_sgd/L3-12@printed", L**2, reading={L_hat: L}),
    quotient_theorem(RULES, _ALL["L4-letter"], "delta_sgd/L4-letter@corrected", reading={eta_0: lemma4.STEP}),
    quotient_theorem(RULES, _ALL["A1c"], "delta_sgd/A1c-cone@corrected", 1 - sqrt(rho)),
    quotient_theorem(RULES, _ALL["C-Lmax"], "delta_sgd/C-Lmax@explicit", (1 - mu / L) ** 2),
)
