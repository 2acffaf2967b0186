"""The end of the proof of Theorem 6, (56) and (57), along moving comparators; a client active once (Appendix D.2)."""

from __future__ import annotations

from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.model.schema import one_of
from fltheory.papers.osmd.notation import L, T, mu
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.sampling.cases.comparators import ActiveOnce, Walk
from fltheory.runs.measures import GRADIENT_SQUARED

PROOF = "proof of Theorem 6"

# (56) and (57): the cost of moving a comparator inside ---------------------------------------------------------------

WALKS = (
    Case(Walk(((1, 20), (20, 1), (1, 1)), ((1, 5), (4, 1), (1, 2)), 2, "1/2")),
    Case(Walk(((1, 30, 30), (30, 30, 1)), ((0, 1, 1), (1, 1, 0)), 3, "9/10")),
    Case(Walk(((0, 1, 5, 1),), ((0, 1, 2, 3),), 1, "1/10")),
    Case(Walk(((0, 1),), ((0, 1),), 2, "1/2")),
)
STILL = Case(Walk(((1, 20), (1, 20)), ((1, 3), (1, 3)), 1, "1/2"))
ALTERNATING = Case(Walk(((0, 1), (1, 19), (0, 1), (1, 19)), ((0, 1),) * 4, 1, "99/100"))
costly = requires("comparators with feedback above the floor, and mass below it",
    lambda one, c: None if one.allowed_above else "moving them costs nothing")
outside = requires("a comparator below the floor",
    lambda one, c: None if one.missing else "nothing lies below the floor")

PROJECTED = (
    PAPER.lemma("C-54", f"{PROOF} (54)", "D-Regret(q) - (Σ l(p) - Σ l(q̃) + Σ l(q̃) - Σ l(q)), p uniform",
        lambda one, c: one.split, GRADIENT_SQUARED, cases=WALKS, family=Walk.drawn()).printed(
        "(54): the regret against q is the regret against q̃ plus the excess loss of q̃ over q", Eq(quantity, 0),
        remark="Only where the loss of q is finite: it is infinite if q has no mass on a client with feedback."),
    PAPER.lemma("C-56-step", f"{PROOF} (56)", "Σ (l(q̃) - l(q)) / (1/K) Σ φ Σ a/q over the clients above the floor",
        lambda one, c: one.dearer / one.allowed_above, cases=WALKS, family=Walk.drawn(), assumptions=[costly]).printed(
        "(56), third line: Σ l(q̃) - Σ l(q) <= (1/K) Σ φ Σ a/q over the clients above the floor", quantity <= 1),
    *PAPER.lemma("C-57", f"{PROOF} (57)", "(TV(q̃) - TV(q)) / Σψ", lambda one, c: one.variation / one.missing,
        cases=(*WALKS, STILL, ALTERNATING), family=Walk.drawn(), assumptions=[outside]).readings(
        printed("(57): TV(q̃) - TV(q) <= 4Σψ", quantity <= 4),
        strengthened("TV(q̃) <= TV(q): moving comparators into the floored simplex does not increase their variation",
            quantity <= 0)),
)

# Appendix D.2: an absent client --------------------------------------------------------------------------------------

once = requires("the second client is active in the first round alone",
    lambda one, c: f"it answers again, in round {one.answers[1] + 1}" if len(one.answers) > 1 else None)

UNAVAILABLE = (
    PAPER.lemma("C-D2-once", "Appendix D.2",
        "how far the run ends from the minimiser, over the distance of the clients' minimisers from it",
        lambda one, c: abs(one.end), family=ActiveOnce.drawn(every=one_of(0)), assumptions=[once]).explicit(
        "One client is active only once: with all active clients in every round the run leaves the minimiser that it starts at",
        Eq(quantity, 1 - (1 - mu * L / 2) ** (T - 1)), given=[mu * L <= 2],
        cases=(Case(ActiveOnce("1/2", 10)), Case(ActiveOnce(1, 3)), Case(ActiveOnce("1/10", 60))),
        remark="The text: not guaranteed to converge even with all active clients, as when one is active only once."),
)

CLAIMS: tuple[Claim, ...] = (*PROJECTED, *UNAVAILABLE)
