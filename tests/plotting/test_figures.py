"""The figures of the papers: drawn numbers against independent ones, files beside each other, the command."""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from figures import papers
from figures.__main__ import FOLDER
from figures.drawing import all_figures
from fltheory.claims.index import builtin_lines
from fltheory.model.case import Case
from fltheory.papers.fedcg import algorithms as greedy_algorithms
from fltheory.papers.fedcg.discrete.closed_forms.importance import answer_chances, factors
from fltheory.papers.fedcg.experiments import figures as fedcg_movies
from fltheory.papers.fedcg.guarantees.figures import guarantee as sets
from fltheory.papers.fedcg.guarantees.figures import runs as fedcg_runs
from fltheory.papers.fedcg.guarantees.figures import worst as fedcg_worst
from fltheory.papers.fedcg.instances.clients import private_items
from fltheory.papers.fedcg.local import figures as fedcg_local
from fltheory.papers.osmd.experiments import figures as online
from fltheory.papers.osmd.experiments import paired_runs as pairs
from fltheory.papers.osmd.experiments import studies as experiments
from fltheory.papers.osmd.experiments.training import History
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.comparison.figures import bias
from fltheory.papers.sfl.instances.quadratics import table_2
from fltheory.papers.sfl.notation import R
from fltheory.papers.sfl.tasks import figures as tasks
from fltheory.papers.sfl.upper import figures as upper
from fltheory.plotting.picture import DotPanel, Panel, table
from fltheory.plotting.sweep import sweep_cases
from fltheory.problems.decomposable import SubmodularClients
from fltheory.problems.sets.matroids import Uniform
from fltheory.problems.sets.set_functions import FacilityLocation
from fltheory.verification import find
from tests.plotting.drawn import Row, last, rows


def test_every_figure_has_its_picture_and_its_numbers() -> None:
    names = {key.replace("/", "_") for key in all_figures()}
    assert {p.stem for p in FOLDER.glob("*.svg")} == names
    assert {p.stem for p in FOLDER.glob("*.csv")} == names
    for path in FOLDER.glob("*.svg"):
        text = path.read_text()
        assert "dc:date" not in text
        assert text.startswith("<?xml")


def _rows(path: Path) -> list[list[str]]:
    with path.open() as file:
        return list(csv.reader(file))


def _brute_mean(task: int, rounds: int, step: Fraction, parallel: bool) -> Fraction:
    """E F(x_R) - F* over all orders, in rationals, from the task's definition only (F = c(x) x^2, K = 10)."""
    curvature = {1: ((1, 1), (1, 1)), 2: (("3/2", "3/2"), ("1/2", "1/2")), 4: (("3/2", "1"), ("3/2", "1"))}[task]
    left = [Fraction(c[0]) for c in curvature]
    right = [Fraction(c[1]) for c in curvature]

    def local(x: Fraction, m: int) -> Fraction:
        for _ in range(10):
            x -= step * ((left[m] if x < 0 else right[m]) * x + (1, -1)[m])
        return x

    ends = []
    for orders in itertools.product([(0, 1), (1, 0)], repeat=rounds):
        x = Fraction(10)
        for order in orders:
            x = (local(x, 0) + local(x, 1)) / 2 if parallel else local(local(x, order[0]), order[1])
        ends.append((sum(left) if x < 0 else sum(right)) / 4 * x * x)
    return sum(ends, Fraction(0)) / len(ends)


@pytest.mark.parametrize("task", [1, 2, 4])
def test_the_means_of_the_tasks(task: int) -> None:
    for algorithm, parallel in ((algorithms.sequential, False), (algorithms.parallel, True)):
        case = Case(table_2(task), n_rounds=12, n_local_steps=10, step_size="1/100")
        mean, _ = tasks.mean_gaps(algorithm, case)
        assert len(mean) == 13
        expected = _brute_mean(task, 3, Fraction(1, 100), parallel)
        assert mean[3] == pytest.approx(float(expected), rel=1e-9)
        assert mean[0] == pytest.approx(float(_brute_mean(task, 0, Fraction(1, 100), parallel)))


