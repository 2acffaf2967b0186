"""Cases and families for the displays of the proof of Theorem 1, and their assumptions."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from sympy import Integer

from fltheory.claims.statement import requires
from fltheory.model.bound import Dimension
from fltheory.model.case import Case
from fltheory.model.schema import AsTable, Family
from fltheory.number import Number
from fltheory.papers.delta_sgd.instances.piecewise import PiecewiseClients
from fltheory.papers.delta_sgd.one_round import GivenSteps, OwnSteps, Rounds
from fltheory.papers.delta_sgd.paper import PAPER
from fltheory.runs.client_optimiser import Batches

CURVATURE: Dimension = (Integer(1), Integer(-2))
display = partial(PAPER.lemma, mode="surely")

INDEPENDENT = requires(
    "no step depends on the noise that it multiplies",
    lambda one, c: not one.independent and "a step depends on the noise that it multiplies",
)
GIVEN = requires("steps are given", lambda one, c: not one.given and "steps depend on the draws")
FALLING = requires("f never rises", lambda one, c: None if all(v >= 0 for v in one.decreases) else "f rises in a round")

# Cases ---------------------------------------------------------------------------------------------------------------

CALM = PiecewiseClients((-2, 0, 2), (((-1, 0, 1),), ((-3, 0, 3),)))
NOISY = PiecewiseClients((-2, 0, 2), (((-2, -1, 0), (0, 1, 2)), ((-4, -1, 2), (-2, 1, 4))))
RARE = PiecewiseClients(
    (-2, 0, 2), (((8, 9, 10), (-2, -1, 0)), ((3, 6, 9), ("-11/3", "-2/3", "7/3"))), ("1/10", "9/10")
)
PAIRED = PiecewiseClients((-2, 0, 2), (((-2, -1, 0), (0, 1, 2)), ((-4, -1, 2), (-2, 1, 4))), batch_size=2)
FICKLE = PiecewiseClients((-2, 0, 2, 4), (((-10, 10, 10, 10), (-1, -1, -1, 1)),))
SIGNED = PiecewiseClients((-1, 0, 1), (((2, 1, 0), (0, -1, -2)), ((-5, -1, 3), (-3, 1, 5)), ((-3, 0, 3), (-3, 0, 3))))
RIPPLES = PiecewiseClients(
    (0, "1/10", "2/10", "3/10"), (((1, 1, 1, 1),), ((1, "3/2", 1, "1/2"),), ((1, "1/2", 1, "3/2"),))
)
FAR = PiecewiseClients((-2, 0, 2), (((-2, 0, 2),), ((-16, 0, 16),)))
ALONE = PiecewiseClients((-2, 0, 2), (((-2, 0, 2),),))


def case_of_clients(clients: PiecewiseClients, start: Number, *steps: AsTable, **more: Any) -> Case:
    """Return a round with steps from tables."""
    return Case(GivenSteps(clients, start, steps, **more))


def own(
    clients: PiecewiseClients, start: Number, count: int, first: Number, batches: Batches = "pair", **more: Any
) -> Case:
    """Return a round of Delta-SGD."""
    return Case(OwnSteps(clients, start, count, first, batches, **more))


# The table gives the steps after the first by the earlier draws.
ADAPTED = (
    case_of_clients(NOISY, 1, ("1/2", (1, "1/3")), ("1/5", ("1/10", 1)), n_participating=1),
    case_of_clients(RARE, 1, (1, ("1/2", "1/7")), ("1/2", ("1/5", 1))),
    case_of_clients(PAIRED, "1/2", ("1/3", (1, "1/2", "1/4")), ("1/4", (1, "1/2", "1/4"))),
)
FIXED = (
    case_of_clients(CALM, 1, ("1/2", 1, "1/3"), (1, "1/5", "1/2")),
    case_of_clients(NOISY, 1, ("1/2", 1), ("1/3", "1/3"), n_participating=1),
    case_of_clients(SIGNED, "1/2", ("1/2", "1/4"), ("1/8", "1/2"), ("1/4", "1/4"), n_participating=2),
    case_of_clients(NOISY, 2, ("1/20", "1/20"), ("1/20", "1/20")),
    case_of_clients(ALONE, 1, (1, 1)),
)
AT_REST = case_of_clients(NOISY, 0, "1/100", "1/100", n_participating=1)
PAIR = own(FICKLE, 0, 2, "1/10", initial_ratio=3)
FRESH = own(NOISY, 1, 2, "1/10", "fresh", initial_ratio=3, n_participating=1)
THREE = own(CALM, 1, 3, "1/2", growth_damping="1/10")
SAME = own(FICKLE, 0, 2, "1/10", "same", initial_ratio=3)
REUSE = own(FICKLE, 0, 2, "1/10", "reuse", initial_ratio=3)
RATIONAL = (*FIXED, *ADAPTED, PAIR, FRESH)
ROUNDS = (*RATIONAL, THREE)
DEPENDENT = (SAME, REUSE, case_of_clients(NOISY, 1, ("1/2", (1, "1/3")), ("1/5", ("1/10", 1)), foresight=True))
# A rare large noise and a large step after it, as data and from Delta-SGD: f' is constant where the noise leads.
HEAVY = (
    case_of_clients(
        PiecewiseClients(
            (-1000, 0, 1000),
            ((("998.999", "999.999", "1000.999"), ("-1.001", "-0.001", "0.999")),),
            ("1e-6", "0.999999"),
        ),
        0,
        (1, (40, "1/100")),
    ),
    own(
        PiecewiseClients(
            (-1000, "-1/1000", 0, "1/1000", 1000),
            (
                (
                    ("998.999", "999.999", "999.999", "999.999", "1000.999"),
                    ("-1.101", "-0.101", "-0.001", "0.099", "1.099"),
                    ("-0.901", "0.099", "-0.001", "-0.101", "0.899"),
                ),
            ),
            ("0.000001", "0.4999995", "0.4999995"),
        ),
        0,
        2,
        1,
        initial_ratio=9999,
    ),
)

# Steps so short that (28) is non-trivial; for FAR it is only if rho may exceed 1/2.
SHORT = (
    case_of_clients(NOISY, 1, ("1/100", ("1/100", "1/200")), ("1/150", ("1/200", "1/100")), n_participating=1),
    case_of_clients(ALONE, 1, ("1/20", "1/20")),
    own(NOISY, 1, 3, "1/200", growth_damping="1/10", n_participating=1),
    own(PAIRED, 1, 2, "1/400", "fresh", initial_ratio=3, n_participating=1),
)
SHORT_FAR = (case_of_clients(FAR, 1, ("1/2000", "1/3000"), ("1/4000", "1/2000"), n_participating=1), *SHORT)
SHORT_NOISY = (
    case_of_clients(NOISY, 1, ("1/100", "1/100"), ("1/100", "1/100")),
    case_of_clients(NOISY, "1/10", "1/100", "1/100", n_participating=1),
)
EVEN = (case_of_clients(CALM, 1, ("1/60", "1/60"), ("1/60", "1/60")), case_of_clients(NOISY, 1, "1/100", "1/100"))
# One client's steps can grow, the others' cannot: its gradient is constant.
UNEVEN = (
    own(RIPPLES, "1/20", 2, "1/10000", initial_ratio=1023, amplifier="1/1000"),
    case_of_clients(CALM, 1, ("1/60", "1/6000"), ("1/6000", "1/6000")),
    case_of_clients(CALM, 1, ("1/600", "1/600"), ("1/6000", "1/6000")),
)
NEGATIVE = UNEVEN[:2]

# Several rounds: f = x^2/2 near 0, and two steep clients.
TWO_ROUNDS = (Case(Rounds(ALONE, 1, ("1/2", 3))), Case(Rounds(CALM, 1, (("1/2", "1/2"), (1, 5)))))
UP_AND_DOWN = (Case(Rounds(ALONE, 1, ("1/2", 3, "1/2"))),)
LATER = (Case(Rounds(ALONE, 1, ("1/2", 1))), Case(Rounds(CALM, 1, (((("1/10", "1/2"), ("1/10", "1/5")),)))))
MONOTONE = (*LATER, Case(Rounds(CALM, 1, (("1/10", "1/5"), ("1/2", "1/10")))))
CONSTANT = (
    Case(Rounds(ALONE, 1, ("1/2", "1/2", "1/2"))),
    Case(Rounds(ALONE, 1, (3, 3))),
    Case(Rounds(CALM, 1, ((1, 1),))),
)

# Families ------------------------------------------------------------------------------------------------------------


def strategies() -> ModuleType:
    """Return the module of random rounds, imported on first use."""
    from fltheory.papers.delta_sgd.displays import families as strategies_displays

    return strategies_displays


def rounds(**options: object) -> Family:
    """Draw random rounds of some kind."""
    return lambda: strategies().rounds(**options)


def several_rounds(**options: object) -> Family:
    """Draw several random rounds."""
    return lambda: strategies().several_rounds(**options)


ALL: dict[str, Any] = {"cases": (*ROUNDS, *DEPENDENT), "family": rounds()}
EXACT: dict[str, Any] = {"cases": (*RATIONAL, *DEPENDENT), "family": rounds()}
CHOSEN_FREELY: dict[str, Any] = {"family": rounds(dependent=True)}
UNCORRELATED: dict[str, Any] = {"cases": RATIONAL, "family": rounds(dependent=False), "assumptions": (INDEPENDENT,)}
BY_TABLES: dict[str, Any] = {"cases": FIXED, "family": rounds(kind="given"), "assumptions": (GIVEN,)}
TO_HEAVY_NOISE: dict[str, Any] = {"family": lambda: strategies().heavy()}
