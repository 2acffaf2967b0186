"""Figure of what the theory promises and what training shows: Theorem 5 with several clients, and who wins Table 1's study."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fltheory.papers.delta_sgd.experiments.figures.who_wins import OTHERS
from fltheory.papers.delta_sgd.experiments.studies import OURS, Study, Winners
from fltheory.papers.delta_sgd.experiments.studies import who_wins as tuned_once
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, DotPanel, Dots, Panel, Picture, Zone, number
from fltheory.plotting.sweep import sweep
from fltheory.verification import find

FAR = 12  # points behind the best at which the axis ends


def theorem_panel() -> Panel:
    """Return both sides of Theorem 5 with several clients over the rounds, on the instance that refutes it."""
    found = sweep(find("delta_sgd/T5-B@printed"), along="n_rounds")
    x, wrong = found.column("value"), found.violated()
    start = float(x[wrong].min())
    return Panel(
        "Theorem 5 as printed, several clients",
        "rounds $t$",
        r"mean of $f_i(\tilde x_i^t)-f_i(x^*)$ (in units of $F$)",
        (
            Curve("bound of Theorem 5", x, found.limit(), "bound"),
            Curve("clients of the counterexample", x, found.column("measured"), "measured", note="exact"),
        ),
        (Zone(start / 1.2, float(x.max()), "violated", "the bound is exceeded"),),
        counts=True,
    )


def points_behind(found: Winners) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return in every setting the points between Delta-SGD and the best rival of Table 1, and that rival's name."""
    rivals = [k for k, label in enumerate(found.labels) if label not in (*OTHERS, OURS)]
    accuracy = 100 * found.mean
    best = accuracy[rivals].argmax(axis=0)
    lag = accuracy[rivals].max(axis=0) - accuracy[found.labels.index(OURS)]
    return lag, tuple(found.labels[rivals[k]] for k in best)


def picture_of(found: Winners, theorem: Panel) -> Picture:
    """Return the theorem beside the points by which Delta-SGD is behind the best rival."""
    lag, best = points_behind(found)
    settings = tuple(rf"{task}, $\alpha={alpha:g}$" for task, alpha in found.settings)
    words = tuple(f"{v:.1f}, {name}" for v, name in zip(lag, best, strict=True))
    dots = Dots("untuned Delta-SGD, with the best rival", "measured", np.arange(len(lag)), lag, names=best, words=words)
    bound, value = (np.asarray(c.y) for c in theorem.curves)
    return Picture(
        f"Theorem 5 is exceeded {number(float((value / bound).max()))} times at the right end. In {len(lag)} settings Delta-SGD "
        f"is ahead of all rivals in {int((lag < 0).sum())}, level in {int((lag == 0).sum())}, and {lag.max():.1f} points behind "
        "at worst",
        (
            theorem,
            DotPanel(
                "points behind the best rival (test accuracy)",
                "percentage points",
                settings,
                (dots,),
                0,
                "linear",
                (-0.5, FAR),
            ),
        ),
        columns=2,
        width=PAGE,
        row_height=4.0,
        legend_columns=2,
        caption=fill(
            "Left: rule (4), by which every client chooses its step, with a shared iterate, exact. Right: test accuracy after "
            "training on the data bundled with scikit-learn: digits (as features or, pixels, as images) and cancer (breast "
            "cancer); mlp: a network with one hidden layer, softmax: none; the smaller $\\alpha$, the fewer labels a client has. "
            "SGD, SGDM (momentum) keep the step size that was tuned once on digits/mlp with $\\alpha=0.1$, (↓): decreasing from "
            "it; SPS (Polyak's step) is not tuned. Values beyond the axis stand at its edge, with their number."
        ),
    )


@headline("Delta-SGD: Theorem 5 fails with several clients; in training it is never alone ahead")
def promise() -> Picture:
    """Plot Theorem 5 with several clients beside the outcome of the training study."""
    study = Study()
    return picture_of(tuned_once(study, 1, track), theorem_panel())


PICTURES: dict[str, Callable[[], Picture]] = {"promise": promise}
