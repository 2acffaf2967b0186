"""Many checks in one run: (claim, case) pairs, spread over processes, every finished row kept."""

from __future__ import annotations

import functools
import math
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fltheory.api.lookup import parse_assignments
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim, bounds_with_tuning, python_name_of
from fltheory.claims.stored_results import recorded_results
from fltheory.command.jsonl_writer import Row
from fltheory.evidence.verdict import STRADDLES, Verdict, import_lines
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.runs import workers
from fltheory.search.deadline import DeadlinePassed
from fltheory.verification import find, verdict_on
from fltheory.verification.settings import at_constants

ROWS_PER_JOB = 40  # a process costs seconds to start: by default one is used for this many rows
CASE_TIME_LIMIT = 1800.0  # seconds that one case of a user's variant may take


@dataclass(frozen=True)
class Task:
    """One case of one claim, by name: small to send, and rebuilt where it runs."""

    claim_id: str
    index: int
    profile: str
    seed: int
    variant: str | None = None
    assignments: tuple[str, ...] = ()  # NAME=VALUE


def plan(
    claims: Sequence[Claim], profile: str, seed: int, variant: str | None = None, assignments: tuple[str, ...] = ()
) -> tuple[Task, ...]:
    """A task for every case of the claims; each errs with probability at most CASE_RATE, whatever else is selected."""
    places = [(c, i) for c in claims if c.measure is not None for i in range(len(_cases(c, profile, assignments)))]
    return tuple(Task(c.id, i, profile, seed, variant, assignments) for c, i in places)


def _cases(claim: Claim, profile: str, assignments: tuple[str, ...]) -> tuple[Case, ...]:
    """The claim's cases, with the constants that a user sets; UserError where one is not free, or has no such value."""
    cases = claim.all_cases(profile)
    if not assignments:
        return cases
    values = parse_assignments(assignments, bounds_with_tuning(claim))
    try:
        return tuple(dict.fromkeys(at_constants(claim, case, values) for case in cases))
    except ValueError as error:
        raise UserError(f"{claim.id}: {error}") from None


def _is_recorded_statistical(claim_id: str) -> bool | None:
    """Whether a claim's recorded verdict rests on statistics; None where none is recorded."""
    known = recorded_results(claim_id.partition("/")[0]).get(claim_id)
    return None if known is None else "statistical" in known.evidence


@functools.cache
def _claim_and_cases(
    claim_id: str, profile: str, variant: str | None, assignments: tuple[str, ...]
) -> tuple[Claim, tuple[Case, ...]]:
    claim = find(claim_id)
    cases = _cases(claim, profile, assignments)
    if variant is not None:
        from fltheory.command.variant import with_variant

        claim = with_variant(claim, variant)
    return claim, cases


def check_task(task: Task) -> Row:
    """The row of one task."""
    claim, cases = _claim_and_cases(task.claim_id, task.profile, task.variant, task.assignments)
    case = cases[task.index]
    try:
        verdict = verdict_on(claim, case, task.seed)
    except BaseException as error:  # one broken row must not take the finished ones along
        if isinstance(error, DeadlinePassed) or (isinstance(error, KeyboardInterrupt) and task.variant is None):
            raise
        return _error_row(task, f"the check broke: {type(error).__name__}: {' '.join(str(error).split())}")
    return _row(claim, verdict, task)


def _error_row(task: Task, reason: str) -> Row:
    """The row of a task without a verdict, made without a look at the variant."""
    claim, cases = _claim_and_cases(task.claim_id, task.profile, None, task.assignments)
    verdict = Verdict(claim.id, "inconclusive", claim.recorded, cases[task.index], reason=reason)
    return _row(claim, verdict, task)


def _row(claim: Claim, verdict: Verdict, task: Task) -> Row:
    """The row of a task's verdict; at constants that a user sets nothing is recorded."""
    found = verdict_row(claim, verdict, task.variant, task.seed, task.profile)
    return {**found, "recorded": None} if task.assignments else found


