"""The report as LaTeX to input (a table, then errata) and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from fltheory.reports.document import Document, Entry

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    """A text that LaTeX sets as it stands."""
    return "".join(_SPECIAL.get(c, c) for c in text)


def wrong(found: Document) -> Iterable[Entry]:
    """What is violated as printed in its paper."""
    return (e for e in found.entries if e.verdict == "violated" and e.claim.reading in ("printed", "literal"))


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
    lines += [r"\end{longtable}", "", r"\subsection*{Errata}", r"\begin{description}"]
    errata = list(wrong(found))
    for entry in errata:
        lines.append(rf"\item[\texttt{{{escaped(entry.claim.id)}}}] {escaped(entry.claim.statement)}")
        lines += [rf"\[ {formula.sign_latex} {formula.latex} \]" for formula in entry.formulas]
        if entry.result is not None:
            lines.append(
                rf"Violated ({escaped(entry.result.evidence)}), {_by(entry)}: \texttt{{{escaped(entry.result.instance)}}}."
            )
        if entry.claim.remark:
            lines.append(escaped(entry.claim.remark))
    lines += [r"\end{description}"] if errata else [r"\item[] None.", r"\end{description}"]
    return "\n".join(lines) + "\n"


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
    errata = list(wrong(found))
    lines += ["", "## False as printed", ""] if errata else []
    for entry in errata:
        witness = f"\n\n  ```python\n  {entry.result.witness}\n  ```\n" if entry.result and entry.result.witness else ""
        lines.append(f"- `{entry.claim.id}`: {_cell(entry.claim.statement)}{witness}")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
