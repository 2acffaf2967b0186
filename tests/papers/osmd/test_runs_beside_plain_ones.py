"""Compiled games of a few clients and rounds beside plain ones: FedAvg, the trap with given clients, many draws at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from fltheory.games.participation import DRAW_STREAM
from fltheory.model.case import Case
from fltheory.number import streams, to_float
from fltheory.papers.osmd import kernels as feedback
from fltheory.papers.osmd.algorithms import adaptive, switching
from fltheory.papers.osmd.algorithms.grid import expert_grid, first_weights, meta_rate
from fltheory.papers.osmd.algorithms.mirror import mirror_step
from fltheory.papers.osmd.experts.cases import SwitchingAdversary
from fltheory.papers.osmd.experts.kernels import switching_games, trap, trees
from fltheory.papers.osmd.fedavg import kernels as fedavg
from fltheory.papers.osmd.fedavg.closed_forms import lower_limits as apart
from fltheory.papers.osmd.instances.bounded_clients import ApartClients
from fltheory.runs.constants import run_constants
from tests.papers.osmd.test_adaptive import constants, experts_without_mixture, setting

SEED, RUN = 5, 9


def interpreted(monkeypatch: pytest.MonkeyPatch, module: ModuleType, *names: str) -> None:
    """Functions of a module as plain Python: nothing of theirs is compiled."""
    for name in names:
        own = getattr(module, name)
        monkeypatch.setattr(module, name, getattr(own, "py_func", own))


@pytest.fixture
def plain_trees(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    interpreted(monkeypatch, trees, "_run", "_draw_clients", "absorb", "as_uniform")
    with np.errstate(over="ignore"):  # words of 64 bits go round
        yield


# Experts without their mixture ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plain_trees")
@pytest.mark.parametrize(("n", "drawn"), [(1, 2), (2, 1), (3, 2), (5, 4), (4, 1)])
@pytest.mark.parametrize("largest", [1.01, 0.02])
def test_a_client_of_an_expert_of_its_weight(n: int, drawn: int, largest: float) -> None:
    rows = np.random.default_rng(n).integers(0, 3, (8, n)) / 2
    n_experts = max(n, 2)
    c = constants(n_experts, drawn, 8, 0.3, largest)
    if n == 1:
        rows = np.hstack([rows, np.zeros((8, 1))])
    losses = feedback.by_rows(rows)
    found = experts_without_mixture(losses, c, 3)
    totals = trees.estimated_losses(losses, c, SEED, np.array([3, 8]), np.arange(1, 9))
    assert totals[0] == pytest.approx(found, rel=1e-9)
    assert totals[1] != pytest.approx(found, rel=1e-3)
    assert trees.estimated_losses(losses, c, SEED, np.array([3]), [2, 2, 8])[0] == pytest.approx(
        found[[1, 1, 7]], rel=1e-9
    )


@pytest.mark.usefixtures("plain_trees")
@pytest.mark.parametrize("rebuild", [1, 2, 3])
def test_sums_of_experts_that_are_built_anew(rebuild: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    right = trees.tree_step

    def step(*given: Any) -> None:
        asked.append(bool(given[4]))
        right(*given)

    monkeypatch.setattr(trees, "tree_step", step)
    monkeypatch.setattr(trees, "REBUILD", rebuild)
    rows = np.random.default_rng(2).integers(0, 3, (6, 3)) / 2
    losses, c = feedback.by_rows(rows), constants(3, 2, 6, 0.3, 1.01)
    found = trees.estimated_losses(losses, c, SEED, np.array([3]), [6])
    many = len(expert_grid(c))
    assert asked == [(t + 1) % rebuild == 0 for t in range(6) for _ in range(many)]
    assert found[0, 0] == pytest.approx(experts_without_mixture(losses, c, 3)[-1], rel=1e-9)


# The trap and the switching adversary ------------------------------------------------------------------------------------


def trap_with(clients: list[int], settings: Any, run: int) -> float:
    """The regret with the active clients given, beside the equations."""
    _, n_sampled, a, alpha, _, rates, weights, meta = settings
    experts, logs, regret = np.full((len(rates), 2), 0.5), np.log(weights), 0.0
    for t, c in enumerate(clients):
        theta = np.exp(logs - logs.max())
        p = theta @ experts / theta.sum()
        regret += a / n_sampled * (1 / p[c] - 2)
        n = trap.binomial(float(streams.uniform(3, run, t, DRAW_STREAM, 0)[0]), n_sampled, p[c])
        gain = np.zeros((len(rates), 2))
        gain[:, c] = n * a * rates / (n_sampled**2 * experts[:, c] ** 2 * p[c])
        logs = logs - meta * n * a / (n_sampled**2 * experts[:, c] * p[c])
        experts = mirror_step(experts, gain, alpha)
    return float(regret)


@pytest.mark.parametrize("clients", [[0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 0]])
@pytest.mark.parametrize("largest", [1.0, 30.0])
def test_the_trap_with_given_clients(clients: list[int], largest: float) -> None:
    settings: Any = setting(6, 4, largest, "corrected")
    found, active = trap.trap_regret(*settings, 3, np.array([2]), replay=np.array(clients))
    assert active[0].tolist() == clients
    assert found[0] == pytest.approx(trap_with(clients, settings, 2), rel=1e-9)


@pytest.mark.parametrize(("n", "p"), [(0, 0.4), (1, 0.0 + 1e-9), (3, 1.0), (6, 0.999)])
def test_binomial_numbers_at_the_ends(n: int, p: float) -> None:
    for u in (0.0, 0.25, np.nextafter(1.0, 0)):
        found = trap.binomial(u, n, p)
        assert 0 <= found <= n
    assert trap.binomial(0.0, n, p) == (n if p == 1 else min(n, int((n + 1) * p)))


def switching_plain(case: Any, run: int, gamma: Any, blocks: list[tuple[int, int, int]]) -> float:
    """The regret of a game of two clients round by round, with experts that begin anew in each block."""
    game, c, regret, active = case.instance, run_constants(case, None), 0.0, int(case.instance.start)
    a, alpha, k = float(game.size), float(game.floor), c.n_sampled
    for first, last, horizon in blocks:
        rates, meta = expert_grid(c, horizon), meta_rate(c, gamma, horizon)
        logs = np.log([float(w) for w in first_weights(len(rates))])
        experts = np.full((len(rates), 2), 0.5)
        for t in range(first, last):
            theta = np.exp(logs - logs.max())
            p = theta @ experts / theta.sum()
            if p[active] > float(game.threshold):
                active = 1 - active
            regret += a / k * (1 / p[active] - 2)
            if k <= switching_games.ONE_BY_ONE:
                own = streams.uniform(SEED, run, t, DRAW_STREAM, np.arange(k)) < p[0]
                n = int(own.sum()) if active == 0 else int((~own).sum())
            else:
                n = trap.binomial(float(streams.uniform(SEED, run, t, DRAW_STREAM, 0)[0]), k, p[active])
            force = n * a / (k**2 * p[active])
            gain = np.zeros((len(rates), 2))
            gain[:, active] = force * rates / experts[:, active] ** 2
            logs = logs - meta * force / experts[:, active]
            experts = mirror_step(experts, gain, alpha)
    return regret


@pytest.mark.parametrize("draws", [1, 64, 66, 200])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("gamma", ["printed", "corrected"])
def test_few_draws_are_made_one_by_one_and_many_at_once(draws: int, start: int, gamma: Any) -> None:
    case, runs = Case(SwitchingAdversary(6, draws, "7/10", 10**4, "11/20", start)), np.array([4, 7])
    for doubling, blocks in ((False, [(0, 6, 6)]), (True, [(0, 1, 1), (1, 3, 2), (3, 6, 4)])):
        found = switching_games.switching_regrets(case, SEED, runs, gamma, doubling)
        wanted = [switching_plain(case, int(r), gamma, blocks) for r in runs]
        assert found == pytest.approx(wanted, rel=1e-8)


def test_the_switching_games_of_samplers_are_these() -> None:
    case, runs = Case(SwitchingAdversary(6, 66, "7/10", 10**4, "11/20")), np.array([4])
    for name, doubling in (("adaptive", False), ("doubling", True)):
        found = getattr(switching, name)("printed").kernel(case, SEED, runs)
        assert found == switching_games.switching_regrets(case, SEED, runs, "printed", doubling)
    assert adaptive.adaptive().name == "adaptive osmd"


# FedAvg ---------------------------------------------------------------------------------------------------------------


class Clients:
    """F_m' = s_m a U tanh(w/U) + h_m and the weights of one run."""

    scales, tilts = np.array([0.5, 1.0, 2.0, 0.25]), np.array([0.3, -0.3, 0.0, 0.1])
    steep, bend, start = 1.5, 0.4, 0.6

    def plain(
        self, n: int, mu: float, eta: float, alpha: float, sigma: float, rounds: int, cut: float = 1e-17
    ) -> tuple[float, int]:
        """The mean of F'^2 over a run, and how often the distribution moved."""
        scales, tilts = self.scales[:n], self.tilts[:n]
        p, w, total, moves = np.full(n, 1 / n), self.start, 0.0, 0
        for t in range(rounds):
            slope = self.steep * math.tanh(w / self.bend)
            total += (scales.mean() * slope) ** 2
            u = float(streams.uniform(SEED, RUN, t, DRAW_STREAM, 0)[0])
            m = min(int(np.searchsorted(p.cumsum(), u * p.sum(), side="right")), n - 1)
            answer = scales[m] * slope + tilts[m]
            if sigma:
                answer += sigma if float(streams.uniform(SEED, RUN, t, m, 0)[0]) < 0.5 else -sigma
            w -= mu * answer / (p[m] * n)
            gain = np.zeros(n)
            gain[m] = answer**2 / n**2 * eta / p[m] ** 3
            if gain[m] > cut:
                p, moves = mirror_step(p, gain, alpha), moves + 1
        return total / rounds, moves

    def run(
        self, n: int, mu: float, eta: float, alpha: float, sigma: float, rounds: int, quick: bool, most: float = 1e9
    ) -> float:
        scales, tilts = self.scales[:n].copy(), self.tilts[:n].copy()
        mean = float(scales.mean())
        return float(
            fedavg.rollout(
                scales,
                tilts,
                mean,
                self.steep,
                self.bend,
                sigma,
                self.start,
                mu,
                eta,
                alpha,
                rounds,
                SEED,
                RUN,
                quick,
                most,
            )
        )


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("eta", [0.0, 0.02, 0.3, 5.0])
@pytest.mark.parametrize(("alpha", "sigma"), [(0.3, 0.0), (0.9, 0.5), (1.0, 0.2), (0.05, 0.7)])
def test_few_rounds_of_fedavg(n: int, eta: float, alpha: float, sigma: float) -> None:
    own = Clients()
    wanted, _ = own.plain(n, 0.2, eta, alpha, sigma, 7)
    for quick in (False, True):
        assert own.run(n, 0.2, eta, alpha, sigma, 7, quick) == pytest.approx(wanted, rel=1e-9)
    assert own.run(n, 0.2, eta, alpha, sigma, 1, False) == pytest.approx(
        own.plain(n, 0.2, eta, alpha, sigma, 1)[0], rel=1e-12
    )


