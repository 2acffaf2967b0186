"""Reads a statement as it stands in a file for Rocq, and gives the JSON back: by itself, with tables of its own."""

from __future__ import annotations

import re
from typing import Any

TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|[()\[\];]|[^\s()\[\];"]+)')
SORT = {
    "Real": "real",
    "Nonnegative": "nonnegative",
    "Positive": "positive",
    "Integer": "integer",
    "From0": "from 0",
    "From1": "from 1",
    "Unknown": "unknown",
}
KIND = {"NonnegativeScalar": "Nonnegative", "PositiveScalar": "Positive"}
WORD = {
    "Pow": "^",
    "Euler": "e",
    "Pi": "pi",
    "Endless": "oo",
    "MinusEndless": "-oo",
    "Add": "+",
    "Mul": "*",
    "Draw": "draw",
    "DrawOf": "draw",
}
OP = {"LE": "<=", "LT": "<", "EQ": "=="}


def tree(text: str) -> list[Any]:
    """Round brackets as lists, square ones as ("list", ...), strings as ("string", ...)."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(text):
        if token in "([":
            stack.append([])
        elif token in ")]":
            done = stack.pop()
            stack[-1].append(done if token == ")" else ("list", _apart(done)))
        else:
            stack[-1].append(("string", token[1:-1].replace('""', '"')) if token[0] == '"' else token)
    assert len(stack) == 1, "brackets do not match"
    return stack[0]


def _apart(items: list[Any]) -> list[list[Any]]:
    found: list[list[Any]] = [[]]
    for item in items:
        if item == ";":
            found.append([])
        else:
            found[-1].append(item)
    return [] if found == [[]] else found


def term(own: Any) -> Any:
    """A term."""
    while isinstance(own, list) and len(own) == 1:
        own = own[0]
    head, *rest = own if isinstance(own, list) else [own]
    if head == "Num":
        ((p,), q) = rest
        return p if q == "1" else f"{p}/{q}"
    if head == "Sym":
        return ["symbol", rest[0][1], SORT[rest[1]]]
    if head == "Fam":
        return ["family", KIND.get(rest[0], rest[0]), rest[1][1], *map(term, rest[2][1])]
    if head == "Sum":
        body, name, sort, low, high = rest
        return ["sum", term(body), ["symbol", name[1], SORT[sort]], term(low), term(high)]
    args = rest[0][1] if rest and isinstance(rest[0], tuple) and rest[0][0] == "list" else rest
    return [WORD.get(head, head.lower()), *map(term, args)]


def line(own: Any) -> dict[str, Any]:
    """A line."""
    _, left, op, right, (_, over) = own
    ranges = [[["symbol", name[1], SORT[sort]], term(low), term(high)] for _, name, sort, low, high in over]
    return {"left": term(left), "op": OP[op], "right": term(right), "over": ranges}


def hypothesis(own: Any) -> dict[str, Any]:
    """A hypothesis, without its name."""
    if own[0] == "Given":
        return {"kind": "given", "relation": line(own[1])}
    if own[0] == "Defines":
        return {"kind": "defines", "left": term(own[1]), "right": term(own[2])}
    smooth, convex = (None if c == "None" else term(c[1]) for c in own[2:])
    return {"kind": "member", "function": term(own[1]), "smooth": smooth, "convex": convex}


def statement(text: str) -> dict[str, Any]:
    """What a theorem says."""
    says, (_, hypotheses), stated = tree(text)
    return {"refuted": says == "refuted", "hypotheses": [hypothesis(h) for h in hypotheses], "statement": line(stated)}
