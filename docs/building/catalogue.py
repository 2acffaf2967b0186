"""Pages for each paper and its parts: the verdicts, then the items in the paper's order with formulas, readings and figures."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from html import escape
from pathlib import Path

from docs.building.parts import Part, figures_of, parts_of
from docs.building.sources import copy_file
from fltheory.claims.catalogue import KEYS, claims_of_paper, title
from fltheory.claims.ids import without_reading
from fltheory.reports.document import ClaimEntry, PaperSection, document
from fltheory.reports.page import as_article
from fltheory.reports.results import recorded_result

FIGURES = Path(__file__).resolve().parents[2] / "figures"
SOURCE = "This page has the recorded verdicts, which the tests check."


def raw(html: str) -> str:
    """HTML that a page passes on."""
    return f"`````{{raw}} html\n{html}\n`````\n"


def paper_of(key: str, with_proofs: bool = True) -> PaperSection:
    """The paper with its recorded verdicts; nothing is run."""
    claims = claims_of_paper(key)
    results = {claim.id: found for claim in claims if (found := recorded_result(claim)) is not None}
    return document(claims, results, SOURCE, with_proofs).papers[0]


def page_of_part(paper: PaperSection, part: Part, shown: frozenset[str] = frozenset()) -> Iterator[str]:
    """The page of a part in lines: its verdicts as a table, then its items. ``shown``: figures of earlier pages."""
    sections = {section.name: section for section in paper.sections if section.name in {i.name for i in part.items}}
    yield f"# {part.title}\n"
    yield f"A part of [`{paper.key}`](../{paper.key}.md). {SOURCE} [How to read a verdict](../../explanation/verdicts.md).\n"
    yield from table_of([entry for s in sections.values() for readings in s.claims for entry in readings])
    drawn = figures_of(paper.key)
    for item in part.items:
        own = [name for name in drawn.get(item.name, ()) if name not in shown]
        shown |= set(own)
        section = sections.get(item.name)
        if section is None and not own:
            continue
        yield f"## {item.name}{': ' if item.title and item != part.items[0] else ''}{item.title if item != part.items[0] else ''}\n"
        yield from (f"![{paper.key}, {item.name}: {name}](../../figures/{paper.key}_{name}.svg)\n" for name in own)
        for readings in section.claims if section else ():
            yield raw(_article(readings))


def _article(readings: Sequence[ClaimEntry]) -> str:
    """The readings of a claim beside each other; what a link to an id leads to has the id as its name."""
    stem = without_reading(readings[0].claim.id)
    own = (f'<div class="claim" id="{escape(e.claim.id)}">\n{as_article(e, level=3)}\n</div>' for e in readings)
    return f'<div class="readings" id="{escape(stem)}">\n{chr(10).join(own)}\n</div>'


def table_of(entries: Iterable[ClaimEntry]) -> Iterator[str]:
    """The verdicts of claims, a row each."""
    rows = [
        f"| `{e.claim.id}` | {e.verdict} | {e.result.ratio_text if e.result else ''} | {cell(e.claim.statement)} |"
        for e in entries
    ]
    if rows:
        yield "| claim | verdict | ratio | statement |\n|---|---|---|---|"
        yield from rows
        yield ""


def cell(text: str) -> str:
    """Plain words for a cell of a table."""
    return re.sub(r"([\\`*_\[\]<>|#$~^])", r"\\\1", " ".join(text.split()))


def pages_of(paper: PaperSection) -> Iterator[tuple[str, str]]:
    """The pages of a paper as address and text: first the one that leads to its parts."""
    parts, shown = parts_of(paper.key), frozenset[str]()
    yield f"catalogue/{paper.key}", "\n".join(front_of(paper, parts))
    for part in parts:
        yield part.page, "\n".join(page_of_part(paper, part, shown))
        shown |= {name for item in part.items for name in figures_of(paper.key).get(item.name, ())}


def front_of(paper: PaperSection, parts: Sequence[Part]) -> Iterator[str]:
    """The first page of a paper: the verdicts counted by part, then those that are false as printed."""
    entries = {entry.claim.id: entry for entry in paper.entries}
    yield f"# `{paper.key}`: {paper.title}\n"
    yield f"{SOURCE} `fltheory verify {paper.key}` checks the claims. [How to read a verdict](../explanation/verdicts.md).\n"
    verdicts = list(
        dict.fromkeys(v for v in ("holds", "violated", "vacuous", "external") if v in _verdicts(paper.entries))
    )
    yield f"| part | claims | {' | '.join(verdicts)} |\n|---|{'---|' * (1 + len(verdicts))}"
    for part in parts:
        found = _verdicts(entries[name] for name in part.ids if name in entries)
        counts = " | ".join(str(found[verdict]) for verdict in verdicts)
        yield f"| [{part.title}]({paper.key}/{part.name}.md) | {len(part.ids)} | {counts} |"
    false = [e for e in paper.entries if e.verdict == "violated" and e.claim.reading == "printed"]
    if false:
        yield "\n## False as printed\n"
        yield from table_of(false)
    yield from ("", "```{toctree}", ":hidden:", "", *(f"{paper.key}/{part.name}" for part in parts), "```", "")


def _verdicts(entries: Iterable[ClaimEntry]) -> Counter[str]:
    return Counter(entry.verdict for entry in entries)


def _row(key: str) -> str:
    claims = claims_of_paper(key)
    holding, violated = (
        sum(c.measure is not None and c.entry.recorded == kind for c in claims) for kind in ("holds", "violated")
    )
    return f"| [`{key}`]({key}.md) | {title(key).strip().splitlines()[0]} | {len(claims)} | {holding} | {violated} |"


def write_paper(folder: Path, key: str) -> str:
    """Write the pages of a paper; return its row of the first page."""
    (folder / "catalogue" / key).mkdir(parents=True, exist_ok=True)
    for page, text in pages_of(paper_of(key)):
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
    for name in {name for names in figures_of(key).values() for name in names}:
        path = FIGURES / f"{key}_{name}.svg"
        copy_file(path, folder / "figures" / path.name)
    return _row(key)


def write(folder: Path) -> None:
    """The pages of the papers, each paper in a process, and the one that leads to them."""
    (folder / "figures").mkdir(exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(write_paper, (folder,) * len(KEYS), KEYS))
    lines = [
        "# Catalogue",
        "",
        "Every theorem of five papers, in the order of each paper, with its readings and their verdicts.",
        "",
    ]
    lines += ["| paper | title | claims | hold | violated |", "|---|---|---|---|---|"]
    lines += rows
    lines += ["", "```{toctree}", ":hidden:", "", *(f"{key} <{key}>" for key in KEYS), "```", ""]
    (folder / "catalogue" / "index.md").write_text("\n".join(lines), encoding="utf-8")
