"""Output files: the common mechanism of all options that write a file.

A path is checked before any work is done, and again before a file is replaced. A new name, an empty file, a device or a
pipe is accepted; a file that this program made is replaced; any other is refused unless ``--force`` is given. A file is
written completely or not at all.
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
    """A checked path, and whether any file there may be replaced.

    ``target`` is the file itself, also behind a link; None for direct output to a device, a pipe or a stream.
    """

    path: Path
    force: bool
    target: Path | None

    def opened(self) -> FileIO:
        """Open a direct output; OSError if this is impossible."""
        number = stream_number(self.path)
        return FileIO(self.path, "w") if number is None else FileIO(os.dup(number), "w")

    def part(self) -> Path:
        """Return a temporary name next to the target, for an incomplete file."""
        target = self.target or self.path
        return target.with_name(f"{target.name}.{os.getpid()}.part")

    def replace_with(self, part: Path) -> None:
        """Move a complete file to the target; UserError if a foreign file is there by now, OSError for other failures."""
        looked = output_file(self.path, self.force)
        assert looked is not None
        part.replace(looked.target or self.path)

    def write(self, data: bytes) -> None:
        """Write all data or none; UserError if this is impossible."""
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
    """Return the output file of this path, None without one; UserError if it is not writable, or a foreign file."""
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
    except RuntimeError:  # the error of Python 3.11 and 3.12
        raise UserError(f"can't write {path}: it is a link to itself") from None
    except ValueError as error:  # not a file name
        raise UserError(f"can't write {str(path)!r}: {error}") from None


def _target(path: Path, force: bool) -> Path | None:
    """Return the file itself, None for a device or a pipe; OSError or UserError if it is not usable."""
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
    if len(os.fsencode(target.name)) > 200:  # the temporary name is longer
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    if kind is not None and not force and not is_ours(target):
        linked = "" if path.absolute() == target else f" (a link to {target})"
        raise UserError(
            f"{path}{linked} is a file that fltheory did not make: it stays; expected another name, or --force to replace it"
        )
    return target


def require_output_file(path: Path, force: bool = False) -> OutputFile:
    """Return the output file of a given path."""
    found = output_file(path, force)
    assert found is not None
    return found


def require_distinct(**paths: Path | None) -> None:
    """Raise UserError if two of the options, named as in ``json``, have the same file; a device may have several."""
    taken: dict[Path, str] = {}
    for name, path in paths.items():
        if path is None or (path.exists() and not path.is_file()):
            continue
        if (other := taken.setdefault(path.resolve(), name)) is not name:
            raise UserError(f"{path}: expected another file for {_option(name)} than for {_option(other)}")


def _option(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


def stream_number(path: Path) -> int | None:
    """Return the number of an open stream by its name; it is never replaced, even if it is a file."""
    name = str(path)
    number = path.name if str(path.parent) in DESCRIPTOR_FOLDERS else ""
    return STREAMS.get(name, int(number) if number.isdecimal() else None)


def write_all(file: FileIO, data: bytes) -> int:
    """Write all data unbuffered and return the number of bytes."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
    return len(data)
