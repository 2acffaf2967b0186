"""The panels of a picture on matplotlib's axes, in a style."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogFormatterSciNotation, MaxNLocator

from fltheory.plotting.direct_labels import CurveEnd, label_ends
from fltheory.plotting.figures.fitting import EXPONENT
from fltheory.plotting.picture import BarPanel, Curve, MapPanel, Panel, Picture, TablePanel
from fltheory.plotting.ranges.scales import outside
from fltheory.plotting.style import BLACK, BLUE, ORANGE, RED, SKY, STYLES, ZONES, Theme

Handles = Iterator[tuple[str, Any]]
FEW = 12  # largest number of ticks at whole numbers
SIGNS = {"s": "■", "o": "●", "D": "◆", "v": "▼", "^": "▲", "<": "◀", "x": "×", "-": "—", "--": "– –", ":": "···"}
HATCHES = ("", "/////", ".....")  # neighbouring bars, distinguishable without colours


def draw_curves(axes: Axes, panel: Panel, exponents_in_legend: bool, look: Theme) -> Handles:
    """Draw curves with their bands, zones and the case's own place; return the legend's entries."""
    axes.set_xscale(panel.x_scale)
    if panel.y_scale == "symlog":
        axes.set_yscale("symlog", linthresh=_linear_threshold(panel))
    elif panel.y_scale == "log" and look.breaks_lines:
        axes.set_yscale("log", nonpositive="mask")  # else a line falls to the bottom without a value
    else:
        axes.set_yscale(panel.y_scale)
    powers: list[tuple[str, str]] = []
    ends: list[tuple[Curve, str]] = []
    found: list[tuple[str, Any]] = []
    axes.set_autoscale_on(False)  # the first curve alone may have no value on a logarithmic axis
    for curve in panel.curves:
        line, colour = _draw_curve(axes, curve, look)
        power = curve.power() if panel.y_scale == "log" else ""
        if power and not exponents_in_legend:
            powers.append((f"{_sign_of(line)} {power}", colour))
        if curve.tag:
            ends.append((curve, colour))
        elif _is_visible(curve, panel) or not look.breaks_lines:
            found.append((f"{curve.label}, {power}" if power and exponents_in_legend else curve.label, line))
    axes.autoscale()
    for zone in panel.zones:
        patch = axes.axvspan(zone.low, zone.high, zorder=0, **look.themed_style(ZONES[zone.kind]))
        found.append((zone.label, patch))
    if panel.at is not None:
        place, called = panel.at
        line = axes.axvline(place, color=look.ink("0.35"), lw=0.7 * look.scale, ls=(0, (6, 4)), zorder=1)
        found.append((called, line))
    _finish(axes, panel, powers, look)
    label_ends(axes, [e for e in starmap(partial(_curve_end, axes), ends) if e is not None])
    yield from found


def _sign_of(line: Any) -> str:
    """Return a character like the marker of a line, or like its dashes: the colour alone does not tell lines apart."""
    marker = str(line.get_marker())
    return SIGNS.get(marker) or SIGNS.get(str(line.get_linestyle()), "")


def _curve_end(axes: Axes, curve: Curve, colour: str) -> CurveEnd | None:
    """Return the last point of a curve within the axes, if any."""
    low, high = axes.get_ylim()
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    seen = np.flatnonzero((y >= low) & (y <= high))
    return CurveEnd(float(x[seen[-1]]), float(y[seen[-1]]), curve.tag, colour) if len(seen) else None


def _is_visible(curve: Curve, panel: Panel) -> bool:
    """Return whether any of the curve is visible: within the axis, and not 0 on a logarithmic one."""
    y = np.asarray(curve.y, float)
    return outside(y, panel.y_limits, panel.y_scale == "log") < np.isfinite(y).sum()


def _linear_threshold(panel: Panel) -> float:
    """Return the linear threshold of a symmetric log axis: a thousandth of the largest value."""
    values = np.abs(np.concatenate([np.asarray(c.y, float) for c in panel.curves]))
    return float(np.nanmax(values)) * 1e-3


def _draw_curve(axes: Axes, curve: Curve, look: Theme) -> tuple[Any, str]:
    x, y = np.asarray(curve.x, float), np.asarray(curve.y, float)
    style = look.themed_style(STYLES[curve.style])
    if len(x) > 40 or curve.step:
        style["marker"] = "" if style["ls"] != "none" else style["marker"]
    if "markersize" in style:
        style["markersize"] *= look.scale
    if curve.low is not None:
        low, high = np.asarray(curve.low, float), np.asarray(curve.high, float)
        if not np.array_equal(low, high, equal_nan=True):
            axes.fill_between(x, low, high, color=style["color"], alpha=0.25, lw=0)
    if curve.step:
        style["drawstyle"] = "steps-post"
    (line,) = axes.plot(x, y, **style)
    return line, style["color"]


def _finish(axes: Axes, panel: Panel, powers: list[tuple[str, str]], look: Theme) -> None:
    """Set limits, labels, exponents above the panel and notes in it."""
    if panel.x_scale == "log" and panel.curves:
        x = np.concatenate([np.asarray(c.x, float) for c in panel.curves])
        x = x[x > 0]
        axes.set_xlim(x.min() / 1.08, x.max() * 1.08)
    axes.set_ylim(*panel.y_limits)
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title, pad=13 * look.scale if powers else None)
    axes.minorticks_off()
    _short_axes(axes, look)
    if panel.counts:
        _counted_ticks(axes)
    _chosen_ticks(axes, panel)
    for i, (power, colour) in enumerate(powers):
        axes.annotate(
            power,
            (1, 1),
            (-58 * look.scale * (len(powers) - 1 - i), 1),
            "axes fraction",
            "offset points",
            ha="right",
            va="bottom",
            fontsize=7 * look.scale,
            color=colour,
            label=EXPONENT,
        )
    for at_x, at_y, words in panel.notes:
        axes.text(at_x, at_y, words, transform=axes.transAxes, fontsize=7 * look.scale, va="bottom", ha="right")


def _counted_ticks(axes: Axes) -> None:
    """Put ticks only at whole numbers."""
    low, high = axes.get_xlim()
    ticks = [float(tick) for tick in axes.get_xticks() if low <= tick <= high]
    few = high - low < FEW / 2
    if few or any(tick != round(tick) for tick in ticks):
        near = range(math.ceil(low), math.floor(high) + 1)
        whole = near if few else [round(tick) for tick in MaxNLocator(5, integer=True).tick_values(low, high)]
        axes.set_xticks([tick for tick in whole if low <= tick <= high])
        axes.set_xlim(low, high)


def _short_axes(axes: Axes, look: Theme) -> None:
    """Put ticks at 1, 2, 5 times powers of ten, or evenly, if a log axis spans too few powers."""
    for axis, (low, high) in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" and high < 100 * low:
            powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
            ticks = [m * 10.0**e for e in powers for m in (1, 2, 5) if low <= m * 10.0**e <= high]
            axis.set_ticks(ticks if len(ticks) > 2 else MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(low, high))
            if (1e-3 < low and high < 1e6) or len(ticks) <= 2:
                axis.set_major_formatter(lambda v, _: f"{v:.10g}")
            elif look.breaks_lines:  # else only some ticks beside powers of ten have a name
                axis.set_major_formatter(LogFormatterSciNotation(minor_thresholds=(math.inf, math.inf)))
            axis.set_view_interval(low, high, ignore=True)


def _chosen_ticks(axes: Axes, panel: Panel) -> None:
    """Put the requested ticks, or for few whole numbers none between them."""
    x = np.concatenate([np.asarray(c.x, float) for c in panel.curves]) if panel.curves else np.zeros(0)
    if not panel.counts and panel.x_scale == "linear" and len(x) and (x == np.round(x)).all() and np.ptp(x) <= FEW:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    for axis, ticks in ((axes.xaxis, panel.x_ticks), (axes.yaxis, panel.y_ticks)):
        if ticks is not None:
            axis.set_ticks(ticks)


def colour_range_of(picture: Picture, colour_label: str) -> tuple[float, float]:
    """Return the common colour range of the maps with one label: its ends lie on both sides of 0, where the colour is white."""
    values = [p.values for p in picture.panels if isinstance(p, MapPanel) and p.colour_label == colour_label]
    low, high = (float(of([of(np.asarray(v, float)) for v in values])) for of in (np.nanmin, np.nanmax))
    return min(low, -0.05), max(high, 0.05)


def draw_map(axes: Axes, panel: MapPanel, ends: tuple[float, float]) -> Any:
    """Draw a map with its zero line, a mark and a legend of both signs; ``ends`` of the colour range; return its colours."""
    colours = LinearSegmentedColormap.from_list("winner", [ORANGE, "#FFFFFF", BLUE])
    values = np.asarray(panel.values, float)
    mesh = axes.pcolormesh(
        panel.x, panel.y, values, cmap=colours, norm=TwoSlopeNorm(0, *ends), shading="nearest", rasterized=False
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    if values.min() < -1e-9 < 1e-9 < values.max():
        axes.contour(panel.x, panel.y, values, levels=[0.0], colors=BLACK, linewidths=1.0)
    for sign, words in ((1, panel.high_label), (-1, panel.low_label)):
        share = np.argwhere(sign * values > 1e-9)
        if len(share):
            centre = share[np.argmin(((share - np.median(share, axis=0)) ** 2).sum(axis=1))]
            at_edge = centre[1] == values.shape[1] - 1
            axes.text(
                np.asarray(panel.x)[centre[1]],
                np.asarray(panel.y)[centre[0]],
                words,
                ha="right" if at_edge else "center",
                va="center",
                fontsize=7.5,
                bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 1.5},
            )
    if panel.mark is not None:
        x, y, words = panel.mark
        axes.plot([x], [y], marker="*", ms=9, ls="none", color=BLACK, markeredgecolor="white", zorder=5)
        axes.annotate(words, (x, y), (-5, 5), textcoords="offset points", fontsize=7, ha="right", zorder=5)
    axes.grid(False)
    axes.minorticks_off()
    axes.set_xlabel(panel.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_title(panel.title)
    return mesh


def draw_colour_bars(figure: Figure, drawn: Sequence[tuple[Axes, MapPanel, Any]]) -> None:
    """Draw a colour bar beside all maps if they share its label, else below each."""
    if not drawn:
        return
    labels = {panel.colour_label for _, panel, _ in drawn}
    if len(drawn) > 1 and len(labels) == 1:
        _, panel, mesh = drawn[0]
        figure.colorbar(mesh, ax=[axes for axes, _, _ in drawn], location="right", label=panel.colour_label, aspect=35)
        return
    for axes, panel, mesh in drawn:
        figure.colorbar(mesh, ax=axes, location="bottom", label=panel.colour_label, shrink=0.95, aspect=25)


def draw_table(axes: Axes, panel: TablePanel) -> None:
    """Draw a table with names at the axes and groups of columns above."""
    values = np.asarray(panel.values, float)
    colours = LinearSegmentedColormap.from_list("table", ["#FFFFFF", SKY])
    axes.imshow(np.asarray(panel.shades, float), cmap=colours, aspect="auto", vmin=0, vmax=1.4)
    for (i, j), value in np.ndenumerate(values):
        words = f"{value:.1f}\n±{np.asarray(panel.spreads)[i, j]:.1f}" if np.any(panel.spreads) else f"{value:g}"
        marked = bool(np.asarray(panel.highlights)[i, j])
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


def draw_bars(axes: Axes, panel: BarPanel, look: Theme) -> Handles:
    """Draw the bars of one name next to each other."""
    height = 0.8 / len(panel.bars)
    places = np.arange(len(panel.names))
    most = max(float(np.max(ends)) for bars in panel.bars for ends in (bars.values, bars.starts) if ends is not None)
    falls = all(bars.starts is not None for bars in panel.bars)  # then the number stands at the end that it is of
    found = []
    for i, bars in enumerate(panel.bars):
        values, at = np.asarray(bars.values, float), places + (i + 0.5) * height - 0.4
        colour = look.themed_style(STYLES[bars.style])["color"]
        looks = {"color": colour, "hatch": HATCHES[i % len(HATCHES)], "edgecolor": "white", "lw": 0}
        starts = np.full_like(values, panel.least) if bars.starts is None else np.asarray(bars.starts, float)
        drawn = axes.barh(at, values - starts, height, starts, **looks)
        words = bars.words or [f"{value:.3g}" for value in values]
        if falls:  # a bar without length has a place, too
            axes.plot(values, at, marker="|", ms=4, ls="none", color=colour, zorder=3)
        for y, end, text in zip(at, values if falls else np.maximum(values, starts), words, strict=True):
            place, side = ((-4, 0), "right") if falls else ((2, 0), "left")
            axes.annotate(text, (end, y), place, textcoords="offset points", va="center", ha=side, fontsize=5.5)
        found.append((bars.label, drawn))
    axes.set_xscale("log")
    room = (most / panel.least) ** 0.25
    axes.set_xlim(*((panel.least / room**1.6, most * room**0.2) if falls else (panel.least, most * room)))
    axes.set_yticks(places, panel.names if panel.named else [""] * len(places))
    axes.invert_yaxis()
    axes.minorticks_off()
    _short_axes(axes, look)
    axes.grid(False, axis="y")
    axes.set_xlabel(panel.x_label)
    axes.set_title(panel.title)
    yield from found
