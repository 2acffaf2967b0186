"""Output of the command line: tables that fit the page, lists of claims, progress."""

from __future__ import annotations

import os
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from fltheory.claims.ids import without_reading
from fltheory.model.place import Item

if TYPE_CHECKING:
    from fltheory.claims.index import Line

WIDTH = 100
NO_BREAK = "\xa0"
PROGRESS_INTERVAL = 10.0  # seconds between plain lines without a progress bar
STYLES = {"holds": "green", "violated": "red", "inconclusive": "yellow", "vacuous": "cyan", "inapplicable": "magenta"}


def _has_known_width(stream: TextIO | None = None) -> bool:
    return (stream or sys.stdout).isatty() or "COLUMNS" in os.environ


def console(stderr: bool = False) -> Console:
    """Return a console for plain text, WIDTH columns wide by default; with colour only on a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if _has_known_width(stream) else WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


@dataclass(frozen=True)
class Sheet:
    """A table that fits its page: ``spare`` names the columns to drop, in this order, if it is narrow.

    ``below`` has a text for each row, or none at all: it follows the row, indented and shortened to one line. Columns that do
    not fit stand in a second table, with the columns of ``keys``, if there are any.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | Text, ...], ...]
    spare: tuple[str, ...]
    right: tuple[str, ...] = ()  # columns of numbers
    wrapped_column: str = ""  # column that may be wrapped
    below: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def least(self, i: int) -> int:
        """Return the width of a column: of its longest entry, or the least width of a wrapped one."""
        longest = max(len(self.columns[i]), *(len(r[i]) for r in self.rows))
        return min(longest, 13) if self.columns[i] == self.wrapped_column else longest

    def shown(self, width: int) -> list[int]:
        """Return the columns that fit, with two blanks between them."""
        kept = list(range(len(self.columns)))
        for name in self.spare:
            if sum(self.least(i) + 2 for i in kept) <= width:
                break
            kept.remove(self.columns.index(name))
        return kept

    def widths(self, kept: Sequence[int], width: int) -> list[int]:
        """Return the widths of these columns: their longest entries, and the rest of the page for the wrapped one."""
        whole = [max(cell_len(str(r[i])) for r in ((*self.columns,), *self.rows)) for i in kept]
        beyond = sum(whole) + 2 * (len(kept) - 1) - width
        return [
            max(self.least(i), w - beyond) if self.columns[i] == self.wrapped_column and beyond > 0 else w
            for i, w in zip(kept, whole, strict=True)
        ]

    def print(self) -> None:
        """Print it without trailing blanks; an id is never broken, even on a narrow terminal."""
        screen = console()
        kept = self.shown(screen.width)
        widths = self.widths(kept, screen.width)
        right = [self.columns[i] in self.right for i in kept]
        head = _row([Text(self.columns[i], "bold") for i in kept], widths, right, screen)
        rule = Text("─" * (sum(widths) + 2 * (len(kept) - 1)))
        lines = [*head, rule]
        for row, text in zip(self.rows, self.below or ("",) * len(self.rows), strict=True):
            lines += _row([row[i] for i in kept], widths, right, screen)
            lines += [Text(f"  {shortened(text, screen.width - 2)}")] if text else []
        print_lines(lines)
        if self.keys and (rest := [name for i, name in enumerate(self.columns) if i not in kept]):
            print()
            self.part((*self.keys, *rest)).print()

    def part(self, names: Sequence[str]) -> Sheet:
        """Return the table of some columns alone, of which all stay."""
        at = [self.columns.index(name) for name in names]
        rows = tuple(tuple(row[i] for i in at) for row in self.rows)
        return Sheet(tuple(names), rows, (), tuple(name for name in self.right if name in names), self.wrapped_column)


