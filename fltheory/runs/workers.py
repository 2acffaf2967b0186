"""Child processes that run one task at a time. If one ends, its task reports how, and the others continue.

A task cannot harm the parent process, even if a user's step exits, kills its process or never returns.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, resource_tracker
from typing import Any

from fltheory.model.errors import UserError

LONGEST_PAUSE = 1000.0  # seconds; the system counts milliseconds in a machine integer
EXIT_UNGUARDED = 213  # exit status of a child that reached the parent's own work, see ``_end_if_importing``
EXIT_UNKNOWN = 255  # exit status of a child whose server, which alone knows the true one, was killed
GRACE_SECONDS = 20.0  # seconds that an interrupted task has to return its results
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_context: Any = multiprocessing.get_context(
    "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
)


@dataclass(frozen=True)
class NoAnswer:
    """The result of a task without an answer; ``how`` continues "the process", as in "ended with status 0"."""

    how: str
    killed: bool = False  # by a signal, for example out of memory, or for unknown reasons


@dataclass(frozen=True)
class TaskError:
    """An exception raised by the task, on one line."""

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


Function = Callable[[Any], Any]


def package_environment() -> dict[str, str]:
    """Return the current environment variables of the package."""
    return {name: value for name, value in os.environ.items() if name.startswith("FLTHEORY_")}


class Worker:
    """A child process with a pipe; ``preload`` names modules that are imported once for all such processes."""

    def __init__(self, preload: Sequence[str] = (), threads: int = 1) -> None:
        _end_if_importing()
        self._pipe, theirs = _context.Pipe()
        with _quiet_start(threads):
            _set_preload(preload)
            self._process = _context.Process(target=_serve, args=(theirs,))
            _start(self._process)
        theirs.close()
        self.began = time.monotonic()

    def start_task(self, function: Function, item: object) -> None:
        """Start a task: call a function of a module with these arguments."""
        self.began = time.monotonic()
        with suppress(OSError):  # the process is dead: ``answer`` reports it
            self._pipe.send((function, item, package_environment()))

    @property
    def signs(self) -> tuple[Any, ...]:
        """Return the handles to wait for: one is ready once there is an answer or the process ends."""
        return self._pipe, self._process.sentinel

    def answer(self) -> Any:
        """Wait for the task and return its result, a ``TaskError`` or a ``NoAnswer``."""
        try:
            if self._pipe.poll() or self._pipe in connection.wait(self.signs):
                return self._pipe.recv()
        except (EOFError, OSError):
            pass
        except Exception as error:  # the message can't be unpickled
            return TaskError(type(error).__name__, str(error))
        self._process.join(1.0)
        code = self._process.exitcode
        if code == EXIT_UNGUARDED:
            raise UserError(
                "a script that starts processes is imported by each of them: put its "
                'commands under a line `if __name__ == "__main__":`, below its functions'
            )
        if code is None:
            return NoAnswer("closed its connection")
        if code >= 0:
            return NoAnswer(f"ended with exit status {code}", code == EXIT_UNKNOWN)
        with suppress(ValueError):
            return NoAnswer(f"was ended by signal {-code} ({signal.Signals(-code).name})", True)
        return NoAnswer(f"was ended by signal {-code}", True)

    def interrupt(self) -> None:
        """Send Ctrl-C to the child alone."""
        with suppress(OSError):
            os.kill(self._process.pid, signal.SIGINT)

    def stop(self) -> None:
        """End the process and its children."""
        if sys.platform != "win32":
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(OSError):
            self._process.kill()
        self._process.join()
        self._pipe.close()


def _end_if_importing() -> None:
    """End a child silently, with a special status, if importing the parent's script has started the parent's work."""
    reading = sys.modules.get("__mp_main__")
    if reading is not None and reading is not sys.modules.get("__main__"):
        os._exit(EXIT_UNGUARDED)


def _start(process: Any) -> None:
    """Start a child, from a new fork server if the previous one was just killed."""
    for pause in (0.02, 0.1, 0.5, 2.0):
        try:
            return process.start()
        except (ConnectionError, EOFError):
            time.sleep(pause)  # until the system knows that the server is dead
    return process.start()


def start_server(preload: Sequence[str], jobs: int | None) -> None:
    """Start the fork server, so that it imports its modules in parallel to the caller."""
    jobs = min(jobs or cores(), 4 * cores())
    if jobs > 1 and _context.get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        with _quiet_start(max(1, cores() // jobs)):
            _set_preload(preload)
            ensure_running()


def _set_preload(preload: Sequence[str]) -> None:
    """Make the fork server, if there is one, import these modules when it starts."""
    if _context.get_start_method() == "forkserver":
        _context.set_forkserver_preload(["fltheory.runs.workers", *preload])


class LotQueue:
    """A queue of waiting items in lots with shared preparation: a worker stays with its lot as long as possible."""

    def __init__(self, lots: Sequence[Hashable]) -> None:
        self._lots: dict[Hashable, deque[int]] = {}
        for place, lot in enumerate(lots):
            self._lots.setdefault(lot, deque()).append(place)
        self._fresh = deque(self._lots)

    def __bool__(self) -> bool:
        return any(self._lots.values())

    def take(self, last: Hashable) -> tuple[Hashable, int]:
        """Take the next item of the last lot, else of a lot without a worker, else the last item of the longest lot."""
        if self._lots.get(last):
            return last, self._lots[last].popleft()
        while self._fresh:
            lot = self._fresh.popleft()
            if self._lots[lot]:
                return lot, self._lots[lot].popleft()
        longest = max(self._lots, key=lambda lot: len(self._lots[lot]))
        return longest, self._lots[longest].pop()

    def again(self, lot: Hashable, place: int) -> None:
        """Return an item to the queue."""
        self._lots[lot].append(place)


def map_unordered(
    function: Function,
    items: Sequence[object],
    jobs: int,
    limit: float,
    preload: Sequence[str] = (),
    lot: Callable[[Any], Hashable] | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """Yield (position, answer) of every item as it finishes, in any order, from ``jobs`` processes.

    Items of one ``lot`` go to one process unless another is idle, so that their shared preparation runs once. A task
    whose process is killed (memory may have run out) is retried once in another. A task is stopped after ``limit``
    seconds. Closing the iterator ends the processes.
    """
    jobs = max(1, min(jobs, len(items), 4 * cores()))
    waiting = LotQueue(range(len(items)) if lot is None else [lot(item) for item in items])
    again = set[int]()
    busy: dict[int, tuple[Worker, int]] = {}
    idle: list[tuple[Worker, Hashable]] = []  # and its last lot
    lots: dict[int, Hashable] = {}
    try:
        while True:
            while waiting and len(busy) < jobs:
                worker, last = idle.pop() if idle else (Worker(preload, max(1, cores() // jobs)), None)
                lots[id(worker)], place = waiting.take(last)
                busy[id(worker)] = (worker, place)
                worker.start_task(function, items[place])
            if not busy:
                return
            signs = {sign: id(worker) for worker, _ in busy.values() for sign in worker.signs}
            soonest = min(worker.began for worker, _ in busy.values()) + limit
            ready = {signs[s] for s in connection.wait(list(signs), _pause(soonest))}
            late = {key for key, (worker, _) in busy.items() if time.monotonic() > worker.began + limit} - ready
            for key in ready | late:
                worker, place = busy.pop(key)
                found = worker.answer() if key in ready else NoAnswer(f"was stopped: no answer within {limit:g} s")
                if not isinstance(found, NoAnswer):
                    idle.append((worker, lots[key]))
                    yield place, found
                    continue
                worker.stop()
                if found.killed and place not in again:
                    again.add(place)
                    waiting.again(lots[key], place)
                else:
                    yield place, found
    finally:
        for worker, _ in (*idle, *busy.values()):
            worker.stop()


def run_in_process(function: Function, item: object, limit: float, preload: Sequence[str] = ()) -> Any:
    """Run one task in its own process; Ctrl-C reaches the task, which then has ``GRACE_SECONDS`` to answer."""
    worker = Worker(preload, cores())
    try:
        worker.start_task(function, item)
        try:
            return _answer(worker, limit)
        except KeyboardInterrupt:
            worker.interrupt()
            found = _answer(worker, GRACE_SECONDS)
            if isinstance(found, NoAnswer) or (isinstance(found, TaskError) and found.kind == "KeyboardInterrupt"):
                raise
            return found
    finally:
        worker.stop()


def _answer(worker: Worker, limit: float) -> Any:
    end = time.monotonic() + limit
    while not connection.wait(worker.signs, _pause(end)):
        if time.monotonic() > end:
            return NoAnswer(f"was stopped: no answer within {limit:g} s")
    return worker.answer()


def _pause(end: float) -> float:
    return min(max(0.0, end - time.monotonic()), LONGEST_PAUSE)


def cores() -> int:
    """Return the number of cores that this process may use."""
    import joblib

    return int(joblib.cpu_count())


@contextmanager
def _quiet_start(threads: int) -> Iterator[None]:
    """Set what children inherit: they ignore Ctrl-C and use a limited number of threads for linear algebra."""
    known = {name: os.environ[name] for name in _THREADS if name in os.environ}
    os.environ.update({name: str(threads) for name in _THREADS if name not in known})
    if sys.platform != "win32":
        resource_tracker.ensure_running()  # unblocks the signals when it starts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for name in _THREADS:
            if name not in known:
                del os.environ[name]


def _serve(pipe: connection.Connection) -> None:
    """Run tasks in a child, each in the working directory of the command, until the pipe is closed."""
    if sys.platform != "win32":
        os.setpgid(0, 0)  # a terminal's Ctrl-C goes only to the parent, which forwards it to tasks that handle it
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
    threading.Thread(target=_follow_parent, daemon=True).start()
    home = os.getcwd()
    gc.freeze()  # garbage collection would copy the pages shared with other processes
    with suppress(EOFError, ConnectionError):  # the parent has closed the pipe or ended
        while True:
            _run_next_task(pipe, home)
    os._exit(0)  # not delayed by threads of a user's step


def _run_next_task(pipe: connection.Connection, home: str) -> None:
    """Run the next task; EOFError or ConnectionError if the parent no longer waits for it."""
    try:
        function, item, own = pipe.recv()
        os.environ.update(own)  # a fork server keeps the variables of its own start
        os.chdir(home)
        found = function(item)
    except EOFError:
        raise
    except BaseException as error:
        found = TaskError(type(error).__name__, " ".join(str(error).split()))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    try:
        pipe.send(found)
    except ConnectionError:
        raise
    except Exception as error:  # it can't be sent
        pipe.send(TaskError(type(error).__name__, str(error)))


def _follow_parent() -> None:
    """End a child with its parent even if its task hangs."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
    os._exit(1)
