"""Hypothesis profiles and compiled kernels, ready before the first test."""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from fltheory.case import Case
from fltheory.command import cli
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout

_ALL = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much]}
settings.register_profile("dev", max_examples=20, **_ALL)
settings.register_profile("ci", max_examples=30, derandomize=True, **_ALL)
settings.register_profile("deep", max_examples=1000, **_ALL)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


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


def pytest_terminal_summary(terminalreporter: Any) -> None:
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
