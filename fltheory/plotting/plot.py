"""Plots of claims and other kinds: figures of matplotlib and their files."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.cbook import is_math_text
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.textpath import text_to_path

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.model.dataclass_fields import field_values, replace_fields
from fltheory.plotting.charts import draw_dots, draw_graph, draw_strip
from fltheory.plotting.figures.fitting import fit_to_page
from fltheory.plotting.figures.glyphs import with_drawn_signs
from fltheory.plotting.kinds import PICTURE_KINDS
from fltheory.plotting.kinds.lineage import fitted_graph, proof_picture
from fltheory.plotting.kinds.overview import overview_picture
from fltheory.plotting.labels import latex_text, plain_text
from fltheory.plotting.panels import colour_range_of, draw_bars, draw_colour_bars, draw_curves, draw_map, draw_table
from fltheory.plotting.picture import (
    COLUMN,
    PAGE,
    AnyPanel,
    BarPanel,
    DotPanel,
    GraphPanel,
    MapPanel,
    Picture,
    StripPanel,
    TablePanel,
    table,
)
from fltheory.plotting.style import DARK_RULE, FIGURE, THEMES, Theme
from fltheory.search.deadline import deadline_of
from fltheory.verification import find
from fltheory.work import DEFAULT_WORK, require_work

METADATA: dict[str, Any] = {
    "svg": {"Date": None, "Creator": "fltheory"},
    "pdf": {"CreationDate": None, "Creator": "fltheory"},
    "png": {"Software": "fltheory"},
}


WIDTHS = {"column": COLUMN, "page": PAGE}
NARROWEST_PANEL = 2.2  # inches, of a panel with its labels in letters of scale 1
NARROWEST, WIDEST = 2.0, 40.0  # inches
GLUE = "\0"  # before a part of a word that needs no blank before it
_PARTS = re.compile(r"[^-/.@]+[-/.@]*|[-/.@]+")  # of a long word: it may be broken after these signs
_TOKENS = re.compile(r"(?:[^ \n$]|\$[^$]*\$)+")


def plot(
    claim: Claim | str,
    case: Case | None = None,
    along: str | None = None,
    *,
    kind: str = "bound",
    style: str = "paper",
    width: str | float | None = None,
    work: int = DEFAULT_WORK,
    seconds: float | None = None,
    bare: bool = False,
) -> Figure:
    """Draw a claim's bounds against the measured quantity.

    Parameters
    ----------
    claim : Claim or str
        The claim or its id.
    case : Case, optional
        The case, by default one of the claim's own.
    along : str, optional
        The constant on the horizontal axis, by default that along which measured / bound varies most.
    kind : {"bound", "terms", "counterexample"}
        The bound, its terms separately, or the functions of a case with a run on them.
    style : {"paper", "slide", "dark"}
        Sizes and colours.
    width : {"column", "page"} or number of inches, optional
        Width of the figure.
    work : int
        Units of work to spend on measurements, as in ``falsify``.
    seconds : float, optional
        Time limit.
    bare : bool
        Leave out the title and the caption, for a paper that has its own: see ``latex_caption``.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    Raises
    ------
    ValueError
        If the claim has no such constant; the message names those it has.

    Examples
    --------
    >>> from fltheory import plot
    >>> len(plot("sfl/T3-SC@corrected", work=1).axes) > 0
    True
    """
    look = theme_of(style, width)
    meant = find(claim) if isinstance(claim, str) else claim
    if kind not in PICTURE_KINDS:
        raise ValueError(f"kind must be one of {', '.join(PICTURE_KINDS)}, got {kind!r}")
    picture = PICTURE_KINDS[kind](meant, case, along, deadline_of(seconds), None, require_work(work))
    return draw(without_words(picture) if bare else picture, look)


def plot_proof(name: str, *, style: str = "paper", width: str | float | None = None) -> Figure:
    """Draw the graph of a theorem's proof, by its id or its claim's, checked now; ValueError if none is recorded."""
    return draw(proof_picture(name), theme_of(style, width))


def plot_overview(*keys: str, style: str = "paper", width: str | float | None = None) -> Figure:
    """Draw the map of all claims of these papers (default: all): recorded verdict, evidence and tightness."""
    return draw(overview_picture(keys), theme_of(style, width))


def theme_of(style: str = "paper", width: str | float | None = None) -> Theme:
    """Return the style of that name and width; ValueError lists the existing ones."""
    if style not in THEMES:
        raise ValueError(f"style must be one of {', '.join(THEMES)}, got {style!r}")
    if width is None:
        return THEMES[style]
    try:
        inches = WIDTHS[width] if isinstance(width, str) and width in WIDTHS else float(width)
    except ValueError:
        inches = float("nan")
    if not NARROWEST <= inches <= WIDEST:
        raise ValueError(f"width must be {', '.join(WIDTHS)} or from {NARROWEST:g} to {WIDEST:g} inches, got {width!r}")
    return replace(THEMES[style], width=inches)


def without_words(picture: Picture) -> Picture:
    """Return the picture without title and caption; ``latex_caption`` of the whole one has both."""
    return replace(picture, title="", caption="")


# Drawing --------------------------------------------------------------------------------------------------------


class StableFigure(Figure):
    """A figure whose files have no date and no random names: redrawing gives the same bytes.

    ``look``, and a title and description for readers who can't see it, are kept for its files.
    """

    look: Theme = FIGURE
    said: tuple[str, str] = ("", "")

    def savefig(self, fname: Any, **options: Any) -> None:
        kind = options.get("format") or Path(str(fname)).suffix.lstrip(".").lower() or "svg"
        options = {"format": kind, "dpi": 200, "metadata": METADATA.get(kind), **options}
        with rc_context(self.look.rc()):
            if kind != "svg":
                super().savefig(fname, **options)
                return
            buffer = io.BytesIO()
            super().savefig(buffer, **options)
        text = with_drawn_signs(buffer.getvalue().decode())
        if self.said[1]:
            text = _accessible_svg(text, *self.said, DARK_RULE if self.look.adapts else "")
        if isinstance(fname, str | os.PathLike):
            Path(fname).write_text(text, encoding="utf-8")
        else:
            fname.write(text if isinstance(fname, io.TextIOBase) else text.encode())

    def _repr_svg_(self) -> str:
        """Return the SVG for a notebook."""
        return svg(self)


def svg(figure: Figure, prefix: str = "") -> str:
    """Return the figure as SVG; a ``prefix`` before every id makes it an element of a page, with its own style."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg")
    text = buffer.getvalue().decode()
    if not prefix:
        return text
    text = re.sub(r'\b(id|aria-labelledby)="([^"]+)"', lambda m: f'{m[1]}="{_add_prefix(m[2], prefix)}"', text)
    text = re.sub(r'(url\(#|href="#)', rf"\g<1>{prefix}", text[text.index("<svg") :])
    return re.sub(r"(<style[^>]*>)\*\{", rf"\g<1>#{prefix}figure_1 *{{", text)


