"""Section 4: heterogeneity as the variance of sampling, its order (11), and values of the game with a variation budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Eq, Rational

from fltheory.case import Assumption, Case
from fltheory.number import Ring
from fltheory.papers.osmd.bounds import bound
from fltheory.papers.osmd.claims.direct import claim, drawn, of_instance
from fltheory.papers.osmd.exact.heterogeneity import GradientTable, OneDraw, value_of
from fltheory.papers.osmd.exact.minimax import Enclosure
from fltheory.papers.osmd.letters import Lbar, T, alpha, beta, g, zeta_fix, zeta_min, zeta_T, zeta_unif
from fltheory.runs.measures import GRADIENT_SQUARED, DirectMeasure

IDENTITY = "identity"
ORDER = "comparison"


def game(name: str, value: Callable[[GradientTable], Enclosure]) -> DirectMeasure:
    """A value of a table of gradients."""

    def compute(case: Case, ring: Ring) -> Any:
        table: Any = case.instance
        return value_of(value(table), ring)

    return DirectMeasure(name, compute, GRADIENT_SQUARED)


def _uniform(case: Case) -> str | None:
    table: Any = case.instance
    return None if len(set(table.p)) == 1 else "p is not uniform"


def _above_floor(case: Case) -> str | None:
    table: Any = case.instance
    return None if table.best_is_floored() else "the best distribution of a point is below the floor"


def _two_states(case: Case) -> str | None:
    table: Any = case.instance
    squares = set(table.points.squares)
    sizes = {v for point in squares for v in point if v}
    alone = len(sizes) == 1 and squares == {state for s in sizes for state in ((s, 0), (0, s))}
    return None if alone else "other points, or other clients"


uniform = Assumption("clients drawn uniformly", _uniform)
two_clients = Assumption("two states, in each of which one client has a gradient, of the same norm", _two_states)
above_floor = Assumption("the best distributions keep to the floor", _above_floor)

DYNAMIC = game("ζ_T²(α, β)", lambda table: table.dynamic)
FIXED = game("ζ_fix²(α)", lambda table: table.fixed)
WIDER = game("ζ_T²(α, β + 1/2)", lambda table: replace(table, budget=table.budget + Fraction(1, 2)).dynamic)
LOWER = game("ζ_T²(α/2, β)", lambda table: replace(table, floor=table.alpha / 2).dynamic)
LOWER_FIXED = game("ζ_fix²(α/2)", lambda table: replace(table, floor=table.alpha / 2).fixed)
POINTWISE = game("sup_w min_p V(p, w)", lambda table: table.pointwise)
CLAIRVOYANT = game("the value where all points are known in advance", lambda table: table.clairvoyant)
SPREAD = of_instance("E |∇F_m / (M p_m) - ∇F|²", lambda draw: draw.spread(), GRADIENT_SQUARED)

# Draws, and tables of gradients: two states (I9), states that cancel, vectors, three points
DRAWS = (
    OneDraw((1, -2, 4), ("1/2", "1/4", "1/4")),
    OneDraw(((1, 0), (2, -3)), ("1/5", "4/5")),
    OneDraw(((1, 2), (-1, "1/2"), (0, 3)), ("1/3", "1/3", "1/3")),
)
TWO = ((1, 0), (0, 1))
OPPOSED = ((2, -1), (-1, 2))
VECTORS = (((1, 0), (0, 2)), ((0, 1), (-1, 0)))
THREE = ((3, 1, 0), (0, 2, -2), (1, 1, 4))
_PART = "heterogeneity"
_TABLES = drawn(_PART, "tables")


def two_states(rounds: int, budget: object, floor: object = "1/5") -> Case:
    """The game of two states: each has one client with a gradient, of norm 1."""
    return Case(GradientTable(TWO, floor, rounds, budget))


STRICT = (
    two_states(2, "1/5"),
    two_states(3, "2/5"),
    Case(GradientTable(OPPOSED, "1/2", 2, "1/4")),
    Case(GradientTable(VECTORS, "1/4", 2, "1/3")),
)
IDENTITIES = (
    claim(
        "C-8",
        "uniform draws: (1/M) Σ |∇F_m - ∇F|² = (1/M) Σ |∇F_m|² - |∇F|² = V(p_unif, w)",
        bound(Lbar - g**2, "(8)", conditions=(), side="equal"),
        SPREAD,
        (Case(DRAWS[2]), Case(OneDraw((3, -1), ("1/2", "1/2")))),
        drawn(_PART, "draws", uniform=True),
        (uniform,),
        kind=IDENTITY,
    ),
    claim(
        "C-9",
        "V(p, w) = E |∇F_m / (M p_m) - ∇F|² for m drawn from p",
        bound(Lbar - g**2, "(9)", conditions=(), side="equal"),
        SPREAD,
        tuple(map(Case, DRAWS)),
        drawn(_PART, "draws"),
        kind=IDENTITY,
    ),
)
ORDERED = (
    claim(
        "C-11",
        "ζ_T²(α, β) <= ζ_fix²(α)",
        bound(zeta_fix**2, "(11)", conditions=()),
        DYNAMIC,
        STRICT,
        _TABLES,
        more=lambda: (two_states(4, "2/5"), Case(GradientTable(THREE, "1/3", 3, "1/2"))),
        kind=ORDER,
        remark="Without budget both are often equal: where every point binds in ζ_fix and T is large.",
    ),
    claim(
        "C-11-fixed",
        "ζ_fix²(α) <= ζ_unif²",
        bound(zeta_unif**2, "(11)", conditions=()),
        FIXED,
        (two_states(1, 0), STRICT[2], STRICT[3], Case(GradientTable(THREE, "1/3"))),
        drawn(_PART, "tables", compared="fixed"),
        kind=ORDER,
    ),
    claim(
        "C-11-budget",
        "ζ_T²(α, β) does not increase with β",
        bound(zeta_T**2, "Section 4", conditions=()),
        WIDER,
        (two_states(2, 0), STRICT[2]),
        drawn(_PART, "tables", compared="budget"),
        more=lambda: (STRICT[1],),
        kind=ORDER,
    ),
    claim(
        "C-11-floor",
        "ζ_T²(α, β) does not decrease with α",
        bound(zeta_T**2, "Section 4", conditions=()),
        LOWER,
        (two_states(1, 0), two_states(2, 2, "1/2"), Case(GradientTable(THREE, "3/4", 1, 0))),
        drawn(_PART, "tables", compared="floor"),
        kind=ORDER,
    ),
    claim(
        "C-11-floor-fixed",
        "ζ_fix²(α) does not decrease with α",
        bound(zeta_fix**2, "Section 4", conditions=()),
        LOWER_FIXED,
        (Case(GradientTable(((1, 0, 0), (1, "1/2", 0)), "1/2")), Case(GradientTable(((5, 1, 0), (4, 0, 1)), "3/4"))),
        drawn(_PART, "tables", compared="floor of fixed"),
        kind=ORDER,
    ),
    claim(
        "C-11-round",
        "T = 1: the budget plays no role, ζ_1² = sup_w min_p V(p, w)",
        bound(zeta_T**2, "Section 4", conditions=(T <= 1,), side="equal"),
        POINTWISE,
        (two_states(1, 0), two_states(1, 2), Case(GradientTable(OPPOSED, "1/2", 1, "1/3"))),
        drawn(_PART, "tables", rounds=1, compared="round"),
        kind=IDENTITY,
    ),
    claim(
        "C-11-still",
        "no budget: (1 - 1/T) ζ_fix² <= ζ_T²(α, 0) <= ζ_fix²",
        (
            bound((1 - 1 / T) * zeta_fix**2, "Section 4", conditions=(beta <= 0, T >= 2), side="lower"),
            bound(zeta_fix**2, "Section 4", conditions=(beta <= 0, T >= 2)),
        ),
        DYNAMIC,
        (two_states(2, 0), two_states(3, 0), Case(GradientTable(OPPOSED, "1/2", 2, 0))),
        drawn(_PART, "tables", budget=0, rounds=2, compared="still"),
        kind=ORDER,
    ),
    claim(
        "C-min",
        "β >= 2(T - 1), the best distributions of all points above the floor: ζ_T² = ζ_min²",
        bound(zeta_min**2, "text after (11)", "explicit", (beta >= 2 * (T - 1),), side="equal"),
        DYNAMIC,
        (
            Case(GradientTable(OPPOSED, "1/2", 2, 2)),
            Case(GradientTable(((1, 3), (4, -2)), "1/2", 2, 3)),
            Case(GradientTable(((1, 2, -1), (1, 1, 1)), "1/2", 1, 0)),
        ),
        drawn(_PART, "tables", budget=4, compared="least"),
        (above_floor,),
        kind=IDENTITY,
        remark="The paper says: β large and α small enough.",
    ),
)
SIMPLE = Rational(1, 4) - beta / (T * (2 + beta))
MIDDLE = Rational(969301, 10**7), Rational(969303, 10**7)
_MIDDLE = (Eq(alpha, Rational(1, 5)), Eq(beta, Rational(8, 5)), Eq(T, 3))
_GAME = "the game of two states"
_KNOWN = "ζ_T² is the value of a game where the sampler knows no point in advance"
VALUES = (
    claim(
        "I9",
        "two states, α <= 1/5, β <= 4/5, T >= 2: ζ_T² = 1/4 - β / (T (2 + β)) times the square of the gradient",
        bound(
            SIMPLE * zeta_unif**2 * 4,
            _GAME,
            "explicit",
            (alpha <= Rational(1, 5), beta <= Rational(4, 5), T >= 2),
            side="equal",
        ),
        DYNAMIC,
        (two_states(2, "1/5"), two_states(2, "4/5"), two_states(3, "2/5"), two_states(3, "4/5")),
        drawn(_PART, "two_state_games"),
        (two_clients,),
        more=lambda: (two_states(4, "1/5"), two_states(2, "2/5", "1/10")),
        kind="value",
        remark="One move of β/2 from p = (1 + β/2)/2, whenever the state changes first.",
    ),
    claim(
        "I9-middle",
        "two states, α = 1/5, β = 8/5, T = 3: ζ_T² = 0.0969302 times the square of the gradient",
        (
            bound(MIDDLE[1] * zeta_unif**2 * 4, _GAME, "explicit", _MIDDLE),
            bound(MIDDLE[0] * zeta_unif**2 * 4, _GAME, "explicit", _MIDDLE, side="lower"),
        ),
        DYNAMIC,
        (two_states(3, "8/5"),),
        drawn(_PART, "middle_game"),
        (two_clients,),
        kind="value",
    ),
    claim(
        "I9-ample",
        "two states, β >= 2 (1 - α) (T - 1): ζ_T² = 1/(4 - 2α) - 1/4, the value of a single round",
        bound(
            (1 / (4 - 2 * alpha) - Rational(1, 4)) * zeta_unif**2 * 4,
            _GAME,
            "explicit",
            (beta >= 2 * (1 - alpha) * (T - 1),),
            side="equal",
        ),
        DYNAMIC,
        (two_states(1, 0), two_states(2, "8/5"), two_states(3, "16/5")),
        drawn(_PART, "two_state_games", ample=True),
        (two_clients,),
        kind="value",
    ),
    claim(
        "C-31",
        "ζ_T² is the largest value, over courses of points, of the best plan for the whole course",
        bound(zeta_T**2, "(30), (31)", conditions=(), side="equal"),
        CLAIRVOYANT,
        (two_states(3, 0),),
        drawn(_PART, "tables", compared="clairvoyant", rounds=3),
        expected="violated",
        kind=IDENTITY,
        remark=f"{_KNOWN}; a plan made for the whole course pays less, 0.2357 < 1/4 with two states, T = 3, β = 0.",
    ),
    claim(
        "C-31",
        "the best plan for the whole course pays at most T ζ_T²",
        bound(zeta_T**2, "(30), (31)", "corrected", (), _KNOWN),
        CLAIRVOYANT,
        (two_states(3, 0), two_states(2, "1/5"), Case(GradientTable(VECTORS, "1/4", 2, "1/3"))),
        drawn(_PART, "tables", compared="clairvoyant"),
        kind=ORDER,
    ),
)
CLAIMS = (*IDENTITIES, *ORDERED, *VALUES)
