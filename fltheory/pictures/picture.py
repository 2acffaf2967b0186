"""Pictures as data: panels of curves, the panel of a claim along a constant, labels, and the table of what is drawn."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy import Symbol

from fltheory.bound import Bound, Dimension
from fltheory.case import Case
from fltheory.claim import Claim, variant_of
from fltheory.evidence.verdict import called, short_name
from fltheory.pictures.point import CONFIDENCE
from fltheory.pictures.sweep import Sweep, exponent, sweep
from fltheory.runs.measures import FromRun
from fltheory.symbols import VOCABULARY

COLUMN, PAGE = 3.5, 7.16  # inches: one column, the page
Numbers = Sequence[float] | np.ndarray
EMPTY = 6  # decades without a point that a caption mentions
_INDEXED = re.compile(r"([^\W\d_])(\u0304?)_(\{[^}]*\}|\*|\w)(?!\w)")  # E_n, X̄_n, A_{m,k}


@dataclass(frozen=True)
class Curve:
    """One line of a panel; ``low`` and ``high`` draw a band; ``fit`` adds the fitted exponent of ``letter``."""

    label: str
    x: Numbers
    y: Numbers
    style: str
    low: Numbers | None = None
    high: Numbers | None = None
    note: str | tuple[str, ...] = ""  # evidence, of all points or of each: goes into the table
    letter: str = ""
    step: bool = False  # a staircase (distribution functions)
    tag: str = ""  # stands at its end; then the legend leaves it out

    def power(self) -> str:
        """The fitted exponent as mathtext, or nothing."""
        slope = exponent(np.asarray(self.x, float), np.asarray(self.y, float)) if self.letter else None
        return "" if slope is None else rf"$\propto {self.letter}^{{{slope:.2f}}}$"


@dataclass(frozen=True)
class Zone:
    """A shaded range of x."""

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
    x_ticks: tuple[float, ...] | None = None  # by default where they fall
    y_ticks: tuple[float, ...] | None = None


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
    high_label: str  # what a positive value means
    low_label: str


@dataclass(frozen=True)
class TablePanel:
    """Numbers in shaded cells, rows and columns by name; cells that are ``marked`` are bold and framed."""

    title: str
    x_label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: ArrayLike  # (rows, columns)
    spreads: ArrayLike
    shades: ArrayLike  # from 0 to 1
    marked: ArrayLike
    groups: tuple[str, ...] = ()  # of equally many columns, named above them


@dataclass(frozen=True)
class Bars:
    """A bar for each name of a panel."""

    label: str
    values: Numbers
    style: str


@dataclass(frozen=True)
class BarPanel:
    """Bars beside names, from the first downwards, over a logarithmic axis that begins at ``least``; their numbers beside them."""

    title: str
    x_label: str
    names: tuple[str, ...]
    bars: tuple[Bars, ...]
    least: float = 1
    named: bool = True  # else the names stand beside the panel on the left


@dataclass(frozen=True)
class Picture:
    """Panels on a grid with a title that says the finding, and one legend for all."""

    title: str
    panels: tuple[Panel | MapPanel | TablePanel | BarPanel, ...]
    columns: int = 1
    width: float = COLUMN
    row_height: float = 2.0
    caption: str = ""
    legend_columns: int = 0


# Tables ---------------------------------------------------------------------------------------------------------------


def table(picture: Picture) -> list[tuple[str, ...]]:
    """The plotted numbers: panel, curve, x, y, low, high, note."""
    rows: list[tuple[str, ...]] = [("panel", "curve", "x", "y", "low", "high", "note")]
    for i, panel in enumerate(picture.panels, 1):
        name = f"{i}: {panel.title}"
        if isinstance(panel, MapPanel):
            for j, v in enumerate(np.asarray(panel.y)):
                for k, u in enumerate(np.asarray(panel.x)):
                    rows.append((name, _text(u), _text(v), _text(np.asarray(panel.values)[j, k]), "", "", ""))
            continue
        if isinstance(panel, TablePanel):
            rows += list(_cells(name, panel))
            continue
        if isinstance(panel, BarPanel):
            rows += [
                (name, bars.label, at, *[_text(value)] * 3, "")
                for bars in panel.bars
                for at, value in zip(panel.names, bars.values, strict=True)
            ]
            continue
        for curve in panel.curves:
            low, high = (curve.y if end is None else end for end in (curve.low, curve.high))
            notes = [curve.note] * len(curve.x) if isinstance(curve.note, str) else curve.note
            for x, y, a, b, note in zip(curve.x, curve.y, low, high, notes, strict=True):
                rows.append((name, curve.label, _text(x), _text(y), _text(a), _text(b), note))
    return rows


def _cells(name: str, panel: TablePanel) -> Iterator[tuple[str, ...]]:
    """A row for every cell: x is the column's name."""
    share = len(panel.columns) // max(len(panel.groups), 1)
    for i, row in enumerate(panel.rows):
        for j, column in enumerate(panel.columns):
            value, spread = np.asarray(panel.values)[i, j], np.asarray(panel.spreads)[i, j]
            where = f"{panel.groups[j // share]}, {column}" if panel.groups else column
            note = "marked" if np.asarray(panel.marked)[i, j] else ""
            yield name, row, where, _text(value), _text(value - spread), _text(value + spread), note


