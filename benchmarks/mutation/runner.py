"""A plugin of pytest: the tests are collected once, then a process is forked for each edit, which runs the tests of its lines."""

from __future__ import annotations

import ast
import gc
import hashlib
import importlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from benchmarks.mutation.edits import Edit, edited, edits

FIRST = 3000.0  # seconds for the run that sees which test executes which line
SLOWER = 4.0  # times the seconds that its tests take, after which an edit that is still running is called endless
ABOVE = 12  # lines above an edit that count for it, where a statement stands on several
REASON = 300


@dataclass(frozen=True)
class Plan:
    """What is to be edited (``every`` so manieth edit), where results go, seconds of tests for one edit, processes."""

    files: tuple[Path, ...]
    rows: Path
    every: int
    offset: int
    most: float
    jobs: int
    again: bool = False  # the edits of which no test is known
    only: frozenset[Path] = frozenset()  # the files whose edits are tried; none: all
    explained: tuple[Mapping[str, str], ...] = ()  # edits that change nothing, which are not tried
    always: tuple[str, ...] = ()  # files of which each test is run, whatever time they take
    longest: float = 0.0  # seconds after which a test is left out; 0: none is


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Watch:
    """What a run of tests says."""

    failed: list[tuple[str, str]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called by pytest after each part of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.append((report.nodeid, str(report.longrepr)[-REASON:]))


@dataclass(eq=False)
class Limit:
    """Interrupts a test after so many seconds, as if it skipped itself, which Hypothesis does not try again; 0: none."""

    longest: float
    exceeded: list[str] = field(default_factory=list)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        """Called by pytest around a test's function."""

        def interrupt(*_: object) -> None:
            self.exceeded.append(pyfuncitem.nodeid)
            pytest.skip("it takes too long to be run for each edit")

        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, self.longest)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


@dataclass(frozen=True)
class Baseline:
    """What the tests say of the code as it is: those that fail, the seconds of each, and the tests of each line."""

    failed: frozenset[str]
    seconds: Mapping[str, float]
    lines: Mapping[str, Mapping[int, list[str]]]

    def tests(self, path: str, edit: Edit, most: float, always: tuple[str, ...] = ()) -> list[str]:
        """The tests that execute its lines, quick ones first, of a file as many as take no more than so many seconds, or all."""
        own = self.lines.get(path, {})
        found = {t for line in range(edit.line, edit.last + 1) for t in own.get(line, ())}
        for line in range(edit.line, max(0, edit.line - ABOVE), -1):
            found |= set() if found else set(own.get(line, ()))
        kept, total = [], dict[str, float]()
        ordered = sorted(found - self.failed, key=lambda t: (self.seconds.get(t, 0.0), t))
        for test in ordered:
            file = test.partition("::")[0]
            total[file] = total.get(file, 0.0) + self.seconds.get(test, 0.0)
            if total[file] <= most or file in always:
                kept.append(test)
        return kept or ordered[:1]


class Runner:
    """The plugin."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """In the place of pytest's own loop."""
        items = list(session.items)
        gc.collect()
        kept = self.plan.rows.with_suffix(".tests.json")
        of = hashlib.sha256(b"".join(p.read_bytes() for p in self.plan.files) + repr(items).encode()).hexdigest()
        told = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if told.get("of") != of:
            plan = self.plan
            told = {**forked(lambda: _baseline(session, items, plan.files, plan.longest), FIRST), "of": of}
        if "lines" not in told:
            raise pytest.UsageError(f"the tests could not be run: {told}")
        kept.write_text(json.dumps(told), encoding="utf-8")
        lines = {path: {int(n): tests for n, tests in own.items()} for path, own in told["lines"].items()}
        baseline = Baseline(frozenset(told["failed"]), told["seconds"], lines)
        for path in self.plan.files:
            importlib.import_module(".".join(path.relative_to(Path.cwd()).with_suffix("").parts))
        functions = loaded(self.plan.files)
        gc.collect()
        gc.freeze()  # what is forked is not copied
        print(
            f"{len(items)} tests in {sum(told['seconds'].values()):.0f} s, failed: {sorted(baseline.failed)}",
            flush=True,
        )
        children = []
        for job in range(self.plan.jobs):
            pid = os.fork()
            if pid == 0:
                try:
                    self._share(session, items, baseline, functions, job)
                finally:
                    os._exit(0)
            children.append(pid)
        for pid in children:
            os.waitpid(pid, 0)
        return True

    def _share(
        self,
        session: pytest.Session,
        items: Sequence[pytest.Item],
        baseline: Baseline,
        functions: Mapping[str, Sequence[FunctionType]],
        job: int,
    ) -> None:
        """The edits of one process."""
        plan, named = self.plan, {i.nodeid: i for i in items}
        done = {key(r) for r in read(plan.rows) if r["outcome"] == "killed" or not plan.again}
        place, killers = 0, dict[str, int]()
        with plan.rows.open("a", encoding="utf-8") as out:
            for path in plan.files:
                source, shown = path.read_text(encoding="utf-8"), os.path.relpath(path)
                if plan.only and path not in plan.only:
                    continue
                for edit in edits(source):
                    place += 1
                    if place % plan.every != plan.offset or place // plan.every % plan.jobs != job:
                        continue
                    row = {"file": shown, **asdict(edit)}
                    if key(row) in done or has_reason(row, plan.explained):
                        continue
                    found = baseline.tests(str(path), edit, plan.most, plan.always)
                    found.sort(key=lambda t: -killers.get(t, 0))  # the latest to notice one first
                    tests = [named[t] for t in found]
                    told = _tried(session, functions[str(path)], path, edited(source, edit.number), tests, baseline)
                    if told.get("by"):
                        killers[told["by"]] = place
                    out.write(json.dumps(row | told) + "\n")
                    out.flush()


