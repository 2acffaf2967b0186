"""Inputs as their users wrote them, loaded by their place beside this file: names of files that are no names of modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def loaded(path: str) -> ModuleType:
    """The module of a file below this folder."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, HERE / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
