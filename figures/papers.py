"""The figure of all papers: every printed statement by the share of its bound that its worst case reaches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fltheory.claims.catalogue import KEYS
from fltheory.claims.index import Line, builtin_lines
from fltheory.claims.stored_results import recorded_results
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, DotPanel, Dots, Picture

LIMITS = (1e-4, 1e4)  # ratios beyond are drawn at the edge
VERDICTS = (
    ("holds", "measured", -0.2),
    ("violated", "violated", 0.2),
)  # with a style, and a place beside the row's middle
TITLES = {
    "sfl": "Sequential federated learning",
    "osmd": "Client sampling by mirror descent",
    "fedcg": "Federated continuous greedy",
    "aaggff": "Fair aggregation (AAggFF)",
    "delta_sgd": "Auto-tuned clients (Delta-SGD)",
}
FAR = 100  # an excess that the title counts
NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMED = 3  # violated statements of a paper whose names stand beside their dots
STEP, DEEP = 0.09, 4  # neighbouring dots lie in so many lines, so far apart


class Statement(NamedTuple):
    """A printed statement with the ratio of its worst recorded case; "at least 65" counts as 65."""

    name: str
    verdict: str
    ratio: float
    place: str


def printed_statements(key: str) -> tuple[Statement, ...]:
    """Return the printed statements of a paper that have a positive ratio, from the smallest ratio up."""
    return tuple(sorted(_printed(key), key=lambda one: one.ratio))


def _decided(key: str) -> list[Line]:
    """Return the printed statements of a paper with a verdict: they hold or are violated."""
    verdicts = [kind[0] for kind in VERDICTS]
    return [line for line in builtin_lines(key) if line.reading == "printed" and line.recorded in verdicts]


def _printed(key: str) -> Iterator[Statement]:
    known = recorded_results(key)
    for line in _decided(key):
        found = re.search(r"[-+.\de]*\d", known[line.id].worst) if line.id in known else None
        if found and float(found.group()) > 0:
            yield Statement(line.id, line.recorded, float(found.group()), _short(line.place))


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
                places[-1], words[-1] = row + shift + 0.2 * (shown - 1), one.place
                shown += 1
    return Dots(verdict, style, places, values, names=tuple(names), words=tuple(words))


def _row_name(key: str) -> str:
    """Return the name of a paper, and how many of its statements hold and are violated, with the number of those drawn."""
    drawn = [one.verdict for one in printed_statements(key)]
    every = [line.recorded for line in _decided(key)]
    words = {"holds": "hold", "violated": "violated"}
    counts = (f"{every.count(v)} {words[v]} ({drawn.count(v)} drawn)" for v in words)
    return "\n".join((TITLES[key], *counts))


def _short(place: str) -> str:
    """Return a place in a paper without what it says of it: "proof of Theorem 8 (60)" is "Theorem 8 (60)"."""
    brief = place.removeprefix("proof of ").partition(",")[0].partition(" (App")[0]
    return f"eq. {brief}" if brief.startswith("(") else brief


@headline("Most printed statements hold; five exceed their bounds more than a hundredfold")
def printed() -> Picture:
    """Plot every printed statement: left of the line it holds, right of it a case exceeds its bound."""
    dots = tuple(_dots(*kind) for kind in VERDICTS)
    drawn = sum(len(one.values) for one in dots)
    every = [line.recorded for key in KEYS for line in _decided(key)]
    loose = sum(value < 0.1 for value in dots[0].values)
    far, most = sum(value > FAR for value in dots[1].values), max(dots[1].values)
    return Picture(
        f"Of {len(every)} printed statements {every.count('holds')} hold and {every.count('violated')} are violated; of those "
        f"that hold {loose} have more than ten times to spare; {NUMBERS[far]} of the violated exceed their bounds more "
        f"than {FAR} times, "
        f"at most {most:.0f} times",
        (DotPanel("", "largest measured value over the bound", tuple(map(_row_name, KEYS)), dots, 1, "log", LIMITS),),
        width=PAGE,
        row_height=4.2,
        legend_columns=2,
        caption=f"A dot for each of the {drawn} statements with a positive ratio: the largest recorded ratio of the measured value "
        f"to the bound, 1 is the bound.\nThe other {len(every) - drawn} have none (a bound of 0, or a property that holds or not). "
        "A violated equation may lie on either side of 1.\nValues beyond the axis stand at its edge. "
        f"Names: the places in their papers of the {NAMED} largest violations of each.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"printed": printed}
