"""The statements of Section 4 about one round of FedCG+: Lipschitz facts, drift, Lemmas 4.1 and 4.2, Claims C.1 and C.2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sympy import Integer, sqrt

from fltheory.bound import Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import RATIONAL
from fltheory.papers.fedcg.bounds import C1, C2, C2_SHARP, DRIFTED, L42, L42_69, L42_69_CORRECTED, L42_SHARP, bound
from fltheory.papers.fedcg.claims.direct import SQUARED, SUBMODULAR, always, claim, drawn, of_case, of_instance
from fltheory.papers.fedcg.claims.points import AT, MIXED, RANKED, WHATEVER
from fltheory.papers.fedcg.data import points as one
from fltheory.papers.fedcg.data import points_local as local
from fltheory.papers.fedcg.data.instances import any_item, common_and_own_points, opposite_blocks
from fltheory.papers.fedcg.data.points import AtPoint
from fltheory.papers.fedcg.data.points_local import LocalRound
from fltheory.papers.fedcg.letters import B, K, L, gamma, m_F, m_max, r, sigma, tau
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Capped, Coverage, FacilityLocation, Mixture, Modular
from fltheory.runs.measures import NUMBER

EQUAL: Side = "equal"
ZERO, ONE = Integer(0), Integer(1)
_SECTION = "Section 4"

# Lipschitz facts --------------------------------------------------------------------------------------------------------


def local_changes(case: Case) -> list[np.ndarray]:
    """What one local step of 1/tau from x along its base changes in every client's gradient."""
    at: Any = case.instance
    share = RATIONAL.scalar(1) / int(case.constants[tau])
    pairs = enumerate(zip(at.directions, at.gradients, strict=True))
    return [at.clients.gradient((at.point + v * share)[None], i)[0] - g for i, (v, g) in pairs]


def squared_change(case: Case) -> Any:
    """The largest squared Euclidean norm of these changes."""
    return max(one.dot(change, change) for change in local_changes(case))


def largest_change(case: Case) -> Any:
    """The largest entry of these changes."""
    return max(one.largest(change) for change in local_changes(case))


def bend_after(case: Case) -> Any:
    """The largest -d_e d_g f_i at the point that client i's local step leads to."""
    at: Any = case.instance
    share = RATIONAL.scalar(1) / int(case.constants[tau])
    ends = zip(at.functions, at.point + share * at.directions, strict=True)
    found = (-v for f, end in ends for _, _, v in one.second_derivatives(f, end))
    return max(found, default=RATIONAL.scalar(0))


def _stays(case: Case) -> str | None:
    at: Any = case.instance
    share = RATIONAL.scalar(1) / int(case.constants[tau])
    end = at.point + share * at.directions
    return None if all(v <= 1 for v in end.flat) else "the local step leaves the cube"


INSIDE = Assumption("both points in the cube", _stays)
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
_PER_STEP = m_max * r / tau
_LIPSCHITZ = of_instance("L²", lambda w: w.squared_lipschitz, SQUARED)
FACTS = (
    always(
        "Lip1",
        "|∇f̂ᵢ after a local step of 1/τ - ∇f̂ᵢ before| <= m_f·r/τ, Euclidean",
        bound(_PER_STEP**2, _SECTION),
        of_case("max |change of ∇f̂ᵢ|²", squared_change, SQUARED),
        ONE_LOCAL[:1],
        drawn("points", "grouped_points"),
        SUBMODULAR,
        expected="violated",
        remark="Every entry changes by at most m_f|d|₁; all of them together can by √(n - 1) times as much.",
    ),
    always(
        "Lip1",
        "|∇f̂ᵢ after a local step of 1/τ - ∇f̂ᵢ before|_∞ <= m_f·r/τ, both points in the cube",
        bound(_PER_STEP, _SECTION, "corrected"),
        of_case("max |change of ∇f̂ᵢ|_∞", largest_change),
        ONE_LOCAL,
        drawn("points", "at_points", steps=True, inside=True),
        (*SUBMODULAR, INSIDE),
    ),
    always(
        "Lip1-outside",
        "The same outside the cube, where Algorithm 2's local steps lead",
        bound(_PER_STEP, _SECTION),
        of_case("max |change of ∇f̂ᵢ|_∞", largest_change),
        (OUT_OF_CUBE,),
        drawn("points", "leaving"),
        SUBMODULAR,
        expected="violated",
        remark="∂₁∂₂f̂ = -x₃ for f = min(2, |S|) on three items: no longer above -m_f where x₃ > 1.",
    ),
    always(
        "Lip2",
        "L <= m√r",
        bound(m_max**2 * r, _SECTION),
        _LIPSCHITZ,
        (Case(LocalRound(any_item(5), (0,) * 5, 2)), FACILITY),
        drawn("points", "grouped"),
        SUBMODULAR,
        expected="violated",
        remark="Off by √(n - 1) at one item that covers what all do, and by 2 for scores at random.",
    ),
    always(
        "Lip2-max",
        "L <= m√r, with the largest entry of the gradient's change",
        bound(m_max**2 * r, _SECTION),
        of_instance("L² with |·|_∞", lambda w: w.largest_lipschitz, SQUARED),
        (Case(LocalRound(common_and_own_points(24), (0,) * 72, 24)),),
        drawn("points", "many_groups"),
        SUBMODULAR,
        expected="violated",
        remark="It grows like √τ: a local run that visits a new group every step moves little for its Euclidean length.",
    ),
    always(
        "Lip3",
        "∂ₑ∂_g f̂ᵢ >= -m_f on the cube",
        bound(m_max, _SECTION),
        of_instance("max -∂ₑ∂_g f̂ᵢ", one.largest_bend),
        AT,
        drawn("points", "at_points"),
        SUBMODULAR,
    ),
    always(
        "Lip3-outside",
        "∂ₑ∂_g f̂ᵢ >= -m_f where a local step of Algorithm 2 leads to",
        bound(m_max, _SECTION, "literal", note="outside the cube, too"),
        of_case("max -∂ₑ∂_g f̂ᵢ after the step", bend_after),
        (OUT_OF_CUBE,),
        drawn("points", "leaving"),
        SUBMODULAR,
        expected="violated",
    ),
)


