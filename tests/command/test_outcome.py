"""What a run of ``verify`` comes to: of the catalogue, and of a variant, which is judged and never compared with a record."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.progress import Progress

from fltheory import verify
from fltheory.claims import plugins
from fltheory.claims.claim import Claim
from fltheory.command import tables, verdict_table
from fltheory.command.variant import with_variant
from fltheory.evidence.verdict import STRADDLES, Verdict
from fltheory.model.case import Case
from fltheory.plotting.picture import claim_picture
from fltheory.search import evaluations, falsifier
from fltheory.verification import find
from tests.typed import Run

CLAIM = "sfl/h4@explicit"  # its cases cost little, also with a step that is followed in Python
FALSE, PLOTTED, KEPT = "sfl/T3-SC@strict", "sfl/C20@strengthened", "sfl/h5@explicit"
MINE = """
import numpy as np

def half(x, oracle, c):
    for m in oracle.order().T:
        x = x - c.step_size / 2 * oracle.gradient(x, m)
    return x

def stay(x, oracle, c): return x

def same(x, oracle, c):
    for m in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * oracle.gradient(x, m, k)
    return x

def breaks(x, oracle, c): return x * (1 / 0)
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def row(status: str, **other: object) -> verdict_table.Row:
    return {
        "id": "x/A@printed",
        "paper": "x",
        "status": status,
        "recorded": "holds",
        "ratio": 0.5,
        "evidence": "exact",
        "variant": None,
        "seconds": 0.1,
        "error_rate": 0.0,
        "reason": "",
        "counterexample": None,
        "measured": 1.0,
        "limit": 2.0,
        "instance": "One()",
        **other,
    }


def of_variant(status: str, **other: object) -> verdict_table.Row:
    return row(status, variant="a/mine.py:step", recorded=None, **other)


def at_constants(status: str, **other: object) -> verdict_table.Row:
    return row(status, recorded=None, **other)


def test_deciding_row_is_an_unexpected_one() -> None:
    rows = [row("violated", recorded="violated", ratio=2.0), row("holds", recorded="violated")]
    assert verdict_table.decisive_row(rows)["status"] == "holds"
    assert verdict_table.decisive_row(rows[:1])["status"] == "violated"
    assert (
        verdict_table.decisive_row([of_variant("holds"), of_variant("violated"), of_variant("inapplicable")])["ratio"]
        == 0.5
    )


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([row("holds")], 0),
        ([row("holds"), row("violated")], 1),
        ([row("violated", recorded="violated")], 0),
        ([row("holds", recorded="violated")], 1),
        ([row("inapplicable", recorded="inapplicable", evidence=None)], 0),
        ([], 3),
        ([of_variant("holds"), of_variant("vacuous")], 0),
        ([of_variant("holds"), of_variant("violated")], 1),
        ([of_variant("inconclusive", evidence="statistical")], 3),
        ([of_variant("inconclusive", evidence="statistical"), of_variant("vacuous")], 0),
        ([of_variant("inconclusive", evidence="statistical"), of_variant("violated")], 1),
        ([row("inconclusive", recorded="inconclusive")], 0),
        ([of_variant("inconclusive", evidence=None)], 3),
        ([of_variant("holds"), of_variant("inconclusive", evidence=None)], 3),
        ([of_variant("holds"), of_variant("inapplicable", evidence=None)], 3),
        ([of_variant("violated"), of_variant("inapplicable", evidence=None)], 1),
        ([at_constants("vacuous"), at_constants("holds")], 0),
        ([at_constants("vacuous"), at_constants("violated")], 1),
        ([at_constants("holds"), at_constants("inapplicable", evidence=None)], 0),
        ([at_constants("inapplicable", evidence=None)], 3),
        ([at_constants("holds"), at_constants("inconclusive", evidence=None)], 3),
    ],
)
def test_exit_status(rows: list[verdict_table.Row], status: int) -> None:
    assert verdict_table.exit_status(rows) == status


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("sfl/T3-GC@printed --set R=3", 0, "12 vacuous; none is violated at these constants"),
        ("sfl/T3-GC@printed --set eta=1000", 3, "NOTHING WAS DECIDED"),
        ("sfl/T3-GC@printed --set eta=1000", 3, "(6 of 6 cases): the condition η̃ <= 1/(6*L) fails"),
        ("sfl/C4-GC@printed --set R=3", 0, "1 vacuous; none is violated at these constants"),
        ("sfl/C4-GC@printed --set R=1e18", 1, "1 claim VIOLATED at these constants"),
    ],
)
def test_what_is_recorded_is_no_word_on_other_constants(
    run: Run, tmp_path: Path, command: str, status: int, said: str
) -> None:
    """It is about own cases: at constants that a user sets nothing is unexpected, and the status says whether it is violated."""
    out_file = tmp_path / "rows.jsonl"
    code, out, _ = run("verify", *command.split(), "--json", str(out_file))
    assert (code, said in " ".join(out.split())) == (status, True)
    assert "recorded" not in out.lower()
    assert {json.loads(line)["recorded"] for line in out_file.read_text().splitlines()} == {None}


