"""Figures of the constructed instances: the cost of sharing directions (I1, I2) and of discretisation (I3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number, to_float
from fltheory.papers.fedcg import algorithms, bounds
from fltheory.papers.fedcg.guarantees.figures.runs import bound_values, case_of_run, optimum
from fltheory.papers.fedcg.instances.clients import fresh_groups, private_facilities, private_items
from fltheory.papers.fedcg.points.closed_forms import FreshGroups, Horizon
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.sample_paths import enumerate_runs

CLIENTS = (2, 3, 5, 10, 20, 50, 100)
FEWER = (2, 5, 10, 20, 30)  # I2 has k N + 1 items
ROUNDS = (1, 2, 5, 10, 20, 50)
SHARED = 5  # k of I2
WAYS = (
    ("directions shared (FedCG)", algorithms.full, "second"),
    ("gradients shared", algorithms.gradient_sharing, "first"),
)


def final_value(algorithm: Algorithm, case: Case) -> float:
    """Return the extension of F at the end of a deterministic run, in rationals."""
    (states,), _ = enumerate_runs(algorithm, case, RATIONAL, 1)
    instance = case.instance
    assert isinstance(instance, SubmodularClients)
    return to_float(as_number(instance.extension(states[-1:])[0]))


def _sharing_curves(cases: Sequence[Case], x: Sequence[int], one: Sequence[float]) -> tuple[Curve, ...]:
    """Return both methods as shares of the optimum; ``one``: the closed form for sharing directions."""
    curves = [
        Curve(label, x, [final_value(algorithm, case) / optimum(case) for case in track(cases)], style, note="exact")
        for label, algorithm, style in WAYS
    ]
    return (*curves, Curve("directions shared, closed form", x, one, "outside", note="exact"))


def directions() -> Picture:
    """Plot I1 and I2, where each client prefers an item that is worthless to all others."""
    few = [case_of_run(private_items(n), 4) for n in CLIENTS]
    many = [case_of_run(private_facilities(n, SHARED), 4) for n in FEWER]
    items = [case_of_run(private_items(10), t) for t in ROUNDS]
    facilities = [case_of_run(private_facilities(10, SHARED), t) for t in ROUNDS]
    alone, joined = 1.01 / 10, 1.01 * (1 - 0.9**SHARED) / optimum(facilities[0])
    over_n, over_t, share = "clients $N$", "rounds $T$", "share of the optimum"
    panels = (
        Panel("rank 1, $T=4$", over_n, share, _sharing_curves(few, CLIENTS, [1.01 / n for n in CLIENTS])),
        Panel(
            "rank 5, $T=4$",
            over_n,
            "",
            _sharing_curves(
                many, FEWER, [1.01 * (1 - (1 - 1 / n) ** SHARED) / optimum(c) for n, c in zip(FEWER, many, strict=True)]
            ),
        ),
        Panel(
            "rank 1, $N=10$", over_t, share, _sharing_curves(items, ROUNDS, [alone] * len(ROUNDS)), y_limits=(0.05, 1.5)
        ),
        Panel(
            "rank 5, $N=10$",
            over_t,
            "",
            _sharing_curves(facilities, ROUNDS, [joined] * len(ROUNDS)),
            y_limits=(0.05, 1.5),
        ),
    )
    least = min(min(panel.curves[1].y) for panel in panels)
    return Picture(
        "Where every client's favourite is worth nothing to others, sharing directions reaches "
        f"{panels[0].curves[0].y[-1]:.1%} of the\noptimum with 100 clients; longer runs don't help, sharing gradients does: "
        f"{least:.1%} at least",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.0,
        legend_columns=3,
        caption="One item is worth 1 to everybody, one (left) or five (right, facility location) 1.01 to each client alone. "
        "All clients take part; exact runs.",
    )


# Discretisation -------------------------------------------------------------------------------------------------------

LENGTHS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHORT = (2, 5, 10)
RANKS = (2, 3, 5, 10)
STYLES = ("first", "second", "third", "reference 3")
BOUND_STYLES = {2: "bound", 10: "bound 2"}  # in the left panel


def _loss_bound(rank: int, rounds: int) -> float:
    """Return the gap of a run on I3 to (1 - (1 - 1/T)^T) OPT by closed form, for OPT = 1."""
    return to_float(as_number(Horizon(rounds).guarantee - 1 + FreshGroups(rank, rounds).left))


def _run_loss(rank: int, rounds: int) -> float:
    """Return the same gap for a run of continuous greedy."""
    return to_float(as_number(Horizon(rounds).guarantee)) - final_value(
        algorithms.gradient_sharing, case_of_run(fresh_groups(rank, rounds), rounds)
    )


def curvature() -> Picture:
    """Plot I3, where continuous greedy finds in each step items that are as good as the optimum's, but only once."""
    lost, ratios = [], []
    for rank, style in track(zip(RANKS, STYLES, strict=True)):
        needed = np.array([_loss_bound(rank, t) for t in LENGTHS])
        bound = float(bound_values(bounds.P6, case_of_run(fresh_groups(rank, 1), 1), {})) / np.array(LENGTHS)
        own = Curve(f"needed, $r={rank}$", LENGTHS, needed, style, note="exact")
        if rank in BOUND_STYLES:
            lost += [Curve(f"bound $r/(2T)$, $r={rank}$", LENGTHS, bound, BOUND_STYLES[rank]), own]
        limit = np.e * rank / (rank - 1)
        ratios += [
            replace(own, label=f"bound / needed, $r={rank}$", y=bound / needed, tag=f"$r={rank}$"),
            Curve(r"limit of bound / needed: $e\,r/(r-1)$", LENGTHS, [limit] * len(LENGTHS), "trivial"),
        ]
    ends = [_run_loss(r, t) for r in BOUND_STYLES for t in SHORT]
    runs = Curve("needed in a run", SHORT * 2, ends, "outside", note="exact")
    panels = (
        Panel("below $(1-(1-1/T)^T)\\,\\mathrm{OPT}$", "rounds $T$", "in units of the optimum", (*lost, runs)),
        Panel("bound / needed", "rounds $T$", "(dimensionless)", tuple(ratios), y_scale="linear", y_limits=(2.5, None)),
    )
    return Picture(
        f"The discretisation term of continuous greedy is needed up to a constant: {ratios[-2].y[-1]:.2f} times at rank 10, "
        f"{ratios[0].y[-1]:.2f} at rank 2",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.6,
        legend_columns=3,
        caption="A family with a fresh group of $r$ copies for every round; $\\eta=1/T$. Lines: closed form; circles: runs.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"directions": directions, "curvature": curvature}
