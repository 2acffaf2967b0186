"""The statements of Section 4 about one round of FedCG+: Lipschitz facts, drift, Lemmas 4.1 and 4.2, Claims C.1 and C.2."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from sympy import Eq, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import corrected, imported_late, printed, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.papers.fedcg.bounds import C1, C2, C2_SHARP, DRIFTED, L42, L42_69, L42_69_CORRECTED, L42_SHARP
from fltheory.papers.fedcg.instances.clients import any_item, common_and_own_points, opposite_blocks
from fltheory.papers.fedcg.local import cases as local
from fltheory.papers.fedcg.local.cases import LocalRound
from fltheory.papers.fedcg.notation import B, L, gamma, m_F, m_max, r, sigma, tau
from fltheory.papers.fedcg.paper import SQUARED, SUBMODULAR, VALUE, fedcg
from fltheory.papers.fedcg.points.cases import points
from fltheory.papers.fedcg.points.cases.points import AtPoint
from fltheory.papers.fedcg.points.claims import AT, MIXED, RANKED, WHATEVER
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Capped, Coverage, FacilityLocation, Mixture, Modular

families = imported_late("fltheory.papers.fedcg.points.families")

# Lipschitz facts --------------------------------------------------------------------------------------------------------

INSIDE = requires("both points in the cube",
    lambda one, c: points.leaves(one, c.n_local_steps) and "the local step leaves the cube")
ONE_LOCAL = (
    Case(AtPoint(any_item(5), (0,) * 5), n_local_steps=2),
    Case(AtPoint(any_item(3), (0, "1/2", 0)), n_local_steps=3),
    Case(AtPoint(common_and_own_points(2), (0,) * 6), n_local_steps=2),
    Case(AtPoint(MIXED, ("1/3", 0, "1/3", "3/10")), n_local_steps=2),
    Case(AtPoint(RANKED, (0, 0, 0)), n_local_steps=4),
)
OUT_OF_CUBE = Case(AtPoint(SubmodularClients((Capped((1, 1, 1), 2),), Uniform(3, 2)), (0, 1, 1)), n_local_steps=1)
SCORES = ("9/100", "7/25", "23/25", "7/10", "67/100", "17/20", "3/50", "3/20", "53/100", "23/50", "9/10", "81/100")
FACILITY = Case(LocalRound(SubmodularClients((FacilityLocation((SCORES,)),), Uniform(12, 3)), (0,) * 12, 5))
fact = partial(fedcg.lemma, mode="surely", assumptions=SUBMODULAR)
PER_STEP = m_max * r / tau

largest_change = fact("Lip1", "Section 4", "max |change of ∇f̂ᵢ|_∞",
    lambda at, c: points.largest_change(at, c.n_local_steps), VALUE)

largest_lipschitz = fact("Lip2-max", "Section 4", "L² with |·|_∞", lambda one, c: one.largest_lipschitz, SQUARED)

FACTS = (
    fact("Lip1", "Section 4", "max |change of ∇f̂ᵢ|²", lambda at, c: points.squared_change(at, c.n_local_steps),
        SQUARED).printed("|∇f̂ᵢ after a local step of 1/τ - ∇f̂ᵢ before| <= m_f·r/τ, Euclidean",
        quantity <= PER_STEP**2, counterexamples=ONE_LOCAL[:1], family=lambda: families().grouped_points(),
        remark="Every entry changes by at most m_f|d|₁; all of them together can by √(n - 1) times as much."),
    largest_change.corrected("|∇f̂ᵢ after a local step of 1/τ - ∇f̂ᵢ before|_∞ <= m_f·r/τ, both points in the cube",
        quantity <= PER_STEP, cases=ONE_LOCAL, family=lambda: families().at_points(steps=True, inside=True),
        assumptions=(*SUBMODULAR, INSIDE)),
    largest_change.restated("Lip1-outside").printed("The same outside the cube, which Algorithm 2's local steps may leave",
        quantity <= PER_STEP, counterexamples=(OUT_OF_CUBE,), family=lambda: families().leaving(),
        remark="∂₁∂₂f̂ = -x₃ for f = min(2, |S|) on three items: no longer above -m_f where x₃ > 1."),
    fact("Lip2", "Section 4", "L²", lambda one, c: one.squared_lipschitz, SQUARED).printed("L <= m√r",
        quantity <= m_max**2 * r, counterexamples=(Case(LocalRound(any_item(5), (0,) * 5, 2)), FACILITY),
        family=lambda: families().grouped(),
        remark="Violated by a factor of √(n - 1) by one item that covers all that the others do, and by 2 for random scores."),
    largest_lipschitz.printed("L <= m√r, with the largest entry of the gradient's change", quantity <= m_max**2 * r,
        counterexamples=(Case(LocalRound(common_and_own_points(24), (0,) * 72, 24)),),
        family=lambda: families().many_groups(),
        remark="It grows like √τ: a local run that visits a new group every step moves little for its Euclidean length."),
    fact("Lip3", "Section 4", "max -∂ₑ∂_g f̂ᵢ", lambda at, c: points.largest_bend(at), VALUE).printed(
        "∂ₑ∂_g f̂ᵢ >= -m_f on the cube", quantity <= m_max, cases=AT, family=lambda: families().at_points()),
    fact("Lip3-outside", "Section 4", "max -∂ₑ∂_g f̂ᵢ after the step",
        lambda at, c: points.bend_after(at, c.n_local_steps), VALUE).strict(
        "∂ₑ∂_g f̂ᵢ >= -m_f at points that a local step of Algorithm 2 reaches", quantity <= m_max,
        note="outside the cube, too", counterexamples=(OUT_OF_CUBE,), family=lambda: families().leaving()),
)

# (58)-(61) --------------------------------------------------------------------------------------------------------------

_THREE = (("1/10", "-1/10", 0), (0, "1/20", "-1/10"))
HELD = (
    LocalRound(MIXED, (0, 0, 0, 0), 2),
    LocalRound(MIXED, ("1/2", "1/3", 0, "1/4"), 3, length="1/2"),
    LocalRound(RANKED, (0, 0, 0), 2, _THREE * 3),
    LocalRound(RANKED, ("1/4", "1/2", "1/5"), 1, ((1, 0, 0), (0, -1, 0), (0, 0, "1/2"))),
    LocalRound(common_and_own_points(4), (0,) * 12, 4, length="1/3"),
)
ROUNDS = tuple(map(Case, HELD))
LONG = Case(LocalRound(SubmodularClients((Modular((1, 1)),), Uniform(2, 1)), (0, 0), 4))  # the same base every time
WITNESS_69 = SubmodularClients((Mixture((Coverage(((0, 2), (1, 3)), 4), Modular(("199/100", 1, 0, 0)))),) * 2,
    Uniform(4, 1), (9, 1))
_X69 = (0, 0, "1/2", "1/2")
_OFF, _RIGHT = ("-1/2", "1/2", 0, 0), (0, 0, 0, 0)  # the only drawn set is {2}
FOOLED = Case(LocalRound(WITNESS_69, _X69, 1, (_OFF, _RIGHT), euclidean=1), n_sampled=1)  # most clients are misled
ONE_FOOLED = Case(LocalRound(WITNESS_69, _X69, 1, (_RIGHT, _OFF), euclidean=1), n_sampled=1)
_TURNED = SubmodularClients((Modular((2, 1)),) * 2, Uniform(2, 1), ties=(1, 0))
BOTH_WAYS = Case(LocalRound(_TURNED, (0, 0), 1, (("-1/2", "1/2"), (0, 0))), n_sampled=1)
NARROW = Case(LocalRound(opposite_blocks(2, "1/100", "1/10000"), (0,) * 4, 2), n_sampled=1)
SLOWLY = Case(
    LocalRound(SubmodularClients((Coverage(((0, 1),), 2, ("1",)),) * 2, Uniform(2, 2)), (0, 0), 2, length="1/2"),
    n_sampled=2)
WIDE = Case(
    LocalRound(SubmodularClients((Modular(("21/20", 1)),) * 2, Uniform(2, 1), ties=(1, 0)), (0, 0), 1,
        (("-1/40", "1/40"), (0, 0))), n_sampled=1)

EUCLIDEAN = requires("errors measured by their Euclidean norm",
    lambda one, c: not one.euclidean and "the error is measured by its largest entry")
_NEARLY = tuple(  # nearly modular: after a local step, two items that share a point lose to the third
    Mixture((Modular(row), Coverage(((0, 1),), 3)), (1, "1/10"))
    for row in ((2, 2, "207/100"), (2, "201/100", "207/100"))
)
ALIKE = SubmodularClients(_NEARLY, Uniform(3, 2))
SHORT = (  # little heterogeneity and drift, small errors: the bounds are non-trivial
    Case(LocalRound(ALIKE, (0, 0, 0), 2)),
    Case(LocalRound(ALIKE, (0, 0, "1/2"), 3, (("-1/50", 0, "1/50"),) * 3 + ((0, 0, 0),) * 3, "1/2")),
)
in_round = partial(fedcg.lemma, mode="surely", family=lambda: families().local_rounds())

DISTANCES = (
    in_round("C-58", "(58)", "max |xᵢ - x|²/((j/τ)²r)", lambda one, c: local.away(one), cases=(*ROUNDS[:3], LONG)).printed(
        "|xᵢ - x| <= (j/τ)√r after j local steps, as squares", quantity <= 1),
    in_round("C-59", "(59)", "max |∇f̂ᵢ(xᵢ) - ∇f̂ᵢ(x)|²", lambda one, c: local.squared_change(one), SQUARED,
        cases=(*ROUNDS[:3], ROUNDS[4])).printed("|∇f̂ᵢ(xᵢ) - ∇f̂ᵢ(x)| <= L√r, as squares", quantity <= r * L**2),
    in_round("C-61", "(61)", "max |∇f̃ᵢ - ∇f̂ᵢ(x)|²", lambda one, c: local.squared_misses(one), SQUARED,
        cases=(FOOLED, *(Case(replace(one, euclidean=1)) for one in HELD)), assumptions=(EUCLIDEAN,),
        family=lambda: families().local_rounds(euclidean=1)).printed(
        "|∇f̃ᵢ - ∇f̂ᵢ(x)| <= σ + L√r, as squares, σ Euclidean", quantity <= (sigma + L * sqrt(r)) ** 2),
)

# Lemmas 4.1 and 4.2: the draw of the clients ----------------------------------------------------------------------------

EPS = "ε = rσ + r^{3/2}L"
LEMMA = "proof of Lemma 4.2"
DROPPED = "The error σ of replacing the estimate by the gradient is dropped: 2rσ is needed."
EVERY_ROUND = (*ROUNDS, BOTH_WAYS, SLOWLY, *SHORT)
TELLING = (BOTH_WAYS, *SHORT)
of_draws = partial(fedcg.lemma, family=lambda: families().local_rounds(drawn=True))
lemma = partial(in_round, assumptions=SUBMODULAR)


def fooling_rounds(*cases: Case) -> dict[str, Any]:
    """Return rounds in which errors change the order of the items and refute a reading."""
    return {"counterexamples": cases, "family": lambda: families().indifferent(), "remark": DROPPED}


variance = of_draws("L4.2", "Lemma 4.2", "Var <Δ̃, ∇F̂>",
    lambda one, c: points.moments(one.at, c.n_sampled, one.gains)[1], SQUARED, WHATEVER, cases=(NARROW, WIDE),
    assumptions=SUBMODULAR)

envy = lemma("L4.2-69", f"{LEMMA} (69)", "max <Δ̃ₛ, ∇f̂ᵢ> - <Δ̃ᵢ, ∇f̂ᵢ>", lambda one, c: local.envy(one), VALUE, r * m_max)

DRAWS = (
    of_draws("L4.1", "Lemma 4.1", "E<Δ̃, ∇F̂> - <Σ pᵢΔ̃ᵢ, ∇F̂>",
        lambda one, c: points.moments(one.at, c.n_sampled, one.gains)[0] - one.mean_gain, VALUE,
        cases=tuple(case.with_settings(n_sampled=2) for case in ROUNDS)).printed(
        "E<Δ̃, ∇F̂> = <Σ pᵢΔ̃ᵢ, ∇F̂>, over the draw of K clients", Eq(quantity, 0)),
    variance.printed(f"Var <Δ̃, ∇F̂> <= (6rγ + 2ε)²/K, {EPS}", L42,
        remark="True, though a step of its proof, (69), is not."),
    variance.strengthened("Var <Δ̃, ∇F̂> <= (rγ + rσ + rB/2)²/K, B the drift of gradients", L42_SHARP),
    envy.printed(f"<Δ̃ₛ, ∇f̂ᵢ(x)> <= <Δ̃ᵢ, ∇f̂ᵢ(x)> + ε, {EPS}", L42_69, **fooling_rounds(FOOLED, ONE_FOOLED, BOTH_WAYS)),
    envy.corrected("<Δ̃ₛ, ∇f̂ᵢ(x)> <= <Δ̃ᵢ, ∇f̂ᵢ(x)> + 2rσ + rB", L42_69_CORRECTED, cases=EVERY_ROUND),
    lemma("L4.2-65", f"{LEMMA} (65)", "max over s of |(64) - (65)|", lambda one, c: local.off_65(one), VALUE, r * m_F,
        cases=EVERY_ROUND).printed("(65): <Δ̃ₛ - Δ̄, ∇F̂> = Σ pᵢ<Δ̃ₛ, ∇f̂ᵢ> - <Σ pᵢΔ̃ᵢ, ∇F̂>", Eq(quantity, 0)),
    lemma("L4.2-80", f"{LEMMA} (80)", "max over s of <Δ̄ - Δ̃ₛ, ∇F̂> less (79) and (80)",
        lambda one, c: local.beyond_80(one), VALUE, r * m_F, cases=EVERY_ROUND).printed(
        "(79), (80): <Δ̄ - Δ̃ₛ, ∇F̂> <= Σ pᵢ|<Δ̃ᵢ, ∇F̂ - ∇f̂ᵢ>| + Σ pᵢ(<Δ̃ᵢ, ∇f̂ᵢ> - <Δ̃ₛ, ∇f̂ᵢ>)", quantity <= 0),
    *lemma("L4.2-case1", f"{LEMMA}, case 1", "max <Δ̃ₛ, ∇F̂> - mean", lambda one, c: local.above_mean(one), VALUE,
        r * m_F).readings(
        printed(f"<Δ̃ₛ, ∇F̂> - mean <= rγ + ε, {EPS}", quantity <= r * gamma + DRIFTED, **fooling_rounds(FOOLED)),
        corrected("<Δ̃ₛ, ∇F̂> - mean <= rγ + 2rσ + rB", quantity <= r * gamma + 2 * r * sigma + r * B, cases=TELLING)),
    *lemma("L4.2-case2", f"{LEMMA}, case 2", "mean - min <Δ̃ₛ, ∇F̂>", lambda one, c: local.below_mean(one), VALUE,
        r * m_F).readings(
        printed(f"mean - <Δ̃ₛ, ∇F̂> <= 5rγ + ε, {EPS}", quantity <= 5 * r * gamma + DRIFTED,
            **fooling_rounds(ONE_FOOLED)),
        corrected("mean - <Δ̃ₛ, ∇F̂> <= 2rγ + 2rσ + rB", quantity <= 2 * r * gamma + 2 * r * sigma + r * B,
            cases=TELLING)),
    lemma("C.1", "Claim C.1", "Σ pᵢ<Δ̃ᵢ, ∇f̂ᵢ> - <Σ pᵢΔ̃ᵢ, ∇F̂>", lambda one, c: local.lost_to_mean(one), VALUE,
        r * m_max, cases=(*ROUNDS[:4], NARROW)).printed("<Σ pᵢΔ̃ᵢ, ∇F̂> >= Σ pᵢ<Δ̃ᵢ, ∇f̂ᵢ> - rγ", C1),
    in_round("C.1-polytope", "Claim C.1", "max Δ̃ᵢ(S) - rank(S)", lambda one, c: local.outside_polytope(one),
        cases=ROUNDS[:4]).printed("Every Δ̃ᵢ is a point of the polytope", quantity <= 0),
    *lemma("C.2", "Claim C.2", "max <vᵢ, ∇f̂ᵢ> - <Δ̃ᵢ, ∇f̂ᵢ>", lambda one, c: local.lost_by_steps(one), VALUE,
        r * m_max).readings(
        printed(f"<Δ̃ᵢ, ∇f̂ᵢ(x)> >= <vᵢ, ∇f̂ᵢ(x)> - 2ε, {EPS}", C2, cases=TELLING),
        strengthened("<Δ̃ᵢ, ∇f̂ᵢ(x)> >= <vᵢ, ∇f̂ᵢ(x)> - 2rσ - rB", C2_SHARP, cases=EVERY_ROUND)),
)

CLAIMS: tuple[Claim, ...] = (*FACTS, *DISTANCES, *DRAWS)
