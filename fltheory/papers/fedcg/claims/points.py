"""Section 2, inequality (5), and the lemmas of Section 3 about one round: P1-P5, P8, P9, A.1-A.4, (14), 3.3, 3.4."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Min, exp

from fltheory.bound import Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.fedcg.bounds import (
    A3,
    A3_MEAN,
    A4,
    A4_MEAN,
    CASE_1,
    CASE_2,
    HETEROGENEITY,
    ONE_STEP,
    S0,
    S2,
    S2_PLAIN,
    VARIANCE,
    bound,
)
from fltheory.papers.fedcg.claims.direct import OPTIMAL, SQUARED, SUBMODULAR, always, claim, drawn, of_case, of_instance
from fltheory.papers.fedcg.data import points as one
from fltheory.papers.fedcg.data.instances import opposite_blocks, private_items
from fltheory.papers.fedcg.data.points import AtPoint, Moved, Stepped
from fltheory.papers.fedcg.exact.closed_forms import FreshGroups, Horizon
from fltheory.papers.fedcg.letters import OPT, K, T, curvature, eta, gamma, gbar, gsquare, m_F, m_max, r, step_length
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Graphic, Partition, Uniform
from fltheory.problems.sets.set_functions import (
    Capped,
    Coverage,
    FacilityLocation,
    Mixture,
    Modular,
    Table,
    WeightedRank,
)
from fltheory.runs.measures import NUMBER, DirectMeasure

EQUAL: Side = "equal"
LEAST: Side = "lower"
ZERO, ONE = Integer(0), Integer(1)

# Cases: every kind of function, matroid, and point -------------------------------------------------------------------

TRIANGLE = Graphic(((0, 1), (1, 2), (2, 0)))
MIXED = SubmodularClients(
    (
        Coverage(((0, 1), (1, 2), (0, 2, 3)), 4, (1, 2, "1/2")),
        FacilityLocation(((3, 1, 0, 2), (0, 2, 2, 1))),
        Capped((1, 2, 1, 1), 3),
    ),
    Partition(((0, 1), (2, 3)), (1, 1)),
    (3, 2, 1),
)
RANKED = SubmodularClients(
    (
        WeightedRank(TRIANGLE, (3, 2, 1)),
        Mixture((Modular((1, 0, 2)), Coverage(((0, 1, 2),), 3)), (1, 2)),
        Table((0, 2, 2, 3, 2, 3, 3, 3)),
    ),
    TRIANGLE,
    ties=((2, 1, 0), (0, 1, 2), (1, 2, 0)),
)
ALONE = SubmodularClients((Coverage(((0, 1), (1, 2)), 3),), Uniform(3, 2))
HALF = ("1/2", "1/2", "1/2", "1/2")
AT = (
    Case(AtPoint(MIXED, HALF)),
    Case(AtPoint(MIXED, ("1/3", 0, 1, "3/10"))),
    Case(AtPoint(RANKED, (0, 0, 0))),
    Case(AtPoint(RANKED, ("1/4", "1/2", "1/5"))),
    Case(AtPoint(ALONE, (0, 1, "1/2"))),
)
_AT = drawn("points", "at_points")
_DRAWN = drawn("points", "at_points", drawn=True)
I1 = Case(AtPoint(private_items(3, "1/1000"), (0, 0, 0, 0)))  # heterogeneity is all the loss
ONLY = Case(  # the client of least weight has all the value
    AtPoint(SubmodularClients((Modular((0, 0)), Modular((1, 0)), Modular((0, 0))), Uniform(2, 1), (4, 1, 5)), (0, 0))
)
I4 = Case(AtPoint(opposite_blocks(2, "1/100", "1/10000"), (0,) * 4), n_sampled=1)
SAMPLED = (
    I4,
    *(case.with_settings(n_sampled=2) for case in AT[:4]),
    Case(AtPoint(opposite_blocks(1, "1/4", "1/1000"), (0, 0)), n_sampled=3),
)

# Section 2 --------------------------------------------------------------------------------------------------------------

_PRELIMINARIES = "Section 2"
MOVES = (
    Case(Moved(Coverage(((0, 1), (1, 2), (0, 2)), 3, (1, 2, 3)), (0, "1/2", 0), ("1/2", "1/4", 1))),
    Case(Moved(Coverage(((0, 1, 2),), 3), (0, 0, 0), (1, 1, 1))),
    Case(Moved(Modular((1, 2)), (0, 0), ("1/2", 1))),
    Case(Moved(Table((0, 1, 1, "3/2", 1, 2, 2, 2)), ("1/3", 0, 0), ("1/3", 1, "1/10"))),
)
_MOVES = drawn("points", "moves")


def fall(move: Moved) -> Any:
    """The largest d_e f(x + d) - d_e f(x)."""
    return max(move.slopes[1] - move.slopes[0])


def beyond_tangent(move: Moved) -> Any:
    """f(x + d) - f(x) - <grad f(x), d>."""
    return move.rise - move.predicted


def before_tangent(move: Moved) -> Any:
    """<grad f(x + d), d> - (f(x + d) - f(x))."""
    return one.dot(move.slopes[1], move.ends[1] - move.ends[0]) - move.rise


def drift(move: Moved) -> Any:
    """|grad f(x + d) - grad f(x)|_inf."""
    return one.largest(move.slopes[1] - move.slopes[0])


def guarantee(case: Case, ring: Ring) -> Any:
    """1 - (1 - 1/T)^T."""
    horizon: Any = case.instance
    return horizon.guarantee(ring)


def left(case: Case, ring: Ring) -> Any:
    """What a run on I3 leaves of the optimum."""
    groups: Any = case.instance
    return groups.left(ring)


def _zero(name: str, statement: str, measured: str, value: Any, cases: Any, family: Any, **more: Any) -> Claim:
    """A quantity that is at most 0, or with ``side=EQUAL`` is 0."""
    side = more.pop("side", "upper")
    place = more.pop("place", _PRELIMINARIES)
    return always(
        name,
        statement,
        bound(ZERO, place, side=side),
        of_instance(measured, value),
        cases,
        family,
        more.pop("assumptions", SUBMODULAR),
        **more,
    )


SECTION_2 = (
    _zero(
        "P1",
        "∂ₑf̂(x) = E[f(R + e) - f(R - e)], R drawn from x",
        "max |∂ₑf̂ᵢ - E[fᵢ(R + e) - fᵢ(R - e)]|",
        one.formula_error,
        AT,
        _AT,
        side=EQUAL,
    ),
    _zero("P2-low", "Gradients are nonnegative: ∂ₑf̂ >= 0 on the cube", "-min ∂ₑf̂ᵢ", one.negative_slope, AT, _AT),
    _zero("P2-high", "∂ₑf̂(x) <= f({e}) on the cube", "max ∂ₑf̂ᵢ - fᵢ({e})", one.excess_slope, AT, _AT),
    always(
        "P2",
        "∂ₑf̂(x) <= m_f on the cube",
        bound(m_max, _PRELIMINARIES),
        of_instance("max ∂ₑf̂ᵢ", one.largest_slope),
        AT,
        _AT,
        SUBMODULAR,
    ),
    _zero("P3-antitone", "x <= y implies ∇f̂(x) >= ∇f̂(y)", "max ∂ₑf̂(y) - ∂ₑf̂(x)", fall, MOVES, _MOVES),
    _zero(
        "P3-monotone",
        "x <= y implies f̂(x) <= f̂(y)",
        "f̂(x) - f̂(y)",
        lambda m: -m.rise,
        MOVES,
        _MOVES,
        remark="Printed with x on both sides.",
    ),
    _zero(
        "P4-concave",
        "f̂ is concave along d >= 0: f̂(x + d) <= f̂(x) + <∇f̂(x), d>",
        "f̂(x + d) - f̂(x) - <∇f̂(x), d>",
        beyond_tangent,
        MOVES,
        _MOVES,
    ),
    _zero(
        "P4-backwards",
        "and f̂(x) <= f̂(x + d) - <∇f̂(x + d), d>",
        "<∇f̂(x + d), d> - (f̂(x + d) - f̂(x))",
        before_tangent,
        MOVES,
        _MOVES,
    ),
    _zero("P4-sign", "Mixed second derivatives are at most 0", "max ∂ₑ∂_g f̂ᵢ", one.negative_bend, AT, _AT),
    always(
        "P4",
        "Mixed second derivatives are at least -max(f(e), f(g)) >= -m_f",
        bound(m_max, _PRELIMINARIES),
        of_instance("max -∂ₑ∂_g f̂ᵢ", one.largest_bend),
        AT,
        _AT,
        SUBMODULAR,
    ),
    always(
        "P4",
        "Mixed second derivatives are at least -min(f(e), f(g))",
        bound(ZERO, _PRELIMINARIES, "sharpened"),
        of_instance("max -∂ₑ∂_g f̂ᵢ - min(fᵢ(e), fᵢ(g))", one.excess_bend),
        AT,
        _AT,
        SUBMODULAR,
    ),
    _zero(
        "P5",
        "A nonnegative linear function is largest on the polytope at the greedy base",
        "max over bases of <1_I, ∇f̂ᵢ> - <vᵢ, ∇f̂ᵢ>",
        one.better_base,
        AT,
        _AT,
        side=EQUAL,
    ),
    always(
        "P5-polytope",
        "The mean direction is in the polytope: x(S) <= rank(S)",
        bound(ZERO, _PRELIMINARIES),
        of_instance("max Δ(S) - rank(S)", one.outside_polytope, NUMBER),
        AT,
        _AT,
    ),
    _zero("P9", "F̂ = Σ pᵢf̂ᵢ and ∇F̂ = Σ pᵢ∇f̂ᵢ", "|F̂ - Σ pᵢf̂ᵢ| + |∇F̂ - Σ pᵢ∇f̂ᵢ|₁", one.split, AT, _AT, side=EQUAL),
    always(
        "P8",
        "1 - (1 - 1/T)^T >= 1 - 1/e",
        bound(1 - exp(-1), _PRELIMINARIES, side=LEAST),
        DirectMeasure("1 - (1 - 1/T)^T", guarantee, NUMBER),
        tuple(Case(Horizon(t)) for t in (1, 2, 10, 1000)),
        drawn("points", "horizons"),
    ),
    always(
        "P6-factor",
        "On I3 of rank r >= 2 a step of 1/T leaves c >= 1 - 1/T + 1/(2T²) > e^{-1/T} of what is missing",
        (
            bound(1 - 1 / T + 1 / (2 * T**2), "Section 3", "sharpened", (r >= 2,), side=LEAST),
            bound(exp(-1 / T), "Section 3", "sharpened", (r >= 2,), side=LEAST),
        ),
        of_instance("c", lambda g: g.factor, NUMBER),
        tuple(Case(FreshGroups(*p)) for p in ((2, 1), (2, 100), (10, 7))),
        drawn("points", "fresh_groups"),
        remark="So that 1 - c^T < 1 - 1/e for every T: Section 3's guarantee needs an error, however large T is.",
    ),
    always(
        "P6-left",
        "On I3 of rank r >= 2 more than 1/e of the optimum is missing after T steps of 1/T, for every T",
        bound(exp(-1), "Section 3", "sharpened", (r >= 2,), side=LEAST),
        DirectMeasure("c^T", left, NUMBER),
        tuple(Case(FreshGroups(*p)) for p in ((2, 1), (2, 100), (10, 7))),
        drawn("points", "fresh_groups"),
    ),
)

# (5) --------------------------------------------------------------------------------------------------------------------


def dissimilarity(at: AtPoint) -> Any:
    """max_i |grad f_i - grad F|_inf."""
    return max(at.dissimilarities)


def _of_unit_points(case: Case) -> str | None:
    instance: Any = case.instance
    plain = all(isinstance(f, Coverage) and len(f.points) == 1 and f.weights == (1,) for f in instance.functions)
    return None if plain else "a client is not a single point of weight 1"


UNIT_POINTS = (Assumption("maximum coverage: every client is a point", _of_unit_points),)
COVERED = (
    Case(AtPoint(SubmodularClients((Coverage(((0,),), 2), Coverage(((1,),), 2)), Uniform(2, 1)), (0, 0))),
    Case(AtPoint(SubmodularClients((Coverage(((0,),), 2), Coverage(((0, 1),), 2)), Uniform(2, 1), (1, 9)), (0, "1/2"))),
)
_GAMMA = of_instance("max |∇f̂ᵢ - ∇F̂|_∞", dissimilarity)
_COVERAGE = "for maximum coverage γ = 1"
FIVE = (
    always("C-3.1", "γ <= 2 max m_f at every point", HETEROGENEITY, _GAMMA, (*AT, I1, ONLY), _AT, SUBMODULAR),
    always("C-3.1", "γ <= (1 - min p) max m_f at every point", S0, _GAMMA, (*AT, I1, ONLY), _AT, SUBMODULAR),
    always(
        "C-3.1-coverage",
        f"Text after (5): {_COVERAGE} bounds the dissimilarity",
        bound(ONE, "text after (5)"),
        _GAMMA,
        COVERED,
        drawn("points", "unit_points"),
        UNIT_POINTS,
        remark="γ is an upper bound by Assumption 3.1. (5) itself gives 2.",
    ),
    always(
        "C-3.1-coverage",
        f"Text after (5): {_COVERAGE} is the dissimilarity",
        bound(ONE, "text after (5)", "literal", note="an equality", side=EQUAL),
        _GAMMA,
        COVERED,
        drawn("points", "unit_points"),
        UNIT_POINTS,
        expected="violated",
        remark="It is at most 1 - min p.",
    ),
)

# Appendix A: one step ---------------------------------------------------------------------------------------------------


def _useful(case: Case) -> str | None:
    instance: Any = case.instance
    return None if instance.best_gain > 0 else "no item gains anything"


GAINING = (*OPTIMAL, Assumption("some item still gains", _useful))
_GAPS = (*AT[:4], I1, Case(AtPoint(ALONE, ("1/2", "1/2", "1/2"))))
STEPS = (
    Case(Stepped(MIXED, HALF, ("1/2", "1/2", "1/4", "3/4"), "1/2")),
    Case(Stepped(SubmodularClients((Coverage(((0, 1),), 2),), Uniform(2, 2)), (0, 0), (1, 1), "1/10")),
    Case(Stepped(SubmodularClients((Coverage((range(4),), 4),), Uniform(4, 4)), (0,) * 4, (1,) * 4, "1/100")),
    Case(Stepped(RANKED, ("1/4", "1/2", "1/5"), (1, 0, 1), "1/3")),
)
_SHORTFALL = of_instance("F̂(x) + η<Δ, ∇F̂(x)> - F̂(x + ηΔ)", lambda s: s.missed, trivial=eta * r * m_F)
_LOST = of_instance("Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂>", lambda a: a.own_gain - a.mean_gain, trivial=r * m_max)
_MISSED = of_instance("OPT - F̂ - <Δ, ∇F̂>", lambda a: a.gap - a.mean_gain, trivial=OPT)
APPENDIX_A = (
    always(
        "A.1",
        "OPT - F̂(x) <= Σ pᵢ<vᵢ, ∇f̂ᵢ(x)> at every point of the cube",
        bound(ONE, "Lemma A.1"),
        of_instance("(OPT - F̂) / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda a: a.gap / a.own_gain, NUMBER),
        _GAPS,
        _AT,
        GAINING,
    ),
    always(
        "A.2",
        "OPT - F̂(x) <= M(x) = max <v, ∇F̂(x)> over the polytope",
        bound(ONE, "Corollary A.2", "sharpened", note="the middle of its proof"),
        of_instance("(OPT - F̂) / M", lambda a: a.gap / a.best_gain, NUMBER),
        _GAPS,
        _AT,
        GAINING,
    ),
    always(
        "A.2-middle",
        "M(x) <= Σ pᵢ<vᵢ, ∇f̂ᵢ(x)>",
        bound(ONE, "proof of Lemma A.1"),
        of_instance("M / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda a: a.best_gain / a.own_gain, NUMBER),
        _GAPS,
        _AT,
        GAINING,
    ),
    always("A.3", "Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂> <= rγ", A3, _LOST, (*AT[:4], I1), _AT, SUBMODULAR),
    always("A.3", "Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂> <= r·mean γᵢ", A3_MEAN, _LOST, (*AT[:4], I1), _AT, SUBMODULAR),
    always(
        "A.4",
        "OPT - F̂ <= <Δ, ∇F̂> + rγ, Δ the mean direction",
        A4,
        _MISSED,
        (*AT[:4], I1),
        _AT,
        OPTIMAL,
        remark="The factor 1 of rγ can't be smaller: I1 comes near it as d vanishes.",
    ),
    always(
        "A.4", "OPT - F̂ <= <Δ, ∇F̂> + r·mean γᵢ, Δ the mean direction", A4_MEAN, _MISSED, (*AT[:4], I1), _AT, OPTIMAL
    ),
    always(
        "A.4-mean",
        "<Δ, ∇F̂> <= Σ pᵢ<vᵢ, ∇f̂ᵢ>, Δ the mean direction",
        bound(ONE, "Lemma A.4"),
        of_instance("<Δ, ∇F̂> / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda a: a.mean_gain / a.own_gain, NUMBER),
        _GAPS,
        _AT,
        GAINING,
    ),
    always(
        "C-14",
        "F̂(x + ηΔ) >= F̂(x) + η<Δ, ∇F̂(x)> - η²r²m_F/2, Δ in the polytope, both points in the cube",
        ONE_STEP,
        _SHORTFALL,
        STEPS,
        drawn("points", "stepped"),
        SUBMODULAR,
    ),
    always(
        "C-14",
        "The same with (Σ Δ)² - Σ Δ² in place of r²: the Hessian has no diagonal",
        bound(eta**2 * m_F * curvature / 2, "(14)", "sharpened", (eta <= 1,)),
        _SHORTFALL,
        STEPS,
        drawn("points", "stepped"),
        SUBMODULAR,
        remark="A base has r(r - 1): nothing is lost for rank 1.",
    ),
)

# Lemmas 3.3 and 3.4: the draw of the clients ----------------------------------------------------------------------------


def _size(case: Case) -> int:
    return int(case.constants[K])


def bias(case: Case) -> Any:
    """E<Delta, grad F> - sum_i p_i <v_i, grad F>, over all draws."""
    at: Any = case.instance
    return one.moments(at, _size(case), at.gains)[0] - at.mean_gain


def variance(case: Case) -> Any:
    """Var <Delta, grad F>, over all draws."""
    at: Any = case.instance
    return one.moments(at, _size(case), at.gains)[1]


WHATEVER = r**2 * m_F**2 / (4 * K)  # the variance of a mean of K numbers in [0, r m_F] is no larger
_VAR = of_case("Var <Δ, ∇F̂>", variance, SQUARED, WHATEVER)
_VARIANCES = (I4, Case(AtPoint(opposite_blocks(1, "1/50", "1/1000"), (0, 0)), n_sampled=3))
_ABOVE = of_instance("max <vₛ, ∇F̂> - mean", lambda a: max(a.gains) - a.mean_gain, trivial=r * m_F)
_BELOW = of_instance("mean - min <vₛ, ∇F̂>", lambda a: a.mean_gain - min(a.gains), trivial=r * m_F)
_RANGE = of_instance("M - min <vₛ, ∇F̂>", lambda a: a.best_gain - min(a.gains), trivial=r * m_F)


def _at_a_point(case: Case) -> str | None:
    return (
        None
        if isinstance(case.instance, AtPoint)
        else "displacements of local steps or by estimates are other directions"
    )


AT_A_POINT = Assumption("the directions are the clients' best bases at the point, by exact gradients", _at_a_point)
LEMMA_34 = (*SUBMODULAR, AT_A_POINT)
SAMPLING = (
    claim(
        "L3.3",
        "E<Δ, ∇F̂> = Σ pᵢ<vᵢ, ∇F̂>, over the draw of K clients",
        bound(ZERO, "Lemma 3.3", side=EQUAL),
        of_case("E<Δ, ∇F̂> - Σ pᵢ<vᵢ, ∇F̂>", bias),
        SAMPLED,
        _DRAWN,
    ),
    claim(
        "L3.4",
        "Var <Δ, ∇F̂> <= 36r²γ²/K",
        VARIANCE,
        _VAR,
        _VARIANCES,
        _DRAWN,
        LEMMA_34,
        remark="No better than what is known without it unless γ < m_F/12; the constant 36 is 36 times too large.",
    ),
    claim("L3.4", "Var <Δ, ∇F̂> <= r²γ̄(2γ - γ̄)/K, γ̄ the mean of γᵢ", S2, _VAR, _VARIANCES, _DRAWN, LEMMA_34),
    claim(
        "L3.4-plain",
        "Var <Δ, ∇F̂> <= r²γ²/K",
        S2_PLAIN,
        _VAR,
        _VARIANCES,
        _DRAWN,
        LEMMA_34,
        remark="The constant 1 is best possible: I4.",
    ),
    claim(
        "L3.4-product",
        "Var <Δ, ∇F̂> <= 2r²γ̄γ/K",
        bound(2 * r**2 * gbar * gamma / K, "Lemma 3.4", "sharpened"),
        _VAR,
        _VARIANCES,
        _DRAWN,
        LEMMA_34,
    ),
    claim(
        "L3.4-squares",
        "Var <Δ, ∇F̂> <= 4r²Σpᵢγᵢ²/K",
        bound(4 * r**2 * gsquare / K, "Lemma 3.4", "sharpened"),
        _VAR,
        _VARIANCES,
        _DRAWN,
        LEMMA_34,
    ),
    always("L3.4-case1", "<vₛ, ∇F̂> - Σ pᵢ<vᵢ, ∇F̂> <= rγ", CASE_1, _ABOVE, (*AT[:2], AT[3], I4), _AT, LEMMA_34),
    always("L3.4-case2", "Σ pᵢ<vᵢ, ∇F̂> - <vₛ, ∇F̂> <= 5rγ", CASE_2, _BELOW, _VARIANCES, _AT, LEMMA_34),
    always(
        "L3.4-case2",
        "Σ pᵢ<vᵢ, ∇F̂> - <vₛ, ∇F̂> <= 2rγ",
        bound(2 * r * gamma, "proof of Lemma 3.4, case 2", "sharpened"),
        _BELOW,
        (*AT[:2], AT[3], I4),
        _AT,
        LEMMA_34,
    ),
    always(
        "L3.4-range",
        "M - <vₛ, ∇F̂> <= 2rγₛ for every client: at most 2rγ",
        bound(2 * r * gamma, "proof of Lemma 3.4", "sharpened"),
        _RANGE,
        (*AT[:2], AT[3], I4),
        _AT,
        LEMMA_34,
    ),
)

# Section 4: what a step changes in the gradient ----------------------------------------------------------------------

DRIFTS = (
    always(
        "Lip2-drift",
        "|∇f̂(x + d) - ∇f̂(x)|_∞ <= min(m_f, m_f|d|₁) for d >= 0 in the cube",
        bound(Min(m_max, m_max * step_length), "Section 4", "corrected"),
        of_instance("|∇f̂(x + d) - ∇f̂(x)|_∞", drift),
        MOVES,
        _MOVES,
        SUBMODULAR,
    ),
)

CLAIMS: tuple[Claim, ...] = (*SECTION_2, *FIVE, *APPENDIX_A, *SAMPLING, *DRIFTS)
