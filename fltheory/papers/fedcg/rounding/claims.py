"""Remark 4.4: randomised rounding keeps the value in expectation; single outcomes, and deterministic rules."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sympy import Eq, Integer

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Statement, quantity, requires
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.fedcg.algorithms import rounding as rule
from fltheory.papers.fedcg.algorithms.rounding import Fractional
from fltheory.papers.fedcg.discrete.cases import cycle_of_four, one_or_other, own_output
from fltheory.papers.fedcg.instances.clients import facility_clients
from fltheory.papers.fedcg.notation import T, delta
from fltheory.papers.fedcg.paper import fedcg
from fltheory.problems.decomposable import monotone_submodular
from fltheory.problems.sets.matroids import Partition, Uniform, independent_sets
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.measures import Measure
from fltheory.runs.method import NotEnumerable

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

POINT = (
    requires("clients with a fractional point",
        lambda one, c: not isinstance(one, Fractional) and "no clients with a fractional point"),
    monotone_submodular,
)
WORTH = requires("the point is worth something", lambda one, c: not one.value_at_start and "the extension is 0 there")
IN_PARTS = (
    *POINT,
    requires("a uniform or partition matroid",
        lambda one, c: not isinstance(one.matroid, Uniform | Partition) and "neither a uniform nor a partition matroid"),
)
NOT_WHOLE = requires("a fractional coordinate",
    lambda one, c: not any(0 < v < 1 for v in one.start) and "the point is a set already")


def fractional(graphic: bool = True, failing: bool = False) -> SearchStrategy:
    """Return the cases that ``falsify`` searches, imported late."""
    from fltheory.papers.fedcg.discrete import families as strategies_discrete

    return strategies_discrete.fractional(graphic, failing)


# Cases ----------------------------------------------------------------------------------------------------------

CHAIN = Coverage(((0, 1), (1, 2), (2, 3)), 4)
THIRDS = Fractional((CHAIN, Modular((1, 2, 0, 1))), Uniform(4, 2), parts=((0, 1), (2, 3), (1, 3), (0,)),
    shares=(1, 2, 3, 1))
PARTED = Fractional((FacilityLocation(((1, 2, 3, 0), (2, 0, 1, 1))), CHAIN), Partition([[0, 1], [2, 3]], [1, 1]),
    (2, 1), parts=((0, 2), (1, 3), (0, 3)), shares=(1, 2, 2))
TIGHT = Fractional((Modular((1, 2, 3, 1)),), Uniform(4, 2), parts=((0, 1), (2, 3), (0, 2)))
SPANNING = cycle_of_four()
POINTS = tuple(Case(one) for one in (TIGHT, THIRDS, PARTED, own_output(), one_or_other()))
SETS = (*POINTS, Case(SPANNING))
LOST = (Case(one_or_other()), Case(THIRDS))


def large() -> tuple[Case, ...]:
    """Return a case of 30 items with too many outcomes to enumerate."""
    one = facility_clients(5, 30, 5, 1, seed=3)
    parts = tuple(tuple(range(k, 30, 6)) for k in range(6))
    return (Case(Fractional(one.functions, one.matroid, one.masses, parts=parts)),)


# The value of a rounding's set ------------------------------------------------------------------------------------

ALONE: dict[str, Any] = {"assumptions": (*IN_PARTS, WORTH), "family": partial(fractional, graphic=False)}


def rounding_statement(id: str, rounding: Algorithm, **shared: Any) -> Statement:
    """F(S) of a rounding against the extension at its point."""
    known: dict[str, Any] = {"mode": "surely", "assumptions": (*POINT, WORTH), "family": fractional, **shared}
    kept: Measure = rule.Kept()
    return fedcg.theorem(id, "Remark 4.4", kept, rounding, kind="guarantee", tuning=((T, Integer(1)),), **known)


pipage, swap = rounding_statement("R4.4-pipage", rule.pipage, **ALONE), rounding_statement("R4.4-swap", rule.swap)
greedy, half = rounding_statement("R4.4-greedy", rule.top), rounding_statement("R4.4-half", rule.threshold)
tail = rounding_statement("R4.4-tail", rule.pipage, mode="with probability", failure=delta, **ALONE)
by_values = rounding_statement("R4.4-values", rule.evaluated, **ALONE)
OUTCOME = "every outcome, which the paper does not say"
MEAN = "The guarantee holds in expectation; single outcomes fall below it. The paper says only that the rounding is oblivious."
VALUES = (
    pipage.strict("Pipage rounding: F(S) >= F(x) on every outcome", quantity >= 1, note=OUTCOME, counterexamples=LOST,
        remark=MEAN),
    pipage.printed("Pipage rounding: E F(S) >= F(x)", quantity >= 1, note="what the cited schemes keep: in expectation",
        mode="in expectation", cases=POINTS, full_cases=large),
    swap.strict("Swap rounding: F(S) >= F(x) on every outcome", quantity >= 1, note=OUTCOME, counterexamples=LOST,
        remark=MEAN),
    swap.printed("Swap rounding: E F(S) >= F(x)", quantity >= 1, note="what the cited schemes keep: in expectation",
        mode="in expectation", cases=SETS, full_cases=large),
    greedy.strict("Greedy rounding, by the largest coordinates, keeps the value: F(S) >= F(x)", quantity >= 1,
        note=OUTCOME, counterexamples=(Case(own_output()), Case(one_or_other())),
        remark="Deterministic and oblivious, as the paper says; it does not say that the value is kept. The items that the rule "
        "drops may have all of it. FedCG's own output is a counterexample, too."),
    half.strict("Rounding up coordinates of at least 1/2 while S stays independent: F(S) >= F(x)", quantity >= 1,
        note=OUTCOME, counterexamples=(Case(own_output()), Case(one_or_other())),
        remark="Another rule that is deterministic and oblivious; the paper does not name it."),
    tail.strict("Pipage rounding keeps the value with probability 1 - δ, the probability of the theorems about x",
        quantity >= 1, note="with high probability, which the paper does not say",
        counterexamples=(LOST[0].with_settings(failure_probability="1/10"),),
        remark="Rounding adds randomness: without a tail bound for it Theorems 3.5 and 4.3 don't carry over to S. The paper does "
        "not say that they do.", family=partial(fractional, graphic=False, failing=True)),
    by_values.corrected("Pipage rounding by the values of the extension, which is not oblivious: F(S) >= F(x)",
        quantity >= 1, note="F is known", cases=POINTS),
)

# The distribution of the result ---------------------------------------------------------------------------------

law = partial(fedcg.lemma, place="Remark 4.4", assumptions=POINT, family=fractional)
NEITHER: dict[str, Any] = {**ALONE, "assumptions": IN_PARTS}


def expected_value(found: Number | None) -> Number:
    """Return the expectation over the outcomes of a rounding; NotEnumerable for too many outcomes."""
    if found is None:
        raise NotEnumerable("the rounding has too many outcomes to enumerate")
    return found


def marginals(id: str, rounding: Algorithm, **shared: Any) -> Statement:
    """State that every item is in S with the probability that the point gives."""
    return law(id, what="max |P(e in S) - x_e|",
        value=lambda one, c: expected_value(rule.marginal_error(rounding, one)), **shared)


def solutions(id: str, rounding: Algorithm, **shared: Any) -> Statement:
    """State the probability that rounding by x alone gives no solution of (1)."""
    return law(id, what="P(S is not independent)",
        value=lambda one, c: expected_value(rule.dependent_chance(rounding, one)), **shared)


LAWS = (
    marginals("R4.4-pipage-mean", rule.pipage, cases=POINTS, **NEITHER).printed("Pipage rounding: P(e in S) = x_e",
        Eq(quantity, 0)),
    solutions("R4.4-pipage-set", rule.pipage, cases=POINTS, **NEITHER).printed("Pipage rounding: S is independent",
        Eq(quantity, 0)),
    marginals("R4.4-swap-mean", rule.swap, cases=SETS).printed("Swap rounding: P(e in S) = x_e", Eq(quantity, 0)),
    solutions("R4.4-swap-set", rule.swap, cases=SETS).printed("Swap rounding: S is independent", Eq(quantity, 0)),
    solutions("R4.4-greedy-set", rule.top, cases=SETS).printed("Greedy rounding: S is independent", Eq(quantity, 0)),
    law("R4.4-deterministic", what="max_S min_e 1[e in S] - x_e",
        value=lambda one, c: max(min((e in s) - v for e, v in enumerate(one.start)) for s in independent_sets(one.matroid)),
        assumptions=(*POINT, NOT_WHOLE)).strict(
        "Some deterministic rule chooses S from x alone so that f(S) >= f(x) for all f", quantity >= 0,
        counterexamples=(Case(one_or_other()), Case(THIRDS), Case(SPANNING)),
        remark="No rule does: whatever S it chooses, some item with x_e > 0 may hold all the value. The paper says of such rules "
        "only that they don't look at f."),
)

CLAIMS: tuple[Claim, ...] = (*VALUES, *LAWS)
