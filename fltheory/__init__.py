"""Verify the theorems of federated and online learning: is a bound true, how tight is it, where is it vacuous?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "IT": "claims.statement",
    "Algorithm": "runs.algorithm",
    "Assumption": "model.case",
    "Bound": "model.bound",
    "Case": "model.case",
    "Claim": "claims.claim",
    "Learner": "games.player",
    "Measured": "evidence.measured",
    "Sampler": "games.player",
    "Source": "model.bound",
    "StepRule": "runs.step_rule",
    "Verdict": "evidence.verdict",
    "bounds_at": "api.bounds",
    "catalogue": "claims.catalogue",
    "check": "claims.claim",
    "declare": "symbols",
    "falsify": "search.falsifier",
    "find": "verification",
    "plot": "plotting.plot",
    "proofs": "api.proofs",
    "report": "reports",
    "rollout": "runs.algorithm",
    "select": "api.lookup",
    "sharpen": "search.tightness.tightness",
    "show": "api.show",
    "sweep": "command.sweeps",
    "theorem": "claims.user_theorems",
    "verify": "verification",
    "worst": "api.worst",
    "worst_ratio": "worst_case.set_functions",
}

if TYPE_CHECKING:
    from fltheory.api.bounds import bounds_at
    from fltheory.api.lookup import select
    from fltheory.api.proofs import proofs
    from fltheory.api.show import show
    from fltheory.api.worst import worst
    from fltheory.claims.catalogue import catalogue
    from fltheory.claims.claim import Claim, check
    from fltheory.claims.statement import IT
    from fltheory.claims.user_theorems import theorem
    from fltheory.command.sweeps import sweep
    from fltheory.evidence.measured import Measured
    from fltheory.evidence.verdict import Verdict
    from fltheory.games.player import Learner, Sampler
    from fltheory.model.bound import Bound, Source
    from fltheory.model.case import Assumption, Case
    from fltheory.plotting.plot import plot
    from fltheory.reports import report
    from fltheory.runs.algorithm import Algorithm, rollout
    from fltheory.runs.step_rule import StepRule
    from fltheory.search.falsifier import falsify
    from fltheory.search.tightness.tightness import sharpen
    from fltheory.symbols import declare
    from fltheory.verification import find, verify
    from fltheory.worst_case.set_functions import worst_ratio

__all__ = [
    "IT",
    "Algorithm",
    "Assumption",
    "Bound",
    "Case",
    "Claim",
    "Learner",
    "Measured",
    "Sampler",
    "Source",
    "StepRule",
    "Verdict",
    "bounds_at",
    "catalogue",
    "check",
    "declare",
    "falsify",
    "find",
    "plot",
    "proofs",
    "report",
    "rollout",
    "select",
    "sharpen",
    "show",
    "sweep",
    "theorem",
    "verify",
    "worst",
    "worst_ratio",
]


def __getattr__(name: str) -> Any:
    """Import public names on first use: ``import fltheory`` stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'fltheory' has no attribute {name!r}")
    import importlib

    return vars(importlib.import_module(f"fltheory.{_HOME[name]}"))[name]
