"""A report of claims with their verdicts, as one HTML page, LaTeX to input, or Markdown: from a stored run or by running."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fltheory.reports.document import Document
from fltheory.reports.errata import as_latex, as_markdown
from fltheory.reports.page import as_html

FORMATS: Mapping[str, Callable[[Document], str]] = {"html": as_html, "latex": as_latex, "markdown": as_markdown}