def test_dense_steps_are_paid_by_the_client() -> None:
    """Each changes all n probabilities; a run that cannot pay for them is no number, one that just can is."""
    own = Clients()
    wanted, moves = own.plain(3, 0.2, 0.3, 0.3, 0.5, 7)
    assert moves > 2
    assert own.run(3, 0.2, 0.3, 0.3, 0.5, 7, False, 3.0 * moves) == pytest.approx(wanted)
    assert math.isnan(own.run(3, 0.2, 0.3, 0.3, 0.5, 7, False, 3.0 * moves - 1))
    assert math.isfinite(own.run(3, 0.2, 1e-30, 0.3, 0.5, 7, False, 0.0))


def test_the_tree_of_fedavg_finds_the_client_of_a_level() -> None:
    for n in (1, 2, 3, 5, 8):
        size = 1
        while size <= n:
            size *= 2
        mass, tree = np.arange(1.0, n + 1), np.zeros(size)
        for m in range(n):
            fedavg._add_mass(tree, m, mass[m])
        edges = np.cumsum(mass)
        for level in (*(edges - 0.5), *edges, 0.0, edges[-1] + 9):
            assert fedavg._find_client(tree, float(level), n) == min(
                int(np.searchsorted(edges, level, side="right")), n - 1
            )


