"""Lemmas A.1 and 4.1 with the steps of its proof: how the decision loss bends and how fast it changes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.number.vectors import total
from fltheory.papers.aaggff.bounds import lemmas as of
from fltheory.papers.aaggff.bounds.lemmas import EQUAL, NONE, ONE, bound
from fltheory.papers.aaggff.claims.direct import always, drawn, log_of, of_case, of_instance, rational, with_logs
from fltheory.papers.aaggff.data.lemma_instances import Blend, ResponseBox, TwoDecisions, Vector
from fltheory.papers.aaggff.letters import C1, C2
from fltheory.runs.measures import DirectMeasure

# What is assumed ----------------------------------------------------------------------------------------------------


def _in_range(case: Case) -> str | None:
    instance: Any = case.instance
    low, high = (case.constants.get(s) for s in (C1, C2))
    if not isinstance(low, int | Fraction) or not isinstance(high, int | Fraction):
        return "expected rational numbers for response_low and response_high"
    return None if low <= min(instance.response) and max(instance.response) <= high else "a response leaves [C1, C2]"


def _differ(case: Case) -> str | None:
    instance: Any = case.instance
    return None if any(instance.move) else "the decisions are the same"


def _apart(case: Case) -> str | None:
    instance: Any = case.instance
    a, b = instance.growths
    return None if a != b else "<p, r> = <q, r>"


def _level(case: Case) -> str | None:
    return None if _apart(case) else "<p, r> is not <q, r>"


RANGED = Assumption("responses lie in [C1, C2]", _in_range)
DIFFERENT = Assumption("p is not q", _differ)
APART = Assumption("the decisions have different returns", _apart)
LEVEL = Assumption("the decisions have the same return", _level)

# Lemma A.1: convexity -----------------------------------------------------------------------------------------------


def jensen(one: Blend, ring: Ring) -> Any:
    """loss(mean) - mean loss, of part p + (1 - part) q."""
    a, b = one.growths
    mean = one.mean(one.growths)
    first = ring.scalar(one.part) * log_of(mean / a, ring)
    return -(first + ring.scalar(1 - one.part) * log_of(mean / b, ring))


def jensen_by_distance(one: Blend, ring: Ring) -> Any:
    """The gap of convexity over part (1 - part) <p - q, r>^2."""
    a, b = one.growths
    return -jensen(one, ring) / ring.scalar(one.part * (1 - one.part) * (a - b) ** 2)


def no_gap(one: Blend) -> int:
    """1 where the gap is exactly 0, else 0."""
    a, b = one.growths
    return int(a == b)


def sized(low: Any, high: Any, *rows: Any, **more: Any) -> Case:
    """Two decisions with the range of responses."""
    return Case(TwoDecisions(*rows), response_low=low, response_high=high, **more)


FLAT = Case(Blend(("1/2", "1/4", 0), (1, 0, 1), (0, 1, 0)))
FLATS = (FLAT, Case(Blend((1, 1, "1/10"), (1, 0, 0), (0, 1, 0), "1/3")), Case(Blend((2, "1/2"), (1, 1), (1, 1))))
BLENDS = (
    Case(Blend(("1/2", "1/4", 0), (1, 0, 0), (0, 0, 1))),
    Case(Blend((1, 0), (1, 0), (0, 1), "1/10")),
    Case(Blend(("3/10", 2, 1), (1, 2, 0), (1, 0, 1), "2/3")),
)
_BLENDS = drawn("lemmas", "blends")
_JENSEN = with_logs("ℓ(γp + (1 - γ)q) - γℓ(p) - (1 - γ)ℓ(q)", jensen)
LEMMA_A1 = (
    always(
        "A.1",
        "ℓ is strictly convex: for p ≠ q the gap of convexity is never 0",
        bound(NONE, "Lemma A.1"),
        of_instance("[ℓ(γp + (1 - γ)q) = γℓ(p) + (1 - γ)ℓ(q)]", no_gap),
        FLATS[:2],
        _BLENDS,
        (DIFFERENT,),
        expected="violated",
        remark="ℓ is the same at decisions with the same <p, r>; its Hessian has rank 1.",
    ),
    always("A.1", "ℓ is convex", bound(NONE, "Lemma A.1", "corrected"), _JENSEN, (*BLENDS, *FLATS), _BLENDS),
    always(
        "A.1-flat",
        "Where <p, r> = <q, r>, ℓ(γp + (1 - γ)q) = γℓ(p) + (1 - γ)ℓ(q)",
        bound(NONE, "Lemma A.1", "corrected", side=EQUAL),
        _JENSEN,
        FLATS,
        drawn("lemmas", "blends", level=True),
        (LEVEL,),
    ),
    always(
        "A.1",
        "Where <p, r> ≠ <q, r>, ℓ is strictly convex: the gap is at least γ(1 - γ)<p - q, r>²/(2(1 + C₂)²)",
        of.STRICTNESS,
        with_logs("the gap / γ(1 - γ)<p - q, r>²", jensen_by_distance),
        (
            BLENDS[0].with_settings(response_low=0, response_high="1/2"),
            BLENDS[2].with_settings(response_low=0, response_high=2),
            Case(Blend((1, "99/100"), (1, 0), (0, 1)), response_low="99/100", response_high=1),
        ),
        drawn("lemmas", "blends", ranged=True),
        (RANGED, APART),
    ),
)

# Lemma 4.1: Lipschitz continuity ------------------------------------------------------------------------------------


def difference(one: TwoDecisions, ring: Ring) -> Any:
    """|loss(p) - loss(q)|."""
    a, b = one.growths
    return log_of(max(a / b, b / a), ring)


def _over(name: str, norm: Callable[[Vector], Fraction]) -> DirectMeasure:
    return with_logs(name, lambda one, ring: difference(one, ring) / ring.scalar(norm(one.move)))


def sup_norm(x: Vector) -> Fraction:
    """|x|_inf."""
    return max(map(abs, x))


def sum_norm(x: Vector) -> Fraction:
    """|x|_1."""
    return total(map(abs, x))


def rise_in_sup_norm(r: Vector) -> Fraction:
    """The largest <r, h> with sum h = 0 and |h|_inf = 1: the larger half less the smaller one."""
    sizes, half = sorted(r), len(r) // 2
    return total(sizes[-half:]) - total(sizes[:half])


def rise_in_sum_norm(r: Vector) -> Fraction:
    """The same with |h|_1 = 1."""
    return (max(r) - min(r)) / 2


def tangent(one: TwoDecisions, ring: Ring, ends: int = 1) -> Any:
    """|loss(p) - loss(q)| over the largest |<gradient, p - q>|, of the gradient at p, or at both ``ends``."""
    return difference(one, ring) / ring.scalar(max(map(abs, one.slopes[:ends])))


def denominator(case: Case) -> Fraction:
    """(29b): the left side less the right."""
    instance: Any = case.instance
    a, b = (g - 1 for g in instance.growths)
    low = rational(case, C1)
    return max(a, b) / (1 + a) - max(b, low) / (1 + low)


def larger_over_growth(one: TwoDecisions) -> Fraction:
    """max(<p, r>, <q, r>) / (1 + <p, r>)."""
    a, b = one.growths
    return (max(a, b) - 1) / a


def beyond_larger(one: TwoDecisions) -> Fraction:
    """|<p - q, r>| - max(<p, r>, <q, r>)."""
    a, b = one.growths
    return abs(a - b) - (max(a, b) - 1)


GROUPS = sized("1/100", 1, (1, 1, "1/100", "1/100"), (1, 1, 0, 0), (0, 0, 1, 1))
GROUPS_AT_0 = sized(0, 1, (1, 1, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1))
PAIRS = (
    sized(0, 1, (1, 0), (1, 0), (0, 1)),
    sized("1/2", 2, (2, "1/2"), (1, 99), (0, 1)),
    sized("1/10", "1/2", ("1/10", "1/2", "1/5"), (100, 1, 0), (1, 0, 0)),
)
SPREAD = sized(0, 1, (1, 1, 0, 0), (51, 51, 49, 49), (49, 49, 51, 51))
CLOSE = sized(0, 1, (1, 1, 0, 0), (1, 1, 999, 999), (0, 0, 1, 1))
NEAR = sized("9/10", 1, (1, 1, "9/10", "9/10"), (1, 1, 99, 99), (0, 0, 1, 1))  # the printed constant is enough
_RANGED = (RANGED, DIFFERENT)
_PAIRS = drawn("lemmas", "decisions")
_SUP, _SUM = _over("|ℓ(p) - ℓ(q)| / |p - q|_∞", sup_norm), _over("|ℓ(p) - ℓ(q)| / |p - q|₁", sum_norm)
BOXES = tuple(Case(ResponseBox(*b)) for b in ((2, 0, 1), (4, "1/2", 2), (5, 0, "1/5"), (7, "1/10", 3)))
_BOXES = drawn("lemmas", "boxes")
_STEEPEST = of_instance("the Lipschitz constant in |·|_∞", lambda b: b.steepest(rise_in_sup_norm))
_PROOF = "proof of Lemma 4.1"
LEMMA_41 = (
    always(
        "4.1",
        "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞",
        of.L41,
        _SUP,
        (GROUPS, GROUPS_AT_0),
        _PAIRS,
        _RANGED,
        expected="violated",
        remark="Two groups of clients: many small moves add up.",
    ),
    always(
        "4.1-K3",
        "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞ for at most three clients",
        of.L41_FEW,
        _SUP,
        PAIRS,
        drawn("lemmas", "decisions", most=3),
        _RANGED,
    ),
    always(
        "4.1-threshold",
        "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|_∞ where ⌊K/2⌋(C₂ - C₁) <= C₂",
        of.L41_THRESHOLD,
        _SUP,
        (*PAIRS, NEAR),
        drawn("lemmas", "decisions", narrow=True),
        _RANGED,
    ),
    always(
        "4.1-threshold",
        "and nowhere else: where ⌊K/2⌋(C₂ - C₁) > C₂ the Lipschitz constant is larger",
        of.L41_BEYOND,
        _STEEPEST,
        BOXES[1:],
        _BOXES,
    ),
    always(
        "4.1",
        "|ℓ(p) - ℓ(q)| <= ⌊K/2⌋(C₂ - C₁)/(1 + C₁)·|p - q|_∞",
        of.L41_SUP,
        _SUP,
        (*PAIRS, SPREAD, CLOSE, GROUPS),
        _PAIRS,
        _RANGED,
    ),
    always(
        "4.1",
        "⌊K/2⌋(C₂ - C₁)/(1 + C₁) is the Lipschitz constant in the sup norm",
        of.L41_SUP_EXACT,
        _STEEPEST,
        BOXES,
        _BOXES,
    ),
    always(
        "4.1-gradient",
        "|∇ℓ(p)|_∞ <= C₂/(1 + C₁)",
        of.L41_GRADIENT,
        of_instance("|∇ℓ(p)|_∞", lambda one: sup_norm(one.gradients[0])),
        (*PAIRS[1:], sized(0, 1, (1, 0), (0, 1), (1, 0))),
        _PAIRS,
        (RANGED,),
        remark="What the other proofs use.",
    ),
    always("4.1-sum", "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁)·|p - q|₁", of.L41_SUM, _SUM, (*PAIRS, CLOSE), _PAIRS, _RANGED),
    always(
        "4.1-sum",
        "|ℓ(p) - ℓ(q)| <= (C₂ - C₁)/(2(1 + C₁))·|p - q|₁",
        of.L41_HALF,
        _SUM,
        (*PAIRS, CLOSE),
        _PAIRS,
        _RANGED,
    ),
    always(
        "4.1-half",
        "(C₂ - C₁)/(2(1 + C₁)) is the Lipschitz constant in the sum norm",
        of.L41_HALF_EXACT,
        of_instance("the Lipschitz constant in |·|₁", lambda b: b.steepest(rise_in_sum_norm)),
        BOXES,
        _BOXES,
    ),
    always(
        "4.1-range",
        "|ℓ(p) - ℓ(q)| <= C₂/(1 + C₁), what the printed chain shows",
        of.L41_CHAIN,
        with_logs("|ℓ(p) - ℓ(q)|", difference),
        (*PAIRS, GROUPS),
        _PAIRS,
        (RANGED,),
    ),
    always(
        "4.1-range",
        "|ℓ(p) - ℓ(q)| <= log((1 + C₂)/(1 + C₁))",
        of.L41_RANGE,
        of_instance("e^|ℓ(p) - ℓ(q)|", lambda one: max(one.growths) / min(one.growths)),
        (*PAIRS, GROUPS),
        _PAIRS,
        (RANGED,),
    ),
    always(
        "4.1-28",
        "|ℓ(p) - ℓ(q)| <= |<∇ℓ(p), p - q>|",
        bound(ONE, f"{_PROOF} (28)"),
        with_logs("|ℓ(p) - ℓ(q)| / |<∇ℓ(p), p - q>|", tangent),
        (sized("1/100", 1, (1, "1/100"), (1, 0), (0, 1)), PAIRS[0]),
        _PAIRS,
        (APART,),
        expected="violated",
        remark="Convexity bounds one side only.",
    ),
    always(
        "4.1-28",
        "|ℓ(p) - ℓ(q)| <= the larger of |<∇ℓ(p), p - q>| and |<∇ℓ(q), p - q>|",
        bound(ONE, f"{_PROOF} (28)", "corrected"),
        with_logs("|ℓ(p) - ℓ(q)| / max |<∇ℓ, p - q>|", lambda one, ring: tangent(one, ring, 2)),
        (*PAIRS, CLOSE),
        _PAIRS,
        (APART,),
    ),
    always(
        "4.1-29a",
        "|<p - q, r>| <= max(<p, r>, <q, r>)",
        bound(NONE, f"{_PROOF} (29)"),
        of_instance("|<p - q, r>| - max(<p, r>, <q, r>)", beyond_larger),
        (*PAIRS, GROUPS),
        _PAIRS,
    ),
    always(
        "4.1-29b",
        "max(<p, r>, <q, r>)/(1 + <p, r>) <= max(<q, r>, C₁)/(1 + C₁)",
        bound(NONE, f"{_PROOF} (29)"),
        of_case("the left side less the right", denominator),
        (sized("1/100", 1, (1, "1/100"), (1, 0), (0, 1)), PAIRS[0]),
        _PAIRS,
        (RANGED,),
        expected="violated",
        remark="The least <p, r> is not the p of the numerator.",
    ),
    always(
        "4.1-30",
        "max(<p, r>, <q, r>)/(1 + <p, r>) <= C₂/(1 + C₁)",
        of.CHAIN_30,
        of_instance("max(<p, r>, <q, r>)/(1 + <p, r>)", larger_over_growth),
        (*PAIRS, sized(0, 1, (1, 0), (0, 1), (1, 0))),
        _PAIRS,
        (RANGED,),
    ),
    always(
        "4.1-end",
        "|p - q|_∞ = 1",
        bound(ONE, f"{_PROOF}, end", side=EQUAL),
        of_instance("|p - q|_∞", lambda one: sup_norm(one.move)),
        (GROUPS, SPREAD),
        _PAIRS,
        (DIFFERENT,),
        expected="violated",
    ),
    always(
        "4.1-end",
        "|p - q|_∞ <= 1",
        bound(ONE, f"{_PROOF}, end", "corrected"),
        of_instance("|p - q|_∞", lambda one: sup_norm(one.move)),
        (*PAIRS, GROUPS),
        _PAIRS,
    ),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_A1, *LEMMA_41)
