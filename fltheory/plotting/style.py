"""Styles of plots: colours for colour-blind readers, line styles visible in grey; print, slides and dark screens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)  # Okabe and Ito: distinguishable for colour-blind readers
SETTINGS: Any = {
    "svg.hashsalt": "fltheory",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType: editors and publishers require it
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
    "bound 3": {"color": ORANGE, "ls": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
    "lower 2": {"color": SKY, "ls": (0, (2, 1, 4, 1)), "marker": "P"},
    "lower 3": {"color": BLACK, "ls": (0, (1, 2)), "marker": "<"},
    "lower": {"color": GREEN, "ls": ":", "marker": "^"},
    "measured": {"color": BLUE, "ls": "-", "marker": "o"},
    "outside": {"color": BLUE, "ls": "none", "marker": "o", "markerfacecolor": "white", "markeredgewidth": 0.8},
    "checked": {"color": ORANGE, "ls": "none", "marker": "o", "markerfacecolor": "white", "markeredgewidth": 0.8},
    "violated": {"color": RED, "ls": "none", "marker": "X", "markersize": 6, "markeredgecolor": "white"},
    "run": {"color": PURPLE, "ls": "-", "marker": ""},
    "minimiser": {"color": BLACK, "ls": (0, (8, 2, 1, 2, 1, 2)), "marker": ""},
    "start": {"color": BLACK, "ls": "none", "marker": "*", "markersize": 6},
    "trivial": {"color": "0.35", "ls": (0, (1, 1)), "marker": ""},
    "reference": {"color": BLACK, "ls": "-.", "marker": ""},
    "reference 2": {"color": PURPLE, "ls": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
    "reference 3": {"color": SKY, "ls": (0, (6, 2)), "marker": "x"},
    "reference 4": {"color": GREEN, "ls": ":", "marker": "^"},
    "first": {"color": BLUE, "ls": "-", "marker": ""},
    "second": {"color": ORANGE, "ls": "--", "marker": ""},
    "third": {"color": GREEN, "ls": ":", "marker": ""},
}
THIN: dict[str, Any] = {  # dashes of thin lines without marks: the colour alone does not tell two of them apart
    "second": "-",
    "third": (0, (12, 3)),
    "reference 3": (0, (1, 3)),
    "reference 2": (0, (9, 2, 2, 2)),
    "reference": (0, (7, 2, 1, 2, 1, 2, 1, 2)),
}
STYLES |= {f"{name} alone": {**STYLES[name], "ls": dash, "marker": "", "lw": 0.8} for name, dash in THIN.items()}
ZONES: dict[str, dict[str, Any]] = {
    "inapplicable": {"facecolor": "0.92", "edgecolor": "0.7", "hatch": "////", "lw": 0},
    "vacuous": {"facecolor": "#F0E442", "alpha": 0.22, "lw": 0},
    "violated": {"facecolor": "#D55E00", "alpha": 0.16, "lw": 0, "hatch": "xxx", "edgecolor": "#D55E00"},
}
VERDICTS: dict[str, dict[str, Any]] = {  # of a claim or a line of a proof: colours with different greys, and an edge
    "holds": {"facecolor": BLUE},
    "violated": {"facecolor": "#F2A541"},
    "vacuous": {"facecolor": SKY},
    "inconclusive": {"facecolor": PURPLE},
    "inapplicable": {"facecolor": "0.7"},
    "external": {"facecolor": "0.95", "edgecolor": "0.35", "linewidth": 0.6},
    "PROVED": {"facecolor": "#D5E8F5", "edgecolor": BLUE, "linewidth": 1.0},
    "REFUTED": {"facecolor": "#F7B267", "edgecolor": RED, "linewidth": 1.8, "linestyle": "--"},
    "UNKNOWN": {"facecolor": "#F0E442", "edgecolor": BLACK, "linewidth": 1.0, "linestyle": ":"},
    "ASSUMED": {"facecolor": "#E5D4E8", "edgecolor": PURPLE, "linewidth": 1.4, "linestyle": "-."},
    "GIVEN": {"facecolor": "none", "edgecolor": "0.35", "linewidth": 0.7},
}
TEXTURES = {"exact": "", "numerical": "....", "sampled": "oo", "statistical": "/////", "none": "xxxxx"}  # of evidence


@dataclass(frozen=True)
class Theme:
    """Sizes and colours of a plot. ``scale`` applies to text and lines; ``width`` and ``row``: inches or None.

    ``breaks_lines``: titles, captions, legends are wrapped to the width, and the page grows. ``colours`` replace others.
    ``adapts``: on a dark screen the lightness of an SVG is inverted.
    """

    name: str
    scale: float = 1.0
    width: float | None = None
    row: float | None = None
    breaks_lines: bool = True
    adapts: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)

    def rc(self) -> Any:
        """Return the settings of matplotlib."""
        sized = {k: v * self.scale for k, v in SETTINGS.items() if k.endswith(("size", "linewidth"))}
        pads = {f"{axis}tick.major.pad": 3.5 * self.scale for axis in "xy"}  # in a corner two names meet
        return {**SETTINGS, **sized, **pads, **self.settings}

    def themed_style(self, style: Mapping[str, Any]) -> dict[str, Any]:
        """Return a line style in the colours of this theme."""
        return {k: self.colours.get(v, v) if isinstance(v, str) else v for k, v in style.items()}

    def ink(self, colour: str) -> str:
        """Return a colour in this theme."""
        return self.colours.get(colour, colour)


_NIGHT, _CHALK = "#15181e", "#e8e8e8"
_TEXT = {"svg.fonttype": "none"}  # text stays text: it can be searched, read aloud and set in the page's own font
_CLEAR = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none")
_DEEPER = {ORANGE: "#B37A00", SKY: "#3290C2", PURPLE: "#C0609A"}  # 3:1 against white, and inverted against black
FIGURE = Theme(  # the stored figures, whose own widths and breaks are kept
    "figure", breaks_lines=False, adapts=True, settings={**_TEXT, **_CLEAR}, colours=_DEEPER
)
DARK_RULE = (
    "<style>:root { color-scheme: light dark } "
    "@media (prefers-color-scheme: dark) { :root { filter: invert(0.92) hue-rotate(180deg) } }</style>"
)
PAPER = Theme("paper", settings=_TEXT)
SLIDE = Theme("slide", 2.0, 10.0, 4.4, settings=_TEXT)
DARK = Theme(
    "dark",
    settings={
        **_TEXT,
        **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), _NIGHT),
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "axes.titlecolor"), _CHALK
        ),
        "grid.color": "#9a9a9a",
        "grid.alpha": 0.3,
    },
    colours={
        BLACK: _CHALK,
        BLUE: "#6FC3F5",
        RED: "#FF9A4D",
        GREEN: "#3FD0A0",
        PURPLE: "#E6A5CB",
        "0.35": "0.75",
        "0.25": "0.8",
        "0.92": "0.25",
        "0.7": "0.45",
        "white": _NIGHT,
    },
)
THEMES = {look.name: look for look in (PAPER, SLIDE, DARK)}
