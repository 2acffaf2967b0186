"""A report of claims with their verdicts, as one HTML page, LaTeX to input, or Markdown: from a stored run or by running."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fltheory.claim import Claim
from fltheory.pictures.plot import plot, svg
from fltheory.reports.document import Document, anchor_of, document
from fltheory.reports.errata import as_latex, as_markdown
from fltheory.reports.page import as_html
from fltheory.reports.results import results_of, stored

__all__ = ["FORMATS", "Document", "document", "picture_of", "results_of", "stored"]

FORMATS: Mapping[str, Callable[[Document], str]] = {"html": as_html, "latex": as_latex, "markdown": as_markdown}


def picture_of(claim: Claim, seconds: float) -> str:
    """A claim's plot as SVG for a page, empty where there is none or not in so many seconds."""
    try:
        return svg(plot(claim, seconds=seconds), prefix=f"{anchor_of(claim.id)}-")
    except ValueError:
        return ""
