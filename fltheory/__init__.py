"""Verify the theorems of federated and online learning: is a bound true, how tight is it, where is it vacuous?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_MODULE_OF = {
    "Algorithm": "runs.algorithm",
    "Assumption": "model.case",
    "Bound": "model.bound",
    "Case": "model.case",
    "Claim": "claims.claim",
    "Learner": "games.player",
    "Sampler": "games.player",
    "StepRule": "runs.step_rule",
    "Verdict": "evidence.verdict",
    "catalogue": "claims.catalogue",
    "declare": "symbols",
    "falsify": "search.falsifier",
    "find": "verification",
    "plot": "plotting.plot",
    "prove": "proving",
    "quantity": "claims.statement",
    "show": "api.show",
    "sweep": "command.sweeps",
    "theorem": "claims.user_theorems",
    "verify": "verification",
    "worst": "api.worst",
}

if TYPE_CHECKING:
    from fltheory.api.show import show
    from fltheory.api.worst import worst
    from fltheory.claims.catalogue import catalogue
    from fltheory.claims.claim import Claim
    from fltheory.claims.statement import quantity
    from fltheory.claims.user_theorems import theorem
    from fltheory.command.sweeps import sweep
    from fltheory.evidence.verdict import Verdict
    from fltheory.games.player import Learner, Sampler
    from fltheory.model.bound import Bound
    from fltheory.model.case import Assumption, Case
    from fltheory.plotting.plot import plot
    from fltheory.proving import prove
    from fltheory.runs.algorithm import Algorithm
    from fltheory.runs.step_rule import StepRule
    from fltheory.search.falsifier import falsify
    from fltheory.symbols import declare
    from fltheory.verification import find, verify

__all__ = [
    "Algorithm",
    "Assumption",
    "Bound",
    "Case",
    "Claim",
    "Learner",
    "Sampler",
    "StepRule",
    "Verdict",
    "catalogue",
    "declare",
    "falsify",
    "find",
    "plot",
    "prove",
    "quantity",
    "show",
    "sweep",
    "theorem",
    "verify",
    "worst",
]


def __getattr__(name: str) -> Any:
    """Import public names on first use: ``import fltheory`` stays fast."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'fltheory' has no attribute {name!r}")
    import importlib

    return vars(importlib.import_module(f"fltheory.{_MODULE_OF[name]}"))[name]