def verdict_row(claim: Claim, verdict: Verdict, variant: str | None, seed: int, profile: str | None = None) -> Row:
    """A verdict as a JSON object; what is no finite number is null, and so is the recorded verdict of a variant."""
    counterexample = verdict.counterexample
    if counterexample is not None and variant is not None:
        counterexample = replay_variant(verdict, variant)
    return {
        "id": verdict.id,
        "paper": claim.paper,
        "reading": claim.reading,
        "instance": verdict.case.arguments(),
        "status": verdict.status,
        "recorded": verdict.recorded if variant is None else None,
        "evidence": verdict.evidence,
        "measured": _finite(verdict.measured),
        "limit": _finite(verdict.limit),
        "ratio": _finite(verdict.ratio),
        "error_rate": _finite(verdict.error_rate),
        "n_seeds": verdict.n_seeds,
        "seconds": round(verdict.seconds, 4),
        "reason": verdict.reason or (STRADDLES if verdict.status == "inconclusive" else ""),
        "counterexample": counterexample,
        "variant": variant,
        "seed": seed,
        "profile": profile,
        "low": _finite(verdict.low),
        "high": _finite(verdict.high),
        "scope": "instance" if verdict.worst is None else "class",
        "class": verdict.scope or None,
        "class_worst": _finite(verdict.worst),
    }


def absolute_variant(variant: str) -> str:
    """``FILE.py:NAME`` with the file's whole path, so that it is found from another folder too."""
    file, _, name = variant.rpartition(":")
    return f"{Path(file).resolve()}:{name}"


def replay_variant(verdict: Verdict, variant: str) -> str:
    """A line of Python that checks a user's variant on the verdict's case again."""
    return (
        f"from fltheory import verify; from fltheory.command.variant import with_variant; "
        f"{import_lines(verdict.case.instance)}; "
        f"print(verify(with_variant({python_name_of(find(verdict.id))}, {absolute_variant(variant)!r}), "
        f"{verdict.case.arguments()}))"
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def default_jobs(n_rows: int) -> int:
    """As many processes as there are cores to use, fewer where there is little to do."""
    return max(1, min(workers.cores(), n_rows // ROWS_PER_JOB))


def check_tasks(tasks: Sequence[Task], jobs: int) -> Generator[tuple[int, Row], None, None]:
    """Rows with their position as they are finished, in any order. Closing the iterator stops the processes.

    A variant always runs in processes of their own. One that ends with its case undone gives the row that says so.
    """
    if jobs == 1 and not any(task.variant for task in tasks):
        for i, task in enumerate(tasks):
            yield i, check_task(task)
        return
    limit = CASE_TIME_LIMIT if any(task.variant for task in tasks) else math.inf
    modules = modules_to_preload(task.claim_id for task in tasks)
    # What is left to chance takes longest: it goes first.
    order = sorted(range(len(tasks)), key=lambda i: not _is_recorded_statistical(tasks[i].claim_id))
    with closing(
        workers.map_unordered(check_task, [tasks[i] for i in order], jobs, limit, modules, _statement)
    ) as found:
        for place, answer in found:
            i = order[place]
            yield (
                i,
                answer if isinstance(answer, dict) else _error_row(tasks[i], failure_message(answer, tasks[i].variant)),
            )


def _statement(task: Task) -> str:
    """What a task's claim is a reading of: its readings share what they measure."""
    return task.claim_id.partition("@")[0]


def failure_message(answer: object, variant: str | None) -> str:
    """Why a process of its own gave no answer, in words."""
    if isinstance(answer, workers.NoAnswer):
        return (
            f"{variant}: the process that ran it {answer.how}"
            if variant
            else f"the process that checked it {answer.how}"
        )
    return f"the check broke: {answer}"


def modules_to_preload(claim_ids: Iterable[str]) -> tuple[str, ...]:
    """The modules that processes share which work on these claims."""
    papers = [key for key in dict.fromkeys(claim_id.partition("/")[0] for claim_id in claim_ids) if key in KEYS]
    return ("fltheory.command.batch", "fltheory.command.variant", *(f"fltheory.papers.{key}.claims" for key in papers))
