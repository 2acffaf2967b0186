"""Engines that compute the points of a sweep: serial, in local processes, or on a dask cluster. The rows are the same.

Long points come first, judged by the seconds that earlier rows of the claim took per unit of size.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fltheory.claims.catalogue import KEYS
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.claims.ids import paper_of
from fltheory.command.batch import modules_to_preload, verdict_row
from fltheory.command.sweeps.cluster import connect
from fltheory.command.sweeps.design import Point, claim_at
from fltheory.command.sweeps.provenance import code_digest, statement_digest
from fltheory.command.sweeps.store import Store
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.number import to_float
from fltheory.runs import workers
from fltheory.symbols import n_clients, n_local_steps, n_rounds
from fltheory.worst_case.claims.certified import with_class_scope

ENGINES = ("processes", "dask")
ROW_ERROR_RATE = 1e-12  # error rate of one row, independent of the rest of the sweep
POINT_TIME_LIMIT = 1800.0  # seconds for a point in a process
CHUNK_SECONDS = 2.0  # seconds of work sent to a cluster at once
MAX_CHUNK, FIRST_CHUNK = (512, 16)  # largest number of points sent at once, and before their time is known
CHUNKS_PER_WORKER = 4  # chunks in flight for each worker
RowAndSeconds = tuple[dict[str, Any], float]  # the row, and its seconds


@dataclass(frozen=True)
class LostPoint:
    """A point without a row, and why: its process ended twice."""

    point: Point
    why: str


def require_engine(jobs: object, engine: object, scheduler: object) -> None:
    """Raise UserError if the engine cannot run so."""
    if engine not in ENGINES:
        raise UserError(f"engine {engine!r}: expected one of {', '.join(ENGINES)}")
    if type(jobs) is not int or jobs < 1:
        raise UserError(f"jobs = {jobs!r}: expected a number of processes, an integer from 1")
    if scheduler is not None and engine != "dask":
        raise UserError(f"scheduler {scheduler!r}: it is of the engine dask, not of {engine}")


@cache
def _claim(point: Point) -> Claim:
    claim = claim_at(point)
    _require_same(point)  # it was not changed while it was loaded
    return claim


def _cached_claim(point: Point) -> Claim:
    return _claim(Point(point.claim_id, 0, (), 0, point.variant, point.code, point.stated))


def _require_same(point: Point) -> None:
    """Raise UserError if the files of a point have changed."""
    if point.variant is not None and code_digest(point.variant) != point.code:
        raise UserError(f"{point.variant} has changed since the sweep began: begin it again")
    if statement_digest(point.claim_id) != point.stated:
        raise UserError(f"the file of {point.claim_id} has changed since the sweep began: begin it again")


def check_point(point: Point) -> RowAndSeconds:
    """Return the row of a point, without entries that vary between runs.

    A case that the constants don't make is inapplicable, with the reason. Any other error is raised.
    """
    began = time.perf_counter()
    _require_same(point)
    claim = _cached_claim(point)
    try:
        case = point.case(claim)
    except ValueError as error:
        why = " ".join(str(error).split())
        verdict = Verdict(claim.id, "inapplicable", claim.entry.recorded, claim.cases[point.index], reason=why)
    else:
        verdict = with_class_scope(claim, check_claim(claim, case, ROW_ERROR_RATE, point.seed))
    told = verdict_row(claim, verdict, point.variant, point.seed)
    del told["seconds"]
    told["reason"] = _without_folder(told["reason"], point.variant)
    return {**told, "case": point.index, "at": dict(point.values)}, time.perf_counter() - began


def _without_folder(reason: str, variant: str | None) -> str:
    """Return a reason without the folder of a variant's file, so that rows agree between folders."""
    file = variant.rpartition(":")[0] if variant is not None else ""
    for path in filter(None, (file, str(Path(file)) if file else "")):
        reason = reason.replace(path, Path(file).name)
    return reason


def attempt_point(point: Point) -> RowAndSeconds | workers.TaskError:
    """Return the row of a point, or the exception."""
    try:
        return check_point(point)
    except Exception as error:
        return workers.TaskError(type(error).__name__, " ".join(str(error).split()))


def attempt_points(points: Sequence[Point]) -> list[RowAndSeconds | workers.TaskError]:
    """Return the rows or exceptions of some points."""
    return [attempt_point(point) for point in points]


def step_estimate(point: Point) -> float:
    """Return about how many steps a run of the point makes, regardless of the variant."""
    values = dict(point.values)
    case: Case = _claim(Point(point.claim_id, 0, (), 0, stated=point.stated)).cases[point.index]
    own = (values.get(s.name, case.constants.get(s, 1)) for s in (n_clients, n_local_steps, n_rounds))
    clients, steps, rounds = (to_float(v) if not isinstance(v, str) else float(v) for v in own)
    return max(clients * steps * rounds, 1.0)


