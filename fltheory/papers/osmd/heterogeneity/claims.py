"""Section 4: heterogeneity as the variance of sampling, its order (11), and values of the game with a variation budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Eq, Rational

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, Statement, quantity, quantity_measure, requires
from fltheory.model.case import Case
from fltheory.model.schema import lazy_strategy
from fltheory.papers.osmd.heterogeneity.closed_forms.heterogeneity import GradientTable, OneDraw, value_of
from fltheory.papers.osmd.heterogeneity.closed_forms.minimax import Enclosure
from fltheory.papers.osmd.notation import Lbar, T, alpha, beta, g, zeta_fix, zeta_min, zeta_T, zeta_unif
from fltheory.papers.osmd.paper import PAPER
from fltheory.runs.measures import GRADIENT_SQUARED

IDENTITY = "identity"
ORDER = "comparison"
VALUE = "value"


@lazy_strategy
def single_draws() -> Any:
    """Draw a draw of one of a few clients."""
    from fltheory.papers.osmd.heterogeneity.families import draws

    return draws


@lazy_strategy
def tables() -> Any:
    """Draw return tables of gradients whose compared values can be distinguished."""
    from fltheory.papers.osmd.heterogeneity.families import tables

    return tables


@lazy_strategy
def two_state_games() -> Any:
    """Draw the game of two states, with gradients of any size."""
    from fltheory.papers.osmd.heterogeneity.families import two_state_games

    return two_state_games


@lazy_strategy
def middle_game() -> Any:
    """Draw the one with three rounds and a budget of 8/5."""
    from fltheory.papers.osmd.heterogeneity.families import middle_game

    return middle_game


def game(id: str, place: str, name: str, value: Callable[[GradientTable], Enclosure], **shared: Any) -> Statement:
    """Return a statement on a value of a table of gradients, which may only be enclosed."""

    def known(table: GradientTable, c: Constants) -> Any:
        return value_of(value(table))

    return PAPER.theorem(id, place, quantity_measure(known, GRADIENT_SQUARED, name=name), **shared)


def _two_states(table: GradientTable, c: Constants) -> str | None:
    squares = set(table.points.squares)
    sizes = {v for point in squares for v in point if v}
    alone = len(sizes) == 1 and squares == {state for s in sizes for state in ((s, Fraction(0)), (Fraction(0), s))}
    return None if alone else "other points, or other clients"


uniform = requires("clients drawn uniformly", lambda draw, c: None if len(set(draw.p)) == 1 else "p is not uniform")
two_clients = requires("two states, in each of which one client has a gradient, of the same norm", _two_states)
above_floor = requires("the best distributions keep to the floor",
    lambda table, c: None if table.best_is_floored() else "the best distribution of a point is below the floor")

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


def two_states(rounds: int, budget: object, floor: object = "1/5") -> Case:
    """Return the game of two states: each has one client with a gradient, of norm 1."""
    return Case(GradientTable(TWO, floor, rounds, budget))


STRICT = (
    two_states(2, "1/5"),
    two_states(3, "2/5"),
    Case(GradientTable(OPPOSED, "1/2", 2, "1/4")),
    Case(GradientTable(VECTORS, "1/4", 2, "1/3")),
)

# (8), (9) -------------------------------------------------------------------------------------------------------------

spread = PAPER.lemma("C-9", "(9)", "E |∇F_m / (M p_m) - ∇F|²", lambda draw, c: draw.spread(), GRADIENT_SQUARED,
    cases=tuple(map(Case, DRAWS)), family=single_draws(), kind=IDENTITY)

IDENTITIES = (
    spread.restated("C-8", "(8)", cases=(Case(DRAWS[2]), Case(OneDraw((3, -1), ("1/2", "1/2")))),
        family=single_draws(uniform=True), assumptions=[uniform]).printed(
        "uniform draws: (1/M) Σ |∇F_m - ∇F|² = (1/M) Σ |∇F_m|² - |∇F|² = V(p_unif, w)", Eq(quantity, Lbar - g**2)),
    spread.printed("V(p, w) = E |∇F_m / (M p_m) - ∇F|² for m drawn from p", Eq(quantity, Lbar - g**2)),
)

# (11) and the text of Section 4 ---------------------------------------------------------------------------------------

dynamic = game("C-11", "(11)", "ζ_T²(α, β)", lambda table: table.dynamic, kind=ORDER)
fixed = game("C-11-fixed", "(11)", "ζ_fix²(α)", lambda table: table.fixed, kind=ORDER)
wider = game("C-11-budget", "Section 4", "ζ_T²(α, β + 1/2)",
    lambda table: replace(table, budget=table.budget + Fraction(1, 2)).dynamic, kind=ORDER)
lower = game("C-11-floor", "Section 4", "ζ_T²(α/2, β)", lambda table: replace(table, floor=table.alpha / 2).dynamic,
    kind=ORDER)
lower_fixed = game("C-11-floor-fixed", "Section 4", "ζ_fix²(α/2)",
    lambda table: replace(table, floor=table.alpha / 2).fixed, kind=ORDER)
pointwise = game("C-11-round", "Section 4", "sup_w min_p V(p, w)", lambda table: table.pointwise, kind=IDENTITY)
ORDERED = (
    dynamic.printed("ζ_T²(α, β) <= ζ_fix²(α)", quantity <= zeta_fix**2, cases=STRICT, family=tables(),
        full_cases=lambda: (two_states(4, "2/5"), Case(GradientTable(THREE, "1/3", 3, "1/2"))),
        remark="Without budget both are often equal: when every point is binding in ζ_fix and T is large."),
    fixed.printed("ζ_fix²(α) <= ζ_unif²", quantity <= zeta_unif**2,
        cases=(two_states(1, 0), STRICT[2], STRICT[3], Case(GradientTable(THREE, "1/3"))),
        family=tables(compared="fixed")),
    wider.printed("ζ_T²(α, β) does not increase with β", quantity <= zeta_T**2, cases=(two_states(2, 0), STRICT[2]),
        family=tables(compared="budget"), full_cases=lambda: (STRICT[1],)),
    lower.printed("ζ_T²(α, β) does not decrease with α", quantity <= zeta_T**2,
        cases=(two_states(1, 0), two_states(2, 2, "1/2"), Case(GradientTable(THREE, "3/4", 1, 0))),
        family=tables(compared="floor")),
    lower_fixed.printed("ζ_fix²(α) does not decrease with α", quantity <= zeta_fix**2,
        cases=(Case(GradientTable(((1, 0, 0), (1, "1/2", 0)), "1/2")),
            Case(GradientTable(((5, 1, 0), (4, 0, 1)), "3/4"))), family=tables(compared="floor of fixed")),
    pointwise.printed("T = 1: the budget plays no role, ζ_1² = sup_w min_p V(p, w)", Eq(quantity, zeta_T**2),
        given=[T <= 1], cases=(two_states(1, 0), two_states(1, 2), Case(GradientTable(OPPOSED, "1/2", 1, "1/3"))),
        family=tables(rounds=1, compared="round")),
    dynamic.restated("C-11-still", "Section 4").printed("no budget: (1 - 1/T) ζ_fix² <= ζ_T²(α, 0) <= ζ_fix²",
        (1 - 1 / T) * zeta_fix**2 <= quantity, quantity <= zeta_fix**2, given=[beta <= 0, T >= 2],
        cases=(two_states(2, 0), two_states(3, 0), Case(GradientTable(OPPOSED, "1/2", 2, 0))),
        family=tables(budget=0, rounds=2, compared="still")),
    dynamic.restated("C-min", "text after (11)", kind=IDENTITY).explicit(
        "β >= 2(T - 1), the best distributions of all points above the floor: ζ_T² = ζ_min²", Eq(quantity, zeta_min**2),
        given=[beta >= 2 * (T - 1)], assumptions=[above_floor],
        cases=(Case(GradientTable(OPPOSED, "1/2", 2, 2)), Case(GradientTable(((1, 3), (4, -2)), "1/2", 2, 3)),
            Case(GradientTable(((1, 2, -1), (1, 1, 1)), "1/2", 1, 0))), family=tables(budget=4, compared="least"),
        remark="The paper says: β large and α small enough."),
)

# The game of two states, and (31) -------------------------------------------------------------------------------------

KNOWN = "ζ_T² is the value of a game where the sampler knows no point in advance"
GRADIENT_NORM = zeta_unif**2 * 4  # squared, of the client with a gradient
of_two_states = dynamic.restated("I9", "the game of two states", kind=VALUE, assumptions=[two_clients])
clairvoyant = game("C-31", "(30), (31)", "the value where all points are known in advance",
    lambda table: table.clairvoyant)
VALUES = (
    of_two_states.explicit(
        "two states, α <= 1/5, β <= 4/5, T >= 2: ζ_T² = 1/4 - β / (T (2 + β)) times the square of the gradient",
        Eq(quantity, (Rational(1, 4) - beta / (T * (2 + beta))) * GRADIENT_NORM),
        given=[alpha <= Rational(1, 5), beta <= Rational(4, 5), T >= 2],
        cases=(two_states(2, "1/5"), two_states(2, "4/5"), two_states(3, "2/5"), two_states(3, "4/5")),
        family=two_state_games(), full_cases=lambda: (two_states(2, "2/5", "1/10"),),
        remark="p = (1 + β/2)/2 for the state's client until the state changes, then 1/2, and (1 + β/2)/2 again in the last "
        "round."),
    of_two_states.restated("I9-middle").explicit(
        "two states, α = 1/5, β = 8/5, T = 3: ζ_T² = 0.0969302 times the square of the gradient",
        quantity <= Rational(969303, 10**7) * GRADIENT_NORM, Rational(969301, 10**7) * GRADIENT_NORM <= quantity,
        given=[Eq(alpha, Rational(1, 5)), Eq(beta, Rational(8, 5)), Eq(T, 3)], cases=[two_states(3, "8/5")],
        family=middle_game()),
    of_two_states.restated("I9-ample").explicit(
        "two states, β >= 2 (1 - α) (T - 1): ζ_T² = 1/(4 - 2α) - 1/4, the value of a single round",
        Eq(quantity, (1 / (4 - 2 * alpha) - Rational(1, 4)) * GRADIENT_NORM), given=[beta >= 2 * (1 - alpha) * (T - 1)],
        cases=(two_states(1, 0), two_states(2, "8/5"), two_states(3, "16/5")), family=two_state_games(ample=True)),
    clairvoyant.printed("ζ_T² is the largest value, over sequences of points, of the best plan for the whole sequence",
        Eq(quantity, zeta_T**2), counterexamples=[two_states(3, 0)], family=tables(compared="clairvoyant", rounds=3),
        kind=IDENTITY,
        remark=f"{KNOWN}; a plan made for the whole sequence pays less, 0.2357 < 1/4 with two states, T = 3, β = 0."),
    clairvoyant.corrected("the best plan for the whole sequence pays at most T ζ_T²", quantity <= zeta_T**2, note=KNOWN,
        cases=(two_states(3, 0), two_states(2, "1/5"), Case(GradientTable(VECTORS, "1/4", 2, "1/3"))),
        family=tables(compared="clairvoyant"), kind=ORDER),
)
CLAIMS: tuple[Claim, ...] = (*IDENTITIES, *ORDERED, *VALUES)
