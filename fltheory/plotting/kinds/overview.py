"""A map of all claims by paper: bar length is tightness, colour the verdict, texture the evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from fltheory.claims import index
from fltheory.claims.catalogue import KEYS, title
from fltheory.claims.index import Line
from fltheory.claims.stored_results import recorded_results
from fltheory.plotting.picture import PAGE, Picture, Strip, StripPanel

_PLURAL = {"holds": "hold"}
LETTERS = 110  # of a tick's name on the whole width of the page
LOOSEST = 1e-4  # bars of looser bounds end here
WORST = 1e4  # and those of larger violations


def overview_picture(keys: Sequence[str] = ()) -> Picture:
    """Return the map of the papers with these keys, or of all, from records; runs nothing."""
    chosen = [key for key in KEYS if not keys or key in keys]
    panels = tuple(strip_of(key) for key in chosen)
    counts = Counter(mark.verdict for panel in panels for mark in panel.marks)
    total = sum(counts.values())
    words = ", ".join(f"{n} {_PLURAL.get(verdict, verdict)}" for verdict, n in counts.most_common())
    caption = (
        "Each bar is a claim in one reading, in the order of its paper. It runs from 1 (the bound is attained) down to the share "
        "of the bound that the worst recorded case reaches, or up to the factor by which that case exceeds it; a violated "
        "equation may lie on either side. A tick on the line: the bound is attained. A dot: no ratio is recorded."
    )
    return Picture(
        f"{total} claims of {len(panels)} papers: {words}" if len(panels) > 1 else f"{total} claims: {words}",
        panels,
        width=PAGE,
        row_height=1.45,
        caption=caption,
        legend_columns=4,
        description=f"{total} claims: {words}. {caption}",
    )


def strip_of(key: str) -> StripPanel:
    """Return a paper's claims in order."""
    known = recorded_results(key)
    items = list(index.lines_by_item(key, index.builtin_lines(key)))
    marks, ticks, section = list[Strip](), list[tuple[int, str]](), ""
    for item, lines in items:
        section = item.name if item.is_section else section
        if item.is_section and (not ticks or ticks[-1][0] != len(marks)):
            ticks.append((len(marks), item.name.replace("Section ", "§").replace("Appendix ", "App. ")))
        for line in lines:
            one = known.get(line.id)
            marks.append(_claim_strip(line, "" if one is None else one.worst, "" if one is None else one.evidence))
    short = title(key).split("\n")[0]
    return StripPanel(f"{key}: {short}", tuple(marks), tuple(_space_out(ticks, len(marks))), LOOSEST, WORST)


def _claim_strip(line: Line, worst: str, evidence: str) -> Strip:
    """Return a claim's bar; "at least 65" is drawn as 65."""
    number = re.search(r"[-+.\de]*\d", worst)
    ratio = float(number.group()) if number else None
    kinds = evidence.partition(";")[0]
    grade = next((kind for kind in ("statistical", "sampled", "numerical") if kind in kinds), kinds or "none")
    return Strip(line.id, line.recorded, grade, ratio)


def _space_out(ticks: Sequence[tuple[int, str]], total: int) -> Iterator[tuple[int, str]]:
    """Return the sections whose names, which are centred at their ticks, don't overlap."""
    end = -float(total)
    for at, name in ticks:
        half = (len(name) + 2) * total / LETTERS / 2
        if at - half >= end and at < total:
            end = at + half
            yield at, name