def test_a_case_outside_at_other_constants_decides_nothing_where_another_tells() -> None:
    rows = [at_constants("inapplicable", evidence=None, ratio=None), at_constants("holds")]
    assert verdict_table.decisive_row(rows)["status"] == "holds"
    assert verdict_table.decisive_row(rows[:1])["status"] == "inapplicable"
    assert verify("sfl/T3-GC@printed", n_rounds=3).recorded is None
    assert verify("sfl/T3-GC@printed").recorded == "holds"


def test_a_table_of_many_claims_shows_those_that_deserve_reading() -> None:
    many = [row("holds", id=f"x/A{i}@printed") for i in range(verdict_table.MAX_FULL_TABLE + 1)]
    odd = row("inconclusive", id="x/B@printed", recorded="inconclusive")
    assert verdict_table.rows_to_show(many, every=False) == []
    assert verdict_table.rows_to_show([*many, odd], every=False) == [odd]
    assert verdict_table.rows_to_show([*many, odd], every=True) == [*many, odd]
    assert verdict_table.rows_to_show(many[:3], every=False) == many[:3]


def test_a_summary_has_a_row_for_each_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """With bars of the shares at 80 columns, a total and a legend; the sums stand in words below."""
    monkeypatch.setenv("COLUMNS", "80")
    rows = [row("holds"), row("holds", id="y/A@printed", paper="y"), row("violated", id="y/B@printed", paper="y")]
    papers = verdict_table.PaperTable([r["id"] for r in rows])
    lines = [line for r in rows for line in papers.add(r)] + papers.end()
    bar, half = "█" * 23, "█" * 12 + "×" * 11
    assert lines == [
        "paper  claims  cases  share of the cases           █      ×      ░      ?      ·",
        "─" * 80,
        f"x           1      1  {bar}      1      -      -      -      -",
        f"y           2      2  {half}      1      1      -      -      -",
        "  1 claim NOT AS RECORDED",
        f"total       3      3  {'█' * 16 + '×' * 7}      2      1      -      -      -",
        "█ holds  × violated  ░ vacuous  ? inconclusive  · inapplicable",
        "",
    ]
    monkeypatch.delenv("COLUMNS")
    lines = verdict_table.run_summary(rows, 4, 1.0)
    assert lines[0].startswith("3 claims, 3 of 4 cases: 2 holds, 1 violated; 1 NOT AS RECORDED")
    assert lines[1] == "evidence: 3 exact, worst ratio that holds 0.5; 1.0 s, error rate spent 0"
    assert len(verdict_table.run_summary(rows[:1], 1, 1.0)) == 2


@pytest.mark.parametrize(
    ("counts", "bar"),
    [
        ((4, 0, 0, 0, 0), "████████"),
        ((999, 1, 0, 0, 0), "███████×"),
        ((0, 1, 0, 0, 999), "×·······"),
        ((1, 1, 1, 1, 1), "████×░?·"),
        ((2, 2, 0, 0, 0), "████××××"),
        ((1, 2, 0, 0, 0), "██××××××"),
        ((1, 1, 1, 1, 996), "█×░?····"),
    ],
)
def test_a_bar_shows_every_verdict_that_occurs(counts: tuple[int, ...], bar: str) -> None:
    assert verdict_table.share_bar(counts, 8) == bar


