"""Lyapunov functions of ``examples/performance/linear_rates``: their bounds hold, are tight, and are rates of convergence."""

import runpy
from fractions import Fraction
from pathlib import Path

import pytest

from fltheory.performance import why_not_proved

RATES = Path(__file__).resolve().parents[2] / "examples" / "performance" / "linear_rates"
NAMES = sorted(path.stem for path in RATES.glob("*.py"))
# Limits of |x - x*|^2 where V is 1; of triple momentum, of |z - x*|^2 at the point that V measures.
DISTANCES = {
    "heavy_ball": ("x", 5.6),
    "nesterov_constant": ("x", 62.6),
    "triple_momentum": ("z", 3.6),
    "chambolle_pock": ("x", 1.34),
    "chambolle_pock_lyapunov": ("x", 1.3),
    "extragradient": ("x", 0.9),
    "tseng": ("x", 1.001),
    "malitsky_tam": ("x", 1.61),
}


@pytest.fixture(autouse=True)
def solver():
    pytest.importorskip("clarabel")


def run(name):
    return runpy.run_path(str(RATES / f"{name}.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_rate_holds_and_is_within_two_millionths(name):
    found = run(name)["worst"]
    assert found.status == "holds"
    assert why_not_proved(found) is None
    assert found.upper > Fraction(str(found.bound)) - Fraction(2, 10**6)


@pytest.mark.parametrize("name", DISTANCES)
def test_a_lyapunov_function_bounds_a_squared_distance(name):
    known, (point, limit) = run(name), DISTANCES[name]
    assert known["p"].worst((known[point] - known["best"]) ** 2, bound=str(limit)).status == "holds"


@pytest.mark.parametrize(
    ("name", "stated", "other"),
    [
        ("gradient", "3 / 2 *", "7 / 5 *"),
        ("heavy_ball", "before) / 4", "before) / 3"),
        ("heavy_ball", "191 / 464", "180 / 464"),
        ("nesterov_constant", "9 / 16", "10 / 16"),
        ("triple_momentum", "** 2 / 8", "** 2 / 6"),
        ("proximal_point", "x, 2", "x, 3 / 2"),
        ("douglas_rachford", "4/9", "4/10"),
        ("davis_yin", "16/25", "639/1000"),
        ("chambolle_pock", '"2/3"', '"16/25"'),
        ("chambolle_pock_lyapunov", "43 / 37", "40 / 37"),
    ],
)
def test_another_step_or_function_violates_the_rate(name, stated, other, tmp_path):
    text = (RATES / f"{name}.py").read_text(encoding="utf-8")
    assert stated in text
    changed = tmp_path / f"{name}.py"
    changed.write_text(text.replace(stated, other), encoding="utf-8")
    assert runpy.run_path(str(changed))["worst"].status == "violated"
