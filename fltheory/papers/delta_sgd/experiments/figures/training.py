"""Figures of trained networks: accuracy over the rounds, the effects of delta and local epochs, label counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fltheory.papers.delta_sgd.experiments.studies import OURS, Study, federation, untuned_method, with_step
from fltheory.papers.delta_sgd.experiments.training import Method, train
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, TablePanel
from fltheory.problems.data.tables import table

TASK, ALPHAS, RECORDS = "digits/mlp", (1.0, 0.1, 0.01), 50
STUDY = Study(TASK)
SETTINGS = dict(zip(ALPHAS, STUDY.settings, strict=True))
RIVALS: tuple[tuple[str, Method, str], ...] = (  # with the step sizes tuned on digits/mlp with alpha = 0.1
    (OURS, untuned_method(), "first"),
    ("SGD", with_step("SGD", 0.5), "second"),
    ("SGDM", with_step("SGDM", 0.1), "bound 2"),
    ("Adam", with_step("Adam", 0.01), "reference 4"),
    ("SPS", with_step("SPS"), "reference"),
)
DAMPINGS = ((0.01, "second"), (0.1, "first"), (1.0, "reference 4"))
EPOCHS = ((1, "epoch", "first"), (2, "epochs", "second"), (3, "epochs", "reference 4"))
LEAST = 1.0  # the range of errors in per cent


def accuracy(method: Method, alpha: float, n_epochs: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return the record rounds and the accuracy after them in per cent, (seeds, records)."""
    at = SETTINGS[alpha]
    plan = at.plan._replace(n_epochs=n_epochs, records=min(RECORDS, at.plan.n_rounds))
    data = federation(at.task, at.alpha, at.n_clients, at.n_samples, at.seed, at.n_seeds)
    found = 100 * train(method, data, plan, 0, at.seed + np.arange(at.n_seeds)).accuracy
    return np.arange(1, plan.records + 1) * plan.n_rounds // plan.records, found


def _curve(label: str, method: Method, style: str, alpha: float, tag: str, n_epochs: int = 1) -> Curve:
    """Return a curve of test errors, as a logarithmic axis shows differences of accuracies near 100 per cent."""
    rounds, found = accuracy(method, alpha, n_epochs)
    mean, spread = 100 - found.mean(axis=0), found.std(axis=0)
    note = f"mean of {len(found)} seeds, band of one standard deviation"
    return Curve(label, rounds, mean, style, np.maximum(mean - spread, LEAST), mean + spread, note, tag=tag)


def _panel(title: str, curves: Sequence[Curve], y_label: str) -> Panel:
    return Panel(title, "round", y_label, tuple(curves), x_scale="linear", y_limits=(LEAST, 100))


def _figure_row(kind: Callable[[float], Sequence[Curve]], y_label: str) -> list[Panel]:
    return [_panel(rf"$\alpha={a:g}$", kind(a), y_label if a == ALPHAS[0] else "") for a in track(ALPHAS)]


@headline("Untuned Delta-SGD ends a few points below the best optimiser")
def over_rounds() -> Picture:
    """Plot accuracy over the rounds for five optimisers, other values of delta, and more local epochs."""
    error = "test error (%)"
    rows = [
        _figure_row(lambda a: [_curve(label, m, style, a, label) for label, m, style in RIVALS], error),
        _figure_row(
            lambda a: [
                _curve(rf"{OURS}, $\delta={d:g}$", untuned_method(growth_damping=d), style, a, rf"$\delta={d:g}$")
                for d, style in DAMPINGS
            ],
            error,
        ),
        _figure_row(
            lambda a: [
                _curve(f"{OURS}, {e} local {words}", untuned_method(), style, a, f"{e} {words}", e)
                for e, words, style in EPOCHS
            ],
            error,
        ),
    ]
    ends = [[[float(c.y[-1]) for c in panel.curves] for panel in row] for row in rows]
    lead = ", ".join(f"{min(others) - own:+.1f}" for own, *others in ends[0])
    spread = [max(max(end) - min(end) for end in row) for row in ends[1:]]
    return Picture(
        fill(
            f"On {TASK} the accuracy of untuned Delta-SGD ends {lead} points from the best of four others at "
            f"$\\alpha=1, 0.1, 0.01$; $\\delta$ "
            f"moves its end by at most {spread[0]:.1f} points, one to three local epochs by at most {spread[1]:.1f}",
            TITLE,
        ),
        tuple(panel for row in rows for panel in row),
        columns=3,
        width=PAGE,
        row_height=1.7,
        caption=fill(
            f"Figures 1, 2, 4 and 5 in spirit: test error of a small network on digits, {STUDY.n_clients} clients, "
            f"{STUDY.n_participating} a round; means of {STUDY.n_seeds} seeds, bands of one standard deviation. Step "
            f"sizes as tuned "
            "at $\\alpha=0.1$ (SGD 0.5, SGDM 0.1, Adam 0.01); Delta-SGD and SPS are not tuned. $\\delta=0.1$ and one epoch where "
            "nothing else is said."
        ),
    )


N_CLIENTS = 12  # clients


@headline("Samples of each label: the smaller alpha, the fewer labels a client has")
def label_counts() -> Picture:
    """Return how many samples of each label the first clients have."""
    panels, alone = [], []
    for alpha in ALPHAS:
        at = SETTINGS[alpha]
        split = federation(at.task, at.alpha, at.n_clients, at.n_samples, at.seed, at.n_seeds).split
        labels = table("digits").y[split.clients[0]]
        counts = np.array([np.bincount(client, minlength=10) for client in labels])
        alone.append(float(np.mean(counts.max(axis=1) / counts.sum(axis=1))))
        first = counts[:N_CLIENTS]
        panels.append(
            TablePanel(
                rf"$\alpha={alpha:g}$",
                "label",
                tuple(f"client {i + 1}" if alpha == ALPHAS[0] else "" for i in range(N_CLIENTS)),
                tuple(str(v) for v in range(10)),
                first,
                np.zeros(first.shape),
                first / STUDY.n_samples,
                np.zeros(first.shape, dtype=bool),
            )
        )
    words = ", ".join(f"{v:.0%}" for v in alone)
    return Picture(
        f"A client's most frequent label makes {words} of its samples on average at $\\alpha=1, 0.1, 0.01$",
        tuple(panels),
        columns=3,
        width=PAGE,
        row_height=2.6,
        caption=f"Figure 8 in spirit: samples of each label that the first {N_CLIENTS} of {STUDY.n_clients} clients have, "
        f"{STUDY.n_samples} each, digits, one seed; means over all clients.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"over_rounds": over_rounds, "dealt": label_counts}
