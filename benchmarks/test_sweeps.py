"""What a row of a sweep costs beside the check itself, by engine and by how many points are sent at once. Ratios are printed."""

from __future__ import annotations

import time

import pytest

from fltheory.command.sweeps import Store, make_design, run_design
from fltheory.command.sweeps import engines as by

OVER = {"n_rounds": "1e1:1e6:250", "step_size": "1/4000:1/400:20"}


def seconds(engine: str, jobs: int) -> float:
    design = make_design(("sfl/T3-GC@printed",), OVER, {}, (), None, 0, False)
    with Store(None) as store:
        began = time.perf_counter()
        found = run_design(design, store, jobs, engine)
        assert len(found.rows) == len(design.points)
        return (time.perf_counter() - began) / len(design.points)


def test_what_a_row_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds("processes", 1)  # the claims are loaded
    alone = seconds("processes", 1)
    print(f"\none process, no pipe: {1e3 * alone:.2f} ms a row")
    for jobs in (1, 2):
        print(f"processes, {jobs}: {seconds('processes', jobs) / alone:.2f} times that")
    pytest.importorskip("distributed")
    for many in (1, 8, 64):
        monkeypatch.setattr(by, "MAX_CHUNK", many)
        print(
            f"dask, 2 workers, {many} points at once: {seconds('dask', 2) / alone:.2f} times that, the cluster's start included"
        )


def test_how_many_tasks_a_scheduler_takes() -> None:
    """Empty tasks: where more of them come in a second the scheduler binds, however many workers there are."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        client.gather(client.map(len, [[n] for n in range(200)], pure=False))
        began = time.perf_counter()
        client.gather(client.map(len, [[n] for n in range(4000)], pure=False))
        print(f"\n{4000 / (time.perf_counter() - began):.0f} empty tasks a second")
