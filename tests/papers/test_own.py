"""A theorem of one's own: what is not said is derived, what is missing is named, and its verdicts are those of any claim."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from sympy import Eq, Symbol

from fltheory import Algorithm, Case, Claim, declare, falsify, quantity, theorem, verify
from fltheory.api.bounds import bounds_at
from fltheory.claims import plugins
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.constants import Constants
from fltheory.runs.measures import LastGap
from fltheory.runs.oracle import Oracle
from fltheory.symbols import (
    COMMON_NOTATION,
    VOCABULARY,
    gradient_bound,
    initial_distance,
    n_clients,
    n_rounds,
    noise_std,
    notation_for,
    smoothness,
)

relaxation = declare("test_relaxation", "share of the step 1/L that is taken", "positive")
RATE = smoothness * initial_distance**2 / (2 * relaxation * n_rounds)
GIVEN = [relaxation <= 1, Eq(noise_std, 0)]


def step(x: Any, oracle: Oracle, c: Constants) -> Any:
    return x - c.test_relaxation / c.smoothness * oracle.gradient(x, 0)


def family() -> Any:
    return st.builds(
        lambda h, r, w: Case(QuadraticClients(((1, h),), ((0, 0),), (1, 1)), n_rounds=r, test_relaxation=w),
        st.fractions("1/20", 1, max_denominator=20),
        st.integers(1, 9),
        st.fractions("1/10", 2, max_denominator=10),
    )


def stated(*bounds: Any, text: str = "T1: gradient descent", **more: Any) -> Claim:
    known: dict[str, Any] = {"measure": LastGap(), "algorithm": Algorithm("GD", step), "family": family, "given": GIVEN}
    return theorem(text, *bounds, **{**known, **more})


def test_what_is_not_said_is_derived() -> None:
    claim = stated(quantity <= RATE)
    assert claim.id == "tests/T1@printed"
    assert (claim.kind, claim.mode, claim.entry.recorded) == ("upper bound", "in expectation", "holds")
    assert len(claim.cases) == 6
    assert len(set(map(repr, claim.cases))) == 6
    assert all(case.constants[relaxation] <= 1 for case in claim.cases)
    assert stated(quantity <= RATE).cases == claim.cases  # the same each time
    assert stated(RATE).bounds == claim.bounds  # what it is at most
    assert stated(quantity >= 0).kind == "lower bound"
    assert stated(Eq(quantity, RATE)).kind == "lemma"
    assert stated(RATE, text="it falls like 1/R, whatever the start").id == "tests/it-falls-like-1-R-whatever@printed"
    assert stated(RATE, key="mine", name="A", cases=claim.cases[:2]).cases == claim.cases[:2]


def test_its_verdicts_are_those_of_any_claim() -> None:
    """The mutants: a tenth of the constant, and the condition on the relaxation left out."""
    claim = stated(quantity <= RATE)
    verdict = verify(claim)
    assert (verdict.status, verdict.evidence, verdict.matches_recorded) == ("vacuous", "exact", True)
    assert not falsify(claim, max_cases=30).found
    assert falsify(stated(quantity <= RATE / 10)).found
    assert falsify(stated(quantity <= RATE, given=[relaxation <= 2])).found


def test_a_vacuous_verdict_is_no_surprise_on_drawn_cases_alone() -> None:
    claim = stated(quantity <= RATE)
    chosen = replace(claim, entry=replace(claim.entry, sampled=False))
    assert verify(claim).matches_recorded
    assert not verify(chosen).matches_recorded


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: stated(), "needs a bound"),
        (lambda: stated(RATE, text=" "), "statement in words"),
        (lambda: stated(RATE, family=None), "has no cases: give cases, or a family of them"),
        (lambda: stated(RATE, given=[relaxation >= 3]), "applies to no case that its family draws: .*relaxation"),
        (lambda: stated(RATE, family=lambda: st.integers()), "draws int, expected cases"),
        (lambda: stated(n_rounds <= RATE), "expected a relation with quantity alone on one side"),
        (lambda: stated(RATE, mode="recorded"), "mode must be one of surely, in expectation, with probability"),
        (lambda: stated(RATE, recorded="refuted"), "recorded must be one of holds, vacuous, violated"),
        (lambda: stated(RATE, key="sfl"), "can't be called sfl/T1: expected a key"),
        (lambda: stated(RATE, name="T@printed"), "can't be called tests/T@printed"),
        (lambda: stated(RATE, given="n"), "given must be relations in the constants"),
        (lambda: stated(RATE, family=st.integers()), "the family must be a function"),
        (lambda: stated(RATE, letters={"n_rounds": "T"}), "letters must map constants to letters"),
        (lambda: stated(RATE, letters={n_rounds: " "}), "letters must map constants to letters"),
        (lambda: stated(RATE, letters={n_rounds: "T", smoothness: "T"}), "T stands for two constants"),
    ],
)
def test_what_is_missing_is_named(build: Callable[[], Claim], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        build()


# Constants of one's own -----------------------------------------------------------------------------------------------


def test_a_declared_constant_is_the_same_symbol_again() -> None:
    again = declare("test_relaxation", "share of the step 1/L that is taken", "positive")
    assert again == relaxation
    assert VOCABULARY["test_relaxation"].symbol is again


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("test_relaxation", "something else", "positive"), "is already defined as"),
        (("test_relaxation", "share of the step 1/L that is taken", "real"), "is already defined as"),
        (("n_rounds", "rounds", "positive integer"), "is already defined as"),
        (("two words", "x", "positive"), "can't be called 'two words'"),
        (("lambda", "x", "positive"), "can't be called 'lambda'"),
        (("round", "x", "positive"), "can't be called 'round'"),
        (("seed", "x", "positive"), "can't be called 'seed'"),
        (("test_share", "x", "in [0, 1]"), "domain must be one of positive integer"),
        (("test_share", " ", "positive"), "the description is empty"),
    ],
)
def test_a_bad_declaration_is_named(arguments: tuple[str, str, str], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        declare(*arguments)
    assert "test_share" not in VOCABULARY


def test_units_of_a_declared_constant_count() -> None:
    length = declare("test_radius", "radius of a ball", "positive", length=1)
    claim = stated(quantity <= smoothness * length**2, cases=stated(RATE).cases)
    assert claim.dimension_error() is None
    assert "differ in their powers" in str(stated(quantity <= smoothness * length, cases=claim.cases).dimension_error())


# Letters --------------------------------------------------------------------------------------------------------------


def test_the_common_letters_name_constants_as_those_of_a_paper_do() -> None:
    claim = stated(quantity <= RATE)
    (by_name,) = bounds_at(claim, smoothness=3, initial_distance=2, n_rounds=4, noise_std=0, test_relaxation="1/2")
    (by_letter,) = bounds_at(claim, L=3, D=2, R=4, sigma=0, test_relaxation="1/2")
    assert by_letter == by_name
    assert bounds_at(claim, {"L": 3, "D": 2, "R": 4, "σ": 0, "test_relaxation": "1/2"}) == (by_name,)
    assert "D ⋅L" in claim.bound.unicode()
    with pytest.raises(ValueError, match=r"no constant 'T'; this bound takes .*R \(n_rounds\)"):
        bounds_at(claim, L=3, D=2, T=4, sigma=0, test_relaxation=1)


def test_a_paper_s_own_letters_come_first() -> None:
    claim = stated(quantity <= RATE, letters={n_rounds: "T", relaxation: r"\eta"})
    (found,) = bounds_at(claim, L=3, D=2, T=4, sigma=0, eta="1/2")
    assert float(found) == 3.0
    with pytest.raises(ValueError, match=r"no constant 'R'; this bound takes .*T \(n_rounds\)"):
        bounds_at(claim, L=3, D=2, R=4, sigma=0, test_relaxation=1)


def test_a_constant_that_is_called_like_a_common_letter_keeps_its_name() -> None:
    assert gradient_bound in notation_for([smoothness], {})
    assert gradient_bound not in notation_for([smoothness, Symbol("G", positive=True)], {})
    assert notation_for([], {n_rounds: "M"})[n_rounds] == "M"
    assert n_clients not in notation_for([], {n_rounds: "M"})
    assert len(set(COMMON_NOTATION.values())) == len(COMMON_NOTATION)


# From a file ----------------------------------------------------------------------------------------------------------

FILE = """
from hypothesis import strategies as st

