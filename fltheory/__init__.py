"""Verify the theorems of federated and online learning: is a bound true, how tight is it, where is it vacuous?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "IT": "statement",
    "Algorithm": "runs.algorithm",
    "Assumption": "case",
    "Bound": "bound",
    "Case": "case",
    "Claim": "claim",
    "Learner": "games.player",
    "Measured": "evidence.measured",
    "Sampler": "games.player",
    "Source": "bound",
    "StepRule": "runs.step_rule",
    "Verdict": "evidence.verdict",
    "bounds_at": "questions.bounds",
    "catalogue": "papers",
    "check": "claim",
    "declare": "symbols",
    "falsify": "search.falsifier",
    "find": "known",
    "plot": "pictures.plot",
    "proofs": "questions.proofs",
    "report": "reports",
    "rollout": "runs.algorithm",
    "select": "questions.lookup",
    "sharpen": "sharpening.sharpen",
    "show": "questions.page",
    "sweep": "command.sweeps",
    "theorem": "papers.own",
    "verify": "known",
    "worst": "questions.worst",
    "worst_ratio": "worst_case.set_functions",
}

if TYPE_CHECKING:
    from fltheory.bound import Bound, Source
    from fltheory.case import Assumption, Case
    from fltheory.claim import Claim, check
    from fltheory.command.sweeps import sweep
    from fltheory.evidence.measured import Measured
    from fltheory.evidence.verdict import Verdict
    from fltheory.games.player import Learner, Sampler
    from fltheory.known import find, verify
    from fltheory.papers import catalogue
    from fltheory.papers.own import theorem
    from fltheory.pictures.plot import plot
    from fltheory.questions.bounds import bounds_at
    from fltheory.questions.lookup import select
    from fltheory.questions.page import show
    from fltheory.questions.proofs import proofs
    from fltheory.questions.worst import worst
    from fltheory.reports import report
    from fltheory.runs.algorithm import Algorithm, rollout
    from fltheory.runs.step_rule import StepRule
    from fltheory.search.falsifier import falsify
    from fltheory.sharpening.sharpen import sharpen
    from fltheory.statement import IT
    from fltheory.symbols import declare
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
