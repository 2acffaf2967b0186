"""Claims are found by the field's words, whatever the papers call a thing; abbreviations and statements stand in the list."""

from __future__ import annotations

import json
import re

import pytest
from rich.cells import cell_len

from fltheory.api import word_search
from fltheory.claims import index
from fltheory.claims.catalogue import catalogue
from fltheory.claims.ids import without_reading
from fltheory.command import tables
from fltheory.papers import search_words
from tests.typed import Run


def found(run: Run, words: str) -> set[str]:
    """The claims, without readings, that a search finds."""
    status, out, err = run("list", "--json", "--search", words)
    assert (status, err) == (0, "")
    return {without_reading(row["id"]) for row in json.loads(out)}


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("FedAvg", "sfl/T7"),
        ("fedavg strongly convex", "sfl/T7"),
        ("local SGD", "sfl/T7"),
        ("parallel", "sfl/T7"),
        ("partial participation", "sfl/T7"),
        ("dropout", "sfl/T7"),
        ("straggler", "sfl/PP-PFL"),
        ("client sampling", "sfl/PP-SFL"),
        ("client sampling", "osmd/C-T8"),
        ("cyclic", "sfl/T3-SC"),
        ("bandit", "osmd/C-T8"),
        ("mirror descent", "osmd/C-T8"),
        ("fairness", "aaggff/T5.1"),
        ("online Newton step", "aaggff/T5.1"),
        ("submodular", "fedcg/T3.2"),
        ("Frank-Wolfe", "fedcg/T3.2"),
        ("greedy", "fedcg/P5"),
        ("adaptive step size", "delta_sgd/T1-X"),
        ("non-iid", "sfl/T3-SC"),
        ("nonconvex", "sfl/T3-NC"),
    ],
)
def test_a_theorem_is_found_by_the_fields_words(run: Run, words: str, claim: str) -> None:
    assert claim in found(run, words)


def test_a_common_name_is_of_its_algorithm_alone(run: Run) -> None:
    """``terms`` is not TERM, and that a paper is called ``osmd`` makes no lemma of it a claim about mirror descent."""
    assert "sfl/T3-SC" not in found(run, "FedAvg")
    assert "sfl/T7" not in found(run, "cyclic")
    assert {claim.partition("/")[0] for claim in found(run, "fairness")} == {"aaggff"}
    assert "osmd/C-5" not in found(run, "mirror descent")
    assert index.common_names("x/T7", "the terms of osmdx") == []
    assert index.common_names("x/T7", "TERM") == [search_words.TOPICS["TERM"]]
    assert index.common_names("sfl/T70", "") == []


def test_every_name_of_the_table_finds_a_claim_that_has_it_from_the_table() -> None:
    lines = index.lines()
    for own, names in {**search_words.ALGORITHMS, **search_words.TOPICS}.items():
        assert any(names.casefold() in line.words for line in lines), f"{own} names no claim"


def test_every_algorithm_of_the_catalogue_has_a_common_name() -> None:
    names = {claim.algorithm.name for claim in catalogue() if claim.algorithm is not None}
    known = set(search_words.ALGORITHMS.values())
    assert len(names) > 20
    assert {name for name in names if not known & set(index.common_names("", name))} == set()


def test_every_abbreviation_stands_in_an_id_or_a_statement() -> None:
    words = set(re.findall(r"\w+", " ".join(f"{line.id} {line.statement}" for line in index.lines())))
    assert set(search_words.ABBREVIATIONS) - words == set()


def test_a_phrase_comes_before_its_words(run: Run) -> None:
    """Every id of the paper ``delta_sgd`` has the letters of SGD."""
    out = run("list", "--json", "--search", "local SGD")[1]
    text = {line.id: line.words for line in index.lines()}
    has = ["local sgd" in text[row["id"]] for row in json.loads(out)]
    assert has == sorted(has, reverse=True)
    assert has[-1] is False


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["FedAvg"], "FedAvg"), (["--search", "local", "SGD"], "local SGD"), (["dropout"], "dropout")],
)
def test_a_word_in_the_place_of_an_id_is_searched_for(run: Run, arguments: list[str], words: str) -> None:
    status, out, err = run("list", *arguments)
    assert (status, err.strip()) == (0, f"no claim is called {words!r}; those that have the words:")
    assert out == run("list", "--search", words)[1]
    assert run("list", "unicorn")[0] == 2


