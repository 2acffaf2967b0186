"""What is recorded of a paper's claims, ``fltheory/papers/<key>/recorded.json``: worst ratio, evidence, proof.

``python -m tests.indexes`` writes it with the paper's page, from runs and from the proofs; tests/indexes keeps it true.
To read it nothing is run, and no proof is loaded.
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
    """Of one claim: the worst ratio over its cases and the kinds of evidence, empty where there are none; its proof in words."""

    worst: str
    evidence: str
    proof: tuple[str, ...]


def results_path(key: str) -> Path:
    """The file of a paper."""
    return PAPERS / key / "recorded.json"


@cache
def recorded_results(key: str) -> Mapping[str, RecordedResult]:
    """What is recorded of each claim of a paper, by its id; nothing of a paper from outside."""
    if not results_path(key).is_file():
        return {}
    found = json.loads(results_path(key).read_text(encoding="utf-8"))
    return {name: RecordedResult(one["worst"], one["evidence"], tuple(one["proof"])) for name, one in found.items()}


def results_as_json(found: Mapping[str, RecordedResult]) -> str:
    """The file of a paper, a line for each claim."""
    lines = (f"{json.dumps(name)}: {json.dumps(asdict(one), ensure_ascii=False)}" for name, one in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
