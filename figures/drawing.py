"""Drawing of figures into a folder, several at a time; child processes look their functions up by name."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path

from figures import KEYS
from fltheory.claims.plugins import BUILTIN_KEYS
from fltheory.plotting.figures.progress import LISTENER, Counts
from fltheory.plotting.picture import Picture
from fltheory.plotting.plot import save_picture
from fltheory.runs import workers

SILENT = 5.0  # seconds between two progress lines of a figure


def all_figures() -> dict[str, Callable[[], Picture]]:
    """Return every figure by its key, ``paper/name``."""
    modules = {key: f"fltheory.papers.{key}.figures" if key in BUILTIN_KEYS else f"figures.{key}" for key in KEYS}
    return {
        f"{key}/{name}": make
        for key, module in modules.items()
        for name, make in import_module(module).PICTURES.items()
    }


def stem(name: str) -> str:
    """Return the stem of a figure's file names."""
    return name.replace("/", "_")


def draw_all(names: Sequence[str], jobs: int, folder: Path, done: Callable[[str, float], None]) -> dict[str, str]:
    """Draw with this many processes; ``done`` receives the name and seconds of each finished figure.

    Return the figures whose process ended (twice, if killed), with how; all others are drawn.
    """
    if jobs == 1 or len(names) == 1:
        for name in names:
            done(name, draw_one(name, folder))
        return {}
    lost = {}
    with closing(
        workers.map_unordered(_draw_task, [(name, folder) for name in names], jobs, math.inf, ("figures.drawing",))
    ) as found:
        for place, answer in found:
            if isinstance(answer, float):
                done(names[place], answer)
            else:
                lost[names[place]] = answer.how if isinstance(answer, workers.NoAnswer) else str(answer)
    return lost


def _draw_task(asked: tuple[str, Path]) -> float:
    return draw_one(*asked)


def draw_one(name: str, folder: Path) -> float:
    """Draw a figure into the folder with progress lines; return the seconds."""
    began = said = time.perf_counter()

    def listen(counts: Counts) -> None:
        nonlocal said
        now = time.perf_counter()
        if now - said >= SILENT:
            said = now
            steps = ", ".join(f"{at + 1} of {of}" for at, of in counts)
            print(f"{name}: step {steps}, {now - began:.0f} s so far", file=sys.stderr, flush=True)

    token = LISTENER.set(listen)
    try:
        save_picture(all_figures()[name](), folder / f"{stem(name)}.svg")
    finally:
        LISTENER.reset(token)
    return time.perf_counter() - began
