"""Remark D.4: clients that share their memberships in every round; necessary participants, and sampled ones."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from sympy import log

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, quantity, requires, strengthened
from fltheory.model.case import Case
from fltheory.papers.fedcg.algorithms import discrete
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM
from fltheory.papers.fedcg.communication.claims import SIZES
from fltheory.papers.fedcg.communication.closed_forms import bits
from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.cases import Lone, heavy_and_light
from fltheory.papers.fedcg.discrete.claims.greedy import (
    CARDINALITY,
    COVERAGE,
    CROWD,
    CROWD_PARTED,
    HALF,
    HALF_OPT,
    MANY_POINTS,
    MOST,
    MOST_OPT,
    PARTED,
    THREE,
    case_of_run,
    families,
    value,
)
from fltheory.papers.fedcg.discrete.closed_forms import importance as law
from fltheory.papers.fedcg.discrete.closed_forms import memberships as protocol
from fltheory.papers.fedcg.instances.clients import coverage_clients, facility_clients
from fltheory.papers.fedcg.notation import N, n, r
from fltheory.papers.fedcg.paper import CLIENTS, VALUE, fedcg
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Coverage

PLACE = "Remark D.4"

# Full participation -------------------------------------------------------------------------------------------------


def coverage_of(groups: int, k: int, *members: tuple[int, ...]) -> SubmodularClients:
    """Return maximum coverage with k groups, from the groups of every client."""
    return SubmodularClients(tuple(Coverage((row,), groups) for row in members), Uniform(groups, k))


TWINS = coverage_of(3, 2, (0, 1), (0, 1), (0, 1), (2,), (2,))  # two groups of the same clients, one of others
CHAIN = coverage_of(4, 2, (0, 2), (0, 3), (0, 2), (1, 3), (1, 2), (1,), (0,))
COVERED = (Case(TWINS), Case(CHAIN), Case(coverage_clients(8, 5, 2, 1, seed=15, share="1/2")))
shares = partial(fedcg.lemma, kind="guarantee", dimension=VALUE, assumptions=COVERAGE)
TO_THE_LETTER = (
    "A client that shares its unchanged memberships in every round is counted again after it is covered."
)

SOME = requires("no more clients take part than there are",
    lambda one, c: not c.n_participating <= one.n_clients and f"there are {one.n_clients}")

AWAY = (
    Case(TWINS, n_participating=4),
    Case(CHAIN, n_participating=5),
    Case(coverage_of(2, 1, (1,), (1,), (0,)), n_participating=2),
)
EVERYBODY = (
    shares("D.4", PLACE, "F of the k groups of largest sums, covered clients sending zeros",
        lambda one, c: protocol.value(one), cases=COVERED, family=lambda: families().of_members()).printed(
        "Memberships shared in every round (a covered client sends zeros) give greedy: F(S) >= (1 - (1 - 1/k)^k) OPT",
        bounds.SHARED),
    shares("D.4", PLACE, "F of the k groups of largest sums, everybody sending its memberships in every round",
        lambda one, c: protocol.value(one, message=protocol.full_message),
        family=lambda: families().of_members()).strict(
        "The same where every client sends its unchanged memberships in every round", bounds.SHARED_ALWAYS,
        counterexamples=(Case(TWINS),), remark=TO_THE_LETTER),
    fedcg.lemma("D.4-full", PLACE, "the least F where one client is away",
        lambda one, c: protocol.value_without(one.alone, 1), VALUE,
        cases=tuple(Case(Lone(*sizes)) for sizes in ((1, 2), (3, 2), (5, 4)))).printed(
        "Full participation is required: for every N and n there are clients one of whom, if away, leaves F(S) = 0 < OPT",
        quantity <= 0, note="requires full client participation at each round"),
    shares("D.4-absent", PLACE, "the least F where N - N' clients are away",
        lambda one, c: protocol.value_without(one, one.n_clients - c.n_participating),
        family=lambda: families().some_away(), assumptions=(*COVERAGE, SOME)).strengthened(
        "With N' of the N clients in all rounds: F(S) >= (1 - (1 - 1/k)^k)(OPT - (1 - N'/N)), a client worth 1",
        bounds.ABSENT, cases=AWAY,
        remark="F is here the mean over all clients, so that an absent one costs no more than its share."),
)

# A sample of the clients ----------------------------------------------------------------------------------------------

ENOUGH = "m the size of the largest group, members answer with probability min(1, κ/m), drawn anew in each round"
sampled = partial(value, method=discrete.by_largest)
SAME = (
    "The variance of a sum of answers is at most F(e|S) m_F/κ and an answer counts at most m_F/κ, as with the factors w_i: "
    "the proof of S6 needs no more."
)
FEW = (
    Case(coverage_clients(6, 4, 2, 1, seed=3, share="1/2"), sampling_scale=1),
    Case(TWINS, sampling_scale="1/2"),
    Case(CHAIN, sampling_scale=3),
)
ANY = (
    Case(heavy_and_light(), sampling_scale="1/2"),
    Case(facility_clients(6, 4, 2, 1, seed=2, equal=False), sampling_scale="1/2"),
)
WORTHY = requires("some item is worth something", lambda one, c: not any(one.singletons()) and "every item is worth 0")


def fewer(one: SubmodularClients, c: Constants) -> Fraction:
    scale = Fraction(c.sampling_scale)
    alike = (min(Fraction(1), scale * v) for v in law.factors_of_largest(one))
    return sum(alike, Fraction(0)) / sum(law.answer_chances(one, scale), Fraction(0))


SAMPLED = (
    sampled("D.4-sampled", PLACE, assumptions=COVERAGE, family=lambda: families().of_members(order="sharp")).explicit(
        f"{ENOUGH}: with κ >= 8.43 k log(2kn²)/ε² {MOST_OPT[0].lower()}{MOST_OPT[1:]}", bounds.SAMPLED,
        cases=(case_of_run(coverage_clients(6, 4, 2, 1, seed=3, share="1/2"), KAPPA_UNIFORM, MOST),
            case_of_run(MANY_POINTS, KAPPA_UNIFORM, MOST)), remark=SAME),
    *fedcg.lemma("D.4-fewer", PLACE, "Σ min(1, κ/m) / Σ min(1, κ w_i)", fewer, cases=FEW, assumptions=(*COVERAGE, WORTHY),
        family=lambda: families().of_members(scaled=True)).readings(
        strengthened(
            "On average no more clients answer than in Algorithm 3 at the same κ, and no client needs its factor w_i",
            bounds.ALIKE, remark="w_i >= 1/m for every member of a group: the two rounds of Algorithm 5 are not needed."),
        strengthened("Answers with probability min(1, κ max f_i(e)/m_F): on average no more than with w_i",
            bounds.ALIKE_ANY, cases=(*ANY, *FEW), id="T5.1-fewer", place="Theorem 5.1", assumptions=(*CLIENTS, WORTHY),
            family=lambda: families().clients(scaled=True))),
    sampled("T5.1-largest-matroid", "Theorem 5.1", assumptions=CLIENTS, family=lambda: families().runs(matroid=True)).strengthened(
        f"{HALF_OPT}, κ >= (20/3) r log(2rn²)/ε², answers with probability min(1, κ max f_i(e)/m_F)",
        bounds.BY_LARGEST_MATROID,
        cases=tuple(case_of_run(clients, KAPPA_MATROID, HALF) for clients in (PARTED, CROWD_PARTED)), remark=SAME),
    sampled("T5.1-largest-uniform", "Theorem 5.1", assumptions=CARDINALITY, family=lambda: families().runs()).strengthened(
        f"{MOST_OPT}, κ >= 8.43 r log(2rn²)/ε², answers with probability min(1, κ max f_i(e)/m_F)",
        bounds.BY_LARGEST_UNIFORM, cases=tuple(case_of_run(clients, KAPPA_UNIFORM, MOST) for clients in (THREE, CROWD)),
        remark=SAME),
)

# Bits -----------------------------------------------------------------------------------------------------------------------

BITS = (
    fedcg.lemma("D.4-bits", PLACE, "bits",
        lambda one, c: one.rank * one.n_clients * one.n_items * bits(one.n_clients + 1), kind="cost",
        cases=SIZES).explicit("All clients in k rounds under secure aggregation: k N n ceil(log2(N + 1)) bits, Õ(kNn)",
        quantity <= r * N * n * (1 + log(N + 1) / log(2)), note="under secure aggregation"),
)

CLAIMS: tuple[Claim, ...] = (*EVERYBODY, *SAMPLED, *BITS)
