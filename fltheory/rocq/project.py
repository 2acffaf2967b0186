"""A folder that Rocq checks: the semantics, the library, a file for each theorem, a Makefile, and why the others have none."""

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
from fltheory.rocq.theorem import module_name, script_text

SUPPORT_FILES = ("Semantics.v", "Lib.v")
RECURSION_LIMIT = 20_000  # terms within terms, as Python counts its calls
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
    """What came of a theorem: the text of its file, or why there is none."""

    paper: str
    name: str
    text: str = ""
    why: str = ""
    applies: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """The name of its file, without the ending."""
        return module_name(self.name)


def support_file(name: str) -> str:
    """One of the files that are the same for all theorems."""
    return (files("fltheory.rocq") / name).read_text(encoding="utf-8")


def semantics_hash() -> str:
    """A hash of what says what a statement means: the semantics and the printer. How a proof was found is no part of it."""
    own = Path(__file__).parent
    found = hashlib.sha256()
    for name in ("Semantics.v", "printer.py"):
        found.update((own / name).read_bytes())
    return found.hexdigest()[:16]


def papers_of(value: Any) -> Mapping[str, list[Any]]:
    """The papers of an exported file; Wrong where it is none."""
    if not isinstance(value, dict) or value.get("format") != FORMAT or not isinstance(value.get("papers"), dict):
        raise Wrong(f"this is no file of the format {FORMAT!r}")
    papers: Mapping[str, list[Any]] = value["papers"]
    return papers


def lemmas_of(theorem: Any) -> tuple[str, ...]:
    """The theorems that a proof applies."""
    return tuple(sorted({s["rule"]["theorem"] for s in theorem["steps"] if s["rule"]["rule"] == "Apply"}))


def with_lemmas(theorems: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """Some theorems and all that they apply, those applied by these too."""
    found: set[str] = set()
    stack = list(names)
    while stack:
        name = stack.pop()
        if name not in found and name in theorems:
            found.add(name)
            stack += lemmas_of(theorems[name])
    return found


def scripts(value: Any, wanted: Container[str] | None = None, jobs: int = 1) -> list[RocqFile]:
    """Every theorem of an exported file in its order, or those that are ``wanted``; papers side by side."""
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
            with noted():  # what a normal form supposes: Rocq asks for it again
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
    """Writes all files, or those that are ``wanted``, into a folder; one that is there and says the same is left as it is."""
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
