"""Where a report comes from: date, version and commit of the library, and the profile and seed of the run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import fltheory
from fltheory.reports.results import Result

CHECKOUT = Path(fltheory.__file__).resolve().parents[1]


def origin_of(results: Iterable[Result], made: date, checkout: Path = CHECKOUT) -> tuple[tuple[str, str], ...]:
    """Return names and values for the head of a report, without what is unknown.

    Args: ``results`` of the run; ``made``, the day of the report; ``checkout``, the folder with the sources.
    """
    known = tuple(results)
    profiles = sorted({result.profile for result in known if result.profile})
    seeds = sorted({result.seed for result in known if result.seed is not None})
    found = (
        ("Date", made.isoformat()),
        ("fltheory", fltheory.__version__),
        ("Commit", commit_of(checkout)),
        ("Profile", ", ".join(profiles)),
        ("Seed", ", ".join(map(str, seeds))),
    )
    return tuple((name, value) for name, value in found if value)


def commit_of(checkout: Path) -> str:
    """Return the commit of a git checkout, with "changed" after it if files differ from it.

    Return "" if the folder is not the top of a checkout: an installed library has no commit.
    """
    if not (checkout / ".git").exists():
        return ""
    commit = _git(checkout, "rev-parse", "--short=12", "HEAD")
    changed = commit and _git(checkout, "status", "--porcelain", "--untracked-files=no")
    return f"{commit}, changed" if changed else commit


def _git(checkout: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *arguments], capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
