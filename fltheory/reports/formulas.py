"""Bounds as MathML in the paper's notation, which browsers show without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import sympy
from sympy import Symbol

from fltheory.model.bound import PLAIN_SIGNS, SIGNS, Bound, unicode_letter
from fltheory.symbols import meaning

# SymPy's output that XML lacks: entities of MathML, and a bare sign.
MATHML_REPLACEMENTS = {
    "<mo><</mo>": "<mo>&lt;</mo>",
    "&InvisibleTimes;": "\u2062",
    "&ExponentialE;": "e",
    "&ImaginaryI;": "i",
    "&ApplyFunction;": "\u2061",
}


@dataclass(frozen=True)
class Formula:
    """A bound for readers: MathML and LaTeX of it, of its definitions and conditions, and its symbols in words."""

    sign: str
    sign_latex: str
    mathml: str
    latex: str
    where: tuple[str, ...]
    conditions: tuple[str, ...]
    letters: tuple[tuple[str, str], ...]  # (MathML, words)


def formula_of(bound: Bound) -> Formula:
    """Return a bound in its paper's notation."""
    letters = dict(bound.letters)
    defined = tuple(f"{mathml(symbol, letters)}<mo>=</mo>{mathml(expr, letters)}" for symbol, expr in bound.where)
    words = tuple(
        (_math(mathml(s, letters)), f"{meaning(s).text} ({s.name}, {meaning(s).domain})") for s in bound.symbols
    )
    return Formula(
        PLAIN_SIGNS[bound.side],
        SIGNS[bound.side],
        _math(mathml(bound.expr, letters), "block"),
        bound.latex(),
        tuple(map(_math, defined)),
        tuple(_math(mathml(condition, letters)) for condition in bound.conditions),
        words,
    )


def mathml(expr: sympy.Basic, letters: Mapping[Symbol, str]) -> str:
    """Return an expression as presentation MathML, without the outer element; unknown symbols keep their names."""
    renamed = {s: sympy.Symbol(unicode_letter(name), **s.assumptions0) for s, name in letters.items()}
    text = str(sympy.printing.mathml(expr.xreplace(renamed), printer="presentation"))
    for entity, character in MATHML_REPLACEMENTS.items():
        text = text.replace(entity, character)
    return text


def _math(inner: str, display: str = "inline") -> str:
    return f'<math display="{escape(display)}">{inner}</math>'
