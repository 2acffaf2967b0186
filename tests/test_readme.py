"""The README and its pages tell the truth: examples run, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fltheory
from docs.building import reference
from fltheory.claims.catalogue import place_of_source
from fltheory.claims.claim import Claim
from fltheory.command.cli import app
from fltheory.evidence.verdict import Verdict
from fltheory.papers.sfl.algorithms import sequential
from fltheory.search import falsifier
from fltheory.search.falsifier import Falsification, falsify
from fltheory.verification import find, verify
from fltheory.work import DEFAULT_WORK
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.one_round import descent
from fltheory.worst_case.question import problem_of
from fltheory.worst_case.symmetry_reduction import frame
from tests.papers.recorded import RELEASE
from tests.test_imports import imports, module
from tests.typed import Run

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)
PAGES = ("README.md", "CONTRIBUTING.md", *(path.relative_to(ROOT).as_posix() for path in WRITTEN))
LINES, BYTES = 100, 8_000  # what a stranger reads on one visit


def examples(page: str) -> list[str]:
    """The Python of a page."""
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def run_example(page: str, which: int) -> dict[str, Any]:
    """Run an example; what it has defined."""
    defined: dict[str, Any] = {"__name__": "example"}
    exec(compile(examples(page)[which], page, "exec", dont_inherit=True), defined)
    return defined


def test_every_example_is_run_by_a_test_here() -> None:
    found = {page: len(examples(page)) for page in PAGES if examples(page)}
    assert found == {
        "README.md": 1,
        "CONTRIBUTING.md": 1,
        "docs/how-to/compare.md": 2,  # tests/test_guides.py
        "docs/how-to/prove.md": 4,  # tests/test_guides.py
        "docs/how-to/data.md": 1,
        "docs/reference/oracles.md": 1,
        "docs/how-to/own_theorem.md": 1,
        "docs/reference/python.md": 1,
        "docs/how-to/own_proof.md": 1,  # these four by tests/test_guides.py
        "docs/how-to/online.md": 4,
        "docs/how-to/instances.md": 3,
        "docs/how-to/operator_proofs.md": 4,  # these five by tests/test_guides.py
        "docs/how-to/operators.md": 2,
        "docs/how-to/performance.md": 4,  # tests/test_guides.py
        "docs/how-to/state.md": 1,
        "docs/how-to/sweeps.md": 1,
        "docs/how-to/torch.md": 1,  # in tests/frameworks
        "docs/tutorial/first_verdict.md": 3,
        "docs/tutorial/flower.md": 2,  # in tests/frameworks
        "docs/tutorial/package.md": 14,
        "docs/how-to/variants.md": 5,
        "docs/how-to/worst_cases.md": 5,
    }


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES
    assert len(text.encode()) <= BYTES


def dead_links(page: str, text: str) -> list[str]:
    """Links of a page to files that are not there, and to headings that it doesn't have."""
    headings = {
        re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    }
    links = re.findall(r"\]\(([^)]+)\)", text)
    dead = [link for link in links if link.startswith("#") and link[1:] not in headings]
    own = (ROOT / page).parent
    return dead + [
        link for link in links if link[0] != "#" and ":" not in link and not (own / link.partition("#")[0]).exists()
    ]


@pytest.mark.parametrize("page", [*PAGES, "proofs_checks/README.md"])
def test_links_lead_somewhere(page: str) -> None:
    assert not dead_links(page, (ROOT / page).read_text(encoding="utf-8"))


def test_a_dead_link_is_seen() -> None:
    text = "# A page\n[one](#a-page) [two](#another) [three](docs/none.md) [four](README.md)"
    assert dead_links("README.md", text) == ["#another", "docs/none.md"]


def imported(name: str, within: str) -> set[Path]:
    """The files of a package that a module rests on, its own first: what it imports, what that imports, and so on."""
    known = {module(path): path for path in (ROOT / Path(*within.split("."))).rglob("*.py")}
    found: set[str] = set()
    new = {name}
    while new:
        found |= new
        new = {other for one in new for other in imports(known[one]) if other in known} - found
    return {known[one] for one in found}


def test_what_is_trusted_is_named() -> None:
    """The proofs' page names every file that the checker's verdict rests on, and no other."""
    text = (ROOT / "proofs_checks/README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^  \| `(fltheory/proof/.*\.py)` \| .+ \|$", text, flags=re.MULTILINE)
    assert sorted(rows) == sorted(str(p.relative_to(ROOT)) for p in imported("fltheory.proof.check", "fltheory.proof"))
    files = [p.name for p in (ROOT / "fltheory/kernel").rglob("*.py") if not p.name.startswith("__")]
    assert [name for name in files if f"`{name}`" not in text and f"/{name}`" not in text] == []


