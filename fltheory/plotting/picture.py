"""Pictures as data: panels of curves, the panel of a claim along a constant, and the table of plotted numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number.parsing import clip_text
from fltheory.plotting.captions import alt_text, caption, evidence_words, headline, truncation_note
from fltheory.plotting.labels import axis_label, formula, four_digits, letter_of, measure_label
from fltheory.plotting.labels import mathtext as mathtext
from fltheory.plotting.labels import number as number
from fltheory.plotting.labels import unit as unit
from fltheory.plotting.ranges.scales import outside, vertical_limits
from fltheory.plotting.ranges.zones import axis_height, ranges_of, vacuous_sides, violated_sides
from fltheory.plotting.sweep import Sweep, Watch, exponent, sweep
from fltheory.runs.measures import DataDependentMeasure

COLUMN, PAGE = 3.5, 7.16  # inches: one column, the page
Numbers = Sequence[float] | np.ndarray
_SIDES = {"upper": "bound", "lower": "lower bound", "equal": "formula"}
EMPTY = 6  # decades without a point that a caption mentions
TINIEST = 1e-300  # a smaller value is the end of an enclosure of 0
RATIOS = 30.0  # values that differ by more than this factor are compared by ratios: on a logarithmic axis
OVER_BOUND = "over the bound"  # begins the label of an axis of shares
WIDE = 1e3  # on a linear axis over a larger factor small values vanish: then a ratio is drawn


@dataclass(frozen=True)
class Curve:
    """One line of a panel; ``low`` and ``high`` draw a band; ``letter`` adds the fitted exponent of that symbol.

    ``style`` is a key of ``fltheory.plotting.style.STYLES``: bound, lower, measured, trivial, reference, first, ...
    """

    label: str
    x: Numbers
    y: Numbers
    style: str
    low: Numbers | None = None
    high: Numbers | None = None
    note: str | tuple[str, ...] = ""  # evidence, of all points or of each, for the table
    letter: str = ""
    step: bool = False  # a step function (distribution functions)
    tag: str = ""  # label at its end instead of the legend

    def power(self) -> str:
        """Return the fitted exponent as mathtext, or "", also for a constant curve."""
        slope = exponent(np.asarray(self.x, float), np.asarray(self.y, float)) if self.letter else None
        base = f"({self.letter})" if "^" in self.letter else self.letter
        return "" if not slope else rf"$\propto {base}^{{{slope:.2f}}}$"


@dataclass(frozen=True)
class Zone:
    """A shaded range of x; ``kind`` is a key of ``fltheory.plotting.style.ZONES``: inapplicable, vacuous or violated."""

    low: float
    high: float
    kind: str
    label: str


@dataclass(frozen=True)
class Panel:
    """Curves over one axis. Scales are matplotlib's."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    zones: tuple[Zone, ...] = ()
    x_scale: str = "log"
    y_scale: str = "log"
    y_limits: tuple[float | None, float | None] = (None, None)
    notes: tuple[tuple[float, float, str], ...] = ()  # (x, y, text)
    at: tuple[float, str] | None = None  # the case's own x, with its name
    x_ticks: tuple[float, ...] | None = None  # by default matplotlib's
    y_ticks: tuple[float, ...] | None = None
    counts: bool = False  # x are whole numbers


@dataclass(frozen=True)
class MapPanel:
    """Colours over two axes: log10 of a ratio, white at 0; panels of one colour label share their scale."""

    title: str
    x_label: str
    y_label: str
    x: Numbers
    y: Numbers
    values: ArrayLike  # (len(y), len(x))
    colour_label: str
    high_label: str  # meaning of a positive value
    low_label: str
    mark: tuple[float, float, str] | None = None  # a setting on the map, with its name


@dataclass(frozen=True)
class TablePanel:
    """Numbers in shaded cells, with names of rows and columns; ``marked`` cells are bold and framed."""

    title: str
    x_label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: ArrayLike  # (rows, columns)
    spreads: ArrayLike
    shades: ArrayLike  # from 0 to 1
    highlights: ArrayLike
    groups: tuple[str, ...] = ()  # of equally many columns, named above them


