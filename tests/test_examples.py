"""Every example does what its first lines say: a verdict, and the evidence it rests on."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from fltheory.claims.check import check_claim
from tests.papers.recorded import TURNS, its_turn

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples"
LINES = 40  # of an example at most

# Of each example the verdicts on some cases of its claim, by their numbers: status and evidence.
HOLDS, BROKEN, OPEN = ("holds", "exact"), ("violated", "exact"), ("inconclusive", "statistical")
VACUOUS, FOLLOWED = ("vacuous", "exact"), ("holds", "sampled")
SFL = {
    "server_momentum": {0: HOLDS, 7: HOLDS},
    "local_momentum": {7: HOLDS},
    "heavy_ball_decay": {1: HOLDS},
    "scaffold": {1: HOLDS, 7: HOLDS},
    "scaffnew": {1: HOLDS},
    "fedprox": {7: HOLDS},
    "fednova": {1: HOLDS},
    "uneven_work": {1: BROKEN, 7: HOLDS},
    "decaying_steps": {1: BROKEN},
    "forward_backward": {1: HOLDS},
    "shuffle_once": {1: HOLDS},
    "client_dropout": {1: HOLDS},
    "gradient_clipping": {1: FOLLOWED},
    "top_k": {0: BROKEN},
    "top_k_error_feedback": {0: HOLDS},
    "random_k": {7: HOLDS},
    "random_k_error_feedback": {7: HOLDS},
    "quantised": {1: OPEN},
    "rounded": {1: BROKEN},
    "importance_weights": {1: HOLDS},
    "fedadam": {1: ("holds", "exact")},
    "fedyogi": {0: HOLDS},
    "fedadagrad": {1: BROKEN},
    "projected": {1: HOLDS, 5: ("holds", "statistical"), 6: ("violated", "statistical")},
    "your_data": {0: HOLDS, 1: HOLDS, 2: VACUOUS},
}
OSMD = {
    "euclidean": {0: ("holds", "sampled"), 4: ("holds", "sampled")},
    "exp3": {0: ("holds", "numerical"), 4: ("violated", "numerical")},
    "tsallis_inf": {0: ("holds", "numerical"), 4: ("violated", "numerical")},
}
AAGGFF = {
    "adagrad_learner": {4: ("violated", "sampled"), 6: ("holds", "sampled")},
    "optimistic": {0: ("holds", "sampled"), 7: ("violated", "sampled")},
    "parameter_free": {0: ("holds", "sampled"), 7: ("holds", "sampled")},
}
FEDCG = {
    "fewer_steps": {0: ("holds", "exact"), 1: ("holds", "exact")},
    "stale_gradients": {0: ("holds", "exact"), 8: ("violated", "exact")},
}
DELTA_SGD = {
    "adgd2": {0: ("holds", "sampled"), 7: ("holds", "sampled")},
    "barzilai_borwein": {3: ("holds", "sampled"), 4: ("violated", "sampled")},
    "polyak": {0: ("holds", "exact"), 1: ("holds", "exact")},
}
EXPECTED: dict[str, dict[int, tuple[str, str]]] = {**SFL, **OSMD, **AAGGFF, **FEDCG, **DELTA_SGD}


def example(name: str) -> Any:
    """The example as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_listed_and_short() -> None:
    files = sorted(FOLDER.glob("*.py"))
    assert {path.stem for path in files} == set(EXPECTED)
    for path in files:
        assert len(path.read_text().splitlines()) <= LINES, path
        assert path.read_text().startswith('"""'), path


TOLD = [(name, number) for name, cases in EXPECTED.items() for number in cases]
# Of the examples whose runs take seconds a shorter run of the same case, with as many rounds, has the same verdict.
SHORT = {
    "heavy_ball_decay": 300,
    "scaffnew": 400,
    "decaying_steps": 400,
    "forward_backward": 400,
    "shuffle_once": 400,
    "client_dropout": 400,
    "gradient_clipping": 400,
    "top_k": 400,
    "top_k_error_feedback": 400,
    "rounded": 400,
    "fedadam": 600,
    "fedyogi": 150,
    "fedadagrad": 600,
    "projected": 400,
}
# Long runs: the own cases of these, and second cases that take seconds.
LONG = [(name, number) for name, number in TOLD if name in SHORT or (name, number) == ("scaffold", 7)]
TENTHS = 10


def has_its_verdict(name: str, number: int, **settings: int) -> None:
    claim = example(name).claim
    verdict = check_claim(claim, claim.cases[number].with_settings(**settings))
    assert (verdict.status, verdict.evidence) == EXPECTED[name][number], str(verdict)


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("name", "number"),
    [
        pytest.param(*told, marks=[pytest.mark.deep] if told in LONG and told not in its_turn(LONG, TENTHS) else [])
        for told in TOLD
    ],
)
def test_the_verdict_is_the_one_told(name: str, number: int) -> None:
    """Of the long runs a tenth at each release, and all with ``-m deep``."""
    has_its_verdict(name, number)


@pytest.mark.turns(3)
@pytest.mark.parametrize("name", SHORT)
def test_a_shorter_run_has_the_verdict_told(name: str) -> None:
    has_its_verdict(name, next(iter(EXPECTED[name])), n_rounds=SHORT[name])


def test_all_turns_together_run_every_example_whole() -> None:
    turns = [its_turn(LONG, TENTHS, release) for release in range(TURNS)]
    assert {told for turn in turns for told in turn} == set(LONG)
