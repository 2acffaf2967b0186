"""A dask cluster that is fit for a sweep: it answers, has the same sources, and one thread for each worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from fltheory.command.sweeps.provenance import sources, versions
from fltheory.model.errors import Mistake

WAIT = "5s"


@contextmanager
def connected(jobs: int, scheduler: str | None) -> Iterator[Any]:
    """A client of the scheduler at an address, or of a cluster of ``jobs`` processes here; Mistake where it does not do."""
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        where: Any = scheduler
        if scheduler is None:
            where = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
        try:
            client = stack.enter_context(Client(where, timeout=WAIT))
        except (OSError, TimeoutError, ValueError) as error:
            raise Mistake(f"no scheduler answers at {scheduler or 'this machine'}: {error}") from None
        _require_fit(client)
        client.run_on_scheduler(_forgive_once)
        yield client


def _require_fit(client: Any) -> None:
    found = client.scheduler_info()["workers"]
    if not found:
        raise Mistake("the cluster has no workers yet: start some with --nthreads 1")
    many = next((name for name, worker in found.items() if worker["nthreads"] != 1), None)
    if many is not None:
        raise Mistake(
            f"the worker {many} has several threads, of which one counts digits for all: start it with --nthreads 1"
        )
    try:
        known, below = client.run(sources), client.run(versions)
    except Exception as error:
        raise Mistake(f"the workers can't load fltheory: {type(error).__name__}: {error}") from None
    other = next((name for name, one in known.items() if one != sources()), None)
    if other is not None:
        raise Mistake(f"the worker {other} has other sources of fltheory: install the same version there")
    for name, one in below.items():
        if differing := set(map(tuple, one)) - set(versions()):
            there = ", ".join(" ".join(pair) for pair in sorted(differing))
            raise Mistake(f"the worker {name} has {there}, unlike here: install the same versions there")


def _forgive_once(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 1
