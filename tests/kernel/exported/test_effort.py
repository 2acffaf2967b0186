"""What a file asks of the kernel is bounded by counted work, and no file ends it: broken, too deep, or of wrong types."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.api import proofs
from fltheory.kernel.__main__ import main
from fltheory.kernel.language import effort, terms
from fltheory.kernel.language.terms import Wrong
from fltheory.kernel.theorem import Verdict, recheck
from fltheory.proof.export import export_papers
from tests.kernel.exported.written import combine, line, n, step, x

HUGE, i, j = str(10**11), ["symbol", "i", "integer"], ["symbol", "j", "integer"]


def of(claim: Any, rule: Any = None, *, refuted: bool = False) -> dict[str, Any]:
    """A theorem without hypotheses, in one step."""
    last = step("it", claim, combine() if rule is None else rule, refuted=refuted)
    own = {"id": "own/it", "claim": "", "hypotheses": [], "unused": [], "steps": [last]}
    return {**own, "refuted": refuted, "statement": claim}


def said(*theorems: Any) -> list[Verdict]:
    return list(recheck({"format": "fltheory proofs 1", "papers": {"own": list(theorems)}}))


def total(low: str, high: str, body: Any = i) -> Any:
    return ["sum", body, i, low, high]


WITNESS = {"rule": "Witness", "at": []}
SEMIPRIME = str((10**40 + 121) * (10**40 + 4227))  # two primes: no one finds them by trial
LONG: dict[str, dict[str, Any]] = {
    "a tower": of(line("0", "<=", ["^", "2", HUGE])),
    "a tower below": of(line("0", "<=", ["^", "2", f"-{HUGE}"])),
    "a fraction": of(line("0", "<=", ["^", "3/2", HUGE])),
    "a tower with a root": of(line("0", "<=", ["^", "2", f"{10**12 + 1}/2"])),
    "a tower of towers": of(line("0", "<=", ["^", ["^", "7", "1000"], str(10**9)])),
    "a sum at numbers": of(line(total("1", str(10**10)), "<=", "0"), WITNESS, refuted=True),
    "a sum of what is no power": of(line(total("1", str(10**10), ["^", "2", i]), "<=", "0"), WITNESS, refuted=True),
    "a sum whose length is no machine number": of(line(total("1", str(10**30)), "<=", "0"), WITNESS, refuted=True),
    "sums in sums": of(
        line(total("1", "3000", ["sum", ["*", i, j], j, "1", "3000"]), "<=", "0"), WITNESS, refuted=True
    ),
    "integers": of(line("0", "<=", ["*", i, i], [i, "1", str(10**10)]), {"rule": "Enumerate", "scope": "range"}),
    "the last terms of a sum": of(line("0", "<=", total("1", ["+", n, str(10**10)], ["^", "2", i]))),
    "choices": of(line("0", "<=", ["binomial", HUGE, str(10**10)])),
    "a degree": of(line("0", "<=", total("1", n, ["^", i, str(10**6)]))),
    "factors": of(line("0", "<=", ["^", SEMIPRIME, "1/2"])),
    "factors of a polynomial": of(line("0", "<=", ["abs", ["+", ["^", x, HUGE], "-1"]]), combine({})),
    "a square root of a polynomial": of(line("0", "<=", ["^", ["+", ["^", x, str(2 * 10**9)], "1"], "1/2"])),
}


@pytest.mark.parametrize("what", LONG)
def test_what_takes_too_long_is_not_checked(what: str) -> None:
    (verdict,) = said(LONG[what])
    assert verdict.outcome in ("not checked", "confirmed"), verdict
    assert verdict.outcome == "confirmed" or verdict.reason.startswith("too long"), verdict
    if "polynomial" not in what:  # where nothing has to be factored, nothing is too long
        assert verdict.outcome == "not checked"


def test_what_is_short_is_checked() -> None:
    """The negative control: the same shapes at sizes that can be done."""
    short = [
        of(line("0", "<=", ["^", "2", "1000"])),
        of(line(total("1", "100"), "<=", "0"), WITNESS, refuted=True),
        of(line("0", "<=", ["*", i, i], [i, "1", "100"]), {"rule": "Enumerate", "scope": "range"}),
        of(line("0", "<=", ["binomial", "50", "10"])),
        of(line("0", "<=", ["^", str(2**521 - 1), "1/2"])),  # a large prime is no long search
    ]
    for theorem in short:
        (verdict,) = said(theorem)
        assert verdict.outcome == "confirmed", verdict


def test_nothing_rests_on_what_was_not_checked() -> None:
    first = LONG["a tower"]
    claim = first["statement"]
    applied = {**of(claim, {"rule": "Apply", "theorem": "own/it", "at": []}), "id": "own/next"}
    one, two = said(first, applied)
    assert (one.outcome, two.outcome) == ("not checked", "refused")


def test_what_took_too_long_takes_too_long_again() -> None:
    """Either power alone can be done: what was worked out before the end came is forgotten."""
    powers = [["^", "5", "1500000"], ["^", "7", "1500000"]]
    for own, outcome in ((["+", *powers], "not checked"), (["+", *powers], "not checked"), (powers[0], "confirmed")):
        (verdict,) = said(of(line("0", "<=", own)))
        assert verdict.outcome == outcome


def test_what_stands_before_it_changes_no_verdict() -> None:
    """What another theorem has left worked out may not make short what is too long by itself."""
    powers = [["^", "5", "1500000"], ["^", "7", "1500000"]]
    one, two = (of(line("0", "<=", own)) for own in (powers[0], ["+", *powers]))
    (alone,) = said(two)
    first, after = said(one, {**two, "id": "own/two"})
    assert (alone.outcome, first.outcome, after.outcome) == ("not checked", "confirmed", "not checked")


def test_a_letter_that_was_met_where_the_stack_ended_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks off in the making of a term leaves nothing half made for the theorems after it."""

    def ends(word: str, args: Any) -> Any:
        raise RecursionError

    effort.begin()
    with monkeypatch.context() as here:
        here.setattr(terms, "_place", ends)
        with pytest.raises(RecursionError):
            terms.symbol("met at the end", "real")
    own = ["symbol", "met at the end", "real"]
    (verdict,) = said(of(line("0", "<=", ["^", own, "2"])))
    assert verdict.outcome == "confirmed", verdict


