"""Importance factors: their sum, the two-round protocols, the information they reveal, the number of answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from sympy import Eq

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, imported_late, quantity, requires, strict
from fltheory.model.case import Case
from fltheory.papers.fedcg.discrete.bounds import IMP_SUM, PARTICIPANTS
from fltheory.papers.fedcg.discrete.cases import Memberships, Scores, heavy_and_light, of_few_kinds
from fltheory.papers.fedcg.discrete.claims.greedy import COVERAGE, FACILITIES
from fltheory.papers.fedcg.discrete.closed_forms import importance as law
from fltheory.papers.fedcg.instances.clients import coverage_clients, facility_clients
from fltheory.papers.fedcg.notation import N, kappa, n
from fltheory.papers.fedcg.paper import CLIENTS, fedcg
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import Modular

families = imported_late("fltheory.papers.fedcg.discrete.families")

# The sum of the factors -----------------------------------------------------------------------------------------

VALUABLE = (
    *CLIENTS,
    requires("some item is worth something", lambda one, c: not any(one.singletons()) and "every item is worth 0"),
)
OWN = SubmodularClients((Modular((1, 0, 0)), Modular((0, 2, 0)), Modular((0, 0, 3))), Uniform(3, 1), (1, 2, 3))
RANDOM = facility_clients(6, 4, 2, 1, seed=2, equal=False)
SUMS = (Case(OWN), Case(RANDOM), Case(heavy_and_light()))
TIMES_N = "With F the mean, or sum p_i f_i, every w_i is too large: N times for equal weights."
factor = partial(fedcg.lemma, cases=SUMS, assumptions=VALUABLE, family=lambda: families().clients(worthy=True))

unweighted = factor("Imp", "Section 5, importance factors", "Σ w_i, p_i left out of f_i",
    lambda one, c: sum(law.factors(one, False), Fraction(0)))

mean = factor("Imp", "Section 5, importance factors", "Σ p_i w_i",
    lambda one, c: sum((p * w for p, w in zip(one.weights, law.factors(one, False), strict=True)), Fraction(0)))


def per_worthy_item(one: SubmodularClients, c: Constants) -> Fraction:
    return sum(law.factors(one), Fraction(0)) / sum(1 for v in one.singletons() if v)


FACTORS = (
    unweighted.printed("Σ w_i <= n, F = Σ p_i f_i and w_i = max f_i(e)/F(e)", quantity <= n, note="F = sum p_i f_i",
        counterexamples=(Case(OWN), Case(heavy_and_light())), remark=TIMES_N),
    mean.corrected("Σ p_i w_i <= n, F = Σ p_i f_i and w_i = max f_i(e)/F(e)", quantity <= n,
        note="F = sum p_i f_i, weighted by p_i"),
    factor("Imp", "proofs of Theorems D.2 and D.5", "Σ w_i", lambda one, c: sum(law.factors(one), Fraction(0))).explicit(
        "Σ w_i <= n, F = Σ f_i (p_i part of f_i)", IMP_SUM),
    factor("Imp-positive", "Section 5, importance factors", "Σ w_i / #{e: F(e) > 0}", per_worthy_item).strengthened(
        "Σ w_i is at most the number of items of positive value", quantity <= 1, note="items of positive value",
        cases=(Case(SubmodularClients((Modular((1, 0, 0)), Modular((0, 2, 0))), Uniform(3, 1))), *SUMS)),
)

# Participants ---------------------------------------------------------------------------------------------------

MOVIES = Case(facility_clients(200, 10, 3, 1, seed=9), sampling_scale="1/20")
FEW = (Case(OWN, sampling_scale="1/2"), Case(RANDOM, sampling_scale="1/2"), MOVIES)
SMALL = (
    Case(facility_clients(6, 3, 2, 1, seed=3), sampling_scale=2),
    Case(of_few_kinds(((1, 0), (0, 1)), 3, Uniform(2, 1)), sampling_scale=1),
)
SMALL_POINTS = (Case(coverage_clients(6, 3, 2, 1, seed=4, share="1/2"), sampling_scale=1),)
INDEPENDENT = "The participants are then not independent of N. With unrated = 0, F is no public average either."
SLIP = "The first sums of the proof run to n, the number of items: a slip, its later ones run to N."
answering = partial(fedcg.lemma, trivial=N, assumptions=CLIENTS, family=lambda: families().clients(scaled=True))
FACILITY: dict[str, Any] = {"assumptions": FACILITIES, "family": lambda: families().of_scores(scaled=True)}
MAXIMUM_COVERAGE: dict[str, Any] = {"assumptions": COVERAGE, "family": lambda: families().of_members(scaled=True)}


def chances(one: SubmodularClients, c: Constants, weighted: bool = True) -> tuple[Fraction, ...]:
    """kappa_i of every client; ``weighted``: p_i is part of f_i."""
    return law.answer_chances(one, Fraction(c.sampling_scale), weighted)


answers = answering("T5.1-participants", "Theorem 5.1, participants", "Σ min(1, κ w_i)",
    lambda one, c: sum(chances(one, c), Fraction(0)))


def _beyond_clients(one: SubmodularClients, c: Constants) -> Fraction:
    found = chances(one, c)
    return law.expected_answers(found) - sum(found, Fraction(0))


beyond_clients = fedcg.lemma("D.2-sum", "proof of Theorem D.2", "E #answers - Σ_{i <= N} κ_i", _beyond_clients,
    cases=SMALL, **FACILITY)


def _beyond_items(one: SubmodularClients, c: Constants) -> Fraction:
    found = chances(one, c)
    return law.expected_answers(found) - sum(found[: one.dim], Fraction(0))


beyond_items = fedcg.lemma("D.2-sum", "proof of Theorem D.2", "E #answers - Σ_{i <= n} κ_i", _beyond_items, **FACILITY)

TO_CLIENTS, TO_ITEMS = (f"The mean number of answers is Σ_{{i <= {last}}} κ_i" for last in "Nn")
movies = answers.restated("D.1-movies", "Section D.1, MovieLens", cases=(MOVIES,), **FACILITY)
d5: dict[str, Any] = {"id": "D.5-sum", "place": "proof of Theorem D.5", **MAXIMUM_COVERAGE}
COUNTS = (
    answering("T5.1-participants", "Theorem 5.1, participants", "Σ min(1, κ w_i), p_i left out of f_i",
        lambda one, c: sum(chances(one, c, False), Fraction(0))).printed(
        "Mean number of answers <= κn, F = Σ p_i f_i and w_i = max f_i(e)/F(e)", quantity <= kappa * n,
        note="F = sum p_i f_i", counterexamples=(Case(OWN, sampling_scale="1/10"), MOVIES), remark=TIMES_N),
    answers.corrected("Mean number of answers <= κn, p_i part of f_i", PARTICIPANTS, cases=FEW),
    answering("D.1-movies", "Section D.1, MovieLens", "Σ min(1, κ w_i), F the mean",
        lambda one, c: sum(chances(one, c, False), Fraction(0)), cases=(MOVIES,), **FACILITY).printed(
        "Movies: mean number of answers <= κn with F the mean rating", quantity <= kappa * n, counterexamples=(MOVIES,),
        remark=f"{TIMES_N} {INDEPENDENT}"),
    movies.corrected("Movies: mean number of answers <= κn with F the sum of the ratings", quantity <= kappa * n),
    beyond_clients.printed(TO_CLIENTS, Eq(quantity, 0)),
    beyond_items.strict(TO_ITEMS, Eq(quantity, 0), counterexamples=SMALL, remark=SLIP),
    beyond_clients.restated(**d5).printed(TO_CLIENTS, Eq(quantity, 0), cases=SMALL_POINTS),
    beyond_items.restated(**d5).strict(TO_ITEMS, Eq(quantity, 0), counterexamples=SMALL_POINTS, remark=SLIP),
)

# The protocols --------------------------------------------------------------------------------------------------

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
EVERYBODY = requires("every group holds somebody, and not everybody",
    lambda one, c: (not all(0 < s < len(one.members) for s in law.histogram(one.members)) and "a group holds everybody or nobody"))
TWO_AND_TWO = requires(
    "two clients at least are in every group, and two are not",
    lambda one, c: (
        not all(2 <= s <= len(one.members) - 2 for s in law.histogram(one.members))
        and "a group has fewer than two clients inside or outside"
    ),
)


def wrong(found: Sequence[Fraction | None], clients: SubmodularClients) -> int:
    """Return how many clients have a missing or wrong importance factor."""
    return sum(1 for w, v in zip(found, law.by_definition(clients), strict=True) if w is None or w != v)


PROTOCOLS = (
    fedcg.lemma("D.1", "Theorem D.1", "clients without their factor",
        lambda one, c: wrong(law.facility_protocol(one.scores), one.clients)).printed(
        "Algorithm 4: every client finds its factor, items that nobody scores left out", Eq(quantity, 0), cases=TABLES,
        remark="For an item that nobody scores the factor is undefined."),
    fedcg.lemma("D.1", "Theorem D.1", "clients without their factor",
        lambda one, c: wrong(law.facility_protocol_printed(one.scores), one.clients)).strict(
        "Algorithm 4: every client finds its factor, items that nobody scores as well", Eq(quantity, 0),
        counterexamples=(UNSCORED,),
        remark="Line 10 divides 0 by 0 for such an item, as the definition does. Scores are assumed nonnegative here; the paper "
        "prints real ones."),
    fedcg.lemma("D.3", "Theorem D.3", "clients without their factor",
        lambda one, c: wrong(law.coverage_protocol(one.members), one.clients)).printed(
        "Algorithm 5: every client finds its factor", Eq(quantity, 0), cases=(*GROUPS, *TOLD)),
    *fedcg.lemma("D.3-privacy", "Theorem D.3", "memberships that the group sizes determine",
        lambda one, c: law.count_determined(one.members)).readings(
        strict("Algorithm 5 reveals no membership to the server", Eq(quantity, 0), counterexamples=TOLD,
            remark="The paper relies on secure aggregation, which reveals sums. The size of a group of all N clients, or of "
            "none, determines memberships; with N = 1 that of every group does."),
        corrected("Algorithm 5, what the server sees: sizes other than 0 and N determine no membership",
            Eq(quantity, 0), cases=HIDDEN, family=lambda: families().members(split=1), assumptions=(EVERYBODY,),
            remark="The clients, to whom the sizes are sent as well, see more: each knows whether it is in the group itself.")),
    fedcg.lemma("D.3-privacy-clients", "Theorem D.3", "memberships of others that the sizes and a client's own row determine",
        lambda one, c: law.count_determined_by_clients(one.members)).corrected(
        "Algorithm 5, what a client sees: its own row and sizes from 2 to N - 2 determine no membership of another",
        Eq(quantity, 0), cases=AMONG_MANY, family=lambda: families().members(split=2), assumptions=(TWO_AND_TWO,),
        remark="Of two clients each learns the other's row; a lone member, or the only one outside, learns the whole group."),
)

CLAIMS: tuple[Claim, ...] = (*FACTORS, *COUNTS, *PROTOCOLS)
