"""Figures on the proof of Theorem 5.2, step by step, and on Figure A1: the total cost of the distribution functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fltheory.games.hindsight import best_decision
from fltheory.games.losses import LOG_GROWTH
from fltheory.games.player import Learner
from fltheory.model.case import Case
from fltheory.number import to_float
from fltheory.papers.aaggff import bounds, notation
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.entropic.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.instances.games import TransformedLosses, horse_race, vertex
from fltheory.papers.aaggff.newton.figures.runs import (
    L_STEP,
    NOTE_FLOATS,
    bound_value,
    case_with_tuning,
    decisions,
    printed_case,
)
from fltheory.papers.aaggff.transforms.closed_forms import CDFS
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, BarPanel, Bars, Curve, Panel, Picture, number

LINKS = (
    "regret",
    "linearised regret",
    r"$\eta_T\,\log K+\sum|g_t|_\infty^2/(2\eta_t)$",
    r"$2L_\infty\sqrt{T\,\log K}$",
)
GAMES: tuple[tuple[str, Callable[[int, int], Any], str], ...] = (
    ("one good client (I1)", vertex, "first"),
    ("horse race (I7)", horse_race, "second"),
    ("log-normal losses through (8) (I11)", lambda k, t: TransformedLosses("normal", k, t), "third"),
)
SIZES = ((2, 10_000), (10, 2000))


def links(case: Case) -> tuple[float, ...]:
    """Return the terms of Regret <= sum <g, p - p*> <= eta_T log K + sum |g|^2 / (2 eta) <= 2 L sqrt(T log K)."""
    game, k, rounds = case.instance, to_float(case.constants[notation.K]), to_float(case.constants[notation.T])
    played, seen = decisions(aaggff_d_exact, case)[0], game.table[game.order]
    best, _ = best_decision(game.table, np.bincount(game.order, minlength=len(game.table)), LOG_GROWTH)
    gradient = -seen / (1 + (played * seen).sum(axis=1, keepdims=True))
    regret = (np.log1p(seen @ best) - np.log1p((played * seen).sum(axis=1))).sum()
    linear = (gradient * (played - best)).sum()
    rates = to_float(case.constants[notation.Ls]) * np.sqrt(np.arange(1, rounds + 1) / math.log(k))
    proof = rates[-1] * math.log(k) + (np.abs(gradient).max(axis=1) ** 2 / (2 * rates)).sum()
    return float(regret), float(linear), float(proof), bound_value(bounds.T52, case)


@headline("Theorem 5.2 loses most in the step from linear losses to FTRL")
def chain() -> Picture:
    """Plot how much each step of the proof of Theorem 5.2 loses."""
    found = [[links(case_with_tuning(game(k, t), L_STEP)) for _, game, _ in GAMES] for k, t in track(SIZES)]
    panels = tuple(
        BarPanel(
            f"$K={k}$, $T={t}$, $C_2=1$",
            "(dimensionless)",
            LINKS,
            tuple(Bars(label, row, style) for (label, _, style), row in zip(GAMES, rows, strict=True)),
            least=0.5,
            named=i == 0,
        )
        for i, ((k, t), rows) in enumerate(zip(SIZES, found, strict=True))
    )
    losses = [
        f"{number(min(r[i + 1] / r[i] for rows in found for r in rows))} to "
        f"{number(max(r[i + 1] / r[i] for rows in found for r in rows))}"
        for i in range(3)
    ]
    return Picture(
        fill(
            f"Theorem 5.2 link by link: linearising loses a factor of {losses[0]}, the bound of FTRL with the gradients that are "
            f"seen {losses[1]}, their ceiling and the sum over rounds {losses[2]}",
            TITLE,
        ),
        panels,
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=3,
        caption=r"AAggFF-D with exact gradients and $\eta_t=L_\infty\sqrt{t/\log K}$; each bar is at most the next one below.",
    )


# Figure A1 ------------------------------------------------------------------------------------------------------------

STYLES = ("first", "second", "third", "reference", "reference 2", "reference 3")
SEEDS, BASE = 5, "normal"


def _relative_cost(
    name: str, learner: Learner, tune: Callable[[Any], Case], k: int, rounds: int, some: int | None
) -> np.ndarray:
    """Return sum_i p_i F_i over the rounds so far, relative to uniform decisions, (games, rounds)."""
    found = []
    for seed in range(SEEDS):
        game = TransformedLosses(name, k, rounds, seed, high=f"1/{k}" if some is None else f"{some}/{k}")
        case = tune(game if some is None else game.adjusted("n_participating", some))
        played = decisions(learner, case)[0]
        found.append(np.cumsum((played * game.losses).sum(axis=1)) / np.cumsum(game.losses.mean(axis=1)))
    return np.array(found)


def _cost_panel(
    title: str, setting: tuple[Learner, Callable[[Any], Case], int, int, int | None], y_label: str
) -> tuple[Panel, float]:
    """Plot costs relative to the normal CDF in the same games; return its final cost relative to uniform decisions."""
    rounds = np.arange(1, setting[3] + 1)
    shown = np.unique(np.geomspace(1, setting[3], 40).round().astype(int)) - 1
    paid = {name: _relative_cost(name, *setting)[:, shown] for name in track(CDFS)}
    curves = []
    for name, style in zip(CDFS, STYLES, strict=True):
        values = paid[name] / paid[BASE]
        mean, error = values.mean(axis=0), 2 * values.std(axis=0, ddof=1) / np.sqrt(SEEDS)
        note = f"mean of {SEEDS} paired games, band of two standard errors, {NOTE_FLOATS}"
        label = name.capitalize()
        curves.append(Curve(label, rounds[shown], mean, style, mean - error, mean + error, note, tag=label))
    return Panel(title, "round $t$", y_label, tuple(curves), y_scale="linear"), float(paid[BASE][:, -1].mean())


@headline("The choice of distribution function moves the objective by a few percent")
def cumulative() -> Picture:
    """Plot the cumulative objective by distribution function, an analogue of Figure A1."""
    found = (
        _cost_panel("AAggFF-S, $K=7$, $C_2=1/7$", (aaggff_s, printed_case, 7, 100, None), "over the normal one's"),
        _cost_panel(
            "AAggFF-D, $K=200$, 5 a round",
            (aaggff_d, lambda game: case_with_tuning(game, PRINTED_STEP), 200, 300, 5),
            "",
        ),
    )
    words = []
    for panel, _ in found:
        end = {c.label: float(c.y[-1]) for c in panel.curves}
        low, high = min(end, key=lambda name, of=end: of[name]), max(end, key=lambda name, of=end: of[name])
        words.append(f"{end[low]:.3f} ({low}) to {end[high]:.3f} ({high})")
    return Picture(
        fill(
            f"At the end the cumulative objective over the normal distribution function's is {words[0]} for AAggFF-S and "
            f"{words[1]} for AAggFF-D",
            TITLE,
        ),
        tuple(panel for panel, _ in found),
        columns=2,
        width=PAGE,
        row_height=2.6,
        caption=fill(
            r"Figure A1 in spirit: $\sum_t\sum_iF_ip_i$ on log-normal losses (I11), which do not depend on what is decided, "
            f"instead of trained networks; means of {SEEDS} paired games, bands of two standard errors. The normal one's is "
            f"{found[0][1]:.2f} (left) and {found[1][1]:.3f} (right) times that of uniform decisions. Left the clients and "
            "rounds of Berka."
        ),
    )


PICTURES: dict[str, Callable[[], Picture]] = {"chain": chain, "cumulative": cumulative}