def _text(value: float) -> str:
    return f"{float(value):.6g}"


# Claims ---------------------------------------------------------------------------------------------------------------


def claim_picture(claim: Claim, case: Case | None = None, along: str | None = None) -> Picture:
    """``fltheory.plot`` as data."""
    found = sweep(claim, case, along)
    panel = claim_panel(found, "")
    logarithmic = panel.y_scale == "log"
    caption = "Exponents: slope of the log-log curve over the last third of the axis." if logarithmic else ""
    if any("seeds" in p.evidence for p in found.points):
        caption += f"\nBand: {CONFIDENCE:.0%} confidence (Student) at each point."
    caption += _empty_decades(panel)
    return Picture(headline(found), (panel,), width=5.0, row_height=3.6, caption=caption, legend_columns=1)


def _empty_decades(panel: Panel) -> str:
    """A line that says where a logarithmic axis shows nothing, if that is most of it."""
    values = np.concatenate([np.asarray(c.y, float) for c in panel.curves])
    values = np.sort(values[np.isfinite(values) & (values > 0) & (values >= (panel.y_limits[0] or 0.0))])
    if panel.y_scale != "log" or len(values) < 2:
        return ""
    steps = np.diff(np.log10(values))
    at = int(steps.argmax())
    if steps[at] < EMPTY:
        return ""
    return f"\nNothing lies between {number(values[at])} and {number(values[at + 1])}: {steps[at]:.0f} empty decades."


def headline(found: Sweep) -> str:
    """The title: the claim and what the picture says of it, or of the variant that stands in for its algorithm."""
    variant = variant_of(found.claim)
    if variant is None:
        return f"{found.claim.id}: {finding(found)}"
    words = finding(found)
    for of_claim, of_variant in (("refuted", "violates the bound"), ("exceeded", "exceeds the bound")):
        if words.startswith(of_claim):
            return f"{called(short_name(variant))} {of_variant} of {found.claim.id}{words.removeprefix(of_claim)}"
    return f"{called(short_name(variant))}, bound of {found.claim.id}: {words}"


