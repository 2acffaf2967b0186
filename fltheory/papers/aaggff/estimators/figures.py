"""Figures of AAggFF's rounds: responses, estimates, decisions, and the cost of partial participation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.claims.statement import Constants, QuantityFunction
from fltheory.games.player import Learner
from fltheory.model.bound import Bound
from fltheory.model.case import Case
from fltheory.number import exact, symbolic_value
from fltheory.papers.aaggff import bounds, notation
from fltheory.papers.aaggff.algorithms import aaggff_d, aaggff_d_exact, aaggff_d_fixed, aaggff_d_remembering, aaggff_s
from fltheory.papers.aaggff.entropic.claims.partial import HALF_STEP, PRINTED_STEP
from fltheory.papers.aaggff.estimators.claims import (
    bias,
    imputed_estimate,
    largest,
    largest_remainder,
    mean,
    scaled_estimate,
)
from fltheory.papers.aaggff.estimators.closed_forms import SampledRound, shrinkage
from fltheory.papers.aaggff.instances.games import alternation, complement, three_phase, vertex
from fltheory.papers.aaggff.instances.lemmas import ResponseBox
from fltheory.papers.aaggff.losses import bounds as of
from fltheory.papers.aaggff.newton.claims.newton import REGRET
from fltheory.papers.aaggff.newton.figures.runs import (
    L_STEP,
    NOTE_EXACT,
    NOTE_FLOATS,
    bound_value,
    case_with_tuning,
    decisions,
    in_window,
    positive_part,
    printed_case,
    trivial_bound,
)
from fltheory.plotting.figures.headlines import headline
from fltheory.plotting.figures.progress import track
from fltheory.plotting.figures.wrapping import fill
from fltheory.plotting.picture import PAGE, Curve, Panel, Picture, Zone, number
from fltheory.problems.responses import ResponseTable

# Responses --------------------------------------------------------------------------------------------------------------

STYLES = ("first", "second", "third", "reference", "reference 2", "reference 3")


# Estimates --------------------------------------------------------------------------------------------------------------

CROWD = 10  # clients
RESPONSE = tuple(Fraction(i * i % 11, 10) for i in range(CROWD))
SPREADS = tuple(Fraction(v, 100) for v in (1, 3, 10, 30, 100, 300, 1000, 3000))


def _relative_bias(estimate: QuantityFunction, m: int) -> float:
    """Return |E estimate - r| over |r - mean|, in the sup norm, by enumeration."""
    known = Constants(imputed_response=Fraction(1, 5))
    response = np.array(RESPONSE, dtype=object)
    centred = response - response.sum() / CROWD
    return float(largest(mean(estimate(SampledRound(RESPONSE, m), known)) - response) / largest(centred))


def _estimator_bias_panel() -> Panel:
    """Plot the bias of the estimate by the number of clients drawn."""
    drawn = list(range(1, CROWD + 1))
    enumerated = [float(bias(SampledRound(RESPONSE, m), Constants())) for m in drawn]
    fine = {k: [float(1 - shrinkage(k, m)) for m in drawn] for k in (CROWD, 100)}
    curves = (
        Curve(r"(10): $1-\kappa$, $K=10$", drawn, fine[CROWD], "first", note=NOTE_EXACT),
        Curve(r"(10): all draws of $K=10$ enumerated", drawn, enumerated, "outside", note=NOTE_EXACT),
        Curve(r"(10): $1-\kappa$, $K=100$", drawn, fine[100], "second", note=NOTE_EXACT),
        Curve(
            "D1: a constant imputed",
            drawn,
            [_relative_bias(imputed_estimate, m) for m in drawn],
            "reference 3",
            note=NOTE_EXACT,
        ),
        Curve(
            r"D2: deviations over $\kappa$",
            drawn[1:],
            [_relative_bias(scaled_estimate, m) for m in drawn[1:]],
            "reference 4",
            note=NOTE_EXACT,
        ),
    )
    return Panel(
        "bias of the estimated response",
        "clients drawn $m$",
        r"$\max|\mathrm{E}\,\breve r-r|\,/\,\max|r-\bar r|$",
        curves,
        x_scale="linear",
        y_scale="linear",
    )


def _remainder_panel() -> Panel:
    """Plot the largest error of the linearised gradient by the range, for three references."""
    kinds: tuple[tuple[str, Any, Any, str], ...] = (
        ("any reference, the paper's mean too", of.REMAINDER, notation.C2, "bound"),
        ("middle of the range", of.REMAINDER_MIDDLE, of.MIDDLE, "second"),
        ("the best: harmonic", of.REMAINDER_BEST, of.HARMONIC, "reference 4"),
    )
    curves, x = [], [float(v) for v in SPREADS]
    for label, bound, place, style in kinds:
        formula, found = [], []
        for high in SPREADS:
            box = Case(ResponseBox(2, 0, high))
            at = exact(symbolic_value(place, box.constants))
            case = box.with_settings(imputed_response=at)
            formula.append(bound_value(bound, case) / float(high))
            found.append(float(largest_remainder(box.instance, at)) / float(high))
        curves.append(Curve(label, x, formula, style, note=NOTE_EXACT))
        curves.append(Curve("the worst of all responses and vertices", x, found, "outside", note=NOTE_EXACT))
    return Panel(
        "error of the linearised gradient",
        "$V=C_2$ ($C_1=0$)",
        r"$\max|\langle g-\tilde g,\,p-q\rangle|\,/\,V$",
        tuple(curves),
    )


@headline("The doubly robust estimate is biased towards the mean")
def estimator() -> Picture:
    """Plot the bias of the doubly robust estimate and the cost of linearisation, Lemmas 4.3 and 4.4."""
    left, right = _estimator_bias_panel(), _remainder_panel()
    five = float(1 - shrinkage(100, 5))
    return Picture(
        f"The doubly robust estimate keeps {1 - five:.0%} of a client's deviation when 5 of 100 are drawn, nothing when one "
        "is;\nlinearising at the best reference errs half as much as at the worst",
        (left, right),
        columns=2,
        width=PAGE,
        row_height=2.7,
        legend_columns=3,
        caption="Left: one response of ten clients, every draw without replacement; $\\kappa=K(m-1)/(m(K-1))$. "
        "Right: over the span $V$ of a gradient.",
    )


# Decisions --------------------------------------------------------------------------------------------------------------


def _newton_panel(title: str, game: ResponseTable, client: int, y_label: str) -> Panel:
    """Plot the weight of one client under AAggFF-S, with all terms and without one of them."""
    own = printed_case(game)
    alpha = dict(own.settings)["learner_regularisation"]
    chosen = (
        ("as printed", own, "bound"),
        (r"$\beta<\beta^\star(V)$", in_window(game), "first"),
        (r"hardly any curvature: $\beta=10^{-9}$", own.with_settings(learner_curvature="1/1000000000"), "second"),
        (
            r"hardly any regularisation: $\alpha/1000$",
            own.with_settings(learner_regularisation=Fraction(alpha) / 1000),
            "third",
        ),
    )
    rounds = np.arange(1, game.n_rounds + 1)
    curves = [
        Curve(label, rounds, decisions(aaggff_s, case)[0, :, client], style, note=NOTE_FLOATS)
        for label, case, style in chosen
    ]
    return Panel(title, "round $t$", y_label, tuple(curves), x_scale="linear", y_scale="linear", y_limits=(-0.03, 1.03))


def _entropic_panel(title: str, game: ResponseTable, client: int, y_label: str) -> Panel:
    """Plot the same for AAggFF-D by the number of clients that take part."""
    rounds = np.arange(1, game.n_rounds + 1)
    full = decisions(aaggff_d_exact, case_with_tuning(game, L_STEP))[0, :, client]
    curves = [Curve("all clients, exact gradients", rounds, full, "first", note=NOTE_FLOATS)]
    for m, style in ((game.n_clients, "bound 2"), (5, "second"), (2, "third"), (1, "trivial")):
        case = case_with_tuning(game.adjusted("n_participating", m), PRINTED_STEP)
        label = "all clients, Algorithm 3" if m == game.n_clients else f"$m={m}$ of {game.n_clients}, Algorithm 3"
        curves.append(Curve(label, rounds, decisions(aaggff_d, case)[0, :, client], style, note=NOTE_FLOATS))
    return Panel(title, "round $t$", y_label, tuple(curves), x_scale="linear", y_scale="linear", y_limits=(-0.03, 1.03))


def _thin(panel: Panel, points: int = 250) -> Panel:
    """Return the panel with at most ``points`` points per curve."""
    return replace(
        panel,
        curves=tuple(
            replace(c, x=c.x[:: -(-len(c.x) // points)], y=c.y[:: -(-len(c.x) // points)]) for c in panel.curves
        ),
    )


@headline("AAggFF-S follows a new leader late; AAggFF-D with one client never moves")
def decisions_picture() -> Picture:
    """Plot decisions over the rounds, with and without terms of the learner and with fewer clients."""
    narrow, silo = three_phase(2, "1/10", 300, "1/20"), complement(7, 1000)
    crowd = complement(CROWD, 1000, 1)
    panels = (
        _newton_panel("AAggFF-S, three phases (I12), $K=2$", narrow, 1, "weight of the second client"),
        _newton_panel("AAggFF-S, two phases (I3), $K=7$", silo, 6, "weight of the last client"),
        _entropic_panel(f"AAggFF-D, two phases (I3), $K={CROWD}$", crowd, CROWD - 1, "weight of the last client"),
        _entropic_panel(
            f"AAggFF-D, one good client (I1), $K={CROWD}$", vertex(CROWD, 1000), 0, "weight of the good client"
        ),
    )
    turn = 400
    one = np.asarray(panels[3].curves[4].y)
    still = "With one client a round AAggFF-D never moves" if np.ptp(one) < 1e-12 else ""
    late = [_first_above(c, turn) for c in panels[1].curves[:3]]
    return Picture(
        f"From the turn at round {turn} (I3) to half of the weight for the new leader AAggFF-S as printed takes {late[0]} rounds,\n"
        f"{late[1]} within the window, {late[2]} without curvature. {still}",
        tuple(_thin(panel) for panel in panels),
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=3,
        caption="$C_1=0$. Above: $C_2=0.1$ with $n_B=300$, $\\varepsilon=0.05$, and $C_2=1/7$. Below: $C_2=1$, one run each.",
    )


def _first_above(curve: Curve, turn: int) -> str:
    """Return how many rounds after the turn the weight exceeds one half."""
    late = [t - turn for t, v in zip(curve.x, curve.y, strict=True) if t > turn and v > 0.5]
    return str(int(late[0])) if late else "never"


# Partial participation --------------------------------------------------------------------------------------------------

RUNS = 20
BAND = f"mean of {RUNS} runs, band of two standard errors"
LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000)
KNOWN_BOUND = r"trivial bound: $T\,\log(1+V)$"


def _mean_regret_curve(
    label: str,
    x: Sequence[int],
    cases: Sequence[Case],
    learner: Learner,
    style: str,
    tag: str,
    over: float | np.ndarray = 1.0,
) -> Curve:
    """Return the mean regret of some runs, relative to a scale."""
    values = np.array([REGRET.simulate(learner, case, 0, np.arange(RUNS)) for case in cases])
    centre, error = values.mean(axis=1) / over, 2 * values.std(axis=1, ddof=1) / np.sqrt(RUNS) / over
    return Curve(label, x, positive_part(centre), style, positive_part(centre - error), centre + error, BAND, tag=tag)


def _bound_curve(label: str, bound: Bound, x: Sequence[int], cases: Sequence[Case], style: str, tag: str) -> Curve:
    return Curve(label, x, [bound_value(bound, case) for case in cases], style, tag=tag)


def _rounds_panel() -> Panel:
    """Plot Algorithm 3 on I1 over the rounds."""
    curves = []
    for m, style in track(((1, "first"), (2, "second"), (5, "reference 4"))):
        cases = [case_with_tuning(vertex(CROWD, t, n_participating=m), PRINTED_STEP) for t in LENGTHS]
        curves.append(_mean_regret_curve(f"Algorithm 3, $m={m}$", LENGTHS, cases, aaggff_d, style, f"$m={m}$"))
    lines = (
        _bound_curve(r"Corollary 5.3 with $2L\sqrt{T\,\log\,K}$", bounds.C53, LENGTHS, cases, "bound", "Corollary 5.3"),
        Curve(KNOWN_BOUND, LENGTHS, [trivial_bound(case) for case in cases], "trivial", tag="trivial bound"),
    )
    return Panel(f"one good client (I1), $K={CROWD}$", "rounds $T$", "expected regret", (*lines, *curves))


def _clients_panel() -> Panel:
    """Plot the same over the clients, with T = 4 (K/2)^2, relative to L sqrt(T log K)."""
    x = (5, 10, 20, 40, 80)
    curves = []
    for m, style in track(((1, "first"), (2, "second"), (5, "reference 4"))):
        cases = [case_with_tuning(vertex(k, k * k, n_participating=m), PRINTED_STEP) for k in x]
        scale = np.array([bound_value(bounds.C53, case) for case in cases]) / 2
        label = f"Algorithm 3, $m={m}$"
        curves.append(_mean_regret_curve(label, x, cases, aaggff_d, style, f"$m={m}$", scale))
    lines = (
        Curve(r"Corollary 5.3 with $2L\sqrt{T\,\log\,K}$", x, [2] * len(x), "bound", tag="Corollary 5.3"),
        Curve(KNOWN_BOUND, x, [trivial_bound(case) for case in cases] / scale, "trivial", tag="trivial bound"),
    )
    return Panel("one good client (I1), $T=K^2$", "clients $K$", r"over $L\sqrt{T\,\log\,K}$", (*lines, *curves))


def _repair_panel(title: str, games: Sequence[Any], at: str, bound: Bound, y_label: str) -> Panel:
    """Plot Algorithm 3 and the correction whose reference does not depend on the draw."""
    rounds = [game.n_rounds for game in games]
    literal = [case_with_tuning(game, PRINTED_STEP) for game in games]
    fixed = [case_with_tuning(game, HALF_STEP, imputed_response=at) for game in games]
    remembered = [case_with_tuning(game, HALF_STEP) for game in games]
    return Panel(
        title,
        "rounds $T$",
        y_label,
        (
            _bound_curve("a fixed reference: its bound", bound, rounds, fixed, "bound 2", "bound of fixed $c$"),
            _bound_curve(
                r"its first term $\frac{V}{C}\sqrt{T\,\log\,K}$",
                bounds.P1_SHARP,
                rounds,
                fixed,
                "reference 2",
                "its first term",
            ),
            Curve(KNOWN_BOUND, rounds, [trivial_bound(case) for case in fixed], "trivial", tag="trivial bound"),
            _mean_regret_curve("Algorithm 3", rounds, literal, aaggff_d, "measured", "Algorithm 3"),
            _mean_regret_curve("a fixed reference", rounds, fixed, aaggff_d_fixed, "reference 3", "fixed $c$"),
            _mean_regret_curve(
                "last round's mean", rounds, remembered, aaggff_d_remembering, "reference", "last round's mean"
            ),
        ),
    )


THRESHOLD = "beyond the threshold: Corollary 5.3 is false with $m=1$ (left), even with $m=5$ (right)"


def _with_threshold(panel: Panel, bound: str, regret: str) -> Panel:
    """Return the panel with a zone from the threshold on, where this regret passes this bound, by their tags."""
    curves = {curve.tag.strip("$"): curve for curve in panel.curves}
    x, ratio = (np.asarray(v, float) for v in (curves[bound].x, np.asarray(curves[regret].y) / curves[bound].y))
    first = int(np.flatnonzero(ratio > 1)[0])
    start = float(x[0])
    if first:
        share = -np.log(ratio[first - 1]) / np.log(ratio[first] / ratio[first - 1])
        start = float(x[first - 1] * (x[first] / x[first - 1]) ** share)
    return replace(panel, zones=(Zone(start, float(x[-1]), "violated", THRESHOLD),))


@headline("Fair aggregation: with one client a round the regret of AAggFF-D is linear")
def participation() -> Picture:
    """Plot the regret of Algorithm 3 with few clients a round, and of the correction, for Corollary 5.3."""
    high = Fraction(1, 10)
    best = exact(symbolic_value(of.HARMONIC, Case(vertex(CROWD, 10, high)).constants))
    panels = (
        _with_threshold(_rounds_panel(), "Corollary 5.3", "m=1"),
        _with_threshold(_clients_panel(), "Corollary 5.3", "m=5"),
        _repair_panel(
            f"I1, $K={CROWD}$, $m=5$, $C_2=0.1$, $c$ the best",
            [vertex(CROWD, t, high, n_participating=5) for t in LENGTHS],
            str(best),
            bounds.P2_BEST,
            "expected regret",
        ),
        _repair_panel(
            "groups that alternate (I6), $m=2$, $c=1/2$",
            [alternation(t, group=2, n_participating=2) for t in (200, 1000, 4000, 20_000, 80_000)],
            "1/2",
            bounds.P2_MIDDLE,
            "",
        ),
    )
    ones, over = panels[0].curves, panels[1].curves
    linear, groups = panels[3].curves[4], panels[3].curves[1]
    return Picture(
        f"With one client a round the regret is linear, {ones[2].y[-1] / ones[0].y[-1]:.0f} times Corollary 5.3 at $T=10^4$; with "
        f"two {over[3].y[-1] / 2:.0f} times at $K=80$.\nOnly the repair's bound is true, and its linear term is real: regret "
        f"{number(float(linear.y[-1]))} at the right end, first term {number(float(groups.y[-1]))}",
        panels,
        columns=2,
        width=PAGE,
        row_height=2.4,
        legend_columns=2,
        caption=fill(
            "AAggFF-D, Algorithm 3, is the paper's method for many clients, of which $m$ of $K$ answer in a round, with responses "
            "between $C_1$ and $C_2$; $V=(C_2-C_1)/(1+C_1)$. I1: one client answers $C_2$ in all rounds, the others "
            "$C_1$; I6: two groups "
            "in turn. Above: Corollary 5.3 with $2L\\sqrt{T\\,\\log\\,K}$. Below: repairs "
            "that impute a "
            "fixed $c$ or the last round's mean; the first term is $\\frac{V}{C}\\sqrt{T\\,\\log\\,K}$. $C_1=0$, above "
            "$C_2=1$; trivial "
            "bound: $T\\,\\log(1+V)$; Algorithm 3 at the printed rate, the repairs at that for the half-span. "
            f"Means of {RUNS} runs, bands of two standard errors."
        ),
    )


PICTURES: dict[str, Callable[[], Picture]] = {
    "estimator": estimator,
    "decisions": decisions_picture,
    "participation": participation,
}
