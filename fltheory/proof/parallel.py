"""The check of theorems of registered papers in several processes.

Each check assumes the recorded outcomes of the theorems that it applies; if one differs, the check is repeated.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import TypeVar

from fltheory.proof import library, models
from fltheory.proof.check import check_stored
from fltheory.proof.language import ALL_PARAMETERS, Apply, Outcome, ProofError, Proofs, Theorem, Violated
from fltheory.proof.report import Report, StepReport, scope_of

CHUNK_SIZE = 6  # consecutive theorems, which share terms
Part = TypeVar("Part")
Selection = tuple[Proofs, Sequence[Theorem]]  # a paper's proofs and the selected theorems
LightReport = tuple[Outcome, tuple[tuple[Outcome, str, str], ...], tuple[str, ...], float, str, str]


def identity_text(theorem: Theorem) -> str:
    """Return a text that identifies a theorem, since its files may change while processes load them."""
    return repr([(s.id, s.uses, s.by, s.recorded) for s in theorem.steps])


@lru_cache(maxsize=8)
def _load_cached(key: str) -> Proofs:
    return library.load(key)


def _check_part(key: str, ids: Sequence[str]) -> list[LightReport]:
    """Check some theorems, given the recorded outcomes of earlier ones; the reports omit the theorems, to be small."""
    proofs, wanted = _load_cached(key), set(ids)
    before: dict[str, Report] = {}
    found: dict[str, LightReport] = {}
    for theorem in proofs.theorems:
        if theorem.id in wanted:
            report = check_stored(proofs, theorem, before)
            steps = tuple((s.outcome, s.scope, s.reason) for s in report.steps)
            found[theorem.id] = (
                report.verdict,
                steps,
                report.faults,
                report.seconds,
                report.read,
                identity_text(theorem),
            )
        before[theorem.id] = Report(theorem, theorem.recorded, ALL_PARAMETERS, (), (), 0.0)
    if wanted - found.keys():
        raise ProofError(f"there is no theorem {', '.join(sorted(wanted - found.keys()))}")
    return [found[i] for i in ids]


def check_in_parallel(papers: Sequence[Selection], jobs: int) -> Iterator[Report]:
    """Return the reports of ``check.check_each`` for theorems of papers, in order, computed by ``jobs`` processes.

    Processes know theorems by their paper's key and id: ProofError for a theorem that is not registered so.
    """
    for proofs, theorems in papers:
        own = {id(t) for t in proofs.theorems}
        if library.load(proofs.key) is not proofs or not all(id(t) in own for t in theorems):
            raise ProofError(f"other processes check only the proofs registered as {proofs.key!r}")
    runs = {t.id for _, theorems in papers for t in theorems if any(isinstance(s.rule, Violated) for s in t.steps)}
    found = _report_broken_pool(light for part in _run_parts(_check_part, papers, jobs, runs) for light in part)
    for proofs, theorems in papers:
        reports: dict[str, Report] = {}
        for theorem in theorems:
            light = next(found)
            if theorem.id in reports:
                raise ProofError(f"{theorem.id} occurs twice")
            applied = [reports[i] for i in library.lemma_ids(theorem) if i in reports]
            as_recorded = all(r.verdict == r.theorem.recorded for r in applied)
            if as_recorded and light[-1] == identity_text(theorem):
                reports[theorem.id] = _rebuild_report(theorem, light, reports)
            else:
                reports[theorem.id] = check_stored(proofs, theorem, reports)
            yield reports[theorem.id]


def _tune_gc() -> None:
    """Run the garbage collector rarely, and not on loaded objects: it would cost a tenth of the time."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def _may_fork() -> bool:
    """Return whether the process may fork, which shares what is loaded but would cut off threads."""
    return sys.platform == "linux" and threading.active_count() == 1


def _run_parts(
    of_part: Callable[[str, Sequence[str]], list[Part]],
    papers: Sequence[Selection],
    jobs: int,
    first: Collection[str] = (),
) -> Iterator[list[Part]]:
    """Return the result of each part, in order; parts with the theorems ``first`` start first, as they take longest."""
    parts = [
        (p.key, [t.id for t in own[i : i + CHUNK_SIZE]]) for p, own in papers for i in range(0, len(own), CHUNK_SIZE)
    ]
    if not _may_fork():  # new processes load the paper first
        from joblib import Parallel, delayed

        pool = Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
        yield from pool(delayed(of_part)(*part) for part in parts)
        return
    order = sorted(range(len(parts)), key=lambda i: not set(first) & set(parts[i][1]))
    with warnings.catch_warnings():  # forked processes: nothing is loaded again
        warnings.simplefilter("ignore", DeprecationWarning)  # idle threads of numerical libraries
        workers = ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), _tune_gc)
        begun = {i: workers.submit(of_part, *parts[i]) for i in order}
    try:
        for i in range(len(parts)):
            yield begun[i].result()
    finally:
        workers.shutdown(cancel_futures=True)


def model_statuses_in_parallel(papers: Sequence[Selection], jobs: int) -> list[str]:
    """Return ``models.model_status`` of theorems of registered papers, computed by ``jobs`` processes."""
    return list(_report_broken_pool(one for part in _run_parts(_model_statuses, papers, jobs) for one in part))


def _model_statuses(key: str, ids: Sequence[str]) -> list[str]:
    proofs, wanted = _load_cached(key), set(ids)
    return [models.model_status(proofs, t) for t in proofs.theorems if t.id in wanted]


def _report_broken_pool(parts: Iterator[Part]) -> Iterator[Part]:
    try:
        yield from parts
    except BrokenProcessPool:
        raise ProofError(
            "a process that checked proofs was terminated from outside: memory may be insufficient"
        ) from None


def _rebuild_report(theorem: Theorem, light: LightReport, earlier: dict[str, Report]) -> Report:
    """Return the report with the actual scopes of the theorems applied."""
    verdict, outcomes, faults, seconds, read, _ = light
    steps = []
    for step, (outcome, scope, reason) in zip(theorem.steps, outcomes, strict=True):
        if isinstance(step.rule, Apply) and outcome in ("PROVED", "ASSUMED"):
            scope = earlier[step.rule.theorem].scope
        steps.append(StepReport(step, outcome, scope, reason))
    scope = scope_of(theorem, {s.step.id: s for s in steps})
    return Report(theorem, verdict, scope, tuple(steps), faults, seconds, read)
