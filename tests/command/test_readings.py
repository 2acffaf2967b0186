"""An id without a reading, several constants after one option, and lines that fit the terminal."""

from __future__ import annotations

import re

import pytest

from fltheory import find
from fltheory.api.show import claim_lines
from fltheory.claims.catalogue import catalogue
from fltheory.command.cli import app
from fltheory.model.bound import unicode_letter
from tests.typed import Run

CONSTANTS = ("L=1", "D=1", "sigma=0", "zeta_star=1", "M=4", "K=5", "R=1000", "eta=1/120")
TAKEN = "sfl/T3-GC@printed; other readings: sfl/T3-GC@strengthened"


def test_a_bound_without_a_reading_is_that_of_the_printed_one(run: Run) -> None:
    plain, whole = run("bound", "sfl/T3-GC", *CONSTANTS), run("bound", "sfl/T3-GC@printed", *CONSTANTS)
    assert plain[:2] == whole[:2]
    assert plain[0] == 0
    assert plain[2].strip() == TAKEN
    assert not whole[2].strip()


@pytest.mark.parametrize(
    "words", [("falsify", "sfl/T3-GC", "--work", 1), ("plot", "sfl/T3-GC", "--work", 1, "-o", "p.svg", "--force")]
)
def test_a_search_and_a_plot_say_which_reading_they_took(
    run: Run, words: tuple[object, ...], tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    code, _, error = run(*words)
    assert code == 0
    assert TAKEN in error


def test_verify_takes_several_constants_after_one_option(run: Run) -> None:
    one = run("verify", "sfl/T3-GC@printed", "--set", "K=7", "--set", "R=2000")
    several = run("verify", "sfl/T3-GC@printed", "--set", "K=7", "R=2000")
    assert one[0] == several[0] == 0
    assert re.sub(r"[\d.]+ s", "", one[1]) == re.sub(r"[\d.]+ s", "", several[1])


def test_every_letter_of_a_chosen_value_has_a_meaning() -> None:
    """``where`` lists the constants of the bound; a chosen step may need others."""
    for claim in catalogue():
        letters = dict(claim.bound.letters)
        page = claim_lines(claim, ["none"])
        meanings = {line.split(":")[0].strip() for line in page if re.search(r"\(\w+, [^()]+\)$", line)}
        defined = {line.split(" = ")[0].strip() for line in page if " = " in line}
        for symbol in {s for _, e in claim.tuning for s in e.free_symbols}:
            assert unicode_letter(letters[symbol]) in meanings | defined, (claim.id, symbol)
    assert "ζ" in {line.split(":")[0].strip() for line in claim_lines(find("sfl/C4-GC@printed"), ["none"])}


def test_examples_of_help_fit_eighty_columns() -> None:
    for command in app.registered_commands:
        assert command.callback is not None
        for line in (command.callback.__doc__ or "").split("\b")[-1].splitlines():
            assert len(line) <= 82, line  # two blanks of its margin are not printed


def test_the_summary_of_proofs_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("fltheory.api.proofs.check_theorems", lambda targets: iter(()))
    monkeypatch.setattr(
        "fltheory.api.proofs.model_summary",
        lambda targets: "hypotheses satisfied by a model: " + "so many of them " * 9,
    )
    told = run("proofs", "aaggff")[1]
    assert max(map(len, told.splitlines())) <= 80
