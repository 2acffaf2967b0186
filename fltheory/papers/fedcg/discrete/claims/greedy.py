"""Theorem 5.1, D.2 and D.5: the value that Algorithm 3 reaches with fresh coins, with one set of coins; plain greedy.

Section 5 takes F = sum_i f_i. Here the weights are absorbed: f_i stands for p_i f_i, so that F is the objective of the
other sections.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy
from sympy import Integer

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, imported_late, printed, quantity, requires
from fltheory.model.case import Case
from fltheory.papers.fedcg.algorithms import discrete
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM, MATROID, UNIFORM
from fltheory.papers.fedcg.discrete import bounds
from fltheory.papers.fedcg.discrete.bounds import least_scale
from fltheory.papers.fedcg.discrete.cases import (
    greedy_half,
    heavy_and_light,
    independent_sets_first,
    large_and_small,
    of_few_kinds,
)
from fltheory.papers.fedcg.discrete.closed_forms import sparsifier
from fltheory.papers.fedcg.instances.clients import coverage_clients, facility_clients
from fltheory.papers.fedcg.instances.greedy import greedy
from fltheory.papers.fedcg.notation import T, eps, kappa, n, r
from fltheory.papers.fedcg.paper import CLIENTS, VALUE, fedcg
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Graphic, Partition, Uniform, n_independent
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular
from fltheory.runs.measures import Measure

families = imported_late("fltheory.papers.fedcg.discrete.families")


# Hypotheses -----------------------------------------------------------------------------------------------------


def of_rows(clients: SubmodularClients) -> bool:
    """Return whether this is facility location with a row of scores for every client and equal weights."""
    rows = all(isinstance(f, FacilityLocation) and len(f.scores) == 1 for f in clients.functions)
    return len(set(clients.masses)) == 1 and rows


def of_points(clients: SubmodularClients) -> bool:
    """Return whether this is maximum coverage with a point for every client and equal weights."""
    points = [f for f in clients.functions if isinstance(f, Coverage) and len(f.points) == 1]
    if len(points) < clients.n_clients:
        return False
    return len(set(clients.masses)) == 1 and len({f.weights for f in points}) == 1


def count_fault(one: SubmodularClients, c: Constants) -> str | None:
    """Return a fault in the given number of independent sets, or None."""
    found = n_independent(one.matroid)
    return None if vars(c).get("n_independent") == found else f"there are {found}"


OTHER = "other functions or unequal weights"
CARDINALITY = (
    *CLIENTS,
    requires("a uniform matroid", lambda one, c: not isinstance(one.matroid, Uniform) and "another matroid"),
)
COUNTED = requires("n_independent is the number of independent sets", count_fault)
FACILITIES = (
    *CARDINALITY,
    requires("facility location, a row of scores for every client", lambda one, c: not of_rows(one) and OTHER),
)
COVERAGE = (
    *CARDINALITY,
    requires("maximum coverage, a point for every client", lambda one, c: not of_points(one) and OTHER),
)


# Cases ----------------------------------------------------------------------------------------------------------


def case_of_run(clients: SubmodularClients, least: sympy.Expr, epsilon: object, once: bool = False) -> Case:
    """Return a case of Algorithm 3 with the smallest integer kappa that a formula allows."""
    more = {"n_independent": n_independent(clients.matroid)} if once else {}
    return Case(clients, accuracy=epsilon, sampling_scale=least_scale(least, clients, epsilon), **more)


SMALL = tuple((k % 3, (2 * k) % 5, 1) for k in range(6))
THREE = large_and_small(((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL, "1/3000", Uniform(3, 2))
PARTED = large_and_small(((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL, "1/3000", Partition([[0, 1], [2]], [1, 1]))
TREES = large_and_small(((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL[:4], "1/3000", Graphic(((0, 1), (1, 2), (0, 2))),
    False)
MANY = facility_clients(240, 2, 1, 1, seed=5)
MANY_POINTS = coverage_clients(240, 2, 1, 1, seed=6, share="1/2")
CROWD = facility_clients(260, 3, 2, 1, seed=7)
CROWD_PARTED = facility_clients(260, 4, 2, 1, seed=8, kind="partition")
KINDS = of_few_kinds(((1, 0), (0, 1), (2, 1)), 20, Uniform(2, 1))
PAIRS = of_few_kinds(((1, 0), (1, 2)), 60, Uniform(2, 1))
HALF, MOST = "2/5", "3/5"
PRINTED_MATROID, PRINTED_UNIFORM = bounds.KAPPA_MATROID_PRINTED, bounds.KAPPA_UNIFORM_PRINTED

# Theorem 5.1: the value that Algorithm 3 reaches ----------------------------------------------------------------

FINAL: Measure = discrete.FinalValue()
value = partial(fedcg.theorem, measure=FINAL, method=discrete.greedy, mode="with probability", failure=1 / n,
    tuning=((T, r),), kind="guarantee")
BITES = (
    "At these kappa nearly all clients answer unless they are very many: with n = 10, r = 3, epsilon = 1/10 S6 asks for "
    "kappa = 16175, so that all of fewer equal clients answer; at the printed order kappa is n times larger."
)
IGNORED = "I8: where F = sum p_i f_i the clients' gains do not depend on p. True for F = sum f_i, p_i part of f_i."
HALF_OPT = "With probability 1 - 1/n: F(S) >= (1/2 - ε) OPT"
MOST_OPT = "With probability 1 - 1/n: F(S) >= (1 - 1/e - ε) OPT"
ENOUGH_MATROID = [eps < 1, kappa >= PRINTED_MATROID]
ENOUGH_UNIFORM = [eps < 1, kappa >= PRINTED_UNIFORM]

matroid = partial(value, "T5.1-matroid", "Theorem 5.1", assumptions=CLIENTS,
    family=lambda: families().runs(order="printed", matroid=True))
uniform = partial(value, "T5.1-uniform", "Theorem 5.1", assumptions=CARDINALITY,
    family=lambda: families().runs(order="printed"))
THEOREM = (
    matroid(method=discrete.unweighted).printed(f"{HALF_OPT}, κ >= (20/3) n r log(2rn²)/ε², F = Σ p_i f_i",
        quantity >= MATROID, given=ENOUGH_MATROID, note="F = sum p_i f_i",
        counterexamples=(case_of_run(heavy_and_light(), PRINTED_MATROID, HALF),), remark=IGNORED),
    matroid().corrected(f"{HALF_OPT}, κ >= (20/3) n r log(2rn²)/ε², p_i part of f_i", quantity >= MATROID,
        given=ENOUGH_MATROID, note="p_i absorbed",
        cases=tuple(case_of_run(clients, PRINTED_MATROID, HALF) for clients in (PARTED, TREES, MANY)), remark=BITES),
    uniform(method=discrete.unweighted).printed(f"{MOST_OPT}, κ >= 8.43 n r log(2rn²)/ε², F = Σ p_i f_i",
        quantity >= UNIFORM, given=ENOUGH_UNIFORM, note="F = sum p_i f_i",
        counterexamples=(case_of_run(heavy_and_light(), PRINTED_UNIFORM, MOST),), remark=IGNORED),
    uniform().corrected(f"{MOST_OPT}, κ >= 8.43 n r log(2rn²)/ε², p_i part of f_i", quantity >= UNIFORM,
        given=ENOUGH_UNIFORM, note="p_i absorbed",
        cases=(case_of_run(THREE, PRINTED_UNIFORM, MOST), case_of_run(MANY, PRINTED_UNIFORM, MOST)), remark=BITES),
)
FRESH = (
    value("S6-matroid", "Theorem 5.1", assumptions=CLIENTS, family=lambda: families().runs(matroid=True)).strengthened(
        f"{HALF_OPT}, κ >= (20/3) r log(2rn²)/ε²: n times fewer answers", bounds.S6_MATROID,
        cases=tuple(case_of_run(clients, KAPPA_MATROID, HALF) for clients in (PARTED, TREES, CROWD_PARTED)), remark=BITES,
        full_cases=lambda: (case_of_run(facility_clients(1000, 6, 3, 1, seed=12, kind="partition"), KAPPA_MATROID, HALF),)),
    value("S6-uniform", "Theorem 5.1", assumptions=CARDINALITY, family=lambda: families().runs()).strengthened(
        f"{MOST_OPT}, κ >= 8.43 r log(2rn²)/ε²: n times fewer answers", bounds.S6_UNIFORM,
        cases=(case_of_run(THREE, KAPPA_UNIFORM, MOST), case_of_run(CROWD, KAPPA_UNIFORM, MOST)), remark=BITES,
        full_cases=lambda: (case_of_run(facility_clients(1000, 6, 3, 1, seed=11), KAPPA_UNIFORM, MOST),)),
)

# Theorems D.2 and D.5: facility location and maximum coverage -----------------------------------------------------

FEW = (
    case_of_run(of_few_kinds(((3, 0), (1, 2), (0, 1)), 2, Uniform(2, 2)), PRINTED_UNIFORM, MOST),
    case_of_run(MANY, PRINTED_UNIFORM, MOST),
)
FEW_POINTS = (
    case_of_run(coverage_clients(6, 4, 2, 1, seed=3, share="1/2"), PRINTED_UNIFORM, MOST),
    case_of_run(MANY_POINTS, PRINTED_UNIFORM, MOST),
)
WITH_S = "line 7 of Algorithm 3 read so that e may be in S"
facility = partial(value, "D.2", "Theorem D.2", assumptions=FACILITIES, cases=FEW,
    family=lambda: families().of_scores(order="printed"))
coverage = partial(value, "D.5", "Theorem D.5", assumptions=COVERAGE, cases=FEW_POINTS,
    family=lambda: families().of_members(order="printed"))
INSTANCES = (
    facility().printed(f"Facility location: {MOST_OPT}, κ >= 8.43 n k log(2kn²)/ε²", quantity >= UNIFORM,
        given=ENOUGH_UNIFORM, remark=BITES),
    facility(method=discrete.repeating).strict(
        f"Facility location: {MOST_OPT}, κ >= 8.43 n k log(2kn²)/ε², e from all of E", quantity >= UNIFORM,
        given=ENOUGH_UNIFORM, note=WITH_S, remark=BITES),
    coverage().printed(f"Maximum coverage: {MOST_OPT}, κ >= 8.43 n k log(2kn²)/ε²", quantity >= UNIFORM,
        given=ENOUGH_UNIFORM, remark=BITES),
    coverage(method=discrete.repeating).strict(
        f"Maximum coverage: {MOST_OPT}, κ >= 8.43 n k log(2kn²)/ε², e from all of E", quantity >= UNIFORM,
        given=ENOUGH_UNIFORM, note=WITH_S, remark=BITES),
)

# |S| = k --------------------------------------------------------------------------------------------------------

WASTED = Case(of_few_kinds(((1, 0, 0),), 1, Uniform(3, 2)), sampling_scale=100)
WASTED_POINTS = Case(SubmodularClients((Coverage(((0,),), 3), Coverage(((0,),), 3)), Uniform(3, 2)), sampling_scale=100)
NOBODY = Case(of_few_kinds(((1, 1, 0), (1, 2, 1)), 2, Uniform(3, 2)), sampling_scale="1/10")
SIZED = (NOBODY, WASTED, Case(THREE, sampling_scale=20))
SIZED_POINTS = (Case(coverage_clients(4, 3, 2, 1, seed=3, share="1/2"), sampling_scale="1/2"), WASTED_POINTS)

SIZE: Measure = discrete.FinalSize()
RANGE = (
    "Line 7 takes any e with S ∪ {e} in the matroid, hence also e in S: where no item adds value, or nobody answers, it may "
    "choose such an e, and S does not grow. The text of the paper takes e from E without S."
)
size = partial(fedcg.theorem, measure=SIZE, method=discrete.greedy, mode="surely", tuning=((T, r),), kind="guarantee")
facility_size = partial(size, "D.2-size", "Theorem D.2", assumptions=FACILITIES, family=lambda: families().of_scores())
coverage_size = partial(size, "D.5-size", "Theorem D.5", assumptions=COVERAGE, family=lambda: families().of_members())
SIZES = (
    facility_size().printed("|S| = k after k rounds", quantity >= r, cases=SIZED[:2]),
    facility_size(method=discrete.repeating).strict("|S| = k after k rounds, e from all of E", quantity >= r,
        note=WITH_S, counterexamples=(WASTED, NOBODY), remark=RANGE),
    coverage_size().printed("|S| = k after k rounds", quantity >= r, cases=SIZED_POINTS),
    coverage_size(method=discrete.repeating).strict("|S| = k after k rounds, e from all of E", quantity >= r,
        note=WITH_S, counterexamples=(WASTED_POINTS,), remark=RANGE),
)

# Coins tossed once ----------------------------------------------------------------------------------------------

DUST = SubmodularClients((Modular((1, 1, 1)), FacilityLocation(((1, 1, 1),))), Uniform(3, 3), (1, 100))
SHARES = (Case(DUST), Case(THREE), Case(TREES), Case(facility_clients(5, 4, 2, 1, seed=2, equal=False)))
one_shot = partial(value, place="Theorem 5.1", method=discrete.one_shot, tuning=((T, Integer(1)),))

ONCE = (
    fedcg.lemma("S7-share", "Section 5", "max f_i(S)/(w_i F(S))", lambda one, c: sparsifier.largest_share(one),
        cases=SHARES, assumptions=CLIENTS, family=lambda: families().clients()).strengthened(
        "f_i(S) <= r w_i F(S) for independent S", bounds.S7_SHARE),
    fedcg.lemma("S7-deviation", "Section 5", "P(|F' - F| > εF)",
        lambda one, c: sparsifier.deviation_chance(one, Fraction(c.sampling_scale), Fraction(c.accuracy)),
        assumptions=(*CLIENTS, COUNTED), family=lambda: families().once(least="deviation")).strengthened(
        "Participants drawn once: |F'(S) - F(S)| > ε F(S) for some independent S with probability <= 1/n",
        bounds.S7_DEVIATION,
        cases=(case_of_run(KINDS, bounds.KAPPA_DEVIATION, 1, True),
            case_of_run(PAIRS, bounds.KAPPA_DEVIATION, "4/5", True),
            case_of_run(PARTED, bounds.KAPPA_DEVIATION, "1/2", True))),
    one_shot("S7-matroid", assumptions=(*CLIENTS, COUNTED), family=lambda: families().once(matroid=True)).strengthened(
        f"Participants drawn once: {HALF_OPT}, κ >= 12 r log(2n|I|)/ε²", bounds.S7_MATROID,
        cases=(case_of_run(PARTED, bounds.KAPPA_ONCE, HALF, True), case_of_run(MANY, bounds.KAPPA_ONCE, "9/20", True))),
    one_shot("S7-uniform", assumptions=(*CARDINALITY, COUNTED), family=lambda: families().once()).strengthened(
        f"Participants drawn once: {MOST_OPT}, κ >= 12 r log(2n|I|)/ε²", bounds.S7_UNIFORM,
        cases=(case_of_run(THREE, bounds.KAPPA_ONCE, MOST, True), case_of_run(MANY, bounds.KAPPA_ONCE, MOST, True))),
)

# Plain greedy ---------------------------------------------------------------------------------------------------

FIRST = tuple(Case(independent_sets_first(r, True)) for r in (1, 2, 3, 4))
HALVES = tuple(Case(greedy_half(m)) for m in (2, 3, 8, 40))


def greedy_value(clients: SubmodularClients) -> Fraction:
    """Return F of the greedy set on F itself."""
    return clients.value(frozenset(greedy(clients.value, clients.matroid.independent, range(clients.dim))))


NWF = (
    *fedcg.lemma("NWF-uniform", "Section 2, greedy (quoted)", "F(greedy)", lambda one, c: greedy_value(one), VALUE,
        kind="guarantee").readings(
        printed("Greedy: F(S) >= (1 - (1 - 1/k)^k) OPT under a cardinality constraint", bounds.NWF_UNIFORM,
            cases=(*FIRST, Case(facility_clients(5, 6, 3, 1, seed=2))), family=lambda: families().clients(uniform=True),
            assumptions=CARDINALITY),
        printed("Greedy: F(S) >= OPT/2 under a matroid constraint", bounds.NWF_MATROID,
            cases=(*HALVES, Case(independent_sets_first(3)), Case(TREES)), family=lambda: families().clients(),
            assumptions=CLIENTS,
            remark="I7 comes near to 1/2: greedy under a matroid constraint does not reach 1 - 1/e, continuous greedy does.",
            id="NWF-matroid")),
)

CLAIMS: tuple[Claim, ...] = (*THEOREM, *FRESH, *INSTANCES, *SIZES, *ONCE, *NWF)