def finding(found: Sweep) -> str:
    """What the picture says, in a few words: "refuted" only of exact values and runs that are all the same."""
    if found.claim.measure is None:
        return "an external rate, for reference"
    if not any(p.applies for p in found.points):
        return "applies at none of these values"
    limit, measured, side = found.limit(), found.column("measured"), found.claim.bound.side
    if not np.isfinite(measured[np.isfinite(limit)]).any():
        return "nothing could be measured"
    near = found.column("low" if side == "upper" else "high")  # the end of a band that is nearer to what is allowed
    with np.errstate(all="ignore"):  # 0 / 0 is no comparison
        off, surely = ((v - limit) / np.maximum(np.abs(limit), np.abs(v) * 1e-9) for v in (measured, near))
    off, surely = off[np.isfinite(off)], surely[np.isfinite(surely)]
    if side == "equal":
        return f"off by at most {np.abs(off).max(initial=0.0):.1g} of the value"
    ratios = found.ratio()
    good = ratios[np.isfinite(ratios) & (ratios > 0)]
    broken, shown = ((v if side == "upper" else -v) > 1e-9 for v in (off, surely))
    if broken.any():
        times = f" up to {number(1 / good.min())} times" if len(good) else ""
        sampled = any(p.low < p.high for p in found.points)
        if not shown.any():
            return f"exceeded{times} by a mean, within its band"
        return f"exceeded{times} by sampled runs" if sampled else f"refuted: exceeded{times}" if times else "refuted"
    if len(good) < len(off) or not len(good):
        return "holds at every value shown"
    least, most = number(good.min()), number(good.max())
    return f"loose by a factor of {least}" + (f" to {most}" if most != least else "")


def claim_panel(found: Sweep, title: str, brief: bool = False) -> Panel:
    """The panel of a sweep: bounds where the claim applies, the measured quantity, what is known without the claim.

    ``brief``: labels for one panel of many, with a legend in common.
    """
    claim, x = found.claim, found.column("value")
    signed = isinstance(claim.measure, FromRun) and bool((found.column("measured") < 0).any())  # less than nothing
    letter = "" if signed else letter_of(claim.bound, found.symbol)
    applies = np.array([p.applies for p in found.points])
    curves = []
    for i, bound in enumerate(claim.bounds):
        name = {"upper": "bound", "lower": "lower bound", "equal": "formula"}[bound.side]
        style = "lower" if bound.side == "lower" else ("bound" if i == 0 else "bound 2")
        label = name if brief else f"{name} ({bound.source.place})"
        curves.append(Curve(label, x, found.limit(i), style, letter=letter))
    if claim.measure is not None:
        curves += _measured(found, applies, letter)
        trivial = found.column("trivial")
        if np.isfinite(trivial).any():
            curves.append(Curve("known without the theorem", x, trivial, "trivial"))
    words = "vacuous: the bound is " + ("above that" if claim.bound.side == "upper" else "not positive")
    zones = [
        *_zones(
            x,
            ~applies,
            "inapplicable",
            "not applicable: a condition fails" if brief else f"not applicable{_reasons(found)}",
        ),
        *_zones(x, found.vacuous(), "vacuous", words),
    ]
    values = np.concatenate([np.asarray(c.y, float) for c in curves])
    positive = bool((values[np.isfinite(values)] > 0).any()) and not signed
    return Panel(
        title,
        axis_label(claim.bound, found.symbol, brief),
        measure_label(claim),
        tuple(curves),
        tuple(zones),
        x_scale="log" if (x > 0).all() else "linear",
        y_scale="log" if positive else "linear",
        y_limits=(_floor(found) if positive else None, None),
    )


def _measured(found: Sweep, applies: np.ndarray, letter: str) -> Iterator[Curve]:
    """What is measured where the claim applies, with its band, and where it does not; each point with its own evidence."""
    x = found.column("value")
    measured, low, high = (found.column(n) for n in ("measured", "low", "high"))
    notes = tuple(p.evidence for p in found.points)
    inside, out, below, above = (
        np.where(mask, values, np.nan)
        for mask, values in ((applies, measured), (~applies, measured), (applies, low), (applies, high))
    )
    yield Curve(f"measured ({found.evidence()})", x, inside, "measured", below, above, notes, letter)
    if np.isfinite(out).any():
        yield Curve("measured where the claim does not apply", x, out, "outside", note=notes)


def _floor(found: Sweep) -> float | None:
    """Where to cut the axis: errors that vanish far below every bound would flatten the rest."""
    limits = [v for i in range(len(found.claim.bounds)) for v in found.limit(i) if v > 0]
    measured = found.column("measured")
    if not limits or not (measured < 1e-12 * min(limits)).any() or found.claim.bound.side == "lower":
        return None
    return 1e-12 * min(limits)


