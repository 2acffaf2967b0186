"""Figures of "Decomposable Submodular Maximization in Federated Setting": its guarantees and the achieved values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.papers.fedcg import algorithms, bounds
from fltheory.papers.fedcg.guarantees.closed_forms.measures import Shortfall, dissimilarities
from fltheory.papers.fedcg.guarantees.figures.runs import (
    BAND,
    RUNS,
    band,
    bound_values,
    case_of_run,
    optimum,
    simulate,
    vacuous_zones,
)
from fltheory.papers.fedcg.instances.clients import coverage_clients, facility_clients, opposite_blocks
from fltheory.papers.fedcg.notation import D, ceilings, weighted
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number
from fltheory.runs.algorithm import Algorithm

Line = tuple[str, Bound, str]  # label, largest loss, style
SPREADS = ("1/10000", "1/1000", "1/300", "1/100", "1/30", "1/10", "1/3", "1")  # the heterogeneity h
FULL: tuple[Line, ...] = (
    ("Theorem 3.2 (3.5 below)", bounds.T32, "bound"),
    ("strengthened: its recursion's weights, mean heterogeneity", bounds.S1, "bound 2"),
)
PARTIAL: tuple[Line, ...] = (
    ("Theorem 3.2 (3.5 below)", bounds.T35, "bound"),
    ("by one martingale: Hoeffding", bounds.S4_HOEFFDING, "lower"),
    ("the same: Chebyshev", bounds.S4_CHEBYSHEV, "reference 3"),
)
SUMS = Shortfall((D, weighted, ceilings), random=True)
DRAWS: dict[str, Any] = {"n_sampled": 5, "failure_probability": "1/10"}


def _guarantees(
    title: str,
    axis: str,
    x: Sequence[float],
    cases: Sequence[Case],
    algorithm: Algorithm,
    lines: Sequence[Line],
    runs: int = RUNS,
    y_label: str = "",
) -> Panel:
    """Return a panel of guarantees, achieved value and optimum as shares of the optimum."""
    promised: list[list[np.ndarray]] = [[] for _ in lines]
    reached = []
    for case in track(cases):
        states, values = simulate(algorithm, case, runs)
        reached.append(values / optimum(case))
        free, read = SUMS.promised(case, values), SUMS.read(states, case)
        for kept, (_, bound, _) in zip(promised, lines, strict=True):
            kept.append(np.broadcast_to((free - bound_values(bound, case, read)) / optimum(case), values.shape))
    note = BAND if runs > 1 else "float64"
    curves = [
        Curve("optimum (exact)", x, [1.0] * len(x), "reference"),
        band("value reached", x, reached, "measured", note),
        *(band(label, x, kept, style, note) for (label, _, style), kept in zip(lines, promised, strict=True)),
        Curve("trivial bound: $F\\geq 0$", x, [0.0] * len(x), "trivial"),
    ]
    empty = [float(v.mean()) <= 0 for v in promised[0]]
    return Panel(title, axis, y_label, tuple(curves), vacuous_zones(x, empty), y_scale="linear", y_limits=(-0.3, 1.1))


@headline("FedCG reaches most of the optimum where its theorems are vacuous")
def guarantee() -> Picture:
    """Plot Theorems 3.2 and 3.5 over the rounds, the heterogeneity and the number of drawn clients."""
    rounds, drawn, mixes = (2, 4, 8, 16, 32, 64, 128, 256), (1, 2, 5, 10, 20, 40), [float(Fraction(h)) for h in SPREADS]
    alike, closer = facility_clients(20, 12, 3, "1/100"), facility_clients(20, 12, 3, "1/1000")
    spread = [facility_clients(20, 12, 3, h) for h in SPREADS]
    coarse = SPREADS[1:]  # memberships are the client's own with a multiple of 1/1000 as probability
    covers = [coverage_clients(60, 12, 3, h, seed=1) for h in coarse]
    full, some = algorithms.full, algorithms.partial
    share, over_rounds, over_h, over_drawn = (
        "share of the optimum",
        "rounds $T$",
        "heterogeneity $h$",
        "clients drawn $K$",
    )
    five = [case_of_run(closer, t, **DRAWS) for t in rounds], some, PARTIAL
    mixed = [case_of_run(i, 64, **DRAWS) for i in spread], some, PARTIAL
    counts = [case_of_run(closer, 64, **DRAWS | {"n_sampled": k}) for k in drawn], some, PARTIAL
    panels = (
        _guarantees(
            "facility location, all, $h=0.01$",
            over_rounds,
            rounds,
            [case_of_run(alike, t) for t in rounds],
            full,
            FULL,
            1,
            share,
        ),
        _guarantees(
            "facility location, all, $T=64$", over_h, mixes, [case_of_run(i, 64) for i in spread], full, FULL, 1
        ),
        _guarantees(
            "coverage, all clients, $T=64$", over_h, mixes[1:], [case_of_run(i, 64) for i in covers], full, FULL, 1
        ),
        _guarantees("$K=5$ drawn, $h=0.001$", over_rounds, rounds, *five, y_label=share),
        _guarantees("$K=5$ drawn, $T=64$", over_h, mixes, *mixed),
        _guarantees("$h=0.001$, $T=64$", over_drawn, drawn, *counts),
    )
    return Picture(
        f"At $h=1$ FedCG reaches {_last_value(panels[1]):.0%} of the optimum, with five clients drawn "
        f"{_last_value(panels[4]):.0%}; but the theorems are vacuous\n"
        f"from $h={_vacuous_from(panels[1])}$ on (facility location), $h={_vacuous_from(panels[2])}$ (coverage), "
        f"$h={_vacuous_from(panels[4])}$ (five drawn)",
        panels,
        columns=3,
        width=PAGE,
        row_height=2.1,
        legend_columns=2,
        caption="Uniform matroid of rank 3 on 12 items, $\\eta=1/T$. Facility location: 20 clients, scores $(1-h)c_j+hU_{ij}$; "
        "coverage: 60 clients, entries\ncopied from a common row but with probability $h$. Below: $\\delta=0.1$, "
        f"facility location, means of {RUNS} runs, bands from the least to the\nlargest; martingale bounds with "
        "$\\gamma_t\\leq(1-1/N)m_*$. Lines below -0.3 are not shown.",
    )


def _last_value(panel: Panel) -> float:
    """Return the mean achieved value at the last x."""
    return float(panel.curves[1].y[-1])


def _vacuous_from(panel: Panel) -> str:
    """Return the x from which the guarantee is vacuous."""
    low = max(z.low for z in panel.zones)
    return f"{min(v for v in panel.curves[0].x if v > low):.3g}"


# The sampling term ----------------------------------------------------------------------------------------------------

LENGTHS = (4, 8, 16, 32, 64, 128, 256)
MANY = 100


def _std_interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the standard deviation of runs with 95% confidence limits for normal values."""
    from scipy.stats import chi2

    free = len(values) - 1
    own = float(values.std(ddof=1))
    return own, own * float(np.sqrt(free / chi2.ppf(0.975, free))), own * float(np.sqrt(free / chi2.ppf(0.025, free)))


