"""Hypotheses on runs in Theorem 5: each returns why it fails on the measured run, or None."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import fmpq

from fltheory.model.case import Case
from fltheory.number import as_number, to_float
from fltheory.number.mixed import to_mixed
from fltheory.papers.delta_sgd.rule.closed_forms.runs import History
from fltheory.problems.convex import Convex, Quadratic
from fltheory.runs.step_rule import squared_length


def a_step_overshoots(h: History, case: Case) -> str | None:
    """Require eta <= 1/L_i, or eta |g|^2 <= 2 (<g, x_t - x*> - (f_i(x_t) - f_i(x*))), for all t = 1..T."""
    for t in range(1, h.n_rounds + 1):
        for i, f in enumerate(h.instance.objectives):
            step, g, away = h.lr[t][i], h.gradient[t][i], h.points[t][i] - h.instance.point
            if f.smoothness is not None and step * to_mixed(f.smoothness) <= 1:
                continue
            if not step * squared_length(g) <= 2 * ((g * away).sum() - h.above[t][i]):
                return f"the step {to_float(as_number(step)):.6g} of client {i} may overshoot in round {t}; none up to 1/L_i does"
    return None


def _choose_alike(one: tuple[Convex, Any], two: tuple[Convex, Any]) -> bool:
    """Return whether equal first steps imply equal steps: on h |x - c|^2/2 they depend on h alone (R6)."""
    (f, pace), (g, other) = one, two
    bent = [o.curvature for o in (f, g) if isinstance(o, Quadratic)]
    return pace == other and (f == g or (len(bent) == 2 and bent[0] is not None and bent[0] == bent[1]))


def steps_differ(h: History, case: Case) -> str | None:
    """Require the same step of all clients in every round: equal rationals, or equal by ``_choose_alike``."""
    if all(
        _choose_alike(*two)
        for two in pairwise(zip(h.instance.objectives, h.instance.pace or (1,) * h.n_clients, strict=True))
    ):
        return None
    for t, own in enumerate(h.lr):
        if not all(isinstance(one, fmpq) and isinstance(two, fmpq) and one == two for one, two in pairwise(own)):
            return f"the clients' steps may differ in round {t}"
    return None