def test_a_word_in_the_place_of_an_id_leads_other_commands_to_the_search(run: Run) -> None:
    status, _, err = run("verify", "FedAvg")
    assert status == 2
    assert re.search(r"by words: fltheory list --search FedAvg finds \d+$", err.strip())


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("dropouts", "sfl/T7"),
        ("local-sgd", "sfl/T7"),
        ("federated-averaging", "sfl/T7"),
        ("device drop-out", "sfl/PP-PFL"),
        ("step-size", "sfl/T5"),
        ("offline clients", "sfl/PP-PFL"),
        ("availability", "sfl/PP-SFL"),
        ("multi-armed bandits", "osmd/C-T4"),
        ("min-max", "aaggff/U7-a"),
        ("OMD", "osmd/C-T4"),
        ("q-FFL", "aaggff/T5.1"),
        ("SFL vs PFL", "sfl/T16"),
        ("linear speedup", "sfl/T7"),
        ("statistical heterogeneity", "sfl/TAB1-zeta-SC"),
        ("variance reduction", "osmd/C-5"),
    ],
)
def test_plurals_hyphens_and_other_words_find_the_same(run: Run, words: str, claim: str) -> None:
    assert claim in found(run, words)


def test_words_are_whole_and_their_endings_are_those_of_plurals(run: Run) -> None:
    """``ring`` is no part of ``measuring``, nor ``pl`` of ``samples``."""
    for words in ("ring", "PL condition"):
        status, _, err = run("list", "--search", words)
        assert status == 2
        assert f"has all of the words {words!r}" in err
    assert [word_search._singular(w) for w in ("dropouts", "batches", "bodies", "loss", "nonsense", "gas")] == [
        "dropout",
        "batch",
        "body",
        "loss",
        "nonsense",
        "gas",
    ]


def test_the_closest_claims_come_first_the_printed_before_other_readings(run: Run) -> None:
    rows = json.loads(run("list", "--json", "--search", "FedAvg")[1])
    assert rows[0]["id"] == "sfl/T7@printed"
    near = {line.id: "fedavg" in f"{line.statement} {line.names}".casefold() for line in index.lines()}
    keys = [(not near[row["id"]], word_search.READING_ORDER.index(row["reading"])) for row in rows]
    assert [key[0] for key in keys] == sorted(key[0] for key in keys)
    assert keys[0] == min(keys)


def test_a_search_that_finds_many_shows_the_closest(run: Run) -> None:
    out = run("list", "--search", "learning rate")[1]
    assert len(re.findall(r"^\w+/\S+@\w+", out, re.MULTILINE)) <= word_search.SHOWN
    whole = len(json.loads(run("list", "--json", "--search", "learning rate")[1]))
    assert f"the closest {word_search.SHOWN} of {whole} claims" in out
    assert "the closest" not in run("list", "--search", "learning rate", "--all")[1]
    assert "the closest" not in run("list", "--search", "dropouts")[1]


# Statements and legend --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("selector", ["osmd/C-5", "delta_sgd/T1", "fedcg"])
def test_every_row_has_its_statement(run: Run, monkeypatch: pytest.MonkeyPatch, selector: str, columns: int) -> None:
    """Whole, or cut off after a word; no line is wider than the page."""
    monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = run("list", f"{selector}*")
    lines = out.splitlines()
    assert max(map(cell_len, lines)) <= columns
    claims = [claim for claim in catalogue() if claim.id in out]
    assert len(claims) > 5
    for claim in claims:
        shown = f"  {tables.shortened(claim.statement, columns - 2)}"
        assert shown in lines
        kept = shown.strip().removesuffix("…")
        assert claim.statement.startswith(kept)
        assert kept == claim.statement or claim.statement[len(kept)] == " "


def test_a_text_is_cut_off_after_a_word() -> None:
    assert tables.shortened("one two", 7) == "one two"
    assert tables.shortened("one two", 6) == "one…"
    assert tables.shortened("one two three", 8) == "one two…"
    assert tables.shortened("one two three", 9) == "one two…"
    assert tables.shortened("onetwothree", 6) == "onetw…"


def test_the_legend_explains_what_is_shown(run: Run) -> None:
    out = run("list", "sfl/T7-GC")[1]
    assert out.splitlines()[-1] == "abbreviations: PFL parallel federated learning (FedAvg); GC general convex"
    assert "SC strongly convex" in " ".join(run("list", "sfl")[1].split())
    assert "abbreviations" not in run("list", "sfl/U2")[1]
