"""The dual variables of a statement along a parameter: which inequalities a proof uses where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from fltheory.plotting.picture import Curve, Panel, Picture, Zone
from fltheory.plotting.plot import draw, theme_of
from fltheory.proof.language import Theorem
from fltheory.proving.multipliers.along import Along, multipliers_along

STYLES = ("first", "second", "third", "reference", "reference 2", "reference 3", "reference 4")


def plot_multipliers(
    theorem: Theorem,
    along: str,
    values: Iterable[Any],
    at: Mapping[str, Any],
    *,
    style: str = "paper",
    width: str | float | None = None,
) -> Figure:
    """Draw the dual variables of a statement along a parameter.

    Parameters
    ----------
    theorem : Theorem
        Hypotheses and one inequality between numbers.
    along : str
        The name of the parameter on the horizontal axis.
    values : iterable of numbers
        Its values.
    at : mapping
        The values of all other parameters by name.
    style : {"paper", "slide", "dark"}
        Sizes and colours.
    width : {"column", "page"} or number of inches, optional
        Width of the figure.

    Returns
    -------
    matplotlib.figure.Figure
        One curve for each inequality that is used somewhere; those equal everywhere share one.
    """
    found = multipliers_along(theorem, along, values, at)
    return draw(multipliers_picture(found, f"{theorem.id}: dual variables along {along}"), theme_of(style, width))


def multipliers_picture(along: Along, title: str = "") -> Picture:
    """Return the picture: one curve for each inequality, those that are equal everywhere as one, and where none proves it."""
    x = np.array([float(v) for v in along.values])
    curves = tuple(
        Curve(", ".join(names), x, np.array(row), STYLES[k % len(STYLES)])
        for k, (row, names) in enumerate(_together(along).items())
    )
    letter = along.parameter.name
    zones = tuple(
        Zone(low, high, "inapplicable", "no combination of the inequalities proves it") for low, high in _gaps(along, x)
    )
    panel = Panel("", letter, "dual variable", curves, zones, x_scale="linear", y_scale="linear", y_limits=(0.0, None))
    active = "; ".join(f"{', '.join(names)} on {_range(row, x)}" for row, names in _together(along).items())
    return Picture(
        title or f"Dual variables along {letter}",
        (panel,),
        width=5.0,
        row_height=3.3,
        caption=f"The weights with which the inequalities of the class prove the statement. Not 0: {active}.",
        legend_columns=1,
        description=f"Curves of dual variables along {letter}. Active: {active}.",
    )


def _together(along: Along) -> dict[tuple[float, ...], list[str]]:
    """Return the inequalities by their multipliers, rounded so that equal ones meet."""
    found: dict[tuple[float, ...], list[str]] = {}
    for name, row in along.multipliers.items():
        key = tuple(float(f"{v:.4g}") for v in row)
        same = next((k for k in found if np.allclose(k, key, rtol=1e-3, atol=1e-5, equal_nan=True)), key)
        found.setdefault(same, []).append(name)
    return found


def _range(row: tuple[float, ...], x: np.ndarray) -> str:
    there = x[np.nan_to_num(np.array(row)) > 0]
    return f"[{there.min():.3g}, {there.max():.3g}]" if len(there) else "no value"


def _gaps(along: Along, x: np.ndarray) -> list[tuple[float, float]]:
    """Return the ranges in which no multipliers exist."""
    found: list[tuple[float, float]] = []
    for k, proved in enumerate(along.proved):
        if not proved:
            low = float(x[k - 1] + x[k]) / 2 if k else float(x[0])
            high = float(x[k] + x[k + 1]) / 2 if k + 1 < len(x) else float(x[-1])
            if found and found[-1][1] == low:
                found[-1] = (found[-1][0], high)
            else:
                found.append((low, high))
    return found