def test_claims_that_do_not_hold_are_named_with_a_command_that_shows_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of one paper, printed statements first; a few of each of several; none that a table shows."""
    bad = [row("violated", id=f"x/A{i}@strict", recorded="violated") for i in range(verdict_table.MAX_NAMED + 2)]
    bad.append(row("violated", id="x/B@printed", recorded="violated"))
    names = ["x/B@printed", *(r["id"] for r in bad[:-1])]
    assert verdict_table.notable_claims([*bad, row("holds")]) == [
        f"violated, 9 claims of x: {', '.join(names)}",
        "  a counterexample of one: fltheory falsify x/B@printed",
    ]
    other = row("inconclusive", id="y/C@printed", paper="y", recorded="inconclusive")
    assert verdict_table.notable_claims([*bad, other]) == [
        f"violated, 9 claims of x: {', '.join(names[: verdict_table.MAX_NAMED])} and 3 more (fltheory verify x)",
        "  a counterexample of one: fltheory falsify x/B@printed",
        "inconclusive, 1 claim of y: y/C@printed",
        "  the verdict of one: fltheory verify y/C@printed",
    ]
    assert verdict_table.notable_claims([row("holds")]) == []
    assert verdict_table.notable_claims(bad, bad) == ["  a counterexample of one: fltheory falsify x/B@printed"]
    assert verdict_table.notable_claims([row("violated")], [row("violated")]) == []  # it is explained: not as recorded
    assert verdict_table.notable_claims([of_variant("vacuous")])[1].endswith(
        "verify x/A@printed --variant a/mine.py:step"
    )
    monkeypatch.setenv("COLUMNS", "60")
    lines = verdict_table.notable_claims([*bad, other])
    assert max(map(len, lines)) <= 60
    assert any("(fltheory verify x)" in line for line in lines)  # a command is never broken


def test_the_worst_ratio_is_of_what_holds() -> None:
    """A false statement exceeds its limit by design; what has no evidence is counted too."""
    rows = [
        row("holds", ratio=0.25),
        row("violated", ratio=9.0, recorded="violated"),
        row("inapplicable", evidence=None),
    ]
    assert verdict_table.run_summary(rows, 3, 1.0)[1].startswith(
        "evidence: 2 exact, 1 without, worst ratio that holds 0.25;"
    )


def test_a_variant_is_named_in_table_and_summary() -> None:
    rows = [of_variant("holds"), of_variant("violated", id="x/B@printed", counterexample="verify(...)")]
    table = verdict_table.verdict_table(rows)
    assert [r[table.columns.index("variant")] for r in table.rows] == ["mine.py:step"] * 2
    assert "recorded" not in table.columns
    lines = verdict_table.run_summary(rows, 2, 1.0)
    assert "recorded" not in " ".join(lines)
    assert lines[0].endswith("variant a/mine.py:step VIOLATES 1 claim")
    assert any(line.startswith("x/B@printed is violated by variant a/mine.py:step") for line in lines)
    assert "violates nothing" in verdict_table.run_summary(rows[:1], 1, 1.0)[0]
    assert "recorded" in verdict_table.verdict_table([row("holds")]).columns  # and of the catalogue's own it is


def test_cases_without_a_verdict_are_not_counted_as_violated() -> None:
    rows = [of_variant("holds"), of_variant("violated"), of_variant("inconclusive", reason="the check broke: x")]
    assert any(
        "is violated by variant a/mine.py:step (1 of 3 cases)" in line
        for line in verdict_table.run_summary(rows, 3, 1.0)
    )


# The whole way ---------------------------------------------------------------------------------------------------


def test_a_variant_stands_in_every_word(run: Run, mine: Path) -> None:
    """The mutant, half of the step size, is not the algorithm of the theorem: nothing is said of the paper."""
    rows, spec = mine.parent / "rows.json", f"{mine}:half"
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--seed", 3, "--variant", spec, "--json", rows)
    assert status == 1
    assert "mine.py:half" in out
    assert "VIOLATES 1 claim" in out
    assert "recorded" not in out
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    assert {(r["variant"], r["recorded"], r["seed"], r["profile"]) for r in found} == {(spec, None, 3, "quick")}
    counterexample = next(r["counterexample"] for r in found if r["status"] == "violated")
    result = subprocess.run([sys.executable, "-c", counterexample], capture_output=True, text=True, check=True)
    assert f"{CLAIM}, variant {spec}: violated" in result.stdout
    assert verify(with_variant(CLAIM, spec)).recorded is None


def test_a_variant_that_keeps_to_the_bound_ends_with_0(run: Run, mine: Path) -> None:
    """Also where the claim is recorded as violated."""
    status, out, _ = run("verify", CLAIM, FALSE, "--jobs", 1, "--variant", f"{mine}:same")
    assert status == 1  # the literal statement is false of the algorithm itself
    status, out, _ = run("verify", CLAIM, "--jobs", 1, "--variant", f"{mine}:same")
    assert status == 0
    assert "violates nothing" in out


def test_falsify_begins_with_the_cases_of_the_claim(run: Run, mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ``verify`` refutes is found at once, with one line that replays."""
    monkeypatch.setattr(falsifier, "simpler_cases", lambda case: ())
    status, out, _ = run("falsify", CLAIM, "--variant", f"{mine}:stay")
    assert status == 1
    assert f"{CLAIM}, variant {mine}:stay: violated" in out
    assert "verify(claim" not in out
    (line,) = re.findall("from fltheory import .*", out)
    result = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True)
    assert "violated" in result.stdout


