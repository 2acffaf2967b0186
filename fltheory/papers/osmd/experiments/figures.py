"""Figures of "Adaptive Client Sampling in Federated Learning": its experiments as in the text and as in the script.

Every run has its own data, shared by the compared samplers. Figures show run-by-run ratios as geometric
means with confidence intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.datasets import client_sizes
from fltheory.papers.osmd.experiments.paired_runs import (
    CONFIDENCE,
    Ends,
    difference_curve,
    ends,
    ratio_curve,
    span,
    tally,
)
from fltheory.papers.osmd.experiments.studies import FLOORS, READINGS, SAMPLERS, SPREADS, STEP_SIZES
from fltheory.papers.osmd.experiments.training import History
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture

NAMES = {
    "uniform": "uniform",
    "adaptive": "Adaptive-OSMD",
    "optimal": "optimal (knows all feedback)",
    "mabs": "MABS",
    "vrb": "VRB",
    "avare": "Avare",
}
STYLES = ("first", "second", "reference 4", "bound", "reference 2")
LOSS, REGRET, EQUAL = "loss", "regret", "equal"
BANDS = f"; bands: {CONFIDENCE:.0%} confidence (Student, of the logarithm; each point by itself)"
RUNS_CAPTION = (
    "Ratios of {runs} paired runs, each pair with data, mini-batches and uniforms of its own: geometric means"
    f"{BANDS}. "
    r"$M=100$, $K=5$, $\alpha=0.4$."
)
FEATURES = "$s_m\\Sigma_{jj}$ is the standard deviation of the features, "
SCRIPT = (
    f"The script differs from the text: {FEATURES}feedback comes from a "
    "batch's sum but $A_{\\max}$ from its mean, expert rates are $K/2$ times larger, a client drawn twice counts once in a "
    "step, and the regret is that of the updated distribution, without $1/K$."
)
SECTION_7 = f"{RUNS_CAPTION.format(runs=10)} {SCRIPT}"

HistorySource = Callable[[float, str], History]


@dataclass(frozen=True)
class Pair:
    """Two methods of a history by index: the first is divided by the second."""

    first: int
    second: int
    label: str
    style: str = "first"
    tag: str = ""
    banded: bool = True


Pairs = Callable[[float, str], Sequence[Pair]]


def _ratio_panel(found: History, what: str, pairs: Sequence[Pair], title: str, y_label: str) -> Panel:
    """Return a panel of ratios over the rounds, without the start, where regrets are 0 and losses are equal."""
    values, rounds = {LOSS: found.loss, REGRET: found.regret}[what][1:], found.rounds[1:]
    curves = [ratio_curve(p.label, rounds, values[:, p.first], values[:, p.second], p.style, p.tag) for p in pairs]
    curves = [c if p.banded else replace(c, low=None, high=None) for c, p in zip(curves, pairs, strict=True)]
    one = Curve(EQUAL, rounds[[0, -1]], [1, 1], "trivial")
    return Panel(title, "round", y_label, (one, *curves), x_scale="linear")


def _grid(found: HistorySource, pairs: Pairs, letter: str, y_label: str) -> tuple[Panel, ...]:
    """Return a grid with a row for each heterogeneity: loss and regret, each in both readings."""
    panels = []
    for spread in track(SPREADS):
        for what in (LOSS, REGRET):
            for reading in READINGS:
                title = rf"{what} ({reading}), ${letter}={spread:g}$"
                label = y_label if (what, reading) == (LOSS, "text") else ""
                panel = _ratio_panel(found(spread, reading), what, pairs(spread, reading), title, label)
                panels.append(panel if spread == SPREADS[-1] else replace(panel, x_label=""))
    return tuple(panels)


def _ends(panels: Iterable[Panel], what: str, reading: str = "", label: str = "") -> list[Ends]:
    """Return the final ratios in the panels of a measure, for one reading and for one curve or all."""
    chosen = [p for p in panels if p.title.startswith(what) and reading in p.title]
    return ends(c for p in chosen for c in p.curves if c.label != EQUAL and label in c.label)


def _text_of_readings(panels: Sequence[Panel], what: str, of: Callable[[list[Ends]], str]) -> str:
    """Return the words of ``of`` about the final ratios in both readings, the text's first."""
    return "; ".join(of(_ends(panels, what, reading)) for reading in READINGS)


