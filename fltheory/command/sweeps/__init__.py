"""Sweeps: a grid or a random design over claims, variants, constants and seeds, each row stored when finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.command.sweeps.design import Design, Point, make_design
from fltheory.command.sweeps.engines import ENGINES, LostPoint, require_engine, run_points
from fltheory.command.sweeps.store import Store
from fltheory.model.errors import UserError

__all__ = ["ENGINES", "Design", "LostPoint", "Point", "Store", "SweepResult", "make_design", "run_design", "sweep"]
Progress = Callable[[int, int, float], None]  # existing rows, total, remaining seconds


@dataclass(frozen=True)
class SweepResult:
    """The result of a sweep: rows in the design's order, the number of earlier ones, and the points lost."""

    design: Design
    rows: tuple[dict[str, Any], ...]
    reused: int
    others: int = 0  # rows in the file of other points, or of other sources
    lost: tuple[LostPoint, ...] = ()

    def __repr__(self) -> str:
        lost = f", {len(self.lost)} lost" if self.lost else ""
        return f"<SweepResult: {len(self.rows)} of {len(self.design.points)} rows, {self.reused} were there{lost}>"


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
) -> SweepResult:
    """Check claims on a grid of constants.

    Every row that rests on statistics is wrong with probability at most 1e-12.

    Parameters
    ----------
    *selectors : str
        Ids of claims, or patterns.
    over : mapping, optional
        For each constant its values, or a text as on the command line (``"LOW:HIGH:COUNT"``, ``"a,b,c"``); ``seeds`` is
        their number, or which.
    fixed : mapping, optional
        Constants that are held fixed.
    variants : sequence of str
        ``"FILE.py:NAME"`` of what replaces the algorithm.
    random : int, optional
        Number of points to draw from the ranges, in place of the grid.
    seed : int
        Seed of all random numbers.
    every_case : bool
        Whether all cases of a claim are used, or only the first.
    into : str or Path, optional
        File that stores the rows; rows in it are not computed again.
    jobs : int
        Number of processes.
    engine : {"processes", "dask"}
        Where they run.
    scheduler : str, optional
        Address of a dask scheduler.

    Returns
    -------
    SweepResult
        The rows and a summary.

    Raises
    ------
    ValueError
        If an argument is wrong; the message says what would be right.

    Examples
    --------
    >>> from fltheory import sweep
    >>> len(sweep("sfl/T3-GC@printed", over={"n_rounds": [10, 20]}).rows)
    2
    """
    require_engine(jobs, engine, scheduler)
    if into is not None and not isinstance(into, str | Path):
        raise UserError(f"into = {into!r}: expected the path of a file")
    over, fixed = ({} if given is None else given for given in (over, fixed))
    told = make_design(selectors, over, fixed, variants, random, seed, every_case)
    with Store(None if into is None else Path(into)) as store:
        return run_design(told, store, jobs, engine, scheduler)


def run_design(
    design: Design,
    store: Store,
    jobs: int = 1,
    engine: str = "processes",
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> SweepResult:
    """Compute the missing rows of a design, the longest first, and return all of them in its order."""
    require_engine(jobs, engine, scheduler)
    keys = [point.key for point in design.points]
    there = store.existing_keys(keys)
    open_points = [point for point, key in zip(design.points, keys, strict=True) if key not in there]
    lost = run_points(open_points, store, jobs, engine, scheduler, progress)
    rows = store.rows(keys)
    others = len(store) - len(rows)
    found = ({**rows[p.key], "variant": p.variant} for p in design.points if p.key in rows)  # under its present name
    return SweepResult(design, tuple(found), len(there), others, tuple(lost))