@dataclass(frozen=True)
class Bars:
    """A bar for each name of a panel, from ``starts`` or the least value of the panel; ``words`` stand beside them."""

    label: str
    values: Numbers
    style: str
    starts: Numbers | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class BarPanel:
    """Bars with names, from top to bottom, on a logarithmic axis from ``least``; with their numbers."""

    title: str
    x_label: str
    names: tuple[str, ...]
    bars: tuple[Bars, ...]
    least: float = 1
    named: bool = True  # else the panel on the left has the names


@dataclass(frozen=True)
class Dots:
    """Dots with intervals: ``places`` are rows from 0 downwards, ``words`` stand beside a dot ("" for most)."""

    label: str
    style: str
    places: Numbers
    values: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    names: tuple[str, ...] = ()  # of the dots, for the table
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class DotPanel:
    """Dots in named rows on a common axis, with a line at ``line``; values beyond ``limits`` are drawn at the edge."""

    title: str
    x_label: str
    rows: tuple[str, ...]
    dots: tuple[Dots, ...]
    line: float | None = 1
    x_scale: str = "log"
    limits: tuple[float, float] | None = None
    named: bool = True  # else the panel on the left has the names


@dataclass(frozen=True)
class Node:
    """A box of a graph: its name, its rule, its outcome, the nodes that it uses, and its position."""

    name: str
    rule: str
    verdict: str
    uses: tuple[str, ...]
    row: int = 0
    column: float = 0.0
    short: str = ""


@dataclass(frozen=True)
class GraphPanel:
    """Boxes with arrows from the nodes that each uses, from top to bottom."""

    title: str
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Strip:
    """A claim on a map: the largest used share of its bound, None if no ratio is known."""

    name: str
    verdict: str
    evidence: str
    ratio: float | None


@dataclass(frozen=True)
class StripPanel:
    """Bars on a logarithmic axis about 1, with names of some sections; clipped at ``least`` and ``most``."""

    title: str
    marks: tuple[Strip, ...]
    ticks: tuple[tuple[int, str], ...]
    least: float
    most: float


AnyPanel = Panel | MapPanel | TablePanel | BarPanel | DotPanel | GraphPanel | StripPanel


@dataclass(frozen=True)
class Picture:
    """Panels on a grid, with the finding as title and a common legend."""

    title: str
    panels: tuple[AnyPanel, ...]
    columns: int = 1
    width: float = COLUMN
    row_height: float = 2.0
    caption: str = ""
    cut: str = ""  # parts missing because work or time ran out
    legend_columns: int = 0
    description: str = ""  # for readers who can't see it


# Tables ---------------------------------------------------------------------------------------------------------------


def table(picture: Picture) -> list[tuple[str, ...]]:
    """Return the plotted numbers: panel, curve, x, y, low, high, note."""
    rows: list[tuple[str, ...]] = [("panel", "curve", "x", "y", "low", "high", "note")]
    for i, panel in enumerate(picture.panels, 1):
        name = f"{i}: {panel.title}"
        if isinstance(panel, MapPanel):
            for j, v in enumerate(np.asarray(panel.y)):
                for k, u in enumerate(np.asarray(panel.x)):
                    rows.append(
                        (name, _cell_text(u), _cell_text(v), _cell_text(np.asarray(panel.values)[j, k]), "", "", "")
                    )
            continue
        if isinstance(panel, TablePanel):
            rows += list(_cells(name, panel))
            continue
        if isinstance(panel, BarPanel):
            rows += list(_bar_rows(name, panel))
            continue
        if isinstance(panel, DotPanel):
            rows += list(_dot_rows(name, panel))
            continue
        if isinstance(panel, GraphPanel):
            rows += [(name, n.name, n.rule, n.verdict, "", "", " ".join(n.uses)) for n in panel.nodes]
            continue
        if isinstance(panel, StripPanel):
            ratios = ["" if mark.ratio is None else _cell_text(mark.ratio) for mark in panel.marks]
            rows += [
                (name, mark.verdict, mark.name, ratio, "", "", mark.evidence)
                for mark, ratio in zip(panel.marks, ratios, strict=True)
            ]
            continue
        for curve in panel.curves:
            low, high = (curve.y if end is None else end for end in (curve.low, curve.high))
            notes = [curve.note] * len(curve.x) if isinstance(curve.note, str) else curve.note
            for x, y, a, b, note in zip(curve.x, curve.y, low, high, notes, strict=True):
                rows.append((name, curve.label, _cell_text(x), _cell_text(y), _cell_text(a), _cell_text(b), note))
    return rows


