"""Training with sampled clients: against a plain loop, data of the sections, paired and independent runs."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.games.participation import DRAW_STREAM
from fltheory.number import streams
from fltheory.papers.osmd.algorithms import adaptive, samplers
from fltheory.papers.osmd.experiments import compiled, datasets, linear_models, optimisers, training
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.kernels import batches
from fltheory.papers.osmd.experiments.linear_models import LinearModels, gradients, squared_norms, weighted_gradient
from fltheory.papers.osmd.experiments.optimisers import Plan
from fltheory.papers.osmd.experiments.training import SCRIPT, TEXT, Method, train
from fltheory.problems.data import tables

RUNS = np.arange(3)
SMALL = Plan(n_rounds=12, n_sampled=3, batch_size=4, step_size=0.05, record_every=3)
METHODS = [
    Method("uniform", samplers.uniform),
    Method("adaptive", experiments.experts()),
    Method("optimal", samplers.optimal),
    Method("without", samplers.vrb(), replacement=False),
]


def small_data(spread_is_std=False) -> LinearModels:
    return datasets.heterogeneous_regression(1.5, RUNS, 7, 6, 9, 2, spread_is_std)


def drawn(p: np.ndarray, k: int, seed: int, run: int, round_: int) -> list[int]:
    """Inverse of the distribution function at the streams' uniforms, one draw after the other."""
    found = []
    for i in range(k):
        level = streams.uniform(seed, run, round_, DRAW_STREAM, i)[0] * p.cumsum()[-1]
        found.append(next(m for m in range(len(p)) if p[: m + 1].sum() > level or m == len(p) - 1))
    return found


def plain_sgd(data, plan, sampler, run, seed, reading=TEXT):
    """One repetition of mini-batch SGD, client by client: final model, cumulative regret."""
    n = data.n_clients
    offsets = np.cumsum(data.sizes) - data.sizes

    def answers(w, t):
        batch = data.batch(plan.batch_size, seed, RUNS, t)
        found = []
        for m in range(n):
            x, y = batch.x[run, m], batch.y[run, m, :, 0]
            rows = [np.flatnonzero((data.features[run] == v).all(axis=1))[0] for v in x]
            assert len(set(rows)) == len(rows)
            assert all(offsets[m] <= i < offsets[m] + data.sizes[m] for i in rows)
            found.append(x.T @ (x @ w - y) / len(y))
        return np.array(found)

    w = np.zeros(data.features.shape[2])
    first = (data.weights**2 * (answers(w, 0) ** 2).sum(axis=1)).max()
    c = SimpleNamespace(
        n_clients=n,
        n_sampled=plan.n_sampled,
        n_rounds=plan.n_rounds,
        probability_floor=plan.probability_floor,
        max_feedback=first,
    )
    state, regret = sampler.init(1, c), 0.0
    k = 1 if reading.regret_after_update else plan.n_sampled
    for t in range(1, plan.n_rounds + 1):
        p = sampler.play(state, c)[0]
        g = answers(w, t)
        a = data.weights**2 * (g**2).sum(axis=1)
        chosen = drawn(p, plan.n_sampled, seed, run, t)
        counts = np.bincount(chosen, minlength=n)
        step = sum(data.weights[m] * g[m] / p[m] for m in (set(chosen) if reading.once_per_client else chosen))
        seen = np.where(counts > 0, a, 0) * (plan.batch_size**2 if reading.summed_feedback else 1)
        state = sampler.step(state, counts[None], seen[None], c)
        q = sampler.play(state, c)[0] if reading.regret_after_update else p
        regret += (a / q).sum() / k - np.sqrt(a).sum() ** 2 / k
        w = w - plan.step_size * step / plan.n_sampled
    return w, regret


