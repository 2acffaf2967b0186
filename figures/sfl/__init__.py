"""Figures of "Sharp Bounds for Sequential Federated Learning on Heterogeneous Data": SFL and PFL, bounds and errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from figures.progress import counted
from figures.sfl.bias import PICTURES as BIAS
from figures.sfl.digits import PICTURES as DIGITS
from figures.sfl.sandwich import PICTURES as BETWEEN
from fltheory.case import Case
from fltheory.claim import Claim
from fltheory.evidence.exact import exact_ball, round_blocks
from fltheory.known import find
from fltheory.number import BALL, exact, to_float
from fltheory.papers.sfl import algorithms
from fltheory.papers.sfl.data.instances import at_effective_step, table_2
from fltheory.papers.sfl.data.lemma_instances import Parameters
from fltheory.papers.sfl.letters import M, R, eta
from fltheory.pictures.picture import PAGE, Curve, MapPanel, Panel, Picture, claim_panel, number
from fltheory.pictures.point import evaluate
from fltheory.pictures.sweep import over, sweep
from fltheory.problems.separable import QuadraticClients, SeparableClients
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.laws import moments
from fltheory.runs.laws.affine import Refused
from fltheory.runs.laws.courses import enumerate_runs
from fltheory.runs.measures import OfRun

# The ten tasks of Table 2 -----------------------------------------------------------------------------------------

SEEDS, MANY = 10, 4000
ENUMERATED = 8  # rounds of the piecewise tasks whose 2^R orders are enumerated
LOCAL_STEPS = 10
TASKS = (r"$\delta=0$", r"$\delta=1/2$", r"$\delta=1$", r"kink, $H=1/2$", r"kink, $H=1$")


def mean_gaps(algorithm: Algorithm, case: Case) -> tuple[np.ndarray, str]:
    """E[F(x^(r)) - F*] for r = 0..R, and how it was found."""
    instance = case.instance
    assert isinstance(instance, SeparableClients)
    rounds = int(case.constants[R])
    with ctx.workprec(256):
        laws = round_blocks(algorithm, case, BALL)
        if not isinstance(laws, Refused):
            assert isinstance(instance, QuadraticClients)
            (block,) = laws
            start = moments.outer([BALL.scalar(instance.start[0])], BALL)
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
    """One task, and whether SFL has the smaller error over the last third of the rounds."""
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


def tasks(parallel_step: Fraction, rounds: int, floor: float) -> Picture:
    """The ten tasks at one pair of step sizes."""
    found = [task_panel(task, parallel_step, rounds, floor) for task in counted(range(1, 11))]
    losses = [str(i) for i, (_, wins) in enumerate(found, 1) if not wins]
    but = f" but {', '.join(losses)}" if losses else ""
    step, half = to_float(parallel_step), to_float(parallel_step / 2)
    panels = [p if i % 5 == 0 else replace(p, y_label="") for i, (p, _) in enumerate(found)]
    return Picture(
        rf"$\eta_{{\mathrm{{PFL}}}}={step:g}$: SFL ends below PFL in every task of Table 2{but}",
        tuple(panels),
        columns=5,
        width=PAGE,
        row_height=1.55,
        legend_columns=2,
        caption=rf"$M=2$, $K={LOCAL_STEPS}$, $\sigma=0$, $x^{{(0)}}=10$; $\eta_{{\mathrm{{SFL}}}}={half:g}$, "
        rf"$\eta_{{\mathrm{{PFL}}}}={step:g}$ (equal effective steps). Kinked tasks 4, 5, 9, 10: SFL's mean is exact up "
        f"to round {ENUMERATED},\nthen that of {MANY} seeds; all other means are exact. Errors in units of $F$.",
    )


# Bounds against exact errors --------------------------------------------------------------------------------------

MIXED = QuadraticClients((1, "1/2"), (2, -2), 3, noise_std=1)
FOLLOWED = (
    ("sfl/T3-SC@corrected", {}, "MK"),
    ("sfl/T3-GC@printed", {}, "MK"),
    ("sfl/PP-SFL@explicit", {"n_participating": 2}, "SK"),
    ("sfl/PP-PFL@explicit", {"n_participating": 2}, "K"),
)


def along() -> Picture:
    """Four bounds along the rounds, the step size and the number of clients."""
    panels, ratios = [], []
    instance = MIXED.repeated(2)
    for name, more, steps in counted(FOLLOWED):
        claim = find(name)
        for symbol in (R, eta, M):
            clients = MIXED if symbol is M else instance
            rounds = 20_000 if symbol is M else 2000
            case = at_effective_step(clients, "1/60", steps, n_rounds=rounds, n_local_steps=5, **more)
            found = sweep(claim, case, symbol.name)
            panel = claim_panel(found, name.split("/")[1].split("@")[0], brief=True)
            panels.append(panel if symbol is R else replace(panel, y_label=""))
            ratios += [v for v in found.ratio() if np.isfinite(v)]
    return Picture(
        f"The upper bounds are {number(min(ratios))} to {number(max(ratios))} times the exact error",
        tuple(panels),
        columns=3,
        width=PAGE,
        row_height=1.75,
        legend_columns=3,
        caption=r"Half of the clients $x^2/2+2x$, half $x^2/4-2x$; $M=4$, $K=5$, $\sigma=1$, $x^{(0)}=3$, $S=2$, $R=2000$, "
        r"$\tilde\eta=\frac{1}{60L}$ unless on the axis."
        "\nOver $M$: $R=20\\,000$, clients repeated. Exponents: log-log slopes over the last third of the axis.",
    )


# Who wins ---------------------------------------------------------------------------------------------------------

SPREADS = np.geomspace(1e-2, 1e2, 13)
ROUNDS = np.unique(np.geomspace(3, 30_000, 13).round().astype(int))
RIVALS = (("sfl/C4-GC@corrected", "MK"), ("sfl/T7-GC-tuned@explicit", "K"))


def _rival(spread: float) -> QuadraticClients:
    """Two nearly equal curvatures, twice with mirrored starts: no step lets the bias cancel the transient."""
    slope = exact(float(f"{spread:.3g}"))
    return QuadraticClients(((1, 1), ("9/10", "9/10")), ((slope, slope), (-slope, -slope)), (1, -1), noise_std="1/10")


def _least_error(claim: Claim, case: Case, steps: str) -> float:
    """The exact error at the best effective step up to 1/L: a coarse search and a fine one."""
    instance, measure, algorithm = case.instance, claim.measure, claim.algorithm
    assert isinstance(instance, QuadraticClients)
    assert isinstance(measure, OfRun)
    assert isinstance(algorithm, Algorithm)

    def error(power: float) -> float:
        tried = at_effective_step(instance, exact(float(f"{10**power:.4g}")), steps, **dict(case.settings))
        return to_float(exact_ball(measure, algorithm, tried).value)

    coarse = np.linspace(-5, 0, 11)
    best = min(coarse, key=error)
    return min(error(v) for v in np.linspace(best - 0.4, min(best + 0.4, 0), 7))


def winners() -> Picture:
    """Heterogeneity and rounds: log10 of PFL over SFL in the bounds, at their steps, and at the best steps."""
    maps = np.full((3, len(ROUNDS), len(SPREADS)), np.nan)
    for k, spread in enumerate(counted(SPREADS)):
        instance = _rival(spread)
        for j, rounds in enumerate(counted(ROUNDS)):
            case = Case(instance, n_rounds=int(rounds), n_local_steps=5)
            found = []
            for name, steps in RIVALS:
                claim = find(name)
                point, _ = evaluate(claim, int(rounds), case)
                found.append((point.limits[0], point.measured, _least_error(claim, case, steps)))
            maps[:, j, k] = np.log10(np.array(found[1]) / np.array(found[0]))
    titles = ("In the bounds", "In fact, at the bounds' steps", "In fact, at the best steps")
    panels = tuple(
        MapPanel(
            title,
            r"heterogeneity $\zeta$ (in units of $F x^{-1}$)",
            "" if i else "rounds $R$",
            SPREADS,
            ROUNDS,
            maps[i],
            r"$\log_{10}$ PFL / SFL",
            "SFL wins",
            "PFL wins",
        )
        for i, title in enumerate(titles)
    )
    shares = [100 * float((m > 0).mean()) for m in maps]
    return Picture(
        f"SFL is ahead on {shares[0]:.0f}% of the map in the bounds, in fact on {shares[1]:.0f}% "
        f"(bounds' steps) and {shares[2]:.0f}% (best steps)",
        panels,
        columns=3,
        width=PAGE,
        row_height=3.0,
        caption=r"$F_{1,2}=\sum_{i\leq 2} c_{1,2}x_i^2/2\pm\zeta x_i$ with $c_1=1$, $c_2=0.9$, start $(1,-1)$, "
        r"$\zeta_*=\sqrt{2}\zeta$, $K=5$, $\sigma=0.1$ in each coordinate; exact errors."
        "\nBounds and their steps: Corollary 4 and Theorem 7, convex, each tuned. "
        r"Best steps: of 18 effective steps up to $1/L$ for each. Black line: equal.",
    )


# Tightness --------------------------------------------------------------------------------------------------------

DRAWS = 200


def _random_case(generator: np.random.Generator, part: str) -> Case:
    """Quadratic clients in one dimension with the start and the noise of one term of the bound; three digits each."""

    def draw(low: float, high: float) -> Any:
        return exact(float(f"{np.exp(generator.uniform(np.log(low), np.log(high))):.3g}"))

    n = int(generator.integers(2, 5))
    curvatures = [draw(1e-3, 1)] * n if generator.uniform() < 0.5 else [draw(1e-3, 1) for _ in range(n)]
    slopes = [0] * n
    if part in ("heterogeneity", "all"):
        while not any(slopes):
            free = [int(v) for v in generator.integers(-3, 4, n - 1)]
            slopes = [*free, -sum(free)]
    start = draw(1e-2, 10) if part in ("optimisation", "all") else 0
    noise = draw(1e-2, 10) if part in ("noise", "all") else 0
    relative = draw(1e-3, 1 / 6)
    needed = to_float(max(curvatures)) / to_float(min(curvatures)) / to_float(relative)  # mu eta_eff R >= 1
    rounds = int(np.ceil(needed * np.exp(generator.uniform(0, np.log(10)))))
    return at_effective_step(
        QuadraticClients(curvatures, slopes, start, noise),
        relative,
        "MK",
        n_rounds=rounds,
        n_local_steps=int(generator.integers(1, 6)),
    )


def tightness() -> Picture:
    """Distribution of bound / exact error for each term of Theorem 3 on random instances."""
    panels, least = [], {}
    for name, title in counted((("sfl/T3-SC@corrected", "T3-SC"), ("sfl/T3-GC@printed", "T3-GC"))):
        claim = replace(
            find(name), assumptions=()
        )  # they hold for every draw; the bound's conditions are still checked
        curves = []
        for part, style in (
            ("optimisation", "first"),
            ("noise", "second"),
            ("heterogeneity", "third"),
            ("all", "reference"),
        ):
            generator = np.random.default_rng(0)
            found = over(claim, R, ((0, _random_case(generator, part)) for _ in range(DRAWS)))
            ratios = np.sort(found.ratio()[np.isfinite(found.ratio())])
            share = np.arange(1, len(ratios) + 1) / len(ratios)
            least[title, part] = float(ratios[0])
            label = "all terms at once" if part == "all" else f"{part} alone"
            curves.append(Curve(label, ratios, share, style, note="exact", step=True))
        words = "\n".join(f"{part}: {least[title, part]:.0f}" for part in ("optimisation", "noise", "heterogeneity"))
        panels.append(
            Panel(
                title,
                "bound / exact error (dimensionless)",
                "" if panels else "share of instances",
                tuple(curves),
                y_scale="linear",
                y_limits=(0, 1.02),
                notes=((0.98, 0.05, "least ratio\n" + words),),
            )
        )
    parts = ("optimisation", "noise", "heterogeneity")
    words = "; ".join(
        f"{title} {', '.join(f'{least[title, part]:.0f}' for part in parts)}" for title in ("T3-SC", "T3-GC")
    )
    return Picture(
        f"Theorem 3, bound / error at least, {', '.join(parts)} alone: {words}",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.3,
        legend_columns=4,
        caption=f"{DRAWS} random instances for each curve: 2 to 4 quadratic clients, 1 to 5 local steps, any allowed step, "
        r"$R$ from $1/(\mu\tilde\eta)$ to 10 times that; exact errors.",
    )


# Table 1 ----------------------------------------------------------------------------------------------------------

ROWS = (("Karimireddy", "reference 2"), ("Koloskova", "reference 3"), ("Woodworth", "reference 4"))
CONSTANTS: dict[str, object] = {
    "n_clients": 10,
    "n_local_steps": 10,
    "smoothness": 1,
    "strong_convexity": "1/50",
    "initial_distance": 10,
    "initial_gap": 50,
    "noise_std": 1,
    "noise_std_at_optimum": 1,
    "heterogeneity": 2,
    "heterogeneity_at_optimum": 1,
    "heterogeneity_slope": 0,
    "max_heterogeneity": 4,
}


def reference_rates() -> Picture:
    """The rates of Table 1 over the rounds."""
    rounds = [int(r) for r in np.geomspace(1, 1e5, 31).round()]
    panels, ahead = [], {}
    for kind, title, ours in (
        ("SC", "strongly convex", "sfl/TAB1-SC@printed"),
        ("GC", "convex", "sfl/TAB1-GC@printed"),
    ):
        cases = [(r, Case(Parameters(**CONSTANTS, n_rounds=r))) for r in dict.fromkeys(rounds)]
        table = over(find(ours), R, cases)
        x = table.column("value")
        curves = [Curve("SFL, Corollary 4 (Assumption 3)", x, table.column("measured"), "measured")]
        for row, style in ROWS:
            found = over(find(f"sfl/TAB1-{kind}-{row}@printed"), R, cases)
            assumed = {"Karimireddy": 4, "Koloskova": 3, "Woodworth": 5}[row]
            curves.append(Curve(f"PFL, {row} et al. (Assumption {assumed})", x, found.limit(), style))
        others = np.min([c.y for c in curves[1:]], axis=0)
        ahead[kind] = int(x[np.flatnonzero(curves[0].y > others).max(initial=-1) + 1])
        panels.append(
            Panel(f"Table 1, {title}", "rounds $R$", "" if panels else "rate (in units of $F$)", tuple(curves))
        )
    return Picture(
        f"Table 1's rates: SFL's is the least from $R={ahead['SC']}$ on (strongly convex) and from $R={ahead['GC']}$ on (convex)",
        tuple(panels),
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=2,
        caption=r"Constants and logarithms dropped. $M=K=10$, $L=1$, $\mu=\frac{1}{50}$, $D=10$, $\sigma=\sigma_*=1$, $\zeta_*=1$, "
        r"$\zeta=2$, $\hat\zeta=4$, $\beta=0$.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {
    "tasks": lambda: tasks(Fraction(1, 100), 150, 1e-7),
    "tasks_large_steps": lambda: tasks(Fraction(1, 10), 40, 1e-4),
    "along": along,
    **BETWEEN,
    **BIAS,
    **DIGITS,
    "winners": winners,
    "tightness": tightness,
    "reference_rates": reference_rates,
}
