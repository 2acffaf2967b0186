"""``fltheory worst FILE.py``: what a file asks for, and what is said where it asks for nothing."""

import json

import pytest

from fltheory.command.cli import run

ASKED = """from fltheory.performance import Problem, Smooth

p = Problem()
f = p.function(Smooth(1))
best = f.minimiser()
x = p.start(best, distance=1)
x = x - f.gradient(x)
first = p.worst(f(x) - f(best))
second = p.worst(f(x) - f(best), bound="{bound}")
"""


@pytest.fixture
def asked(tmp_path):
    pytest.importorskip("clarabel")

    def write(bound="1/6", text=ASKED):
        path = tmp_path / "mine.py"
        path.write_text(text.replace("{bound}", bound))
        return str(path)

    return write


def test_every_worst_case_of_a_file_is_printed(asked, capsys, tmp_path):
    assert run(["worst", asked(), "--json", str(tmp_path / "rows.jsonl")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "first: worst case: exactly 1/6, attained and proved"
    assert said[2] == "bound 1/6: holds for every instance, in every dimension (exact), and is attained"
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [(row["name"], row["upper"], row["status"]) for row in rows] == [
        ("first", "1/6", None),
        ("second", "1/6", "holds"),
    ]


def test_one_is_named(asked, capsys):
    assert run(["worst", asked("1/7") + ":first"]) == 0
    assert capsys.readouterr().out.startswith("first: ")


def test_lists_and_dictionaries_are_looked_into(asked, capsys):
    text = ASKED.replace("first = ", "both = [").replace("f(best))\nsecond", "f(best))]\nsecond")
    text += "named = {'slow': second, 'other': 1}\n"
    assert run(["worst", asked("1/6", text)]) == 0
    out = capsys.readouterr().out
    assert "both[0]: worst case: exactly 1/6" in out
    assert "named['slow']: worst case: exactly 1/6" in out


def test_a_violated_bound_ends_with_one(asked, capsys):
    assert run(["worst", asked("1/7")]) == 1
    assert "violated: the instance that attains the worst case refutes it (exact)" in capsys.readouterr().out


def test_no_upper_value_ends_with_three(asked, monkeypatch):
    monkeypatch.setattr("fltheory.performance.solving.sides.round_to_certificate", lambda *_: None)
    monkeypatch.setattr("fltheory.performance.solving.sides.certificate_of", lambda *_: None)
    assert run(["worst", asked("1/6")]) == 3


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("", "import fltheory.performance\n", "has no worst case: expected a line such as worst = problem.worst"),
        (":third", ASKED, "has no worst case 'third'; it has first, second"),
        ("", "x = \n", "mine.py: SyntaxError: invalid syntax"),
        ("", ASKED.replace("distance=1", "distance=None"), "mine.py:6: ValueError: a start has both, or neither"),
    ],
)
def test_other_files_are_refused(asked, capsys, name, text, reason):
    assert run(["worst", asked("1/6", text) + name]) == 2
    assert reason in capsys.readouterr().err


def test_a_file_takes_no_constants(asked, capsys):
    assert run(["worst", asked(), "smoothness=1"]) == 2
    assert "states its own constants and class" in capsys.readouterr().err
