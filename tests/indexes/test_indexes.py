"""The papers' pages are complete: every item with its claims or a reason, every claim where it stands, by the stored verdicts."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from fltheory.claims import stored_results
from fltheory.claims.catalogue import KEYS, catalogue
from tests.indexes import page
from tests.indexes.page import BODY, WHOLE, faults, named, numbers, read, unexplained, written

AGAIN = "run `python -m tests.indexes`"
EVERY = 60  # claims whose numbers are computed again in the gate: the claims' own tests compute all verdicts


@pytest.mark.parametrize("key", KEYS)
def test_the_page_is_complete_and_current(key: str) -> None:
    assert not faults(key, written(key)), AGAIN
    assert set(read(written(key)).lines) == {claim.id for claim in catalogue((key,))}, AGAIN


@pytest.mark.parametrize("key", KEYS)
def test_what_is_recorded_is_that_of_the_page_and_of_the_proofs(key: str) -> None:
    assert page.record(key, read(written(key))) == stored_results.results_path(key).read_text(encoding="utf-8"), AGAIN


@pytest.mark.parametrize("key", KEYS)
def test_every_item_has_claims_or_a_reason(key: str) -> None:
    assert not unexplained(key)
    for item in page.contents(key).items:
        assert item.title, f"{item.name}: what is it about?"
        assert f"**{item.name}**" in written(key) or f"# {item.name}: " in written(key), AGAIN


@pytest.mark.parametrize("key", KEYS)
def test_a_part_of_the_numbers_is_computed_again(key: str) -> None:
    stored = read(written(key)).numbers
    for claim in catalogue((key,))[::EVERY]:
        assert stored[claim.id] == numbers(claim), f"python -m tests.indexes --numbers {key}"


@pytest.mark.deep
@pytest.mark.parametrize("key", KEYS)
def test_all_numbers_are_current(key: str) -> None:
    stored = read(written(key)).numbers
    wrong = {claim.id for claim in catalogue((key,)) if stored[claim.id] != numbers(claim)}
    assert not wrong, f"python -m tests.indexes --numbers {key}"


# Negative controls ----------------------------------------------------------------------------------------------


def rows(found: str) -> list[str]:
    return [line for line in found.partition(BODY)[2].splitlines() if line.startswith("|") and "`sfl/T3-GC@" in line]


def test_a_missing_row_is_seen() -> None:
    found, (first, _) = written("sfl"), rows(written("sfl"))
    wrong = faults("sfl", found.replace(first + "\n", ""))
    assert any("`sfl/T3-GC@printed`" in line for line in wrong)


def test_a_missing_item_is_seen() -> None:
    (line,) = (s for s in written("sfl").splitlines() if s.startswith("| **Corollary 4**"))
    assert any("Corollary 4" in s for s in faults("sfl", written("sfl").replace(line + "\n", "")))


def test_another_verdict_is_seen() -> None:
    first, _ = rows(written("sfl"))
    assert any(
        "T3-GC" in s for s in faults("sfl", written("sfl").replace(first, first.replace("| holds |", "| violated |")))
    )


def test_rows_out_of_order_are_seen() -> None:
    first, second = rows(written("sfl"))
    assert faults("sfl", written("sfl").replace(f"{first}\n{second}", f"{second}\n{first}"))


def test_a_line_that_names_something_else_is_seen() -> None:
    where = read(written("sfl")).lines["sfl/T3-GC@printed"]
    file, _, number = where.partition(":")
    moved = written("sfl").replace(f"[{where}]", f"[{file}:{int(number) - 2}]")
    assert faults("sfl", moved.replace(f"({file}#L{number})", f"({file}#L{int(number) - 2})")) == [
        f"{file}:{int(number) - 2} doesn't name sfl/T3-GC@printed"
    ]


def test_a_file_that_is_not_there_is_seen() -> None:
    assert any(
        "none.py" in s
        for s in faults("sfl", written("sfl").replace("(upper/proofs/rates.py)", "(upper/proofs/none.py)"))
    )


def test_a_test_that_names_another_claim_is_seen() -> None:
    (line,) = (s for s in written("sfl").splitlines() if s.startswith("| **Theorem 5**"))
    wrong = faults("sfl", written("sfl").replace(line, line.replace("test_lower.py", "test_rates.py")))
    assert wrong == ["test_rates.py names no claim of Theorem 5"]


def test_a_line_names_a_claim_by_its_id_or_a_part_of_it() -> None:
    assert named('    "T3-SC",', "sfl/T3-SC@printed") == WHOLE
    assert named("    _printed(upper.tuned, printed_rates.C4_SC_PRINTED),", "sfl/C4-SC@printed") == len("C4-SC")
    assert named('    batch_floor("pair", "two gradients", True),', "delta_sgd/R2-pair@corrected") == len("pair")
    assert not named('    "T3-GC",', "sfl/T31-SCX@printed")
    assert not named("    statement,", "sfl/T3-SC@printed")


def test_a_reading_of_a_quantity_states_a_claim(tmp_path: Path) -> None:
    path = tmp_path / "claims.py"
    path.write_text(
        'psi = osmd.lemma("C-19-psi", "Theorem 6 (19)", "ψ", lambda one, c: one.q)\n'
        "\n"
        "\n"
        "\n"
        'OMEGA = osmd.theorem("C-19-omega", "Theorem 6 (19)", REGRET)\n'
        "CLAIMS = (\n"
        '    psi.printed("0 <= psi"),\n'
        '    OMEGA.printed("0 <= omega"),\n'
        ")\n"
    )
    assert [page.states(path, line, "osmd/C-19-psi@printed") for line in (1, 7)] == [WHOLE, page.READING]
    assert page.states(path, 8, "osmd/C-19-omega@printed") == page.READING
    assert page.states(path, 7, "osmd/C-19-psi@strengthened") < page.READING
    assert page.states(path, 99, "osmd/C-19-psi@printed") == page.states(path, 6, "osmd/C-19-psi@printed") == 0


def told(monkeypatch: pytest.MonkeyPatch, **changed: object) -> list[str]:
    """What is wrong where ``items.py`` of sfl says something else."""
    file = page.items_of("sfl")
    other = SimpleNamespace(CODE=file.CODE, DRAWN=file.DRAWN, NONE=file.NONE)
    for name, value in changed.items():
        setattr(other, name, value)
    monkeypatch.setattr(page, "items_of", lambda key: other)
    return unexplained("sfl")


def test_an_item_without_claim_and_reason_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    rest = {k: v for k, v in page.items_of("sfl").NONE.items() if k != "Figure 4"}
    assert told(monkeypatch, NONE=rest) == ["Figure 4 has no claim and no reason"]


def test_a_reason_that_nothing_asks_for_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    more = {**page.items_of("sfl").NONE, "Theorem 3": "none", "Theorem 99": "none"}
    assert told(monkeypatch, NONE=more) == [
        "NONE names Theorem 99, which is no item",
        "Theorem 3 has claims: it needs no reason",
    ]


def test_a_figure_that_belongs_nowhere_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = page.items_of("sfl").DRAWN
    rest = {k: v for k, v in drawn.items() if "along" not in v}
    left_out = {name for names in drawn.values() for name in names} - {
        name for names in rest.values() for name in names
    }
    assert "along" in left_out
    assert told(monkeypatch, DRAWN=rest) == [
        f"figure sfl_{name}: drawn nowhere, or not there" for name in sorted(left_out)
    ]


def test_code_that_is_not_there_is_refused() -> None:
    assert page.code("sfl", "algorithms.sequential") == "[`sequential`](algorithms.py)"
    with pytest.raises(AttributeError):
        page.code("sfl", "algorithms.nothing")
    with pytest.raises(ModuleNotFoundError):
        page.code("sfl", "nothing.at_all")
