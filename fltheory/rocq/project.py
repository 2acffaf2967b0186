"""A project folder for Rocq: the semantics, the library, a Makefile, and a file for each theorem or the reason why it has none."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.resources import files
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from fltheory.kernel.language.effort import DEEP, MOST, TooLong, begin
from fltheory.kernel.language.terms import Wrong
from fltheory.kernel.needs import noted
from fltheory.kernel.theorem import Theorem, theorem
from fltheory.rocq.names import Unsupported
from fltheory.rocq.script_text import script_text
from fltheory.rocq.theorem import module_name

SUPPORT_FILES = ("Semantics.v", "Lib.v")
RECURSION_LIMIT = 20_000  # recursion limit for nested terms
MAX_SCRIPT_WORK = 5 * MOST  # work for the script of a theorem
FORMAT = "fltheory proofs 1"
MAKEFILE_HEAD = """COQC ?= coqc
LIMIT ?= 120
.PHONY: all
all: {all}
Semantics.vo: Semantics.v
Lib.vo: Lib.v Semantics.vo
%.vo: %.v
\ttimeout $(LIMIT) $(COQC) -Q . FL $<
"""


@dataclass(frozen=True)
class RocqFile:
    """The text of a theorem's file, or the reason why it has none."""

    paper: str
    name: str
    text: str = ""
    why: str = ""
    applies: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """Return the name of the file without its suffix."""
        return module_name(self.name)


def support_file(name: str) -> str:
    """Return one of the files that all theorems share."""
    return (files("fltheory.rocq") / name).read_text(encoding="utf-8")


def semantics_hash() -> str:
    """Return a hash of the semantics and the printer, which define the statements. Scripts are not part of it."""
    own = Path(__file__).parent
    found = hashlib.sha256()
    for name in ("Semantics.v", "printer.py"):
        found.update((own / name).read_bytes())
    return found.hexdigest()[:16]


def papers_of(value: Any) -> Mapping[str, list[Any]]:
    """Return the papers of an exported file; raise Wrong if it is not one."""
    if not isinstance(value, dict) or value.get("format") != FORMAT or not isinstance(value.get("papers"), dict):
        raise Wrong(f"this is not a file of the format {FORMAT!r}")
    papers: Mapping[str, list[Any]] = value["papers"]
    return papers


def lemmas_of(theorem: Any) -> tuple[str, ...]:
    """Return the theorems that a proof applies."""
    return tuple(sorted({s["rule"]["theorem"] for s in theorem["steps"] if s["rule"]["rule"] == "Apply"}))


def with_lemmas(theorems: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """Return some theorems and all that they apply, recursively."""
    found: set[str] = set()
    stack = list(names)
    while stack:
        name = stack.pop()
        if name not in found and name in theorems:
            found.add(name)
            stack += lemmas_of(theorems[name])
    return found


def scripts(value: Any, wanted: Container[str] | None = None, jobs: int = 1) -> list[RocqFile]:
    """Return a script for every theorem of an exported file, or for those ``wanted``; papers run in parallel."""
    papers = papers_of(value)
    asked = (papers, papers.values(), repeat(wanted))
    if jobs == 1:
        found = list(map(_paper_scripts, *asked))
    else:
        with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
            found = list(pool.map(_paper_scripts, *asked))
    return [w for own in found for w in own]


def _paper_scripts(key: str, theorems: list[Any], wanted: Container[str] | None) -> list[RocqFile]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, RECURSION_LIMIT))
    try:
        return list(_script_files(key, theorems, wanted))
    finally:
        sys.setrecursionlimit(before)


def _script_files(key: str, theorems: list[Any], wanted: Container[str] | None) -> Iterator[RocqFile]:
    known: dict[str, Theorem] = {t["id"]: theorem(t) for t in theorems}
    missing: set[str] = set()
    for one in theorems:
        name = one["id"]
        if wanted is not None and name not in wanted:
            continue
        applies = lemmas_of(one)
        text, why = "", ""
        begin(MAX_SCRIPT_WORK)
        try:
            with noted():  # hypotheses of a normal form: Rocq asks for them again
                text = script_text(one, known[name], known)
        except (Unsupported, Wrong) as error:
            why = str(error)[:200]
        except TooLong:
            why = "to write its script takes too long"
        except DEEP:
            why = "terms within terms too deep"
        except (KeyError, ValueError, IndexError, StopIteration, TypeError, AttributeError) as error:
            why = f"the script stops: {type(error).__name__}"
        blocked = next((a for a in applies if a in missing), None)
        if text and blocked is not None:
            text, why = "", f"it applies {blocked}, which has no script"
        if not text:
            missing.add(name)
        yield RocqFile(key, name, text, why, applies)


def write_files(value: Any, place: Path, wanted: Container[str] | None = None, jobs: int = 1) -> list[RocqFile]:
    """Write all files, or those ``wanted``, into a folder; unchanged ones are not rewritten."""
    place.mkdir(parents=True, exist_ok=True)
    found = scripts(value, wanted, jobs)
    for name in SUPPORT_FILES:
        _write_if_changed(place / name, support_file(name))
    own = [w for w in found if w.text]
    for w in own:
        _write_if_changed(place / f"{w.module}.v", w.text)
    rules = [
        f"{w.module}.vo: {w.module}.v {' '.join(['Lib.vo', *(f'{module_name(a)}.vo' for a in w.applies)])}\n"
        for w in own
    ]
    _write_if_changed(
        place / "Makefile", MAKEFILE_HEAD.format(all=" ".join(f"{w.module}.vo" for w in own)) + "".join(rules)
    )
    _write_if_changed(
        place / "open.json",
        json.dumps({w.name: w.why for w in found if not w.text}, indent=1, ensure_ascii=False) + "\n",
    )
    return found


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