@pytest.fixture
def search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The counterexample stays as it was found: to shrink it takes up to ten seconds, and has tests of its own."""
    monkeypatch.setattr(falsifier, "simpler_cases", lambda case: ())


@pytest.fixture(params=["some cases", pytest.param("every case", marks=pytest.mark.deep)])
def judged_on(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, search_alone: None
) -> Callable[[slice], None]:
    """A variant of an example is judged on some cases of its claim alone, with ``-m deep`` on all."""

    def some(cases: slice) -> None:
        if request.param == "every case":
            return

        def judged(claim: Claim) -> Verdict:
            return verify(replace(claim, cases=claim.cases[cases]))

        def searched(claim: Claim, work: int = DEFAULT_WORK) -> Falsification:
            return falsify(replace(claim, cases=claim.cases[cases]), work=work)

        monkeypatch.setattr(fltheory, "verify", judged)
        monkeypatch.setattr(fltheory, "falsify", searched)

    return some


def test_the_claim_of_the_contributing_page_is_whole() -> None:
    """It fits the paper's items, holds as the catalogue's own does, is searched without a fault, and is tight at its corner."""
    made = run_example("CONTRIBUTING.md", 0)
    for claim in made["CLAIMS"]:
        assert place_of_source(claim.bound.source).item == place_of_source(find(claim.id).bound.source).item
        assert verify(claim).status == "holds"
        search = falsify(claim, max_cases=20)
        assert not search.found
        assert search.tested
        assert not search.reason
    strengthened, corner = made["CLAIMS"][-1], made["CORNERS"][0]
    assert verify(strengthened, corner).ratio == pytest.approx(1)
    too_sharp = replace(strengthened, bounds=(replace(strengthened.bound, expr=strengthened.bound.expr / 2),))
    assert verify(too_sharp, corner).status == "violated"


def test_the_example_of_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_example("docs/reference/python.md", 0)
    out = capsys.readouterr().out
    for part in ("<Claim sfl/", "143/1000 0.143", "holds exact", "\ntightness\n", "['PROVED']"):
        assert part in out
    assert (tmp_path / "t3.svg").stat().st_size > 1000


def test_every_command_has_its_function() -> None:
    """The table names every command but those that write files and list adaptors, in each row a function of the package."""
    rows = re.findall(
        r"^\| `fltheory (\w+)[^|]*\| `(\w+)\(", (ROOT / "docs/reference/python.md").read_text(), flags=re.MULTILINE
    )
    commands = {c.name or getattr(c.callback, "__name__", "") for c in app.registered_commands}
    assert {command for command, _ in rows} == commands - {"new", "frameworks"}
    beside = {name for names in reference.BESIDE.values() for name in names}
    assert {function for _, function in rows} <= {*fltheory.__all__, *beside}


def at_every_third_release(test: Callable[..., None]) -> Callable[..., None]:
    """A search of half a minute; with ``-m deep`` always."""
    return test if RELEASE % 3 == 1 else pytest.mark.deep(test)


@at_every_third_release
def test_the_submodular_example_runs(search_alone: None, capsys: pytest.CaptureFixture[str]) -> None:
    run_example("docs/how-to/variants.md", 3)
    assert "fedcg/S1@strengthened, variant: violated" in capsys.readouterr().out


def _ends(printed: str) -> tuple[float, float]:
    low, high = map(float, re.findall(r"([\d.]+) \((?:attained|proved)\)", printed))
    return low, high


def test_the_worst_case_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("docs/how-to/worst_cases.md", 4)
    assert capsys.readouterr().out.split() == ["19/27"]
    run_example("docs/how-to/worst_cases.md", 0)
    assert "between 0.942428" in capsys.readouterr().out
    run_example("docs/how-to/worst_cases.md", 1)
    low, high = _ends(capsys.readouterr().out)
    assert (
        0.9242858 < low <= 0.92428588 <= high < low + 1e-6
    )  # how near the ends come is the solver's, and the machine's
    run_example("docs/how-to/worst_cases.md", 2)
    low, high = _ends(capsys.readouterr().out)
    assert low <= 2 <= high < low + 1e-6
    run_example("docs/how-to/worst_cases.md", 3)
    assert float(capsys.readouterr().out) < 0.05


TABLE = re.findall(
    r"^\| \((\d), (\d)\) \| ([\d.]+) \| ([\d.]+) \| (\d+) \| (\d+) \|$",
    (ROOT / "docs/how-to/worst_cases.md").read_text(encoding="utf-8"),
    flags=re.MULTILINE,
)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"M={row[0]}, K={row[1]}")
def test_the_constants_of_the_page_are_proved(row: tuple[str, ...]) -> None:
    """For Theorem 3's general convex rate at eta_eff = 1/(6 L): the page rounds them up."""
    n_clients, n_local_steps, vectors, block = (int(row[i]) for i in (0, 1, 4, 5))
    found = descent(
        sequential,
        Smooth(1),
        "2/9",
        n_clients=n_clients,
        n_local_steps=n_local_steps,
        step_size=Fraction(1, 6 * n_clients * n_local_steps),
        heterogeneity_at_optimum=1,
    )
    assert found.refused() is None
    assert float(Fraction(1, 6) / found.gain) == float(row[2])
    exact = float(found.spread / found.gain * n_clients * 36)
    assert exact <= float(row[3]) < exact + 2e-4
    problem = problem_of(found.proof.question)
    assert (problem.size, max(frame(problem).sizes)) == (vectors, block)


