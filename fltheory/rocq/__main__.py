"""``python -m fltheory.rocq FILE DIR``: write exported proofs for Rocq, check them if ``coqc`` exists, and record."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from fltheory.rocq import record
from fltheory.rocq.check import check_files, version
from fltheory.rocq.project import write_files


def main() -> None:
    """Write the files, check those that changed, and record the results."""
    parser = argparse.ArgumentParser(prog="python -m fltheory.rocq", description=__doc__)
    parser.add_argument("file", type=Path, help="the JSON of fltheory proofs --export")
    parser.add_argument("place", type=Path, help="the folder for the files")
    parser.add_argument("--jobs", type=int, default=1, help="how many files at once")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one file")
    parser.add_argument("--in-all", type=float, default=math.inf, metavar="SECONDS", help="begin no file after that")
    parser.add_argument("--record", type=Path, help="the JSON with what came of each theorem")
    parser.add_argument("--table", type=Path, help="the page with the table by paper")
    parser.add_argument("--only", action="append", default=[], metavar="PAPER", help="check this paper")
    parser.add_argument("--write-only", action="store_true", help="check nothing")
    own = parser.parse_args()
    value = json.loads(own.file.read_text(encoding="utf-8"))
    known = version()
    if not (known or own.write_only):
        raise SystemExit("coqc is not installed: apt-get install coq libcoq-interval")
    before = record.read_record(own.record) if own.record and own.record.exists() else {}
    wanted = None if own.write_only else record.stale_theorems(value, before, known, own.only)
    written = write_files(value, own.place, wanted, own.jobs)
    print(f"{sum(bool(w.text) for w in written)} of {len(written)} theorems have a script: {own.place}", flush=True)
    if own.write_only:
        return
    checked = check_files(own.place, written, own.jobs, own.limit, own.in_all)
    rows = record.record_rows(value, written, checked, before, known)
    if own.record:
        own.record.write_text(record.record_json(rows, known), encoding="utf-8")
    if own.table:
        own.table.write_text(record.record_page(rows, known), encoding="utf-8")
    print(record.summary(rows))


if __name__ == "__main__":
    main()
