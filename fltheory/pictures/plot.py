"""Drawing: a bound against the measured quantity, and any other picture. The only module that knows matplotlib."""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.known import find
from fltheory.pictures.direct import End, label_ends
from fltheory.pictures.picture import COLUMN, BarPanel, MapPanel, Panel, Picture, TablePanel, claim_picture, table

BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)  # Okabe and Ito: told apart by colour-blind readers
SETTINGS: Any = {
    "svg.hashsalt": "fltheory",
    "svg.fonttype": "path",
    "font.size": 7.5,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "figure.titlesize": 8.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "grid.linewidth": 0.3,
    "grid.alpha": 0.5,
    "legend.frameon": False,
    "axes.titlelocation": "left",
    "hatch.linewidth": 0.4,
    "mathtext.fontset": "dejavusans",
}
STYLES: dict[str, dict[str, Any]] = {
    "bound": {"color": RED, "ls": "--", "marker": "s"},
    "bound 2": {"color": PURPLE, "ls": (0, (5, 1, 1, 1)), "marker": "D"},
    "lower": {"color": GREEN, "ls": ":", "marker": "^"},
    "measured": {"color": BLUE, "ls": "-", "marker": "o"},
    "outside": {"color": BLUE, "ls": "none", "marker": "o", "markerfacecolor": "white", "markeredgewidth": 0.8},
    "trivial": {"color": "0.35", "ls": (0, (1, 1)), "marker": ""},
    "reference": {"color": BLACK, "ls": "-.", "marker": ""},
    "reference 2": {"color": PURPLE, "ls": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
    "reference 3": {"color": SKY, "ls": (0, (6, 2)), "marker": "x"},
    "reference 4": {"color": GREEN, "ls": ":", "marker": "^"},
    "first": {"color": BLUE, "ls": "-", "marker": ""},
    "second": {"color": ORANGE, "ls": "--", "marker": ""},
    "third": {"color": GREEN, "ls": ":", "marker": ""},
}
ZONES: dict[str, dict[str, Any]] = {
    "inapplicable": {"facecolor": "0.92", "edgecolor": "0.7", "hatch": "////", "lw": 0},
    "vacuous": {"facecolor": "#F0E442", "alpha": 0.22, "lw": 0},
}


HATCHES = ("", "/////", ".....")  # bars beside each other, told apart without colours
FEW = 12  # ticks at most at whole numbers


METADATA: dict[str, Any] = {
    "svg": {"Date": None, "Creator": "fltheory"},
    "pdf": {"CreationDate": None},
    "png": {"Software": "fltheory"},
}


def plot(claim: Claim | str, case: Case | None = None, along: str | None = None) -> Figure:
    """A claim's bounds against the measured quantity along a free constant (default: the rounds, if they matter).

    ValueError where the claim has no such constant, with the names of those it has.
    """
    return draw(claim_picture(find(claim) if isinstance(claim, str) else claim, case, along))


# Drawing --------------------------------------------------------------------------------------------------------


class StableFigure(Figure):
    """A figure whose files carry no date and no random names: redrawing gives the same bytes."""

    def savefig(self, fname: Any, **options: Any) -> None:
        kind = options.get("format") or Path(str(fname)).suffix.lstrip(".").lower() or "svg"
        options = {"format": kind, "dpi": 200, "metadata": METADATA.get(kind), **options}
        with rc_context(SETTINGS):
            super().savefig(fname, **options)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="svg")
        return buffer.getvalue().decode()


def draw(picture: Picture) -> Figure:
    """The picture as a matplotlib figure."""
    with rc_context(SETTINGS):
        rows = -(-len(picture.panels) // picture.columns)
        figure = StableFigure(
            figsize=(picture.width, rows * picture.row_height + 0.5),
            layout=ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.05),
        )
        grid = figure.subplots(rows, picture.columns, squeeze=False)
        handles: dict[str, Any] = {}
        single = len(picture.panels) == 1
        for axes, panel in zip(grid.flat, picture.panels, strict=False):
            if isinstance(panel, MapPanel):
                _draw_map(figure, axes, panel, _reach(picture, panel.colour_label))
            elif isinstance(panel, TablePanel):
                _draw_table(axes, panel)
            elif isinstance(panel, BarPanel):
                handles |= {k: h for k, h in _draw_bars(axes, panel) if k not in handles}
            else:
                handles |= {k: h for k, h in _draw_panel(axes, panel, single) if k not in handles}
        for axes in list(grid.flat)[len(picture.panels) :]:
            axes.set_visible(False)
        if picture.title:
            figure.suptitle(picture.title, x=0.01, ha="left")
        columns = picture.legend_columns or (1 if picture.width <= COLUMN else 3)
        if picture.caption and not handles:  # without a legend it has no place beside it
            figure.supxlabel(picture.caption, x=0.01, ha="left", fontsize=7, color="0.25")
        if handles:
            legend = figure.legend(
                list(handles.values()),
                list(handles),
                loc="outside lower left",
                ncols=columns,
                handlelength=3,
                title=picture.caption or None,
                title_fontsize=7,
                alignment="left",
            )
            legend.get_title().set_color("0.25")
    return figure


