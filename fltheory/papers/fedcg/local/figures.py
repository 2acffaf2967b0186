"""Figures of FedCG+ (local steps in their modes) and of the answers in the federated discrete greedy (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fltheory.model.case import Case
from fltheory.number import streams
from fltheory.papers.fedcg import algorithms, bounds, notation
from fltheory.papers.fedcg.algorithms.local_steps import Mode, drifts
from fltheory.papers.fedcg.guarantees.figures.runs import BAND, RUNS, band, case_of_run, optimum, simulate
from fltheory.papers.fedcg.instances.clients import facility_clients
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.constants import run_constants

MODES: tuple[tuple[Mode, Any, str], ...] = (
    ("literal", algorithms.literal, "second"),
    ("clip", algorithms.clipped, "third"),
    ("scaled", algorithms.scaled, "first"),
)
NAMES = {
    "literal": "literal: steps $1/\\tau$ beyond the cube",
    "clip": "clip: gradients at $\\min(x,1)$",
    "scaled": "scaled: steps $\\eta/\\tau$",
}
STEPS = (1, 2, 4, 8, 16)
PAIRED = f"mean of {RUNS} paired differences, band from the least to the largest"
WORK = 32  # local steps of a run at equal work, T = R tau
ROUNDS = 4  # rounds of a run at equal communication


def _local_case(instance: SubmodularClients, rounds: int, steps: int) -> Case:
    return case_of_run(instance, rounds, n_local_steps=steps, n_sampled=5, estimate_error=0, failure_probability="1/10")


def _drift(case: Case, states: np.ndarray, mode: Mode) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest drift and the largest Lipschitz constant of each run."""
    used = states[:, :-1].reshape(-1, states.shape[2])
    largest, squares = drifts(case.instance, used, run_constants(case, None), mode)
    return largest.reshape(len(states), -1).max(axis=1), np.sqrt(squares).reshape(len(states), -1).max(axis=1)


