"""Figures of where AAggFF's regret bounds fail, where they are vacuous, and how close an adversary comes to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from fltheory.model.case import Case
from fltheory.number import evaluate_to_precision, to_ball, to_float
from fltheory.papers.aaggff import bounds, notation
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_s
from fltheory.papers.aaggff.entropic.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.experiments.tables import OURS, DataSet
from fltheory.papers.aaggff.instances.games import FairCoin, complement, horse_race, three_phase, two_phase, vertex
from fltheory.papers.aaggff.losses.bounds import ROOT_LOW
from fltheory.papers.aaggff.newton.claims.newton import REGRET, coin_regret
from fltheory.papers.aaggff.newton.figures.runs import (
    NOTE_EXACT,
    NOTE_FLOATS,
    bound_value,
    case_with_tuning,
    in_window,
    positive_part,
    printed_case,
    regret,
    regret_enclosure,
    trivial_bound,
)
from fltheory.papers.aaggff.transforms.claims.ranges import DEVICES, SILOS
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.problems.responses import ResponseTable
from fltheory.search.adversary import HardestGame, hardest_game

# Failure of Theorem 5.1 -----------------------------------------------------------------------------------------------

RANGES = tuple(Fraction(v, 200) for v in (10, 20, 30, 40, 45, 50, 54, 56, 58, 60, 64))  # C2
TURNS = ((1000, "second"), (10_000, "reference 3"), (100_000, "reference 4"))
PUSHES = (  # rounds of the middle phase, the small response, the smallest C2 in the figure
    (1000, "1/20", "1/10", "reference"),
    (3000, "1/50", "1/20", "first"),
    (12_000, "1/100", "1/4", "measured"),
)
SILO_ROUNDS = (50, 100, 200, 500, 1000, 2000)
COINS = ("1/10", "1/100", "1/1000", "1/10000")


def _bound_ratio(game: ResponseTable, play: Callable[..., float]) -> float:
    case = printed_case(game)
    return play(aaggff_s, case) / bound_value(bounds.T51, case)


def _range_panel() -> Panel:
    """Plot two clients: I2 and I12 by C2."""
    x = [float(v) for v in RANGES]
    lines = [
        Curve(
            f"two phases (I2), $T=10^{round(math.log10(rounds))}$",
            x,
            positive_part([_bound_ratio(two_phase(rounds, c), regret_enclosure) for c in RANGES]),
            style,
            note=NOTE_EXACT,
            tag=f"I2, $10^{round(math.log10(rounds))}$",
        )
        for rounds, style in TURNS
    ]
    for middle, small, least, style in track(PUSHES):
        fit = [c for c in RANGES if Fraction(least) <= c < ROOT_LOW]
        values = [_bound_ratio(three_phase(2, c, middle, small), regret_enclosure) for c in fit]
        label = rf"three phases (I12), $n_B={middle}$, $\varepsilon={float(Fraction(small)):g}$"
        lines.append(
            Curve(label, [float(c) for c in fit], positive_part(values), style, note=NOTE_EXACT, tag=f"I12, {middle}")
        )
    at = float(ROOT_LOW)
    edge = Curve(f"threshold $C_2={at:.5f}$: from here on it holds", [at, at], [0.1, 300], "trivial", tag="threshold")
    one = Curve("the bound", [x[0], x[-1]], [1, 1], "bound", tag="bound")
    return Panel(
        "two clients",
        "largest response $C_2$",
        "regret / bound",
        (*lines, edge, one),
        x_scale="linear",
        y_limits=(0.1, 300),
    )


def _paper_range_panel() -> Panel:
    """Plot I3 with C2 = 1/K over the rounds, with the paper's own numbers of clients and rounds."""
    curves = [
        Curve(
            f"$K={k}$, $C_2=1/{k}$ (I3)",
            SILO_ROUNDS,
            [_bound_ratio(complement(k, t), regret) for t in SILO_ROUNDS],
            style,
            note=NOTE_FLOATS,
            tag=f"$K={k}$",
        )
        for k, style in ((4, "second"), (5, "reference 3"), (7, "reference 4"), (11, "first"))
    ]
    rounds = [_rounds(case) for case in SILOS]
    values = [_bound_ratio(complement(_clients(case), t), regret) for case, t in zip(SILOS, rounds, strict=True)]
    curves.append(Curve("the paper's $K$ and $T$", rounds, values, "outside", note=NOTE_FLOATS))
    curves.append(Curve("the bound", [SILO_ROUNDS[0], SILO_ROUNDS[-1]], [1, 1], "bound", tag="bound"))
    return Panel(
        "the paper's range, two phases",
        "rounds $T$",
        "",
        tuple(curves),
        y_scale="linear",
        y_limits=(0, None),
        x_ticks=(50, 100, 200, 500, 2000),
    )


