"""The kernel's terms as formulas: ``+(-1, *(2, b))`` in a message becomes ``2*b - 1``."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"[+*^]\(")
_PART = re.compile(r"[^(),]*")


def readable(message: str) -> str:
    """A message of the kernel with its sums, products and powers written as usual; a term that was cut off stays."""
    found, place = "", 0
    while opening := _OPENING.search(message, place):
        try:
            node, end = _read(message, opening.start())
        except (IndexError, ValueError):
            break
        found += message[place : opening.start()] + _sum(node)
        place = end
    return found + message[place:]


@dataclass(frozen=True)
class _Node:
    """A word and its parts; a letter or a number has none."""

    word: str
    parts: tuple[_Node, ...] | None = None


def _read(text: str, start: int) -> tuple[_Node, int]:
    """A term that starts here, and where it ends."""
    match = _PART.match(text, start)
    assert match is not None
    word, end = match[0].strip(), match.end()
    if end >= len(text) or text[end] != "(":
        return _Node(word), end
    parts, end = [], end + 1
    while True:
        part, end = _read(text, end)
        parts.append(part)
        if text[end] == ")":
            return _Node(word, tuple(parts)), end + 1
        if text[end] != ",":
            raise ValueError(text[end])
        end += 1


def _sum(node: _Node) -> str:
    if node.word != "+" or not node.parts:
        return _product(node)
    positive = sorted(node.parts, key=lambda part: _is_negative(part))
    written = [_product(part) for part in positive]
    return written[0] + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in written[1:])


def _is_negative(node: _Node) -> bool:
    return _product(node).startswith("-")


def _product(node: _Node) -> str:
    if node.word != "*" or not node.parts:
        return _factor(node)
    sign, above, below = "", [], []
    for part in sorted(node.parts, key=lambda part: part.parts is not None or not _is_number(part.word)):
        if part.word == "-1" and part.parts is None:
            sign = "" if sign else "-"
        elif part.word == "^" and part.parts and part.parts[1] == _Node("-1"):
            below.append(_factor(part.parts[0]))
        else:
            above.append(_factor(part))
    top = "*".join(above) or "1"
    if not below:
        return sign + top
    return f"{sign}{top}/{below[0] if len(below) == 1 else '(' + '*'.join(below) + ')'}"


def _factor(node: _Node) -> str:
    if node.parts is None:
        return node.word
    if node.word in ("+", "*"):
        return f"({_sum(node)})"
    if node.word == "^":
        base, exponent = (_factor(part) for part in node.parts)
        return f"{base}^{exponent}" if exponent.isalnum() else f"{base}^({exponent.strip('()')})"
    return f"{node.word}({', '.join(map(_sum, node.parts))})"


def _is_number(word: str) -> bool:
    return re.fullmatch(r"-?\d+(/\d+)?", word) is not None