def _add_prefix(names: str, prefix: str) -> str:
    return " ".join(prefix + name for name in names.split())


def _accessible_svg(text: str, title: str, description: str, style: str = "") -> str:
    """Return the SVG with its title and description, which assistive software reads, and a style."""
    words = f'<title id="title">{escape(title)}</title>\n <desc id="desc">{escape(description)}</desc>\n {style}\n'
    head = re.search(r"<svg\b[^>]*>", text)
    assert head is not None
    opened = head.group()[:-1] + ' role="img" aria-labelledby="title desc">'
    return f"{text[: head.start()]}{opened}\n {words}{text[head.end() :].lstrip()}"


def draw(picture: Picture, look: Theme = FIGURE) -> Figure:
    """Return the picture as a matplotlib figure."""
    with rc_context(look.rc()):
        width = look.width or picture.width
        picture = _fitted_columns(picture, width, look)
        rows = -(-len(picture.panels) // picture.columns)
        graph = any(isinstance(panel, GraphPanel) for panel in picture.panels)
        picture = fitted_graph(picture, width, look.scale, look.width is None) if graph else picture
        row_height = picture.row_height if graph else look.row or picture.row_height
        title = _break_lines(picture.title, width - 0.2, "figure.titlesize", look)
        figure = StableFigure(
            figsize=(width, rows * row_height + 0.5), layout=ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.05)
        )
        spoken = picture.title or picture.description.partition(". ")[0]
        said = picture.description or " ".join(picture.caption.split())
        figure.look, figure.said = look, (plain_text(spoken), plain_text(said))
        grid = figure.subplots(rows, picture.columns, squeeze=False)
        handles = _draw_panels(figure, list(grid.flat), picture, look)
        if picture.title:
            figure.suptitle(title, x=0.01, ha="left")
        lines = title.count("\n") + _legend(figure, picture, handles, look, width)
        if look.breaks_lines:
            figure.set_size_inches(width, figure.get_figheight() + lines * 1.35 * 7 * look.scale / 72)
            fit_to_page(figure, row_height)
    return figure