def _draw_panel(axes: Axes, panel: Panel, exponents_in_legend: bool) -> Iterator[tuple[str, Any]]:
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    powers: list[tuple[str, str]] = []
    ends: list[tuple[np.ndarray, np.ndarray, str, str]] = []
    found: list[tuple[str, Any]] = []
    for curve in panel.curves:
        x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
        style = {**STYLES[curve.style]}
        if len(x) > 40 or curve.step:
            style["marker"] = "" if style["ls"] != "none" else style["marker"]
        if curve.low is not None:
            low, high = np.asarray(curve.low, float), np.asarray(curve.high, float)
            if not np.array_equal(low, high, equal_nan=True):
                axes.fill_between(x, low, high, color=style["color"], alpha=0.25, lw=0)
        if curve.step:
            style["drawstyle"] = "steps-post"
        (line,) = axes.plot(x, y, **style)
        power = curve.power()
        label = curve.label
        if power and exponents_in_legend:
            label += f", {power}"
        elif power:
            powers.append((power, style["color"]))
        if curve.tag:
            ends.append((x, y, curve.tag, style["color"]))
        else:
            found.append((label, line))
    for zone in panel.zones:
        patch = axes.axvspan(zone.low, zone.high, zorder=0, **ZONES[zone.kind])
        found.append((zone.label, patch))
    if panel.x_scale == "log" and panel.curves:
        x = np.concatenate([np.asarray(c.x, float) for c in panel.curves])
        x = x[x > 0]
        axes.set_xlim(x.min() / 1.08, x.max() * 1.08)
    axes.set_ylim(*panel.y_limits)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title, pad=13 if powers else None)
    axes.minorticks_off()
    _short_axes(axes)
    _chosen_ticks(axes, panel)
    label_ends(axes, [e for e in starmap(partial(_last, axes), ends) if e is not None])
    for i, (power, colour) in enumerate(powers):
        axes.annotate(
            power,
            (1, 1),
            (-50 * (len(powers) - 1 - i), 1),
            "axes fraction",
            "offset points",
            ha="right",
            va="bottom",
            fontsize=7,
            color=colour,
        )
    for at_x, at_y, words in panel.notes:
        axes.text(at_x, at_y, words, transform=axes.transAxes, fontsize=7, va="bottom", ha="right")
    yield from found


def _chosen_ticks(axes: Axes, panel: Panel) -> None:
    """The ticks that are asked for; none between whole numbers, where only these are drawn and few."""
    x = np.concatenate([np.asarray(c.x, float) for c in panel.curves]) if panel.curves else np.zeros(0)
    if panel.x_scale == "linear" and len(x) and (x == np.round(x)).all() and np.ptp(x) <= FEW:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axis, ticks in ((axes.xaxis, panel.x_ticks), (axes.yaxis, panel.y_ticks)):
        if ticks is not None:
            axis.set_ticks(ticks)


def _last(axes: Axes, x: np.ndarray, y: np.ndarray, words: str, colour: str) -> End | None:
    """The last point of a curve that is within the axes, if there is one."""
    low, high = axes.get_ylim()
    seen = np.flatnonzero((y >= low) & (y <= high))
    return End(float(x[seen[-1]]), float(y[seen[-1]]), words, colour) if len(seen) else None


