"""The kernel's terms as formulas: ``+(-1, *(2, b))`` in a message becomes ``2*b - 1``."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_OPENING = re.compile(r"(?<![\w)])[+*^]\(")
_PART = re.compile(r"[^(),]*")
_NUMBER = re.compile(r"-?\d+(/\d+)?")
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly what is written binds


class _Node(NamedTuple):
    """A word and its arguments; a symbol or a number has none."""

    word: str
    parts: tuple[_Node, ...] | None = None


class _Written(NamedTuple):
    text: str
    binds: int

    def within(self, least: int) -> str:
        """Return the text, in parentheses if it binds less tightly than ``least``."""
        return self.text if self.binds >= least else f"({self.text})"


def readable(message: str) -> str:
    """Return a message of the kernel with sums, products and powers in infix notation; unreadable parts are unchanged."""
    found, place = "", 0
    while opening := _OPENING.search(message, place):
        try:
            node, end = _read(message, opening.start())
            written = _write(node).text
        except (IndexError, ValueError):  # cut off, or a name that looks like a term
            written, end = message[opening.start() : opening.end()], opening.end()
        found += message[place : opening.start()] + written
        place = end
    return found + message[place:]


def _read(text: str, start: int) -> tuple[_Node, int]:
    """Read the term that starts here; return it and where it ends."""
    match = _PART.match(text, start)
    assert match is not None
    word, end = match[0].strip(), match.end()
    if end >= len(text) or text[end] != "(":
        return _Node(word), end
    if text[end + 1] == ")":
        return _Node(word, ()), end + 2
    parts, end = [], end + 1
    while True:
        part, end = _read(text, end)
        parts.append(part)
        if text[end] == ")":
            return _Node(word, tuple(parts)), end + 1
        if text[end] != ",":
            raise ValueError(text[end])
        end += 1


def _write(node: _Node) -> _Written:
    word, parts = node
    if parts is None:
        if _NUMBER.fullmatch(word):
            return _Written(word, _SUM if word.startswith("-") else _PRODUCT if "/" in word else _ATOM)
        return _Written(word, _ATOM)
    if word in "+*^" and len(parts) < 2:
        raise ValueError(word)
    if word == "+":
        return _sum([_write(part).within(_SUM) for part in parts])
    if word == "*":
        return _product(parts)
    if word == "^":
        return _power(*parts)
    return _Written("e" if word == "e" and not parts else f"{word}({', '.join(_write(p).text for p in parts)})", _ATOM)


def _sum(terms: list[str]) -> _Written:
    first, *rest = sorted(terms, key=lambda term: term.startswith("-"))
    return _Written(first + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in rest), _SUM)


def _product(parts: tuple[_Node, ...]) -> _Written:
    """Return a product as its number, its numerator, and its denominator."""
    number, above, below = Fraction(1), list[str](), list[str]()
    for part in parts:
        if part.parts is None and _NUMBER.fullmatch(part.word):
            number *= Fraction(part.word)
        elif part.word == "^" and part.parts and part.parts[1:] == (_Node("-1"),):
            below.append(_write(part.parts[0]).within(_POWER))
        else:
            above.append(_write(part).within(_POWER))
    top, bottom = abs(number.numerator), number.denominator
    above = [str(top), *above] if top != 1 or not above else above
    below = [str(bottom), *below] if bottom != 1 else below
    text = "*".join(above)
    if below:
        text += "/" + (below[0] if len(below) == 1 else f"({'*'.join(below)})")
    return _Written(f"-{text}", _SUM) if number < 0 else _Written(text, _PRODUCT)


def _power(base: _Node, exponent: _Node) -> _Written:
    if base == _Node("e", ()):
        return _Written(f"exp({_write(exponent).text})", _ATOM)
    if exponent == _Node("-1"):
        return _Written(f"1/{_write(base).within(_POWER)}", _PRODUCT)
    return _Written(f"{_write(base).within(_ATOM)}^{_write(exponent).within(_ATOM)}", _POWER)
