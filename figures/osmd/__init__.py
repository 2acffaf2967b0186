"""Figures of "Adaptive Client Sampling in Federated Learning": its experiments in the text's and the script's reading.

Every run has data of its own, shared by the samplers that are compared; lines are geometric means over the runs, bands one
standard deviation of the logarithm.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from figures.osmd.bounds import PICTURES as BOUNDS
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.datasets import client_sizes
from fltheory.papers.osmd.experiments.studies import FLOORS, READINGS, SAMPLERS, SPREADS, STEP_SIZES
from fltheory.papers.osmd.experiments.training import History
from fltheory.pictures.picture import PAGE, Curve, Panel, Picture

NAMES = {
    "uniform": "uniform",
    "adaptive": "Adaptive-OSMD",
    "optimal": "optimal (knows all feedback)",
    "mabs": "MABS",
    "vrb": "VRB",
    "avare": "Avare",
}
STYLES = ("first", "second", "third", "bound", "reference 2", "reference 3")
STYLE = dict(zip(("adaptive", "uniform", "optimal", "mabs", "vrb", "avare"), STYLES, strict=True))
LOSS, REGRET = "training loss", "cumulative regret"
WHAT = (
    "Lines: geometric mean of {runs} runs, each with data of its own; bands: one standard deviation of the logarithm. "
    r"$M=100$, $K=5$, $\alpha=0.4$."
)
FEATURES = "$s_m\\Sigma_{jj}$ is the standard deviation of the features, "
SCRIPT = (
    f"The script differs from the text: {FEATURES}feedback comes from a "
    "batch's sum but $A_{\\max}$ from its mean, expert rates are $K/2$ times larger, a client drawn twice counts once in a "
    "step, and the regret is that of the updated distribution, without $1/K$."
)
SECTION_7 = f"{WHAT.format(runs=10)} {SCRIPT}"

Found = Callable[[float, str], History]
Line = tuple[int, str, str]  # which method, its label, its style


def _curve(rounds: np.ndarray, values: np.ndarray, label: str, style: str) -> Curve:
    """Geometric mean and spread over the runs; ``values`` (records, runs) are positive."""
    logs = np.log(values)
    mean, std = logs.mean(axis=1), logs.std(axis=1, ddof=1)
    return Curve(label, rounds, np.exp(mean), style, np.exp(mean - std), np.exp(mean + std))


def _loss_panel(history: History, lines: Iterable[Line], title: str, y_label: str) -> Panel:
    curves = tuple(_curve(history.rounds, history.loss[:, i], label, style) for i, label, style in lines)
    return Panel(title, "round", y_label, curves, x_scale="linear")


def _regret_panel(history: History, lines: Iterable[Line], title: str, y_label: str) -> Panel:
    """Without the oracle, whose regret is 0, and without the start."""
    curves = tuple(
        _curve(history.rounds[1:], history.regret[1:, i], label, style)
        for i, label, style in lines
        if not label.startswith("optimal")
    )
    return Panel(title, "round", y_label, curves, x_scale="linear")


def _grid(found: Found, lines: Callable[[float, str], Sequence[Line]], letter: str) -> tuple[Panel, ...]:
    """A row for every heterogeneity: loss and regret, each in both readings."""
    panels = []
    for spread in SPREADS:
        for draw, what in ((_loss_panel, LOSS), (_regret_panel, REGRET)):
            for reading in READINGS:
                title = rf"{reading}, ${letter}={spread:g}$"
                panel = draw(found(spread, reading), lines(spread, reading), title, "" if reading == "script" else what)
                panels.append(panel if spread == SPREADS[-1] else replace(panel, x_label=""))
    return tuple(panels)


def _wins(found: Found, first: int, second: int, what: str = "regret") -> str:
    """In how many runs the first method ends below the second, for every heterogeneity and reading."""
    parts = []
    for reading in READINGS:
        ends = [getattr(found(s, reading), what)[-1] for s in SPREADS]
        parts.append(f"{', '.join(str(int((e[first] < e[second]).sum())) for e in ends)} ({reading})")
    return " and ".join(parts)


def _chosen(names: Sequence[str]) -> list[Line]:
    return [(SAMPLERS.index(n), NAMES[n], STYLE[n]) for n in names]


def _page(title: str, panels: tuple[Panel, ...], caption: str, columns: int = 4) -> Picture:
    return Picture(
        title,
        panels,
        columns=columns,
        width=PAGE,
        row_height=1.5,
        legend_columns=3,
        caption=textwrap.fill(caption, 140, break_long_words=False, break_on_hyphens=False),
    )


def against_uniform() -> Picture:
    """Figure 1."""
    found: Found = experiments.compared
    panels = _grid(found, lambda s, r: _chosen(("adaptive", "uniform", "optimal")), r"\sigma")
    return _page(
        f"Adaptive-OSMD below uniform at the end, runs of 10 at $\\sigma=1,3,10$: regret {_wins(found, 1, 0)},\n"
        f"loss {_wins(found, 1, 0, 'loss')}",
        panels,
        "The paper's Figure 1. The optimal sampler's regret is 0. " + SECTION_7,
    )


def against_bandits() -> Picture:
    """Figure 2."""
    found: Found = experiments.compared
    panels = _grid(found, lambda s, r: _chosen(("adaptive", "mabs", "vrb", "avare")), r"\sigma")
    rivals = [f"{NAMES[n]} {_wins(found, 1, SAMPLERS.index(n))}" for n in ("mabs", "vrb", "avare")]
    return _page(
        f"Adaptive-OSMD's regret is the smaller one, runs of 10 at $\\sigma=1,3,10$: against {rivals[0]},\n"
        f"{rivals[1]}, {rivals[2]}",
        panels,
        "The paper's Figure 2. " + SECTION_7,
    )


def floors() -> Picture:
    """Figure 3."""
    found: Found = experiments.floors_compared
    lines = [(i, rf"$\alpha={a:g}$", style) for i, (a, style) in enumerate(zip(FLOORS, STYLES, strict=True))]
    panels = _grid(found, lambda s, r: lines, r"\sigma")
    best = []
    for reading in READINGS:
        ends = [np.log(found(s, reading).regret[-1]).mean(axis=1).argmin() for s in SPREADS]
        best.append(f"{', '.join(f'{FLOORS[i]:g}' for i in ends)} ({reading})")
    return _page(
        f"The floor with the least regret at $\\sigma=1,3,10$: $\\alpha=$ {' and '.join(best)}",
        panels,
        "The paper's Figure 3: Adaptive-OSMD; uniform for $\\alpha=1$. " + SECTION_7.replace(r", $\alpha=0.4$", ""),
    )


def against_smoothness() -> Picture:
    """Figure 4."""
    found: Found = experiments.fixed_compared

    def lines(spread: float, reading: str) -> list[Line]:
        best = experiments.best_steps(found(spread, reading))
        return [(best[0], NAMES["adaptive"], "first"), (best[1], "importance sampling by smoothness", "second")]

    parts, steps = [], []
    for reading in READINGS:
        histories = [found(s, reading) for s in SPREADS]
        best = [experiments.best_steps(h) for h in histories]
        wins = [str(int((h.regret[-1, i] < h.regret[-1, j]).sum())) for h, (i, j) in zip(histories, best, strict=True)]
        parts.append(f"{', '.join(wins)} ({reading})")
        pairs = [f"{STEP_SIZES[i]:g}/{STEP_SIZES[j - len(STEP_SIZES)]:g}" for i, j in best]
        steps.append(f"{', '.join(pairs)} ({reading})")
    return _page(
        "Adaptive-OSMD's regret is below that of importance sampling by smoothness, runs of 10 at $\\nu=1,3,10$:\n"
        f"{' and '.join(parts)}",
        _grid(found, lines, r"\nu"),
        "The paper's Figure 4: each client's data have one coordinate. Step sizes with the least mean logarithm of the loss "
        f"(Adaptive-OSMD/by smoothness): {' and '.join(steps)}. " + SECTION_7.replace(FEATURES, ""),
    )


def replacement() -> Picture:
    """Figure 7."""
    found: Found = experiments.replacement_compared
    lines = [(0, "with replacement", "first"), (1, "without replacement (Algorithm 7)", "second")]
    return _page(
        f"Adaptive-OSMD ends lower with replacement, runs of 10 at $\\sigma=1,3,10$: regret {_wins(found, 0, 1)},\n"
        f"loss {_wins(found, 0, 1, 'loss')}",
        _grid(found, lambda s, r: lines, r"\sigma"),
        "The paper's Figure 7. " + SECTION_7,
    )


def scaffold() -> Picture:
    """Figure 8."""
    found: Found = experiments.scaffold_compared
    lines = [(1, r"OSMD, $\eta=10^{-3}$", "first"), (0, "uniform", "second")]
    panels = tuple(
        _loss_panel(found(s, r), lines, rf"{r}, $\sigma={s:g}$", LOSS if s == SPREADS[0] else "")
        for r in READINGS
        for s in SPREADS
    )
    plans = [experiments.SCAFFOLD[r] for r in READINGS]
    sizes = "; ".join(
        f"{r}: {p.n_local_steps} local steps of {p.local_step_size:g}, server {p.step_size:g}"
        for r, p in zip(READINGS, plans, strict=True)
    )
    return _page(
        f"SCAFFOLD's loss is smaller with OSMD than with uniform, runs of 10 at $\\sigma=1,3,10$: {_wins(found, 1, 0, 'loss')}",
        panels,
        f"The paper's Figure 8 ({sizes}; the paper doesn't print them). "
        + WHAT.format(runs=10)
        + " In the script $s_m\\Sigma_{jj}$ is the standard deviation of the features, and a client drawn twice counts once.",
        columns=3,
    )


def digits() -> Picture:
    """Figures 5 and 6 in spirit."""
    lines = [(i, NAMES[n], STYLE[n]) for i, n in enumerate(experiments.DIGIT_SAMPLERS)]
    sizes = np.sort(client_sizes(100))[::-1]
    panels = [
        Panel(
            "samples of the clients",
            "client",
            "training samples",
            (Curve("clients", np.arange(1, 101), sizes, "reference", step=True),),
            x_scale="linear",
        )
    ]
    wins = []
    for reading in READINGS:
        found = experiments.digits_compared(reading)
        if reading == "script":
            panels.append(_regret_panel(found, lines, reading, REGRET))
        panels.append(_loss_panel(found, lines, reading, LOSS))
        assert found.accuracy is not None
        curves = []
        for i, label, style in lines:
            mean, std = found.accuracy[:, i].mean(axis=1), found.accuracy[:, i].std(axis=1, ddof=1)
            curves.append(Curve(label, found.rounds, mean, style, mean - std, mean + std))
        panels.append(
            Panel(
                f"{reading}, held-out images",
                "round",
                "accuracy",
                tuple(curves),
                x_scale="linear",
                y_scale="linear",
                y_limits=(0.5, 1.0),
            )
        )
        ends = found.loss[-1]
        wins.append(f"{int((ends[1] < ends[0]).sum())} ({reading})")
    return _page(
        f"On digits Adaptive-OSMD ends at a smaller loss than uniform in {' and '.join(wins)} of 5 runs",
        tuple(panels),
        "In the spirit of the paper's Figures 5 and 6: 8x8 digits (UCI optdigits) instead of 28x28 images, 100 clients instead "
        "of 500; multiclass logistic regression, step 0.075, batches of at most 5. "
        + WHAT.format(runs=5)
        + " Accuracies: mean and standard deviation. "
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
    **BOUNDS,
}