def _fitted_columns(picture: Picture, width: float, look: Theme) -> Picture:
    """Return the picture with as many panels beside one another as have room for their labels, if the style wraps."""
    if not look.breaks_lines:
        return picture
    most = max(int(width / (NARROWEST_PANEL * look.scale)), 1)
    return replace(picture, columns=min(picture.columns, most))


def _draw_panels(figure: Figure, grid: Sequence[Axes], picture: Picture, look: Theme) -> dict[str, Any]:
    """Draw every panel on its axes; return the legend's entries, each once."""
    handles: dict[str, Any] = {}
    maps: list[tuple[Axes, MapPanel, Any]] = []
    single = len(picture.panels) == 1
    for axes, panel in zip(grid, (_break_labels(panel, picture, look) for panel in picture.panels), strict=False):
        if isinstance(panel, MapPanel):
            maps.append((axes, panel, draw_map(axes, panel, colour_range_of(picture, panel.colour_label))))
        elif isinstance(panel, TablePanel):
            draw_table(axes, panel)
        else:
            drawn = (
                draw_bars(axes, panel, look)
                if isinstance(panel, BarPanel)
                else draw_dots(axes, panel, look)
                if isinstance(panel, DotPanel)
                else draw_graph(axes, panel, look)
                if isinstance(panel, GraphPanel)
                else draw_strip(axes, panel, look)
                if isinstance(panel, StripPanel)
                else draw_curves(axes, panel, single, look)
            )
            handles |= {k: h for k, h in drawn if k not in handles}
    draw_colour_bars(figure, maps)
    for axes in grid[len(picture.panels) :]:
        axes.set_visible(False)
    return handles


def _break_labels(panel: AnyPanel, picture: Picture, look: Theme) -> AnyPanel:
    """Return the panel with title and labels wrapped to its share of the page, if the style wraps."""
    if not look.breaks_lines:
        return panel
    across = 0.8 * (look.width or picture.width) / picture.columns
    upright = 0.8 * (look.row or picture.row_height)
    room = {
        "title": (across, "axes.titlesize"),
        "x_label": (across, "axes.labelsize"),
        "y_label": (upright, "axes.labelsize"),
    }
    own = field_values(panel)
    fitted = {name: _break_lines(str(own[name]), *size, look) for name, size in room.items() if name in own}
    return replace_fields(panel, **fitted)


def _legend(figure: Figure, picture: Picture, handles: dict[str, Any], look: Theme, width: float) -> int:
    """Draw the legend with the caption above it; return the number of lines."""
    columns = (
        1 if look.breaks_lines and width <= COLUMN else picture.legend_columns or (1 if picture.width <= COLUMN else 3)
    )
    caption = _break_lines(picture.caption, width - 0.15, "legend.fontsize", look)
    if caption and not handles:  # no place next to a legend
        figure.supxlabel(caption, x=0.01, ha="left", fontsize=7 * look.scale, color=look.ink("0.25"))
    if not handles:
        return 0
    columns, room, labels = _columned(list(handles), columns, width, look)
    legend = figure.legend(
        list(handles.values()),
        labels,
        loc="outside lower left",
        ncols=columns,
        handlelength=3,
        title=caption or None,
        title_fontsize=7 * look.scale,
        alignment="left",
    )
    legend.get_title().set_color(look.ink("0.25"))
    for text, label in zip(legend.get_texts(), labels, strict=True):
        _shrink(text, label, room, look)
    entries = math.ceil(sum(_lines_high(line, look) for label in labels for line in label.split("\n")) / columns)
    return entries + (caption.count("\n") + 1 if caption else 0)


