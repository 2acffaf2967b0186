"""Figures of "Adaptive Federated Learning with Auto-Tuned Clients": bounds and runs of Delta-SGD, and Table 1 in spirit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from figures.delta_sgd_convex import PICTURES as CONVEX
from figures.delta_sgd_rates import PICTURES as RATES
from figures.delta_sgd_rule import PICTURES as RULE
from fltheory.papers.delta_sgd.experiments import OURS, Study, Winners
from fltheory.papers.delta_sgd.experiments import who_wins as tuned_once
from fltheory.picture import PAGE, Curve, Panel, Picture

STYLES = {
    "SGD": "second", "SGD (↓)": "third", "SGDM": "reference", "SGDM (↓)": "trivial", "Adam": "bound", "Adagrad": "bound 2",
    "SPS": "reference 2", "SGD x 10": "reference 3", "SGD / 10": "reference 4", OURS: "measured",
}  # fmt: skip
BEST = "the best of the setting"


def drawn(found: Winners, n_seeds: int, n_rounds: int) -> Picture:
    """Test error at the end by task over the heterogeneity of the clients."""
    tasks = list(dict.fromkeys(task for task, _ in found.settings))
    error, spread = 100 * (1 - found.mean), 100 * found.spread
    panels = []
    for i, task in enumerate(tasks):
        at = [j for j, (name, _) in enumerate(found.settings) if name == task]
        alphas = [found.settings[j][1] for j in at]
        curves = [_curve(found, k, at, error, spread) for k in range(len(found.labels))]
        curves.append(Curve(BEST, alphas, error[:, at].min(axis=0), "outside"))
        y_label = "" if i % 3 else "test error at the end (%)"
        panels.append(Panel(task, r"heterogeneity: Dirichlet $\alpha$", y_label, tuple(curves), y_limits=(1.5, 100)))
    ours = found.labels.index(OURS)
    columns = [k for k, label in enumerate(found.labels) if label not in ("SGD x 10", "SGD / 10", OURS)]
    behind = error[ours] - error[columns].min(axis=0)
    return Picture(
        f"Others tuned once on digits/mlp, $\\alpha=0.1$: untuned Delta-SGD is the best of eight in {int((behind <= 0).sum())} of "
        f"{len(behind)} settings, at most\n"
        f"0.5 points behind the best in {int((behind <= 0.5).sum())}, and {behind.max():.0f} behind at worst",
        tuple(panels), columns=3, width=PAGE, row_height=2.3, legend_columns=4,
        caption=f"Table 1 in spirit: small networks on bundled data, 100 clients, 10 a round, {n_rounds} rounds; mean of {n_seeds} "
        "seeds, band: one standard\ndeviation of Delta-SGD's. Numbers behind the optimisers: the step size.",
    )  # fmt: skip


def _curve(found: Winners, k: int, at: list[int], error: np.ndarray, spread: np.ndarray) -> Curve:
    """One optimiser with its step size; a band for ours alone, as ten would hide each other."""
    label = found.labels[k]
    named = f"{label}, {found.step_sizes[label]:g}" if label in found.step_sizes else label
    alphas, y, off = [found.settings[j][1] for j in at], error[k, at], spread[k, at]
    ends = (np.maximum(y - off, 0.1), y + off) if label == OURS else (None, None)
    return Curve(named, alphas, y, STYLES[label], *ends)


def who_wins() -> Picture:
    """Which client optimiser ends best."""
    study = Study()
    return drawn(tuned_once(study), study.n_seeds, study.n_rounds)


PICTURES: dict[str, Callable[[], Picture]] = {**CONVEX, **RULE, **RATES, "who_wins": who_wins}
