"""The report as LaTeX to input (a table, then errata) and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.claims.ids import without_reading
from fltheory.reports.document import Document, Entry
from fltheory.reports.escaping import escaped
from fltheory.reports.results import TRUE

KINDS = {  # what is violated, by how the statement was read
    "printed": "Errata: false as printed",
    "literal": "False where the words are read harshly, which is no error of the paper",
    "explicit": "False with numbers where the paper leaves them open",
}


def wrong(found: Document, reading: str) -> list[Entry]:
    """What is violated in a reading."""
    return [e for e in found.entries if e.verdict == "violated" and e.claim.reading == reading]


def instead(found: Document, entry: Entry) -> Entry | None:
    """The nearest statement of the same name that holds: corrected, with explicit constants, printed or sharpened."""
    stem = without_reading(entry.claim.id)
    holding = {e.claim.reading: e for e in found.entries if e.verdict in TRUE and without_reading(e.claim.id) == stem}
    return next((holding[r] for r in ("corrected", "explicit", "printed", "sharpened") if r in holding), None)


def as_latex(found: Document) -> str:
    """A ``longtable`` of all claims, then an appendix of errata; needs the packages longtable and amsmath."""
    lines = [
        "% Made by fltheory report; \\input this file. Packages: longtable, amsmath, amssymb.",
        r"\begin{longtable}{llllr}",
        r"claim & place & verdict & evidence & ratio \\ \hline \endhead",
    ]
    for entry in found.entries:
        result, source = entry.result, entry.claim.bound.source
        cells = [
            rf"\texttt{{{escaped(entry.claim.id)}}}",
            escaped(source.place),
            entry.verdict,
            result.evidence if result else "",
            escaped(result.ratio_text) if result else "",
        ]
        lines.append(" & ".join(cells) + r" \\")
    lines.append(r"\end{longtable}")
    for reading, title in KINDS.items():
        own = wrong(found, reading)
        if own or reading == "printed":
            lines += ["", rf"\subsection*{{{title}}}", r"\begin{description}"]
            lines += [line for entry in own for line in _erratum(found, entry)] or [r"\item[] None."]
            lines.append(r"\end{description}")
    return "\n".join(lines) + "\n"


def _erratum(found: Document, entry: Entry) -> Iterable[str]:
    yield rf"\item[\texttt{{{escaped(entry.claim.id)}}}] {escaped(entry.claim.statement)}"
    left = escaped(entry.claim.measure.name if entry.claim.measure else "the bounded quantity")
    yield from (rf"\[ \text{{{left}}} {formula.sign_latex} {formula.latex} \]" for formula in entry.formulas)
    if entry.result is not None:
        yield rf"Violated ({escaped(entry.result.evidence)}), {_by(entry)}: \texttt{{{escaped(entry.result.instance)}}}."
    if entry.claim.remark:
        yield escaped(entry.claim.remark)
    true = instead(found, entry)
    if true is not None:
        yield rf"True is \texttt{{{escaped(true.claim.id)}}}: {escaped(true.claim.statement)}"


def _by(entry: Entry) -> str:
    return f"ratio {escaped(entry.result.ratio_text)}" if entry.result and entry.result.ratio_text else "with instance"


def as_markdown(found: Document) -> str:
    """A table for each paper, then what is wrong as printed."""
    counts = ", ".join(f"{n} {verdict}" for verdict, n in found.counts.items())
    lines = [f"# Verdicts on {len(found.entries)} claims", "", f"{counts}. {_cell(found.source)}"]
    for paper in found.papers:
        lines += ["", f"## {paper.key}: {_cell(paper.title)}", ""]
        lines += ["| claim | place | verdict | evidence | ratio |", "|---|---|---|---|---|"]
        for entry in paper.entries:
            result = entry.result
            evidence, ratio = (result.evidence, result.ratio_text) if result else ("", "")
            cells = (f"`{entry.claim.id}`", entry.claim.bound.source.place, entry.verdict, evidence, ratio)
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    for reading, title in KINDS.items():
        errata = wrong(found, reading)
        lines += ["", f"## {title}", ""] if errata else []
        lines += [_item(found, entry) for entry in errata]
    return "\n".join(lines) + "\n"


def _item(found: Document, entry: Entry) -> str:
    true = instead(found, entry)
    mended = f" True is `{true.claim.id}`: {_cell(true.claim.statement)}" if true else ""
    witness = f"\n\n  ```python\n  {entry.result.witness}\n  ```\n" if entry.result and entry.result.witness else ""
    return f"- `{entry.claim.id}`: {_cell(entry.claim.statement)}{mended}{witness}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