def _columned(labels: Sequence[str], columns: int, width: float, look: Theme) -> tuple[int, float, list[str]]:
    """Return the number of columns that a legend has room for, their width beside the handle, and the wrapped labels."""
    letter = 7 * look.scale / 72
    room = (width - 0.15) / columns - 4.2 * letter
    wrapped = [_break_lines(label, room, "legend.fontsize", look) for label in labels]
    points = look.rc()["legend.fontsize"]
    widths = [max(_width(line, points) for line in label.split("\n")) / 72 for label in wrapped]
    high, longer = divmod(len(labels), columns)
    sizes = [high + 1] * longer + [high] * (columns - longer)
    ends = np.cumsum([0, *sizes])
    taken = sum(min(max(widths[a:b], default=0.0), room) for a, b in pairwise(ends))
    if columns == 1 or not look.breaks_lines or taken + (3.8 * columns + 2 * (columns - 1)) * letter <= width - 0.1:
        return columns, room, wrapped
    return _columned(labels, columns - 1, width, look)


def _break_lines(text: str, inches: float, size: str, look: Theme) -> str:
    """Return the text wrapped to a width as measured in its font, or unchanged if the style keeps breaks."""
    if not look.breaks_lines or not text:
        return text
    points = look.rc()[size]
    return "\n".join(line for own in text.split("\n") for line in _lines(own, inches * 72, points))


def _lines_high(line: str, look: Theme) -> float:
    """Return the height of a line, which a formula may make larger, in lines."""
    points = look.rc()["legend.fontsize"]
    if not look.breaks_lines or "$" not in line:
        return 1.0
    _, height, _ = text_to_path.get_text_width_height_descent(line, FontProperties(size=points), True)
    return max(1.0, 1.2 * float(height) / (1.35 * points))


def _shrink(text: Text, label: str, inches: float, look: Theme) -> None:
    """Make the letters of a label smaller if a formula in it, which has no break, is wider than its room."""
    points = look.rc()["legend.fontsize"]
    widest = max(_width(line, points) for line in label.split("\n"))
    if look.breaks_lines and widest > inches * 72:
        text.set_fontsize(points * inches * 72 / widest)


def _lines(text: str, room: float, points: float) -> list[str]:
    lines = [""]
    for token in _tokens(text, room, points):
        longer = lines[-1] + token[1:] if token.startswith(GLUE) else f"{lines[-1]} {token}".strip()
        if _width(longer, points) <= room or not lines[-1]:
            lines[-1] = longer.lstrip(GLUE)
        else:
            lines.append(token.lstrip(GLUE))
    return lines


def _tokens(text: str, room: float, points: float) -> Iterator[str]:
    """Yield words; one that is wider than a line in its parts, after a hyphen or the like, the later ones marked by GLUE."""
    for token in _TOKENS.findall(text):
        if "$" in token or _width(token, points) <= room:
            yield token
            continue
        first, *rest = _PARTS.findall(token)
        yield first
        yield from (GLUE + part for part in rest)


def _width(text: str, points: float) -> float:
    """Return the width of a line, in points."""
    shown, is_math = text, bool(is_math_text(text))
    return float(text_to_path.get_text_width_height_descent(shown, FontProperties(size=points), is_math)[0])


# Files ----------------------------------------------------------------------------------------------------------------


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure (svg, png, pdf by ending), atomically and without dates: redrawing gives the same file."""
    path = Path(path)
    _write_atomically(path, encode(figure, path))


def encode(figure: Figure, path: Path) -> bytes:
    """Return the content of a file of this name: svg, png or pdf by its ending."""
    kind = path.suffix.lstrip(".").lower() or "svg"
    if kind not in ("svg", "png", "pdf"):
        raise ValueError(f"can't write {path.name}: the ending must be .svg, .png or .pdf")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind)
    data = buffer.getvalue()
    if kind == "svg":  # no trailing blanks: quiet diffs
        data = b"\n".join(line.rstrip() for line in data.splitlines()) + b"\n"
    return data


def save_picture(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Write the picture, and next to it the CSV of its numbers."""
    save(draw(picture), path)
    save_table(picture, Path(path).with_suffix(".csv"))


def save_table(picture: Picture, path: str | os.PathLike[str]) -> None:
    """Write the numbers of the picture as CSV, atomically."""
    _write_atomically(Path(path), encode_table(picture))


def latex_caption(picture: Picture) -> str:
    """Return title and caption as text for LaTeX's ``\\caption``: its mathematics as it is, all other signs escaped."""
    words = [f"{picture.title}.", *picture.caption.splitlines()]
    return "\n".join(latex_text(line) for line in words) + "\n"


def encode_table(picture: Picture) -> bytes:
    """Return the numbers of the picture as CSV."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(table(picture))
    return buffer.getvalue().encode()


def _write_atomically(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
