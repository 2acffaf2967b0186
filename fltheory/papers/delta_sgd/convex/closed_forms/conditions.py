"""What statements about Theorem 5 suppose of a run: why they do not speak of it, or None. Asked of the run that is measured."""

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
    """eta <= 1/L_i, or eta |g|^2 <= 2 (<g, x_t - x*> - (f_i(x_t) - f_i(x*))), for all t = 1..T."""
    for t in range(1, h.n_rounds + 1):
        for i, f in enumerate(h.instance.objectives):
            step, g, away = h.lr[t][i], h.gradient[t][i], h.points[t][i] - h.instance.point
            if f.smoothness is not None and step * to_mixed(f.smoothness) <= 1:
                continue
            if not step * squared_length(g) <= 2 * ((g * away).sum() - h.above[t][i]):
                return f"the step {to_float(as_number(step)):.6g} of client {i} may overshoot in round {t}; none up to 1/L_i does"
    return None


def _choose_alike(one: tuple[Convex, Any], two: tuple[Convex, Any]) -> bool:
    """Whether two clients that begin alike choose alike: on h |x - c|^2/2 steps depend on h alone (R6)."""
    (f, pace), (g, other) = one, two
    bent = [o.curvature for o in (f, g) if isinstance(o, Quadratic)]
    return pace == other and (f == g or (len(bent) == 2 and bent[0] is not None and bent[0] == bent[1]))


def steps_differ(h: History, case: Case) -> str | None:
    """All clients take the same step in every round: the same rational, or that of clients that choose alike."""
    if all(
        _choose_alike(*two)
        for two in pairwise(zip(h.instance.objectives, h.instance.pace or (1,) * h.n_clients, strict=True))
    ):
        return None
    for t, own in enumerate(h.lr):
        if not all(isinstance(one, fmpq) and isinstance(two, fmpq) and one == two for one, two in pairwise(own)):
            return f"the clients' steps may differ in round {t}"
    return None