def test_who_wins_the_tasks() -> None:
    """As in the paper at small steps; at larger ones PFL wins the kinked tasks as well."""
    small = tasks.tasks(Fraction(1, 100), 150, 1e-7)
    assert small.title.endswith("but 1, 6")
    assert tasks.tasks(Fraction(1, 10), 40, 1e-4).title.endswith("but 1, 4, 5, 6, 9, 10")
    levels = {  # long-run means of an independent run of the same tasks (PFL, SFL)
        2: (2.5e-4, 1.6e-5),
        3: (1.1e-3, 1.7e-5),
        4: (4.1e-5, 3.2e-5),
        5: (1.2e-4, 5.6e-5),
    }
    for task, (parallel, sequential) in levels.items():
        panel = small.panels[task - 1]
        assert isinstance(panel, Panel)
        assert np.mean(panel.curves[0].y[-50:]) == pytest.approx(sequential, rel=0.06)
        assert np.mean(panel.curves[1].y[-50:]) == pytest.approx(parallel, rel=0.06)


def test_the_band_holds_the_seeds() -> None:
    panel, _ = tasks.task_panel(2, Fraction(1, 100), 20, 1e-7)
    sequential = panel.curves[0]
    assert (sequential.low <= sequential.high).all()
    assert (sequential.low[5:] < sequential.high[5:]).all()


def test_tightness_finds_no_bound_below_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upper, "DRAWS", 25)
    picture = upper.tightness()
    for panel in picture.panels:
        assert isinstance(panel, Panel)
        least = {c.label: min(c.x) for c in panel.curves}
        assert least["optimisation alone"] > 13
        assert least["noise alone"] > 100
        assert least["heterogeneity alone"] > 500


def _locally(x: float, m: int, step: float, steps: int) -> float:
    """Local steps on x^2/2 + x (client 0) or x^2/4 - x (client 1)."""
    for _ in range(steps):
        x -= step * (x + 1 if m == 0 else x / 2 - 1)
    return x


def test_where_the_means_end() -> None:
    """Against a long run of the mean: SFL over both orders, PFL."""
    for step, steps in ((Fraction(1, 50), 3), (Fraction(1, 10), 5)):
        x, y, of = 3.0, 3.0, (float(step), steps)
        for _ in range(3000):
            x = sum(_locally(_locally(x, a, *of), 1 - a, *of) for a in (0, 1)) / 2
            y = sum(_locally(y, a, *of) for a in (0, 1)) / 2
        assert float(bias.sequential(step, steps)) == pytest.approx(x, rel=1e-9)
        assert float(bias.parallel(step, steps)) == pytest.approx(y, rel=1e-9)
    assert bias.parallel(Fraction(1, 10), 1) == 0
    drawn_ = last(rows("sfl_bias"))
    small = {curve: row.y for (title, curve), row in drawn_.items() if title.endswith("10^{-5}$")}
    assert small["SFL"] == pytest.approx(1 / 6, rel=1e-2)
    assert max(v for c, v in small.items() if c.startswith("PFL")) == pytest.approx(49 / 6, rel=1e-2)


# The experiments of the second paper ----------------------------------------------------------------------------------


def test_a_ratio_is_smaller_only_where_its_whole_interval_is() -> None:
    assert pairs.verdict(0.5, 0.9) == "smaller"
    assert pairs.verdict(1.1, 1.5) == "larger"
    assert pairs.verdict(0.5, 1.5) == pairs.verdict(1.0, 1.5) == "undecided"
    assert pairs.tally([(0.7, 0.5, 0.9), (1.2, 1.1, 1.5), (1.0, 0.5, 1.5), (0.6, 0.5, 0.9)]) == "2/1/1"
    assert pairs.span([(0.7, 0.5, 0.9), (1.2, 1.1, 1.5)]) == "0.7 to 1.2"


def test_the_forest_of_the_second_paper() -> None:
    """In the script's reading the regret of uniform is far larger where clients differ; in the text's nothing happens."""
    assert all(0.94 < r.y < 1.01 for r in rows("osmd_samplers") if _is_first(r, "text"))
    script = [r.y for r in rows("osmd_samplers") if _is_first(r, "script")]
    assert 0.6 < script[0] < 0.85
    assert script[1] < 0.2
    assert script[2] < 0.02
    assert all(r.low <= r.y <= r.high for r in rows("osmd_samplers"))


def test_dots_are_geometric_means_of_paired_ratios() -> None:
    plan = replace(experiments.SECTION_7, n_rounds=20, record_every=10)

    def few(spread: float, reading: str) -> tuple[History, int, int]:
        found = experiments.compare_samplers(spread, reading, experiments.SAMPLERS, 3, 4, plan)
        return found, experiments.SAMPLERS.index("adaptive"), experiments.SAMPLERS.index("uniform")

    mean, low, high = online.final_ratio(few, 3.0, "regret", "script")
    mine, other = (experiments.figure_1_regret(3.0, "script", n, 3, 4, plan) for n in ("adaptive", "uniform"))
    expected = np.prod(mine / other) ** (1 / 3)
    assert mean == pytest.approx(expected, rel=1e-9)
    width = 4.302652729911275 * np.log(mine / other).std(ddof=1) / 3**0.5  # Student, two degrees of freedom, 97.5%
    assert high == pytest.approx(expected * np.exp(width), rel=1e-6)
    assert low == pytest.approx(expected / np.exp(width), rel=1e-6)