def _ratios_text(panels: Sequence[Panel], who: str, letter: str, whats: Sequence[str] = (REGRET, LOSS)) -> str:
    """Return in words the final ratios, and how many are significantly below 1, above 1, or neither."""
    spans = ", ".join(f"{what} {_text_of_readings(panels, what, span)}" for what in whats)
    tallies = ", ".join(f"{what} {_text_of_readings(panels, what, tally)}" for what in whats)
    return (
        f"{who} at the end ({'; '.join(READINGS)}): {spans};\n"
        f"smaller/larger/undecided at {CONFIDENCE:.0%} for {len(SPREADS)} ${letter}$: {tallies}"
    )


def _page(title: str, panels: tuple[Panel, ...], caption: str, columns: int = 4) -> Picture:
    return Picture(
        fill(title, TITLE), panels, columns=columns, width=PAGE, row_height=1.5, legend_columns=4, caption=fill(caption)
    )


def against_uniform() -> Picture:
    """Plot Figure 1."""
    place = SAMPLERS.index
    pair = Pair(place("adaptive"), place("uniform"), "Adaptive-OSMD over uniform")
    panels = _grid(experiments.compare_samplers, lambda s, r: (pair,), r"\sigma", "over uniform")
    return _page(
        _ratios_text(panels, "Adaptive-OSMD over uniform", r"\sigma"),
        panels,
        "The paper's Figure 1, as ratios: below 1 Adaptive-OSMD is better. " + SECTION_7,
    )


RIVALS = (("mabs", "bound", "MABS"), ("vrb", "reference 2", "VRB"), ("avare", "reference 4", "Avare"))


def against_bandits() -> Picture:
    """Plot Figure 2."""
    place = SAMPLERS.index
    pairs = [Pair(place("adaptive"), place(n), f"Adaptive-OSMD over {name}", style, name) for n, style, name in RIVALS]
    panels = _grid(experiments.compare_samplers, lambda s, r: pairs, r"\sigma", "Adaptive-OSMD over")
    found = [(name, _ends(panels, REGRET, label=f"over {name}")) for _, _, name in RIVALS]
    words = ", ".join(f"{name} {span(of)}" for name, of in found)
    tallies = ", ".join(f"{name} {tally(of)}" for name, of in found)
    return _page(
        f"Adaptive-OSMD's regret at the end over that of {words};\n"
        f"smaller/larger/undecided at {CONFIDENCE:.0%} in the {len(found[0][1])} settings: {tallies}",
        panels,
        "The paper's Figure 2, as ratios: below 1 Adaptive-OSMD is better. " + SECTION_7,
    )


def floors() -> Picture:
    """Plot Figure 3."""
    found: HistorySource = experiments.compare_floors
    last = len(FLOORS) - 1  # alpha = 1: uniform
    pairs = [
        Pair(i, last, rf"$\alpha={FLOORS[i]:g}$ over uniform ($\alpha=1$)", style, f"{FLOORS[i]:g}", banded=False)
        for i, style in zip(range(last), STYLES, strict=True)
    ]
    panels = _grid(found, lambda s, r: pairs, r"\sigma", r"over uniform ($\alpha=1$)")
    best = []
    for reading in READINGS:
        least = [np.log(found(s, reading).regret[-1]).mean(axis=1).argmin() for s in SPREADS]
        best.append(f"{', '.join(f'{FLOORS[i]:g}' for i in least)} ({reading})")
    return _page(
        f"The floor with the least regret at $\\sigma=1,3,10$: $\\alpha=$ {' and '.join(best)}; at the end\nthe regret of "
        f"$\\alpha<1$ is {' and '.join(f'{span(_ends(panels, REGRET, r))} ({r})' for r in READINGS)} times that of uniform",
        panels,
        "The paper's Figure 3 as ratios: Adaptive-OSMD with the floor next to the line over uniform sampling; "
        "no bands, they overlap. " + SECTION_7.replace(BANDS, "").replace(r", $\alpha=0.4$", ""),
    )


def against_smoothness() -> Picture:
    """Plot Figure 4."""
    found: HistorySource = experiments.compare_step_sizes

    def pairs(spread: float, reading: str) -> list[Pair]:
        best = experiments.best_steps(found(spread, reading))
        return [Pair(best[0], best[1], "Adaptive-OSMD over importance sampling by smoothness, each at its best step")]

    steps = []
    for reading in READINGS:
        best = [experiments.best_steps(found(s, reading)) for s in SPREADS]
        each = [f"{STEP_SIZES[i]:g}/{STEP_SIZES[j - len(STEP_SIZES)]:g}" for i, j in best]
        steps.append(f"{', '.join(each)} ({reading})")
    panels = _grid(found, pairs, r"\nu", "over by smoothness")
    return _page(
        _ratios_text(panels, "Adaptive-OSMD over sampling by smoothness", r"\nu"),
        panels,
        "The paper's Figure 4, as ratios; each client's data have one coordinate. Step sizes with the least mean logarithm of the "
        f"loss (Adaptive-OSMD/by smoothness): {' and '.join(steps)}. " + SECTION_7.replace(FEATURES, ""),
    )


