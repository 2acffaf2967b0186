"""``python -m docs``: build the site into docs/_build/html, without the network and without a run of the catalogue.

Warnings are errors, and so are links that lead nowhere. Needs the extra ``docs``.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
MISSING = "the site needs the extra docs: pip install -e '.[docs]'"


def build(target: Path) -> int:
    """Build the site into a folder; exit status 0, or 1 with what is wrong on the error output."""
    from sphinx.cmd.build import build_main

    from docs.building import catalogue, gallery, links, notebook, reference, sources

    gc.set_threshold(
        100_000, 20, 20
    )  # the trees of pages live to the end: looking for garbage in them takes a fifth of the time
    source, pages = target / "source", target / "html"
    shutil.rmtree(target, ignore_errors=True)
    source.mkdir(parents=True)
    for write in (sources.gather, catalogue.write, reference.write, gallery.write, notebook.write):
        write(source)
    if build_main(
        ["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-d", str(target / "read"), str(source), str(pages)]
    ):
        return 1
    wrong = list(links.faults(pages))
    print(*wrong, sep="\n", file=sys.stderr, end="\n" if wrong else "")
    return int(bool(wrong))


def main(arguments: list[str]) -> int:
    """Build as it is told; 2 where something is missing."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument(
        "--outputs",
        action="store_true",
        help="run the examples and a line of each command, store what they print, and draw the how-to pages' pictures instead",
    )
    parser.add_argument("--out", type=Path, default=HERE / "_build", metavar="DIR", help="default: docs/_build")
    told = parser.parse_args(arguments)
    if told.outputs:
        from docs.building import gallery, notebook, pictures, screens

        gallery.store()
        notebook.store()
        screens.store()
        pictures.store()
        return 0
    try:
        import sphinx  # noqa: F401
    except ImportError:
        print(MISSING, file=sys.stderr)
        return 2
    began = time.monotonic()
    status = build(told.out)
    if not status:
        print(f"{told.out / 'html' / 'index.html'}: {time.monotonic() - began:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
