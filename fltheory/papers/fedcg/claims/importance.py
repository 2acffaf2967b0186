"""Importance factors: their sum, the two-round protocols, what these reveal, and how many clients answer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Integer

from fltheory.bound import Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Number
from fltheory.papers.fedcg.bounds import bound
from fltheory.papers.fedcg.bounds import discrete as bounds
from fltheory.papers.fedcg.claims.direct import claim, drawn
from fltheory.papers.fedcg.claims.discrete import CLIENTS, COVERAGE, FACILITIES
from fltheory.papers.fedcg.data.instances import coverage_clients, facility_clients
from fltheory.papers.fedcg.data.instances_discrete import Memberships, Scores, heavy_and_light, of_few_kinds
from fltheory.papers.fedcg.exact import importance as law
from fltheory.papers.fedcg.letters import N, kappa
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular
from fltheory.runs.measures import DirectMeasure

EQUAL: Side = "equal"
NONE = Integer(0)


def measured(name: str, value: Callable[[Any], Any], above: Callable[[Case], Number] | None = None) -> DirectMeasure:
    """A rational quantity of a case."""
    return DirectMeasure(name, lambda case, ring: ring.scalar(Fraction(value(case))), bound_above=above)


# The sum of the factors -----------------------------------------------------------------------------------------


def total(case: Any, weighted: bool = True) -> Fraction:
    """Sum of w_i."""
    return sum(law.factors(case.instance, weighted), Fraction(0))


def mean(case: Any) -> Fraction:
    """Sum of p_i w_i, p_i no part of f_i."""
    one = case.instance
    return sum((p * w for p, w in zip(one.weights, law.factors(one, False), strict=True)), Fraction(0))


def per_worthy_item(case: Any) -> Fraction:
    """Sum of w_i over the number of items of positive value."""
    return total(case) / sum(1 for v in case.instance.singletons() if v)


def _worth(case: Case) -> str | None:
    return None if any(case.instance.singletons()) else "every item is worth 0"  # type: ignore[attr-defined]


WORTH = Assumption("some item is worth something", _worth)
OWN = SubmodularClients((Modular((1, 0, 0)), Modular((0, 2, 0)), Modular((0, 0, 3))), Uniform(3, 1), (1, 2, 3))
IDLE = SubmodularClients((Modular((1, 0, 0)), Modular((0, 2, 0))), Uniform(3, 1))
RANDOM = facility_clients(6, 4, 2, 1, seed=2, equal=False)
SUMS = (Case(OWN), Case(RANDOM), Case(heavy_and_light()))
_TIMES_N = "With F the mean, or sum p_i f_i, every w_i is too large: N times for equal weights."
FACTORS = (
    claim(
        "Imp",
        "Σ w_i <= n, F = Σ p_i f_i and w_i = max f_i(e)/F(e)",
        bounds.IMP_PRINTED,
        measured("Σ w_i, p_i left out of f_i", lambda case: total(case, False)),
        (Case(OWN), Case(heavy_and_light())),
        drawn("discrete", "clients", worthy=True),
        (*CLIENTS, WORTH),
        expected="violated",
        remark=_TIMES_N,
    ),
    claim(
        "Imp",
        "Σ p_i w_i <= n, F = Σ p_i f_i and w_i = max f_i(e)/F(e)",
        bounds.IMP,
        measured("Σ p_i w_i", mean),
        SUMS,
        drawn("discrete", "clients", worthy=True),
        (*CLIENTS, WORTH),
    ),
    claim(
        "Imp",
        "Σ w_i <= n, F = Σ f_i (p_i part of f_i)",
        bounds.IMP_SUM,
        measured("Σ w_i", total),
        SUMS,
        drawn("discrete", "clients", worthy=True),
        (*CLIENTS, WORTH),
    ),
    claim(
        "Imp-positive",
        "Σ w_i is at most the number of items of positive value",
        bounds.IMP_POSITIVE,
        measured("Σ w_i / #{e: F(e) > 0}", per_worthy_item),
        (Case(IDLE), *SUMS),
        drawn("discrete", "clients", worthy=True),
        (*CLIENTS, WORTH),
    ),
)


# Participants ---------------------------------------------------------------------------------------------------


def _chances(case: Any, weighted: bool = True) -> tuple[Fraction, ...]:
    return law.answer_chances(case.instance, Fraction(case.constants[kappa]), weighted)


def answering(case: Any, weighted: bool = True) -> Fraction:
    """The mean number of answers in a round: sum of kappa_i."""
    return sum(_chances(case, weighted), Fraction(0))


def beyond(case: Any, clients: Callable[[Any], int]) -> Fraction:
    """The mean number of answers, by all outcomes of the coins, less the sum of kappa_i over the first so many clients."""
    chances = _chances(case)
    return law.expected_answers(chances) - sum(chances[: clients(case.instance)], Fraction(0))


def _all(case: Case) -> Number:
    return case.constants[N]


MOVIES = Case(facility_clients(200, 10, 3, 1, seed=9), sampling_scale="1/20")
FEW = (Case(OWN, sampling_scale="1/2"), Case(RANDOM, sampling_scale="1/2"), MOVIES)
SMALL = (
    Case(facility_clients(6, 3, 2, 1, seed=3), sampling_scale=2),
    Case(of_few_kinds(((1, 0), (0, 1)), 3, Uniform(2, 1)), sampling_scale=1),
)
SMALL_POINTS = (Case(coverage_clients(6, 3, 2, 1, seed=4, share="1/2"), sampling_scale=1),)
_INDEPENDENT = "The participants are then not independent of N. With unrated = 0, F is no public average either."


def _participants(name: str, reading: Any, place: str, cases: tuple[Case, ...], family: str, assumptions: Any) -> Claim:
    """The mean number of answers is the sum over the first n clients (literal), or over all of them."""
    literal = reading == "literal"
    said = "n" if literal else "N"
    value = measured(
        f"E #answers - Σ_{{i <= {said}}} κ_i",
        lambda case: beyond(case, lambda one: one.dim if literal else one.n_clients),
    )
    return claim(
        name,
        f"The mean number of answers is Σ_{{i <= {said}}} κ_i",
        bound(NONE, place, reading, side=EQUAL),
        value,
        cases,
        drawn("discrete", family, scaled=True),
        assumptions,
        expected="violated" if literal else "holds",
        remark="The first sums of the proof run to n, the number of items: a slip, its later ones run to N."
        if literal
        else "",
    )


PARTICIPANTS = (
    claim(
        "T5.1-participants",
        "Mean number of answers <= κn, F = Σ p_i f_i and w_i = max f_i(e)/F(e)",
        bounds.PARTICIPANTS_PRINTED,
        measured("Σ min(1, κ w_i), p_i left out of f_i", lambda case: answering(case, False), _all),
        (Case(OWN, sampling_scale="1/10"), MOVIES),
        drawn("discrete", "clients", scaled=True),
        CLIENTS,
        expected="violated",
        remark=_TIMES_N,
    ),
    claim(
        "T5.1-participants",
        "Mean number of answers <= κn, p_i part of f_i",
        bounds.PARTICIPANTS,
        measured("Σ min(1, κ w_i)", answering, _all),
        FEW,
        drawn("discrete", "clients", scaled=True),
        CLIENTS,
    ),
    claim(
        "D.1-movies",
        "Movies: mean number of answers <= κn with F the mean rating",
        bound(bounds.PARTICIPANTS.expr, "Section D.1, MovieLens"),
        measured("Σ min(1, κ w_i), F the mean", lambda case: answering(case, False), _all),
        (MOVIES,),
        drawn("discrete", "of_scores", scaled=True),
        FACILITIES,
        expected="violated",
        remark=f"{_TIMES_N} {_INDEPENDENT}",
    ),
    claim(
        "D.1-movies",
        "Movies: mean number of answers <= κn with F the sum of the ratings",
        bound(bounds.PARTICIPANTS.expr, "Section D.1, MovieLens", "corrected"),
        measured("Σ min(1, κ w_i)", answering, _all),
        (MOVIES,),
        drawn("discrete", "of_scores", scaled=True),
        FACILITIES,
    ),
    _participants("D.2-sum", "printed", "proof of Theorem D.2", SMALL, "of_scores", FACILITIES),
    _participants("D.2-sum", "literal", "proof of Theorem D.2", SMALL, "of_scores", FACILITIES),
    _participants("D.5-sum", "printed", "proof of Theorem D.5", SMALL_POINTS, "of_members", COVERAGE),
    _participants("D.5-sum", "literal", "proof of Theorem D.5", SMALL_POINTS, "of_members", COVERAGE),
)


# The protocols --------------------------------------------------------------------------------------------------


def wrong(found: Any, clients: Any) -> int:
    """How many clients have no importance factor or a wrong one."""
    return sum(1 for w, v in zip(found, law.by_definition(clients), strict=True) if w is None or w != v)


def _literal(case: Any) -> int:
    return wrong(law.facility_protocol_printed(case.instance.scores), case.instance.clients)


def _facility(case: Any) -> int:
    return wrong(law.facility_protocol(case.instance.scores), case.instance.clients)


def _coverage(case: Any) -> int:
    return wrong(law.coverage_protocol(case.instance.members), case.instance.clients)


def _split(case: Case) -> str | None:
    sizes = law.histogram(case.instance.members)  # type: ignore[attr-defined]
    return None if all(0 < s < len(case.instance.members) for s in sizes) else "a group holds everybody or nobody"  # type: ignore[attr-defined]


def _well_split(case: Case) -> str | None:
    members = case.instance.members  # type: ignore[attr-defined]
    found = all(2 <= s <= len(members) - 2 for s in law.histogram(members))
    return None if found else "a group has fewer than two clients inside or outside"


UNSCORED = Case(Scores(((1, 0, 2), (3, 0, 1))))
TABLES = (Case(Scores(((1, 2), (3, 4)))), Case(Scores((("1/2", 1, 0), (0, 0, 1), (2, 0, 0)))), UNSCORED)
GROUPS = (Case(Memberships(((1, 0, 1), (0, 1, 1), (0, 0, 0)))), Case(Memberships(((1, 0, 0), (0, 0, 1)))))
TOLD = (
    Case(Memberships(((1, 0), (1, 1), (1, 0)))),
    Case(Memberships(((1, 0, 1),))),
    Case(Memberships(((1, 0), (0, 0)))),
)
HIDDEN = (Case(Memberships(((1, 0), (0, 1)))), Case(Memberships(((1, 0, 1), (0, 1, 1), (0, 1, 0)))))
AMONG_MANY = (Case(Memberships(((1,), (1,), (0,), (0,)))), Case(Memberships(((1, 0), (0, 1), (1, 1), (0, 0), (1, 0)))))
_REVEALED = measured("memberships that the group sizes determine", lambda case: law.revealed(case.instance.members))
_TOLD_CLIENTS = measured(
    "memberships of others that sizes and an own row determine",
    lambda case: law.revealed_to_clients(case.instance.members),
)
PROTOCOLS = (
    claim(
        "D.1",
        "Algorithm 4: every client finds its factor, items that nobody scores left out",
        bound(NONE, "Theorem D.1", side=EQUAL),
        measured("clients without their factor", _facility),
        TABLES,
        drawn("discrete", "scores"),
        remark="Of an item that nobody scores no factor is defined.",
    ),
    claim(
        "D.1",
        "Algorithm 4: every client finds its factor, items that nobody scores as well",
        bound(NONE, "Theorem D.1", "literal", side=EQUAL),
        measured("clients without their factor", _literal),
        (UNSCORED,),
        drawn("discrete", "scores"),
        expected="violated",
        remark="Line 10 divides 0 by 0 for such an item, as the definition does. Scores are taken nonnegative, printed real.",
    ),
    claim(
        "D.3",
        "Algorithm 5: every client finds its factor",
        bound(NONE, "Theorem D.3", side=EQUAL),
        measured("clients without their factor", _coverage),
        (*GROUPS, *TOLD),
        drawn("discrete", "members"),
    ),
    claim(
        "D.3-privacy",
        "Algorithm 5 reveals no membership to the server",
        bound(NONE, "Theorem D.3", side=EQUAL),
        _REVEALED,
        TOLD,
        drawn("discrete", "members"),
        expected="violated",
        remark="The server sees the sums: a group of all N clients, or of none, reveals memberships; with N = 1 every group.",
    ),
    claim(
        "D.3-privacy",
        "Algorithm 5, what the server sees: sizes other than 0 and N determine no membership",
        bound(NONE, "Theorem D.3", "corrected", side=EQUAL),
        _REVEALED,
        HIDDEN,
        drawn("discrete", "members", split=1),
        (Assumption("every group holds somebody, and not everybody", _split),),
        remark="The clients, to whom the sizes are sent as well, see more: each knows whether it is in the group itself.",
    ),
    claim(
        "D.3-privacy-clients",
        "Algorithm 5, what a client sees: its own row and sizes from 2 to N - 2 determine no membership of another",
        bound(NONE, "Theorem D.3", "corrected", side=EQUAL),
        _TOLD_CLIENTS,
        AMONG_MANY,
        drawn("discrete", "members", split=2),
        (Assumption("two clients at least are in every group, and two are not", _well_split),),
        remark="Of two clients each learns the other's row; a lone member, or the only one outside, learns the whole group.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*FACTORS, *PARTICIPANTS, *PROTOCOLS)
