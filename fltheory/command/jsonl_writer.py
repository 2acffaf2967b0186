"""A JSON-lines file that is written completely or not at all; a full disk is reported but does not end the run."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from fltheory.command.output_files import output_file, write_all
from fltheory.model.errors import UserError

Row = dict[str, Any]


class Journal:
    """Rows collect in a temporary file, which replaces the target at the end.

    This also holds if the run ends early with any rows; without rows the target stays unchanged.
    A device or a pipe is written directly. UserError before any work is done if the file is not writable, or is foreign
    without ``force``; later errors are kept for ``raise_if_failed``, and the run goes on.
    """

    def __init__(self, path: Path | None, force: bool = False) -> None:
        self.path, self._place = path, output_file(path, force)
        self._rows: dict[int, Row] = {}
        self._file: FileIO | None = None
        self._part: Path | None = None
        self._kept = 0  # bytes of whole rows in the file
        self._failure = ""
        if self._place is None:
            return
        try:
            if self._place.target is not None:
                self._part = self._place.part()
            self._file = self._place.opened() if self._part is None else FileIO(self._part, "w")
        except OSError as error:
            raise UserError(f"can't write {path}: {error.strerror}") from None

    @property
    def rows(self) -> list[Row]:
        """Return the rows so far, in order."""
        return [self._rows[i] for i in sorted(self._rows)]

    @property
    def rows_by_position(self) -> dict[int, Row]:
        """Return the rows so far by their position."""
        return dict(self._rows)

    def add(self, position: int, row: Row) -> None:
        """Store one row now."""
        self._rows[position] = row
        if self._file is None or self._failure:
            return
        try:
            self._kept += write_all(self._file, _line(row))
        except OSError as error:
            self._failure = _failure(self.path, error)

    @property
    def location_hint(self) -> str:
        """Return a remark for a message about the rows: where they are, or why they are not."""
        return f"; {self._failure or f'they are in {self.path}'}" if self.path else ""

    def raise_if_failed(self) -> None:
        """Raise UserError if the file could not be written, after all other output."""
        if self._failure:
            raise UserError(self._failure)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._file is None:
            return
        with suppress(OSError):
            self._file.close()
        if self._part is None or self._place is None:
            return
        if self._rows or kind is None:
            self._failure = ""  # the disk may have room again
            whole = self._part.with_suffix(".whole")
            try:
                with FileIO(whole, "w") as file:
                    write_all(file, b"".join(map(_line, self.rows)))
                self._place.replace_with(whole)
            except OSError as error:
                self._failure = _failure(self.path, error)
            except UserError as error:  # a foreign file is there by now
                self._failure = str(error)
            with suppress(OSError):
                whole.unlink(missing_ok=True)
        if self._failure and self._kept:
            self._failure += f"; what could be written is in {self._part}"
            with suppress(OSError):
                os.truncate(self._part, self._kept)
            return
        with suppress(OSError):
            self._part.unlink()


def _failure(path: Path | None, error: OSError) -> str:
    return f"can't write {path}: {error.strerror}"


def _line(row: Row) -> bytes:
    """Return the row as a line; non-text file names are escaped, as in JSON."""
    return (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode(errors="backslashreplace")