def _lower_limit_panel() -> Panel:
    """Plot I4 by the rounds: a lower bound for every learner."""
    rounds = [2 * round(10 ** float(e) / 2) for e in np.arange(2, 9.1, 0.5)]
    curves = []
    for high, style in track(zip(COINS, ("second", "reference 3", "reference 4", "first"), strict=True)):
        cases = [Case(FairCoin(t, high)) for t in rounds]
        values = positive_part([_coin_ratio(case) / bound_value(bounds.T51, case) for case in cases])
        seen = np.isfinite(values)
        curves.append(
            Curve(
                f"fair coin (I4), $C_2={high}$",
                np.array(rounds)[seen],
                values[seen],
                style,
                note=NOTE_EXACT,
                tag=f"$C_2={high}$",
            )
        )
    curves.append(Curve("the bound", [rounds[0], rounds[-1]], [1, 1], "bound", tag="bound"))
    return Panel("no learner does better", "rounds $T$", "least regret / bound", tuple(curves), y_limits=(0.1, 300))


def _coin_ratio(case: Case) -> float:
    return to_float(
        evaluate_to_precision(
            lambda: coin_regret(int(case.constants[notation.T]), to_ball(case.constants[notation.C2]))
        )
    )


@headline("Theorem 5.1 is false where the range of responses is small")
def threshold() -> Picture:
    """Plot where Theorem 5.1 as printed is false, in theory and in the paper's own range."""
    left, middle, right = _range_panel(), _paper_range_panel(), _lower_limit_panel()
    own = max(middle.curves[4].y)
    breaking = [c for c in middle.curves[:4] if max(c.y) > 1]
    by = {c.tag: next(t for t, v in zip(c.x, c.y, strict=True) if v > 1) for c in breaking}
    most = max(float(np.nanmax(c.y)) for c in right.curves)
    breaks = ", ".join(f"$T={t}$ ({k})" for k, t in by.items())
    return Picture(
        fill(
            f"Theorem 5.1 is false below $C_2={float(ROOT_LOW):.4f}$. In the paper's range two phases exceed it by {breaks}; at "
            f"the paper's own $K$ and $T$ they reach {own:.2f} of it. In narrow ranges every learner exceeds it, up to {most:.0f} "
            "times",
            TITLE,
        ),
        (left, middle, right),
        columns=3,
        width=PAGE,
        row_height=3.3,
        legend_columns=3,
        caption=fill(
            "AAggFF-S with the printed $\\alpha$, $\\beta$; $C_1=0$. Left: two phases (I2) over so many rounds; three "
            "phases (I12), the "
            "middle one of so many rounds, with a small response of 0.05, 0.02, 0.01; from the threshold on the theorem holds. "
            "Middle: two phases (I3), $C_2=1/K$; circles: the paper's $K$ and $T$. Right: I4, a fair coin: a lower bound on the "
            "expected regret of any learner, which is no longer positive for long games. Values below the axes, negative ones "
            "too, are not shown."
        ),
    )


# Bounds at the paper's sizes --------------------------------------------------------------------------------------------

MARGIN = 1.5
MARKS = ("bound", "bound 2", "reference 3", "lower", "measured")
OTHER_MARKS = ("bound", "reference 2", "outside", "lower", "measured")  # as printed, the best, and a regret


