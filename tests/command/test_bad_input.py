"""A user's mistakes: one clear line, exit status 2 (or a verdict that says what is wrong), never a traceback."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fltheory import verify
from fltheory.command import cli, exit_codes
from fltheory.problems.separable import QuadraticClients
from fltheory.verification import find
from tests.children import environment
from tests.typed import Run

CLAIM = "sfl/T3-SC@corrected"
CONSTANTS = ["M=4", "K=2", "R=1200", "L=1", "mu=1/10", "eta=1/100", "D=1", "sigma=1", "zeta_star=1"]

SLOW = ("sfl/h4@explicit", "sfl/h5@explicit", "sfl/s4@explicit", "sfl/h1@explicit")  # quick but for a step that sleeps

VARIANTS = """
import time
import numpy as np

number = 3

def two(x, oracle): return x

def nan(x, oracle, c): return x * np.nan

def shape(x, oracle, c): return x[:, :0]

def nothing(x, oracle, c): x * 2

def raises(x, oracle, c):
    return x * (1 / len([]))

def index(x, oracle, c):
    return x[10**6]

def misspelt(x, oracle, c): return x * c.stepsize

def leaves(x, oracle, c): raise SystemExit(0)

def matrix(x, oracle, c): return np.asmatrix(x)

def slow(x, oracle, c):
    time.sleep(0.3 if x.dtype == object else 0)
    for m in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, m, k)
    return x
"""


@pytest.fixture
def variants(tmp_path: Path) -> Path:
    """A file with every kind of broken variant."""
    path = tmp_path / "mine.py"
    path.write_text(VARIANTS)
    return path


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command line, which must refuse: its one line on standard error."""

    def call(*arguments: object) -> str:
        status = cli.run([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert err.startswith("fltheory: ")
        assert err.count("\n") == 1
        return err

    return call


# Words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["show", "bound", "falsify", "plot", "verify", "list", "proofs --show"])
def test_unknown_id_names_the_nearest(refused: Callable[..., str], command: str) -> None:
    line = refused(*command.split(), "sfl/T3-SX@corected")
    assert "no claim 'sfl/T3-SX@corected'" in line
    assert CLAIM in line


def test_id_without_reading_lists_the_readings(refused: Callable[..., str]) -> None:
    assert "sfl/T3-SC@printed, sfl/T3-SC@strict, sfl/T3-SC@corrected, sfl/T3-SC@strengthened" in refused(
        "bound", "sfl/T3-SC"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("nope", "No such command 'nope'"),
        ("show", "Missing argument 'ID'"),
        ("list --foo", "No such option"),
        ("verify --profile slow", "'slow' is not one of 'quick', 'full'"),
        ("verify --jobs 0", "--jobs"),
        ("verify --jobs x", "--jobs"),
        ("verify --seed x", "--seed"),
        ("verify --seed -1", "--seed"),
        ("verify sfl/nothing*", "no claim 'sfl/nothing*'"),
        (f"falsify {CLAIM} --seconds 0", "expected a positive number"),
        (f"falsify {CLAIM} --seconds nan", "expected a positive number"),
        (f"falsify {CLAIM} --seconds soon", "--seconds"),
        ("proofs zzz", "no paper 'zzz'; the papers are sfl"),
        (f"plot {CLAIM} -o picture.gif", ".svg, .png or .pdf"),
        (f"plot {CLAIM} -o no/such/folder/picture.svg", "there is no folder"),
        (f"plot {CLAIM} --along zzz", "no constant 'zzz'"),
        (f"plot {CLAIM} --along D", "its free constants are"),
    ],
)
def test_bad_words(refused: Callable[..., str], arguments: str, says: str) -> None:
    assert says in refused(*arguments.split())


def test_family_lists_its_ids_and_a_beginning_names_what_begins_so(refused: Callable[..., str]) -> None:
    assert "sfl/T3 is a family of " in (line := refused("show", "sfl/T3"))
    assert "choose one: sfl/T3-SC, sfl/T3-GC, sfl/T3-GC-tight, sfl/T3-NC" in line
    assert "sfl/TAB1-SC-Koloskova" in refused("show", "sfl/TAB1")
    assert "the nearest are sfl/TAB1-SC, sfl/TAB1-GC" in refused("show", "sfl/TA")
    assert "the nearest are sfl/T3-SC, sfl/T3-GC, sfl/T3-GC-tight, " in (line := refused("show", "T3"))
    assert "fedcg/T3.2, " in line
    assert "the nearest are fedcg/T3.5, fedcg/T3.5-range" in refused("show", "T3.5")
    assert refused("show", "sfl/T3-SC@correct").endswith("the nearest are sfl/T3-SC@corrected\n")


@pytest.mark.parametrize(("word", "is_what"), [("sfl/*", "a pattern"), ("sfl", "a paper")])
def test_one_id_is_asked_for_where_many_are_meant(refused: Callable[..., str], word: str, is_what: str) -> None:
    line = refused("falsify", word)
    assert f"'{word}' is {is_what}: show, bound, falsify and plot take one id" in line
    assert f"fltheory list '{word}'" in line


# Constants ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("M=0", "M (n_clients) = 0 is out of its domain: number of clients, positive integer"),
        ("M=5/2", "positive integer"),
        ("sigma=-1", "σ (noise_std) = -1 is out of its domain"),
        ("L=0", "L (smoothness) = 0 is out of its domain"),
        ("L=1/0", "L (smoothness)"),
        ("L=nan", "expected a number"),
        ("L=inf", "expected a number"),
        ("L=one", "expected a number such as 3, 0.1, 1/3 or sqrt(2)/3, got 'one'"),
        ("L=__import__('os')", "expected a number"),
        ("R=1e999999999", "more than 4000 digits"),
        ("R=9**9**9", "more than 4000 digits"),
        ("L", "expected NAME=VALUE"),
        ("=1", "expected NAME=VALUE"),
        ("zzz=1", "no constant 'zzz'; this bound takes"),
    ],
)
def test_bad_constants(refused: Callable[..., str], setting: str, says: str) -> None:
    assert says in refused("bound", CLAIM, "--set", setting)