# (58)-(61) --------------------------------------------------------------------------------------------------------------

_THREE = (("1/10", "-1/10", 0), (0, "1/20", "-1/10"))
ROUNDS = (
    Case(LocalRound(MIXED, (0, 0, 0, 0), 2)),
    Case(LocalRound(MIXED, ("1/2", "1/3", 0, "1/4"), 3, length="1/2")),
    Case(LocalRound(RANKED, (0, 0, 0), 2, _THREE * 3)),
    Case(LocalRound(RANKED, ("1/4", "1/2", "1/5"), 1, ((1, 0, 0), (0, -1, 0), (0, 0, "1/2")))),
    Case(LocalRound(common_and_own_points(4), (0,) * 12, 4, length="1/3")),
)
LONG = Case(LocalRound(SubmodularClients((Modular((1, 1)),), Uniform(2, 1)), (0, 0), 4))  # the same base every time
_ROUNDS = drawn("points", "local_rounds")
WITNESS_69 = SubmodularClients(
    (Mixture((Coverage(((0, 2), (1, 3)), 4), Modular(("199/100", 1, 0, 0)))),) * 2, Uniform(4, 1), (9, 1)
)
_X69 = (0, 0, "1/2", "1/2")
_OFF, _RIGHT = ("-1/2", "1/2", 0, 0), (0, 0, 0, 0)  # of the sets drawn, the only one is {2}
FOOLED = Case(LocalRound(WITNESS_69, _X69, 1, (_OFF, _RIGHT), euclidean=1), n_sampled=1)  # most are fooled
ONE_FOOLED = Case(LocalRound(WITNESS_69, _X69, 1, (_RIGHT, _OFF), euclidean=1), n_sampled=1)
_TURNED = SubmodularClients((Modular((2, 1)),) * 2, Uniform(2, 1), ties=(1, 0))
BOTH_WAYS = Case(  # the order of two items is turned round: what (69) may lose at most is lost
    LocalRound(_TURNED, (0, 0), 1, (("-1/2", "1/2"), (0, 0))), n_sampled=1
)
NARROW = Case(LocalRound(opposite_blocks(2, "1/100", "1/10000"), (0,) * 4, 2), n_sampled=1)
SLOWLY = Case(
    LocalRound(SubmodularClients((Coverage(((0, 1),), 2, ("1",)),) * 2, Uniform(2, 2)), (0, 0), 2, length="1/2"),
    n_sampled=2,
)
WIDE = Case(  # half of the clients are fooled about items that differ by twice the error
    LocalRound(
        SubmodularClients((Modular(("21/20", 1)),) * 2, Uniform(2, 1), ties=(1, 0)),
        (0, 0),
        1,
        (("-1/40", "1/40"), (0, 0)),
    ),
    n_sampled=1,
)


