"""The figures' experiments as statements about a fresh run: each with its opposite, and against the studies that are drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fltheory.claims.check import check_claim
from fltheory.model.case import Case
from fltheory.papers.osmd.algorithms.samplers import uniform
from fltheory.papers.osmd.experiments import fresh
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.claims import figures
from fltheory.papers.osmd.experiments.claims import studies as figure_1
from fltheory.papers.osmd.experiments.training import SCRIPT, TEXT

SMALLER = [c for c in figure_1.CLAIMS if c.bound.side == "lower" and c.entry.recorded == "holds"]


@pytest.mark.parametrize("claim", SMALLER, ids=lambda c: c.id)
def test_uniform_sampling_is_never_below_itself(claim):
    short = Case(replace(claim.cases[0].instance, rounds=100))
    assert check_claim(replace(claim, algorithm=uniform), short, stages=(320,)).status == "violated"


@pytest.mark.turns(3)
@pytest.mark.parametrize("claim", [c for c in figure_1.CLAIMS if "close" in c.id], ids=lambda c: c.id)
def test_where_they_are_close_the_factor_2_is_needed(claim):
    """Uniform sampling's regret is at most twice the other's in most runs, but not at most once."""
    once = replace(claim, measure=replace(claim.measure, factor=1))
    assert check_claim(once, claim.cases[0], stages=(400,)).status == "violated"


def test_the_wins_are_those_of_the_experiment():
    case, runs = Case(figure_1.Regression(10, 20)), np.arange(4)
    plan = replace(experiments.SECTION_7, n_rounds=20, record_every=20)
    wins = experiments.regret_wins(10.0, "text", "adaptive", "uniform", 4, 0, plan)
    claim = figure_1.CLAIMS[0]
    np.testing.assert_array_equal(claim.measure.simulate(claim.algorithm, case, 0, runs), wins)


# Figures 3 to 8 ---------------------------------------------------------------------------------------------------------


def test_the_floors_of_a_fresh_run_are_those_of_the_figure():
    """And sampling without replacement: the same regrets and losses as the study that is drawn, method by method."""
    setting, runs = fresh.Setting("SGD", "text", 10.0, 20, 100), (0, 1, 2)
    plan = replace(experiments.SECTION_7, n_rounds=20, record_every=20)
    names = ("alpha=0.4", "alpha=0.01", "alpha=0.9")
    own = figure_1.OWN["text"]
    found = fresh.ends(setting, names[:1], own, names[1:], experiments.SEED, runs)
    drawn = experiments.compare_floors(10.0, "text", 3, plan)
    places = [experiments.FLOORS.index(float(name[6:])) for name in names]
    np.testing.assert_allclose(found.regret, drawn.regret[-1][places], rtol=1e-9)
    np.testing.assert_allclose(found.loss, drawn.loss[-1][places], rtol=1e-9)
    paired = fresh.ends(setting, ("adaptive",), own, ("without replacement",), experiments.SEED, runs)
    with_and_without = experiments.compare_replacement(10.0, "text", 3, plan)
    np.testing.assert_allclose(paired.loss, with_and_without.loss[-1], rtol=1e-9)


def test_each_run_has_its_own_best_step():
    setting, runs = fresh.Setting("one coordinate", "script", 3.0, 20, 100), (0, 1)
    found = fresh.ends(setting, ("adaptive",), figure_1.OWN["script"], ("by smoothness",), experiments.SEED, runs)
    plan = replace(experiments.SECTION_7, n_rounds=20, record_every=2)
    drawn = experiments.compare_step_sizes(3.0, "script", 2, plan)
    n = len(experiments.STEP_SIZES)
    for k in range(2):
        for run in runs:
            logs = [np.log(drawn.loss[:, k * n + step, run]).mean() for step in range(n)]
            best = k * n + int(np.argmin(logs))
            assert found.loss[k, run] == pytest.approx(drawn.loss[-1, best, run], rel=1e-9)
            assert found.regret[k, run] == pytest.approx(drawn.regret[-1, best, run], rel=1e-9)


def test_scaffold_ends_where_the_figure_does():
    setting, plan = (
        fresh.Setting("SCAFFOLD", "text", 10.0, 10, 100),
        replace(fresh.plan("SCAFFOLD", "text"), n_rounds=10),
    )
    found = fresh.ends(setting, ("osmd",), fresh.osmd, ("uniform",), experiments.SEED, (0, 1))
    drawn = experiments.compare_scaffold(10.0, "text", 2, replace(plan, record_every=10))
    np.testing.assert_allclose(found.loss, drawn.loss[-1][::-1], rtol=1e-9)


def test_methods_have_names():
    data = fresh._data(fresh.Setting("SGD", "text", 1.0, 10, 4), 0, np.arange(1))
    assert fresh.method("alpha=0.1", TEXT, 5, data).settings == {"probability_floor": 0.1}
    assert not fresh.method("without replacement", SCRIPT, 5, data).replacement
    with pytest.raises(KeyError, match="nobody"):
        fresh.method("nobody", TEXT, 5, data)


OWN_ARE_BETTER = [c for c in figures.CLAIMS if c.bound.side == "lower" and c.entry.recorded == "holds" and "F3" in c.id]


@pytest.mark.turns(2)
@pytest.mark.parametrize("claim", OWN_ARE_BETTER, ids=lambda c: c.id)
def test_uniform_sampling_has_none_of_it(claim):
    """A sampler that ignores its floor and its feedback is below nothing."""
    assert check_claim(replace(claim, algorithm=uniform), claim.cases[0], stages=(320,)).status == "violated"


def test_with_a_larger_difference_the_script_too_is_right():
    """Without replacement the loss is 9/8 smaller in most runs, but not eight times."""
    claim = next(c for c in figures.CLAIMS if c.id == "osmd/F7-script-same@strict")
    case = figure_1.at(10)[0]
    assert check_claim(claim, case, stages=(200,)).status == "violated"
    eight = replace(claim, measure=replace(claim.measure, factor=8))
    assert check_claim(eight, case, stages=(200,)).status == "holds"