def _bar_rows(name: str, panel: BarPanel) -> Iterator[tuple[str, ...]]:
    """Return a row for every bar: ``low`` is where it starts, if it has a start of its own."""
    for bars in panel.bars:
        starts = bars.values if bars.starts is None else bars.starts
        for at, value, start in zip(panel.names, bars.values, starts, strict=True):
            yield name, bars.label, at, _cell_text(value), _cell_text(start), _cell_text(value), ""


def _dot_rows(name: str, panel: DotPanel) -> Iterator[tuple[str, ...]]:
    """Return a row for every dot: x is the name of its row, the note its own."""
    for dots in panel.dots:
        low, high = (dots.values if end is None else end for end in (dots.low, dots.high))
        notes = dots.names or ("",) * len(dots.values)
        for place, value, a, b, note in zip(dots.places, dots.values, low, high, notes, strict=True):
            at = panel.rows[round(place)]
            yield name, dots.label, at, _cell_text(value), _cell_text(a), _cell_text(b), note


def _cells(name: str, panel: TablePanel) -> Iterator[tuple[str, ...]]:
    """Return a row for every cell: x is the column's name."""
    share = len(panel.columns) // max(len(panel.groups), 1)
    for i, row in enumerate(panel.rows):
        for j, column in enumerate(panel.columns):
            value, spread = np.asarray(panel.values)[i, j], np.asarray(panel.spreads)[i, j]
            where = f"{panel.groups[j // share]}, {column}" if panel.groups else column
            note = "marked" if np.asarray(panel.highlights)[i, j] else ""
            yield name, row, where, _cell_text(value), _cell_text(value - spread), _cell_text(value + spread), note


def _cell_text(value: float) -> str:
    return f"{float(value):.6g}"


# Claims ---------------------------------------------------------------------------------------------------------


def claim_picture(
    claim: Claim,
    case: Case | None = None,
    along: str | None = None,
    deadline: float = math.inf,
    watch: Watch | None = None,
    work: float = math.inf,
) -> Picture:
    """Return ``fltheory.plot`` as data; ``deadline``: ``time.perf_counter``; ``watch`` is called at every point."""
    return sweep_picture(sweep(claim, case, along, deadline=deadline, watch=watch, work=work))


def sweep_picture(found: Sweep) -> Picture:
    """Return the picture of a sweep: its finding as title, the bound against the measured value, a caption."""
    panel = claim_panel(found, "")
    more = (
        "Exponents: slope of the log-log curve over the last third of the axis, at least five points."
        if _has_powers(panel)
        else ""
    )
    more += _empty_decades_note(panel) + omission_note(found, panel)
    said = caption(found, more.strip())
    return Picture(
        headline(found),
        (panel,),
        width=5.0,
        row_height=3.3,
        caption=said,
        cut=truncation_note(found),
        legend_columns=2,
        description=alt_text(found),
    )


def _has_powers(panel: Panel) -> bool:
    return panel.y_scale == "log" and any(curve.power() for curve in panel.curves)


def _empty_decades_note(panel: Panel) -> str:
    """Return a line on the empty part of a logarithmic axis, if that is most of it."""
    low, high = panel.y_limits
    values = np.concatenate([np.asarray(c.y, float) for c in panel.curves])
    values = np.sort(
        values[np.isfinite(values) & (values > 0) & (values >= (low or 0.0)) & (values <= (high or math.inf))]
    )
    if panel.y_scale != "log" or len(values) < 2:
        return ""
    steps = np.diff(np.log10(values))
    at = int(steps.argmax())
    if steps[at] < EMPTY:
        return ""
    return f"\nNothing lies between {number(values[at])} and {number(values[at + 1])}: {steps[at]:.0f} empty decades."