def test_constant_set_twice(refused: Callable[..., str]) -> None:
    assert "M (n_clients) is set twice" in refused("bound", CLAIM, "--set", "M=4", "--set", "n_clients=4")


def test_missing_constants_are_all_named(refused: Callable[..., str]) -> None:
    line = refused("bound", CLAIM, "--set", *(c for c in CONSTANTS if c[0] not in "DR" and not c.startswith("eta")))
    for part in (
        "D (initial_distance)",
        "R (n_rounds)",
        "η (step_size)",
        "η̃ (effective_step_size) may be set directly",
    ):
        assert part in line
    assert "M (n_clients)" not in line


def test_failed_condition_is_named_with_both_sides(refused: Callable[..., str]) -> None:
    line = refused("bound", CLAIM, "--set", *("R=10" if c.startswith("R") else c for c in CONSTANTS))
    assert "the condition R·η̃·μ ≥ 1 fails: the left side is 0.08, the right side 1" in line


def test_contradicting_constants(refused: Callable[..., str]) -> None:
    assert "η̃ (effective_step_size) = 1/10 contradicts its definition K·M·η = 2/25" in refused(
        "bound", CLAIM, "--set", *CONSTANTS, "eta_eff=1/10"
    )


def test_instance_that_violates_an_assumption_is_inapplicable() -> None:
    flat = QuadraticClients((1, 0), (1, -1), 1)
    verdict = verify(CLAIM, flat, n_rounds=100, n_local_steps=1, step_size="1/12")
    assert verdict.status == "inapplicable"
    assert "strongly convex" in verdict.reason


def test_instance_with_a_bad_setting_names_it() -> None:
    with pytest.raises(ValueError, match="step_size = -1 is out of its domain: positive"):
        verify(CLAIM, QuadraticClients((1, 1), (1, -1), 1), n_rounds=9, n_local_steps=1, step_size=-1)


