"""Remark 4.4: rounding keeps the value in expectation, with chance; what holds of single outcomes, and of rules without it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Integer

from fltheory.bound import Bound, Side
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number import Ring
from fltheory.papers.fedcg.algorithms import rounding as rule
from fltheory.papers.fedcg.algorithms.rounding import Fractional
from fltheory.papers.fedcg.bounds import bound
from fltheory.papers.fedcg.bounds import discrete as bounds
from fltheory.papers.fedcg.claims.direct import claim, drawn
from fltheory.papers.fedcg.data.instances import facility_clients
from fltheory.papers.fedcg.data.instances_discrete import cycle_of_four, one_or_other, own_output
from fltheory.papers.fedcg.letters import T, delta
from fltheory.problems.decomposable import monotone_submodular
from fltheory.problems.sets.matroids import Partition, Uniform, independent_sets
from fltheory.problems.sets.set_functions import Coverage, FacilityLocation, Modular
from fltheory.runs.algorithm import Algorithm, NotEnumerable
from fltheory.runs.measures import DirectMeasure

EQUAL: Side = "equal"
NONE = Integer(0)
VALUE: Any = rule.Kept()


def _fractional(case: Case) -> str | None:
    return None if isinstance(case.instance, Fractional) else "no clients with a fractional point"


def _in_parts(case: Case) -> str | None:
    matroid = case.instance.matroid  # type: ignore[attr-defined]
    return None if isinstance(matroid, Uniform | Partition) else "neither a uniform nor a partition matroid"


def _worth(case: Case) -> str | None:
    return None if case.instance.value_at_start else "the extension is 0 there"  # type: ignore[attr-defined]


def _not_whole(case: Case) -> str | None:
    start = case.instance.start  # type: ignore[attr-defined]
    return None if any(0 < v < 1 for v in start) else "the point is a set already"


POINT = (Assumption("clients with a fractional point", _fractional), monotone_submodular)
WORTH = Assumption("the point is worth something", _worth)
IN_PARTS = (*POINT, Assumption("a uniform or partition matroid", _in_parts))
VALUABLE, VALUABLE_IN_PARTS = (*POINT, WORTH), (*IN_PARTS, WORTH)
NOT_WHOLE = Assumption("a fractional coordinate", _not_whole)

# Cases ----------------------------------------------------------------------------------------------------------

CHAIN = Coverage(((0, 1), (1, 2), (2, 3)), 4)
THIRDS = Fractional(
    (CHAIN, Modular((1, 2, 0, 1))), Uniform(4, 2), parts=((0, 1), (2, 3), (1, 3), (0,)), shares=(1, 2, 3, 1)
)
PARTED = Fractional(
    (FacilityLocation(((1, 2, 3, 0), (2, 0, 1, 1))), CHAIN),
    Partition([[0, 1], [2, 3]], [1, 1]),
    (2, 1),
    parts=((0, 2), (1, 3), (0, 3)),
    shares=(1, 2, 2),
)
TIGHT = Fractional((Modular((1, 2, 3, 1)),), Uniform(4, 2), parts=((0, 1), (2, 3), (0, 2)))
SPANNING = cycle_of_four()
POINTS = tuple(Case(one) for one in (TIGHT, THIRDS, PARTED, own_output(), one_or_other()))
SETS = (*POINTS, Case(SPANNING))
LOST = (Case(one_or_other()), Case(THIRDS))


def large() -> tuple[Case, ...]:
    """30 items, whose outcomes are too many to follow."""
    one = facility_clients(5, 30, 5, 1, seed=3)
    parts = tuple(tuple(range(k, 30, 6)) for k in range(6))
    return (Case(Fractional(one.functions, one.matroid, one.masses, parts=parts)),)


def rounds(name: str, statement: str, limit: Bound, rounding: Algorithm, cases: tuple[Case, ...], **more: Any) -> Claim:
    """A statement about F(S) of a rounding against the extension at its point."""
    options = {"mode": "surely", "assumptions": VALUABLE, "family": drawn("discrete", "fractional"), **more}
    return Claim.recorded(
        f"fedcg/{name}@{limit.source.reading}",
        statement,
        (limit,),
        VALUE,
        rounding,
        tuning=((T, Integer(1)),),
        cases=cases,
        kind="guarantee",
        **options,
    )


_ALONE = drawn("discrete", "fractional", graphic=False)
_MEAN = "The guarantee is one in expectation: single outcomes fall below. The paper says only that the rounding is oblivious."
_TOP = (
    "Deterministic and oblivious, as the paper says, which claims no value: all of it may be on what the rule drops. FedCG's "
    "own output shows it, too."
)
_SEED = tuple(case.with_settings(failure_probability="1/10") for case in LOST[:1])
VALUES = (
    rounds(
        "R4.4-pipage",
        "Pipage rounding: F(S) >= F(x) on every outcome",
        bounds.ROUNDED_ALWAYS,
        rule.pipage,
        LOST,
        expected="violated",
        remark=_MEAN,
        assumptions=VALUABLE_IN_PARTS,
        family=_ALONE,
    ),
    rounds(
        "R4.4-pipage",
        "Pipage rounding: E F(S) >= F(x)",
        bounds.ROUNDED,
        rule.pipage,
        POINTS,
        mode="in expectation",
        assumptions=VALUABLE_IN_PARTS,
        family=_ALONE,
        more=large,
    ),
    rounds(
        "R4.4-swap",
        "Swap rounding: F(S) >= F(x) on every outcome",
        bounds.ROUNDED_ALWAYS,
        rule.swap,
        LOST,
        expected="violated",
        remark=_MEAN,
    ),
    rounds(
        "R4.4-swap", "Swap rounding: E F(S) >= F(x)", bounds.ROUNDED, rule.swap, SETS, mode="in expectation", more=large
    ),
    rounds(
        "R4.4-greedy",
        "Greedy rounding, the largest coordinates, keeps it: F(S) >= F(x)",
        bounds.ROUNDED_ALWAYS,
        rule.top,
        (Case(own_output()), Case(one_or_other())),
        expected="violated",
        remark=_TOP,
    ),
    rounds(
        "R4.4-half",
        "Coordinates of at least 1/2 as long as they fit: F(S) >= F(x)",
        bounds.ROUNDED_ALWAYS,
        rule.threshold,
        (Case(own_output()), Case(one_or_other())),
        expected="violated",
        remark="Another rule that is deterministic and oblivious; the paper does not name it.",
    ),
    rounds(
        "R4.4-tail",
        "Pipage rounding keeps the value with probability 1 - δ, as the theorems about x have it",
        bounds.ROUNDED_TAIL,
        rule.pipage,
        _SEED,
        mode="with probability",
        failure=delta,
        expected="violated",
        remark="Rounding adds chance of its own: without a bound of its tail Theorems 3.5 and 4.3 don't carry over to S. "
        "The paper does not say that they do.",
        assumptions=VALUABLE_IN_PARTS,
        family=drawn("discrete", "fractional", graphic=False, failing=True),
    ),
    rounds(
        "R4.4-values",
        "Pipage rounding by the values of the extension, which is not oblivious: F(S) >= F(x)",
        bounds.ROUNDED_BY_VALUES,
        rule.evaluated,
        POINTS,
        assumptions=VALUABLE_IN_PARTS,
        family=_ALONE,
    ),
)


# The law of the result ------------------------------------------------------------------------------------------


def _law(value: Callable[[Algorithm, Any], Fraction | None], rounding: Algorithm) -> Callable[[Case, Ring], Any]:
    def compute(case: Case, ring: Ring) -> Any:
        found = value(rounding, case.instance)
        if found is None:
            raise NotEnumerable("the outcomes of the rounding are too many")
        return ring.scalar(found)

    return compute


def _independent(name: str, rounding: Algorithm, cases: tuple[Case, ...], **more: Any) -> Claim:
    """S is independent: rounding by x alone gives a solution of (1)."""
    outside = DirectMeasure("P(S is not independent)", _law(rule.dependent_chance, rounding))
    return claim(
        f"{name}-set",
        f"{rounding.name.capitalize()}: S is independent",
        bound(NONE, "Remark 4.4", side=EQUAL),
        outside,
        cases,
        **more,
    )


def _exactly(name: str, rounding: Algorithm, cases: tuple[Case, ...], **more: Any) -> tuple[Claim, Claim]:
    """P(e in S) = x_e for every item, and S is independent."""
    mean = DirectMeasure("max |P(e in S) - x_e|", _law(rule.marginal_error, rounding))
    options: dict[str, Any] = {"family": drawn("discrete", "fractional"), "assumptions": POINT, **more}
    return (
        claim(
            f"{name}-mean",
            f"{rounding.name.capitalize()}: P(e in S) = x_e",
            bound(NONE, "Remark 4.4", side=EQUAL),
            mean,
            cases,
            **options,
        ),
        _independent(name, rounding, cases, **options),
    )


def best_rule(instance: Any) -> Fraction:
    """max over independent S, chosen by x alone, of the least f(S) - f(x) over the functions f = 1[e in S]."""
    pairs = tuple(enumerate(map(Fraction, instance.start)))
    return max(min((e in s) - v for e, v in pairs) for s in independent_sets(instance.matroid))


LAWS = (
    *_exactly("R4.4-pipage", rule.pipage, POINTS, assumptions=IN_PARTS, family=_ALONE),
    *_exactly("R4.4-swap", rule.swap, SETS),
    _independent("R4.4-greedy", rule.top, SETS, family=drawn("discrete", "fractional"), assumptions=POINT),
    claim(
        "R4.4-deterministic",
        "Some rule chooses S by x alone, without chance, so that f(S) >= f(x) for all f",
        bound(NONE, "Remark 4.4", "literal", side="lower"),
        DirectMeasure("max_S min_e 1[e in S] - x_e", lambda case, ring: ring.scalar(best_rule(case.instance))),
        (Case(one_or_other()), Case(THIRDS), Case(SPANNING)),
        drawn("discrete", "fractional"),
        (*POINT, NOT_WHOLE),
        expected="violated",
        remark="No rule does: whatever S it chooses, some item with x_e > 0 may hold all the value. "
        "The paper says of such rules only that they don't look at f.",
    ),
)

CLAIMS: tuple[Claim, ...] = (*VALUES, *LAWS)
