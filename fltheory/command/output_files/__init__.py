"""Where a file is written: the one mechanism of every option that writes.

A place is looked at before any work is done, and again before something is replaced. A new name, an empty file, a device or a pipe
will do; a file that this program made is replaced; another is refused by name, unless ``--force`` says that it may go. A file
appears whole or not at all.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from fltheory.command.output_files.ownership import is_ours
from fltheory.model.errors import UserError

STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR_FOLDERS = ("/dev/fd", "/proc/self/fd")


@dataclass(frozen=True)
class OutputFile:
    """A path that was looked at, and whether what stands there may go whatever it is.

    ``target`` is the file itself, where the path is a link to one; None for what is written directly: a device, a pipe, a stream.
    """

    path: Path
    force: bool
    target: Path | None

    def opened(self) -> FileIO:
        """What is written directly, open; OSError where it can't be."""
        number = stream_number(self.path)
        return FileIO(self.path, "w") if number is None else FileIO(os.dup(number), "w")

    def part(self) -> Path:
        """A name beside the target, for what is not whole yet."""
        target = self.target or self.path
        return target.with_name(f"{target.name}.{os.getpid()}.part")

    def replace_with(self, part: Path) -> None:
        """Put a whole file in the target's place; UserError where another's stands there by now, OSError where it can't be."""
        looked = output_file(self.path, self.force)
        assert looked is not None
        part.replace(looked.target or self.path)

    def write(self, data: bytes) -> None:
        """All of it, or nothing; UserError where it can't be written."""
        try:
            if self.target is None:
                with self.opened() as file:
                    write_all(file, data)
                return
            part = self.part()
            try:
                with FileIO(part, "w") as file:
                    write_all(file, data)
                self.replace_with(part)
            finally:
                with suppress(OSError):
                    part.unlink(missing_ok=True)
        except OSError as error:
            raise UserError(f"can't write {self.path}: {error.strerror}") from None


def output_file(path: Path | None, force: bool = False) -> OutputFile | None:
    """The place of this path, None for none; UserError where nothing can be written, or something stands that is not ours."""
    if path is None:
        return None
    if stream_number(path) is not None:
        return OutputFile(path, force, None)
    try:
        return OutputFile(path, force, _target(path, force))
    except UserError:
        raise
    except OSError as error:
        raise UserError(f"can't write {path}: {error.strerror}") from None
    except RuntimeError:  # Python 3.11 and 3.12 say so
        raise UserError(f"can't write {path}: it is a link to itself") from None
    except ValueError as error:  # no name of a file
        raise UserError(f"can't write {str(path)!r}: {error}") from None


def _target(path: Path, force: bool) -> Path | None:
    """The file itself, None for a device or a pipe; OSError or UserError where it won't do."""
    target = path.resolve()
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        kind = None
    except OSError as error:
        raise OSError(error.errno, "it is a link to itself" if error.errno == errno.ELOOP else error.strerror) from None
    if kind is not None and stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "it is a directory")
    if kind is not None and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "permission denied")
    if kind is not None and not stat.S_ISREG(kind):
        return None
    if not target.parent.is_dir() or not os.access(target.parent, os.W_OK):
        raise NotADirectoryError(errno.ENOTDIR, f"{target.parent} is no directory that can be written to")
    if len(os.fsencode(target.name)) > 200:  # a part beside it has a longer name
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if kind is not None and not force and not is_ours(target):
        linked = "" if path.absolute() == target else f" (a link to {target})"
        raise UserError(
            f"{path}{linked} is a file that fltheory did not make: it stays; expected another name, or --force to replace it"
        )
    return target


def require_output_file(path: Path, force: bool = False) -> OutputFile:
    """The same for a path that is given."""
    found = output_file(path, force)
    assert found is not None
    return found


def require_distinct(**paths: Path | None) -> None:
    """UserError where two of the options, named as in ``json``, are one file; a device takes many."""
    taken: dict[Path, str] = {}
    for name, path in paths.items():
        if path is None or (path.exists() and not path.is_file()):
            continue
        if (other := taken.setdefault(path.resolve(), name)) is not name:
            raise UserError(f"{path}: expected another file for {_option(name)} than for {_option(other)}")


def _option(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


def stream_number(path: Path) -> int | None:
    """The number of a stream that is open already, by its name; such a one is never replaced, even where it is a file."""
    name = str(path)
    number = path.name if str(path.parent) in DESCRIPTOR_FOLDERS else ""
    return STREAMS.get(name, int(number) if number.isdecimal() else None)


def write_all(file: FileIO, data: bytes) -> int:
    """All of it, unbuffered: how many bytes that is."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
    return len(data)
