"""What the command line shows: tables, summaries, the page of one claim."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from sympy import Symbol

from fltheory.bound import Bound, BoundError, unicode_letter
from fltheory.claim import ERROR_RATE, Claim, check
from fltheory.command import proofs
from fltheory.command.lookup import Mistake, inline
from fltheory.evidence.verdict import STATUSES, ratio_text
from fltheory.number import NotRational
from fltheory.number.rational import length
from fltheory.proof.check import ORDER, Report
from fltheory.proof.sound import tied
from fltheory.proof.text import outcome
from fltheory.symbols import meaning

WIDTH = 100
NEWS = 10.0  # seconds between plain lines where there is no progress bar
PATIENCE = 10.0  # seconds that the page of a claim spends on checking its cases
SIDES = {"upper": "≤", "lower": "≥", "equal": "="}
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


def expected(claim: Claim) -> str | None:
    """The recorded verdict; None for an external result, which is compared and not asserted."""
    return None if claim.measure is None else claim.expected


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


# One claim ------------------------------------------------------------------------------------------------------


def page(claim: Claim, latex: bool) -> list[str]:
    """Everything that the catalogue says of a claim, up to its tightness."""
    lines = [
        f"{claim.id}   {claim.kind}, {claim.mode}, expected verdict: {expected(claim) or 'external'}",
        claim.statement,
    ]
    for bound in claim.bounds:
        lines += ["", *_formula(claim, bound, latex)]
    if claim.tuning:
        letters = dict(claim.bound.letters)
        lines += [
            "",
            "chosen by the claim",
            *(f"  {_letter(s, letters)} = {inline(e, letters)}" for s, e in claim.tuning),
        ]
    lines += ["", "assumptions", *(f"  {a.name}" for a in claim.assumptions)] if claim.assumptions else []
    source = claim.bound.source
    note = f"; {source.note}" if source.note else ""
    first, *more = proofs.known(claim)
    lines += [
        "",
        f"source: {source.paper}, {source.place}, {source.reading} reading{note}",
        f"proof: {first}",
        *(f"  {line}" for line in more),
    ]
    if claim.misscaled:
        lines.append(f"units: the two sides scale differently ({claim.scaling()})")
    return lines


def _formula(claim: Claim, bound: Bound, latex: bool) -> list[str]:
    import sympy

    letters = dict(bound.letters)
    measured = claim.measure.name if claim.measure else "the bounded quantity"
    lines = [f"{measured} {SIDES[bound.side]}"]
    if latex:
        lines.append(bound.latex())
        where = [f"{letters.get(s, s.name)} = {sympy.latex(e, symbol_names=letters)}" for s, e in bound.where]
        conditions = [sympy.latex(c, symbol_names=letters) for c in bound.conditions]
    else:
        lines += [f"  {line.rstrip()}" for line in bound.unicode().splitlines()]
        where = [f"{_letter(s, letters)} = {inline(e, letters)}" for s, e in bound.where]
        conditions = [inline(c, letters) for c in bound.conditions]
    lines += ["where", *(f"  {w}" for w in where)] if bound.symbols or where else []
    for symbol in bound.symbols:
        entry = meaning(symbol)
        letter = letters.get(symbol, symbol.name) if latex else _letter(symbol, letters)
        lines.append(f"  {letter}: {entry.text} ({symbol.name}, {entry.domain})")
    return lines + (["if", *(f"  {c}" for c in conditions)] if conditions else [])


def bound_lines(bound: Bound, values: Mapping[Any, Any], measured: str) -> list[str]:
    """A bound's number, rounded to the safe side, with its source, an enclosure and the exact value where it is short."""
    try:
        low, high = bound.enclosure(values)
        ball = bound.ball(values).str(20)
    except BoundError as error:
        raise Mistake(str(error)) from None
    lines = [
        f"{low if bound.side == 'lower' else high}",
        f"  {bound.source.paper}, {bound.source.place}: {measured} {SIDES[bound.side]} this",
        f"  enclosure [{low!r}, {high!r}], as a ball {ball}",
    ]
    try:
        value = bound.exact(values)
    except (NotRational, ZeroDivisionError):
        return lines
    return [*lines, f"  exactly {value}"] if length(value) <= 100 else lines  # bits: about 30 digits each


def _letter(symbol: Symbol, letters: dict[Symbol, str]) -> str:
    return unicode_letter(letters[symbol]) if symbol in letters else str(symbol.name)


def tightness(claim: Claim) -> list[str]:
    """The ratio over the claim's own cases, checked on the spot, and where the bound is vacuous.

    All of these checks together err with probability at most ERROR_RATE.
    """
    lines = [claim.remark] if claim.remark else []
    if claim.measure is None:
        return [*lines, "an external result: compared and plotted, not asserted"]
    if not claim.cases:
        return [*lines, "no cases of its own"]
    rate = ERROR_RATE / (len(claim.cases) + (claim.tightest is not None))
    began = time.monotonic()
    verdicts = []
    for case in claim.cases:
        verdicts.append(check(claim, case, rate))
        if time.monotonic() - began > PATIENCE:
            break
    of = (
        f"{len(verdicts)} of its {len(claim.cases)} cases"
        if len(verdicts) < len(claim.cases)
        else "its case"
        if len(verdicts) == 1
        else f"its {len(verdicts)} cases"
    )
    ratios = [v.ratio for v in verdicts if v.ratio is not None]
    if ratios:
        kinds = "+".join(sorted({v.evidence for v in verdicts if v.evidence}))
        sign = "limit / measured" if claim.bound.side == "lower" else "measured / limit"
        lines.append(f"{sign} over {of}: {ratio_text(min(ratios))} to {ratio_text(max(ratios))} ({kinds})")
    for status in STATUSES:
        found = [v for v in verdicts if v.status == status]
        if found and status != "holds":
            lines.append(f"{status} in {len(found)} of them, such as {found[0].case.arguments()}")
    if ratios and not any(v.status == "vacuous" for v in verdicts):
        lines.append("vacuous in none of them")
    return lines + _tightest(claim, rate)


def _tightest(claim: Claim, rate: float) -> list[str]:
    """The tightest case that long searches found, and whether the bound says anything there."""
    if claim.tightest is None:
        return []
    verdict = check(claim, claim.tightest, rate)
    ratio = "" if not verdict.ratio else f"limit is {1 / verdict.ratio:.4g} times the measured value"
    vacuous = ", though vacuous there" if verdict.status == "vacuous" else ""
    return [f"tightest case known: {ratio} ({verdict.evidence}{vacuous}), at {claim.tightest.arguments()}"]