def _short_axes(axes: Axes) -> None:
    """Ticks at 1, 2, 5 times powers of ten, or evenly, where a logarithmic axis spans too little for the powers alone."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and high < 100 * low:
            powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            ticks = [m * 10.0**e for e in powers for m in (1, 2, 5) if low <= m * 10.0**e <= high]
            axis.set_ticks(ticks if len(ticks) > 2 else MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high))
            if (1e-3 < low and high < 1e6) or len(ticks) <= 2:
                axis.set_major_formatter(lambda v, _: f"{v:.10g}")
            axis.set_view_interval(low, high, ignore=True)


def _reach(picture: Picture, colour_label: str) -> float:
    """How far the colours go that the panels of one label share."""
    values = [p.values for p in picture.panels if isinstance(p, MapPanel) and p.colour_label == colour_label]
    return max(0.05, *(float(np.nanmax(np.abs(np.asarray(v, float)))) for v in values))


def _draw_map(figure: Figure, axes: Axes, panel: MapPanel, reach: float) -> None:
    colours = LinearSegmentedColormap.from_list("winner", [ORANGE, "#FFFFFF", BLUE])
    values = np.asarray(panel.values, float)
    mesh = axes.pcolormesh(
        panel.x, panel.y, values, cmap=colours, norm=TwoSlopeNorm(0, -reach, reach), shading="nearest", rasterized=False
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    if values.min() < -1e-9 < 1e-9 < values.max():
        axes.contour(panel.x, panel.y, values, levels=[0.0], colors=BLACK, linewidths=1.0)
    for sign, words in ((1, panel.high_label), (-1, panel.low_label)):
        share = np.argwhere(sign * values > 1e-9)
        if len(share) > 0.02 * values.size:
            centre = share[np.argmin(((share - np.median(share, axis=0)) ** 2).sum(axis=1))]
            axes.text(
                np.asarray(panel.x)[centre[1]],
                np.asarray(panel.y)[centre[0]],
                words,
                ha="center",
                va="center",
                fontsize=7.5,
                bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 1.5},
            )
    axes.grid(False)
    axes.minorticks_off()
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title)
    figure.colorbar(mesh, ax=axes, location="bottom", label=panel.colour_label, shrink=0.95, aspect=25)


def _draw_table(axes: Axes, panel: TablePanel) -> None:
    """Names at the axes, the columns' groups above."""
    values = np.asarray(panel.values, float)
    colours = LinearSegmentedColormap.from_list("table", ["#FFFFFF", SKY])
    axes.imshow(np.asarray(panel.shades, float), cmap=colours, aspect="auto", vmin=0, vmax=1.4)
    for (i, j), value in np.ndenumerate(values):
        words = f"{value:.1f}\n±{np.asarray(panel.spreads)[i, j]:.1f}" if np.any(panel.spreads) else f"{value:g}"
        marked = bool(np.asarray(panel.marked)[i, j])
        axes.text(j, i, words, ha="center", va="center", fontsize=6, weight="bold" if marked else "normal")
        if marked:
            axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, edgecolor=RED, lw=1.2, zorder=3))
    axes.set_xticks(range(len(panel.columns)), panel.columns)
    axes.set_yticks(range(len(panel.rows)), panel.rows)
    share = len(panel.columns) // max(len(panel.groups), 1)
    for i, group in enumerate(panel.groups):
        axes.text((i + 0.5) * share - 0.5, -0.62, group, ha="center", va="bottom")
        if i:
            axes.axvline(i * share - 0.5, color=BLACK, lw=0.8)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.set_xlabel(panel.x_label)
    axes.set_title(panel.title, pad=13 if panel.groups else None)


def _draw_bars(axes: Axes, panel: BarPanel) -> Iterator[tuple[str, Any]]:
    """Bars of one name beside each other."""
    height = 0.8 / len(panel.bars)
    places = np.arange(len(panel.names))
    most = max(float(np.max(bars.values)) for bars in panel.bars)
    found = []
    for i, bars in enumerate(panel.bars):
        values, at = np.asarray(bars.values, float), places + (i + 0.5) * height - 0.4
        look = {"color": STYLES[bars.style]["color"], "hatch": HATCHES[i % len(HATCHES)], "edgecolor": "white", "lw": 0}
        drawn = axes.barh(at, values - panel.least, height, panel.least, **look)
        for y, value in zip(at, values, strict=True):
            axes.annotate(f"{value:.3g}", (value, y), (2, 0), textcoords="offset points", va="center", fontsize=5.5)
        found.append((bars.label, drawn))
    axes.set_xscale("log")
    axes.set_xlim(panel.least, most * (most / panel.least) ** 0.25)
    axes.set_yticks(places, panel.names if panel.named else [""] * len(places))
    axes.invert_yaxis()
    axes.minorticks_off()
    _short_axes(axes)
    axes.grid(False, axis="y")
    axes.set_xlabel(panel.x_label)
    axes.set_title(panel.title)
    yield from found


# Files ----------------------------------------------------------------------------------------------------------------


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure (svg, png, pdf by its ending), atomically and without dates: redrawing gives the same file."""
    path = Path(path)
    kind = path.suffix.lstrip(".").lower() or "svg"
    if kind not in ("svg", "png", "pdf"):
        raise ValueError(f"can't write {path.name}: the ending must be .svg, .png or .pdf")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind)
    data = buffer.getvalue()
    if kind == "svg":  # no trailing blanks: quiet diffs
        data = b"\n".join(line.rstrip() for line in data.splitlines()) + b"\n"
    _replace(path, data)


def save_picture(picture: Picture, path: str | os.PathLike[str]) -> None:
    """The picture, and beside it the CSV that it was drawn from."""
    save(draw(picture), path)
    save_table(picture, Path(path).with_suffix(".csv"))


def save_table(picture: Picture, path: str | os.PathLike[str]) -> None:
    """The numbers of the picture as CSV, written atomically."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(table(picture))
    _replace(Path(path), buffer.getvalue().encode())


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
