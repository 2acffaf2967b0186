"""Figures of the constructed instances: the cost of sharing directions (I1, I2) and of discretisation (I3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.model.case import Case
from fltheory.number import RATIONAL, as_number, to_float
from fltheory.papers.fedcg import algorithms, bounds
from fltheory.papers.fedcg.guarantees.figures.runs import bound_values, case_of_run, optimum
from fltheory.papers.fedcg.instances.clients import fresh_groups, private_facilities, private_items
from fltheory.papers.fedcg.notation import T, eta
from fltheory.papers.fedcg.points.closed_forms import FreshGroups, Horizon
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, Zone, number
from fltheory.plotting.sweep import sweep
from fltheory.problems.decomposable import SubmodularClients
from fltheory.runs.algorithm import Algorithm
from fltheory.runs.distributions.sample_paths import enumerate_runs
from fltheory.verification import find

CLIENTS = (2, 3, 5, 10, 20, 50, 100)
FEWER = (2, 5, 10, 20, 30)  # I2 has k N + 1 items
STEPS_OF_ONE = (
    "1/14",
    "1/7",
    "2/7",
    "1/2",
    "3/4",
    1,
    "5/4",
    "3/2",
    "7/4",
    2,
    "9/4",
    "5/2",
    "11/4",
    3,
)  # eta of Theorem 3.2
SHARED = 5  # k of I2
WAYS = (
    ("directions shared (FedCG)", algorithms.full, "second"),
    ("gradients shared", algorithms.gradient_sharing, "third"),
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
    return (*curves, Curve("directions shared, closed form", x, one, "checked", note="exact"))


def _step_panel() -> Panel:
    """Return both sides of Theorem 3.2 over the step size, on the instance that refutes it beyond 1/T."""
    claim = find("fedcg/T3.2@printed")
    case = claim.cases[0]
    rounds = int(case.constants[T])
    found = sweep(claim, case, eta.name, values=[Fraction(v) for v in STEPS_OF_ONE])
    x, wrong = found.column("value"), found.violated()
    start = float(x[wrong].min())
    return Panel(
        f"Theorem 3.2, $T={rounds}$",
        r"step size $\eta$ (dimensionless)",
        "loss (in units of $F$)",
        (
            Curve("loss granted by Theorem 3.2", x, found.limit(), "bound"),
            Curve("loss of the run (where positive)", x, found.column("measured"), "measured", note="exact"),
        ),
        (Zone((start + float(x[~wrong].max())) / 2, float(x.max()), "violated", "the loss exceeds the theorem"),),
        x_scale="linear",
        at=(1 / rounds, r"$\eta=1/T$, the largest step that stays in the polytope"),
        y_limits=(1e-2, None),
    )


@headline("FedCG: sharing directions can lose nearly everything; Theorem 3.2 fails at large steps")
def directions() -> Picture:
    """Plot I1 and I2, where each client prefers an item that is worthless to all others, and Theorem 3.2 over the step."""
    few = [case_of_run(private_items(n), 4) for n in CLIENTS]
    many = [case_of_run(private_facilities(n, SHARED), 4) for n in FEWER]
    shared = [1.01 * (1 - (1 - 1 / n) ** SHARED) / optimum(c) for n, c in zip(FEWER, many, strict=True)]
    over_n, share = "clients $N$", "share of the optimum"
    panels = (
        Panel("rank 1, $T=4$", over_n, share, _sharing_curves(few, CLIENTS, [1.01 / n for n in CLIENTS])),
        Panel("rank 5, $T=4$", over_n, "", _sharing_curves(many, FEWER, shared)),
    )
    steps = _step_panel()
    least = min(min(panel.curves[1].y) for panel in panels)
    bound, loss = (np.asarray(c.y) for c in steps.curves)
    return Picture(
        f"Where every client's favourite is worth nothing to others, sharing directions reaches {panels[0].curves[0].y[-1]:.1%} "
        f"of the optimum with 100 clients, sharing gradients {least:.1%} at least; at the right end the loss is "
        f"{number(float(loss[-1] / bound[-1]))} times what Theorem 3.2 grants",
        (*panels, steps),
        columns=3,
        width=PAGE,
        row_height=3.1,
        legend_columns=2,
        caption=fill(
            "Federated continuous greedy (FedCG): in each of $T$ rounds every client sends the best direction within the polytope "
            "of the feasible sets of items (rank: the most items of a set), not its gradient. Left: one item is worth 1 to "
            "everybody, another 1.01 to each client alone; middle: five others (facility location). All clients take part. "
            "Right: both sides of the theorem on the catalogue's counterexample; the loss is "
            "$(1-(1-\\eta)^T)\\,\\mathrm{OPT}-F(x_T)$ with OPT the optimum of $F$. Exact runs."
        ),
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


@headline("Continuous greedy needs its discretisation term up to a constant")
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
