"""The command line: what every command prints, its exit status, its files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from fltheory import verification
from fltheory.api import lookup, show, tightness
from fltheory.claims import catalogue as papers
from fltheory.claims.catalogue import catalogue
from fltheory.claims.check import CASE_RATE, check_claim
from fltheory.claims.claim import Claim
from fltheory.command import tables, verdict_table
from fltheory.command.jsonl_writer import Journal
from fltheory.evidence.verdict import Verdict
from fltheory.model.case import Case
from fltheory.proof import library
from fltheory.verification import find
from tests.papers.sample import sampled
from tests.typed import Run

FIELDS = [
    "id",
    "paper",
    "reading",
    "instance",
    "status",
    "recorded",
    "evidence",
    "measured",
    "limit",
    "ratio",
    "error_rate",
    "n_seeds",
    "seconds",
    "reason",
    "counterexample",
    "variant",
    "seed",
    "profile",
    "low",
    "high",
    "scope",
    "class",
    "class_worst",
    "unchanged_since",
]
CLAIM = "sfl/T3-SC@corrected"
CONSTANTS = ["M=4", "K=2", "R=1200", "L=1", "mu=1/10", "eta=1/100", "D=1", "sigma=1", "zeta_star=1"]


def objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Help and version -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", "list", "show", "bound", "verify", "falsify", "proofs", "plot"])
def test_help(run: Run, command: str) -> None:
    status, out, err = run(*command.split(), "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: fltheory {command}".rstrip())


def test_no_arguments_show_help(run: Run) -> None:
    status, out, _ = run()
    assert status == 0
    assert "verify" in out


def test_version(run: Run) -> None:
    assert run("--version")[:2] == (0, "fltheory 0.1.0\n")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["verify", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "fltheory", *arguments], capture_output=True, text=True, check=True
    )
    imported = {line.split("|")[-1].strip().split(".")[0] for line in result.stderr.splitlines()}
    assert "typer" in imported
    assert not imported & {
        "sympy",
        "numpy",
        "flint",
        "numba",
        "scipy",
        "matplotlib",
        "joblib",
        "hypothesis",
        "pydantic",
    }


# list and show --------------------------------------------------------------------------------------------------


def test_list_as_json_has_every_claim(run: Run) -> None:
    status, out, _ = run("list", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [r["id"] for r in rows] == [c.id for c in catalogue()]
    assert all(list(r) == ["id", "paper", "reading", "kind", "recorded", "source"] for r in rows)


@pytest.mark.parametrize(
    ("selector", "readings"),
    [
        ("sfl/T3-SC", 4),
        (CLAIM, 1),
        ("sfl/T3-SC@*", 4),
        ("*/T3-SC@strict", 1),
        ("*/T3-SC@printed", 1),
        ("sfl", sum(c.paper == "sfl" for c in catalogue())),
    ],
)
def test_selectors(selector: str, readings: int) -> None:
    assert len(lookup.select(selector)) == readings


@pytest.mark.parametrize("family", ["sfl/TAB1", "sfl/U12", "sfl/S5.1", "sfl/S5.2"])
def test_family_selects_all_of_it(family: str) -> None:
    assert lookup.select(family) == lookup.select(f"{family}-*")


def test_selectors_add_up_without_repetition() -> None:
    chosen = lookup.select("sfl/T3-GC@printed", "sfl/T3-SC", CLAIM)
    assert [c.id.split("/")[1] for c in chosen] == [
        "T3-SC@printed",
        "T3-SC@strict",
        "T3-SC@corrected",
        "T3-SC@strengthened",
        "T3-GC@printed",
    ]


def test_only_papers_that_are_named_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...] | None] = []

    def asking(keys: tuple[str, ...] | None = None) -> Any:
        asked.append(keys)
        return catalogue(keys)

    monkeypatch.setattr(papers, "catalogue", asking)
    lookup.select("osmd/*@printed", "sfl/T3-SC")
    assert lookup.claim_of(CLAIM) is find(CLAIM)
    assert asked == [("sfl", "osmd"), ("sfl",), ("sfl",)]
    lookup.select("osmd", "*/T3-SC@printed")
    assert asked[3] == ("sfl", "osmd")
    with pytest.raises(KeyError, match=CLAIM):
        find("T3-SC@corrected")


def test_list_fits_the_page(run: Run) -> None:
    _, out, _ = run("list")
    assert max(map(cell_len, out.splitlines())) <= tables.WIDTH  # a letter with a bar takes one column
    assert "\x1b" not in out
    assert all(c.id in out for c in catalogue())


def test_narrow_terminal_still_shows_everything(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("list", "sfl/T3*")
    assert max(map(cell_len, out.splitlines())) <= 80
    assert CLAIM in out


def test_narrow_tables_drop_columns_and_keep_ids_whole(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {
        "id": "sfl/PP-SFL-GC-tuned@explicit",
        "paper": "sfl",
        "variant": None,
        "status": "violated",
        "recorded": "holds",
        "ratio": 1.0004,
        "evidence": "exact",
        "seconds": 1.0,
        "error_rate": 0.0,
        "reason": "far " * 40,
        "counterexample": "verify( " * 40,
    }
    table = verdict_table.verdict_table([row])
    assert [table.columns[i] for i in table.shown(100)] == list(table.columns)
    assert [table.columns[i] for i in table.shown(76)] == list(table.columns)[:-1]
    assert [table.columns[i] for i in table.shown(30)] == ["claim", "verdict", "recorded"]
    assert table.rows[0][3] == "1.0004"
    assert max(map(len, verdict_table.run_summary([row], 1, 1.0))) > 100
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, verdict_table.run_summary([row], 1, 1.0))) <= 80
    monkeypatch.setenv("COLUMNS", "20")
    _, out, _ = run("list", "sfl/PP-SFL-GC-tuned@explicit")
    assert "sfl/PP-SFL-GC-tuned@explicit" in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_external_results_expect_no_verdict(run: Run) -> None:
    claim_id = "sfl/TAB1-GC-Woodworth@printed"
    assert re.search(r"external +external", run("list", claim_id)[1])
    assert "recorded verdict: external" in run("show", claim_id)[1]
    (row,) = json.loads(run("list", "--json", claim_id)[1])
    assert row["recorded"] is None


def test_show_spends_one_error_rate_for_each_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """As every command that speaks of a case."""
    spent: list[float] = []

    def checked(claim: Claim, case: Case, error_rate: float, seed: int) -> Verdict:
        spent.append(error_rate)
        return check_claim(claim, case, error_rate, seed)

    monkeypatch.setattr(verification, "_verdict_cache", {})
    monkeypatch.setattr(verification, "check_claim", checked)
    tightness.computed_ratio_lines(find(CLAIM))
    assert len(spent) > 1
    assert set(spent) == {CASE_RATE}


def test_show(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is recorded is said to be recorded: nothing is run, and no proof is loaded."""
    for asked in ("verdict_on", "own_verdicts"):
        monkeypatch.setattr(tightness, asked, lambda *_: pytest.fail("a case was checked"))
    monkeypatch.setattr(library, "load", lambda *_: pytest.fail("proofs were loaded"))
    status, out, _ = run("show", CLAIM)
    assert status == 0
    for part in ("η̃ = K·M·η", "R·η̃·μ ≥ 1", "ζ⋆: root mean square", "every client is smooth", "Theorem 3"):
        assert part in out
    assert "\nproof: recorded as PROVED (kernel, Rocq 8.16), all parameters; 7 steps (not checked now; " in out
    assert re.search(
        r"recorded: worst measured / limit over \d+ cases: 0\.0\d+ \(exact; class 0\.\d+ in \d+ of \d+\)", out
    )
    assert f"nothing was run now; fltheory show --check {CLAIM} runs it" in out
    assert "computed now" not in out