def omission_note(found: Sweep, panel: Panel) -> str:
    """Return the number of points that the axis can't show: zeros on a logarithmic one, values beyond its ends, and gaps."""
    log, said = panel.y_scale == "log", ""
    drawn = [np.asarray(c.y, float) for c in panel.curves if c.style in ("measured", "outside")]
    measured = np.concatenate([*drawn, np.zeros(0)])
    lost = outside(measured, panel.y_limits, log)
    if lost:
        zero = "0 or beyond the axis" if log and (measured <= 0).any() else "beyond the axis"
        zero = "0" if log and panel.y_limits == (None, None) else zero
        said = f"\nNot drawn: the measured value is {zero} at {lost} of {int(np.isfinite(measured).sum())} values."
    blind = int(_blind_mask(found).sum())
    if blind:
        said += (
            f"\nNot drawn: at {blind} of {len(found.points)} values only a lower limit is known, and it is at most 0."
        )
    for curve in panel.curves:
        y = np.asarray(curve.y, float)
        y = y[np.isfinite(y)]
        if curve.style == "trivial" and len(y) and outside(y, panel.y_limits, log) == len(y) and (y > 0).any():
            ends = " to ".join(dict.fromkeys((four_digits(float(y.min())), four_digits(float(y.max())))))
            said += f"\nNot drawn: the trivial bound, {ends}."
    return said


def claim_panel(found: Sweep, title: str, brief: bool = False) -> Panel:
    """Return the panel of a sweep: bounds where the claim applies, the measured quantity, the trivial bound.

    Violations have a mark and a zone. ``brief``: labels for one panel of many, with a common legend.
    """
    claim, x = found.claim, found.column("value")
    signed = isinstance(claim.measure, DataDependentMeasure) and bool((found.column("measured") < 0).any())  # negative
    curves = [*_bound_curves(found, brief, signed), *measured_curves(found, brief, signed)]
    drawn = [c for c in curves if brief or c.style != "trivial"]
    values = np.concatenate([np.asarray(c.y, float) for c in drawn])
    values = values[np.isfinite(values)]
    positive, negative = any(map(_is_positive, drawn)), bool((values < 0).any())
    logarithmic = (positive and not negative) or (not brief and _means_ratios(found))
    if not brief and (found.column("measured")[found.violated(surely=False)] <= 0).any():
        logarithmic = False  # the violation has no place there
    panel = Panel(
        title,
        axis_label(claim.bound, found.symbol, brief),
        measure_label(claim),
        tuple(curves),
        x_scale="log" if (x > 0).all() else "linear",
        y_scale="log" if logarithmic else "linear",
        y_limits=(_floor(found, brief) if logarithmic else None, None),
        at=None if brief or not math.isfinite(found.own) else (found.own, "the case itself"),
        counts=not brief and bool(found.symbol.is_integer),
    )
    panel = panel if brief or logarithmic or not (positive or negative) else _readable(panel, values, found.limit())
    panel = replace(panel, zones=tuple(all_zones(found, brief, panel.y_scale, panel.y_label.startswith(OVER_BOUND))))
    if not (brief or positive or negative):
        return replace(panel, y_limits=(-1, 1))  # ends of enclosures of 0 are no heights
    return panel if brief else _limited(found, panel)


def _is_positive(curve: Curve) -> bool:
    """Return whether any value is positive, and not only as the end of an enclosure of 0."""
    y = np.asarray(curve.y, float)
    least = y if curve.low is None else np.asarray(curve.low, float)
    return bool(((y > 0) & (least > 0)).any())


