"""The figures of Delta-SGD: what is drawn against numbers that are typed again, and against what must hold of it."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from flint import arb

from figures.__main__ import FOLDER
from fltheory.model.case import Case
from fltheory.papers.delta_sgd.convex import figures as delta_sgd_convex
from fltheory.papers.delta_sgd.convex.cases import case_of_run, disjoint, huber, line, null_direction
from fltheory.papers.delta_sgd.convex.closed_forms.measures import AverageGap
from fltheory.papers.delta_sgd.experiments.figures import who_wins as delta_sgd
from fltheory.papers.delta_sgd.experiments.studies import OURS, Study, Winners, final, untuned_method, who_wins
from fltheory.papers.delta_sgd.nonconvex import figures as delta_sgd_rates
from fltheory.papers.delta_sgd.rule import figures as delta_sgd_rule
from fltheory.papers.delta_sgd.rule.closed_forms.runs import Reading, follow
from fltheory.plotting.picture import TablePanel, table
from fltheory.plotting.plot import draw
from fltheory.runs.step_rule import auto_tuned

Curves = dict[tuple[int, str], dict[float, float]]


def _curves(name: str) -> Curves:
    """The plotted values of a stored figure: of (number of the panel, curve), x to y."""
    found: Curves = {}
    with (FOLDER / f"delta_sgd_{name}.csv").open() as file:
        for panel, curve, x, y, *_ in list(csv.reader(file))[1:]:
            found.setdefault((int(panel.split(":")[0]), curve), {})[float(x)] = float(y)
    return found


def _rows(name: str) -> list[tuple[int, str, float, float]]:
    """Every plotted point of a stored figure, points that share a label too."""
    with (FOLDER / f"delta_sgd_{name}.csv").open() as file:
        return [(int(r[0].split(":")[0]), r[1], float(r[2]), float(r[3])) for r in list(csv.reader(file))[1:]]


# V_t --------------------------------------------------------------------------------------------------------------------


def test_v_of_one_client_typed_again() -> None:
    """f = 3 x^2/2 from 1 with a first step of 1/40."""
    found = delta_sgd_convex.lyapunov_values(case_of_run(line((3,)), 6, "1/40"), "B")
    before, x, lr, ratio = 1.0, 1 - 3 / 40, 1 / 40, 1.0
    for value in found:
        new = min(1 / (2 * 3), math.sqrt(1 + ratio) * lr)
        lr, ratio = new, new / lr
        assert value == pytest.approx(x**2 + (x - before) ** 2 / 2 + 2 * lr * ratio * 3 * before**2 / 2, rel=1e-12)
        before, x = x, x - lr * 3 * x


def test_v_rises_where_it_is_marked() -> None:
    marked = [(panel, x) for panel, curve, x, _ in _rows("lyapunov") if curve == delta_sgd_convex.RISES]
    assert {panel for panel, _ in marked} == {1, 2, 3}
    curves = _curves("lyapunov")
    risen = []
    for (panel, curve), values in curves.items():
        if curve != delta_sgd_convex.RISES:
            risen += [(panel, t, curve) for t in values if t > 1 and values[t] > values[t - 1]]
    assert sorted((p, t) for p, t, _ in risen) == sorted(marked)
    assert {curve for _, _, curve in risen} == {
        r"one client, $\gamma=1.4$",
        r"one client, $\gamma=2$",
        "reading A: clients never meet",
        "reading B: shared iterate",
        "reading C: local iterate",
    }
    one = curves[(1, r"one client, $\gamma=1.4$")]
    assert one[3] / one[2] == pytest.approx(1.0757, abs=1e-4)
    apart = curves[(2, "reading A: clients never meet")]
    assert apart[4] / apart[3] == pytest.approx((115 / 256) / (27 / 64), rel=1e-5)


def test_many_bits_are_taken_where_few_do_not_tell() -> None:
    values = delta_sgd_convex.lyapunov_values(case_of_run(disjoint(), 4, "3/2"), "A")
    assert values[2:] == pytest.approx([27 / 64, 115 / 256])
    long = delta_sgd_convex.lyapunov_values(case_of_run(huber("2003/20"), 40, 1), "B")
    assert np.isfinite(long).all()
    with pytest.raises(ArithmeticError):
        delta_sgd_convex.in_floats(lambda: [arb(1, 1)])


# Theorem 5 --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reading", ["B", "step"])
def test_a_course_is_the_theorem_after_every_number_of_rounds(reading: Reading) -> None:
    clients = delta_sgd_convex.random_clients(3) if reading == "step" else line((2,))
    found = delta_sgd_convex.gap_path(case_of_run(clients, 8, "1/20"), reading)
    for t in (1, 4, 8):
        measure = AverageGap(reading)
        values = delta_sgd_convex.in_floats(
            lambda measure=measure, t=t: _gap_and_bound(measure, case_of_run(clients, t, "1/20"))
        )
        assert [found.averaged[t - 1], found.by_sum[t - 1]] == pytest.approx(values, rel=1e-9)


def _gap_and_bound(measure: AverageGap, case: Case) -> list[object]:
    gap, read = measure.follow(auto_tuned, case)
    constant, total, _ = read.values()
    return [gap, constant / (2 * total)]


def test_no_gap_is_above_its_bounds() -> None:
    curves = _curves("theorem5")
    for panel in (1, 2, 3):
        floor, total, averaged, last = (curves[(panel, label)] for label, _, _ in delta_sgd_convex.LINES)
        assert all(averaged[t] <= total[t] <= floor[t] * (1 + 1e-5) for t in averaged)
        assert last[max(last)] < averaged[max(last)]
    slack = curves[(4, r"slack, one client, $\eta_0=0.2$")]
    total, averaged = (curves[(2, delta_sgd_convex.LINES[i][0])] for i in (1, 2))
    assert slack == pytest.approx({t: total[t] / averaged[t] for t in slack}, rel=1e-4)
    assert min(slack.values()) > 1


def test_an_average_with_other_weights_is_another_one() -> None:
    """The plain mean of the points is farther from the minimum than the weighted one that is drawn."""
    case = case_of_run(line((2,)), 8, "1/20")
    found = delta_sgd_convex.gap_path(case, "B")
    points = [float(p[0]) for p in follow(auto_tuned, case, "B").server[1:9]]
    assert float(np.mean(points)) ** 2 > 1.05 * found.averaged[-1]


def test_the_readings_as_drawn() -> None:
    curves = _curves("readings")
    broken = curves[(2, "reading B: shared iterate")]
    assert broken[99] == pytest.approx(13.9, abs=0.1)
    assert broken[3] < 1 < broken[15]
    assert max(curves[(2, "reading A: clients never meet")].values()) < 1
    assert curves[(1, "reading B: shared iterate")][3] >= 1.942  # what one pair gives
    assert max(curves[(1, "one common step")].values()) <= 1
    pair = case_of_run(null_direction(4, "3/8"), 3, 1, 3)
    one = delta_sgd_convex.in_floats(lambda: [delta_sgd_convex.decrease("B").follow(auto_tuned, pair)[0]])
    assert one[0] == pytest.approx(1.942, abs=1e-3)


# Inside the rounds --------------------------------------------------------------------------------------------------------


def test_the_step_taken_is_the_smaller_entry() -> None:
    for panel in (1, 2, 3, 4):
        first, cap, taken = (
            {x: y for p, curve, x, y in _rows("steps") if p == panel and words in curve}
            for words in ("first entry", "growth cap", "taken")
        )
        assert taken == pytest.approx({k: min(first[k], cap[k]) for k in taken}, rel=1e-5)
        assert any(cap[k] < first[k] for k in taken)
        assert any(first[k] < cap[k] for k in taken)


def test_entries_of_a_parabola() -> None:
    case = delta_sgd_rule.local_case(line((4,)), "1/40", **delta_sgd_rule.PRACTICE)
    found = delta_sgd_rule.entries(case)
    seen = found.first[:8]
    assert seen == pytest.approx(np.full(len(seen), 2 / (2 * 4)))
    ratio, lr = 1.0, 1 / 40
    for k in range(5):
        cap = math.sqrt(1 + ratio / 10) * lr
        assert found.cap[k] == pytest.approx(cap)
        assert found.taken[k] == pytest.approx(min(cap, 1 / 4))
        ratio, lr = found.taken[k] / lr, found.taken[k]


def test_progress_as_drawn() -> None:
    curves = _curves("progress")
    slow = curves[(1, r"$L_i/L_{\max}=0.01$")]
    assert slow == pytest.approx({k: 0.99**k for k in slow}, rel=1e-5)
    assert curves[(2, r"$L_i/L_{\max}=1$")] == pytest.approx({k: 0.5**k for k in range(1, 201)}, rel=1e-5)
    for label in (r"$L_i/L_{\max}=0.1$", r"$L_i/L_{\max}=0.001$"):
        mine, damped, theirs = (curves[(panel, label)] for panel in (2, 3, 1))
        assert mine[40] < damped[40] < theirs[40] or damped[40] < 1e-2
        assert mine[1] == damped[1] > theirs[1]  # the first step is half as long


# Where the server ends ------------------------------------------------------------------------------------------------------


def test_the_limits_as_drawn() -> None:
    curves = _curves("limit")
    for k, y in curves[(1, r"$(\kappa-1)^2/(16(1+\kappa))$")].items():
        assert y == pytest.approx((k - 1) ** 2 / (16 * (1 + k)), rel=1e-5)
        assert curves[(1, "rule (4), reading B")][k] == pytest.approx(y, rel=1e-5)
    assert curves[(1, r"$(\kappa-1)^2/(16(1+\kappa))$")][10] == pytest.approx(0.4602, abs=1e-4)
    seen = [(x, y) for panel, curve, x, y in _rows("limit") if panel == 1 and curve.startswith("simulated")]
    lines = {steps: curves[(1, f"$K={steps}$")] for steps, _ in delta_sgd_rule.LOCAL_STEPS}
    assert len(seen) == len(lines) * len(delta_sgd_rule.SIMULATED_CONDITIONS)
    for i, (x, y) in enumerate(seen):
        steps = delta_sgd_rule.LOCAL_STEPS[i // len(delta_sgd_rule.SIMULATED_CONDITIONS)][0]
        assert y == pytest.approx(lines[steps][x], rel=1e-4)
    plain = curves[(2, f"$K={delta_sgd_rule.MOST}$")]
    for label in (delta_sgd_rule.FEDNOVA, delta_sgd_rule.PROXIMAL.format(10)):
        assert all(y < plain[k] for k, y in curves[(2, label)].items())


def test_a_limit_typed_again() -> None:
    """Two clients, K = 2, in floats; with one local step it is the minimiser."""
    kappa = 10.0
    case = delta_sgd_rule._long_run_case(10, 2)
    left = []
    for h in (1.0, kappa):
        first = 1 / (2 * kappa)
        second = min(1 / (2 * h), math.sqrt(2) * first)
        left.append((1 - first * h) * (1 - second * h))
    end = (1 - left[1]) / (2 - left[0] - left[1])
    gap = (1 + kappa) / 4 * (end - kappa / (1 + kappa)) ** 2
    assert delta_sgd_rule.gap_at_end(case) == pytest.approx(gap, rel=1e-12)
    assert delta_sgd_rule.gap_at_end(delta_sgd_rule._long_run_case(10, 1)) == 0
    assert delta_sgd_rule.simulate_gap(case) == pytest.approx(gap, rel=1e-6)


# Theorem 1 ----------------------------------------------------------------------------------------------------------------


def test_the_rates_as_drawn() -> None:
    curves = _curves("rates")
    rho, smooth, gap = 0.2, 1.2, delta_sgd_rates.DIM * (math.sqrt(5) - 1)
    psi = 1 + smooth**2 * delta_sgd_rates.DIM
    for t, y in curves[(1, "bound")].items():
        if math.isfinite(y):
            typed = 8 * gap / t**0.5 + 16 * smooth / t**0.5 + 16 * smooth**2 * psi / t + 32 * smooth**3 * psi / t**1.5
            assert y == pytest.approx(typed, rel=1e-5)
            assert t >= 400 * smooth**2
    for t, y in curves[(2, "bound")].items():
        if math.isfinite(y):
            steps, square = delta_sgd_rates.LOCAL_STEPS, rho**2
            h = 1 / (steps * t**0.5) / (2 * smooth)
            ratio, most = 1.0, h
            for _ in range(steps - 1):
                ratio = math.sqrt(1 + ratio)
                most *= ratio
            kept = 0.5 - square - 2 * (1 + square) * smooth * most * steps
            errors = 2 * smooth * steps * most**2 + 2 / 3 * smooth**2 * psi * (most * steps) ** 3
            errors += 4 / 3 * smooth**3 * psi * (most * steps) ** 4
            assert y == pytest.approx((gap / t + errors) / (kept * h * steps), rel=1e-3)
    for panel in (1, 2, 3):
        bound, measured = curves[(panel, "bound")], curves[(panel, "measured")]
        drawn = [t for t in bound if math.isfinite(bound[t])]
        assert len(drawn) > 3
        assert all(measured[t] < bound[t] for t in drawn)
    false = curves[(4, "measured")]
    assert false[10_000] == pytest.approx(0.990, abs=5e-4)
    assert false[10_000] > curves[(4, "bound")][10_000]
    ends = {label: values[10_000] for (panel, label), values in curves.items() if panel == 5}
    assert [
        round(ends[f"mini-batches of line 9: {b}"], 2) for b in ("same", "reuse", "fresh", "pair")
    ] == pytest.approx([3.3, 1.9, 0.10, 0.048], rel=0.15)


def test_the_band_holds_the_mean() -> None:
    mean, low, high = delta_sgd_rates.mean_and_band(np.array([1.0, 2.0, 3.0, 4.0]))
    assert mean - low == pytest.approx(high - mean)
    assert high - mean == pytest.approx(5.841 * math.sqrt(5 / 3) / 2, rel=1e-3)


def test_the_clients_are_those_of_the_caption() -> None:
    case = delta_sgd_rates.own_steps(30, delta_sgd_rates.NEAR)
    found = {symbol.name: float(value) for symbol, value in case.constants.items() if not hasattr(value, "args")}
    assert found["strong_growth"] == pytest.approx(0.04)
    assert found["noise_std"] == 1
    assert found["initial_step_size"] == pytest.approx(1 / (5 * 30) / (2 * 1.2))


# Table 1 in spirit --------------------------------------------------------------------------------------------------------

SMALL = Study("digits/softmax", ("1", "1/10"), 4, 16, 2, 2, 2)


def test_the_winners_of_a_small_study() -> None:
    found = who_wins(SMALL, jobs=1)
    picture = delta_sgd.picture_of(found, 2, 2)
    (panel,) = picture.panels
    assert isinstance(panel, TablePanel)
    accuracy, ours = 100 * final(untuned_method(), SMALL), panel.rows.index(OURS)
    assert panel.values[ours] == pytest.approx(accuracy.mean(axis=1))
    assert panel.spreads[ours] == pytest.approx(accuracy.std(axis=1))
    assert (panel.highlights == (panel.values == panel.values.max(axis=0))).all()
    rows = [row for row in table(picture) if row[1] == OURS]
    assert [row[2] for row in rows] == [r"digits/softmax, $\alpha=1$", r"digits/softmax, $\alpha=0.1$"]
    assert [float(row[3]) for row in rows] == pytest.approx(accuracy.mean(axis=1), rel=1e-5)
    assert [row[6] == "marked" for row in rows] == list(panel.highlights[ours])
    assert len(draw(picture).axes) == 1


def test_who_is_behind_by_how_much() -> None:
    """Ten optimisers in three settings; wrongly tuned ones are no rivals, and a smaller accuracy is no win."""
    labels = ("SGD", "SGD (↓)", "SGDM", "SGDM (↓)", "Adam", "Adagrad", "SPS", *delta_sgd.OTHERS, OURS)
    mean = np.full((10, 3), 0.5)
    mean[labels.index("SGD x 10")] = 0.99
    mean[labels.index("Adam")] = (0.6, 0.9, 0.7)
    mean[labels.index(OURS)] = (0.7, 0.897, 0.3)
    settings = tuple(("digits/mlp", alpha) for alpha in (1.0, 0.1, 0.01))
    found = Winners(labels, settings, mean, np.zeros((10, 3)), {"Adam": 0.01})
    title = " ".join(delta_sgd.picture_of(found, 5, 200).title.split())
    assert "alone at the top of eight in 1 of 3 settings, level with others in 0, and at most 0.5 points" in title
    assert "behind the best in 2; at worst it is 40.0" in title
    mean[labels.index(OURS)] = 0.2
    assert "alone at the top of eight in 0 of 3 settings" in delta_sgd.picture_of(found, 5, 200).title


def test_the_winners_as_drawn() -> None:
    with (FOLDER / "delta_sgd_who_wins.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    settings = {row[2] for row in rows}
    assert (len(rows), len(settings)) == (150, 15)
    for setting in settings:
        accuracy = {row[1]: float(row[3]) for row in rows if row[2] == setting}
        marked = {row[1] for row in rows if row[2] == setting and row[6] == "marked"}
        assert marked == {label for label, value in accuracy.items() if value == max(accuracy.values())}
    wrong = [float(row[3]) for row in rows if row[1].startswith("SGD x 10") and row[2].startswith("digits/mlp")]
    assert len(wrong) == 3
    assert max(wrong) < 15  # ten classes: it guesses
