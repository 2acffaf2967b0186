"""Figure of the printed results: Tables 2, 3, 5 and 6, AAggFF beside the other methods."""

from __future__ import annotations

from collections.abc import Callable

from fltheory.papers.aaggff.experiments.tables import OURS, RESULTS
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, DotPanel, Dots, Picture

MEASURES = (
    ("average", "average performance (Tables 2, 3)", "percent, more is better"),
    ("worst", "worst performance (Tables 2, 3)", "percent, more is better"),
    ("gini", "Gini coefficient (Tables 2, 3)", "percent, less is fairer"),
    ("gap", "accuracy parity gap (Tables 5, 6)", "percentage points, less is fairer"),
)


def _panel(measure: str, title: str, x_label: str, named: bool) -> DotPanel:
    """Return one printed measure on all data sets."""
    places, values, names = [], [], []
    for row, (data, methods) in enumerate(RESULTS.items()):
        for method, result in methods.items():
            if method != OURS[data]:
                places.append(row)
                values.append(float(getattr(result, measure)))
                names.append(method)
    ours = [float(getattr(RESULTS[data][method], measure)) for data, method in OURS.items()]
    dots = (
        Dots("other methods", "outside", places, values, names=tuple(names)),
        Dots("AAggFF", "bound", range(len(ours)), ours, names=tuple(OURS.values())),
    )
    rows = tuple(f"{data}\n({method[7:]})" for data, method in OURS.items())
    return DotPanel(title, x_label, rows, dots, None, "linear", named=named)


@headline("As printed AAggFF has the least Gini coefficient on every data set")
def results() -> Picture:
    """Plot the printed performances and their spread over the clients."""
    best = {
        measure: sum(
            sign * getattr(methods[OURS[data]], measure) >= max(sign * getattr(r, measure) for r in methods.values())
            for data, methods in RESULTS.items()
        )
        for measure, sign in (("average", 1), ("worst", 1), ("gini", -1), ("gap", -1))
    }
    return Picture(
        f"Of {len(RESULTS)} data sets AAggFF has the best average in {best['average']}, the best worst performance in "
        f"{best['worst']}, the least Gini coefficient in {best['gini']}, the least gap in {best['gap']}",
        tuple(_panel(*one, i % 2 == 0) for i, one in enumerate(MEASURES)),
        columns=2,
        width=PAGE,
        row_height=2.5,
        legend_columns=2,
        caption="Numbers of the paper, not measured here. S: AAggFF-S, few clients that all take part; D: AAggFF-D, many clients, "
        "some a round.\nOther methods: FedAvg, AFL, q-FedAvg, TERM, FedMGDA, PropFair.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"results": results}
