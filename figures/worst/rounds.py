"""Exact worst cases of one and of two rounds against the step size, compared with recursions and lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from figures.worst.exact import BASELINES, CURVATURE, LARGEST, ORDERS, Ends, Size, recursion, shuffled_once, worst_ends
from fltheory.evidence.exact import exact_rational
from fltheory.papers.sfl.algorithms import parallel, sequential
from fltheory.papers.sfl.bounds import C2_SFL
from fltheory.papers.sfl.lower import cases
from fltheory.papers.sfl.lower.bounds import CAP, H3
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number
from fltheory.runs.measures import LastDistance
from fltheory.symbols import heterogeneity, n_clients, small_curvature
from fltheory.worst_case.functions import Smooth
from fltheory.worst_case.one_round import descent

ONE, TWO, ALONE = Size(3, 2), Size(2, 2, 2), Size(2, 2)
STEPS = tuple(Fraction(n, 40) for n in (1, 2, 4, 6, 8, 10, 13, 16, 20, 24, 28))  # effective ones
LONGER = tuple(Fraction(n, 40) for n in (2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40))
SMALL = tuple(LARGEST / d for d in (16, 8, 4, 2, 1))
CURVATURES = tuple(Fraction(n, 8) for n in range(1, 9))
NEAR, FAR = Fraction(1), Fraction(4)  # zeta* / D


def _curve(label: str, steps: Sequence[Fraction], of: Callable[[Fraction], Ends], style: str) -> Curve:
    found = [of(s) for s in steps]
    low, high = ([end[i] for end in found] for i in (0, 1))
    return Curve(label, [float(s) for s in steps], high, style, low, high, note="exact")


def _orders(size: Size, steps: Sequence[Fraction], spread: Fraction, more: tuple = ()) -> list[Curve]:
    """Return curves of the orders, parallel clients, and gradient descent on F: a client alone, one step."""
    found = [
        _curve(label, steps, lambda s, m=method: worst_ends(m, size, s, spread), style)
        for label, method, style in (*ORDERS, *more, ("PFL", parallel, "reference 2"))
    ]
    descending = Size(1, 1, size.n_rounds)
    found.append(
        _curve(
            "gradient descent on $F$", steps, lambda s: worst_ends(sequential, descending, s, Fraction(0)), "trivial"
        )
    )
    return found


def one_round() -> Panel:
    """Return the panel at zeta* = D, with the recursions of the proofs."""
    curves = _orders(ONE, STEPS, NEAR)
    small = [s for s in STEPS if s <= LARGEST]
    for (name, _, second), style in zip(BASELINES, ("bound", "reference 3"), strict=True):
        y = [recursion(second, ONE, s, NEAR) for s in small]
        curves.append(Curve(f"recursion in the proof for {name}", [float(s) for s in small], y, style))
    return Panel(
        f"One round, $M={ONE.n_clients}$, $K={ONE.n_local_steps}$, $\\zeta_*=D$",
        "effective step size $\\tilde\\eta$",
        "worst $E|x_1-x^*|^2/D^2$",
        tuple(curves),
        x_scale="linear",
        y_scale="linear",
    )


def two_rounds() -> Panel:
    """Return the panel at zeta* = 4 D: with one round a single random order is as good as a fresh one."""
    once = (("SFL, one random order kept", shuffled_once(), "second"),)
    return Panel(
        f"Two rounds, $M={TWO.n_clients}$, $K={TWO.n_local_steps}$, $\\zeta_*=4D$",
        "effective step size $\\tilde\\eta$",
        "worst $E|x_2-x^*|^2/D^2$",
        tuple(_orders(TWO, LONGER, FAR, once)),
        x_scale="linear",
        y_scale="linear",
    )


def heterogeneity_constant(effective: Fraction) -> float:
    """Return the least proved C in E|x_1 - x*|^2 <= |x_0 - x*|^2 - eta_eff (F - F*) / 3 + C zeta*^2."""
    step = effective / (ALONE.n_clients * ALONE.n_local_steps)
    sizes = {"n_clients": ALONE.n_clients, "n_local_steps": ALONE.n_local_steps}
    found = descent(sequential, Smooth(1), effective / 3, **sizes, step_size=step, heterogeneity_at_optimum=1)
    return float(found.spread)


def _lower_bound_values(effective: Fraction) -> tuple[float, float]:
    """Return E|x_1 - x*|^2 on instances of regime h3, from x*, at the worst curvature; and the regime's bound."""
    least = 1 / (CAP * effective)
    errors = []
    for curvature in (least, *CURVATURES):
        case = cases.h3(
            small_curvature=curvature,
            heterogeneity=1,
            n_clients=ALONE.n_clients,
            n_local_steps=ALONE.n_local_steps,
            n_rounds=1,
            step_size=effective / (ALONE.n_clients * ALONE.n_local_steps),
        )
        found = exact_rational(LastDistance(), sequential, case)
        assert found is not None
        errors.append(float(found.value))
    granted = H3.expr.subs({small_curvature: least, heterogeneity: 1, n_clients: ALONE.n_clients})
    return max(errors), float(2 * granted / least)  # the regime is about F - F* = curvature x^2 / 2


