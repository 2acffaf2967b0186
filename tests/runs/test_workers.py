"""Tasks in processes of their own, in this process: what a worker answers, in which order items are taken, what is retried."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.model.errors import UserError
from fltheory.runs import workers
from fltheory.runs.workers import LotQueue, NoAnswer, TaskError, map_unordered, package_environment


class Child:
    """A process with a pipe, of which only the parent's end exists."""

    def __init__(self, code: int | None) -> None:
        self.exitcode, self.pid, self.done = code, 10**9, list[str]()
        self.sentinel, self._other = multiprocessing.Pipe()

    def join(self, seconds: float | None = None) -> None:
        self.done.append("join")

    def kill(self) -> None:
        self.done.append("kill")


def worker(code: int | None = None) -> tuple[Any, Any]:
    """A worker without a process, and the other end of its pipe."""
    own: Any = object.__new__(workers.Worker)
    own._pipe, theirs = multiprocessing.Pipe()
    own._process, own.began = Child(code), 0.0
    return own, theirs


def doubled(item: int) -> int:
    if item < 0:
        raise ValueError(f"no\n {item}")
    if item > 99:
        return lambda: item  # type: ignore[return-value]  # can't be sent
    return 2 * item


@pytest.mark.parametrize(
    ("code", "how", "killed"),
    [
        (None, "closed its connection", False),
        (0, "ended with exit status 0", False),
        (7, "ended with exit status 7", False),
        (workers.EXIT_UNKNOWN, "ended with exit status 255", True),
        (-9, "was ended by signal 9 (SIGKILL)", True),
        (-1, "was ended by signal 1 (SIGHUP)", True),
        (-250, "was ended by signal 250", True),
    ],
)
def test_a_process_without_an_answer_says_how_it_ended(code: int | None, how: str, killed: bool) -> None:
    own, theirs = worker(code)
    theirs.close()
    assert own.answer() == NoAnswer(how, killed)


def test_answers_come_through_the_pipe() -> None:
    own, theirs = worker(0)
    theirs.send(41)
    assert own.answer() == 41
    theirs.send_bytes(b"no pickle")
    assert isinstance(own.answer(), TaskError)
    own, theirs = worker(workers.EXIT_UNGUARDED)
    theirs.close()
    with pytest.raises(UserError, match="a script that starts processes is imported by each of them"):
        own.answer()
    own, theirs = worker()
    before = time.monotonic()
    own.start_task(doubled, 3)
    assert own.began >= before
    function, item, known = theirs.recv()
    assert (function, item, known) == (doubled, 3, package_environment())
    theirs.close()
    own.start_task(doubled, 3)  # the process is dead: the answer says so
    assert own.signs == (own._pipe, own._process.sentinel)
    own.interrupt()
    own.stop()
    assert own._process.done == ["kill", "join"]
    assert own._pipe.closed


def test_the_packages_variables_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLTHEORY_OWN", "1")
    monkeypatch.setenv("OTHER_OWN", "1")
    assert package_environment()["FLTHEORY_OWN"] == "1"
    assert all(name.startswith("FLTHEORY_") for name in package_environment())


def test_errors_of_a_task_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(TaskError("ValueError", "no")) == "ValueError: no"
    assert str(TaskError("KeyboardInterrupt", "")) == "KeyboardInterrupt"
    mine, theirs = multiprocessing.Pipe()
    home = os.getcwd()
    monkeypatch.setenv("FLTHEORY_OWN", "before")
    for item, expected in ((3, 6), (-1, TaskError("ValueError", "no -1"))):
        mine.send((doubled, item, {"FLTHEORY_OWN": "after"}))
        workers._run_next_task(theirs, home)
        assert mine.recv() == expected
        assert os.environ["FLTHEORY_OWN"] == "after"
    mine.send((doubled, 100, {}))
    workers._run_next_task(theirs, home)
    assert isinstance(mine.recv(), TaskError)
    mine.close()
    with pytest.raises(EOFError):
        workers._run_next_task(theirs, home)


