"""Many checks in one run: (claim, case) pairs, spread over processes, every finished row kept."""

from __future__ import annotations

import errno
import functools
import json
import math
import os
import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from fltheory.claim import ERROR_RATE, Claim, check, find
from fltheory.instance import Case
from fltheory.lookup import Mistake
from fltheory.verdict import Verdict, families

Row = dict[str, Any]
ROWS_PER_JOB = 40  # a process costs seconds to start: by default one is used for this many rows


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
    except Exception as error:  # one broken row must not take the finished ones along
        reason = f"the check broke: {type(error).__name__}: {' '.join(str(error).split())}"
        verdict = Verdict(claim.id, "inconclusive", claim.expected, case, reason=reason)
    return row(claim, verdict, task.variant, task.seed, task.profile)


def row(claim: Claim, verdict: Verdict, variant: str | None, seed: int, profile: str | None = None) -> Row:
    """A verdict as a JSON object; what is no finite number is null, and so is the recorded verdict of a variant."""
    witness = verdict.witness
    if witness is not None and variant is not None:
        witness = replay_variant(verdict, variant)
    return {
        "id": verdict.id,
        "paper": claim.paper,
        "reading": claim.reading,
        "instance": verdict.case.arguments(),
        "status": verdict.status,
        "expected": verdict.expected if variant is None else None,
        "evidence": verdict.evidence,
        "measured": _finite(verdict.measured),
        "limit": _finite(verdict.limit),
        "ratio": _finite(verdict.ratio),
        "error_rate": _finite(verdict.error_rate),
        "n_seeds": verdict.n_seeds,
        "seconds": round(verdict.seconds, 4),
        "reason": verdict.reason,
        "witness": witness,
        "variant": variant,
        "seed": seed,
        "profile": profile,
        "low": _finite(verdict.low),
        "high": _finite(verdict.high),
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
    import joblib

    return max(1, min(int(joblib.cpu_count()), n_rows // ROWS_PER_JOB))


def perform_all(tasks: Sequence[Task], jobs: int) -> Generator[tuple[int, Row], None, None]:
    """Rows with their position as they are finished, in any order. Closing the iterator stops the processes."""
    if jobs == 1:
        for i, task in enumerate(tasks):
            yield i, perform(task)
        return
    from joblib import Parallel, delayed

    pool = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered", max_nbytes=None)
    with _uninterruptible():  # the processes inherit it: Ctrl-C is for the parent alone
        results = pool(delayed(_numbered)(i, task) for i, task in enumerate(tasks))
    try:
        yield from results
    finally:
        results.close()


def _numbered(i: int, task: Task) -> tuple[int, Row]:
    return i, perform(task)


@contextmanager
def _uninterruptible() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # no signal masks on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
