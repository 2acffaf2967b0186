"""Sections 6 and A.1: the grid of rates, Theorem 8 with its two steps, and Theorem 10."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sympy import Eq, expand, radsimp, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, printed, quantity
from fltheory.games.dynamic_regret import DynamicRegret
from fltheory.model.case import Assumption, Case
from fltheory.model.schema import lazy_strategy
from fltheory.number import decide, evaluate_ball
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.algorithms.switching import adaptive, doubling
from fltheory.papers.osmd.conditions import LATE
from fltheory.papers.osmd.experts.cases import FollowedAdversary, SwitchingAdversary
from fltheory.papers.osmd.experts.closed_forms.grid import Blocks, Horizon, above_least, last_of_grid
from fltheory.papers.osmd.experts.closed_forms.regret import ExpertRegret, MetaPathRegret, MetaRegret
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.instances.random_feedback import RandomFeedback
from fltheory.papers.osmd.notation import M, T, beta, gamma
from fltheory.papers.osmd.paper import PAPER

ADAPTIVE = adaptive("given")
REGRET = DynamicRegret()
EXPERT = ExpertRegret()
META = MetaRegret()
CORRECTED, PRINTED = ((gamma, bounds.GAMMA),), ((gamma, bounds.GAMMA_PRINTED),)
HUGE = 10**24  # feedback: R is then far above T, and exponential weights at the printed rate follow the leader


def heavy(n_rounds: int, floor: object = "9/10", size: object = 1) -> Case:
    """Return one client with all the feedback, equal in every round: games with few different sample paths."""
    return Case(FeedbackTable(((size, 0),), 1, floor, "fixed", n_rounds))


def trap(n_rounds: int, size: object = HUGE, floor: object = "7/10", threshold: object = "101/200") -> Case:
    """Return a game of one draw a round, whose adversary leaves a client once it has more than ``threshold``."""
    return Case(SwitchingAdversary(n_rounds, 1, floor, size, threshold))


def enclosed_trap(n_rounds: int) -> Case:
    """Return the same adversary, with its game in balls: the ratio to the printed bounds is largest near this floor."""
    return Case(FollowedAdversary(n_rounds, 1, "3/4", HUGE, "13/25"))


@lazy_strategy
def horizons() -> Any:
    """Draw any number of clients and rounds, floor and variation."""
    from fltheory.papers.osmd.experts.families import horizons

    return horizons


@lazy_strategy
def games() -> Any:
    """Draw tables, random schedules and adversaries."""
    from fltheory.papers.osmd.experts.families import games

    return games


@lazy_strategy
def tiny() -> Any:
    """Draw games that are enumerated."""
    from fltheory.papers.osmd.experts.families import tiny

    return tiny


@lazy_strategy
def switching() -> Any:
    """Draw adversaries that switch."""
    from fltheory.papers.osmd.experts.families import switching

    return switching


@lazy_strategy
def any_length() -> Any:
    """Draw any of the games, and long ones of an adversary that switches."""
    from fltheory.papers.osmd.experts.families import any_length

    return any_length


# The grid (22) --------------------------------------------------------------------------------------------------

HORIZONS = tuple(
    Case(Horizon(m, t, floor, share))
    for m, t, floor, share in (
        (2, 1, "1/2", 1),
        (2, 2, 1, 1),
        (10, 1000, "2/5", "1/3"),
        (100, 1000, "2/5", 1),
        (3, 7, "1/10", "1/50"),
        (2, 10, 1, 0),
    )
)
_GRID: dict[str, Any] = {"cases": HORIZONS, "family": horizons()}
REACHED = [M >= 2, beta <= 2 * (T - 1)]


def nearest_rate(one: Horizon, c: Constants) -> Any:
    # the next rate below, or the smallest of the grid
    ratio, e = above_least(c), 0
    while e < last_of_grid(c) and ratio > 2 ** (e + 1):
        e += 1
    return ratio / 2**e


GRID = (
    PAPER.lemma("C-grid-range", "Section 6, (22) and (23)", "η*/η_E",
        lambda one, c: above_least(c) / 2 ** last_of_grid(c), **_GRID).printed(
        "the largest rate of the grid (22) is at least the best rate (20), for every β <= 2(T - 1)", quantity <= 1,
        given=REACHED),
    PAPER.lemma("C-grid", "Section 6, (22) and (23)", "η*/η_e for the nearest η_e below", nearest_rate, **_GRID).printed(
        "some rate of the grid (22) has η_e <= η* <= 2 η_e", quantity <= 2, 1 <= quantity, given=REACHED),
)

# The two steps of Theorem 8 -------------------------------------------------------------------------------------


def _reached(case: Case) -> str | None:
    found = decide(beta <= 2 * (T - 1), case.constants)
    return None if found else f"variation_budget = {case.constants[beta]}: expected at most 2(T - 1)"


COVERED = Assumption("the grid reaches the best rate, β <= 2(T - 1)", _reached)
_PLACE = "proof of Theorem 8"
_ALTERNATING = Case(RandomFeedback("rotating", 2, 200, 0, 3, "7/10", "uniform"))
expert = PAPER.theorem("C-59", f"{_PLACE} (59)", EXPERT, ADAPTIVE, kind="lemma", assumptions=[COVERED], tuning=CORRECTED,
    family=games(), full_cases=lambda: (heavy(100), trap(300, 1)))
meta = PAPER.theorem("C-60", f"{_PLACE} (60)", META, ADAPTIVE, kind="lemma", tuning=PRINTED)
meta_path = PAPER.theorem("C-60", f"{_PLACE} (60)", MetaPathRegret(), ADAPTIVE, kind="lemma", mode="surely")
STEPS = (
    expert.printed("Adaptive-OSMD: the expert with η_e <= η* <= 2 η_e, against any comparator on the floored simplex",
        bounds.EXPERT, cases=(heavy(30), _ALTERNATING),
        remark="2.5 suffices in place of 3 with the paper's own inequalities."),
    expert.strengthened("the same with 17/8 in place of 3", bounds.EXPERT_SHARP,
        cases=(heavy(12), heavy(30), _ALTERNATING)),
    meta.printed("Adaptive-OSMD with the printed γ: regret against any expert", quantity <= bounds.PRINTED_META,
        given=bounds.FLOORED, where=bounds.WITH_EXPERTS, counterexamples=(heavy(3, "1/2", 10**6), trap(4, 10**8)),
        family=tiny(),
        remark="Hoeffding's lemma needs the square of the range R: the bound grows like the root of the feedback.",
        inconsistent_units=True),
    meta_path.corrected(
        "Adaptive-OSMD with any γ, on every path: regret in estimated losses against any expert",
        bounds.META_PATHWISE,
        cases=(heavy(50, "1/2").with_settings(meta_rate="1/20"), trap(50, 5).with_settings(meta_rate="1/100")),
        full_cases=lambda: (
            *(heavy(200, "1/2").with_settings(meta_rate=rate) for rate in ("1/200", "1/50", "1/20")),
            _ALTERNATING.with_settings(meta_rate="1/20"),
            trap(1000, 5).with_settings(meta_rate="1/200"),
        ),
        family=games(most=50, meta=True),
    ),
)

# Theorem 8 ------------------------------------------------------------------------------------------------------

_LONG = {"least": 10_000, "most": 100_000, "most_drawn": 100}
_TEXT = "Adaptive-OSMD with {} γ against any comparator of variation at most β on the floored simplex"
_ROTATING = Case(RandomFeedback("rotating", 4, 3000, 0, 3, "9/10", "fixed"))
_LARGE = Case(RandomFeedback("pareto", 10, 6000, 0, 3, "9/10", "fixed"))
theorem_8 = PAPER.theorem("C-T8", "Theorem 8", REGRET, ADAPTIVE, tuning=CORRECTED, family=any_length(**_LONG),
    full_cases=lambda: (heavy(130), trap(100_000, threshold="11/20"), _LARGE))
printed_rate = PAPER.theorem("C-T8", "Theorem 8", REGRET, ADAPTIVE, tuning=PRINTED, inconsistent_units=True)
THEOREM_8 = (
    printed_rate.printed(
        _TEXT.format("the printed"),
        bounds.T8,
        counterexamples=[enclosed_trap(60_000)],
        family=switching(**_LONG, large_first=True),
        full_cases=lambda: (trap(60_000),),
        remark="An adversary that leaves a client once it is favoured makes the regret linear. For R <= 1 the bound is true. "
        + LATE.format("8.1e6"),
    ),
    theorem_8.corrected(_TEXT.format("the corrected"), bounds.T8_CORRECTED, cases=(heavy(40), _ROTATING, trap(60_000)),
        remark="The adversary that refutes the printed γ does not break this bound. " + LATE.format("8.1e6")),
    printed_rate.restated("C-T8-gamma").corrected(
        _TEXT.format("the printed") + ": the value of the proof's bound at this γ", bounds.T8_ANY_RATE,
        cases=(heavy(40, size="1/5"), trap(5000, 1)), full_cases=lambda: (trap(60_000, 100),),
        family=any_length(**_LONG), remark="Vacuous where R >= 8α²T. With A_max = K: " + LATE.format("9.4e6")),
    theorem_8.strengthened(_TEXT.format("the corrected") + ", with 17/8 in place of 3", bounds.T8_SHARP,
        cases=(heavy(30), _ROTATING, trap(20_000)), remark=LATE.format("4.1e6")),
)

# The blocks of Theorem 10 ----------------------------------------------------------------------------------------

STOPPED = tuple(Case(Blocks(t)) for t in (2, 3, 4, 1000))
_ROOT = sqrt(2)


def sum_of_blocks(one: Blocks, c: Constants) -> Any:
    last = one.n_blocks
    terms = [_ROOT ** (b - 1) for b in range(1, last)] + [_ROOT**last]
    found = radsimp(expand(sum(terms) - radsimp((_ROOT ** (last + 1) - _ROOT) / (_ROOT - 1))))
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else evaluate_ball(found, {})


SUM_OF_BLOCKS = (
    *PAPER.lemma("C-T10-sum", "proof of Theorem 10", "Σ_{b<B} √2^(b-1) + √2^B - (√2^(B+1) - √2)/(√2 - 1)",
        sum_of_blocks, cases=STOPPED, family=Blocks.drawn()).readings(
        printed("the geometric sum: Σ_{b<B} √2^(b-1) + √2^B = (√2^(B+1) - √2)/(√2 - 1)", Eq(quantity, 0),
            counterexamples=STOPPED,
            remark="The sum is smaller by √2^(B-1) - 1: without √2^B it ends at √2^(B-2), while the closed form is that of the "
            "sum from √2 to √2^B."),
        corrected("Σ_{b<B} √2^(b-1) + √2^B <= (√2^(B+1) - √2)/(√2 - 1), with equality for one block", quantity <= 0,
            note="<= for =", cases=(Case(Blocks(1)), *STOPPED))),
)

# Theorem 10 -----------------------------------------------------------------------------------------------------

_T10_TEXT = "Adaptive-Doubling-OSMD with {} γ in every block, stopped at any T"
THEOREM_10 = (
    PAPER.theorem("C-T10", "Theorem 10", REGRET, doubling("printed")).printed(_T10_TEXT.format("the printed"),
        bounds.T10, counterexamples=[enclosed_trap(550_000)], full_cases=lambda: (trap(2**20 - 1),),
        family=switching(least=1000, most=2**21, most_drawn=3, large_first=True),
        remark="As for Theorem 8, from about 400000 rounds on. " + LATE.format("1.9e8"), inconsistent_units=True),
    PAPER.theorem("C-T10", "Theorem 10", REGRET, doubling("corrected")).corrected(_T10_TEXT.format("the corrected"),
        bounds.T10_CORRECTED, cases=(heavy(511), trap(4000)), full_cases=lambda: (trap(100_000), trap(2**20 - 1)),
        family=any_length(**{**{"least": 2**19, "most": 2**21, "most_drawn": 3}, "least": 10_000}),
        remark="√2/(√2 - 1) = 3.41 in place of 2/(√2 - 1). " + LATE.format("9.5e7")),
)

CLAIMS: tuple[Claim, ...] = (*GRID, *STEPS, *THEOREM_8, *SUM_OF_BLOCKS, *THEOREM_10)
