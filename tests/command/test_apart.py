"""A user's variant in a process of its own: whatever it does, the command says so and goes on; so do killed processes."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fltheory import verify
from fltheory.command import batch
from fltheory.command.batch import Task, check_tasks, plan
from fltheory.proof import parallel
from fltheory.proof.language import ProofError
from fltheory.runs import workers
from fltheory.verification import find
from tests.typed import Run

CLAIM = "sfl/h4@explicit"
OF_MORE = "sfl/s2@explicit"  # five cases, of two clients and of more
STEPS = """
import ctypes, os, signal, sys, threading, time

def good(x, o, c):
    for m in o.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * o.gradient(x, m, k)
    return x

class Plain(BaseException): pass
def plain(x, o, c): raise Plain("of no kind")
def stops(x, o, c): raise KeyboardInterrupt
def leaves(x, o, c): os._exit(0)
def killed(x, o, c): os.kill(os.getpid(), signal.SIGKILL)
def segfault(x, o, c): signal.raise_signal(signal.SIGSEGV)
def deep(x, o, c): return deep(x, o, c)
def hangs_up(x, o, c): os.closerange(3, 200); return good(x, o, c)
def forever(x, o, c):
    while True:
        try: time.sleep(60)
        except BaseException: pass

def odd(x, o, c):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    threading.Thread(target=time.sleep, args=(3600,)).start()
    os.chdir("/")
    sys.stdout = None
    return good(x, o, c)

def third(x, o, c):
    if c.n_clients > 3: os._exit(7)
    return good(x, o, c)
"""


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(STEPS)
    return tmp_path / "mine.py"


ENDS = [
    ("plain", "Plain: of no kind"),
    ("stops", "the check broke: KeyboardInterrupt"),
    ("leaves", "mine.py:leaves: the process that ran it ended with exit status 0"),
    ("killed", "mine.py:killed: the process that ran it was ended by signal 9 (SIGKILL)"),
    ("segfault", "mine.py:segfault: the process that ran it was ended by signal 11 (SIGSEGV)"),
    ("deep", "RecursionError"),
    ("hangs_up", "mine.py:hangs_up: the process that ran it"),
]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("name", "says"), ENDS)
def test_a_variant_that_ends_its_process_is_a_row_for_every_case(run: Run, steps: Path, name: str, says: str) -> None:
    path = steps.parent / "rows.json"
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--variant", f"{steps}:{name}", "--json", path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert status == 3
    assert len(rows) == len(find(CLAIM).cases)
    assert all(r["status"] in ("inconclusive", "inapplicable") and says in r["reason"] for r in rows), rows[0]["reason"]
    assert says in out


def test_the_other_cases_of_such_a_variant_are_judged(run: Run, steps: Path) -> None:
    """The opposite: only the cases on which it ends are without a verdict."""
    path = steps.parent / "rows.json"
    run("verify", OF_MORE, "--jobs", 2, "--variant", f"{steps}:third", "--json", path)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    long = ["exit status 7" in r["reason"] for r in rows]
    assert any(long)
    assert not all(long)
    assert all(r["status"] == "holds" for r, late in zip(rows, long, strict=True) if not late)


@pytest.mark.parametrize("name", ["good", "odd"])
def test_what_a_step_does_around_itself_changes_nothing(run: Run, steps: Path, name: str) -> None:
    """Handlers, threads, folders and streams are its own process's."""
    handlers, folder = signal.getsignal(signal.SIGINT), os.getcwd()
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--variant", f"{steps}:{name}")
    assert status == 0, out
    assert (signal.getsignal(signal.SIGINT), os.getcwd()) == (handlers, folder)


@pytest.mark.parametrize(
    "top", ["import os; os._exit(0)", "raise BaseException('no')", "import sys; sys.exit()", "quit()"]
)
@pytest.mark.parametrize("command", [["verify"], ["falsify", "--work", "100"]])
def test_a_file_that_ends_the_process_when_it_is_loaded(run: Run, tmp_path: Path, top: str, command: list[str]) -> None:
    (tmp_path / "mine.py").write_text(f"{top}\ndef step(x, o, c): return x\n")
    status, out, err = run(*command, CLAIM, "--variant", f"{tmp_path}/mine.py:step")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "mine.py" in err or "the check broke" in err


def test_a_file_that_changes_the_judge_changes_only_its_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import fltheory.claims.claim, fltheory.verification\n"
        "fltheory.claims.check.check_claim = fltheory.verification.check_claim = None\n"
        "def step(x, o, c): return x\n"
    )
    assert run("verify", CLAIM, "--jobs", 1, "--variant", f"{tmp_path}/mine.py:step")[0] == 3
    assert verify(CLAIM).status == "holds"
    assert run("verify", CLAIM, "--jobs", 1)[0] == 0


@pytest.mark.parametrize("name", ["leaves", "segfault", "plain"])
def test_a_search_with_such_a_variant_ends_with_one_line(run: Run, steps: Path, name: str) -> None:
    status, out, err = run("falsify", CLAIM, "--work", 1000, "--variant", f"{steps}:{name}")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "the process that ran it" in err or "Plain: of no kind" in err


