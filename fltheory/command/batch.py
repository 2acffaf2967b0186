"""Many checks in one run: (claim, case) pairs distributed over processes, with every finished row kept."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fltheory.api.lookup import parse_assignments
from fltheory.claims.catalogue import KEYS
from fltheory.claims.claim import Claim, bounds_with_tuning, python_name_of
from fltheory.claims.ids import first_part, paper_of
from fltheory.claims.kept_rows import KeptRows
from fltheory.claims.stored_results import recorded_results
from fltheory.command.jsonl_writer import Row
from fltheory.evidence.verdict import STRADDLES, Verdict, import_lines
from fltheory.model.case import Case
from fltheory.model.errors import UserError
from fltheory.runs import workers
from fltheory.search.deadline import DeadlinePassed
from fltheory.verification import find, verdict_on
from fltheory.verification.settings import at_constants

ROWS_PER_JOB = 40  # a process takes seconds to start: by default there is one for this many rows
CASE_TIME_LIMIT = 1800.0  # seconds for one case of a user's variant


@dataclass(frozen=True)
class Task:
    """One case of one claim, by name: small to send, and rebuilt in its process."""

    claim_id: str
    index: int
    profile: str
    seed: int
    variant: str | None = None
    assignments: tuple[str, ...] = ()  # NAME=VALUE

    @property
    def paper(self) -> str:
        """The key of the claim's paper."""
        return paper_of(self.claim_id)

    @property
    def name(self) -> str:
        """A name under which its row may be kept; only the catalogue's own cases have kept rows."""
        return f"{self.claim_id} {self.index} {self.profile} {self.seed}"


def plan(
    claims: Sequence[Claim], profile: str, seed: int, variant: str | None = None, assignments: tuple[str, ...] = ()
) -> tuple[Task, ...]:
    """Return a task for every case of the claims; each errs with probability at most CASE_RATE, in any selection."""
    places = [(c, i) for c in claims if c.measure is not None for i in range(len(_cases(c, profile, assignments)))]
    return tuple(Task(c.id, i, profile, seed, variant, assignments) for c, i in places)


def _cases(claim: Claim, profile: str, assignments: tuple[str, ...]) -> tuple[Case, ...]:
    """Return the claim's cases with a user's constants; UserError for a bound constant or an invalid value."""
    cases = claim.all_cases(profile)
    if not assignments:
        return cases
    values = parse_assignments(assignments, bounds_with_tuning(claim))
    try:
        return tuple(dict.fromkeys(at_constants(claim, case, values) for case in cases))
    except ValueError as error:
        raise UserError(f"{claim.id}: {error}") from None


def _is_recorded_statistical(claim_id: str) -> bool | None:
    """Return whether a claim's recorded verdict rests on statistics; None if none is recorded."""
    known = recorded_results(paper_of(claim_id)).get(claim_id)
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
    """Return the row of one task."""
    claim, cases = _claim_and_cases(task.claim_id, task.profile, task.variant, task.assignments)
    case = cases[task.index]
    try:
        verdict = verdict_on(claim, case, task.seed)
    except BaseException as error:  # one broken row must not lose the finished ones
        if isinstance(error, DeadlinePassed) or (isinstance(error, KeyboardInterrupt) and task.variant is None):
            raise
        return _error_row(task, f"the check broke: {type(error).__name__}: {' '.join(str(error).split())}")
    return _row(claim, verdict, task)


def _error_row(task: Task, reason: str) -> Row:
    """Return the row of a task without a verdict, made without loading the variant."""
    claim, cases = _claim_and_cases(task.claim_id, task.profile, None, task.assignments)
    verdict = Verdict(claim.id, "inconclusive", claim.entry.recorded, cases[task.index], reason=reason)
    return _row(claim, verdict, task)


def _row(claim: Claim, verdict: Verdict, task: Task) -> Row:
    """Return the row of a task's verdict; a user's constants have no recorded verdict."""
    found = verdict_row(claim, verdict, task.variant, task.seed, task.profile)
    return {**found, "recorded": None} if task.assignments else found