# Files ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["verify", f"falsify {CLAIM}", "proofs"])
@pytest.mark.parametrize("place", ["no/such/folder/x.json", "", "mine.py/x.json"])
def test_unwritable_file_is_refused_before_the_work(
    refused: Callable[..., str], variants: Path, command: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begun(*_: object) -> NoReturn:
        raise AssertionError("the work is begun")

    for work in (
        "fltheory.command.batch.check_tasks",
        "fltheory.command.subprocess_runs.run_search",
        "fltheory.api.proofs.selected_proofs",
    ):
        monkeypatch.setattr(work, begun)
    assert "can't write" in refused(*command.split(), "--json", variants.parent / place)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("mine.py:two", "can't be called as step(x, oracle, c)"),
        ("mine.py:number", "number in {0}/mine.py is of type int"),
        ("mine.py:absent", "has no 'absent'; it has two, nan, shape"),
        ("absent.py:step", "can't read {0}/absent.py: No such file or directory"),
        ("mine.py", "expected FILE.py:NAME"),
        ("mine.py:", "expected FILE.py:NAME"),
        ("syntax.py:step", "{0}/syntax.py:2: "),
        ("broken.py:step", "{0}/broken.py:2: ValueError: of no use"),
        ("binary.py:step", "{0}/binary.py"),
        ("empty.py:step", "it defines no function"),
        (":step", "expected FILE.py:NAME"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "falsify"])
def test_bad_variant_files(refused: Callable[..., str], variants: Path, command: str, spec: str, says: str) -> None:
    folder = variants.parent
    (folder / "syntax.py").write_text("x = 1\ndef step(:\n")
    (folder / "broken.py").write_text("x = 1\nraise ValueError('of\\nno use')\n")
    (folder / "binary.py").write_bytes(b"\0\xff\xfe")
    (folder / "empty.py").write_text("")
    spec = spec if spec.startswith(":") else f"{folder}/{spec}"
    assert says.format(folder) in refused(command, CLAIM, "--variant", spec)


def test_variant_of_a_statement_without_algorithm(refused: Callable[..., str], variants: Path) -> None:
    assert "none of the selected claims has an algorithm" in refused(
        "verify", "sfl/U3b@explicit", "--variant", f"{variants}:nan"
    )


BROKEN_STEPS = [
    ("nan", "mine.py:nan returned NaN in round 0"),
    ("shape", "mine.py:shape returned (N, 0) in round 0, expected an array of shape (N, 1)"),
    ("nothing", "mine.py:nothing returned NoneType in round 0"),
    ("raises", "mine.py:16: ZeroDivisionError"),
    ("index", "mine.py:19: IndexError: index 1000000 is out of bounds"),
    ("misspelt", "mine.py:21: stepsize is not a known constant"),
    ("leaves", "mine.py:23: SystemExit"),
]


@pytest.mark.parametrize(("name", "says"), BROKEN_STEPS)
def test_broken_step_is_inapplicable(capsys: pytest.CaptureFixture[str], variants: Path, name: str, says: str) -> None:
    rows = variants.parent / "rows.json"
    status = cli.run(["verify", CLAIM, "--jobs", "1", "--variant", f"{variants}:{name}", "--json", str(rows)])
    out, err = capsys.readouterr()
    assert status == 3
    assert says in re.sub(r"\(\d+, ([01])\)", r"(N, \1)", out)  # N seeds
    assert "Traceback" not in out + err
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    assert found
    assert all(r["status"] == "inapplicable" and says.split(" (N")[0] in r["reason"] for r in found)


@pytest.mark.parametrize("name", ["nan", "raises"])
def test_broken_step_ends_a_search(refused: Callable[..., str], variants: Path, name: str) -> None:
    line = refused("falsify", CLAIM, "--work", 2000, "--variant", f"{variants}:{name}")
    assert f"{variants}:" in line


def test_a_check_that_breaks_ends_a_search_with_one_line(refused: Callable[..., str], variants: Path) -> None:
    line = refused("falsify", CLAIM, "--work", 2000, "--variant", f"{variants}:matrix")
    assert "AttributeError" not in line or "the check broke" in line
    assert "Failing" not in line


# Ctrl-C ---------------------------------------------------------------------------------------------------------


