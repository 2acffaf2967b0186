"""Drawing figures into a folder, several at a time; child processes find what they call here by its name."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path

from figures import KEYS
from figures.progress import LISTENER, Counts
from fltheory.pictures.picture import Picture
from fltheory.pictures.plot import save_picture

SILENT = 5.0  # seconds between two words about one figure


def available() -> dict[str, Callable[[], Picture]]:
    """Every figure by its key, ``paper/name``."""
    return {f"{key}/{name}": make for key in KEYS for name, make in import_module(f"figures.{key}").PICTURES.items()}


def stem(name: str) -> str:
    """The name of a figure's files."""
    return name.replace("/", "_")


def drawn(names: Sequence[str], jobs: int, folder: Path, done: Callable[[str, float], None]) -> None:
    """Draw in so many processes; ``done`` hears the name and the seconds of each figure when it is ready."""
    if jobs == 1 or len(names) == 1:
        for name in names:
            done(name, draw_one(name, folder))
        return
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(names)), mp_context=fresh) as pool:
        running = {pool.submit(draw_one, name, folder): name for name in names}
        for ready in as_completed(running):
            done(running[ready], ready.result())


def draw_one(name: str, folder: Path) -> float:
    """Draw a figure into the folder, and say now and then how far it is; the seconds that it took."""
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
        save_picture(available()[name](), folder / f"{stem(name)}.svg")
    finally:
        LISTENER.reset(token)
    return time.perf_counter() - began