@pytest.mark.parametrize("reading", [TEXT, SCRIPT], ids=lambda r: r.name)
def test_sgd_against_a_plain_loop(reading) -> None:
    data = small_data()
    history = train(training.minibatch_sgd, METHODS, data, SMALL, reading, 5, RUNS)
    assert history.rounds.tolist() == [0, 3, 6, 9, 12]
    for i in (0, 1):
        w, regret = plain_sgd(data, SMALL, METHODS[i].sampler, 1, 5, reading)
        sizes = np.repeat(data.weights / data.sizes, data.sizes)
        loss = (sizes * (data.features[1] @ w - data.targets[1, :, 0]) ** 2 / 2).sum()
        assert history.loss[-1, i, 1] == pytest.approx(loss, rel=1e-9)
        assert history.regret[-1, i, 1] == pytest.approx(regret, rel=1e-9)
    other = TEXT if reading is SCRIPT else SCRIPT
    w, regret = plain_sgd(data, SMALL, METHODS[1].sampler, 1, 5, other)
    assert history.regret[-1, 1, 1] != pytest.approx(regret, rel=1e-3)
    if reading is TEXT:  # nobody does better than the optimum of the round
        assert np.allclose(history.regret[:, 2], 0, atol=1e-9 * history.regret.max())
        assert (np.diff(history.regret[:, [0, 1, 3]], axis=0) > 0).all()


def test_methods_share_batches_and_draws_but_nothing_else() -> None:
    """A method's run is the same alone, beside others, and in other blocks of repetitions."""
    data = small_data()
    together = train(training.minibatch_sgd, METHODS, data, SMALL, TEXT, 5, RUNS)
    for i, method in enumerate(METHODS):
        alone = train(training.minibatch_sgd, [method], data, SMALL, TEXT, 5, RUNS)
        assert np.allclose(alone.loss[:, 0], together.loss[:, i], rtol=1e-9)
        assert np.allclose(alone.regret[:, 0], together.regret[:, i], rtol=1e-7, atol=1e-9)
    single = datasets.heterogeneous_regression(1.5, RUNS[2:], 7, 6, 9, 2)
    assert (single.features[0] == data.features[2]).all()
    block = train(training.minibatch_sgd, METHODS, single, SMALL, TEXT, 5, RUNS[2:])
    assert np.allclose(block.loss[:, :, 0], together.loss[:, :, 2], rtol=1e-9)
    twice = train(training.minibatch_sgd, [METHODS[0], METHODS[0]], data, SMALL, TEXT, 5, RUNS)
    assert np.allclose(twice.loss[:, 0], twice.loss[:, 1], rtol=1e-12)
    fast = replace(METHODS[0], settings={"step_size": 0.1})
    steps = train(training.minibatch_sgd, [METHODS[0], fast], data, SMALL, TEXT, 5, RUNS)
    alone = train(training.minibatch_sgd, [METHODS[0]], data, replace(SMALL, step_size=0.1), TEXT, 5, RUNS)
    assert np.allclose(steps.loss[:, 1], alone.loss[:, 0], rtol=1e-9)


def test_the_estimator_of_a_round_is_unbiased() -> None:
    """Mean step over many draws from one point against the sum over all clients; weights doubled are off."""
    data = small_data()
    build = training.minibatch_sgd(data, SMALL, np.array([1.0]), 5, RUNS)
    w = build.start(1) + 0.5
    answer = build.respond(w, 1, None)
    exact = w - build.move(w, answer, np.ones(answer.feedback.shape))
    p = samplers.optimal_distribution(answer.feedback[:, :, 0])
    total = np.zeros_like(w)
    n = 3000
    for t in range(n):
        ((_, weights),) = training._draw_counts([METHODS[0]], [p], 3, (5, RUNS, t), False)
        total += w - build.move(w, answer, weights[:, :, None])
    assert np.allclose(total / n, exact, rtol=0.1, atol=0.1 * np.abs(exact).max())
    assert not np.allclose(2 * total / n, exact, rtol=0.1, atol=0.1 * np.abs(exact).max())


def test_fedavg_with_one_step_is_sgd() -> None:
    data = small_data()
    one = replace(SMALL, n_local_steps=1, local_step_size=0.05, step_size=1.0)
    average = train(training.fedavg, METHODS[:3], data, one, TEXT, 5, RUNS)
    sgd = train(training.minibatch_sgd, METHODS[:3], data, SMALL, TEXT, 5, RUNS)
    assert np.allclose(average.loss, sgd.loss, rtol=1e-9)
    assert np.allclose(average.regret, sgd.regret, rtol=1e-7, atol=1e-9)
    two = train(training.fedavg, METHODS[:3], data, replace(one, n_local_steps=2), TEXT, 5, RUNS)
    assert not np.allclose(two.loss[-1], sgd.loss[-1], rtol=1e-3)


