"""The schema of a file of proofs: each object has exactly the fields of its kind, each of the right type.

A shape is the name of a kind; [shape], a list of any length; (shape, ...), a list of exactly these; {name: shape}, an object,
in which a field whose name ends in a question mark is optional.
"""

from __future__ import annotations

import json
from typing import Any

from fltheory.kernel.language.terms import Wrong

KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "text"),
    "truth": ((bool,), "true or false"),
    "count": ((int,), "whole number"),
    "term": ((str, list), "term"),
    "term or null": ((str, list, type(None)), "term"),
    "list": ((list,), "list"),
    "object": ((dict,), "object"),
}
PAIRS = [("term", "term")]
IDENTITY = {"multiplier": "term", "terms": [{"coefficient": "term", "facts": [("term", "count")], "square?": "term"}]}
AXIOM = {"weight": "term", "kind": "text", "function": "term", "u": "term", "v": "term"}
SQUARE = {"weight": "term", "vector": PAIRS, "sign?": IDENTITY}
CUT: dict[str, Any] = {"symbol": "term", "cut": "term", "below": "anything", "above": "anything"}
TAYLOR = {"symbol": "term", "centre": "term", "order": "count"}
RULES: dict[str, dict[str, Any]] = {
    "Combine": {"weights": "object", "axioms": [AXIOM], "squares": "anything"},
    "Summed": {"indices": ["term"], "weight": "term"},
    "Expected": {},
    "Instance": {"at": PAIRS},
    "Apply": {"theorem": "text", "at": PAIRS},
    "Cases": {},
    "Induction": {"index": "term"},
    "Squeezed": {},
    "Power": {"exponent": "term"},
    "Polynomial": {"certificate": IDENTITY},
    "Ball": {"box": [("term", "term", "term")], "certificate": "anything"},
    "Known": {"name": "text", "at": "term"},
    "Absolute": {},
    "Monotone": {},
    "Rising": {"symbol": "term"},
    "Enumerate": {"scope": "text"},
    "Witness": {"at": PAIRS},
    "Assumed": {"citation": "text"},
    "Violated": {"claim": "text"},
}
HYPOTHESES: dict[str, dict[str, Any]] = {
    "given": {"relation": "anything"},
    "defines": {"left": "term", "right": "term"},
    "member": {"function": "term", "smooth": "term or null", "convex": "term or null"},
}
LINE = {"left": "term", "op": "text", "right": "term", "over": [("term", "term", "term")]}
STEP = {
    "id": "text",
    "claim": "anything",
    "rule": "object",
    "uses": ["text"],
    "by": ["text"],
    "assuming": "list",
    "refuted": "truth",
}
THEOREM = {
    "id": "text",
    "claim": "text",
    "refuted": "truth",
    "statement": "anything",
    "hypotheses": "list",
    "unused": ["text"],
    "steps": "list",
}


def fields(value: Any, shape: Any, what: str) -> Any:
    """Return the value if it has this shape; raise Wrong otherwise."""
    if isinstance(shape, dict):
        fields(value, "object", what)
        names = {name.rstrip("?"): name for name in shape}
        for word, odd in (
            ("no", {n for n in shape if "?" not in n} - set(value)),
            ("an unknown", set(value) - set(names)),
        ):
            if odd:
                raise Wrong(
                    f"{what} has {word} field {min(map(str, odd))!r}: its fields are {', '.join(names) or 'none'}"
                )
        for name, one in value.items():
            fields(one, shape[names[name]], f"the field {name!r} of {what}")
    elif isinstance(shape, list | tuple):
        fields(value, "list", what)
        if isinstance(shape, tuple) and len(value) != len(shape):
            raise Wrong(f"{what} is not a list of {len(shape)}: {str(value)[:60]}")
        for one, part in zip(value, shape if isinstance(shape, tuple) else shape * len(value), strict=True):
            fields(one, part, f"a part of {what}")
    elif shape != "anything":
        kinds, called = KINDS[shape]
        if type(value) not in kinds:
            raise Wrong(f"{what} is not of the type {called}: {str(value)[:60]}")
    return value


def rule_of(value: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the rule of a step after checking its fields."""
    kind = value.get("rule")
    if not isinstance(kind, str) or kind not in RULES:
        raise Wrong(f"{str(kind)[:60]} is not a rule: {what} must have one of {', '.join(RULES)}")
    what = f"the rule {kind} of {what}"
    fields(value, {"rule": "text", **RULES[kind]}, what)
    if kind == "Combine":
        fields(list(value["weights"].values()), ["term"], f"the weights of {what}")
        fields(value["squares"] if value["squares"] is not None else [], [SQUARE], f"the squares of {what}")
    if kind == "Ball":
        _tree(value["certificate"], f"the certificate of {what}")
    return value


def _tree(value: Any, what: str) -> None:
    if not isinstance(value, dict):
        fields(value, "text", what)
    elif "cut" in value:
        fields(value, CUT, what)
        _tree(value["below"], what)
        _tree(value["above"], what)
    else:
        fields(value, TAYLOR, what)


def hypothesis_of(value: Any) -> dict[str, Any]:
    """Return a hypothesis after checking that it is of a known kind and has the fields of this kind."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in HYPOTHESES:
        raise Wrong(f"{str(kind)[:60]} is not a kind of hypothesis: it must be one of {', '.join(HYPOTHESES)}")
    found: dict[str, Any] = fields(
        value, {"id": "text", "kind": "text", **HYPOTHESES[kind]}, f"the hypothesis {value.get('id')}"
    )
    return found


def parsed(written: str) -> Any:
    """Parse JSON in which no object has a field twice; raise ValueError for anything else."""
    return json.loads(written, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Wrong(f"the field {max(names, key=names.count)!r} occurs twice in one object")
    return found
