"""The tutorial and the how-to pages do what they say: their files are written, their commands run."""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory import find, verify
from fltheory.api.worst import worst
from fltheory.command.cli import run
from fltheory.command.variant import with_variant
from fltheory.proof.check import check_theorem
from fltheory.proving import Proved, prove
from tests.test_readme import examples

TUTORIAL = "docs/tutorial/first_verdict.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the tutorial."""
    made = tmp_path_factory.mktemp("tutorial")
    stated, repaired, mine = examples(TUTORIAL)
    (made / "rates.py").write_text(stated + repaired)
    (made / "mine.py").write_text(mine)
    return made


@pytest.fixture
def tutorial(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the tutorial, where its commands are typed."""
    monkeypatch.chdir(folder)
    return folder


def test_the_theorem_of_the_tutorial_is_false_and_its_repairs_are_true(
    tutorial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["verify", "rates.py"]) == 0
    assert "6 holds" not in capsys.readouterr().out.split("rates/T1@printed")[1].splitlines()[0]
    assert run(["falsify", "rates.py:T1"]) == 1
    found = capsys.readouterr().out
    assert "violated (ratio 2, exact)" in found  # at the largest step that is allowed
    assert "counterexample: from fltheory import verify" in found
    assert run(["falsify", "rates.py:T1-steps", "--work", "1000"]) == 0


def test_the_worst_cases_of_the_tutorial(tutorial: Path) -> None:
    pytest.importorskip("clarabel")
    values = {"L": 1, "D": 1, "R": 3, "eta": 1}
    loose, sharp = (worst(f"rates.py:{name}", values) for name in ("T1-steps", "T1-sharp"))
    assert loose.status == "holds"
    assert float(loose.bracket.upper) == pytest.approx(1 / 14, abs=1e-6)
    assert (sharp.status, sharp.bracket.lower, sharp.bracket.upper) == ("holds", Fraction(1, 14), Fraction(1, 14))


def test_the_variant_of_the_tutorial_breaks_the_theorem(tutorial: Path) -> None:
    assert verify(with_variant("rates.py:T1-sharp", "mine.py:step")).status == "violated"
    assert verify("rates.py:T1-sharp").status == "holds"


def test_momentum_is_judged_exactly(tmp_path: Path) -> None:
    (tmp_path / "momentum.py").write_text(examples("docs/how-to/state.md")[0])
    claim = find("sfl/T3-SC@corrected")
    verdict = verify(with_variant(claim.id, f"{tmp_path / 'momentum.py'}:momentum"), claim.cases[1])
    assert (verdict.status in ("holds", "vacuous", "violated"), verdict.evidence) == (True, "exact")


def test_the_proof_is_proved_and_half_of_it_is_not() -> None:
    made: dict[str, Any] = {}
    text = examples("docs/how-to/own_proof.md")[0]
    exec(compile(text, "own_proof.md", "exec"), made)
    assert made["report"].verdict == "PROVED"
    half: dict[str, Any] = {}
    exec(compile(text.replace("(2 / L, Axiom", "(1 / L, Axiom"), "own_proof.md", "exec"), half)
    assert half["report"].verdict == "UNKNOWN"
    assert check_theorem(made["theorem"], half["certificates"]).verdict == "UNKNOWN"


def test_proximal_maps_and_games_are_judged_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(examples("docs/how-to/operators.md")), "operators.md", "exec"), {"__name__": "operators"})
    split, spiral, *_, extra = capsys.readouterr().out.splitlines()
    assert "FB@printed: holds (ratio 0.64, exact)" in split
    assert re.match(r"game/GDA@printed: violated \(ratio [0-9.e+]+, exact", spiral)  # on cases that Hypothesis draws
    assert set(extra.strip("[]").split(", ")) == {"'holds'"}


def test_worst_cases_by_declaration_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("clarabel")
    exec(
        compile("\n".join(examples("docs/how-to/performance.md")), "performance.md", "exec"), {"__name__": "estimated"}
    )
    assert capsys.readouterr().out.splitlines() == [
        "worst case: exactly 1/18, attained and proved",
        "bound 1/18: holds for every instance, in every dimension (exact), and is attained",
        "worst case: exactly 6561/10000, attained and proved",
        "256/3125",
        "0 None",
    ]


def test_lemmas_on_operators_are_proved_and_their_neighbours_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(examples("docs/how-to/operator_proofs.md")), "steps.md", "exec"), {"__name__": "steps"})
    *verdicts, model = capsys.readouterr().out.splitlines()
    assert verdicts == ["['PROVED', 'UNKNOWN']"] * 4
    assert model == "ModelReport(fault='', prefix=False)"


def test_two_algorithms_are_compared_as_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(examples("docs/how-to/compare.md")), "compare.md", "exec"), {"__name__": "compared"})
    same, apart, *rest = capsys.readouterr().out.splitlines()
    assert "velocity and scaled are equal on every function" in same
    assert "velocity and nesterov part in round 2" in apart
    verdicts = [line for line in rest if "/RR@printed: " in line]
    assert "RR@printed: violated (ratio 1.01, exact)" in verdicts[0]
    assert [line.split()[1] for line in verdicts[1:]] == ["holds", "holds"]


def test_learners_on_a_set_are_judged_exactly_and_a_bandit_by_its_mean(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(examples("docs/how-to/online.md")), "online.md", "exec"), {"__name__": "online"})
    said = capsys.readouterr().out
    for words in (
        "online/OGD@printed: holds (ratio 0.358, exact)",
        "online/OGD-5@printed: violated (ratio ",
        "online/SIGN@printed: holds (ratio 0.611, exact)",
        "online/ADAGRAD@printed: holds (ratio 0.378, exact",
        "online/EXP3@printed: holds (ratio 0.298, statistical",
    ):
        assert words in said


def test_kinks_sets_and_mirror_maps_say_what_they_are_said_to(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(examples("docs/how-to/instances.md")), "instances.md", "exec"), {"__name__": "instances"})
    cycle, *_, best, falls, reached = capsys.readouterr().out.splitlines()
    assert re.match(r"kinks/HB@printed: violated \(ratio [0-9.e+]+, exact", cycle)
    assert (best, reached) == ("2 None", "holds")
    assert falls == "client 0: its value falls when item 1 joins all others"


def test_the_sweep_says_less_with_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(examples("docs/how-to/sweeps.md")[0], "sweeps.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["10", "100", "1000"]
    assert ["vacuous" in line for line in said] == [True, False, False]


def test_proofs_are_found_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("clarabel")
    monkeypatch.delitem(sys.modules, "steps", raising=False)  # of another page in this process
    stated, local, noisy, drawn = examples("docs/how-to/prove.md")
    (tmp_path / "steps.py").write_text(stated + local)
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parent.parent.joinpath("docs/how-to/prove.md").read_text(encoding="utf-8")
    blocks = [text for _, text in re.findall(r"^```(\w*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)]
    shown = [block for block in blocks if block.startswith("$ ")]
    assert len(shown) == 6
    for block in shown:
        command, *lines = block.strip().splitlines()
        status = run(command.removeprefix("$ fltheory ").split())
        said = capsys.readouterr().out.splitlines()
        assert status == (1 if "REFUTED" in block else 0)
        if "  ..." in lines:
            place = lines.index("  ...")
            said = [*said[:place], "  ...", *said[place - len(lines) + 1 :]]
        assert said == lines
    found = Path("contraction.py").read_text(encoding="utf-8")
    (weights,) = (block for block in blocks if block.startswith("    .step("))
    assert weights in found
    assert run(["proofs", "online.py"]) == 0
    assert run(["proofs", "federated.py"]) == 0
    assert run(["proofs", "last.py"]) == 0
    assert run(["proofs", "local.py"]) == 0
    made: dict[str, Any] = {}
    exec(compile(stated + local + noisy + drawn, "prove.md", "exec"), made)
    assert isinstance(prove(made["noisy"]), Proved)
    (axes,) = made["figure"].axes
    assert len(axes.get_lines()) == 1
    sys.modules.pop("steps", None)
