"""Theorems from outside: a file, a module or an installed package joins the catalogue, and a broken one is named."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from fltheory import find, verify
from fltheory.claims import plugins
from fltheory.claims.catalogue import catalogue
from fltheory.claims.claim import python_name_of
from tests.typed import Run

DESCENT = '''
"""Gradient descent with step 1/L."""
from hypothesis import strategies as st

from fltheory import Algorithm, Bound, Case, Claim
from fltheory.model.bound import Source
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastGap
from fltheory.symbols import initial_distance, n_rounds, smoothness


def step(x, oracle, c):
    return x - oracle.gradient(x, 0) / c.smoothness


def slow(x, oracle, c):
    return x - oracle.gradient(x, 0) / c.smoothness / 100


def family():
    curvatures = st.tuples(st.just(1), st.fractions("1/20", 1, max_denominator=20))
    return st.builds(lambda h, r: Case(QuadraticClients((h,), ((0, 0),), (1, 1)), n_rounds=r), curvatures, st.integers(1, 9))


def rate(constant, name, reading, expected):
    source = Source("descent", "Theorem 1", reading)
    bound = Bound(smoothness * initial_distance**2 / (constant * n_rounds), source)
    cases = (Case(QuadraticClients(((1, "1/10"),), ((0, 0),), (3, 3)), n_rounds=10),)
    method = Algorithm("GD", step)
    return Claim(name, "gradient descent", (bound,), LastGap(), method, cases=cases, family=family).recorded_as(expected)


T1 = rate(2, "descent/T1@printed", "printed", "holds")
T2 = rate(200, "descent/T2@strict", "strict", "violated")
'''


@pytest.fixture
def descent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "")
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins.load_claims.cache_clear()
    plugins._import_spec.cache_clear()
    path = tmp_path / "descent.py"
    path.write_text(DESCENT)
    yield path
    sys.modules.pop("descent", None)
    plugins.load_claims.cache_clear()
    plugins._import_spec.cache_clear()


def test_every_command_knows_a_theorem_of_a_file(descent: Path, run: Run) -> None:
    status, out, _ = run("list", descent)
    assert status == 0
    assert out.count("descent/") == 2
    status, out, _ = run("show", f"{descent}:T1@printed")
    assert status == 0
    assert "gradient descent" in out
    status, out, _ = run("bound", f"{descent}:T1@printed", "smoothness=1", "initial_distance=2", "n_rounds=4")
    assert (status, out.split()[0]) == (0, "0.5"), out
    assert run("bound", f"{descent}:T1@printed", "--set", "L=1", "D=2", "R=4", "eta=1") == (
        0,
        out,
        "not used by this bound: η (step_size)\n",
    )
    status, _, err = run("bound", f"{descent}:T1@printed", "--set", "L=1", "D=2", "T=4")
    assert (status, "'T'; this bound takes D (initial_distance), R (n_rounds), L (smoothness)" in err) == (2, True), err
    status, out, _ = run("plot", f"{descent}:T1@printed", "--output", descent.parent / "t1.svg")
    assert status == 0
    assert (descent.parent / "t1.svg").stat().st_size > 1000


def test_it_is_judged_like_any_other(descent: Path, run: Run) -> None:
    """The true one holds, the one with a constant that is too small is refuted afresh, by processes of their own too."""
    status, out, _ = run("verify", descent, "--jobs", 2)
    assert status == 0
    assert "2 claims, 2 cases: 1 holds, 1 violated; all as recorded" in out
    status, out, _ = run("falsify", f"{descent}:T2@strict")
    assert status == 1
    assert "violated" in out
    status, out, _ = run("verify", f"{descent}:T1@printed", "--variant", f"{descent}:slow", "--jobs", 1)
    assert status == 1
    assert "VIOLATES 1 claim" in out


def test_a_named_file_belongs_to_the_catalogue_of_python_too(descent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError):
        find("descent/T1@printed")
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, str(descent))
    assert verify("descent/T1@printed").status == "holds"
    assert [c.id for c in catalogue() if c.paper == "descent"] == ["descent/T1@printed", "descent/T2@strict"]
    assert {c.paper for c in catalogue(("sfl",))} == {"sfl"}


def test_an_installed_package_joins(descent: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("descent", "descent", plugins.ENTRY_POINT_GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point])
    assert find("descent/T1@printed").statement == "gradient descent"
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, str(descent))
    with pytest.warns(UserWarning, match="its key 'descent' is that of descent too; give"):
        assert len([c for c in catalogue() if c.paper == "descent"]) == 2


def test_of_two_files_with_one_name_the_second_is_told_what_to_do(descent: Path, run: Run) -> None:
    """Neither takes the other's place; under names and keys of their own they stand beside each other."""
    folder = descent.parent / "elsewhere"
    folder.mkdir()
    (folder / "descent.py").write_text(DESCENT)
    status, _, err = run("verify", descent, folder / "descent.py")
    assert (status, "Traceback" in err) == (2, False)
    assert f"another module is called descent already, {descent}" in err
    assert "rename one of the files" in err
    (folder / "again.py").write_text(DESCENT)
    status, _, err = run("verify", descent, folder / "again.py")
    assert status == 2
    assert f"its key 'descent' is that of {descent} too; give one of them another key" in err
    (folder / "beside.py").write_text(DESCENT.replace("descent", "beside"))
    os.environ[plugins.PAPERS_VARIABLE] = ""
    status, out, _ = run("list", descent, folder / "beside.py")
    assert (status, out.count("descent/T"), out.count("beside/T")) == (0, 2, 2)


