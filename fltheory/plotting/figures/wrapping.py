"""Titles and captions in lines that fit the page."""

from __future__ import annotations

import re
import textwrap

TITLE, CAPTION = 107, 136  # letters of a line of the page, about
_MATHS = re.compile(r"\$[^$]*\$")
_NO_BREAK = "\u2063"  # stands for a blank within a formula


def _width(formula: str) -> int:
    """About how many letters wide a formula is drawn: names of symbols count as one."""
    return len(re.sub(r"\\[a-zA-Z]+|[{}^_$\\]", lambda m: "x" if len(m[0]) > 1 else "", formula))


def fill(text: str, width: int = CAPTION) -> str:
    """The text in lines of so many letters at most, none of which ends within a formula."""
    formulas: list[str] = []

    def hold(found: re.Match[str]) -> str:
        formulas.append(found[0])
        return f"\ue000{len(formulas) - 1}\ue001".ljust(_width(found[0]), _NO_BREAK)

    lines = textwrap.fill(
        _MATHS.sub(hold, " ".join(text.split())), width, break_long_words=False, break_on_hyphens=False
    )
    return re.sub(f"\ue000(\\d+)\ue001{_NO_BREAK}*", lambda m: formulas[int(m[1])], lines)