def _row(cells: Sequence[str | Text], widths: Sequence[int], right: Sequence[bool], screen: Console) -> list[Text]:
    """Return the lines of a row; rich's own tables take a second for a thousand rows."""
    parts = [_wrapped_cell(cell, width, screen) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for k in range(max(map(len, parts))):
        line = Text()
        for part, width, to_right in zip(parts, widths, right, strict=True):
            cell = part[k] if k < len(part) else Text()
            blanks = " " * (width - cell.cell_len)
            line.append(blanks if to_right else "").append_text(cell).append("" if to_right else blanks).append("  ")
        line.rstrip()
        lines.append(line)
    return lines


def _wrapped_cell(cell: str | Text, width: int, screen: Console) -> list[Text]:
    text = Text(cell) if isinstance(cell, str) else cell
    return [text] if text.cell_len <= width else list(text.wrap(screen, width, overflow="fold"))


# Claims ---------------------------------------------------------------------------------------------------------


def claims_table(found: Sequence[Line]) -> Sheet:
    """Return one row per claim and reading, with the statement below it."""
    rows = [(line.id, line.kind, _status_text(line.recorded), line.place) for line in found]
    columns, statements = ("claim", "kind", "recorded", "source"), tuple(line.statement for line in found)
    return Sheet(columns, tuple(rows), ("source", "kind"), wrapped_column="source", below=statements)


def legend(found: Iterable[Line]) -> list[str]:
    """Return a line, wrapped, that explains the abbreviations in the ids and statements of some claims; none without any."""
    from fltheory.papers.search_words import ABBREVIATIONS

    words = {word for line in found for word in re.findall(r"\w+", f"{line.id} {line.statement}")}
    said = [f"{short} {meaning}" for short, meaning in ABBREVIATIONS.items() if short in words]
    text = f"abbreviations: {'; '.join(said)}"
    return textwrap.wrap(text, console().width, subsequent_indent="  ", break_on_hyphens=False) if said else []


def _status_text(status: str) -> Text:
    return Text(status, STYLES.get(status, ""))


def table_of_contents(title: str, items: Iterable[tuple[Item, Sequence[Line]]]) -> list[Text]:
    """Return a paper's table of contents: every item, its claims without readings, each reading with its verdict.

    The statement of a claim's first reading follows.
    """
    page = console().width
    lines = [Text(part, "bold") for part in wrap_line(title)]
    for item, found in items:
        depth = 0 if item.is_section else 1
        lines += [Text()] if item.is_section else []
        lines.append(Text("  " * depth + f"{item.name}  {item.title}".rstrip(), "bold" if item.is_section else ""))
        readings: dict[str, list[Line]] = {}
        for line in found:
            readings.setdefault(without_reading(line.id), []).append(line)
        width = max((len(name) for name in readings), default=0)
        for name, own in readings.items():
            indent = "  " * (depth + 1)
            lines += _readings(indent + name.ljust(width), own, page)
            lines.append(Text(f"{indent}  {shortened(own[0].statement, page - len(indent) - 2)}", "dim"))
    return lines


def _readings(name: str, own: Sequence[Line], page: int) -> list[Text]:
    """Return a claim with the recorded verdicts of its readings; those that do not fit stand on a line of their own."""
    lines = [Text(f"{name} ")]
    for line in own:
        said = Text.assemble(f" {line.reading} ", _status_text(line.recorded), "," if line is not own[-1] else "")
        if lines[-1].cell_len + said.cell_len > page and lines[-1].plain.strip():
            lines.append(Text(" " * (cell_len(name) + 1)))
        lines[-1].append_text(said)
    return lines


def print_lines(lines: Sequence[Text]) -> None:
    """Print whole lines, in colour on a terminal."""
    console().print(Text("\n").join(lines), soft_wrap=True)


# Words ----------------------------------------------------------------------------------------------------------


def wrap_line(line: str) -> list[str]:
    """Return the line, wrapped for a terminal; no word is broken, nothing that is ``unbroken``, and no line of Python."""
    screen = console()
    if not _has_known_width() or "from fltheory" in line:
        return [line.replace(NO_BREAK, " ")]  # a file or a pipe gets one whole line
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    found = textwrap.wrap(line, screen.width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
    return [part.replace(NO_BREAK, " ") for part in found]


def print_page(text: str) -> None:
    """Print a text; on a terminal its lines are wrapped between words.

    A line of Python, which a reader copies, and a line of a displayed formula stay whole.
    """
    lines = text.splitlines()
    print(*(part for line in lines for part in ([line] if _is_whole(line) else wrap_line(line))), sep="\n", flush=True)


def _is_whole(line: str) -> bool:
    """Return whether a line must not be wrapped: one of a formula, which has blanks or rules within, or an empty one."""
    return re.search(r"\S\s{2,}\S|[─⎛⎜⎝⎞⎟⎠]", line.strip()) is not None or not line.strip()


def unbroken(text: str) -> str:
    """Return a text that ``wrap_line`` keeps on one line, such as a command."""
    return text.replace(" ", NO_BREAK)


def shortened(text: str, width: int) -> str:
    """Return a text on one line, cut off after a word where it is too long, with an ellipsis."""
    if cell_len(text) <= width:
        return text
    kept = set_cell_size(text, max(width - 1, 1)).rstrip()
    return f"{kept.rpartition(' ')[0] if ' ' in kept and text[len(kept)] != ' ' else kept}…"


def plural(n: int, noun: str) -> str:
    """Return the noun in the singular or plural."""
    return noun if n == 1 else f"{noun}s"


def count(n: int, noun: str) -> str:
    """Return the number with the noun."""
    return f"{n} {plural(n, noun)}"


@contextmanager
def progress(names: Sequence[str], what: str) -> Iterator[Callable[[int], None]]:
    """Return a function that takes the number of every finished row: a bar on a terminal, else plain lines.

    The bar names the first unfinished row.
    """
    total, left = len(names), dict.fromkeys(range(len(names)))
    screen = console(stderr=True)
    if screen.is_terminal:
        columns = (
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
        )
        beside = sys.stdout.isatty()  # lines printed meanwhile stand above the bar, or go to where the output goes
        with Progress(*columns, console=screen, transient=True, redirect_stdout=beside) as bar:
            task = bar.add_task(names[0] if names else "", total=total)

            def finished(number: int) -> None:
                left.pop(number, None)
                bar.update(task, advance=1, description=names[next(iter(left))] if left else "")

            yield finished
        return
    began = last = time.monotonic()
    done = 0

    def advance(number: int) -> None:
        nonlocal done, last
        done += 1
        now = time.monotonic()
        if now - last >= PROGRESS_INTERVAL:
            last = now
            print(f"{what}: {done} of {total}, {now - began:.0f} s", file=sys.stderr, flush=True)

    yield advance


@contextmanager
def progress_counter(what: str, noun: str) -> Iterator[Callable[[int, int], None]]:
    """Return a function that takes the amount done and the total: a bar on a terminal, else plain lines."""
    screen, began = console(stderr=True), time.monotonic()
    if screen.is_terminal:
        columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn(noun), TimeElapsedColumn())
        with Progress(*columns, console=screen, transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda done, total: bar.update(task, total=total, completed=done)
        return
    last = began

    def told(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PROGRESS_INTERVAL:
            last = now
            print(f"{what}: {done} of {total} {noun}, {now - began:.0f} s", file=sys.stderr, flush=True)

    yield told
