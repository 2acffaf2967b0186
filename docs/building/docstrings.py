"""Docstrings are plain sentences here: what reStructuredText would read as markup is escaped, but for ``code``."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"(``.+?``)")


def escaped(line: str) -> str:
    """A line without markup but code."""
    parts = CODE.split(line)
    parts[::2] = [re.sub(r"([\\*|`])", r"\\\1", part).replace("_ ", r"\_ ") for part in parts[::2]]
    return re.sub(r"(\w)_(?=\W|$)", r"\1\\_", "".join(parts)) if "``" not in line else "".join(parts)


def _plain(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [escaped(line) for line in lines]


def setup(app: Sphinx) -> dict[str, bool]:
    """Before numpydoc looks for sections."""
    app.connect("autodoc-process-docstring", _plain, priority=100)
    return {"parallel_read_safe": True}
