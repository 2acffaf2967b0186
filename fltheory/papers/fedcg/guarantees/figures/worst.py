"""Figure of worst cases: the least value of greedy and continuous greedy over all monotone submodular functions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from fltheory.number import to_float
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.worst_case.set_functions import why_not_worst, worst_ratio

CARDINALITIES = (1, 2, 3, 4)
STEPS = (1, 2, 3, 4)
FEWER = (1, 2, 3)  # with six items


def greedy(picks: int) -> Callable[[Any], Any]:
    """Return greedy: take the item of greatest gain ``picks`` times."""

    def play(game: Any) -> Any:
        chosen: frozenset[int] = frozenset()
        for _ in range(picks):
            gains = {e: game.value(chosen | {e}) - game.value(chosen) for e in sorted(game.items - chosen)}
            chosen |= {game.argmax(gains)}
        return game.value(chosen)

    return play


def continuous_greedy(rank: int, steps: int) -> Callable[[Any], Any]:
    """Return continuous greedy with steps of 1/T along best bases of a uniform matroid, and the final extension."""

    def play(game: Any) -> Any:
        bases = [frozenset(b) for b in combinations(sorted(game.items), rank)]
        x = dict.fromkeys(game.items, Fraction(0))
        for _ in range(steps):
            for e in game.best_base(game.gradient(x), bases):
                x[e] += Fraction(1, steps)
        return game.extension(x)

    return play


def exact_worst_ratio(algorithm: Callable[[Any], Any], n_items: int, rank: int) -> Fraction:
    """Return the worst ratio, with both limits proved by exact multipliers and an exact function."""
    worst = worst_ratio(algorithm, n_items, range(rank), symmetric=True)
    wrong = why_not_worst(worst, algorithm)
    if wrong is not None:
        raise ArithmeticError(wrong)
    return worst.ratio


def _greedy_panel(sets: list) -> Panel:
    """Return the panel of greedy over the cardinality."""
    k = np.array(CARDINALITIES)
    return Panel(
        "greedy",
        "cardinality $k$",
        "worst share of the optimum",
        (
            Curve(
                "worst case over all functions of $2k$ items", k, [to_float(v) for v in sets], "measured", note="exact"
            ),
            Curve("$1-(1-1/k)^k$, $1-(1-1/T)^T$", k, 1 - (1 - 1 / k) ** k, "lower", note="exact"),
            Curve("$1-1/e$", k, [1 - np.exp(-1)] * len(k), "trivial"),
        ),
        x_scale="linear",
        y_scale="linear",
        y_limits=(0, 1.05),
    )


def _steps_panel(points: list, wider: list) -> Panel:
    """Return the panel of continuous greedy over its steps."""
    t = np.array(STEPS)
    return Panel(
        "continuous greedy of rank 2",
        "steps $T$",
        "",
        (
            Curve(
                "worst case over all functions of 4 items", t, [to_float(v) for v in points], "measured", note="exact"
            ),
            Curve(
                "worst case over all functions of 6 items",
                FEWER,
                [to_float(v) for v in wider],
                "reference 3",
                note="exact",
            ),
            Curve("$1-(1-1/k)^k$, $1-(1-1/T)^T$", t, 1 - (1 - 1 / t) ** t, "lower", note="exact"),
            Curve("$1-1/e$", t, [1 - np.exp(-1)] * len(t), "trivial"),
            Curve(
                "less the discretisation term $r^2 m_F/(2T)$, $m_F=\\mathrm{OPT}$",
                t,
                1 - (1 - 1 / t) ** t - 2 / t,
                "bound",
            ),
        ),
        x_scale="linear",
        y_scale="linear",
        y_limits=(None, 1.05),
    )


@headline("Exact worst cases of greedy and continuous greedy")
def worst_cases() -> Picture:
    """Plot exact worst ratios of greedy over the cardinality, and of continuous greedy of rank 2 over its steps."""
    sets = [exact_worst_ratio(greedy(k), 2 * k, k) for k in track(CARDINALITIES)]
    points = [exact_worst_ratio(continuous_greedy(2, t), 4, 2) for t in STEPS]
    wider = [exact_worst_ratio(continuous_greedy(2, t), 6, 2) for t in track(FEWER)]
    words = ", ".join(str(v) for v in sets)
    return Picture(
        f"Greedy's worst cases are {words} at $k=1,..,4$, just $1-(1-1/k)^k$; continuous greedy\nstays below its guarantee "
        f"without a discretisation term: {', '.join(str(v) for v in points)} at $T=1,..,4$ with 4 items",
        (_greedy_panel(sets), _steps_panel(points, wider)),
        columns=2,
        width=PAGE,
        row_height=2.7,
        legend_columns=2,
        caption="Linear programs over all values of a monotone submodular function, ties broken against the algorithm;\n"
        "dual certificates and functions checked exactly. "
        f"With 6 items it is {wider[-1]} at $T=3$: more items can be worse.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"worst_cases": worst_cases}
