"""A page for each example: what it says, its code, and what it printed when ``python -m docs --outputs`` was last run."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
OUTPUTS = Path(__file__).parent / "outputs"


def examples() -> tuple[Path, ...]:
    """The examples, by name."""
    return tuple(sorted(path for path in EXAMPLES.glob("*.py")))


def output_of(path: Path) -> str:
    """What an example prints when it is run."""
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True, cwd=ROOT, env=known)
    return done.stdout.replace(f"{ROOT}{os.sep}", "")


def store() -> None:
    """Run every example and keep what it prints."""
    OUTPUTS.mkdir(exist_ok=True)
    for path in examples():
        (OUTPUTS / f"{path.stem}.txt").write_text(output_of(path), encoding="utf-8")


def words_of(path: Path) -> tuple[str, str]:
    """What an example says of itself, and its code without that."""
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text)) or ""
    end = ast.parse(text).body[0].end_lineno or 0
    return said, "\n".join(text.splitlines()[end:]).strip("\n")


def page_of(path: Path) -> str:
    """The page of an example."""
    said, code = words_of(path)
    name, _, rest = said.partition(": ")
    printed = (OUTPUTS / f"{path.stem}.txt").read_text(encoding="utf-8").rstrip("\n")
    lines = [f"# {name}", "", f"{rest[:1].upper()}{rest[1:]}", "", f"`examples/{path.name}`:", ""]
    lines += ["`````python", code, "`````", "", "prints", "", "`````text", printed, "`````", ""]
    return "\n".join(lines)


def write(folder: Path) -> None:
    """The pages of the examples, and the one that leads to them."""
    (folder / "gallery").mkdir(exist_ok=True)
    for path in examples():
        (folder / "gallery" / f"{path.stem}.md").write_text(page_of(path), encoding="utf-8")
    rows = [f"| [`{p.name}`]({p.stem}.md) | {words_of(p)[0].splitlines()[0]} |" for p in examples()]
    head = [
        "# Gallery",
        "",
        "Algorithms that are not in the papers, each in at most forty lines, with the theorem that it is checked against.",
        "",
    ]
    tree = ["", "```{toctree}", ":hidden:", "", *(p.stem for p in examples()), "```", ""]
    (folder / "gallery" / "index.md").write_text(
        "\n".join([*head, "| example | |", "|---|---|", *rows, *tree]), encoding="utf-8"
    )
