"""A report of claims with their verdicts, as one HTML page, LaTeX to input, or Markdown: from a stored run or by running."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from fltheory.api.lookup import select
from fltheory.claims.claim import Claim
from fltheory.plotting.plot import plot, svg
from fltheory.reports.document import Document, anchor_of, document
from fltheory.reports.errata import as_latex, as_markdown
from fltheory.reports.origin import origin_of
from fltheory.reports.page import as_html
from fltheory.reports.results import Result, load_results, result_of_verdict, results_of
from fltheory.verification import verify

__all__ = ["FORMATS", "Document", "document", "load_results", "picture_of", "report", "results_of", "with_origin"]

FORMATS: Mapping[str, Callable[[Document], str]] = {"html": as_html, "latex": as_latex, "markdown": as_markdown}


def report(
    *selectors: str, of: str | Path | None = None, form: str = "html", plots: float = 0.0, proofs: bool = True
) -> str:
    """Return a report of the selected claims as text: ``Path("r.html").write_text(report("sfl", of="run.json"))``.

    ``of``: a file from ``verify --json``; None: every claim is verified now. ``form``: html, latex or markdown.
    ``plots``: the seconds for each plot, 0 for none; ``proofs``: include their lines. ValueError says what is wrong.
    """
    if form not in FORMATS:
        raise ValueError(f"form must be one of {', '.join(FORMATS)}, got {form!r}")
    claims = select(*selectors)
    if of is not None:
        results, source = load_results(Path(of)), f"Verdicts of the stored run {Path(of).name}."
    else:
        checked = [claim for claim in claims if claim.measure is not None and claim.cases]
        results = {claim.id: result_of_verdict(verify(claim)) for claim in checked}
        source = "Verdicts of a run of the quick profile."
    pictures = {claim.id: picture_of(claim, plots) for claim in claims if plots > 0 and claim.id in results}
    return FORMATS[form](with_origin(document(claims, results, source, proofs and form == "html", pictures), results))


def with_origin(found: Document, results: Mapping[str, Result]) -> Document:
    """Return the report with its date, the library's version and commit, and the profile and seed of its results."""
    return replace(found, origin=origin_of(results.values(), date.today()))


def picture_of(claim: Claim, seconds: float) -> str:
    """Return a claim's plot as SVG for a page, or "" if there is none in this time."""
    try:
        return svg(plot(claim, seconds=seconds), prefix=f"{anchor_of(claim.id)}-")
    except ValueError:
        return ""
