"""Stored figures as tests read them: their numbers from the CSV, their words from the SVG."""

from __future__ import annotations

import csv
import html
import math
import re
from collections.abc import Iterable
from typing import NamedTuple

from figures.__main__ import FOLDER


class Row(NamedTuple):
    """A plotted point; ``panel`` is its number."""

    panel: int
    title: str
    curve: str
    x: str
    y: float
    low: float
    high: float
    note: str


def rows(name: str) -> list[Row]:
    """Every plotted point of a stored figure."""
    with (FOLDER / f"{name}.csv").open() as file:
        _, *lines = csv.reader(file)
    found = []
    for panel, curve, x, y, low, high, note in lines:
        number, _, title = panel.partition(": ")
        ends = (float(v) if v else math.nan for v in (low, high))
        found.append(Row(int(number), title, curve, x, float(y), *ends, note))
    return found


def last(found: Iterable[Row]) -> dict[tuple[str, str], Row]:
    """The last point of every curve, by the panel's title and the curve."""
    return {(row.title, row.curve): row for row in found}


def words(name: str) -> str:
    """What stands in a stored figure, as one line: text that is drawn as shapes stands beside them as a comment."""
    text = (FOLDER / f"{name}.svg").read_text()
    found = re.findall(r"<!-- (.*?) -->|<text[^>]*>([^<]*)</text>|<title>([^<]*)</title>", text, flags=re.DOTALL)
    return " ".join(html.unescape(" ".join("".join(parts).split())) for parts in found)


def in_title(value: float) -> str:
    """A number as titles have it."""
    if 1e-3 <= value < 1e4:
        return f"{float(format(value, '.3g')):g}"
    mantissa, power = f"{value:.1e}".split("e")
    return rf"${mantissa}\times 10^{{{int(power)}}}$"
