"""The end of the proof of Theorem 6, (56) and (57); which comparators a regret may have; clients that are away (Appendix D.2)."""

from __future__ import annotations

from fractions import Fraction

from sympy import Eq

from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.papers.osmd.claims.sampling import relative
from fltheory.papers.osmd.data.comparators import BEFORE, OWN, ActiveOnce, Away, Looking, Walk
from fltheory.papers.osmd.exact import enumeration as law
from fltheory.papers.osmd.letters import K, T, eta
from fltheory.papers.osmd.paper import PAPER
from fltheory.record import among
from fltheory.statement import IT, Constants, when

PROOF = "proof of Theorem 6"

# (56) and (57): what moving a comparator inside costs ----------------------------------------------------------------

WALKS = (
    Case(Walk(((1, 20), (20, 1), (1, 1)), ((1, 5), (4, 1), (1, 2)), 2, "1/2")),
    Case(Walk(((1, 30, 30), (30, 30, 1)), ((0, 1, 1), (1, 1, 0)), 3, "9/10")),
    Case(Walk(((0, 1, 5, 1),), ((0, 1, 2, 3),), 1, "1/10")),
    Case(Walk(((0, 1),), ((0, 1),), 2, "1/2")),
)
STILL = Case(Walk(((1, 20), (1, 20)), ((1, 3), (1, 3)), 1, "1/2"))
ALTERNATING = Case(Walk(((0, 1), (1, 19), (0, 1), (1, 19)), ((0, 1),) * 4, 1, "99/100"))
costly = when(
    "comparators below the floor, with feedback", lambda one, c: None if one.allowed else "moving them costs nothing"
)
costly_above = when(
    "comparators with feedback above the floor, and mass below it",
    lambda one, c: None if one.allowed_above else "moving them costs nothing",
)
outside = when("a comparator below the floor", lambda one, c: None if one.missing else "nothing lies below the floor")


@PAPER.lemma("C-56", f"{PROOF} (56)", on=WALKS, family=Walk.drawn(), when=[costly])
def loss_of_projection(one: Walk, c: Constants) -> Fraction:
    """Σ (l(q̃) - l(q)) / Σ φ l(q)"""
    return one.dearer / one.allowed


@PAPER.lemma("C-56-step", f"{PROOF} (56)", on=WALKS, family=Walk.drawn(), when=[costly_above])
def loss_above(one: Walk, c: Constants) -> Fraction:
    """Σ (l(q̃) - l(q)) / (1/K) Σ φ Σ a/q over the clients above the floor"""
    return one.dearer / one.allowed_above


@PAPER.lemma("C-57", f"{PROOF} (57)", on=(*WALKS, STILL, ALTERNATING), family=Walk.drawn(), when=[outside])
def variation_of_projection(one: Walk, c: Constants) -> Fraction:
    """(TV(q̃) - TV(q)) / Σψ"""
    return one.variation / one.missing


PROJECTED = (
    loss_above.printed(
        "(56), third line: Σ l(q̃) - Σ l(q) <= (1/K) Σ φ Σ a/q over the clients above the floor", IT <= 1
    ),
    loss_of_projection.printed(
        "(56), last line: Σ l(q̃) - Σ l(q) <= (1/K) Σ φ l(q)",
        IT <= 1 / K,
        refuted_by=[Case(Walk(((1, 20),), ((0, 1),), 2, "1/2"))],
        remark="The loss (4) has the factor 1/K already. The theorem is true all the same: its terms pay for it.",
    ),
    loss_of_projection.corrected("Σ l(q̃) - Σ l(q) <= Σ φ l(q)", IT <= 1, note="without 1/K"),
    variation_of_projection.printed("(57): TV(q̃) - TV(q) <= 4Σψ", IT <= 4),
    variation_of_projection.sharpened("TV(q̃) <= TV(q): moving inside takes comparators no farther apart", IT <= 0),
)

# Which comparators: q^t may look at the past, not at the draws of its own round -------------------------------------

