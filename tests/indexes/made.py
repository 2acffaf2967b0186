"""Where claims and theorems are written down: the calls that lead to each, watched while the papers are loaded."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from fltheory.claims.claim import Claim
from fltheory.proof.language import Theorem
from tests.indexes.page import READING, ROOT, WHOLE, code_of, named, states

Call = tuple[Path, int, int]  # a file and the lines of a call in it
BESIDE = READING - 1
PAPERS = ROOT / "fltheory" / "papers"


def watch(kind: type[Claim] | type[Theorem], folder: Path, made: dict[str, list[list[Call]]]) -> None:
    """From now on each new object of a class is noted in ``made``, by its id: the calls in a folder, the innermost first."""
    begin: Callable[..., None] = kind.__init__

    def noted(self: Claim | Theorem, *given: object, **more: object) -> None:
        begin(self, *given, **more)
        made.setdefault(self.id, []).append(list(calls(folder)))

    type.__setattr__(kind, "__init__", noted)


def calls(folder: Path) -> Iterator[Call]:
    """The calls in progress in the files of a folder, the innermost first, up to the first file's top level."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(folder):
            first, last, _, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
            yield path, first or 1, last or first or 1
            if frame.f_code.co_name == "<module>":  # beyond it there are imports
                return
        frame = frame.f_back


def states_claims(path: Path, own: Path) -> bool:
    """Whether a file of a paper states claims: ``claims.py`` of a part, or a file in its folder ``claims``."""
    return path.is_relative_to(own) and "claims" in path.relative_to(own).with_suffix("").parts


def line_of(claim: Claim, made: dict[str, list[list[Call]]]) -> str:
    """``file:line`` that states a claim best: in the calls that made it, or where their files have its whole id."""
    own = PAPERS / claim.paper
    made_by = [call for chain in made[claim.id] for call in chain if states_claims(call[0], own)]
    within = [(states(p, i, claim.id), p, i) for p, a, b in made_by for i in range(a, b + 1)]
    files = dict.fromkeys(path for path, _, _ in made_by)
    beside = [(BESIDE, p, i) for p in files for i, s in enumerate(code_of(p), 1) if named(s, claim.id) == WHOLE]
    score, path, number = max((*within, *beside), key=lambda found: found[0])
    if not score:
        raise LookupError(f"no line names {claim.id}")
    return f"{path.relative_to(own)}:{number}"


def file_of(theorem: str, made: dict[str, list[list[Call]]]) -> str:
    """The file whose top level makes a theorem."""
    (path, _, _) = made[theorem][0][-1]
    return str(path.relative_to(PAPERS / theorem.partition("/")[0]))


def watch_all() -> tuple[dict[str, list[list[Call]]], dict[str, list[list[Call]]]]:
    """Watch claims and theorems; nothing of the papers may have been loaded before."""
    if any(name.startswith("fltheory.papers.sfl.") for name in sys.modules):
        raise RuntimeError("the papers are loaded already: nothing could be watched")
    claims: dict[str, list[list[Call]]] = {}
    theorems: dict[str, list[list[Call]]] = {}
    watch(Claim, PAPERS, claims)
    watch(Theorem, PAPERS, theorems)
    return claims, theorems
