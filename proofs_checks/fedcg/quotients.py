"""Lemmas in the words of their claims: a quotient of the sides, or their difference."""

from __future__ import annotations

from sympy import Expr

from proofs_checks.fedcg import greedy, lemmas, local, memberships, sampling, variance
from proofs_checks.quotients import divided, moved, rules

RULES = rules("fedcg", "Section 2")
_ALL = {
    theorem.id.removeprefix("fedcg/"): theorem
    for module in (greedy, lemmas, local, memberships, sampling, variance)
    for theorem in module.THEOREMS
}


def _sides(name: str) -> tuple[Expr, Expr]:
    line = _ALL[name].statement
    return line.left, line.right


THEOREMS = (
    *RULES,
    divided(RULES, _ALL["A.1"], "fedcg/A.1@printed"),
    divided(RULES, _ALL["A.2"], "fedcg/A.2@sharpened"),
    divided(RULES, _ALL["A.4-mean"], "fedcg/A.4-mean@printed"),
    divided(RULES, _ALL["D.4-fewer"], "fedcg/D.4-fewer@sharpened"),
    divided(RULES, _ALL["T5.1-fewer"], "fedcg/T5.1-fewer@sharpened"),
    moved(_ALL["L3.3"], "fedcg/L3.3@printed", _sides("L3.3")[0] - _sides("L3.3")[1]),
    moved(_ALL["L4.1"], "fedcg/L4.1@printed", _sides("L4.1")[0] - _sides("L4.1")[1]),
)
