"""What a notebook shows of a value: a card of words, formulas and lines of Python, all of it escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

FOLD_LENGTH, FOLD_PREVIEW = 400, 60  # a longer line of Python is folded behind its beginning, never cut


def escape_text(text: object) -> str:
    """A text as it stands: nothing in it is a tag, and no dollar or backslash begins a formula."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(str(text)))


def strong(text: object) -> str:
    """Words that must not be overlooked."""
    return f"<strong>{escape_text(text)}</strong>"


def code(line: str) -> str:
    """A line of Python, whole."""
    shown = f"<code>{escape(line)}</code>"
    if len(line) <= FOLD_LENGTH:
        return shown
    return f"<details><summary><code>{escape(line[:FOLD_PREVIEW])} ...</code></summary>{shown}</details>"


def display_latex(latex: str) -> str:
    """A formula on a line of its own, not escaped; a dollar in it would end it, and means nothing there."""
    return f"$${_without_dollars(latex)}$$"


def formula_html(latex: str) -> str:
    """A formula on a line of its own."""
    return escape(display_latex(latex), quote=False)


def inline(latex: str) -> str:
    """A formula among words."""
    return escape(f"${_without_dollars(latex)}$", quote=False)


def _without_dollars(latex: str) -> str:
    return re.sub(r"\\?\$", "", latex)


def lines(cells: Iterable[str]) -> str:
    """One below the other."""
    return "<br/>".join(cells)


def card(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns under a title: names in words, cells as the functions above make them; no row for an empty cell."""
    left = 'style="text-align:left"'  # notebooks set tables to the right
    body = "".join(f"<tr><th {left}>{escape_text(name)}</th><td {left}>{cell}</td></tr>" for name, cell in rows if cell)
    return f'<table><tr><th {left} colspan="2">{escape_text(title)}</th></tr>{body}</table>'
