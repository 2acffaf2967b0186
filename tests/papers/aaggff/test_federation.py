"""The federated loop: against plain loops client by client, in balls and in rationals; its symmetries; regret of its runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory.games.learners import constant_learner
from fltheory.games.participation import participants
from fltheory.games.static_regret import StaticRegret
from fltheory.model.case import Case
from fltheory.number import evaluate_to_precision
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.experiments import federation
from fltheory.papers.aaggff.experiments.federation import afl, by_learner, by_method, federate, run_path
from fltheory.papers.aaggff.experiments.federation_data import Plan, client_models, members
from fltheory.papers.aaggff.experiments.federation_measures import run_in_balls, run_of
from fltheory.papers.aaggff.instances.federation import LogisticFederation, QuadraticFederation
from fltheory.papers.aaggff.unification import closed_forms
from fltheory.problems.responses import ResponseTable
from fltheory.runs.constants import run_constants
from fltheory.runs.method import VariantError

RUNS = np.arange(3)
QUADRATICS = QuadraticFederation((1, 2, "1/2"), ((1, 0), (-1, "1/2"), (0, -2)), ("1/10", "1/5", "1/4"), 12, "1/4", 2)
ONES = np.ones(3)


def constants(federation, **more):
    return run_constants(Case(federation, **more), None)


def thetas(server, game, c, seed=0, runs=RUNS):
    clients = game.clients(seed, runs)
    return np.stack([turn.after for turn in federate(server, clients, game.plan(), c, seed, runs)])


# Against plain loops --------------------------------------------------------------------------------------------


def weibull(x):
    return 1 - np.exp(-(x**2))


def plain_device_run(game, run, seed, scale, batch, renormalise=True):
    """Algorithm 3 for one repetition, client by client: the last model, and p."""
    data = client_models(game.sizes, float(game.spread), RUNS, seed, held_out=game.held_out)
    K, m, C2 = game.n_clients, game.n_participating, float(game.high)
    plan = Plan(1, 0.5, batch)
    theta, total, p = np.zeros(5), np.zeros(K), np.full(K, 1 / K)
    for t in range(game.n_rounds):
        who = np.flatnonzero(participants(constants(game), seed, np.array([run]), t)[0])
        losses, updates = [], []
        for i in who:
            x, y = data.x[run, i, : game.sizes[i]], data.y[run, i, : game.sizes[i]]
            losses.append(np.log(1 + np.exp(-y * (x @ theta))).mean())
            order = data._order(np.array([[i]]), np.array([[game.sizes[i]]]), 0, (seed, np.array([run]), t))[0, 0]
            order = order[: game.sizes[i]]
            assert sorted(order) == list(range(game.sizes[i]))
            v = theta.copy()
            for first in range(0, len(order), batch):
                at = order[first : first + batch]
                v += plan.step_size * (x[at] * (y[at] / (1 + np.exp(y[at] * (x[at] @ v))))[:, None]).mean(axis=0)
            updates.append(theta - v)
        r = C2 * weibull(np.array(losses) / np.mean(losses))
        total[who] -= (r - r.mean()) * K / m / (1 + r.mean())  # the update without multiples of 1
        p = np.exp(-total * np.sqrt(np.log(K)) / (scale * np.sqrt(t + 2)))
        p /= p.sum()
        weights = p[who] / p[who].sum() if renormalise else p[who]
        theta = theta - weights @ np.array(updates)
    return theta, p


def test_algorithm_3_against_a_plain_loop_with_mini_batches() -> None:
    game = LogisticFederation(8, 12, 3, samples=3)
    c = constants(game, learner_scale=2)
    clients = game.clients(4, RUNS)
    *_, last = federate(by_learner(aaggff_d), clients, Plan(1, 0.5, 4), c, 4, RUNS)
    theta, p = plain_device_run(game, 1, 4, 2.0, 4)
    assert np.allclose(last.after[1], theta, rtol=1e-9)
    assert last.next_decision is not None
    assert np.allclose(last.next_decision[1], p, rtol=1e-9)
    other, _ = plain_device_run(game, 1, 4, 2.0, 4, renormalise=False)
    assert not np.allclose(last.after[1], other, rtol=1e-3)


def plain_rational_run(game, mix):
    """Quadratic clients in rationals: ``mix(losses, updates, t)`` gives what is subtracted."""
    a, b, floors = ([Fraction(v) for v in game.curvatures], game.centres, [Fraction(v) for v in game.floors])
    step, theta = Fraction(game.step_size), [Fraction(0)] * len(b[0])
    for t in range(game.n_rounds):
        losses, updates = [], []
        for i in range(len(a)):
            losses.append(a[i] / 2 * sum((x - Fraction(y)) ** 2 for x, y in zip(theta, b[i], strict=True)) + floors[i])
            v = list(theta)
            for _ in range(game.n_epochs):
                v = [x - step * a[i] * (x - Fraction(y)) for x, y in zip(v, b[i], strict=True)]
            updates.append([x - y for x, y in zip(theta, v, strict=True)])
        moved = mix(losses, updates, t)
        theta = [x - y for x, y in zip(theta, moved, strict=True)]
    return [float(x) for x in theta]


def weighted(weights, updates):
    return [sum(w * u[j] for w, u in zip(weights, updates, strict=True)) for j in range(len(updates[0]))]


def project(v):
    """The projection onto the simplex by trying every number of positive entries."""
    falling = sorted(v, reverse=True)
    for k in range(len(v), 0, -1):
        level = (sum(falling[:k]) - 1) / k
        if falling[k - 1] > level:
            return [max(x - level, Fraction(0)) for x in v]
    raise AssertionError


def fedavg(losses, updates, t):
    return weighted([Fraction(1, len(losses))] * len(losses), updates)


def propfair(losses, updates, t):
    return weighted([Fraction(1, len(losses)) / (20 - f) for f in losses], updates)  # (23), M = 20


def qfedavg(losses, updates, t):
    """(17), (18) with q = 2 and L = 4, shares 1/K."""
    q, L, w = 2, 4, Fraction(1, len(losses))
    squares = [L * L * sum(x * x for x in u) for u in updates]
    below = sum(w * (q * f ** (q - 1) * s + L * f**q) for f, s in zip(losses, squares, strict=True))
    return weighted([w * f**q * L / below for f in losses], updates)


def term(losses, updates, t):
    """Weights exp(f/2), the exponential in floats."""
    masses = [Fraction(float(np.exp(0.5 * float(f)))) for f in losses]
    return weighted([v / sum(masses) for v in masses], updates)


def stateful_afl():
    v = [Fraction(1, 3)] * 3

    def mix(losses, updates, t):
        v[:] = project([x + Fraction(1, 8) * f for x, f in zip(v, losses, strict=True)])
        return weighted(v, updates)

    return mix


RULES = {
    "fedavg": (lambda: by_method(closed_forms.fedavg, ONES), lambda: fedavg),
    "propfair": (lambda: by_method(closed_forms.propfair, ONES, 20.0), lambda: propfair),
    "qfedavg": (lambda: by_method(closed_forms.qfedavg, ONES, 2.0, 4.0), lambda: qfedavg),
    "afl": (lambda: afl(0.125), stateful_afl),
    "term": (lambda: by_method(closed_forms.term, ONES, 0.5), lambda: term),
}


@pytest.mark.parametrize("name", RULES)
def test_the_baselines_against_rationals(name) -> None:
    game = replace(QUADRATICS, n_rounds=4)
    server, mix = RULES[name]
    found = thetas(server(), game, constants(game))[-1]
    assert np.allclose(found, plain_rational_run(game, mix()), rtol=1e-12, atol=1e-13)
    for other in RULES:
        if other != name:
            assert not np.allclose(found, plain_rational_run(game, RULES[other][1]()), rtol=1e-4)


@pytest.mark.turns(3)
@pytest.mark.parametrize("learner", [aaggff_s, aaggff_d_exact, aaggff_d], ids=lambda v: v.name)
def test_floats_lie_in_the_balls(learner) -> None:
    case = Case(QUADRATICS, learner_regularisation=2, learner_curvature="3/4", learner_scale=1)
    floats = run_of(learner, case)
    kept = []

    def balls():
        kept.append(run_in_balls(learner, case))
        return kept[-1].decisions.flat[-1]

    evaluate_to_precision(balls, 100, 400)
    middle = np.array([float(v.mid()) for v in kept[-1].decisions.flat]).reshape(floats.decisions.shape)
    assert max(float(v.rad()) for v in kept[-1].decisions.flat) < 1e-12
    assert np.allclose(floats.decisions, middle, rtol=0, atol=1e-10)
    assert np.abs(middle - 1 / 3).max() > 0.01
    slower = run_of(learner, Case(replace(QUADRATICS, step_size="1/5"), **dict(case.settings)))
    assert not np.allclose(slower.decisions, middle, atol=1e-5)


# The order of things in a round ------------------------------------------------------------------------------------


def test_a_round_of_algorithm_2() -> None:
    """Losses before training, the new decision moves the model, and the old one would move it elsewhere."""
    c = constants(QUADRATICS, learner_regularisation=1, learner_curvature=1)
    clients, everyone = QUADRATICS.clients(0, RUNS), np.tile(np.arange(3), (3, 1))
    for turn in federate(by_learner(aaggff_s), clients, QUADRATICS.plan(), c, 0, RUNS):
        assert (turn.answers.losses == clients.losses(turn.theta, everyone)).all()
        assert not np.allclose(turn.answers.losses, clients.losses(turn.after, everyone))
        new, old = (
            turn.theta - closed_forms.mix_updates(p, turn.answers.updates) for p in (turn.next_decision, turn.decision)
        )
        assert np.allclose(turn.after, new, rtol=1e-14)
        assert not np.allclose(turn.after, old, rtol=1e-6)
        assert (turn.weights == turn.next_decision).all()


def test_weights_of_those_who_take_part_sum_to_1() -> None:
    game = LogisticFederation(9, 10, 4, samples=2)
    c, clients = constants(game, learner_scale=1), game.clients(0, RUNS)
    for turn in federate(by_learner(aaggff_d), clients, game.plan(), c, 0, RUNS):
        assert turn.weights.shape == (3, 4)
        assert np.allclose(turn.weights.sum(axis=1), 1)
        assert (np.diff(turn.answers.who, axis=1) > 0).all()
        assert (turn.gradients == game.sizes[turn.answers.who]).all()
        assert (turn.evaluated == turn.gradients).all()
        assert turn.numbers_sent == 4 + 4 * 5
    for turn in federate(by_method(closed_forms.fedavg, game.sizes), clients, game.plan(), c, 0, RUNS):
        shares = game.sizes[turn.answers.who]
        assert np.allclose(turn.weights, shares / shares.sum(axis=1, keepdims=True))
        assert turn.numbers_sent == 4 * 5
        assert not turn.evaluated.any()


def test_an_epoch_goes_through_every_sample_once() -> None:
    data = client_models(np.array([3, 7]), 1.0, RUNS, 0)
    who, key = members(np.ones((3, 2))), (0, RUNS, 5)
    theta = np.full((3, 5), 0.3)
    for batch in (1, 2, 3, 7, None):
        assert (data.train(theta, who, Plan(3, 0.1, batch), key).gradients == [9, 21]).all()
    whole = data.train(theta, who, Plan(1, 0.1, None), key).updates
    assert np.allclose(data.train(theta, who, Plan(1, 0.1, 7), key).updates, whole)
    assert not np.allclose(data.train(theta, who, Plan(1, 0.1, 2), key).updates, whole, rtol=1e-3)
    h = 1e-6
    slopes = [(data.losses(theta + h * e, who) - data.losses(theta - h * e, who)) / (2 * h) for e in np.eye(5)]
    assert np.allclose(whole, 0.1 * np.moveaxis(slopes, 0, 2), atol=1e-8)


def test_a_run_does_not_depend_on_those_beside_it() -> None:
    game = LogisticFederation(9, 8, 4, samples=2)
    c = constants(game, learner_scale=1)
    together = thetas(by_learner(aaggff_d), game, c)
    alone = thetas(by_learner(aaggff_d), game, c, runs=RUNS[2:])
    assert np.allclose(together[:, 2:], alone, rtol=1e-12)
    assert not np.allclose(together[:, 1], together[:, 2], rtol=1e-3)
    assert not np.allclose(thetas(by_learner(aaggff_d), game, c, seed=1), together, rtol=1e-3)


# Symmetries ---------------------------------------------------------------------------------------------------------


def decisions_of(game, server, c):
    return run_path(federate(server, game.clients(0, RUNS), game.plan(), c, 0, RUNS), c, game.transform).decisions


@pytest.mark.parametrize("learner", [aaggff_s, aaggff_d], ids=lambda v: v.name)
def test_losses_in_other_units_change_no_decision(learner) -> None:
    """(8) divides by the mean: bit for bit where the factor is a power of 2. AFL and TERM look at the units."""
    c = constants(QUADRATICS, learner_regularisation=1, learner_curvature=1, learner_scale=1)
    large = QUADRATICS.scaled(64)
    assert (decisions_of(QUADRATICS, by_learner(learner), c) == decisions_of(large, by_learner(learner), c)).all()
    assert not np.allclose(decisions_of(QUADRATICS, afl(0.01), c), decisions_of(large, afl(0.01), c), atol=1e-3)
    tilted = by_method(closed_forms.term, ONES, 1.0)
    assert not np.allclose(thetas(tilted, QUADRATICS, c), thetas(tilted, large, c), atol=1e-3)


@pytest.mark.parametrize("learner", [aaggff_s, aaggff_d_exact, aaggff_d], ids=lambda v: v.name)
def test_clients_in_another_order_have_the_same_weights(learner) -> None:
    c = constants(QUADRATICS, learner_regularisation=1, learner_curvature=1, learner_scale=1)
    order = (2, 0, 1)
    own, moved = (decisions_of(g, by_learner(learner), c) for g in (QUADRATICS, QUADRATICS.permuted(order)))
    assert np.allclose(moved, own[:, :, order], atol=1e-9)
    assert not np.allclose(moved, own, atol=1e-3)
    first = learner._replace(step=lambda p, seen, response, c: np.eye(3)[np.zeros(len(response), dtype=int)])
    own, moved = (decisions_of(g, by_learner(first), c) for g in (QUADRATICS, QUADRATICS.permuted(order)))
    assert not np.allclose(moved, own[:, :, order], atol=1e-9)  # one that prefers the first client


# Regret of a run ------------------------------------------------------------------------------------------------------


def recorded_game(run, high):
    table = tuple(tuple(Fraction(float(v)) for v in row) for row in run.responses[:, 0])
    return ResponseTable(table, (1,) * len(table), high=high)


def test_the_regret_is_that_of_the_recorded_responses() -> None:
    """The learner plays the game of the recorded responses as it did in the federation."""
    case = Case(QUADRATICS, learner_regularisation=2, learner_curvature="3/4")
    run = run_of(aaggff_s, case)
    again = Case(recorded_game(run, QUADRATICS.high), **dict(case.settings))
    replayed = StaticRegret().simulate(aaggff_s, again, 0, np.arange(1))
    own = federation.played_regret(run)
    assert np.allclose(replayed, own, atol=1e-10)
    other = StaticRegret().simulate(constant_learner(), again, 0, np.arange(1))
    assert not np.allclose(other, own, atol=1e-3)


def test_the_regret_of_what_moves_the_model() -> None:
    run = run_of(aaggff_s, Case(QUADRATICS, learner_regularisation=1, learner_curvature=1))
    r, p = run.responses[:, 0], run.decisions[:, 0]
    used = sum(-np.log(1 + p[t + 1] @ r[t]) for t in range(len(r)))
    played = sum(-np.log(1 + p[t] @ r[t]) for t in range(len(r)))
    grid = [np.array([a, b, 60 - a - b]) / 60 for a in range(61) for b in range(61 - a)]
    best = min(-np.log(1 + r @ q).sum() for q in grid)
    assert federation.used_loss(run)[0] == pytest.approx(used, rel=1e-12)
    assert federation.played_regret(run)[0] == pytest.approx(played - best, abs=2e-3)
    assert used < played - 1e-3  # the new decision knows the round


def test_those_who_take_part_share_the_weights() -> None:
    seen = np.array([[[1, 1, 0]], [[0, 1, 1]]])
    responses = seen * np.array([0.5, 0.25, 1.0])
    decisions = np.array([[[1, 1, 1]], [[2, 1, 1]], [[1, 1, 2]]]) / np.array([3.0, 4, 4])[:, None, None]
    run = federation.RunPath(seen, responses, decisions)
    used = -np.log(1 + (2 / 3 * 0.5 + 1 / 3 * 0.25)) - np.log(1 + (1 / 3 * 0.25 + 2 / 3 * 1))
    assert federation.used_loss(run)[0] == pytest.approx(used)
    assert federation.distance_from_uniform(run)[0] == pytest.approx(1 / 6)
    assert federation.played_loss(run)[0] != pytest.approx(used)
    with pytest.raises(ValueError, match="all clients take part"):
        federation.played_regret(run)


# Bad input ------------------------------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    game = LogisticFederation(4, 3, 2, samples=2)
    c = constants(game, learner_scale=1)
    with pytest.raises(ValueError, match="AFL needs the losses of all"):
        thetas(afl(0.1), game, c)
    with pytest.raises(VariantError, match="no distribution"):
        thetas(by_learner(constant_learner()._replace(step=lambda p, seen, response, c: 2 * p)), game, c)
    with pytest.raises(ValueError, match="losses below M"):
        thetas(by_method(closed_forms.propfair, ONES, 1.0), QUADRATICS, constants(QUADRATICS))
    for bad, text in (
        ({"n_rounds": 0}, "n_rounds = 0"),
        ({"n_participating": 5}, "5 of 4"),
        ({"cdf": "cauchy"}, "cauchy"),
        ({"high": 0}, "low < high"),
        ({"spread": -1}, "spread = -1"),
        ({"samples": 0}, "samples = 0"),
    ):
        with pytest.raises(ValueError, match=text):
            replace(game, **bad)
    for bad, text in (
        ({"curvatures": (1, -1, 1)}, "above 0"),
        ({"floors": (0, 0)}, "same length"),
        ({"step_size": 0}, "step_size = 0"),
        ({"step_size": "5/4"}, "diverges"),
        ({"centres": ((1,), (1, 2), (3,))}, "same length"),
    ):
        with pytest.raises(ValueError, match=text):
            replace(QUADRATICS, **bad)


@pytest.mark.parametrize("game", [QUADRATICS, LogisticFederation(5, 7, 2, spread="1/2", cdf="normal")])
def test_an_instance_is_rebuilt_from_what_it_prints(game) -> None:
    assert eval(repr(game)) == game
    assert constants(game).response_high == pytest.approx(1 / 3 if game is QUADRATICS else 2 / 5)


def test_a_federation_with_another_constant() -> None:
    """The paper's range goes with the clients; one of one's own stays."""
    everyone = LogisticFederation(5, 7)
    assert everyone.adjusted("n_clients", 8) == LogisticFederation(8, 7)
    assert everyone.adjusted("n_participating", 2) == LogisticFederation(5, 7, 2)
    assert everyone.adjusted("n_rounds", 9) == LogisticFederation(5, 9)
    own = replace(everyone, high="3/4")
    assert own.adjusted("n_clients", 8) == LogisticFederation(8, 7, high="3/4")
    assert own.adjusted("response_high", "1/5") == everyone
    assert LogisticFederation(5, 7, 2).adjusted("n_clients", 8) == LogisticFederation(8, 7, 2)
    assert QUADRATICS.adjusted("n_rounds", 3) == replace(QUADRATICS, n_rounds=3)


def test_the_losses_and_responses_of_quadratics() -> None:
    """(8) by hand at the start: F = (1/2 + 1/10, 5/4 + 1/5, 1 + 1/4)."""
    c = constants(QUADRATICS)
    clients, plan = QUADRATICS.clients(0, RUNS), QUADRATICS.plan()
    turn = next(federate(by_learner(constant_learner()), clients, plan, c, 0, RUNS))
    assert np.allclose(turn.answers.losses, [0.6, 1.45, 1.25])
    _, found = federation.seen_responses(turn.answers, c, QUADRATICS.transform)
    assert np.allclose(found, weibull(np.array([0.6, 1.45, 1.25]) / 1.1) / 3)


def test_models_far_apart_have_labels_too() -> None:
    """Scores beyond what e^x holds in floats are sure labels; warnings are errors here."""
    far = client_models(np.array([2, 4]), 1e6, np.array([0]), 0)
    assert set(np.unique(far.y)) == {-1.0, 1.0}
