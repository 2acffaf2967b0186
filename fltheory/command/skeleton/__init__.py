"""The skeleton of a new paper: a package with a theorem, its proof and a test, all of which pass."""

from __future__ import annotations

import keyword
import os
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from fltheory.claims.plugins import BUILTIN_KEYS, ENTRY_POINT_GROUP
from fltheory.model.errors import UserError

PLACEHOLDER = "mypaper"
TEMPLATES = Path(__file__).parent
# destination of each template in the new folder
TEMPLATE_TARGETS = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "mypaper/__init__.py": "__init__.py.txt",
    "mypaper/claims.py": "claims.py.txt",
    "mypaper/proofs.py": "proofs.py.txt",
    "tests/test_mypaper.py": "test.py.txt",
}


def write_skeleton(name: str, where: Path) -> tuple[Path, ...]:
    """Write the skeleton into the new folder ``where / name`` and return its files; UserError for an unusable name."""
    folder = where / name
    if name and os.path.lexists(folder):
        raise UserError(f"there is a {name} in this folder already: nothing is overwritten")
    require_valid_name(name)
    written = []
    try:
        folder.mkdir()
        for place, template in TEMPLATE_TARGETS.items():
            path = folder / place.replace(PLACEHOLDER, name)
            path.parent.mkdir(exist_ok=True)
            text = (TEMPLATES / template).read_text(encoding="utf-8")
            path.write_text(text.replace(PLACEHOLDER, name), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise UserError(f"can't write {error.filename or folder}: {error.strerror}") from None
    return tuple(written)


def require_valid_name(name: str) -> None:
    """Raise UserError unless the name can be that of a package, a key and a project."""
    if name in BUILTIN_KEYS or name in (point.name for point in entry_points(group=ENTRY_POINT_GROUP)):
        raise UserError(f"the key {name!r} is taken by another paper")
    plain = name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
    if not plain or name != name.strip("_"):
        raise UserError(f"a paper can't be called {name!r}: expected a name that Python can import, such as mypaper")
    if name in sys.stdlib_module_names or find_spec(name) is not None:
        raise UserError(f"there is a package {name!r} already, which the new one would hide")
