"""Sweeps: a grid or a random design of cases over claims, variants, constants and seeds, each row kept as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.command.sweeps.design import Design, Point, designed
from fltheory.command.sweeps.engines import ENGINES, Lost, require_engine, run
from fltheory.command.sweeps.store import Store
from fltheory.model.errors import Mistake

__all__ = ["ENGINES", "Design", "Lost", "Point", "Store", "Swept", "designed", "sweep", "swept"]
Progress = Callable[[int, int, float], None]  # rows that are there, of how many, seconds that are left


@dataclass(frozen=True)
class Swept:
    """What a sweep has: the rows in the design's order, those that were there before, and what was lost with its process."""

    design: Design
    rows: tuple[dict[str, Any], ...]
    reused: int
    others: int = 0  # rows in the file that are of other points, or of other sources
    lost: tuple[Lost, ...] = ()

    def __repr__(self) -> str:
        lost = f", {len(self.lost)} lost" if self.lost else ""
        return f"<Swept: {len(self.rows)} of {len(self.design.points)} rows, {self.reused} were there{lost}>"


def sweep(
    *selectors: str,
    over: Mapping[str, object] | None = None,
    fixed: Mapping[str, object] | None = None,
    variants: Sequence[str] = (),
    random: int | None = None,
    seed: int = 0,
    every_case: bool = False,
    into: str | Path | None = None,
    jobs: int = 1,
    engine: str = "processes",
    scheduler: str | None = None,
) -> Swept:
    """Check claims at a grid of constants: ``sweep("sfl/T3-GC@printed", over={"n_rounds": "1e2:1e6:13", "seeds": 3})``.

    ``over``: values, or texts as on the command line (``LOW:HIGH:COUNT``, ``a,b,c``); ``seeds``: how many, or which. ``random``: so
    many points drawn from these ranges instead. ``into``: a file that keeps the rows: what is there is not done again. Every
    row may err with probability 1e-12 at most where it rests on statistics. ValueError says what is mistaken.
    """
    require_engine(jobs, engine, scheduler)
    if into is not None and not isinstance(into, str | Path):
        raise Mistake(f"into = {into!r}: expected the path of a file")
    over, fixed = ({} if given is None else given for given in (over, fixed))
    told = designed(selectors, over, fixed, variants, random, seed, every_case)
    with Store(None if into is None else Path(into)) as store:
        return swept(told, store, jobs, engine, scheduler)


def swept(
    design: Design,
    store: Store,
    jobs: int = 1,
    engine: str = "processes",
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Swept:
    """Do what is missing of a design, the longest first, and give all of it in its order."""
    require_engine(jobs, engine, scheduler)
    keys = [point.key for point in design.points]
    there = store.having(keys)
    open_points = [point for point, key in zip(design.points, keys, strict=True) if key not in there]
    lost = run(open_points, store, jobs, engine, scheduler, progress)
    rows = store.rows(keys)
    others = len(store) - len(rows)
    found = ({**rows[p.key], "variant": p.variant} for p in design.points if p.key in rows)  # as it is called now
    return Swept(design, tuple(found), len(there), others, tuple(lost))
