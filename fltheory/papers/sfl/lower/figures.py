"""Figure of the instances of the lower bounds: upper bounds over their errors, their errors over the lower bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fltheory.claims.claim import Claim
from fltheory.model.case import Case
from fltheory.number import Number, exact, symbolic, to_float
from fltheory.papers.sfl.lower import bounds as lower_bounds
from fltheory.papers.sfl.lower import cases as blocks
from fltheory.papers.sfl.notation import R, eta
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import TITLE, fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, number
from fltheory.plotting.sweep import Sweep, sweep_cases
from fltheory.verification import find

LEAST = 51**3  # least number of rounds to which Theorem 6 applies
UPPER_LABEL, LOWER_LABEL, RATE = (
    "upper bound over error",
    "error over lower bound",
    r"rate $(L\zeta^2D^4/M)^{1/3}R^{-2/3}$ over error",
)


@dataclass(frozen=True)
class BoundedErrors:
    """Errors over the rounds, with their evidence and their upper and lower bounds."""

    title: str
    above: Sweep
    below: Sweep
    scale: float = 1.0  # factor of the upper bound
    rate: Sequence[float] = ()

    def curves(self) -> tuple[list[Curve], Curve]:
        """Return the ratios of the upper panel and of the lower one, which are at least 1 where both bounds hold."""
        x = self.above.column("value")
        error, low, high = (self.above.column(n) for n in ("measured", "low", "high"))
        notes = tuple(p.evidence for p in self.above.points)
        upper, lower = self.above.limit() * self.scale, self.below.limit()
        top = [Curve(UPPER_LABEL, x, upper / error, "bound", upper / high, upper / low, notes)]
        if self.rate:
            rate = np.array(self.rate)
            top.append(Curve(RATE, x, rate / error, "reference", rate / high, rate / low, notes))
        return top, Curve(LOWER_LABEL, x, error / lower, "lower", low / lower, high / lower, notes)


def _step(effective: Number | str, clients: int, local_steps: int) -> Number:
    return exact(symbolic(exact(effective)) / (clients * local_steps))


def _without_measure(claim_id: str) -> Claim:
    """Return the bound of a claim without its measure."""
    return replace(find(claim_id), measure=None)


def _drift_cases() -> Iterator[tuple[int, Case]]:
    """Return cases of Theorem 6, convex, at the step of Corollary 4, cut at the largest step of the lower bound."""
    for rounds in (LEAST, 300_000, 700_000, 1_500_000):
        fixed = {"smoothness": 1, "initial_distance": 1, "n_clients": 4, "n_local_steps": 1, "noise_std": 0}
        case = blocks.theorem_6_gc(**fixed, heterogeneity=2, n_rounds=rounds, step_size=1)
        tuned = to_float(find("sfl/C4-GC@corrected").prepared(case).constants[eta])
        largest = Fraction(1, lower_bounds.CAP * 4)
        yield rounds, case.with_settings(step_size=min(exact(float(f"{tuned:.6g}")), largest))


def heterogeneity() -> BoundedErrors:
    """Return the curves of Theorem 6, convex."""
    cases = list(_drift_cases())
    rates = [lower_bounds.GC_DRIFT.subs({s: symbolic(v) for s, v in c.constants.items()}) for _, c in cases]
    return BoundedErrors(
        "Theorem 6, convex: heterogeneity",
        sweep_cases(find("sfl/T3-GC@printed"), R, track(cases)),
        sweep_cases(_without_measure("sfl/T6-GC-drift@corrected"), R, cases),
        rate=[float(v) for v in rates],
    )


def noise() -> BoundedErrors:
    """Return the curves of the noise term, for any steps and weights."""
    tuned, noisy = find("sfl/C4-SC@explicit"), blocks.parabola(1, 1, 4, 1)
    runs = [(int(r), Case(noisy, n_local_steps=5, n_rounds=int(r))) for r in np.geomspace(6, 100_000, 17).round()]
    any_weights = _without_measure("sfl/T6-noise@strengthened")
    return BoundedErrors(
        "Theorems 5 and 6: noise",
        sweep_cases(tuned, R, runs),
        sweep_cases(any_weights, R, [(r, tuned.prepared(c)) for r, c in runs]),
    )


def fixed_step() -> BoundedErrors:
    """Return the curves of regime h3: equal curvatures at a fixed step."""
    local_steps = 5
    fixed = {"small_curvature": 1, "heterogeneity": 1, "n_clients": 4, "n_local_steps": local_steps}
    step = _step("1/6", 4, local_steps)
    held = [(int(r), blocks.h3(**fixed, n_rounds=int(r), step_size=step)) for r in np.geomspace(1, 1000, 13).round()]
    most = sweep_cases(_without_measure("sfl/C20@strengthened"), R, held)
    least = sweep_cases(find("sfl/h3@explicit"), R, held)
    upper = replace(least, claim=most.claim, points=_with_limits(least, most))
    return BoundedErrors("Regime h3: fixed step", upper, least, 0.5)  # Theorem 20 is about the distance: curvature 1


def _with_limits(errors: Sweep, limits: Sweep) -> tuple:
    """Return the errors of one sweep with the limits of another."""
    return tuple(replace(e, limits=u.limits) for e, u in zip(errors.points, limits.points, strict=True))


def sandwich() -> Picture:
    """Plot upper bound over error, and error over lower bound, on the instances of the lower bounds."""
    found = [make() for make in track((heterogeneity, noise, fixed_step))]
    drawn = [one.curves() for one in found]
    tops = [
        Panel(one.title, "", "" if i else UPPER_LABEL, tuple(top))
        for i, (one, (top, _)) in enumerate(zip(found, drawn, strict=True))
    ]
    bottoms = [Panel("", "rounds $R$", "" if i else LOWER_LABEL, (bottom,)) for i, (_, bottom) in enumerate(drawn)]
    uppers, lowers = (
        [_span(c) for c in curves] for curves in zip(*((top[0], bottom) for top, bottom in drawn), strict=True)
    )
    return Picture(
        fill(
            f"On the lower bounds' own instances the upper bounds are {uppers[0]} (heterogeneity), {uppers[1]} (noise), "
            f"{uppers[2]} (fixed step) times the error, and the error is {lowers[0]}, {lowers[1]}, {lowers[2]} times "
            f"the lower bounds",
            TITLE,
        ),
        (*tops, *bottoms),
        columns=3,
        width=PAGE,
        row_height=1.7,
        legend_columns=3,
        caption=fill(
            r"Left: $L=D=1$, $M=4$, $K=1$, $\zeta=2$, the step of Corollary 4, but $\tilde\eta\leq\frac{1}{101L}$; "
            r"means of seeds (how many: see the table) with 99% bands; upper bound T3-GC. "
            r"Middle: $F=x^2/2$, $\sigma=1$, $M=4$, $K=5$, tuned step; exact; upper bound C4-SC. "
            r"Right: $x^2/2\pm x$, $M=4$, $K=5$, $\tilde\eta=\frac{1}{6L}$, last iterate; exact; "
            "upper bound C20, where it applies. A ratio of 1 would be tight."
        ),
    )


def _span(curve: Curve) -> str:
    """Return the least and the largest ratio."""
    low, high = (number(float(of(np.asarray(curve.y)))) for of in (np.nanmin, np.nanmax))
    return low if low == high else f"{low} to {high}"


PICTURES: dict[str, Callable[[], Picture]] = {"sandwich": sandwich}
