"""A counterexample as a plot: the functions of its clients, a run on them, and where the measure crosses the bound."""

from __future__ import annotations

import math

import numpy as np

from fltheory.claims.claim import Claim
from fltheory.model.case import Case, FederatedInstance
from fltheory.number import to_float
from fltheory.plotting.captions import alt_text, caption, headline, truncation_note
from fltheory.plotting.labels import four_digits
from fltheory.plotting.picture import Curve, Panel, Picture, claim_panel
from fltheory.plotting.sweep import Sweep, Watch, sweep
from fltheory.runs.algorithm import Algorithm, rollout
from fltheory.runs.flat_states import adapt_to_rows
from fltheory.runs.measures import RunMeasure
from fltheory.runs.method import NotEnumerable, VariantError
from fltheory.symbols import n_rounds

MANY = 4  # clients drawn separately
ROUNDS = 2000  # rounds of a drawn run
RUNS = 5  # runs, if they differ
SEEN = 0.01  # share of the height of a panel below which a curve is flat
MOST_COLUMNS = 3  # of panels on the page
FINE = 401  # points of a function
CLIENTS = ("second", "third", "reference 3", "reference 2")


def counterexample_picture(
    claim: Claim,
    case: Case | None = None,
    along: str | None = None,
    deadline: float = math.inf,
    watch: Watch | None = None,
    work: float = math.inf,
) -> Picture:
    """Return the plot of a claim's most informative case: functions, a run, and the bound along a constant."""
    return sweep_counterexample(sweep(claim, case, along, deadline=deadline, watch=watch, work=work))


def sweep_counterexample(found: Sweep) -> Picture:
    """Return the picture of the case of a sweep: its functions, a run on them, and the bound."""
    assert found.case is not None
    own, still = _instance_panels(found.claim, found.case)
    panels = (*own, claim_panel(found, "the bound and the measured value"))
    return Picture(
        headline(found),
        panels,
        width=7.16 if len(panels) > 1 else 5.0,
        columns=len(panels) if len(panels) < MOST_COLUMNS + 1 else 2,
        row_height=2.5,
        cut=truncation_note(found),
        caption=caption(found, _panels_note(panels, still)),
        legend_columns=3,
        description=alt_text(found),
    )


def _panels_note(panels: tuple[Panel, ...], still: str) -> str:
    if len(panels) == 1:
        return "The instance has no functions of one variable to plot."
    words = "Functions: integrated from their gradients, 0 at the minimiser of their mean."
    return f"{words} {still or 'Runs: in floating point.'}"


def _instance_panels(claim: Claim, case: Case) -> tuple[tuple[Panel, ...], str]:
    """Return the functions and the run of clients on a line, and why there is no run; nothing for other instances."""
    instance = case.instance
    if not isinstance(instance, FederatedInstance) or instance.dim != 1 or not isinstance(claim.measure, RunMeasure):
        return (), ""
    full = claim.prepared(case)
    runs, whole = _runs(claim, full), int(full.constants[n_rounds])
    best, start = to_float(instance.minimiser[0]), to_float(instance.start[0])
    still = "Its runs can't be simulated." if runs is None else _still_text(runs, best, whole)
    visited = np.array([best, start]) if runs is None or still else np.concatenate([runs.ravel(), [best, start]])
    visited = visited[np.isfinite(visited)]
    pad = 0.25 * (visited.max() - visited.min()) or 1.0
    panels = _functions(instance, visited.min() - pad, visited.max() + pad, best, start)
    return (panels if runs is None or still else (*panels, _path(runs, best, whole))), still


def _still_text(runs: np.ndarray, best: float, whole: int) -> str:
    """Return a sentence instead of a run that would be drawn as a flat line far from the minimiser; or ""."""
    drawn, start = runs.shape[1] - 1, float(runs[0, 0])
    moved = float(np.nanmax(np.abs(runs - start)))
    if moved >= SEEN * abs(best - start):
        return ""
    rounds = f"the first {drawn} of its {four_digits(whole)} rounds" if whole > drawn else f"its rounds ({drawn})"
    share = moved / abs(best - start)
    moves = (
        f"moves {four_digits(share)} of the way to the minimiser" if share > 0 else "does not move in floating point"
    )
    return f"No run is drawn: in {rounds} it {moves}."


