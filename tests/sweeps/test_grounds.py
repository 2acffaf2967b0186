"""A row stands under a digest of what it rests on as it was loaded: sources, versions, the case, the files of a user's."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fltheory import find, sweep
from fltheory.claims import plugins
from fltheory.command.cli import run
from fltheory.command.sweeps import Store, make_design, provenance, run_design
from fltheory.model.errors import UserError
from tests.children import environment
from tests.sweeps.test_sweeps import OWN

Theorem = Callable[..., Path]


@pytest.fixture
def theorem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Theorem]:
    """Writes a file with a theorem of its own key; with other text again where it is asked again."""
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "")
    monkeypatch.syspath_prepend(str(tmp_path))
    written = set[str]()

    def write(name: str, **other: str) -> Path:
        text = OWN.replace("swept_theorem", name)
        for old, new in other.values():  # type: ignore[misc]
            text = text.replace(old, new)
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        written.add(name)
        return path

    yield write
    for name in written:
        sys.modules.pop(name, None)


def test_a_file_that_has_changed_since_it_was_loaded_is_refused(theorem: Theorem, tmp_path: Path) -> None:
    """The module is loaded once: what it says now is not what would be checked."""
    path, into = theorem("edited_one"), tmp_path / "rows.db"
    (row,) = sweep(f"{path}:FAR", into=into).rows
    theorem("edited_one", bound=("1 * D", "2 * D"))
    with pytest.raises(
        UserError, match=r"the file of edited_one/FAR.* has changed since it was loaded: begin a new process"
    ):
        sweep(f"{path}:FAR", into=into)
    with Store(into) as store:
        assert len(store) == 1
    theorem("edited_one")
    assert sweep(f"{path}:FAR", into=into).reused == 1
    theorem("edited_one", bound=("1 * D", "2 * D"))
    command = [sys.executable, "-m", "fltheory", "sweep", f"{path}:FAR", "--into", str(into), "--csv", "new.csv"]
    told = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True).stdout
    assert "1 row (0 were there)" in told
    with (tmp_path / "new.csv").open() as file:
        assert float(next(csv.DictReader(file))["limit"]) == 2 * row["limit"]


def test_a_file_that_is_edited_during_the_sweep_gives_no_row(theorem: Theorem) -> None:
    design = make_design((f"{theorem('edited_two')}:FAR",), {"seeds": 2}, {}, (), None, 0, False)

    def edit(done: int, total: int, left: float) -> None:
        theorem("edited_two", bound=("1 * D", "2 * D"))

    with Store(None) as store:
        found = run_design(design, store, progress=edit)
        assert (len(found.rows), len(found.lost), len(store)) == (1, 1, 1)
    assert "has changed since" in found.lost[0].why


def test_what_python_keeps_of_an_older_text_is_not_believed(theorem: Theorem) -> None:
    """A text of the same length, written in the same second, is not told apart by Python itself."""
    path = theorem("edited_three")
    subprocess.run(
        [sys.executable, "-c", "import edited_three"], env=environment(path.parent), cwd=path.parent, check=True
    )
    assert list(path.parent.glob("__pycache__/edited_three.*"))
    of = path.stat()
    theorem("edited_three", bound=("1 * D", "2 * D"))
    os.utime(path, ns=(of.st_atime_ns, of.st_mtime_ns))
    assert str(find(f"{path}:FAR").bound.expr) == "2*initial_distance"


def test_of_a_module_that_was_imported_before_an_edit_nothing_is_kept(theorem: Theorem) -> None:
    path = theorem("edited_four")
    __import__("edited_four")
    theorem("edited_four", bound=("1 * D", "20 * D"))
    with pytest.raises(UserError, match="has changed since it was loaded"):
        sweep(f"{path}:FAR")


def test_the_case_and_the_versions_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        return make_design(("sfl/T3-GC@printed",), {}, {}, (), None, 0, False).points[0].key

    first, versions = key(), provenance.versions()
    assert first == key()
    monkeypatch.setattr("fltheory.command.sweeps.design.versions", lambda: (*versions[:-1], ("hypothesis", "1.0")))
    assert key() != first
    monkeypatch.setattr("fltheory.command.sweeps.design.versions", lambda: versions)
    monkeypatch.setattr("fltheory.command.sweeps.design.case_digest", lambda *given: "another")
    assert key() != first
    assert [name for name, _ in versions] == ["Python", "numpy", "scipy", "sympy", "python-flint", "hypothesis"]


def test_a_case_is_told_by_its_line_alone(theorem: Theorem) -> None:
    one, two = (provenance.case_digest("sfl/T3-GC@printed", index, "") for index in (0, 1))
    assert one != two
    assert provenance.case_digest("sfl/T3-GC@strengthened", 0, "") == one


def test_who_came_first_does_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From another folder, or by another name, the same rows are there, under the name that is asked for now."""
    monkeypatch.chdir(tmp_path)
    Path("v.py").write_text("def nan(x, oracle, c):\n    return 1 / 0\n")

    def csv_of(spec: str, into: str) -> bytes:
        assert run(["sweep", "sfl/T3-GC@printed", "--variant", spec, "--into", into, "--csv", "rows.csv"]) == 0
        return Path("rows.csv").read_bytes()

    whole = f"{tmp_path}/v.py:nan"
    here = csv_of("./v.py:nan", "one.db")
    assert csv_of(whole, "one.db") == csv_of(whole, "two.db") != here
    assert next(csv.DictReader(here.decode().splitlines()))["variant"] == "./v.py:nan"


def test_constants_that_are_held_are_in_the_table(tmp_path: Path) -> None:
    typed = ["sweep", "sfl/T3-GC@printed", "--over", "n_rounds=2,3", "--set", "step_size=1/400"]
    assert run([*typed, "--into", str(tmp_path / "r.db"), "--csv", str(tmp_path / "r.csv")]) == 0
    with (tmp_path / "r.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["step_size"], row["n_rounds"]) for row in rows] == [("1/400", "2"), ("1/400", "3")]


def test_values_that_are_given_twice_were_not_drawn() -> None:
    design = make_design(("sfl/T3-GC@printed",), {"n_rounds": "2,2,3"}, {}, (), None, 0, False)
    assert (len(design.points), design.remarks) == (2, ("1 of the 3 points are given twice",))
