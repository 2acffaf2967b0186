"""Figures of Lemma 4, (5) and Theorem 5: V_t along runs of rule (4), the averaged gap and its bounds, violations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from fltheory.model.case import Case
from fltheory.number import as_number, evaluate_ball, to_float
from fltheory.papers.delta_sgd import bounds
from fltheory.papers.delta_sgd import notation as letters
from fltheory.papers.delta_sgd.convex.cases import COUPLED, case_of_run, disjoint, huber, null_direction
from fltheory.papers.delta_sgd.convex.closed_forms.measures import AverageGap, decrease, lyapunov_constant, right_terms
from fltheory.papers.delta_sgd.rule.closed_forms.runs import Reading, follow
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, Zone, number
from fltheory.problems.convex import ConvexClients, Quadratic
from fltheory.runs.method import VariantError
from fltheory.runs.step_rule import auto_tuned

NOTE = "exact"
PRECISIONS = (128, 512, 2048, 8192, 32768)  # working precision in bits; long runs need more
GOOD = 30  # bits of the plotted values
READINGS: tuple[tuple[str, Reading, str], ...] = (
    ("reading A: clients never meet", "A", "first"),
    ("reading B: shared iterate", "B", "second"),
    ("reading C: local iterate", "C", "third"),
    ("one common step", "step", "reference"),
)


def in_floats(compute: Callable[[], Sequence[Any]]) -> np.ndarray:
    """Return mixed numbers as floats, with as many bits as needed."""
    for bits in PRECISIONS:
        with ctx.workprec(bits), suppress(VariantError):  # raised when the balls become too wide
            values = list(compute())
            if all(isinstance(v, fmpq) or arb(v).rel_accuracy_bits() > GOOD or v == 0 for v in values):
                return np.array([to_float(as_number(v)) for v in values])
    raise ArithmeticError(f"not known to {GOOD} bits with {bits} bits of working precision")


# V_t --------------------------------------------------------------------------------------------------------------------

AMPLIFIERS = (("1", "1", "reference 3"), ("1.4", "7/5", "bound 2"), ("2", "2", "bound"))
RISES = "where it rises"


def lyapunov_values(case: Case, reading: Reading) -> np.ndarray:
    """Return V_1, ..., V_T."""

    def found() -> list[Any]:
        h = follow(auto_tuned, case, reading)
        return [sum(right_terms(h, t), fmpq(0)) for t in range(1, h.n_rounds + 1)]

    return in_floats(found)


def _lyapunov_panel(title: str, runs: Sequence[tuple[str, Case, Reading, str]], y_label: str) -> Panel:
    """Plot V_t over V_1, with marks at the rounds in which it rises."""
    curves = []
    for label, case, reading, style in runs:
        values = lyapunov_values(case, reading)
        t = np.arange(1, len(values) + 1)
        up = np.flatnonzero(np.diff(values) > 0) + 1
        curves.append(Curve(label, t, values / values[0], style, note=NOTE))
        if len(up):
            curves.append(Curve(RISES, t[up], values[up] / values[0], "outside", note=NOTE))
    return Panel(title, "round $t$", y_label, tuple(curves), x_scale="linear")


@headline("The Lyapunov function rises where clients take different steps")
def lyapunov() -> Picture:
    """Plot V_t of (5) in the readings of rule (4), and with a larger amplifier."""
    rounds = 9
    every: list[tuple[str, Case, Reading, str]] = [
        (rf"one client, $\gamma={name}$", case_of_run(huber("2003/20"), rounds, 100, 1, gamma), "B", style)
        for name, gamma, style in AMPLIFIERS
    ]
    cases = (
        (r"two disjoint clients ($\eta_0=3/2$)", case_of_run(disjoint(), rounds, "3/2")),
        (r"two leaning quadratics ($\eta_0=1$, $\theta_0=99$)", case_of_run(null_direction(100, "2/5"), rounds, 1, 99)),
        (r"three quadratics in the plane ($\eta_0=1/10$)", case_of_run(COUPLED, rounds, "1/10")),
    )
    ratio = "$V_t/V_1$ (dimensionless)"
    panels = tuple(
        _lyapunov_panel(
            title, [(label, case, reading, style) for label, reading, style in READINGS], ratio if i == 1 else ""
        )
        for i, (title, case) in enumerate(cases)
    )
    first = _lyapunov_panel("one client: Huber function", every, ratio)
    leaning = next(c for c in panels[1].curves if c.style == "second")
    most = float(np.max(np.asarray(leaning.y)[1:] / np.asarray(leaning.y)[:-1]))
    return Picture(
        f"$V_t$ of (5) rises in all three readings with several clients (up to {most:.0f} times in a round) and with one client "
        "for $\\gamma>1$;\nnever with one client and $\\gamma=1$, nor if all clients take one common step",
        (first, *panels),
        columns=2,
        width=PAGE,
        row_height=2.1,
        legend_columns=3,
        caption="Rule (4), followed exactly; all clients have a common minimiser. $\\gamma=\\delta=1$ and $\\theta_0=1$ unless "
        "stated otherwise;\nHuber function: $x_0=100.15$, $\\eta_0=100$.",
    )


# Theorem 5 --------------------------------------------------------------------------------------------------------------

LONG = 1000
N_RANDOM_CASES, SHORTER = 12, 100  # random problems and their rounds
SPREAD = (10, 90)  # percentiles
POINTS = np.unique(np.geomspace(1, LONG, 31).round().astype(int))


@dataclass(frozen=True)
class GapPath:
    """Theorem 5 after 1, ..., T rounds, for one client or a common step: both bounds, and the averaged gap."""

    by_sum: np.ndarray
    by_floor: np.ndarray
    averaged: np.ndarray
    last: np.ndarray

    @property
    def slack(self) -> np.ndarray:
        """Return the bound over the averaged gap."""
        return self.by_sum / self.averaged


def gap_path(case: Case, reading: Reading) -> GapPath:
    """Return the path of one run: the weights of earlier points do not change from round to round."""
    instance = case.instance
    assert isinstance(instance, ConvexClients)

    def found() -> list[Any]:
        h = follow(auto_tuned, case, reading)
        total = h.lr[1][0] * h.ratio[1][0]
        past, best = h.server[0] * 0, instance.value(h.instance.best)
        values = [lyapunov_constant(h), h.local_smoothness]
        for t in range(1, h.n_rounds + 1):
            lr, ratio = h.lr[t][0], h.ratio[t][0]
            total = total + lr
            average = (past + lr * (1 + ratio) * h.server[t]) / total
            values += [total, instance.value(average) - best, instance.value(h.server[t]) - best]
            if t < h.n_rounds:
                past = past + (lr * (1 + ratio) - h.lr[t + 1][0] * h.ratio[t + 1][0]) * h.server[t]
        return values

    constant, smoothness, *rest = in_floats(found)
    totals, averaged, last = np.array(rest).reshape(-1, 3).T
    first, theta = (to_float(case.constants[s]) for s in (letters.eta_0, letters.theta_0))
    floor = min(1 / (2 * smoothness), np.sqrt(1 + theta) * first)
    t = np.arange(1, len(totals) + 1)
    return GapPath(constant / (2 * totals), constant / (2 * (t * floor + floor**2 / first)), averaged, last)


def ill_conditioned_clients() -> ConvexClients:
    """Return one client with curvatures from 1/1000 to 1."""
    curvatures = tuple(fmpq(v, 1000) for v in (1, 3, 10, 30, 100, 300, 1000))
    hessian = [[as_number(c) if i == j else 0 for j in range(i + 1)] for i, c in enumerate(curvatures)]
    return ConvexClients((Quadratic(hessian, (0,) * len(curvatures)),), (1,) * len(curvatures))


def random_clients(seed: int, n: int = 4, dim: int = 3) -> ConvexClients:
    """Return quadratics with sums of three random squares and random centres."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(n):
        a = draw.integers(-3, 4, size=(dim, dim))
        hessian, scale = a.T @ a, int(draw.integers(1, 5))
        entries = [[fmpq(int(hessian[i, j]), scale) for j in range(i + 1)] for i in range(dim)]
        found.append(
            Quadratic([[as_number(v) for v in r] for r in entries], [int(v) for v in draw.integers(-2, 3, dim)])
        )
    return ConvexClients(tuple(found), (3,) * dim)


