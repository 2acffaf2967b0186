"""Ctrl-C in a search for constants, or for repairs: what was found is kept, and it is said that more was to come."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from fltheory import find
from fltheory.command.output_files import require_output_file
from fltheory.model.case import Case
from fltheory.search.falsifier import falsify
from fltheory.search.repair.repair import FIRST_TRY_WORK, repair
from fltheory.search.tightness import request
from fltheory.search.tightness.drop_condition import drop_each_condition
from fltheory.search.tightness.hardest_cases import FactSearch
from fltheory.search.tightness.table import TableRow
from fltheory.search.tightness.tightness import tightness
from fltheory.work import DEFAULT_WORK
from tests.typed import Run
from tests.when_asked import module_when_asked

known = module_when_asked("tests.tightness.known")

FALSE = "sfl/J@printed"
MODULE, MENDING = "fltheory.search.tightness.tightness", "fltheory.search.repair.trials"
REPAIR = "fltheory.search.repair.repair"
Break = Callable[[int], None]


def interrupt(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


def must_not_run(*_: object, **__: object) -> NoReturn:
    raise AssertionError("nothing else is begun after Ctrl-C")


def broken_off(*arguments: Any, **options: Any) -> Any:
    """A search that Ctrl-C ends: it returns what it has."""
    return replace(falsify(*arguments, **{**options, "work": 200}), interrupted=True)


@pytest.fixture
def after(monkeypatch: pytest.MonkeyPatch) -> Break:
    """Ctrl-C comes after so many cases."""
    look = FactSearch.look

    def set_up(cases: int) -> None:
        def looked(hunt: FactSearch, case: Case, *last: float) -> Any:
            return interrupt() if hunt.examined >= cases else look(hunt, case, *last)

        monkeypatch.setattr(FactSearch, "look", looked)

    return set_up


def test_limits_are_kept_and_nothing_else_is_begun(after: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}._proved_factor", must_not_run)
    monkeypatch.setattr(f"{MODULE}.drop_each_condition", must_not_run)
    after(30)
    found = tightness(known.GD_CONVEX)
    assert found.interrupted
    assert found.factor is not None
    assert ", interrupted\n" in str(found)
    assert found.row()["interrupted"] is True


def test_ctrl_c_again_keeps_what_is_exact(after: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}.fact_of", interrupt)
    after(30)
    found = tightness(known.GD_CONVEX)
    assert found.interrupted
    assert [limit.fact.evidence for limit in found.limits] == ["exact"]


def test_ctrl_c_while_the_upper_end_is_proved_keeps_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}._proved_factor", interrupt)
    found = tightness(known.GD_CONVEX, max_cases=20)
    assert found.interrupted
    assert found.factor is not None
    whole_search = tightness(known.GD_CONVEX, max_cases=20, conditions=False)
    assert whole_search.interrupted  # _proved is still the one that is interrupted


def test_a_search_without_a_condition_that_is_broken_off_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fltheory.search.tightness.drop_condition.falsify", broken_off)
    claim = find("sfl/T3-SC@corrected")
    found = list(drop_each_condition(claim, claim.cases[:4], 3000, math.inf, 0))
    assert [one.interrupted for one in found][-1:] == [True]
    assert sum(one.interrupted for one in found) == 1


def test_of_repairs_it_is_said_that_none_was_tried_yet(after: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MENDING}.falsify", broken_off)
    found = repair(FALSE, max_cases=12)
    assert found.interrupted
    assert not found.repairs
    assert found.untested > 0
    assert str(found).endswith("interrupted)\nnothing was tried yet: interrupted")
    after(5)
    found = repair(FALSE)
    assert str(found).endswith("interrupted)\nnothing was tried yet: interrupted")
    assert found.row()["interrupted"] is True


def test_of_repairs_it_is_said_that_no_time_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{REPAIR}._is_refuted", lambda hunt: True)
    assert str(repair(FALSE, seconds=1e-9)).endswith("nothing was tried yet: out of time")


def test_of_repairs_it_is_said_that_no_work_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{REPAIR}._is_refuted", lambda hunt: True)
    assert str(repair(FALSE, work=1)).endswith("nothing was tried yet: out of work (--work 371 at least)")


def test_the_command_says_after_how_long(run: Run, after: Break, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    path.write_text("old\n")
    after(0)
    for command in ("tightness", "repair"):
        status, _, err = run(command, FALSE, "--json", path, "--force")
        assert (status, path.read_text()) == (130, "old\n")
        assert re.fullmatch(r"fltheory: interrupted after \d+\.\d s\n", err)
    after(8)
    status, out, err = run("tightness", FALSE, "--json", path, "--force")
    assert status == 130
    assert re.fullmatch(r"fltheory: interrupted after \d+\.\d s\n", err)
    assert "interrupted\n" in out
    assert json.loads(path.read_text())["interrupted"] is True


# Tables ---------------------------------------------------------------------------------------------------------


def entries(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Ctrl-C comes after so many rows of a table."""
    done: list[TableRow] = []

    def made(claim: Any, work: int, seed: int) -> TableRow:
        if len(done) == most:
            interrupt()
        done.append(TableRow(claim.id, "", "", "1", "", "exact", 1))
        return done[-1]

    monkeypatch.setattr(request, "table_row", made)


