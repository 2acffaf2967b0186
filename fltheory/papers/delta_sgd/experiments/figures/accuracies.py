"""Figure of the printed accuracies, Tables 1 to 7: Delta-SGD beside the other optimisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fltheory.papers.delta_sgd.experiments.tables import ROWS, Row
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, DotPanel, Dots, Picture


def _panel(title: str, chosen: Sequence[Row], with_table: bool) -> DotPanel:
    """Return the printed accuracies of these lines of the tables."""
    places, values, names = [], [], []
    for place, row in enumerate(chosen):
        for name, value in row.others.items():
            places.append(place)
            values.append(float(value))
            names.append(name)
    ours = Dots("Delta-SGD", "bound", range(len(chosen)), [float(row.ours) for row in chosen])
    others = Dots("seven other optimisers", "outside", places, values, names=tuple(names))
    labels = tuple(_label(row, with_table) for row in chosen)
    return DotPanel(title, "test accuracy (percent)", labels, (others, ours), None, "linear", (0, 100))


def _label(row: Row, with_table: bool) -> str:
    """Return the name of a line; the tasks of Table 1 begin with alpha."""
    if with_table:
        return f"{row.table}, {row.task}"
    alpha, _, data = row.task.partition(" ")
    return rf"{data}, $\alpha={alpha}$"


@headline("As printed Delta-SGD is first or second in most lines of the tables")
def accuracies() -> Picture:
    """Plot the printed accuracies of Tables 1 to 7."""
    lines = [Row(table, task) for table, task in ROWS]
    first, rest = ([row for row in lines if (row.table == "Table 1") == own] for own in (True, False))
    ahead = [sum(value > row.ours for value in row.others.values()) for row in lines]
    lag = max(float(max(row.others.values()) - row.ours) for row in lines)
    return Picture(
        f"Of {len(lines)} printed lines Delta-SGD is first in {ahead.count(0)} and second in {ahead.count(1)}; at worst it is "
        f"{lag:.1f} points behind the best",
        (_panel("Table 1", first, False), _panel("Tables 2 to 7", rest, True)),
        columns=2,
        width=PAGE,
        row_height=3.8,
        legend_columns=2,
        caption="Numbers of the paper, not measured here. R18, R50: ResNet-18 and ResNet-50; $\\alpha$: the smaller, the more the "
        "clients differ.\nThe others: SGD, SGDM (with momentum), both also with decreasing steps, Adam, Adagrad, "
        "SPS (Polyak's step).",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"accuracies": accuracies}
