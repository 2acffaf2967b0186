"""Signs of SVG text whose font no browser has: matplotlib sets roots, sums and tall brackets in fonts of its own."""

from __future__ import annotations

import re
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

COMMON = "DejaVu Sans"  # the font of the text, which a browser replaces by one that is much alike
_TEXT = re.compile(r"<text>(?:(?!</text>).)*</text>", re.DOTALL)
_SIGN = re.compile(
    r'\s*<tspan x="([^" ]+)" y="([^"]+)" style="([^"]*)font-size: ([\d.]+)px; font-family: \'([^\']+)\'([^"]*)">(.)</tspan>'
)
_CODES = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}


def with_drawn_signs(svg: str) -> str:
    """Return the SVG with every sign of another font than the common one as a shape: elsewhere it would be misplaced."""
    return _TEXT.sub(lambda found: _redrawn(found[0]), svg)


def _redrawn(text: str) -> str:
    shapes: list[str] = []

    def shape(found: re.Match[str]) -> str:
        x, y, _, size, family, more, sign = found.groups()
        if family == COMMON:
            return found[0]
        fill = re.search(r"fill: [^;]+", more)
        style = f' style="{fill[0]}"' if fill else ""
        shapes.append(f'<path d="{_outline(sign, family, float(size))}" transform="translate({x} {y})"{style}/>')
        return ""

    kept = _SIGN.sub(shape, text)
    return "\n".join((kept, *shapes))


@cache
def _outline(sign: str, family: str, size: float) -> str:
    """Return a sign as the data of an SVG path, upright at the origin."""
    path = TextPath((0, 0), sign, size, prop=FontProperties(family=family))
    parts = []
    for points, code in path.iter_segments(curves=True, simplify=False):
        places = [] if code == 79 else [f"{v:.3f}" for v in (points.reshape(-1, 2) * (1, -1)).ravel()]
        parts.append(" ".join((_CODES[int(code)], *places)))
    return " ".join(parts)