def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What names an edit as long as its function stays as it is."""
    return tuple(row[k] for k in ("file", "of", "function", "before", "after", "place"))


def has_reason(row: Mapping[str, Any], entries: Sequence[Mapping[str, str]]) -> bool:
    """Whether an entry is of this edit; one without ``before`` or ``after`` is of all such edits of its function."""
    return any(e["reason"] and all(row[k] == v for k, v in e.items() if k != "reason") for e in entries)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, the last one of each edit; none where there is no file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return list({key(row): row for row in map(json.loads, text.splitlines())}.values())


def current(path: Path, files: Sequence[Path], entries: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """The rows of those edits that the files still have, an edit that changes nothing as its entry says."""
    rows, found = {key(r): r for r in read(path)}, []
    for file in files:
        shown = os.path.relpath(file)
        for edit in edits(file.read_text(encoding="utf-8")):
            own: dict[str, Any] = {"file": shown, **asdict(edit)}
            told = rows.get(key(own))
            if has_reason(own, entries) and (told is None or told["outcome"] != "killed"):
                found.append(own | {"outcome": "equivalent"})
            elif told is not None:
                found.append(own | {k: v for k, v in told.items() if k not in own})
    return found


def _tried(
    session: pytest.Session,
    functions: Sequence[FunctionType],
    path: Path,
    tree: ast.Module,
    tests: Sequence[pytest.Item],
    baseline: Baseline,
) -> dict[str, Any]:
    """What the tests say of one edit."""
    if not tests:
        return {"outcome": "not reached", "tests": 0}

    def run() -> dict[str, Any]:
        if not put(functions, path, tree):
            return {"outcome": "not put in"}
        watch = Watch()
        session.config.pluginmanager.register(watch)
        next((True for _ in _play(tests) if watch.failed), False)
        test, reason = watch.failed[0] if watch.failed else ("", "")
        return {"outcome": "killed" if watch.failed else "survived", "by": test, "reason": reason}

    began = time.monotonic()
    told = forked(run, 5.0 + SLOWER * sum(baseline.seconds.get(t.nodeid, 0.0) for t in tests))
    return {"tests": len(tests), **told, "seconds": round(time.monotonic() - began, 1)}


def _play(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Each test just before it is run."""
    for item, after in zip_longest(items, items[1:]):
        yield item
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def _baseline(
    session: pytest.Session, items: Sequence[pytest.Item], files: Sequence[Path], longest: float
) -> dict[str, Any]:
    """The seconds of each test without coverage are not known; with it they are in proportion.

    A test that takes longer than ``longest`` seconds is interrupted, and no edit is tried with it.
    """
    import coverage

    watch, seen = Watch(), coverage.Coverage(data_file=None, include=list(map(str, files)), config_file=False)
    limit = Limit(longest)
    session.config.pluginmanager.register(watch)
    session.config.pluginmanager.register(limit)
    seen.start()
    for item in _play(items):
        seen.switch_context(item.nodeid)
    seen.stop()
    data = seen.get_data()
    lines = {str(path): data.contexts_by_lineno(str(path)) for path in files}
    return {"failed": [*(t for t, _ in watch.failed), *limit.exceeded], "seconds": watch.seconds, "lines": lines}


def loaded(files: Sequence[Path]) -> dict[str, list[FunctionType]]:
    """The functions of each file that this process has."""
    found: dict[str, list[FunctionType]] = {str(path): [] for path in files}
    gc.unfreeze()  # the tests freeze what is collected, and what is frozen is not listed
    for function in gc.get_objects():
        if type(function) is FunctionType and function.__code__.co_filename in found:
            found[function.__code__.co_filename].append(function)
    return found


def put(functions: Sequence[FunctionType], path: Path, tree: ast.Module) -> int:
    """Gives the functions that were loaded from a file the code of another tree of it; how many changed."""
    codes: dict[tuple[str, int], CodeType] = {}
    stack = [compile(tree, str(path), "exec")]
    while stack:
        for own in stack.pop().co_consts:
            if isinstance(own, CodeType):
                codes.setdefault((own.co_qualname, own.co_firstlineno), own)
                stack.append(own)
    changed = 0
    for function in functions:
        new = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if new is not None and new != function.__code__ and new.co_freevars == function.__code__.co_freevars:
            function.__code__ = new
            changed += 1
    return changed


def forked(run: Callable[[], dict[str, Any]], limit: float) -> dict[str, Any]:
    """What a function answers in a process of its own; "endless" after so many seconds."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.close(reading)
        try:
            answer = run()
        except BaseException as error:
            answer = {"outcome": "killed", "by": "", "reason": f"the tests broke: {error!r}"[:REASON]}
        with os.fdopen(writing, "w", encoding="utf-8") as out:
            out.write(json.dumps(answer))
        os._exit(0)
    os.close(writing)
    told, ends = b"", time.monotonic() + limit
    while (left := ends - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            part = os.read(reading, 1 << 20)
            if not part:
                break
            told += part
    over = time.monotonic() >= ends
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reading)
    if over:
        return {"outcome": "killed", "by": "", "reason": "endless"}
    return json.loads(told) if told else {"outcome": "killed", "by": "", "reason": "the process died"}
