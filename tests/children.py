"""Processes of their own that tests start: what they are told, and what they are not."""

from __future__ import annotations

import os
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KNOWN = any(point.value == "fltheory.command.pytest_plugin" for point in entry_points(group="pytest11"))
PLUGIN = () if KNOWN else ("-p", "fltheory.command.pytest_plugin")  # the environment may be older than the plugin


def environment(*found_first: Path) -> dict[str, str]:
    """That of a child which imports from these folders, then from here: no papers and no options are taken along."""
    named = {k: v for k, v in os.environ.items() if k not in ("FLTHEORY_PAPERS", "PYTEST_ADDOPTS")}
    return {**named, "PYTHONPATH": os.pathsep.join(map(str, (*found_first, ROOT)))}