def _tightest(game: ResponseTable) -> float:
    """Return the strengthened Theorem 5.1 at the largest beta of the window and the best alpha."""
    own = dict(in_window(game).constants)

    def value(exponent: float) -> float:
        return to_float(bounds.T51_SHARP.ball({**own, notation.alpha: Fraction(math.exp(exponent))}))

    found = minimize_scalar(value, bounds=(-12, 5), method="bounded")
    return float(found.fun)


def _data_set_labels(cases: Sequence[Case]) -> tuple[tuple[float, float, str], ...]:
    """Return the positions of the names of the data sets, as fractions of the logarithmic axis."""
    names = {int(DataSet(name).sizes[0]): name for name in OURS}
    chosen = [_clients(case) for case in cases]
    low, high = math.log(min(chosen) / MARGIN / 1.08), math.log(max(chosen) * MARGIN * 1.08)
    return tuple(((math.log(k) - low) / (high - low) + 0.0088 * len(names[k]), 0.89, names[k]) for k in chosen)


def _clients(case: Case) -> int:
    return int(case.constants[notation.K])


def _rounds(case: Case) -> int:
    return int(case.constants[notation.T])


def _silo_ratios(case: Case) -> dict[str, float]:
    """Return bounds and a regret of AAggFF-S at the sizes of a data set, relative to the trivial bound."""
    game = complement(_clients(case), _rounds(case))
    known, window = trivial_bound(printed_case(game)), in_window(game)
    found = {
        "Theorem 5.1, as printed": bound_value(bounds.T51, printed_case(game)),
        r"corrected: $\beta<\beta^\star(V)$": bound_value(bounds.T51_GENERAL, window),
        r"strengthened: $\beta<\beta^\star(V)$": bound_value(bounds.T51_SHARP, window),
        r"the same, best $\alpha$": _tightest(game),
        "regret on two phases (I3), as printed": regret(aaggff_s, printed_case(game)),
    }
    return {label: value / known for label, value in found.items()}


def _device_ratios(case: Case) -> dict[str, float]:
    """Return the same for AAggFF-D with five clients a round."""
    sizes: Any = case.instance
    share = Fraction(sizes.n_participating, sizes.n_clients)
    game = vertex(sizes.n_clients, sizes.n_rounds, share, n_participating=sizes.n_participating)
    own = case_with_tuning(game, PRINTED_STEP)
    known = trivial_bound(own)
    runs = REGRET.simulate(aaggff_d, own, 0, np.arange(4))
    found = {
        "Corollary 5.3, as printed (false), constant 2": bound_value(bounds.C53, own),
        r"path by path, linearised losses: $2\breve L\sqrt{T\,\log\,K}$": bound_value(bounds.P1, own),
        r"the same with the half-span": bound_value(bounds.P1_SHARP, own),
        "with a fixed reference, the best": bound_value(bounds.P2_BEST, own),
        "regret on one good client (I1), Algorithm 3": float(runs.mean()),
    }
    return {label: value / known for label, value in found.items()}


@headline("At the paper's sizes the bounds of AAggFF-D are vacuous")
def sizes() -> Picture:
    """Plot the bounds at the six data sets' numbers of clients and rounds."""
    panels: list[Panel] = []
    for cases, measured, title in (
        (SILOS, _silo_ratios, "AAggFF-S, $C_2=1/K$, all clients"),
        (DEVICES, _device_ratios, "AAggFF-D, $C_2=C=5/K$, five clients a round"),
    ):
        rows = {_clients(case): measured(case) for case in cases}
        ends = [min(rows) / MARGIN, max(rows) * MARGIN]
        curves = [
            Curve(label, [k], [row[label]], style)
            for k, row in rows.items()
            for label, style in zip(row, MARKS if measured is _silo_ratios else OTHER_MARKS, strict=True)
        ]
        line = Curve(r"trivial bound $T\,\log(1+C_2)$: bounds above it are vacuous", ends, [1, 1], "trivial")
        limits = (0.08, 4) if measured is _silo_ratios else (0.05, 8000)
        panels.append(
            Panel(
                title,
                "clients $K$",
                "over the trivial bound" if not panels else "",
                (*curves, line),
                y_limits=limits,
                notes=_data_set_labels(cases),
            )
        )
    silo, device = ([c for c in panel.curves if len(c.x) == 1] for panel in panels)
    true = [c.y[0] for c in silo if c.label.startswith(("corrected", "strengthened", "the same"))]
    vacuous = [c.y[0] for c in device if not c.label.startswith(("Corollary", "regret"))]
    lost = [c.y[0] for c in device if c.label.startswith("regret")]
    return Picture(
        f"At the paper's sizes the true bounds of AAggFF-S are {min(true):.2f} to {max(true):.2f} of the trivial bound,\n"
        f"those of AAggFF-D {min(vacuous):.0f} to {max(vacuous):.0f} times as much; one good client costs Algorithm 3 at least "
        f"{min(lost):.1%} of it",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=3.3,
        legend_columns=2,
        caption="$C_1=0$. AAggFF-S with the printed $\\alpha=4KL_\\infty$ unless stated otherwise.",
    )


