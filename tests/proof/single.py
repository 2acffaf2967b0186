"""One step of a theorem asked of the kernel, whatever the others are worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from fltheory.kernel import theorem as kernel
from fltheory.kernel.language.effort import begin
from fltheory.proof import certificates, export, library
from fltheory.proof.language import Assumed, ProofError, Step, Theorem
from fltheory.proof.report import why_unusable


def alone(theorem: Theorem, step: Step, found: Mapping[str, Any]) -> str:
    """Why a step of a recorded paper's theorem, or one changed from it, does not follow from those before it; or nothing."""
    before = theorem.steps[: [s.id for s in theorem.steps].index(step.id)]
    cited = tuple(replace(s, rule=Assumed("as recorded")) for s in before)
    own = replace(theorem, steps=(*cited, step))
    if missing := why_unusable(theorem, step, found, "missing"):
        return missing
    begin()
    try:
        kernel.check_step(read(own, found), step.id, applicable(theorem.paper))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def read(theorem: Theorem, found: Mapping[str, Any]) -> kernel.Theorem:
    """A theorem as the kernel reads it."""
    return kernel.theorem(json.loads(json.dumps(export.theorem_json(theorem, found))))


@lru_cache(maxsize=8)
def applicable(key: str) -> dict[str, kernel.Theorem]:
    """The theorems of a paper, as the kernel reads them."""
    proofs = library.load(key)
    return {t.id: read(t, stored(theorem=t)) for t in proofs.theorems}


def stored(theorem: Theorem) -> Mapping[str, Any]:
    """The stored certificates of a recorded theorem; none where it needs none."""
    try:
        return certificates.load(library.load(theorem.paper).certificates, theorem.id)
    except ProofError:
        return {}