def test_a_table_that_is_broken_off_has_what_is_done(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.md"
    path.write_text("old\n")
    entries(monkeypatch, 0)
    status, _, err = run("tightness", "sfl/T3-GC*", "--markdown", path, "--force")
    assert (status, err, path.read_text()) == (130, "fltheory: interrupted: none of 3 claims is finished\n", "old\n")
    entries(monkeypatch, 2)
    status, _, err = run("tightness", "sfl/T3-GC*", "--markdown", path, "--force")
    assert status == 130
    assert err.endswith(f"fltheory: interrupted: 2 of 3 claims are finished; they are in {path}\n")
    page = path.read_text()
    assert page.count("| `sfl/T3-GC") == 2
    assert page.endswith("\nInterrupted: 2 of 3 claims.\n")
    entries(monkeypatch, 3)
    status, out, _ = run("tightness", "sfl/T3-GC*", "--markdown", path, "--force")
    assert (status, out) == (0, f"{path}\n")
    assert "Interrupted" not in path.read_text()
    assert list(tmp_path.iterdir()) == [path]


def test_a_search_that_is_broken_off_is_no_row(after: Break) -> None:
    after(5)
    page = request.constants_table(request.TightnessTask(("sfl/T3-GC*",)), lambda line: None)
    assert (page.done, page.of) == (0, 3)


def test_a_table_that_cant_be_written_is_refused_first(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "table_row", must_not_run)
    for path, word in ((tmp_path, "it is a directory"), (tmp_path / "none" / "table.md", "no directory")):
        status, _, err = run("tightness", "sfl/T3-GC*", "--markdown", path, "--force")
        assert (status, word in err) == (2, True), err
    status, _, err = run("tightness", "sfl/T3-GC*", "--markdown", tmp_path / "a.md", "--json", tmp_path / "a.json")
    assert (status, "leave out one of them" in err) == (2, True), err
    assert not list(tmp_path.iterdir())


def test_a_device_is_written_as_it_is() -> None:
    device = Path("/dev/null")
    require_output_file(device).write(b"table")
    assert device.is_char_device()


def test_a_repair_that_ran_out_of_work_says_so_and_what_would_do() -> None:
    """The rest of the changes is not called untested alone: what ended it, what each takes, what may be given."""
    found = repair(FALSE, work=400)
    assert (found.ended, found.given, found.untested > 0) == ("out of work", 400, True)
    last = next(line for line in str(found).splitlines() if "ran out" in line)
    assert last == (
        f"it ran out of work: {found.untested} changes are untested; each takes up to 150 of the 400 units, and 27 % of them are "
        "for that (--work 20000 is the default)"
    )
    assert found.row()["ended"] == "out of work"
    assert "try --work 80000" in str(replace(found, given=DEFAULT_WORK))
    assert "ran out" not in str(replace(found, ended=""))
    assert "it ended out of time" in str(replace(found, ended="out of time"))


def test_less_work_than_is_named_tries_no_change() -> None:
    assert repair(FALSE, work=FIRST_TRY_WORK - 1).untried == "out of work"
    assert repair(FALSE, work=2 * FIRST_TRY_WORK).untried == ""