@pytest.mark.turns(3)
def test_a_step_that_never_returns_is_stopped_and_said(monkeypatch: pytest.MonkeyPatch, steps: Path) -> None:
    monkeypatch.setattr(batch, "CASE_TIME_LIMIT", 4.0)
    tasks = plan([find(CLAIM)], "quick", 0, f"{steps}:forever")[:2]
    rows = dict(check_tasks(tasks, 2))  # it comes back: the step does not
    assert [rows[i]["status"] for i in (0, 1)] == ["inconclusive"] * 2
    assert "was stopped: no answer within 4 s" in rows[0]["reason"]


# Processes ------------------------------------------------------------------------------------------------------------


def _end(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def _who(item: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def _fails(item: int) -> Any:
    if item == 0:
        raise ValueError("not\nthis")
    return lambda: item  # can't be sent


def _once(marks: str) -> int:
    """Killed the first time; the folder remembers how often it was begun."""
    (Path(marks) / str(os.getpid())).touch()
    begun = len(list(Path(marks).iterdir()))
    if begun == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return begun


def _ends(marks: str) -> int:
    (Path(marks) / str(os.getpid())).touch()
    os._exit(3)


def test_what_a_killed_process_was_doing_is_done_once_more(tmp_path: Path) -> None:
    assert dict(workers.map_unordered(_once, [str(tmp_path)], 1, 60.0)) == {0: 2}


def test_a_task_that_ends_its_process_is_not_given_to_another(tmp_path: Path) -> None:
    found = dict(workers.map_unordered(_ends, [str(tmp_path)], 1, 60.0))
    assert found == {0: workers.NoAnswer("ended with exit status 3")}
    assert len(list(tmp_path.iterdir())) == 1


def test_a_killed_process_is_told_of_its_own_task_and_the_others_go_on() -> None:
    found = dict(workers.map_unordered(_end, range(6), 2, 60.0))
    assert found.pop(3) == workers.NoAnswer("was ended by signal 9 (SIGKILL)", killed=True)
    assert found == {i: i * i for i in (0, 1, 2, 4, 5)}


def test_exceptions_and_what_cannot_be_sent_come_back_as_words() -> None:
    found = dict(workers.map_unordered(_fails, range(2), 1, 60.0))
    assert str(found[0]) == "ValueError: not this"
    assert isinstance(found[1], workers.TaskError)
    assert dict(workers.map_unordered(_end, [], 4, 1.0)) == {}


def test_what_processes_are_forked_from_may_start_before_them() -> None:
    workers.start_server(("fltheory.number",), 2)
    assert dict(workers.map_unordered(_end, (0, 1, 2), 2, 60.0)) == {0: 0, 1: 1, 2: 4}


def test_there_are_never_more_processes_than_tasks_or_four_for_each_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(set(dict(workers.map_unordered(_who, range(3), 100_000, 60.0)).values())) <= 3
    monkeypatch.setattr(workers, "cores", lambda: 1)
    found = dict(workers.map_unordered(_who, range(12), 100_000, 60.0))
    assert len(set(found.values())) <= 4


def test_a_process_keeps_to_its_lot_and_then_helps_with_the_longest() -> None:
    waiting = workers.LotQueue("abaaabb")
    first, second = waiting.take(None), waiting.take(None)
    assert (first, second) == (("a", 0), ("b", 1))
    assert [waiting.take("b") for _ in range(2)] == [("b", 5), ("b", 6)]
    assert waiting.take("b") == ("a", 4), "the last of the longest"
    assert waiting.take("a") == ("a", 2)
    waiting.again("a", 0)
    assert [waiting.take("b"), waiting.take("a")] == [("a", 0), ("a", 3)]
    assert not waiting
    found = dict(workers.map_unordered(_end, (0, 1, 2, 4, 5), 2, 60.0, lot=lambda item: item % 2))
    assert found == {0: 0, 1: 1, 2: 4, 3: 16, 4: 25}


def test_too_many_jobs_are_no_hang(run: Run) -> None:
    status, out, _ = run("verify", "sfl/T3-SC@printed", "--jobs", 100_000)
    assert (status, "all as recorded" in out) == (0, True)


def test_a_killed_process_without_a_variant_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = plan([find(OF_MORE)], "quick", 0)[:5]
    monkeypatch.setattr(batch, "check_task", _kill_fourth)
    rows = dict(check_tasks(tasks, 2))
    assert [rows[i].get("status") for i in range(5)] == [None, None, None, "inconclusive", None]
    assert rows[3]["reason"] == "the process that checked it was ended by signal 9 (SIGKILL)"


def _kill_fourth(task: Task) -> dict[str, Any]:
    return {"square": _end(task.index)}


def test_a_killed_process_ends_the_proofs_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from concurrent.futures.process import BrokenProcessPool

    def dead() -> Any:
        yield from ()
        raise BrokenProcessPool

    with pytest.raises(ProofError, match="terminated from outside"):
        list(parallel._report_broken_pool(dead()))


def test_a_child_whose_parent_is_gone_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer has no reader: that is no fault of its own, of which a terminal would have to be told."""

    def ended(code: int) -> NoReturn:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", ended)
    monkeypatch.setattr(os, "setpgid", lambda process, group: None)
    monkeypatch.setattr(workers, "_follow_parent", lambda: None)
    ours, theirs = multiprocessing.Pipe()
    ours.send((_who, 0, {}))
    ours.close()
    with pytest.raises(SystemExit) as error:
        workers._serve(theirs)
    gc.unfreeze()
    assert error.value.code == 0
