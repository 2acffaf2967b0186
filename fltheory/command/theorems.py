"""How the command line shows checked proofs: a table, a summary, rows of the JSON file."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from fltheory.command.journal import Row
from fltheory.command.report import Sheet, count, wrapped
from fltheory.proof.check import ORDER, Report
from fltheory.proof.sound import tied
from fltheory.proof.text import outcome

OUTCOMES = {"PROVED": "green", "ASSUMED": "cyan", "UNKNOWN": "yellow", "REFUTED": "red"}


def table(reports: Sequence[Report]) -> Sheet:
    """One row per theorem, and their total."""
    kinds = tuple(reversed(ORDER))
    lines: list[tuple[str | Text, ...]] = [
        (
            r.theorem.id,
            Text(r.verdict, OUTCOMES[r.verdict]),
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
    return Sheet(
        columns,
        tuple(lines),
        ("time", "unknown", "assumed", "refuted", "scope"),
        right=("steps", *counts, "time"),
        wrapped="scope",
    )


def summary(reports: Sequence[Report], seconds: float) -> list[str]:
    """Counts, then what did not come out as it is recorded, with the reasons."""
    bad = [r for r in reports if not r.as_recorded]
    kinds = [f"{n} {k}" for k in reversed(ORDER) if (n := sum(r.verdict == k for r in reports))]
    end = f"{len(bad)} NOT AS RECORDED" if bad else "all as recorded"
    supposing = sum(bool(tied.supposed(r.theorem)) for r in reports if r.theorem.claim)
    more = f"; {supposing} of them suppose more than their claims" if supposing else ""
    lines = [f"{count(len(reports), 'theorem')}: {', '.join(kinds)}{more}; {end}; {seconds:.1f} s"]
    for r in bad:
        lines.append(f"{r.theorem.id}: {r.verdict}, recorded as {r.theorem.expected}")
        lines += [f"  {fault}" for fault in r.faults]
        lines += [f"  step {s.step.id}: {outcome(s)}" for s in r.steps if s.outcome != s.step.expected]
    return [part for line in lines for part in wrapped(line)]


def row(report: Report) -> Row:
    """What the JSON file says of a theorem."""
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