def _zones(x: np.ndarray, mask: np.ndarray, kind: str, label: str) -> Iterator[Zone]:
    """Runs of True as ranges that reach halfway to their neighbours."""
    middle = np.sqrt(x[1:] * x[:-1]) if (x > 0).all() else (x[1:] + x[:-1]) / 2
    edges = np.concatenate([x[:1] / 1.08 if (x > 0).all() else x[:1], middle, x[-1:] * 1.08])
    begin = None
    for i, inside in enumerate([*mask, False]):
        if inside and begin is None:
            begin = i
        if not inside and begin is not None:
            yield Zone(float(edges[begin]), float(edges[i]), kind, label)
            begin = None


def _reasons(found: Sweep) -> str:
    letters = dict(found.claim.bound.letters)
    broken = [f"${sympy.latex(c, symbol_names=letters)}$" for c in found.broken]
    if broken:
        return ": needs " + ", ".join(broken)
    reasons = [p.reason for p in found.points if p.reason]
    return f": {reasons[0][:60]}" if reasons else ""


# Labels ---------------------------------------------------------------------------------------------------------


def letter_of(bound: Bound, symbol: Symbol) -> str:
    """The paper's letter as mathtext, or the name."""
    return dict(bound.letters).get(symbol, rf"\mathrm{{{symbol.name.replace('_', chr(92) + '_')}}}")


def unit(dimension: Dimension) -> str:
    """A physical dimension in words: powers of the unit of F and of the unit of x."""
    objective, length = dimension
    if objective == 0 and length == 0:
        return "dimensionless"
    power = [f"{letter}^{{{p}}}" if p != 1 else letter for letter, p in (("F", objective), ("x", length)) if p != 0]
    return f"in units of ${' '.join(power)}$"


def number(value: float) -> str:
    """A positive number to three digits, as mathtext where it is large or small."""
    if 1e-3 <= value < 1e4:
        return f"{float(format(value, '.3g')):g}"
    mantissa, power = f"{value:.1e}".split("e")
    return rf"${mantissa}\times 10^{{{int(power)}}}$"


def axis_label(bound: Bound, symbol: Symbol, brief: bool = False) -> str:
    """Meaning (unless brief), letter and unit of a constant."""
    entry = VOCABULARY[symbol.name]
    if brief:
        return f"${letter_of(bound, symbol)}$ ({unit(entry.dimension)})"
    return f"{entry.text} ${letter_of(bound, symbol)}$ ({unit(entry.dimension)})"


def measure_label(claim: Claim) -> str:
    """The measured quantity in mathtext, with its unit."""
    if claim.measure is None:
        return f"rate ({unit(claim.bound.dimension())})"
    name = mathtext(claim.measure.name)
    if not name.startswith("$"):
        name = textwrap.fill(name, 36)
    return f"{name} ({unit(claim.measure.dimension)})"


def mathtext(name: str) -> str:
    """Names of measures such as E[F(x̄) - F*] as mathtext; of other names only the letters with an index."""
    if not name.startswith(("E[", "E|", "min E")):
        return _INDEXED.sub(_typeset, name)
    for old, new in (
        ("min E", r"\min_r\,E"),
        ("E[", r"\mathrm{E}["),
        ("E|", r"\mathrm{E}|"),
        ("x̄", r"\bar x"),
        ("F*", "F^*"),
        ("x*", "x^*"),
        ("x_R", "x^{(R)}"),
        ("x_r", "x^{(r)}"),
        ("∇", r"\nabla "),
        ("²", "^2"),
        ("|", r"\|" if "x" in name else "|"),
    ):
        name = name.replace(old, new)
    return f"${name}$"


def _typeset(found: re.Match[str]) -> str:
    base, bar, index = found.groups()
    letter = rf"\bar {base}" if bar else base
    return f"${letter}_{{{index.strip('{}')}}}$"
