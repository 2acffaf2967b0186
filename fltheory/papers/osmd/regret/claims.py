"""Dynamic regret of the OSMD sampler (Section 5): Proposition 13, Theorem 6 and Corollary 7."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from sympy import Eq, log, sqrt

from fltheory.claims.claim import Claim
from fltheory.claims.statement import Constants, corrected, explicit, formula_measure, quantity, requires, strict
from fltheory.games.dynamic_regret import DynamicRegret, PathRegret
from fltheory.games.round_checks import dependence_on_plays
from fltheory.model.case import Case, RangedGame
from fltheory.model.schema import lazy_strategy, one_of
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.conditions import LATE
from fltheory.papers.osmd.instances.games import FeedbackTable, Schedule
from fltheory.papers.osmd.instances.random_feedback import KINDS, RandomFeedback
from fltheory.papers.osmd.notation import A, K, Lq, M, T, alpha, beta, eta, phi, psi
from fltheory.papers.osmd.paper import PAPER
from fltheory.papers.osmd.regret.cases import Foreseen, Reacting
from fltheory.papers.osmd.sampling import closed_forms as law
from fltheory.runs.measures import GRADIENT_SQUARED

REGRET, PATH = DynamicRegret(), PathRegret()


def _below_the_floor(game: Any, c: Constants) -> str | None:
    """Return why the comparator is off the floored simplex, or None; tables are decided in rationals."""
    table = game.comparator if isinstance(game, Schedule) else "best"
    if not isinstance(table, str):
        floor = Fraction(game.floor) / game.n_clients
        inside = all(v >= floor for row in table for v in row)
    else:
        inside = table != "best" or c.projection_distance == 0
    return None if inside else "the comparator is below the floor"


WITHIN = requires("a comparator in the floored simplex", _below_the_floor)
GAME = requires("a game with fixed feedback",
    lambda game, c: dependence_on_plays(game) if isinstance(game, RangedGame) else "it is not a game")


@lazy_strategy
def games() -> Any:
    """Draw tables of a few rounds."""
    from fltheory.papers.osmd.regret.families import games

    return games


# Games with few sample paths, at floors where the bounds become non-trivial after a few rounds ---------------------

HEAVY = FeedbackTable(((1, 0),), 1, "9/10", "fixed", repeat=12)
TWICE = FeedbackTable(((2, 0),), 2, "9/10", "uniform", repeat=12)
TURNS = FeedbackTable(((1, 0), (0, 1)), 1, "9/10", "floored", repeat=10)
THREE = FeedbackTable(((1, 0, 0),), 1, "9/10", "fixed", repeat=32)
BOTH = FeedbackTable(((1, "1/2"), ("1/2", 2), (3, 1), (0, 0)), 2, "9/10", "floored", repeat=1)
GIVEN = FeedbackTable(((1, 0), (1, 1)), 1, "4/5", (("3/5", "2/5"), ("1/2", "1/2")), repeat=10)
LOW = FeedbackTable(((1, 0),), 1, "1/2", "fixed", repeat=30)
LONG = FeedbackTable(((1, 0),), 1, "1/2", "fixed", repeat=100)
ALONE = FeedbackTable(((1, 0),), 1, "9/10", "best", repeat=20)
MIXED = FeedbackTable(((1, 0), (0, 1)), 1, "9/10", "best", repeat=12)
BELOW = FeedbackTable(((1, 0),), 2, "4/5", (("9/10", "1/10"),), repeat=10)
NEAR = FeedbackTable(((1, 0),), 1, "9/10", (("111/200", "89/200"),), repeat=30)  # hardly below the floor
NEAR_TURNS = FeedbackTable(((1, 0), (0, 1)), 1, "9/10", (("111/200", "89/200"), ("89/200", "111/200")), repeat=25)


def _at(game: Schedule, rate: object) -> Case:
    return Case(game, sampler_rate=rate)


INSIDE = (_at(HEAVY, "3/100"), _at(TWICE, "1/25"), _at(THREE, "1/140"), _at(TURNS, "1/20"))
CLOSE = (*INSIDE[:2], _at(NEAR, "3/100"), _at(NEAR_TURNS, "3/100"))  # the printed Theorem 6 charges psi/eta
ANYWHERE = (*CLOSE, _at(ALONE, "3/100"), _at(MIXED, "1/20"), _at(BELOW, "1/10"))
TUNED = tuple(Case(game) for game in (HEAVY, TWICE, THREE, TURNS, GIVEN, LOW))
# Many clients: too many sample paths, so that the regret is simulated.
CROWD = RandomFeedback("lognormal", 10, 250, n_sampled=5, floor="9/10")
CROWD_BEST = RandomFeedback("heavy", 10, 250, n_sampled=5, floor="9/10", comparator="best")

# Comparators that move so much, or lie so low, that the bounds are vacuous at these numbers of rounds.
COSTLY = {"rotating": ("best",), "decaying": ("floored", "best"), "pareto": ("floored", "best")}


def _crowds(comparators: tuple[str, ...], rounds: int, floor: object = "9/10") -> tuple[RandomFeedback, ...]:
    return tuple(
        RandomFeedback(kind, 10, rounds, seed, 5, floor, comparator)
        for seed, kind in enumerate(KINDS)
        for comparator in comparators
        if comparator not in COSTLY.get(kind, ())
    )


def _many(comparators: tuple[str, ...]) -> tuple[Case, ...]:
    """Return random schedules, each at a rate near that of Corollary 7 for a fixed comparator."""
    found = []
    for game in _crowds(comparators, 1000):
        own = game.constants
        size = 1000 * own[A] / (game.n_sampled * Fraction(game.floor) ** 3)
        found.append(_at(game, Fraction(1, 15) / size))
    return tuple(found)


def _more_within() -> tuple[Case, ...]:
    return _many(("uniform", "fixed"))


def _more_anywhere() -> tuple[Case, ...]:
    return _many(("fixed", "best"))


def _more_explicit() -> tuple[Case, ...]:
    return tuple(Case(game) for game in _crowds(("uniform", "fixed"), 1000))


def _more_tuned() -> tuple[Case, ...]:
    low = tuple(Case(game) for game in _crowds(("fixed",), 6000, "2/5"))
    return (*(Case(game) for game in _crowds(("uniform", "fixed", "floored"), 1000)), *low)


# Proposition 13 -------------------------------------------------------------------------------------------------------

_SHARPER = "log(M/α) TV instead of twice it, 1/8 instead of 1/2, D(q¹|uniform) instead of log M"
# Many small steps: the regret approaches D(q|uniform) over the rate.
SLOW = FeedbackTable(((1, 0),), 1, "9/10", "fixed", repeat=100)
SLOWER = FeedbackTable(((1, 0),), 1, "9/10", "fixed", repeat=600)
proposition_13 = PAPER.theorem("C-P13", "Proposition 13", REGRET, osmd, cases=INSIDE, assumptions=(GAME, WITHIN),
    family=games(inside=True))
path = replace(proposition_13, id="C-P13-path", measure=PATH)
P13 = (
    proposition_13.printed("Dynamic regret against comparators in the floored simplex, at every rate", bounds.P13,
        full_cases=_more_within),
    proposition_13.strengthened(f"The same with {_SHARPER}", bounds.P13_SHARP,
        cases=(*INSIDE, _at(SLOW, "1/1000"), _at(CROWD, "1/100000")), full_cases=_more_within, tightest=_at(SLOWER, "1/4000")),
    path.printed("(52): the regret on estimated losses along every path", bounds.P13, mode="surely"),
    path.strengthened(f"(52) with {_SHARPER}", bounds.P13_SHARP, mode="surely"),
)

# "q^t is allowed to be random" ----------------------------------------------------------------------------------------

ONE_DRAW = (
    Case(Foreseen((1, 4), (1, 1), ((1, 3), (3, 1)))),
    Case(Foreseen((2, 1, 0), (1, 2, 3), ((1, 1, 1), (1, 2, 1), (3, 1, 1)))),
)
UNAWARE = (Case(Foreseen((1, 4), (1, 3), ((1, 3),))), Case(Foreseen((2, 1, 0), (1, 2, 3), ((3, 1, 1),))))
unaware = requires("a comparator that doesn't know the draw",
    lambda one, c: None if len(set(one.rows)) == 1 else "its play depends on the draw of the round")


def estimated_over_true(one: Foreseen, c: Constants) -> Fraction:
    found = true = Fraction(0)
    for drawn, (chance, q) in enumerate(zip(one.p, one.rows, strict=True)):
        counts = [int(m == drawn) for m in range(len(q))]
        found += chance * law.estimated_loss([Fraction(a) for a in one.feedback], q, one.p, counts)
        true += chance * law.loss([Fraction(a) for a in one.feedback], q)
    return found / true


REACTING = (
    Case(Reacting(((1, 0), (0, 1)), ((11, 10), (10, 11)), "3/100", 12)),
    Case(Reacting(((2, 0), (1, 0)), ((1, 0), (20, 1)), "1/60", 11)),
)
FORESEEING = (
    Case(Reacting(((1, 0), (1, 0)), ((1, 0), (20, 1)), "3/100", 12, foresight=1)),
    Case(Reacting(((1, 2), (1, 2)), ((10, 11), (11, 10)), "1/60", 11, foresight=1)),
)
SHORT = one_of(1, 2, 3, 4)
REACTED = replace(bounds.P13, source=replace(bounds.P13.source, reading="explicit"))
predictable = requires("a comparator that knows past draws only",
    lambda one, c: "it knows the round's own" if one.foresight else None)
oblivious = requires("feedback that is fixed in advance",
    lambda one, c: None if len(set(one.feedback)) == 1 else "what clients answer depends on the draws")

RANDOM = (
    *PAPER.lemma("C-6-random", "Theorem 6", "E l̂(q; p) / E l(q), one draw a round", estimated_over_true).readings(
        strict("q^t may be random: then E l̂(q; p) = E l(q), also where q knows the draw of its own round",
            Eq(quantity, 1), counterexamples=ONE_DRAW,
            remark="The proofs take this of every random q^t; it needs that q^t and the draw are independent, given the past."),
        corrected("E l̂(q; p) = E l(q) where q knows nothing of the draw of its own round", Eq(quantity, 1),
            note="predictable comparators", cases=UNAWARE, assumptions=[unaware])),
    *PAPER.lemma("C-P13-past", "Proposition 13", "E Σ l_t(p̂_t) - Σ l_t(q_t), over all outcomes of the draws",
        lambda one, c: one.ends().regret, GRADIENT_SQUARED, T * M**2 * A / (K * alpha)).readings(
        explicit("Dynamic regret where clients and comparator react to past draws, with E TV and E Σ a_max²", REACTED,
            cases=REACTING, assumptions=[predictable], family=Reacting.drawn(rounds=SHORT, foresight=0)),
        explicit("With feedback fixed in advance the comparator may know the draws of its own round as well", REACTED,
            cases=FORESEEING, assumptions=[oblivious], family=Reacting.drawn(rounds=SHORT, foresight=1),
            remark="Some fixed comparator is at least as hard: losses and variation are averages over what it may know.",
            id="C-P13-foreseen")),
)

# Theorem 6 ------------------------------------------------------------------------------------------------------------

PROJECTION = 8 * log(M / alpha) / eta * psi + phi
_OUT = (_at(ALONE, "3/100"), _at(MIXED, 1), _at(BELOW, "1/10"), _at(LONG, 1))
theorem_6 = PAPER.theorem("C-T6", "Theorem 6", REGRET, osmd, assumptions=[GAME], family=games())
projection = PAPER.theorem("C-T6-projection", "text after Theorem 6",
    formula_measure("8 log(M/α)/η Σψ + Σφ l(q)", PROJECTION, GRADIENT_SQUARED), kind="lemma", assumptions=[GAME],
    family=games())
T6 = (
    theorem_6.printed("Dynamic regret against any comparator, at every rate", bounds.T6, cases=CLOSE,
        remark="The proof's last line has Σφ l(q), not 1/K of it; the statement is true even without this term."),
    theorem_6.strengthened(f"The same with {_SHARPER}, and Σ min(φ l(q), a (M/α)² ψ/K) for the projection",
        bounds.T6_SHARP, cases=(*ANYWHERE, _at(CROWD_BEST, "1/10000")), full_cases=_more_anywhere,
        tightest=_at(FeedbackTable(((1, 0),), 1, 1, (("101/200", "99/200"),)), "1/100000")),
    projection.printed("The projection error is at most 8Tα log(M/α)/η + (M/α) Σl(q)", bounds.T6_PROJECTION, cases=_OUT),
    projection.restated("C-T6-limit").explicit(
        "The projection error is at most 8Tα log(M/α)/η + α/(1 - α) Σl(q): it vanishes with α",
        quantity <= 8 * T * alpha * log(M / alpha) / eta + alpha / (1 - alpha) * Lq, given=[alpha < 1, M >= 2],
        cases=(*_OUT, _at(FeedbackTable(((1, 4),), 1, "1/1000000", "best"), 1))),
)

# Corollary 7 ----------------------------------------------------------------------------------------------------------

ONE_HEAVY = Case(FeedbackTable(((1, 0),), 1, "3/10", "fixed", repeat=1000))
# D(q^1|uniform) is at most (1 - alpha) log M on the floored simplex
START = (1 - alpha) * log(M) + beta * log(M / alpha)
corollary_7 = PAPER.theorem("C-C7", "Corollary 7 (21)", REGRET, osmd, cases=(*TUNED, Case(CROWD)), assumptions=(GAME, WITHIN),
    tuning=((eta, bounds.ETA),), family=games(inside=True, rated=False), full_cases=_more_tuned, tightest=ONE_HEAVY)
C7 = (
    corollary_7.printed(
        "Dynamic regret at the rate (20), as printed",
        bounds.C7,
        cases=TUNED,
        remark="Theorem 6 gives twice this; the printed constant is true by the second moments of the counts. "
        + LATE.format("9.0e5"),
    ),
    corollary_7.explicit("Dynamic regret at the rate (20), twice the printed bound, which Theorem 6 gives",
        bounds.C7_EXPLICIT, cases=tuple(c for c in TUNED if c.instance not in (TWICE, GIVEN, LOW)),
        full_cases=_more_explicit, remark=LATE.format("3.6e6")),
    corollary_7.strengthened("Dynamic regret at the rate (20), with second moments of the counts", bounds.C7_SHARP,
        remark=LATE.format("3.3e5")),
    corollary_7.restated("C-C7-tuned").strengthened("Dynamic regret at the rate tuned to the strengthened Theorem 6",
        bounds.C7_TUNED, tuning=((eta, bounds.ETA_TUNED),), remark=LATE.format("9.0e5")),
    corollary_7.restated("C-C7-tuned-start").strengthened("The same with (1 - α) log M for log M, in rate and bound",
        quantity <= bounds.Q * sqrt(T * START / 2), given=[*bounds.WITHIN, 1 - alpha + beta > 0], place="Corollary 7",
        note="at the rate that D(q^1) asks for", tuning=((eta, sqrt(8 * START / T) / bounds.Q),),
        remark=LATE.format("5.4e5")),
)

CLAIMS: tuple[Claim, ...] = (*P13, *RANDOM, *T6, *C7)
