"""Figures of the step-size rule: the active entry, the clients' progress in a round, the server's limit."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.model.case import Case
from fltheory.number import Number, as_number, to_float
from fltheory.number.mixed import mixed_array
from fltheory.papers.delta_sgd.convex.cases import line
from fltheory.papers.delta_sgd.convex.figures import in_floats
from fltheory.papers.delta_sgd.instances.clients import RandomCurvature
from fltheory.papers.delta_sgd.rule.claims.fixed_points import rounds
from fltheory.papers.delta_sgd.rule.closed_forms import fixed_points as at
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number
from fltheory.problems.convex import Convex, ConvexClients, LogCosh, Quartic
from fltheory.problems.separable import QuadraticClients
from fltheory.runs.algorithm import rollout
from fltheory.runs.client_optimiser import Batches, ClientOracle, adaptive_optimiser, federated_averaging
from fltheory.runs.constants import Constants, run_constants
from fltheory.runs.oracle import RandomOracle
from fltheory.runs.step_rule import StepRule, auto_tuned, auto_tuned_step

EXACT, FLOATS = "exact", "float64"

# The active entry -----------------------------------------------------------------------------------------------------

STEPS = 40
THEORY = {"amplifier": 1, "growth_damping": 1}
PRACTICE = {"amplifier": 2, "growth_damping": "1/10"}


@dataclass(frozen=True)
class Entries:
    """The entries of every computed step: gamma over twice the local smoothness, the growth cap, and their minimum."""

    first: np.ndarray
    cap: np.ndarray
    taken: np.ndarray

    @property
    def capped(self) -> float:
        """Return the share of the steps on which the cap is the smaller entry."""
        return float((self.cap < self.first).mean())


@dataclass(frozen=True)
class FullGradient:
    """The exact gradient of one convex objective, for any mini-batch."""

    objective: Convex

    def gradient(self, x: np.ndarray, batch: int = 0) -> np.ndarray:
        """Return rows of floats."""
        found = [self.objective.gradient(mixed_array(Fraction(v) for v in point)) for point in x]
        return np.array([[to_float(as_number(g)) for g in point] for point in found])


def entries(case: Case, batches: Batches = "same", seed: int = 0) -> Entries:
    """Record the entries of the rule in the local steps of one client."""
    asked: list[tuple[float, float, float]] = []

    def recorded(lr: np.ndarray, ratio: np.ndarray, reach: np.ndarray, c: Constants) -> np.ndarray:
        new = auto_tuned_step(lr, ratio, reach, c)
        cap = np.sqrt(1 + c.growth_damping * ratio) * lr
        asked.append((float(c.amplifier * reach[0] / 2), float(cap[0]), float(new[0])))
        return new

    instance = case.instance
    assert isinstance(instance, ConvexClients | RandomCurvature)
    c, client = run_constants(case, None), adaptive_optimiser(StepRule("recorded", recorded), batches)
    x = np.array([[to_float(v) for v in instance.start]])
    state = client.init(x, c)
    for k in range(STEPS + 1):
        ask: FullGradient | ClientOracle
        if isinstance(instance, ConvexClients):
            ask = FullGradient(instance.objectives[0])
        else:
            ask = ClientOracle(RandomOracle(instance, seed, np.arange(1), 0), np.zeros(1, int), k * client.batches)
        x, state = client.step(x, state, ask, c)
    return Entries(*np.array(asked).T)


def local_case(
    instance: ConvexClients | RandomCurvature, initial_step_size: Number | str, **more: Number | str
) -> Case:
    """Return the local steps of a round."""
    return Case(instance, initial_step_size=initial_step_size, initial_ratio=1, **more)


WAVES = ConvexClients((LogCosh(((1, 0), (2, 1), ("1/2", -3)), "1/10"),), (6, -4))
FOURTH = ConvexClients((Quartic((1, "1/2"), (0, 0)),), (2, -1))
NOISY = RandomCurvature((10, 1), (-1, 3), 0)
LOCAL: tuple[tuple[str, Case, Batches], ...] = (
    ("log-cosh, as in the theory", local_case(WAVES, "1/20", **THEORY), "same"),
    ("log-cosh, as in the experiments", local_case(WAVES, "1/20", **PRACTICE), "same"),
    ("fourth powers, as in the theory", local_case(FOURTH, "1/100", **THEORY), "same"),
    ("random curvature, as in the experiments", local_case(NOISY, "1/20", **PRACTICE), "pair"),
)


@headline("Both entries of the step-size rule act")
def steps() -> Picture:
    """Plot the two entries of line 9 along the local steps of a client."""
    panels, shares = [], []
    for i, (title, case, batches) in enumerate(LOCAL):
        found = entries(case, batches)
        shares.append(found.capped)
        k = np.arange(1, len(found.taken) + 1)
        note = FLOATS
        panels.append(
            Panel(
                f"{title}: cap in {found.capped:.0%}",
                "local step $k$",
                "" if i % 2 else "step size (in $x^2 F^{-1}$)",
                (
                    Curve(
                        r"first entry: $\gamma$ over twice the local smoothness", k, found.first, "second", note=note
                    ),
                    Curve(r"growth cap $\sqrt{1+\delta\theta}\,\eta$", k, found.cap, "third", note=note),
                    Curve(r"step size taken $\eta_k$", k, found.taken, "outside", note=note),
                ),
                x_scale="linear",
            )
        )
    return Picture(
        f"Both entries of the rule act: the growth cap is the smaller one in {min(shares):.0%} to {max(shares):.0%} of the steps,\n"
        "at the start of a round and wherever a mini-batch shows hardly any curvature",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.1,
        legend_columns=3,
        caption="One client, $\\theta_0=1$. Experiments: $\\gamma=2$, $\\delta=0.1$. Random curvature: two samples of different "
        "curvature and\ncentre, the gradients of line 9 on one mini-batch, line 8 on another.",
    )


# Progress of the clients ----------------------------------------------------------------------------------------------

FAR = 200
RELATIVE = ((1, "first"), (Fraction(1, 10), "second"), (Fraction(1, 100), "third"), (Fraction(1, 1000), "reference"))


def remaining_distance(curvature: Number, case: Case) -> np.ndarray:
    """Return |r_i| after 1, ..., K steps of Delta-SGD."""

    def found() -> list[Any]:
        left, values = 1, []
        for lr in at.local_steps(auto_tuned, mixed_array([curvature])[0], case):
            left = left * (1 - lr * mixed_array([curvature])[0])
            values.append(abs(left))
        return values

    return in_floats(found)


@headline("A flat client moves fast with Delta-SGD, slowly with tuned SGD")
def progress() -> Picture:
    """Plot the remaining part of a client's way to its own minimiser after K local steps."""
    k = np.arange(1, FAR + 1)
    words = [f"$L_i/L_{{\\max}}={float(v):g}$" for v, _ in RELATIVE]
    sgd = []
    for (v, style), label in zip(RELATIVE, words, strict=True):
        left = (1 - float(v)) ** k
        sgd.append(Curve(label, k, np.where(left > 0, left, np.nan), style, note=EXACT))
    kinds = [("SGD, step $1/L_{\\max}$", sgd)]
    for damping in (1, "1/10"):
        curves = []
        for (v, style), label in zip(RELATIVE, words, strict=True):
            case = rounds(line((v,)), FAR, "1/2", growth_damping=damping)
            curves.append(Curve(label, k, remaining_distance(v, case), style, note=EXACT))
        kinds.append((f"Delta-SGD, $\\delta={float(Fraction(damping)):g}$", curves))
    low = 1e-3
    panels = [
        Panel(
            title, "local steps $K$", "" if i else r"$|x_{t,K}-c_i|\,/\,|x_t-c_i|$", tuple(curves), y_limits=(low, 1.5)
        )
        for i, (title, curves) in enumerate(kinds)
    ]
    slow = [
        [int(k[np.asarray(c.y) < 0.1][0]) if (np.asarray(c.y) < 0.1).any() else None for c in curves]
        for _, curves in kinds
    ]
    by_sgd = math.ceil(math.log(0.1) / math.log1p(-float(RELATIVE[-1][0])))
    return Picture(
        f"A client that is 1000 times flatter covers 9/10 of its distance in {slow[1][-1]} steps of Delta-SGD ($\\delta=1$) and in "
        f"{slow[2][-1]} with $\\delta=0.1$;\nwith SGD tuned to the steepest client it takes {by_sgd} steps",
        tuple(panels),
        columns=3,
        width=PAGE,
        row_height=2.4,
        legend_columns=4,
        caption="$f_i=L_i\\|x-c_i\\|^2/2$, full gradients; $\\gamma=1$, $\\theta_0=1$, $\\eta_0=1/(2L_{\\max})$. In closed form. "
        "With SGD the steepest client arrives in one step.",
    )