def test_a_file_is_one_file_from_wherever_it_is_named(descent: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(descent.parent)
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "descent.py")
    assert run("list", descent)[1].count("descent/T") == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = (", "SyntaxError"),
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("raise SystemExit(0)", "SystemExit"),
        ("x = 1", "it has no claims"),
        ("CLAIMS = (1,)", "its CLAIMS contain int"),
        ("CLAIMS = 3", "expected a tuple of claims"),
        (DESCENT.replace("initial_distance**2", "initial_distance"), "differ in their powers of"),
        (DESCENT.replace("descent/T1", "sfl/T1"), "a key of its own"),
        (DESCENT.replace("descent/T2@strict", "descent/T1@printed"), "two of its claims have the same id"),
    ],
)
def test_a_broken_one_is_named_and_left_out(descent: Path, run: Run, text: str, words: str) -> None:
    descent.write_text(text)
    status, _, err = run("verify", descent)
    assert status == 2
    assert words in err
    assert "Traceback" not in err
    os.environ[plugins.PAPERS_VARIABLE] = str(descent)
    with pytest.warns(UserWarning, match="are left out"):
        assert len(catalogue()) > 800


def test_a_file_of_several_papers_is_no_one_claim(descent: Path) -> None:
    descent.write_text(DESCENT.replace("descent/T2@strict", "other/T2@strict"))
    with pytest.raises(KeyError, match="several papers are there, descent, other: name one claim by its id"):
        find(str(descent))
    assert find(f"{descent}:T2").id == "other/T2@strict"


@pytest.mark.parametrize("command", ["tightness", "falsify", "show", "worst"])
def test_of_a_file_of_several_claims_it_is_said_how_one_is_named(descent: Path, run: Run, command: str) -> None:
    said = f"{descent} has 2 claims; choose one: "
    assert run(command, descent) == (2, "", f"fltheory: {said}{descent}:T1, {descent}:T2\n")
    descent.write_text(DESCENT.replace("descent/T2@strict", "other/T2@strict"))
    _forget()
    assert run(command, descent) == (2, "", f"fltheory: {said}{descent}:descent/T1, {descent}:other/T2\n")
    descent.write_text(DESCENT.replace("descent/T2@strict", "descent/T1@strict"))
    _forget()
    assert run(command, descent) == (2, "", f"fltheory: {said}{descent}:T1@printed, {descent}:T1@strict\n")


def test_the_only_claim_of_a_file_is_meant_by_its_name(descent: Path, run: Run) -> None:
    descent.write_text(DESCENT.partition("T2 =")[0])
    status, out, _ = run("show", descent)
    assert status == 0
    assert out.startswith("descent/T1@printed")


def test_a_changed_claim_under_an_id_of_its_own_is_the_files(descent: Path, run: Run) -> None:
    descent.write_text(
        "from dataclasses import replace\nfrom fltheory import find\n"
        "T = replace(find('sfl/T3-GC@printed'), id='descent/T@printed')\n"
    )
    _forget()
    claim = find(f"{descent}:T")
    assert (claim.entry.claim, claim.entry.home) == (claim, str(descent))
    assert python_name_of(claim) == f'"{descent}:descent/T@printed"'
    assert find("sfl/T3-GC@printed").entry.home == ""


def test_a_file_of_a_package_may_import_its_other_files(tmp_path: Path, run: Run) -> None:
    """The package that ``fltheory new`` writes is checked before it is installed."""
    package = tmp_path / "climbing" / "slowly"
    package.mkdir(parents=True)
    for folder in (package.parent, package):
        (folder / "__init__.py").write_text("")
    (package / "rates.py").write_text(DESCENT.partition("T2 =")[0])
    (package / "claims.py").write_text("from climbing.slowly.rates import T1\n\nCLAIMS = (T1,)\n")
    status, out, err = run("verify", package / "claims.py")
    assert (status, err) == (0, "")
    assert "descent/T1@printed  holds" in out
    assert sys.modules["climbing.slowly.claims"].T1.entry.home == str(package / "claims.py")


def _forget() -> None:
    """The file is read again."""
    sys.modules.pop("descent", None)
    plugins.load_claims.cache_clear()
    plugins._import_spec.cache_clear()


def test_what_is_not_there_is_told(run: Run) -> None:
    for name in ("nothing.py", "no.such.module"):
        status, _, err = run("list", name)
        assert status == 2
        assert name in err
