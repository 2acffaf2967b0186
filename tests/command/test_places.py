"""What is somebody else's is never overwritten silently, whatever option writes; what this program made is replaced."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fltheory.command.jsonl_writer import Journal
from fltheory.command.output_files import output_file, require_output_file
from fltheory.command.output_files.ownership import is_ours
from fltheory.model.errors import UserError
from tests.typed import Run

CLAIM = "osmd/L17@printed"
AT = ("M=2", "K=1", "R=1", "L=1", "D=1", "zeta_star=1", "eta=1/12")
SCRIPT = "def step(x, oracle, c):\n    return x - c.step_size * oracle.gradient(x, 0)\n"
STATEMENT = str(Path(__file__).parents[2] / "examples" / "proved" / "local_steps.py:SQUARE")
# every option that writes, with a name that will do
WRITERS = {
    "verify --json": ("verify", CLAIM, "--jobs", 1, "--json", "{}"),
    "falsify --json": ("falsify", CLAIM, "--work", 1, "--json", "{}"),
    "sharpen --json": ("tightness", "sfl/T3-GC@printed", "--work", 1, "--json", "{}"),
    "sharpen --markdown": ("tightness", CLAIM, "--work", 1, "--markdown", "{}"),
    "worst --json": ("worst", "sfl/T3-GC@printed", "--set", *AT, "--json", "{}"),
    "proofs --json": ("proofs", "--coverage", "fedcg", "--json", "{}"),
    "proofs --export": ("proofs", "fedcg", "--export", "{}"),
    "plot -o": ("plot", "--overview", "fedcg", "-o", "{}.svg"),
    "plot -o png": ("plot", "--overview", "fedcg", "-o", "{}.png"),
    "plot -o pdf": ("plot", "--overview", "fedcg", "-o", "{}.pdf"),
    "plot --csv": ("plot", "--overview", "fedcg", "-o", "other.svg", "--csv", "{}"),
    "report -o": ("report", CLAIM, "--no-proofs", "-o", "{}"),
    "report latex": ("report", CLAIM, "--format", "latex", "-o", "{}"),
    "report markdown": ("report", CLAIM, "--format", "markdown", "-o", "{}"),
    "prove -o": ("prove", STATEMENT, "-o", "{}"),
    "prove --json": ("prove", STATEMENT, "--json", "{}"),
    "sweep --csv": ("sweep", "sfl/T3-GC@printed", "--into", "kept.db", "--csv", "{}"),
}
PROOF_START = '"""Found by a search and confirmed by the kernel: mine/square."""\n\n'
# what is not of this program's making, near misses among it
FOREIGN = {
    "a script": SCRIPT,
    "a table": "x,y\n1,2\n",
    "a table with more": "panel,curve,x,y,low,high,note,mine\n1,2\n",
    "rows": '{"name": "mine", "status": "holds"}\n',
    "rows with a line of ours": '{"id": "a", "repairs": [], "refuted": 0, "facts": 1}\n{"mine": 1}\n',
    "rows that end early": '{"id": "a", "repairs": [], "refuted": 0, "facts": 1}\n{"id": "a", "rep',
    "an array": '[{"id": "a", "repairs": [], "refuted": 0, "facts": 1}]\n',
    "deep JSON": "[" * 100_000,
    "deep rows": '{"a": ' + "[" * 100_000 + "\n",
    "an export of another's": '{"format": "fltheory proofs 1", "papers": {}} and my notes\n',
    "a picture": '<?xml version="1.0"?>\n<svg><!-- fltheory --><metadata/></svg>\n',
    "a page": "<!doctype html>\n<title>fltheory report</title>\n",
    "notes": "# Verdicts on my claims\n",
    "an image": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "a document": b"%PDF-1.4\n/Creator (somebody)\n",
    "columns": b"PAR1 and something",
    "a proof with a note": PROOF_START + "# my notes\n",
    "a proof with a statement": PROOF_START + "mine = proof('mine/other')\n",
    "a proof of another": '"""Found by a search: mine/square."""\n',
    "bytes": b"\xff\xfe\x00",
    "a blank": "\n",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def typed(words: tuple[object, ...], name: str) -> tuple[list[str], Path]:
    filled = [str(w).format(name) for w in words]
    return filled, Path(next(w for w in filled if w.startswith(name)))


@pytest.mark.parametrize("option", WRITERS)
def test_a_script_stays_unless_it_may_go_and_what_was_made_is_replaced(option: str, run: Run) -> None:
    words, path = typed(WRITERS[option], "mine")
    path.write_text(SCRIPT)
    status, _, err = run(*words)
    assert (status, path.read_text()) == (2, SCRIPT)
    assert err.count("\n") == 1
    assert f"{path} is a file that fltheory did not make" in err
    assert "--force" in err
    assert [p for p in Path().iterdir() if p.suffix in (".part", ".whole")] == []
    assert run(*words, "--force")[0] in (0, 1, 3)
    made = path.read_bytes()
    assert made != SCRIPT.encode()
    assert is_ours(path)
    assert run(*words)[0] in (0, 1, 3)  # its own file, without --force
    assert is_ours(path)


@pytest.mark.parametrize("what", FOREIGN)
def test_what_only_looks_like_ours_is_refused_by_name(what: str) -> None:
    text = FOREIGN[what]
    Path("mine").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError, match="mine is a file that fltheory did not make: it stays"):
        output_file(Path("mine"))
    assert output_file(Path("mine"), force=True) is not None


def test_a_new_file_and_an_empty_one_are_written(run: Run) -> None:
    Path("empty").touch()
    for name in ("new", "empty"):
        assert run("verify", CLAIM, "--jobs", 1, "--json", name)[0] == 0
        assert json.loads(Path(name).read_text().splitlines()[0])["id"] == CLAIM


def test_a_folder_is_refused_with_force_too(run: Run) -> None:
    Path("folder").mkdir()
    Path("folder.svg").mkdir()
    for words in WRITERS.values():
        filled, _ = typed(words, "folder")
        if not Path(next(w for w in filled if w.startswith("folder"))).is_dir():
            continue
        status, _, err = run(*filled, "--force")
        assert (status, "it is a directory" in err) == (2, True), err


def test_a_link_is_judged_by_what_it_leads_to(run: Run) -> None:
    Path("mine.py").write_text(SCRIPT)
    Path("link").symlink_to("mine.py")
    status, _, err = run("verify", CLAIM, "--jobs", 1, "--json", "link")
    assert status == 2
    assert f"link (a link to {Path('mine.py').resolve()}) is a file that fltheory did not make" in err
    assert Path("mine.py").read_text() == SCRIPT
    Path("rows").touch()
    Path("good").symlink_to("rows")
    assert run("verify", CLAIM, "--jobs", 1, "--json", "good")[0] == 0
    assert Path("good").is_symlink()
    assert is_ours(Path("rows"))
    Path("loop").symlink_to("loop")
    with pytest.raises(UserError, match="can't write loop"):
        output_file(Path("loop"))


def test_a_file_that_comes_meanwhile_stays() -> None:
    goal = require_output_file(Path("late"))
    journal = Journal(Path("rows"))
    with journal:
        journal.add(0, {"a": 1})
        Path("rows").write_text(SCRIPT)
    with pytest.raises(
        UserError, match=r"rows is a file that fltheory did not make.*what could be written is in .*rows\..*part"
    ):
        journal.raise_if_failed()
    assert Path("rows").read_text() == SCRIPT
    Path("late").write_text(SCRIPT)
    with pytest.raises(UserError, match="late is a file that fltheory did not make"):
        goal.write(b"mine")
    assert Path("late").read_text() == SCRIPT
    assert len(list(Path().iterdir())) == 3


def test_devices_and_pipes_are_written_as_they_are(run: Run) -> None:
    assert run("verify", CLAIM, "--jobs", 1, "--json", "/dev/null")[0] == 0
    assert Path("/dev/null").is_char_device()
    os.mkfifo("pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(Path("pipe").read_text()), daemon=True)
    reader.start()
    assert run("verify", CLAIM, "--jobs", 1, "--json", "pipe")[0] == 0
    reader.join(20)
    assert json.loads(read[0].splitlines()[0])["id"] == CLAIM
    assert Path("pipe").is_fifo()


@pytest.mark.parametrize("to_a_file", [True, False])
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_the_output_is_written_to_where_it_goes(name: str, to_a_file: bool) -> None:
    """Also where it goes to a file: that is not replaced, and what is printed follows the rows."""
    words = [sys.executable, "-m", "fltheory", "proofs", "fedcg", "--coverage", "--json", name]
    if to_a_file:
        with Path("out").open("w") as out:
            assert subprocess.run(words, stdout=out, check=False).returncode == 0
        said = Path("out").read_text()
    else:
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert json.loads(said.splitlines()[0])["paper"] == "fedcg"
    assert "total" in said.replace("}\n", "")
    assert Path(name).exists()


def test_what_a_report_reads_is_not_written_over(run: Run) -> None:
    assert run("verify", CLAIM, "--jobs", 1, "--json", "rows.json")[0] == 0
    before = Path("rows.json").read_bytes()
    status, _, err = run("report", CLAIM, "--from", "rows.json", "-o", "./rows.json", "--force")
    assert (status, "expected another file for --from than for --output" in err) == (2, True), err
    assert Path("rows.json").read_bytes() == before
    status, _, err = run("plot", "--overview", "fedcg", "-o", "a.svg", "--csv", "a.svg")
    assert (status, "expected another file" in err) == (2, True), err


def test_what_a_proof_rests_on_is_not_written_over(run: Run) -> None:
    """Also a proof that was found before, which may hold further theorems."""
    assert run("prove", STATEMENT, "-o", "found_before.py")[0] == 0
    before = Path("found_before.py").read_bytes()
    for words in (
        ("found_before.py",),
        ("found_before.py:theorem",),
        (STATEMENT, "--given", "found_before.py:theorem"),
    ):
        status, _, err = run("prove", *words, "-o", "./found_before.py", "--force")
        assert (status, "found_before.py: expected another file for --output" in err) == (2, True), err
    assert Path("found_before.py").read_bytes() == before


def test_a_bare_plot_writes_its_caption_beside_it(run: Run) -> None:
    """The caption is replaced as the plot is; a file of somebody else in its place is refused before anything is drawn."""
    command = ("plot", "--overview", "fedcg", "--bare", "-o", "a.svg")
    for _ in range(2):
        assert run(*command)[0] == 0
        first, title, *_ = Path("a.txt").read_text().splitlines()
        assert first.startswith("% Made by fltheory plot")
        assert "claims: " in title
    assert "Each bar is a claim" not in re.sub(r"<desc.*?</desc>", "", Path("a.svg").read_text(), flags=re.DOTALL)
    Path("a.txt").write_text("notes of mine")
    status, _, err = run(*command)
    assert status == 2
    assert "a.txt" in err
    assert Path("a.txt").read_text() == "notes of mine"
