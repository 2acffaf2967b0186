"""The kernel itself: what it is made of, its normal form against numbers, files that are none."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from typer.testing import CliRunner

from fltheory.command.cli import app, run
from fltheory.kernel import normal as forms
from fltheory.kernel.__main__ import main
from fltheory.kernel.language.balls import ball
from fltheory.kernel.language.terms import Term, Wrong, make, minus, read
from fltheory.kernel.theorem import recheck
from fltheory.proof import library
from tests.kernel.written import combine, step, theorem

LETTERS = [
    ["symbol", "x", "real"],
    ["symbol", "y", "positive"],
    ["symbol", "z", "nonnegative"],
    ["symbol", "n", "from 1"],
]


def test_it_shares_nothing_with_the_first() -> None:
    code = "import sys, fltheory.kernel.__main__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"sympy", "numpy"} & set(loaded)
    assert {m for m in loaded if m.startswith("fltheory.") and not m.startswith("fltheory.kernel.")} == {
        "fltheory.kernel"
    }


# The normal form ------------------------------------------------------------------------------------------------------


def drawn(chance: random.Random, depth: int) -> Any:
    """A number in a few letters, with roots, absolute values, maxima, short sums and quotients."""
    if depth == 0 or chance.random() < 0.2:
        return chance.choice([*LETTERS, str(chance.randint(-3, 3)), "1/2"])
    kind = chance.choice(["+", "*", "^", "root", "abs", "max", "sum", "exp", "over", "letter", "floor", "log"])
    parts = [drawn(chance, depth - 1) for _ in range(2)]
    if kind in ("+", "*", "max"):
        return [kind, *parts]
    if kind == "root":
        return ["^", ["^", parts[0], "2"], chance.choice(["1/2", "3/2", "1/4"])]
    if kind == "letter":
        return ["^", ["+", "1", ["abs", parts[0]]], ["*", chance.choice(["1", "-1", "1/2"]), LETTERS[3]]]
    if kind == "over":
        return ["*", parts[0], ["^", ["+", "1", ["^", parts[1], "2"]], "-1"]]
    if kind == "sum":
        ends = ["0", ["+", LETTERS[3], str(chance.randint(-2, 2))]]
        return [
            "sum",
            ["*", parts[0], ["^", ["symbol", "i", "integer"], str(chance.randint(0, 3))]],
            ["symbol", "i", "integer"],
            *ends,
        ]
    if kind == "exp":
        return ["exp", ["*", "1/8", parts[0]]]
    if kind == "log":
        return ["log", ["+", "1", ["^", parts[0], "2"]]]
    return ["^", parts[0], str(chance.randint(0, 3))] if kind == "^" else [kind, parts[0]]


def at(term: Term, values: dict[Term, fmpq]) -> arb:
    """The term's value, sums added up."""
    if term.word == "sum":
        body, i, low, high = term.args
        ends = [at(e, values).unique_fmpz() for e in (low, high)]
        return sum((at(body, {**values, i: fmpq(k)}) for k in range(int(ends[0]), int(ends[1]) + 1)), arb(0))
    own = [at(a, values) for a in term.args if isinstance(a, Term)]
    if term.word == "symbol":
        return arb(values[term])
    if not own:
        return ball(term, {})
    names = [make("symbol", f"a{k}", "real") for k in range(len(own))]
    places = iter(names)
    if term.word == "^" and term.args[1].word == "number":
        return ball(make("^", names[0], term.args[1]), {names[0]: own[0]})
    return ball(
        make(term.word, *(next(places) if isinstance(a, Term) else a for a in term.args)),
        dict(zip(names, own, strict=True)),
    )


