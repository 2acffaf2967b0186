"""Pictures of the how-to pages: drawn, and stored, when ``python -m docs --outputs`` is run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

from sympy import Max, Rational, Symbol

from fltheory.performance import Problem, Smooth
from fltheory.plotting.kinds import PICTURE_KINDS
from fltheory.plotting.kinds.multipliers import multipliers_picture
from fltheory.plotting.picture import Curve, Panel, Picture
from fltheory.plotting.plot import draw, save
from fltheory.plotting.style import FIGURE
from fltheory.proof import Member, eq, le, lt, proof
from fltheory.proof.terms import Fun, Grad, Vector, family, square
from fltheory.proving.multipliers.along import multipliers_along
from fltheory.verification import find

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
LOOK = replace(FIGURE, breaks_lines=True)  # no ground of its own, on a dark screen as on a light one
STEPS = 8  # of gradient descent in the picture of worst cases
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REPORTED = ("sfl/T3-GC@printed", "sfl/C4-GC")  # what the picture of a report shows


def of_claim(name: str, along: str | None = None, kind: str = "bound") -> Picture:
    """The plot of a claim, as ``fltheory plot`` draws it."""
    return PICTURE_KINDS[kind](find(name), None, along)


def worst_of_descent(steps: int) -> tuple[Fraction, Fraction]:
    """The attained and the proved worst case of gradient descent with the step 1/L after so many steps."""
    problem = Problem()
    f = problem.function(Smooth(1))
    best = f.minimiser()
    x = problem.start(best, distance=1)
    for _ in range(steps):
        x = x - f.gradient(x)
    worst = problem.worst(f(x) - f(best))
    return Fraction(worst.lower), Fraction(worst.upper)


def descent() -> Picture:
    """The worst case of gradient descent along its steps, beside the bound of the textbooks."""
    steps = tuple(range(1, STEPS + 1))
    ends = [worst_of_descent(n) for n in steps]
    attained, proved = ([float(end[i]) for end in ends] for i in (0, 1))
    panel = Panel(
        "",
        "steps $n$",
        "largest $f(x_n)-f(x^*)$ (in units of $LD^2$)",
        (
            Curve("bound of the textbooks: $1/(2n)$", steps, [1 / (2 * n) for n in steps], "bound"),
            Curve("exact worst case: $1/(4n+2)$, proved", steps, proved, "measured", note="proved"),
            Curve("attained by a function", steps, attained, "checked", note="attained"),
        ),
        counts=True,
    )
    return Picture(
        "Gradient descent with the step 1/L: the exact worst case is less than half of the bound",
        (panel,),
        width=5.0,
        row_height=2.8,
        caption="All $L$-smooth convex functions of every dimension; $D$: distance of the start from the minimiser.",
        legend_columns=1,
    )


def dual_variables() -> Picture:
    """The dual variables of the contraction of gradient descent along its step size, as on the page about proofs."""
    F, best, x, after = family(Fun, "F")(), *(family(Vector, name)() for name in ("x_star", "x", "x_plus"))
    L, mu, eta = (Symbol(name, positive=True) for name in ("L", "mu", "eta"))
    factor = Max((1 - eta * mu) ** 2, (1 - eta * L) ** 2)
    statement = (
        proof("steps/contraction")
        .under(Member("class", F, L, mu, "F is L-smooth and mu-strongly convex"))
        .given("step", eq(after, x - eta * Grad(F, x)), "gradient descent")
        .given("least", eq(Grad(F, best), 0 * best), "x_star is the minimiser")
        .given("order", lt(mu, L), "F is not quadratic with one curvature")
        .conjecture(le(square(after - best), factor * square(x - best)))
    )
    sizes = [Rational(k, 20) for k in range(1, 40)]
    found = multipliers_along(statement, "eta", sizes, {"L": 1, "mu": "1/5"})
    picture = multipliers_picture(found, "Contraction of gradient descent: the same two inequalities at every step")
    return replace(
        picture,
        caption="$L=1$ and $\\mu=1/5$. Interpolated: the strongest inequality of the class, between two points.",
    )


DRAWN: Mapping[str, Callable[[], Picture]] = {
    "plot": partial(of_claim, "sfl/C4-GC@printed"),
    "terms": partial(of_claim, "sfl/T3-SC@corrected", "step_size", "terms"),
    "counterexample": partial(of_claim, "sfl/C4-GC@printed", None, "counterexample"),
    "descent": descent,
    "multipliers": dual_variables,
    "sweep": partial(of_claim, "sfl/T3-GC@printed", "n_rounds"),
}


def screenshot(goal: Path) -> None:
    """A picture of a report in a browser; the stored one is kept where none is installed."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("no browser is installed: the picture of a report is kept", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([sys.executable, "-m", "fltheory", "report", *REPORTED, "-o", str(page)], check=True, cwd=ROOT)
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1100,900")
        subprocess.run([browser, *options, f"--screenshot={goal}", page.as_uri()], check=True, capture_output=True)


def store() -> None:
    """Draw all pictures of the how-to pages."""
    PICTURES.mkdir(exist_ok=True)
    for name, make in DRAWN.items():
        save(draw(make(), LOOK), PICTURES / f"{name}.svg")
    screenshot(PICTURES / "report.png")