def replacement() -> Picture:
    """Plot Figure 7."""
    pair = Pair(0, 1, "Adaptive-OSMD: with replacement over without (Algorithm 7)")
    panels = _grid(experiments.compare_replacement, lambda s, r: (pair,), r"\sigma", "with over without")
    return _page(
        _ratios_text(panels, "With replacement over without", r"\sigma"),
        panels,
        "The paper's Figure 7, as ratios: below 1 drawing with replacement is better. " + SECTION_7,
    )


def scaffold() -> Picture:
    """Plot Figure 8."""
    pair = Pair(1, 0, r"SCAFFOLD: OSMD, $\eta=10^{-3}$, over uniform")
    panels = tuple(
        _ratio_panel(
            experiments.compare_scaffold(s, r),
            LOSS,
            (pair,),
            rf"loss ({r}), $\sigma={s:g}$",
            "over uniform" if s == SPREADS[0] else "",
        )
        for r in track(READINGS)
        for s in SPREADS
    )
    plans = [experiments.SCAFFOLD[r] for r in READINGS]
    sizes = "; ".join(
        f"{r}: {p.n_local_steps} local steps of {p.local_step_size:g}, server {p.step_size:g}"
        for r, p in zip(READINGS, plans, strict=True)
    )
    return _page(
        _ratios_text(panels, "SCAFFOLD, OSMD over uniform,", r"\sigma", (LOSS,)),
        panels,
        f"The paper's Figure 8, as ratios ({sizes}; the paper doesn't print them). "
        + RUNS_CAPTION.format(runs=10)
        + " In the script $s_m\\Sigma_{jj}$ is the standard deviation of the features, and a client drawn twice counts once.",
        columns=3,
    )


def digits() -> Picture:
    """Plot variants of Figures 5 and 6."""
    names = experiments.DIGIT_SAMPLERS
    base = names.index("uniform")
    chosen = [(n, NAMES[n], style) for n, style in (("adaptive", "first"), *((n, style) for n, style, _ in RIVALS))]
    pairs = [Pair(names.index(n), base, f"{name} over uniform", style) for n, name, style in chosen]
    panels = [
        Panel(
            "samples of the clients",
            "client",
            "training samples",
            (Curve("clients", np.arange(1, 101), np.sort(client_sizes(100))[::-1], "reference", step=True),),
            x_scale="linear",
        )
    ]
    for reading in track(READINGS):
        found = experiments.compare_digits(reading)
        assert found.accuracy is not None
        if reading == "script":
            panels.append(_ratio_panel(found, REGRET, pairs, f"regret ({reading})", "over uniform"))
        panels.append(_ratio_panel(found, LOSS, pairs, f"loss ({reading})", "over uniform"))
        points = 100 * found.accuracy[1:]
        curves = [
            difference_curve(p.label, found.rounds[1:], points[:, p.first], points[:, base], p.style) for p in pairs
        ]
        zero = Curve(EQUAL, found.rounds[[1, -1]], [0, 0], "trivial")
        panels.append(
            Panel(
                f"accuracy over uniform ({reading})",
                "round",
                "points",
                (zero, *curves),
                x_scale="linear",
                y_scale="linear",
            )
        )
    ratios = {r: _ends(panels, LOSS, r, NAMES["adaptive"])[0] for r in READINGS}
    words = [f"{mean:.3g} (95%: {low:.3g} to {high:.3g}; {r})" for r, (mean, low, high) in ratios.items()]
    return _page(
        f"On digits Adaptive-OSMD's loss ends at {' and '.join(words)} times uniform's",
        tuple(panels),
        "In the spirit of the paper's Figures 5 and 6: 8x8 digits (UCI optdigits) instead of 28x28 images, 100 clients instead "
        "of 500; multiclass logistic regression, step 0.075, batches of at most 5. "
        + RUNS_CAPTION.format(runs=5)
        + " Accuracies: mean differences in percentage points. "
        + SCRIPT.replace(FEATURES, ""),
        columns=3,
    )


PICTURES: dict[str, Callable[[], Picture]] = {
    "against_uniform": against_uniform,
    "against_bandits": against_bandits,
    "floors": floors,
    "against_smoothness": against_smoothness,
    "replacement": replacement,
    "scaffold": scaffold,
    "digits": digits,
}