def test_fedavg_local_steps_by_hand() -> None:
    data = small_data()
    plan = replace(SMALL, n_local_steps=3, local_step_size=0.02)
    answer = optimisers.plain_fedavg(data, plan, np.array([1.0]), 5, RUNS).respond(data.start(1), 4, None)
    w = np.zeros(2)
    for b in range(3):
        batch = data.batch(4, 5, RUNS, 4, b)
        x, y = batch.x[2, 1], batch.y[2, 1, :, 0]
        w = w - 0.02 * x.T @ (x @ w - y) / 4
    assert np.allclose(answer.parts[2, 1, :, 0, 0], -w)
    assert answer.feedback[2, 1, 0] == pytest.approx((w @ w) / 36 / (0.02**2 * 3))


def test_scaffold() -> None:
    """With zero controls its first round is FedAvg's; later the controls sum up to the server's, and differ."""
    data = small_data()
    plan = replace(SMALL, n_local_steps=2, local_step_size=0.02, step_size=2.0)
    steps = np.array([2.0])
    control, plain = (f(data, plan, steps, 5, RUNS) for f in (optimisers.plain_scaffold, optimisers.plain_fedavg))
    state, w = control.start(1), plain.start(1)
    rng = np.random.default_rng(0)
    for t in range(1, 6):
        answer = control.respond(state, t, None)
        assert np.allclose(answer.parts, plain.respond(w, t, None).parts) == (t == 1)
        weights = rng.integers(0, 3, answer.feedback.shape) / 1.5
        state, w = control.move(state, answer, weights), plain.move(w, plain.respond(w, t, None), weights)
        mean = (data.weights[:, None, None, None] * state.clients).sum(axis=1)
        assert np.allclose(mean, state.server)
        assert (control.model(state) == state.w).all()
    fresh = control.respond(state, 6, None)
    after = control.move(state, fresh, np.ones(fresh.feedback.shape))
    used = state.clients - state.server[:, None] + fresh.parts / (2 * 0.02)  # option II
    assert np.allclose(after.clients, used)
    history = train(training.scaffold, METHODS[:2], data, plan, SCRIPT, 5, RUNS)
    assert (history.loss[-1] < history.loss[0]).all()


# Models and data ----------------------------------------------------------------------------------------------------


def test_the_gradients_of_logistic_regression() -> None:
    """Against differences of the loss, for clients with fewer samples than a mini-batch; norms in both ways."""
    rng = np.random.default_rng(1)
    sizes = np.array([1, 2, 7])
    x, y = rng.normal(size=(2, 10, 6)), np.eye(3)[rng.integers(0, 3, (2, 10))]
    data = LinearModels(x, y, sizes, sizes / 10, "softmax")
    w = rng.normal(size=(2, 6, 2, 3))
    batch = data.batch(4, 3, np.arange(2), 1)
    scores = data.scores(w, batch)
    errors = data.errors(scores, batch)
    g = gradients(batch, errors)
    assert batch.share.sum(axis=1) == pytest.approx([1, 1, 1])
    assert np.allclose(squared_norms(batch, errors), (g**2).sum(axis=(2, 4)))
    assert np.allclose(squared_norms(batch._replace(x=batch.x[..., :3]), errors), (g[:, :, :3] ** 2).sum(axis=(2, 4)))
    weights = rng.random((2, 3, 2))
    assert np.allclose(weighted_gradient(batch, errors, weights), np.einsum("rmdsc,rms->rdsc", g, weights))
    direction, h = rng.normal(size=w.shape), 1e-6
    up, down = (data.batch_losses(data.scores(w + s * h * direction, batch), batch) for s in (1, -1))
    change = (up - down) / (2 * h)
    assert np.allclose(change, np.einsum("rmdsc,rdsc->rms", g, direction), atol=1e-7)
    whole = data.batch(7, 3, np.arange(2), 1)
    means = data.batch_losses(data.scores(w, whole), whole)
    assert np.allclose((means * (sizes / 10)[:, None]).sum(axis=1), data.full_loss(w))
    with pytest.raises(ValueError, match="held out"):
        data.accuracy(w)


def test_mini_batches_are_uniform_without_replacement() -> None:
    data = LinearModels(
        np.arange(5.0)[None, :, None].repeat(4000, axis=0), np.zeros((4000, 5, 1)), np.array([5]), np.ones(1)
    )
    picked = data.batch(3, 1, np.arange(4000), 1).x[:, 0, :, 0].astype(int)
    assert all(len(set(row)) == 3 for row in picked)
    codes, counts = np.unique(picked @ [25, 5, 1], return_counts=True)
    assert len(codes) == 60  # every ordered triple
    assert ((counts - 4000 / 60) ** 2 / (4000 / 60)).sum() < 120  # chi square with 59 degrees: beyond 120 at 5e-6
    assert (picked != data.batch(3, 1, np.arange(4000), 2).x[:, 0, :, 0]).any()


