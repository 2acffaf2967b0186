"""Many checks in one run: (claim, case) pairs, spread over processes, every finished row kept."""

from __future__ import annotations

import errno
import functools
import json
import math
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from fltheory import workers
from fltheory.claim import ERROR_RATE, Claim, check, find
from fltheory.instance import Case
from fltheory.lookup import Mistake
from fltheory.verdict import Verdict, families

Row = dict[str, Any]
ROWS_PER_JOB = 40  # a process costs seconds to start: by default one is used for this many rows

LIMIT = 1800.0  # seconds that one case of a user's variant may take


@dataclass(frozen=True)
class Task:
    """One case of one claim, by name: small to send, and rebuilt where it runs."""

    claim_id: str
    index: int
    profile: str
    seed: int
    error_rate: float
    variant: str | None = None


def plan(claims: Sequence[Claim], profile: str, seed: int, variant: str | None = None) -> tuple[Task, ...]:
    """A task for every case of the claims; the error rate of the run is divided over them."""
    places = [(c.id, i) for c in claims if c.measure is not None for i in range(len(c.all_cases(profile)))]
    rate = ERROR_RATE / max(len(places), 1)
    return tuple(Task(claim_id, i, profile, seed, rate, variant) for claim_id, i in places)


@functools.cache
def _prepared(claim_id: str, profile: str, variant: str | None) -> tuple[Claim, tuple[Case, ...]]:
    claim = find(claim_id)
    cases = claim.all_cases(profile)
    if variant is not None:
        from fltheory.variant import with_variant

        claim = with_variant(claim, variant)
    return claim, cases


def perform(task: Task) -> Row:
    """The row of one task."""
    claim, cases = _prepared(task.claim_id, task.profile, task.variant)
    case = cases[task.index]
    try:
        verdict = check(claim, case, task.error_rate, task.seed)
    except BaseException as error:  # one broken row must not take the finished ones along
        if isinstance(error, KeyboardInterrupt) and task.variant is None:
            raise
        return _broken(task, f"the check broke: {type(error).__name__}: {' '.join(str(error).split())}")
    return row(claim, verdict, task.variant)


def _broken(task: Task, reason: str) -> Row:
    """The row of a task without a verdict, made without a look at the variant."""
    claim, cases = _prepared(task.claim_id, task.profile, None)
    verdict = Verdict(claim.id, "inconclusive", claim.expected, cases[task.index], reason=reason)
    return row(claim, verdict, task.variant)


def row(claim: Claim, verdict: Verdict, variant: str | None = None) -> Row:
    """A verdict as a JSON object; what is no finite number is null."""
    witness = verdict.witness
    if witness is not None and variant is not None:
        witness = replay_variant(verdict, variant)
    return {
        "id": verdict.id,
        "paper": claim.paper,
        "reading": claim.reading,
        "instance": verdict.case.arguments(),
        "status": verdict.status,
        "expected": verdict.expected,
        "evidence": verdict.evidence,
        "measured": _finite(verdict.measured),
        "limit": _finite(verdict.limit),
        "ratio": _finite(verdict.ratio),
        "error_rate": _finite(verdict.error_rate),
        "n_seeds": verdict.n_seeds,
        "seconds": round(verdict.seconds, 4),
        "reason": verdict.reason,
        "witness": witness,
    }


def replay_variant(verdict: Verdict, variant: str) -> str:
    """A line of Python that checks a user's variant on the verdict's case again."""
    return (
        f"from fltheory import verify; from fltheory.variant import with_variant; "
        f"{families(verdict.case.instance)}; "
        f'print(verify(with_variant("{verdict.id}", {variant!r}), {verdict.case.arguments()}))'
    )


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def default_jobs(n_rows: int) -> int:
    """As many processes as there are cores to use, fewer where there is little to do."""
    return max(1, min(workers.cores(), n_rows // ROWS_PER_JOB))


def perform_all(tasks: Sequence[Task], jobs: int) -> Generator[tuple[int, Row], None, None]:
    """Rows with their position as they are finished, in any order. Closing the iterator stops the processes.

    A variant always runs in processes of their own. One that ends with its case undone gives the row that says so.
    """
    if jobs == 1 and not any(task.variant for task in tasks):
        for i, task in enumerate(tasks):
            yield i, perform(task)
        return
    limit = LIMIT if any(task.variant for task in tasks) else math.inf
    with closing(workers.each(perform, tasks, jobs, limit, loaded(t.claim_id for t in tasks))) as found:
        for i, answer in found:
            yield i, answer if isinstance(answer, dict) else _broken(tasks[i], lost(answer, tasks[i].variant))


def lost(answer: object, variant: str | None) -> str:
    """Why a process of its own gave no answer, in words."""
    if isinstance(answer, workers.Ended):
        return f"{f'{variant} ended' if variant else 'something ended'} the process that checked it: {answer.how}"
    return f"the check broke: {answer}"


def loaded(claim_ids: Iterable[str]) -> tuple[str, ...]:
    """The modules that processes share which work on these claims."""
    papers = dict.fromkeys(claim_id.partition("/")[0] for claim_id in claim_ids)
    return ("fltheory.batch", "fltheory.variant", *(f"fltheory.papers.{key}.claims" for key in papers))


class Journal:
    """A JSON-lines file that appears whole: rows gather in a file beside it, which takes its place at the end.

    Also when the run ends early, if it has any rows: then what was there before is replaced, else it stays.
    A device or a pipe is written directly. Mistake where the file can't be written, before any work is done.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._rows: dict[int, Row] = {}
        self._file: TextIO | None = None
        self._part: Path | None = None
        if path is None:
            return
        try:
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "it is a directory")
            if path.exists() and not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, "permission denied")
            if not path.exists() or path.is_file():
                self._part = path.with_name(f"{path.name}.{os.getpid()}.part")
            self._file = (self._part or path).open("w", encoding="utf-8")
        except OSError as error:
            raise Mistake(f"can't write {path}: {error.strerror}") from None

    @property
    def rows(self) -> list[Row]:
        """The rows so far, in their order."""
        return [self._rows[i] for i in sorted(self._rows)]

    def add(self, position: int, row: Row) -> None:
        """Keep one row now."""
        self._rows[position] = row
        if self._file is not None:
            self._file.write(_line(row))
            self._file.flush()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file is None:
            return
        self._file.close()
        if self._part is None or self.path is None:
            return
        if self._rows or kind is None:
            whole = self._part.with_suffix(".whole")
            whole.write_text("".join(map(_line, self.rows)), encoding="utf-8")
            whole.replace(self.path)
        self._part.unlink()


def _line(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