LINES = (
    ("bound by $t\\,h+h^2/\\eta_0$ (corrected)", "by_floor", "bound 2"),
    ("bound by the sum of steps $S_t$ (strengthened)", "by_sum", "bound"),
    ("averaged gap $f(\\tilde x_t)-f^*$", "averaged", "measured"),
    ("last iterate $f(x_t)-f^*$", "last", "reference"),
)


def _gap_panel(title: str, found: GapPath, y_label: str) -> Panel:
    at = POINTS[POINTS <= len(found.last)]
    curves = [
        Curve(
            label,
            at,
            getattr(found, name)[at - 1],
            style,
            note=NOTE,
            letter="t" if name in ("by_sum", "averaged") else "",
        )
        for label, name, style in LINES
    ]
    return Panel(title, "round $t$", y_label, tuple(curves), y_limits=(1e-9 * float(found.by_sum[0]), None))


@headline("Theorem 5 as corrected holds; its rate 1/t is loose")
def theorem5() -> Picture:
    """Plot both corrected bounds of Theorem 5 with the averaged gaps."""
    single = ill_conditioned_clients()
    alone = [gap_path(case_of_run(single, LONG, first), "B") for first in ("1/100", "1/5")]
    crowd = [gap_path(case_of_run(random_clients(seed), SHORTER, "1/50"), "step") for seed in range(N_RANDOM_CASES)]
    unit = "in units of $F$"
    panels = [
        _gap_panel(rf"one client, $\kappa=10^3$, $\eta_0={first}$", found, unit if i == 0 else "")
        for i, (first, found) in enumerate(zip(("0.01", "0.2"), alone, strict=True))
    ]
    panels.append(_gap_panel(r"common step: four random quadratics, $\eta_0=0.02$", crowd[0], unit))
    slack = [
        Curve(rf"slack, one client, $\eta_0={first}$", POINTS, found.slack[POINTS - 1], style, note=NOTE)
        for first, found, style in zip(("0.01", "0.2"), alone, ("first", "second"), strict=True)
    ]
    at = POINTS[POINTS <= SHORTER]
    every = np.array([found.slack[at - 1] for found in crowd])
    low, high = np.percentile(every, SPREAD, axis=0)
    middle = np.median(every, axis=0)
    slack.append(
        Curve(f"slack, common step: median of {N_RANDOM_CASES}, 10% to 90%", at, middle, "third", low, high, note=NOTE)
    )
    panels.append(Panel("slack: bound by $S_t$ over averaged gap", "round $t$", "(dimensionless)", tuple(slack)))
    ends = [found.slack[-1] for found in alone]
    gain = max(float((found.averaged / found.last).max()) for found in alone)
    return Picture(
        f"Theorem 5 as corrected holds; its rate $1/t$ is loose: {middle[at <= 10][-1]:.1f} times at $t=10$, "
        f"{middle[-1]:.0f} at $t={SHORTER}$ (common step),\n{min(ends):.0f} to {max(ends):.0f} at $t=1000$ for one client. "
        f"The last iterate is up to {number(gain)} times better than the average",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.2,
        legend_columns=2,
        caption="Rule (4) with $\\theta_0=1$, followed exactly. The random quadratics have no common minimiser. Above a panel: "
        "slope of the bound by $S_t$ and of the\naveraged gap over the last third of the axis.",
    )


