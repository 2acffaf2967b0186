"""The edits of the mutation harness: each changes the code, and a running function takes it over."""

from __future__ import annotations

import ast
import importlib.util
import tomllib
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from benchmarks import mutation
from benchmarks.mutation.edits import Edit, edited, edits
from benchmarks.mutation.runner import Baseline, has_reason, key, loaded, put
from fltheory import kernel

SOURCE = """
LIMIT = 3

def kept(xs, low, exact=False):
    if low < 0 or not xs:
        raise ValueError("negative")
    found = [x + 1 for x in xs if x >= low]
    print("seen")
    return all(x > 0 for x in found) and -low <= max(found)

class Box:
    size = 2

    def holds(self, n):
        return n == self.size if n else False
"""


def test_every_edit_changes_one_function_and_compiles() -> None:
    plain, found = ast.unparse(ast.parse(SOURCE)), edits(SOURCE)
    texts = [ast.unparse(edited(SOURCE, e.number)) for e in found]
    assert plain not in texts
    assert len(set(texts)) > 0.9 * len(texts)
    for text in texts:
        compile(text, "edited", "exec")
        assert "LIMIT = 3" in text
        assert "size = 2" in text
    kinds = {e.kind for e in found}
    assert kinds >= {"comparison", "operator", "operand", "branch", "filter", "exception", "statement", "sign", "call"}
    assert {e.function for e in found} == {"kept", "Box.holds"}
    shown = [(e.before, e.after) for e in found if e.kind == "comparison"]
    assert ("x >= low", "x > low") in shown


def test_an_edit_is_put_into_a_function_that_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "edited_here.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("edited_here", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.Box().holds(2)
    (one,) = [e for e in edits(SOURCE) if e.before == "n == self.size"]
    assert put(loaded([path])[str(path)], path, edited(SOURCE, one.number)) >= 1
    assert not module.Box().holds(2)
    with pytest.raises(ValueError, match="negative"):
        module.kept([], 0)


def test_the_tests_of_an_edit_are_those_of_its_lines_quick_ones_first() -> None:
    (edit,) = [e for e in edits(SOURCE) if e.before == "n == self.size"]
    lines = {"f": {edit.line: ["x::slow", "x::quick", "x::failing", "y::slow"], edit.line - 1: ["x::other"]}}
    seconds = {"x::slow": 9.0, "y::slow": 9.0, "x::quick": 1.0, "x::failing": 0.1, "x::other": 0.2}
    baseline = Baseline(frozenset({"x::failing"}), seconds, lines)
    assert baseline.tests("f", edit, 20.0) == ["x::quick", "x::slow", "y::slow"]
    assert baseline.tests("f", edit, 9.0) == ["x::quick", "y::slow"]
    assert baseline.tests("f", edit, 5.0) == ["x::quick"]
    assert baseline.tests("f", edit, 5.0, ("x",)) == ["x::quick", "x::slow"]
    assert baseline.tests("f", edit, 0.5) == ["x::quick"]  # the quickest, where there is time for none
    assert baseline.tests("g", edit, 5.0) == []


def test_an_edit_keeps_its_name_while_its_function_stays_as_it_is() -> None:
    names = [key({"file": "f", **asdict(e)}) for e in edits(SOURCE)]
    assert len(set(names)) == len(names)
    moved = [key({"file": "f", **asdict(e)}) for e in edits(SOURCE.replace("LIMIT = 3", "LIMIT = 3\n\n\n"))]
    assert moved == names
    other = [key({"file": "f", **asdict(e)}) for e in edits(SOURCE.replace("if n else False", "if n else True"))]
    assert [n for n in names if n in other] == [n for n in names if n[2] == "kept"]


FOLDER = Path(mutation.__file__).parent


@cache
def of_the_kernel() -> dict[str, list[Edit]]:
    """The edits of each file."""
    folder = Path(kernel.__file__).parent
    own = [p for p in sorted(folder.rglob("*.py")) if p.name != "__main__.py"]
    return {f"fltheory/kernel/{p.relative_to(folder)}": edits(p.read_text(encoding="utf-8")) for p in own}


def test_the_kept_table_is_of_the_kernel_as_it_is_and_no_edit_survives() -> None:
    """Else: python -m benchmarks.mutation kernel, and its table goes into kernel.md."""
    lines = (FOLDER / "kernel.md").read_text(encoding="utf-8").splitlines()
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("| fltheory")]
    assert {name: int(count) for name, count, *_ in rows} == {
        name: len(own) for name, own in of_the_kernel().items() if own
    }
    for name, count, killed, equivalent, *others, _ in rows:
        assert int(killed) + int(equivalent) == int(count), name
        assert set(others) == {"0"}, name


def test_every_edit_that_is_said_to_change_nothing_is_one() -> None:
    entries = tomllib.loads((FOLDER / "kernel.toml").read_text(encoding="utf-8"))["edit"]
    assert len({tuple(sorted((k, v) for k, v in e.items() if k != "reason")) for e in entries}) == len(entries)
    for entry in entries:
        assert {"file", "function", "before", "after", "reason"} <= set(entry), (
            entry
        )  # of one edit, not of all that look so
        own = [{"file": entry["file"], **asdict(e)} for e in of_the_kernel()[entry["file"]]]
        assert any(has_reason(row, (entry,)) for row in own), entry
