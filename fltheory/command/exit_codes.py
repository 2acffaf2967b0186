"""Exit status of a command, and one line on standard error for each error.

0, 1 and 3 depend on the command; 2: an error of usage or of writing; 130: interrupted.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol, runtime_checkable

import typer

from fltheory.model.errors import UserError
from fltheory.search.deadline import STOP_SIGNALS

EXIT_ERROR, EXIT_INTERRUPTED = 2, 130
MAX_MESSAGE_LENGTH = 3000  # longest message


@runtime_checkable
class ParserError(Protocol):
    """An error of the argument parser, which formats itself."""

    def format_message(self) -> str:
        """Return the error in words."""


class Interrupted(Exception):
    """A run ended by Ctrl-C; the text says what was saved."""


def run_for_status(command: Callable[[], object]) -> int:
    """Run a command and return its exit status. A closed pipe, as with head, is not an error."""
    streams = {"stdin": sys.stdin, "stdout": sys.stdout, "stderr": sys.stderr}
    for number, (name, open_stream) in enumerate(streams.items()):
        if open_stream is None:  # closed: a file opened later would get its number
            os.open(os.devnull, os.O_RDWR)
            if number:
                setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w")))
            if number == 1:
                return print_error("standard output is closed", EXIT_ERROR)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters still shows the table
    try:
        code = _code(command)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return 1
    except KeyboardInterrupt:  # while output waits for its reader
        _discard_output()
        return print_error("interrupted", EXIT_INTERRUPTED)
    except OSError as error:
        _discard_output()
        return print_error(f"can't write {error.filename or 'the output'}: {error.strerror or error}", EXIT_ERROR)
    return code


def _code(command: Callable[[], object]) -> int:
    try:
        code = command()
    except UserError as error:
        return print_error(str(error), EXIT_ERROR)
    except Interrupted as error:
        return print_error(str(error), EXIT_INTERRUPTED)
    except (KeyboardInterrupt, typer.Abort):
        return print_error("interrupted", EXIT_INTERRUPTED)
    except typer.Exit as error:
        return error.exit_code
    except SystemExit:  # how the parser ends at a broken pipe
        raise BrokenPipeError from None
    except MemoryError:
        return print_error("out of memory", EXIT_ERROR)
    except Exception as error:
        from fltheory.number.signals import VariantError

        if isinstance(error, VariantError):  # a user's step that turns out to be invalid at any time
            return print_error(str(error), EXIT_ERROR)
        if not isinstance(error, ParserError):
            raise
        return print_error(error.format_message(), EXIT_ERROR)
    if code == EXIT_INTERRUPTED:  # the parser caught Ctrl-C
        return print_error("interrupted", EXIT_INTERRUPTED)
    return code if isinstance(code, int) else 0


def print_error(text: str, code: int) -> int:
    """Print one line on standard error and return the status."""
    line = " ".join(text.split())
    if len(line) > MAX_MESSAGE_LENGTH:
        line = f"{line[: MAX_MESSAGE_LENGTH - 500]} ... {line[-500:]}"
    with suppress(OSError):
        print(f"fltheory: {line}", file=sys.stderr, flush=True)
    return code


def _discard_output() -> None:
    """Discard remaining output, so that Python doesn't flush it again on exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def ignore_signals() -> dict[signal.Signals, Any]:
    """Ignore all signals from here on; return the previous handlers."""
    return {s: signal.signal(s, signal.SIG_IGN) for s in STOP_SIGNALS}


def restore(handlers: Mapping[signal.Signals, Any]) -> None:
    """Restore the previous handlers."""
    for s, handler in handlers.items():
        signal.signal(s, handler)
