"""Check of a folder's files by ``coqc``, several at once, and of the axioms that each theorem uses."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from fltheory.rocq.project import RocqFile

# Axioms that every theorem may use: classical reals of the standard library, and functional extensionality.
AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
BATCH, MARK = 25, "next theorem:"
MACHINE_AXIOMS = (
    "PrimInt63",
    "PrimFloat",
    "Uint63",
    "FloatAxioms",
    "FloatOps",
    "Sint63",
)  # of interval arithmetic, which Ball uses


@dataclass(frozen=True)
class RocqResult:
    """Rocq's result for a theorem: whether it is ``closed``, else the reason, with the seconds and the axioms used."""

    name: str
    closed: bool
    why: str = ""
    seconds: float = 0.0
    rests_on: tuple[str, ...] = ()


def version() -> str:
    """Return the version of ``coqc``; an empty string if it is not installed."""
    if shutil.which("coqc") is None:
        return ""
    told = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=True).stdout
    return told.split()[0]


def compile_file(place: Path, name: str, limit: float) -> tuple[str, float]:
    """Return (reason for rejection, seconds) of one file."""
    began = time.monotonic()
    try:
        told = subprocess.run(
            ["coqc", "-Q", ".", "FL", f"{name}.v"],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"more than {limit:g} s", time.monotonic() - began
    seconds = time.monotonic() - began
    if told.returncode == 0:
        return "", seconds
    return failure_reason(place / f"{name}.v", told.stderr), seconds


def failure_reason(path: Path, told: str) -> str:
    """Return the step at which a script fails, with Rocq's message."""
    found = re.search(r"line (\d+)", told)
    step = ""
    if found:
        lines = path.read_text(encoding="utf-8").split("\n")[: int(found[1])]
        step = next((text.strip("(*) ") for text in reversed(lines) if text.startswith("(*")), "")
    error = told[told.find("Error:") + 6 :].strip().split("\n")[0][:100]
    return f"{step}: {error}"


def check_files(
    place: Path, written: Iterable[RocqFile], jobs: int = 1, limit: float = 120.0, in_all: float = math.inf
) -> list[RocqResult]:
    """Check every theorem that has a file, after those that it applies; after ``in_all`` seconds no further check starts."""
    began = time.monotonic()
    for name in ("Semantics", "Lib"):
        why, _ = compile_file(place, name, 600.0)
        if why:
            raise RuntimeError(f"{name}.v is not accepted: {why}")
    own = list(written)
    found: dict[str, RocqResult] = {w.name: RocqResult(w.name, False, w.why) for w in own if not w.text}
    waiting = [w for w in own if w.text]
    running: dict[Future[tuple[str, float]], RocqFile] = {}
    with ThreadPoolExecutor(max(jobs, 1)) as pool:
        while waiting or running:
            if time.monotonic() - began > in_all:
                waiting = []
            for w in list(waiting):
                if not all(a in found for a in w.applies):
                    continue
                waiting.remove(w)
                blocked = next((a for a in w.applies if not found[a].closed), None)
                if blocked is not None:
                    found[w.name] = RocqResult(w.name, False, f"it applies {blocked}, which is open")
                    break
                running[pool.submit(compile_file, place, w.module, limit)] = w
            else:
                if not running and waiting:
                    raise RuntimeError(f"{waiting[0].name} applies what is not there")
            done, _ = wait(running, timeout=1.0, return_when=FIRST_COMPLETED) if running else (set(), None)
            for one in done:
                w = running.pop(one)
                why, seconds = one.result()
                found[w.name] = RocqResult(w.name, not why, why, seconds)
    own = [w for w in own if w.name in found]
    axioms = print_assumptions(place, [w for w in own if found[w.name].closed])
    return [_with_axioms(found[w.name], axioms.get(w.name, frozenset())) for w in own]


def foreign_axioms(axioms: Iterable[str]) -> list[str]:
    """Return axioms that no theorem may use."""
    return sorted(a for a in set(axioms) - AXIOMS if a.split(".")[0] not in MACHINE_AXIOMS)


def _with_axioms(own: RocqResult, axioms: frozenset[str]) -> RocqResult:
    more = foreign_axioms(axioms)
    if own.closed and more:
        return RocqResult(own.name, False, f"it rests on {more[0]}", own.seconds, tuple(sorted(axioms)))
    return RocqResult(own.name, own.closed, own.why, own.seconds, tuple(sorted(axioms)))


def print_assumptions(place: Path, closed: Iterable[RocqFile]) -> Mapping[str, frozenset[str]]:
    """Return the answers to ``Print Assumptions`` by theorem; one process answers for many, each answer after its name."""
    own, found = list(closed), dict[str, frozenset[str]]()
    for start in range(0, len(own), BATCH):
        group = own[start : start + BATCH]
        asked = (
            f'Goal True. idtac "{MARK} {w.module}". exact I. Qed.\nPrint Assumptions {w.module}.proved.\n'
            for w in group
        )
        text = "".join(f"From FL Require {w.module}.\n" for w in group) + "".join(asked)
        (place / "Asked.v").write_text(text, encoding="utf-8")
        told = subprocess.run(
            ["coqc", "-Q", ".", "FL", "Asked.v"], cwd=place, capture_output=True, text=True, check=False
        ).stdout
        said = dict(part.split("\n", 1) for part in told.split(f"{MARK} ")[1:])
        for w in group:
            if w.module not in said:
                raise RuntimeError(f"Print Assumptions says nothing of {w.name}")
            found[w.name] = read_assumptions(said[w.module])
    return found


def read_assumptions(told: str) -> frozenset[str]:
    """Return the names in the answer to ``Print Assumptions``."""
    _, axioms, rest = told.partition("Axioms:")
    names = re.findall(r"^([A-Za-z_][\w.']*)\s*(?::|$)", rest, flags=re.MULTILINE)
    return frozenset(names) if axioms else frozenset()