def _opposite_panel() -> Panel:
    """Return the same panel for two modular clients of opposite tastes, exactly."""
    blocks = opposite_blocks(3)
    ends = [blocks.extension(blocks.base(blocks.gradient(np.zeros((1, blocks.dim)), i), i))[0] for i in (0, 1)]
    exact = abs(ends[0] - ends[1]) / 2 / np.sqrt(np.array(LENGTHS))
    base = 3 * 0.25 / np.sqrt(np.array(LENGTHS))  # r gamma / sqrt(TK), with the same gamma in all rounds
    return Panel(
        "modular, two opposite clients, $r=3$, $K=1$",
        "rounds $T$",
        "",
        (
            Curve("Theorem 3.5, sampling term", LENGTHS, 6 * 3 * 0.25 * np.sqrt(np.array(LENGTHS) / 0.1), "bound"),
            Curve("martingale, Chebyshev", LENGTHS, base / np.sqrt(0.1), "bound 2"),
            Curve("martingale, Hoeffding", LENGTHS, base * np.sqrt(2 * np.log(10)), "lower"),
            Curve("standard deviation of $F(x_T)$", LENGTHS, exact, "measured", note="exact", letter="T"),
            Curve("optimum (exact)", LENGTHS, [optimum(case_of_run(blocks, 1))] * len(LENGTHS), "trivial"),
        ),
    )