class _Clock:
    """An estimate of the remaining seconds of open points."""

    def __init__(self, points: Sequence[Point], store: Store, at_once: int) -> None:
        rates, self.sizes = store.seconds_per_unit(), {p.key: step_estimate(p) for p in points}
        self.known = all(point.claim_id in rates for point in points)
        usual = sum(rates.values()) / len(rates) if rates else 1e-6
        self.likely = {p.key: rates.get(p.claim_id, usual) * self.sizes[p.key] for p in points}
        self.at_once, self.total, self.began = at_once, len(points), time.monotonic()

    def ordered(self, points: Sequence[Point]) -> list[Point]:
        """Return the points, the longest first; equal ones keep their order."""
        return sorted(points, key=lambda p: -self.likely[p.key])

    def left(self, done: int) -> float:
        """Return the remaining seconds at the present pace."""
        return (time.monotonic() - self.began) / max(done, 1) * (self.total - done)


def run_points(
    points: Sequence[Point],
    store: Store,
    jobs: int,
    engine: str,
    scheduler: str | None,
    progress: Callable[[int, int, float], None] | None,
) -> list[LostPoint]:
    """Compute the points and store each row at once; return the lost points."""
    if not points:
        return []
    clock = _Clock(points, store, jobs)
    ordered = clock.ordered(points)
    lost: list[LostPoint] = []
    for done, (point, found) in enumerate(_engine(engine, ordered, clock, jobs, scheduler), 1):
        if isinstance(found, tuple):
            told, seconds = found
            store.add(point.key, point.claim_id, clock.sizes[point.key], seconds, told)
        else:
            lost.append(
                LostPoint(
                    point,
                    f"the process that checked it {found.how}" if isinstance(found, workers.NoAnswer) else str(found),
                )
            )
        if progress is not None:
            progress(done, len(points), clock.left(done))
    return lost


def _engine(
    engine: str, points: Sequence[Point], clock: _Clock, jobs: int, scheduler: str | None
) -> Iterator[tuple[Point, Any]]:
    if engine == "dask":
        yield from _dask_results(points, clock, jobs, scheduler)
    elif jobs == 1 and not any(_runs_foreign_code(point) for point in points):
        yield from ((point, attempt_point(point)) for point in points)
    else:
        modules = ("fltheory.command.sweeps.engines", *modules_to_preload(point.claim_id for point in points))
        with closing(workers.map_unordered(attempt_point, points, jobs, POINT_TIME_LIMIT, modules)) as found:
            yield from ((points[place], answer) for place, answer in found)


def _runs_foreign_code(point: Point) -> bool:
    """Return whether it runs code from outside the library, which may end its process."""
    return point.variant is not None or paper_of(point.claim_id) not in KEYS


def chunks(points: Sequence[Point], clock: _Clock) -> Iterator[list[Point]]:
    """Yield points that are sent together, so that a scheduler is asked at most every TASK seconds."""
    part: list[Point] = []
    for point in points:
        part.append(point)
        if (
            len(part) == (MAX_CHUNK if clock.known else FIRST_CHUNK)
            or sum(clock.likely[p.key] for p in part) > CHUNK_SECONDS
        ):
            yield part
            part = []
    if part:
        yield part


def _dask_results(
    points: Sequence[Point], clock: _Clock, jobs: int, scheduler: str | None
) -> Iterator[tuple[Point, Any]]:
    """Compute on the cluster at an address, or on local processes.

    A chunk whose worker is lost twice is sent again point by point. A point may still be lost because of another on its
    worker: in the end each is sent alone, so that only the faulty point is lost.
    """
    try:
        from distributed import as_completed
    except ImportError:
        raise UserError("the engine dask needs the extra cluster: pip install 'fltheory[cluster]'") from None
    with connect(jobs, scheduler) as client:
        waiting = deque(chunks(points, clock))
        ahead = CHUNKS_PER_WORKER * len(client.scheduler_info()["workers"])
        sent: dict[Any, list[Point]] = {}
        suspects: list[Point] = []

        def send(part: list[Point]) -> Any:
            future = client.submit(attempt_points, part, pure=False)
            sent[future] = part
            return future

        ready = as_completed([send(waiting.popleft()) for _ in range(min(ahead, len(waiting)))])
        for future in ready:
            part = sent.pop(future)
            found = _fetch_result(future)
            if not isinstance(found, BaseException):
                yield from zip(part, found, strict=True)
            elif len(part) > 1:
                waiting.extendleft([point] for point in part)
            else:
                suspects += part
            while waiting and len(sent) < ahead:
                ready.add(send(waiting.popleft()))
        for point in suspects:
            found = _fetch_result(client.submit(attempt_points, [point], pure=False))
            yield point, f"the cluster lost it: {found}" if isinstance(found, BaseException) else found[0]


def _fetch_result(future: Any) -> Any:
    """Return the result of a task, or why it is lost: a worker may end before its result is fetched."""
    try:
        return future.result()
    except Exception as error:
        return error