def test_falsify_that_tests_nothing_ends_with_3(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(claim: Claim, case: Case, *_: object, **__: object) -> Verdict:
        return Verdict(claim.id, "inapplicable", claim.entry.recorded, case, reason="never")

    monkeypatch.setattr(evaluations, "check_claim", never)
    monkeypatch.setattr(falsifier, "verdict_on", never)
    status, out, _ = run("falsify", CLAIM, "--work", 200)
    assert status == 3
    assert "nothing was tested" in out


OPEN = """
import numpy as np
from dataclasses import replace
from fltheory import Case, find
from fltheory.problems.separable import QuadraticClients

def step(x, oracle, c):
    for m in oracle.order().T:
        for k in range(c.n_local_steps):
            x = x - c.step_size * np.clip(oracle.gradient(x, m, k), -1, 1)
    return x

case = Case(
    QuadraticClients((1,) * 9, tuple(range(9)), 3, noise_std=1), n_rounds=40, n_local_steps=1, step_size="1/1000"
)
claim = replace(find("sfl/T3-GC@printed"), cases=(case,), id="left_open/T3@printed")
"""


def test_what_leaves_all_open_is_no_success(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clipped steps of nine clients in random orders have too many courses, and no limit of a run is known."""
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "")
    monkeypatch.syspath_prepend(str(tmp_path))
    path, rows = tmp_path / "left_open.py", tmp_path / "rows.json"
    path.write_text(OPEN)
    asked = (f"{path}:claim", "--variant", f"{path}:step", "--json", rows)
    status, out, _ = run("verify", *asked, "--jobs", 1)
    assert (status, "but NOTHING WAS DECIDED" in out) == (3, True), out
    assert "INCONCLUSIVE: 1 of 1 case: more than 720 orders: simulated" in out
    (found,) = [json.loads(line) for line in rows.read_text().splitlines()]
    assert (found["status"], found["reason"] in out) == ("inconclusive", True)
    search = falsifier.falsify(with_variant(f"{path}:claim", f"{path}:step"), max_cases=1)
    assert search.open is not None
    again = falsifier.falsify(with_variant(f"{path}:claim", f"{path}:step"), start=(search.open.case,) * 2, max_cases=1)
    for one, least in ((search, 1), (again, 3)):
        n = one.tested
        assert (one.found, one.decided, n >= least, one.undecided) == (False, False, True, n)
        assert "NOTHING WAS DECIDED (" in str(one)
        assert f"{n} of {n} tested INCONCLUSIVE" in str(one)
    assert str(search).endswith(found["reason"])
    same = falsifier.falsify(find(CLAIM), max_cases=1)
    assert (same.decided, same.undecided) == (True, 0)
    assert "INCONCLUSIVE" not in str(same)


@pytest.mark.turns(3)
def test_the_plot_of_a_variant_is_about_the_variant(run: Run, mine: Path, tmp_path: Path) -> None:
    path, numbers = tmp_path / "p.svg", tmp_path / "p.csv"
    assert run("plot", PLOTTED, "--variant", f"{mine}:stay", "-o", path, "--csv", numbers)[0] == 0
    assert numbers.read_text().startswith("panel,curve,x,y,low,high,note\n")
    title = claim_picture(with_variant(PLOTTED, f"{mine}:stay")).title
    assert re.match(
        rf"variant mine.py:stay violates the bound of {PLOTTED} at \d+ of \d+ values: exceeded by a factor of up to",
        title,
    )
    kept = claim_picture(with_variant(KEPT, f"{mine}:same")).title
    assert kept.startswith(f"variant mine.py:same, bound of {KEPT}: holds; measured ")
    broken = claim_picture(with_variant(KEPT, f"{mine}:breaks")).title
    assert broken.endswith("nothing could be measured")
    own = claim_picture(find(KEPT)).title
    assert own.startswith(f"{KEPT}: holds; measured ")


def test_time_of_verify_is_kept(run: Run, tmp_path: Path) -> None:
    status, _, err = run("verify", CLAIM, "--jobs", 1, "--seconds", 1e-9)
    assert status == 3
    assert re.search(rf"--seconds 1e-09: time for 0 of (\d+) cases; \1 cases of 1 claim left, from {CLAIM} on", err)
    status, _out, err = run("verify", CLAIM, "--jobs", 1, "--seconds", 1e308, "--all")
    assert (status, err) == (0, "")
    for bad in ("inf", "nan", "0", "-1"):
        status, _, err = run("verify", CLAIM, "--seconds", bad)
        assert status == 2
        assert "expected a positive number" in err


def test_what_is_left_is_counted_by_case_and_claim() -> None:
    planned = ["x/A@printed", "x/A@printed", "x/B@printed", "x/C@printed"]
    told = verdict_table.unfinished_message(planned, [row("holds"), row("holds", id="x/B@printed")])
    assert told == "time for 2 of 4 cases; 2 cases of 2 claims left, from x/A@printed on"


def test_the_bar_names_what_is_waited_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where a later row is finished first; without a terminal nothing is shown of a short run."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    shown: list[str] = []
    monkeypatch.setattr(Progress, "update", lambda self, task, **now: shown.append(now["description"]))
    with tables.progress(["a", "b", "c"], "verify") as finished:
        for number in (1, 0, 2):
            finished(number)
    assert shown == ["a", "c", ""]
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    capsys.readouterr()
    with tables.progress(["a"], "verify") as finished:
        finished(0)
    assert capsys.readouterr().err == ""


def test_a_violation_is_told_with_its_numbers_whatever_else_is_said() -> None:
    told = verdict_table.explain(
        row("violated", measured=2.0, limit=1.0, instance="I(1)", reason="clip at mine.py:3: simulated")
    )
    assert told == "measured 2, limit 1 (ratio 0.5, exact) on I(1); clip at mine.py:3: simulated"
    assert verdict_table.explain(row("inapplicable", measured=None, limit=None, instance="I(1)", reason="why")) == "why"


def test_a_summary_tells_in_one_line_how_much_is_left_open_and_why() -> None:
    """Where nothing else is, a variant has not kept to anything."""
    why = "no upper bound on a single run is known"
    some = [of_variant("inconclusive", evidence="statistical", reason=w) for w in (why, why, "")]
    lines = verdict_table.run_summary([*some, of_variant("holds")], 4, 1.0)
    assert lines[0].endswith("variant a/mine.py:step violates nothing")
    (told,) = [line for line in lines if line.startswith("INCONCLUSIVE")]
    assert told == f"INCONCLUSIVE: 3 of 4 cases: {why} (2 cases); 1 case for other reasons"
    lines = verdict_table.run_summary(some[2:], 1, 1.0)
    assert lines[0].endswith("variant a/mine.py:step violates nothing, but NOTHING WAS DECIDED")
    assert lines[2] == f"INCONCLUSIVE: 1 of 1 case: {STRADDLES}"
    assert not any("INCONCLUSIVE" in line for line in verdict_table.run_summary([of_variant("holds")], 1, 1.0))


def test_a_summary_tells_once_why_figures_of_a_variant_are_not_exact() -> None:
    why = "clip at mine.py:3 compares numbers: simulated"
    rows = [
        of_variant("holds"),
        of_variant("holds", evidence="statistical", reason="step at mine.py:1: 9 courses: followed in floats"),
        of_variant("inconclusive", evidence="statistical", reason=f"{why}; no upper bound on a single run is known"),
        of_variant("holds", evidence="statistical", reason=why),
        of_variant("vacuous", evidence="statistical", reason="no better than the trivial bound"),
    ]
    lines = verdict_table.run_summary(rows, 5, 1.0)
    assert lines[3:] == [
        f"not exact: {why} (2 cases)",
        "not exact: step at mine.py:1: 9 courses: followed in floats (1 case)",
    ]
    assert (
        len(verdict_table.run_summary([row("holds", evidence="statistical", reason=why)], 1, 1.0)) == 2
    )  # of the catalogue none


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"measured": 2.0, "limit": 1.0, "ratio": 2.0}, "measured 2, limit 1 (ratio 2, exact) on I(1)"),
        (
            {"measured": None, "limit": 1.0, "ratio": None},
            "measured beyond all floats, limit 1 (ratio none in floats, exact) on I(1)",
        ),
        ({"measured": None, "limit": None, "ratio": None}, "on I(1) (ratio none in floats, exact)"),
    ],
)
def test_every_line_has_ratio_and_evidence(change: dict[str, Any], told: str) -> None:
    """Also where no float holds the value: that is said in words."""
    row = {"status": "violated", "evidence": "exact", "reason": "", "instance": "I(1)", **change}
    assert verdict_table.explain(row) == told
    assert "inf" not in told.replace("in floats", "")