# An adversary that searches ---------------------------------------------------------------------------------------------

CLIENTS = (2, 3, 5, 10)
LENGTHS = (20, 60, 180)
ROUNDS = 60
NEAR = {"learner_regularisation": "1/2", "learner_curvature": "3/5"}
GAMES = 200  # number of games tried
ATTACK_TARGETS: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("aaggff/T5.1-window@corrected", "Theorem 5.1, as printed", {}, "bound"),
    ("aaggff/T5.1@strengthened", r"Theorem 5.1, strengthened: $\alpha=1/2$, $\beta=3/5$", NEAR, "bound 2"),
    ("aaggff/T5.2@printed", "Theorem 5.2, as printed", {}, "second"),
    ("aaggff/T5.2-half@strengthened", "Theorem 5.2, strengthened: rate for $H$", {}, "first"),
)


def _find_hardest_game(k: int, rounds: int, claim: str, settings: dict[str, Any]) -> HardestGame:
    known = [Case(game, **settings) for game in (horse_race(k, rounds), vertex(k, rounds), complement(k, rounds, 1))]
    found = hardest_game(claim, k, rounds, settings=settings, max_games=GAMES, looking=False, start=known)
    return found


@headline("A search for hard games comes near the strengthened bounds")
def adversary() -> Picture:
    """Plot the largest ratio of regret to bound that a search among games finds."""
    one = Curve("the bound", [], [], "trivial")
    panels: list[Panel] = []
    for title, axis, x, pairs in (
        (f"$T={ROUNDS}$", "clients $K$", CLIENTS, [(k, ROUNDS) for k in CLIENTS]),
        ("$K=2$", "rounds $T$", LENGTHS, [(2, t) for t in LENGTHS]),
    ):
        curves = []
        for claim, label, settings, style in track(ATTACK_TARGETS):
            found = [_find_hardest_game(k, t, claim, settings) for k, t in track(pairs)]
            evidence = " or ".join(sorted({str(game.verdict.evidence) for game in found}))
            curves.append(Curve(label, x, [game.ratio for game in found], style, note=evidence))
        bound_ = replace(one, x=[x[0], x[-1]], y=[1, 1])
        panels.append(
            Panel(
                title, axis, "" if panels else "regret / bound", (*curves, bound_), y_scale="linear", y_limits=(0, 1.05)
            )
        )
    tops = [max(max(panel.curves[i].y) for panel in panels) for i in range(len(ATTACK_TARGETS))]
    return Picture(
        f"A search for hard games reaches {tops[1]:.2f} of the strengthened Theorem 5.1 and {tops[3]:.2f} of the strengthened "
        f"Theorem 5.2;\nof the printed ones {tops[0]:.2f} and {tops[2]:.2f}",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=2,
        caption=f"$C_1=0$, $C_2=1$; about {GAMES} games for each point, I1, I3 and I7 among them; "
        "the hardest one is checked in interval arithmetic.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"threshold": threshold, "sizes": sizes, "adversary": adversary}