def test_the_forest_has_a_row_for_each_setting() -> None:
    panel = next(p for p in online.forest_picture([_row("a", 0.5), _row("b", 2.0)]).panels if isinstance(p, DotPanel))
    assert panel.rows == ("a", "b")
    assert [dots.label for dots in panel.dots] == [online.LABELS[r] for r in ("text", "script")]
    assert [list(dots.values) for dots in panel.dots] == [[0.5, 2.0]] * 2
    drawn_ = table(online.forest_picture([_row("a", 0.5)]))
    assert ("1: regret at the end", online.LABELS["text"], "a", "0.5", "0.4", "0.6", "comparison") in drawn_


def _row(name: str, value: float) -> online.Row:
    kinds = itertools.product(("regret", "loss"), ("text", "script"))
    return online.Row(name, "comparison", dict.fromkeys(kinds, (value, 0.8 * value, 1.2 * value)))


def _is_first(row: Row, reading: str) -> bool:
    return (
        row.title.startswith("regret")
        and row.curve == online.LABELS[reading]
        and row.note.startswith("over uniform (Fig. 1)")
    )


def test_the_tuned_step_as_drawn() -> None:
    """The error passes the printed rate from 10^12 rounds on, with a ratio that grows like R^(1/3), and never the corrected one."""
    panels = {n: _tuned_curves(n) for n in (1, 2)}
    rate, error = panels[1]["rate"], panels[1]["error"]
    assert {x for x in rate if error[x] > rate[x]} == {float(f"1e{k}") for k in range(12, 25)}
    assert error[1e15] / rate[1e15] == pytest.approx(27.5, rel=2e-3)  # of the essay's example
    assert _slope(error, 1e16) == pytest.approx(-1 / 3, abs=2e-3)
    assert _slope(rate, 1e16) == pytest.approx(-2 / 3, abs=1e-4)
    assert panels[2]["rate"] == pytest.approx(rate, rel=1e-4)
    kept, own = panels[2]["error"], panels[2]["own"]
    assert _slope(kept, 1e16) == pytest.approx(-2 / 3, abs=2e-3)
    assert _slope(own, 1e16) == pytest.approx(-2 / 3, abs=1e-4)
    assert all(kept[x] < own[x] < rate[x] for x in own)


def _tuned_curves(panel: int) -> dict[str, dict[float, float]]:
    names = {"rate": upper.READ_AS, "error": upper.ERROR, "own": upper.OWN}
    found = [r for r in rows("sfl_tuned_step") if r.panel == panel]
    return {name: {float(r.x): r.y for r in found if r.curve == curve} for name, curve in names.items()}


def _slope(values: dict[float, float], start: float) -> float:
    end = max(values)
    return math.log(values[end] / values[start]) / math.log(end / start)


def test_the_clients_of_the_tuned_step_differ_in_their_curvature_only() -> None:
    """On one instance for all rounds the printed step would keep the rate."""
    for tuning in upper.TUNINGS:
        cases = [upper.tuned_case(tuning, rounds).instance for rounds in (1, 10**12, 10**24)]
        assert [case.slopes for case in cases] == [cases[0].slopes] * 3
        assert {max(max(of) for of in case.curvatures) for case in cases} == {upper.SMOOTHNESS}
        assert cases[0].curvatures[1][0] == upper.SMOOTHNESS > cases[2].curvatures[1][0] > 0
    same = upper.tuned_case(upper.TUNINGS[0], 1).instance
    fixed = [(10**k, Case(same, n_rounds=10**k, n_local_steps=1)) for k in (18, 24)]
    ratios = sweep_cases(find("sfl/C4-GC@printed"), R, fixed).ratio()
    assert ratios[1] == pytest.approx(ratios[0], rel=1e-2)


