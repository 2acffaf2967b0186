"""Figures of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making": regret against its bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.games.learners import constant_learner, exponentiated_gradient, follow_the_leader, online_gradient_descent
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.number import Number
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.entropic.claims.entropic import STEP, rate_tuning
from fltheory.papers.aaggff.instances.games import TransformedLosses, alternation, coins, horse_race, two_phase, vertex
from fltheory.papers.aaggff.newton.figures.others import PORTFOLIOS, adahedge, universal_portfolio
from fltheory.papers.aaggff.newton.figures.runs import (
    H_STEP,
    L_STEP,
    NOTE_EXACT,
    NOTE_FLOATS,
    bound_value,
    case_with_tuning,
    in_window,
    positive_part,
    printed_case,
    regret,
    regret_enclosure,
    regret_path,
    trivial_bound,
)
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number

Game = Callable[[int], Any]  # of the number of rounds
ROUNDS = (100, 400, 1000, 4000, 10_000, 40_000, 100_000, 1_000_000)
LONG = 100_000
SHORT = (100, 200, 500, 1000, 2000)
MANY = 10  # clients


@dataclass(frozen=True)
class Family:
    """Games with any number of rounds, and the largest number that is played."""

    label: str
    style: str
    game: Game
    tag: str
    longest: int = LONG


def _pairs(high: Number | str) -> tuple[Family, ...]:
    """Return the families of games with two clients."""
    return (
        Family("one good client (I1)", "first", lambda t: vertex(2, t, high), "one good client"),
        Family(
            "two phases (I2)", "second", lambda t: two_phase(t, high), "two phases", LONG if high == 1 else ROUNDS[-1]
        ),
        Family(
            "alternation (I5)",
            "reference 3",
            lambda t: alternation(t, high),
            "alternation",
            ROUNDS[-1] if high == 1 else LONG,
        ),
        Family("horse race (I7)", "reference 4", lambda t: horse_race(2, t, high), "horse race"),
        Family("coins (I9)", "outside", lambda t: coins(2, t, high=high), "coins", 4000),
        Family(
            "log-normal losses through (8) (I11)",
            "reference",
            lambda t: TransformedLosses("normal", 2, t, high=high),
            "log-normal",
            4000,
        ),
    )


CROWD = (
    Family("one good client (I1)", "first", lambda t: vertex(MANY, t), "one good client"),
    Family("horse race (I7)", "reference 4", lambda t: horse_race(MANY, t), "horse race"),
    Family("coins (I9)", "outside", lambda t: coins(MANY, t), "coins"),
    Family(
        "log-normal losses through (8) (I11)", "reference", lambda t: TransformedLosses("normal", MANY, t), "log-normal"
    ),
)


def _pair_curves(high: Number | str, learner: Learner, tune: Callable[[Any], Case], exactly: bool) -> list[Curve]:
    play, note = (regret_enclosure, NOTE_EXACT) if exactly else (regret, NOTE_FLOATS)
    curves = []
    for family in track(_pairs(high)):
        rounds = [t for t in ROUNDS if t <= family.longest]
        values = positive_part([play(learner, tune(family.game(t))) for t in rounds])
        if np.isfinite(values).any():
            curves.append(Curve(family.label, rounds, values, family.style, note=note, tag=family.tag))
    return curves


def _bound_curves(
    rounds: Sequence[int], cases: Sequence[Case], lines: Sequence[tuple[str, Any, str, str]]
) -> list[Curve]:
    """Return curves of bounds and of the trivial bound."""
    drawn = [
        Curve(label, rounds, [bound_value(bound, case) for case in cases], style, tag=tag)
        for label, bound, style, tag in lines
    ]
    known = [trivial_bound(case) for case in cases]
    return [*drawn, Curve(r"trivial bound: $T\,\log(1+V)$", rounds, known, "trivial", tag="trivial bound")]


NEWTON = ("Theorem 5.1", bounds.T51, "bound", "Theorem 5.1")
NEWTON_SHARP = ("Theorem 5.1, strengthened", bounds.T51_SHARP, "bound 2", "strengthened")
ENTROPIC = ("Theorem 5.2", bounds.T52, "bound", "Theorem 5.2")
ENTROPIC_SHARP = ("Theorem 5.2, strengthened: same rate", bounds.T52_SHARP, "bound 2", "strengthened")
HALF = ("Theorem 5.2, strengthened: rate for $H$", bounds.T52_HALF, "reference 2", "sharp., rate for $H$")
T_AXIS, REGRET_AXIS = "rounds $T$", "regret (dimensionless)"
LITERAL = "alternation, Algorithm 3 to the letter"


def _pair_panels(high: Number | str, words: str) -> tuple[Panel, Panel]:
    """Plot two clients: AAggFF-S in balls, AAggFF-D in floats."""
    newton = _pair_curves(high, aaggff_s, printed_case, True)
    entropic = _pair_curves(high, aaggff_d_exact, lambda game: case_with_tuning(game, L_STEP), False)
    own = [printed_case(vertex(2, t, high)) for t in ROUNDS]
    if high == 1:
        above = _bound_curves(ROUNDS, own, (NEWTON, NEWTON_SHARP))
        literal = [regret(aaggff_d, case_with_tuning(alternation(t), rate_tuning(STEP))) for t in ROUNDS]
        entropic.append(
            Curve(
                LITERAL, ROUNDS, positive_part(literal), "measured", note=NOTE_FLOATS, tag="alternation,\nAlgorithm 3"
            )
        )
    else:
        repaired = [in_window(two_phase(t, high)) for t in ROUNDS[:5]]
        values = positive_part([regret_enclosure(aaggff_s, case) for case in repaired])
        newton.append(
            Curve(
                r"two phases, $\beta<\beta^\star(V)$",
                ROUNDS[:5],
                values,
                "third",
                note=NOTE_EXACT,
                tag=r"two phases, $\beta<\beta^\star$",
            )
        )
        sharp = [bound_value(bounds.T51_SHARP, in_window(vertex(2, t, high))) for t in ROUNDS]
        repair = Curve(
            r"Theorem 5.1, strengthened, $\beta<\beta^\star(V)$",
            ROUNDS,
            sharp,
            "reference 2",
            tag=r"strengthened, $\beta<\beta^\star$",
        )
        above = [*_bound_curves(ROUNDS, own, (NEWTON,)), repair]
    tuned_ = [case_with_tuning(vertex(2, t, high), L_STEP) for t in ROUNDS]
    also = _bound_curves(ROUNDS, tuned_, (ENTROPIC, ENTROPIC_SHARP, HALF))
    limits = (0.05, 3e4)
    return (
        Panel(f"AAggFF-S, {words}", T_AXIS, REGRET_AXIS, (*above, *newton), y_limits=limits),
        Panel(f"AAggFF-D, {words}", T_AXIS, "", (*also, *entropic), y_limits=limits),
    )


def _crowd_panels() -> tuple[Panel, Panel]:
    """Plot ten clients, in floats."""
    found = []
    for name, axis, learner, tune, lines in (
        ("S", REGRET_AXIS, aaggff_s, printed_case, (NEWTON, NEWTON_SHARP)),
        ("D", "", aaggff_d_exact, lambda game: case_with_tuning(game, L_STEP), (ENTROPIC, ENTROPIC_SHARP, HALF)),
    ):
        above = _bound_curves(SHORT, [tune(vertex(MANY, t)) for t in SHORT], lines)
        below = [
            Curve(
                f.label,
                SHORT,
                positive_part(regret_path(learner, tune(f.game(SHORT[-1])), SHORT)),
                f.style,
                note=NOTE_FLOATS,
                tag=f.tag,
            )
            for f in CROWD
        ]
        title = f"AAggFF-{name}, $K={MANY}$, $C_2=1$"
        found.append(Panel(title, T_AXIS, axis, (*above, *below), y_limits=(0.5, 3e3)))
    return found[0], found[1]


def regrets() -> Picture:
    """Plot the regret in every family of games with the bounds of both theorems, over the rounds."""
    panels = (*_pair_panels(1, "$K=2$, $C_2=1$"), *_pair_panels("1/10", "$K=2$, $C_2=0.1$"), *_crowd_panels())
    broken = next(c for c in panels[2].curves if c.label == "two phases (I2)")
    race = next(c for c in panels[0].curves if c.label.startswith("horse"))
    over = float(broken.y[-1]) / float(panels[2].curves[0].y[-1])
    tight = float(race.y[-1]) / bound_value(bounds.T51, printed_case(vertex(2, int(race.x[-1]))))
    return Picture(
        f"In the wide range both theorems hold, Theorem 5.1 within a factor of {1 / tight:.1f} on the horse race; at "
        f"$C_2=0.1$\nAAggFF-S has linear regret on two phases, {number(over)} times the bound at $T=10^6$. Algorithm 3's is "
        "linear, too",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.3,
        legend_columns=3,
        caption=fill(
            "Games: one good client (I1), two phases (I2), alternation (I5), horse race (I7), coins (I9), log-normal losses "
            "through (8) (I11). Trivial bound: $T\\,\\log(1+V)$. $C_1=0$; AAggFF-S at the printed $\\alpha$, $\\beta$, "
            "AAggFF-D with "
            "exact gradients and the rate for $L_\\infty$ unless stated otherwise; $\\beta<\\beta^\\star$: within "
            "the window of the "
            "curvature. Two clients of AAggFF-S: exact. Negative regrets and those below the axes are not shown."
        ),
    )


# Other learners ---------------------------------------------------------------------------------------------------------

POINTS = (20, 40, 100, 200, 400)
LEARNERS: tuple[tuple[str, Learner, Callable[[Any], Case], str, str], ...] = (
    ("AAggFF-S, $\\beta<\\beta^\\star(V)$", aaggff_s, in_window, "first", r"AAggFF-S, $\beta<\beta^\star$"),
    ("AAggFF-S, as printed", aaggff_s, printed_case, "outside", "AAggFF-S, printed"),
    (
        "AAggFF-D, rate for $L_\\infty$",
        aaggff_d_exact,
        lambda game: case_with_tuning(game, L_STEP),
        "second",
        r"AAggFF-D, $L_\infty$",
    ),
    (
        "AAggFF-D, rate for $H$",
        aaggff_d_exact,
        lambda game: case_with_tuning(game, H_STEP),
        "reference 3",
        "AAggFF-D, $H$",
    ),
    (
        "exponentiated gradient",
        exponentiated_gradient(),
        lambda game: case_with_tuning(game, H_STEP),
        "reference 2",
        "exp. gradient",
    ),
    (
        "online gradient descent",
        online_gradient_descent(),
        lambda game: case_with_tuning(game, L_STEP),
        "reference 4",
        "gradient descent",
    ),
    ("follow the leader", follow_the_leader(), lambda game: case_with_tuning(game, L_STEP), "reference", "leader"),
    ("AdaHedge", adahedge(), lambda game: case_with_tuning(game, L_STEP), "bound", "AdaHedge"),
    (
        "universal portfolio",
        universal_portfolio(),
        lambda game: case_with_tuning(game, L_STEP),
        "bound 2",
        "universal portfolio",
    ),
    ("uniform", constant_learner(), lambda game: case_with_tuning(game, L_STEP), "trivial", "uniform"),
)


def _learners_panel(title: str, game: Game, y_label: str, least: float | None = None) -> Panel:
    curves = []
    for label, learner, tune, style, tag in track(LEARNERS):
        if learner.name == "exponentiated gradient":  # its rate depends on T
            values = [regret(learner, tune(game(t))) for t in POINTS]
        else:
            values = regret_path(learner, tune(game(POINTS[-1])), POINTS)
        curves.append(Curve(label, POINTS, positive_part(values), style, note=NOTE_FLOATS, tag=tag))
    return Panel(title, T_AXIS, y_label, tuple(curves), y_limits=(least, None))


def learners() -> Picture:
    """Plot the paper's learners and standard ones."""
    wide, narrow = (
        (lambda t: TransformedLosses("normal", MANY, t)),
        (lambda t: TransformedLosses("normal", MANY, t, high="1/10")),
    )
    panels = (
        _learners_panel("alternation (I5), $K=2$, $C_2=1$", alternation, REGRET_AXIS, 0.05),
        _learners_panel(f"horse race (I7), $K={MANY}$, $C_2=1$", lambda t: horse_race(MANY, t), "", 0.1),
        _learners_panel(f"log-normal losses (I11), $K={MANY}$, $C_2=1$", wide, REGRET_AXIS),
        _learners_panel("the same, the paper's range $C_2=1/10$", narrow, ""),
    )
    ends = [{c.tag: float(c.y[-1]) for c in panel.curves if np.isfinite(c.y[-1])} for panel in panels]
    race, losses = ends[1], ends[2]
    best = [min(end, key=lambda tag, of=end: of[tag]) for end in ends]
    leader, ours = "leader", "AAggFF-S, printed"
    return Picture(
        fill(
            f"At $T={POINTS[-1]}$ the least regret has {best[0]} (alternation), {best[1]} (horse race), {best[2]} and {best[3]} "
            f"(log-normal); the leader's is {race[leader] / race[ours]:.1f} times AAggFF-S's on the horse race and "
            f"{losses[ours] / losses[leader]:.0f} times smaller on log-normal losses",
            TITLE,
        ),
        panels,
        columns=2,
        width=PAGE,
        row_height=2.2,
        legend_columns=3,
        caption=fill(
            "$C_1=0$, all clients take part, all learners move by exact gradients; the universal portfolio is the mean of "
            f"{PORTFOLIOS} drawn decisions. Negative regrets and those below the axes are not shown."
        ),
    )


PICTURES: dict[str, Callable[[], Picture]] = {"regrets": regrets, "learners": learners}