def local_steps() -> Picture:
    """Plot the achieved value and the drift over the local steps, for equal rounds and for equal total steps."""
    instance = facility_clients(15, 10, 3, "1/2", seed=4)
    rows: list[list[Curve]] = [[], [], [], []]
    ends: list[list[float]] = []
    for mode, algorithm, style in track(MODES):
        few = [_local_case(instance, ROUNDS, t) for t in STEPS]
        found = [simulate(algorithm, case) for case in few]
        gained = [(v - found[0][1]) / optimum(few[0]) for _, v in found]  # run by run, as the same clients are drawn
        rows[0].append(band(NAMES[mode], STEPS, gained, style, PAIRED))
        ends.append([float(found[i][1].mean()) / optimum(few[0]) for i in (0, -1)])
        spent = [simulate(algorithm, _local_case(instance, WORK // t, t))[1] / optimum(few[0]) for t in STEPS]
        rows[1].append(band(NAMES[mode], STEPS, spent, style))
        both = [_drift(case, states, mode) for case, (states, _) in zip(few, found, strict=True)]
        rows[2].append(band(NAMES[mode], STEPS, [b for b, _ in both], style))
        rows[3].append(band(NAMES[mode], STEPS, [q for _, q in both], style))
    central = simulate(algorithms.gradient_sharing, _local_case(instance, WORK, 1), 1)[1][0] / optimum(few[0])
    shared = Curve(
        "gradients of all shared, no local steps", STEPS, [central] * len(STEPS), "reference", note="float64"
    )
    cap = float(max(max(f.scores[0]) for f in instance.functions))
    rows[2].append(Curve("largest $m_{f_i}$: no more in the cube", STEPS, [cap] * len(STEPS), "trivial"))
    over, share = "local steps $\\tau$", "share of the optimum"
    panels = (
        Panel(f"equal communication, $R={ROUNDS}$", over, "gained over $\\tau=1$", tuple(rows[0]), y_scale="linear"),
        Panel(f"equal work, $R\\tau={WORK}$", over, share, (*rows[1], shared), y_scale="linear"),
        Panel(f"drift of gradients $B$, $R={ROUNDS}$", over, "in units of $F$", tuple(rows[2]), y_scale="linear"),
        Panel(f"local Lipschitz constant $L$, $R={ROUNDS}$", over, "in units of $F$", tuple(rows[3]), y_scale="linear"),
    )
    work = [f"{c.y[-1] - c.y[0]:+.3f}" for c in rows[1]]
    return Picture(
        f"Of {ends[0][0]:.3f} of the optimum {STEPS[-1]} local steps make {', '.join(f'{e:.3f}' for _, e in ends)} (literal, clip, "
        f"scaled) at equal communication;\nat equal work they change it by {', '.join(work)}",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.1,
        legend_columns=2,
        caption=fill(
            "Facility location, $N=15$, $n=10$, rank 3, $h=0.5$, $K=5$ drawn, exact gradients. "
            f"{BAND[0].upper()}{BAND[1:]}, above left of differences run by run. $B$, $L$: the largest over clients, local steps "
            "and rounds of a run; literal points leave the cube, where gradients may grow and turn negative."
        ),
    )


# Participants -------------------------------------------------------------------------------------------------------------

CLIENTS = tuple(int(v) for v in np.round(np.geomspace(30, 300_000, 9)))
SIZES = ((5, 2, 0.5), (20, 5, 0.25))  # items, rank, accuracy


def importances(scores: np.ndarray) -> np.ndarray:
    """Return max_e f_i({e}) / F({e}) of each client, F = sum_i f_i, from scores (clients, items)."""
    return (scores / scores.sum(axis=0)).max(axis=1)


def _count_answers(scores: np.ndarray, scale: float, coins: int) -> tuple[float, float, np.ndarray]:
    """Return expected answers with F the sum and F the mean of the clients, and counts of some rounds for the sum."""
    factors = importances(scores)
    chances, means = np.minimum(1, scale * factors), np.minimum(1, scale * len(scores) * factors)
    drawn = [np.sum(streams.uniform(9, r, 0, np.arange(len(scores)), 0) < chances) for r in range(coins)]
    return float(chances.sum()), float(means.sum()), np.array(drawn)


def _participants(items: int, rank: int, eps: float, y_label: str) -> Panel:
    values = {notation.n: items, notation.r: rank, notation.eps: eps}
    scale = float(bounds.KAPPA_UNIFORM.subs(values))
    found = []
    for n in track(CLIENTS):
        scores = streams.uniform(8, np.arange(n)[:, None], items, np.arange(items)[None], 0)
        found.append(_count_answers(scores, scale, 5))
    curves = (
        Curve("expected, $F$ the sum of $f_i$", CLIENTS, [f[0] for f in found], "first", note="float64"),
        band("mean of five simulated rounds", CLIENTS, [f[2] for f in found], "outside"),
        Curve(
            "expected, $F$ the mean of $f_i$, taken literally", CLIENTS, [f[1] for f in found], "second", note="float64"
        ),
        Curve("$\\kappa n$", CLIENTS, [scale * items] * len(CLIENTS), "bound"),
        Curve("all clients", CLIENTS, CLIENTS, "trivial"),
    )
    curves = (curves[0], replace(curves[1], note="five rounds, band from the least to the largest"), *curves[2:])
    return Panel(
        f"$n={items}$, $k={rank}$, $\\varepsilon={eps:g}$: $\\kappa={scale:.0f}$", "clients $N$", y_label, curves
    )


def participants() -> Picture:
    """Plot the number of answers in a round of Algorithm 3 with the scale for which Theorem 5.1 is proved here."""
    panels = tuple(
        _participants(items, rank, eps, "participants in a round" if i == 0 else "")
        for i, (items, rank, eps) in enumerate(SIZES)
    )
    flat = [p.curves[0].y[-1] for p in panels]
    return Picture(
        f"With $F$ the sum of the clients about {flat[0]:.0f} (left) and {flat[1]:.0f} (right) of 300000 answer in a round, "
        "below $\\kappa n$ and however\nmany there are; with $F$ their mean and $f_i$ unscaled, all do",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.6,
        legend_columns=3,
        caption="Facility location, uniform scores. Client $i$ answers with probability $\\min(1,\\kappa w_i)$, "
        "$w_i=\\mathrm{max}_e\\,f_i(\\{e\\})/F(\\{e\\})$, $\\kappa$ for $1-1/e-\\varepsilon$ under a cardinality $k$.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"local_steps": local_steps, "participants": participants}
