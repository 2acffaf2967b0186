"""The text of a theorem's file: its plain lemma, the script that proves it, and the theorem as stated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fltheory.kernel.context import of_kind
from fltheory.kernel.language.effort import begin
from fltheory.kernel.language.lines import Definition
from fltheory.kernel.language.terms import fresh, put, slots
from fltheory.kernel.needs import noted
from fltheory.kernel.theorem import Theorem
from fltheory.rocq import printer
from fltheory.rocq.names import Names, Unsupported
from fltheory.rocq.scripts.rules import RULES
from fltheory.rocq.scripts.script import Script
from fltheory.rocq.theorem import environment_values, lemma_hypothesis, module_name, parameters


def _is_total(d: Definition) -> bool:
    """Return whether a definition's values have its family's sort at all real indices, as ``Semantics.v`` assumes.

    An environment that satisfies it at integers then extends to one that does so elsewhere: the statement is as strong.
    """
    if not slots(d.left) or d.left.vector:
        return True
    with noted() as needs:
        fitting = of_kind(d.left.args[0], put(d.right, {s: fresh(s, "real") for s in slots(d.left)}))
    return fitting and not needs


def script_text(value: Mapping[str, Any], own: Theorem, earlier: Mapping[str, Theorem]) -> str:
    """Return the text of a theorem's file; Unsupported if the scripts cannot express it."""
    begin()
    names = Names()
    if own.refuted:
        raise Unsupported("a refutation")
    for h in own.hypotheses.values():
        if isinstance(h, Definition) and not _is_total(h):
            raise Unsupported(f"the definition {h.name}, whose values are of their sort at integers alone")
    script = Script(own, earlier, names, RULES)
    binders, sorts = parameters(own, names)
    hypotheses = [lemma_hypothesis(h, names) for h in own.hypotheses.values()]
    head = f"Lemma plain : forall {' '.join(binders)},\n" + "".join(
        f"  ({p}) ->\n" for p in [s for _, s in sorts] + hypotheses
    )
    goal = f"  {names.line(own.statement)}."
    body = script.proof(binders, sorts)
    deps = sorted({module_name(s.rule["theorem"]) for s in own.steps if s.kind == "Apply"})
    args, proofs = environment_values(own, names)
    held = [f"h{i}" for i in range(len(hypotheses))]
    opened = f"destruct H as ({' & '.join([*held, '_'])})." if held else ""
    deep = printer.statement(value)
    return (
        f"(* {own.name.replace('(*', '( *').replace('*)', '* )')} *)\n"
        "From FL Require Import Lib.\n"
        + ("From Interval Require Import Tactic.\n" if "interval" in body else "")
        + "".join(f"From FL Require {d}.\n" for d in deps)
        + f"\n{head}{goal}\nProof.\n{body}\nQed.\n\n"
        f"Theorem proved : {deep}.\nProof.\n  intros M e W H. {opened}\n"
        f"  exact (plain {' '.join([*args, *proofs, *held])}).\nQed.\n"
    )