LOOKING = (Case(Looking((1, 1), (1, 1), (9, 1), (1, 9))), Case(Looking((3, 1, 2), (1, 2, 3), (1, 1, 1), (5, 1, 1), 2)))
AT_ITS_OWN = Case(Looking((1, 1), (1, 1), (9, 1), (1, 9), looks_at=OWN))
predictable = when(
    "a comparator that does not look at its own round",
    lambda one, c: None if one.looks_at == BEFORE else "it looks at the draws of its own round",
)


@PAPER.lemma("C-comparator", "proof of Proposition 13")
def estimated_over_true(one: Looking, c: Constants) -> Fraction:
    """E l̂(q) / E l(q)"""
    estimated, true = one.means
    return estimated / true


COMPARED = (
    estimated_over_true.printed(
        "The estimated loss of the comparator has the mean of its loss, whatever the comparator",
        Eq(IT, 1),
        family=Looking.drawn(),
        refuted_by=[AT_ITS_OWN],
        remark="The proof takes expectations of (52) so; a comparator that is chosen with the draws in sight is not covered.",
    ),
    estimated_over_true.corrected(
        "The estimated loss of a predictable comparator has the mean of its loss",
        Eq(IT, 1),
        note="q^t may depend on the draws of the rounds before, not on its own",
        on=LOOKING,
        when=[predictable],
        family=Looking.drawn(looks_at=among(BEFORE)),
    ),
)

# Appendix D.2: some clients are away ---------------------------------------------------------------------------------

AWAY = (
    Case(Away((6, 3, -3), (1, 2, 1), 2, active=(1, 1, 1))),
    Case(Away((6, 3, -3), (1, 2, 1), 1, active=(1, 0, 1))),
    Case(Away(((1, 0), (0, 2), (-1, 1), ("1/2", 3)), (1, 2, 3, 4), 2, (1, 1, 2, 4), active=(1, 1, 0, 1))),
    Case(Away((6, 3, -3), (1, 2, 1), 3, active=(0, 1, 1))),
)


@PAPER.lemma("C-D2-mean", "Appendix D.2", on=AWAY, family=Away.drawn())
def of_the_active(one: Away, c: Constants) -> Fraction:
    """|E g - Σ over the active clients|² / (K l(p))"""
    return relative(one.mean, one.sum_of(one.here), law.loss(one.a, one.p))


@PAPER.lemma("C-D2-mean", "Appendix D.2", family=Away.drawn())
def of_everyone(one: Away, c: Constants) -> Fraction:
    """|E g - J|² / (K l(p))"""
    return relative(one.mean, one.sum_of((1,) * len(one.here)), law.loss(one.a, one.p))


@PAPER.lemma("C-D2-once", "Appendix D.2", family=ActiveOnce.drawn(every=among(0)))
def drift(one: ActiveOnce, c: Constants) -> Fraction:
    """how far the run ends from the minimiser"""
    return abs(one.end)


UNAVAILABLE = (
    of_everyone.literal(
        "The estimator (2) with the rescaled distribution is unbiased for J, as with all clients",
        Eq(IT, 0),
        note="(2) to the letter, with p̃ in place of p",
        refuted_by=AWAY[1:2],
        remark="The text does not say so, and rightly: clients that are away are missing from the mean.",
    ),
    of_the_active.explicit(
        "With the rescaled distribution (2) is unbiased for the sum over the active clients", Eq(IT, 0)
    ),
    drift.explicit(
        "A client that is active once: with all active clients in every round the run leaves the minimiser where it started",
        Eq(IT, 1 - (1 - eta / 2) ** (T - 1)),
        on=(Case(ActiveOnce("1/2", 10)), Case(ActiveOnce(1, 3)), Case(ActiveOnce("1/10", 60))),
        remark="The text: not guaranteed to converge even with all active clients, as when one is active only once.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*PROJECTED, *COMPARED, *UNAVAILABLE)