def test_the_regression_data() -> None:
    runs = np.arange(40)
    data = datasets.heterogeneous_regression(3.0, runs, 1)
    assert data.features.shape == (40, 10_000, 10)
    x = data.features.reshape(40, 100, 100, 10)
    power = (x**2).mean(axis=2)
    spread = power[..., -1]  # Sigma_dd = 1
    assert np.allclose(np.sort(spread, axis=1)[:, -1], 10, rtol=0.6)
    assert np.log(spread).std(axis=1).mean() == pytest.approx(3, rel=0.1)
    assert (power[..., 0] / spread).mean() == pytest.approx(1 / 25, rel=0.1)
    as_std = datasets.heterogeneous_regression(3.0, runs, 1, spread_is_std=True)
    wide = (as_std.features.reshape(40, 100, 100, 10) ** 2).mean(axis=2)
    assert np.allclose(wide[..., -1], spread**2, rtol=0.9)
    assert (wide[..., 0] / wide[..., -1]).mean() == pytest.approx(1 / 625, rel=0.1)
    w = np.stack(
        [np.linalg.lstsq(a, b[:, 0], rcond=None)[0] for a, b in zip(as_std.features, as_std.targets, strict=True)]
    )
    noise = as_std.targets[..., 0] - np.einsum("rnd,rd->rn", as_std.features, w)
    assert noise.std() == pytest.approx(0.1, rel=0.02)
    assert w.mean() == pytest.approx(10, abs=0.6)
    assert w.std() == pytest.approx(3, rel=0.2)


def test_the_data_with_one_coordinate() -> None:
    data = datasets.one_coordinate_regression(3.0, np.arange(4), 1)
    used = (data.features.reshape(4, 100, 100, 10) != 0).any(axis=2).sum(axis=2)
    assert (used == 1).all()
    assert np.allclose(data.smoothness, 1.01, atol=0.1)
    assert np.ptp(np.log(np.abs(data.targets)).mean(axis=1)) > 0.5


def test_the_digits() -> None:
    images, labels = tables.table("digits")
    assert images.shape == (1797, 64)
    assert 0 == images.min() < images.max() == 1
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert np.bincount(datasets.client_sizes(100)).nonzero()[0].tolist() == [1, 5, 30, 100]
    assert datasets.client_sizes(100).sum() == 65 + 100 + 300 + 500
    data = datasets.skewed_digits(np.arange(2), 1)
    assert data.weights.sum() == pytest.approx(1)
    assert data.held_out[1].shape == (2, 832)
    both = np.sort(np.concatenate([data.features[0], data.held_out[0][0]]).sum(axis=1))
    assert np.allclose(both, np.sort(images.sum(axis=1)))  # every image once
    assert (data.features[0] != data.features[1]).any()
    plan = replace(experiments.DIGITS, n_rounds=60, record_every=60)
    history = train(training.minibatch_sgd, [METHODS[0]], data, plan, TEXT, 1, np.arange(2))
    assert history.loss[0] == pytest.approx(np.log(10))
    assert (history.accuracy[-1] > 0.5).all()
    with pytest.raises(ValueError, match="200 clients"):
        datasets.skewed_digits(np.arange(1), 1, 200)


# Experiments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", ["printed", "corrected"])
def test_experts_are_algorithm_5(gamma) -> None:
    c = SimpleNamespace(n_clients=5, n_sampled=3, n_rounds=40, probability_floor=0.4, max_feedback=50.0)
    ours, theirs = experiments.experts(1.0, gamma), adaptive.adaptive(gamma)
    rng = np.random.default_rng(3)
    one, two, three = ours.init(4, c), theirs.init(4, c), experiments.experts(1.5, gamma).init(4, c)
    each = SimpleNamespace(**{**vars(c), "max_feedback": np.full((4, 1), 50.0)})
    for _ in range(40):
        counts = rng.multinomial(3, [0.2] * 5, size=4)
        a = np.where(counts > 0, rng.random((4, 5)) * 50, 0)
        one, two = ours.step(one, counts, a, each), theirs.step(two, counts, a, c)
        three = experiments.experts(1.5, gamma).step(three, counts, a, c)
    assert np.allclose(ours.play(one, c), theirs.play(two, c), rtol=1e-9)
    assert not np.allclose(ours.play(one, c), ours.play(three, c), rtol=1e-6)


