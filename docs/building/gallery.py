"""A page for each example: what it says, its code, and what it printed when ``python -m docs --outputs`` was last run."""

from __future__ import annotations

import ast
import math
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Answer:
    """A verdict that an example prints: the claim, the verdict, and the ratio to the bound, "" where none is printed."""

    claim: str
    status: str
    ratio: str


def answers_of(printed: str) -> tuple[Answer, ...]:
    """The verdicts in an output, in its order."""
    found = re.findall(r"^(\S+/\S+@\w+), variant [^\n]*?: (\w+) \((?:ratio ([\d.e+-]+))?", printed, re.MULTILINE)
    return tuple(Answer(*one) for one in found)


def stored(path: Path) -> str:
    """What an example printed when it was last run."""
    return (OUTPUTS / f"{path.stem}.txt").read_text(encoding="utf-8").rstrip("\n")


def badge(answer: Answer) -> str:
    """A verdict and its ratio for a page."""
    ratio = f" {answer.ratio}" if answer.ratio else ""
    return f'<span class="verdict {answer.status}">{answer.status}</span>{ratio}'


def picture(named: Sequence[tuple[str, Answer]], links: bool = True) -> str:
    """The ratios to the bound on a logarithmic axis as SVG, a row each; right of the line the bound is violated.

    A row's name is a link to the page of that name, or just a name.
    """
    rows = [
        (name, answer.status, math.log10(float(answer.ratio))) for name, answer in named if float(answer.ratio or 0)
    ]
    if not rows:
        return ""
    low, high = min(-1, *(math.floor(r) for *_, r in rows)), max(1, *(math.ceil(r) for *_, r in rows))
    left, wide, step = 190, 420, 18
    place = {e: left + wide * (e - low) / (high - low) for e in range(low, high + 1)}
    bottom = step * len(rows) + 8
    drawn = [f'<path class="{"one" if e == 0 else "grid"}" d="M{x:.0f} 0V{bottom}"/>' for e, x in place.items()]
    drawn += [f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{10.0**e:g}</text>' for e, x in place.items()]
    for i, (name, status, ratio) in enumerate(rows):
        y, x = step * i + 13, left + wide * (ratio - low) / (high - low)
        label = f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{name}</text>'
        drawn.append(f'<a href="{name}.html">{label}</a>' if links else label)
        mark = (
            f"M{x - 4:.0f} {y - 4}l8 8m0 -8l-8 8"
            if status == "violated"
            else f"M{x - 4:.0f} {y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0"
        )
        drawn.append(f'<path class="mark {status}" d="{mark}"><title>{name}: {status}</title></path>')
    said = (
        "Ratio of the measured value to the bound for each example"
        if links
        else "Ratios to the bound: right of 1 it fails"
    )
    size = f'viewBox="0 0 {left + wide + 30} {bottom + 24}"'
    role = "group" if links else "img"
    return f'<svg class="ratios" role="{role}" aria-label="{said}" {size}><title>{said}</title>{"".join(drawn)}</svg>'


def sentence_of(path: Path) -> str:
    """The first line of what an example says of itself, for a cell of a table."""
    return words_of(path)[0].splitlines()[0].replace("|", "\\|")


def page_of(path: Path) -> str:
    """The page of an example."""
    said, code = words_of(path)
    name, _, rest = said.partition(": ")
    printed = stored(path)
    lines = [f"# {name}", "", f"{rest[:1].upper()}{rest[1:]}", ""]
    lines += [f"- `{answer.claim}`: {badge(answer)}" for answer in answers_of(printed)]
    drawn = picture([(answer.claim, answer) for answer in answers_of(printed)], links=False)
    lines += (
        ["", "The ratio of the measured value to the bound; right of the line the theorem fails:", "", _raw(drawn)]
        if drawn
        else []
    )
    lines += ["", f"`examples/{path.name}`:", ""]
    lines += ["`````python", code, "`````", "", "prints", "", "`````text", printed, "`````", ""]
    return "\n".join(lines)


def _raw(svg: str) -> str:
    return f"```{{raw}} html\n{svg}\n```"


def write(folder: Path) -> None:
    """The pages of the examples, and the one that leads to them."""
    (folder / "gallery").mkdir(exist_ok=True)
    for path in examples():
        (folder / "gallery" / f"{path.stem}.md").write_text(page_of(path), encoding="utf-8")
    verdicts = {p: "<br>".join(map(badge, answers_of(stored(p)))) for p in examples()}
    rows = [f"| [`{p.name}`]({p.stem}.md) | {verdicts[p]} | {sentence_of(p)} |" for p in examples()]
    head = [
        "# Gallery",
        "",
        "Algorithms that are not in the papers, each in at most forty lines, with the theorem that it is checked against.",
        "The number is the ratio of the measured value to the bound. Above 1 (a cross in the picture) the theorem does not",
        "cover the algorithm.",
        "",
        _raw(picture([(p.stem, a) for p in examples() for a in answers_of(stored(p))[:1]])),
        "",
    ]
    tree = ["", "```{toctree}", ":hidden:", "", *(p.stem for p in examples()), "```", ""]
    (folder / "gallery" / "index.md").write_text(
        "\n".join([*head, "| example | verdict | algorithm |", "|---|---|---|", *rows, *tree]), encoding="utf-8"
    )
