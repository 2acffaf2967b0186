"""Lemma 4 and (5): rule (4) with one step a round, in the readings that the text allows, and mended.

Readings A, B, C of the clients' points, and the two variants that agree on a step or on a ratio, stand in ``rule_runs``.
"""

from __future__ import annotations

from typing import Any

from fltheory.bound import Bound
from fltheory.case import Assumption, Case
from fltheory.claim import Claim
from fltheory.number.mixed import may_be_zero, row
from fltheory.papers.delta_sgd.bounds import (
    DECREASE,
    DECREASE_AMPLIFIED,
    DECREASE_FIXED,
    DECREASE_SHARP,
    LYAPUNOV,
    LYAPUNOV_AMPLIFIED,
    LYAPUNOV_FIXED,
)
from fltheory.papers.delta_sgd.claims.direct import drawn
from fltheory.papers.delta_sgd.claims.rule import UNPACED
from fltheory.papers.delta_sgd.data.convex_instances import (
    APART,
    COUPLED,
    CURVES,
    FOURTH,
    KINKS,
    MIXTURE,
    disjoint,
    huber,
    line,
    null_direction,
    run,
)
from fltheory.papers.delta_sgd.exact.convex_measures import Decrease, Lyapunov
from fltheory.problems.convex import ConvexClients
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_exact, auto_tuned_step


def _alone(case: Case) -> str | None:
    instance: Any = case.instance
    return None if instance.n_clients == 1 else f"{instance.n_clients} clients"


def _common(case: Case) -> str | None:
    instance: Any = case.instance
    return None if instance.common else "the minimiser of f is not one of every client"


def _at_minimiser(case: Case) -> str | None:
    instance: Any = case.instance
    return None if instance.compare is None else "compared with another point than a minimiser"


def _moves(case: Case) -> str | None:
    instance: Any = case.instance
    slopes = [f.gradient(row(instance.start)) for f in instance.objectives]
    moved = any(not may_be_zero(v) for v in sum(slopes[1:], slopes[0]))
    return None if moved else "the start is a minimiser: nothing moves, and the first step size is kept"


ALONE = Assumption("one client", _alone)
MOVES = Assumption("the start is no minimiser", _moves)
COMMON = Assumption("a common minimiser", _common)
AT_MINIMISER = Assumption("x* is a minimiser", _at_minimiser)


# A rule that stays below both entries of (4), as the proofs allow.
def half_of(lr: Any, ratio: Any, reach: Any, c: Any) -> Any:
    """Half of rule (4)'s step in mixed numbers."""
    found = auto_tuned_exact(lr, ratio, reach, c)
    return None if found is None else found / 2


half = StepRule("half of Delta-SGD's step", lambda *args: auto_tuned_step(*args) / 2, half_of)


def claim(
    name: str,
    statement: str,
    limit: Bound,
    measure: Any,
    cases: tuple[Case, ...],
    family: Any,
    assumptions: tuple[Assumption, ...] = (),
    rule: StepRule = auto_tuned,
    paced: bool = False,
    **more: Any,
) -> Claim:
    """A claim about runs of a step-size rule, which a user's rule may replace; ``paced``: also of clients with own first steps."""
    assumptions = assumptions if paced else (*assumptions, UNPACED)
    return Claim.recorded(
        f"delta_sgd/{name}@{limit.source.reading}",
        statement,
        (limit,),
        measure,
        rule,
        assumptions,
        mode="surely",
        cases=cases,
        family=family,
        **{"kind": "lemma", **more},
    )


# Cases ------------------------------------------------------------------------------------------------------------------

FLAT = run(
    null_direction(4, "3/8"), 1, 1, 3
)  # rational: client 1 sees no change of its gradient, its step jumps to the cap
LEANING = run(null_direction(100, "2/5"), 6, 1, 99)
OVERSHOOT = run(disjoint(), 6, "3/2")  # rational: both clients step over their minima, never together
SINGLE = (
    run(huber("21/2"), 6, "1/2"),
    run(huber(100), 6, "1/10", 1, "1/2"),
    run(line((3,)), 6, "1/4"),
    run(ConvexClients((COUPLED.objectives[0],), (2, -1)), 8, "1/10"),
    run(CURVES, 8, "1/20", 5),
    run(FOURTH, 8, "1/100"),
    run(line((3,)), 4, "1/10", None),  # nothing caps the first step
    run(FOURTH, 6, "1/100", 1, 1, growth_damping="1/10"),
)
ELSEWHERE = tuple(  # compared with any other point
    Case(ConvexClients(c.instance.objectives, c.instance.start, compare=at), **dict(c.settings))  # type: ignore[attr-defined]
    for c, at in ((SINGLE[0], (9,)), (SINGLE[3], (5, 5)), (SINGLE[4], (-1, 1)))
)
MANY = (
    *(run(instance, 8, "1/10") for instance in (COUPLED, APART, MIXTURE, KINKS)),
    run(line((1, 10, 3), (0, 1, -2), "1/2"), 8, "1/20", 10),
    FLAT,
)
PACED = tuple(
    Case(ConvexClients(c.instance.objectives, c.instance.start, c.instance.minimiser, pace=pace), **dict(c.settings))  # type: ignore[attr-defined]
    for c, pace in zip(MANY[:4], ((1, 2, 5), ("1/3", 1, 2), (1, "1/2", 1), (1, 3)), strict=True)
)
AMPLIFIED = (run(huber("2003/20"), 3, 100, 1, "7/5"), run(huber("2003/20"), 3, 100, 1, 2))

# (31) -------------------------------------------------------------------------------------------------------------------

