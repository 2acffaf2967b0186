"""Networks, dealt data, federated training, and what is said of the experiments: contraries, other rules."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.claims.claim import Claim
from fltheory.papers.delta_sgd.algorithms.optimisers import adam, proximal, released_delta_sgd, sgd, sps
from fltheory.papers.delta_sgd.algorithms.servers import fedadam
from fltheory.papers.delta_sgd.experiments import datasets, training
from fltheory.papers.delta_sgd.experiments import studies as experiments
from fltheory.papers.delta_sgd.experiments.claims import studies as statements
from fltheory.papers.delta_sgd.experiments.networks import Network
from fltheory.papers.delta_sgd.experiments.studies import Study
from fltheory.papers.delta_sgd.experiments.training import Federated, Method, Plan, Run, train
from fltheory.papers.delta_sgd.experiments.training_measures import Ours, Share, at_the_cap
from fltheory.problems.data import tables
from fltheory.runs.client_optimiser import adaptive_optimiser
from fltheory.runs.step_rule import StepRule, auto_tuned

RUNS = np.arange(3)
NETWORKS = (Network((5, 3)), Network((5, 4, 3)))
SMALL = Plan(6, 2, 4, records=2)


def samples(network: Network, rows: int = 2, n: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(rows, n, network.sizes[0])), rng.integers(0, network.sizes[-1], (rows, n))
    return rng.normal(size=(rows, network.dim)), x, y


def federation(alpha: float = 1.0, hidden: tuple[int, ...] = (), runs: np.ndarray = RUNS) -> Federated:
    table = tables.table("cancer")
    return Federated(Network((30, *hidden, 2)), table, datasets.split_data(table, alpha, 6, 12, 0, runs))


# Networks ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_gradients_are_those_of_the_loss(network: Network) -> None:
    w, x, y = samples(network)
    gradient, h = network.gradient(w, x, y), 1e-6
    for j in range(network.dim):
        step = h * (np.arange(network.dim) == j)
        slope = (network.loss(w + step, x, y) - network.loss(w - step, x, y)) / (2 * h)
        assert gradient[:, j] == pytest.approx(slope, abs=1e-8)
    assert not np.allclose(gradient, network.gradient(w, x, (y + 1) % 3), atol=1e-3)


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_rows_are_models_of_their_own(network: Network) -> None:
    w, x, y = samples(network)
    for i in range(2):
        one = slice(i, i + 1)
        assert network.loss(w[one], x[one], y[one]) == pytest.approx(network.loss(w, x, y)[one])
        assert network.gradient(w[one], x[one], y[one]) == pytest.approx(network.gradient(w, x, y)[one])


def test_the_loss_and_accuracy_of_a_known_model() -> None:
    network = Network((1, 2))
    w, x = np.array([[np.log(2), 0, 0, 0]]), np.array([[[1.0], [1.0], [-1.0]]])
    y = np.array([[0, 1, 1]])
    assert network.loss(w, x, y)[0] == pytest.approx((np.log(3 / 2) + np.log(3) + np.log(3 / 2)) / 3)
    assert network.accuracy(w, x, y)[0] == pytest.approx(2 / 3)
    assert network.accuracy(w * np.nan, x, y)[0] == pytest.approx(1 / 3)  # it guesses label 0
    assert network.dim == 4
    start = Network((4, 3)).start(0, np.arange(50))
    assert 0.45 < np.abs(start).max() <= 0.5


# Data -------------------------------------------------------------------------------------------------------------------


def test_the_tables() -> None:
    digits, pixels, cancer = (tables.table(name) for name in tables.TABLES)
    assert digits.x.shape == (1797, 64)
    assert (16 * digits.x == pixels.x).all()
    assert (digits.n_classes, cancer.n_classes, cancer.x.shape) == (10, 2, (569, 30))
    assert np.abs(cancer.x.mean(axis=0)).max() < 1e-12
    assert int(cancer.y.sum()) == 357  # benign
    with pytest.raises(ValueError, match="mnist"):
        tables.table("mnist")


def test_dirichlet_shares() -> None:
    """Mean 1/n and variance (n - 1) / n^2 / (n alpha + 1); a small alpha leaves a client one label, and no NaN."""
    rng = np.random.default_rng(0)
    for alpha in (1.0, 0.1, 0.01):
        shares = datasets.dirichlet(alpha, *(rng.random((4000, 5)) + 2.0**-54 for _ in range(2)))
        assert np.isfinite(shares).all()
        assert shares.sum(axis=1) == pytest.approx(1)
        variance = 4 / 25 / (5 * alpha + 1)
        assert shares.mean(axis=0) == pytest.approx(0.2, abs=5 * np.sqrt(variance / 4000))
        assert shares.var(axis=0) == pytest.approx(variance, rel=0.1)
    assert np.median(shares.max(axis=1)) > 0.999


def test_clients_get_samples_of_their_labels_and_none_that_is_held_out() -> None:
    table = tables.table("digits")
    found = datasets.split_data(table, 0.01, 50, 40, 0, RUNS)
    even = datasets.split_data(table, 100.0, 50, 40, 0, RUNS)
    for r in range(len(RUNS)):
        assert len(found.held_out[r]) == 359
        assert not set(found.clients[r].flat) & set(found.held_out[r])
        many, few = ([len(set(table.y[row])) for row in s.clients[r]] for s in (even, found))
        assert np.mean(few) < 2
        assert np.mean(many) > 9
    apart = datasets.split_data(table, 0.01, 50, 40, 0, RUNS[1:])
    assert (apart.clients == found.clients[1:]).all()
    assert (apart.clients[0] != found.clients[0]).any()


# Training ---------------------------------------------------------------------------------------------------------------


def test_an_epoch_shows_every_sample_once() -> None:
    data = federation()
    split = data.split._replace(clients=np.arange(3 * 6 * 12).reshape(3, 6, 12))  # all different
    steps = training._batches(split, Plan(1, 2, 5, n_epochs=2), 1, 0, RUNS, 0)
    assert [s.shape for s in steps] == [(6, 1, 5)] * 4  # two mini-batches of five from twelve, twice
    for row in range(6):
        first, second = (np.concatenate([s[row, 0] for s in half]) for half in (steps[:2], steps[2:]))
        assert len(set(first)) == len(set(second)) == 10
        assert len({v // 12 for v in (*first, *second)}) == 1
        assert first.tolist() != second.tolist()
    pairs = training._batches(split, Plan(1, 2, 5), 2, 0, RUNS, 0)
    assert [s.shape for s in pairs] == [(6, 2, 5)] * 2
    assert not set(pairs[0][0, 0]) & set(pairs[0][0, 1])


@pytest.mark.parametrize("hidden", [(), (4,)], ids=["softmax", "mlp"])
def test_training_is_federated_averaging(hidden: tuple[int, ...]) -> None:
    """Against a loop over repetitions and clients, in double precision; with another step size it isn't."""
    data = federation(0.1, hidden)
    network, (table_x, table_y) = data.network, data.table
    w = network.start(0, RUNS)
    for t in range(SMALL.n_rounds):
        ends = []
        for picked in np.stack(training._batches(data.split, SMALL, 1, 0, RUNS, t), axis=1):
            local = w[len(ends) // 2][None]
            for batch in picked:
                local = local - 0.3 * network.gradient(local, table_x[batch], table_y[batch])
            ends.append(local[0])
        w = np.stack(ends).reshape(len(RUNS), 2, -1).mean(axis=1)
    held = data.split.held_out
    by_hand = network.loss(w, table_x[held], table_y[held])
    seen = []

    def loss(x, y, labels):
        seen.append(Network.loss(network, x, y, labels))
        return Network.accuracy(network, x, y, labels)

    class Told(Network):
        accuracy = staticmethod(loss)

    for lr, same in ((0.3, True), (0.31, False)):
        seen.clear()
        train(Method("", sgd, (("step_size", lr),)), data._replace(network=Told(network.sizes)), SMALL, 0, RUNS)
        assert np.allclose(seen[-1], by_hand, rtol=1e-10) == same


def test_runs_do_not_depend_on_the_block() -> None:
    method = Method("", adaptive_optimiser(batches="pair"))
    whole = train(method, federation(), SMALL, 0, RUNS)
    part = train(method, federation(runs=RUNS[1:]), SMALL, 0, RUNS[1:])
    assert (whole.accuracy[1:] == part.accuracy).all()
    assert whole.step_sizes is not None
    assert whole.step_sizes.shape == (6, 3, 6)
    assert np.allclose(whole.step_sizes[:, :, 2:], part.step_sizes, rtol=1e-9)
    assert (whole.step_sizes[:, 0] == 0.2).all()  # every round begins with eta_0
    other = train(method, federation(runs=RUNS + 5), SMALL, 0, RUNS + 5)
    assert not np.allclose(other.step_sizes, whole.step_sizes)


def test_schedules() -> None:
    steps = [round(1 / training.stepwise_decay(1, t, 8)) for t in range(8)]
    assert steps == [1, 1, 1, 1, 10, 10, 100, 100]
    assert [training.root_decay(3, t, 9) for t in (0, 8)] == [3, 1]
    assert {training.constant(2, t, 5) for t in range(5)} == {2}
    method = Method("", sgd, (("step_size", 0.5),), training.stepwise_decay)
    assert method.constants(4, Plan(8)).step_size == 0.05
    assert method.constants(0, Plan(8)).initial_step_size == 0.2


def test_every_optimiser_learns_and_a_diverged_model_guesses() -> None:
    data, plan = federation(hidden=(6,)), Plan(30, 3, 4)
    guess = max(np.bincount(data.table.y)) / len(data.table.y)
    steps = (("step_size", 0.05),)
    for method in (
        Method("", sgd, steps),
        Method("", adam, steps),
        Method("", sps),
        Method("", released_delta_sgd()),
        Method("", proximal(adaptive_optimiser(batches="same"))),
        Method("", sgd, (*steps, ("server_step_size", 0.05)), server=fedadam),
    ):
        run = train(method, data, plan, 0, RUNS)
        assert run.final.min() > guess + 0.15, method
        assert run.accuracy.shape == (3, 4)
    lost = train(Method("", sgd, (("step_size", 1e30),)), data, plan, 0, RUNS).final
    assert lost.max() < guess + 0.1


# Studies ----------------------------------------------------------------------------------------------------------------

TINY = Study(("cancer/softmax", "cancer/mlp"), "1/10", 8, 16, 2, 4, 2)


def test_a_study_reads_its_sizes() -> None:
    assert eval(repr(TINY)) == TINY
    assert eval(repr(Study())) == Study()
    assert [(s.task, s.alpha) for s in TINY.settings] == [("cancer/softmax", 0.1), ("cancer/mlp", 0.1)]
    assert len(Study().settings) == 15
    for wrong, words in (
        ({"tasks": "mnist/cnn"}, "mnist"),
        ({"n_rounds": 0}, "n_rounds"),
        ({"alphas": 0}, "alphas"),
        ({"n_participating": 101}, "101 of 100"),
    ):
        with pytest.raises(ValueError, match=words):
            Study(**wrong)


def test_a_column_is_tuned_to_its_best_step() -> None:
    trials = experiments.trials("SGDM (↓)")
    assert [t.settings for t in trials] == [(("step_size", lr),) for lr in experiments.LARGE]
    runs = [Run(np.array([[end], [0.5]]), None) for end in (0.5, 0.9, 0.9, 0.1)]
    best = experiments.choose_best("SGD (↓)", runs)
    assert best.settings == (("step_size", 0.05),)
    assert best.schedule is training.stepwise_decay
    assert experiments.choose_best("SPS", []).settings == ()
    wrong = experiments.mistuned_sgd({"SGD": best})
    assert [dict(m.settings)["step_size"] for m in wrong.values()] == pytest.approx([0.5, 0.005])


def test_the_heat_map_is_the_same_as_its_runs() -> None:
    found = experiments.who_wins(TINY, jobs=1)
    assert found.labels == (*experiments.COLUMNS, *experiments.MISTUNED, experiments.OURS)
    assert found.settings == (("cancer/softmax", 0.1), ("cancer/mlp", 0.1))
    ends = experiments.final(experiments.untuned_method(), TINY)
    assert found.mean[-1] == pytest.approx(ends.mean(axis=1))
    assert found.spread[-1] == pytest.approx(ends.std(axis=1))
    known = experiments.tuned_columns(TINY)
    assert found.step_sizes["SGD x 10"] == pytest.approx(10 * dict(known["SGD"].settings)["step_size"])
    for i, method in enumerate(known.values()):
        assert found.mean[i] == pytest.approx(experiments.final(method, TINY).mean(axis=1))
    best = np.max([experiments.final(m, TINY) for m in known.values()], axis=0)
    assert (experiments.behind(experiments.untuned_method(), TINY) == best - ends).all()


# What is said of them ---------------------------------------------------------------------------------------------------

IN_THE_APPENDIX = ("E-delta", "E-epochs", "E-epochs-gain", "E-first", "E-first-softmax", "E-second")


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", [c for c in statements.CLAIMS if c.bound.expr == statements.HALF], ids=lambda c: c.id)
def test_the_contrary_has_the_other_verdict(claim: Claim) -> None:
    measure = claim.measure
    assert isinstance(measure, Share)
    contrary = Share("the others", lambda ours: ~measure.event(ours))
    verdict = check_claim(replace(claim, measure=contrary), claim.cases[0])
    assert verdict.status == ("violated" if claim.entry.recorded == "holds" else "holds")


def test_what_is_said_of_other_data_is_not_printed() -> None:
    literal = {c for c in statements.CLAIMS if c.reading == "strict"}
    assert {c.id for c in literal} == {f"delta_sgd/{name}@strict" for name in ("E-best", "E-robust", "E-spread")}
    assert all(c.statement.startswith("Analogue on our data: ") and "analogue" in c.bound.source.note for c in literal)
    ours = [c for c in statements.CLAIMS if c.reading != "printed"]
    assert {c.id for c in statements.CLAIMS} - {c.id for c in ours} == {
        "delta_sgd/B9-iid@printed",
        "delta_sgd/B9-classes@printed",
    }  # of the dealing of data, not of runs
    for claim in ours:
        source, name = claim.bound.source, claim.id.removeprefix("delta_sgd/").partition("@")[0]
        assert ("not the paper's" in source.note) == (claim.reading in ("explicit", "strict")), claim.id
        assert source.place.startswith("Appendix B") == (name in IN_THE_APPENDIX), claim.id


@pytest.mark.parametrize("n", range(7))
def test_shares_are_counts(n: int) -> None:
    """No run of six is a share of 0, not of a float's error; three are too near to a half to tell in floats."""
    claim = replace(statements.CLAIMS[0], measure=Share("n of six", lambda ours: np.arange(6) < n))
    verdict = check_claim(claim, claim.cases[0])
    assert verdict.ratio == pytest.approx(n / 3, rel=1e-8, abs=0)
    assert verdict.status == ("holds" if n < 3 else "violated" if n > 3 else "inconclusive")


def test_only_the_studies_of_a_statement_are_judged() -> None:
    for claim in statements.CLAIMS:
        assert check_claim(claim, statements.untuned_case(TINY)).status == "inapplicable"
        assert check_claim(claim, statements.untuned_case(statements.QUICK, 1)).status == "inapplicable"


def test_another_rule_can_be_asked() -> None:
    """A rule that keeps its step is never at the cap, one that always grows is always there, and a tiny step learns nothing."""
    by_id = {c.id.removeprefix("delta_sgd/"): c for c in statements.CLAIMS}
    kept = StepRule("constant", lambda lr, ratio, reach, c: lr)
    grows = StepRule("grows", lambda lr, ratio, reach, c: np.sqrt(1 + c.growth_damping * ratio) * lr)
    tiny = StepRule("tiny", lambda lr, ratio, reach, c: 1e-6 * lr)
    for rule, key, status in (
        (kept, "E-second@explicit", "violated"),
        (kept, "E-first@explicit", "holds"),
        (grows, "E-first@explicit", "violated"),
        (grows, "E-second@explicit", "holds"),
        (tiny, "E-robust@corrected", "violated"),
    ):
        claim = replace(by_id[key], algorithm=rule)
        verdict = check_claim(claim, claim.cases[0])
        assert verdict.status == status, str(verdict)
    broken = replace(by_id["E-first-softmax@explicit"], algorithm=StepRule("broken", lambda lr, ratio, reach, c: -lr))
    assert check_claim(broken, broken.cases[0]).status == "inapplicable"


def test_the_entries_of_the_min_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    cap = np.sqrt(1.1)
    lr = np.array([[[1.0, 1.0], [cap, 0.5], [cap * np.sqrt(1 + 0.1 * cap), 0.5]]])
    monkeypatch.setattr(experiments, "train_in", lambda method, at: Run(np.zeros((1, 1)), lr))
    constants = (("amplifier", 2.0), ("growth_damping", 0.1), ("initial_ratio", 1.0), ("initial_step_size", 1.0))
    ours = Ours(auto_tuned, replace(TINY, tasks="cancer/mlp"), constants)
    assert at_the_cap(ours).tolist() == [True, False, True, False]