def _in_euclid(case: Case) -> str | None:
    held: Any = case.instance
    return None if held.euclidean else "the error is measured by its largest entry"


def _euclidean(case: Case) -> Case:
    held: Any = case.instance
    return Case(replace(held, euclidean=1))


EUCLIDEAN = Assumption("errors measured by their Euclidean norm", _in_euclid)
_NEARLY = tuple(  # nearly modular: two items that share a point give way to the third after a local step
    Mixture((Modular(row), Coverage(((0, 1),), 3)), (1, "1/10"))
    for row in ((2, 2, "207/100"), (2, "201/100", "207/100"))
)
ALIKE = SubmodularClients(_NEARLY, Uniform(3, 2))
SHORT = (  # little heterogeneity, little drift, small errors: the bounds say something
    Case(LocalRound(ALIKE, (0, 0, 0), 2)),
    Case(LocalRound(ALIKE, (0, 0, "1/2"), 3, (("-1/50", 0, "1/50"),) * 3 + ((0, 0, 0),) * 3, "1/2")),
)
DISTANCES = (
    always(
        "C-58",
        "|xᵢ - x| <= (j/τ)√r after j local steps, as squares",
        bound(ONE, "(58)"),
        of_instance("max |xᵢ - x|²/((j/τ)²r)", local.away, NUMBER),
        (*ROUNDS[:3], LONG),
        _ROUNDS,
    ),
    always(
        "C-59",
        "|∇f̂ᵢ(xᵢ) - ∇f̂ᵢ(x)| <= L√r, as squares",
        bound(r * L**2, "(59)"),
        of_instance("max |∇f̂ᵢ(xᵢ) - ∇f̂ᵢ(x)|²", local.squared_change, SQUARED),
        (*ROUNDS[:3], ROUNDS[4]),
        _ROUNDS,
    ),
    always(
        "C-61",
        "|∇f̃ᵢ - ∇f̂ᵢ(x)| <= σ + L√r, as squares, σ Euclidean",
        bound((sigma + L * sqrt(r)) ** 2, "(61)"),
        of_instance("max |∇f̃ᵢ - ∇f̂ᵢ(x)|²", local.squared_misses, SQUARED),
        (FOOLED, *(_euclidean(case) for case in ROUNDS)),
        drawn("points", "local_rounds", euclidean=1),
        (EUCLIDEAN,),
    ),
)

# Lemmas 4.1 and 4.2: the draw of the clients ----------------------------------------------------------------------------


def _size(case: Case) -> int:
    return int(case.constants[K])


def bias(case: Case) -> Any:
    """E<Delta, grad F> - sum_i p_i <Delta_i, grad F>, over all draws."""
    held: Any = case.instance
    return one.moments(held.at, _size(case), held.gains)[0] - held.mean_gain


def variance(case: Case) -> Any:
    """Var <Delta, grad F>, over all draws, all local randomness of all clients fixed."""
    held: Any = case.instance
    return one.moments(held.at, _size(case), held.gains)[1]


