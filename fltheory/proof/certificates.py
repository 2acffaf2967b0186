"""Certificates: the data that the search for a proof leaves for its check. JSON, one file per theorem.

A file holds, for each step that needs one, the hash of its statement and the certificate; numbers are strings.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import sympy
from sympy import Expr

import fltheory
from fltheory.model.dataclass_fields import field_values
from fltheory.proof import terms
from fltheory.proof.language import ProofError, Step, Theorem

_NUMBERS = ("Integer", "Rational", "Symbol", "Add", "Mul", "Pow")
_FUNCTIONS = ("exp", "log", "sin", "cos", "Max", "Min", "Abs", "floor", "binomial")
_TERMS = (
    "Vector",
    "RandomVector",
    "Scalar",
    "Nonnegative",
    "RandomScalar",
    "RandomNonnegative",
    "Positive",
    "RandomPositive",
    "RandomInteger",
    "Fun",
    "Draw",
    "Grad",
    "Val",
    "Dot",
    "E",
    "Indicator",
    "Total",
)
_CONSTRUCTORS = {n: vars(sympy)[n] for n in (*_NUMBERS, *_FUNCTIONS)} | {n: vars(terms)[n] for n in _TERMS}


@lru_cache(maxsize=5000)
def parse(text: str) -> Expr:
    """Return the term of a string written by ``serialize``; nothing but terms can be read."""
    try:
        return _build(ast.parse(text, mode="eval").body)
    except (SyntaxError, TypeError, ValueError, AttributeError) as error:
        raise ProofError(f"not a term: {text[:80]!r} ({error})") from error


def _build(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | str | bool):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_build(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CONSTRUCTORS:
        options = {k.arg: _build(k.value) for k in node.keywords if k.arg}
        return _CONSTRUCTORS[node.func.id](*(_build(a) for a in node.args), **options)
    raise ValueError(f"{ast.unparse(node)} is not allowed")


def serialize(expr: Expr) -> str:
    """Return the term as a string that ``parse`` reads back."""
    text = str(sympy.srepr(sympy.sympify(expr)))
    if (read := parse(text)) != expr and sympy.expand(read - expr) != 0:
        raise ProofError(f"{expr} cannot be serialised")
    return text


BESIDE_THE_STATEMENT = ("why", "supposed", "member")  # of a hypothesis: they say why and of what, not what it states


def moved(theorem: Theorem, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the certificates of a theorem's steps with the hashes that they have in this theorem."""
    steps = (s for s in theorem.steps if s.id in found)
    return {s.id: {**found[s.id], "hash": fingerprint(theorem, s)} for s in steps}


def fingerprint(theorem: Theorem, step: Step) -> str:
    """Return the hash of everything to which a step's certificate refers: its claim, its rule and what it uses."""
    named = {h.id: h for h in theorem.hypotheses} | {s.id: s.claim for s in theorem.steps}
    parts = [step.claim, step.rule, step.assuming, *((u, named.get(u)) for u in (*step.uses, *step.by))]
    return hashlib.sha256("\n".join(map(canonical_text, parts)).encode()).hexdigest()


def canonical_text(value: object) -> str:
    """Return data of the proof language as one string."""
    if isinstance(value, sympy.Basic):
        return str(sympy.srepr(value))
    if isinstance(value, tuple):
        return "(" + ",".join(map(canonical_text, value)) + ")"
    if is_dataclass(value):
        fields = (
            f"{n}={canonical_text(part)}" for n, part in field_values(value).items() if n not in BESIDE_THE_STATEMENT
        )
        return f"{type(value).__name__}({','.join(fields)})"
    return repr(value)


def recorded_files() -> Path:
    """Return the folder of the stored results of the papers' proofs: certificates, models, the record of Rocq.

    In a checkout it is ``proofs_checks``; a wheel contains the files in the package.
    """
    package = Path(fltheory.__file__).parent
    installed = package / "recorded"
    return installed if installed.is_dir() else package.parent / "proofs_checks"


def path_of(folder: Path, theorem_id: str) -> Path:
    """Return the file of a theorem's certificates."""
    return folder / (theorem_id.replace("/", "_").replace("*", "star") + ".json")


def load(folder: Path, theorem_id: str) -> dict[str, Any]:
    """Return the certificates of a theorem by step; empty if there is no file. ProofError names a broken file."""
    path = path_of(folder, theorem_id)
    if not path.exists():
        return {}
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ProofError(f"{path.name} is not a readable certificate file: {error}") from error
    if not isinstance(data, dict) or data.get("theorem") != theorem_id or not isinstance(data.get("steps"), dict):
        raise ProofError(f"{path.name} does not hold the certificates of {theorem_id}")
    return data["steps"]


def save(folder: Path, theorem_id: str, steps: Mapping[str, Any]) -> None:
    """Write a theorem's certificates atomically; without any, there is no file."""
    path = path_of(folder, theorem_id)
    if not steps:
        path.unlink(missing_ok=True)
        return
    write_json(path, {"theorem": theorem_id, "steps": dict(steps)}, indent=1)


def write_json(path: Path, value: object, indent: int) -> None:
    """Write a file of recorded data atomically: it is there as a whole, or as it was before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=indent, ensure_ascii=False)
        file.write("\n")
    os.chmod(name, 0o644)
    os.replace(name, path)
