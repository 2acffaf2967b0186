"""Figures of "Adaptive Federated Learning with Auto-Tuned Clients": an analogue of Table 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fltheory.papers.delta_sgd.experiments.studies import OURS, Study, Winners
from fltheory.papers.delta_sgd.experiments.studies import who_wins as tuned_once
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Picture, TablePanel

PALE = 10  # points behind the best from which a cell is white
OTHERS = ("SGD x 10", "SGD / 10")  # not in Table 1


def picture_of(found: Winners, n_seeds: int, n_rounds: int) -> Picture:
    """Plot the final accuracy of every optimiser in every setting, with the best ones marked."""
    tasks = tuple(dict.fromkeys(task for task, _ in found.settings))
    alphas = tuple(rf"$\alpha={alpha:g}$" for _, alpha in found.settings)
    accuracy, spread = 100 * found.mean, 100 * found.spread
    rivals = [k for k, label in enumerate(found.labels) if label not in (*OTHERS, OURS)]
    behind = accuracy[rivals].max(axis=0) - accuracy[found.labels.index(OURS)]
    lost = accuracy.max(axis=0) - accuracy
    panel = TablePanel(
        "",
        "",
        tuple(_column_label(label, found) for label in found.labels),
        alphas,
        accuracy,
        spread,
        np.maximum(1 - lost / PALE, 0),
        lost == 0,
        tasks,
    )
    alone, level = int((behind < 0).sum()), int((behind == 0).sum())
    return Picture(
        f"Tuned once on digits/mlp ($\\alpha=0.1$), untuned Delta-SGD ends alone at the top of eight in {alone} of {len(behind)} "
        f"settings,\nlevel with others in {level}, and at most 0.5 points behind the best in {int((behind <= 0.5).sum())}; at "
        f"worst it is {behind.max():.1f} points behind",
        (panel,),
        width=PAGE,
        row_height=4.0,
        caption="Table 1 in spirit: final test accuracy (%) of small networks on bundled data, 100 clients, 10 a round, "
        f"{n_rounds} rounds; mean\nand standard deviation of {n_seeds} seeds. Framed: the best; white: at least {PALE} points "
        "behind it. Numbers behind the optimisers: the step size.",
    )


def _column_label(label: str, found: Winners) -> str:
    """Return the label of a column with its step size."""
    return f"{label}, {found.step_sizes[label]:g}" if label in found.step_sizes else label


@headline("In no setting is untuned Delta-SGD alone the best of eight optimisers")
def who_wins() -> Picture:
    """Plot which client optimiser is best at the end."""
    study = Study()
    return picture_of(tuned_once(study, 1, track), study.n_seeds, study.n_rounds)


PICTURES: dict[str, Callable[[], Picture]] = {"who_wins": who_wins}