def test_items_of_a_lot_stay_with_their_worker() -> None:
    queue = LotQueue("aabbbc")
    assert bool(queue) is True
    taken = [queue.take(None), queue.take(None), queue.take("b")]
    assert taken == [("a", 0), ("b", 2), ("b", 3)]
    assert queue.take("a") == ("a", 1)
    assert queue.take("a") == ("c", 5)  # a lot without a worker first
    assert queue.take("a") == ("b", 4)
    assert bool(queue) is False
    queue.again("b", 4)
    assert bool(queue) is True
    assert queue.take("z") == ("b", 4)
    long = LotQueue("abbb")
    long.take(None)
    long.take(None)
    assert long.take("a") == ("b", 3)  # from the end of the longest lot


class Fake:
    """A worker that answers at once in this process, or ends, by what the item says."""

    made: list[Fake] = []  # noqa: RUF012 (of one test)

    def __init__(self, preload: Any = (), threads: int = 1) -> None:
        self.threads, self.stopped, self.tasks = threads, False, list[Any]()
        self._mine, self._theirs = multiprocessing.Pipe()
        self.began = time.monotonic()
        Fake.made.append(self)

    def start_task(self, function: Callable[[Any], Any], item: Any) -> None:
        self.began = time.monotonic()
        self.tasks.append(item)
        self.item = item
        if item != "slow":
            self._theirs.send(item)

    @property
    def signs(self) -> tuple[Any, ...]:
        return (self._mine,)

    def answer(self) -> Any:
        item = self._mine.recv()
        if item in ("killed", "left"):
            return NoAnswer("went away", item == "killed")
        return f"{item}!"

    def interrupt(self) -> None:
        self._theirs.send("interrupted")

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[Fake]:
    Fake.made = []
    monkeypatch.setattr(workers, "Worker", Fake)
    monkeypatch.setattr(workers, "cores", lambda: 4)
    return Fake.made


def test_every_item_is_answered_once_by_few_processes(fakes: list[Fake]) -> None:
    found = dict(map_unordered(doubled, "abcdef", 2, 60.0))
    assert found == {i: f"{v}!" for i, v in enumerate("abcdef")}
    assert len(fakes) == 2
    assert all(w.stopped and w.threads == 2 for w in fakes)
    assert list(map_unordered(doubled, [], 2, 60.0)) == []
    fakes.clear()
    assert len(list(map_unordered(doubled, "abc", 100, 60.0))) == 3
    assert len(fakes) <= 3
    fakes.clear()
    list(map_unordered(doubled, "abc", 0, 60.0))
    assert len(fakes) == 1
    assert fakes[0].threads == 4


def test_lots_are_prepared_once(fakes: list[Fake]) -> None:
    list(map_unordered(doubled, ["a1", "b1", "a2", "b2"], 1, 60.0, lot=lambda item: item[0]))
    assert fakes[0].tasks == ["a1", "a2", "b1", "b2"]


def test_a_killed_process_is_tried_once_more_and_one_that_left_is_not(fakes: list[Fake]) -> None:
    found = dict(map_unordered(doubled, ["killed", "left", "fine"], 1, 60.0))
    assert found == {0: NoAnswer("went away", True), 1: NoAnswer("went away", False), 2: "fine!"}
    assert sum(w.tasks.count("killed") for w in fakes) == 2
    assert sum(w.tasks.count("left") for w in fakes) == 1
    assert all(w.stopped for w in fakes)


def test_a_late_task_is_stopped(fakes: list[Fake]) -> None:
    found = dict(map_unordered(doubled, ["slow", "fine"], 2, 0.05))
    assert found == {0: NoAnswer("was stopped: no answer within 0.05 s"), 1: "fine!"}
    assert all(w.stopped for w in fakes)
    fakes.clear()
    running = map_unordered(doubled, ["fine", "slow"], 2, 60.0)
    next(running)
    running.close()
    assert all(w.stopped for w in fakes)


