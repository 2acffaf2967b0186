"""A page for each paper: its items in its order, each claim in its readings with formula and recorded verdict, the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

from fltheory.claims.catalogue import KEYS, claims_of_paper, title
from fltheory.model.place import Item
from fltheory.reports.document import PaperSection, document
from fltheory.reports.page import as_article
from fltheory.reports.results import recorded_result

FIGURES = Path(__file__).resolve().parents[2] / "figures"
SOURCE = "This page has the recorded verdicts, which the tests check."


def raw(html: str) -> str:
    """HTML that a page passes on."""
    return f"`````{{raw}} html\n{html}\n`````\n"


def figures_of(key: str) -> Mapping[str, tuple[str, ...]]:
    """Which committed figures belong to an item of the paper."""
    drawn: Mapping[str, tuple[str, ...]] = import_module(f"fltheory.papers.{key}.contents").DRAWN
    return drawn


def items_of(key: str) -> tuple[Item, ...]:
    """What the paper has, from top to bottom."""
    items: tuple[Item, ...] = import_module(f"fltheory.papers.{key}.contents").ITEMS
    return items


def paper_of(key: str, with_proofs: bool = True) -> PaperSection:
    """The paper with its recorded verdicts; nothing is run."""
    claims = claims_of_paper(key)
    results = {claim.id: found for claim in claims if (found := recorded_result(claim)) is not None}
    return document(claims, results, SOURCE, with_proofs).papers[0]


def page_of(paper: PaperSection) -> Iterator[str]:
    """The page of a paper, in lines."""
    yield f"# `{paper.key}`: {paper.title}\n"
    yield f"{SOURCE} `fltheory verify {paper.key}` checks the claims. [How to read a verdict](../explanation/verdicts.md).\n"
    drawn, shown = figures_of(paper.key), set[str]()
    sections = {section.name: section for section in paper.sections}
    for item in items_of(paper.key):
        own = [name for name in drawn.get(item.name, ()) if name not in shown]
        shown |= set(own)
        section = sections.get(item.name)
        if section is None and not own:
            continue
        yield f"## {item.name}{': ' if item.title else ''}{item.title}\n"
        yield from (f"![{paper.key}, {item.name}: {name}](../figures/{paper.key}_{name}.svg)\n" for name in own)
        for readings in section.claims if section else ():
            articles = "\n".join(as_article(entry) for entry in readings)
            yield raw(f'<div class="readings">\n{articles}\n</div>')


def _row(key: str) -> str:
    claims = claims_of_paper(key)
    holding, violated = (
        sum(c.measure is not None and c.entry.recorded == kind for c in claims) for kind in ("holds", "violated")
    )
    return f"| [`{key}`]({key}.md) | {title(key).strip().splitlines()[0]} | {len(claims)} | {holding} | {violated} |"


def write(folder: Path) -> None:
    """The pages of the papers and the one that leads to them."""
    (folder / "catalogue").mkdir(exist_ok=True)
    (folder / "figures").mkdir(exist_ok=True)
    for key in KEYS:
        (folder / "catalogue" / f"{key}.md").write_text("\n".join(page_of(paper_of(key))), encoding="utf-8")
        for name in {name for names in figures_of(key).values() for name in names}:
            path = FIGURES / f"{key}_{name}.svg"
            (folder / "figures" / path.name).write_bytes(path.read_bytes())
    lines = [
        "# Catalogue",
        "",
        "Every theorem of five papers, in the order of each paper, with its readings and their verdicts.",
        "",
    ]
    lines += ["| paper | | claims | hold | violated |", "|---|---|---|---|---|"]
    lines += map(_row, KEYS)
    lines += ["", "```{toctree}", ":hidden:", "", *KEYS, "```", ""]
    (folder / "catalogue" / "index.md").write_text("\n".join(lines), encoding="utf-8")