def test_printed_statements_as_drawn() -> None:
    """Each dot is a printed claim with its recorded verdict and ratio; the largest are named."""
    found = rows("papers_printed")
    assert {r.curve for r in found} == {"holds", "violated"}
    assert len({r.note for r in found}) == len(found) > 300
    for row in found[::29]:
        claim = find(row.note)
        assert claim.reading == "printed"
        assert claim.entry.recorded == row.curve
        assert row.x.startswith(papers.TITLES[row.note.split("/")[0]])
    assert next(r.y for r in found if r.note == "sfl/C4-GC@printed") == 30
    (panel,) = papers.printed().panels
    assert isinstance(panel, DotPanel)
    words = {w for dots in panel.dots for w in dots.words if w}
    assert {"Corollary 4", "Theorem 8 (60)"} <= words
    for key, label in zip(papers.KEYS, panel.rows, strict=True):
        every = Counter(line.recorded for line in builtin_lines(key) if line.reading == "printed")
        drawn = Counter(r.curve for r in found if r.note.startswith(f"{key}/"))
        assert f"{every['holds']} hold ({drawn['holds']} drawn)" in label
        assert f"{every['violated']} violated ({drawn['violated']} drawn)" in label
    assert len(words) <= 5 * papers.NAMED


# The federated continuous greedy -----------------------------------------------------------------------------------------


def _curves(name: str, key: str = "fedcg") -> dict[tuple[int, str], dict[float, float]]:
    """The plotted values of a stored figure: of (number of the panel, curve), x to y."""
    found: dict[tuple[int, str], dict[float, float]] = {}
    for panel, curve, x, y, *_ in _rows(FOLDER / f"{key}_{name}.csv")[1:]:
        found.setdefault((int(panel.split(":")[0]), curve), {})[float(x)] = float(y)
    return found


def test_guarantees_typed_again() -> None:
    """I1 with N = 4: gamma = 1.01 * 3/4, OPT = m_F = r = 1; four fifths of the clients' wishes are vain."""
    case = fedcg_runs.case_of_run(private_items(4), 5, n_sampled=2, failure_probability="1/10")
    free, gamma = 1 - 0.8**5, 1.01 * 0.75
    full = sets._guarantees("", "", [5], [case], greedy_algorithms.full, sets.FULL, 1)
    known = {c.label: c.y[0] for c in full.curves}
    assert known["value reached"] == pytest.approx(1.01 / 4)
    assert known[sets.FULL[0][0]] == pytest.approx(free - gamma - 1 / 10)
    assert known[sets.FULL[1][0]] == pytest.approx(free - gamma * free - free / 10)
    assert len(full.zones) == 1
    some = sets._guarantees("", "", [5], [case], greedy_algorithms.partial, sets.PARTIAL, 3)
    known = {c.label: c.y[0] for c in some.curves}
    assert known[sets.PARTIAL[0][0]] == pytest.approx(free - gamma - 6 * gamma / (2 * 0.1 / 5) ** 0.5 - 1 / 10)
    drawing = gamma * (2 * np.log(10) / (2 * 5)) ** 0.5
    assert known[sets.PARTIAL[1][0]] == pytest.approx(free - gamma * free - free / 10 - drawing)


def test_no_guarantee_is_above_what_is_reached() -> None:
    curves, compared = _curves("guarantee"), 0
    for (panel, label), values in curves.items():
        reached = curves[(panel, "value reached")]
        if label in {line[0] for line in (*sets.FULL, *sets.PARTIAL)}:
            assert all(y <= reached[x] for x, y in values.items())
            compared += sum(y > 0 for y in values.values())
    assert compared > 60


def test_where_a_guarantee_is_vacuous() -> None:
    zones = fedcg_runs.vacuous_zones([1, 4, 16, 64], [True, False, True, True])
    assert [(z.low, z.high) for z in zones] == [pytest.approx((1 / 1.08, 2)), pytest.approx((8, 64 * 1.08))]
    assert fedcg_runs.vacuous_zones([1, 4], [False, False]) == ()


def test_the_sampling_terms_and_the_exact_spread() -> None:
    curves = _curves("sampling_term")
    for panel in (1, 2):
        printed, martingale = (curves[(panel, f"{n}")] for n in ("Theorem 3.5, sampling term", "martingale, Hoeffding"))
        assert printed[256] / printed[4] == pytest.approx(8, rel=0.02)
        assert martingale[256] / martingale[4] == pytest.approx(1 / 8, rel=0.1)  # left: the largest gamma of all runs
    for rounds, spread in curves[(2, "standard deviation of $F(x_T)$")].items():  # r g (1 - d/(2g)) / sqrt(T)
        assert spread == pytest.approx(3 * 0.25 * (1 - 0.01 / 0.5) / rounds**0.5, rel=1e-5)
        assert spread < curves[(2, "martingale, Hoeffding")][rounds]