def verdict_row(claim: Claim, verdict: Verdict, variant: str | None, seed: int, profile: str | None = None) -> Row:
    """Return a verdict as a JSON object, with null for infinite numbers and for the recorded verdict of a variant."""
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
        "unchanged_since": None,
    }


def absolute_variant(variant: str) -> str:
    """Return ``FILE.py:NAME`` with the file's absolute path, so that it works in other folders."""
    file, _, name = variant.rpartition(":")
    return f"{Path(file).resolve()}:{name}"


def replay_variant(verdict: Verdict, variant: str) -> str:
    """Return a line of Python that checks a user's variant on the verdict's case again."""
    return (
        f"from fltheory import verify; from fltheory.command.variant import with_variant; "
        f"{import_lines(verdict.case.instance)}; "
        f"print(verify(with_variant({python_name_of(find(verdict.id))}, {absolute_variant(variant)!r}), "
        f"{verdict.case.arguments()}))"
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def default_jobs(n_rows: int) -> int:
    """Return the number of available cores, or fewer processes if there is little work."""
    return max(1, min(workers.cores(), n_rows // ROWS_PER_JOB))


def check_new_tasks(
    tasks: Sequence[Task], kept: Mapping[str, Row], jobs: int | None
) -> Generator[tuple[int, Row], None, None]:
    """Yield the kept rows at once, then the others as they finish, with their position among all tasks."""
    new = [i for i, task in enumerate(tasks) if task.name not in kept]
    for i, task in enumerate(tasks):
        if task.name in kept:
            yield i, kept[task.name]
    with closing(check_tasks([tasks[i] for i in new], jobs or default_jobs(len(new)))) as stream:
        for place, row in stream:
            yield new[place], row


def keep_rows(known: KeptRows, tasks: Sequence[Task], rows: Mapping[int, Row]) -> None:
    """Keep the rows of a run, by position, unless a user's file took part, which may have changed anything."""
    if all(task.paper in KEYS for task in tasks):
        known.keep({tasks[i].name: row for i, row in rows.items()})


def check_tasks(tasks: Sequence[Task], jobs: int) -> Generator[tuple[int, Row], None, None]:
    """Yield rows with their position as they finish, in any order. Closing the iterator stops the processes.

    A variant always runs in separate processes. A process that ends early gives a row that says so.
    """
    if jobs == 1 and not any(task.variant for task in tasks):
        for i, task in enumerate(tasks):
            yield i, check_task(task)
        return
    limit = CASE_TIME_LIMIT if any(task.variant for task in tasks) else math.inf
    modules = modules_to_preload(task.claim_id for task in tasks)
    # Papers end one after the other, those of least work first; in each the simulated cases, which take longest, go first.
    work = Counter(task.paper for task in tasks if _is_recorded_statistical(task.claim_id))
    order = sorted(
        range(len(tasks)),
        key=lambda i: (work[tasks[i].paper], tasks[i].paper, not _is_recorded_statistical(tasks[i].claim_id)),
    )
    with closing(workers.map_unordered(check_task, [tasks[i] for i in order], jobs, limit, modules, _family)) as found:
        for place, answer in found:
            i = order[place]
            yield (
                i,
                answer if isinstance(answer, dict) else _error_row(tasks[i], failure_message(answer, tasks[i].variant)),
            )


def _family(task: Task) -> str:
    """Return the family of a task's claim; its statements share simulated runs, and their readings measured values."""
    return first_part(task.claim_id)


def failure_message(answer: object, variant: str | None) -> str:
    """Return in words why a separate process gave no answer."""
    if isinstance(answer, workers.NoAnswer):
        return (
            f"{variant}: the process that ran it {answer.how}"
            if variant
            else f"the process that checked it {answer.how}"
        )
    return f"the check broke: {answer}"


def modules_to_preload(claim_ids: Iterable[str]) -> tuple[str, ...]:
    """Return the modules shared by processes that work on these claims."""
    papers = [key for key in dict.fromkeys(paper_of(claim_id) for claim_id in claim_ids) if key in KEYS]
    return ("fltheory.command.batch", "fltheory.command.variant", *(f"fltheory.papers.{key}.claims" for key in papers))
