"""Output for checked proofs: a table, a summary, and rows of the JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from fltheory.api.coverage import STANDING_MEANINGS, ClaimStanding, Standing
from fltheory.api.coverage import standing_counts as counted
from fltheory.command.jsonl_writer import Journal, Row
from fltheory.command.output_files import require_output_file
from fltheory.command.tables import Sheet, count, wrap_line
from fltheory.model.errors import UserError
from fltheory.proof.language import Proofs
from fltheory.proof.matching import matching
from fltheory.proof.report import OUTCOME_ORDER, Report
from fltheory.proof.text import outcome_text

OUTCOME_STYLES = {"PROVED": "green", "ASSUMED": "cyan", "UNKNOWN": "yellow", "REFUTED": "red"}


def report_table(reports: Sequence[Report]) -> Sheet:
    """Return one row per theorem, and the total."""
    kinds = tuple(reversed(OUTCOME_ORDER))
    lines: list[tuple[str | Text, ...]] = [
        (
            r.theorem.id,
            Text(r.verdict, OUTCOME_STYLES[r.verdict]),
            Text("yes") if r.as_recorded else Text("NO", "bold red"),
            *(str(n) for n in (len(r.steps), *(r.count(k) for k in kinds))),
            r.scope,
            f"{r.seconds:.1f}s",
        )
        for r in reports
    ]
    steps = sum(len(r.steps) for r in reports)
    sums = [str(n) for n in (steps, *(sum(r.count(k) for r in reports) for k in kinds))]
    whole = f"{sum(r.verdict == 'PROVED' for r in reports)} PROVED"
    lines.append(("total", whole, "", *sums, "", f"{sum(r.seconds for r in reports):.1f}s"))
    counts = tuple(k.lower() for k in kinds)
    columns = ("theorem", "verdict", "recorded", "steps", *counts, "scope", "time")
    empty = [name for name, total in zip(counts, sums[1:], strict=True) if total == "0"]
    said = ["recorded"] if all(r.as_recorded for r in reports) else []  # the summary says it too
    others = [name for name in ("unknown", "assumed", "refuted") if name not in empty]
    return Sheet(
        columns,
        tuple(lines),
        ("time", *(name for name in empty if name != "proved"), "scope", *said, *others),
        right=("steps", *counts, "time"),
        wrapped_column="scope",
    )


def report_summary(reports: Sequence[Report], seconds: float) -> list[str]:
    """Return counts, then deviations from the recorded results, with reasons."""
    bad = [r for r in reports if not r.as_recorded]
    kinds = [f"{n} {k}" for k in reversed(OUTCOME_ORDER) if (n := sum(r.verdict == k for r in reports))]
    end = f"{len(bad)} NOT AS RECORDED" if bad else "all as recorded"
    supposing = sum(bool(matching.suppositions(r.theorem)) for r in reports if r.theorem.claim)
    more = f"; {supposing} of them suppose more than their claims" if supposing else ""
    lines = [f"{count(len(reports), 'theorem')}: {', '.join(kinds)}{more}; {end}; {seconds:.1f} s"]
    for r in bad:
        lines.append(f"{r.theorem.id}: {r.verdict}, recorded as {r.theorem.recorded}")
        lines += [f"  {fault}" for fault in r.faults]
        lines += [f"  step {s.step.id}: {outcome_text(s)}" for s in r.steps if s.outcome != s.step.recorded]
    return [part for line in lines for part in wrap_line(line)]


def report_row(report: Report) -> Row:
    """Return the JSON row of a theorem."""
    of = report.count
    return {
        "theorem": report.theorem.id,
        "paper": report.theorem.paper,
        "verdict": report.verdict,
        "scope": report.scope,
        "steps": len(report.steps),
        "proved": of("PROVED"),
        "assumed": of("ASSUMED"),
        "unknown": of("UNKNOWN"),
        "refuted": of("REFUTED"),
        "seconds": round(report.seconds, 4),
    }


# Coverage of the catalogue --------------------------------------------------------------------------------------------


NAMED_STANDINGS: tuple[Standing, ...] = ("range", "supposing", "words", "open")  # standings whose claims are listed


def coverage_table(found: Sequence[ClaimStanding]) -> Sheet:
    """Return one row for each paper and kind of claim, and the total."""
    counts = counted(found)
    kinds: tuple[Standing, ...] = tuple(STANDING_MEANINGS)
    rows: list[tuple[str | Text, ...]] = [
        (paper, kind, *(str(n or "") for n in row.values()), str(sum(row.values())))
        for (paper, kind), row in counts.items()
    ]
    sums = [sum(row[kind] for row in counts.values()) for kind in kinds]
    rows.append(("total", "", *map(str, sums), str(len(found))))
    return Sheet(
        ("paper", "kind", *kinds, "claims"),
        tuple(rows),
        ("nature", "counterexample", "refuted"),
        right=(*kinds, "claims"),
        keys=("paper", "kind"),
    )


def standing_lines(found: Sequence[ClaimStanding]) -> list[str]:
    """Return the meaning of the columns, then all claims that are open, proved in part or under extra hypotheses."""
    lines = [f"{standing}: {words}" for standing, words in STANDING_MEANINGS.items()]
    for standing in NAMED_STANDINGS:
        own = [one for one in found if one.standing == standing]
        lines += (
            ["", f"{count(len(own), 'claim')} {STANDING_MEANINGS[standing].partition(': ')[0]}" + (":" if own else "")]
            if own
            else []
        )
        lines += [f"  {one.claim.id}" + (f" ({one.why})" if one.why else "") for one in own]
    return [part for line in lines for part in (wrap_line(line) or [""])]


def standing_row(one: ClaimStanding) -> Row:
    """Return the JSON row of a claim."""
    return {
        "claim": one.claim.id,
        "paper": one.claim.paper,
        "kind": one.claim.kind,
        "standing": one.standing,
        "why": one.why,
    }


def export_json(papers: Sequence[Proofs], file: Path, force: bool = False) -> None:
    """Write the theorems of some papers as JSON for other checkers; a foreign file needs ``force``."""
    from fltheory.proof.export import export_papers

    goal = require_output_file(file, force)
    text = json.dumps(export_papers(*papers), ensure_ascii=False)
    goal.write(text.encode())
    theorems = sum(len(p.theorems) for p in papers)
    print(f"{count(theorems, 'theorem')} of {', '.join(p.key for p in papers)}: {file}, {len(text) / 1e6:.1f} MB")
    print(f"to ask the kernel alone: python -m fltheory.kernel {file}")


def export_rocq(papers: Sequence[Proofs], folder: Path, force: bool = False) -> None:
    """Write the theorems of some papers as Rocq files into a new or empty folder, or any with ``force``."""
    from fltheory.proof.export import export_papers
    from fltheory.rocq.project import write_files

    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file: expected a folder")
    if folder.exists() and any(folder.iterdir()) and not ((folder / "Semantics.v").exists() or force):
        raise UserError(f"{folder} has other files in it: expected a new folder, or --force")
    found = write_files(json.loads(json.dumps(export_papers(*papers))), folder)
    written = sum(bool(w.text) for w in found)
    print(f"{count(written, 'theorem')} of {len(found)} of {', '.join(p.key for p in papers)}: {folder}")
    print(f"why the others have no script: {folder / 'open.json'}")
    print(f"to check them by Rocq: make -k -j2 -C {folder}")


def show_coverage(keys: Sequence[str], json_file: Path | None, force: bool = False) -> None:
    """Print the coverage of the claims of papers; the JSON file gets a row for each."""
    from fltheory.api.coverage import coverage as standing_of
    from fltheory.claims.catalogue import catalogue

    with Journal(json_file, force) as journal:
        found = standing_of(catalogue(tuple(keys)))
        for i, one in enumerate(found):
            journal.add(i, standing_row(one))
    coverage_table(found).print()
    print(*standing_lines(found), sep="\n", flush=True)
    journal.raise_if_failed()
