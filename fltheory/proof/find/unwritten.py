"""The search for weights of combinations that omit them, if the sum of the relations does not prove the line."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from fltheory.proof import language as lang
from fltheory.proof.algebra.residual import step_context
from fltheory.proof.check import check_theorem
from fltheory.proof.language import Step, Theorem
from fltheory.proof.report import Report
from fltheory.proof.tactics.stored import Weights, has_no_weights, with_weights
from fltheory.proof.tactics.weights import find_weights


def with_found_weights(
    theorem: Theorem, earlier: Mapping[str, Report] | None = None, stored: Collection[str] = ()
) -> tuple[Theorem, dict[str, Weights]]:
    """Return the theorem with weights for the lines that lack them, and the found weights by step.

    ``stored`` names the steps whose weights come from an earlier search: they are searched again if they fail. If no valid weights
    are found, a step gets weights of any sign that would give the claim (not returned among the found ones), so that the report
    names the missing sign; else it is unchanged, and the report shows the difference of the sides.
    """
    unwritten = {s.id for s in theorem.steps if has_no_weights(s) and (s.uses or s.assuming)} | set(stored)
    if not unwritten:
        return theorem, {}
    found, wrong = dict[str, Weights](), dict[str, Weights]()
    for told in check_theorem(theorem, {}, earlier).steps:
        step = told.step
        if step.id not in unwritten or told.outcome == "PROVED" or step.recorded != "PROVED":
            continue
        if weights := _weights_of(theorem, step):
            found[step.id] = weights
        elif weights := _search(theorem, step, signs=False):
            wrong[step.id] = weights
    put = {**found, **wrong}
    steps = tuple(with_weights(s, put[s.id]) if s.id in put else s for s in theorem.steps)
    return replace(theorem, steps=steps), found


def _weights_of(theorem: Theorem, step: Step) -> Weights | None:
    """Return weights with which the kernel accepts the step on its own, or None."""
    weights = _search(theorem, step)
    if not weights:
        return None
    others = (s if s.id == step.id else replace(s, rule=lang.Assumed("not checked")) for s in theorem.steps)
    alone = tuple(with_weights(s, weights) if s.id == step.id else s for s in others)
    (told,) = (s for s in check_theorem(replace(theorem, steps=alone), {}).steps if s.step.id == step.id)
    return weights if told.outcome == "PROVED" else None


def _search(theorem: Theorem, step: Step, signs: bool = True) -> Weights | None:
    try:
        context = step_context(theorem, step)
        return find_weights(context, context.used, signs)
    except Exception:  # a malformed line, or one that uses a missing line: the check reports why
        return None
