"""Text escaped for LaTeX with only amsmath and amssymb: symbols, signs and indices as mathematics."""

from __future__ import annotations

import unicodedata

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_SIGNS = dict(
    pair.split(" ")
    for pair in (
        r"± \pm",
        r"· \cdot",
        r"× \times",
        r"½ \tfrac{1}{2}",
        r"∂ \partial",
        r"∇ \nabla",
        r"∈ \in",
        r"∉ \notin",
        r"√ \surd",
        r"∝ \propto",
        r"∞ \infty",
        r"∪ \cup",
        r"∩ \cap",
        r"≍ \asymp",
        r"≠ \neq",
        r"≤ \leq",
        r"≥ \geq",
        r"⋆ \star",
        r"⌊ \lfloor",
        r"⌋ \rfloor",
        r"ℓ \ell",
        r"Σ \sum",
        r"∑ \sum",
        r"≲ \lesssim",
        r"→ \to",
        "− -",
        r"∘ \circ",
        r"‖ \|",
        r"… \ldots",
    )
)
_ACCENTS = {"\u0302": "hat", "\u0303": "tilde", "\u0304": "bar", "\u0306": "breve"}
_VARIANT_LETTERS = {"final sigma": "varsigma", "epsilon": "varepsilon", "phi": "varphi", "omicron": "o"}


def escape_latex(text: str) -> str:
    """Return a text that LaTeX sets literally."""
    found: list[str] = []
    for c in unicodedata.normalize("NFC", text):
        if c in _ACCENTS and found:
            found.append(rf"\ensuremath{{\{_ACCENTS[c]}{{{found.pop()}}}}}")
        else:
            found.append(_SPECIAL.get(c) or (c if c.isascii() else _escape_character(c)))
    return "".join(found)


def _escape_character(c: str) -> str:
    if c in _SIGNS:
        return rf"\ensuremath{{{_SIGNS[c]}}}"
    name = unicodedata.name(c, "")
    if name.startswith("GREEK"):
        letter = name.rpartition(" LETTER ")[2].lower()
        return rf"\ensuremath{{\{_VARIANT_LETTERS.get(letter, letter) if 'SMALL' in name else letter.capitalize()}}}"
    kind, _, plain = unicodedata.decomposition(c).partition(" ")
    if kind in ("<super>", "<sub>"):
        inner = escape_latex("".join(chr(int(code, 16)) for code in plain.split()))
        return rf"\ensuremath{{{'^' if kind == '<super>' else '_'}{{{inner}}}}}"
    return c  # a letter with an accent
