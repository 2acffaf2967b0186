"""What the parts of a file are made of: each has all of its fields, and no other."""

from __future__ import annotations

from typing import Any

from fltheory.kernel.language.terms import Wrong

THEOREM = ("id", "claim", "refuted", "statement", "hypotheses", "unused", "steps")
STEP = ("id", "claim", "rule", "uses", "by", "assuming", "refuted")
HYPOTHESES = {
    "given": ("id", "kind", "relation"),
    "defines": ("id", "kind", "left", "right"),
    "member": ("id", "kind", "function", "smooth", "convex"),
}
RULES = {
    "Combine": ("weights", "axioms", "squares"),
    "Summed": ("indices", "weight"),
    "Expected": (),
    "Instance": ("at",),
    "Apply": ("theorem", "at"),
    "Cases": (),
    "Induction": ("index",),
    "Squeezed": (),
    "Power": ("exponent",),
    "Polynomial": ("certificate",),
    "Ball": ("box", "certificate"),
    "Known": ("name", "at"),
    "Absolute": (),
    "Monotone": (),
    "Rising": ("symbol",),
    "Enumerate": ("scope",),
    "Witness": ("at",),
    "Assumed": ("citation",),
    "Violated": ("claim",),
}
KINDS: tuple[tuple[tuple[str, ...], type, str], ...] = (
    (("id", "kind", "name", "scope", "theorem"), str, "text"),
    (("hypotheses", "steps", "uses", "by", "assuming", "unused", "axioms", "box", "indices"), list, "list"),
    (("refuted",), bool, "true or false"),
)


def fields(value: Any, names: tuple[str, ...], what: str) -> dict[str, Any]:
    """A part of a file; Wrong where a field is missing, another one stands there, or one is of another kind."""
    if not isinstance(value, dict):
        raise Wrong(f"{what} is no object: {str(value)[:60]}")
    for word, odd in (("no", set(names) - set(value)), ("another", set(value) - set(names))):
        if odd:
            raise Wrong(f"{what} has {word} field {sorted(map(str, odd))[0]!r}: it has {', '.join(names) or 'none'}")
    for name, own in value.items():
        kind, called = next(((k, c) for names_, k, c in KINDS if name in names_), (object, ""))
        if not isinstance(own, kind):
            raise Wrong(f"the field {name!r} of {what} is no {called}: {str(own)[:60]}")
    return value


def rule_of(value: Any, what: str) -> dict[str, Any]:
    """The rule of a step with what it brings in."""
    kind = value.get("rule") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in RULES:
        raise Wrong(f"{str(kind)[:60]} is no rule: {what} has one of {', '.join(RULES)}")
    return fields(value, ("rule", *RULES[kind]), f"the rule {kind} of {what}")


def hypothesis_of(value: Any) -> dict[str, Any]:
    """A hypothesis of one of its kinds."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in HYPOTHESES:
        raise Wrong(f"no hypothesis is of the kind {str(kind)[:60]}: it is one of {', '.join(HYPOTHESES)}")
    return fields(value, HYPOTHESES[kind], f"the hypothesis {value.get('id')}")