def test_work_is_counted_alike_each_time() -> None:
    effort.begin()
    effort.spend(effort.MOST)
    with pytest.raises(effort.TooLong):
        effort.spend(1)
    assert effort.spent() == effort.MOST


# Files that are none --------------------------------------------------------------------------------------------------

NO_FILES = {
    "broken": b'{"format": "fltheory proofs 1", "papers": {"sfl": [',
    "no text": b"\xff\xfe\x00",
    "empty": b"",
    "a number": b"1",
    "deep": b'{"format": "fltheory proofs 1", "papers": ' + b"[" * 200_000,
    "papers in a list": b'{"format": "fltheory proofs 1", "papers": []}',
    "no list": b'{"format": "fltheory proofs 1", "papers": {"a": 1}}',
    "nothing": b'{"format": "fltheory proofs 1", "papers": {"a": null}}',
    "many digits": b'{"format": "fltheory proofs 1", "papers": {"a": ' + b"1" * 10_000 + b"}}",
}


@pytest.mark.parametrize("what", NO_FILES)
def test_a_file_that_is_none_is_one_line(what: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(NO_FILES[what])
    done = subprocess.run(
        [sys.executable, "-m", "fltheory.kernel", str(path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{path}: ")
    assert done.stderr.count("\n") == 1


def test_deep_terms_and_odd_names_end_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep: Any = x
    for _ in range(900):
        deep = ["abs", deep]
    odd = {**of(line("0", "<", "0")), "id": "own/\ud800\nname"}
    path = tmp_path / "file.json"
    theorems = [of(line(deep, "<=", deep)), odd, of(line("0", "<=", ["^", "2", HUGE]))]
    path.write_text(json.dumps({"format": "fltheory proofs 1", "papers": {"own": theorems}}))
    assert main([str(path)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert "own/\\ud800 name: refused" in out
    assert "own/it: not checked: too long: step it (Combine)" in out or "an earlier theorem has the same name" in out


@cache
def whole_file() -> dict[str, Any]:
    """A few real theorems."""
    found = export_papers(*proofs.selected_proofs(("fedcg",)))
    return {**found, "papers": {"fedcg": found["papers"]["fedcg"][:12]}}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


@cache
def all_places() -> list[tuple[Any, ...]]:
    return [p for p in places(whole_file()["papers"]["fedcg"]) if p]


ODD: list[Any] = [None, True, 1, 1.5, "", "x", "-1", "1/0", "9" * 5000, HUGE, [], {}, [[]], ["^", "2", HUGE]]
ODD += [["oo"], ["symbol", "x", "real"], ["sum", "1", "x", "1", "2"], ["+"], ["family", "Fun", "f"], {"rule": "Ball"}]
ODD += [{"symbol": x, "centre": "0", "order": 10**9}, float("nan"), "\ud800", ["draw", "1", "2"], ["mean", "1"]]


@settings(derandomize=True, max_examples=60, database=None)
@given(st.data())
def test_mutated_files_are_judged(data: st.DataObject) -> None:
    """Whatever stands in some places, there is a verdict of each theorem, or one line that says what is no file."""
    theorems = copy.deepcopy(whole_file()["papers"]["fedcg"])
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(all_places()))
        inside = theorems
        try:
            for key in way:
                inside = inside[key]
            change(data, inside, last)
        except (KeyError, IndexError, TypeError):  # an earlier change took the place away
            continue
    try:
        found = said(*theorems)
    except Wrong:
        return
    assert len(found) == len(theorems)
    assert {v.outcome for v in found} <= {"confirmed", "outside", "refused", "not checked"}


def change(data: st.DataObject, inside: Any, last: Any) -> None:
    how: Callable[[], Any] = data.draw(
        st.sampled_from([lambda: data.draw(st.sampled_from(ODD)), lambda: [inside[last]], lambda: str(inside[last])])
    )
    if isinstance(inside, dict) and data.draw(st.booleans()) and data.draw(st.booleans()):
        del inside[last]
        return
    inside[last] = how()
