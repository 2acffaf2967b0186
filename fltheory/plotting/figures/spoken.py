"""Mathtext as plain characters, for titles of files and for screen readers: fractions, roots, indices, accents, Greek."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"\\[A-Za-z]+\s*|\\.|[^\\]", re.DOTALL)
_SIGNS = {
    "times": " × ",
    "propto": "∝",
    "leq": "≤",
    "le": "≤",
    "geq": "≥",
    "ge": "≥",
    "neq": "≠",
    "approx": "≈",
    "sim": "∼",
    "infty": "∞",
    "cdot": "·",
    "pm": "±",
    "to": "→",
    "in": "∈",
    "nabla": "∇",
    "partial": "∂",
    "sum": "Σ",
    "prod": "Π",
    "star": "⋆",
    "ast": "*",
    "ell": "ℓ",
    "langle": "⟨",
    "rangle": "⟩",
    "lfloor": "⌊",
    "rfloor": "⌋",
    "lceil": "⌈",
    "rceil": "⌉",
    "ldots": "...",
    "cdots": "...",
    "dots": "...",
    "cup": "∪",
    "cap": "∩",
    "mid": "|",
    "varepsilon": "ε",
    "lambda": "λ",
    "Lambda": "Λ",
    "quad": " ",
    "|": "‖",
    "!": "",
    **dict.fromkeys(("left", "right", "displaystyle", "limits"), ""),
    **dict.fromkeys((",", ";", ":", " "), " "),
    **{sign: sign for sign in "{}$%&_#"},
}
_WORDS = frozenset(("log", "exp", "min", "max", "sup", "inf", "lim"))
_FONTS = frozenset(("mathrm", "mathit", "mathbf", "mathcal", "mathbb", "mathsf", "operatorname", "text"))
_ACCENTS = {
    "tilde": "\u0303",
    "hat": "\u0302",
    "bar": "\u0304",
    "overline": "\u0304",
    "breve": "\u0306",
    "dot": "\u0307",
}
_LETTER = r"[^\W\d_][\u0300-\u036f]*"
_ONE = re.compile(rf"{_LETTER}|[+-]?\d+|\w{{1,8}}|.")  # what needs no parentheses as an index, a power or under a root
_FACTOR = re.compile(rf"\d+|{_LETTER}(_\w|⋆)?")  # and in a fraction


class UnknownCommand(ValueError):
    """A command of mathtext for which there are no plain characters."""


def spoken(mathtext: str) -> str:
    """Return mathtext without its dollars as plain characters; UnknownCommand if one of its commands is not known."""
    said, rest = _sequence([found[0] for found in _TOKEN.finditer(mathtext)], 0)
    if rest != len(_TOKEN.findall(mathtext)):
        raise ValueError(f"a brace is closed that was not opened: {mathtext}")
    return re.sub(r" {2,}", " ", said).strip()


def _sequence(tokens: list[str], at: int) -> tuple[str, int]:
    """Return the words of tokens up to the closing brace, and its place."""
    said = ""
    while at < len(tokens) and tokens[at] != "}":
        token = tokens[at]
        if token in "^_":
            inner, at = _argument(tokens, at + 1)
            said += "⋆" if (token, inner) in (("_", "*"), ("_", "⋆")) else token + _in_parentheses(inner, _ONE)
        elif token.startswith("\\") and token[1:].strip() in _WORDS:
            at += 1
            after = tokens[at] if at < len(tokens) else ""
            said += " " * bool(re.search(r"[\w)⋆]$", said)) + token[1:].strip()
            said += " " * bool(re.match(r"\w|\\[A-Za-z]", after))
        else:
            one, at = _argument(tokens, at)
            said += one
    return said, at


def _argument(tokens: list[str], at: int) -> tuple[str, int]:
    """Return the words of one argument, a group, a command with its arguments or a sign, and the place after it."""
    if at >= len(tokens):
        return "", at
    token = tokens[at]
    if token == "{":
        inner, end = _sequence(tokens, at + 1)
        return inner, end + 1
    return _command(token[1:].strip() or " ", tokens, at + 1) if token.startswith("\\") else (token, at + 1)


def _command(name: str, tokens: list[str], at: int) -> tuple[str, int]:
    if name == "frac":
        above, at = _argument(tokens, at)
        below, at = _argument(tokens, at)
        said = f"{_in_parentheses(above, _FACTOR)}/{_in_parentheses(below, _FACTOR)}"
        goes_on = at < len(tokens) and re.match(r"[\w({]|\\[A-Za-z]", tokens[at])
        return (f"({said})" if goes_on else said), at
    if name == "sqrt":
        inner, at = _argument(tokens, at)
        return f"√{_in_parentheses(inner, _ONE)}", at
    if name in _ACCENTS:
        inner, at = _argument(tokens, at)
        return unicodedata.normalize("NFC", inner + _ACCENTS[name]), at
    if name in _FONTS:
        return _argument(tokens, at)
    return _sign(name), at


def _sign(name: str) -> str:
    """Return the characters of a command without arguments."""
    if name in _SIGNS:
        return _SIGNS[name]
    if name in _WORDS:
        return name
    try:
        return unicodedata.lookup(f"GREEK {'CAPITAL' if name[0].isupper() else 'SMALL'} LETTER {name.upper()}")
    except KeyError:
        raise UnknownCommand(f"no plain characters for \\{name}") from None


def _in_parentheses(inner: str, alone: re.Pattern[str]) -> str:
    """Return a part in parentheses, unless it needs none or has them."""
    return inner if alone.fullmatch(inner) or _wrapped(inner) else f"({inner})"


def _wrapped(inner: str) -> bool:
    """Return whether the first parenthesis is closed by the last."""
    depth = 0
    for i, sign in enumerate(inner):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return sign == ")" and i == len(inner) - 1
    return False