# Where (31) and Theorem 5 fail ----------------------------------------------------------------------------------------------

RATIOS = (1, 2, 3, 5, 7, 10, 15, 24, 50, 99, 300, 10**3, 10**4, 10**6)
FAMILY = ((4, "3/8"), (100, "2/5"), (10**4, "12/25"), (10**6, "49/100"), (10**6, "0.49888"))  # steepness and lean


def largest_decrease(reading: Reading, ratio: int) -> float:
    """Return the largest left over right of (31) in the family of two quadratics, one with a flat direction."""

    def found() -> list[Any]:
        return [decrease(reading).follow(auto_tuned, case_of_run(null_direction(*at), 3, 1, ratio))[0] for at in FAMILY]

    return float(in_floats(found).max())


def printed_bound_ratio(reading: Reading, ratio: int) -> float:
    """Return the largest averaged gap over the printed bound of Theorem 5 in the family, after one or two rounds."""

    def found() -> list[Any]:
        values = []
        for at in FAMILY:
            for rounds in (1, 2):
                case = case_of_run(null_direction(*at), rounds, 1, ratio)
                gap, read = AverageGap(reading).follow(auto_tuned, case)
                letters = {**case.constants, **{s: as_number(v) for s, v in read.items()}}
                values.append(gap / evaluate_ball(bounds.T5_PRINTED.expr, letters))
        return values

    return float(in_floats(found).max())


def _first_crossing(x: Sequence[float], y: np.ndarray) -> float:
    """Return where the curve first crosses 1, on logarithmic axes."""
    i = int(np.flatnonzero(y > 1)[0])
    if i == 0:
        return float(x[0])
    share = -np.log(y[i - 1]) / np.log(y[i] / y[i - 1])
    return float(x[i - 1] * (x[i] / x[i - 1]) ** share)


@headline("Lemma 4 and Theorem 5 fail where clients take different steps")
def readings() -> Picture:
    """Plot the largest ratios in the family with a flat direction."""
    found = []
    for title, ratio_of, which in (
        ("Lemma 4: left over right of (31)", largest_decrease, READINGS),
        ("Theorem 5 as printed: gap over bound", printed_bound_ratio, READINGS[:3]),
    ):
        curves = [
            Curve(label, RATIOS, np.array([ratio_of(reading, v) for v in RATIOS]), style, note=NOTE)
            for label, reading, style in which
        ]
        curves.append(Curve("the statement: at most 1", [RATIOS[0], RATIOS[-1]], [1, 1], "bound"))
        above = [_first_crossing(RATIOS, c.y) for c in curves[:3] if np.asarray(c.y).max() > 1]
        zones = (Zone(min(above), RATIOS[-1], "vacuous", "violated in some reading"),)
        found.append(
            Panel(title, r"initial ratio $\theta_0$", "(dimensionless)" if not found else "", tuple(curves), zones)
        )
    lemma, theorem = ([float(np.max(c.y)) for c in panel.curves] for panel in found)
    return Picture(
        f"In reading B the violations grow with $\\theta_0$: {number(lemma[1])} times the right side of (31), "
        f"{number(theorem[1])} times the printed Theorem 5.\n"
        f"Reading C exceeds (31) {number(lemma[2])} times at any $\\theta_0$; with one common step (31) holds",
        tuple(found),
        columns=2,
        width=PAGE,
        row_height=2.6,
        legend_columns=3,
        caption=f"The largest of {len(FAMILY)} pairs of quadratics with a common minimiser, the first flat in a direction; "
        "$\\eta_0=\\gamma=\\delta=1$, up to three rounds, followed exactly.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"lyapunov": lyapunov, "theorem5": theorem5, "readings": readings}
