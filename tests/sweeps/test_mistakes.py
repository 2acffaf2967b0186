"""What a sweep can't make sense of is told in one line, and no option is silently ignored."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fltheory import sweep
from fltheory.command.cli import run
from fltheory.model.errors import UserError
from tests.children import environment
from tests.sweeps.test_sweeps import GENTLE

CLAIM = "sfl/T3-GC@printed"


def refused(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", *arguments]) == 2
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--over", "n_rounds=1:1e400:3"], "must lie between 1e-300 and 1e300"),
        (["--over", "step_size=1e-400:1:3"], "must lie between 1e-300 and 1e300"),
        (["--over", "step_size=1e-300:1e300:3"], "must lie between 1e-300 and 1e300"),
        (["--over", "step_size=sqrt(2):2:3"], "the ends of a range are rational, sqrt(2) is not"),
        (["--over", "n_rounds=1:3:²"], "'²' is no number of values"),
        (["--over", "seeds=²"], "expected how many, LOW:HIGH, or a,b,c"),
        (["--over", "seeds=1,²"], "expected how many, LOW:HIGH, or a,b,c"),
        (["--over", "seeds=5:2"], "expected how many, LOW:HIGH, or a,b,c"),
        (["--over", f"seeds={'9' * 5000}"], "expected how many, LOW:HIGH, or a,b,c"),
        (["--random", "0"], "expected how many points are drawn"),
        (["--seed", "5"], "it is that of random points"),
        (["--scheduler", "tcp://head:1"], "it is of the engine dask"),
    ],
)
def test_what_is_typed(arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused([CLAIM, *arguments, "--into", str(tmp_path / "r.db")], words, capsys)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('random = "abc"', "random = 'abc': expected how many points"),
        ("random = 2.5", "random = 2.5: expected how many points"),
        ("random = true", "random = True: expected how many points"),
        ("seed = [1]", "seed must be a nonnegative integer below 2**63, got [1]"),
        ('seed = "x"', "seed must be a nonnegative integer"),
        ("seed = -5", "seed must be a nonnegative integer"),
        ("seed = 3", "it is that of random points"),
        ('every_case = "no"', "every_case = 'no': expected true or false"),
        ("over.n_rounds = []", "n_rounds: no values"),
        ("over.n_rounds = {low = 1}", "expected a number"),
        ("over.seeds = []", "expected how many, LOW:HIGH, or a,b,c"),
        ("set.n_rounds = []", "n_rounds: no values"),
    ],
)
def test_what_a_file_says(line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(f'claims = ["{CLAIM}"]\n{line}\n')
    refused([str(spec), "--into", str(tmp_path / "r.db")], words, capsys)


@pytest.mark.parametrize(
    ("beside", "left"),
    [
        (["--seed", "3"], "--seed"),
        (["--every-case"], "--every-case"),
        (["--random", "3", "--seed", "3"], "--random, --seed"),
        (["--over", "seeds=2"], "--over"),
    ],
)
def test_beside_a_file_nothing_is_typed(
    beside: list[str], left: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(f'claims = ["{CLAIM}"]\n')
    refused([str(spec), *beside, "--into", str(tmp_path / "r.db")], f"leave out {left}", capsys)
    assert run(["sweep", str(spec), "--seed", "0", "--into", str(tmp_path / "r.db")]) == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"jobs": "2"}, "jobs = '2': expected a number of processes"),
        ({"jobs": 0}, "jobs = 0: expected a number of processes"),
        ({"jobs": True}, "expected a number of processes"),
        ({"random": "5"}, "random = '5': expected how many points"),
        ({"random": 5, "seed": "a"}, "seed must be a nonnegative integer"),
        ({"over": "n_rounds=2:4"}, "over = 'n_rounds=2:4': expected values by name"),
        ({"fixed": [1]}, "expected values by name"),
        ({"over": {1: 2}}, "expected values by name"),
        ({"into": 5}, "into = 5: expected the path of a file"),
        ({"variants": "mine.py:step"}, "variants = 'mine.py:step': expected a list of texts"),
        ({"every_case": 1}, "every_case = 1: expected true or false"),
        ({"scheduler": "tcp://head:1"}, "it is of the engine dask"),
        ({"engine": ["dask"]}, "expected one of processes, dask"),
    ],
)
def test_what_python_is_given(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as told:
        sweep(CLAIM, **given)
    assert words in str(told.value)


@pytest.mark.parametrize("argument", ["jobs=2", "variants=['mine.py:step']"])
def test_a_script_whose_work_stands_open_is_told(argument: str, tmp_path: Path) -> None:
    """Each process reads the script, and would begin the sweep again."""
    (tmp_path / "mine.py").write_text(GENTLE)
    asked = f"sweep({CLAIM!r}, over={{'n_rounds': [2, 3]}}, {argument})"
    script = tmp_path / "script.py"

    def done() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, str(script)], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
        )

    script.write_text(f"from fltheory import sweep\n\n{asked}\n")
    open_to_all = done()
    assert open_to_all.returncode == 1
    assert open_to_all.stderr.count("Traceback") == 1
    assert 'under a line `if __name__ == "__main__":`' in open_to_all.stderr.splitlines()[-1]
    script.write_text(f"from fltheory import sweep\n\nif __name__ == '__main__':\n    print({asked})\n")
    assert done().stdout == "<SweepResult: 2 of 2 rows, 0 were there>\n"