@headline("FedCG: the sampling term of Theorem 3.5 grows with the rounds; the spread falls")
def sampling_term() -> Picture:
    """Plot the cost of drawing clients: the printed term, the martingale's, and the spread of F over runs."""
    instance = facility_clients(40, 10, 3, "1/5")
    cases = [case_of_run(instance, t, **DRAWS) for t in LENGTHS]
    found = [simulate(algorithms.partial, case, MANY) for case in track(cases)]
    tops = [dissimilarities(instance, s[:, :-1].reshape(-1, instance.dim))[0].reshape(MANY, -1) for s, _ in found]
    heights = [t.max(axis=0) for t in tops]  # the largest value of each round over the runs
    printed = [6 * 3 * t.sum(axis=1) / np.sqrt(n * 5 * 0.1) for t, n in zip(tops, LENGTHS, strict=True)]
    roots = [np.sqrt((h**2).sum()) / n for h, n in zip(heights, LENGTHS, strict=True)]
    ceiling = bound_values(bounds.S0, cases[0], {})
    assured = [3 * float(ceiling) * np.sqrt(2 * np.log(10) / (n * 5)) for n in LENGTHS]
    spreads = np.array([_std_interval(v) for _, v in found])
    left = Panel(
        "facility location, $N=40$, $r=3$, $K=5$, $h=0.2$",
        "rounds $T$",
        "cost of sampling (in units of $F$)",
        (
            band("Theorem 3.5, sampling term", LENGTHS, printed, "bound", f"mean of {MANY} runs, least to largest"),
            Curve("martingale, Chebyshev", LENGTHS, [3 * v / np.sqrt(5 * 0.1) for v in roots], "bound 2"),
            Curve("martingale, Hoeffding", LENGTHS, [3 * v * np.sqrt(2 * np.log(10) / 5) for v in roots], "lower"),
            Curve(r"martingale, Hoeffding, $\gamma_t\leq(1-1/N)m_*$ proved", LENGTHS, assured, "reference 3"),
            Curve(
                "standard deviation of $F(x_T)$",
                LENGTHS,
                spreads[:, 0],
                "measured",
                spreads[:, 1],
                spreads[:, 2],
                f"{MANY} runs, 95% limits of normal values",
                "T",
            ),
            Curve("optimum (exact)", LENGTHS, [optimum(cases[0])] * len(LENGTHS), "trivial"),
        ),
    )
    right = _opposite_panel()
    mean = float(np.mean(printed[-1]))
    real, opposite = right.curves[3].y[-1], right.curves[2].y[-1]
    return Picture(
        fill(
            f"From $T={LENGTHS[0]}$ to {LENGTHS[-1]} Theorem 3.5's sampling term grows {mean / np.mean(printed[0]):.1f} times, the "
            f"real spread falls {spreads[0, 0] / spreads[-1, 0]:.1f} times (left); a martingale bound with a proved ceiling "
            f"of $\\gamma_t$ is {number(mean / assured[-1])} times smaller than the theorem's at $T={LENGTHS[-1]}$ and "
            f"{number(assured[-1] / spreads[-1, 0])} times the real spread (right: {number(opposite / real)} times)",
            TITLE,
        ),
        (left, right),
        columns=2,
        width=PAGE,
        row_height=3.2,
        legend_columns=2,
        caption=fill(CAPTION),
    )


CAPTION = (
    "Federated continuous greedy (FedCG) of $N$ clients, $K$ of them drawn in a round, to choose $r$ items. "
    "$\\gamma_t$: the "
    "largest distance of a client's gradient from the mean one in round $t$, $m_*$: the largest gain from an item; the "
    f"bounds hold with probability $1-\\delta=0.9$, the step is $1/T$. Left: {MANY} runs, clients with scores "
    "that differ in "
    "a share $h$; two martingale bounds take the largest $\\gamma_t$ of all runs, which is no proved ceiling; the third "
    "takes one. Right: weights that differ by $g=1/4$ to both sides; the values of a run are sums of independent draws, "
    "their spread is exact."
)
PICTURES: dict[str, Callable[[], Picture]] = {"guarantee": guarantee, "sampling_term": sampling_term}
