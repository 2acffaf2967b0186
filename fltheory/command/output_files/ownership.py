"""Recognition of files made by this program, from their content.

Each kind of file has its own mark: rows of JSON their fields, a table its first line, a plot the program in its
metadata, a page its generator, a proof its first line and that nothing stands beside its theorems. An unreadable or other
file is foreign. An empty file belongs to nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

# fields of JSON rows: verify and falsify, worst, tightness, repair, proofs, prove, coverage
ROW_FIELDS = (
    {"id", "paper", "reading", "instance", "status", "evidence", "counterexample"},
    {"method", "functions", "measure", "scope", "evidence", "lower", "upper", "instance"},
    {"id", "side", "terms", "limits", "corners", "examined", "told"},
    {"id", "repairs", "refuted", "facts"},
    {"theorem", "paper", "verdict", "scope", "steps", "proved"},
    {"theorem", "verdict", "work", "rounds"},
    {"claim", "paper", "kind", "standing", "why"},
)
PLOT_HEADER = b"panel,curve,x,y,low,high,note"
SWEEP_HEADERS = (b"id,variant,case,seed,", b"status,measured,limit,ratio,low,high,evidence,scope,reason")
EXPORT_HEADER = b'{"format": "fltheory proofs '
PROOF_HEAD = b'"""Found by a search and confirmed by the kernel: '
# a line of a proof after the first: what it imports and supposes, its symbols, its theorems
PROOF_LINE = re.compile(
    rb"from (sympy|fltheory\.proof(\.terms)?) import |# Supposed, and not proved in this file: "
    rb"|[^#(]+ = \(?(Symbol|family)\(|theorem(_\d+)? = \($|    |\)?$"
)
PNG, PDF, SOFTWARE = b"\x89PNG\r\n\x1a\n", b"%PDF-", b"Software\x00fltheory"
SVG_PATTERN = re.compile(rb"<metadata>.{0,600}<dc:title>fltheory</dc:title>", re.DOTALL)
PAGE_PATTERNS = (
    re.compile(rb"# Constants\n\nWhat is known of the constants of each theorem"),
    re.compile(rb"<!doctype html>\n.{0,200}<meta name=\"generator\" content=\"fltheory report\">", re.DOTALL),
    re.compile(rb"% Made by fltheory (report;|plot:)"),
    re.compile(rb"# Verdicts on \d+ claims\n\n"),
)
HEAD_BYTES = 4096  # bytes at the start of a page that contain its generator


def is_ours(path: Path) -> bool:
    """Return whether the file is empty or was made by this program; OSError if it can't be read."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return not head or any(seen(path, head) for seen in RECOGNISERS)


def _is_rows(path: Path, head: bytes) -> bool:
    if not head.startswith(b"{"):
        return False
    found = False
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                if not isinstance(row, dict) or not any(fields <= row.keys() for fields in ROW_FIELDS):
                    return False
                found = True
    except (ValueError, RecursionError):
        return False
    return found


def _is_export(path: Path, head: bytes) -> bool:
    """Return whether it is an export, from its first and last words, as it is long."""
    if not head.startswith(EXPORT_HEADER):
        return False
    with path.open("rb") as file:
        file.seek(-2, 2)
        return file.read() == b"}}"


def _is_table(path: Path, head: bytes) -> bool:
    first = head.partition(b"\n")[0].rstrip(b"\r")
    return first == PLOT_HEADER or (first.startswith(SWEEP_HEADERS[0]) and first.endswith(SWEEP_HEADERS[1]))


def _is_parquet(path: Path, head: bytes) -> bool:
    """Return whether it is our Parquet file, by its columns; False without a library that reads it."""
    if not head.startswith(b"PAR1"):
        return False
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_schema
    except ImportError:
        return False
    try:
        names = ",".join(read_schema(path).names).encode()
    except (OSError, ArrowException):
        return False
    return names.startswith(SWEEP_HEADERS[0]) and names.endswith(SWEEP_HEADERS[1])


def _is_picture(path: Path, head: bytes) -> bool:
    if head.startswith(b"<?xml"):
        return SVG_PATTERN.search(path.read_bytes()) is not None
    if head.startswith(PDF):
        return b"/Creator (fltheory)" in path.read_bytes()
    return head.startswith(PNG) and any(kind == b"tEXt" and text == SOFTWARE for kind, text in _chunks(path))


def _chunks(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG up to its pixels."""
    with path.open("rb") as file:
        file.seek(len(PNG))
        while len(start := file.read(8)) == 8 and (kind := start[4:]) != b"IDAT":
            yield kind, file.read(int.from_bytes(start[:4]))
            file.read(4)  # its check sum


def _is_proof(path: Path, head: bytes) -> bool:
    """Return whether it is a proof that ``prove`` wrote, to which nothing was added beside its theorems."""
    return head.startswith(PROOF_HEAD) and all(map(PROOF_LINE.match, path.read_bytes().splitlines()[1:]))


def _is_page(path: Path, head: bytes) -> bool:
    return any(page.match(head) for page in PAGE_PATTERNS)


RECOGNISERS: tuple[Callable[[Path, bytes], bool], ...] = (
    _is_rows,
    _is_export,
    _is_table,
    _is_parquet,
    _is_picture,
    _is_page,
    _is_proof,
)