def _runs(claim: Claim, case: Case) -> np.ndarray | None:
    """Return the points of a few runs, (runs, rounds + 1); None if they can't be simulated."""
    assert claim.measure is not None
    method = adapt_to_rows(claim.algorithm, case)
    if not isinstance(method, Algorithm):
        return None
    few = RUNS if claim.measure.is_random(case) else 1
    try:
        rounds = int(case.constants[n_rounds])  # a kernel holds all of them
        states = rollout(method, case, few, kernel=rounds <= ROUNDS, rounds=min(rounds, ROUNDS))
    except (NotEnumerable, VariantError, ValueError, KeyError):
        return None
    return np.asarray(states[:, :, 0], dtype=float)


def _functions(instance: FederatedInstance, low: float, high: float, best: float, start: float) -> tuple[Panel, ...]:
    """Return the functions of the first clients and their mean, from their gradients; a flat mean has its own panel."""
    x = np.linspace(low, high, FINE)
    curves = []
    kinds: dict[bytes, tuple[int, np.ndarray]] = {}
    for client in range(instance.n_clients):
        slope = instance.gradient(x[:, None], client)[:, 0]
        kinds.setdefault(slope.round(12).tobytes(), (client, slope))
    for (client, slope), style in zip(kinds.values(), CLIENTS[:MANY], strict=False):
        curves.append(Curve(f"$F_{{{client + 1}}}$", x, _integrate(x, slope, best), style))
    mean = (
        Curve("their mean $F$", x, instance.gap(x[:, None]), "reference"),
        Curve("start", [start], [float(instance.gap(np.array([[start]]))[0])], "start"),
    )
    rest = len(kinds) - len(CLIENTS)
    title = "the functions" if rest <= 0 else f"the functions of {len(CLIENTS)} of {len(kinds)} kinds of clients"
    if np.ptp(np.asarray(mean[0].y, float)) >= SEEN * max(np.ptp(np.asarray(c.y, float)) for c in curves):
        return (_function_panel(title, (*curves, *mean)),)
    return _function_panel(title, tuple(curves)), _function_panel("their mean, far flatter", mean)


def _function_panel(title: str, curves: tuple[Curve, ...]) -> Panel:
    values = np.concatenate([np.asarray(c.y, float) for c in curves])
    return Panel(title, "$x$", "$F$ minus its minimum", curves, x_scale="linear", y_scale=_scale(values))


def _integrate(x: np.ndarray, slope: np.ndarray, best: float) -> np.ndarray:
    """Integrate a function from its slope by the trapezium rule, with 0 at ``best``."""
    steps = np.diff(x) * (slope[1:] + slope[:-1]) / 2
    value = np.concatenate([[0.0], np.cumsum(steps)])
    return value - float(np.interp(best, x, value))


def _path(runs: np.ndarray, best: float, whole: int) -> Panel:
    rounds = np.arange(runs.shape[1])
    name = "a run" if len(runs) == 1 else "runs"
    curves = [Curve(name, rounds, run, "run") for run in runs]
    curves.append(Curve("minimiser", [0, runs.shape[1] - 1], [best, best], "minimiser"))
    drawn = "" if whole == runs.shape[1] - 1 else f", the first {runs.shape[1] - 1} rounds of {four_digits(whole)}"
    title = f"{name}: {'its' if len(runs) == 1 else 'their'} points $x_r${drawn}"
    return Panel(title, "rounds", "$x_r$", tuple(curves), x_scale="linear", y_scale=_scale(runs))


def _scale(values: np.ndarray) -> str:
    """Return a linear axis, unless a run diverges."""
    finite = np.abs(values[np.isfinite(values)])
    return "symlog" if finite.size and finite.max() > 1e6 * max(float(np.median(finite)), 1e-9) else "linear"