@pytest.mark.parametrize(("pairs", "level"), [((1,), 1), ((2, "-1/2"), 0), ((0,), 2), (("-3/2",), 3)])
@pytest.mark.parametrize(("bend", "curvature"), [("1/5", 2), (2, "1/2")])
def test_the_lower_limit_of_clients_that_pull_apart(pairs: Any, level: int, bend: Any, curvature: Any) -> None:
    """The recursion of the moments as it is written, in floats."""
    game = ApartClients(pairs, level, "1/50", bend, curvature, "1/2", 0)
    mu, rate, rounds = 0.125, 1e-4, 5
    with ctx.workprec(128):
        found = apart._least(game, arb(mu), arb(rate), rounds)
    a, top, n = float(Fraction(curvature)), float(Fraction(curvature) * Fraction(bend)), game.n_clients
    tilts = [abs(to_float(h)) for h in game.tilts]
    s = rounds * rate * ((max(tilts) + top) / n) ** 2 * n**3 / 0.5**3
    squares, fourths = sum(h * h for h in tilts) / n, sum((h + top) ** 4 for h in tilts) / n
    s_2, s_4 = math.exp(s) * (top**2 + squares), math.exp(3 * s) * fourths
    low = high = 0.02**2
    power, total = 0.02**4, 0.0
    for _ in range(rounds):
        total += a**2 * (low - power / (4 * float(Fraction(bend)) ** 2))
        power += 8 * mu**2 * s_2 * high + 3 * mu**4 * s_4
        low, high = (1 - 2 * mu * a) * low + math.exp(-s) * mu**2 * squares, high + mu**2 * s_2
    assert float(found) == pytest.approx(total / rounds, rel=1e-12)