def _means_ratios(found: Sweep) -> bool:
    """Return whether values and bounds are positive where the claim says something, and differ by a large factor there."""
    telling = found.informative()
    limits = np.concatenate([found.limit(i) for i in range(len(found.claim.bounds))])
    values = np.concatenate([found.column("measured")[telling], limits[np.isfinite(limits)]])
    return telling.sum() >= 2 and bool((values > 0).all()) and values.max() > RATIOS * values.min()


def _limited(found: Sweep, panel: Panel) -> Panel:
    """Return the panel with the axis of what matters: bounds, and measured values where the claim says something."""
    if panel.y_scale == "symlog":
        return panel
    telling = found.informative() | (found.column("value") == found.own)
    inside = {"measured": telling, "violated": telling, "outside": np.zeros_like(telling)}
    whole = np.ones_like(telling)
    drawn = [c for c in panel.curves if c.style != "trivial"]
    main, rest, trivial = (
        np.concatenate([*parts, np.zeros(0)])
        for parts in (
            [np.asarray(c.y, float)[inside.get(c.style, whole)] for c in drawn],
            [np.asarray(c.y, float) for c in drawn],
            [np.asarray(c.y, float) for c in panel.curves if c.style == "trivial"],
        )
    )
    low, high = vertical_limits(main, rest, trivial, panel.y_scale == "log")
    return replace(panel, y_limits=(low if panel.y_limits[0] is None else max(panel.y_limits[0], low or 0.0), high))


def _bound_curves(found: Sweep, brief: bool, signed: bool) -> Iterator[Curve]:
    claim, x = found.claim, found.column("value")
    letter = "" if signed else letter_of(claim.bound, found.symbol)
    labels = [
        _SIDES[bound.side] if brief else f"{_SIDES[bound.side]} {_in_parentheses(bound.source.place)}"
        for bound in claim.bounds
    ]
    for i, bound in enumerate(claim.bounds):
        first = bound.side not in [b.side for b in claim.bounds[:i]]
        style = "lower" if bound.side == "lower" else "bound"
        style = style if first and (i == 0 or style == "lower") else f"{style} 2" if brief else f"{style} {i + 1}"
        label = labels[i] if brief or labels.count(labels[i]) == 1 else _numbered_label(claim, i)
        yield Curve(label, x, found.limit(i), style, letter=letter)


def _in_parentheses(place: str) -> str:
    return place if re.fullmatch(r"\([^()]*\)", place) else f"({place})"


def _numbered_label(claim: Claim, index: int) -> str:
    """Return the label of one of several bounds of one place: its number, and the constants that not all of them have."""
    bound = claim.bounds[index]
    alike = [b for b in claim.bounds if (b.side, b.source.place) == (bound.side, bound.source.place)]
    common = set.intersection(*(set(b.expr.free_symbols) for b in alike))
    own = sorted(str(letter_of(bound, s)) for s in bound.expr.free_symbols - common)
    words = (
        f"with ${', '.join(own)}$"
        if own
        else "without them"
        if any(b.expr.free_symbols - common for b in alike)
        else ""
    )
    place = ", ".join(filter(None, (bound.source.place, words)))
    return f"{_SIDES[bound.side]} {alike.index(bound) + 1} ({place})"


def measured_curves(found: Sweep, brief: bool, signed: bool) -> Iterator[Curve]:
    """Return curves of the measure (claim applies, does not apply, or is violated) and the trivial bound."""
    claim, x = found.claim, found.column("value")
    if claim.measure is None:
        return
    applies = np.array([p.applies for p in found.points], dtype=bool)
    measured, low, high = (found.column(n) for n in ("measured", "low", "high"))
    measured = measured if brief else np.where(np.abs(measured) < TINIEST, 0.0, measured)
    measured = measured if brief else np.where(_blind_mask(found), np.nan, measured)
    inside, out = (np.where(mask, measured, np.nan) for mask in (applies, ~applies))
    band = np.where(applies, low, np.nan), np.where(applies, high, np.nan)
    letter = "" if signed else letter_of(claim.bound, found.symbol)
    evidence = found.evidence() if brief else evidence_words(found, counted=False)
    notes = tuple(p.evidence for p in found.points)  # each point has its own
    yield Curve(f"measured ({evidence})", x, inside, "measured", *band, notes, letter)
    violated = found.violated(surely=False)
    if violated.any():
        yield Curve("violates the bound", x, np.where(violated, measured, np.nan), "violated", note=notes)
    if np.isfinite(out).any():
        yield Curve("measured where the claim does not apply", x, out, "outside", note=notes)
    trivial = found.column("trivial")
    if np.isfinite(trivial).any():
        yield Curve("trivial bound", x, trivial, "trivial")


