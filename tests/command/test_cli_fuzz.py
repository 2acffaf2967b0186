"""Whatever is typed: no traceback, no hang beyond the budget, and an exit status that means something."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fltheory.claims.catalogue import catalogue
from fltheory.command import cli
from fltheory.symbols import VOCABULARY

STATUSES = {0, 1, 2, 3, 130}
BUDGET = 20.0  # seconds of computing for one command
PATIENCE = 200  # seconds until a command counts as stuck, on a busy machine too
CHEAP = ("sfl/T3-SC@corrected", "sfl/T3-SC@printed", "sfl/U3b@explicit", "sfl/TAB1-GC-Woodworth@printed")
LOUD = settings(deadline=None, suppress_health_check=list(HealthCheck))


class Stuck(BaseException):
    """A command that does not come back."""


def _stuck(number: int, frame: FrameType | None) -> None:
    raise Stuck


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """An alarm in the block; the search for counterexamples, which has one of its own, leaves this one alone."""
    before = signal.signal(signal.SIGALRM, _stuck)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def command(*arguments: str) -> int:
    """Run it here: its exit status, after a look at what it printed and how long it took."""
    out, err = io.StringIO(), io.StringIO()
    began = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.run(list(arguments))
    spent = time.process_time() - began
    assert status in STATUSES, (arguments, status)
    assert "Traceback" not in out.getvalue() + err.getvalue(), arguments
    if status == 2:
        complaint = err.getvalue()
        assert complaint.startswith("fltheory: "), arguments
        assert complaint.count("\n") == 1, arguments
        assert len(complaint) < 4000, arguments
    assert spent < BUDGET, (arguments, spent)
    return status


# What is typed ------------------------------------------------------------------------------------------------------

ODD = st.sampled_from(
    [
        "",
        " ",
        "=",
        "-",
        "--",
        "@",
        "/",
        "*",
        "[",
        "[!",
        "**",
        "\0",
        "\x1b[31m",
        "\udcff",
        "١",
        "ﬀ",
        "é" * 9,
        "x" * 20_000,
        "%s",
        "{0}",
        "None",
        "__class__",
        "sfl",
        "sfl/",
        "/T3",
        "sfl/T3",
        "SFL/T3-SC",
        "sfl/T3-SC@",
        "sfl/T3-SC@wrong",
        "osmd/*@*",
        "*a*a*a*a*a*a*a*a*b",
        "../etc/passwd",
        "-1",
        "--help",
        "--json",
        "--nope",
        "-h",
    ]
)
WORDS = st.one_of(ODD, st.text(max_size=12), st.sampled_from([c.id for c in catalogue()]))

ATOMS = st.one_of(
    st.integers(-3, 12).map(str),
    st.sampled_from(
        [
            "0.1",
            "1e9",
            "1e-9",
            "1e400",
            "1e-400",
            "1e3999",
            "1e-3999",
            "1e9999",
            "9" * 5000,
            "10**30",
            "1/3",
            "pi",
            "E",
            "1e",
            ".",
            "nan",
            "inf",
            "-inf",
            "True",
            "None",
            "1j",
            "I",
            "oo",
            "zoo",
            "x",
            "٣",
            "½",
            "∞",
            "1_000",
            "0x1F",
            "1e400000000000",
            "",
        ]
    ),
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**", "//", "%", "=", ","]), inner).map("".join),
        st.tuples(st.sampled_from(["sqrt", "exp", "log", "-", "+", "n!", "Rational", ""]), inner).map(
            "{0[0]}({0[1]})".format
        ),
    ),
    max_leaves=8,
)
TOWERS = st.tuples(
    st.sampled_from(["-", "+", "1+", "(", "exp(", "sqrt(", "log(", "9**", "1/", "2*"]),
    st.integers(1, 20_000),
    st.sampled_from(["1", "9", "", "9)"]),
).map(lambda t: t[0] * t[1] + t[2] + ")" * (t[1] if "(" in t[0] else 0))


@st.composite
def assignments(draw: st.DrawFn) -> list[str]:
    """A claim and what is set for it: mostly its own constants and mostly numbers, in part neither."""
    claim = draw(st.sampled_from(catalogue()))
    own = sorted(
        {s.name for b in claim.bounds for s in b.symbols} | {s.name for _, e in claim.tuning for s in e.free_symbols}
    )
    tame = draw(st.booleans())
    known = [
        f"{name}={draw(st.sampled_from(['1', '2', '1/7', '10**30', 'sqrt(2)', '1e-3000']) if tame else VALUES)}"
        for name in own
    ]
    names = st.one_of(st.sampled_from([*own, *VOCABULARY, "M", "eta", "σ", r"\eta"]), ODD)
    more = draw(st.lists(st.tuples(names, st.one_of(VALUES, TOWERS)).map("=".join), max_size=2))
    return [claim.id, *(draw(st.permutations(known + more)) if draw(st.booleans()) else known + more)]


def small_runs(folder: Path) -> st.SearchStrategy[list[str]]:
    """Commands that compute something, on claims that cost little."""
    claim = st.sampled_from(CHEAP)
    files = st.sampled_from(["x.json", "no/x.json", "", "\0", "y" * 300, "."]).map(
        lambda f: ["--json", f"{folder}/{f}"]
    )
    device = st.just(["--json", "/dev/full"])
    file = st.one_of(st.just([]), files, device)
    seed = st.sampled_from([[], ["--seed", "7"], ["--seed", "-1"], ["--seed", str(2**63)], ["--seed", "x"]])
    jobs = st.sampled_from([["--jobs", "1"]] * 3 + [["--jobs", "0"], ["--jobs", "x"], ["--jobs", "1e9"]])
    profile = st.sampled_from([[]] * 3 + [["--profile", "slow"], ["--profile"]])
    seconds = st.sampled_from(["0.05", "0.2", "0", "-1", "nan", "inf", "1e999", "x", ""]).map(
        lambda s: ["--seconds", s]
    )
    variant = st.sampled_from([[]] * 5 + [["--variant", v] for v in ("", ":", "no.py:step", "x", f"{folder}:step")])
    theorem = st.sampled_from(["sfl/U1@explicit", "sfl/T3", "nope", "\0", "x" * 20_000])
    output = st.sampled_from([f"{folder}/p.svg", f"{folder}/p.gif", "", "/dev/full", f"{folder}/no/p.png", "\0.svg"])
    along = st.one_of(
        st.just([]), st.sampled_from(["eta", "R", "D", "zz", "", "\0", "x" * 999]).map(lambda a: ["--along", a])
    )
    return st.one_of(
        st.tuples(st.just(["verify"]), st.lists(claim, min_size=1, max_size=2), jobs, seed, profile, file, variant),
        st.tuples(st.just(["falsify"]), claim.map(lambda c: [c]), seconds, seed, file, variant),
        st.tuples(st.just(["plot"]), claim.map(lambda c: [c]), output.map(lambda o: ["-o", o]), along),
        st.tuples(st.just(["proofs", "sfl", "--show"]), theorem.map(lambda t: [t]), file),
    ).map(lambda parts: [word for part in parts for word in part])


# In this process ------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def _words(n: int) -> None:
    commands = st.sampled_from(
        ["list", "show", "bound", "verify", "falsify", "plot", "proofs", "nope", "--version", "--help", ""]
    )

    @settings(LOUD, max_examples=n)
    @given(commands, st.lists(ODD, max_size=3), st.booleans())
    def check(name: str, words: list[str], helped: bool) -> None:
        whole = name == "verify" and (not words or set(words) & {"sfl", "*", "**", "osmd/*@*"})
        if not whole and not (name == "proofs" and not words):  # these two are long, and right
            command(*([name] if name else []), *words, *(["--help"] if helped else []))

    check()


def _bounds(n: int) -> None:
    @settings(LOUD, max_examples=n)
    @given(assignments(), st.sampled_from([[], ["--set"], ["--set", "--set"]]))
    def check(words: list[str], flag: list[str]) -> None:
        command("bound", *words[:1], *flag, *words[1:])

    check()


def _pages(n: int) -> None:
    @settings(LOUD, max_examples=n)
    @given(st.sampled_from(["show", "list"]), WORDS, st.sampled_from([[], ["--latex"], ["--json"]]))
    def check(name: str, word: str, flag: list[str]) -> None:
        if name == "list" or word in CHEAP or word not in {c.id for c in catalogue()}:
            command(name, word, *flag)

    check()


def _runs(n: int, folder: Path) -> None:
    @settings(LOUD, max_examples=n)
    @given(small_runs(folder))
    def check(arguments: list[str]) -> None:
        command(*arguments)

    check()


def test_words() -> None:
    with guarded():
        _words(40)


@pytest.mark.turns(3)
def test_bounds() -> None:
    with guarded():
        _bounds(60)


def test_pages() -> None:
    with guarded():
        _pages(20)


def test_runs(tmp_path: Path) -> None:
    with guarded():
        _runs(12, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("part", range(4))
def test_many_more(part: int, tmp_path: Path) -> None:
    (_words, _bounds, _pages, lambda n: _runs(n // 10, tmp_path))[part](2000)


def test_the_net_has_no_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The opposite: an error that escapes, and a status without a meaning, are caught."""
    monkeypatch.setattr(cli, "run_for_status", lambda call: 120)
    with pytest.raises(AssertionError):
        command("list")
    monkeypatch.setattr(cli, "run_for_status", lambda call: [].pop())
    with pytest.raises(IndexError):
        command("list")


# In a process of its own ----------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("list sfl > /dev/full", 2, "can't write the output: No space left on device"),
        ("--version > /dev/full", 2, "can't write the output: No space left on device"),
        ("list sfl >&-", 2, "standard output is closed"),
        ("nope 2>&-", 2, ""),
        ("nope 2> /dev/full", 2, ""),
        (f"bound {CHEAP[0]} D=$(printf '%020000d') 2>&1 | cat >&2; exit 2", 2, "a text of 20000 characters"),
    ],
)
def test_from_a_shell(line: str, status: int, says: str) -> None:
    result = subprocess.run(
        f"{sys.executable} -m fltheory {line}", shell=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert result.returncode == status
    assert "Traceback" not in result.stdout + result.stderr
    assert says in result.stderr
    assert result.stderr.count("\n") == bool(says)
