"""Figures of Theorem 3: the bounds against exact errors over the constants, and the tightness of each term."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.model.case import Case
from fltheory.number import exact, to_float
from fltheory.papers.sfl.instances.quadratics import at_effective_step
from fltheory.papers.sfl.notation import M, R, eta
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, Zone, claim_panel, number
from fltheory.plotting.sweep import plan_sweep, sweep_cases
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

TUNED_ROUNDS = tuple(10**power for power in range(0, 25))
SMOOTHNESS = Fraction(1, 500)  # L; a second direction, in which the run starts at the minimiser, keeps it
READ_AS = "the rate of Corollary 4, $O(.)$ read as 1000"
OWN = "the same rate with proved constants"
ERROR = "exact error at this step"


class Tuning(NamedTuple):
    """A tuned step: its claim, the power of the rounds in the error, and the rounds from which the curvature falls."""

    claim: str
    title: str
    power: float
    bend: float


TUNINGS = (
    Tuning("sfl/C4-GC@printed", "step as printed: $R^{2/3}$ in its third candidate", -1 / 3, 1e15),
    Tuning("sfl/C4-GC@corrected", "step as corrected: $R^{1/3}$", -2 / 3, 1e6),
)


def tuned_case(tuning: Tuning, rounds: int) -> Case:
    """Return three clients of a curvature about 1 / (step * rounds), for which this many rounds are too few.

    L, D and the heterogeneity are the same for all rounds.
    """
    share = min(1.0, (rounds / tuning.bend) ** tuning.power)
    curvature = exact(float(f"{share * to_float(SMOOTHNESS):.3g}"))
    flat = (0, SMOOTHNESS)
    clients = QuadraticClients((flat, (curvature, SMOOTHNESS), flat), ((910, 0), (910, 0), (-1820, 0)), (1, 0))
    return Case(clients, n_rounds=rounds, n_local_steps=1)


def _tuned_panel(tuning: Tuning) -> Panel:
    """Return the exact error along the rounds, the printed rate, and the bound with constants where one is proved."""
    cases = [(rounds, tuned_case(tuning, rounds)) for rounds in TUNED_ROUNDS]
    found = sweep_cases(find(tuning.claim), R, cases)
    rate = sweep_cases(find(TUNINGS[0].claim), R, cases).limit()
    x, error = found.column("value"), found.column("measured")
    curves = [
        Curve(READ_AS, x, rate, "bound", letter="R"),
        Curve(ERROR, x, error, "measured", note="exact", letter="R"),
    ]
    if tuning is not TUNINGS[0]:
        curves.append(Curve(OWN, x, found.limit(), "bound 2"))
    zones: tuple[Zone, ...] = ()
    if (error > rate).any():
        start, end = float(x[error > rate].min()), float(x.max())
        zones = (Zone(start / 10**0.5, end, "violated", "the error exceeds the rate"),)
    y_label = "$E[F(\\bar x)-F^*]$ (in units of $F$)"
    return Panel(tuning.title, "rounds $R$", y_label, tuple(curves), zones, y_limits=(1e-18, 1e5))


@headline("Sequential FL, Corollary 4: the printed step breaks the rate, the corrected keeps it")
def tuned_step() -> Picture:
    """Plot Corollary 4, convex, at the printed and at the corrected step."""
    left, right = map(_tuned_panel, TUNINGS)
    (rate, error), (_, kept, own) = ([np.asarray(c.y) for c in panel.curves] for panel in (left, right))
    over = error / rate
    return Picture(
        f"With the printed step the error is {number(float(over[15]))} times the rate at $R=10^{{15}}$ and "
        f"{number(float(over[-1]))} times at $R=10^{{{len(TUNED_ROUNDS) - 1}}}$; with the corrected step it is at most "
        f"{number(float((kept / own).max()))} of a bound with this rate and proved constants",
        (left, replace(right, y_label="")),
        columns=2,
        width=PAGE,
        row_height=2.5,
        legend_columns=3,
        caption="Sequential federated learning of three quadratic clients, $K=1$ local step, no noise; $L$, $D$ and the "
        "heterogeneity are the same for all $R$.\nFor each $R$ the clients are those that its rounds do not bring to the "
        r"minimiser: curvature $1/500$, from $R=10^{15}$ (left) and $R=10^6$ (right)"
        "\n" + r"on in proportion to $1/(\tilde\eta R)$, with $\tilde\eta$ the effective step. "
        "Exponents: log-log slopes over the last third of the axis.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"along": along, "tightness": tightness, "tuned_step": tuned_step}
