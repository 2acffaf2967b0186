"""Kinds of steps, by the meaning of their states: a step can replace only one of its own kind.

Samplers, learners and rules have different types. Rounds with the signature ``step(x, oracle, c)`` do not, so an
Algorithm declares its ``kind``; without one it has the kind of the algorithm that it replaces.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fltheory.games.player import Player
from fltheory.runs.algorithm import ITEMS, POINT, ROUND, ROUNDING, SET, Algorithm
from fltheory.runs.measures import DirectMeasure
from fltheory.runs.step_rule import StepRule

KIND_TEXTS = {
    ROUND: "a round of federated learning",
    POINT: "a round that moves a point of a matroid's polytope",
    ITEMS: "a round that adds items to a set",
    SET: "a choice of a set in one round",
    ROUNDING: "a rounding of a point to a set",
    "sampler": "a sampler of clients",
    "learner": "an online learner",
    "rule": "a step-size rule",
}
ROUND_KINDS = (
    ROUND,
    POINT,
    ITEMS,
    SET,
    ROUNDING,
)  # kinds with one signature: a function may declare its kind by an attribute ``kind``
MAX_NAMED_IDS = 3  # largest number of ids in a message


def resolve_kind(algorithm: Any, about: str | None, claim_id: str, measure: Any) -> tuple[Any, str]:
    """Return a claim's algorithm and the kind that the claim is about; ValueError for an algorithm of another kind."""
    if not isinstance(algorithm, Algorithm | Player | StepRule):
        raise ValueError(
            f"{claim_id}: algorithm must be an Algorithm, a Sampler, a Learner or a StepRule, got {algorithm!r}; "
            "put your own step into one by _replace(step=...)"
        )
    if isinstance(measure, DirectMeasure):
        raise ValueError(f"{claim_id} is a statement without an algorithm, so there is nothing to replace")
    about = about or algorithm.kind or ROUND
    if algorithm.kind is None:
        algorithm = algorithm._replace(kind=about)
    if about not in KIND_TEXTS or algorithm.kind not in KIND_TEXTS:
        unknown = about if about not in KIND_TEXTS else algorithm.kind
        raise ValueError(f"{claim_id}: kind {unknown!r}, expected one of {', '.join(KIND_TEXTS)}")
    if algorithm.kind != about:
        hint = ""
        if algorithm.kind == "rule" and about == ROUND:
            made = 'federated_averaging(adaptive_optimiser(rule, "pair"))'
            hint = f": {made} of fltheory.runs.client_optimiser makes a round of a rule"
        raise ValueError(
            f"{claim_id} is about {KIND_TEXTS[about]}, but {algorithm.name} ({type(algorithm).__name__}) is "
            f"{KIND_TEXTS[algorithm.kind]}{hint}"
        )
    return algorithm, about


def format_ids(ids: Iterable[str]) -> str:
    """Format the first few of some ids."""
    names = list(ids)
    return ", ".join(names[:MAX_NAMED_IDS]) + (", ..." if len(names) > MAX_NAMED_IDS else "")
