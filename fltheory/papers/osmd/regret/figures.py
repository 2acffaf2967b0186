"""Figures of the regret bounds of "Adaptive Client Sampling in Federated Learning": slack, vacuity, and the trap of Theorem 8."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sympy import Expr, Symbol

from fltheory.claims.claim import Claim
from fltheory.games.dynamic_regret import DynamicRegret
from fltheory.games.player import Sampler
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import exact, to_ball, to_float
from fltheory.papers.osmd import bounds
from fltheory.papers.osmd.algorithms import osmd
from fltheory.papers.osmd.algorithms.switching import adaptive
from fltheory.papers.osmd.experts.cases import ftl_trap
from fltheory.papers.osmd.experts.claims import CORRECTED, PRINTED
from fltheory.papers.osmd.instances.games import FeedbackTable
from fltheory.papers.osmd.instances.random_feedback import KINDS, RandomFeedback
from fltheory.papers.osmd.notation import eta
from fltheory.papers.osmd.regret.closed_forms import first_useful_round
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, MapPanel, Panel, Picture, number

REGRET = DynamicRegret()
RUNS = 20
AT_THE_RATE = ((eta, bounds.ETA),)  # (20)
STYLES = ("first", "second", "third", "reference 2", "reference 3")


def _rounds(low: float, high: float, n: int) -> list[int]:
    return [int(t) for t in np.geomspace(low, high, n).round()]


def _with_tuning(case: Case, tuning: tuple[tuple[Symbol, Expr], ...]) -> Case:
    return Claim("osmd/figure", "", (bounds.C7,), tuning=tuning).prepared(case)


def _regrets(sampler: Sampler, case: Case, tuning: tuple[tuple[Symbol, Expr], ...]) -> np.ndarray:
    """Return regrets of some runs at the tuned rate."""
    return np.asarray(REGRET.simulate(sampler, _with_tuning(case, tuning), 0, np.arange(RUNS)))


def _bound_value(bound: Bound, case: Case) -> float:
    return to_float(bound.ball(case.constants))


def _band(label: str, x: list[int], values: np.ndarray, style: str, scale: float | np.ndarray = 1.0) -> Curve:
    """Return a curve with mean and standard error of runs, (points, runs)."""
    mean, error = values.mean(axis=1), values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    ends = np.sort(np.array([mean - 2 * error, mean + 2 * error]) / scale, axis=0)
    note = f"mean of {RUNS} runs, band of two standard errors"
    return Curve(label, x, mean / scale, style, ends[0], ends[1], note)


# Slack ----------------------------------------------------------------------------------------------------------------


def _heavy_panel(alpha: str) -> tuple[Panel, np.ndarray]:
    rounds = _rounds(100, 1e6, 9)
    cases = [Case(FeedbackTable(((1, 0),), 1, alpha, "fixed", t)) for t in rounds]
    values = np.array([_regrets(osmd, case, AT_THE_RATE) for case in track(cases)])
    lines = [
        Curve(label, rounds, [_bound_value(bound, c) for c in cases], style)
        for label, bound, style in (
            ("bound as printed", bounds.C7, "bound"),
            ("bound, strengthened", bounds.C7_SHARP, "bound 2"),
        )
    ]
    trivial = Curve(
        "trivial bound: $TM^2A/(K\\alpha)$", rounds, [to_float(to_ball(REGRET.trivial(c))) for c in cases], "trivial"
    )
    slack = np.asarray(lines[0].y) / values.mean(axis=1)
    title = rf"Corollary 7, one heavy client, $\alpha={to_float(exact(alpha)):g}$"
    return Panel(
        title, "rounds $T$", "regret (in units of $A$)", (_band("regret", rounds, values, "measured"), *lines, trivial)
    ), slack


def _kinds_panel(m: int, alpha: str, y_label: str) -> tuple[Panel, float, float]:
    rounds = _rounds(100, 3000, 6)
    curves: list[Curve] = []
    for kind, style in track(zip(KINDS, STYLES, strict=True)):
        cases = [Case(RandomFeedback(kind, m, t, 1, 5, alpha, "floored")) for t in rounds]
        values = np.array([_regrets(adaptive("given"), case, CORRECTED) for case in cases])
        limits = np.array([_bound_value(bounds.T8_CORRECTED, c) for c in cases])
        mean = values.mean(axis=1)
        slack = np.where(mean > 0, limits / np.where(mean > 0, mean, 1), np.nan)
        curves.append(Curve(kind, rounds, slack, style, note=f"mean of {RUNS} runs"))
    found = np.concatenate([c.y for c in curves])
    title = rf"Theorem 8, $M={m}$, $\alpha={to_float(exact(alpha)):g}$"
    return Panel(title, "rounds $T$", y_label, tuple(curves)), np.nanmin(found), np.nanmax(found)


@headline("The regret bounds of client sampling are far above the regret")
def slack() -> Picture:
    """Plot regret against Corollary 7 on its tightest instance, and Theorem 8 over regret on natural sequences."""
    left, heavy = _heavy_panel("1/10")
    first, last = (number(t) for t in (left.curves[0].x[0], left.curves[0].x[-1]))
    few, low, high = _kinds_panel(2, "2/5", "bound / regret (dimensionless)")
    many, low_many, high_many = _kinds_panel(10, "2/5", "")
    return Picture(
        f"Corollary 7 is {number(heavy[0])} times the regret on one heavy client at $T=$ {first} and {number(heavy[-1])} "
        f"times at {last};\nTheorem 8 is {number(min(low, low_many))} to {number(max(high, high_many))} times the regret on "
        "natural sequences",
        (left, few, many),
        columns=3,
        width=PAGE,
        row_height=2.5,
        legend_columns=3,
        caption=r"Left: $M=2$, $K=1$, $a^t=(1,0)$, best fixed comparator, OSMD at (20). Middle, right: $K=5$, Adaptive-OSMD "
        r"with the corrected $\gamma$"
        "\nagainst the best of every round on the floored simplex. "
        f"Means of {RUNS} runs; mean regrets that are not positive are not shown.",
    )


# Vacuity --------------------------------------------------------------------------------------------------------------

FLOORS = np.round(np.geomspace(0.05, 1, 10), 3)
CLIENTS = np.unique(np.geomspace(2, 1000, 10).round().astype(int))
ROUNDS = 1000  # of the paper's experiments


@headline("At the paper's setting all regret bounds of client sampling are vacuous")
def vacuity() -> Picture:
    """Plot the T from which each bound is at most the trivial T M^2 A / (K alpha), by clients and floor; beta = 0."""
    panels = []
    shown = (
        ("Corollary 7, as printed", bounds.C7),
        ("Corollary 7, strengthened", bounds.C7_SHARP),
        ("Theorem 8, corrected", bounds.T8_CORRECTED),
        ("Theorem 10, corrected", bounds.T10_CORRECTED),
    )
    at: dict[str, int] = {}
    for i, (title, bound) in enumerate(track(shown)):
        values = np.full((len(CLIENTS), len(FLOORS)), np.nan)
        for j, m in enumerate(CLIENTS):
            for k, alpha in enumerate(FLOORS):
                found = first_useful_round(bound, int(m), f"{alpha:g}")
                assert found is not None
                values[j, k] = np.log10(found / ROUNDS)
        at[title] = first_useful_round(bound, 100, "2/5") or 0
        panels.append(
            MapPanel(
                title,
                r"floor $\alpha$",
                "" if i % 2 else "clients $M$",
                FLOORS,
                CLIENTS,
                values,
                r"$\log_{10}$ rounds needed / 1000",
                "vacuous at $T=1000$",
                "useful",
                (0.4, 100, "the paper's setting"),
            )
        )
    useful = [f"{100 * float((np.asarray(p.values) <= 0).mean()):.0f}%" for p in panels]
    return Picture(
        "At $M=100$, $\\alpha=0.4$ the bounds are non-trivial only from $T=$ "
        + ", ".join(number(v) for v in at.values())
        + f" rounds on;\nat $T=1000$ they are non-trivial on {', '.join(useful)} of the maps",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.6,
        caption=fill(
            "Colours: the rounds $T$ from which on a bound is below $TM^2A/(K\\alpha)$, which no sampler exceeds, over the 1000 "
            "rounds of the paper's experiments, which the line marks; the two sides of it have scales of their own. Star: the "
            "paper's setting, $M=100$ clients and a floor of $\\alpha/M$ on their chances with $\\alpha=0.4$; numbers in the "
            "order of the maps. $A$: the largest feedback, $K$: clients drawn in a round; the comparator does not "
            "change ($\\beta=0$)."
        ),
    )


# The trap -------------------------------------------------------------------------------------------------------------


@headline("Theorem 8 with the printed learning rate: the regret is linear")
def trap() -> Picture:
    """Plot Theorem 8 against the patient adversary: regret per round with the printed and the corrected meta rate."""
    rounds = _rounds(1e3, 1e5, 9)
    cases = [Case(ftl_trap(t)) for t in rounds]
    scale = np.array([t * 1e24 / 1e4 for t in rounds])
    sampler, curves, ends = adaptive("given"), [], []
    for label, tuning, bound, style, line in (
        ("printed", PRINTED, bounds.T8, "second", "bound"),
        ("corrected", CORRECTED, bounds.T8_CORRECTED, "first", "bound 2"),
    ):
        values = np.array([_regrets(sampler, case, tuning) for case in track(cases)])
        limits = np.array([_bound_value(bound, c) for c in cases]) / scale
        curves.append(_band(rf"regret, {label} $\gamma$", rounds, values, style, scale))
        curves.append(Curve(f"Theorem 8, {label}", rounds, limits, line))
        ends.append((float(values[-1].mean() / scale[-1]), limits))
    limits = ends[0][1]
    panel = Panel(
        r"Two clients, an adversary that leaves the favoured one",
        "rounds $T$",
        "per round (in units of $A/K$)",
        tuple(curves),
        y_scale="linear",
        y_limits=(-0.15, None),
    )
    return Picture(
        rf"Printed $\gamma$: linear regret, {ends[0][0] / limits[-1]:.1f} times Theorem 8 at $T=10^5$",
        (panel,),
        width=5.0,
        row_height=3.2,
        legend_columns=2,
        caption=r"$M=2$, $\alpha=0.7$, $K=10^4$, $A=10^{24}$, threshold 0.55, uniform comparator;"
        f"\nmeans of {RUNS} runs, bands of two standard errors.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"slack": slack, "vacuity": vacuity, "trap": trap}
