"""Figure of the experiments of "Adaptive Client Sampling in Federated Learning", as in the text and as in the script.

Every run has its own data, shared by the compared samplers. The figure shows run-by-run ratios as geometric means with
confidence intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.paired_runs import CONFIDENCE, Ends, ends, ratio_curve, span, tally
from fltheory.papers.osmd.experiments.studies import DIGIT_SAMPLERS, FLOORS, READINGS, SAMPLERS, SPREADS
from fltheory.papers.osmd.experiments.training import History
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, DotPanel, Dots, Picture

LOSS, REGRET = "loss", "regret"
STYLES = {"text": "outside", "script": "bound"}
LABELS = {"text": "experiment as the text describes it", "script": "experiment as the authors' script runs it"}
SHIFT = {"text": -0.17, "script": 0.17}  # of a dot from the middle of its row
FLOOR = 0.9  # of Figure 3, whose other end is uniform sampling

Source = Callable[
    [float, str], tuple[History, int, int]
]  # by heterogeneity and reading: two methods, first over second


class Comparison(NamedTuple):
    """A comparison of two methods in a figure of the paper: a row for each heterogeneity."""

    name: str
    letter: str
    source: Source
    measures: tuple[str, ...] = (REGRET, LOSS)
    spreads: tuple[float, ...] = SPREADS


def _over(rival: str) -> Source:
    """Return Adaptive-OSMD over another sampler, Figures 1 and 2."""
    places = SAMPLERS.index("adaptive"), SAMPLERS.index(rival)
    return lambda spread, reading: (experiments.compare_samplers(spread, reading), *places)


def _floors(spread: float, reading: str) -> tuple[History, int, int]:
    return experiments.compare_floors(spread, reading), FLOORS.index(FLOOR), len(FLOORS) - 1


def _smoothness(spread: float, reading: str) -> tuple[History, int, int]:
    found = experiments.compare_step_sizes(spread, reading)
    ours, theirs = experiments.best_steps(found)
    return found, ours, theirs


def _digits(spread: float, reading: str) -> tuple[History, int, int]:
    return experiments.compare_digits(reading), DIGIT_SAMPLERS.index("adaptive"), DIGIT_SAMPLERS.index("uniform")


COMPARISONS = (
    Comparison("over uniform (Fig. 1)", r"\sigma", _over("uniform")),
    Comparison("over MABS (Fig. 2)", r"\sigma", _over("mabs")),
    Comparison("over VRB (Fig. 2)", r"\sigma", _over("vrb")),
    Comparison("over Avare (Fig. 2)", r"\sigma", _over("avare")),
    Comparison(rf"floor $\alpha={FLOOR}$ over uniform (Fig. 3)", r"\sigma", _floors),
    Comparison("over sampling by smoothness (Fig. 4)", r"\nu", _smoothness),
    Comparison("over uniform on digits (Fig. 6, loss only)", "", _digits, (LOSS,), (0,)),
    Comparison(
        "with over without replacement (Fig. 7)", r"\sigma", lambda s, r: (experiments.compare_replacement(s, r), 0, 1)
    ),
    Comparison(
        "SCAFFOLD, over uniform (Fig. 8, loss only)",
        r"\sigma",
        lambda s, r: (experiments.compare_scaffold(s, r), 1, 0),
        (LOSS,),
    ),
)


class Row(NamedTuple):
    """A row of the forest: a comparison at one heterogeneity, with its final ratio by measure and reading."""

    name: str
    comparison: str
    found: dict[tuple[str, str], Ends]


def final_ratio(source: Source, spread: float, measure: str, reading: str) -> Ends:
    """Return the final ratio of a measure, as geometric mean over the paired runs with its interval."""
    history, first, second = source(spread, reading)
    values = {LOSS: history.loss, REGRET: history.regret}[measure][1:]
    (found,) = ends([ratio_curve("", history.rounds[1:], values[:, first], values[:, second], "first")])
    return found


def forest_rows(comparisons: tuple[Comparison, ...] = COMPARISONS) -> Iterator[Row]:
    """Return all rows of the forest."""
    for one in track(comparisons):
        for i, spread in enumerate(track(one.spreads)):
            setting = rf"${one.letter}={spread:g}$" if one.letter else ""
            found = {(m, r): final_ratio(one.source, spread, m, r) for m in one.measures for r in READINGS}
            yield Row(f"{one.name}, {setting}".strip(", ") if i == 0 else setting, one.name, found)


def _setting(row: Row) -> str:
    """Return a comparison with its heterogeneity, if it has one."""
    last = row.name.rpartition(", ")[2] if row.name.endswith("$") else ""
    return f"{row.comparison}, {last}" if last else row.comparison


def _forest(rows: list[Row], measure: str, named: bool) -> DotPanel:
    """Return the panel of a measure."""
    dots = []
    for reading in READINGS:
        places = [i for i, row in enumerate(rows) if (measure, reading) in row.found]
        mean, low, high = np.array([rows[i].found[measure, reading] for i in places]).T
        names = tuple(_setting(rows[i]) for i in places)
        at = [place + SHIFT[reading] for place in places]
        dots.append(Dots(LABELS[reading], STYLES[reading], at, mean, low, high, names))
    return DotPanel(
        f"{measure} at the end", "ratio (dimensionless)", tuple(row.name for row in rows), tuple(dots), named=named
    )


def forest_picture(rows: list[Row]) -> Picture:
    """Return the forest plot of these rows."""
    panels = tuple(_forest(rows, measure, measure == REGRET) for measure in (REGRET, LOSS))
    words = []
    for measure in (REGRET, LOSS):
        for reading in READINGS:
            found = [row.found[measure, reading] for row in rows if (measure, reading) in row.found]
            words.append(f"{measure} ({reading}) {span(found)}, {tally(found)}")
    return Picture(
        f"Ratio of Adaptive-OSMD, the paper's sampler, to its rivals at the end; settings in which it is "
        f"smaller/larger/undecided at {CONFIDENCE:.0%}: {'; '.join(words)}",
        panels,
        columns=2,
        width=PAGE,
        row_height=5.2,
        legend_columns=2,
        caption=fill(
            "Left of the line Adaptive-OSMD (with replacement, with SCAFFOLD) is better. Rivals: uniform sampling, the bandit "
            "samplers MABS and VRB, and Avare, samplers of earlier papers; $\\sigma$, $\\nu$: the larger, the more the clients "
            "differ (in their features, in their smoothness); $\\alpha$: the least chance of a client is $\\alpha/M$. "
            "Dots: geometric means of paired runs "
            "with data, mini-batches and uniforms of their own (10 runs, digits 5); bars: 95% intervals (Student, of the "
            "logarithm). $M=100$ clients, $K=5$ drawn, $\\alpha=0.4$. The script differs from the text: its "
            "$s_m\\Sigma_{jj}$ is the standard "
            "deviation of the features, feedback comes from a batch's sum but $A_{\\max}$ from its mean, expert rates are $K/2$ "
            "times larger, a client drawn twice counts once, and its regret is that of the updated distribution, without $1/K$."
        ),
    )


@headline("Adaptive sampling lowers the regret in the authors' script, rarely in the paper's text")
def samplers() -> Picture:
    """Plot Figures 1 to 8 of the paper as one forest of ratios."""
    return forest_picture(list(forest_rows()))


PICTURES: dict[str, Callable[[], Picture]] = {"samplers": samplers}
