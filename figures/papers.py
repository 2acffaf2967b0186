"""The figure of all papers: every printed statement by the share of its bound that its worst case reaches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fltheory.claims import index
from fltheory.claims.catalogue import KEYS
from fltheory.claims.stored_results import recorded_results
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, DotPanel, Dots, Picture

LIMITS = (1e-4, 1e4)  # ratios beyond are drawn at the edge
VERDICTS = (
    ("holds", "measured", -0.2),
    ("violated", "violated", 0.2),
)  # with a style, and a place beside the row's middle
NAMED = 3  # violated statements of a paper whose names stand beside their dots
STEP, DEEP = 0.09, 4  # neighbouring dots lie in so many lines, so far apart


class Statement(NamedTuple):
    """A printed statement with the ratio of its worst recorded case; "at least 65" counts as 65."""

    name: str
    verdict: str
    ratio: float


def printed_statements(key: str) -> tuple[Statement, ...]:
    """Return the printed statements of a paper that have a positive ratio, from the smallest ratio up."""
    return tuple(sorted(_printed(key), key=lambda one: one.ratio))


def _printed(key: str) -> Iterator[Statement]:
    known = recorded_results(key)
    for line in index.builtin_lines(key):
        found = re.search(r"[-+.\de]*\d", known[line.id].worst) if line.id in known else None
        if line.reading == "printed" and found and float(found.group()) > 0 and line.recorded in ("holds", "violated"):
            yield Statement(line.id, line.recorded, float(found.group()))


def _dots(verdict: str, style: str, shift: float) -> Dots:
    """Return the statements of one verdict in all papers, the rows slightly spread."""
    places, values, names, words = [], [], [], []
    for row, key in enumerate(KEYS):
        found = [one for one in printed_statements(key) if one.verdict == verdict]
        outliers = {one.name for one in found[-NAMED:] if one.ratio > 1}
        shown = 0
        for i, one in enumerate(found):
            places.append(row + shift + STEP * (i % DEEP - (DEEP - 1) / 2))
            values.append(one.ratio)
            names.append(one.name)
            words.append("")
            if one.name in outliers:
                places[-1], words[-1] = row + shift + 0.2 * (shown - 1), _short(one.name)
                shown += 1
    return Dots(verdict, style, places, values, names=tuple(names), words=tuple(words))


def _row_name(key: str) -> str:
    verdicts = [one.verdict for one in printed_statements(key)]
    return f"{key}\n{verdicts.count('holds')} hold, {verdicts.count('violated')} violated"


def _short(name: str) -> str:
    return name.split("/")[1].split("@")[0]


@headline("Most printed statements hold; the worst exceed their bounds a hundredfold")
def printed() -> Picture:
    """Plot every printed statement: left of the line it holds, right of it a case exceeds its bound."""
    dots = tuple(_dots(*kind) for kind in VERDICTS)
    counts = {one.label: len(one.values) for one in dots}
    loose = sum(value < 0.1 for value in dots[0].values)
    return Picture(
        f"Of {sum(counts.values())} printed statements with a recorded ratio {counts['holds']} hold, {loose} of them with more "
        f"than ten times to spare, and {counts['violated']} are violated",
        (DotPanel("", "largest measured value over the bound", tuple(map(_row_name, KEYS)), dots, 1, "log", LIMITS),),
        width=PAGE,
        row_height=3.6,
        legend_columns=2,
        caption="A dot for each printed statement: the largest recorded ratio of the measured value to the bound, 1 is the "
        "bound; a violated equation\nmay lie on either side of 1. Values beyond the axis stand at its edge. "
        f"Names: the {NAMED} largest violations of each paper, as ids of the catalogue.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"printed": printed}