def test_wins_are_paired_and_regrets_positive() -> None:
    plan = replace(experiments.SECTION_7, n_rounds=60)
    first, second = (experiments.figure_1_regret(10.0, "script", n, 12, 3, plan) for n in ("adaptive", "uniform"))
    assert (first > 0).all()
    wins = experiments.regret_wins(10.0, "script", "adaptive", "uniform", 12, 3, plan)
    assert (wins == (first < second)).all()
    assert wins.sum() >= 10
    assert not experiments.regret_wins(10.0, "script", "uniform", "uniform", 12, 3, plan).any()
    assert experiments.loss_wins(10.0, "text", "optimal", "uniform", 12, 3, plan).shape == (12,)
    again = experiments.figure_1_regret(10.0, "script", "adaptive", 4, 3, plan)
    assert np.allclose(again, first[:4], rtol=1e-9)  # a repetition doesn't depend on how many there are
    with pytest.raises(KeyError):
        experiments.figure_1_regret(1.0, "text", "nobody", 1, 3, plan)


def test_in_the_texts_reading_the_sampler_hardly_moves() -> None:
    plan = replace(experiments.SECTION_7, n_rounds=200)
    text, script = (experiments.compare_samplers(10.0, r, ("adaptive",), 5, 2, plan).peak for r in ("text", "script"))
    assert text.max() < 2
    assert script.min() > 5


def test_every_experiment_runs() -> None:
    plan = replace(experiments.SECTION_7, n_rounds=6, record_every=3)
    floors = experiments.compare_floors(1.0, "script", 2, plan)
    data = experiments.regression_data(1.0, SCRIPT, np.arange(2))
    base = experiments.method("adaptive", SCRIPT)
    methods = [replace(base, settings={"probability_floor": a}) for a in experiments.FLOORS]
    whole = train(training.minibatch_sgd, methods, data, plan, SCRIPT, experiments.SEED, np.arange(2))
    assert np.allclose(floors.loss, whole.loss, rtol=1e-9)
    assert np.allclose(floors.regret, whole.regret, rtol=1e-9)
    assert np.allclose(floors.peak, whole.peak, rtol=1e-9)
    history = experiments.compare_step_sizes(1.0, "text", 2, plan)
    assert history.loss.shape == (3, 10, 2)
    best = experiments.best_steps(history)
    assert best[0] < 5 <= best[1]
    products = np.prod(history.loss, axis=(0, 2))
    assert products[best[0]] == products[:5].min() < products[:5].max()
    assert products[best[1]] == products[5:].min() < products[5:].max()
    both = experiments.compare_replacement(1.0, "script", 2, plan)
    assert (both.loss[:, 0] == floors.loss[:, 2]).all()
    assert (both.loss[-1, 1] != both.loss[-1, 0]).all()
    local = replace(experiments.SCAFFOLD["text"], n_rounds=6, record_every=3)
    assert experiments.compare_scaffold(1.0, "text", 2, local).loss.shape == (3, 2, 2)
    few = replace(experiments.DIGITS, n_rounds=6, record_every=3)
    assert experiments.compare_digits("script", 2, few).accuracy.shape == (3, 5, 2)


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.integers(1, 9),
    st.integers(-3, 2**40),
    st.integers(0, 10**6),
    st.integers(0, 3),
)
def test_compiled_batches_equal_the_readable_ones(sizes, size, seed, round_, local_step):
    runs, size = np.arange(4) + round_, min(size, max(sizes))
    plain = linear_models.pick_batches(np.array(sizes), size, seed, runs, round_, local_step)
    found = np.empty((4, len(sizes), size), dtype=np.int64)
    asked = np.ones(found.shape[:2], bool)
    batches.pick_batches(np.array(sizes), asked, seed, runs, linear_models.BATCH + round_, local_step * size, found)
    assert (found == plain).all()
    for of_client, n in zip(np.moveaxis(found, 1, 0), sizes, strict=True):
        assert all(len(set(row[:n].tolist())) == min(n, size) for row in of_client)  # without replacement
        assert (of_client < n).all()


