"""The papers' methods as Flower runs them have the figures of the papers' own loops."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")

from fltheory.frameworks.flower_wire import Nodes, patch_flower

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/flower"


def test_delta_sgd_behind_flower_is_delta_sgd() -> None:
    claim, own = runpy.run_path(str(EXAMPLES / "delta_sgd.py"))["claim"], find("delta_sgd/T1-X@corrected")
    case = own.cases[0]
    found, wanted = check_claim(claim, case), check_claim(own, case)
    assert (found.status, found.evidence) == ("holds", "numerical")
    assert found.measured == pytest.approx(wanted.measured, rel=1e-9)


def test_steps_that_are_not_looked_at_are_no_case_of_the_theorem() -> None:
    claim = runpy.run_path(str(EXAMPLES / "delta_sgd.py"))["claim"]
    unseen = replace(claim, algorithm=replace(claim.algorithm, watched=False))
    assert check_claim(unseen, claim.cases[1]).status == "inapplicable"


@pytest.mark.parametrize(
    ("file", "name", "cases", "evidence"),
    [("osmd", "osmd/C-P13@strengthened", 3, "numerical"), ("aaggff", "aaggff/T5.2@printed", 2, "sampled")],
)
def test_samplers_and_weights_are_those_of_the_papers(file: str, name: str, cases: int, evidence: str) -> None:
    claim, own = runpy.run_path(str(EXAMPLES / f"{file}.py"))["claim"], find(name)
    for case in own.cases[:cases]:
        found, wanted = check_claim(claim, case), check_claim(own, case)
        assert (found.status, found.evidence) == ("holds", evidence)
        assert found.measured == pytest.approx(wanted.measured, rel=1e-9)


def test_weights_that_grow_for_those_who_do_well_are_refuted() -> None:
    """AAggFF with the sign of its responses turned: the same strategy, the other way."""
    names = runpy.run_path(str(EXAMPLES / "aaggff.py"))
    names["AAggFF"].weights, right = lambda self: turned(self), names["AAggFF"].weights

    def turned(strategy: Any) -> Any:
        strategy.total, kept = -strategy.total, strategy.total
        found = right(strategy)
        strategy.total = kept
        return found

    statuses = {check_claim(names["claim"], case).status for case in find("aaggff/T5.2@printed").cases[:2]}
    assert "violated" in statuses


def test_the_strategies_run_rounds_of_a_flower_app() -> None:
    """Three rounds as Flower's own loop runs them, with clients that answer at once: unbiased means, weights of a simplex."""
    for file, settings in (("osmd", {"n_sampled": 2, "rate": 0.1, "floor": 0.5}), ("aaggff", {})):
        names = runpy.run_path(str(EXAMPLES / f"{file}.py"))
        strategy = names["OSMD" if file == "osmd" else "AAggFF"](min_available_nodes=1, min_train_nodes=1, **settings)
        with patch_flower(lambda nodes, size: nodes[:size]):
            model = names["ArrayRecord"]({"x": names["Array"](np.zeros(2))})
            for round_ in (1, 2, 3):
                sent = list(strategy.configure_train(round_, model, names["ConfigRecord"](), Nodes(3)))
                replies = []
                for message in sent:
                    told = {
                        "squared-norm": 1.0 + message.metadata.dst_node_id,
                        "train-loss": 1.0 / message.metadata.dst_node_id,
                    }
                    content = {
                        "arrays": names["ArrayRecord"]({"x": names["Array"](np.ones(2))}),
                        "metrics": names["MetricRecord"](told),
                    }
                    replies.append(names["Message"](names["RecordDict"](content), reply_to=message))
                found, _ = strategy.aggregate_train(round_, replies)
                assert strategy.p.sum() == pytest.approx(1)
                assert strategy.p.min() > 0
                assert found["x"].numpy().shape == (2,)
        assert strategy.p.max() > strategy.p.min()