@pytest.mark.turns(3)
def test_show_can_check(run: Run) -> None:
    status, out, _ = run("show", CLAIM, "--check")
    assert status == 0
    assert re.search(r"\nproof: PROVED, all parameters; .* \(checked now; ", out)
    assert re.search(r"computed now: measured / limit over its \d+ cases: .* to 0\.0\d+ \(exact\)", out)
    assert "vacuous in none of them" in out
    assert "recorded" not in out


def test_show_of_nothing_measured_promises_no_run(run: Run) -> None:
    out = run("show", "sfl/TAB1-GC-Woodworth@printed")[1]
    assert "an external result: compared and plotted, not asserted" in out
    assert "--check" not in out


def test_what_is_recorded_leaves_room_for_proofs_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tightness.recorded_result(find(CLAIM)) is not None
    monkeypatch.setattr(tightness, "registered", lambda group: [EntryPoint("mine", "mine:PROOFS", group)])
    assert tightness.recorded_result(find(CLAIM)) is None


def test_show_latex(run: Run) -> None:
    _, out, _ = run("show", CLAIM, "--latex")
    assert r"\frac{18 \tilde\eta^{2}" in out
    assert r"\tilde\eta \leq \frac{1}{6 L}" in out


@pytest.mark.parametrize("claim", sampled(catalogue(), first=1))
def test_every_page_can_be_printed(claim: Claim) -> None:
    assert tightness.recorded_result(claim) is not None
    assert str(show.show(claim, latex=len(claim.id) % 2 == 0)).startswith(claim.id)


