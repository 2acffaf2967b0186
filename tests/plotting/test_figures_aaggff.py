"""The figures of AAggFF: what is drawn against numbers that are typed again, and against what must hold of it."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from figures.__main__ import FOLDER
from fltheory.games.learners import constant_learner, exponentiated_gradient
from fltheory.games.player import Learner
from fltheory.papers.aaggff import bounds
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_s
from fltheory.papers.aaggff.entropic.claims.entropic import STEP, rate_tuning
from fltheory.papers.aaggff.entropic.claims.partial import PRINTED_STEP
from fltheory.papers.aaggff.estimators import figures as aaggff_rounds
from fltheory.papers.aaggff.instances.games import alternation, complement, horse_race, three_phase, two_phase, vertex
from fltheory.papers.aaggff.newton.figures import limits as aaggff_limits
from fltheory.papers.aaggff.newton.figures import others, regrets
from fltheory.papers.aaggff.newton.figures import runs as aaggff_runs

Curves = dict[tuple[int, str], dict[float, float]]
ROOT = 0.29871  # of 7 C2 = 8 log(1 + C2)


def _curves(name: str) -> Curves:
    """The plotted values of a stored figure: of (number of the panel, curve), x to y."""
    found: Curves = {}
    with (FOLDER / f"aaggff_{name}.csv").open() as file:
        for panel, curve, x, y, *_ in list(csv.reader(file))[1:]:
            found.setdefault((int(panel.split(":")[0]), curve), {})[float(x)] = float(y)
    return found


def _rows(name: str) -> list[tuple[str, float, float]]:
    """Every plotted point of a stored figure: panel, x and y of points that share a label, too."""
    with (FOLDER / f"aaggff_{name}.csv").open() as file:
        return [(f"{r[0]}|{r[1]}", float(r[2]), float(r[3])) for r in list(csv.reader(file))[1:]]


def _printed(k: int, rounds: float, high: float) -> float:
    """Theorem 5.1, typed again."""
    return 2 * high * k * (1 + math.log(1 + rounds / (16 * k)))


# What the figures share -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [aaggff_s, aaggff_d_exact], ids=["newton", "entropic"])
def test_the_course_of_a_game_is_the_regret_of_shorter_ones(learner: Learner) -> None:
    cases = [
        aaggff_runs.case_with_tuning(
            horse_race(3, t), aaggff_runs.L_STEP, learner_regularisation=2, learner_curvature="1/2"
        )
        for t in (30, 60, 90)
    ]
    course = aaggff_runs.regret_path(learner, cases[-1], (30, 60, 90))
    assert course == pytest.approx([aaggff_runs.regret(learner, case) for case in cases], abs=1e-9)


def test_but_not_of_a_learner_that_knows_the_rounds() -> None:
    cases = [aaggff_runs.case_with_tuning(horse_race(3, t), aaggff_runs.L_STEP) for t in (30, 90)]
    learner = exponentiated_gradient()
    course = aaggff_runs.regret_path(learner, cases[-1], (30, 90))
    assert course[1] == pytest.approx(aaggff_runs.regret(learner, cases[1]))
    assert abs(course[0] - aaggff_runs.regret(learner, cases[0])) > 0.05


def test_balls_and_floats_agree() -> None:
    for game in (alternation(400), two_phase(300, "1/10")):
        case = aaggff_runs.printed_case(game)
        assert aaggff_runs.regret_enclosure(aaggff_s, case) == pytest.approx(
            aaggff_runs.regret(aaggff_s, case), abs=1e-8
        )


def test_the_window_asks_for_less_curvature_than_is_printed() -> None:
    game = two_phase(300, "1/10")
    inside, printed = (dict(case.settings) for case in (aaggff_runs.in_window(game), aaggff_runs.printed_case(game)))
    star = 2 * (0.1 - math.log(1.1)) / 0.01
    assert inside["learner_curvature"] < star < printed["learner_curvature"] == Fraction(5, 2)
    assert inside["learner_regularisation"] == printed["learner_regularisation"] == Fraction(4, 5)


# The bounds -------------------------------------------------------------------------------------------------------------


def test_no_other_learner_is_given_for_another() -> None:
    curves = _curves("learners")
    loss = 0.45 * math.log(0.35 + 1) + 0.55 * math.log(0.65 + 1)  # of the best decision on I5, a round
    for rounds, value in curves[(1, "uniform")].items():
        assert value == pytest.approx(rounds * (loss - math.log(1.5)), rel=1e-5)
    case = aaggff_runs.case_with_tuning(alternation(400), aaggff_runs.L_STEP)
    assert curves[(1, "uniform")][400] == pytest.approx(aaggff_runs.regret(constant_learner(), case), rel=1e-5)
    finals = [round(values[400.0], 5) for (panel, _), values in curves.items() if panel == 3]
    assert len(set(finals)) >= 7  # beta doesn't matter much there
    assert len(finals) == len(regrets.LEARNERS)


def test_where_theorem_5_1_breaks() -> None:
    curves = _curves("threshold")
    by_range = {label: values for (panel, label), values in curves.items() if panel == 1 and "phases" in label}
    assert by_range["two phases (I2), $T=10^3$"][0.1] == pytest.approx(5.9009 / 1.7894, rel=1e-4)
    assert by_range["two phases (I2), $T=10^3$"][0.2] == pytest.approx(3.9768 / 3.5788, rel=1e-4)
    points = [(x, y) for values in by_range.values() for x, y in values.items() if y > 1]
    assert len(points) > 20
    assert 0.27 < max(x for x, _ in points) < ROOT
    for k, ratio in ((7, 7.349 / 6.591), (11, 7.392 / 5.799)):
        assert curves[(2, f"$K={k}$, $C_2=1/{k}$ (I3)")][1000] == pytest.approx(ratio, rel=1e-3)
    assert max(curves[(2, "$K=4$, $C_2=1/4$ (I3)")].values()) < 1
    own = sorted(y for label, _, y in _rows("threshold") if label.endswith("the paper's $K$ and $T$"))
    assert own == pytest.approx(sorted((1.577 / 3.276, 1.271 / 2.900, 0.987 / 2.839)), rel=1e-3)
    assert max(aaggff_limits.RANGES) > ROOT > min(aaggff_limits.RANGES)


def test_the_fair_coin_counted() -> None:
    curves = _curves("threshold")
    for high, rounds in ((Fraction(1, 10), 100), (Fraction(1, 100), 1000)):
        most = sum(Fraction(math.comb(rounds, s) * max(s, rounds - s), 2**rounds) for s in range(rounds + 1))
        least = float(most) * math.log1p(high) - rounds * math.log1p(high / 2)
        drawn = curves[(3, f"fair coin (I4), $C_2={high}$")][rounds]
        assert drawn == pytest.approx(least / _printed(2, rounds, float(high)), rel=1e-5)


def test_the_sizes_of_the_paper() -> None:
    rows = _rows("sizes")
    paths = {x: y for label, x, y in rows if "path by path" in label}
    assert paths == pytest.approx({9343: 412.8, 817: 98.3, 2005: 198.3}, rel=1e-3)
    newton = {x: y for label, x, y in rows if label.endswith("Theorem 5.1, as printed")}
    sizes = {7: 100, 11: 100, 6: 50}
    assert newton == pytest.approx(
        {k: _printed(k, t, 1 / k) / (t * math.log1p(1 / k)) for k, t in sizes.items()}, rel=1e-5
    )
    lost = {x: y for label, x, y in rows if "one good client" in label}
    assert lost[817] == pytest.approx(1.828 / 1.830, abs=1e-3)
    assert max(lost.values()) < 1
    own, best, sharp = (
        {x: y for label, x, y in rows if f"1/K$, all clients|{key}" in label}
        for key in ("regret", "the same, best", "strengthened")
    )
    assert all(own[k] < best[k] < sharp[k] < newton[k] for k in sizes)


def test_the_adversary_as_drawn() -> None:
    curves = _curves("adversary")
    found = {key: values for key, values in curves.items() if key[1] != "the bound"}
    assert len(found) == 8
    assert all(0.1 < y <= 1 for values in found.values() for y in values.values())
    race = aaggff_runs.case_with_tuning(horse_race(2, 20), rate_tuning(STEP), **aaggff_limits.NEAR)
    at_least = aaggff_runs.regret(aaggff_s, race) / aaggff_runs.bound_value(bounds.T51_SHARP, race)
    assert curves[(2, r"Theorem 5.1, strengthened: $\alpha=1/2$, $\beta=3/5$")][20] >= at_least * 0.998
    assert at_least > 0.3


# Inside the rounds ------------------------------------------------------------------------------------------------------


def test_the_bias_as_drawn() -> None:
    curves = _curves("estimator")
    kept = curves[(1, r"(10): all draws of $K=10$ enumerated")]
    assert kept == pytest.approx({m: 1 - 10 * (m - 1) / (m * 9) for m in range(1, 11)}, abs=1e-5)
    r = np.array([float(v) for v in aaggff_rounds.RESPONSE])
    estimates = []
    for drawn in combinations(range(10), 3):  # (10) again, in floats
        mean, seen = r[list(drawn)].mean(), np.isin(np.arange(10), drawn)
        estimates.append((1 - seen * 10 / 3) * mean + seen * 10 / 3 * r)
    bias = np.abs(np.mean(estimates, axis=0) - r).max() / np.abs(r - r.mean()).max()
    assert kept[3] == pytest.approx(bias, rel=1e-5)
    for name in ("D1: a constant imputed", r"D2: deviations over $\kappa$"):
        assert set(curves[(1, name)].values()) == {0}
    remainders: dict[str, Callable[[float], float]] = {
        "any reference, the paper's mean too": lambda v: v / (1 + v),
        "middle of the range": lambda v: v / (2 + v),
        "the best: harmonic": lambda v: v / (2 * (1 + v)),
    }
    for label, formula in remainders.items():
        for v, y in curves[(2, label)].items():
            assert y == pytest.approx(formula(v), rel=1e-5)
    worst = [(x, y) for label, x, y in _rows("estimator") if "worst of all" in label]
    values = [y for (panel, label), row in curves.items() if panel == 2 and "worst" not in label for y in row.values()]
    assert sorted(y for _, y in worst) == pytest.approx(sorted(values), rel=1e-5)


def test_decisions_as_drawn() -> None:
    weights = aaggff_runs.decisions(aaggff_s, aaggff_runs.printed_case(three_phase(2, "1/10", 20, "1/20")))
    assert weights[0].sum(axis=1) == pytest.approx(np.ones(weights.shape[1]))
    assert weights[0, 0] == pytest.approx([0.5, 0.5])
    alone = vertex(4, 30, n_participating=1)
    still = aaggff_runs.decisions(aaggff_d, aaggff_runs.case_with_tuning(alone, PRINTED_STEP))
    assert still == pytest.approx(np.full(still.shape, 0.25))
    two = vertex(4, 30, n_participating=2)
    moved = aaggff_runs.decisions(aaggff_d, aaggff_runs.case_with_tuning(two, PRINTED_STEP))
    assert moved[0, -1, 0] > 0.3
    curves = _curves("decisions")
    late = {}
    for label in ("as printed", r"$\beta<\beta^\star(V)$", r"hardly any curvature: $\beta=10^{-9}$"):
        late[label] = min(t for t, w in curves[(2, label)].items() if t > 400 and w > 0.5)
    assert sorted(late, key=lambda k: -late[k]) == list(late)
    assert complement(7, 1000).counts_of[0] == 400


def test_partial_participation_as_drawn() -> None:
    curves = _curves("participation")
    for rounds, value in curves[(1, "Algorithm 3, $m=1$")].items():
        assert value == pytest.approx(rounds * math.log(2 / 1.1), rel=1e-5)
    for k, ratio in ((10, 3.75), (20, 7.20), (40, 13.7), (80, 25.8)):
        assert curves[(2, "Algorithm 3, $m=2$")][k] == pytest.approx(ratio, rel=0.03)
    for panel in (3, 4):
        bound = curves[(panel, "a fixed reference: its bound")]
        for name in ("a fixed reference", "last round's mean"):
            assert all(y < bound[x] for x, y in curves[(panel, name)].items())
    groups, first = curves[(4, "a fixed reference")], curves[(4, r"its first term $\frac{V}{C}\sqrt{T\,\log\,K}$")]
    assert groups[20_000] == pytest.approx(555, rel=0.05)
    assert groups[20_000] > first[20_000] > groups[4000]


# Learners that tune themselves ------------------------------------------------------------------------------------------


def test_the_universal_portfolio_of_two_clients_is_its_integral() -> None:
    """One round (1, 0), then the mean of (p, 1 - p) by 1 + p over [0, 1]: 5/9."""
    case = aaggff_runs.case_with_tuning(alternation(20), aaggff_runs.L_STEP)
    first, second = aaggff_runs.decisions(others.universal_portfolio(), case)[0, :2]
    assert first == pytest.approx([0.5, 0.5], abs=0.01)
    ahead = int(case.instance.table[case.instance.order[0]].argmax())
    assert second[ahead] == pytest.approx(5 / 9, abs=0.01)


def test_adahedge_follows_the_leader_until_it_pays_for_it() -> None:
    """On the linearised losses, in [-1, 0], its regret is at most 2 sqrt(V log K) + 4/3 log K + 2 (de Rooij et al., Theorem 8)."""
    for game in (alternation(400), horse_race(5, 400), two_phase(400, 1)):
        case = aaggff_runs.case_with_tuning(game, aaggff_runs.L_STEP)
        played = aaggff_runs.decisions(others.adahedge(), case)[0]
        seen = game.table[game.order]
        gradient = -seen / (1 + (played * seen).sum(axis=1, keepdims=True))
        regret = (gradient * played).sum() - gradient.sum(axis=0).min()
        variance = (played * (gradient - (gradient * played).sum(axis=1, keepdims=True)) ** 2).sum()
        log_k = math.log(gradient.shape[1])
        assert regret <= 2 * math.sqrt(variance * log_k) + 4 / 3 * log_k + 2
        assert played[0] == pytest.approx(np.full(gradient.shape[1], 1 / gradient.shape[1]))
        first = seen[0].argmax()
        assert played[1, first] > 0.5


def test_a_learner_that_stays_with_the_first_leader_breaks_that_bound() -> None:
    """The control: on two phases the regret of one that never moves again is far above it."""
    game = two_phase(400, 1)
    seen = game.table[game.order]
    stuck = np.tile(np.eye(2)[seen[0].argmax()], (400, 1))
    gradient = -seen / (1 + (stuck * seen).sum(axis=1, keepdims=True))
    regret = (gradient * stuck).sum() - gradient.sum(axis=0).min()
    assert regret > 4 / 3 * math.log(2) + 2
