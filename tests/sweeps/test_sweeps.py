"""A sweep gives the same rows however it is done, ended and taken up again, and does nothing twice."""

from __future__ import annotations

import csv
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from fltheory import sweep
from fltheory.command.cli import run
from fltheory.command.sweeps import Store, SweepResult, make_design, run_design
from fltheory.command.sweeps import engines as by
from fltheory.model.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ("sfl/T3-GC@printed", "delta_sgd/T5-one@strengthened")
OVER = {"n_rounds": "2:50:4", "seeds": "2"}
GENTLE = """def step(x, oracle, c):
    for m in range(c.n_clients):
        x = x - c.step_size * oracle.gradient(x, m)
    return x
"""


@pytest.fixture(scope="module")
def serial() -> SweepResult:
    found = sweep(*CLAIMS, over=OVER)
    assert len(found.rows) == 2 * 4 * 2
    assert {row["status"] for row in found.rows} <= {"holds", "vacuous"}
    return found


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_number_of_processes_changes_no_row(serial: SweepResult, jobs: int) -> None:
    assert sweep(*CLAIMS, over=OVER, jobs=jobs).rows == serial.rows


def test_a_cluster_changes_no_row(serial: SweepResult) -> None:
    pytest.importorskip("distributed")
    assert sweep(*CLAIMS, over=OVER, jobs=2, engine="dask").rows == serial.rows


def test_what_is_there_is_not_done_again(serial: SweepResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[by.Point] = []
    perform = by.check_point

    def counted(point: by.Point) -> by.RowAndSeconds:
        done.append(point)
        return perform(point)

    monkeypatch.setattr(by, "check_point", counted)

    def ended(n: int, total: int, left: float) -> None:
        if n == 5:
            raise KeyboardInterrupt

    design = make_design(CLAIMS, OVER, {}, (), None, 0, False)
    with Store(tmp_path / "rows.db") as store, pytest.raises(KeyboardInterrupt):
        run_design(design, store, progress=ended)
    with Store(tmp_path / "rows.db") as store:
        found = run_design(design, store)
    assert found.rows == serial.rows
    assert found.reused == 5
    assert sorted(p.key for p in done) == sorted(p.key for p in design.points)


def typed(folder: Path, *more: str) -> list[str]:
    told = [f"{name}={value}" for name, value in OVER.items()]
    return ["sweep", *CLAIMS, "--over", *told, "--into", str(folder / "rows.db"), *more]


def test_a_parent_that_is_killed_loses_nothing_that_was_done(serial: SweepResult, tmp_path: Path) -> None:
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, "-m", "fltheory", *typed(tmp_path, "--jobs", "2")],
        env=known,
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
    )
    there = 0
    while not there and parent.poll() is None:
        time.sleep(0.02)
        if (tmp_path / "rows.db").exists():
            with Store(tmp_path / "rows.db") as store:
                there = len(store.existing_keys([p.key for p in serial.design.points]))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    with Store(tmp_path / "rows.db") as store:
        found = run_design(serial.design, store)
    assert found.reused >= there > 0
    assert found.rows == serial.rows


