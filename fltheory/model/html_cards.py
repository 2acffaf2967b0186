"""Notebook cards of values: words, formulas and lines of Python, all escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

FOLD_LENGTH, FOLD_PREVIEW = 400, 60  # a longer line of Python is folded after its beginning, never cut


def escape_text(text: object) -> str:
    """Escape a text: it contains no tags, and no dollar or backslash begins a formula."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", escape(str(text)))


def strong(text: object) -> str:
    """Format emphasised words."""
    return f"<strong>{escape_text(text)}</strong>"


def code(line: str) -> str:
    """Format a complete line of Python."""
    shown = f"<code>{escape(line)}</code>"
    if len(line) <= FOLD_LENGTH:
        return shown
    return f"<details><summary><code>{escape(line[:FOLD_PREVIEW])} ...</code></summary>{shown}</details>"


def display_latex(latex: str) -> str:
    """Format LaTeX as a displayed formula without HTML escapes; dollars, which would end it, are removed."""
    return f"$${_without_dollars(latex)}$$"


def formula_html(latex: str) -> str:
    """Format a displayed formula."""
    return escape(display_latex(latex), quote=False)


def inline(latex: str) -> str:
    """Format an inline formula."""
    return escape(f"${_without_dollars(latex)}$", quote=False)


def _without_dollars(latex: str) -> str:
    return re.sub(r"\\?\$", "", latex)


def lines(cells: Iterable[str]) -> str:
    """Stack parts vertically."""
    return "<br/>".join(cells)


def card(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Format a titled table of names and formatted cells; rows with an empty cell are omitted."""
    left = 'style="text-align:left"'  # notebooks align tables to the right
    body = "".join(f"<tr><th {left}>{escape_text(name)}</th><td {left}>{cell}</td></tr>" for name, cell in rows if cell)
    return f'<table><tr><th {left} colspan="2">{escape_text(title)}</th></tr>{body}</table>'