# The server's limit ---------------------------------------------------------------------------------------------------

CONDITION = tuple(Fraction(round(100 * 10 ** (i / 6)), 100) for i in range(2, 19))
MOST = 20
LOCAL_STEPS = ((2, "first"), (5, "second"), (MOST, "third"))
SIMULATED_CONDITIONS = CONDITION[1::5]
ROUNDS = 100
DELTA_SGD = federated_averaging(adaptive_optimiser(batches="same"))
FEDNOVA, PROXIMAL = r"weights $1/\sum_k\eta_k$ (FedNova's)", r"FedProx, $\mu={}$"


def two_clients(condition: Number) -> ConvexClients:
    """Return curvatures 1 and kappa, centres 0 and 1."""
    return line((1, condition), (0, 1), "1/2")


def gap_at_end(case: Case, kind: at.Weights = "equal") -> float:
    """Return f(x_inf) - f* in closed form."""
    instance = case.instance
    assert isinstance(instance, ConvexClients)

    def found() -> list[Any]:
        clients = at.clients(auto_tuned, case)
        return [instance.value(at.fixed_point(clients, kind)) - instance.value(instance.best)]

    return float(in_floats(found)[0])


def shared_step_gap(condition: Number) -> float:
    """Return the same for one step a round and step sizes that are kept: the clients' centres have equal weights."""
    instance = two_clients(condition)
    mean = mixed_array([Fraction(1, 2)])
    return float(in_floats(lambda: [instance.value(mean) - instance.value(instance.best)])[0])


