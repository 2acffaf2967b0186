"""A variant of Figure 3: SFL and PFL on logistic regression for the parity of digits; clients have 1 or 2 parities."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fltheory.number import streams
from fltheory.number.reproducible.arithmetic import exp, log
from fltheory.papers.sfl.experiments.accuracies import DATA, PARTS, Cell
from fltheory.papers.sfl.experiments.accuracies import LABELS as N_LABELS
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, DotPanel, Dots, Panel, Picture
from fltheory.problems.data.tables import table

CLIENTS, SAMPLED, LOCAL_STEPS, BATCH, ROUNDS, SEEDS = 100, 10, 5, 8, 400, 3
STEPS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
EVERY, LAST = 10, 50  # rounds between records, final rounds whose mean counts
DEAL, PLACES = 11, 1 << 20  # streams: the distribution of the samples, and the samples of each step
METHODS = (("SFL", True, "first"), ("PFL", False, "second"))


class ClientSamples(NamedTuple):
    """Samples with a last coordinate of 1, their signs, and the samples of each client, (clients, samples)."""

    x: np.ndarray
    sign: np.ndarray
    own: np.ndarray


def deal_samples(labels: int) -> ClientSamples:
    """Deal to each client equally many samples, from ``labels`` of the two parities."""
    digits = table("digits")
    x = np.concatenate([digits.x, np.ones((len(digits.x), 1))], axis=1)
    odd = digits.y % 2 == 1
    order = np.argsort(streams.uniform(DEAL, np.arange(len(x)), 0, 0, 0), kind="stable")
    kinds = [order[odd[order]], order[~odd[order]]]
    share = min(len(kind) for kind in kinds) // (CLIENTS * labels // 2)
    own = [
        [kind[i * share : (i + 1) * share] for i in range(CLIENTS * labels // 2)] for kind in kinds
    ]  # pieces of each parity
    rows = [*own[0], *own[1]] if labels == 1 else [np.concatenate(pair) for pair in zip(*own, strict=True)]
    return ClientSamples(x, np.where(odd, 1.0, -1.0), np.array(rows))


def _local_models(
    w: np.ndarray, data: ClientSamples, clients: np.ndarray, key: tuple[int, int], lr: np.ndarray
) -> np.ndarray:
    """Return the models (steps, seeds, d) after local steps of one client per seed; batches have replacement."""
    for k in range(LOCAL_STEPS):
        at = streams.uniform(PLACES, np.arange(SEEDS)[:, None], *key, k * BATCH + np.arange(BATCH)[None])
        picked = data.own[clients[:, None], (at * data.own.shape[1]).astype(np.int64)]
        x, sign = data.x[picked], data.sign[picked]
        margin = sign * (x * w[:, :, None]).sum(axis=-1)
        slope = -sign / (1 + exp(np.minimum(margin, 500.0)))
        w = w - lr[:, None, None] * (slope[..., None] * x).mean(axis=2)
    return w


def losses(sequential: bool, data: ClientSamples) -> tuple[np.ndarray, np.ndarray]:
    """Return the recorded rounds, and the training loss after each, (records, steps, seeds)."""
    used, lr = np.unique(data.own), np.array(STEPS)
    w = np.zeros((len(STEPS), SEEDS, data.x.shape[1]))
    rounds, found = [], []
    for t in range(ROUNDS):
        who = streams.ordered_samples(0, np.arange(SEEDS), t, CLIENTS, SAMPLED)
        start, ends = w, []
        for i in range(SAMPLED):
            end = _local_models(w if sequential else start, data, who[:, i], (t, i), lr)
            w = end
            ends.append(end)
        w = w if sequential else np.mean(ends, axis=0)
        if (t + 1) % EVERY == 0:
            margin = data.sign[used] * (w @ data.x[used].T)
            rounds.append(t + 1)
            found.append((np.maximum(-margin, 0) + log(1 + exp(-np.abs(margin)))).mean(axis=-1))
    return np.array(rounds), np.array(found)


def _panel(labels: int) -> tuple[Panel, dict[str, tuple[float, float]]]:
    """Return a panel with both methods at their best steps, and for each the final mean loss and the step."""
    data, curves, ends = deal_samples(labels), [], {}
    for name, sequential, style in track(METHODS):
        rounds, found = losses(sequential, data)
        late = found[rounds > ROUNDS - LAST].mean(axis=(0, 2))
        best = int(late.argmin())
        ends[name] = float(late[best]), STEPS[best]
        values = found[:, best]
        note = f"mean of {SEEDS} seeds, band from the least to the largest, step {STEPS[best]:g}"
        curves.append(Curve(name, rounds, values.mean(axis=1), style, values.min(axis=1), values.max(axis=1), note))
    words = "one parity" if labels == 1 else "both parities"
    title = f"clients with {words} ($C={labels}$)"
    return Panel(title, "round", "training loss" if labels == 1 else "", tuple(curves), x_scale="linear"), ends


@headline("Logistic regression on digits: SFL ends a little below PFL")
def digits() -> Picture:
    """Plot the training loss of SFL and PFL at their best steps."""
    found = [_panel(labels) for labels in track((1, 2))]
    words = [
        f"$C={labels}$ SFL {ends['SFL'][0]:.4f}, PFL {ends['PFL'][0]:.4f}" for labels, (_, ends) in enumerate(found, 1)
    ]
    steps = "; ".join(
        f"$C={labels}$: SFL {ends['SFL'][1]:g}, PFL {ends['PFL'][1]:g}" for labels, (_, ends) in enumerate(found, 1)
    )
    return Picture(
        fill(
            f"Mean training loss of the last {LAST} of {ROUNDS} rounds, each at its best step: {'; '.join(words)}",
            TITLE,
        ),
        tuple(panel for panel, _ in found),
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=2,
        caption=fill(
            "Figure 3 in spirit: logistic regression, parity of 8x8 digits (UCI optdigits) instead of a9a and w8a; "
            f"$M={CLIENTS}$ clients of equal size instead of 1000, $S={SAMPLED}$, $K={LOCAL_STEPS}$, mini-batches of {BATCH}, no "
            f"regularisation; means of {SEEDS} seeds, bands from the least to the largest. Steps of {', '.join(map(str, STEPS))}; "
            f"the best: {steps}."
        ),
    )


def _accuracies(part: str, named: bool) -> DotPanel:
    """Return the printed accuracies of Table 3, of training or test, with their standard deviations."""
    cells = [Cell(data, n_labels, part) for data in DATA for n_labels in N_LABELS]
    dots = []
    for label, style, shift, of in (
        ("SFL", "measured", -0.15, lambda cell: cell.sfl),
        ("PFL", "bound", 0.15, lambda cell: cell.pfl),
    ):
        values = np.array([[float(v) for v in of(cell)] for cell in cells])
        mean, deviation = values.T
        places = np.arange(len(cells)) + shift
        dots.append(Dots(label, style, places, mean, mean - deviation, mean + deviation))
    rows = tuple(f"{cell.data}, $C={cell.n_labels}$" for cell in cells)
    return DotPanel(f"{part} accuracy", "percent", rows, tuple(dots), None, "linear", named=named)


@headline("Table 3 as printed: SFL is ahead of PFL in every setting")
def accuracies() -> Picture:
    """Plot Table 3 as printed: accuracies of SFL and PFL on image data."""
    leads = [float(Cell(data, n, part).lead) for data in DATA for n in N_LABELS for part in PARTS]
    return Picture(
        f"SFL leads in {sum(v > 0 for v in leads)} of {len(leads)} pairs, by {min(leads):.2f} to {max(leads):.2f} points",
        tuple(_accuracies(part, i == 0) for i, part in enumerate(PARTS)),
        columns=2,
        width=PAGE,
        row_height=2.8,
        legend_columns=2,
        caption="Numbers of the paper, not measured here: means and standard deviations. $C$: labels that a client holds. "
        "SFL: sequential,\nPFL: parallel federated learning.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"digits": digits, "accuracies": accuracies}
