"""Lemmas A.1 and 4.1 with the steps of their proofs: curvature and Lipschitz constants of the decision loss."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Eq, floor

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, imported_late, printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.number.mixed import Mixed, mixed_log, to_mixed
from fltheory.number.vectors import total
from fltheory.papers.aaggff.bounds import RANGE, H, L, V
from fltheory.papers.aaggff.instances.lemmas import Blend, ResponseBox, TwoDecisions, Vector
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.notation import C1, C2, K
from fltheory.papers.aaggff.paper import lemma

families = imported_late("fltheory.papers.aaggff.losses.families")


# Assumptions --------------------------------------------------------------------------------------------------------


def _out_of_range(one: TwoDecisions, c: Constants) -> str | bool:
    low, high = (vars(c).get(name) for name in (C1.name, C2.name))
    if not isinstance(low, int | Fraction) or not isinstance(high, int | Fraction):
        return "expected rational numbers for response_low and response_high"
    return bool(min(one.response) < low or high < max(one.response)) and "a response leaves [C1, C2]"


def _level(one: TwoDecisions, c: Constants) -> bool:
    a, b = one.growths
    return a == b


RANGED = requires("responses lie in [C1, C2]", _out_of_range)
DIFFERENT = requires("p is not q", lambda one, c: not any(one.move) and "the decisions are the same")
APART = requires("the decisions have different returns", lambda one, c: _level(one, c) and "<p, r> = <q, r>")
LEVEL = requires("the decisions have the same return", lambda one, c: not _level(one, c) and "<p, r> is not <q, r>")


def decision_case(low: Number, high: Number, *rows: tuple[Number, ...], **more: object) -> Case:
    """Return a case of two decisions with a range of responses."""
    return Case(TwoDecisions(*rows), response_low=low, response_high=high, **more)


# Lemma A.1: convexity -----------------------------------------------------------------------------------------------

FLAT = Case(Blend(("1/2", "1/4", 0), (1, 0, 1), (0, 1, 0)))
FLATS = (FLAT, Case(Blend((1, 1, "1/10"), (1, 0, 0), (0, 1, 0), "1/3")), Case(Blend((2, "1/2"), (1, 1), (1, 1))))
BLENDS = (
    Case(Blend(("1/2", "1/4", 0), (1, 0, 0), (0, 0, 1))),
    Case(Blend((1, 0), (1, 0), (0, 1), "1/10")),
    Case(Blend(("3/10", 2, 1), (1, 2, 0), (1, 0, 1), "2/3")),
)
RANGED_BLENDS = (
    BLENDS[0].with_settings(response_low=0, response_high="1/2"),
    BLENDS[2].with_settings(response_low=0, response_high=2),
    Case(Blend((1, "99/100"), (1, 0), (0, 1)), response_low="99/100", response_high=1),
)


def jensen(one: Blend) -> Mixed:
    """loss(mean) - mean loss, of part p + (1 - part) q."""
    a, b = one.growths
    mean = one.mean(one.growths)
    return -(to_mixed(one.part) * mixed_log(mean / a) + to_mixed(1 - one.part) * mixed_log(mean / b))


def bend_by_distance(one: Blend, c: Constants) -> Mixed:
    a, b = one.growths
    return -jensen(one) / to_mixed(one.part * (1 - one.part) * (a - b) ** 2)


LEMMA_A1 = (
    lemma("A.1", "Lemma A.1", "[ℓ(γp + (1 - γ)q) = γℓ(p) + (1 - γ)ℓ(q)]", lambda one, c: int(_level(one, c)),
        family=lambda: families().blends()).printed("ℓ is strictly convex: for p ≠ q the gap of convexity is never 0",
        quantity <= 0, assumptions=[DIFFERENT], counterexamples=FLATS[:2],
        remark="ℓ is the same at decisions with the same <p, r>; its Hessian has rank 1."),
    *lemma("A.1", "Lemma A.1", "ℓ(γp + (1 - γ)q) - γℓ(p) - (1 - γ)ℓ(q)", lambda one, c: jensen(one),
        family=lambda: families().blends()).readings(
        corrected("ℓ is convex", quantity <= 0, cases=(*BLENDS, *FLATS)),
        corrected("Where <p, r> = <q, r>, ℓ(γp + (1 - γ)q) = γℓ(p) + (1 - γ)ℓ(q)", Eq(quantity, 0), assumptions=[LEVEL],
            cases=FLATS, family=lambda: families().blends(level=True), id="A.1-flat")),
    lemma("A.1", "Lemma A.1", "the gap / γ(1 - γ)<p - q, r>²", bend_by_distance).strengthened(
        "Where <p, r> ≠ <q, r>, ℓ is strictly convex: the gap is at least γ(1 - γ)<p - q, r>²/(2(1 + C₂)²)",
        1 / (2 * (1 + C2) ** 2) <= quantity, given=RANGE, note="the least curvature", assumptions=[RANGED, APART],
        cases=RANGED_BLENDS, family=lambda: families().blends(ranged=True)),
)

# Lemma 4.1: Lipschitz continuity ------------------------------------------------------------------------------------

GROUPS = decision_case("1/100", 1, (1, 1, "1/100", "1/100"), (1, 1, 0, 0), (0, 0, 1, 1))
GROUPS_AT_0 = decision_case(0, 1, (1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1))
PAIRS = (
    decision_case(0, 1, (1, 0), (1, 0), (0, 1)),
    decision_case("1/2", 2, (2, "1/2"), (1, 99), (0, 1)),
    decision_case("1/10", "1/2", ("1/10", "1/2", "1/5"), (100, 1, 0), (1, 0, 0)),
)
BACKWARDS = decision_case(0, 1, (1, 0), (0, 1), (1, 0))
STEEP = decision_case("1/100", 1, (1, "1/100"), (1, 0), (0, 1))
SPREAD = decision_case(0, 1, (1, 1, 0, 0), (51, 51, 49, 49), (49, 49, 51, 51))
CLOSE = decision_case(0, 1, (1, 1, 0, 0), (1, 1, 999, 999), (0, 0, 1, 1))
NEAR = decision_case("9/10", 1, (1, 1, "9/10", "9/10"), (1, 1, 99, 99), (0, 0, 1, 1))  # the printed constant suffices
BOXES = tuple(Case(ResponseBox(*b)) for b in ((2, 0, 1), (4, "1/2", 2), (5, 0, "1/5"), (7, "1/10", 3)))


def difference(one: TwoDecisions) -> Mixed:
    """|loss(p) - loss(q)|."""
    a, b = one.growths
    return mixed_log(max(a / b, b / a))


def sup_norm(x: Vector) -> Fraction:
    """|x|_inf."""
    return max(map(abs, x))


def sum_norm(x: Vector) -> Fraction:
    """|x|_1."""
    return total(map(abs, x))


def rise_in_sup_norm(r: Vector) -> Fraction:
    """Return the largest <r, h> with sum h = 0 and |h|_inf = 1: the sum of the larger half minus that of the others."""
    sizes, half = sorted(r), len(r) // 2
    return total(sizes[-half:]) - total(sizes[:half])


def rise_in_sum_norm(r: Vector) -> Fraction:
    """Return the same with |h|_1 = 1."""
    return (max(r) - min(r)) / 2


PROOF = "proof of Lemma 4.1"
OF_PAIRS: dict[str, Any] = {"family": lambda: families().decisions()}
OF_BOXES: dict[str, Any] = {"family": lambda: families().boxes()}

in_sup_norm = lemma("4.1", "Lemma 4.1", "|ℓ(p) - ℓ(q)| / |p - q|_∞",
    lambda one, c: difference(one) / to_mixed(sup_norm(one.move)), assumptions=[RANGED, DIFFERENT], **OF_PAIRS)

steepest = lemma("4.1", "Lemma 4.1", "the Lipschitz constant in |·|_∞", lambda one, c: one.steepest(rise_in_sup_norm),
    **OF_BOXES)


def beyond_larger(one: TwoDecisions, c: Constants) -> Fraction:
    a, b = one.growths
    return abs(a - b) - (max(a, b) - 1)


def _denominator(one: TwoDecisions, c: Constants) -> Fraction:
    a, b = (g - 1 for g in one.growths)
    low = Fraction(c.response_low)
    return max(a, b) / (1 + a) - max(b, low) / (1 + low)


denominator = lemma("4.1-29b", f"{PROOF} (29)", "the left side less the right", _denominator, assumptions=[RANGED], **OF_PAIRS)


def larger_over_growth(one: TwoDecisions, c: Constants) -> Fraction:
    a, b = one.growths
    return (max(a, b) - 1) / a


LEMMA_41 = (
    in_sup_norm.printed("|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞", of.L41, counterexamples=(GROUPS, GROUPS_AT_0),
        remark="Two groups of clients: many small moves add up."),
    in_sup_norm.restated("4.1-K3").corrected("|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞ for at most three clients",
        of.L41_FEW, cases=PAIRS, family=lambda: families().decisions(most=3)),
    in_sup_norm.restated("4.1-threshold").corrected("|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞ where ⌊K/2⌋(C₂ - C₁) <= C₂",
        of.L41_THRESHOLD, cases=(*PAIRS, NEAR), family=lambda: families().decisions(narrow=True)),
    steepest.restated("4.1-threshold").strengthened(
        "It holds nowhere else: where ⌊K/2⌋(C₂ - C₁) > C₂ the Lipschitz constant is larger", L <= quantity,
        given=[*RANGE, floor(K / 2) * (C2 - C1) > C2], note="and nowhere else", cases=BOXES[1:]),
    in_sup_norm.corrected("|ℓ(p) - ℓ(q)| <= ⌊K/2⌋(C₂ - C₁)/(1 + C₁)·|p - q|_∞", of.L41_SUP,
        cases=(*PAIRS, SPREAD, CLOSE, GROUPS)),
    steepest.strengthened("⌊K/2⌋(C₂ - C₁)/(1 + C₁) is the Lipschitz constant in the sup norm",
        Eq(quantity, floor(K / 2) * V), given=RANGE, note="(L3) no smaller one does", cases=BOXES),
    lemma("4.1-gradient", "Lemma 4.1", "|∇ℓ(p)|_∞", lambda one, c: sup_norm(one.gradients[0]), assumptions=[RANGED],
        **OF_PAIRS).corrected("|∇ℓ(p)|_∞ <= C₂/(1 + C₁)", of.L41_GRADIENT, cases=(*PAIRS[1:], BACKWARDS),
        remark="The other proofs use this bound."),
    *lemma("4.1-sum", "Lemma 4.1", "|ℓ(p) - ℓ(q)| / |p - q|₁",
        lambda one, c: difference(one) / to_mixed(sum_norm(one.move)), assumptions=[RANGED, DIFFERENT], **OF_PAIRS).readings(
        corrected("|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|₁", of.L41_SUM, cases=(*PAIRS, CLOSE)),
        strengthened("|ℓ(p) - ℓ(q)| <= (C₂ - C₁)/(2(1 + C₁))·|p - q|₁", of.L41_HALF, cases=(*PAIRS, CLOSE))),
    lemma("4.1-half", "Lemma 4.1", "the Lipschitz constant in |·|₁", lambda one, c: one.steepest(rise_in_sum_norm),
        cases=BOXES, **OF_BOXES).strengthened("(C₂ - C₁)/(2(1 + C₁)) is the Lipschitz constant in the sum norm",
        Eq(quantity, H), given=RANGE, note="(L2) no smaller one does"),
    lemma("4.1-range", "Lemma 4.1", "|ℓ(p) - ℓ(q)|", lambda one, c: difference(one), assumptions=[RANGED], **OF_PAIRS).printed(
        "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁), what the printed chain shows", of.L41_CHAIN, cases=(*PAIRS, GROUPS)),
    lemma("4.1-range", "Lemma 4.1", "e^|ℓ(p) - ℓ(q)|", lambda one, c: max(one.growths) / min(one.growths),
        assumptions=[RANGED], **OF_PAIRS).strengthened("|ℓ(p) - ℓ(q)| <= log((1 + C₂)/(1 + C₁))", of.L41_RANGE,
        cases=(*PAIRS, GROUPS)),
    lemma("4.1-28", f"{PROOF} (28)", "|ℓ(p) - ℓ(q)| / |<∇ℓ(p), p - q>|",
        lambda one, c: difference(one) / to_mixed(abs(one.slopes[0])), assumptions=[APART], **OF_PAIRS).printed(
        "|ℓ(p) - ℓ(q)| <= |<∇ℓ(p), p - q>|", quantity <= 1, counterexamples=(STEEP, PAIRS[0]),
        remark="Convexity bounds one side only."),
    lemma("4.1-28", f"{PROOF} (28)", "|ℓ(p) - ℓ(q)| / max |<∇ℓ, p - q>|",
        lambda one, c: difference(one) / to_mixed(max(map(abs, one.slopes))), assumptions=[APART], **OF_PAIRS).corrected(
        "|ℓ(p) - ℓ(q)| <= the larger of |<∇ℓ(p), p - q>| and |<∇ℓ(q), p - q>|", quantity <= 1, cases=(*PAIRS, CLOSE)),
    lemma("4.1-29a", f"{PROOF} (29)", "|<p - q, r>| - max(<p, r>, <q, r>)", beyond_larger, **OF_PAIRS).printed(
        "|<p - q, r>| <= max(<p, r>, <q, r>)", quantity <= 0, cases=(*PAIRS, GROUPS)),
    denominator.printed("max(<p, r>, <q, r>)/(1 + <p, r>) <= max(<q, r>, C₁)/(1 + C₁)", quantity <= 0,
        counterexamples=(STEEP, PAIRS[0]), remark="The p with the least <p, r> is not the p of the numerator."),
    lemma("4.1-30", f"{PROOF} (30)", "max(<p, r>, <q, r>)/(1 + <p, r>)", larger_over_growth, assumptions=[RANGED],
        **OF_PAIRS).corrected("max(<p, r>, <q, r>)/(1 + <p, r>) <= C₂/(1 + C₁)", quantity <= L, given=RANGE,
        cases=(*PAIRS, BACKWARDS)),
    *lemma("4.1-end", f"{PROOF}, end", "|p - q|_∞", lambda one, c: sup_norm(one.move), **OF_PAIRS).readings(
        printed("|p - q|_∞ = 1", Eq(quantity, 1), assumptions=[DIFFERENT], counterexamples=(GROUPS, SPREAD)),
        corrected("|p - q|_∞ <= 1", quantity <= 1, cases=(*PAIRS, GROUPS))),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_A1, *LEMMA_41)
