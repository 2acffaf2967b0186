"""Figures of Theorem 3: the bounds against exact errors over the constants, and the tightness of each term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from fltheory.model.case import Case
from fltheory.number import exact, to_float
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.notation import M, R, eta
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, Zone, claim_panel, number
from fltheory.plotting.sweep import plan_sweep, sweep, sweep_cases
from fltheory.problems.separable import QuadraticClients
from fltheory.verification import find

MIXED = QuadraticClients((1, "1/2"), (2, -2), 3, noise_std=1)
FOLLOWED = (("sfl/T3-SC@corrected", "strongly convex"), ("sfl/T3-GC@printed", "convex"))


@headline("Theorem 3 of sequential FL against the exact error")
def along() -> Picture:
    """Plot both bounds of Theorem 3 over the rounds, the step size and the number of clients."""
    panels, ratios = [], []
    instance = MIXED.repeated(2)
    for name, title in track(FOLLOWED):
        claim = find(name)
        for symbol in (R, eta, M):
            clients = MIXED if symbol is M else instance
            rounds = 20_000 if symbol is M else 2000
            case = at_effective_step(clients, "1/60", "MK", n_rounds=rounds, n_local_steps=5)
            found = sweep_cases(claim, symbol, plan_sweep(claim, case, symbol.name).cases)
            panel = claim_panel(found, title, brief=True)
            panels.append(panel if symbol is R else replace(panel, y_label=""))
            ratios += [v for v in found.ratio() if np.isfinite(v)]
    return Picture(
        f"The upper bounds are {number(min(ratios))} to {number(max(ratios))} times the exact error",
        tuple(panels),
        columns=3,
        width=PAGE,
        row_height=1.75,
        legend_columns=3,
        caption=r"Half of the clients $x^2/2+2x$, half $x^2/4-2x$; $M=4$, $K=5$, $\sigma=1$, $x^{(0)}=3$, $R=2000$, "
        r"$\tilde\eta=\frac{1}{60L}$ unless on the axis."
        "\nOver $M$: $R=20\\,000$, clients repeated. Exponents: log-log slopes over the last third of the axis.",
    )


DRAWS = 200


def _random_case(generator: np.random.Generator, part: str) -> Case:
    """Return random quadratic clients in one dimension for one term of the bound; all numbers have three digits."""

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


@headline("Theorem 3 is nowhere within a factor of ten of the error")
def tightness() -> Picture:
    """Plot the distribution of bound / exact error for each term of Theorem 3 on random instances."""
    panels, least = [], {}
    for name, title in track((("sfl/T3-SC@corrected", "T3-SC"), ("sfl/T3-GC@printed", "T3-GC"))):
        claim = replace(
            find(name), assumptions=()
        )  # they hold for every draw; the conditions of the bound are still checked
        curves = []
        for part, style in (
            ("optimisation", "first"),
            ("noise", "second"),
            ("heterogeneity", "third"),
            ("all", "reference"),
        ):
            generator = np.random.default_rng(0)
            found = sweep_cases(claim, R, ((0, _random_case(generator, part)) for _ in range(DRAWS)))
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


# The tuned step -------------------------------------------------------------------------------------------------------

RATES = (  # claim and title
    ("sfl/C4-GC@printed", "step as printed: $R^{2/3}$ in its second entry"),
    ("sfl/C4-GC@corrected", "step as corrected: $R^{1/3}$"),
)
TUNED_ROUNDS = tuple(10**power for power in range(0, 20))


def _tuned_panel(name: str, title: str) -> Panel:
    """Return bound and exact error along the rounds on the instance that refutes the printed step."""
    case = find(RATES[0][0]).cases[0]
    found = sweep(find(name), case, R.name, values=TUNED_ROUNDS)
    x, wrong = found.column("value"), found.violated()
    curves = [
        Curve("the bound of Corollary 4", x, found.limit(), "bound", letter="R"),
        Curve("exact error at this step", x, found.column("measured"), "measured", note="exact", letter="R"),
    ]
    zones = ()
    if wrong.any():
        start, end = float(x[wrong].min()), float(x.max())
        zones = (Zone(start / 10**0.5, end, "violated", "the error exceeds the bound"),)
    return Panel(
        title, "rounds $R$", "$E[F(\\bar x)-F^*]$ (in units of $F$)", tuple(curves), zones, y_limits=(1e-15, 1e5)
    )


@headline("Corollary 4: the printed step breaks the rate, the corrected one keeps it")
def tuned_step() -> Picture:
    """Plot Corollary 4, convex, at the printed and at the corrected step."""
    left, right = (_tuned_panel(*one) for one in RATES)
    bound, error = (np.asarray(c.y) for c in left.curves)
    return Picture(
        f"With the printed step the error is {number(float((error / bound).max()))} times the printed bound at "
        f"$R=10^{{{len(TUNED_ROUNDS) - 1}}}$, with the corrected one it stays below",
        (left, replace(right, y_label="")),
        columns=2,
        width=PAGE,
        row_height=2.5,
        legend_columns=3,
        caption="One family of three quadratic clients, $K=1$, no noise; exact errors. The constant hidden in $O(.)$ is read as "
        "1000.\nExponents: log-log slopes over the last third of the axis.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"along": along, "tightness": tightness, "tuned_step": tuned_step}
