"""What a reader meets in an answer: the printed reading, own letters, numbers as they were written, whole words."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from rich.cells import cell_len

from fltheory.api.bounds import decimal_text
from fltheory.api.lookup import as_typed, in_letters, shown_id
from fltheory.command import tables
from fltheory.verification import find
from tests.typed import Run

LONG = "sfl/T7@printed"  # its step is a formula of 200 characters


# Readings -------------------------------------------------------------------------------------------------------


def test_an_id_without_a_reading_shows_the_printed_one_and_names_the_others(run: Run) -> None:
    status, out, err = run("show", "sfl/T3-SC")
    assert (status, err) == (0, "")
    assert out.startswith("sfl/T3-SC@printed ")
    assert out.splitlines()[-1] == (
        "other readings: sfl/T3-SC@corrected (holds), sfl/T3-SC@strengthened (holds), sfl/T3-SC@strict (violated)"
    )
    assert run("show", "sfl/T3-SC", "--latex")[1].splitlines()[-1] == out.splitlines()[-1]


def test_without_a_printed_reading_the_nearest_is_shown(run: Run) -> None:
    out = run("show", "sfl/U3b")[1]
    assert out.startswith("sfl/U3b@explicit ")
    assert out.endswith("other readings: sfl/U3b@strengthened (holds)\n")


@pytest.mark.parametrize(("name", "shown"), [(LONG, LONG), ("sfl/U6", "sfl/U6@explicit")])
def test_a_whole_id_and_an_only_reading_name_no_others(name: str, shown: str) -> None:
    assert shown_id(name) == (shown, ())


# Letters and numbers -----------------------------------------------------------------------------------------------


def test_an_answer_has_the_letters_that_were_typed(run: Run) -> None:
    told = run(
        "worst", "sfl/T3-GC@printed", "M=1", "K=1", "R=1", "L=1", "D=1", "eta=143/1000", "sigma=0", "zeta_star=0"
    )[1]
    assert "zeta_star = 0, D = 1, M = 1, K = 1, R = 1, eta = 143/1000" in told
    told = run("compare", "sfl/T3-SC@corrected", "sfl/T5@printed", "η=143/1000", "n_rounds=1")[1]
    assert "n_rounds = 1, η = 143/1000" in told


def test_a_line_of_python_keeps_its_names() -> None:
    assert as_typed("n_rounds = 3 on Case(n_rounds=3)", ["R=3"], ()) == "R = 3 on Case(n_rounds=3)"
    assert as_typed("n_rounds = 3", ["n_clients=2"], ()) == "n_rounds = 3"


def test_the_answer_of_a_search_has_the_papers_letters() -> None:
    """Except in what is Python: an assignment, and a whole line."""
    bounds = find("sfl/T3-GC@printed").bounds
    assert in_letters("n_rounds**2 <= smoothness at Case(n_rounds=3)", bounds) == "R**2 <= L at Case(n_rounds=3)"
    line = "from fltheory import verify; drop(n_rounds <= 2)"
    assert in_letters(f"my_n_rounds\n{line}", bounds) == f"my_n_rounds\n{line}"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(143, 1000), "0.143"),
        (Fraction(9, 1), "9"),
        (Fraction(-3, 2), "-1.5"),
        (Fraction(1000), "1000"),
        (Fraction(1, 3), "rounded"),
        (Fraction(1, 10**16), "rounded"),
        (Fraction(10**20), "rounded"),
    ],
)
def test_a_short_decimal_is_printed_as_it_is_written(value: Fraction, text: str) -> None:
    assert decimal_text(value, 0.5) == text.replace("rounded", "0.5")


def test_a_bound_that_is_a_decimal_is_not_rounded(run: Run) -> None:
    """As a float, rounded up, 143/1000 is 0.14300000000000002."""
    told = run(
        "bound", "sfl/T3-GC@printed", "L=1", "D=0", "sigma=0", "zeta_star=1", "M=1", "K=1", "R=1000", "eta=143/1000"
    )
    assert told[0] == 0
    assert told[1].splitlines()[0] == str(float(18 * Fraction(143, 1000) ** 2))
    assert f"exactly {18 * Fraction(143, 1000) ** 2}" in told[1]


# Lines ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 120])
def test_a_page_is_wrapped_between_words(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    whole = run("show", LONG)[1]
    monkeypatch.setenv("COLUMNS", str(columns))
    wrapped = run("show", LONG)[1]
    assert max(map(cell_len, whole.splitlines())) > columns >= max(map(cell_len, wrapped.splitlines()))
    assert wrapped.split() == whole.split()


def test_a_line_of_python_is_one_line_in_any_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there to be copied; a command may begin on a new line, but is not broken."""
    monkeypatch.setenv("COLUMNS", "80")
    out = run("falsify", "sfl/C4-GC@printed", "--work", 1)[1]
    assert any(re.fullmatch(r"  counterexample: from fltheory import verify; .*\)", line) for line in out.splitlines())
    assert tables.wrap_line(f"{'word ' * 14}{tables.unbroken('fltheory verify sfl')}")[1] == "  fltheory verify sfl"
    assert tables.wrap_line("x" * 100) == ["x" * 100]


def test_a_formula_is_not_wrapped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    formula = "  a      b      c      d\n  ─── + ─── + ─── + ───\n"
    tables.print_page(formula)
    assert capsys.readouterr().out == formula
    tables.print_page("words that are wrapped\n\nthen more")
    assert capsys.readouterr().out == "words that are\n  wrapped\n\nthen more\n"


# Columns -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["sfl", "delta_sgd"])
def test_contents_fit_a_narrow_page(run: Run, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Readings that do not fit begin a line of their own; none is lost."""
    whole = run("list", key)[1]
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run("list", key)[1]
    assert max(map(cell_len, whole.splitlines())) > 80 >= max(map(cell_len, narrow.splitlines()))
    for word in ("printed", "strict", "strengthened"):
        counts = [len(re.findall(rf"\b{word} (?:holds|violated)", text)) for text in (whole, narrow)]
        assert counts[0] == counts[1] > 1


def test_columns_that_do_not_fit_stand_in_a_second_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = tables.Sheet(
        ("name", "first", "second", "third"), (("a", "1", "2", "3"),), ("third", "first"), keys=("name",)
    )
    sheet.print()
    assert capsys.readouterr().out.splitlines()[0] == "name  first  second  third"
    monkeypatch.setenv("COLUMNS", "22")
    sheet.print()
    assert [line.split() for line in capsys.readouterr().out.splitlines() if "─" not in line] == [
        ["name", "first", "second"],
        ["a", "1", "2"],
        [],
        ["name", "third"],
        ["a", "3"],
    ]


def test_an_unknown_constant_is_told_the_nearest_where_there_is_no_bound(run: Run) -> None:
    status, _, err = run("compare", "sfl/T3-SC@corrected", "sfl/T5@printed", "n_clinets=3")
    assert status == 2
    assert "no constant 'n_clinets'; the nearest are n_clients" in err