def heterogeneity_alone() -> Panel:
    """Return the growth of the distance in a round, between the lower bound's instances and the recursion."""
    x = [float(s) for s in SMALL]
    lower = [_lower_bound_values(s) for s in SMALL]
    recursions = [recursion(C2_SFL, ALONE, s, NEAR) - float(1 - CURVATURE * s / 2) for s in SMALL]
    return Panel(
        f"$M={ALONE.n_clients}$ clients, $K={ALONE.n_local_steps}$ local steps, $\\mu=0$",
        "effective step size $\\tilde\\eta$ (in units of $1/L$)",
        "distance$^2$ added (in units of $\\zeta_*^2/L^2$)",
        (
            Curve("upper bound: recursion in the proof of Theorem 3", x, recursions, "bound"),
            Curve(
                "exact worst case over all smooth convex clients",
                x,
                [heterogeneity_constant(s) for s in SMALL],
                "measured",
                note="exact",
            ),
            Curve(
                "exact error on the instances of the lower bound", x, [v for v, _ in lower], "reference", note="exact"
            ),
            Curve("lower bound (regime h3 in the proof of Theorem 5)", x, [v for _, v in lower], "lower"),
        ),
    )


@headline("Exact worst cases: fresh orders beat one order kept for all rounds")
def against_step() -> Picture:
    """Return panels of one round and of two rounds."""
    first, second = one_round(), two_rounds()
    fresh, fixed, once = (f"{c.y[-1]:.2f}" for c in second.curves[:3])
    return Picture(
        f"Two rounds of SFL at an effective step of 1 leave {fresh} of the squared distance with fresh orders, {once} with one "
        f"random order kept, {fixed} in a fixed order",
        (first, second),
        columns=2,
        width=PAGE,
        row_height=2.7,
        legend_columns=3,
        caption="$L=1$, $\\mu=1/10$. Proved by rational multipliers for all clients of the class in every dimension; both ends, "
        "the lower one attained\nby clients, are in the table. SFL: sequential, PFL: parallel federated learning.",
    )


@headline("One round of sequential FL: the upper bound is far nearer than the lower")
def between() -> Picture:
    """Return the recursion, the exact worst case, the error on the lower bound's instances and the lower bound."""
    panel = heterogeneity_alone()
    upper, exact, error, lower = (float(c.y[-1]) for c in panel.curves)
    return Picture(
        f"At the largest step of the theorems the upper bound is {upper / exact:.0f} times the exact worst case, this is "
        f"{exact / error:.1f} times the error on the instances of the lower bound, and that error is "
        f"{number(error / lower)} times the lower bound",
        (panel,),
        width=PAGE,
        row_height=3.6,
        legend_columns=2,
        caption=fill(CAPTION),
    )


CAPTION = (
    "What a round of sequential federated learning (SFL) adds to the squared distance from the minimiser: the least $C$ in "
    "$E|x_1-x^*|^2\\leq|x_0-x^*|^2-\\frac{1}{3}\\tilde\\eta(F(x_0)-F^*)+C\\zeta_*^2$, in the proof $6\\tilde\\eta^3/M$. "
    "$L=1$; $\\zeta_*$: "
    "heterogeneity at the minimiser; nearer: to the exact worst case. The exact worst case is proved by rational "
    "multipliers for all clients in every dimension. "
    "Theorem 5 itself asks for $M\\geq4$ clients and a condition number $\\kappa=L/\\mu\\geq2020$; the regime h3 of "
    "its proof does not."
)
