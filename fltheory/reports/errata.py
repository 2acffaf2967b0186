"""The report as LaTeX to input (a table, then errata) and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.claims.ids import without_reading
from fltheory.reports.document import ClaimEntry, Document
from fltheory.reports.escaping import escape_latex
from fltheory.reports.results import TRUE_STATUSES

ERRATA_TITLES = {  # violated claims, by reading
    "printed": "Errata: false as printed",
    "strict": "False where the words are read harshly, which is no error of the paper",
    "explicit": "False with numbers where the paper leaves them open",
}


def violated_entries(found: Document, reading: str) -> list[ClaimEntry]:
    """Return the violated claims of a reading."""
    return [e for e in found.entries if e.verdict == "violated" and e.claim.reading == reading]


def true_version(found: Document, entry: ClaimEntry) -> ClaimEntry | None:
    """Return the nearest true statement of the same name: corrected, explicit, printed or strengthened."""
    stem = without_reading(entry.claim.id)
    holding = {
        e.claim.reading: e for e in found.entries if e.verdict in TRUE_STATUSES and without_reading(e.claim.id) == stem
    }
    return next((holding[r] for r in ("corrected", "explicit", "printed", "strengthened") if r in holding), None)


def as_latex(found: Document) -> str:
    """Return a ``longtable`` of all claims, then an appendix of errata; needs the packages longtable and amsmath."""
    lines = [
        "% Made by fltheory report; \\input this file. Packages: longtable, amsmath, amssymb.",
        *(f"% {name}: {value}" for name, value in found.origin),
        r"\begin{longtable}{llllr}",
        r"claim & place & verdict & evidence & ratio \\ \hline \endhead",
    ]
    for entry in found.entries:
        result, source = entry.result, entry.claim.bound.source
        cells = [
            rf"\texttt{{{escape_latex(entry.claim.id)}}}",
            escape_latex(source.place),
            entry.verdict,
            result.evidence if result else "",
            escape_latex(result.ratio_text) if result else "",
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines.append(r"\end{longtable}")
    for reading, title in ERRATA_TITLES.items():
        own = violated_entries(found, reading)
        if own or reading == "printed":
            lines += ["", rf"\subsection*{{{title}}}", r"\begin{description}"]
            lines += [line for entry in own for line in _erratum(found, entry)] or [r"\item[] None."]
            lines.append(r"\end{description}")
    return "\n".join(lines) + "\n"


def _erratum(found: Document, entry: ClaimEntry) -> Iterable[str]:
    yield rf"\item[\texttt{{{escape_latex(entry.claim.id)}}}] {escape_latex(entry.claim.statement)}"
    left = escape_latex(entry.claim.measure.name if entry.claim.measure else "the bounded quantity")
    yield from (rf"\[ \text{{{left}}} {formula.sign_latex} {formula.latex} \]" for formula in entry.formulas)
    if entry.result is not None:
        instance = escape_latex(entry.result.instance)
        yield rf"Violated ({escape_latex(entry.result.evidence)}), {_ratio_text(entry)}: \texttt{{{instance}}}."
    if entry.claim.remark:
        yield escape_latex(entry.claim.remark)
    true = true_version(found, entry)
    if true is not None:
        yield rf"True is \texttt{{{escape_latex(true.claim.id)}}}: {escape_latex(true.claim.statement)}"


def _ratio_text(entry: ClaimEntry) -> str:
    return (
        f"ratio {escape_latex(entry.result.ratio_text)}"
        if entry.result and entry.result.ratio_text
        else "with instance"
    )


def as_markdown(found: Document) -> str:
    """Return a table for each paper, then the claims that are false as printed."""
    counts = ", ".join(f"{n} {verdict}" for verdict, n in found.counts.items())
    lines = [f"# Verdicts on {len(found.entries)} claims", "", f"{counts}. {_markdown_cell(found.source)}"]
    lines += ["", "; ".join(f"{name}: {value}" for name, value in found.origin)] if found.origin else []
    for paper in found.papers:
        lines += ["", f"## {paper.key}: {_markdown_cell(paper.title)}", ""]
        lines += ["| claim | place | verdict | evidence | ratio |", "|---|---|---|---|---|"]
        for entry in paper.entries:
            result = entry.result
            evidence, ratio = (result.evidence, result.ratio_text) if result else ("", "")
            cells = (f"`{entry.claim.id}`", entry.claim.bound.source.place, entry.verdict, evidence, ratio)
            lines.append("| " + " | ".join(map(_markdown_cell, cells)) + " |")
    for reading, title in ERRATA_TITLES.items():
        errata = violated_entries(found, reading)
        lines += ["", f"## {title}", ""] if errata else []
        lines += [_item(found, entry) for entry in errata]
    return "\n".join(lines) + "\n"


def _item(found: Document, entry: ClaimEntry) -> str:
    true = true_version(found, entry)
    mended = f" True is `{true.claim.id}`: {_markdown_cell(true.claim.statement)}" if true else ""
    counterexample = (
        f"\n\n  ```python\n  {entry.result.counterexample}\n  ```\n"
        if entry.result and entry.result.counterexample
        else ""
    )
    return f"- `{entry.claim.id}`: {_markdown_cell(entry.claim.statement)}{mended}{counterexample}"


def _markdown_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