def test_constructed_instances_as_drawn() -> None:
    curves = _curves("directions")
    for panel in (1, 2):
        runs, closed = curves[(panel, "directions shared (FedCG)")], curves[(panel, "directions shared, closed form")]
        assert runs == pytest.approx(closed, rel=1e-5)
        assert min(curves[(panel, "gradients shared")].values()) > 0.99
    granted, lost = (curves[(3, name)] for name in ("loss granted by Theorem 3.2", "loss of the run (where positive)"))
    for step, y in lost.items():  # one item of weight 1, seven rounds: the run ends at 7 steps
        assert y == pytest.approx(1 - (1 - step) ** 7 - 7 * step, rel=1e-4)
        assert granted[step] == pytest.approx(7 * step**2 / 2, rel=1e-4)
    assert {step for step in lost if lost[step] > granted[step]} == {2.75, 3}
    ratios = _curves("curvature")
    for rank in (2, 3, 5, 10):
        assert ratios[(2, f"bound / needed, $r={rank}$")][1000] == pytest.approx(np.e * rank / (rank - 1), rel=2e-3)
    for rank in (2, 10):
        assert ratios[(1, f"needed, $r={rank}$")][100] == pytest.approx({2: 0.00185328, 10: 0.01656201}[rank], rel=1e-5)


def test_worst_cases_as_drawn() -> None:
    curves, name = _curves("worst_cases"), "worst case over all functions of"
    assert curves[(1, f"{name} $2k$ items")] == pytest.approx({1: 1, 2: 3 / 4, 3: 19 / 27, 4: 175 / 256}, rel=1e-5)
    assert curves[(2, f"{name} 4 items")] == pytest.approx({1: 1 / 2, 2: 4 / 7, 3: 5 / 8, 4: 7 / 11}, rel=1e-5)
    assert curves[(2, f"{name} 6 items")] == pytest.approx({1: 1 / 2, 2: 4 / 7, 3: 263 / 432}, rel=1e-5)
    assert fedcg_worst.exact_worst_ratio(fedcg_worst.greedy(2), 4, 2) == Fraction(3, 4)
    assert fedcg_worst.exact_worst_ratio(fedcg_worst.continuous_greedy(2, 2), 4, 2) == Fraction(4, 7)


def test_participants_as_drawn() -> None:
    rows = ((1, "1/2", 0), ("1/4", "1/2", "3/4"), (0, "1/10", 1), ("1/5", 0, 0))
    clients = SubmodularClients(tuple(FacilityLocation((row,)) for row in rows), Uniform(3, 2))
    scores = np.array([[float(Fraction(v)) for v in row] for row in rows])
    assert fedcg_local.importances(scores) == pytest.approx([float(w) for w in factors(clients)])
    summed, mean, drawn_ = fedcg_local._count_answers(scores, 0.9, 400)
    assert summed == pytest.approx(float(sum(answer_chances(clients, Fraction(9, 10)))))
    assert mean == pytest.approx(float(sum(answer_chances(clients, Fraction(9, 10), weighted=False))))
    assert summed < mean
    assert drawn_.mean() == pytest.approx(summed, abs=0.2)
    curves = _curves("participants")
    for panel in (1, 2):
        assert max(curves[(panel, "expected, $F$ the sum of $f_i$")].values()) < curves[(panel, r"$\kappa n$")][30]
        assert curves[(panel, "expected, $F$ the mean of $f_i$, taken literally")] == curves[(panel, "all clients")]


def test_items_kept_as_drawn() -> None:
    ratings = fedcg_movies.Ratings(1.0, 0.5)
    assert set(np.unique(ratings.scores)) == {0, 1, 2, 3, 4, 5}
    rated = (ratings.scores > 0).mean(axis=0)
    assert rated[:10].mean() > 5 * rated[50:].mean()
    value, items = ratings.optimum(2)
    pairs = itertools.combinations(range(12), 2)
    assert ratings.value(items) == pytest.approx(value, rel=1e-5)
    assert value >= max(ratings.value(np.array(pair)) for pair in pairs)
    sizes = {len(s) for s in fedcg_movies.round_point(fedcg_movies.fedcg(ratings, 4), 4)}
    assert sizes == {4}
    curves = _curves("movies")
    for panel in (1, 2):
        best, greedy = curves[(panel, "optimum (HiGHS)")], curves[(panel, "greedy")]
        for name in fedcg_movies.STYLES:
            assert all(y <= best[x] * (1 + 1e-5) for x, y in curves[(panel, name)].items())
        assert all(greedy[x] >= (1 - np.exp(-1)) * best[x] for x in best)
        assert curves[(panel, "random")][10] < curves[(panel, "FedCG")][10]
