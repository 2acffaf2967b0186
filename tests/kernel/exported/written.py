"""Theorems written down by hand as a file says them, and what the kernel says of them."""

from __future__ import annotations

import json
from typing import Any

from fltheory.kernel.theorem import Verdict, recheck

x, y, n = ["symbol", "x", "real"], ["symbol", "y", "real"], ["symbol", "n", "from 1"]
z, p = ["symbol", "z", "nonnegative"], ["symbol", "p", "positive"]
i = ["symbol", "i", "integer"]


def line(left: Any, op: str, right: Any, *over: Any) -> dict[str, Any]:
    """A line, over ranges."""
    return {"left": left, "op": op, "right": right, "over": list(over)}


def given(name: str, left: Any, op: str, right: Any) -> dict[str, Any]:
    """A hypothesis."""
    return {"id": name, "kind": "given", "relation": line(left, op, right)}


def step(name: str, claim: Any, rule: Any, *uses: str, by: Any = (), refuted: bool = False) -> dict[str, Any]:
    """A step under no assumption."""
    own = {"by": list(by), "assuming": [], "refuted": refuted}
    return {"id": name, "claim": claim, "rule": rule, "uses": list(uses), **own}


def combine(weights: Any = None) -> dict[str, Any]:
    """The rule with weights alone."""
    return {"rule": "Combine", "weights": weights or {}, "axioms": [], "squares": None}


def polynomial(*facts: Any, **more: Any) -> dict[str, Any]:
    """The rule with one term, the product of some facts."""
    terms = [{"coefficient": "1", "facts": [[f, 1] for f in facts], **more}]
    return {"rule": "Polynomial", "certificate": {"multiplier": "1", "terms": terms}}


def theorem(name: str, *steps: Any, hypotheses: Any = (), **more: Any) -> dict[str, Any]:
    """A theorem that states its last step."""
    own = {"claim": "", "refuted": steps[-1]["refuted"], "statement": steps[-1]["claim"], "unused": []}
    return {"id": name, **own, "hypotheses": list(hypotheses), "steps": list(steps), **more}


def told(*theorems: Any) -> Verdict:
    """What is said of the last one."""
    return list(recheck(json.loads(json.dumps({"format": "fltheory proofs 1", "papers": {"p": list(theorems)}}))))[-1]


def refused(*theorems: Any) -> None:
    verdict = told(*theorems)
    assert verdict.outcome == "refused", f"{theorems[-1]['statement']} was {verdict.outcome}"


def confirmed(*theorems: Any) -> None:
    verdict = told(*theorems)
    assert verdict.outcome == "confirmed", verdict.reason
