"""``python -m figures [KEY...]``: redraw the figures of some papers (default: all), SVG and the CSV with their numbers.

A key is a paper (``sfl``) or one figure of it (``sfl/tasks``).
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib import __version__ as VERSION

from figures import KEYS, MATPLOTLIB_VERSION
from figures.drawing import all_figures, draw_all, stem

FOLDER = Path(__file__).parent
DIFFERENT, UNKNOWN, CRASHED = 1, 2, 3  # exit codes


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    """Redraw, or compare with stored files; exit code 1: a figure differs, 2: unknown key, 3: a figure was lost."""
    told = _parser().parse_args(arguments)
    pictures = all_figures()
    if told.list:
        print("\n".join(pictures))
        return 0
    chosen: list[str] = []
    for key in told.keys or KEYS:
        found = [name for name in pictures if name == key or name.split("/")[0] == key]
        if not found:
            near = difflib.get_close_matches(key, [*KEYS, *pictures], n=3, cutoff=0.3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            print(f"no figure {key!r}{hint}", file=sys.stderr)
            return UNKNOWN
        chosen += [name for name in found if name not in chosen]
    if told.check:
        return _check(chosen, told.jobs, folder)
    lost = draw_all(
        chosen, told.jobs, folder, lambda name, spent: print(f"{stem(name)}.svg and .csv: {spent:.1f} s", flush=True)
    )
    return CRASHED if _report_lost(lost) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m figures",
        description="Redraw the figures of the papers: the SVG, and the CSV that it is drawn from.",
        epilog="Some figures take a second, some minutes; how far one is stands on the error output.",
    )
    parser.add_argument(
        "keys", nargs="*", metavar="KEY", help="a paper (sfl) or a figure of it (sfl/tasks); default: all"
    )
    parser.add_argument(
        "--check", action="store_true", help="store nothing: draw again and compare with what is stored, byte for byte"
    )
    parser.add_argument(
        "--jobs", type=_positive_int, default=1, metavar="N", help="draw so many figures at a time (default: 1)"
    )
    parser.add_argument("--list", action="store_true", help="print the keys of all figures")
    return parser


def _positive_int(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: expected 1, 2, ...")
    return int(text)


# Comparing ------------------------------------------------------------------------------------------------------------


def _check(names: Sequence[str], jobs: int, folder: Path) -> int:
    """Draw into another folder and compare; print a line for each figure."""
    wrong = []

    with tempfile.TemporaryDirectory() as other:

        def compare(name: str, spent: float) -> None:
            found = differences(stem(name), folder, Path(other))
            wrong.extend([name] if found else [])
            print(f"{name}: {found or 'as stored'} ({spent:.1f} s)", flush=True)

        lost = _report_lost(draw_all(names, jobs, Path(other), compare))
    print(f"{len(names) - len(wrong) - len(lost)} of {len(names)} figures are as stored, byte for byte")
    return DIFFERENT if wrong else CRASHED if lost else 0


def _report_lost(lost: Mapping[str, str]) -> Mapping[str, str]:
    """Report lost figures on standard error."""
    for name, how in lost.items():
        print(f"{name}: the process that drew it {how}", file=sys.stderr)
    return lost


def differences(name: str, stored: Path, drawn: Path) -> str:
    """Return in words how a redrawn figure differs from the stored one; "" for the same bytes."""
    table, picture = f"{name}.csv", f"{name}.svg"
    missing = [file for file in (table, picture) if not (stored / file).exists()]
    if missing:
        return f"not stored: {' and '.join(missing)}"
    old, new = ((folder / table).read_text().splitlines() for folder in (stored, drawn))
    pairs = [(a, b) for a, b in itertools.zip_longest(old, new, fillvalue="") if a != b]
    if pairs:
        return f"{len(pairs)} of {len(new)} lines of {table} differ; stored {pairs[0][0]!r}, drawn {pairs[0][1]!r}"
    if (stored / picture).read_bytes() != (drawn / picture).read_bytes():
        other = (
            f" (drawn with matplotlib {MATPLOTLIB_VERSION}, this is {VERSION})" if VERSION != MATPLOTLIB_VERSION else ""
        )
        return f"{table} is as stored, {picture} is not{other}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