# verify ---------------------------------------------------------------------------------------------------------


def test_verify_writes_the_contract(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    status, out, _ = run("verify", "sfl/T3-SC", "--jobs", 1, "--json", path)
    rows = objects(path)
    assert status == 0
    assert len(rows) == sum(len(c.cases) for c in lookup.select("sfl/T3-SC"))
    assert all(list(r) == FIELDS for r in rows)
    assert all(r["status"] == r["recorded"] and r["evidence"] == "exact" for r in rows)
    assert all((r["ratio"] <= 1) == (r["status"] == "holds") and r["seconds"] > 0 for r in rows)
    violated = [r for r in rows if r["status"] == "violated"]
    assert violated
    assert all("verify(" in r["counterexample"] for r in violated)
    assert "all as recorded" in out
    assert list(tmp_path.iterdir()) == [path]


def test_witness_in_the_file_replays(run: Run, tmp_path: Path) -> None:
    run("verify", "sfl/T3-SC@strict", "--jobs", 1, "--json", tmp_path / "rows.json")
    line = objects(tmp_path / "rows.json")[0]["counterexample"]
    result = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert "violated" in result.stdout


def test_jobs_change_nothing(run: Run, tmp_path: Path) -> None:
    found = []
    for jobs in (1, 2, 3):
        path = tmp_path / f"{jobs}.json"
        run("verify", "delta_sgd/T1-S*", "delta_sgd/T1-same", "sfl/C4-SC", "--jobs", jobs, "--json", path, "--seed", 7)
        found.append([{**row, "seconds": None} for row in objects(path)])
    assert found[0] == found[1] == found[2]
    assert {"exact", "statistical"} <= {row["evidence"] for row in found[0]}


def test_verify_table_fits_the_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PROGRESS_INTERVAL", 600.0)  # how far it has come is not the table's
    _, out, err = run("verify", "sfl/T3*", "sfl/C4-SC*", "--jobs", 1)
    table = out.split(" claims, ")[0]
    assert max(map(len, table.splitlines())) <= tables.WIDTH
    assert "\x1b" not in out
    assert err == ""


def test_faithful_variant_agrees_with_the_catalogue(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from fltheory.papers.sfl.algorithms import sequential\n"
        "def step(x, oracle, c):\n"
        "    for m in oracle.order().T:\n"
        "        for k in range(c.n_local_steps):\n"
        "            x -= c.step_size * oracle.gradient(x, m, k)\n"
        "    return x\n"
    )
    rows = []
    for name in ("step", "sequential"):
        status, _, _ = run(
            "verify",
            "sfl/s4@explicit",
            "--jobs",
            1,
            "--variant",
            f"{tmp_path}/mine.py:{name}",
            "--json",
            tmp_path / "rows.json",
        )
        assert status == 0
        rows.append(objects(tmp_path / "rows.json"))
    for mine, theirs in zip(*rows, strict=True):
        assert mine["evidence"] == theirs["evidence"] == "exact"
        assert mine["measured"] == pytest.approx(theirs["measured"], rel=1e-12)


# falsify, plot --------------------------------------------------------------------------------------------------


def test_falsify_finds_a_false_statement(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("falsify", "sfl/T3-SC@strict", "--json", tmp_path / "w.json")
    assert status == 1
    assert "counterexample: from fltheory import verify" in out
    (row,) = objects(tmp_path / "w.json")
    assert (row["status"], list(row)) == ("violated", FIELDS)


def test_falsify_finds_nothing_against_a_true_one(run: Run, tmp_path: Path) -> None:
    status, out, _ = run("falsify", CLAIM, "--work", 300, "--json", tmp_path / "w.json")
    assert status == 0
    assert "no counterexample found" in out


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_plot(run: Run, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"picture.{ending}"
    assert run("plot", CLAIM, "-o", path, "--along", "η")[:2] == (0, f"{path}\n")
    assert path.stat().st_size > 1000
    assert list(tmp_path.iterdir()) == [path]


def test_plots_of_other_kinds(run: Run, tmp_path: Path) -> None:
    path, numbers = tmp_path / "p.svg", tmp_path / "p.csv"
    for options in (
        (CLAIM, "--terms", "--along", "eta", "--set", "R=60", "--style", "dark"),
        (CLAIM, "--counterexample", "--width", "page"),
        ("--overview", "osmd"),
        ("sfl/TAB1-GC-Woodworth@printed", *(f"--set={n}=2" for n in ("M", "K", "R", "L", "D", "sigma", "zeta_hat"))),
    ):
        assert run("plot", *options, "-o", path, "--csv", numbers)[:2] == (0, f"{path}\n"), options
        assert "<desc" in path.read_text()
        assert numbers.read_text().count("\n") > 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "missing ID"),
        ((CLAIM, "--terms", "--counterexample"), "--terms and --counterexample: expected one kind of picture"),
        (("--overview", "nope"), "expected a paper's key"),
        (("--overview", "--along", "R"), "--overview takes no --along"),
        (("--proof", "sfl/U6", CLAIM), "expected one id"),
        (("--proof", "sfl/U66"), "no theorem of this name"),
        ((CLAIM, "--style", "neon"), "--style must be one of paper, slide, dark"),
        ((CLAIM, "--width", "0"), "--width must be column, page or from 2 to 40 inches"),
        ((CLAIM, "--set", "L=3"), "can't be set: the free constants are"),
        ((CLAIM, "--set", "M=3"), "there is no such instance with n_clients = 3"),
        ((CLAIM, "--seconds", "-1"), "expected a positive number"),
        (("sfl/TAB1-GC-Woodworth@printed", "--set", "R=5"), "missing"),
        (("sfl/L8@printed", "--terms"), "can't be plotted"),
    ],
)
def test_a_plot_that_can_not_be_drawn_says_why(run: Run, tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    status, _, err = run("plot", *options, "-o", tmp_path / "p.svg")
    assert status == 2
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_plot_tells_what_time_left_out(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the case's own value is measured in time."""
    from fltheory.plotting import sweep

    monkeypatch.setattr(sweep, "items_before", lambda deadline, points: iter([next(points)]))
    status, _, err = run("plot", CLAIM, "-o", tmp_path / "p.svg", "--seconds", 1000)
    assert status == 0
    assert re.search(r"--seconds 1000: 1 of \d+ values, no time for more", err)
    assert "Cut short: 1 of" in (tmp_path / "p.svg").read_text()


def test_a_plot_tells_what_work_left_out(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.plotting import sweep

    status, _, err = run("plot", CLAIM, "-o", tmp_path / "q.svg")
    assert (status, err) == (0, "")  # the default is enough
    monkeypatch.setattr(sweep, "CALL_COST", 4.0)  # units of a value
    status, _, err = run("plot", CLAIM, "-o", tmp_path / "p.svg", "--work", 10)
    assert status == 0
    assert re.search(r"--work 10: 2 of \d+ values, no work for more", err)
    assert "Cut short: 2 of" in (tmp_path / "p.svg").read_text()


# Files ----------------------------------------------------------------------------------------------------------


def test_journal_keeps_rows_of_a_run_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    journal = Journal(path)
    journal.add(1, {"b": 2})
    journal.add(0, {"a": 1})
    assert not path.exists()
    with pytest.raises(RuntimeError), journal:
        raise RuntimeError
    assert objects(path) == [{"a": 1}, {"b": 2}]
    assert list(tmp_path.iterdir()) == [path]


def test_journal_of_a_run_without_rows_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    old = {"claim": "a/b", "paper": "a", "kind": "lemma", "standing": "open", "why": ""}
    path.write_text(json.dumps(old))
    with pytest.raises(KeyboardInterrupt), Journal(path):
        raise KeyboardInterrupt
    assert objects(path) == [old]
    assert list(tmp_path.iterdir()) == [path]


def test_reader_that_stops_early_is_no_error() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fltheory", "list", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


def test_claims_are_found_by_words(run: Run) -> None:
    """In statements, remarks, letters, verdicts and titles; all of them must occur."""
    status, out, _ = run("list", "--search", "partial participation")
    assert status == 0
    assert "sfl/" in out
    assert "aaggff/" not in out
    status, out, _ = run("list", "--search", "Rafiey greedy", "--json")
    found = json.loads(out)
    assert found
    assert {row["paper"] for row in found} == {"fedcg"}
    assert (
        len(json.loads(run("list", "--search", "vacuous", "--json")[1])) < len(json.loads(run("list", "--json")[1])) / 2
    )
    status, _, err = run("list", "sfl", "--search", "unicorns")
    assert status == 2
    assert "no claim of" in err