_EPS = "ε = rσ + r^{3/2}L"
_LEMMA = "proof of Lemma 4.2"
_VAR = of_case("Var <Δ̃, ∇F̂>", variance, SQUARED, WHATEVER)
_ENVY = of_instance("max <Δ̃ₛ, ∇f̂ᵢ> - <Δ̃ᵢ, ∇f̂ᵢ>", local.envy, trivial=r * m_max)
_ABOVE = of_instance("max <Δ̃ₛ, ∇F̂> - mean", local.above_mean, trivial=r * m_F)
_BELOW = of_instance("mean - min <Δ̃ₛ, ∇F̂>", local.below_mean, trivial=r * m_F)
_LOST = of_instance("max <vᵢ, ∇f̂ᵢ> - <Δ̃ᵢ, ∇f̂ᵢ>", local.lost_by_steps, trivial=r * m_max)
_TO_MEAN = of_instance("Σ pᵢ<Δ̃ᵢ, ∇f̂ᵢ> - <Σ pᵢΔ̃ᵢ, ∇F̂>", local.lost_to_mean, trivial=r * m_max)
_ROUND = (*ROUNDS, BOTH_WAYS, SLOWLY, *SHORT)
_TELLING = (BOTH_WAYS, *SHORT)
_FALSE = drawn("points", "indifferent")
_DROPPED = "The error σ on the way back from the estimate to the gradient is dropped: 2rσ is needed."
DRAWS = (
    claim(
        "L4.1",
        "E<Δ̃, ∇F̂> = <Σ pᵢΔ̃ᵢ, ∇F̂>, over the draw of K clients",
        bound(ZERO, "Lemma 4.1", side=EQUAL),
        of_case("E<Δ̃, ∇F̂> - <Σ pᵢΔ̃ᵢ, ∇F̂>", bias),
        tuple(c.with_settings(n_sampled=2) for c in ROUNDS),
        drawn("points", "local_rounds", drawn=True),
    ),
    claim(
        "L4.2",
        f"Var <Δ̃, ∇F̂> <= (6rγ + 2ε)²/K, {_EPS}",
        L42,
        _VAR,
        (NARROW, WIDE),
        drawn("points", "local_rounds", drawn=True),
        SUBMODULAR,
        remark="True, though a step of its proof, (69), is not.",
    ),
    claim(
        "L4.2",
        "Var <Δ̃, ∇F̂> <= (rγ + rσ + rB/2)²/K, B the drift of gradients",
        L42_SHARP,
        _VAR,
        (NARROW, WIDE),
        drawn("points", "local_rounds", drawn=True),
        SUBMODULAR,
    ),
    always(
        "L4.2-69",
        f"<Δ̃ₛ, ∇f̂ᵢ(x)> <= <Δ̃ᵢ, ∇f̂ᵢ(x)> + ε, {_EPS}",
        L42_69,
        _ENVY,
        (FOOLED, ONE_FOOLED, BOTH_WAYS),
        _FALSE,
        SUBMODULAR,
        expected="violated",
        remark=_DROPPED,
    ),
    always("L4.2-69", "<Δ̃ₛ, ∇f̂ᵢ(x)> <= <Δ̃ᵢ, ∇f̂ᵢ(x)> + 2rσ + rB", L42_69_CORRECTED, _ENVY, _ROUND, _ROUNDS, SUBMODULAR),
    always(
        "L4.2-case1",
        f"<Δ̃ₛ, ∇F̂> - mean <= rγ + ε, {_EPS}",
        bound(r * gamma + DRIFTED, f"{_LEMMA}, case 1"),
        _ABOVE,
        (FOOLED,),
        _FALSE,
        SUBMODULAR,
        expected="violated",
        remark=_DROPPED,
    ),
    always(
        "L4.2-case1",
        "<Δ̃ₛ, ∇F̂> - mean <= rγ + 2rσ + rB",
        bound(r * gamma + 2 * r * sigma + r * B, f"{_LEMMA}, case 1", "corrected"),
        _ABOVE,
        _TELLING,
        _ROUNDS,
        SUBMODULAR,
    ),
    always(
        "L4.2-case2",
        f"mean - <Δ̃ₛ, ∇F̂> <= 5rγ + ε, {_EPS}",
        bound(5 * r * gamma + DRIFTED, f"{_LEMMA}, case 2"),
        _BELOW,
        (ONE_FOOLED,),
        _FALSE,
        SUBMODULAR,
        expected="violated",
        remark=_DROPPED,
    ),
    always(
        "L4.2-case2",
        "mean - <Δ̃ₛ, ∇F̂> <= 2rγ + 2rσ + rB",
        bound(2 * r * gamma + 2 * r * sigma + r * B, f"{_LEMMA}, case 2", "corrected"),
        _BELOW,
        _TELLING,
        _ROUNDS,
        SUBMODULAR,
    ),
    always("C.1", "<Σ pᵢΔ̃ᵢ, ∇F̂> >= Σ pᵢ<Δ̃ᵢ, ∇f̂ᵢ> - rγ", C1, _TO_MEAN, (*ROUNDS[:4], NARROW), _ROUNDS, SUBMODULAR),
    always(
        "C.1-polytope",
        "Every Δ̃ᵢ is a point of the polytope",
        bound(ZERO, "Claim C.1"),
        of_instance("max Δ̃ᵢ(S) - rank(S)", local.outside_polytope, NUMBER),
        ROUNDS[:4],
        _ROUNDS,
    ),
    always("C.2", f"<Δ̃ᵢ, ∇f̂ᵢ(x)> >= <vᵢ, ∇f̂ᵢ(x)> - 2ε, {_EPS}", C2, _LOST, _TELLING, _ROUNDS, SUBMODULAR),
    always("C.2", "<Δ̃ᵢ, ∇f̂ᵢ(x)> >= <vᵢ, ∇f̂ᵢ(x)> - 2rσ - rB", C2_SHARP, _LOST, _ROUND, _ROUNDS, SUBMODULAR),
)

CLAIMS: tuple[Claim, ...] = (*FACTS, *DISTANCES, *DRAWS)
