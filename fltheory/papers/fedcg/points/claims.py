"""Section 2, inequality (5), and the lemmas of Section 3 about one round: P1-P5, P8, P9, A.1-A.4, (14), 3.3, 3.4."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import Eq, Min, exp

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, imported_late, printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.number.mixed import Mixed
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
)
from fltheory.papers.fedcg.instances.clients import opposite_blocks, private_items
from fltheory.papers.fedcg.notation import OPT, K, T, curvature, eta, gamma, gbar, gsquare, m_F, m_max, r, step_length
from fltheory.papers.fedcg.paper import OPTIMAL, SQUARED, SUBMODULAR, VALUE, fedcg
from fltheory.papers.fedcg.points.cases import points
from fltheory.papers.fedcg.points.cases.points import AtPoint, Moved, Stepped
from fltheory.papers.fedcg.points.cases.polytopes import OnPolytope
from fltheory.papers.fedcg.points.closed_forms import FreshGroups, Horizon
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
from fltheory.runs.measures import NUMBER

families = imported_late("fltheory.papers.fedcg.points.families")

# Cases: every kind of function, matroid, and point -------------------------------------------------------------------

TRIANGLE = Graphic(((0, 1), (1, 2), (2, 0)))
MIXED = SubmodularClients(
    (Coverage(((0, 1), (1, 2), (0, 2, 3)), 4, (1, 2, "1/2")), FacilityLocation(((3, 1, 0, 2), (0, 2, 2, 1))),
        Capped((1, 2, 1, 1), 3)), Partition(((0, 1), (2, 3)), (1, 1)), (3, 2, 1))
RANKED = SubmodularClients(
    (WeightedRank(TRIANGLE, (3, 2, 1)), Mixture((Modular((1, 0, 2)), Coverage(((0, 1, 2),), 3)), (1, 2)),
        Table((0, 2, 2, 3, 2, 3, 3, 3))), TRIANGLE, ties=((2, 1, 0), (0, 1, 2), (1, 2, 0)))
ALONE = SubmodularClients((Coverage(((0, 1), (1, 2)), 3),), Uniform(3, 2))
HALF = ("1/2", "1/2", "1/2", "1/2")
AT = (
    Case(AtPoint(MIXED, HALF)),
    Case(AtPoint(MIXED, ("1/3", 0, 1, "3/10"))),
    Case(AtPoint(RANKED, (0, 0, 0))),
    Case(AtPoint(RANKED, ("1/4", "1/2", "1/5"))),
    Case(AtPoint(ALONE, (0, 1, "1/2"))),
)
I1 = Case(AtPoint(private_items(3, "1/1000"), (0, 0, 0, 0)))  # the whole loss is due to heterogeneity
ONLY = Case(
    AtPoint(SubmodularClients((Modular((0, 0)), Modular((1, 0)), Modular((0, 0))), Uniform(2, 1), (4, 1, 5)), (0, 0)))
I4 = Case(AtPoint(opposite_blocks(2, "1/100", "1/10000"), (0,) * 4), n_sampled=1)
SAMPLED = (
    I4,
    *(case.with_settings(n_sampled=2) for case in AT[:4]),
    Case(AtPoint(opposite_blocks(1, "1/4", "1/1000"), (0, 0)), n_sampled=3),
)

# Section 2: first and second derivatives of the extension at a point --------------------------------------------------

certain = partial(fedcg.lemma, mode="surely", assumptions=SUBMODULAR)  # no randomness
at_point = partial(certain, dimension=VALUE, cases=AT, family=lambda: families().at_points())
PRELIMINARIES = "Section 2"

# Section 2: an increasing step, and numbers ---------------------------------------------------------------------------

MOVES = (
    Case(Moved(Coverage(((0, 1), (1, 2), (0, 2)), 3, (1, 2, 3)), (0, "1/2", 0), ("1/2", "1/4", 1))),
    Case(Moved(Coverage(((0, 1, 2),), 3), (0, 0, 0), (1, 1, 1))),
    Case(Moved(Modular((1, 2)), (0, 0), ("1/2", 1))),
    Case(Moved(Table((0, 1, 1, "3/2", 1, 2, 2, 2)), ("1/3", 0, 0), ("1/3", 1, "1/10"))),
)
HORIZONS = tuple(Case(Horizon(t)) for t in (1, 2, 10, 1000))
GROUPS = tuple(Case(FreshGroups(*p)) for p in ((2, 1), (2, 100), (10, 7)))
moved = partial(certain, dimension=VALUE, cases=MOVES, family=lambda: families().moves())
fresh: dict[str, Any] = {"cases": GROUPS, "mode": "surely"}

SECTION_2 = (
    at_point("P1", PRELIMINARIES, "max |∂ₑf̂ᵢ - E[fᵢ(R + e) - fᵢ(R - e)]|", lambda at, c: points.formula_error(at)).printed(
        "∂ₑf̂(x) = E[f(R + e) - f(R - e)], R drawn from x", Eq(quantity, 0)),
    at_point("P2-low", PRELIMINARIES, "-min ∂ₑf̂ᵢ", lambda at, c: points.negative_slope(at)).printed(
        "Gradients are nonnegative: ∂ₑf̂ >= 0 on the cube", quantity <= 0),
    at_point("P2-high", PRELIMINARIES, "max ∂ₑf̂ᵢ - fᵢ({e})", lambda at, c: points.excess_slope(at)).printed(
        "∂ₑf̂(x) <= f({e}) on the cube", quantity <= 0),
    at_point("P2", PRELIMINARIES, "max ∂ₑf̂ᵢ", lambda at, c: points.largest_slope(at)).printed(
        "∂ₑf̂(x) <= m_f on the cube", quantity <= m_max),
    moved("P3-antitone", PRELIMINARIES, "max ∂ₑf̂(y) - ∂ₑf̂(x)", lambda move, c: max(move.slopes[1] - move.slopes[0])).printed(
        "x <= y implies ∇f̂(x) >= ∇f̂(y)", quantity <= 0),
    moved("P3-monotone", PRELIMINARIES, "f̂(x) - f̂(y)", lambda move, c: -move.rise).printed(
        "x <= y implies f̂(x) <= f̂(y)", quantity <= 0, remark="Printed with x on both sides."),
    moved("P4-concave", PRELIMINARIES, "f̂(x + d) - f̂(x) - <∇f̂(x), d>", lambda move, c: move.rise - move.predicted).printed(
        "f̂ is concave along d >= 0: f̂(x + d) <= f̂(x) + <∇f̂(x), d>", quantity <= 0),
    moved("P4-backwards", PRELIMINARIES, "<∇f̂(x + d), d> - (f̂(x + d) - f̂(x))",
        lambda move, c: points.dot(move.slopes[1], move.ends[1] - move.ends[0]) - move.rise).printed(
        "and f̂(x) <= f̂(x + d) - <∇f̂(x + d), d>", quantity <= 0),
    at_point("P4-sign", PRELIMINARIES, "max ∂ₑ∂_g f̂ᵢ", lambda at, c: points.negative_bend(at)).printed(
        "Mixed second derivatives are at most 0", quantity <= 0),
    at_point("P4", PRELIMINARIES, "max -∂ₑ∂_g f̂ᵢ", lambda at, c: points.largest_bend(at)).printed(
        "Mixed second derivatives are at least -max(f(e), f(g)) >= -m_f", quantity <= m_max),
    at_point("P4", PRELIMINARIES, "max -∂ₑ∂_g f̂ᵢ - min(fᵢ(e), fᵢ(g))", lambda at, c: points.excess_bend(at)).strengthened(
        "Mixed second derivatives are at least -min(f(e), f(g))", quantity <= 0),
    at_point("P5", PRELIMINARIES, "max over bases of <1_I, ∇f̂ᵢ> - <vᵢ, ∇f̂ᵢ>", lambda at, c: points.better_base(at)).printed(
        "A nonnegative linear function is largest on the polytope at the greedy base", Eq(quantity, 0)),
    at_point("P5-polytope", PRELIMINARIES, "max Δ(S) - rank(S)", lambda at, c: points.outside_polytope(at),
        dimension=NUMBER, assumptions=()).printed("The mean direction is in the polytope: x(S) <= rank(S)", quantity <= 0),
    at_point("P9", PRELIMINARIES, "|F̂ - Σ pᵢf̂ᵢ| + |∇F̂ - Σ pᵢ∇f̂ᵢ|₁", lambda at, c: points.decomposition_error(at)).printed(
        "F̂ = Σ pᵢf̂ᵢ and ∇F̂ = Σ pᵢ∇f̂ᵢ", Eq(quantity, 0)),
    fedcg.lemma("P8", PRELIMINARIES, "1 - (1 - 1/T)^T", lambda horizon, c: horizon.guarantee, mode="surely",
        cases=HORIZONS).printed("1 - (1 - 1/T)^T >= 1 - 1/e", 1 - exp(-1) <= quantity),
    fedcg.lemma("P6-factor", "Section 3", "c", lambda groups, c: groups.factor, **fresh).strengthened(
        "On I3 of rank r >= 2 a step of 1/T leaves c >= 1 - 1/T + 1/(2T²) > e^{-1/T} of what is missing",
        1 - 1 / T + 1 / (2 * T**2) <= quantity, exp(-1 / T) <= quantity, given=[r >= 2],
        remark="So that 1 - c^T < 1 - 1/e for every T: Section 3's guarantee needs an error, however large T is."),
    fedcg.lemma("P6-left", "Section 3", "c^T", lambda groups, c: groups.left, **fresh).strengthened(
        "On I3 of rank r >= 2 more than 1/e of the optimum is missing after T steps of 1/T, for every T",
        exp(-1) <= quantity, given=[r >= 2]),
)

# (5) --------------------------------------------------------------------------------------------------------------------

UNIT_POINTS = requires(
    "maximum coverage: every client is a point",
    lambda one, c: (
        not all(isinstance(f, Coverage) and len(f.points) == 1 and f.weights == (1,) for f in one.functions)
        and "a client is not a single point of weight 1"
    ),
)
COVERED = (
    Case(AtPoint(SubmodularClients((Coverage(((0,),), 2), Coverage(((1,),), 2)), Uniform(2, 1)), (0, 0))),
    Case(AtPoint(SubmodularClients((Coverage(((0,),), 2), Coverage(((0, 1),), 2)), Uniform(2, 1), (1, 9)), (0, "1/2"))),
)

dissimilarity = at_point("C-3.1", "(5)", "max |∇f̂ᵢ - ∇F̂|_∞", lambda at, c: max(at.dissimilarities), cases=(*AT, I1, ONLY))

covered = dissimilarity.restated("C-3.1-coverage", "text after (5)", assumptions=(UNIT_POINTS,),
    family=lambda: families().unit_points(), cases=COVERED)
FIVE = (
    dissimilarity.printed("γ <= 2 max m_f at every point", HETEROGENEITY),
    dissimilarity.strengthened("γ <= (1 - min p) max m_f at every point", S0),
    covered.printed("Text after (5): for maximum coverage γ = 1 bounds the dissimilarity", quantity <= 1,
        remark="γ is an upper bound by Assumption 3.1. (5) itself gives 2."),
    covered.strict("Text after (5): for maximum coverage γ = 1 is the dissimilarity", Eq(quantity, 1),
        note="an equality", counterexamples=COVERED, remark="It is at most 1 - min p."),
)

# Appendix A: one step ---------------------------------------------------------------------------------------------------

GAINING = (
    *OPTIMAL,
    requires("some item still gains", lambda one, c: not one.best_gain > 0 and "no item gains anything"),
)
LOSING = (*AT[:4], I1)
STEPS = (
    Case(Stepped(MIXED, HALF, ("1/2", "1/2", "1/4", "3/4"), "1/2")),
    Case(Stepped(SubmodularClients((Coverage(((0, 1),), 2),), Uniform(2, 2)), (0, 0), (1, 1), "1/10")),
    Case(Stepped(SubmodularClients((Coverage((range(4),), 4),), Uniform(4, 4)), (0,) * 4, (1,) * 4, "1/100")),
    Case(Stepped(RANKED, ("1/4", "1/2", "1/5"), (1, 0, 1), "1/3")),
    Case(Stepped(SubmodularClients((Coverage((range(4),), 4),), Uniform(4, 1)), (0,) * 4, ("1/4",) * 4, "3/2")),
)
share = partial(at_point, dimension=NUMBER, cases=(*LOSING, Case(AtPoint(ALONE, ("1/2", "1/2", "1/2")))), assumptions=GAINING)

POLYTOPES = (  # matroid polytopes, a segment off the axes, a polytope of no matroid, and runs from 0
    Case(OnPolytope(ALONE, ((1, 1, 0), (1, 0, 1), (0, 1, 1)), (1, 1, 0), ((0, 0, 0), ("1/2", "1/2", 0), (1, 1, 0)))),
    Case(
        OnPolytope(MIXED, (("1/2", "1/3", 1, 0), ("1/5", 1, "2/5", "3/4")), (1, 2),
            (HALF, ("1/3", 0, 1, "3/10"), (0, 0, 0, 0)))),
    Case(OnPolytope(RANKED, ((0, 0, 0), (1, 1, 1), (1, 0, 0)), (0, 1, 1), ((0, 0, 0), ("1/4", "1/2", "1/5")))),
    Case(OnPolytope(private_items(2, "1/1000"), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (1, 0, 0), ((0, 0, 0),))),
)

missed = at_point("A.4", "Lemma A.4", "OPT - F̂ - <Δ, ∇F̂>", lambda at, c: at.gap - at.mean_gain, cases=LOSING,
    assumptions=OPTIMAL, trivial=OPT)

APPENDIX_A = (
    share("A.1", "Lemma A.1", "(OPT - F̂) / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda at, c: at.gap / at.own_gain).printed(
        "OPT - F̂(x) <= Σ pᵢ<vᵢ, ∇f̂ᵢ(x)> at every point of the cube", quantity <= 1),
    certain("A.2", "Corollary A.2", "max F̂(w) - F̂(x) - Σ pᵢ<vᵢ, ∇f̂ᵢ(x)>", lambda one, c: one.missed, dimension=VALUE,
        cases=POLYTOPES, family=lambda: families().on_polytopes()).printed(
        "OPT - F̂(x⁽ᵗ⁾) <= Σ pᵢ<vᵢ⁽ᵗ⁾, ∇f̂ᵢ(x⁽ᵗ⁾)>, any polytope in the cube, its best point w, any x⁽ᵗ⁾ of the cube, every t",
        quantity <= 0,
        remark="Checked for any w of the polytope in place of the best: F̂(w) = OPT is the largest of them."),
    share("A.2", "Corollary A.2", "(OPT - F̂) / M", lambda at, c: at.gap / at.best_gain).strengthened(
        "OPT - F̂(x) <= M(x) = max <v, ∇F̂(x)> over the polytope", quantity <= 1, note="the middle of its proof"),
    share("A.2-middle", "proof of Lemma A.1", "M / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda at, c: at.best_gain / at.own_gain).printed(
        "M(x) <= Σ pᵢ<vᵢ, ∇f̂ᵢ(x)>", quantity <= 1),
    *at_point("A.3", "Lemma A.3", "Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂>", lambda at, c: at.own_gain - at.mean_gain, cases=LOSING,
        trivial=r * m_max).readings(
        printed("Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂> <= rγ", A3),
        strengthened("Σ pᵢ<vᵢ, ∇f̂ᵢ> - <v̄, ∇F̂> <= r·mean γᵢ", A3_MEAN)),
    missed.printed("OPT - F̂ <= <Δ, ∇F̂> + rγ, Δ the mean direction", A4,
        remark="The factor 1 of rγ can't be smaller: I1 approaches it as d goes to 0."),
    missed.strengthened("OPT - F̂ <= <Δ, ∇F̂> + r·mean γᵢ, Δ the mean direction", A4_MEAN),
    share("A.4-mean", "Lemma A.4", "<Δ, ∇F̂> / Σ pᵢ<vᵢ, ∇f̂ᵢ>", lambda at, c: at.mean_gain / at.own_gain).printed(
        "<Δ, ∇F̂> <= Σ pᵢ<vᵢ, ∇f̂ᵢ>, Δ the mean direction", quantity <= 1),
    *certain("C-14", "(14)", "F̂(x) + η<Δ, ∇F̂(x)> - F̂(x + ηΔ)", lambda step, c: step.missed, dimension=VALUE,
        cases=STEPS, family=lambda: families().stepped(), trivial=eta * r * m_F).readings(
        printed("F̂(x + ηΔ) >= F̂(x) + η<Δ, ∇F̂(x)> - η²r²m_F/2, Δ in the polytope, both points in the cube", ONE_STEP),
        strengthened("The same with (Σ Δ)² - Σ Δ² in place of r²: the Hessian has no diagonal",
            quantity <= eta**2 * m_F * curvature / 2, remark="For a base this is r(r - 1): for rank 1 the error is 0.")),
)

# Lemmas 3.3 and 3.4: the draw of the clients ----------------------------------------------------------------------------

WHATEVER = r**2 * m_F**2 / (4 * K)  # the variance of a mean of K numbers in [0, r m_F] is no larger
AT_A_POINT = requires("the directions are the clients' best bases at the point, by exact gradients",
    lambda one, c: not isinstance(one, AtPoint) and "displacements of local steps or by estimates are other directions")
LEMMA_34 = (*SUBMODULAR, AT_A_POINT)
NEAR = (I4, Case(AtPoint(opposite_blocks(1, "1/50", "1/1000"), (0, 0)), n_sampled=3))
SPREAD = (*AT[:2], AT[3], I4)
of_draws = partial(fedcg.lemma, family=lambda: families().at_points(drawn=True))
of_client = partial(at_point, assumptions=LEMMA_34, trivial=r * m_F)

variance = of_draws("L3.4", "Lemma 3.4", "Var <Δ, ∇F̂>", lambda at, c: points.moments(at, c.n_sampled, at.gains)[1],
    SQUARED, WHATEVER, cases=NEAR, assumptions=LEMMA_34)

above_mean = of_client("L3.4-case1", "proof of Lemma 3.4, case 1", "max <vₛ, ∇F̂> - mean",
    lambda at, c: max(at.gains) - at.mean_gain, cases=SPREAD)

below_mean = of_client("L3.4-case2", "proof of Lemma 3.4, case 2", "mean - min <vₛ, ∇F̂>",
    lambda at, c: at.mean_gain - min(at.gains), cases=SPREAD)


def off_31(at: AtPoint, c: Constants) -> Mixed:
    parts = (at.mean_gain - at.own_gain) - (at.gains - at.own_gain)
    return max(abs(v) for v in (at.mean_gain - at.gains) - parts)


SAMPLING = (
    of_draws("L3.3", "Lemma 3.3", "E<Δ, ∇F̂> - Σ pᵢ<vᵢ, ∇F̂>",
        lambda at, c: points.moments(at, c.n_sampled, at.gains)[0] - at.mean_gain, VALUE, cases=SAMPLED).printed(
        "E<Δ, ∇F̂> = Σ pᵢ<vᵢ, ∇F̂>, over the draw of K clients", Eq(quantity, 0)),
    variance.printed("Var <Δ, ∇F̂> <= 36r²γ²/K", VARIANCE,
        remark="Trivial unless γ < m_F/12; the constant 36 is 36 times too large."),
    variance.strengthened("Var <Δ, ∇F̂> <= r²γ̄(2γ - γ̄)/K, γ̄ the mean of γᵢ", S2),
    variance.restated("L3.4-plain").strengthened("Var <Δ, ∇F̂> <= r²γ²/K", S2_PLAIN,
        remark="The constant 1 is best possible: I4."),
    variance.restated("L3.4-product").strengthened("Var <Δ, ∇F̂> <= 2r²γ̄γ/K", quantity <= 2 * r**2 * gbar * gamma / K),
    variance.restated("L3.4-squares").strengthened("Var <Δ, ∇F̂> <= 4r²Σpᵢγᵢ²/K", quantity <= 4 * r**2 * gsquare / K),
    above_mean.printed("<vₛ, ∇F̂> - Σ pᵢ<vᵢ, ∇F̂> <= rγ", CASE_1),
    of_client("L3.4-31", "proof of Lemma 3.4 (31)", "max over s of |(30) - (31)|", off_31, cases=SPREAD).printed(
        "(31): <v̄ - s, ∇F̂> = <v̄, ∇F̂> - Σ pᵢ<vᵢ, ∇f̂ᵢ> - <s, ∇F̂> + Σ pᵢ<vᵢ, ∇f̂ᵢ>, s any client's base",
        Eq(quantity, 0)),
    below_mean.printed("Σ pᵢ<vᵢ, ∇F̂> - <vₛ, ∇F̂> <= 5rγ", CASE_2, cases=NEAR),
    below_mean.strengthened("Σ pᵢ<vᵢ, ∇F̂> - <vₛ, ∇F̂> <= 2rγ", quantity <= 2 * r * gamma),
    of_client("L3.4-range", "proof of Lemma 3.4", "M - min <vₛ, ∇F̂>", lambda at, c: at.best_gain - min(at.gains),
        cases=SPREAD).strengthened("M - <vₛ, ∇F̂> <= 2rγₛ for every client: at most 2rγ", quantity <= 2 * r * gamma),
)

# Section 4: change of the gradient along a step ----------------------------------------------------------------------

DRIFTS = (
    moved("Lip2-drift", "Section 4", "|∇f̂(x + d) - ∇f̂(x)|_∞",
        lambda move, c: points.largest(move.slopes[1] - move.slopes[0])).corrected(
        "|∇f̂(x + d) - ∇f̂(x)|_∞ <= min(m_f, m_f|d|₁) for d >= 0 in the cube",
        quantity <= Min(m_max, m_max * step_length)),
)

CLAIMS: tuple[Claim, ...] = (*SECTION_2, *FIVE, *APPENDIX_A, *SAMPLING, *DRIFTS)
