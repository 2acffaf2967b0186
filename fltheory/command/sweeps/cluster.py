"""Connection to a dask cluster that suits a sweep: it answers, has the same sources, and one thread for each worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from fltheory.command.sweeps.provenance import sources_digest, versions
from fltheory.model.errors import UserError

CONNECT_TIMEOUT = "5s"


@contextmanager
def connect(jobs: int, scheduler: str | None) -> Iterator[Any]:
    """Return a client of the scheduler at an address, or of ``jobs`` local processes; UserError if it is not usable."""
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        where: Any = scheduler
        if scheduler is None:
            where = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
        try:
            client = stack.enter_context(Client(where, timeout=CONNECT_TIMEOUT))
        except (OSError, TimeoutError, ValueError) as error:
            raise UserError(f"no scheduler answers at {scheduler or 'this machine'}: {error}") from None
        _require_fit(client)
        client.run_on_scheduler(_allow_one_failure)
        yield client


def _require_fit(client: Any) -> None:
    found = client.scheduler_info()["workers"]
    if not found:
        raise UserError("the cluster has no workers yet: start some with --nthreads 1")
    many = next((name for name, worker in found.items() if worker["nthreads"] != 1), None)
    if many is not None:
        raise UserError(
            f"the worker {many} has several threads, which would share one precision: start it with --nthreads 1"
        )
    try:
        known, below = client.run(sources_digest), client.run(versions)
    except Exception as error:
        raise UserError(f"the workers can't load fltheory: {type(error).__name__}: {error}") from None
    other = next((name for name, one in known.items() if one != sources_digest()), None)
    if other is not None:
        raise UserError(f"the worker {other} has other sources of fltheory: install the same version there")
    for name, one in below.items():
        if differing := set(map(tuple, one)) - set(versions()):
            there = ", ".join(" ".join(pair) for pair in sorted(differing))
            raise UserError(f"the worker {name} has {there}, unlike here: install the same versions there")


def _allow_one_failure(dask_scheduler: Any) -> None:
    dask_scheduler.allowed_failures = 1