def simulate_gap(case: Case) -> float:
    """Return the same after many rounds, in floats."""
    assert isinstance(case.instance, ConvexClients)
    (_, one), (steep, other) = (at.curvature_and_centre(f) for f in case.instance.objectives)
    kappa, away = Fraction(int(steep.p), int(steep.q)), int(other[0] - one[0])
    clients = QuadraticClients((1, kappa), (0, -kappa * away), "1/2")
    run = Case(clients, **dict(case.settings), n_rounds=ROUNDS, n_participating=2)
    x = rollout(DELTA_SGD, run, 1)[0, -1, 0]
    best = float(kappa / (1 + kappa)) * away
    return float((1 + kappa) / 4) * (x - best) ** 2


def _long_run_case(k: Number, n_local_steps: int, amplifier: int = 1, **more: Number | str) -> Case:
    return rounds(two_clients(k), n_local_steps, 1 / (2 * Fraction(k)), amplifier, **more)


@headline("With several local steps Delta-SGD does not end at the minimiser")
def limit() -> Picture:
    """Plot the limit of Delta-SGD without a common minimiser by the condition number."""
    x = [float(k) for k in CONDITION]
    own = [
        Curve(f"$K={steps}$", x, [gap_at_end(_long_run_case(k, steps)) for k in CONDITION], style, note=EXACT)
        for steps, style in LOCAL_STEPS
    ]
    seen = [
        Curve(
            f"simulated, {ROUNDS} rounds",
            [float(k) for k in SIMULATED_CONDITIONS],
            [simulate_gap(_long_run_case(k, steps)) for k in SIMULATED_CONDITIONS],
            "outside",
            note=FLOATS,
        )
        for steps, _ in LOCAL_STEPS
    ]
    shared = Curve("rule (4), reading B", x, [shared_step_gap(k) for k in CONDITION], "reference 3", note=EXACT)
    law = Curve(r"$(\kappa-1)^2/(16(1+\kappa))$", x, [(k - 1) ** 2 / (16 * (1 + k)) for k in x], "trivial", note=EXACT)
    mended = [own[-1]]
    mending: tuple[tuple[str, str, at.Weights, int | None], ...] = (
        (FEDNOVA, "reference 4", "fednova", None),
        (PROXIMAL.format(1), "bound 2", "equal", 1),
        (PROXIMAL.format(10), "bound", "equal", 10),
    )
    for label, style, kind, term in mending:
        more = {} if term is None else {"proximal_weight": term}
        values = [gap_at_end(_long_run_case(k, MOST, **more), kind) for k in CONDITION]
        mended.append(Curve(label, x, np.where(np.array(values) > 0, values, np.nan), style, note=EXACT))
    axis, unit = r"condition number $\kappa$", r"$f(x_\infty)-f^*$ (in units of $F$)"
    ends = {c.label: float(c.y[-1]) for c in (*own, *mended)}
    many, fedprox, fednova = (ends[v] for v in (f"$K={MOST}$", PROXIMAL.format(10), FEDNOVA))
    return Picture(
        f"With several local steps Delta-SGD does not end at the minimiser of $f$: at $\\kappa=1000$, $K={MOST}$ "
        f"it stays {number(many)} above it,\nas rule (4) does. FedProx ($\\mu=10$) leaves {number(fedprox)}, "
        f"FedNova's weights leave {number(fednova)}",
        (
            Panel("Delta-SGD and rule (4)", axis, unit, (law, shared, *own, *seen), y_limits=(1e-5, None)),
            Panel(f"corrections, $K={MOST}$", axis, "", tuple(mended), y_limits=(1e-5, None)),
        ),
        columns=2,
        width=PAGE,
        row_height=2.8,
        legend_columns=3,
        caption="$f_1=x^2/2$, $f_2=\\kappa(x-1)^2/2$; $\\eta_0=1/(2\\kappa)$, $\\gamma=\\delta=\\theta_0=1$. "
        "One local step ($K=1$) and the weights $L_i/(1-r_i)$ end at the minimiser.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"steps": steps, "progress": progress, "limit": limit}