def _blind_mask(found: Sweep) -> np.ndarray:
    """Return where nothing but a lower limit of at most 0 is known of a value that has a positive bound: it says nothing."""
    return np.array(
        [p.evidence == "exact lower limit" and p.measured <= 0 < min(p.limits, default=0) for p in found.points],
        dtype=bool,
    )


def all_zones(found: Sweep, brief: bool, scale: str = "log", over_bound: bool = False) -> Iterator[Zone]:
    """Return the shaded ranges, cut where the curves cross on an axis of this scale, or as shares of the bound."""
    x = found.column("value")
    sizes = np.abs(np.concatenate([found.column("measured"), *map(found.limit, range(len(found.claim.bounds)))]))
    largest = float(np.nanmax(sizes)) if np.isfinite(sizes).any() else 1.0

    def height(values: np.ndarray) -> np.ndarray:
        return values / found.limit() if over_bound else axis_height(values, scale, largest)

    inapplicable = np.array([not p.applies for p in found.points], dtype=bool)
    reason = ": a condition fails" if brief else _reasons_text(found)
    for ends in ranges_of(x, inapplicable, lambda _: None):
        yield Zone(*ends, "inapplicable", f"not applicable{reason}")
    words = "vacuous: the bound is " + ("above that" if found.claim.bound.side == "upper" else "not positive")
    for ends in ranges_of(x, found.vacuous(), vacuous_sides(found, height)):
        yield Zone(*ends, "vacuous", words)
    for ends in ranges_of(x, found.violated(surely=False), violated_sides(found, height), at_value=True):
        yield Zone(*ends, "violated", "violated here")


def _readable(panel: Panel, values: np.ndarray, limit: np.ndarray) -> Panel:
    """Return a linear axis over many decades as a ratio to the bound, or without one on a symmetric log scale."""
    sizes = np.abs(values[values != 0])
    if not len(sizes) or sizes.max() < WIDE * sizes.min():
        return panel
    if not (limit[np.isfinite(limit)] > 0).all():
        return replace(panel, y_scale="symlog") if sizes.max() > WIDE**2 * sizes.min() else panel
    curves = tuple(
        replace(c, y=np.asarray(c.y) / limit, low=_relative_to(c.low, limit), high=_relative_to(c.high, limit))
        for c in panel.curves
    )
    return replace(panel, curves=curves, y_label=f"{OVER_BOUND}: {panel.y_label.rpartition(' (')[0]}")


def _relative_to(values: Numbers | None, limit: np.ndarray) -> np.ndarray | None:
    return None if values is None else np.asarray(values, float) / limit


def _floor(found: Sweep, brief: bool) -> float | None:
    """Return the end of the axis: errors far below every bound would flatten the rest."""
    limits = [v for i in range(len(found.claim.bounds)) for v in found.limit(i) if v > 0]
    measured = found.column("measured")
    if not limits or found.claim.bound.side == "lower":
        return None
    if not ((measured < 1e-12 * min(limits)) & (brief | (measured > 0))).any():
        return None
    return 1e-12 * min(limits)


def _reasons_text(found: Sweep) -> str:
    letters = dict(found.claim.bound.letters)
    broken = [formula(c, letters) for c in found.broken]
    if broken:
        return ": needs " + ", ".join(broken)
    reasons = [p.reason for p in found.points if p.reason]
    return f": {mathtext(clip_text(reasons[0].partition(':')[0], 70))}" if reasons else ""
