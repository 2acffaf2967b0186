"""``python -m figures [KEY...]``: redraw the figures of some papers (default: all), SVG and the CSV they are drawn from.

A key is a paper (``sfl``) or one figure of it (``sfl/tasks``).
"""

from __future__ import annotations

import difflib
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from figures import KEYS
from fltheory.pictures.picture import Picture
from fltheory.pictures.plot import save_picture

FOLDER = Path(__file__).parent


def available() -> dict[str, Callable[[], Picture]]:
    """Every figure by its key, ``paper/name``."""
    return {f"{key}/{name}": make for key in KEYS for name, make in import_module(f"figures.{key}").PICTURES.items()}


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    """Redraw; exit code 2 for an unknown key."""
    pictures = available()
    chosen = {}
    for key in arguments or list(KEYS):
        found = {name: make for name, make in pictures.items() if name == key or name.split("/")[0] == key}
        if not found:
            near = difflib.get_close_matches(key, [*KEYS, *pictures], n=3, cutoff=0.3)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            print(f"no figure {key!r}{hint}", file=sys.stderr)
            return 2
        chosen |= found
    for name, make in chosen.items():
        began = time.perf_counter()
        path = folder / f"{name.replace('/', '_')}.svg"
        save_picture(make(), path)
        print(f"{path.name} and {path.with_suffix('.csv').name}: {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