from fltheory import quantity, Algorithm, Case, theorem
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.measures import LastGap
from fltheory.symbols import initial_distance, n_rounds, smoothness


def step(x, oracle, c):
    return x - oracle.gradient(x, 0) / c.smoothness


def family():
    return st.builds(lambda r: Case(QuadraticClients((1,), (0,), 1), n_rounds=r), st.integers(1, 9))


GOOD = theorem("it reaches the minimum at once", quantity <= smoothness * initial_distance**2 / n_rounds,
    algorithm=Algorithm("GD", step), measure=LastGap(), family=family)
BAD = theorem("it stays", quantity >= smoothness * initial_distance**2 / 2, algorithm=Algorithm("GD", step), measure=LastGap(),
    family=family)
"""


def test_a_witness_names_the_file_and_replays_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.PAPERS_VARIABLE, "")
    home = tmp_path / "my.pyenv"
    home.mkdir()
    (home / "steps_home.py").write_text(FILE)
    monkeypatch.syspath_prepend(str(home))
    verdict = verify(f"{home / 'steps_home.py'}:BAD")
    assert verdict.id == "steps_home/it-stays@printed"
    assert verdict.status == "violated"
    assert verdict.counterexample is not None
    monkeypatch.delenv(plugins.PAPERS_VARIABLE)
    done = subprocess.run([sys.executable, "-c", verdict.counterexample], capture_output=True, text=True, check=True)
    assert "steps_home/it-stays@printed: violated" in done.stdout
