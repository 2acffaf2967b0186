"""Stored results of a paper's claims, ``fltheory/papers/<key>/recorded.json``: worst ratio, evidence, proof.

``python -m tests.indexes`` writes it with the paper's page, from runs and proofs; tests/indexes checks that it is
current. Reading it runs nothing and loads no proof.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

PAPERS = Path(__file__).parent.parent / "papers"


@dataclass(frozen=True)
class RecordedResult:
    """The results for a claim: the worst ratio over its cases, kinds of evidence, and its proof in words."""

    worst: str
    evidence: str
    proof: tuple[str, ...]


def results_path(key: str) -> Path:
    """Return the file of a paper."""
    return PAPERS / key / "recorded.json"


@cache
def recorded_results(key: str) -> Mapping[str, RecordedResult]:
    """Return the stored results of a paper's claims by id; nothing for the paper of a plugin."""
    if not results_path(key).is_file():
        return {}
    found = json.loads(results_path(key).read_text(encoding="utf-8"))
    return {name: RecordedResult(one["worst"], one["evidence"], tuple(one["proof"])) for name, one in found.items()}


def results_as_json(found: Mapping[str, RecordedResult]) -> str:
    """Return the content of a paper's file, one line for each claim."""
    lines = (f"{json.dumps(name)}: {json.dumps(asdict(one), ensure_ascii=False)}" for name, one in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
