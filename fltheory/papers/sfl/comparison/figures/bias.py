"""Figure of the limit of the mean iterate: the bias of SFL and of PFL against the number of local steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture

CURVATURES, SLOPES = (Fraction(1), Fraction(1, 2)), (Fraction(1), Fraction(-1))
LOCAL_STEPS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
SMALL, LARGE = Fraction(1, 100_000), Fraction(1, 1000)


def _map(curvature: Fraction, slope: Fraction, step: Fraction, steps: int) -> tuple[Fraction, Fraction]:
    """Return (keep, add) of the map x -> keep x + add of the local steps on curvature x^2/2 + slope x."""
    keep = (1 - step * curvature) ** steps
    return keep, -slope / curvature * (1 - keep)


def sequential(step: Fraction, steps: int, curvatures: Sequence[Fraction] = CURVATURES) -> Fraction:
    """Return the limit of the mean iterate of SFL with two clients in random order: the fixed point of the mean map."""
    (a, b), (c, d) = (_map(h, s, step, steps) for h, s in zip(curvatures, SLOPES, strict=True))
    return (c * b + d + a * d + b) / 2 / (1 - a * c)


def parallel(step: Fraction, steps: int, curvatures: Sequence[Fraction] = CURVATURES) -> Fraction:
    """Return the limit of the iterates of PFL."""
    maps = [_map(h, s, step, steps) for h, s in zip(curvatures, SLOPES, strict=True)]
    return sum((add for _, add in maps), Fraction(0)) / sum(1 - keep for keep, _ in maps)


def first_order() -> tuple[Fraction, Fraction]:
    """Return the biases over the step size: -hb/(2h) of SFL, (K - 1) hb/(2h) of PFL, with means of h b and h."""
    hb = sum(h * b for h, b in zip(CURVATURES, SLOPES, strict=True)) / 2
    return -hb / sum(CURVATURES), hb / sum(CURVATURES)  # hb / (2 mean h), as the mean of h is half the sum


def _panel(step: Fraction, y_label: str) -> Panel:
    ours, theirs = first_order()
    k = np.array(LOCAL_STEPS)

    def over(find: Callable[[Fraction, int], Fraction]) -> list[float]:
        return [abs(float(find(step, steps) / step)) for steps in track(LOCAL_STEPS)]

    law = abs(float(theirs)) * (k - 1.0)
    pfl = np.array(over(parallel))
    return Panel(
        rf"step size $\eta=10^{{{round(math.log10(step))}}}$",
        "local steps $K$",
        y_label,
        (
            Curve("SFL", k, over(sequential), "measured", note="exact"),
            Curve(r"SFL, first order: $\frac{1}{2}\overline{hb}/\bar h$", k, [abs(float(ours))] * len(k), "trivial"),
            Curve("PFL (0 at $K=1$)", k, np.where(pfl > 0, pfl, np.nan), "second", note="exact"),
            Curve(
                r"PFL, first order: $\frac{1}{2}(K-1)\,\overline{hb}/\bar h$",
                k,
                np.where(law > 0, law, np.nan),
                "reference",
            ),
        ),
    )


@headline("The bias of SFL does not grow with local steps, that of PFL does")
def bias() -> Picture:
    """Plot the distance of the limits of SFL and PFL from x*, divided by the step size, against K."""
    panels = (_panel(SMALL, r"$|\mathrm{E}\,x_\infty-x^*|\,/\,\eta$"), _panel(LARGE, ""))
    last = LOCAL_STEPS[-1]
    small, large = ([c.y for c in panel.curves] for panel in panels)
    return Picture(
        f"From $K=1$ to {last} SFL's bias goes from {small[0][0]:.3g} to {small[0][-1]:.3g} of a step, PFL's from 0 to "
        f"{small[2][-1]:.3g} (left);\nat $\\eta={float(LARGE):g}$ SFL's goes to {large[0][-1]:.3g} (right): its first order "
        "does not depend on $K$, its second does",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=4,
        caption="$F_1=x^2/2+x$, $F_2=x^2/4-x$, no noise; fixed points of the mean maps of a round, exact. $h$, $b$: curvature and "
        "slope of a client.",
    )


PICTURES: dict[str, Callable[[], Picture]] = {"bias": bias}