_WHERE = "x^i_t read as the iterates of clients that "
_READINGS = {"A": "never communicate", "B": "share the server's iterate", "C": "step once from the server's iterate"}
_MEAN = "Of the solution x*, ||x_{t+1} - x*||² + mean ||x^i_{t+1} - x^i_t||²/2 + 2 mean η^i_t (1 + θ^i_t)(f_i(x^i_t) - f_i(x*))"
_KEEPS = f"{_MEAN} is at most the same before the step with η^i_t θ^i_t (f_i(x^i_(t-1)) - f_i(x*))"
_WITNESS = {"A": (OVERSHOOT,), "B": (FLAT, LEANING), "C": (LEANING,)}
_RISES = {"A": (OVERSHOOT,), "B": (LEANING,), "C": (LEANING,)}


def _broken(cases: tuple[Case, ...], letter: str, part: str, limit: Bound, measure: Any, said: str) -> Claim:
    """The printed statement for several clients in a reading: false."""
    return claim(
        f"{part}-{letter}",
        f"{said} ({_WHERE}{_READINGS[letter]}).",
        limit,
        measure,
        cases,
        drawn("convex", "runs", least=2),
        (COMMON,),
        expected="violated",
        remark="false even where all clients share a minimiser: the clients' ratios differ, and the step of the proof "
        "that takes them out of the mean fails",
    )


_ANY = drawn("convex", "runs", most=1, amplifiers=("1/4", "1/2", 1), dampings=(0, "1/10", 1), any_point=True)
_ONE = drawn("convex", "runs", most=1, amplifiers=("1/4", "1/2", 1), dampings=(0, "1/10", 1))
_SYNC = drawn("convex", "runs", centres="apart", amplifiers=("1/2", 1), dampings=("1/10", 1), any_point=True)

_PACES = drawn("convex", "runs", least=2, centres="apart", any_point=True, paces=True)

LEMMA_4 = (
    *(_broken(cases, k, "L4", DECREASE, Decrease(k), _KEEPS) for k, cases in _WITNESS.items()),  # type: ignore[arg-type]
    claim(
        "L4-apart",
        f"{_KEEPS}, also where the minimiser of f is none of the clients' (clients share the server's iterate).",
        DECREASE,
        Decrease("B"),
        (run(line(("1/50", 1), (0, 1), "4/5"), 1, 5),),
        drawn("convex", "runs", least=2, centres="apart"),
        (AT_MINIMISER,),
        expected="violated",
    ),
    claim(
        "L4-one",
        "For one client (31) holds of any point x*, with γ <= 1 and steps up to the first entry of (4).",
        DECREASE_FIXED,
        Decrease("B"),
        (*SINGLE, *ELSEWHERE),
        _ANY,
        (ALONE,),
    ),
    claim(
        "L4-smaller",
        "For one client (31) holds with any smaller steps too: here half of rule (4)'s.",
        DECREASE_SHARP,
        Decrease("B"),
        SINGLE,
        _ANY,
        (ALONE,),
        half,
    ),
    claim(
        "L4-amplified",
        "For one client (31) holds with the amplifier γ up to 2 of the experiments.",
        DECREASE_AMPLIFIED,
        Decrease("B"),
        AMPLIFIED,
        drawn("convex", "hubers"),
        (ALONE,),
        expected="violated",
        remark="false from γ = 13/10 at the latest; the largest γ in [1, 13/10) for which it is true is open",
    ),
    claim(
        "L4-sync",
        "(31) holds of any point x* for any number of clients that all take the smallest of their proposals.",
        DECREASE_FIXED,
        Decrease("step"),
        MANY,
        _SYNC,
    ),
    claim(
        "L4-ratio",
        "(31) holds of any point x* where the clients' steps differ but grow by one common ratio.",
        DECREASE_SHARP,
        Decrease("ratio"),
        PACED,
        _PACES,
        paced=True,
    ),
)

# (5) --------------------------------------------------------------------------------------------------------------------

_FALLS = "V_t, the right-hand side of (31), never increases: V_{t+1} <= V_t"
EQUATION_5 = (
    *(_broken(cases, k, "V", LYAPUNOV, Lyapunov(k), _FALLS) for k, cases in _RISES.items()),  # type: ignore[arg-type]
    claim(
        "V-one",
        f"For one client with γ <= 1 and δ <= 1 {_FALLS}.",
        LYAPUNOV_FIXED,
        Lyapunov("B"),
        SINGLE,
        _ONE,
        (ALONE, AT_MINIMISER),
    ),
    claim(
        "V-amplified",
        f"For one client with γ up to 2, as in the experiments, {_FALLS}.",
        LYAPUNOV_AMPLIFIED,
        Lyapunov("B"),
        AMPLIFIED,
        drawn("convex", "hubers"),
        (ALONE,),
        expected="violated",
    ),
    claim(
        "V-modest",
        f"For one client with γ = 13/10 {_FALLS}.",
        LYAPUNOV_AMPLIFIED,
        Lyapunov("B"),
        (run(huber("316034/1000"), 5, "10074/1000", "5814/100", "13/10"),),
        drawn("convex", "hubers", amplifier="13/10"),
        (ALONE,),
        expected="violated",
    ),
    claim(
        "V-sync",
        f"With the smallest of the clients' proposals as everybody's step {_FALLS}.",
        LYAPUNOV_FIXED,
        Lyapunov("step"),
        MANY[:-1],
        drawn("convex", "runs", centres="apart", amplifiers=("1/2", 1)),
        (AT_MINIMISER,),
    ),
)

CLAIMS: tuple[Claim, ...] = (*LEMMA_4, *EQUATION_5)
