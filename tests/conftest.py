"""Hypothesis profiles and compiled kernels, ready before the first test."""

from __future__ import annotations

import gc
import os
import sys
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from fltheory.claims import kept_rows, plugins
from fltheory.claims.case_search import without_local_constants
from fltheory.command import cli
from fltheory.model.case import Case
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from tests.papers.recorded import RELEASE

_ALL = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
# The same cases in every run; random ones are drawn by ``deep`` alone, and what they find becomes an example.
settings.register_profile("gate", max_examples=30, derandomize=True, database=None, **_ALL)
settings.register_profile("deep", max_examples=1000, derandomize=False, **_ALL)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))
_same_in_any_process = ExitStack()
FULL = Path(__file__).with_name("full.txt")


def pytest_configure() -> None:
    """The cases that are drawn are the same whatever modules a process has loaded, so for any number of processes.

    Compiled files are kept beside the sources, as numba's are, also where the environment asks for none.

    Else each worker and each process that a test starts would compile the package again, which takes a second or more.
    """
    os.environ[kept_rows.FRESH_VARIABLE] = "1"  # what a test checks is checked
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    _same_in_any_process.enter_context(without_local_constants())


def pytest_collection_finish() -> None:
    """What is collected stays: the garbage collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_unconfigure() -> None:
    """Hypothesis is as it was."""
    _same_in_any_process.close()


@pytest.fixture(scope="session", autouse=True)
def warm_kernels() -> None:
    """Compile (or load from the cache) the numba kernels once."""
    case = Case(QuadraticClients((1, 1), (1, -1), 1), n_rounds=1, n_local_steps=1, step_size="1/10")
    for algorithm in (algorithms.sequential, algorithms.parallel):
        rollout(algorithm, case, 1)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command line in this process: (exit status, standard output, standard error)."""

    def call(*arguments: object) -> tuple[int, str, str]:
        status = cli.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return status, out, err

    return call


@pytest.fixture(autouse=True)
def _no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is not wrapped unless a test asks for it: the workers of a parallel run set COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def _no_claims_of_another_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of claims that a test names belongs to the catalogue of that test alone."""
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, os.environ.get(plugins.PAPERS_VARIABLE, ""))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Turns are taken, and dear tests marked, before what is deep or full is left out."""
    _take_turns(items)
    _mark_full(items, whole_files=not any("::" in argument for argument in config.args))
    _keep_claims_together(items)


def _take_turns(items: list[pytest.Item]) -> None:
    """Of what is marked ``turns(n)`` an n-th part runs at each release, by its name, the others with ``-m deep`` alone."""
    for item in items:
        turns = item.get_closest_marker("turns")
        if turns is not None and zlib.crc32(item.nodeid.encode()) % turns.args[0] != RELEASE % turns.args[0]:
            item.add_marker(pytest.mark.deep)


def _mark_full(items: list[pytest.Item], whole_files: bool) -> None:
    """The tests of ``tests/full.txt``, by name alone or with a parameter, run with ``-m full``; a name that is gone is told."""
    listed = {line for line in FULL.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}
    met = set()
    for item in items:
        names = {item.nodeid, item.nodeid.partition("[")[0]} & listed
        met |= names
        if names and item.get_closest_marker("deep") is None:
            item.add_marker(pytest.mark.full)
    files = {item.nodeid.partition("::")[0] for item in items}
    gone = sorted(name for name in listed - met if name.partition("::")[0] in files)
    if gone and whole_files:
        raise pytest.UsageError(f"{FULL.name} names tests that are gone: {', '.join(gone)}")


def _keep_claims_together(items: list[pytest.Item]) -> None:
    """The checks of one claim of the catalogue stand together, so that one process finds its verdicts once."""
    places = [i for i, item in enumerate(items) if item.path.name == "test_catalogue.py" and _claim(items[i])]
    order = {name: k for k, name in enumerate(dict.fromkeys(_claim(items[i]) for i in places))}
    for place, item in zip(
        places, sorted((items[i] for i in places), key=lambda item: order[_claim(item)]), strict=True
    ):
        items[place] = item


def _claim(item: pytest.Item) -> str:
    """The id of the claim that a test is about, or nothing."""
    return getattr(item.callspec.params.get("claim"), "id", "") if hasattr(item, "callspec") else ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables that tests recorded (the kills of the mutation gate), also under xdist."""
    tables = [
        value
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == "table"
    ]
    if tables:
        terminalreporter.section("tables")
        for table in tables:
            terminalreporter.write_line(table)
