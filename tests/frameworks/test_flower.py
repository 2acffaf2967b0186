"""Flower's strategies, unchanged, as algorithms: the same arithmetic, exact verdicts, clear errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import find
from fltheory.claims.check import check_claim
from fltheory.command.variant import with_variant
from fltheory.model.errors import UserError
from fltheory.papers.sfl import algorithms
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.flat_states import with_row_states

pytest.importorskip("flwr", reason="Flower is not installed: pip install 'fltheory[flower]'")

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp import strategy as flower

from fltheory.frameworks import flower_wire
from fltheory.frameworks.conformance import adam_steps
from fltheory.frameworks.flower import strategy_algorithm
from fltheory.frameworks.flower_wire import ExactFloat, Nodes
from fltheory.model.case import Case

ALL = {"min_train_nodes": 1, "min_available_nodes": 1}
T7 = find("sfl/T7@explicit")
CLIENTS = QuadraticClients([[1, "1/2"], ["1/10", 1], ["1/3", "2/3"]], [[1, -2], [-3, 1], [2, 1]], [3, 1])
CASE = Case(CLIENTS, n_rounds=12, n_local_steps=3, step_size="1/20")


def judged(made, case=0, rounds=60, claim=T7):
    return check_claim(replace(claim, algorithm=made), claim.cases[case].with_settings(n_rounds=rounds))


def test_fedavg_is_parallel_sfl_and_theorem_7_holds_of_it_exactly():
    fedavg = strategy_algorithm(flower.FedAvg(**ALL))
    ours = rollout(algorithms.parallel, CASE, 1, kernel=False)
    assert np.abs(rollout(fedavg, CASE, 1) - ours).max() <= 1e-14
    verdict, own = judged(fedavg), check_claim(T7, T7.cases[0].with_settings(n_rounds=60))
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert verdict.measured == own.measured


def test_noise_is_no_obstacle():
    verdict = judged(strategy_algorithm(flower.FedAvg(**ALL)), 2, 120)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


def test_weighted_by_examples_it_violates_theorem_7():
    """The control of the above: the same code, clients of 1 and 3 examples."""
    verdict = judged(strategy_algorithm(flower.FedAvg(**ALL), examples=(1, 3)), 1, 1200)
    assert (verdict.status, verdict.evidence) == ("violated", "exact")
    assert verdict.ratio == pytest.approx(11.7, abs=0.05)


def test_some_of_the_clients():
    def some(c):
        return flower.FedAvg(fraction_train=1e-9, min_train_nodes=int(c.n_participating), min_available_nodes=1)

    pp = find("sfl/PP-PFL@explicit")
    verdict = judged(strategy_algorithm(some, ordered=False), 0, 60, pp)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    everyone = judged(strategy_algorithm(flower.FedAvg(**ALL)), 0, 60, pp)
    assert everyone.status == "inapplicable"
    assert "samples" in everyone.reason


def test_a_strategy_with_memory_is_followed_exactly():
    verdict = judged(strategy_algorithm(flower.FedAvgM(server_momentum=0.5, **ALL)))
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


def test_roots_are_followed_in_balls_and_refute():
    verdict = judged(strategy_algorithm(flower.FedYogi(**ALL)))
    assert (verdict.status, verdict.evidence) == ("violated", "exact")


def run(made):
    """The models of its run, (R + 1, dim)."""
    return rollout(with_row_states(made, CASE), CASE, 1)[0, :, : CLIENTS.dim]


def by_bytes(strategy, case, examples=(1,)):
    """The same run by Flower's own means: arrays as bytes, a new message for every client."""
    c, instance = dict(case.settings), case.instance
    x = np.array([float(v) for v in instance.start])
    states = [x]
    flower_wire.import_flower().identity._task_id = flower_wire.import_flower().identity._run_id = 1
    flower_wire.import_flower().identity._node_id = 0
    for r in range(1, int(c["n_rounds"]) + 1):
        replies = []
        sent = strategy.configure_train(r, ArrayRecord({"x": Array(x)}), ConfigRecord(), Nodes(instance.n_clients))
        for message in sorted(sent, key=lambda m: m.metadata.dst_node_id):
            m = message.metadata.dst_node_id - 1
            y0 = y = message.content["arrays"]["x"].numpy()
            mu = message.content["config"].get("proximal-mu", 0)
            for _ in range(int(c["n_local_steps"])):
                y = y - float(Fraction(c["step_size"])) * (instance.gradient(y[None], m)[0] + mu * (y - y0))
            content = {
                "arrays": ArrayRecord({"x": Array(y)}),
                "metrics": MetricRecord({"num-examples": examples[m % len(examples)]}),
            }
            replies.append(Message(RecordDict(content), reply_to=message))
        x = strategy.aggregate_train(r, replies)[0]["x"].numpy()
        states.append(x)
    return np.array(states)


