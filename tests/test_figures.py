"""The figures of the papers: drawn numbers against independent ones, files beside each other, the command."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from figures import osmd as online
from figures import sfl as drawn
from figures.__main__ import FOLDER, available, main
from fltheory.instance import Case
from fltheory.papers.osmd import experiments
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances import table_2
from fltheory.picture import MapPanel, Panel


def test_every_figure_has_its_picture_and_its_numbers() -> None:
    names = {key.replace("/", "_") for key in available()}
    assert {p.stem for p in FOLDER.glob("*.svg")} == names
    assert {p.stem for p in FOLDER.glob("*.csv")} == names
    for path in FOLDER.glob("*.svg"):
        text = path.read_text()
        assert "dc:date" not in text
        assert text.startswith("<?xml")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sfl/reference_rates"], tmp_path) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["sfl_reference_rates.csv", "sfl_reference_rates.svg"]
    assert _rows(tmp_path / "sfl_reference_rates.csv") == _rows(FOLDER / "sfl_reference_rates.csv")
    first = (tmp_path / "sfl_reference_rates.svg").read_bytes()
    main(["sfl/reference_rates"], tmp_path)
    assert (tmp_path / "sfl_reference_rates.svg").read_bytes() == first
    assert main(["sfl/task"], tmp_path) == 2
    assert "did you mean sfl/tasks" in capsys.readouterr().err


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
        mean, _ = drawn.mean_gaps(algorithm, case)
        assert len(mean) == 13
        expected = _brute_mean(task, 3, Fraction(1, 100), parallel)
        assert mean[3] == pytest.approx(float(expected), rel=1e-9)
        assert mean[0] == pytest.approx(float(_brute_mean(task, 0, Fraction(1, 100), parallel)))


def test_who_wins_the_tasks() -> None:
    """As in the paper at small steps; at larger ones PFL wins the kinked tasks as well."""
    small = drawn.tasks(Fraction(1, 100), 150, 1e-7)
    assert small.title.endswith("but 1, 6")
    assert drawn.tasks(Fraction(1, 10), 40, 1e-4).title.endswith("but 1, 4, 5, 6, 9, 10")
    levels = {  # long-run means of an independent run of the same tasks (PFL, SFL)
        2: (2.5e-4, 1.6e-5), 3: (1.1e-3, 1.7e-5), 4: (4.1e-5, 3.2e-5), 5: (1.2e-4, 5.6e-5),
    }  # fmt: skip
    for task, (parallel, sequential) in levels.items():
        panel = small.panels[task - 1]
        assert isinstance(panel, Panel)
        assert np.mean(panel.curves[0].y[-50:]) == pytest.approx(sequential, rel=0.06)
        assert np.mean(panel.curves[1].y[-50:]) == pytest.approx(parallel, rel=0.06)


def test_the_band_holds_the_seeds() -> None:
    panel, _ = drawn.task_panel(2, Fraction(1, 100), 20, 1e-7)
    sequential = panel.curves[0]
    assert (sequential.low <= sequential.high).all()
    assert (sequential.low[5:] < sequential.high[5:]).all()


def test_tightness_finds_no_bound_below_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "DRAWS", 25)
    picture = drawn.tightness()
    for panel in picture.panels:
        assert isinstance(panel, Panel)
        least = {c.label: min(c.x) for c in panel.curves}
        assert least["optimisation alone"] > 13
        assert least["noise alone"] > 100
        assert least["heterogeneity alone"] > 500


def test_the_map_of_winners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "SPREADS", np.array([1.0, 100.0]))
    monkeypatch.setattr(drawn, "ROUNDS", np.array([10, 10_000]))
    bounds, _, best = drawn.winners().panels
    assert isinstance(bounds, MapPanel)
    assert isinstance(best, MapPanel)
    # L = 1, D^2 = 2, sigma^2 = 1/50, zeta*^2 = 2 zeta^2, M = 2, K = 5: Corollary 4 and Theorem 7 typed again
    for j, rounds in enumerate((10, 10_000)):
        for k, spread in enumerate((1.0, 100.0)):
            noise, square = 0.02, 2 * spread**2
            shared = 18 * 2 / rounds + 12 * (noise * 2 / (10 * rounds)) ** 0.5
            ours = shared + 6 * (6 * 4 * (noise / 10 + square / 2)) ** (1 / 3) / rounds ** (2 / 3)
            theirs = shared + 6 * (4 * (6 * noise / 5 + 4 * square)) ** (1 / 3) / rounds ** (2 / 3)
            assert bounds.values[j][k] == pytest.approx(np.log10(theirs / ours), rel=1e-6)
    assert best.values[0][1] < 0 < best.values[1][1]  # PFL ahead in few rounds, SFL in many


def test_the_sandwich_is_in_order() -> None:
    rows = [
        dict(zip(_rows(FOLDER / "sfl_sandwich.csv")[0], r, strict=True)) for r in _rows(FOLDER / "sfl_sandwich.csv")[1:]
    ]
    at: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows:
        at.setdefault((row["panel"], row["x"]), {})[row["curve"]] = float(row["y"])
    checked = 0
    for values in at.values():
        error, lower = values["error on the lower bound's instance"], values["lower bound"]
        assert error < values["upper bound"]
        if np.isfinite(lower):
            assert lower < error
            checked += 1
    assert checked > 25


# The experiments of the second paper ----------------------------------------------------------------------------------


def _ends(name: str) -> dict[tuple[str, str], float]:
    """The last plotted value of every curve of a stored figure, by (panel without its number, curve)."""
    found = {}
    for panel, curve, _, y, *_ in _rows(FOLDER / f"osmd_{name}.csv")[1:]:
        found[(panel, curve)] = float(y)
    return found


def test_the_experiments_of_the_second_paper() -> None:
    """In the script's reading the regret of uniform is far larger where clients differ; in the text's nothing happens."""
    ends = _ends("against_uniform")

    def ratio(number: int, reading: str, sigma: int) -> float:
        panel = f"{number}: {reading}, $\\sigma={sigma}$"
        return ends[(panel, "uniform")] / ends[(panel, "Adaptive-OSMD")]

    assert all(0.99 < ratio(n, "text", s) < 1.06 for n, s in ((3, 1), (7, 3), (11, 10)))
    assert 1.2 < ratio(4, "script", 1) < 1.6
    assert ratio(8, "script", 3) > 5
    assert ratio(12, "script", 10) > 50


def test_lines_are_geometric_means_of_the_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = replace(experiments.SECTION_7, n_rounds=20, record_every=10)
    ours, theirs = (
        np.array([experiments.figure_1_regret(s, "script", n, 3, 4, plan) for s in experiments.SPREADS])
        for n in ("adaptive", "uniform")
    )
    original = experiments.compared
    monkeypatch.setattr(experiments, "compared", lambda s, r: original(s, r, experiments.SAMPLERS, 3, 4, plan))
    picture = online.against_uniform()
    panels = [p for p in picture.panels if isinstance(p, Panel)]
    assert [p.title for p in panels[:4]] == [r"text, $\sigma=1$", r"script, $\sigma=1$"] * 2
    wins = ", ".join(str(n) for n in (ours < theirs).sum(axis=1))
    assert f"and {wins} (script)" in picture.title.split("loss")[0]
    for row, values in enumerate(ours):
        curve = panels[4 * row + 3].curves[0]
        assert curve.label == "Adaptive-OSMD"
        mean = np.prod(values) ** (1 / 3)
        assert curve.y[-1] == pytest.approx(mean, rel=1e-9)
        assert curve.y[-1] < values.mean()
        assert curve.high[-1] / mean == pytest.approx(np.exp(np.log(values).std(ddof=1)), rel=1e-9)
        assert curve.low[-1] * curve.high[-1] == pytest.approx(mean**2, rel=1e-9)
