"""Theorem 5.1, D.2 and D.5: what Algorithm 3 reaches, with fresh coins and with coins thrown once, and plain greedy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Integer

from fltheory.bound import Bound, Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.fedcg.algorithms import discrete
from fltheory.papers.fedcg.bounds import KAPPA_MATROID, KAPPA_UNIFORM
from fltheory.papers.fedcg.bounds import bound as of_paper
from fltheory.papers.fedcg.bounds import discrete as bounds
from fltheory.papers.fedcg.claims.direct import claim, drawn
from fltheory.papers.fedcg.data.instances import coverage_clients, facility_clients
from fltheory.papers.fedcg.data.instances_discrete import (
    greedy_half,
    heavy_and_light,
    independent_sets_first,
    large_and_small,
    of_few_kinds,
)
from fltheory.papers.fedcg.exact import sparsifier
from fltheory.papers.fedcg.letters import T, eps, kappa
from fltheory.papers.fedcg.letters import r as rank
from fltheory.problems.decomposable import SubmodularClients, monotone_submodular
from fltheory.problems.sets.greedy import greedy
from fltheory.problems.sets.matroids import Graphic, Partition, Uniform, n_independent
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular
from fltheory.runs.measures import ENERGY, NUMBER, DirectMeasure

LEAST: Side = "lower"
VALUE: Any = discrete.FinalValue()
SIZE: Any = discrete.FinalSize()
_EVERY_ROUND = ((T, rank),)
BITES = (
    "At these kappa nearly all clients answer unless they are very many: with n = 10, r = 3, epsilon = 1/10 S6 asks for "
    "kappa = 16175, so that of fewer equal clients everybody answers; at the printed order kappa is n times larger."
)


# Hypotheses -----------------------------------------------------------------------------------------------------


def _clients(case: Case) -> str | None:
    return None if isinstance(case.instance, SubmodularClients) else "they are none"


def _uniform(case: Case) -> str | None:
    return None if isinstance(case.instance.matroid, Uniform) else "another matroid"  # type: ignore[attr-defined]


def _counted(case: Case) -> str | None:
    found = n_independent(case.instance.matroid)  # type: ignore[attr-defined]
    return None if dict(case.settings).get("n_independent") == found else f"there are {found}"


def _scores(case: Case) -> str | None:
    one: Any = case.instance
    alike = len(set(one.masses)) == 1 and all(
        isinstance(f, FacilityLocation) and len(f.scores) == 1 for f in one.functions
    )
    return None if alike else "other functions or unequal weights"


def _memberships(case: Case) -> str | None:
    one: Any = case.instance
    alike = len(set(one.masses)) == 1 and all(isinstance(f, Coverage) and len(f.points) == 1 for f in one.functions)
    return None if alike and len({f.weights for f in one.functions}) == 1 else "other functions or unequal weights"


CLIENTS = (Assumption("clients under a matroid constraint", _clients), monotone_submodular)
CARDINALITY = (*CLIENTS, Assumption("a uniform matroid", _uniform))
COUNTED = Assumption("n_independent is the number of independent sets", _counted)
FACILITIES = (*CARDINALITY, Assumption("facility location, a row of scores for every client", _scores))
COVERAGE = (*CARDINALITY, Assumption("maximum coverage, a point for every client", _memberships))


# Cases ----------------------------------------------------------------------------------------------------------


def run(clients: SubmodularClients, least: Any, epsilon: object, once: bool = False) -> Case:
    """Algorithm 3 at the smallest whole kappa that a formula allows."""
    more = {"n_independent": n_independent(clients.matroid)} if once else {}
    return Case(clients, accuracy=epsilon, sampling_scale=bounds.least_scale(least, clients, epsilon), **more)


SMALL = tuple((k % 3, (2 * k) % 5, 1) for k in range(6))
THREE = large_and_small(((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL, "1/3000", Uniform(3, 2))
PARTED = large_and_small(((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL, "1/3000", Partition([[0, 1], [2]], [1, 1]))
TREES = large_and_small(
    ((3, 0, 1), (0, 2, 1), (1, 1, 0)), SMALL[:4], "1/3000", Graphic(((0, 1), (1, 2), (0, 2))), False
)
MANY = facility_clients(240, 2, 1, 1, seed=5)
MANY_POINTS = coverage_clients(240, 2, 1, 1, seed=6, share="1/2")
CROWD = facility_clients(260, 3, 2, 1, seed=7)
CROWD_PARTED = facility_clients(260, 4, 2, 1, seed=8, kind="partition")
KINDS = of_few_kinds(((1, 0), (0, 1), (2, 1)), 20, Uniform(2, 1))
PAIRS = of_few_kinds(((1, 0), (1, 2)), 60, Uniform(2, 1))
_HALF, _MOST = "2/5", "3/5"


def value_claim(
    name: str,
    statement: str,
    bound: Bound,
    algorithm: Any,
    cases: tuple[Case, ...],
    family: Any,
    assumptions: Any,
    **more: Any,
) -> Claim:
    """A statement about F(S) with probability at least 1 - 1/n over the coins."""
    return Claim.recorded(
        f"fedcg/{name}@{bound.source.reading}",
        statement,
        (bound,),
        VALUE,
        algorithm,
        assumptions,
        "with probability",
        more.pop("tuning", _EVERY_ROUND),
        cases,
        family=family,
        failure=bounds.FAILURE,
        kind="guarantee",
        **more,
    )


PRINTED = (bounds.KAPPA_MATROID_PRINTED, bounds.KAPPA_UNIFORM_PRINTED)
IGNORED = "I8: where F = sum p_i f_i the clients' gains don't know p. True for F = sum f_i, p_i part of f_i."
_MATROID, _UNIFORM = (
    "With probability 1 - 1/n: F(S) >= (1/2 - ε) OPT",
    "With probability 1 - 1/n: F(S) >= (1 - 1/e - ε) OPT",
)
THEOREM = (
    value_claim(
        "T5.1-matroid",
        f"{_MATROID}, κ >= (20/3) n r log(2rn²)/ε², F = Σ p_i f_i",
        bounds.T51_MATROID_PRINTED,
        discrete.unweighted,
        (run(heavy_and_light(), PRINTED[0], _HALF),),
        drawn("discrete", "runs", order="printed", matroid=True),
        CLIENTS,
        expected="violated",
        remark=IGNORED,
    ),
    value_claim(
        "T5.1-matroid",
        f"{_MATROID}, κ >= (20/3) n r log(2rn²)/ε², p_i part of f_i",
        bounds.T51_MATROID,
        discrete.greedy,
        (run(PARTED, PRINTED[0], _HALF), run(TREES, PRINTED[0], _HALF), run(MANY, PRINTED[0], _HALF)),
        drawn("discrete", "runs", order="printed", matroid=True),
        CLIENTS,
        remark=BITES,
    ),
    value_claim(
        "T5.1-uniform",
        f"{_UNIFORM}, κ >= 8.43 n r log(2rn²)/ε², F = Σ p_i f_i",
        bounds.T51_UNIFORM_PRINTED,
        discrete.unweighted,
        (run(heavy_and_light(), PRINTED[1], _MOST),),
        drawn("discrete", "runs", order="printed"),
        CARDINALITY,
        expected="violated",
        remark=IGNORED,
    ),
    value_claim(
        "T5.1-uniform",
        f"{_UNIFORM}, κ >= 8.43 n r log(2rn²)/ε², p_i part of f_i",
        bounds.T51_UNIFORM,
        discrete.greedy,
        (run(THREE, PRINTED[1], _MOST), run(MANY, PRINTED[1], _MOST)),
        drawn("discrete", "runs", order="printed"),
        CARDINALITY,
        remark=BITES,
    ),
)
FRESH = (
    value_claim(
        "S6-matroid",
        f"{_MATROID}, κ >= (20/3) r log(2rn²)/ε²: n times fewer answers",
        bounds.S6_MATROID,
        discrete.greedy,
        (run(PARTED, KAPPA_MATROID, _HALF), run(TREES, KAPPA_MATROID, _HALF), run(CROWD_PARTED, KAPPA_MATROID, _HALF)),
        drawn("discrete", "runs", matroid=True),
        CLIENTS,
        remark=BITES,
        more=lambda: (run(facility_clients(1000, 6, 3, 1, seed=12, kind="partition"), KAPPA_MATROID, _HALF),),
    ),
    value_claim(
        "S6-uniform",
        f"{_UNIFORM}, κ >= 8.43 r log(2rn²)/ε²: n times fewer answers",
        bounds.S6_UNIFORM,
        discrete.greedy,
        (run(THREE, KAPPA_UNIFORM, _MOST), run(CROWD, KAPPA_UNIFORM, _MOST)),
        drawn("discrete", "runs"),
        CARDINALITY,
        remark=BITES,
        more=lambda: (run(facility_clients(1000, 6, 3, 1, seed=11), KAPPA_UNIFORM, _MOST),),
    ),
)
_FEW = (run(of_few_kinds(((3, 0), (1, 2), (0, 1)), 2, Uniform(2, 2)), PRINTED[1], _MOST), run(MANY, PRINTED[1], _MOST))
_FEW_POINTS = (
    run(coverage_clients(6, 4, 2, 1, seed=3, share="1/2"), PRINTED[1], _MOST),
    run(MANY_POINTS, PRINTED[1], _MOST),
)
_SCORES, _MEMBERS = (drawn("discrete", f"of_{kind}", order="printed") for kind in ("scores", "members"))
_WITH_S = "κ >= 8.43 n k log(2kn²)/ε², e from all of E"
INSTANCES = (
    value_claim(
        "D.2",
        f"Facility location: {_UNIFORM}, κ >= 8.43 n k log(2kn²)/ε²",
        bounds.D2,
        discrete.greedy,
        _FEW,
        _SCORES,
        FACILITIES,
        remark=BITES,
    ),
    value_claim(
        "D.2",
        f"Facility location: {_UNIFORM}, {_WITH_S}",
        bounds.D2_LITERAL,
        discrete.repeating,
        _FEW,
        _SCORES,
        FACILITIES,
        remark=BITES,
    ),
    value_claim(
        "D.5",
        f"Maximum coverage: {_UNIFORM}, κ >= 8.43 n k log(2kn²)/ε²",
        bounds.D5,
        discrete.greedy,
        _FEW_POINTS,
        _MEMBERS,
        COVERAGE,
        remark=BITES,
    ),
    value_claim(
        "D.5",
        f"Maximum coverage: {_UNIFORM}, {_WITH_S}",
        bounds.D5_LITERAL,
        discrete.repeating,
        _FEW_POINTS,
        _MEMBERS,
        COVERAGE,
        remark=BITES,
    ),
)


# |S| = k --------------------------------------------------------------------------------------------------------

WASTED = Case(of_few_kinds(((1, 0, 0),), 1, Uniform(3, 2)), sampling_scale=100)
WASTED_POINTS = Case(SubmodularClients((Coverage(((0,),), 3), Coverage(((0,),), 3)), Uniform(3, 2)), sampling_scale=100)
NOBODY = Case(of_few_kinds(((1, 1, 0), (1, 2, 1)), 2, Uniform(3, 2)), sampling_scale="1/10")
_SIZED = (NOBODY, WASTED, Case(THREE, sampling_scale=20))
_SIZED_POINTS = (Case(coverage_clients(4, 3, 2, 1, seed=3, share="1/2"), sampling_scale="1/2"), WASTED_POINTS)


def size_claim(
    name: str, reading: Any, algorithm: Any, cases: tuple[Case, ...], family: str, assumptions: Any, **more: Any
) -> Claim:
    """|S| = k: never fewer items than the rank."""
    literal = reading == "literal"
    bound = of_paper(rank, f"Theorem {name.split('-')[0]}", reading, note=bounds.WITH_S if literal else "", side=LEAST)
    return Claim.recorded(
        f"fedcg/{name}@{reading}",
        f"|S| = k after k rounds{', e from all of E' if literal else ''}",
        (bound,),
        SIZE,
        algorithm,
        assumptions,
        "surely",
        _EVERY_ROUND,
        cases,
        family=drawn("discrete", family),
        kind="guarantee",
        **more,
    )


_RANGE = (
    "Line 7 lets e range over S ∪ {e} in the matroid, which holds for e in S: where no item gains anything, or nobody answers, "
    "S may be all that is added. The text of the paper takes e from E without S."
)
SIZES = (
    size_claim("D.2-size", "printed", discrete.greedy, _SIZED[:2], "of_scores", FACILITIES),
    size_claim(
        "D.2-size",
        "literal",
        discrete.repeating,
        (WASTED, NOBODY),
        "of_scores",
        FACILITIES,
        expected="violated",
        remark=_RANGE,
    ),
    size_claim("D.5-size", "printed", discrete.greedy, _SIZED_POINTS, "of_members", COVERAGE),
    size_claim(
        "D.5-size",
        "literal",
        discrete.repeating,
        (WASTED_POINTS,),
        "of_members",
        COVERAGE,
        expected="violated",
        remark=_RANGE,
    ),
)


# Coins thrown once ----------------------------------------------------------------------------------------------


def _share(case: Case, ring: Ring) -> Any:
    return ring.scalar(sparsifier.largest_share(case.instance))


def _deviation(case: Case, ring: Ring) -> Any:
    c = case.constants
    return ring.scalar(sparsifier.deviation_chance(case.instance, Fraction(c[kappa]), Fraction(c[eps])))


_ONE_ROUND = ((T, Integer(1)),)
DUST = SubmodularClients((Modular((1, 1, 1)), FacilityLocation(((1, 1, 1),))), Uniform(3, 3), (1, 100))
SHARES = (Case(DUST), Case(THREE), Case(TREES), Case(facility_clients(5, 4, 2, 1, seed=2, equal=False)))
ONCE = (
    claim(
        "S7-share",
        "f_i(S) <= r w_i F(S) for independent S",
        bounds.S7_SHARE,
        DirectMeasure("max f_i(S)/(w_i F(S))", _share),
        SHARES,
        drawn("discrete", "clients"),
        CLIENTS,
    ),
    claim(
        "S7-deviation",
        "Coins thrown once: |F'(S) - F(S)| > ε F(S) for some independent S with probability <= 1/n",
        bounds.S7_DEVIATION,
        DirectMeasure("P(|F' - F| > εF)", _deviation, NUMBER),
        (
            run(KINDS, bounds.KAPPA_DEVIATION, 1, True),
            run(PAIRS, bounds.KAPPA_DEVIATION, "4/5", True),
            run(PARTED, bounds.KAPPA_DEVIATION, "1/2", True),
        ),
        drawn("discrete", "once", least="deviation"),
        (*CLIENTS, COUNTED),
    ),
    value_claim(
        "S7-matroid",
        f"Coins thrown once: {_MATROID}, κ >= 12 r log(2n|I|)/ε²",
        bounds.S7_MATROID,
        discrete.one_shot,
        (run(PARTED, bounds.KAPPA_ONCE, _HALF, True), run(MANY, bounds.KAPPA_ONCE, "9/20", True)),
        drawn("discrete", "once", matroid=True),
        (*CLIENTS, COUNTED),
        tuning=_ONE_ROUND,
    ),
    value_claim(
        "S7-uniform",
        f"Coins thrown once: {_UNIFORM}, κ >= 12 r log(2n|I|)/ε²",
        bounds.S7_UNIFORM,
        discrete.one_shot,
        (run(THREE, bounds.KAPPA_ONCE, _MOST, True), run(MANY, bounds.KAPPA_ONCE, _MOST, True)),
        drawn("discrete", "once"),
        (*CARDINALITY, COUNTED),
        tuning=_ONE_ROUND,
    ),
)


# Plain greedy ---------------------------------------------------------------------------------------------------


def greedy_value(clients: Any) -> Fraction:
    """F of the set that greedy on F itself finds."""
    return clients.value(frozenset(greedy(clients.value, clients.matroid.independent, range(clients.dim))))


_GREEDY = DirectMeasure("F(greedy)", lambda case, ring: ring.scalar(greedy_value(case.instance)), ENERGY)
_FIRST = tuple(Case(independent_sets_first(r, True)) for r in (1, 2, 3, 4))
_HALVES = tuple(Case(greedy_half(m)) for m in (2, 3, 8, 40))
NWF = (
    claim(
        "NWF-uniform",
        "Greedy: F(S) >= (1 - (1 - 1/k)^k) OPT under a cardinality constraint",
        bounds.NWF_UNIFORM,
        _GREEDY,
        (*_FIRST, Case(facility_clients(5, 6, 3, 1, seed=2))),
        drawn("discrete", "clients", uniform=True),
        CARDINALITY,
        kind="guarantee",
    ),
    claim(
        "NWF-matroid",
        "Greedy: F(S) >= OPT/2 under a matroid constraint",
        bounds.NWF_MATROID,
        _GREEDY,
        (*_HALVES, Case(independent_sets_first(3)), Case(TREES)),
        drawn("discrete", "clients"),
        CLIENTS,
        kind="guarantee",
        remark="I7 comes near to 1/2: greedy under a matroid constraint does not reach 1 - 1/e, continuous greedy does.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*THEOREM, *FRESH, *INSTANCES, *SIZES, *ONCE, *NWF)