@pytest.mark.turns(3)
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize(("jobs", "stop"), [(1, signal.SIGINT), (2, signal.SIGINT), (2, signal.SIGTERM)])
def test_interrupted_run_keeps_finished_rows(variants: Path, jobs: int, stop: int) -> None:
    path = variants.parent / "rows.json"
    command = [
        sys.executable,
        "-m",
        "fltheory",
        "verify",
        *SLOW,
        "--variant",
        f"{variants}:slow",
        "--jobs",
        str(jobs),
        "--json",
        str(path),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.poll() is None:
        part = next(variants.parent.glob("*.part"), None)
        if part is not None and part.exists() and part.read_text().count("\n") >= 3:
            break
        time.sleep(0.05)
    os.killpg(process.pid, stop)  # as a terminal does: the worker processes get it too
    out, err = process.communicate(timeout=60)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    total = sum(len(find(name).cases) for name in SLOW)
    assert process.returncode == 130, err
    assert 3 <= len(rows) < total
    assert f"interrupted: {len(rows)} of {total} cases are finished; they are in {path}" in err
    assert "Traceback" not in out + err
    assert f"{len(rows)} of {total} cases: {len(rows)} holds" in out
    assert all(r["status"] == "holds" for r in rows)
    assert not list(variants.parent.glob("*.part"))


@pytest.mark.turns(3)
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_run_interrupted_before_its_first_row_leaves_the_old_file(variants: Path, stop: int) -> None:
    with variants.open("a") as file:
        file.write("def stuck(x, oracle, c):\n    print('stuck', flush=True)\n    time.sleep(60)\n")
    path = variants.parent / "rows.json"
    old = '{"claim": "a/b", "paper": "a", "kind": "lemma", "standing": "open", "why": ""}\n'
    path.write_text(old)
    command = [
        sys.executable,
        "-m",
        "fltheory",
        "verify",
        SLOW[0],
        "--variant",
        f"{variants}:stuck",
        "--jobs",
        "1",
        "--json",
        str(path),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stuck\n"
    os.killpg(process.pid, stop)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"fltheory: interrupted: none of \d+ cases is finished\n", err)
    assert path.read_text() == old
    assert not list(variants.parent.glob("*.part"))


# A search that tells when it has seen a few cases.
TELLING = """
from fltheory.command.cli import main
from fltheory.search import history
count = history.SearchState.count
def told(one, verdict):
    count(one, verdict)
    if one.tested == 5:
        print("seen", flush=True)
history.SearchState.count = told
main()
"""


@pytest.mark.turns(3)
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_interrupted_search_keeps_the_nearest_case(tmp_path: Path) -> None:
    path = tmp_path / "nearest.json"
    command = [sys.executable, "-c", TELLING, "falsify", CLAIM, "--work", str(10**9), "--json", str(path)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "seen\n"
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert re.fullmatch(r"fltheory: interrupted after \d+\.\d s: no counterexample until then\n", err)
    assert "nearest: ratio" in out
    (row,) = map(json.loads, path.read_text().splitlines())
    assert row["status"] in ("holds", "vacuous")
    assert list(tmp_path.iterdir()) == [path]


class _Waited(io.StringIO):
    """An output whose reader does not read on."""

    def flush(self) -> None:
        raise KeyboardInterrupt

    def fileno(self) -> int:
        return os.dup(1)


def test_an_interrupt_while_the_output_waits_for_its_reader_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", _Waited())
    assert exit_codes.run_for_status(lambda: 0) == 130
    assert capsys.readouterr().err == "fltheory: interrupted\n"


LOST = """
import signal, time, weakref
class Thing: pass
def remove(_):
    signal.raise_signal(signal.{name})
    sum(range(1000))
thing = Thing()
kept = weakref.ref(thing, remove)
del thing
time.sleep(20)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("command", ["verify", "falsify", "sweep", "tightness"])
def test_an_interrupt_is_not_lost_while_claims_are_loaded(tmp_path: Path, command: str, name: str) -> None:
    """What a weak reference calls swallows exceptions, as Hypothesis's callback of the garbage collector does."""
    (tmp_path / "own.py").write_text(LOST.format(name=name))
    process = subprocess.run(
        [sys.executable, "-m", "fltheory", command, "own.py"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (process.returncode, process.stderr) == (130, "fltheory: interrupted\n")


@pytest.mark.parametrize("given", ["", "L=1", "L=1 D=1 zeta_star=0"])
def test_worst_and_bound_name_the_same_missing_constants(run: Run, given: str) -> None:
    """All of them, with their letters; without a word on noise there is none in a worst case."""
    said = [
        run(command, "sfl/T7-GC@explicit", *given.split(), *more)[2]
        for command, more in (("worst", ()), ("bound", ["sigma=0"]))
    ]
    assert said[0] == said[1]
    for letter in ("M (n_clients)", "K (n_local_steps)", "R (n_rounds)", "η (step_size)"):
        assert letter in said[0]
    assert ("L (smoothness)" in said[0]) == ("L=1" not in given)