SAME = {
    "FedAvg": (lambda: flower.FedAvg(**ALL), (1,)),
    "FedAvg, examples": (lambda: flower.FedAvg(**ALL), (1, 3, 5)),
    "FedProx": (lambda: flower.FedProx(proximal_mu=1.0, **ALL), (1,)),
    "FedAvgM": (lambda: flower.FedAvgM(server_momentum=0.5, **ALL), (1,)),
    "FedAvgM, rate": (lambda: flower.FedAvgM(server_learning_rate=0.7, server_momentum=0.9, **ALL), (2, 1)),
    "FedAdam": (lambda: flower.FedAdam(**ALL), (1,)),
    "FedYogi": (lambda: flower.FedYogi(**ALL), (1,)),
    "FedAdagrad": (lambda: flower.FedAdagrad(**ALL), (1,)),
    "FedMedian": (lambda: flower.FedMedian(**ALL), (1,)),
    "FedTrimmedAvg": (lambda: flower.FedTrimmedAvg(beta=0.34, **ALL), (1,)),
}


@pytest.mark.parametrize("name", SAME)
def test_trajectories_are_flowers_own(name):
    make, examples = SAME[name]
    ours = run(strategy_algorithm(make(), examples=examples))
    assert np.abs(ours - by_bytes(make(), CASE, examples)).max() <= 1e-12


def test_another_memory_would_be_seen():
    """The control: FedAvgM that forgets its momentum goes elsewhere."""
    ours = run(strategy_algorithm(flower.FedAvgM(server_momentum=0.5, **ALL)))
    assert np.abs(ours - by_bytes(flower.FedAvg(**ALL), CASE)).max() > 1e-3


class Heavy(flower.FedAvg):
    """A user's own: it remembers the last model it made, and goes half as far again."""

    last = None

    def __init__(self, **named):
        super().__init__(**named)
        self.last = None

    def aggregate_train(self, server_round, replies):
        found, metrics = super().aggregate_train(server_round, replies)
        x = found["x"].numpy()
        new = x if self.last is None else x + 0.5 * (x - self.last)
        self.last = x
        return ArrayRecord({"x": Array(new)}), metrics


def test_what_a_users_strategy_remembers_is_found():
    mine = strategy_algorithm(Heavy(**ALL), ordered=False)
    assert np.abs(run(mine) - by_bytes(Heavy(**ALL), CASE)).max() <= 1e-12
    verdict = judged(mine, 0, 60)
    assert (verdict.status, verdict.evidence) == ("holds", "exact")


def test_adams_bias_correction_is_one_step_off():
    moves = adam_steps()
    assert moves[:2] == pytest.approx([0.742, 0.857], abs=1e-3)
    steps = [1 - 0.9**t for t in range(1, 5)], [1 - 0.99**t for t in range(1, 5)]
    adams = [m / (1 - 0.9**t) / np.sqrt(v / (1 - 0.99**t)) for t, m, v in zip(range(1, 5), *steps, strict=True)]
    assert adams == pytest.approx([1] * 4)  # what the paper's correction gives
    off = [
        m / (1 - 0.9 ** (t + 1)) / np.sqrt(v / (1 - 0.99 ** (t + 1)))
        for t, m, v in zip(range(1, 5), *steps, strict=True)
    ]
    assert moves == pytest.approx(off)


def test_floats_are_read_as_they_are():
    from flint import fmpq

    assert ExactFloat(0.1) * fmpq(1) == fmpq(*(0.1).as_integer_ratio()) != fmpq(1, 10)
    assert type(1 - ExactFloat(0.1)) is ExactFloat


MINE = """
from flwr.serverapp.strategy import FedAvg
strategy = FedAvg(min_train_nodes=1, min_available_nodes=1)
number, kind = 3, FedAvg
waits = FedAvg(min_available_nodes=10)
"""


def test_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "my_flower_app.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    claim = with_variant(T7, "flower:my_flower_app:strategy")
    verdict = check_claim(claim, T7.cases[0].with_settings(n_rounds=60))
    assert (verdict.status, verdict.evidence) == ("holds", "exact")
    assert check_claim(with_variant(T7, "flower:my_flower_app:waits"), T7.cases[0]).status == "inapplicable"


WRONG = {
    "flower:": "expected flower:MODULE:STRATEGY",
    "flower:my_flower_app": "expected flower:MODULE:STRATEGY",
    "flower:no_such_module:strategy": "there is no module 'no_such_module'",
    "flower:my_flower_app:stategy": "has no 'stategy'; it has strategy, waits",
    "flower:my_flower_app:number": "a int is no flwr.serverapp.strategy.Strategy",
    "flower:my_flower_app:kind": "FedAvg is a class, expected a strategy: FedAvg",
    "flower:missing.py:strategy": "there is no such file",
}


@pytest.mark.parametrize("spec", WRONG)
def test_mistakes_are_told(spec, tmp_path, monkeypatch):
    (tmp_path / "my_flower_app.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as told:
        with_variant(T7, spec)
    assert WRONG[spec] in str(told.value)


def test_an_old_version_is_told(monkeypatch):
    flower_wire.import_flower.cache_clear()
    monkeypatch.setattr(flower_wire, "version", lambda _: "1.7.0")
    with pytest.raises(UserError, match="is too old"):
        flower_wire.import_flower()
    flower_wire.import_flower.cache_clear()
