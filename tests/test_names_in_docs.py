"""Pages name files and functions that there are: none keeps the old name of something that was renamed or moved."""

from __future__ import annotations

import ast
import csv
import io
import re
import tokenize
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltheory.proof import find
from proofs_checks.__main__ import main as find_command

ROOT = Path(__file__).parents[1]
RENAMED = ("module", "class", "constant", "function", "public name")
SKIPPED = ("CHANGELOG.md", "docs/reference/renamed.csv")


@cache
def files() -> tuple[Path, ...]:
    """The files of the repository, without what is built or installed."""
    folders = ("fltheory", "tests", "proofs_checks", "figures", "docs", "benchmarks", "examples")
    below = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return tuple(path.relative_to(ROOT) for path in (*below, *ROOT.glob("*.*")))


@cache
def ends() -> frozenset[str]:
    """Every file and folder by each end of its path: ``runs/protocols.py``, ``protocols.py``."""
    found = set()
    for path in files():
        parts = path.parts
        found |= {"/".join(parts[i:j]) for j in range(1, len(parts) + 1) for i in range(j)}
    return frozenset(found)


@cache
def gone() -> frozenset[str]:
    """Names that were renamed and that no Python file has any more."""
    words = set[str]()
    for path in files():
        if path.suffix == ".py":
            words.update(re.findall(r"\w+", (ROOT / path).read_text(encoding="utf-8")))
    with (ROOT / "docs/reference/renamed.csv").open(encoding="utf-8", newline="") as table:
        old = {row["old"].rpartition(".")[2] for row in csv.DictReader(table) if row["kind"] in RENAMED}
    return frozenset(name for name in old if name.isidentifier() and name not in words)


def there_is(name: str) -> bool:
    """Whether a name of a file, in which <...> and * stand for anything, is the end of some path."""
    name = name.strip("/")
    if not re.search(r"[<*]", name):
        return name in ends()
    pattern = re.compile("/".join(re.sub(r"<\w+>|\*+", "[^/]+", part.replace(".", r"\.")) for part in name.split("/")))
    return any(pattern.fullmatch(end) for end in ends())


def faults(text: str) -> list[str]:
    """The names in the code of a page that there are none of."""
    found = []
    for span in re.findall(r"`([^`\n]+)`", text):
        if re.fullmatch(r"[a-z_<*][\w./<>*-]*(\.py|/)", span) and not there_is(span):
            found.append(span)
        found += [word for word in re.findall(r"\w+", span) if word in gone()]
    return found


def comments_and_code(path: Path) -> tuple[list[str], set[str]]:
    """Docstrings and comments of a Python file, and the words of its code with those of its other texts."""
    source = (ROOT / path).read_text(encoding="utf-8")
    told, lines = list[str](), set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
            told.append(text)
            lines.add(node.body[0].lineno)
    code = set(re.findall(r"\w+", str(path)))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            told.append(token.string)
        elif token.type == tokenize.NAME or (token.type == tokenize.STRING and token.start[0] not in lines):
            code.update(re.findall(r"\w+", token.string))
    return told, code


@cache
def written() -> tuple[dict[Path, list[str]], frozenset[str]]:
    """The docstrings and comments of the package by file, and the words of all code; of other files the words of paths."""
    told, code = {}, {word for path in files() for word in re.findall(r"\w+", str(path))}
    for path in files():
        if path.suffix == ".py":
            own, words = comments_and_code(path)
            code |= words
            if path.parts[0] == "fltheory":
                told[path] = own
    return told, frozenset(code)


def unknown_names(text: str, code: Collection[str]) -> list[str]:
    """Names in the code of a docstring that no code has; ``x_...`` stands for names that begin so."""
    spans = re.findall(r"``([^`\n]+)``", text)
    names = [name for span in spans for name in re.findall(r"[A-Za-z_]\w*(?!\w*\.\.\.)", span)]
    return [name for name in names if name not in code]


def test_docstrings_and_comments_name_what_there_is() -> None:
    told, code = written()
    found = {str(path): [name for text in texts for name in unknown_names(text, code)] for path, texts in told.items()}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_stale_name_in_a_docstring_would_be_seen(tmp_path: Path) -> None:
    assert unknown_names("``Old`` and ``new.name(x)``, ``so_...``", {"new", "name", "x"}) == ["Old"]
    (tmp_path / "one.py").write_text('"""About ``gone``."""\nhere = "there"  # not ``lost``\n')
    told, code = comments_and_code(tmp_path / "one.py")
    assert [unknown_names(text, code) for text in told] == [["gone"], ["lost"]]
    assert {"here", "there"} <= code


def test_the_new_names_of_the_table_are_there() -> None:
    """Modules, and what stands at the top of one."""
    with (ROOT / "docs/reference/renamed.csv").open(encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["kind"] in RENAMED and row["new"].startswith("fltheory.")]
    assert len(rows) > 1000
    assert [row["new"] for row in rows if not resolves(row["new"])] == []


def resolves(name: str) -> bool:
    """Whether a dotted name is a module of the package, or something defined in one, or a member of that."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        place = ROOT.joinpath(*parts[:cut])
        if place.with_suffix(".py").is_file() or (place / "__init__.py").is_file():
            source = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
            words = set(re.findall(r"\w+", source.read_text(encoding="utf-8")))
            return set(parts[cut:]) <= words
    return False


PAGES = [path for path in files() if path.suffix == ".md" and str(path) not in SKIPPED and path.parts[0] != "examples"]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_names_what_there_is(page: Path) -> None:
    assert faults((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_stale_name_would_be_seen() -> None:
    assert len(gone()) > 100
    old = "Worst" + "OfClaim"  # no Python file may have it whole
    assert faults("`runs/offers.py`, `scrutiny/` and `" + old + "`") == ["runs/offers.py", "scrutiny/", old]
    assert faults("`fltheory/papers/<key>/<part>/claims.py`") == []


def test_certificates_are_found_for_a_paper_by_its_key(capsys: pytest.CaptureFixture[str]) -> None:
    assert find_command(["find", "nothing"]) == 2
    assert "no paper 'nothing' has proofs; those that have: aaggff" in capsys.readouterr().out


def test_the_command_finds_certificates_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, tuple[str, ...]]] = []

    def recorded(proofs: Any, say: object, names: tuple[str, ...]) -> tuple[()]:
        asked.append((proofs.key, names))
        return ()

    monkeypatch.setattr(find, "find_all_certificates", recorded)
    assert find_command(["find", "sfl", "sfl/U6"]) == 0
    assert asked == [("sfl", ("sfl/U6",))]
