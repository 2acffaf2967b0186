"""Lemmas in the words of their claims: one side divided by the other, where that side is positive."""

from __future__ import annotations

import re

from sympy import Expr, Integer, Pow, Symbol, sqrt

from fltheory.known import find
from fltheory.papers.delta_sgd.letters import K, L, L_hat, eta_0, m, mu, rho
from fltheory.proof import Defines, Given, Relation, Theorem, by, eq, le, lt, proof, stated
from fltheory.proof.terms import square, substitute
from proofs_checks.delta_sgd import direction, displays, drift, examples, facts, lemma4, lyapunov, rule, sharper, smooth
from proofs_checks.osmd import facts as osmd_facts

ONE = Integer(1)
top, below, factor = Symbol("top", real=True), Symbol("below", positive=True), Symbol("factor", real=True)
_CONDITION = re.compile(r"c\d+")
MOST = (
    proof("delta_sgd/quotient-most", "Section 2", note="an upper bound, divided")
    .given("order", le(top, factor * below), "one side is at most so many times the other")
    .qed(le(top / below, factor), by.combine({"order": 1 / below}))
)
LEAST = (
    proof("delta_sgd/quotient-least", "Section 2", note="a lower bound, divided")
    .given("order", le(factor * below, top), "one side is at least so many times the other")
    .qed(le(factor, top / below), by.combine({"order": 1 / below}))
)
SAME = (
    proof("delta_sgd/quotient-same", "Section 2", note="an equation, divided")
    .given("order", eq(top, factor * below), "one side is so many times the other")
    .qed(eq(top / below, factor), by.combine({"order": 1 / below}))
)
_RULES = {"upper": MOST, "lower": LEAST, "equal": SAME}


def divided(
    base: Theorem,
    claim: str,
    times: Expr = ONE,
    at: dict[Expr, Expr] | None = None,
    reading: dict[Symbol, Expr] | None = None,
    apart: Expr = ONE,
) -> Theorem:
    """A claim about a quotient from the relation of its sides: the larger one is ``times`` what is divided by.

    ``at`` replaces letters of the base, ``reading`` those of the bound; ``apart`` is not 0 beside what is divided by.
    """
    bound, values, name = find(f"delta_sgd/{claim}").bound, at or {}, f"delta_sgd/{claim}"
    rule = _RULES[bound.side]
    left, right = (substitute(side, values) for side in (base.statement.left, base.statement.right))
    over, part = (left / times, right) if bound.side == "lower" else (right / times, left)
    statement, conditions = stated(bound, part / over, reading)
    own = tuple(h for h in base.hypotheses if not _CONDITION.fullmatch(h.id))
    known = tuple(c.id for c in conditions)
    given = (*(h.id for h in own if not isinstance(h, Defines)), *known)
    signs = (Given("positive", lt(0, over), "what is divided by; the quotient has no value else"),)
    if apart != ONE:
        signs += (Given("apart", lt(0, apart), "the same, of a part of it"),)
    inserted = tuple(h.id for h in own if isinstance(h, Defines))
    sides = Relation(left, base.statement.op, right)
    return (
        proof(name, of=name, bound=bound, reading=reading or {})
        .under(*own, *conditions, *signs)
        .step("sides", sides, by.apply(base.id, values, *given), inserting=inserted)
        .qed(
            statement,
            by.apply(
                rule.id,
                {top: part, below: over, factor: times},
                "sides",
                *(s.id for s in signs),
                *(known if apart == ONE else ()),
            ),
        )
    )


_ALL = {
    theorem.id.removeprefix("delta_sgd/"): theorem
    for module in (direction, displays, drift, examples, facts, lemma4, lyapunov, rule, sharper, smooth)
    for theorem in module.THEOREMS
}
_WHOLE = (  # claims whose right side bounds the left as it stands
    ("R4", "R4@printed"),
    ("7", "7@printed"),
    ("19", "19-drift@printed"),
    ("L4-m1", "L4-one@corrected"),
    ("L4-smaller", "L4-smaller@sharpened"),
    ("L4-wider", "L4-one@sharpened"),
    ("L4-equal", "L4-sync@corrected"),
    ("L4-sync", "L4-ratio@sharpened"),
    ("V-m1", "V-one@corrected"),
    ("V-wider", "V-one@sharpened"),
    ("V-sync", "V-sync@corrected"),
    ("33", "33@printed"),
    ("34", "34@printed"),
    ("34-mean", "34-mean@printed"),
    ("36-one", "36@printed"),
)
THEOREMS = (
    MOST,
    LEAST,
    SAME,
    *(divided(_ALL[base], claim) for base, claim in _WHOLE),
    divided(_ALL["8"], "8@printed", m, {osmd_facts.N: m}),
    divided(_ALL["20"], "20@printed", K),
    divided(_ALL["21"], "21-sum@sharpened", (K - 1) / 2, apart=next(iter(_ALL["21"].statement.right.atoms(Pow))).base),
    divided(_ALL["L3-11"], "L3-11@printed", apart=square(smooth.x - smooth.y)),
    divided(_ALL["L3-12"], "L3-12@printed", L**2, reading={L_hat: L}),
    divided(_ALL["L4-letter"], "L4-letter@corrected", reading={eta_0: lemma4.STEP}),
    divided(_ALL["A1c"], "A1c-cone@corrected", 1 - sqrt(rho)),
    divided(_ALL["C-Lmax"], "C-Lmax@explicit", (1 - mu / L) ** 2),
)