def test_the_normal_form_keeps_the_value() -> None:
    """At random numbers, wherever a term has a value."""
    chance, told = random.Random(7), 0
    for _ in range(800):
        term = read(drawn(chance, 3))
        signs = {
            "x": chance.choice([-2, -1, 1, 3]),
            "y": fmpq(chance.randint(1, 9), 4),
            "z": chance.randint(0, 3),
            "n": chance.randint(1, 4),
        }
        values = {read(spelled): fmpq(signs[spelled[1]]) for spelled in LETTERS}
        with ctx.workprec(200):
            try:
                before = at(term, values)
                after = at(forms.term_of(forms.normal(term)), values)
            except (Wrong, ValueError, OverflowError):
                continue
            if before.is_finite() and after.is_finite() and before.rad() < 1e-9:
                told += 1
                assert before.overlaps(after), f"{term} = {before}, its normal form {after}"
    assert told > 400


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["^", ["^", LETTERS[0], "2"], "1/2"], LETTERS[0]),
        (["log", ["*", LETTERS[0], LETTERS[0]]], ["*", "2", ["log", LETTERS[0]]]),
        (
            ["mean", ["*", ["family", "RandomScalar", "X"], ["family", "RandomScalar", "X"]]],
            ["^", ["mean", ["family", "RandomScalar", "X"]], "2"],
        ),
        (["abs", ["+", LETTERS[0], LETTERS[1]]], ["+", ["abs", LETTERS[0]], LETTERS[1]]),
        (["floor", ["*", "2", LETTERS[1]]], ["*", "2", ["floor", LETTERS[1]]]),
    ],
)
def test_what_differs_stays_apart(one: Any, two: Any) -> None:
    assert not forms.is_zero(minus(read(one), read(two)))


GOOD = json.loads(json.dumps(theorem("own", step("1", "0 <= 1", combine()))))

# Files ----------------------------------------------------------------------------------------------------------------


def test_a_file_is_written_and_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proofs.json"
    result = CliRunner().invoke(app, ["proofs", "delta_sgd", "--export", str(file)])
    assert result.exit_code == 0, result.output
    assert "python -m fltheory.kernel" in result.output
    theorems = len(library.load("delta_sgd").theorems)
    assert main([str(file)]) == 0
    assert sum(map(int, capsys.readouterr().out.splitlines()[-1].replace(",", "").split()[::2])) == theorems
    told = json.loads(file.read_text())
    told["papers"]["delta_sgd"] = told["papers"]["delta_sgd"][:3]
    told["papers"]["delta_sgd"][0]["statement"]["left"] = "1/7"
    file.write_text(json.dumps(told))
    assert main([str(file)]) == 1
    assert "refused" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "fltheory proofs 0", "papers": {}}'])
def test_a_file_that_is_none_is_told(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "no.json"
    file.write_text(text)
    assert main([str(file)]) == 2
    assert str(file) in capsys.readouterr().err
    assert main([]) == 2


def test_what_stands_twice_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Which of two lists, or statements, is meant is nothing to guess: one reader takes the first, another the last."""
    file, good = tmp_path / "twice.json", json.dumps(GOOD)
    head = '{"format": "fltheory proofs 1", "papers": {'
    bad = good.replace('"statement": {"left": "0"', '"statement": {"left": "1"')
    assert bad != good
    twice = good[:-1] + ', "statement": ' + json.dumps(GOOD["statement"]) + "}"
    for text, field in ((f'{head}"p": [{bad}], "p": [{good}]}}}}', "p"), (f'{head}"p": [{twice}]}}}}', "statement")):
        file.write_text(text)
        assert main([str(file)]) == 2
        assert capsys.readouterr().err == f"{file}: the field {field!r} occurs twice in one object\n"
    file.write_text(f'{head}"p": [{good}]}}}}')
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "1 confirmed\n"
    file.write_text(f"{head}}}}}")
    assert main([str(file)]) == 0
    assert capsys.readouterr().out == "there is no theorem\n"


@pytest.mark.parametrize("theorem", [1, {}, {"id": "a"}, {"id": "a", "hypotheses": [], "steps": [], "statement": {}}])
def test_a_theorem_that_is_none_is_refused(theorem: Any) -> None:
    (verdict,) = recheck({"format": "fltheory proofs 1", "papers": {"p": [theorem]}})
    assert verdict.outcome == "refused"


@pytest.mark.parametrize(
    "term",
    [1, [], ["x"], "1.5", ["symbol", "x"], ["symbol", "x~1", "real"], ["+"], ["family", "Set", "x"], ["dot", "1"]],
)
def test_a_term_that_is_none_is_told(term: Any) -> None:
    with pytest.raises(Wrong):
        read(term)


def test_export_needs_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "sfl", "--export", str(tmp_path / "no" / "file")]) == 2
    assert "can't write" in capsys.readouterr().err
    result = CliRunner().invoke(app, ["proofs", "sfl", "--export", "x", "--coverage"])
    assert result.exit_code == 2


def test_the_example_of_the_page_is_confirmed() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/proof_format.md").read_text(encoding="utf-8")
    example = page.partition("```json\n")[2].partition("```")[0]
    (verdict,) = recheck(json.loads(example), domains=True)
    assert (verdict.name, verdict.outcome, verdict.read) == ("own/square", "confirmed", "")
