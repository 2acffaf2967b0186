"""Modules that a user names in ``--variant``: found where Python finds them, and in the current folder."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from fltheory.model.errors import UserError


def import_named(where: str, spec: str) -> Any:
    """Import a module by name or file, with the working directory on the path.

    Parameters
    ----------
    where : str
        ``package.module`` or ``FILE.py``.
    spec : str
        What the user wrote, for messages.

    Returns
    -------
    module
        The module.

    Raises
    ------
    UserError
        If there is no such module, or it fails; the message names the error.
    """
    path = Path(where)
    folder, name = (str(path.resolve().parent), path.stem) if where.endswith(".py") else (str(Path.cwd()), where)
    if where.endswith(".py") and not path.exists():
        raise UserError(f"{spec}: there is no such file")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name.partition(".")[0] or error.name == name:
            raise UserError(f"{spec}: there is no module {name!r} here, nor is one installed") from None
        raise UserError(f"{spec}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UserError(f"{spec}: {type(error).__name__}: {' '.join(str(error).split())}") from None
