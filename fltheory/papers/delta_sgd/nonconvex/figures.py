"""Figures of Theorem 1: its bounds and the mean squared gradient over the rounds, and counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from scipy.special import stdtrit

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.papers.delta_sgd import algorithms, notation
from fltheory.papers.delta_sgd.instances.clients import MultipleClients, RandomCurvature
from fltheory.papers.delta_sgd.nonconvex.claims import GRADIENT, own_run, rounds
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, claim_panel, number
from fltheory.plotting.point import CONFIDENCE
from fltheory.plotting.sweep import Sweep, sweep_cases
from fltheory.verification import find

ROOTS = (10, 15, 20, 30, 40, 60, 80, 100, 140, 200)  # roots of T, so that 1/(K sqrt T) is rational
CLIENTS, LOCAL_STEPS, DIM = 10, 5, 4
NEAR, FAR = Fraction(1, 5), Fraction(7, 10)  # sqrt rho


def clients(radius: Fraction) -> MultipleClients:
    """Return scaled copies with noise of variance 1."""
    return MultipleClients.spread(CLIENTS, radius, (2,) * DIM, noise_std="1/2")


def constant_steps(root: int) -> Case:
    """Return a case of FedAvg; the claim sets its step size 1/(K sqrt T)."""
    return rounds(clients(NEAR), root**2, LOCAL_STEPS)


def own_steps(root: int, radius: Fraction) -> Case:
    """Return a case of Delta-SGD with gamma = 1/(K sqrt T) and eta_0 = gamma/(2 L)."""
    gamma = Fraction(1, LOCAL_STEPS * root)
    return own_run(clients(radius), root**2, LOCAL_STEPS, gamma / (2 * (1 + radius)), gamma)


def sweep_rounds(claim: Claim, make: Callable[[int], Case], roots: Sequence[int] = ROOTS) -> Sweep:
    """Plot the claim over the rounds."""
    return sweep_cases(claim, notation.T, track([(root**2, make(root)) for root in roots]))


LEFT = r"mean $\mathrm{E}\|\nabla f\|^2$ ($F^2 x^{-2}$)"


def _panel(found: Sweep, title: str, first: bool) -> Panel:
    panel = replace(claim_panel(found, title, brief=True), x_label="rounds $T$", y_label=LEFT if first else "")
    return replace(
        panel, curves=tuple(replace(c, label="measured" if c.style == "measured" else c.label) for c in panel.curves)
    )


# Counterexamples ------------------------------------------------------------------------------------------------------

SIGNED = MultipleClients((-1, -1, 8), 1)  # w = -1/2, -1/2, 4
CURVED = RandomCurvature((10, 1), (-1, 3), 0)
RUNS = 16
STYLES = {"same": "first", "reuse": "second", "fresh": "third", "pair": "reference"}


def signed_case(root: int) -> Case:
    """Return three clients of different signs; the claim sets the step sizes."""
    return rounds(SIGNED, root**2, 20, initial_ratio=1)


def curved_case(root: int) -> Case:
    """Return one client with two samples, gamma = eta_0 = 1/(K sqrt T)."""
    gamma = Fraction(1, 10 * root)
    return rounds(CURVED, root**2, 10, initial_step_size=gamma, amplifier=gamma, initial_ratio=1, growth_damping=1)


def mean_and_band(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean and Student's interval."""
    n, mean = len(values), float(values.mean())
    width = float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * float(values.std(ddof=1)) / n**0.5
    return mean, mean - width, mean + width


def _batches_panel() -> Panel:
    roots, curves = ROOTS[:8], []
    for batches, style in STYLES.items():
        algorithm = getattr(algorithms, batches)
        values = [
            mean_and_band(GRADIENT.simulate(algorithm, curved_case(root), 0, np.arange(RUNS))) for root in track(roots)
        ]
        mean, low, high = np.array(values).T
        fitted = "T" if batches in ("same", "pair") else ""
        label = f"mini-batches of line 9: {batches}"
        curves.append(Curve(label, [r**2 for r in roots], mean, style, low, high, f"mean of {RUNS} seeds", fitted))
    return Panel("one client of random curvature", "rounds $T$", "", tuple(curves))


def _last(found: Sweep) -> int:
    """Return the largest number of rounds."""
    return int(found.column("value")[-1])


# The figure -----------------------------------------------------------------------------------------------------------


@headline("Theorem 1: false as printed for unequal clients, loose as corrected")
def rates() -> Picture:
    """Plot Theorem 1 in its readings over the rounds."""
    constant = sweep_rounds(find("delta_sgd/T1-P@corrected"), constant_steps)
    adaptive = sweep_rounds(find("delta_sgd/T1-X@corrected"), lambda root: own_steps(root, NEAR))
    apart = sweep_rounds(find("delta_sgd/T1-Y@strengthened"), lambda root: own_steps(root, FAR))
    false = sweep_rounds(find("delta_sgd/T1-rho@printed"), signed_case, ROOTS[:9])
    slack = []
    for label, found, style in (
        (r"slack of T1-P, $\rho=0.04$", constant, "bound"),
        (r"slack of T1-X, $\rho=0.04$", adaptive, "bound 2"),
        (r"slack of T1-Y, $\rho=0.49$", apart, "reference 4"),
    ):
        values = found.limit() / found.column("measured")
        slack.append(Curve(label, found.column("value"), values, style))
    panels = (
        _panel(constant, r"T1-P: FedAvg, $\rho=0.04$", True),
        _panel(adaptive, r"T1-X: Delta-SGD, $\rho=0.04$", False),
        _panel(apart, r"T1-Y: Delta-SGD, $\rho=0.49$", False),
        _panel(false, r"as printed: $\rho=9$", True),
        _batches_panel(),
        Panel("slack: bound over measured", "rounds $T$", "(dimensionless)", tuple(slack)),
    )
    ends, last = [float(np.asarray(c.y)[-1]) for c in slack], _last(constant)
    over_bound = float(false.column("measured")[-1] / false.limit()[-1])
    batches = panels[4].curves
    floor = {c.label.split()[-1]: float(np.asarray(c.y)[-1]) for c in batches}
    return Picture(
        fill(
            f"At $T={last}$ Theorem 1 as corrected is loose by {number(ends[0])} (constant step), {number(ends[1])} (own steps), "
            f"{number(ends[2])} ($\\rho=0.49$); as printed it is broken {number(over_bound)} times at $\\rho=9$, "
            f"$T={_last(false)}$. "
            f"At $T={batches[0].x[-1]}$ the left side is {number(floor['same'])} where lines 8 and 9 share a batch, else "
            f"{number(floor['pair'])}",
            TITLE,
        ),
        panels,
        columns=3,
        width=PAGE,
        row_height=2.2,
        legend_columns=3,
        caption="$\\gamma=1/(K\\sqrt{T})$; $\\eta_0=\\gamma$ in the printed reading and with random curvature, "
        "$\\gamma/(2\\tilde L)$ else; $\\delta=\\theta_0=1$. Bands: 99% confidence (Student).\n"
        "Top: ten scaled copies with noise, $K=5$. Bottom: "
        "$f_i=w_iF$, $w=(-\\frac{1}{2},-\\frac{1}{2},4)$, $K=20$; two samples of different curvature, $K=10$.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"rates": rates}