def test_the_wait_is_until_the_first_task_is_late(fakes: list[Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[float] = []
    monkeypatch.setattr(workers, "_pause", lambda end: ends.append(end - time.monotonic()) or 0.0)
    assert len(dict(map_unordered(doubled, ["fine", "fine"], 2, 60.0))) == 2
    assert ends
    assert all(50 < left <= 60 for left in ends)


def test_one_task_in_its_own_process(fakes: list[Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.run_in_process(doubled, "fine", 60.0) == "fine!"
    assert fakes[0].threads == 4
    assert fakes[0].stopped
    assert workers.run_in_process(doubled, "slow", 0.01) == NoAnswer("was stopped: no answer within 0.01 s")
    answers = iter([KeyboardInterrupt(), "late"])

    def answer(own: Any, limit: float) -> Any:
        found = next(answers)
        if isinstance(found, BaseException):
            raise found
        assert limit == workers.GRACE_SECONDS
        return found

    monkeypatch.setattr(workers, "_answer", answer)
    assert workers.run_in_process(doubled, "fine", 60.0) == "late"
    for last in (NoAnswer("went"), TaskError("KeyboardInterrupt", "")):
        answers = iter([KeyboardInterrupt(), last])
        with pytest.raises(KeyboardInterrupt):
            workers.run_in_process(doubled, "fine", 60.0)
    answers = iter([KeyboardInterrupt(), TaskError("ValueError", "")])
    assert workers.run_in_process(doubled, "fine", 60.0) == TaskError("ValueError", "")


def test_pauses_are_within_what_the_system_counts() -> None:
    now = time.monotonic()
    assert workers._pause(now - 5) == 0
    assert workers._pause(now + 10**9) == workers.LONGEST_PAUSE
    assert 4 < workers._pause(now + 5) <= 5
    assert workers.cores() >= 1


def test_a_dead_server_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: pauses.append(seconds))
    for failures, good in ((0, True), (2, True), (4, True), (5, False)):
        pauses: list[float] = []
        left = [failures]

        def start(left: list[int] = left) -> None:
            if left[0]:
                left[0] -= 1
                raise ConnectionError

        process = SimpleNamespace(start=start)
        if good:
            workers._start(process)
        else:
            with pytest.raises(ConnectionError):
                workers._start(process)
        assert len(pauses) == min(failures, 4)


def test_children_start_quietly_and_the_parent_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with workers._quiet_start(3):
        assert os.environ["OMP_NUM_THREADS"] == "7"
        assert os.environ["MKL_NUM_THREADS"] == "3"
        assert {signal.SIGINT, signal.SIGTERM} <= signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_a_script_that_is_only_imported_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(os, "_exit", ended)
    monkeypatch.delitem(sys.modules, "__mp_main__", raising=False)
    workers._end_if_importing()
    monkeypatch.setitem(sys.modules, "__mp_main__", sys.modules["__main__"])
    workers._end_if_importing()
    monkeypatch.setitem(sys.modules, "__mp_main__", SimpleNamespace())
    with pytest.raises(SystemExit, match=str(workers.EXIT_UNGUARDED)):
        workers._end_if_importing()


def test_a_server_is_started_for_several_processes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from multiprocessing import forkserver

    told: list[Any] = []
    context = SimpleNamespace(get_start_method=lambda: kind, set_forkserver_preload=lambda names: told.append(names))
    monkeypatch.setattr(workers, "_context", context)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    monkeypatch.setattr(forkserver, "ensure_running", lambda: told.append("running"))
    kind = "forkserver"
    for jobs, expected in ((2, True), (None, True), (1, False)):
        told.clear()
        workers.start_server(["mine"], jobs)
        assert told == ([["fltheory.runs.workers", "mine"], "running"] if expected else [])
    kind = "spawn"
    told.clear()
    workers.start_server(["mine"], 2)
    workers._set_preload(["mine"])
    assert told == []


def test_a_child_ends_with_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr(os, "_exit", ended)
    waited: list[Any] = []
    monkeypatch.setattr(workers.connection, "wait", waited.extend)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: SimpleNamespace(sentinel="parent"))
    with pytest.raises(SystemExit, match="1"):
        workers._follow_parent()
    assert waited == ["parent"]
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    with pytest.raises(SystemExit, match="1"):
        workers._follow_parent()
    assert waited == ["parent"]
