"""What the command line shows: tables and summaries."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from fltheory.claim import Claim
from fltheory.command.journal import Row
from fltheory.proof.check import ORDER, Report
from fltheory.proof.sound import tied
from fltheory.proof.text import outcome
from fltheory.questions.page import expected

WIDTH = 100
NEWS = 10.0  # seconds between plain lines where there is no progress bar
STYLES = {"holds": "green", "violated": "red", "inconclusive": "yellow", "vacuous": "cyan", "inapplicable": "magenta"}


def _known_width(stream: TextIO | None = None) -> bool:
    return (stream or sys.stdout).isatty() or "COLUMNS" in os.environ


def console(stderr: bool = False) -> Console:
    """Plain text, WIDTH columns wide where the terminal doesn't say; colour only on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if _known_width(stream) else WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


@dataclass(frozen=True)
class Sheet:
    """A table that fits its page: ``spare`` names the columns to leave out, first to last, where it is narrow."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | Text, ...], ...]
    spare: tuple[str, ...]
    right: tuple[str, ...] = ()  # columns of numbers
    wrapped: str = ""  # the column that may take several lines

    def least(self, i: int) -> int:
        """The width of a column: of its longest entry, or what a wrapped one needs."""
        longest = max(len(self.columns[i]), *(len(r[i]) for r in self.rows))
        return min(longest, 13) if self.columns[i] == self.wrapped else longest

    def shown(self, width: int) -> list[int]:
        """The columns that fit, two blanks between them."""
        kept = list(range(len(self.columns)))
        for name in self.spare:
            if sum(self.least(i) + 2 for i in kept) <= width:
                break
            kept.remove(self.columns.index(name))
        return kept

    def print(self) -> None:
        """Print it, without blanks at the ends of lines; an id is never broken, however narrow the terminal."""
        screen = console()
        kept = self.shown(screen.width)
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False)
        for i in kept:
            name = self.columns[i]
            table.add_column(
                name,
                justify="right" if name in self.right else "left",
                overflow="fold",
                no_wrap=name != self.wrapped,
                min_width=self.least(i),
            )
        for row in self.rows:
            table.add_row(*(row[i] for i in kept))
        width = max(screen.width, sum(self.least(i) + 2 for i in kept))
        for line in screen.render_lines(table, screen.options.update(width=width), pad=False):
            text = Text.assemble(*((s.text, s.style or "") for s in line))
            text.rstrip()
            screen.print(text, soft_wrap=True)


def claims_table(claims: Sequence[Claim]) -> Sheet:
    """One row per claim and reading."""
    rows = [(c.id, c.kind, _coloured(expected(c) or "external"), c.bound.source.place) for c in claims]
    return Sheet(("claim", "kind", "expected", "source"), tuple(rows), ("source", "kind"), wrapped="source")


def _coloured(status: str) -> Text:
    return Text(status, STYLES.get(status, ""))


# Proofs ---------------------------------------------------------------------------------------------------------

OUTCOMES = {"PROVED": "green", "ASSUMED": "cyan", "UNKNOWN": "yellow", "REFUTED": "red"}


def proof_table(reports: Sequence[Report]) -> Sheet:
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


def proof_row(report: Report) -> Row:
    """What the JSON file says of a theorem."""
    count = report.count
    return {
        "theorem": report.theorem.id,
        "paper": report.theorem.paper,
        "verdict": report.verdict,
        "scope": report.scope,
        "steps": len(report.steps),
        "proved": count("PROVED"),
        "assumed": count("ASSUMED"),
        "unknown": count("UNKNOWN"),
        "refuted": count("REFUTED"),
        "seconds": round(report.seconds, 4),
    }


def proof_summary(reports: Sequence[Report], seconds: float) -> list[str]:
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


def wrapped(line: str) -> list[str]:
    """The line, wrapped where it goes to a terminal."""
    screen = console()
    if not _known_width():
        return [line]  # a file or a pipe: one line, whole
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, screen.width, subsequent_indent=indent, break_on_hyphens=False)


def plural(n: int, noun: str) -> str:
    """The noun for so many."""
    return noun if n == 1 else f"{noun}s"


def count(n: int, noun: str) -> str:
    """So many of them."""
    return f"{n} {plural(n, noun)}"


@contextmanager
def progress(total: int, what: str) -> Iterator[Any]:
    """A function to call after every finished row: a bar on a terminal, else a plain line now and then."""
    screen = console(stderr=True)
    if screen.is_terminal:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=screen, transient=True) as bar:
            task = bar.add_task(what, total=total)
            yield lambda: bar.advance(task)
        return
    began = last = time.monotonic()
    done = 0

    def advance() -> None:
        nonlocal done, last
        done += 1
        now = time.monotonic()
        if now - last >= NEWS:
            last = now
            print(f"{what}: {done} of {total}, {now - began:.0f} s", file=sys.stderr, flush=True)

    yield advance