def test_the_table_of_constants_is_read() -> None:
    assert len(TABLE) == 4


def test_the_example_on_data_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the table of the page it prints what the page shows."""
    text = (ROOT / "docs/how-to/data.md").read_text(encoding="utf-8")
    table, shown = (re.findall(rf"```{kind}\n(.*?)```", text, flags=re.DOTALL)[0] for kind in ("csv", "text"))
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(table, encoding="utf-8")
    run_example("docs/how-to/data.md", 0)
    assert capsys.readouterr().out == shown


def test_the_example_of_a_state_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("docs/reference/oracles.md", 0)
    assert "momentum, fading steps: violated" in capsys.readouterr().out


def test_the_theorem_of_one_s_own_runs() -> None:
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(examples("docs/how-to/own_theorem.md")[0], "docs/how-to/own_theorem.md", "exec"), names)
    claim = names["T1"]
    assert isinstance(claim, Claim)
    assert verify(claim).status == "holds"
    assert not falsifier.falsify(claim, max_cases=20).found


def test_the_tutorial_shows_the_files_of_its_package() -> None:
    """Each example is a passage of the file that its first line names, word for word."""
    for example in examples("docs/tutorial/package.md"):
        name, _, text = example.partition("\n")
        assert text in (ROOT / "examples/basics" / name.removeprefix("# ")).read_text(encoding="utf-8"), name


def test_the_step_rule_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("docs/how-to/variants.md", 4)
    assert "delta_sgd/V-one@corrected, variant mine: violated" in capsys.readouterr().out


def test_the_sampler_example_runs(judged_on: Callable[[slice], None], capsys: pytest.CaptureFixture[str]) -> None:
    judged_on(slice(3, 5))
    run_example("docs/how-to/variants.md", 1)
    assert "osmd/C-P13@strengthened, variant: violated" in capsys.readouterr().out


def test_the_learner_example_runs(judged_on: Callable[[slice], None], capsys: pytest.CaptureFixture[str]) -> None:
    judged_on(slice(5, 9))
    run_example("docs/how-to/variants.md", 2)
    assert "aaggff/T5.2@printed, variant: violated" in capsys.readouterr().out


def test_the_variant_of_the_readme_is_refuted_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """The line that it prints, word for word, but for the counterexample, which the README shortens."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(examples("README.md")[0])
    command, verdict = re.search(r"\$ fltheory (.*)\n(.*)\n", (ROOT / "README.md").read_text(encoding="utf-8")).groups()  # type: ignore[union-attr]
    status, out, _ = run(*shlex.split(command))
    assert status == 1
    assert out.splitlines()[0] == verdict
    assert out.splitlines()[1].startswith("  counterexample: from fltheory import verify; ")


def test_the_variant_example_runs(judged_on: Callable[[slice], None], capsys: pytest.CaptureFixture[str]) -> None:
    """The example is what it says: exact evidence, and a counterexample with its line."""
    assert examples("README.md")[0] in examples("docs/how-to/variants.md")[0]
    judged_on(slice(2))
    run_example("docs/how-to/variants.md", 0)
    out = capsys.readouterr().out
    assert "exact" in out
    assert "violated" in out
    assert "counterexample (claim: the one you checked): from fltheory import verify" in out


def test_the_commands_of_the_readme_run(
    search_alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Every line of the block 'Ask a theorem', in this process and with a short search: the counterexample isn't shrunk.

    Tests of the command line start processes of their own.
    """
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split("## Ask a theorem")[1].split("```")[1]
    lines = [line.split("#")[0].strip() for line in block.strip().splitlines()]
    assert len(lines) == 6
    monkeypatch.chdir(tmp_path)
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "fltheory"
        status, out, err = run(*arguments)
        assert status == (1 if "falsify" in arguments else 0), f"{line}\n{out}\n{err}"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.jsonl", "t3.svg"]


def test_the_license_is_the_same_everywhere() -> None:
    """MIT, in LICENSE, pyproject.toml, CITATION.cff and README.md; so are the version and who holds it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    told = (ROOT / "README.md").read_text(encoding="utf-8").split("## How to cite")[1]
    holder = "The fltheory developers"
    assert project["license"] == "MIT"
    assert "\nlicense: MIT\n" in cited
    assert "license = {MIT}" in told
    assert f"version: {project['version']}\n" in cited
    assert f"version = {{{project['version']}}}" in told
    license = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert license.startswith("MIT License")
    assert all(holder in text for text in (license, cited, told))
