"""Figures of Table 2: SFL and PFL on the ten tasks, at small and at large steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from flint import ctx

from fltheory.evidence.exact import round_blocks
from fltheory.model.case import Case
from fltheory.number import BALL, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.instances.quadratics import table_2
from fltheory.papers.sfl.notation import R
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number
from fltheory.problems.separable import QuadraticClients, SeparableClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.distributions import moments
from fltheory.runs.distributions.affine import AffineFailure
from fltheory.runs.distributions.sample_paths import enumerate_runs

SEEDS, MANY = 10, 4000
ENUMERATED = 8  # rounds of the kinked tasks up to which the 2^R orders are enumerated
LOCAL_STEPS = 10
TASKS = (r"$\delta=0$", r"$\delta=1/2$", r"$\delta=1$", r"kink, $H=1/2$", r"kink, $H=1$")


def mean_gaps(algorithm: Algorithm, case: Case) -> tuple[np.ndarray, str]:
    """Return E[F(x^(r)) - F*] for r = 0..R, and how it was computed."""
    instance = case.instance
    assert isinstance(instance, SeparableClients)
    rounds = int(case.constants[R])
    with ctx.workprec(256):
        laws = round_blocks(algorithm, case, BALL)
        if not isinstance(laws, AffineFailure):
            assert isinstance(instance, QuadraticClients)
            (block,) = laws
            start = moments.outer_column([BALL.scalar(instance.start[0])], BALL)
            curvature, best = BALL.scalar(instance.hessian(0, 0)), [BALL.scalar(instance.minimiser[0])]
            states = moments.trajectory(block.law, start, rounds)
            gaps = [moments.quadratic_mean(s, lambda i, j: curvature, best, BALL) / 2 for s in states]
            return np.array([to_float(g) for g in gaps]), "exact"
    many = rollout(algorithm, case, MANY if algorithm is algorithms.sequential else 1)
    mean = instance.gap(many.reshape(-1, 1)).reshape(many.shape[:2]).mean(axis=0)
    if algorithm is algorithms.parallel:  # without noise every run is the same
        return mean, "exact"
    states, weights = enumerate_runs(algorithm, case.with_settings(n_rounds=ENUMERATED), BALL)
    for r in range(ENUMERATED + 1):
        last = instance.gap(states[:, r])
        mean[r] = to_float(sum(g * w for g, w in zip(last, weights, strict=True)))
    return mean, f"exact up to round {ENUMERATED}, then mean of {MANY} seeds"


def task_panel(task: int, parallel_step: Fraction, rounds: int, floor: float) -> tuple[Panel, bool]:
    """Return the panel of one task, and whether SFL has the smaller error over the last third of the rounds."""
    axis = np.arange(rounds + 1)
    curves, ends = [], []
    for algorithm, step, style in (
        (algorithms.sequential, parallel_step / 2, "first"),
        (algorithms.parallel, parallel_step, "second"),
    ):
        instance = table_2(task)
        case = Case(instance, n_rounds=rounds, n_local_steps=LOCAL_STEPS, step_size=step)
        runs = rollout(algorithm, case, SEEDS)
        gaps = instance.gap(runs.reshape(-1, 1)).reshape(runs.shape[:2])
        mean, evidence = mean_gaps(algorithm, case)
        ends.append(mean[-rounds // 3 :].mean())
        range_ = f"mean, and the range of {SEEDS} seeds" if style == "first" else "every run is the same, without noise"
        label = f"{algorithm.name}: {range_}"
        curves.append(Curve(label, axis, mean, style, gaps.min(axis=0), gaps.max(axis=0), evidence))
    size = 1 if task <= 5 else 10
    wins = bool(ends[0] < ends[1])
    panel = Panel(
        f"{task}: {TASKS[(task - 1) % 5]}",
        "round $r$",
        rf"$F(x^{{(r)}})-F^*$, $\zeta_*={size}$",
        tuple(curves),
        x_scale="linear",
        y_limits=(floor * size**2, 3e2),
    )
    return panel, wins


def _beyond(panels: Sequence[Panel]) -> str:
    """Return where a mean ends that leaves its panel at the bottom, in words; "" if none does."""
    ends = []
    for i, panel in enumerate(panels, 1):
        for curve in panel.curves:
            if float(curve.y[-1]) < (panel.y_limits[0] or 0):
                ends.append(f"{curve.label.partition(':')[0]} in task {i}, at {number(float(curve.y[-1]))}")
    return f"Below the picture ends {', '.join(ends)}. " if ends else ""


def tasks(parallel_step: Fraction, rounds: int, floor: float) -> Picture:
    """Plot the ten tasks at one pair of step sizes."""
    found = [task_panel(task, parallel_step, rounds, floor) for task in track(range(1, 11))]
    losses = [str(i) for i, (_, wins) in enumerate(found, 1) if not wins]
    but = f" but {', '.join(losses)}" if losses else ""
    step, half = to_float(parallel_step), to_float(parallel_step / 2)
    panels = [p if i % 5 == 0 else replace(p, y_label="") for i, (p, _) in enumerate(found)]
    return Picture(
        rf"$\eta_{{\mathrm{{PFL}}}}={step:g}$: SFL ends below PFL in every task of Table 2{but}",
        tuple(panels),
        columns=5,
        width=PAGE,
        row_height=1.65,
        legend_columns=2,
        caption=fill(
            "Sequential (SFL) and parallel (PFL) federated learning of two clients on a line, whose curvatures are $1\\pm\\delta$; "
            "kink: both have the curvature 1 right of 0 and $1+H$ left of it; $\\zeta_*$: the size of their gradients at the "
            f"minimiser 0. {_beyond(panels)}"
            rf"$M=2$, $K={LOCAL_STEPS}$ local steps, no noise, start $x^{{(0)}}=10$; $\eta_{{\mathrm{{SFL}}}}={half:g}$, "
            rf"$\eta_{{\mathrm{{PFL}}}}={step:g}$ (equal effective steps). Kinked tasks 4, 5, 9, 10: SFL's mean is exact up "
            f"to round {ENUMERATED}, then that of {MANY} seeds; all other means are exact. Errors in units of $F$."
        ),
    )


@headline("Small steps: sequential FL ends below parallel FL in eight of the ten tasks")
def small_steps() -> Picture:
    """Plot the tasks at the paper's step sizes."""
    return tasks(Fraction(1, 100), 150, 1e-7)


@headline("Ten times larger steps: sequential FL ends below parallel in four of ten tasks")
def large_steps() -> Picture:
    """Plot the tasks at larger steps."""
    return tasks(Fraction(1, 10), 40, 1e-4)


PICTURES: dict[str, Callable[[], Picture]] = {"tasks": small_steps, "tasks_large_steps": large_steps}