def written(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_csv_and_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(typed(tmp_path, "--csv", str(tmp_path / "one.csv"))) == 0
    assert "16 rows (0 were there)" in capsys.readouterr().out
    assert run(typed(tmp_path, "--csv", str(tmp_path / "two.csv"), "--jobs", "2")) == 0
    assert "16 rows (16 were there)" in capsys.readouterr().out
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    rows = written(tmp_path / "one.csv")
    assert [row["n_rounds"] for row in rows[:8:2]] == ["2", "6", "17", "50"]
    assert {row["seed"] for row in rows} == {"0", "1"}


def variant_that(what: str, folder: Path) -> str:
    path = folder / "mine.py"
    path.write_text(f"import os, pathlib, signal\n\n{GENTLE}".replace("    for m", f"    {what}\n    for m", 1))
    return f"{path}:step"


KILL = "signal.raise_signal(signal.SIGKILL)"


KILL_SERVER = "os.kill(os.getppid(), signal.SIGKILL); signal.pause()"  # what all processes are forked from


@pytest.mark.parametrize("kill", [KILL, KILL_SERVER])
def test_a_worker_that_is_killed_is_replaced_once(kill: str, tmp_path: Path) -> None:
    """The second process that reads the step is killed, or what it was forked from: another does the point."""
    once = variant_that("pass", tmp_path)
    file, mark = Path(once.rpartition(":")[0]), tmp_path / "mark1"
    lines = [
        f"reads = len(list(pathlib.Path({str(tmp_path)!r}).glob('mark*')))",
        "if multiprocessing.parent_process() and reads < 2:",
        f"    pathlib.Path({str(tmp_path)!r}, f'mark{{reads}}').touch()",
        f"    if reads == 1: {kill}",
    ]
    file.write_text("\n".join(["import multiprocessing", file.read_text(), *lines]) + "\n")
    found = sweep("sfl/T3-GC@printed", over={"n_rounds": [2, 3]}, variants=[once])
    assert mark.exists()
    assert (len(found.rows), found.lost) == (2, ())


def test_a_point_that_kills_every_process_is_named_and_the_rest_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deadly = variant_that(f"if c.n_rounds == 3: {KILL}", tmp_path)
    typed = [
        "sweep",
        "sfl/T3-GC@printed",
        "--over",
        "n_rounds=2:4",
        "--variant",
        deadly,
        "--into",
        str(tmp_path / "r.db"),
    ]
    assert run(typed) == 3
    told = capsys.readouterr().out
    assert "2 rows (0 were there)" in told
    assert "LOST sfl/T3-GC@printed at {'n_rounds': '3'}" in told
    assert "SIGKILL" in told


def test_a_changed_variant_is_another_one(tmp_path: Path) -> None:
    mine = variant_that("pass", tmp_path)
    first = make_design(("sfl/T3-GC@printed",), {}, {}, (mine,), None, 0, False).points[0]
    again = make_design(("sfl/T3-GC@printed",), {}, {}, (mine,), None, 0, False).points[0]
    variant_that("x = x * 1", tmp_path)
    other = make_design(("sfl/T3-GC@printed",), {}, {}, (mine,), None, 0, False).points[0]
    assert first.key == again.key != other.key


def test_a_variant_that_is_edited_meanwhile_is_no_row(tmp_path: Path) -> None:
    mine = variant_that("pass", tmp_path)
    design = make_design(("sfl/T3-GC@printed",), {"n_rounds": [2, 3]}, {}, (mine,), None, 0, False)
    variant_that("x = x * 2", tmp_path)
    with Store(None) as store:
        found = run_design(design, store)
        assert (found.rows, len(found.lost), len(store)) == ((), 2, 0)
    assert "has changed since the sweep began" in found.lost[0].why


def test_memory_that_runs_out_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise MemoryError("no more")

    monkeypatch.setattr(by, "check_claim", full)
    found = sweep("sfl/T3-GC@printed", over={"n_rounds": [2]})
    assert found.rows == ()
    assert found.lost[0].why == "MemoryError: no more"


def test_memory_that_runs_out_in_a_step_is_no_verdict_either(tmp_path: Path) -> None:
    """Through the fence around a step it stays what it is; the verdicts of ``verify`` say that the check broke."""
    mine = variant_that("if c.n_rounds == 3: raise MemoryError('no more')", tmp_path)
    found = sweep("sfl/T3-GC@printed", over={"n_rounds": [2, 3]}, variants=[mine])
    assert [row["at"] for row in found.rows] == [{"n_rounds": "2"}]
    assert [lost.why for lost in found.lost] == ["MemoryError: no more"]


def test_memory_that_runs_out_is_told_by_verify_and_falsify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = variant_that("raise MemoryError('no more')", tmp_path)
    assert run(["verify", "sfl/T3-GC@printed", "--variant", mine]) == 3
    assert "the check broke: MemoryError: no more" in capsys.readouterr().out
    assert run(["falsify", "sfl/T3-GC@printed", "--variant", mine]) == 2
    assert capsys.readouterr().err == "fltheory: the check broke: MemoryError: no more\n"


DEADLY = """

def measured(case, ring):
    if case.constants[n_rounds] == 3:
        signal.raise_signal(signal.SIGKILL)
    return ring.scalar(case.constants[D])
"""


def test_a_theorem_from_outside_that_kills_its_process_leaves_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = OWN.replace("swept_theorem", "deadly_theorem").replace("\nCASE", f"{DEADLY}\n\nCASE", 1)
    text = text.replace("lambda case, ring: ring.scalar(case.constants[D])", "measured").replace(
        ", 2))", ", 2), n_rounds=2)"
    )
    path = tmp_path / "deadly_theorem.py"
    path.write_text(f"import os\nimport signal\n\nfrom fltheory.symbols import n_rounds\n{text}")
    monkeypatch.setenv("FLTHEORY_PAPERS", "")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = sweep(str(path), over={"n_rounds": "2:4"})
    assert [row["at"]["n_rounds"] for row in found.rows] == ["2", "4"]
    assert ["SIGKILL" in lost.why for lost in found.lost] == [True]


@pytest.mark.turns(3)
def test_a_point_that_kills_workers_of_a_cluster_takes_no_other_along(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    deadly = variant_that(f"if c.n_rounds == 3: {KILL}", tmp_path)
    found = sweep("sfl/T3-GC@printed", over={"n_rounds": "2:6"}, variants=[deadly], jobs=2, engine="dask")
    assert [row["at"]["n_rounds"] for row in found.rows] == ["2", "4", "5", "6"]
    assert [lost.point.values for lost in found.lost] == [(("n_rounds", "3"),)]


def test_nothing_is_drawn_twice_nor_beyond_its_range() -> None:
    def values(over: dict[str, str], random: int | None) -> list[str]:
        design = make_design(("sfl/T3-GC@printed",), over, {}, (), random, 0, False)
        return [value for point in design.points for _, value in point.values]

    assert sorted(values({"n_rounds": "2,3,4"}, 50)) == ["2", "3", "4"]
    ends = values({"step_size": "1/30:1/3:4"}, None)
    assert (ends[0], ends[-1]) == ("1/30", "1/3")
    assert all(Fraction(1, 30) <= Fraction(v) <= Fraction(1, 3) for v in values({"step_size": "1/30:1/3:2"}, 30))


def test_another_file_is_told(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "other.db")
    base.execute("CREATE TABLE sweep_rows (name TEXT)")
    base.close()
    with pytest.raises(UserError, match="expected a file of fltheory sweep"):
        Store(tmp_path / "other.db")
    base = sqlite3.connect(tmp_path / "notes.db")
    base.execute("CREATE TABLE notes (text TEXT)")
    base.close()
    before = (tmp_path / "notes.db").read_bytes()
    with pytest.raises(UserError, match="another program's database, with the table notes"):
        Store(tmp_path / "notes.db")
    assert (tmp_path / "notes.db").read_bytes() == before
    (tmp_path / "text.db").write_text("these are no rows" * 100)
    with pytest.raises(UserError, match="expected a file of fltheory sweep"):
        Store(tmp_path / "text.db")
    assert {path.name for path in tmp_path.iterdir()} == {"other.db", "notes.db", "text.db"}


def test_claims_of_another_kind_are_left_out_of_a_variant(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GENTLE)
    found = sweep("sfl/T3-GC@printed", "fedcg/NWF-uniform", variants=[f"{tmp_path}/mine.py:step"])
    assert [row["id"] for row in found.rows] == ["sfl/T3-GC@printed"]
    assert "left out" in found.design.remarks[0]


def test_fewer_points_than_asked_for_are_told() -> None:
    design = make_design(("sfl/T3-GC@printed",), {"n_rounds": "2,3,4"}, {}, (), 50, 0, False)
    assert (len(design.points), design.remarks[0][:28]) == (3, "47 of the 50 points drawn we")


OWN = """from hypothesis import strategies as st

from fltheory import quantity, Case, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import DirectMeasure
from fltheory.symbols import initial_distance as D

CASE = Case(QuadraticClients((1,), (0,), 2))
FAR = theorem(
    "FAR: |x_0 - x*| <= 1 D",
    quantity <= 1 * D,
    measure=DirectMeasure("distance", lambda case, ring: ring.scalar(case.constants[D]), (0, 1)),
    family=lambda: st.just(CASE),
    cases=(CASE,),
    key="swept_theorem",
)
"""


def test_a_changed_theorem_is_another_one(tmp_path: Path) -> None:
    """Each command in a process of its own: a module is loaded once."""
    (tmp_path / "swept_theorem.py").write_text(OWN)
    command = [sys.executable, "-m", "fltheory", "sweep", "swept_theorem.py", "--into", "rows.db"]
    said = []
    for factor in ("1", "1", "2"):
        (tmp_path / "swept_theorem.py").write_text(OWN.replace("1 * D", f"{factor} * D"))
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout)
    assert "1 row (0 were there)" in said[0]
    assert "1 row (1 were there)" in said[1]
    assert "1 row (0 were there)" in said[2]
    assert "1 more in the file" in said[2]


def test_a_random_design_is_that_of_its_seed() -> None:
    def drawn(seed: int) -> list[tuple[tuple[str, str], ...]]:
        over = {"n_rounds": "1e1:1e5:2", "step_size": "1/1000,1/500"}
        return [p.values for p in make_design(("sfl/T3-GC@printed",), over, {}, (), 6, seed, False).points]

    assert drawn(0) == drawn(0) != drawn(1)
    rounds = [int(dict(values)["n_rounds"]) for values in drawn(0)]
    assert all(10 <= n <= 10**5 for n in rounds)
    assert len(set(rounds)) > 3


def test_a_spec_says_it_all(tmp_path: Path, serial: SweepResult) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(f'claims = {list(CLAIMS)}\n[over]\nn_rounds = "2:50:4"\nseeds = 2\n'.replace("'", '"'))
    assert run(["sweep", str(spec), "--into", str(tmp_path / "r.db"), "--csv", str(tmp_path / "r.csv")]) == 0
    assert [row["measured"] for row in written(tmp_path / "r.csv")] == [str(row["measured"]) for row in serial.rows]


def test_parquet_has_the_same_rows(tmp_path: Path, serial: SweepResult) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run(typed(tmp_path, "--parquet", str(tmp_path / "rows.parquet"))) == 0
    read = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert [row["measured"] for row in read] == [row["measured"] for row in serial.rows]


def test_where_a_claim_says_nothing_the_row_says_why() -> None:
    found = sweep("sfl/T3-GC@printed", over={"step_size": ["1/100", 10], "n_clients": [3]})
    assert [row["status"] for row in found.rows] == ["inapplicable"] * 2
    assert "n_clients" in found.rows[0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "sweep what?"),
        (["sfl/T3-GC@printed", "--over", "n_rouds=2:4"], "n_rounds"),
        (["sfl/T3-GC@printed", "--over", "n_rounds=4:2"], "LOW < HIGH"),
        (["sfl/T3-GC@printed", "--over", "n_rounds=0:2"], "positive integer"),
        (["sfl/T3-GC@printed", "--over", "step_size=0.1:0.2"], "how many values?"),
        (["sfl/T3-GC@printed", "--over", "n_rounds=many"], "expected a number"),
        (["sfl/T3-GC@printed", "--over", "n_rounds"], "expected NAME=RANGE"),
        (["sfl/T3-GC@printed", "--over", "seeds=x"], "seeds=x"),
        (["sfl/T3-GC@printed", "--over", "seeds=0:99999999999"], "more than 10000000 seeds"),
        (["sfl/T3-GC@printed", "--over", f"seeds=1,{2**63}"], "a seed is below 2**63"),
        (["sfl/T3-GC@printed", "--set", "n_rounds=3", "--over", "n_rounds=2:4"], "held fixed and swept"),
        (["sfl/T3-GC@printed", "--variant", "none.py:step"], "can't read none.py"),
        (["sfl/T3-GC@printed", "--variant", f"{__file__}:stop"], "has no 'stop'"),
        (["fedcg/NWF-uniform", "--variant", f"{__file__}:typed"], "has an algorithm to replace"),
        (["sfl/T3-GC@printed", "--csv", "/nowhere/at/all.csv"], "can't write /nowhere/at/all.csv"),
        (["sfl/T3-GC@printed", "--csv", "/"], "directory"),
        (["none.toml"], "can't read none.toml"),
        (["sfl/T3-GC@printed", "--into", "/nowhere/at/all.db"], "can't keep rows"),
    ],
)
def test_what_is_mistaken_is_told(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = [] if "--into" in arguments else ["--into", str(tmp_path / "rows.db")]
    assert run(["sweep", *arguments, *into]) == 2
    assert words in capsys.readouterr().err


def test_a_scheduler_that_is_not_there_is_told() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UserError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        sweep("sfl/T3-GC@printed", engine="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(UserError, match="expected one of processes, dask"):
        sweep("sfl/T3-GC@printed", engine="slurm")


@pytest.mark.deep
def test_twenty_thousand_rows_through_two_deaths(tmp_path: Path) -> None:
    """A worker and then the parent are killed; taken up again the rows are those of one process that was left alone."""
    over = ["n_rounds=1000:1999", "step_size=1/4000:1/400:20"]
    command = [sys.executable, "-m", "fltheory", "sweep", "sfl/T3-GC@printed", "--over", *over]
    known = {**os.environ, "PYTHONPATH": str(ROOT)}
    alone, killed = tmp_path / "alone.csv", tmp_path / "killed.csv"
    subprocess.run([*command, "--into", "alone.db", "--csv", str(alone)], env=known, cwd=tmp_path, check=True)
    parent = subprocess.Popen([*command, "--into", "killed.db", "--jobs", "2"], env=known, cwd=tmp_path)
    wait_for(lambda: rows_in(tmp_path / "killed.db") > 2000)
    worker = next(int(p) for p in children_of(parent.pid))
    os.kill(worker, signal.SIGKILL)
    wait_for(lambda: rows_in(tmp_path / "killed.db") > 6000)
    parent.kill()
    parent.wait()
    assert rows_in(tmp_path / "killed.db") < len(written(alone)) == 20_000
    subprocess.run([*command, "--into", "killed.db", "--csv", str(killed)], env=known, cwd=tmp_path, check=True)
    assert killed.read_bytes() == alone.read_bytes()


def rows_in(path: Path) -> int:
    if not path.exists():
        return 0
    base = sqlite3.connect(path)
    try:
        return int(base.execute("SELECT COUNT(*) FROM sweep_rows").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        base.close()


def children_of(pid: int) -> list[str]:
    """The processes that the fork server of a process has started, which do the work."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,pgid"], capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )[1:]
    below, known = {str(pid)}, [line.split() for line in found if line.strip()]
    for _ in known:
        below |= {one for one, parent, _ in known if parent in below}
    return sorted(one for one, _, group in known if one in below and group == one and one != str(pid))


def wait_for(there: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not there():
        assert time.monotonic() < until
        time.sleep(0.05)
