"""The guide to notebooks with what its cells show: their cards are stored when ``python -m docs --outputs`` is run."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "how-to" / "notebook.md"
STORED = Path(__file__).parent / "outputs" / "notebook.json"
BLOCK = re.compile(r"^```\n(from fltheory import .*?)^```\n", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"(\$\$?)([^$]+)\1")


def code_of(text: str) -> str:
    """The code of the page: its first block that begins with an import."""
    found = BLOCK.search(text)
    if found is None:
        raise ValueError(f"{PAGE.name} has no block of code that begins with 'from fltheory import'")
    return found[1]


def cells_of(code: str) -> Iterator[str]:
    """The code cut after each expression, which is what a cell shows."""
    lines, begin = code.splitlines(), 0
    for node in ast.parse(code).body:
        if isinstance(node, ast.Expr):
            yield "\n".join(lines[begin : node.end_lineno]).strip("\n")
            begin = node.end_lineno or 0


def outputs_of(code: str) -> list[str]:
    """What each cell shows, as HTML."""
    names: dict[str, object] = {}
    shown = []
    for i, cell in enumerate(cells_of(code)):
        *before, last = ast.parse(cell).body
        exec(compile(ast.Module(before, []), "<cell>", "exec"), names)
        assert isinstance(last, ast.Expr)
        shown.append(html_of(eval(compile(ast.Expression(last.value), "<cell>", "eval"), names), f"cell-{i}-"))
    return shown


def html_of(value: object, prefix: str) -> str:
    """A value as a notebook shows it: its card, a figure as SVG whose names begin with the prefix, or its ``repr``."""
    from matplotlib.figure import Figure

    from fltheory.plotting.plot import svg

    if isinstance(value, Figure):
        return svg(value, prefix=prefix)
    card = getattr(value, "_repr_html_", None)
    return with_mathml(str(card())) if card is not None else f"<pre>{escape(repr(value))}</pre>"


def with_mathml(card: str) -> str:
    """A card whose formulas, LaTeX for a notebook's MathJax, are MathML, which needs no script."""
    from latex2mathml.converter import convert

    def mathml(found: re.Match[str]) -> str:
        return str(convert(unescape(found[2]), display="block" if found[1] == "$$" else "inline"))

    return FORMULA.sub(mathml, card)


def store() -> None:
    """Run the cells and keep what they show."""
    shown = outputs_of(code_of(PAGE.read_text(encoding="utf-8")))
    STORED.write_text(json.dumps(shown, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def rendered(text: str, outputs: list[str]) -> str:
    """The page with each cell followed by what it shows."""
    cells = zip(cells_of(code_of(text)), outputs, strict=True)
    blocks = (
        f'```python\n{cell}\n```\n\n`````{{raw}} html\n<div class="output">\n{shown}\n</div>\n`````\n'
        for cell, shown in cells
    )
    return BLOCK.sub(lambda _: "\n".join(blocks), text, count=1)


def write(folder: Path) -> None:
    """Put the outputs into the page that ``sources.gather`` has copied."""
    page = folder / "how-to" / PAGE.name
    outputs = json.loads(STORED.read_text(encoding="utf-8"))
    page.write_text(rendered(page.read_text(encoding="utf-8"), outputs), encoding="utf-8")
