"""Kinds of steps: a step takes the place of its own kind only, in Python and on the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.catalogue import claims_of_paper
from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.command.cli import run
from fltheory.command.variant import unusable_message, usable_claims, with_variant
from fltheory.evidence.validation.step_kinds import KIND_TEXTS, ROUND_KINDS
from fltheory.model.errors import UserError
from fltheory.papers.fedcg import algorithms
from fltheory.papers.fedcg.algorithms import rounding
from fltheory.papers.sfl import algorithms as sfl
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.constants import Constants
from fltheory.runs.step_rule import auto_tuned

EXAMPLES = {
    "round": "sfl/T3-SC@corrected",
    "point": "fedcg/S1@strengthened",
    "items": "fedcg/T5.1-uniform@corrected",
    "set": "fedcg/S7-uniform@strengthened",
    "rounding": "fedcg/R4.4-pipage@printed",
    "sampler": "osmd/C-P13@strengthened",
    "learner": "aaggff/T5.2@explicit",
    "rule": "delta_sgd/R1@explicit",
}
FEDCG = claims_of_paper("fedcg")
FILE = """
def step(x, oracle, c):
    return x + c.server_step_size * oracle.base(oracle.mean_gradient(x))

def half(x, oracle, c):
    return (x * 2 >= 1) * (x * 0 + 1)

half.kind = "rounding"

def odd(x, oracle, c):
    return x

odd.kind = "odd"

def rule(lr, ratio, reach, c):
    return lr
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return str(path)


def test_every_kind_has_an_example() -> None:
    assert EXAMPLES.keys() == KIND_TEXTS.keys()


@pytest.mark.parametrize("one", EXAMPLES)
@pytest.mark.parametrize("other", EXAMPLES)
def test_an_algorithm_takes_the_place_of_its_own_kind_only(one: str, other: str) -> None:
    claim, algorithm = find(EXAMPLES[one]), find(EXAMPLES[other]).algorithm
    assert claim.about == one
    if one == other:
        assert replace(claim, algorithm=algorithm).about == one
        return
    with pytest.raises(ValueError, match=f"is about {KIND_TEXTS[one]}, but .* is {KIND_TEXTS[other]}"):
        replace(claim, algorithm=algorithm)


@pytest.mark.parametrize("claim_id", [EXAMPLES[k] for k in ROUND_KINDS])
def test_an_algorithm_that_says_no_kind_is_of_the_claims(claim_id: str) -> None:
    plain = Algorithm("mine", lambda x, oracle, c: x)
    mine = replace(find(claim_id), algorithm=plain)
    assert isinstance(mine.algorithm, Algorithm)
    assert mine.algorithm.kind == mine.about == find(claim_id).about


def test_a_new_step_keeps_the_kind() -> None:
    assert rounding.pipage._replace(step=lambda x, oracle, c: x).kind == "rounding"
    assert algorithms.full._replace(name="mine").kind == "point"


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="kind 'odd', expected one of round, point"):
        replace(find("fedcg/S1"), algorithm=Algorithm("mine", lambda x, oracle, c: x, kind="odd"))


def test_a_statement_without_an_algorithm_takes_none() -> None:
    direct: Claim = find("fedcg/P1@printed")
    with pytest.raises(ValueError, match="without an algorithm, so there is nothing to replace"):
        replace(direct, algorithm=sfl.sequential)
    with pytest.raises(ValueError, match="must be an Algorithm, a Sampler, a Learner or a StepRule"):
        replace(find("fedcg/S1"), algorithm=algorithms.full_step)


def test_a_rule_in_place_of_a_round_is_told_what_to_do() -> None:
    with pytest.raises(ValueError, match=r'federated_averaging\(adaptive_optimiser\(rule, "pair"\)\)'):
        replace(find("delta_sgd/T1-X@corrected"), algorithm=auto_tuned)


# On the command line ------------------------------------------------------------------------------------------------------


def test_a_continuous_step_is_judged_against_continuous_claims_only(file: str) -> None:
    chosen = usable_claims(FEDCG, f"{file}:step")
    assert {c.about for c in chosen} == {"point"}
    assert len(chosen) == sum(c.about == "point" for c in FEDCG)
    line = unusable_message(FEDCG, chosen)
    others = [c for c in FEDCG if c.algorithm is not None and c.about != "point"]
    assert f"{len(others)} claims that are not about a round that moves a point of a matroid's polytope" in line
    assert others[0].id in line
    assert "statements without an algorithm" in line
    assert "\n" not in line


def test_a_function_may_say_its_kind(file: str) -> None:
    assert {c.about for c in usable_claims(FEDCG, f"{file}:half")} == {"rounding"}
    with pytest.raises(UserError, match="fedcg/S1@strengthened is about a round that moves a point"):
        with_variant("fedcg/S1@strengthened", f"{file}:half")
    assert with_variant("fedcg/R4.4-half@strict", f"{file}:half").about == "rounding"
    with pytest.raises(UserError, match="says kind = 'odd', expected one of round, point"):
        usable_claims(FEDCG, f"{file}:odd")


def test_one_that_does_not_is_of_the_first_claims_kind(file: str) -> None:
    roundings = tuple(c for c in FEDCG if c.about == "rounding")
    assert usable_claims(roundings, f"{file}:step") == roundings
    mixed = (*roundings[:1], *(c for c in FEDCG if c.about == "point"))
    assert usable_claims(mixed, f"{file}:step") == roundings[:1]


def test_a_functions_arguments_tell_rules_samplers_and_learners_apart(file: str) -> None:
    every = tuple(find(i) for i in EXAMPLES.values())
    assert [c.about for c in usable_claims(every, f"{file}:rule")] == ["rule"]
    assert [c.about for c in usable_claims(every, f"{file}:step")] == ["round"]


def test_the_command_line_says_what_is_left_out(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["verify", "fedcg/R4.4-half", "fedcg/P6@corrected", "--variant", f"{file}:half", "--jobs", "1"])
    told = capsys.readouterr()
    assert code in (0, 1)
    assert "fedcg/R4.4-half@strict" in told.out
    assert "P6" not in told.out
    assert "left out 1 claims that are not about a rounding of a point to a set (fedcg/P6@corrected)" in told.err


def test_a_sampler_without_experts_is_not_what_a_claim_about_experts_speaks_of() -> None:
    def step(p: np.ndarray, counts: np.ndarray, feedback: np.ndarray, c: Constants) -> np.ndarray:
        return p

    for name in ("osmd/C-59@strengthened", "osmd/C-60@corrected"):
        claim = find(name)
        assert claim.algorithm is not None
        verdict = check_claim(replace(claim, algorithm=claim.algorithm._replace(step=step)), claim.cases[0])
        assert (verdict.status, verdict.broken) == ("inapplicable", False)
        assert "the sampler has no experts" in verdict.reason