def test_batches_of_another_round_are_others():
    found = np.empty((2, 50, 1, 4), dtype=np.int64)
    for i in range(2):
        batches.pick_batches(np.array([9]), np.ones((50, 1), bool), 0, np.arange(50), i, 0, found[i])
    assert (found[0] != found[1]).any()


def uneven() -> LinearModels:
    """Clients some of which have fewer samples than a mini-batch."""
    data = small_data()
    sizes = np.array([2, 9, 3, 20, 1, 19])
    return replace(data, sizes=sizes, weights=np.array([0, 2, 3, 5, 5, 6]) / 21)


TWINS = [
    (compiled.sgd, optimisers.plain_sgd),
    (compiled.fedavg, optimisers.plain_fedavg),
    (compiled.scaffold, optimisers.plain_scaffold),
]


@pytest.mark.parametrize("data", [small_data(), uneven()], ids=["even", "uneven"])
@pytest.mark.parametrize(("quick", "plain"), TWINS, ids=["SGD", "FedAvg", "SCAFFOLD"])
def test_compiled_training_is_the_plain_one(quick, plain, data):
    plan, steps = replace(SMALL, n_local_steps=3, local_step_size=0.02), np.array([0.3, 0.1])
    weights = np.random.default_rng(1).random((6, len(RUNS), 6, 2)) * np.array([1, 0, 2, 0, 1, 1])[:, None]
    one, other = (build(data, plan, steps, 5, RUNS) for build in (quick, plain))
    x, y = one.start(2), other.start(2)
    for t, weight in enumerate(weights):
        answer, told = one.respond(x, t, None), other.respond(y, t, None)
        assert np.allclose(answer.feedback, told.feedback, rtol=1e-10)
        assert np.allclose(answer.losses(), told.losses(), rtol=1e-10)
        x, y = one.move(x, answer, weight), other.move(y, told, weight)
        assert np.allclose(one.model(x), other.model(y), rtol=1e-10)
    assert np.abs(one.model(x)).min() > 1e-3


@pytest.mark.parametrize("build", [compiled.sgd, compiled.fedavg, compiled.scaffold], ids=["SGD", "FedAvg", "SCAFFOLD"])
def test_who_is_not_asked_does_not_answer(build):
    """And who is asked answers as if all were, to the last bit."""
    data = uneven()
    asked = np.zeros((len(RUNS), data.n_clients), bool)
    asked[:, 1::2] = True
    asked[0, 0] = True
    optimiser = build(data, replace(SMALL, n_local_steps=2), np.array([0.3]), 5, RUNS)
    whole, some = (optimiser.respond(optimiser.start(1), 3, who) for who in (None, asked))
    for got, all_ in ((some.feedback, whole.feedback), (some.losses(), whole.losses())):
        assert (got[asked] == all_[asked]).all()
        assert (got[~asked] == 0).all()
        assert (all_[~asked] > 0).any()


@pytest.mark.parametrize("optimiser", [training.minibatch_sgd, training.fedavg, training.scaffold])
@pytest.mark.parametrize("reading", [training.TEXT, training.SCRIPT], ids=["text", "script"])
def test_without_the_regret_the_losses_are_the_same(optimiser, reading):
    data = small_data()
    methods = [experiments.method(name, reading, 2) for name in ("adaptive", "uniform", "mabs", "vrb", "avare")]
    methods.append(replace(methods[0], replacement=False))
    whole, lean = (train(optimiser, methods, data, SMALL, reading, 5, RUNS, regret) for regret in (True, False))
    assert (whole.loss == lean.loss).all()
    assert (
        whole.peak == lean.peak
    ).all() or reading.regret_after_update  # there it is that of what would be played next
    assert np.isnan(lean.regret).all()
    assert not np.isnan(whole.regret).any()
    oracle = [*methods, experiments.method("optimal", reading, 2)]  # which looks at everybody's answers
    whole, lean = (train(optimiser, oracle, data, SMALL, reading, 5, RUNS, regret) for regret in (True, False))
    assert (whole.loss == lean.loss).all()


@pytest.mark.parametrize("build", [training.minibatch_sgd, training.fedavg, training.scaffold])
def test_training_takes_the_compiled_twin(build):
    optimiser = build(small_data(), SMALL, np.array([1.0]), 5, RUNS)
    assert optimiser.respond.__module__ == compiled.__name__


def test_other_losses_are_not_compiled():
    assert datasets.skewed_digits(np.arange(1), 0, 20).flat is None
