"""The command of the figures: redrawn byte for byte, compared, listed, in several processes, with a word on the way."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from figures import KEYS, MATPLOTLIB_VERSION
from figures.__main__ import FOLDER, differences, main
from figures.drawing import all_figures, draw_one, stem
from fltheory.plotting.figures.progress import LISTENER, Counts, track

CHEAP = ("sfl/bias", "osmd/trap", "fedcg/curvature", "aaggff/failure", "delta_sgd/progress", "papers/printed")


def test_every_paper_has_a_cheap_figure() -> None:
    assert {key.split("/")[0] for key in CHEAP} == set(KEYS) - {"worst"}


@pytest.mark.parametrize("key", CHEAP)
def test_a_figure_drawn_again_is_the_one_that_is_stored(key: str, tmp_path: Path) -> None:
    draw_one(key, tmp_path)
    name = stem(key)
    assert (tmp_path / f"{name}.csv").read_bytes() == (FOLDER / f"{name}.csv").read_bytes()
    if matplotlib.__version__ == MATPLOTLIB_VERSION:  # another version may set letters a little differently
        assert (tmp_path / f"{name}.svg").read_bytes() == (FOLDER / f"{name}.svg").read_bytes()


def test_drawing_and_checking(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sfl/bias"], tmp_path) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sfl_bias.csv", "sfl_bias.svg"]
    assert main(["sfl/bias", "--check"], tmp_path) == 0
    assert "1 of 1 figures are as stored" in capsys.readouterr().out
    table = tmp_path / "sfl_bias.csv"
    table.write_text(table.read_text().replace("exact", "guessed", 1))
    assert main(["sfl/bias", "--check"], tmp_path) == 1
    said = capsys.readouterr().out
    assert f"1 of {len(table.read_text().splitlines())} lines of sfl_bias.csv differ" in said
    assert "guessed" in said
    assert "0 of 1 figures" in said


def test_what_differs(tmp_path: Path) -> None:
    here, there = tmp_path / "stored", tmp_path / "drawn"
    for folder in (here, there):
        folder.mkdir()
        for ending in ("csv", "svg"):
            shutil.copy(FOLDER / f"sfl_bias.{ending}", folder)
    assert differences("sfl_bias", here, there) == ""
    (there / "sfl_bias.svg").write_text("another drawing")
    assert differences("sfl_bias", here, there).startswith("sfl_bias.csv is as stored, sfl_bias.svg is not")
    (here / "sfl_bias.svg").unlink()
    assert differences("sfl_bias", here, there) == "not stored: sfl_bias.svg"


def test_two_at_a_time_by_the_command_itself() -> None:
    """As it is typed: what child processes call must be found by its name there."""
    command = [sys.executable, "-m", "figures", "--check", "--jobs", "2", "sfl/bias", "aaggff/failure"]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True)
    same = {"sfl/bias: as stored", "aaggff/failure: as stored"}
    if matplotlib.__version__ == MATPLOTLIB_VERSION:
        assert done.returncode == 0, done.stderr
        assert same <= {line.partition(" (")[0] for line in done.stdout.splitlines()}
    assert "2 figures are as stored, byte for byte" in done.stdout


def test_mistakes_and_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sfl/task"]) == 2
    assert "did you mean sfl/tasks" in capsys.readouterr().err
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.split() == list(all_figures())
    with pytest.raises(SystemExit) as left:
        main(["--jobs", "none"])
    assert left.value.code == 2
    assert "'none' is no number of processes" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert "--check" in capsys.readouterr().out


def test_steps_are_counted_from_outside_inwards() -> None:
    heard: list[Counts] = []
    token = LISTENER.set(heard.append)
    try:
        for _ in track("ab"):
            list(track("x"))
    finally:
        LISTENER.reset(token)
    assert heard == [((0, 2),), ((0, 2), (0, 1)), ((1, 2),), ((1, 2), (0, 1))]
    assert list(track("ab")) == ["a", "b"]
    assert len(heard) == 4
