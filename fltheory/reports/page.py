"""The report as one HTML page that loads nothing from the network and needs no script."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from fltheory.evidence.verdict import STATUSES
from fltheory.reports.document import ClaimEntry, Document

TEMPLATES = Path(__file__).parent / "templates"


@cache
def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["markup"] = Markup  # of the library's own output: MathML and SVG
    return environment.get_template(name)


def as_html(found: Document) -> str:
    """Return the page."""
    style, script = ((TEMPLATES / name).read_text(encoding="utf-8") for name in ("report.css", "report.js"))
    entries = found.entries
    choices = {
        "paper": [paper.key for paper in found.papers],
        "verdict": [v for v in dict.fromkeys((*reversed(STATUSES), *found.counts)) if v in found.counts],
        "evidence": sorted({k for e in entries if e.result for k in e.result.evidence.split(", ") if k}),
        "kind": sorted({entry.claim.kind for entry in entries}),
    }
    return _template("report.html").render(
        report=found, choices=choices, style=Markup(style), script=Markup(script), level=4
    )


def as_article(entry: ClaimEntry, level: int = 4) -> str:
    """Return one claim in one reading as an article for a page with the classes of ``templates/report.css``.

    Its heading has this level, from 1 to 6.
    """
    return _template("claim.html").render(entry=entry, level=level)
