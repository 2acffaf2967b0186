"""Figures of "Pursuing Overall Welfare in Federated Learning through Sequential Decision Making": learners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.games.learners import constant_learner, exponentiated_gradient, follow_the_leader, online_gradient_descent
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.papers.aaggff.algorithms import aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.instances.games import TransformedLosses, alternation, horse_race
from fltheory.papers.aaggff.newton.figures.others import PORTFOLIOS, adahedge, universal_portfolio
from fltheory.papers.aaggff.newton.figures.runs import (
    H_STEP,
    L_STEP,
    NOTE_FLOATS,
    case_with_tuning,
    in_window,
    positive_part,
    printed_case,
    regret,
    regret_path,
)
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture

Game = Callable[[int], Any]  # of the number of rounds
MANY = 10  # clients
T_AXIS, REGRET_AXIS = "rounds $T$", "regret (dimensionless)"


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


@headline("No learner has the least regret on every game")
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


PICTURES: dict[str, Callable[[], Picture]] = {"learners": learners}
