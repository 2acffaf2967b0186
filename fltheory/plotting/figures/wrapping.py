"""Wrapping of titles and captions to the width of the page."""

from __future__ import annotations

import re
import textwrap

TITLE, CAPTION = 107, 136  # about the letters in a line of the page
_MATHS = re.compile(r"\$[^$]*\$")
_NO_BREAK = "\u2063"  # replaces a blank within a formula


def _width(formula: str) -> int:
    """Return the approximate width of a formula in letters: a symbol's name counts as one."""
    return len(re.sub(r"\\[a-zA-Z]+|[{}^_$\\]", lambda m: "x" if len(m[0]) > 1 else "", formula))


def fill(text: str, width: int = CAPTION) -> str:
    """Return the text in lines of at most this many letters, without breaks inside formulas."""
    formulas: list[str] = []

    def hold(found: re.Match[str]) -> str:
        formulas.append(found[0])
        return f"\ue000{len(formulas) - 1}\ue001".ljust(_width(found[0]), _NO_BREAK)

    lines = textwrap.fill(
        _MATHS.sub(hold, " ".join(text.split())), width, break_long_words=False, break_on_hyphens=False
    )
    return re.sub(f"\ue000(\\d+)\ue001{_NO_BREAK}*", lambda m: formulas[int(m[1])], lines)
